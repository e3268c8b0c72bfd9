--
-- clean: pairs that somebody has looked at and found to be different
--

CREATE TABLE neardup_decided (
    rel regclass NOT NULL,
    key_a text NOT NULL,
    key_b text NOT NULL,
    who name NOT NULL DEFAULT current_user,
    at timestamptz NOT NULL DEFAULT now(),
    other regclass NOT NULL,
    PRIMARY KEY (rel, key_a, key_b, other)
);
COMMENT ON TABLE neardup_decided IS
'pairs of rows that somebody has found to be different, for except_pairs; rel: the table of key_a, other: that of key_b, by default the same';

-- Decisions on dropped tables are not dumped: their numbers may mean other tables where the dump is restored.
SELECT pg_catalog.pg_extension_config_dump('neardup_decided',
    'WHERE (SELECT count(*) FROM pg_catalog.pg_class AS c WHERE c.oid IN (rel, other)) = CASE WHEN other <> rel THEN 2 ELSE 1 END');

-- A trigger guards the table, since row-level security would be in the way of both pg_dump and COPY.
CREATE FUNCTION neardup_decided_guard() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner oid;
    table_of_key regclass;
BEGIN
    IF TG_OP = 'DELETE' THEN
        owner := (SELECT c.relowner FROM pg_class AS c WHERE c.oid = OLD.rel);
        IF OLD.who <> current_user AND NOT pg_has_role(owner, 'USAGE') THEN
            RAISE EXCEPTION 'must be owner of table %', OLD.rel
                USING ERRCODE = 'insufficient_privilege', DETAIL = format('The decision is one of role "%s".', OLD.who);
        END IF;
        RETURN OLD;
    END IF;
    NEW.other := coalesce(NEW.other, NEW.rel);
    owner := (SELECT c.relowner FROM pg_class AS c WHERE c.oid = NEW.rel);
    IF owner IS NULL THEN
        RAISE EXCEPTION 'relation with OID % does not exist', NEW.rel::oid USING ERRCODE = 'undefined_table';
    END IF;
    FOREACH table_of_key IN ARRAY ARRAY[NEW.rel, NEW.other] LOOP
        IF NOT has_any_column_privilege(table_of_key::oid, 'SELECT') THEN
            RAISE EXCEPTION 'permission denied for table %', table_of_key
                USING ERRCODE = 'insufficient_privilege', DETAIL = 'Who may read a table may decide on its rows.';
        END IF;
    END LOOP;
    IF NEW.who <> current_user AND NOT pg_has_role(owner, 'USAGE') THEN
        RAISE EXCEPTION 'decision of role "%" cannot be made by role "%"', NEW.who, current_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION neardup_decided_guard() IS
'trigger of neardup_decided: lets readers of a table decide, and take back their decisions';

CREATE TRIGGER neardup_decided_guard BEFORE INSERT OR DELETE ON neardup_decided
    FOR EACH ROW EXECUTE FUNCTION neardup_decided_guard();

GRANT SELECT, INSERT, DELETE ON neardup_decided TO PUBLIC;

-- A merge leaves decisions on rows that go as they are, so that they hold again when the rows return, and makes them for the
-- rows that stay. Those are known by their time, which the log has and is no other merge's or that of its transaction, and by who merged.
CREATE FUNCTION clean_keep_decisions(rel regclass, pairs text, decided timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('
        WITH pair AS (SELECT format(''%%s'', p.gone) AS gone, format(''%%s'', p.kept) AS kept FROM %s AS p),
        made AS (
            SELECT DISTINCT d.rel, coalesce(a.kept, d.key_a) AS key_a, coalesce(b.kept, d.key_b) AS key_b, d.other
            FROM @extschema@.neardup_decided AS d
            LEFT JOIN pair AS a ON d.rel = $1 AND a.gone = d.key_a LEFT JOIN pair AS b ON d.other = $1 AND b.gone = d.key_b
            WHERE a.gone IS NOT NULL OR b.gone IS NOT NULL)
        INSERT INTO @extschema@.neardup_decided (rel, key_a, key_b, other, at)
        SELECT m.rel, m.key_a, m.key_b, m.other, $2 FROM made AS m
        WHERE (m.rel <> m.other OR m.key_a <> m.key_b)
              AND NOT EXISTS (SELECT FROM @extschema@.neardup_decided AS d
                              WHERE m.rel = m.other AND d.rel = m.rel AND d.other = m.rel AND d.key_a = m.key_b AND d.key_b = m.key_a)
              AND has_any_column_privilege(m.rel::oid, ''SELECT'') AND has_any_column_privilege(m.other::oid, ''SELECT'')
        ON CONFLICT DO NOTHING', pairs)
    USING rel, decided;
END $$;
COMMENT ON FUNCTION clean_keep_decisions(regclass, text, timestamptz) IS
'internal: makes decisions on rows that go into decisions on the rows that stay for them; pairs: a table of both, decided: the time of these decisions';

CREATE FUNCTION clean_return_decisions(log regclass, merge bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('
        WITH entry AS (SELECT l.rel, l.gone, l.kept, l.who, l.columns FROM %s AS l WHERE l.merge = $1),
             pair AS (SELECT DISTINCT e.rel, e.gone, e.kept, e.who FROM entry AS e)
        DELETE FROM @extschema@.neardup_decided AS d
        USING @extschema@.neardup_decided AS o LEFT JOIN pair AS a ON a.rel = o.rel AND a.gone = o.key_a LEFT JOIN pair AS b ON b.rel = o.other AND b.gone = o.key_b
        WHERE d.rel = o.rel AND d.other = o.other AND (a.gone IS NOT NULL OR b.gone IS NOT NULL)
              AND d.key_a = coalesce(a.kept, o.key_a) AND d.key_b = coalesce(b.kept, o.key_b)
              AND d.at IN (SELECT (e.columns ->> ''decided'')::timestamptz FROM entry AS e) AND d.who = coalesce(a.who, b.who)
              AND (d.who = current_user OR pg_has_role((SELECT c.relowner FROM pg_class AS c WHERE c.oid = d.rel), ''USAGE''))', log)
    USING merge;
END $$;
COMMENT ON FUNCTION clean_return_decisions(regclass, bigint) IS
'internal: takes back the decisions that a merge has made';

CREATE FUNCTION clean_undecided_pairs(search clean_search, low float8, high float8) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
DECLARE
    key_type text := (SELECT @extschema@.clean_type(@extschema@.clean_base(a.atttypid), -1) FROM pg_attribute AS a
                      WHERE a.attrelid = search.rel AND format('t.%I', a.attname) = search.key AND a.attnum > 0 AND NOT a.attisdropped);
    scope text := array_to_string(search.scope, ', ');
    tokens text := search.tokens;
BEGIN
    IF scope <> '' THEN
        tokens := format('CASE WHEN pg_catalog.num_nulls(%2$s) OPERATOR(pg_catalog.=) 0 THEN @extschema@.clean_tokens_within(%1$s, ROW(%2$s)) END', tokens, scope);
    END IF;
    RETURN format('SELECT j.a::pg_catalog.text, j.b::pg_catalog.text, j.similarity,
                          1 OPERATOR(pg_catalog.-) (pg_catalog.abs((2 OPERATOR(pg_catalog.*) j.similarity) OPERATOR(pg_catalog.-) %7$L::pg_catalog.float8) OPERATOR(pg_catalog./) %8$L::pg_catalog.float8) AS doubt
                   FROM @extschema@.ppjoin_keyed(NULL::%1$s, %2$L::pg_catalog.text, %5$L::pg_catalog.float8, %3$L::pg_catalog.text) AS j (a, b, similarity),
                        LATERAL (SELECT j.b::pg_catalog.text AS own) AS n
                   WHERE j.similarity OPERATOR(pg_catalog.<) %6$L::pg_catalog.float8 AND %4$s ORDER BY doubt DESC, j.a, j.b',
                  key_type, format('SELECT CAST(%s AS %s), %s FROM %s AS t WHERE (%s)', search.key, key_type, tokens, search.relation, search.among), search.measure,
                  @extschema@.clean_undecided(search.rel, 'j.a'::text), low, high, low + high, high - low);
END $$;
COMMENT ON FUNCTION clean_undecided_pairs(clean_search, float8, float8) IS
'internal: a query of the pairs of a table that are similar to some degree, and on which nobody has decided';

CREATE FUNCTION undecided_pairs(
    rel regclass, key name, tokens text, low float8, high float8, measure text DEFAULT 'jaccard', within text DEFAULT NULL, among text DEFAULT NULL,
    OUT a text, OUT b text, OUT similarity float8, OUT doubt float8)
RETURNS SETOF record
LANGUAGE plpgsql STABLE PARALLEL UNSAFE COST 100000 ROWS 1000 AS $$
DECLARE
    path pg_catalog.text := pg_catalog.current_setting('search_path');
    run_path pg_catalog.text := @extschema@.clean_run_path();
    search @extschema@.clean_search;
    statement pg_catalog.text;
BEGIN
    IF (low OPERATOR(pg_catalog.<) high) IS NOT TRUE THEN
        RAISE EXCEPTION 'low must be less than high' USING ERRCODE = 'invalid_parameter_value', DETAIL = pg_catalog.format('They are %s and %s.', low, high);
    END IF;
    search := @extschema@.clean_search_of(rel, key, tokens, low, measure, within, among, false, run_path);
    IF search.names_new THEN
        RAISE EXCEPTION 'among must not name the new row' USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Both rows of a pair are in the table.';
    END IF;
    statement := @extschema@.clean_undecided_pairs(search, low, high);
    PERFORM @extschema@.clean_use_path(run_path);
    RETURN QUERY EXECUTE statement;
    PERFORM @extschema@.clean_use_path(path);
END $$;
COMMENT ON FUNCTION undecided_pairs(regclass, name, text, float8, float8, text, text, text) IS
'returns the pairs of rows of a table whose similarity is at least the one and less than the other threshold, and on which there is no decision in neardup_decided, the most doubtful first: doubt is 1 in the middle and 0 at the thresholds; within, among: as in insert_or_find';
