-- estimate_join: a table that is read whole gives the counts of the joins themselves
CREATE TABLE estimated (id int PRIMARY KEY, tokens tokenset);
INSERT INTO estimated
SELECT n, ARRAY(SELECT abs(hashint8extended(n / 4, i) % 60) + CASE WHEN i > 3 THEN n % 4 ELSE 0 END FROM generate_series(1, 3 + n % 9) AS i)::int[]::tokenset
FROM generate_series(1, 2000) AS n;
INSERT INTO estimated SELECT 3000 + n, '{1,2,3}' FROM generate_series(1, 30) AS n;
INSERT INTO estimated VALUES (4000, '{}'), (4001, NULL);

SELECT threshold, pairs = p.expected AND pairs > 0 AND pairs_low = pairs AND pairs_high = pairs AS is_exact, query_rows, sampled_rows,
       seconds > 0 AS takes_time, memory_bytes > 10000 AS takes_memory, temp_bytes
FROM estimate_join('SELECT id, tokens FROM estimated', '{0.6,0.95,0.6,0.8}') AS e,
     LATERAL (SELECT count(*) AS expected FROM ppjoin('SELECT id, tokens FROM estimated', e.threshold)) AS p;
SELECT measure, threshold, pairs = p.expected AND pairs > 0 AND pairs_low = pairs AND pairs_high = pairs AS is_exact
FROM (VALUES ('jaccard', '{0.5,1}'::float8[]), ('cosine', '{0.9,0.7}'), ('dice', '{0.8}'), ('overlap', '{3,4}'),
             ('hamming', '{0,4,2}'), ('containment', '{0.75,1}')) AS m (measure, thresholds),
     estimate_join('SELECT id, tokens FROM estimated', thresholds, measure) AS e,
     LATERAL (SELECT count(*) AS expected FROM ppjoin('SELECT id, tokens FROM estimated', e.threshold, measure)) AS p;

-- what would go to files, does
\set VERBOSITY terse
SET neardup.join_memory = '128kB';
SELECT e.pairs = s.pairs AS is_exact, e.memory_bytes <= 2 * s.memory_bytes AND s.memory_bytes <= 2 * e.memory_bytes AS memory,
       e.temp_bytes <= 2 * s.temp_bytes AND s.temp_bytes <= 2 * e.temp_bytes AND s.temp_bytes > 0 AS files
FROM estimate_join('SELECT id, tokens FROM estimated', '{0.8}') AS e, ppjoin_stats('SELECT id, tokens FROM estimated', 0.8) AS s;
RESET neardup.join_memory;
\set VERBOSITY default

-- any query, any key, any set
SELECT pairs, query_rows FROM estimate_join($$VALUES ('a', ARRAY[1, 2]), ('b', ARRAY[2, 1]), ('c', NULL), (NULL, ARRAY[1, 2])$$, '{1}');
SELECT pairs, query_rows FROM estimate_join('SELECT a.id, b.tokens FROM estimated a JOIN estimated b USING (id) WHERE a.id > 3000 ORDER BY 1 LIMIT 5', '{1}');
SELECT pairs, query_rows FROM estimate_join('SELECT min(id), tokens::bigint[] FROM estimated WHERE id > 3000 GROUP BY tokens', '{1}');
CREATE VIEW estimated_view AS SELECT tokens, id FROM estimated WHERE id BETWEEN 3001 AND 3010;
SELECT pairs, query_rows FROM estimate_join('SELECT id, tokens FROM estimated_view', '{1}');
CREATE TABLE estimated_parts (id int, tokens tokenset) PARTITION BY RANGE (id);
CREATE TABLE estimated_part_1 PARTITION OF estimated_parts FOR VALUES FROM (0) TO (3016);
CREATE TABLE estimated_part_2 PARTITION OF estimated_parts FOR VALUES FROM (3016) TO (5000);
INSERT INTO estimated_parts SELECT * FROM estimated WHERE id > 3000;
SELECT pairs, query_rows FROM estimate_join('SELECT id, tokens FROM estimated_parts', '{1}');
SELECT pairs, pairs_high, query_rows, sampled_rows FROM estimate_join('SELECT id, tokens FROM estimated WHERE false', '{0.5}');
SELECT count(*) FROM estimate_join('SELECT id, tokens FROM estimated', '{}');

-- with the caller's rights
CREATE ROLE regress_estimator;
ALTER TABLE estimated ENABLE ROW LEVEL SECURITY;
SET ROLE regress_estimator;
SELECT pairs FROM estimate_join('SELECT id, tokens FROM estimated', '{1}');
RESET ROLE;
GRANT SELECT ON estimated TO regress_estimator;
CREATE POLICY a_few ON estimated USING (id BETWEEN 3001 AND 3004);
SET ROLE regress_estimator;
SELECT pairs, query_rows FROM estimate_join('SELECT id, tokens FROM estimated', '{1}');
RESET ROLE;

-- errors
SELECT estimate_join(NULL, '{0.5}');
SELECT estimate_join('SELECT id, tokens FROM estimated', NULL);
SELECT estimate_join('SELECT id, tokens FROM estimated', '{0.5,NULL}');
SELECT estimate_join('SELECT id, tokens FROM estimated', '{0.5,1.5}');
SELECT estimate_join('SELECT id, tokens FROM estimated', '{0.5}', 'overlap');
SELECT estimate_join('SELECT id, tokens FROM estimated', '{0.5}', 'similarity');
SELECT estimate_join('SELECT tokens FROM estimated', '{0.5}');
SELECT estimate_join('SELECT id, id FROM estimated', '{0.5}');
SELECT estimate_join('TABLE estimated; TABLE estimated', '{0.5}');
SELECT estimate_join('DELETE FROM estimated RETURNING *', '{0.5}');
SELECT estimate_join('SELECT id, tokens FROM estimated FOR UPDATE', '{0.5}');
SELECT estimate_join('SELECT 1 / (id - 5), tokens FROM estimated', '{0.5}');
DROP OWNED BY regress_estimator;
DROP ROLE regress_estimator;
DROP VIEW estimated_view;
DROP TABLE estimated_parts, estimated;
