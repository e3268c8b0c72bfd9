-- A first look at a table that may have duplicates: what its columns hold, and which call to take, as a line to copy. Then
-- that call's outcome for a text column. Nothing is changed; the key is of any type with an order.
--   psql -v table=docs -v key=id -f first_look.sql
--   psql -v table=docs -v key=id -v text=body -v threshold=0.8 -f first_look.sql
SELECT :{?table} AND :{?key} AS is_called, :{?text} AND :{?threshold} AS has_text \gset
\if :is_called \else \warn 'first_look.sql needs the variables table and key, as its head says' \quit \endif
\if :has_text
CREATE TEMP TABLE first_look_found AS
SELECT * FROM near_duplicates_keyed((SELECT t.:"key" FROM :table AS t LIMIT 0), :'table', :'key', :'text', :threshold);

\echo rows that could go, by kind
SELECT kind, count(*) AS rows, count(DISTINCT duplicate_of) AS kept, min(round(similarity::numeric, 3)) AS least_similarity
FROM first_look_found GROUP BY kind ORDER BY kind;

\echo the largest clusters
SELECT f.duplicate_of AS kept, count(*) AS duplicates,
       CASE WHEN length(t.:"text"::text) <= 60 THEN t.:"text"::text
            ELSE regexp_replace(left(t.:"text"::text, 59), '\s+\S*$', '') || ' …' END AS text
FROM first_look_found AS f JOIN :table AS t ON t.:"key" = f.duplicate_of
GROUP BY f.duplicate_of, t.:"text" ORDER BY count(*) DESC, f.duplicate_of LIMIT 5;

\echo the doubtful ones: what differs
SELECT f.id, f.duplicate_of, round(f.similarity::numeric, 3) AS similarity, s.in_a AS in_kept, s.sign, s.in_b AS in_duplicate
FROM (SELECT * FROM first_look_found WHERE kind = 'near' ORDER BY similarity, id LIMIT 3) AS f
JOIN :table AS kept ON kept.:"key" = f.duplicate_of
JOIN :table AS copy ON copy.:"key" = f.id,
LATERAL side_by_side(kept.:"text"::text, copy.:"text"::text) WITH ORDINALITY AS s
WHERE s.sign <> '='
ORDER BY f.similarity, f.id, s.ordinality;
DROP TABLE first_look_found;
\quit
\endif

-- Some 10,000 rows by chance, or 20,000 of a view and a table without statistics, each value with the type of its column.
SELECT greatest(reltuples, 10000) / 10000 AS one_in FROM pg_class WHERE oid = :'table'::regclass \gset
CREATE TEMP TABLE first_look_rows AS
SELECT r.row, a.attnum AS place, a.attname AS name, y.typname AS type, y.typcategory AS category, nullif(btrim(v.value), '') AS value
FROM (SELECT row_number() OVER () AS row, to_jsonb(t) AS fields FROM :table AS t WHERE random() * :one_in < 1 LIMIT 20000) AS r
CROSS JOIN LATERAL jsonb_each_text(r.fields) AS v (name, value)
JOIN pg_attribute AS a ON a.attrelid = :'table'::regclass AND a.attname = v.name AND a.attnum > 0 AND v.name <> :'key'
JOIN pg_type AS y ON y.oid = a.atttypid AND y.typname NOT IN ('tokenset', 'simhash', 'minhash', 'tsvector');

-- What each column holds, by its values. Words are counted in values that are not empty.
CREATE TEMP TABLE first_look_columns AS
SELECT p.*, CASE WHEN filled = 0 THEN 'nothing' WHEN different = 1 THEN 'one value' WHEN category = 'A' THEN 'a set'
                 WHEN category = 'D' OR dates >= 0.8 THEN 'a date' WHEN mails >= 0.8 THEN 'an e-mail' WHEN category = 'N' OR numbers >= 0.9 THEN 'a number'
                 WHEN category = 'B' OR (different <= 50 AND different < 0.05 * filled) THEN 'a class'
                 WHEN codes >= 0.8 AND different = filled THEN 'a key' WHEN codes >= 0.8 THEN 'a code' WHEN words >= 10 THEN 'a text' ELSE 'a name' END AS holds
FROM (SELECT place, name, type, category, count(*) AS rows, count(value) AS filled, count(DISTINCT value) AS different,
             avg(cardinality(word_tokens(value))) AS words, avg((value ~ '^\s*[-+]?[\d.,]+\s*$')::int) AS numbers,
             avg((value ~ '^\s*([12]\d{3}[01]\d[0-3]\d|\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4})\y')::int) AS dates,
             avg((value ~ '^\s*\S+@\S+\.\S+\s*$')::int) AS mails, avg((value ~ '\d' AND value !~ '\S\s+\S')::int) AS codes,
             avg((value ~ '<[a-zA-Z/!][^>]*>')::int) AS html,
             count(DISTINCT strip_numbers(value))::float8 / greatest(count(DISTINCT value), 1) AS without_numbers
      FROM first_look_rows GROUP BY place, name, type, category) AS p;
\echo what the columns hold
SELECT name AS "column", type, holds, round(100.0 * filled / rows) AS "filled %", different AS "different values", round(words::numeric, 1) AS words
FROM first_look_columns ORDER BY place;

\echo rows that are equal in all columns but the key, of those that were looked at
SELECT count(*) AS rows, count(*) - count(DISTINCT fields) AS "equal to another one"
FROM (SELECT string_agg(coalesce(value, ''), E'\n' ORDER BY place) AS fields FROM first_look_rows GROUP BY row) AS r;

-- A long text is what is copied, and so is a single column; of several columns it is what they say together.
SELECT count(*) FILTER (WHERE tells) AS telling, coalesce(array_agg(name ORDER BY place) FILTER (WHERE tells OR holds = 'a class'), '{}')::text AS columns,
       coalesce((array_agg(name ORDER BY words DESC, place) FILTER (WHERE holds IN ('a text', 'a name', 'a code')))[1], '') AS column,
       coalesce((array_agg(name ORDER BY words DESC, place) FILTER (WHERE holds = 'a set'))[1], '') AS set,
       coalesce(max(words) FILTER (WHERE holds = 'a text'), 0) AS words, coalesce(bool_or(holds IN ('a name', 'a text', 'a code')), false) AS has_name
FROM (SELECT *, holds IN ('a text', 'a name', 'a date', 'an e-mail', 'a number', 'a code') AS tells FROM first_look_columns) AS p \gset
SELECT CASE WHEN :words >= 25 OR (:telling = 1 AND :words > 0) THEN CASE WHEN p.without_numbers < 0.5 AND :words < 40 THEN 'lines' ELSE 'texts' END
            WHEN :telling > 1 AND :'has_name' THEN 'records' WHEN :'set' <> '' THEN 'sets' WHEN :'column' <> '' THEN 'names' ELSE 'nothing' END AS kind,
       coalesce(p.html, 0) > 0.3 AS is_html, k.type AS key_type, k.type NOT IN ('smallint', 'integer', 'bigint') AS is_keyed
FROM (SELECT format_type(atttypid, -1) AS type FROM pg_attribute WHERE attrelid = :'table'::regclass AND attname = :'key') AS k
LEFT JOIN first_look_columns AS p ON p.name = :'column' \gset
SELECT CASE WHEN :'kind' = 'sets' THEN format('%I', :'set') WHEN :'kind' = 'names' THEN format('word_qgram_set(strip_marks(%I), 3)', :'column')
            WHEN :'is_html' THEN format('word_tokens(strip_tags(%I))', :'column') ELSE format('word_tokens(%I)', :'column') END AS tokens,
       CASE WHEN :'kind' = 'sets' THEN :'set' ELSE :'column' END AS column, CASE WHEN :'kind' IN ('names', 'sets') THEN 0.5 ELSE 0.8 END AS threshold,
       CASE WHEN :'is_keyed' THEN format('_keyed(NULL::%s, ', :'key_type') ELSE '(' END AS open \gset

\echo the call to begin with
SELECT CASE :'kind'
    WHEN 'records' THEN format(E'-- records: nothing to choose; an error says where it cannot tell, and columns that say nothing of a row may be left out\nSELECT * FROM duplicate_records%s%L, %L, %L);',
                               :'open', :'table', :'key', :'columns')
    WHEN 'lines' THEN format(E'-- lines that differ in numbers: the templates of them\npsql -v table=%s -v key=%s -v line=%s -f log_templates.sql', :'table', :'key', :'column')
    WHEN 'nothing' THEN '-- no column says what a row is'
    ELSE format(E'-- %s: doc/recipes.md has tokens for many kinds of them; with NULL for %s the threshold is chosen\nSELECT * FROM near_duplicates%s%L, %L, %L, %s%s);',
                :'kind', :'threshold', :'open', :'table', :'key', :'column', :'threshold',
                CASE WHEN :'tokens' <> format('word_tokens(%I)', :'column') THEN format(', tokens => %L', :'tokens') ELSE '' END) END AS call \gset
\echo :call

SELECT :'kind' IN ('texts', 'sets', 'names') AS is_joined, format('SELECT row_number() OVER (), %s FROM %s', :'tokens', :'table') AS query \gset
\if :is_joined
\echo about how many pairs there are from a similarity on, and how long their join takes
SELECT threshold, pairs, pairs_low AS "at least", pairs_high AS "at most", round(seconds::numeric, 2) AS seconds FROM estimate_join(:'query', '{0.5, 0.7, 0.8, 0.9}');
\endif
DROP TABLE first_look_rows, first_look_columns;
