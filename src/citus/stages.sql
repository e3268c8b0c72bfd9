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
