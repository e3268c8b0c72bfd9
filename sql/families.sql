-- knn_join, match_join and topk_join of families of nearly equal rows, against brute force
\getenv source PG_ABS_SRCDIR
\i :source/sql/include/oracle.sql
CREATE TABLE member (side int, row int, key int, id int, tokens tokenset);
-- of each kind: one word differs; two words of a few differ, some rows are equal; a word is missing, with words of its own; any size
INSERT INTO member (side, id, tokens)
SELECT side, row_number() OVER (ORDER BY hashint4(side * 10000 + kind * 1000 + i)),
       ARRAY(SELECT kind * 100 + w FROM generate_series(0, CASE kind WHEN 3 THEN 11 + i % 6 ELSE 16 END) w WHERE kind <> 2 OR w <> i % 17
             UNION ALL SELECT CASE kind WHEN 0 THEN 1000 + side * 50 + i WHEN 1 THEN 2000 + i % 11 ELSE 3000 + i END
             UNION ALL SELECT 4000 + i / 11 % 9 WHERE kind = 1
             UNION ALL SELECT 5000 + side * 1000 + i WHERE kind >= 2 AND i % 3 = 0)::tokenset
FROM generate_series(0, 1) side, generate_series(0, 3) kind, generate_series(1, CASE kind WHEN 3 THEN 25 ELSE 70 END) i;
UPDATE member m SET key = m.id * 7 % 479, row = place FROM (SELECT side, id, row_number() OVER (PARTITION BY side ORDER BY hashint4(id), id) AS place FROM member) o WHERE (o.side, o.id) = (m.side, m.id);

INSERT INTO threshold VALUES ('jaccard', 0.8), ('jaccard', 0.4), ('cosine', 0.8), ('containment', 0.8), ('overlap', 12), ('hamming', 6);
CALL pg_temp.find_pairs('member', 5, '{key,id}');
SELECT * FROM pg_temp.compare_joins('member', '{key,id}', '{1,4,40}', '{1,30,500}', matches => false);
-- within little memory, through files
\set VERBOSITY terse
SET neardup.join_memory = '64kB';
SELECT * FROM pg_temp.compare_joins('member', '{key}', '{4}', '{500}', matches => false);
RESET neardup.join_memory;
\set VERBOSITY default

-- groups of equal rows: each row has k neighbours but for itself
CREATE TABLE twin AS SELECT i AS key, i % 797 AS family FROM generate_series(1, 8000) i;
SELECT k, (SELECT count(*) FROM knn_join('SELECT key, ARRAY[family] FROM twin', k, 0.9)) AS found, sum(least(k, others)) AS expected
FROM (SELECT count(*) OVER (PARTITION BY family) - 1 AS others FROM twin) t, generate_series(8, 11) k
GROUP BY k ORDER BY k;

-- one to one: one word differs, or two words of a few, or rows are equal
CREATE TABLE single (side int, row int, key int, id int GENERATED ALWAYS AS (key) STORED, tokens tokenset);
INSERT INTO single (side, row, key, tokens)
SELECT side, n, n, CASE WHEN side = 0 AND kind = 2 AND n % 20 = 0 THEN '{}' ELSE tokens END
FROM (SELECT side, kind, row_number() OVER (ORDER BY hashint4(side * 10000 + kind * 1000 + i)) AS n,
             (ARRAY(SELECT kind * 100 + generate_series(0, 16))
              || CASE kind WHEN 0 THEN ARRAY[1000 + side * 500 + i] WHEN 1 THEN ARRAY[2000 + i % 13, 3000 + i % 17] ELSE ARRAY[4000 + i % 87 / 2] END)::tokenset AS tokens
      FROM generate_series(0, 1) side, generate_series(0, 2) kind, generate_series(1, 100) i) s;
TRUNCATE threshold;
INSERT INTO threshold VALUES ('jaccard', 0.8), ('jaccard', 0.3), ('cosine', 0.85), ('cosine', 0.6), ('overlap', 12), ('hamming', 4);
CALL pg_temp.find_pairs('single', 5, '{id}');
SELECT * FROM pg_temp.compare_joins('single', '{id}', '{}', '{}', matches => true);
\set VERBOSITY terse
SET neardup.join_memory = '64kB';
SELECT * FROM pg_temp.compare_joins('single', '{id}', '{}', '{}', matches => true);
RESET neardup.join_memory;
\set VERBOSITY default

-- a family of more rows, half of which have a word that they share with few
CREATE VIEW large AS
SELECT i AS id, (ARRAY(SELECT generate_series(1, 17)) || 100 + i || CASE WHEN hashint4(i) % 50 < 2 THEN 10000 + abs(hashint4(i * 7)) % 20 ELSE 20000 END)::tokenset AS tokens
FROM generate_series(1, 1200) i;
CREATE FUNCTION matched_large() RETURNS TABLE (a bigint, b bigint, similarity float8) LANGUAGE plpgsql AS $$
DECLARE
    taken boolean[] := array_fill(false, ARRAY[1200]); c record;
BEGIN
    FOR c IN SELECT * FROM ppjoin('TABLE large', 0.8) p ORDER BY p.similarity DESC, p.a, p.b LOOP
        CONTINUE WHEN taken[c.a] OR taken[c.b];
        taken[c.a] := true; taken[c.b] := true;
        a := c.a; b := c.b; similarity := c.similarity;
        RETURN NEXT;
    END LOOP;
END $$;
SELECT * FROM pg_temp.compare($$SELECT * FROM match_join('TABLE large', 0.8)$$, 'SELECT * FROM matched_large()');

-- equally similar rows are matched in the order of keys
SELECT count(*) AS matches, count(*) FILTER (WHERE b <> a + 1 OR a % 2 = 0) AS wrong
FROM match_join('SELECT i, array_append(ARRAY(SELECT generate_series(1, 17)), 100 + i)::tokenset FROM generate_series(1, 2000) i', 0.8);

-- pairs of a family are not stored, before they are matched
SELECT pg_temp.blocks_written($$SELECT count(*) FROM match_join('SELECT i, array_append(ARRAY(SELECT generate_series(1, 17)), 100 + i)::tokenset
                                                         FROM generate_series(1, 2000) i', 0.8)$$);
\set VERBOSITY terse
SET neardup.join_memory = '128kB';
SELECT pg_temp.blocks_written($$SELECT count(*) FROM match_join('SELECT i, array_append(ARRAY(SELECT generate_series(1, 17)), 100 + i)::tokenset
                                                         FROM generate_series(1, 2000) i', 0.8)$$) < 1000 AS few;
CREATE VIEW family AS SELECT i AS id, array_append(ARRAY(SELECT generate_series(1, 17)), 100 + i) AS tokens FROM generate_series(1, 2000) i;
SELECT pg_temp.blocks_written($$SELECT count(*) FROM near_duplicates('family', 'id', 'tokens', 0.8, 'tokens')$$) < 1000 AS few;
DROP VIEW family;
RESET neardup.join_memory;
\set VERBOSITY default

-- clusters of families, in memory and through files: one large family, small ones at any place, and rows of none
CREATE TABLE line (id int PRIMARY KEY, tokens int[]);
INSERT INTO line
SELECT row_number() OVER (ORDER BY hashint4(kind * 10000 + i)),
       CASE kind WHEN 0 THEN ARRAY(SELECT generate_series(1, 17)) || 1000 + i % 250
                 WHEN 1 THEN ARRAY(SELECT 100 * (i % 60) + 5000 + w FROM generate_series(1, 16) w WHERE hashint4(i * 100 + w) % 5 <> 0) || 20000 + i % 3
                 ELSE ARRAY(SELECT abs(hashint4(i * 20 + w)) FROM generate_series(1, 1 + i % 20) w) END
FROM generate_series(0, 2) kind, generate_series(1, 500) i;
CREATE TABLE excepted (a bigint, b bigint);
CREATE FUNCTION line_pairs(threshold float8) RETURNS TABLE (a bigint, b bigint, similarity float8) LANGUAGE sql AS $$
    SELECT p.* FROM ppjoin('SELECT id, tokens::tokenset FROM line', threshold) p LEFT JOIN excepted e ON (e.a, e.b) = (p.a, p.b) WHERE e.a IS NULL $$;
CREATE FUNCTION stars(threshold float8) RETURNS TABLE (id bigint, duplicate_of bigint, similarity float8) LANGUAGE plpgsql AS $$
DECLARE
    claimed boolean[] := array_fill(false, ARRAY[1500]); c record;
BEGIN
    FOR c IN SELECT * FROM line_pairs(threshold) p ORDER BY p.a, p.b LOOP
        CONTINUE WHEN claimed[c.a] OR claimed[c.b];
        claimed[c.b] := true;
        id := c.b; duplicate_of := c.a; similarity := c.similarity;
        RETURN NEXT;
    END LOOP;
END $$;
CREATE FUNCTION connected(threshold float8) RETURNS TABLE (id bigint, duplicate_of bigint) LANGUAGE sql AS $$
    SELECT id, cluster FROM cluster_pairs(format('SELECT a, b FROM line_pairs(%s)', threshold)) WHERE id <> cluster $$;
CREATE FUNCTION cluster_differences() RETURNS TABLE (mode text, threshold float8, duplicates bigint, differences bigint) LANGUAGE sql AS $$
    SELECT mode, threshold, f.count, d.count
    FROM (VALUES (0.8), (0.6), (0.3)) t (threshold), (VALUES ('star'), ('connected')) m (mode),
        LATERAL (SELECT array_agg(d) AS rows, count(*) FROM near_duplicates('line', 'id', 'tokens', threshold, 'tokens', mode => mode, except_pairs => (SELECT 'TABLE excepted' FROM excepted LIMIT 1)) d) f,
        LATERAL (SELECT array_agg(w) AS rows FROM (SELECT * FROM stars(threshold) WHERE mode = 'star'
                                                  UNION ALL SELECT *, NULL FROM connected(threshold) WHERE mode = 'connected') w) w,
        LATERAL (SELECT count(*) FROM unnest(f.rows) x (id bigint, duplicate_of bigint, similarity float8, kind text, cluster bigint)
                     FULL JOIN unnest(w.rows) y (id bigint, duplicate_of bigint, similarity float8) USING (id, duplicate_of)
                 WHERE x.id IS NULL OR y.id IS NULL OR (y.similarity IS NOT NULL AND x.similarity <> y.similarity)) d $$;
CREATE FUNCTION differences_in_files() RETURNS TABLE (mode text, threshold float8, duplicates bigint, differences bigint) LANGUAGE sql
SET neardup.join_memory = '64kB' AS 'SELECT * FROM cluster_differences()';
SELECT * FROM cluster_differences();
\set VERBOSITY terse
SELECT * FROM differences_in_files();
-- without some pairs, so that of equal rows one may be claimed and another one not
INSERT INTO excepted SELECT a, b FROM line_pairs(0.3) WHERE hashint8(a * 10000 + b) % 4 = 0 OR (a <= 600 AND b > 600 AND b % 2 = 0);
SELECT * FROM cluster_differences();
SELECT * FROM differences_in_files();

DROP VIEW large;
DROP FUNCTION matched_large, stars, connected, cluster_differences, differences_in_files, line_pairs;
DROP TABLE member, twin, single, line, excepted;
