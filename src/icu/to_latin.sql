--
-- icu: letters of any script as Latin ones
--

CREATE FUNCTION to_latin(text) RETURNS text
    AS 'MODULE_PATHNAME', 'to_latin' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION to_latin(text) IS
    'the text in Latin letters without marks, transliterated by ICU';

CREATE FUNCTION neardup_icu_version() RETURNS text
    AS 'MODULE_PATHNAME', 'neardup_icu_version' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION neardup_icu_version() IS
    'version of ICU, by whose rules to_latin transliterates';

