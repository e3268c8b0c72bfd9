\echo Use "CREATE EXTENSION neardup_citus" to load this file. \quit

--
-- shards: pairs of the sets that meet where a token's postings are
--

CREATE FUNCTION tokenset_signature(tokens tokenset, bits int4) RETURNS bytea
AS 'MODULE_PATHNAME', 'tokenset_signature' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tokenset_signature(tokenset, int4) IS
'returns 64, 128, 256 or 512 bits, of which each token toggles one: the signatures of two sets differ in no more bits than the sets in tokens';

CREATE FUNCTION tokenset_signature_bits(threshold float8, measure text, mean_size float8) RETURNS int4
AS 'MODULE_PATHNAME', 'tokenset_signature_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_signature_bits(float8, text, float8) IS
'returns the number of bits with which the signatures of sets of this mean size exclude most pairs below the threshold';

CREATE FUNCTION posting_list_transition(internal, bigint, int4, int4, bytea, int4, int4) RETURNS internal
AS 'MODULE_PATHNAME', 'posting_list_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION posting_list_transition(internal, bigint, int4, int4, bytea, int4, int4) IS 'transition function of posting_list_agg';

CREATE FUNCTION posting_list_final(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'posting_list_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION posting_list_final(internal) IS 'final function of posting_list_agg';

CREATE AGGREGATE posting_list_agg(key bigint, size int4, "position" int4, signature bytea, side int4, part int4) (
    SFUNC = posting_list_transition,
    STYPE = internal,
    SSPACE = 256,
    FINALFUNC = posting_list_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE posting_list_agg(bigint, int4, int4, bytea, int4, int4) IS
'returns the postings of a token, for posting_pairs; side: 0 in a self-join, else 1 (left) or 2 (right); part: 0, or 1 and 2 if only pairs across the two are wanted';

CREATE FUNCTION posting_pairs(list bytea, threshold float8, measure text DEFAULT 'jaccard', OUT a bigint, OUT b bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'posting_pairs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION posting_pairs(bytea, float8, text) IS
'returns candidates: the pairs of a token''s postings that may reach the threshold, by sizes, positions and signatures';

CREATE FUNCTION simhash_posting_pairs(list bytea, max_distance int4, OUT a bigint, OUT b bigint, OUT distance int4)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'simhash_posting_pairs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION simhash_posting_pairs(bytea, int4) IS
'returns the pairs of a block key''s postings whose signatures, simhashes, differ in at most max_distance bits';

--
-- citus: what the distributed joins have in common
--

-- A join goes through stages. Each stage fills a distributed table, whose distribution brings rows to the shards where
-- the next stage needs them. All stages are one transaction, so that an error leaves neither staged tables nor a result.
-- Within a transaction, Citus does not join a reference table to shards that were written in parallel; what all shards
-- need therefore travels to each task as an array.

-- Where the caller's expressions are evaluated or the caller's names are resolved, the search_path is the caller's, and
-- all other names are written out. All other procedures set a path of their own.

CREATE FUNCTION neardup_schema() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN (SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'neardup');
COMMENT ON FUNCTION neardup_schema() IS 'the schema of the extension neardup, as SQL';

CREATE FUNCTION neardup_key(rel regclass, key name) RETURNS text
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    type regtype;
BEGIN
    SELECT a.atttypid INTO type FROM pg_attribute a WHERE a.attrelid = rel AND a.attname = key AND NOT a.attisdropped;
    IF type IS NULL THEN
        RAISE EXCEPTION 'column "%" of relation "%" does not exist', key, rel USING ERRCODE = 'undefined_column';
    ELSIF type <> ALL ('{int2,int4,int8}'::regtype[]) THEN
        RAISE EXCEPTION 'key column "%" must be an integer', key
            USING ERRCODE = 'datatype_mismatch', DETAIL = format('Its type is %s.', type);
    END IF;
    RETURN quote_ident(key);
END $$;
COMMENT ON FUNCTION neardup_key(regclass, name) IS 'the name of a key column as SQL; an error unless it is an integer column of the table';

CREATE FUNCTION neardup_result(result text) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    names pg_catalog.text[] := pg_catalog.parse_ident(result);
BEGIN
    IF result IS NULL THEN
        RAISE EXCEPTION 'name of the result must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF pg_catalog.cardinality(names) OPERATOR(pg_catalog.=) 1 THEN
        names := pg_catalog.array_prepend(pg_catalog.current_schema()::pg_catalog.text, names);
    END IF;
    result := pg_catalog.format('%I.%I', names[1], names[2]);
    IF pg_catalog.to_regclass(result) IS NOT NULL THEN
        RAISE EXCEPTION 'relation "%" already exists', result
            USING ERRCODE = 'duplicate_table', HINT = 'The result is a new table.';
    END IF;
    RETURN result;
END $$;
COMMENT ON FUNCTION neardup_result(text) IS 'the qualified name of a new table, by default in the current schema; an error if there is one';

-- The names have the number of the session's process in them, so that calls at the same time do not use one table.
CREATE FUNCTION neardup_staged(result text, VARIADIC names text[]) RETURNS text[]
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
RETURN (SELECT array_agg(format('%I.%I', (parse_ident(result))[1], format('neardup_%s_%s', pg_backend_pid(), name)) ORDER BY place)
        FROM ROWS FROM (unnest(names)) WITH ORDINALITY u (name, place));
COMMENT ON FUNCTION neardup_staged(text, text[]) IS 'names of staged tables, in the schema of the result';

CREATE PROCEDURE neardup_stage_done(stage text, row_count bigint, bytes numeric, started timestamptz)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE NOTICE '%: % rows, %, % s', stage, row_count, pg_size_pretty(coalesce(bytes, 0)),
        round(extract(epoch FROM clock_timestamp() - started), 1);
END $$;
COMMENT ON PROCEDURE neardup_stage_done(text, bigint, numeric, timestamptz) IS 'reports a stage: the rows and bytes that it brought to their shards';

CREATE PROCEDURE neardup_stage_table(staged text, definition text, distributed_by text, beside text, is_result boolean DEFAULT false)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('CREATE %s TABLE %s (%s)', CASE WHEN NOT is_result THEN 'UNLOGGED' END, staged, definition);
    PERFORM create_distributed_table(staged::regclass, distributed_by, colocate_with => beside);
END $$;
COMMENT ON PROCEDURE neardup_stage_table(text, text, text, text, boolean) IS 'creates a distributed table whose shards are where those of another one are';

-- If a table is distributed by its key, its staged sets are put beside its shards, and do not travel.
CREATE FUNCTION neardup_beside(rel regclass, key name) RETURNS text
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
RETURN coalesce((SELECT p.logicalrelid::text FROM pg_dist_partition p JOIN pg_attribute a ON a.attrelid = p.logicalrelid
                 WHERE p.logicalrelid = rel AND p.partmethod = 'h' AND a.attname = key AND a.atttypid = 'int8'::regtype
                   AND column_to_column_name(p.logicalrelid, p.partkey::text) = key), 'none');
COMMENT ON FUNCTION neardup_beside(regclass, name) IS 'the table if it is distributed by the key, a bigint, else none';

CREATE PROCEDURE neardup_stage_sets(sets text, rel regclass, key name, tokens text, type text, beside text)
LANGUAGE plpgsql AS $$
DECLARE
    key_name pg_catalog.text := @extschema@.neardup_key(rel, key);
    started pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    row_count bigint;
    bytes numeric;
BEGIN
    CALL @extschema@.neardup_stage_table(sets, pg_catalog.format('key int8 PRIMARY KEY, value %s', type), 'key', beside);
    BEGIN
        EXECUTE pg_catalog.format('INSERT INTO %s SELECT %s::pg_catalog.int8, (%s
)::%s FROM %s WHERE %s IS NOT NULL', sets, key_name, tokens, type, rel, key_name);
        GET DIAGNOSTICS row_count = ROW_COUNT;
    EXCEPTION WHEN unique_violation THEN
        RAISE EXCEPTION 'key column "%" of relation "%" is not unique', key, rel
            USING ERRCODE = 'unique_violation', DETAIL = SQLERRM;
    END;
    EXECUTE pg_catalog.format('SELECT pg_catalog.sum(pg_catalog.pg_column_size(value) OPERATOR(pg_catalog.+) 8) FROM %s', sets) INTO bytes;
    CALL @extschema@.neardup_stage_done('sets', row_count, bytes, started);
END $$;
COMMENT ON PROCEDURE neardup_stage_sets(text, regclass, name, text, text, text) IS 'stages the keys of a table, and a set or simhash for each, distributed by key';

-- A slice is a value of the distribution column that leads to a certain shard. There is one for each shard.
CREATE FUNCTION neardup_slices(postings text) RETURNS int4[]
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
RETURN (SELECT array_agg(slice ORDER BY shard)
        FROM (SELECT min(value) AS slice, get_shard_id_for_distribution_column(postings::regclass, value) AS shard
              FROM generate_series(1, (SELECT 20 * count(*)::int4 FROM pg_dist_shard WHERE logicalrelid = postings::regclass)) value
              GROUP BY shard) s);
COMMENT ON FUNCTION neardup_slices(text) IS 'a value of the distribution column for each shard of the staged postings';

-- A list of n postings costs about n * n comparisons, on the one shard of its token. To spread the work, a list that costs a
-- good part of a piece is cut into groups of keys. Each two groups meet in a cell, and so does each group with itself: of
-- 3 groups there are the cells (0,0), (0,1), (0,2), (1,1), (1,2) and (2,2), and a posting is copied to the 3 cells of its
-- group. Cells are dealt to slices by their work, the heaviest first.
CREATE TYPE neardup_cells AS (tokens bigint[], groups int4[], firsts int4[], slices int4[]);
COMMENT ON TYPE neardup_cells IS 'tokens whose lists are dealt, into how many groups, and from where on the slices of their cells stand';

-- lists is a query that returns each token as often as it is in the sample; the table has it about `scale` times as often.
CREATE FUNCTION neardup_deal(lists text, scale float8, slice_count int4, frequent bigint[]) RETURNS neardup_cells
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    pieces CONSTANT float8 := 16;      -- that the work of a slice is divided into
    most_groups CONSTANT float8 := 64; -- of a list, so also the cells that a posting is copied to
    posting CONSTANT float8 := 500;    -- comparisons that take as long as bringing a posting to a shard
    result @extschema@.neardup_cells;
BEGIN
    EXECUTE format($q$
        WITH lists AS MATERIALIZED (
            SELECT token, n, n * (n + $3) AS work
            FROM (SELECT token, count(*) * $2 AS n FROM (%s) l GROUP BY token) c),
        piece AS MATERIALIZED (SELECT sum(work) / ($4 * $5) AS work FROM lists),
        heavy AS MATERIALIZED (
            SELECT token, n, groups, (sum(groups * groups) OVER (ORDER BY token ROWS UNBOUNDED PRECEDING) - groups * groups)::int4 AS first
            FROM (SELECT l.token, l.n, least($6, ceil(sqrt(l.work / p.work)))::int4 AS groups
                  FROM lists l, piece p WHERE l.work > p.work / 8 AND l.n > $2) h),
        cells AS (
            SELECT first + i * groups + j AS place, i <= j AS is_cell, (n / groups) ^ 2 * CASE WHEN i = j THEN 1 ELSE 2 END AS work
            FROM heavy, generate_series(0, groups - 1) i, generate_series(0, groups - 1) j),
        ranked AS (SELECT place, row_number() OVER (PARTITION BY is_cell ORDER BY work DESC, place) - 1 AS rank FROM cells),
        dealt AS (SELECT place, CASE WHEN rank / $5 %% 2 = 0 THEN rank %% $5 ELSE $5 - 1 - rank %% $5 END AS slice FROM ranked)
        SELECT coalesce((SELECT array_agg(token ORDER BY token) FROM heavy), '{}'),
               coalesce((SELECT array_agg(groups ORDER BY token) FROM heavy), '{}'),
               coalesce((SELECT array_agg(first ORDER BY token) FROM heavy), '{}'),
               coalesce((SELECT array_agg(slice::int4 ORDER BY place) FROM dealt), '{}')$q$, lists)
    INTO result USING frequent, scale, posting, pieces, slice_count, most_groups;
    RETURN result;
END $$;
COMMENT ON FUNCTION neardup_deal(text, float8, int4, bigint[]) IS 'deals the lists of tokens, as a sample has them, to slices';

-- lists is SQL for token and position of each posting of a row s of the sets, where $1 is the array of frequent tokens.
CREATE PROCEDURE neardup_stage_postings(
    postings text, sets text, lists text, size text, signature text, side int4,
    frequent bigint[], cells neardup_cells, slices int4[], INOUT row_count bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    added bigint;
BEGIN
    EXECUTE format($q$
        INSERT INTO %s (slice, token, cell, key, size, "position", signature, side, part)
        SELECT CASE WHEN p.groups IS NULL THEN ($5)[1 + (hashint8(p.token) & 2147483647) %% %s]
                    ELSE ($5)[1 + ($6)[1 + p.first + least(p.part, other) * p.groups + greatest(p.part, other)]] END,
               p.token, coalesce(least(p.part, other) * p.groups + greatest(p.part, other), 0),
               p.key, p.size, p."position", p.signature, %s,
               CASE WHEN p.part < other THEN 1 WHEN p.part > other THEN 2 ELSE 0 END
        FROM (SELECT s.key, %s AS size, %s AS signature, l.token, l."position", h.groups, h.first,
                     (hashint8(s.key) & 2147483647) %% h.groups AS part
              FROM %s s CROSS JOIN LATERAL %s l
                   LEFT JOIN unnest($2, $3, $4) h (token, groups, first) ON h.token = l.token) p
             CROSS JOIN LATERAL generate_series(0, coalesce(p.groups, 1) - 1) other$q$,
        postings, cardinality(slices), side, size, signature, sets, lists)
    USING frequent, cells.tokens, cells.groups, cells.firsts, slices, cells.slices;
    GET DIAGNOSTICS added = ROW_COUNT;
    row_count := row_count + added;
END $$;
COMMENT ON PROCEDURE neardup_stage_postings(text, text, text, text, text, int4, bigint[], neardup_cells, int4[], bigint) IS
'brings the postings of the sets to the shards of their tokens';

CREATE FUNCTION neardup_balance(postings text) RETURNS text
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    balance numeric;
BEGIN
    EXECUTE format($q$
        SELECT max(work) / nullif(sum(work), 0) * $1
        FROM (SELECT slice, sum(n * (n + 1) / 2) AS work
              FROM (SELECT slice, token, cell, count(*) AS n FROM %s GROUP BY slice, token, cell) l GROUP BY slice) s$q$, postings)
    INTO balance USING (SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = postings::regclass);
    RETURN coalesce(round(balance, 2)::text, '-');
END $$;
COMMENT ON FUNCTION neardup_balance(text) IS 'the most comparisons in a shard of the staged postings, divided by the mean';

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

--
-- citus: clusters of pairs
--

-- Each shard makes a spanning forest of its pairs, and only that travels to the coordinator: at most one pair for
-- each key. The coordinator joins the forests.
CREATE PROCEDURE distributed_clusters(pairs regclass, "into" text)
LANGUAGE plpgsql AS $$
DECLARE
    nd pg_catalog.text := @extschema@.neardup_schema();
    result pg_catalog.text := @extschema@.neardup_result("into");
    started pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    row_count bigint;
BEGIN
    CALL @extschema@.neardup_stage_table(result, 'id int8, cluster int8', 'id', 'none', true);
    EXECUTE pg_catalog.format('INSERT INTO %1$s SELECT c.id, c.cluster
        FROM (SELECT %2$s.cluster_agg(a, b) AS forest FROM %3$s) f CROSS JOIN LATERAL %2$s.forest_clusters(f.forest) c',
        result, nd, pairs);
    GET DIAGNOSTICS row_count = ROW_COUNT;
    CALL @extschema@.neardup_stage_done('clusters', row_count, 16 OPERATOR(pg_catalog.*) row_count, started);
END $$;
COMMENT ON PROCEDURE distributed_clusters(regclass, text) IS
'connected clusters of a table of pairs (a, b): a new table (id, cluster), distributed by id, each cluster named by its least member';

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

--
-- What each guest checks last: it is of neardup's version, and uses what is neardup's
--

-- One library serves neardup and its guests, whose declarations must be those of one version.
DO $$
DECLARE
    present pg_catalog.text := (SELECT e.extversion FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup');
BEGIN
    IF present OPERATOR(pg_catalog.<>) '1.0.0' THEN
        RAISE EXCEPTION 'extension neardup_citus of version 1.0.0 needs neardup of the same version'
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = pg_catalog.format('Version %s of neardup is there.', present),
                  HINT = 'Call ALTER EXTENSION neardup UPDATE first.';
    END IF;
END $$;

-- Types, functions and operators of other extensions were found by the search path, in which the schema of this extension
-- comes first; whoever may create objects there must not have given it others of the same names.
DO $$
DECLARE
    foreigner pg_catalog.text;
BEGIN
    WITH needed AS (
        SELECT e.oid, e.extname FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup_citus'
        UNION ALL
        SELECT r.oid, r.extname
        FROM pg_catalog.pg_extension AS e
        JOIN pg_catalog.pg_depend AS d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid
             AND d.objid OPERATOR(pg_catalog.=) e.oid
        JOIN pg_catalog.pg_extension AS r ON d.refclassid OPERATOR(pg_catalog.=) d.classid AND d.refobjid OPERATOR(pg_catalog.=) r.oid
        WHERE e.extname OPERATOR(pg_catalog.=) 'neardup_citus'
    ), member AS (
        SELECT d.classid, d.objid, n.extname
        FROM pg_catalog.pg_depend AS d JOIN needed AS n ON n.oid OPERATOR(pg_catalog.=) d.refobjid
        WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'
    ), own AS (
        SELECT m.classid, m.objid FROM member AS m WHERE m.extname OPERATOR(pg_catalog.=) 'neardup_citus'
    ), used AS (
        SELECT d.refclassid AS class, d.refobjid AS object
        FROM pg_catalog.pg_depend AS d JOIN own ON own.classid OPERATOR(pg_catalog.=) d.classid AND own.objid OPERATOR(pg_catalog.=) d.objid
        UNION ALL
        SELECT 'pg_catalog.pg_operator'::pg_catalog.regclass::pg_catalog.oid, a.amopopr
        FROM pg_catalog.pg_amop AS a JOIN own ON own.objid OPERATOR(pg_catalog.=) a.amopfamily
        WHERE own.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_opfamily'::pg_catalog.regclass::pg_catalog.oid
    )
    SELECT pg_catalog.format('%s %s', o.type, o.identity) INTO foreigner
    FROM used AS u, pg_catalog.pg_identify_object(u.class, u.object, 0) AS o
    WHERE u.class OPERATOR(pg_catalog.=) ANY (ARRAY['pg_catalog.pg_type', 'pg_catalog.pg_proc', 'pg_catalog.pg_operator']::pg_catalog.regclass[]::pg_catalog.oid[])
          AND NOT EXISTS (SELECT FROM member AS m WHERE m.classid OPERATOR(pg_catalog.=) u.class AND m.objid OPERATOR(pg_catalog.=) u.object)
          -- What stands upon a table or type of the guest is not a member of its own.
          AND NOT EXISTS (
              SELECT FROM pg_catalog.pg_depend AS i JOIN own ON own.classid OPERATOR(pg_catalog.=) i.refclassid AND own.objid OPERATOR(pg_catalog.=) i.refobjid
              WHERE i.classid OPERATOR(pg_catalog.=) u.class AND i.objid OPERATOR(pg_catalog.=) u.object AND i.deptype OPERATOR(pg_catalog.=) 'i')
    LIMIT 1;
    IF foreigner IS NOT NULL THEN
        RAISE EXCEPTION 'extension neardup_citus would use what is not of an extension that it needs: %', foreigner
            USING ERRCODE = 'duplicate_object', HINT = 'Create the extension in another schema.';
    END IF;
END $$;
