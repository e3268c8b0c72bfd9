# The join node gives what nested loops give, with an index and without, for
# each predicate and type of join: random tables with NULLs, empty sets, duplicates,
# dead rows and a pending list; with equalities and other clauses beside; with
# little memory; in parallel workers; on a standby; on real sets.
# NEARDUP_SEEDS="17 23" runs only these seeds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use JoinOracle;
use NeardupTest;
use RealSample;

my $node = new_node('node', allows_streaming => 1, conf => "autovacuum = off\n");
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');
$node->safe_psql('postgres', JoinOracle::schema());

sub value_of
{
    my ($sql) = @_;
    return $node->safe_psql('postgres', $sql);
}

# ---------------------------------------------------------------------------
# Random tables
# ---------------------------------------------------------------------------

my $seeds = run_seeds($node, 220, 20, \&JoinOracle::script_of_seed);

my %plan_of_leg = (
    loop => q{plan ~ 'Nested Loop' AND plan !~ 'Bitmap|Similarity Join'},
    index => q{plan ~ 'Bitmap Index Scan on [rs]_t' AND plan !~ 'Similarity Join'},
    node => q{plan ~ '^Custom Scan \(Similarity Join\)'},
    parallel => q{plan ~ 'Gather.*Parallel Custom Scan \(Similarity Join\)'});
for my $leg (sort keys %plan_of_leg)
{
    my $all = value_of("SELECT count(*) FROM outcome WHERE leg = '$leg'");
    cmp_ok($all, '>', 0, "$leg: there are joins ($all)");
    is(value_of("SELECT count(*) FROM outcome WHERE leg = '$leg' AND found IS DISTINCT FROM expected"), '0',
        "$leg: none differs from a nested loop without an index")
      or diag(value_of("SELECT seed, query, found, expected FROM outcome WHERE leg = '$leg' AND found IS DISTINCT FROM expected LIMIT 3"));
    is(value_of("SELECT count(*) FROM outcome WHERE leg = '$leg' AND NOT ($plan_of_leg{$leg})"), '0',
        "$leg: every plan is of the kind")
      or diag(value_of("SELECT seed, query, plan FROM outcome WHERE leg = '$leg' AND NOT ($plan_of_leg{$leg}) LIMIT 3"));
}
is(value_of("SELECT count(*) > 0 FROM outcome WHERE leg = 'node' AND plan ~ 'Self Join'"), 't', 'some are self-joins');
is(value_of("SELECT count(*) > 0 FROM outcome WHERE leg = 'node' AND plan ~ 'Group Cond'"), 't', 'some are partitioned by equalities');
is(value_of("SELECT count(*) FILTER (WHERE found !~ '^0:') > 0.5 * count(*) FROM outcome"), 't', 'most find something');
if (!$ENV{NEARDUP_SEEDS})
{
    is( value_of(
            qq{SELECT min(seeds) >= 0.9 * $seeds AND count(*) = 60 FROM (SELECT count(DISTINCT seed) AS seeds
              FROM outcome WHERE leg = 'node' GROUP BY regexp_replace(clause, '[0-9.]+', ''), type) f}),
        't', 'each predicate and type of join was checked with nine seeds in ten');
    is(value_of("SELECT count(DISTINCT type) FROM outcome WHERE leg = 'parallel'"), '4', 'parallel: all types of joins');
    for my $type (qw(inner left semi anti))
    {
        is(value_of("SELECT count(*) FILTER (WHERE spilled) >= $seeds / 11 FROM outcome WHERE type = '$type'"), 't',
            "$type: some joins did not fit into memory");
    }
}

# ---------------------------------------------------------------------------
# Limits and cancellation
# ---------------------------------------------------------------------------

my $columns = 'id, ARRAY(SELECT (random() * 2000)::int + 0 * id FROM generate_series(1, 40))::tokenset AS t';
$node->safe_psql('postgres', <<"SQL");
SELECT setseed(0.5);
CREATE TABLE large AS SELECT $columns FROM generate_series(1, 20000) id;
INSERT INTO large SELECT 100000 + id, t FROM large WHERE id % 4 = 0;
ANALYZE large;
CREATE TABLE same AS SELECT id, '{1,2,3,4,5}'::tokenset AS t FROM generate_series(1, 4000) id;
ANALYZE same;
SQL
my $long = 'SELECT count(*) FROM large a JOIN large b ON a.id < b.id AND jaccard_ge(a.t, b.t, 0.05)';
is(sqlstate_of($node, 'postgres', "SET max_parallel_workers_per_gather = 0; SET statement_timeout = 100; $long"), '57014',
    'a join is cancelled');
is(sqlstate_of($node, 'postgres', "SET temp_file_limit = 100; SET work_mem = '1MB'; SELECT count(*) FROM large a JOIN large b ON a.id < b.id AND jaccard_ge(a.t, b.t, 0.8)"),
    '53400', 'temp_file_limit holds');
is(value_of(
        "SET work_mem = '1MB'; SELECT count(*) FROM large a JOIN large b ON a.id < b.id AND jaccard_ge(a.t, b.t, 0.8)"),
    '5000', 'with little memory, all pairs are found');
is(value_of('SELECT count(*) FROM pg_ls_tmpdir()'), '0', 'no temporary file is left');

# A result that is larger than memory: 8 million pairs of equal rows.
my ($pairs, $bytes) = split /\|/, value_of(<<'SQL');
SET work_mem = '1MB';
SET max_parallel_workers_per_gather = 0;
SELECT count(*), max(used) FROM (
    SELECT CASE WHEN a.id = 1 AND b.id = 4000 OR a.id = 3999 THEN (SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name LIKE 'neardup%' AND a.id > 0) END AS used
    FROM same a JOIN same b ON a.id < b.id AND jaccard_ge(a.t, b.t, 0.8)) p
SQL
is($pairs, '7998000', 'equal rows are all paired');
cmp_ok($bytes, '<', 3 * 1024 * 1024, "memory does not grow with the pairs ($bytes bytes)");
is(value_of('SELECT count(*) FROM (SELECT 1 FROM same a JOIN same b ON jaccard_ge(a.t, b.t, 0.8) LIMIT 10) p'), '10',
    'a join ends when enough rows were returned');
is(value_of('SELECT count(*) FROM pg_ls_tmpdir()'), '0', 'no temporary file is left');

# An error in a filter, caught, leaves nothing behind.
is( value_of(<<'SQL'),
DO $$ BEGIN
    FOR i IN 1 .. 20 LOOP
        BEGIN
            PERFORM count(*) FROM same a JOIN same b ON a.t % b.t AND 1 / (a.id + b.id - 700) >= 0;
        EXCEPTION WHEN division_by_zero THEN NULL;
        END;
    END LOOP;
END $$;
SELECT count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'neardup%';
SQL
    '0', 'errors leave no memory');

# ---------------------------------------------------------------------------
# Parallel workers
# ---------------------------------------------------------------------------

my $shown = value_of(<<'SQL');
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off)
SELECT count(*) FROM large a JOIN same b ON jaccard_ge(a.t, b.t, 0.5);
SQL
like($shown, qr/Workers Launched: [12].*Parallel Custom Scan/s, 'workers are launched');
like($shown, qr/Outer Records: 25000\n/, 'the outer input is divided among them, none left out');
like($shown, qr/Joining Workers: [12]/, 'EXPLAIN counts the workers');

# ---------------------------------------------------------------------------
# Standby
# ---------------------------------------------------------------------------

$node->append_conf('postgresql.conf', "wal_keep_size = 1GB\n");
$node->restart;
$node->backup('node');
my $standby = PostgreSQL::Test::Cluster->new('node_standby');
$standby->init_from_backup($node, 'node', has_streaming => 1);
$standby->start;
$node->safe_psql('postgres', "DELETE FROM large WHERE id % 8 = 0 AND id < 100000");
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
my $on_standby = 'FROM large a JOIN large b ON a.id < b.id AND jaccard_ge(a.t, b.t, 0.8)';
like($standby->safe_psql('postgres', "EXPLAIN SELECT count(*) $on_standby"), qr/Similarity Join/, 'a standby plans the node');
is($standby->safe_psql('postgres', "SET work_mem = '1MB'; SELECT count(*) $on_standby"), '2500', 'a standby answers joins');
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
        skip "../shared/data/$name.tsv.xz is not there", 12 if !$file || $ENV{NEARDUP_SEEDS};
        RealSample::load_word_sets($node, $name, $file);
        for my $threshold (0.6, 0.7, 0.8, 0.9)
        {
            my $join = "FROM $name a JOIN $name b ON a.id < b.id AND jaccard_ge(a.t, b.t, $threshold)";
            my $plan = value_of("EXPLAIN (ANALYZE, TIMING off) SELECT 1 $join");
            my ($estimated, $found) = $plan =~ /Custom Scan \(Similarity Join\).*?rows=(\d+).*?actual rows=(\d+)/;

            ok(defined $found, "$name, $threshold: the node is taken with default settings") or diag($plan);
            is($found, value_of("SELECT count(*) FROM ppjoin('SELECT id, t FROM $name', $threshold)"),
                "$name, $threshold: it finds what ppjoin finds");
            # Without the filter: that a row is like itself, and each pair twice, is known to the estimate.
            my ($whole) = value_of("EXPLAIN SELECT 1 FROM $name a JOIN $name b ON jaccard_ge(a.t, b.t, $threshold)") =~ /rows=(\d+)/;
            my $actual = 2 * $found + value_of("SELECT count(*) FROM $name WHERE cardinality(t) > 0");
            ok($whole < 10 * $actual && $actual < 10 * $whole,
                "$name, $threshold: $whole rows are estimated, $actual found");
        }
    }
}

$node->stop;
done_testing();
