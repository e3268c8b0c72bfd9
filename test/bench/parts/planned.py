"""Joins that the planner runs: the join node beside ppjoin, and equalities that partition beside ones that filter."""

import lab
import report
import sets

SETS = ["debdesc", "papers_ta"]
THRESHOLDS = [0.9, 0.8, 0.6]
# Groups: 26 letters and what else names of packages begin with.
GROUPED = ("debdesc", [0.8, 0.6, 0.4])
MEMORY = "SET work_mem = '256MB'; SET jit = off;"


def self_join(table, threshold, clause="a.id < b.id"):
    return f"SELECT count(*) FROM {table} a JOIN {table} b ON {clause} AND jaccard_ge(a.tokens, b.tokens, {threshold})"


def uses_node(sql):
    plan = lab.psql(f"{MEMORY} EXPLAIN {sql};")
    return any("Similarity Join" in line[0] for line in plan)


def measure_call(name, threshold):
    table = sets.token_sets(name, "word_set")
    planned = self_join(table, threshold)
    function = f"SELECT count(*) FROM ppjoin('SELECT id, tokens FROM {table}', {threshold})"
    if not uses_node(planned):
        raise lab.Failed(f"the planner does not take the join node for {name}, {threshold}")
    return lab.in_turn({
        "planned": lambda: lab.run_sql(planned, f"{lab.LOAD} {MEMORY}"),
        "ppjoin": lambda: lab.run_sql(function, f"{lab.LOAD} {MEMORY}"),
    }, lab.RUNS)


def call_row(name, threshold, results):
    planned, function = (lab.middle(results[which], "wall") for which in ("planned", "ppjoin"))
    pairs = [results[which][0].rows[-1][0] if results[which][0] else None for which in ("planned", "ppjoin")]
    if pairs[0] != pairs[1]:
        raise lab.Failed(f"{name}, {threshold}: the planned join has {pairs[0]} rows, ppjoin {pairs[1]}")
    return ([f"{name} words", threshold, report.count(int(pairs[0])), report.milliseconds(planned), report.milliseconds(function),
             report.ratio(planned, function)], planned / function)


def grouped_table(name):
    table = sets.token_sets(name, "word_set")
    lab.psql(f"CREATE UNLOGGED TABLE IF NOT EXISTS {table}_grouped AS SELECT id, tokens, lower(left(key, 1)) AS letter "
             f"FROM {table} JOIN {sets.texts(name)} USING (id); VACUUM (FREEZE, ANALYZE) {table}_grouped;")
    return f"{table}_grouped"


def group_rows(name, thresholds):
    table = grouped_table(name)
    rows, ratios = [], []
    for threshold in thresholds:
        # IS TRUE makes it no equality to the planner, so it filters.
        joins = {"partition": self_join(table, threshold, "a.id < b.id AND a.letter = b.letter"),
                 "filter": self_join(table, threshold, "a.id < b.id AND (a.letter = b.letter) IS TRUE"),
                 "none": self_join(table, threshold)}
        results = lab.in_turn({which: (lambda sql=sql: lab.run_sql(sql, f"{lab.LOAD} {MEMORY}")) for which, sql in joins.items()},
                              lab.RUNS)
        times = {which: lab.middle(runs, "wall") for which, runs in results.items()}
        rows.append([f"{name} words", threshold, report.count(int(results["partition"][0].rows[-1][0])),
                     *(report.milliseconds(times[which]) for which in joins), report.ratio(times["filter"], times["partition"])])
        ratios.append(times["filter"] / times["partition"])
    return rows, ratios


def measure():
    title = "## Joins that the planner runs\n"
    names = [name for name in SETS if sets.present(name)]
    if not names:
        return title + "\nSkipped: the sets of `../shared/data` are absent."
    rows, ratios = [], []
    for name in names:
        for threshold in THRESHOLDS:
            lab.say(f"{name}, {threshold}")
            row, ratio = call_row(name, threshold, measure_call(name, threshold))
            rows.append(row)
            ratios.append(ratio)
    lines = [
        title, f"In short: a planned join takes {report.figure(lab.geometric_mean(ratios))} × the time of `ppjoin` (geometric mean of "
        f"{len(ratios)} points, at most {report.figure(max(ratios))} ×).", "",
        "`SELECT count(*) FROM t a JOIN t b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, t)`, which the planner runs by the node "
        "Similarity Join, beside `SELECT count(*) FROM ppjoin('SELECT id, tokens FROM t', t)`. Both in memory, without workers; milliseconds "
        "of wall clock.", "",
        report.table(["set", "t", "pairs", "ms planned", "ms ppjoin", "ratio"], rows), ""]
    if sets.present(GROUPED[0]):
        lab.say("groups")
        rows, ratios = group_rows(*GROUPED)
        lines += [
            "**Equalities**: the same join with `a.letter = b.letter`, the first letter of the package's name, which partitions it; with "
            "the same condition in a form that the planner does not know as an equality, so that it filters; and without it.", "",
            report.table(["set", "t", "pairs", "ms partition", "ms filter", "ms without", "filter ÷ partition"], rows), ""]
    return "\n".join(lines)
