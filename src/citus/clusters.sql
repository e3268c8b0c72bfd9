--
-- citus: clusters of pairs
--

-- Each shard makes a spanning forest of its pairs, and only that travels to the coordinator: at most one pair for
-- each key. The coordinator joins the forests.
CREATE PROCEDURE distributed_clusters(pairs regclass, "into" text)
LANGUAGE plpgsql AS $$
DECLARE
    nd pg_catalog.text := @extschema@.neardup_schema();
    result pg_catalog.text := @extschema@.neardup_result("into");
    started pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    row_count bigint;
BEGIN
    CALL @extschema@.neardup_stage_table(result, 'id int8, cluster int8', 'id', 'none', true);
    EXECUTE pg_catalog.format('INSERT INTO %1$s SELECT c.id, c.cluster
        FROM (SELECT %2$s.cluster_agg(a, b) AS forest FROM %3$s) f CROSS JOIN LATERAL %2$s.forest_clusters(f.forest) c',
        result, nd, pairs);
    GET DIAGNOSTICS row_count = ROW_COUNT;
    CALL @extschema@.neardup_stage_done('clusters', row_count, 16 OPERATOR(pg_catalog.*) row_count, started);
END $$;
COMMENT ON PROCEDURE distributed_clusters(regclass, text) IS
'connected clusters of a table of pairs (a, b): a new table (id, cluster), distributed by id, each cluster named by its least member';
