"""The index `neardup`: lookups wherever the value comes from, the nearest rows, building, inserts and growth."""

import lab
import report
import sets
from parts.lookup import CONSTANT, PEER_LOOKUPS, build, look_up, take_times

SET = "abs_sent"
LARGE = "zd10m"  # with BENCH=full
LOOKUPS = 500
THRESHOLDS = [0.8, 0.6, 0.5]
INSERTS = 100_000

# All but the constant have one plan for all lookups.
FORMS = [
    ("constant", CONSTANT.replace("{clause}", "jaccard_ge(tokens, %L::tokenset, {threshold})")),
    ("parameter", "SELECT count(*) INTO n FROM {table} WHERE jaccard_ge(tokens, v.own, {threshold});"),
    ("parameter of `%`", "SELECT count(*) INTO n FROM {table} WHERE tokens % v.own;"),
    ("sub-select", "SELECT count(*) INTO n FROM {table} WHERE jaccard_ge(tokens, (SELECT a.tokens FROM {table} a WHERE a.id = v.id), {threshold});"),
    ("`LATERAL`", "SELECT count(*) INTO n FROM {table} a, LATERAL (SELECT FROM {table} b WHERE jaccard_ge(b.tokens, a.tokens, {threshold})) c "
                  "WHERE a.id = v.id;"),
]
# An operator that is written by hand names no column, so that GIN looks up all tokens: what it did before it read statistics.
BY_HAND = ("parameter, all tokens", "SELECT count(*) INTO n FROM {table} WHERE tokens @~ tokenset_query('jaccard', v.own, {threshold});")
PARAMETER = FORMS[1][1]
NEAREST = [
    ("`<%>`, parameter", "SELECT (max(d) <= 0.5)::int INTO n FROM (SELECT tokens <%> v.own AS d FROM {table} ORDER BY tokens <%> v.own LIMIT 10) x;"),
    ("`<%>`, `LATERAL`", "SELECT (max(d) <= 0.5)::int INTO n FROM {table} a, LATERAL (SELECT b.tokens <%> a.tokens AS d FROM {table} b "
                         "ORDER BY b.tokens <%> a.tokens LIMIT 10) x WHERE a.id = v.id;"),
    ("`<=>`, parameter", "SELECT (max(d) <= 0.5)::int INTO n FROM (SELECT tokens <=> v.own AS d FROM {table} ORDER BY tokens <=> v.own LIMIT 10) x;"),
]
GENERIC = "SET plan_cache_mode = force_generic_plan; SET neardup.similarity_threshold = {threshold};"

INSERT = """
CREATE UNLOGGED TABLE inserted (id int, tokens tokenset);
{index}
CREATE TEMP TABLE taken (ms float8);
DO $do$
DECLARE v record; started timestamptz;
BEGIN
    FOR v IN SELECT id, tokens FROM {table} ORDER BY id LIMIT {inserts} LOOP
        started := clock_timestamp();
        INSERT INTO inserted VALUES (v.id, v.tokens);
        INSERT INTO taken VALUES (1000 * extract(epoch FROM clock_timestamp() - started));
    END LOOP;
END $do$;
SELECT sum(ms) / 1000, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms), percentile_cont(0.99) WITHIN GROUP (ORDER BY ms), max(ms) FROM taken;
DROP TABLE inserted;
"""


def prototype():
    """p50 and p95 in milliseconds by threshold, and of the nearest ten."""
    times = {}
    for threshold in THRESHOLDS:
        program = lab.run_program([lab.tool("bench/lookup_floor.c"), sets.integer_file(SET, "word"), str(threshold), str(LOOKUPS)])
        for line in program.output.splitlines():
            fields = dict(field.split("=") for field in line.split() if "=" in field)
            times["nearest" if line.startswith("nearest") else threshold] = [float(fields[p].removesuffix("us")) / 1000 for p in ("p50", "p95")]
    return times


def figures(times):
    return [report.figure(time) for time in times]


def measure_forms(table, index, forms, found):
    rows = []
    for form, statement in forms:
        lab.say(f"{SET}, {index}, {form}")
        row = [index, form]
        for threshold in THRESHOLDS:
            p50, p95, pairs = look_up(table, "tokens", statement.format(table=table, threshold=threshold), LOOKUPS,
                                      GENERIC.format(threshold=threshold))
            assert found.setdefault(threshold, pairs) == pairs, f"{form} finds other rows"
            row += figures([p50, p95])
        rows.append(row)
    return rows


def measure_trigrams():
    """pg_trgm's similarity of the texts, at the first threshold; few lookups."""
    texts = sets.texts(SET)
    lab.say(f"{SET}, pg_trgm")
    built = build("looked_up", f"{texts} USING gin (body gin_trgm_ops)")
    p50, p95, _ = look_up(texts, "body", CONSTANT.format(table=texts, clause="body %% %L"), PEER_LOOKUPS,
                          f"SET pg_trgm.similarity_threshold = {THRESHOLDS[0]};")
    lab.psql("DROP INDEX looked_up;")
    return ["pg_trgm, GIN", "constant, of the texts"] + figures([p50, p95]) + [report.NONE] * 4, built


def measure_nearest(table):
    rows = []
    for form, statement in NEAREST:
        lab.say(f"{SET}, nearest ten, {form}")
        p50, p95, _, near, near_p50, near_p95 = take_times(table, "tokens", statement.format(table=table), LOOKUPS,
                                                           "SET plan_cache_mode = force_generic_plan;")
        rows.append([form, report.count(LOOKUPS), *figures([p50, p95]), report.count(near), *figures([near_p50, near_p95])])
    return rows


def measure_inserts(table):
    rows = []
    for name, index in [("none", ""), ("neardup", "CREATE INDEX ON inserted USING neardup (tokens);"),
                        ("GIN", "CREATE INDEX ON inserted USING gin (tokens);"),
                        ("GIN, `fastupdate = off`", "CREATE INDEX ON inserted USING gin (tokens) WITH (fastupdate = off);")]:
        lab.say(f"{INSERTS:,} inserts, {name}")
        rows.append([name, *figures(map(float, lab.psql(INSERT.format(index=index, table=table, inserts=INSERTS))[-1]))])
    return rows


def measure_growth(title, table):
    """One row: an index of its own, lookups by a parameter, the nearest ten."""
    lab.say(f"growth, {title}")
    seconds, size = build("grown", f"{table} USING neardup (tokens)")
    rows = int(lab.psql(f"SELECT count(*) FROM {table};")[0][0])
    row = [title, report.count(rows), report.figure(seconds), report.megabytes(size)]
    for threshold in THRESHOLDS:
        row += figures(look_up(table, "tokens", PARAMETER.format(table=table, threshold=threshold), LOOKUPS,
                               GENERIC.format(threshold=threshold))[:2])
    row += figures(take_times(table, "tokens", NEAREST[0][1].format(table=table), LOOKUPS // 5,
                              "SET plan_cache_mode = force_generic_plan;")[:2])
    lab.psql("DROP INDEX grown;")
    return row


def growth_tables(table):
    lab.psql(f"CREATE UNLOGGED TABLE tenth AS SELECT * FROM {table} WHERE id % 10 = 0; VACUUM (FREEZE, ANALYZE) tenth;")
    yield f"{SET}, each tenth", "tenth"
    yield SET, table
    if lab.FULL and sets.present(LARGE):
        yield LARGE, sets.token_sets(LARGE, "word_set")


def columns(*names):
    return [f"{what}, {name}" for name in names for what in ("p50", "p95")]


def measure():
    title = "## The index neardup\n"
    if not sets.present(SET):
        return title + "\nSkipped: the sets of `../shared/data` are absent."
    lab.psql("CREATE EXTENSION IF NOT EXISTS pg_trgm;")
    table = sets.token_sets(SET, "word_tokens")
    lab.psql(f"CREATE UNIQUE INDEX of_row ON {table} (id);")
    found, forms, built = {}, [], []
    for index, method, more in [("neardup", "neardup", []), ("GIN", "gin", [BY_HAND])]:
        built.append([index, *build("looked_up", f"{table} USING {method} (tokens)")])
        forms += measure_forms(table, index, FORMS + more, found)
        if method == "neardup":
            nearest = measure_nearest(table)
        lab.psql("DROP INDEX looked_up;")
    trigrams, trigram_build = measure_trigrams()
    built.append(["pg_trgm, GIN", *trigram_build])
    floor = prototype()
    forms += [trigrams, ["prototype in memory", ""] + [time for threshold in THRESHOLDS for time in figures(floor[threshold])]]
    nearest.append(["prototype in memory, Jaccard", report.count(LOOKUPS), *figures(floor["nearest"])] + [report.NONE] * 3)
    inserts = measure_inserts(table)
    growth = [measure_growth(*which) for which in growth_tables(table)]
    lab.psql("DROP INDEX of_row; DROP TABLE tenth;")
    rows = report.count(int(lab.psql(f"SELECT count(*) FROM {table};")[0][0]))
    return "\n".join([
        title, f"In short: of {rows} sentences, a lookup by a parameter takes {' / '.join(forms[1][2::2])} ms (median) at Jaccard "
        f"{' / '.join(map(str, THRESHOLDS))}, the nearest ten {nearest[0][2]} ms; building takes {report.figure(built[0][1])} s.", "",
        f"{LOOKUPS} lookups of rows of the table ({SET}, {rows} sentences, `word_tokens`), warm, milliseconds. Constants are planned each time, all "
        "others have one generic plan. pg_trgm has another similarity, so another result. The prototype is an inverted index in memory "
        "(`../shared/bench/lookup_floor.c`), without a server.", "",
        report.table(["index", "value"] + columns(*THRESHOLDS), forms), "",
        "The nearest ten rows, milliseconds; and of those lookups alone whose tenth row has a similarity of at least 0.5.", "",
        report.table(["order", "lookups", "p50", "p95", "tenth ≥ 0.5", "p50", "p95"], nearest), "",
        "Building an index, seconds; size in MB.", "",
        report.table(["index", "build", "size"], [[name, report.figure(seconds), report.megabytes(size)] for name, seconds, size in built]), "",
        f"{report.count(INSERTS)} single-row inserts of the same sets into an empty unlogged table, seconds in all, and milliseconds of an insert.", "",
        report.table(["index", "all", "p50", "p99", "greatest"], inserts), "",
        f"Growth: {LOOKUPS} lookups by a parameter, and {LOOKUPS // 5} of the nearest ten, milliseconds; building in seconds, size in MB.", "",
        report.table(["set", "rows", "build", "size"] + columns(*THRESHOLDS, "nearest"), growth), ""])
