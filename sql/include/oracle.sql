\set ECHO none
-- What tests compare with: brute force in plain SQL. A test takes this file by \i; all of it goes with the session.

-- How many rows two queries do not share, and how many the first has. A query whose rows differ is named.
CREATE FUNCTION pg_temp.compare(got text, want text, OUT differences bigint, OUT rows bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('WITH got AS MATERIALIZED (%s), want AS MATERIALIZED (%s),
                    difference AS ((TABLE got EXCEPT ALL TABLE want) UNION ALL (TABLE want EXCEPT ALL TABLE got))
                    SELECT (SELECT count(*) FROM difference), (SELECT count(*) FROM got)', got, want) INTO differences, rows;
    IF differences > 0 THEN
        RAISE NOTICE '% rows differ: %', differences, got;
    END IF;
END $$;

-- The same for one query, by a plan that matches a pattern, and without some settings; the plan may itself need settings to be off.
CREATE FUNCTION pg_temp.compare_plans(query text, plan text, without text[], plan_without text[] DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text; lines text := ''; found record;
BEGIN
    PERFORM set_config(s, 'off', true) FROM unnest(plan_without) s;
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
        lines := lines || line;
    END LOOP;
    EXECUTE 'CREATE TEMP TABLE by_plan AS ' || query;
    PERFORM set_config(s, 'on', true) FROM unnest(plan_without) s;
    PERFORM set_config(s, 'off', true) FROM unnest(without) s;
    EXECUTE 'CREATE TEMP TABLE by_other AS ' || query;
    PERFORM set_config(s, 'on', true) FROM unnest(without) s;
    SELECT * INTO found FROM pg_temp.compare('TABLE by_plan', 'TABLE by_other');
    DROP TABLE by_plan, by_other;
    RETURN format('%s%s of %s', CASE WHEN lines ~ plan THEN '' ELSE 'another plan, ' END, found.differences, found.rows);
END $$;

-- Blocks of temporary files that a query writes.
CREATE FUNCTION pg_temp.blocks_written(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Temp Written Blocks';
END $$;

-- Joins of a table of rows (side, row, key, id, tokens): row is the order in which a side is read; key and id are unique keys of a side. Side 0 is joined
-- with itself and with side 1, by key and by id, at each of these thresholds.
CREATE TEMP TABLE threshold (measure text, threshold float8);
-- Pairs of rows x, y with keys a, b, as the measure's own function has them, and the least keys of the rows whose sets are equal to theirs;
-- the nearest of each x, and the best of all, equally similar ones in the order of ties. In a self-join by a symmetric measure each pair comes
-- once, and flips if y is of the group with the lesser least key.
CREATE TEMP TABLE pair (key_of text, kind text, measure text, x int, y int, a bigint, b bigint, first_a bigint, first_b bigint, value float8, distance float8);
CREATE TEMP TABLE nearest (LIKE pair, place bigint);
CREATE TEMP TABLE best (LIKE pair, place bigint);

CREATE PROCEDURE pg_temp.find_pairs(rows regclass, least_overlap int, keys text[]) LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE pair, nearest, best;
    EXECUTE format($q$
        WITH rows AS (SELECT *, min(key) OVER equal AS first_key, min(id) OVER equal AS first_id
                      FROM %1$s WHERE key IS NOT NULL AND tokens IS NOT NULL WINDOW equal AS (PARTITION BY side, tokens))
        INSERT INTO pair
        SELECT key_of, kind, measure, x.row, y.row, a, b, first_a, first_b, value, CASE measure WHEN 'hamming' THEN value ELSE -value END
        FROM (VALUES ('self', 0), ('rs', 1)) k (kind, other), LATERAL (SELECT token_weights(tokens) AS w FROM %1$s WHERE key IS NOT NULL AND side <= other) weights,
             rows x, rows y, (SELECT DISTINCT measure FROM threshold) m, LATERAL (VALUES (CASE measure
                 WHEN 'jaccard' THEN jaccard(x.tokens, y.tokens) WHEN 'cosine' THEN cosine(x.tokens, y.tokens)
                 WHEN 'dice' THEN dice(x.tokens, y.tokens) WHEN 'containment' THEN containment(x.tokens, y.tokens)
                 WHEN 'overlap' THEN overlap(x.tokens, y.tokens)::float8 WHEN 'hamming' THEN hamming(x.tokens, y.tokens)::float8
                 WHEN 'idf_jaccard' THEN idf_jaccard(x.tokens, y.tokens, w) WHEN 'idf_cosine' THEN idf_cosine(x.tokens, y.tokens, w) END)) v (value),
             LATERAL (VALUES ('key', x.key, y.key, x.first_key, y.first_key), ('id', x.id, y.id, x.first_id, y.first_id)) o (key_of, a, b, first_a, first_b)
        WHERE x.side = 0 AND y.side = other AND cardinality(x.tokens) > 0 AND cardinality(y.tokens) > 0
              AND overlap(x.tokens, y.tokens) >= $1 AND key_of = ANY ($2) AND (kind = 'rs' OR a <> b) AND (value > 0 OR measure = 'hamming')
        $q$, rows) USING least_overlap, keys;
    INSERT INTO nearest SELECT *, row_number() OVER (PARTITION BY key_of, kind, measure, x ORDER BY distance, first_b, b) FROM pair;
    INSERT INTO best SELECT pair.*, row_number() OVER (PARTITION BY key_of, kind, measure ORDER BY distance, CASE WHEN flips THEN first_b ELSE first_a END,
        CASE WHEN flips THEN first_a ELSE first_b END, CASE WHEN flips THEN b ELSE a END, CASE WHEN flips THEN a ELSE b END)
    FROM pair, LATERAL (SELECT kind = 'self' AND measure <> 'containment' AND first_a > first_b) f (flips) WHERE kind = 'rs' OR measure = 'containment' OR a < b;
END $$;

-- One to one: the best pair whose rows are free, again and again.
CREATE FUNCTION pg_temp.matched(of_keys text, of_kind text, of_measure text, most float8) RETURNS TABLE (a bigint, b bigint, similarity float8) LANGUAGE plpgsql AS $$
DECLARE
    taken_x int[] := '{}'; taken_y int[] := '{}'; c record;
BEGIN
    FOR c IN SELECT * FROM best p WHERE key_of = of_keys AND kind = of_kind AND measure = of_measure AND distance <= most ORDER BY place LOOP
        CONTINUE WHEN c.x = ANY (taken_x) OR c.y = ANY (taken_y);
        taken_x := taken_x || CASE of_kind WHEN 'self' THEN ARRAY[c.x, c.y] ELSE ARRAY[c.x] END;
        taken_y := taken_y || CASE of_kind WHEN 'self' THEN ARRAY[c.y, c.x] ELSE ARRAY[c.y] END;
        a := c.a; b := c.b; similarity := c.value;
        RETURN NEXT;
    END LOOP;
END $$;

-- Compares knn_join and topk_join for each of some numbers, and match_join, with the pairs that were found.
CREATE FUNCTION pg_temp.compare_joins(rows regclass, keys text[], nearest int[], best int[], matches bool, OUT differences bigint, OUT compared bigint) LANGUAGE plpgsql AS $$
DECLARE
    query text; c record; found record; calls text[];
BEGIN
    differences := 0; compared := 0;
    FOR c IN SELECT *, CASE measure WHEN 'hamming' THEN threshold ELSE -threshold END AS most, row_number() OVER (PARTITION BY measure, key_of, kind ORDER BY threshold) = 1 AS is_first
             FROM threshold, unnest(keys) key_of, unnest('{self,rs}'::text[]) kind LOOP
        query := format('SELECT %s, tokens FROM %s WHERE key IS NOT NULL AND side = %%s ORDER BY row', c.key_of, rows);
        calls := ARRAY[format(query, 0), CASE c.kind WHEN 'rs' THEN format(query, 1) END];
        FOR found IN
            SELECT d.* FROM (
                SELECT format('SELECT a, b, similarity, rank::bigint FROM knn_join(%L, %s, %s, %L, %L)', calls[1], k, c.threshold, c.measure, calls[2]),
                       format('SELECT a, b, value, place FROM nearest WHERE key_of = %L AND kind = %L AND measure = %L AND distance <= %s AND place <= %s',
                              c.key_of, c.kind, c.measure, c.most, k) FROM unnest(nearest) k
                UNION ALL
                SELECT format('SELECT row_number() OVER (), * FROM topk_join(%L, %s, %L, %L)', calls[1], k, c.measure, calls[2]),
                       format('SELECT place, a, b, value FROM best WHERE key_of = %L AND kind = %L AND measure = %L AND place <= %s',
                              c.key_of, c.kind, c.measure, k) FROM unnest(best) k WHERE c.is_first
                UNION ALL
                SELECT format('SELECT * FROM match_join(%L, %s, %L, %L)', calls[1], c.threshold, c.measure, calls[2]),
                       format('SELECT * FROM pg_temp.matched(%L, %L, %L, %s)', c.key_of, c.kind, c.measure, c.most) WHERE matches) q (got, want),
                LATERAL pg_temp.compare(got, want) d
        LOOP
            differences := differences + found.differences;
            compared := compared + found.rows;
        END LOOP;
    END LOOP;
END $$;
\set ECHO all
