--
-- tokenset: balls
--

-- A ball is a set with a threshold. So a constraint on balls carries its threshold, whatever a session sets.

CREATE TYPE tokenset_ball;
COMMENT ON TYPE tokenset_ball IS 'set with a threshold of the Jaccard similarity, such as <{1,2,3},0.85>';

CREATE FUNCTION tokenset_ball_in(cstring) RETURNS tokenset_ball
AS 'MODULE_PATHNAME', 'tokenset_ball_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_in(cstring) IS 'I/O';

CREATE FUNCTION tokenset_ball_out(tokenset_ball) RETURNS cstring
AS 'MODULE_PATHNAME', 'tokenset_ball_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_out(tokenset_ball) IS 'I/O';

CREATE FUNCTION tokenset_ball_recv(internal) RETURNS tokenset_ball
AS 'MODULE_PATHNAME', 'tokenset_ball_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_recv(internal) IS 'I/O';

CREATE FUNCTION tokenset_ball_send(tokenset_ball) RETURNS bytea
AS 'MODULE_PATHNAME', 'tokenset_ball_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_send(tokenset_ball) IS 'I/O';

CREATE TYPE tokenset_ball (
    INPUT = tokenset_ball_in,
    OUTPUT = tokenset_ball_out,
    RECEIVE = tokenset_ball_recv,
    SEND = tokenset_ball_send,
    ALIGNMENT = double,
    STORAGE = external
);

CREATE FUNCTION jaccard_ball(tokens tokenset, threshold float8) RETURNS tokenset_ball
AS 'MODULE_PATHNAME', 'jaccard_ball' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION jaccard_ball(tokens tokenset, threshold float8) IS 'the set with this threshold, for a constraint or an index';

CREATE FUNCTION ball_tokens(ball tokenset_ball) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_ball_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ball_tokens(ball tokenset_ball) IS 'the set of the ball';

CREATE FUNCTION ball_threshold(ball tokenset_ball) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_ball_threshold' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ball_threshold(ball tokenset_ball) IS 'the threshold of the ball';

CREATE FUNCTION tokenset_ball_overlaps_sel(internal, oid, internal, int4) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_ball_overlaps_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_overlaps_sel(internal, oid, internal, int4) IS 'restriction selectivity of && of balls';

CREATE FUNCTION tokenset_ball_overlaps_joinsel(internal, oid, internal, int2, internal) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_ball_overlaps_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_overlaps_joinsel(internal, oid, internal, int2, internal) IS 'join selectivity of && of balls';

CREATE FUNCTION tokenset_ball_overlaps(a tokenset_ball, b tokenset_ball) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_ball_overlaps' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tokenset_ball_overlaps(a tokenset_ball, b tokenset_ball) IS 'whether the Jaccard similarity of the sets reaches both thresholds, false where a set is empty';

CREATE FUNCTION tokenset_ball_eq(a tokenset_ball, b tokenset_ball) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_ball_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_eq(a tokenset_ball, b tokenset_ball) IS 'implementation of an operator: equal';

CREATE FUNCTION tokenset_ball_ne(a tokenset_ball, b tokenset_ball) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_ball_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_ne(a tokenset_ball, b tokenset_ball) IS 'implementation of an operator: not equal';

CREATE OPERATOR && (
    FUNCTION = tokenset_ball_overlaps,
    LEFTARG = tokenset_ball,
    RIGHTARG = tokenset_ball,
    COMMUTATOR = &&,
    RESTRICT = tokenset_ball_overlaps_sel,
    JOIN = tokenset_ball_overlaps_joinsel
);
COMMENT ON OPERATOR && (tokenset_ball, tokenset_ball) IS 'the Jaccard similarity of the sets reaches both thresholds';

CREATE OPERATOR = (
    FUNCTION = tokenset_ball_eq,
    LEFTARG = tokenset_ball,
    RIGHTARG = tokenset_ball,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel
);
COMMENT ON OPERATOR = (tokenset_ball, tokenset_ball) IS 'equal: the same set and threshold';

CREATE OPERATOR <> (
    FUNCTION = tokenset_ball_ne,
    LEFTARG = tokenset_ball,
    RIGHTARG = tokenset_ball,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (tokenset_ball, tokenset_ball) IS 'not equal';
