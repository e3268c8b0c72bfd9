-- Fields that are not prose, as sets: date_tokens, near_tokens of numbers and of places, phone_tokens.
CREATE FUNCTION random_number(n int, salt int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT (hashint8extended(n, salt) & ((1::bigint << 52) - 1)) / (1::bigint << 52)::float8 $$;

-- Dates: what a slip leaves in common.
SELECT what, round(jaccard(date_tokens(1980, 2, 13), tokens)::numeric, 2) AS similarity FROM (VALUES
    ('the same', date_tokens('1980-02-13')), ('day and month exchanged', date_tokens(1980, 13, 2)), ('a digit of the day', date_tokens('1980-02-18')), ('a digit of the month', date_tokens('1980-12-13')),
    ('a digit of the year', date_tokens('1990-02-13')), ('another century', date_tokens('1880-02-13')), ('digits of the day transposed', date_tokens(1980, 2, 31)), ('of the year', date_tokens(1908, 2, 13)),
    ('of the decade and the century', date_tokens(1890, 2, 13)), ('of month and day', date_tokens(1980, 1, 23)), ('no year', date_tokens(NULL, 2, 13)), ('no month', date_tokens(1980, NULL, 13)), ('no day', date_tokens(1980, 2, NULL)),
    ('the year alone', date_tokens(1980, NULL, NULL)), ('two digits of the year', date_tokens(80, 2, 13)), ('another day', date_tokens('1980-02-29')), ('another year', date_tokens('1957-02-13')), ('another month', date_tokens('1980-11-13')), ('another date', date_tokens('1957-06-24'))) AS v (what, tokens);
SELECT cardinality(date_tokens('2000-01-01')) AS tokens, date_tokens(NULL::date) IS NULL AND date_tokens(NULL, NULL, NULL) IS NULL AND date_tokens('infinity') IS NULL AND date_tokens('-infinity') IS NULL AS of_none,
       (date_tokens('2000-01-31')::int8[])[1] AS fixed, cardinality(date_tokens(-2147483648, 2147483647, -1)) AS of_no_date;
-- Those of a date are those of its parts.
SELECT count(*) AS dates, count(*) FILTER (WHERE date_tokens(day) <> date_tokens(extract(year FROM day)::int, extract(month FROM day)::int, extract(day FROM day)::int)) AS differ
FROM (SELECT '4713-01-01 BC'::date + (i * 797) AS day FROM generate_series(0, 20000) AS i) AS d;

-- Against the rule, as texts of an array, whose repetitions are numbered: random dates, many of them with equal parts.
CREATE FUNCTION parts_of_date(year int, month int, day int) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT array_remove(ARRAY['y' || year, 'y' || year, 'c' || year / 100, 'd' || year / 10 % 10, 'd' || year / 10 % 10, 'd' || year % 10, 'd' || year % 10,
        'p' || month, 'm' || month, 'q' || month / 10 % 10, 'q' || month / 10 % 10, 'q' || month % 10, 'q' || month % 10,
        'p' || day, 'e' || day, 'q' || day / 10 % 10, 'q' || day / 10 % 10, 'q' || day % 10, 'q' || day % 10, year || '-' || month || '-' || day], NULL)
$$;
CREATE TABLE dates AS
SELECT i, nullif((ARRAY[1980, 1980, 1981, 1908, 890, 2019, -44, 0])[1 + (random_number(i, 1) * 8)::int], 0) AS year, nullif((random_number(i, 2) * 14)::int, 0) AS month, nullif((random_number(i, 3) * 33)::int, 0) AS day
FROM generate_series(1, 500) AS i;
SELECT count(*) AS pairs, count(*) FILTER (WHERE jaccard(x.tokens, y.tokens) <> jaccard(x.by_rule, y.by_rule)) AS differ, count(DISTINCT jaccard(x.tokens, y.tokens)) > 30 AS many_values
FROM (SELECT i, date_tokens(year, month, day) AS tokens, element_tokens(parts_of_date(year, month, day)) AS by_rule FROM dates) AS x, (SELECT i, date_tokens(year, month, day) AS tokens, element_tokens(parts_of_date(year, month, day)) AS by_rule FROM dates) AS y WHERE x.i < y.i;

-- All dates of a century, each with all slips of the pen: most tokens are in common.
CREATE TABLE century AS SELECT day, to_char(day, 'YYYYMMDD') AS digits, date_tokens(day) AS tokens FROM (SELECT '1925-01-01'::date + i AS day FROM generate_series(0, 36524) AS i) AS d;
CREATE FUNCTION tokens_of_digits(digits text) RETURNS tokenset LANGUAGE sql IMMUTABLE AS $$ SELECT date_tokens(left(digits, 4)::int, substr(digits, 5, 2)::int, right(digits, 2)::int) $$;
SELECT what, count(*) > 36524 AS all_dates, count(*) FILTER (WHERE NOT jaccard_ge(c.tokens, slip, least)) AS below, count(*) FILTER (WHERE slip = c.tokens AND digits <> written) AS taken_for_the_same FROM century AS c, LATERAL (
    SELECT 'exchanged' AS what, 0.73 AS least, left(digits, 4) || right(digits, 2) || substr(digits, 5, 2) AS written
    UNION ALL SELECT 'wrong digit', 0.6, overlay(digits PLACING ((substr(digits, k, 1)::int + 1 + c.day - '1925-01-01') % 10)::text FROM k) FROM generate_series(1, 8) AS k
    UNION ALL SELECT 'transposed', CASE k WHEN 2 THEN 0.53 ELSE 0.6 END, overlay(digits PLACING reverse(substr(digits, k, 2)) FROM k) FROM unnest('{1,2,3,5,6,7}'::int[]) AS k) AS s, tokens_of_digits(written) AS slip
GROUP BY what ORDER BY what;
SELECT count(*) AS dates, count(*) FILTER (WHERE NOT jaccard_ge(tokens, date_tokens(NULL, m, d), 0.6) OR NOT jaccard_ge(tokens, date_tokens(y, NULL, d), 0.65) OR NOT jaccard_ge(tokens, date_tokens(y, m, NULL), 0.65)) AS below
FROM century, LATERAL (SELECT extract(year FROM day)::int AS y, extract(month FROM day)::int AS m, extract(day FROM day)::int AS d) AS p;
-- What is known in part is nearer to each date with these parts than to any other date.
CREATE TABLE known AS
SELECT DISTINCT what, known, date_tokens(v.y, v.m, v.d) AS tokens
FROM century, LATERAL (SELECT extract(year FROM day)::int AS y, extract(month FROM day)::int AS m, extract(day FROM day)::int AS d) AS p,
     LATERAL (VALUES ('year', left(digits, 4) || '____', p.y, NULL, NULL), ('month', left(digits, 6) || '__', p.y, p.m, NULL), ('day of any year', '____' || right(digits, 4), NULL, p.m, p.d)) AS v (what, known, y, m, d)
WHERE p.y % 10 IN (0, 1, 9) AND p.m IN (1, 2, 10, 12);
SELECT what, measure, count(*) >= 30 AS many, count(*) FILTER (WHERE own <= other) AS not_nearer
FROM (SELECT what, known, measure, min(similarity) FILTER (WHERE digits LIKE known) AS own, max(similarity) FILTER (WHERE digits NOT LIKE known) AS other
      FROM known AS k, (SELECT * FROM century WHERE hashint4(day - '1925-01-01') % 32 = 0 OR digits LIKE '%0102' OR digits LIKE '%1201' OR digits LIKE '%1002') AS c,
           LATERAL (VALUES ('jaccard', jaccard(k.tokens, c.tokens)), ('cosine', cosine(k.tokens, c.tokens))) AS v (measure, similarity)
      GROUP BY what, known, measure) AS s GROUP BY what, measure ORDER BY what, measure;
SELECT what, count(*) FILTER (WHERE digits LIKE known) > 300 AS many, count(*) FILTER (WHERE (k.tokens <@ c.tokens) <> (digits LIKE known)) AS differ
FROM known AS k, century AS c WHERE hashint4(day - '1925-01-01') % 32 = 0 OR digits LIKE known OR digits LIKE '%02' GROUP BY what ORDER BY what;
-- One transposition is no slip of these: of the last digit of the year and the first of the month.
SELECT round(min(jaccard(tokens, slip))::numeric, 2) AS least, round(max(jaccard(tokens, slip))::numeric, 2) AS most
FROM century, tokens_of_digits(overlay(digits PLACING reverse(substr(digits, 4, 2)) FROM 4)) AS slip WHERE substr(digits, 4, 1) <> substr(digits, 5, 1);
-- Of all other dates few are as similar as that, among them the slips that are dates.
SELECT count(DISTINCT x.day) AS dates, count(*) / count(DISTINCT x.day) AS similar_to_each
FROM century AS x JOIN century AS y ON x.day <> y.day AND jaccard_ge(x.tokens, y.tokens, 0.5) WHERE (x.day - '1925-01-01') % 1000 = 7;

-- Numbers: within the width a token is the same, from twice the width on none is.
\pset format unaligned
SELECT a, b, width, overlap(near_tokens(a, width), near_tokens(b, width)) AS common FROM (VALUES
    (10, 10, 5), (10, 14.99, 5), (10, 15, 5), (9.99, 15, 5), (9.99, 14.99, 5), (10, 20, 5), (10, 19.99, 5), (-5, 0, 5), (-5.01, 0, 5), (-0.01, 0, 5), (-10, 0, 5), (0.1, 0.3, 0.1), (0.10, 0.2, 0.1000), (-7, 7, 14),
    (1e30, 1e30 + 1, 1), (1e30, 1e30 + 2, 1), (1e-30, 2e-30, 1e-30), (1e-30, 3e-30, 1e-30), (1e100, 1e100 + 1e-20, 1e-20)) AS v (a, b, width);
\pset format aligned
SELECT near_tokens(-3, 2) AS fixed, near_tokens(-3.00, 2.0) = near_tokens(-3, 2) AS same, near_tokens(3, 2) && near_tokens(3, 4) AS of_two_widths, near_tokens(NULL, 1) IS NULL AND near_tokens(1, NULL) IS NULL AS of_null;
SELECT near_tokens('NaN', 1) AS of_nan, near_tokens('Infinity', 1) AS of_infinity, near_tokens('-Infinity', 1) AS of_minus_infinity;
SELECT near_tokens(1, 0);
SELECT near_tokens(1, -0.5);
SELECT near_tokens(1, 'NaN');
SELECT near_tokens(1, 'Infinity');
SELECT near_tokens(1e131071, 1e-16383);
-- A million numbers, each with another one that is up to three widths away, many of them at whole widths.
SELECT count(*) AS numbers, count(*) FILTER (WHERE abs(a - b) <= width AND NOT share) AS within_without, count(*) FILTER (WHERE abs(a - b) >= 2 * width AND share) AS beyond_with,
       count(*) FILTER (WHERE share) BETWEEN 300000 AND 800000 AS some_share, count(*) FILTER (WHERE abs(a - b) = width) > 10000 AND count(*) FILTER (WHERE abs(a - b) = 2 * width) > 10000 AS on_the_edge
FROM (SELECT a, b, width, near_tokens(a, width) && near_tokens(b, width) AS share
      FROM (SELECT a, width, a + width * steps AS b FROM (
                SELECT (hashint8extended(i, 1) % 100000)::numeric / 100 AS a, (ARRAY[0.01, 0.03, 7, 1, 2.5, 333.33, 1000, 0.7])[1 + i % 8] AS width, (hashint8extended(i, 2) % 61)::numeric / 20 AS steps
                FROM generate_series(1, 1000000) AS i OFFSET 0) AS n OFFSET 0) AS p OFFSET 0) AS s;
-- Against the rule: the steps are the multiples of the width, and a number has the one below and the one before it.
SELECT count(*) AS pairs, count(*) FILTER (WHERE overlap(near_tokens(a, width), near_tokens(b, width)) <> greatest(0, 2 - abs(a_step - b_step))) AS differ
FROM (SELECT a, b, width, div(a - mod(a, width), width) - (mod(a, width) < 0)::int AS a_step, div(b - mod(b, width), width) - (mod(b, width) < 0)::int AS b_step
      FROM (SELECT (hashint8extended(i, 3) % 1000)::numeric / 7 AS a, (hashint8extended(i, 4) % 1000)::numeric / 7 AS b, (1 + i % 300)::numeric / 3 AS width FROM generate_series(1, 50000) AS i) AS n) AS s;

-- Places: within the distance a token is the same, beyond three times the distance none is.
CREATE FUNCTION place_share(float8, float8, float8, float8, float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT near_tokens($1, $2, $5) && near_tokens($3, $4, $5) $$;
SELECT place_share(90, 0, 90, 180, 1) AS pole, place_share(89.99999, 0, 89.99999, 180, 3) AS around_the_pole, place_share(-89.99999, 20, -89.99999, -160, 3) AS around_the_other, place_share(0, 179.99999, 0, -179.99999, 3) AS date_line,
       place_share(52, 180, 52, -180, 0.001) AS the_same, place_share(52, 350, 52, -10, 0.001) AS the_same_again, place_share(0.00001, 7, -0.00001, 7, 3) AS equator, place_share(90, 0, -90, 0, 1000000) AS poles, place_share(52.5, 13.4, 52.5, 13.41, 100) AS street;
SELECT near_tokens(52.5, 13.4, 100) AS fixed, cardinality(near_tokens(0, 0, 100)) AS on_the_equator, cardinality(near_tokens(90, 0, 100)) AS on_the_pole, near_tokens(NULL, 0, 1) IS NULL AND near_tokens(0, NULL, 1) IS NULL AND near_tokens(0, 0, NULL) IS NULL AS of_null;
SELECT near_tokens(90.1, 0, 1);
SELECT near_tokens('NaN', 0, 1);
SELECT near_tokens(0, 361, 1);
SELECT near_tokens(0, 'Infinity', 1);
SELECT near_tokens(0, 0, 0);
SELECT near_tokens(0, 0, 1000001);
SELECT near_tokens(0, 0, 'NaN');
-- Places on the whole earth, near the poles, the date line and the equator, each with another one in a random direction, up to four distances away.
CREATE TABLE places AS
SELECT i, metres, radius, lat, lon, asin(greatest(-1, least(1, sin(lat) * cos(away) + cos(lat) * sin(away) * cos(direction)))) AS lat2, lon + atan2(sin(direction) * sin(away) * cos(lat), cos(away) - sin(lat) * (sin(lat) * cos(away) + cos(lat) * sin(away) * cos(direction))) AS lon2
FROM (SELECT i, metres, radius, direction, metres / radius * times AS away, CASE i % 4 WHEN 0 THEN asin(2 * u - 1) WHEN 1 THEN pi() / 2 - metres / radius * 5 * u WHEN 2 THEN -pi() / 2 + metres / radius * 5 * u ELSE metres / radius * (5 * u - 2.5) END AS lat,
             CASE i % 8 WHEN 3 THEN pi() - metres / radius * random_number(i, 6) ELSE pi() * (2 * random_number(i, 6) - 1) END AS lon
      FROM (SELECT i, (ARRAY[0.1, 1, 50, 1000, 33333, 250000, 1000000])[1 + i % 7] AS metres, (ARRAY[6371008.8, 6378168, 6356752])[1 + i % 3] AS radius, 2 * pi() * random_number(i, 1) AS direction, 4 * random_number(i, 2) AS times, random_number(i, 3) AS u
            FROM generate_series(1, 200000) AS i OFFSET 0) AS a OFFSET 0) AS b;
CREATE TABLE pairs_of_places AS
SELECT p.*, near_tokens(degrees(lat), lon1, metres) && near_tokens(degrees(lat2), lon3, metres) AS share,
       2 * radius * asin(least(1, sqrt(sin((lat2 - lat) / 2) ^ 2 + cos(lat) * cos(lat2) * sin((lon2 - lon) / 2) ^ 2))) AS distance
FROM places AS p, LATERAL (SELECT degrees(lon) AS lon1, degrees(lon2) - CASE WHEN degrees(lon2) > 180 THEN 360 ELSE 0 END AS lon3) AS l;
SELECT count(*) AS places, count(*) FILTER (WHERE distance < metres * 0.999999 AND NOT share) AS within_without, count(*) FILTER (WHERE distance > metres * 3 AND share) AS beyond_with,
       count(*) FILTER (WHERE share) > 60000 AND count(*) FILTER (WHERE distance BETWEEN metres * 0.99 AND metres * 0.999999) > 400 AS some_share
FROM pairs_of_places;
-- The tokens are the same on every machine.
SELECT bit_xor(token) AS of_all FROM places, unnest(near_tokens((random_number(i, 7) * 180 - 90)::numeric(9, 6), (random_number(i, 8) * 360 - 180)::numeric(9, 6), metres)) AS token WHERE i <= 20000;

-- Telephone numbers: the last digits, whatever the writing.
SELECT a, b, round(jaccard(phone_tokens(a), phone_tokens(b))::numeric, 2) AS similarity FROM (VALUES
    ('+49 30 1234567', '030 1234567'), ('+49 (0)30 123-45-67', '0049.30.1234567'), ('(030) 1234567', '030/1234567'), ('030 1234567', '1234567'), ('+44 20 7946 0958', '020 7946 0958'), ('+1 (212) 555-1234', '2125551234'), ('2125551234', '4155551234'),
    ('+45 12 34 56 78', '12345678'), ('+39 06 1234567', '06 1234567'), ('٠٣٠ ١٢٣٤٥٦٧', '030 1234567'), ('０３０－１２３４５６７', '030 1234567'), ('030 1234567 ext. 12', '030 1234567'), ('030 1234567, mobile 0171 7654321', '+49 171 7654321'),
    ('+49 30 1234567+49 171 7654321', '0171 7654321'), ('Tel.: 030 1234567', 'Fax: 030 1234568'), ('030 1234567', '030 1234568'), ('0000000', '0000000'), ('123456', '123456')) AS v (a, b);
SELECT phone_tokens('5551234') AS fixed, phone_tokens('') = '{}' AND phone_tokens('none') = '{}' AND phone_tokens('110') = '{}' AS of_no_number, phone_tokens(NULL) IS NULL AS of_null, cardinality(phone_tokens(repeat('1234567, ', 100000) || repeat('7', 100000))) AS of_many;
-- Numbers of 7 to 15 digits in random writing: those of the digits alone.
CREATE TABLE phones AS
SELECT i, digits, string_agg(substr(digits, k, 1) || (ARRAY['', '', '', ' ', '-', '.', '/', '  ', ')', E'\t', '–', '·'])[1 + (hashint8extended(i, k) & 65535) % 12], '' ORDER BY k) AS written
FROM (SELECT i, repeat('0', i % 3) || lpad((hashint8extended(i, 0) & ((1::bigint << 50) - 1))::text, 15, '123456789') AS all_digits FROM generate_series(1, 20000) AS i) AS a, LATERAL (SELECT left(all_digits, 7 + i % 9)) AS d (digits), generate_series(1, length(digits)) AS k GROUP BY i, digits;
CREATE FUNCTION phones_by_rule(digits text) RETURNS tokenset LANGUAGE sql IMMUTABLE AS $$ SELECT tokenset(coalesce(array_agg(right(ltrim(digits, '0'), k)) FILTER (WHERE length(ltrim(digits, '0')) >= k), '{}')) FROM generate_series(7, 9) AS k $$;
SELECT count(*) AS phones, count(*) FILTER (WHERE phone_tokens(written) <> phone_tokens(digits)) AS differ, count(*) FILTER (WHERE cardinality(phone_tokens(digits)) <> cardinality(phones_by_rule(digits))) AS other_size,
       count(*) FILTER (WHERE NOT phone_tokens(written) @> phone_tokens(right(digits, 9))) AS without_the_last
FROM phones;
SELECT count(*) AS pairs, count(*) FILTER (WHERE jaccard(phone_tokens(x.written), phone_tokens(y)) <> jaccard(phones_by_rule(x.digits), phones_by_rule(y))) AS differ, count(DISTINCT jaccard(phone_tokens(x.written), phone_tokens(y))) AS values
FROM phones AS x, LATERAL (SELECT overlay(x.digits PLACING '7' FROM 1 + i % length(digits)) UNION ALL SELECT right(x.digits, 7 + i % 3) UNION ALL SELECT '0049' || x.digits) AS z (y) WHERE i <= 3000;

-- Each is a set as any other: an index finds what a scan finds.
CREATE TABLE persons_of_fields AS
SELECT i, date_tokens('1930-01-01'::date + (random_number(i, 1) * 30000)::int) AS born, near_tokens((random_number(i, 2) * 1000)::numeric(8, 2), 0.05) AS amount, near_tokens(random_number(i, 3) * 2 + 50, random_number(i, 4) * 2 + 10, 500) AS place,
       phone_tokens('0' || (1000000 + (hashint8extended(i, 5) & 16383))::text || i % 10) AS phone
FROM generate_series(1, 20000) AS i;
CREATE INDEX ON persons_of_fields USING neardup (born);
CREATE INDEX ON persons_of_fields USING neardup (amount);
CREATE INDEX ON persons_of_fields USING neardup (place);
CREATE INDEX ON persons_of_fields USING neardup (phone);
ANALYZE persons_of_fields;
CREATE FUNCTION lookups(n int) RETURNS TABLE (what text, found bigint, sum bigint) LANGUAGE plpgsql AS $$
DECLARE p record;
BEGIN
    FOR p IN SELECT * FROM persons_of_fields WHERE i % 2000 = n LOOP
        RETURN QUERY SELECT 'born', count(*), sum(i) FROM persons_of_fields WHERE jaccard_ge(born, p.born, 0.6) UNION ALL SELECT 'amount', count(*), sum(i) FROM persons_of_fields WHERE amount && p.amount
            UNION ALL SELECT 'place', count(*), sum(i) FROM persons_of_fields WHERE place && p.place UNION ALL SELECT 'phone', count(*), sum(i) FROM persons_of_fields WHERE jaccard_ge(phone, p.phone, 0.5);
    END LOOP;
END $$;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT i FROM persons_of_fields WHERE amount && near_tokens(12.5, 0.05);
EXPLAIN (COSTS OFF) SELECT i FROM persons_of_fields WHERE place && near_tokens(52.5, 13.4, 500);
CREATE TABLE by_index AS SELECT n, l.* FROM unnest('{0,7,99}'::int[]) AS n, lookups(n) AS l;
SET enable_seqscan = on; SET enable_indexscan = off; SET enable_bitmapscan = off;
CREATE TABLE by_scan AS SELECT n, l.* FROM unnest('{0,7,99}'::int[]) AS n, lookups(n) AS l;
SELECT what, count(*) AS lookups, sum(found) > count(*) AS finds_others, (SELECT count(*) FROM (TABLE by_scan EXCEPT ALL TABLE by_index) AS d WHERE d.what = s.what) AS differ FROM by_scan AS s GROUP BY what ORDER BY what;
