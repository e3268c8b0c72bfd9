-- A feed is read again and again: "fetched" (url, title, body text, posted timestamptz) has its items, "articles" has the
-- same columns, an id with a default and "times". An item that resembles an article of the days around its own time is
-- counted up there, as another paper's copy of it or because it was fetched before; others become articles, old ones too.
--   psql -v days=14 -f feed.sql
SELECT :{?days} AS is_called \gset
\if :is_called \else \warn 'feed.sql needs the variable days, as its head says' \quit \endif
CREATE EXTENSION IF NOT EXISTS neardup_clean;
BEGIN;
-- A statement of its own, so that the next one sees the articles that it has inserted.
CREATE TEMP TABLE found ON COMMIT DROP AS
SELECT * FROM insert_or_find_rows('articles', (SELECT jsonb_agg(to_jsonb(f) ORDER BY posted) FROM fetched AS f), 'id',
    'shingle_set(body, 2)', 0.5, among => format('posted BETWEEN new.posted - %1$L * interval ''1 day'' AND new.posted + %1$L * interval ''1 day''', :'days'));
UPDATE articles AS a SET times = a.times + c.copies
FROM (SELECT key, count(*) AS copies FROM found WHERE NOT inserted GROUP BY key) AS c WHERE a.id = c.key::int;
TRUNCATE fetched;
COMMIT;
