--
-- clean: the pairs of a merge, and their rows
--

-- The operator by which keys of a type are equal: that of its default class.
CREATE FUNCTION clean_equality(type oid) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    base oid := @extschema@.clean_base(type);
    found oid;
BEGIN
    SELECT m.amopopr INTO found
    FROM pg_opclass AS c JOIN pg_am AS h ON h.oid = c.opcmethod AND h.amname IN ('btree', 'hash')
    JOIN pg_amop AS m ON m.amopfamily = c.opcfamily AND m.amoplefttype = c.opcintype AND m.amoprighttype = c.opcintype
         AND m.amopstrategy = CASE h.amname WHEN 'btree' THEN 3 ELSE 1 END
    JOIN pg_type AS t ON t.oid = base
    WHERE c.opcdefault
          AND (c.opcintype = base
               OR EXISTS (SELECT FROM pg_cast AS b WHERE b.castsource = base AND b.casttarget = c.opcintype AND b.castmethod = 'b' AND b.castcontext = 'i')
               OR c.opcintype = CASE WHEN t.typcategory = 'A' THEN 'anyarray'::regtype WHEN t.typtype = 'e' THEN 'anyenum'::regtype
                                     WHEN t.typtype = 'r' THEN 'anyrange'::regtype WHEN t.typtype = 'm' THEN 'anymultirange'::regtype
                                     WHEN t.typtype = 'c' THEN 'record'::regtype END)
    ORDER BY c.opcintype <> base, h.amname, (SELECT p.typispreferred FROM pg_type AS p WHERE p.oid = c.opcintype) DESC LIMIT 1;
    IF found IS NULL THEN
        RAISE EXCEPTION 'values of type % cannot be compared', format_type(type, -1) USING ERRCODE = 'undefined_function';
    END IF;
    RETURN @extschema@.clean_operator(found);
END $$;
COMMENT ON FUNCTION clean_equality(oid) IS 'internal: the operator by which values of a type are equal';

-- A key of another type is cast to the type of the column, which may round it: 1.4 is no row 1. So the cast must lead back. A text is
-- read as the type's input reads it, but may be longer than a column of texts holds.
CREATE FUNCTION clean_lost(reached clean_table, key name, pairs text, path text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own pg_type := (SELECT t FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = @extschema@.clean_base(a.atttypid) WHERE a.attrelid = reached.rel AND a.attname = key);
    types oid[];
    given record;
    expressions text[] := '{}';
BEGIN
    PERFORM set_config('search_path', path, true);
    -- The row of NULLs tells the types.
    EXECUTE pg_catalog.format('SELECT ARRAY[pg_catalog.pg_typeof(q.gone)::pg_catalog.oid, pg_catalog.pg_typeof(q.kept)::pg_catalog.oid]
                               FROM (SELECT) AS o LEFT JOIN (SELECT * FROM (%s) AS q (gone, kept) LIMIT 0) AS q ON true', pairs) INTO types;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    FOR given IN
        SELECT c.name, t.oid AS type, EXISTS (SELECT FROM pg_cast AS p WHERE p.castsource = own.oid AND p.casttarget = t.oid) AS leads_back,
               t.typcategory = 'S' AND own.typcategory <> 'S' AS is_read, own.typcategory = 'S' AS is_written
        FROM unnest('{gone,kept}'::text[], types) WITH ORDINALITY AS c (name, type, place) JOIN pg_type AS t ON t.oid = @extschema@.clean_base(c.type)
        WHERE t.oid <> own.oid AND t.typtype <> 'p' ORDER BY c.place
    LOOP
        IF given.leads_back AND NOT given.is_read THEN
            expressions := expressions || format('CASE WHEN NOT (q.%1$s %2$s CAST(CAST(q.%1$s AS %3$s) AS %4$s)) THEN pg_catalog.format(''%%s'', q.%1$s) END',
                given.name, @extschema@.clean_equality(given.type), @extschema@.clean_type(own.oid, -1), @extschema@.clean_type(given.type, -1));
        ELSIF NOT given.leads_back AND NOT given.is_read AND NOT given.is_written THEN
            RAISE EXCEPTION 'keys of the pairs are of type %, and column "%" is of type %', format_type(given.type, -1), key, format_type(own.oid, -1)
                USING ERRCODE = 'datatype_mismatch';
        END IF;
    END LOOP;
    RETURN coalesce(nullif(array_to_string(expressions, ', '), ''), 'NULL');
END $$;
COMMENT ON FUNCTION clean_lost(clean_table, name, text, text) IS 'internal: expressions for keys of pairs that are not those of the column, as text, NULL for others';

-- Reads the pairs, and follows chains to the row that stays.
CREATE FUNCTION clean_pairs(reached clean_table, key name, statement text, type text, equal text, path text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    pairs text := @extschema@.clean_scratch('pairs'::text, format('place bigint, gone %1$s, target %1$s, kept %1$s, gone_tab oid, gone_tid tid, kept_tab oid, kept_tid tid, lost text', type));
    rows bigint;
    shown record;
    round int := 0;
BEGIN
    IF statement ~ '^\s*[\w."]+\s*$' THEN
        RAISE EXCEPTION 'pairs must be the text of a query, not a name'
            USING ERRCODE = 'syntax_error', HINT = 'Give the text of a SELECT with two columns, the row that goes and the row that stays.';
    END IF;
    statement := rtrim(statement, E'; \t\r\n') || E'\n';
    rows := @extschema@.clean_execute(format($q$
        INSERT INTO %1$s (place, gone, target, kept, lost)
        SELECT pg_catalog.min(n.place), n.gone, n.kept, n.kept, pg_catalog.min(n.lost)
        FROM (SELECT pg_catalog.row_number() OVER () AS place, q.gone::%2$s AS gone, q.kept::%2$s AS kept, COALESCE(%5$s) AS lost
              FROM (%4$s) AS q (gone, kept)) AS n
        WHERE NOT (n.gone %3$s n.kept) OR n.lost IS NOT NULL GROUP BY n.gone, n.kept
        $q$, pairs, type, equal, statement, @extschema@.clean_lost(reached, key, statement, path)), path, NULL::int4);
    EXECUTE format('SELECT p.lost FROM %s AS p WHERE p.lost IS NOT NULL ORDER BY p.place LIMIT 1', pairs) INTO shown;
    IF shown.lost IS NOT NULL THEN
        RAISE EXCEPTION 'pairs name a row of % that is not there', reached.name
            USING ERRCODE = 'no_data_found', DETAIL = format('No row has %I = %s.', key, shown.lost);
    END IF;
    PERFORM @extschema@.clean_analyze(pairs, rows);
    EXECUTE format('SELECT p.gone, min(p.place) AS place, (array_agg(format(''%%s'', p.kept) ORDER BY p.place))[1:2] AS kept
                    FROM %s AS p GROUP BY p.gone HAVING count(*) > 1 ORDER BY 2 LIMIT 1', pairs)
    INTO shown;
    IF shown.place IS NOT NULL THEN
        RAISE EXCEPTION 'row % would go into two rows, % and %', shown.gone, shown.kept[1], shown.kept[2]
            USING ERRCODE = 'cardinality_violation',
                  HINT = 'Each row that goes must have one row that stays, as near_duplicates and cluster_pairs return them.';
    END IF;
    WHILE rows > 0 LOOP
        EXECUTE format('UPDATE %1$s AS p SET kept = n.kept FROM %1$s AS n WHERE n.gone %2$s p.kept', pairs, equal);
        GET DIAGNOSTICS rows = ROW_COUNT;
        round := round + 1;
        -- Each round doubles the part of a chain that is followed.
        IF round > 60 THEN
            EXECUTE format('WITH RECURSIVE circle (key, path, place) AS (
                                (SELECT p.kept, ARRAY[format(''%%s'', p.kept)], 1 FROM %1$s AS p JOIN %1$s AS n ON n.gone %2$s p.kept ORDER BY p.place LIMIT 1)
                                UNION ALL
                                SELECT p.target, c.path || format(''%%s'', p.target), c.place + 1 FROM circle AS c JOIN %1$s AS p ON p.gone %2$s c.key
                                WHERE c.place = 1 OR c.place < 20 AND c.path[1] <> c.path[c.place])
                            SELECT c.path[1] AS first, array_to_string(c.path, '' into '') AS path FROM circle AS c ORDER BY c.place DESC LIMIT 1', pairs, equal)
            INTO shown;
            RAISE EXCEPTION 'pairs make a circle: % ...', shown.path
                USING ERRCODE = 'invalid_recursion', HINT = 'Of rows that go into each other, one must stay.';
        END IF;
    END LOOP;
    RETURN pairs;
END $$;
COMMENT ON FUNCTION clean_pairs(clean_table, name, text, text, text, text) IS 'internal: reads pairs into a scratch table, each with the row that stays in the end';

-- Takes the rows of the pairs into the scratch table of their table.
CREATE FUNCTION clean_locate(reached clean_table, key name, pairs text, equal text, path text, locks boolean) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place int := array_position(reached.columns, key);
    rows bigint;
    shown record;
BEGIN
    rows := @extschema@.clean_execute(format('
        INSERT INTO %1$s (tab, tid, to_tab, to_tid, goes, moved, settled, stamp%2$s)
        SELECT t.tableoid, t.ctid, t.tableoid, t.ctid, false, false, false, 1%3$s
        FROM %4$s AS t JOIN (SELECT p.gone AS key FROM %5$s AS p UNION SELECT p.kept FROM %5$s AS p) AS q ON q.key %6$s t.%7$I
        ORDER BY t.%7$I%8$s',
        reached.work,
        @extschema@.clean_values(reached, reached.columns, ''::text, ', o%2$s, n%2$s'::text, ''::text),
        @extschema@.clean_values(reached, reached.columns, ''::text, ', t.%3$I, t.%3$I'::text, ''::text),
        reached.source, pairs, equal, key, CASE WHEN locks THEN ' FOR UPDATE OF t' ELSE '' END), path, NULL::int4);
    PERFORM @extschema@.clean_analyze(reached.work, rows);
    EXECUTE format('UPDATE %1$s AS p SET gone_tab = g.tab, gone_tid = g.tid, kept_tab = k.tab, kept_tid = k.tid
                    FROM %2$s AS g, %2$s AS k WHERE g.o%3$s %4$s p.gone AND k.o%3$s %4$s p.kept', pairs, reached.work, place, equal);
    PERFORM @extschema@.clean_analyze(pairs, rows);
    EXECUTE format('SELECT format(''%%s'', q.key) AS key FROM (SELECT p.gone AS key, p.place FROM %1$s AS p UNION ALL SELECT p.kept, p.place FROM %1$s AS p) AS q
                    WHERE NOT EXISTS (SELECT FROM %2$s AS w WHERE w.o%3$s %4$s q.key) ORDER BY q.place LIMIT 1', pairs, reached.work, place, equal)
    INTO shown;
    IF shown.key IS NOT NULL THEN
        RAISE EXCEPTION 'pairs name a row of % that is not there', reached.name
            USING ERRCODE = 'no_data_found', DETAIL = format('No row has %I = %s.', key, shown.key),
                  HINT = 'If rows of the pairs may have gone meanwhile, leave such pairs out in the query.';
    END IF;
    EXECUTE format('SELECT format(''%%s'', w.o%1$s) AS key FROM %2$s AS w GROUP BY w.o%1$s HAVING count(*) > 1 LIMIT 1', place, reached.work) INTO shown;
    IF shown.key IS NOT NULL THEN
        RAISE EXCEPTION 'column "%" of % is no key', key, reached.name
            USING ERRCODE = 'cardinality_violation', DETAIL = format('Several rows have %I = %s.', key, shown.key);
    END IF;
    EXECUTE format('UPDATE %1$s AS w SET goes = true, to_tab = p.kept_tab, to_tid = p.kept_tid, pair = p.place
                    FROM %2$s AS p WHERE p.gone_tab = w.tab AND p.gone_tid = w.tid', reached.work, pairs);
    EXECUTE format('UPDATE %1$s AS w SET settled = true, pair = p.place
                    FROM (SELECT p.kept_tab, p.kept_tid, min(p.place) AS place FROM %2$s AS p GROUP BY p.kept_tab, p.kept_tid) AS p
                    WHERE p.kept_tab = w.tab AND p.kept_tid = w.tid', reached.work, pairs);
    PERFORM @extschema@.clean_analyze(reached.work, rows);
END $$;
COMMENT ON FUNCTION clean_locate(clean_table, name, text, text, text, boolean) IS 'internal: takes the rows of pairs into a scratch table';
