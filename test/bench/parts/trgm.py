"""The operators of pg_trgm by neardup_trgm, beside pg_trgm alone: joins, lookups, the nearest ten, and the memories of agents."""

import statistics

import lab
import report
import sets

SET = "debdesc"
# Characters of a description that count as its summary, and how many of these are joined.
SUMMARY = 50
SUMMARIES = 20_000
NAMES = 1_000_000
THRESHOLDS = [0.7, 0.5, 0.3]
LOOKUPS = 41
INDEXES = {"`neardup (t trgm_ops)`": "neardup (t trgm_ops)", "`gin (t gin_trgm_ops)`": "gin (t gin_trgm_ops)",
           "`gist (t gist_trgm_ops (siglen = 64))`": "gist (t gist_trgm_ops (siglen = 64))"}
MEMORY = "SET work_mem = '512MB'; SET jit = off;"

# Two first names and one or two surnames of syllables; every fourth is an earlier name with a letter exchanged.
MAKE_NAMES = f"""SELECT setseed(0.42);
CREATE UNLOGGED TABLE trgm_names AS
WITH first AS (SELECT array_agg(initcap(a || b || c) ORDER BY a, b, c) AS names
               FROM unnest('{{jo,ma,pe,an,ka,li,so,th,mi,el,ro,ste}}'::text[]) AS a, unnest('{{hn,ri,t,dr,n,s,ph,l,v}}'::text[]) AS b,
                    unnest('{{a,e,us,ie,an,o,el,ette}}'::text[]) AS c),
     last AS (SELECT array_agg(initcap(a || b || c) ORDER BY a, b, c) AS names
              FROM unnest('{{smi,schmi,mey,bak,brow,lar,joh,garc,mart,ander,wil,ked,ol,hans,fern}}'::text[]) AS a,
                   unnest('{{th,dt,er,n,s,l,rt,nd,sk}}'::text[]) AS b, unnest('{{son,sen,ez,ov,ini,berg,mann,s,i,wood}}'::text[]) AS c),
     made AS MATERIALIZED (
         SELECT i, random() AS chance, random() AS place, floor(random() * 26)::int AS letter,
                ceil(random() * 864)::int AS f, ceil(random() * 864)::int AS g, ceil(random() * 1350)::int AS l, random() < 0.5 AS double, ceil(random() * 1350)::int AS m
         FROM generate_series(1, {NAMES}) AS i),
     named AS MATERIALIZED (SELECT i, chance, place, letter,
                      format('%s %s %s', first.names[f], first.names[g], last.names[l]) || CASE WHEN double THEN '-' || last.names[m] ELSE '' END AS t
               FROM made, first, last),
     pairs AS (SELECT n.i, n.chance, n.place, n.letter, n.t, lag(n.t, 1 + n.i % 3) OVER (ORDER BY n.i) AS earlier FROM named AS n)
SELECT i AS id, CASE WHEN chance < 0.25 AND earlier IS NOT NULL
                     THEN overlay(earlier PLACING chr(97 + letter) FROM 1 + floor(place * length(earlier))::int FOR 1) ELSE t END AS t
FROM pairs;"""


# What agents remember, of OWNERS owners: 60 % are long sentences of one template, the others names.
MEMORIES = 120_000
OWNERS = 6
MEMORY_THRESHOLD = 0.15
MAKE_MEMORIES = f"""SELECT setseed(0.42);
CREATE UNLOGGED TABLE trgm_memories AS
WITH parts AS (SELECT array_agg(a || b || c ORDER BY a, b, c) AS w
               FROM unnest('{{jo,ma,pe,an,ka,li,so,th,mi,el,ro,ste}}'::text[]) AS a, unnest('{{hn,ri,t,dr,n,s,ph,l,v}}'::text[]) AS b,
                    unnest('{{a,e,us,ie,an,o,el,ette}}'::text[]) AS c),
     drawn AS MATERIALIZED (SELECT i, random() < 0.6 AS is_sentence, random() < 0.5 AS is_double, ceil(random() * 864)::int AS a, ceil(random() * 864)::int AS b,
                                   ceil(random() * 864)::int AS c, ceil(random() * 30)::int AS day FROM generate_series(1, {MEMORIES}) AS i)
SELECT i AS id, i % {OWNERS} AS owner,
       CASE WHEN is_sentence THEN format('The user %s asked the agent to remember that the project %s %s is due on day %s of the month', initcap(w[a]), initcap(w[b]), w[c], day)
            ELSE initcap(w[a]) || ' ' || initcap(w[b]) || CASE WHEN is_double THEN '-' || initcap(w[c]) ELSE '' END END AS name
FROM drawn, parts;"""
MEMORY_INDEXES = {"`neardup (owner, lower(name) trgm_ops)`": "neardup (owner, lower(name) trgm_ops)",
                  "`gin (lower(name) gin_trgm_ops)`": "gin (lower(name) gin_trgm_ops)"}
MEMORY_QUERY = "SELECT id FROM trgm_memories WHERE owner = {owner} AND lower(name) % lower({value}) ORDER BY {order} LIMIT 200"
MEMORY_ORDERS = ["similarity(lower(name), lower({value})) DESC", "lower(name) <-> lower({value})"]


def make_tables():
    source = sets.texts(SET)
    sets.drop("trgm_summaries", "trgm_descriptions", "trgm_names")
    lab.psql(f"""SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE EXTENSION IF NOT EXISTS neardup_trgm;
CREATE UNLOGGED TABLE trgm_summaries AS SELECT id, left(body, {SUMMARY}) AS t FROM {source} ORDER BY hashint8extended(id, 0) LIMIT {SUMMARIES};
CREATE UNLOGGED TABLE trgm_descriptions AS SELECT id, body AS t FROM {source};
{MAKE_NAMES}
CREATE INDEX ON trgm_summaries USING gin (t gin_trgm_ops);
VACUUM (FREEZE, ANALYZE) trgm_summaries; VACUUM (FREEZE, ANALYZE) trgm_descriptions; VACUUM (FREEZE, ANALYZE) trgm_names;""")
    return {"trgm_summaries": "summaries", "trgm_descriptions": "descriptions", "trgm_names": "names"}


def join(table, threshold, node):
    return lab.run_sql(f"SELECT count(*) FROM {table} AS a JOIN {table} AS b ON a.id < b.id AND a.t % b.t",
                       f"{lab.LOAD} {MEMORY} SET pg_trgm.similarity_threshold = {threshold}; SET neardup.enable_similarity_join = {node};")


def join_rows(tables):
    """pg_trgm alone joins the summaries only, by its GIN index."""
    for table, name in tables.items():
        rows = int(lab.psql(f"SELECT count(*) FROM {table};")[0][0])
        for threshold in THRESHOLDS:
            lab.say(f"{name}, {threshold}")
            contestants = {"ours": lambda: join(table, threshold, "on")}
            if table == "trgm_summaries":
                contestants["theirs"] = lambda: join(table, threshold, "off")
            results = lab.in_turn(contestants, lab.FEW_RUNS)
            ours, theirs = lab.middle(results["ours"], "wall"), lab.middle(results.get("theirs", [None]), "wall")
            limit = f"> {lab.timeout()}" if "theirs" in results else report.NONE
            yield [f"{rows:,} {name}", threshold, report.count(int(results["ours"][0].rows[-1][0])) if results["ours"][0] else report.NONE,
                   report.seconds(ours) if ours else f"> {lab.timeout()}", report.seconds(theirs) if theirs else limit]


def execution_time(query, settings):
    plan = lab.psql(f"{lab.LOAD} SET enable_seqscan = off; SET statement_timeout = '{lab.timeout()}s'; {settings} EXPLAIN (ANALYZE, TIMING off) {query};")
    return float(plan[-1][0].split()[2])


def median_of(table, values, query, settings=""):
    return statistics.median(execution_time(query.format(table=table, value="'" + value.replace("'", "''") + "'"), settings) for value in values)


def lookup_rows(table, name):
    values = [row[0] for row in lab.psql(f"SELECT t FROM {table} ORDER BY hashint8extended(id, 1) LIMIT {LOOKUPS};")]
    for title, definition in INDEXES.items():
        lab.say(f"{name}, {title}")
        sets.drop("trgm_lookup")
        lab.psql(f"CREATE UNLOGGED TABLE trgm_lookup AS TABLE {table};")
        built = lab.run_sql(f"CREATE INDEX trgm_lookup_t ON trgm_lookup USING {definition}", f"{lab.LOAD} SET maintenance_work_mem = '1GB';")
        lab.psql("VACUUM (FREEZE, ANALYZE) trgm_lookup;")
        size = int(lab.psql("SELECT pg_relation_size('trgm_lookup_t');")[0][0])
        times = [median_of("trgm_lookup", values, "SELECT id FROM {table} WHERE t % {value}", f"SET pg_trgm.similarity_threshold = {t};")
                 for t in THRESHOLDS]
        nearest = report.NONE if "gin_" in definition else report.figure(
            median_of("trgm_lookup", values, "SELECT id FROM {table} ORDER BY t <-> {value} LIMIT 10"))
        yield [name, title, report.seconds(built.wall) if built else report.NONE, report.megabytes(size), *map(report.figure, times), nearest]


def memory_rows():
    """Both orders are the same one; the mean is of names and sentences as the table has them."""
    sets.drop("trgm_memories")
    lab.psql(MAKE_MEMORIES)
    asked = lab.psql(f"SELECT owner, name FROM trgm_memories ORDER BY hashint8extended(id, 1) LIMIT {LOOKUPS};")
    for title, definition in MEMORY_INDEXES.items():
        lab.say(f"memories, {title}")
        lab.psql(f"DROP INDEX IF EXISTS trgm_memories_name; CREATE INDEX trgm_memories_name ON trgm_memories USING {definition}; VACUUM (FREEZE, ANALYZE) trgm_memories;")
        times = []
        for order in MEMORY_ORDERS:
            statements = [MEMORY_QUERY.replace("{order}", order).format(owner=owner, value="'" + name + "'") for owner, name in asked]
            times.append(statistics.mean(execution_time(statement, f"SET pg_trgm.similarity_threshold = {MEMORY_THRESHOLD};") for statement in statements))
        yield [title, *map(report.figure, times)]


def measure():
    title = "## The operators of pg_trgm\n"
    if not sets.present(SET):
        return title + "\nSkipped: the set is absent."
    if not lab.offers("pg_trgm"):
        return title + "\nSkipped: pg_trgm is not installed."
    tables = make_tables()
    joins = list(join_rows(tables))
    lookups = [row for table in ("trgm_summaries", "trgm_names") for row in lookup_rows(table, tables[table])]
    memories = list(memory_rows())
    sets.drop("trgm_lookup", "trgm_memories", *tables)
    return "\n".join([
        title, f"`a.t % b.t` of the first {SUMMARY} characters of package descriptions, of whole descriptions, and of names made of syllables. Seconds "
        "of wall clock, from the table's texts to the number of pairs; pg_trgm alone has a GIN index.", "",
        report.table(["", "threshold", "pairs", "s, neardup_trgm", "s, pg_trgm alone"], joins), "",
        f"Lookups of {LOOKUPS} texts of the table, milliseconds (median).", "",
        report.table(["", "index", "s to build", "MB", *[f"%, {t}" for t in THRESHOLDS], "nearest ten"], lookups), "",
        f"The 200 nearest of an owner above {MEMORY_THRESHOLD}, of {MEMORIES:,} memories of {OWNERS} owners, milliseconds a name (mean of {LOOKUPS}).", "",
        report.table(["index", "ORDER BY similarity DESC", "ORDER BY <->"], memories), ""])
