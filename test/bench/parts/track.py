"""What tracked clusters cost writers: inserts one by one, of several sessions, and a bulk load, with tracking beside without."""

import subprocess
import time

import lab
import report
import sets

THRESHOLD = 0.8
STEP = 64  # each so many-th row is inserted by itself
HALF = 2  # and each so many-th loaded in bulk
WRITERS = {1: 1, 2: 3, 4: 5}  # sessions that insert at the same time: which of each 16 rows they insert

# Each insert is a transaction, timed within the server.
SETUP = """
CREATE TABLE bench_plain (id int PRIMARY KEY, body text);
CREATE TABLE bench_tracked (id int PRIMARY KEY, body text);
INSERT INTO bench_plain SELECT id, body FROM {texts} WHERE id % {half} = 0 AND id % {step} <> 0;
INSERT INTO bench_tracked SELECT * FROM bench_plain;
CREATE EXTENSION IF NOT EXISTS neardup_track;
DO $$ BEGIN PERFORM neardup_track('bench_tracked', 'id', 'word_tokens(body)', {threshold}); END $$;
VACUUM ANALYZE bench_plain, bench_tracked, bench_tracked_neardup;
CREATE TABLE IF NOT EXISTS bench_times (target text, ms float8);
TRUNCATE bench_times;
CREATE OR REPLACE PROCEDURE bench_inserts(target text) LANGUAGE plpgsql AS $$
DECLARE
    row record;
    started timestamptz;
BEGIN
    FOR row IN SELECT id, body FROM {texts} WHERE id % {step} = 0 LOOP
        started := clock_timestamp();
        EXECUTE format('INSERT INTO %I VALUES ($1, $2)', target) USING row.id, row.body;
        COMMIT;
        INSERT INTO bench_times VALUES (target, extract(epoch FROM clock_timestamp() - started) * 1000);
    END LOOP;
END $$;
CALL bench_inserts('bench_plain');
CALL bench_inserts('bench_tracked');
SELECT target, count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY ms), percentile_cont(0.95) WITHIN GROUP (ORDER BY ms)
FROM bench_times GROUP BY target ORDER BY target;
"""

WRITER = """
CREATE OR REPLACE PROCEDURE bench_writer(target text, remainder int, writer int, writers int) LANGUAGE plpgsql AS $$
DECLARE
    row record;
BEGIN
    FOR row IN SELECT id, body FROM {texts} WHERE id % 16 = remainder AND id / 16 % writers = writer ORDER BY hashint4(id) LOOP
        EXECUTE format('INSERT INTO %I VALUES ($1, $2)', target) USING row.id, row.body;
        COMMIT;
    END LOOP;
END $$;
"""

AFTER_WRITERS = """
DELETE FROM bench_plain WHERE id % {half} <> 0;
DELETE FROM bench_tracked WHERE id % {half} <> 0;
VACUUM ANALYZE bench_plain, bench_tracked, bench_tracked_neardup;
"""

BULK = "INSERT INTO {target} SELECT id, body FROM {texts} WHERE id % {half} <> 0"


def rows_per_second(target, writers):
    """Of so many sessions that insert at the same time."""
    started = time.monotonic()
    sessions = [subprocess.Popen([f"{lab.BINDIR}/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", "bench", "-c",
                                  f"CALL bench_writer('{target}', {WRITERS[writers]}, {writer}, {writers})"])
                for writer in range(writers)]
    if any([session.wait() for session in sessions]):
        raise lab.Failed(f"a writer of {target} failed")
    rows = int(lab.psql(f"SELECT count(*) FROM {target} WHERE id % 16 = {WRITERS[writers]}")[0][0])
    return rows / (time.monotonic() - started)


def measure_writers(name, values):
    """A line of rows per second, plain and tracked."""
    lab.psql(WRITER.format(**values))
    speeds = [rows_per_second(target, writers) for target in ("bench_plain", "bench_tracked") for writers in WRITERS]
    lab.psql(AFTER_WRITERS.format(**values))
    return [name, *(report.count(round(speed)) for speed in speeds)]


def measure_set(name):
    texts = sets.texts(name)
    values = {"texts": texts, "half": HALF, "step": STEP, "threshold": THRESHOLD}
    plain, tracked = [[float(figure) for figure in row[1:]] for row in lab.psql(SETUP.format(**values))]
    writers = measure_writers(name, values)
    loads = [lab.run_sql(BULK.format(target=target, **values)) for target in ("bench_plain", "bench_tracked")]
    differences = lab.psql("SELECT count(*) FROM neardup_refresh('bench_tracked'); SELECT neardup_untrack('bench_tracked');"
                           "DROP TABLE bench_plain, bench_tracked;")[0][0]
    lab.say(f"{name}: neardup_refresh found {differences} differences")
    walls = [load.wall if load else None for load in loads]
    return [name, report.count(int(plain[0])), report.figure(plain[1]), report.figure(plain[2]), report.figure(tracked[1]),
            report.figure(tracked[2]), report.seconds(walls[0]), report.seconds(walls[1])], writers, tracked[1], tracked[2]


def measure():
    title = "## Tracked clusters\n"
    rows, writers, fastest = [], [], []
    for name in ("debdesc", "papers_ta"):
        if sets.present(name):
            lab.say(f"{name}, tracked")
            line, together, middle, slow = measure_set(name)
            rows.append(line)
            writers.append(together)
            fastest.append((middle, slow))
    if not rows:
        return title + "\nSkipped: the sets of `../shared/data` are absent."
    short = "In short: an insert into a tracked table takes " + \
            ", ".join(f"{report.figure(middle)} ms (p95 {report.figure(slow)} ms)" for middle, slow in fastest) + "."
    return "\n".join([
        title, short, "",
        f"Half of the rows are there; each {STEP}th is inserted in a transaction of its own, without and with `neardup_track('…', 'id', "
        f"'word_tokens(body)', {THRESHOLD})`: milliseconds within the server, which does not wait for the disk (`fsync` and `synchronous_commit` are off). Then the other half in one `INSERT … SELECT`: "
        "seconds.", "",
        report.table(["set", "single inserts", "p50 ms", "p95 ms", "tracked p50 ms", "p95 ms", "s bulk", "tracked s bulk"], rows),
        "", "Sessions that insert a sixteenth of the rows at the same time, in random order, each row in a transaction of its own: rows per second.", "",
        report.table(["set", "1 session", "2", "4", "tracked, 1 session", "2", "4"], writers), ""])
