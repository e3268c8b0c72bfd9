--
-- join: approximate, by locality-sensitive hashing
--

CREATE FUNCTION lsh_join(
    query text, threshold float8, recall float8 DEFAULT 0.95, against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'lsh_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION lsh_join(text, float8, float8, text) IS
'returns each pair that ppjoin finds by the same query, threshold and against with at least the probability recall, and no other pair';

CREATE FUNCTION lsh_join_keyed(
    key_type anyelement, query text, threshold float8, recall float8 DEFAULT 0.95,
    against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'lsh_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION lsh_join_keyed(anyelement, text, float8, float8, text) IS
'returns what lsh_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION lsh_join_stats(
    query text, threshold float8, recall float8 DEFAULT 0.95, against text DEFAULT NULL,
    OUT records bigint, OUT tokens bigint, OUT distinct_tokens bigint, OUT bands integer,
    OUT rows integer, OUT probability float8, OUT candidates bigint,
    OUT candidates_by_band bigint[], OUT pruned_by_bitmap bigint, OUT pairs bigint,
    OUT workers integer, OUT parts bigint, OUT memory_bytes bigint, OUT temp_bytes bigint,
    OUT read_seconds float8, OUT canonicalize_seconds float8, OUT index_seconds float8,
    OUT probe_seconds float8, OUT total_seconds float8)
AS 'MODULE_PATHNAME', 'lsh_join_stats'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000;

COMMENT ON FUNCTION lsh_join_stats(text, float8, float8, text) IS
'runs lsh_join, with keys of any type, and returns what it took instead of its pairs: the plan, counters, workers, parts, bytes and seconds';
