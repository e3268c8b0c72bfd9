--
-- tokenset: from bit strings
--

CREATE FUNCTION bit_tokens(bit varying) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'bit_tokens_varbit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bit_tokens(bit varying) IS
    'the numbers of the bits that are 1, counted from 1 from the left, and 0: the Hamming distance of two sets is that of the bit strings';

CREATE FUNCTION bit_tokens(bytea) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'bit_tokens_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bit_tokens(bytea) IS
    'the same of the bits of bytes, of each byte the most significant bit first';
