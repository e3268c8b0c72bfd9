--
-- Thresholds that only comparisons have: all rows, and Hamming distances of empty sets. Set algebra, by which an empty set is contained in all.
--

SET jit = off;

-- Sets of every kind: NULL, empty, the token alone that rows of a scope have, and others. Some come after the indexes.
CREATE TABLE sets (id int, g int, t tokenset, name text) WITH (autovacuum_enabled = off);
CREATE FUNCTION add_sets(first int, last int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO sets SELECT n, CASE WHEN n % 11 > 0 THEN n % 3 END,
        CASE WHEN n % 7 = 0 THEN NULL WHEN n % 5 = 0 THEN '{}' WHEN n % 41 = 0 THEN '{7954871460759433331}'
             ELSE ARRAY(SELECT abs(hashint8extended(n, k)) % 12 FROM generate_series(1, 1 + n % 8) k)::tokenset END,
        CASE WHEN n % 7 > 0 THEN left(md5(n::text), n % 9) END
    FROM generate_series(first, last) n $$;
SELECT add_sets(1, 700);
ANALYZE sets;

-- By an index of each kind: how many rows are found, and in how many searches others than a scan finds.
CREATE FUNCTION try_index(index text, clause text, OUT searches int, OUT rows int8, OUT differing int, OUT by_index bool) LANGUAGE plpgsql AS $$
DECLARE query text; expected text; measure text; value tokenset; got int8[]; wanted int8[]; line text;
BEGIN
    EXECUTE 'CREATE INDEX searched ON sets USING ' || index;
    PERFORM add_sets(701, 800);
    searches := 0; rows := 0; differing := 0; by_index := true;
    FOREACH value IN ARRAY '{"{}","{3}","{1,2}","{1,2,3,4,5,6,7,8,9}","{7954871460759433331,1}"}'::tokenset[] LOOP
        FOREACH query IN ARRAY '{"jaccard -Infinity","cosine -Infinity","dice -Infinity","overlap -Infinity","containment -Infinity","hamming Infinity","difference Infinity",
                                 "difference 0","difference 1","difference 2","difference 3","difference 9","difference 20","hamming 2"}'::text[] LOOP
            expected := CASE WHEN query ~ 'Infinity' THEN 't IS NOT NULL'
                             WHEN query ~ 'difference' THEN format('hamming(t, %L) <= %s', value, split_part(query, ' ', 2))
                             ELSE format('hamming_le(t, %L, %s)', value, split_part(query, ' ', 2)) END;
            query := format('t @~ tokenset_query(%L, %L, %L, %L)', split_part(query, ' ', 1), value, split_part(query, ' ', 2), searches % 2 = 0);
            query := format('SELECT array_agg(id ORDER BY id) FROM sets WHERE %s AND ', clause) || query;
            SET LOCAL enable_seqscan = off;
            FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
                by_index := by_index AND line !~ 'Seq Scan';
            END LOOP;
            EXECUTE query INTO got;
            SET LOCAL enable_seqscan = on;
            SET LOCAL enable_indexscan = off;
            SET LOCAL enable_bitmapscan = off;
            EXECUTE format('SELECT array_agg(id ORDER BY id) FROM sets WHERE %s AND ', clause) || expected INTO wanted;
            SET LOCAL enable_indexscan = on;
            SET LOCAL enable_bitmapscan = on;
            searches := searches + 1;
            rows := rows + coalesce(cardinality(wanted), 0);
            differing := differing + (got IS DISTINCT FROM wanted)::int;
        END LOOP;
    END LOOP;
    DROP INDEX searched;
    DELETE FROM sets WHERE id > 700;
END $$;
SELECT index, clause, t.* FROM (VALUES ('neardup (t)', 'true'), ('neardup (g, t)', 'g = 1'), ('neardup (g, t)', 'g = 2'), ('gin (t)', 'true'),
    ('gin (t) WITH (fastupdate = off)', 'true')) v (index, clause), try_index(index, clause) t;
DROP FUNCTION try_index;

-- NULL finds nothing; the estimate for a threshold that all sets reach is all of them.
CREATE INDEX sets_t ON sets USING neardup (t);
VACUUM ANALYZE sets;
SET enable_seqscan = off;
SELECT count(*) FROM sets WHERE t @~ tokenset_query('jaccard', '{1}', NULL);
CREATE FUNCTION estimated_rows(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan #> '{0,Plan,Plan Rows}';
END $$;
SELECT estimated_rows($$SELECT FROM sets WHERE t @~ tokenset_query('jaccard', '{1}', '-Infinity')$$) AS all_sets,
       estimated_rows($$SELECT FROM sets WHERE t @~ tokenset_query('containment', (SELECT '{1}'::tokenset), '-Infinity', false)$$) AS unknown_set,
       estimated_rows($$SELECT FROM sets WHERE t @~ tokenset_query('difference', '{1}', 'Infinity')$$) AS any_distance,
       (SELECT count(*) FROM sets WHERE t IS NOT NULL) AS rows;
DROP INDEX sets_t;

-- A comparison that no value satisfies proves nothing of other conditions.
CREATE INDEX sets_gin ON sets USING gin (t);
SELECT count(*) FROM sets WHERE containment(t, '{2,4}') > 1 OR t <@ '{0,3,4}';
SET enable_seqscan = on;
SET enable_bitmapscan = off;
SELECT count(*) FROM sets WHERE t <@ '{0,3,4}';
RESET enable_bitmapscan;
SET enable_seqscan = off;
DROP INDEX sets_gin;

-- All texts are within the greatest distance of an edit_query.
CREATE INDEX sets_name ON sets USING neardup (name edit_ops);
SELECT add_sets(701, 800);
EXPLAIN (COSTS OFF) SELECT FROM sets WHERE name @~~ edit_query('', 2147483647);
SELECT (SELECT count(*) FROM sets WHERE name @~~ edit_query(value, k)) AS found, (SELECT count(*) FROM sets WHERE edit_distance(name, value) <= k) AS rows
FROM (VALUES ('', 2147483647), ('a longer text than any other', 2147483647), ('', 1000000), ('abc', 9), ('', NULL), (NULL, 3)) v (value, k);
RESET enable_seqscan;

-- Joins by the node and by nested loops: how many rows, how many joins differ, and whether all were by the node.
DELETE FROM sets WHERE id > 120;
CREATE FUNCTION try_joins(VARIADIC conditions text[], OUT joins int, OUT rows int8, OUT differing int, OUT by_node bool) LANGUAGE plpgsql AS $$
DECLARE query text; condition text; line text; got text; wanted text; found int8; is_by_node bool;
BEGIN
    joins := 0; rows := 0; differing := 0; by_node := true;
    FOREACH condition IN ARRAY conditions LOOP
        FOREACH query IN ARRAY ARRAY['SELECT a.id, b.id FROM sets a JOIN sets b ON %s', 'SELECT a.id, b.id FROM sets a JOIN sets b ON %s AND a.id < b.id',
            'SELECT a.id, b.id FROM sets a JOIN (SELECT * FROM sets WHERE id %% 3 < 2) b ON %s AND a.g = b.g', 'SELECT a.id, b.id FROM sets a LEFT JOIN sets b ON %s',
            'SELECT a.id, b.id FROM sets a LEFT JOIN (SELECT * FROM sets WHERE id < 60) b ON %s AND a.g = b.g AND a.id <> b.id',
            'SELECT a.id FROM sets a WHERE EXISTS (SELECT FROM sets b WHERE %s)', 'SELECT a.id FROM sets a WHERE EXISTS (SELECT FROM sets b WHERE %s AND a.g = b.g AND a.id <> b.id)',
            'SELECT a.id FROM sets a WHERE NOT EXISTS (SELECT FROM sets b WHERE %s AND a.id > b.id)',
            'SELECT a.id FROM sets a WHERE NOT EXISTS (SELECT FROM sets b WHERE %s AND a.g = b.g AND b.id %% 50 = 3)'] LOOP
            query := format('SELECT count(*), md5(string_agg(r::text, '','' ORDER BY r::text)) FROM (%s) r', format(query, condition));
            PERFORM set_config('enable_nestloop', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);
            is_by_node := false;
            FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
                is_by_node := is_by_node OR line ~ 'Similarity Join';
            END LOOP;
            EXECUTE query INTO found, got;
            PERFORM set_config('enable_nestloop', 'on', true), set_config('neardup.enable_similarity_join', 'off', true);
            EXECUTE query INTO found, wanted;
            PERFORM set_config('neardup.enable_similarity_join', 'on', true);
            joins := joins + 1;
            rows := rows + found;
            differing := differing + (got IS DISTINCT FROM wanted)::int;
            by_node := by_node AND is_by_node;
        END LOOP;
    END LOOP;
END $$;
CREATE VIEW tries AS
SELECT 'Hamming distances of empty sets' AS what, t.* FROM try_joins('hamming(a.t, b.t) <= 0', 'hamming(a.t, b.t) <= 1', '3 >= hamming(a.t, b.t)', 'hamming(b.t, a.t) <= 30') t
UNION ALL SELECT 'the predicate', t.* FROM try_joins('hamming_le(a.t, b.t, 3)', 'hamming_le(a.t, b.t, 30)') t
UNION ALL SELECT 'set algebra', t.* FROM try_joins('a.t && b.t', 'b.t && a.t', 'a.t @> b.t', 'b.t @> a.t', 'a.t <@ b.t', 'b.t <@ a.t') t
UNION ALL SELECT 'all pairs', t.* FROM try_joins('jaccard(a.t, b.t) >= 0', 'overlap(a.t, b.t) >= -1', 'containment(a.t, b.t) >= 0', '-5 <= containment(b.t, a.t)') t;
TABLE tries;

-- With rows in files, and by workers.
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
TABLE tries;
RESET work_mem;
RESET hash_mem_multiplier;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
TABLE tries;
RESET min_parallel_table_scan_size;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;

-- All pairs of many rows: the first ones come at once, a semijoin is done with a row when it has a partner, and nothing is kept of the pairs.
CREATE TABLE many AS SELECT n AS id, ARRAY[n % 7, n % 11]::tokenset AS t FROM generate_series(1, 30000) n;
ANALYZE many;
CREATE FUNCTION temp_kilobytes(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off) ' || query LOOP
        IF line ~ 'Temp Files' THEN
            RETURN substring(line, '\d+');
        END IF;
    END LOOP;
END $$;
SET enable_nestloop = off;
SELECT count(*) FROM (SELECT FROM many a JOIN many b ON jaccard(a.t, b.t) >= 0 LIMIT 100000) r;
SELECT count(*) FROM many a WHERE EXISTS (SELECT FROM many b WHERE jaccard(a.t, b.t) >= 0);
SELECT count(*) FROM many a WHERE NOT EXISTS (SELECT FROM many b WHERE jaccard(a.t, b.t) >= 0 AND a.id <> b.id);
SELECT temp_kilobytes('SELECT FROM many a JOIN many b ON jaccard(a.t, b.t) >= 0 LIMIT 100000');
-- Only rows of equal keys meet, in files too.
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT temp_kilobytes('SELECT b.id FROM many a JOIN many b ON jaccard(a.t, b.t) >= 0 AND a.id % 1000 = b.id % 1000') > 500 AS in_files;
SELECT count(*), count(DISTINCT a.id), sum(b.id) FROM many a JOIN many b ON jaccard(a.t, b.t) >= 0 AND a.id % 1000 = b.id % 1000;
SELECT count(*), count(b.id) FROM many a LEFT JOIN many b ON jaccard(a.t, b.t) >= 0 AND a.id % 1000 = b.id % 1000 AND a.id < b.id;
SELECT count(*) FROM many a WHERE EXISTS (SELECT FROM many b WHERE jaccard(a.t, b.t) >= 0 AND a.id % 1000 = b.id % 1000 AND a.id > b.id + 5000);
SELECT count(*) FROM many a WHERE NOT EXISTS (SELECT FROM many b WHERE jaccard(a.t, b.t) >= 0 AND a.id % 7000 = b.id AND b.id % 2 = 0);
-- The same loop again, and ended early, for each outer row.
SELECT sum(c) FROM generate_series(0, 2) least, LATERAL (SELECT count(*) AS c FROM (SELECT a.id FROM many a JOIN many b ON overlap(a.t, b.t) >= -least AND a.id % 1000 = b.id % 1000 LIMIT 1000 * (least + 1)) r) s;
DROP TABLE many;
DROP TABLE sets CASCADE;
