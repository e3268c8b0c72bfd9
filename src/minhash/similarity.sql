--
-- minhash: estimates and unions
--

CREATE FUNCTION jaccard_estimate(a minhash, b minhash) RETURNS float8
AS 'MODULE_PATHNAME', 'minhash_jaccard_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION jaccard_estimate(minhash, minhash) IS
'estimate of the Jaccard similarity: the share p of equal components, or (p - C) / (1 - C) with C = 2^-bits where not all bits are stored';

CREATE FUNCTION minhash_distance(a minhash, b minhash) RETURNS float8
AS 'MODULE_PATHNAME', 'minhash_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION minhash_distance(minhash, minhash) IS '1 - jaccard_estimate(a, b)';

CREATE FUNCTION minhash_union(a minhash, b minhash) RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION minhash_union(minhash, minhash) IS 'sketch of the union of the two sets; needs components of full width';

CREATE OPERATOR <%> (
    FUNCTION = minhash_distance,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = <%>
);
COMMENT ON OPERATOR <%> (minhash, minhash) IS 'estimated Jaccard distance';

CREATE OPERATOR | (
    FUNCTION = minhash_union,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = |
);
COMMENT ON OPERATOR | (minhash, minhash) IS 'sketch of the union';

CREATE FUNCTION minhash_union_agg_transition(minhash, minhash) RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_union_agg_transition' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION minhash_union_agg_transition(minhash, minhash) IS 'transition and combine function of minhash_union_agg';

CREATE AGGREGATE minhash_union_agg(minhash) (
    SFUNC = minhash_union_agg_transition,
    STYPE = minhash,
    SSPACE = 1024,
    COMBINEFUNC = minhash_union_agg_transition,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_union_agg(minhash) IS 'the sketch of the union of all sets; NULL if there is no sketch';
