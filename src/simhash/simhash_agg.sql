--
-- simhash: from weighted tokens in rows
--

-- The state is an array of integers, so that partial aggregates travel between parallel
-- workers and between nodes.

CREATE FUNCTION simhash_agg_transition(int8[], text, float8) RETURNS int8[]
AS 'MODULE_PATHNAME', 'simhash_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
COMMENT ON FUNCTION simhash_agg_transition(int8[], text, float8) IS 'transition function of simhash_agg';

CREATE FUNCTION simhash_agg_combine(int8[], int8[]) RETURNS int8[]
AS 'MODULE_PATHNAME', 'simhash_agg_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION simhash_agg_combine(int8[], int8[]) IS 'combine function of simhash_agg';

CREATE FUNCTION simhash_agg_final(int8[]) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_agg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION simhash_agg_final(int8[]) IS 'final function of simhash_agg';

CREATE AGGREGATE simhash_agg(token text, weight float8) (
    SFUNC = simhash_agg_transition,
    STYPE = int8[],
    SSPACE = 600,
    FINALFUNC = simhash_agg_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = simhash_agg_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_agg(text, float8) IS
'the simhash of weighted tokens, of the rows in which neither is NULL; NULL if there is no such row';
