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

-- A reference whose own column is generated points where the column's expression says.
CREATE FUNCTION clean_refuse_generated(child clean_table, link clean_reference, step int4) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    fixed name := (SELECT g.col FROM @extschema@.clean_generated(child.rel) AS g WHERE g.col = ANY (link.child_columns) LIMIT 1);
    is_turned boolean;
BEGIN
    IF fixed IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %s AS w WHERE w.stamp = $1 AND NOT w.goes AND ROW(w.o%s)::record *<> ROW(w.n%2$s)::record)',
                   child.work, array_position(child.columns, fixed)) INTO is_turned USING step;
    IF is_turned THEN
        RAISE EXCEPTION '% of % cannot be turned', link.shown, child.name
            USING ERRCODE = 'feature_not_supported', DETAIL = format('Column "%s" is generated.', fixed);
    END IF;
END $$;
COMMENT ON FUNCTION clean_refuse_generated(clean_table, clean_reference, int4) IS 'internal: an error if a step has turned a reference of a generated column';

-- Expressions of generated columns name all schemas but pg_catalog, and run with no other.
CREATE FUNCTION clean_regenerate(reached clean_table, step int4) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    statement text := @extschema@.clean_generate(reached);
BEGIN
    IF statement IS NOT NULL THEN
        EXECUTE statement USING step;
    END IF;
END $$;
COMMENT ON FUNCTION clean_regenerate(clean_table, int4) IS 'internal: computes generated columns again for rows that were changed at a step';

-- Turns references, lets rows go that have become the same, and goes on with what refers to these.
CREATE FUNCTION clean_spread(tables clean_table[], links clean_reference[], rules jsonb, path text, run_path text, locks boolean) RETURNS void
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
                CONTINUE WHEN links[l].child <> child.rel OR latest[parent] <= seen[l] OR links[l].rule = 'ask';
                step := step + 1;
                FOREACH statement IN ARRAY CASE WHEN links[l].rule IS NULL THEN @extschema@.clean_turn(child, tables[parent], links[l], seen[l], locks)
                                                ELSE @extschema@.clean_break(child, links[l], seen[l]) END LOOP
                    found := @extschema@.clean_execute(statement, run_path, step);
                    PERFORM @extschema@.clean_analyze(child.work, found);
                    IF found > 0 THEN
                        latest[c] := step;
                    END IF;
                END LOOP;
                seen[l] := step - 1;
                IF latest[c] = step THEN
                    PERFORM @extschema@.clean_refuse_generated(child, links[l], step);
                    PERFORM @extschema@.clean_regenerate(child, step);
                END IF;
            END LOOP;
            IF child.may_go AND latest[c] > met[c] AND child.turned <> '{}' THEN
                FOR index IN SELECT x.index FROM @extschema@.clean_constraints(child.rel) AS x (index)
                             WHERE @extschema@.clean_constraint_columns(x.index) && @extschema@.clean_moving(child) LOOP
                    LOOP
                        step := step + 1;
                        EXIT WHEN @extschema@.clean_collide(child, index, step, met[c], locks, own IS NOT NULL) = 0;
                        latest[c] := step;
                        IF own <> '{}' THEN
                            PERFORM @extschema@.clean_execute(@extschema@.clean_fold(child, own), path, step);
                            PERFORM @extschema@.clean_regenerate(child, step);
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
                USING ERRCODE = 'statement_too_complex', DETAIL = 'Each turn of a reference changes the key of another row.';
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_spread(clean_table[], clean_reference[], jsonb, text, text, boolean) IS
'internal: turns references to rows that go in the scratch tables, the first of which has the pairs'' rows; path: the search path for rules, run_path: for conditions';

-- A key that a row gives up and another takes keeps those who refer to it, but an action of their foreign key would reach
-- them: ON DELETE CASCADE deletes them, and RESTRICT refuses. A key of which the row that stays has no value is no key to turn to.
CREATE FUNCTION clean_check_links(tables clean_table[], links clean_reference[]) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    link @extschema@.clean_reference;
    parent @extschema@.clean_table;
    child @extschema@.clean_table;
    is_taken boolean;
    shown jsonb;
    rule jsonb;
BEGIN
    FOREACH link IN ARRAY links LOOP
        CONTINUE WHEN link.rule IS NOT NULL;
        SELECT t.* INTO parent FROM unnest(tables) AS t WHERE t.rel = link.parent;
        SELECT t.* INTO child FROM unnest(tables) AS t WHERE t.rel = link.child;
        EXECUTE format('SELECT to_jsonb(t.*) FROM %s AS w JOIN %s AS t ON t.tableoid = w.tab AND t.ctid = w.tid
                        WHERE w.moved AND NOT w.goes AND NOT w.cut && %L AND num_nulls(%s) = 0 AND num_nulls(%s) > 0 ORDER BY w.pair, w.tab, w.tid LIMIT 1', child.work, child.source, link.child_columns,
                       @extschema@.clean_values(child, link.child_columns, 'w.o'::text, '%s%s'::text, ', '::text),
                       @extschema@.clean_values(child, link.child_columns, 'w.n'::text, '%s%s'::text, ', '::text))
        INTO shown;
        IF shown IS NOT NULL THEN
            rule := (SELECT jsonb_object_agg(c.name, 'first') FROM unnest(link.parent_columns) AS c (name)
                     JOIN pg_attribute AS a ON a.attrelid = link.parent AND a.attname = c.name WHERE NOT a.attnotnull AND a.attgenerated = '');
            RAISE EXCEPTION 'a row of % would refer to nothing by %', child.name, link.shown
                USING ERRCODE = 'not_null_violation', DETAIL = format('Row %s refers to %s of %s, of which the row that stays has no value.', shown, array_to_string(link.parent_columns, ', '), parent.name),
                      HINT = CASE WHEN rule IS NULL THEN 'Say by rules what becomes of the columns that it is generated from.'
                                  ELSE format('Say what becomes of it, such as rules => %L.', CASE WHEN parent.rel = tables[1].rel THEN rule ELSE jsonb_build_object(parent.name, rule) END) END;
        END IF;
        CONTINUE WHEN NOT link.acts;
        EXECUTE format('SELECT EXISTS (SELECT FROM %1$s AS k JOIN %1$s AS g ON %2$s
                        WHERE NOT g.goes AND ROW(%3$s)::record *<> ROW(%4$s)::record AND (g.tab <> k.tab OR g.tid <> k.tid)
                              AND (k.goes OR ROW(%5$s)::record *<> ROW(%6$s)::record)
                              AND (EXISTS (SELECT FROM %8$s AS w WHERE %9$s AND NOT w.goes)
                                   OR EXISTS (SELECT FROM %7$s AS t WHERE %10$s AND NOT EXISTS (SELECT FROM %8$s AS w WHERE w.tab = t.tableoid AND w.tid = t.ctid))))', parent.work,
                       (SELECT string_agg(format('k.o%1$s %2$s g.n%1$s', array_position(parent.columns, c.name), c.operator), ' AND ')
                        FROM unnest(link.parent_columns, link.parent_operators) AS c (name, operator)),
                       @extschema@.clean_values(parent, link.parent_columns, 'g.o'::text, '%s%s'::text, ', '::text),
                       @extschema@.clean_values(parent, link.parent_columns, 'g.n'::text, '%s%s'::text, ', '::text),
                       @extschema@.clean_values(parent, link.parent_columns, 'k.o'::text, '%s%s'::text, ', '::text),
                       @extschema@.clean_values(parent, link.parent_columns, 'k.n'::text, '%s%s'::text, ', '::text),
                       link.source, child.work,
                       (SELECT string_agg(format('k.o%s %s w.n%s', array_position(parent.columns, c.parent), c.operator, array_position(child.columns, c.child)), ' AND ')
                        FROM unnest(link.parent_columns, link.operators, link.child_columns) AS c (parent, operator, child)),
                       (SELECT string_agg(format('k.o%s %s t.%I', array_position(parent.columns, c.parent), c.operator, c.child), ' AND ')
                        FROM unnest(link.parent_columns, link.operators, link.child_columns) AS c (parent, operator, child)))
        INTO is_taken;
        IF is_taken THEN
            RAISE EXCEPTION 'a row of % would take the key of another, to which % refers', parent.name, link.shown
                USING ERRCODE = 'feature_not_supported', DETAIL = 'The action of the foreign key would reach the rows that refer to the key.',
                      HINT = format('Keep %s as the row that stays has it, or have the foreign key without an action (NO ACTION).', array_to_string(link.parent_columns, ', '));
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_check_links(clean_table[], clean_reference[]) IS
'internal: an error if the action of a foreign key would reach rows that it should not, or a row would no longer refer to anything';

CREATE FUNCTION clean_check_image(rel oid, image record) RETURNS boolean
AS 'MODULE_PATHNAME', 'clean_check_image' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION clean_check_image(oid, record) IS 'internal: true if a row of a table obeys its checks and has what must not be null, else an error';

-- A row may break a check when its references are turned: somebody would follow himself. PostgreSQL finds out when rows are written, and
-- a dry run by this.
CREATE FUNCTION clean_check_rows(tables clean_table[], path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t @extschema@.clean_table;
BEGIN
    FOREACH t IN ARRAY tables LOOP
        PERFORM @extschema@.clean_execute(format('
            SELECT @extschema@.clean_check_image(%s::pg_catalog.oid, ROW(%s)::pg_catalog.record)
            FROM %s AS w JOIN %s AS t ON t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid CROSS JOIN LATERAL (SELECT %s) AS i
            WHERE %s AND ROW(%s)::pg_catalog.record OPERATOR(pg_catalog.*<>) ROW(%s)::pg_catalog.record', t.rel,
            (SELECT string_agg(format('i.%I', l.name), ', ' ORDER BY l.place) FROM unnest(t.live) WITH ORDINALITY AS l (name, place)),
            t.work, t.source, @extschema@.clean_image(t, 't'::text, 'w'::text), CASE WHEN t.retires THEN 'true' ELSE 'NOT w.goes' END,
            @extschema@.clean_values(t, t.columns, 'w.o'::text, '%s%s'::text, ', '::text), @extschema@.clean_values(t, t.columns, 'w.n'::text, '%s%s'::text, ', '::text)), path, NULL::int4);
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_check_rows(clean_table[], text) IS 'internal: an error if a row that changes would break a check';

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
CREATE FUNCTION clean_merge(rel regclass, key name, pairs text, rules jsonb, log text, dry_run boolean, referring jsonb, retire text, loops jsonb, path text)
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
    named @extschema@.clean_reference[] := '{}';
    links @extschema@.clean_reference[] := ARRAY(SELECT r FROM @extschema@.clean_references() AS r);
    loop_rules jsonb;
    retirement jsonb;
    run_path text;
    read_pairs text;
    refused text;
    decided timestamptz := clock_timestamp();
BEGIN
    IF rel IS NULL OR key IS NULL OR pairs IS NULL OR rules IS NULL OR dry_run IS NULL OR loops IS NULL THEN
        RAISE EXCEPTION 'arguments of merge_duplicates must not be null, but for log, referring and retire' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    SELECT c.* INTO class FROM pg_class AS c WHERE c.oid = rel;
    IF class.relkind IS NULL OR class.relkind NOT IN ('r', 'p') THEN
        RAISE EXCEPTION '% is not a table', @extschema@.clean_shown(rel, path) USING ERRCODE = 'wrong_object_type';
    ELSIF class.relispartition THEN
        RAISE EXCEPTION '% is a partition', @extschema@.clean_shown(rel, path)
            USING ERRCODE = 'wrong_object_type', HINT = format('Merge rows of the partitioned table, %s.', @extschema@.clean_shown(pg_partition_root(rel), path));
    END IF;
    SELECT coalesce(x.others -> rel::oid::text, '{}') || x.own, x.others INTO own, others FROM @extschema@.clean_rules(rules, path) AS x;
    SELECT format('%s%s', @extschema@.clean_type(a.atttypid, -1), coalesce((SELECT format(' COLLATE %I.%I', n.nspname, l.collname)
               FROM pg_collation AS l JOIN pg_namespace AS n ON n.oid = l.collnamespace WHERE l.oid = a.attcollation), '')),
           @extschema@.clean_equality(a.atttypid)
    INTO key_type, key_equal
    FROM pg_attribute AS a WHERE a.attrelid = rel AND a.attname = key AND a.attnum > 0 AND NOT a.attisdropped;
    IF key_type IS NULL THEN
        RAISE EXCEPTION 'column "%" of % does not exist', key, @extschema@.clean_shown(rel, path) USING ERRCODE = 'undefined_column';
    END IF;
    retirement := @extschema@.clean_retirement(rel, retire, path);
    -- A rule that is wrong is told by a query of the rule alone.
    PERFORM @extschema@.clean_execute(format('SELECT %s FROM %s AS kept, %2$s AS gone, (SELECT ''{}''::pg_catalog.bool[] AS is_newest) AS g LIMIT 0',
                                             @extschema@.clean_expression(t.key::oid, @extschema@.clean_shown(t.key::oid::regclass, path), c.key::name, c.value), t.key::oid::regclass), path, NULL::int4)
    FROM (SELECT rel::oid::text, own UNION ALL SELECT rel::oid::text, retirement UNION ALL SELECT o.key, o.value FROM jsonb_each(others) AS o) AS t (key, value), jsonb_each_text(t.value) AS c;

    PERFORM set_config('search_path', path, true);
    run_path := @extschema@.clean_run_path();
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    IF referring IS NOT NULL THEN
        named := ARRAY(SELECT r FROM @extschema@.clean_named_references(rel::oid, key, referring, path, run_path) AS r);
        links := links || named;
    ELSIF NOT EXISTS (SELECT FROM unnest(links) AS r WHERE r.parent = rel) THEN
        PERFORM @extschema@.clean_notice(rel, key, path);
    END IF;
    loop_rules := @extschema@.clean_loop_rules(loops, path);
    tables := ARRAY(SELECT t FROM @extschema@.clean_tables(rel::oid, key, others || jsonb_build_object(rel::oid, own || retirement), links, loop_rules, path) AS t);
    links := ARRAY(SELECT r FROM unnest(links) AS r
                   WHERE EXISTS (SELECT FROM unnest(tables) AS t WHERE t.rel = r.child AND t.turned @> r.child_columns)
                         AND EXISTS (SELECT FROM unnest(tables) AS t WHERE t.rel = r.parent));
    links := links || ARRAY(SELECT r FROM @extschema@.clean_loops(links, loop_rules) AS r);
    SELECT @extschema@.clean_shown(o.key::oid::regclass, path) INTO refused FROM jsonb_each(loop_rules) AS o
    WHERE o.key::oid NOT IN (SELECT r.child FROM unnest(links) AS r WHERE r.rule IS NOT NULL);
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION 'a merge of % makes no loops in %', @extschema@.clean_shown(rel, path), refused
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Loops are in tables that refer to themselves, or twice to one table.';
    END IF;
    links := ARRAY(SELECT r FROM unnest(links) AS r WHERE r.rule IS DISTINCT FROM 'keep');
    SELECT @extschema@.clean_shown(r.parent::regclass, path) INTO refused FROM unnest(named) AS r WHERE r.parent NOT IN (SELECT t.rel FROM unnest(tables) AS t);
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION 'referring names table %, of which a merge of % lets no rows go', refused, @extschema@.clean_shown(rel, path)
            USING ERRCODE = 'invalid_parameter_value', HINT = format('It reaches: %s.', (SELECT string_agg(t.name, ', ') FROM unnest(tables) AS t));
    END IF;
    SELECT @extschema@.clean_shown(o.key::oid::regclass, path) INTO refused FROM jsonb_each(others) AS o WHERE o.key::oid NOT IN (SELECT t.rel FROM unnest(tables) AS t);
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
    IF NOT dry_run THEN
        PERFORM @extschema@.clean_lock(named);
    END IF;
    -- The table itself is the first.
    tables := @extschema@.clean_order(ARRAY(SELECT t FROM unnest(tables) AS t ORDER BY t.rel <> clean_merge.rel, t.name), links);
    tables[1].retires := retire IS NOT NULL;
    FOR i IN 1 .. cardinality(tables) LOOP
        tables[i].work := @extschema@.clean_work(tables[i]);
    END LOOP;
    read_pairs := @extschema@.clean_pairs(tables[1], key, pairs, key_type, key_equal, path);
    PERFORM @extschema@.clean_locate(tables[1], key, read_pairs, key_equal, path, NOT dry_run);
    IF own <> '{}' THEN
        PERFORM @extschema@.clean_execute(@extschema@.clean_fold(tables[1], own), path, 1);
        PERFORM @extschema@.clean_regenerate(tables[1], 1);
    END IF;
    PERFORM @extschema@.clean_spread(tables, links, others, path, run_path, NOT dry_run);
    IF retire IS NOT NULL THEN
        PERFORM @extschema@.clean_execute(@extschema@.clean_retire(tables[1], links, retirement), path, 1);
    END IF;
    PERFORM @extschema@.clean_check_loops(tables, links, run_path);
    PERFORM @extschema@.clean_check_links(tables, links);
    IF dry_run THEN
        PERFORM @extschema@.clean_check_rows(tables, path);
    ELSE
        IF log IS NOT NULL THEN
            logged := @extschema@.clean_log(log, path);
            number := @extschema@.clean_number(logged, path);
        END IF;
        PERFORM @extschema@.clean_write(tables, read_pairs, logged, number, decided, path);
        PERFORM @extschema@.clean_keep_decisions(rel, read_pairs, decided);
    END IF;
    RETURN QUERY SELECT r.* FROM @extschema@.clean_report(tables, read_pairs, number) AS r;
    PERFORM @extschema@.clean_level(-1);
END $$;
COMMENT ON FUNCTION clean_merge(regclass, name, text, jsonb, text, boolean, jsonb, text, jsonb, text) IS 'internal: merge_duplicates, with the caller''s search path';

CREATE FUNCTION merge_duplicates(
    rel regclass, key name, pairs text, rules jsonb DEFAULT '{}', log text DEFAULT NULL, dry_run boolean DEFAULT false,
    referring jsonb DEFAULT NULL, retire text DEFAULT NULL, loops jsonb DEFAULT '{}')
RETURNS TABLE (merge bigint, gone text, kept text, changed jsonb, moved jsonb, went jsonb)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    RETURN QUERY SELECT m.* FROM @extschema@.clean_merge(rel, key, pairs, rules, log, dry_run, referring, retire, loops, pg_catalog.current_setting('search_path')) AS m;
END $$;
COMMENT ON FUNCTION merge_duplicates(regclass, name, text, jsonb, text, boolean, jsonb, text, jsonb) IS
'merges rows: pairs, a query, returns the row that goes and the row that stays; what refers to the first is turned to the second, whose columns follow rules; returns what was done for each pair; log: a table for the rows as they were, by which undo_merge puts them back; referring: the columns of tables that refer to rows without a foreign key, retire: assignments to rows that go, which then stay, loops: for tables, what becomes of rows both ends of which become one row: delete, null or keep';
