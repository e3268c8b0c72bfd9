--
-- clean: a trigger that finds near-duplicates for those who only know INSERT
--

-- Its arguments, all of which a dump has as they are: key, tokens, threshold, measure, action, the column that counts or '',
-- the condition among or '', and the expressions of the scope. Names in the expressions have their schemas.
CREATE FUNCTION clean_guard() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
    -- The table that has the trigger by itself, of which this one may be a partition.
    rel pg_catalog.regclass := COALESCE(
        (SELECT g.tgrelid FROM pg_catalog.pg_partition_ancestors(TG_RELID::pg_catalog.regclass) AS a
         JOIN pg_catalog.pg_trigger AS g ON g.tgrelid OPERATOR(pg_catalog.=) a.relid::pg_catalog.oid
         WHERE g.tgname OPERATOR(pg_catalog.=) TG_NAME AND g.tgparentid OPERATOR(pg_catalog.=) 0::pg_catalog.oid), TG_RELID);
    threshold pg_catalog.float8 := TG_ARGV[2];
    search @extschema@.clean_search;
    source pg_catalog.text;
    slots pg_catalog.int8[];
    found record;
    counted pg_catalog.int8;
BEGIN
    search := @extschema@.clean_search_of(
        rel, TG_ARGV[0]::pg_catalog.name, TG_ARGV[1], threshold, TG_ARGV[3],
        CASE WHEN TG_NARGS OPERATOR(pg_catalog.>) 7 THEN pg_catalog.array_to_string(TG_ARGV[7:], ', ') END,
        CASE WHEN TG_ARGV[6] OPERATOR(pg_catalog.<>) '' THEN TG_ARGV[6] END, false);
    source := @extschema@.clean_source(search, 'SELECT 1 AS place, $1 AS new_row'::pg_catalog.text);
    IF search.exclusion IS NULL THEN
        EXECUTE @extschema@.clean_slots(search, source) INTO slots USING NEW;
        PERFORM @extschema@.clean_lock(rel, slots);
    END IF;
    LOOP
        EXECUTE @extschema@.clean_found(search, source, search.among) INTO found USING NEW, threshold;
        IF found.key IS NULL THEN
            RETURN NEW;
        ELSIF TG_ARGV[4] OPERATOR(pg_catalog.=) 'raise' THEN
            RAISE EXCEPTION 'row is a near-duplicate of row % of table %', found.key, rel
                USING ERRCODE = 'exclusion_violation', DETAIL = pg_catalog.format('Their similarity is %s.', found.similarity);
        ELSIF TG_ARGV[4] OPERATOR(pg_catalog.=) 'skip' THEN
            RETURN NULL;
        END IF;
        EXECUTE @extschema@.clean_count(search, TG_ARGV[5]::pg_catalog.name) USING found.key;
        GET DIAGNOSTICS counted = ROW_COUNT;
        -- Another transaction may have deleted the row meanwhile.
        IF counted OPERATOR(pg_catalog.>) 0 THEN
            RETURN NULL;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_guard() IS
'trigger of tables that guard_near_duplicates guards';

CREATE FUNCTION clean_count(search clean_search, counter name) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT format('UPDATE %s AS t SET %I = coalesce(t.%2$I, 0) OPERATOR(pg_catalog.+) 1 WHERE %s %s $1::%s', search.relation, counter, search.key, k.equality, k.type)
        FROM @extschema@.clean_fragments(search.rel, substr(search.key, 3), 'key'::text, false) AS k);
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
    search @extschema@.clean_search := @extschema@.clean_search_of(rel, key, tokens, threshold, measure, within, among, false);
BEGIN
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
    EXECUTE pg_catalog.format('CREATE TRIGGER neardup_guard BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION @extschema@.clean_guard(%L, %L, %L, %L, %L, %L, %L%s)',
        search.relation, key, search.plain[1], threshold, measure, action, COALESCE(counter, ''), COALESCE(search.plain[2], ''),
        (SELECT pg_catalog.string_agg(pg_catalog.format(', %L', e.expression), '' ORDER BY e.place)
         FROM pg_catalog.unnest(search.plain[3:]) WITH ORDINALITY AS e (expression, place)));
END $$;
COMMENT ON FUNCTION guard_near_duplicates(regclass, name, text, float8, text, text, text, text, name) IS
'makes a trigger that finds near-duplicates of rows that are inserted; action: skip leaves such a row out, raise raises an error, count counts up a column, counter, of the row that is there';
