--
-- tokenset: weights of tokens, and measures by them
--

CREATE TYPE token_weights;
COMMENT ON TYPE token_weights IS 'weights of tokens by their rarity, for idf_jaccard and idf_cosine';

CREATE FUNCTION token_weights_in(cstring) RETURNS token_weights
AS 'MODULE_PATHNAME', 'token_weights_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION token_weights_in(cstring) IS 'I/O';

CREATE FUNCTION token_weights_out(token_weights) RETURNS cstring
AS 'MODULE_PATHNAME', 'token_weights_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION token_weights_out(token_weights) IS 'I/O';

CREATE FUNCTION token_weights_recv(internal) RETURNS token_weights
AS 'MODULE_PATHNAME', 'token_weights_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION token_weights_recv(internal) IS 'I/O';

CREATE FUNCTION token_weights_send(token_weights) RETURNS bytea
AS 'MODULE_PATHNAME', 'token_weights_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION token_weights_send(token_weights) IS 'I/O';

CREATE TYPE token_weights (
    INPUT = token_weights_in,
    OUTPUT = token_weights_out,
    RECEIVE = token_weights_recv,
    SEND = token_weights_send,
    ALIGNMENT = double,
    STORAGE = external
);

CREATE FUNCTION token_weights_transition(bytea, tokenset) RETURNS bytea
AS 'MODULE_PATHNAME', 'token_weights_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION token_weights_transition(bytea, tokenset) IS 'transition function of token_weights';

CREATE FUNCTION token_weights_combine(bytea, bytea) RETURNS bytea
AS 'MODULE_PATHNAME', 'token_weights_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION token_weights_combine(bytea, bytea) IS 'combine function of token_weights';

CREATE FUNCTION token_weights_final(bytea) RETURNS token_weights
AS 'MODULE_PATHNAME', 'token_weights_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION token_weights_final(bytea) IS 'final function of token_weights';

CREATE AGGREGATE token_weights(tokens tokenset) (
    SFUNC = token_weights_transition,
    STYPE = bytea,
    SSPACE = 8192,
    FINALFUNC = token_weights_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = token_weights_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE token_weights(tokenset) IS
'the weights of tokens by their rarity: ln(N / df) for a token that df of the N sets have; NULL if there is no set';

CREATE FUNCTION idf_jaccard(a tokenset, b tokenset, weights token_weights) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_idf_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION idf_jaccard(a tokenset, b tokenset, weights token_weights) IS
'sum of the weights of a & b / sum of the weights of a | b; 0 where a sum is 0';

CREATE FUNCTION idf_cosine(a tokenset, b tokenset, weights token_weights) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_idf_cosine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION idf_cosine(a tokenset, b tokenset, weights token_weights) IS
'sum of the squared weights of a & b / sqrt(that of a * that of b); 0 where a sum is 0';

-- What an index is asked for: as many of the heaviest tokens as all sets have that are similar.

CREATE FUNCTION heaviest_tokens_query(measure text, value tokenset, threshold float8, weights token_weights)
RETURNS tokenset_query
AS 'MODULE_PATHNAME', 'heaviest_tokens_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT tokenset_query_support;
COMMENT ON FUNCTION heaviest_tokens_query(measure text, value tokenset, threshold float8, weights token_weights) IS
'the predicate of sharing some of the heaviest tokens of the value, as each set does whose idf_jaccard or idf_cosine with it is at least the threshold';

CREATE FUNCTION idf_jaccard_ge_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'idf_jaccard_ge_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idf_jaccard_ge_support(internal) IS 'planner support of idf_jaccard_ge';

CREATE FUNCTION idf_cosine_ge_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'idf_cosine_ge_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idf_cosine_ge_support(internal) IS 'planner support of idf_cosine_ge';

CREATE FUNCTION idf_jaccard_ge(a tokenset, b tokenset, weights token_weights, threshold float8) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_idf_jaccard_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200
    SUPPORT idf_jaccard_ge_support;
COMMENT ON FUNCTION idf_jaccard_ge(a tokenset, b tokenset, weights token_weights, threshold float8) IS
'whether idf_jaccard(a, b, weights) >= threshold';

CREATE FUNCTION idf_cosine_ge(a tokenset, b tokenset, weights token_weights, threshold float8) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_idf_cosine_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200
    SUPPORT idf_cosine_ge_support;
COMMENT ON FUNCTION idf_cosine_ge(a tokenset, b tokenset, weights token_weights, threshold float8) IS
'whether idf_cosine(a, b, weights) >= threshold';
