# Random joins, each done in several ways: as the join node does it, and as
# nested loops do, with an index and without.
package JoinOracle;

use strict;
use warnings;

use SeededRandom;

# The tables of a seed, with NULLs, empty sets, duplicates, dead rows and a
# pending list, then the comparisons. Every twentieth seed has tables that do not
# fit into the memory of its joins.
sub script_of_seed
{
    my ($seed) = @_;
    my $random = SeededRandom->new($seed);
    my $rows = $seed % 20 == 0 ? 500 : 30 + $random->below(40);
    my $vacuum = $random->below(3) > 0 ? "VACUUM r; VACUUM s;" : '';

    return <<"SQL";
SELECT setseed(@{[ ($seed % 1000) / 1000 ]});
TRUNCATE r, s;
CALL fill('r', $rows);
CALL fill('s', $rows);
INSERT INTO s SELECT id + 10000, g, t FROM r WHERE random() < 0.2;
UPDATE r SET t = t | '{3}' WHERE random() < 0.1;
UPDATE s SET g = g + 1 WHERE random() < 0.1;
DELETE FROM r WHERE random() < 0.1;
$vacuum
CALL fill('s', 5);
ANALYZE r; ANALYZE s;
CALL check_joins($seed);
SQL
}

# Tables, and procedures that compare.
sub schema
{
    return <<'SQL';
CREATE TABLE r (id serial, g int, t tokenset);
CREATE TABLE s (id serial, g int, t tokenset);
CREATE INDEX r_t ON r USING gin (t);
CREATE INDEX s_t ON s USING gin (t) WITH (gin_pending_list_limit = 64);
CREATE TABLE outcome (seed int, clause text, type text, leg text, query text, expected text, found text, plan text, spilled bool);

CREATE PROCEDURE fill(name text, rows int) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I (g, t) SELECT nullif((random() * 5)::int, 5), CASE WHEN random() < 0.05 THEN NULL WHEN random() < 0.05 THEN ''{}'' '
        'ELSE ARRAY(SELECT (random() * random() * 30)::int + 0 * i FROM generate_series(1, 1 + (random() * 8)::int))::tokenset END '
        'FROM generate_series(1, %s) i', name, rows);
    EXECUTE format('INSERT INTO %1$I (g, t) SELECT g, t FROM %1$I WHERE random() < 0.15', name);
END $$;

-- x and y are the sets of either side, in both orders where that differs. What no index serves has no by_index.
CREATE FUNCTION clauses() RETURNS TABLE (form text, by_index bool) LANGUAGE sql AS $$
    SELECT format(form, threshold), by_index FROM (VALUES
        ('jaccard_ge(x, y, %s)', '{0.3,0.5,0.6,0.8,1}'::text[], true),
        ('cosine_ge(x, y, %s)', '{0.4,0.5,0.7,1}', true),
        ('dice_ge(y, x, %s)', '{0.4,0.5,0.8,1}', true),
        ('containment_ge(x, y, %s)', '{0.3,0.5,0.75,1}', true),
        ('containment_ge(y, x, %s)', '{0.3,0.5,0.75,1}', true),
        ('overlap_ge(x, y, %s)', '{1,2,3,4}', true),
        ('hamming_le(x, y, %s)', '{0,1,3,6}', true),
        ('x %% y', '{0}', true),
        ('jaccard(x, y) >= %s', '{0.3,0.5,0.8}', false),
        ('%s <= cosine(y, x)', '{0.4,0.7}', false),
        ('dice(x, y) >= %s', '{0.5,0.8}', false),
        ('containment(y, x) >= %s', '{0.5,1}', false),
        ('overlap(x, y) >= %s', '{2,3}', false),
        ('simhash_within(simhash(x), simhash(y), %s)', '{0,2,14,20,64}', false),
        ('simhash(y) <~> simhash(x) <= %s', '{1,12,18}', false)) AS c (form, thresholds, by_index),
        LATERAL (SELECT t FROM unnest(thresholds) t ORDER BY random() LIMIT 1) AS one (threshold)
$$;

CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; plan text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        plan := plan || line || E'\n';
    END LOOP;
    RETURN plan;
END $$;

-- The rows of a query: how many, a digest of all, and how they begin.
CREATE FUNCTION rows_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
    EXECUTE format('SELECT n || '': '' || coalesce(md5(rows) || '' '' || left(rows, 100), '''') '
        'FROM (SELECT count(*), string_agg(q::text, '' '' ORDER BY q::text COLLATE "C") FROM (%s) q) r (n, rows)', query) INTO result;
    RETURN result;
END $$;

CREATE FUNCTION query_of(type text, clause text, inner_table text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE type
        WHEN 'inner' THEN format('SELECT a.id x, b.id y FROM r a JOIN %s b ON %s', inner_table, clause)
        WHEN 'left' THEN format('SELECT a.id x, b.id y, a.g FROM r a LEFT JOIN %s b ON %s', inner_table, clause)
        WHEN 'semi' THEN format('SELECT a.id x, a.t::text FROM r a WHERE EXISTS (SELECT 1 FROM %s b WHERE %s)', inner_table, clause)
        WHEN 'anti' THEN format('SELECT a.id x, a.g FROM r a WHERE NOT EXISTS (SELECT 1 FROM %s b WHERE %s)', inner_table, clause)
    END
$$;

CREATE PROCEDURE check_leg(seed int, form text, type text, leg text, query text, expected text) LANGUAGE plpgsql AS $$
DECLARE spilled bool; analyzed jsonb;
BEGIN
    IF leg = 'node' AND seed % 20 = 0 THEN
        EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) ' || query INTO analyzed;
        spilled := (analyzed -> 0 -> 'Plan' ->> 'Parts')::int > 1;
    END IF;
    INSERT INTO outcome VALUES (seed, form, type, leg, query, expected, CASE leg WHEN 'loop' THEN expected ELSE rows_of(query) END, plan_of(query), spilled);
END $$;

CREATE PROCEDURE check_joins(seed int) LANGUAGE plpgsql AS $$
DECLARE
    c record; type text; clause text; query text; expected text;
    extras text[] := '{"",""," AND a.g = b.g"," AND a.id < b.id"," AND a.g = b.g AND a.id <> b.id"," AND a.id + b.id > 40"," AND a.g = b.g AND overlap_ge(a.t, b.t, 2)"}';
BEGIN
    EXECUTE format('SET LOCAL neardup.similarity_threshold = %s', (seed % 5 + 1) / 5.0);
    SET LOCAL enable_hashjoin = off;
    SET LOCAL enable_mergejoin = off;
    SET LOCAL enable_memoize = off;
    SET LOCAL hash_mem_multiplier = 1;
    SET LOCAL max_parallel_workers_per_gather = 0;
    FOR c IN SELECT * FROM clauses() WHERE seed % 20 <> 0 OR random() < 0.3 LOOP
        FOREACH type IN ARRAY '{inner,left,semi,anti}'::text[] LOOP
            clause := regexp_replace(regexp_replace(c.form, '\mx\M', 'a.t'), '\my\M', 'b.t')
                || extras[1 + floor(random() * array_length(extras, 1))];
            query := query_of(type, clause, CASE WHEN random() < 0.5 THEN 'r' ELSE 's' END);

            SET LOCAL neardup.enable_similarity_join = off;
            SET LOCAL enable_nestloop = on;
            SET LOCAL enable_bitmapscan = off;
            expected := rows_of(query);
            CALL check_leg(seed, c.form, type, 'loop', query, expected);
            SET LOCAL enable_bitmapscan = on;
            IF c.by_index THEN
                SET LOCAL enable_material = off;
                SET LOCAL enable_seqscan = off;
                CALL check_leg(seed, c.form, type, 'index', query, expected);
                SET LOCAL enable_material = on;
                SET LOCAL enable_seqscan = on;
            END IF;

            SET LOCAL neardup.enable_similarity_join = on;
            SET LOCAL enable_nestloop = off;
            EXECUTE format('SET LOCAL work_mem = %L', CASE WHEN seed % 20 = 0 OR random() < 0.3 THEN '64kB' ELSE '4MB' END);
            CALL check_leg(seed, c.form, type, 'node', query, expected);
            IF random() < 0.04 THEN
                SET LOCAL max_parallel_workers_per_gather = 2;
                SET LOCAL parallel_setup_cost = 0;
                SET LOCAL parallel_tuple_cost = 0;
                SET LOCAL min_parallel_table_scan_size = 0;
                query := query_of(type, clause, 's');
                SET LOCAL max_parallel_workers_per_gather = 0;
                SET LOCAL neardup.enable_similarity_join = off;
                SET LOCAL enable_nestloop = on;
                expected := rows_of(query);
                SET LOCAL neardup.enable_similarity_join = on;
                SET LOCAL enable_nestloop = off;
                SET LOCAL max_parallel_workers_per_gather = 2;
                CALL check_leg(seed, c.form, type, 'parallel', query, expected);
                SET LOCAL max_parallel_workers_per_gather = 0;
            END IF;
            RESET work_mem;
        END LOOP;
    END LOOP;
END $$;
SQL
}

1;
