-- Precision, recall and F1 of the pairs that the join finds in the labelled sets,
-- by tokens, measure and threshold. Variable data: the folder with the sets. Run by quality.sh.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
SET work_mem = '256MB';
CREATE EXTENSION neardup;

CREATE TABLE rows (set_name text, id text, body text);
CREATE TABLE truth (set_name text, a text, b text);
CREATE TABLE found (set_name text, is_one_to_one bool, tokens text, measure text, a text, b text, similarity float8);

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

-- dblp_acm are two catalogues: only pairs of one with the other are labelled. The pairs of
-- match_join at a higher threshold are those at or above it of a lower one.
CREATE FUNCTION sets_of(name text, tokens text, first_letter text DEFAULT '') RETURNS text LANGUAGE sql
RETURN format('SELECT id, %s FROM rows WHERE set_name = %L AND starts_with(id, %L)', tokens, name, first_letter);
DO $$
DECLARE
    expression text;
    measure text;
BEGIN
    FOREACH expression IN ARRAY ARRAY['word_tokens(body)', 'shingle_tokens(body, 2)', 'qgram_tokens(body, 3)', 'qgram_tokens(body, 4)',
        'word_set(body) | qgram_set(body, 4)'] LOOP
        FOREACH measure IN ARRAY ARRAY['jaccard', 'idf_jaccard', 'idf_cosine'] LOOP
            INSERT INTO found
            SELECT name, false, expression, measure, p.*
            FROM unnest(ARRAY['affil', 'febrl20k']) AS name, ppjoin_keyed(NULL::text, sets_of(name, expression), 0.3, measure) AS p;
            INSERT INTO found
            SELECT 'dblp_acm', false, expression, measure, p.*
            FROM ppjoin_keyed(NULL::text, sets_of('dblp_acm', expression, 'D'), 0.3, measure, against => sets_of('dblp_acm', expression, 'A')) AS p;
            INSERT INTO found
            SELECT 'dblp_acm', true, expression, measure, p.*
            FROM match_join_keyed(NULL::text, sets_of('dblp_acm', expression, 'D'), 0.3, measure, against => sets_of('dblp_acm', expression, 'A')) AS p;
        END LOOP;
    END LOOP;
END $$;
CREATE INDEX ON found (set_name, is_one_to_one, tokens, measure, similarity);
ANALYZE found;

CREATE TABLE quality AS
SELECT f.*, threshold, round(q.precision::numeric, 3) AS precision, round(q.recall::numeric, 3) AS recall,
       round(q.f1::numeric, 3) AS f1
FROM (SELECT trim_scale(s / 40.0) FROM generate_series(12, 38) AS s) AS thresholds (threshold),
     (SELECT DISTINCT set_name, is_one_to_one, tokens, measure FROM found) AS f,
     pairs_quality(
         format('SELECT a, b FROM found WHERE set_name = %L AND is_one_to_one = %L AND tokens = %L AND measure = %L AND similarity >= %s',
                f.set_name, f.is_one_to_one, f.tokens, f.measure, threshold),
         format('SELECT a, b FROM truth WHERE set_name = %L', f.set_name)) AS q
WHERE q.found_pairs > 0;

-- What follows are the tables of the page, line by line.
CREATE FUNCTION label(tokens text) RETURNS text LANGUAGE sql RETURN '`' || replace(replace(replace(tokens, '(body)', ''), 'body', '…'), '|', '\|') || '`';
CREATE TABLE sets (place int, set_name text, what text);
INSERT INTO sets VALUES
    (1, 'dblp_acm', 'title, authors, venue and year of papers in two catalogues (Leipzig); pairs of one with the other'),
    (2, 'affil', 'affiliations of authors (Leipzig): abbreviations, missing and added parts'),
    (3, 'febrl20k', 'persons made by the FEBRL generator: typing errors, fields missing or exchanged');
CREATE FUNCTION name_of(set_name text, is_one_to_one bool) RETURNS text LANGUAGE sql
RETURN '`' || set_name || '`' || CASE WHEN is_one_to_one THEN ', one to one' ELSE '' END;
\pset format unaligned
\pset tuples_only on

\echo '| set | rows | true pairs | bytes of a text | what |'
\echo '|---|---|---|---|---|'
SELECT format('| `%s` | %s | %s | %s | %s |', set_name, to_char(r.rows, 'FM999,999'), to_char(t.pairs, 'FM999,999'), r.bytes, what)
FROM sets JOIN (SELECT set_name, count(*) AS rows, round(avg(octet_length(body))) AS bytes FROM rows GROUP BY set_name) AS r USING (set_name)
JOIN (SELECT set_name, count(*) AS pairs FROM truth GROUP BY set_name) AS t USING (set_name)
ORDER BY place;

\echo
\echo '| set | tokens | `jaccard` | `idf_jaccard` | `idf_cosine` |'
\echo '|---|---|---|---|---|'
WITH best AS (
    SELECT DISTINCT ON (set_name, is_one_to_one, tokens, measure) * FROM quality
    ORDER BY set_name, is_one_to_one, tokens, measure, f1 DESC, threshold
), cells AS (
    SELECT *, row_number() OVER (PARTITION BY set_name, is_one_to_one ORDER BY f1 DESC, tokens, measure) = 1 AS is_best FROM best
), lines AS (
    SELECT set_name, is_one_to_one, tokens,
           string_agg(format(CASE WHEN is_best THEN '**%s** at %s' ELSE '%s at %s' END, f1, threshold), ' | '
                      ORDER BY measure <> 'jaccard', measure DESC) AS line,
           row_number() OVER (PARTITION BY set_name, is_one_to_one ORDER BY max(f1) DESC, tokens) AS rank
    FROM cells GROUP BY set_name, is_one_to_one, tokens
)
SELECT format('| %s | %s | %s |', CASE rank WHEN 1 THEN name_of(set_name, is_one_to_one) END, label(tokens), line)
FROM lines JOIN sets USING (set_name) ORDER BY place, is_one_to_one, rank;

CREATE TABLE choices (row int, is_one_to_one bool, tokens text, measure text);
INSERT INTO choices VALUES
    (1, false, 'word_tokens(body)', 'jaccard'), (2, false, 'qgram_tokens(body, 3)', 'jaccard'),
    (3, false, 'word_tokens(body)', 'idf_cosine'), (4, false, 'qgram_tokens(body, 3)', 'idf_cosine'),
    (5, true, 'word_tokens(body)', 'jaccard'), (6, true, 'qgram_tokens(body, 3)', 'idf_cosine');
CREATE VIEW by_threshold AS
SELECT place, row, set_name, is_one_to_one, tokens, measure, threshold, precision, recall, f1,
       f1 = max(f1) OVER (PARTITION BY set_name, row) AS is_best,
       row = min(row) OVER (PARTITION BY set_name, is_one_to_one) AS is_first
FROM quality JOIN sets USING (set_name) JOIN choices USING (is_one_to_one, tokens, measure)
WHERE threshold IN (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9);

\echo
\echo '| set | tokens | measure | 0.30 | 0.40 | 0.50 | 0.60 | 0.70 | 0.80 | 0.90 |'
\echo '|---|---|---|---|---|---|---|---|---|---|'
SELECT format('| %s | %s | `%s` | %s |', CASE WHEN is_first THEN name_of(set_name, is_one_to_one) END, label(tokens), measure,
              string_agg(CASE WHEN is_best THEN format('**%s**', f1) ELSE f1::text END, ' | ' ORDER BY threshold))
FROM by_threshold GROUP BY place, row, set_name, is_one_to_one, is_first, tokens, measure ORDER BY place, row;

\echo
\echo '| one choice for all sets | `dblp_acm` | `affil` | `febrl20k` |'
\echo '|---|---|---|---|'
SELECT format('| %s, `%s` %s | %s |', label(tokens), measure, threshold, string_agg(f1::text, ' | ' ORDER BY place))
FROM by_threshold
WHERE NOT is_one_to_one AND threshold IN (0.4, 0.5)
GROUP BY row, tokens, measure, threshold ORDER BY row, threshold;
SELECT format('| the best of each set | %s |', string_agg(f1::text, ' | ' ORDER BY place))
FROM (SELECT place, max(f1) AS f1 FROM quality JOIN sets USING (set_name) WHERE NOT is_one_to_one GROUP BY place) AS best;

\echo
\echo '| set | tokens | measure | | 0.30 | 0.40 | 0.50 | 0.60 | 0.70 | 0.80 | 0.90 |'
\echo '|---|---|---|---|---|---|---|---|---|---|---|'
SELECT format('| %s | %s | %s | %s |', CASE WHEN is_first AND line = 1 THEN name_of(set_name, is_one_to_one) END,
              CASE line WHEN 1 THEN label(tokens) || ' | `' || measure || '`' ELSE '|' END, CASE line WHEN 1 THEN 'precision' ELSE 'recall' END,
              string_agg((CASE line WHEN 1 THEN precision ELSE recall END)::text, ' | ' ORDER BY threshold))
FROM by_threshold, generate_series(1, 2) AS line
WHERE row IN (1, 2, 4)
GROUP BY place, row, set_name, is_one_to_one, is_first, tokens, measure, line ORDER BY place, row, line;
