--
-- minhash: locality-sensitive hashing by bands
--

CREATE FUNCTION lsh_plan(
    threshold float8, recall float8 DEFAULT 0.95, k integer DEFAULT 128,
    OUT bands integer, OUT rows integer, OUT probability float8)
AS 'MODULE_PATHNAME', 'lsh_plan' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION lsh_plan(float8, float8, integer) IS
'numbers of bands and rows, of at most k components in all, with which a pair at the threshold is a candidate with at least the probability recall, and as few pairs below it as possible are';

CREATE FUNCTION lsh_probability(s float8, bands integer, rows integer) RETURNS float8
AS 'MODULE_PATHNAME', 'lsh_probability' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_probability(float8, integer, integer) IS
'1 - (1 - s^rows)^bands: how likely a pair of Jaccard similarity s is a candidate';

CREATE FUNCTION lsh_bands(sketch minhash, bands integer, rows integer) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'lsh_bands' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION lsh_bands(minhash, integer, integer) IS
'a key for each band, the hash of its number and its components; sketches that have a key in common are candidates; the empty set has none';

CREATE FUNCTION lsh_candidate(sketch minhash, other minhash, bands integer, rows integer) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 100
RETURN lsh_bands(sketch, bands, rows) OPERATOR(pg_catalog.&&) lsh_bands(other, bands, rows);
COMMENT ON FUNCTION lsh_candidate(minhash, minhash, integer, integer) IS
'whether two sketches of one kind agree in a band; a GIN index on lsh_bands(sketch, bands, rows) serves it';
