-- What becomes of clusters when their table is renamed, altered, or made a part of another.
\getenv source PG_ABS_SRCDIR
\i :source/sql/include/track.sql
SET ROLE regress_track_owner;
CREATE TABLE docs (id int PRIMARY KEY, body text, views int DEFAULT 0);
INSERT INTO docs VALUES (1, 'a b c d e'), (2, 'a b c d f'), (3, 'x y z'), (4, ''), (5, NULL);
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6);

-- Columns, table and schema may be renamed; what the clusters depend on cannot be dropped or change its type.
ALTER TABLE docs RENAME body TO "Body text";
ALTER TABLE docs RENAME id TO "the key";
ALTER TABLE docs RENAME TO "Some docs";
INSERT INTO "Some docs" VALUES (300, 'k l m n o p');
UPDATE "Some docs" SET "the key" = 301 WHERE "the key" = 300;
SELECT pg_temp.refreshed('"Some docs"');
ALTER TABLE "Some docs" RENAME TO docs;
RESET ROLE;
CREATE SCHEMA regress_track_other AUTHORIZATION regress_track_owner;
ALTER TABLE docs SET SCHEMA regress_track_other;
SET ROLE regress_track_owner;
DELETE FROM regress_track_other.docs WHERE "the key" = 301;
SELECT pg_temp.refreshed('regress_track_other.docs');
ALTER TABLE regress_track_other.docs SET SCHEMA public;
ALTER TABLE docs RENAME "Body text" TO body;
ALTER TABLE docs RENAME "the key" TO id;
\set VERBOSITY sqlstate
ALTER TABLE docs ALTER body TYPE varchar(100);
ALTER TABLE docs DROP COLUMN body;
\set VERBOSITY default
ALTER TABLE docs ALTER views TYPE bigint;
ALTER TABLE docs DROP COLUMN views;
SELECT pg_temp.refreshed('docs');
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
-- The message names a trigger, which is another one before PostgreSQL 16.10 and its contemporaries.
\set VERBOSITY sqlstate
ALTER TABLE whole ATTACH PARTITION docs DEFAULT;
ALTER TABLE docs INHERIT parent;
BEGIN;
ALTER TABLE docs ENABLE TRIGGER USER;
DELETE FROM docs WHERE id % 2 = 0;
SELECT pg_temp.refreshed('docs');
ALTER TABLE docs INHERIT parent;
\set VERBOSITY default
ROLLBACK;
BEGIN;
SELECT neardup_untrack('docs');
ALTER TABLE whole ATTACH PARTITION docs DEFAULT;
ROLLBACK;
DROP TABLE whole, parent;

SET ROLE NONE;
SET client_min_messages = warning;
DROP OWNED BY regress_track_owner, regress_track_writer CASCADE;
DROP ROLE regress_track_owner, regress_track_writer;
