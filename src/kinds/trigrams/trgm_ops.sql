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
