--
-- simhash: Hamming distance
--

CREATE FUNCTION simhash_distance_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'simhash_distance_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_distance_support(internal) IS 'planner support of simhash_distance and <~>';

CREATE FUNCTION simhash_distance(a simhash, b simhash) RETURNS int4
AS 'MODULE_PATHNAME', 'simhash_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_distance_support;
COMMENT ON FUNCTION simhash_distance(a simhash, b simhash) IS 'Hamming distance: the number of bits in which the values differ';

CREATE FUNCTION simhash_distance_float8(a simhash, b simhash) RETURNS float8
AS 'MODULE_PATHNAME', 'simhash_distance_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_distance_support;
COMMENT ON FUNCTION simhash_distance_float8(a simhash, b simhash) IS 'implementation of the operator <~>';

CREATE OPERATOR <~> (
    FUNCTION = simhash_distance_float8,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = <~>
);
COMMENT ON OPERATOR <~> (simhash, simhash) IS 'Hamming distance';

CREATE FUNCTION simhash_within_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'simhash_within_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_within_support(internal) IS 'planner support of simhash_within';

CREATE FUNCTION simhash_within(a simhash, b simhash, max_distance integer) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_within_support;
COMMENT ON FUNCTION simhash_within(a simhash, b simhash, max_distance integer) IS 'whether the values differ in at most max_distance bits';
