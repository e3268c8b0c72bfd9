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
'the clusters, named by their smallest members, of the pairs (key, key) that the query returns; mode: connected, star or complete';

CREATE FUNCTION cluster_pairs_keyed(
    key_type anyelement, query text, mode text DEFAULT 'connected', max_size integer DEFAULT NULL,
    OUT id anyelement, OUT cluster anyelement)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'cluster_pairs_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION cluster_pairs_keyed(anyelement, text, text, integer) IS
'cluster_pairs with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
