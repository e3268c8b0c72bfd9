--
-- clean: columns that refer to rows without a foreign key, as the caller names them
--

-- What stands between a value of one type and a value of another where they are compared: an operator of the types, as a
-- foreign key has it. A text refers by the text of the key.
CREATE FUNCTION clean_comparison(type oid, other oid) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    base oid := @extschema@.clean_base(type);
    base_of_other oid := @extschema@.clean_base(other);
    found oid;
BEGIN
    IF base = base_of_other THEN
        RETURN @extschema@.clean_equality(type);
    END IF;
    SELECT m.amopopr INTO found
    FROM pg_opclass AS c JOIN pg_am AS h ON h.oid = c.opcmethod AND h.amname = 'btree'
    JOIN pg_amop AS m ON m.amopfamily = c.opcfamily AND m.amoplefttype = base AND m.amoprighttype = base_of_other AND m.amopstrategy = 3
    WHERE c.opcdefault AND c.opcintype = base LIMIT 1;
    IF found IS NULL AND (SELECT t.typcategory FROM pg_type AS t WHERE t.oid = base_of_other) = 'S' THEN
        RETURN '::pg_catalog.text OPERATOR(pg_catalog.=)';
    END IF;
    RETURN @extschema@.clean_operator(found);
END $$;
COMMENT ON FUNCTION clean_comparison(oid, oid) IS 'internal: what stands between values of two types that are compared, or NULL if they cannot be';

CREATE FUNCTION clean_condition(rel oid, condition text, path text, run_path text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    fragment record;
BEGIN
    PERFORM set_config('search_path', path, true);
    SELECT f.expression, f.type INTO fragment FROM @extschema@.clean_fragments(rel::pg_catalog.regclass, condition, 'where'::pg_catalog.text, false, run_path) AS f;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    IF fragment.type <> 'bool'::regtype THEN
        RAISE EXCEPTION 'where must be of type boolean, not %', fragment.type
            USING ERRCODE = 'datatype_mismatch', HINT = 'Give a condition, such as subject_type = ''Tag''.';
    END IF;
    RETURN fragment.expression;
END $$;
COMMENT ON FUNCTION clean_condition(oid, text, text, text) IS
'internal: a condition over the columns of a table as one of "t" with all names qualified; path: the search path it is read with, run_path: the one it will run with';

-- Returns a column of a table that may refer to rows, or be referred to.
CREATE FUNCTION clean_column(rel oid, name text, path text) RETURNS pg_attribute
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    a pg_attribute;
BEGIN
    SELECT x.* INTO a FROM pg_attribute AS x WHERE x.attrelid = rel AND x.attname = name AND x.attnum > 0 AND NOT x.attisdropped;
    IF a.attname IS NULL THEN
        RAISE EXCEPTION 'column "%" of % does not exist', name, @extschema@.clean_shown(rel::regclass, path) USING ERRCODE = 'undefined_column';
    ELSIF EXISTS (SELECT FROM pg_type AS t WHERE t.oid = @extschema@.clean_base(a.atttypid) AND t.typcategory = 'A') THEN
        RAISE EXCEPTION 'column "%" of % is an array', name, @extschema@.clean_shown(rel::regclass, path)
            USING ERRCODE = 'feature_not_supported', DETAIL = 'A reference is a column of one value.';
    END IF;
    RETURN a;
END $$;
COMMENT ON FUNCTION clean_column(oid, text, text) IS 'internal: a column that may be a reference, or an error';

-- The columns that the caller says refer to rows, as references of the kind that foreign keys are.
CREATE FUNCTION clean_named_references(rel oid, key name, referring jsonb, path text, run_path text) RETURNS SETOF clean_reference
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry record;
    child regclass;
    parent regclass;
    own pg_attribute;
    target pg_attribute;
    name text;
    operator text;
BEGIN
    IF jsonb_typeof(referring) <> 'object' THEN
        RAISE EXCEPTION 'referring must be an object'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Such as {"taggings": "tag_id", "notes": {"column": "subject_id", "where": "subject_type = ''Tag''"}}.';
    END IF;
    FOR entry IN
        SELECT t.key AS tab, CASE jsonb_typeof(x.given) WHEN 'string' THEN jsonb_build_object('column', x.given) ELSE x.given END AS given
        FROM jsonb_each(referring) AS t, jsonb_array_elements(CASE jsonb_typeof(t.value) WHEN 'array' THEN t.value ELSE jsonb_build_array(t.value) END) AS x (given)
    LOOP
        child := @extschema@.clean_named(entry.tab, path);
        IF child IS NULL THEN
            RAISE EXCEPTION 'referring names a table "%" that does not exist', entry.tab USING ERRCODE = 'undefined_table';
        ELSIF (SELECT c.relkind FROM pg_class AS c WHERE c.oid = child) NOT IN ('r', 'p') THEN
            RAISE EXCEPTION '% is not a table', @extschema@.clean_shown(child, path) USING ERRCODE = 'wrong_object_type';
        ELSIF jsonb_typeof(entry.given) <> 'object' THEN
            RAISE EXCEPTION 'referring must name columns of table "%"', entry.tab
                USING ERRCODE = 'invalid_parameter_value', HINT = 'Give the name of a column, an object such as {"column": "subject_id", "where": "subject_type = ''Tag''"}, or an array of these.';
        ELSIF jsonb_typeof(entry.given -> 'column') = 'array' THEN
            RAISE EXCEPTION 'a reference of table "%" has several columns', entry.tab
                USING ERRCODE = 'feature_not_supported', DETAIL = 'Only a foreign key refers by several columns; an array beside the name of the table has several references.';
        END IF;
        name := (SELECT e.key FROM jsonb_each(entry.given) AS e WHERE e.key NOT IN ('column', 'where', 'of', 'to') OR jsonb_typeof(e.value) <> 'string' LIMIT 1);
        IF name IS NOT NULL OR NOT entry.given ? 'column' THEN
            RAISE EXCEPTION 'a reference of table "%" %', entry.tab, CASE WHEN name IS NULL THEN 'lacks "column"' ELSE format('has "%s"', name) END
                USING ERRCODE = 'invalid_parameter_value', HINT = 'It has "column", and may have "where", a condition, "of", the table that it refers to, and "to", the column there; all are strings.';
        END IF;
        own := @extschema@.clean_column(child::oid, entry.given ->> 'column', path);
        IF own.attgenerated <> '' THEN
            RAISE EXCEPTION 'column "%" of % cannot be turned', own.attname, @extschema@.clean_shown(child, path)
                USING ERRCODE = 'feature_not_supported', DETAIL = 'It is generated.';
        END IF;
        parent := CASE WHEN entry.given ? 'of' THEN @extschema@.clean_named(entry.given ->> 'of', path) ELSE rel::regclass END;
        IF parent IS NULL THEN
            RAISE EXCEPTION 'referring names a table "%" that does not exist', entry.given ->> 'of' USING ERRCODE = 'undefined_table';
        END IF;
        name := coalesce(entry.given ->> 'to', CASE WHEN parent = rel THEN key::text ELSE (SELECT k.names[1] FROM @extschema@.clean_key(parent::oid) AS k (names) WHERE cardinality(k.names) = 1) END);
        IF name IS NULL THEN
            RAISE EXCEPTION '% has no key of one column', @extschema@.clean_shown(parent, path)
                USING ERRCODE = 'feature_not_supported', HINT = 'Name the column that column "' || own.attname || '" refers to, by "to".';
        END IF;
        target := @extschema@.clean_column(parent::oid, name, path);
        IF NOT (parent = rel AND name = key)
           AND NOT EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = parent AND i.indisunique AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = target.attnum) THEN
            RAISE EXCEPTION 'column "%" of % is not unique', name, @extschema@.clean_shown(parent, path)
                USING ERRCODE = 'invalid_foreign_key', DETAIL = format('So column "%s" of %s may refer to several rows.', own.attname, @extschema@.clean_shown(child, path));
        END IF;
        operator := @extschema@.clean_comparison(target.atttypid, own.atttypid);
        IF operator IS NULL THEN
            RAISE EXCEPTION 'column "%" of % does not refer to column "%" of %', own.attname, @extschema@.clean_shown(child, path), name, @extschema@.clean_shown(parent, path)
                USING ERRCODE = 'datatype_mismatch', DETAIL = format('They are of types %s and %s.', format_type(own.atttypid, own.atttypmod), format_type(target.atttypid, target.atttypmod));
        END IF;
        RETURN QUERY
        SELECT format('column "%s"', own.attname), @extschema@.clean_root(child::oid), @extschema@.clean_root(parent::oid),
               format('%s%I.%I', CASE c.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END, n.nspname, c.relname),
               ARRAY[own.attname], ARRAY[target.attname], ARRAY[operator], ARRAY[@extschema@.clean_equality(target.atttypid)],
               false, @extschema@.clean_parts(child::oid), @extschema@.clean_parts(parent::oid),
               CASE WHEN entry.given ? 'where' THEN @extschema@.clean_condition(child::oid, entry.given ->> 'where', path, run_path) END, NULL::text
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = child;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_named_references(oid, name, jsonb, text, text) IS 'internal: the references that the argument referring names';

-- Nothing in the database keeps such a column from referring to a row that goes meanwhile. So nobody else writes to its
-- table until the transaction ends. A snapshot that was taken before the lock would not show what others have written.
CREATE FUNCTION clean_lock(links clean_reference[]) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    source text;
BEGIN
    IF links <> '{}' AND current_setting('transaction_isolation') NOT LIKE 'read %' THEN
        RAISE EXCEPTION 'merge_duplicates cannot turn references without a foreign key at isolation level %', upper(current_setting('transaction_isolation'))
            USING ERRCODE = 'active_sql_transaction', DETAIL = 'It would not see rows that others have written since the transaction began.', HINT = 'Begin a transaction at READ COMMITTED.';
    END IF;
    FOR source IN SELECT r.source FROM unnest(links) AS r GROUP BY r.source, r.child ORDER BY r.child, r.source LOOP
        EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', source);
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_lock(clean_reference[]) IS 'internal: keeps others from writing to the tables of references';

-- Columns of other tables that bear the name of a table to which no foreign key refers: tag_id or tagId for tags or blog_tag, and
-- pairs such as subject_type and subject_id, or content_type_id and object_id, which may refer to any table.
CREATE FUNCTION clean_notice(rel regclass, key name, path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    type pg_type := (SELECT t FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = @extschema@.clean_base(a.atttypid) WHERE a.attrelid = rel AND a.attname = key);
    plural text := replace(lower((SELECT c.relname FROM pg_class AS c WHERE c.oid = rel)), '_', '');
    short text := lower((SELECT substring(c.relname FROM '[^_]*$') FROM pg_class AS c WHERE c.oid = rel));
    names text[];
    found text;
    example text;
BEGIN
    names := ARRAY(SELECT DISTINCT v.name || s.suffix
                   FROM unnest(ARRAY[plural, short]) AS p (name),
                        LATERAL (VALUES (p.name), (regexp_replace(p.name, 's$', '')), (regexp_replace(p.name, 'es$', '')), (regexp_replace(p.name, 'ies$', 'y')),
                                        (regexp_replace(p.name, 'people$', 'person')), (regexp_replace(p.name, 'children$', 'child'))) AS v (name),
                        unnest(ARRAY['id', replace(lower(key), '_', '')]) AS s (suffix)
                   WHERE v.name <> '')
             || CASE WHEN lower(key) ~ '^.*[^_].*id$' AND lower(key) NOT IN ('uuid', 'guid', 'oid', 'rowid') THEN ARRAY[replace(lower(key), '_', '')] ELSE '{}' END;
    -- Few columns have such names, and the rest is asked of these alone.
    WITH named AS MATERIALIZED (
        SELECT c.oid, c.relnamespace, a.attnum, a.attname, a.atttypid, p.attname AS of_type
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        LEFT JOIN pg_attribute AS p ON p.attrelid = c.oid AND p.attnum <> a.attnum AND NOT p.attisdropped AND lower(a.attname) ~ '.id$'
                  AND lower(p.attname) IN (regexp_replace(lower(a.attname), 'id$', 'type'), regexp_replace(lower(a.attname), 'object_id$', 'content_type_id'))
        WHERE c.oid <> rel AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.oid >= 16384 AND c.relpersistence <> 't'
              AND (replace(lower(a.attname), '_', '') = ANY (names) OR p.attname IS NOT NULL)
    ), likely AS (
        SELECT @extschema@.clean_shown(n.oid::regclass, path) AS tab, n.attname, n.of_type
        FROM named AS n JOIN pg_type AS t ON t.oid = @extschema@.clean_base(n.atttypid)
        WHERE (t.oid = type.oid OR t.typcategory = type.typcategory OR t.typcategory = 'S')
              AND has_column_privilege(n.oid, n.attnum, 'SELECT') AND has_schema_privilege(n.relnamespace, 'USAGE')
              AND NOT EXISTS (SELECT FROM pg_constraint AS f WHERE f.conrelid = n.oid AND f.contype = 'f' AND n.attnum = ANY (f.conkey))
              AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = n.oid AND d.deptype = 'e')
        ORDER BY n.of_type IS NOT NULL, 1, n.attnum LIMIT 10)
    SELECT string_agg(format('%s.%I%s', l.tab, l.attname, CASE WHEN l.of_type IS NOT NULL THEN format(' (by %I)', l.of_type) ELSE '' END), ', '),
           (array_agg(jsonb_build_object(l.tab, CASE WHEN l.of_type IS NULL THEN to_jsonb(l.attname) ELSE jsonb_build_object('column', l.attname, 'where', format('%I = ...', l.of_type)) END)))[1]
    INTO found, example FROM likely AS l;
    IF found IS NOT NULL THEN
        RAISE NOTICE 'no foreign key refers to %, but columns may: %', @extschema@.clean_shown(rel, path), found
            USING HINT = format('What refers to a row that goes is left as it is. Name such columns, as in referring => %L, or say that there are none by ''{}''.', example);
    END IF;
END $$;
COMMENT ON FUNCTION clean_notice(regclass, name, text) IS 'internal: a NOTICE of columns that seem to refer to a table';
