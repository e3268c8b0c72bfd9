-- knn_join, match_join and topk_join of groups of equal rows, against brute force
\getenv source PG_ABS_SRCDIR
\i :source/sql/include/oracle.sql
CREATE TABLE rec (side int, row int, key int, id int GENERATED ALWAYS AS (row) STORED, tokens tokenset);
-- groups of up to 30 equal rows, some of which are similar; rows that match nothing
INSERT INTO rec (side, row, key, tokens)
SELECT side, row_number() OVER (ORDER BY hashint4(side * 1000 + variant * 40 + copy)), NULL,
       ARRAY(SELECT i FROM generate_series(variant / 4 * 6, variant / 4 * 6 + 8) i WHERE i % 4 <> variant % 4 OR variant % 4 = 0)::tokenset
FROM generate_series(0, 1) side, generate_series(0, 11) variant,
     generate_series(1, CASE WHEN variant = side * 5 THEN 30 ELSE 1 + (variant * 7 + side * 3) % 6 END) copy;
UPDATE rec SET key = row * 37 % 1009;
INSERT INTO rec (side, row, key, tokens) SELECT side, 1000 + i, (1000 + i) * 37 % 1009, '{}' FROM generate_series(0, 1) side, generate_series(1, 3) i;
INSERT INTO rec (side, row, key, tokens) VALUES (0, 1004, NULL, '{6,7,8}'), (1, 1004, NULL, '{6,7,8}'), (0, 1005, 37, NULL), (1, 1005, 37, NULL);
SELECT side, count(*) AS rows, count(DISTINCT tokens) AS sets, count(DISTINCT key) AS keys FROM rec GROUP BY side ORDER BY side;

INSERT INTO threshold VALUES ('jaccard', 1), ('jaccard', 5 / 7.0), ('jaccard', 0.2), ('cosine', 0.8), ('dice', 10 / 12.0), ('containment', 5 / 6.0),
                             ('overlap', 3), ('hamming', 2), ('hamming', 0), ('idf_jaccard', 0.5), ('idf_cosine', 0.6);
CALL pg_temp.find_pairs('rec', 0, '{key,id}');
SELECT * FROM pg_temp.compare_joins('rec', '{key,id}', '{1,6}', '{3,500}', matches => true);
-- within little memory, through files
\set VERBOSITY terse
SET neardup.join_memory = '64kB';
SELECT * FROM pg_temp.compare_joins('rec', '{key}', '{6}', '{500}', matches => true);
RESET neardup.join_memory;
\set VERBOSITY default

-- pairs of equal rows are not stored, before they are matched
SELECT pg_temp.blocks_written($$SELECT count(*) FROM match_join('SELECT i, ''{1,2,3}''::tokenset FROM generate_series(1, 1000) i', 1)$$);
SELECT a, b FROM match_join('SELECT i, ''{1,2,3}''::tokenset FROM generate_series(1, 7) i', 1);

-- groups that all are similar, each with more than 63 others, some of many rows: free rows remain when a pass ends early
CREATE FUNCTION rows_of(side int, count int, groups int) RETURNS TABLE (key int, of_group int, tokens tokenset) LANGUAGE sql AS $$
    SELECT i * 7 % 1009, i % groups * (i % 3 / 2), tokenset(ARRAY[1, 2, 3, 4, 1000 * side + i % groups * (i % 3 / 2)]) FROM generate_series(1, count) i $$;
WITH side AS (SELECT side, key, min(key) OVER (PARTITION BY side, of_group) AS first
              FROM (VALUES (1, 500, 120), (2, 490, 130)) s (side, count, groups), LATERAL rows_of(side, count, groups)),
     -- all pairs are equally similar, so that groups, and the rows of each, are matched in order
     placed AS (SELECT side, key, row_number() OVER (PARTITION BY side ORDER BY first, key) AS place FROM side),
     want AS (SELECT a.key::bigint AS a, b.key::bigint AS b FROM placed a JOIN placed b USING (place) WHERE a.side = 1 AND b.side = 2),
     got AS (SELECT a, b FROM match_join('SELECT key, tokens FROM rows_of(1, 500, 120)', 0.5, against => 'SELECT key, tokens FROM rows_of(2, 490, 130)'))
SELECT (SELECT count(*) FROM got), count(*) AS differences
FROM ((TABLE got EXCEPT ALL TABLE want) UNION ALL (TABLE want EXCEPT ALL TABLE got)) d;

-- equal rows that are similar to no others, though they have tokens in common with all, through files
TRUNCATE rec, threshold;
INSERT INTO rec (side, row, key, tokens)
SELECT 0, n, n * 37 % 1511, ARRAY(SELECT abs(hashint4((CASE WHEN n % 10 < 3 THEN n / 10 * 10 ELSE n END) * 20 + w)) % 150 FROM generate_series(1, 14) w)::tokenset
FROM generate_series(1, 1200) n;
INSERT INTO threshold VALUES ('jaccard', 0.7), ('dice', 0.8), ('overlap', 11), ('idf_jaccard', 0.7);
CALL pg_temp.find_pairs('rec', 9, '{key}');
\set VERBOSITY terse
SET neardup.join_memory = '64kB';
SELECT * FROM pg_temp.compare_joins('rec', '{key}', '{4}', '{300}', matches => true);
RESET neardup.join_memory;
\set VERBOSITY default

DROP FUNCTION rows_of;
DROP TABLE rec;
