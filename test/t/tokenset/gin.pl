# Lookups by a GIN index give what a sequential scan gives: random tables with
# NULLs, empty sets, duplicates, dead rows and a pending list; real sets; after
# a crash; on a standby. NEARDUP_SEEDS="17 23" runs only these seeds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use IndexOracle;
use NeardupTest;
use RealSample;

my $node = new_node('gin', allows_streaming => 1);
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');
$node->safe_psql('postgres', IndexOracle::schema('gin'));

sub count_of
{
    my ($sql) = @_;
    return $node->safe_psql('postgres', $sql);
}

# ---------------------------------------------------------------------------
# Random tables
# ---------------------------------------------------------------------------

my $seeds = run_seeds($node, 204, 17, \&IndexOracle::script_of_seed);
for my $form (qw(constant parameter sub-select join))
{
    my $of = "FROM outcome WHERE form = '$form'";
    my $all = count_of("SELECT count(*) $of");
    cmp_ok($all, '>', 0, "$form: there are lookups ($all)");
    is(count_of("SELECT count(*) $of AND found <> expected"), '0',
        "$form: no lookup differs from a sequential scan")
      or diag(count_of("SELECT seed, clause, found, expected $of AND found <> expected LIMIT 3"));
    is(count_of("SELECT count(*) $of AND (plan !~ 'Bitmap Index Scan on r_t' OR plan ~ 'Seq Scan on r')"), '0',
        "$form: every plan is an index scan")
      or diag(count_of("SELECT seed, clause, plan $of AND (plan !~ 'Bitmap Index Scan on r_t' OR plan ~ 'Seq Scan on r') LIMIT 3"));
    is(count_of("SELECT count(*) > 0.2 * $all $of AND found <> ''"), 't', "$form: many find something");
}
is(count_of('SELECT count(DISTINCT seed) FROM outcome'), $seeds, 'all seeds were checked');

# ---------------------------------------------------------------------------
# Beside other columns
# ---------------------------------------------------------------------------

SKIP:
{
    skip 'the extension btree_gin is not there', 2
      if count_of("SELECT count(*) FROM pg_available_extensions WHERE name = 'btree_gin'") == 0;
    $node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION btree_gin;
CREATE TABLE shops (id int, city int, t tokenset);
INSERT INTO shops SELECT id, id % 11, array_append(ARRAY[id % 5, id % 7, id % 13], id % 50)::tokenset
FROM generate_series(1, 4000) id;
INSERT INTO shops VALUES (4001, 3, NULL), (4002, NULL, '{1,2,3}'), (4003, 3, '{}'), (4004, 3, '{1,2,3}');
CREATE INDEX shops_both ON shops USING gin (city, t);
VACUUM ANALYZE shops;
SQL
    my $query = "FROM shops WHERE city = 3 AND jaccard_ge(t, '{1,2,3}', 0.6)";
    like(count_of("SET enable_seqscan = off; EXPLAIN (COSTS off) SELECT id $query"),
        qr/Index Cond: \(\(city = 3\) AND \(t @~/, 'a multicolumn index serves both columns');
    is(count_of("SET enable_seqscan = off; SELECT array_agg(id ORDER BY id) $query"),
        count_of("SET enable_bitmapscan = off; SELECT array_agg(id ORDER BY id) $query"),
        'a multicolumn index finds what a sequential scan finds');
    is(count_of("SET enable_seqscan = off; SELECT array_agg(id ORDER BY id) FROM shops WHERE city = 3 AND hamming_le(t, '{1,2,3}', 5)"),
        count_of("SET enable_bitmapscan = off; SELECT array_agg(id ORDER BY id) FROM shops WHERE city = 3 AND hamming_le(t, '{1,2,3}', 5)"),
        'also where one of the columns asks for all entries');
}

# ---------------------------------------------------------------------------
# Crash and standby
# ---------------------------------------------------------------------------

# The number of different sets of which an index lookup finds other rows than those that have the set.
my $lost = q{SET enable_seqscan = off;
    SELECT count(*) FROM (SELECT t, array_agg(id ORDER BY id) AS ids FROM logged WHERE cardinality(t) > 0 GROUP BY t) a
    WHERE ids IS DISTINCT FROM (SELECT array_agg(id ORDER BY id) FROM logged b WHERE jaccard_ge(b.t, a.t, 1))};

$node->append_conf('postgresql.conf', "fsync = on\nfull_page_writes = on\nwal_keep_size = 1GB\n");
$node->restart;
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE logged (id serial, t tokenset);
CREATE INDEX logged_t ON logged USING gin (t) WITH (gin_pending_list_limit = 64);
INSERT INTO logged (t) SELECT ARRAY[n % 100, n % 37, n % 11, n]::tokenset FROM generate_series(1, 2000) n;
CHECKPOINT;
SQL
$node->backup('gin');
my $standby = PostgreSQL::Test::Cluster->new('gin_standby');
$standby->init_from_backup($node, 'gin', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));

# Inserts go on in a session while the server stops at once.
my $insert = 'INSERT INTO logged (t) SELECT ARRAY[n % 100, n % 37, n % 11, n]::tokenset FROM generate_series(3000, 3400) n;';
my ($in, $out) = ('', '');
my $timer = IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default);
my $writer = IPC::Run::start(
    [ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-c', "DO \$\$ BEGIN LOOP $insert COMMIT; END LOOP; END \$\$" ],
    '<', \$in, '>', \$out, '2>', \my $ignored, $timer);
$node->poll_query_until('postgres', 'SELECT count(*) > 6000 FROM logged');
$node->stop('immediate');
$writer->finish;
$node->start;
cmp_ok(count_of('SELECT count(*) FROM logged'), '>', 6000, 'rows that were committed before a crash are there');
is(count_of($lost), '0', 'after a crash amid inserts, the index finds every row');
for my $clause ("jaccard_ge(t, '{5,6,7,3100}', 0.1)", "t && '{50,3050}'", "t @> '{1}'", 't <@ (SELECT t FROM logged LIMIT 1)')
{
    my $query = "SELECT md5(array_agg(ctid ORDER BY ctid)::text) FROM logged WHERE $clause";
    is(count_of("SET enable_seqscan = off; $query"), count_of("SET enable_bitmapscan = off; $query"),
        "and agrees with the heap: $clause");
}

$node->safe_psql('postgres', $insert);
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
is($standby->safe_psql('postgres', $lost), '0', 'on a standby, the index finds every row');
like($standby->safe_psql('postgres', "SET enable_seqscan = off; EXPLAIN (COSTS off) SELECT id FROM logged WHERE jaccard_ge(t, '{1,2}', 0.5)"),
    qr/Index Scan on logged_t/, 'lookups on a standby use the index');
$standby->stop;

# ---------------------------------------------------------------------------
# Real sets
# ---------------------------------------------------------------------------

# The larger set is for ALL=1.
for my $name ('papers_ta', $ENV{NEARDUP_ALL} ? 'debdesc' : ())
{
  SKIP:
    {
        my $file = shared_data($name);
        skip "../shared/data/$name.tsv.xz is not there", 5 if !$file || $ENV{NEARDUP_SEEDS};
        RealSample::load_word_sets($node, $name, $file);
        $node->safe_psql('postgres', <<"SQL");
CREATE UNLOGGED TABLE lookups_$name AS SELECT id, t FROM $name WHERE cardinality(t) > 0 ORDER BY md5(id::text) LIMIT 300;
SQL
        check_real_lookups($name);
    }
}

# Estimates, plans and rechecks of 300 lookups.
sub check_real_lookups
{
    my ($name) = @_;
    $node->safe_psql('postgres', <<'SQL');
CREATE TABLE IF NOT EXISTS lookup (name text, clause text, estimated float8, found float8, removed float8, plan text);
CREATE OR REPLACE PROCEDURE look_up(name text, clause text) LANGUAGE plpgsql AS $$
DECLARE v record; plan jsonb; text_of text;
BEGIN
    FOR v IN EXECUTE 'SELECT * FROM lookups_' || name LOOP
        text_of := replace(clause, '$1', quote_literal(v.t));
        EXECUTE format('EXPLAIN (ANALYZE, TIMING off, FORMAT json) SELECT id FROM %I WHERE %s', name, text_of) INTO plan;
        plan := plan -> 0 -> 'Plan';
        INSERT INTO lookup VALUES (name, clause, (plan ->> 'Plan Rows')::float8, (plan ->> 'Actual Rows')::float8,
            coalesce((plan ->> 'Rows Removed by Filter')::float8, 0)
            + coalesce((plan ->> 'Rows Removed by Index Recheck')::float8, 0), plan ->> 'Node Type');
    END LOOP;
END $$;
SQL
    for my $clause ('jaccard_ge(t, $1, 0.8)', 'dice_ge(t, $1, 0.8)', 'cosine_ge($1, t, 0.8)', 'jaccard_ge(t, $1, 0.6)')
    {
        $node->safe_psql('postgres', "CALL look_up('$name', '$clause')");
        my ($indexed, $found, $removed, $far, $median) = split /\|/, count_of(<<"SQL");
SELECT count(*) FILTER (WHERE plan = 'Bitmap Heap Scan'), sum(found), sum(removed),
       count(*) FILTER (WHERE greatest(estimated, 1) > 10 * greatest(found, 1) OR greatest(found, 1) > 10 * greatest(estimated, 1)),
       percentile_cont(0.5) WITHIN GROUP (ORDER BY greatest(estimated / greatest(found, 1), found / greatest(estimated, 1)))
FROM lookup WHERE name = '$name' AND clause = '$clause'
SQL
        note("$name, $clause: $found found, $removed removed by recheck, $far estimates off by more than 10, median factor $median");
        is($indexed, '300', "$name, $clause: lookups use the index with default settings");
        cmp_ok($removed, '<=', 5 * $found, "$name, $clause: $removed rechecks for $found results")
          if $clause =~ /jaccard.*0\.8/;
        my $most = $clause =~ /0\.8/ ? 30 : 60;
        cmp_ok($far, '<=', $most, "$name, $clause: $far of 300 estimates are off by more than a factor of 10");
    }
    is( count_of(
            "SELECT count(*) FROM (SELECT a.id, b.id FROM lookups_$name a, $name b WHERE jaccard_ge(b.t, a.t, 0.8)) x"),
        count_of("SELECT sum(found) FROM lookup WHERE name = '$name' AND clause = 'jaccard_ge(t, \$1, 0.8)'"),
        "$name: a join finds what the lookups find");
    return;
}

$node->stop;
done_testing();
