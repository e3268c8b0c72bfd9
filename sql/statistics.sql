--
-- What ANALYZE collects of token sets, and the estimates made of it.
--

-- Exact frequencies and sizes: tokens 1 to 4 are in all, a half, a quarter and a tenth of the sets.
CREATE TABLE counted (t tokenset);
INSERT INTO counted
SELECT array_remove(ARRAY[1, CASE WHEN n % 2 = 0 THEN 2 END, CASE WHEN n % 4 = 0 THEN 3 END,
                          CASE WHEN n % 10 = 0 THEN 4 END, 1000 + n], NULL)::int[]::tokenset
FROM generate_series(1, 1000) n;
INSERT INTO counted VALUES (NULL);
ANALYZE counted;
SELECT most_common_elems, most_common_elem_freqs FROM pg_stats WHERE tablename = 'counted';
SELECT elem_count_histogram[1] AS least, elem_count_histogram[50] AS median, elem_count_histogram[100] AS greatest,
       round(elem_count_histogram[101]::numeric, 3) AS average, null_frac > 0 AS nulls
FROM pg_stats WHERE tablename = 'counted';
SELECT histogram_bounds, correlation IS NOT NULL AS correlated, n_distinct FROM pg_stats WHERE tablename = 'counted';

-- No sets, or empty ones alone, leave nothing to list.
CREATE TABLE bare (t tokenset, u tokenset);
ANALYZE bare;
INSERT INTO bare SELECT NULL, '{}' FROM generate_series(1, 10);
ANALYZE bare;
SELECT attname, null_frac, most_common_elems, elem_count_histogram FROM pg_stats WHERE tablename = 'bare' ORDER BY attname;

-- Where memory is short, rare tokens are forgotten and the counts of frequent ones are nearly right.
CREATE TABLE zipf (id int, t tokenset);
SELECT setseed(0.4);
INSERT INTO zipf
SELECT n, array_agg(floor(exp(random() * 10))::int)::tokenset FROM generate_series(1, 4000) n, generate_series(1, 40) GROUP BY n;
SET maintenance_work_mem = '1MB';
ANALYZE zipf;
RESET maintenance_work_mem;
WITH listed AS (
    SELECT e AS token, f AS frequency FROM pg_stats s,
    ROWS FROM (unnest(most_common_elems::text::int8[]), unnest(most_common_elem_freqs)) x (e, f)
    WHERE tablename = 'zipf' AND attname = 't' AND e IS NOT NULL),
counts AS (
    SELECT token, count(*) / 4000.0 AS frequency FROM zipf, unnest(t) AS token GROUP BY token)
SELECT count(*) FILTER (WHERE counts.frequency > 0.02 AND listed.token IS NULL) AS missed,
       count(*) FILTER (WHERE abs(listed.frequency - counts.frequency) > 0.005) AS wrong,
       count(listed.token) > 100 AS many
FROM counts LEFT JOIN listed USING (token);
ANALYZE zipf;

-- Estimates beside what is found.
CREATE FUNCTION estimate(clause text, OUT close boolean, OUT detail text) LANGUAGE plpgsql AS $$
DECLARE plan jsonb; estimated float8; found float8;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) SELECT FROM zipf WHERE ' || clause INTO plan;
    estimated := plan -> 0 -> 'Plan' -> 'Plan Rows';
    found := greatest((plan -> 0 -> 'Plan' ->> 'Actual Rows')::float8, 1);
    close := estimated BETWEEN found / 10 AND found * 10;
    detail := CASE WHEN NOT close THEN estimated || ' for ' || found END;
END $$;
SELECT setseed(0.5);
INSERT INTO zipf SELECT 4000 + n, z.t FROM zipf z, generate_series(1, 30) n WHERE id = 17;
INSERT INTO zipf SELECT 5000 + n, '{}' FROM generate_series(1, 100) n;
ANALYZE zipf;
SELECT clause, e.* FROM (VALUES
    ('jaccard_ge(t, %L, 0.8)'), ('jaccard_ge(%L, t, 1)'), ('cosine_ge(t, %L, 0.9)'), ('dice_ge(t, %L, 0.8)'),
    ('containment_ge(%L, t, 0.9)'), ('containment_ge(t, %L, 1)'), ('overlap_ge(t, %L, 30)'), ('hamming_le(t, %L, 3)'),
    ('t %% %L'), ('t @~ tokenset_query(''dice'', %L, 0.8)'), ('t && %L'), ('t @> %L'), ('t <@ %L'), ('%L @> t'), ('%L <@ t')) c (clause),
    LATERAL estimate(format(clause, (SELECT t FROM zipf WHERE id = 17))) e;
SELECT clause, e.* FROM (VALUES
    ('t && ''{1}'''), ('t && ''{5000}'''), ('t && ''{}'''), ('t @> ''{1,2}'''), ('t @> ''{}'''), ('t <@ ''{}'''), ('t = ''{}'''),
    ('jaccard_ge(t, ''{}'', 0.5)'), ('jaccard_ge(t, NULL, 0.5)'), ('hamming_le(t, ''{1,2}'', 100)'),
    ('overlap_ge(t, ''{1,2,3}'', 1)'), ('overlap_ge(t, ''{1,2,3}'', 4)')) c (clause), LATERAL estimate(clause) e;

-- A constant of frequent tokens that no set resembles is similar to few rows; copies of one set are counted, under each
-- measure, also where no two of them are equal.
CREATE FUNCTION factor(relation text, clause text, OUT within_three boolean, OUT detail text) LANGUAGE plpgsql AS $$
DECLARE plan jsonb; estimated float8; found float8;
BEGIN
    EXECUTE format('EXPLAIN (ANALYZE, TIMING off, FORMAT json) SELECT FROM %I WHERE %s', relation, clause) INTO plan;
    estimated := plan -> 0 -> 'Plan' -> 'Plan Rows';
    found := greatest((plan -> 0 -> 'Plan' ->> 'Actual Rows')::float8, 1);
    within_three := estimated BETWEEN found / 3 AND found * 3;
    detail := CASE WHEN NOT within_three THEN estimated || ' for ' || found END;
END $$;
CREATE FUNCTION json_of(statement text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || statement INTO plan;
    RETURN plan;
END $$;
CREATE TABLE copied (id int, t tokenset);
INSERT INTO copied SELECT n, array_agg(floor(exp(random() * 8))::int)::tokenset FROM generate_series(1, 5000) n, generate_series(1, 30) GROUP BY n;
INSERT INTO copied SELECT 5000 + n, (array_agg(10000 * (1 + n % 5) + k) || (100000 + n) || (200000 + n))::tokenset
FROM generate_series(1, 1000) n, generate_series(1, 18) k GROUP BY n;
ANALYZE copied;
SELECT token_set, threshold, f.* FROM
    (VALUES ('frequent', (SELECT array_agg(n)::tokenset FROM generate_series(1, 30) n)), ('copy', (SELECT t FROM copied WHERE id = 5001)),
            ('single', (SELECT t FROM copied WHERE id = 1))) v (token_set, value),
    (VALUES (0.5), (0.7), (0.9)) x (threshold),
    LATERAL factor('copied', format('jaccard_ge(t, %L, %s)', value, threshold)) f ORDER BY token_set, threshold;
SELECT clause, f.* FROM (VALUES ('cosine_ge(t, %L, 0.8)'), ('dice_ge(%L, t, 0.8)'), ('containment_ge(%L, t, 0.8)'), ('containment_ge(t, %L, 0.8)'),
    ('overlap_ge(t, %L, 15)'), ('hamming_le(t, %L, 6)'), ('t %% %L'), ('t @~ tokenset_query(''jaccard'', %L, 0.7)')) c (clause),
    LATERAL factor('copied', format(clause, (SELECT t FROM copied WHERE id = 5001))) f;

-- Pairs of similar rows are estimated by the families, too; so are rows that are similar to a value that is not known.
SELECT plan -> 0 -> 'Plan' -> 'Plans' -> 0 ->> 'Node Type' AS node,
       (plan -> 0 -> 'Plan' -> 'Plans' -> 0 ->> 'Plan Rows')::float8 BETWEEN 200000 / 3 AND 200000 * 3 AS within_three
FROM json_of('SELECT count(*) FROM copied a JOIN copied b ON jaccard_ge(a.t, b.t, 0.7)') AS plan;
SET plan_cache_mode = force_generic_plan;
PREPARE lookup (tokenset) AS SELECT FROM copied WHERE jaccard_ge(t, $1, 0.7);
SELECT (plan -> 0 -> 'Plan' ->> 'Plan Rows')::float8 BETWEEN 33 / 3 AND 33 * 3 AS within_three FROM json_of('EXECUTE lookup (NULL)') AS plan;
DEALLOCATE lookup;
RESET plan_cache_mode;

-- What is remembered of a column's families is forgotten with its statistics.
DELETE FROM copied WHERE id > 5000;
ANALYZE copied;
SELECT f.* FROM factor('copied', format('jaccard_ge(t, %L, 0.7)', (SELECT array_agg(10000 + k)::tokenset FROM generate_series(1, 18) k))) f;

-- A sequential scan is taken where the index would return nearly all rows.
CREATE INDEX zipf_t ON zipf USING gin (t);
EXPLAIN (COSTS off) SELECT count(*) FROM zipf WHERE containment_ge(t, '{1,2,3,4,5}', 0.9);
EXPLAIN (COSTS off) SELECT count(*) FROM zipf WHERE hamming_le(t, '{1,2,3}', 40);
EXPLAIN (COSTS off) SELECT count(*) FROM zipf WHERE overlap_ge(t, '{1,2,3,4,5}', 1);

DROP TABLE counted, bare, zipf, copied;
DROP FUNCTION estimate, factor, json_of;
