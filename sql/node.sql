-- The join node: when the planner takes it, what EXPLAIN shows, and that it joins right.
SET client_min_messages = warning;

CREATE TABLE node_docs (id int PRIMARY KEY, city int, body text, tokens tokenset);
INSERT INTO node_docs
SELECT n, n / 10 % 7, 'text ' || n, ARRAY[n / 3, n / 3 + 1, n / 3 * 2 + 2, n / 6 + 5000, n / 6 + 5001, n / 9 + 9000, n % 2 + 20000]::tokenset
FROM generate_series(1, 3000) n;
INSERT INTO node_docs VALUES (3001, 1, 'none', NULL), (3002, 1, 'none', NULL), (3003, 1, 'empty', '{}'), (3004, 1, 'empty', '{}');
CREATE TABLE node_few AS SELECT id, city, tokens FROM node_docs WHERE id IN (10, 500, 3001);
CREATE INDEX node_docs_tokens ON node_docs USING gin (tokens);
VACUUM ANALYZE node_docs;
VACUUM ANALYZE node_few;

-- The first statement of a session: the node is there, without preloading.
\c -
EXPLAIN (COSTS OFF)
SELECT a.id, b.id FROM node_docs a JOIN node_docs b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.8);
\c -
EXPLAIN (COSTS OFF)
DELETE FROM node_docs d WHERE EXISTS (SELECT 1 FROM node_docs k WHERE k.id < d.id AND jaccard_ge(k.tokens, d.tokens, 0.9));
\c -
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM node_docs a JOIN node_docs b ON a.tokens % b.tokens;
\c -
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM node_docs a JOIN node_docs b ON 0.8 <= jaccard(a.tokens, b.tokens) AND a.id <> b.id;

\c -
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM node_docs a JOIN node_docs b ON a.id < b.id AND word_tokens(a.body) && word_tokens(b.body);
\c -
EXPLAIN (COSTS OFF) SELECT a.id FROM node_docs a WHERE EXISTS (SELECT FROM node_docs b WHERE a.id <> b.id AND a.city = b.city AND b.tokens @> a.tokens);

-- Where lookups are cheaper, they are taken.
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM node_few a JOIN node_docs b ON jaccard_ge(a.tokens, b.tokens, 0.8);
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM node_few a JOIN node_docs b ON a.tokens % b.tokens;
-- And where the node is turned off.
SET neardup.enable_similarity_join = off;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM node_docs a JOIN node_docs b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.8);
RESET neardup.enable_similarity_join;

-- Join types and clauses. Of several predicates, the most selective drives.
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM node_docs a LEFT JOIN node_docs b
    ON a.city = b.city AND jaccard_ge(b.tokens, a.tokens, 0.6) AND b.id > a.id + 1 WHERE b.id IS NULL OR b.body <> 'x';
EXPLAIN (COSTS OFF) SELECT a.id FROM node_docs a
    WHERE NOT EXISTS (SELECT 1 FROM node_docs b WHERE jaccard_ge(b.tokens, a.tokens, 0.9) AND a.city = b.city AND a.id <> b.id);
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM node_docs a JOIN node_docs b
    ON jaccard_ge(a.tokens, b.tokens, 0.3) AND overlap_ge(a.tokens, b.tokens, 6) AND a.id < b.id;

-- Other restrictions: no self-join.
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM node_docs a JOIN node_docs b ON jaccard_ge(a.tokens, b.tokens, 0.8) WHERE a.city < 6 AND b.city < 5;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM node_docs a JOIN node_docs b ON jaccard_ge(a.tokens, b.tokens, 0.8) WHERE a.city < 6 AND b.city < 6;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM node_docs a JOIN node_docs b ON jaccard_ge(a.tokens, b.tokens, 0.8) AND a.city = b.id;

-- Only these joins: not right, full, with a threshold of one side, lateral, with a volatile set.
CREATE FUNCTION node_plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; plan text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        plan := plan || line || E'\n';
    END LOOP;
    RETURN plan;
END $$;
SELECT clause, node_plan('SELECT a.id, b.id FROM ' || clause) ~ 'Similarity Join' AS node
FROM (VALUES
    ('node_docs a JOIN node_docs b ON jaccard_ge(a.tokens, b.tokens, 0.8)'),
    ('node_docs a JOIN node_docs b ON jaccard(a.tokens, b.tokens) >= 0.8'),
    ('node_docs a JOIN node_docs b ON jaccard(a.tokens, b.tokens) > 0.8'),
    ('node_docs a JOIN node_docs b ON overlap(a.tokens, b.tokens) >= 5'),
    ('node_docs a JOIN node_docs b ON 5::smallint <= overlap(a.tokens, b.tokens)'),
    ('node_docs a JOIN node_docs b ON hamming_le(a.tokens, b.tokens, 2)'),
    ('node_docs a JOIN node_docs b ON hamming(a.tokens, b.tokens) <= 2'),
    ('node_docs a JOIN node_docs b ON NOT jaccard_ge(a.tokens, b.tokens, 0.8)'),
    ('node_docs a JOIN node_docs b ON jaccard_ge(a.tokens, b.tokens, 0.8) OR a.id = b.id'),
    ('node_docs a JOIN node_docs b ON jaccard_ge(a.tokens, b.tokens, a.id / 3000.0)'),
    ('node_docs a JOIN node_docs b ON jaccard_ge(a.tokens, b.tokens, random())'),
    ('node_docs a JOIN node_docs b ON jaccard_ge(a.tokens, b.tokens, extract(epoch FROM now()) / 1e10)'),
    ('node_docs a JOIN node_docs b ON jaccard_ge(a.tokens | ARRAY[random()::int]::tokenset, b.tokens, 0.8)'),
    ('node_docs a FULL JOIN node_docs b ON a.id = b.id AND jaccard_ge(a.tokens, b.tokens, 0.8)'),
    ('node_docs a CROSS JOIN LATERAL (SELECT * FROM node_docs c WHERE jaccard_ge(a.tokens, c.tokens, 0.8) OFFSET 0) b'),
    ('node_docs a JOIN node_docs b ON jaccard_ge(word_tokens(a.body), word_tokens(b.body), 0.8)'),
    ('node_few a RIGHT JOIN node_docs b ON jaccard_ge(a.tokens, b.tokens, 0.8)'),
    ('node_docs a JOIN node_docs b ON a.tokens && b.tokens'),
    ('node_docs a JOIN node_docs b ON a.tokens @> b.tokens'),
    ('node_docs a JOIN node_docs b ON word_tokens(a.body) <@ word_tokens(b.body)'),
    ('node_docs a JOIN node_docs b ON NOT a.tokens && b.tokens'),
    ('node_docs a JOIN node_docs b ON a.tokens && b.tokens OR a.id = b.id'),
    ('node_docs a JOIN node_docs b ON a.tokens::int8[] && b.tokens::int8[]'),
    ('node_docs a JOIN node_docs b ON simhash_within(simhash(a.tokens), simhash(b.tokens), 3)'),
    ('node_docs a JOIN node_docs b ON simhash_distance(simhash(a.tokens), simhash(b.tokens)) <= 3'),
    ('node_docs a JOIN node_docs b ON simhash_distance(simhash(a.tokens), simhash(b.tokens)) <= 3::bigint'),
    ('node_docs a JOIN node_docs b ON 3 >= simhash(a.tokens) <~> simhash(b.tokens)'),
    ('node_docs a JOIN node_docs b ON simhash(a.tokens) <~> simhash(b.tokens) >= 3'),
    ('node_docs a JOIN node_docs b ON simhash(a.tokens) <~> simhash(b.tokens) <= 2.5'),
    ('node_docs a JOIN node_docs b ON simhash(a.tokens) <~> simhash(b.tokens) <= -1'),
    ('node_docs a JOIN node_docs b ON simhash_within(simhash(a.tokens), simhash(b.tokens), a.city)'),
    ('node_docs a JOIN (SELECT id, tokenset_union_agg(tokens) AS tokens FROM node_docs GROUP BY id) b ON jaccard_ge(a.tokens, b.tokens, 0.8)')
) AS c (clause);

-- What it joins is what a nested loop joins: the number of differences.
\getenv source PG_ABS_SRCDIR
\i :source/sql/include/oracle.sql
CREATE FUNCTION node_differences(query text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.compare_plans(query, 'Similarity Join', '{neardup.enable_similarity_join,enable_bitmapscan}') $$;
CREATE TABLE node_part AS SELECT * FROM node_docs WHERE id % 5 = 0 OR id > 3000;
ANALYZE node_part;
SELECT kind, node_plan(query) ~ ('Type: ' || kind) AS node, node_differences(query) AS differences
FROM (VALUES
    ('Inner', 'SELECT a.id x, b.id y FROM node_part a JOIN node_part b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4)'),
    ('Inner', 'SELECT a x, b y FROM node_part a JOIN node_part b ON a.city = b.city AND jaccard_ge(a.tokens, b.tokens, 0.4)'),
    ('Inner', 'SELECT a.ctid x, b.ctid y, a.tableoid::regclass z FROM node_part a JOIN node_docs b ON a.id <> b.id AND containment_ge(a.tokens, b.tokens, 0.5)'),
    ('Left', 'SELECT a.id x, b.body y FROM node_part a LEFT JOIN node_part b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4) WHERE a.body <> b.body OR b.id IS NULL'),
    ('Left', 'SELECT a.id x, coalesce(b.body, a.body) y FROM node_part a LEFT JOIN (SELECT * FROM node_docs WHERE id > 20) b ON a.id < b.id AND cosine_ge(a.tokens, b.tokens, 0.6)'),
    ('Left', 'SELECT a.id x, b.one, b.next, b::text whole FROM node_part a LEFT JOIN (SELECT id, tokens, 1 AS one, coalesce(city, 0) + 1 AS next FROM node_part) b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4)'),
    ('Left', 'SELECT count(b.id) n, sum(b.id) s FROM node_part a LEFT JOIN node_part b ON jaccard_ge(a.tokens, b.tokens, 0.6)'),
    ('Left', 'SELECT a.id x, b.tokens y FROM node_part a LEFT JOIN node_part b ON jaccard_ge(a.tokens, b.tokens, 0.6) AND b.city = a.city AND b.id <> a.id WHERE b.city > 1 IS NOT false'),
    ('Left', 'SELECT a.id x, b.id y, c.id z FROM node_part a LEFT JOIN node_part b ON jaccard_ge(a.tokens, b.tokens, 0.1) LEFT JOIN node_part c ON jaccard_ge(b.tokens, c.tokens, 0.4)'),
    ('Left', 'SELECT a.id x, s.id y, s.n, s.z FROM node_part a LEFT JOIN (SELECT b.id, coalesce(b.city, 0) n, c.id z, b.tokens FROM node_part b LEFT JOIN node_part c ON b.id < c.id AND jaccard_ge(b.tokens, c.tokens, 0.4)) s ON jaccard_ge(a.tokens, s.tokens, 0.5)'),
    ('Left', 'SELECT a.id x, s.n, s.z FROM node_few a LEFT JOIN (SELECT b.id, coalesce(c.city, -1) n, c.id z FROM node_part b LEFT JOIN node_part c ON b.id < c.id AND jaccard_ge(b.tokens, c.tokens, 0.4)) s ON a.id = s.id'),
    ('Left', 'SELECT a.id x, s.n FROM node_few a LEFT JOIN (SELECT b.id, coalesce(c.city, -1) n FROM node_part b LEFT JOIN node_part c ON b.id < c.id AND jaccard_ge(b.tokens, c.tokens, 0.4)) s ON a.id = s.id'),
    ('Left', 'SELECT a.id x, s.k, s.n FROM node_few a LEFT JOIN (SELECT b.id, c.k, coalesce(c.id, -1) n FROM node_part b LEFT JOIN (SELECT id, tokens, coalesce(city, 0) k FROM node_docs) c ON jaccard_ge(b.tokens, c.tokens, 0.4)) s ON a.id = s.id'),
    ('Left', 'SELECT a.city x, b.id y, count(b.city) n FROM node_part a LEFT JOIN node_part b ON jaccard_ge(a.tokens, b.tokens, 0.6) GROUP BY GROUPING SETS ((a.city), (b.id), ())'),
    ('Inner', 'SELECT x.id x, y.c, y.whole FROM node_few x LEFT JOIN (SELECT a.id, coalesce(a.body, b.body) c, a::text whole FROM node_part a JOIN node_part b ON a.id <> b.id AND jaccard_ge(a.tokens, b.tokens, 0.4)) y ON x.id = y.id'),
    ('Inner', 'SELECT a.id x, b.id y, (SELECT max(c.id) FROM node_few c WHERE c.id < a.id + b.id) m FROM node_part a JOIN node_part b ON a.city = b.city AND a.id > b.id AND jaccard_ge(a.tokens, b.tokens, 0.4) AND a.id + b.id > (SELECT min(id) FROM node_few f WHERE f.id <> a.city)'),
    ('Inner', 'SELECT a.id x, b.id y FROM node_part a JOIN node_docs b ON a.city = b.city AND a.id <> b.id AND a.tokens && b.tokens AND jaccard(a.tokens, b.tokens) < 0.9'),
    ('Left', 'SELECT a.id x, b.id y FROM node_part a LEFT JOIN node_docs b ON b.tokens <@ a.tokens AND a.id <> b.id'),
    ('Anti', 'SELECT a.id x FROM node_part a WHERE NOT EXISTS (SELECT FROM node_docs b WHERE a.tokens <@ b.tokens AND a.id < b.id)'),
    ('Semi', 'SELECT a.id x, a.body FROM node_part a WHERE EXISTS (SELECT 1 FROM node_part b WHERE a.id < b.id AND dice_ge(a.tokens, b.tokens, 0.5))'),
    ('Anti', 'SELECT a.id x, b.id y FROM node_part a LEFT JOIN node_part b ON a.id <> b.id AND jaccard_ge(a.tokens, b.tokens, 0.5) WHERE b.id IS NULL'),
    ('Anti', 'SELECT a.id x FROM node_part a WHERE NOT EXISTS (SELECT 1 FROM node_docs b WHERE a.id < b.id AND containment_ge(b.tokens, a.tokens, 0.9))'),
    ('Anti', 'SELECT a.id x FROM node_part a WHERE NOT EXISTS (SELECT 1 FROM node_part b WHERE a.id <> b.id AND jaccard_ge(b.tokens, a.tokens, 0.5))')
) AS q (kind, query);

-- One input of a self-join is read. What depends on the machine or on PostgreSQL's version is masked.
CREATE FUNCTION node_explain_analyze(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ' || query LOOP
        RETURN NEXT regexp_replace(regexp_replace(line, '(Memory): \d+', '\1: N'), '(rows=\d+)\.00', '\1');
    END LOOP;
END $$;
SELECT node_explain_analyze('SELECT a.id, b.body FROM node_docs a JOIN node_docs b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.8)');
SELECT node_explain_analyze('SELECT a.id FROM node_docs a LEFT JOIN node_docs b ON a.city = b.city AND a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.8)');
CREATE FUNCTION node_explain_json(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan';
END $$;
SELECT key, value FROM jsonb_each(node_explain_json(
    'SELECT a.id FROM node_docs a LEFT JOIN node_docs b ON a.city = b.city AND a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.8) WHERE b.id IS NULL OR b.id > 9'))
WHERE key IN ('Join Type', 'Self Join', 'Similarity Cond', 'Group Cond', 'Join Filter', 'Filter', 'Algorithm', 'Outer Records', 'Parts', 'Rows Removed by Filter')
ORDER BY key;

-- Rows that are locked, and changed, are those that were joined.
BEGIN;
SELECT count(*) FROM (SELECT a.id FROM node_part a JOIN node_part b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4) FOR UPDATE) l;
DELETE FROM node_part d WHERE EXISTS (SELECT 1 FROM node_part k WHERE k.id < d.id AND jaccard_ge(k.tokens, d.tokens, 0.4));
SELECT count(*) FROM node_part a JOIN node_part b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4);
UPDATE node_docs d SET body = 'like ' || k.id FROM node_few k WHERE overlap_ge(d.tokens, k.tokens, 7) AND d.city = k.city RETURNING d.id, d.body, k.id;
ROLLBACK;

-- A threshold that is known at execution only; NULL; out of range.
PREPARE node_query(float8) AS SELECT count(*) FROM node_docs a JOIN node_docs b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, $1);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE node_query(0.8);
EXECUTE node_query(0.8);
EXECUTE node_query(1);
EXECUTE node_query(NULL);
EXECUTE node_query(1.2);
RESET plan_cache_mode;
PREPARE node_left(float8) AS SELECT count(*), count(b.id) FROM node_docs a LEFT JOIN node_docs b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, $1);
SET plan_cache_mode = force_generic_plan;
EXECUTE node_left(NULL);
RESET plan_cache_mode;
SELECT count(*) FROM node_docs a JOIN node_docs b ON jaccard_ge(a.tokens, b.tokens, 0);
SET neardup.similarity_threshold = 0.9;
SELECT count(*) FROM node_docs a JOIN node_docs b ON a.id < b.id AND a.tokens % b.tokens;
RESET neardup.similarity_threshold;
SELECT count(*) FROM node_docs a JOIN node_docs b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.9);

-- Simhashes. In the first statement of a session too; lookups where they are cheaper; many rows of one value.
CREATE TABLE node_prints AS SELECT id, city, simhash(tokens) AS fp FROM node_docs WHERE id <= 1000 OR id > 3000;
CREATE INDEX node_prints_fp ON node_prints USING spgist (fp);
VACUUM ANALYZE node_prints;
\c -
\i :source/sql/include/oracle.sql
SET client_min_messages = warning;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM node_prints a JOIN node_prints b ON a.id < b.id AND a.fp <~> b.fp <= 3;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM (SELECT * FROM node_prints WHERE id = 10) a JOIN node_prints b ON simhash_within(a.fp, b.fp, 3);
SELECT node_explain_analyze('SELECT a.id FROM node_prints a LEFT JOIN node_prints b ON a.city = b.city AND a.id < b.id AND simhash_within(b.fp, a.fp, 12)');
SELECT kind, node_plan(query) ~ ('Type: ' || kind) AS node, node_differences(query) AS differences
FROM (VALUES
    ('Inner', 'SELECT a.id x, b.id y FROM node_prints a JOIN node_prints b ON simhash_within(a.fp, b.fp, 16)'),
    ('Inner', 'SELECT a.id x, b.id y FROM node_prints a JOIN node_prints b ON a.city = b.city AND a.id <> b.id AND simhash_within(a.fp, b.fp, 20)'),
    ('Left', 'SELECT a.id x, b.id y FROM node_docs a LEFT JOIN node_prints b ON a.id < b.id AND simhash(a.tokens) <~> b.fp <= 10'),
    ('Semi', 'SELECT a.id x FROM node_prints a WHERE EXISTS (SELECT 1 FROM node_prints b WHERE a.id < b.id AND simhash_within(a.fp, b.fp, 10))'),
    ('Anti', 'SELECT a.id x FROM node_prints a WHERE NOT EXISTS (SELECT 1 FROM node_prints b WHERE a.id <> b.id AND simhash_distance(a.fp, b.fp) <= 10)')
) AS q (kind, query);
PREPARE node_within(int) AS SELECT count(*) FROM node_prints a JOIN node_prints b ON a.id < b.id AND simhash_within(a.fp, b.fp, $1);
SET plan_cache_mode = force_generic_plan;
SET enable_nestloop = off;
EXPLAIN (COSTS OFF) EXECUTE node_within(3);
EXECUTE node_within(64);
EXECUTE node_within(2147483647);
EXECUTE node_within(NULL);
EXECUTE node_within(-1);
RESET enable_nestloop;
RESET plan_cache_mode;

-- Scans that are repeated, with another threshold each time; and their memory, which does not grow.
SELECT t, (SELECT count(*) FROM node_part a JOIN node_part b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, t)) FROM unnest('{0.3,0.5,0.7}'::float8[]) t;
SELECT node_plan('SELECT t, (SELECT count(*) FROM node_part a JOIN node_part b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, t)) FROM unnest(''{0.3,0.5,0.7}''::float8[]) t') ~ 'Similarity Cond: jaccard_ge\(a.tokens, b.tokens, t.t\)' AS node;
CREATE TABLE node_small AS SELECT * FROM node_docs WHERE id <= 100;
ANALYZE node_small;
SET enable_nestloop = off;
SELECT count(DISTINCT pairs) AS counts, max(bytes) - min(bytes) < 65536 AS bounded FROM (
    SELECT i, (SELECT count(*) FROM node_small a LEFT JOIN node_small b ON a.city = b.city AND jaccard_ge(a.tokens, b.tokens, 0.3 + i * 1e-9)) AS pairs,
        CASE WHEN i IN (100, 1100) THEN (SELECT sum(used_bytes) FROM pg_backend_memory_contexts WHERE i > 0) END AS bytes
    FROM generate_series(1, 1100) i OFFSET 0) r;
RESET enable_nestloop;

-- A cursor that stops early, and one that goes back.
BEGIN;
DECLARE early CURSOR FOR SELECT a.id, b.id FROM node_docs a JOIN node_docs b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.5) AND b.id < 3 OFFSET 0;
FETCH 2 FROM early;
CLOSE early;
DECLARE back SCROLL CURSOR FOR SELECT count(*) OVER () FROM node_small a JOIN node_docs b ON jaccard_ge(a.tokens, b.tokens, 1);
FETCH 1 FROM back;
FETCH BACKWARD 1 FROM back;
FETCH LAST FROM back;
COMMIT;

-- A security barrier: what a user asks for is not evaluated before what hides rows.
CREATE VIEW node_visible WITH (security_barrier) AS SELECT * FROM node_docs WHERE id <= 60;
CREATE FUNCTION node_leak(int, tokenset) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$
BEGIN
    IF $1 > 60 THEN RAISE EXCEPTION 'row % was seen', $1; END IF;
    RETURN true;
END $$;
SELECT count(*) FROM node_visible a JOIN node_visible b ON jaccard_ge(a.tokens, b.tokens, 0.8) AND node_leak(a.id + 0 * b.id, b.tokens) AND a.id < b.id;

-- Nor without the right to execute the predicate.
CREATE ROLE regress_node_user;
GRANT SELECT ON node_docs TO regress_node_user;
BEGIN;
REVOKE EXECUTE ON FUNCTION jaccard_ge(tokenset, tokenset, float8) FROM PUBLIC;
SET LOCAL ROLE regress_node_user;
SELECT count(*) FROM node_docs a JOIN node_docs b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.8);
ROLLBACK;
BEGIN;
REVOKE EXECUTE ON FUNCTION tokenset_overlaps FROM PUBLIC;
SET LOCAL ROLE regress_node_user;
SELECT count(*) FROM node_docs a JOIN node_docs b ON a.id < b.id AND a.tokens && b.tokens;
ROLLBACK;
REVOKE ALL ON node_docs FROM regress_node_user;
DROP ROLE regress_node_user;

-- The set of a row without a group is not evaluated: here it would be an error.
SELECT node_plan(query) ~ 'Group Cond' AS node, node_differences(query) AS differences FROM (VALUES (
    'SELECT a.id x, b.id y FROM node_docs a JOIN (SELECT id, nullif(city, 0) AS city, tokens FROM node_docs) b
        ON a.city = b.city AND jaccard_ge(a.tokens, b.tokens | ARRAY[b.city]::tokenset, 0.8)')) AS q (query);

-- What is disabled of its inputs counts, as their cost does.
SET enable_seqscan = off;
SELECT node_plan('SELECT a.id, b.id FROM node_docs a JOIN node_docs b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.8) WHERE a.id > 0 AND b.id > 0') ~ 'Self Join.*Index Scan using node_docs_pkey on node_docs a' AS self_join,
       node_plan('SELECT a.id, b.id FROM node_part a JOIN node_docs b ON b.city = a.city AND jaccard_ge(a.tokens, b.tokens, 0.8)') ~ 'Bitmap Index Scan on node_docs_tokens' AS lookups;
RESET enable_seqscan;

-- From 19 on the planner also considers to aggregate rows before they are joined; the node joins all of them.
CREATE TABLE node_sums AS SELECT i AS id, tokenset(ARRAY[i % 20, i % 20 + 1]) AS tokens FROM generate_series(1, 4000) AS i;
CREATE TABLE node_cities AS SELECT * FROM node_sums WHERE id <= 20;
ANALYZE node_sums, node_cities;
SET enable_nestloop = off;
SELECT node_plan(query) ~ 'Similarity Join' AS node, node_differences(query) AS differences FROM (VALUES (
    'SELECT a.id AS x, sum(b.id) AS y FROM node_cities a JOIN node_sums b ON jaccard_ge(a.tokens, b.tokens, 0.8) GROUP BY a.id')) AS q (query);
RESET enable_nestloop;

-- Partitions.
CREATE TABLE node_parted (id int, tokens tokenset) PARTITION BY RANGE (id);
CREATE TABLE node_parted_1 PARTITION OF node_parted FOR VALUES FROM (1) TO (1000);
CREATE TABLE node_parted_2 PARTITION OF node_parted FOR VALUES FROM (1000) TO (10000);
INSERT INTO node_parted SELECT id, tokens FROM node_docs;
ANALYZE node_parted;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM node_parted a JOIN node_parted b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.8);
SELECT count(*) FROM node_parted a JOIN node_parted b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.8);
-- Partitions of several levels, children and restricted tables are read once, as one table is; where the sides need other columns,
-- both are read.
CREATE TABLE node_levels (id int, city int, tokens tokenset) PARTITION BY LIST (city);
CREATE TABLE node_levels_1 PARTITION OF node_levels FOR VALUES IN (0, 1, 2);
CREATE TABLE node_levels_2 PARTITION OF node_levels DEFAULT PARTITION BY RANGE (id);
CREATE TABLE node_levels_3 PARTITION OF node_levels_2 FOR VALUES FROM (MINVALUE) TO (1500);
CREATE TABLE node_levels_4 (tokens tokenset, city int, id int);
ALTER TABLE node_levels_2 ATTACH PARTITION node_levels_4 FOR VALUES FROM (1500) TO (MAXVALUE);
INSERT INTO node_levels SELECT id, city, tokens FROM node_docs WHERE id % 3 = 0 OR id > 3000;
CREATE TABLE node_parent (id int, city int, tokens tokenset);
CREATE TABLE node_child (more int) INHERITS (node_parent);
INSERT INTO node_parent SELECT id, city, tokens FROM node_docs WHERE id % 6 = 0;
INSERT INTO node_child SELECT id, city, tokens, 1 FROM node_docs WHERE id % 6 = 3;
ANALYZE node_levels, node_parent, node_child;
SELECT n, node_plan(query) ~ 'Self Join: true' AS once, node_differences(query) AS differences FROM (VALUES
    (1, 'SELECT a.id x, b.id y FROM node_levels a JOIN node_levels b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4)'),
    (2, 'SELECT a.id x, b.id y FROM node_levels a JOIN node_levels b ON a.city = b.city AND a.id <> b.id AND jaccard_ge(a.tokens, b.tokens, 0.4)'),
    (3, 'SELECT a.id x, b.id y FROM node_levels a JOIN node_levels b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4) WHERE a.city > 2 AND b.city > 2'),
    (4, 'SELECT a.id x, b.id y FROM node_levels a JOIN node_levels b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4) WHERE a.city > 2 AND b.city < 2'),
    (5, 'SELECT a.id x, b.id y, b.city z FROM node_levels a JOIN node_levels b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4)'),
    (6, 'SELECT a.id x, b.id y, a.tableoid z FROM node_levels a JOIN node_levels b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4)'),
    (7, 'SELECT a.id x FROM node_levels a WHERE EXISTS (SELECT 1 FROM node_levels b WHERE b.id < a.id AND jaccard_ge(b.tokens, a.tokens, 0.4))'),
    (8, 'SELECT a.id x, b.id y FROM node_parent a JOIN node_parent b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4)'),
    (9, 'SELECT a.id x, b.id y FROM node_parent a LEFT JOIN node_parent b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4)'),
    (10, 'SELECT a.id x, b.id y FROM node_levels_2 a JOIN node_levels b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4)'),
    (11, 'SELECT a.id x, b.id y FROM node_levels a JOIN node_levels b ON a.city = b.city AND a.id < b.id AND a.tokens && b.tokens'),
    (12, 'SELECT a.id x, b.id y FROM node_parent a JOIN node_parent b ON a.id <> b.id AND a.tokens <@ b.tokens')
) v (n, query) ORDER BY n;
SELECT count(*) FROM (SELECT a.id FROM node_levels a JOIN node_levels b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.4) FOR UPDATE OF a) x;
DROP TABLE node_levels, node_parent, node_child;
-- Their rows are changed by other plans.
EXPLAIN (VERBOSE, COSTS OFF) DELETE FROM node_parted_1 d WHERE EXISTS (SELECT 1 FROM node_parted k WHERE k.id < d.id AND jaccard_ge(k.tokens, d.tokens, 0.8));
SELECT node_plan('DELETE FROM node_parted d WHERE EXISTS (SELECT 1 FROM node_parted k WHERE k.id < d.id AND jaccard_ge(k.tokens, d.tokens, 0.8))') ~ 'Similarity' AS node;
SET enable_partitionwise_join = on;
SELECT node_plan('SELECT 1 FROM node_parted a JOIN node_parted b ON a.id = b.id AND jaccard_ge(a.tokens, b.tokens, 0.8)') ~ 'Similarity|Hash' AS planned;
SELECT count(*) FROM node_parted a JOIN node_parted b ON a.id = b.id AND jaccard_ge(a.tokens, b.tokens, 0.8);
RESET enable_partitionwise_join;

DROP TABLE node_docs, node_few, node_part, node_prints, node_small, node_parted, node_sums, node_cities CASCADE;
DROP FUNCTION node_plan, node_differences, node_explain_analyze, node_explain_json, node_leak;
