--
-- citus: joins of sketches
--

CREATE PROCEDURE distributed_lsh_join(rel regclass, key name, tokens text, threshold float8, recall float8, "into" text)
LANGUAGE plpgsql AS $$
DECLARE
    type pg_catalog.text := @extschema@.neardup_check(threshold, 'jaccard');
    nd pg_catalog.text := @extschema@.neardup_schema();
    result pg_catalog.text := @extschema@.neardup_result("into");
    sets pg_catalog.text[] := @extschema@.neardup_staged(result, 'sets');
    plan record;
    scale pg_catalog.float8;
    mean_size pg_catalog.float8;
BEGIN
    EXECUTE pg_catalog.format('SELECT * FROM %s.lsh_plan($1, $2)', nd) INTO plan USING threshold, recall;
    RAISE NOTICE 'a pair at the threshold is found with probability % (% bands of % rows)',
        pg_catalog.round(plan.probability::pg_catalog.numeric, 4), plan.bands, plan.rows;
    CALL @extschema@.neardup_stage_sets(sets[1], rel, key, tokens, type, @extschema@.neardup_beside(rel, key));
    CALL @extschema@.neardup_sample(sets, scale, mean_size);
    CALL @extschema@.neardup_join_sets(result, @extschema@.neardup_staged(result, 'postings', 'candidates', 'probes'), sets,
        pg_catalog.format('(SELECT t AS token, 1 AS "position" FROM pg_catalog.unnest(%1$s.lsh_bands(%1$s.minhash(s.value), %2$s, %3$s)) t)',
                          nd, plan.bands, plan.rows),
        '{}', scale, mean_size, threshold, 'jaccard');
    EXECUTE pg_catalog.format('DROP TABLE %s', sets[1]);
END $$;
COMMENT ON PROCEDURE distributed_lsh_join(regclass, name, text, float8, float8, text) IS
'self-join by Jaccard similarity: each pair at or above the threshold is in the new table with at least the probability recall, and no other pair';

CREATE PROCEDURE distributed_simhash_join(rel regclass, key name, simhash text, max_distance int4, "into" text)
LANGUAGE plpgsql AS $$
DECLARE
    nd pg_catalog.text := @extschema@.neardup_schema();
    result pg_catalog.text := @extschema@.neardup_result("into");
    staged pg_catalog.text[] := @extschema@.neardup_staged(result, 'values', 'postings', 'found');
    lists pg_catalog.text;
BEGIN
    EXECUTE pg_catalog.format('SELECT %1$s.simhash_blocks(%1$s.simhash ''0000000000000000'', $1)', nd) USING max_distance; -- an error for a wrong max_distance
    CALL @extschema@.neardup_stage_sets(staged[1], rel, key, simhash, nd OPERATOR(pg_catalog.||) '.simhash', @extschema@.neardup_beside(rel, key));
    CALL @extschema@.neardup_join_simhashes(result, staged, max_distance);
    EXECUTE pg_catalog.format('DROP TABLE %s', staged[1]);
END $$;
COMMENT ON PROCEDURE distributed_simhash_join(regclass, name, text, int4, text) IS
'self-join by Hamming distance, exact: a new table of the pairs a < b of rows whose simhashes, an SQL expression, differ in at most max_distance bits, distributed by a';

-- A simhash is its own signature. So a pair that a list finds is known to be within the distance, and needs no check.
CREATE PROCEDURE neardup_join_simhashes(result text, staged text[], max_distance int4)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    most_values CONSTANT float8 := 200000;
    nd text := @extschema@.neardup_schema();
    found text := staged[3];
    lists text := format('(SELECT t AS token, 1 AS "position" FROM unnest(%s.simhash_blocks(s.value, %s)) t)', nd, max_distance);
    scale float8;
    started timestamptz;
    row_count bigint;
BEGIN
    EXECUTE format('SELECT greatest(ceil(count(*) / $1), 1) FROM %s', staged[1]) INTO scale USING most_values;
    EXECUTE format('CREATE TEMPORARY TABLE neardup_sample (value %s.simhash) ON COMMIT DROP', nd);
    EXECUTE format('INSERT INTO pg_temp.neardup_sample SELECT value FROM %s WHERE (hashint8(key) & 2147483647) %% %s = 0', staged[1], scale::bigint);
    CALL @extschema@.neardup_stage_lists(staged[2], staged[1:1], lists, '1', format('%s.simhash_send(s.value)', nd), 8, NULL, '{}', scale);

    started := clock_timestamp();
    CALL @extschema@.neardup_stage_table(found, 'a int8, b int8, distance int4', 'a', staged[1]);
    EXECUTE format($q$
        INSERT INTO %1$s SELECT p.a, p.b, p.distance
        FROM (SELECT @extschema@.posting_list_agg(key, size, "position", signature, side, part) AS list
              FROM %2$s GROUP BY slice, token, cell HAVING count(*) > 1) l
             CROSS JOIN LATERAL @extschema@.simhash_posting_pairs(l.list, $1) p$q$, found, staged[2]) USING max_distance;
    GET DIAGNOSTICS row_count = ROW_COUNT;
    CALL @extschema@.neardup_stage_done('pairs of lists', row_count, 20 * row_count, started);

    started := clock_timestamp();
    CALL @extschema@.neardup_stage_table(result, 'a int8, b int8, distance int4', 'a', staged[1], true);
    EXECUTE format('INSERT INTO %s SELECT a, b, min(distance) FROM %s GROUP BY a, b', result, found);
    GET DIAGNOSTICS row_count = ROW_COUNT;
    CALL @extschema@.neardup_stage_done('pairs', row_count, 0, started);
    EXECUTE format('DROP TABLE %s, %s, pg_temp.neardup_sample', staged[2], found);
END $$;
COMMENT ON PROCEDURE neardup_join_simhashes(text, text[], int4) IS 'pairs of staged simhashes that meet by a block';
