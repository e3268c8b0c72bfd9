--
-- Thresholds that only comparisons have: all rows, and Hamming distances of empty sets.
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
SELECT index, clause, t.* FROM (VALUES ('neardup (t)', 'true'), ('neardup (g, t)', 'g = 1'), ('neardup (g, t)', 'true'), ('gin (t)', 'true'),
    ('gin (t) WITH (fastupdate = off)', 'true')) v (index, clause), try_index(index, clause) t;
DROP FUNCTION try_index;

-- NULL finds nothing; the estimate for a threshold that all sets reach is all of them.
CREATE INDEX sets_t ON sets USING neardup (t);
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

-- All texts are within the greatest distance of an edit_query.
CREATE INDEX sets_name ON sets USING neardup (name edit_ops);
SELECT add_sets(701, 800);
EXPLAIN (COSTS OFF) SELECT FROM sets WHERE name @~~ edit_query('', 2147483647);
SELECT (SELECT count(*) FROM sets WHERE name @~~ edit_query(value, k)) AS found, (SELECT count(*) FROM sets WHERE edit_distance(name, value) <= k) AS rows
FROM (VALUES ('', 2147483647), ('a longer text than any other', 2147483647), ('', 1000000), ('abc', 9), ('', NULL), (NULL, 3)) v (value, k);
RESET enable_seqscan;
DROP TABLE sets;
