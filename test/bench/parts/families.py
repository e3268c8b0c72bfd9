"""Families: rows of equal sets, and rows that differ in one word of 18, through all functions that could meet all pairs."""

import lab
import report

ROWS = [2_000, 8_000, 20_000, 100_000]
# Seconds after which a function gets no larger families.
LIMIT = 5
KINDS = {
    "equal": "'received block blk_' || i || ' of size ' || i",
    "one differs": "'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen w' || i",
}
TOKENS = "word_tokens(strip_ids(line))", "word_tokens(line)"
SETS = "'SELECT id, tokens FROM family'"
ROW_BY_ROW = """TRUNCATE tracked;
DO $$
DECLARE
    row record;
BEGIN
    FOR row IN TABLE family LOOP
        INSERT INTO tracked VALUES (row.id, row.line);
    END LOOP;
END $$"""


def statements(rows, tokens):
    """Name and script of what is measured; the table family has id, line and tokens, and tracked is empty."""
    duplicates = f"SELECT count(*) FROM near_duplicates('family', 'id', 'line', 0.8, '{tokens}', mode => '{{}}')"
    return {
        "star": duplicates.format("star"),
        "connected": duplicates.format("connected"),
        "complete": duplicates.format("complete"),
        "clusters of pairs": f"SELECT count(*) FROM cluster_pairs($$SELECT * FROM ppjoin({SETS}, 0.8)$$)",
        "knn, k = 1": f"SELECT count(*) FROM knn_join({SETS}, 1, 0.8)",
        "topk, k = 10": f"SELECT count(*) FROM topk_join({SETS}, 10)",
        "match": f"SELECT count(*) FROM match_join({SETS}, 0.8)",
        "tracked": "INSERT INTO tracked SELECT id, line FROM family",
        "row by row": ROW_BY_ROW,
        "index built": "CREATE INDEX ON family USING neardup (tokens)",
        "looked up": """SET enable_seqscan = off;
SELECT count(*) FROM family WHERE jaccard_ge(tokens, (SELECT tokens FROM family LIMIT 1), 0.8)""",
        "1,000 inserted": f"INSERT INTO family SELECT id + {rows}, line, tokens FROM family LIMIT 1000",
    }


def make_family(rows, line, tokens):
    lab.psql(f"""SET client_min_messages = error;
DROP TABLE IF EXISTS family;
DROP TABLE IF EXISTS tracked, tracked_neardup, tracked_neardup_log, tracked_neardup_state CASCADE;
CREATE TABLE tracked (id int PRIMARY KEY, line text);
CREATE EXTENSION IF NOT EXISTS neardup_track;
DO $$ BEGIN PERFORM neardup_track('tracked', 'id', '{tokens}', 0.8); END $$;
CREATE UNLOGGED TABLE family AS SELECT id, line, {tokens} AS tokens FROM (SELECT i AS id, {line} AS line FROM generate_series(1, {rows}) i) f;
VACUUM ANALYZE family;""")


def measure_kind(kind, tokens):
    """A line for each number of rows; a function that took too long gets no more."""
    lines, left_out = [], set()
    for rows in ROWS:
        lab.say(f"{kind}, {rows:,}")
        make_family(rows, KINDS[kind], tokens)
        line = [kind, f"{rows:,}"]
        for name, sql in statements(rows, tokens).items():
            if name in left_out:
                line.append(report.NONE)
                continue
            run = lab.run_sql(sql)
            if run is None or run.cpu > LIMIT:
                left_out.add(name)
            line.append(report.seconds(run.cpu if run else None))
        lines.append(line)
    return lines


def measure():
    lines = [line for kind, tokens in zip(KINDS, TOKENS) for line in measure_kind(kind, tokens)]
    return "\n".join([
        "## Families\n",
        "One family of similar rows: lines of a log that are equal without their numbers, or lines of 18 words that differ in the last one. "
        "Seconds of processor time of `near_duplicates` by mode, of joins, of rows written to a tracked table by one statement and by one each, "
        "and of the index `neardup`, one run each. "
        f"A function that took more than {LIMIT} s gets no larger families.", "",
        report.table(["rows", "number", *statements(0, "")], lines), ""])
