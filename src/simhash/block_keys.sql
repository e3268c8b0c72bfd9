--
-- simhash: block keys
--

CREATE FUNCTION simhash_blocks(value simhash, max_distance integer) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'simhash_blocks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION simhash_blocks(value simhash, max_distance integer) IS 'max_distance + 1 keys, of which two values that differ in at most max_distance bits have one in common';

CREATE FUNCTION simhash_blocks(value simhash, max_distance integer, blocks integer) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'simhash_blocks_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION simhash_blocks(value simhash, max_distance integer, blocks integer) IS 'keys of more bits: one for each choice of blocks - max_distance out of the blocks; two values that differ in at most max_distance bits have one in common';

-- Not STRICT, so that it is inlined.
CREATE FUNCTION simhash_blocks_within(a simhash, b simhash, max_distance integer) RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN simhash_blocks(a, max_distance) OPERATOR(pg_catalog.&&) simhash_blocks(b, max_distance) AND simhash_within(a, b, max_distance);
COMMENT ON FUNCTION simhash_blocks_within(a simhash, b simhash, max_distance integer) IS
'simhash_within by a GIN index on simhash_blocks(a, max_distance), with the same constant max_distance';
