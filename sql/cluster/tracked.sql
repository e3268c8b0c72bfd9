--
-- cluster: the tables whose clusters follow their rows
--

-- The tables of a tracked table DOC are ordinary tables of its owner:
--
--   DOC_neardup         a row for each of DOC's: its key, its set, its cluster
--   DOC_neardup_log     merges and splits
--   DOC_neardup_state   one row, which a writer locks
--   DOC_neardup_source  a view of DOC: key and set as they should be recorded
--
-- The triggers of DOC call one function, made as and owned by the owner, that
-- hands the keys of what a statement has written to neardup_track_sync. What
-- is to be recorded for these keys is read from the view. So it does not
-- matter in which order triggers see the changes of nested statements, and
-- columns may be renamed.
--
-- Functions that are not for users are called by that function or by each
-- other, with the owner's rights. Called by anyone else they have the caller's.
--
-- Calls give all arguments, with exactly the declared types: whoever may create
-- functions in this schema could add one that fits better.

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

-- Not what is left of dropped tables: the numbers of these may mean other relations where the dump is restored.
SELECT pg_catalog.pg_extension_config_dump('neardup_tracked',
    'WHERE (SELECT count(*) FROM pg_catalog.pg_class AS c WHERE c.oid IN (rel, members, state, log, source)) = 5');

-- Entries are inserted by whoever calls neardup_track, and by whoever restores
-- a dump; row-level security would be in the way of both pg_dump and COPY.
CREATE FUNCTION neardup_tracked_guard() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry record;
    owners oid[];
    relations bigint;
BEGIN
    IF TG_OP = 'DELETE' THEN
        entry := OLD;
        -- The next call of neardup_track, whoever calls, removes what is left of a dropped table.
        IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = OLD.rel) THEN
            RETURN OLD;
        END IF;
    ELSE
        entry := NEW;
    END IF;
    SELECT array_agg(DISTINCT c.relowner), count(*) INTO owners, relations FROM pg_class AS c
    WHERE c.oid = ANY (ARRAY[entry.rel, entry.members, entry.state, entry.log, entry.source]::oid[]);
    -- A relation that is yet to be made could become anybody's.
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

CREATE FUNCTION neardup_track_entry(rel regclass, acting boolean) RETURNS neardup_tracked
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry @extschema@.neardup_tracked;
    class pg_class;
    strangers text;
BEGIN
    SELECT * INTO class FROM pg_class AS c WHERE c.oid = rel;
    IF acting AND pg_get_userbyid(class.relowner) <> current_user THEN
        RAISE EXCEPTION 'table % is not owned by "%", with whose rights it is tracked', rel, current_user
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'When a tracked table has a new owner, call neardup_untrack and neardup_track anew.';
    END IF;
    IF NOT pg_has_role(class.relowner, 'USAGE') THEN
        RAISE EXCEPTION 'must be owner of table %', rel USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT * INTO entry FROM @extschema@.neardup_tracked AS t WHERE t.rel = neardup_track_entry.rel;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not tracked', rel
            USING ERRCODE = 'undefined_object', HINT = 'Call neardup_track first.';
    END IF;
    IF acting THEN
        SELECT string_agg(c.oid::regclass::text, ', ') INTO strangers FROM pg_class AS c
        WHERE c.oid = ANY (ARRAY[entry.members, entry.state, entry.log, entry.source]::oid[]) AND c.relowner <> class.relowner;
        IF strangers IS NOT NULL THEN
            RAISE EXCEPTION 'table % is tracked with relations of another owner', rel
                USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = format('These are %s.', strangers);
        END IF;
        IF class.relispartition OR EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhparent = rel OR i.inhrelid = rel) THEN
            RAISE EXCEPTION 'table % is tracked, and has become part of an inheritance tree', rel
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      DETAIL = 'Statements that name another table of the tree would not be seen.',
                      HINT = 'Call neardup_untrack, or take the table out of the tree.';
        END IF;
    END IF;
    RETURN entry;
END $$;
COMMENT ON FUNCTION neardup_track_entry(regclass, boolean) IS
'tracking: the entry of a table, for its owner; acting: for the function that its triggers call';
