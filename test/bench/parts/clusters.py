"""From a table to the rows that may go: near_duplicates beside the join alone, and some of the clusters explained."""

import lab
import report
import sets

SETS = ["papers_ta", "debdesc"]
THRESHOLD = 0.8
TOKENS = "word_tokens(body)"
EXPLAINED = 5  # clusters of each set
WIDTH = 48  # characters of a cell

# What is to be measured, by the table of texts; the functions with keys of type text take the column key.
CALLS = {
    "near_duplicates": "SELECT count(*) FROM near_duplicates('{texts}', 'id', 'body', {threshold}, '{tokens}')",
    "ppjoin": "SELECT count(*) FROM ppjoin('SELECT id, {tokens} FROM {texts}', {threshold})",
    "near_duplicates_keyed":
        "SELECT count(*) FROM near_duplicates_keyed(NULL::text, '{texts}', 'key', 'body', {threshold}, '{tokens}')",
    "ppjoin_keyed": "SELECT count(*) FROM ppjoin_keyed(NULL::text, 'SELECT key, {tokens} FROM {texts}', {threshold})",
    "default tokens": "SELECT count(*) FROM near_duplicates('{texts}', 'id', 'body', {threshold})",
}

# Rows, exact copies, pairs, clusters, rows to remove; and pairs of rows that both stay, of which there must be none.
COUNTS = """
WITH duplicates AS MATERIALIZED (
    SELECT * FROM near_duplicates('{texts}', 'id', 'body', {threshold}, '{tokens}')
), pairs AS MATERIALIZED (
    SELECT a, b FROM ppjoin('SELECT id, {tokens} FROM {texts}', {threshold})
)
SELECT (SELECT count(*) FROM {texts}), count(*) FILTER (WHERE kind = 'exact'), (SELECT count(*) FROM pairs),
       count(DISTINCT cluster), count(*),
       (SELECT count(*) FROM pairs WHERE a NOT IN (SELECT id FROM duplicates) AND b NOT IN (SELECT id FROM duplicates))
FROM duplicates;
"""

# Of a sample of the clusters, by a hash of their names, the row to remove that is least like the one that stays.
EXPLAIN = """
WITH duplicates AS MATERIALIZED (
    SELECT * FROM near_duplicates_keyed(NULL::text, '{texts}', 'key', 'body', {threshold}, '{tokens}')
), least AS (
    SELECT DISTINCT ON (cluster) *, count(*) OVER (PARTITION BY cluster) AS removed
    FROM duplicates ORDER BY cluster, similarity, id
), sample AS (
    SELECT * FROM least WHERE kind = 'near' ORDER BY md5(cluster) LIMIT {explained}
)
SELECT s.duplicate_of, regexp_replace(kept.body, '\\s+', ' ', 'g'), s.removed, s.id, s.similarity, e.jaccard, e.only_kept, e.only_removed
FROM sample AS s
JOIN {texts} AS kept ON kept.key = s.duplicate_of
JOIN {texts} AS gone ON gone.key = s.id,
LATERAL (SELECT max(value) FILTER (WHERE part = 'measure' AND item = 'jaccard') AS jaccard,
                string_agg(item, ' ' ORDER BY a_from) FILTER (WHERE part = 'only a') AS only_kept,
                string_agg(item, ' ' ORDER BY b_from) FILTER (WHERE part = 'only b') AS only_removed
         FROM shared_tokens(kept.body, gone.body, '{tokens}')) AS e
ORDER BY s.removed DESC, s.duplicate_of;
"""


def values_of(name):
    return {"texts": sets.texts(name), "threshold": THRESHOLD, "tokens": TOKENS, "explained": EXPLAINED}


def measure_set(name):
    """Lines of the two tables, and near_duplicates ÷ ppjoin, without and with text keys."""
    values = values_of(name)
    *counts, both_stay = map(int, lab.psql(COUNTS.format(**values))[0])
    if both_stay:
        raise lab.Failed(f"{name}: near_duplicates keeps both rows of {both_stay} pairs")
    results = lab.in_turn({which: (lambda sql=sql: lab.run_sql(sql.format(**values))) for which, sql in CALLS.items()}, lab.RUNS)
    times = {which: lab.middle(runs, "wall") for which, runs in results.items()}
    if int(results["near_duplicates"][0].rows[-1][0]) != counts[-1]:
        raise lab.Failed(f"{name}: near_duplicates returns now these rows, now others")
    plain, keyed = times["near_duplicates"] / times["ppjoin"], times["near_duplicates_keyed"] / times["ppjoin_keyed"]
    return ([name, *map(report.count, counts)],
            [name, *(report.seconds(times[which]) for which in ("near_duplicates", "ppjoin")), f"{report.figure(plain)} ×",
             *(report.seconds(times[which]) for which in ("near_duplicates_keyed", "ppjoin_keyed")), f"{report.figure(keyed)} ×",
             report.seconds(times["default tokens"])], plain, keyed)


def cell(text):
    """Text for a cell: cut, on one line, and with nothing that Markdown would take for its own."""
    text = text if len(text) <= WIDTH else text[:WIDTH].rsplit(" ", 1)[0] + " …"
    return "".join(f"\\{character}" if character in "\\`*_<>[]|#" else character for character in text) or report.NONE


def explain_set(name):
    rows = []
    for kept, body, removed, gone, similarity, jaccard, only_kept, only_removed in lab.psql(EXPLAIN.format(**values_of(name))):
        if similarity != jaccard:
            raise lab.Failed(f"{name}: {gone} has the similarity {similarity} to {kept}, explained as {jaccard}")
        rows.append([name, f"{cell(kept)}: {cell(body)}", removed, cell(gone), report.share(float(jaccard)), cell(only_kept), cell(only_removed)])
    return rows


def measure():
    title = "## Clusters\n"
    names = [name for name in SETS if sets.present(name)]
    if not names:
        return title + "\nSkipped: the sets of `../shared/data` are absent."
    counts, times, explained, ratios = [], [], [], []
    for name in names:
        lab.say(f"{name}, near_duplicates")
        count_line, time_line, *pair = measure_set(name)
        counts.append(count_line)
        times.append(time_line)
        ratios += pair
        explained += explain_set(name)
    return "\n".join([
        title, f"In short: `near_duplicates` takes {report.figure(lab.geometric_mean(ratios))} × the time of the join alone (geometric mean of "
        f"{len(ratios)} points, at most {report.figure(max(ratios))} ×).", "",
        f"`near_duplicates('t', 'id', 'body', {THRESHOLD}, '{TOKENS}')`: exact copies, and rows that resemble one that stays; beside "
        f"`ppjoin('SELECT id, {TOKENS} FROM t', {THRESHOLD})`, whose pairs are counted here. No pair has two rows that both stay.", "",
        report.table(["set", "rows", "exact copies", "pairs", "clusters", "rows to remove"], counts), "",
        "Seconds of wall clock, the calls in turn, from text to counted rows. `_keyed`: the same with keys of type `text`. Default tokens: "
        "without the argument `tokens`, for which the average length of the texts is read first.", "",
        report.table(["set", "near_duplicates", "ppjoin", "ratio", "near_duplicates_keyed", "ppjoin_keyed", "ratio", "default tokens"],
                     times), "",
        f"**Clusters explained**: {EXPLAINED} of each set, chosen by a hash of the cluster's name (keys of type `text`). Of the rows to remove "
        f"the least similar one is shown, and what `shared_tokens` says of it: the Jaccard similarity, and the words that are in one "
        "of the two texts only, in their order.", "",
        report.table(["set", "kept", "removed rows", "the least similar", "jaccard", "only in the kept row", "only in the removed row"],
                     explained), ""])
