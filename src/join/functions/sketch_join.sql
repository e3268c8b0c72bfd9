--
-- join: sketches that share components (Introduction to Information Retrieval, section 19.6)
--

CREATE FUNCTION sketch_overlap_join(
    query text, min_shared integer,
    OUT a bigint, OUT b bigint, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'sketch_overlap_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION sketch_overlap_join(text, integer) IS
'self-join: the pairs of rows a.key < b.key of the query (key, minhash) that share at least so many components';

CREATE FUNCTION sketch_overlap_join(
    query_a text, query_b text, min_shared integer,
    OUT a bigint, OUT b bigint, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'sketch_overlap_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION sketch_overlap_join(text, text, integer) IS
'R-S join: the pairs of a row of the first and a row of the second query (key, minhash) that share at least so many components';

CREATE FUNCTION sketch_overlap_join_keyed(
    key_type anyelement, query text, min_shared integer,
    OUT a anyelement, OUT b anyelement, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'sketch_overlap_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION sketch_overlap_join_keyed(anyelement, text, integer) IS
'self-join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION sketch_overlap_join_keyed(
    key_type anyelement, query_a text, query_b text, min_shared integer,
    OUT a anyelement, OUT b anyelement, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'sketch_overlap_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION sketch_overlap_join_keyed(anyelement, text, text, integer) IS
'R-S join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION sketch_overlap_join(
    query text, min_shared float8,
    OUT a bigint, OUT b bigint, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'sketch_overlap_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION sketch_overlap_join(text, float8) IS
'self-join: the pairs of rows a.key < b.key of the query (key, minhash) that share at least this fraction of the components';

CREATE FUNCTION sketch_overlap_join(
    query_a text, query_b text, min_shared float8,
    OUT a bigint, OUT b bigint, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'sketch_overlap_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION sketch_overlap_join(text, text, float8) IS
'R-S join: the pairs of a row of the first and a row of the second query (key, minhash) that share at least this fraction of the components';

CREATE FUNCTION sketch_overlap_join_keyed(
    key_type anyelement, query text, min_shared float8,
    OUT a anyelement, OUT b anyelement, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'sketch_overlap_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION sketch_overlap_join_keyed(anyelement, text, float8) IS
'self-join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION sketch_overlap_join_keyed(
    key_type anyelement, query_a text, query_b text, min_shared float8,
    OUT a anyelement, OUT b anyelement, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'sketch_overlap_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION sketch_overlap_join_keyed(anyelement, text, text, float8) IS
'R-S join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION supershingle_join(
    query text, size integer, min_shared integer,
    OUT a bigint, OUT b bigint, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'supershingle_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION supershingle_join(text, integer, integer) IS
'self-join: the pairs of rows a.key < b.key of the query (key, minhash) that share at least so many components, and that share a super-shingle of this size';

CREATE FUNCTION supershingle_join(
    query_a text, query_b text, size integer, min_shared integer,
    OUT a bigint, OUT b bigint, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'supershingle_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION supershingle_join(text, text, integer, integer) IS
'R-S join: the pairs of a row of the first and a row of the second query (key, minhash) that share at least so many components, and that share a super-shingle of this size';

CREATE FUNCTION supershingle_join_keyed(
    key_type anyelement, query text, size integer, min_shared integer,
    OUT a anyelement, OUT b anyelement, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'supershingle_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION supershingle_join_keyed(anyelement, text, integer, integer) IS
'self-join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION supershingle_join_keyed(
    key_type anyelement, query_a text, query_b text, size integer, min_shared integer,
    OUT a anyelement, OUT b anyelement, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'supershingle_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION supershingle_join_keyed(anyelement, text, text, integer, integer) IS
'R-S join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION supershingle_join(
    query text, size integer, min_shared float8,
    OUT a bigint, OUT b bigint, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'supershingle_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION supershingle_join(text, integer, float8) IS
'self-join: the pairs of rows a.key < b.key of the query (key, minhash) that share at least this fraction of the components, and that share a super-shingle of this size';

CREATE FUNCTION supershingle_join(
    query_a text, query_b text, size integer, min_shared float8,
    OUT a bigint, OUT b bigint, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'supershingle_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION supershingle_join(text, text, integer, float8) IS
'R-S join: the pairs of a row of the first and a row of the second query (key, minhash) that share at least this fraction of the components, and that share a super-shingle of this size';

CREATE FUNCTION supershingle_join_keyed(
    key_type anyelement, query text, size integer, min_shared float8,
    OUT a anyelement, OUT b anyelement, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'supershingle_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION supershingle_join_keyed(anyelement, text, integer, float8) IS
'self-join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION supershingle_join_keyed(
    key_type anyelement, query_a text, query_b text, size integer, min_shared float8,
    OUT a anyelement, OUT b anyelement, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'supershingle_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000
    SUPPORT neardup_pairs_support;

COMMENT ON FUNCTION supershingle_join_keyed(anyelement, text, text, integer, float8) IS
'R-S join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
