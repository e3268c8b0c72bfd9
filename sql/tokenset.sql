--
-- The tokenset type: input and output, set algebra, order and hash.
-- The oracle is int8[] with plain SQL.
--

-- Text form: any order, repetitions and blanks; ascending and distinct on output.
SELECT tokenset '{99,-12,7}', tokenset ' { 3 ,3,	3 , +1 } ', tokenset '{}' AS empty, tokenset ' { } ' AS blank;
SELECT tokenset '{9223372036854775807,-9223372036854775808,0,-0,007}';

-- What is malformed is refused.
SELECT tokenset '';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '1,2';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '{1,2';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '{1,,2}';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '{1,2,}';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '{,}';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '{1 2}';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '{1}2';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '{1.5}';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '{-}';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '{éa}';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '{NULL}';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '{9223372036854775808}';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '{-9223372036854775809}';
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset '{1,100000000000000000000000000000000000000}';
\echo :LAST_ERROR_SQLSTATE
-- a long input is quoted in part
SELECT (repeat('é', 300))::tokenset;
\echo :LAST_ERROR_SQLSTATE

-- Binary form: version, count, tokens in network order.
SELECT tokenset_send('{-1,1,258}'), tokenset_send('{}');

-- Random sets, the larger ones out of line.
CREATE TEMP TABLE sets (id int, a int8[], t tokenset);
SELECT setseed(0.42);
INSERT INTO sets
SELECT id, a, a::text::tokenset
FROM (SELECT id, coalesce((SELECT array_agg(DISTINCT x ORDER BY x)
                           FROM (SELECT floor(random() * 24)::int8 - 12 AS x
                                 FROM generate_series(1, id % 14) WHERE id > 0) s), '{}') AS a
      FROM generate_series(0, 119) id) s;
INSERT INTO sets
SELECT 1000 + n, a, a::text::tokenset
FROM (SELECT n, array_agg(DISTINCT hashint8extended(x % (n * 40), 5) ORDER BY hashint8extended(x % (n * 40), 5)) AS a
      FROM generate_series(1, 8) n, generate_series(1, 100000, 7) x GROUP BY n) s;

SELECT count(*) AS sets, count(*) FILTER (WHERE t::int8[] <> a) AS differing,
       count(*) FILTER (WHERE t::text <> a::text) AS differing_text,
       count(*) FILTER (WHERE cardinality(t) <> cardinality(a)) AS differing_size,
       count(*) FILTER (WHERE ARRAY(SELECT unnest(t)) <> a) AS differing_rows
FROM sets;

-- Binary copy out and in gives the same sets.
DO $$
DECLARE
    file text := current_setting('data_directory') || '/neardup_tokenset.copy';
BEGIN
    EXECUTE format('COPY sets TO %L (FORMAT binary)', file);
    CREATE TEMP TABLE copied (LIKE sets);
    EXECUTE format('COPY copied FROM %L (FORMAT binary)', file);
END $$;
SELECT count(*) AS sets, count(*) FILTER (WHERE s.t IS DISTINCT FROM c.t) AS differing
FROM sets s LEFT JOIN copied c USING (id);

-- Receiving trusts nothing: files of one row, one column.
CREATE TEMP TABLE received (t tokenset);
CREATE FUNCTION receive(field bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    file text := current_setting('data_directory') || '/neardup_tokenset.copy';
    lo oid;
    detail text;
BEGIN
    lo := lo_from_bytea(0, '\x5047434f50590aff0d0a00'::bytea || int4send(0) || int4send(0) ||
                           int2send(1::int2) || int4send(length(field)) || field || int2send((-1)::int2));
    PERFORM lo_export(lo, file);
    PERFORM lo_unlink(lo);
    EXECUTE format('COPY received FROM %L (FORMAT binary)', file);
    RETURN (SELECT string_agg(t::text, ' ') FROM received);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN sqlstate || ' ' || sqlerrm || ': ' || detail;
END $$;
SELECT name, receive(field)
FROM (VALUES (1, 'right', tokenset_send('{-5,6}')),
             (2, 'no bytes', ''),
             (3, 'version', '\x0200000000'),
             (4, 'negative count', '\x01ffffffff'),
             (5, 'huge count', '\x017fffffff' || int8send(1)),
             (6, 'count below', '\x0100000001' || int8send(1) || int8send(2)),
             (7, 'half a token', '\x0100000001' || int4send(1)),
             (8, 'repeated', '\x0100000002' || int8send(1) || int8send(1)),
             (9, 'descending', '\x0100000002' || int8send(1) || int8send(-1))) v (n, name, field)
ORDER BY n;
DROP FUNCTION receive;

-- A value of unknown version is refused wherever it is read. Here it is a path, which has the number of its points
-- where a tokenset has its version: another one by either byte order. Weights have the same version in that place.
CREATE CAST (token_weights AS tokenset) WITHOUT FUNCTION;
SELECT cardinality(token_weights '{*:1}'::tokenset) > 0 AS version_1;
DROP CAST (token_weights AS tokenset);
CREATE CAST (path AS tokenset) WITHOUT FUNCTION;
\set VERBOSITY sqlstate
SELECT path '((0,0),(1,1))'::tokenset;
SELECT cardinality(path '((0,0),(1,1))'::tokenset);
SELECT unnest(path '((0,0),(1,1))'::tokenset);
SELECT overlap_ge('{1}', path '((0,0),(1,1))'::tokenset, 1);
\set VERBOSITY default
DROP CAST (path AS tokenset);
DO $$
BEGIN
    EXECUTE format('COPY (SELECT WHERE false) TO PROGRAM %L',
                   'rm "' || current_setting('data_directory') || '/neardup_tokenset.copy"');
END $$;

-- Casts: to int8[] on assignment, lossless.
CREATE TEMP TABLE arrays (a int8[]);
INSERT INTO arrays SELECT tokenset '{3,1,2}';
TABLE arrays;
SELECT tokenset '{}'::int8[];

-- Each operator against the same on arrays, for all pairs.
WITH pairs AS (
    SELECT x.t AS t, y.t AS u, x.a AS a, y.a AS b,
           ARRAY(SELECT unnest(x.a) UNION SELECT unnest(y.a) ORDER BY 1) AS united,
           ARRAY(SELECT unnest(x.a) INTERSECT SELECT unnest(y.a) ORDER BY 1) AS common,
           ARRAY(SELECT unnest(x.a) EXCEPT SELECT unnest(y.a) ORDER BY 1) AS rest
    FROM sets x, sets y)
SELECT count(*) AS pairs,
       count(*) FILTER (WHERE (t | u)::int8[] <> united) AS "|",
       count(*) FILTER (WHERE (t & u)::int8[] <> common) AS "&",
       count(*) FILTER (WHERE (t - u)::int8[] <> rest) AS "-",
       count(*) FILTER (WHERE (t && u) <> (a && b)) AS "&&",
       count(*) FILTER (WHERE (t @> u) <> (a @> b)) AS "@>",
       count(*) FILTER (WHERE (t <@ u) <> (a <@ b)) AS "<@",
       count(*) FILTER (WHERE (t = u) <> (a = b)) AS "=",
       count(*) FILTER (WHERE (t <> u) <> (a <> b)) AS "<>",
       count(*) FILTER (WHERE (t < u) <> (a < b)) AS "<",
       count(*) FILTER (WHERE (t <= u) <> (a <= b)) AS "<=",
       count(*) FILTER (WHERE (t > u) <> (a > b)) AS ">",
       count(*) FILTER (WHERE (t >= u) <> (a >= b)) AS ">=",
       count(*) FILTER (WHERE tokenset_cmp(t, u) <> btarraycmp(a, b)) AS cmp,
       count(*) FILTER (WHERE a = b AND tokenset_hash(t) <> tokenset_hash(u)) AS hash
FROM pairs;

-- The empty set.
SELECT tokenset '{}' <@ '{}' AS "<@", tokenset '{}' <@ '{1}' AS "<@1", tokenset '{1}' @> '{}' AS "@>",
       tokenset '{}' && '{1}' AS "&&", tokenset '{}' && '{}' AS "&&0", tokenset '{}' = '{}' AS "=",
       tokenset '{}' < '{-9223372036854775808}' AS "<", tokenset '{}' | '{}' AS "|", tokenset '{1}' - '{1}' AS "-";

-- Hashes are fixed for ever; with seed 0 the low half is the plain hash.
SELECT tokenset_hash('{}'), tokenset_hash('{1,2,3}'), tokenset_hash_extended('{1,2,3}', 0),
       tokenset_hash_extended('{1,2,3}', 42);
SELECT count(*) FILTER (WHERE tokenset_hash_extended(t, 0) & 4294967295 <> tokenset_hash(t)::int8 & 4294967295) AS differing
FROM sets;

-- B-tree and hash at work.
SELECT (SELECT count(*) FROM (SELECT DISTINCT t FROM sets) s) = (SELECT count(*) FROM (SELECT DISTINCT a FROM sets) s) AS "distinct",
       (SELECT array_agg(t::int8[]::text ORDER BY t, id) FROM sets) = (SELECT array_agg(a::text ORDER BY a, id) FROM sets) AS ordered;
SET enable_sort = off;
SELECT count(*) FILTER (WHERE s.n <> r.n) AS differing
FROM (SELECT t, count(*) AS n FROM sets GROUP BY t) s
JOIN (SELECT a, count(*) AS n FROM sets GROUP BY a) r ON s.t::int8[] = r.a;
RESET enable_sort;
SET enable_nestloop = off;
SET enable_mergejoin = off;
EXPLAIN (COSTS off) SELECT count(*) FROM sets x JOIN sets y ON x.t = y.t;
SELECT (SELECT count(*) FROM sets x JOIN sets y ON x.t = y.t) = (SELECT count(*) FROM sets x JOIN sets y ON x.a = y.a) AS hash_join;
RESET enable_mergejoin;
SET enable_hashjoin = off;
SELECT (SELECT count(*) FROM sets x JOIN sets y ON x.t = y.t) = (SELECT count(*) FROM sets x JOIN sets y ON x.a = y.a) AS merge_join;
RESET enable_hashjoin;
RESET enable_nestloop;

CREATE TEMP TABLE small AS SELECT DISTINCT ON (t) t, id FROM sets WHERE id < 1000;
CREATE UNIQUE INDEX small_t ON small (t);
SET enable_seqscan = off;
EXPLAIN (COSTS off) SELECT t FROM small WHERE t BETWEEN '{-12}' AND '{-11}' ORDER BY t;
SELECT count(*) = (SELECT count(*) FROM small WHERE t::int8[] BETWEEN '{-12}' AND '{-11}') AS range_scan
FROM small WHERE t BETWEEN '{-12}' AND '{-11}';
INSERT INTO small SELECT t FROM small LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
DROP INDEX small_t;
CREATE INDEX ON small USING hash (t);
EXPLAIN (COSTS off) SELECT id FROM small WHERE t = '{}';
SELECT id FROM small WHERE t = '{}';
RESET enable_seqscan;

-- A hash-partitioned table takes the extended hash.
CREATE TEMP TABLE parted (t tokenset) PARTITION BY HASH (t);
CREATE TEMP TABLE parted0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TEMP TABLE parted1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parted SELECT t FROM sets;
SELECT (SELECT count(*) FROM parted) = (SELECT count(*) FROM sets) AS "all",
       (SELECT count(*) FROM parted0) > 0 AND (SELECT count(*) FROM parted1) > 0 AS both_parts;

-- Every function takes unknown literals, but for the two that overload one of
-- PostgreSQL's own, which then need a type.
SELECT tokenset_union('{1}', '{2}'), tokenset_intersection('{1,2}', '{2}'), tokenset_difference('{1,2}', '{2}'),
       tokenset_overlaps('{1}', '{2}'), tokenset_contains('{1,2}', '{2}'), tokenset_contained('{1,2}', '{2}'),
       tokenset_eq('{1}', '{2}'), tokenset_ne('{1}', '{2}'), tokenset_lt('{1}', '{2}'), tokenset_le('{1}', '{2}'),
       tokenset_gt('{1}', '{2}'), tokenset_ge('{1}', '{2}'), tokenset_cmp('{1}', '{2}'), tokenset_to_array('{2,1}');
\set VERBOSITY sqlstate
SELECT cardinality('{1}');
SELECT unnest('{1}');
\set VERBOSITY default
SELECT cardinality(tokenset '{1,5}'), ARRAY(SELECT unnest(tokenset '{5,1}')), ARRAY(SELECT unnest(tokenset '{}'));

-- NULL in, NULL out.
SELECT tokenset_union(NULL, '{1}') IS NULL AND (NULL::tokenset && '{1}') IS NULL
       AND cardinality(NULL::tokenset) IS NULL AND NULL::tokenset::int8[] IS NULL AS "null";

-- Every object has a comment, and what is parallel safe says so.
SELECT objid::regprocedure FROM pg_depend
WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'neardup')
  AND deptype = 'e' AND classid = 'pg_proc'::regclass
  AND (obj_description(objid, 'pg_proc') IS NULL
       OR (SELECT proparallel <> 's' FROM pg_proc p WHERE p.oid = objid AND prosrc LIKE 'tokenset%'));
SELECT objid::regoperator FROM pg_depend
WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'neardup')
  AND deptype = 'e' AND classid = 'pg_operator'::regclass AND obj_description(objid, 'pg_operator') IS NULL;
