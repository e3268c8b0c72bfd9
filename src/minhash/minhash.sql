--
-- minhash: from token sets and arrays
--

CREATE FUNCTION minhash(tokens tokenset, k integer DEFAULT 128, bits integer DEFAULT 32, seed bigint DEFAULT 1) RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_from_tokenset' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION minhash(tokenset, integer, integer, bigint) IS
'the sketch of a set: k components, of each of which the lowest bits, 1 to 32, are stored; with a smaller k it has the first components of one with a larger k';

CREATE FUNCTION minhash_datasketch(tokens text[], k integer DEFAULT 128, seed bigint DEFAULT 1, scheme text DEFAULT 'affine32') RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_datasketch' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION minhash_datasketch(text[], integer, bigint, text) IS
'sketch with the values that MinHash(num_perm=k, seed=seed, scheme=scheme) of the Python package datasketch has for these tokens; schemes are affine32, its default since version 2.0, and legacy, that of earlier versions';

CREATE FUNCTION minhash_from_array(components bigint[]) RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION minhash_from_array(bigint[]) IS
'sketch of these components of 32 bits, of the profile external and seed 0; the function of the cast from int8[]';

CREATE FUNCTION minhash_from_array(components bigint[], bits integer, seed bigint, profile text) RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_from_array_of_kind' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION minhash_from_array(bigint[], integer, bigint, text) IS
'sketch of these components, with these bits and seed, of the profile neardup, datasketch-affine32, datasketch-legacy or external';

CREATE FUNCTION minhash_to_array(minhash) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'minhash_to_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION minhash_to_array(minhash) IS 'the components; the function of the cast to int8[]';

-- Explicit in both directions: an array does not say what its components were made by.
CREATE CAST (bigint[] AS minhash) WITH FUNCTION minhash_from_array(bigint[]);
CREATE CAST (minhash AS bigint[]) WITH FUNCTION minhash_to_array(minhash);
COMMENT ON CAST (bigint[] AS minhash) IS 'sketch of these components, of the profile external';
COMMENT ON CAST (minhash AS bigint[]) IS 'the components';

CREATE FUNCTION minhash_k(minhash) RETURNS integer
AS 'MODULE_PATHNAME', 'minhash_k' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_k(minhash) IS 'number of components';

CREATE FUNCTION minhash_bits(minhash) RETURNS integer
AS 'MODULE_PATHNAME', 'minhash_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_bits(minhash) IS 'bits of each component';

CREATE FUNCTION minhash_seed(minhash) RETURNS bigint
AS 'MODULE_PATHNAME', 'minhash_seed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_seed(minhash) IS 'seed of the hash functions';

CREATE FUNCTION minhash_profile(minhash) RETURNS text
AS 'MODULE_PATHNAME', 'minhash_profile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_profile(minhash) IS 'where the components come from: neardup, datasketch-affine32, datasketch-legacy or external';
