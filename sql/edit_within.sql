-- The planner's join by edit distance against the same without it.
SET client_min_messages = warning;
CREATE TABLE people (id int PRIMARY KEY, city int, name text, short varchar(12));
INSERT INTO people
SELECT n, n % 5, name, left(name, 9)
FROM (SELECT n, CASE n % 4 WHEN 0 THEN 'é' ELSE '' END || translate(left(md5((n / 6)::text), 4 + n / 6 % 9), '0123456789', 'abcdabcdab') ||
             repeat(chr(97 + n % 3), n % 3) AS name
      FROM generate_series(1, 400) AS n) AS t;
INSERT INTO people VALUES (1301, 1, '', ''), (1302, 1, '', ''), (1303, NULL, NULL, NULL), (1304, 2, 'a', 'b'), (1305, NULL, 'a', 'b');
VACUUM ANALYZE people;

-- The first statement of a session: the node is there, without preloading.
\c -
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM people a JOIN people b ON a.id < b.id AND edit_within(a.name, b.name, 1);
\c -
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM people a JOIN people b ON a.city = b.city AND 2 >= edit_distance(b.short, a.name);
EXPLAIN (COSTS OFF) SELECT a.id FROM people a WHERE NOT EXISTS (SELECT FROM people b WHERE edit_within(a.name, b.name, 1) AND b.id < a.id);

-- Few texts with many that are in files take less time so than a lookup each; fewer are looked up.
CREATE TABLE numbers AS SELECT n AS id, lpad((hashint8extended(n, 7) & 1099511627775)::text, 12, '0') AS number FROM generate_series(1, 30000) n;
CREATE TABLE misread AS SELECT id, overlay(number PLACING '7' FROM 5 FOR 1) AS number FROM numbers WHERE id % 24 = 0;
CREATE INDEX numbers_number ON numbers USING neardup (number edit_ops);
VACUUM ANALYZE numbers, misread;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM misread a JOIN numbers b ON edit_within(a.number, b.number, 1);
EXPLAIN (COSTS OFF) SELECT a.id FROM misread a WHERE NOT EXISTS (SELECT FROM numbers b WHERE edit_within(a.number, b.number, 1));
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM misread a JOIN numbers b ON edit_within(a.number, b.number, 1) WHERE a.id <= 240;
RESET enable_bitmapscan;
DROP TABLE numbers, misread;

-- Joins by the node and by nested loops, in memory and through files: rows that differ, of how many.
\getenv source PG_ABS_SRCDIR
\i :source/sql/include/oracle.sql
CREATE FUNCTION differing(query text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.compare_plans(query, 'Similarity Join', '{neardup.enable_similarity_join}') $$;
CREATE TABLE queries (query text);
INSERT INTO queries VALUES
    ('SELECT a.id, b.id AS other, b.name FROM people a JOIN people b ON a.id < b.id AND edit_within(a.name, b.name, %s)'),
    ('SELECT a.id, b.id AS other FROM people a JOIN people b ON edit_within(a.name, b.name, %s)'),
    ('SELECT a.id, b.id AS other FROM people a JOIN people b ON a.city = b.city AND edit_within(a.name, b.short, %s)'),
    ('SELECT a.id, b.id AS other FROM people a LEFT JOIN people b ON a.city = b.city AND a.id <> b.id AND edit_within(b.name, a.name, %s)'),
    ('SELECT a.id, a.name FROM people a WHERE EXISTS (SELECT FROM people b WHERE b.id <> a.id AND edit_within(a.name, b.name, %s))'),
    ('SELECT a.id, a.name FROM people a WHERE NOT EXISTS (SELECT FROM people b WHERE b.id < a.id AND edit_within(b.short, a.name, %s))'),
    ('SELECT a.id, b.id AS other FROM people a JOIN people b ON a.id < b.id AND edit_distance(upper(a.name), upper(b.short)) <= %s');
SELECT q, differing(format(query, 0)) AS "0", differing(format(query, 1)) AS "1", differing(format(query, 3)) AS "3"
FROM (SELECT row_number() OVER () AS q, query FROM queries) AS numbered;
SET work_mem = '64kB';
SELECT q, differing(format(query, 0)) AS "0", differing(format(query, 1)) AS "1", differing(format(query, 3)) AS "3"
FROM (SELECT row_number() OVER () AS q, query FROM queries) AS numbered;
RESET work_mem;

-- in parallel plans too
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT q, differing(format(query, 1)) AS "1" FROM (SELECT row_number() OVER () AS q, query FROM queries) AS numbered;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- the distance is evaluated when the join begins
PREPARE near(int) AS SELECT count(*) FROM people a JOIN people b ON a.id < b.id AND edit_within(a.name, b.name, $1);
SET plan_cache_mode = force_generic_plan;
EXECUTE near(0);
EXECUTE near(2);
EXECUTE near(NULL);
EXECUTE near(-1);
DROP TABLE people, queries;
DROP FUNCTION differing(text);
