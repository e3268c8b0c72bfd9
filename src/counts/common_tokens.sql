--
-- tokenset: tokens that many sets have
--

CREATE FUNCTION common_tokens_transition(bytea, tokenset, float8) RETURNS bytea
AS 'MODULE_PATHNAME', 'common_tokens_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION common_tokens_transition(bytea, tokenset, float8) IS 'transition function of common_tokens';

CREATE FUNCTION common_tokens_combine(bytea, bytea) RETURNS bytea
AS 'MODULE_PATHNAME', 'common_tokens_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION common_tokens_combine(bytea, bytea) IS 'combine function of common_tokens';

CREATE FUNCTION common_tokens_final(bytea) RETURNS tokenset
AS 'MODULE_PATHNAME', 'common_tokens_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION common_tokens_final(bytea) IS 'final function of common_tokens';

CREATE AGGREGATE common_tokens(tokens tokenset, fraction float8) (
    SFUNC = common_tokens_transition,
    STYPE = bytea,
    SSPACE = 8192,
    FINALFUNC = common_tokens_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = common_tokens_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE common_tokens(tokenset, float8) IS
'the tokens that occur in more than the given fraction, at least 0 and below 1, of the sets, with all their numbered occurrences; NULL if there is no set';
