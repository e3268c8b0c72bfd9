"""Simhashes: lookups by SP-GiST, by GIN over block keys and by a sequential scan; the join beside nested loops; sketching."""

import lab
import report

ROWS, FULL_ROWS = 1_000_000, 10_000_000
LOOKUPS = 40
DISTANCES = [3, 6]
# Rows of the outer side of nested loops, whose time is extrapolated.
SAMPLE = 1_000
TOKENS = 20_000_000
DOCUMENTS = [50, 300, 3_000]

# Every tenth value is near another one: 2 to 5 bits of it are turned.
MAKE = """DROP TABLE IF EXISTS simhashes;
CREATE UNLOGGED TABLE simhashes AS SELECT i AS id, (CASE WHEN i % 10 = 0
    THEN hashint8extended(i / 10 * 7919 % ({rows} * 9 / 10) / 9 * 10 + 1, 0) # (1::bigint << (i / 10 % 64)::int)
         # (1::bigint << (i / 70 % 64)::int) # CASE WHEN i % 3 = 0 THEN 7::bigint << (i % 60)::int ELSE 0 END
    ELSE hashint8extended(i, 0) END)::simhash AS fp FROM generate_series(1, {rows}::bigint) i;
VACUUM (ANALYZE) simhashes;
CREATE TABLE IF NOT EXISTS latencies (ms float8);
CREATE OR REPLACE PROCEDURE look_up(template text, lookups int) LANGUAGE plpgsql AS $$
DECLARE q simhash; started timestamptz;
BEGIN
  FOR q IN SELECT fp FROM (SELECT fp FROM simhashes TABLESAMPLE system (0.1) REPEATABLE (7) LIMIT lookups) s LOOP
    started := clock_timestamp();
    EXECUTE format(template, quote_literal(q));
    INSERT INTO latencies VALUES (extract(epoch FROM clock_timestamp() - started) * 1000);
  END LOOP;
END $$;"""

WITHIN = "SELECT count(*) FROM simhashes WHERE simhash_within(fp, %s, {k})"
BY_BLOCKS = "SELECT count(*) FROM simhashes WHERE simhash_blocks_within(fp, %s, {k})"
NEAREST = "SELECT id FROM simhashes ORDER BY fp <~> %s LIMIT 10"
BIT_COUNT = "SELECT count(*) FROM simhashes WHERE bit_count((fp::bigint # %s::simhash::bigint)::bit(64)) <= {k}"
SERIAL = "SET max_parallel_workers_per_gather = 0; SET jit = off; SET maintenance_work_mem = '256MB';"


def median_latency(template, lookups, settings=""):
    """Milliseconds of one lookup."""
    return float(lab.psql(f"""{lab.LOAD} {SERIAL} {settings} TRUNCATE latencies; CALL look_up($q${template}$q$, {lookups});
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FROM latencies;""")[0][0])


def with_index(definition, measure):
    """(seconds to build, bytes, what the measurement returns) of an index that exists meanwhile."""
    build = lab.run_sql(f"CREATE INDEX candidate ON simhashes USING {definition}", f"{lab.LOAD} {SERIAL}")
    size = int(lab.psql("ANALYZE simhashes; SELECT pg_relation_size('candidate');")[0][0])
    result = measure()
    lab.psql("DROP INDEX candidate;")
    return build.wall, size, result


def lookup_rows():
    forced = "SET enable_seqscan = off;"
    build, size, times = with_index("spgist (fp)", lambda: [
        *(median_latency(WITHIN.format(k=k), LOOKUPS, forced) for k in DISTANCES), median_latency(NEAREST, 5, forced)])
    yield ["SP-GiST", report.seconds(build), report.megabytes(size), *map(report.figure, times)]
    for k in DISTANCES:
        build, size, time = with_index(f"gin (simhash_blocks(fp, {k}))", lambda k=k: median_latency(BY_BLOCKS.format(k=k), LOOKUPS, forced))
        yield [f"GIN, blocks for k = {k}", report.seconds(build), report.megabytes(size),
               *(report.figure(time) if k == other else report.NONE for other in DISTANCES), report.NONE]
    yield ["sequential scan", report.NONE, report.NONE, *(report.figure(median_latency(WITHIN.format(k=k), 5)) for k in DISTANCES),
           report.figure(median_latency(NEAREST, 5))]
    yield ["sequential scan, `bit_count`", report.NONE, report.NONE,
           *(report.figure(median_latency(BIT_COUNT.format(k=k), 5)) for k in DISTANCES), report.NONE]


def join_seconds(k, memory):
    runs = lab.in_turn({"join": lambda: lab.run_sql(f"SELECT count(*) FROM simhash_join('SELECT id, fp FROM simhashes', {k})",
                                                    f"{lab.LOAD} SET neardup.join_memory = '{memory}';")}, lab.FEW_RUNS)["join"]
    return lab.middle(runs, "wall"), runs[0] and int(runs[0].rows[-1][0])


def planned_seconds(k):
    """The same pairs by the predicate, as the planner joins them."""
    runs = lab.in_turn({"join": lambda: lab.run_sql(f"""SELECT count(*) FROM simhashes a JOIN simhashes b
ON a.id < b.id AND simhash_within(a.fp, b.fp, {k})""", f"{lab.LOAD} {SERIAL} SET work_mem = '512MB';")}, lab.FEW_RUNS)["join"]
    return lab.middle(runs, "wall")


def nested_seconds(predicate, rows):
    """A nested loop over an index, from a sample of outer rows, for all of them."""
    run = lab.run_sql(f"""SELECT count(*) FROM (SELECT * FROM simhashes TABLESAMPLE system (1) REPEATABLE (7) LIMIT {SAMPLE}) a
JOIN simhashes b ON {predicate} AND a.id < b.id""", f"{lab.LOAD} {SERIAL} SET enable_seqscan = off;")
    return run and run.wall * rows / SAMPLE


def join_rows(rows):
    for k in DISTANCES:
        ours, pairs = join_seconds(k, "1GB")
        small, _ = join_seconds(k, "8MB")
        _, _, spgist = with_index("spgist (fp)", lambda k=k: nested_seconds(f"simhash_within(b.fp, a.fp, {k})", rows))
        _, _, gin = with_index(f"gin (simhash_blocks(fp, {k}))", lambda k=k: nested_seconds(f"simhash_blocks_within(b.fp, a.fp, {k})", rows))
        best = min((time for time in (spgist, gin) if time), default=None)
        yield [f"k = {k}", report.count(pairs), report.seconds(ours), report.seconds(small), report.seconds(planned_seconds(k)), report.seconds(spgist), report.seconds(gin),
               report.ratio(best, ours)]


def sketch_rows():
    binary = f"{lab.SCRATCH}/sketch"
    root = f"{lab.HERE}/../.."
    include = lab.run_program([f"{lab.BINDIR}/pg_config", "--includedir-server"]).output.strip()
    lab.run_program(["gcc", "-O2", f"-I{include}", f"-I{root}/src", "-o", binary, f"{lab.HERE}/sketch.c", f"{root}/src/sketch/bit_sums.c"])
    for tokens in DOCUMENTS:
        runs = [[float(field) for field in lab.run_program([binary, str(tokens), str(TOKENS)]).output.split()] for _ in range(lab.FEW_RUNS)]
        plain, ours = (sorted(column)[len(column) // 2] for column in zip(*runs))
        yield [f"{tokens:,}", report.figure(TOKENS / 1e6 / ours), report.figure(TOKENS / 1e6 / plain), report.ratio(plain, ours)]


def measure():
    sizes = [ROWS, FULL_ROWS] if lab.FULL else [ROWS]
    parts = ["## Simhashes\n",
             "64-bit values, every tenth of them 2 to 5 bits away from another one. Lookups: median milliseconds of one, in one process, of values "
             "from the table; each index was alone and in memory. Nested loops are **extrapolated** from "
             f"{SAMPLE:,} outer rows.\n"]
    for rows in sizes:
        lab.say(f"{rows:,} simhashes")
        lab.psql(MAKE.format(rows=rows))
        parts += [f"{rows:,} values:\n",
                  report.table(["", "build, s", "MB", *(f"ms, k = {k}" for k in DISTANCES), "ms, nearest 10"], list(lookup_rows())), "",
                  report.table(["join", "pairs", "s, join_memory 1GB", "s, join_memory 8MB", "s, planned join", "s, nested loop SP-GiST", "s, nested loop GIN", "ratio"],
                               list(join_rows(rows))), ""]
    lab.psql("DROP TABLE simhashes, latencies; DROP PROCEDURE look_up;")
    parts += ["Sketching on one core, by the tokens of a document: million tokens a second, beside a loop over the 64 bits of each hash.\n",
              report.table(["tokens", "simhash", "plain loop", "ratio"], list(sketch_rows())), ""]
    return "\n".join(parts)
