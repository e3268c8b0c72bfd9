\echo Use "CREATE EXTENSION neardup_trgm" to load this file. \quit

--
-- trigrams of pg_trgm
--

CREATE FUNCTION trgm_set(text) RETURNS tokenset
AS 'MODULE_PATHNAME', 'trgm_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION trgm_set(text) IS
'the trigrams of pg_trgm''s show_trgm, of three bytes each, as numbers';

--
-- trigrams of pg_trgm: the operator class trgm_ops
--

CREATE FUNCTION trgm_query(value text, comparison text, threshold float8, value_first boolean DEFAULT false) RETURNS tokenset_query
AS 'MODULE_PATHNAME', 'trgm_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION trgm_query(value text, comparison text, threshold float8, value_first boolean) IS
'the operand of @~ that the planner makes of a comparison with a similarity of pg_trgm';

CREATE FUNCTION trgm_matches(text, tokenset_query) RETURNS boolean
AS 'MODULE_PATHNAME', 'trgm_matches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION trgm_matches(text, tokenset_query) IS 'implementation of an operator: index condition on trigrams';

CREATE OPERATOR @~ (
    FUNCTION = trgm_matches,
    LEFTARG = text,
    RIGHTARG = tokenset_query,
    RESTRICT = pg_catalog.matchingsel,
    JOIN = pg_catalog.matchingjoinsel
);
COMMENT ON OPERATOR @~ (text, tokenset_query) IS 'the trigrams of the text satisfy the predicate';

CREATE FUNCTION negative_similarity(text, text) RETURNS real
AS 'MODULE_PATHNAME', 'trgm_negative_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 400;
COMMENT ON FUNCTION negative_similarity(text, text) IS '-similarity of pg_trgm, to order by';

CREATE OPERATOR <-%> (
    FUNCTION = negative_similarity,
    LEFTARG = text,
    RIGHTARG = text,
    COMMUTATOR = <-%>
);
COMMENT ON OPERATOR <-%> (text, text) IS 'the negative similarity of pg_trgm';

CREATE OPERATOR CLASS trgm_ops
FOR TYPE text USING neardup AS
    OPERATOR 5 % (text, text),
    OPERATOR 6 @~ (text, tokenset_query),
    OPERATOR 7 <-> (text, text) FOR ORDER BY pg_catalog.float_ops,
    OPERATOR 13 <-%> (text, text) FOR ORDER BY pg_catalog.float_ops,
    OPERATOR 19 %> (text, text),
    OPERATOR 20 %>> (text, text),
    OPERATOR 21 <->> (text, text) FOR ORDER BY pg_catalog.float_ops,
    OPERATOR 22 <->>> (text, text) FOR ORDER BY pg_catalog.float_ops,
    FUNCTION 1 trgm_set(text);
COMMENT ON OPERATOR FAMILY trgm_ops USING neardup IS 'similarities and distances of pg_trgm';
COMMENT ON OPERATOR CLASS trgm_ops USING neardup IS 'similarities and distances of pg_trgm';

--
-- What each guest checks last: it is of neardup's version, and uses what is neardup's
--

-- One library serves neardup and its guests, whose declarations must be those of one version.
DO $$
DECLARE
    present pg_catalog.text := (SELECT e.extversion FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup');
BEGIN
    IF present OPERATOR(pg_catalog.<>) '1.0.0' THEN
        RAISE EXCEPTION 'extension neardup_trgm of version 1.0.0 needs neardup of the same version'
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
        SELECT e.oid, e.extname FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup_trgm'
        UNION ALL
        SELECT r.oid, r.extname
        FROM pg_catalog.pg_extension AS e
        JOIN pg_catalog.pg_depend AS d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid
             AND d.objid OPERATOR(pg_catalog.=) e.oid
        JOIN pg_catalog.pg_extension AS r ON d.refclassid OPERATOR(pg_catalog.=) d.classid AND d.refobjid OPERATOR(pg_catalog.=) r.oid
        WHERE e.extname OPERATOR(pg_catalog.=) 'neardup_trgm'
    ), member AS (
        SELECT d.classid, d.objid, n.extname
        FROM pg_catalog.pg_depend AS d JOIN needed AS n ON n.oid OPERATOR(pg_catalog.=) d.refobjid
        WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'
    ), own AS (
        SELECT m.classid, m.objid FROM member AS m WHERE m.extname OPERATOR(pg_catalog.=) 'neardup_trgm'
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
        RAISE EXCEPTION 'extension neardup_trgm would use what is not of an extension that it needs: %', foreigner
            USING ERRCODE = 'duplicate_object', HINT = 'Create the extension in another schema.';
    END IF;
END $$;

--
-- trigrams of pg_trgm: who loads the library
--

CREATE FUNCTION trgm_preload_notice() RETURNS void
AS 'MODULE_PATHNAME', 'trgm_preload_notice' LANGUAGE C VOLATILE PARALLEL UNSAFE;
DO $$ BEGIN PERFORM @extschema@.trgm_preload_notice(); END $$;
DROP FUNCTION trgm_preload_notice();
