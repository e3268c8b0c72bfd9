--
-- join: exact set-similarity joins
--

CREATE FUNCTION ppjoin(
    query text, threshold float8, measure text DEFAULT 'jaccard', algorithm text DEFAULT 'auto',
    against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'ppjoin'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION ppjoin(text, float8, text, text, text) IS
'returns the pairs of rows a.key < b.key of the query (key, set) whose sets are similar; with against, of a row a of the query and a row b of against';

CREATE FUNCTION ppjoin_keyed(
    key_type anyelement, query text, threshold float8, measure text DEFAULT 'jaccard',
    algorithm text DEFAULT 'auto', against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'ppjoin'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION ppjoin_keyed(anyelement, text, float8, text, text, text) IS
'returns what ppjoin does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION ppjoin_stats(
    query text, threshold float8, measure text DEFAULT 'jaccard', algorithm text DEFAULT 'auto',
    against text DEFAULT NULL,
    OUT records bigint, OUT tokens bigint, OUT distinct_tokens bigint, OUT postings bigint,
    OUT candidates bigint, OUT pruned_by_position bigint, OUT pruned_by_suffix bigint,
    OUT pruned_by_bitmap bigint, OUT pairs bigint, OUT workers integer, OUT parts bigint,
    OUT memory_bytes bigint, OUT temp_bytes bigint, OUT read_seconds float8,
    OUT canonicalize_seconds float8, OUT index_seconds float8, OUT probe_seconds float8,
    OUT total_seconds float8)
AS 'MODULE_PATHNAME', 'ppjoin_stats'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000;

COMMENT ON FUNCTION ppjoin_stats(text, float8, text, text, text) IS
'runs ppjoin, with keys of any type, and returns what it took instead of its pairs: counters, workers, parts, bytes and seconds';
