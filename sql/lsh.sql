--
-- Bands of sketches, and the joins over them.
--

-- Known values.
SELECT lsh_bands(minhash(tokenset '{1,2,3}', 12), 3, 4) = '{-1199123269129842373,6031060890703708805,4508295184018484143}' AS bands,
       supershingles(minhash(tokenset '{1,2,3}', 6), 4) = '{-6664537046857148566,2733563732644274532,-7020344838415174229}' AS supershingles;
SELECT lsh_bands(minhash(tokenset '{}'), 20, 6) AS of_empty, supershingles(minhash(tokenset '{}'), 3) AS supershingles_of_empty, cardinality(lsh_bands(minhash(tokenset '{1}'), 20, 6)) AS bands,
       cardinality(supershingles(minhash(tokenset '{1}', 200), 5)) AS supershingles;

-- Plans reach the recall at the threshold, and no fewer bands would.
SELECT t, r, bands, rows, round(probability::numeric, 4) AS probability, probability >= r AS reached,
       bands = 1 OR lsh_probability(t, bands - 1, rows) < r AS no_fewer
FROM (VALUES (0.5, 0.95), (0.8, 0.95), (0.8, 0.9), (0.8, 0.99), (0.9, 0.95), (1.0, 0.95), (0.1, 0.9)) v (t, r), lsh_plan(t, r);
SELECT bands, rows FROM lsh_plan(0.5) UNION ALL SELECT bands, rows FROM lsh_plan(0.5, k => 256);
SELECT lsh_probability(0, 20, 6), lsh_probability(1, 20, 6), abs(lsh_probability(0.7, 20, 6) - (1 - (1 - 0.7 ^ 6) ^ 20)) < 1e-12 AS formula;

-- Arguments out of range.
SELECT * FROM lsh_plan(0.01, 0.99);
\echo :LAST_ERROR_SQLSTATE
\set VERBOSITY terse
SELECT * FROM lsh_plan(0);
SELECT * FROM lsh_plan('NaN');
SELECT * FROM lsh_plan(0.5, 1);
SELECT * FROM lsh_plan(0.5, 'NaN');
SELECT * FROM lsh_plan(0.5, 0.9, 0);
SELECT lsh_probability(1.1, 2, 2);
SELECT lsh_probability(0.5, 0, 2);
SELECT lsh_bands(minhash(tokenset '{1}'), 0, 6);
SELECT lsh_bands(minhash(tokenset '{1}'), 2000000000, 2000000000);
SELECT supershingles(minhash(tokenset '{1}', 8), 9);
SELECT supershingles(minhash(tokenset '{1}', 8), 0);
SELECT supershingles(minhash('{1}', 8, 4), 2);
\set VERBOSITY default
SELECT lsh_bands(minhash(tokenset '{1}'), 20, 7);
\echo :LAST_ERROR_SQLSTATE

-- lsh_candidate is inlined, and a GIN index on the bands serves it.
CREATE TABLE lsh_docs AS
    SELECT i AS id, tokenset(ARRAY(SELECT (i / 4) * 1000 + j + CASE WHEN j % 12 < i % 4 THEN 500 ELSE 0 END FROM generate_series(1, 20 + i / 4 % 30) j)) AS t
    FROM generate_series(1, 1200) i;
UPDATE lsh_docs SET t = '{}' WHERE id % 100 = 0;
INSERT INTO lsh_docs SELECT 2000 + i, (SELECT t FROM lsh_docs WHERE id = 9) FROM generate_series(1, 30) i;
ALTER TABLE lsh_docs ADD COLUMN sketch minhash;
UPDATE lsh_docs SET sketch = minhash(t);
CREATE INDEX lsh_docs_bands ON lsh_docs USING gin (lsh_bands(sketch, 20, 6));
ANALYZE lsh_docs;
SET enable_seqscan = off;
SET plan_cache_mode = force_generic_plan;
PREPARE candidates (minhash) AS SELECT id FROM lsh_docs WHERE lsh_candidate(sketch, $1, 20, 6) ORDER BY id LIMIT 3;
EXPLAIN (COSTS off) EXECUTE candidates(minhash(tokenset '{1,2,3}'));
RESET plan_cache_mode;
CREATE TEMP TABLE by_index AS SELECT x.id AS a, y.id AS b FROM lsh_docs x JOIN lsh_docs y ON lsh_candidate(y.sketch, x.sketch, 20, 6) AND x.id < y.id;
RESET enable_seqscan;
SELECT count(*) > 0 AS candidates, count(*) FILTER (WHERE i.a IS NULL OR o.a IS NULL) AS differing
FROM by_index i FULL JOIN (
    SELECT x.id AS a, y.id AS b FROM lsh_docs x JOIN lsh_docs y ON x.id < y.id AND lsh_bands(x.sketch, 20, 6) && lsh_bands(y.sketch, 20, 6)) o USING (a, b);

-- lsh_join finds what agrees in a band of its plan and reaches the threshold, and nothing else.
CREATE FUNCTION lsh_differences(threshold float8, recall float8) RETURNS TABLE (pairs bigint, differing bigint) LANGUAGE sql AS $$
    WITH plan AS (SELECT bands, rows FROM lsh_join_stats('SELECT id, t FROM lsh_docs', threshold, recall)),
    expected AS (
        SELECT x.id::bigint AS a, y.id::bigint AS b, jaccard(x.t, y.t) AS similarity FROM plan, lsh_docs x JOIN lsh_docs y ON x.id < y.id
        WHERE jaccard_ge(x.t, y.t, threshold) AND lsh_candidate(x.sketch, y.sketch, bands, rows))
    SELECT count(*) AS pairs, count(*) FILTER (WHERE f.a IS NULL OR e.a IS NULL)
    FROM lsh_join('SELECT id, t FROM lsh_docs', threshold, recall) f FULL JOIN expected e USING (a, b, similarity)
$$;
SELECT t, r, pairs > 400 AS many, differing FROM (VALUES (0.3, 0.9), (0.5, 0.95), (0.7, 0.5), (0.8, 0.99), (1.0, 0.5)) v (t, r), lsh_differences(t, r);
SELECT count(*) AS found, count(*) FILTER (WHERE e.a IS NULL) AS false_pairs
FROM lsh_join('SELECT id, t FROM lsh_docs WHERE id % 2 = 0', 0.6, 0.999, against => 'SELECT id, t FROM lsh_docs WHERE id % 3 = 0') f
LEFT JOIN (SELECT x.id::bigint AS a, y.id::bigint AS b, jaccard(x.t, y.t) AS similarity FROM lsh_docs x, lsh_docs y WHERE x.id % 2 = 0 AND y.id % 3 = 0 AND jaccard_ge(x.t, y.t, 0.6)) e USING (a, b, similarity);
SELECT count(*) AS differing
FROM (SELECT a::bigint, b::bigint, similarity FROM lsh_join_keyed(NULL::numeric, 'SELECT id::numeric, t FROM lsh_docs', 0.6)) k
FULL JOIN lsh_join('SELECT id, t FROM lsh_docs', 0.6) i USING (a, b, similarity) WHERE k.a IS NULL OR i.a IS NULL;
SELECT count(*) AS differing
FROM (SELECT substr(a, 2)::bigint AS a, substr(b, 2)::bigint AS b, similarity
      FROM lsh_join_keyed(NULL::text, 'SELECT ''k'' || id, t FROM lsh_docs', 0.6, against => 'SELECT ''k'' || id, t FROM lsh_docs WHERE id < 500')) k
FULL JOIN lsh_join('SELECT id, t FROM lsh_docs', 0.6, against => 'SELECT id, t FROM lsh_docs WHERE id < 500') i USING (a, b, similarity) WHERE k.a IS NULL OR i.a IS NULL;
SELECT records, bands, rows, probability >= 0.95 AS reached, candidates = (SELECT sum(c) FROM unnest(candidates_by_band) c) AS by_band,
       cardinality(candidates_by_band) = bands AS each_band, pruned_by_bitmap <= candidates AS pruned,
       pairs = (SELECT count(*) FROM lsh_join('SELECT id, t FROM lsh_docs', 0.6)) AS same_pairs
FROM lsh_join_stats('SELECT id, t FROM lsh_docs', 0.6);
SELECT pairs = (SELECT count(*) FROM lsh_join('SELECT id, t FROM lsh_docs', 0.6, against => 'SELECT id, t FROM lsh_docs')) AS same_pairs
FROM lsh_join_stats('SELECT id::text, t FROM lsh_docs', 0.6, against => 'SELECT id::text, t FROM lsh_docs');
-- Identical sets, of any number, are compared once; arrays and NULLs as in ppjoin.
SELECT candidates, pairs FROM lsh_join_stats('SELECT i, ARRAY[1, 2, i / 500] FROM generate_series(0, 999) i', 1);
SELECT * FROM lsh_join('SELECT * FROM (VALUES (1, ARRAY[1, 2]), (2, ARRAY[2, 1, 2]), (2, ARRAY[2, 1]), (NULL, ARRAY[1, 2]), (3, NULL), (4, ''{}''), (5, ''{}'')) v', 0.9) ORDER BY a, b;
SELECT count(*) FROM lsh_join('SELECT 1, tokenset ''{1}'' WHERE false', 0.9);
\set VERBOSITY terse
SELECT * FROM lsh_join('SELECT 1, ARRAY[1]', 1.5);
SELECT * FROM lsh_join('SELECT 1, ARRAY[1]', 0.5, 1);
SELECT * FROM lsh_join('SELECT 1, ARRAY[1]', 0.01, 0.99);
SELECT * FROM lsh_join(NULL, 0.5);
SELECT * FROM lsh_join('SELECT 1, ARRAY[1]', NULL::float8);
SELECT * FROM lsh_join('SELECT 1, ARRAY[1]', 0.5, NULL);
SELECT * FROM lsh_join('SELECT 1, minhash(tokenset ''{1}'')', 0.5);
\set VERBOSITY default

-- sketch_overlap_join and supershingle_join against all pairs, by count and by fraction.
CREATE TEMP TABLE shared_values AS
    SELECT x.id AS a, y.id AS b, (jaccard_estimate(x.sketch, y.sketch) * 128)::int AS shared, x.sketch AS s, y.sketch AS z
    FROM lsh_docs x JOIN lsh_docs y ON x.id < y.id AND jaccard_estimate(x.sketch, y.sketch) > 0;
SELECT least, count(*) > 100 AS many, count(*) FILTER (WHERE f.a IS NULL OR e.a IS NULL) AS differing
FROM unnest('{1,64,102,128}'::int[]) least,
     LATERAL (SELECT a::int, b::int, shared FROM sketch_overlap_join('SELECT id, sketch FROM lsh_docs', least)) f
     FULL JOIN shared_values e USING (a, b, shared)
WHERE shared >= least GROUP BY least ORDER BY least;
SELECT fraction, count(*) AS differing FROM unnest('{0.25,0.5,0.8,1}'::float8[]) fraction,
LATERAL (SELECT a::int, b::int, shared FROM sketch_overlap_join('SELECT id, sketch FROM lsh_docs', min_fraction => fraction)
         EXCEPT SELECT a, b, shared FROM shared_values WHERE shared / 128.0::float8 >= fraction
         UNION ALL
         (SELECT a, b, shared FROM shared_values WHERE shared / 128.0::float8 >= fraction
          EXCEPT SELECT a::int, b::int, shared FROM sketch_overlap_join('SELECT id, sketch FROM lsh_docs', min_fraction => fraction))) d
GROUP BY fraction;
SELECT size, least, sum((wanted AND found)::int) > 100 AS many, sum((wanted <> found)::int) AS differing
FROM (VALUES (1, 30), (4, 64), (12, 20), (128, 128)) v (size, least),
LATERAL (
    SELECT e.shared >= least AND supershingles(s, size) && supershingles(z, size) AS wanted, f.a IS NOT NULL AS found
    FROM shared_values e FULL JOIN (SELECT a::int, b::int, shared FROM supershingle_join('SELECT id, sketch FROM lsh_docs', size, least)) f USING (a, b, shared)) c
GROUP BY size, least ORDER BY size;
SELECT (SELECT count(*) FROM sketch_overlap_join('SELECT id, sketch FROM lsh_docs WHERE id % 2 = 0', 64, against => 'SELECT id, sketch FROM lsh_docs WHERE id % 2 = 1'))
       = (SELECT count(*) FROM shared_values WHERE shared >= 64 AND (a + b) % 2 = 1) AS rs,
       (SELECT count(*) FROM sketch_overlap_join_keyed(NULL::text, 'SELECT id::text, sketch FROM lsh_docs', min_fraction => 0.5)) = (SELECT count(*) FROM shared_values WHERE shared >= 64) AS keyed,
       (SELECT count(*) FROM sketch_overlap_join_keyed(NULL::text, 'SELECT id::text, sketch FROM lsh_docs WHERE id % 2 = 0', min_fraction => 0.5, against => 'SELECT id::text, sketch FROM lsh_docs WHERE id % 2 = 1'))
       = (SELECT count(*) FROM shared_values WHERE shared >= 64 AND (a + b) % 2 = 1) AS keyed_rs,
       (SELECT count(*) FROM supershingle_join('SELECT id, sketch FROM lsh_docs WHERE id % 2 = 0', 4, min_fraction => 0.5, against => 'SELECT id, sketch FROM lsh_docs WHERE id % 2 = 1'))
       = (SELECT count(*) FROM shared_values WHERE shared >= 64 AND (a + b) % 2 = 1 AND supershingles(s, 4) && supershingles(z, 4)) AS supershingle_rs,
       (SELECT count(*) FROM supershingle_join_keyed(NULL::text, 'SELECT id::text, sketch FROM lsh_docs', 4, 64))
       = (SELECT count(*) FROM shared_values WHERE shared >= 64 AND supershingles(s, 4) && supershingles(z, 4)) AS supershingle_keyed,
       (SELECT count(*) FROM supershingle_join_keyed(NULL::text, 'SELECT id::text, sketch FROM lsh_docs WHERE id % 2 = 0', 4, 64, against => 'SELECT id::text, sketch FROM lsh_docs WHERE id % 2 = 1'))
       = (SELECT count(*) FROM shared_values WHERE shared >= 64 AND (a + b) % 2 = 1 AND supershingles(s, 4) && supershingles(z, 4)) AS supershingle_keyed_rs;
SELECT count(*) FROM supershingle_join('SELECT id, sketch FROM lsh_docs WHERE false', 4, 64);
\set VERBOSITY terse
SELECT * FROM sketch_overlap_join('SELECT id, minhash(t, 8 + id % 2) FROM lsh_docs WHERE t <> ''{}''', 4);
SELECT * FROM sketch_overlap_join('SELECT id, minhash(t, 8, 8) FROM lsh_docs', 4);
SELECT * FROM sketch_overlap_join('SELECT id, t FROM lsh_docs', 4);
SELECT * FROM sketch_overlap_join('SELECT id, sketch FROM lsh_docs', 0);
SELECT * FROM sketch_overlap_join('SELECT id, sketch FROM lsh_docs', min_fraction => 1.5);
SELECT * FROM sketch_overlap_join('SELECT id, sketch FROM lsh_docs', 4, against => 'SELECT id, minhash(t, 64) FROM lsh_docs');
SELECT * FROM sketch_overlap_join('SELECT id FROM lsh_docs', 4);
SELECT * FROM supershingle_join('SELECT id, sketch FROM lsh_docs', 129, 4);
SELECT * FROM supershingle_join('SELECT id, sketch FROM lsh_docs', 0, 4);
SELECT * FROM supershingle_join('SELECT id, sketch FROM lsh_docs', 4);
SELECT * FROM sketch_overlap_join('SELECT id, sketch FROM lsh_docs', 4, 0.5);
\set VERBOSITY default

DROP FUNCTION lsh_differences;
DROP TABLE lsh_docs;
