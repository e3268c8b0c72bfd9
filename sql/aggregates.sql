--
-- tokenset_union_agg and common_tokens against plain SQL over unnest(int8[]).
--
CREATE TABLE agg_sets (id int, g int, a int8[], t tokenset);
SELECT setseed(0.1);
INSERT INTO agg_sets
SELECT id, g, a, a::text::tokenset
FROM (SELECT id, (id * id) % 97 AS g,
             CASE WHEN id % 50 = 0 THEN NULL
                  WHEN id % 33 = 0 THEN '{}'
                  ELSE (SELECT array_agg(DISTINCT floor(power(random(), 3) * 6000)::int8 - 100)
                        FROM generate_series(1, 44) WHERE id > 0) END AS a
      FROM generate_series(1, 4000) id) s;
ANALYZE agg_sets;

-- Nothing, NULLs and empty sets.
SELECT tokenset_union_agg(t), common_tokens(t, 0.5) FROM agg_sets WHERE false;
SELECT tokenset_union_agg(NULL::tokenset), common_tokens(NULL::tokenset, 0.5) FROM generate_series(1, 3);
SELECT tokenset_union_agg(x), common_tokens(x, 0.5) FROM (VALUES (tokenset '{}'), (NULL), ('{}')) v (x);
SELECT tokenset_union_agg('{2,1}'), common_tokens('{2,1}', 0);
SELECT tokenset_union_agg(x), common_tokens(x, 0.5), common_tokens(x, 0.34), common_tokens(x, 0)
FROM (VALUES (tokenset '{1,2}'), (NULL), ('{2,3}'), ('{2,3,4}')) v (x);

-- "More than": one row of ten is not more than 0.1.
SELECT common_tokens(x, 0.1), common_tokens(x, 0.0999)
FROM (SELECT CASE n WHEN 1 THEN tokenset '{5,6}' WHEN 2 THEN '{6}' ELSE '{}' END AS x
      FROM generate_series(1, 10) n) s;

-- Counted tokens: with a common token come all its occurrence numbers (here 7's
-- second, third and fourth), and only its.
SELECT common_tokens(x, 0.9)
FROM (VALUES (tokenset '{7,2634027135298203255,8675069503831562643,-917076759485153624,8}'), ('{7,2634027135298203255}'), ('{7,9}')) v (x);
SELECT common_tokens(x, 0.9)
FROM (VALUES (tokenset '{7,2634027135298203255,-917076759485153624,8}'), ('{7}')) v (x);

-- The oracle: per group, and over all rows.
CREATE TEMP VIEW oracle AS
SELECT g, (SELECT array_agg(x ORDER BY x) FROM (SELECT DISTINCT x FROM agg_sets i, unnest(a) x WHERE i.g = o.g) s) AS united,
       ARRAY(SELECT x FROM agg_sets i, unnest(a) x WHERE i.g = o.g GROUP BY x
             HAVING 20 * count(*) > (SELECT count(a) FROM agg_sets r WHERE r.g = o.g) ORDER BY x) AS common
FROM (SELECT DISTINCT g FROM agg_sets) o;
CREATE TEMP TABLE expected AS SELECT * FROM oracle;
CREATE TEMP TABLE expected_all AS
SELECT ARRAY(SELECT DISTINCT x FROM agg_sets, unnest(a) x ORDER BY x) AS united,
       ARRAY(SELECT x FROM agg_sets, unnest(a) x GROUP BY x
             HAVING 20 * count(*) > (SELECT count(a) FROM agg_sets) ORDER BY x) AS common;
CREATE FUNCTION agg_differences() RETURNS TABLE (groups int8, united int8, common int8, all_united int8, all_common int8)
LANGUAGE sql AS $$
    SELECT count(*), count(*) FILTER (WHERE s.u::int8[] IS DISTINCT FROM e.united),
           count(*) FILTER (WHERE s.c::int8[] IS DISTINCT FROM e.common),
           (SELECT count(*) FROM expected_all x, (SELECT tokenset_union_agg(t) u FROM agg_sets) y WHERE x.united IS DISTINCT FROM y.u::int8[]),
           (SELECT count(*) FROM expected_all x, (SELECT common_tokens(t, 0.05) c FROM agg_sets) y WHERE x.common IS DISTINCT FROM y.c::int8[])
    FROM expected e
    LEFT JOIN (SELECT g, tokenset_union_agg(t) AS u, common_tokens(t, 0.05) AS c FROM agg_sets GROUP BY g) s USING (g)
$$;
SELECT max(cardinality(united)) > 1024 AS large, cardinality(common) > 0 AS some FROM expected_all GROUP BY 2;

-- Hashed and sorted grouping.
SELECT * FROM agg_differences();
SET enable_hashagg = off;
SELECT * FROM agg_differences();
RESET enable_hashagg;
-- groups of one row, spilling
SET work_mem = '64kB';
SELECT count(*) AS rows, count(*) FILTER (WHERE s.u IS DISTINCT FROM r.t OR s.c IS DISTINCT FROM r.t) AS differing
FROM (SELECT id, tokenset_union_agg(t) AS u, common_tokens(t, 0) AS c FROM agg_sets GROUP BY id) s JOIN agg_sets r USING (id);
SELECT * FROM agg_differences();
RESET work_mem;
-- States are flattened where they are sorted, in memory that is not freed piece by piece.
SELECT count(*) AS groups, count(*) FILTER (WHERE s.u::int8[] IS DISTINCT FROM e.united) AS united
FROM expected e
JOIN (SELECT g, u FROM (SELECT g, tokenset_union_agg(t) AS u FROM agg_sets GROUP BY g) s ORDER BY u OFFSET 0) s USING (g);

-- Parallel: partial states of both kinds are combined.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS off) SELECT tokenset_union_agg(t), common_tokens(t, 0.05) FROM agg_sets;
SELECT * FROM agg_differences();
SELECT count(*) AS groups, count(*) FILTER (WHERE s.u::int8[] IS DISTINCT FROM e.united) AS united,
       count(*) FILTER (WHERE s.c::int8[] IS DISTINCT FROM e.common) AS common
FROM expected e
JOIN (SELECT g, tokenset_union_agg(t) AS u, common_tokens(t, 0.05) AS c FROM agg_sets GROUP BY g) s USING (g);
SELECT count(*) AS differing FROM expected_all e, (SELECT tokenset_union_agg(t) AS u, common_tokens(t, 0.05) AS c FROM agg_sets) s
WHERE e.united <> s.u::int8[] OR e.common <> s.c::int8[];
SELECT count(*) AS groups, count(*) FILTER (WHERE s.u::int8[] IS DISTINCT FROM e.united) AS united,
       count(*) FILTER (WHERE s.c::int8[] IS DISTINCT FROM e.common) AS common
FROM expected e
JOIN (SELECT g, tokenset_union_agg(t) AS u, common_tokens(t, 0.05) AS c FROM agg_sets GROUP BY g ORDER BY g OFFSET 0) s USING (g);
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- FILTER, DISTINCT and ORDER BY.
SELECT (SELECT tokenset_union_agg(t) FILTER (WHERE id % 3 = 0) FROM agg_sets)::int8[]
       = ARRAY(SELECT DISTINCT x FROM agg_sets, unnest(a) x WHERE id % 3 = 0 ORDER BY x) AS filtered,
       (SELECT common_tokens(t, 0.05) FILTER (WHERE id % 3 = 0) FROM agg_sets)::int8[]
       = ARRAY(SELECT x FROM agg_sets, unnest(a) x WHERE id % 3 = 0 GROUP BY x
               HAVING 20 * count(*) > (SELECT count(a) FROM agg_sets WHERE id % 3 = 0) ORDER BY x) AS filtered_common,
       (SELECT tokenset_union_agg(DISTINCT t) FROM agg_sets) = (SELECT tokenset_union_agg(t ORDER BY id DESC) FROM agg_sets) AS ordered;
SELECT common_tokens(DISTINCT x, 0.5) AS of_distinct, common_tokens(x, 0.5) AS of_all
FROM (VALUES (tokenset '{1}'), ('{1}'), ('{1}'), ('{2}'), ('{2,3}')) v (x);

-- Windows: the state is read after each row and goes on growing.
CREATE TEMP TABLE first_sets AS SELECT * FROM agg_sets WHERE id <= 300;
SELECT count(*) AS rows,
       count(*) FILTER (WHERE w.u::int8[] IS DISTINCT FROM (SELECT array_agg(DISTINCT x) FROM first_sets i, unnest(a) x WHERE i.id <= w.id)) AS united,
       count(*) FILTER (WHERE w.c::int8[] IS DISTINCT FROM
                        ARRAY(SELECT x FROM first_sets i, unnest(a) x WHERE i.id <= w.id GROUP BY x
                              HAVING 20 * count(*) > (SELECT count(a) FROM first_sets i WHERE i.id <= w.id) ORDER BY x)) AS common
FROM (SELECT id, tokenset_union_agg(t) OVER (ORDER BY id) AS u, common_tokens(t, 0.05) OVER (ORDER BY id) AS c
      FROM first_sets WHERE id <= 250) w;
-- a moving frame starts anew each time; all results are kept before any is compared
CREATE TEMP TABLE moving AS
SELECT id, tokenset_union_agg(t) OVER w AS u, common_tokens(t, 0.05) OVER w AS c
FROM first_sets WINDOW w AS (ORDER BY id ROWS BETWEEN 60 PRECEDING AND CURRENT ROW);
SELECT count(*) AS rows,
       count(*) FILTER (WHERE u::int8[] IS DISTINCT FROM (SELECT array_agg(DISTINCT x) FROM first_sets i, unnest(a) x
                                                          WHERE i.id BETWEEN m.id - 60 AND m.id)) AS united,
       count(*) FILTER (WHERE c::int8[] IS DISTINCT FROM
                        ARRAY(SELECT x FROM first_sets i, unnest(a) x WHERE i.id BETWEEN m.id - 60 AND m.id GROUP BY x
                              HAVING 20 * count(*) > (SELECT count(a) FROM first_sets i WHERE i.id BETWEEN m.id - 60 AND m.id) ORDER BY x)) AS common
FROM moving m;

-- The support functions by themselves: unions and sums of flat states.
SELECT tokenset_union_agg_transition('{1}', '{2}');
SELECT common_tokens_transition(NULL, '{1,-1}', 0.25) AS one_row,
       common_tokens_combine(common_tokens_transition(NULL, '{1}', 0.25), common_tokens_transition(NULL, '{1,2}', 0.25))
       = common_tokens_transition(common_tokens_transition(NULL, '{1}', 0.25), '{1,2}', 0.25) AS same,
       common_tokens_transition(NULL, NULL, 0.25) IS NULL AS nothing,
       common_tokens_transition(NULL, '{1}', '-0') = common_tokens_transition(NULL, '{1}', '0') AS zero_of_either_sign;
SELECT common_tokens_final(common_tokens_transition(common_tokens_transition(NULL, '{1}', 0.5), '{1,2}', 0.5));
-- large states stay right, and do not change what they were made from
WITH s AS MATERIALIZED (SELECT tokenset_union_agg(t) AS u FROM agg_sets),
     r AS MATERIALIZED (SELECT u, tokenset_union_agg_transition(u, '{-999}') AS v FROM s)
SELECT cardinality(v) - cardinality(u) AS added, v - u AS token FROM r;

-- Aggregates that differ in their final functions only share one state: what
-- one final function adds to it, it adds to a copy.
CREATE FUNCTION union_and_more(tokenset) RETURNS tokenset IMMUTABLE LANGUAGE sql
AS $$ SELECT tokenset_union_agg_transition($1, '{-999}') $$;
CREATE AGGREGATE union_and_more_agg(tokenset)
    (SFUNC = tokenset_union_agg_transition, STYPE = tokenset, COMBINEFUNC = tokenset_union_agg_transition,
     FINALFUNC = union_and_more, FINALFUNC_MODIFY = READ_ONLY);
CREATE FUNCTION counts_and_more(bytea) RETURNS tokenset IMMUTABLE LANGUAGE sql
AS $$ SELECT common_tokens_final(common_tokens_combine($1, common_tokens_transition(NULL, '{-999}', 0))) $$;
CREATE AGGREGATE counts_and_more_agg(tokenset, float8)
    (SFUNC = common_tokens_transition, STYPE = bytea, COMBINEFUNC = common_tokens_combine,
     FINALFUNC = counts_and_more, FINALFUNC_MODIFY = READ_ONLY);
SELECT more_united - united AS more_united, more_counted - counted AS more_counted, united = counted AS same, cardinality(united) > 1024 AS large
FROM (SELECT union_and_more_agg(t) AS more_united, tokenset_union_agg(t) AS united,
             counts_and_more_agg(t, 0) AS more_counted, common_tokens(t, 0) AS counted
      FROM agg_sets) s;
DROP AGGREGATE union_and_more_agg(tokenset), counts_and_more_agg(tokenset, float8);
DROP FUNCTION union_and_more, counts_and_more;

-- Errors: the fraction.
SELECT common_tokens('{1}', 1);
\echo :LAST_ERROR_SQLSTATE
SELECT common_tokens('{1}', -0.1);
\echo :LAST_ERROR_SQLSTATE
SELECT common_tokens('{1}', 'NaN');
\echo :LAST_ERROR_SQLSTATE
SELECT common_tokens('{1}', NULL);
\echo :LAST_ERROR_SQLSTATE
SELECT common_tokens(NULL, 2);
\echo :LAST_ERROR_SQLSTATE
SELECT common_tokens('{1}', f) FROM (VALUES (0.1), (0.2)) v (f);
\echo :LAST_ERROR_SQLSTATE
SELECT common_tokens(t, id / 10000.0) FROM agg_sets;
\echo :LAST_ERROR_SQLSTATE
SELECT common_tokens_combine(common_tokens_transition(NULL, '{1}', 0.25), common_tokens_transition(NULL, '{1}', 0.5));
\echo :LAST_ERROR_SQLSTATE

-- Errors: a state that is none.
CREATE FUNCTION state_error(state bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    RETURN common_tokens_final(state)::text;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN sqlstate || ' ' || sqlerrm || ': ' || detail;
END $$;
WITH state AS (SELECT common_tokens_transition(NULL, '{1,2}', 0.5) AS s)
SELECT n, state_error(x)
FROM state, LATERAL (VALUES
    ('right', s), ('empty', ''), ('short', substr(s, 1, 23)), ('half a token', substr(s, 1, 32)),
    ('magic', set_byte(s, 0, 0)), ('version', set_byte(s, 7, 50)), ('fraction', set_byte(s, 15, 192)), ('no rows', set_byte(s, 16, 0)),
    ('negative rows', set_byte(s, 23, 128)), ('count 0', set_byte(s, 32, 0)), ('count above rows', set_byte(s, 32, 2)),
    ('order', set_byte(s, 24, 3)), ('repeated', set_byte(s, 24, 2))) v (n, x);
WITH many AS (SELECT set_byte(common_tokens_transition(NULL, '{1}', 0.5), 22, 255) AS s),
     most AS (SELECT set_byte(s, 23, 127) AS s FROM many)
SELECT common_tokens_combine(s, s) FROM most;
\echo :LAST_ERROR_SQLSTATE

DROP FUNCTION state_error, agg_differences;
DROP VIEW oracle;
DROP TABLE agg_sets;
