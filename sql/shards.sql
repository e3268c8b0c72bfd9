--
-- Pairs of sets that meet where a token's postings are: with the predicate, the pairs of a nested loop.
--

-- The functions are those of neardup_citus, which cannot be created without Citus.
\set postings `sed 's/MODULE_PATHNAME/$libdir\/neardup/' "$PG_ABS_SRCDIR/src/citus/postings.sql"`
:postings

CREATE TABLE shard_sets AS
SELECT seed, id, t FROM generate_series(1, 12) seed, generate_series(1, 45) id, LATERAL (
    SELECT ARRAY(SELECT (hashint8extended(i + 100 * (CASE WHEN id % 3 = 0 AND i % 7 > 0 THEN id - 1 ELSE id END), seed) & 2147483647) % (10 + seed) * (i % 2)
                        + (hashint8extended(id * i, seed) & 1023) % (30 - seed / 2)
                 FROM generate_series(1, id * seed % 23) i)::int8[]::tokenset AS t) s;

-- All that shards do, by SQL: a list for each token, cut into parts or not.
CREATE FUNCTION shard_join(the_seed int, threshold float8, measure text, bits int, groups int, sides int)
RETURNS TABLE (a bigint, b bigint) LANGUAGE sql AS $$
    WITH frequent AS (
        SELECT array_agg(token ORDER BY n, token) AS tokens
        FROM (SELECT token, count(*) AS n FROM shard_sets, unnest(t) token WHERE seed = the_seed GROUP BY token HAVING count(*) > 2) f),
    meeting AS (
        SELECT id, t, token, "position" FROM shard_sets, frequent, prefix_tokens(t, threshold, measure, tokens) WHERE seed = the_seed
        UNION ALL
        SELECT id, t, 0, 0 FROM shard_sets WHERE seed = the_seed AND measure = 'hamming' AND cardinality(t) BETWEEN 1 AND threshold - 1),
    lists AS (
        SELECT posting_list_agg(id, cardinality(t), "position", tokenset_signature(t, bits), CASE sides WHEN 1 THEN 0 ELSE 1 + id % 2 END,
                                CASE WHEN id % groups < other THEN 1 WHEN id % groups > other THEN 2 ELSE 0 END) AS list
        FROM meeting, generate_series(0, groups - 1) other
        GROUP BY token, "position" = 0, least(id % groups, other), greatest(id % groups, other))
    SELECT DISTINCT p.a, p.b FROM lists, posting_pairs(list, threshold, measure) p
$$;
CREATE FUNCTION shard_predicate(x tokenset, y tokenset, threshold float8, measure text) RETURNS boolean LANGUAGE sql AS $$
    SELECT CASE measure WHEN 'jaccard' THEN jaccard_ge(x, y, threshold) WHEN 'cosine' THEN cosine_ge(x, y, threshold)
                        WHEN 'dice' THEN dice_ge(x, y, threshold) WHEN 'containment' THEN containment_ge(x, y, threshold)
                        WHEN 'overlap' THEN overlap_ge(x, y, threshold::int) WHEN 'hamming' THEN hamming_le(x, y, threshold::int) END
$$;
CREATE TABLE shard_cases AS
SELECT measure, threshold, seed, sides,
       64 << (seed % 4) AS bits, 1 + seed % 3 AS groups
FROM (VALUES ('jaccard', '{0.3,0.5,0.8,1}'::float8[]), ('cosine', '{0.4,0.8}'), ('dice', '{0.5,0.8}'), ('containment', '{0.5,0.9,1}'),
             ('overlap', '{1,4}'), ('hamming', '{0,1,5,12}')) m (measure, thresholds), unnest(thresholds) threshold,
     generate_series(1, 12) seed, generate_series(1, 2) sides;
CREATE TABLE shard_found AS SELECT c.*, p.a, p.b FROM shard_cases c, shard_join(seed, threshold, measure, bits, groups, sides) p;
CREATE TABLE shard_expected AS
SELECT c.*, x.id AS a, y.id AS b
FROM shard_cases c JOIN shard_sets x USING (seed) JOIN shard_sets y USING (seed)
WHERE CASE WHEN sides = 2 THEN x.id % 2 = 0 AND y.id % 2 = 1 WHEN measure = 'containment' THEN x.id <> y.id ELSE x.id < y.id END
  AND shard_predicate(x.t, y.t, threshold, measure);
SELECT measure, sides, count(*) > 100 AS many,
       count(*) FILTER (WHERE NOT EXISTS (SELECT FROM shard_found f WHERE (f.measure, f.threshold, f.seed, f.sides, f.a, f.b) = (e.measure, e.threshold, e.seed, e.sides, e.a, e.b))) AS missing
FROM shard_expected e GROUP BY measure, sides ORDER BY measure, sides;

-- Candidates are pairs a < b of a self-join, left and right of two sides, and not many more than the similar ones.
SELECT count(*) FILTER (WHERE CASE WHEN sides = 2 THEN NOT (a % 2 = 0 AND b % 2 = 1) WHEN measure = 'containment' THEN a = b ELSE a >= b END) AS wrong,
       count(*) < 2 * (SELECT count(*) FROM shard_expected) AS few
FROM shard_found;

-- Simhashes that share a block.
CREATE TABLE shard_values AS
SELECT id, (hashint8extended(id / 4, 1) # CASE id % 4 WHEN 0 THEN 0 ELSE (1::bigint << (id % 61)) | (1::bigint << (id * 7 % 61)) END)::simhash AS v
FROM generate_series(1, 400) id;
WITH found AS (
    SELECT k, p.* FROM generate_series(0, 5) k, LATERAL (
        SELECT posting_list_agg(id, 1, 1, simhash_send(v), 0, 0) AS list FROM shard_values, unnest(simhash_blocks(v, k)) token GROUP BY token) l,
        simhash_posting_pairs(list, k) p)
SELECT count(DISTINCT (k, a, b)) > 1000 AS many,
       (SELECT count(*) FROM (SELECT * FROM found EXCEPT
            SELECT k, x.id, y.id, simhash_distance(x.v, y.v) FROM generate_series(0, 5) k, shard_values x JOIN shard_values y ON x.id < y.id WHERE simhash_within(x.v, y.v, k)) d) AS wrong,
       (SELECT count(*) FROM (SELECT k, x.id, y.id, simhash_distance(x.v, y.v) FROM generate_series(0, 5) k, shard_values x JOIN shard_values y ON x.id < y.id WHERE simhash_within(x.v, y.v, k)
            EXCEPT SELECT * FROM found) d) AS missing
FROM found;

SELECT a, b, distance FROM (SELECT posting_list_agg(key, 1, 1, '\x0000000000000001', side, 0) AS list FROM (VALUES (5, 0), (5, 0), (6, 0)) v (key, side)) l, simhash_posting_pairs(list, 0) AS of_one_table_a_row_is_no_pair;
SELECT a, b, distance FROM (SELECT posting_list_agg(key, 1, 1, '\x0000000000000001', side, 0) AS list FROM (VALUES (5, 1), (5, 2)) v (key, side)) l, simhash_posting_pairs(list, 0) AS of_two_tables;

-- Signatures differ in at most as many bits as the sets in tokens.
SELECT count(*) > 1000 AS pairs,
       count(*) FILTER (WHERE bit_count(('x' || encode(tokenset_signature(x.t, bits), 'hex'))::bit(512) # ('x' || encode(tokenset_signature(y.t, bits), 'hex'))::bit(512))
                        > hamming(x.t, y.t)) AS wrong
FROM shard_sets x JOIN shard_sets y USING (seed), unnest('{64,128,256,512}'::int[]) bits WHERE seed < 5 AND x.id < y.id;
SELECT octet_length(tokenset_signature('{1,2,3}', 64)), tokenset_signature('{}', 128), tokenset_signature_bits(0.8, 'jaccard', 0);
SELECT tokenset_signature_bits(0.8, 'jaccard', 10) <= tokenset_signature_bits(0.8, 'jaccard', 100) AS grows,
       tokenset_signature_bits(0.5, 'jaccard', 100) >= tokenset_signature_bits(0.9, 'jaccard', 100) AS falls;

-- Empty groups, and one posting.
SELECT posting_list_agg(1, 1, 1, '\x0000000000000000', 0, 0) FILTER (WHERE false) IS NULL AS nothing;
SELECT count(*) FROM (SELECT posting_list_agg(1, 1, 1, '\x0000000000000000', 0, 0) AS list) l, posting_pairs(list, '0.8') p;

-- Errors.
\set VERBOSITY terse
SELECT tokenset_signature('{1}', 100);
SELECT tokenset_signature_bits(0.8, 'jaccard', 'NaN');
SELECT tokenset_signature_bits(1.2, 'jaccard', 5);
SELECT posting_list_agg(1, 0, 1, '\x0000000000000000', 0, 0);
SELECT posting_list_agg(1, 3, 4, '\x0000000000000000', 0, 0);
SELECT posting_list_agg(1, 3, 3, '\x00', 0, 0);
SELECT posting_list_agg(1, 3, 3, '\x0000000000000000', 3, 0);
SELECT posting_list_agg(1, 3, 3, '\x0000000000000000', 0, -1);
SELECT posting_list_agg(NULL, 3, 3, '\x0000000000000000', 0, 0);
SELECT posting_list_agg(1, 3, 3, signature, 0, 0) FROM (VALUES ('\x0000000000000000'::bytea), ('\x00000000000000000000000000000000')) v (signature);
SELECT * FROM posting_pairs('\x', 0.8, 'jaccard');
SELECT * FROM posting_pairs('\x0102030405060708', 0.8, 'jaccard');
SELECT posting_pairs(substr(list, 1, 20), 0.8, 'jaccard') FROM (SELECT posting_list_agg(1, 1, 1, '\x0000000000000000', 0, 0) AS list) l;
SELECT posting_pairs(set_byte(list, 24, 7), 0.8, 'jaccard') FROM (SELECT posting_list_agg(1, 1, 1, '\x0000000000000000', 0, 0) AS list) l;
SELECT posting_pairs(list, 0, 'jaccard') FROM (SELECT posting_list_agg(1, 1, 1, '\x0000000000000000', 0, 0) AS list) l;
SELECT simhash_posting_pairs(list, -1) FROM (SELECT posting_list_agg(1, 1, 1, '\x0000000000000000', 0, 0) AS list) l;
DROP TABLE shard_sets, shard_cases, shard_found, shard_expected, shard_values;
DROP FUNCTION shard_join, shard_predicate;
