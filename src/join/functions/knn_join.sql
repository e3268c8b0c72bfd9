--
-- join: the most similar rows of each row
--

CREATE FUNCTION knn_join(
    query text, k integer, threshold float8, measure text DEFAULT 'jaccard',
    against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT similarity float8, OUT rank integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'knn_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION knn_join(text, integer, float8, text, text) IS
'returns for each row of the query (key, set) the k most similar others, or, with against, rows of against; at least as similar as threshold';

CREATE FUNCTION knn_join_keyed(
    key_type anyelement, query text, k integer, threshold float8,
    measure text DEFAULT 'jaccard', against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT similarity float8, OUT rank integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'knn_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION knn_join_keyed(anyelement, text, integer, float8, text, text) IS
'returns what knn_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
