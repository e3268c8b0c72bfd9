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
