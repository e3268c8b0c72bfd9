# Functions and operators that another role puts into the schema of the extension take no call
# from it: an exact match of argument types there would be chosen before a function of
# pg_catalog, or of the extension, whose arguments have to be converted.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use JSON::PP;
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('names');
my $meta = decode_json(slurp_file(project_file('META.json')));
my $script = join '', map { slurp_file(project_file($meta->{provides}{$_}{file})) } qw(neardup neardup_clean neardup_track);
$script =~ s/--.*$//mg;

# What the script calls, or could be read to call.
my %functions = map { $_ => 1 } $script =~ /(\w+)\(/g;
my %operators = map { $_ => 1 } $script =~ m{([-+*/<>=~!@\#%^&|`?]+)}g;
my $functions = join ',', sort keys %functions;
my $operators = join ' ', sort keys %operators;

$node->safe_psql('postgres', <<"SQL");
CREATE ROLE intruder;
CREATE ROLE owner;
CREATE SCHEMA shared;
CREATE SCHEMA own AUTHORIZATION owner;
GRANT USAGE ON SCHEMA shared TO owner;
GRANT USAGE, CREATE ON SCHEMA shared TO intruder;
CREATE SCHEMA intrusion;
GRANT USAGE ON SCHEMA intrusion TO intruder;

-- Types that arguments of calls have. A literal without a type is taken for text.
CREATE FUNCTION intrusion.types() RETURNS TABLE (type oid) LANGUAGE sql AS \$\$
    SELECT t.oid FROM pg_type t
    WHERE t.typname IN ('bool', 'int4', 'int8', 'float8', 'numeric', 'text', 'varchar', 'name', 'oid', 'regclass', 'regtype', '_int4',
                        '_int8', '_text', '_name', '_oid', 'tokenset', '_tokenset', 'simhash', 'minhash', 'neardup_tracked')
\$\$;

-- Which of them a parameter accepts. A call of many arguments is taken to have the right types or literals.
CREATE FUNCTION intrusion.accepted(parameter oid, of_many boolean) RETURNS TABLE (type oid) LANGUAGE sql AS \$\$
    SELECT t.type FROM intrusion.types() t
    WHERE t.type IN (parameter, 'text'::regtype)
       OR (NOT of_many AND (
           EXISTS (SELECT FROM pg_cast c WHERE c.castsource = t.type AND c.casttarget = parameter AND c.castcontext = 'i')
           OR (parameter IN ('anyarray'::regtype, 'anycompatiblearray'::regtype) AND EXISTS (SELECT FROM pg_type e WHERE e.typarray = t.type))
           OR parameter IN ('"any"'::regtype, 'anyelement'::regtype, 'anynonarray'::regtype, 'anycompatible'::regtype, 'anycompatiblenonarray'::regtype)))
\$\$;

CREATE FUNCTION intrusion.signatures(parameters oid[]) RETURNS SETOF oid[] LANGUAGE sql AS \$\$
    WITH RECURSIVE partial (types) AS (
        SELECT '{}'::oid[]
        UNION ALL
        SELECT p.types || a.type
        FROM partial p, intrusion.accepted(parameters[cardinality(p.types) + 1], cardinality(parameters) > 3) a
        WHERE cardinality(p.types) < cardinality(parameters))
    SELECT types FROM partial WHERE cardinality(types) = cardinality(parameters)
\$\$;

-- The functions that arguments would have to be converted for, or left to defaults, with exact types.
CREATE PROCEDURE intrusion.add_functions() LANGUAGE plpgsql AS \$\$
DECLARE
    new record;
BEGIN
    FOR new IN
        SELECT DISTINCT ON (p.proname, s.types) p.proname, s.types,
               CASE t.typtype WHEN 'p' THEN 'bigint' ELSE p.prorettype::regtype::text END AS result
        FROM pg_proc p JOIN pg_type t ON t.oid = p.prorettype,
             generate_series(greatest(1, p.pronargs - p.pronargdefaults), p.pronargs + CASE WHEN p.provariadic = 0 THEN 0 ELSE 2 END) n,
             intrusion.signatures(ARRAY(
                 SELECT CASE WHEN i >= p.pronargs AND p.provariadic <> 0 THEN p.provariadic ELSE p.proargtypes[i - 1] END
                 FROM generate_series(1, n) i)) s (types)
        WHERE p.proname = ANY (string_to_array('$functions', ','))
          AND p.pronamespace IN ('pg_catalog'::regnamespace, 'shared'::regnamespace) AND p.proowner <> 'intruder'::regrole
          AND NOT EXISTS (SELECT FROM pg_proc q WHERE q.proname = p.proname AND q.pronamespace = 'shared'::regnamespace
                          AND q.proargtypes::text = array_to_string(s.types, ' '))
    LOOP
        EXECUTE format('CREATE FUNCTION shared.%I(%s) RETURNS %s LANGUAGE plpgsql AS \$f\$ BEGIN RAISE EXCEPTION ''function of the intruder was called''; END \$f\$',
                       new.proname, array_to_string(new.types::regtype[], ', '), new.result);
    END LOOP;
END \$\$;

CREATE PROCEDURE intrusion.add_operators() LANGUAGE plpgsql AS \$\$
DECLARE
    new record;
BEGIN
    FOR new IN
        SELECT DISTINCT ON (o.oprname, s.types) o.oprname, s.types,
               CASE t.typtype WHEN 'p' THEN s.types[1] ELSE o.oprresult END::regtype AS result
        FROM pg_operator o JOIN pg_type t ON t.oid = o.oprresult, intrusion.signatures(ARRAY[o.oprleft, o.oprright]) s (types)
        WHERE o.oprname = ANY (string_to_array('$operators', ' ')) AND o.oprkind = 'b' AND o.oprowner <> 'intruder'::regrole
          AND NOT EXISTS (SELECT FROM pg_operator q WHERE q.oprname = o.oprname AND q.oprnamespace = 'shared'::regnamespace
                          AND ARRAY[q.oprleft, q.oprright] = s.types)
    LOOP
        EXECUTE format('CREATE FUNCTION shared.%I(%s, %s) RETURNS %s LANGUAGE plpgsql AS \$f\$ BEGIN RAISE EXCEPTION ''operator of the intruder was called''; END \$f\$',
                       'intruder ' || new.oprname, new.types[1]::regtype, new.types[2]::regtype, new.result);
        EXECUTE format('CREATE OPERATOR shared.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = shared.%I)',
                       new.oprname, new.types[1]::regtype, new.types[2]::regtype, 'intruder ' || new.oprname);
    END LOOP;
END \$\$;
SQL

sub intrude
{
    $node->safe_psql('postgres', 'SET ROLE intruder; SET check_function_bodies = off; CALL intrusion.add_functions(); CALL intrusion.add_operators()');
    return $node->safe_psql('postgres', q{
        SELECT (SELECT count(*) FROM pg_operator WHERE oprowner = 'intruder'::regrole) + count(*) FROM pg_proc WHERE proowner = 'intruder'::regrole});
}

# Before the installation.
cmp_ok(intrude(), '>', 1000, 'the intruder is there before the extension');
my ($status, $out, $err) = $node->psql('postgres', 'CREATE EXTENSION neardup SCHEMA shared; CREATE EXTENSION neardup_clean SCHEMA shared; CREATE EXTENSION neardup_track SCHEMA shared');
is($err, '', 'the extension is created');
is( $node->safe_psql('postgres', q{
        WITH foreign_object (class, object) AS (
            SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE proowner = 'intruder'::regrole
            UNION ALL
            SELECT 'pg_operator'::regclass, oid FROM pg_operator WHERE oprowner = 'intruder'::regrole)
        SELECT DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid) || ' uses ' || pg_describe_object(d.refclassid, d.refobjid, 0)
        FROM pg_depend d JOIN foreign_object u ON u.class = d.refclassid AND u.object = d.refobjid
        WHERE NOT EXISTS (SELECT FROM foreign_object f WHERE f.class = d.classid AND f.object = d.objid)}),
    '', 'no object of it uses one of the intruder');

# Functions whose text is read when they run.
is( $node->safe_psql('postgres', q{
        SELECT string_agg(p.oid::regprocedure::text, ' ' ORDER BY p.proname)
        FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
        JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
        WHERE l.lanname NOT IN ('c', 'internal') AND p.prosqlbody IS NULL
          AND 'search_path=pg_catalog, pg_temp' <> ALL (coalesce(p.proconfig, '{}'))}),
    join(' ', map { "shared.$_" } 'clean_call_statements(regclass,name,text,double precision,text,text,text)', 'clean_guard_statements(regclass,text[])', 'clean_insert_marked(shared.clean_search,text)',
        'clean_insert_or_find_rows(regclass,jsonb,name,text,double precision,text,text,text)',
        'clean_insert_or_find_rows_keyed(anyelement,regclass,jsonb,name,text,double precision,text,text,text)',
        'clean_refuse_conflict(shared.clean_search,jsonb,double precision,integer)', 'clean_rows_by_one(regclass,jsonb,name,text,double precision,text,text,text)', 'clean_run_path()',
        'clean_search_of(regclass,name,text,double precision,text,text,text,boolean,text)', 'clean_use_path(text)',
        'guard_near_duplicates(regclass,name,text,double precision,text,text,text,text,name)',
        'insert_or_find_rows_keyed(anyelement,regclass,jsonb,name,text,double precision,text,text,text)',
        'merge_duplicates(regclass,name,text,jsonb,text,boolean,jsonb,text,jsonb)', 'neardup_track(regclass,name,text,double precision,text,text)', 'pairs_quality(text,text,boolean)',
        'undecided_pairs(regclass,name,text,double precision,double precision,text,text,text)', 'undo_merge(regclass,bigint,boolean,boolean)'),
    'functions without a search path of their own run what the caller wrote');

# And after it, with the types of the extension. All that has a body runs, in the search path of the worst case;
# the calls and their statements have the exact types themselves.
cmp_ok(intrude(), '>', 1000, 'the intruder is there after the extension');
my $track = q{
    SET search_path = shared, own;
    SELECT shared.neardup_track('docs'::regclass, 'id'::name, 'word_tokens(body)'::text, 0.6::float8, 'connected'::text, 'id IS NULL'::text);};
my @uses = (
    'simhash_blocks_within' => q{SELECT shared.simhash_blocks_within(s.v, s.v, 3) FROM (SELECT 5::bigint::shared.simhash) s (v)},
    'lsh_candidate' => q{SELECT shared.lsh_candidate(s.v, s.v, 2, 2) FROM (SELECT shared.minhash('{1,2}'::shared.tokenset, 8, 32, 1::bigint)) s (v)},
    'side_by_side' => q{SELECT * FROM shared.side_by_side('a b c'::text, 'b c d'::text, 'word_tokens'::text)},
    'near_duplicates' => q{SET search_path = shared, own; SELECT * FROM shared.near_duplicates('docs'::regclass, 'id'::name, 'body'::name, 0.6::float8, NULL::text, NULL::text, 'star'::text, 'jaccard'::text, 'id'::text, 'VALUES (1, 2)'::text)},
    'choose_threshold' => q{SET search_path = shared, own; SELECT * FROM shared.choose_threshold('docs'::regclass, 'body'::name, NULL::text, 'jaccard'::text)},
    'pairs_quality' => q{SET search_path = shared, own, pg_catalog; SELECT * FROM shared.pairs_quality('VALUES (1, 2)'::text, 'VALUES (2, 1)'::text, false)},
    'merge_duplicates' => q{SET search_path = shared, own, pg_catalog; SELECT * FROM shared.merge_duplicates('copies'::regclass, 'id'::name, 'VALUES (2, 1), (3, 2)'::text,
        '{"body": "longest", "n": "sum", "tags": "union", "note": "concat", "at": "newest by n", "c": {"n": "greatest"}}'::jsonb, 'own.merges'::text, false)},
    'undo_merge' => q{SET search_path = shared, own, pg_catalog; SELECT * FROM shared.undo_merge('own.merges'::regclass, 1::bigint, false, false)},
    'merge_duplicates, with columns that refer' => q{SET search_path = shared, own, pg_catalog; SELECT * FROM shared.merge_duplicates('copies'::regclass, 'id'::name, 'VALUES (2, 1), (3, 2)'::text, '{"c": {"n": "greatest"}}'::jsonb, 'own.merges'::text, false,
        '{"docs": [{"column": "id", "where": "id IS NULL"}, {"column": "body", "where": "id IS NULL"}]}'::jsonb, 'note = kept.note, n = gone.n'::text, '{"docs": "delete"}'::jsonb)},
    'undo_merge of these' => q{SET search_path = shared, own, pg_catalog; SELECT * FROM shared.undo_merge('own.merges'::regclass, 2::bigint, false, false)},
    'insert_or_find' => q{SET search_path = shared, own, pg_catalog; SET client_min_messages = warning;
        SELECT * FROM shared.insert_or_find_keyed(NULL::int4, 'docs'::regclass, '{"id": 900, "body": "a b c d e 0 1"}'::jsonb, 'id'::name, 'word_tokens(body)'::text, 0.6::float8, 'jaccard'::text, 'id IS NULL'::text, 'body IS NOT NULL'::text);
        SELECT * FROM shared.insert_or_find_keyed(NULL::int4, 'docs'::regclass, '{"id": 901, "body": "z y x"}'::jsonb, 'id'::name, 'word_tokens(body)'::text, 0.6::float8, 'jaccard'::text, 'id IS NULL'::text, 'body IS NOT NULL'::text)},
    'insert_or_find_rows' => q{SET search_path = shared, own, pg_catalog; SET client_min_messages = warning;
        SELECT * FROM shared.insert_or_find_rows_keyed(NULL::int4, 'docs'::regclass, '[{"id": 902, "body": "n m l"}, {"id": 903, "body": "n m l"}, {"id": 904, "body": "a b c d e 1 1"}]'::jsonb, 'id'::name, 'word_tokens(body)'::text, 0.6::float8,
            'jaccard'::text, 'id IS NULL'::text, 'body IS NOT NULL'::text)},
    'insert_or_find, by a constraint' => q{SET search_path = shared, own, pg_catalog; SET client_min_messages = warning;
        CREATE TABLE own.apart (id int PRIMARY KEY, body text, EXCLUDE USING neardup (shared.jaccard_ball(shared.word_tokens(body), 0.6::float8) WITH OPERATOR(shared.&&)));
        SELECT * FROM shared.insert_or_find('apart'::regclass, '{"id": 1, "body": "a b c"}'::jsonb, 'id'::name, 'word_tokens(body)'::text, 0.6::float8, 'jaccard'::text, NULL::text, NULL::text);
        SELECT * FROM shared.insert_or_find('apart'::regclass, '{"id": 2, "body": "a b c"}'::jsonb, 'id'::name, 'word_tokens(body)'::text, 0.6::float8, 'jaccard'::text, NULL::text, NULL::text)},
    'guard_near_duplicates' => q{SET search_path = shared, own, pg_catalog; SET client_min_messages = warning; CREATE TABLE own.guarded (id int PRIMARY KEY, body text, seen int);
        SELECT shared.guard_near_duplicates('guarded'::regclass, 'id'::name, 'word_tokens(body)'::text, 0.6::float8, 'jaccard'::text, 'id IS NULL'::text, 'body IS NOT NULL'::text, 'count'::text, 'seen'::name);
        INSERT INTO guarded VALUES (1, 'a b c'), (2, 'a b c'), (3, 'c d e')},
    'neardup_decided' => q{INSERT INTO shared.neardup_decided (rel, key_a, key_b) VALUES ('docs', 1, 2); DELETE FROM shared.neardup_decided},
    'neardup_track' => $track,
    'a row' => q{INSERT INTO docs VALUES (1000, 'a b c d e 1'); INSERT INTO docs VALUES (1001, 'a b c d f'), (1002, 'c d e f g'); DELETE FROM docs WHERE id = 1000},
    'many rows' => q{UPDATE docs SET body = 'x ' || body; INSERT INTO docs SELECT id + 5000, body FROM docs; DELETE FROM docs WHERE id % 3 = 0},
    'other keys' => q{UPDATE docs SET id = -id},
    'neardup_refresh' => q{SELECT * FROM shared.neardup_refresh('docs'::regclass)},
    'damage' => q{DELETE FROM docs_neardup WHERE key < -2; UPDATE docs_neardup SET cluster = 1; SELECT * FROM shared.neardup_refresh('docs'::regclass)},
    'TRUNCATE' => q{TRUNCATE docs},
    'neardup_untrack' => q{SELECT shared.neardup_untrack('docs'::regclass)},
    'neardup_track of no rows' => $track);
$node->safe_psql('postgres', q{
    SET ROLE owner;
    CREATE TABLE own.docs (id int PRIMARY KEY, body text);
    INSERT INTO own.docs SELECT i, format('a b c d e %s %s', i / 10, i % 7) FROM generate_series(1, 200) AS i;
    CREATE TABLE own.copies (id int PRIMARY KEY, body text, n numeric, tags text[], note text, at timestamptz);
    INSERT INTO own.copies SELECT i, repeat('x', i), i, ARRAY[i::text], i::text, now() FROM generate_series(1, 3) AS i;
    CREATE TABLE own.c (copy int REFERENCES own.copies, tag text, n int, PRIMARY KEY (copy, tag), EXCLUDE USING btree (copy WITH =, lower(tag) WITH =));
    INSERT INTO own.c SELECT i, 't', i FROM generate_series(1, 3) AS i});
while (my ($what, $sql) = splice @uses, 0, 2)
{
    ($status, $out, $err) = $node->psql('postgres', "SET ROLE owner; SET search_path = own; $sql", on_error_stop => 1);
    is($err, '', "$what: nothing of the intruder is called");
}

# neardup_citus needs Citus to be created. What has the caller's search path names types in full, but those that are
# words of SQL.
my $citus = slurp_file(project_file($meta->{provides}{neardup_citus}{file}));
my @unqualified;
while ($citus =~ /^LANGUAGE plpgsql(?: STABLE)?(?: STRICT)? AS \$\$\nDECLARE\n(.*?)^BEGIN/msg)
{
    push @unqualified, grep { !/^\s*\w+ (CONSTANT )?(pg_catalog\.|\@extschema\@\.|(bigint|boolean|numeric|record)\b)/ } split /\n/, $1;
}
is(join("\n", @unqualified), '', 'functions of neardup_citus with the search path of the caller name types in full');

$node->stop;
done_testing();
