--
-- join: the most similar rows of each row
--

CREATE FUNCTION knn_join(
    query text, k integer, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a bigint, OUT b bigint, OUT similarity float8, OUT rank integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'knn_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION knn_join(text, integer, float8, text) IS
'self-join: for each row of the query (key, set) the k most similar rows of another key, at least as similar as the threshold, ties by b';

CREATE FUNCTION knn_join(
    query_a text, query_b text, k integer, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a bigint, OUT b bigint, OUT similarity float8, OUT rank integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'knn_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION knn_join(text, text, integer, float8, text) IS
'R-S join: for each row of the first query the k most similar rows of the second, at least as similar as the threshold, ties by b';

CREATE FUNCTION knn_join_keyed(
    key_type anyelement, query text, k integer, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a anyelement, OUT b anyelement, OUT similarity float8, OUT rank integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'knn_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION knn_join_keyed(anyelement, text, integer, float8, text) IS
'knn_join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION knn_join_keyed(
    key_type anyelement, query_a text, query_b text, k integer, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a anyelement, OUT b anyelement, OUT similarity float8, OUT rank integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'knn_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION knn_join_keyed(anyelement, text, text, integer, float8, text) IS
'R-S knn_join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
