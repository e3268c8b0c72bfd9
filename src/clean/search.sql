--
-- clean: searches for the row of a table that is most similar to a new one
--

-- Texts of the caller are read with the caller's search path, and become expressions in which all names have their schemas,
-- but for those of pg_catalog. Statements that have them run with the caller's search path too, since functions of the table may
-- rely on it, but with pg_catalog first. What they mean with that path is compared with what they mean alone.

CREATE FUNCTION clean_run_path() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    path pg_catalog.text := pg_catalog.current_setting('search_path');
    schemas pg_catalog.name[] := pg_catalog.current_schemas(true);
BEGIN
    -- The schema of temporary tables, which may have types, comes first unless the path names it.
    IF schemas[1] OPERATOR(pg_catalog.=) 'pg_catalog' THEN
        RETURN path;
    END IF;
    RETURN pg_catalog.concat_ws(', ', 'pg_catalog', CASE WHEN path OPERATOR(pg_catalog.<>) '' THEN path END, 'pg_temp');
END $$;
COMMENT ON FUNCTION clean_run_path() IS
'internal: the search path, with pg_catalog before the schemas that it names, and temporary tables behind them';

CREATE FUNCTION clean_use_path(path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) path THEN
        PERFORM pg_catalog.set_config('search_path', path, true);
    END IF;
END $$;
COMMENT ON FUNCTION clean_use_path(text) IS
'internal: sets the search path';

CREATE FUNCTION clean_fragments(
    rel regclass, fragment text, argument text, is_list boolean, path text,
    OUT expression text, OUT plain text, OUT type regtype, OUT equality text, OUT names_new boolean, OUT is_immutable boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'clean_fragments' LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION clean_fragments(regclass, text, text, boolean, text) IS
'internal: the expressions of a text over the columns of a table, with all names qualified, of the alias t and without an alias; their types and operators =; whether one of the argument among names the new row, new, and whether a constraint may have it; an error if they would mean something else with another search path';

CREATE FUNCTION clean_indexes(rel regclass, tokens text, within text, among text, OUT index regclass, OUT exclusion text, OUT threshold float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'clean_indexes' LANGUAGE C STABLE PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION clean_indexes(regclass, text, text, text) IS
'internal: the indexes neardup of a table that have these tokens, or balls of them, within this scope, and all rows of this condition; of balls the threshold, and the constraint that all rows obey';

-- A search, as parts of statements: $1 has the new rows and $2 the threshold, "n" is a new row and "t" a row of the table.
CREATE TYPE clean_search AS (
    rel regclass,
    relation text,       -- the table's name as SQL
    key text,            -- the key of a row
    new_row text,        -- a new row with its defaults and generated columns, from n.new_row
    tokens text,
    scope text[],        -- the expressions that are equal in a scope
    equality text[],     -- their operators =
    among text,
    names_new boolean,   -- whether among names the new row, "new"
    is_immutable boolean, -- whether a constraint may have among
    counts text,         -- among, without the rows that somebody has found to be different from the new one
    plain text[],        -- tokens, among and the expressions of the scope, without an alias
    measure text,
    has_index boolean,   -- of the sets
    exclusion text,      -- the constraint that keeps such rows apart, or NULL
    least float8         -- its threshold
);
COMMENT ON TYPE clean_search IS 'internal: a search for similar rows, as parts of statements';

CREATE FUNCTION clean_row("row" anyelement, fields record) RETURNS anyelement
AS 'MODULE_PATHNAME', 'clean_row' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION clean_row(anyelement, record) IS
'internal: a row of a table, of the values of its columns, which are checked unless they are NULL';

CREATE FUNCTION clean_stored(rel regclass, name name, tree pg_node_tree, path text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT f.plain FROM @extschema@.clean_fragments(rel, pg_get_expr(tree, rel), name::text, false, path) AS f
$$;
COMMENT ON FUNCTION clean_stored(regclass, name, pg_node_tree, text) IS
'internal: the expression of a default or a generated column as SQL that means the same with a search path; an error if it would not';

-- A new row has NULL for a column with a volatile default, such as the next value of a sequence: that is taken when the row
-- is inserted, and not before. A domain may have the default, and is checked where a value is given.
CREATE FUNCTION clean_new_row(rel regclass, is_json boolean, path text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    columns text;
    given text;
    "values" text;
BEGIN
    SELECT string_agg(CASE WHEN a.attgenerated <> '' THEN format('CAST((%s) AS %s)', @extschema@.clean_stored(rel, a.attname, d.adbin, path), @extschema@.clean_type(@extschema@.clean_base(a.atttypid), -1)) ELSE format('base.%I', a.attname) END, ', ' ORDER BY a.attnum) INTO columns
    FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = rel AND a.attnum > 0 AND NOT a.attisdropped;
    IF is_json THEN
        SELECT string_agg(format('%I %s', a.attname, t.base), ', '),
               string_agg(format('CASE WHEN n.new_row OPERATOR(pg_catalog.?) %L::pg_catalog.text THEN %s ELSE %s END AS %I', a.attname,
                                 CASE WHEN t.is_domain THEN format('CAST(CAST(j.%I AS %s) AS %s)', a.attname, format_type(a.atttypid, -1), t.base) ELSE format('j.%I', a.attname) END,
                                 CASE WHEN t.given IS NULL OR a.attgenerated <> '' OR EXISTS (
                                     SELECT FROM regexp_matches(t.given::text, ':(?:funcid|opfuncid) (\d+)', 'g') AS m (ids)
                                     JOIN pg_proc AS p ON p.oid = m.ids[1]::oid AND p.provolatile = 'v') THEN 'NULL'
                                      ELSE format('CAST((%s) AS %s)', @extschema@.clean_stored(rel, a.attname, t.given, path), t.base) END,
                                 a.attname), ', ')
        INTO given, "values"
        FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum,
             LATERAL (SELECT y.typtype = 'd' AS is_domain, coalesce(d.adbin, y.typdefaultbin) AS given,
                             CASE WHEN y.typtype = 'd' THEN @extschema@.clean_type(@extschema@.clean_base(y.oid), -1) ELSE @extschema@.clean_type(y.oid, a.atttypmod) END AS base
                      FROM pg_type AS y WHERE y.oid = a.atttypid OFFSET 0) AS t
        WHERE a.attrelid = rel AND a.attnum > 0 AND NOT a.attisdropped;
    END IF;
    RETURN format('@extschema@.clean_row(NULL::%s, (SELECT ROW(%s)::pg_catalog.record FROM %s AS base))', rel, columns,
                  CASE WHEN is_json THEN format('(SELECT %s FROM pg_catalog.jsonb_to_record(n.new_row) AS j (%s))', "values", given)
                       ELSE '(SELECT (n.new_row).*)' END);
END $$;
COMMENT ON FUNCTION clean_new_row(regclass, boolean, text) IS
'internal: SQL that makes a row of a table, generated columns included, of jsonb without some columns or of a record of a trigger; path: the search path with which it will run';

CREATE FUNCTION clean_check(rel regclass, key_column name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind "char" := (SELECT c.relkind FROM pg_class AS c WHERE c.oid = rel);
    attribute pg_attribute;
BEGIN
    IF kind IS NULL THEN
        RAISE EXCEPTION 'relation with OID % does not exist', rel::oid USING ERRCODE = 'undefined_table';
    ELSIF kind NOT IN ('r', 'p') THEN
        RAISE EXCEPTION '% is not a table', rel USING ERRCODE = 'wrong_object_type';
    END IF;
    SELECT * INTO attribute FROM pg_attribute AS a
    WHERE a.attrelid = rel AND a.attname = key_column AND a.attnum > 0 AND NOT a.attisdropped;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', key_column, rel USING ERRCODE = 'undefined_column';
    ELSIF NOT attribute.attnotnull THEN
        RAISE EXCEPTION 'column "%" of table % is not a key', key_column, rel
            USING ERRCODE = 'invalid_table_definition', DETAIL = 'A key is NOT NULL.';
    END IF;
END $$;
COMMENT ON FUNCTION clean_check(regclass, name) IS
'internal: refuses what is no table, and a key that is no column or may be NULL';

CREATE FUNCTION clean_search_of(
    rel regclass, key_column name, tokens text, threshold float8, measure text, within text, among text, is_json boolean, path text)
RETURNS clean_search
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    search @extschema@.clean_search;
    fragment pg_catalog.record;
    index pg_catalog.record;
BEGIN
    IF rel IS NULL OR key_column IS NULL OR tokens IS NULL OR threshold IS NULL OR measure IS NULL THEN
        RAISE EXCEPTION 'rel, key, tokens, threshold and measure must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM @extschema@.clean_check(rel, key_column);
    PERFORM @extschema@.jaccard_ge('{}'::@extschema@.tokenset, '{}'::@extschema@.tokenset, threshold);
    IF measure OPERATOR(pg_catalog.<>) ALL ('{jaccard,cosine,dice,containment}'::pg_catalog.text[]) THEN
        RAISE EXCEPTION 'measure "%" cannot be used here', measure
            USING ERRCODE = 'invalid_parameter_value', HINT = 'The measures are jaccard, cosine, dice and containment.';
    END IF;

    SELECT f.expression, f.plain, f.type INTO fragment FROM @extschema@.clean_fragments(rel, tokens, 'tokens'::pg_catalog.text, false, path) AS f;
    IF fragment.type OPERATOR(pg_catalog.<>) '@extschema@.tokenset'::pg_catalog.regtype THEN
        RAISE EXCEPTION 'tokens must be of type tokenset, not %', fragment.type
            USING ERRCODE = 'datatype_mismatch', HINT = 'Give an expression such as word_tokens(body), or tags::tokenset.';
    END IF;
    search.tokens := fragment.expression;
    search.plain := ARRAY[fragment.plain, NULL];
    search.among := 'true';
    search.names_new := false;
    search.is_immutable := true;
    IF among IS NOT NULL THEN
        SELECT f.expression, f.plain, f.type, f.names_new, f.is_immutable INTO fragment FROM @extschema@.clean_fragments(rel, among, 'among'::pg_catalog.text, false, path) AS f;
        IF fragment.type OPERATOR(pg_catalog.<>) 'pg_catalog.bool'::pg_catalog.regtype THEN
            RAISE EXCEPTION 'among must be of type boolean, not %', fragment.type
                USING ERRCODE = 'datatype_mismatch', HINT = 'Give a condition, such as posted > now() - interval ''14 days''.';
        END IF;
        search.among := fragment.expression;
        search.names_new := fragment.names_new;
        search.is_immutable := fragment.is_immutable;
        search.plain[2] := fragment.plain;
    END IF;
    search.scope := '{}';
    search.equality := '{}';
    FOR fragment IN SELECT f.expression, f.plain, f.type, f.equality FROM @extschema@.clean_fragments(rel, within, 'within'::pg_catalog.text, true, path) AS f LOOP
        IF fragment.equality IS NULL THEN
            RAISE EXCEPTION 'type % has no operator =', fragment.type USING ERRCODE = 'undefined_function', DETAIL = 'It is the type of an expression of within.';
        END IF;
        search.scope := pg_catalog.array_append(search.scope, fragment.expression);
        search.equality := pg_catalog.array_append(search.equality, fragment.equality);
        search.plain := pg_catalog.array_append(search.plain, fragment.plain);
    END LOOP;

    search.rel := rel;
    search.relation := (SELECT pg_catalog.format('%I.%I', s.nspname, c.relname)
                        FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS s ON s.oid OPERATOR(pg_catalog.=) c.relnamespace
                        WHERE c.oid OPERATOR(pg_catalog.=) rel::pg_catalog.oid);
    search.key := pg_catalog.format('t.%I', key_column);
    search.counts := pg_catalog.format('(%s) AND %s', search.among, @extschema@.clean_undecided(rel, search.key));
    search.new_row := @extschema@.clean_new_row(rel, is_json, path);
    search.measure := measure;

    -- Of several constraints the one that refuses least.
    search.has_index := false;
    FOR index IN SELECT i.exclusion, i.threshold FROM @extschema@.clean_indexes(rel, tokens, within, among) AS i ORDER BY i.threshold, i.exclusion LOOP
        search.has_index := search.has_index OR index.threshold IS NULL;
        IF index.exclusion IS NOT NULL AND measure OPERATOR(pg_catalog.=) 'jaccard' AND index.threshold OPERATOR(pg_catalog.<=) threshold THEN
            search.exclusion := index.exclusion;
            search.least := index.threshold;
        END IF;
    END LOOP;
    RETURN search;
END $$;
COMMENT ON FUNCTION clean_search_of(regclass, name, text, float8, text, text, text, boolean, text) IS
'internal: the parts of a search; its rows are jsonb, or the record of a trigger; path: the search path with which it will run';

-- A new row that brings its key may have been there before, and decisions on it hold.
CREATE FUNCTION clean_undecided(rel regclass, key text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    decided text := 'EXISTS (SELECT FROM @extschema@.neardup_decided AS d WHERE d.rel::pg_catalog.oid OPERATOR(pg_catalog.=) %1$s::pg_catalog.oid AND d.other::pg_catalog.oid OPERATOR(pg_catalog.=) %1$s::pg_catalog.oid
                             AND d.key_a OPERATOR(pg_catalog.=) %2$s AND d.key_b OPERATOR(pg_catalog.=) %3$s)';
    key_text text := format('(%s)::pg_catalog.text', key);
BEGIN
    RETURN format('(n.own IS NULL OR NOT (%s OR %s))', format(decided, rel::oid, key_text, 'n.own'), format(decided, rel::oid, 'n.own', key_text));
END $$;
COMMENT ON FUNCTION clean_undecided(regclass, text) IS
'internal: whether nobody has found a new row, n, and another one to be different; key: that of the other one, as SQL';

-- Where the condition among names the new row, that row is part of the result, and counts for itself.
CREATE FUNCTION clean_source(search clean_search, rows text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN format('SELECT n.place, n.new_row, %s AS tokens%s, (%s)::pg_catalog.text AS own, %s FROM (%s) AS n CROSS JOIN LATERAL %s AS t OFFSET 0',
                  search.tokens,
                  (SELECT string_agg(format(', %s AS s%s', e.expression, e.place), '' ORDER BY e.place) FROM unnest(search.scope) WITH ORDINALITY AS e (expression, place)),
                  search.key, CASE WHEN search.names_new THEN format('true AS counts, CAST(t.* AS %s) AS whole', search.relation) ELSE format('(%s) AS counts', search.among) END,
                  rows, search.new_row);
END $$;
COMMENT ON FUNCTION clean_source(clean_search, text) IS
'internal: a query of the tokens, the scope and the key of new rows, and whether they count among the others; rows: a query of their places and rows';

CREATE FUNCTION clean_measure(search clean_search, suffix text, tokens text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN search.measure = 'containment' THEN format('@extschema@.%s%s(n.tokens, %s', search.measure, suffix, tokens)
                ELSE format('@extschema@.%s%s(%s, n.tokens', search.measure, suffix, tokens) END;
END $$;
COMMENT ON FUNCTION clean_measure(clean_search, text, text) IS
'internal: a call of a measure, or with the suffix _ge of its predicate, of a new row and other tokens, without its end';

CREATE FUNCTION clean_similarity(search clean_search, tokens text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN @extschema@.clean_measure(search, '', tokens) || ')';
END $$;
COMMENT ON FUNCTION clean_similarity(clean_search, text) IS
'internal: the similarity of a new row and other tokens';

CREATE FUNCTION clean_is_similar(search clean_search, tokens text, threshold text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN format('%s, %s)', @extschema@.clean_measure(search, '_ge', tokens), threshold);
END $$;
COMMENT ON FUNCTION clean_is_similar(clean_search, text, text) IS
'internal: whether the similarity of a new row and other tokens reaches a threshold, which is SQL';

CREATE FUNCTION clean_same_scope(search clean_search, of_table boolean) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT coalesce(string_agg(format(' AND (%s) %s n.s%s', CASE WHEN of_table THEN e.expression ELSE format('t.s%s', e.place) END, e.equality, e.place), '' ORDER BY e.place), '')
        FROM unnest(search.scope, search.equality) WITH ORDINALITY AS e (expression, equality, place));
END $$;
COMMENT ON FUNCTION clean_same_scope(clean_search, boolean) IS
'internal: whether a new row is in the scope of a row of the table, or of another new one; each condition after AND';

-- Two equal rows without tokens are not similar. Where only the similarity is asked for, any of the nearest rows will do.
CREATE FUNCTION clean_nearest(search clean_search, condition text, among text, is_by_key boolean) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN format('SELECT %1$s::pg_catalog.text AS key, %2$s AS similarity, (%3$s) AS counts FROM %4$s AS t%9$s
                   WHERE @extschema@.cardinality(n.tokens) OPERATOR(pg_catalog.>) 0 AND %5$s%6$s AND (%7$s) ORDER BY %2$s DESC NULLS LAST%8$s LIMIT 1',
                  search.key, @extschema@.clean_similarity(search, search.tokens), CASE WHEN among = search.counts THEN 'true' ELSE search.counts END, search.relation,
                  condition, @extschema@.clean_same_scope(search, true), among, CASE WHEN is_by_key THEN ', ' || search.key ELSE '' END,
                  CASE WHEN search.names_new THEN ', LATERAL (SELECT (n.whole).*) AS new' ELSE '' END);
END $$;
COMMENT ON FUNCTION clean_nearest(clean_search, text, text, boolean) IS
'internal: a query of the row of the table that is most similar to a new row; condition: which rows are similar enough, among: which count; is_by_key: of equally similar ones that of the least key';

CREATE FUNCTION clean_lookup(source text, nearest text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN format('SELECT f.key, f.similarity, f.counts FROM (%s) AS n CROSS JOIN LATERAL (%s) AS f', source, nearest);
END $$;
COMMENT ON FUNCTION clean_lookup(text, text) IS
'internal: a query of the row of the table that is most similar to the new row of a query';

-- The index of a constraint finds what is similar, and nothing else. It serves where there is no other.
CREATE FUNCTION clean_found(search clean_search, source text, among text, threshold text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT @extschema@.clean_lookup(source, @extschema@.clean_nearest(search,
            CASE WHEN search.has_index OR search.exclusion IS NULL THEN @extschema@.clean_is_similar(search, search.tokens, threshold)
                 ELSE format('@extschema@.jaccard_ball(%s, %L::pg_catalog.float8) OPERATOR(@extschema@.&&) @extschema@.jaccard_ball(n.tokens, %s)', search.tokens, search.least, threshold) END,
            among, true)));
END $$;
COMMENT ON FUNCTION clean_found(clean_search, text, text, text) IS
'internal: a query of the most similar row that reaches the threshold, for each new row';

-- Which of 64 locks of a table is that of the scope of a new row.
CREATE FUNCTION clean_slot(search clean_search) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT coalesce(format('pg_catalog.hash_record_extended(ROW(%s), 0::pg_catalog.int8) OPERATOR(pg_catalog.&) 63::pg_catalog.int8', string_agg(format('n.s%s', s), ', ' ORDER BY s)),
                        '0::pg_catalog.int8')
        FROM generate_series(1, cardinality(search.scope)) AS s);
END $$;
COMMENT ON FUNCTION clean_slot(clean_search) IS
'internal: the number of the lock of the scope of a new row';

-- The statements of a search for one row, which clean_search.c keeps for a session. The first reads the new row, $1, and
-- returns its tokens, the number of its lock, its scope, its key, and the whole row if it is named; these are the parameters of the
-- others, but for the lock. They have the threshold as a constant, by which the planner estimates.
CREATE FUNCTION clean_statements(search clean_search, threshold float8, OUT reads text, OUT finds text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
DECLARE
    names text[] := ARRAY(SELECT format('s%s', s) FROM generate_series(1, cardinality(search.scope)) AS s) || CASE WHEN search.names_new THEN '{own,whole}'::text[] ELSE '{own}' END;
    scope text := (SELECT coalesce(string_agg(format(', n.%s', n.name), '' ORDER BY n.place), '') FROM unnest(names) WITH ORDINALITY AS n (name, place));
    given text := (SELECT 'SELECT $1 AS tokens' || coalesce(string_agg(format(', $%s AS %s', n.place + 1, n.name), '' ORDER BY n.place), '') FROM unnest(names) WITH ORDINALITY AS n (name, place));
BEGIN
    reads := format('SELECT n.tokens, %s%s FROM (%s) AS n',
                    CASE WHEN search.exclusion IS NULL THEN @extschema@.clean_slot(search) ELSE 'NULL::pg_catalog.int8' END, scope,
                    @extschema@.clean_source(search, 'SELECT 1 AS place, $1 AS new_row'::text));
    finds := @extschema@.clean_found(search, given, search.counts, format('%L::pg_catalog.float8', threshold));
END $$;
COMMENT ON FUNCTION clean_statements(clean_search, float8) IS
'internal: the statements of a search: one that reads a new row, and one that finds the most similar row that reaches the threshold';
