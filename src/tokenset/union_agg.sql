--
-- tokenset: aggregate of unions
--

-- States are values of ordinary types, so that partial aggregates travel
-- between parallel workers and between nodes.

CREATE FUNCTION tokenset_union_agg_transition(tokenset, tokenset) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_union_agg_transition' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tokenset_union_agg_transition(tokenset, tokenset) IS 'transition and combine function of tokenset_union_agg';

CREATE AGGREGATE tokenset_union_agg(tokenset) (
    SFUNC = tokenset_union_agg_transition,
    STYPE = tokenset,
    SSPACE = 4096,
    COMBINEFUNC = tokenset_union_agg_transition,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE tokenset_union_agg(tokenset) IS
'the union of the sets; NULL if there is no set';
