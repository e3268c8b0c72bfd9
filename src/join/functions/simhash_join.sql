--
-- join: simhashes within a Hamming distance
--

CREATE FUNCTION simhash_join(
    query text, max_distance integer, against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT distance integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'simhash_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION simhash_join(text, integer, text) IS
'returns the pairs of rows a.key < b.key of the query (key, simhash) whose simhashes differ in at most max_distance bits; with against, of a row a of the query and a row b of against';

CREATE FUNCTION simhash_join_keyed(
    key_type anyelement, query text, max_distance integer, against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT distance integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'simhash_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION simhash_join_keyed(anyelement, text, integer, text) IS
'returns what simhash_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
