--
-- track: the tables whose clusters follow their rows
--

-- The tables of a tracked table DOC are ordinary tables of its owner:
--
--   DOC_neardup         a row for each of DOC's: its key, its set, its cluster
--   DOC_neardup_log     merges and splits
--   DOC_neardup_state   one row: the tokens that come last in the order of locks
--   DOC_neardup_source  a view of DOC: key and set as they should be recorded
--
-- The triggers of DOC call neardup_track_write, which acts with the owner's
-- rights. What is to be recorded for the keys that a statement has written is
-- read from the view. So it does not matter in which order triggers see the
-- changes of nested statements, and columns may be renamed.
--
-- Each call of a function here gives all arguments, with exactly the declared
-- types. Otherwise a role that may create functions in this schema could add
-- one that PostgreSQL prefers, and that would run with the owner's rights.

CREATE TABLE neardup_tracked (
    rel regclass PRIMARY KEY,
    threshold float8 NOT NULL,
    mode text NOT NULL,
    members regclass NOT NULL,
    state regclass NOT NULL,
    log regclass NOT NULL,
    source regclass NOT NULL
);
COMMENT ON TABLE neardup_tracked IS
'the tables whose clusters of near-duplicates are tracked; entries are made by neardup_track';

-- Entries of dropped tables are not dumped: their numbers may mean other relations where the dump is restored.
SELECT pg_catalog.pg_extension_config_dump('neardup_tracked',
    'WHERE (SELECT count(*) FROM pg_catalog.pg_class AS c WHERE c.oid IN (rel, members, state, log, source)) = 5');

-- Entries are inserted by the role that calls neardup_track, and by the one that
-- restores a dump. A trigger guards them, since row-level security would be in
-- the way of both pg_dump and COPY.
CREATE FUNCTION neardup_tracked_guard() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry record;
    owners oid[];
    relations bigint;
BEGIN
    IF TG_OP = 'DELETE' THEN
        entry := OLD;
        -- The next call of neardup_track removes the entry of a dropped table, whoever calls.
        IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = OLD.rel) THEN
            RETURN OLD;
        END IF;
    ELSE
        entry := NEW;
    END IF;
    SELECT array_agg(DISTINCT c.relowner), count(*) INTO owners, relations FROM pg_class AS c
    WHERE c.oid = ANY (ARRAY[entry.rel, entry.members, entry.state, entry.log, entry.source]::oid[]);
    -- A number without a relation could later become that of a relation of any other role.
    IF TG_OP = 'INSERT' AND relations <> 5 THEN
        RAISE EXCEPTION 'a table is tracked with four relations that exist' USING ERRCODE = 'undefined_table';
    END IF;
    IF EXISTS (SELECT FROM unnest(owners) AS o (owner) WHERE NOT pg_has_role(o.owner, 'USAGE')) THEN
        RAISE EXCEPTION 'must be owner of table %', entry.rel USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'INSERT' AND cardinality(owners) <> 1 THEN
        RAISE EXCEPTION 'a table and what it is tracked with must have the same owner' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN entry;
END $$;
COMMENT ON FUNCTION neardup_tracked_guard() IS
'trigger of neardup_tracked: lets the owner of a table change its entry';

CREATE TRIGGER neardup_tracked_guard BEFORE INSERT OR DELETE ON neardup_tracked
    FOR EACH ROW EXECUTE FUNCTION neardup_tracked_guard();

GRANT SELECT, INSERT, DELETE ON neardup_tracked TO PUBLIC;

CREATE FUNCTION neardup_track_entry(rel regclass) RETURNS neardup_tracked
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry @extschema@.neardup_tracked;
BEGIN
    IF NOT pg_has_role((SELECT c.relowner FROM pg_class AS c WHERE c.oid = rel), 'USAGE') THEN
        RAISE EXCEPTION 'must be owner of table %', rel USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT * INTO entry FROM @extschema@.neardup_tracked AS t WHERE t.rel = neardup_track_entry.rel;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not tracked', rel
            USING ERRCODE = 'undefined_object', HINT = 'Call neardup_track first.';
    END IF;
    RETURN entry;
END $$;
COMMENT ON FUNCTION neardup_track_entry(regclass) IS
'tracking: the entry of a table, for its owner';

CREATE FUNCTION neardup_components(query text, threshold float8, OUT id bigint, OUT cluster bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'neardup_components'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION neardup_components(text, float8) IS
'tracking: the rows (key, tokens) of a query in connected clusters of Jaccard similarity, each named by its least key';

-- The search path is fixed, and policies filter no rows, since the sets of all rows are recorded. Plans are kept while
-- the table grows, and must use indexes from the beginning, which serve everything but the join.
CREATE FUNCTION neardup_track_write() RETURNS trigger
AS 'MODULE_PATHNAME', 'neardup_track_write'
LANGUAGE C VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET row_security = off SET enable_seqscan = off SET jit = off;
COMMENT ON FUNCTION neardup_track_write() IS
'trigger of tracked tables: records with the rights of the table''s owner what a statement has written';
