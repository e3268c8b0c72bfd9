--
-- join: progress
--

CREATE FUNCTION neardup_progress(
    OUT pid integer, OUT datid oid, OUT function name, OUT phase text, OUT pass integer,
    OUT done bigint, OUT total bigint, OUT rows bigint, OUT pairs bigint,
    OUT started timestamptz, OUT time_left interval)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'neardup_progress'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 10 ROWS 10;

COMMENT ON FUNCTION neardup_progress() IS
'the joins that are under way in all sessions; behind the view neardup_progress';

CREATE VIEW neardup_progress AS
SELECT p.pid, p.datid, d.datname, p.function, p.phase, p.pass, p.done, p.total, p.rows, p.pairs, p.started, p.time_left
FROM @extschema@.neardup_progress() AS p
LEFT JOIN pg_catalog.pg_database AS d ON d.oid = p.datid;

COMMENT ON VIEW neardup_progress IS
'the joins that are under way in all sessions, and how far they are; needs neardup in shared_preload_libraries';

GRANT SELECT ON neardup_progress TO PUBLIC;
