# pg_upgrade from an older server: values, indexes, constraints and tracked clusters are what they were; the
# statistics of elements are lost until ANALYZE. NEARDUP_OLD_BINDIR names the programs of the older server, which
# has the extension; "make check" prepares one where it finds one.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";
use File::Basename 'dirname';
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $old_bindir = $ENV{NEARDUP_OLD_BINDIR}
  or plan skip_all => 'no older server is installed here, and NEARDUP_OLD_BINDIR names none';
my ($old_major) = `"$old_bindir/pg_config" --version` =~ /(\d+)/;
my ($new_major) = `pg_config --version` =~ /(\d+)/;
plan skip_all => "version $old_major is not older than $new_major" if $old_major >= $new_major;

# From 18 on initdb enables checksums unless told not to, and both clusters must agree.
my @initdb = ('--encoding=UTF8', '--locale=C.UTF-8');
my @unlike_old = $new_major >= 18 && $old_major < 18 ? ('--no-data-checksums') : ();
my $old = new_node("version_$old_major", install_path => dirname($old_bindir), extra => \@initdb);
# Statistics are to be those that pg_upgrade brings.
my $new = new_node("version_$new_major", extra => [ @initdb, @unlike_old ], conf => "autovacuum = off\n");
my $directory = PostgreSQL::Test::Utils::tempdir();

# 15.20 and its contemporaries mark each column with an option that releases before them refuse.
my $marked = q{SELECT count(*) > 0 FROM pg_attribute WHERE attoptions::text LIKE '%pg_attver%'};
plan skip_all => 'the minor release of the old server is newer than that of the new one'
  if $old->safe_psql('postgres', $marked) eq 't' && $new->safe_psql('postgres', $marked) eq 'f';

$old->safe_psql('postgres', q{
    CREATE EXTENSION neardup;
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
    CREATE TABLE apart (fp simhash, CONSTRAINT near EXCLUDE USING spgist (simhash_ball(fp, 3) WITH &&));
    INSERT INTO apart VALUES ('0000000000000000'), ('00000000000000ff');
    CREATE TABLE queries AS SELECT 'containment({1,2}, x) >= 0.1'::tokenset_query AS query;
    SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
    ANALYZE;
});

my $rows = q{SELECT count(*), md5(string_agg(concat(id, body, fp, sketch, tokens), E'\n' ORDER BY id)) FROM docs};
my $clusters = q{SELECT count(DISTINCT cluster), md5(string_agg(concat(key, ' ', cluster), E'\n' ORDER BY key)) FROM docs_neardup};
my $queries = q{SELECT query FROM queries};

# The condition that an index is for.
my %lookups = (
    docs_gin => 'jaccard_ge(tokens, (SELECT tokens FROM docs WHERE id = 30), 0.6)',
    docs_words => 'jaccard_ge(word_tokens(body), (SELECT tokens FROM docs WHERE id = 31), 0.6)',
    docs_bands => 'lsh_candidate(sketch, (SELECT sketch FROM docs WHERE id = 32), 16, 4)',
    docs_hash => 'tokens = (SELECT tokens FROM docs WHERE id = 33)',
    docs_sketch => 'sketch = (SELECT sketch FROM docs WHERE id = 34)',
    docs_near => 'fp <@ simhash_ball((SELECT fp FROM docs WHERE id = 35), 8)');

sub found
{
    my ($node, $condition, $switch) = @_;
    return $node->safe_psql('postgres', "$switch; SELECT string_agg(id::text, ' ' ORDER BY id) FROM docs WHERE $condition");
}

my $by_index = 'SET enable_seqscan = off';
my $by_table = 'SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off';
my %before = map { $_ => $old->safe_psql('postgres', $_) } $rows, $clusters, $queries;
my %found_before = map { $_ => found($old, $lookups{$_}, $by_index) } keys %lookups;

my $statistics = q{
    SELECT n_distinct IS NOT NULL, most_common_elems IS NOT NULL, elem_count_histogram IS NOT NULL
    FROM pg_stats WHERE tablename = 'docs' AND attname = 'tokens'};
is($old->safe_psql('postgres', $statistics), 't|t|t', 'the old server has statistics of elements');

$old->stop;
$new->stop;
chdir $directory or die "$directory: $!";
my @upgrade = (
    'pg_upgrade', '--no-sync',
    '-b' => $old_bindir, '-B' => $new->config_data('--bindir'),
    '-d' => $old->data_dir, '-D' => $new->data_dir,
    '-s' => $new->host, '-p' => $old->port, '-P' => $new->port);
command_ok([ @upgrade, '--check' ], "pg_upgrade --check from $old_major to $new_major");
command_ok(\@upgrade, "pg_upgrade from $old_major to $new_major");
# Gone where pg_upgrade succeeded.
diag(slurp_file($_)) for glob $new->data_dir . '/pg_upgrade_output.d/*/log/pg_upgrade_dump_*.log';
$new->start;

is($new->safe_psql('postgres', $_), $before{$_}, "the same: $_") for $rows, $clusters, $queries;

# Nothing of a tokenset was carried before 18; from then on all but what PostgreSQL cannot restore of this type.
is($new->safe_psql('postgres', $statistics), $new_major >= 18 ? 't|f|f' : '', 'pg_upgrade loses statistics of elements');

foreach my $index (sort keys %lookups)
{
    my $condition = $lookups{$index};

    like($new->safe_psql('postgres', "$by_index; EXPLAIN SELECT id FROM docs WHERE $condition"), qr/Index (Only )?Scan (on|using) $index\b/, "$index is used");
    isnt($found_before{$index}, '', "$index found rows before");
    is(found($new, $condition, $by_index), $found_before{$index}, "$index finds the same rows");
    is(found($new, $condition, $by_table), $found_before{$index}, "$index finds those of a sequential scan");
}
is(sqlstate_of($new, 'postgres', "INSERT INTO apart VALUES ('00000000000000fe')"), '23P01', 'the constraint excludes what is near');
is(sqlstate_of($new, 'postgres', "INSERT INTO apart VALUES ('ff00000000000000')"), '00000', 'and nothing else');

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
