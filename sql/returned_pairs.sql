-- The rows that join functions return are stored in work_mem, then in files, and can be read backward.
CREATE TABLE pair_sets AS
SELECT i AS id, ARRAY[i % 50, i % 7 + 100, i % 11 + 200, i % 3 + 300] AS set FROM generate_series(1, 500) AS i;

-- Each function finds the same in memory and in files; rows of the join wait in neardup.join_memory.
CREATE FUNCTION check_pairs(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT array_agg(p::text ORDER BY p::text) FROM %s AS p', call);
	in_memory text[];
	in_files text[];
BEGIN
	EXECUTE query INTO in_memory;
	SET LOCAL work_mem = '64kB';
	SET LOCAL neardup.join_memory = '64kB';
	EXECUTE query INTO in_files;
	RESET work_mem;
	RESET neardup.join_memory;
	RETURN format('%s pairs, %s', coalesce(cardinality(in_memory), 0), CASE WHEN in_memory IS NOT DISTINCT FROM in_files THEN 'equal' ELSE 'different' END);
END $$;
\set VERBOSITY terse
SELECT call, check_pairs(call) FROM (VALUES
	($$ppjoin('SELECT id, set FROM pair_sets', 0.3)$$),
	($$ppjoin('SELECT id, set FROM pair_sets', 0.6, 'cosine', against => 'SELECT id + 1, set FROM pair_sets')$$),
	($$ppjoin('SELECT id, set FROM pair_sets WHERE false', 0.6)$$),
	($$ppjoin_keyed(NULL::smallint, 'SELECT id::smallint, set FROM pair_sets', 0.3)$$),
	($$ppjoin_keyed(NULL::date, 'SELECT date ''2020-01-01'' + id, set FROM pair_sets', 0.6, against => 'SELECT date ''2020-01-01'' - id, set FROM pair_sets')$$),
	($$ppjoin_keyed(NULL::text, 'SELECT id::text, set FROM pair_sets', 0.3)$$),
	($$lsh_join('SELECT id, set FROM pair_sets', 0.6, 0.9)$$),
	($$lsh_join_keyed(NULL::float8, 'SELECT id::float8, set FROM pair_sets', 0.6, 0.9)$$),
	($$edit_join('SELECT id, set::text FROM pair_sets', 2)$$),
	($$edit_join('SELECT id, set::text FROM pair_sets', 1, against => 'SELECT -id, set::text FROM pair_sets')$$),
	($$edit_join_keyed(NULL::int, 'SELECT id, set::text FROM pair_sets', 2)$$),
	($$simhash_join('SELECT id, (id % 50 * 7919)::bigint::simhash FROM pair_sets', 3)$$),
	($$simhash_join_keyed(NULL::int, 'SELECT id, (id % 50 * 7919)::bigint::simhash FROM pair_sets', 3)$$),
	($$sketch_overlap_join('SELECT id, minhash(set::bigint[]::tokenset, 16) FROM pair_sets', 8)$$),
	($$sketch_overlap_join('SELECT id, minhash(set::bigint[]::tokenset, 16) FROM pair_sets', min_fraction => 0.5)$$),
	($$supershingle_join('SELECT id, minhash(set::bigint[]::tokenset, 16) FROM pair_sets', 2, 8)$$),
	($$passage_join('SELECT id, array_to_string(set, '' '') FROM pair_sets', 2)$$),
	($$passage_join('SELECT id, array_to_string(set, '' '') FROM pair_sets', 1, against => 'SELECT id + 1, array_to_string(set, '' '') FROM pair_sets WHERE id < 20')$$),
	($$passage_join_keyed(NULL::int, 'SELECT -id, array_to_string(set, '' '') FROM pair_sets', 2)$$),
	($$passage_join_keyed(NULL::int4range, 'SELECT int4range(id, NULL), array_to_string(set, '' '') FROM pair_sets', 3)$$)) AS calls(call);
\set VERBOSITY default

-- A cursor goes forth and back, also between memory and file.
SET work_mem = '64kB';
BEGIN;
DECLARE forth_and_back SCROLL CURSOR FOR SELECT a, b FROM ppjoin('SELECT id, set FROM pair_sets', 0.3);
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
COMMIT;
RESET work_mem;

-- Wherever a function that returns a set may stand, and with other arguments for each row.
EXPLAIN (COSTS OFF) SELECT count(*) FROM ppjoin('SELECT id, set FROM pair_sets', 0.6);
SELECT count(*), max(ordinality) FROM ppjoin('SELECT id, set FROM pair_sets', 0.6) WITH ORDINALITY;
SELECT count(*), count(a), count(n) FROM ROWS FROM (ppjoin('SELECT id, set FROM pair_sets', 0.6), generate_series(1, 400)) AS p(a, b, similarity, n);
SELECT count(p), count((p).a) FROM (SELECT ppjoin('SELECT id, set FROM pair_sets', 0.6) AS p) AS s;
SELECT t.threshold, (SELECT count(*) FROM ppjoin('SELECT id, set FROM pair_sets', t.threshold))
FROM (VALUES (0.6), (0.9), (0.3), (0.6)) AS t(threshold);

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

DROP FUNCTION check_pairs;
DROP TABLE pair_sets;
