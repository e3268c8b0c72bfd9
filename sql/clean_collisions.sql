-- Referring rows that a constraint would find the same once they refer to one row.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION neardup_clean;
RESET client_min_messages;
CREATE SCHEMA clean;
SET search_path = clean, public;
CREATE TABLE p (id int PRIMARY KEY, code text UNIQUE, up int REFERENCES p, name text, UNIQUE (up, name));
INSERT INTO p VALUES (1, 'a', NULL, 'one'), (2, 'b', NULL, 'two'), (3, 'c', NULL, 'three');
-- Equal rows but for a key that the table makes: one stays. json has no equality.
CREATE TABLE c (id serial PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE, tag text, doc json, added date, UNIQUE (p, tag));
INSERT INTO c (p, tag, doc) VALUES (1, 'x', '{}'), (2, 'x', '{}'), (3, 'x', '{}'), (2, 'y', '{}'), (3, 'y', '{}');
CREATE TABLE d (c int REFERENCES c ON DELETE CASCADE, note text);
INSERT INTO d SELECT id, 'of ' || id FROM c;
SELECT gone, moved, went FROM merge_duplicates('p', 'id', 'VALUES (2, 1), (3, 1)', dry_run => true);
-- Rows that differ are not merged unless rules say how: none is lost silently.
UPDATE c SET added = '2024-01-02' WHERE id = 2;
SELECT gone, moved, went FROM merge_duplicates('p', 'id', 'VALUES (2, 1), (3, 1)');
SELECT gone, moved, went FROM merge_duplicates('p', 'id', 'VALUES (2, 1), (3, 1)', rules => '{"c": {"added": "least"}}');
SELECT * FROM c ORDER BY c::text;
SELECT * FROM d ORDER BY d::text;
DROP TABLE c, d;
-- A key that the table does not make is no number: coupons differ.
INSERT INTO p VALUES (2, 'b', NULL, 'two'), (3, 'c', NULL, 'three');
CREATE TABLE c (code text PRIMARY KEY, p int UNIQUE REFERENCES p);
INSERT INTO c VALUES ('A', 1), ('B', 2);
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
DROP TABLE c;
-- Partial and expression indexes, NULLS NOT DISTINCT, constraints that are deferred, exclusion constraints.
CREATE TABLE c (p int REFERENCES p, tag text, live boolean);
CREATE UNIQUE INDEX ON c (p, lower(tag)) WHERE live;
INSERT INTO c VALUES (1, 'x', true), (2, 'x', true), (2, 'X', false), (1, 'x', false), (3, NULL, true), (2, NULL, true), (3, '%', true);
SELECT gone, moved, went FROM merge_duplicates('p', 'id', 'VALUES (2, 1), (3, 1)', dry_run => true);
UPDATE c SET tag = 'X' WHERE p = 2 AND live AND tag = 'x';
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1), (3, 1)', dry_run => true);
CREATE UNIQUE INDEX ON c (p, (NOT live)) NULLS NOT DISTINCT WHERE tag IS NULL;
SELECT gone, moved, went FROM merge_duplicates('p', 'id', 'VALUES (2, 1), (3, 1)', rules => '{"c": {}}', dry_run => true);
DROP TABLE c;
CREATE TABLE c (p int REFERENCES p DEFERRABLE INITIALLY DEFERRED, tag text, UNIQUE (p, tag) DEFERRABLE INITIALLY DEFERRED);
INSERT INTO c VALUES (1, 'x'), (2, 'x'), (3, 'y');
SELECT gone, moved, went FROM merge_duplicates('p', 'id', 'VALUES (2, 1), (3, 1)', dry_run => true);
DROP TABLE c;
CREATE TABLE c (p int REFERENCES p, during int4range, room text, EXCLUDE USING gist (int4range(p, p, '[]') WITH &&, during WITH &&));
INSERT INTO c VALUES (1, '[1,5)', 'r'), (2, '[4,8)', 'r'), (3, '[7,9)', 'r'), (3, '[20,30)', 's');
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1), (3, 1)');
-- The row of 2 goes into that of 1; so the row of 3 meets none.
SELECT gone, moved, went FROM merge_duplicates('p', 'id', 'VALUES (2, 1), (3, 1)', rules => '{"c": {}}', dry_run => true);
DROP TABLE c;
-- Two references to the table in one constraint.
CREATE TABLE c (a int REFERENCES p, b int REFERENCES p, PRIMARY KEY (a, b));
INSERT INTO c VALUES (1, 2), (2, 1), (1, 1), (2, 3), (1, 3), (3, 3);
BEGIN;
SELECT gone, moved, went FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
SELECT * FROM c ORDER BY c::text;
ROLLBACK;
DROP TABLE c;
-- Rows of the table itself, down a tree.
INSERT INTO p VALUES (11, 'd', 1, 'sub'), (12, 'e', 2, 'sub'), (21, 'f', 11, 'leaf'), (22, 'g', 12, 'leaf'), (23, 'h', 12, 'other');
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
BEGIN;
SELECT gone, moved, went FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"p": {}}');
SELECT * FROM p ORDER BY id;
ROLLBACK;
-- Rows that pairs say to stay do not go.
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1), (21, 11), (22, 12)', rules => '{"p": {}}');
-- A unique value moves to the row that stays. Where a foreign key refers to it, its action must not reach the rows.
CREATE TABLE c (code text REFERENCES p (code));
INSERT INTO c VALUES ('b');
BEGIN;
SELECT gone, changed FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"code": "greatest", "p": {}}');
SELECT * FROM c ORDER BY c::text;
ROLLBACK;
ALTER TABLE c DROP CONSTRAINT c_code_fkey, ADD FOREIGN KEY (code) REFERENCES p (code) ON DELETE CASCADE;
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"code": "greatest", "p": {}}');
DROP TABLE c;
-- Tables that refer to each other.
CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p, tag text, UNIQUE (p, tag));
ALTER TABLE p ADD best int REFERENCES c ON DELETE SET NULL;
INSERT INTO c VALUES (1, 1, 'x'), (2, 2, 'x'), (3, 2, 'y');
UPDATE p SET best = 2 WHERE id IN (2, 3);
BEGIN;
SELECT gone, moved, went FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"best": "first", "c": {}, "p": {}}');
SELECT id, best FROM p ORDER BY id;
ROLLBACK;
ALTER TABLE p DROP best;
DROP TABLE c, p;
-- Columns of any name.
CREATE TABLE names (t int PRIMARY KEY, s text, w text, g text, i text, tab text, kept text, gone text, up int REFERENCES names, UNIQUE (up, i));
INSERT INTO names VALUES (1, NULL, 'w1', 'g1', 'one', 'a', 'k', 'x', NULL), (2, 's2', 'w2', NULL, 'two', 'b', 'kk', 'y', NULL),
    (3, 's3', 'w3', 'g3', 'sub', NULL, NULL, NULL, 1), (4, 's4', 'w4', 'g4', 'sub', NULL, NULL, NULL, 2);
SELECT * FROM merge_duplicates('names', 't', 'VALUES (2, 1)', rules => '{"s": "first", "w": "gone.w || kept.gone", "kept": "longest", "gone": "newest by tab"}');
SELECT * FROM merge_duplicates('names', 't', 'VALUES (2, 1)', log => 'log',
    rules => '{"s": "first", "w": "gone.w || kept.gone", "kept": "longest", "gone": "newest by tab", "names": {"g": "greatest"}}');
SELECT * FROM names ORDER BY t;
UPDATE names SET g = 'g' WHERE t = 3;
SELECT * FROM undo_merge('log', 1);
UPDATE names SET g = 'g4' WHERE t = 3;
SELECT * FROM undo_merge('log', 1);
SELECT * FROM names ORDER BY t;
-- A trigger that turns a row back: the row would be deleted with what it refers to.
ALTER TABLE names DROP CONSTRAINT names_up_fkey, ADD FOREIGN KEY (up) REFERENCES names ON DELETE CASCADE;
CREATE FUNCTION stay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.up := OLD.up; RETURN NEW; END $$;
CREATE TRIGGER stay BEFORE UPDATE ON names FOR EACH ROW WHEN (OLD.t = 4) EXECUTE FUNCTION stay();
UPDATE names SET i = 'other' WHERE t = 4;
SELECT gone FROM merge_duplicates('names', 't', 'VALUES (2, 1)', log => 'log');
DROP TABLE names, log;
DROP FUNCTION stay();
DROP SCHEMA clean;
DROP EXTENSION neardup_clean;
