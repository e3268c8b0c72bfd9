--
-- simhash: from token sets and weighted tokens
--

CREATE FUNCTION simhash(tokenset) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_tokenset' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION simhash(tokenset) IS 'the simhash of the tokens: a bit is 1 if more than half of their hashes have it; NULL for the empty set';

CREATE FUNCTION simhash(tokens text[], weights float8[]) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_weights' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION simhash(tokens text[], weights float8[]) IS 'the simhash of weighted tokens; weights are rounded to multiples of 2^-20; NULL if there are no tokens';

CREATE FUNCTION simhash(tsvector) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION simhash(tsvector) IS 'the simhash of the lexemes, each weighted by the number of its positions, or by 1 if it has none; NULL if there are no lexemes';
