--
-- join: an estimate before a join
--

CREATE FUNCTION estimate_join(
    query text, thresholds float8[], measure text DEFAULT 'jaccard',
    OUT threshold float8, OUT pairs bigint, OUT pairs_low bigint, OUT pairs_high bigint,
    OUT seconds float8, OUT memory_bytes bigint, OUT temp_bytes bigint,
    OUT query_rows bigint, OUT sampled_rows bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'estimate_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 10;

COMMENT ON FUNCTION estimate_join(text, float8[], text) IS
'what the self-join of a query would find and take at each threshold: pairs with an interval, seconds of one process, bytes of memory and of temporary files, from a sample that takes a second or two';
