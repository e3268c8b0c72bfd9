# From each version that was published, ALTER EXTENSION UPDATE gives the catalogs that CREATE EXTENSION
# gives, and what was made with the old version works on.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";
use ExtensionCatalog;
use JSON::PP;
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $current = decode_json(slurp_file(project_file('META.json')))->{version};
my @old = sort grep { $_ ne $current } map { /--([^-]+)\.sql$/ ? $1 : () } glob project_file('sql/neardup--*.sql');
plan skip_all => "$current is the first version" unless @old;

my $node = new_node('upgrade');
my $work = q{
    SELECT (SELECT string_agg(id::text, ' ' ORDER BY id) FROM docs WHERE jaccard_ge(tokens, word_tokens('one two three four'), 0.6)),
           (SELECT string_agg(concat_ws(' ', a, b), ',' ORDER BY a, b) FROM ppjoin('SELECT id, tokens FROM docs', 0.6)),
           (SELECT string_agg(concat_ws(' ', key, cluster), ',' ORDER BY key) FROM docs_neardup),
           (SELECT tokenset_union_agg(tokens) FROM docs)};

$node->safe_psql('postgres', 'CREATE DATABASE fresh');
$node->safe_psql('fresh', 'CREATE EXTENSION neardup');
my @fresh = catalog_of($node, 'fresh');
cmp_ok(scalar(@fresh), '>', 1000, 'the catalogs have lines to compare: ' . @fresh);

for my $version (@old)
{
    my $database = "from_$version";
    $node->safe_psql('postgres', qq{CREATE DATABASE "$database"});
    $node->safe_psql($database, qq{
        CREATE EXTENSION neardup VERSION '$version';
        CREATE TABLE docs (id int PRIMARY KEY, body text, tokens tokenset GENERATED ALWAYS AS (word_tokens(body)) STORED);
        CREATE INDEX ON docs USING neardup (tokens);
        CREATE INDEX ON docs USING gin (tokens);
        CREATE VIEW pairs AS SELECT a, b FROM ppjoin('SELECT id, tokens FROM docs', 0.6);
        INSERT INTO docs SELECT i, 'one two three four ' || repeat('more ', i % 7) || i / 2 FROM generate_series(1, 40) AS i;
        SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);});
    my $before = $node->safe_psql($database, $work);

    is(sqlstate_of($node, $database, 'ALTER EXTENSION neardup UPDATE'), '00000', "from $version: the update runs");
    my %upgraded = map { $_ => 1 } my @upgraded = catalog_of($node, $database);
    my %expected = map { $_ => 1 } @fresh;
    # What the tables of this test depend on is theirs.
    my @more = grep { !$expected{$_} && !/^dependency: .*"this": "[^"]*\b(?:docs|pairs|docs_neardup)/ } @upgraded;
    my @less = grep { !$upgraded{$_} } @fresh;
    is(join("\n", @more), '', "from $version: no object is other than a fresh one");
    is(join("\n", @less), '', "from $version: nothing is missing");

    is($node->safe_psql($database, $work), $before, "from $version: values, indexes, joins and clusters are what they were");
    $node->safe_psql($database, q{INSERT INTO docs VALUES (100, 'one two three four more'), (101, 'five six seven'); DELETE FROM docs WHERE id = 3;
        VACUUM docs;});
    is($node->safe_psql($database, q{
            SET enable_seqscan = off;
            SELECT string_agg(id::text, ' ' ORDER BY id) FROM docs WHERE jaccard_ge(tokens, word_tokens('one two three four more'), 1)}),
        '100', "from $version: indexes are kept up to date");
    is($node->safe_psql($database, q{SELECT count(*) FROM docs_neardup WHERE key IN (100, 101, 3)}), '2', "from $version: so are clusters");
}

$node->stop;
done_testing();
