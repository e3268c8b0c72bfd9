--
-- clean: a merge is taken back
--

-- What became of the columns that the log has values of. The first entry of a table in a call has the numbers and types of
-- its columns; a dump keeps no numbers, but gives the table another one. Without such an entry, or in another table, a
-- column is the one of its name, and a type too. A type is as good as another if PostgreSQL casts to it without being asked, or if it is
-- the same with more room.
CREATE FUNCTION clean_columns_now(rel oid, names name[], shape jsonb, OUT name name, OUT col name, OUT was text, OUT is_now text, OUT fits boolean) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT n.name, a.attname, t.was, t.is_now,
           a.attname IS NULL OR t.was IS NULL OR t.was = t.is_now
           OR CASE WHEN t.old = a.atttypid
                   THEN a.atttypmod = -1 OR t.room_was <> '{}' AND cardinality(t.room_was) = cardinality(t.room)
                        AND t.room[1] - coalesce(t.room[2], 0) >= t.room_was[1] - coalesce(t.room_was[2], 0) AND coalesce(t.room[2] >= t.room_was[2], true)
                   ELSE EXISTS (SELECT FROM pg_cast AS c WHERE c.castsource = t.old AND c.casttarget = a.atttypid AND c.castcontext = 'i') AND a.atttypmod = -1 END
    FROM unnest(names) WITH ORDINALITY AS n (name, place)
    LEFT JOIN LATERAL (
        SELECT x.* FROM pg_attribute AS x
        WHERE x.attrelid = rel AND x.attnum > 0 AND NOT x.attisdropped
              AND (x.attname = n.name OR (shape ->> 'rel')::oid = rel AND x.attnum = (shape -> 'columns' -> n.name::text ->> 0)::int2)
        ORDER BY ((shape ->> 'rel')::oid = rel AND x.attnum = (shape -> 'columns' -> n.name::text ->> 0)::int2) DESC NULLS LAST LIMIT 1) AS a ON true,
    LATERAL (SELECT coalesce((SELECT format_type(y.oid, (shape -> 'columns' -> n.name::text ->> 3)::int4) FROM pg_type AS y
                              WHERE (shape ->> 'rel')::oid = rel AND y.oid = (shape -> 'columns' -> n.name::text ->> 2)::oid),
                             shape -> 'columns' -> n.name::text ->> 1) AS was) AS w,
    LATERAL (SELECT w.was, format_type(a.atttypid, a.atttypmod) AS is_now, to_regtype(w.was)::oid AS old,
                    ARRAY(SELECT m[1]::int FROM regexp_matches(substring(w.was FROM '\([0-9,]+\)'), '\d+', 'g') AS m) AS room_was,
                    ARRAY(SELECT m[1]::int FROM regexp_matches(substring(format_type(a.atttypid, a.atttypmod) FROM '\([0-9,]+\)'), '\d+', 'g') AS m) AS room) AS t
    ORDER BY n.place
$$;
COMMENT ON FUNCTION clean_columns_now(oid, name[], jsonb) IS
'internal: for names of columns in the log, the columns that these are now, their types then and now, and whether what was of the one is of the other';

-- Values of json and jsonb are texts in the log. A value of a type that has changed is cast as ALTER TABLE casts it. A domain is checked when the value is written, since an object need not
-- have all columns.
CREATE FUNCTION clean_record(rel oid, names name[], columns name[], types text[], object text, alias text, OUT item text, OUT "values" text, OUT definition text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(format('jsonb_to_record(%s) AS %I (%s)', object, alias, string_agg(format('%I %s', c.name, t.read), ', ' ORDER BY c.place)), format('(SELECT) AS %I', alias)),
           string_agg(format('CAST(%I.%I AS %s)', alias, c.name, t.name), ', ' ORDER BY c.place),
           string_agg(format('%s%s %s', alias, c.place, t.name), ', ' ORDER BY c.place)
    FROM unnest(names, columns, types) WITH ORDINALITY AS c (name, col, type, place)
    JOIN pg_attribute AS a ON a.attrelid = rel AND a.attname = c.col AND a.attnum > 0 AND NOT a.attisdropped,
         @extschema@.clean_base(a.atttypid) AS b (type), to_regtype(c.type) AS old (type),
         LATERAL (SELECT format_type(b.type, -1) AS name,
                         CASE WHEN EXISTS (SELECT FROM pg_cast AS p WHERE p.castsource = old.type AND p.casttarget = b.type) THEN format_type(old.type, -1)
                              WHEN b.type IN ('json'::regtype, 'jsonb'::regtype) OR old.type <> b.type THEN 'text' ELSE format_type(b.type, -1) END AS read) AS t
$$;
COMMENT ON FUNCTION clean_record(oid, name[], name[], text[], text, text) IS
'internal: how columns are read from an object of the log, names and types: as they were: an item of FROM, expressions, and the definition of columns for them, alias1, alias2 and so on';

-- Entries of a table in a merge that are put back in one way: rows that were deleted, that retired, or that were changed.
CREATE TYPE clean_entries AS (
    rel oid,
    kind text,
    rows bigint,
    names name[],
    columns name[],
    types text[],
    key_names name[],
    keys name[],
    key_types text[],
    had_key boolean,
    source text,
    scratch text
);
COMMENT ON TYPE clean_entries IS
'internal: entries of the log that are put back in one way; names: columns as the log calls them, columns: as they are called now, types: those that they had, had_key: whether the keys are less than the whole row';

-- Reads the entries of a kind. The settings are those with which the entries were written.
CREATE FUNCTION clean_read_log(log regclass, merge bigint, e clean_entries, path text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET intervalstyle = 'postgres' SET extra_float_digits = 3 SET lc_monetary = 'C' SET xmloption = 'content' AS $$
DECLARE
    b record;
    a record;
    k record;
    scratch text;
    rows bigint;
BEGIN
    SELECT x.* INTO b FROM @extschema@.clean_record(e.rel, e.names, e.columns, e.types, 'l.before'::text, 'b'::text) AS x;
    SELECT x.* INTO a FROM @extschema@.clean_record(e.rel, e.names, e.columns, e.types, 'coalesce(l.after, ''{}'')'::text, 'a'::text) AS x;
    SELECT x.* INTO k FROM @extschema@.clean_record(e.rel, e.key_names, e.keys, e.key_types, 'l.key'::text, 'k'::text) AS x;
    scratch := @extschema@.clean_scratch(e.rel || ' ' || e.kind,
        concat_ws(', ', 'place bigint, merged boolean, key jsonb, before jsonb, after jsonb, tab oid, tid tid', k.definition, b.definition, a.definition));
    EXECUTE format('INSERT INTO %s SELECT %s
                    FROM %s AS l, %s WHERE l.merge = $1 AND l.rel = $2::regclass AND CASE WHEN l.action IN (''gone'', ''retired'') THEN l.action ELSE ''changed'' END = $3',
                   scratch, concat_ws(', ', 'row_number() OVER (), l.action <> ''moved'', l.key, l.before, l.after, NULL, NULL', k."values", b."values", a."values"),
                   log, concat_ws(', ', k.item, b.item, a.item))
    USING merge, e.rel, e.kind;
    GET DIAGNOSTICS rows = ROW_COUNT;
    PERFORM @extschema@.clean_analyze(scratch, rows);
    RETURN scratch;
EXCEPTION
WHEN data_exception OR cannot_coerce THEN
    RAISE EXCEPTION 'the log has values that columns of % cannot have now', @extschema@.clean_shown(e.rel::regclass, path)
        USING ERRCODE = SQLSTATE, DETAIL = format('%s.', upper(left(SQLERRM, 1)) || substr(SQLERRM, 2)), HINT = 'A type of a column has changed since the merge.';
END $$;
COMMENT ON FUNCTION clean_read_log(regclass, bigint, clean_entries, text) IS 'internal: reads entries of the log into a scratch table';

-- The entries of a merge by table and kind, those of rows that stayed first, and what of them cannot be put back, as sentences;
-- is_lost: also with force.
CREATE FUNCTION clean_entries_of(log regclass, number bigint, path text, OUT entries clean_entries[], OUT lacks text[], OUT is_lost boolean)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry record;
    shown text;
    lost text[] := '{}';
    e @extschema@.clean_entries;
BEGIN
    entries := '{}';
    lacks := '{}';
    FOR entry IN EXECUTE format('
        WITH entry AS (SELECT l.rel, CASE WHEN l.action IN (''gone'', ''retired'') THEN l.action ELSE ''changed'' END AS kind, l.key, l.before, l.columns FROM %1$s AS l WHERE l.merge = $1)
        SELECT e.rel, e.kind, e.rows, (SELECT x.columns FROM entry AS x WHERE x.rel = e.rel AND x.columns IS NOT NULL LIMIT 1) AS shape,
               ARRAY(SELECT DISTINCT k.key::name FROM entry AS x, jsonb_object_keys(x.before) AS k (key) WHERE x.rel = e.rel AND x.kind = e.kind) AS names,
               ARRAY(SELECT k.key::name FROM jsonb_object_keys(e.key) AS k (key)) AS keys
        FROM (SELECT e.rel, e.kind, count(*) AS rows, (array_agg(e.key))[1] AS key FROM entry AS e GROUP BY e.rel, e.kind) AS e
        ORDER BY e.kind <> ''changed'', e.rel, e.kind DESC', log) USING number
    LOOP
        -- The tables that initdb has made have lesser numbers than all others.
        IF entry.rel::oid < 16384 THEN
            RAISE EXCEPTION 'log % names a table of the system', @extschema@.clean_shown(log, path) USING ERRCODE = 'insufficient_privilege';
        ELSIF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = entry.rel) THEN
            lacks := lacks || format('Table %s is no longer there.', coalesce(entry.shape ->> 'name', entry.rel::text));
            CONTINUE;
        END IF;
        shown := @extschema@.clean_shown(entry.rel, path);
        e := NULL;
        e.rel := entry.rel;
        e.kind := entry.kind;
        e.rows := entry.rows;
        lacks := lacks || ARRAY(SELECT CASE WHEN n.col IS NULL THEN format('Column "%s" of %s is no longer there.', n.name, shown)
                                            ELSE format('Column "%s" of %s was of type %s, and is of type %s.', n.col, shown, n.was, n.is_now) END
                                FROM @extschema@.clean_columns_now(e.rel, entry.names || CASE WHEN e.kind = 'gone' THEN '{}' ELSE entry.keys END, entry.shape) AS n
                                LEFT JOIN pg_attribute AS a ON a.attrelid = e.rel AND a.attname = n.col
                                WHERE (n.col IS NULL OR NOT n.fits) AND (n.col IS NULL OR a.attgenerated = '') GROUP BY n.name, n.col, n.was, n.is_now);
        SELECT array_agg(n.name ORDER BY a.attnum), array_agg(n.col ORDER BY a.attnum), array_agg(n.was ORDER BY a.attnum) INTO e.names, e.columns, e.types
        FROM @extschema@.clean_columns_now(e.rel, entry.names, entry.shape) AS n
        JOIN pg_attribute AS a ON a.attrelid = e.rel AND a.attname = n.col WHERE a.attgenerated = '';
        SELECT array_agg(n.name), array_agg(n.col), array_agg(n.was) INTO e.key_names, e.keys, e.key_types FROM @extschema@.clean_columns_now(e.rel, entry.keys, entry.shape) AS n WHERE n.col IS NOT NULL;
        e.had_key := (SELECT count(*) FROM jsonb_object_keys(entry.shape -> 'columns')) > cardinality(entry.keys);
        e.source := (SELECT format('%s%I.%I', CASE c.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END, s.nspname, c.relname) FROM pg_class AS c JOIN pg_namespace AS s ON s.oid = c.relnamespace WHERE c.oid = e.rel);
        IF e.kind = 'gone' AND NOT @extschema@.clean_fills(e.rel, true) THEN
            lost := lost || ARRAY(SELECT format('Column "%s" of %s must not be null, has no default, and has no value in the log.', a.attname, shown)
                                  FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
                                  WHERE a.attrelid = e.rel AND a.attnum > 0 AND NOT a.attisdropped AND (a.attnotnull OR t.typnotnull) AND NOT a.atthasdef AND t.typdefault IS NULL
                                        AND a.attidentity = '' AND a.attname <> ALL (coalesce(e.columns, '{}')) ORDER BY a.attnum);
        ELSIF e.kind <> 'gone' AND cardinality(e.keys) IS DISTINCT FROM cardinality(entry.keys) AND (coalesce(e.had_key, true) OR e.keys IS NULL) THEN
            lost := lost || format('Rows of %s cannot be found again without %s.', shown, array_to_string(entry.keys, ', '));
        END IF;
        CONTINUE WHEN e.columns IS NULL;
        entries := entries || e;
    END LOOP;
    is_lost := lost <> '{}';
    lacks := ARRAY(SELECT l.sentence FROM unnest(lacks || lost) WITH ORDINALITY AS l (sentence, place) GROUP BY l.sentence ORDER BY min(l.place));
END $$;
COMMENT ON FUNCTION clean_entries_of(regclass, bigint, text) IS 'internal: the entries of a merge by table and kind, and what of them cannot be put back';

-- Finds the rows that a merge has changed, and checks that they are as it left them.
CREATE FUNCTION clean_find(e clean_entries, force boolean, path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shown record;
    name text := @extschema@.clean_shown(e.rel::regclass, path);
    found text;
BEGIN
    IF EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = e.rel AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indnkeyatts = cardinality(e.keys)
                     AND NOT EXISTS (SELECT FROM generate_series(0, i.indnkeyatts - 1) AS p (place) LEFT JOIN pg_attribute AS a ON a.attrelid = e.rel AND a.attnum = i.indkey[p.place]
                                     WHERE (a.attname = ANY (e.keys) AND a.attnotnull) IS NOT TRUE)) THEN
        found := format('SELECT t.tableoid AS tab, t.ctid AS tid, w.place FROM %s AS t JOIN %s AS w ON %s FOR UPDATE OF t', e.source, e.scratch,
                        (SELECT string_agg(format('t.%I %s w.k%s', k.name, @extschema@.clean_equality(a.atttypid), k.place), ' AND ')
                         FROM unnest(e.keys) WITH ORDINALITY AS k (name, place) JOIN pg_attribute AS a ON a.attrelid = e.rel AND a.attname = k.name));
    ELSE
        IF e.had_key THEN
            EXECUTE format('SELECT w.key FROM %s AS w JOIN %s AS t ON ROW(%s)::text = ROW(%s)::text GROUP BY w.place, w.key HAVING count(*) > 1 ORDER BY w.place LIMIT 1', e.scratch, e.source,
                           (SELECT string_agg(format('t.%I', k.name), ', ' ORDER BY k.place) FROM unnest(e.keys) WITH ORDINALITY AS k (name, place)),
                           (SELECT string_agg(format('w.k%s', k.place), ', ' ORDER BY k.place) FROM unnest(e.keys) WITH ORDINALITY AS k (name, place))) INTO shown;
            IF shown.key IS NOT NULL THEN
                RAISE EXCEPTION 'several rows of % have the key of one that the merge has changed', name
                    USING ERRCODE = 'cardinality_violation', DETAIL = format('They have %s, which was a key then.', shown.key);
            END IF;
        END IF;
        -- Rows without a key that are the same in all columns stand for each other.
        found := format('SELECT x.tab, x.tid, y.place
                         FROM (SELECT t.tableoid AS tab, t.ctid AS tid, ROW(%1$s)::text AS image, row_number() OVER (PARTITION BY ROW(%1$s)::text) AS number FROM %2$s AS t) AS x
                         JOIN (SELECT w.place, ROW(%3$s)::text AS image, row_number() OVER (PARTITION BY ROW(%3$s)::text) AS number FROM %4$s AS w) AS y
                              ON x.image = y.image AND x.number = y.number',
                        (SELECT string_agg(format('t.%I', k.name), ', ' ORDER BY k.place) FROM unnest(e.keys) WITH ORDINALITY AS k (name, place)), e.source,
                        (SELECT string_agg(format('w.k%s', k.place), ', ' ORDER BY k.place) FROM unnest(e.keys) WITH ORDINALITY AS k (name, place)), e.scratch);
    END IF;
    EXECUTE format('UPDATE %s AS w SET tab = x.tab, tid = x.tid FROM (%s) AS x WHERE w.place = x.place', e.scratch, found);
    EXECUTE format('SELECT w.key, w.before FROM %s AS w WHERE w.tid IS NULL ORDER BY w.place LIMIT 1', e.scratch) INTO shown;
    IF shown.key IS NOT NULL THEN
        RAISE EXCEPTION 'a row of % that the merge has changed is no longer there', name
            USING ERRCODE = 'no_data_found', DETAIL = format('Row %s would get %s.', shown.key, shown.before),
                  HINT = 'Undo later merges first, if any has changed the row.';
    END IF;
    EXECUTE format('SELECT w.key, w.after, to_jsonb(t.*) AS now FROM %s AS w JOIN %s AS t ON t.tableoid = w.tab AND t.ctid = w.tid
                    WHERE NOT ($1 AND w.merged) AND (%s) ORDER BY w.place LIMIT 1', e.scratch, e.source,
                   (SELECT string_agg(format('w.before ? %L AND ROW(CAST(t.%I AS %s))::record *<> ROW(w.a%s)::record', c.name, c.col,
                                             format_type(@extschema@.clean_base(a.atttypid), -1), c.place)
                                      -- 3.25 is the same as 3.250 where the type has changed.
                                      || CASE WHEN c.type <> format_type(a.atttypid, a.atttypmod) THEN format(' AND (t.%I %s w.a%s) IS NOT TRUE', c.col, @extschema@.clean_equality(a.atttypid), c.place) ELSE '' END, ' OR ')
                    FROM unnest(e.names, e.columns, e.types) WITH ORDINALITY AS c (name, col, type, place) JOIN pg_attribute AS a ON a.attrelid = e.rel AND a.attname = c.col))
    INTO shown USING force;
    IF shown.key IS NOT NULL THEN
        RAISE EXCEPTION 'a row of % has changed since the merge', name
            USING ERRCODE = 'triggered_data_change_violation', DETAIL = format('Row %s is %s, and the merge left %s.', shown.key, shown.now, shown.after),
                  HINT = 'Undo later merges first, if any has changed the row; force => true overrides columns of rows that stayed.';
    END IF;
END $$;
COMMENT ON FUNCTION clean_find(clean_entries, boolean, text) IS 'internal: finds the rows that a merge has changed';

-- A trigger may give a row what it lacks before it is written.
CREATE FUNCTION clean_fills(rel oid, is_insert boolean) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_trigger AS t
                   WHERE t.tgrelid IN (SELECT p.relid FROM pg_partition_tree(rel) AS p UNION SELECT rel) AND NOT t.tgisinternal AND t.tgenabled <> 'D'
                         AND t.tgtype & 3 = 3 AND t.tgtype & CASE WHEN is_insert THEN 4 ELSE 16 END <> 0)
$$;
COMMENT ON FUNCTION clean_fills(oid, boolean) IS 'internal: whether a table has triggers before each row that is inserted, or updated';

-- A check or NOT NULL that has come since is told before anything is written. A default that is volatile is not computed
-- for that; then PostgreSQL tells when it writes.
CREATE FUNCTION clean_check_back(e clean_entries, path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    image text;
    generated text;
    is_told boolean;
    has_text boolean;
    back record;
BEGIN
    SELECT string_agg(format('%s AS %I', CASE WHEN c.place IS NULL AND e.kind <> 'gone' THEN format('t.%I', a.attname)
                                              WHEN c.place IS NULL THEN CASE WHEN a.atthasdef AND a.attgenerated = '' THEN format('CAST((%s) AS %s)', pg_get_expr(d.adbin, d.adrelid), @extschema@.clean_type(a.atttypid, a.atttypmod))
                                                                             ELSE format('CAST(NULL AS %s)', @extschema@.clean_type(@extschema@.clean_base(a.atttypid), -1)) END
                                              WHEN e.kind = 'gone' THEN format('w.b%s', c.place)
                                              ELSE format('CASE WHEN w.before OPERATOR(pg_catalog.?) %L::pg_catalog.text THEN w.b%s ELSE CAST(t.%I AS %s) END', e.names[c.place], c.place, a.attname, @extschema@.clean_type(@extschema@.clean_base(a.atttypid), -1)) END, a.attname), ', ' ORDER BY a.attnum),
           string_agg(CASE WHEN g.expression IS NOT NULL THEN format('CAST((%s) AS %s)', g.expression, @extschema@.clean_type(@extschema@.clean_base(a.atttypid), -1)) ELSE format('i.%I', a.attname) END, ', ' ORDER BY a.attnum),
           bool_or(e.kind = 'gone' AND c.place IS NULL AND a.attgenerated = ''
                   AND (a.attidentity <> '' OR a.atthasdef AND EXISTS (SELECT FROM regexp_matches(d.adbin::text, ':(?:funcid|opfuncid) (\d+)', 'g') AS m (ids) JOIN pg_proc AS p ON p.oid = m.ids[1]::oid AND p.provolatile = 'v'))),
           bool_or(g.expression IS NOT NULL OR e.kind = 'gone' AND c.place IS NULL AND a.atthasdef)
    INTO image, generated, is_told, has_text
    FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum LEFT JOIN @extschema@.clean_generated(e.rel) AS g ON g.col = a.attname,
         array_position(e.columns, a.attname) AS c (place)
    WHERE a.attrelid = e.rel AND a.attnum > 0 AND NOT a.attisdropped;
    IF is_told OR @extschema@.clean_fills(e.rel, e.kind = 'gone') THEN
        RETURN;
    END IF;
    IF NOT has_text THEN
        PERFORM @extschema@.clean_execute(format('SELECT @extschema@.clean_check_image(%s::pg_catalog.oid, ROW(%s)::pg_catalog.record) FROM (SELECT %s FROM %s AS w%s) AS i', e.rel, generated, image, e.scratch,
            CASE WHEN e.kind = 'gone' THEN '' ELSE format(' JOIN %s AS t ON t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid', e.source) END), path, NULL::int4);
        RETURN;
    END IF;
    -- Expressions of the table name all schemas but pg_catalog; functions that checks call may rely on the caller's path.
    FOR back IN EXECUTE format('SELECT (SELECT ROW(%s)::record FROM (SELECT %s) AS i) AS image FROM %s AS w%s', generated, image, e.scratch,
                               CASE WHEN e.kind = 'gone' THEN '' ELSE format(' JOIN %s AS t ON t.tableoid = w.tab AND t.ctid = w.tid', e.source) END) LOOP
        PERFORM set_config('search_path', path, true);
        PERFORM @extschema@.clean_check_image(e.rel, back.image);
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_check_back(clean_entries, text) IS 'internal: an error if a row that is put back would break a check';

CREATE FUNCTION clean_puts_back() RETURNS boolean
AS 'MODULE_PATHNAME', 'clean_puts_back' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION clean_puts_back() IS
'internal: has guards let pass what the statement that calls it inserts; returns true';

-- Scratch tables have no statistics at first, and what is guessed of them would have small statements compiled.
CREATE FUNCTION clean_undo(log regclass, number bigint, force boolean, trust boolean, path text) RETURNS TABLE (rel regclass, returned bigint, changed bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    back record;
    e @extschema@.clean_entries;
    first text[] := '{}';
    next text[] := '{}';
    counts text[] := '{}';
    written bigint[];
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
    SELECT x.* INTO back FROM @extschema@.clean_entries_of(log, number, path) AS x;
    IF back.is_lost OR back.lacks <> '{}' AND NOT force THEN
        RAISE EXCEPTION 'tables have changed since merge %, which cannot be undone', number
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = array_to_string(back.lacks, E'\n'),
                  HINT = CASE WHEN back.is_lost THEN 'Give columns a default, or have the columns again that rows are found by.' ELSE 'With force => true the rest is put back, values as the types are now.' END;
    ELSIF back.lacks <> '{}' THEN
        RAISE NOTICE 'merge % is not undone as a whole', number USING DETAIL = array_to_string(back.lacks, E'\n');
    END IF;
    FOR place IN 1 .. cardinality(back.entries) LOOP
        e := back.entries[place];
        e.scratch := @extschema@.clean_read_log(log, number, e, path);
        IF e.kind <> 'gone' THEN
            PERFORM @extschema@.clean_find(e, force, path);
        END IF;
        PERFORM @extschema@.clean_check_back(e, path);
        -- Rows return and no longer are retired when what was theirs alone has been taken from others.
        statement := format(CASE WHEN e.kind = 'changed' THEN '' ELSE '(SELECT u.rows FROM updated AS u) OPERATOR(pg_catalog.>=) 0 AND ' END);
        IF e.kind = 'gone' THEN
            statement := format('p%s AS (INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s AS w WHERE %s@extschema@.clean_puts_back() RETURNING 1)', place, regexp_replace(e.source, '^ONLY ', ''),
                (SELECT string_agg(quote_ident(c.name), ', ' ORDER BY c.place) FROM unnest(e.columns) WITH ORDINALITY AS c (name, place)),
                (SELECT string_agg(format('w.b%s', c.place), ', ' ORDER BY c.place) FROM unnest(e.columns) WITH ORDINALITY AS c (name, place)), e.scratch, statement);
        ELSE
            statement := format('p%s AS (UPDATE %s AS t SET %s FROM %s AS w
                                 WHERE %st.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid RETURNING 1)', place, e.source,
                (SELECT string_agg(format('%1$I = CASE WHEN w.before OPERATOR(pg_catalog.?) %3$L::pg_catalog.text THEN w.b%2$s ELSE t.%1$I END', c.name, c.place, c.logged), ', ')
                 FROM unnest(e.columns, e.names) WITH ORDINALITY AS c (name, logged, place)), e.scratch, statement);
        END IF;
        IF e.kind = 'changed' THEN
            first := first || statement;
        ELSE
            next := next || statement;
        END IF;
        counts := counts || format('(SELECT pg_catalog.count(*) FROM p%s AS p)', place);
    END LOOP;
    IF counts <> '{}' THEN
        statement := format('WITH %s SELECT ARRAY[%s]',
            array_to_string(first || format('updated (rows) AS (SELECT %s)', coalesce(nullif(array_to_string(counts[1:cardinality(first)], ' OPERATOR(pg_catalog.+) '), ''), '0')) || next, ', '),
            array_to_string(counts, ', '));
        PERFORM set_config('search_path', path, true);
        EXECUTE statement INTO written;
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    END IF;
    FOR place IN 1 .. cardinality(counts) LOOP
        e := back.entries[place];
        IF written[place] <> e.rows THEN
            RAISE EXCEPTION 'rows of % were not put back', @extschema@.clean_shown(e.rel::regclass, path)
                USING ERRCODE = 'triggered_action_exception', DETAIL = format('%s of %s rows were.', written[place], e.rows),
                      HINT = 'A trigger, a rule or a policy has kept rows from being inserted or changed.';
        END IF;
    END LOOP;
    PERFORM @extschema@.clean_return_decisions(log, number);
    PERFORM @extschema@.clean_level(-1);
    RETURN QUERY SELECT t.rel::regclass, coalesce(sum(w.rows) FILTER (WHERE t.kind = 'gone'), 0)::bigint, coalesce(sum(w.rows) FILTER (WHERE t.kind <> 'gone'), 0)::bigint
                 FROM unnest(back.entries) WITH ORDINALITY AS t (rel, kind, rows, names, columns, types, key_names, keys, key_types, had_key, source, scratch, place), LATERAL (SELECT written[t.place] AS rows) AS w
                 GROUP BY t.rel ORDER BY t.rel::regclass::text;
END $$;
COMMENT ON FUNCTION clean_undo(regclass, bigint, boolean, boolean, text) IS 'internal: undo_merge, with the caller''s search path';

CREATE FUNCTION undo_merge(log regclass, number bigint, force boolean DEFAULT false, trust boolean DEFAULT false)
RETURNS TABLE (rel regclass, returned bigint, changed bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    RETURN QUERY SELECT u.* FROM @extschema@.clean_undo(log, number, force, trust, pg_catalog.current_setting('search_path')) AS u;
END $$;
COMMENT ON FUNCTION undo_merge(regclass, bigint, boolean, boolean) IS
'takes back a merge, by its log and its number: rows that went return, and what was turned or merged gets its values again; returns the rows of each table that returned and changed; force: also where columns of a row that stayed have changed since, or tables have no longer room for what the log has; trust: also if roles may write to the log that could not write by the caller''s rights';
