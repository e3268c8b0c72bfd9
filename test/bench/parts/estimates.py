"""Estimates of the planner: rows that it expects of a lookup by a constant, beside those that are found."""

import os
import subprocess

import lab
import report
import sets

SETS = ["abs_sent", "debdesc", "papers_ta"]
LOGS = f"{lab.SHARED}/data/logs"
THRESHOLDS = [0.5, 0.7, 0.9]
VALUES = 200
FACTOR = 3

# Values are drawn from the column itself. A row that is not found counts as one, as the planner's least estimate does.
MEASURE = """
SET jit = off; SET enable_seqscan = off;
CREATE TEMP TABLE estimates (estimated float8, matches float8, ms float8);
DO $do$
DECLARE v record; plan json; started timestamptz; took float8; n int8;
BEGIN
    FOR v IN SELECT tokens::text AS value FROM {table} ORDER BY md5(id::text) LIMIT {values} LOOP
        started := clock_timestamp();
        EXECUTE format('EXPLAIN (FORMAT json) SELECT FROM {table} WHERE jaccard_ge(tokens, %L, {threshold})', v.value) INTO plan;
        took := 1000 * extract(epoch FROM clock_timestamp() - started);
        EXECUTE format('SELECT count(*) FROM {table} WHERE jaccard_ge(tokens, %L, {threshold})', v.value) INTO n;
        INSERT INTO estimates VALUES ((plan -> 0 -> 'Plan' ->> 'Plan Rows')::float8, greatest(n, 1), took);
    END LOOP;
END $do$;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY matches), percentile_disc(0.9) WITHIN GROUP (ORDER BY matches), max(matches),
    avg((estimated <= {factor} * matches AND matches <= {factor} * estimated)::int), count(*) FILTER (WHERE estimated > {factor} * matches),
    count(*) FILTER (WHERE matches > {factor} * estimated), percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FROM estimates;
"""
SIZE = """SELECT pg_column_size(s.*) FROM pg_statistic s JOIN pg_attribute ON attrelid = starelid AND attnum = staattnum
WHERE starelid = '{table}'::regclass AND attname = 'tokens';"""


def load_logs():
    """The words of the messages of all systems, in one table."""
    lab.psql("DROP TABLE IF EXISTS log_messages, logs_word_set; CREATE UNLOGGED TABLE log_messages (line int, message text, template text);")
    for name in sorted(os.listdir(LOGS)):
        text = subprocess.run(["xz", "-dc", f"{LOGS}/{name}"], capture_output=True, text=True, check=True).stdout
        rows = text.replace("\\", "\\\\")
        lab.psql(f"COPY log_messages FROM STDIN;\n{rows}\\.\n")
    lab.psql("CREATE UNLOGGED TABLE logs_word_set AS SELECT row_number() OVER ()::int AS id, word_set(message) AS tokens FROM log_messages;"
             "ANALYZE logs_word_set;")
    return "logs_word_set"


def measure_table(name, table):
    lab.psql(f"DROP INDEX IF EXISTS estimated; CREATE INDEX estimated ON {table} USING neardup (tokens);")
    analyzed = lab.run_sql(f"ANALYZE {table} (tokens)")
    size = int(lab.psql(SIZE.format(table=table))[0][0])
    rows = []
    for threshold in THRESHOLDS:
        lab.say(f"{name}, {threshold}")
        half, most, greatest, close, above, below, ms = (float(figure) for figure in lab.psql(
            MEASURE.format(table=table, values=VALUES, threshold=threshold, factor=FACTOR))[-1])
        rows.append([name, threshold, report.count(half), report.count(most), report.count(greatest), report.share(close), report.count(above),
                     report.count(below), report.figure(ms), report.count(size / 1000), report.seconds(analyzed.cpu)])
    lab.psql("DROP INDEX estimated;")
    return rows


def measure():
    title = "## Estimates of the planner\n"
    tables = {name: sets.token_sets(name, "word_set") for name in SETS if sets.present(name)}
    if os.path.isdir(LOGS):
        tables["logs"] = load_logs()
    if not tables:
        return title + "\nSkipped: the sets of `../shared/data` are absent."
    rows = [row for name, table in tables.items() for row in measure_table(name, table)]
    return "\n".join([
        title, f"In short: the estimate for a constant is within a factor of {FACTOR} of the rows that are found for "
        f"{min(float(row[5]) for row in rows):.0%} of the values or more.", "",
        f"`WHERE jaccard_ge(tokens, constant, t)` for {VALUES} sets of words of each table, beside what is found: the rows at the median, of nine in ten, "
        f"and at most; which part of the estimates is within a factor of {FACTOR}, and how many are above or below that; milliseconds of `EXPLAIN` at the "
        "median, the value's text included; kB of the column's statistics, and CPU seconds of `ANALYZE`.", "",
        report.table(["set", "t", "p50", "p90", "most", "close", "above", "below", "ms", "kB", "s"], rows), ""])
