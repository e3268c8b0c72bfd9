--
-- tokenset: set algebra
--

CREATE FUNCTION tokenset_union(a tokenset, b tokenset) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tokenset_union(a tokenset, b tokenset) IS 'tokens that are in either set';

CREATE FUNCTION tokenset_intersection(a tokenset, b tokenset) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_intersection' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tokenset_intersection(a tokenset, b tokenset) IS 'tokens that are in both sets';

CREATE FUNCTION tokenset_difference(a tokenset, b tokenset) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tokenset_difference(a tokenset, b tokenset) IS 'tokens of a that are not in b';

CREATE FUNCTION tokenset_measure_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'tokenset_measure_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_measure_support(internal) IS 'planner support of set operators and similarity measures';

CREATE FUNCTION tokenset_overlaps(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_overlaps' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION tokenset_overlaps(a tokenset, b tokenset) IS 'whether the sets share a token';

CREATE FUNCTION tokenset_contains(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION tokenset_contains(a tokenset, b tokenset) IS 'whether a has every token of b';

CREATE FUNCTION tokenset_contained(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_contained' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION tokenset_contained(a tokenset, b tokenset) IS 'whether b has every token of a';

CREATE OPERATOR | (
    FUNCTION = tokenset_union,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = |
);
COMMENT ON OPERATOR | (tokenset, tokenset) IS 'union';

CREATE OPERATOR & (
    FUNCTION = tokenset_intersection,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = &
);
COMMENT ON OPERATOR & (tokenset, tokenset) IS 'intersection';

CREATE OPERATOR - (
    FUNCTION = tokenset_difference,
    LEFTARG = tokenset,
    RIGHTARG = tokenset
);
COMMENT ON OPERATOR - (tokenset, tokenset) IS 'difference';

CREATE OPERATOR && (
    FUNCTION = tokenset_overlaps,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = &&,
    RESTRICT = tokenset_overlaps_sel,
    JOIN = tokenset_overlaps_joinsel
);
COMMENT ON OPERATOR && (tokenset, tokenset) IS 'overlaps: shares a token';

CREATE OPERATOR @> (
    FUNCTION = tokenset_contains,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <@,
    RESTRICT = tokenset_contains_sel,
    JOIN = tokenset_contains_joinsel
);
COMMENT ON OPERATOR @> (tokenset, tokenset) IS 'contains';

CREATE OPERATOR <@ (
    FUNCTION = tokenset_contained,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = @>,
    RESTRICT = tokenset_contained_sel,
    JOIN = tokenset_contained_joinsel
);
COMMENT ON OPERATOR <@ (tokenset, tokenset) IS 'is contained by';
