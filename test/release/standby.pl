# On a standby every join, lookup and computation gives what the primary gives, with temporary files and workers;
# what must write says so. A standby that is promoted amid writes has whole indexes and clusters, and goes on.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";
use IPC::Run;
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = new_node('primary', allows_streaming => 1, conf => "max_parallel_workers = 8\n");

$primary->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;
CREATE EXTENSION neardup_track;
-- Texts of a theme, some of them copies.
CREATE FUNCTION text_of(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(format('w%s', (n % 300) * 12 + w * (1 + (n * 7 + w) % 11 / 10)), ' ') FROM generate_series(1, (8 + n % 5)::int) AS w
$$;
CREATE TABLE docs (id bigint PRIMARY KEY, body text, tokens tokenset, fp simhash, sketch minhash);
INSERT INTO docs SELECT n, text_of(n), word_tokens(text_of(n)), simhash(word_tokens(text_of(n))), minhash(word_tokens(text_of(n)), 64) FROM generate_series(1, 2000) AS n;
CREATE INDEX docs_neardup_idx ON docs USING neardup (tokens);
CREATE INDEX docs_scope_idx ON docs USING neardup ((id % 3), tokens);
CREATE INDEX docs_body_idx ON docs USING neardup (left(body, 40) edit_ops);
CREATE INDEX docs_gin_idx ON docs USING gin (tokens);
CREATE TABLE weights AS SELECT token_weights(tokens) AS w FROM docs;
CREATE INDEX docs_spgist_idx ON docs USING spgist (fp);
CREATE INDEX docs_bands_idx ON docs USING gin (lsh_bands(sketch, 16, 4));
CREATE TABLE tracked (id bigint PRIMARY KEY, body text);
INSERT INTO tracked SELECT n, text_of(n) FROM generate_series(1, 300) AS n;
SELECT neardup_track('tracked', 'id', 'word_tokens(body)', 0.7);
ANALYZE;
SQL
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));

my $sets = 'SELECT id, tokens FROM docs';
my $bodies = 'SELECT id, body FROM docs WHERE id < 800';
my $sketches = 'SELECT id, sketch FROM docs';
my $workers = force_workers($primary) . '; SET max_parallel_workers_per_gather = 2;';
my $small = q{SET neardup.join_memory = '128kB'; SET work_mem = '128kB'; SET hash_mem_multiplier = 1;};
my $force_index = 'SET enable_seqscan = off; SET enable_sort = off;';
my $force_node = 'SET enable_nestloop = off; SET enable_hashjoin = off; SET enable_mergejoin = off;';
my @reads = (
    (map { [ "ppjoin by $_", "SELECT a, b, similarity FROM ppjoin('$sets', 0.7, 'jaccard', '$_')" ] } 'allpairs', 'ppjoin', 'ppjoin+', 'auto'),
    [ 'ppjoin of two queries', "SELECT a, b, similarity FROM ppjoin('$sets WHERE id % 2 = 0', 0.7, 'idf_cosine', against => '$sets')" ],
    [ 'ppjoin from files', "SELECT a, b, similarity FROM ppjoin('$sets', 0.7)", $small ],
    [ 'ppjoin with workers', "SELECT a, b, similarity FROM ppjoin('$sets', 0.7)", $workers ],
    [ 'topk_join', "SELECT a, b, similarity FROM topk_join('$sets', 100)" ],
    [ 'knn_join', "SELECT a, b, similarity, rank FROM knn_join('$sets', 3, 0.5)" ],
    [ 'match_join', "SELECT a, b, similarity FROM match_join('$sets WHERE id <= 1000', 0.5, against => '$sets WHERE id > 1000')" ],
    [ 'edit_join', "SELECT a, b, distance FROM edit_join('$bodies', 3)" ],
    [ 'edit_join from files', "SELECT a, b, distance FROM edit_join('$bodies', 3)", $small ],
    [ 'simhash_join', "SELECT a, b, distance FROM simhash_join('SELECT id, fp FROM docs', 3)" ],
    [ 'simhash_join from files', "SELECT a, b, distance FROM simhash_join('SELECT id, fp FROM docs', 3)", $small ],
    [ 'lsh_join', "SELECT a, b, similarity FROM lsh_join('$sets', 0.7)" ],
    [ 'sketch_overlap_join', "SELECT a, b, shared FROM sketch_overlap_join('$sketches', 48)" ],
    [ 'supershingle_join', "SELECT a, b, shared FROM supershingle_join('$sketches', 4, 48)" ],
    [ 'cluster_pairs', "SELECT * FROM cluster_pairs('SELECT a, b FROM ppjoin(''$sets'', 0.7)')" ],
    [ 'near_duplicates', q{SELECT * FROM near_duplicates('docs', 'id', 'body', 0.7, keep => 'id DESC')} ],
    [ 'near_duplicates from files', q{SELECT * FROM near_duplicates('docs', 'id', 'body', 0.7, keep => 'id DESC')}, $small ],
    [ 'pairs_quality', "SELECT * FROM pairs_quality('SELECT a, b FROM lsh_join(''$sets'', 0.7)', 'SELECT a, b FROM ppjoin(''$sets'', 0.7)')" ],
    [ 'estimate_join', "SELECT threshold, memory_bytes > 0 FROM estimate_join('$sets', ARRAY[0.7, 0.8])" ],
    [ 'aggregates', 'SELECT token_weights(tokens), common_tokens(tokens, 0.002), minhash_union_agg(sketch), simhash_agg(body, 1) FROM docs' ],
    [ 'the index neardup', q{SELECT id FROM docs WHERE jaccard_ge(tokens, (SELECT d.tokens FROM docs d WHERE d.id = 7), 0.6)}, "$force_index DISCARD PLANS;" ],
    [ 'nearest sets', q{SELECT d FROM (SELECT tokens <%> word_tokens(text_of(7)) AS d FROM docs ORDER BY 1 LIMIT 20) AS n}, $force_index ],
    (map { [ "nearest sets by $_", "SELECT d FROM (SELECT tokens $_ word_tokens(text_of(7)) AS d FROM docs ORDER BY 1 LIMIT 20) AS n", $force_index ] } '<@>>', '<<@>'),
    [ 'nearest sets of a scope', q{SELECT d FROM (SELECT tokens <@>> word_tokens(text_of(7)) AS d FROM docs WHERE id % 3 = 1 ORDER BY 1 LIMIT 20) AS n}, $force_index ],
    [ 'sets by weights', q{SELECT id FROM docs WHERE idf_cosine_ge(tokens, word_tokens(text_of(7)), (SELECT w FROM weights), 0.5)}, $force_index ],
    [ 'texts by edit distance', q{SELECT id FROM docs WHERE edit_within(left(body, 40), left(text_of(7), 40), 4)}, $force_index ],
    [ 'SP-GiST', q{SELECT id FROM docs WHERE simhash_within(fp, simhash(word_tokens(text_of(7))), 4)}, $force_index ],
    [ 'bands', q{SELECT id FROM docs WHERE lsh_candidate(sketch, minhash(word_tokens(text_of(7)), 64), 16, 4)}, $force_index ],
    [ 'the join node', 'SELECT a.id, b.id FROM docs a JOIN docs b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.7)', $force_node ],
    [ 'the join node with workers', 'SELECT a.id, b.id FROM docs a JOIN docs b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.7)', "$force_node $workers" ],
    [ 'the join node from files', 'SELECT a.id, b.id FROM docs a JOIN docs b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.7)', "$force_node $small" ],
    [ 'tracked clusters', 'SELECT * FROM tracked_neardup' ]);
foreach my $read (@reads)
{
    my ($what, $query, $settings) = @$read;
    my ($here, $there) = map {
        $_->safe_psql('postgres', ($settings // '') . qq{SELECT count(*), md5(string_agg(r::text, ' ' ORDER BY r::text COLLATE "C")) FROM ($query) AS r})
    } $standby, $primary;

    is($here, $there, "standby: $what, as on the primary");
    cmp_ok($here =~ s/\|.*//r, '>', 0, "standby: $what finds something");
}
is($standby->safe_psql('postgres', "$small SELECT temp_bytes > 0 FROM ppjoin_stats('$sets', 0.7)"), 't', 'standby: joins write temporary files');
is($standby->safe_psql('postgres', "$workers SELECT workers FROM ppjoin_stats('$sets', 0.7)"), '2', 'standby: joins have workers');
is($standby->safe_psql('postgres', q{SELECT (neardup_index_check('docs_neardup_idx')).rows}), '2000', 'standby: neardup_index_check');

# What writes, on a standby and in a transaction that only reads.
foreach my $write (
    q{SELECT neardup_track('docs', 'id', 'tokens', 0.7)},
    q{SELECT neardup_refresh('tracked')},
    q{SELECT neardup_untrack('tracked')},
    q{INSERT INTO tracked VALUES (-1, 'a')},
    q{DELETE FROM docs WHERE id IN (SELECT id FROM near_duplicates('docs', 'id', 'body', 0.7))})
{
    is(sqlstate_of($standby, 'postgres', $write), '25006', "standby: refused: $write");
    is(sqlstate_of($primary, 'postgres', "BEGIN READ ONLY; $write"), '25006', "READ ONLY: refused: $write");
}

# Promotion while sessions write
my $script = PostgreSQL::Test::Utils::tempdir() . '/write.sql';
append_to_file(
    $script, <<'SQL');
\set n random(1, 2000)
\set rows random(1, 130)
BEGIN;
INSERT INTO tracked SELECT i, text_of(i + :client_id) FROM generate_series(:n, :n + CASE WHEN :rows > 120 THEN :rows ELSE :rows % 4 END) AS i ON CONFLICT (id) DO UPDATE SET body = excluded.body;
DELETE FROM tracked WHERE id BETWEEN :n + 500 AND :n + 502;
INSERT INTO docs SELECT 10000 + nextval('numbers'), body, word_tokens(body), simhash(word_tokens(body)), minhash(word_tokens(body), 64) FROM tracked WHERE id % 50 = :n % 50;
DELETE FROM docs WHERE id = :n;
END;
SQL
$primary->safe_psql('postgres', 'CREATE SEQUENCE numbers');

# Returns when some transactions have been committed.
sub start_writing
{
    my ($node) = @_;
    my $reached = $node->safe_psql('postgres', 'SELECT last_value + 200 FROM numbers');
    my $writing = IPC::Run::start([ 'pgbench', '-n', '-c', 4, '-T', 600, '--max-tries=0', '-f', $script, $node->connstr('postgres') ],
        '<', \undef, '>&', \my $output);

    $node->poll_query_until('postgres', "SELECT last_value > $reached FROM numbers") or die "nothing is written: $output";
    return $writing;
}

sub whole
{
    my ($node, $when) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    is($node->safe_psql('postgres', q{SELECT count(*) FROM neardup_refresh('tracked')}), '0', "$when: the clusters are those of a fresh join");
    is($node->safe_psql('postgres', q{SELECT count(*) - count(DISTINCT member) FROM tracked_neardup}), '0', "$when: no number is given twice");
    foreach my $index (split /\n/, $node->safe_psql('postgres', q{SELECT c.oid::regclass FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'neardup'}))
    {
        my ($status, $out, $err) = $node->psql('postgres', "SELECT neardup_index_check('$index')", on_error_stop => 1);
        is($err, '', "$when: $index is whole");
    }
    foreach my $what ('the index neardup', 'SP-GiST', 'bands')
    {
        my ($query) = map { $_->[1] } grep { $_->[0] eq $what } @reads;
        my ($by_index, $by_scan) = map { $node->safe_psql('postgres', "$_; SELECT string_agg(id::text, ' ' ORDER BY id) FROM ($query) AS r") }
          'SET enable_seqscan = off', 'SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off';

        is($by_index, $by_scan, "$when: a lookup by $what finds what a scan of the table finds");
    }
    return;
}

foreach my $round (1, 2)
{
    my $writing = start_writing($primary);
    $standby->poll_query_until('postgres', q{SELECT count(*) > 100 FROM docs WHERE id > 10000}) or die 'nothing is replayed';
    $primary->stop('immediate');
    $writing->finish;
    $standby->promote;
    whole($standby, "promotion $round");

    $writing = start_writing($standby);
    $writing->kill_kill;
    $standby->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'pgbench'}) or die 'sessions stay';
    $standby->safe_psql('postgres', 'VACUUM docs, tracked, tracked_neardup');
    whole($standby, "promotion $round, and more writes");
    last if $round == 2;

    # The promoted one is the next primary.
    $primary = $standby;
    $primary->backup('again');
    $standby = PostgreSQL::Test::Cluster->new('standby_again');
    $standby->init_from_backup($primary, 'again', has_streaming => 1);
    $standby->start;
}

$standby->stop;
done_testing();
