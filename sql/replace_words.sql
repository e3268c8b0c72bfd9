-- replace_words: words of the normalized text by a list, whose keys and values are normalized too.
SET client_encoding = 'UTF8';
\pset format unaligned
SELECT text, words, '[' || replace_words(text, words) || ']' AS replaced FROM (VALUES
    ('12 High Street', '{"street": "st"}'::jsonb), ('12, HIGH Street.', '{"Street!": "St."}'), ('a Straße b', '{"STRASSE": "str"}'), ('The Fox and the Hound', '{"the": null, "and": ""}'),
    ('P.O. Box 7, PO Box 8', '{"p o box": "pobox", "po box": "pobox"}'), ('a b c d', '{"a": "1", "a b": "2", "a b c": "3", "c d": "4"}'), ('a b c', '{"a b c d": "1", "b": "2"}'), ('a a a', '{"a a": "b"}'),
    ('x', '{"x": "y", "y": "z"}'), ('ab a', '{"a": "1"}'), ('Bob', '{"bob": "Robert the First"}'), ('GmbH & Co. KG', '{"gmbh": null, "co": null, "kg": null}'), ('第3版', '{"3": "4", "第3版": "x"}'), ('٣', '{"3": "three"}'),
    ('José', '{"jose": "pepe"}'), ('José', '{"josé": "pepe"}'), ('a', '{}'), ('', '{"a": "b"}'), ('?', '{"a": "b"}')) AS v (text, words);
\pset format aligned
-- What is not a list.
SELECT replace_words('a', '[1]');
SELECT replace_words('a', '"a"');
SELECT replace_words('a', '{"a": 1}');
SELECT replace_words('a', '{"a": {"b": "c"}}');
SELECT replace_words('a', '{"&": "and"}');
SELECT replace_words('a', '{"St.": "saint", "st": "street"}');
SELECT replace_words('st', '{"St.": "street", "st": "Street"}') AS equal_after_normalization;

-- Against the rule for keys of one word, each text with a list of its own and all with the same one.
CREATE TABLE texts AS
SELECT i, string_agg(substr('abcABc,. é', 1 + (hashint4(i * 50 + k) & 65535) % 10, 1), '' ORDER BY k) AS body
FROM generate_series(1, 3000) AS i, generate_series(1, 30) AS k WHERE k <= 1 + i % 30 GROUP BY i;
CREATE FUNCTION by_rule(body text, list jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(nullif(string_agg(nullif(CASE WHEN list ? word THEN list ->> word ELSE word END, ''), ' ' ORDER BY n), ''), normalize_text(body))
    FROM regexp_split_to_table(normalize_text(body), ' ') WITH ORDINALITY AS w (word, n)
$$;
SELECT count(*) AS texts, count(*) FILTER (WHERE replace_words(body, list) <> by_rule(body, list)) AS differ, count(*) FILTER (WHERE replace_words(body, list) <> normalize_text(body)) AS replaced
FROM texts, LATERAL (SELECT jsonb_build_object('a', 'x' || i, 'b', NULL, 'c', '', 'ab', 'ba', 'é', 'e') AS list) AS l;
SELECT count(*) FILTER (WHERE replace_words(body, list) <> by_rule(body, list)) AS differ, count(*) FILTER (WHERE replace_words(body, list) <> normalize_text(body)) AS replaced
FROM texts, (VALUES ('{"a": "b", "b": "a", "c": null, "aa": "cc"}'::jsonb)) AS l (list);
-- Long keys and long texts.
SELECT replace_words(repeat('a ', 100000), '{"a": "b"}') = 'b' || repeat(' b', 99999) AS many_words,
       replace_words(repeat('a ', 100000), jsonb_build_object(repeat('a ', 1000), 'b')) = 'b' || repeat(' b', 99) AS long_key;
