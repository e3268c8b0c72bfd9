--
-- token_weights, idf_jaccard and idf_cosine against plain SQL in numeric.
--
\set VERBOSITY default

-- The weight of each token, and of one that is not listed.
SELECT token_weights(t) FROM (VALUES (tokenset '{1,2,3}'), ('{1,2}'), ('{1,4}'), ('{}'), (NULL)) v (t);
SELECT token_weights(t) FROM (VALUES (tokenset '{1}'), ('{1}')) v (t);
SELECT token_weights(t) FROM (VALUES (tokenset '{}')) v (t);
SELECT token_weights(t) IS NULL AS no_set FROM (VALUES (NULL::tokenset)) v (t);
SELECT token_weights('{1,2}');

-- Text form: any order, exact multiples of 2^-16, range.
SELECT token_weights ' { * : 1.5 , 7 : 0.25 , -3 : 32 } ', token_weights '{*:0}', token_weights '{*:0.0000152587890625,1:0.00001}';
SELECT count(*) AS differing FROM generate_series(0, 2097152, 4099) w, LATERAL
    (SELECT ('{*:' || (w / 65536.0)::numeric(30, 16) || ',1:' || (w / 65536.0)::numeric(30, 16) || '}')::token_weights AS x) v
WHERE x::text::token_weights::text <> x::text
   OR round(substr(split_part(x::text, ',', 1), 4)::numeric * 65536) <> w;
SELECT token_weights '{}';
SELECT token_weights '{*:1,2:}';
SELECT token_weights '{*:1,2:1.}';
SELECT token_weights '{*:1,2:-1}';
SELECT token_weights '{*:1,x:1}';
SELECT token_weights '{*:1,}';
SELECT token_weights '{*:1} 2';
SELECT token_weights '{*:32.00001}';
SELECT token_weights '{*:99999999999999999999999}';
SELECT token_weights '{*:1,99999999999999999999:1}';
SELECT token_weights '{*:1,5:1,5:1}';

-- Binary form.
SELECT token_weights_send('{*:1,-1:0.5}');
SELECT octet_length(token_weights_send('{*:1}')) AS bytes;

-- A token that is not listed weighs as one of a single row.
SELECT idf_jaccard('{1,2}', '{2,3}', '{*:2,1:1,2:1}'), idf_cosine('{1,2}', '{2,3}', '{*:2,1:1,2:1}');
SELECT idf_jaccard_ge('{1,2}', '{2,3}', '{*:2,1:1,2:1}', 0.25) AS on_threshold,
       idf_jaccard_ge('{1,2}', '{2,3}', '{*:2,1:1,2:1}', 0.2500001) AS above,
       idf_cosine_ge('{1,2}', '{1,2}', '{*:2,1:1,2:1}', 1) AS same;

-- Sets of no weight are as empty ones.
SELECT a, b, idf_jaccard(a, b, w), idf_cosine(a, b, w), idf_jaccard_ge(a, b, w, 0.1), idf_cosine_ge(a, b, w, 0.1)
FROM (VALUES (tokenset '{}', tokenset '{}'), ('{}', '{1}'), ('{1}', '{1}'), ('{1}', '{1,2}'), ('{2}', '{1,2}')) v (a, b),
     (VALUES (token_weights '{*:3,1:0}')) weights (w);

SELECT idf_jaccard_ge('{1}', '{1}', '{*:1}', 0);
SELECT idf_cosine_ge('{1}', '{1}', '{*:1}', 'NaN');
SELECT idf_cosine_ge('{1}', '{1}', NULL, 0.5) IS NULL AS strict;
SELECT tokenset_query('idf_jaccard', '{1}', 0.5, false);

-- A set has at most 2^20 tokens.
SELECT idf_jaccard(t, t, '{*:1}') FROM (SELECT ARRAY(SELECT generate_series(1, 1048577))::tokenset) v (t);
SELECT * FROM ppjoin('SELECT 1, ARRAY(SELECT generate_series(1, 1048577))', 0.5, 'idf_cosine');
SELECT idf_jaccard(t, t, '{*:32}'), idf_cosine(t, t, '{*:32}')
FROM (SELECT ARRAY(SELECT generate_series(1, 1048576))::tokenset) v (t);

-- Joins take the weights of all rows that they read, of both queries; a row without a key or a set is not read.
CREATE TABLE companies (id int, name text);
INSERT INTO companies VALUES
    (1, 'Adler Trading Company Ltd'), (2, 'Adler Ltd'), (3, 'Baker Trading Company Ltd'),
    (4, 'Quince Trading Company Ltd'), (5, 'Quince Company'), (NULL, 'Adler'), (6, NULL), (7, '');
SELECT a, b, similarity, similarity = idf_cosine(word_set(x.name), word_set(y.name), w) AS is_value
FROM ppjoin('SELECT id, word_set(name) FROM companies', 0.3, 'idf_cosine') JOIN companies x ON x.id = a JOIN companies y ON y.id = b,
     (SELECT token_weights(word_set(name)) AS w FROM companies WHERE id IS NOT NULL) weights
ORDER BY a, b;
SELECT * FROM topk_join('SELECT id, word_set(name) FROM companies', 2, 'idf_jaccard');
SELECT * FROM ppjoin_keyed(NULL::text, 'SELECT name, word_set(name) FROM companies WHERE id < 4', 0.1, 'idf_jaccard', against => 'SELECT name, word_set(name) FROM companies WHERE id >= 4')
ORDER BY a, b;
SELECT * FROM ppjoin('SELECT id, word_set(name) FROM companies', 0.3, 'idf_cosine', 'ppjoin');
SELECT * FROM ppjoin('SELECT id, word_set(name) FROM companies', 1.5, 'idf_cosine');
DROP TABLE companies;

-- Every pair of random sets, skewed, against the formula in numeric.
CREATE TABLE weighed AS
SELECT id, (SELECT array_agg(DISTINCT floor(power(((id * 7919 + k * 104729) % 10007) / 10007.0, 3) * 40)::int)
            FROM generate_series(1, id % 12) k)::tokenset AS t
FROM generate_series(1, 60) id;
ANALYZE weighed;
CREATE TABLE term AS
SELECT token, round(ln((SELECT count(t) FROM weighed)::numeric / count(*)) * 65536) AS weight
FROM weighed, unnest(t) token GROUP BY token;
SELECT count(*) AS pairs,
       count(*) FILTER (WHERE j IS DISTINCT FROM coalesce(o1::float8 / nullif(u1, 0)::float8, 0)) AS jaccard_differs,
       count(*) FILTER (WHERE c IS DISTINCT FROM coalesce(o2::float8 / nullif(sqrt(a2::float8 * b2::float8), 0), 0)) AS cosine_differs,
       count(*) FILTER (WHERE j > 0 AND j < 1) > 500 AS some_similar
FROM weighed x, weighed y, (SELECT token_weights(t) FROM weighed) weights (w), LATERAL
     (SELECT idf_jaccard(x.t, y.t, w) AS j, idf_cosine(x.t, y.t, w) AS c,
             (SELECT coalesce(sum(weight), 0) FROM term, unnest(x.t & y.t) k WHERE token = k) AS o1,
             (SELECT sum(weight) FROM term, unnest(x.t | y.t) k WHERE token = k) AS u1,
             (SELECT coalesce(sum(weight * weight), 0) FROM term, unnest(x.t & y.t) k WHERE token = k) AS o2,
             (SELECT sum(weight * weight) FROM term, unnest(x.t) k WHERE token = k) AS a2,
             (SELECT sum(weight * weight) FROM term, unnest(y.t) k WHERE token = k) AS b2) f
WHERE x.t IS NOT NULL AND y.t IS NOT NULL;

-- Parallel workers and partitions give the same weights.
SELECT count(DISTINCT w::text) FROM (
    SELECT token_weights(t) AS w FROM weighed
    UNION ALL SELECT token_weights(t ORDER BY id DESC) FROM weighed) v;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ALTER TABLE weighed SET (parallel_workers = 2);
EXPLAIN (COSTS off) SELECT token_weights(t) FROM weighed;
SELECT (SELECT token_weights(t) FROM weighed)::text = (SELECT token_weights(t ORDER BY id) FROM weighed)::text AS same;
DROP TABLE term;
DROP TABLE weighed;
