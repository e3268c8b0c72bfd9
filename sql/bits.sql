-- bit_tokens: the numbers of the bits that are 1, and 0. The oracle is the bit string itself.

-- Bits count from 1, from the left, of bit strings and of bytes alike.
SELECT bit_tokens(B'1011'), bit_tokens(X'80f1') AS of_hex, bit_tokens('\x80f1'::bytea) AS of_bytes, bit_tokens(B'') AS of_none, bit_tokens('\x'::bytea) AS of_no_bytes;
SELECT bit_tokens('1011'::bit(4)) = bit_tokens('1011'::bit varying) AS of_both_types, bit_tokens(B'0000') AS of_zeros, bit_tokens(NULL::bit) IS NULL AS of_null;
\set VERBOSITY sqlstate
SELECT bit_tokens('1011');
SELECT bit_tokens(1011);
\set VERBOSITY default

-- Hashes of 1 to 256 bits, some of them near to others, with zeros and ones alone.
CREATE TABLE hashes AS
    SELECT n, length, CASE WHEN n = 1 THEN repeat('0', length) WHEN n = 2 THEN repeat('1', length) WHEN n = 3 THEN '1' || repeat('0', length - 1)
                           ELSE array_to_string(ARRAY(SELECT (('x' || left(md5(n || ' ' || i), 3))::bit(12)::int < (n % 8) * 585)::int FROM generate_series(1, length) i), '') END::bit varying AS hash
    FROM generate_series(1, 120) n, unnest('{1,7,8,9,64,128,250,256}'::int[]) length;
INSERT INTO hashes SELECT n + 200, length, set_bit(hash, n % length, 1 - get_bit(hash, n % length)) FROM hashes WHERE n <= 60;
SELECT count(*) AS sets, count(*) FILTER (WHERE bit_tokens(hash) <> tokenset(ARRAY(SELECT i FROM generate_series(1, length) i WHERE get_bit(hash, i - 1) = 1) || 0)) AS differing,
       count(*) FILTER (WHERE length % 8 = 0 AND bit_tokens(hash) <> bit_tokens(decode((SELECT string_agg(lpad(to_hex(substring(hash, 8 * i + 1, 8)::bit(8)::int), 2, '0'), '' ORDER BY i)
                                                                                         FROM generate_series(0, length / 8 - 1) i), 'hex'))) AS differing_bytes
FROM hashes;
SELECT count(*) AS pairs, count(*) FILTER (WHERE hamming(bit_tokens(a.hash), bit_tokens(b.hash)) <> bit_count(a.hash # b.hash)) AS differing,
       count(*) FILTER (WHERE hamming_le(bit_tokens(a.hash), bit_tokens(b.hash), t) <> (bit_count(a.hash # b.hash) <= t)) AS differing_predicates
FROM hashes a JOIN hashes b ON a.length = b.length AND a.n <= b.n, unnest('{0,1,31}'::int[]) t;

-- The joins find what counting bits finds, zeros included.
CREATE FUNCTION differences(bits int, most int, OUT pairs bigint, OUT differing bigint) LANGUAGE sql AS $$
    WITH expected AS (SELECT a.n AS a, b.n AS b, bit_count(a.hash # b.hash) AS distance FROM hashes a JOIN hashes b ON a.length = bits AND b.length = bits AND a.n < b.n
                      WHERE bit_count(a.hash # b.hash) <= most),
         found AS (SELECT * FROM ppjoin(format('SELECT n, bit_tokens(hash) FROM hashes WHERE length = %s', bits), most, measure => 'hamming'))
    SELECT (SELECT count(*) FROM expected),
           (SELECT count(*) FROM expected e FULL JOIN found f ON f.a = e.a AND f.b = e.b WHERE f.similarity IS DISTINCT FROM e.distance)
$$;
SELECT bits, most, d.* FROM unnest('{1,64,128,256}'::int[]) bits, unnest('{0,1,10,31}'::int[]) most, differences(bits, most) d ORDER BY 1, 2;
SELECT count(*) AS near_zeros FROM hashes WHERE length = 256 AND hamming_le(bit_tokens(hash), bit_tokens(repeat('0', 256)::bit varying), 1);

-- bit_set: the ones alone, by which jaccard is the Tanimoto coefficient of fingerprints.
SELECT bit_set(B'1011'), bit_set(X'80f1') AS of_hex, bit_set('\x80f1'::bytea) AS of_bytes, bit_set(B'0000') AS of_zeros, bit_set(B'') AS of_none, bit_set('\x'::bytea) AS of_no_bytes;
SELECT jaccard(bit_set(B'1100'), bit_set(B'1010')) = 1.0 / 3 AS tanimoto, jaccard(bit_tokens(B'1100'), bit_tokens(B'1010')) AS with_zero, bit_set(NULL::bytea) IS NULL AS of_null;
\set VERBOSITY sqlstate
SELECT bit_set('1011');
\set VERBOSITY default
SELECT count(*) AS sets, count(*) FILTER (WHERE bit_set(hash) <> bit_tokens(hash) - '{0}') AS differing FROM hashes;
SELECT count(*) AS pairs, count(*) FILTER (WHERE jaccard(bit_set(a.hash), bit_set(b.hash)) <> tanimoto) AS differing,
       count(*) FILTER (WHERE jaccard_ge(bit_set(a.hash), bit_set(b.hash), t) <> (tanimoto >= t)) AS differing_predicates
FROM hashes a JOIN hashes b ON a.length = b.length AND a.n <= b.n,
     LATERAL (SELECT bit_count(a.hash & b.hash)::float8 / nullif(bit_count(a.hash | b.hash), 0) AS tanimoto) c, unnest('{0.3,0.5,0.9}'::float8[]) t
WHERE bit_count(a.hash | b.hash) > 0;
WITH expected AS (SELECT a.n AS a, b.n AS b, bit_count(a.hash & b.hash)::float8 / bit_count(a.hash | b.hash) AS similarity
                  FROM hashes a JOIN hashes b ON a.length = 128 AND b.length = 128 AND a.n < b.n WHERE bit_count(a.hash | b.hash) > 0),
     found AS (SELECT * FROM ppjoin('SELECT n, bit_set(hash) FROM hashes WHERE length = 128', 0.6))
SELECT (SELECT count(*) FROM expected WHERE similarity >= 0.6) AS pairs, count(*) AS differing
FROM (SELECT * FROM expected WHERE similarity >= 0.6) e FULL JOIN found f USING (a, b) WHERE e.similarity IS DISTINCT FROM f.similarity;
-- Zeros are similar to nothing.
SELECT count(*) FROM ppjoin('SELECT n, bit_set(hash) FROM hashes WHERE bit_count(hash) = 0', 0.1);

DROP FUNCTION differences;
DROP TABLE hashes;
