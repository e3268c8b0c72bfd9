-- Tracked clusters of other keys and tokens, and writes by other ways than plain statements.
\getenv source PG_ABS_SRCDIR
\i :source/sql/include/track.sql
CREATE SCHEMA regress_track_writer AUTHORIZATION regress_track_writer;
SET ROLE regress_track_owner;
CREATE TABLE tagged ("Name" text COLLATE "C", tags int[], note json, UNIQUE ("Name"));
ALTER TABLE tagged ALTER "Name" SET NOT NULL;
INSERT INTO tagged VALUES ('b', '{1,2,3}', '{}'), ('B', '{1,2,3,4}', '{}'), ('', '{9}', '{}');
SELECT neardup_track('tagged', 'Name', 'tags::tokenset -- what the row is tagged with', 0.75);
INSERT INTO tagged VALUES ('it''s', '{1,2,3,4,5}', '{}'), ('{",}', NULL, '{}');
UPDATE tagged SET note = '{"a": 1}';
SELECT * FROM pg_temp.wrong('tagged_neardup', 'SELECT "Name", coalesce(tags, ''{}'')::tokenset FROM tagged', 0.75);
SELECT neardup_untrack('tagged');
-- Writes by a foreign key's action, by several parts of one statement, and by COPY; keys of a polymorphic operator class.
CREATE TYPE mood AS ENUM ('sad', 'so so', 'glad');
CREATE TABLE moods (mood mood PRIMARY KEY);
CREATE TABLE moody (mood mood PRIMARY KEY REFERENCES moods ON UPDATE CASCADE ON DELETE CASCADE, body text);
SELECT neardup_track('moody', 'mood', 'word_tokens(body)', 0.5);
INSERT INTO moods VALUES ('sad'), ('glad');
WITH a AS (INSERT INTO moody VALUES ('sad', 'a b c d')), b AS (INSERT INTO moody VALUES ('glad', 'a b c e')) SELECT;
SELECT key, cluster FROM moody_neardup ORDER BY key;
UPDATE moods SET mood = 'so so' WHERE mood = 'sad';
SELECT key FROM moody_neardup ORDER BY key;
DELETE FROM moods WHERE mood = 'glad';
INSERT INTO moods VALUES ('sad');
COPY moody FROM stdin;
sad	a b c
\.
SELECT * FROM pg_temp.wrong('moody_neardup', 'SELECT mood, word_tokens(body) FROM moody', 0.5);
SELECT pg_temp.refreshed('moody');
SELECT neardup_untrack('moody');
DROP TABLE moody, moods;
DROP TYPE mood;
CREATE TABLE people (email uuid PRIMARY KEY, name text, grams tokenset GENERATED ALWAYS AS (qgram_tokens(name, 2)) STORED);
SELECT neardup_track('people', 'email', 'grams', 1);
INSERT INTO people SELECT ('00000000-0000-0000-0000-00000000000' || i)::uuid, 'John Smith ' || i / 3 FROM generate_series(1, 8) i;
UPDATE people SET name = 'John Smith 0' WHERE name = 'John Smith 1';
SELECT * FROM pg_temp.wrong('people_neardup', 'SELECT email, grams FROM people', 1);
DROP TABLE people CASCADE;
-- What is left of a table that is gone is the owner's, and its entry goes with the next call.
SELECT count(*) FROM people_neardup;
SELECT count(*) FROM neardup_tracked;
SET ROLE NONE;
SET ROLE regress_track_writer;
CREATE TABLE regress_track_writer.other (id int PRIMARY KEY, body text);
SELECT neardup_track('regress_track_writer.other', 'id', 'word_tokens(body)', 0.6);
SELECT rel FROM neardup_tracked;
SELECT neardup_untrack('regress_track_writer.other');
DROP TABLE regress_track_writer.other;
SET ROLE NONE;
SET ROLE regress_track_owner;
DROP TABLE people_neardup, people_neardup_log, people_neardup_state;

SET ROLE NONE;
SET client_min_messages = warning;
DROP OWNED BY regress_track_owner, regress_track_writer CASCADE;
DROP ROLE regress_track_owner, regress_track_writer;
