-- Join functions in FROM: the planner's own scan of their pairs, beside the function scan.
CREATE TABLE pair_sets AS
SELECT i AS id, ARRAY[i % 50, i % 7 + 100, i % 11 + 200, i % 3 + 300] AS set FROM generate_series(1, 500) AS i;
ANALYZE pair_sets;

EXPLAIN (COSTS OFF) SELECT count(*) FROM ppjoin('SELECT id, set FROM pair_sets', 0.6);
EXPLAIN (COSTS OFF, VERBOSE) SELECT similarity FROM ppjoin('SELECT id, set FROM pair_sets', 0.6) AS p WHERE b > 100;
-- As PostgreSQL 15 shows it.
CREATE FUNCTION analyzed(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ' || query LOOP
        RETURN NEXT regexp_replace(line, '(rows=\d+)\.00', '\1');
    END LOOP;
END $$;
SELECT analyzed($$SELECT a, b FROM ppjoin('SELECT id, set FROM pair_sets', 0.6) AS p WHERE b <= 400$$);
CREATE FUNCTION shown(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (COSTS OFF, VERBOSE, FORMAT JSON) ' || query INTO plan;
    RETURN QUERY SELECT key || ': ' || value FROM jsonb_each(plan -> 0 -> 'Plan') WHERE key ~ 'Function|Provider|Schema|Alias|Output' ORDER BY 1;
END $$;
SELECT shown($$SELECT a FROM ppjoin('SELECT id, set FROM pair_sets', 0.6) AS p$$);
EXPLAIN (COSTS OFF) SELECT count(*) FROM ppjoin('SELECT id, set FROM pair_sets', 0.6) AS p JOIN ppjoin('SELECT id, set FROM pair_sets', 0.6) AS q ON p.a = q.b;
SET neardup.enable_similarity_join = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM ppjoin('SELECT id, set FROM pair_sets', 0.6);
RESET neardup.enable_similarity_join;

-- What it is not for: whole rows, numbered rows, several functions, keys by reference.
EXPLAIN (COSTS OFF) SELECT count(p) FROM ppjoin('SELECT id, set FROM pair_sets', 0.6) AS p;
EXPLAIN (COSTS OFF) SELECT a FROM ppjoin('SELECT id, set FROM pair_sets', 0.6) AS p WHERE p::text > '(4';
EXPLAIN (COSTS OFF) SELECT u FROM (SELECT a, b FROM ppjoin('SELECT id, set FROM pair_sets', 0.6) UNION ALL SELECT a, b FROM ppjoin('SELECT id, set FROM pair_sets', 0.9)) AS u WHERE a > 4;
EXPLAIN (COSTS OFF) SELECT p FROM pair_sets AS s LEFT JOIN ppjoin('SELECT id, set FROM pair_sets', 0.6) AS p ON s.id = p.a;
EXPLAIN (COSTS OFF) SELECT count(*) FROM ppjoin('SELECT id, set FROM pair_sets', 0.6) WITH ORDINALITY;
EXPLAIN (COSTS OFF) SELECT count(*) FROM ROWS FROM (ppjoin('SELECT id, set FROM pair_sets', 0.6), generate_series(1, 2));
EXPLAIN (COSTS OFF) SELECT count(*) FROM ppjoin_keyed(NULL::text, 'SELECT id::text, set FROM pair_sets', 0.6);
EXPLAIN (COSTS OFF) SELECT s.id FROM pair_sets AS s, ppjoin('SELECT id, set FROM pair_sets', 0.6) AS p WHERE s.id = p.a FOR UPDATE OF s;
EXPLAIN (COSTS OFF) SELECT ppjoin('SELECT id, set FROM pair_sets', 0.6);

-- All functions, in memory and in files, find what they find by a function scan.
CREATE FUNCTION check_pairs(call text, columns text DEFAULT 'a, b, v') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT array_agg((%s)::text ORDER BY (%1$s)::text) FROM %s AS p(a, b, v) WHERE a::text <> ''7''', columns, call);
	plan text := '';
	line text;
	by_scan text[];
	by_function text[];
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		plan := plan || line;
	END LOOP;
	EXECUTE query INTO by_scan;
	SET LOCAL neardup.enable_similarity_join = off;
	EXECUTE query INTO by_function;
	SET LOCAL neardup.enable_similarity_join = on;
	RETURN format('%s pairs, %s, %s', coalesce(cardinality(by_function), 0),
		CASE WHEN by_scan IS NOT DISTINCT FROM by_function THEN 'equal' ELSE 'different' END,
		CASE WHEN plan LIKE '%Similarity Function Scan%' THEN 'scanned' ELSE 'not scanned' END);
END $$;

CREATE TABLE pair_calls (call text);
INSERT INTO pair_calls VALUES
	($$ppjoin('SELECT id, set FROM pair_sets', 0.6)$$),
	($$ppjoin('SELECT id, set FROM pair_sets', 0.6, 'cosine', against => 'SELECT id + 1, set FROM pair_sets')$$),
	($$ppjoin('SELECT id, set FROM pair_sets WHERE false', 0.6)$$),
	($$ppjoin_keyed(NULL::smallint, 'SELECT id::smallint, set FROM pair_sets', 0.6)$$),
	($$ppjoin_keyed(NULL::date, 'SELECT date ''2020-01-01'' + id, set FROM pair_sets', 0.6, against => 'SELECT date ''2020-01-01'' - id, set FROM pair_sets')$$),
	($$ppjoin_keyed(NULL::text, 'SELECT id::text, set FROM pair_sets', 0.6)$$),
	($$lsh_join('SELECT id, set FROM pair_sets', 0.6, 0.9)$$),
	($$lsh_join_keyed(NULL::float8, 'SELECT id::float8, set FROM pair_sets', 0.6, 0.9)$$),
	($$edit_join('SELECT id, set::text FROM pair_sets', 2)$$),
	($$edit_join('SELECT id, set::text FROM pair_sets', 1, against => 'SELECT -id, set::text FROM pair_sets')$$),
	($$edit_join_keyed(NULL::int, 'SELECT id, set::text FROM pair_sets', 2)$$),
	($$simhash_join('SELECT id, (id % 50 * 7919)::bigint::simhash FROM pair_sets', 3)$$),
	($$simhash_join_keyed(NULL::int, 'SELECT id, (id % 50 * 7919)::bigint::simhash FROM pair_sets', 3)$$),
	($$sketch_overlap_join('SELECT id, minhash(set::bigint[]::tokenset, 16) FROM pair_sets', 8)$$),
	($$sketch_overlap_join('SELECT id, minhash(set::bigint[]::tokenset, 16) FROM pair_sets', min_fraction => 0.5)$$),
	($$passage_join('SELECT id, array_to_string(set, '' '') FROM pair_sets', 2)$$),
	($$passage_join('SELECT id, array_to_string(set, '' '') FROM pair_sets', 1, against => 'SELECT id + 1, array_to_string(set, '' '') FROM pair_sets WHERE id < 20')$$),
	($$passage_join_keyed(NULL::int, 'SELECT -id, array_to_string(set, '' '') FROM pair_sets', 2)$$),
	($$passage_join_keyed(NULL::int4range, 'SELECT int4range(id, NULL), array_to_string(set, '' '') FROM pair_sets', 3)$$);
SELECT call, check_pairs(call) FROM pair_calls;
-- What is returned waits in work_mem, rows in neardup.join_memory.
\set VERBOSITY terse
SET work_mem = '64kB';
SET neardup.join_memory = '64kB';
SELECT check_pairs(call) AS pairs, check_pairs(call, 'v') AS values, check_pairs(call, 'b, a') AS keys FROM pair_calls;
SELECT check_pairs(call, 'words, in_b, v, b, a') AS pairs FROM pair_calls WHERE call LIKE 'passage%';
SELECT analyzed($$SELECT a, b FROM ppjoin('SELECT id, set FROM pair_sets', 0.3) AS p$$);
RESET work_mem;
RESET neardup.join_memory;
\set VERBOSITY default
-- Ranges of characters are made where they are returned, and stay where rows are kept.
SELECT a, b, in_a, in_b, words FROM passage_join('SELECT id, ''x '' || array_to_string(set, '' '') FROM pair_sets WHERE id % 50 = 1', 3) ORDER BY in_b DESC, a, b LIMIT 3;
SELECT count(*) AS runs, sum(p.words) AS words, sum(upper(p.in_a) - lower(p.in_a)) AS characters
FROM passage_join('SELECT id, array_to_string(set, '' '') FROM pair_sets', 3) AS p
JOIN passage_join('SELECT id, array_to_string(set, '' '') FROM pair_sets', 3) AS q ON (p.a, p.b, p.in_a) = (q.a, q.b, q.in_a) AND p.in_b = q.in_b;

-- Scanned again: with other arguments the function is called anew, with the same it is not.
CREATE SEQUENCE pair_calls_made;
CREATE FUNCTION counted_query() RETURNS text LANGUAGE sql VOLATILE AS
	$$SELECT nextval('pair_calls_made'); SELECT 'SELECT id, set FROM pair_sets'$$;
SELECT t.threshold, (SELECT count(*) FROM ppjoin('SELECT id, set FROM pair_sets', t.threshold)),
	(SELECT sum(similarity::numeric) FROM ppjoin('SELECT id, set FROM pair_sets', t.threshold) WHERE a % 2 = 0)
FROM (VALUES (0.6), (0.9), (0.3), (1), (0.6)) AS t(threshold);
SELECT t.threshold, count(*) FROM (VALUES (0.6), (0.9), (0.6)) AS t(threshold),
	LATERAL ppjoin('SELECT id, set FROM pair_sets', t.threshold) AS p WHERE p.a > t.threshold * 100 GROUP BY 1 ORDER BY 1;
SELECT s.id, (SELECT count(*) FROM ppjoin(counted_query(), 0.6) AS p WHERE p.a = s.id OR p.b = s.id) AS partners
FROM pair_sets AS s WHERE s.id <= 5 ORDER BY s.id;
SELECT last_value FROM pair_calls_made;
SELECT count(*) FROM ppjoin('SELECT id, set FROM pair_sets', (SELECT min(0.6)));
SELECT t.threshold, (SELECT count(*) FROM ppjoin('SELECT id, set FROM pair_sets', (SELECT t.threshold + min(id) * 0 FROM pair_sets)))
FROM (VALUES (0.6), (1)) AS t(threshold);
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM pair_sets AS s LEFT JOIN ppjoin(counted_query(), 0.6) AS p ON p.a < s.id AND s.id < p.b;
SELECT setval('pair_calls_made', 1);
SELECT count(*) FROM pair_sets AS s LEFT JOIN ppjoin(counted_query(), 0.6) AS p ON p.a < s.id AND s.id < p.b;
SELECT last_value FROM pair_calls_made;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;

-- A cursor goes forth and back, also between memory and file.
SET work_mem = '64kB';
BEGIN;
DECLARE forth_and_back CURSOR FOR SELECT a, b FROM ppjoin('SELECT id, set FROM pair_sets', 0.3);
MOVE FORWARD ALL IN forth_and_back;
FETCH BACKWARD 1 FROM forth_and_back \gset last_
MOVE ABSOLUTE 3000 IN forth_and_back;
MOVE BACKWARD 2999 IN forth_and_back;
FETCH BACKWARD 1 FROM forth_and_back;
FETCH BACKWARD 1 FROM forth_and_back;
CREATE TEMP TABLE seen (place serial, a bigint, b bigint);
DO $$
DECLARE
	pair record;
	forth_and_back refcursor := 'forth_and_back';
BEGIN
	LOOP
		FETCH NEXT FROM forth_and_back INTO pair;
		EXIT WHEN NOT FOUND;
		INSERT INTO seen (a, b) VALUES (pair.a, pair.b);
	END LOOP;
	LOOP
		FETCH PRIOR FROM forth_and_back INTO pair;
		EXIT WHEN NOT FOUND;
		INSERT INTO seen (a, b) VALUES (pair.a, pair.b);
	END LOOP;
END $$;
SELECT count(*) / 2 AS pairs, count(*) FILTER (WHERE (forth.a, forth.b) IS DISTINCT FROM (back.a, back.b)) AS wrong,
	count(DISTINCT (forth.a, forth.b)) AS different
FROM seen AS forth JOIN seen AS back ON back.place = (SELECT count(*) FROM seen) + 1 - forth.place;
SELECT a = :last_a AND b = :last_b AS was_last FROM seen WHERE place = (SELECT count(*) / 2 FROM seen);
COMMIT;
RESET work_mem;

-- In other statements.
CREATE TABLE pair_copies AS SELECT * FROM pair_sets;
DELETE FROM pair_copies AS c USING ppjoin('SELECT id, set FROM pair_copies', 0.6) AS p WHERE c.id = p.b;
SELECT count(*) FROM pair_copies;
UPDATE pair_copies AS c SET id = -c.id FROM ppjoin('SELECT id, set FROM pair_copies', 0.3) AS p WHERE c.id = p.a;
SELECT count(*) FROM pair_copies WHERE id < 0;
INSERT INTO pair_copies SELECT a, ARRAY[b] FROM ppjoin('SELECT id, set FROM pair_sets', 0.6) WHERE similarity > 0.5;
SELECT count(*) FROM pair_copies;
PREPARE pairs(float8) AS SELECT count(*), sum(a) FROM ppjoin('SELECT id, set FROM pair_sets', $1);
SET plan_cache_mode = force_generic_plan;
EXECUTE pairs(0.6);
EXECUTE pairs(1);
RESET plan_cache_mode;
SELECT a, b FROM ppjoin('SELECT id, set FROM pair_sets', 0.6) ORDER BY a, b LIMIT 2;
SELECT count(*), sum(u.a) FROM (SELECT a, b FROM ppjoin('SELECT id, set FROM pair_sets', 0.6) UNION ALL SELECT b, a FROM ppjoin('SELECT id, set FROM pair_sets', 0.3)) AS u WHERE u.b % 3 = 0;
SELECT p.a FROM ppjoin('SELECT id, set FROM pair_sets', 0.6) AS p LEFT JOIN pair_sets AS s ON s.id = p.b + 500 WHERE s.id IS NULL ORDER BY 1 LIMIT 1;

-- The function may be gone when its plan is explained.
CREATE FUNCTION drop_ppjoin() RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	ALTER EXTENSION neardup DROP FUNCTION ppjoin(text, float8, text, text, text);
	DROP FUNCTION ppjoin(text, float8, text, text, text);
	RETURN 1;
END $$;
BEGIN;
SELECT analyzed($$SELECT count(*), drop_ppjoin() FROM ppjoin('SELECT id, set FROM pair_sets', 0.6)$$);
ROLLBACK;
DROP FUNCTION drop_ppjoin;

-- Errors are the function's; the right to call it is asked for.
SELECT count(*) FROM ppjoin('SELECT id, set FROM pair_sets', 0);
SELECT count(*) FROM ppjoin(NULL, 0.5);
SELECT count(*) FROM ppjoin('SELECT 1/0, set FROM pair_sets', 0.5);
REVOKE EXECUTE ON FUNCTION ppjoin(text, float8, text, text, text) FROM PUBLIC;
CREATE ROLE neardup_pairs_role;
SET ROLE neardup_pairs_role;
SELECT count(*) FROM ppjoin('SELECT 1, ARRAY[1]', 0.5);
RESET ROLE;
DROP ROLE neardup_pairs_role;
GRANT EXECUTE ON FUNCTION ppjoin(text, float8, text, text, text) TO PUBLIC;

DROP FUNCTION check_pairs, counted_query, analyzed, shown;
DROP SEQUENCE pair_calls_made;
DROP TABLE pair_sets, pair_calls, pair_copies, seen;
