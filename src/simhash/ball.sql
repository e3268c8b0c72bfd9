--
-- simhash: balls
--

CREATE TYPE simhash_ball;
COMMENT ON TYPE simhash_ball IS 'the values within a Hamming distance of a center, such as <00000000000000ff,3>';

CREATE FUNCTION simhash_ball_in(cstring) RETURNS simhash_ball
AS 'MODULE_PATHNAME', 'simhash_ball_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_in(cstring) IS 'I/O';

CREATE FUNCTION simhash_ball_out(simhash_ball) RETURNS cstring
AS 'MODULE_PATHNAME', 'simhash_ball_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_out(simhash_ball) IS 'I/O';

CREATE FUNCTION simhash_ball_recv(internal) RETURNS simhash_ball
AS 'MODULE_PATHNAME', 'simhash_ball_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_recv(internal) IS 'I/O';

CREATE FUNCTION simhash_ball_send(simhash_ball) RETURNS bytea
AS 'MODULE_PATHNAME', 'simhash_ball_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_send(simhash_ball) IS 'I/O';

CREATE TYPE simhash_ball (
    INPUT = simhash_ball_in,
    OUTPUT = simhash_ball_out,
    RECEIVE = simhash_ball_recv,
    SEND = simhash_ball_send,
    INTERNALLENGTH = 16,
    ALIGNMENT = double
);

CREATE FUNCTION simhash_ball_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'simhash_ball_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_support(internal) IS 'planner support of simhash_ball';

CREATE FUNCTION simhash_ball(center simhash, radius integer) RETURNS simhash_ball
AS 'MODULE_PATHNAME', 'simhash_ball' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_ball_support;
COMMENT ON FUNCTION simhash_ball(center simhash, radius integer) IS 'the values that differ from the center in at most radius bits; a radius above 64 is 64';

CREATE FUNCTION simhash_contained_sel(internal, oid, internal, int4) RETURNS float8
AS 'MODULE_PATHNAME', 'simhash_contained_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_contained_sel(internal, oid, internal, int4) IS 'restriction selectivity of <@ and @>';

CREATE FUNCTION simhash_contained_joinsel(internal, oid, internal, int2, internal) RETURNS float8
AS 'MODULE_PATHNAME', 'simhash_contained_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_contained_joinsel(internal, oid, internal, int2, internal) IS 'join selectivity of <@ and @>';

CREATE FUNCTION simhash_contained(value simhash, ball simhash_ball) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_contained' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_contained(value simhash, ball simhash_ball) IS 'whether the value is in the ball';

CREATE FUNCTION simhash_ball_contains(ball simhash_ball, value simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_ball_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_contains(ball simhash_ball, value simhash) IS 'whether the value is in the ball';

CREATE FUNCTION simhash_ball_overlaps(a simhash_ball, b simhash_ball) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_ball_overlaps' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_overlaps(a simhash_ball, b simhash_ball) IS 'whether the centers are no further apart than the greater radius';

CREATE OPERATOR <@ (
    FUNCTION = simhash_contained,
    LEFTARG = simhash,
    RIGHTARG = simhash_ball,
    COMMUTATOR = @>,
    RESTRICT = simhash_contained_sel,
    JOIN = simhash_contained_joinsel
);
COMMENT ON OPERATOR <@ (simhash, simhash_ball) IS 'is in the ball';

CREATE OPERATOR @> (
    FUNCTION = simhash_ball_contains,
    LEFTARG = simhash_ball,
    RIGHTARG = simhash,
    COMMUTATOR = <@,
    RESTRICT = simhash_contained_sel,
    JOIN = simhash_contained_joinsel
);
COMMENT ON OPERATOR @> (simhash_ball, simhash) IS 'contains';

CREATE OPERATOR && (
    FUNCTION = simhash_ball_overlaps,
    LEFTARG = simhash_ball,
    RIGHTARG = simhash_ball,
    COMMUTATOR = &&,
    RESTRICT = contsel,
    JOIN = contjoinsel
);
COMMENT ON OPERATOR && (simhash_ball, simhash_ball) IS 'the centers are no further apart than the greater radius';
