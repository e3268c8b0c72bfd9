--
-- clean: inserting a row, or finding the one that is there
--

-- What keeps callers apart who come at the same time with similar rows: a constraint of the table, for which the second
-- one waits, and then looks again; or else locks of scopes by their hashes, taken before the search and held until the
-- transaction ends. A search after the lock sees what the holder before has committed, if it has a snapshot of its own.

CREATE FUNCTION clean_lock(rel regclass, slots int8[]) RETURNS void
AS 'MODULE_PATHNAME', 'clean_lock' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION clean_lock(regclass, int8[]) IS
'internal: takes locks of scopes of a table in their order, until the transaction ends';

-- Says once in a session, for each table, what keeps its rows apart, and that an index would help.
CREATE FUNCTION clean_tell(search clean_search, threshold float8, is_guard boolean) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    told text := coalesce(current_setting('neardup_clean.told', true), '');
    mark text := format(' %s%s%s', search.rel::oid, CASE WHEN search.exclusion IS NULL THEN 'l' ELSE 'c' END, CASE WHEN search.has_index THEN 'i' ELSE '' END);
    columns text[];
    constraint_hint text := 'No constraint can have the condition "among" of the call, and one without it would refuse rows that are similar to rows which do not count. A guard binds those who only know INSERT.';
BEGIN
    IF strpos(told || ' ', mark || ' ') > 0 THEN
        RETURN;
    END IF;
    -- A session that writes to very many tables may be told again.
    PERFORM set_config('neardup_clean.told', right(told || mark, 4000), false);
    columns := ARRAY(SELECT CASE WHEN p.name ~ '^\w+$' THEN p.name ELSE format('(%s)', p.name) END
                     FROM unnest(search.plain[3:] || search.plain[1]) WITH ORDINALITY AS p (name, place) ORDER BY p.place);
    IF search.exclusion IS NOT NULL THEN
        RAISE NOTICE 'rows of table % are kept apart by constraint "%"', search.rel, search.exclusion;
    ELSIF search.measure = 'jaccard' THEN
        IF search.is_immutable THEN
            constraint_hint := format('A constraint binds all writers: ALTER TABLE %s ADD EXCLUDE USING neardup (%sjaccard_ball(%s, %s) WITH &&)%s;', search.rel,
                                      (SELECT string_agg(c.name || ' WITH =, ', '' ORDER BY c.place) FROM unnest(trim_array(columns, 1)) WITH ORDINALITY AS c (name, place)), search.plain[1], threshold,
                                      CASE WHEN search.plain[2] ~ '^\(.*\)$' THEN ' WHERE ' || search.plain[2] WHEN search.plain[2] IS NOT NULL THEN format(' WHERE (%s)', search.plain[2]) ELSE '' END);
        ELSIF is_guard THEN
            constraint_hint := 'No constraint can have the condition "among" of the guard.';
        END IF;
        RAISE NOTICE 'rows of table % are kept apart by locks, which other writers do not take', search.rel USING HINT = constraint_hint;
    ELSE
        RAISE NOTICE 'rows of table % are kept apart by locks, which other writers do not take', search.rel;
    END IF;
    IF NOT search.has_index AND search.exclusion IS NULL THEN
        RAISE NOTICE 'no index of table % finds the most similar row', search.rel
            USING HINT = format('CREATE INDEX ON %s USING neardup (%s);', search.rel, array_to_string(columns, ', '));
    END IF;
END $$;
COMMENT ON FUNCTION clean_tell(clean_search, float8, boolean) IS
'internal: says once in a session what keeps the rows of a table apart, and which index it lacks';

-- An INSERT of the columns that a jsonb has, $1; it returns the key, or no row where the constraint of the search refuses it.
CREATE FUNCTION clean_insert(search clean_search, new_row jsonb) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    names text[] := ARRAY(SELECT k.name FROM jsonb_object_keys(new_row) AS k (name));
    unknown text;
BEGIN
    SELECT n.name INTO unknown FROM unnest(names) AS n (name)
    WHERE NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = search.rel AND a.attname = n.name AND a.attnum > 0 AND NOT a.attisdropped);
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', unknown, search.rel
            USING ERRCODE = 'undefined_column', HINT = 'The names in a new row are columns of the table.';
    END IF;
    RETURN format('INSERT INTO %s AS t %s %s RETURNING %s::pg_catalog.text', search.relation,
                  CASE WHEN cardinality(names) = 0 THEN 'DEFAULT VALUES'
                       ELSE (SELECT format('(%s) SELECT %s FROM pg_catalog.jsonb_to_record($1) AS n (%s)', string_agg(quote_ident(a.attname), ', '),
                                           string_agg(format('n.%I', a.attname), ', '), string_agg(format('%I %s', a.attname, @extschema@.clean_type(a.atttypid, a.atttypmod)), ', '))
                             FROM pg_attribute AS a WHERE a.attrelid = search.rel AND a.attname = ANY (names) AND a.attnum > 0) END,
                  CASE WHEN search.exclusion IS NULL THEN '' ELSE format('ON CONFLICT ON CONSTRAINT %I DO NOTHING', search.exclusion) END,
                  search.key);
END $$;
COMMENT ON FUNCTION clean_insert(clean_search, jsonb) IS
'internal: the INSERT of a row with the columns that a jsonb object has';

-- A row that the constraint refused was not found afterwards. What it conflicts with does not count, or is less similar than
-- the call asks for; or it has gone, or the caller may not see it.
CREATE FUNCTION clean_refuse_conflict(search clean_search, new_row jsonb, threshold float8, attempt integer) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
    other pg_catalog.record;
BEGIN
    IF search.exclusion IS NOT NULL THEN
        EXECUTE @extschema@.clean_found(search, @extschema@.clean_source(search, 'SELECT 1 AS place, $1 AS new_row'::pg_catalog.text), 'true'::pg_catalog.text, '$2'::pg_catalog.text)
            INTO other USING new_row, search.least;
        IF other.key IS NOT NULL AND (other.counts IS NOT TRUE OR other.similarity OPERATOR(pg_catalog.<) threshold) THEN
            RAISE EXCEPTION 'row conflicts with row % of table %', other.key, search.relation
                USING ERRCODE = 'exclusion_violation', CONSTRAINT = search.exclusion,
                      DETAIL = pg_catalog.format('Constraint "%s" refuses rows of a similarity of %s or more; these have %s.', search.exclusion, search.least, other.similarity),
                      HINT = CASE WHEN other.counts THEN 'The threshold of the call is greater than that of the constraint.'
                                  ELSE 'The row that is there does not count, by the condition "among" of the call or by a decision, but the constraint knows neither.' END;
        END IF;
    END IF;
    IF search.exclusion IS NULL OR attempt OPERATOR(pg_catalog.>=) 20 THEN
        RAISE EXCEPTION 'a row of table % was neither inserted nor found', search.relation
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = CASE WHEN search.exclusion IS NULL THEN 'A trigger or rule has left the row out.'
                                ELSE 'A trigger or rule has left the row out, or it conflicts with a row that the caller does not see.' END;
    END IF;
END $$;
COMMENT ON FUNCTION clean_refuse_conflict(clean_search, jsonb, float8, integer) IS
'internal: raises an error if the row that a constraint refused will be refused again';

-- A row below the threshold, down to half of it, tells how near a new one comes to others. The index of a constraint finds none.
CREATE FUNCTION clean_least_told(search clean_search, threshold float8) RETURNS float8
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN search.has_index OR search.exclusion IS NULL THEN threshold / 2 ELSE threshold END;
END $$;
COMMENT ON FUNCTION clean_least_told(clean_search, float8) IS
'internal: from which similarity on that of the nearest row is told of a row that is inserted';

CREATE FUNCTION clean_call_statements(
    rel regclass, key_column name, tokens text, threshold float8, measure text, within text, among text,
    OUT path text, OUT search clean_search, OUT reads text, OUT finds text, OUT counts_up text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    path := @extschema@.clean_run_path();
    search := @extschema@.clean_search_of(rel, key_column, tokens, threshold, measure, within, among, true, path);
    PERFORM @extschema@.clean_tell(search, threshold, false);
    SELECT s.reads, s.finds INTO reads, finds FROM @extschema@.clean_statements(search, @extschema@.clean_least_told(search, threshold)) AS s;
END $$;
COMMENT ON FUNCTION clean_call_statements(regclass, name, text, float8, text, text, text) IS
'internal: the search and the statements of calls of insert_or_find with these arguments, and the search path with which those that read and find run';

CREATE FUNCTION insert_or_find(
    rel regclass, new_row jsonb, key name, tokens text, threshold float8,
    measure text DEFAULT 'jaccard', within text DEFAULT NULL, among text DEFAULT NULL,
    OUT key text, OUT inserted boolean, OUT similarity float8)
RETURNS record
AS 'MODULE_PATHNAME', 'insert_or_find' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION insert_or_find(regclass, jsonb, name, text, float8, text, text, text) IS
'inserts a row unless one of the table is as similar as the threshold; returns the key of the row that was inserted or the most similar one that was found, which of the two, and the greatest similarity, NULL for a row that was inserted where no row comes near it; within: a list of SQL expressions that are equal for similar rows, among: a condition on the rows that count';

CREATE FUNCTION insert_or_find_keyed(
    key_type anyelement, rel regclass, new_row jsonb, key name, tokens text, threshold float8,
    measure text DEFAULT 'jaccard', within text DEFAULT NULL, among text DEFAULT NULL,
    OUT key anyelement, OUT inserted boolean, OUT similarity float8)
RETURNS record
AS 'MODULE_PATHNAME', 'insert_or_find_keyed' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION insert_or_find_keyed(anyelement, regclass, jsonb, name, text, float8, text, text, text) IS
'returns what insert_or_find does, with the key of the type of the first argument, whose value (such as NULL::uuid) does not matter';
