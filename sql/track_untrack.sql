-- What is left when a table is tracked no more, or the extension goes.
\getenv source PG_ABS_SRCDIR
\i :source/sql/include/track.sql
SET ROLE regress_track_owner;
CREATE TABLE docs (id int PRIMARY KEY, body text, views int DEFAULT 0);
INSERT INTO docs VALUES (1, 'a b c d e'), (2, 'a b c d f'), (3, 'x y z'), (4, ''), (5, NULL);
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);

-- Nothing is left.
SELECT neardup_untrack('docs');
SELECT relname FROM pg_class WHERE relname LIKE '%neardup\_%' AND relowner = 'regress_track_owner'::regrole;
SELECT tgname FROM pg_trigger WHERE tgrelid = 'docs'::regclass;
SELECT count(*) FROM neardup_tracked;
INSERT INTO docs VALUES (900, 'untracked');
SELECT neardup_untrack('docs');
SELECT neardup_refresh('docs');

CREATE TABLE tagged ("Name" text COLLATE "C", tags int[], note json, UNIQUE ("Name"));
ALTER TABLE tagged ALTER "Name" SET NOT NULL;
INSERT INTO tagged VALUES ('b', '{1,2,3}', '{}'), ('B', '{1,2,3,4}', '{}'), ('', '{9}', '{}');
-- The extension goes only with what depends on it, and then leaves the table free.
SELECT neardup_track('tagged', 'Name', 'tags::tokenset', 0.75);
SET ROLE NONE;
DROP EXTENSION neardup_track;
BEGIN;
SET client_min_messages = warning;
DROP EXTENSION neardup CASCADE;
RESET client_min_messages;
SELECT tgname FROM pg_trigger WHERE tgrelid = 'tagged'::regclass;
INSERT INTO tagged VALUES ('after', '{1}', '{}');
SELECT attname FROM pg_attribute WHERE attrelid = 'tagged_neardup'::regclass AND attnum > 0 AND NOT attisdropped;
-- What is left is in the way of another tracking, until it is dropped as the hint says.
SET client_min_messages = warning;
CREATE EXTENSION neardup_track SCHEMA public CASCADE;
RESET client_min_messages;
SET ROLE regress_track_owner;
SAVEPOINT s;
SELECT neardup_track('tagged', 'Name', 'tags::tokenset', 0.75);
ROLLBACK TO s;
DROP TABLE public.tagged_neardup; DROP TABLE public.tagged_neardup_state; DROP TABLE public.tagged_neardup_log;
SELECT neardup_track('tagged', 'Name', 'tags::tokenset', 0.75);
SELECT * FROM neardup_refresh('tagged');
ROLLBACK;
SET ROLE regress_track_owner;
SELECT pg_temp.refreshed('tagged');
-- Writes that fire no triggers are not seen, and are repaired.
SET ROLE NONE;
SET session_replication_role = replica;
INSERT INTO tagged VALUES ('replica', '{1,2,3}', '{}');
DELETE FROM tagged WHERE "Name" = 'b';
RESET session_replication_role;
SELECT difference, key FROM neardup_refresh('tagged') ORDER BY 1, 2;
SELECT * FROM pg_temp.wrong('tagged_neardup', 'SELECT "Name", coalesce(tags, ''{}'')::tokenset FROM tagged', 0.75);
SET ROLE regress_track_owner;
SELECT neardup_untrack('tagged');

SET ROLE NONE;
SET client_min_messages = warning;
DROP OWNED BY regress_track_owner, regress_track_writer CASCADE;
DROP ROLE regress_track_owner, regress_track_writer;
