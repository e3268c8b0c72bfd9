--
-- tokenset: prefixes, by which similar sets meet
--

CREATE FUNCTION prefix_tokens(tokens tokenset, threshold float8, measure text DEFAULT 'jaccard', frequent bigint[] DEFAULT '{}',
    OUT token bigint, OUT "position" int4)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'prefix_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20 ROWS 10;
COMMENT ON FUNCTION prefix_tokens(tokenset, float8, text, bigint[]) IS
'the first tokens of a set, with their position, in an order that has the frequent ones last, as they stand: sets that reach the threshold share one of them';
