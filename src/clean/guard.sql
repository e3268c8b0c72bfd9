--
-- clean: a trigger that finds near-duplicates for those who only know INSERT
--

-- Its arguments, all of which a dump has as they are: key, tokens, threshold, measure, action, the column that counts or '',
-- the condition among or '', and the expressions of the scope. Names in the expressions have their schemas.
CREATE FUNCTION clean_guard() RETURNS trigger
AS 'MODULE_PATHNAME', 'clean_guard' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION clean_guard() IS
'trigger of tables that guard_near_duplicates guards';

CREATE FUNCTION clean_has_key() RETURNS boolean
AS 'MODULE_PATHNAME', 'clean_has_key' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION clean_has_key() IS
'internal: for clean_guard_search, whether a unique index of the table has the key of the new row';

-- The arguments are read with the path with which they were written.
CREATE FUNCTION clean_guard_arguments(rel regclass, arguments text[], path text) RETURNS clean_search
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN @extschema@.clean_search_of(rel, arguments[1]::name, arguments[2], arguments[3]::float8, arguments[4],
        CASE WHEN cardinality(arguments) > 7 THEN array_to_string(arguments[8:], ', ') END, nullif(arguments[7], ''), false, path);
END $$;
COMMENT ON FUNCTION clean_guard_arguments(regclass, text[], text) IS
'internal: the search that the arguments of a trigger say; path: the search path with which it will run';

-- A row that is similar to another is passed on if its key is there, since only the statement says what then is to be done: an
-- INSERT fails, ON CONFLICT does nothing or updates that row.
CREATE FUNCTION clean_guard_search() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
    -- The table that has the trigger by itself, of which this one may be a partition.
    rel pg_catalog.regclass := COALESCE(
        (SELECT g.tgrelid FROM pg_catalog.pg_partition_ancestors(TG_RELID::pg_catalog.regclass) AS a
         JOIN pg_catalog.pg_trigger AS g ON g.tgrelid OPERATOR(pg_catalog.=) a.relid::pg_catalog.oid
         WHERE g.tgname OPERATOR(pg_catalog.=) TG_NAME AND g.tgparentid OPERATOR(pg_catalog.=) 0::pg_catalog.oid), TG_RELID);
    path pg_catalog.text := pg_catalog.current_setting('search_path');
    run_path pg_catalog.text := @extschema@.clean_run_path();
    threshold pg_catalog.float8 := TG_ARGV[2];
    search @extschema@.clean_search := @extschema@.clean_guard_arguments(rel, TG_ARGV[0:], run_path);
    source pg_catalog.text := @extschema@.clean_source(search, 'SELECT 1 AS place, $1 AS new_row'::pg_catalog.text);
    slots pg_catalog.int8[];
    found pg_catalog.record;
    missed pg_catalog.text;
    counted pg_catalog.int8;
BEGIN
    PERFORM @extschema@.clean_use_path(run_path);
    IF search.exclusion IS NULL THEN
        EXECUTE @extschema@.clean_slots(search, source) INTO slots USING NEW;
        PERFORM @extschema@.clean_lock(rel, slots);
    END IF;
    LOOP
        EXECUTE @extschema@.clean_found(search, source, search.among) INTO found USING NEW, threshold;
        PERFORM @extschema@.clean_use_path(path);
        IF found.key IS NULL OR @extschema@.clean_has_key() THEN
            RETURN NEW;
        ELSIF TG_ARGV[4] OPERATOR(pg_catalog.=) 'raise' THEN
            RAISE EXCEPTION 'row is a near-duplicate of row % of table %', found.key, rel
                USING ERRCODE = 'exclusion_violation', DETAIL = pg_catalog.format('Their similarity is %s.', found.similarity);
        ELSIF (SELECT c.relispartition FROM pg_catalog.pg_class AS c WHERE c.oid OPERATOR(pg_catalog.=) rel::pg_catalog.oid) THEN
            RAISE EXCEPTION 'row is a near-duplicate of row % of partition %', found.key, rel
                USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'It is not left out, since an UPDATE may have moved it here from another partition.',
                      HINT = 'Drop the trigger, and guard the partitioned table.';
        ELSIF TG_ARGV[4] OPERATOR(pg_catalog.=) 'skip' THEN
            RETURN NULL;
        END IF;
        EXECUTE @extschema@.clean_count(search, TG_ARGV[5]::pg_catalog.name) USING found.key;
        GET DIAGNOSTICS counted = ROW_COUNT;
        -- Another transaction may have deleted the row meanwhile. If it is found again, something else keeps it as it is.
        IF counted OPERATOR(pg_catalog.>) 0 THEN
            RETURN NULL;
        ELSIF found.key OPERATOR(pg_catalog.=) missed THEN
            RAISE EXCEPTION 'row % of table % could not be counted up', found.key, rel
                USING ERRCODE = 'triggered_action_exception', HINT = 'A trigger, a rule or a policy has kept the row from being changed.';
        END IF;
        missed := found.key;
        PERFORM @extschema@.clean_use_path(run_path);
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_guard_search() IS
'trigger function that clean_guard calls for rows which are new';

CREATE FUNCTION clean_count(search clean_search, counter name) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT format('UPDATE %s AS t SET %I = coalesce(t.%2$I, 0) OPERATOR(pg_catalog.+) 1 WHERE %s %s $1::%s', search.relation, counter, search.key, k.equality, @extschema@.clean_type(k.type::oid, -1))
        FROM @extschema@.clean_fragments(search.rel, substr(search.key, 3), 'key'::text, false, 'pg_catalog, pg_temp'::text) AS k);
END $$;
COMMENT ON FUNCTION clean_count(clean_search, name) IS
'internal: a statement that counts up a column of a row';

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
        RAISE EXCEPTION '% is a partition', rel
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
        RAISE EXCEPTION 'column "%" of table % does not exist', counter, rel USING ERRCODE = 'undefined_column';
    END IF;
    PERFORM @extschema@.clean_tell(search, threshold, false);
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
