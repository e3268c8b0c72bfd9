"""The index of texts by edit distance, edit_ops: lookups among names, beside a sequential scan with levenshtein_less_equal of
fuzzystrmatch, and beside pg_trgm's GiST index, whose nearest texts are filtered by the distance."""

import lab
import report
import sets
from parts.lookup import build, look_up

NAMES = 1_000_000
DISTANCES = [1, 2, 3]
LOOKUPS = 1_000
PEER_LOOKUPS = 20
# Lookups and rows of the comparison with all distances.
PROBES, COMPARED = 10_000, 100_000
# Of the nearest texts by trigrams, those that are asked for their distance: some that are within it may be missed.
NEAREST = 100

COUNT = "EXECUTE format($q$SELECT count(*) FROM {table} WHERE {clause}$q$, v.value) INTO n;"
BY_TRIGRAMS = ("EXECUTE format($q$SELECT count(*) FROM (SELECT body FROM {table} ORDER BY body <-> %1$L LIMIT {nearest}) x "
               "WHERE levenshtein_less_equal(body, %1$L, {k}) <= {k}$q$, v.value) INTO n;")

# The names with an edit, or as they are, and short texts.
PROBE = """
DROP TABLE IF EXISTS probes, compared, found, distances;
CREATE UNLOGGED TABLE probes AS
SELECT row_number() OVER () AS id, CASE id % 4 WHEN 0 THEN body WHEN 1 THEN overlay(body PLACING 'x' FROM 1 + id % length(body) FOR 1)
    WHEN 2 THEN left(body, id % length(body)) || substr(body, 2 + id % length(body))
    ELSE left(body, id % length(body)) || 'é' || substr(body, 1 + id % length(body)) END AS body
FROM {table} WHERE id % ({rows} / ({probes} * 9 / 10)) = 0 LIMIT {probes} * 9 / 10;
INSERT INTO probes SELECT {probes} + id, left(body, id % 7) FROM {table} WHERE id <= {probes} / 10;
CREATE UNLOGGED TABLE compared AS SELECT id, body FROM {table} WHERE id % ({rows} / {compared}) = 0;
INSERT INTO compared SELECT {rows} + id, left(body, id % 6) FROM {table} WHERE id <= 1000;
CREATE INDEX ON compared USING neardup (body edit_ops);
VACUUM ANALYZE probes, compared;
"""
COMPARE = """
SET neardup.enable_similarity_join = off; SET jit = off;
CREATE UNLOGGED TABLE found AS SELECT k, p.id, c.id AS other FROM generate_series(1, 3) k, probes p,
    LATERAL (SELECT id FROM compared c WHERE edit_within(c.body, p.body, k) OFFSET 0) c;
CREATE UNLOGGED TABLE distances AS SELECT p.id, c.id AS other, edit_distance(p.body, c.body, 3) AS distance FROM probes p, compared c
    WHERE abs(length(p.body) - length(c.body)) <= 3 AND edit_distance(p.body, c.body, 3) + 0 <= 3;
SELECT x.k, count(f.id), count(*) - count(f.id) + (SELECT count(*) FROM found f LEFT JOIN distances d USING (id, other) WHERE f.k = x.k AND (d.id IS NULL OR distance > x.k))
FROM generate_series(1, 3) AS x (k) JOIN distances d ON distance <= x.k LEFT JOIN found f ON f.k = x.k AND f.id = d.id AND f.other = d.other
GROUP BY x.k ORDER BY x.k;
"""


def measure_lookups(table):
    ways = [
        ("neardup, `edit_ops`", "neardup (body edit_ops)", COUNT.format(table=table, clause="edit_within(body, %L, {k})"), LOOKUPS, ""),
        ("sequential scan, `edit_within`", None, COUNT.format(table=table, clause="edit_within(body, %L, {k})"), PEER_LOOKUPS, ""),
        ("sequential scan, `levenshtein_less_equal`", None, COUNT.format(table=table, clause="levenshtein_less_equal(body, %L, {k}) <= {k}"), PEER_LOOKUPS, ""),
        (f"pg_trgm GiST, the nearest {NEAREST}", "gist (body gist_trgm_ops)", BY_TRIGRAMS.replace("{table}", table).replace("{nearest}", str(NEAREST)), PEER_LOOKUPS, ""),
    ]
    rows = []
    for title, index, statement, lookups, settings in ways:
        seconds, size = build("looked_up", f"{table} USING {index}") if index else (None, None)
        for k in DISTANCES:
            lab.say(f"names, {title}, k = {k}")
            p50, p95, found = look_up(table, "body", statement.replace("{k}", str(k)), lookups, settings)
            rows.append([k, title, report.count(lookups), report.figure(p50), report.figure(p95), report.figure(found / lookups),
                         report.figure(seconds) if index else report.NONE, report.megabytes(size) if index else report.NONE])
        if index:
            lab.psql("DROP INDEX looked_up;")
    return sorted(rows, key=lambda row: row[0])


def compare(table):
    """Rows found and differences by distance."""
    rows = int(lab.psql(f"SELECT count(*) FROM {table};")[0][0])
    lab.say(f"names, {PROBES:,} lookups beside all distances")
    lab.psql(PROBE.format(table=table, rows=rows, probes=PROBES, compared=min(COMPARED, rows)))
    result = [[int(field) for field in line] for line in lab.psql(COMPARE)]
    lab.psql("DROP TABLE probes, compared, found, distances;")
    return result


def measure():
    title = "## Texts within an edit distance, by an index\n"
    if not sets.present("papers_ta"):
        return title + "\nSkipped: the set is absent."
    if not lab.offers("fuzzystrmatch") or not lab.offers("pg_trgm"):
        return title + "\nSkipped: fuzzystrmatch or pg_trgm is not installed."
    lab.psql("CREATE EXTENSION IF NOT EXISTS fuzzystrmatch; CREATE EXTENSION IF NOT EXISTS pg_trgm;")
    table = sets.names(NAMES)
    lookups = measure_lookups(table)
    compared = compare(table)
    verdict = ", ".join(f"{report.count(found)} rows at k = {k}, {different or 'none'} different" for k, found, different in compared)
    return "\n".join([
        title, f"{NAMES:,} names: those of the authors of papers_ta, and first and last names of two of them. Lookups of a row's own name; "
        f"milliseconds, planning included. Of the nearest {NEAREST} by trigrams, those within the distance are counted: others are missed. "
        "Building in seconds, size in MB.", "",
        report.table(["k", "", "lookups", "p50", "p95", "rows a lookup", "build", "size"], lookups), "",
        f"{PROBES:,} lookups of names with an edit and of texts of up to six characters, among {COMPARED:,} names and 1,000 texts of up to five, beside all distances: {verdict}.", ""])
