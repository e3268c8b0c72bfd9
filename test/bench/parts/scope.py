"""An index with a scope column: lookups, the nearest ten and inserts through a constraint within an owner, beside an index of the
sets alone and a filter, and a B-tree of the owners and a filter."""

import os
import subprocess

import lab
import report
import sets
from parts.lookup import build, take_times

SET = "zd1m"
LARGE = "zd10m"  # with BENCH=full
OWNERS = [1, 100, 10_000, 1_000_000]
LOOKUPS = 300
SLOW_LOOKUPS = 5  # of those that read most of the index for each
WRITERS = [1, 8]
INSERTS = 20_000  # for each number of writers
FILL = 100_000  # rows of the table that they go into

SCOPE, FILTER, BTREE = "(owner, tokens)", "(tokens), filter", "B-tree (owner), filter"
INDEXES = [(SCOPE, "neardup (owner, tokens)"), (FILTER, "neardup (tokens)"), (BTREE, "btree (owner)")]
LOOKUP = ("SELECT count(*) INTO n FROM scoped WHERE owner = (v.own).owner AND jaccard_ge(tokens, (v.own).tokens, 0.8);")
NEAREST = ("SELECT count(*) INTO n FROM (SELECT FROM scoped WHERE owner = (v.own).owner ORDER BY tokens <%> (v.own).tokens LIMIT 10) x;")

MAKE = """
DROP TABLE IF EXISTS scoped;
CREATE UNLOGGED TABLE scoped (id int, owner int, tokens tokenset);
INSERT INTO scoped SELECT id, (hashint8extended(id, 1) & 2147483647) % {owners}, tokens FROM {table};
VACUUM (FREEZE, ANALYZE) scoped;
"""
GUARD = """
DROP TABLE IF EXISTS guarded;
DROP SEQUENCE IF EXISTS arrived;
CREATE TABLE guarded (owner int, tokens tokenset, EXCLUDE USING neardup ({columns}jaccard_ball(tokens, 0.85) WITH &&));
INSERT INTO guarded SELECT owner, tokens FROM scoped WHERE id <= {fill} ON CONFLICT DO NOTHING;
CREATE SEQUENCE arrived START {first};
"""
ARRIVE = """SELECT nextval('arrived') AS n \\gset
INSERT INTO guarded SELECT owner, tokens FROM scoped WHERE id = :n ON CONFLICT DO NOTHING;
"""


def percentile(times, share):
    return sorted(times)[int(share * (len(times) - 1))]


def measure_inserts(writers):
    """Milliseconds p50 and p95 of a transaction that inserts a row, and rows a second."""
    script, log = f"{lab.SCRATCH}/arrive.sql", f"{lab.SCRATCH}/arrive_log"
    with open(script, "w", encoding="utf-8") as file:
        file.write(ARRIVE)
    done = subprocess.run([f"{lab.BINDIR}/pgbench", "-n", "-f", script, "-c", str(writers), "-j", "1", "-t", str(INSERTS // writers), "-l",
                           f"--log-prefix={log}", "bench"], capture_output=True, text=True, check=True)
    times = []
    for name in [name for name in os.listdir(lab.SCRATCH) if name.startswith("arrive_log")]:
        with open(f"{lab.SCRATCH}/{name}", encoding="utf-8") as lines:
            times += [int(line.split()[2]) / 1000 for line in lines]
        os.remove(f"{lab.SCRATCH}/{name}")
    rate = next(float(line.split()[2]) for line in done.stdout.splitlines() if line.startswith("tps"))
    return [report.figure(percentile(times, 0.5)), report.figure(percentile(times, 0.95)), report.count(rate)]


def measure_constraint(owners, columns, rows):
    fill = min(rows // 10, FILL)
    lab.say(f"constraint {columns or '(no scope)'}: filling with {fill:,} rows")
    lab.psql(GUARD.format(columns=columns, fill=fill, first=fill + 1))
    lab.psql("CREATE UNIQUE INDEX IF NOT EXISTS scoped_id ON scoped (id);")
    row = [report.count(owners) if columns else "no scope"]
    for writers in WRITERS:
        row += measure_inserts(writers)
    return row


def take_lookups(statement, lookups):
    """Milliseconds p50 and p95; two None where all together exceed the timeout."""
    settings = f"SET plan_cache_mode = force_generic_plan; SET statement_timeout = '{lab.timeout()}s';"
    try:
        p50, p95, *_ = take_times("scoped", "scoped", statement, lookups, settings)
    except lab.Failed as failure:
        if "statement timeout" not in str(failure):
            raise
        return [None, None]
    return [p50, p95]


def measure_lookups(owners):
    rows = []
    for title, definition in INDEXES:
        if title == BTREE and owners == 1:
            continue
        lab.say(f"{owners:,} owners, {title}")
        built = build("looked_up", f"scoped USING {definition}")
        if built is None:
            rows.append([report.count(owners), title, report.seconds(None)] + [report.figure(None)] * 5)
            continue
        row = [report.count(owners), title, report.figure(built[0]), report.megabytes(built[1])]
        for statement in [LOOKUP, NEAREST]:
            lookups = SLOW_LOOKUPS if title == FILTER and statement == NEAREST and owners > 1 else LOOKUPS
            row += [report.figure(ms) for ms in take_lookups(statement, lookups)]
        lab.psql("DROP INDEX looked_up;")
        rows.append(row)
    return rows


def measure():
    title = "## Within a scope\n"
    name = LARGE if lab.FULL else SET
    if not sets.present(name):
        return title + "\nSkipped: the generator of `../shared/data` is absent."
    table = sets.token_sets(name, "word_set")
    count = int(lab.psql(f"SELECT count(*) FROM {table};")[0][0])
    lookups, inserts = [], []
    for owners in OWNERS:
        lab.psql(MAKE.format(owners=owners, table=table))
        lookups += measure_lookups(owners)
        if owners == OWNERS[0]:
            inserts.append(measure_constraint(owners, "", count))
        inserts.append(measure_constraint(owners, "owner WITH =, ", count))
    lab.psql("DROP TABLE scoped, guarded; DROP SEQUENCE arrived;")
    header = ["p50", "p95"]
    return "\n".join([
        title, f"{report.count(count)} sets ({name}), each of one of so many owners. {LOOKUPS} lookups at Jaccard 0.8 and of the nearest ten rows, "
        f"within the owner of a row of the table, by one generic plan; milliseconds. Of the nearest by a filter, {SLOW_LOOKUPS}. Building in "
        "seconds, size in MB.", "",
        report.table(["owners", "index", "build", "size"] + [f"{what}, {column}" for what in ("lookup", "nearest") for column in header], lookups), "",
        "Inserts of single rows with a constraint, `EXCLUDE USING neardup (owner WITH =, jaccard_ball(tokens, 0.85) WITH &&)`, into a table of "
        f"{report.count(min(count // 10, FILL))} rows, by one and by eight sessions: milliseconds of a transaction, and rows a second.", "",
        report.table(["owners"] + [f"{writers}: {column}" for writers in WRITERS for column in header + ["rows/s"]], inserts), ""])
