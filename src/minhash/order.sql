--
-- minhash: order and hash
--

CREATE FUNCTION minhash_eq(a minhash, b minhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'minhash_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_eq(a minhash, b minhash) IS 'implementation of an operator: equal';

CREATE FUNCTION minhash_ne(a minhash, b minhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'minhash_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_ne(a minhash, b minhash) IS 'implementation of an operator: not equal';

CREATE FUNCTION minhash_lt(a minhash, b minhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'minhash_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_lt(a minhash, b minhash) IS 'implementation of an operator: less than';

CREATE FUNCTION minhash_le(a minhash, b minhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'minhash_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_le(a minhash, b minhash) IS 'implementation of an operator: less than or equal';

CREATE FUNCTION minhash_gt(a minhash, b minhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'minhash_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_gt(a minhash, b minhash) IS 'implementation of an operator: greater than';

CREATE FUNCTION minhash_ge(a minhash, b minhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'minhash_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_ge(a minhash, b minhash) IS 'implementation of an operator: greater than or equal';

CREATE FUNCTION minhash_cmp(a minhash, b minhash) RETURNS int4
AS 'MODULE_PATHNAME', 'minhash_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_cmp(a minhash, b minhash) IS 'B-tree comparison';

CREATE FUNCTION minhash_hash(minhash) RETURNS int4
AS 'MODULE_PATHNAME', 'minhash_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_hash(minhash) IS 'hash';

CREATE FUNCTION minhash_hash_extended(minhash, int8) RETURNS int8
AS 'MODULE_PATHNAME', 'minhash_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_hash_extended(minhash, int8) IS 'seeded 64-bit hash';

CREATE OPERATOR = (
    FUNCTION = minhash_eq,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES,
    MERGES
);
COMMENT ON OPERATOR = (minhash, minhash) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = minhash_ne,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (minhash, minhash) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = minhash_lt,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (minhash, minhash) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = minhash_le,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (minhash, minhash) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = minhash_gt,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (minhash, minhash) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = minhash_ge,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (minhash, minhash) IS 'greater than or equal';

CREATE OPERATOR CLASS btree_minhash_ops
DEFAULT FOR TYPE minhash USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 minhash_cmp(minhash, minhash),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR FAMILY btree_minhash_ops USING btree IS 'order of sketches';
COMMENT ON OPERATOR CLASS btree_minhash_ops USING btree IS
'order of sketches; an index row holds some 660 components of 32 bits, beyond them use hash';

CREATE OPERATOR CLASS hash_minhash_ops
DEFAULT FOR TYPE minhash USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 minhash_hash(minhash),
    FUNCTION 2 minhash_hash_extended(minhash, int8);
COMMENT ON OPERATOR FAMILY hash_minhash_ops USING hash IS 'equality of sketches';
COMMENT ON OPERATOR CLASS hash_minhash_ops USING hash IS 'equality of sketches';
