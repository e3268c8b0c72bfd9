# ALTER EXTENSION UPDATE gives the catalogs that CREATE EXTENSION gives, and what was made with the old
# version works on: from each version that was published, and from one that this test derives from the
# install script by a change of each kind, with the upgrade script that test/upgrade_script.py makes of the two.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use ExtensionCatalog;
use JSON::PP;
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $current = decode_json(slurp_file(project_file('META.json')))->{version};
my $node = new_node('upgrade');
my $extensions = $node->config_data('--sharedir') . '/extension';
my @old = sort grep { $_ ne $current } map { /--([^-]+)\.sql$/ ? $1 : () } glob project_file('sql/neardup--*.sql');

# The derived version.
my $derived = '0.derived';
my %changes = (
    'a function is new' => sub { $_[0] =~ s/^CREATE FUNCTION jaro_winkler_similarity\(.*?;\n//ms and $_[0] =~ s/^COMMENT ON FUNCTION jaro_winkler_similarity\(.*?;\n//ms },
    'a function has other properties' => sub { $_[0] =~ s/^(CREATE FUNCTION jaro_similarity\(.*?COST) \d+/$1 7/ms },
    'a comment is other' => sub { $_[0] =~ s/^(COMMENT ON TYPE tokenset IS)\s+'.*?'/$1 'as it was'/ms },
    'a function is gone' => sub { $_[0] .= "CREATE FUNCTION gone(int4) RETURNS int4 LANGUAGE sql IMMUTABLE RETURN \$1;\nCOMMENT ON FUNCTION gone(int4) IS 'gone';\n" });

# A guest asks for a neardup of its own version.
my %changes_of_guest = ('the version' => sub { $_[0] =~ s/\b\Q$current\E\b/$derived/g });
my %changes_of_track = (%changes_of_guest, 'a comment is other' => sub { $_[0] =~ s/^(COMMENT ON TABLE neardup_tracked IS)\s+'.*?'/$1 'as it was'/ms });
my %changes_of = (neardup => \%changes, neardup_clean => \%changes_of_guest, neardup_track => \%changes_of_track);

my @made;
END { unlink @made }

sub make_file
{
    my ($name, $content) = @_;

    push @made, "$extensions/$name";
    open my $file, '>', $made[-1] or die "cannot write $made[-1]: $!";
    print $file $content;
    close $file or die "cannot write $made[-1]: $!";
    return $made[-1];
}

SKIP:
{
    skip "cannot write to $extensions", 1 unless -w $extensions;
    for my $extension ('neardup', 'neardup_clean', 'neardup_track')
    {
        my $script = slurp_file(project_file("sql/$extension--$current.sql"));
        my $changes = $changes_of{$extension};
        for my $change (sort keys %$changes)
        {
            ok($changes->{$change}->($script), "the derived version of $extension differs: $change");
        }
        my ($upgrade, $errors) = run_command([ 'python3', project_file('test/upgrade_script.py'),
            make_file("$extension--$derived.sql", $script), project_file("sql/$extension--$current.sql") ]);
        is($errors, '', "the upgrade script of $extension is made");
        make_file("$extension--$derived--$current.sql", "$upgrade\n");
    }
    push @old, $derived;
}

# How a table is tracked.
my $tracking = q{
    SELECT format('%s.%s %s %s %s', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity) AS line
    FROM pg_attribute AS a WHERE a.attrelid::regclass::text LIKE 'docs_neardup%' AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL SELECT pg_get_indexdef(i.indexrelid) FROM pg_index AS i WHERE i.indrelid::regclass::text LIKE 'docs_neardup%'
    UNION ALL SELECT pg_get_triggerdef(g.oid) FROM pg_trigger AS g WHERE g.tgrelid = 'docs'::regclass
    UNION ALL SELECT obj_description(c.oid, 'pg_class') FROM pg_class AS c WHERE c.relname LIKE 'docs_neardup%'
    UNION ALL SELECT pg_get_viewdef('docs_neardup_source'::regclass)
    UNION ALL SELECT p.oid::regprocedure::text FROM pg_proc AS p WHERE p.proname LIKE 'docs_neardup%'
    ORDER BY 1};

my $work = q{
    SELECT (SELECT string_agg(id::text, ' ' ORDER BY id) FROM docs WHERE jaccard_ge(tokens, word_tokens('one two three four'), 0.6)),
           (SELECT string_agg(concat_ws(' ', a, b), ',' ORDER BY a, b) FROM ppjoin('SELECT id, tokens FROM docs', 0.6)),
           (SELECT string_agg(concat_ws(' ', key, cluster), ',' ORDER BY key) FROM docs_neardup),
           (SELECT tokenset_union_agg(tokens) FROM docs)};

$node->safe_psql('postgres', 'CREATE DATABASE fresh');
$node->safe_psql('fresh', 'CREATE EXTENSION neardup_track CASCADE; CREATE EXTENSION neardup_clean');
my @fresh = catalog_of($node, 'fresh');
my %expected = map { $_ => 1 } @fresh;
$node->safe_psql('fresh', q{
    CREATE TABLE docs (id int PRIMARY KEY, body text, tokens tokenset GENERATED ALWAYS AS (word_tokens(body)) STORED);
    SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);});
cmp_ok(scalar(@fresh), '>', 1000, 'the catalogs have lines to compare: ' . @fresh);

# Before the update the comparison below finds what the derived version has otherwise.
sub sees_changes
{
    my ($database) = @_;
    my %present = map { $_ => 1 } my @present = catalog_of($node, $database);
    my @missing = grep { !$present{$_} } @fresh;

    for my $object ('jaro_winkler_similarity', 'jaro_similarity', 'set of 64-bit tokens')
    {
        ok((grep { /$object/ } @missing), "the comparison sees that a fresh catalog has another $object");
    }
    ok((grep { !$expected{$_} && /\bgone\(/ } @present), 'and that a function should be gone');
    return;
}

for my $version (@old)
{
    my $database = "from_$version";
    $node->safe_psql('postgres', qq{CREATE DATABASE "$database"});
    $node->safe_psql($database, qq{
        CREATE EXTENSION neardup VERSION '$version';
        CREATE EXTENSION neardup_clean VERSION '$version';
        CREATE EXTENSION neardup_track VERSION '$version';
        CREATE TABLE docs (id int PRIMARY KEY, body text, tokens tokenset GENERATED ALWAYS AS (word_tokens(body)) STORED);
        CREATE INDEX ON docs USING neardup (tokens);
        CREATE INDEX ON docs USING gin (tokens);
        CREATE VIEW pairs AS SELECT a, b FROM ppjoin('SELECT id, tokens FROM docs', 0.6);
        INSERT INTO docs SELECT i, 'one two three four ' || repeat('more ', i % 7) || i / 2 FROM generate_series(1, 40) AS i;
        SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);});
    my $before = $node->safe_psql($database, $work);

    is($node->safe_psql($database, q{SELECT count(*) > 10 FROM near_duplicates('docs', 'id', 'body', 0.6)}), 't',
        "from $version: the new library serves the old catalog");
    sees_changes($database) if $version eq $derived;
    is(sqlstate_of($node, $database, 'ALTER EXTENSION neardup_track UPDATE'), '55000', "from $version: neardup_track is not updated before neardup");
    is(sqlstate_of($node, $database, "ALTER EXTENSION $_ UPDATE"), '00000', "from $version: the update of $_ runs") for 'neardup', 'neardup_clean', 'neardup_track';
    my %upgraded = map { $_ => 1 } my @upgraded = catalog_of($node, $database);
    # What the tables of this test depend on is theirs.
    my @more = grep { !$expected{$_} && !/^dependency: .*"this": "[^"]*\b(?:docs|pairs|docs_neardup)/ } @upgraded;
    my @less = grep { !$upgraded{$_} } @fresh;
    is(join("\n", @more), '', "from $version: no object is other than a fresh one");
    is(join("\n", @less), '', "from $version: nothing is missing");

    is($node->safe_psql($database, $tracking), $node->safe_psql('fresh', $tracking), "from $version: tables are tracked as new ones are");
    is($node->safe_psql($database, $work), $before, "from $version: values, indexes, joins and clusters are what they were");
    $node->safe_psql($database, q{INSERT INTO docs VALUES (100, 'one two three four more'), (101, 'five six seven'); DELETE FROM docs WHERE id = 3;
        VACUUM docs;});
    is($node->safe_psql($database, q{
            SET enable_seqscan = off;
            SELECT string_agg(id::text, ' ' ORDER BY id) FROM docs WHERE jaccard_ge(tokens, word_tokens('one two three four more'), 1)}),
        '100', "from $version: indexes are kept up to date");
    is($node->safe_psql($database, q{SELECT count(*) FROM neardup_refresh('docs')}), '0', "from $version: and are as if computed anew");
    is($node->safe_psql($database, q{SELECT count(*) FROM docs_neardup WHERE key IN (100, 101, 3)}), '2', "from $version: so are clusters");
}

# A guest of another version than neardup's is not created.
if (grep { $_ eq $derived } @old)
{
    $node->safe_psql('postgres', "CREATE EXTENSION neardup VERSION '$derived'");
    my (undef, undef, $errors) = $node->psql('postgres', 'CREATE EXTENSION neardup_track');
    like($errors, qr/neardup_track of version \Q$current\E needs neardup of the same version\nDETAIL:  Version \Q$derived\E of neardup is there\.\nHINT:  Call ALTER EXTENSION neardup UPDATE first\./,
        'a guest of another version is refused');
}
$node->safe_psql('fresh', 'CREATE SCHEMA elsewhere');
my (undef, undef, $errors) = $node->psql('fresh', 'DROP EXTENSION neardup_track CASCADE; CREATE EXTENSION neardup_track SCHEMA elsewhere');
like($errors, qr/must be in the schema of neardup\nHINT:  Call CREATE EXTENSION neardup_track SCHEMA public\./, 'and so is neardup_track in another schema');

$node->stop;
done_testing();
