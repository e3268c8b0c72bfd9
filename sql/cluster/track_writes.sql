--
-- cluster: what the triggers of a tracked table call
--

CREATE FUNCTION neardup_track_lock(rel regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry @extschema@.neardup_tracked := @extschema@.neardup_track_entry(rel, true);
BEGIN
    EXECUTE format('SELECT FROM %s FOR NO KEY UPDATE', entry.state);
END $$;
COMMENT ON FUNCTION neardup_track_lock(regclass) IS
'tracking: waits until no other transaction that writes to the table is under way';

-- An update, not only a lock, so that a transaction whose snapshot is older
-- than this change fails to serialize instead of clustering what it sees.
CREATE FUNCTION neardup_track_begin(entry neardup_tracked) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    changed bigint;
BEGIN
    EXECUTE format('UPDATE %s SET changes = changes + 1', entry.state);
    GET DIAGNOSTICS changed = ROW_COUNT;
    IF changed <> 1 THEN
        RAISE EXCEPTION 'table % must have one row', entry.state
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = format('It has %s.', changed);
    END IF;
END $$;
COMMENT ON FUNCTION neardup_track_begin(neardup_tracked) IS
'tracking: marks that the clusters change, after which no other transaction can change them';

-- By operator class, since the search path is none that a type's own schema is in.
CREATE FUNCTION neardup_track_equality(entry neardup_tracked) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT format('OPERATOR(%I.%s)', n.nspname, o.oprname)
        FROM pg_index AS i
        JOIN pg_opclass AS c ON c.oid = i.indclass[0]
        JOIN pg_amop AS a ON a.amopfamily = c.opcfamily AND a.amopstrategy = 3
            AND a.amoplefttype = c.opcintype AND a.amoprighttype = c.opcintype
        JOIN pg_operator AS o ON o.oid = a.amopopr
        JOIN pg_namespace AS n ON n.oid = o.oprnamespace
        WHERE i.indrelid = entry.members AND i.indisprimary);
END $$;
COMMENT ON FUNCTION neardup_track_equality(neardup_tracked) IS
'tracking: the equality of keys, as an operator with its schema';

CREATE FUNCTION neardup_track_change(rel regclass, operation text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry @extschema@.neardup_tracked := @extschema@.neardup_track_entry(rel, true);
    -- The columns of the trigger neardup_lock: the key, and what the expression reads.
    columns name[] := ARRAY(
        SELECT a.attname FROM pg_trigger AS g, unnest(g.tgattr) WITH ORDINALITY AS u (attnum, place), pg_attribute AS a
        WHERE g.tgrelid = rel AND g.tgname = 'neardup_lock' AND a.attrelid = rel AND a.attnum = u.attnum
        ORDER BY u.place);
    call text := format('SELECT @extschema@.neardup_track_written(%L::regclass, ROW(array_agg(DISTINCT', rel::oid);
BEGIN
    IF cardinality(columns) = 0 THEN
        RAISE EXCEPTION 'table % has lost the trigger neardup_lock', rel
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call neardup_untrack and neardup_track anew.';
    END IF;
    CASE operation
        WHEN 'INSERT' THEN
            RETURN format('%s n.%I))) FROM new_rows AS n', call, columns[1]);
        WHEN 'DELETE' THEN
            RETURN format('%s o.%I))) FROM old_rows AS o', call, columns[1]);
        WHEN 'UPDATE' THEN
            RETURN format('%1$s coalesce(n.%2$I, o.%2$I)))) FROM old_rows AS o FULL JOIN new_rows AS n ON n.%2$I %3$s o.%2$I
                WHERE n.%2$I IS NULL OR o.%2$I IS NULL OR ROW(%4$s)::record OPERATOR(pg_catalog.*<>) ROW(%5$s)::record',
                call, columns[1], @extschema@.neardup_track_equality(entry),
                (SELECT string_agg(format('o.%I', c), ', ') FROM unnest(columns) AS c),
                (SELECT string_agg(format('n.%I', c), ', ') FROM unnest(columns) AS c));
        WHEN 'TRUNCATE' THEN
            PERFORM @extschema@.neardup_track_begin(entry);
            RETURN format('TRUNCATE %s', entry.members);
    END CASE;
END $$;
COMMENT ON FUNCTION neardup_track_change(regclass, text) IS
'tracking: the statement by which a trigger of the table, with its transition tables, records what was written';

CREATE FUNCTION neardup_track_merge(entry neardup_tracked, edges_query text, newest bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
    -- Rows that are new stand in clusters of their own numbers, and have no say in which cluster keeps its own.
    EXECUTE format($q$
        WITH part AS MATERIALIZED (
            SELECT id AS cluster, cluster AS part FROM @extschema@.neardup_clusters($1, 'connected'::text, NULL::integer)
        ), sized AS (
            SELECT p.part, p.cluster, count(*) FILTER (WHERE m.member <= $2 OR m.cluster <> m.member) AS members
            FROM part AS p JOIN %1$s AS m ON m.cluster = p.cluster
            GROUP BY p.part, p.cluster
        ), ranked AS MATERIALIZED (
            SELECT cluster, members,
                   first_value(cluster) OVER (PARTITION BY part ORDER BY members DESC, cluster) AS kept
            FROM sized
        ), moved AS (
            UPDATE %1$s AS m SET cluster = r.kept FROM ranked AS r WHERE m.cluster = r.cluster AND r.cluster <> r.kept
        )
        INSERT INTO %2$s (event, cluster, other, members)
        SELECT 'merge', kept, cluster, members FROM ranked WHERE cluster <> kept AND members > 0 ORDER BY kept, cluster
        $q$, entry.members, entry.log)
    USING edges_query, newest;
END $$;
COMMENT ON FUNCTION neardup_track_merge(neardup_tracked, text, bigint) IS
'tracking: merges clusters along the edges (cluster, cluster) of a query; members above newest are new';

CREATE FUNCTION neardup_track_relabel(
    entry neardup_tracked, clusters bigint[], newest bigint,
    OUT key text, OUT recorded bigint, OUT computed bigint)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    chosen text := CASE WHEN clusters IS NULL THEN 'true' ELSE format('cluster = ANY (%L::bigint[])', clusters) END;
    -- Equal sets are joined as one, so that copies cost no pairs.
    sets text := format('SELECT min(member), tokens FROM %s WHERE %s AND @extschema@.cardinality(tokens) > 0 GROUP BY tokens',
                        entry.members, chosen);
    pairs text := format('SELECT a, b FROM @extschema@.ppjoin(%L::text, (SELECT t.threshold FROM @extschema@.neardup_tracked AS t WHERE t.rel = %L::regclass),
                                                    ''jaccard''::text, ''auto''::text)',
                         sets, entry.rel::oid);
BEGIN
    RETURN QUERY EXECUTE format($q$
        WITH label AS MATERIALIZED (
            SELECT id, cluster FROM @extschema@.neardup_clusters($1, 'connected'::text, NULL::integer)
        ), chosen AS MATERIALIZED (
            SELECT member, cluster,
                   CASE WHEN @extschema@.cardinality(tokens) > 0 THEN min(member) OVER (PARTITION BY tokens) ELSE member END AS first_copy
            FROM %1$s WHERE %3$s
        ), part AS MATERIALIZED (
            SELECT c.member, c.cluster, coalesce(l.cluster, c.first_copy) AS part
            FROM chosen AS c LEFT JOIN label AS l ON l.id = c.first_copy
        ), shared AS (
            SELECT part, cluster, count(*) FILTER (WHERE member <= $2 OR cluster <> member) AS members, min(member) AS oldest
            FROM part GROUP BY part, cluster
        ), claim AS (
            SELECT DISTINCT ON (cluster) cluster, part, members FROM shared ORDER BY cluster, members DESC, oldest
        ), kept AS (
            SELECT DISTINCT ON (part) part, cluster FROM claim ORDER BY part, members DESC, cluster
        ), named AS MATERIALIZED (
            SELECT p.part, coalesce(k.cluster, nextval(%4$L)) AS cluster
            FROM (SELECT DISTINCT part FROM part ORDER BY part) AS p LEFT JOIN kept AS k ON k.part = p.part
        ), moved AS (
            UPDATE %1$s AS m SET cluster = n.cluster
            FROM part AS p JOIN named AS n ON n.part = p.part
            WHERE m.member = p.member AND p.cluster <> n.cluster
            RETURNING m.key::text, m.member, p.cluster AS recorded, n.cluster AS computed
        ), old_moved AS MATERIALIZED (
            SELECT * FROM moved AS m WHERE m.member <= $2 OR m.recorded <> m.member
        ), logged AS (
            INSERT INTO %2$s (event, cluster, other, members)
            SELECT event, CASE event WHEN 'split' THEN recorded ELSE computed END,
                          CASE event WHEN 'split' THEN computed ELSE recorded END, members
            FROM (SELECT CASE WHEN EXISTS (SELECT FROM named AS n WHERE n.cluster = m.recorded) THEN 'split' ELSE 'merge' END AS event,
                         m.recorded, m.computed, count(*) AS members
                  FROM old_moved AS m GROUP BY m.recorded, m.computed) AS e
            ORDER BY 1, 2, 3
        )
        SELECT m.key, m.recorded, m.computed FROM old_moved AS m
        $q$, entry.members, entry.log, chosen, pg_get_serial_sequence(entry.members::text, 'member'))
    USING pairs, newest;
END $$;
COMMENT ON FUNCTION neardup_track_relabel(neardup_tracked, bigint[], bigint) IS
'tracking: computes chosen clusters (NULL: all) anew, and returns the rows that were in a wrong one; members above newest are new';

CREATE FUNCTION neardup_track_connected(entry neardup_tracked, part bigint, former tokenset[], newest bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- Rows that hang together by a path through what has gone: if these are
    -- connected without it, the cluster is.
    seeds bigint[];
    found bigint[];
    reached bigint[];
    unreached bigint[];
    tokens @extschema@.tokenset;
BEGIN
    EXECUTE format('SELECT coalesce(array_agg(member), ''{}'') FROM %s WHERE cluster = $1 AND member > $2', entry.members)
        INTO seeds USING part, newest;
    FOREACH tokens IN ARRAY former LOOP
        -- A copy that stays has all the neighbours that the row had.
        EXECUTE format('
            SELECT coalesce(
                (SELECT ARRAY[member] FROM %1$s WHERE tokens OPERATOR(@extschema@.=) $1 AND cluster = $2 LIMIT 1),
                (SELECT array_agg(member) FROM %1$s WHERE cluster = $2 AND @extschema@.jaccard_ge(tokens, $1, $3)),
                ''{}'')', entry.members)
            INTO found USING tokens, part, entry.threshold;
        seeds := ARRAY(SELECT unnest(seeds) UNION SELECT unnest(found));
    END LOOP;

    reached := seeds[1:1];
    unreached := seeds[2:];
    -- In a dense cluster a few rows reach all; a sparse one is left to the join.
    FOR i IN 1 .. 8 LOOP
        IF cardinality(unreached) = 0 THEN
            RETURN true;
        END IF;
        EXIT WHEN i > cardinality(reached);
        EXECUTE format('
            SELECT coalesce(array_agg(u.member), ''{}'') FROM %1$s AS u
            WHERE u.cluster = $1 AND u.member = ANY ($3)
              AND @extschema@.jaccard_ge(u.tokens, (SELECT r.tokens FROM %1$s AS r WHERE r.cluster = $1 AND r.member = $2), $4)',
            entry.members)
            INTO found USING part, reached[i], unreached, entry.threshold;
        reached := reached || found;
        unreached := ARRAY(SELECT unnest(unreached) EXCEPT SELECT unnest(found));
    END LOOP;
    RETURN cardinality(unreached) = 0;
END $$;
COMMENT ON FUNCTION neardup_track_connected(neardup_tracked, bigint, tokenset[], bigint) IS
'tracking: whether a cluster that has lost these sets is seen to be connected without much work';

CREATE FUNCTION neardup_track_sync(rel regclass, keys anyarray) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    entry @extschema@.neardup_tracked;
    equality text;
    numbers text;
    newest bigint;
    member bigint;
    part bigint;
    same boolean;
    tokens @extschema@.tokenset;
    hits bigint[];
    edges_a bigint[] := '{}';
    edges_b bigint[] := '{}';
    touched bigint[];
    former @extschema@.tokenset[];
    arrivals bigint;
    -- So many rows are looked up in the index, one by one; more are joined.
    few boolean := cardinality(keys) <= 100;
BEGIN
    IF coalesce(cardinality(keys), 0) = 0 THEN
        RETURN;
    END IF;
    entry := @extschema@.neardup_track_entry(rel, true);
    equality := @extschema@.neardup_track_equality(entry);
    numbers := pg_get_serial_sequence(entry.members::text, 'member');

    IF cardinality(keys) = 1 THEN
        EXECUTE format('
            SELECT m.member, m.tokens OPERATOR(@extschema@.=) s.tokens, s.tokens
            FROM (SELECT ($1)[1] AS key) AS k LEFT JOIN %s AS s ON s.key %s k.key LEFT JOIN %s AS m ON m.key %2$s k.key',
            entry.source, equality, entry.members)
            INTO member, same, tokens USING keys;
        IF same OR (member IS NULL AND tokens IS NULL) THEN
            RETURN;
        END IF;
        PERFORM @extschema@.neardup_track_begin(entry);
        IF member IS NULL THEN
            -- One new row: its cluster is found first, so that it is written once. A copy is in the right one.
            IF @extschema@.cardinality(tokens) > 0 THEN
                EXECUTE format('
                    SELECT coalesce(
                        (SELECT ARRAY[cluster] FROM %1$s WHERE tokens OPERATOR(@extschema@.=) $1 LIMIT 1),
                        (SELECT array_agg(DISTINCT cluster) FROM %1$s WHERE @extschema@.jaccard_ge(tokens, $1, $2)))', entry.members)
                    INTO hits USING tokens, entry.threshold;
            END IF;
            IF cardinality(hits) > 1 THEN
                PERFORM @extschema@.neardup_track_merge(
                    entry, format('SELECT %s, unnest(%L::bigint[])', hits[1], hits[2:]), 9223372036854775807);
                EXECUTE format('SELECT cluster FROM %s WHERE cluster = ANY ($1) LIMIT 1', entry.members) INTO part USING hits;
            ELSE
                part := hits[1];
            END IF;
            EXECUTE format('
                INSERT INTO %s (key, member, cluster, tokens)
                SELECT ($1)[1], n.number, coalesce($2, n.number), $3 FROM (SELECT nextval(%L) AS number) AS n', entry.members, numbers)
                USING keys, part, tokens;
            RETURN;
        END IF;
    ELSE
        PERFORM @extschema@.neardup_track_begin(entry);
    END IF;

    -- Record what the keys have now. Rows that are new or have another set get
    -- numbers above newest; a new row is a cluster of its own for a moment.
    newest := nextval(numbers);
    EXECUTE format($q$
        WITH current AS MATERIALIZED (
            SELECT k.key, s.tokens FROM unnest($1) AS k (key) LEFT JOIN %1$s AS s ON s.key %3$s k.key
        ), gone AS (
            DELETE FROM %2$s AS m USING current AS c WHERE m.key %3$s c.key AND c.tokens IS NULL
            RETURNING m.cluster, m.tokens
        ), was AS MATERIALIZED (
            SELECT m.key, m.cluster, m.tokens, c.tokens AS new_tokens
            FROM current AS c JOIN %2$s AS m ON m.key %3$s c.key
            WHERE m.tokens OPERATOR(@extschema@.<>) c.tokens
        ), changed AS (
            UPDATE %2$s AS m SET tokens = w.new_tokens, member = nextval(%4$L)
            FROM was AS w WHERE m.key %3$s w.key
            RETURNING w.cluster, w.tokens
        ), arrived AS (
            INSERT INTO %2$s (key, member, cluster, tokens)
            SELECT n.key, n.number, n.number, n.tokens
            FROM (SELECT c.key, c.tokens, nextval(%4$L) AS number
                  FROM (SELECT c.key, c.tokens FROM current AS c
                        WHERE c.tokens IS NOT NULL AND NOT EXISTS (SELECT FROM %2$s AS m WHERE m.key %3$s c.key)
                        ORDER BY c.key) AS c) AS n
            RETURNING cluster
        ), lost AS (
            SELECT cluster, tokens FROM gone UNION ALL SELECT cluster, tokens FROM changed
        )
        SELECT array_agg(cluster), array_agg(tokens) FILTER (WHERE $2),
               (SELECT count(*) FROM changed) + (SELECT count(*) FROM arrived)
        FROM lost
        $q$, entry.source, entry.members, equality, numbers)
        INTO touched, former, arrivals USING keys, few;

    -- Split the clusters that have lost a row, where they do not hang together.
    IF touched IS NOT NULL THEN
        EXECUTE format('
            SELECT array_agg(cluster) FROM (
                SELECT cluster FROM %s WHERE cluster = ANY ($1) GROUP BY cluster HAVING count(*) > 1) AS c', entry.members)
            INTO hits USING touched;
        IF few THEN
            hits := ARRAY(
                SELECT h.cluster FROM unnest(hits) AS h (cluster)
                WHERE NOT @extschema@.neardup_track_connected(entry, h.cluster,
                    ARRAY(SELECT former[i] FROM generate_subscripts(touched, 1) AS i
                          WHERE touched[i] = h.cluster AND @extschema@.cardinality(former[i]) > 0), newest));
        END IF;
        IF cardinality(hits) > 0 THEN
            PERFORM @extschema@.neardup_track_relabel(entry, hits, newest);
        END IF;
    END IF;

    -- Merge what the new sets are similar to.
    IF arrivals = 0 THEN
        RETURN;
    END IF;
    IF few THEN
        FOR part, tokens IN EXECUTE format('
            SELECT m.cluster, m.tokens FROM unnest($1) AS k (key) JOIN %s AS m ON m.key %s k.key
            WHERE m.member > $2 AND @extschema@.cardinality(m.tokens) > 0', entry.members, equality) USING keys, newest
        LOOP
            EXECUTE format('
                SELECT array_agg(DISTINCT cluster) FROM %s WHERE @extschema@.jaccard_ge(tokens, $1, $2) AND cluster <> $3', entry.members)
                INTO hits USING tokens, entry.threshold, part;
            edges_a := edges_a || array_fill(part, ARRAY[coalesce(cardinality(hits), 0)]);
            edges_b := edges_b || hits;
        END LOOP;
        IF cardinality(edges_a) > 0 THEN
            PERFORM @extschema@.neardup_track_merge(
                entry, format('SELECT * FROM unnest(%L::bigint[], %L::bigint[])', edges_a, edges_b), newest);
        END IF;
    ELSE
        -- Equal sets may stand in several clusters until they are merged here.
        PERFORM @extschema@.neardup_track_merge(entry, format($q$
            SELECT a, b FROM @extschema@.ppjoin(%1$L::text, %2$L::text,
                (SELECT t.threshold FROM @extschema@.neardup_tracked AS t WHERE t.rel = %3$L::regclass), 'jaccard'::text, 'auto'::text)
            $q$,
            format('SELECT min(cluster), tokens FROM %s WHERE member > %s GROUP BY tokens', entry.members, newest),
            format('SELECT DISTINCT cluster, tokens FROM %s', entry.members), rel::oid), newest);
    END IF;
END $$;
COMMENT ON FUNCTION neardup_track_sync(regclass, anyarray) IS
'tracking: records what rows of these keys the table has now, and splits and merges clusters accordingly';

CREATE FUNCTION neardup_track_written(rel regclass, keys record) RETURNS void
AS 'MODULE_PATHNAME', 'neardup_track_written'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION neardup_track_written(regclass, record) IS
'tracking: calls neardup_track_sync with an array of any type, the only column of keys';
