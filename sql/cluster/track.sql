--
-- cluster: begin, check and end the tracking of a table
--

CREATE FUNCTION neardup_track_rebuild(
    rel regclass,
    OUT key text, OUT difference text, OUT recorded bigint, OUT computed bigint)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off
SET row_security = off SET gin_fuzzy_search_limit = 0 AS $$
DECLARE
    entry @extschema@.neardup_tracked := @extschema@.neardup_track_entry(rel, true);
    equality text := @extschema@.neardup_track_equality(entry);
    numbers text := pg_get_serial_sequence(entry.members::text, 'member');
    newest bigint;
BEGIN
    PERFORM @extschema@.neardup_track_begin(entry);
    newest := nextval(numbers);
    RETURN QUERY EXECUTE format($q$
        WITH current AS MATERIALIZED (
            SELECT s.key, s.tokens FROM %1$s AS s
        ), gone AS (
            DELETE FROM %2$s AS m WHERE NOT EXISTS (SELECT FROM current AS c WHERE c.key %3$s m.key)
            RETURNING m.key::text, m.cluster
        ), was AS MATERIALIZED (
            SELECT m.key, c.tokens FROM current AS c JOIN %2$s AS m ON m.key %3$s c.key WHERE m.tokens OPERATOR(@extschema@.<>) c.tokens
        ), changed AS (
            UPDATE %2$s AS m SET tokens = w.tokens FROM was AS w WHERE m.key %3$s w.key
            RETURNING m.key::text, m.cluster
        ), arrived AS (
            INSERT INTO %2$s (key, member, cluster, tokens)
            SELECT n.key, n.number, n.number, n.tokens
            FROM (SELECT c.key, c.tokens, nextval(%4$L) AS number
                  FROM (SELECT c.key, c.tokens FROM current AS c
                        WHERE NOT EXISTS (SELECT FROM %2$s AS m WHERE m.key %3$s c.key)
                        ORDER BY c.key) AS c) AS n
            RETURNING key::text
        )
        SELECT g.key, 'surplus', g.cluster, NULL::bigint FROM gone AS g
        UNION ALL
        SELECT c.key, 'tokens', c.cluster, c.cluster FROM changed AS c
        UNION ALL
        SELECT a.key, 'missing', NULL, NULL FROM arrived AS a
        $q$, entry.source, entry.members, equality, numbers);
    RETURN QUERY SELECT r.key, 'cluster'::text, r.recorded, r.computed FROM @extschema@.neardup_track_relabel(entry, NULL::bigint[], newest) AS r;
END $$;
COMMENT ON FUNCTION neardup_track_rebuild(regclass) IS
'tracking: what neardup_refresh does, with the owner''s rights';

CREATE FUNCTION neardup_track_create(
    rel regclass, key name, probe regclass, threshold float8, mode text)
RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    class pg_class;
    schema name;
    base text;
    expression text := pg_get_indexdef(probe, 1, false);
    columns text;
    members text;
    state text;
    log text;
    source text;
    function text;
    object text;
    present text;
    drops text;
    other regclass;
BEGIN
    SELECT c.* INTO class FROM pg_class AS c WHERE c.oid = rel;
    SELECT n.nspname INTO schema FROM pg_namespace AS n WHERE n.oid = class.relnamespace;
    base := class.relname;
    WHILE octet_length(base) > 48 LOOP
        base := left(base, -1);
    END LOOP;
    members := format('%I.%I', schema, base || '_neardup');
    state := format('%I.%I', schema, base || '_neardup_state');
    log := format('%I.%I', schema, base || '_neardup_log');
    source := format('%I.%I', schema, base || '_neardup_source');
    function := format('%I.%I', schema, base || '_neardup_sync');

    -- The extension or an earlier table of the name may have been dropped with CASCADE, which leaves its tables.
    SELECT string_agg(format('%s %s', o.type, o.identity), ', ' ORDER BY e.place),
           string_agg(format('DROP %s %s;', upper(o.type), o.identity), ' ' ORDER BY e.place)
    INTO present, drops
    FROM (
        SELECT 1 AS place, 'pg_trigger'::regclass AS class, g.oid AS object FROM pg_trigger AS g
        WHERE g.tgrelid = rel AND g.tgname IN ('neardup_lock', 'neardup_insert', 'neardup_update', 'neardup_delete', 'neardup_truncate')
        UNION ALL
        SELECT 2, 'pg_proc'::regclass, to_regprocedure(function || '()')
        UNION ALL
        SELECT 2 + n.place, 'pg_class'::regclass, to_regclass(n.relation)
        FROM unnest(ARRAY[source, members, state, log]) WITH ORDINALITY AS n (relation, place)
    ) AS e, pg_identify_object(e.class, e.object, 0) AS o
    WHERE e.object IS NOT NULL;
    IF present IS NOT NULL THEN
        -- A tracked table may have been renamed, and another have its name now.
        SELECT t.rel INTO other
        FROM @extschema@.neardup_tracked AS t JOIN pg_class AS c ON c.oid = t.rel
        WHERE t.members = to_regclass(format('%I.%I', schema, base || '_neardup'));
        RAISE EXCEPTION 'cannot track table %', rel
            USING ERRCODE = 'duplicate_object', DETAIL = format('There already are: %s.', present),
                  HINT = CASE WHEN other IS NULL THEN format('If an earlier tracking has left them, drop them: %s', drops)
                              ELSE format('Table %s is tracked with them. Rename the table that is not tracked.', other) END;
    END IF;

    -- An expression that reads whole rows depends on all columns.
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname <> key, a.attnum) INTO columns
    FROM pg_attribute AS a
    WHERE a.attrelid = rel AND a.attnum > 0 AND NOT a.attisdropped
      AND (a.attname = key OR position('.*' IN expression) > 0
           OR EXISTS (SELECT FROM pg_depend AS d
                      WHERE d.classid = 'pg_class'::regclass AND d.objid = probe
                        AND d.refclassid = 'pg_class'::regclass AND d.refobjid = rel AND d.refobjsubid = a.attnum));
    EXECUTE format('DROP INDEX %s', probe);

    EXECUTE format('CREATE VIEW %s AS SELECT %I AS key, coalesce(%s, ''{}''::@extschema@.tokenset) AS tokens FROM ONLY %s',
                   source, key, expression, rel);
    EXECUTE format('CREATE TABLE %s AS SELECT key, 0::bigint AS member, 0::bigint AS cluster, tokens FROM %s WITH NO DATA', members, source);
    EXECUTE format('ALTER TABLE %s ADD PRIMARY KEY (key), ALTER member SET NOT NULL, ALTER cluster SET NOT NULL,
                    ALTER tokens SET NOT NULL, ALTER member ADD GENERATED BY DEFAULT AS IDENTITY', members);
    EXECUTE format('CREATE TABLE %s (single boolean PRIMARY KEY DEFAULT true CHECK (single), changes bigint NOT NULL DEFAULT 0)', state);
    EXECUTE format('INSERT INTO %s DEFAULT VALUES', state);
    EXECUTE format('CREATE TABLE %s (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(),
                    event text NOT NULL CHECK (event IN (''merge'', ''split'')), cluster bigint NOT NULL, other bigint NOT NULL,
                    members bigint NOT NULL)', log);
    EXECUTE format('COMMENT ON TABLE %s IS %L', members, format('near-duplicates of %s: the set of each row, and its cluster', rel));
    EXECUTE format('COMMENT ON TABLE %s IS %L', state, format('near-duplicates of %s: the row that writers lock', rel));
    EXECUTE format('COMMENT ON TABLE %s IS %L', log, format('near-duplicates of %s: merges and splits of clusters', rel));
    EXECUTE format('COMMENT ON VIEW %s IS %L', source, format('near-duplicates of %s: key and set of each row', rel));

    -- The rights of the owner, whoever writes; none of the writer's settings that change what a query finds.
    EXECUTE format($q$
        CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, pg_temp SET row_security = off SET gin_fuzzy_search_limit = 0 AS
        $f$
BEGIN
    IF TG_WHEN = 'BEFORE' THEN
        PERFORM @extschema@.neardup_track_lock(TG_RELID::regclass);
    ELSE
        EXECUTE @extschema@.neardup_track_change(TG_RELID::regclass, TG_OP);
    END IF;
    RETURN NULL;
END $f$
        $q$, function);
    EXECUTE format('COMMENT ON FUNCTION %s() IS %L', function, format('near-duplicates of %s: function of its triggers', rel));
    EXECUTE format('REVOKE ALL ON FUNCTION %s() FROM PUBLIC', function);
    -- Without the extension the triggers could only fail.
    EXECUTE format('ALTER FUNCTION %s() DEPENDS ON EXTENSION neardup', function);
    EXECUTE format('CREATE TRIGGER neardup_lock BEFORE INSERT OR DELETE OR TRUNCATE OR UPDATE OF %s ON %s
                    FOR EACH STATEMENT EXECUTE FUNCTION %s()', columns, rel, function);
    EXECUTE format('CREATE TRIGGER neardup_insert AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION %s()', rel, function);
    EXECUTE format('CREATE TRIGGER neardup_update AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION %s()', rel, function);
    EXECUTE format('CREATE TRIGGER neardup_delete AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION %s()', rel, function);
    EXECUTE format('CREATE TRIGGER neardup_truncate AFTER TRUNCATE ON %s
                    FOR EACH STATEMENT EXECUTE FUNCTION %s()', rel, function);

    IF pg_get_userbyid(class.relowner) <> current_user THEN
        FOREACH object IN ARRAY ARRAY['TABLE ' || members, 'TABLE ' || state, 'TABLE ' || log, 'VIEW ' || source,
                                      'FUNCTION ' || function || '()'] LOOP
            EXECUTE format('ALTER %s OWNER TO %I', object, pg_get_userbyid(class.relowner));
        END LOOP;
    END IF;
    -- Entries of tables that are no more.
    DELETE FROM @extschema@.neardup_tracked AS t WHERE NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = t.rel);
    INSERT INTO @extschema@.neardup_tracked
    VALUES (rel, threshold, mode, members::regclass, state::regclass, log::regclass, source::regclass);

    PERFORM @extschema@.neardup_refresh(rel);
    EXECUTE format('CREATE INDEX ON %s (cluster, member)', members);
    EXECUTE format('CREATE INDEX ON %s USING hash (tokens)', members);
    -- Each write looks up before it adds, and a lookup reads the whole list of pending entries.
    EXECUTE format('CREATE INDEX ON %s USING gin (tokens @extschema@.gin_tokenset_ops) WITH (gin_pending_list_limit = 64)', members);
    EXECUTE format('ANALYZE %s', members);
    RETURN members::regclass;
END $$;
COMMENT ON FUNCTION neardup_track_create(regclass, name, regclass, float8, text) IS
'tracking: what neardup_track does once its arguments are known to be good; probe: an index of the expression';

CREATE FUNCTION neardup_track_check(rel regclass, key name, tokens text, threshold float8, mode text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    class pg_class;
    attribute pg_attribute;
BEGIN
    IF rel IS NULL OR key IS NULL OR tokens IS NULL OR threshold IS NULL OR mode IS NULL THEN
        RAISE EXCEPTION 'arguments of neardup_track must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM @extschema@.jaccard_ge('{}'::@extschema@.tokenset, '{}'::@extschema@.tokenset, threshold);
    IF mode <> 'connected' THEN
        RAISE EXCEPTION 'clusters of mode "%" cannot be tracked', mode
            USING ERRCODE = 'feature_not_supported',
                  DETAIL = 'Only connected clusters do not depend on the order in which rows come and go.',
                  HINT = 'Use mode "connected".';
    END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'neardup_track must be called at isolation level READ COMMITTED'
            USING ERRCODE = 'active_sql_transaction',
                  DETAIL = 'Rows that were committed after the snapshot of the transaction would be missed.';
    END IF;
    SELECT * INTO class FROM pg_class AS c WHERE c.oid = rel;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'relation with OID % does not exist', rel::oid USING ERRCODE = 'undefined_table';
    END IF;
    IF class.relkind = 'p' OR class.relispartition
       OR EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhparent = rel OR i.inhrelid = rel) THEN
        RAISE EXCEPTION 'cannot track table %', rel
            USING ERRCODE = 'feature_not_supported',
                  DETAIL = 'Partitioned tables, partitions, and tables with inheritance cannot be tracked.';
    END IF;
    IF class.relkind <> 'r' THEN
        RAISE EXCEPTION '% is not a table', rel USING ERRCODE = 'wrong_object_type';
    END IF;
    IF class.relpersistence <> 'p' THEN
        RAISE EXCEPTION 'cannot track table %', rel
            USING ERRCODE = 'feature_not_supported', DETAIL = 'Temporary and unlogged tables cannot be tracked.';
    END IF;
    IF NOT pg_has_role(class.relowner, 'USAGE') THEN
        RAISE EXCEPTION 'must be owner of table %', rel USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF EXISTS (SELECT FROM @extschema@.neardup_tracked AS t WHERE t.rel = neardup_track_check.rel) THEN
        RAISE EXCEPTION 'table % is already tracked', rel
            USING ERRCODE = 'duplicate_object', HINT = 'Call neardup_untrack first to track it otherwise.';
    END IF;
    IF class.relforcerowsecurity
       AND NOT (SELECT r.rolsuper OR r.rolbypassrls FROM pg_roles AS r WHERE r.oid = class.relowner) THEN
        RAISE EXCEPTION 'cannot track table %', rel
            USING ERRCODE = 'feature_not_supported',
                  DETAIL = 'Its row-level security is forced upon its owner, who must see all rows.';
    END IF;
    SELECT * INTO attribute FROM pg_attribute AS a
    WHERE a.attrelid = rel AND a.attname = key AND a.attnum > 0 AND NOT a.attisdropped;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', key, rel USING ERRCODE = 'undefined_column';
    END IF;
    IF NOT attribute.attnotnull OR NOT EXISTS (
        SELECT FROM pg_index AS i
        WHERE i.indrelid = rel AND i.indisunique AND i.indimmediate AND i.indisvalid AND i.indpred IS NULL
          AND i.indnkeyatts = 1 AND i.indkey[0] = attribute.attnum)
    THEN
        RAISE EXCEPTION 'column "%" of table % is not a key', key, rel
            USING ERRCODE = 'invalid_table_definition',
                  DETAIL = 'A key is NOT NULL, and has a primary key or unique index of its own that is neither partial nor deferrable.';
    END IF;
END $$;
COMMENT ON FUNCTION neardup_track_check(regclass, name, text, float8, text) IS
'tracking: refuses what neardup_track cannot do';

-- No search path of its own: that of the caller is for the expression.
CREATE FUNCTION neardup_track(
    rel regclass, key name, tokens text, threshold float8, mode text DEFAULT 'connected')
RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
    type pg_catalog.regtype;
    probe pg_catalog.name := 'neardup_probe_' OPERATOR(pg_catalog.||) pg_catalog.txid_current()::pg_catalog.text;
    schema pg_catalog.name;
    reason pg_catalog.text;
BEGIN
    PERFORM @extschema@.neardup_track_check(rel, key, tokens, threshold, mode);
    -- No writer is under way from here on.
    EXECUTE pg_catalog.format('LOCK TABLE ONLY %s IN SHARE ROW EXCLUSIVE MODE', rel);
    EXECUTE pg_catalog.format(E'SELECT pg_catalog.pg_typeof((SELECT (%s\n) FROM ONLY %s LIMIT 0))', tokens, rel) INTO type;
    IF type OPERATOR(pg_catalog.<>) '@extschema@.tokenset'::pg_catalog.regtype THEN
        RAISE EXCEPTION 'tokens must be of type tokenset, not %', type
            USING ERRCODE = 'datatype_mismatch',
                  HINT = 'Give an expression such as word_tokens(body), or tags::tokenset.';
    END IF;
    -- An index that holds nothing: an expression that it accepts is immutable, and reads one row.
    BEGIN
        EXECUTE pg_catalog.format(E'CREATE INDEX %I ON ONLY %s ((%s\n)) WHERE false', probe, rel, tokens);
    EXCEPTION WHEN invalid_object_definition THEN
        RAISE EXCEPTION 'tokens must be an immutable expression'
            USING ERRCODE = 'invalid_object_definition',
                  DETAIL = 'The set of a row must not depend on settings, on other rows or on time.',
                  HINT = 'Name a text search configuration or time zone, for instance, as in to_tsvector(''english'', body).';
    WHEN feature_not_supported OR grouping_error OR windowing_error THEN
        GET STACKED DIAGNOSTICS reason = MESSAGE_TEXT;
        RAISE EXCEPTION 'tokens must be an expression over the columns of one row'
            USING ERRCODE = 'feature_not_supported', DETAIL = pg_catalog.format('As an index: %s.', reason);
    END;
    SELECT n.nspname INTO schema FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    WHERE c.oid OPERATOR(pg_catalog.=) rel::pg_catalog.oid;
    RETURN @extschema@.neardup_track_create(rel, key, pg_catalog.format('%I.%I', schema, probe)::pg_catalog.regclass, threshold, mode);
END $$;
COMMENT ON FUNCTION neardup_track(regclass, name, text, float8, text) IS
'keeps the clusters of rows with Jaccard similarity of at least the threshold up to date as rows come and go, in a table that it returns; key: a unique column, tokens: an SQL expression over the columns, of type tokenset';

-- Whoever calls, sets are computed with the rights of the table's owner.
CREATE FUNCTION neardup_refresh(
    rel regclass,
    OUT key text, OUT difference text, OUT recorded bigint, OUT computed bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'neardup_refresh'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION neardup_refresh(regclass) IS
'computes the clusters of a tracked table anew, and returns what was not as it should be: rows missing or surplus, and wrong tokens or cluster';

CREATE FUNCTION neardup_untrack(rel regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry @extschema@.neardup_tracked := @extschema@.neardup_track_entry(rel, false);
    object text;
BEGIN
    FOR object IN
        SELECT format('TRIGGER %I ON %s', g.tgname, rel) FROM pg_trigger AS g
        WHERE g.tgrelid = rel AND g.tgname IN ('neardup_lock', 'neardup_insert', 'neardup_update', 'neardup_delete', 'neardup_truncate')
        UNION ALL
        SELECT format('FUNCTION %s', p.oid::regprocedure)
        FROM pg_trigger AS g JOIN pg_proc AS p ON p.oid = g.tgfoid
        WHERE g.tgrelid = rel AND g.tgname = 'neardup_lock'
          -- A trigger of this name could be made with any function.
          AND p.prosecdef AND p.proowner = (SELECT c.relowner FROM pg_class AS c WHERE c.oid = entry.members)
        UNION ALL
        SELECT format('%s %s', CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, c.oid::regclass) FROM pg_class AS c
        WHERE c.oid = ANY (ARRAY[entry.members, entry.state, entry.log, entry.source]::oid[])
    LOOP
        EXECUTE 'DROP ' || object;
    END LOOP;
    DELETE FROM @extschema@.neardup_tracked AS t WHERE t.rel = neardup_untrack.rel;
END $$;
COMMENT ON FUNCTION neardup_untrack(regclass) IS
'ends the tracking of a table, and drops what neardup_track has made';
