# estimate_join: what a sample says of tables that cannot be read whole in its time, and of
# real sets. Its own time is bounded, whatever the table is.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use RealSample;
use Test::More;

my $node = new_node('estimate');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');

# ---------------------------------------------------------------------------
# Slow rows: 40,000 rows of half a millisecond and more. Groups of 40 equal or similar sets, spread
# over the table or side by side in its blocks.
# ---------------------------------------------------------------------------

my $ROWS = 40_000;
my $TRIES = 4;
my @THRESHOLDS = (1, 0.8, 0.6);

$node->safe_psql('postgres', <<"SQL");
CREATE FUNCTION slowly(t tokenset) RETURNS tokenset LANGUAGE plpgsql STABLE AS \$\$
BEGIN PERFORM pg_sleep(0.0005); RETURN t; END \$\$;
CREATE TABLE spread AS
SELECT n AS id, ARRAY[g, g + 1000000, g + 2000000, g + 3000000, g + 4000000 + CASE WHEN n % 7 < 4 THEN 0 ELSE n * 1000 END]::bigint[]::tokenset AS tokens
FROM (SELECT n, n % 1000 AS g FROM generate_series(1, $ROWS) AS n) AS t;
CREATE TABLE together AS SELECT * FROM spread ORDER BY id % 1000;
ANALYZE;
SQL

sub true_pairs
{
    my ($table, $threshold) = @_;
    return $node->safe_psql('postgres', "SELECT count(*) FROM ppjoin('SELECT id, tokens FROM $table', $threshold)");
}

# Estimates of a query; and how many of them have the true pairs in their interval: all of a call or none.
sub estimates_of
{
    my ($table, $query) = @_;
    my ($right, @rows) = (0);
    my $array = '{' . join(',', @THRESHOLDS) . '}';
    my %true = map { $_ => true_pairs($table, $_) } @THRESHOLDS;

    for (1 .. $TRIES)
    {
        for my $line (split /\n/, $node->safe_psql('postgres',
                "SELECT threshold, pairs, pairs_low, pairs_high, query_rows, sampled_rows FROM estimate_join('$query', '$array')"))
        {
            my %row;
            @row{qw(threshold pairs low high rows sampled)} = split /\|/, $line;
            $right++ if $row{low} <= $true{ $row{threshold} } && $true{ $row{threshold} } <= $row{high};
            push @rows, \%row;
        }
    }
    return ($right, @rows);
}

for my $case (
    [ 'spread', 'a table', 'SELECT id, slowly(tokens) FROM spread' ],
    [ 'spread', 'a table with a condition', 'SELECT id, slowly(tokens) FROM spread WHERE id > 0' ],
    [ 'together', 'a table whose blocks have what is similar', 'SELECT id, slowly(tokens) FROM together' ])
{
    my ($table, $what, $query) = @$case;
    my ($right, @rows) = estimates_of($table, $query);
    my $count = @rows;
    my $sampled = grep { $_->{sampled} > 50 && $_->{sampled} < $ROWS / 4 } @rows;
    my $rows_near = grep { $_->{rows} > $ROWS / 1.5 && $_->{rows} < $ROWS * 1.5 } @rows;
    my $narrow = grep { $_->{low} > 0 && $_->{high} < 30 * $_->{low} } @rows;

    is($sampled, $count, "$what is sampled");
    is($rows_near, $count, "$what: the number of rows is about right");
    cmp_ok($right, '>=', 0.5 * $count, "$what: the true pairs are in the interval, $right times of $count");
    cmp_ok($narrow, '>=', 0.5 * $count, "$what: the interval says something, $narrow times of $count");
}

# Of a query that is not of one table, the first rows.
my ($right, @rows) = estimates_of('spread', 'SELECT id, slowly(tokens) FROM (SELECT * FROM spread ORDER BY id % 2 OFFSET 0) AS s');
is(scalar(grep { $_->{sampled} < $ROWS / 4 } @rows), scalar @rows, 'another query is cut');

# All sets are equal: the sample shrinks until its join is short.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE equal AS SELECT n AS id, '{1,2,3}'::tokenset AS tokens FROM generate_series(1, 100000) AS n;
SQL
is( $node->safe_psql('postgres', <<'SQL'), 't|t', 'a join of 5 billion pairs is estimated from few rows');
SELECT sampled_rows < 100000, 4999950000 BETWEEN pairs_low AND pairs_high
FROM estimate_join('SELECT id, tokens FROM equal', '{0.9}');
SQL
is($node->safe_psql('postgres', 'SELECT count(*) FROM ppjoin($$SELECT id, tokens FROM spread WHERE id < 1000$$, 1)'),
    '0', 'the next join of the session is as ever');
times_out($node, 'while a sample is read', "estimate_join('SELECT id, tokens FROM spread, pg_sleep(10)', '{0.5}')", 300);

# ---------------------------------------------------------------------------
# Real sets
# ---------------------------------------------------------------------------

for my $set ([ 'debdesc', 'words' ], [ 'retail', 'int4' ], $ENV{NEARDUP_ALL} ? ([ 'papers_ta', 'words' ], [ 'kosarak36k', 'int4' ]) : ())
{
    my ($name, $tokens) = @$set;
    my $file = shared_data($name);
  SKIP:
    {
        skip "../shared/data/$name.tsv.xz is not there", 1 if !$file;
        RealSample::load($node, $name, $file);
        RealSample::tokenize($node, $name, $tokens);
        my $query = 'SELECT n, ' . ($tokens eq 'int4' ? 'words::int4[]' : 'words') . " FROM words_$name";
        my ($in, $memory, $all) = split /\|/, $node->safe_psql('postgres', <<"SQL");
SET neardup.join_memory = '2GB';
SET max_parallel_workers_per_gather = 0;
SELECT count(*) FILTER (WHERE s.pairs BETWEEN pairs_low AND pairs_high),
       count(*) FILTER (WHERE e.memory_bytes BETWEEN s.memory_bytes / 2 AND s.memory_bytes * 2), count(*)
FROM estimate_join('$query', '{0.5,0.6,0.7,0.8,0.9,0.95}') AS e, LATERAL ppjoin_stats('$query', e.threshold) AS s;
SQL
        ok($all == 6 && $in >= 5 && $memory == 6, "$name: true pairs in the interval $in times of 6, memory right $memory times");
    }
}

$node->stop;
done_testing();
