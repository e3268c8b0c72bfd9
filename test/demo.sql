-- The near-duplicates of a few thousand package descriptions, on a server of
-- its own: "make demo". Variables: width, the columns of the terminal.
\set ON_ERROR_STOP on
\set QUIET on
\pset pager off
\pset footer off
\pset border 1
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS neardup;
SELECT :width - 42 AS text_width \gset

-- Whole words, as many as there is room for.
CREATE FUNCTION pg_temp.beginning(body text, width int) RETURNS text LANGUAGE sql IMMUTABLE RETURN
    CASE WHEN length(body) <= width THEN body ELSE regexp_replace(left(body, width - 1), '\s+\S*$', '') || ' …' END;
CREATE FUNCTION pg_temp.ending(body text, width int) RETURNS text LANGUAGE sql IMMUTABLE RETURN
    CASE WHEN length(body) <= width THEN body ELSE '… ' || regexp_replace(right(body, width - 1), '^\S*\s+', '') END;

CREATE TABLE docs (id int PRIMARY KEY, package text NOT NULL, body text NOT NULL);
\copy docs FROM 'docs.tsv'
ANALYZE docs;

SELECT count(*) AS rows, pg_size_pretty(sum(length(body))) AS size FROM docs \gset
\echo
\echo 'Table docs:' :rows 'descriptions of Debian packages (those named c… to f…),' :size
\echo
\echo '1. Which rows say almost the same? Jaccard similarity of words from 0.8 on:'
\echo
\echo '   SELECT * FROM ppjoin(\'SELECT id, word_tokens(body) FROM docs\', 0.8);'
\echo
SELECT clock_timestamp() AS started \gset
CREATE TABLE pairs AS
SELECT a, b, similarity FROM ppjoin('SELECT id, word_tokens(body) FROM docs', 0.8);
SELECT round(1000 * extract(epoch FROM clock_timestamp() - :'started'::timestamptz)) AS milliseconds \gset
SELECT count(*) AS pairs, count(*) FILTER (WHERE similarity = 1) AS "with equal words",
       (SELECT count(*) FROM (SELECT a FROM pairs UNION SELECT b FROM pairs) AS both_sides) AS "rows in them",
       :'milliseconds' || ' ms' AS "time (words, join and storing)"
FROM pairs;

\echo '   The closest pair, not quite equal, of each of the three largest families of'
\echo '   names, cut to where the two texts begin to differ:'
\echo
WITH candidate AS (
    SELECT p.similarity, x.package AS left_package, x.body AS left_body, y.package AS right_package, y.body AS right_body,
           split_part(x.package, '-', 1) AS family,
           count(*) OVER (PARTITION BY split_part(x.package, '-', 1)) AS family_pairs
    FROM pairs p JOIN docs x ON x.id = p.a JOIN docs y ON y.id = p.b
    WHERE p.similarity < 1
), closest AS (
    SELECT DISTINCT ON (family) *
    FROM candidate
    ORDER BY family, similarity DESC, left_package, right_package
), shown AS (
    SELECT *, row_number() OVER (ORDER BY family_pairs DESC, family) AS place
    FROM closest
    ORDER BY family_pairs DESC, family
    LIMIT 3
), difference AS (
    SELECT shown.*,
           coalesce((SELECT min(i) FROM generate_series(1, length(left_body)) AS i
                     WHERE substr(left_body, i, 1) <> substr(right_body, i, 1)), 1) AS first_difference
    FROM shown
)
SELECT CASE WHEN side = 1 THEN round(similarity::numeric, 3)::text END AS similar,
       CASE WHEN length(package) <= 26 THEN package ELSE regexp_replace(left(package, 25), '[^-]*$', '') || '…' END AS package,
       pg_temp.beginning(pg_temp.ending(left(body, first_difference - 1), 20) || substr(body, first_difference), :text_width) AS text
FROM difference, LATERAL (VALUES (1, left_package, left_body), (2, right_package, right_body)) AS sides (side, package, body)
ORDER BY place, side;

CREATE TABLE sample AS SELECT id, word_tokens(body) AS tokens FROM docs WHERE id <= 2000;
SELECT clock_timestamp() AS started \gset
SELECT count(*) AS nested_pairs FROM sample x JOIN sample y ON x.id < y.id AND NOT jaccard(x.tokens, y.tokens) < 0.8 \gset
SELECT clock_timestamp() AS half \gset
SELECT count(*) AS joined_pairs FROM ppjoin('SELECT id, tokens FROM sample', 0.8) \gset
SELECT clock_timestamp() AS ended \gset
SELECT round(1000 * extract(epoch FROM :'half'::timestamptz - :'started'::timestamptz)) AS nested_ms,
       round(1000 * extract(epoch FROM :'ended'::timestamptz - :'half'::timestamptz)) AS joined_ms \gset
\echo '   Of the first 2,000 rows ppjoin finds' :joined_pairs 'pairs in' :joined_ms 'ms; plain SQL, which'
\echo '   compares every row with every other, finds' :nested_pairs 'in' :nested_ms 'ms.'
\echo

\echo '2. Which headers and manuals belong together? By what their descriptions say:'
\echo
\echo '   SELECT * FROM link_tables(\'SELECT id, body FROM headers\','
\echo '                             \'SELECT id, body FROM manuals\');'
\echo
CREATE TABLE headers AS SELECT id, package, body FROM docs WHERE package LIKE '%-dev';
CREATE TABLE manuals AS SELECT id, package, body FROM docs WHERE package LIKE '%-doc';
CREATE TABLE links AS
SELECT h.package AS headers, m.package AS manual, l.score, left(h.package, -4) = left(m.package, -4) AS "same name"
FROM link_tables('SELECT id, body FROM headers', 'SELECT id, body FROM manuals') AS l
JOIN headers AS h ON h.id = l.a JOIN manuals AS m ON m.id = l.b;
SELECT (SELECT count(*) FROM headers) AS headers, (SELECT count(*) FROM manuals) AS manuals, count(*) AS links,
       count(*) FILTER (WHERE "same name") AS "links of the same name",
       (SELECT count(*) FROM headers AS h JOIN manuals AS m ON left(h.package, -4) = left(m.package, -4)) AS "pairs of the same name"
FROM links;

\echo '3. What have texts in common that are not similar? Passages of eight words on:'
\echo
\echo '   SELECT * FROM passage_join(\'SELECT id, body FROM docs WHERE package = …\', 8,'
\echo '                              against => \'SELECT id, body FROM docs WHERE …\');'
\echo
SELECT x.package, y.package AS "has from", round(jaccard(word_tokens(x.body), word_tokens(y.body))::numeric, 2) AS similar, p.words,
       pg_temp.beginning(substr(x.body, lower(in_a), upper(in_a) - lower(in_a)), :width - 51) AS passage
FROM passage_join($$SELECT id, body FROM docs WHERE package IN ('cvise', 'dsda-doom')$$, 8,
                  against => $$SELECT id, body FROM docs WHERE package NOT IN ('cvise', 'dsda-doom')$$) AS p
JOIN docs AS x ON x.id = p.a JOIN docs AS y ON y.id = p.b
ORDER BY x.package, lower(in_a);

\i :examples/persons.sql
\echo '4. Which rows of a register are one person? Names, dates, addresses, with errors'
\echo '   and gaps, made up, so that the truth is known:'
\echo
\echo '   SELECT * FROM duplicate_records(\'persons\', \'id\', \'{first_name,…}\');'
\echo
SELECT clock_timestamp() AS started \gset
CREATE TABLE same AS SELECT * FROM duplicate_records('persons', 'id', '{first_name,surname,born,street,town,email}');
SELECT round(1000 * extract(epoch FROM clock_timestamp() - :'started'::timestamptz)) AS milliseconds \gset
SELECT (SELECT count(*) FROM persons) AS rows, (SELECT count(DISTINCT person) FROM persons) AS persons, count(*) AS "could go",
       count(*) FILTER (WHERE x.person = y.person) AS "rightly so", :'milliseconds' || ' ms' AS time
FROM same AS s JOIN persons AS x ON x.id = s.id JOIN persons AS y ON y.id = s.duplicate_of;
