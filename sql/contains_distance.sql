--
-- The distances of containment, <@>> and <<@>, and the rows of an index that are nearest by them.
--

SET jit = off;

SELECT '{1,2,3,4,5,6}'::tokenset <@>> '{1,2,3,9}' AS lacks_a_quarter, '{1,2}'::tokenset <@>> '{1,2,3,9}' AS lacks_half, '{1,2,3,9}'::tokenset <<@> '{1,2}' AS left_lacks, '{1,2}'::tokenset <<@> '{1,2,3,9}' AS contained,
       '{1,2}'::tokenset <@>> '{}' AS of_nothing, '{}'::tokenset <@>> '{1,2}' AS in_nothing, '{}'::tokenset <<@> '{}' AS empty, '{1}'::tokenset <@>> NULL AS unknown;
SELECT count(*) AS pairs, count(*) FILTER (WHERE a <@>> b <> 1 - containment(b, a)) AS contains, count(*) FILTER (WHERE a <<@> b <> 1 - containment(a, b)) AS contained,
       count(*) FILTER (WHERE a <@>> b <> b <<@> a OR contains_distance(a, b) <> contained_distance(b, a)) AS commuted, count(*) FILTER (WHERE cardinality(b) > 0 AND (a <@>> b = 0) <> (a @> b)) AS zero
FROM (SELECT ARRAY(SELECT abs(hashint8extended(n, k)) % 9 FROM generate_series(1, n % 7) k)::tokenset FROM generate_series(1, 60) n) x (a),
     (SELECT ARRAY(SELECT abs(hashint8extended(n, k + 50)) % 9 FROM generate_series(1, n % 7) k)::tokenset FROM generate_series(1, 60) n) y (b);

CREATE TABLE parts (id int PRIMARY KEY, owner int, t tokenset) WITH (autovacuum_enabled = off);
INSERT INTO parts SELECT n, n % 4, CASE WHEN n % 91 > 0 THEN ARRAY(SELECT (90 * (abs(hashint8extended(n, k)) % 1000 / 1000.0) ^ 2)::int FROM generate_series(1, n % 40) k)::tokenset END FROM generate_series(1, 2500) n;
INSERT INTO parts SELECT 3000 + n, 1, ARRAY(SELECT k FROM generate_series(1, 60 * n) k)::tokenset FROM generate_series(1, 4) n;
CREATE INDEX parts_t ON parts USING neardup (t);
CREATE INDEX parts_scope ON parts USING neardup (owner, t);
INSERT INTO parts SELECT n, n % 4, ARRAY(SELECT (90 * (abs(hashint8extended(n, k)) % 1000 / 1000.0) ^ 2)::int FROM generate_series(1, n % 40) k)::tokenset FROM generate_series(4001, 4300) n;
ANALYZE parts;
EXPLAIN (COSTS OFF) SELECT id FROM parts ORDER BY t <@>> '{1,2,3}' LIMIT 3;
EXPLAIN (COSTS OFF) SELECT id FROM parts WHERE owner = 1 AND jaccard_ge(t, '{1,2,3}', 0.3) ORDER BY '{1,2,3}' <<@> t LIMIT 3;
EXPLAIN (COSTS OFF) SELECT id FROM parts ORDER BY t <<@> '{1,2,3}', t <@>> '{1,2,3}' LIMIT 3;

-- Distances of the nearest rows, by the index and by sorting all. Rows of equal distances may be others.
CREATE FUNCTION differing(OUT queries int8, OUT rows int8, OUT differing int8, OUT not_by_index int8) LANGUAGE plpgsql AS $$
DECLARE query text; by_scan float8[]; by_index float8[]; line text; is_sorted bool;
BEGIN
    queries := 0;
    rows := 0;
    differing := 0;
    not_by_index := 0;
    FOR query IN
        SELECT format('SELECT array_agg(d) FROM (SELECT t %1$s %2$L::tokenset AS d FROM parts WHERE %3$s ORDER BY t %1$s %2$L::tokenset LIMIT %4$s) x', distance, value, clause, most)
        FROM unnest('{<@>>,<<@>}'::text[]) distance, unnest(ARRAY['{1,2,3,4,5,6,7,8,9,11,13,17}', '{3}', '{0}', '{}', '{77,500,501}', '{1000}', '{7954871460759433331,2,5}', ARRAY(SELECT k FROM generate_series(1, 150) k)::tokenset::text]) value,
             unnest(ARRAY['true', 't && ''{5,30}''', 'containment_ge(''{2,5,9,30}'', t, 0.5)', 'owner = 1', 'owner = 1 AND t && ''{5,30}''', 'owner = 9']) clause, unnest('{1,10,5000}'::int[]) most
        UNION ALL
        SELECT format('SELECT array_agg(d) FROM (SELECT d FROM (SELECT * FROM parts WHERE id %% 100 = 7) a, LATERAL (SELECT b.t %1$s a.t AS d FROM parts b WHERE %2$s ORDER BY b.t %1$s a.t LIMIT 5) b ORDER BY a.id, d) x', distance, clause)
        FROM unnest('{<@>>,<<@>}'::text[]) distance, unnest('{true,a.owner = b.owner}'::text[]) clause
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
        rows := rows + coalesce(cardinality(by_scan), 0);
        differing := differing + (by_index IS DISTINCT FROM by_scan)::int;
    END LOOP;
END $$;
SELECT * FROM differing();
-- A row that has the token of a scope.
INSERT INTO parts SELECT 5000 + n, 1, (ARRAY[7954871460759433331, 2] || ARRAY(SELECT k FROM generate_series(5, n) k)::int8[])::tokenset FROM generate_series(3, 8) n;
DELETE FROM parts WHERE id % 5 = 0;
UPDATE parts SET owner = owner + 1, t = t | '{2,77}' WHERE id % 11 = 0 AND cardinality(t) < 100;
VACUUM parts;
SELECT * FROM differing();
REINDEX TABLE parts;
SELECT * FROM differing();
SELECT neardup_index_check('parts_t') IS NOT NULL AND neardup_index_check('parts_scope') IS NOT NULL AS sound;

-- Rows without a set have no distance, and come last.
SET enable_seqscan = off;
SET enable_sort = off;
SELECT count(*) > count(d) AS some, max(n) FILTER (WHERE d IS NOT NULL) = count(d) AS last FROM (SELECT t <@>> '{1,2}' AS d, row_number() OVER (ORDER BY t <@>> '{1,2}') AS n FROM parts) x;
SELECT count(*) FROM (SELECT id FROM parts ORDER BY t <@>> NULL LIMIT 5) x;

DROP TABLE parts;
DROP FUNCTION differing;
RESET enable_seqscan;
RESET enable_sort;
RESET jit;
