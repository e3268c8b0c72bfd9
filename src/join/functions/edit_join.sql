--
-- join: texts within an edit distance
--

CREATE FUNCTION edit_join(
    query text, max_distance integer,
    OUT a bigint, OUT b bigint, OUT distance integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'edit_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION edit_join(text, integer) IS
'self-join: the pairs of rows a.key < b.key of the query (key, text) whose texts have at most this Levenshtein distance';

CREATE FUNCTION edit_join(
    query_a text, query_b text, max_distance integer,
    OUT a bigint, OUT b bigint, OUT distance integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'edit_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION edit_join(text, text, integer) IS
'R-S join: the pairs of a row of the first and a row of the second query (key, text) whose texts have at most this Levenshtein distance';

CREATE FUNCTION edit_join_keyed(
    key_type anyelement, query text, max_distance integer,
    OUT a anyelement, OUT b anyelement, OUT distance integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'edit_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION edit_join_keyed(anyelement, text, integer) IS
'self-join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION edit_join_keyed(
    key_type anyelement, query_a text, query_b text, max_distance integer,
    OUT a anyelement, OUT b anyelement, OUT distance integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'edit_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION edit_join_keyed(anyelement, text, text, integer) IS
'R-S join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
