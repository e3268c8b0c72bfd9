--
-- strings: two texts side by side
--

CREATE FUNCTION side_by_side(
    a text, b text, tokens text DEFAULT 'word_tokens',
    OUT in_a text, OUT sign text, OUT in_b text)
RETURNS SETOF record
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 20
BEGIN ATOMIC
    -- Tokens by their numbers in the texts, then runs of neighbours of the same kind. Several tokens may have one place:
    -- they are numbered in the same order in both.
    WITH numbered AS (
        SELECT t.part, t.a_from, t.a_to, t.b_from, t.b_to,
               row_number() OVER (ORDER BY t.a_from, t.a_to, t.b_from, t.b_to, t.ordinality) AS a_number,
               row_number() OVER (ORDER BY t.b_from, t.b_to, t.a_from, t.a_to, t.ordinality) AS b_number
        FROM @extschema@.shared_tokens(a, b, tokens) WITH ORDINALITY AS t
        WHERE t.part <> 'measure'
    ), runs AS (
        SELECT n.part, CASE n.part WHEN 'shared' THEN n.a_number - n.b_number END AS shift,
               CASE n.part WHEN 'only b' THEN n.b_number ELSE n.a_number END AS number, n.a_from, n.a_to, n.b_from, n.b_to
        FROM numbered AS n
    ), islands AS (
        SELECT r.*, r.number - row_number() OVER (PARTITION BY r.part, r.shift ORDER BY r.number) AS island
        FROM runs AS r
    ), stretches AS (
        SELECT i.part, min(i.a_from) AS a_from, max(i.a_to) AS a_to, min(i.b_from) AS b_from, max(i.b_to) AS b_to
        FROM islands AS i
        GROUP BY i.part, i.shift, i.island
    )
    SELECT substr(a, s.a_from, s.a_to - s.a_from + 1),
           CASE s.part WHEN 'shared' THEN '=' WHEN 'only a' THEN '<' ELSE '>' END,
           substr(b, s.b_from, s.b_to - s.b_from + 1)
    FROM stretches AS s
    ORDER BY coalesce(s.a_from, (SELECT p.a_from FROM stretches AS p
                                 WHERE p.part = 'shared' AND p.b_from <= s.b_from
                                 ORDER BY p.b_from DESC LIMIT 1), 0),
             s.part = 'only b', s.b_from;
END;

COMMENT ON FUNCTION side_by_side(text, text, text) IS
'returns two texts in stretches, as diff -y shows files: = in both, < in a only, > in b only; tokens: as in shared_tokens';
