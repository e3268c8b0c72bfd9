-- knn_join, match_join and topk_join of groups of equal rows, against brute force
CREATE TABLE rec (side int, row int, key int, tokens tokenset);
-- groups of up to 30 equal rows, some of which are similar; keys that repeat, rows that match nothing
INSERT INTO rec
SELECT side, row_number() OVER (ORDER BY hashint4(side * 1000 + variant * 40 + copy)), NULL,
       ARRAY(SELECT i FROM generate_series(variant / 4 * 6, variant / 4 * 6 + 8) i WHERE i % 4 <> variant % 4 OR variant % 4 = 0)::tokenset
FROM generate_series(0, 1) side, generate_series(0, 11) variant,
     generate_series(1, CASE WHEN variant = side * 5 THEN 30 ELSE 1 + (variant * 7 + side * 3) % 6 END) copy;
UPDATE rec SET key = row * 37 % 50;
INSERT INTO rec SELECT side, 1000 + i, i, '{}' FROM generate_series(0, 1) side, generate_series(1, 3) i;
INSERT INTO rec VALUES (0, 1004, NULL, '{6,7,8}'), (1, 1004, NULL, '{6,7,8}'), (0, 1005, 3, NULL), (1, 1005, 3, NULL);
SELECT side, count(*) AS rows, count(DISTINCT tokens) AS sets, count(DISTINCT key) AS keys FROM rec GROUP BY side ORDER BY side;

-- pairs of rows x, y with keys a, b, as each measure's own function has them
CREATE TABLE pair (kind text, measure text, x int, y int, a int, b int, value float8, distance float8, with_equal_keys bool);
INSERT INTO pair
SELECT kind, measure, x.row, y.row, x.key, y.key, value, CASE measure WHEN 'hamming' THEN value ELSE -value END, x.key = y.key
FROM (VALUES ('self'), ('rs')) k (kind),
     LATERAL (SELECT token_weights(tokens) AS weights FROM rec WHERE key IS NOT NULL AND (side = 0 OR kind = 'rs')) w,
     rec x, rec y,
     LATERAL (VALUES ('jaccard', jaccard(x.tokens, y.tokens)), ('cosine', cosine(x.tokens, y.tokens)), ('dice', dice(x.tokens, y.tokens)),
                     ('containment', containment(x.tokens, y.tokens)), ('overlap', overlap(x.tokens, y.tokens)::float8),
                     ('hamming', hamming(x.tokens, y.tokens)::float8), ('idf_jaccard', idf_jaccard(x.tokens, y.tokens, weights)),
                     ('idf_cosine', idf_cosine(x.tokens, y.tokens, weights))) m (measure, value)
WHERE x.side = 0 AND y.side = CASE kind WHEN 'rs' THEN 1 ELSE 0 END AND cardinality(x.tokens) > 0 AND cardinality(y.tokens) > 0
      AND x.key IS NOT NULL AND y.key IS NOT NULL AND (value > 0 OR measure = 'hamming');
CREATE TABLE threshold (measure text, threshold float8);
INSERT INTO threshold VALUES ('jaccard', 1), ('jaccard', 5 / 7.0), ('jaccard', 0.2), ('cosine', 0.8), ('dice', 10 / 12.0), ('containment', 5 / 6.0),
                             ('overlap', 3), ('hamming', 2), ('hamming', 0), ('idf_jaccard', 0.5), ('idf_cosine', 0.6);
-- keys as they are, and rows as unique keys
CREATE VIEW keyed AS
SELECT key_of, kind, measure, x, y, CASE key_of WHEN 'key' THEN a ELSE x END AS a, CASE key_of WHEN 'key' THEN b ELSE y END AS b, value, distance
FROM pair, (VALUES ('key'), ('row')) v (key_of)
WHERE kind = 'rs' OR CASE key_of WHEN 'key' THEN NOT with_equal_keys ELSE x <> y END;
CREATE FUNCTION query(key_of text, kind text, side int) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN side = 0 OR kind = 'rs' THEN
        format('SELECT %s, tokens FROM rec WHERE side = %s %s ORDER BY row', key_of, side, CASE key_of WHEN 'row' THEN 'AND key IS NOT NULL' END) END $$;
CREATE FUNCTION matched(key_of text, kind text, of_measure text, of_threshold float8)
RETURNS TABLE (a bigint, b bigint, similarity float8) LANGUAGE plpgsql AS $$
DECLARE
    taken_x int[] := '{}'; taken_y int[] := '{}'; c record;
BEGIN
    FOR c IN SELECT * FROM keyed k
             WHERE k.key_of = matched.key_of AND k.kind = matched.kind AND measure = of_measure
                   AND distance <= CASE measure WHEN 'hamming' THEN of_threshold ELSE -of_threshold END
                   AND (k.kind = 'rs' OR measure = 'containment' OR k.a < k.b)
             ORDER BY distance, k.a, k.b, x, y LOOP
        CONTINUE WHEN c.x = ANY (taken_x) OR c.y = ANY (taken_y);
        taken_x := taken_x || c.x;
        taken_y := taken_y || c.y;
        IF c.kind = 'self' THEN
            taken_x := taken_x || c.y;
            taken_y := taken_y || c.x;
        END IF;
        a := c.a; b := c.b; similarity := c.value;
        RETURN NEXT;
    END LOOP;
END $$;
CREATE PROCEDURE differing(INOUT differences bigint, INOUT compared bigint) LANGUAGE plpgsql AS $$
DECLARE
    c record; of_case bigint; of_found bigint; call text; oracle text;
BEGIN
    differences := 0; compared := 0;
    FOR c IN SELECT * FROM threshold, (VALUES ('key'), ('row')) v (key_of), (VALUES ('self'), ('rs')) k (kind) LOOP
        FOR call, oracle IN
            SELECT format('SELECT a, b, similarity, rank::bigint FROM knn_join(%L, %s, %s, %L, %L)',
                          query(c.key_of, c.kind, 0), k, c.threshold, c.measure, query(c.key_of, c.kind, 1)),
                   format('SELECT a::bigint, b::bigint, value, place
                           FROM (SELECT *, row_number() OVER (PARTITION BY x ORDER BY distance, b, y) AS place FROM keyed
                                 WHERE key_of = %L AND kind = %L AND measure = %L AND distance <= %s * %s) c WHERE place <= %s',
                          c.key_of, c.kind, c.measure, c.threshold, CASE c.measure WHEN 'hamming' THEN 1 ELSE -1 END, k)
            FROM (VALUES (1), (6)) v (k)
            UNION ALL
            SELECT format('SELECT * FROM match_join(%L, %s, %L, %L)',
                          query(c.key_of, c.kind, 0), c.threshold, c.measure, query(c.key_of, c.kind, 1)),
                   format('SELECT * FROM matched(%L, %L, %L, %s)', c.key_of, c.kind, c.measure, c.threshold)
            UNION ALL
            SELECT format('SELECT row_number() OVER (), * FROM topk_join(%L, %s, %L, %L)',
                          query(c.key_of, c.kind, 0), k, c.measure, query(c.key_of, c.kind, 1)),
                   format('SELECT row_number() OVER (ORDER BY distance, a, b), a::bigint, b::bigint, value FROM keyed
                           WHERE key_of = %L AND kind = %L AND measure = %L AND (kind = ''rs'' OR measure = ''containment'' OR a < b)
                           ORDER BY distance, a, b LIMIT %s', c.key_of, c.kind, c.measure, k)
            FROM (VALUES (3), (500)) v (k)
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

-- pairs of equal rows are not stored, before they are matched
CREATE FUNCTION blocks_written(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Temp Written Blocks';
END $$;
SELECT blocks_written($$SELECT count(*) FROM match_join('SELECT i, ''{1,2,3}''::tokenset FROM generate_series(1, 1000) i', 1)$$);
SELECT a, b FROM match_join('SELECT i, ''{1,2,3}''::tokenset FROM generate_series(1, 7) i', 1);

-- groups whose pairs exceed the memory of a pass, which is repeated
\set VERBOSITY terse
SET neardup.join_memory = '128kB';
CREATE TABLE cut AS
SELECT a, b FROM match_join('SELECT i, tokenset(ARRAY[1, 2, 3, 4, 1000 + i * 7 % 120]) FROM generate_series(1, 500) i', 0.5,
                            against => 'SELECT i, tokenset(ARRAY[1, 2, 3, 4, 2000 + i * 7 % 130]) FROM generate_series(1, 490) i');
RESET neardup.join_memory;
\set VERBOSITY default
SELECT count(*), count(*) FILTER (WHERE a = b) FROM cut;

DROP PROCEDURE differing;
DROP FUNCTION matched, query, blocks_written;
DROP VIEW keyed;
DROP TABLE rec, pair, threshold, cut;
