--
-- tokenset: order and hash
--

-- The order of int8 arrays: by the first token that differs, then by size.

CREATE FUNCTION tokenset_eq(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_eq(a tokenset, b tokenset) IS 'implementation of an operator: equal';

CREATE FUNCTION tokenset_ne(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ne(a tokenset, b tokenset) IS 'implementation of an operator: not equal';

CREATE FUNCTION tokenset_lt(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_lt(a tokenset, b tokenset) IS 'implementation of an operator: less than';

CREATE FUNCTION tokenset_le(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_le(a tokenset, b tokenset) IS 'implementation of an operator: less than or equal';

CREATE FUNCTION tokenset_gt(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_gt(a tokenset, b tokenset) IS 'implementation of an operator: greater than';

CREATE FUNCTION tokenset_ge(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ge(a tokenset, b tokenset) IS 'implementation of an operator: greater than or equal';

CREATE FUNCTION tokenset_cmp(a tokenset, b tokenset) RETURNS int4
AS 'MODULE_PATHNAME', 'tokenset_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_cmp(a tokenset, b tokenset) IS 'order of two sets: less than, equal to, greater than 0';

CREATE FUNCTION tokenset_hash(tokenset) RETURNS int4
AS 'MODULE_PATHNAME', 'tokenset_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_hash(tokenset) IS 'hash';

CREATE FUNCTION tokenset_hash_extended(tokenset, int8) RETURNS int8
AS 'MODULE_PATHNAME', 'tokenset_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_hash_extended(tokenset, int8) IS 'hash with a seed';

CREATE OPERATOR = (
    FUNCTION = tokenset_eq,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES,
    MERGES
);
COMMENT ON OPERATOR = (tokenset, tokenset) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = tokenset_ne,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (tokenset, tokenset) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = tokenset_lt,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (tokenset, tokenset) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = tokenset_le,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (tokenset, tokenset) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = tokenset_gt,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (tokenset, tokenset) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = tokenset_ge,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (tokenset, tokenset) IS 'greater than or equal';

CREATE OPERATOR CLASS btree_tokenset_ops
DEFAULT FOR TYPE tokenset USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 tokenset_cmp(tokenset, tokenset),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR FAMILY btree_tokenset_ops USING btree IS 'order of token sets';
COMMENT ON OPERATOR CLASS btree_tokenset_ops USING btree IS
'order of token sets; an index row holds some 330 tokens, beyond them use hash';

CREATE OPERATOR CLASS hash_tokenset_ops
DEFAULT FOR TYPE tokenset USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 tokenset_hash(tokenset),
    FUNCTION 2 tokenset_hash_extended(tokenset, int8);
COMMENT ON OPERATOR FAMILY hash_tokenset_ops USING hash IS 'equality of token sets';
COMMENT ON OPERATOR CLASS hash_tokenset_ops USING hash IS 'equality of token sets';
