# Faults: long statements of every kind for faults to meet, and what these must not leave behind.
#
# load_rows() fills docs, which most statements read, and tracked, whose clusters are tracked. Segments of
# dynamic shared memory are files in $SEGMENTS, with a dot in their names.
package Faults;

use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;

our @EXPORT = qw(fault_conf load_rows long_statements take_stock leftovers leaves_nothing session_of outcome_of wait_until_gone
  can_have_small_disks start_with_small_disks);

our $SEGMENTS = 'pg_dynshmem';

sub fault_conf
{
    return "dynamic_shared_memory_type = mmap\nmax_parallel_workers = 8\nmax_worker_processes = 16\nautovacuum = off\n";
}

# Half of the rows are like an earlier one.
sub load_rows
{
    my ($node, $rows) = @_;

    $node->safe_psql('postgres', <<"SQL" . <<'SQL');
CREATE EXTENSION neardup;
CREATE EXTENSION neardup_track;
SELECT setseed(0.32);
CREATE TABLE docs (id int PRIMARY KEY, body text, tokens tokenset, word text);
INSERT INTO docs (id, body)
SELECT id, (SELECT string_agg('w' || (random() * random() * $rows / 4)::int, ' ') FROM generate_series(0, 15 + id % 20))
FROM generate_series(1, $rows) id;
SQL
UPDATE docs d SET body = 'x' || d.id || ' ' || s.body FROM docs s WHERE d.id % 2 = 0 AND s.id = d.id / 2;
UPDATE docs SET tokens = word_tokens(body), word = left(md5((id - id % 3)::text), 8 - id % 3);
CREATE INDEX docs_tokens ON docs USING neardup (tokens);
CREATE TABLE pairs AS SELECT * FROM ppjoin('SELECT id, tokens FROM docs', 0.6);
CREATE TABLE tracked (id int PRIMARY KEY, body text);
INSERT INTO tracked SELECT id, body FROM docs WHERE id % 2 = 1;
SELECT neardup_track('tracked', 'id', 'word_tokens(body)', 0.6);
VACUUM ANALYZE;
SQL
    take_stock($node);
    return;
}

# Statements by name. Those that write end with the transaction that runs them.
sub long_statements
{
    my $sets = "'SELECT id, tokens FROM docs'";
    my ($even, $odd) = map { "'SELECT id, tokens FROM docs WHERE id % 2 = $_'" } 0, 1;
    my $sketches = "'SELECT id, minhash(tokens) FROM docs'";

    return (
        'ppjoin' => "SELECT count(*) FROM ppjoin($sets, 0.3)",
        'ppjoin by the paper' => "SELECT count(*) FROM ppjoin($sets, 0.5, 'jaccard', 'ppjoin+')",
        'ppjoin of two queries' => "SELECT count(*) FROM ppjoin($even, 0.8, 'containment', against => $odd)",
        'ppjoin by weights' => "SELECT count(*) FROM ppjoin($sets, 0.5, 'idf_jaccard')",
        'ppjoin_keyed' => "SELECT count(*) FROM ppjoin_keyed(NULL::text, 'SELECT repeat(''k'', 40) || id, tokens FROM docs', 0.4)",
        'pairs of ppjoin' => "SELECT max(a), max(b) FROM ppjoin($sets, 0.2)",
        'topk_join' => "SELECT count(*) FROM topk_join($sets, 3000)",
        'knn_join' => "SELECT count(*) FROM knn_join($sets, 3, 0.3)",
        'match_join' => "SELECT count(*) FROM match_join($even, 0.3, against => $odd)",
        'match_pairs' => "SELECT count(*) FROM match_pairs('SELECT x.a, y.b, x.similarity FROM pairs x, pairs y WHERE y.a % 100 = 1')",
        'link_tables' => "SELECT count(*) FROM link_tables('SELECT id, body FROM docs WHERE id % 16 = 0', 'SELECT id, body FROM docs WHERE id % 16 = 1')",
        'edit_join' => "SELECT count(*) FROM edit_join('SELECT id, word FROM docs', 2)",
        'simhash_join' => "SELECT count(*) FROM simhash_join('SELECT id, simhash(tokens) FROM docs', 6)",
        'lsh_join' => "SELECT count(*) FROM lsh_join($sets, 0.5)",
        'sketch_overlap_join' => "SELECT count(*) FROM sketch_overlap_join($sketches, 60)",
        'supershingle_join' => "SELECT count(*) FROM supershingle_join($sketches, 4, 60)",
        'near_duplicates' => "SELECT count(*) FROM near_duplicates('docs', 'id', 'body', 0.5)",
        'cluster_pairs' => "SELECT count(*) FROM cluster_pairs('SELECT a, b FROM pairs')",
        'complete clusters' => "SELECT count(*) FROM cluster_pairs('SELECT a, b, similarity FROM pairs', 'complete')",
        'cluster_agg' => 'SELECT count(*) FROM (SELECT cluster_agg(a, b) FROM pairs, generate_series(1, 20)) c',
        'estimate_join' => "SELECT count(*) FROM estimate_join($sets, '{0.3,0.8}')",
        'common_tokens' => 'SELECT cardinality(common_tokens(tokens, 0.01)) FROM docs, generate_series(1, 5)',
        'token_weights' => "SELECT length(token_weights(tokens)::text) FROM docs, generate_series(1, 5)",
        'tokenset_union_agg' => 'SELECT cardinality(tokenset_union_agg(tokens)) FROM docs, generate_series(1, 5)',
        'node' => 'SELECT count(*) FROM docs a JOIN docs b ON jaccard_ge(a.tokens, b.tokens, 0.3)',
        'nearest rows' => 'SELECT count(*) FROM docs a, LATERAL (SELECT FROM docs b ORDER BY b.tokens <%> a.tokens LIMIT 10) b WHERE a.id <= 200',
        'lookups' => 'SELECT count(*) FROM docs a, LATERAL (SELECT FROM docs b WHERE jaccard_ge(b.tokens, a.tokens, 0.4) OFFSET 0) b WHERE a.id <= 1000',
        'neardup_index_check' => q{SELECT rows FROM neardup_index_check('docs_tokens')},
        'index build' => 'CREATE INDEX ON docs USING neardup (tokens)',
        'GIN build' => 'CREATE INDEX ON docs USING gin (tokens)',
        'index merge' => 'INSERT INTO docs (id, tokens) SELECT id + 1000000, tokens FROM docs',
        'bulk of a tracked table' => 'INSERT INTO tracked SELECT id, body FROM docs WHERE id % 2 = 0',
        'removal from a tracked table' => 'DELETE FROM tracked WHERE id % 3 = 0',
        'neardup_track' => q{SELECT neardup_track('docs', 'id', 'tokens', 0.5)},
        'neardup_refresh' => q{SELECT count(*) FROM neardup_refresh('tracked')},
    );
}

# Segments of shared memory that the statistics have, and sessions that once had workers.
my %segments_before;

sub take_stock
{
    my ($node) = @_;

    $segments_before{ $node->name } = $node->safe_psql('postgres', "SELECT count(*) FROM pg_ls_dir('$SEGMENTS') f WHERE f ~ '[.]'");
    return;
}

# What is there now of workers, temporary files, and segments beyond those of the last stock-taking.
sub leftovers
{
    my ($node) = @_;
    my ($segments, $others) = split /\|/, $node->safe_psql('postgres', <<"SQL");
SELECT (SELECT count(*) FROM pg_ls_dir('$SEGMENTS') f WHERE f ~ '[.]'), concat_ws(', ',
    (SELECT count(*) || ' workers' FROM pg_stat_activity WHERE backend_type = 'parallel worker' HAVING count(*) > 0),
    (SELECT count(*) || ' temporary files' FROM pg_tablespace t, pg_ls_tmpdir(t.oid) WHERE spcname <> 'pg_global' HAVING count(*) > 0))
SQL
    my $before = $segments_before{ $node->name };

    return $segments > $before ? "$segments segments, not $before, $others" : $others;
}

# Tests that soon nothing is left.
sub leaves_nothing
{
    my ($node, $rule) = @_;
    my $left;
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    for (1 .. 100)
    {
        $left = leftovers($node);
        last if $left eq '';
        select undef, undef, undef, 0.1;
    }
    is($left, '', $rule);
    return;
}

# A session with these settings, and the number of its process. It has had workers, so that more of them leave no more.
sub session_of
{
    my ($node, @settings) = @_;
    my $session = $node->background_psql('postgres', on_error_stop => 0);

    $session->query_safe(force_workers($node) . "; SELECT count(*) FROM ppjoin('SELECT id, tokens FROM docs', 0.9); RESET ALL");
    take_stock($node);
    $session->query_safe(join '; ', @settings) if @settings;
    return ($session, printed($session->query_safe('SELECT pg_backend_pid()')));
}

# The SQLSTATE with which a statement of a session ends, or 'lost'.
sub outcome_of
{
    my ($session, $sql) = @_;
    my $error;

    $session->{stderr} = '';
    $session->query("\\set VERBOSITY sqlstate\n$sql");
    $error = $session->{stderr};
    $session->{stderr} = '';
    return $error =~ /(?:ERROR|FATAL): +([0-9A-Z]{5})/ ? $1 : '00000';
}

# Whether this user may mount small file systems in a namespace of its own.
sub can_have_small_disks
{
    return system('unshare --user --map-root-user --mount mount -t tmpfs none /mnt >/dev/null 2>&1') == 0;
}

# Starts a node that sees file systems of so many megabytes at these paths.
sub start_with_small_disks
{
    my ($node, %megabytes) = @_;
    my $folder = PostgreSQL::Test::Utils::tempdir();
    my $pg_ctl = $node->config_data('--bindir') . '/pg_ctl';
    my $mounts = join ' && ', map { "mount -t tmpfs -o size=$megabytes{$_}m,mode=1777 none $_" } keys %megabytes;

    append_to_file("$folder/pg_ctl", <<"SH");
#!/bin/sh
as_me="--map-user=\$(id -u) --map-group=\$(id -g)"
exec unshare --user --map-root-user --mount sh -c '$mounts && exec unshare --user '"\$as_me"' $pg_ctl "\$@"' pg_ctl "\$@"
SH
    chmod 0755, "$folder/pg_ctl";
    local $ENV{PATH} = "$folder:$ENV{PATH}";
    $node->start;
    return;
}

# Waits until processes have ended, and nobody owes them a wait.
sub wait_until_gone
{
    for my $pid (@_)
    {
        my $tries = 100 * $PostgreSQL::Test::Utils::timeout_default;

        while (kill 0, $pid)
        {
            die "process $pid does not end" if $tries-- == 0;
            select undef, undef, undef, 0.01;
        }
    }
    return;
}

1;
