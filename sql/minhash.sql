--
-- The minhash type: known values, estimates, unions, forms, order and hash.
-- Known values were computed by another program from the documented formulas.
--

-- Known values.
SELECT minhash(tokenset '{1,2,3}', 8)::int8[] = '{1048502269,293354354,3213319940,1051664132,594533656,338659064,1497048199,293135864}' AS of_small_integers,
       minhash('{-5,0,9223372036854775807}', 6, seed => -7)::int8[] = '{816850952,1032375435,1863418976,2072843979,343838863,2452946736}' AS of_another_seed,
       minhash('{1,2,3}', 8, 3)::int8[] = '{5,2,4,4,0,0,7,0}' AS three_bits,
       md5(array_to_string(minhash(tokenset(ARRAY(SELECT generate_series(1, 1000))), 256, seed => 42)::int8[], ',')) = '2b61e2a926452d54b71e76e026f63294' AS of_a_thousand,
       minhash(tokenset '{1,2,3}') = minhash('{1,2,3}', 128, 32, 1) AS by_default;
SELECT minhash_datasketch(string_to_array('minhash is a probabilistic data structure for estimating the similarity between datasets', ' '), 8, scheme => 'legacy')::int8[]
       = '{297616339,279951299,113505080,311917730,1735256,278730948,249258812,306660385}' AS datasketch_legacy,
       minhash_datasketch('{Ä,b}', 5, 4294967295, 'legacy')::int8[] = '{588995107,3115584625,1371922059,104379909,896152026}' AS of_another_seed,
       md5(array_to_string(minhash_datasketch(ARRAY(SELECT i::text FROM generate_series(1, 300) i), scheme => 'legacy')::int8[], ',')) = 'bdedc29a3438f731c449a6f6e9e8e6ae' AS of_128;
-- The first value is what datasketch 2.0.0 gives, as crates/pari-core/testdata/datasketch_v2_affine.json of
-- github.com/dipeshbabu/pari (commit d00b404c) records it; the others were computed by another program.
SELECT minhash_datasketch('{a,b,c}', 8, 42)::int8[] = '{412266182,1538752921,2188347453,533206133,128775433,483401231,2045031170,437450263}' AS datasketch_affine32,
       minhash_datasketch('{Ä,b}', 5, 4294967295)::int8[] = '{3184523754,1937254966,2047150736,1732873523,884988928}' AS of_another_seed,
       md5(array_to_string(minhash_datasketch(ARRAY(SELECT i::text FROM generate_series(1, 300) i))::int8[], ',')) = 'bf3f6eeb4fac29aa4b2d69793f132872' AS of_128,
       minhash_datasketch('{a}') = minhash_datasketch('{a}', scheme => 'affine32') AS by_default;
-- Calls with different schemes, numbers of components and seeds in turn have the functions of each.
SELECT count(*) AS sketches, count(DISTINCT minhash_datasketch('{a,b}', k, seed, scheme)::int8[]) AS different,
       count(*) FILTER (WHERE minhash_profile(minhash_datasketch('{a,b}', k, seed, scheme)) <> 'datasketch-' || scheme) AS of_another_profile
FROM generate_series(1, 3) seed, generate_series(3, 4) k, unnest('{affine32,legacy}'::text[]) scheme;
SELECT minhash_hash_extended(minhash(tokenset '{1,2,3}', 4), 0) & 4294967295 = minhash_hash(minhash(tokenset '{1,2,3}', 4))::bit(32)::bigint AS hash_halves;

-- A smaller sketch is the beginning of a larger one; b bits are the lowest ones.
SELECT count(*) AS sketches,
       count(*) FILTER (WHERE (minhash(t, 300, seed => s)::int8[])[:k] <> minhash(t, k, seed => s)::int8[]) AS not_a_beginning,
       count(*) FILTER (WHERE ARRAY(SELECT c & ((1::int8 << b) - 1) FROM unnest(minhash(t, k, seed => s)::int8[]) WITH ORDINALITY u (c, i) ORDER BY i)
                              <> minhash(t, k, b, s)::int8[]) AS not_the_lowest
FROM (VALUES (tokenset '{7}'), ('{-1,5,900}')) v (t), unnest(ARRAY[1, 31, 32, 33, 100]) k, generate_series(1, 32) b, unnest('{1,-9}'::int8[]) s;

-- Estimates are the share of equal components, corrected for b bits.
CREATE TABLE mh_sets AS
    SELECT i AS id, tokenset(ARRAY(SELECT (i / 5) * 100 + (j * j * (1 + i % 5)) % 97 FROM generate_series(1, 5 + i % 60) j)) AS t
    FROM generate_series(1, 200) i;
SELECT count(*) AS pairs,
       count(*) FILTER (WHERE jaccard_estimate(a, b) <> (SELECT count(*) FROM unnest(a::int8[], b::int8[]) u (x, y) WHERE x = y) / 64.0) AS differing,
       count(*) FILTER (WHERE a <%> b <> 1 - jaccard_estimate(a, b)) AS distances
FROM (SELECT minhash(x.t, 64) AS a, minhash(y.t, 64) AS b FROM mh_sets x, mh_sets y WHERE x.id % 3 = 0 AND y.id BETWEEN x.id - 4 AND x.id) s;
SELECT bits, count(*) AS pairs,
       count(*) FILTER (WHERE abs(jaccard_estimate(a, b)
           - ((SELECT count(*) FROM unnest(a::int8[], b::int8[]) u (x, y) WHERE x = y) / 64.0 - 2.0 ^ -bits) / (1 - 2.0 ^ -bits)) > 1e-12) AS differing
FROM unnest('{1,2,5,8,31}'::int[]) bits,
     LATERAL (SELECT minhash(x.t, 64, bits) AS a, minhash(y.t, 64, bits) AS b FROM mh_sets x, mh_sets y WHERE x.id % 9 = 0 AND y.id BETWEEN x.id - 4 AND x.id) s
GROUP BY bits ORDER BY bits;

-- The empty set: similar to nothing, itself included; no part of a union.
SELECT minhash(tokenset '{}', 4) AS empty, minhash('{}', 4, 2) AS empty_b, minhash_datasketch('{}', 4) AS empty_datasketch;
SELECT jaccard_estimate(minhash(tokenset '{}'), minhash(tokenset '{}')) AS both, jaccard_estimate(minhash(tokenset '{}'), minhash(tokenset '{1}')) AS one,
       jaccard_estimate(minhash('{}', 64, 1), minhash('{1}', 64, 1)) AS one_b, minhash(tokenset '{}') <%> minhash(tokenset '{}') AS distance,
       minhash(tokenset '{}') | minhash(tokenset '{1}') = minhash(tokenset '{1}') AS united, minhash(tokenset '{1}') | minhash(tokenset '{}') = minhash(tokenset '{1}') AS commuted,
       minhash(tokenset '{}') | minhash(tokenset '{}') = minhash(tokenset '{}') AS both_empty;

-- The sketch of a union is the union of the sketches, by | and by the aggregate, serial and parallel.
SELECT count(*) FILTER (WHERE minhash(x.t) | minhash(y.t) <> minhash(x.t | y.t)) AS differing FROM mh_sets x, mh_sets y WHERE x.id < y.id AND x.id % 10 = 1;
SELECT minhash_union_agg(minhash(t)) = minhash(tokenset_union_agg(t)) AS all_sets,
       minhash_union_agg(minhash(t)) FILTER (WHERE id < -1) IS NULL AS none,
       minhash_union_agg(minhash(t | '{}', 32) ORDER BY id DESC) = minhash_union_agg(minhash(t, 32) ORDER BY id) AS ordered
FROM (SELECT id, t FROM mh_sets UNION ALL SELECT 0, NULL UNION ALL SELECT -1, '{}') s;
SELECT count(*) FILTER (WHERE g.u <> minhash(g.t)) AS differing_groups
FROM (SELECT id % 7 AS g, minhash_union_agg(minhash(t)) AS u, tokenset_union_agg(t) AS t FROM mh_sets GROUP BY 1) g;
SELECT count(*) FILTER (WHERE w.u <> minhash((SELECT tokenset_union_agg(t) FROM mh_sets i WHERE i.id <= w.id))) AS differing_in_window
FROM (SELECT id, minhash_union_agg(minhash(t)) OVER (ORDER BY id) AS u FROM mh_sets) w;
CREATE TABLE mh_sketches AS SELECT id, minhash(t) AS s FROM mh_sets, generate_series(1, 50);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS off) SELECT minhash_union_agg(s) FROM mh_sketches;
SELECT minhash_union_agg(s) = (SELECT minhash(tokenset_union_agg(t)) FROM mh_sets) AS parallel_is_serial FROM mh_sketches;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- Sketches of different kinds are not compared.
\set VERBOSITY terse
SELECT jaccard_estimate(minhash(tokenset '{1}', 128), minhash(tokenset '{1}', 64));
SELECT jaccard_estimate(minhash(tokenset '{1}', 128, seed => 1), minhash(tokenset '{1}', 128, seed => 2));
SELECT jaccard_estimate(minhash(tokenset '{1}'), minhash('{1}', 128, 8));
SELECT minhash_datasketch('{a}') <%> minhash(tokenset '{}');
SELECT minhash_datasketch('{a}') <%> minhash_datasketch('{a}', scheme => 'legacy');
SELECT minhash_datasketch('{a}', 4) | minhash_from_array(minhash_datasketch('{a}', 4)::int8[], 32, 1, 'datasketch-legacy');
SELECT minhash(tokenset '{1}', 16) | minhash(tokenset '{1}', 17);
SELECT minhash_union_agg(minhash(tokenset '{1}', k)) FROM generate_series(1, 2) k;
SELECT minhash('{1}', 16, 8) | minhash('{2}', 16, 8);
SELECT minhash_union_agg(minhash('{1}', 16, 8)) FROM generate_series(1, 2);
\set VERBOSITY default
SELECT jaccard_estimate(minhash(tokenset '{1}', 4, seed => 1), minhash_datasketch('{a}', 5, 9));
\echo :LAST_ERROR_SQLSTATE

-- Arguments out of range.
SELECT minhash(tokenset '{1}', 0);
\echo :LAST_ERROR_SQLSTATE
SELECT minhash(tokenset '{1}', 16385);
SELECT minhash('{1}', 8, 0);
SELECT minhash('{1}', 8, 33);
SELECT minhash_datasketch('{a}', 8, -1);
SELECT minhash_datasketch('{a}', 8, 4294967296);
SELECT minhash_datasketch('{a,NULL}', 8);
SELECT minhash_datasketch('{a}', 8, 1, 'affine64');
SELECT minhash_datasketch('{a}', 8, 1, 'Legacy');
SELECT minhash_from_array('{1,2}', 32, 1, 'datasketch');
SELECT minhash_from_array('{1,2}', 32, 1, 'other');
SELECT minhash_from_array('{1,4294967296}');
SELECT minhash_from_array('{1,8}', 3, 1, 'neardup');
SELECT minhash_from_array('{}');
SELECT minhash_from_array('{1,NULL}');
SELECT minhash(NULL::tokenset) IS NULL AS null_for_null, minhash_k(minhash(tokenset '{1}', 16384)) AS greatest_k;

-- Arrays, and what a sketch is made by.
SELECT minhash_from_array(s::int8[], minhash_bits(s), minhash_seed(s), minhash_profile(s)) = s AS same_sketch, minhash_k(s), minhash_bits(s), minhash_seed(s), minhash_profile(s)
FROM (VALUES (minhash(tokenset '{1,2}', 5, seed => -3)), (minhash('{1,2}', 9, 5)), (minhash_datasketch('{a,b}', 3)), (minhash_datasketch('{a,b}', 3, 1, 'legacy')), (minhash(tokenset '{}', 2))) v (s);
SELECT '{3,1,2}'::int8[]::minhash AS external, '{4294967295,4294967295}'::int8[]::minhash AS empty, minhash(tokenset '{}', 2)::int8[] AS components,
       jaccard_estimate('{3,1,2,9}'::int8[]::minhash, '{3,0,2,8}'::int8[]::minhash);

-- The text form.
SELECT minhash 'neardup k=2 bits=32 seed=-1 {0,4294967295}', minhash ' datasketch-legacy  k=1	bits=1 seed=9223372036854775807 { 1 } ', minhash 'external k=3 bits=7 seed=0 {}', minhash 'datasketch-affine32 k=1 bits=32 seed=1 {5}';
SELECT minhash 'neardup k=2 bits=32 seed=1 {4294967295,4294967295}' = minhash(tokenset '{}', 2) AS empty;
SELECT count(*) FILTER (WHERE s::text::minhash <> s) AS differing
FROM mh_sets, LATERAL (VALUES (minhash(t, 9)), (minhash(t, 33, 1)), (minhash(t, 70, 11)), (minhash(t, 3, 31))) v (s);
SELECT minhash '{1,2,3}';
\set VERBOSITY terse
SELECT minhash '';
SELECT minhash 'other k=1 bits=32 seed=1 {1}';
SELECT minhash 'datasketch k=1 bits=32 seed=1 {1}';
SELECT minhash 'neardup k=0 bits=32 seed=1 {}';
SELECT minhash 'neardup k=16385 bits=32 seed=1 {}';
SELECT minhash 'neardup k=1 bits=33 seed=1 {1}';
SELECT minhash 'neardup k=1 bits=32 seed=9223372036854775808 {1}';
SELECT minhash 'neardup k=2 bits=32 seed=1 {1}';
SELECT minhash 'neardup k=1 bits=32 seed=1 {1,2}';
SELECT minhash 'neardup k=1 bits=32 seed=1 {4294967296}';
SELECT minhash 'neardup k=1 bits=3 seed=1 {8}';
SELECT minhash 'neardup k=1 bits=32 seed=1 {-1}';
SELECT minhash 'neardup k=1 bits=32 seed=1 {+1}';
SELECT minhash 'neardup k=1 bits=32 seed=1 {1';
SELECT minhash 'neardup k=1 bits=32 seed=1 {1}x';
SELECT minhash 'neardup k=1 bits=32 {1}';
\echo :LAST_ERROR_SQLSTATE
\set VERBOSITY default

-- Order and hash: a total order in which equal means equal, of all kinds.
CREATE TABLE mh_kinds AS
    SELECT s FROM mh_sets, LATERAL (VALUES (minhash(t, 3)), (minhash(t, 3, seed => 2)), (minhash(t, 4)), (minhash(t, 3, 4)), (minhash(t, 40, 1)), (minhash(tokenset '{}', 3))) v (s)
    WHERE id % 8 = 0;
SELECT count(*) FILTER (WHERE (a.s < b.s)::int + (a.s = b.s)::int + (a.s > b.s)::int <> 1) AS not_total,
       count(*) FILTER (WHERE (a.s = b.s) <> (a.s::text = b.s::text)) AS equal_by_text,
       count(*) FILTER (WHERE (a.s <= b.s) <> (a.s < b.s OR a.s = b.s) OR (a.s >= b.s) <> (b.s <= a.s) OR (a.s <> b.s) = (a.s = b.s)) AS operators,
       count(*) FILTER (WHERE a.s = b.s AND minhash_hash_extended(a.s, 7) <> minhash_hash_extended(b.s, 7)) AS hashes,
       count(*) FILTER (WHERE a.s <> b.s AND minhash_hash(a.s) = minhash_hash(b.s)) AS collisions
FROM mh_kinds a, mh_kinds b;
SELECT count(*) AS ascending FROM (SELECT s, lag(s) OVER (ORDER BY s) AS previous FROM mh_kinds) o WHERE previous > s;
CREATE INDEX ON mh_kinds (s);
CREATE INDEX ON mh_kinds USING hash (s);
SET enable_seqscan = off;
SELECT count(*) > 0 AS by_index FROM mh_kinds WHERE s = minhash(tokenset '{}', 3);
RESET enable_seqscan;
SELECT count(DISTINCT s) = count(DISTINCT s::text) AS same_distinct FROM mh_kinds;
SELECT amname, opcname, amvalidate(c.oid) FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod WHERE opcintype = 'minhash'::regtype ORDER BY amname;
SELECT attstorage, attalign FROM pg_attribute WHERE attrelid = 'mh_sketches'::regclass AND attname = 's';

DROP TABLE mh_sets, mh_sketches, mh_kinds;
