--
-- clean: a merge is taken back
--

-- Values of json and jsonb are texts in the log. A domain is checked when the value is written, since an object need not
-- have all columns.
CREATE FUNCTION clean_record(rel oid, columns name[], object text, alias text, OUT item text, OUT "values" text, OUT definition text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('jsonb_to_record(%s) AS %I (%s)', object, alias,
                  string_agg(format('%I %s', c.name, CASE WHEN t.is_json THEN 'text' ELSE t.name END), ', ' ORDER BY c.place)),
           string_agg(format('CAST(%I.%I AS %s)', alias, c.name, t.name), ', ' ORDER BY c.place),
           string_agg(format('%s%s %s', alias, c.place, t.name), ', ' ORDER BY c.place)
    FROM unnest(columns) WITH ORDINALITY AS c (name, place)
    JOIN pg_attribute AS a ON a.attrelid = rel AND a.attname = c.name AND a.attnum > 0 AND NOT a.attisdropped,
         LATERAL (SELECT format_type(b.type, -1) AS name, b.type IN ('json'::regtype, 'jsonb'::regtype) AS is_json
                  FROM @extschema@.clean_base(a.atttypid) AS b (type)) AS t
$$;
COMMENT ON FUNCTION clean_record(oid, name[], text, text) IS
'internal: how columns are read from an object of the log: an item of FROM, expressions, and the definition of columns for them, alias1, alias2 and so on';

-- Reads the entries of a table: those of rows that are gone, or those of rows that were changed. The settings are those
-- with which the entries were written.
CREATE FUNCTION clean_read_log(log regclass, merge bigint, rel oid, are_gone boolean, columns name[], keys name[]) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET intervalstyle = 'postgres' SET extra_float_digits = 3 SET lc_monetary = 'C' SET xmloption = 'content' AS $$
DECLARE
    b record;
    a record;
    k record;
    scratch text;
    rows bigint;
BEGIN
    SELECT x.* INTO b FROM @extschema@.clean_record(rel, columns, 'l.before'::text, 'b'::text) AS x;
    SELECT x.* INTO a FROM @extschema@.clean_record(rel, columns, 'coalesce(l.after, ''{}'')'::text, 'a'::text) AS x;
    SELECT x.* INTO k FROM @extschema@.clean_record(rel, keys, 'l.key'::text, 'k'::text) AS x;
    scratch := @extschema@.clean_scratch(rel || ' ' || are_gone,
        'place bigint, merged boolean, key jsonb, before jsonb, after jsonb, tab oid, tid tid, ' || concat_ws(', ', k.definition, b.definition, a.definition));
    EXECUTE format('INSERT INTO %s SELECT row_number() OVER (), l.action = ''merged'', l.key, l.before, l.after, NULL, NULL, %s
                    FROM %s AS l, %s WHERE l.merge = $1 AND l.rel = $2::regclass AND (l.action = ''gone'') = $3',
                   scratch, concat_ws(', ', k."values", b."values", a."values"), log, concat_ws(', ', k.item, b.item, a.item))
    USING merge, rel, are_gone;
    GET DIAGNOSTICS rows = ROW_COUNT;
    PERFORM @extschema@.clean_analyze(scratch, rows);
    RETURN scratch;
END $$;
COMMENT ON FUNCTION clean_read_log(regclass, bigint, oid, boolean, name[], name[]) IS 'internal: reads entries of the log into a scratch table';

-- Finds the rows that a merge has changed, and checks that they are as it left them.
CREATE FUNCTION clean_find(rel oid, source text, scratch text, columns name[], keys name[], force boolean, path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shown record;
    found text;
BEGIN
    IF @extschema@.clean_key(rel) IS NOT NULL THEN
        found := format('SELECT t.tableoid AS tab, t.ctid AS tid, w.place FROM %s AS t JOIN %s AS w ON %s FOR UPDATE OF t', source, scratch,
                        (SELECT string_agg(format('t.%I %s w.k%s', k.name, @extschema@.clean_equality(a.atttypid), k.place), ' AND ')
                         FROM unnest(keys) WITH ORDINALITY AS k (name, place) JOIN pg_attribute AS a ON a.attrelid = rel AND a.attname = k.name));
    ELSE
        -- Rows without a key that are the same in all columns stand for each other.
        found := format('SELECT x.tab, x.tid, y.place
                         FROM (SELECT t.tableoid AS tab, t.ctid AS tid, ROW(%1$s)::text AS image, row_number() OVER (PARTITION BY ROW(%1$s)::text) AS number FROM %2$s AS t) AS x
                         JOIN (SELECT w.place, ROW(%3$s)::text AS image, row_number() OVER (PARTITION BY ROW(%3$s)::text) AS number FROM %4$s AS w) AS y
                              ON x.image = y.image AND x.number = y.number',
                        (SELECT string_agg(format('t.%I', k.name), ', ' ORDER BY k.place) FROM unnest(keys) WITH ORDINALITY AS k (name, place)), source,
                        (SELECT string_agg(format('w.k%s', k.place), ', ' ORDER BY k.place) FROM unnest(keys) WITH ORDINALITY AS k (name, place)), scratch);
    END IF;
    EXECUTE format('UPDATE %s AS w SET tab = x.tab, tid = x.tid FROM (%s) AS x WHERE w.place = x.place', scratch, found);
    EXECUTE format('SELECT w.key, w.before FROM %s AS w WHERE w.tid IS NULL ORDER BY w.place LIMIT 1', scratch) INTO shown;
    IF shown.key IS NOT NULL THEN
        RAISE EXCEPTION 'a row of % that the merge has changed is no longer there', @extschema@.clean_shown(rel::regclass, path)
            USING ERRCODE = 'no_data_found', DETAIL = format('Row %s would get %s.', shown.key, shown.before),
                  HINT = 'Undo later merges first, if any has changed the row.';
    END IF;
    EXECUTE format('SELECT w.key, w.after, to_jsonb(t.*) AS now FROM %s AS w JOIN %s AS t ON t.tableoid = w.tab AND t.ctid = w.tid
                    WHERE NOT ($1 AND w.merged) AND (%s) ORDER BY w.place LIMIT 1', scratch, source,
                   (SELECT string_agg(format('w.before ? %L AND ROW(CAST(t.%I AS %s))::record *<> ROW(w.a%s)::record', c.name, c.name,
                                             format_type(@extschema@.clean_base(a.atttypid), -1), c.place), ' OR ')
                    FROM unnest(columns) WITH ORDINALITY AS c (name, place) JOIN pg_attribute AS a ON a.attrelid = rel AND a.attname = c.name))
    INTO shown USING force;
    IF shown.key IS NOT NULL THEN
        RAISE EXCEPTION 'a row of % has changed since the merge', @extschema@.clean_shown(rel::regclass, path)
            USING ERRCODE = 'triggered_data_change_violation', DETAIL = format('Row %s is %s, and the merge left %s.', shown.key, shown.now, shown.after),
                  HINT = 'Undo later merges first, if any has changed the row; force => true overrides columns of rows that stayed.';
    END IF;
END $$;
COMMENT ON FUNCTION clean_find(oid, text, text, name[], name[], boolean, text) IS 'internal: finds the rows that a merge has changed';

CREATE FUNCTION clean_puts_back() RETURNS boolean
AS 'MODULE_PATHNAME', 'clean_puts_back' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION clean_puts_back() IS
'internal: has guards let pass what the statement that calls it inserts; returns true';

-- Scratch tables have no statistics at first, and what is guessed of them would have small statements compiled.
CREATE FUNCTION clean_undo(log regclass, number bigint, force boolean, trust boolean, path text) RETURNS TABLE (rel regclass, returned bigint, changed bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    entry record;
    source text;
    scratch text;
    updates text[] := '{}';
    inserts text[] := '{}';
    counts text[] := '{}';
    expected bigint[] := '{}';
    written bigint[];
    tables regclass[] := '{}';
    statement text;
    rows bigint;
BEGIN
    IF log IS NULL OR number IS NULL OR force IS NULL OR trust IS NULL THEN
        RAISE EXCEPTION 'arguments of undo_merge must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM @extschema@.clean_log(log::text, path);
    EXECUTE format('UPDATE %s AS l SET undone = now() WHERE l.merge = $1 AND l.undone IS NULL', log) USING number;
    GET DIAGNOSTICS rows = ROW_COUNT;
    IF rows = 0 THEN
        RAISE EXCEPTION 'log % has no merge % to undo', @extschema@.clean_shown(log, path), number
            USING ERRCODE = 'no_data_found', HINT = 'Its entries are not there, or the merge has been undone, as their column undone says.';
    END IF;
    IF NOT trust THEN
        PERFORM @extschema@.clean_check_writers(log, path);
    END IF;
    PERFORM @extschema@.clean_level(1);
    FOR entry IN EXECUTE format('
        WITH entry AS (SELECT l.rel, l.action = ''gone'' AS are_gone, l.key, l.before FROM %1$s AS l WHERE l.merge = $1)
        SELECT e.rel, e.are_gone, e.rows,
               ARRAY(SELECT DISTINCT k.key::name FROM entry AS x, jsonb_object_keys(x.before) AS k (key) WHERE x.rel = e.rel AND x.are_gone = e.are_gone) AS columns,
               ARRAY(SELECT k.key::name FROM jsonb_object_keys(e.key) AS k (key)) AS keys
        FROM (SELECT e.rel, e.are_gone, count(*) AS rows, (array_agg(e.key))[1] AS key FROM entry AS e GROUP BY e.rel, e.are_gone) AS e ORDER BY 1, 2', log) USING number
    LOOP
        -- The tables that initdb has made have lesser numbers than all others.
        IF entry.rel::oid < 16384 THEN
            RAISE EXCEPTION 'log % names a table of the system', @extschema@.clean_shown(log, path) USING ERRCODE = 'insufficient_privilege';
        END IF;
        SELECT string_agg(quote_ident(c.name), ', ') INTO statement FROM unnest(entry.columns || entry.keys) AS c (name)
        WHERE NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = entry.rel AND a.attname = c.name AND a.attnum > 0 AND NOT a.attisdropped);
        IF statement IS NOT NULL THEN
            RAISE EXCEPTION 'table % has no longer the columns of the log', @extschema@.clean_shown(entry.rel, path)
                USING ERRCODE = 'undefined_column', DETAIL = format('The log has values of: %s.', statement);
        END IF;
        entry.columns := ARRAY(SELECT c.name FROM unnest(entry.columns) AS c (name)
                               JOIN pg_attribute AS a ON a.attrelid = entry.rel AND a.attname = c.name WHERE a.attgenerated = '' ORDER BY a.attnum);
        source := (SELECT format('%s%s', CASE c.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END, entry.rel) FROM pg_class AS c WHERE c.oid = entry.rel);
        scratch := @extschema@.clean_read_log(log, number, entry.rel::oid, entry.are_gone, entry.columns, entry.keys);
        tables := tables || entry.rel;
        expected := expected || entry.rows;
        IF entry.are_gone THEN
            inserts := inserts || format('i%s AS (INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s AS w
                                          WHERE (SELECT u.rows FROM updated AS u) OPERATOR(pg_catalog.>=) 0 AND @extschema@.clean_puts_back() RETURNING 1)', cardinality(tables), entry.rel,
                (SELECT string_agg(quote_ident(c.name), ', ' ORDER BY c.place) FROM unnest(entry.columns) WITH ORDINALITY AS c (name, place)),
                (SELECT string_agg(format('w.b%s', c.place), ', ' ORDER BY c.place) FROM unnest(entry.columns) WITH ORDINALITY AS c (name, place)), scratch);
            counts := counts || format('(SELECT pg_catalog.count(*) FROM i%s AS i)', cardinality(tables));
        ELSE
            PERFORM @extschema@.clean_find(entry.rel::oid, source, scratch, entry.columns, entry.keys, force, path);
            updates := updates || format('u%s AS (UPDATE %s AS t SET %s FROM %s AS w
                                          WHERE t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid RETURNING 1)',
                cardinality(tables), source,
                (SELECT string_agg(format('%1$I = CASE WHEN w.before OPERATOR(pg_catalog.?) %1$L::pg_catalog.text THEN w.b%2$s ELSE t.%1$I END', c.name, c.place), ', ')
                 FROM unnest(entry.columns) WITH ORDINALITY AS c (name, place)), scratch);
            counts := counts || format('(SELECT pg_catalog.count(*) FROM u%s AS u)', cardinality(tables));
        END IF;
    END LOOP;
    -- Rows return when what was theirs alone has been taken from others.
    statement := format('WITH %s SELECT ARRAY[%s]',
        array_to_string(updates || format('updated (rows) AS (SELECT %s)', coalesce((
            SELECT string_agg(c.count, ' OPERATOR(pg_catalog.+) ') FROM unnest(counts) AS c (count) WHERE c.count LIKE '%FROM u%'), '0')) || inserts, ', '),
        array_to_string(counts, ', '));
    PERFORM set_config('search_path', path, true);
    EXECUTE statement INTO written;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    FOR place IN 1 .. cardinality(expected) LOOP
        IF written[place] <> expected[place] THEN
            RAISE EXCEPTION 'rows of % were not put back', @extschema@.clean_shown(tables[place], path)
                USING ERRCODE = 'triggered_action_exception', DETAIL = format('%s of %s rows were.', written[place], expected[place]),
                      HINT = 'A trigger, a rule or a policy has kept rows from being inserted or changed.';
        END IF;
    END LOOP;
    PERFORM @extschema@.clean_return_decisions(log, number);
    PERFORM @extschema@.clean_level(-1);
    RETURN QUERY SELECT t.rel, coalesce(sum(t.written) FILTER (WHERE t.count LIKE '%FROM i%'), 0)::bigint, coalesce(sum(t.written) FILTER (WHERE t.count LIKE '%FROM u%'), 0)::bigint
                 FROM unnest(tables, written, counts) AS t (rel, written, count) GROUP BY t.rel ORDER BY t.rel::text;
END $$;
COMMENT ON FUNCTION clean_undo(regclass, bigint, boolean, boolean, text) IS 'internal: undo_merge, with the caller''s search path';

CREATE FUNCTION undo_merge(log regclass, number bigint, force boolean DEFAULT false, trust boolean DEFAULT false)
RETURNS TABLE (rel regclass, returned bigint, changed bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    RETURN QUERY SELECT u.* FROM @extschema@.clean_undo(log, number, force, trust, pg_catalog.current_setting('search_path')) AS u;
END $$;
COMMENT ON FUNCTION undo_merge(regclass, bigint, boolean, boolean) IS
'takes back a merge, by its log and its number: rows that went return, and what was turned or merged gets its values again; returns the rows of each table that returned and changed; force: also where columns of a row that stayed have changed since; trust: also if roles may write to the log that could not write by the caller''s rights';
