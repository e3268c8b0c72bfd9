-- What two texts have in common, and where.
SELECT * FROM shared_tokens('Yes, as soon as possible.', 'As soon as possible, please!');
SELECT part, item, a_from, a_to, b_from, b_to
FROM shared_tokens('Yes, as soon as possible.', 'As soon as possible, please!', 'shingle_tokens(3)') WHERE part <> 'measure';
-- plain sets take each token once, at its first place
SELECT part, item, a_from, a_to, b_from, b_to
FROM shared_tokens('as soon as', 'as', 'word_set') WHERE part <> 'measure';
-- q-grams; a run of other characters is one blank
SELECT part, item, a_from, a_to, b_from, b_to
FROM shared_tokens('ab -- c', 'ab c', 'qgram_tokens(body, 2)') WHERE part <> 'measure';
-- q-grams of words, without their padding
SELECT part, item, a_from, a_to, b_from, b_to
FROM shared_tokens('Ann Ö, 王明', 'ö Anna 王', 'word_qgram_tokens(body, 3)') WHERE part <> 'measure';
-- words of code
SELECT part, item, a_from, a_to, b_from, b_to
FROM shared_tokens('if (ä<b) c++', 'if (ä>b)', 'shingle_tokens(code_words(body), 2)') WHERE part <> 'measure';
SELECT string_agg(part || ' ' || item, ', ') FROM shared_tokens('C++', 'C#', 'tokenset("public".code_words(x))') WHERE part <> 'measure';
SELECT string_agg(part || ' ' || item, ', ') FROM shared_tokens('C++', 'C#', 'element_tokens( Code_Words (x) )') WHERE part <> 'measure';
-- fewer words than a shingle has, and no word at all
SELECT part, item, a_from, a_to, b_from, b_to FROM shared_tokens('two words', 'two words!', 'shingle_set(5)') WHERE part <> 'measure';
SELECT count(*) FILTER (WHERE part = 'measure') AS measures, sum(value), count(*) FROM shared_tokens('', '?');

-- characters, not bytes: composed, decomposed, ligatures, full width, scripts without spaces, emoji
SELECT part, item, a_from, a_to, b_from, b_to
FROM shared_tokens(U&'Cre\0300me ﬁn \AC00 \1100\1161\11A8 ＡＢ', U&'cr\00E8me FIN \1100\1161 각 ab') WHERE part <> 'measure';
SELECT part, item, a_from, a_to, b_from, b_to
FROM shared_tokens('東京都に住む', '京都に住む人') WHERE part <> 'measure';
SELECT part, item, a_from, a_to, b_from, b_to
FROM shared_tokens('ภาษาไทย 😀 x', 'ไทย 😀😀 x') WHERE part <> 'measure';

-- a character that becomes several does not take the place of what is before it, and its blanks are at its place
SELECT item, a_from, a_to FROM shared_tokens('a ß… b', 'ss') WHERE part = 'shared';
SELECT item, a_from, a_to FROM shared_tokens('a⑴ -- ½…', '', 'qgram_tokens(1)') WHERE part = 'only a';

-- the measures are those of the sets, whatever the texts
CREATE TABLE explained_texts AS
SELECT i AS id, (SELECT string_agg((ARRAY['a', 'B', 'ß', 'ﬁ', U&'e\0301', U&'\0301', '東', '京', 'ก', 'ำ', ' ', '-', '𝐀', U&'\1100', U&'\1161', U&'\11A8', U&'\00AD', 'ᾳ', '٣', '😀', U&'\FDFA'])
                         [1 + (hashint4(i * 100 + k) & 65535) % 21], '') FROM generate_series(1, 3 + i % 12) AS k) AS body
FROM generate_series(1, 120) AS i;
SELECT t.tokens, count(*) AS pairs,
       count(*) FILTER (WHERE e.jaccard <> s.jaccard OR e.hamming <> s.hamming OR e.shared <> s.overlap OR e.containment <> s.containment) AS differ,
       count(*) FILTER (WHERE s.overlap > 0) AS share
FROM explained_texts AS x JOIN explained_texts AS y ON y.id BETWEEN x.id + 1 AND x.id + 12
CROSS JOIN (VALUES ('word_tokens'), ('word_set'), ('shingle_tokens(2)'), ('shingle_set(3)'), ('qgram_tokens(2)'), ('qgram_set(1)'), ('word_qgram_tokens(3)'), ('word_qgram_set(2)'),
    ('shingle_tokens(code_words(x), 2)'), ('tokenset(code_words(x))')) AS t (tokens)
CROSS JOIN LATERAL (
    SELECT max(value) FILTER (WHERE item = 'jaccard' AND part = 'measure') AS jaccard, max(value) FILTER (WHERE item = 'hamming' AND part = 'measure') AS hamming,
           max(value) FILTER (WHERE item = 'containment' AND part = 'measure') AS containment,
           count(*) FILTER (WHERE part = 'shared') AS shared
    FROM shared_tokens(x.body, y.body, t.tokens)) AS e
CROSS JOIN LATERAL (
    SELECT CASE t.tokens WHEN 'word_tokens' THEN word_tokens(x.body) WHEN 'word_set' THEN word_set(x.body) WHEN 'shingle_tokens(2)' THEN shingle_tokens(x.body, 2)
                         WHEN 'shingle_set(3)' THEN shingle_set(x.body, 3) WHEN 'qgram_tokens(2)' THEN qgram_tokens(x.body, 2)
                         WHEN 'word_qgram_tokens(3)' THEN word_qgram_tokens(x.body, 3) WHEN 'word_qgram_set(2)' THEN word_qgram_set(x.body, 2)
                         WHEN 'shingle_tokens(code_words(x), 2)' THEN shingle_tokens(code_words(x.body), 2) WHEN 'tokenset(code_words(x))' THEN tokenset(code_words(x.body)) ELSE qgram_set(x.body, 1) END AS a,
           CASE t.tokens WHEN 'word_tokens' THEN word_tokens(y.body) WHEN 'word_set' THEN word_set(y.body) WHEN 'shingle_tokens(2)' THEN shingle_tokens(y.body, 2)
                         WHEN 'shingle_set(3)' THEN shingle_set(y.body, 3) WHEN 'qgram_tokens(2)' THEN qgram_tokens(y.body, 2)
                         WHEN 'word_qgram_tokens(3)' THEN word_qgram_tokens(y.body, 3) WHEN 'word_qgram_set(2)' THEN word_qgram_set(y.body, 2)
                         WHEN 'shingle_tokens(code_words(x), 2)' THEN shingle_tokens(code_words(y.body), 2) WHEN 'tokenset(code_words(x))' THEN tokenset(code_words(y.body)) ELSE qgram_set(y.body, 1) END AS b) AS sets
CROSS JOIN LATERAL (SELECT jaccard(a, b), hamming(a, b), overlap(a, b), containment(a, b)) AS s
GROUP BY t.tokens ORDER BY t.tokens;
-- what stands at a word's place normalizes to that word again
SELECT count(*) AS words, count(*) FILTER (WHERE word_set(item) <> word_set(substr(x.body, e.a_from, e.a_to - e.a_from + 1))) AS differ,
       count(*) FILTER (WHERE e.a_from < 1 OR e.a_to < e.a_from OR e.a_to > length(x.body)) AS outside
FROM explained_texts AS x CROSS JOIN LATERAL shared_tokens(x.body, '', 'word_tokens') AS e WHERE e.part = 'only a';

-- side by side
SELECT * FROM side_by_side(
    'The library reads and writes PNG images; this package contains the shared library.',
    'This library reads and writes JPEG images; the package contains the shared library, too.');
SELECT * FROM side_by_side('b c d a', 'a x b c d', 'word_tokens');
SELECT * FROM side_by_side('', 'only here');
SELECT * FROM side_by_side('if (a<b) return a-b;', 'if (a>b) return a+b;', 'shingle_tokens(code_words(body), 1)');
-- q-grams of one letter cover the same place
SELECT * FROM side_by_side('A x Smith, b', 'A x Smyth b', 'word_qgram_tokens(3)');

-- the function may be written as in SQL: with the schema of the extension, quoted, in any case
SELECT tokens, (SELECT count(*) FROM shared_tokens('a b c', 'a b d', tokens) WHERE part = 'shared') AS shared
FROM (VALUES ('public.shingle_tokens(3)'), ('public.word_tokens'), ('"public" . "shingle_tokens" (body, 2)'), ('PUBLIC.Word_Set(body)')) AS t (tokens);

-- errors
SELECT * FROM shared_tokens('a', 'b', 'pg_catalog.word_tokens');
SELECT * FROM shared_tokens('a', 'b', '"Word_tokens"');
SELECT * FROM shared_tokens('a', 'b', '');
SELECT * FROM shared_tokens('a', 'b', '"word_tokens(3)');
SELECT * FROM shared_tokens('a', 'b', 'qgram_tokens)3(');
SELECT * FROM shared_tokens('a', 'b', 'words');
SELECT * FROM shared_tokens('a', 'b', 'shingle_tokens');
SELECT * FROM shared_tokens('a', 'b', 'shingle_tokens(body, width)');
SELECT * FROM shared_tokens('a', 'b', 'shingle_tokens(0)');
SELECT * FROM shared_tokens('a', 'b', 'qgram_tokens(3) x');
SELECT * FROM shared_tokens('a', 'b', 'element_tokens(words)');
SELECT * FROM shared_tokens('a', 'b', 'word_tokens(code_words(x))');
SELECT * FROM shared_tokens('a', 'b', 'shingle_tokens(code_words(x), 0)');
SELECT * FROM shared_tokens('a', 'b', 'word_qgram_tokens(0)');
SELECT * FROM shared_tokens('a', 'b', 'word_qgram_set(body, 101)');
SELECT * FROM shared_tokens('a', 'b', 'qgram_tokens(99999999999)');
SELECT count(*) FROM shared_tokens(NULL, 'b');
