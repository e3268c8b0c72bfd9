--
-- clean: rows that a merge makes refer to themselves, or twice to one row
--

-- A loop is an element of the array of references, too: two lists of columns of one row that a merge makes equal. A reply that
-- becomes its own parent has one in its reference and its key, an edge whose ends become one row in its two references. It
-- stays one, whatever is turned later, since both ends refer to the same row.
CREATE FUNCTION clean_loops(links clean_reference[], rules jsonb) RETURNS SETOF clean_reference
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    WITH link AS (
        SELECT l.*, ARRAY(SELECT p.name FROM unnest(l.parent_columns) AS p (name) ORDER BY p.name) AS sorted,
               ARRAY(SELECT a.attnum FROM pg_attribute AS a WHERE a.attrelid = l.child AND a.attname = ANY (l.child_columns) ORDER BY a.attnum DESC) AS place
        FROM unnest(links) AS l
    ), pair AS (
        SELECT format('%s refers to the row itself', array_to_string(l.child_columns, ', ')) AS shown, l.child, l.source, l.child_columns, l.parent_columns AS others, l.child_parts, l.condition, 0 AS place
        FROM link AS l WHERE l.child = l.parent
        UNION ALL
        SELECT format('%s and %s refer to the same row', array_to_string(a.child_columns, ', '), array_to_string(b.child_columns, ', ')), b.child, b.source, b.child_columns,
               ARRAY(SELECT a.child_columns[array_position(a.parent_columns, p.name)] FROM unnest(b.parent_columns) WITH ORDINALITY AS p (name, place) ORDER BY p.place),
               b.child_parts, nullif(concat_ws(') AND (', a.condition, b.condition), ''), 1
        FROM link AS a JOIN link AS b ON a.child = b.child AND a.parent = b.parent AND a.sorted = b.sorted AND a.place < b.place
             AND a.child_parts IS NOT DISTINCT FROM b.child_parts AND a.parent_parts IS NOT DISTINCT FROM b.parent_parts
        WHERE NOT a.child_columns @> b.child_columns
    )
    SELECT DISTINCT ON (p.place, p.child, p.child_columns, p.others, p.condition)
           p.shown, p.child, p.child, p.source, p.child_columns, p.others, c.operators, NULL::text[], false, p.child_parts, NULL::oid[], p.condition, coalesce(rules ->> p.child::text, 'ask')
    FROM pair AS p,
         LATERAL (SELECT array_agg(@extschema@.clean_comparison(o.atttypid, a.atttypid) ORDER BY k.place) AS operators
                  FROM unnest(p.child_columns, p.others) WITH ORDINALITY AS k (own, other, place)
                  JOIN pg_attribute AS a ON a.attrelid = p.child AND a.attname = k.own JOIN pg_attribute AS o ON o.attrelid = p.child AND o.attname = k.other) AS c
    WHERE array_position(c.operators, NULL) IS NULL
    ORDER BY p.place, p.child, p.child_columns, p.others, p.condition;
END $$;
COMMENT ON FUNCTION clean_loops(clean_reference[], jsonb) IS 'internal: the loops that references can make, with their rules, by the numbers of tables, or "ask"';

-- What the caller says of loops, by the numbers of tables.
CREATE FUNCTION clean_loop_rules(loops jsonb, path text) RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry record;
    rel regclass;
    rules jsonb := '{}';
BEGIN
    IF jsonb_typeof(loops) <> 'object' THEN
        RAISE EXCEPTION 'loops must be an object' USING ERRCODE = 'invalid_parameter_value', HINT = 'Such as {"edges": "delete", "replies": "null"}.';
    END IF;
    FOR entry IN SELECT e.key, e.value FROM jsonb_each(loops) AS e LOOP
        rel := @extschema@.clean_named(entry.key, path);
        IF rel IS NULL THEN
            RAISE EXCEPTION 'loops name a table "%" that does not exist', entry.key USING ERRCODE = 'undefined_table';
        ELSIF entry.value NOT IN ('"delete"', '"null"', '"keep"') THEN
            RAISE EXCEPTION 'there is no rule % for loops', entry.value USING ERRCODE = 'invalid_parameter_value', HINT = 'The rules are delete, null and keep.';
        END IF;
        rules := rules || jsonb_build_object(@extschema@.clean_root(rel::oid), entry.value);
    END LOOP;
    RETURN rules;
END $$;
COMMENT ON FUNCTION clean_loop_rules(jsonb, text) IS 'internal: the rules of loops by the numbers of tables';

-- A row of a scratch table, "w", that stays, and that the merge has made a loop.
CREATE FUNCTION clean_is_loop(reached clean_table, link clean_reference) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('NOT w.goes AND %s AND (%s) IS NOT TRUE%s%s',
                  string_agg(format('w.n%s %s w.n%s', o.place, k.operator, c.place), ' AND '), string_agg(format('w.o%s %s w.o%s', o.place, k.operator, c.place), ' AND '),
                  CASE WHEN link.child_parts IS NULL THEN '' ELSE format(' AND w.tab OPERATOR(pg_catalog.=) ANY (%L::pg_catalog.oid[])', link.child_parts) END,
                  CASE WHEN link.condition IS NULL THEN ''
                       ELSE format(' AND EXISTS (SELECT FROM %s AS t WHERE t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid AND (%s))', link.source, link.condition) END)
    FROM unnest(link.child_columns, link.parent_columns, link.operators) AS k (own, other, operator),
         array_position(reached.columns, k.own) AS c (place), array_position(reached.columns, k.other) AS o (place)
$$;
COMMENT ON FUNCTION clean_is_loop(clean_table, clean_reference) IS 'internal: a condition for rows of a scratch table that have become loops';

-- A statement that lets loops go, or has the later end refer to nothing. Where none of its columns can be NULL, there is none.
CREATE FUNCTION clean_break(reached clean_table, link clean_reference, since int4) RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    cut name[] := ARRAY(SELECT a.attname FROM pg_attribute AS a
                        WHERE a.attrelid = reached.rel AND a.attname = ANY (link.child_columns) AND a.attname <> ALL (link.parent_columns) AND NOT a.attnotnull);
BEGIN
    IF link.rule = 'null' AND cut = '{}' THEN
        RETURN '{}';
    END IF;
    RETURN ARRAY[format('UPDATE %s AS w SET stamp = $1, %s WHERE w.stamp OPERATOR(pg_catalog.>) %s AND %s', reached.work,
        CASE WHEN link.rule = 'null' THEN format('moved = true, cut = w.cut OPERATOR(pg_catalog.||) %L::pg_catalog.name[]%s', cut, @extschema@.clean_values(reached, cut, ''::text, ', n%2$s = NULL'::text, ''::text))
             ELSE 'goes = true, to_tab = NULL, to_tid = NULL' END,
        since, @extschema@.clean_is_loop(reached, link))];
END $$;
COMMENT ON FUNCTION clean_break(clean_table, clean_reference, int4) IS 'internal: a statement that breaks loops by their rule; since: the step up to which changes are known';

CREATE FUNCTION clean_fetch(statement text, path text) RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found pg_catalog.jsonb;
BEGIN
    PERFORM set_config('search_path', path, true);
    EXECUTE statement INTO found;
    RETURN found;
END $$;
COMMENT ON FUNCTION clean_fetch(text, text) IS 'internal: runs a query with a search path, and returns its first value';

-- Tells loops without a rule. A row that goes because it is a loop has none that stays for it: so nothing may refer to it,
-- and no pair may say that it stays.
CREATE FUNCTION clean_check_loops(tables clean_table[], links clean_reference[], run_path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    link @extschema@.clean_reference;
    parent @extschema@.clean_table;
    child @extschema@.clean_table;
    is_row text := 't.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid';
    shown jsonb;
    rows bigint;
BEGIN
    FOR link IN SELECT l.* FROM unnest(links) AS l ORDER BY l.rule IS NULL LOOP
        SELECT t.* INTO parent FROM unnest(tables) AS t WHERE t.rel = link.parent;
        SELECT t.* INTO child FROM unnest(tables) AS t WHERE t.rel = link.child;
        IF link.rule IS NOT NULL THEN
            shown := @extschema@.clean_fetch(format('SELECT pg_catalog.jsonb_build_array(pg_catalog.count(*), (pg_catalog.array_agg(pg_catalog.to_jsonb(t.*) ORDER BY pg_catalog.to_jsonb(t.*)))[1]) FROM %s AS w JOIN %s AS t ON %s WHERE %s', child.work, child.source, is_row,
                                                    CASE WHEN link.rule = 'delete' THEN 'w.settled AND w.goes AND w.to_tab IS NULL' ELSE @extschema@.clean_is_loop(child, link) END), run_path);
            rows := (shown -> 0)::bigint;
            CONTINUE WHEN rows = 0;
            IF link.rule = 'ask' THEN
                RAISE NOTICE 'the merge makes loops in %: % (% %)', child.name, link.shown, rows, CASE WHEN rows = 1 THEN 'row' ELSE 'rows' END
                    USING DETAIL = format('One of them is %s.', shown -> 1),
                          HINT = format('Say what becomes of them, such as loops => %L; the rules are delete, null and keep.', jsonb_build_object(child.name, 'keep'));
            ELSIF link.rule = 'null' THEN
                RAISE EXCEPTION 'loops in % cannot be broken by null: %', child.name, link.shown
                    USING ERRCODE = 'not_null_violation', DETAIL = format('A column that cannot be null refers in row %s.', shown -> 1);
            ELSE
                RAISE EXCEPTION 'a row of % that should stay is a loop, which would be deleted', child.name
                    USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', shown -> 1), HINT = 'The rules null and keep have it stay.';
            END IF;
        ELSIF EXISTS (SELECT FROM unnest(links) AS l WHERE l.child = parent.rel AND l.rule = 'delete') THEN
            shown := @extschema@.clean_fetch(format('
                SELECT pg_catalog.to_jsonb(t.*) FROM %1$s AS t JOIN (
                    SELECT w.tab, w.tid FROM %2$s AS w JOIN %3$s AS k ON %4$s WHERE NOT w.goes AND k.goes AND k.to_tab IS NULL
                    UNION ALL
                    SELECT t.tableoid, t.ctid FROM %1$s AS t JOIN %3$s AS k ON %5$s
                    WHERE k.goes AND k.to_tab IS NULL AND NOT EXISTS (SELECT FROM %2$s AS w WHERE %6$s)) AS w ON %6$s%7$s LIMIT 1',
                link.source, child.work, parent.work,
                (SELECT string_agg(format('k.o%s %s w.n%s', array_position(parent.columns, c.parent), c.operator, array_position(child.columns, c.child)), ' AND ') FROM unnest(link.parent_columns, link.operators, link.child_columns) AS c (parent, operator, child)),
                (SELECT string_agg(format('k.o%s %s t.%I', array_position(parent.columns, c.parent), c.operator, c.child), ' AND ') FROM unnest(link.parent_columns, link.operators, link.child_columns) AS c (parent, operator, child)),
                is_row, CASE WHEN link.condition IS NULL THEN '' ELSE format(' WHERE (%s)', link.condition) END), run_path);
            IF shown IS NOT NULL THEN
                RAISE EXCEPTION 'a row of % refers to a loop of %, which would be deleted', child.name, parent.name
                    USING ERRCODE = 'foreign_key_violation', DETAIL = format('Row %s refers to it by %s.', shown, link.shown), HINT = 'The rules null and keep have the loop stay.';
            END IF;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_check_loops(clean_table[], clean_reference[], text) IS
'internal: a notice of loops without a rule, and an error if a rule cannot be followed';
