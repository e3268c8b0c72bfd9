--
-- merge_duplicates: foreign keys that refer to another key than that of the pairs.
--
SET client_min_messages = warning;
CREATE EXTENSION neardup_clean;
RESET client_min_messages;
\set SHOW_CONTEXT never
CREATE SCHEMA clean;
SET search_path = clean, public;

-- Where the row that stays has no such key, its references would be lost. A rule gives it one.
CREATE TABLE p (id int PRIMARY KEY, email text UNIQUE, country text, number int, UNIQUE (country, number));
CREATE TABLE c (n int, email text NOT NULL REFERENCES p (email), country text DEFAULT 'de', number int, FOREIGN KEY (country, number) REFERENCES p (country, number) ON DELETE SET DEFAULT);
INSERT INTO p VALUES (1, NULL, 'se', NULL), (2, 'm@x', 'se', 7), (3, 'n@x', NULL, 7);
INSERT INTO c VALUES (10, 'm@x', 'se', 7), (11, 'n@x', NULL, 7);
SELECT gone, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', dry_run => true);
SELECT gone, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"email": "first"}');
BEGIN;
-- The foreign key of two columns has an action, which would reach the row that refers to a key that moves.
SELECT gone, changed, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"email": "first", "number": "first"}');
ROLLBACK;
BEGIN;
ALTER TABLE c DROP CONSTRAINT c_country_number_fkey, ADD FOREIGN KEY (country, number) REFERENCES p (country, number);
SELECT gone, changed, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"email": "first", "number": "first"}', dry_run => true);
SELECT gone, changed, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"email": "first", "number": "first"}', log => 'log');
SELECT * FROM c ORDER BY n;
SELECT * FROM undo_merge('log', 1);
SELECT * FROM p ORDER BY id;
ROLLBACK;
-- A key without references has nothing that an action could reach; neither has one whose references are turned.
BEGIN;
DELETE FROM c;
SELECT gone, changed FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"email": "first", "number": "first"}');
ROLLBACK;
BEGIN;
SELECT gone, moved FROM merge_duplicates('p', 'id', 'VALUES (1, 2)');
ROLLBACK;
DROP TABLE c;
-- RESTRICT refuses when the row is deleted, though another one has the key then.
CREATE TABLE c (email text REFERENCES p (email) ON DELETE RESTRICT);
INSERT INTO c VALUES ('m@x');
SELECT gone, changed FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"email": "first"}', dry_run => true);
SELECT gone, changed FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"email": "first"}');
SELECT gone, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 3)');
DROP TABLE c, p;

-- A generated key follows from what rules and turned references make of the columns that it reads.
CREATE TABLE p (id int PRIMARY KEY, code text, lower_code text GENERATED ALWAYS AS (lower(code)) STORED UNIQUE);
CREATE TABLE c (n int, lower_code text REFERENCES p (lower_code));
INSERT INTO p (id, code) VALUES (1, NULL), (2, 'ABC'), (3, 'Xyz');
INSERT INTO c VALUES (10, 'abc'), (11, 'xyz');
SELECT gone, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
BEGIN;
SELECT gone, changed, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"code": "first"}', log => 'log');
SELECT * FROM p ORDER BY id; SELECT * FROM c ORDER BY n;
SELECT * FROM undo_merge('log', 1);
SELECT * FROM p ORDER BY id;
ROLLBACK;
BEGIN;
SELECT gone, changed, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1), (3, 1)', rules => '{"code": "concat"}', log => 'log');
SELECT * FROM c ORDER BY n;
SELECT rel, returned, changed FROM undo_merge('log', 1);
SELECT * FROM c ORDER BY n;
ROLLBACK;
-- Down a chain: the key of a row is turned, and what is generated from that with it.
CREATE TABLE m (p int REFERENCES p, tag text, place text GENERATED ALWAYS AS (p::text || '/' || tag) STORED UNIQUE);
CREATE TABLE n (place text REFERENCES m (place), note text);
INSERT INTO m VALUES (1, 'a'), (2, 'a'), (2, 'b');
INSERT INTO n VALUES ('1/a', 'x'), ('2/a', 'y'), ('2/b', 'z');
SELECT gone, moved, went FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"code": "first"}', log => 'log');
SELECT * FROM m ORDER BY place; SELECT * FROM n ORDER BY note;
SELECT * FROM undo_merge('log', 1);
SELECT * FROM m ORDER BY place; SELECT * FROM n ORDER BY note;
DROP TABLE m, n, c, log;
-- A generated reference cannot be turned.
CREATE TABLE c (code text, lower_code text GENERATED ALWAYS AS (lower(code)) STORED REFERENCES p (lower_code));
INSERT INTO c VALUES ('abc'), ('XYZ');
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 3)', dry_run => true);
SELECT gone, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"code": "first"}');
DROP TABLE c, p;

-- A row that is turned may break a check; the dry run says so, too.
CREATE TABLE p (id int PRIMARY KEY, name text CHECK (length(name) < 4));
CREATE TABLE follows (a int REFERENCES p, b int REFERENCES p, "i" int, CONSTRAINT others CHECK (a <> b), CONSTRAINT few CHECK (i < 10) NOT VALID);
INSERT INTO p VALUES (1, 'a'), (2, 'b'), (3, 'c');
INSERT INTO follows VALUES (1, 3, 1), (2, 3, NULL), (1, 2, NULL);
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', dry_run => true);
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
DELETE FROM follows WHERE b = 2;
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"name": "kept.name || ''x'' || gone.name || ''y''"}');
SELECT gone, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
DROP TABLE follows, p;

-- A check may read the whole row, and one that a trigger makes true is none that a run breaks.
CREATE TABLE p (id int PRIMARY KEY);
CREATE TABLE c (p int REFERENCES p, who int, kind text DEFAULT 'other', CHECK (kind = 'own' OR p <> who));
CREATE FUNCTION is_fine(c) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1.who > 0';
ALTER TABLE c ADD CHECK (is_fine(c));
CREATE FUNCTION own() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.p = NEW.who THEN NEW.kind := 'own'; END IF; RETURN NEW; END $$;
CREATE TRIGGER own BEFORE UPDATE ON c FOR EACH ROW EXECUTE FUNCTION own();
INSERT INTO p VALUES (1), (2);
INSERT INTO c VALUES (2, 1), (2, 3);
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', dry_run => true);
SELECT gone, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
SELECT * FROM c ORDER BY who;
DROP TABLE c, p CASCADE;
DROP FUNCTION own();
-- A generated column reads as it was written, whatever the search path has.
CREATE TABLE p (id int PRIMARY KEY);
CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p, k int, u int[] GENERATED ALWAYS AS (array_append(ARRAY[p], k)) STORED UNIQUE);
INSERT INTO p VALUES (1), (2);
INSERT INTO c VALUES (10, 2, 1), (11, 2, 2);
CREATE SCHEMA app;
CREATE FUNCTION app.array_append(int[], int) RETURNS int[] LANGUAGE sql IMMUTABLE AS 'SELECT ARRAY[7]';
SET search_path = app, clean, public;
SELECT moved, went FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"c": {}}');
SET search_path = clean, public;
SET client_min_messages = warning;
DROP SCHEMA app CASCADE;
RESET client_min_messages;
DROP TABLE c, p;

-- Rules under the name of the table itself hold for all of its rows that go, those of the pairs too; a string holds for these alone.
CREATE TABLE p (id int PRIMARY KEY, n int, m int);
INSERT INTO p VALUES (1, 10, 1), (2, 20, 2);
SELECT gone, changed FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"p": {"n": "sum", "m": "sum"}, "m": "greatest"}', dry_run => true);
-- Keys of the pairs are compared, not rounded.
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (1.4, 2.6)');
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1::float8 / 3)');
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 5000000000)');
CREATE DOMAIN number AS numeric;
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (1.4::number, 2)');
CREATE TABLE t (id time PRIMARY KEY, b boolean);
INSERT INTO t VALUES ('10:00', true), ('11:00', false);
SELECT gone FROM merge_duplicates('t', 'id', $$VALUES ('2024-01-01 10:00'::timestamp, '2024-01-01 11:00'::timestamp)$$);
SELECT gone FROM merge_duplicates('t', 'b', 'VALUES (5, 0)');
SELECT gone FROM merge_duplicates('t', 'b', $$VALUES ('f'::text, 't'::text)$$, dry_run => true);
DROP TABLE t;
DROP DOMAIN number;
SELECT gone, kept FROM merge_duplicates('p', 'id', 'SELECT 2.0, ''1''::text -- no more', dry_run => true);
CREATE TABLE d (id date PRIMARY KEY, name name);
INSERT INTO d VALUES ('2024-01-01', repeat('x', 63)), ('2024-01-02', 'b');
SELECT gone FROM merge_duplicates('d', 'id', $$VALUES ('2024-01-01 12:00'::timestamp, '2024-01-02'::timestamp)$$);
SELECT gone FROM merge_duplicates('d', 'id', $$VALUES ('2024-01-01'::timestamp, '2024-01-02'::timestamptz)$$, dry_run => true);
SELECT gone FROM merge_duplicates('d', 'name', $$SELECT repeat('x', 64), 'b'$$);
SELECT gone FROM merge_duplicates('d', 'name', $$SELECT repeat('x', 63), 'b'$$, dry_run => true) WHERE length(gone) = 63;
DROP TABLE p, d;
-- A number that is no table's oid.
SELECT clean_check_image('1', ROW (1));
SELECT * FROM clean_indexes('1', 'name', NULL, NULL);
RESET search_path;
DROP SCHEMA clean;
DROP EXTENSION neardup_clean;
