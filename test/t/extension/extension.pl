# The extension as an object: who can create it, what it leaves, what it says of itself.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use JSON::PP;
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('extension');

# Every object of the extension: class, oid, identity.
my $members = q{
    SELECT d.classid, d.objid, pg_describe_object(d.classid, d.objid, 0) AS identity
    FROM pg_depend d JOIN pg_extension e
      ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
    WHERE e.extname IN ('neardup', 'neardup_clean', 'neardup_track')};

# The parameter that a function of SQL text names so; or it makes its query itself.
my $reads_a_query = q{(coalesce(p.proargnames, '{}') && ARRAY['query', 'against', 'found_query', 'query_a']
    OR p.proname IN ('near_duplicates', 'near_duplicates_keyed', 'choose_threshold', 'neardup_index_check', 'duplicate_records',
        'duplicate_records_keyed', 'duplicate_records_report', 'record_pairs', 'record_pairs_keyed', 'record_column_weights', 'learn_records', 'place_records', 'place_records_keyed', 'find_records', 'find_records_keyed', 'undecided_pairs'))};

# Functions that keep tracked clusters, merge rows or insert them: they write.
my $tracks = q{(p.proname ~ '^(neardup_(track|untrack|refresh)|clean_(guard|lock|puts_back)$|insert_or_find(_keyed)?$)' OR (p.provolatile = 'v' AND p.prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c')))};

sub lines_of
{
    my ($sql) = @_;
    return $node->safe_psql('owned', $sql);
}

$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE DATABASE owned OWNER owner');
$node->safe_psql('owned', 'CREATE EXTENSION neardup_track CASCADE; CREATE EXTENSION neardup_clean', extra_params => [ '-U', 'owner' ]);
is(lines_of(q{SELECT e.extname, r.rolsuper, r.rolname FROM pg_extension e JOIN pg_roles r ON r.oid = e.extowner WHERE e.extname ~ '^neardup' ORDER BY 1}),
    "neardup|f|owner\nneardup_clean|f|owner\nneardup_track|f|owner", 'the owner of a database, no superuser, creates the extension and what stands on it');
is( lines_of(q{
        SELECT d.classid::regclass FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
        LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
        WHERE e.extname = 'neardup' AND (c.relkind = 'r' OR d.classid = 'pg_event_trigger'::regclass)}),
    '', 'which has neither tables nor event triggers');

is( lines_of(qq{
        SELECT identity FROM ($members) m
        WHERE obj_description(objid, classid::regclass::name) IS NULL
            -- from 17 on, types that come with a type or table are members too
            AND NOT EXISTS (SELECT FROM pg_type t WHERE classid = 'pg_type'::regclass AND t.oid = objid AND (t.typelem <> 0 OR t.typrelid <> 0))
        ORDER BY 1}),
    '', 'every object has a comment');

is( lines_of(qq{
        SELECT identity FROM ($members) m JOIN pg_proc p ON p.oid = m.objid AND m.classid = 'pg_proc'::regclass
        WHERE $reads_a_query AND (p.provolatile <> 's' OR p.proparallel <> 'u') ORDER BY 1}),
    '', 'functions that run a query are stable and parallel unsafe');
is( lines_of(qq{
        SELECT identity FROM ($members) m JOIN pg_proc p ON p.oid = m.objid AND m.classid = 'pg_proc'::regclass
        WHERE $tracks AND (p.provolatile <> 'v' OR p.proparallel <> 'u') ORDER BY 1}),
    '', 'functions that write are volatile and parallel unsafe');
is( lines_of(qq{
        SELECT identity FROM ($members) m JOIN pg_proc p ON p.oid = m.objid AND m.classid = 'pg_proc'::regclass
        WHERE NOT $reads_a_query AND NOT $tracks AND p.proparallel <> 's' ORDER BY 1}),
    '', 'all other functions are parallel safe');
is( lines_of(qq{
        SELECT identity FROM ($members) m JOIN pg_proc p ON p.oid = m.objid AND m.classid = 'pg_proc'::regclass
        WHERE p.prosecdef ORDER BY 1}),
    '', 'no function is SECURITY DEFINER');
cmp_ok(
    lines_of(qq{
        SELECT count(*) FROM ($members) m JOIN pg_proc p ON p.oid = m.objid AND m.classid = 'pg_proc'::regclass
        WHERE $reads_a_query AND p.proname LIKE 'ppjoin%'}),
    '>=', 3, 'the joins are among those that run a query');

is(sqlstate_of($node, 'owned', 'DROP EXTENSION neardup'), '2BP01', 'neardup is not dropped from under neardup_track');
$node->safe_psql('owned', 'DROP EXTENSION neardup CASCADE', extra_params => [ '-U', 'owner' ]);
is(lines_of("SELECT count(*) FROM pg_type WHERE typname IN ('tokenset', '_tokenset')"), '0', 'DROP EXTENSION takes its types away');
$node->safe_psql('owned', 'CREATE EXTENSION neardup', extra_params => [ '-U', 'owner' ]);

# In a schema of its own, which the search path does not have.
$node->safe_psql('postgres', 'CREATE DATABASE apart');
$node->safe_psql('apart', 'CREATE SCHEMA nd; CREATE EXTENSION neardup SCHEMA nd');
sub explained
{
    my ($schema, $tokens) = @_;
    return $node->safe_psql('apart', qq{SELECT string_agg(in_a || sign, ' ') FROM $schema.side_by_side('a b c', 'a b c d', '$tokens') WHERE in_a IS NOT NULL});
}
is(explained('nd', $_), 'a b c=', "shared_tokens takes $_") for 'shingle_tokens(3)', 'nd.shingle_tokens(3)', '"nd".shingle_tokens(body, 3)', 'nd.word_tokens';
is(sqlstate_of($node, 'apart', q{SELECT nd.shared_tokens('a', 'b', 'public.word_tokens')}), '22023', 'but of its own schema only');
$node->safe_psql('apart', 'DROP EXTENSION neardup; CREATE SCHEMA "n (d."; CREATE EXTENSION neardup SCHEMA "n (d."');
is(explained('"n (d."', '"n (d.".shingle_tokens(3)'), 'a b c=', 'whatever that schema is called');

# neardup_icu is built where the headers of ICU are, which a compiler that looks nowhere does not find.
my ($variables) = run_command([ 'make', '-C', project_file(''), '-pn', 'CC=gcc -nostdinc' ]);
like($variables, qr/^ICU := no$/m, 'without the headers of ICU, neardup_icu is left out');

# The version stands in META.json: make takes it from there, and what else names it is the same.
my $meta = decode_json(slurp_file(project_file('META.json')));
my ($changelog) = slurp_file(project_file('CHANGELOG.md')) =~ /^## (\S+)/m;

is(lines_of("SELECT extversion FROM pg_extension WHERE extname = 'neardup'"), $meta->{version},
    'and it can be created again, in the version of META.json');
is($changelog, $meta->{version}, 'CHANGELOG.md begins with the version of META.json');
is($meta->{provides}{neardup}{version}, $meta->{version}, 'META.json provides its own version');
is($meta->{provides}{neardup}{file}, "sql/neardup--$meta->{version}.sql", 'and names the install script of this version');
ok(-e project_file($meta->{provides}{neardup}{file}), 'which make has written');
SKIP:
{
    skip 'modules have no version before 18', 1 if $node->pg_version < 18;
    is(lines_of("LOAD 'neardup'; SELECT module_name, version FROM pg_get_loaded_modules() WHERE file_name LIKE 'neardup%'"),
        "neardup|$meta->{version}", 'the library states it');
}
my ($debian) = slurp_file(project_file('debian/changelog')) =~ /^neardup \((\S+)-\d+\)/;
my ($rpm) = slurp_file(project_file('neardup.spec')) =~ /^Version: +(\S+)/m;
is_deeply([ $debian, $rpm ], [ ($meta->{version}) x 2 ], 'so are the packages');
foreach my $guest (qw(neardup_citus neardup_clean neardup_icu neardup_track neardup_trgm))
{
    is($meta->{provides}{$guest}{version}, $meta->{version}, "$guest has this version, too");
    my $installed = $node->safe_psql('postgres', "SELECT default_version FROM pg_available_extensions WHERE name = '$guest'");
    next if $guest eq 'neardup_icu' && $installed eq '';
    is($installed, $meta->{version}, 'and is installed');
}

$node->stop;
done_testing();
