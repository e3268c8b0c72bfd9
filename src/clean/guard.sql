--
-- clean: a trigger that finds near-duplicates for those who only know INSERT
--

-- Its arguments, all of which a dump has as they are: key, tokens, threshold, measure, action, the column that counts or '',
-- the condition among or '', and the expressions of the scope. Names in the expressions have their schemas.
CREATE FUNCTION clean_guard() RETURNS trigger
AS 'MODULE_PATHNAME', 'clean_guard' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION clean_guard() IS
'trigger of tables that guard_near_duplicates guards';

-- The arguments are read with the path with which they were written.
CREATE FUNCTION clean_guard_arguments(rel regclass, arguments text[], path text) RETURNS clean_search
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN @extschema@.clean_search_of(rel, arguments[1]::name, arguments[2], arguments[3]::float8, arguments[4],
        CASE WHEN cardinality(arguments) > 7 THEN array_to_string(arguments[8:], ', ') END, nullif(arguments[7], ''), false, path);
END $$;
COMMENT ON FUNCTION clean_guard_arguments(regclass, text[], text) IS
'internal: the search that the arguments of a trigger say; path: the search path with which it will run';

CREATE FUNCTION clean_count(search clean_search, counter name) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT format('UPDATE %s AS t SET %I = coalesce(t.%2$I, 0) OPERATOR(pg_catalog.+) 1 WHERE %s %s $1::%s', search.relation, counter, search.key, k.equality, @extschema@.clean_type(k.type::oid, -1))
        FROM @extschema@.clean_fragments(search.rel, substr(search.key, 3), 'key'::text, false, 'pg_catalog, pg_temp'::text) AS k);
END $$;
COMMENT ON FUNCTION clean_count(clean_search, name) IS
'internal: a statement that counts up a column of a row';

CREATE FUNCTION clean_guard_statements(
    rel regclass, arguments text[], OUT path text, OUT search clean_search, OUT reads text, OUT finds text, OUT counts_up text)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    path := @extschema@.clean_run_path();
    search := @extschema@.clean_guard_arguments(rel, arguments, path);
    SELECT s.reads, s.finds INTO reads, finds FROM @extschema@.clean_statements(search, arguments[3]::pg_catalog.float8) AS s;
    IF arguments[6] OPERATOR(pg_catalog.<>) '' THEN
        counts_up := @extschema@.clean_count(search, arguments[6]::pg_catalog.name);
    END IF;
END $$;
COMMENT ON FUNCTION clean_guard_statements(regclass, text[]) IS
'internal: the search and the statements of a trigger with these arguments, and the search path with which those that read and find run';

CREATE FUNCTION guard_near_duplicates(
    rel regclass, key name, tokens text, threshold float8,
    measure text DEFAULT 'jaccard', within text DEFAULT NULL, among text DEFAULT NULL,
    action text DEFAULT 'skip', counter name DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
    search @extschema@.clean_search := @extschema@.clean_search_of(rel, key, tokens, threshold, measure, within, among, false, @extschema@.clean_run_path());
    arguments pg_catalog.text[];
    class pg_catalog.pg_class := (SELECT c FROM pg_catalog.pg_class AS c WHERE c.oid OPERATOR(pg_catalog.=) rel::pg_catalog.oid);
BEGIN
    IF class.relispartition THEN
        RAISE EXCEPTION '% is a partition', search.relation
            USING ERRCODE = 'wrong_object_type', HINT = pg_catalog.format('Guard the partitioned table, %s.', pg_catalog.pg_partition_root(rel));
    END IF;
    IF action IS NULL OR action OPERATOR(pg_catalog.<>) ALL ('{skip,raise,count}'::pg_catalog.text[]) THEN
        RAISE EXCEPTION 'action "%" does not exist', action USING ERRCODE = 'invalid_parameter_value', HINT = 'The actions are skip, raise and count.';
    ELSIF (action OPERATOR(pg_catalog.=) 'count') OPERATOR(pg_catalog.=) (counter IS NULL) THEN
        RAISE EXCEPTION 'action count, and no other, needs a counter' USING ERRCODE = 'invalid_parameter_value', HINT = 'Name the column that is counted up, as in counter => ''times_seen''.';
    ELSIF counter IS NOT NULL AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid OPERATOR(pg_catalog.=) rel::pg_catalog.oid AND a.attname OPERATOR(pg_catalog.=) counter AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped)
    THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', counter, search.relation USING ERRCODE = 'undefined_column';
    END IF;
    PERFORM @extschema@.clean_tell(search, threshold, true);
    arguments := ARRAY[key::pg_catalog.text, search.plain[1], threshold::pg_catalog.text, measure, action, COALESCE(counter::pg_catalog.text, ''), COALESCE(search.plain[2], '')]
                 OPERATOR(pg_catalog.||) search.plain[3:];
    -- They will be read without the caller's path, which may be what finds an operator of NULLIF or CASE.
    PERFORM @extschema@.clean_guard_arguments(rel, arguments, @extschema@.clean_run_path());
    -- What an UPDATE moves to another partition is deleted and inserted.
    EXECUTE pg_catalog.format('CREATE TRIGGER neardup_guard BEFORE INSERT%s ON %s FOR EACH ROW EXECUTE FUNCTION @extschema@.clean_guard(%s)',
        CASE WHEN class.relkind OPERATOR(pg_catalog.=) 'p' THEN ' OR UPDATE OR DELETE' ELSE '' END, search.relation,
        (SELECT pg_catalog.string_agg(pg_catalog.quote_literal(a.argument), ', ' ORDER BY a.place) FROM pg_catalog.unnest(arguments) WITH ORDINALITY AS a (argument, place)));
END $$;
COMMENT ON FUNCTION guard_near_duplicates(regclass, name, text, float8, text, text, text, text, name) IS
'makes a trigger that finds near-duplicates of rows that are inserted; action: skip leaves such a row out, raise raises an error, count counts up a column, counter, of the row that is there';
