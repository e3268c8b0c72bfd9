--
-- Orders by a measure, descending, and by 1 minus it: which of them an index serves, and the rows.
--

SET jit = off;

-- The operators are negative measures.
SELECT '{1,2,3}'::tokenset <-%> '{2,3,4}' AS jaccard, '{1,2,3}'::tokenset <-=> '{2,3,4}' AS cosine, '{1,2,3}'::tokenset <-+> '{2,3,4}' AS dice, '{1,2,3}'::tokenset <-&> '{2,3,4}' AS overlap,
       '{1,2,3}'::tokenset <-@>> '{3,4}' AS contains, '{1,2,3,4}'::tokenset <<-@> '{3}' AS contained, '{1}'::tokenset <-%> '{2}' AS none, '{}'::tokenset <-&> '{}' AS empty, '{1}'::tokenset <-%> NULL AS unknown;
SELECT count(*) AS pairs, count(*) FILTER (WHERE a <-%> b <> -jaccard(a, b) OR a <-=> b <> -cosine(a, b) OR a <-+> b <> -dice(a, b) OR a <-&> b <> -overlap(a, b)) AS symmetric,
       count(*) FILTER (WHERE a <-@>> b <> -containment(b, a) OR a <<-@> b <> -containment(a, b) OR a <-@>> b <> b <<-@> a) AS containment
FROM (SELECT ARRAY(SELECT abs(hashint8extended(n, k)) % 9 FROM generate_series(1, n % 7) k)::tokenset FROM generate_series(1, 60) n) x (a),
     (SELECT ARRAY(SELECT abs(hashint8extended(n, k + 50)) % 9 FROM generate_series(1, n % 7) k)::tokenset FROM generate_series(1, 60) n) y (b);
SELECT opcname, amvalidate(oid) FROM pg_opclass WHERE opcname = 'tokenset_ops';

CREATE TABLE ranked (id int PRIMARY KEY, owner int, t tokenset NOT NULL, u tokenset, body text NOT NULL, note text,
    g tokenset GENERATED ALWAYS AS (word_tokens('a ' || lower(body))) STORED, h tokenset GENERATED ALWAYS AS (word_tokens(note)) STORED) WITH (autovacuum_enabled = off);
CREATE FUNCTION fill(first int, last int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO ranked SELECT n, n % 4, t, CASE WHEN n % 7 > 0 THEN t END, words, CASE WHEN n % 7 > 0 THEN words END
    FROM (SELECT n, coalesce(t, '{}') AS t, coalesce(array_to_string(t::bigint[], ' w'), '') AS words
          FROM generate_series(first, last) n, LATERAL (SELECT ARRAY(SELECT (90 * (abs(hashint8extended(n % 1900, k)) % 1000 / 1000.0) ^ 2)::int FROM generate_series(1, n % 40) k)::tokenset) s (t)) r $$;
SELECT fill(1, 2500);
CREATE INDEX ranked_t ON ranked USING neardup (t);
CREATE INDEX ranked_u ON ranked USING neardup (u);
CREATE INDEX ranked_scope ON ranked USING neardup (owner, t);
CREATE INDEX ranked_body ON ranked USING neardup (word_tokens(body));
CREATE INDEX ranked_g ON ranked USING neardup (g);
CREATE INDEX ranked_h ON ranked USING neardup (h);
CREATE INDEX ranked_note ON ranked USING neardup (word_tokens(note));
SELECT fill(4001, 4300);
ANALYZE ranked;

-- Each form, and the order by which the index serves it.
SET enable_seqscan = off;
SET enable_sort = off;
CREATE FUNCTION served_query(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; found text[];
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        found := found || substring(line FROM 'Incremental Sort|Index Scan using ranked_[tubnsgh]\w*|Index Cond.*|Order By.*');
    END LOOP;
    -- A sub-select is $0 until 16.
    RETURN CASE WHEN array_to_string(found, '') LIKE '%Order By%' THEN regexp_replace(array_to_string(found, '; '), '\$0|\(InitPlan [a-z0-9_]+\)\.col1', 'sub-select') ELSE 'sorted' END;
END $$;
CREATE FUNCTION served(key text, condition text DEFAULT 'true') RETURNS text LANGUAGE sql AS $$
    SELECT served_query(format('SELECT id FROM ranked WHERE %s ORDER BY %s LIMIT 3', condition, key)) $$;
SELECT key, served(key) FROM unnest(ARRAY['jaccard(t, ''{1,2,3}'') DESC', 'jaccard(''{1,2,3}'', t) DESC', 'cosine(t, ''{1,2,3}'') DESC', 'dice(t, ''{1,2,3}'') DESC', 'overlap(t, ''{1,2,3}'') DESC',
    'containment(t, ''{1,2,3}'') DESC', 'containment(''{1,2,3}'', t) DESC', 'jaccard_distance(t, ''{1,2,3}'')', 'contains_distance(t, ''{1,2,3}'')', 'contains_distance(''{1,2,3}'', t)',
    '1 - jaccard(t, ''{1,2,3}'')', '1.0 - cosine(t, ''{1,2,3}'')', '1 - dice(t, ''{1,2,3}'')', '1 - (t <%> ''{1,2,3}'') DESC', 't <-%> ''{1,2,3}''', 't <-&> ''{1,2,3}''', 'jaccard(t, ''{1,2,3}'') DESC, id',
    'jaccard(t, (SELECT ''{1,2,3}''::tokenset OFFSET 0)) DESC', 'jaccard(u, ''{1,2,3}'') DESC NULLS LAST', '1 - jaccard(u, ''{1,2,3}'')', 'jaccard(t, ''{1,2,3}'')::real DESC', 'overlap(t, ''{1,2,3}'')::int8 DESC']) key;
SELECT condition, key, served(key, condition) FROM (VALUES ('owner = 2', 'jaccard(t, ''{1,2,3}'') DESC'), ('owner = 2 AND jaccard_ge(t, ''{1,2,3}'', 0.4)', 'jaccard(t, ''{1,2,3}'') DESC'),
    ('t && ''{7}''', 'overlap(t, ''{1,2,3}'') DESC'), ('owner = 2 AND t && ''{7}''', 'jaccard(t, ''{1,2,3}'') DESC, owner, id')) c (condition, key);
-- Not the index's order: ascending, of no single set, of unknown values, a further key, less than a measure.
SELECT key, served(key) FROM unnest(ARRAY['jaccard(t, ''{1,2,3}'')', 'jaccard(t, u) DESC', 'id, jaccard(t, ''{1,2,3}'') DESC', '2 - jaccard(t, ''{1,2,3}'')', '1 - jaccard(t, ''{1,2,3}'') DESC', 'hamming(t, ''{1,2,3}'')',
    'jaccard(t, ARRAY[random() * 9]::int[]::tokenset) DESC', 'round(jaccard(t, ''{1,2,3}'')::numeric, 1) DESC', 'jaccard(t, ''{1,2,3}'')::numeric DESC', 'overlap(t, ''{1,2,3}'')::float8 DESC']) key;

-- NULL comes first in a descending order, and last in the index: only where there is none.
SELECT condition, key, served(key, condition) FROM (VALUES ('true', 'jaccard(u, ''{1,2,3}'') DESC'), ('u IS NOT NULL', 'jaccard(u, ''{1,2,3}'') DESC'), ('jaccard_ge(u, ''{1,2,3}'', 0.4)', 'jaccard(u, ''{1,2,3}'') DESC'),
    ('u && ''{7}'' OR cardinality(u) > 9', 'jaccard(u, ''{1,2,3}'') DESC'), ('cardinality(u) = ANY (''{3,4}'')', 'cosine(u, ''{1,2,3}'') DESC'), ('u && ''{7}'' OR id = 7', 'jaccard(u, ''{1,2,3}'') DESC'),
    ('u IS NULL', 'jaccard(u, ''{1,2,3}'') DESC'), ('coalesce(u, ''{}'') && ''{7}''', 'jaccard(u, ''{1,2,3}'') DESC'), ('true', 'jaccard(t, ''{1,2,3}'') NULLS FIRST'),
    ('true', 'jaccard(word_tokens(body), ''{1,2,3}'') DESC'), ('true', 'jaccard(word_tokens(note), ''{1,2,3}'') DESC'), ('note IS NOT NULL', 'jaccard(word_tokens(note), ''{1,2,3}'') DESC'),
    ('true', 'jaccard(g, ''{1,2,3}'') DESC'), ('true', 'jaccard(h, ''{1,2,3}'') DESC'), ('note IS NOT NULL', 'jaccard(h, ''{1,2,3}'') DESC'),
    ('note LIKE ''w%''', 'jaccard(word_tokens(note), ''{1,2,3}'') DESC'), ('word_tokens(note) IS NOT NULL', 'jaccard(word_tokens(note), ''{1,2,3}'') DESC')) c (condition, key);
SELECT served_query($$SELECT max(jaccard(u, '{1,2,3}')) FROM ranked$$) AS greatest, served_query($$SELECT min(1 - dice(u, '{1,2,3}')) FROM ranked$$) AS least;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM ranked a, LATERAL (SELECT b.id FROM ranked b WHERE b.owner = a.owner ORDER BY jaccard(b.t, a.t) DESC LIMIT 2) b WHERE a.id < 5;
RESET enable_seqscan;
RESET enable_sort;

-- The values of the first rows, by the index and by sorting all. Rows of equal values may be others.
CREATE FUNCTION differing(OUT queries int8, OUT rows int8, OUT differing int8, OUT not_by_index int8) LANGUAGE plpgsql AS $$
DECLARE query text; by_scan text; by_index text; line text; is_sorted bool;
BEGIN
    queries := 0;
    rows := 0;
    differing := 0;
    not_by_index := 0;
    FOR query IN
        SELECT format('SELECT array_agg(d) FROM (SELECT %1$s AS d FROM ranked WHERE %2$s ORDER BY %1$s %3$s LIMIT %4$s) x', format(key, value), clause, direction, most)
        FROM (VALUES ('jaccard(t, %L)', 'DESC'), ('jaccard(%L, u)', 'DESC NULLS LAST'), ('cosine(t, %L)', 'DESC'), ('dice(t, %L)', 'DESC'), ('1 - dice(%L, u)', ''), ('overlap(t, %L)', 'DESC'),
                     ('containment(t, %L)', 'DESC'), ('containment(%L, u)', 'DESC NULLS LAST'), ('jaccard(word_tokens(body), %L)', 'DESC')) f (key, direction),
             unnest(ARRAY['{1,2,3,4,5,6,7,8,9,11,13,17}', '{3}', '{}', '{77,500,501}', '{7954871460759433331,2,5}', ARRAY(SELECT k FROM generate_series(1, 150) k)::tokenset::text]) value,
             unnest(ARRAY['true', 't && ''{5,30}''', 'jaccard_ge(t, ''{2,5,9,30}'', 0.1)', 'owner = 1', 'owner = 1 AND t && ''{5,30}''', 'owner = 9']) clause, unnest('{1,10,5000}'::int[]) most
        WHERE key LIKE '%(t%' OR clause = 'true'
        UNION ALL
        SELECT format('SELECT array_agg(d) FROM (SELECT d FROM (SELECT * FROM ranked WHERE id %% 100 = 7) a, LATERAL (SELECT %1$s AS d FROM ranked b WHERE %2$s ORDER BY %1$s DESC LIMIT 5) b ORDER BY a.id, d) x', key, clause)
        FROM unnest('{"jaccard(b.t, a.t)","overlap(a.t, b.t)","containment(a.u, b.t)"}'::text[]) key, unnest('{true,a.owner = b.owner,"jaccard_ge(b.t, a.t, 0.2)"}'::text[]) clause
    LOOP
        PERFORM set_config(s, 'off', true) FROM unnest('{enable_seqscan,enable_sort}'::text[]) s;
        is_sorted := true;
        FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
            is_sorted := is_sorted AND line !~ 'Order By';
        END LOOP;
        not_by_index := not_by_index + is_sorted::int;
        EXECUTE query INTO by_index;
        PERFORM set_config(s, 'on', true) FROM unnest('{enable_seqscan,enable_sort}'::text[]) s;
        PERFORM set_config(s, 'off', true) FROM unnest('{enable_indexscan,enable_bitmapscan}'::text[]) s;
        EXECUTE query INTO by_scan;
        PERFORM set_config(s, 'on', true) FROM unnest('{enable_indexscan,enable_bitmapscan}'::text[]) s;
        queries := queries + 1;
        rows := rows + coalesce(cardinality(by_scan::text[]), 0);
        differing := differing + (by_index IS DISTINCT FROM by_scan)::int;
    END LOOP;
END $$;
SELECT * FROM differing();
DELETE FROM ranked WHERE id % 5 = 0;
UPDATE ranked SET owner = owner + 1, t = t | '{2,77}' WHERE id % 11 = 0;
INSERT INTO ranked SELECT 5000 + n, 1, (ARRAY[7954871460759433331, 2] || ARRAY(SELECT k FROM generate_series(5, n) k)::int8[])::tokenset, NULL, '' FROM generate_series(3, 8) n;
VACUUM ranked;
SELECT * FROM differing();

-- Two measures that differ in the last bit may have one distance: 1 - m is rounded.
CREATE TABLE large (id int, t tokenset NOT NULL);
INSERT INTO large SELECT 1, ARRAY(SELECT generate_series(200000, 400002))::tokenset UNION ALL SELECT 2, ARRAY(SELECT generate_series(200001, 399999))::tokenset;
CREATE INDEX large_t ON large USING neardup (t);
SELECT ARRAY(SELECT generate_series(1, 300000))::tokenset AS value \gset
SET enable_seqscan = off;
SELECT count(DISTINCT cosine(t, :'value')) AS measures, count(DISTINCT t <=> :'value') AS distances FROM large;
SELECT id FROM large ORDER BY cosine(t, :'value') DESC LIMIT 1;
RESET enable_seqscan;
DROP TABLE large;

-- All rows come, those without a set too; and where the value is NULL, in any order.
SET enable_seqscan = off;
SET enable_sort = off;
SELECT count(*) > count(d) AS some, max(n) FILTER (WHERE d IS NOT NULL) = count(d) AS last FROM (SELECT jaccard(u, '{1,2}') AS d, row_number() OVER (ORDER BY jaccard(u, '{1,2}') DESC NULLS LAST) AS n FROM ranked) x;
PREPARE ranking (tokenset, int) AS SELECT id FROM ranked WHERE owner = $2 ORDER BY jaccard(t, $1) DESC;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE ranking (NULL, 1);
CREATE TABLE unordered AS EXECUTE ranking (NULL, 1);
SELECT count(*) = (SELECT count(*) FROM ranked WHERE owner = 1) AS all, count(DISTINCT id) = count(*) AS once FROM unordered;
RESET plan_cache_mode;


-- A strict function may return NULL: of an infinite date, which comes first in a descending order.
CREATE TABLE dated (id int, day date NOT NULL, amount numeric NOT NULL);
INSERT INTO dated SELECT i, CASE WHEN i > 0 THEN date '1950-01-01' + i * 7 ELSE 'infinity' END, i FROM generate_series(0, 300) i;
CREATE INDEX dated_day ON dated USING neardup (date_tokens(day));
CREATE INDEX dated_amount ON dated USING neardup (near_tokens(amount, 5));
EXPLAIN (COSTS OFF) SELECT id FROM dated ORDER BY jaccard(near_tokens(amount, 5), '{1,2}') DESC LIMIT 1;
EXPLAIN (COSTS OFF) SELECT id FROM dated ORDER BY jaccard(date_tokens(day), '{1,2}') DESC NULLS LAST LIMIT 1;
SELECT id FROM dated ORDER BY jaccard(date_tokens(day), date_tokens('1950-06-04')) DESC LIMIT 1;

DROP TABLE ranked, unordered, dated;
DROP FUNCTION differing, served, served_query, fill;
RESET enable_seqscan;
RESET enable_sort;
RESET jit;

-- A second sort key. Where fewer rows than the limit have a common token with the value, the others are all tied, and the order of the
-- index is of no use; an index finds them in the order of the table.
CREATE TABLE tied AS SELECT n AS id, ARRAY[n % 1000, n % 1400 + 10000, n % 3000 + 20000]::tokenset AS t FROM generate_series(1, 30000) n;
ALTER TABLE tied ALTER t SET NOT NULL;
CREATE INDEX tied_t ON tied USING neardup (t);
VACUUM ANALYZE tied;
EXPLAIN (COSTS OFF) SELECT id FROM tied ORDER BY jaccard(t, '{7}') DESC, id LIMIT 10;
EXPLAIN (COSTS OFF) SELECT id FROM tied ORDER BY jaccard(t, '{7,-1}') DESC, id LIMIT 100;
EXPLAIN (COSTS OFF) SELECT id FROM tied ORDER BY jaccard(t, '{-1,-2}') DESC LIMIT 10;
PREPARE tied_rows (tokenset, int) AS SELECT id, jaccard(t, $1) FROM tied ORDER BY jaccard(t, $1) DESC, id LIMIT $2;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE tied_rows('{7}', 10);
CREATE TABLE ties_by_index AS EXECUTE tied_rows('{7,10003}', 5000);
CREATE TABLE ties_by_scan AS SELECT id, jaccard(t, '{7,10003}') FROM tied ORDER BY jaccard(t, '{7,10003}') + 0 DESC, id LIMIT 5000;
SELECT count(*) AS differing FROM (TABLE ties_by_index EXCEPT ALL TABLE ties_by_scan) AS d;
RESET plan_cache_mode;
DROP TABLE tied, ties_by_index, ties_by_scan;
