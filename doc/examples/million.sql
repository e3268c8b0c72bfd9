-- The whole way of a large table: load, estimate, pairs, index, look-ups, near-duplicates, one row of several, and the way back;
-- then records of several columns. Texts of 22 words and a register of persons are made up, the same each time: a tenth of the
-- texts as a copy of the row before with one or two words changed, and four in ten persons two to four times, with errors
-- and gaps. psql prints what each step takes. All is in a schema of its own, which goes at the end.
--   psql -f million.sql
--   psql -v rows=100000 -f million.sql
\if :{?rows} \else \set rows 1000000 \endif
\set ON_ERROR_STOP on
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS neardup;
CREATE EXTENSION IF NOT EXISTS neardup_clean;
CREATE SCHEMA million;
SELECT set_config('search_path', 'million, ' || current_setting('search_path'), false) \g /dev/null
-- Within less memory joins take temporary files, and several times as long.
SET neardup.join_memory = '1GB';
SET maintenance_work_mem = '512MB';

-- A number from 0 to 1 that depends on nothing but its arguments.
CREATE FUNCTION pg_temp.chance(n bigint, k int) RETURNS float8 LANGUAGE sql IMMUTABLE RETURN (hashint8extended(n * 32 + k, 1) & 4503599627370495) / 4503599627370496.0::float8;
-- Word k of row n: a few words are frequent and most are rare, as in real texts. Letters stand for the digits of a number.
CREATE FUNCTION pg_temp.word(n bigint, k int) RETURNS text LANGUAGE sql IMMUTABLE RETURN translate((300000 ^ pg_temp.chance(n, k))::int::text, '0123456789', 'aeioubdlnt');
-- A name of so many, the commonest of which a few persons in a hundred have. As it is written, one in ten is missing, and one in
-- eight has two letters exchanged.
CREATE FUNCTION pg_temp.name(n bigint, k int, names int) RETURNS text LANGUAGE sql IMMUTABLE RETURN
    (SELECT initcap(left(translate(md5(rank::text), '0123456789', 'ghijklmnop'), 5 + rank % 5)) FROM CAST(names * pg_temp.chance(n, k) ^ 3 AS int) AS rank);
CREATE FUNCTION pg_temp.written(value text, n bigint, k int) RETURNS text LANGUAGE sql IMMUTABLE RETURN
    CASE WHEN pg_temp.chance(n, k) < 0.1 THEN NULL WHEN pg_temp.chance(n, k) < 0.22 THEN overlay(value PLACING reverse(substr(value, 1 + n::int % 4, 2)) FROM 1 + n::int % 4) ELSE value END;

\timing on
\echo load texts, and a note on every other one
CREATE TABLE texts (id int PRIMARY KEY, body text NOT NULL);
INSERT INTO texts
SELECT n, string_agg(pg_temp.word(n - CASE WHEN n % 10 = 0 AND k > 1 + n / 10 % 2 THEN 1 ELSE 0 END, k), ' ' ORDER BY k)
FROM generate_series(1, :rows) AS n, generate_series(1, 22) AS k GROUP BY n;
CREATE TABLE notes (text_id int REFERENCES texts, note text);
INSERT INTO notes SELECT id, 'note of ' || id FROM texts WHERE id % 2 = 0;
CREATE INDEX ON notes (text_id);
ANALYZE texts, notes;

\echo what will a join find, and take?
SELECT threshold, pairs, round(seconds::numeric, 2) AS seconds, pg_size_pretty(memory_bytes) AS memory
FROM estimate_join('SELECT id, word_tokens(body) FROM texts', '{0.7,0.8,0.9}');

\echo all pairs, from the texts
SELECT count(*) AS pairs FROM ppjoin('SELECT id, word_tokens(body) FROM texts', 0.8);

\echo an index on the words
CREATE INDEX words ON texts USING neardup (word_tokens(body));

\echo a hundred look-ups by it
DO $$
DECLARE
    value text;
BEGIN
    FOR value IN SELECT body FROM texts WHERE id % greatest(1, (SELECT max(id) / 100 FROM texts)) = 0 LOOP
        PERFORM id FROM texts WHERE jaccard_ge(word_tokens(body), word_tokens(value), 0.8);
    END LOOP;
END $$;

\echo which rows could go
CREATE TABLE same AS SELECT * FROM near_duplicates('texts', 'id', 'body', 0.8, tokens => 'word_tokens(body)');

\echo one row of several: notes are turned to the row that stays, and a log is kept
SELECT count(*) AS merged FROM merge_duplicates('texts', 'id', 'SELECT id, duplicate_of FROM same', log => 'million.log');

\echo and the way back
SELECT rel, returned, changed FROM undo_merge('million.log', 1);

\timing off
\echo what it takes on disk
SELECT relname AS relation, pg_size_pretty(pg_relation_size(oid)) AS size
FROM pg_class WHERE oid IN ('texts'::regclass, 'words'::regclass, 'million.log'::regclass) ORDER BY relname;
CREATE TABLE persons AS
SELECT (row_number() OVER ())::int AS id, person, pg_temp.written(first_name, seed, 1) AS first_name, pg_temp.written(surname, seed, 2) AS surname, pg_temp.written(born, seed, 3) AS born,
       pg_temp.written(street, seed, 4) AS street, pg_temp.written(town, seed, 5) AS town, pg_temp.written(lower(first_name || '.' || surname) || '@' || lower(town) || '.example', seed, 6) AS email
FROM (SELECT person, pg_temp.name(person, 1, 3000) AS first_name, pg_temp.name(person, 2, 100000) AS surname, (date '1935-01-01' + (25000 * pg_temp.chance(person, 3))::int)::text AS born,
             pg_temp.name(person, 4, 20000) || ' ' || 1 + (90 * pg_temp.chance(person, 5))::int AS street, pg_temp.name(person, 6, 2000) AS town
      FROM generate_series(1, :rows * 5 / 9) AS person) AS p,
     LATERAL (SELECT person::bigint * 8 + copy AS seed FROM generate_series(1, CASE WHEN pg_temp.chance(person, 7) < 0.4 THEN 2 + (pg_temp.chance(person, 8) * 2)::int ELSE 1 END) AS copy) AS c;
ANALYZE persons;
\timing on
\echo records of six columns
SELECT count(*) AS "could go", count(*) FILTER (WHERE x.person = y.person) AS "rightly so"
FROM duplicate_records('persons', 'id', '{first_name,surname,born,street,town,email}') AS d
JOIN persons AS x ON x.id = d.id JOIN persons AS y ON y.id = d.duplicate_of;
\timing off
DROP SCHEMA million CASCADE;
