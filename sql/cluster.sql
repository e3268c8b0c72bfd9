-- The interface of clusters of pairs. What they are is held against brute force
-- in test/t/cluster/clusters.pl.

-- a path: 1 - 2 - 3 - 4 and a triangle with a tail: 10, 11, 12 - 13
CREATE TABLE cluster_edges (a int, b bigint);
INSERT INTO cluster_edges VALUES (2, 1), (2, 3), (4, 3), (10, 11), (11, 12), (12, 10), (12, 13), (20, 20), (30, NULL), (NULL, 30), (1, 2);

-- the three modes; NULLs make no pair, a key with itself is a cluster of one
SELECT * FROM cluster_pairs('SELECT a, b FROM cluster_edges');
SELECT * FROM cluster_pairs('SELECT a, b FROM cluster_edges', 'star');
SELECT * FROM cluster_pairs('SELECT a, b FROM cluster_edges', mode => 'complete');

-- straight from a join; columns after the keys do not matter
SELECT * FROM cluster_pairs($$SELECT * FROM ppjoin('VALUES (1, ARRAY[1, 2]), (2, ARRAY[2, 1]), (3, ARRAY[3])', 1)$$);

-- a limit of size: the bridge is named
SELECT * FROM cluster_pairs('SELECT a, b FROM cluster_edges', max_size => 3);
SELECT * FROM cluster_pairs('SELECT a, b FROM cluster_edges', 'star', 2);
SELECT * FROM cluster_pairs('SELECT a, b FROM cluster_edges', 'complete', 2);
SELECT * FROM cluster_pairs('SELECT a, b FROM cluster_edges', 'connected', 4);
SELECT * FROM cluster_pairs('SELECT a, b::int FROM (VALUES (5000000000, 1), (6000000000, 1)) AS v (a, b)', max_size => 2);

-- keys of other types; the collation of the column decides on text
SELECT * FROM cluster_pairs_keyed(NULL::text, $$VALUES ('b', 'a'), ('c', 'b'), ('x', 'y')$$);
SELECT * FROM cluster_pairs_keyed(NULL::text, $$SELECT a COLLATE "C", b FROM (VALUES ('a', 'B')) AS v (a, b)$$);
SELECT pg_typeof(id), pg_typeof(cluster), id, cluster FROM cluster_pairs_keyed(NULL::smallint, 'VALUES (2::smallint, 1::smallint)');
SELECT * FROM cluster_pairs_keyed(NULL::int[], 'VALUES (ARRAY[1, 2], ARRAY[1]), (ARRAY[1], NULL)', 'star');
SELECT * FROM cluster_pairs('VALUES (9223372036854775807, -9223372036854775808)', 'complete');

-- equal keys that are written differently: the least text, in any order
SELECT array_agg(id) AS ids, array_agg(cluster) AS clusters FROM cluster_pairs_keyed(NULL::numeric, 'VALUES (1.00, 2), (1.0, 2.0), (1.000, 2.00)');
SELECT array_agg(id) AS ids, array_agg(cluster) AS clusters FROM cluster_pairs_keyed(NULL::numeric, 'VALUES (2.00, 1.000), (1.0, 2), (2.0, 1.00)', 'star');

-- no pair at all
SELECT * FROM cluster_pairs('SELECT 1, 2 WHERE false');
SELECT * FROM cluster_pairs('SELECT 1, 2 WHERE false', 'complete');

-- errors
SELECT * FROM cluster_pairs('SELECT a, b FROM cluster_edges', 'single');
SELECT * FROM cluster_pairs('SELECT a, b FROM cluster_edges', NULL);
SELECT * FROM cluster_pairs(NULL);
SELECT * FROM cluster_pairs('SELECT a FROM cluster_edges');
SELECT * FROM cluster_pairs('SELECT a::text, b FROM cluster_edges');
SELECT * FROM cluster_pairs('DELETE FROM cluster_edges RETURNING a, b');
SELECT * FROM cluster_pairs('SELECT a, b FROM cluster_edges FOR UPDATE');
SELECT * FROM cluster_pairs('SELECT a, b FROM cluster_edges; SELECT 1');
SELECT * FROM cluster_pairs('SELECT a, b FROM cluster_edges', max_size => 0);
SELECT * FROM cluster_pairs_keyed(NULL::int, 'SELECT a, b FROM cluster_edges');
SELECT * FROM cluster_pairs_keyed(NULL::money, 'SELECT a::money, a::money FROM cluster_edges');
SELECT * FROM cluster_pairs_keyed(NULL::json, $$SELECT '1'::json, '2'::json$$);

-- pairs that are repeated, in either direction, are left out once
SELECT m.mode, array_agg(c.cluster ORDER BY c.id)
FROM unnest(ARRAY['complete', 'connected', 'star']) AS m (mode),
     cluster_pairs('VALUES (1, 2), (1, 3), (3, 1), (1, 3), (2, 3), (2, 3)', m.mode, 2) AS c
GROUP BY m.mode ORDER BY m.mode;

-- the aggregate: one array, which clusters can be had from again
SELECT cluster_agg(a, b) FROM cluster_edges;
SELECT a % 2 AS odd, cluster_agg(a, b) FROM cluster_edges GROUP BY a % 2 ORDER BY 1;
SELECT cluster_agg(a, b) FROM cluster_edges WHERE a IS NULL;
SELECT id, cluster FROM forest_clusters((SELECT cluster_agg(a, b) FROM cluster_edges));
SELECT a, b, cluster_agg(a, b) OVER (ORDER BY a, b) FROM cluster_edges WHERE a < 5;
SELECT forest_clusters(cluster_agg(a, b)) FROM (VALUES (1, 2), (2, 3)) AS v (a, b);
SELECT * FROM forest_clusters('{}');
SELECT * FROM forest_clusters('{{7,7}}');
-- forests of parts make the forest of all
WITH parts AS (SELECT cluster_agg(a, b) AS forest FROM cluster_edges GROUP BY a % 3)
SELECT cluster_agg(id, cluster) FROM parts, forest_clusters(forest);
SELECT cluster_agg_combine('{{1,2},{5,6}}', '{{2,3},{3,1},{6,5}}'), cluster_agg_transition('{{1,2}}', 2, 1);
SELECT cluster_agg_combine('{}', '{}'), cluster_agg_final('{{3,2},{1,2}}');
-- the state behaves as any array does
SELECT (cluster_agg_transition('{{1,2}}', 3, 2))[2][1] AS element, array_dims(cluster_agg_transition('{{1,2}}', 3, 2)) AS dims,
       cluster_agg_transition(NULL, 1, 2) || '{{5,6}}'::bigint[] AS longer, cluster_agg_transition(NULL, 1, NULL) AS none;
-- and is nobody else's to change
CREATE TABLE changed_states (state bigint[]);
INSERT INTO changed_states SELECT array_append(cluster_agg_combine(state, state), NULL) FROM (VALUES ('{}'::bigint[])) AS v (state);
DO $$
DECLARE
    state bigint[] := '{{1,2}}';
BEGIN
    state := cluster_agg_transition(state, 3, 2);
    state[1][1] := NULL;
    INSERT INTO changed_states VALUES (state);
END $$;
SELECT * FROM changed_states;
DROP TABLE changed_states;
SELECT * FROM forest_clusters('{1,2}');
SELECT * FROM forest_clusters('{{1,2,3}}');
SELECT * FROM forest_clusters('{{1,NULL}}');
