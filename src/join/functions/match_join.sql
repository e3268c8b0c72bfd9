--
-- join: one to one
--

CREATE FUNCTION match_join(
    query text, threshold float8, measure text DEFAULT 'jaccard', against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_join(text, float8, text, text) IS
'returns pairs of rows of the query (key, set) one to one, from the most similar down to threshold, ties by a, b, each row in at most one; with against, of a row a of the query and a row b of against';

CREATE FUNCTION match_join_keyed(
    key_type anyelement, query text, threshold float8, measure text DEFAULT 'jaccard',
    against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_join_keyed(anyelement, text, float8, text, text) IS
'returns what match_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
