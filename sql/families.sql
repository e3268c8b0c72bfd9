-- knn_join, match_join and topk_join of families of nearly equal rows, against brute force
CREATE TABLE member (side int, id int, key int, tokens tokenset);
-- of each kind: one word differs; two words of a few differ, some rows are equal; a word is missing, with words of its own; any size
INSERT INTO member
SELECT side, row_number() OVER (ORDER BY hashint4(side * 10000 + kind * 1000 + i)), NULL,
       ARRAY(SELECT kind * 100 + w FROM generate_series(0, CASE kind WHEN 3 THEN 11 + i % 6 ELSE 16 END) w WHERE kind <> 2 OR w <> i % 17
             UNION ALL SELECT CASE kind WHEN 0 THEN 1000 + side * 50 + i WHEN 1 THEN 2000 + i % 11 ELSE 3000 + i END
             UNION ALL SELECT 4000 + i / 11 % 9 WHERE kind = 1
             UNION ALL SELECT 5000 + side * 1000 + i WHERE kind >= 2 AND i % 3 = 0)::tokenset
FROM generate_series(0, 1) side, generate_series(0, 3) kind, generate_series(1, CASE kind WHEN 3 THEN 25 ELSE 70 END) i;
UPDATE member SET key = id * 7 % 300;

-- pairs of rows x, y as each measure's own function has them, of keys that repeat and of rows as unique keys
CREATE TABLE pair (key_of text, kind text, measure text, x int, y int, a int, b int, value float8, distance float8);
INSERT INTO pair
SELECT key_of, kind, measure, x.id, y.id, k.a, k.b, value, CASE measure WHEN 'hamming' THEN value ELSE -value END
FROM (VALUES ('self'), ('rs')) v (kind), member x, member y,
     LATERAL (VALUES ('key', x.key, y.key), ('id', x.id, y.id)) k (key_of, a, b),
     LATERAL (VALUES ('jaccard', jaccard(x.tokens, y.tokens)), ('cosine', cosine(x.tokens, y.tokens)),
                     ('containment', containment(x.tokens, y.tokens)), ('overlap', overlap(x.tokens, y.tokens)::float8),
                     ('hamming', hamming(x.tokens, y.tokens)::float8)) m (measure, value)
WHERE x.side = 0 AND y.side = CASE kind WHEN 'rs' THEN 1 ELSE 0 END AND (kind = 'rs' OR k.a <> k.b) AND overlap(x.tokens, y.tokens) > 4;
CREATE TABLE nearest AS
SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY key_of, kind, measure, x ORDER BY distance, b, hashint4(y), y) AS place FROM pair) p
WHERE place <= 40;
CREATE TABLE best AS
SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY key_of, kind, measure ORDER BY distance, a, b) AS place FROM pair
               WHERE kind = 'rs' OR measure = 'containment' OR a < b) p
WHERE place <= 500;
CREATE TABLE threshold (measure text, threshold float8);
INSERT INTO threshold VALUES ('jaccard', 0.8), ('jaccard', 0.4), ('cosine', 0.8), ('containment', 0.8), ('overlap', 12), ('hamming', 6);
CREATE FUNCTION query(key_of text, kind text, side int) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN side = 0 OR kind = 'rs' THEN
        format('SELECT %s, tokens FROM member WHERE side = %s ORDER BY hashint4(id), id', key_of, side) END $$;
CREATE PROCEDURE differing(INOUT differences bigint, INOUT compared bigint) LANGUAGE plpgsql AS $$
DECLARE
    c record; of_case bigint; of_found bigint; call text; oracle text;
BEGIN
    differences := 0; compared := 0;
    FOR c IN SELECT * FROM threshold, (VALUES ('key'), ('id')) v (key_of), (VALUES ('self'), ('rs')) k (kind) LOOP
        FOR call, oracle IN
            SELECT format('SELECT a, b, similarity, rank::bigint FROM knn_join(%L, %s, %s, %L, %L)',
                          query(c.key_of, c.kind, 0), k, c.threshold, c.measure, query(c.key_of, c.kind, 1)),
                   format('SELECT a::bigint, b::bigint, value, place FROM nearest
                           WHERE key_of = %L AND kind = %L AND measure = %L AND distance <= %s AND place <= %s',
                          c.key_of, c.kind, c.measure, CASE c.measure WHEN 'hamming' THEN c.threshold ELSE -c.threshold END, k)
            FROM (VALUES (1), (4), (40)) v (k)
            UNION ALL
            SELECT format('SELECT row_number() OVER (), * FROM topk_join(%L, %s, %L, %L)',
                          query(c.key_of, c.kind, 0), k, c.measure, query(c.key_of, c.kind, 1)),
                   format('SELECT place, a::bigint, b::bigint, value FROM best WHERE key_of = %L AND kind = %L AND measure = %L AND place <= %s',
                          c.key_of, c.kind, c.measure, k)
            FROM (VALUES (1), (30), (500)) v (k)
        LOOP
            EXECUTE format('WITH got AS MATERIALIZED (%s), want AS MATERIALIZED (%s),
                            difference AS ((TABLE got EXCEPT ALL TABLE want) UNION ALL (TABLE want EXCEPT ALL TABLE got))
                            SELECT (SELECT count(*) FROM difference), (SELECT count(*) FROM got)', call, oracle) INTO of_case, of_found;
            differences := differences + of_case;
            compared := compared + of_found;
            IF of_case > 0 THEN
                RAISE NOTICE '% rows differ: %', of_case, call;
            END IF;
        END LOOP;
    END LOOP;
END $$;
CALL differing(0, 0);
-- within little memory, through files
\set VERBOSITY terse
SET neardup.join_memory = '64kB';
CALL differing(0, 0);
RESET neardup.join_memory;
\set VERBOSITY default

-- groups of equal rows, some of whose keys repeat: each row has k neighbours of other keys
CREATE TABLE twin AS SELECT i % 3737 AS key, i % 797 AS family FROM generate_series(1, 8000) i;
SELECT k, (SELECT count(*) FROM knn_join('SELECT key, ARRAY[family] FROM twin', k, 0.9)) AS found, sum(least(k, others)) AS expected
FROM (SELECT count(*) OVER (PARTITION BY family) - count(*) OVER (PARTITION BY family, key) AS others FROM twin) t, generate_series(5, 8) k
GROUP BY k ORDER BY k;

-- one to one: one word differs, or two words of a few; in a self-join also families of equal rows
CREATE TABLE single (side int, kind int, id int, tokens tokenset);
INSERT INTO single
SELECT side, kind, row_number() OVER (ORDER BY hashint4(side * 10000 + kind * 1000 + i)),
       (ARRAY(SELECT kind * 100 + generate_series(0, 16))
        || CASE kind WHEN 0 THEN ARRAY[1000 + side * 500 + i] WHEN 1 THEN ARRAY[2000 + i % 13, 3000 + i % 17] ELSE ARRAY[4000 + i % 87 / 2] END)::tokenset
FROM generate_series(0, 1) side, generate_series(0, 2) kind, generate_series(1, 140) i;
UPDATE single SET tokens = '{}' WHERE side = 0 AND kind = 2 AND id % 20 = 0;
CREATE TABLE single_pair (kind text, measure text, a int, b int, value float8, distance float8);
INSERT INTO single_pair
SELECT k.kind, measure, x.id, y.id, value, CASE measure WHEN 'hamming' THEN value ELSE -value END
FROM (VALUES ('self'), ('rs')) k (kind), single x, single y,
     LATERAL (VALUES ('jaccard', jaccard(x.tokens, y.tokens)), ('cosine', cosine(x.tokens, y.tokens)), ('hamming', hamming(x.tokens, y.tokens)::float8)) m (measure, value)
WHERE x.side = 0 AND y.side = CASE k.kind WHEN 'rs' THEN 1 ELSE 0 END AND overlap(x.tokens, y.tokens) > 4
  AND CASE k.kind WHEN 'rs' THEN x.kind < 2 AND y.kind < 2 ELSE x.id < y.id END;
CREATE FUNCTION matched(of_kind text, of_measure text, most float8) RETURNS TABLE (a bigint, b bigint, similarity float8) LANGUAGE plpgsql AS $$
DECLARE
    taken_a int[] := '{}'; taken_b int[] := '{}'; c record;
BEGIN
    FOR c IN SELECT * FROM single_pair p WHERE kind = of_kind AND measure = of_measure AND distance <= most ORDER BY distance, p.a, p.b LOOP
        CONTINUE WHEN c.a = ANY (taken_a) OR c.b = ANY (taken_b);
        taken_a := taken_a || c.a;
        taken_b := taken_b || c.b;
        IF of_kind = 'self' THEN
            taken_a := taken_a || c.b;
            taken_b := taken_b || c.a;
        END IF;
        a := c.a; b := c.b; similarity := c.value;
        RETURN NEXT;
    END LOOP;
END $$;
CREATE FUNCTION match_differences() RETURNS TABLE (kind text, measure text, threshold float8, matches bigint, differences bigint) LANGUAGE plpgsql AS $$
BEGIN
    FOR kind, measure, threshold IN VALUES ('self', 'jaccard', 0.8), ('self', 'jaccard', 0.3), ('self', 'cosine', 0.85), ('self', 'hamming', 4),
                                           ('rs', 'jaccard', 0.8), ('rs', 'cosine', 0.6), ('rs', 'hamming', 4) LOOP
        EXECUTE 'WITH got AS MATERIALIZED (SELECT * FROM match_join($1, $2, $3, $4)), want AS MATERIALIZED (SELECT * FROM matched($5, $3, $6)),
                 difference AS ((TABLE got EXCEPT ALL TABLE want) UNION ALL (TABLE want EXCEPT ALL TABLE got))
                 SELECT (SELECT count(*) FROM got), (SELECT count(*) FROM difference)'
        USING 'SELECT id, tokens FROM single WHERE side = 0' || CASE kind WHEN 'rs' THEN ' AND kind < 2' ELSE '' END, threshold, measure,
              CASE kind WHEN 'rs' THEN 'SELECT id, tokens FROM single WHERE side = 1 AND kind < 2' END, kind, CASE measure WHEN 'hamming' THEN threshold ELSE -threshold END
        INTO matches, differences;
        RETURN NEXT;
    END LOOP;
END $$;
SELECT * FROM match_differences();
\set VERBOSITY terse
SET neardup.join_memory = '64kB';
SELECT sum(matches) AS matches, sum(differences) AS differences FROM match_differences();
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
SELECT (SELECT count(*) FROM matched_large()) AS matches,
       (SELECT count(*) FROM (SELECT * FROM match_join('TABLE large', 0.8) EXCEPT SELECT * FROM matched_large()) d) AS differences;

-- equally similar rows are matched in the order of keys
SELECT count(*) AS matches, count(*) FILTER (WHERE b <> a + 1 OR a % 2 = 0) AS wrong
FROM match_join('SELECT i, array_append(ARRAY(SELECT generate_series(1, 17)), 100 + i)::tokenset FROM generate_series(1, 2000) i', 0.8);

-- pairs of a family are not stored, before they are matched
CREATE FUNCTION blocks_written(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Temp Written Blocks';
END $$;
SELECT blocks_written($$SELECT count(*) FROM match_join('SELECT i, array_append(ARRAY(SELECT generate_series(1, 17)), 100 + i)::tokenset
                                                         FROM generate_series(1, 2000) i', 0.8)$$);
\set VERBOSITY terse
SET neardup.join_memory = '128kB';
SELECT blocks_written($$SELECT count(*) FROM match_join('SELECT i, array_append(ARRAY(SELECT generate_series(1, 17)), 100 + i)::tokenset
                                                         FROM generate_series(1, 2000) i', 0.8)$$) < 1000 AS few;
CREATE VIEW family AS SELECT i AS id, array_append(ARRAY(SELECT generate_series(1, 17)), 100 + i) AS tokens FROM generate_series(1, 2000) i;
SELECT blocks_written($$SELECT count(*) FROM near_duplicates('family', 'id', 'tokens', 0.8, 'tokens')$$) < 1000 AS few;
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
FROM generate_series(0, 2) kind, generate_series(1, 800) i;
CREATE TABLE excepted (a bigint, b bigint);
CREATE FUNCTION line_pairs(threshold float8) RETURNS TABLE (a bigint, b bigint, similarity float8) LANGUAGE sql AS $$
    SELECT p.* FROM ppjoin('SELECT id, tokens::tokenset FROM line', threshold) p LEFT JOIN excepted e ON (e.a, e.b) = (p.a, p.b) WHERE e.a IS NULL $$;
CREATE FUNCTION stars(threshold float8) RETURNS TABLE (id bigint, duplicate_of bigint, similarity float8) LANGUAGE plpgsql AS $$
DECLARE
    claimed boolean[] := array_fill(false, ARRAY[2400]); c record;
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
INSERT INTO excepted SELECT a, b FROM line_pairs(0.3) WHERE hashint8(a * 10000 + b) % 4 = 0 OR (a <= 1000 AND b > 1000 AND b % 2 = 0);
SELECT * FROM cluster_differences();
SELECT * FROM differences_in_files();

DROP PROCEDURE differing;
DROP VIEW large;
DROP FUNCTION query, matched, matched_large, match_differences, blocks_written, stars, connected, cluster_differences, differences_in_files, line_pairs;
DROP TABLE member, pair, nearest, best, threshold, twin, single, single_pair, line, excepted;
