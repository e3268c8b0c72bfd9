\echo Use "CREATE EXTENSION neardup_track" to load this file. \quit

--
-- What a guest checks first whose functions are PL/pgSQL: it is in neardup's schema
--

-- Functions of the guest name those of neardup by the schema of the guest.
DO $$
DECLARE
    schema pg_catalog.regnamespace := (SELECT e.extnamespace FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup');
BEGIN
    IF schema::pg_catalog.oid OPERATOR(pg_catalog.<>) '@extschema@'::pg_catalog.regnamespace::pg_catalog.oid THEN
        RAISE EXCEPTION 'extension neardup_track must be in the schema of neardup'
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = pg_catalog.format('Call CREATE EXTENSION neardup_track SCHEMA %s.', schema);
    END IF;
END $$;

--
-- track: the tables whose clusters follow their rows
--

-- The tables of a tracked table DOC are ordinary tables of its owner:
--
--   DOC_neardup         a row for each of DOC's: its key, its set, its cluster
--   DOC_neardup_log     merges and splits
--   DOC_neardup_state   one row: the tokens that come last in the order of locks
--   DOC_neardup_source  a view of DOC: key and set as they should be recorded
--
-- The triggers of DOC call neardup_track_write, which acts with the owner's
-- rights. What is to be recorded for the keys that a statement has written is
-- read from the view. So it does not matter in which order triggers see the
-- changes of nested statements, and columns may be renamed.
--
-- Each call of a function here gives all arguments, with exactly the declared
-- types. Otherwise a role that may create functions in this schema could add
-- one that PostgreSQL prefers, and that would run with the owner's rights.

CREATE TABLE neardup_tracked (
    rel regclass PRIMARY KEY,
    threshold float8 NOT NULL,
    mode text NOT NULL,
    members regclass NOT NULL,
    state regclass NOT NULL,
    log regclass NOT NULL,
    source regclass NOT NULL
);
COMMENT ON TABLE neardup_tracked IS
'the tables whose clusters of near-duplicates are tracked; entries are made by neardup_track';

-- Entries of dropped tables are not dumped: their numbers may mean other relations where the dump is restored.
SELECT pg_catalog.pg_extension_config_dump('neardup_tracked',
    'WHERE (SELECT count(*) FROM pg_catalog.pg_class AS c WHERE c.oid IN (rel, members, state, log, source)) = 5');

-- Entries are inserted by the role that calls neardup_track, and by the one that
-- restores a dump. A trigger guards them, since row-level security would be in
-- the way of both pg_dump and COPY.
CREATE FUNCTION neardup_tracked_guard() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry record;
    owners oid[];
    relations bigint;
BEGIN
    IF TG_OP = 'DELETE' THEN
        entry := OLD;
        -- The next call of neardup_track removes the entry of a dropped table, whoever calls.
        IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = OLD.rel) THEN
            RETURN OLD;
        END IF;
    ELSE
        entry := NEW;
    END IF;
    SELECT array_agg(DISTINCT c.relowner), count(*) INTO owners, relations FROM pg_class AS c
    WHERE c.oid = ANY (ARRAY[entry.rel, entry.members, entry.state, entry.log, entry.source]::oid[]);
    -- A number without a relation could later become that of a relation of any other role.
    IF TG_OP = 'INSERT' AND relations <> 5 THEN
        RAISE EXCEPTION 'a table is tracked with four relations that exist' USING ERRCODE = 'undefined_table';
    END IF;
    IF EXISTS (SELECT FROM unnest(owners) AS o (owner) WHERE NOT pg_has_role(o.owner, 'USAGE')) THEN
        RAISE EXCEPTION 'must be owner of table %', entry.rel USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'INSERT' AND cardinality(owners) <> 1 THEN
        RAISE EXCEPTION 'a table and what it is tracked with must have the same owner' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN entry;
END $$;
COMMENT ON FUNCTION neardup_tracked_guard() IS
'trigger of neardup_tracked: lets the owner of a table change its entry';

CREATE TRIGGER neardup_tracked_guard BEFORE INSERT OR DELETE ON neardup_tracked
    FOR EACH ROW EXECUTE FUNCTION neardup_tracked_guard();

GRANT SELECT, INSERT, DELETE ON neardup_tracked TO PUBLIC;

CREATE FUNCTION neardup_track_entry(rel regclass) RETURNS neardup_tracked
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry @extschema@.neardup_tracked;
BEGIN
    IF NOT pg_has_role((SELECT c.relowner FROM pg_class AS c WHERE c.oid = rel), 'USAGE') THEN
        RAISE EXCEPTION 'must be owner of table %', rel USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT * INTO entry FROM @extschema@.neardup_tracked AS t WHERE t.rel = neardup_track_entry.rel;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not tracked', rel
            USING ERRCODE = 'undefined_object', HINT = 'Call neardup_track first.';
    END IF;
    RETURN entry;
END $$;
COMMENT ON FUNCTION neardup_track_entry(regclass) IS
'tracking: the entry of a table, for its owner';

CREATE FUNCTION neardup_components(query text, threshold float8, OUT id bigint, OUT cluster bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'neardup_components'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION neardup_components(text, float8) IS
'tracking: the rows (key, tokens) of a query in connected clusters of Jaccard similarity, each named by its least key';

-- The search path is fixed, and policies filter no rows, since the sets of all rows are recorded. Plans are kept while
-- the table grows, and must use indexes from the beginning, which serve everything but the join.
CREATE FUNCTION neardup_track_write() RETURNS trigger
AS 'MODULE_PATHNAME', 'neardup_track_write'
LANGUAGE C VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET row_security = off SET enable_seqscan = off SET jit = off;
COMMENT ON FUNCTION neardup_track_write() IS
'trigger of tracked tables: records with the rights of the table''s owner what a statement has written';

--
-- track: begin, check and end the tracking of a table
--

CREATE FUNCTION neardup_track_create(
    rel regclass, key name, probe regclass, threshold float8, mode text)
RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    class pg_class;
    schema name;
    base text;
    expression text := pg_get_indexdef(probe, 1, false);
    members text;
    state text;
    log text;
    source text;
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

    -- The extension or an earlier table of the name may have been dropped with CASCADE, which leaves its tables.
    SELECT string_agg(format('%s %s', o.type, o.identity), ', ' ORDER BY e.place),
           string_agg(format('DROP %s %s;', upper(o.type), o.identity), ' ' ORDER BY e.place)
    INTO present, drops
    FROM (
        SELECT 1 AS place, 'pg_trigger'::regclass AS class, g.oid AS object FROM pg_trigger AS g
        WHERE g.tgrelid = rel AND g.tgname IN ('neardup_insert', 'neardup_update', 'neardup_delete', 'neardup_truncate')
        UNION ALL
        SELECT 1 + n.place, 'pg_class'::regclass, to_regclass(n.relation)
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

    EXECUTE format('DROP INDEX %s', probe);

    EXECUTE format('CREATE VIEW %s AS SELECT %I AS key, coalesce(%s, ''{}''::@extschema@.tokenset) AS tokens FROM ONLY %s',
                   source, key, expression, rel);
    EXECUTE format('CREATE TABLE %s AS SELECT key, 0::bigint AS member, 0::bigint AS cluster, tokens FROM %s WITH NO DATA', members, source);
    EXECUTE format('ALTER TABLE %s ADD PRIMARY KEY (key), ALTER member SET NOT NULL, ALTER cluster SET NOT NULL,
                    ALTER tokens SET NOT NULL, ALTER member ADD GENERATED BY DEFAULT AS IDENTITY', members);
    EXECUTE format('CREATE TABLE %s (single boolean PRIMARY KEY DEFAULT true CHECK (single), frequent bigint[] NOT NULL DEFAULT ''{}'',
                    frozen bigint NOT NULL DEFAULT 0)', state);
    EXECUTE format('INSERT INTO %s DEFAULT VALUES', state);
    EXECUTE format('CREATE TABLE %s (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(),
                    event text NOT NULL CHECK (event IN (''merge'', ''split'')), cluster bigint NOT NULL, other bigint NOT NULL,
                    members bigint NOT NULL)', log);
    EXECUTE format('COMMENT ON TABLE %s IS %L', members, format('near-duplicates of %s: the set of each row, and its cluster', rel));
    EXECUTE format('COMMENT ON TABLE %s IS %L', state, format('near-duplicates of %s: the tokens that come last in the order of locks', rel));
    EXECUTE format('COMMENT ON TABLE %s IS %L', log, format('near-duplicates of %s: merges and splits of clusters', rel));
    EXECUTE format('COMMENT ON VIEW %s IS %L', source, format('near-duplicates of %s: key and set of each row', rel));

    EXECUTE format('CREATE TRIGGER neardup_insert AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.neardup_track_write()', rel);
    EXECUTE format('CREATE TRIGGER neardup_update AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.neardup_track_write()', rel);
    EXECUTE format('CREATE TRIGGER neardup_delete AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.neardup_track_write()', rel);
    EXECUTE format('CREATE TRIGGER neardup_truncate AFTER TRUNCATE ON %s
                    FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.neardup_track_write()', rel);
    -- It never fires. PostgreSQL lets no table with such a trigger become a partition or a child, whose
    -- rows statements on the parent would write unseen.
    EXECUTE format('CREATE TRIGGER neardup_no_partition AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows
                    FOR EACH ROW WHEN (false) EXECUTE FUNCTION @extschema@.neardup_track_write()', rel);
    EXECUTE format('ALTER TABLE %s DISABLE TRIGGER neardup_no_partition', rel);

    IF pg_get_userbyid(class.relowner) <> current_user THEN
        FOREACH object IN ARRAY ARRAY['TABLE ' || members, 'TABLE ' || state, 'TABLE ' || log, 'VIEW ' || source] LOOP
            EXECUTE format('ALTER %s OWNER TO %I', object, pg_get_userbyid(class.relowner));
        END LOOP;
    END IF;
    -- Delete the entries of tables that have been dropped.
    DELETE FROM @extschema@.neardup_tracked AS t WHERE NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = t.rel);
    INSERT INTO @extschema@.neardup_tracked
    VALUES (rel, threshold, mode, members::regclass, state::regclass, log::regclass, source::regclass);

    PERFORM @extschema@.neardup_refresh(rel);
    EXECUTE format('CREATE INDEX ON %s (cluster, member)', members);
    EXECUTE format('CREATE INDEX ON %s USING neardup (tokens @extschema@.tokenset_ops)', members);
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

-- The sets of tracked tables within a scope: equal values of the scope, NULL among them, give equal tokens.
CREATE FUNCTION tokens_within(tokens tokenset, scope record) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokens_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tokens_within(tokens tokenset, scope record) IS
'the set with its tokens hashed together with a row of values: sets of equal values are as similar as before, those of others have no token in common';

CREATE FUNCTION neardup_track_check_scope(probe regclass) RETURNS void
AS 'MODULE_PATHNAME', 'neardup_track_check_scope'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION neardup_track_check_scope(regclass) IS
'tracking: raises an error if the scope in the expression of an index has a type whose values hashes do not tell apart';

CREATE FUNCTION neardup_track_type(statement text) RETURNS regtype
AS 'MODULE_PATHNAME', 'neardup_track_type'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION neardup_track_type(text) IS
'tracking: the type of the only column of a statement, which is parsed, but neither planned nor run';

-- The function sets no search path, since the expressions are read with that of the caller.
CREATE FUNCTION neardup_track(
    rel regclass, key name, tokens text, threshold float8, mode text DEFAULT 'connected', within text DEFAULT NULL)
RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
    type pg_catalog.regtype;
    probe pg_catalog.name := 'neardup_probe_' OPERATOR(pg_catalog.||) pg_catalog.txid_current()::pg_catalog.text;
    schema pg_catalog.name;
    reason pg_catalog.text;
    given pg_catalog.text := 'tokens';
BEGIN
    PERFORM @extschema@.neardup_track_check(rel, key, tokens, threshold, mode);
    -- From here on no other transaction writes to the table.
    EXECUTE pg_catalog.format('LOCK TABLE ONLY %s IN SHARE ROW EXCLUSIVE MODE', rel);
    type := @extschema@.neardup_track_type(pg_catalog.format(E'SELECT (%s\n) FROM ONLY %s', tokens, rel));
    IF type OPERATOR(pg_catalog.<>) '@extschema@.tokenset'::pg_catalog.regtype THEN
        RAISE EXCEPTION 'tokens must be of type tokenset, not %', type
            USING ERRCODE = 'datatype_mismatch',
                  HINT = 'Give an expression such as word_tokens(body), or tags::tokenset.';
    END IF;
    IF within IS NOT NULL THEN
        -- Errors of the expressions themselves are told here, also that there are none.
        PERFORM @extschema@.neardup_track_type(pg_catalog.format(E'SELECT ROW(%s\n, NULL) FROM ONLY %s', within, rel));
        tokens := pg_catalog.format(E'@extschema@.tokens_within((%s\n), ROW(%s\n))', tokens, within);
        given := 'tokens and within';
    END IF;
    -- Make an index without rows: PostgreSQL accepts only an immutable expression that reads one row.
    BEGIN
        EXECUTE pg_catalog.format(E'CREATE INDEX %I ON ONLY %s ((%s\n)) WHERE false', probe, rel, tokens);
    EXCEPTION WHEN invalid_object_definition THEN
        RAISE EXCEPTION '% must be immutable', given
            USING ERRCODE = 'invalid_object_definition',
                  DETAIL = 'The set of a row must not depend on settings, on other rows or on time.',
                  HINT = 'Name a text search configuration or time zone, for instance, as in to_tsvector(''english'', body).';
    WHEN feature_not_supported OR grouping_error OR windowing_error THEN
        GET STACKED DIAGNOSTICS reason = MESSAGE_TEXT;
        RAISE EXCEPTION '% must be of the columns of one row', given
            USING ERRCODE = 'feature_not_supported', DETAIL = pg_catalog.format('As an index: %s.', reason);
    END;
    SELECT n.nspname INTO schema FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    WHERE c.oid OPERATOR(pg_catalog.=) rel::pg_catalog.oid;
    PERFORM @extschema@.neardup_track_check_scope(pg_catalog.format('%I.%I', schema, probe)::pg_catalog.regclass);
    RETURN @extschema@.neardup_track_create(rel, key, pg_catalog.format('%I.%I', schema, probe)::pg_catalog.regclass, threshold, mode);
END $$;
COMMENT ON FUNCTION neardup_track(regclass, name, text, float8, text, text) IS
'keeps the clusters of rows with Jaccard similarity of at least the threshold up to date as rows come and go, in a table that it returns; key: a unique column, tokens: an SQL expression over the columns, of type tokenset; within: expressions that the rows of a cluster have in common';

-- Sets are computed with the rights of the table's owner, whoever calls.
CREATE FUNCTION neardup_refresh(
    rel regclass,
    OUT key text, OUT difference text, OUT recorded bigint, OUT computed bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'neardup_refresh'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off;

COMMENT ON FUNCTION neardup_refresh(regclass) IS
'computes the clusters of a tracked table again, and returns what was wrong: rows that were missing or surplus, and rows with wrong tokens or a wrong cluster';

CREATE FUNCTION neardup_untrack(rel regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry @extschema@.neardup_tracked := @extschema@.neardup_track_entry(rel);
    object text;
BEGIN
    FOR object IN
        SELECT format('TRIGGER %I ON %s', g.tgname, rel) FROM pg_trigger AS g
        WHERE g.tgrelid = rel AND g.tgfoid = '@extschema@.neardup_track_write()'::regprocedure
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

--
-- What each guest checks last: it is of neardup's version, and uses what is neardup's
--

-- One library serves neardup and its guests, whose declarations must be those of one version.
DO $$
DECLARE
    present pg_catalog.text := (SELECT e.extversion FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup');
BEGIN
    IF present OPERATOR(pg_catalog.<>) '1.0.0' THEN
        RAISE EXCEPTION 'extension neardup_track of version 1.0.0 needs neardup of the same version'
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = pg_catalog.format('Version %s of neardup is there.', present),
                  HINT = 'Call ALTER EXTENSION neardup UPDATE first.';
    END IF;
END $$;

-- Types, functions and operators of other extensions were found by the search path, in which the schema of this extension
-- comes first; whoever may create objects there must not have given it others of the same names.
DO $$
DECLARE
    foreigner pg_catalog.text;
BEGIN
    WITH needed AS (
        SELECT e.oid, e.extname FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup_track'
        UNION ALL
        SELECT r.oid, r.extname
        FROM pg_catalog.pg_extension AS e
        JOIN pg_catalog.pg_depend AS d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid
             AND d.objid OPERATOR(pg_catalog.=) e.oid
        JOIN pg_catalog.pg_extension AS r ON d.refclassid OPERATOR(pg_catalog.=) d.classid AND d.refobjid OPERATOR(pg_catalog.=) r.oid
        WHERE e.extname OPERATOR(pg_catalog.=) 'neardup_track'
    ), member AS (
        SELECT d.classid, d.objid, n.extname
        FROM pg_catalog.pg_depend AS d JOIN needed AS n ON n.oid OPERATOR(pg_catalog.=) d.refobjid
        WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'
    ), own AS (
        SELECT m.classid, m.objid FROM member AS m WHERE m.extname OPERATOR(pg_catalog.=) 'neardup_track'
    ), used AS (
        SELECT d.refclassid AS class, d.refobjid AS object
        FROM pg_catalog.pg_depend AS d JOIN own ON own.classid OPERATOR(pg_catalog.=) d.classid AND own.objid OPERATOR(pg_catalog.=) d.objid
        UNION ALL
        SELECT 'pg_catalog.pg_operator'::pg_catalog.regclass::pg_catalog.oid, a.amopopr
        FROM pg_catalog.pg_amop AS a JOIN own ON own.objid OPERATOR(pg_catalog.=) a.amopfamily
        WHERE own.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_opfamily'::pg_catalog.regclass::pg_catalog.oid
    )
    SELECT pg_catalog.format('%s %s', o.type, o.identity) INTO foreigner
    FROM used AS u, pg_catalog.pg_identify_object(u.class, u.object, 0) AS o
    WHERE u.class OPERATOR(pg_catalog.=) ANY (ARRAY['pg_catalog.pg_type', 'pg_catalog.pg_proc', 'pg_catalog.pg_operator']::pg_catalog.regclass[]::pg_catalog.oid[])
          AND NOT EXISTS (SELECT FROM member AS m WHERE m.classid OPERATOR(pg_catalog.=) u.class AND m.objid OPERATOR(pg_catalog.=) u.object)
          -- What stands upon a table or type of the guest is not a member of its own.
          AND NOT EXISTS (
              SELECT FROM pg_catalog.pg_depend AS i JOIN own ON own.classid OPERATOR(pg_catalog.=) i.refclassid AND own.objid OPERATOR(pg_catalog.=) i.refobjid
              WHERE i.classid OPERATOR(pg_catalog.=) u.class AND i.objid OPERATOR(pg_catalog.=) u.object AND i.deptype OPERATOR(pg_catalog.=) 'i')
    LIMIT 1;
    IF foreigner IS NOT NULL THEN
        RAISE EXCEPTION 'extension neardup_track would use what is not of an extension that it needs: %', foreigner
            USING ERRCODE = 'duplicate_object', HINT = 'Create the extension in another schema.';
    END IF;
END $$;
