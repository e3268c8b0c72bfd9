--
-- neardup_decided: pairs that somebody has found to be different.
--
CREATE EXTENSION neardup_clean;
CREATE TABLE docs (id int PRIMARY KEY, body text);
INSERT INTO docs VALUES (1, 'one two three four'), (2, 'one two three four five'), (3, 'one two three four'), (4, 'six seven eight');
CREATE TABLE others AS TABLE docs;

-- Decisions of a role whose name is the same everywhere.
CREATE ROLE regress_owner SUPERUSER;
SET ROLE regress_owner;
INSERT INTO neardup_decided (rel, key_a, key_b) VALUES ('docs', 1, 2), ('docs', 3, 1);
INSERT INTO neardup_decided (rel, key_a, key_b, other) VALUES ('docs', 1, 1, 'others');
INSERT INTO neardup_decided (rel, key_a, key_b) VALUES ('docs', 1, 2) ON CONFLICT DO NOTHING;
SELECT rel, key_a, key_b, who = current_user AS mine, other FROM neardup_decided ORDER BY at, key_b DESC, other;
RESET ROLE;

-- What is cleaned, and what is linked.
SELECT id, duplicate_of FROM near_duplicates('docs', 'id', 'body', 0.7, tokens => 'word_tokens(body)',
    except_pairs => $$SELECT key_a::int, key_b::int FROM neardup_decided WHERE rel = 'docs'::regclass AND other = rel$$);
SET client_min_messages = warning;
SELECT a, b FROM link_tables('SELECT id, body FROM docs WHERE id <> 2', 'SELECT id, body FROM others WHERE id = 1', false,
    except_pairs => $$SELECT key_a::int, key_b::int FROM neardup_decided WHERE rel = 'docs'::regclass AND other = 'others'::regclass$$);
RESET client_min_messages;

-- Who may read a table may decide on its rows, and take that back. Its owner may take back all.
CREATE ROLE regress_reader;
CREATE ROLE regress_stranger;
GRANT SELECT (id) ON docs TO regress_reader;
\set VERBOSITY default
\set SHOW_CONTEXT never
SET ROLE regress_stranger;
INSERT INTO neardup_decided (rel, key_a, key_b) VALUES ('docs', 1, 4);
SET ROLE regress_reader;
INSERT INTO neardup_decided (rel, key_a, key_b) VALUES ('docs', 1, 4);
INSERT INTO neardup_decided (rel, key_a, key_b, other) VALUES ('docs', 1, 4, 'others');
INSERT INTO neardup_decided (rel, key_a, key_b, who) VALUES ('docs', 2, 4, 'regress_stranger');
INSERT INTO neardup_decided (rel, key_a, key_b) VALUES (77777, 2, 4);
UPDATE neardup_decided SET key_b = '5';
DELETE FROM neardup_decided WHERE key_b = '2';
DELETE FROM neardup_decided WHERE key_b = '4';
INSERT INTO neardup_decided (rel, key_a, key_b) VALUES ('docs', 1, 4);
RESET ROLE;
DELETE FROM neardup_decided WHERE who = 'regress_reader' RETURNING rel, key_a, key_b;
DROP TABLE others;
DELETE FROM neardup_decided WHERE other <> rel;
DROP TABLE docs;
DELETE FROM neardup_decided;
DROP ROLE regress_owner;
DROP ROLE regress_reader;
DROP ROLE regress_stranger;
DROP EXTENSION neardup_clean;
