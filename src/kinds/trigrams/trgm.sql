--
-- trigrams of pg_trgm
--

CREATE FUNCTION trgm_set(text) RETURNS tokenset
AS 'MODULE_PATHNAME', 'trgm_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION trgm_set(text) IS
'the trigrams of pg_trgm''s show_trgm, of three bytes each, as numbers';
