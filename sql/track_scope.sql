-- Tracked clusters within a scope, and the tokens of a set within it.
\getenv source PG_ABS_SRCDIR
\i :source/sql/include/track.sql
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
SELECT pg_temp.refreshed('facts');
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

SET ROLE NONE;
SET client_min_messages = warning;
DROP OWNED BY regress_track_owner, regress_track_writer CASCADE;
DROP ROLE regress_track_owner, regress_track_writer;
