# The promises of doc/security.md that no other test keeps: who may see what, by results, errors, estimates and order of
# evaluation; with whose rights queries run; what the library can reach.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use IPC::Run 'run';
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('security');

# 40 sets in all have token 1, of which 1 is the reader's; half of all rows are {7,8,9}.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;
CREATE EXTENSION neardup_clean;
CREATE EXTENSION neardup_track;
CREATE ROLE reader;
CREATE TABLE docs (id int PRIMARY KEY, owner text, body text, t tokenset, fp simhash);
INSERT INTO docs
SELECT n, CASE WHEN n % 40 = 0 THEN 'reader' ELSE 'boss' END, CASE WHEN n % 40 = 0 THEN 'a b c d ' ELSE 'hidden b c d ' END || n % 100,
       CASE WHEN n % 2 = 1 THEN '{7,8,9}' ELSE ARRAY[1, 2, n + 1000]::tokenset END, CASE WHEN n % 2 = 1 THEN '00000000000000ff' ELSE (n * 7919)::bigint::simhash END
FROM generate_series(1, 2000) AS n;
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM docs WHERE owner = 'reader';
CREATE TABLE columns AS TABLE docs;
CREATE TABLE policed AS TABLE docs;
CREATE POLICY own ON policed USING (owner = current_user);
ALTER TABLE policed ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON barrier, policed TO reader;
GRANT SELECT (id) ON columns TO reader;
CREATE INDEX policed_neardup ON policed USING neardup (t);
CREATE INDEX policed_gin ON policed USING gin (t);
CREATE INDEX policed_spgist ON policed USING spgist (fp);
ANALYZE;
SQL

# ---------------------------------------------------------------------------
# Estimates
# ---------------------------------------------------------------------------

sub estimate
{
    my ($role, $table, $clause) = @_;
    my $plan = $node->safe_psql('postgres', "SET ROLE $role; EXPLAIN SELECT id FROM $table WHERE $clause");
    return $plan =~ /rows=(\d+)/ ? $1 : die $plan;
}

# Each clause with a value that is common in hidden rows, and with one that no row has.
my @clauses = (
    (map { [ sprintf($_, '{7,8,9}'), sprintf($_, '{77,88,99}') ] } q{jaccard_ge(t, '%s', 0.6)}, q{cosine_ge(t, '%s', 0.6)}, q{dice_ge('%s', t, 0.6)},
        q{containment_ge(t, '%s', 0.6)}, q{overlap_ge(t, '%s', 2)}, q{hamming_le(t, '%s', 1)}, q{t %% '%s'}, q{t && '%s'}, q{t @> '%s'}, q{t <@ '%s'}, q{t = '%s'},
        q{t @~ 'jaccard(x, %s) >= 0.6'}, q{jaccard_ball(t, 0.6) && jaccard_ball('%s', 0.3)}),
    (map { [ sprintf($_, '00000000000000ff'), sprintf($_, 'ff0f00f000ff00ff') ] } q{simhash_within(fp, '%s', 2)}, q{fp <@ simhash_ball('%s', 2)}, q{fp = '%s'}));
foreach my $clause (@clauses)
{
    my ($common, $absent) = @$clause;

    foreach my $table ('policed', 'barrier')
    {
        is(estimate('reader', $table, $common), estimate('reader', $table, $absent), "$table: the estimate for who may not read all rows: $common");
    }
    cmp_ok(estimate('postgres', 'policed', $common), '>', estimate('postgres', 'policed', $absent), "and for who may: $common");
}
is($node->safe_psql('postgres', q{SET ROLE reader; SELECT count(*) FROM pg_stats WHERE tablename IN ('docs', 'policed') OR (tablename = 'columns' AND attname <> 'id')}),
    '0', 'pg_stats shows nothing of these columns');
is(sqlstate_of($node, 'postgres', "SET ROLE reader; $_"), '42501', "refused: $_")
  for q{EXPLAIN SELECT 1 FROM docs WHERE t && '{1}'}, q{EXPLAIN SELECT id FROM columns WHERE jaccard_ge(t, '{7,8,9}', 0.6)};

# ---------------------------------------------------------------------------
# What is evaluated on hidden rows: nothing of the reader's, by whatever plan
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION leak(body text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN RAISE NOTICE 'read %', body; RETURN true; END $$;
CREATE FUNCTION leak(t tokenset) RETURNS tokenset LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS $$ BEGIN IF t = '{7,8,9}' THEN RAISE NOTICE 'read hidden'; END IF; RETURN t; END $$;
SQL
my %plans = (
    'a scan' => ['', q{SELECT id FROM %s WHERE jaccard_ge(t, '{1,2,1040}', 0.4) AND leak(body)}],
    'an index' => [ 'SET enable_seqscan = off;', q{SELECT id FROM %s WHERE jaccard_ge(t, '{1,2,1040}', 0.4) AND leak(body)} ],
    'the nearest' => [ 'SET enable_seqscan = off; SET enable_sort = off;', q{SELECT id FROM %s WHERE leak(body) ORDER BY t <%%> '{1,2,1040}' LIMIT 3} ],
    'SP-GiST' => [ 'SET enable_seqscan = off;', q{SELECT id FROM %s WHERE simhash_within(fp, '00000000000000ff', 60) AND leak(body)} ],
    'the join node' => [ 'SET enable_nestloop = off; SET enable_hashjoin = off; SET enable_mergejoin = off;',
        q{SELECT a.id FROM %1$s a JOIN %1$s b ON a.id < b.id AND jaccard_ge(a.t, b.t, 0.4) AND leak(a.body) AND leak(b.body)} ],
    'the join node, of an expression' => [ 'SET enable_nestloop = off; SET enable_hashjoin = off; SET enable_mergejoin = off;',
        q{SELECT a.id FROM %1$s a JOIN %1$s b ON a.id < b.id AND jaccard_ge(leak(a.t), leak(b.t), 0.4)} ],
    'ppjoin' => [ '', q{SELECT a FROM ppjoin('SELECT id, leak(t) FROM %s WHERE leak(body)', 0.4)} ],
    'near_duplicates' => [ '', q{SELECT id FROM near_duplicates('%s', 'id', 'body', 0.4, 'leak(t)', 'leak(body)')} ],
    'estimate_join' => [ '', q{SELECT count(*) FROM estimate_join('SELECT id, leak(t) FROM %s WHERE leak(body)', ARRAY[0.5])} ]);
foreach my $plan (sort keys %plans)
{
    my ($settings, $query) = @{ $plans{$plan} };

    foreach my $table ('policed', 'barrier')
    {
        my ($status, $out, $err) = $node->psql('postgres', "SET ROLE reader; $settings " . sprintf $query, $table);
        is($status, 0, "$plan of $table: runs");
        isnt($out, '', "$plan of $table: finds the reader's rows");
        unlike($err, qr/hidden/, "$plan of $table: no function of the reader's is given a hidden row");
    }
}

# ---------------------------------------------------------------------------
# Whose rights
# ---------------------------------------------------------------------------

my $sets = 'SELECT id, t FROM docs';
my @calls = (
    "ppjoin('$sets', 0.5)", "ppjoin('SELECT 1, ''{1}''::tokenset', 0.5, against => '$sets')", "ppjoin_keyed(NULL::int, '$sets', 0.5)", "ppjoin_stats('$sets', 0.5)",
    "topk_join('$sets', 3)", "knn_join('$sets', 1, 0.5)", "match_join('$sets', 0.5)", "edit_join('SELECT id, body FROM docs', 1)",
    "simhash_join('SELECT id, fp FROM docs', 1)", "lsh_join('$sets', 0.5)", "lsh_join_stats('$sets', 0.5)",
    "sketch_overlap_join('SELECT id, minhash(t) FROM docs', 50)", "supershingle_join('SELECT id, minhash(t) FROM docs', 4, 50)",
    "estimate_join('$sets', ARRAY[0.5])", "cluster_pairs('SELECT id, id FROM docs')", "match_pairs('SELECT id, id, 1 FROM docs')",
    "link_tables('SELECT 1, ''x''', 'SELECT id, body FROM docs')", "link_tables_report('SELECT id, body FROM docs', 'SELECT 1, ''x''')",
    "pairs_quality('SELECT 1, 2', 'SELECT id, id FROM docs')", "near_duplicates('docs', 'id', 'body', 0.5)",
    "near_duplicates('columns', 'id', 'body', 0.5)", "near_duplicates('policed', 'id', 'body', 0.5, tokens => '(SELECT t FROM docs LIMIT 1)')",
    "neardup_index_check('policed_neardup')", "neardup_track('docs', 'id', 't', 0.5)", "neardup_refresh('docs')", "neardup_untrack('docs')",
    "merge_duplicates('docs', 'id', 'VALUES (1, 2)')", "merge_duplicates('columns', 'id', 'SELECT id, 1 FROM docs')");
is(sqlstate_of($node, 'postgres', "SET ROLE reader; SELECT count(*) FROM $_"), '42501', "with the caller's rights: $_") for @calls;

# A function that has its owner's rights lends them to the query that it runs, and not to the one that runs it.
$node->safe_psql('postgres', q{CREATE FUNCTION lends() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$ SELECT count(*) FROM ppjoin('SELECT id, t FROM docs WHERE id < 100', 0.9) $$});
cmp_ok($node->safe_psql('postgres', 'SET ROLE reader; SELECT lends()'), '>', 0, 'a SECURITY DEFINER function joins with the rights of its owner');
is(sqlstate_of($node, 'postgres', q{SET ROLE reader; SELECT lends(), count(*) FROM ppjoin('SELECT id, t FROM docs', 0.9)}), '42501', 'beside which the caller has his own');

# In parallel workers as well: policies name the caller.
my $workers = force_workers($node) . '; SET max_parallel_workers_per_gather = 2;';
my $pairs = q{SELECT count(*), bool_and(a % 40 = 0 AND b % 40 = 0) FROM ppjoin('SELECT id, t FROM policed', 0.4)};
is($node->safe_psql('postgres', "SET ROLE reader; $workers $pairs"), '1225|t', 'workers read the rows that the caller may');
my $planned = q{SELECT count(*), bool_and(a.id % 40 = 0 AND b.id % 40 = 0) FROM policed a JOIN policed b ON a.id < b.id AND jaccard_ge(a.t, b.t, 0.4)};
is($node->safe_psql('postgres', "SET ROLE reader; SET enable_nestloop = off; $workers $planned"), '1225|t', 'so do those of the join node');

# Every function, operator and type is for everyone, but what writes checks.
is($node->safe_psql('postgres', q{
        SELECT count(*) FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
        JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname IN ('neardup', 'neardup_clean', 'neardup_track')
        WHERE p.proleakproof OR p.prosecdef OR NOT has_function_privilege('reader', p.oid, 'EXECUTE')}),
    '0', 'no function is leakproof or SECURITY DEFINER, and PUBLIC may execute all');
is($node->safe_psql('postgres', q{
        SELECT string_agg(c.relname || ' ' || p.privilege, ', ' ORDER BY c.relname, p.privilege)
        FROM pg_class c JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e',
             unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS p (privilege)
        WHERE has_table_privilege('reader', c.oid, p.privilege)}),
    'neardup_decided DELETE, neardup_decided INSERT, neardup_decided SELECT, neardup_progress SELECT, neardup_tracked DELETE, neardup_tracked INSERT, neardup_tracked SELECT', 'what PUBLIC may do with the relations of the extension');

# What the planner puts in place of a condition is only what the caller may call.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE opened AS SELECT id, body, t, (SELECT token_weights(t) FROM docs) AS w FROM docs WHERE id < 200;
CREATE INDEX opened_t ON opened USING neardup (t);
CREATE INDEX opened_body ON opened USING neardup (body edit_ops);
GRANT SELECT ON opened TO reader;
ANALYZE opened;
SQL
for my $case (
    [ 'edit_query(text, int)', q{edit_within(body, 'a b c d 80', 1)} ], [ 'edit_within(text, text, int)', q{edit_distance(body, 'a b c d 80') <= 1} ],
    [ 'tokenset_query(text, tokenset, float8, boolean)', q{jaccard_ge(t, '{1,2,1080}', 0.5)} ], [ 'jaccard_ge(tokenset, tokenset, float8)', q{t % '{1,2,1080}'} ],
    [ 'similarity_threshold()', q{t % '{1,2,1080}'} ], [ 'heaviest_tokens_query(text, tokenset, float8, token_weights)', q{idf_jaccard_ge(t, '{1,2,1080}', w, 0.5)} ],
    [ 'heaviest_tokens_query(text, tokenset, float8, token_weights)', q{idf_jaccard_ge(t, '{1,2,1080}', (SELECT w FROM opened LIMIT 1), 0.5)} ])
{
    my ($function, $condition) = @$case;
    my $count = "SET ROLE reader; SET enable_seqscan = off; SELECT count(*) FROM opened WHERE $condition";
    my $found = $node->safe_psql('postgres', $count);

    $node->safe_psql('postgres', "REVOKE EXECUTE ON FUNCTION $function FROM PUBLIC");
    my (undef, $without, $error) = $node->psql('postgres', $count);
    $node->safe_psql('postgres', "GRANT EXECUTE ON FUNCTION $function TO PUBLIC");
    is("$without$error", $found, "$condition without $function");
    cmp_ok($found, '>', 0, 'finds rows');
}

# ---------------------------------------------------------------------------
# Event triggers, and the tables' owner against who calls
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', <<'SQL');
CREATE ROLE mallory;
CREATE SCHEMA of_mallory AUTHORIZATION mallory;
SET ROLE mallory;
CREATE FUNCTION of_mallory.note(what text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% as %', what, current_user; END $$;
CREATE FUNCTION of_mallory.bait(body text) RETURNS tokenset LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN PERFORM of_mallory.note('tokens'); RETURN public.word_tokens(body); END $$;
CREATE FUNCTION of_mallory.folded(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM of_mallory.note('tokens'); RETURN $1; END $$;
CREATE FUNCTION of_mallory.inlined(body text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT body || of_mallory.folded('x') $$;
CREATE TABLE of_mallory.docs (id int PRIMARY KEY, body text);
INSERT INTO of_mallory.docs VALUES (1, 'a b c'), (2, 'a b c d');
CREATE TABLE of_mallory.folded (id int PRIMARY KEY, body text);
CREATE TABLE of_mallory.within (id int PRIMARY KEY, body text);
CREATE INDEX bait ON of_mallory.docs USING neardup (of_mallory.bait(body));
RESET ROLE;
CREATE TABLE public.events (tag text);
CREATE FUNCTION public.record_event() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.events VALUES (tg_tag); END $$;
CREATE EVENT TRIGGER record_event ON ddl_command_end EXECUTE FUNCTION public.record_event();
SQL
foreach my $call (
    q{neardup_track('of_mallory.docs', 'id', 'of_mallory.bait(body)', 0.5)}, q{neardup_track('of_mallory.folded', 'id', 'word_tokens(of_mallory.inlined(body))', 0.5)},
    q{neardup_track('of_mallory.within', 'id', 'word_tokens(body)', 0.5, within => 'of_mallory.inlined(body)')}, q{neardup_refresh('of_mallory.docs')}, q{neardup_index_check('of_mallory.bait')})
{
    my ($status, $out, $err) = $node->psql('postgres', "SELECT count(*) FROM $call", on_error_stop => 1);
    is($status, 0, "a superuser calls $call");
    like($err, qr/NOTICE:  tokens as mallory/, 'and runs the expression of the owner');
    unlike($err, qr/as postgres/, 'never with his own rights');
}
is($node->safe_psql('postgres', q{SELECT count(DISTINCT tag) FROM events WHERE tag IN ('CREATE TABLE', 'CREATE VIEW', 'CREATE TRIGGER', 'CREATE INDEX')}),
    '4', 'event triggers see what neardup_track makes');
$node->safe_psql('postgres', q{CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no triggers' USING ERRCODE = 'P0001'; END $$;
    CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN tag IN ('CREATE TRIGGER') EXECUTE FUNCTION public.refuse()});
is(sqlstate_of($node, 'postgres', q{SELECT neardup_track('docs', 'id', 't', 0.5)}), 'P0001', 'and can refuse it');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname ~ '^(docs_|neardup_probe)' AND relnamespace = 'public'::regnamespace AND relname <> 'docs_pkey'}),
    '0', 'which leaves nothing behind');
$node->safe_psql('postgres', 'DROP EVENT TRIGGER refuse; DROP EVENT TRIGGER record_event');

# A view's functions have the rights of who reads it, as of any view.
$node->safe_psql('postgres', q{SET ROLE mallory; CREATE VIEW of_mallory.pairs AS SELECT * FROM public.ppjoin('SELECT 1, of_mallory.bait(''a'') FROM of_mallory.docs', 0.5);
    GRANT USAGE ON SCHEMA of_mallory TO reader; GRANT SELECT ON of_mallory.docs, of_mallory.pairs TO reader});
my ($status, $out, $err) = $node->psql('postgres', 'SET ROLE reader; SELECT count(*) FROM of_mallory.pairs');
like($err, qr/tokens as reader/, 'a view over a join runs the query with the rights of who reads it');

# Names that would be SQL if they were not quoted.
my $odd = q{"o'd""d; DROP TABLE docs; --"};
$node->safe_psql('postgres', qq{CREATE SCHEMA $odd; CREATE TABLE $odd.$odd ($odd int PRIMARY KEY, "select (" text); INSERT INTO $odd.$odd VALUES (1, 'a b c'), (2, 'a b c'), (3, 'a b d')});
(my $literal = "$odd.$odd") =~ s/'/''/g;
(my $column = $odd) =~ s/^"|"$//g;
$column =~ s/""/"/g;
$column =~ s/'/''/g;
is($node->safe_psql('postgres', "SELECT id, duplicate_of FROM near_duplicates('$literal', '$column', 'select (', 0.9)"), '2|1', 'near_duplicates: names are quoted');
is( $node->safe_psql('postgres', qq{
        SELECT neardup_track('$literal', '$column', 'word_tokens("select (")', 0.4) IS NULL;
        INSERT INTO $odd.$odd VALUES (4, 'x y'), (5, 'x y');
        SELECT count(*) FROM neardup_refresh('$literal');
        SELECT count(DISTINCT cluster) FROM $odd."o'd""d; DROP TABLE docs; --_neardup";
        SELECT neardup_untrack('$literal')}),
    "f\n0\n2\n", 'tracked tables: names are quoted');

# ---------------------------------------------------------------------------
# What the library can reach, and what of it others can reach
# ---------------------------------------------------------------------------

SKIP:
{
    my ($pkglibdir) = split /\n/, `pg_config --pkglibdir`;
    my $library = (grep { -e $_ } map { "$pkglibdir/neardup.$_" } 'so', 'dylib')[0];
    my $names = '';

    skip('nm is not here', 6) unless defined $library && eval { run [ 'nm', '-D', '--undefined-only', $library ], '>', \$names, '2>', \my $error };
    my @names = map { s/^\s*U\s+//r =~ s/@.*//r } split /\n/, $names;
    ok((grep { $_ eq 'BufFileCreateTemp' } @names), 'the library has temporary files of the server');
    is( join(' ', grep { /^(f?open(64|at)?|creat|unlink|rename|mkdir|socket|connect|bind|send(to|msg)?|recv(from|msg)?|system|popen|exec[lv].*|v?fork|posix_spawn.*|dlopen|getenv|setenv
                |AllocateFile|OpenTransientFile.*|PathNameOpenFile.*|BasicOpenFile.*|OpenPipeStream|SetUserId|InitializeSessionUserId.*|SetSessionAuthorization|RegisterBackgroundWorker)$/x } @names),
        '', 'and reaches no other file, network, program or environment');
    is(join(' ', sort grep { /^(GenericXLogFinish|log_newpage_buffer)$/ } @names), 'GenericXLogFinish log_newpage_buffer', 'pages of indexes are logged by generic records and as images');
    is(join(' ', grep { /^(smgr.*|md(extend|write).*|RelationCopyStorage.*|Flush.*Buffers|RegisterCustomRmgr|XLog(Begin)?Insert|log_newpage(_range|s)?)$/ } @names),
        '', 'and reach storage in no other way');

    # A function of SQL has an information function beside it.
    run [ 'nm', '-D', '--defined-only', $library ], '>', \$names;
    my %exported = map { (split / /)[2] => 1 } split /\n/, $names;
    my @functions = grep { $exported{"pg_finfo_$_"} } keys %exported;
    cmp_ok(scalar @functions, '>', 100, 'the library exports the functions that SQL declares');
    delete @exported{ map { ($_, "pg_finfo_$_") } @functions };
    is_deeply([ sort keys %exported ], [qw(JoinWorkerMain Pg_magic_func _PG_init)], 'and besides them only what PostgreSQL looks up by name');
}

$node->stop;
done_testing();
