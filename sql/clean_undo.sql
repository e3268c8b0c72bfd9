-- Merges that are taken back: every row is as before.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION neardup_clean;
RESET client_min_messages;
CREATE SCHEMA clean;
SET search_path = clean, public;
-- Types whose text depends on settings, or of which JSON loses something; columns that the table makes; a domain; more columns than a function has arguments.
CREATE DOMAIN short AS varchar(9) NOT NULL DEFAULT 'short' CHECK (VALUE <> 'bad');
CREATE TYPE both_of AS (a int, b text);
CREATE TABLE things (number int GENERATED ALWAYS AS IDENTITY, id uuid PRIMARY KEY, "when" timestamptz, span interval, at date, doc json, docb jsonb, nulls jsonb, f float8, r float4, n numeric, b bytea,
    arr int[], dates date[], pair both_of, rng tstzrange, c char(5), d short, rel regclass, big text GENERATED ALWAYS AS (upper(d::text)) STORED, body text UNIQUE, flag bit(3), toks tokenset);
DO $$ BEGIN FOR i IN 1 .. 60 LOOP EXECUTE format('ALTER TABLE things ADD x%s int DEFAULT %1$s', i); END LOOP; END $$;
INSERT INTO things (id, "when", span, at, doc, docb, nulls, f, r, n, b, arr, dates, pair, rng, c, d, rel, body, flag, toks) VALUES
    ('00000000-0000-0000-0000-000000000001', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'one', NULL, NULL, NULL, NULL),
    ('00000000-0000-0000-0000-000000000002', '0044-03-15 12:00 BC', '-1 mon +2 days -3:04', 'infinity', '{"b": 1,  "a": 1, "a": 2}', '{"z": null}', 'null', 0.1::float8 + 0.2, 'NaN', 1.50, '\x00ff',
     '[2:3]={1,NULL}', '{2024-02-01}', '(1,)', '[2024-01-01,)', 'x', 'two', 'things', E'it''s "quoted"\n', '101', word_tokens('a b c'));
CREATE TABLE refs (thing uuid REFERENCES things ON DELETE CASCADE, note json, n int);
INSERT INTO refs SELECT id, '{"a":  1}', i FROM things, generate_series(1, 3) i;
INSERT INTO refs SELECT thing, note, n FROM refs;
CREATE TABLE keyed (thing uuid REFERENCES things, tag text, PRIMARY KEY (thing, tag));
INSERT INTO keyed SELECT id, tag FROM things, unnest('{a,b}'::text[]) tag;
INSERT INTO keyed VALUES ('00000000-0000-0000-0000-000000000002', 'c');
CREATE TABLE was AS SELECT 'things' AS rel, t::text AS row FROM things t UNION ALL SELECT 'refs', r::text FROM refs r UNION ALL SELECT 'keyed', k::text FROM keyed k;
CREATE VIEW present AS SELECT 'things' AS rel, t::text AS row FROM things t UNION ALL SELECT 'refs', r::text FROM refs r UNION ALL SELECT 'keyed', k::text FROM keyed k;
SET datestyle = 'SQL, DMY';
SET intervalstyle = 'sql_standard';
SET extra_float_digits = -3;
SELECT string_agg(format('"%s": "first"', a), ', ') AS rules FROM unnest('{when,span,at,doc,docb,nulls,f,r,n,b,arr,dates,pair,rng,c,rel,body,flag,toks}'::text[]) a \gset
SELECT merge, gone, moved, went FROM merge_duplicates('things', 'id', $$SELECT max(id::text), min(id::text) FROM things$$, rules => format('{%s, "d": "longest"}', :'rules')::jsonb, log => 'merges');
RESET ALL;
SET search_path = clean, public;
SELECT count(*), count(DISTINCT id), min(length(body)) FROM things;
SELECT action, rel, key, before, after FROM merges WHERE rel <> 'things'::regclass ORDER BY action, rel, key::text LIMIT 3;
SELECT merge, who = current_user AS who, gone, kept, action, before ->> 'span' AS span, after ->> 'span' AS merged FROM merges WHERE rel = 'things'::regclass ORDER BY action;
SET datestyle = 'German';
SELECT * FROM undo_merge('merges', 1);
RESET ALL;
SET search_path = clean, public;
SELECT count(*) FROM ((TABLE present EXCEPT ALL TABLE was) UNION ALL (TABLE was EXCEPT ALL TABLE present)) d;
-- Once.
SELECT * FROM undo_merge('merges', 1);
SELECT * FROM undo_merge('merges', 7);
SELECT * FROM undo_merge('merges', NULL);
SELECT * FROM undo_merge('was', 1);
DROP VIEW present;
DROP TABLE things, refs, keyed, was, merges;
DROP TYPE both_of;
DROP DOMAIN short;
-- What has changed since is not overwritten.
CREATE TABLE p (id int PRIMARY KEY, email text UNIQUE, name text);
CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p, state text);
INSERT INTO p VALUES (1, NULL, 'a'), (2, 'b@x', 'b'), (3, 'c@x', 'c');
INSERT INTO c VALUES (10, 1, 'new'), (20, 2, 'new'), (21, 2, 'new'), (30, 3, 'new');
SELECT merge, gone, kept FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"email": "first", "name": "concat"}', log => '"The ""log"""');
-- Other columns may have changed.
UPDATE c SET state = 'paid' WHERE id = 20;
UPDATE p SET name = 'other' WHERE id = 1;
SELECT * FROM undo_merge('"The ""log"""', 1);
UPDATE c SET p = 3 WHERE id = 21;
SELECT * FROM undo_merge('"The ""log"""', 1, force => true);
UPDATE c SET p = 1 WHERE id = 21;
DELETE FROM c WHERE id = 21;
SELECT * FROM undo_merge('"The ""log"""', 1, force => true);
INSERT INTO c VALUES (21, 1, 'back');
INSERT INTO p VALUES (2, 'd@x', 'd');
SELECT * FROM undo_merge('"The ""log"""', 1, force => true);
DELETE FROM p WHERE id = 2;
-- Later merges are undone first.
SELECT merge FROM merge_duplicates('p', 'id', 'VALUES (1, 3)', log => '"The ""log"""');
SELECT * FROM undo_merge('"The ""log"""', 1, force => true);
SELECT * FROM undo_merge('"The ""log"""', 2);
SELECT * FROM undo_merge('"The ""log"""', 1, force => true);
SELECT * FROM p ORDER BY p::text;
SELECT * FROM c ORDER BY c::text;
-- The log holds what is needed, and no more: rows that are erased from it cannot be undone.
SELECT merge FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', log => 'merges');
DELETE FROM merges WHERE before ->> 'email' = 'b@x';
SELECT * FROM undo_merge('merges', 1);
ALTER TABLE c RENAME p TO person;
SELECT * FROM undo_merge('merges', 1);
SELECT merge FROM merge_duplicates('p', 'id', 'VALUES (3, 1)', log => 'c');
SELECT merge FROM merge_duplicates('p', 'id', 'VALUES (3, 1)', log => 'a.b.c.d');
DROP TABLE p, c, merges, "The ""log""";
DROP SCHEMA clean;
DROP EXTENSION neardup_clean;
