-- find_records: the rows that are most likely the same as one record
\getenv source PG_ABS_SRCDIR
CREATE SCHEMA found;
SET search_path = found, public;
SET DateStyle = ISO;
\set ECHO none
\i :source/doc/examples/persons.sql
\set ECHO all
CREATE TABLE model AS SELECT learn_records('persons', 'id', '{first_name,surname,born,street,town,email}') AS model;

-- the error says which index is missing; one of other columns does not serve
SELECT find_records('persons', 'id', '{"surname": "Maier"}', (SELECT model FROM model));
CREATE INDEX ON persons USING neardup (record_tokens(ROW(surname, first_name, born, street, town, email)));
SELECT find_records('persons', 'id', '{"surname": "Maier"}', (SELECT model FROM model));
CREATE INDEX ON persons USING neardup (record_tokens(ROW(first_name, surname, born, street, town, email)));
SELECT f.id, f.score > 2 AS likely, similarities FROM find_records('persons', 'id', '{"surname": "Meier", "first_name": "Julia", "born": "1960-05-30", "street": "Eichenweg 2"}', (SELECT model FROM model), 3) AS f ORDER BY id;
SELECT count(*), bool_and(similarities = '{"born": 1}') FROM find_records('persons', 'id', '{"born": "1960-05-30"}', (SELECT model FROM model)) WHERE similarities -> 'born' = '1';

-- each row finds the rows with which it is in a pair, among the first five besides itself; and the score is that of the pair
CREATE TABLE pairs AS SELECT * FROM record_pairs('persons', 'id', model => (SELECT model FROM model));
CREATE TABLE lookups AS SELECT p.id AS a, f.* FROM persons AS p, find_records('persons', 'id', to_jsonb(p) - '{id,person}'::text[], (SELECT model FROM model), 6) AS f WHERE p.id <= 150;
WITH both_ways AS (SELECT a, b, score, similarities FROM pairs UNION SELECT b, a, score, similarities FROM pairs)
SELECT count(*) > 100 AS many, count(l.id) >= 0.95 * count(*) AS found, bool_and(l.score = p.score) AS same_scores, bool_and(l.similarities = p.similarities) AS same_similarities
FROM both_ways AS p LEFT JOIN lookups AS l ON l.a = p.a AND l.id = p.b WHERE p.a <= 150;
SELECT count(*) AS out_of_order FROM (SELECT score > lag(score) OVER (PARTITION BY a ORDER BY n) AS rises FROM (SELECT a, score, row_number() OVER () AS n FROM lookups) AS l) AS r WHERE rises;
SELECT bool_and(found) AS themselves FROM (SELECT bool_or(id = a AND score >= 0) AS found FROM lookups GROUP BY a) AS l;

-- through a view, of partitions, with keys of any type and columns of other types than text
CREATE VIEW of_town AS SELECT id, first_name, surname, born, street, town, email FROM persons WHERE town = 'Altenburg';
SELECT count(*), bool_and(town = 'Altenburg') AS of_town FROM find_records('of_town', 'id', '{"surname": "Maier", "first_name": "Julia"}', (SELECT model FROM model)) JOIN persons USING (id);
CREATE TABLE divided ("Key" text, first_name text, surname text, born date, street text, town text, email text) PARTITION BY HASH ("Key");
CREATE TABLE divided_0 PARTITION OF divided FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE divided_1 PARTITION OF divided FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO divided SELECT 'row ' || id, first_name, surname, CASE WHEN born ~ '^\d{4}-[01]\d-[0-3]\d$' AND born::date IS NOT NULL THEN born::date END, street, town, email FROM persons WHERE born !~ '-(1[3-9]|3[2-9]|02-(29|3.)|(0[469]|11)-31)|-00|^\d*$' OR born IS NULL;
CREATE INDEX ON divided USING neardup (record_tokens(ROW(first_name, surname, born, street, town, email)));
SET DateStyle = 'German';
SELECT count(*), max(score) > 0 AS likely, bool_or(similarities -> 'born' = '1') AS same_date
FROM find_records_keyed(NULL::text, 'divided', 'Key', '{"surname": "Maier", "first_name": "Julia", "born": "30.5.1960", "street": "Eichenweg 2"}', (SELECT model FROM model), 4);
SET DateStyle = ISO;
CREATE TABLE "empty ones" (LIKE persons);
CREATE INDEX ON "empty ones" USING neardup (record_tokens(ROW(first_name, surname, born, street, town, email)));
SELECT count(*) FROM find_records('"empty ones"', 'id', '{"surname": "Maier"}', (SELECT model FROM model));

-- a column whose domain takes no NULL, which a record may lack all the same, one of blanks behind the text, and a date
CREATE DOMAIN filled AS text NOT NULL;
CREATE TABLE strict (id int, first_name char(20), surname filled, born date, street text, town text, email text);
INSERT INTO strict SELECT id, first_name, coalesce(surname, '-'), CASE WHEN id IN (39, 2233) THEN born::date END, street, town, email FROM persons;
CREATE INDEX ON strict USING neardup (record_tokens(ROW(first_name, surname, born, street, town, email)));
SELECT id, similarities ->> 'born' AS born FROM find_records('strict', 'id', '{"first_name": "David", "born": "1939-04-22"}', (SELECT model FROM model), 2);

-- names that changed places are similar; a first name that is the surname of another person is not
SELECT id, similarities ->> 'first_name' AS first_name, similarities ->> 'surname' AS surname FROM find_records('persons', 'id', '{"first_name": "Simon", "surname": "David", "born": "1939-04-22"}', (SELECT model FROM model)) WHERE id = 39;
SELECT id, (similarities -> 'first_name')::float8 < 0.5 AS first_name, (similarities -> 'surname')::float8 < 0.5 AS surname FROM find_records('persons', 'id', '{"first_name": "Simon", "surname": "Adler", "born": "1939-04-22"}', (SELECT model FROM model)) WHERE id = 39;

-- an empty text is no value in whatever type, and zeros behind a number's last digit do not count
CREATE TABLE priced AS SELECT id, first_name, surname, CASE WHEN id IN (39, 2233) THEN born::date END AS born, street, town, (id * 1.5)::numeric(9, 2) AS email FROM persons;
CREATE INDEX ON priced USING neardup (record_tokens(ROW(first_name, surname, born, street, town, email)));
SELECT id, similarities FROM find_records('priced', 'id', '{"first_name": "David", "born": "", "street": "", "email": 58.5}', (SELECT model FROM model), 1);

-- two models in turn, and one that is read while another call has its own: what the session keeps of a model is that of the call
CREATE TABLE models AS SELECT 1 AS n, model FROM model UNION ALL SELECT 2, jsonb_set(model, '{constant}', to_jsonb((model ->> 'constant')::float8 - 1)) FROM model;
SELECT count(*), count(DISTINCT round(x.score::numeric - y.score::numeric, 3)) AS of_two_models, min(round(x.score::numeric - y.score::numeric, 3)) AS apart
FROM persons AS p, models AS m, models AS o, find_records('persons', 'id', to_jsonb(p) - '{id,person}'::text[], m.model, 1) AS x, find_records('persons', 'id', to_jsonb(p) - '{id,person}'::text[], o.model, 1) AS y WHERE p.id <= 20 AND m.n = 1 AND o.n = 2;
CREATE FUNCTION looked_up(name text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM find_records('found.persons', 'id', jsonb_build_object('first_name', name), model) FROM found.models;
    RETURN name;
END $$;
CREATE VIEW first_persons AS SELECT id, first_name, surname, born, street, town, email FROM persons WHERE id IN (SELECT unnest(ARRAY[a, b]) FROM pairs WHERE a < 100);
CREATE VIEW looked_up_persons AS SELECT id, looked_up(first_name) AS first_name, surname, born, street, town, email FROM first_persons;
SELECT count(*) > 0 AS some, count(*) FILTER (WHERE x.score IS DISTINCT FROM y.score) AS differing
FROM record_pairs('looked_up_persons', 'id', model => (SELECT model FROM model)) AS x FULL JOIN record_pairs('first_persons', 'id', model => (SELECT model FROM model)) AS y USING (a, b);

-- a record without a word, and what is wrong with a call
SELECT count(*) FROM find_records('persons', 'id', '{"surname": " - ", "town": null}', (SELECT model FROM model));
SELECT count(*) FROM find_records('persons', 'id', '{}', (SELECT model FROM model));
SELECT find_records('persons', 'id', '{"family_name": "Maier"}', (SELECT model FROM model));
SELECT find_records('persons', 'id', '["Maier"]', (SELECT model FROM model));
SELECT find_records('persons', 'id', to_jsonb('{"surname": "Maier"}'::text), (SELECT model FROM model));
CREATE VIEW computed AS SELECT id, first_name, upper(surname) AS surname, born, street, town, email FROM persons;
SELECT find_records('computed', 'id', '{"surname": "Maier"}', (SELECT model FROM model));
SELECT find_records('persons', 'id', NULL, (SELECT model FROM model));
SELECT find_records('persons', 'id', '{}', NULL);
SELECT find_records('persons', 'id', '{}', (SELECT model FROM model), 0);
SELECT find_records('divided', 'Key', '{"surname": "Maier"}', (SELECT model FROM model));
DROP SCHEMA found CASCADE;
