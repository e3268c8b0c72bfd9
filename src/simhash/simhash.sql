--
-- simhash: from token sets and weighted tokens
--

CREATE FUNCTION simhash(tokenset) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_tokenset' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION simhash(tokenset) IS 'each bit the majority of the tokens'' hashes; a tie gives 0; NULL for the empty set';

CREATE FUNCTION simhash(tokens text[], weights float8[]) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_weights' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION simhash(tokens text[], weights float8[]) IS 'tokens with weights, rounded to multiples of 2^-20; NULL for no tokens';

CREATE FUNCTION simhash(tsvector) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION simhash(tsvector) IS 'each lexeme weighs as much as it has positions, or 1; NULL for no lexemes';
