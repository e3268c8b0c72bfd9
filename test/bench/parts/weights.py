"""Weighted joins: beside unweighted ones of as many pairs, and beside the same join in SQL."""

import lab
import report
import sets

SETS = ["debdesc", "papers_ta", "abs_sent"]
MEASURES = {"idf_jaccard": "jaccard", "idf_cosine": "cosine"}
THRESHOLDS = [0.8, 0.6]
IN_SQL = ("debdesc", 20_000)


def call(query, threshold, measure_name):
    return lab.run_sql(f"SELECT count(*) FROM ppjoin('{query}', {threshold}, '{measure_name}')")


def threshold_of(query, pairs, measure_name):
    """The similarity of the last of so many pairs, as text; None after the timeout."""
    run = lab.run_sql(f"SELECT min(similarity) FROM topk_join('{query}', {pairs}, '{measure_name}')")
    return run and run.rows[-1][0]


def compare(name, query, measure_name, threshold):
    """A row, and the ratio; None if one did not end."""
    unweighted = MEASURES[measure_name]
    run = call(query, threshold, measure_name)
    pairs = run and int(run.rows[-1][0])
    same = pairs and threshold_of(query, pairs, unweighted)
    if not same:
        return None
    results = lab.in_turn({m: lambda m=m, t=t: call(query, t, m) for m, t in ((measure_name, threshold), (unweighted, same))},
                          lab.RUNS)
    ours, other = (lab.middle(results[m], "cpu") for m in (measure_name, unweighted))
    if not ours or not other:
        return None
    return [f"{name} words", measure_name, str(threshold), report.count(pairs), f"{unweighted} {float(same):.3f}",
            report.count(int(results[unweighted][0].rows[-1][0])), report.seconds(ours), report.seconds(other),
            report.ratio(ours, other)], ours / other


def in_sql():
    """Lines on the join of a sample in SQL."""
    name, size = IN_SQL
    if not sets.present(name):
        return []
    size = min(size, sets.ROWS or size)
    sets.drop("t")
    lab.psql(f"CREATE UNLOGGED TABLE t AS SELECT id, body, word_set(body) AS token_set, word_set(body)::int8[] AS tokens "
             f"FROM {sets.texts(name)} ORDER BY hashint8extended(id, 0) LIMIT {size};")
    lab.psql("VACUUM (FREEZE, ANALYZE) t;")
    with open(f"{lab.HERE}/sql/weighted_prefix_join.sql", encoding="utf-8") as file:
        script = file.read()
    rows = []
    for threshold in THRESHOLDS:
        results = lab.in_turn({
            "ppjoin": lambda t=threshold: call("SELECT id, token_set FROM t", t, "idf_jaccard"),
            "sql": lambda t=threshold: lab.run_sql(script, f"\\set threshold {t}")}, lab.FEW_RUNS)
        ours, other = (lab.middle(results[k], "cpu") for k in ("ppjoin", "sql"))
        counts = [report.count(results[k][0] and int(results[k][0].rows[-1][0])) for k in ("ppjoin", "sql")]
        rows.append([str(threshold), *counts, report.seconds(ours), report.seconds(other), report.ratio(other, ours)])
    sets.drop("t")
    return [f"**{size:,} rows of {name}, idf_jaccard**: `ppjoin`, and a prefix-filter join over an inverted table in SQL alone.", "",
            report.table(["t", "pairs", "pairs in SQL", "s ppjoin", "s SQL", "ratio"], rows), ""]


def measure():
    title = "## Weighted measures\n"
    rows, ratios = [], []
    for name in SETS:
        if not sets.present(name):
            continue
        query = f"SELECT id, tokens FROM {sets.token_sets(name, 'word_set')}"
        for measure_name in MEASURES:
            for threshold in THRESHOLDS:
                lab.say(f"{name}, {measure_name} {threshold}")
                compared = compare(name, query, measure_name, threshold)
                if compared:
                    rows.append(compared[0])
                    ratios.append(compared[1])
    if not rows:
        return title + "\nSkipped: the sets of `../shared/data` are absent."
    short = f"In short: a weighted join takes {report.figure(lab.geometric_mean(ratios))} × the time of the unweighted one of as many " \
            f"pairs (geometric mean of {len(ratios)} points, at most {report.figure(max(ratios))} ×)."
    return "\n".join([
        title, short, "",
        "`SELECT count(*) FROM ppjoin(…)` by a weighted measure, and by its unweighted one at the threshold that gives as many pairs or, "
        "with ties, a few more. CPU seconds of the whole call, reading included.", "",
        report.table(["set", "measure", "t", "pairs", "unweighted", "pairs", "s weighted", "s unweighted", "ratio"], rows), "",
        *in_sql()])
