# The server, a session or a worker is killed in the midst of joins, index work and tracking. Then the server comes up
# again by itself or when it is started, indexes agree with their tables, clusters with a fresh join, and neither
# temporary files nor shared memory is left. NEARDUP_KILLS=200 kills the whole server so often.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";

use Faults;
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

use constant KILLS => $ENV{NEARDUP_KILLS} // 4;

# A process that is killed while it writes a page may have written half of it.
my $node = new_node('crash', conf => fault_conf() . "restart_after_crash = on\nautovacuum = on\nautovacuum_naptime = 1\nfull_page_writes = on\n");
load_rows($node, 1500);
my $WORKERS = force_workers($node) . '; SET max_parallel_workers_per_gather = 2';
my $SPILL = "SET neardup.join_memory = '512kB'";

# Each writer has keys of its own, so that none waits for another's rows.
$node->safe_psql('postgres', <<'SQL');
CREATE PROCEDURE write_index(seed int) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM setseed(seed / 1000.0);
    FOR n IN 1 .. 100000 LOOP
        INSERT INTO docs (id, tokens) SELECT 1000000 * seed + 1000 * n + d.id % 1000, d.tokens | tokenset(ARRAY[n])
        FROM docs d WHERE d.id <= 1000 AND d.id % 20 = floor(20 * random()) ON CONFLICT DO NOTHING;
        DELETE FROM docs WHERE id BETWEEN 1000000 * seed AND 1000000 * seed + 1000 * (n - 20);
        IF random() < 0.2 THEN ROLLBACK; ELSE COMMIT; END IF;
    END LOOP;
END $$;
CREATE PROCEDURE write_tracked(seed int) LANGUAGE plpgsql AS $$
DECLARE k int;
BEGIN
    PERFORM setseed(seed / 1000.0);
    FOR n IN 1 .. 100000 LOOP
        k := 2 * floor(700 * random());
        CASE floor(6 * random())
        WHEN 0 THEN INSERT INTO tracked SELECT id, body FROM docs WHERE id = k ON CONFLICT DO NOTHING;
        WHEN 1 THEN UPDATE tracked SET body = (SELECT body FROM docs WHERE id = k + 1) WHERE id = k;
        WHEN 2 THEN DELETE FROM tracked WHERE id = k;
        WHEN 3 THEN INSERT INTO tracked SELECT id, body FROM docs WHERE id BETWEEN k AND k + 300 AND id % 2 = 0 ON CONFLICT DO NOTHING;
        WHEN 4 THEN DELETE FROM tracked WHERE id BETWEEN k AND k + 300 AND id % 2 = 0;
        ELSE UPDATE tracked SET body = body || ' more' WHERE id BETWEEN k AND k + 60;
        END CASE;
        IF random() < 0.2 THEN ROLLBACK; ELSE COMMIT; END IF;
    END LOOP;
END $$;
CREATE TABLE made_new (id int PRIMARY KEY, tokens tokenset);
INSERT INTO made_new SELECT id, tokens FROM docs;
-- Rows whose cluster is not that of a fresh join.
CREATE FUNCTION misplaced() RETURNS bigint LANGUAGE sql AS $$
    WITH kept AS (SELECT key, min(key) OVER (PARTITION BY cluster) AS first FROM tracked_neardup),
    fresh AS (SELECT id AS key, coalesce(c.cluster, id) AS first FROM tracked LEFT JOIN
        cluster_pairs('SELECT a, b FROM ppjoin(''SELECT id, word_tokens(body) FROM tracked'', 0.6)') c USING (id))
    SELECT count(*) FROM kept FULL JOIN fresh USING (key) WHERE kept.first IS DISTINCT FROM fresh.first $$;
-- Lookups that an index answers otherwise than a sequential scan.
CREATE FUNCTION misfound() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE query text := 'SELECT array_agg(a.id || '' '' || b.id ORDER BY a.id, b.id) FROM docs a,
    LATERAL (SELECT id FROM docs b WHERE jaccard_ge(b.tokens, a.tokens, 0.5) OFFSET 0) b WHERE a.id % 97 = 1';
    by_index text[]; by_scan text[];
BEGIN
    SET LOCAL enable_seqscan = off;
    EXECUTE query INTO by_index;
    SET LOCAL enable_seqscan = on; SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off;
    EXECUTE query INTO by_scan;
    RETURN cardinality(ARRAY(SELECT unnest(by_index) EXCEPT SELECT unnest(by_scan))) + cardinality(ARRAY(SELECT unnest(by_scan) EXCEPT SELECT unnest(by_index)));
END $$;
SQL
my $pairs = $node->safe_psql('postgres', "SELECT count(*) FROM pairs");

# All is as it should be, as a line that says so.
sub state_of_all
{
    return $node->safe_psql('postgres', <<"SQL");
SELECT count(neardup_index_check(indexrelid)) > 1 FROM pg_index JOIN pg_class c ON c.oid = indexrelid JOIN pg_am a ON a.oid = relam
    WHERE amname = 'neardup' AND indisvalid;
SELECT 'misfound', misfound();
SELECT 'misplaced', misplaced();
SELECT 'refreshed', count(*) FROM neardup_refresh('tracked');
$WORKERS; $SPILL;
SELECT 'pairs', count(*) = $pairs FROM ppjoin('SELECT id, tokens FROM docs WHERE id <= 1500', 0.6);
SQL
}
my $GOOD = "t\nmisfound|0\nmisplaced|0\nrefreshed|0\npairs|t";
is(state_of_all(), $GOOD, 'before any kill, indexes, clusters and joins are right');

# What sessions run until the server goes.
my @SCRIPTS = map { PostgreSQL::Test::Utils::tempdir() . "/$_.sql" } 0 .. 6;
append_to_file($SCRIPTS[0], "$WORKERS;\n$SPILL;\n" . <<'SQL' x 1000);
SELECT count(*) FROM ppjoin('SELECT id + i, tokens FROM docs, generate_series(0, 8000000, 2000000) i', 0.2);
SELECT count(*) FROM topk_join('SELECT id, tokens FROM docs', 2000);
SELECT count(*) FROM near_duplicates('docs', 'id', 'body', 0.5);
SQL
append_to_file($SCRIPTS[1], <<'SQL' x 1000);
VACUUM docs;
CREATE INDEX CONCURRENTLY docs_more ON docs USING neardup (tokens);
REINDEX INDEX docs_tokens;
DROP INDEX IF EXISTS docs_more;
SQL
append_to_file($SCRIPTS[2], <<'SQL' x 1000);
SELECT neardup_track('made_new', 'id', 'tokens', 0.5);
SELECT neardup_refresh('tracked');
SELECT neardup_untrack('made_new');
SQL
append_to_file($SCRIPTS[ 2 + $_ ], "CALL write_index($_);\n"), append_to_file($SCRIPTS[ 4 + $_ ], "CALL write_tracked($_);\n") for 1, 2;

sub start_sessions
{
    return map { IPC::Run::start([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-f', $_ ], '<', \undef, '>', \my $out, '2>', \my $err) } @SCRIPTS;
}

# The server as it runs: all its processes.
sub kill_all
{
    my $postmaster = (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0];

    # Stopped, it starts no more.
    kill 'STOP', $postmaster;
    my @children = grep { $_ } map { /^ *(\d+) +$postmaster$/ ? $1 : undef } split /\n/, `ps -A -o pid= -o ppid=`;
    kill 'KILL', @children;
    $node->kill9;
    wait_until_gone($postmaster, @children);
    return;
}

my %found = (files => 0, segments => 0);
my @wrong;

for my $kill (1 .. KILLS)
{
    my @sessions = start_sessions();

    select undef, undef, undef, 0.1 + rand 0.9;
    kill_all();
    $_->finish for @sessions;
    $found{files} += () = glob $node->data_dir . '/base/pgsql_tmp/*';
    $found{segments} += () = glob $node->data_dir . '/pg_dynshmem/*';
    $node->start;
    my $left = leftovers($node);
    # What a kill leaves of CREATE INDEX CONCURRENTLY is to be dropped, says PostgreSQL.
    $node->safe_psql('postgres', 'DROP INDEX IF EXISTS docs_more; DELETE FROM docs WHERE id > 1000000 AND id % 3 = 0');
    my $state = eval { state_of_all() } // $@;
    push @wrong, "kill $kill: $state $left" if $state ne $GOOD || $left ne '';
}
is(join("\n", @wrong), '', 'after ' . KILLS . ' kills of the server, indexes, clusters and joins are right, and nothing is left');
cmp_ok($found{files}, '>', 0, "kills met joins with temporary files ($found{files})");
cmp_ok($found{segments}, '>', 2 * KILLS, "and with shared memory ($found{segments} segments)");

# ---------------------------------------------------------------------------
# One process
# ---------------------------------------------------------------------------

my $LONG = "SELECT count(*) FROM ppjoin('SELECT id + i, tokens FROM docs, generate_series(0, 60000000, 2000000) i', 0.1)";

# A session in a join with two workers, and these; the statement goes on.
sub start_join
{
    my ($session, $pid) = session_of($node, $WORKERS, "SET neardup.join_memory = '2GB'");
    my $of_workers = "FROM pg_stat_activity WHERE leader_pid = $pid AND backend_type = 'parallel worker'";

    $session->query_until(qr/sent/, "\\set VERBOSITY sqlstate\n\\echo sent\n$LONG;\n");
    $node->poll_query_until('postgres', "SELECT count(*) = 2 $of_workers") or die 'no worker starts';
    return ($session, $pid, split /\n/, $node->safe_psql('postgres', "SELECT pid $of_workers"));
}

for my $victim ('session', 'worker')
{
    my ($session, $pid, $worker) = start_join();
    my $started = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');

    kill 'KILL', $victim eq 'session' ? $pid : $worker;
    eval { $session->quit };
    wait_until_gone($pid, $worker);
    ok($node->poll_query_until('postgres', 'SELECT true'), "a $victim is killed: the server comes up again");
    is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, "a $victim is killed: by itself");
    leaves_nothing($node, "a $victim is killed: nothing is left");
    is(state_of_all(), $GOOD, "a $victim is killed: all is right");
}

{
    my ($session, $pid, $worker) = start_join();

    kill 'TERM', $worker;
    is(printed($session->query("\n;SELECT 'alive'")), 'alive', 'a worker is terminated: the session works on');
    like($session->{stderr}, qr/ERROR: +57P01/, 'a worker is terminated: its join fails');
    leaves_nothing($node, 'a worker is terminated: nothing is left');
    $session->quit;
}
{
    my ($session, $pid) = start_join();

    $node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
    eval { $session->quit };
    wait_until_gone($pid);
    leaves_nothing($node, 'a session is terminated: nothing is left');
}
is(state_of_all(), $GOOD, 'all is right');

$node->stop;
done_testing();
