-- Precision, recall and F1 of the pairs that the join finds in the labelled sets,
-- by tokens and threshold. Variable data: the folder with the sets. Run by quality.sh.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
SET work_mem = '256MB';
CREATE EXTENSION neardup;

CREATE TABLE rows (set_name text, id text, body text);
CREATE TABLE truth (set_name text, a text, b text);
CREATE TABLE found (set_name text, tokens text, a text, b text, similarity float8);

CREATE TEMP TABLE new_rows (id text, body text);
CREATE TEMP TABLE new_truth (a text, b text);
CREATE PROCEDURE keep_set(name text) LANGUAGE sql AS $$
    INSERT INTO rows SELECT name, id, body FROM new_rows;
    INSERT INTO truth SELECT name, a, b FROM new_truth;
    TRUNCATE new_rows;
    TRUNCATE new_truth;
$$;

\setenv DATA :data
\copy new_rows from program 'xz -dc "$DATA"/dblp_acm.tsv.xz'
\copy new_truth from program 'xz -dc "$DATA"/dblp_acm.pairs.tsv.xz'
CALL keep_set('dblp_acm');
\copy new_rows from program 'xz -dc "$DATA"/affil.tsv.xz'
\copy new_truth from program 'xz -dc "$DATA"/affil.pairs.tsv.xz'
CALL keep_set('affil');
\copy new_rows from program 'xz -dc "$DATA"/febrl20k.tsv.xz'
\copy new_truth from program 'xz -dc "$DATA"/febrl20k.pairs.tsv.xz'
CALL keep_set('febrl20k');
ANALYZE;

-- dblp_acm are two catalogues: only pairs of one with the other are labelled.
DO $$
DECLARE
    name text;
    expression text;
BEGIN
    FOREACH name IN ARRAY ARRAY['dblp_acm', 'affil', 'febrl20k'] LOOP
        FOREACH expression IN ARRAY ARRAY['word_tokens(body)', 'shingle_tokens(body, 2)', 'shingle_tokens(body, 3)',
            'qgram_tokens(body, 2)', 'qgram_tokens(body, 3)', 'qgram_tokens(body, 4)'] LOOP
            INSERT INTO found
            SELECT name, expression, p.a, p.b, p.similarity
            FROM ppjoin_keyed(NULL::text, format('SELECT id, %s FROM rows WHERE set_name = %L', expression, name), 0.3) AS p
            WHERE name <> 'dblp_acm' OR left(p.a, 1) <> left(p.b, 1);
        END LOOP;
    END LOOP;
END $$;

CREATE TABLE quality AS
SELECT f.set_name, f.tokens, threshold, q.found_pairs AS pairs, round(q.precision::numeric, 3) AS precision,
       round(q.recall::numeric, 3) AS recall, round(q.f1::numeric, 3) AS f1
FROM (SELECT s / 20.0::float8 FROM generate_series(6, 19) AS s) AS thresholds (threshold),
     (SELECT DISTINCT set_name, tokens FROM found) AS f,
     pairs_quality(
         format('SELECT a, b FROM found WHERE set_name = %L AND tokens = %L AND similarity >= %s', f.set_name, f.tokens, threshold),
         format('SELECT a, b FROM truth WHERE set_name = %L', f.set_name)) AS q
WHERE q.found_pairs > 0;

-- What follows are the tables of the page, line by line.
CREATE FUNCTION label(tokens text) RETURNS text LANGUAGE sql RETURN '`' || replace(replace(tokens, '(body)', ''), 'body', '…') || '`';
CREATE TABLE sets (place int, set_name text, what text);
INSERT INTO sets VALUES
    (1, 'dblp_acm', 'title, authors, venue and year of papers in two catalogues (Leipzig); pairs of one with the other'),
    (2, 'affil', 'affiliations of authors (Leipzig): abbreviations, missing and added parts'),
    (3, 'febrl20k', 'persons made by the FEBRL generator: typing errors, fields missing or exchanged');
\pset format unaligned
\pset tuples_only on

\echo '| set | rows | true pairs | bytes of a text | what |'
\echo '|---|---|---|---|---|'
SELECT format('| `%s` | %s | %s | %s | %s |', set_name, to_char(r.rows, 'FM999,999'), to_char(t.pairs, 'FM999,999'), r.bytes, what)
FROM sets JOIN (SELECT set_name, count(*) AS rows, round(avg(octet_length(body))) AS bytes FROM rows GROUP BY set_name) AS r USING (set_name)
JOIN (SELECT set_name, count(*) AS pairs FROM truth GROUP BY set_name) AS t USING (set_name)
ORDER BY place;

\echo
\echo '| set | tokens | threshold | pairs found | precision | recall | F1 |'
\echo '|---|---|---|---|---|---|---|'
WITH best AS (
    SELECT DISTINCT ON (set_name, tokens) * FROM quality ORDER BY set_name, tokens, f1 DESC, threshold
), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY set_name ORDER BY f1 DESC, tokens) AS rank FROM best
)
SELECT CASE rank WHEN 1 THEN format('| `%s` | **%s** |', set_name, label(tokens)) ELSE format('| | %s |', label(tokens)) END ||
       format(' %s | %s | %s | %s |', to_char(threshold, 'FM0.00'), to_char(pairs, 'FM999,999'), precision, recall) ||
       CASE rank WHEN 1 THEN format(' **%s** |', f1) ELSE format(' %s |', f1) END
FROM ranked JOIN sets USING (set_name) ORDER BY place, rank;

CREATE VIEW by_threshold AS
SELECT place, set_name, CASE tokens WHEN 'word_tokens(body)' THEN 1 ELSE 2 END AS row, tokens, threshold, precision, recall, f1,
       f1 = max(f1) OVER (PARTITION BY set_name) AS is_best
FROM quality JOIN sets USING (set_name)
WHERE tokens IN ('word_tokens(body)', 'qgram_tokens(body, 3)') AND round(threshold * 20)::int % 2 = 0;

\echo
\echo '| set | tokens | 0.30 | 0.40 | 0.50 | 0.60 | 0.70 | 0.80 | 0.90 |'
\echo '|---|---|---|---|---|---|---|---|---|'
SELECT CASE row WHEN 1 THEN format('| `%s` | ', set_name) ELSE '| | ' END || label(tokens) || ' | ' ||
       string_agg(CASE WHEN is_best THEN format('**%s**', f1) ELSE f1::text END, ' | ' ORDER BY threshold) || ' |'
FROM by_threshold GROUP BY place, set_name, row, tokens ORDER BY place, row;

\echo
\echo '| set | tokens | | 0.30 | 0.40 | 0.50 | 0.60 | 0.70 | 0.80 | 0.90 |'
\echo '|---|---|---|---|---|---|---|---|---|---|'
SELECT CASE WHEN row = 1 AND line = 1 THEN format('| `%s` | ', set_name) ELSE '| | ' END || CASE line WHEN 1 THEN label(tokens) || ' | precision | ' ELSE '| recall | ' END ||
       string_agg((CASE line WHEN 1 THEN precision ELSE recall END)::text, ' | ' ORDER BY threshold) || ' |'
FROM by_threshold, generate_series(1, 2) AS line GROUP BY place, set_name, row, tokens, line ORDER BY place, row, line;
