"""Nearest rows and one to one: knn_join and match_join beside ppjoin, with a window function over its pairs."""

import lab
import report
import sets

THRESHOLDS = [0.5, 0.3]
NEIGHBORS = [1, 5]
# A third of the sentences, each without a third of its words: what a second table has of the first.
CHANGED = """SELECT id, (SELECT array_agg(token) FROM unnest(tokens::int8[]) AS token
                   WHERE abs(hashint8extended(token, id)) % 3 > 0)::tokenset AS tokens
FROM {} WHERE id % 3 = 0"""


def query(table, condition=""):
    return f"'SELECT id, tokens FROM {table}{condition}'"


def joins():
    """Name, the first query, the second or NULL."""
    if sets.present("abs_sent"):
        sentences = sets.token_sets("abs_sent", "word_set")
        lab.psql(f"DROP TABLE IF EXISTS changed; CREATE UNLOGGED TABLE changed AS {CHANGED.format(sentences)}; VACUUM ANALYZE changed;")
        yield "abs_sent with itself", query(sentences), "NULL"
        yield "abs_sent changed, with abs_sent", query("changed"), query(sentences)
    if sets.present("papers_ta") and sets.present("dblp_acm"):
        papers, catalogues = (sets.token_sets(name, "word_set") for name in ("papers_ta", "dblp_acm"))
        yield "papers_ta with dblp_acm", query(papers), query(catalogues)
    if sets.present("debdesc"):
        yield "debdesc with itself", query(sets.token_sets("debdesc", "word_set")), "NULL"


def by_window(query, against, k, threshold):
    """The nearest rows by ppjoin, in both directions of a self-join."""
    pairs = f"ppjoin({query}, {threshold}, against => {against})"
    if against == "NULL":
        pairs = f"""(WITH found AS MATERIALIZED (SELECT * FROM {pairs})
                     SELECT a, b, similarity FROM found UNION ALL SELECT b, a, similarity FROM found) AS pairs"""
    return f"""SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY a ORDER BY similarity DESC, b) AS rank
                                     FROM {pairs}) AS ranked WHERE rank <= {k}"""


def measure_join(query, against, threshold):
    contestants = {"ppjoin": f"SELECT count(*) FROM ppjoin({query}, {threshold}, against => {against})",
                   "match": f"SELECT count(*) FROM match_join({query}, {threshold}, against => {against})"}
    for k in NEIGHBORS:
        contestants[f"knn {k}"] = f"SELECT count(*) FROM knn_join({query}, {k}, {threshold}, against => {against})"
        contestants[f"window {k}"] = by_window(query, against, k, threshold)
    return lab.in_turn({name: (lambda sql=sql: lab.run_sql(sql)) for name, sql in contestants.items()}, lab.FEW_RUNS)


def found(results, name):
    runs = results[name]
    return report.count(int(runs[0].rows[-1][0]) if runs[0] else None)


def measure():
    title = "## Nearest rows, and one to one\n"
    rows, ratios = [], []
    for name, first, against in joins():
        for threshold in THRESHOLDS:
            lab.say(f"{name}, {threshold}")
            results = measure_join(first, against, threshold)
            time = {contestant: lab.middle(results[contestant], "wall") for contestant in results}
            line = [name, threshold, found(results, "ppjoin"), report.seconds(time["ppjoin"])]
            for k in NEIGHBORS:
                line += [report.seconds(time[f"knn {k}"]), report.seconds(time[f"window {k}"])]
            rows.append(line + [found(results, "match"), report.seconds(time["match"]), report.ratio(time["match"], time["ppjoin"])])
            if time["match"] and time["ppjoin"]:
                ratios.append(time["match"] / time["ppjoin"])
    if not rows:
        return title + "\nSkipped: the sets of `../shared/data` are absent."
    short = f"In short: `match_join` takes {report.figure(lab.geometric_mean(ratios))} × the time of `ppjoin` with the same least " \
            f"similarity (geometric mean of {len(ratios)} points, at most {report.figure(max(ratios))} ×)." if ratios else ""
    header = ["sets, words", "least", "pairs", "s ppjoin"]
    for k in NEIGHBORS:
        header += [f"s knn, k = {k}", "s window"]
    return "\n".join([
        title, short, "",
        "`SELECT count(*)` of `knn_join` and `match_join` beside that of `ppjoin`, and of `row_number() … <= k` over its pairs "
        "(*window*; of a self-join over both directions). *Changed* is a third of the sentences, each without a third of its words. "
        "Seconds of wall clock, reading included.", "",
        report.table(header + ["matches", "s match", "÷ ppjoin"], rows), ""])
