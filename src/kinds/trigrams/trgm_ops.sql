--
-- trigrams of pg_trgm: the operator class trgm_ops
--

CREATE FUNCTION trgm_operand(text, internal) RETURNS void
AS 'MODULE_PATHNAME', 'trgm_operand' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION trgm_operand(text, internal) IS 'what a search of an index by trgm_ops is for';

CREATE FUNCTION trgm_query(value text, comparison int4, threshold float8) RETURNS tokenset_query
AS 'MODULE_PATHNAME', 'trgm_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION trgm_query(value text, comparison int4, threshold float8) IS
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

CREATE OPERATOR CLASS trgm_ops
FOR TYPE text USING neardup AS
    OPERATOR 5 % (text, text),
    OPERATOR 6 @~ (text, tokenset_query),
    OPERATOR 7 <-> (text, text) FOR ORDER BY pg_catalog.float_ops,
    FUNCTION 1 trgm_set(text),
    FUNCTION 3 trgm_operand(text, internal);
COMMENT ON OPERATOR FAMILY trgm_ops USING neardup IS 'similarity and distance of pg_trgm';
COMMENT ON OPERATOR CLASS trgm_ops USING neardup IS 'similarity and distance of pg_trgm';

-- The types of neardup and the operators of pg_trgm were found by the search path, in which the schema of this extension comes
-- first; whoever may create objects there must not have given it others of the same names.
DO $$
DECLARE
    foreigner pg_catalog.text;
BEGIN
    WITH member AS (
        SELECT d.classid, d.objid, e.extname
        FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_extension AS e ON e.oid OPERATOR(pg_catalog.=) d.refobjid
        WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'
              AND e.extname OPERATOR(pg_catalog.=) ANY ('{neardup,pg_trgm,neardup_trgm}'::pg_catalog.name[])
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
    LIMIT 1;
    IF foreigner IS NOT NULL THEN
        RAISE EXCEPTION 'extension neardup_trgm would use what is not of neardup or pg_trgm: %', foreigner
            USING ERRCODE = 'duplicate_object', HINT = 'Create the extension in another schema.';
    END IF;
END $$;
