--
-- clean: several rows become one
--

-- Runs a statement with the caller's search path: what he wrote, and what fires triggers.
CREATE FUNCTION clean_execute(statement text, path text, step int4 DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rows bigint;
BEGIN
    PERFORM set_config('search_path', path, true);
    EXECUTE statement USING step;
    GET DIAGNOSTICS rows = ROW_COUNT;
    RETURN rows;
END $$;
COMMENT ON FUNCTION clean_execute(text, text, int4) IS 'internal: runs a statement with a search path, and returns the number of rows';

-- The operator by which keys of a type are equal: that of its default class.
CREATE FUNCTION clean_equality(type oid) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    base oid := type;
    found oid;
BEGIN
    WHILE (SELECT t.typtype FROM pg_type AS t WHERE t.oid = base) = 'd' LOOP
        base := (SELECT t.typbasetype FROM pg_type AS t WHERE t.oid = base);
    END LOOP;
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

-- Reads the pairs, and follows chains to the row that stays.
CREATE FUNCTION clean_pairs(statement text, type text, equal text, path text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    pairs text := @extschema@.clean_scratch('pairs'::text, format('place bigint, gone %1$s, target %1$s, kept %1$s, gone_tab oid, gone_tid tid, kept_tab oid, kept_tid tid', type));
    rows bigint;
    shown record;
    round int := 0;
BEGIN
    IF statement ~ '^\s*[\w."]+\s*$' THEN
        RAISE EXCEPTION 'pairs must be the text of a query, not a name'
            USING ERRCODE = 'syntax_error', HINT = 'Give the text of a SELECT with two columns, the row that goes and the row that stays.';
    END IF;
    rows := @extschema@.clean_execute(format($q$
        INSERT INTO %1$s (place, gone, target, kept)
        SELECT pg_catalog.min(n.place), n.gone, n.kept, n.kept
        FROM (SELECT pg_catalog.row_number() OVER () AS place, q.gone::%2$s AS gone, q.kept::%2$s AS kept
              FROM (%4$s
              ) AS q (gone, kept)) AS n
        WHERE NOT (n.gone %3$s n.kept) GROUP BY n.gone, n.kept
        $q$, pairs, type, equal, rtrim(statement, E'; \t\r\n')), path, NULL::int4);
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
            RAISE EXCEPTION 'pairs make a circle: % …', shown.path
                USING ERRCODE = 'invalid_recursion', HINT = 'Of rows that go into each other, one must stay.';
        END IF;
    END LOOP;
    RETURN pairs;
END $$;
COMMENT ON FUNCTION clean_pairs(text, text, text, text) IS 'internal: reads pairs into a scratch table, each with the row that stays in the end';

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

-- Turns references, lets rows go that have become the same, and goes on with what refers to these.
CREATE FUNCTION clean_spread(tables clean_table[], links clean_reference[], rules jsonb, path text, locks boolean) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    numbers oid[] := ARRAY(SELECT t.rel FROM unnest(tables) AS t);
    latest int[] := array_fill(0, ARRAY[cardinality(tables)]);
    met int[] := latest;
    seen int[] := array_fill(0, ARRAY[cardinality(links)]);
    step int := 1;
    child @extschema@.clean_table;
    own jsonb;
    parent int;
    before int;
    found bigint;
    statement text;
    index oid;
    is_stable boolean;
BEGIN
    latest[1] := 1;
    LOOP
        is_stable := true;
        FOR c IN 1 .. cardinality(tables) LOOP
            child := tables[c];
            own := rules -> child.rel::text;
            before := latest[c];
            FOR l IN 1 .. cardinality(links) LOOP
                parent := array_position(numbers, links[l].parent);
                CONTINUE WHEN links[l].child <> child.rel OR latest[parent] <= seen[l];
                step := step + 1;
                FOREACH statement IN ARRAY @extschema@.clean_turn(child, tables[parent], links[l], locks) LOOP
                    found := @extschema@.clean_run(statement, step, seen[l], child.work);
                    IF found > 0 THEN
                        latest[c] := step;
                    END IF;
                END LOOP;
                seen[l] := step - 1;
            END LOOP;
            IF child.may_go AND latest[c] > met[c] AND child.turned <> '{}' THEN
                FOR index IN SELECT x.index FROM @extschema@.clean_constraints(child.rel) AS x (index)
                             WHERE @extschema@.clean_constraint_columns(x.index) && child.turned LOOP
                    LOOP
                        step := step + 1;
                        EXIT WHEN @extschema@.clean_collide(child, index, step, met[c], locks, own IS NOT NULL) = 0;
                        latest[c] := step;
                        IF own <> '{}' THEN
                            PERFORM @extschema@.clean_execute(@extschema@.clean_fold(child, own), path, step);
                        END IF;
                    END LOOP;
                END LOOP;
                met[c] := step;
            END IF;
            is_stable := is_stable AND latest[c] = before;
        END LOOP;
        EXIT WHEN is_stable;
        IF step > 10000 THEN
            RAISE EXCEPTION 'references of % cannot be turned', tables[1].name
                USING ERRCODE = 'statement_too_complex', DETAIL = 'Each turn of a foreign key changes the key of another row.';
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_spread(clean_table[], clean_reference[], jsonb, text, boolean) IS
'internal: turns references to rows that go in the scratch tables, the first of which has the pairs'' rows';

-- A key that a row gives up and another takes keeps those who refer to it, but an action of their foreign key would reach
-- them: ON DELETE CASCADE deletes them.
CREATE FUNCTION clean_check_actions(tables clean_table[], links clean_reference[]) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    link @extschema@.clean_reference;
    parent @extschema@.clean_table;
    is_taken boolean;
BEGIN
    FOREACH link IN ARRAY links LOOP
        CONTINUE WHEN NOT link.acts;
        SELECT t.* INTO parent FROM unnest(tables) AS t WHERE t.rel = link.parent;
        EXECUTE format('SELECT EXISTS (SELECT FROM %1$s AS k JOIN %1$s AS g ON %2$s
                        WHERE NOT g.goes AND ROW(%3$s)::record *<> ROW(%4$s)::record AND (g.tab <> k.tab OR g.tid <> k.tid)
                              AND (k.goes OR ROW(%5$s)::record *<> ROW(%6$s)::record))', parent.work,
                       (SELECT string_agg(format('k.o%1$s %2$s g.n%1$s', array_position(parent.columns, c.name), c.operator), ' AND ')
                        FROM unnest(link.parent_columns, link.parent_operators) AS c (name, operator)),
                       @extschema@.clean_values(parent, link.parent_columns, 'g.o'::text, '%s%s'::text, ', '::text),
                       @extschema@.clean_values(parent, link.parent_columns, 'g.n'::text, '%s%s'::text, ', '::text),
                       @extschema@.clean_values(parent, link.parent_columns, 'k.o'::text, '%s%s'::text, ', '::text),
                       @extschema@.clean_values(parent, link.parent_columns, 'k.n'::text, '%s%s'::text, ', '::text))
        INTO is_taken;
        IF is_taken THEN
            RAISE EXCEPTION 'a row of % would take the key of another, to which foreign key "%" refers', parent.name, link.name
                USING ERRCODE = 'feature_not_supported', DETAIL = 'The action of the foreign key would reach the rows that refer to the key.',
                      HINT = format('Keep %s as the row that stays has it, or have the foreign key without an action.', array_to_string(link.parent_columns, ', '));
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_check_actions(clean_table[], clean_reference[]) IS 'internal: an error if the action of a foreign key would reach rows that it should not';

-- What the last statement will do with the rows of a table, and the columns that some of them change.
CREATE FUNCTION clean_changes(reached clean_table, OUT gone bigint, OUT changed bigint, OUT columns name[])
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    flags boolean[];
BEGIN
    EXECUTE format('SELECT count(*) FILTER (WHERE w.goes), count(*) FILTER (WHERE NOT w.goes AND ROW(%s)::record *<> ROW(%s)::record), ARRAY[%s]::boolean[]
                    FROM %s AS w',
                   @extschema@.clean_values(reached, reached.columns, 'w.o'::text, '%s%s'::text, ', '::text),
                   @extschema@.clean_values(reached, reached.columns, 'w.n'::text, '%s%s'::text, ', '::text),
                   @extschema@.clean_values(reached, reached.columns, ''::text,
                       'coalesce(bool_or(ROW(w.o%2$s)::record *<> ROW(w.n%2$s)::record) FILTER (WHERE NOT w.goes), false)'::text, ', '::text), reached.work)
    INTO gone, changed, flags;
    columns := ARRAY(SELECT c.name FROM unnest(reached.columns, flags) WITH ORDINALITY AS c (name, is_changed, place) WHERE c.is_changed ORDER BY c.place);
END $$;
COMMENT ON FUNCTION clean_changes(clean_table) IS 'internal: how many rows of a table go and change, and which columns';

-- The parts of the last statement that delete rows of a table, and that change them. With a table for notes, each has a
-- second part that writes what it returns there.
CREATE FUNCTION clean_deletion(reached clean_table, number int4, notes text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('d%s AS (DELETE FROM %s AS t USING %s AS w
                   WHERE w.goes AND t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid RETURNING w.pair%s)%s',
                  number, reached.source, reached.work,
                  CASE WHEN notes IS NOT NULL THEN ', false' || (SELECT string_agg(format(', t.%I AS c%s', l.name, l.place), '' ORDER BY l.place)
                                                                 FROM unnest(reached.live) WITH ORDINALITY AS l (name, place)) ELSE '' END,
                  CASE WHEN notes IS NOT NULL THEN format(', e%s AS (INSERT INTO %s SELECT d.* FROM d%1$s AS d)', number, notes) ELSE '' END)
$$;
COMMENT ON FUNCTION clean_deletion(clean_table, int4, text) IS 'internal: the part of a statement that deletes the rows of a table that go';

CREATE FUNCTION clean_change(reached clean_table, number int4, columns name[], notes text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('u%s AS (UPDATE %s AS t SET %s FROM %s AS w
                   WHERE (SELECT d.rows FROM deleted AS d) OPERATOR(pg_catalog.>=) 0 AND NOT w.goes
                         AND ROW(%s)::pg_catalog.record OPERATOR(pg_catalog.*<>) ROW(%s)::pg_catalog.record
                         AND t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid
                   RETURNING w.pair%s, ROW(%s)::pg_catalog.record OPERATOR(pg_catalog.*=) ROW(%s)::pg_catalog.record AS is_turned)%s',
                  number, reached.source, @extschema@.clean_values(reached, columns, ''::text, '%3$I = w.n%2$s'::text, ', '::text), reached.work,
                  @extschema@.clean_values(reached, columns, 'w.o'::text, '%s%s'::text, ', '::text),
                  @extschema@.clean_values(reached, columns, 'w.n'::text, '%s%s'::text, ', '::text),
                  CASE WHEN notes IS NOT NULL THEN
                      (SELECT format(', w.settled OR ROW(%s)::pg_catalog.record OPERATOR(pg_catalog.*<>) ROW(%s)::pg_catalog.record',
                                     @extschema@.clean_values(reached, r.columns, 'w.o'::text, '%s%s'::text, ', '::text),
                                     @extschema@.clean_values(reached, r.columns, 'w.n'::text, '%s%s'::text, ', '::text))
                       FROM (SELECT ARRAY(SELECT c.name FROM unnest(columns) AS c (name) WHERE c.name <> ALL (reached.turned)) AS columns) AS r)
                      || (SELECT string_agg(format(', t.%I AS c%s', c.name, c.place), '' ORDER BY c.place)
                          FROM unnest(@extschema@.clean_identity(reached.rel)) WITH ORDINALITY AS c (name, place))
                      || (SELECT string_agg(format(', t.%I AS n%s', c.name, c.place), '' ORDER BY c.place) FROM unnest(columns) WITH ORDINALITY AS c (name, place))
                      || (SELECT string_agg(format(', w.o%s AS o%s', array_position(reached.columns, c.name), c.place), '' ORDER BY c.place)
                          FROM unnest(columns) WITH ORDINALITY AS c (name, place)) ELSE '' END,
                  (SELECT string_agg(format('t.%I', c.name), ', ' ORDER BY c.place)
                   FROM unnest(columns) WITH ORDINALITY AS c (name, place) WHERE c.name = ANY (reached.turned)),
                  (SELECT string_agg(format('w.n%s', array_position(reached.columns, c.name)), ', ' ORDER BY c.place)
                   FROM unnest(columns) WITH ORDINALITY AS c (name, place) WHERE c.name = ANY (reached.turned)),
                  CASE WHEN notes IS NOT NULL THEN format(', v%s AS (INSERT INTO %s SELECT u.* FROM u%1$s AS u)', number, notes) ELSE '' END)
$$;
COMMENT ON FUNCTION clean_change(clean_table, int4, name[], text) IS 'internal: the part of a statement that changes columns of a table''s rows that stay';

-- Deletes and updates the rows of all tables by one statement, and writes the log. Rows are deleted before others get
-- what was unique to them. A trigger that turns a row back is an error: ON DELETE CASCADE would have deleted the row.
CREATE FUNCTION clean_write(tables clean_table[], pairs text, log regclass, merge bigint, path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t @extschema@.clean_table;
    c record;
    deletions text[] := '{}';
    changes text[] := '{}';
    counts text[] := '{}';
    expected bigint[] := '{}';
    written bigint[];
    names text[] := '{}';
    notes text;
    logging text[] := '{}';
    statement text;
BEGIN
    FOR number IN 1 .. cardinality(tables) LOOP
        t := tables[number];
        SELECT x.* INTO c FROM @extschema@.clean_changes(t) AS x;
        IF c.gone > 0 THEN
            IF log IS NOT NULL THEN
                notes := @extschema@.clean_notes(t.rel, t.live, '{}'::name[]);
                logging := logging || format('%s::oid, %L::text, %L::text, true, %L::name[], %L::name[]', t.rel, pairs, notes, t.live, '{}');
            END IF;
            deletions := deletions || @extschema@.clean_deletion(t, number, notes);
            counts := counts || format('(SELECT pg_catalog.count(*) FROM d%s AS d)', number);
            expected := expected || c.gone;
            names := names || t.name;
        END IF;
        IF c.changed > 0 THEN
            IF log IS NOT NULL THEN
                notes := @extschema@.clean_notes(t.rel, @extschema@.clean_identity(t.rel), c.columns);
                logging := logging || format('%s::oid, %L::text, %L::text, false, %L::name[], %L::name[]', t.rel, pairs, notes, @extschema@.clean_identity(t.rel), c.columns);
            END IF;
            changes := changes || @extschema@.clean_change(t, number, c.columns, notes);
            counts := counts || format('(SELECT pg_catalog.count(*) FILTER (WHERE u.is_turned) FROM u%s AS u)', number);
            expected := expected || c.changed;
            names := names || t.name;
        END IF;
    END LOOP;
    IF expected = '{}' THEN
        RETURN;
    END IF;
    statement := format('WITH %s SELECT ARRAY[%s]',
        array_to_string(deletions
            || format('deleted (rows) AS (SELECT %s)', coalesce((SELECT string_agg(d.count, ' OPERATOR(pg_catalog.+) ') FROM unnest(counts) AS d (count)
                                                                 WHERE d.count LIKE '%FROM d%'), '0'))
            || changes, ', '),
        array_to_string(counts, ', '));
    PERFORM set_config('search_path', path, true);
    EXECUTE statement INTO written;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    FOR number IN 1 .. cardinality(expected) LOOP
        IF written[number] <> expected[number] THEN
            RAISE EXCEPTION 'rows of % were not written as the merge asks for', names[number]
                USING ERRCODE = 'triggered_action_exception', DETAIL = format('%s of %s rows were.', written[number], expected[number]),
                      HINT = 'A trigger, a rule or a policy has kept rows from being deleted or changed.';
        END IF;
    END LOOP;
    FOREACH statement IN ARRAY logging LOOP
        EXECUTE format('SELECT @extschema@.clean_log_rows($1, $2, %s)', statement) USING log, merge;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_write(clean_table[], text, regclass, bigint, text) IS 'internal: writes what the scratch tables say, and the log';

-- What was done for each pair.
CREATE FUNCTION clean_report(tables clean_table[], pairs text, number bigint)
RETURNS TABLE (merge bigint, gone text, kept text, changed jsonb, moved jsonb, went jsonb)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own @extschema@.clean_table := tables[1];
BEGIN
    RETURN QUERY EXECUTE format($q$
        WITH part (pair, name, moved, went) AS (%1$s),
        total AS (SELECT p.pair, jsonb_object_agg(p.name, p.moved) FILTER (WHERE p.moved > 0) AS moved,
                         jsonb_object_agg(p.name, p.went) FILTER (WHERE p.went > 0) AS went
                  FROM part AS p GROUP BY p.pair)
        SELECT $1, format('%%s', p.gone), format('%%s', p.kept), %2$s, coalesce(t.moved, '{}'), coalesce(t.went, '{}')
        FROM %3$s AS p JOIN %4$s AS k ON k.tab = p.kept_tab AND k.tid = p.kept_tid LEFT JOIN total AS t ON t.pair = p.place
        ORDER BY p.place
        $q$,
        (SELECT string_agg(format('SELECT w.pair, %L, count(*) FILTER (WHERE NOT w.goes AND w.moved AND ROW(%s)::record *<> ROW(%s)::record),
                                          count(*) FILTER (WHERE w.goes%s) FROM %s AS w WHERE w.pair IS NOT NULL GROUP BY w.pair', t.name,
                                  @extschema@.clean_values(t, t.turned, 'w.o'::text, '%s%s'::text, ', '::text),
                                  @extschema@.clean_values(t, t.turned, 'w.n'::text, '%s%s'::text, ', '::text),
                                  CASE WHEN t.rel = own.rel
                                       THEN format(' AND NOT EXISTS (SELECT FROM %s AS p WHERE p.gone_tab = w.tab AND p.gone_tid = w.tid)', pairs) ELSE '' END,
                                  t.work), ' UNION ALL ')
         FROM unnest(tables) AS t),
        @extschema@.clean_difference(own.rel, own.columns,
            ARRAY(SELECT 'k.n' || c FROM generate_series(1, cardinality(own.columns)) AS c), ARRAY(SELECT 'k.o' || c FROM generate_series(1, cardinality(own.columns)) AS c)),
        pairs, own.work)
    USING number;
END $$;
COMMENT ON FUNCTION clean_report(clean_table[], text, bigint) IS 'internal: what merge_duplicates returns';

-- Scratch tables have no statistics at first, and what is guessed of them would have small statements compiled.
CREATE FUNCTION clean_merge(rel regclass, key name, pairs text, rules jsonb, log text, dry_run boolean, path text)
RETURNS TABLE (merge bigint, gone text, kept text, changed jsonb, moved jsonb, went jsonb)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    class pg_class;
    key_type text;
    key_equal text;
    own jsonb;
    others jsonb;
    logged regclass;
    number bigint;
    tables @extschema@.clean_table[];
    links @extschema@.clean_reference[];
    read_pairs text;
    refused text;
BEGIN
    IF rel IS NULL OR key IS NULL OR pairs IS NULL OR rules IS NULL OR dry_run IS NULL THEN
        RAISE EXCEPTION 'arguments of merge_duplicates must not be null, but for log' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    SELECT c.* INTO class FROM pg_class AS c WHERE c.oid = rel;
    IF class.relkind IS NULL OR class.relkind NOT IN ('r', 'p') THEN
        RAISE EXCEPTION '% is not a table', @extschema@.clean_shown(rel, path) USING ERRCODE = 'wrong_object_type';
    ELSIF class.relispartition THEN
        RAISE EXCEPTION '% is a partition', @extschema@.clean_shown(rel, path)
            USING ERRCODE = 'wrong_object_type', HINT = format('Merge rows of the partitioned table, %s.', pg_partition_root(rel));
    END IF;
    SELECT x.own, x.others INTO own, others FROM @extschema@.clean_rules(rules, path) AS x;
    SELECT format('%s%s', format_type(a.atttypid, -1), coalesce((SELECT format(' COLLATE %I.%I', n.nspname, l.collname)
               FROM pg_collation AS l JOIN pg_namespace AS n ON n.oid = l.collnamespace WHERE l.oid = a.attcollation), '')),
           @extschema@.clean_equality(a.atttypid)
    INTO key_type, key_equal
    FROM pg_attribute AS a WHERE a.attrelid = rel AND a.attname = key AND a.attnum > 0 AND NOT a.attisdropped;
    IF key_type IS NULL THEN
        RAISE EXCEPTION 'column "%" of % does not exist', key, @extschema@.clean_shown(rel, path) USING ERRCODE = 'undefined_column';
    END IF;
    -- A rule that is wrong is told by a query of the rule alone.
    PERFORM @extschema@.clean_execute(format('SELECT %s FROM %s AS kept, %2$s AS gone, (SELECT ''{}''::pg_catalog.bool[] AS is_newest) AS g LIMIT 0',
                                             @extschema@.clean_expression(t.key::oid, c.key::name, c.value), t.key::oid::regclass), path, NULL::int4)
    FROM (SELECT rel::oid::text, own UNION ALL SELECT o.key, o.value FROM jsonb_each(others) AS o) AS t (key, value), jsonb_each_text(t.value) AS c;

    tables := ARRAY(SELECT t FROM @extschema@.clean_tables(rel::oid, key,
        others || jsonb_build_object(rel::oid, own || coalesce(others -> rel::oid::text, '{}')), path) AS t);
    links := ARRAY(SELECT r FROM @extschema@.clean_references() AS r
                   WHERE EXISTS (SELECT FROM unnest(tables) AS t WHERE t.rel = r.child AND t.turned @> r.child_columns)
                         AND EXISTS (SELECT FROM unnest(tables) AS t WHERE t.rel = r.parent));
    SELECT o.key::oid::regclass INTO refused FROM jsonb_each(others) AS o WHERE o.key::oid NOT IN (SELECT t.rel FROM unnest(tables) AS t);
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION 'rules name table %, which a merge of % does not reach', refused, @extschema@.clean_shown(rel, path)
            USING ERRCODE = 'invalid_parameter_value', HINT = format('It reaches: %s.', (SELECT string_agg(t.name, ', ') FROM unnest(tables) AS t));
    END IF;
    SELECT @extschema@.clean_shown(r.child::regclass, path) INTO refused FROM unnest(links) AS r
    WHERE row_security_active(r.child) OR row_security_active(r.child_parts[1]) LIMIT 1;
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION 'row-level security may hide rows of %, which refers to rows that go', refused
            USING ERRCODE = 'insufficient_privilege', HINT = 'Merge as a role that sees all of its rows.';
    END IF;

    PERFORM @extschema@.clean_level(1);
    -- The table itself is the first.
    tables := @extschema@.clean_order(ARRAY(SELECT t FROM unnest(tables) AS t ORDER BY t.rel <> clean_merge.rel, t.name), links);
    FOR i IN 1 .. cardinality(tables) LOOP
        tables[i].work := @extschema@.clean_work(tables[i]);
    END LOOP;
    read_pairs := @extschema@.clean_pairs(pairs, key_type, key_equal, path);
    PERFORM @extschema@.clean_locate(tables[1], key, read_pairs, key_equal, path, NOT dry_run);
    IF own <> '{}' THEN
        PERFORM @extschema@.clean_execute(@extschema@.clean_fold(tables[1], own), path, 1);
    END IF;
    PERFORM @extschema@.clean_spread(tables, links, others, path, NOT dry_run);
    PERFORM @extschema@.clean_check_actions(tables, links);
    IF NOT dry_run THEN
        IF log IS NOT NULL THEN
            logged := @extschema@.clean_log(log, path);
            number := nextval(pg_get_serial_sequence(logged::text, 'merge'));
        END IF;
        PERFORM @extschema@.clean_write(tables, read_pairs, logged, number, path);
    END IF;
    RETURN QUERY SELECT r.* FROM @extschema@.clean_report(tables, read_pairs, number) AS r;
    PERFORM @extschema@.clean_level(-1);
END $$;
COMMENT ON FUNCTION clean_merge(regclass, name, text, jsonb, text, boolean, text) IS 'internal: merge_duplicates, with the caller''s search path';

CREATE FUNCTION merge_duplicates(
    rel regclass, key name, pairs text, rules jsonb DEFAULT '{}', log text DEFAULT NULL, dry_run boolean DEFAULT false)
RETURNS TABLE (merge bigint, gone text, kept text, changed jsonb, moved jsonb, went jsonb)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    RETURN QUERY SELECT m.* FROM @extschema@.clean_merge(rel, key, pairs, rules, log, dry_run, pg_catalog.current_setting('search_path')) AS m;
END $$;
COMMENT ON FUNCTION merge_duplicates(regclass, name, text, jsonb, text, boolean) IS
'merges rows: pairs, a query, returns the row that goes and the row that stays; what refers to the first is turned to the second, whose columns follow rules; returns what was done for each pair; log: a table for the rows as they were, by which undo_merge puts them back';
