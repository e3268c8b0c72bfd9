--
-- simhash: order and hash
--

-- The order is that of unsigned numbers, and of the text forms.

CREATE FUNCTION simhash_eq(a simhash, b simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_eq(a simhash, b simhash) IS 'implementation of an operator: equal';

CREATE FUNCTION simhash_ne(a simhash, b simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ne(a simhash, b simhash) IS 'implementation of an operator: not equal';

CREATE FUNCTION simhash_lt(a simhash, b simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_lt(a simhash, b simhash) IS 'implementation of an operator: less than';

CREATE FUNCTION simhash_le(a simhash, b simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_le(a simhash, b simhash) IS 'implementation of an operator: less than or equal';

CREATE FUNCTION simhash_gt(a simhash, b simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_gt(a simhash, b simhash) IS 'implementation of an operator: greater than';

CREATE FUNCTION simhash_ge(a simhash, b simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ge(a simhash, b simhash) IS 'implementation of an operator: greater than or equal';

CREATE FUNCTION simhash_cmp(a simhash, b simhash) RETURNS int4
AS 'MODULE_PATHNAME', 'simhash_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_cmp(a simhash, b simhash) IS 'order of two values: less than, equal to, greater than 0';

CREATE FUNCTION simhash_sortsupport(internal) RETURNS void
AS 'MODULE_PATHNAME', 'simhash_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_sortsupport(internal) IS 'sort support';

CREATE FUNCTION simhash_hash(simhash) RETURNS int4
AS 'MODULE_PATHNAME', 'simhash_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_hash(simhash) IS 'hash';

CREATE FUNCTION simhash_hash_extended(simhash, int8) RETURNS int8
AS 'MODULE_PATHNAME', 'simhash_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_hash_extended(simhash, int8) IS 'hash with a seed';

CREATE OPERATOR = (
    FUNCTION = simhash_eq,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES,
    MERGES
);
COMMENT ON OPERATOR = (simhash, simhash) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = simhash_ne,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (simhash, simhash) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = simhash_lt,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (simhash, simhash) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = simhash_le,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (simhash, simhash) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = simhash_gt,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (simhash, simhash) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = simhash_ge,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (simhash, simhash) IS 'greater than or equal';

CREATE OPERATOR CLASS btree_simhash_ops
DEFAULT FOR TYPE simhash USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 simhash_cmp(simhash, simhash),
    FUNCTION 2 simhash_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR FAMILY btree_simhash_ops USING btree IS 'order of simhashes, as unsigned numbers';
COMMENT ON OPERATOR CLASS btree_simhash_ops USING btree IS
'order of simhashes, as unsigned numbers';

CREATE OPERATOR CLASS hash_simhash_ops
DEFAULT FOR TYPE simhash USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 simhash_hash(simhash),
    FUNCTION 2 simhash_hash_extended(simhash, int8);
COMMENT ON OPERATOR FAMILY hash_simhash_ops USING hash IS 'equality of simhashes';
COMMENT ON OPERATOR CLASS hash_simhash_ops USING hash IS 'equality of simhashes';
