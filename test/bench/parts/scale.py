"""Figures 1, 3(k) and 3(l) of the paper: square roots of candidates and time on 20 % to 100 % of the rows."""

import lab
import report
import sets

ALGORITHMS = ["allpairs", "ppjoin", "ppjoin+", "auto"]
SHARES = [20, 40, 60, 80, 100]
THRESHOLD = 0.90
SETS = [("papers_ta", "jaccard", "like DBLP"), ("papers_abs", "cosine", "like ENRON"), ("debdesc", "jaccard", "")]


def sample(table, percent):
    """The same rows each time, and those of 20 % among those of 40 %."""
    return f"SELECT id, tokens FROM {table} WHERE hashint8extended(id, 0) & 1023 < {1024 * percent // 100}"


def measure_set(table, measure_name):
    results = {}
    for percent in SHARES:
        contestants = {a: lambda a=a: lab.run_stats(sample(table, percent), THRESHOLD, measure_name, a) for a in ALGORITHMS}
        for algorithm, runs in lab.in_turn(contestants, lab.FEW_RUNS).items():
            results[percent, algorithm] = runs
    return results


def root(number):
    return number and number ** 0.5


def panel(title, results, key, y, with_pairs):
    series = {a: [(p / 100, root(lab.middle(results[p, a], key))) for p in SHARES] for a in ALGORITHMS}
    if with_pairs:
        series["pairs"] = [(p / 100, root(lab.middle(results[p, "ppjoin"], "pairs"))) for p in SHARES]
    return {"title": title, "x": "share of the rows", "y": y, "series": series}


def in_short(title, results):
    """How much more the most rows take than the least ones."""
    def factor(algorithm, key):
        return report.ratio(*(lab.middle(results[percent, algorithm], key) for percent in (SHARES[-1], SHARES[0])))

    grown = ", ".join(f"{factor(a, 'candidates')} the candidates and {factor(a, 'join_seconds')} the time of {a}" for a in ALGORITHMS)
    return f"In short: on {title}, {factor('ppjoin', 'records')} the rows make {grown}."


def measure():
    text = ["## Growth with the number of rows (Figures 1, 3k, 3l)", ""]
    drawn, tables = [], []
    for name, measure_name, like in SETS:
        if not sets.present(name):
            continue
        lab.say(f"{name}, {measure_name}")
        results = measure_set(sets.token_sets(name, "word_set"), measure_name)
        title = f"{name} words, {measure_name} {THRESHOLD}"
        if not drawn:
            text += [in_short(title, results), ""]
        drawn += [panel(title, results, "candidates", "square root of candidates", True),
                  panel(title, results, "join_seconds", "square root of seconds", False)]
        header = ["rows", "pairs", *(f"candidates {a}" for a in ALGORITHMS), *(f"s {a}" for a in ALGORITHMS)]
        tables += [f"**{title}**" + (f" ({like})" if like else ""), "", report.table(header, [
            [report.count(lab.middle(results[p, "ppjoin"], "records")), report.count(lab.middle(results[p, "ppjoin"], "pairs")),
             *(report.count(lab.middle(results[p, a], "candidates")) for a in ALGORITHMS),
             *(report.seconds(lab.middle(results[p, a], "join_seconds")) for a in ALGORITHMS)] for p in SHARES]), ""]
    if not drawn:
        return "\n".join(text + ["Skipped: the sets of `../shared/data` are absent."])
    text += ["The paper draws square roots, since candidates and time grow with the square of the rows: a straight line is quadratic "
             "growth. "
             f"Threshold {THRESHOLD}, as in the paper; random samples of the rows, chosen by a hash of the key.", "",
             report.plot("scale", drawn), *tables]
    return "\n".join(text)
