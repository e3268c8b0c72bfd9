--
-- citus: joins of distributed tables
--

-- Fetches a sample of the sets to the coordinator, of about two million tokens, into pg_temp.neardup_sample. One set in
-- `scale` is in the sample. mean_size is the mean number of tokens of all sets.
CREATE PROCEDURE neardup_sample(sets text[], INOUT scale float8, INOUT mean_size float8)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    most_tokens CONSTANT float8 := 2000000;
    nd text := @extschema@.neardup_schema();
    token_count float8 := 0;
    set_count float8 := 0;
    one record;
BEGIN
    FOR i IN 1 .. cardinality(sets) LOOP
        EXECUTE format('SELECT coalesce(sum(%s.cardinality(value)), 0)::float8 AS tokens, count(value)::float8 AS sets FROM %s', nd, sets[i]) INTO one;
        token_count := token_count + one.tokens;
        set_count := set_count + one.sets;
    END LOOP;
    scale := greatest(ceil(token_count / most_tokens), 1);
    mean_size := token_count / greatest(set_count, 1);
    EXECUTE format('CREATE TEMPORARY TABLE neardup_sample (value %s.tokenset) ON COMMIT DROP', nd);
    FOR i IN 1 .. cardinality(sets) LOOP
        EXECUTE format('INSERT INTO pg_temp.neardup_sample SELECT value FROM %s WHERE (hashint8(key) & 2147483647) %% %s = 0', sets[i], scale::bigint);
    END LOOP;
END $$;
COMMENT ON PROCEDURE neardup_sample(text[], float8, float8) IS 'fetches every so many sets, for frequencies';

-- Returns the tokens that occur in the sample at least twice, the most frequent ones of them if they are many. They come
-- last in the order of tokens; all others come first.
CREATE FUNCTION neardup_frequent() RETURNS bigint[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    most CONSTANT int4 := 65536;
    result bigint[];
BEGIN
    EXECUTE format($q$
        SELECT coalesce(array_agg(token ORDER BY n, token), '{}')
        FROM (SELECT token, count(*) AS n FROM (SELECT %s.unnest(value) AS token FROM pg_temp.neardup_sample) u
              GROUP BY token HAVING count(*) > 1 ORDER BY n DESC, token LIMIT %s) f$q$, @extschema@.neardup_schema(), most)
    INTO result;
    RETURN result;
END $$;
COMMENT ON FUNCTION neardup_frequent() IS 'the frequent tokens of the sample, the most frequent last';

CREATE FUNCTION neardup_prefixes(threshold float8, measure text) RETURNS text
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
RETURN format('%s.prefix_tokens(s.value, %L::float8, %L, $1)', neardup_schema(), threshold, measure);
COMMENT ON FUNCTION neardup_prefixes(float8, text) IS 'the tokens by which sets meet that reach a threshold, as SQL';

-- lists is SQL for the tokens of a row s of the sets, by which it meets others. small is the same for sets that can be
-- similar without a common token, or NULL if there are none.
CREATE PROCEDURE neardup_stage_lists(
    postings text, sets text[], lists text, size text, signature text, signature_bytes int4, small text, frequent bigint[], scale float8)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    started timestamptz := clock_timestamp();
    row_count bigint := 0;
    side int4;
    slices int4[];
    cells @extschema@.neardup_cells;
BEGIN
    CALL @extschema@.neardup_stage_table(postings,
        'slice int4, token int8, cell int4, key int8, size int4, "position" int4, signature bytea, side int2, part int2', 'slice', 'none');
    slices := @extschema@.neardup_slices(postings);
    cells := @extschema@.neardup_deal(
        format('SELECT l.token FROM pg_temp.neardup_sample s CROSS JOIN LATERAL %s l', lists), scale, cardinality(slices), frequent);
    CALL @extschema@.neardup_stage_done('frequent tokens', cardinality(frequent), 8 * cardinality(frequent), started);

    started := clock_timestamp();
    FOR i IN 1 .. cardinality(sets) LOOP
        side := CASE cardinality(sets) WHEN 1 THEN 0 ELSE i END;
        CALL @extschema@.neardup_stage_postings(postings, sets[i], lists, size, signature, side, frequent, cells, slices, row_count);
        IF small IS NOT NULL THEN
            CALL @extschema@.neardup_stage_postings(postings, sets[i], small, size, signature, side, frequent, cells, slices, row_count);
        END IF;
    END LOOP;
    CALL @extschema@.neardup_stage_done('postings', row_count, row_count * (36 + signature_bytes), started);
    RAISE NOTICE 'comparisons of the busiest shard, divided by the mean: %', @extschema@.neardup_balance(postings);
END $$;
COMMENT ON PROCEDURE neardup_stage_lists(text, text[], text, text, text, int4, text, bigint[], float8) IS 'brings the postings of all sets to the shards of their tokens';

-- Each shard joins the lists of its tokens. A candidate that passes goes to the shard of b, which keeps it once and sends
-- it with the set of b to the shard of a. There the predicate is evaluated, and the pair stays.
-- sets has the tables of a and of b, or one table for a self-join; staged has names for the tables between.
CREATE PROCEDURE neardup_join_sets(
    result text, staged text[], sets text[], lists text, frequent bigint[], scale float8, mean_size float8,
    threshold float8, measure text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    postings text := staged[1];
    candidates text := staged[2];
    probes text := staged[3];
    nd text := @extschema@.neardup_schema();
    predicate text := measure || CASE measure WHEN 'hamming' THEN '_le' ELSE '_ge' END;
    least text := format(CASE WHEN measure IN ('overlap', 'hamming') THEN '%L::int4' ELSE '%L::float8' END, threshold);
    size text := format('%s.cardinality(s.value)', nd);
    bits int4;
    started timestamptz;
    row_count bigint;
    bytes numeric;
BEGIN
    bits := @extschema@.tokenset_signature_bits(threshold, measure, mean_size);
    CALL @extschema@.neardup_stage_lists(postings, sets, lists, size, format('@extschema@.tokenset_signature(s.value, %s)', bits), bits / 8,
        CASE measure WHEN 'hamming' THEN format('(SELECT 0::int8 AS token, 0 AS "position" WHERE %1$s > 0 AND %1$s < %2$s)', size, least) END,
        frequent, scale);

    started := clock_timestamp();
    CALL @extschema@.neardup_stage_table(candidates, 'a int8, b int8', 'b', sets[1]);
    EXECUTE format($q$
        INSERT INTO %1$s SELECT p.a, p.b
        FROM (SELECT @extschema@.posting_list_agg(key, size, "position", signature, side, part) AS list
              FROM %2$s GROUP BY slice, token, cell, "position" = 0 HAVING count(*) > 1) l
             CROSS JOIN LATERAL @extschema@.posting_pairs(l.list, $1, $2) p$q$, candidates, postings) USING threshold, measure;
    GET DIAGNOSTICS row_count = ROW_COUNT;
    CALL @extschema@.neardup_stage_done('candidates', row_count, 16 * row_count, started);

    started := clock_timestamp();
    CALL @extschema@.neardup_stage_table(probes, format('a int8, b int8, value %s.tokenset', nd), 'a', sets[1]);
    EXECUTE format('INSERT INTO %s SELECT c.a, c.b, s.value FROM (SELECT a, b FROM %s GROUP BY a, b) c JOIN %s s ON s.key = c.b',
        probes, candidates, sets[cardinality(sets)]);
    GET DIAGNOSTICS row_count = ROW_COUNT;
    EXECUTE format('SELECT sum(pg_column_size(value) + 16) FROM %s', probes) INTO bytes;
    CALL @extschema@.neardup_stage_done('sets of candidates', row_count, bytes, started);

    started := clock_timestamp();
    CALL @extschema@.neardup_stage_table(result, 'a int8, b int8, similarity float8', 'a', sets[1], true);
    EXECUTE format($q$
        INSERT INTO %s SELECT p.a, p.b, %s.%I(s.value, p.value) FROM %s p JOIN %s s ON s.key = p.a
        WHERE %s.%I(s.value, p.value, %s)$q$, result, nd, measure, probes, sets[1], nd, predicate, least);
    GET DIAGNOSTICS row_count = ROW_COUNT;
    CALL @extschema@.neardup_stage_done('pairs', row_count, 0, started);
    EXECUTE format('DROP TABLE %s, %s, %s, pg_temp.neardup_sample', postings, candidates, probes);
END $$;
COMMENT ON PROCEDURE neardup_join_sets(text, text[], text[], text, bigint[], float8, float8, float8, text) IS
'pairs of staged sets that meet by a token of their lists';

CREATE FUNCTION neardup_check(threshold float8, measure text) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    nd pg_catalog.text := @extschema@.neardup_schema();
BEGIN
    IF threshold IS NULL OR measure IS NULL THEN
        RAISE EXCEPTION 'threshold and measure must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM @extschema@.tokenset_signature_bits(threshold, measure, 1::pg_catalog.float8);
    RETURN pg_catalog.format('%s.tokenset', nd);
END $$;
COMMENT ON FUNCTION neardup_check(float8, text) IS 'the type tokenset as SQL; an error unless measure and threshold are valid';

CREATE PROCEDURE distributed_join(rel regclass, key name, tokens text, threshold float8, measure text, "into" text)
LANGUAGE plpgsql AS $$
DECLARE
    type pg_catalog.text := @extschema@.neardup_check(threshold, measure);
    result pg_catalog.text := @extschema@.neardup_result("into");
    sets pg_catalog.text[] := @extschema@.neardup_staged(result, 'sets');
    scale pg_catalog.float8;
    mean_size pg_catalog.float8;
BEGIN
    CALL @extschema@.neardup_stage_sets(sets[1], rel, key, tokens, type, @extschema@.neardup_beside(rel, key));
    CALL @extschema@.neardup_sample(sets, scale, mean_size);
    CALL @extschema@.neardup_join_sets(result, @extschema@.neardup_staged(result, 'postings', 'candidates', 'probes'),
        sets, @extschema@.neardup_prefixes(threshold, measure), @extschema@.neardup_frequent(), scale, mean_size, threshold, measure);
    EXECUTE pg_catalog.format('DROP TABLE %s', sets[1]);
END $$;
COMMENT ON PROCEDURE distributed_join(regclass, name, text, float8, text, text) IS
'self-join of a table, exact: a new table of the pairs a < b of rows whose sets, an SQL expression, are similar, distributed by a';

CREATE PROCEDURE distributed_join(
    rel_a regclass, key_a name, tokens_a text, rel_b regclass, key_b name, tokens_b text,
    threshold float8, measure text, "into" text)
LANGUAGE plpgsql AS $$
DECLARE
    type pg_catalog.text := @extschema@.neardup_check(threshold, measure);
    result pg_catalog.text := @extschema@.neardup_result("into");
    sets pg_catalog.text[] := @extschema@.neardup_staged(result, 'sets_a', 'sets_b');
    scale pg_catalog.float8;
    mean_size pg_catalog.float8;
BEGIN
    CALL @extschema@.neardup_stage_sets(sets[1], rel_a, key_a, tokens_a, type, @extschema@.neardup_beside(rel_a, key_a));
    CALL @extschema@.neardup_stage_sets(sets[2], rel_b, key_b, tokens_b, type, sets[1]);
    CALL @extschema@.neardup_sample(sets, scale, mean_size);
    CALL @extschema@.neardup_join_sets(result, @extschema@.neardup_staged(result, 'postings', 'candidates', 'probes'),
        sets, @extschema@.neardup_prefixes(threshold, measure), @extschema@.neardup_frequent(), scale, mean_size, threshold, measure);
    EXECUTE pg_catalog.format('DROP TABLE %s, %s', sets[1], sets[2]);
END $$;
COMMENT ON PROCEDURE distributed_join(regclass, name, text, regclass, name, text, float8, text, text) IS
'join of two tables, exact: a new table of the pairs of a row of the first and a row of the second whose sets are similar, distributed by a';
