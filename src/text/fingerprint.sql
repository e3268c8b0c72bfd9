--
-- text: fingerprints
--

CREATE FUNCTION fingerprint(text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'fingerprint_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION fingerprint(text) IS
    'XXH3-64 of the text in UTF-8';

CREATE FUNCTION fingerprint(bytea) RETURNS bigint
    AS 'MODULE_PATHNAME', 'fingerprint_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION fingerprint(bytea) IS
    'XXH3-64 of the bytes';

CREATE FUNCTION fingerprint128(text) RETURNS uuid
    AS 'MODULE_PATHNAME', 'fingerprint128_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION fingerprint128(text) IS
    'XXH3-128 of the text in UTF-8, in its canonical (big-endian) form';

CREATE FUNCTION fingerprint128(bytea) RETURNS uuid
    AS 'MODULE_PATHNAME', 'fingerprint128_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION fingerprint128(bytea) IS
    'XXH3-128 of the bytes, in its canonical (big-endian) form';
