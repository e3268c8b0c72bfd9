--
-- clean: rows that go stay, retired
--

CREATE FUNCTION clean_assignments(assignments text, OUT col text, OUT expression text) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'clean_assignments' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 2;
COMMENT ON FUNCTION clean_assignments(text) IS 'internal: the columns and expressions of a list of assignments, as UPDATE has it behind SET';

-- What becomes of rows that go, as rules: an object of columns and expressions over kept and gone.
CREATE FUNCTION clean_retirement(rel regclass, retire text, path text) RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    a record;
    rules jsonb := '{}';
BEGIN
    FOR a IN SELECT x.col, x.expression FROM @extschema@.clean_assignments(retire) AS x LOOP
        IF rules ? a.col THEN
            RAISE EXCEPTION 'retire assigns to column "%" twice', a.col USING ERRCODE = 'syntax_error';
        ELSIF EXISTS (SELECT FROM pg_attribute AS x WHERE x.attrelid = rel AND x.attname = a.col AND x.attnum > 0 AND (x.attgenerated <> '' OR x.attidentity = 'a')) THEN
            RAISE EXCEPTION 'retire cannot assign to column "%" of %', a.col, @extschema@.clean_shown(rel, path)
                USING ERRCODE = 'generated_always', DETAIL = 'The table itself gives its values.';
        END IF;
        IF NOT EXISTS (SELECT FROM pg_attribute AS x WHERE x.attrelid = rel AND x.attname = a.col AND x.attnum > 0 AND NOT x.attisdropped) THEN
            RAISE EXCEPTION 'column "%" of % does not exist', a.col, @extschema@.clean_shown(rel, path) USING ERRCODE = 'undefined_column';
        END IF;
        rules := rules || jsonb_build_object(a.col, format(E'CAST((%s\n) AS %s)', a.expression, (SELECT @extschema@.clean_type(x.atttypid, -1) FROM pg_attribute AS x WHERE x.attrelid = rel AND x.attname = a.col)));
    END LOOP;
    RETURN rules;
END $$;
COMMENT ON FUNCTION clean_retirement(regclass, text, text) IS 'internal: the columns that are assigned to in rows that go, with expressions of their types';

-- A row that retires is as it was, but for what is assigned to it. What it refers to in its own table stays, too; so its
-- references there are not turned. Rows of other tables may go, so references to these are.
CREATE FUNCTION clean_retire(reached clean_table, links clean_reference[], rules jsonb) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('UPDATE %1$s AS w SET stamp = $1, %2$s
                   FROM (SELECT w.tab, w.tid%3$s
                         FROM %1$s AS w JOIN %4$s AS t ON t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid
                         LEFT JOIN (%1$s AS k JOIN %4$s AS s ON s.tableoid OPERATOR(pg_catalog.=) k.tab AND s.ctid OPERATOR(pg_catalog.=) k.tid)
                              ON k.tab OPERATOR(pg_catalog.=) w.to_tab AND k.tid OPERATOR(pg_catalog.=) w.to_tid
                         CROSS JOIN LATERAL (SELECT %5$s) AS gone CROSS JOIN LATERAL (SELECT %6$s) AS kept
                         WHERE w.goes) AS x
                   WHERE x.tab OPERATOR(pg_catalog.=) w.tab AND x.tid OPERATOR(pg_catalog.=) w.tid',
                  reached.work,
                  string_agg(CASE WHEN rules ? c.name THEN format('n%1$s = x.v%1$s', c.place)
                                  WHEN EXISTS (SELECT FROM unnest(links) AS l WHERE l.child = reached.rel AND l.parent <> reached.rel AND c.name = ANY (l.child_columns)) THEN format('n%1$s = w.n%1$s', c.place)
                                  ELSE format('n%1$s = w.o%1$s', c.place) END, ', '),
                  string_agg(CASE WHEN rules ? c.name THEN format(', %s AS v%s', rules ->> c.name, c.place) END, ''),
                  reached.source, (SELECT string_agg(format('t.%1$I AS %1$I', l.name), ', ' ORDER BY l.place) FROM unnest(reached.live) WITH ORDINALITY AS l (name, place)),
                  @extschema@.clean_image(reached, 's'::text, 'k'::text))
    FROM unnest(reached.columns) WITH ORDINALITY AS c (name, place)
$$;
COMMENT ON FUNCTION clean_retire(clean_table, clean_reference[], jsonb) IS 'internal: a statement that assigns to columns of rows that go; it runs with the caller''s search path';
