-- Who may write a tracked table and its clusters, and with whose rights.
\getenv source PG_ABS_SRCDIR
\i :source/sql/include/track.sql
CREATE SCHEMA regress_track_hostile AUTHORIZATION regress_track_writer;
SET ROLE regress_track_owner;
CREATE TABLE docs (id int PRIMARY KEY, body text);
INSERT INTO docs VALUES (1, 'a b c d e'), (2, 'a b c d f'), (3, 'x y z'), (4, ''), (5, NULL);
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);

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
SELECT * FROM pg_temp.wrong();
SELECT pg_temp.refreshed('docs');

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
SELECT * FROM pg_temp.wrong();
ALTER TABLE docs FORCE ROW LEVEL SECURITY;
SET ROLE NONE;
SET ROLE regress_track_writer;
INSERT INTO docs VALUES (601, 'forced');
SET ROLE NONE;
SET ROLE regress_track_owner;
SELECT neardup_refresh('docs');
ALTER TABLE docs NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;
SELECT pg_temp.refreshed('docs');

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
SELECT pg_temp.refreshed('docs');
ROLLBACK;
-- A superuser's call makes objects of the table's owner.
SELECT neardup_untrack('docs');
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);
SELECT relname, relowner::regrole FROM pg_class WHERE relname LIKE 'docs\_neardup%' AND relkind IN ('r', 'v', 'S') ORDER BY 1;
SET ROLE regress_track_owner;
INSERT INTO docs VALUES (800, 'a b c d e more');
SELECT pg_temp.refreshed('docs');
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
SELECT pg_temp.refreshed('docs');
SELECT * FROM acted;
SHOW neardup.similarity_threshold;
SET ROLE regress_track_owner;
DROP TRIGGER act ON docs_neardup_state;
CREATE CONSTRAINT TRIGGER act AFTER UPDATE ON docs_neardup_state DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION act();
SET ROLE NONE;
SELECT pg_temp.refreshed('docs');
SET ROLE regress_track_owner;
SELECT * FROM acted;
DROP TRIGGER act ON docs_neardup_state;
DROP FUNCTION act;
DROP TABLE acted;
-- An entry cannot name what is yet to be made.
INSERT INTO neardup_tracked VALUES ('docs_neardup', 1, 'connected', '4000000001', '4000000002', '4000000003', '4000000004');

RESET ROLE;
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
SELECT pg_temp.refreshed('altered');
SELECT neardup_untrack('altered');
DROP TABLE altered;

SET ROLE NONE;
SET client_min_messages = warning;
DROP OWNED BY regress_track_owner, regress_track_writer CASCADE;
DROP ROLE regress_track_owner, regress_track_writer;
