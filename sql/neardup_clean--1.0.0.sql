\echo Use "CREATE EXTENSION neardup_clean" to load this file. \quit

--
-- What a guest checks first whose functions are PL/pgSQL: it is in neardup's schema
--

-- Functions of the guest name those of neardup by the schema of the guest.
DO $$
DECLARE
    schema pg_catalog.regnamespace := (SELECT e.extnamespace FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup');
BEGIN
    IF schema::pg_catalog.oid OPERATOR(pg_catalog.<>) '@extschema@'::pg_catalog.regnamespace::pg_catalog.oid THEN
        RAISE EXCEPTION 'extension neardup_clean must be in the schema of neardup'
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = pg_catalog.format('Call CREATE EXTENSION neardup_clean SCHEMA %s.', schema);
    END IF;
END $$;

--
-- clean: several rows become one
--

--
-- What each guest checks last: it is of neardup's version, and uses what is neardup's
--

-- One library serves neardup and its guests, whose declarations must be those of one version.
DO $$
DECLARE
    present pg_catalog.text := (SELECT e.extversion FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup');
BEGIN
    IF present OPERATOR(pg_catalog.<>) '1.0.0' THEN
        RAISE EXCEPTION 'extension neardup_clean of version 1.0.0 needs neardup of the same version'
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
        SELECT e.oid, e.extname FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup_clean'
        UNION ALL
        SELECT r.oid, r.extname
        FROM pg_catalog.pg_extension AS e
        JOIN pg_catalog.pg_depend AS d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid
             AND d.objid OPERATOR(pg_catalog.=) e.oid
        JOIN pg_catalog.pg_extension AS r ON d.refclassid OPERATOR(pg_catalog.=) d.classid AND d.refobjid OPERATOR(pg_catalog.=) r.oid
        WHERE e.extname OPERATOR(pg_catalog.=) 'neardup_clean'
    ), member AS (
        SELECT d.classid, d.objid, n.extname
        FROM pg_catalog.pg_depend AS d JOIN needed AS n ON n.oid OPERATOR(pg_catalog.=) d.refobjid
        WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'
    ), own AS (
        SELECT m.classid, m.objid FROM member AS m WHERE m.extname OPERATOR(pg_catalog.=) 'neardup_clean'
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
        RAISE EXCEPTION 'extension neardup_clean would use what is not of an extension that it needs: %', foreigner
            USING ERRCODE = 'duplicate_object', HINT = 'Create the extension in another schema.';
    END IF;
END $$;
