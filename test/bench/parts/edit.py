"""Texts within an edit distance: edit_join beside nested loops over levenshtein_less_equal of fuzzystrmatch."""

import lab
import report
import sets

SET = "papers_ta"
DISTANCES = [1, 2, 3]
# Rows of the nested loops, whose time is extrapolated.
SAMPLE = 4_000
# What levenshtein_less_equal takes.
LONGEST = 255
PEERS = {"levenshtein": "nested loop, `levenshtein_less_equal`",
         "levenshtein_by_length": "nested loop over an index on the lengths"}


def make_sample(source):
    """The first rows by a hash of the key, of those that fuzzystrmatch takes."""
    sets.drop("sample")
    lab.psql(f"""CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;
CREATE UNLOGGED TABLE sample AS SELECT id, body, char_length(body) AS length FROM {source}
WHERE char_length(body) <= {LONGEST} ORDER BY hashint8extended(id, 0) LIMIT {SAMPLE};
CREATE INDEX ON sample (length);
VACUUM (FREEZE, ANALYZE) sample;""")


def run(script, table, distance):
    with open(f"{lab.HERE}/sql/{script}.sql", encoding="utf-8") as file:
        return lab.run_sql(file.read(), f"\\set distance {distance}\n\\set table {table}\n{lab.LOAD}")


def measure_distance(source, distance):
    """{script: runs}, of the sample; "all": edit_join of all texts."""
    contestants = {"all": lambda: run("edit_join", source, distance)}
    for script in ["edit_join", *PEERS]:
        contestants[script] = lambda s=script: run(s, "sample", distance)
    return lab.in_turn(contestants, lab.FEW_RUNS)


def pairs(runs):
    return int(runs[0].rows[-1][0]) if runs[0] else None


def extrapolated(results, script, scale):
    """Seconds for all rows, since nested loops grow with the square; None if not even the sample ended."""
    wall = lab.middle(results[script], "wall")
    return wall and wall * scale ** 2


def rows_of(distance, results, scale):
    ours = lab.middle(results["all"], "wall")
    yield [f"k = {distance}", "`edit_join`", report.count(pairs(results["edit_join"])), report.seconds(lab.middle(results["edit_join"], "wall")),
           report.count(pairs(results["all"])), report.seconds(ours), report.NONE]
    for script, title in PEERS.items():
        theirs = extrapolated(results, script, scale)
        yield ["", title, report.count(pairs(results[script])), report.seconds(lab.middle(results[script], "wall")), report.NONE,
               f"{theirs:,.0f} (extrapolated)" if theirs else report.NONE, report.ratio(theirs, ours)]


def in_short(results, rows, sample):
    """At k = 2."""
    ours = lab.middle(results["all"], "wall")
    factors = [f"{report.ratio(extrapolated(results, script, rows / sample), ours)} by a {title}" for script, title in PEERS.items()]
    return (f"In short: {rows:,} titles with authors join in {report.seconds(ours)} s at k = 2, and would take {', and '.join(factors)} "
            f"(extrapolated by the square from {sample:,} texts).")


def differences(all_results):
    """A sentence that names the distances where the sample's pairs differ, if any."""
    wrong = []
    for distance, results in all_results.items():
        found = {pairs(results[script]) for script in ["edit_join", *PEERS]} - {None}
        if len(found) > 1:
            wrong.append(f"k = {distance}")
    return f" The pairs of the sample DIFFER at {', '.join(wrong)}." if wrong else " All find the same number of pairs of the sample."


def measure():
    title = "## Texts within an edit distance\n"
    if not sets.present(SET):
        return title + "\nSkipped: the set is absent."
    if not lab.offers("fuzzystrmatch"):
        return title + "\nSkipped: fuzzystrmatch is not installed."
    source = sets.texts(SET)
    make_sample(source)
    rows, longer, sample = (int(field) for field in lab.psql(
        f"SELECT count(*), count(*) FILTER (WHERE char_length(body) > {LONGEST}), (SELECT count(*) FROM sample) FROM {source};")[0])
    scale = rows / sample
    all_results = {}
    for distance in DISTANCES:
        lab.say(f"{SET} texts, k = {distance}")
        all_results[distance] = measure_distance(source, distance)
    sets.drop("sample")
    table = [line for distance, results in all_results.items() for line in rows_of(distance, results, scale)]
    return "\n".join([
        title, in_short(all_results[2], rows, sample), "",
        f"{SET}: {rows:,} titles with authors. Seconds of wall clock, from the table's texts to the number of pairs. Nested loops "
        f"run on {sample:,} texts, chosen by a hash of the key among those of at most {LONGEST} characters, which is all that "
        f"fuzzystrmatch takes ({longer:,} texts are longer). Their time for all texts is **extrapolated**: × ({rows:,} ÷ "
        f"{sample:,})², {scale ** 2:,.0f}.{differences(all_results)} The scripts are in `test/bench/sql`.", "",
        report.table(["", "", f"pairs of {sample:,}", f"s, {sample:,} texts", "pairs of all", "s, all texts", "ratio"], table), ""])
