-- The interface of near_duplicates. What it returns is held against an oracle in
-- test/t/cluster/near_duplicates.pl.
CREATE TABLE docs (id int PRIMARY KEY, body text, rating int);
INSERT INTO docs VALUES
    (1, 'one two three four', 1), (2, 'one two three four', 5), (3, 'one two three five', 3),
    (4, 'one two six five', 9), (5, 'something else altogether', 0), (6, NULL, 0), (7, NULL, 0),
    (8, '...', 0), (9, '...', 0), (10, '???', 0), (11, 'One, two, three, four!', 7);

-- star: rows are duplicates only of rows that are kept; 4 resembles 3, not 1
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.6, 'word_tokens(body)');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.6, 'word_tokens(body)', mode => 'connected');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.6, 'word_tokens(body)', mode => 'complete');

-- By other measures; weights are those of the distinct texts.
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.6, 'word_tokens(body)', measure => 'cosine');
SELECT d.*, idf_cosine(word_tokens(a.body), word_tokens(b.body), w) = similarity AS is_value
FROM near_duplicates('docs', 'id', 'body', 0.4, 'word_tokens(body)', measure => 'idf_cosine') AS d
    JOIN docs a ON a.id = d.id JOIN docs b ON b.id = d.duplicate_of,
    (SELECT token_weights(word_tokens(body)) AS w FROM (SELECT DISTINCT body FROM docs WHERE body IS NOT NULL) t) weights
WHERE kind = 'near';

-- what is kept: the greatest rating
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.6, 'word_tokens(body)', keep => 'rating DESC NULLS LAST, length(body)');

-- tokens: short texts by q-grams, longer ones by words
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.4);
CREATE TABLE long_docs AS SELECT id, repeat('word ', 30) || body AS body FROM docs;
SELECT (SELECT array_agg(d ORDER BY id) FROM near_duplicates('long_docs', 'id', 'body', 0.97) AS d) =
       (SELECT array_agg(d ORDER BY id) FROM near_duplicates('long_docs', 'id', 'body', 0.97, 'word_tokens(body)') AS d) AS by_words;
-- length is that of characters: these have 60, and more than 100 bytes
CREATE TABLE cyrillic AS
SELECT id, body FROM (VALUES (1, 'Иванов Сергей Петрович, улица Дворцовая, дом девять, Саратов'), (2, 'Ивонов Сергей Петровичь, улица Дворцовая, дом девять, Соратов')) AS v (id, body);
SELECT char_length(body) AS characters, octet_length(body) AS bytes FROM cyrillic;
SELECT (SELECT array_agg(d) FROM near_duplicates('cyrillic', 'id', 'body', 0.6) AS d) =
       (SELECT array_agg(d) FROM near_duplicates('cyrillic', 'id', 'body', 0.6, 'qgram_tokens(body, 3)') AS d) AS by_qgrams;
-- texts of 2,000 bytes and more count by bytes: here one of 667 characters
CREATE TABLE mixed AS
SELECT * FROM (VALUES (1, 'a b c dd'), (2, 'a b c ee'), (21, repeat('語', 667))) AS v (id, body) UNION ALL SELECT i, repeat(chr(96 + i), 8) FROM generate_series(3, 20) i;
SELECT avg(char_length(body)) < 100 AS short, avg(octet_length(body)) < 100 AS short_by_bytes FROM mixed;
SELECT similarity FROM near_duplicates('mixed', 'id', 'body', 0.5);
DELETE FROM mixed WHERE id = 21;
SELECT similarity FROM near_duplicates('mixed', 'id', 'body', 0.5);
-- more than a million short texts
CREATE VIEW many AS SELECT i AS id, 'one' AS body FROM generate_series(1, 1000001) AS i;
SELECT count(*) FROM near_duplicates('many', 'id', 'body', 0.9);
DROP TABLE cyrillic, mixed;
DROP VIEW many;

-- tokens of other columns, or of any type of set; equal texts with other tokens are compared by these
SELECT * FROM near_duplicates('docs', 'id', 'body', 1, 'ARRAY[rating]');
SELECT * FROM near_duplicates('docs', 'id', 'body', 1, 'CASE WHEN id = 2 THEN NULL ELSE word_set(docs.body) END -- but 2');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.5, 'string_to_array(body, '' '')', 'id DESC -- the last');

-- rows of equal tokens are one row of the join, whatever their texts; without tokens they are none
CREATE TABLE lines AS SELECT i AS id, 'block ' || i || ' received' AS body FROM generate_series(1, 100000) AS i;
SELECT mode, count(*), min(duplicate_of), max(duplicate_of), min(similarity), max(kind), max(cluster)
FROM unnest(ARRAY['star', 'complete', 'connected']) AS mode,
    near_duplicates('lines', 'id', 'body', 0.8, 'word_tokens(strip_numbers(body))', 'id DESC', mode) GROUP BY mode ORDER BY mode;
SELECT count(*) FROM near_duplicates('lines', 'id', 'body', 0.8, 'word_tokens(left(body, 0))');
SELECT count(*) FROM near_duplicates('lines', 'id', 'body', 0.8, 'NULL::tokenset');

-- within: rows are duplicates only where these are equal, exact copies as well; NULL equals NULL
CREATE TABLE pages (id int PRIMARY KEY, site text, lang text, body text);
INSERT INTO pages VALUES
    (1, 'a', 'en', 'one two three four'), (2, 'b', 'en', 'one two three four'), (3, 'a', 'en', 'one two three five'), (4, 'a', NULL, 'one two three four'),
    (5, 'a', NULL, 'One, two, three four'), (6, NULL, NULL, 'one two three four'), (7, NULL, NULL, 'one two three four'), (8, 'b', 'en', '...'), (9, 'b', 'en', '...'),
    (10, 'a', 'en', '...'), (11, 'b', 'de', 'one two three four five');
SELECT * FROM near_duplicates('pages', 'id', 'body', 0.6, 'word_tokens(body)', within => 'site, lang') ORDER BY id;
SELECT * FROM near_duplicates('pages', 'id', 'body', 0.6, 'word_tokens(body)', 'id DESC', within => 'pages.site -- whatever the language') ORDER BY id;
SELECT mode, count(*), bool_and(d.within = k.within) AS within FROM unnest(ARRAY['star', 'complete', 'connected']) AS mode,
    near_duplicates('lines', 'id', 'body', 0.8, 'word_tokens(strip_numbers(body))', mode => mode, within => 'id % 30000') AS n, LATERAL (SELECT n.id % 30000 AS within) AS d, LATERAL (SELECT duplicate_of % 30000 AS within) AS k
GROUP BY mode ORDER BY mode;
SELECT count(*) FROM near_duplicates('pages', 'id', 'body', 0.6, 'NULL::tokenset', within => 'NULL');

-- except_pairs: rows that somebody has decided are different, exact copies as well; all others are compared as before
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.6, 'word_tokens(body)', except_pairs => 'VALUES (2, 1), (8, 9)') ORDER BY id;
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.6, 'word_tokens(body)', mode => 'connected', except_pairs => 'VALUES (3, 1), (4, 3), (3, 11)') ORDER BY id;
SELECT id, duplicate_of FROM near_duplicates('pages', 'id', 'body', 0.6, 'word_tokens(body)', within => 'site', except_pairs => 'VALUES (1, 4), (8, 9), (1, 2), (NULL, 3), (3, 3)') ORDER BY id;
-- by weights too
SELECT id, duplicate_of FROM near_duplicates('docs', 'id', 'body', 0.6, 'word_tokens(body)', measure => 'idf_jaccard') ORDER BY id;
SELECT id, duplicate_of FROM near_duplicates('docs', 'id', 'body', 0.6, 'word_tokens(body)', measure => 'idf_jaccard', except_pairs => 'VALUES (2, 1), (8, 9)') ORDER BY id;

-- containment: a row goes if it is in one that stays; the largest come first, unless the order is given
CREATE TABLE mails (id int PRIMARY KEY, body text);
INSERT INTO mails VALUES (1, 'shall we meet'), (2, 'yes > shall we meet'), (3, 'fine > yes > shall we meet'), (4, 'yes > shall we meet'), (5, 'no > shall we meet'), (6, '...'), (7, '...');
SELECT * FROM near_duplicates('mails', 'id', 'body', 1, 'word_tokens(body)', measure => 'containment') ORDER BY id;
SELECT * FROM near_duplicates('mails', 'id', 'body', 0.75, 'word_tokens(body)', 'id', measure => 'containment') ORDER BY id;
DROP TABLE mails;

-- keys of other types, views, columns of other types
CREATE VIEW doc_view AS SELECT 'k' || id AS k, body::varchar AS body FROM docs;
SELECT * FROM near_duplicates_keyed(NULL::text, 'doc_view', 'k', 'body', 0.6, 'word_tokens(body)');
SELECT id, duplicate_of FROM near_duplicates_keyed(NULL::text, 'doc_view', 'k', 'body', 0.6, 'word_tokens(body)', except_pairs => 'SELECT ''k2'', ''k1''') ORDER BY id;
SELECT pg_typeof(id), pg_typeof(duplicate_of), pg_typeof(cluster) FROM near_duplicates_keyed(NULL::int, 'docs', 'id', 'body', 1) LIMIT 1;

-- partitions, and an empty table
CREATE TABLE parted (id bigint, body text) PARTITION BY RANGE (id);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (10);
CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (10) TO (20);
SELECT * FROM near_duplicates('parted', 'id', 'body', 0.5);
INSERT INTO parted VALUES (1, 'a text'), (11, 'a text');
SELECT * FROM near_duplicates('parted', 'id', 'body', 0.5);

-- hostile names
CREATE SCHEMA "a ""schema""; --";
CREATE TABLE "a ""schema""; --"."ta'ble"" SELECT" ("select" int, "bo""dy; DROP TABLE docs; --" text, place int, first int, mark text, tokens text, n int, r int);
INSERT INTO "a ""schema""; --"."ta'ble"" SELECT" VALUES (1, 'same text', 1, 2, 'm', 't', 0, 0), (2, 'same text', 1, 1, 'm', 't', 0, 0);
SELECT * FROM near_duplicates('"a ""schema""; --"."ta''ble"" SELECT"', 'select', 'bo"dy; DROP TABLE docs; --', 0.9);
SELECT * FROM near_duplicates('"a ""schema""; --"."ta''ble"" SELECT"', 'select', 'tokens', 0.9, 'word_tokens(mark)', 'place, first, n, r');
SELECT count(*) FROM docs;

-- operators and functions of the same names, found earlier, have no say
CREATE SCHEMA decoy;
CREATE FUNCTION decoy.fingerprint(text) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
CREATE FUNCTION decoy.avg_state(float8, int) RETURNS float8 LANGUAGE sql AS 'SELECT 1e9::float8';
CREATE AGGREGATE decoy.avg(int) (SFUNC = decoy.avg_state, STYPE = float8, INITCOND = '0');
SET search_path = decoy, pg_catalog, public;
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9);
RESET search_path;

-- the transaction's own rows
BEGIN;
INSERT INTO docs VALUES (0, 'something else altogether', 0);
SELECT * FROM near_duplicates('docs', 'id', 'body', 1);
ROLLBACK;

-- the rest is deleted in one statement
BEGIN;
DELETE FROM docs USING near_duplicates('docs', 'id', 'body', 0.6, 'word_tokens(body)') AS d WHERE docs.id = d.id;
SELECT id, body FROM docs ORDER BY id;
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.6, 'word_tokens(body)');
ROLLBACK;

-- privileges and row-level security are the caller's
CREATE ROLE near_duplicates_reader;
CREATE TABLE private (id int PRIMARY KEY, body text, owner name);
INSERT INTO private VALUES (1, 'a secret text', 'near_duplicates_reader'), (2, 'a secret text', 'somebody'), (3, 'a secret text', 'near_duplicates_reader');
ALTER TABLE private ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON private USING (owner = current_user);
SET ROLE near_duplicates_reader;
SELECT * FROM near_duplicates('private', 'id', 'body', 0.9);
RESET ROLE;
GRANT SELECT ON private TO near_duplicates_reader;
SELECT id FROM near_duplicates('private', 'id', 'body', 0.9);
SET ROLE near_duplicates_reader;
SELECT id FROM near_duplicates('private', 'id', 'body', 0.9);
SELECT id FROM near_duplicates('private', 'id', 'body', 0.9, '(SELECT word_tokens(rolpassword) FROM pg_authid LIMIT 1)');
RESET ROLE;
DROP TABLE private;
DROP ROLE near_duplicates_reader;

-- errors
\set VERBOSITY terse
SELECT * FROM near_duplicates('docs', 'rating', 'body', 0.9);
SELECT * FROM near_duplicates('docs', 'id', 'body', 1.5);
SELECT * FROM near_duplicates('docs', 'id', 'body', 0);
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, measure => 'hamming');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, measure => 'containment', mode => 'complete');
SELECT * FROM near_duplicates('docs', 'id', 'body', NULL, measure => 'containment');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, measure => 'euclid');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, measure => NULL);
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, mode => 'stars');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, mode => NULL);
SELECT * FROM near_duplicates(NULL, 'id', 'body', 0.9);
SELECT * FROM near_duplicates('docs', NULL, 'body', 0.9);
SELECT * FROM near_duplicates('docs', 'id', 'no_column', 0.9);
SELECT * FROM near_duplicates_keyed(NULL::docs, 'docs', 'docs', 'body', 0.9);
SELECT * FROM near_duplicates('no_table', 'id', 'body', 0.9);
SELECT * FROM near_duplicates(1::regclass, 'id', 'body', 0.9);
\set VERBOSITY sqlstate
SELECT * FROM near_duplicates('docs_pkey', 'id', 'body', 0.9);
\set VERBOSITY terse
SELECT * FROM near_duplicates('doc_view', 'k', 'body', 0.9);
SELECT * FROM near_duplicates_keyed(NULL::bigint, 'docs', 'id', 'body', 0.9);
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, 'id');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, 'word_tokens(body');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, 'word_tokens(body)) FROM docs) AS r) AS n; DROP TABLE docs; --');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, '(WITH d AS (DELETE FROM docs RETURNING id) SELECT word_tokens(id::text) FROM d)');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, keep => 'no_column');
-- what is given as SQL is what it is given for, and nothing else
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, '');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, 'word_tokens(body)), (NULL::tokenset');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, 'word_tokens(body) AS tokens');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, 'word_tokens(body) FROM docs');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, 'word_tokens(body) ORDER BY 1');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, 'word_tokens(body), 1');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, 'word_tokens(body); DROP TABLE docs');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, 'word_tokens(body) /* comment');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, keep => '');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, keep => 'id LIMIT 1');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, keep => 'id; SELECT 1');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, keep => 'id), 1000000 * row_number() OVER (ORDER BY id');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, within => '');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, within => 'no_column');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, within => 'rating DESC');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, within => 'rating ORDER BY id');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, within => 'ROLLUP (rating)');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, within => 'rating), (SELECT 1');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, within => '''{}''::json');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, within => 'rating', measure => 'idf_cosine');
SELECT * FROM near_duplicates('docs', 'id', 'body', NULL, within => 'rating');
SELECT * FROM near_duplicates('docs', 'id', 'body', NULL, except_pairs => 'VALUES (1, 2)');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, except_pairs => 'SELECT 1');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, except_pairs => 'SELECT ''a'', ''b''');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, except_pairs => 'DELETE FROM docs RETURNING 1, 2');
SELECT * FROM near_duplicates_keyed(NULL::int, 'docs', 'id', 'body', 0.9, except_pairs => 'SELECT ''a'', ''b''');
-- nor are there several sets for a row, or none
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, 'unnest(CASE WHEN id = 1 THEN ''{}''::tokenset[] ELSE ARRAY[word_tokens(body)] END)');
\set VERBOSITY sqlstate
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, keep => 'generate_series(1, 0)');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, keep => 'id, unnest(ARRAY[1, id]) DESC');
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, within => 'generate_series(1, 2)');
\set VERBOSITY terse
SELECT count(*) FROM near_duplicates('docs', 'id', 'body', 0.9, 'ARRAY(SELECT unnest(word_tokens(body)::int8[]))::tokenset', '(SELECT max(i) FROM generate_series(1, 3) i), 7 DESC');
CREATE TABLE null_keys (id int, body text);
INSERT INTO null_keys VALUES (1, 'x'), (NULL, NULL);
SELECT * FROM near_duplicates('null_keys', 'id', 'body', 0.9);
UPDATE null_keys SET id = 1;
\set VERBOSITY default
\set SHOW_CONTEXT never
SELECT * FROM near_duplicates('null_keys', 'id', 'body', 0.9);
-- an error of syntax points into what was given
SELECT * FROM near_duplicates('docs', 'id', 'body', 0.9, keep => 'id DESC rating');
-- the name of the table is not its whole rows
SELECT * FROM near_duplicates('docs', 'id', 'docs', 0.9);

-- without a threshold, what is above chance; test/t/link/above_chance.pl compares it with the procedure written out
CREATE TABLE companies AS
SELECT i AS id, initcap(translate(substr(md5(i::text), 1, 7) || ' ' || substr(md5(i::text), 9, 6), '0123456789', 'ghijklmnop')) || ' Ltd' AS name
FROM generate_series(1, 500) AS i;
INSERT INTO companies SELECT 1000 + id, CASE id % 3 WHEN 0 THEN replace(name, 'Ltd', 'Limited') WHEN 1 THEN replace(name, 'e', 'a') ELSE upper(substr(name, 2)) END
FROM companies WHERE id % 50 = 0;
SELECT id, duplicate_of, round(similarity::numeric, 2) AS similarity, kind FROM near_duplicates('companies', 'id', 'name', NULL) ORDER BY id;
SELECT count(*) FROM near_duplicates('companies', 'id', 'name', NULL, tokens => 'qgram_set(name, 3) -- my own', measure => 'cosine');
SELECT * FROM choose_threshold('companies', 'name', 'qgram_set(name, 3) -- my own', 'cosine');
-- copies among advertisements of twenty firms, each with words of its own
CREATE TABLE ads AS SELECT i AS id, (SELECT string_agg('company' || i % 20 || 'word' || g, ' ') FROM generate_series(1, 60) AS g)
    || ' ' || (SELECT string_agg(substr(md5((i * 1000 + g)::text), 1, 5), ' ') FROM generate_series(1, 20) AS g) AS body FROM generate_series(1, 1000) AS i;
INSERT INTO ads SELECT 10000 + id, body || ' apply now' FROM ads WHERE id <= 50;
SELECT count(*), count(*) FILTER (WHERE id = duplicate_of + 10000) AS right FROM near_duplicates('ads', 'id', 'body', NULL);
DELETE FROM ads WHERE id BETWEEN 501 AND 9999 OR id > 10025;
SELECT count(*), count(*) FILTER (WHERE id = duplicate_of + 10000) AS right FROM near_duplicates('ads', 'id', 'body', NULL);
-- where it cannot tell: by the words alone firms are alike and nothing else is; one template; few rows; no pairs
SELECT * FROM near_duplicates('ads', 'id', 'body', NULL, tokens => 'word_set(body)');
CREATE TABLE variants AS
SELECT row_number() OVER () AS id, format('Running shoe Aero %s %s size %s', model, colour, size) AS body
FROM generate_series(1, 4) AS model, unnest('{black,white,red,blue}'::text[]) AS colour, generate_series(36, 48) AS size;
SELECT * FROM near_duplicates('variants', 'id', 'body', NULL);
CREATE TABLE names AS
SELECT row_number() OVER () AS id, name
FROM unnest(ARRAY['Acme Corporation', 'Acme Corp', 'Globex Inc', 'Globex Incorporated', 'Initech', 'Umbrella Corp', 'Umbrella Corporation',
    'Stark Industries', 'Wayne Enterprises', 'Wonka Industries', 'Cyberdyne Systems', 'Soylent Corp', 'Tyrell Corporation', 'Massive Dynamic',
    'Hooli', 'Pied Piper', 'Vehement Capital', 'Virtucon', 'Gringotts']) AS name;
SELECT * FROM near_duplicates('names', 'id', 'name', NULL);
SELECT * FROM choose_threshold('names', 'name');
SELECT * FROM choose_threshold('names', 'name', 'NULL::tokenset');
SELECT * FROM choose_threshold('names', 'name', measure => 'containment');
SELECT * FROM choose_threshold('names', 'name', measure => 'overlap');
SELECT * FROM choose_threshold('names', 'title');
SELECT * FROM choose_threshold('names', NULL);
SELECT * FROM choose_threshold('names', 'name', 'word_set(name), 1');
-- nor where the rows of a cluster share what nearly all of them have and nothing more, as firms write one text around their advertisements
CREATE TABLE firms AS
SELECT i AS id, (SELECT string_agg(chr(97 + i % 60 / 26) || chr(97 + i % 60 % 26) || translate(g::text, '0123456789', 'abcdefghij'), ' ') FROM generate_series(1, 90) AS g) || ' '
    || (SELECT string_agg(translate(left(md5((i * 64 + g)::text), 2), '0123456789', 'ghijklmnop'), ' ') FROM generate_series(1, 30) AS g) AS body
FROM generate_series(1, 900) AS i;
INSERT INTO firms SELECT 10000 + id, body || ' posted again' FROM firms WHERE id <= 30;
SELECT * FROM near_duplicates('firms', 'id', 'body', NULL);
SELECT * FROM near_duplicates('firms', 'id', 'body', NULL, tokens => 'qgram_set(body, 3)::int8[] -- an array', mode => 'complete');
SELECT count(*), count(*) FILTER (WHERE id = duplicate_of + 10000) AS right FROM near_duplicates('firms', 'id', 'body', 0.9);
-- the recipe: what the rows of a firm have is taken away
ALTER TABLE firms ADD advertisement tokenset;
UPDATE firms SET advertisement = word_set(body) - common FROM (SELECT id % 60 AS firm, common_tokens(word_set(body), 0.5) AS common FROM firms WHERE id < 10000 GROUP BY 1) AS f WHERE f.firm = id % 10000 % 60;
SELECT count(*), count(*) FILTER (WHERE id = duplicate_of + 10000) AS right FROM near_duplicates('firms', 'id', 'body', NULL, tokens => 'advertisement');
-- copies share more than what nearly all of them have, as each has changes of its own; a word more than a long text is no advertisement
CREATE TABLE copies AS
SELECT i AS id, i % 100 AS article, (SELECT string_agg(CASE WHEN abs(hashint4(i * 128 + g)) % 100 < 6 THEN translate('x' || i || g, '0123456789', 'ghijklmnop') ELSE translate(left(md5((i % 100 * 128 + g)::text), 6), '0123456789', 'ghijklmnop') END, ' ' ORDER BY g) FROM generate_series(1, 60) AS g) AS body
FROM generate_series(1, 800) AS i;
SELECT count(*), count(*) FILTER (WHERE (id - duplicate_of) % 100 <> 0) AS wrong FROM near_duplicates('copies', 'id', 'body', NULL);
-- in a large family nine in ten have nearly all that was copied: then what a row lacks tells
UPDATE copies SET body = (SELECT string_agg(CASE WHEN (id / 40 * 17 + g * 13) % 23 = 0 THEN translate('x' || id || g, '0123456789', 'ghijklmnop') ELSE translate(left(md5((id % 40 * 128 + g)::text), 5), '0123456789', 'ghijklmnop') END, ' ' ORDER BY g) FROM generate_series(1, 80) AS g);
SELECT count(*), count(*) FILTER (WHERE (id - duplicate_of) % 40 <> 0) AS wrong FROM near_duplicates('copies', 'id', 'body', NULL);
UPDATE copies SET body = (SELECT string_agg(translate(left(md5((article * 128 + g)::text), 6), '0123456789', 'ghijklmnop'), ' ' ORDER BY g) FROM generate_series(1, 60) AS g) || translate(' x' || left(md5(id::text), 6), '0123456789', 'ghijklmnop');
SELECT count(*), count(*) FILTER (WHERE (id - duplicate_of) % 100 <> 0) AS wrong FROM near_duplicates('copies', 'id', 'body', NULL);
DROP TABLE ads, variants, names, firms, copies;
SELECT * FROM near_duplicates('companies', 'id', 'name', NULL, tokens => 'word_set(name)) FROM companies --');
SELECT * FROM near_duplicates_keyed(NULL::text, 'companies', 'name', 'name', NULL, tokens => 'NULL::tokenset') ORDER BY id;
-- a measure in the place of the tokens
SELECT * FROM near_duplicates('companies', 'id', 'name', 0.5, 'idf_cosine');
SELECT * FROM choose_threshold('companies', 'name', 'jaccard');
-- where no rows that differ are alike, copies are what there is
CREATE TABLE copied AS SELECT i AS id, CASE WHEN i % 50 <> 0 THEN md5((i % 900)::text) END AS body FROM generate_series(1, 1000) AS i;
SELECT count(*), min(similarity), min(kind), max(id - duplicate_of) FROM near_duplicates('copied', 'id', 'body', NULL);
SELECT count(*), min(kind), max(duplicate_of - id) FROM near_duplicates('copied', 'id', 'body', NULL, keep => 'id DESC', mode => 'connected', tokens => 'word_tokens(body)');
SELECT count(*) FROM near_duplicates('copied', 'id', 'body', NULL, within => 'id % 2');
DROP TABLE copied;

-- connected: a NOTICE where most rows of a large cluster are not similar to the row that is kept, as in a chain
CREATE TABLE chain AS SELECT i AS id, (SELECT string_agg('w' || i + g, ' ') FROM generate_series(1, 10) AS g) AS body FROM generate_series(1, 500) AS i;
SELECT count(*), count(similarity), count(DISTINCT cluster) FROM near_duplicates('chain', 'id', 'body', 0.8, 'word_set(body)', mode => 'connected');
SELECT count(*), count(similarity), count(DISTINCT cluster) FROM near_duplicates('chain', 'id', 'body', 0.8, 'word_set(body)');
-- but not in a family whose rows are similar to each other, with copies, or in a chain of few rows of many
TRUNCATE chain;
INSERT INTO chain SELECT i, (SELECT string_agg('w' || g, ' ') FROM generate_series(1, 20) AS g) || ' x' || i / 2 FROM generate_series(1, 500) AS i;
SELECT count(*), count(similarity), count(DISTINCT cluster) FROM near_duplicates('chain', 'id', 'body', 0.8, 'word_set(body)', mode => 'connected');
TRUNCATE chain;
INSERT INTO chain SELECT i, (SELECT string_agg('w' || i / 9 || 'x' || i + g, ' ') FROM generate_series(1, 10) AS g) FROM generate_series(1, 500) AS i;
SELECT count(*), count(similarity), count(DISTINCT cluster) FROM near_duplicates('chain', 'id', 'body', 0.8, 'word_set(body)', mode => 'connected');
DROP TABLE chain;
SELECT * FROM near_duplicates('companies', 'id', 'name', 0.9, mode => 'connected') WHERE id < 0;

\set SHOW_CONTEXT errors
DROP TABLE companies;
DROP TABLE docs, pages, long_docs, lines, parted CASCADE;
