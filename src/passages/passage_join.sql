--
-- passages: texts with common passages
--

CREATE FUNCTION passage_join(
    query text, min_words integer, max_rows integer DEFAULT 1000,
    against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT in_a int4range, OUT in_b int4range, OUT words integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'passage_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION passage_join(text, integer, integer, text) IS
'returns the runs of at least min_words words that two rows a.key < b.key of the query (key, text) have in common and that can be extended to neither side, with their characters in both texts; with against, of a row a of the query and a row b of against; runs that more than max_rows rows have are left out';

CREATE FUNCTION passage_join_keyed(
    key_type anyelement, query text, min_words integer, max_rows integer DEFAULT 1000,
    against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT in_a int4range, OUT in_b int4range, OUT words integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'passage_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION passage_join_keyed(anyelement, text, integer, integer, text) IS
'returns what passage_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
