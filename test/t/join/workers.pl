# A join with parallel workers: the same pairs and counters, wherever it is called.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;

my $ROWS = $ENV{NEARDUP_ALL} ? 4000 : 2000;
my $node = NeardupTest::new_node('workers');
$node->safe_psql('postgres', <<'SQL', extra_params => [ '-v', "rows=$ROWS" ]);
CREATE EXTENSION neardup;

-- Sets of 1 to 30 tokens, some of them in most sets; every other one is a copy
-- of an earlier one with one token more or less, every tenth an exact copy.
SELECT setseed(0.4711);
CREATE TABLE r AS
SELECT id, CASE WHEN id % 10 = 0 THEN id / 2 - id / 2 % 10 + 1 WHEN id % 2 = 0 THEN id / 2 ELSE id END AS seed
FROM generate_series(1, :rows) id;
ALTER TABLE r ADD tokens int[];
UPDATE r SET tokens = ARRAY(
  SELECT DISTINCT (('x' || md5(seed || ' ' || i))::bit(31)::int::float8 ^ 2 / 2 ^ 62 * 3000)::int
  FROM generate_series(1, seed % 29 + CASE WHEN id % 10 = 0 THEN 1 ELSE 1 + id % 2 END) i);
CREATE TABLE s AS SELECT id, tokens FROM r WHERE id % 3 = 0;

CREATE FUNCTION digest(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
  EXECUTE 'SELECT count(*) || '' '' || coalesce(md5(string_agg(a || '' '' || b || '' '' || similarity,
             '','' ORDER BY a, b, similarity)), '''') FROM ' || call INTO result;
  RETURN result;
END $$;
-- Everything that is counted, but memory and time; and how many workers there were.
CREATE FUNCTION counted(arguments text, OUT counters text, OUT workers int) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT concat_ws('','', records, tokens, distinct_tokens, postings, candidates,
    pruned_by_position, pruned_by_suffix, pruned_by_bitmap, pairs), workers FROM ppjoin_stats(%s)', arguments) INTO counters, workers;
END $$;
CREATE FUNCTION workers(arguments text) RETURNS int LANGUAGE sql RETURN (counted(arguments)).workers;
CREATE FUNCTION caught(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM digest(call);
  RETURN 'no error';
EXCEPTION WHEN query_canceled OR division_by_zero THEN
  RETURN SQLERRM;
END $$;
SQL

my $WORKERS = force_workers($node) . '; SET max_parallel_workers_per_gather';
my $R = "'SELECT id, tokens FROM r'";
my $S = "'SELECT id, tokens FROM s'";

sub yields
{
    my ($rule, $query, $expected) = @_;
    is($node->safe_psql('postgres', $query), $expected, $rule);
    return;
}

my @PAPERS = ('allpairs', 'ppjoin', 'ppjoin+');
my $turn = 0;
for my $measure (
    "0.6, 'jaccard'", "0.8, 'cosine'", "0.7, 'dice'", "9, 'overlap'", "3, 'hamming'", "0.9, 'containment'")
{
    for my $against ('NULL', $S)
    {
        my $kind = $against eq 'NULL' ? 'self-join' : 'R-S join';
        # Each day, one of the paper's algorithms in turn.
        for my $algorithm ('auto', $ENV{NEARDUP_ALL} ? @PAPERS : $PAPERS[$turn++ % @PAPERS])
        {
            my $arguments = "$R, $measure, '$algorithm', against => $against";
            my $alone = $node->safe_psql('postgres',
                "$WORKERS = 0; SELECT digest(\$a\$ppjoin($arguments)\$a\$), counters FROM counted(\$a\$$arguments\$a\$)");
            unlike($alone, qr/^0 /, "$kind by $algorithm, $measure: there are pairs");
            yields("$kind by $algorithm, $measure: with workers the same pairs and counters",
                "$WORKERS = 3;
                 SELECT digest(\$a\$ppjoin($arguments)\$a\$), counters, workers FROM counted(\$a\$$arguments\$a\$)",
                "$alone|3");
        }
    }
}
# Rows of equal key are no pairs, of which workers see the keys' places only; and where pairs are only counted, they
# count them. Fewer rows are joined from files, where workers start for each two blocks.
for my $key ('id % 1000', q('k' || id % 1000))
{
    for my $arguments ("0.6, 'jaccard'", "0.9, 'containment'")
    {
        for my $memory ('64kB', '1GB')
        {
            my $rows = $memory eq '1GB' ? 'r' : 'r WHERE id <= 700';
            my $call = qq(ppjoin_keyed(NULL::text, 'SELECT ($key)::text, tokens FROM $rows', $arguments));
            $call = "ppjoin('SELECT $key, tokens FROM $rows', $arguments)" if $key eq 'id % 1000';
            $call =~ s/'k'/''k''/;
            my $query = "SELECT digest(\$a\$$call\$a\$), (SELECT count(*) FROM $call)";
            yields("repeated keys, $key, $arguments, memory = $memory: with workers the same pairs, and as many",
                "$WORKERS = 3; SET neardup.join_memory = '$memory'; $query", $node->safe_psql('postgres', "$WORKERS = 0; $query"));
        }
    }
}
# Rows of equal key and equal set, which are passed over at once.
my $TWICE = "'SELECT id % 1000, tokens FROM r UNION ALL SELECT id % 1000, tokens FROM r'";
for my $algorithm ('auto', 'ppjoin')
{
    my $query = "SELECT digest(\$a\$ppjoin($TWICE, 0.6, 'jaccard', '$algorithm')\$a\$)";
    my $alone = $node->safe_psql('postgres', "$WORKERS = 0; $query");
    unlike($alone, qr/^0 /, "each row twice, by $algorithm: there are pairs");
    yields("each row twice, by $algorithm: with workers the same pairs", "$WORKERS = 3; $query", $alone);
}
for my $call ("topk_join($R, 500)", "topk_join($R, 500, 'dice', against => $S)")
{
    my $alone = $node->safe_psql('postgres', "$WORKERS = 0; SELECT digest(\$a\$$call\$a\$)");
    yields("$call: with workers the same pairs", "$WORKERS = 2; SELECT digest(\$a\$$call\$a\$)", $alone);
}

my $pairs = $node->safe_psql('postgres', "$WORKERS = 0; SELECT count(*) FROM ppjoin($R, 0.6)");
my $both = "SELECT (SELECT count(*) FROM ppjoin($R, 0.6)), workers(\$a\$$R, 0.6\$a\$)";
yields('with max_parallel_workers = 0 there are none, and no error',
    "$WORKERS = 2; SET max_parallel_workers = 0; $both", "$pairs|0");
yields('small joins have no workers', "SET max_parallel_workers_per_gather = 2; $both", "$pairs|0");

# Four postings a row, of which each pair of sets shares two.
my $many_rows = $ENV{NEARDUP_ALL} ? 700_000 : 400_000;
my $many = "'SELECT i, ARRAY[i / 2, i / 2 + 10000000, i + 20000000, i + 30000000] FROM generate_series(1, $many_rows) i'";
yields('joins of many postings have workers, unforced',
    "SET max_parallel_workers_per_gather = 2; SET neardup.join_memory = '1GB'; SELECT pairs, workers > 0 FROM ppjoin_stats($many, 0.3)",
    $many_rows / 2 - 1 . '|t');
# In files, in memory without workers, and with them.
for my $memory ('16MB', '40MB', '80MB', '192MB')
{
    # Each day, few and many workers in turn.
    for my $most ($ENV{NEARDUP_ALL} ? (2, 7) : (2, 7)[$turn++ % 2])
    {
        yields("within $memory, leader and workers together take no more, of at most $most workers",
            "SET max_parallel_workers_per_gather = $most; SET neardup.join_memory = '$memory';
             SELECT pairs, memory_bytes <= 1.25 * pg_size_bytes('$memory') FROM ppjoin_stats($many, 0.3)",
            $many_rows / 2 - 1 . '|t');
    }
}
yields('joins of many postings from files have none, for whom parts would be small',
    "SET max_parallel_workers_per_gather = 7; SET neardup.join_memory = '16MB'; SELECT pairs, workers, temp_bytes > 0 FROM ppjoin_stats($many, 0.3)",
    $many_rows / 2 - 1 . '|0|t');
my $best = "SELECT digest(\$a\$topk_join($many, $many_rows / 7)\$a\$)";
yields('workers come in a later pass of topk_join, and find the same pairs',
    "SET max_parallel_workers_per_gather = 2; SET neardup.join_memory = '1GB'; $best",
    $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; $best"));

# Sets for which signatures are too narrow: some pass, or all, which then have to be compared.
my $large_rows = $ENV{NEARDUP_ALL} ? 1500 : 700;
for my $sizes ([230, 2000, 0.4, 't'], [800, 5000, 0.3, 'f'])
{
    my ($size, $universe, $threshold, $are_listed) = @$sizes;
    $node->safe_psql('postgres', "DROP TABLE IF EXISTS large; CREATE TABLE large AS
        SELECT id, ARRAY(SELECT DISTINCT hashint4(id * 10000 + i) % $universe FROM generate_series(1, $size) i) AS tokens
        FROM generate_series(1, $large_rows) id");
    my $large = "'SELECT id, tokens FROM large', $threshold";
    my $alone_large = $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0;
        SELECT pruned_by_bitmap > 0, candidates > $large_rows, (counted(\$a\$$large\$a\$)).counters FROM ppjoin_stats($large)");
    like($alone_large, qr/^$are_listed\|t\|/, "sets of $size tokens are compared, and only smaller ones by signatures");
    yields("joins of sets of $size tokens have workers, and count the same",
        "$WORKERS = 2;
         SELECT pruned_by_bitmap > 0, candidates > $large_rows, (counted(\$a\$$large\$a\$)).counters, workers > 0 FROM ppjoin_stats($large)",
        "$alone_large|t");
}

yields('in a transaction that wrote',
    "$WORKERS = 1; BEGIN; CREATE TABLE written AS SELECT id + 10000 AS id, tokens FROM r;
     SELECT count(*) = 2 * $pairs, workers(\$a\$'SELECT * FROM written', 0.6\$a\$)
     FROM ppjoin('SELECT * FROM written', 0.6, against => 'SELECT * FROM written') WHERE a <> b; COMMIT; DROP TABLE written",
    't|1');
yields('after a savepoint, and again after a rollback to it',
    "$WORKERS = 1; BEGIN; SAVEPOINT s; $both; ROLLBACK TO s; $both; COMMIT", "$pairs|1\n$pairs|1");
yields('in a serializable transaction',
    "$WORKERS = 1; BEGIN ISOLATION LEVEL SERIALIZABLE; $both; COMMIT", "$pairs|1");
yields('through a cursor that goes on after the join, and writes between its rows',
    "$WORKERS = 1; CREATE TABLE taken (n int);
     DO \$\$ DECLARE pair record; n int := 0; BEGIN
       FOR pair IN SELECT * FROM ppjoin($R, 0.6) LOOP n := n + 1; INSERT INTO taken VALUES (n); END LOOP;
     END \$\$;
     SELECT count(*) FROM taken", $pairs);
yields('two joins in one query',
    "$WORKERS = 2; SELECT count(*) FROM ppjoin($R, 0.6) x JOIN ppjoin($R, 0.7) y USING (a, b)",
    $node->safe_psql('postgres', "SELECT count(*) FROM ppjoin($R, 0.7)"));
yields('keys by reference, with their own order',
    "$WORKERS = 2; SELECT count(*) FROM ppjoin_keyed(NULL::text, 'SELECT ''k'' || id, tokens FROM r', 0.6)", $pairs);
yields('an error of the query, which is before the workers, is caught as ever',
    "$WORKERS = 2; SELECT caught(\$a\$ppjoin('SELECT id / 0, tokens FROM r', 0.6)\$a\$); $both",
    "division by zero\n$pairs|2");

# Joins that take long, canceled while workers probe.
$node->safe_psql('postgres', 'CREATE TABLE long AS SELECT id * 100 + i AS id, tokens || i AS tokens FROM r, generate_series(1, 36000 / ' . $ROWS . ') i');
my $long = "ppjoin('SELECT id, tokens FROM long', 0.05)";
for my $memory ('1GB', '1MB')
{
    yields("canceled with memory = $memory, within a block that goes on",
        "$WORKERS = 2; SET neardup.join_memory = '$memory'; SET statement_timeout = 1000;
         SELECT caught(\$a\$$long\$a\$); SET statement_timeout = 0; $both",
        "canceling statement due to statement timeout\n$pairs|2");
}
my ($code, $stdout, $stderr) =
    $node->psql('postgres', "$WORKERS = 2; SET statement_timeout = 1000; SELECT count(*) FROM $long");
like($stderr, qr/canceling statement due to statement timeout/, 'canceled outside of any block');
ok($node->poll_query_until('postgres',
        "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'parallel worker'"),
    'no worker stays behind');

$node->stop;
done_testing();
