--
-- clean: scratch tables, references turned in them, rows that would become the same
--

-- A trigger may merge rows while rows are merged. Each of the nested calls has scratch tables of its own, by its level.
CREATE FUNCTION clean_level(step int4) RETURNS int4
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    level int := coalesce(nullif(current_setting('neardup_clean.level', true), ''), '0')::int + step;
BEGIN
    PERFORM set_config('neardup_clean.level', level::text, true);
    RETURN level;
END $$;
COMMENT ON FUNCTION clean_level(int4) IS 'internal: raises or lowers the level of nested merges, until the end of the transaction, and returns it';

-- A scratch table is kept until the end of the transaction, for later merges of the same shape: each table that is made
-- holds a lock until then. Whoever began the session may make temporary tables, too, also of this name, and give them
-- triggers, which would run with the rights of a function that merges. So a table of another owner is passed over.
CREATE FUNCTION clean_scratch(purpose text, definition text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shape text := md5(concat_ws(' ', @extschema@.clean_level(0), purpose, definition));
    number int := 0;
    name text;
    is_own boolean;
BEGIN
    LOOP
        name := format('neardup_clean_%s_%s', shape, number);
        SELECT c.relowner = (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user) INTO is_own
        FROM pg_class AS c WHERE c.relnamespace = pg_my_temp_schema() AND c.relname = name;
        IF is_own IS NULL THEN
            EXECUTE format('CREATE TEMP TABLE pg_temp.%s (%s) ON COMMIT DROP', name, definition);
        ELSIF is_own THEN
            EXECUTE format('TRUNCATE pg_temp.%s', name);
        END IF;
        EXIT WHEN is_own IS NOT FALSE;
        number := number + 1;
    END LOOP;
    RETURN 'pg_temp.' || name;
END $$;
COMMENT ON FUNCTION clean_scratch(text, text) IS 'internal: returns the name of an empty temporary table of these columns, which the current role owns';

-- Where many rows of a scratch table are new or have changed, its statistics are made, so that it is joined as it should be.
CREATE FUNCTION clean_analyze(scratch text, rows bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF rows > 1000 THEN
        EXECUTE format('ANALYZE %s', scratch);
    END IF;
END $$;
COMMENT ON FUNCTION clean_analyze(text, bigint) IS 'internal: makes the statistics of a scratch table of which the number of rows has changed';

CREATE FUNCTION clean_work(reached clean_table) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN @extschema@.clean_scratch(reached.rel::text,
        'tab oid, tid tid, to_tab oid, to_tid tid, pair bigint, goes boolean, moved boolean, settled boolean, stamp int, cut name[] DEFAULT ''{}'''
        || (SELECT coalesce(string_agg(format(', %s%s %s%s', v.version, c.place, format_type(a.atttypid, a.atttypmod),
                                              CASE WHEN a.attcollation <> 0 THEN ' COLLATE ' || (SELECT format('%I.%I', n.nspname, l.collname)
                                                   FROM pg_collation AS l JOIN pg_namespace AS n ON n.oid = l.collnamespace
                                                   WHERE l.oid = a.attcollation) ELSE '' END), '' ORDER BY c.place, v.version DESC), '')
            FROM unnest(reached.columns) WITH ORDINALITY AS c (name, place)
            JOIN pg_attribute AS a ON a.attrelid = reached.rel AND a.attname = c.name,
                 unnest(ARRAY['o', 'n']) AS v (version)));
END $$;
COMMENT ON FUNCTION clean_work(clean_table) IS 'internal: makes the scratch table of a table';

CREATE FUNCTION clean_values(reached clean_table, columns name[], prefix text, template text DEFAULT '%1$s%2$s', separator text DEFAULT ', ') RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(format(template, prefix, array_position(reached.columns, c.name), c.name), separator ORDER BY c.place)
    FROM unnest(columns) WITH ORDINALITY AS c (name, place)
$$;
COMMENT ON FUNCTION clean_values(clean_table, name[], text, text, text) IS
'internal: a list of columns; in the template, %1$s is the prefix, %2$s the number in the scratch table, %3$I the name';

-- The columns of a row as it will be, named as in the table: t is the row, w its entry in the scratch table.
CREATE FUNCTION clean_image(reached clean_table, t text, w text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
    SELECT string_agg(CASE WHEN p.place IS NULL THEN format('%s.%I AS %2$I', t, c.name) ELSE format('%s.n%s AS %I', w, p.place, c.name) END,
                      ', ' ORDER BY c.place)
    FROM unnest(reached.live) WITH ORDINALITY AS c (name, place), array_position(reached.columns, c.name) AS p (place));
END $$;
COMMENT ON FUNCTION clean_image(clean_table, text, text) IS 'internal: the columns of a row as it will be';

CREATE FUNCTION clean_moving(reached clean_table) RETURNS name[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT reached.turned || ARRAY(SELECT g.col FROM @extschema@.clean_generated(reached.rel) AS g
                                   WHERE g.col = ANY (reached.columns) AND g.bases && reached.turned)
$$;
COMMENT ON FUNCTION clean_moving(clean_table) IS 'internal: the columns of references, and those that are generated from them';

-- A statement that computes generated columns again for rows that stay and were changed at the step $1, or NULL for a table that
-- has none in its scratch table.
CREATE FUNCTION clean_generate(reached clean_table) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('UPDATE %1$s AS w SET %2$s
                   FROM (SELECT w.tab, w.tid, g.* FROM %1$s AS w JOIN %3$s AS t ON t.tableoid = w.tab AND t.ctid = w.tid,
                         LATERAL (SELECT %4$s FROM (SELECT %5$s) AS i) AS g
                         WHERE w.stamp = $1 AND NOT w.goes) AS x
                   WHERE x.tab = w.tab AND x.tid = w.tid',
                  reached.work, string_agg(format('n%s = x.g%1$s', c.place), ', '), reached.source,
                  string_agg(format('(%s) AS g%s', g.expression, c.place), ', '), @extschema@.clean_image(reached, 't'::text, 'w'::text))
    FROM @extschema@.clean_generated(reached.rel) AS g, array_position(reached.columns, g.col) AS c (place)
    WHERE c.place IS NOT NULL
    HAVING count(*) > 0
$$;
COMMENT ON FUNCTION clean_generate(clean_table) IS 'internal: a statement that computes generated columns again for rows that were changed at step $1';

-- Turns what refers by one reference to rows that go or whose keys change, and have changed since a step. The first
-- statement does so for rows that the scratch table of the referring table has, the second for the others. Both run with
-- the caller's search path, for the condition of a reference.
CREATE FUNCTION clean_turn(child clean_table, parent clean_table, link clean_reference, since int4, locks boolean) RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    differs text := 'ROW(%s)::pg_catalog.record OPERATOR(pg_catalog.*<>) ROW(%s)::pg_catalog.record';
    changed text := format('k.stamp OPERATOR(pg_catalog.>) %s AND (k.goes OR ' || differs || ')', since,
                           @extschema@.clean_values(parent, link.parent_columns, 'k.o'::text, '%s%s'::text, ', '::text),
                           @extschema@.clean_values(parent, link.parent_columns, 'k.n'::text, '%s%s'::text, ', '::text))
                    || CASE WHEN link.parent_parts IS NULL THEN '' ELSE format(' AND k.tab OPERATOR(pg_catalog.=) ANY (%L::pg_catalog.oid[])', link.parent_parts) END;
    targets text := format('%1$s AS k JOIN %1$s AS g ON g.tab OPERATOR(pg_catalog.=) k.to_tab AND g.tid OPERATOR(pg_catalog.=) k.to_tid', parent.work);
    is_row text := 't.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid';
    known text;
    found text;
    turned text;
    assigned text;
    old text;
BEGIN
    SELECT string_agg(format('k.o%s %s w.n%s', p.place, k.operator, c.place), ' AND '),
           string_agg(format('k.o%s %s t.%I', p.place, k.operator, k.child), ' AND '),
           string_agg(format('CAST(g.n%s AS %s)', p.place, child.types[c.place]), ', ' ORDER BY k.place),
           string_agg(format('n%s = CAST(g.n%s AS %s)', c.place, p.place, child.types[c.place]), ', '),
           string_agg(format('t.%I', k.child), ', ' ORDER BY k.place)
    INTO known, found, turned, assigned, old
    FROM unnest(link.child_columns, link.parent_columns, link.operators) WITH ORDINALITY AS k (child, parent, operator, place),
         array_position(child.columns, k.child) AS c (place), array_position(parent.columns, k.parent) AS p (place);
    RETURN ARRAY[
        format('UPDATE %s AS w SET %s, moved = true, stamp = $1, pair = COALESCE(w.pair, k.pair) FROM %s
                WHERE %s AND %s AND %s AND ' || differs || '%s%s',
               child.work, assigned, targets, changed, known, CASE WHEN child.retires AND parent.rel <> child.rel THEN 'true' ELSE 'NOT w.goes' END,
               @extschema@.clean_values(child, link.child_columns, 'w.n'::text, '%s%s'::text, ', '::text), turned,
               CASE WHEN link.child_parts IS NULL THEN '' ELSE format(' AND w.tab OPERATOR(pg_catalog.=) ANY (%L::pg_catalog.oid[])', link.child_parts) END,
               CASE WHEN link.condition IS NULL THEN '' ELSE format(' AND EXISTS (SELECT FROM %s AS t WHERE %s AND (%s))', link.source, is_row, link.condition) END),
        format('INSERT INTO %s (tab, tid, to_tab, to_tid, pair, goes, moved, settled, stamp%s)
                SELECT t.tableoid, t.ctid, t.tableoid, t.ctid, k.pair, false, ' || differs || ', false, $1%s
                FROM %s AS t CROSS JOIN %s
                WHERE %s AND %s AND NOT EXISTS (SELECT FROM %s AS w WHERE %s)%s%s',
               child.work,
               @extschema@.clean_values(child, child.columns, ''::text, ', o%2$s, n%2$s'::text, ''::text), old, turned,
               (SELECT string_agg(format(', t.%I, %s', c.name, coalesce((
                            SELECT format('CAST(g.n%s AS %s)', array_position(parent.columns, k.parent), child.types[c.place])
                            FROM unnest(link.child_columns, link.parent_columns) AS k (child, parent) WHERE k.child = c.name),
                            format('t.%I', c.name))), '' ORDER BY c.place)
                FROM unnest(child.columns) WITH ORDINALITY AS c (name, place)),
               link.source, targets, changed, found, child.work, is_row,
               CASE WHEN link.condition IS NULL THEN '' ELSE format(' AND (%s)', link.condition) END,
               CASE WHEN NOT locks THEN '' WHEN child.may_go THEN ' FOR UPDATE OF t' ELSE ' FOR NO KEY UPDATE OF t' END)];
END $$;
COMMENT ON FUNCTION clean_turn(clean_table, clean_table, clean_reference, int4, boolean) IS
'internal: two statements that turn what refers to rows that go or whose keys change; since: the step up to which changes are known';

-- The key columns and the operators by which an index finds two rows to conflict, as conditions on x.e1, y.e1 and so on;
-- the condition of a partial index; whether the index is unique; and the columns that are equal where rows conflict.
CREATE FUNCTION clean_conflict(
    index oid, OUT "unique" boolean, OUT keys text, OUT condition text, OUT "names" text, OUT hits text, OUT present text, OUT equals name[], OUT part oid)
RETURNS record
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH key AS (
        SELECT p.place + 1 AS place, a.attname AS name, q.oprname AS operator, @extschema@.clean_operator(q.oid) AS qualified,
               pg_get_indexdef(i.indexrelid, p.place + 1, false)
               || coalesce((SELECT format(' COLLATE %I.%I', n.nspname, l.collname)
                            FROM pg_collation AS l JOIN pg_namespace AS n ON n.oid = l.collnamespace WHERE l.oid = i.indcollation[p.place]), '') AS expression
        FROM pg_index AS i CROSS JOIN LATERAL generate_series(0, i.indnkeyatts - 1) AS p (place)
        JOIN pg_opclass AS s ON s.oid = i.indclass[p.place]
        LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[p.place]
        LEFT JOIN pg_constraint AS c ON c.conindid = i.indexrelid AND c.contype = 'x'
        LEFT JOIN pg_amop AS m ON m.amopfamily = s.opcfamily AND m.amopstrategy = 3 AND m.amoppurpose = 's'
             AND m.amoplefttype = s.opcintype AND m.amoprighttype = s.opcintype
        LEFT JOIN pg_operator AS q ON q.oid = coalesce(c.conexclop[p.place + 1], m.amopopr)
        WHERE i.indexrelid = index
    )
    SELECT i.indisunique,
           (SELECT string_agg(k.expression, ', ' ORDER BY k.place) FROM key AS k),
           coalesce(pg_get_expr(i.indpred, i.indrelid), 'true'),
           (SELECT string_agg(format('e%s', k.place), ', ' ORDER BY k.place) FROM key AS k),
           (SELECT string_agg(format(CASE WHEN i.indnullsnotdistinct THEN '(x.e%1$s %2$s y.e%1$s OR num_nulls(x.e%1$s, y.e%1$s) = 2)'
                                          ELSE 'x.e%1$s %2$s y.e%1$s' END, k.place, k.qualified), ' AND ') FROM key AS k),
           (SELECT CASE WHEN i.indnullsnotdistinct THEN 'true' ELSE string_agg(format('e.e%s IS NOT NULL', k.place), ' AND ') END FROM key AS k),
           ARRAY(SELECT k.name FROM key AS k WHERE k.name IS NOT NULL AND (i.indisunique OR k.operator = '=')),
           i.indrelid
    INTO "unique", keys, condition, "names", hits, present, equals, part
    FROM pg_index AS i WHERE i.indexrelid = index;
END $$;
COMMENT ON FUNCTION clean_conflict(oid) IS 'internal: how a unique index, or that of an exclusion constraint, finds rows to conflict';

-- Lets rows go that a unique or exclusion constraint would find to conflict, now that references have been turned. The
-- row that stays is one that a pair says to stay, else one whose key was so, else that of the first pair.
CREATE FUNCTION clean_collide(reached clean_table, index oid, step int4, since int4, locks boolean, has_rules boolean) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c record;
    of_part text;
    head text;
    tail text;
    entry text;
    gone bigint;
    others name[];
    constraint_name name := (SELECT r.relname FROM pg_class AS r WHERE r.oid = index);
    of_key name[] := ARRAY(SELECT k.name FROM unnest(@extschema@.clean_constraint_columns(index)) AS k (name) WHERE k.name = ANY (@extschema@.clean_moving(reached)));
    is_moved text := format('ROW(%s)::record *<> ROW(%s)::record', @extschema@.clean_values(reached, of_key, 'w.o'::text, '%s%s'::text, ', '::text),
                            @extschema@.clean_values(reached, of_key, 'w.n'::text, '%s%s'::text, ', '::text));
    shown record;
BEGIN
    SELECT x.* INTO c FROM @extschema@.clean_conflict(index) AS x;
    of_part := CASE WHEN c.part = reached.rel THEN '' ELSE format(' AND t.tableoid = ANY (%L::oid[])', @extschema@.clean_parts(c.part)) END;
    head := format('CROSS JOIN LATERAL (SELECT %s FROM (SELECT ', c.keys);
    tail := format(') AS i WHERE %s) AS e (%s)', c.condition, c."names");
    entry := format('%s AS w JOIN %s AS t ON t.tableoid = w.tab AND t.ctid = w.tid%s %s',
                    reached.work, reached.source, of_part, head || @extschema@.clean_image(reached, 't'::text, 'w'::text) || tail);

    -- Rows that were there, and that rows which have been turned meet.
    EXECUTE format('INSERT INTO %s (tab, tid, to_tab, to_tid, pair, goes, moved, settled, stamp%s)
                    SELECT t.tableoid, t.ctid, t.tableoid, t.ctid, NULL, false, false, false, $1%s
                    FROM (SELECT DISTINCT y.tab, y.tid
                          FROM (SELECT e.* FROM %s WHERE NOT w.goes AND %s AND w.stamp > $2 AND %s) AS x
                          JOIN (SELECT t.tableoid AS tab, t.ctid AS tid, e.* FROM %s AS t %s WHERE true%s) AS y ON %s) AS d
                    JOIN %s AS t ON t.tableoid = d.tab AND t.ctid = d.tid
                    WHERE NOT EXISTS (SELECT FROM %s AS w WHERE w.tab = d.tab AND w.tid = d.tid)%s',
                   reached.work,
                   @extschema@.clean_values(reached, reached.columns, ''::text, ', o%2$s, n%2$s'::text, ''::text),
                   @extschema@.clean_values(reached, reached.columns, ''::text, ', t.%3$I, t.%3$I'::text, ''::text),
                   entry, is_moved, c.present, reached.source,
                   head || (SELECT string_agg(format('t.%1$I AS %1$I', l.name), ', ') FROM unnest(reached.live) AS l (name)) || tail,
                   of_part, c.hits, reached.source, reached.work, CASE WHEN locks THEN ' FOR UPDATE OF t' ELSE '' END)
    USING step, since;
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM @extschema@.clean_analyze(reached.work, gone);

    IF c."unique" THEN
        EXECUTE format('UPDATE %s AS w SET goes = true, to_tab = x.to_tab, to_tid = x.to_tid, stamp = $1, pair = coalesce(w.pair, x.pair)
                        FROM (SELECT w.tab, w.tid, first_value(w.tab) OVER o AS to_tab, first_value(w.tid) OVER o AS to_tid,
                                     min(w.pair) OVER (PARTITION BY %2$s) AS pair, bool_or(w.stamp > $2) OVER (PARTITION BY %2$s) AS is_new
                              FROM %3$s WHERE NOT w.goes AND %4$s
                              WINDOW o AS (PARTITION BY %2$s ORDER BY NOT w.settled, %5$s, w.pair, w.tab, w.tid)) AS x
                        WHERE x.is_new AND w.tab = x.tab AND w.tid = x.tid AND (x.tab <> x.to_tab OR x.tid <> x.to_tid)',
                       reached.work, (SELECT string_agg('e.' || n.name, ', ') FROM string_to_table(c."names", ', ') AS n (name)), entry, c.present, is_moved)
        USING step, since;
    ELSE
        EXECUTE format('WITH x AS MATERIALIZED (
                            SELECT w.tab, w.tid, w.pair, w.stamp, NOT w.settled AS settled, %5$s AS moved, coalesce(w.pair, 0) AS place, e.*
                            FROM %2$s WHERE NOT w.goes AND %3$s),
                        hit AS MATERIALIZED (
                            SELECT DISTINCT ON (x.tab, x.tid) x.tab, x.tid, y.tab AS to_tab, y.tid AS to_tid, y.pair
                            FROM x JOIN x AS y ON %4$s AND (y.settled, y.moved, y.place, y.tab, y.tid) < (x.settled, x.moved, x.place, x.tab, x.tid)
                            WHERE (x.moved OR y.moved) AND (x.stamp > $2 OR y.stamp > $2)
                            ORDER BY x.tab, x.tid, y.settled, y.moved, y.place, y.tab, y.tid)
                        UPDATE %1$s AS w SET goes = true, to_tab = h.to_tab, to_tid = h.to_tid, stamp = $1, pair = coalesce(w.pair, h.pair)
                        FROM hit AS h
                        WHERE w.tab = h.tab AND w.tid = h.tid
                              AND NOT EXISTS (SELECT FROM hit AS y WHERE y.tab = h.to_tab AND y.tid = h.to_tid)',
                       reached.work, entry, c.present, c.hits, is_moved)
        USING step, since;
    END IF;
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone = 0 THEN
        RETURN 0;
    END IF;
    PERFORM @extschema@.clean_analyze(reached.work, gone);

    -- A key that the table itself makes, and what it generates, need not be equal.
    others := ARRAY(
        SELECT a.attname FROM pg_attribute AS a
        WHERE a.attrelid = reached.rel AND a.attnum > 0 AND NOT a.attisdropped AND a.attidentity = '' AND a.attgenerated = ''
              AND a.attname <> ALL (c.equals)
              AND NOT (a.atthasdef AND EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)))
        ORDER BY a.attnum);
    EXECUTE format('SELECT to_jsonb(t.*) AS goes, to_jsonb(s.*) AS stays, w.settled
                    FROM %1$s AS w JOIN %2$s AS t ON t.tableoid = w.tab AND t.ctid = w.tid
                    JOIN %1$s AS v ON v.tab = w.to_tab AND v.tid = w.to_tid JOIN %2$s AS s ON s.tableoid = v.tab AND s.ctid = v.tid,
                         LATERAL (SELECT ROW(%3$s)::record FROM (SELECT %4$s) AS i) AS a (image), LATERAL (SELECT ROW(%3$s)::record FROM (SELECT %5$s) AS i) AS b (image)
                    WHERE w.goes AND w.stamp = $1 AND (w.settled OR NOT $2 AND a.image *<> b.image)
                    ORDER BY w.pair, w.tab, w.tid LIMIT 1',
                   reached.work, reached.source, (SELECT string_agg(format('i.%I', n.name), ', ') FROM unnest(others) AS n (name)),
                   @extschema@.clean_image(reached, 't'::text, 'w'::text), @extschema@.clean_image(reached, 's'::text, 'v'::text))
    INTO shown USING step, has_rules;
    IF shown.settled THEN
        RAISE EXCEPTION 'two rows of % that should stay would break constraint "%"', reached.name, constraint_name
            USING ERRCODE = 'unique_violation', DETAIL = format('Row %s and row %s would become the same.', shown.goes, shown.stays),
                  HINT = 'Merge these rows first.';
    ELSIF shown.goes IS NOT NULL THEN
        RAISE EXCEPTION 'two rows of % would break constraint "%", and differ otherwise', reached.name, constraint_name
            USING ERRCODE = 'unique_violation', DETAIL = format('Row %s would go, and row %s would stay.', shown.goes, shown.stays),
                  HINT = format('Say what becomes of their columns, such as rules => %L; an empty object keeps those of the row that stays.',
                                jsonb_build_object(reached.name, jsonb_build_object(coalesce((SELECT o.name::text FROM unnest(others) AS o (name) WHERE shown.goes -> o.name::text IS DISTINCT FROM shown.stays -> o.name::text LIMIT 1), others[1]::text), 'first')));
    END IF;

    -- Rows that had gone for one that goes now.
    EXECUTE format('UPDATE %1$s AS w SET to_tab = v.to_tab, to_tid = v.to_tid
                    FROM %1$s AS v WHERE w.goes AND v.goes AND v.stamp = $1 AND v.tab = w.to_tab AND v.tid = w.to_tid', reached.work)
    USING step;
    EXECUTE format('UPDATE %1$s AS v SET pair = x.pair
                    FROM (SELECT w.to_tab, w.to_tid, min(w.pair) AS pair FROM %1$s AS w WHERE w.goes AND w.stamp = $1 GROUP BY w.to_tab, w.to_tid) AS x
                    WHERE v.pair IS NULL AND v.tab = x.to_tab AND v.tid = x.to_tid', reached.work)
    USING step;
    RETURN gone;
END $$;
COMMENT ON FUNCTION clean_collide(clean_table, oid, int4, int4, boolean, boolean) IS
'internal: lets rows go that a constraint finds to conflict, and returns their number; an error if they differ otherwise and no rules are given';
