--
-- cluster: groups of near-duplicates, as an aggregate
--

-- The state is an ordinary array, so that partial aggregates travel between
-- parallel workers and between nodes.

CREATE FUNCTION cluster_agg_transition(bigint[], bigint, bigint) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'cluster_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cluster_agg_transition(bigint[], bigint, bigint) IS 'transition function of cluster_agg';

CREATE FUNCTION cluster_agg_combine(bigint[], bigint[]) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'cluster_agg_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cluster_agg_combine(bigint[], bigint[]) IS 'combine function of cluster_agg';

CREATE FUNCTION cluster_agg_final(bigint[]) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'cluster_agg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cluster_agg_final(bigint[]) IS 'final function of cluster_agg';

CREATE AGGREGATE cluster_agg(a bigint, b bigint) (
    SFUNC = cluster_agg_transition,
    STYPE = bigint[],
    SSPACE = 4096,
    FINALFUNC = cluster_agg_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = cluster_agg_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE cluster_agg(bigint, bigint) IS
'returns a spanning forest of the pairs as {{cluster, member}, ...}; a cluster is a connected component, named by its smallest member';

CREATE FUNCTION forest_clusters(pairs bigint[], OUT id bigint, OUT cluster bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'forest_clusters' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 1000;
COMMENT ON FUNCTION forest_clusters(bigint[]) IS
'returns the clusters of an array of pairs, such as the result of cluster_agg, as rows of cluster_pairs';
