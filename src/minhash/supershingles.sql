--
-- minhash: super-shingles
--

CREATE FUNCTION supershingles(sketch minhash, size integer) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'supershingles' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION supershingles(minhash, integer) IS
'the hashes of every size consecutive values of the sorted sketch; the empty set has none';
