--
-- What a guest checks first whose functions are PL/pgSQL: it is in neardup's schema
--

-- Functions of the guest name those of neardup by the schema of the guest.
DO $$
DECLARE
    schema pg_catalog.regnamespace := (SELECT e.extnamespace FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup');
BEGIN
    IF schema::pg_catalog.oid OPERATOR(pg_catalog.<>) '@extschema@'::pg_catalog.regnamespace::pg_catalog.oid THEN
        RAISE EXCEPTION 'extension @GUEST@ must be in the schema of neardup'
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = pg_catalog.format('Call CREATE EXTENSION @GUEST@ SCHEMA %s.', schema);
    END IF;
END $$;
