-- The type simhash: text form, casts, order, sketches, distance, balls, index
-- conditions, block keys and the join. Known values were computed by another
-- implementation of XXH3 and of the formulas, in Python.

-- Text form
SELECT '0123456789abcdef'::simhash, ' 0123456789ABCDEF '::simhash AS of_other_form, simhash 'ffffffffffffffff';
SELECT '0123456789abcde'::simhash;
SELECT '0123456789abcdef0'::simhash;
SELECT '0123456789abcdeg'::simhash;
SELECT ''::simhash;
SELECT 'é123456789abcdef'::simhash;
SELECT repeat('f', 300)::simhash;

-- Casts
SELECT x, x::bigint, x::bit(64), x::bigint::simhash = x AND x::bit(64)::simhash = x AS round_trip
FROM (VALUES ('0000000000000000'::simhash), ('8000000000000001'), ('ffffffffffffffff')) v (x);
SELECT B'101'::simhash;
SELECT x::numeric, x::bytea, x::numeric::simhash = x AND x::bytea::simhash = x AND simhash_from_hex(x::text) = x AND simhash_from_hex(to_hex(x::bigint)) = x AS round_trip
FROM (VALUES ('0000000000000000'::simhash), ('0000000000000abc'), ('7fffffffffffffff'), ('8000000000000001'), ('ffffffffffffffff')) v (x);
SELECT 12345678901234567890::simhash, 7.00::simhash AS scaled, '\x0123456789abcdef'::bytea::simhash, 5::bigint::simhash = 5::numeric::simhash AS of_bigint,
       simhash_from_hex(' 0x1F ') AS prefixed, simhash_from_hex('0') AS zero, simhash_from_hex('0123456789ABCDEF') AS of_16_digits;
SELECT 18446744073709551616::simhash;
SELECT (-1)::numeric::simhash;
SELECT 1.5::simhash;
SELECT 'NaN'::numeric::simhash;
SELECT 1e300::simhash;
SELECT '\x0123'::bytea::simhash;
SELECT simhash_from_hex('');
SELECT simhash_from_hex('0x');
SELECT simhash_from_hex('0123456789abcdef0');
SELECT simhash_from_hex('12 34');
SELECT simhash_from_hex(repeat('g', 300));
SELECT simhash_send('0123456789abcdef'), simhash_send('ffffffffffffffff');

-- Order: of unsigned numbers
SELECT array_agg(x ORDER BY x) FROM (VALUES ('8000000000000000'::simhash), ('7fffffffffffffff'), ('0000000000000000'), ('ffffffffffffffff')) v (x);
SELECT '7fffffffffffffff'::simhash < '8000000000000000' AS lt, '8000000000000000'::simhash <= '8000000000000000' AS le,
       '1111111111111111'::simhash > '0111111111111111' AS gt, '1111111111111111'::simhash >= '2111111111111111' AS ge,
       '1111111111111111'::simhash = '1111111111111111' AS eq, '1111111111111111'::simhash <> '1111111111111111' AS ne;
SELECT simhash_hash('0123456789abcdef'), simhash_hash_extended('0123456789abcdef', 0), simhash_hash_extended('0123456789abcdef', 0) & 4294967295 = simhash_hash('0123456789abcdef')::bigint & 4294967295 AS low_half;
SET enable_sort = off;
SELECT x, count(*) FROM (VALUES ('00000000000000aa'::simhash), ('00000000000000bb'), ('00000000000000aa')) v (x) GROUP BY x ORDER BY x;
RESET enable_sort;

-- Sketches: known values
SELECT simhash('{1,2,3}'::tokenset) AS "2d96403dc1fe6a6f", simhash('{1,2}'::tokenset) AS "2084401400ca6002",
       simhash(tokenset(ARRAY(SELECT generate_series(1, 1000)))) AS "9e7f48e9809431bc";
SELECT simhash(tokenset('{a,b,c}'::text[])) AS "8cea10b911957e42", simhash('{a,b,c}', '{1,1,1}') AS "8cea10b911957e42",
       simhash('a b c'::tsvector) AS "8cea10b911957e42", simhash('{c,b,a}', '{7,7,7}') AS "8cea10b911957e42";
SELECT simhash('{a,b,c}', '{1,3,1}') AS "8c2ad01818b57666", simhash('a:4 b:1,2,9 c:3'::tsvector) AS "8c2ad01818b57666",
       simhash('{b,a,b,c,b}', '{1,1,1,1,1}') AS "8c2ad01818b57666", simhash('{a,b,c}', '{0.5,-0.25,0.5}') AS "95d515bb250ecbc1",
       simhash('{é}', '{1}') AS "c1066289aacdec4b";

-- Nothing to sketch, ties, and weights of 0
SELECT simhash('{}'::tokenset) IS NULL AS of_empty_set, simhash('{}'::text[], '{}') IS NULL AS of_no_tokens,
       simhash(''::tsvector) IS NULL AS of_no_lexemes, simhash(NULL::tokenset) IS NULL AS of_null;
SELECT simhash('{a}', '{0}') AS zero_weight, simhash('{a,a}', '{1,-1}') AS tie, simhash('{a,b}', '{1e-7,4e-7}') AS rounded_to_0;

-- Weights
SELECT simhash('{a}', '{NaN}');
SELECT simhash('{a}', '{-Infinity}');
SELECT simhash('{a,b}', '{1}');
SELECT simhash('{a,NULL}', '{1,1}');
SELECT simhash('{a,b}', '{1,NULL}');
SELECT simhash('{a}', '{8796093022207.5}') IS NOT NULL AS largest_weight;
SELECT simhash('{a}', '{8796093022208}');
SELECT simhash('{a,b}', '{8796093022207,-1}');
SELECT simhash('{a,b}', '{1e308,-1e308}');

-- The aggregate
SELECT simhash_agg(t, w) AS "8c2ad01818b57666" FROM (VALUES ('a', 1), ('b', 3), ('c', 1)) v (t, w);
SELECT simhash_agg(t, w) AS "8c2ad01818b57666"
FROM (VALUES ('b', 1.0), ('a', 1), ('b', 2), (NULL, 5), ('x', NULL), ('c', 1)) v (t, w);
SELECT simhash_agg(t, w) IS NULL AS of_no_rows FROM (VALUES (NULL::text, 1.0::float8)) v (t, w);
SELECT i, simhash_agg(t, 1) OVER (ORDER BY i) FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c')) v (i, t);
SELECT simhash_agg('a', 'NaN');
SELECT simhash_agg('a', 5e12) FROM generate_series(1, 2);
SELECT cardinality(simhash_agg_transition(NULL, 'a', 1)) AS sums, (simhash_agg_transition(NULL, 'a', 1))[1] AS total,
       simhash_agg_transition(NULL, NULL, 1) IS NULL AS of_null;
SELECT simhash_agg_final(simhash_agg_combine(simhash_agg_transition(NULL, 'a', 1), simhash_agg_transition(simhash_agg_transition(NULL, 'b', 3), 'c', 1)))
    AS "8c2ad01818b57666";
SELECT simhash_agg_transition('{1,2}', 'a', 1);
SELECT simhash_agg_final('{}');
SELECT simhash_agg_final(array_fill(1, ARRAY[65])::int8[] || 1::int8);
SELECT simhash_agg_final(ARRAY[1::int8] || array_fill(2, ARRAY[64])::int8[]);
SELECT simhash_agg_final(array_fill((-9223372036854775808)::int8, ARRAY[65]));
SELECT simhash_agg_final(array_fill(NULL::int8, ARRAY[65]));
SELECT simhash_agg_combine(ARRAY[1::int8] || array_fill(2, ARRAY[64])::int8[], simhash_agg_transition(NULL, 'a', 1));

-- In parallel as in one process
CREATE TABLE weighted AS SELECT 'word' || i % 977 AS t, (i % 13 - 4) * 0.37 AS w, i % 3 AS g FROM generate_series(1, 60000) i;
ALTER TABLE weighted SET (parallel_workers = 2);
ANALYZE weighted;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE serially AS SELECT g, simhash_agg(t, w) AS fp FROM weighted GROUP BY g;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
EXPLAIN (COSTS off) SELECT simhash_agg(t, w) FROM weighted;
SELECT count(*) AS differences
FROM (SELECT g, simhash_agg(t, w) AS fp FROM weighted GROUP BY g) p JOIN serially s USING (g) WHERE p.fp <> s.fp;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;

-- Distance
SELECT simhash_distance('0000000000000000', 'ffffffffffffffff'), simhash_distance('00000000000000ff', '00000000000000f0'),
       '00000000000000ff'::simhash <~> '00000000000000f0' AS operator, simhash_within('00000000000000ff', '00000000000000f0', 4) AS within_4,
       simhash_within('00000000000000ff', '00000000000000f0', 3) AS within_3, simhash_within('0000000000000000', 'ffffffffffffffff', 1000) AS within_all;
SELECT simhash_within('00000000000000ff', '00000000000000f0', -1);

-- Balls
SELECT simhash_ball('00000000000000ff', 3), simhash_ball('00000000000000ff', 100) AS everything, ' < 00000000000000FF , 3 > '::simhash_ball;
SELECT simhash_ball('00000000000000ff', -1);
SELECT '<00000000000000ff>'::simhash_ball;
SELECT '<00000000000000ff,-3>'::simhash_ball;
SELECT '<00000000000000ff,99999999999>'::simhash_ball;
SELECT '<00000000000000f,3>'::simhash_ball;
SELECT '(00000000000000ff,3)'::simhash_ball;
SELECT '<00000000000000ff,3>x'::simhash_ball;
SELECT simhash_ball_send('<00000000000000ff,3>');
SELECT '00000000000000ff'::simhash <@ '<00000000000000f0,4>' AS inside, '<00000000000000f0,3>'::simhash_ball @> '00000000000000ff' AS contains,
       '<00000000000000f0,4>'::simhash_ball && '<00000000000000ff,0>' AS meet, '<00000000000000ff,0>'::simhash_ball && '<00000000000000f0,4>' AS commuted,
       '<00000000000000ff,3>'::simhash_ball && '<00000000000000f0,3>' AS no;

-- Index conditions: of a constant, a parameter, a column, whichever argument is the column
CREATE TABLE fps (id int PRIMARY KEY, fp simhash);
INSERT INTO fps SELECT i, (hashint8extended(i / 5, 0) # ((1::bigint << i % 5) - 1))::simhash FROM generate_series(1, 20000) i;
INSERT INTO fps VALUES (0, NULL);
CREATE INDEX fps_fp ON fps USING spgist (fp);
VACUUM ANALYZE fps;
EXPLAIN (COSTS off) SELECT id FROM fps WHERE simhash_within(fp, '0123456789abcdef', 3);
EXPLAIN (COSTS off) SELECT id FROM fps WHERE simhash_within('0123456789abcdef', fp, 3);
EXPLAIN (COSTS off) SELECT fp FROM fps WHERE simhash_within(fp, '0123456789abcdef', 3);
EXPLAIN (COSTS off) SELECT id FROM fps WHERE fp = '0123456789abcdef';
EXPLAIN (COSTS off) SELECT id FROM fps ORDER BY fp <~> '0123456789abcdef' LIMIT 3;
EXPLAIN (COSTS off) SELECT id FROM fps WHERE simhash_within(fp, '0123456789abcdef', 8) ORDER BY fp <~> '0123456789abcdef' LIMIT 3;
SET plan_cache_mode = force_generic_plan;
PREPARE near (simhash, int) AS SELECT count(*) FROM fps WHERE simhash_within(fp, $1, $2);
EXPLAIN (COSTS off) EXECUTE near('0123456789abcdef', 3);
SELECT fp FROM fps WHERE id = 11 \gset
EXECUTE near(:'fp', 3);
EXECUTE near(:'fp', -3);
EXECUTE near(NULL, 3);
RESET plan_cache_mode;
EXPLAIN (COSTS off) SELECT * FROM fps a JOIN fps b ON simhash_within(a.fp, b.fp, 2) WHERE a.id < 10;
SELECT a.id, b.id, a.fp <~> b.fp AS distance FROM fps a JOIN fps b ON simhash_within(a.fp, b.fp, 2) AND a.id < b.id WHERE a.id < 10 ORDER BY 1, 2;
-- A distance that is out of range makes no index condition.
EXPLAIN (COSTS off) SELECT id FROM fps WHERE simhash_within(fp, '0123456789abcdef', -1);
SELECT count(*) FROM fps WHERE simhash_within(fp, NULL, 3);

-- Estimates
CREATE FUNCTION estimated(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
  RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
SELECT estimated($$SELECT * FROM fps WHERE simhash_within(fp, '0123456789abcdef', 3)$$) BETWEEN 1 AND 10 AS few,
       estimated($$SELECT * FROM fps WHERE fp <@ '<0123456789abcdef,3>'$$) BETWEEN 1 AND 10 AS few_in_a_ball,
       estimated($$SELECT * FROM fps WHERE simhash_within(fp, '0123456789abcdef', 32)$$) BETWEEN 8000 AND 13000 AS half,
       estimated($$SELECT * FROM fps WHERE simhash_within(fp, '0123456789abcdef', 64)$$) BETWEEN 19900 AND 20001 AS all;
CREATE TABLE common AS SELECT CASE WHEN i % 4 = 0 THEN '00000000000000ff' ELSE hashint8extended(i, 0)::simhash END AS fp FROM generate_series(1, 10000) i;
ANALYZE common;
SELECT estimated($$SELECT * FROM common WHERE simhash_within(fp, '00000000000000fe', 3)$$) BETWEEN 2300 AND 2700 AS a_quarter,
       estimated($$SELECT * FROM common WHERE '<00000000000000fe,3>' @> fp$$) BETWEEN 2300 AND 2700 AS a_quarter_in_a_ball,
       estimated($$SELECT * FROM common a JOIN common b ON simhash_within(a.fp, b.fp, 3)$$) BETWEEN 5000000 AND 8000000 AS pairs;

-- A constraint that excludes near-duplicates
CREATE TABLE unique_docs (id int, fp simhash, EXCLUDE USING spgist (simhash_ball(fp, 3) WITH &&));
INSERT INTO unique_docs VALUES (1, '0000000000000000'), (2, '000000000000000f'), (3, NULL), (4, NULL);
INSERT INTO unique_docs VALUES (5, '0000000000000007');
INSERT INTO unique_docs VALUES (6, '00000000000000f0') ON CONFLICT DO NOTHING;
INSERT INTO unique_docs VALUES (7, '00000000000000f8') ON CONFLICT DO NOTHING;
SELECT id FROM unique_docs ORDER BY id;

-- Block keys: known values
SELECT simhash_blocks('0123456789abcdef', 3);
SELECT simhash_blocks('0123456789abcdef', 1, 3);
SELECT simhash_blocks('0123456789abcdef', 0);
SELECT cardinality(simhash_blocks('0123456789abcdef', 63)) AS keys, cardinality(simhash_blocks('0123456789abcdef', 3, 12)) AS more_keys;
SELECT simhash_blocks('0123456789abcdef', 64);
SELECT simhash_blocks('0123456789abcdef', -1);
SELECT simhash_blocks('0123456789abcdef', 3, 3);
SELECT simhash_blocks('0123456789abcdef', 3, 65);
SELECT simhash_blocks('0123456789abcdef', 10, 30);
SELECT count(*) AS pairs, count(*) FILTER (WHERE NOT simhash_blocks(a.fp, 3) && simhash_blocks(b.fp, 3)) AS missed,
       count(*) FILTER (WHERE NOT simhash_blocks(a.fp, 3, 6) && simhash_blocks(b.fp, 3, 6)) AS missed_by_6_blocks
FROM fps a JOIN fps b ON simhash_within(a.fp, b.fp, 3) AND a.id < b.id WHERE a.id <= 1000;
CREATE INDEX fps_blocks ON fps USING gin (simhash_blocks(fp, 3));
DROP INDEX fps_fp;
EXPLAIN (COSTS off) SELECT id FROM fps WHERE simhash_blocks_within(fp, '0123456789abcdef', 3);
SELECT id FROM fps WHERE simhash_blocks_within(fp, (SELECT fp FROM fps WHERE id = 11), 3) ORDER BY id;

-- The join
SELECT count(*), sum(distance) FROM simhash_join('SELECT id, fp FROM fps WHERE id <= 2000', 3);
SELECT count(*), sum(a.fp <~> b.fp) FROM fps a JOIN fps b ON simhash_within(a.fp, b.fp, 3) AND a.id < b.id WHERE b.id <= 2000 AND a.id <= 2000;
SELECT a, b, distance FROM simhash_join('SELECT id, fp FROM fps WHERE id < 10', 2, against => 'SELECT id, fp FROM fps WHERE id < 8') WHERE a = 6 ORDER BY b;
SELECT a, b, distance FROM simhash_join_keyed(NULL::text, 'SELECT ''k'' || id, fp FROM fps WHERE id < 8', 1) ORDER BY a, b;
SELECT pg_typeof(a), a, b, distance
FROM simhash_join_keyed(NULL::uuid, 'SELECT md5(id::text)::uuid, fp FROM fps WHERE id = 5', 1, against => 'SELECT md5(id::text)::uuid, fp FROM fps WHERE id < 7') ORDER BY b;
SELECT count(*) FROM simhash_join('SELECT id, fp FROM fps WHERE id = 0', 64);
SELECT count(*) FROM simhash_join('SELECT id, fp FROM fps WHERE id < 5', 64, against => 'SELECT id, fp FROM fps WHERE false');
-- Rows of one key, however many, are no pairs, and cost nothing.
SELECT count(*) FROM simhash_join('SELECT 1, (i % 3)::bigint::simhash FROM generate_series(1, 200000) i', 3);
SELECT simhash_join(NULL, 3);
SELECT simhash_join('SELECT id, fp FROM fps', NULL);
SELECT simhash_join('SELECT id, fp FROM fps', -1);
SELECT simhash_join('SELECT id, id FROM fps', 1);
SELECT simhash_join('SELECT id, fp::bigint AS "Hash" FROM fps', 1);
SELECT simhash_join('SELECT id, fp::numeric FROM fps', 1);
SELECT simhash_join('SELECT id, fp::text FROM fps', 1);
SELECT simhash_join('SELECT id FROM fps', 1);
SELECT simhash_join('SELECT id::text, fp FROM fps', 1);

DROP TABLE weighted, serially, fps, common, unique_docs;
DROP FUNCTION estimated;
