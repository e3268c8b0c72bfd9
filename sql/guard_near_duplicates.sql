--
-- guard_near_duplicates: what writers insert who only know INSERT.
--
CREATE EXTENSION neardup_clean;
CREATE TABLE errors (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, app text, trace text, seen numeric, at date NOT NULL DEFAULT '2024-01-01',
    words tokenset GENERATED ALWAYS AS (word_tokens(trace)) STORED);
SELECT guard_near_duplicates('errors', 'id', 'words', 0.6, within => 'lower(app)', among => 'at > ''2022-01-01''', action => 'count', counter => 'seen');
SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'errors'::regclass;

-- Rows of one statement are compared with each other, too, however it writes them.
INSERT INTO errors (app, trace) VALUES ('a', 'at foo bar baz line 1'), ('A', 'at foo bar baz line 2'), ('b', 'at foo bar baz line 2'), ('a', 'quite another one'), ('a', 'at foo bar baz line 3');
INSERT INTO errors (app, trace, at) VALUES ('c', 'too old to count', '2020-01-01'), ('c', 'too old to count', '2024-01-01'), ('c', 'too old to count!', '2024-01-01') RETURNING id;
COPY errors (app, trace) FROM STDIN;
a	at foo bar baz line 4
d	at foo bar baz line 4
d	at foo bar baz line 5
\.
SELECT id, app, trace, seen FROM errors ORDER BY id;

-- What is written is what a loop of comparisons would write.
CREATE TABLE news AS SELECT n, 'w' || n * 7919 % 23 || ' v' || n * 7919 % 23 || ' u' || n * 7919 % 23 || CASE WHEN n % 3 = 0 THEN ' x' || n ELSE '' END AS body FROM generate_series(1, 200) AS n;
CREATE TABLE guarded (id int PRIMARY KEY, body text);
CREATE TABLE looped (id int PRIMARY KEY, body text);
SELECT guard_near_duplicates('guarded', 'id', 'word_tokens(body)', 0.7);
INSERT INTO guarded SELECT * FROM news ORDER BY n;
DO $$
BEGIN
    FOR i IN 1 .. 200 LOOP
        INSERT INTO looped SELECT n, body FROM news WHERE n = i AND NOT EXISTS (SELECT FROM looped AS l WHERE jaccard(word_tokens(l.body), word_tokens(news.body)) >= 0.7);
    END LOOP;
END $$;
SELECT count(*), count(*) FILTER (WHERE g.id IS DISTINCT FROM l.id) AS differing FROM guarded AS g FULL JOIN looped AS l USING (id);

-- An error names the row that is there.
CREATE TABLE docs (id uuid PRIMARY KEY, owner int, body text);
SELECT guard_near_duplicates('docs', 'id', 'word_tokens(body)', 0.7, 'containment', within => 'owner', action => 'raise');
INSERT INTO docs VALUES ('00000000-0000-0000-0000-000000000001', 1, 'one two three four five'), ('00000000-0000-0000-0000-000000000002', 2, 'one two three');
\set VERBOSITY default
\set SHOW_CONTEXT never
INSERT INTO docs VALUES ('00000000-0000-0000-0000-000000000003', 1, 'two three four');
-- It is one trigger for the partitions of a table, which looks into all of them; a partition may have columns in another order.
CREATE TABLE posts (id int, day int, body text, times int DEFAULT 1) PARTITION BY RANGE (day);
CREATE TABLE posts_1 PARTITION OF posts FOR VALUES FROM (1) TO (10);
CREATE TABLE posts_2 (times int DEFAULT 1, body text, id int, day int);
ALTER TABLE posts ATTACH PARTITION posts_2 FOR VALUES FROM (10) TO (20);
ALTER TABLE posts ALTER id SET NOT NULL;
SELECT guard_near_duplicates('posts', 'id', 'word_tokens(body)', 0.7, action => 'count', counter => 'times');
INSERT INTO posts (id, day, body) VALUES (1, 1, 'one two three'), (2, 11, 'One, two, three'), (3, 12, 'four five six'), (4, 2, 'four five six');
INSERT INTO posts_2 (id, day, body) VALUES (5, 15, 'one two three');
SELECT * FROM posts ORDER BY id;

-- The names in it do not depend on who writes, with which search path; neither does the way it finds rows.
SET search_path = pg_catalog;
INSERT INTO public.guarded VALUES (999, (SELECT body FROM public.news WHERE n = 1));
RESET search_path;
SELECT count(*) FROM guarded WHERE id = 999;
BEGIN ISOLATION LEVEL SERIALIZABLE;
INSERT INTO guarded VALUES (999, 'something quite new');
ROLLBACK;
ALTER TABLE guarded ADD EXCLUDE USING neardup (jaccard_ball(word_tokens(body), 0.7) WITH &&);
BEGIN ISOLATION LEVEL SERIALIZABLE;
INSERT INTO guarded VALUES (999, 'something quite new'), (1000, 'Something quite new!');
SELECT id FROM guarded WHERE id >= 999;
ROLLBACK;

-- The rights are those of who writes.
CREATE ROLE regress_clean;
GRANT INSERT ON docs TO regress_clean;
SET ROLE regress_clean;
INSERT INTO docs VALUES ('00000000-0000-0000-0000-000000000004', 1, 'nothing of that');
SELECT guard_near_duplicates('docs', 'id', 'word_tokens(body)', 0.7);
RESET ROLE;
GRANT SELECT ON docs TO regress_clean;
SET ROLE regress_clean;
INSERT INTO docs VALUES ('00000000-0000-0000-0000-000000000004', 1, 'nothing of that');
RESET ROLE;

-- Arguments.
SELECT guard_near_duplicates('docs', 'id', 'word_tokens(body)', 0.7, action => 'drop');
SELECT guard_near_duplicates('docs', 'id', 'word_tokens(body)', 0.7, action => 'count');
SELECT guard_near_duplicates('docs', 'id', 'word_tokens(body)', 0.7, counter => 'owner');
SELECT guard_near_duplicates('docs', 'id', 'word_tokens(body)', 0.7, action => 'count', counter => 'ownr');
SELECT guard_near_duplicates('docs', 'id', 'word_tokens(body)', 0.7);
DROP EXTENSION neardup_clean;
DROP TABLE errors, news, guarded, looped, docs, posts;
DROP ROLE regress_clean;
DROP EXTENSION neardup_clean;
