-- Rows that are merged with what refers to them, beside the same in plain SQL.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION neardup_clean;
RESET client_min_messages;
CREATE SCHEMA clean;
SET search_path = clean, public;
-- A table of each kind of reference: an action that would take rows, a key of several columns, another unique key, a
-- reference to itself, a partitioned table, and one that refers to rows that go themselves.
CREATE TABLE customers (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, region int NOT NULL DEFAULT 1, email text UNIQUE, name text, phone text,
    points int, tags text[], prefs jsonb, notes text, changed date, parent int REFERENCES customers, shout text GENERATED ALWAYS AS (upper(name)) STORED,
    UNIQUE (region, id));
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers ON DELETE CASCADE, total numeric);
CREATE TABLE visits (region int, customer int, at date, FOREIGN KEY (region, customer) REFERENCES customers (region, id) MATCH FULL ON DELETE SET NULL DEFERRABLE);
CREATE TABLE mails (email text REFERENCES customers (email) ON DELETE RESTRICT, subject text);
CREATE TABLE tags (customer int REFERENCES customers, tag text, PRIMARY KEY (customer, tag));
CREATE TABLE tag_uses (id int PRIMARY KEY, customer int, tag text, FOREIGN KEY (customer, tag) REFERENCES tags ON UPDATE CASCADE);
CREATE TABLE log_lines (customer int REFERENCES customers, line text) PARTITION BY HASH (customer);
CREATE TABLE log_lines_0 PARTITION OF log_lines FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE log_lines_1 PARTITION OF log_lines FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO customers (email, name, phone, points, tags, prefs, notes, changed, parent) VALUES
    (NULL, 'Ann Lee', '1', 1, '{a}', '{"lang": "sv"}', 'calls', '2024-01-01', NULL), ('ann@x', 'Ann B. Lee', NULL, 2, '{b,a}', '{"lang": "en", "news": true}', 'writes', '2024-03-01', 1),
    (NULL, 'A. Lee', '3', NULL, NULL, NULL, 'calls', '2024-02-01', 2), ('bob@x', 'Bob', '4', 8, '{}', NULL, NULL, NULL, 3), (NULL, 'Carl', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO orders SELECT i, 1 + i % 5, i FROM generate_series(1, 20) i;
INSERT INTO visits SELECT 1, 1 + i % 5, DATE '2024-01-01' + i FROM generate_series(1, 10) i;
INSERT INTO mails VALUES ('bob@x', 'hello');
INSERT INTO tags VALUES (1, 'x'), (2, 'x'), (2, 'y'), (3, 'y'), (3, 'z'), (4, 'x');
INSERT INTO tag_uses SELECT row_number() OVER (ORDER BY customer, tag), customer, tag FROM tags;
INSERT INTO log_lines SELECT 1 + i % 5, 'line ' || i FROM generate_series(1, 15) i;
CREATE TABLE pairs (goes int, stays int);
INSERT INTO pairs VALUES (3, 2), (2, 1);
-- What is to come of it.
CREATE TABLE expected AS
SELECT 'orders' AS rel, id::text AS row, CASE WHEN customer IN (2, 3) THEN 1 ELSE customer END AS customer FROM orders
UNION ALL SELECT 'visits', at::text, CASE WHEN customer IN (2, 3) THEN 1 ELSE customer END FROM visits
UNION ALL SELECT 'log_lines', line, CASE WHEN customer IN (2, 3) THEN 1 ELSE customer END FROM log_lines
UNION ALL SELECT DISTINCT 'tags', tag, CASE WHEN customer IN (2, 3) THEN 1 ELSE customer END FROM tags
UNION ALL SELECT 'tag_uses', id || tag, CASE WHEN customer IN (2, 3) THEN 1 ELSE customer END FROM tag_uses;
CREATE VIEW present AS
SELECT 'orders' AS rel, id::text AS row, customer FROM orders UNION ALL SELECT 'visits', at::text, customer FROM visits
UNION ALL SELECT 'log_lines', line, customer FROM log_lines UNION ALL SELECT 'tags', tag, customer FROM tags UNION ALL SELECT 'tag_uses', id || tag, customer FROM tag_uses;
CREATE TABLE was AS TABLE present;
\set rules '{"email": "first", "name": "longest", "phone": "newest by changed", "points": "sum", "tags": "union", "prefs": "union", "notes": "concat", "changed": "greatest"}'
-- A dry run says what a run does, and changes nothing.
SELECT gone, kept, changed, moved, went FROM merge_duplicates('customers', 'id', 'TABLE pairs', rules => :'rules', dry_run => true);
SELECT count(*) FROM (TABLE present EXCEPT ALL TABLE was) d;
SELECT gone, kept, changed, moved, went FROM merge_duplicates('customers', 'id', 'TABLE pairs', rules => :'rules');
SELECT count(*) FROM ((TABLE present EXCEPT ALL TABLE expected) UNION ALL (TABLE expected EXCEPT ALL TABLE present)) d;
SELECT * FROM customers ORDER BY id;
-- Other rules, and an expression. Rows go into one in the order of the pairs.
CREATE TABLE items (id text PRIMARY KEY, low int, high date, best numeric(6,2), doc json, note varchar(8), span interval, "Gone ""it""" int);
INSERT INTO items VALUES ('a', 3, '2024-01-01', 1.5, '{"a": 1}', 'one', '1 day', 1), ('b', 2, '2024-01-03', 2.25, '{"b": 1}', 'two', '2 days', 2), ('c', NULL, NULL, NULL, NULL, NULL, NULL, 4);
SELECT gone, kept, changed FROM merge_duplicates('items', 'id', $$VALUES ('b', 'a'), ('c', 'a')$$,
    rules => '{"low": "least", "high": "greatest", "best": "sum", "doc": "coalesce(gone.doc, kept.doc)", "span": "sum", "Gone \"it\"": "10 * kept.\"Gone \"\"it\"\"\" + gone.\"Gone \"\"it\"\"\"", "note": "keep"}');
SELECT * FROM items ORDER BY items::text;
-- What does not fit is an error, not cut.
INSERT INTO items (id, note) VALUES ('d', 'a longer');
SELECT gone FROM merge_duplicates('items', 'id', $$VALUES ('d', 'a')$$, rules => '{"note": "concat"}');
-- Names that are wrong.
SELECT gone FROM merge_duplicates('items', 'id', $$VALUES ('d', 'a')$$, rules => '{"nota": "first"}');
SELECT gone FROM merge_duplicates('items', 'id', $$VALUES ('d', 'a')$$, rules => '{"note": "longst"}');
SELECT gone FROM merge_duplicates('items', 'id', $$VALUES ('d', 'a')$$, rules => '{"note": "newest by when"}');
SELECT gone FROM merge_duplicates('items', 'id', $$VALUES ('d', 'a')$$, rules => '{"note": "union"}');
SELECT gone FROM merge_duplicates('items', 'id', $$VALUES ('d', 'a')$$, rules => '{"note": "gone.name"}');
SELECT gone FROM merge_duplicates('items', 'id', $$VALUES ('d', 'a')$$, rules => '{"nowhere": {}}');
SELECT gone FROM merge_duplicates('items', 'id', $$VALUES ('d', 'a')$$, rules => '{"orders": {}}');
SELECT gone FROM merge_duplicates('items', 'id', $$VALUES ('d', 'a')$$, rules => '{"note": 1}');
SELECT gone FROM merge_duplicates('items', 'id', $$VALUES ('d', 'a')$$, rules => '[]');
SELECT gone FROM merge_duplicates('customers', 'id', 'VALUES (4, 5)', rules => '{"shout": "first"}');
SELECT gone FROM merge_duplicates('items', 'key', $$VALUES ('d', 'a')$$);
SELECT gone FROM merge_duplicates('items', 'doc', $$VALUES ('{}', '{"a": 1}')$$);
SELECT gone FROM merge_duplicates('present', 'row', $$VALUES ('d', 'a')$$);
SELECT gone FROM merge_duplicates('log_lines_0', 'customer', 'VALUES (1, 2)');
SELECT gone FROM merge_duplicates('items', 'id', 'pairs');
SELECT gone FROM merge_duplicates('items', 'id', NULL);
-- Pairs: circles, two rows to go into, rows that are not there, keys that are none. A row beside itself says nothing.
SELECT gone FROM merge_duplicates('customers', 'id', 'VALUES (9, 1), (1, 4), (4, 5), (5, 1)');
SELECT gone FROM merge_duplicates('customers', 'id', 'VALUES (4, 5), (4, 1)');
SELECT gone FROM merge_duplicates('customers', 'id', 'VALUES (4, 7)');
SELECT gone, kept FROM merge_duplicates('items', 'id', $$VALUES ('d', 'd'), (NULL, 'a'), ('d', NULL), ('d', 'a'), ('d', 'a')$$);
SELECT count(*) FROM merge_duplicates('items', 'id', 'SELECT id, id FROM items');
-- A long chain, and a large family.
CREATE TABLE many (id int PRIMARY KEY, n int, parent int REFERENCES many);
INSERT INTO many SELECT i, 1, nullif(i - 1, 0) FROM generate_series(1, 2000) i;
UPDATE many SET n = 2 WHERE id = 7;
SELECT gone FROM merge_duplicates('many', 'n', 'VALUES (2, 1)');
UPDATE many SET n = 1;
SELECT count(*), count(DISTINCT kept) FROM merge_duplicates('many', 'id', 'SELECT id, id - 1 FROM many WHERE id > 1000', rules => '{"n": "sum"}');
SELECT count(*), count(DISTINCT kept) FROM merge_duplicates('many', 'id', 'SELECT id, 1 FROM many WHERE id > 1 ORDER BY id', rules => '{"n": "sum"}');
SELECT * FROM many ORDER BY many::text;
DROP VIEW present;
DROP TABLE customers, orders, visits, mails, tags, tag_uses, log_lines, pairs, expected, was, items, many;
DROP SCHEMA clean;
DROP EXTENSION neardup_clean;
