-- Precision, recall and F1 of the pairs that the join finds in the labelled sets,
-- by tokens and threshold. Variable data: the folder with the sets. Run by quality.sh.
\set ON_ERROR_STOP on
\pset footer off
SET client_min_messages = warning;
SET work_mem = '256MB';
CREATE EXTENSION neardup;

CREATE TABLE rows (set_name text, id text, body text);
CREATE TABLE truth (set_name text, a text, b text);
CREATE TABLE found (set_name text, tokens text, similarity float8, is_true boolean);

CREATE TEMP TABLE new_rows (id text, body text);
CREATE TEMP TABLE new_truth (a text, b text);
CREATE PROCEDURE keep_set(name text) LANGUAGE sql AS $$
    INSERT INTO rows SELECT name, id, body FROM new_rows;
    INSERT INTO truth SELECT name, least(a, b), greatest(a, b) FROM new_truth;
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
            SELECT name, expression, p.similarity, t.a IS NOT NULL
            FROM ppjoin_keyed(NULL::text, format('SELECT id, %s FROM rows WHERE set_name = %L', expression, name), 0.3) AS p
            LEFT JOIN truth AS t ON t.set_name = name AND t.a = least(p.a, p.b) AND t.b = greatest(p.a, p.b)
            WHERE name <> 'dblp_acm' OR left(p.a, 1) <> left(p.b, 1);
        END LOOP;
    END LOOP;
END $$;

CREATE TABLE quality AS
SELECT f.set_name, f.tokens, threshold, count(*) AS pairs, round(avg(f.is_true::int), 3) AS precision,
       round(sum(f.is_true::int)::numeric / max(t.pairs), 3) AS recall,
       round(2.0 * sum(f.is_true::int) / (count(*) + max(t.pairs)), 3) AS f1
FROM (SELECT s / 20.0::float8 FROM generate_series(6, 19) AS s) AS thresholds (threshold)
JOIN found AS f ON f.similarity >= threshold
JOIN (SELECT set_name, count(*) AS pairs FROM truth GROUP BY set_name) AS t USING (set_name)
GROUP BY f.set_name, f.tokens, threshold;

\echo the best threshold of each tokenization
SELECT DISTINCT ON (set_name, tokens) set_name, tokens, threshold, pairs, precision, recall, f1
FROM quality ORDER BY set_name, tokens, f1 DESC, threshold;

\echo F1 by threshold
SELECT set_name, tokens,
       max(f1) FILTER (WHERE threshold = 0.3::float8) AS "0.30", max(f1) FILTER (WHERE threshold = 0.4::float8) AS "0.40",
       max(f1) FILTER (WHERE threshold = 0.5::float8) AS "0.50", max(f1) FILTER (WHERE threshold = 0.6::float8) AS "0.60",
       max(f1) FILTER (WHERE threshold = 0.7::float8) AS "0.70", max(f1) FILTER (WHERE threshold = 0.8::float8) AS "0.80",
       max(f1) FILTER (WHERE threshold = 0.9::float8) AS "0.90"
FROM quality GROUP BY set_name, tokens ORDER BY set_name, tokens;

\echo precision and recall by threshold, words and 3-grams
SELECT set_name, tokens, threshold, pairs, precision, recall, f1
FROM quality
WHERE tokens IN ('word_tokens(body)', 'qgram_tokens(body, 3)') AND round(threshold * 20)::int % 2 = 0
ORDER BY set_name, tokens, threshold;

\echo bytes of a text
SELECT set_name, count(*) AS rows, round(avg(octet_length(body))) AS bytes FROM rows GROUP BY set_name ORDER BY set_name;
