"""The most similar pairs: topk_join, which finds its threshold, beside ppjoin, which is told it."""

import lab
import report
import sets

# name, numbers of pairs: some that the first threshold finds, some that need many
SETS = [("debdesc", [1_000, 100_000, 1_000_000]), ("papers_ta", [1_000, 2_000, 5_000])]


def last_similarity(query, k):
    """The similarity of the k-th pair, as text; None if there are fewer, or after the timeout."""
    run = lab.run_sql(f"SELECT count(*), min(similarity) FROM topk_join('{query}', {k})")
    if run is None:
        return None
    found, last = run.rows[-1]
    return last if int(found) == k else None


def measure_count(query, k, threshold):
    return lab.in_turn({
        "topk_join": lambda: lab.run_sql(f"SELECT count(*) FROM topk_join('{query}', {k})"),
        "ppjoin": lambda: lab.run_sql(f"SELECT count(*) FROM ppjoin('{query}', {threshold})"),
    }, lab.FEW_RUNS)


def row(name, k, threshold, results):
    topk, known = (lab.middle(results[script], "wall") for script in ("topk_join", "ppjoin"))
    pairs = int(results["ppjoin"][0].rows[-1][0]) if results["ppjoin"][0] else None
    return [f"{name} words", f"{k:,}", f"{float(threshold):.3f}", report.count(pairs), report.seconds(topk), report.seconds(known),
            report.ratio(topk, known)], topk / known if topk and known else None


def measure():
    title = "## The k most similar pairs\n"
    rows, ratios = [], []
    for name, counts in SETS:
        if not sets.present(name):
            continue
        query = f"SELECT id, tokens FROM {sets.token_sets(name, 'word_set')}"
        for k in counts:
            lab.say(f"{name}, k = {k:,}")
            threshold = last_similarity(query, k)
            if threshold is None:
                continue
            line, ratio = row(name, k, threshold, measure_count(query, k, threshold))
            rows.append(line)
            ratios += [ratio] if ratio else []
    if not rows:
        return title + "\nSkipped: the sets of `../shared/data` are absent, or have too few pairs."
    short = f"In short: `topk_join` takes {report.figure(lab.geometric_mean(ratios))} × the time of `ppjoin` with the threshold known " \
            f"(geometric mean of {len(ratios)} points, at most {report.figure(max(ratios))} ×)." if ratios else ""
    return "\n".join([
        title, short, "",
        "`SELECT count(*) FROM topk_join(…, k)` beside `SELECT count(*) FROM ppjoin(…, t)`, t being the similarity of the k-th pair, so "
        "that `ppjoin` finds these pairs, and others as similar as the last. Seconds of wall clock, reading included. `topk_join` reads "
        "once, and joins with thresholds that descend until there are k pairs.", "",
        report.table(["set", "k", "t", "pairs of ppjoin", "s topk_join", "s ppjoin", "ratio"], rows), ""])
