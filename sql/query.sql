--
-- The type tokenset_query and its operator @~: a predicate with one of its sets.
--

-- The text form puts x first, but where containment tells the sides apart.
SELECT 'jaccard(x, {3,1,2}) >= 0.8'::tokenset_query, ' cosine ( {2} , x ) >= .50 '::tokenset_query AS cosine,
       'containment({1,2}, x) >= 0.5'::tokenset_query AS value_first, 'containment(x, {1,2}) >= 1'::tokenset_query AS x_first,
       'hamming({1}, x) <= 3'::tokenset_query AS hamming, 'overlap(x, {}) >= 1'::tokenset_query AS empty;
SELECT tokenset_query('dice', '{1,2}', 0.7), tokenset_query('containment', '{1,2}', 0.5, true),
       tokenset_query('overlap', '{1,2}', 2, true), tokenset_query('jaccard', NULL, 0.5) IS NULL AS "null";

-- What comparisons need beyond the predicates: a threshold that all sets reach, and hamming with empty sets.
SELECT 'jaccard(x, {1}) >= -Infinity'::tokenset_query, 'hamming({}, x) <= inf'::tokenset_query AS hamming, 'difference(x, {1}) <= 3'::tokenset_query AS with_empty,
       tokenset_query('difference', '{1}', 2), tokenset_query('containment', '{1}', '-Infinity', true) AS value_first,
       heaviest_tokens_query('idf_jaccard', '{1,2}', '-Infinity', '{*:1}') AS weighted;

-- What is malformed is an error, and so is a threshold out of its range.
\set VERBOSITY terse
SELECT ''::tokenset_query;
SELECT 'resemblance(x, {1}) >= 0.8'::tokenset_query;
SELECT 'jaccard x, {1}) >= 0.8'::tokenset_query;
SELECT 'jaccard(y, {1}) >= 0.8'::tokenset_query;
SELECT 'jaccard(x, x) >= 0.8'::tokenset_query;
SELECT 'jaccard({1}, {2}) >= 0.8'::tokenset_query;
SELECT 'jaccard(x, {1) >= 0.8'::tokenset_query;
SELECT 'jaccard(x, {1}) <= 0.8'::tokenset_query;
SELECT 'hamming(x, {1}) >= 2'::tokenset_query;
SELECT 'jaccard(x, {1}) >= 0.8 or so'::tokenset_query;
SELECT 'jaccard(x, {1}) >= 0'::tokenset_query;
SELECT 'overlap(x, {1}) >= 1.5'::tokenset_query;
SELECT tokenset_query('jaccard', '{1}', 'NaN');
SELECT tokenset_query('jaccard', '{1}', 'Infinity');
SELECT tokenset_query('jaccard', '{1}', 0);
SELECT tokenset_query('hamming', '{1}', '-Infinity');
SELECT tokenset_query('difference', '{1}', 0.5);
SELECT tokenset_query('edit', '{1}', 2);
SELECT heaviest_tokens_query('idf_cosine', '{1,2}', 0, '{*:1}');
SELECT tokenset_query('resemblance', '{1}', 0.5);
\set VERBOSITY default

-- The binary form there and back, and what recv refuses.
CREATE TEMP TABLE queries (id int, q tokenset_query);
INSERT INTO queries
SELECT row_number() OVER (), tokenset_query(m, t, 1, f)
FROM unnest('{jaccard,cosine,dice,overlap,hamming,containment}'::text[]) m,
     unnest('{"{}","{-5,7}"}'::tokenset[]) t, unnest('{f,t}'::bool[]) f;
INSERT INTO queries SELECT 100, q
FROM unnest('{"jaccard(x, {1}) >= -Infinity","containment({1}, x) >= -Infinity","hamming(x, {}) <= Infinity","difference(x, {1}) <= 3","difference(x, {}) <= Infinity","edit(x, {1}) <= Infinity"}'::tokenset_query[]) q;
CREATE FUNCTION pg_temp.receive(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    file text := current_setting('data_directory') || '/tokenset_query.bin';
    head bytea := '\x5047434f50590aff0d0a00' || '\x00000000'::bytea || '\x00000000' || '\x0001';
    large oid := lo_from_bytea(0, head || int4send(length(bytes)) || bytes || '\xffff');
BEGIN
    PERFORM lo_export(large, file), lo_unlink(large);
    CREATE TEMP TABLE IF NOT EXISTS received (q tokenset_query);
    TRUNCATE received;
    EXECUTE format('COPY received FROM %L (FORMAT binary)', file);
    RETURN (SELECT q::text FROM received);
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
SET client_min_messages = warning;
SELECT count(*) AS queries, count(*) FILTER (WHERE pg_temp.receive(tokenset_query_send(q)) <> q::text) AS differing FROM queries;
SELECT tokenset_query_send('jaccard(x, {1}) >= 0.5');
SELECT what, pg_temp.receive(bytes) FROM (VALUES
    ('version', '\x02006a61636361726400'::bytea || float8send(0.5) || tokenset_send('{1}')),
    ('side', '\x01016a61636361726400' || float8send(0.5) || tokenset_send('{1}')),
    ('measure', '\x01006a61636361726500' || float8send(0.5) || tokenset_send('{1}')),
    ('measure without an end', '\x01006a616363617264'),
    ('threshold', '\x01006a61636361726400' || float8send('NaN') || tokenset_send('{1}')),
    ('infinite threshold', '\x01006a61636361726400' || float8send('Infinity') || tokenset_send('{1}')),
    ('no set', '\x01006a61636361726400' || float8send(0.5)),
    ('short set', '\x01006a61636361726400' || float8send(0.5) || '\x0100000002' || int8send(1)),
    ('order', '\x01006a61636361726400' || float8send(0.5) || '\x0100000002' || int8send(2) || int8send(1)),
    ('right', '\x01006a61636361726400' || float8send(0.5) || tokenset_send('{1}'))) v (what, bytes);
RESET client_min_messages;

-- The operator is the predicate, in both orders of containment, with empty sets too.
CREATE TEMP TABLE sets (t tokenset);
SELECT setseed(0.3);
INSERT INTO sets
SELECT (coalesce(array_agg(floor(random() * 12)::int) FILTER (WHERE x > 0), '{}'))::tokenset
FROM generate_series(1, 60) id, generate_series(0, id % 9) x GROUP BY id;
INSERT INTO sets VALUES ('{}');
SELECT count(*) AS comparisons,
       count(*) FILTER (WHERE (x.t @~ tokenset_query('jaccard', y.t, p)) <> jaccard_ge(x.t, y.t, p)) AS jaccard,
       count(*) FILTER (WHERE (x.t @~ tokenset_query('cosine', y.t, p)) <> cosine_ge(x.t, y.t, p)) AS cosine,
       count(*) FILTER (WHERE (x.t @~ tokenset_query('dice', y.t, p)) <> dice_ge(x.t, y.t, p)) AS dice,
       count(*) FILTER (WHERE (x.t @~ tokenset_query('containment', y.t, p)) <> containment_ge(x.t, y.t, p)) AS containment,
       count(*) FILTER (WHERE (x.t @~ tokenset_query('containment', y.t, p, true)) <> containment_ge(y.t, x.t, p)) AS value_first,
       count(*) FILTER (WHERE (x.t @~ tokenset_query('overlap', y.t, n)) <> overlap_ge(x.t, y.t, n)) AS overlap,
       count(*) FILTER (WHERE (x.t @~ tokenset_query('hamming', y.t, n)) <> hamming_le(x.t, y.t, n)) AS hamming
FROM sets x, sets y, (VALUES (0.25, 1), (0.5, 2), (0.6, 3), (1, 5)) v (p, n);
SELECT tokenset_matches('{1,2}', 'jaccard(x, {2,1}) >= 1'), NULL::tokenset @~ 'jaccard(x, {1}) >= 1' IS NULL AS "null";
