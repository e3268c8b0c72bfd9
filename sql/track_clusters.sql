-- Tracked clusters: what they are, and what keeps them so.
\getenv source PG_ABS_SRCDIR
\i :source/sql/include/track.sql
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
SELECT * FROM pg_temp.wrong();
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
SELECT * FROM pg_temp.wrong();
ROLLBACK;
-- So does a row with a long prefix.
BEGIN;
INSERT INTO docs SELECT 5000, string_agg('w' || i, ' ') FROM generate_series(1, 1000) i;
SELECT objsubid, mode, count(*) FROM pg_locks WHERE locktype = 'userlock' AND pid = pg_backend_pid() GROUP BY 1, 2 ORDER BY 1, 2;
ROLLBACK;
-- Keys may move, through one another too.
UPDATE docs SET id = 100 - id WHERE id <> 50;
SELECT * FROM pg_temp.wrong();
BEGIN;
INSERT INTO docs VALUES (99, 'new', 0), (1, 'now of 1', 0) ON CONFLICT (id) DO UPDATE SET body = excluded.body;
MERGE INTO docs d USING (VALUES (1, 'gone'), (88, 'k l m n o p'), (2, 'k l m n o p q r')) n (id, body) ON d.id = n.id
WHEN MATCHED AND n.body = 'gone' THEN DELETE WHEN MATCHED THEN UPDATE SET body = n.body WHEN NOT MATCHED THEN INSERT VALUES (n.id, n.body, 0);
SELECT * FROM pg_temp.wrong();
SAVEPOINT s;
DELETE FROM docs;
SELECT count(*) FROM docs_neardup;
ROLLBACK TO s;
SELECT * FROM pg_temp.wrong();
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
SELECT * FROM pg_temp.wrong();
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
SELECT * FROM pg_temp.wrong();
DROP TRIGGER twice ON docs;
DROP FUNCTION twice();

-- Copies and many rows at once go through the join.
INSERT INTO docs SELECT 1000 + i, 'row number ' || i % 7 || ' of ' || i / 20 || ' rows, which is one of many' FROM generate_series(1, 160) i;
SELECT * FROM pg_temp.wrong();
DELETE FROM docs WHERE id > 1000 AND id % 3 = 0;
UPDATE docs SET body = body || id % 2 WHERE id > 1000;
SELECT * FROM pg_temp.wrong();
SELECT pg_temp.refreshed('docs');

-- A row becomes a copy of another in a statement of more rows than are looked up one by one.
CREATE TABLE many (id int PRIMARY KEY, body text);
INSERT INTO many SELECT i, 'alpha' || i || ' beta' || i FROM generate_series(1, 110) i;
SELECT neardup_track('many', 'id', 'word_tokens(body)', 0.8);
INSERT INTO many VALUES (1000, 'the target text');
UPDATE many SET body = CASE id WHEN 1 THEN 'the target text' ELSE 'gamma' || id || ' delta' || id END WHERE id <= 110;
SELECT cluster, array_agg(key ORDER BY key) FROM many_neardup GROUP BY cluster HAVING count(*) > 1;
SELECT pg_temp.refreshed('many');
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
SELECT pg_temp.refreshed('grown');
SELECT neardup_untrack('grown');
DROP TABLE grown;

-- Rows of equal sets are in one cluster; rows without tokens are alone.
SELECT string_agg(id || ' in ' || cluster, ', ' ORDER BY id)
FROM neardup_components('SELECT i, CASE WHEN i % 5 = 0 THEN ''{}'' ELSE ARRAY[i % 3, 7] END FROM generate_series(1, 11) i', 0.5);

SET ROLE NONE;
SET client_min_messages = warning;
DROP OWNED BY regress_track_owner, regress_track_writer CASCADE;
DROP ROLE regress_track_owner, regress_track_writer;
