-- pairs_quality against counts by hand
CREATE TABLE truth (a int, b int);
INSERT INTO truth VALUES (1, 2), (3, 2), (4, 5), (6, 7);
CREATE TABLE found (a bigint, b bigint, similarity float8);
INSERT INTO found VALUES (1, 2, 0.9), (2, 3, 0.8), (1, 3, 0.7);

SELECT * FROM pairs_quality('SELECT a, b FROM found', 'SELECT a, b FROM truth');
-- (3, 2) is not (2, 3) between two tables
SELECT * FROM pairs_quality('SELECT a, b FROM found', 'SELECT a, b FROM truth', true);
-- repeated pairs count once, a row with itself and NULLs never; further columns are not read
SELECT * FROM pairs_quality('TABLE found UNION ALL SELECT b, a, 1 FROM found UNION ALL VALUES (5, 5, 1), (NULL, 2, 1) ;',
    'TABLE truth UNION ALL SELECT b, a FROM truth UNION ALL VALUES (1, 1), (3, NULL) -- labels');
-- between two tables it counts
SELECT * FROM pairs_quality('VALUES (5, 5)', 'VALUES (5, 5), (6, 6)', ordered => true);

-- nothing found, nothing true, nothing at all
SELECT * FROM pairs_quality('SELECT a, b FROM found WHERE false', 'TABLE truth');
SELECT * FROM pairs_quality('TABLE found', 'SELECT a, b FROM truth WHERE false');
SELECT * FROM pairs_quality('SELECT a, b FROM found WHERE false', 'SELECT a, b FROM truth WHERE false');

-- keys of any type with an order
SELECT found_pairs, true_pairs, common_pairs, precision, recall, f1
FROM pairs_quality($$VALUES ('x', 'y'), ('z', 'y')$$, $$VALUES ('y'::varchar, 'x'::varchar)$$);
SELECT common_pairs FROM pairs_quality('SELECT a::numeric, b::numeric FROM truth', 'TABLE truth');
SELECT common_pairs FROM pairs_quality($$VALUES ('00000000000000ff'::simhash, '000000000000000f'::simhash)$$,
    $$VALUES ('000000000000000f'::simhash, '00000000000000ff'::simhash)$$);
SELECT common_pairs FROM pairs_quality($$VALUES (1, 'one'::text)$$, $$VALUES (1, 'one'::text)$$, true);

-- random pairs against the definition
CREATE TABLE random_found AS SELECT (i * 7919 % 61) AS a, (i * 104729 % 53) AS b FROM generate_series(1, 700) AS i;
CREATE TABLE random_true AS SELECT (i * 6007 % 59) AS a, (i * 3571 % 47) AS b FROM generate_series(1, 900) AS i;
WITH f AS (SELECT DISTINCT least(a, b) AS a, greatest(a, b) AS b FROM random_found WHERE a <> b),
     t AS (SELECT DISTINCT least(a, b) AS a, greatest(a, b) AS b FROM random_true WHERE a <> b),
     n AS (SELECT (SELECT count(*) FROM f) AS f, (SELECT count(*) FROM t) AS t,
                  (SELECT count(*) FROM f JOIN t USING (a, b)) AS c)
SELECT found_pairs = f AND true_pairs = t AND common_pairs = c AND c > 100 AND
       precision = c / f::float8 AND recall = c / t::float8 AND abs(f1 - 2 / (1 / precision + 1 / recall)) < 1e-12 AS is_right
FROM n, pairs_quality('TABLE random_found', 'TABLE random_true');

-- errors
\set VERBOSITY sqlstate
SELECT pairs_quality(NULL, 'TABLE truth');
SELECT pairs_quality('TABLE found', NULL);
SELECT pairs_quality('SELECT a FROM found', 'TABLE truth');
SELECT pairs_quality($$VALUES (1, 'one'::text)$$, 'TABLE truth');
SELECT pairs_quality('SELECT a::text, b::text FROM found', 'TABLE truth');
SELECT pairs_quality('DELETE FROM found RETURNING a, b', 'TABLE truth');
SELECT pairs_quality('SELECT a, b FROM found FOR UPDATE', 'TABLE truth');
SELECT pairs_quality('TABLE found; TABLE found', 'TABLE truth');
DROP TABLE truth, found, random_found, random_true;
