--
-- clean: the one statement that writes a merge
--

-- What the last statement will do with rows of a table, those that go or those that stay: how many it deletes or changes, and the
-- columns that some of them change. Generated columns follow.
CREATE FUNCTION clean_changes(reached clean_table, are_gone boolean, OUT rows bigint, OUT columns name[])
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    flags boolean[];
BEGIN
    EXECUTE format('SELECT count(*) FILTER (WHERE %s OR ROW(%s)::record *<> ROW(%s)::record), ARRAY[%s]::boolean[] FROM %s AS w WHERE w.goes = $1',
                   CASE WHEN are_gone AND NOT reached.retires THEN 'true' ELSE 'false' END,
                   @extschema@.clean_values(reached, reached.columns, 'w.o'::text, '%s%s'::text, ', '::text),
                   @extschema@.clean_values(reached, reached.columns, 'w.n'::text, '%s%s'::text, ', '::text),
                   @extschema@.clean_values(reached, reached.columns, ''::text, 'coalesce(bool_or(ROW(w.o%2$s)::record *<> ROW(w.n%2$s)::record), false)'::text, ', '::text), reached.work)
    INTO rows, flags USING are_gone;
    columns := ARRAY(SELECT c.name FROM unnest(reached.columns, flags) WITH ORDINALITY AS c (name, is_changed, place)
                     JOIN pg_attribute AS a ON a.attrelid = reached.rel AND a.attname = c.name
                     WHERE c.is_changed AND a.attgenerated = '' AND NOT (are_gone AND NOT reached.retires) ORDER BY c.place);
END $$;
COMMENT ON FUNCTION clean_changes(clean_table, boolean) IS 'internal: how many rows of a table are deleted or changed, of those that go or of those that stay, and which columns change';

-- The parts of the last statement that delete rows of a table, and that change them. With a table for notes, each has a
-- second part that writes what it returns there.
CREATE FUNCTION clean_deletion(reached clean_table, number int4, notes text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('d%s AS (DELETE FROM %s AS t USING %s AS w
                   WHERE w.goes AND t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid RETURNING w.pair%s)%s',
                  number, reached.source, reached.work,
                  CASE WHEN notes IS NOT NULL THEN ', ''gone''' || (SELECT string_agg(format(', t.%I AS c%s', l.name, l.place), '' ORDER BY l.place)
                                                                 FROM unnest(reached.live) WITH ORDINALITY AS l (name, place)) ELSE '' END,
                  CASE WHEN notes IS NOT NULL THEN format(', e%s AS (INSERT INTO %s SELECT d.* FROM d%1$s AS d)', number, notes) ELSE '' END)
$$;
COMMENT ON FUNCTION clean_deletion(clean_table, int4, text) IS 'internal: the part of a statement that deletes the rows of a table that go';

-- Rows that retire are as assigned in all columns that change, or the call fails; others in those of references.
CREATE FUNCTION clean_change(reached clean_table, number int4, are_gone boolean, columns name[], notes text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('%1$s AS (UPDATE %2$s AS t SET %3$s FROM %4$s AS w
                   WHERE %5$s AND ROW(%6$s)::pg_catalog.record OPERATOR(pg_catalog.*<>) ROW(%7$s)::pg_catalog.record
                         AND t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid
                   RETURNING w.pair%8$s, ROW(%9$s)::pg_catalog.record OPERATOR(pg_catalog.*=) ROW(%10$s)::pg_catalog.record AS is_turned)%11$s',
                  p.part, reached.source, @extschema@.clean_values(reached, columns, ''::text, '%3$I = w.n%2$s'::text, ', '::text), reached.work,
                  CASE WHEN are_gone THEN 'w.goes' ELSE '(SELECT d.rows FROM deleted AS d) OPERATOR(pg_catalog.>=) 0 AND NOT w.goes' END,
                  @extschema@.clean_values(reached, columns, 'w.o'::text, '%s%s'::text, ', '::text),
                  @extschema@.clean_values(reached, columns, 'w.n'::text, '%s%s'::text, ', '::text),
                  CASE WHEN notes IS NOT NULL THEN
                      (SELECT CASE WHEN are_gone THEN ', ''retired'''
                                   ELSE format(', CASE WHEN w.settled OR ROW(%s)::pg_catalog.record OPERATOR(pg_catalog.*<>) ROW(%s)::pg_catalog.record THEN ''merged'' ELSE ''moved'' END',
                                               @extschema@.clean_values(reached, r.columns, 'w.o'::text, '%s%s'::text, ', '::text),
                                               @extschema@.clean_values(reached, r.columns, 'w.n'::text, '%s%s'::text, ', '::text)) END
                       FROM (SELECT ARRAY(SELECT c.name FROM unnest(columns) AS c (name) WHERE c.name <> ALL (reached.turned)) AS columns) AS r)
                      || (SELECT string_agg(format(', t.%I AS c%s', c.name, c.place), '' ORDER BY c.place)
                          FROM unnest(@extschema@.clean_identity(reached.rel)) WITH ORDINALITY AS c (name, place))
                      || (SELECT string_agg(format(', t.%I AS n%s', c.name, c.place), '' ORDER BY c.place) FROM unnest(columns) WITH ORDINALITY AS c (name, place))
                      || (SELECT string_agg(format(', w.o%s AS o%s', array_position(reached.columns, c.name), c.place), '' ORDER BY c.place)
                          FROM unnest(columns) WITH ORDINALITY AS c (name, place)) ELSE '' END,
                  (SELECT string_agg(format('t.%I', c.name), ', ' ORDER BY c.place)
                   FROM unnest(columns) WITH ORDINALITY AS c (name, place) WHERE are_gone OR c.name = ANY (reached.turned)),
                  (SELECT string_agg(format('w.n%s', array_position(reached.columns, c.name)), ', ' ORDER BY c.place)
                   FROM unnest(columns) WITH ORDINALITY AS c (name, place) WHERE are_gone OR c.name = ANY (reached.turned)),
                  CASE WHEN notes IS NOT NULL THEN format(', %1$s_noted AS (INSERT INTO %2$s SELECT u.* FROM %1$s AS u)', p.part, notes) ELSE '' END)
    FROM (SELECT CASE WHEN are_gone THEN 'd' ELSE 'u' END || number AS part) AS p
$$;
COMMENT ON FUNCTION clean_change(clean_table, int4, boolean, name[], text) IS 'internal: the part of a statement that changes columns of a table''s rows, those that go or those that stay';

-- Deletes and updates the rows of all tables by one statement, and writes the log. Rows are deleted, or retire, before others get
-- what was unique to them. A trigger that turns a row back is an error: ON DELETE CASCADE would have deleted the row.
CREATE FUNCTION clean_write(tables clean_table[], pairs text, log regclass, merge bigint, decided timestamptz, path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t @extschema@.clean_table;
    c record;
    are_gone boolean;
    is_deletion boolean;
    shown name[];
    deletions text[] := '{}';
    changes text[] := '{}';
    counts text[] := '{}';
    expected bigint[] := '{}';
    written bigint[];
    names text[] := '{}';
    notes text;
    logging text[] := '{}';
    entries bigint := 0;
    statement text;
BEGIN
    FOR number IN 1 .. cardinality(tables) LOOP
        t := tables[number];
        FOREACH are_gone IN ARRAY '{true,false}'::boolean[] LOOP
            SELECT x.* INTO c FROM @extschema@.clean_changes(t, are_gone) AS x;
            is_deletion := are_gone AND NOT t.retires;
            CONTINUE WHEN c.rows = 0 OR c.columns = '{}' AND NOT is_deletion;
            shown := CASE WHEN is_deletion THEN t.live ELSE @extschema@.clean_identity(t.rel) END;
            IF log IS NOT NULL THEN
                notes := @extschema@.clean_notes(t.rel || ' ' || are_gone, t.rel, shown, c.columns);
                logging := logging || format('%s::oid, %L::text, %L::text, %L::name[], %L::name[]', t.rel, pairs, notes, shown, c.columns);
            END IF;
            IF is_deletion THEN
                deletions := deletions || @extschema@.clean_deletion(t, number, notes);
            ELSIF are_gone THEN
                deletions := deletions || @extschema@.clean_change(t, number, true, c.columns, notes);
            ELSE
                changes := changes || @extschema@.clean_change(t, number, false, c.columns, notes);
            END IF;
            counts := counts || format(CASE WHEN is_deletion THEN '(SELECT pg_catalog.count(*) FROM %s%s AS d)' ELSE '(SELECT pg_catalog.count(*) FILTER (WHERE d.is_turned) FROM %s%s AS d)' END,
                                       CASE WHEN are_gone THEN 'd' ELSE 'u' END, number);
            expected := expected || c.rows;
            names := names || t.name;
        END LOOP;
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
        EXECUTE format('SELECT @extschema@.clean_log_rows($1, $2, $3, $4, %s)', statement) INTO entries USING log, merge, entries, decided;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_write(clean_table[], text, regclass, bigint, timestamptz, text) IS 'internal: writes what the scratch tables say, and the log';
