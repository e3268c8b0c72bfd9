--
-- tokenset: type, input and output
--

CREATE TYPE tokenset;
COMMENT ON TYPE tokenset IS 'set of 64-bit tokens; near-duplicate detection compares such sets';

CREATE FUNCTION tokenset_in(cstring) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_in(cstring) IS 'I/O';

CREATE FUNCTION tokenset_out(tokenset) RETURNS cstring
AS 'MODULE_PATHNAME', 'tokenset_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_out(tokenset) IS 'I/O';

CREATE FUNCTION tokenset_recv(internal) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_recv(internal) IS 'I/O';

CREATE FUNCTION tokenset_send(tokenset) RETURNS bytea
AS 'MODULE_PATHNAME', 'tokenset_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_send(tokenset) IS 'I/O';

CREATE FUNCTION tokenset_typanalyze(internal) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_typanalyze(internal) IS 'ANALYZE support: most common tokens and sizes';

-- Hashes do not compress, so that the storage is external and not extended.
CREATE TYPE tokenset (
    INPUT = tokenset_in,
    OUTPUT = tokenset_out,
    RECEIVE = tokenset_recv,
    SEND = tokenset_send,
    ANALYZE = tokenset_typanalyze,
    ALIGNMENT = double,
    STORAGE = external
);

CREATE FUNCTION tokenset_to_array(tokenset) RETURNS int8[]
AS 'MODULE_PATHNAME', 'tokenset_to_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_to_array(tokenset) IS 'the tokens, ascending; the function of the cast to int8[]';

CREATE CAST (tokenset AS int8[]) WITH FUNCTION tokenset_to_array(tokenset) AS ASSIGNMENT;
COMMENT ON CAST (tokenset AS int8[]) IS 'the tokens, ascending';

CREATE FUNCTION unnest(tokenset) RETURNS SETOF int8
AS 'MODULE_PATHNAME', 'tokenset_unnest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 50;
COMMENT ON FUNCTION unnest(tokenset) IS 'the tokens, ascending, one a row; a literal needs its type: unnest(tokenset ''{1}'')';

CREATE FUNCTION cardinality(tokenset) RETURNS int4
AS 'MODULE_PATHNAME', 'tokenset_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cardinality(tokenset) IS 'number of tokens; a literal needs its type: cardinality(tokenset ''{1}'')';
