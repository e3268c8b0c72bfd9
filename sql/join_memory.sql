-- neardup.join_memory bounds the joins of functions, work_mem those of plans
LOAD 'neardup';
SHOW neardup.join_memory;
SET neardup.join_memory = 63;
SET neardup.join_memory = 0;
SET neardup.join_memory = 64;
SHOW neardup.join_memory;
RESET neardup.join_memory;
CREATE TABLE rec AS SELECT i AS id, ARRAY(SELECT (i * k * k) % 4001 FROM generate_series(1, 20) k)::tokenset AS tokens FROM generate_series(1, 10000) i;
CREATE VIEW few AS SELECT * FROM rec WHERE id <= 1500;
ANALYZE rec;
CREATE FUNCTION parts(memory text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    PERFORM set_config('work_mem', memory, true);
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) SELECT 1 FROM few a JOIN few b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.8)' INTO plan;
    RETURN CASE (plan #>> '{0,Plan,Parts}')::int WHEN 1 THEN 'in memory' ELSE 'in files' END;
END $$;
SET enable_nestloop = off;
SET max_parallel_workers_per_gather = 0;
\set VERBOSITY terse
-- by default the greater of the two settings of the server
SET work_mem = '64kB';
SET maintenance_work_mem = '1MB';
SELECT temp_bytes > 0 AS files FROM ppjoin_stats('SELECT id, tokens FROM rec', 0.8);
SET maintenance_work_mem = '64MB';
SELECT temp_bytes > 0 AS files FROM ppjoin_stats('SELECT id, tokens FROM rec', 0.8);
SET work_mem = '64MB';
SET maintenance_work_mem = '1MB';
SELECT temp_bytes > 0 AS files FROM ppjoin_stats('SELECT id, tokens FROM rec', 0.8);
-- either kind of join has its own setting, and only a function says that it uses files
SET neardup.join_memory = '64kB';
SELECT temp_bytes > 0 AS files, parts('64MB') FROM ppjoin_stats('SELECT id, tokens FROM few', 0.8);
SET neardup.join_memory = '64MB';
SELECT temp_bytes > 0 AS files, parts('64kB') FROM ppjoin_stats('SELECT id, tokens FROM few', 0.8);
-- a statement says it once, whatever it joins
SET neardup.join_memory = '64kB';
SELECT (SELECT count(*) FROM ppjoin('SELECT id, tokens FROM few', 0.8)) AS first, (SELECT count(*) FROM ppjoin('SELECT id, tokens FROM few', 0.8)) AS second;
SELECT count(*) FROM near_duplicates('few', 'id', 'tokens', 0.8, 'tokens');
SELECT count(*) FROM knn_join('SELECT id, tokens FROM few', 2, 0.1);
\set VERBOSITY default
RESET ALL;
DROP FUNCTION parts;
DROP VIEW few;
DROP TABLE rec;
