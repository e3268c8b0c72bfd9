--
-- tokenset: queries
--

-- A query is a predicate with one of its sets: what remains is the indexed
-- column. Predicates become such queries when the planner finds an index.

CREATE TYPE tokenset_query;
COMMENT ON TYPE tokenset_query IS 'similarity predicate with one of its sets, such as jaccard(x, {1,2,3}) >= 0.8';

CREATE FUNCTION tokenset_query_in(cstring) RETURNS tokenset_query
AS 'MODULE_PATHNAME', 'tokenset_query_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_query_in(cstring) IS 'I/O';

CREATE FUNCTION tokenset_query_out(tokenset_query) RETURNS cstring
AS 'MODULE_PATHNAME', 'tokenset_query_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_query_out(tokenset_query) IS 'I/O';

CREATE FUNCTION tokenset_query_recv(internal) RETURNS tokenset_query
AS 'MODULE_PATHNAME', 'tokenset_query_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_query_recv(internal) IS 'I/O';

CREATE FUNCTION tokenset_query_send(tokenset_query) RETURNS bytea
AS 'MODULE_PATHNAME', 'tokenset_query_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_query_send(tokenset_query) IS 'I/O';

CREATE TYPE tokenset_query (
    INPUT = tokenset_query_in,
    OUTPUT = tokenset_query_out,
    RECEIVE = tokenset_query_recv,
    SEND = tokenset_query_send,
    ALIGNMENT = double,
    STORAGE = external
);

-- The planner names the indexed column too: its statistics tell an index scan which tokens are rare.

CREATE TYPE tokenset_column;
COMMENT ON TYPE tokenset_column IS 'an indexed column of token sets, within an index condition; only the planner makes values of it';

CREATE FUNCTION tokenset_column_in(cstring) RETURNS tokenset_column
AS 'MODULE_PATHNAME', 'tokenset_column_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_column_in(cstring) IS 'input function, which accepts no text';

CREATE FUNCTION tokenset_column_out(tokenset_column) RETURNS cstring
AS 'MODULE_PATHNAME', 'tokenset_column_out' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_column_out(tokenset_column) IS 'I/O';

CREATE TYPE tokenset_column (
    INPUT = tokenset_column_in,
    OUTPUT = tokenset_column_out,
    INTERNALLENGTH = 8,
    ALIGNMENT = int4
);

CREATE FUNCTION tokenset_query_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'tokenset_query_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_query_support(internal) IS 'planner support of tokenset_query';

CREATE FUNCTION tokenset_query(measure text, value tokenset, threshold float8, value_first boolean DEFAULT false)
RETURNS tokenset_query
AS 'MODULE_PATHNAME', 'tokenset_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT tokenset_query_support;
COMMENT ON FUNCTION tokenset_query(measure text, value tokenset, threshold float8, value_first boolean) IS
'the predicate that a set has at least this similarity to the value, or for hamming at most this distance; with value_first, containment means how much of the value is in the set';

CREATE FUNCTION tokenset_query(measure text, value tokenset, threshold float8, value_first boolean, indexed tokenset_column)
RETURNS tokenset_query
AS 'MODULE_PATHNAME', 'tokenset_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT tokenset_query_support;
COMMENT ON FUNCTION tokenset_query(measure text, value tokenset, threshold float8, value_first boolean, indexed tokenset_column) IS
'the predicate of this measure as the planner makes it for an index: frequent tokens of the column are not looked up';

CREATE FUNCTION tokenset_matches(x tokenset, predicate tokenset_query) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_matches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tokenset_matches(x tokenset, predicate tokenset_query) IS 'whether the predicate holds for x';

CREATE OPERATOR @~ (
    FUNCTION = tokenset_matches,
    LEFTARG = tokenset,
    RIGHTARG = tokenset_query,
    RESTRICT = tokenset_matches_sel,
    JOIN = tokenset_matches_joinsel
);
COMMENT ON OPERATOR @~ (tokenset, tokenset_query) IS 'matches: the query''s predicate holds for the set';
