-- metrics of two texts, by published examples and the definitions in SQL

-- W. Winkler, Overview of Record Linkage and Current Research Directions (2006), table 6
SELECT a, b, round(jaro_similarity(a, b)::numeric, 3) AS jaro, round(jaro_winkler_similarity(a, b)::numeric, 3) AS winkler,
       edit_distance(a, b), damerau_levenshtein(a, b)
FROM (VALUES ('SHACKLEFORD', 'SHACKELFORD'), ('DUNNINGHAM', 'CUNNIGHAM'), ('NICHLESON', 'NICHULSON'), ('JONES', 'JOHNSON'),
             ('MASSEY', 'MASSIE'), ('ABROMS', 'ABRAMS'), ('HARDIN', 'MARTINEZ'), ('ITMAN', 'SMITH'), ('JERALDINE', 'GERALDINE'),
             ('MARHTA', 'MARTHA'), ('MICHELLE', 'MICHAEL'), ('JULIES', 'JULIUS'), ('TANYA', 'TONYA'), ('DWAYNE', 'DUANE'),
             ('SEAN', 'SUSAN'), ('JON', 'JOHN'), ('DIXON', 'DICKSONX')) AS v (a, b);

-- unrestricted transpositions: optimal string alignment has 3 for the first
SELECT a, b, edit_distance(a, b), damerau_levenshtein(a, b)
FROM (VALUES ('CA', 'ABC'), ('AC', 'CA'), ('a cat', 'an abct'), ('abcdef', 'badcfe'), ('kitten', 'sitting'), ('Saturday', 'Sunday')) AS v (a, b);

-- empty texts
SELECT edit_distance('', ''), edit_distance('', 'abc'), damerau_levenshtein('', ''), damerau_levenshtein('abc', ''),
       jaro_similarity('', ''), jaro_similarity('', 'a'), jaro_winkler_similarity('', ''), edit_within('', 'a', 1), edit_within('', 'a', 0);
SELECT edit_distance(NULL, 'a'), edit_within('a', 'b', NULL), damerau_levenshtein('a', NULL), jaro_similarity(NULL, NULL);

-- characters, not bytes: é and è differ in their last byte only, é and © in their first
SELECT edit_distance('é', 'è'), edit_distance('naïve', 'naive'), edit_distance('日本語', '日本'), edit_distance('xé', 'xê'),
       edit_distance('€', '₯'), edit_distance('éa', '©a'), damerau_levenshtein('éè', 'èé'), jaro_similarity('éè', 'èé'),
       round(jaro_winkler_similarity('日本語文', '日本語字')::numeric, 3) AS winkler;

-- with a limit
SELECT k, edit_distance('kitten', 'sitting', k), edit_within('kitten', 'sitting', k) FROM unnest(ARRAY[0, 2, 3, 4, 2147483647]) AS k;
SELECT edit_distance('a', 'b', -1);
SELECT edit_within('a', 'b', -1);

-- long texts
SELECT edit_distance(repeat('x', 100000), repeat('y', 100000), 3), edit_distance(repeat('ab', 50000), repeat('ba', 50000)),
       edit_distance(repeat('all work and no play ', 1000), 'A' || repeat('all work and no play ', 999)),
       damerau_levenshtein(repeat('ab', 1000), repeat('ba', 1000)), jaro_similarity(repeat('x', 100000), repeat('x', 100001)) > 0.99 AS near;
SELECT edit_distance('a' || repeat('b', 20000000) || 'c', 'd' || repeat('e', 20000000) || 'f');
SELECT edit_distance('a' || repeat('b', 20000000) || 'c', 'd' || repeat('b', 20000000) || 'c');
-- A text whose bytes tell that it is too long is not looked at, and need not be one that can be compared.
SELECT edit_within(repeat('x', 20000000), 'x', 2), edit_distance('x', repeat('x', 20000000), 3), edit_within('', '𝄞𝄞', 1), edit_within('𝄞𝄞', '', 2), edit_within('éééé', 'x', 4);
-- As many edits as the longer text has characters, without what both have at their ends, are always enough.
SELECT edit_within('a' || repeat('b', 20000000) || 'c', 'd' || repeat('e', 19999999) || 'f', 20000002), edit_within('a' || repeat('é', 20000000), 'ab', 20000000),
       edit_within('abcé', 'wxyz', 3), edit_within('abcé', 'wxyz', 4), edit_within('xabcéx', 'xwyzx', 3), edit_within('', '', 0), edit_within('𝄞𝄞', 'ab', 2), edit_within('𝄞𝄞', 'ab', 1);

-- random texts of four characters, one of them of two bytes, against the definitions
CREATE FUNCTION random_text(seed int, most int) RETURNS text
RETURN (SELECT coalesce(string_agg((ARRAY['a', 'b', 'c', 'é'])[1 + abs(hashint8extended(i, seed) % 4)], '' ORDER BY i), '')
        FROM generate_series(1, abs(hashint4extended(seed, 7) % (most + 1))::int) AS i);

-- distances of all prefixes; transpositions by the plain recurrence, characters apart and edited between
CREATE FUNCTION plain_distance(a text, b text, transposes boolean) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    d int[] := array_fill(0, ARRAY[length(a) + 1, length(b) + 1], ARRAY[0, 0]);
BEGIN
    FOR i IN 0 .. length(a) LOOP
        FOR j IN 0 .. length(b) LOOP
            IF i = 0 OR j = 0 THEN
                d[i][j] := i + j;
                CONTINUE;
            END IF;
            d[i][j] := least(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (substr(a, i, 1) <> substr(b, j, 1))::int);
            CONTINUE WHEN NOT transposes;
            FOR k IN 1 .. i - 1 LOOP
                FOR l IN 1 .. j - 1 LOOP
                    IF substr(a, i, 1) = substr(b, l, 1) AND substr(a, k, 1) = substr(b, j, 1) THEN
                        d[i][j] := least(d[i][j], d[k - 1][l - 1] + i - k - 1 + 1 + j - l - 1);
                    END IF;
                END LOOP;
            END LOOP;
        END LOOP;
    END LOOP;
    RETURN d[length(a)][length(b)];
END $$;
CREATE TABLE random_pairs AS
SELECT random_text(i, 9) AS a, random_text(i + 10000, 9) AS b, i % 5 AS k FROM generate_series(1, 600) AS i;
INSERT INTO random_pairs SELECT a, substr(a, 2, 1) || substr(b, 1, 1) || substr(a, 1, 1) || substr(a, 3), k FROM random_pairs;
SELECT count(*) FILTER (WHERE edit_distance(a, b) <> plain_distance(a, b, false)) AS edit,
       count(*) FILTER (WHERE edit_distance(a, b, k) <> least(plain_distance(a, b, false), k + 1)) AS limited,
       count(*) FILTER (WHERE edit_within(a, b, k) <> (plain_distance(a, b, false) <= k)) AS within,
       count(*) FILTER (WHERE damerau_levenshtein(a, b) <> plain_distance(a, b, true)) AS damerau,
       count(*) FILTER (WHERE damerau_levenshtein(a, b) < edit_distance(a, b)) > 50 AS transposed,
       count(*) FILTER (WHERE jaro_similarity(a, b) <> jaro_similarity(b, a)) AS asymmetric
FROM random_pairs;
DROP TABLE random_pairs;
DROP FUNCTION random_text(int, int), plain_distance(text, text, boolean);
