# The joins of neardup_citus, on a coordinator and two workers, give what those of one server give.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use CitusCluster;
use NeardupTest;

my ($coordinator) = new_cluster();

sub run
{
    my ($sql) = @_;
    return $coordinator->safe_psql('postgres', $sql);
}

# ---------------------------------------------------------------------------
# Random sets: every measure, thresholds that sets reach exactly
# ---------------------------------------------------------------------------

# Many copies and common tokens, so that lists are cut; an empty set and a NULL; keys of each type.
run(<<'SQL');
CREATE TABLE source AS
SELECT id, CASE WHEN id = 7 THEN '{}' WHEN id <> 8 THEN ARRAY(
    SELECT (random() ^ 4 * 300)::bigint + 0 * id FROM generate_series(1, 2 + CASE WHEN id % 5 = 0 THEN id % 23 ELSE id % 4 END)) END::tokenset AS tokens
FROM generate_series(-1000, 1999) id;
INSERT INTO source SELECT id + 10000, tokens FROM source WHERE id % 10 = 0;
CREATE TABLE sets (id bigint, tokens tokenset);
CREATE TABLE others (other int, tokens tokenset);
SELECT create_distributed_table('sets', 'id'), create_distributed_table('others', 'other');
INSERT INTO sets SELECT * FROM source;
INSERT INTO others SELECT id - 3, tokens FROM source WHERE id % 3 = 0;
SQL
for my $case (
    [ 'jaccard', 0.8 ], [ 'jaccard', 0.5 ], [ 'cosine', 0.8 ], [ 'dice', 0.75 ], [ 'overlap', 4 ], [ 'containment', 0.9 ], [ 'hamming', 0 ],
    [ 'hamming', 3 ])
{
    my ($measure, $threshold) = @$case;

    run("DROP TABLE IF EXISTS found, met; CALL distributed_join('sets', 'id', 'tokens', $threshold, '$measure', 'found');
         CALL distributed_join('sets', 'id', 'tokens', 'others', 'other', 'tokens', $threshold, '$measure', 'met')");
    cmp_ok(run('SELECT count(*) FROM found'), '>', 100, "$measure $threshold has pairs");
    is( differences($coordinator, 'SELECT a, b, similarity FROM found', "SELECT * FROM ppjoin('SELECT id, tokens FROM sets', $threshold, '$measure')"),
        '0 0', "$measure $threshold: the pairs of ppjoin");
    is( differences(
            $coordinator, 'SELECT a, b, similarity FROM met',
            "SELECT * FROM ppjoin('SELECT id, tokens FROM sets', $threshold, '$measure', against => 'SELECT other, tokens FROM others')"),
        '0 0', "$measure $threshold: the pairs of ppjoin, of two tables");
}
is(run(q{SELECT column_to_column_name(logicalrelid, partkey) FROM pg_dist_partition WHERE logicalrelid = 'found'::regclass}),
    'a', 'the result is distributed by a');
is(run(q{SELECT count(*) FROM pg_class WHERE relname ~ '^neardup_[0-9]'}), '0', 'no staged table is left');

# No set, one set; a table that is not distributed, and a schema.
run(q{CREATE SCHEMA apart; CREATE TABLE local AS SELECT * FROM source WHERE id < 200; CREATE TABLE none AS SELECT * FROM source LIMIT 0;
      CREATE TABLE one AS SELECT * FROM source WHERE id = 5});
for my $table ('local', 'none', 'one')
{
    run("CALL distributed_join('$table', 'id', 'tokens', 0.6, 'jaccard', 'apart.$table')");
    is(differences($coordinator, "SELECT a, b, similarity FROM apart.$table", "SELECT * FROM ppjoin('SELECT id, tokens FROM $table', 0.6)"),
        '0 0', "$table: the pairs of ppjoin");
}
for my $within ('ROLLBACK', 'COMMIT')
{
    run("BEGIN; CALL distributed_join('sets', 'id', 'tokens', 0.9, 'jaccard', 'inner_a'); CALL distributed_join('sets', 'id', 'tokens', 0.8, 'jaccard', 'inner_b'); $within");
    is(run(q{SELECT count(*) FROM pg_class WHERE relname ~ '^(inner|neardup_[0-9])'}), $within eq 'COMMIT' ? '2' : '0', "a transaction with two joins: $within");
}

# ---------------------------------------------------------------------------
# Errors
# ---------------------------------------------------------------------------

run('CREATE TABLE twice (id bigint, tokens tokenset); SELECT create_distributed_table(\'twice\', \'id\'); INSERT INTO twice VALUES (1, \'{1}\'), (1, \'{2}\')');
run('CREATE TABLE named (id text, tokens tokenset)');
my %state_of = (
    "distributed_join('sets', 'id', 'tokens', 1.5, 'jaccard', 'wrong')" => '22023',
    "distributed_join('sets', 'id', 'tokens', 0.5, 'likeness', 'wrong')" => '22023',
    "distributed_join('sets', 'id', 'tokens', NULL, 'jaccard', 'wrong')" => '22004',
    "distributed_join('sets', 'id', 'tokens', 0.5, 'jaccard', NULL)" => '22004',
    "distributed_join('sets', 'key', 'tokens', 0.5, 'jaccard', 'wrong')" => '42703',
    "distributed_join('sets', 'id', 'missing', 0.5, 'jaccard', 'wrong')" => '42703',
    "distributed_join('sets', 'id', 'tokens', 0.5, 'jaccard', 'local')" => '42P07',
    "distributed_join('twice', 'id', 'tokens', 0.5, 'jaccard', 'wrong')" => '23505',
    "distributed_join('named', 'id', 'tokens', 0.5, 'jaccard', 'wrong')" => '42804',
    "distributed_lsh_join('sets', 'id', 'tokens', 0.5, 2, 'wrong')" => '22023',
    "distributed_simhash_join('sets', 'id', 'simhash(tokens)', 64, 'wrong')" => '22023');
for my $call (sort keys %state_of)
{
    is(sqlstate_of($coordinator, 'postgres', "CALL $call"), $state_of{$call}, $call);
}
is(run(q{SELECT count(*) FROM pg_class WHERE relname ~ '^(wrong|neardup_[0-9])'}), '0', 'errors leave nothing');

# ---------------------------------------------------------------------------
# Sketches and clusters
# ---------------------------------------------------------------------------

my ($status, $out, $notices) = $coordinator->psql('postgres', "CALL distributed_lsh_join('sets', 'id', 'tokens', 0.7, 0.95, 'banded')");
like($notices, qr/a pair at the threshold is found with probability 0\.9[5-9]/, 'LSH states its recall');
my ($all, $share, $below) = split /\|/, run(<<'SQL');
SELECT count(p.a), count(f.a)::float8 / count(p.a), count(*) FILTER (WHERE p.a IS NULL)
FROM ppjoin('SELECT id, tokens FROM sets', 0.7) p FULL JOIN (SELECT a, b, similarity FROM banded) f USING (a, b, similarity)
SQL
cmp_ok($share, '>=', 0.95, "LSH finds its share of $all pairs ($share)");
is($below, '0', 'LSH finds no pair below the threshold');

for my $k (0, 3, 6)
{
    run("DROP TABLE IF EXISTS near; CALL distributed_simhash_join('sets', 'id', 'simhash(tokens)', $k, 'near')");
    is(differences($coordinator, 'SELECT a, b, distance FROM near', "SELECT * FROM simhash_join('SELECT id, simhash(tokens) FROM sets', $k)"),
        '0 0', "simhashes within $k: the pairs of simhash_join");
}

run("CALL distributed_clusters('banded', 'groups')");
is( differences(
        $coordinator,
        'SELECT id, cluster FROM groups',
        "SELECT c.* FROM (SELECT cluster_agg(a, b) AS forest FROM ppjoin('SELECT id, tokens FROM sets', 0.7) p JOIN (SELECT a AS x, b AS y FROM banded) f ON (x, y) = (a, b)) g, forest_clusters(forest) c"),
    '0 0', 'clusters are those of one server');

# ---------------------------------------------------------------------------
# Skew: no shard has much more to compare than the mean
# ---------------------------------------------------------------------------

run(<<'SQL');
CREATE TABLE zipf (id bigint, tokens tokenset);
SELECT create_distributed_table('zipf', 'id');
INSERT INTO zipf SELECT id, ARRAY(SELECT (exp(random() * ln(2000)) + 0 * id)::bigint FROM generate_series(1, 12))::tokenset FROM generate_series(1, 20000) id;
SQL
for my $threshold (0.6, 0.8)
{
    ($status, $out, $notices) = $coordinator->psql('postgres', "DROP TABLE IF EXISTS skewed; CALL distributed_join('zipf', 'id', 'tokens', $threshold, 'jaccard', 'skewed')");
    my ($balance) = $notices =~ /busiest shard, divided by the mean: ([0-9.]+)/;
    cmp_ok($balance, '<=', 1.5, "Zipf tokens, Jaccard $threshold: the busiest shard compares at most half more than the mean ($balance)");
    is(differences($coordinator, 'SELECT a, b, similarity FROM skewed', "SELECT * FROM ppjoin('SELECT id, tokens FROM zipf', $threshold)"),
        '0 0', "Zipf tokens, Jaccard $threshold: the pairs of ppjoin");
}

# ---------------------------------------------------------------------------
# Real sets
# ---------------------------------------------------------------------------

SKIP:
{
    skip 'the shared data sets are not here', 6 unless load_texts($coordinator, 'debdesc') && load_texts($coordinator, 'papers_ta') && load_texts($coordinator, 'dblp_acm');

    for my $case (
        [ 'debdesc', 'word_set(body)', 0.8 ],
        [ 'papers_ta', 'word_set(body)', 0.8 ],
        [ 'papers_ta', 'word_set(body)', 0.5 ],
        [ 'papers_ta', 'qgram_set(body, 3)', 0.8 ])
    {
        my ($table, $tokens, $threshold) = @$case;

        run("DROP TABLE IF EXISTS found; CALL distributed_join('$table', 'id', '$tokens', $threshold, 'jaccard', 'found')");
        is(differences($coordinator, 'SELECT a, b, similarity FROM found', "SELECT * FROM ppjoin('SELECT id, $tokens FROM $table', $threshold)"),
            '0 0', "$table, $tokens, $threshold: the pairs of ppjoin");
    }
    run("DROP TABLE met; CALL distributed_join('papers_ta', 'id', 'word_set(body)', 'dblp_acm', 'id', 'word_set(body)', 0.2, 'jaccard', 'met')");
    # They have hardly a paper in common.
    cmp_ok($coordinator->safe_psql('postgres', 'SELECT count(*) FROM met'), '>', 0, 'papers_ta with dblp_acm: there are pairs');
    is( differences(
            $coordinator, 'SELECT a, b, similarity FROM met',
            "SELECT * FROM ppjoin('SELECT id, word_set(body) FROM papers_ta', 0.2, against => 'SELECT id, word_set(body) FROM dblp_acm')"),
        '0 0', 'papers_ta with dblp_acm: the pairs of ppjoin');
}

done_testing();
