--
-- trigrams of pg_trgm: who loads the library
--

CREATE FUNCTION trgm_preload_notice() RETURNS void
AS 'MODULE_PATHNAME', 'trgm_preload_notice' LANGUAGE C VOLATILE PARALLEL UNSAFE;
DO $$ BEGIN PERFORM @extschema@.trgm_preload_notice(); END $$;
DROP FUNCTION trgm_preload_notice();
