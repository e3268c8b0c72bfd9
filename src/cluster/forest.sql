--
-- cluster: groups of near-duplicates, as an aggregate
--

-- The state is an ordinary array, so that partial aggregates travel between
-- parallel workers and between nodes.

CREATE FUNCTION neardup_cluster_agg_transition(bigint[], bigint, bigint) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'neardup_cluster_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION neardup_cluster_agg_transition(bigint[], bigint, bigint) IS 'transition function of neardup_cluster_agg';

CREATE FUNCTION neardup_cluster_agg_combine(bigint[], bigint[]) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'neardup_cluster_agg_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION neardup_cluster_agg_combine(bigint[], bigint[]) IS 'combine function of neardup_cluster_agg';

CREATE FUNCTION neardup_cluster_agg_final(bigint[]) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'neardup_cluster_agg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION neardup_cluster_agg_final(bigint[]) IS 'final function of neardup_cluster_agg';

CREATE AGGREGATE neardup_cluster_agg(a bigint, b bigint) (
    SFUNC = neardup_cluster_agg_transition,
    STYPE = bigint[],
    SSPACE = 4096,
    FINALFUNC = neardup_cluster_agg_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = neardup_cluster_agg_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE neardup_cluster_agg(bigint, bigint) IS
'spanning forest of the pairs, as {{cluster, member}, ...}: a cluster is what hangs together, named by its smallest member';

CREATE FUNCTION neardup_forest_clusters(pairs bigint[], OUT id bigint, OUT cluster bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'neardup_forest_clusters' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 1000;
COMMENT ON FUNCTION neardup_forest_clusters(bigint[]) IS
'the clusters, as neardup_clusters returns them, of an array of pairs such as the result of neardup_cluster_agg';
