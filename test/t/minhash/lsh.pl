# lsh_join keeps what it states in advance: recall, precision and the probability of candidates, whatever
# its memory and its workers. The joins of sketches find the same in any memory, too.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
use RealSample;
use Test::More;

my $node = new_node('lsh', conf => "neardup.join_memory = '256MB'\njit = off\n");
my $FORCE = force_workers($node);
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');

sub value
{
    my ($sql) = @_;
    return $node->safe_psql('postgres', $sql);
}

# Real sets: name, words or atoms, and of how many records one is taken for pairs. All of papers_ta have few pairs above
# 0.8. The largest set is for ALL=1.
my @REAL = ([ 'papers_ta', 'words', 1 ], [ 'dblp_acm', 'words', 1 ]);
push @REAL, [ 'debdesc', 'words', 10 ] if $ENV{NEARDUP_ALL};

# Of the pairs that the exact join finds, at least the share that was asked for; and none else.
sub keeps_recall
{
    my ($name, $threshold) = @_;

    value("DROP TABLE IF EXISTS exact; CREATE UNLOGGED TABLE exact AS SELECT * FROM ppjoin('SELECT n, t FROM sets_$name', $threshold); ANALYZE exact");
    for my $recall (0.9, 0.95, 0.99)
    {
        my ($pairs, $share, $false) = split /\|/, value(<<"SQL");
SELECT (SELECT count(*) FROM exact), count(e.a)::float8 / (SELECT count(*) FROM exact), count(*) - count(e.a)
FROM lsh_join('SELECT n, t FROM sets_$name', $threshold, $recall) l LEFT JOIN exact e USING (a, b, similarity)
SQL
        cmp_ok($share, '>=', $recall, "$name at $threshold: a recall of $recall is reached, of $pairs pairs");
        is($false, '0', 'and no pair is wrong');
    }
    return;
}

# The bins of similarity: twentieths, from 0.2 to 1.
my $BINS = 16;

# Pairs that are taken of a bin, trials that are made of them, and seeds that sketches are made with.
my $PAIRS = 300;
my $TRIALS = $ENV{NEARDUP_ALL} ? 1000 : 500;
my $SEEDS = $ENV{NEARDUP_ALL} ? 20 : 10;

# Pairs of records of different content, of each bin $PAIRS or all that there are, of sizes that the size filter lets
# pass at thresholds up to 0.6. A trial is a pair whose tokens are made different from those of all other trials:
# - a sketch depends on tokens only through their hashes, so trials are independent, also if they are of one pair, as if
#   each had hash functions of its own, and how many of a bin are candidates has the binomial distribution;
# - a join of all trials of a bin meets these pairs and no others.
sub take_pairs
{
    my ($name, $every) = @_;

    value(<<"SQL");
DROP TABLE IF EXISTS records, pairs, trials;
CREATE TABLE records AS
SELECT min(n) AS n, t FROM sets_$name WHERE n % $every = 0 GROUP BY t;
CREATE TABLE pairs AS
SELECT bin, row_number() OVER of_bin - 1 AS pair, count(*) OVER of_bin AS found, similarity, x, y
FROM (SELECT width_bucket(similarity, 0.2, 1, $BINS) AS bin, similarity, x.t AS x, y.t AS y, hashint8extended(a, b) AS place
      FROM ppjoin('SELECT n, t FROM records', 0.2) JOIN records x ON x.n = a JOIN records y ON y.n = b
      WHERE least(cardinality(x.t), cardinality(y.t)) >= 0.6 * greatest(cardinality(x.t), cardinality(y.t))) AS joined
WINDOW of_bin AS (PARTITION BY bin ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);
DELETE FROM pairs WHERE pair >= $PAIRS;
CREATE TABLE trials AS
SELECT bin, number, similarity,
       tokenset(ARRAY(SELECT hashint8extended(token, number) FROM unnest(x) token)) AS x,
       tokenset(ARRAY(SELECT hashint8extended(token, number) FROM unnest(y) token)) AS y
FROM pairs, LATERAL (SELECT bin * $TRIALS + trial AS number FROM generate_series(pair, $TRIALS - 1, least(found, $PAIRS)) trial) AS numbers;
SQL
    note("$name, pairs by bin: ", value("SELECT string_agg(n::text, ' ' ORDER BY bin) FROM (SELECT bin, count(*) AS n FROM pairs GROUP BY bin) AS counted"));
    is(value("SELECT count(*), min(n), max(n) FROM (SELECT bin, count(*) AS n FROM trials GROUP BY bin) AS counted"),
        "$BINS|$TRIALS|$TRIALS", "$name: of each bin there are so many trials");
    return;
}

# In each bin, the share of trials that are candidates is what lsh_probability says, within 4 standard deviations. The join
# looks at 32 bits of a band's hash: in one of some 60 such joins, two sets of different trials agree in these by chance,
# and are up to 4 candidates more with those that they are paired with.
sub keeps_probability
{
    my ($name, $threshold, $recall) = @_;
    my $result = value(<<"SQL");
WITH counted AS (
    SELECT bin, count(*) AS n, sum(p) AS expected, sqrt(sum(p * (1 - p))) AS deviation,
           count(*) FILTER (WHERE lsh_candidate(minhash(x), minhash(y), bands, rows)) AS candidates,
           (SELECT s.candidates FROM lsh_join_stats(format('SELECT 2 * number, x FROM trials WHERE bin = %s UNION ALL SELECT 2 * number + 1, y FROM trials WHERE bin = %s', bin, bin),
                                                    $threshold, $recall) s) AS by_join
    FROM trials, lsh_join_stats('SELECT 1, ARRAY[1]', $threshold, $recall) plan,
         LATERAL (SELECT lsh_probability(similarity, bands, rows) AS p) AS probability
    GROUP BY bin)
SELECT count(*), sum(n),
       coalesce(string_agg(format('%s: %s of %s, not %s', bin, candidates, n, expected), ', ') FILTER (WHERE abs(candidates - expected) > 4 * deviation + 1e-9), 'as likely'),
       coalesce(string_agg(format('%s: %s of %s, not %s', bin, by_join, n, expected), ', ') FILTER (WHERE abs(least(by_join, n) - expected) > 4 * deviation + 1e-9), 'as likely'),
       coalesce(string_agg(format('%s: %s, not %s', bin, by_join, candidates), ', ') FILTER (WHERE by_join NOT BETWEEN candidates AND candidates + 4), 'as many'),
       coalesce(string_agg(format('%s: %s of %s', bin, by_join, n), ', ') FILTER (WHERE 0.2 + 0.05 * (bin - 1) > $threshold - 1e-9 AND by_join < $recall * n), 'enough')
FROM counted
SQL
    is($result, join('|', $BINS, $BINS * $TRIALS, 'as likely', 'as likely', 'as many', 'enough'),
        "$name, $threshold, $recall: in each bin, candidates are as likely as they must be, by lsh_candidate and by the join's counters, and at and above the threshold the recall is reached");
    return;
}

# The same of the pairs as they are, over many seeds. Pairs have tokens in common, and all have the hash functions of a
# seed, so the shares of the seeds are what is independent: their own spread gives the deviation of their mean, where it
# is more than that of independent pairs.
sub keeps_probability_over_seeds
{
    my ($name, $threshold, $recall) = @_;
    my $result = value(<<"SQL");
WITH counted AS (
    SELECT bin, seed, avg(lsh_candidate(minhash(x, 128, seed => seed), minhash(y, 128, seed => seed), bands, rows)::int)::float8 AS share,
           avg(p) AS expected, sum(p * (1 - p)) / (count(*) ^ 2) AS variance
    FROM pairs, generate_series(1, $SEEDS) seed, lsh_join_stats('SELECT 1, ARRAY[1]', $threshold, $recall) plan,
         LATERAL (SELECT lsh_probability(similarity, bands, rows) AS p) AS probability
    GROUP BY bin, seed),
means AS (
    SELECT bin, avg(share) AS share, avg(expected) AS expected, sqrt(greatest(var_samp(share), avg(variance)) / $SEEDS) AS deviation
    FROM counted GROUP BY bin)
SELECT count(*), coalesce(string_agg(format('%s: %s, not %s', bin, share, expected), ', ') FILTER (WHERE abs(share - expected) > 4 * deviation + 1e-9), 'as likely')
FROM means
SQL
    is($result, "$BINS|as likely", "$name, $threshold, $recall: so they are as the pairs stand, over $SEEDS seeds");
    return;
}

# Of records as they are, the join's candidates are the pairs that have bands in common, of sizes that can be similar, each
# in the first band that they share.
sub counts_candidates
{
    my ($name, $threshold, $recall) = @_;

    is(value(<<"SQL"), 't|t|t', "$name, $threshold, $recall: of some records, the join counts the pairs that share a band, by band");
CREATE TEMP TABLE chosen AS SELECT row_number() OVER () AS n, t FROM (SELECT x FROM pairs WHERE pair < 80 UNION SELECT y FROM pairs WHERE pair < 80) AS sets (t);
CREATE TEMP TABLE keys AS
SELECT n, cardinality(t) AS size, band, key
FROM chosen, lsh_join_stats('SELECT 1, ARRAY[1]', $threshold, $recall) plan, unnest(lsh_bands(minhash(t), bands, rows)) WITH ORDINALITY k (key, band);
ANALYZE keys;
WITH met AS MATERIALIZED (
    SELECT min(x.band) AS band FROM keys x JOIN keys y ON x.band = y.band AND x.key = y.key AND x.n < y.n
    WHERE least(x.size, y.size)::float8 / greatest(x.size, y.size) >= $threshold GROUP BY x.n, y.n),
counts AS (
    SELECT array_agg((SELECT count(*) FROM met WHERE met.band = b) ORDER BY b) AS by_band FROM (SELECT DISTINCT band FROM keys) AS bands (b))
SELECT candidates = (SELECT count(*) FROM met), candidates_by_band = by_band, candidates > 1000
FROM lsh_join_stats('SELECT n, t FROM chosen', $threshold, $recall), counts
SQL
    return;
}

for my $set (@REAL)
{
    my ($name, $tokens, $every) = @$set;
    my $file = shared_data($name);
  SKIP:
    {
        skip "../shared/data/$name.tsv.xz is not there", 1 if !$file;
        RealSample::load($node, $name, $file);
        my $words = RealSample::words_expression('body', $tokens);
        value("CREATE UNLOGGED TABLE sets_$name AS SELECT n, tokenset($words) AS t FROM raw_$name");
        keeps_recall($name, $_) for 0.5, 0.8;
        take_pairs($name, $every);
        keeps_probability($name, @$_) for [ 0.3, 0.9 ], [ 0.5, 0.95 ], $ENV{NEARDUP_ALL} ? ([ 0.5, 0.8 ], [ 0.6, 0.95 ]) : (), [ 0.6, 0.8 ];
        keeps_probability_over_seeds($name, 0.5, 0.95);
        counts_candidates($name, @$_) for [ 0.3, 0.9 ], [ 0.5, 0.95 ];
        value("DROP TABLE raw_$name, sets_$name");
    }
}

# Sets with copies, near and exact; sketches of them.
value(<<'SQL');
SELECT setseed(0.5);
CREATE TABLE many AS
SELECT i AS id, tokenset(ARRAY(SELECT (i / 8) * 50 + floor(60 * random())::int FROM generate_series(1, 20 + i / 8 % 40) j)) AS tokens FROM generate_series(1, 6000) i;
UPDATE many m SET tokens = c.tokens FROM many c WHERE m.id % 5 = 0 AND c.id = m.id / 10;
CREATE TABLE docs AS SELECT id, tokens, minhash(tokens, 64) AS sketch FROM many WHERE id <= 500;

CREATE FUNCTION digest(memory text, workers text, call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    PERFORM set_config('neardup.join_memory', memory, true), set_config('max_parallel_workers_per_gather', workers, true);
    EXECUTE 'SELECT count(*) || '' '' || md5(string_agg(j::text, '','' ORDER BY a, b)) FROM ' || call || ' j' INTO result;
    RETURN result;
END $$;
SQL

my @MEMORY = $ENV{NEARDUP_ALL} ? ('64kB', '2MB', '1GB') : ('64kB', '1GB');
my $D = q{'SELECT id, tokens FROM docs'};
my $MANY = q{'SELECT id, tokens FROM many'};
my $S = q{'SELECT id, sketch FROM docs'};
for my $call ("lsh_join($D, 0.5)", "lsh_join($D, 0.4, 0.9, against => 'SELECT id, tokens FROM docs WHERE id % 3 = 0')",
    "lsh_join_keyed(NULL::text, 'SELECT id::text, tokens FROM docs', 0.5)",
    "sketch_overlap_join($S, 32)", "sketch_overlap_join($S, min_fraction => 0.4, against => 'SELECT id, sketch FROM docs WHERE id % 3 = 0')",
    "supershingle_join($S, 3, 24)", "supershingle_join($S, 2, min_fraction => 0.5, against => 'SELECT id, sketch FROM docs WHERE id % 3 = 0')")
{
    my $results = value(<<"SQL");
$FORCE;
SELECT count(DISTINCT d), count(*), min(split_part(d, ' ', 1)::int) > 100
FROM unnest('{@{[ join ',', @MEMORY ]}}'::text[]) memory, unnest('{0,2}'::text[]) workers, LATERAL (SELECT digest(memory, workers, \$call\$$call\$call\$) AS d) AS digests
SQL
    is($results, '1|' . 2 * @MEMORY . '|t', "$call finds the same with @MEMORY, and with 0 and 2 workers");
}
is( value(<<"SQL"), 't|t|0|t', 'memory_bytes stays near neardup.join_memory, and files take the rest');
SET neardup.join_memory = '1536kB'; SET max_parallel_workers_per_gather = 0;
SELECT memory_bytes <= 1.25 * 1.5 * 1024 * 1024, temp_bytes > 0, workers, candidates = (SELECT sum(c) FROM unnest(candidates_by_band) c) FROM lsh_join_stats($MANY, 0.5)
SQL
is( value(<<"SQL"), '2|t|t', 'two workers take part, and count the same candidates');
$FORCE; SET max_parallel_workers_per_gather = 2;
CREATE TEMP TABLE with_workers AS SELECT * FROM lsh_join_stats($MANY, 0.5);
SET max_parallel_workers_per_gather = 0;
SELECT w.workers, w.candidates = n.candidates, w.candidates_by_band = n.candidates_by_band FROM with_workers w, lsh_join_stats($MANY, 0.5) n
SQL

# Rows of few keys and few sets: those of one key are passed over, and all others are pairs.
for my $join ('lsh_join', 'ppjoin')
{
    is(value(<<"SQL"), '0', "$join pairs rows of equal sets if their keys differ, in any memory");
CREATE TEMP TABLE repeated AS SELECT (i * i) % 11 AS key, ARRAY[1, 2, 3, 4 + i % 3] AS tokens FROM generate_series(1, 400) i;
WITH expected AS (SELECT x.key::bigint AS a, y.key::bigint AS b, count(*) AS n FROM repeated x JOIN repeated y ON x.key < y.key AND x.tokens = y.tokens GROUP BY 1, 2)
SELECT count(*)
FROM unnest('{64kB,1GB}'::text[]) memory, set_config('neardup.join_memory', memory, false), LATERAL (
    SELECT a, b FROM (SELECT a, b, count(*) AS n FROM $join('SELECT key, tokens FROM repeated', 1, ${\ ($join eq 'ppjoin' ? "'jaccard'" : '0.95')}) GROUP BY 1, 2) f
    FULL JOIN expected e USING (a, b, n) WHERE f.a IS NULL OR e.a IS NULL) AS differences
SQL
}

# Boilerplate: thousands of equal sets, which are compared once.
is(value("SELECT candidates, pairs FROM lsh_join_stats('SELECT i, ARRAY[1, 2, 3, 4 + i % 2] FROM generate_series(1, 6000) i', 0.9)"),
    '0|8997000', 'equal sets cost no candidates');
is(value("SELECT candidates <= 1, pairs FROM lsh_join_stats('SELECT i, ARRAY[1, 2, 3, 4 + i % 2] FROM generate_series(1, 6000) i', 0.1, 0.5)"),
    't|17997000', 'and two groups of them one, at most');
is(value("SELECT count(*) FROM sketch_overlap_join('SELECT i, minhash(tokenset ''{1,2,3}'', 50) FROM generate_series(1, 3000) i', min_fraction => 1.0)"),
    '4498500', 'equal sketches are found by their overlap');
is(value("SELECT count(*) FROM supershingle_join('SELECT i, minhash(tokenset ''{1,2,3}'', 50) FROM generate_series(1, 3000) i', 10, 50)"),
    '4498500', 'and by their super-shingles');

# Beyond temp_file_limit, what is read or what is returned is an error like any other: no file and no memory is left, and
# the session's next call finds all pairs.
sub keeps_limit
{
    my ($name, $memory, $call) = @_;
    my $query = "SELECT count(*) > 100 FROM $call AS p (a, b, similarity) WHERE a <> b AND similarity > 0";
    my (undef, $out, $err) = $node->psql('postgres', <<"SQL", on_error_stop => 0, extra_params => [ '-v', 'VERBOSITY=sqlstate' ]);
SET max_parallel_workers_per_gather = 0;
SET neardup.join_memory = '$memory';
SET temp_file_limit = '128kB';
$query;
SET neardup.enable_similarity_join = off;
$query;
SELECT count(*) FROM pg_ls_tmpdir();
SELECT count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'neardup%';
RESET temp_file_limit;
RESET neardup.enable_similarity_join;
SET neardup.join_memory = '16MB';
$query;
SQL
    is(join(' ', $err =~ /ERROR: +(\w+)/g) . "|$out", "53400 53400|0\n0\nt", "temp_file_limit holds, $name");
    return;
}

my $COPIES = 'SELECT i, ARRAY[1, 2, 3, 4] FROM generate_series(1, 2500) i';
my $SKETCHES = 'SELECT i, minhash(tokenset \'\'{1,2,3}\'\', 50) FROM generate_series(1, 2500) i';
keeps_limit('lsh_join, reading', '64kB', "lsh_join($MANY, 0.5)");
keeps_limit('lsh_join, returning', '1MB', "lsh_join('$COPIES', 0.5)");
keeps_limit('lsh_join, returning more than is kept in memory whatever work_mem is', '1GB', "lsh_join('$COPIES', 0.5)");
keeps_limit('supershingle_join, reading', '64kB', "supershingle_join($S, 3, 24)");
keeps_limit('supershingle_join, returning', '4MB', "supershingle_join('$SKETCHES', 10, 50)");
keeps_limit('supershingle_join, returning more than is kept in memory', '1GB', "supershingle_join('$SKETCHES', 10, 50)");

# Cancelled in the middle, with its files.
$node->psql('postgres', "SET neardup.join_memory = '64kB'; SET statement_timeout = 200; SELECT count(*) FROM lsh_join($MANY, 0.2, 0.99)");
is(value('SELECT count(*) FROM pg_ls_tmpdir()'), '0', 'a canceled join leaves no temporary file');
is(sqlstate_of($node, 'postgres', "SET statement_timeout = 100; SELECT sum(similarity) FROM lsh_join('SELECT i, ARRAY[i % 3, i % 5, 17] FROM generate_series(1, 200000) i', 0.5)"),
    '57014', 'a join that returns many pairs can be canceled');

$node->stop;
done_testing();
