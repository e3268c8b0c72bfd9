-- topk_join against a sort of all pairs
CREATE TABLE sets (id int, tokens int[]);
INSERT INTO sets
SELECT id, ARRAY(SELECT DISTINCT (abs(hashint8extended(id, i) % 80) * abs(hashint8extended(i, id) % 80) / 80)::int
                 FROM generate_series(1, id * 7 % 23) i)
FROM generate_series(1, 150) id;
INSERT INTO sets SELECT id + 1000, tokens FROM sets WHERE id % 10 = 3;
INSERT INTO sets VALUES (NULL, '{1,2}'), (7, NULL), (3000, '{1,2,3}');
CREATE VIEW firsts AS SELECT *, min(id) OVER (PARTITION BY tokens::tokenset) AS first FROM sets WHERE tokens IS NOT NULL AND id IS NOT NULL;
CREATE VIEW pairs AS
SELECT x.id AS a, y.id AS b, x.first AS first_a, y.first AS first_b, cardinality(x.tokens) AS a_size, cardinality(y.tokens) AS b_size,
       cardinality(ARRAY(SELECT unnest(x.tokens) INTERSECT SELECT unnest(y.tokens))) AS overlap
FROM firsts x, firsts y WHERE x.id <> y.id AND x.tokens <> '{}' AND y.tokens <> '{}';
CREATE TABLE measured AS
SELECT m.measure, a, b, m.value, row_number() OVER (PARTITION BY measure ORDER BY CASE WHEN measure = 'hamming' THEN m.value ELSE -m.value END,
    CASE WHEN flips THEN first_b ELSE first_a END, CASE WHEN flips THEN first_a ELSE first_b END,
    CASE WHEN flips THEN b ELSE a END, CASE WHEN flips THEN a ELSE b END) AS place
FROM pairs, LATERAL (VALUES
    ('jaccard', overlap / (a_size + b_size - overlap)::float8),
    ('cosine', overlap / sqrt((a_size::bigint * b_size)::float8)),
    ('dice', 2 * overlap / (a_size + b_size)::float8),
    ('overlap', overlap::float8),
    ('hamming', (a_size + b_size - 2 * overlap)::float8),
    ('containment', overlap / a_size::float8)) AS m (measure, value),
    LATERAL (SELECT first_a > first_b AND measure <> 'containment' AS flips) AS f
WHERE (a < b OR measure = 'containment') AND (overlap > 0 OR measure = 'hamming');

-- how many rows differ, in place too, of how many
CREATE FUNCTION differing(of_measure text, k int) RETURNS text
BEGIN ATOMIC
    WITH found AS (
        SELECT row_number() OVER () AS place, a, b, similarity
        FROM topk_join('SELECT id, tokens FROM sets', k, of_measure)),
    expected AS (
        SELECT place, a::bigint, b::bigint, value
        FROM measured WHERE measure = of_measure AND place <= k)
    SELECT count(*) || ' of ' || (SELECT count(*) FROM expected)
    FROM ((TABLE found EXCEPT ALL TABLE expected) UNION ALL (TABLE expected EXCEPT ALL TABLE found)) AS d;
END;
SELECT measure, differing(measure, 1) AS "1", differing(measure, 17) AS "17", differing(measure, 400) AS "400",
       differing(measure, 1000000) AS "all"
FROM (SELECT DISTINCT measure FROM measured) AS m ORDER BY measure;

-- within little memory, through files
\set VERBOSITY terse
SET neardup.join_memory = '128kB';
SELECT differing('jaccard', 400) AS jaccard, differing('hamming', 400) AS hamming, differing('containment', 400) AS containment;
RESET neardup.join_memory;
\set VERBOSITY default

-- two queries, keys of any type, fewer pairs than asked for
CREATE TABLE few (id int, tokens int[]);
INSERT INTO few VALUES (1, '{1,2,3,4}'), (2, '{1,2,3}'), (3, '{9}'), (4, '{}'), (5, '{3,4,5,6}');
SELECT * FROM topk_join('SELECT id, tokens FROM few', 10);
SELECT * FROM topk_join('SELECT id, tokens FROM few', 4, against => 'SELECT id, tokens FROM few');
SELECT * FROM topk_join('SELECT id, tokens FROM few', 3, 'hamming');
SELECT * FROM topk_join_keyed(NULL::text, 'SELECT chr(70 - id), tokens FROM few', 2, measure => 'cosine');
SELECT * FROM topk_join_keyed(NULL::numeric, 'SELECT id::numeric, tokens FROM few', 2, 'containment', against => 'SELECT id / 2.0, tokens FROM few');
SELECT count(*) FROM topk_join('SELECT id, tokens FROM few WHERE false', 3);

-- errors
SELECT * FROM topk_join('SELECT id, tokens FROM few', 0);
SELECT * FROM topk_join('SELECT id, tokens FROM few', NULL::int);
SELECT * FROM topk_join(NULL, 3);
SELECT * FROM topk_join('SELECT id, tokens FROM few', 3, 'tanimoto');
SELECT * FROM topk_join('SELECT id % 3, tokens FROM few', 3);
SELECT * FROM topk_join_keyed(NULL::json, 'SELECT to_json(id), tokens FROM few', 3, against => 'SELECT to_json(id), tokens FROM few');

DROP FUNCTION differing;
DROP VIEW pairs, firsts;
DROP TABLE sets, measured, few;
