--
-- clean: what becomes of the columns of rows that are merged
--

-- Each rule is an expression over two rows, kept and gone, and several rows go into one by one, in
-- the order of the pairs.

CREATE FUNCTION clean_union(kept jsonb, gone jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN kept IS NULL THEN gone WHEN gone IS NULL THEN kept
           WHEN jsonb_typeof(kept) = 'object' AND jsonb_typeof(gone) = 'object' THEN gone || kept
           ELSE (SELECT jsonb_agg(d.element ORDER BY d.place)
                 FROM (SELECT DISTINCT ON (e.element) e.element, e.place
                       FROM jsonb_array_elements(CASE jsonb_typeof(kept) WHEN 'array' THEN kept ELSE jsonb_build_array(kept) END
                                                 || CASE jsonb_typeof(gone) WHEN 'array' THEN gone ELSE jsonb_build_array(gone) END)
                            WITH ORDINALITY AS e (element, place) ORDER BY e.element, e.place) AS d) END
$$;
COMMENT ON FUNCTION clean_union(jsonb, jsonb) IS 'internal: the rule union of jsonb: keys of objects, of which the row that stays has its own, or elements';

CREATE FUNCTION clean_concat(kept text, gone text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN coalesce(gone, '') = '' OR strpos(E'\n' || kept || E'\n', E'\n' || gone || E'\n') > 0 THEN kept
           WHEN coalesce(kept, '') = '' THEN gone ELSE kept || E'\n' || gone END
$$;
COMMENT ON FUNCTION clean_concat(text, text) IS 'internal: the rule concat: the lines of both, without a text that is there already';

-- Rules by the number of a table. A rule of the table itself is a string, those of another table are an object.
CREATE FUNCTION clean_rules(rules jsonb, path text, OUT own jsonb, OUT others jsonb)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry record;
    other regclass;
BEGIN
    own := '{}';
    others := '{}';
    IF jsonb_typeof(rules) <> 'object' THEN
        RAISE EXCEPTION 'rules must be an object'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Such as {"email": "first", "tags": {"added": "least"}}.';
    END IF;
    FOR entry IN SELECT e.key, e.value, jsonb_typeof(e.value) AS kind FROM jsonb_each(rules) AS e LOOP
        IF entry.kind = 'string' THEN
            own := own || jsonb_build_object(entry.key, entry.value);
        ELSIF entry.kind = 'object' THEN
            other := @extschema@.clean_named(entry.key, path);
            IF other IS NULL THEN
                RAISE EXCEPTION 'rules name a table "%" that does not exist', entry.key
                    USING ERRCODE = 'undefined_table', HINT = 'The rule of a column is a string; an object has the rules of another table.';
            END IF;
            IF EXISTS (SELECT FROM jsonb_each(entry.value) AS c WHERE jsonb_typeof(c.value) <> 'string') THEN
                RAISE EXCEPTION 'the rules of table "%" must be strings', entry.key USING ERRCODE = 'invalid_parameter_value';
            END IF;
            others := others || jsonb_build_object(@extschema@.clean_root(other::oid), entry.value);
        ELSE
            RAISE EXCEPTION 'the rule of "%" must be a string, or an object with the rules of a table', entry.key
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_rules(jsonb, text) IS 'internal: rules of the columns of the table, own, and by the numbers of other tables, others';

CREATE FUNCTION clean_expression(rel oid, shown text, name name, rule text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    present text := (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute AS a
                     WHERE a.attrelid = rel AND a.attnum > 0 AND NOT a.attisdropped);
    a pg_attribute;
    category "char";
    kept text := format('kept.%I', name);
    gone text := format('gone.%I', name);
    newest name;
BEGIN
    SELECT x.* INTO a FROM pg_attribute AS x WHERE x.attrelid = rel AND x.attname = name AND x.attnum > 0 AND NOT x.attisdropped;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'rules name a column "%" that % does not have', name, shown
            USING ERRCODE = 'undefined_column', HINT = format('The columns are: %s.', present);
    END IF;
    IF rule IS NULL THEN
        RAISE EXCEPTION 'the rule of column "%" must be a string', name USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF a.attgenerated <> '' OR a.attidentity <> '' THEN
        RAISE EXCEPTION 'column "%" of % cannot have a rule', name, shown
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Generated and identity columns stay as they are in the row that stays.';
    END IF;
    SELECT t.typcategory INTO category FROM pg_type AS t WHERE t.oid = a.atttypid;
    CASE
    WHEN rule = 'keep' THEN
        RETURN kept;
    WHEN rule = 'first' THEN
        RETURN format('COALESCE(%s, %s)', kept, gone);
    WHEN rule IN ('least', 'greatest') THEN
        RETURN format('%s(%s, %s)', upper(rule), kept, gone);
    WHEN rule = 'longest' THEN
        RETURN format('CASE WHEN pg_catalog.num_nulls(%1$s) OPERATOR(pg_catalog.=) 1 OR pg_catalog.length(pg_catalog.format(''%%s''::pg_catalog.text, %2$s))
                       OPERATOR(pg_catalog.>) pg_catalog.length(pg_catalog.format(''%%s''::pg_catalog.text, %1$s)) THEN %2$s ELSE %1$s END', kept, gone);
    WHEN rule = 'sum' THEN
        RETURN format('COALESCE(%1$s OPERATOR(pg_catalog.+) %2$s, %1$s, %2$s)', kept, gone);
    WHEN rule = 'concat' AND category = 'S' THEN
        RETURN format('@extschema@.clean_concat(%s::pg_catalog.text, %s::pg_catalog.text)', kept, gone);
    WHEN rule = 'union' AND category = 'A' THEN
        -- The elements of both, each once, in their order.
        RETURN format('CASE WHEN %1$s IS NULL THEN %2$s WHEN %2$s IS NULL THEN %1$s ELSE COALESCE((
                           SELECT pg_catalog.array_agg(d.element ORDER BY d.place)
                           FROM (SELECT DISTINCT ON (e.element) e.element, e.place
                                 FROM pg_catalog.unnest(%1$s OPERATOR(pg_catalog.||) %2$s) WITH ORDINALITY AS e (element, place)
                                 ORDER BY e.element, e.place) AS d), ''{}'') END', kept, gone);
    WHEN rule = 'union' AND a.atttypid = 'jsonb'::regtype THEN
        RETURN format('@extschema@.clean_union(%s, %s)', kept, gone);
    WHEN rule IN ('concat', 'union') THEN
        RAISE EXCEPTION 'rule "%" does not fit column "%" of type %', rule, name, format_type(a.atttypid, a.atttypmod)
            USING ERRCODE = 'datatype_mismatch', HINT = 'The rule concat is for texts, union for arrays and jsonb. Otherwise give an expression over kept and gone.';
    WHEN rule ~ '^newest by .' THEN
        SELECT x.attname INTO newest FROM pg_attribute AS x
        WHERE x.attrelid = rel AND x.attnum > 0 AND NOT x.attisdropped AND btrim(substr(rule, 11)) IN (x.attname, quote_ident(x.attname));
        IF newest IS NULL THEN
            RAISE EXCEPTION 'rule "%" names a column that % does not have', rule, shown
                USING ERRCODE = 'undefined_column', HINT = format('The columns are: %s.', present);
        END IF;
        RETURN format('CASE WHEN g.is_newest[%s] THEN %s ELSE %s END', a.attnum, gone, kept);
    WHEN rule ~ '^\s*[[:alpha:]]+\s*$' AND lower(btrim(rule)) NOT IN ('null', 'true', 'false') THEN
        RAISE EXCEPTION 'there is no rule "%"', rule
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Rules are keep, first, longest, least, greatest, sum, concat, union, newest by COLUMN, or an SQL expression over kept and gone; put parentheses around an expression that is one word.';
    ELSE
        RETURN format(E'(%s\n)', rule);
    END CASE;
END $$;
COMMENT ON FUNCTION clean_expression(oid, text, name, text) IS 'internal: a rule as an expression over the rows kept and gone; shown: what messages call the table';

-- A statement that merges the columns of rows which went at the step $1 into the rows that stay. It runs with the
-- caller's search path, for the expressions that he wrote.
CREATE FUNCTION clean_fold(reached clean_table, rules jsonb) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    equal text := 'OPERATOR(pg_catalog.=)';
    source text;
    gone text;
    first text;
    next text;
    kept text;
    assigned text;
    flags text;
BEGIN
    SELECT string_agg(format('c%s', l.place), ', ' ORDER BY l.place), string_agg(format('g.c%s AS %I', l.place, l.name), ', ' ORDER BY l.place),
           string_agg(CASE WHEN rules ? l.name THEN format('f.v%s AS %I', array_position(reached.columns, l.name), l.name)
                           ELSE format('k.c%s AS %I', l.place, l.name) END, ', ' ORDER BY l.place)
    INTO source, gone, kept
    FROM unnest(reached.live) WITH ORDINALITY AS l (name, place);
    SELECT string_agg(format('p.c%s::%s%s', array_position(reached.live, r.name), t.type, t.collation), ', ' ORDER BY r.place),
           string_agg(format('CAST(%s AS %s)%s', @extschema@.clean_expression(reached.rel, reached.name, r.name, rules ->> r.name), t.type, t.collation), ', ' ORDER BY r.place),
           string_agg(format('n%1$s = f.v%1$s', r.place), ', ')
    INTO first, next, assigned
    FROM unnest(reached.columns) WITH ORDINALITY AS r (name, place)
    JOIN pg_attribute AS a ON a.attrelid = reached.rel AND a.attname = r.name,
         LATERAL (SELECT reached.types[r.place] AS type, coalesce((SELECT format(' COLLATE %I.%I', n.nspname, l.collname)
                  FROM pg_collation AS l JOIN pg_namespace AS n ON n.oid = l.collnamespace WHERE l.oid = a.attcollation), '') AS collation) AS t
    WHERE rules ? r.name;
    -- For the number of each column, whether the row has the newest value there of its group.
    SELECT format('ARRAY[%s]', string_agg(coalesce((
               SELECT format('pg_catalog.row_number() OVER (PARTITION BY i.to_tab, i.to_tid
                              ORDER BY pg_catalog.num_nulls(i.c%s), i.c%s DESC NULLS LAST, i.goes, i.pair, i.tab, i.tid) %s 1',
                             array_position(reached.live, a.attname), l.place, equal)
               FROM unnest(reached.live) WITH ORDINALITY AS l (name, place)
               WHERE rules ->> a.attname ~ '^newest by .' AND btrim(substr(rules ->> a.attname, 11)) IN (l.name, quote_ident(l.name)) LIMIT 1), 'false'), ', ' ORDER BY a.attnum))
    INTO flags
    FROM pg_attribute AS a WHERE a.attrelid = reached.rel AND a.attnum > 0;

    RETURN format($q$
        WITH RECURSIVE image (tab, tid, to_tab, to_tid, goes, pair, %2$s) AS MATERIALIZED (
            SELECT w.tab, w.tid, w.to_tab, w.to_tid, w.goes, w.pair, i.*
            FROM (SELECT g.tab, g.tid FROM %1$s AS g WHERE g.goes AND g.stamp %3$s $1
                  UNION SELECT g.to_tab, g.to_tid FROM %1$s AS g WHERE g.goes AND g.stamp %3$s $1) AS q
            JOIN %1$s AS w ON w.tab %3$s q.tab AND w.tid %3$s q.tid
            JOIN %4$s AS t ON t.tableoid %3$s w.tab AND t.ctid %3$s w.tid CROSS JOIN LATERAL (SELECT %5$s) AS i
        ), row_of_group AS MATERIALIZED (
            SELECT i.*, pg_catalog.row_number() OVER (PARTITION BY i.to_tab, i.to_tid ORDER BY i.goes, i.pair, i.tab, i.tid) AS place, %6$s AS is_newest
            FROM image AS i
        ), fold (tab, tid, place, %7$s) AS (
            SELECT p.tab, p.tid, p.place, %8$s FROM row_of_group AS p WHERE NOT p.goes
            UNION ALL
            SELECT f.tab, f.tid, g.place, x.*
            FROM fold AS f JOIN row_of_group AS k ON k.tab %3$s f.tab AND k.tid %3$s f.tid
            JOIN row_of_group AS g ON g.to_tab %3$s f.tab AND g.to_tid %3$s f.tid AND g.place %3$s (f.place OPERATOR(pg_catalog.+) 1)
            CROSS JOIN LATERAL (SELECT %9$s FROM (SELECT %10$s) AS kept, (SELECT %11$s) AS gone) AS x
        )
        UPDATE %1$s AS w SET stamp = $1, %12$s
        FROM (SELECT DISTINCT ON (f.tab, f.tid) f.* FROM fold AS f ORDER BY f.tab, f.tid, f.place DESC) AS f
        WHERE w.tab %3$s f.tab AND w.tid %3$s f.tid
        $q$, reached.work, source, equal, reached.source, @extschema@.clean_image(reached, 't'::text, 'w'::text), flags,
        (SELECT string_agg(format('v%s', r.place), ', ' ORDER BY r.place) FROM unnest(reached.columns) WITH ORDINALITY AS r (name, place) WHERE rules ? r.name),
        first, next, kept, gone, assigned);
END $$;
COMMENT ON FUNCTION clean_fold(clean_table, jsonb) IS 'internal: a statement that merges columns of rows that went at step $1';
