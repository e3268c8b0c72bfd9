--
-- clean: the one statement that writes a merge
--

-- What the last statement will do with the rows of a table, and the columns that some of them change. Generated columns follow.
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
    columns := ARRAY(SELECT c.name FROM unnest(reached.columns, flags) WITH ORDINALITY AS c (name, is_changed, place)
                     JOIN pg_attribute AS a ON a.attrelid = reached.rel AND a.attname = c.name
                     WHERE c.is_changed AND a.attgenerated = '' ORDER BY c.place);
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
    entries bigint := 0;
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
        EXECUTE format('SELECT @extschema@.clean_log_rows($1, $2, $3, %s)', statement) INTO entries USING log, merge, entries;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_write(clean_table[], text, regclass, bigint, text) IS 'internal: writes what the scratch tables say, and the log';
