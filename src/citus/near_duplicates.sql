--
-- citus: the near-duplicate rows of a distributed table
--

-- The result is that of near_duplicates in the mode star. The texts stay where they are: each row is represented by a
-- hash of its text, with a secret of this call so that nobody can prepare texts of one hash. Rows with the same hash and
-- set are copies, and one row of each content is joined. A row that has neither a copy nor a pair stays on its shard. Of
-- the others, keys, hashes and pairs come to the coordinator, which chooses the rows that stay.

-- staged has names for the tables of rows, contents, copies, sets, members, pairs, postings, candidates and probes.
CREATE PROCEDURE neardup_find_members(staged text[], threshold float8)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    nd text := @extschema@.neardup_schema();
    rows_table text := staged[1];
    contents text := staged[2];
    copies text := staged[3];
    sets text := staged[4];
    members text := staged[5];
    pairs text := staged[6];
    scale float8;
    mean_size float8;
    started timestamptz := clock_timestamp();
    row_count bigint;
BEGIN
    CALL @extschema@.neardup_stage_table(contents, 'content uuid, key int8', 'content', 'none');
    EXECUTE format($q$INSERT INTO %1$s SELECT %2$s.fingerprint128(uuid_send(print) || coalesce(%2$s.tokenset_send(value), '')), key FROM %3$s$q$,
        contents, nd, rows_table);
    CALL @extschema@.neardup_stage_table(copies, 'key int8, first int8', 'key', rows_table);
    EXECUTE format('INSERT INTO %s SELECT key, first FROM (SELECT key, min(key) OVER (PARTITION BY content) AS first FROM %s) c WHERE key <> first',
        copies, contents);
    GET DIAGNOSTICS row_count = ROW_COUNT;
    CALL @extschema@.neardup_stage_done('exact copies', row_count, 16 * row_count, started);

    CALL @extschema@.neardup_stage_table(sets, format('key int8 PRIMARY KEY, value %s.tokenset', nd), 'key', rows_table);
    EXECUTE format('INSERT INTO %s SELECT r.key, r.value FROM %s r LEFT JOIN %s c ON c.key = r.key WHERE c.key IS NULL AND r.value IS NOT NULL',
        sets, rows_table, copies);
    CALL @extschema@.neardup_sample(ARRAY[sets], scale, mean_size);
    CALL @extschema@.neardup_join_sets(pairs, staged[7:9], ARRAY[sets], @extschema@.neardup_prefixes(threshold, 'jaccard'),
        @extschema@.neardup_frequent(), scale, mean_size, threshold, 'jaccard');

    EXECUTE format('CREATE TEMPORARY TABLE neardup_pairs ON COMMIT DROP AS SELECT a, b, similarity FROM %s', pairs);
    EXECUTE format('CREATE TEMPORARY TABLE neardup_copies ON COMMIT DROP AS SELECT key, first FROM %s', copies);
    CALL @extschema@.neardup_stage_table(members, 'key int8', 'key', rows_table);
    EXECUTE format('INSERT INTO %s SELECT key FROM pg_temp.neardup_copies UNION SELECT first FROM pg_temp.neardup_copies
        UNION SELECT a FROM pg_temp.neardup_pairs UNION SELECT b FROM pg_temp.neardup_pairs', members);
    EXECUTE format('CREATE TEMPORARY TABLE neardup_prints ON COMMIT DROP AS SELECT r.key, r.print FROM %s r JOIN %s m ON m.key = r.key', rows_table, members);
END $$;
COMMENT ON PROCEDURE neardup_find_members(text[], float8) IS 'the rows that have copies or are similar to others, and their pairs, on the coordinator';

-- pg_temp.neardup_places says which place each row has in the order in which rows are kept.
CREATE PROCEDURE neardup_choose(result text, beside text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    nd text := @extschema@.neardup_schema();
    started timestamptz := clock_timestamp();
    row_count bigint;
BEGIN
    CREATE TEMPORARY TABLE neardup_rows ON COMMIT DROP AS
    SELECT p.key, p.place, r.print, coalesce(c.first, p.key) AS first, min(p.place) OVER (PARTITION BY coalesce(c.first, p.key)) AS least
    FROM pg_temp.neardup_places p JOIN pg_temp.neardup_prints r ON r.key = p.key LEFT JOIN pg_temp.neardup_copies c ON c.key = p.key;
    CREATE TEMPORARY TABLE neardup_edges ON COMMIT DROP AS
    SELECT least(a.least, b.least) AS a, greatest(a.least, b.least) AS b, e.similarity
    FROM pg_temp.neardup_pairs e JOIN pg_temp.neardup_rows a ON a.key = e.a JOIN pg_temp.neardup_rows b ON b.key = e.b;
    EXECUTE format('CREATE TEMPORARY TABLE neardup_stars ON COMMIT DROP AS SELECT id, cluster FROM %s.cluster_pairs(%L, %L)',
        nd, 'SELECT a, b FROM pg_temp.neardup_edges', 'star');
    ANALYZE pg_temp.neardup_rows, pg_temp.neardup_edges, pg_temp.neardup_stars;
    CALL @extschema@.neardup_stage_table(result, 'id int8, duplicate_of int8, similarity float8, kind text, cluster int8', 'id', beside, true);
    EXECUTE format($q$
        INSERT INTO %s
        SELECT key, kept_key, CASE WHEN least = kept THEN 1 ELSE similarity END, CASE WHEN print = kept_print THEN 'exact' ELSE 'near' END, cluster
        FROM (SELECT r.key, r.print, r.least, r.place, k.place AS kept, k.key AS kept_key, k.print AS kept_print, e.similarity,
                     min(r.key) OVER (PARTITION BY k.place) AS cluster
              FROM pg_temp.neardup_rows r LEFT JOIN pg_temp.neardup_stars s ON s.id = r.least
                   JOIN pg_temp.neardup_rows k ON k.place = coalesce(s.cluster, r.least)
                   LEFT JOIN pg_temp.neardup_edges e ON e.a = k.place AND e.b = r.least) d
        WHERE place <> kept$q$, result);
    GET DIAGNOSTICS row_count = ROW_COUNT;
    CALL @extschema@.neardup_stage_done('duplicates', row_count, 40 * row_count, started);
    DROP TABLE pg_temp.neardup_rows, pg_temp.neardup_edges, pg_temp.neardup_stars, pg_temp.neardup_places, pg_temp.neardup_prints,
        pg_temp.neardup_copies, pg_temp.neardup_pairs;
END $$;
COMMENT ON PROCEDURE neardup_choose(text, text) IS 'chooses the rows that stay, and puts the others into the result';

CREATE FUNCTION neardup_default_tokens(rel regclass, body text) RETURNS text
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    short_text CONSTANT int4 := 100; -- as near_duplicates has it
    is_short boolean;
BEGIN
    EXECUTE format('SELECT avg(CASE WHEN octet_length(%1$s::text) < 2000 THEN char_length(%1$s::text) ELSE octet_length(%1$s::text) END) < $1 FROM %2$s',
        body, rel) INTO is_short USING short_text;
    RETURN format(CASE WHEN is_short THEN '%s.qgram_tokens(%s::text, 3)' ELSE '%s.word_tokens(%s::text)' END, @extschema@.neardup_schema(), body);
END $$;
COMMENT ON FUNCTION neardup_default_tokens(regclass, text) IS 'the tokens that near_duplicates takes by default, as SQL';

CREATE PROCEDURE distributed_near_duplicates(
    rel regclass, key name, "text" name, threshold float8, keep text, "into" text, tokens text DEFAULT NULL)
LANGUAGE plpgsql AS $$
DECLARE
    type pg_catalog.text := @extschema@.neardup_check(threshold, 'jaccard');
    nd pg_catalog.text := @extschema@.neardup_schema();
    result pg_catalog.text := @extschema@.neardup_result("into");
    key_name pg_catalog.text := @extschema@.neardup_key(rel, key);
    body pg_catalog.text := pg_catalog.quote_ident("text");
    staged pg_catalog.text[] := @extschema@.neardup_staged(result, 'rows', 'contents', 'copies', 'sets', 'members', 'pairs', 'postings', 'candidates', 'probes');
    secret pg_catalog.text := pg_catalog.gen_random_uuid();
    started pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    row_count bigint;
BEGIN
    IF tokens IS NULL THEN
        tokens := @extschema@.neardup_default_tokens(rel, body);
    END IF;
    CALL @extschema@.neardup_stage_table(staged[1], pg_catalog.format('key pg_catalog.int8 PRIMARY KEY, print pg_catalog.uuid, value %s', type),
        'key', @extschema@.neardup_beside(rel, key));
    BEGIN
        EXECUTE pg_catalog.format('INSERT INTO %1$s SELECT %2$s::pg_catalog.int8, %3$s.fingerprint128(%4$L OPERATOR(pg_catalog.||) %5$s::pg_catalog.text), (%6$s
)::%7$s FROM %8$s WHERE %5$s IS NOT NULL', staged[1], key_name, nd, secret, body, tokens, type, rel);
        GET DIAGNOSTICS row_count = ROW_COUNT;
    EXCEPTION WHEN unique_violation THEN
        RAISE EXCEPTION 'key column "%" of relation "%" is not unique', key, rel USING ERRCODE = 'unique_violation', DETAIL = SQLERRM;
    END;
    CALL @extschema@.neardup_stage_done('rows', row_count, 40 OPERATOR(pg_catalog.*) row_count, started);
    CALL @extschema@.neardup_find_members(staged, threshold);
    EXECUTE pg_catalog.format('CREATE TEMPORARY TABLE neardup_places ON COMMIT DROP AS
        SELECT %1$s::pg_catalog.int8 AS key, pg_catalog.row_number() OVER (ORDER BY %2$s%1$s) AS place FROM %3$s
        WHERE %1$s::pg_catalog.int8 OPERATOR(pg_catalog.=) ANY (SELECT m.key FROM %4$s m)',
        key_name, pg_catalog.concat(keep, CASE WHEN keep IS NOT NULL THEN E'\n, ' END), rel, staged[5]);
    CALL @extschema@.neardup_choose(result, staged[1]);
    EXECUTE pg_catalog.format('DROP TABLE %s, %s, %s, %s, %s, %s', staged[2], staged[3], staged[4], staged[5], staged[6], staged[1]);
END $$;
COMMENT ON PROCEDURE distributed_near_duplicates(regclass, name, name, float8, text, text, text) IS
'the rows that near_duplicates returns in the mode star, as a new table distributed by id; keep: an ORDER BY list or NULL, tokens: an SQL expression';
