-- learn_records, and duplicate_records by what it returned; record_tokens
\getenv source PG_ABS_SRCDIR
CREATE SCHEMA learned;
SET search_path = learned, public;
\i :source/doc/examples/persons.sql
CREATE VIEW compared AS SELECT id, first_name, surname, born, street, town, email FROM persons;
CREATE TABLE model AS SELECT learn_records('compared', 'id') AS model;

-- a model is a value that can be read
SELECT model ->> 'version' AS version, model ->> 'rows' AS rows, octet_length(model::text) < 1000000 AS is_small FROM model;
SELECT c ->> 'name' AS name, jsonb_typeof(c -> 'similarity') AS similarity, jsonb_typeof(c -> 'presence') AS presence, jsonb_typeof(c -> 'rarity') AS rarity,
       (c #>> '{values,rows}')::int BETWEEN 2000 AND 2404 AS filled, c #> '{values,rare}' AS rare
FROM model, jsonb_array_elements(model -> 'columns') AS c;
SELECT model = learn_records('compared', 'id', '{first_name,surname,born,street,town,email}') AS same, model = model::text::jsonb AS as_text FROM model;
-- the same on every machine
SELECT md5((SELECT string_agg((c -> 'values')::text || (c -> 'grams')::text, ',' ORDER BY c ->> 'name') FROM jsonb_array_elements(model -> 'columns') AS c)) AS columns, md5((model -> 'tokens')::text) AS tokens FROM model;
SELECT c ->> 'name' AS name, round((c -> 'similarity')::numeric, 8) AS similarity, round((c -> 'presence')::numeric, 8) AS presence, round((c -> 'rarity')::numeric, 8) AS rarity
FROM model, jsonb_array_elements(model -> 'columns') AS c;

-- by the model there are the same rows as where all is learned
CREATE TABLE same AS SELECT * FROM duplicate_records('compared', 'id');
CREATE TABLE known AS SELECT * FROM duplicate_records('compared', 'id', model => (SELECT model FROM model));
SELECT count(*), count(k.id) = count(*) AND count(s.id) = count(*) AS same_rows, bool_and(k.duplicate_of = s.duplicate_of AND abs(k.score - s.score) < 0.0001) AS same_scores
FROM same AS s FULL JOIN known AS k USING (id);
SELECT count(*) AS differing FROM (SELECT a, b, round(score::numeric, 4), similarities FROM record_pairs('compared', 'id') EXCEPT
    SELECT a, b, round(score::numeric, 4), similarities FROM record_pairs('compared', 'id', model => (SELECT model FROM model))) AS d;
SELECT count(*) = (SELECT count(*) FROM same) AS as_many FROM duplicate_records_keyed(NULL::int, 'compared', 'id', '{first_name,surname,born,street,town,email}', model => (SELECT model FROM model));

-- of a part of the table, a pair has the score that it has in all of it
CREATE VIEW part AS SELECT * FROM compared WHERE id <= 1000;
SELECT count(*) > 100 AS many, bool_and(p.score = k.score) AS same_scores
FROM record_pairs('part', 'id', model => (SELECT model FROM model)) AS p JOIN record_pairs('compared', 'id', model => (SELECT model FROM model)) AS k USING (a, b);
SELECT count(*) FROM duplicate_records('part', 'id', model => (SELECT model FROM model)) AS p WHERE id = duplicate_of;
-- also of a table of two rows, from which nothing could be learned, and of none
CREATE TABLE two AS SELECT p.* FROM compared AS p JOIN same USING (id) WHERE score > 5 ORDER BY id LIMIT 1;
INSERT INTO two SELECT c.* FROM compared AS c JOIN same AS s ON s.duplicate_of = c.id JOIN two ON two.id = s.id;
SELECT count(*), bool_and(d.score = s.score) AS same_score FROM duplicate_records('two', 'id', model => (SELECT model FROM model)) AS d JOIN known AS s USING (id, duplicate_of);
DELETE FROM two;
SELECT count(*) FROM duplicate_records('two', 'id', model => (SELECT model FROM model));

-- a date with a slip is similar, wherever that is and in whatever order the parts are; numbers that are no date are not
CREATE TABLE slips (id int GENERATED ALWAYS AS IDENTITY, first_name text DEFAULT 'Julia', surname text DEFAULT 'Maier', born text, street text DEFAULT 'Eichenweg 2',
                    town text DEFAULT 'Altenburg', email text DEFAULT 'j.maier@altenburg.example');
INSERT INTO slips (born) SELECT unnest('{1960-05-29,1906-05-29,1961-05-29,1860-05-29,1960-06-29,1960-05-28,1960-05-92,196-05-29,1960-05-2,19060-05-29,19600529,1960-5-29,1961-06-29,1960-11-07}'::text[]);
INSERT INTO slips (born) SELECT unnest('{29.05.1960,29.05.1906,5/29/1960,5/29/1961,0312 5529,0312 5528,96-05-29,97-05-29}'::text[]);
SELECT x.born, string_agg(y.born, ', ' ORDER BY b) FILTER (WHERE slip) AS slips, string_agg(y.born, ', ' ORDER BY b) FILTER (WHERE NOT slip) AS others
FROM record_pairs('slips', 'id', model => (SELECT model FROM model)) AS p JOIN slips AS x ON x.id = a JOIN slips AS y ON y.id = b, LATERAL (SELECT similarities -> 'born' >= '0.9' AS slip) AS s
WHERE a IN (1, 15, 17, 19, 21) AND (b < 15 OR a > 14) GROUP BY a, x.born ORDER BY a;

-- within, except_pairs, differ and keep hold as without a model
SELECT count(*) > 400 AS many, bool_and(p.town IS NOT DISTINCT FROM k.town) AS in_scope
FROM duplicate_records('compared', 'id', within => 'town', model => (SELECT model FROM model)) AS d JOIN persons AS p USING (id) JOIN persons AS k ON k.id = d.duplicate_of;
SELECT count(*) FROM duplicate_records('compared', 'id', except_pairs => 'SELECT id, duplicate_of FROM same', model => (SELECT model FROM model)) AS d JOIN same USING (id, duplicate_of);
SELECT bool_and(x.born = y.born) AS parted FROM duplicate_records('compared', 'id', keep => 'id DESC', differ => '{born}', model => (SELECT model FROM model)) AS d
    JOIN compared AS x USING (id) JOIN compared AS y ON y.id = d.duplicate_of WHERE x.born IS NOT NULL AND y.born IS NOT NULL;

-- a model has its columns
SELECT count(*) FROM duplicate_records('compared', 'id', '{first_name,surname}', model => (SELECT model FROM model));
CREATE VIEW less AS SELECT id, first_name, surname FROM compared;
SELECT count(*) FROM duplicate_records('less', 'id', model => (SELECT model FROM model));

-- what is no model, or was damaged, is refused
CREATE FUNCTION refused(damaged jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
    PERFORM duplicate_records('two', 'id', model => damaged);
    RETURN 'accepted';
EXCEPTION WHEN invalid_parameter_value THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN concat_ws(': ', sqlerrm, detail);
END $$;
SELECT what, refused(damaged) FROM model, LATERAL (VALUES
    (1, 'array', '[1]'::jsonb), (2, 'scalar', '7'), (3, 'empty', '{}'), (4, 'version', jsonb_set(model, '{version}', '2')),
    (5, 'no constant', model - 'constant'), (6, 'constant', jsonb_set(model, '{constant}', '"x"')), (7, 'great', jsonb_set(model, '{constant}', '1e400')),
    (8, 'columns', jsonb_set(model, '{columns}', '{}')), (9, 'no columns', jsonb_set(model, '{columns}', '[]')), (10, 'a column', jsonb_set(model, '{columns,1}', '3')),
    (11, 'one name', jsonb_set(model, '{columns,1,name}', '"first_name"')), (12, 'no name', model #- '{columns,1,name}'), (13, 'weight', jsonb_set(model, '{columns,1,rarity}', 'null')),
    (14, 'no weight', model #- '{columns,1,presence}'), (15, 'grams', jsonb_set(model, '{columns,0,grams}', '[]')), (16, 'token', jsonb_set(model, '{columns,0,grams,listed}', '{"x": 1}')),
    (17, 'great token', jsonb_set(model, '{tokens,listed}', '{"9223372036854775808": 1}')), (18, 'twice', jsonb_set(model, '{tokens,listed}', '{"1": 1, "01": 1}')),
    (19, 'frequency', jsonb_set(model, '{tokens,listed}', '{"1": 0}')), (20, 'more than rows', jsonb_set(model, '{tokens,listed}', '{"1": 1000000}')),
    (21, 'fraction', jsonb_set(model, '{tokens,rare}', '1.5')), (22, 'rare', jsonb_set(model, '{columns,2,values,rare}', '0')), (23, 'negative', jsonb_set(model, '{rows}', '-1')),
    (24, 'empty token', jsonb_set(model, '{tokens,listed}', '{"": 1}')), (25, 'unchanged', model)) AS d(number, what, damaged) ORDER BY number;

-- where nothing can be learned, that is an error
SELECT learn_records('two', 'id');
CREATE TABLE copied AS SELECT i AS id, md5((i % 900)::text) AS name, md5((i % 900)::text || 't') AS town FROM generate_series(1, 1000) i;
SELECT learn_records('copied', 'id');

-- record_tokens: words and 4-grams of all values; nothing depends on the session
SELECT record_tokens(ROW('Ann', NULL, 'Main Street 5', '')) = word_set('ann main street 5') | qgram_set('ann main street 5', 4) AS same, record_tokens(NULL) IS NULL AS strict;
SELECT cardinality(record_tokens(ROW(NULL::text, ' - '))) AS none, record_tokens(ROW()) = record_tokens(ROW('')) AS empty, record_tokens(p) = record_tokens(ROW(p.*)) AS of_row FROM compared AS p WHERE id = 1;
CREATE TYPE color AS ENUM ('Red', 'Green');
CREATE DOMAIN code AS date CHECK (value > '1900-01-01');
CREATE TABLE typed (v varchar(9), c char(9), n name, i int2, b bigint, m numeric, w boolean, u uuid, d date, s timestamp, z timestamptz, f float4, g float8, e color, o code, a int[], j jsonb, l time);
INSERT INTO typed VALUES ('Über', 'x', 'y', 3, -5, 1.50, true, '00000000-0000-0000-0000-00000000000a', '2020-02-01', '2020-02-01 03:04:05.6', '2020-02-01 03:04:05+02', 0.1, 1e300, 'Green', '1999-12-31', '{1,NULL}', '{"k": 1}', '12:30');
CREATE INDEX ON typed USING neardup (record_tokens(ROW(v, c, n, i, b, m, w, u, d, s, z, f, g, e, o, a, j, l)));
CREATE TABLE tokens AS SELECT record_tokens(t) AS tokens FROM typed AS t;
SET DateStyle = 'German';
SET TimeZone = 'Asia/Tokyo';
SET extra_float_digits = -10;
SELECT record_tokens(t) = tokens AS same FROM typed AS t, tokens;
RESET DateStyle;
RESET TimeZone;
RESET extra_float_digits;
SELECT record_tokens(ROW(d, s, z)) = record_tokens(ROW('2020-02-01', '2020-02-01 03:04:05.6', '2020-02-01 01:04:05')) AS iso,
       record_tokens(ROW('infinity'::date, '-infinity'::timestamp, f, g, 'NaN'::float8)) = record_tokens(ROW('infinity', '-infinity', '0.1', '1e+300', 'NaN')) AS others FROM typed;
SELECT record_tokens(ROW(1.50, 100.00, 'NaN'::numeric)) = record_tokens(ROW(1.5::float8, 100, 'NaN')) AS same_numbers;
SELECT record_tokens(ROW('a', interval '1 day'));
SELECT record_tokens(ROW(point '(0.1,0.2)'));
SELECT record_tokens(ROW('\x00'::bytea));
SELECT record_tokens(ROW('{2020-01-01}'::date[]));
SELECT record_tokens(ROW('{0.1}'::float8[]));
SELECT record_tokens(ROW(ROW('a')));
-- records of several types by one call, between which one is refused
CREATE FUNCTION tokens_of(int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    r record;
    found text := '';
BEGIN
    FOR i IN 1 .. $1 LOOP
        IF i % 3 = 0 THEN r := ROW(interval '1 day'); ELSIF i % 3 = 1 THEN r := ROW('Ann', date '2020-01-02'); ELSE r := ROW(1.5::float8, 'Ann'::name); END IF;
        BEGIN
            found := found || ' ' || cardinality(record_tokens(r));
        EXCEPTION WHEN datatype_mismatch THEN
            found := found || ' refused';
        END;
    END LOOP;
    RETURN found;
END $$;
SELECT tokens_of(8);
CREATE VIEW spans AS SELECT id, first_name, interval '1 day' AS stayed FROM persons;
SELECT duplicate_records('spans', 'id');
DROP SCHEMA learned CASCADE;
