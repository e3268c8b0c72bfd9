--
-- The operator class edit_ops of the access method neardup: texts within an edit distance.
--

SET jit = off;

-- Every text of up to four letters of two, every text of up to three of others, and some longer ones: short ones need not share a q-gram.
CREATE TABLE words (id int PRIMARY KEY, owner int, lang text, name text, code varchar(40)) WITH (autovacuum_enabled = off);
CREATE FUNCTION add_words(first int, last int) RETURNS void LANGUAGE sql AS $$
    WITH RECURSIVE spelled (word) AS (SELECT '' UNION ALL SELECT word || letter FROM spelled, unnest('{a,b}'::text[]) letter WHERE length(word) < 4),
    others (word) AS (SELECT '' UNION ALL SELECT word || letter FROM others, unnest('{é,日,𝄞,"\\"," "}'::text[]) letter WHERE length(word) < 3),
    long (word) AS (SELECT left(repeat(left(md5((n / 5)::text), 1 + n / 5 % 13), 3), n % 29) || substr('xyz', 1, n % 4) FROM generate_series(1, 900) n),
    all_words (id, word) AS (SELECT row_number() OVER (), word FROM (TABLE spelled UNION ALL TABLE others UNION ALL TABLE long) u)
    INSERT INTO words SELECT id, id % 3, CASE WHEN id % 7 > 0 THEN 'en' END, word, left(word, 30) FROM all_words WHERE id BETWEEN first AND last
$$;
SELECT add_words(1, 900);
INSERT INTO words VALUES (5001, 1, 'en', NULL), (5002, NULL, 'en', 'abc'), (5003, 1, NULL, NULL), (5004, 1, 'en', repeat('long ', 5000)), (5005, 2, 'en', repeat('long ', 4999) || 'lone ');
CREATE INDEX words_name ON words USING neardup (name edit_ops);
CREATE INDEX words_scope ON words USING neardup (owner, lang, name edit_ops);
CREATE INDEX words_code ON words USING neardup (code COLLATE "C" edit_ops);
CREATE INDEX words_lower ON words USING neardup (lower(name) edit_ops) WHERE owner < 2;
SELECT add_words(901, 2000);
DELETE FROM words WHERE id % 17 = 0;
UPDATE words SET name = name || 'q' WHERE id % 23 = 0;
VACUUM ANALYZE words;
SELECT index, (neardup_index_check(index)).rows = (SELECT count(*) FROM words WHERE owner < 2 OR index <> 'words_lower') AS all_rows
FROM unnest('{words_name,words_scope,words_code,words_lower}'::text[]) index;

-- What the planner shows.
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM words WHERE edit_within(name, 'abba', 1);
EXPLAIN (COSTS OFF) SELECT id FROM words WHERE edit_within('abba', code, 1);
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM words WHERE edit_distance(name, 'abba') <= 1 AND owner = 1 AND lang = 'en';
EXPLAIN (COSTS OFF) SELECT id FROM words WHERE 2 >= edit_distance('abba', lower(name)) AND owner = 1;
EXPLAIN (COSTS OFF) SELECT b.id FROM words a, words b WHERE a.id = 7 AND edit_within(b.name, a.name, a.owner);
EXPLAIN (COSTS OFF) SELECT b.id FROM words a JOIN words b ON edit_distance(a.name, b.name) <= 2 WHERE a.id = 7;
PREPARE within(text, int) AS SELECT count(*) FROM words WHERE edit_within(name, $1, $2);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE within('abba', 1);
EXECUTE within('abba', 1);
EXECUTE within('abba', 0);
EXECUTE within('abba', NULL);
EXECUTE within(NULL, 1);
EXECUTE within('', 2147483647);
EXECUTE within('abba', -1);
DEALLOCATE within;
-- A comparison is served where the distance is a constant, also of a parameter.
PREPARE compared(text, int) AS SELECT count(*) FROM words WHERE edit_distance(name, $1) <= $2;
RESET enable_seqscan;
EXPLAIN (COSTS OFF) EXECUTE compared('abba', 1);
SET enable_seqscan = off;
SET plan_cache_mode = force_custom_plan;
EXPLAIN (COSTS OFF) EXECUTE compared('abba', 1);
EXECUTE compared('abba', 1);
EXECUTE compared('abba', -1);
EXECUTE compared('abba', NULL);
DEALLOCATE compared;
-- Drivers send integers of any width.
PREPARE of_width(smallint, bigint) AS SELECT count(*) FROM words WHERE edit_distance(name, 'abba') <= $1 AND $2 >= edit_distance(name, 'abb');
EXPLAIN (COSTS OFF) EXECUTE of_width(1, 3000000000);
EXECUTE of_width(1, 3000000000);
EXECUTE of_width(1, 1);
EXECUTE of_width(-1, 1);
DEALLOCATE of_width;
RESET plan_cache_mode;
RESET enable_bitmapscan;
SELECT count(*) FROM words WHERE edit_within(name, 'abba', -1);

-- Equal to sequential scans: values and distances, constants, join columns, plain and bitmap scans.
CREATE FUNCTION differing(without text, OUT queries int8, OUT rows numeric, OUT differing int8, OUT without_index int8) LANGUAGE plpgsql AS $$
DECLARE query text; by_scan int8[]; by_index int8[]; line text; is_by_index bool;
BEGIN
    queries := 0;
    rows := 0;
    differing := 0;
    without_index := 0;
    FOR query IN
        SELECT format('SELECT array_agg(id ORDER BY id) FROM words WHERE ' || form, value, k)
        FROM unnest(ARRAY['edit_within(name, %L, %s)', 'edit_within(%L, code, %s)', 'edit_distance(name, %L) <= %s', 'owner = 1 AND lang = ''en'' AND edit_within(%L, name, %s)',
                          'owner = ANY (''{0,2}'') AND lang = ''en'' AND edit_within(name, %L, %s)', 'edit_distance(lower(name), %L) <= %s AND owner < 2',
                          'edit_within(name, %L, %s) AND edit_within(code, ''ab'', 2)', 'edit_within(name, %1$L, %2$s) OR edit_distance(name, %1$L || ''q'') <= %2$s']) form,
             unnest(ARRAY['', 'a', 'ba', 'é日', '𝄞𝄞', 'aaab', 'abbaab', '\ \', '日日日日日日', 'c4ca4238c4ca4238', repeat('long ', 5000)]) value, unnest('{0,1,2,3,7,2147483647}'::int[]) k
        WHERE length(value) < 20 OR k IN (1, 2)
        UNION ALL
        SELECT format('SELECT array_agg(a.id * 10000 + b.id ORDER BY a.id, b.id) FROM (SELECT * FROM words WHERE id < 2000 AND id %% %s = 0) a JOIN words b ON ' || form, 80 + k, k)
        FROM unnest(ARRAY['edit_within(a.name, b.name, %s)', 'a.owner = b.owner AND a.lang = b.lang AND edit_within(b.name, a.name, %s)', 'edit_within(b.code, a.name, a.owner + %s)',
                          'edit_distance(b.name, a.code) <= %s']) form, unnest('{0,1,2,3}'::int[]) k
    LOOP
        PERFORM set_config(s, 'off', true) FROM unnest(ARRAY['enable_seqscan', 'neardup.enable_similarity_join', 'enable_hashjoin', 'enable_mergejoin', 'enable_material', 'enable_' || without]) s;
        is_by_index := false;
        FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
            is_by_index := is_by_index OR line ~ 'Index Cond: .*@~~';
        END LOOP;
        without_index := without_index + (NOT is_by_index)::int;
        EXECUTE query INTO by_index;
        PERFORM set_config('enable_seqscan', 'on', true);
        PERFORM set_config(s, 'off', true) FROM unnest('{enable_indexscan,enable_bitmapscan}'::text[]) s;
        EXECUTE query INTO by_scan;
        PERFORM set_config(s, 'on', true) FROM unnest('{enable_indexscan,enable_bitmapscan}'::text[]) s;
        queries := queries + 1;
        rows := rows + coalesce(cardinality(by_scan), 0);
        differing := differing + (by_index IS DISTINCT FROM by_scan)::int;
    END LOOP;
END $$;
-- A distance that all texts are within may have none.
SELECT without, queries, rows, differing, without_index < 150 AS by_index FROM unnest('{indexscan,bitmapscan}'::text[]) without, LATERAL differing(without) d ORDER BY 1;
REINDEX TABLE words;
SELECT queries, differing FROM differing('indexscan');

-- A lookup of each text, beside each pair by its distance.
SET neardup.enable_similarity_join = off;
CREATE TEMP TABLE distances AS SELECT a.id, b.id AS other, edit_distance(a.name, b.name, 3) AS distance FROM words a, words b WHERE b.id < 5000;
CREATE TEMP TABLE found AS SELECT k, a.id, b.id AS other FROM generate_series(0, 3) k, words a, LATERAL (SELECT id FROM words b WHERE edit_within(b.name, a.name, k) AND b.id < 5000 OFFSET 0) b;
ANALYZE distances, found;
SELECT k, count(f.id) AS rows, count(*) FILTER (WHERE f.id IS NULL) AS missing, count(*) FILTER (WHERE d.id IS NULL) AS surplus
FROM found f FULL JOIN (SELECT k, d.* FROM distances d, generate_series(0, 3) k WHERE distance <= k) d USING (k, id, other) GROUP BY k ORDER BY k;
RESET neardup.enable_similarity_join;
DROP TABLE distances, found;

-- Comparisons within other expressions, and those that are left as they are.
SELECT count(*) FROM words WHERE NOT edit_distance(name, 'abba') <= 2;
SELECT count(*) FROM words WHERE (edit_distance(name, 'abba') <= 2) IS NULL;
SELECT count(*), count(b.id) FROM words a LEFT JOIN words b ON edit_distance(a.name, b.name) <= 0 AND a.id < b.id;
SELECT count(*) FROM words WHERE edit_distance(name, 'abba') < 2;
SELECT count(*) FROM words WHERE edit_distance(name, 'abba') <= owner;
RESET enable_seqscan;

-- The parts of the class by hand.
SELECT cardinality(edit_tokens('')), cardinality(edit_tokens('日本')), cardinality(edit_tokens('aaaa')), edit_tokens('aaaa') & edit_tokens('aaa') = edit_tokens('aaa'), edit_tokens(NULL);
SELECT 'stone' @~~ edit_query('store', 1) AS near, 'stone' @~~ edit_query('shore', 1) AS far, NULL @~~ edit_query('store', 1) AS no_text, edit_query('store', NULL), edit_query('store', 1);
SELECT edit_query('store', -1);
-- A query is a tokenset_query: it is stored, read again, and applied to sets of q-grams, by their indexes too.
SELECT q::text::tokenset_query::text = q::text AS read_again, pg_typeof(q) FROM edit_query('store', 2147483647) q;
SELECT 'edit(x, {1,2,3}) <= 1.5'::tokenset_query;
SELECT 'edit(x, {1,2,3}) >= 1'::tokenset_query;
SELECT tokenset_query('edit', '{1,2,3}', 1);
CREATE TABLE grams AS SELECT id, name, edit_tokens(name) AS grams FROM words WHERE name IS NOT NULL;
WITH wanted AS MATERIALIZED (SELECT value, k, edit_query(value, k) AS query, edit_query(value, k)::text::tokenset_query AS of_grams FROM unnest('{"",abba,é日,aaab,c4ca4238}'::text[]) value, generate_series(0, 3) k)
SELECT count(*), count(*) FILTER (WHERE edit_within(name, value, k)) AS within, count(*) FILTER (WHERE grams @~ query) AS matches,
    count(*) FILTER (WHERE (name @~~ query) <> edit_within(name, value, k) OR (name @~~ of_grams) <> (grams @~ query)) AS differing,
    count(*) FILTER (WHERE name @~~ query AND NOT name @~~ of_grams) AS missed
FROM wanted, grams;
CREATE INDEX grams_neardup ON grams USING neardup (grams);
SET enable_seqscan = off;
SELECT sum((SELECT count(*) FROM grams WHERE grams @~ edit_query(value, k))) FROM unnest('{"",abba,é日,aaab,c4ca4238}'::text[]) value, generate_series(0, 3) k;
DROP INDEX grams_neardup;
CREATE INDEX grams_gin ON grams USING gin (grams);
SELECT sum((SELECT count(*) FROM grams WHERE grams @~ edit_query(value, k))) FROM unnest('{"",abba,é日,aaab,c4ca4238}'::text[]) value, generate_series(0, 3) k;
RESET enable_seqscan;
DROP TABLE grams;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'edit_ops';
CREATE OPERATOR CLASS wrong_ops FOR TYPE text USING neardup AS OPERATOR 6 @~~ (text, tokenset_query), FUNCTION 1 (text) cardinality(tokenset);
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'wrong_ops';
DROP OPERATOR FAMILY wrong_ops USING neardup;

-- Wrong use.
CREATE TABLE refused (id int, name text, other text, fixed char(9), t tokenset);
CREATE INDEX ON refused USING neardup (name);
CREATE INDEX ON refused USING neardup (name edit_ops, other edit_ops);
CREATE INDEX ON refused USING neardup (t edit_ops);
CREATE INDEX ON refused USING neardup (id edit_ops);
CREATE INDEX ON refused USING gin (name edit_ops);
CREATE INDEX ON refused USING neardup (fixed edit_ops);
CREATE INDEX refused_name ON refused USING neardup (name edit_ops);
\set VERBOSITY sqlstate
SELECT FROM refused ORDER BY name <%> 'a';
\set VERBOSITY default
ALTER TABLE refused ADD EXCLUDE USING neardup (name edit_ops WITH =);
INSERT INTO refused VALUES (1, repeat('x', 16777217));
DROP TABLE refused;

-- Partitions, of which one has no index.
CREATE TABLE parted (id int, name text) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (1000) TO (9999);
CREATE INDEX ON parted_1 USING neardup (name edit_ops);
INSERT INTO parted SELECT id, name FROM words;
ANALYZE parted;
EXPLAIN (COSTS OFF) SELECT id FROM parted WHERE edit_distance(name, 'abba') <= 1;
SELECT count(*) FROM parted WHERE edit_distance(name, 'abba') <= 1;
DROP TABLE parted;

-- Costs: the index is taken where it is faster, and the estimate is near.
CREATE TABLE stock (id int PRIMARY KEY, name text) WITH (autovacuum_enabled = off);
INSERT INTO stock SELECT n, md5((n / 2)::text) FROM generate_series(1, 20000) n;
INSERT INTO stock SELECT n, left(md5(n::text), 1 + n % 4) FROM generate_series(20001, 24000) n;
CREATE INDEX stock_name ON stock USING neardup (name edit_ops);
VACUUM ANALYZE stock;
CREATE FUNCTION plan(query text, OUT scan text, OUT expected float8, OUT returned float8) LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) ' || query INTO plan;
    SELECT string_agg(DISTINCT coalesce(n ->> 'Index Name', n ->> 'Node Type'), ', ') INTO scan
    FROM jsonb_path_query(plan, 'strict $.** ? (exists (@."Index Name") || @."Node Type" == "Seq Scan")') n;
    expected := plan -> 0 -> 'Plan' ->> 'Plan Rows';
    returned := plan -> 0 -> 'Plan' ->> 'Actual Rows';
END $$;
SELECT query, p.scan, p.expected BETWEEN p.returned / 10 AND greatest(p.returned * 10, 2) AS good FROM unnest(ARRAY[
    'SELECT FROM stock WHERE edit_within(name, md5(''77''), 1)',
    'SELECT FROM stock WHERE edit_within(name, md5(''77''), 3)',
    'SELECT FROM stock WHERE edit_distance(name, md5(''77'')) <= 3',
    'SELECT FROM stock WHERE edit_within(name, md5(''77''), 40)',
    'SELECT FROM stock a JOIN stock b ON edit_within(b.name, a.name, 2) WHERE a.id IN (50, 60)']) query, LATERAL plan(query) p;
SELECT k, scan FROM unnest('{0,1,2,3}'::int[]) k, LATERAL plan(format('SELECT FROM stock WHERE edit_within(name, ''abc'', %s)', k));
DROP TABLE stock, words;
DROP FUNCTION add_words, differing, plan;
RESET jit;
