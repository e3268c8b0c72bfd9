--
-- join: the most similar pairs
--

CREATE FUNCTION topk_join(
    query text, k integer, measure text DEFAULT 'jaccard', against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'topk_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 100;

COMMENT ON FUNCTION topk_join(text, integer, text, text) IS
'returns the k most similar pairs of rows a.key < b.key of the query (key, set), the best first, ties by a, b; with against, of a row a of the query and a row b of against';

CREATE FUNCTION topk_join_keyed(
    key_type anyelement, query text, k integer, measure text DEFAULT 'jaccard',
    against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'topk_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 100;

COMMENT ON FUNCTION topk_join_keyed(anyelement, text, integer, text, text) IS
'returns what topk_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
