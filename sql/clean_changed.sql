--
-- undo_merge of tables that have changed since: what can come back does, and what cannot is told before anything is written.
--
SET client_min_messages = warning;
CREATE EXTENSION neardup_clean;
RESET client_min_messages;
\set SHOW_CONTEXT never
CREATE SCHEMA clean;
SET search_path = clean, public;

CREATE TABLE writes (what text);
CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO writes VALUES (TG_OP || '' '' || TG_TABLE_NAME); RETURN NULL; END';
CREATE TABLE p (id int PRIMARY KEY, name text, price numeric(8, 2), code varchar(8), at timestamptz, n int);
CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p, word text);
CREATE TABLE loose (p int, word text);
INSERT INTO p VALUES (1, 'a', 1, 'abc', '2024-01-01', NULL), (2, 'b', 2.25, 'abcdefgh', '2024-01-02 12:00', 7);
INSERT INTO c VALUES (10, 2, 'x'), (11, 1, 'y');
INSERT INTO loose VALUES (2, 'x'), (2, 'x'), (1, 'z');
CREATE TRIGGER noted AFTER INSERT OR UPDATE ON p FOR EACH ROW EXECUTE FUNCTION note_write();
SELECT gone, changed, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', log => 'log', rules => '{"n": "first", "price": "sum"}', referring => '{"loose": "p"}');
TRUNCATE writes;
SELECT entry, action, rel, jsonb_set(columns, '{rel}', '0') - 'decided' AS columns FROM log WHERE columns IS NOT NULL ORDER BY entry;

-- Columns that are new get their defaults; renamed ones are found by their numbers, also if they exchange their names.
BEGIN;
ALTER TABLE p ADD added text DEFAULT 'new', ADD counted int GENERATED ALWAYS AS IDENTITY;
ALTER TABLE p RENAME name TO x; ALTER TABLE p RENAME code TO name; ALTER TABLE p RENAME x TO code; ALTER TABLE p RENAME price TO cost; ALTER TABLE p RENAME id TO number;
ALTER TABLE c RENAME p TO owner; ALTER TABLE c RENAME id TO number; ALTER TABLE loose RENAME word TO name; ALTER TABLE loose ADD also int;
ALTER TABLE p RENAME TO products; ALTER TABLE c SET SCHEMA public;
SELECT * FROM undo_merge('log', 1);
SELECT * FROM products ORDER BY number; SELECT * FROM public.c ORDER BY number; SELECT * FROM loose ORDER BY p, name;
ROLLBACK;

-- A type that was renamed, or is in a schema that was, is the same.
CREATE SCHEMA kinds; CREATE TYPE kinds.kind AS ENUM ('a', 'b'); CREATE DOMAIN kinds.word AS varchar(5);
CREATE TABLE k (id int PRIMARY KEY, kind kinds.kind, word kinds.word);
INSERT INTO k VALUES (1, 'a', 'x'), (2, 'b', 'y');
SELECT gone FROM merge_duplicates('k', 'id', 'VALUES (2, 1)', log => 'kind_log');
BEGIN;
ALTER TYPE kinds.kind RENAME TO sort; ALTER DOMAIN kinds.word RENAME TO words; ALTER SCHEMA kinds RENAME TO sorts;
SELECT * FROM undo_merge('kind_log', 1);
SELECT * FROM k ORDER BY id;
ROLLBACK;
BEGIN;
ALTER TYPE kinds.kind RENAME VALUE 'b' TO 'c';
SELECT * FROM undo_merge('kind_log', 1);
ROLLBACK;

-- A type with room for more.
BEGIN;
ALTER TABLE p ALTER id TYPE bigint, ALTER code TYPE varchar(10), ALTER price TYPE numeric(10, 3), ALTER n TYPE bigint, ALTER name TYPE varchar;
ALTER TABLE c ALTER p TYPE bigint;
SELECT * FROM undo_merge('log', 1);
SELECT * FROM p ORDER BY id;
ROLLBACK;

-- Columns that are gone, and types with less room: an error unless forced.
BEGIN;
ALTER TABLE p DROP name, ALTER price TYPE int, ALTER code TYPE varchar(3) USING left(code, 3);
SAVEPOINT s;
SELECT * FROM undo_merge('log', 1);
ROLLBACK TO s;
TABLE writes;
SELECT undone FROM log WHERE undone IS NOT NULL;
SELECT * FROM undo_merge('log', 1, force => true);
ROLLBACK;
BEGIN;
ALTER TABLE p DROP name, DROP n, ALTER price TYPE int;
SELECT * FROM undo_merge('log', 1, force => true);
SELECT * FROM p ORDER BY id;
ROLLBACK;
-- A value that the type cannot have; a column that was dropped and made again is the one of its name.
BEGIN;
ALTER TABLE p ALTER code TYPE int USING length(code);
SELECT * FROM undo_merge('log', 1, force => true);
ROLLBACK;
BEGIN;
ALTER TABLE p DROP name; ALTER TABLE p ADD name text;
SELECT * FROM undo_merge('log', 1);
SELECT id, name FROM p ORDER BY id;
ROLLBACK;
BEGIN;
ALTER TABLE p DROP name; ALTER TABLE p ADD name int;
SELECT * FROM undo_merge('log', 1);
ROLLBACK;

-- A table, or a reference, that is no longer there.
BEGIN;
DROP TABLE c;
SAVEPOINT s;
SELECT * FROM undo_merge('log', 1);
ROLLBACK TO s;
SELECT * FROM undo_merge('log', 1, force => true);
ROLLBACK;
BEGIN;
ALTER TABLE c DROP p;
SAVEPOINT s;
SELECT * FROM undo_merge('log', 1);
ROLLBACK TO s;
SELECT * FROM undo_merge('log', 1, force => true);
ROLLBACK;

-- Keys: one that is no longer one, one that is new, one that cannot be found by.
BEGIN;
ALTER TABLE c DROP CONSTRAINT c_pkey;
SAVEPOINT s;
SELECT * FROM undo_merge('log', 1);
ROLLBACK TO s;
INSERT INTO c VALUES (10, 1, 'x');
SELECT * FROM undo_merge('log', 1);
ROLLBACK;
BEGIN;
ALTER TABLE loose ADD id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
SELECT * FROM undo_merge('log', 1);
SELECT * FROM loose ORDER BY p, word, id;
ROLLBACK;
BEGIN;
ALTER TABLE c DROP id;
SELECT * FROM undo_merge('log', 1, force => true);
ROLLBACK;

-- What must not be null, and checks: told before anything is written, unless a trigger may give what lacks.
BEGIN;
ALTER TABLE p ADD must text; UPDATE p SET must = 'x'; ALTER TABLE p ALTER must SET NOT NULL;
TRUNCATE writes;
SAVEPOINT s;
SELECT * FROM undo_merge('log', 1, force => true);
ROLLBACK TO s;
TABLE writes;
CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.must := ''filled''; RETURN NEW; END';
CREATE TRIGGER fill BEFORE INSERT ON p FOR EACH ROW EXECUTE FUNCTION fill();
SELECT * FROM undo_merge('log', 1);
SELECT id, must FROM p ORDER BY id;
ROLLBACK;
BEGIN;
ALTER TABLE p ADD CHECK (code <> 'abcdefgh');
SELECT * FROM undo_merge('log', 1);
ROLLBACK;
BEGIN;
ALTER TABLE c ADD CHECK (p <> 2 OR word <> 'x');
SELECT * FROM undo_merge('log', 1);
ROLLBACK;
BEGIN;
ALTER TABLE p ADD twice int GENERATED ALWAYS AS (n * 2) STORED CHECK (id = 1 OR twice < 10);
SELECT * FROM undo_merge('log', 1);
ROLLBACK;
BEGIN;
UPDATE p SET name = 'b'; ALTER TABLE p ADD UNIQUE (name);
SELECT * FROM undo_merge('log', 1);
ROLLBACK;
BEGIN;
CREATE TABLE names (name text PRIMARY KEY); INSERT INTO names VALUES ('a'); ALTER TABLE p ADD FOREIGN KEY (name) REFERENCES names;
SELECT * FROM undo_merge('log', 1);
ROLLBACK;

-- The expression of a generated column may be of another type than the column, and is cast to it.
BEGIN;
ALTER TABLE p ADD half numeric(6, 2) GENERATED ALWAYS AS (n) STORED, ADD short varchar(3) GENERATED ALWAYS AS (left(name, 3)) STORED;
SELECT * FROM undo_merge('log', 1);
SELECT id, half, short FROM p ORDER BY id;
ROLLBACK;

-- A column that is generated now follows from the others. In a table with another number, as after a dump, names count alone.
BEGIN;
ALTER TABLE p DROP code; ALTER TABLE p ADD code text GENERATED ALWAYS AS (upper(name)) STORED;
SELECT * FROM undo_merge('log', 1);
SELECT id, code FROM p ORDER BY id;
ROLLBACK;
BEGIN;
UPDATE log SET columns = jsonb_set(columns, '{rel}', '1');
ALTER TABLE p RENAME name TO title;
SAVEPOINT s;
SELECT * FROM undo_merge('log', 1);
ROLLBACK TO s;
ALTER TABLE p RENAME title TO name;
SELECT * FROM undo_merge('log', 1);
ROLLBACK;
SET client_min_messages = warning;
DROP SCHEMA clean CASCADE;
DROP EXTENSION neardup_clean;
