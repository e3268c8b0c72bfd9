--
-- common_tokens and token_weights with more tokens than fit into memory, against plain SQL.
--
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SET max_parallel_workers_per_gather = 0;

-- 40,000 tokens, some in most rows; "rose" up to 3,000 times in a row, "thorn" often in a single one.
SELECT setseed(0.3);
CREATE TABLE long_sets AS
SELECT id, id % 3 AS g,
       (SELECT array_agg(floor(power(random(), 2) * 40000)::int8) FROM generate_series(1, 150) WHERE id > 0)::tokenset
       | word_tokens(repeat('rose ', CASE WHEN id = 700 THEN 3000 ELSE id % 7 END))
       | word_tokens(repeat('thorn ', CASE WHEN id = 800 THEN 2000 ELSE 0 END)) AS t
FROM generate_series(1, 1500) id;
ANALYZE long_sets;
CREATE FUNCTION writes_files(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan;
    RETURN (plan->0->'Plan'->>'Temp Written Blocks')::int > 0;
END $$;
CREATE VIEW temporary_files AS
SELECT count(*) AS files FROM pg_tablespace s, pg_ls_tmpdir(s.oid)
WHERE spcname <> 'pg_global' AND name LIKE format('pgsql\_tmp%s.%%', pg_backend_pid());
SELECT count(DISTINCT token) > 20000 AS many FROM long_sets, unnest(t::int8[]) token;

-- The tokens in more than a fraction of the rows of a group, or of all (group -1), and all occurrences of these.
CREATE TABLE token_rows AS
SELECT s.g, token, count(*) AS n, CASE s.g WHEN -1 THEN 1500 ELSE 500 END AS rows
FROM (SELECT g, t FROM long_sets UNION ALL SELECT -1, t FROM long_sets) s, unnest(t::int8[]) token GROUP BY s.g, token;
CREATE TABLE occurrences AS
SELECT (word_set(word)::int8[])[1] AS first, token
FROM unnest('{rose,thorn}'::text[]) word, unnest(word_tokens(repeat(word || ' ', 3000))::int8[]) token;
ANALYZE token_rows, occurrences;
CREATE TABLE expected AS
SELECT g, f, array_agg(token)::tokenset AS tokens
FROM (SELECT g, f, token FROM token_rows, unnest('{0,0.0007,0.02,0.5}'::float8[]) f WHERE n / rows::float8 > f
      UNION SELECT r.g, f, o.token
      FROM token_rows r JOIN occurrences o ON r.token = first JOIN token_rows a ON (a.g, a.token) = (r.g, o.token),
           unnest('{0,0.0007,0.02,0.5}'::float8[]) f WHERE r.n / r.rows::float8 > f) s
GROUP BY g, f;
CREATE VIEW differing AS
SELECT count(*) AS fractions, count(*) FILTER (WHERE e.tokens IS DISTINCT FROM c) AS differing
FROM (SELECT unnest('{0,0.0007,0.02,0.5}'::float8[]) AS f,
             unnest(ARRAY[common_tokens(t, 0), common_tokens(t, 0.0007), common_tokens(t, 0.02), common_tokens(t, 0.5)]) AS c
      FROM long_sets) s JOIN expected e USING (f) WHERE g = -1;
SELECT writes_files('SELECT common_tokens(t, 0.02) FROM long_sets') AS common,
       writes_files('SELECT token_weights(t) FROM long_sets') AS weights;
SELECT f, cardinality(tokens) > 1000 AS many FROM expected WHERE g = -1 ORDER BY f;
SELECT * FROM differing;

-- Weights list the tokens of two rows and more.
CREATE VIEW differing_weights AS
SELECT count(*) AS differing
FROM (SELECT split_part(x, ':', 1) AS token, round(split_part(x, ':', 2)::numeric * 65536) AS weight
      FROM (SELECT token_weights(t)::text AS w FROM long_sets) s, string_to_table(btrim(w, '{}'), ',') x) s
FULL JOIN (SELECT token::text, round(ln(rows::numeric / n) * 65536) AS weight FROM token_rows WHERE g = -1 AND n > 1
           UNION ALL SELECT '*', round(ln(count(*)::numeric) * 65536) FROM long_sets) e USING (token, weight)
WHERE s IS NULL OR e IS NULL;
SELECT * FROM differing_weights;

-- Groups, one after the other and all at a time; each closes its files.
SELECT count(*) AS groups, count(*) FILTER (WHERE c IS DISTINCT FROM tokens) AS differing
FROM (SELECT g, common_tokens(t, 0.02) AS c FROM long_sets GROUP BY g) s JOIN expected USING (g) WHERE f = 0.02;
SET enable_hashagg = off;
SELECT count(*) AS groups, count(*) FILTER (WHERE c IS DISTINCT FROM tokens) AS differing
FROM (SELECT g, common_tokens(t, 0.02) AS c FROM long_sets GROUP BY g) s JOIN expected USING (g) WHERE f = 0.02;
RESET enable_hashagg;

-- A window reads the state and goes on adding.
SELECT count(*) AS rows, count(*) FILTER (WHERE c IS DISTINCT FROM
       (SELECT array_agg(token)::tokenset
        FROM (SELECT token FROM generate_series(1, id) i, generate_series(i * 100, i * 100 + 999) token
              GROUP BY token HAVING count(*) / id::float8 > 0.1) e)) AS differing
FROM (SELECT id, common_tokens(ARRAY(SELECT generate_series(id * 100, id * 100 + 999))::tokenset, 0.1) OVER (ORDER BY id) AS c
      FROM generate_series(1, 40) id) w;

-- Workers flatten what they have in files, and the leader adds it.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS off) SELECT common_tokens(t, 0.02) FROM long_sets;
SELECT * FROM differing;
SELECT * FROM differing_weights;
SET parallel_leader_participation = off;
SET max_parallel_workers_per_gather = 1;
SELECT * FROM differing;
RESET parallel_leader_participation;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SET max_parallel_workers_per_gather = 0;

-- A flat state that is larger than the memory.
SELECT common_tokens_final(common_tokens_transition(NULL, ARRAY(SELECT generate_series(1, 20000))::tokenset, 0.5))
       = ARRAY(SELECT generate_series(1, 20000))::tokenset AS same;

-- Errors after files were written: caught, of a cursor whose transaction goes on, and of a limit.
SELECT * FROM temporary_files;
CREATE VIEW of_two_fractions AS
SELECT common_tokens(t, CASE WHEN id > 1400 THEN 0.2 ELSE 0.1 END ORDER BY id) FROM long_sets;
DO $$ BEGIN
    PERFORM * FROM of_two_fractions;
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE '%', sqlerrm;
END $$;
SELECT * FROM temporary_files;
BEGIN;
DECLARE failing CURSOR FOR SELECT * FROM of_two_fractions;
SAVEPOINT before;
FETCH failing;
ROLLBACK TO before;
SELECT * FROM temporary_files;
DECLARE other CURSOR FOR SELECT cardinality(common_tokens(t, 0.02) OVER (ORDER BY id)) > 0 AS some FROM long_sets WHERE id <= 60 OFFSET 59;
FETCH other;
SELECT files > 0 AS some FROM temporary_files;
CLOSE failing;
SELECT files > 0 AS some FROM temporary_files;
CLOSE other;
SELECT * FROM temporary_files;
DECLARE held CURSOR WITH HOLD FOR SELECT cardinality(common_tokens(t, 0.02)) > 1000 AS many FROM long_sets;
COMMIT;
FETCH held;
CLOSE held;
SELECT * FROM temporary_files;
SET temp_file_limit = '64kB';
\set VERBOSITY sqlstate
SELECT common_tokens(t, 0.5) FROM long_sets;
\set VERBOSITY default
RESET temp_file_limit;
SELECT * FROM temporary_files;

DROP VIEW of_two_fractions, differing, differing_weights, temporary_files;
DROP FUNCTION writes_files;
DROP TABLE long_sets, token_rows, occurrences, expected;
