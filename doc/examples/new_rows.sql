-- New rows against old ones: inserts those rows of "incoming" that resemble no row of "docs", and of those that resemble
-- each other the first, and shows what became of each. Rows without words, which resemble nothing, are left out. Both
-- tables: (id, body text); the id is of any type with an order.
--   psql -v threshold=0.8 -f new_rows.sql
SELECT :{?threshold} AS is_called \gset
\if :is_called \else \warn 'new_rows.sql needs the variable threshold, as its head says' \quit \endif
CREATE EXTENSION IF NOT EXISTS neardup_clean;
WITH new AS MATERIALIZED (
    SELECT id, to_jsonb(i) AS new_row, row_number() OVER (ORDER BY id) AS place FROM incoming AS i
    WHERE word_tokens(body) <> '{}')
SELECT new.id, r.inserted, r.key, round(r.similarity::numeric, 3) AS similarity
FROM insert_or_find_rows('docs', (SELECT jsonb_agg(new_row ORDER BY place) FROM new), 'id', 'word_tokens(body)', :threshold) AS r
JOIN new USING (place) ORDER BY place;
