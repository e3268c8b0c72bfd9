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

CREATE FUNCTION simhash_to_numeric(simhash) RETURNS numeric
AS 'MODULE_PATHNAME', 'simhash_to_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_to_numeric(simhash) IS 'the bits as an unsigned number; the function of the cast to numeric';

CREATE FUNCTION simhash_from_numeric(numeric) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_from_numeric(numeric) IS 'from an unsigned number of 64 bits; the function of the cast from numeric';

CREATE CAST (simhash AS numeric) WITH FUNCTION simhash_to_numeric(simhash);
COMMENT ON CAST (simhash AS numeric) IS 'the 64 bits as an unsigned number';
CREATE CAST (numeric AS simhash) WITH FUNCTION simhash_from_numeric(numeric);
COMMENT ON CAST (numeric AS simhash) IS 'from an unsigned number of 64 bits';

CREATE FUNCTION simhash_to_bytes(simhash) RETURNS bytea
AS 'MODULE_PATHNAME', 'simhash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_to_bytes(simhash) IS 'the 8 bytes, the most significant first; the function of the cast to bytea';

CREATE FUNCTION simhash_from_bytes(bytea) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_from_bytes(bytea) IS 'from 8 bytes, the most significant first; the function of the cast from bytea';

CREATE CAST (simhash AS bytea) WITH FUNCTION simhash_to_bytes(simhash);
COMMENT ON CAST (simhash AS bytea) IS 'the 8 bytes, the most significant first';
CREATE CAST (bytea AS simhash) WITH FUNCTION simhash_from_bytes(bytea);
COMMENT ON CAST (bytea AS simhash) IS 'from 8 bytes, the most significant first';

CREATE FUNCTION simhash_from_hex(text) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_hex' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_from_hex(text) IS 'from 1 to 16 hexadecimal digits, as programs print numbers without leading zeros, with or without 0x before them';

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
