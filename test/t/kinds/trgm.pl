# neardup_trgm: sessions that have loaded nothing, schemas, rights, dump and restore, what it leaves, and the trigrams of
# other locales and encodings.
use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('trgm');
my $directory = PostgreSQL::Test::Utils::tempdir();

if ($node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm'}) eq '0')
{
    $node->stop;
    plan skip_all => 'this PostgreSQL has no pg_trgm';
}

my $NAMES = q{
    CREATE TABLE names (id int PRIMARY KEY, name text);
    INSERT INTO names SELECT i, format('%s %s', (ARRAY['John', 'Jon', 'Johnny', 'Mary'])[1 + i % 4], md5((i / 6)::text)) FROM generate_series(1, 200) AS i;
    ANALYZE names;};
my $JOIN = 'SELECT count(*), sum(a.id), sum(b.id) FROM names a JOIN names b ON a.id < b.id AND a.name % b.name';

# Each call is a session of its own. A few rows would be looked up in an index.
sub plan_of
{
    my ($database, $query, @options) = @_;
    my $plan = $node->safe_psql($database, "SET enable_nestloop = off; EXPLAIN (COSTS OFF) $query", @options);

    return $plan =~ /Similarity Join/ ? 'node' : $plan =~ /Index Scan using (\w+_name_idx)/ ? $1 : 'pg_trgm';
}

# ---------------------------------------------------------------------------
# Objects of others by the names that the script uses
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', q{CREATE ROLE mallory LOGIN; CREATE DATABASE mallory OWNER mallory});
my %traps = (
    'a type' => 'CREATE DOMAIN m.tokenset_query AS bigint',
    'another' => 'CREATE DOMAIN m.tokenset AS bigint',
    'an operator' => q{CREATE FUNCTION m.trap(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
        CREATE OPERATOR m.% (LEFTARG = text, RIGHTARG = text, FUNCTION = m.trap)},
    'a distance' => q{CREATE FUNCTION m.trap(text, text) RETURNS float4 LANGUAGE sql AS 'SELECT 0::float4';
        CREATE OPERATOR m.<-> (LEFTARG = text, RIGHTARG = text, FUNCTION = m.trap)});
$node->safe_psql('mallory', 'CREATE EXTENSION neardup SCHEMA public; CREATE EXTENSION pg_trgm SCHEMA public');
foreach my $what (sort keys %traps)
{
    my (undef, undef, $errors) = $node->psql('mallory',
        "SET ROLE mallory; CREATE SCHEMA m; $traps{$what}; CREATE EXTENSION neardup_trgm SCHEMA m");
    like($errors, qr/would use what is not of an extension that it needs: .* m\./, "$what of another owner is not taken");
    $node->safe_psql('mallory', 'DROP SCHEMA m CASCADE');
}
$node->safe_psql('mallory', 'SET ROLE mallory; CREATE SCHEMA m; CREATE EXTENSION neardup_trgm SCHEMA m');

# ---------------------------------------------------------------------------
# What an index scan must not answer
# ---------------------------------------------------------------------------

$node->safe_psql('mallory', q{
    CREATE TABLE texts (name text);
    INSERT INTO texts SELECT md5(i::text) || ' ' || md5((i * 7)::text) FROM generate_series(1, 5000) AS i;
    CREATE INDEX ON texts USING neardup (name m.trgm_ops);
    ANALYZE texts;
    CREATE ROLE reader;
    GRANT SELECT ON texts TO reader;
    GRANT USAGE ON SCHEMA m TO reader});
my $SIMILAR = q{WHERE similarity(name, md5('5') || ' ' || md5('35')) >= 0.9};
like($node->safe_psql('mallory', "EXPLAIN SELECT FROM texts $SIMILAR"), qr/texts_name_idx/, 'the index serves a comparison');
is($node->safe_psql('mallory', "SELECT count(*) FROM texts $SIMILAR"), '1', 'and finds the row');
is($node->safe_psql('mallory', "SELECT count(*) FROM texts TABLESAMPLE BERNOULLI (0) $SIMILAR"), '0', 'but not of a sample');
$node->safe_psql('mallory', qq{
    GRANT SELECT, UPDATE, DELETE ON texts TO reader;
    ALTER TABLE texts ENABLE ROW LEVEL SECURITY;
    CREATE POLICY alike ON texts USING (similarity(name, md5('5') || ' ' || md5('35')) >= 0.9)});
is( $node->safe_psql('mallory', 'SET ROLE reader; BEGIN; DECLARE c CURSOR FOR SELECT * FROM texts FOR UPDATE; MOVE c; DELETE FROM texts WHERE CURRENT OF c RETURNING 1'),
    '1', 'nor for the row of a cursor');
$node->safe_psql('mallory', 'REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA m FROM PUBLIC');
is($node->safe_psql('mallory', "SET ROLE reader; SELECT count(*) FROM texts $SIMILAR"), '1', 'nor for a role that may not call its functions');
is( $node->safe_psql('mallory', q{SET enable_seqscan = off; SELECT count(*) FROM texts WHERE name OPERATOR(m.@~) ANY ('{}'::tokenset_query[])}),
    '0', 'an array of conditions is costed');
is( $node->safe_psql('mallory', q{SELECT 'xyz' OPERATOR(m.@~) tokenset_query('hamming', m.trgm_set('John'), 0, false) AS hamming,
        'John and others' OPERATOR(m.@~) tokenset_query('containment', m.trgm_set('John'), 1, true) AS whole,
        'John' OPERATOR(m.@~) tokenset_query('containment', m.trgm_set('John and others'), 1, true) AS part}),
    'f|t|f', 'conditions of other measures are those of the sets');
is( $node->safe_psql('mallory', q{CREATE TABLE queries AS SELECT m.trgm_query(md5('a') || md5('b'), 'similarity >=', t) AS q FROM unnest('{0.5,1}'::float8[]) AS t;
        SELECT count(*) FROM queries WHERE q::text::tokenset_query::text = q::text}),
    '2', 'values of conditions have whole texts');
is($node->safe_psql('mallory', q{SET statement_timeout = '60s'; CREATE TABLE sets AS SELECT '{1,2}'::tokenset AS s; ANALYZE sets;
        SELECT count(*) FROM sets WHERE s @~ m.trgm_query('John', 'similarity >=', 2)}), '0', 'none of them makes the planner search for ever');

# ---------------------------------------------------------------------------
# Who loads the library
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE guest LOGIN; CREATE DATABASE shop OWNER owner');
my @owner = (extra_params => [ '-U', 'owner' ]);
$node->safe_psql('shop', 'CREATE EXTENSION pg_trgm', @owner);
my $catalog = q{
    SELECT format('%s %s', d.classid::regclass, pg_identify_object(d.classid, d.objid, 0)),
           (SELECT to_jsonb(p) FROM pg_proc p WHERE p.oid = d.objid AND d.classid = 'pg_proc'::regclass),
           (SELECT to_jsonb(o) FROM pg_operator o WHERE o.oid = d.objid AND d.classid = 'pg_operator'::regclass),
           (SELECT jsonb_agg(a ORDER BY a.oid) FROM pg_amop a WHERE a.amopfamily = d.objid AND d.classid = 'pg_opfamily'::regclass),
           (SELECT jsonb_agg(f ORDER BY f.refclassid, f.refobjid, f.refobjsubid, f.deptype) FROM pg_depend f WHERE f.classid = d.classid AND f.objid = d.objid)
    FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
    WHERE e.extname = 'pg_trgm' ORDER BY 1};
my $before = $node->safe_psql('shop', $catalog);
my (undef, undef, $notices) = $node->psql('shop', 'CREATE EXTENSION neardup_trgm CASCADE', on_error_die => 1, @owner);
my ($line) = $notices =~ /NOTICE: .* must load the library .*\n.*\nHINT: .*, the owner of the database calls: (ALTER DATABASE shop SET .*;)/;
is($line, q{ALTER DATABASE shop SET local_preload_libraries = 'neardup';}, 'CREATE EXTENSION says by a notice what has new sessions load the library');
$node->safe_psql('shop', $NAMES, @owner);
is($node->safe_psql('shop', q{SELECT string_agg(extname || ' of ' || extowner::regrole, ', ' ORDER BY extname) FROM pg_extension WHERE extname <> 'plpgsql'}),
    'neardup of owner, neardup_trgm of owner, pg_trgm of owner', 'the owner of a database, no superuser, creates the extension');
is($node->safe_psql('shop', $catalog), $before, 'pg_trgm is as it was');

# From 18 on the planner itself asks each access method that has an operator of equality, which loads the library.
my $without_help = $node->safe_psql('shop', 'SHOW server_version_num') >= 180000 ? 'node' : 'pg_trgm';
is(plan_of('shop', $JOIN), $without_help, 'in a session that has loaded nothing, a join is still one of pg_trgm before 18');
my $rows = $node->safe_psql('shop', $JOIN);
is($node->safe_psql('shop', "SELECT trgm_set('') \\gset\n$JOIN"), $rows, 'a call of any function of neardup loads the library, and the rows are the same');
like($node->safe_psql('shop', "SELECT trgm_set('') \\gset\nEXPLAIN $JOIN"), qr/Similarity Join/, 'by the join node');

$node->safe_psql('shop', $line, @owner);
is(plan_of('shop', $JOIN), 'node', 'the statement of the notice, which the owner of a database may call, has the node there from the start');
{
    local $ENV{PGOPTIONS} = '-c enable_nestloop=off';
    like($node->safe_psql('shop', "EXPLAIN $JOIN"), qr/Similarity Join/, 'also for the first statement of a session');
}
is(plan_of('shop', $JOIN, extra_params => [ '-U', 'guest' ]), 'node', 'for all roles') if $node->safe_psql('shop', 'GRANT SELECT ON names TO guest', @owner) eq '';
is($node->safe_psql('shop', $JOIN), $rows, 'and the rows are the same');
$node->safe_psql('postgres', q{ALTER DATABASE shop SET session_preload_libraries = 'neardup'});
is($node->safe_psql('shop', $JOIN), $rows, 'the same library may be preloaded by both ways');
$node->safe_psql('postgres', q{ALTER DATABASE shop RESET local_preload_libraries});
is(plan_of('shop', $JOIN), 'node', 'session_preload_libraries does the same');
$node->safe_psql('postgres', q{ALTER DATABASE shop RESET session_preload_libraries});
$node->safe_psql('shop', q{ALTER ROLE guest SET local_preload_libraries = 'neardup'}, extra_params => [ '-U', 'guest' ]);
is(plan_of('shop', $JOIN, extra_params => [ '-U', 'guest' ]), 'node', 'a role may set it for itself');
is(plan_of('shop', $JOIN), $without_help, 'others are not concerned');
is(sqlstate_of($node, 'shop', q{SET SESSION AUTHORIZATION guest; LOAD '$libdir/plugins/neardup'}), '00000', 'and load it at any time');

$node->safe_psql('shop', 'CREATE INDEX ON names USING neardup (name trgm_ops)', @owner);
is(plan_of('shop', $JOIN), 'node', 'an index of the access method loads the library where its table is planned');
is($node->safe_psql('shop', $JOIN), $rows, 'in the session that asks first, too');
my $lookup = q{SELECT count(*), sum(id) FROM names WHERE similarity(name, 'John 1679091c') > 0.2};
like($node->safe_psql('shop', "SET enable_seqscan = off; EXPLAIN $lookup"), qr/names_name_idx/, 'and answers comparisons of a similarity');
is($node->safe_psql('shop', "SET enable_seqscan = off; $lookup"), $node->safe_psql('shop', "SET enable_indexscan = off; SET enable_bitmapscan = off; $lookup"), 'by the rows of the table');
is(sqlstate_of($node, 'shop', 'DROP EXTENSION neardup_trgm'), '2BP01', 'the extension cannot be dropped while there is one');
$node->safe_psql('shop', 'DROP INDEX names_name_idx', @owner);

# The setting is one of the session, in workers too.
my $workers = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;'
  . ' SET pg_trgm.similarity_threshold = 0.9; ' . force_workers($node) . ';';
my $strict = "SET pg_trgm.similarity_threshold = 0.9; SET neardup.enable_similarity_join = off; $JOIN";
isnt($node->safe_psql('shop', $strict), $rows, 'another threshold has other rows');
is($node->safe_psql('shop', qq{LOAD 'neardup'; $workers $JOIN}), $node->safe_psql('shop', $strict), 'workers read it too');

# ---------------------------------------------------------------------------
# What it leaves
# ---------------------------------------------------------------------------

$node->safe_psql('shop', 'DROP EXTENSION neardup_trgm', @owner);
is($node->safe_psql('shop', $catalog), $before, 'DROP EXTENSION neardup_trgm leaves pg_trgm as it was');
is($node->safe_psql('shop', "LOAD 'neardup'; $JOIN"), $rows, 'and its joins');
is(plan_of('shop', $JOIN), 'pg_trgm', 'which are its own, also where the library is loaded');
$node->safe_psql('shop', 'CREATE EXTENSION neardup_trgm; DROP EXTENSION pg_trgm CASCADE', @owner);
is($node->safe_psql('shop', q{SELECT string_agg(extname, ' ' ORDER BY extname) FROM pg_extension}), 'neardup plpgsql', 'where pg_trgm is dropped, so is neardup_trgm, nothing else');

# ---------------------------------------------------------------------------
# The notice
# ---------------------------------------------------------------------------

sub notices_of
{
    my (undef, undef, $errors) = $node->psql('told', "$_[0] CREATE EXTENSION neardup_trgm; DROP EXTENSION neardup_trgm", on_error_die => 1);
    return $errors;
}
$node->safe_psql('postgres', 'CREATE DATABASE told');
$node->safe_psql('told', 'CREATE EXTENSION neardup; CREATE EXTENSION pg_trgm');
like(notices_of(''), qr/ALTER DATABASE told SET local_preload_libraries = 'neardup';$/m, 'the notice is of the database at hand');
is(notices_of('SET client_min_messages = warning;'), '', 'a session that wants no notices has none');
$node->safe_psql('postgres', q{ALTER DATABASE told SET local_preload_libraries = 'neardup'});
is(notices_of(''), '', 'nor one that has the library preloaded');
$node->safe_psql('postgres', q{ALTER DATABASE told RESET local_preload_libraries; ALTER DATABASE told SET session_preload_libraries = '$libdir/neardup'});
is(notices_of(''), '', 'in whatever way');

# ---------------------------------------------------------------------------
# Schemas, dump and restore
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', 'CREATE DATABASE apart; CREATE DATABASE restored');
$node->safe_psql('apart', qq{
    CREATE SCHEMA tg; CREATE SCHEMA nd; CREATE SCHEMA nt;
    CREATE EXTENSION pg_trgm SCHEMA tg; CREATE EXTENSION neardup SCHEMA nd; CREATE EXTENSION neardup_trgm SCHEMA nt;
    $NAMES
    CREATE VIEW pairs AS SELECT a.id AS a, b.id AS b FROM names a JOIN names b ON a.id < b.id AND a.name OPERATOR(tg.%) b.name;
    CREATE TABLE sets AS SELECT id, nt.trgm_set(name) AS trigrams FROM names;
    CREATE INDEX ON sets USING neardup (trigrams);
    CREATE INDEX names_name_idx ON names USING neardup (name nt.trgm_ops);
    CREATE TABLE unlike (name text, EXCLUDE USING neardup (name nt.trgm_ops WITH OPERATOR(tg.%)));
    INSERT INTO unlike VALUES ('John Smith'), ('Mary Major')});
my $pairs = 'SELECT count(*), sum(a), sum(b) FROM pairs';
is($node->safe_psql('apart', "LOAD 'neardup'; SET search_path = ''; SELECT count(*), sum(a), sum(b) FROM public.pairs"), $rows, 'pg_trgm, neardup and neardup_trgm in schemas of their own, which the search path does not have');
like($node->safe_psql('apart', "LOAD 'neardup'; SET enable_nestloop = off; EXPLAIN $pairs"), qr/Similarity Join/, 'join by the node');
$node->command_ok([ 'pg_dump', '-f', "$directory/dump.sql", '-d', $node->connstr('apart') ], 'pg_dump');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$directory/dump.sql", '-d', $node->connstr('restored') ], 'the dump restores');
is($node->safe_psql('restored', "LOAD 'neardup'; $pairs"), $rows, 'the same rows');
like($node->safe_psql('restored', "LOAD 'neardup'; SET enable_nestloop = off; EXPLAIN $pairs"), qr/Similarity Join/, 'by the node');

is(plan_of('restored', 'SELECT * FROM names ORDER BY name OPERATOR(tg.<->) $$Jon$$ LIMIT 3'), 'names_name_idx', 'the restored index serves');
is(sqlstate_of($node, 'restored', q{INSERT INTO unlike VALUES ('Jon Smith')}), '23P01', 'and the restored constraint refuses');

# A function of somebody else that has the name and types of one of pg_trgm's is none.
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', qq{
    CREATE EXTENSION neardup_trgm CASCADE; $NAMES CREATE SCHEMA mine;
    CREATE FUNCTION mine.similarity(text, text) RETURNS real LANGUAGE sql IMMUTABLE AS \$\$ SELECT (length(\$1) - length(\$2))::real \$\$;});
is(plan_of('other', q{SELECT count(*) FROM names a JOIN names b ON mine.similarity(a.name, b.name) >= 0.5}), 'pg_trgm', 'functions are recognized by their code');

# ---------------------------------------------------------------------------
# Locales and encodings
# ---------------------------------------------------------------------------

# Texts of the code points of a range, alone, in words, and after each other.
my $TEXTS = q{
    SELECT t FROM (
        SELECT string_agg(chr(c), '' ORDER BY c) AS t FROM generate_series(1, %1$s) AS c WHERE c NOT BETWEEN 55296 AND 57343 GROUP BY c / 5
        UNION ALL SELECT 'a' || chr(c) || 'B' || chr(c) FROM generate_series(1, %1$s) AS c WHERE c NOT BETWEEN 55296 AND 57343
        UNION ALL SELECT chr(c) || chr((1 + c::int8 * 7919 %% %1$s)::int) || 'I' || chr((1 + c::int8 * 104729 %% %1$s)::int)
            FROM generate_series(1, %1$s) AS c WHERE c NOT BETWEEN 55296 AND 57343 AND 1 + c::int8 * 7919 %% %1$s NOT BETWEEN 55296 AND 57343 AND 1 + c::int8 * 104729 %% %1$s NOT BETWEEN 55296 AND 57343
        UNION ALL SELECT upper(md5(c::text)) || ' ' || md5(c::text) FROM generate_series(1, 2000) AS c
        UNION ALL VALUES (''), (' '), ('I'), ('İ'), ('ı'), ('İI ıi'), ('ΣΊΣΥΦΟΣ'), ('ẞ'), ('i̇'), ('ÉCOLE'), ('IJ ij')) AS texts
    WHERE t IS NOT NULL};
my $SHOWN = q{
    CREATE FUNCTION shown(text) RETURNS tokenset LANGUAGE sql AS $$
        SELECT coalesce(array_agg(('x' || lpad(CASE WHEN length(t) = 3 THEN encode(convert_to(t, getdatabaseencoding()), 'hex') ELSE substr(t, 3) END, 16, '0'))::bit(64)::bigint), '{}')::tokenset
        FROM unnest(show_trgm($1)) AS t $$};
# Compares joins by word similarities with pg_trgm's own, of this number of texts and their mixtures with each other.
sub differences_of_words
{
    my ($count) = @_;
    my @conditions = ('a.t <% b.t', 'word_similarity(a.t, b.t) > 0.4', 'strict_word_similarity(a.t, b.t) >= 0.3', 'a.t <->>> b.t < 0.8', 'a.t %> b.t');
    my @differences;

    foreach my $number (0 .. $#conditions)
    {
        my $join = "SELECT a.id AS a, b.id AS b FROM words AS a JOIN words AS b ON $conditions[$number]";

        push @differences, "SET enable_nestloop = off; SET neardup.enable_similarity_join = on; CREATE TABLE got AS $join; SET neardup.enable_similarity_join = off;"
          . " CREATE TABLE want AS $join; INSERT INTO differences SELECT (SELECT count(*) FROM ((TABLE got EXCEPT ALL TABLE want) UNION ALL (TABLE want EXCEPT ALL TABLE got)) AS d)"
          . " + (SELECT (count(*) = 0)::int FROM want); DROP TABLE got, want;";
    }
    return "CREATE TABLE words AS SELECT a.id, CASE a.id % 3 WHEN 0 THEN a.t WHEN 1 THEN a.t || ' ' || b.t ELSE left(b.t, 3) || a.t || b.t END AS t"
      . " FROM texts AS a JOIN texts AS b ON b.id = 1 + a.id * 7 % $count WHERE a.id <= $count; ANALYZE words; CREATE TABLE differences (n bigint);"
      . " @differences SELECT sum(n) FROM differences";
}

my %databases = (
    'C' => q{LOCALE 'C' ENCODING 'UTF8'},
    'C.UTF-8' => q{LOCALE 'C.UTF-8' ENCODING 'UTF8'},
    'en_US.UTF-8' => q{LOCALE 'en_US.UTF-8' ENCODING 'UTF8'},
    'tr_TR.UTF-8' => q{LOCALE 'tr_TR.UTF-8' ENCODING 'UTF8'},
    'de-DE of ICU' => q{LOCALE_PROVIDER icu ICU_LOCALE 'de-DE' LOCALE 'C.UTF-8' ENCODING 'UTF8'},
    'tr-TR of ICU' => q{LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR' LOCALE 'C.UTF-8' ENCODING 'UTF8'},
    'lt-LT of ICU' => q{LOCALE_PROVIDER icu ICU_LOCALE 'lt-LT' LOCALE 'C.UTF-8' ENCODING 'UTF8'},
    'C, LATIN1' => q{LOCALE 'C' ENCODING 'LATIN1'},
    'C, EUC_JP' => q{LOCALE 'C' ENCODING 'EUC_JP'},
    'C, SQL_ASCII' => q{LOCALE 'C' ENCODING 'SQL_ASCII'});
foreach my $name (sort keys %databases)
{
    SKIP:
    {
        my ($status, $out, $err) = $node->psql('postgres', "DROP DATABASE IF EXISTS l; CREATE DATABASE l TEMPLATE template0 $databases{$name}", on_error_stop => 1);
        skip "no locale for a database: $name", 1 if $status != 0;
        my $utf8 = $databases{$name} =~ /UTF8/;
        my $texts = $utf8 ? sprintf($TEXTS, $ENV{NEARDUP_ALL} ? 1114111 : 12000)
          : $name =~ /EUC/ ? q{SELECT convert_from(decode(lpad(to_hex((160 + c / 94 + 1) * 256 + 161 + c % 94), 4, '0'), 'hex'), 'EUC_JP') || 'aX' AS t FROM generate_series(94 * 3, 94 * 5) AS c}
          : q{SELECT convert_from(decode(lpad(to_hex(c), 2, '0') || '4142' || lpad(to_hex(1 + c * 7 % 255), 2, '0'), 'hex'), getdatabaseencoding()) AS t FROM generate_series(1, 255) AS c};
        $node->safe_psql('l', "CREATE EXTENSION neardup_trgm CASCADE; $SHOWN");
        $node->safe_psql('l', "CREATE TABLE texts AS SELECT row_number() OVER (ORDER BY md5(t)) AS id, t FROM ($texts) AS texts; ANALYZE texts");
        is($node->safe_psql('l', "LOAD 'neardup'; " . differences_of_words($ENV{NEARDUP_ALL} ? 320 : 60)), '0', "$name: the word similarities of pg_trgm");
        is($node->safe_psql('l', "SELECT count(*) > 100, count(*) FILTER (WHERE trgm_set(t) <> shown(t)) FROM ($texts) AS texts"), 't|0', "$name: the trigrams of show_trgm");
    }
}

$node->stop;
done_testing();
