--
-- tokenset: the GIN operator class
--

CREATE FUNCTION gin_tokenset_extract_value(tokenset, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gin_tokenset_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_tokenset_extract_value(tokenset, internal) IS 'GIN support: keys of a set';

CREATE FUNCTION gin_tokenset_extract_query(tokenset, internal, int2, internal, internal, internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gin_tokenset_extract_query' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_tokenset_extract_query(tokenset, internal, int2, internal, internal, internal, internal) IS
'GIN support: keys of a query';

CREATE FUNCTION gin_tokenset_triconsistent(internal, int2, tokenset, int4, internal, internal, internal) RETURNS "char"
AS 'MODULE_PATHNAME', 'gin_tokenset_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_tokenset_triconsistent(internal, int2, tokenset, int4, internal, internal, internal) IS
'GIN support: whether a row with the keys that were found matches, or may match';

CREATE OPERATOR CLASS gin_tokenset_ops
DEFAULT FOR TYPE tokenset USING gin AS
    OPERATOR 1 &&,
    OPERATOR 2 @>,
    OPERATOR 3 <@,
    OPERATOR 4 =,
    OPERATOR 5 %,
    OPERATOR 6 @~ (tokenset, tokenset_query),
    FUNCTION 1 btint8cmp(int8, int8),
    FUNCTION 2 gin_tokenset_extract_value(tokenset, internal),
    FUNCTION 3 gin_tokenset_extract_query(tokenset, internal, int2, internal, internal, internal, internal),
    FUNCTION 6 gin_tokenset_triconsistent(internal, int2, tokenset, int4, internal, internal, internal),
    STORAGE int8;
COMMENT ON OPERATOR FAMILY gin_tokenset_ops USING gin IS 'similarity and containment of token sets';
COMMENT ON OPERATOR CLASS gin_tokenset_ops USING gin IS 'similarity and containment of token sets';
