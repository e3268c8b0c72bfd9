-- The interface of the exact join. What it finds is held against brute force
-- in test/t/join/brute_force.pl, its errors in test/t/join/errors.pl.
CREATE TABLE sets (id int, tokens int[]);
INSERT INTO sets VALUES
    (1, '{1,2,3,4}'), (2, '{2,3,4,5}'), (3, '{4,3,2,1,1}'), (4, '{}'), (5, NULL), (NULL, '{1,2,3,4}'),
    (6, '{1,2,3,4,5,6,7,8,9}'), (7, '{1,2,3,4,5,6,7,8,10}');

-- a self-join: the lesser key first, pairs on the threshold (3/5, 8/10) included
SELECT * FROM ppjoin('SELECT id, tokens FROM sets', 0.6) ORDER BY a, b;
SELECT * FROM ppjoin('SELECT id, tokens FROM sets', 0.8) ORDER BY a, b;

-- each measure and its value
SELECT * FROM ppjoin('SELECT id, tokens FROM sets', 0.75, 'cosine') ORDER BY a, b;
SELECT * FROM ppjoin('SELECT id, tokens FROM sets', 0.75, 'dice') ORDER BY a, b;
SELECT * FROM ppjoin('SELECT id, tokens FROM sets', 5, 'overlap') ORDER BY a, b;
SELECT * FROM ppjoin('SELECT id, tokens FROM sets', 2, 'hamming') ORDER BY a, b;
SELECT * FROM ppjoin('SELECT id, tokens FROM sets', 1, 'containment') ORDER BY a, b;

-- two queries: a from the first, whatever the keys
SELECT * FROM ppjoin('SELECT id, tokens FROM sets WHERE id > 1', 0.6, against => 'SELECT id, tokens FROM sets WHERE id < 3')
ORDER BY a, b;
SELECT * FROM ppjoin('SELECT id, tokens FROM sets WHERE id = 1', 1, 'containment', against => 'SELECT id, tokens FROM sets WHERE id = 6');
SELECT * FROM ppjoin('SELECT id, tokens FROM sets WHERE id = 6', 1, 'containment', against => 'SELECT id, tokens FROM sets WHERE id = 1');

-- equal keys are not compared, repeated ones give repeated rows
SELECT a, b, count(*) FROM ppjoin('SELECT id / 2, ARRAY[1, 2] FROM sets WHERE id < 6', 1) GROUP BY a, b ORDER BY a, b;

-- keys of the three integer types, and domains over them
CREATE DOMAIN id_type AS bigint CHECK (VALUE > 0);
SELECT * FROM ppjoin('SELECT id::smallint, tokens FROM sets', 1, against => 'SELECT id::id_type, tokens FROM sets') ORDER BY a, b;
SELECT * FROM ppjoin('VALUES (9223372036854775807, ARRAY[1]), (-9223372036854775808, ARRAY[1])', 1);

-- keys of any type with an order; the collation of the column decides on text
SELECT * FROM ppjoin_keyed(NULL::text, 'SELECT chr(70 - id), tokens FROM sets', 0.6) ORDER BY a, b;
SELECT * FROM ppjoin_keyed(NULL::text, 'SELECT v COLLATE "C", ARRAY[1] FROM (VALUES (''a''), (''B'')) AS t (v)', 1);
SELECT * FROM ppjoin_keyed(NULL::numeric, 'SELECT -id::numeric, tokens FROM sets', 0.9, 'cosine', against => 'SELECT id / 2.0, tokens FROM sets')
ORDER BY a, b;
SELECT pg_typeof(a), pg_typeof(b), a, b FROM ppjoin_keyed(NULL::smallint, 'SELECT id::smallint, tokens FROM sets', 0.8, algorithm => 'allpairs');
SELECT * FROM ppjoin_keyed(NULL::int[], 'SELECT ARRAY[id, 0], tokens FROM sets', 1) ORDER BY a, b;

-- every type of set
SELECT * FROM ppjoin('SELECT id, tokens::tokenset FROM sets', 0.8) ORDER BY a, b;
SELECT * FROM ppjoin('SELECT id, tokens::bigint[] FROM sets', 0.8) ORDER BY a, b;
SELECT * FROM ppjoin('SELECT id, tokens::text[] FROM sets', 0.8) ORDER BY a, b;
SELECT * FROM ppjoin('SELECT id, tokens::varchar[] FROM sets', 0.8) ORDER BY a, b;
SELECT * FROM ppjoin('SELECT id, array_to_tsvector(tokens::text[]) FROM sets', 0.8) ORDER BY a, b;
SELECT * FROM ppjoin('SELECT id, tokens::tokenset FROM sets', 0.8, against => 'SELECT id, tokens FROM sets') ORDER BY a, b;

-- large sets, toasted and not, give what small ones give
CREATE TABLE large (id int, tokens tokenset);
INSERT INTO large SELECT k, ARRAY(SELECT generate_series(k, 20000 + k))::tokenset FROM generate_series(1, 3) AS k;
SELECT * FROM ppjoin('SELECT id, tokens FROM large', 0.9999) ORDER BY a, b;

-- a join inside the query of a join, and inside a function
SELECT * FROM ppjoin($$SELECT a, ARRAY[b] FROM ppjoin('SELECT id, tokens FROM sets', 0.6)$$, 1) ORDER BY a, b;
CREATE FUNCTION pair_count(threshold float8) RETURNS bigint
BEGIN ATOMIC
    SELECT count(*) FROM ppjoin('SELECT id, tokens FROM sets', threshold);
END;
SELECT t, pair_count(t) FROM (VALUES (0.5), (0.8), (1)) AS v (t);

-- what the transaction itself wrote is seen
BEGIN;
INSERT INTO sets VALUES (8, '{1,2,3,4,5,6,7,8,9}');
SELECT * FROM ppjoin('SELECT id, tokens FROM sets', 1) ORDER BY a, b;
ROLLBACK;

-- figures instead of pairs
SELECT records, tokens, distinct_tokens, postings, candidates, pruned_by_position, pruned_by_suffix,
       pruned_by_bitmap, pairs, workers, parts, memory_bytes > 0 AS memory, temp_bytes,
       total_seconds >= read_seconds + canonicalize_seconds + index_seconds + probe_seconds AS times
FROM ppjoin_stats('SELECT id, tokens FROM sets', 0.6, algorithm => 'ppjoin+');
SELECT pairs FROM ppjoin_stats('SELECT id::text, tokens FROM sets', 0.6, against => 'SELECT id::text, tokens FROM sets');

-- arguments by name
SELECT * FROM ppjoin(query => 'SELECT id, tokens FROM sets', threshold => 1, algorithm => 'auto');

-- a few errors; the hints
SELECT * FROM ppjoin('SELECT id, tokens FROM sets', 1.2);
SELECT * FROM ppjoin('SELECT id, tokens FROM sets', 0.5, 'tanimoto');
SELECT * FROM ppjoin('SELECT id, tokens FROM sets', 0.5, algorithm => 'fastest');
SELECT * FROM ppjoin('SELECT id::text, tokens FROM sets', 0.5);
SELECT * FROM ppjoin('SELECT id, tokens::float8[] FROM sets', 0.5);
SELECT * FROM ppjoin('SELECT id FROM sets', 0.5);
SELECT * FROM ppjoin('SELECT 1; SELECT 2', 0.5);
SELECT * FROM ppjoin('DELETE FROM sets RETURNING id, tokens', 0.5);
SELECT * FROM ppjoin_keyed(NULL::uuid, 'SELECT id, tokens FROM sets', 0.5);
SELECT * FROM ppjoin_keyed(NULL::point, 'SELECT point(id, id), tokens FROM sets', 0.5);
SELECT * FROM ppjoin(NULL, 0.5);

DROP FUNCTION pair_count;
DROP TABLE sets, large;
DROP DOMAIN id_type;
