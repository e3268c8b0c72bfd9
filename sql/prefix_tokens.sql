--
-- Prefixes in a fixed order of tokens: whatever is similar shares a token of them.
--
SELECT * FROM prefix_tokens('{}', 0.8);
SELECT token, "position" FROM prefix_tokens('{1,2,3,4,5}', 0.8, 'jaccard', '{}'), (SELECT) AS once ORDER BY 2;
-- Frequent tokens come last, in their order; the first place of a token counts.
SELECT token, "position" FROM prefix_tokens('{1,2,3,4,5}', '1', 'overlap', '{5,3,1,3}');
SELECT array_agg(token ORDER BY "position") FROM prefix_tokens('{10,20,30,40,50,60,70,80,90,100}', 0.8, 'jaccard', '{10,20,30,40,50,60,70,80,90,100}');
SELECT array_agg(token ORDER BY "position") FROM prefix_tokens('{10,20,30,40,50,60,70,80,90,100}', 0.7, 'jaccard', '{100,90,80,70,60,50,40,30,20,10}');
-- No set is similar, or no token suffices.
SELECT count(*) FROM prefix_tokens('{1,2,3}', 4, 'overlap');
SELECT count(*) FROM prefix_tokens('{1,2,3}', 0.5, 'containment');
SELECT count(*) FROM prefix_tokens('{1,2,3}', 3, 'hamming');
SELECT count(*) FROM prefix_tokens('{1,2,3,4,5,6}', 3, 'hamming');
-- The order is kept between rows, and changes with the frequent tokens.
SELECT f, (SELECT array_agg(token ORDER BY "position") FROM prefix_tokens('{1,2}', 1, 'overlap', f))
FROM (VALUES ('{1,2}'::bigint[]), ('{1,2}'), ('{2,1}'), ('{2}')) AS v (f);
SELECT x, (prefix_tokens(x, 0.9)).* FROM (VALUES ('{7}'::tokenset), ('{8}')) AS v (x);
SELECT prefix_tokens(NULL, 0.8);
-- What is wrong.
SELECT prefix_tokens('{1}', 0);
SELECT prefix_tokens('{1}', 1.5, 'overlap');
SELECT prefix_tokens('{1}', 0.8, 'likeness');
SELECT prefix_tokens('{1}', 0.8, 'jaccard', '{1,NULL}');

-- Of 200 seeds: similar pairs without a common token of their prefixes, against all pairs of the predicate.
-- Thresholds fall on fractions that sets reach exactly. Hamming finds pairs whose sizes exceed the threshold together.
CREATE FUNCTION missed_pairs(seed int) RETURNS TABLE (measure text, missed bigint, similar_pairs bigint) LANGUAGE plpgsql AS $$
DECLARE
    sets tokenset[];
    common bigint[];
BEGIN
    PERFORM setseed(seed / 1000.0);
    sets := ARRAY(SELECT (SELECT array_agg((random() ^ 2 * (3 + seed % 20))::bigint) FROM generate_series(1, (i * seed) % 12 + 1))::tokenset
                  FROM generate_series(1, 24) AS i);
    common := ARRAY(SELECT token FROM unnest(sets) AS x, unnest(x) AS token GROUP BY token HAVING count(*) > seed % 7 ORDER BY count(*), token);
    RETURN QUERY
        WITH t (measure, threshold) AS (VALUES ('jaccard', CASE WHEN seed % 2 = 0 THEN 0.8 ELSE 0.7 END), ('jaccard', 0.5), ('cosine', 0.8),
                                               ('dice', 0.75), ('overlap', 2), ('overlap', 5), ('hamming', 2), ('hamming', 5), ('containment', 0.6)),
        p AS MATERIALIZED (SELECT t.measure, t.threshold::float8 AS threshold, s.i, s.x,
                                  ARRAY(SELECT token FROM prefix_tokens(s.x, t.threshold, t.measure, common)) AS prefix
                           FROM t, unnest(sets) WITH ORDINALITY AS s (x, i))
        SELECT p.measure, count(*) FILTER (WHERE NOT p.prefix && q.prefix), count(*)
        FROM p JOIN p AS q ON q.measure = p.measure AND q.threshold = p.threshold AND p.i < q.i
        WHERE CASE p.measure
            WHEN 'jaccard' THEN jaccard_ge(p.x, q.x, p.threshold) WHEN 'cosine' THEN cosine_ge(p.x, q.x, p.threshold)
            WHEN 'dice' THEN dice_ge(p.x, q.x, p.threshold) WHEN 'containment' THEN containment_ge(p.x, q.x, p.threshold)
            WHEN 'overlap' THEN overlap_ge(p.x, q.x, p.threshold::int)
            ELSE hamming_le(p.x, q.x, p.threshold::int) AND cardinality(p.x) + cardinality(q.x) > p.threshold END
        GROUP BY p.measure;
END $$;
SELECT m.measure, sum(m.missed) AS missed, sum(m.similar_pairs) > 500 AS many
FROM generate_series(1, 200) AS seed, missed_pairs(seed) AS m GROUP BY 1 ORDER BY 1;
DROP FUNCTION missed_pairs;
