--
-- merge_duplicates and undo_merge: the log, and what else is on the tables.
--
SET client_min_messages = warning;
CREATE EXTENSION neardup_clean;
\set SHOW_CONTEXT never
CREATE SCHEMA clean;
SET search_path = clean, public;

-- Rows return although a guard would leave them out. What triggers insert meanwhile is guarded as ever, as is what comes afterwards.
CREATE TABLE leads (id int PRIMARY KEY, name text, words tokenset GENERATED ALWAYS AS (word_set(name)) STORED);
INSERT INTO leads VALUES (1, 'X Yz'), (2, 'x yz'), (3, 'X, Yz');
SELECT guard_near_duplicates('leads', 'id', 'words', 0.8);
CREATE FUNCTION more() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO leads VALUES (NEW.id + 10, NEW.name); RETURN NEW; END $$;
CREATE TRIGGER more AFTER INSERT ON leads FOR EACH ROW EXECUTE FUNCTION more();
SELECT merge, gone FROM merge_duplicates('leads', 'id', 'VALUES (2, 1), (3, 1)', log => 'merges');
SELECT * FROM undo_merge('merges', 1);
SELECT id, name FROM leads ORDER BY id;
INSERT INTO leads VALUES (4, 'x, yz');
SELECT count(*) FROM leads;
DROP TRIGGER more ON leads;
DROP TRIGGER neardup_guard ON leads;
-- An exclusion constraint that has come since cannot be passed; one that had let the rows be can.
DELETE FROM leads WHERE id > 1;
INSERT INTO leads VALUES (2, 'other words'), (3, 'x yz');
SELECT merge, gone FROM merge_duplicates('leads', 'id', 'VALUES (2, 1), (3, 1)', log => 'merges');
CREATE FUNCTION fire() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'row % comes', NEW.id; RETURN NEW; END $$;
CREATE TRIGGER fire BEFORE INSERT ON leads FOR EACH ROW EXECUTE FUNCTION fire();
ALTER TABLE leads ADD CONSTRAINT apart EXCLUDE USING neardup (jaccard_ball(words, 0.8) WITH &&);
\set VERBOSITY default
SELECT * FROM undo_merge('merges', 2);
ALTER TABLE leads DROP CONSTRAINT apart, ADD CONSTRAINT apart EXCLUDE USING neardup (jaccard_ball(words, 0.8) WITH &&) WHERE (id < 3);
SELECT * FROM undo_merge('merges', 2);
DROP TABLE leads;

-- A value that leaves the row which stays for the one that returns is no conflict.
CREATE TABLE slots (id int PRIMARY KEY, slot int, EXCLUDE USING btree (slot WITH =));
INSERT INTO slots VALUES (1, NULL), (2, 5);
SELECT merge, changed FROM merge_duplicates('slots', 'id', 'VALUES (2, 1)', rules => '{"slot": "first"}', log => 'merges');
SELECT * FROM undo_merge('merges', 3);
SELECT * FROM slots ORDER BY id;
DROP TABLE slots;

-- Under a publication of all tables a table has an identity, or is not updated; logs and decisions have a key.
CREATE TABLE p (id int PRIMARY KEY, name text);
CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p);
INSERT INTO p VALUES (1, 'a'), (2, 'b');
INSERT INTO c VALUES (1, 2), (2, 2), (3, 1);
SET client_min_messages = error;
CREATE PUBLICATION regress_clean FOR ALL TABLES;
SET client_min_messages = warning;
SELECT merge, gone, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', log => 'merges');
SELECT merge, action, gone, rel, key FROM merges WHERE merge = 4 ORDER BY rel::text, key;
SELECT array_agg(entry ORDER BY entry) FROM merges WHERE merge = 4;
SELECT * FROM undo_merge('merges', 4);
INSERT INTO neardup_decided (rel, key_a, key_b) VALUES ('p', 1, 2);
SELECT rel, key_a, key_b, other FROM neardup_decided;
DELETE FROM neardup_decided;
DROP PUBLICATION regress_clean;
DROP TABLE c, p;

-- Values whose form in JSON is another value, or depends on settings.
CREATE TABLE p (id int PRIMARY KEY, x float8, y float4, price money, page bytea, d date, ts timestamptz, span interval, e float8[]);
CREATE TABLE c (p int REFERENCES p, x float8, price money);
INSERT INTO p VALUES (1);
INSERT INTO p VALUES (2, '-0', '-0', 12.5, '\x00ff', 'infinity', '4714-11-24 00:00:00+00 BC', '-1 mon +2 days -00:00:01', '{-0,NaN,Infinity}'), (3, 'NaN', '-Infinity', -0.01, '', '0044-03-15 BC', '-infinity', '0', '{0}');
INSERT INTO c VALUES (2, '-0', 12.5), (2, '0', 12.5), (3, 'NaN', NULL);
CREATE TABLE was AS SELECT 'p', p::text AS row FROM p UNION ALL SELECT 'c', c::text FROM c;
SELECT merge, gone, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1), (3, 1)', log => 'merges', rules => '{"x": "first", "y": "first", "price": "first"}');
SELECT x, y, price FROM p;
SET datestyle = 'German, DMY';
SELECT * FROM undo_merge('merges', 5);
RESET datestyle;
SELECT count(*) FROM (SELECT 'p', p::text AS row FROM p UNION ALL SELECT 'c', c::text FROM c EXCEPT ALL TABLE was) AS d;
DROP TABLE p, c, was;

-- A copy of a log can be undone, and gives no numbers.
CREATE TABLE p (id int PRIMARY KEY);
INSERT INTO p VALUES (1), (2), (3);
SELECT merge FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', log => 'merges');
CREATE TABLE copy AS TABLE merges;
CREATE VIEW seen AS TABLE merges;
SELECT merge FROM merge_duplicates('p', 'id', 'VALUES (3, 1)', log => 'copy');
SELECT merge FROM merge_duplicates('p', 'id', 'VALUES (3, 1)', log => 'seen');
SELECT * FROM undo_merge('copy', 6);
SELECT count(*) FROM p;
SET client_min_messages = error;
DROP SCHEMA clean CASCADE;
DROP EXTENSION neardup_clean;
