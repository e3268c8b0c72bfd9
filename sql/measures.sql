--
-- Measures and predicates against integer arithmetic on int8[].
--

-- By hand; the cosine is that of the paper's Example 1, four of five tokens each.
SELECT jaccard('{1,2,3,4,5,6,7}', '{2,3,4,5,6,7,8}'), cosine('{1,2,3,4,5}', '{2,3,4,5,6}'),
       dice('{1,2}', '{2,3}'), containment('{1,2}', '{2,3,4,5}'), containment('{2,3,4,5}', '{1,2}'),
       overlap('{1,2,3}', '{2,3,4}'), hamming('{1,2,3}', '{2,3,4}'), jaccard_distance('{1,2,3}', '{2,3,4}'),
       tokenset '{1,2}' <%> '{2,3}' AS "<%>";

-- A pair on the threshold is similar, whatever the rounding of a formula says.
SELECT jaccard_ge('{1,2,3,4}', '{1,2,3,4,5}', 0.8) AS "4/5 at 0.8",
       jaccard_ge('{1,2,3,4,5,6,7}', '{1,2,3,4,5,6,7,8,9,10}', 0.7) AS "7/10 at 0.7",
       cosine_ge('{1,2,3,4,5}', '{2,3,4,5,6}', 0.8) AS "cosine 0.8",
       dice_ge('{1,2,3,4,5,6,7,8,9,10}', '{4,5,6,7,8,9,10,11,12,13}', 0.7) AS "dice 0.7",
       containment_ge('{1,2,3,4,5,6,7,8,9,10}', '{4,5,6,7,8,9,10}', 0.7) AS "containment 0.7",
       overlap_ge('{1,2}', '{2,3}', 1) AS "overlap 1", hamming_le('{1,2}', '{2,3}', 2) AS "hamming 2",
       hamming_le('{1,2}', '{2,3}', 1) AS "hamming 1", hamming_le('{1}', '{2}', 2) AS "none shared",
       hamming_le('{1}', '{1}', 0) AS "equal";

-- An empty set is similar to nothing, itself included.
SELECT x, y, jaccard(x, y), cosine(x, y), dice(x, y), containment(x, y), overlap(x, y), hamming(x, y), x <%> y AS "<%>",
       jaccard_ge(x, y, 0.001) OR cosine_ge(x, y, 0.001) OR dice_ge(x, y, 0.001) OR containment_ge(x, y, 0.001)
       OR overlap_ge(x, y, 1) OR hamming_le(x, y, 1000) OR x % y AS any_predicate
FROM (VALUES (tokenset '{}', tokenset '{}'), ('{}', '{1,2}'), ('{1,2}', '{}')) v (x, y);

-- Random sets, of like and of very unlike sizes.
CREATE TEMP TABLE sets (id int, a int8[], t tokenset);
SELECT setseed(0.7);
INSERT INTO sets
SELECT id, a, a::text::tokenset
FROM (SELECT id, coalesce((SELECT array_agg(DISTINCT x)
                           FROM (SELECT floor(random() * 26)::int8 - 13 AS x
                                 FROM generate_series(1, id % 30) WHERE id > 0) s), '{}') AS a
      FROM generate_series(0, 89) id) s;
INSERT INTO sets
SELECT 100 + n, a, a::text::tokenset
FROM (SELECT n, array_agg(DISTINCT x % (n * n * 11) - 13) AS a
      FROM generate_series(1, 8) n, generate_series(1, 20000, 3) x GROUP BY n) s;
CREATE TEMP TABLE pairs AS
SELECT x.id AS xid, y.id AS yid, x.t, y.t AS u, cardinality(x.a)::int8 AS a, cardinality(y.a)::int8 AS b,
       (SELECT count(*) FROM (SELECT unnest(x.a) INTERSECT SELECT unnest(y.a)) s) AS o
FROM sets x, sets y;

-- Values: the division is one, rounded once, so equality is exact.
SELECT count(*) AS pairs, count(*) FILTER (WHERE o > 0) AS overlapping,
       count(*) FILTER (WHERE overlap(t, u) <> o) AS overlap,
       count(*) FILTER (WHERE hamming(t, u) <> a + b - 2 * o) AS hamming,
       count(*) FILTER (WHERE jaccard(t, u) <> CASE WHEN o = 0 THEN 0 ELSE o::float8 / (a + b - o) END) AS jaccard,
       count(*) FILTER (WHERE jaccard_distance(t, u) <> 1 - jaccard(t, u)) AS distance,
       count(*) FILTER (WHERE cosine(t, u) <> CASE WHEN o = 0 THEN 0 ELSE o / sqrt((a * b)::float8) END) AS cosine,
       count(*) FILTER (WHERE dice(t, u) <> CASE WHEN o = 0 THEN 0 ELSE (2 * o)::float8 / (a + b) END) AS dice,
       count(*) FILTER (WHERE containment(t, u) <> CASE WHEN o = 0 THEN 0 ELSE o::float8 / a END) AS containment
FROM pairs;

-- Predicates at all thresholds of two digits, in integers.
SELECT count(*) AS comparisons,
       count(*) FILTER (WHERE jaccard_ge(t, u, p / 100.0) <> (a > 0 AND b > 0 AND 100 * o >= p * (a + b - o))) AS jaccard,
       count(*) FILTER (WHERE cosine_ge(t, u, p / 100.0) <> (a > 0 AND b > 0 AND 10000 * o * o >= p * p * a * b)) AS cosine,
       count(*) FILTER (WHERE dice_ge(t, u, p / 100.0) <> (a > 0 AND b > 0 AND 200 * o >= p * (a + b))) AS dice,
       count(*) FILTER (WHERE containment_ge(t, u, p / 100.0) <> (a > 0 AND b > 0 AND 100 * o >= p * a)) AS containment,
       count(*) FILTER (WHERE overlap_ge(t, u, p::int) <> (a > 0 AND b > 0 AND o >= p)) AS overlap,
       count(*) FILTER (WHERE hamming_le(t, u, p::int) <> (a > 0 AND b > 0 AND a + b - 2 * o <= p)) AS hamming,
       count(*) FILTER (WHERE 100 * o = p * (a + b - o) AND o > 0) > 0 AS "some exactly on the threshold"
FROM pairs, generate_series(1, 100) p;
SELECT count(*) FILTER (WHERE hamming_le(t, u, 0) <> (xid = yid AND a > 0 OR a > 0 AND t = u)) AS "hamming 0"
FROM pairs;

-- Any threshold: the predicate is the value's comparison, to the last bit.
SELECT count(*) FILTER (WHERE jaccard_ge(t, u, v) <> (jaccard(t, u) >= v)) AS jaccard,
       count(*) FILTER (WHERE cosine_ge(t, u, v) <> (cosine(t, u) >= v)) AS cosine,
       count(*) FILTER (WHERE dice_ge(t, u, v) <> (dice(t, u) >= v)) AS dice,
       count(*) FILTER (WHERE containment_ge(t, u, v) <> (containment(t, u) >= v)) AS containment
FROM pairs, (VALUES (5e-324), (1e-200), (1e-9), (1.0 / 3), (0.1 + 0.2), (0.7000000000000001), (0.9999999999999999)) q (v);

-- Sets that are stored out of line and whose sizes rule them out are not fetched.
CREATE FUNCTION blocks_read(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan;
    RETURN (plan->0->'Plan'->>'Local Hit Blocks')::int + (plan->0->'Plan'->>'Local Read Blocks')::int;
END $$;
SELECT predicate, blocks_read('SELECT FROM sets WHERE id > 103 AND ' || predicate) = blocks_read('SELECT FROM sets WHERE id > 103') AS not_fetched
FROM (VALUES ($$jaccard_ge(t, '{1,2}', 0.5)$$), ($$cosine_ge('{1,2}', t, 0.5)$$), ($$dice_ge(t, '{1,2}', 0.5)$$),
             ($$containment_ge(t, '{1,2}', 0.5)$$), ($$overlap_ge('{1,2}', t, 3)$$), ($$hamming_le(t, '{1,2}', 5)$$), ($$t % '{1,2}'$$),
             ($$jaccard_ge(t, '{}', 0.5)$$), ($$containment_ge('{1,2}', t, 0.5)$$)) v (predicate);
DROP FUNCTION blocks_read;

-- The operator % reads its threshold when it runs.
SHOW neardup.similarity_threshold;
SELECT tokenset '{1,2,3,4,5,6}' % '{1,2,3,4,5,6,7,8,9,10}' AS "6/10", tokenset '{1,2,3}' % '{3,4,5}' AS "1/5";
SET neardup.similarity_threshold = 0.2;
SELECT tokenset '{1,2,3}' % '{3,4,5}' AS "1/5", tokenset_similar('{1}', '{1}');
SELECT count(*) FILTER (WHERE (t % u) <> (a > 0 AND b > 0 AND 5 * o >= a + b - o)) AS differing FROM pairs;
RESET neardup.similarity_threshold;
SET neardup.similarity_threshold = 0;
\echo :LAST_ERROR_SQLSTATE
SET neardup.similarity_threshold = 1.5;
\echo :LAST_ERROR_SQLSTATE

-- A bad threshold is an error, whatever the sets are.
SELECT jaccard_ge('{}', '{}', 0);
\echo :LAST_ERROR_SQLSTATE
SELECT jaccard_ge('{1}', '{1}', 1.2);
\echo :LAST_ERROR_SQLSTATE
SELECT jaccard_ge('{}', '{1}', 'NaN');
\echo :LAST_ERROR_SQLSTATE
SELECT cosine_ge('{}', '{}', -0.5);
\echo :LAST_ERROR_SQLSTATE
SELECT dice_ge('{}', '{}', 'Infinity');
\echo :LAST_ERROR_SQLSTATE
SELECT containment_ge('{}', '{}', 1.0000000000000002);
\echo :LAST_ERROR_SQLSTATE
SELECT overlap_ge('{}', '{}', 0);
\echo :LAST_ERROR_SQLSTATE
SELECT overlap_ge('{1}', '{1}', -1);
\echo :LAST_ERROR_SQLSTATE
SELECT hamming_le('{}', '{}', -1);
\echo :LAST_ERROR_SQLSTATE

-- NULL in, NULL out.
SELECT jaccard(NULL, '{1}') IS NULL AND jaccard_ge('{1}', '{1}', NULL) IS NULL AND overlap_ge('{1}', NULL, 0) IS NULL
       AND (NULL::tokenset % '{1}') IS NULL AS "null";
