--
-- simhash: the SP-GiST operator classes
--

CREATE FUNCTION spgist_simhash_config(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_config(internal, internal) IS 'SP-GiST support of simhashes';

CREATE FUNCTION spgist_simhash_choose(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_choose' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_choose(internal, internal) IS 'SP-GiST support of simhashes';

CREATE FUNCTION spgist_simhash_picksplit(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_picksplit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_picksplit(internal, internal) IS 'SP-GiST support of simhashes';

CREATE FUNCTION spgist_simhash_inner_consistent(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_inner_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_inner_consistent(internal, internal) IS 'SP-GiST support of simhashes';

CREATE FUNCTION spgist_simhash_leaf_consistent(internal, internal) RETURNS boolean
AS 'MODULE_PATHNAME', 'spgist_simhash_leaf_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_leaf_consistent(internal, internal) IS 'SP-GiST support of simhashes';

CREATE FUNCTION spgist_simhash_ball_config(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_ball_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_ball_config(internal, internal) IS 'SP-GiST support of balls';

CREATE FUNCTION spgist_simhash_ball_choose(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_ball_choose' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_ball_choose(internal, internal) IS 'SP-GiST support of balls';

CREATE FUNCTION spgist_simhash_ball_picksplit(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_ball_picksplit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_ball_picksplit(internal, internal) IS 'SP-GiST support of balls';

CREATE FUNCTION spgist_simhash_ball_inner_consistent(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_ball_inner_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_ball_inner_consistent(internal, internal) IS 'SP-GiST support of balls';

CREATE FUNCTION spgist_simhash_ball_leaf_consistent(internal, internal) RETURNS boolean
AS 'MODULE_PATHNAME', 'spgist_simhash_ball_leaf_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_ball_leaf_consistent(internal, internal) IS 'SP-GiST support of balls';

CREATE OPERATOR CLASS spgist_simhash_ops
DEFAULT FOR TYPE simhash USING spgist AS
    OPERATOR 1 <@ (simhash, simhash_ball),
    OPERATOR 2 =,
    OPERATOR 3 <~> FOR ORDER BY pg_catalog.float_ops,
    FUNCTION 1 spgist_simhash_config(internal, internal),
    FUNCTION 2 spgist_simhash_choose(internal, internal),
    FUNCTION 3 spgist_simhash_picksplit(internal, internal),
    FUNCTION 4 spgist_simhash_inner_consistent(internal, internal),
    FUNCTION 5 spgist_simhash_leaf_consistent(internal, internal);
COMMENT ON OPERATOR FAMILY spgist_simhash_ops USING spgist IS 'near simhashes, nearest ones, and equality';
COMMENT ON OPERATOR CLASS spgist_simhash_ops USING spgist IS 'near simhashes, nearest ones, and equality';

CREATE OPERATOR CLASS spgist_simhash_ball_ops
DEFAULT FOR TYPE simhash_ball USING spgist AS
    OPERATOR 1 &&,
    FUNCTION 1 spgist_simhash_ball_config(internal, internal),
    FUNCTION 2 spgist_simhash_ball_choose(internal, internal),
    FUNCTION 3 spgist_simhash_ball_picksplit(internal, internal),
    FUNCTION 4 spgist_simhash_ball_inner_consistent(internal, internal),
    FUNCTION 5 spgist_simhash_ball_leaf_consistent(internal, internal);
COMMENT ON OPERATOR FAMILY spgist_simhash_ball_ops USING spgist IS 'constraints that exclude near simhashes';
COMMENT ON OPERATOR CLASS spgist_simhash_ball_ops USING spgist IS 'constraints that exclude near simhashes';
