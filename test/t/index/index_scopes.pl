# Scope columns of the access method neardup: lookups and orders in a scope give what a sequential scan gives, on
# random tables beside writers and VACUUM; constraints, many sessions, a standby, kills, dumps. NEARDUP_SEEDS="17 23"
# runs only these seeds, NEARDUP_KILLS=100 kills the server so often.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

use IndexOracle;
use NeardupTest;

my $node = new_node('scopes', allows_streaming => 1,
    conf => "wal_consistency_checking = 'generic'\nfsync = on\nfull_page_writes = on\nwal_keep_size = 1GB\nautovacuum = off\n");
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');
$node->safe_psql('postgres', IndexOracle::schema('neardup', 1));

# ---------------------------------------------------------------------------
# Random tables
# ---------------------------------------------------------------------------

IndexOracle::use_folder(PostgreSQL::Test::Utils::tempdir());
IndexOracle::check_seeds($node, run_seeds($node, 300, 15, \&IndexOracle::script_of_seed), 0.15);

# ---------------------------------------------------------------------------
# Writers, readers, VACUUM and REINDEX together; a standby; kills
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION set_of(seed int, size int, universe int) RETURNS tokenset LANGUAGE sql AS $$
    SELECT coalesce(array_agg((universe * (abs(hashint8extended(seed, x)) % 100000 / 100000.0) ^ 2)::int), '{}')::tokenset
    FROM generate_series(1, size) x $$;
-- No two rows of an owner may be near each other.
CREATE TABLE busy (id bigserial PRIMARY KEY, owner int, lang text, t tokenset,
    CONSTRAINT apart EXCLUDE USING neardup (owner WITH =, jaccard_ball(t, 0.6) WITH &&));
CREATE INDEX busy_t ON busy USING neardup (owner, lang, t);
CREATE PROCEDURE work(seed int, rounds int) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM setseed(seed / 1000.0);
    FOR n IN 1 .. rounds LOOP
        BEGIN
            INSERT INTO busy (owner, lang, t)
            SELECT nullif(floor(random() * 30), 29), CASE WHEN random() < 0.5 THEN 'en' ELSE 'de' END, set_of((random() * 1e9)::int, (random() * 12)::int, 12)
            FROM generate_series(1, 20) ON CONFLICT DO NOTHING;
            UPDATE busy SET owner = owner + 1 WHERE id = ANY (ARRAY(SELECT id FROM busy ORDER BY random() LIMIT 2 FOR UPDATE SKIP LOCKED));
            DELETE FROM busy WHERE id = ANY (ARRAY(SELECT id FROM busy ORDER BY id LIMIT 9 FOR UPDATE SKIP LOCKED));
            IF random() < 0.2 THEN RAISE division_by_zero; END IF;
        EXCEPTION WHEN division_by_zero OR exclusion_violation OR deadlock_detected THEN NULL;
        END;
        COMMIT;
    END LOOP;
END $$;
SQL
$node->backup('scopes');
my $standby = PostgreSQL::Test::Cluster->new('scopes_standby');
$standby->init_from_backup($node, 'scopes', has_streaming => 1);
$standby->start;

# Four writers, VACUUM, and who builds indexes: sessions that run until the server or the work ends.
sub start_sessions
{
    my ($rounds, $times) = @_;
    my @sessions;
    for my $sql ((map { "CALL work($_, $rounds)" } 1 .. 4), 'VACUUM busy; SELECT pg_sleep(0.05);' x $times,
        'CREATE INDEX CONCURRENTLY busy_b ON busy USING neardup (lang, t); REINDEX INDEX busy_t; REINDEX INDEX CONCURRENTLY busy_b; DROP INDEX busy_b;' x ($times / 5))
    {
        my ($in, $out, $err) = ('', '', '');
        my @statements = map { ('-c', $_) } split /;/, $sql;
        push @sessions, IPC::Run::start([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), @statements ],
            '<', \$in, '>', \$out, '2>', \$err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
    }
    return @sessions;
}

# Both indexes are in order, their lookups are those of a sequential scan, and no two rows break the constraint.
sub check_busy
{
    my ($server, $rule) = @_;
    my $query = "SELECT count(*), md5(string_agg(a.id || '-' || b.id, ',' ORDER BY a.id, b.id)) FROM busy a, LATERAL
        (SELECT id FROM busy b WHERE b.owner = a.owner AND b.lang = a.lang AND jaccard_ge(b.t, a.t, 0.3) OFFSET 0) b WHERE a.id % 7 = 1";
    my $nearest = "SELECT md5(string_agg(d, ' ')) FROM (SELECT a.id || ':' || string_agg(b.d::text, ',' ORDER BY b.d) AS d FROM busy a, LATERAL
        (SELECT b.t <%> a.t AS d FROM busy b WHERE b.owner = a.owner AND b.lang = a.lang ORDER BY b.t <%> a.t LIMIT 9) b WHERE a.id % 31 = 1 GROUP BY a.id ORDER BY a.id) x";
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    for my $sql ($query, $nearest)
    {
        is($server->safe_psql('postgres', "SET enable_seqscan = off; SET enable_sort = off; $sql"),
            $server->safe_psql('postgres', "SET enable_indexscan = off; SET enable_bitmapscan = off; $sql"), $rule);
    }
    is($server->safe_psql('postgres', q{SELECT neardup_index_check('apart') IS NOT NULL AND neardup_index_check('busy_t') IS NOT NULL}), 't', "$rule: indexes in order");
    is($server->safe_psql('postgres', q{SET enable_indexscan = off; SET enable_bitmapscan = off;
        SELECT count(*) FROM busy a JOIN busy b ON a.owner = b.owner AND a.id < b.id AND jaccard_ge(a.t, b.t, 0.6)}), '0', "$rule: no two rows that the constraint excludes");
    return;
}

my @writing = start_sessions(60, 10);
$_->finish for @writing;
check_busy($node, 'after four writers, VACUUM and REINDEX');
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM busy'), '>', 300, 'there are rows');
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
check_busy($standby, 'on the standby');
$standby->stop;

my $kills = $ENV{NEARDUP_KILLS} // 3;
for my $kill (1 .. $kills)
{
    my @sessions = start_sessions(100000, 1000);
    select undef, undef, undef, 0.2 + rand 1;
    $node->stop('immediate');
    $_->finish for @sessions;
    $node->start;
    $node->safe_psql('postgres', "SELECT format('DROP INDEX %s', indexrelid::regclass) FROM pg_index WHERE indexrelid::regclass::text ~ '^busy_[bt]_?.+' OR indexrelid = to_regclass('busy_b') \\gexec");
    $node->safe_psql('postgres', 'CREATE INDEX IF NOT EXISTS busy_t ON busy USING neardup (owner, lang, t)');
    check_busy($node, "after crash $kill");
}

# ---------------------------------------------------------------------------
# Dump and restore
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', <<'SQL');
CREATE DATABASE here;
CREATE DATABASE restored;
SQL
$node->safe_psql('here', <<'SQL');
CREATE EXTENSION neardup;
CREATE TYPE kind AS ENUM ('note', 'fact');
CREATE DOMAIN language AS text CHECK (value ~ '^..$');
CREATE TABLE facts (owner uuid, lang language, kind kind, t tokenset,
    CONSTRAINT apart EXCLUDE USING neardup (owner WITH =, lower(lang) WITH =, kind WITH =, jaccard_ball(t, 0.7) WITH &&) WHERE (kind <> 'note'));
INSERT INTO facts SELECT md5((n % 10)::text)::uuid, 'en', 'fact', ARRAY(SELECT 10 * n + k FROM generate_series(1, 10) k)::tokenset FROM generate_series(1, 300) n;
CREATE INDEX facts_t ON facts USING neardup (owner, t);
SQL
my $dump = PostgreSQL::Test::Utils::tempdir() . '/here.sql';
$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('here') ], 'pg_dump of a database with scopes');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d', $node->connstr('restored') ], 'the dump restores');
my $definitions = q{SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'apart' UNION ALL SELECT pg_get_indexdef('facts_t'::regclass)};
is($node->safe_psql('restored', $definitions), $node->safe_psql('here', $definitions), 'restored definitions are the same');
my $near = q{INSERT INTO facts VALUES (md5('%s')::uuid, '%s', '%s', '{31,32,33,34,35,36,37,38,39,5}')};
is(sqlstate_of($node, 'restored', sprintf $near, 3, 'EN', 'fact'), '23P01', 'the constraint refuses a near-duplicate');
is(sqlstate_of($node, 'restored', sprintf $near, @$_), '00000', "and not in another scope: @$_") for [ 4, 'EN', 'fact' ], [ 3, 'de', 'fact' ], [ 3, 'en', 'note' ];
is($node->safe_psql('restored', q{SELECT neardup_index_check('facts_t') IS NOT NULL AND neardup_index_check('apart') IS NOT NULL}), 't', 'the restored indexes are in order');

$node->stop;
done_testing();
