"""Looking up what resembles a set: by GIN on token sets, beside RUM on their arrays and pg_trgm's indexes on the texts."""

import lab
import report
import sets

SETS = ["debdesc", "papers_ta"]
THRESHOLD = 0.8
LOOKUPS = 500
PEER_LOOKUPS = 20  # of the same ones: they take a hundred times longer

CONSTANT = "EXECUTE format($q$SELECT count(*) FROM {table} WHERE {clause}$q$, v.value) INTO n;"

# A statement for each of a sample of rows, with the row's own value, and its milliseconds, warm.
TIMER = """
SET jit = off; SET max_parallel_workers_per_gather = 0; {settings}
CREATE TEMP TABLE taken (ms float8, found int8);
DO $do$
DECLARE v record; started timestamptz; n int8;
BEGIN
    FOR pass IN 1 .. 2 LOOP
        DELETE FROM taken;
        FOR v IN SELECT id, {value} AS own, {value}::text AS value FROM {table} WHERE length({value}::text) > 20 ORDER BY md5(id::text) LIMIT {lookups} LOOP
            started := clock_timestamp();
            {statement}
            INSERT INTO taken VALUES (1000 * extract(epoch FROM clock_timestamp() - started), n);
        END LOOP;
    END LOOP;
END $do$;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms), percentile_cont(0.95) WITHIN GROUP (ORDER BY ms), sum(found),
    count(*) FILTER (WHERE found > 0), percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE found > 0),
    percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) FILTER (WHERE found > 0) FROM taken;
"""


def build(index, definition):
    """Seconds and bytes of an index, which the caller drops; None where rows are too large for it, or after the timeout."""
    try:
        run = lab.run_sql(f"CREATE INDEX {index} ON {definition}")
    except lab.Failed:
        return None
    if run is None:
        return None
    return run.wall, int(lab.psql(f"SELECT pg_relation_size('{index}');")[0][0])


def take_times(table, value, statement, lookups, settings=""):
    """Milliseconds p50 and p95 and rows found; how many found any, and the same of these."""
    rows = lab.psql(TIMER.format(table=table, value=value, statement=statement, lookups=lookups,
                                 settings=settings + " SET enable_seqscan = off;"))
    return [float(figure or "nan") for figure in rows[-1]]


def look_up(table, value, statement, lookups, settings=""):
    p50, p95, found, *_ = take_times(table, value, statement, lookups, settings)
    return p50, p95, int(found)


def measure_set(name):
    texts, tokens = sets.texts(name), sets.token_sets(name, "word_set")
    ways = [
        ("neardup, GIN", tokens, "tokens", f"{tokens} USING gin (tokens)",
         f"jaccard_ge(tokens, %L::tokenset, {THRESHOLD})", LOOKUPS, ""),
        ("pg_trgm, GIN", texts, "body", f"{texts} USING gin (body gin_trgm_ops)", "body %% %L", PEER_LOOKUPS,
         f"SET pg_trgm.similarity_threshold = {THRESHOLD};"),
        ("pg_trgm, GiST", texts, "body", f"{texts} USING gist (body gist_trgm_ops (siglen = 64))", "body %% %L", PEER_LOOKUPS,
         f"SET pg_trgm.similarity_threshold = {THRESHOLD};"),
    ]
    if lab.offers("rum"):
        ways.append((
            "RUM, arrays", tokens, "tokens", f"{tokens} USING rum ((tokens::int8[]) rum_anyarray_ops)",
            "tokens::int8[] %% %L::tokenset::int8[]", PEER_LOOKUPS,
            f"SET rum.array_similarity_function = jaccard; SET rum.array_similarity_threshold = {THRESHOLD};"))
    results = []
    for title, table, value, definition, clause, lookups, settings in ways:
        lab.say(f"{name}, {title}")
        built = build("looked_up", definition)
        if built is None:
            results.append((title, 0, None, None, None, None, None))
            continue
        seconds, size = built
        p50, p95, found = look_up(table, value, CONSTANT.format(table=table, clause=clause), lookups, settings)
        lab.psql("DROP INDEX looked_up;")
        results.append((title, lookups, p50, p95, found, seconds, size))
    return results


def measure():
    title = "## Lookups\n"
    names = [name for name in SETS if sets.present(name)]
    if not names:
        return title + "\nSkipped: the sets of `../shared/data` are absent."
    lab.psql("CREATE EXTENSION IF NOT EXISTS pg_trgm;")
    if lab.offers("rum"):
        lab.psql("CREATE EXTENSION IF NOT EXISTS rum;")
    rows, short = [], []
    for name in names:
        results = measure_set(name)
        ours = results[0][2]
        best, peer = min((result[2], result[0].split(",")[0]) for result in results[1:] if result[2])
        short.append(f"{report.figure(ours)} ms at the median, {report.figure(best / ours)} × faster than {peer} ({name})")
        rows += [[name, way, report.count(lookups), report.figure(p50), report.figure(p95), report.count(found),
                  report.figure(seconds), report.megabytes(size)] for way, lookups, p50, p95, found, seconds, size in results]
    return "\n".join([
        title, f"In short: a lookup at Jaccard {THRESHOLD} takes {', '.join(short)}.", "",
        f"Rows that resemble a row's own value, planning included, warm cache: `jaccard_ge(tokens, value, {THRESHOLD})` by a GIN index "
        f"on the token set of the words; the same sets as arrays, `%` by a RUM index with Jaccard similarity; and `body % value` by pg_trgm's indexes on the texts, with `pg_trgm.similarity_threshold` {THRESHOLD}. "
        "pg_trgm's is another similarity, so another result; it is what PostgreSQL has for the purpose. Dashes: a text has too many trigrams for the index. Milliseconds; building in seconds; size in MB.", "",
        report.table(["set", "index", "lookups", "p50", "p95", "rows found", "build", "size"], rows)])
