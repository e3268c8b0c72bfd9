--
-- join: sketches that share components (Introduction to Information Retrieval, section 19.6)
--

CREATE FUNCTION sketch_overlap_join(
    query text, min_shared integer DEFAULT NULL, min_fraction float8 DEFAULT NULL,
    against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'sketch_overlap_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION sketch_overlap_join(text, integer, float8, text) IS
'returns the pairs of rows a.key < b.key of the query (key, minhash) that share at least min_shared components, or this fraction of all; with against, of a row a of the query and a row b of against';

CREATE FUNCTION sketch_overlap_join_keyed(
    key_type anyelement, query text, min_shared integer DEFAULT NULL,
    min_fraction float8 DEFAULT NULL, against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'sketch_overlap_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION sketch_overlap_join_keyed(anyelement, text, integer, float8, text) IS
'returns what sketch_overlap_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION supershingle_join(
    query text, size integer, min_shared integer DEFAULT NULL, min_fraction float8 DEFAULT NULL,
    against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'supershingle_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION supershingle_join(text, integer, integer, float8, text) IS
'returns the pairs of rows a.key < b.key of the query (key, minhash) that share at least min_shared components, or this fraction of all, and that share a super-shingle of this size; with against, of a row a of the query and a row b of against';

CREATE FUNCTION supershingle_join_keyed(
    key_type anyelement, query text, size integer, min_shared integer DEFAULT NULL,
    min_fraction float8 DEFAULT NULL, against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'supershingle_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION supershingle_join_keyed(anyelement, text, integer, integer, float8, text) IS
'returns what supershingle_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
