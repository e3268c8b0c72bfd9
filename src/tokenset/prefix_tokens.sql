--
-- tokenset: prefixes, for joins by equality of tokens
--

CREATE FUNCTION prefix_tokens(tokens tokenset, threshold float8, measure text DEFAULT 'jaccard', frequent bigint[] DEFAULT '{}',
    OUT token bigint, OUT "position" int4)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'prefix_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20 ROWS 10;
COMMENT ON FUNCTION prefix_tokens(tokenset, float8, text, bigint[]) IS
'returns the first tokens of a set and their positions, in an order in which the frequent ones come last, in the order of the array: two sets that reach the threshold share one of them';
