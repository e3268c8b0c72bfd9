# lsh_join keeps what it states in advance: recall, precision and the probability of candidates, whatever
# its memory and its workers. The joins of sketches find the same in any memory, too.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
use RealSample;
use Test::More;

my $node = new_node('lsh', conf => "work_mem = '128MB'\n");
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');

sub value
{
    my ($sql) = @_;
    return $node->safe_psql('postgres', $sql);
}

# Real sets: name, words or atoms.
my @REAL = ([ 'papers_ta', 'words' ], [ 'debdesc', 'words' ], [ 'dblp_acm', 'words' ]);

# Of the pairs that the exact join finds, at least the share that was asked for; and none else.
sub keeps_recall
{
    my ($name, $threshold) = @_;

    value("DROP TABLE IF EXISTS exact; CREATE TABLE exact AS SELECT * FROM ppjoin('SELECT n, words FROM words_$name', $threshold)");
    for my $recall (0.9, 0.95, 0.99)
    {
        my ($pairs, $share, $false) = split /\|/, value(<<"SQL");
SELECT (SELECT count(*) FROM exact), count(e.a)::float8 / (SELECT count(*) FROM exact), count(*) - count(e.a)
FROM lsh_join('SELECT n, words FROM words_$name', $threshold, $recall) l LEFT JOIN exact e USING (a, b, similarity)
SQL
        cmp_ok($share, '>=', $recall, "$name at $threshold: a recall of $recall is reached, of $pairs pairs");
        is($false, '0', 'and no pair is wrong');
    }
    return;
}

# Pairs of records that occur once each, up to 300 of each twentieth of similarity from 0.2 on, of sizes that can be
# similar. Their tokens are made different from those of all other pairs, so that a join of all records
# of one bin meets these pairs and no others, and pairs are independent of each other.
sub take_pairs
{
    my ($name, $threshold) = @_;

    value(<<"SQL");
DROP TABLE IF EXISTS bins;
CREATE TABLE bins (bin int, pair int, similarity float8, x tokenset, y tokenset);
DO \$\$
DECLARE
    p record;
    used bool[];
    filled int[] := array_fill(0, ARRAY[16]);
    number int := 0;
BEGIN
    FOR p IN
        SELECT a, b, similarity, width_bucket(similarity, 0.2, 1, 16) AS bin, tokenset(x.words) AS x, tokenset(y.words) AS y
        FROM ppjoin('SELECT n, words FROM words_$name WHERE n % 40 < 20 AND n < 16000', 0.2) j
        JOIN words_$name x ON x.n = a JOIN words_$name y ON y.n = b
        WHERE similarity < 1 AND least(cardinality(tokenset(x.words)), cardinality(tokenset(y.words)))
                                 >= $threshold * greatest(cardinality(tokenset(x.words)), cardinality(tokenset(y.words)))
        ORDER BY hashint8extended(a, b)
    LOOP
        CONTINUE WHEN filled[p.bin] >= 300 OR used[p.a] OR used[p.b];
        used[p.a] := true;
        used[p.b] := true;
        filled[p.bin] := filled[p.bin] + 1;
        number := number + 1;
        INSERT INTO bins VALUES (p.bin, number, p.similarity,
            tokenset(ARRAY(SELECT hashint8extended(token, number) FROM unnest(p.x) token)),
            tokenset(ARRAY(SELECT hashint8extended(token, number) FROM unnest(p.y) token)));
    END LOOP;
END \$\$;
SQL
    return;
}

# In each bin, the share of pairs that are candidates is what lsh_probability says, within 4 standard deviations.
sub keeps_probability
{
    my ($name, $threshold, $recall) = @_;
    my ($counted, $result) = split /\n/, value(<<"SQL");
CREATE TEMP TABLE plan AS SELECT bands, rows FROM lsh_join_stats('SELECT 1, ARRAY[1]', $threshold, $recall);
SELECT count(*) || ' pairs of ' || count(DISTINCT bin) || ' bins' FROM bins;
WITH counted AS (
    SELECT bin, count(*) AS n, sum(p) AS expected, sqrt(sum(p * (1 - p))) AS deviation,
           count(*) FILTER (WHERE lsh_candidate(minhash(x), minhash(y), bands, rows)) AS candidates,
           (SELECT s.candidates FROM lsh_join_stats(format('SELECT 2 * pair, x FROM bins WHERE bin = %s UNION ALL SELECT 2 * pair + 1, y FROM bins WHERE bin = %s', bin, bin),
                                                    $threshold, $recall) s) AS by_join
    FROM bins, plan, LATERAL (SELECT lsh_probability(similarity, bands, rows) AS p) AS probability
    GROUP BY bin)
SELECT sum(n) > 400 AND count(*) >= 8,
       coalesce(string_agg(format('%s: %s of %s, not %s', bin, candidates, n, expected), ', ') FILTER (WHERE abs(candidates - expected) > 4 * deviation + 1e-9), 'as likely'),
       coalesce(string_agg(format('%s: %s of %s, not %s', bin, by_join, n, expected), ', ') FILTER (WHERE abs(by_join - expected) > 4 * deviation + 1e-9), 'as likely')
FROM counted
SQL
    is($result, 't|as likely|as likely', "$name, $threshold, $recall, $counted: candidates are as likely as they must be, by lsh_candidate and by the join's counters");
    return;
}

for my $set (@REAL)
{
    my ($name, $tokens) = @$set;
    my $file = shared_data($name);
  SKIP:
    {
        skip "../shared/data/$name.tsv.xz is not there", 1 if !$file;
        RealSample::load($node, $name, $file);
        RealSample::tokenize($node, $name, $tokens);
        keeps_recall($name, $_) for 0.5, 0.8;
        for my $threshold (0.5, 0.6)
        {
            take_pairs($name, $threshold);
            keeps_probability($name, $threshold, 0.95);
            keeps_probability($name, $threshold, 0.8);
        }
        value("DROP TABLE raw_$name, words_$name");
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
    PERFORM set_config('work_mem', memory, true), set_config('max_parallel_workers_per_gather', workers, true);
    EXECUTE 'SELECT count(*) || '' '' || md5(string_agg(j::text, '','' ORDER BY a, b)) FROM ' || call || ' j' INTO result;
    RETURN result;
END $$;
SQL

my $D = q{'SELECT id, tokens FROM docs'};
my $MANY = q{'SELECT id, tokens FROM many'};
my $S = q{'SELECT id, sketch FROM docs'};
for my $call ("lsh_join($D, 0.5)", "lsh_join($D, 'SELECT id, tokens FROM docs WHERE id % 3 = 0', 0.4, 0.9)",
    "lsh_join_keyed(NULL::text, 'SELECT id::text, tokens FROM docs', 0.5)",
    "sketch_overlap_join($S, 32)", "sketch_overlap_join($S, 'SELECT id, sketch FROM docs WHERE id % 3 = 0', 0.4)",
    "supershingle_join($S, 3, 24)", "supershingle_join($S, 'SELECT id, sketch FROM docs WHERE id % 3 = 0', 2, 0.5)")
{
    my $results = value(<<"SQL");
SET force_parallel_mode = on;
SELECT count(DISTINCT d), count(*), min(split_part(d, ' ', 1)::int) > 100
FROM unnest('{64kB,2MB,1GB}'::text[]) memory, unnest('{0,2}'::text[]) workers, LATERAL (SELECT digest(memory, workers, \$call\$$call\$call\$) AS d) AS digests
SQL
    is($results, '1|6|t', "$call finds the same with 64kB, 2MB and 1GB, and with 0 and 2 workers");
}
is( value(<<"SQL"), 't|t|0|t', 'memory_bytes stays within work_mem * hash_mem_multiplier, and files take the rest');
SET work_mem = '1MB'; SET hash_mem_multiplier = 1.5; SET max_parallel_workers_per_gather = 0;
SELECT memory_bytes <= 1.5 * 1024 * 1024, temp_bytes > 0, workers, candidates = (SELECT sum(c) FROM unnest(candidates_by_band) c) FROM lsh_join_stats($MANY, 0.5)
SQL
is( value(<<"SQL"), '2|t|t', 'two workers take part, and count the same candidates');
SET force_parallel_mode = on; SET max_parallel_workers_per_gather = 2;
CREATE TEMP TABLE with_workers AS SELECT * FROM lsh_join_stats($MANY, 0.5);
SET max_parallel_workers_per_gather = 0;
SELECT w.workers, w.candidates = n.candidates, w.candidates_by_band = n.candidates_by_band FROM with_workers w, lsh_join_stats($MANY, 0.5) n
SQL

# Boilerplate: thousands of equal sets, which are compared once.
is(value("SELECT candidates, pairs FROM lsh_join_stats('SELECT i, ARRAY[1, 2, 3, 4 + i % 2] FROM generate_series(1, 6000) i', 0.9)"),
    '0|8997000', 'equal sets cost no candidates');
is(value("SELECT candidates <= 1, pairs FROM lsh_join_stats('SELECT i, ARRAY[1, 2, 3, 4 + i % 2] FROM generate_series(1, 6000) i', 0.1, 0.5)"),
    't|17997000', 'and two groups of them one, at most');
is(value("SELECT count(*) FROM sketch_overlap_join('SELECT i, minhash(tokenset ''{1,2,3}'', 50) FROM generate_series(1, 3000) i', 1.0)"),
    '4498500', 'equal sketches are found by their overlap');
is(value("SELECT count(*) FROM supershingle_join('SELECT i, minhash(tokenset ''{1,2,3}'', 50) FROM generate_series(1, 3000) i', 10, 50)"),
    '4498500', 'and by their super-shingles');

# Cancelled in the middle, with its files.
$node->psql('postgres', "SET work_mem = '64kB'; SET statement_timeout = 200; SELECT count(*) FROM lsh_join($MANY, 0.2, 0.99)");
is(value('SELECT count(*) FROM pg_ls_tmpdir()'), '0', 'a canceled join leaves no temporary file');
is(sqlstate_of($node, 'postgres', "SET statement_timeout = 100; SELECT count(*) FROM lsh_join('SELECT i, ARRAY[i % 3, i % 5, 17] FROM generate_series(1, 200000) i', 0.5)"),
    '57014', 'a join that returns many pairs can be canceled');

$node->stop;
done_testing();
