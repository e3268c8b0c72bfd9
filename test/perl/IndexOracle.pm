# IndexOracle: lookups by an index against sequential scans, in SQL.
#
# The index is of the access method that schema() is called with. With
# scopes, it has scope columns, and each lookup is one in a scope. The table
# r(id, t, owner, lang) is made anew for each seed, in a way that depends on
# the seed; q holds what is looked up. Every comparison leaves a row in
# outcome: how many lookups, how many gave another result than a sequential
# scan, how many had another plan than an index scan.
package IndexOracle;

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Test::More;

my $method;

# The statements that check one seed. VACUUM runs in no procedure.
sub script_of_seed
{
    my ($seed) = @_;
    my @script = "CALL fill($seed);";
    push @script, 'VACUUM r;' if $seed % 4 == 1;
    push @script, 'VACUUM ANALYZE r;' if $seed % 4 >= 2;
    push @script, "CALL change($seed);";
    push @script, concurrent_writers($seed), 'DELETE FROM r WHERE cardinality(t) > 1000;' if $method eq 'neardup';
    push @script, 'VACUUM r;' if $seed % 5 == 1;
    push @script, 'SELECT gin_clean_pending_list(\'r_t\') IS NULL;' if $seed % 5 == 2 && $method eq 'gin';
    push @script, 'SELECT (neardup_index_check(\'r_t\')).rows IS NULL;', "CALL check_orders($seed);"
      if $method eq 'neardup';
    push @script, "CALL check_constants($seed);", "CALL check_parameters($seed);",
      "CALL check_sub_selects($seed);", "CALL check_joins($seed);";
    return join "\n", @script;
}

# Four writers beside VACUUM. Whether pgbench failed is asked by writers_failed.
my $folder;

sub concurrent_writers
{
    my ($seed) = @_;
    return "\\! pgbench -n -c 5 -t 3 -D seed=$seed -f $folder/write.sql\@4 -f $folder/vacuum.sql\@1 postgres >>$folder/log 2>&1 || echo seed $seed >>$folder/failed";
}

sub writers_failed
{
    return -e "$folder/failed" ? slurp_file("$folder/failed") . slurp_file("$folder/log") : '';
}

sub use_folder
{
    ($folder) = @_;
    append_to_file("$folder/write.sql", "CALL write_some(:seed, :client_id);\n");
    append_to_file("$folder/vacuum.sql", "VACUUM r;\n");
    return;
}

# What the outcome of these seeds must be, in an index of ours; `many` of the lookups find something.
sub check_seeds
{
    my ($node, $seeds, $many) = @_;
    my $value = sub { $node->safe_psql('postgres', $_[0]) };
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    for my $form (qw(constant parameter join order))
    {
        my $of = "FROM outcome WHERE form = '$form'";
        my $differs = "$of AND found <> expected";
        my $is_planned_otherwise = "$of AND (plan !~ 'Index Scan (on|using) r_t' OR plan ~ 'Seq Scan on r')";
        my $all = $value->("SELECT count(*) $of");

        cmp_ok($all, '>', 0, "$form: there are lookups ($all)");
        is($value->("SELECT count(*) $differs"), '0', "$form: no lookup differs from a sequential scan")
          or diag($value->("SELECT seed, clause, found, expected $differs LIMIT 3"));
        is($value->("SELECT count(*) $is_planned_otherwise"), '0', "$form: every plan is an index scan")
          or diag($value->("SELECT seed, clause, plan $is_planned_otherwise LIMIT 3"));
        is($value->("SELECT count(*) > $many * $all $of AND found <> ''"), 't', "$form: many find something");
    }
    is($value->('SELECT count(DISTINCT seed) FROM outcome'), $seeds, 'all seeds were checked');
    is(writers_failed(), '', 'no writer failed');
    return;
}

# The index of a seed, and the condition of a lookup in a scope.
my $SCOPES = <<'SQL';
CREATE FUNCTION index_of_seed(seed int) RETURNS text LANGUAGE sql AS $$
    SELECT format('CREATE INDEX r_t ON r USING neardup (%s)', (ARRAY['owner, t', 'owner, lang, t', 'lower(lang), owner, t'])[1 + seed % 3]) $$;
CREATE FUNCTION in_scope(seed int, owner text, lang text, clause text) RETURNS text LANGUAGE sql AS $$
    SELECT format((ARRAY['r.owner = %s', 'r.owner = %s AND r.lang = %s', '%s = r.owner AND lower(r.lang) = lower(%s)'])[1 + seed % 3], owner, lang) || ' AND (' || clause || ')' $$;
SQL

sub schema
{
    ($method, my $has_scopes) = @_;
    my $options = $method eq 'gin' ? 'WITH (fastupdate = %s)' : '/* %s */';
    my $functions = $has_scopes ? $SCOPES : <<"SQL";
CREATE FUNCTION index_of_seed(seed int) RETURNS text LANGUAGE sql AS \$\$
    SELECT format('CREATE INDEX r_t ON r USING $method (t) $options', seed % 2 = 0) \$\$;
CREATE FUNCTION in_scope(seed int, owner text, lang text, clause text) RETURNS text LANGUAGE sql AS 'SELECT clause';
SQL
    return $functions . <<"SQL" . <<'SQL';
-- GIN knows no other scans; others have none for two indexes at once, nor in order.
CREATE FUNCTION scans_bitmap(seed int, form text, clause text) RETURNS bool LANGUAGE sql AS \$\$
    SELECT '$method' = 'gin' OR (form <> 'order' AND (seed % 2 = 0 OR clause ~ ' OR ')) \$\$;
SQL
CREATE TABLE outcome (seed int, form text, clause text, found text, expected text, plan text);
CREATE TABLE q (id int, t tokenset, owner int8, lang text);

-- A random set; sizes are often multiples of 5, so that fractions lie on the threshold.
CREATE FUNCTION random_set(universe int, largest int) RETURNS tokenset LANGUAGE plpgsql AS $$
DECLARE size int := CASE floor(random() * 8) WHEN 0 THEN 0 WHEN 1 THEN 5 WHEN 2 THEN 10
                    ELSE floor(random() * (largest + 1)) END;
BEGIN
    RETURN (SELECT coalesce(array_agg(x), '{}')::tokenset
            FROM (SELECT x - 7 AS x FROM generate_series(1, universe) x ORDER BY random() LIMIT size) s);
END $$;

-- Like another set: some of its tokens are gone, some are new.
CREATE FUNCTION neighbour(t tokenset, universe int) RETURNS tokenset LANGUAGE sql AS $$
    SELECT coalesce(array_agg(x) FILTER (WHERE random() < 0.85), '{}')::tokenset
           | coalesce((SELECT array_agg(floor(random() * universe)::int - 7)
                       FROM generate_series(1, floor(random() * 3)::int)), '{}')::tokenset
    FROM unnest(t) x
$$;

CREATE PROCEDURE fill(seed int) LANGUAGE plpgsql AS $$
DECLARE universe int; largest int;
BEGIN
    PERFORM setseed(seed / 1000.0);
    universe := 15 + floor(random() * 60);
    largest := 5 + floor(random() * 16);
    DROP TABLE IF EXISTS r;
    CREATE TABLE r (id serial, t tokenset, owner int8 DEFAULT nullif(floor(random() * 3.2), 3),
                    lang text DEFAULT (ARRAY['en', 'EN', 'de'])[1 + floor(random() * 3.2)::int]);
    IF seed % 3 = 0 THEN
        EXECUTE index_of_seed(seed);
    END IF;
    INSERT INTO r (t) SELECT random_set(universe, largest) FROM generate_series(1, 60);
    INSERT INTO r (t) SELECT neighbour(t, universe) FROM r;
    INSERT INTO r (t) SELECT t FROM r WHERE id % 10 = 0;
    INSERT INTO r (t) VALUES (NULL), ('{}'), (NULL), ('{}');
    IF seed % 3 <> 0 THEN
        EXECUTE index_of_seed(seed);
    END IF;
    TRUNCATE q;
    INSERT INTO q SELECT id, t, coalesce(owner, 1), coalesce(lang, 'en') FROM r WHERE id % 29 = 0;
    INSERT INTO q SELECT 1000 + n, random_set(universe, largest), n, 'en' FROM generate_series(1, 3) n;
    INSERT INTO q VALUES (2000, '{}', 1, 'en'), (2001, NULL, 1, 'de');
END $$;

-- Rows that come, go and change after the index was made: dead entries, a pending list.
CREATE PROCEDURE change(seed int) LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM r WHERE id % 7 = seed % 7;
    UPDATE r SET t = neighbour(t, 40) WHERE id % 5 = seed % 5 AND t IS NOT NULL;
    INSERT INTO r (t) SELECT neighbour(t, 40) FROM r WHERE id % 3 = 0 AND t IS NOT NULL;
    INSERT INTO r (t) VALUES (NULL), ('{}');
END $$;

-- What one of several writers does: a transaction that may roll back, and one that commits. A row of many tokens fills
-- the pending list, so that its writer makes a segment.
CREATE PROCEDURE write_some(seed int, client int) LANGUAGE plpgsql AS $$
BEGIN
    FOR part IN 1 .. 2 LOOP
        INSERT INTO r (t) SELECT neighbour(t, 40) FROM r WHERE id % 17 = (seed + client) % 17 AND cardinality(t) < 100;
        DELETE FROM r WHERE id IN (SELECT id FROM r WHERE random() < 0.1 FOR UPDATE SKIP LOCKED);
        UPDATE r SET t = neighbour(t, 40) WHERE id IN (SELECT id FROM r WHERE random() < 0.1 AND cardinality(t) < 100 FOR UPDATE SKIP LOCKED);
        IF random() < 0.06 THEN
            INSERT INTO r (t) SELECT array_agg(x)::tokenset FROM generate_series(1, 70000) x;
        END IF;
        IF part = 1 AND random() < 0.5 THEN
            ROLLBACK;
        ELSE
            COMMIT;
        END IF;
    END LOOP;
END $$;

-- Every clause with a set in place of %s: predicates in both orders, at thresholds that are fractions.
CREATE FUNCTION clauses() RETURNS TABLE (form text, threshold text, type text) LANGUAGE sql AS $$
    SELECT format(f, m || '_ge'), n, 'float8'
    FROM unnest('{jaccard,cosine,dice,containment}'::text[]) m,
         unnest(ARRAY['%s(r.t, $1, $2)', '%s($1, r.t, $2)']) f, unnest('{0.2,0.5,0.6,0.8,1}'::text[]) n
    UNION ALL
    SELECT f, n, 'int4'
    FROM unnest('{"overlap_ge(r.t, $1, $2)","overlap_ge($1, r.t, $2)"}'::text[]) f, unnest('{1,3,7}'::text[]) n
    UNION ALL
    SELECT f, n, 'int4'
    FROM unnest('{"hamming_le(r.t, $1, $2)","hamming_le($1, r.t, $2)"}'::text[]) f, unnest('{0,2,5,12}'::text[]) n
    UNION ALL
    SELECT f, '', '' FROM unnest(ARRAY['r.t && $1', 'r.t @> $1', 'r.t <@ $1', 'r.t = $1', 'r.t %% $1', '$1 %% r.t', '$1 @> r.t',
                                       '$1 <@ r.t', 'tokenset_similar($1, r.t)']) f
    UNION ALL
    SELECT format('r.t @~ tokenset_query(%L, $1, 0.6, %L)', m, f), '', ''
    FROM unnest('{jaccard,containment}'::text[]) m, unnest('{f,t}'::bool[]) f
    UNION ALL
    SELECT 'jaccard_ge(r.t, $1, 0.5) AND r.t @> $1', '', ''
    UNION ALL
    SELECT 'dice_ge(r.t, $1, 0.7) OR r.t = $1', '', ''
$$;

-- One query, by the index and by a sequential scan.
CREATE PROCEDURE compare(seed int, form text, clause text, query text) LANGUAGE plpgsql AS $$
DECLARE
    by_index text; by_scan text; plan text := ''; line text;
BEGIN
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_sort = off;
    SET LOCAL enable_indexscan = on;
    EXECUTE format('SET LOCAL enable_bitmapscan = %s', scans_bitmap(seed, form, clause));
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        plan := plan || line || E'\n';
    END LOOP;
    EXECUTE query INTO by_index;
    SET LOCAL enable_seqscan = on;
    SET LOCAL enable_sort = on;
    SET LOCAL enable_indexscan = off;
    SET LOCAL enable_bitmapscan = off;
    DISCARD PLANS;
    EXECUTE query INTO by_scan;
    DISCARD PLANS;
    INSERT INTO outcome VALUES (seed, form, clause, coalesce(by_index, ''), coalesce(by_scan, ''), plan);
END $$;

CREATE PROCEDURE check_constants(seed int) LANGUAGE plpgsql AS $$
DECLARE c record; v record; clause text;
BEGIN
    EXECUTE format('SET LOCAL neardup.similarity_threshold = %s', (seed % 5 + 1) / 5.0);
    FOR c IN SELECT * FROM clauses() LOOP
        FOR v IN SELECT * FROM q WHERE t IS NOT NULL ORDER BY random() LIMIT 1 LOOP
            clause := replace(replace(replace(c.form, '%%', '%'), '$1', quote_literal(v.t) || '::tokenset'),
                              '$2', c.threshold);
            clause := in_scope(seed, v.owner::text, quote_literal(v.lang), clause);
            CALL compare(seed, 'constant', clause, 'SELECT array_agg(id ORDER BY id) FROM r WHERE ' || clause);
        END LOOP;
    END LOOP;
END $$;

CREATE PROCEDURE check_parameters(seed int) LANGUAGE plpgsql AS $$
DECLARE c record; v record;
BEGIN
    SET LOCAL plan_cache_mode = force_generic_plan;
    FOR c IN SELECT * FROM clauses() ORDER BY random() LIMIT 15 LOOP
        EXECUTE format('PREPARE lookup(%s) AS SELECT array_agg(id ORDER BY id) FROM r WHERE ',
                       concat_ws(', ', 'tokenset', nullif(c.type, '')))
                || in_scope(seed, '1', '''en''', replace(c.form, '%%', '%'));
        FOR v IN SELECT * FROM q ORDER BY random() LIMIT 2 LOOP
            EXECUTE format('SET LOCAL neardup.similarity_threshold = %s', floor(random() * 5 + 1) / 5);
            CALL compare(seed, 'parameter', c.form || ' ' || coalesce(v.t::text, 'NULL') || ' ' || c.threshold,
                         format('EXECUTE lookup(%s)', concat_ws(', ', quote_nullable(v.t), nullif(c.threshold, ''))));
        END LOOP;
        DEALLOCATE lookup;
    END LOOP;
END $$;

-- The distances of the nearest rows, with a condition and without.
-- What rows are ordered by, and how. Rows of the same value may come in any order.
CREATE PROCEDURE check_orders(seed int) LANGUAGE plpgsql AS $$
DECLARE v record; clause text; key text; most int; value text; direction text;
BEGIN
    FOR v IN SELECT * FROM q WHERE t IS NOT NULL ORDER BY random() LIMIT 2 LOOP
        value := quote_literal(v.t) || '::tokenset';
        FOREACH key IN ARRAY ARRAY['r.t <%> $1', 'r.t <=> $1', 'r.t <@>> $1', 'r.t <<@> $1', 'jaccard(r.t, $1)', 'cosine($1, r.t)', 'dice(r.t, $1)',
                                   'overlap(r.t, $1)', 'containment(r.t, $1)', 'containment($1, r.t)', '1 - dice($1, r.t)'] LOOP
            direction := CASE WHEN key LIKE 'r.%' OR key LIKE '1 -%' THEN '' ELSE 'DESC NULLS LAST' END;
            FOREACH clause IN ARRAY ARRAY['true', 'jaccard_ge(r.t, $1, 0.3)', 'r.t && $1', 'containment_ge($1, r.t, 0.5)'] LOOP
                most := (ARRAY[1, 7, 1000000])[1 + floor(random() * 3)];
                clause := replace(format('%s ORDER BY %s %s LIMIT %s', in_scope(seed, v.owner::text, quote_literal(v.lang), clause), key, direction, most), '$1', value);
                CALL compare(seed, 'order', clause,
                             format('SELECT array_agg(d) FROM (SELECT %s AS d FROM r WHERE %s) x', replace(key, '$1', value), clause));
            END LOOP;
        END LOOP;
    END LOOP;
END $$;

CREATE PROCEDURE check_sub_selects(seed int) LANGUAGE plpgsql AS $$
DECLARE c record; sub_select text; clause text;
BEGIN
    FOR c IN SELECT * FROM clauses() ORDER BY random() LIMIT 15 LOOP
        SELECT format('(SELECT t FROM q WHERE q.id = %s)', id) INTO sub_select FROM q ORDER BY random() LIMIT 1;
        clause := in_scope(seed, '1', '''en''', replace(replace(replace(c.form, '%%', '%'), '$1', sub_select), '$2', c.threshold));
        CALL compare(seed, 'sub-select', clause, 'SELECT array_agg(id ORDER BY id) FROM r WHERE ' || clause);
    END LOOP;
END $$;

CREATE PROCEDURE check_joins(seed int) LANGUAGE plpgsql AS $$
DECLARE c record; clause text;
BEGIN
    SET LOCAL enable_material = off;
    SET LOCAL enable_hashjoin = off;
    SET LOCAL enable_mergejoin = off;
    FOR c IN SELECT * FROM clauses() ORDER BY random() LIMIT 10 LOOP
        clause := in_scope(seed, 'q.owner', 'q.lang', replace(replace(replace(c.form, '%%', '%'), '$1', 'q.t'), '$2', c.threshold));
        CALL compare(seed, 'join', clause,
                     'SELECT array_agg(q.id || ''-'' || r.id ORDER BY q.id, r.id) FROM q CROSS JOIN LATERAL'
                     || ' (SELECT id FROM r WHERE ' || clause || ' OFFSET 0) r');
    END LOOP;
END $$;
SQL
}

1;
