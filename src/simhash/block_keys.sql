--
-- simhash: block keys
--

CREATE FUNCTION simhash_blocks(value simhash, k integer) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'simhash_blocks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION simhash_blocks(value simhash, k integer) IS 'k + 1 keys, of which two values that differ in at most k bits have one in common';

CREATE FUNCTION simhash_blocks(value simhash, k integer, blocks integer) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'simhash_blocks_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION simhash_blocks(value simhash, k integer, blocks integer) IS 'the same with more keys of more bits: one for each choice of blocks - k out of so many blocks';

-- Not STRICT, so that it is inlined.
CREATE FUNCTION simhash_blocks_within(a simhash, b simhash, k integer) RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN simhash_blocks(a, k) OPERATOR(pg_catalog.&&) simhash_blocks(b, k) AND simhash_within(a, b, k);
COMMENT ON FUNCTION simhash_blocks_within(a simhash, b simhash, k integer) IS
'simhash_within by a GIN index on simhash_blocks(a, k), with the same constant k';
