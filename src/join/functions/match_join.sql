--
-- join: one to one
--

CREATE FUNCTION match_join(
    query text, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_join(text, float8, text) IS
'self-join one to one: pairs of rows of the query (key, set) from the most similar down, ties by a, b, each row in at most one';

CREATE FUNCTION match_join(
    query_a text, query_b text, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_join(text, text, float8, text) IS
'R-S join one to one: pairs of a row of the first and a row of the second query from the most similar down, ties by a, b, each row in at most one';

CREATE FUNCTION match_join_keyed(
    key_type anyelement, query text, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_join_keyed(anyelement, text, float8, text) IS
'match_join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION match_join_keyed(
    key_type anyelement, query_a text, query_b text, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_join_keyed(anyelement, text, text, float8, text) IS
'R-S match_join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
