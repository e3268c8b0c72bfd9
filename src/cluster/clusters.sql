--
-- cluster: groups of near-duplicates
--

CREATE FUNCTION cluster_pairs(
    query text, mode text DEFAULT 'connected', max_size integer DEFAULT NULL,
    OUT id bigint, OUT cluster bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'cluster_pairs'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION cluster_pairs(text, text, integer) IS
'returns the clusters of the pairs (key, key) that the query returns: each key, and the smallest member of its cluster; mode: connected, star or complete; max_size: the most members of a cluster, NULL for no limit';

CREATE FUNCTION cluster_pairs_keyed(
    key_type anyelement, query text, mode text DEFAULT 'connected', max_size integer DEFAULT NULL,
    OUT id anyelement, OUT cluster anyelement)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'cluster_pairs'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION cluster_pairs_keyed(anyelement, text, text, integer) IS
'returns what cluster_pairs does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
