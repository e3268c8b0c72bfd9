--
-- Tracked clusters: what they are, what keeps them so, and who may write them.
--
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS neardup_track;
CREATE ROLE regress_track_owner;
CREATE ROLE regress_track_writer;
GRANT CREATE ON SCHEMA public TO regress_track_owner;
CREATE SCHEMA regress_track_hostile;
GRANT ALL ON SCHEMA regress_track_hostile TO regress_track_writer;
RESET client_min_messages;

-- The oracle: groups of rows that hang together by brute force, each named by its smallest key.
CREATE FUNCTION connected(sets text, threshold float8) RETURNS TABLE (key text, name text) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$
    WITH RECURSIVE s (key, tokens) AS MATERIALIZED (%s),
    edges AS MATERIALIZED (SELECT x.key::text AS x, y.key::text AS y FROM s x, s y WHERE jaccard_ge(x.tokens, y.tokens, $1)),
    reached AS (SELECT s.key::text AS key, s.key::text AS member FROM s UNION SELECT r.key, e.y FROM reached r JOIN edges e ON e.x = r.member)
    SELECT r.key, min(r.member) FROM reached r GROUP BY r.key $q$, sets) USING threshold;
END $$;
-- Rows that the tracked table and the oracle put differently: none.
CREATE FUNCTION wrong(members regclass, sets text, threshold float8) RETURNS TABLE (key text, tracked text, expected text) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$
    SELECT coalesce(t.key, c.key), t.name, c.name
    FROM (SELECT key::text AS key, min(key::text) OVER (PARTITION BY cluster) AS name FROM %s) t FULL JOIN connected($1, $2) c ON c.key = t.key
    WHERE t.name IS DISTINCT FROM c.name $q$, members) USING sets, threshold;
END $$;
CREATE FUNCTION refreshed(rel regclass) RETURNS bigint LANGUAGE sql RETURN (SELECT count(*) FROM neardup_refresh(rel));

SET ROLE regress_track_owner;
CREATE TABLE docs (id int PRIMARY KEY, body text, views int DEFAULT 0);
INSERT INTO docs VALUES (1, 'a b c d e'), (2, 'a b c d f'), (3, 'x y z'), (4, ''), (5, NULL);
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
SELECT rel, threshold, mode, members FROM neardup_tracked;
SELECT key, cluster FROM docs_neardup ORDER BY key;

-- A row that is similar to none is a cluster of its own; one that is joins; one between two merges them.
INSERT INTO docs VALUES (10, 'k l m n o p'), (11, 'k l m n q r s');
INSERT INTO docs VALUES (12, 'a b c d e');
INSERT INTO docs VALUES (13, NULL), (14, '...');
SELECT key, cluster FROM docs_neardup WHERE key >= 10 ORDER BY key;
INSERT INTO docs VALUES (15, 'k l m n o p q r');
SELECT key, cluster FROM docs_neardup WHERE key IN (10, 11, 15) ORDER BY key;
-- The cluster with more members keeps its number, as does the older one of two of a size; a split leaves it to the greater part.
SELECT event, cluster, other, members, at > now() - interval '1 hour' AS recently FROM docs_neardup_log ORDER BY id;
INSERT INTO docs VALUES (16, 'k l m n o p');
DELETE FROM docs WHERE id = 15;
SELECT key, cluster FROM docs_neardup WHERE key IN (10, 11, 16) ORDER BY key;
SELECT event, cluster, other, members FROM docs_neardup_log ORDER BY id;
-- An update may do both; a row that was alone and remains alone keeps its cluster.
UPDATE docs SET body = 'a b c d e x' WHERE id = 16;
UPDATE docs SET body = 'quite different' WHERE id = 3;
SELECT key, cluster FROM docs_neardup WHERE key IN (1, 3, 10, 16) ORDER BY key;
-- So does a cluster whose rows all change together.
UPDATE docs SET body = body || ' more' WHERE id IN (1, 2, 12, 16);
SELECT key, cluster FROM docs_neardup WHERE key IN (1, 2, 12, 16) ORDER BY key;
SELECT * FROM wrong('docs_neardup', 'SELECT id, word_tokens(coalesce(body, '''')) FROM docs', 0.6);
SELECT * FROM neardup_refresh('docs');
-- What leaves key and set alone changes nothing, and takes none of the locks of writers.
BEGIN;
UPDATE docs SET views = views + 1;
UPDATE docs SET body = body || '.' WHERE id = 1;
DELETE FROM docs WHERE id = 99;
SELECT count(*) FROM pg_locks WHERE locktype = 'userlock' AND pid = pg_backend_pid();
-- A row locks the table, tokens of its prefix, and its cluster; many rows the table alone.
INSERT INTO docs VALUES (50, 'a b c d e');
SELECT classid = 'docs_neardup'::regclass AS of_clusters, objsubid, mode, count(*) FROM pg_locks
WHERE locktype = 'userlock' AND pid = pg_backend_pid() GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
ROLLBACK;
BEGIN;
INSERT INTO docs SELECT 5000 + i, 'a b c ' || i FROM generate_series(1, 101) i;
SELECT objsubid, mode, count(*) FROM pg_locks WHERE locktype = 'userlock' AND pid = pg_backend_pid() GROUP BY 1, 2 ORDER BY 1, 2;
SELECT * FROM wrong('docs_neardup', 'SELECT id, word_tokens(coalesce(body, '''')) FROM docs', 0.6);
ROLLBACK;
-- So does a row with a long prefix.
BEGIN;
INSERT INTO docs SELECT 5000, string_agg('w' || i, ' ') FROM generate_series(1, 1000) i;
SELECT objsubid, mode, count(*) FROM pg_locks WHERE locktype = 'userlock' AND pid = pg_backend_pid() GROUP BY 1, 2 ORDER BY 1, 2;
ROLLBACK;
-- Keys may move, through one another too.
UPDATE docs SET id = 100 - id WHERE id <> 50;
SELECT * FROM wrong('docs_neardup', 'SELECT id, word_tokens(coalesce(body, '''')) FROM docs', 0.6);
BEGIN;
INSERT INTO docs VALUES (99, 'new', 0), (1, 'now of 1', 0) ON CONFLICT (id) DO UPDATE SET body = excluded.body;
MERGE INTO docs d USING (VALUES (1, 'gone'), (88, 'k l m n o p'), (2, 'k l m n o p q r')) n (id, body) ON d.id = n.id
WHEN MATCHED AND n.body = 'gone' THEN DELETE WHEN MATCHED THEN UPDATE SET body = n.body WHEN NOT MATCHED THEN INSERT VALUES (n.id, n.body, 0);
SELECT * FROM wrong('docs_neardup', 'SELECT id, word_tokens(coalesce(body, '''')) FROM docs', 0.6);
SAVEPOINT s;
DELETE FROM docs;
SELECT count(*) FROM docs_neardup;
ROLLBACK TO s;
SELECT * FROM wrong('docs_neardup', 'SELECT id, word_tokens(coalesce(body, '''')) FROM docs', 0.6);
ROLLBACK;
SELECT * FROM neardup_refresh('docs');

-- Damage is reported and repaired.
BEGIN;
UPDATE docs_neardup SET cluster = 77777 WHERE key = 99;
UPDATE docs_neardup SET cluster = (SELECT cluster FROM docs_neardup WHERE key = 97) WHERE key = 95;
UPDATE docs_neardup SET tokens = '{1}' WHERE key = 96;
DELETE FROM docs_neardup WHERE key = 90;
INSERT INTO docs_neardup (key, cluster, tokens) VALUES (-1, 88888, '{1,2}');
SELECT key, difference, recorded IS NOT NULL AS recorded, computed IS NOT NULL AS computed FROM neardup_refresh('docs') ORDER BY key::int;
SELECT * FROM wrong('docs_neardup', 'SELECT id, word_tokens(coalesce(body, '''')) FROM docs', 0.6);
SELECT * FROM neardup_refresh('docs');
ROLLBACK;

-- TRUNCATE empties the clusters too.
BEGIN;
TRUNCATE docs;
SELECT count(*) FROM docs_neardup;
INSERT INTO docs VALUES (1, 'a b'), (2, 'a b');
SELECT count(*), count(DISTINCT cluster) FROM docs_neardup;
ROLLBACK;

-- Changes of a table by its own row triggers are seen, whatever the order.
CREATE FUNCTION twice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE docs SET body = body || ' twice' WHERE id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER twice AFTER INSERT ON docs FOR EACH ROW EXECUTE FUNCTION twice();
INSERT INTO docs VALUES (200, 'a b c'), (201, 'a b c d twice');
SELECT * FROM wrong('docs_neardup', 'SELECT id, word_tokens(coalesce(body, '''')) FROM docs', 0.6);
DROP TRIGGER twice ON docs;
DROP FUNCTION twice();

-- Columns, table and schema may be renamed; what the clusters depend on cannot be dropped or change its type.
ALTER TABLE docs RENAME body TO "Body text";
ALTER TABLE docs RENAME id TO "the key";
ALTER TABLE docs RENAME TO "Some docs";
INSERT INTO "Some docs" VALUES (300, 'k l m n o p');
UPDATE "Some docs" SET "the key" = 301 WHERE "the key" = 300;
SELECT refreshed('"Some docs"');
ALTER TABLE "Some docs" RENAME TO docs;
RESET ROLE;
CREATE SCHEMA regress_track_other AUTHORIZATION regress_track_owner;
ALTER TABLE docs SET SCHEMA regress_track_other;
SET ROLE regress_track_owner;
DELETE FROM regress_track_other.docs WHERE "the key" = 301;
SELECT refreshed('regress_track_other.docs');
ALTER TABLE regress_track_other.docs SET SCHEMA public;
ALTER TABLE docs RENAME "Body text" TO body;
ALTER TABLE docs RENAME "the key" TO id;
\set VERBOSITY sqlstate
ALTER TABLE docs ALTER body TYPE varchar(100);
ALTER TABLE docs DROP COLUMN body;
\set VERBOSITY default
ALTER TABLE docs ALTER views TYPE bigint;
ALTER TABLE docs DROP COLUMN views;
SELECT refreshed('docs');
DROP TABLE docs;
-- A table that has become a parent is not tracked by halves.
BEGIN;
CREATE TABLE child () INHERITS (docs);
SAVEPOINT s;
INSERT INTO docs VALUES (400, 'a');
ROLLBACK TO s;
SELECT neardup_refresh('docs');
ROLLBACK;
-- One whose last child was dropped is no parent, whatever relhassubclass says.
BEGIN;
CREATE TABLE child () INHERITS (docs);
DROP TABLE child;
SELECT relhassubclass FROM pg_class WHERE oid = 'docs'::regclass;
INSERT INTO docs VALUES (400, 'a');
SELECT neardup_untrack('docs');
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
CREATE TABLE child () INHERITS (docs);
INSERT INTO docs VALUES (401, 'a');
ROLLBACK;

-- Nor does one become a partition or a child, where statements that name the parent would not be seen.
CREATE TABLE whole (LIKE docs) PARTITION BY RANGE (id);
CREATE TABLE parent (LIKE docs);
ALTER TABLE whole ATTACH PARTITION docs DEFAULT;
ALTER TABLE docs INHERIT parent;
BEGIN;
ALTER TABLE docs ENABLE TRIGGER USER;
DELETE FROM docs WHERE id % 2 = 0;
SELECT refreshed('docs');
ALTER TABLE docs INHERIT parent;
ROLLBACK;
BEGIN;
SELECT neardup_untrack('docs');
ALTER TABLE whole ATTACH PARTITION docs DEFAULT;
ROLLBACK;
DROP TABLE whole, parent;

-- Copies and many rows at once go through the join.
INSERT INTO docs SELECT 1000 + i, 'row number ' || i % 7 || ' of ' || i / 20 || ' rows, which is one of many' FROM generate_series(1, 160) i;
SELECT * FROM wrong('docs_neardup', 'SELECT id, word_tokens(coalesce(body, '''')) FROM docs', 0.6);
DELETE FROM docs WHERE id > 1000 AND id % 3 = 0;
UPDATE docs SET body = body || id % 2 WHERE id > 1000;
SELECT * FROM wrong('docs_neardup', 'SELECT id, word_tokens(coalesce(body, '''')) FROM docs', 0.6);
SELECT refreshed('docs');
DELETE FROM docs WHERE id > 1000;

-- A writer needs rights on the table alone, has none on the clusters, and gains none.
SELECT neardup_refresh('docs');
GRANT INSERT, UPDATE, DELETE, SELECT, TRIGGER ON docs TO regress_track_writer;
RESET ROLE;
SET ROLE regress_track_writer;
CREATE TABLE regress_track_hostile.caught (who name, what text);
CREATE FUNCTION regress_track_hostile.spy(what text) RETURNS void LANGUAGE sql AS $$ INSERT INTO regress_track_hostile.caught VALUES (current_user, what) $$;
CREATE FUNCTION regress_track_hostile.equal(int, int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM regress_track_hostile.spy('int ='); RETURN true; END $$;
CREATE OPERATOR regress_track_hostile.= (FUNCTION = regress_track_hostile.equal, LEFTARG = int, RIGHTARG = int);
CREATE FUNCTION regress_track_hostile.equal(tokenset, tokenset) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM regress_track_hostile.spy('tokenset ='); RETURN true; END $$;
CREATE OPERATOR regress_track_hostile.= (FUNCTION = regress_track_hostile.equal, LEFTARG = tokenset, RIGHTARG = tokenset);
CREATE FUNCTION regress_track_hostile.word_tokens(text) RETURNS tokenset LANGUAGE plpgsql AS $$ BEGIN PERFORM regress_track_hostile.spy('word_tokens'); RETURN '{}'; END $$;
CREATE FUNCTION regress_track_hostile.jaccard_ge(tokenset, tokenset, float8) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM regress_track_hostile.spy('jaccard_ge'); RETURN true; END $$;
CREATE FUNCTION regress_track_hostile.format(text, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM regress_track_hostile.spy('format'); RETURN $1; END $$;
CREATE FUNCTION regress_track_hostile.cardinality(tokenset) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM regress_track_hostile.spy('cardinality'); RETURN 1; END $$;
CREATE FUNCTION regress_track_hostile.nextval(text) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN PERFORM regress_track_hostile.spy('nextval'); RETURN 1; END $$;
CREATE TEMP TABLE docs_neardup (key int, member bigint, cluster bigint, tokens tokenset);
CREATE TEMP TABLE pg_class AS SELECT * FROM pg_catalog.pg_class;
CREATE TEMP TABLE neardup_tracked AS SELECT * FROM public.neardup_tracked;
SET search_path = regress_track_hostile, pg_temp, pg_catalog, public;
SET gin_fuzzy_search_limit = 1;
INSERT INTO docs VALUES (500, 'a b c d e more'), (501, 'hostile');
INSERT INTO docs VALUES (502, 'hostile');
UPDATE docs SET body = 'a b c d e more hostile' WHERE id OPERATOR(pg_catalog.=) 501;
DELETE FROM docs WHERE id OPERATOR(pg_catalog.=) 500;
RESET gin_fuzzy_search_limit;
SELECT * FROM regress_track_hostile.caught;
SELECT count(*) FROM docs_neardup;
DROP TABLE docs_neardup, pg_class, neardup_tracked;
SET search_path = public, pg_catalog;
SELECT count(*) FROM docs_neardup;
UPDATE docs_neardup SET cluster = 0;
DELETE FROM docs_neardup_log;
UPDATE docs_neardup_state SET frozen = 0;
SELECT neardup_track_write();
SELECT neardup_refresh('docs');
SELECT neardup_untrack('docs');
SELECT neardup_track_entry('docs');
CREATE TABLE regress_track_hostile.mine (id int PRIMARY KEY, body text);
CREATE TRIGGER borrowed AFTER INSERT ON regress_track_hostile.mine FOR EACH STATEMENT EXECUTE FUNCTION neardup_track_write();
INSERT INTO regress_track_hostile.mine VALUES (1, 'a');
DROP TRIGGER borrowed ON regress_track_hostile.mine;
-- The function is of use to the triggers of neardup_track alone.
CREATE TRIGGER borrowed AFTER INSERT ON docs FOR EACH STATEMENT EXECUTE FUNCTION neardup_track_write();
INSERT INTO docs (id, body) VALUES (510, 'a');
CREATE OR REPLACE TRIGGER borrowed AFTER INSERT ON docs FOR EACH ROW EXECUTE FUNCTION neardup_track_write();
INSERT INTO docs (id, body) VALUES (510, 'a');
RESET ROLE;
DROP TRIGGER borrowed ON docs;
SET ROLE regress_track_writer;
INSERT INTO neardup_tracked VALUES ('regress_track_hostile.mine', 1, 'connected', 'docs_neardup', 'docs_neardup_state', 'docs_neardup_log', 'docs_neardup_source');
DELETE FROM neardup_tracked;
UPDATE neardup_tracked SET threshold = 1;
DROP TABLE regress_track_hostile.mine;
RESET search_path;
RESET ROLE;
SET ROLE regress_track_owner;
SELECT * FROM wrong('docs_neardup', 'SELECT id, word_tokens(coalesce(body, '''')) FROM docs', 0.6);
SELECT refreshed('docs');

-- Row-level security of the table: the clusters are those of all rows, whoever writes.
CREATE POLICY own_rows ON docs FOR ALL TO regress_track_writer USING (id >= 600) WITH CHECK (id >= 600);
ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
SET ROLE NONE;
SET ROLE regress_track_writer;
INSERT INTO docs VALUES (600, 'a b c d e more hostile');
SELECT id FROM docs;
SET ROLE NONE;
SET ROLE regress_track_owner;
SELECT count(DISTINCT cluster) FROM docs_neardup WHERE key IN (501, 600);
SELECT * FROM wrong('docs_neardup', 'SELECT id, word_tokens(coalesce(body, '''')) FROM docs', 0.6);
ALTER TABLE docs FORCE ROW LEVEL SECURITY;
SET ROLE NONE;
SET ROLE regress_track_writer;
INSERT INTO docs VALUES (601, 'forced');
SET ROLE NONE;
SET ROLE regress_track_owner;
SELECT neardup_refresh('docs');
ALTER TABLE docs NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;
SELECT refreshed('docs');

-- A new owner must track anew.
SET ROLE NONE;
BEGIN;
ALTER TABLE docs OWNER TO CURRENT_USER;
SAVEPOINT s;
INSERT INTO docs VALUES (700, 'owner');
ROLLBACK TO s;
SELECT neardup_untrack('docs');
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
INSERT INTO docs VALUES (700, 'owner');
SELECT refreshed('docs');
ROLLBACK;
-- A superuser's call makes objects of the table's owner.
SELECT neardup_untrack('docs');
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
SELECT relname, relowner::regrole FROM pg_class WHERE relname LIKE 'docs\_neardup%' AND relkind IN ('r', 'v', 'S') ORDER BY 1;
SET ROLE regress_track_owner;
INSERT INTO docs VALUES (800, 'a b c d e more');
SELECT refreshed('docs');
-- A superuser's call lends no rights to the owner: not at the end of the transaction, and settings stay.
CREATE TABLE acted (by_whom name);
CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.acted VALUES (current_user);
    PERFORM set_config('neardup.similarity_threshold', '0.1', false);
    RETURN NULL;
END $$;
CREATE TRIGGER act AFTER UPDATE ON docs_neardup_state FOR EACH ROW EXECUTE FUNCTION act();
SET ROLE NONE;
SELECT refreshed('docs');
SELECT * FROM acted;
SHOW neardup.similarity_threshold;
SET ROLE regress_track_owner;
DROP TRIGGER act ON docs_neardup_state;
CREATE CONSTRAINT TRIGGER act AFTER UPDATE ON docs_neardup_state DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION act();
SET ROLE NONE;
SELECT refreshed('docs');
SET ROLE regress_track_owner;
SELECT * FROM acted;
DROP TRIGGER act ON docs_neardup_state;
DROP FUNCTION act;
DROP TABLE acted;
-- An entry cannot name what is yet to be made.
INSERT INTO neardup_tracked VALUES ('docs_neardup', 1, 'connected', '4000000001', '4000000002', '4000000003', '4000000004');

-- Nothing is left.
SELECT neardup_untrack('docs');
SELECT relname FROM pg_class WHERE relname LIKE '%neardup\_%' AND relowner = 'regress_track_owner'::regrole;
SELECT tgname FROM pg_trigger WHERE tgrelid = 'docs'::regclass;
SELECT count(*) FROM neardup_tracked;
INSERT INTO docs VALUES (900, 'untracked');
SELECT neardup_untrack('docs');
SELECT neardup_refresh('docs');

-- Other keys and tokens.
CREATE TABLE tagged ("Name" text COLLATE "C", tags int[], note json, UNIQUE ("Name"));
ALTER TABLE tagged ALTER "Name" SET NOT NULL;
INSERT INTO tagged VALUES ('b', '{1,2,3}', '{}'), ('B', '{1,2,3,4}', '{}'), ('', '{9}', '{}');
SELECT neardup_track('tagged', 'Name', 'tags::tokenset -- what the row is tagged with', 0.75);
INSERT INTO tagged VALUES ('it''s', '{1,2,3,4,5}', '{}'), ('{",}', NULL, '{}');
UPDATE tagged SET note = '{"a": 1}';
SELECT * FROM wrong('tagged_neardup', 'SELECT "Name", coalesce(tags, ''{}'')::tokenset FROM tagged', 0.75);
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
SELECT * FROM wrong('moody_neardup', 'SELECT mood, word_tokens(body) FROM moody', 0.5);
SELECT refreshed('moody');
SELECT neardup_untrack('moody');
DROP TABLE moody, moods;
DROP TYPE mood;
CREATE TABLE people (email uuid PRIMARY KEY, name text, grams tokenset GENERATED ALWAYS AS (qgram_tokens(name, 2)) STORED);
SELECT neardup_track('people', 'email', 'grams', 1);
INSERT INTO people SELECT ('00000000-0000-0000-0000-00000000000' || i)::uuid, 'John Smith ' || i / 3 FROM generate_series(1, 8) i;
UPDATE people SET name = 'John Smith 0' WHERE name = 'John Smith 1';
SELECT * FROM wrong('people_neardup', 'SELECT email, grams FROM people', 1);
DROP TABLE people CASCADE;
-- What is left of a table that is gone is the owner's, and its entry goes with the next call.
SELECT count(*) FROM people_neardup;
SELECT count(*) FROM neardup_tracked;
SET ROLE NONE;
SET ROLE regress_track_writer;
CREATE TABLE regress_track_hostile.other (id int PRIMARY KEY, body text);
SELECT neardup_track('regress_track_hostile.other', 'id', 'word_tokens(body)', 0.6);
SELECT rel FROM neardup_tracked;
SELECT neardup_untrack('regress_track_hostile.other');
DROP TABLE regress_track_hostile.other;
SET ROLE NONE;
SET ROLE regress_track_owner;
DROP TABLE people_neardup, people_neardup_log, people_neardup_state;

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
SELECT refreshed('tagged');
-- Writes that fire no triggers are not seen, and are repaired.
SET ROLE NONE;
SET session_replication_role = replica;
INSERT INTO tagged VALUES ('replica', '{1,2,3}', '{}');
DELETE FROM tagged WHERE "Name" = 'b';
RESET session_replication_role;
SELECT difference, key FROM neardup_refresh('tagged') ORDER BY 1, 2;
SELECT * FROM wrong('tagged_neardup', 'SELECT "Name", coalesce(tags, ''{}'')::tokenset FROM tagged', 0.75);
SET ROLE regress_track_owner;
SELECT neardup_untrack('tagged');

-- What cannot be tracked.
SELECT neardup_track(NULL, 'id', 'word_tokens(body)', 0.6);
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 1.2);
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 'NaN');
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6, 'star');
SELECT neardup_track('docs', 'id', 'body', 0.6);
SELECT neardup_track('docs', 'id', 'word_tokens(bod)', 0.6);
SELECT neardup_track('docs', 'id', 'word_tokens(body), 1', 0.6);
SELECT neardup_track('docs', 'id', 'word_tokens(body)) FROM docs; SELECT (1', 0.6);
SELECT neardup_track('docs', 'id', 'tokenset(to_tsvector(body))', 0.6);
SELECT neardup_track('docs', 'id', 'tokenset_union_agg(word_tokens(body))', 0.6);
SELECT neardup_track('docs', 'id', '(SELECT word_tokens(max(d.body)) FROM docs d)', 0.6);
SELECT neardup_track('docs', 'no', 'word_tokens(body)', 0.6);
SELECT neardup_track('docs', 'body', 'word_tokens(body)', 0.6);
CREATE VIEW docs_view AS SELECT * FROM docs;
SELECT neardup_track('docs_view', 'id', 'word_tokens(body)', 0.6);
CREATE TABLE parted (id int PRIMARY KEY, body text) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF parted DEFAULT;
SELECT neardup_track('parted', 'id', 'word_tokens(body)', 0.6);
SELECT neardup_track('part', 'id', 'word_tokens(body)', 0.6);
CREATE UNLOGGED TABLE fleeting (id int PRIMARY KEY, body text);
SELECT neardup_track('fleeting', 'id', 'word_tokens(body)', 0.6);
ALTER TABLE docs FORCE ROW LEVEL SECURITY;
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
ALTER TABLE docs NO FORCE ROW LEVEL SECURITY;
BEGIN;
CREATE VIEW docs_neardup_log AS SELECT;
CREATE TRIGGER neardup_insert AFTER INSERT ON docs EXECUTE FUNCTION neardup_track_write();
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
ROLLBACK;
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
BEGIN;
ALTER TABLE docs RENAME TO papers;
CREATE TABLE docs (id int PRIMARY KEY, body text);
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
ROLLBACK;
SELECT neardup_untrack('docs');
RESET ROLE;
SET ROLE regress_track_writer;
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
RESET ROLE;

-- A row becomes a copy of another in a statement of more rows than are looked up one by one.
CREATE TABLE many (id int PRIMARY KEY, body text);
INSERT INTO many SELECT i, 'alpha' || i || ' beta' || i FROM generate_series(1, 110) i;
SELECT neardup_track('many', 'id', 'word_tokens(body)', 0.8);
INSERT INTO many VALUES (1000, 'the target text');
UPDATE many SET body = CASE id WHEN 1 THEN 'the target text' ELSE 'gamma' || id || ' delta' || id END WHERE id <= 110;
SELECT cluster, array_agg(key ORDER BY key) FROM many_neardup GROUP BY cluster HAVING count(*) > 1;
SELECT refreshed('many');
SELECT neardup_untrack('many');
DROP TABLE many;

-- The tokens that are locked last are chosen anew as the table grows, by one row or by many.
CREATE TABLE grown (id int PRIMARY KEY, body text);
SELECT neardup_track('grown', 'id', 'word_tokens(body)', 0.8);
SELECT frequent, frozen < 10 AS early FROM grown_neardup_state;
DO $$ BEGIN FOR i IN 1..600 LOOP INSERT INTO grown VALUES (i, 'common word' || i); END LOOP; END $$;
SELECT frequent = word_tokens('common')::bigint[] AS chosen, frozen > 500 AS later FROM grown_neardup_state;
INSERT INTO grown SELECT i, 'frequent common word' || i FROM generate_series(1001, 4000) i;
SELECT frequent = ARRAY(SELECT unnest(word_tokens(w)) FROM (VALUES (1, 'frequent'), (2, 'common')) AS v (n, w) ORDER BY n) AS chosen, frozen > 3000 AS later
FROM grown_neardup_state;
SELECT refreshed('grown');
SELECT neardup_untrack('grown');
DROP TABLE grown;

-- The owner may have changed the relations that a table is tracked with: their columns are not trusted.
CREATE TABLE altered (id int PRIMARY KEY, body text);
INSERT INTO altered VALUES (1, 'one text'), (2, 'another one');
SELECT neardup_track('altered', 'id', 'word_tokens(body)', 0.8);
\set VERBOSITY terse
BEGIN;
ALTER TABLE altered_neardup DROP tokens, ADD tokens int DEFAULT 12345;
UPDATE altered SET body = 'other' WHERE id = 1;
ROLLBACK;
BEGIN;
ALTER TABLE altered_neardup ALTER tokens DROP NOT NULL;
UPDATE altered_neardup SET tokens = NULL;
UPDATE altered SET body = 'other' WHERE id = 1;
ROLLBACK;
BEGIN;
ALTER TABLE altered_neardup ALTER cluster TYPE numeric;
SELECT neardup_refresh('altered');
ROLLBACK;
BEGIN;
DROP VIEW altered_neardup_source;
CREATE VIEW altered_neardup_source AS SELECT body AS key, 12345 AS tokens FROM altered;
UPDATE neardup_tracked SET source = 'altered_neardup_source'::regclass WHERE rel = 'altered'::regclass;
INSERT INTO altered VALUES (3, 'a third one');
ROLLBACK;
BEGIN;
CREATE VIEW elsewhere AS SELECT body AS key, word_tokens(body) AS tokens FROM (SELECT body FROM altered) AS a;
UPDATE neardup_tracked SET source = 'elsewhere'::regclass WHERE rel = 'altered'::regclass;
INSERT INTO altered VALUES (3, 'a third one');
ROLLBACK;
BEGIN;
CREATE VIEW members AS SELECT '(0,1)'::tid AS ctid, 1 AS key, 1::bigint AS member, 1::bigint AS cluster, '{}'::tokenset AS tokens;
CREATE SEQUENCE numbers OWNED BY members.member;
UPDATE neardup_tracked SET members = 'members'::regclass WHERE rel = 'altered'::regclass;
INSERT INTO altered VALUES (3, 'a third one');
ROLLBACK;
\set VERBOSITY default
INSERT INTO altered VALUES (3, 'a third one');
SELECT refreshed('altered');
SELECT neardup_untrack('altered');
DROP TABLE altered;

-- Within a scope: clusters have rows of equal values alone, NULL among them. A row whose scope changes moves.
CREATE TABLE facts (id int PRIMARY KEY, owner bigint, lang text, body text, note text);
INSERT INTO facts VALUES (1, 1, 'en', 'the cat sat on a mat'), (2, 2, 'en', 'the cat sat on a mat'), (3, 1, 'en', 'a cat sat on the mat'),
    (4, 1, NULL, 'the cat sat on a mat'), (5, 1, NULL, 'a cat sat on the mat'), (6, NULL, 'en', 'the cat sat on a mat'), (7, 1, 'en', NULL), (8, 1, 'en', NULL);
SELECT neardup_track('facts', 'id', 'word_set(body)', 0.8, within => 'owner, lower(lang)');
CREATE FUNCTION together(OUT rows text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT string_agg(key::text, ' ' ORDER BY key) FROM facts_neardup GROUP BY cluster ORDER BY min(key) $$;
SELECT * FROM together();
UPDATE facts SET owner = 1 WHERE id = 2;
UPDATE facts SET owner = 2, lang = 'EN' WHERE id = 3;
INSERT INTO facts VALUES (9, 2, 'En', 'on a mat sat the cat'), (10, NULL, 'en', 'on a mat sat the cat'), (11, 1, 'de', 'on a mat sat the cat');
SELECT * FROM together();
SELECT key FROM facts_neardup WHERE jaccard_ge(tokens, tokens_within(word_set('the cat sat on the mat'), ROW(2, 'en'::text)), 0.8) ORDER BY key;
-- Many rows at once, and what is alike in all scopes, against a join of the rows of one scope each.
INSERT INTO facts SELECT n, nullif(n % 7, 0), CASE WHEN n % 2 = 0 THEN 'en' END, 'w' || n % 5 || ' w' || n % 3 || ' x y z' FROM generate_series(100, 400) n;
UPDATE facts SET owner = owner + 1 WHERE id % 4 = 1;
UPDATE facts SET lang = 'de' WHERE id % 50 = 2;
DELETE FROM facts WHERE id % 9 = 1;
UPDATE facts SET note = 'not a part of it';
WITH RECURSIVE pair AS MATERIALIZED (
    SELECT x.id AS a, y.id AS b FROM facts x JOIN facts y ON jaccard_ge(word_set(x.body), word_set(y.body), 0.8)
        AND x.owner IS NOT DISTINCT FROM y.owner AND lower(x.lang) IS NOT DISTINCT FROM lower(y.lang)),
reached AS (SELECT id, id AS other FROM facts UNION SELECT r.id, p.b FROM reached r JOIN pair p ON p.a = r.other),
fresh AS (SELECT id, min(other) AS first FROM reached GROUP BY id),
tracked AS (SELECT key, min(key) OVER (PARTITION BY cluster) FROM facts_neardup)
SELECT count(*) AS rows, count(DISTINCT first) AS clusters, (SELECT count(*) FROM (TABLE fresh EXCEPT TABLE tracked) x) AS missing,
       (SELECT count(*) FROM (TABLE tracked EXCEPT TABLE fresh) x) AS surplus FROM fresh;
SELECT refreshed('facts');
SELECT neardup_untrack('facts');
SELECT neardup_track('facts', 'id', 'word_set(body)', 0.8, within => 'owner + random()');
SELECT neardup_track('facts', 'id', 'word_set(body)', 0.8, within => 'count(*)');
SELECT neardup_track('facts', 'id', 'word_set(body)', 0.8, within => 'point(1, owner)');
SELECT neardup_track('facts', 'id', 'word_set(body)', 0.8, within => 'nothing');
SELECT neardup_track('facts', 'id', 'word_set(body)', 0.8, within => '');
SELECT neardup_track('facts', 'id', 'word_set(body)', 0.8, within => '''x''');
SELECT neardup_track('facts', 'id', 'word_set(body)', 0.8, within => 'owner, ARRAY[owner]');
-- The call itself evaluates nothing, which would be with the rights of the caller.
DELETE FROM facts;
ALTER TABLE facts ALTER owner SET NOT NULL;
ALTER TABLE facts RENAME TO neardup_track;
SELECT neardup_track('neardup_track', 'id', 'word_set(body)', 0.8, within => '100 / coalesce(owner, 0)');
SELECT neardup_untrack('neardup_track');
DROP TABLE neardup_track;
DROP FUNCTION together;
-- Equal values have equal tokens, whatever their bytes; others have other tokens, also where their hashes are equal.
SELECT hashint8extended(1, 0) = hashint8extended(4294967296, 0) AS equal_hashes, tokens_within('{1,2}', ROW(1::bigint)) && tokens_within('{1,2}', ROW(4294967296)) AS met;
SELECT n, tokens_within('{1,2}', a) = tokens_within('{1,2}', b) AS same FROM (VALUES
    (1, ROW(1.0), ROW(1.00)), (2, ROW('-0'::float8), ROW(0::float8)), (3, ROW('a '::char(3)), ROW('a'::char(3))), (4, ROW(-1::int2), ROW(-1::bigint)),
    (5, ROW('a'::text, 'b'::text), ROW('a'::varchar, 'b'::varchar)), (6, ROW(md5('a')::uuid), ROW(md5('a')::uuid)), (7, ROW('infinity'::numeric), ROW('infinity'::numeric)), (8, ROW(1::numeric), ROW(-1::numeric)), (9, ROW('NaN'::numeric), ROW('infinity'::numeric)),
    (10, ROW(100::numeric), ROW(1e2::numeric)),
    (11, ROW(NULL::int), ROW(0)), (12, ROW('a'::text, 'b'::text), ROW('b'::text, 'a'::text)), (13, ROW('ab'::text, ''::text), ROW('a'::text, 'b'::text)),
    (14, ROW(NULL::int, 1), ROW(1, NULL::int)), (15, ROW(md5('a')::uuid), ROW(md5('b')::uuid)), (16, ROW(1), ROW(1, NULL::int)), (17, ROW(true), ROW(false))) v (n, a, b) ORDER BY n;
SELECT tokens_within('{1}', ROW('1 day'::interval));
SELECT tokens_within('{1,2,3}', ROW(1)) = tokens_within('{1,2,3}', ROW(1::bigint)) AS same_value, tokens_within('{1,2}', ROW(NULL::int)) = tokens_within('{1,2}', ROW(NULL::text)) AS both_null,
       tokens_within('{1,2,3}', ROW(1)) && tokens_within('{1,2,3}', ROW(2)) AS others, jaccard(tokens_within('{1,2,3}', ROW('a'::text, 1)), tokens_within('{2,3,4}', ROW('a'::text, 1)));
-- The same tokens on every platform, whatever it passes by value.
SELECT tokens_within('{1}', ROW(-1)) AS int4, tokens_within('{1}', ROW(-1::int8)) AS int8, tokens_within('{1}', ROW(1::int8 << 40)) AS large, tokens_within('{1}', ROW(date '1999-12-31')) AS date,
       tokens_within('{1}', ROW(timestamptz '1999-12-31 0:00Z')) AS time, tokens_within('{1}', ROW(true)) AS bool, tokens_within('{1}', ROW(macaddr8 '08:00:2b:01:02:03:04:05')) AS bytes;

SET client_min_messages = warning;
DROP TABLE parted, fleeting, tagged, docs CASCADE;
DROP SCHEMA regress_track_hostile, regress_track_other CASCADE;
DROP FUNCTION wrong, connected, refreshed;
REVOKE CREATE ON SCHEMA public FROM regress_track_owner;
DROP ROLE regress_track_owner, regress_track_writer;
