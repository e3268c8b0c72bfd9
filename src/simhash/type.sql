--
-- simhash: type, input and output
--

CREATE TYPE simhash;
COMMENT ON TYPE simhash IS '64 bits, of which similar sets have most in common';

CREATE FUNCTION simhash_in(cstring) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_in(cstring) IS 'I/O';

CREATE FUNCTION simhash_out(simhash) RETURNS cstring
AS 'MODULE_PATHNAME', 'simhash_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_out(simhash) IS 'I/O';

CREATE FUNCTION simhash_recv(internal) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_recv(internal) IS 'I/O';

CREATE FUNCTION simhash_send(simhash) RETURNS bytea
AS 'MODULE_PATHNAME', 'simhash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_send(simhash) IS 'I/O';

CREATE TYPE simhash (
    INPUT = simhash_in,
    OUTPUT = simhash_out,
    RECEIVE = simhash_recv,
    SEND = simhash_send,
    LIKE = int8
);

CREATE CAST (simhash AS bigint) WITHOUT FUNCTION;
COMMENT ON CAST (simhash AS bigint) IS 'the same 64 bits';
CREATE CAST (bigint AS simhash) WITHOUT FUNCTION;
COMMENT ON CAST (bigint AS simhash) IS 'the same 64 bits';

CREATE FUNCTION simhash_to_bits(simhash) RETURNS bit
AS 'MODULE_PATHNAME', 'simhash_to_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_to_bits(simhash) IS 'the bits, the most significant first; the function of the cast to bit(64)';

CREATE FUNCTION simhash_from_bits(bit) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_from_bits(bit) IS 'from 64 bits, the most significant first; the function of the cast from bit(64)';

CREATE CAST (simhash AS bit) WITH FUNCTION simhash_to_bits(simhash);
COMMENT ON CAST (simhash AS bit) IS 'the 64 bits, the most significant first';
CREATE CAST (bit AS simhash) WITH FUNCTION simhash_from_bits(bit);
COMMENT ON CAST (bit AS simhash) IS 'from 64 bits, the most significant first';
