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

-- A row that comes again with its key is not the one that it was found to differ from, for guards and calls.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE TABLE songs (id int PRIMARY KEY, title text, seen int DEFAULT 1);
INSERT INTO songs VALUES (1, 'one two three four'), (2, 'one two three four five'), (3, 'one two three four six');
INSERT INTO neardup_decided (rel, key_a, key_b) VALUES ('songs', 1, 2), ('songs', 7, 1), ('songs', 7, 3), ('songs', 8, 7);
DELETE FROM songs WHERE id = 2;
SELECT key, inserted, round(similarity::numeric, 2) AS similarity
FROM (VALUES (1, '{"id": 9, "title": "one two three four"}'::jsonb), (2, '{"id": 2, "title": "one two three four"}'), (3, '{"id": 7, "title": "one two three four"}')) AS v (place, new_row),
     insert_or_find('songs', new_row, 'id', 'word_tokens(title)', 0.7) ORDER BY place;
SELECT place, key, inserted FROM insert_or_find_rows('songs', '[{"id": 7, "title": "one two three four"}, {"id": 8, "title": "one two three four"}]', 'id', 'word_tokens(title)', 0.7);
DELETE FROM songs WHERE id = 3;
SELECT place, key, inserted FROM insert_or_find_rows('songs', '[{"id": 21, "title": "seven eight"}, {"id": 22, "title": "seven eight"}, {"id": 23, "title": "seven eight"}]', 'id', 'word_tokens(title)', 0.7);
INSERT INTO neardup_decided (rel, key_a, key_b) VALUES ('songs', 31, 32), ('songs', 33, 31);
SELECT place, key, inserted FROM insert_or_find_rows('songs', '[{"id": 31, "title": "nine ten"}, {"id": 32, "title": "nine ten"}, {"id": 33, "title": "nine ten"}, {"id": 34, "title": "nine ten"}]', 'id', 'word_tokens(title)', 0.7);
SELECT id, title FROM songs ORDER BY id;
SELECT guard_near_duplicates('songs', 'id', 'word_tokens(title)', 0.7, action => 'count', counter => 'seen');
INSERT INTO songs VALUES (41, 'seven eight'), (42, 'eight seven');
INSERT INTO neardup_decided (rel, key_a, key_b) VALUES ('songs', 41, 21);
INSERT INTO songs VALUES (41, 'seven eight'), (42, 'eight seven');
SELECT id, title, seen FROM songs WHERE id > 20 AND id < 30 OR id > 40 ORDER BY id;
-- A constraint knows of no decision.
DELETE FROM songs WHERE id <> 1;
ALTER TABLE songs ADD CONSTRAINT apart EXCLUDE USING neardup (jaccard_ball(word_tokens(title), 0.7) WITH &&);
\set VERBOSITY default
SELECT key FROM insert_or_find('songs', '{"id": 2, "title": "one two three four"}', 'id', 'word_tokens(title)', 0.7);
\set VERBOSITY terse
ALTER TABLE songs DROP CONSTRAINT apart;
DROP TRIGGER neardup_guard ON songs;

-- Decisions on rows that go are decisions on those that stay for them, until the merge is undone.
TRUNCATE songs;
DELETE FROM neardup_decided;
INSERT INTO songs SELECT i, 'song ' || i FROM generate_series(1, 9) AS i;
CREATE TABLE other_songs AS TABLE songs;
INSERT INTO neardup_decided (rel, key_a, key_b, other) VALUES ('songs', 2, 5, 'songs'), ('songs', 6, 2, 'songs'), ('songs', 1, 6, 'songs'), ('songs', 3, 1, 'songs'), ('songs', 4, 8, 'songs'),
    ('songs', 2, 2, 'other_songs'), ('other_songs', 2, 3, 'songs'), ('other_songs', 2, 3, 'other_songs');
CREATE TEMP TABLE before AS TABLE neardup_decided;
SELECT gone, kept FROM merge_duplicates('songs', 'id', 'VALUES (2, 1), (3, 1), (5, 4)', log => 'merges', dry_run => true);
SELECT count(*) FROM (TABLE neardup_decided EXCEPT TABLE before) AS d;
SELECT gone, kept FROM merge_duplicates('songs', 'id', 'VALUES (2, 3), (3, 1), (5, 4)', log => 'merges');
SELECT rel, key_a, key_b, other FROM neardup_decided EXCEPT SELECT rel, key_a, key_b, other FROM before ORDER BY 1, 2, 3, 4;
SELECT count(*) FROM (TABLE before EXCEPT TABLE neardup_decided) AS d;
SELECT gone, kept FROM merge_duplicates('songs', 'id', 'VALUES (6, 7)', log => 'merges');
INSERT INTO neardup_decided (rel, key_a, key_b) VALUES ('songs', 1, 9);
SELECT * FROM undo_merge('merges', 2);
SELECT * FROM undo_merge('merges', 1);
SELECT rel, key_a, key_b, other FROM (TABLE neardup_decided EXCEPT TABLE before) AS d;
SELECT count(*) FROM (TABLE before EXCEPT TABLE neardup_decided) AS d;

-- An undo takes back what its merge has made, and no decision of the same transaction or of another merge in it.
TRUNCATE songs;
DELETE FROM neardup_decided;
INSERT INTO songs VALUES (1, 'a', 0), (2, 'b', 0), (3, 'c', 0), (4, 'd', 0);
BEGIN;
INSERT INTO neardup_decided (rel, key_a, key_b) VALUES ('songs', 1, 4), ('songs', 2, 4), ('songs', 3, 2);
SELECT gone, kept FROM merge_duplicates('songs', 'id', 'VALUES (2, 1)', log => 'merges');
SELECT key_a, key_b FROM neardup_decided ORDER BY 1, 2;
SELECT gone, kept FROM merge_duplicates('songs', 'id', 'VALUES (3, 4)', log => 'merges');
SELECT key_a, key_b FROM neardup_decided ORDER BY 1, 2;
SELECT count(*) FROM undo_merge('merges', (SELECT max(merge) FROM merges));
SELECT count(*) FROM undo_merge('merges', (SELECT max(merge) FROM merges) - 1);
SELECT key_a, key_b FROM neardup_decided ORDER BY 1, 2;
COMMIT;

-- How similar an inserted row is to others, one after another or by a join: without those that it was found to differ from.
TRUNCATE songs;
DELETE FROM neardup_decided;
INSERT INTO songs VALUES (1, 'p q r s', 0), (2, 'p q r s', 0), (3, 'p q r t', 0);
INSERT INTO neardup_decided (rel, key_a, key_b) VALUES ('songs', 9, 1), ('songs', 2, 9);
SELECT * FROM insert_or_find_rows('songs', '[{"id": 8, "title": "k l"}, {"id": 9, "title": "p q r s"}]', 'id', 'word_tokens(title)', 0.7);
DELETE FROM songs WHERE id = 9;
SELECT * FROM insert_or_find('songs', '{"id": 9, "title": "p q r s"}', 'id', 'word_tokens(title)', 0.7);

-- What lies between two thresholds and is not decided, the most doubtful first.
TRUNCATE songs;
DELETE FROM neardup_decided;
INSERT INTO songs SELECT i, (SELECT string_agg('w' || k, ' ') FROM generate_series(i % 3, i % 3 + 4 + i % 5) AS k), i % 2 FROM generate_series(1, 12) AS i;
CREATE FUNCTION expected(low float8, high float8) RETURNS TABLE (a text, b text, similarity float8, doubt float8) LANGUAGE sql AS $$
    SELECT x.id::text, y.id::text, s.similarity, 1 - abs(2 * s.similarity - low - high) / (high - low)
    FROM songs AS x JOIN songs AS y ON x.id < y.id, LATERAL (SELECT jaccard(word_tokens(x.title), word_tokens(y.title)) AS similarity) AS s
    WHERE s.similarity >= low AND s.similarity < high AND NOT EXISTS (SELECT FROM neardup_decided AS d WHERE d.rel = 'songs'::regclass AND d.other = d.rel AND (d.key_a, d.key_b) IN ((x.id::text, y.id::text), (y.id::text, x.id::text))) $$;
INSERT INTO neardup_decided (rel, key_a, key_b) SELECT 'songs', a, b FROM expected(0.5, 0.9) WHERE a < '6';
INSERT INTO neardup_decided (rel, key_a, key_b) SELECT 'songs', b, a FROM expected(0.5, 0.9) WHERE a IN ('7', '8');
SELECT count(*) AS pairs, count(*) FILTER (WHERE e.a IS NULL) AS surplus FROM undecided_pairs('songs', 'id', 'word_tokens(title)', 0.5, 0.9) AS u LEFT JOIN expected(0.5, 0.9) AS e ON (e.a, e.b, e.similarity) = (u.a, u.b, u.similarity) AND abs(e.doubt - u.doubt) < 1e-9;
SELECT count(*) AS pairs FROM expected(0.5, 0.9);
SELECT a, b, round(similarity::numeric, 3) AS similarity, round(doubt::numeric, 3) AS doubt FROM undecided_pairs('songs', 'id', 'word_tokens(title)', 0.5, 0.9) LIMIT 5;
SELECT count(*), count(*) FILTER (WHERE a::int % 2 <> b::int % 2) AS across FROM undecided_pairs('songs', 'id', 'word_tokens(title)', 0.5, 0.9, 'dice', within => 'seen');
SELECT a, b FROM undecided_pairs('songs', 'id', 'word_tokens(title)', 0.5, 0.9, within => 'seen', among => 'id > 6') AS u
EXCEPT SELECT a, b FROM undecided_pairs('songs', 'id', 'word_tokens(title)', 0.5, 0.9, within => 'seen') AS u WHERE a::int > 6 AND b::int > 6;
SELECT count(*) FROM undecided_pairs('songs', 'id', 'word_tokens(title)', 0.5, 0.9, among => 'id > 6') AS u;
SELECT count(*) FROM undecided_pairs('songs', 'id', 'word_tokens(title)', 0.5, 0.9) AS u WHERE a::int > 6 AND b::int > 6;
SELECT * FROM undecided_pairs('songs', 'id', 'word_tokens(title)', 0.5, 0.9, among => 'id < new.id');
CREATE VIEW songs_to_review AS SELECT u.doubt, x.title AS title_a, y.title AS title_b FROM undecided_pairs('songs', 'id', 'word_tokens(title)', 0.5, 0.9) AS u JOIN songs AS x ON x.id = u.a::int JOIN songs AS y ON y.id = u.b::int;
SELECT count(*) FROM songs_to_review;
DROP VIEW songs_to_review;
SELECT * FROM undecided_pairs('songs', 'id', 'word_tokens(title)', 0.9, 0.5);
SELECT * FROM undecided_pairs('songs', 'nothing', 'word_tokens(title)', 0.5, 0.9);
SELECT * FROM undecided_pairs('songs', 'id', 'title', 0.5, 0.9);
DELETE FROM neardup_decided;
DROP TABLE songs, other_songs, merges;
DROP FUNCTION expected;
DROP EXTENSION neardup_clean;
