-- place_records: new rows among entities that are known. Places are held against an oracle in test/t/link/place.pl.
\getenv source PG_ABS_SRCDIR
CREATE SCHEMA placed;
SET search_path = placed, public;
\set ECHO none
\i :source/doc/examples/persons.sql
\set ECHO all
CREATE TABLE register AS SELECT id, first_name, surname, born, street, town, email, NULL::int AS entity FROM persons;
CREATE TABLE model AS SELECT learn_records('register', 'id', '{first_name,surname,born,street,town,email}') AS model;

-- where nothing is known, there are the clusters of duplicate_records, named by their least keys
CREATE TABLE all_new AS SELECT * FROM place_records('register', 'id', 'entity', (SELECT model FROM model));
SELECT count(*), bool_and(p.kind = 'new' AND p.entity = p.grp AND p.other_entity IS NULL) AS are_new, bool_and((p.duplicate_of IS NULL) = (id = p.grp)) AS of_first,
       bool_and(p.grp = coalesce(d.cluster, p.id)) AS as_clusters, bool_and(p.score IS NOT DISTINCT FROM d.score) AS same_scores
FROM all_new AS p LEFT JOIN duplicate_records('register', 'id', model => (SELECT model FROM model)) AS d USING (id);

-- two thirds of the rows are known; the others join them, or make new ones
UPDATE register AS r SET entity = a.entity FROM all_new AS a WHERE a.id = r.id AND r.id % 3 > 0;
UPDATE register AS r SET entity = least FROM (SELECT entity, min(id) AS least FROM register GROUP BY entity) AS l WHERE l.entity = r.entity;
CREATE TABLE places AS SELECT * FROM place_records('register', 'id', 'entity', (SELECT model FROM model));
SELECT kind, count(*) > 0 AS some, count(*) = count(entity) AS have_entities, count(other_entity), bool_and(duplicate_of IS NULL) AS first, bool_and(score IS NOT NULL) AS scored
FROM places WHERE kind <> 'new' OR id = grp GROUP BY kind ORDER BY kind;
SELECT count(*) = (SELECT count(*) FROM register WHERE entity IS NULL) AS all_new_rows, bool_and(p.entity = r.entity) AS of_its_entity
FROM places AS p LEFT JOIN register AS r ON r.id = p.duplicate_of AND p.kind = 'joins';
SELECT avg((x.person = y.person)::int) > 0.97 AS right FROM places AS p JOIN persons AS x USING (id) JOIN persons AS y ON y.id = p.duplicate_of WHERE kind = 'joins';
SELECT count(*) AS groups_of_two_entities FROM (SELECT FROM places WHERE kind <> 'between' GROUP BY grp HAVING count(DISTINCT entity) > 1) AS g;

-- a row between two entities: both are parts of one person
CREATE TABLE parts AS SELECT id, first_name, surname, born, street, town, email, NULL::int AS entity FROM register WHERE id IN (SELECT grp FROM all_new GROUP BY grp HAVING count(*) = 1 ORDER BY grp LIMIT 100);
INSERT INTO parts SELECT 10000 + id, first_name, surname, born, street, town, email, NULL FROM parts;
INSERT INTO parts SELECT 20000 + id, first_name, surname, born, street, town, email, NULL FROM parts WHERE id < 10000;
UPDATE parts SET entity = id WHERE id < 20000;
SELECT count(*), min(kind) AS kind, bool_and(entity = id - 20000 AND other_entity = id - 10000 AND duplicate_of = entity AND grp = id) AS between_both
FROM place_records('parts', 'id', 'entity', (SELECT model FROM model));
-- of which one is ruled out: the other one has the row
SELECT min(kind) AS kind, bool_and(entity = id - 10000 AND other_entity IS NULL) AS other
FROM place_records('parts', 'id', 'entity', (SELECT model FROM model), except_pairs => 'SELECT id, id % 10000 FROM placed.parts WHERE id > 20000');
SELECT min(kind) AS kind, bool_and(entity = id - 10000 AND other_entity IS NULL) AS other
FROM place_records('parts', 'id', 'entity', (SELECT model FROM model), within => 'id < 10000');
ALTER TABLE parts ADD number text;
UPDATE parts SET number = CASE WHEN id < 10000 THEN 'A' ELSE 'B' END;
SELECT min(kind) AS kind, bool_and(entity = id - 10000 AND other_entity IS NULL) AS other FROM place_records('parts', 'id', 'entity', (SELECT model FROM model), differ => '{number}');
-- or both: the row is new; so it is if the entity has two numbers already
UPDATE parts SET number = 'C' WHERE id > 20000;
SELECT min(kind) AS kind, bool_and(entity = id AND other_entity IS NULL) AS new FROM place_records('parts', 'id', 'entity', (SELECT model FROM model), differ => '{number}');
UPDATE parts SET entity = id % 10000, number = CASE WHEN id < 10000 THEN 'A' ELSE 'B' END WHERE entity IS NOT NULL;
UPDATE parts SET number = CASE WHEN id % 2 = 0 THEN 'B' END WHERE entity IS NULL;
SELECT kind, count(*) > 30 AS many, bool_and(number IS NULL) AS without FROM place_records('parts', 'id', 'entity', (SELECT model FROM model), differ => '{number}') JOIN parts USING (id) GROUP BY kind ORDER BY kind;

-- names of new entities: none where entities are not named by keys; an error if one is taken
UPDATE parts SET entity = 500000 + entity;
INSERT INTO parts VALUES (90001, 'Nobody', 'Elsewhere', '1801-01-01', 'Nowhere 1', 'Ghosttown', NULL, NULL, NULL), (90002, 'Nobody', 'Elsewhere', '1801-01-01', 'Nowhere 1', 'Ghosttown', 'nobody@example.org', NULL, NULL);
SELECT id, entity, other_entity, duplicate_of, score > 0 AS score, kind, grp FROM place_records('parts', 'id', 'entity', (SELECT model FROM model)) WHERE id > 90000;
UPDATE parts SET entity = entity - 500000;
UPDATE parts SET entity = 90001 WHERE entity = (SELECT min(entity) FROM parts);
SELECT count(*) FROM place_records('parts', 'id', 'entity', (SELECT model FROM model));

-- keys of any type, which entities have too
CREATE TABLE by_name AS SELECT to_char(id, '"row "FM0000') AS "Row's key", first_name, surname, born, street, town, email, to_char(entity, '"row "FM0000') AS "Entity" FROM register;
SELECT count(*) AS differing FROM (SELECT to_char(id, '"row "FM0000'), to_char(entity, '"row "FM0000'), to_char(other_entity, '"row "FM0000'), kind, score FROM places
    EXCEPT SELECT id, entity, other_entity, kind, score FROM place_records_keyed(NULL::text, 'by_name', 'Row''s key', 'Entity', (SELECT model FROM model))) AS d;

-- a single row of a table that has an index on the tokens: only what may be near it is read, and it has the same place
UPDATE register AS r SET entity = a.entity FROM all_new AS a WHERE a.id = r.id;
CREATE TABLE indexed AS TABLE register;
CREATE INDEX tokens_of_records ON indexed USING neardup (record_tokens(ROW(first_name, surname, born, street, town, email)));
ANALYZE register, indexed;
CREATE FUNCTION place_again(rel regclass, row_id int) RETURNS TABLE (id bigint, entity bigint, other_entity bigint, duplicate_of bigint, score float8, kind text, grp bigint) LANGUAGE plpgsql AS $$
DECLARE known bigint;
BEGIN
    EXECUTE format('UPDATE %s AS r SET entity = NULL FROM %1$s AS before WHERE r.id = $1 AND before.id = r.id RETURNING before.entity', rel) INTO known USING row_id;
    RETURN QUERY SELECT * FROM place_records(rel, 'id', 'entity', (SELECT model FROM model));
    EXECUTE format('UPDATE %s SET entity = $2 WHERE id = $1', rel) USING row_id, known;
END $$;
CREATE TABLE singly AS SELECT p.* FROM generate_series(1, 2404, 60) AS i, place_again('register', i) AS p;
CREATE TABLE by_index AS SELECT p.* FROM generate_series(1, 2404, 60) AS i, place_again('indexed', i) AS p;
SELECT count(*), count(*) FILTER (WHERE kind = 'joins') > 10 AS joined, count(*) FILTER (WHERE kind = 'new') > 10 AS new FROM by_index;
SELECT count(*) AS differing FROM (TABLE singly EXCEPT TABLE by_index) AS d;
-- the others are not read: an empty key of a row that is far from it is not seen; nor are they through a view, of partitions, whose parent has no statistics, and where nothing is new
INSERT INTO indexed VALUES (NULL, 'Zzyzx', 'Qqfwfq', '1701-01-01', 'Xyzzy 5', 'Plugh', NULL, 1);
SELECT count(*) FROM place_again('indexed', 61);
SELECT count(*) FROM place_records('indexed', 'id', 'entity', (SELECT model FROM model));
CREATE VIEW through AS SELECT * FROM indexed;
SELECT count(*) FROM place_again('through', 61);
CREATE TABLE divided (LIKE indexed) PARTITION BY HASH (surname);
CREATE TABLE divided_0 PARTITION OF divided FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE divided_1 PARTITION OF divided FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO divided SELECT * FROM indexed;
CREATE INDEX ON divided USING neardup (record_tokens(ROW(first_name, surname, born, street, town, email)));
SELECT count(*) FROM place_again('divided', 61);
-- entities of more digits than keys have; a row without a word is near to none, and has no name, as the entities here have others than keys
CREATE TABLE numbered AS SELECT id, first_name, surname, born, street, town, email, 5000000000 + entity AS entity FROM register;
CREATE INDEX ON numbered USING neardup (record_tokens(ROW(first_name, surname, born, street, town, email)));
SELECT p.id, p.entity = 5000000000 + r.entity AS its_own, kind FROM place_again('numbered', 61) AS p JOIN register AS r USING (id);
INSERT INTO numbered VALUES (5001, '-');
SELECT id, entity, kind FROM place_records('numbered', 'id', 'entity', (SELECT model FROM model));
ALTER TABLE numbered ALTER entity TYPE text;
SELECT count(*) FROM place_records('numbered', 'id', 'entity', (SELECT model FROM model));
-- names are texts of a type that is stored as that of the keys is
ALTER TABLE numbered ALTER id TYPE varchar(9);
DELETE FROM numbered WHERE id = '5001';
UPDATE numbered SET entity = NULL WHERE id = '61';
SELECT id, entity, kind FROM place_records_keyed(NULL::varchar, 'numbered', 'id', 'entity', (SELECT model FROM model));
DROP INDEX tokens_of_records;
SELECT count(*) FROM place_again('indexed', 61);

-- nothing new, no rows, and what is wrong with a call
SELECT count(*) FROM place_records('persons', 'id', 'person', (SELECT model FROM model));
CREATE TABLE none AS SELECT * FROM register LIMIT 0;
SELECT count(*) FROM place_records('none', 'id', 'entity', (SELECT model FROM model));
SELECT place_records('register', 'id', 'entity', NULL);
SELECT place_records('register', 'id', NULL, '{}');
SELECT place_records('register', 'id', 'entity', '{}');
SELECT place_records('register', 'id', 'nothing', (SELECT model FROM model));
SELECT place_records('register', 'id', 'town', (SELECT model FROM model));
SELECT place_records_keyed(NULL::text, 'by_name', 'Row''s key', 'id', (SELECT model FROM model)) FROM (SELECT 1) AS x;
CREATE VIEW mixed AS SELECT "Row's key" AS key, first_name, surname, born, street, town, email, 5 AS entity FROM by_name;
SELECT place_records_keyed(NULL::text, 'mixed', 'key', 'entity', (SELECT model FROM model));
DROP SCHEMA placed CASCADE;
