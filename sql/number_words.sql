-- number_words, which tells variants of one thing apart, and the NOTICE of near_duplicates that names it.
\pset null NULL
SELECT text, '[' || number_words(text) || ']' AS number_words FROM (VALUES
    ('Flat 2A, 12 High Street'), ('Flat 2B, 12 High Street'), ('2026-01-02'), ('2026-02-01'), ('Bolt M4x10'), ('M4×10'), ('No numbers'), ('1 12'), ('11 2'),
    ('0.5 l'), ('5 l'), ('size 9½, m², №7'), ('Chapter Ⅷ'), ('第12条'), ('มาตรา ๑๒'), ('٣٤ مادة'), ('አንቀጽ ፲፪'), ('ＡＢ１２'), ('...'), ('')) AS v(text);
SELECT number_words('b2b ' || repeat('1 ', 100000)) = 'b2b' || repeat(' 1', 100000) AS many;
-- The words with a digit of the normalized text, in their order, whatever the text.
SELECT count(*) AS texts, count(*) FILTER (WHERE expected <> '') AS with_numbers, count(*) FILTER (WHERE number_words(text) <> expected) AS differ
FROM (SELECT string_agg(substr('aB01é9-_., ²', 1 + (hashint4(i * 50 + k) & 65535) % 12, 1), '' ORDER BY k) AS text
      FROM generate_series(1, 5000) AS i, generate_series(1, 40) AS k WHERE k <= 1 + i % 40 GROUP BY i) AS t,
     LATERAL (SELECT coalesce(string_agg(word, ' ' ORDER BY n), '') AS expected
              FROM regexp_split_to_table(normalize_text(text), ' ') WITH ORDINALITY AS w (word, n) WHERE word ~ '[0-9]') AS e;

-- Seven families of things that differ in a size, a date or a number, some in a word too; no two are the same thing.
CREATE TABLE variants (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, family text, body text);
INSERT INTO variants (family, body)
SELECT 'shoes', format('Runner Pro trail shoe for men, breathable mesh, size %s, %s', size, colour)
FROM generate_series(38, 47) AS size, unnest('{black,white,red,blue,green}'::text[]) AS colour;
INSERT INTO variants (family, body)
SELECT 'bottles', format('Sparkling mineral water, returnable bottle, %s l, pack of %s', litres, pack)
FROM unnest('{0.25,0.33,0.5,0.7,0.75,1,1.5,2}'::numeric[]) AS litres, unnest('{1,4,6,8,12,24}'::int[]) AS pack;
INSERT INTO variants (family, body)
SELECT 'tracks', format('%s. The Lonesome River Band - Songs of the Road - %s%s', track, title, version)
FROM unnest('{Walking Home,Long Way Down,The Ferryman,Paper Boats,Winter Light,Seven Bridges,Harbour Town,Last Train}'::text[]) WITH ORDINALITY AS t (title, track),
     unnest(ARRAY['', ' (live)', ' (live in 1994)', ' (live in 1998)', ' (2011 remaster)', ' (2015 remaster)']) AS version;
INSERT INTO variants (family, body)
SELECT 'reports', format('Daily sales report of branch %s for %s: all tills have been counted, and no difference was found.', branch, day::date)
FROM generate_series(1, 4) AS branch, generate_series(timestamp '2026-01-01', timestamp '2026-01-12', interval '1 day') AS day;
INSERT INTO variants (family, body)
SELECT 'regulations', format('Commission Regulation (EU) No %s/%s amending the Annex to Regulation (EC) No 396/2005 as regards maximum residue levels', number, year)
FROM generate_series(101, 112) AS number, generate_series(2010, 2013) AS year;
INSERT INTO variants (family, body)
SELECT 'bolts', format('Hexagon bolt M%sx%s, stainless steel A2, DIN 933, fully threaded', diameter, length)
FROM unnest('{3,4,5,6,8,10}'::int[]) AS diameter, generate_series(10, 45, 5) AS length;
INSERT INTO variants (family, body)
SELECT 'flats', format('Flat %s%s, Victoria House, 12 High Street, Oxford OX1 4DB', floor, door)
FROM generate_series(1, 12) AS floor, unnest('{A,B,C,D}'::text[]) AS door;

-- What is told by the words without a digit.
CREATE FUNCTION other_words(body text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT coalesce(string_agg(word, ' ' ORDER BY n), '') FROM regexp_split_to_table(normalize_text(body), ' ') WITH ORDINALITY AS w (word, n) WHERE word !~ '\d' $$;

-- The plain call takes most of them, and says that numbers alone tell many from what is kept.
CREATE TABLE plain AS SELECT * FROM near_duplicates('variants', 'id', 'body', 0.8);
-- With number_words nothing goes that numbers tell; what goes differs in a word.
CREATE TABLE numbered AS SELECT * FROM near_duplicates('variants', 'id', 'body', 0.8, within => 'number_words(body)');
SELECT x.family, count(*) AS rows, count(p.id) AS plain, count(p.id) FILTER (WHERE p.numbers_alone) AS numbers_alone,
       count(n.id) AS numbered, count(n.id) FILTER (WHERE n.numbers) AS numbers_differ, min(n.difference) AS for_example
FROM variants AS x
LEFT JOIN (SELECT d.id, number_words(x.body) <> number_words(y.body) AND other_words(x.body) = other_words(y.body) AS numbers_alone
           FROM plain AS d JOIN variants AS x USING (id) JOIN variants AS y ON y.id = duplicate_of) AS p USING (id)
LEFT JOIN (SELECT d.id, number_words(x.body) <> number_words(y.body) AS numbers,
                  (SELECT string_agg(item, ' ' ORDER BY part, item) FROM shared_tokens(x.body, y.body, 'word_tokens') WHERE part LIKE 'only%') AS difference
           FROM numbered AS d JOIN variants AS x USING (id) JOIN variants AS y ON y.id = duplicate_of) AS n USING (id)
GROUP BY x.family ORDER BY min(x.id);

-- The line works wherever it is said: within a scope, with other names and types, out of the search path, by other measures and modes.
SELECT count(*) FROM near_duplicates('variants', 'id', 'body', 0.8, within => 'family -- the kind of thing');
SELECT count(*) FROM near_duplicates('variants', 'id', 'body', 0.8, within => 'number_words(body), family -- the kind of thing');
CREATE TABLE "Sh oes" AS SELECT md5(id::text)::uuid AS "the key", body::varchar(200) AS "it's ""this""" FROM variants WHERE family = 'shoes';
SELECT count(*) FROM near_duplicates_keyed(NULL::uuid, '"Sh oes"', 'the key', 'it''s "this"', 0.8, mode => 'connected');
SELECT count(*) FROM near_duplicates_keyed(NULL::uuid, '"Sh oes"', 'the key', 'it''s "this"', 0.8, mode => 'connected', within => 'number_words("it''s ""this""")');
CREATE VIEW bolts AS SELECT id, body::char(100) AS body, to_json(body) AS json FROM variants WHERE family = 'bolts';
SELECT count(*) FROM near_duplicates('bolts', 'id', 'body', 0.8, measure => 'containment');
SELECT count(*) FROM near_duplicates('bolts', 'id', 'body', 0.8, measure => 'containment', within => 'number_words(body)');
SET search_path = pg_catalog;
SELECT count(*) FROM public.near_duplicates('public.variants', 'id', 'body', 0.8);
SELECT count(*) FROM public.near_duplicates('public.variants', 'id', 'body', 0.8, within => 'public.number_words(body)');
RESET search_path;
SELECT count(*) FROM near_duplicates('variants', 'id', 'body', 0.5, measure => 'idf_cosine');
SELECT count(*) FROM near_duplicates('variants', 'id', 'body', 0.8, measure => 'cosine', within => 'number_words(body)');

-- Nothing is said where fewer than five or a tenth differ so, of copies, where other words differ too, and where the tokens leave numbers out.
CREATE TABLE few (id int, body text);
INSERT INTO few SELECT i, 'Gate ' || i || ' of the old harbour is closed for repairs until the end of summer' FROM generate_series(1, 5) AS i;
SELECT count(*) FROM near_duplicates('few', 'id', 'body', 0.8, tokens => 'word_set(body)');
INSERT INTO few VALUES (6, 'Gate 6 of the old harbour is closed for repairs until the end of summer');
SELECT count(*) FROM near_duplicates('few', 'id', 'body', 0.8, tokens => 'word_set(body)');
SELECT count(*) FROM near_duplicates('few', 'id', 'body', 0.8, tokens => 'word_set(strip_numbers(body))');
INSERT INTO few SELECT i, 'Gate 1 of the old harbour is closed for repairs until the end of ' || md5(i::text) FROM generate_series(7, 51) AS i;
SELECT count(*) FROM near_duplicates('few', 'id', 'body', 0.8, tokens => 'word_set(body)');
INSERT INTO few SELECT i, 'Gate 1 of the old harbour is closed for repairs until the end of ' || md5(i::text) FROM generate_series(52, 60) AS i;
SELECT count(*) FROM near_duplicates('few', 'id', 'body', 0.8, tokens => 'word_set(body)');
TRUNCATE few;
INSERT INTO few SELECT i, 'Gate 7 of the old harbour is closed' FROM generate_series(1, 100) AS i;
INSERT INTO few SELECT i, NULL FROM generate_series(101, 120) AS i;
SELECT count(*) FROM near_duplicates('few', 'id', 'body', 0.8);
-- Nor of a column of another type than text.
SELECT count(*) FROM near_duplicates('bolts', 'id', 'json', 0.8);
-- Keys may be of any type; of keys that are arrays nothing is said.
CREATE TABLE keyed AS SELECT ARRAY[id] AS list, id::text::name AS name, id::money AS money, ROW(id, family)::text COLLATE "POSIX" AS words, ctid AS place, body FROM variants WHERE family = 'bolts';
SELECT count(*) FROM near_duplicates_keyed(NULL::int[], 'keyed', 'list', 'body', 0.8);
SELECT count(*) FROM near_duplicates_keyed(NULL::name, 'keyed', 'name', 'body', 0.8);
SELECT count(*) FROM near_duplicates_keyed(NULL::money, 'keyed', 'money', 'body', 0.8);
SELECT count(*) FROM near_duplicates_keyed(NULL::text, 'keyed', 'words', 'body', 0.8);
SELECT count(*) FROM near_duplicates_keyed(NULL::tid, 'keyed', 'ctid', 'body', 0.8);
CREATE DOMAIN article AS int CHECK (VALUE > 0);
ALTER TABLE keyed ADD article article GENERATED ALWAYS AS (list[1]) STORED;
SELECT count(*) FROM near_duplicates_keyed(NULL::article, 'keyed', 'article', 'body', 0.8);
SELECT count(*) FROM near_duplicates('keyed', 'article', 'body', 0.8);
DROP TABLE keyed;
DROP DOMAIN article;
-- Of many a random sample is read.
CREATE TABLE many AS SELECT i AS id, 'Ticket ' || i % 8000 || ' of the town theatre, admits one person to ' || CASE i % 3 WHEN 0 THEN 'any' ELSE 'one' END || ' seat' AS body FROM generate_series(1, 12000) AS i;
SELECT count(*) FROM near_duplicates('many', 'id', 'body', 0.6, tokens => 'word_set(body)');
-- A word without a digit that recurs tells variants apart, too: another one in its place, one more, or one less.
CREATE TABLE worded (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
INSERT INTO worded (body)
SELECT format('Report of the branch in %s for %s: all tills have been counted and nothing was missing', city, day::date)
FROM generate_series(timestamp '2026-01-01', timestamp '2026-01-06', interval '1 day') AS day, unnest('{Bremen,Hamburg}'::text[]) AS city;
SELECT count(*) FROM near_duplicates('worded', 'id', 'body', 0.8, within => 'number_words(body)');
SELECT count(*) FROM near_duplicates('worded', 'id', 'body', 0.8, within => $$number_words(body), substring(body FROM 'branch in (\w+)')$$);
TRUNCATE worded;
INSERT INTO worded (body) SELECT translate(md5(i::text), '0123456789', 'ghijklmnop') || ' by the Lonesome River Band, Songs of the Road' || version FROM generate_series(1, 6) AS i, unnest(ARRAY['', ' (LIVE)']) AS version;
SELECT count(*) FROM near_duplicates('worded', 'id', 'body', 0.9, tokens => 'word_set(body)');
SELECT count(*) FROM near_duplicates('worded', 'id', 'body', 0.94, tokens => 'word_set(body)', measure => 'cosine', keep => 'id DESC');
-- Not typing errors, of which each is another word; nor where two words differ or one has a digit, nor too long a word.
TRUNCATE worded;
INSERT INTO worded (body)
SELECT 'Gate ' || chr(97 + i) || chr(98 + i) || ' of the old harbour is ' || CASE v WHEN 0 THEN 'closed' ELSE 'close' || chr(100 + i) END || ' for repairs until the end of summer'
FROM generate_series(1, 10) AS i, generate_series(0, 1) AS v;
SELECT count(*) FROM near_duplicates('worded', 'id', 'body', 0.75, tokens => 'word_set(body)', within => $$split_part(body, ' ', 2)$$);
TRUNCATE worded;
INSERT INTO worded (body)
SELECT 'Gate ' || chr(97 + i) || chr(98 + i) || ' of the old harbour is ' || state || ' for repairs until the end of summer'
FROM generate_series(1, 10) AS i, unnest(ARRAY['closed', 'not open', 'close2']) AS state;
SELECT count(*) FROM near_duplicates('worded', 'id', 'body', 0.7, tokens => 'word_set(body)', within => $$split_part(body, ' ', 2)$$);
TRUNCATE worded;
INSERT INTO worded (body) SELECT translate(md5(i::text), '0123456789', 'ghijklmnop') || ' by the River Band, Songs of the Road ' || repeat(v, 64) FROM generate_series(1, 6) AS i, unnest(ARRAY['', 'e']) AS v;
SELECT count(*) FROM near_duplicates('worded', 'id', 'body', 0.85, tokens => 'word_set(body)');
UPDATE worded SET body = left(body, -1) WHERE body LIKE '%eeee';
SELECT count(*) FROM near_duplicates('worded', 'id', 'body', 0.85, tokens => 'word_set(body)');
-- Texts of one word without a digit, or of none.
TRUNCATE worded;
INSERT INTO worded (body) SELECT CASE WHEN i % 2 = 0 THEN '7' ELSE 'red 7' END FROM generate_series(1, 12) AS i;
SELECT count(*) FROM near_duplicates('worded', 'id', 'body', 0.5, tokens => 'word_set(body)');
SELECT count(*) FROM near_duplicates('worded', 'id', 'body', 0.5, tokens => 'word_set(body)', keep => 'body DESC');
UPDATE worded SET body = CASE WHEN id % 2 = 0 THEN 'Blue' ELSE 'red' END;
SELECT count(*) FROM near_duplicates('worded', 'id', 'body', 1, tokens => '''{1}''::tokenset');
DROP TABLE worded, variants, plain, numbered, "Sh oes", few, many CASCADE;
DROP FUNCTION other_words;
