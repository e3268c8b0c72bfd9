--
-- join: the most similar pairs
--

CREATE FUNCTION topk_join(
    query text, k integer, measure text DEFAULT 'jaccard',
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'topk_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 100;

COMMENT ON FUNCTION topk_join(text, integer, text) IS
'self-join: the k most similar pairs of rows a.key < b.key of the query (key, set), the best first, ties by a, b';

CREATE FUNCTION topk_join(
    query_a text, query_b text, k integer, measure text DEFAULT 'jaccard',
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'topk_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 100;

COMMENT ON FUNCTION topk_join(text, text, integer, text) IS
'R-S join: the k most similar pairs of a row of the first and a row of the second query, the best first, ties by a, b';

CREATE FUNCTION topk_join_keyed(
    key_type anyelement, query text, k integer, measure text DEFAULT 'jaccard',
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'topk_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 100;

COMMENT ON FUNCTION topk_join_keyed(anyelement, text, integer, text) IS
'topk_join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION topk_join_keyed(
    key_type anyelement, query_a text, query_b text, k integer, measure text DEFAULT 'jaccard',
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'topk_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 100;

COMMENT ON FUNCTION topk_join_keyed(anyelement, text, text, integer, text) IS
'R-S topk_join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
