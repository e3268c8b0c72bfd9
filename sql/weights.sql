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

-- Every pair of random sets, skewed, against the formula in numeric. A server for i386 rounds products and roots of float8 twice.
CREATE TABLE weighed AS
SELECT id, (SELECT array_agg(DISTINCT floor(power(((id * 7919 + k * 104729) % 10007) / 10007.0, 3) * 40)::int)
            FROM generate_series(1, id % 12) k)::tokenset AS t
FROM generate_series(1, 60) id;
ANALYZE weighed;
CREATE TABLE term AS
SELECT token, round(ln((SELECT count(t) FROM weighed)::numeric / count(*)) * 65536) AS weight
FROM weighed, unnest(t) token GROUP BY token;
SELECT count(*) AS pairs,
       count(*) FILTER (WHERE j IS DISTINCT FROM coalesce((round(o1, 40) / nullif(u1, 0))::float8, 0)) AS jaccard_differs,
       count(*) FILTER (WHERE abs(c - coalesce(o2::float8 / nullif(sqrt(a2::float8 * b2::float8), 0), 0)) > 2e-16 IS NOT FALSE) AS cosine_differs,
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

-- A weight is found wherever it is in a long list, of tokens that are spread evenly or not, to the ends of their range.
CREATE TABLE listed AS
SELECT kind, token, min(abs(w)) AS w FROM (
    SELECT 'even' AS kind, k * 100000::numeric AS token, k % 7 AS w FROM generate_series(-3000, 3000, 5) k
    UNION ALL SELECT 'powers', trunc(k::numeric ^ 7), k % 5 FROM generate_series(-400, 400, 3) k
    UNION ALL SELECT 'ends', 9223372036854775807 - k::numeric * k, k % 3 FROM generate_series(0, 99) k
    UNION ALL SELECT 'ends', -9223372036854775808 + k::numeric, 2 FROM generate_series(0, 50) k
    UNION ALL SELECT 'dense', 4611686018427387904 + k::numeric, k % 4 FROM generate_series(0, 60) k
    UNION ALL SELECT kind, 17, 1 FROM unnest('{even,powers,ends,dense}'::text[]) kind) v GROUP BY kind, token;
WITH weights AS MATERIALIZED (SELECT kind, ('{*:9,' || string_agg(token || ':' || w, ',') || '}')::token_weights AS w FROM listed GROUP BY kind),
asked AS (SELECT DISTINCT kind, a FROM listed, LATERAL (VALUES (token), (token + 1), (token - 1), (trunc(token / 2))) v (a)
          WHERE a BETWEEN -9223372036854775808 AND 9223372036854775807 AND a <> 17)
SELECT asked.kind, count(*) AS asked, count(l.token) AS listed,
       count(*) FILTER (WHERE idf_jaccard(('{17,' || a || '}')::tokenset, '{17}', weights.w) <> 1 / (1 + coalesce(l.w, 9)::float8)) AS wrong
FROM asked JOIN weights ON weights.kind = asked.kind LEFT JOIN listed l ON l.kind = asked.kind AND l.token = a GROUP BY asked.kind ORDER BY asked.kind;
DROP TABLE listed;

-- Lookups by an index ask for the heaviest tokens of the value, and then weigh the rows.
SELECT measure, threshold, heaviest_tokens_query(measure, '{1,2,3,4,5,6,7,8,9}', threshold, '{*:1,1:1,2:2,3:3,4:4,5:5,6:6,7:7,8:8,9:9}')
FROM (VALUES ('idf_jaccard', 0.7::float8), ('idf_jaccard', 1), ('idf_jaccard', 1e-300), ('idf_cosine', 0.7), ('idf_cosine', 1), ('idf_cosine', 1e-300)) v (measure, threshold);
SELECT heaviest_tokens_query('idf_cosine', '{1,2,3}', 0.5, '{*:1,1:0,2:0}') AS without_weight, heaviest_tokens_query('idf_cosine', '{1,2}', 0.5, '{*:0}') AS never,
       heaviest_tokens_query('idf_jaccard', '{}', 0.5, '{*:1}') AS empty, heaviest_tokens_query('idf_jaccard', '{1}', 0.5, NULL) IS NULL AS strict;
SELECT heaviest_tokens_query('jaccard', '{1}', 0.5, '{*:1}');
SELECT heaviest_tokens_query('idf_jaccard', '{1}', 0, '{*:1}');

CREATE TABLE lookup AS
SELECT id, id % 3 AS owner, (SELECT array_agg(DISTINCT floor(power(((id * 7919 + k * 104729) % 10007) / 10007.0, 3) * 40)::int)
                             FROM generate_series(1, id % 12) k)::tokenset AS t
FROM generate_series(1, 90) id;
INSERT INTO lookup VALUES (301, 0, '{}'), (302, 0, NULL), (303, NULL, '{1,2}');
CREATE TABLE stored (name text PRIMARY KEY, w token_weights);
INSERT INTO stored SELECT 'rarity', token_weights(t) FROM lookup;
INSERT INTO stored VALUES ('zero', '{*:0}'), ('some zero', '{*:2,0:0,1:0,5:0,7:0.5}'), ('frequent are heavy', '{*:0.1,0:9,1:8,2:7,3:6}'), ('equal', '{*:1}'), ('great', '{*:32}'), ('small', '{*:0.00002}');
CREATE INDEX lookup_t ON lookup USING neardup (t);
ANALYZE lookup;

EXPLAIN (COSTS off) SELECT id FROM lookup WHERE idf_cosine_ge(t, '{1,2,3}', '{*:3,1:1,2:2}', 0.8);
PREPARE alike(tokenset, token_weights, float8) AS SELECT id FROM lookup WHERE idf_jaccard_ge($1, t, $2, $3) ORDER BY id;
SET plan_cache_mode = force_generic_plan;
SET max_parallel_workers_per_gather = 0;
EXPLAIN (COSTS off) EXECUTE alike('{1,2,3}', '{*:1}', 0.8);
RESET max_parallel_workers_per_gather;
EXECUTE alike('{1,2,3,4,5}', '{*:3,1:1}', 0.3);
EXECUTE alike('{1,2}', NULL, 0.8);
EXECUTE alike('{1,2}', '{*:1}', 1.5);
RESET plan_cache_mode;
-- A threshold that is out of range is left to the predicate, and weights of the row give no condition.
EXPLAIN (COSTS off) SELECT id FROM lookup WHERE idf_cosine_ge(t, '{1,2,3}', '{*:1}', 1.5);
EXPLAIN (COSTS off) SELECT id FROM lookup WHERE idf_cosine_ge(t, '{1,2,3}', CASE WHEN id > 1 THEN token_weights '{*:1}' END, 0.5);
EXPLAIN (COSTS off) SELECT a.id, b.id FROM stored CROSS JOIN lookup a JOIN lookup b ON idf_cosine_ge(b.t, a.t, w, 0.5) WHERE name = 'rarity' AND a.id < 4;

-- Every row as the value, with all weights and thresholds, by each kind of index and without.
\getenv source PG_ABS_SRCDIR
\i :source/sql/include/oracle.sql
CREATE FUNCTION differences() RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.compare_plans($q$ SELECT s.name, h, a.id AS a, b.id AS b, m FROM stored s, unnest('{0.05,0.5,0.75,1}'::float8[]) h, lookup a, LATERAL (
        SELECT id, 'cosine' AS m FROM lookup b WHERE idf_cosine_ge(b.t, a.t, s.w, h) AND b.owner = a.owner
        UNION ALL SELECT id, 'jaccard' FROM lookup b WHERE idf_jaccard_ge(a.t, b.t, s.w, h) AND b.owner = a.owner OFFSET 0) b $q$,
        'Index', '{enable_indexscan,enable_bitmapscan}', '{enable_seqscan}') $$;
SELECT differences();
DROP INDEX lookup_t;
CREATE INDEX lookup_scope ON lookup USING neardup (owner, t);
EXPLAIN (COSTS off) SELECT id FROM lookup WHERE owner = 1 AND idf_cosine_ge(t, '{1,2,3}', '{*:3,1:1,2:2}', 0.8);
SELECT differences();
DROP INDEX lookup_scope;
CREATE INDEX lookup_gin ON lookup USING gin (t);
SET enable_seqscan = off;
SET max_parallel_workers_per_gather = 0;
-- Versions name the value of a sub-select differently.
DO $$
DECLARE line text;
BEGIN
    FOR line IN EXPLAIN (COSTS off) SELECT id FROM lookup WHERE idf_cosine_ge(t, '{1,2,3}', (SELECT w FROM stored WHERE name = 'rarity'), 0.8) LOOP
        RAISE NOTICE '%', regexp_replace(regexp_replace(line, '\$0|\(InitPlan \w+\)\.col1', 'weights'), 'InitPlan .*', 'InitPlan');
    END LOOP;
END $$;
-- The rows that an index returns are estimated by the threshold, also where the weights are not known.
CREATE FUNCTION scanned(measure text, threshold float8, OUT expected float8, OUT returned float8) LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE format('EXPLAIN (ANALYZE, TIMING off, FORMAT json) SELECT FROM lookup WHERE %s_ge(t, ''{1,2,3}'', (SELECT w FROM stored WHERE name = ''rarity''), %s)', measure, threshold) INTO plan;
    SELECT n -> 'Plan Rows', n -> 'Actual Rows' INTO expected, returned FROM jsonb_path_query(plan, 'strict $.** ? (@."Node Type" == "Bitmap Index Scan")') n;
END $$;
SELECT measure, threshold, expected BETWEEN returned / 10 AND returned * 10 AS near
FROM unnest('{idf_cosine,idf_jaccard}'::text[]) measure, unnest('{0.01,0.3,0.8}'::float8[]) threshold, LATERAL scanned(measure, threshold) ORDER BY 1, 2;
DROP FUNCTION scanned;
RESET max_parallel_workers_per_gather;
RESET enable_seqscan;
SELECT differences();

-- Weights that are stored out of line are kept by a session: others take their place as they are changed.
CREATE TABLE large (id int PRIMARY KEY, w token_weights);
INSERT INTO large SELECT id, ('{*:' || id || string_agg(',' || k || ':1', '') || '}')::token_weights FROM generate_series(1, 6) id, generate_series(1, 1000) k GROUP BY id;
SELECT round, id, idf_jaccard('{1,2000}', '{2000}', w) FROM generate_series(1, 2) round, large ORDER BY round, id;
BEGIN;
UPDATE large SET w = ('{*:9' || substr(w::text, 5))::token_weights WHERE id = 1;
SELECT idf_jaccard('{1,2000}', '{2000}', w) AS changed FROM large WHERE id = 1;
ROLLBACK;
SELECT idf_jaccard('{1,2000}', '{2000}', w) AS as_before FROM large WHERE id = 1;
DROP TABLE large, stored, lookup;
DROP FUNCTION differences;
