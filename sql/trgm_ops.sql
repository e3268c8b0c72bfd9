-- The index by pg_trgm's trigrams: the rows and the order of pg_trgm itself.
-- Some packages of PostgreSQL leave pg_trgm out.
SELECT count(*) = 0 AS is_absent FROM pg_available_extensions WHERE name = 'pg_trgm' \gset
\if :is_absent
\quit
\endif
SET client_min_messages = warning;
CREATE EXTENSION pg_trgm;
CREATE EXTENSION neardup_trgm;
CREATE TABLE names (id int, name text, v varchar(30)) WITH (autovacuum_enabled = off);
CREATE INDEX names_name_idx ON names USING neardup (name trgm_ops);
CREATE INDEX names_v_idx ON names USING neardup (v trgm_ops);
INSERT INTO names SELECT i, format('%s %s %s', (ARRAY['John', 'Jon', 'Johnny', 'Mary', 'Maria'])[1 + i % 5], (ARRAY['Smith', 'Smyth', 'Schmidt', 'Straße'])[1 + i / 5 % 4], i / 20), 'x' || i FROM generate_series(1, 1500) AS i;
INSERT INTO names VALUES (-1, '', ''), (-2, NULL, NULL), (-3, '?!', '-'), (-4, 'Straße İ', 'ß'), (-5, repeat('abc def ', 3000), '');
VACUUM ANALYZE names;
INSERT INTO names SELECT 2000 + i, 'Jon Smith ' || i, 'y' FROM generate_series(1, 20) AS i; -- which are pending
SELECT opcname, amvalidate(oid) FROM pg_opclass WHERE opcname = 'trgm_ops';
SET enable_seqscan = off; SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM names WHERE name % 'jon smyth';
EXPLAIN (COSTS OFF) SELECT * FROM names WHERE similarity(name, 'cat') >= 0.5;
EXPLAIN (COSTS OFF) SELECT * FROM names ORDER BY name <-> 'jon smyth' LIMIT 5;
RESET enable_bitmapscan;

-- Rows by the index and by the table.
CREATE FUNCTION by_index(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE found text; expected text; plan text; line text;
BEGIN
    EXECUTE format('SELECT string_agg(q::text, E''\n'' ORDER BY q::text) FROM (%s) AS q', query) INTO found;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP plan := concat(plan, line); END LOOP;
    SET LOCAL enable_seqscan = on; SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off;
    EXECUTE format('SELECT string_agg(q::text, E''\n'' ORDER BY q::text) FROM (%s) AS q', query) INTO expected;
    SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = on; SET LOCAL enable_bitmapscan = on;
    RETURN format('%s, %s rows by %s', CASE WHEN found IS NOT DISTINCT FROM expected THEN 'same' ELSE 'DIFFERENT' END,
        coalesce(array_length(string_to_array(found, E'\n'), 1), 0), coalesce(substring(plan FROM '\w+_(?:idx|excl)'), 'table'));
END $$;
SELECT query, by_index('SELECT id FROM names WHERE ' || query) FROM unnest(ARRAY[
    $$name % 'jon smyth'$$, $$'JON SMYTH' % name$$, $$name % ''$$, $$name % '?'$$, $$name % NULL$$, $$v % 'x12'$$, $$name % 'abc def'$$,
    $$similarity(name, 'jon smyth 3') >= 0.7$$, $$similarity(name, 'jon smyth 3') > 0.7$$, $$0.4::real < similarity('jon smyth 3', name)$$,
    $$name <-> 'jon smyth 3' <= 0.3$$, $$name <-> 'jon smyth 3' < 0.3$$, $$0.3 > ('jon smyth 3' <-> name)$$, $$v <-> 'X12' < 0.5$$,
    $$similarity(name, 'abc def') >= 0.9$$, $$similarity(name, (SELECT 'mary ' || 'smith')) >= 0.6$$,
    $$similarity(name, 'a') >= (SELECT 0::float8)$$, $$name <-> 'a' < (SELECT 1.5::float8)$$, $$name <-> 'a' < (SELECT -1.5::float8)$$, $$similarity(name, 'a') > (SELECT 'NaN'::float8)$$,
    $$similarity(name, '') >= (SELECT 0::float8)$$, $$similarity(name, 'jon smith 7') >= 0.6 AND name % 'jon'$$, $$name % 'jon smith 7' AND id < 300$$,
    $$similarity(name, v) >= 0.1$$, $$similarity(name, 'jon') < 0.1$$, $$NOT name % 'jon'$$, $$(name % 'jon smith 7' OR name % 'mary smith 8')$$]) AS query;
-- Distances in single precision, rows without trigrams and NULL included; rows of equal distance come in any order.
SELECT query, by_index(format('SELECT name <-> %s AS d FROM names ORDER BY name <-> %1$s LIMIT %s', value, most))
FROM (VALUES ('nearest 50', $$'jon smyth 3'$$, 50), ('all', $$'jon smyth 3'$$, 10000), ('of no trigrams', $$''$$, 100), ('far', $$'zzz qqq'$$, 20)) AS queries (query, value, most);
SELECT by_index($$SELECT name <-> 'jon smith 7' AS d FROM names WHERE name % 'jon smith 7' ORDER BY name <-> 'jon smith 7' LIMIT 30$$),
       by_index($$SELECT name <-> 'jon smith 7' AS d FROM names WHERE similarity(name, 'jon smith 7') >= 0.5 ORDER BY name <-> 'jon smith 7' LIMIT 30$$);
SELECT id, name FROM names ORDER BY name <-> 'Johnny Schmidt 42', id LIMIT 3;
-- Similarities, the greatest first.
EXPLAIN (COSTS OFF) SELECT id FROM names ORDER BY similarity(name, 'jon smyth') DESC NULLS LAST, id LIMIT 5;
EXPLAIN (COSTS OFF) SELECT id FROM names WHERE name % 'jon smyth' ORDER BY similarity('jon smyth', name) DESC LIMIT 5;
SELECT by_index($$SELECT similarity(name, 'jon smyth') AS d FROM names ORDER BY similarity(name, 'jon smyth') DESC LIMIT 5$$) AS null_first;
SELECT count(*) AS pairs, count(*) FILTER (WHERE a.name <-%> b.name <> -similarity(a.name, b.name)) AS differing FROM names a, names b WHERE a.id % 40 IN (-1, -2, -3, -4, 0) AND b.id < 100;
SELECT query, by_index(format('SELECT similarity(name, %s) AS d FROM names ORDER BY similarity(name, %1$s) DESC NULLS LAST LIMIT %s', value, most)),
       by_index(format('SELECT 1 - similarity(%s, v) AS d FROM names ORDER BY 1 - similarity(%1$s, v) LIMIT %s', value, most)),
       by_index(format('SELECT similarity(name, %s) AS d FROM names WHERE name %% %1$s ORDER BY similarity(name, %1$s) DESC LIMIT %s', value, most))
FROM (VALUES ('nearest 50', $$'jon smyth 3'$$, 50), ('all', $$'jon smyth 3'$$, 10000), ('of no trigrams', $$''$$, 100), ('far', $$'zzz qqq'$$, 20)) AS queries (query, value, most);
-- The setting, at its ends too.
SET pg_trgm.similarity_threshold = 0;
SELECT by_index($$SELECT id FROM names WHERE name % 'jon smyth'$$), by_index($$SELECT id FROM names WHERE name % ''$$);
SET pg_trgm.similarity_threshold = 1;
SELECT by_index($$SELECT id FROM names WHERE name % 'smyth jon 7'$$), by_index($$SELECT id FROM names WHERE name % ''$$);
RESET pg_trgm.similarity_threshold;
-- As the inner side of a nested loop.
SET enable_hashjoin = off; SET enable_mergejoin = off; SET neardup.enable_similarity_join = off; SET enable_bitmapscan = off;
-- 18 and later also say what is disabled.
DO $$
DECLARE line text;
BEGIN
    FOR line IN EXPLAIN (COSTS OFF) SELECT count(*) FROM names AS a JOIN names AS b ON a.name % b.name WHERE a.id BETWEEN -4 AND 9 LOOP
        IF line NOT LIKE '%Disabled%' THEN RAISE WARNING '%', line; END IF;
    END LOOP;
END $$;
RESET enable_bitmapscan;
SELECT by_index('SELECT a.id, b.id AS other FROM names AS a JOIN names AS b ON a.name % b.name WHERE a.id BETWEEN -4 AND 9');
RESET neardup.enable_similarity_join;
SELECT segments > 0 AS segments, rows, pending FROM neardup_index_check('names_name_idx');

-- Words of a text: what they share is looked up, and pg_trgm decides.
SELECT query, by_index('SELECT id FROM names WHERE ' || query) FROM unnest(ARRAY[
    $$name %> 'smyth'$$, $$'jon smyth 7' <% name$$, $$name %>> 'smyth jon'$$, $$'schmidt 42' <<% name$$, $$name %> ''$$, $$name %> '?'$$, $$name %> NULL$$,
    $$word_similarity('schmid', name) >= 0.7$$, $$word_similarity('schmid', name) > 0.7$$, $$word_similarity(name, 'a jon smith 7 b') >= 0.9$$, $$0.8 < strict_word_similarity('mary', name)$$,
    $$'straße' <<-> name < 0.3$$, $$name <->> 'straße 12' <= 0.5$$, $$'smyth 3' <<<-> name <= 0.5$$, $$name <->>> 'smyth 3' < 0.5$$, $$word_similarity('abc', name) = 1$$,
    $$word_similarity('a', name) >= (SELECT 0::float8)$$, $$word_similarity('a', name) > (SELECT 0::float8)$$, $$'a' <<-> name < (SELECT 'NaN'::float8)$$, $$word_similarity('', name) >= (SELECT 0.1::float8)$$,
    $$name %> ANY ('{smyth,42,NULL}')$$, $$word_similarity('jon 7', name) >= 0.6 AND name % 'jon'$$, $$v %> 'X12'$$]) AS query;
SELECT query, by_index(format('SELECT name %s AS d FROM names ORDER BY name %1$s LIMIT 60', query)) FROM unnest(ARRAY[$$<->> 'smith jon'$$, $$<->>> 'smith jon'$$, $$<->> ''$$, $$<->>> 'zzz'$$]) AS query;
SELECT by_index($$SELECT name <->> 'smith 7' AS d FROM names WHERE name %> 'jon smith' ORDER BY name <->> 'smith 7' LIMIT 40$$), by_index($$SELECT name <->> 'smith' AS d FROM names WHERE name %> 'smith' ORDER BY name <->> 'smith' LIMIT 40$$);
SET pg_trgm.word_similarity_threshold = 0; SET pg_trgm.strict_word_similarity_threshold = 1;
SELECT by_index($$SELECT id FROM names WHERE name %> 'smyth'$$), by_index($$SELECT id FROM names WHERE name %>> 'smyth'$$), by_index($$SELECT id FROM names WHERE name %> ''$$);
RESET pg_trgm.word_similarity_threshold; RESET pg_trgm.strict_word_similarity_threshold;
-- What the index decides is not computed again: a function of an outer row is called once a scan, and not for each row found.
CREATE SEQUENCE calls;
CREATE FUNCTION counted(text) RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM nextval('calls'); RETURN $1; END $$;
SELECT count(*) > 500 AS rows FROM generate_series(1, 5) AS i, names WHERE name % counted('jon smith ' || i);
SELECT nextval('calls') - 1 AS calls;
SET enable_bitmapscan = off;
SELECT count(*) > 500 AS rows FROM generate_series(1, 5) AS i, names WHERE name % counted('jon smith ' || i);
SELECT nextval('calls') - 7 AS calls;
RESET enable_bitmapscan;
DROP FUNCTION counted;
DROP SEQUENCE calls;
-- Rows that are deleted, changed or of an aborted transaction are none, and pages that a bitmap knows as a whole are rechecked.
BEGIN;
DELETE FROM names WHERE id % 7 = 0;
UPDATE names SET name = 'Mary Schmidt ' || id WHERE id % 5 = 0;
UPDATE names SET v = v || 'y' WHERE id % 3 = 0;
SAVEPOINT s;
INSERT INTO names SELECT i, 'Jon Smith' FROM generate_series(3000, 3010) AS i;
ROLLBACK TO s;
SELECT by_index($$SELECT id FROM names WHERE name % 'jon smith 7'$$), by_index($$SELECT id FROM names WHERE v % 'x12'$$);
SET LOCAL work_mem = '64kB';
SELECT by_index($$SELECT id FROM names WHERE name % 'mary schmidt 12'$$);
DECLARE c CURSOR FOR SELECT id FROM names WHERE name % 'jon smith 7' ORDER BY name <-> 'jon smith 7';
UPDATE names SET name = 'nobody';
SELECT by_index($$SELECT id FROM names WHERE name % 'jon smith 7'$$);
MOVE ALL c;
ROLLBACK;
-- Any of an array: one search for each element.
SELECT list, by_index(format('SELECT id FROM names WHERE name %% ANY (%L)', list)) FROM unnest(ARRAY['{jon smith 7,mary,"",?}', '{jon smith 7,NULL,"jon smith"}', '{NULL}', '{}']) AS list;
SELECT by_index($$SELECT id FROM names WHERE name % ANY (ARRAY(SELECT 'jon smith ' || i FROM generate_series(1, 9) AS i)) AND id % 2 = 0$$), by_index($$SELECT id FROM names WHERE name % ALL ('{jon,smith}')$$);
-- Distances come in their order, which they have by the index too.
SELECT count(*) AS falls FROM (SELECT d < lag(d) OVER () AS falls FROM (SELECT name <-> 'jon smith 7' AS d FROM names WHERE name % 'jon smith' ORDER BY name <-> 'jon smith 7') AS found) AS steps WHERE falls;
SELECT by_index($$SELECT name <-> 'jon smith 7' AS d FROM names WHERE name % 'jon smith 7' ORDER BY name <-> 'jon smith 7', name <-> 'mary' LIMIT 400$$),
       by_index($$SELECT name <-> 'mary' AS d FROM names WHERE name % 'jon smith 7' ORDER BY name <-> 'mary' LIMIT 40$$);

-- Both classes of texts have an operator that takes a tokenset_query, and each answers its own conditions.
SELECT by_index($$SELECT id FROM names WHERE edit_within(name, 'Jon Smyth 31', 2)$$);
CREATE INDEX names_edit_idx ON names USING neardup (name edit_ops);
SELECT by_index($$SELECT id FROM names WHERE edit_within(name, 'Jon Smyth 31', 2)$$), by_index($$SELECT id FROM names WHERE similarity(name, 'Jon Smyth 31') >= 0.7$$);
DROP INDEX names_edit_idx;

-- Beside scope columns; and a constraint.
CREATE TABLE people (city text, name text, EXCLUDE USING neardup (city WITH =, name trgm_ops WITH %));
INSERT INTO people VALUES ('Oslo', 'John Smith'), ('Rome', 'Jon Smith'), ('Rome', ''), ('Rome', ''), ('Rome', NULL);
\set VERBOSITY terse
INSERT INTO people VALUES ('Oslo', 'Jon Smith');
SELECT by_index($$SELECT * FROM people WHERE city = 'Rome' AND name % 'john smith'$$), by_index($$SELECT * FROM people WHERE city = 'Oslo' AND similarity(name, 'smith') > 0.1$$);
CREATE INDEX ON people USING neardup (name trgm_ops, city);
-- A row without a name is the last of its scope, also where no name is similar.
INSERT INTO people VALUES ('Rome', 'qqq');
SET enable_bitmapscan = off;
SELECT array_agg(name IS NULL) AS unknown_last FROM (SELECT name FROM people WHERE city = 'Rome' ORDER BY name <-> 'zzz' LIMIT 9) q;
RESET enable_bitmapscan;
-- Scopes whose hashes are the same, as those of these numbers are, have each their own rows.
CREATE TABLE owned (owner bigint, name text);
INSERT INTO owned SELECT (i % 2) * 4294967296 + 1 - i % 2, format('Jon %s Smith', i) FROM generate_series(1, 400) AS i;
CREATE INDEX owned_idx ON owned USING neardup (owner, name trgm_ops);
SELECT by_index($$SELECT * FROM owned WHERE owner = 1 AND name % 'jon 17 smith'$$), by_index($$SELECT name <-> 'jon 17 smith' FROM owned WHERE owner = 4294967296 AND name % 'jon smith' ORDER BY name <-> 'jon 17 smith'$$);
SET enable_bitmapscan = off;
SELECT by_index($$SELECT * FROM owned WHERE owner = 1 AND name % 'jon 17 smith'$$), by_index($$SELECT name <-> 'jon 17 smith' FROM owned WHERE owner = 1 AND name % 'jon smith' ORDER BY name <-> 'jon 17 smith' LIMIT 9$$);
RESET enable_bitmapscan;
DROP TABLE owned;
DROP TABLE names, people;
DROP FUNCTION by_index;
DROP EXTENSION neardup_trgm;
DROP EXTENSION pg_trgm;
