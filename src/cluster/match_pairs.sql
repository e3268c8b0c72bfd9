--
-- cluster: one to one, over scored pairs
--

CREATE FUNCTION match_pairs(
    query text,
    OUT a bigint, OUT b bigint, OUT score float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_pairs'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_pairs(text) IS
'returns pairs (a, b, score) of the query one to one: from the highest score down, ties by a, b, each a and each b in at most one';

CREATE FUNCTION match_pairs_keyed(
    key_type anyelement, query text,
    OUT a anyelement, OUT b anyelement, OUT score float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_pairs'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_pairs_keyed(anyelement, text) IS
'returns what match_pairs does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
