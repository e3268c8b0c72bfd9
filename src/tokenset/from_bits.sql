--
-- tokenset: from bit strings
--

CREATE FUNCTION bit_tokens(bit varying) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'bit_tokens_varbit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bit_tokens(bit varying) IS
    'the numbers of the bits that are 1, counted from 1 from the left, and 0: for the measure hamming, which is the number of bits that differ';

CREATE FUNCTION bit_tokens(bytea) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'bit_tokens_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bit_tokens(bytea) IS
    'the same of the bits of bytes, of each byte the most significant bit first';

CREATE FUNCTION bit_set(bit varying) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'bit_set_varbit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bit_set(bit varying) IS
    'the numbers of the bits that are 1, counted from 1 from the left: for the measure jaccard, which is the Tanimoto coefficient, and the others but hamming';

CREATE FUNCTION bit_set(bytea) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'bit_set_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bit_set(bytea) IS
    'the same of the bits of bytes, of each byte the most significant bit first';
