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
-- What is computed from other columns tells nothing more.
SELECT greatest(reltuples, 10000) / 10000 AS one_in FROM pg_class WHERE oid = :'table'::regclass \gset
CREATE TEMP TABLE first_look_rows AS
SELECT r.row, a.attnum AS place, a.attname AS name, y.typname AS type, y.typcategory AS category, nullif(btrim(v.value), '') AS value,
       EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = a.attrelid AND c.contype = 'f' AND a.attnum = ANY (c.conkey)) AS refers
FROM (SELECT row_number() OVER () AS row, to_jsonb(t) AS fields FROM :table AS t WHERE random() * :one_in < 1 LIMIT 20000) AS r
CROSS JOIN LATERAL jsonb_each_text(r.fields) AS v (name, value)
JOIN pg_attribute AS a ON a.attrelid = :'table'::regclass AND a.attname = v.name AND a.attnum > 0 AND v.name <> :'key' AND a.attgenerated = ''
JOIN pg_type AS y ON y.oid = a.atttypid AND y.typname NOT IN ('tokenset', 'minhash', 'tsvector');

-- What each column holds, by its values. Words are counted in values that are not empty.
CREATE TEMP TABLE first_look_columns AS
SELECT p.*, CASE WHEN filled = 0 THEN 'nothing' WHEN different = 1 THEN 'one value' WHEN refers THEN 'a reference' WHEN category = 'A' THEN 'a set'
                 WHEN category = 'V' THEN 'a bit string' WHEN type = 'simhash' THEN 'a simhash'
                 WHEN category = 'D' OR dates >= 0.8 THEN 'a date' WHEN mails >= 0.8 THEN 'an e-mail' WHEN category = 'N' OR numbers >= 0.9 THEN 'a number'
                 WHEN category = 'B' OR (words < 5 AND different <= 50 AND different < 0.05 * filled) THEN 'a class' WHEN phones >= 0.8 THEN 'a telephone number'
                 WHEN codes >= 0.8 AND different = filled THEN 'a key' WHEN codes >= 0.8 THEN 'a code' WHEN sequences >= 0.8 THEN 'a sequence'
                 WHEN sources >= 0.8 THEN 'source code' WHEN traces >= 0.5 THEN 'a trace' WHEN words >= 10 THEN 'a text' ELSE 'a name' END AS holds
FROM (SELECT place, name, type, category, refers, count(*) AS rows, count(value) AS filled, count(DISTINCT value) AS different,
             avg(cardinality(word_tokens(value))) AS words, avg((value ~ '^\s*[-+]?[\d.,]+\s*$')::int) AS numbers,
             avg((value ~ '^\s*([12]\d{3}[01]\d[0-3]\d|\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4})\y')::int) AS dates,
             avg((value ~ '^\s*\S+@\S+\.\S+\s*$')::int) AS mails, avg((value ~ '^\s*\+?[\d\s()./-]{6,}$' AND length(regexp_replace(value, '\D', '', 'g')) BETWEEN 6 AND 15)::int) AS phones,
             avg((value ~ '\d' AND (value !~ '\S\s+\S' OR length(value) <= 12))::int) AS codes, avg((value ~* '^[ACGTUN\s]{20,}$')::int) AS sequences,
             avg((value ~ '\w\([^)]*\)\s*[{:;]')::int) AS sources, avg((value ~ '\y0x[0-9a-f]+\y|\.\w+:\d+\)|", line \d+|Traceback|\w+Exception\y')::int) AS traces,
             avg((value ~ '<[a-zA-Z/!][^>]*>')::int) AS html, avg((value ~ '\d')::int) AS digits,
             count(DISTINCT log_words(value))::float8 / greatest(count(DISTINCT value), 1) AS templates
      FROM first_look_rows GROUP BY place, name, type, category, refers) AS p;
\echo what the columns hold
SELECT name AS "column", type, holds, round(100.0 * filled / rows) AS "filled %", different AS "different values", round(words::numeric, 1) AS words
FROM first_look_columns ORDER BY place;

\echo rows that are equal in all columns but the key, of those that were looked at
SELECT count(*) AS rows, count(*) - count(DISTINCT fields) AS "equal to another one"
FROM (SELECT string_agg(coalesce(value, ''), E'\n' ORDER BY place) AS fields FROM first_look_rows GROUP BY row) AS r;

-- The column that a call of one column takes: the longest text or name, else what is no text.
SELECT coalesce((array_agg(name ORDER BY holds IN ('a set', 'a bit string', 'a simhash', 'a key'), words DESC, place)
           FILTER (WHERE holds IN ('a text', 'a name', 'a code', 'a key', 'a sequence', 'source code', 'a trace', 'a set', 'a bit string', 'a simhash')))[1], '') AS column,
       coalesce(max(words) FILTER (WHERE holds IN ('a text', 'a name', 'a sequence', 'source code', 'a trace')), 0) AS words
FROM first_look_columns \gset
SELECT format('number_words(%I)', :'column') AS numbers, format('SELECT %I, %I FROM %s', :'key', :'column', :'table') AS rows \gset

-- Several columns that tell make a record, unless one is a long text, or all others are numbers beside a sentence. Numbers
-- within names keep rows apart; what else may do so is for the reader to say.
SELECT count(*) FILTER (WHERE tells) AS telling, coalesce(bool_or(tells AND holds NOT IN ('a date', 'a number')), false) AS has_words,
       coalesce(array_agg(name ORDER BY place) FILTER (WHERE tells OR separates), '{}')::text AS columns,
       coalesce(string_agg(CASE WHEN name = :'column' THEN :'numbers' ELSE quote_ident(name) END, ', ' ORDER BY place) FILTER (WHERE separates OR name = :'column' AND (numbered OR dated)), '') AS apart,
       CASE WHEN bool_or(name = :'column' AND numbered) THEN :'numbers' ELSE '' END AS within
FROM (SELECT *, holds IN ('a class', 'a reference', 'a number') AS separates, holds = 'a name' AND digits >= 0.5 AS numbered, holds = 'a text' AND digits >= 0.8 AND words < 40 AND html < 0.3 AS dated,
             holds IN ('a text', 'a name', 'a date', 'an e-mail', 'a telephone number', 'a code', 'source code', 'a trace')
             OR (holds = 'a number' AND (:words < 5 OR type IN ('float4', 'float8', 'numeric'))) AS tells FROM first_look_columns) AS p \gset
SELECT CASE WHEN :telling > 1 AND :'has_words' AND :words < 25 THEN 'records' WHEN p.name IS NULL THEN 'nothing'
            WHEN p.holds = 'a text' AND p.words < 40 AND p.templates < 0.5 OR p.holds = 'a name' AND p.words > 3.5 AND p.templates < 0.2 THEN 'lines'
            WHEN p.html >= 0.3 THEN 'pages' WHEN p.holds = 'source code' THEN 'sources' WHEN p.holds = 'a key' THEN 'codes' WHEN p.holds = 'a simhash' THEN 'hashes' ELSE regexp_replace(p.holds || 's', '^an? ', '') END AS kind,
       k.type AS key_type, k.type NOT IN ('smallint', 'integer', 'bigint') AS is_keyed
FROM (SELECT format_type(atttypid, -1) AS type FROM pg_attribute WHERE attrelid = :'table'::regclass AND attname = :'key') AS k
LEFT JOIN first_look_columns AS p ON p.name = :'column' \gset
SELECT v.tokens IS NOT NULL AS is_joined, coalesce(format(v.tokens, :'column'), '') AS tokens, coalesce(v.threshold, 0) AS threshold, CASE WHEN :'is_keyed' THEN format('_keyed(NULL::%s, ', :'key_type') ELSE '(' END AS open
FROM (SELECT :'kind' AS kind) AS k LEFT JOIN (VALUES
    ('texts', 'word_tokens(%I)', 0.8), ('pages', 'word_tokens(strip_tags(%I))', 0.8), ('names', 'word_qgram_set(strip_marks(%I), 3)', 0.5), ('sources', 'shingle_tokens(code_words(%I), 3)', 0.5),
    ('traces', 'shingle_set(strip_ids(%I), 2)', 0.5), ('sequences', 'qgram_set(%I, 15)', 0.3), ('sets', '%I', 0.5), ('bit strings', 'bit_set(%I)', 0.7)) AS v (kind, tokens, threshold) USING (kind) \gset

\echo the call to begin with
SELECT CASE :'kind'
    WHEN 'records' THEN format(E'-- records: nothing to choose; an error says where it cannot tell, and columns that say nothing of a row may be left out\nSELECT * FROM duplicate_records%s%L, %L, %L);',
                               :'open', :'table', :'key', :'columns')
    WHEN 'lines' THEN format(E'-- lines that differ in numbers: the templates of them; where numbers tell rows apart, near_duplicates with within => %L\npsql -v table=%s -v key=%s -v line=%s -f log_templates.sql',
                             :'numbers', :'table', :'key', :'column')
    WHEN 'codes' THEN format(E'-- codes: pairs within one typing error; doc/recipes.md has codes without their marks\nSELECT * FROM edit_join%s%L, 1);', :'open', :'rows')
    WHEN 'hashes' THEN format(E'-- hashes: pairs that differ in at most 8 of 64 bits\nSELECT * FROM simhash_join%s%L, 8);', :'open', :'rows')
    WHEN 'nothing' THEN '-- no column says what a row is'
    ELSE format(E'-- %s: doc/recipes.md has tokens for many kinds of them; with NULL for %s the threshold is chosen\n%sSELECT * FROM near_duplicates%s%L, %L, %L, %s%s%s);',
                :'kind', :'threshold', CASE WHEN :'apart' <> :'within' THEN format(E'-- where rows that differ in %1$s are different things: within => %1$L\n', :'apart') ELSE '' END,
                :'open', :'table', :'key', :'column', :'threshold', CASE WHEN :'kind' <> 'texts' THEN format(', tokens => %L', :'tokens') ELSE '' END,
                CASE WHEN :'within' <> '' THEN format(', within => %L', :'within') ELSE '' END) END AS call \gset
\echo :call

SELECT format('SELECT row_number() OVER (), %s FROM %s', :'tokens', :'table') AS query \gset
\if :is_joined
\echo about how many pairs there are from a similarity on, and how long their join takes
SELECT threshold, pairs, pairs_low AS "at least", pairs_high AS "at most", round(seconds::numeric, 2) AS seconds FROM estimate_join(:'query', '{0.5, 0.7, 0.8, 0.9}');
\endif
DROP TABLE first_look_rows, first_look_columns;
