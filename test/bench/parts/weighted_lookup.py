"""Lookups by weighted measures: an index of the sets, beside knn_join of the value alone; and whether they find what a scan finds."""

import lab
import report
import sets
from parts.lookup import build, take_times

MEASURES = ["idf_cosine", "idf_jaccard"]
THRESHOLDS = [0.8, 0.5]
LOOKUPS = 200
NAMES = 1_000_000
# Lookups that are compared with sequential scans, of a sample of the rows.
COMPARED, SAMPLE = 2_000, 20_000

LOOKUP = "SELECT count(*) INTO n FROM {table} WHERE {measure}_ge(tokens, (v.own).tokens, (SELECT w FROM lookup_weights), {threshold});"
NEAREST = ("SELECT count(*) INTO n FROM knn_join(format('SELECT 1, %L::tokenset', (v.own).tokens), 1, {threshold}, '{measure}', "
           "against => 'SELECT id, tokens FROM {table}');")
CANDIDATES = """SELECT avg(n)::int FROM (SELECT (SELECT count(*) FROM {table} x WHERE x.tokens @~ heaviest_tokens_query('{measure}', v.tokens, {threshold}, (SELECT w FROM lookup_weights))) AS n
    FROM (SELECT tokens FROM {table} v ORDER BY md5(id::text) LIMIT 50) v) x"""

# Each value with one of the measures and thresholds in turn.
COMPARE = """
CREATE UNLOGGED TABLE compared AS SELECT id, tokens FROM {table} ORDER BY md5(id::text) LIMIT {sample};
CREATE INDEX ON compared USING neardup (tokens);
ANALYZE compared;
CREATE TEMP TABLE asked AS SELECT id, tokens, (ARRAY['idf_cosine', 'idf_jaccard'])[1 + id % 2] AS measure, (ARRAY[0.5, 0.8])[1 + id / 2 % 2]::float8 AS t
    FROM compared ORDER BY md5(id::text) LIMIT {lookups};
SET neardup.enable_similarity_join = off;
SET enable_seqscan = off;
CREATE TEMP TABLE by_index AS SELECT a.id, x.id AS found FROM asked a, LATERAL (
    SELECT c.id FROM compared c WHERE a.measure = 'idf_cosine' AND idf_cosine_ge(c.tokens, a.tokens, (SELECT w FROM lookup_weights), a.t)
    UNION ALL SELECT c.id FROM compared c WHERE a.measure = 'idf_jaccard' AND idf_jaccard_ge(c.tokens, a.tokens, (SELECT w FROM lookup_weights), a.t) OFFSET 0) x;
SET enable_seqscan = on; SET enable_indexscan = off; SET enable_bitmapscan = off;
CREATE TEMP TABLE by_scan AS SELECT a.id, x.id AS found FROM asked a, LATERAL (
    SELECT c.id FROM compared c WHERE a.measure = 'idf_cosine' AND idf_cosine_ge(c.tokens, a.tokens, (SELECT w FROM lookup_weights), a.t)
    UNION ALL SELECT c.id FROM compared c WHERE a.measure = 'idf_jaccard' AND idf_jaccard_ge(c.tokens, a.tokens, (SELECT w FROM lookup_weights), a.t) OFFSET 0) x;
SELECT (SELECT count(*) FROM asked), (SELECT count(*) FROM by_scan),
    (SELECT count(*) FROM (TABLE by_index EXCEPT ALL TABLE by_scan) x) + (SELECT count(*) FROM (TABLE by_scan EXCEPT ALL TABLE by_index) x);
DROP TABLE compared;
"""


def measure_set(title, table):
    lab.psql(f"CREATE UNLOGGED TABLE lookup_weights AS SELECT token_weights(tokens) AS w FROM {table};")
    build("looked_up", f"{table} USING neardup (tokens)")
    weights = int(lab.psql("SELECT pg_column_size(w) FROM lookup_weights;")[0][0])
    rows = []
    for measure_name in MEASURES:
        for threshold in THRESHOLDS:
            lab.say(f"{title}, {measure_name} {threshold}")
            names = {"table": table, "measure": measure_name, "threshold": threshold}
            p50, p95, found, *_ = take_times(table, table, LOOKUP.format(**names), LOOKUPS, "SET plan_cache_mode = force_generic_plan;")
            nearest, *_ = take_times(table, table, NEAREST.format(**names), 3)
            weighed = int(lab.psql("SET enable_seqscan = off; " + CANDIDATES.format(**names))[-1][0])
            rows.append([title, measure_name, str(threshold), report.figure(p50), report.figure(p95), report.figure(found / LOOKUPS),
                         report.count(weighed), report.figure(nearest)])
            lab.say(str(rows[-1]))
    lab.say(f"{title}, comparing")
    compared = lab.psql(COMPARE.format(table=table, sample=SAMPLE, lookups=COMPARED))[-1]
    lab.psql("DROP INDEX looked_up; DROP TABLE lookup_weights;")
    return rows, f"{title}: weights of {report.megabytes(weights)} MB; {compared[0]} lookups among {SAMPLE:,} rows find {compared[1]} rows, " \
                 f"{compared[2]} other than sequential scans."


def measure():
    title = "## Lookups by weights\n"
    if not sets.present("abs_sent") or not sets.present("papers_ta"):
        return title + "\nSkipped: the sets of `../shared/data` are absent."
    lab.psql(f"CREATE UNLOGGED TABLE names_grams AS SELECT id, word_qgram_set(body, 3) AS tokens FROM {sets.names(NAMES)}; VACUUM (FREEZE, ANALYZE) names_grams;")
    rows, notes = [], []
    for name, table in (("abs_sent", sets.token_sets("abs_sent", "word_set")), ("names", "names_grams")):
        found, note = measure_set(name, table)
        rows += found
        notes.append(note)
    lab.psql("DROP TABLE names_grams;")
    return "\n".join([
        title, f"`idf_cosine_ge(tokens, value, (SELECT w FROM weights), t)` and `idf_jaccard_ge` by an index `neardup (tokens)`, for {LOOKUPS} rows of the "
        f"table as the values, by one generic plan: the words of sentences, and the 3-grams of the words of a million names. Rows found and rows weighed are "
        "means for a value. Beside it, `knn_join` of the value alone with the table, which finds the nearest row. Milliseconds.", "",
        report.table(["set", "measure", "t", "p50", "p95", "found", "weighed", "knn_join"], rows), "", " ".join(notes), ""])
