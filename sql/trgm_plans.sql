-- Plans of conditions and orders by pg_trgm's similarities: by the index where that is cheaper than to compute each of them.
-- Some packages of PostgreSQL leave pg_trgm out.
SELECT count(*) = 0 AS is_absent FROM pg_available_extensions WHERE name = 'pg_trgm' \gset
\if :is_absent
\quit
\endif
SET client_min_messages = warning;
CREATE EXTENSION pg_trgm;
CREATE EXTENSION neardup_trgm;
CREATE TABLE flaws (id int PRIMARY KEY, bank int, title text NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO flaws SELECT i, i % 6, (ARRAY['buffer overflow', 'use after free', 'path traversal', 'SQL injection', 'memory leak'])[1 + i % 5] || ' in ' || (ARRAY['libpng', 'openssl', 'kernel', 'curl', 'nginx', 'bash'])[1 + i / 5 % 6] || ' ' || substr(md5(i::text), 1, 5)
FROM generate_series(1, 20000) AS i;
CREATE INDEX flaws_title ON flaws USING neardup (title trgm_ops);
CREATE INDEX flaws_bank_title ON flaws USING neardup (bank, title trgm_ops);
CREATE TABLE asked AS SELECT id, title || 'x' AS title FROM flaws WHERE id % 4000 = 6;
CREATE TABLE products AS SELECT unnest(ARRAY['libpng', 'openssl', 'kernel', 'curl', 'nginx', 'bash']) AS name;
VACUUM ANALYZE flaws;
ANALYZE asked, products;

-- The nodes of a plan, and whether the rows that it expects are within three times those that come.
CREATE FUNCTION plan(query text, OUT nodes text, OUT is_close bool) LANGUAGE plpgsql AS $$
DECLARE plan jsonb; expected float8; returned float8;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) ' || query INTO plan;
    SELECT string_agg(replace(n #>> '{}', 'Bitmap Index Scan', 'Index Scan'), ', ') INTO nodes FROM jsonb_path_query(plan, 'strict $.**."Node Type" ? (@ != "Bitmap Heap Scan")') AS n;
    expected := greatest((plan -> 0 -> 'Plan' ->> 'Plan Rows')::float8, 1);
    returned := greatest((plan -> 0 -> 'Plan' ->> 'Actual Rows')::float8, 1);
    is_close := expected <= 3 * returned AND returned <= 3 * expected;
END $$;
PREPARE nearest (text) AS SELECT id FROM flaws WHERE similarity(title, $1) > 0.5 ORDER BY similarity(title, $1) DESC LIMIT 10;
PREPARE words (text) AS SELECT id FROM flaws WHERE word_similarity($1, title) > 0.8;
PREPARE like_it (text, real) AS SELECT id FROM flaws WHERE similarity(title, $1) >= $2;
SET plan_cache_mode = force_generic_plan;
SELECT query, plan(query) FROM unnest(ARRAY[
    $$SELECT id FROM flaws WHERE similarity(title, 'bufer overflow in openssl') > 0.5 ORDER BY similarity(title, 'bufer overflow in openssl') DESC LIMIT 10$$,
    $$SELECT id FROM flaws WHERE title % 'bufer overflow in openssl' ORDER BY similarity(title, 'bufer overflow in openssl') DESC LIMIT 10$$,
    $$EXECUTE nearest('bufer overflow in openssl')$$,
    $$SELECT id FROM flaws WHERE similarity(title, 'bufer overflow in openssl') > 0.5$$,
    $$SELECT id FROM flaws WHERE title % 'bufer overflow in openssl' AND similarity(title, 'bufer overflow in openssl') > 0.5$$,
    $$SELECT id FROM flaws WHERE similarity(title, 'bufer overflow in openssl') BETWEEN 0.3 AND 0.5$$,
    $$SELECT id FROM flaws WHERE word_similarity('openssl', title) > 0.8$$,
    $$SELECT id FROM flaws WHERE strict_word_similarity('openssl', title) > 0.8$$,
    $$SELECT id FROM flaws WHERE 'openssl' <<-> title < 0.2$$,
    $$EXECUTE words('openssl')$$,
    $$EXECUTE like_it('buffer overflow in openssl 12345', 0.6)$$,
    $$SELECT f.id FROM products p JOIN flaws f ON word_similarity(p.name, f.title) > 0.8$$]) AS query;
-- Within a scope, by LATERAL, where the other side is not known.
EXPLAIN (COSTS OFF) SELECT x.id FROM asked a, LATERAL (SELECT id FROM flaws WHERE bank = 1 AND title % a.title ORDER BY similarity(title, a.title) DESC LIMIT 20) x;
EXPLAIN (COSTS OFF) SELECT x.id FROM asked a, LATERAL (SELECT id FROM flaws WHERE bank = 1 AND similarity(title, a.title) >= 0.3 ORDER BY similarity(title, a.title) DESC LIMIT 20) x;
-- Either of two conditions is searched for by itself.
EXPLAIN (COSTS OFF) SELECT id FROM flaws WHERE title % 'bufer overflow in openssl' OR similarity(title, 'heap overflow in libxml') >= 0.5;
-- The greatest of similarities and the least of distances are above or below a threshold where one of them is; the other way round, beside other values and within an OR nothing is changed.
ALTER TABLE flaws ADD other text;
UPDATE flaws SET other = CASE WHEN id % 3 > 0 THEN 'mend of ' || title END WHERE id % 40 < 9;
CREATE INDEX flaws_other ON flaws USING neardup (other trgm_ops);
VACUUM ANALYZE flaws;
CREATE FUNCTION search(condition text, OUT nodes text, OUT rows_agree bool) LANGUAGE plpgsql AS $$
BEGIN
    SELECT p.nodes INTO nodes FROM plan('SELECT id FROM flaws WHERE ' || condition) AS p;
    EXECUTE format('SELECT array(SELECT id FROM flaws WHERE %1$s ORDER BY 1) = array(SELECT id FROM flaws WHERE (%1$s) IS TRUE ORDER BY 1)', condition) INTO rows_agree;
END $$;
SELECT condition, search(replace(replace(condition, '#t', $$similarity(title, 'bufer overflow in openssl')$$), '#o', $$similarity('mend of path traversal in bash', other)$$))
FROM unnest(ARRAY['greatest(#t, #o) > 0.6', '0.6 <= greatest(#t, #o)', 'least(1 - #t, 1 - #o) < 0.4', 'greatest(#t, #o) > 0.6::real', 'least(#t, #o) > 0.1', 'greatest(#t, #o) < 0.1', 'greatest(#t, #o, 0.1) > 0.6', 'greatest(#t, #o) = 0.6', 'greatest(#t) > 0.6', 'greatest(#t, #o) > 0.6 OR id < 5', 'greatest(#t, #o) > 0.6 + 0 * random()', '#t >= greatest(0.6, id / 1e5)', '#t >= greatest(0.3, #o)', 'least(0.6, id / 1e5) <= #t']) AS condition;
DROP FUNCTION search;
-- A comparison is estimated as the operator is, wherever the planner asks for it: of all pairs, of the rows that have a similar one, and of the rows of one table for each row of another.
CREATE FUNCTION expected(query text) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN (SELECT array_agg((n #>> '{}')::float8) FROM jsonb_path_query(plan, 'strict $.**."Plan Rows"') AS n);
END $$;
SET pg_trgm.similarity_threshold = 0.75; SET neardup.enable_similarity_join = off; SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_memoize = off; SET enable_material = off;
SELECT query, o = c AS comparison, o = two AS two, b[1] BETWEEN o[1] / 5 AND o[1] AS between
FROM unnest(ARRAY['SELECT FROM flaws a JOIN flaws f ON ?', 'SELECT FROM flaws a LEFT JOIN flaws f ON ?',
                  'SELECT FROM flaws a WHERE EXISTS (SELECT FROM flaws f WHERE ?)', 'SELECT FROM flaws a WHERE NOT EXISTS (SELECT FROM flaws f WHERE ?)']) AS query,
     expected(replace(query, '?', 'f.title % a.title')) AS o, expected(replace(query, '?', 'similarity(a.title, f.title) >= 0.75')) AS c,
     expected(replace(query, '?', 'similarity(f.title, a.title) >= 0.75 AND similarity(f.title, a.title) >= 0.7')) AS two,
     expected(replace(query, '?', 'similarity(a.title, f.title) BETWEEN 0.75 AND 0.85')) AS b;
RESET pg_trgm.similarity_threshold; RESET neardup.enable_similarity_join; RESET enable_seqscan; RESET enable_bitmapscan; RESET enable_memoize; RESET enable_material;
DROP FUNCTION expected;
-- No hint stays in a scan.
SET enable_indexscan = off; SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM flaws WHERE title % 'openssl' AND similarity(title, 'openssl') > 0.3 AND similarity(title, 'openssl') < 0.6;
RESET enable_indexscan; RESET enable_bitmapscan;
DROP TABLE flaws, asked, products;
DROP FUNCTION plan;
DROP EXTENSION neardup_trgm;
DROP EXTENSION pg_trgm;
