-- duplicate_records and what belongs to it. Clusters are held against an oracle in test/t/link/records.pl.
\getenv source PG_ABS_SRCDIR
CREATE SCHEMA records;
SET search_path = records, public;
\i :source/doc/examples/persons.sql
CREATE VIEW compared AS SELECT id, first_name, surname, born, street, town, email FROM persons;

-- the rows that are the same, of which the least key is kept
CREATE TABLE same AS SELECT * FROM duplicate_records('compared', 'id');
SELECT count(*) BETWEEN 800 AND 950 AS found, bool_and(s.duplicate_of = s.cluster AND s.id > s.cluster) AS least_is_kept,
       avg((p.person = k.person)::int) > 0.98 AS right, bool_and(kind = CASE WHEN (p.first_name, p.surname, p.born, p.street, p.town, p.email)
           IS NOT DISTINCT FROM (k.first_name, k.surname, k.born, k.street, k.town, k.email) THEN 'exact' ELSE 'near' END) AS kinds
FROM same AS s JOIN persons AS p USING (id) JOIN persons AS k ON k.id = s.duplicate_of;
SELECT rows, rounds > 1 AS learned, verdict FROM duplicate_records_report('compared', 'id');

-- columns are of any type, compared by their text form, and those of the table but the key if none are named
CREATE TABLE typed AS SELECT id, person AS code, first_name::name, surname::varchar(40), born, to_jsonb(street) AS street, town::char(20),
    string_to_array(email, '@') AS email FROM persons;
SELECT count(*) > 800 AS many, bool_and((t.duplicate_of, t.score, t.cluster) = (s.duplicate_of, s.score, s.cluster)) AS as_texts
FROM duplicate_records('typed', 'id', '{first_name,surname,born,street,town,email}') AS t FULL JOIN same AS s ON s.id = t.id;

-- keep: another row stays; the clusters are the same
CREATE TABLE kept AS SELECT * FROM duplicate_records('compared', 'id', keep => 'length(concat(first_name, surname, born, street, town, email)) DESC');
WITH lengths AS (SELECT id, length(concat(first_name, surname, born, street, town, email)) AS length FROM persons)
SELECT count(*) = (SELECT count(*) FROM same) AS as_many, bool_and(x.length <= y.length) AS longest_is_kept,
       bool_and(k.cluster = coalesce(s.cluster, k.id)) AS same_clusters
FROM kept AS k JOIN lengths AS x USING (id) JOIN lengths AS y ON y.id = k.duplicate_of LEFT JOIN same AS s ON s.id = k.id;

-- record_pairs: the pairs within clusters, with what they were found by; scores are those of the rows
CREATE TABLE pairs AS SELECT * FROM record_pairs('compared', 'id');
WITH clustered AS (SELECT p.id, coalesce(s.cluster, p.id) AS cluster FROM persons AS p LEFT JOIN same AS s USING (id))
SELECT count(*) >= (SELECT count(*) FROM same WHERE score IS NOT NULL) AS found, bool_and(x.cluster = y.cluster) AS within_clusters,
       bool_and(a < b) AS ordered, count(*) = count(DISTINCT (a, b)) AS once
FROM pairs JOIN clustered AS x ON x.id = a JOIN clustered AS y ON y.id = b;
SELECT count(*) > 700 AS many, bool_and(p.score = s.score) AS same_scores FROM same AS s JOIN pairs AS p ON p.a = s.duplicate_of AND p.b = s.id;
SELECT bool_and((similarities ? 'born') = (x.born IS NOT NULL AND y.born IS NOT NULL)) AS where_both_have_one,
       bool_and((similarities ->> 'born' = '1') = (x.born = y.born)) AS one_if_equal,
       bool_and((similarities ->> 'town')::float8 BETWEEN 0 AND 1) AS in_range
FROM pairs JOIN persons AS x ON x.id = a JOIN persons AS y ON y.id = b;

-- the same on every machine, to the fourth digit of a score
SELECT md5(string_agg(concat_ws(' ', id, duplicate_of, kind, cluster), ',' ORDER BY id)) AS clusters,
       md5(string_agg(coalesce(round(score::numeric, 4)::text, '-'), ',' ORDER BY id)) AS scores FROM same;
SELECT md5(string_agg(concat_ws(' ', a, b, round(score::numeric, 4), similarities), ',' ORDER BY a, b)) AS pairs FROM pairs;

-- what was learned; a column of one value, or of none, tells nothing
CREATE VIEW wider AS SELECT *, 'x' AS constant, NULL::date AS never FROM compared;
SELECT "column", similarity IS NOT NULL AS similarity, presence IS NOT NULL AS presence, rarity IS NOT NULL AS rarity, round(empty::numeric, 1) AS empty
FROM record_column_weights('wider', 'id');
SELECT count(*) > 800 AS many, avg((w.duplicate_of IS NOT DISTINCT FROM s.duplicate_of)::int) > 0.98 AS same_rows
FROM duplicate_records('wider', 'id') AS w FULL JOIN same AS s ON s.id = w.id;

-- within: no cluster has two scopes; rows without one have a scope of their own
SELECT count(*) > 500 AS many, bool_and(p.town IS NOT DISTINCT FROM k.town) AS in_scope
FROM duplicate_records('compared', 'id', '{first_name,surname,born,street,email}', within => 'town') AS d JOIN persons AS p USING (id) JOIN persons AS k ON k.id = d.duplicate_of;

-- except_pairs: rows are kept apart, also those that a third one would bring together
CREATE TABLE refused AS SELECT id AS a, duplicate_of AS b FROM same WHERE id % 15 = 0;
CREATE TABLE parted AS SELECT * FROM duplicate_records('compared', 'id', except_pairs => 'TABLE refused');
WITH clustered AS (SELECT p.id, coalesce(s.cluster, p.id) AS cluster FROM persons AS p LEFT JOIN parted AS s USING (id))
SELECT (SELECT count(*) FROM refused) > 40 AS refused, count(*) AS together, (SELECT count(*) FROM parted) < (SELECT count(*) FROM same) AS fewer
FROM refused JOIN clustered AS x ON x.id = a JOIN clustered AS y ON y.id = b WHERE x.cluster = y.cluster;

-- differ: rows that both have a value there, and other ones, share no cluster, also not through a third row; case and
-- marks do not count, and the column need not be compared
CREATE TABLE numbered AS SELECT c.*, CASE WHEN c.id % 3 > 0 THEN CASE WHEN c.id % 2 = 0 THEN 'No. ' ELSE 'no ' END || person * 2 + (c.id % 40 = 0)::int END AS number
    FROM compared AS c JOIN persons USING (id);
CREATE TABLE numbered_same AS SELECT * FROM duplicate_records('numbered', 'id', '{first_name,surname,born,street,town,email}', differ => '{number}');
SELECT count(*) > 500 AS many, max(numbers) AS most FROM (SELECT cluster, count(DISTINCT lower(replace(number, '.', ''))) AS numbers
    FROM (SELECT cluster, id FROM numbered_same UNION SELECT cluster, duplicate_of FROM numbered_same) AS m JOIN numbered USING (id) GROUP BY cluster) AS c;
SELECT bool_or(x.number <> y.number) AS spelled_otherwise, bool_or(x.number IS NULL) AS or_none, count(*) FILTER (WHERE lower(replace(x.number, '.', '')) <> lower(replace(y.number, '.', ''))) AS parted
FROM record_pairs('numbered', 'id', '{first_name,surname,born,street,town,email}', differ => '{number}') AS p JOIN numbered AS x ON x.id = a JOIN numbered AS y ON y.id = b;
SELECT verdict FROM duplicate_records_report('numbered', 'id', differ => '{number,born}');
SELECT count(*) FROM record_column_weights('numbered', 'id', '{first_name,surname}', differ => '{number}');
SELECT count(*) > 300 AS many, bool_and(x.born = y.born) AS parted FROM duplicate_records('compared', 'id', differ => '{born}') AS d
    JOIN compared AS x USING (id) JOIN compared AS y ON y.id = d.duplicate_of WHERE x.born IS NOT NULL AND y.born IS NOT NULL;
CREATE TABLE parts AS SELECT i AS id, md5((i / 2)::text) AS name, md5((i / 2)::text || 't') AS town, CASE WHEN i % 8 < 4 THEN i END AS number FROM generate_series(0, 999) AS i;
SELECT count(*), count(*) FILTER (WHERE id % 8 < 4) AS numbered FROM duplicate_records('parts', 'id', '{name,town}', differ => '{number}');
SELECT duplicate_records('parts', 'id', differ => '{id}');
SELECT duplicate_records('parts', 'id', differ => '{number,number}');
SELECT duplicate_records('parts', 'id', differ => '{number,NULL}');
SELECT duplicate_records('parts', 'id', differ => '{nothing}');
SELECT count(*) FROM duplicate_records('parts', 'id', differ => '{}');

-- equal rows: one of them learns for all, and except_pairs parts them as well
CREATE TABLE family AS SELECT * FROM compared UNION ALL SELECT 100000 + i, 'Ann', 'Example', '1990-01-01', 'Main Street 1', 'Springfield', 'ann@example.org'
    FROM generate_series(1, 20000) AS i;
SELECT count(*), min(duplicate_of), max(duplicate_of), min(kind), count(DISTINCT score), count(score) FROM duplicate_records('family', 'id') WHERE id > 100000;
SELECT count(*), min(a), max(a), min(b) FROM record_pairs('family', 'id') WHERE a > 100000;
SELECT count(*), min(duplicate_of), max(duplicate_of) FROM duplicate_records('family', 'id', except_pairs => 'SELECT 100001, 100002') WHERE id > 100000;

-- keys of any type
CREATE TABLE by_name AS SELECT 'row ' || to_char(id, '00000') AS "Row's key", first_name, surname, born, street, town, email FROM persons;
SELECT count(*) = (SELECT count(*) FROM same) AS as_many, bool_and(d.duplicate_of <= d.id) AS least_is_kept
FROM duplicate_records_keyed(NULL::text, 'by_name', 'Row''s key') AS d;
SELECT count(*) = (SELECT count(*) FROM pairs) AS as_many FROM record_pairs_keyed(NULL::text, 'by_name', 'Row''s key');
SELECT verdict FROM duplicate_records_report('by_name', 'Row''s key');
SELECT count(*) FROM record_column_weights('by_name', 'Row''s key');

-- where it cannot tell, that is an error, also for a program that reads no notices, and whether there are copies or
-- not; the pairs that were seen are to be had
CREATE TABLE unclear AS SELECT i AS id, 'Company ' || md5(i % 40 || 'c') AS name, 'Street ' || md5(i % 40 || 's') || ' ' || i / 40 AS address
    FROM generate_series(0, 79) AS i;
SELECT rounds, verdict FROM duplicate_records_report('unclear', 'id');
SELECT count(*) FROM duplicate_records('unclear', 'id');
SELECT count(*), count(score), min(b - a) FROM record_pairs('unclear', 'id');
\set VERBOSITY terse
SELECT count(*) FROM duplicate_records('unclear', 'id', within => 'length(name)');
SELECT count(*) FROM duplicate_records((SELECT 'unclear'::regclass), 'id', '{name,address}', except_pairs => 'SELECT 1, 2');
INSERT INTO unclear SELECT 1000 + id, name, address FROM unclear;
SELECT count(*) FROM duplicate_records('unclear', 'id');
\set VERBOSITY default

-- persons who live together share most columns, and are told by first name and date of birth; some have two rows
CREATE TABLE at_home AS
SELECT (row_number() OVER (ORDER BY md5(h || '.' || m || '.' || copy)))::int AS id, h * 10 + m AS person,
       CASE WHEN copy = 2 AND h % 7 = 0 THEN left(first, 1) || '.' ELSE first END AS first,
       CASE WHEN copy = 2 AND h % 5 = 0 THEN overlay(surname PLACING 'x' FROM 1 + h % 4 FOR 1) ELSE surname END AS surname,
       CASE WHEN copy = 1 OR h % 11 > 0 THEN born END AS born, CASE WHEN copy = 2 AND h % 6 = 0 THEN replace(street, 'street', 'st') ELSE street END AS street,
       town, CASE WHEN copy = 1 OR h % 4 > 0 THEN phone END AS phone
FROM generate_series(1, 500) AS h, generate_series(1, 4) AS m, generate_series(1, 2) AS copy,
     LATERAL (SELECT initcap(left(md5('f' || (hashint4(h * 10 + m) & 127)), 6)) AS first, initcap(left(md5('s' || h % 400), 7)) AS surname,
                     (DATE '1940-01-01' + (hashint4(h * 7 + m) & 32767) % 24000)::text AS born,
                     (hashint4(h) & 255) || ' ' || left(md5('st' || h % 300), 8) || ' street' AS street, left(md5('t' || h % 40), 6) AS town,
                     CASE WHEN h % 3 > 0 THEN '0' || (hashint4(h * 31) & 16777215) END AS phone) AS persons
WHERE m <= 1 + h % 4 AND (copy = 1 OR (h * 3 + m) % 4 = 0);
CREATE VIEW homes AS SELECT id, first, surname, born, street, town, phone FROM at_home;
SELECT count(*) AS twice FROM (SELECT FROM at_home GROUP BY person HAVING count(*) > 1) AS p;
SELECT count(*) > 250 AS found, avg((x.person = y.person)::int) > 0.95 AS right
FROM duplicate_records('homes', 'id') AS d JOIN at_home AS x USING (id) JOIN at_home AS y ON y.id = d.duplicate_of;

-- nobody is twice: the columns are named that part the rows
CREATE TABLE once AS SELECT * FROM homes WHERE id IN (SELECT min(id) FROM at_home GROUP BY person);
SELECT * FROM duplicate_records('once', 'id', keep => 'born', within => '1', differ => '{phone}');
SELECT * FROM duplicate_records_keyed(NULL::int, 'once', 'id', '{first,born,surname}');
SELECT count(*) > 0 AS shown FROM record_pairs('once', 'id');
-- also if a column is drawn anew in each row
CREATE VIEW dated AS SELECT *, DATE '2020-01-01' + (hashint4(id) & 1023) AS entered FROM homes;
SELECT count(*) FROM duplicate_records('dated', 'id');

-- tables of hardly any rows
CREATE TABLE few (id int, name text, town text);
SELECT rows, candidates, rounds, verdict FROM duplicate_records_report('few', 'id');
INSERT INTO few VALUES (1, 'Ann Example', 'York'), (2, 'Ann Exampel', 'York'), (3, NULL, NULL), (4, '...', '');
SELECT verdict FROM duplicate_records_report('few', 'id');
SELECT * FROM duplicate_records('few', 'id');
CREATE TABLE toy AS SELECT * FROM (VALUES (1, 'Ann Example', 'York'), (2, 'Bob Instance', 'Rome'), (3, 'Ann Example', 'York'), (4, 'Cid Case', 'York')) AS v(id, name, town);
SELECT * FROM duplicate_records('toy', 'id');

-- where nothing but copies is alike, these are returned, also within scopes and but for exceptions; of any number of columns
CREATE TABLE copied AS SELECT i AS id, md5((i % 900)::text) AS name, CASE WHEN i % 900 > 10 THEN md5((i % 900)::text || 't') END AS town FROM generate_series(1, 1000) i;
SELECT count(*), count(score), min(kind), max(id - duplicate_of) FROM duplicate_records('copied', 'id');
SELECT rows, rounds, verdict FROM duplicate_records_report('copied', 'id');
SELECT count(*), count(score), min(b - a), max(similarities::text) FROM record_pairs('copied', 'id');
SELECT count(*), min(duplicate_of) FROM duplicate_records('copied', 'id', keep => 'id DESC', except_pairs => 'VALUES (1, 901), (902, 2)', within => 'id > 950');
DO $$ BEGIN EXECUTE 'CREATE TABLE wide (id int PRIMARY KEY, ' || (SELECT string_agg('c' || i || ' text', ', ') FROM generate_series(1, 1500) AS i) || ')'; END $$;
INSERT INTO wide (id, c1, c1500) SELECT i, md5((i % 90)::text), 'x' FROM generate_series(1, 100) AS i;
SELECT count(*), min(kind) FROM duplicate_records('wide', 'id');

-- copies are written alike; rows of one common value and nothing else are none, nor are those of no value
CREATE TABLE spelled AS SELECT id, CASE WHEN id > 950 THEN upper(name) ELSE name END AS name, town FROM copied;
SELECT count(*), max(id) FROM duplicate_records('spelled', 'id');
INSERT INTO copied SELECT 2000 + i, 'Unknown', NULL FROM generate_series(1, 5) AS i;
INSERT INTO copied SELECT 3000 + i, NULL, '-' FROM generate_series(1, 5) AS i;
SELECT count(*), max(id) FROM duplicate_records('copied', 'id');
SELECT count(*), max(b) FROM record_pairs('copied', 'id');
DROP TABLE copied, wide;

-- what is wrong with a call
SELECT duplicate_records('few', 'id', '{name}');
SELECT duplicate_records('few', 'id', '{name,id}');
SELECT duplicate_records('few', 'id', '{name,name}');
SELECT duplicate_records('few', 'id', '{name,NULL}');
SELECT duplicate_records('few', 'id', '{}');
SELECT duplicate_records('few', 'id', '{name,city}');
SELECT duplicate_records('few', 'name');
SELECT duplicate_records('few', 'name', '{id,town}');
SELECT duplicate_records(NULL, 'id');
SELECT duplicate_records('few', NULL);
SELECT duplicate_records('few', 'id', keep => 'nothing');
SELECT duplicate_records('few', 'id', within => 'name, (');
SELECT duplicate_records('few', 'id', except_pairs => 'SELECT 1');
SELECT duplicate_records_report('few', 'id', except_pairs => $$SELECT 'a', 'b'$$);
INSERT INTO few VALUES (1, 'again', 'here');
SELECT duplicate_records('few', 'id');
INSERT INTO few VALUES (NULL, 'nobody', 'here');
SELECT duplicate_records('few', 'id');
