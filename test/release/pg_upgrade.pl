# pg_upgrade from an older server, and through several: values, indexes, constraints, views and tracked clusters are
# what they were; the statistics of elements are lost until ANALYZE. NEARDUP_OLD_BINDIR names the programs of the older
# servers, which have the extension, oldest first and with colons between; "make check" prepares one where it finds one.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";
use File::Basename 'dirname';
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my @bindirs = (split(/:/, $ENV{NEARDUP_OLD_BINDIR} // ''), undef);
plan skip_all => 'no older server is installed here, and NEARDUP_OLD_BINDIR names none' if @bindirs == 1;
my @majors = map { my $program = defined $_ ? "$_/pg_config" : 'pg_config'; `"$program" --version` =~ /(\d+)/ } @bindirs;
for my $i (1 .. $#majors)
{
    plan skip_all => "version $majors[$i - 1] is not older than $majors[$i]" if $majors[$i - 1] >= $majors[$i];
}

# From 18 on initdb enables checksums unless told not to, and all clusters must agree.
my @nodes = map {
    new_node("version_$majors[$_]",
        defined $bindirs[$_] ? (install_path => dirname($bindirs[$_])) : (),
        extra => [ '--encoding=UTF8', '--locale=C.UTF-8', $majors[0] < 18 && $majors[$_] >= 18 ? '--no-data-checksums' : () ],
        # Statistics are to be those that pg_upgrade brings.
        conf => $_ ? "autovacuum = off\n" : '')
} 0 .. $#majors;
my ($old, $new) = @nodes[ 0, -1 ];
my ($old_major, $new_major) = @majors[ 0, -1 ];
my $directory = PostgreSQL::Test::Utils::tempdir();

# 15.20 and its contemporaries mark each column with an option that releases before them refuse.
my $marked = q{SELECT count(*) > 0 FROM pg_attribute WHERE attoptions::text LIKE '%pg_attver%'};
for my $i (1 .. $#nodes)
{
    plan skip_all => "the minor release of version $majors[$i - 1] is newer than that of $majors[$i]"
      if $nodes[$i - 1]->safe_psql('postgres', $marked) eq 't' && $nodes[$i]->safe_psql('postgres', $marked) eq 'f';
}

$old->safe_psql('postgres', q{
    CREATE EXTENSION neardup;
    CREATE EXTENSION neardup_track;
    CREATE EXTENSION pg_trgm;
    CREATE EXTENSION neardup_trgm;
    CREATE TABLE docs (id int PRIMARY KEY, body text NOT NULL, fp simhash, sketch minhash,
                       tokens tokenset GENERATED ALWAYS AS (word_tokens(body)) STORED);
    INSERT INTO docs
        SELECT i, body, simhash(word_tokens(body)), minhash(word_tokens(body), 64)
        FROM (SELECT i, format('common own%s ', i) || (SELECT string_agg(format('w%sx%s', i / 3, j), ' ') FROM generate_series(1, 10) j)
              FROM generate_series(1, 600) i) s (i, body);
    CREATE INDEX docs_gin ON docs USING gin (tokens);
    CREATE INDEX docs_words ON docs USING gin (word_tokens(body));
    CREATE INDEX docs_bands ON docs USING gin (lsh_bands(sketch, 16, 4));
    CREATE INDEX docs_hash ON docs USING hash (tokens);
    CREATE INDEX docs_sketch ON docs (sketch);
    CREATE INDEX docs_near ON docs USING spgist (fp);
    CREATE INDEX docs_similar ON docs USING neardup (tokens);
    CREATE INDEX docs_similar_words ON docs USING neardup (word_tokens(body)) WHERE id < 500;
    CREATE INDEX docs_ordered ON docs (tokens);
    CREATE INDEX docs_trigrams ON docs USING neardup (body trgm_ops);
    CREATE TABLE apart (fp simhash, CONSTRAINT near EXCLUDE USING spgist (simhash_ball(fp, 3) WITH &&));
    INSERT INTO apart VALUES ('0000000000000000'), ('00000000000000ff');
    CREATE TABLE sets_apart (tokens tokenset, EXCLUDE USING neardup (jaccard_ball(tokens, 0.6) WITH &&));
    INSERT INTO sets_apart VALUES ('{1,2,3,4}');
    CREATE TABLE names_apart (name text, EXCLUDE USING neardup (name trgm_ops WITH %));
    INSERT INTO names_apart VALUES ('John Smith');
    CREATE TABLE queries AS SELECT 'containment({1,2}, x) >= 0.1'::tokenset_query AS query;
    CREATE TABLE weights AS SELECT token_weights(tokens) AS weights FROM docs;
    CREATE DOMAIN short_set AS tokenset CHECK (cardinality(VALUE) < 20);
    CREATE TABLE checked (tokens short_set CHECK (jaccard(tokens, '{1,2}') < 0.9));
    INSERT INTO checked VALUES ('{1}'), ('{1,2,3}');
    CREATE VIEW pairs AS SELECT a, b FROM ppjoin('SELECT id, tokens FROM public.docs', 0.6);
    CREATE VIEW copies AS SELECT id, duplicate_of, kind, cluster FROM near_duplicates('docs', 'id', 'body', 0.6);
    CREATE VIEW alike AS SELECT a.id AS a, b.id AS b FROM docs AS a JOIN docs AS b ON jaccard_ge(a.tokens, b.tokens, 0.6) AND a.id < b.id;
    CREATE VIEW named AS SELECT a.id AS a, b.id AS b FROM docs AS a JOIN docs AS b ON similarity(a.body, b.body) > 0.7 AND a.id < b.id WHERE a.id < 60 AND b.id < 60;
    CREATE VIEW weighted AS SELECT a, b FROM ppjoin('SELECT id, tokens FROM public.docs', 0.6, 'idf_jaccard');
    CREATE MATERIALIZED VIEW clusters AS SELECT * FROM cluster_pairs('SELECT a, b FROM public.pairs');
    SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
    ANALYZE;
});

my $rows = q{SELECT count(*), md5(string_agg(concat(id, body, fp, sketch, tokens), E'\n' ORDER BY id)) FROM docs};
my $clusters = q{SELECT count(DISTINCT cluster), md5(string_agg(concat(key, ' ', cluster), E'\n' ORDER BY key)) FROM docs_neardup};
my @same = (
    $rows, $clusters,
    q{SELECT query FROM queries},
    q{SELECT count(*), md5(string_agg(weights::text, ' ')) FROM weights},
    q{SELECT string_agg(tokens::text, ' ' ORDER BY tokens) FROM checked},
    (map { "SELECT count(*), md5(string_agg(v::text, ' ' ORDER BY v::text)) FROM $_ AS v" } qw(pairs copies alike named weighted clusters)));

# The condition that an index is for.
my %lookups = (
    docs_gin => 'jaccard_ge(tokens, (SELECT tokens FROM docs WHERE id = 30), 0.6)',
    docs_words => 'jaccard_ge(word_tokens(body), (SELECT tokens FROM docs WHERE id = 31), 0.6)',
    docs_bands => 'lsh_candidate(sketch, (SELECT sketch FROM docs WHERE id = 32), 16, 4)',
    docs_hash => 'tokens = (SELECT tokens FROM docs WHERE id = 33)',
    docs_sketch => 'sketch = (SELECT sketch FROM docs WHERE id = 34)',
    docs_similar => 'jaccard_ge(tokens, (SELECT tokens FROM docs WHERE id = 36), 0.6)',
    docs_similar_words => 'id < 500 AND jaccard_ge(word_tokens(body), (SELECT tokens FROM docs WHERE id = 37), 0.6)',
    docs_trigrams => 'similarity(body, (SELECT body FROM docs WHERE id = 39)) >= 0.6',
    docs_ordered => 'tokens < (SELECT tokens FROM docs WHERE id = 38)',
    docs_near => 'fp <@ simhash_ball((SELECT fp FROM docs WHERE id = 35), 8)');

sub found
{
    my ($node, $condition, $switch) = @_;
    return $node->safe_psql('postgres', "$switch; SELECT string_agg(id::text, ' ' ORDER BY id) FROM docs WHERE $condition");
}

# No other index but one.
sub by_index
{
    my ($index) = @_;
    return 'BEGIN; DROP INDEX ' . join(', ', grep { $_ ne $index } sort keys %lookups) . '; SET enable_seqscan = off';
}

my $by_table = 'SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off';
my %before = map { $_ => $old->safe_psql('postgres', $_) } @same;
my %found_before = map { $_ => found($old, $lookups{$_}, by_index($_)) } keys %lookups;

my $statistics = q{
    SELECT n_distinct IS NOT NULL, most_common_elems IS NOT NULL, elem_count_histogram IS NOT NULL
    FROM pg_stats WHERE tablename = 'docs' AND attname = 'tokens'};
is($old->safe_psql('postgres', $statistics), 't|t|t', 'the old server has statistics of elements');

$_->stop for @nodes;
chdir $directory or die "$directory: $!";
for my $i (1 .. $#nodes)
{
    my ($from, $to) = @nodes[ $i - 1, $i ];
    my @upgrade = (
        $to->config_data('--bindir') . '/pg_upgrade', '--no-sync',
        '-b' => $from->config_data('--bindir'), '-B' => $to->config_data('--bindir'),
        '-d' => $from->data_dir, '-D' => $to->data_dir,
        '-s' => $to->host, '-p' => $from->port, '-P' => $to->port);
    command_ok([ @upgrade, '--check' ], "pg_upgrade --check from $majors[$i - 1] to $majors[$i]");
    command_ok(\@upgrade, "pg_upgrade from $majors[$i - 1] to $majors[$i]");
    # Gone where pg_upgrade succeeded.
    diag(slurp_file($_)) for glob $to->data_dir . '/pg_upgrade_output.d/*/log/pg_upgrade_dump_*.log';
}
$new->start;

is($new->safe_psql('postgres', $_), $before{$_}, "the same: $_") for @same;

# Nothing of a tokenset was carried before 18; from then on all but what PostgreSQL cannot restore of this type.
is($new->safe_psql('postgres', $statistics), $majors[1] >= 18 ? 't|f|f' : '', 'pg_upgrade loses statistics of elements');

foreach my $index (sort keys %lookups)
{
    my $condition = $lookups{$index};

    like($new->safe_psql('postgres', by_index($index) . "; EXPLAIN SELECT id FROM docs WHERE $condition"), qr/Index (Only )?Scan (on|using) $index\b/, "$index is used");
    isnt($found_before{$index}, '', "$index found rows before");
    is(found($new, $condition, by_index($index)), $found_before{$index}, "$index finds the same rows");
    is(found($new, $condition, $by_table), $found_before{$index}, "$index finds those of a sequential scan");
}
is(sqlstate_of($new, 'postgres', "SET neardup.similarity_threshold = 1; INSERT INTO sets_apart VALUES ('{1,2,3,4,5}')"), '23P01', 'a constraint on balls keeps its threshold');
is(sqlstate_of($new, 'postgres', "INSERT INTO names_apart VALUES ('Jon Smith')"), '23P01', 'and one by trigrams keeps its rows apart');
is(sqlstate_of($new, 'postgres', "INSERT INTO apart VALUES ('00000000000000fe')"), '23P01', 'the constraint excludes what is near');
is(sqlstate_of($new, 'postgres', "INSERT INTO apart VALUES ('ff00000000000000')"), '00000', 'and nothing else');
is(sqlstate_of($new, 'postgres', "INSERT INTO checked VALUES ('{1,2}')"), '23514', 'a check by similarity holds');
is(sqlstate_of($new, 'postgres', "SELECT neardup_index_check('docs_similar'), neardup_index_check('docs_similar_words')"), '00000', 'nothing is wrong in the indexes');

is($new->safe_psql('postgres', q{SELECT * FROM neardup_refresh('docs')}), '', 'the tracked clusters are those of a fresh join');
$new->safe_psql('postgres', q{INSERT INTO docs (id, body) SELECT 1000, body FROM docs WHERE id = 30});
is( $new->safe_psql('postgres', q{SELECT count(DISTINCT cluster) FROM docs_neardup WHERE key IN (30, 1000)}),
    '1', 'a new row joins the cluster of what it resembles');
is($new->safe_psql('postgres', q{SELECT * FROM neardup_refresh('docs')}), '', 'as a fresh join would have it');

$new->safe_psql('postgres', 'ANALYZE');
is($new->safe_psql('postgres', $statistics), 't|t|t', 'ANALYZE makes statistics of elements again');
is(sqlstate_of($new, 'postgres', 'REINDEX TABLE docs; REINDEX TABLE apart'), '00000', 'the indexes are built again');
SKIP:
{
    skip 'amcheck is not installed', 1
      if $new->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'amcheck'}) eq '0';
    $new->command_ok([ 'pg_amcheck', '--install-missing', '-d', 'postgres' ], 'pg_amcheck finds nothing');
}

$new->stop;
done_testing();
