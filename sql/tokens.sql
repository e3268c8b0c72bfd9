-- Token sets from texts, arrays and tsvectors. The oracle is the array of the
-- words, shingles or q-grams, written out or made in SQL.
SET client_encoding = 'UTF8';

-- The paper's Example 1: the second "as" is a token of its own.
SELECT cardinality(word_tokens('yes as soon as possible')) AS x,
       cardinality(word_tokens('as soon as possible please')) AS y,
       cardinality(word_tokens('yes as soon as possible') & word_tokens('as soon as possible please')) AS overlap;
SELECT cardinality(word_set('yes as soon as possible')) AS distinct_words;

-- A token is the XXH3-64 of a word; that of its second occurrence is the XXH3-64 of token and number.
SELECT word_set('as')::int8[], word_tokens('abc'), element_tokens('{3,3}'::int8[]);
SELECT word_tokens('a b a a') = element_tokens(ARRAY['a', 'b', 'a', 'a']) AS numbered,
       word_tokens('one two') = word_set('one two') AS nothing_to_number;

-- No word, no token.
SELECT quote_literal(text) AS text, word_set(text), word_tokens(text), shingle_set(text, 3), qgram_set(text, 3), word_qgram_tokens(text, 3), word_qgram_set(text, 1)
FROM (VALUES (''), ('   '), ('?! ...')) AS v(text);
SELECT word_set(soft_hyphen) = '{}' AND qgram_set(soft_hyphen, 3) = '{}' AS no_token FROM (VALUES (U&'\00AD')) AS v(soft_hyphen);

-- Words of each kind of script. Scripts without spaces give pairs of characters,
-- a character being a letter with its marks; a lone one is itself.
SELECT text, word_set(text) = tokenset(words) AS as_expected FROM (VALUES
    ('Hello, hello WORLD', ARRAY['hello', 'world']),
    ('x86_64 3.5', ARRAY['x86', '64', '3', '5']),
    ('한국어 문장', ARRAY['한국어', '문장']),
    ('漢字かな', ARRAY['漢字', '字か', 'かな']),
    ('漢', ARRAY['漢']),
    ('漢 字', ARRAY['漢', '字']),
    ('漢字。かな', ARRAY['漢字', 'かな']),
    ('Windows11ウィン', ARRAY['windows11', 'ウィ', 'ィン']),
    ('第3章', ARRAY['第', '3', '章']),
    ('ラーメン', ARRAY['ラー', 'ーメ', 'メン']),
    ('二〇二六', ARRAY['二〇', '〇二', '二六']),
    ('สวัสดี', ARRAY['สวั', 'วัส', 'สดี']),
    ('ราคา๕๐บาท', ARRAY['รา', 'าค', 'คา', '50', 'บา', 'าท']),
    ('ລາວ', ARRAY['ລາ', 'າວ']),
    ('ខ្មែរ', ARRAY['ខ្មែ', 'មែរ']),
    ('မြန်မာ', ARRAY['မြန်', 'န်မာ']),
    (U&'\6F22\0301\5B57', ARRAY[U&'\6F22\0301\5B57']),
    (U&'\0301\6F22', ARRAY[U&'\0301', U&'\6F22']),
    ('𠀀𠀁', ARRAY['𠀀𠀁'])) AS v(text, words);

-- A letter thrice: two equal pairs in scripts without spaces, one word in the others. Digits are those of ASCII.
SELECT script, count(*) AS letters, count(*) FILTER (WHERE word_set(repeat(c, 3)) = tokenset(ARRAY[repeat(c, 2)])) AS in_pairs,
       count(*) FILTER (WHERE word_set(repeat(c, 3)) = tokenset(ARRAY[repeat(c, 3)])) AS as_words
FROM (VALUES
    ('Thai', U&'\0E01\0E46'), ('Thai digits', U&'\0E50\0E59'), ('Lao', U&'\0E81\0EC6'), ('Lao digits', U&'\0ED0\0ED9'),
    ('Lao for Khmu', U&'\0EDE\0EDF'), ('Tibetan', U&'\0F40'), ('Myanmar', U&'\1000\103F'), ('Myanmar digits', U&'\1040\1049'),
    ('Myanmar for Pali and Shan', U&'\1050\108E'), ('Shan digits', U&'\1090\1099'), ('Georgian', U&'\10D0'), ('Khmer', U&'\1780\17DC'),
    ('Khmer digits', U&'\17E0\17E9'), ('Limbu', U&'\1900\194F'), ('Tai Le', U&'\1950\1974'), ('New Tai Lue', U&'\1980\19C7'),
    ('New Tai Lue digits', U&'\19D0\19D9'), ('Buginese', U&'\1A00'), ('Tai Tham', U&'\1A20\1A54'), ('Tai Tham digits', U&'\1A80\1A99'),
    ('Tai Tham sign', U&'\1AA7'), ('iteration mark and zero', U&'\3005\3007'), ('Hangzhou numerals', U&'\3021\3029'),
    ('repeat marks', U&'\3031\303C'), ('Hiragana', U&'\3041\3096'), ('Katakana', U&'\30A1\30FA'), ('Bopomofo', U&'\3105\312F'),
    ('Bopomofo extended', U&'\31A0\31BF'), ('Katakana for Ainu', U&'\31F0\31FF'), ('Han extension A', U&'\3400\4DBF'),
    ('Han', U&'\4E00\9FFF'), ('Yi', U&'\A000\A48C'), ('Lisu', U&'\A4D0'), ('Javanese', U&'\A984'),
    ('Myanmar for Shan', U&'\A9E0\A9EF'), ('Tai Laing digits', U&'\A9F0\A9F9'), ('Tai Laing', U&'\A9FA\A9FE'), ('Cham', U&'\AA40'),
    ('Myanmar for Khamti', U&'\AA60\AA7A'), ('Tai Viet', U&'\AA80\AADD'), ('Meetei Mayek', U&'\AAE0'), ('Hangul', U&'\AC00\D7A3'),
    ('Han compatibility', U&'\FA0E\FA29'), ('Ahom', U&'\+011700\+01171A'), ('Ahom digits', U&'\+011730\+011739'),
    ('Ahom for Sanskrit', U&'\+011740\+011746'), ('Tangut', U&'\+016FE0\+017000\+018D08'), ('Kana supplement', U&'\+01AFF0\+01B000\+01B122'),
    ('Nushu', U&'\+01B170\+01B2FB'), ('Han extensions', U&'\+020000\+0323AF')) AS v(script, sample),
    string_to_table(sample, NULL) AS letter, normalize_text(letter) AS c
GROUP BY script ORDER BY min(ascii(letter));
-- Of one part all are marks.
SELECT word_set(U&'\109A\1000\1001') = tokenset(ARRAY[U&'\109A\1000', U&'\1000\1001']) AS signs_of_khamti;

-- Words of a text that is longer than any buffer.
SELECT word_tokens(string_agg('Word' || i, ', ')) = element_tokens(array_agg('word' || i)) AS same
FROM generate_series(1, 100000) AS i;

-- Shingles.
SELECT shingle_set('A rose is a rose is a rose', 4)
     = tokenset(ARRAY['a rose is a', 'rose is a rose', 'is a rose is']) AS set,
       shingle_tokens('A rose is a rose is a rose', 4)
     = element_tokens(ARRAY['a rose is a', 'rose is a rose', 'is a rose is', 'a rose is a', 'rose is a rose']) AS tokens,
       shingle_set('two words', 3) = tokenset(ARRAY['two words']) AS shorter,
       shingle_set('two words', 2147483647) = tokenset(ARRAY['two words']) AS much_shorter,
       shingle_set('two words', 2) = tokenset(ARRAY['two words']) AS as_long,
       shingle_set('two words', 1) = word_set('two words') AS width_1,
       shingle_set('漢字かな', 2) = tokenset(ARRAY['漢字 字か', '字か かな']) AS pairs;
SELECT count(*) AS differences
FROM (SELECT array_agg('w' || i % 1117 ORDER BY i) AS words FROM generate_series(1, 4000) AS i) AS t,
     unnest(ARRAY[1, 2, 3, 511, 512, 1023, 1024, 1025, 3999, 4000, 4001]) AS width
WHERE shingle_tokens(array_to_string(words, ' '), width)
   <> element_tokens(ARRAY(SELECT array_to_string(words[i:i + width - 1], ' ')
                            FROM generate_series(1, greatest(4000 - width + 1, 1)) AS i));
SELECT shingle_tokens(strip_numbers(strip_tags('<p>a 1 b</p> c')), 2) = tokenset(ARRAY['a b', 'b c']) AS stripped;

-- Q-grams count characters, blanks included.
SELECT qgram_set('Ab, cdé', 3) = tokenset(ARRAY['ab ', 'b c', ' cd', 'cdé']) AS set,
       qgram_tokens('aaaa', 2) = element_tokens(ARRAY['aa', 'aa', 'aa']) AS tokens,
       qgram_set('né', 3) = tokenset(ARRAY['né']) AS shorter,
       qgram_set('né', 2147483647) = tokenset(ARRAY['né']) AS much_shorter,
       qgram_set('漢字', 1) = tokenset(ARRAY['漢', '字']) AS single;
SELECT qgram_tokens(text, 3) = element_tokens(ARRAY(SELECT substr(text, i, 3) FROM generate_series(1, length(text) - 2) AS i)) AS same
FROM (SELECT string_agg(i::text || 'é', ' ') AS text FROM generate_series(1, 3000) AS i) AS t;

-- Q-grams of words: each padded with q - 1 blanks before it and one behind it. The order of words does not
-- count; with q = 1 there is no padding. What stands between words is what normalization says.
SELECT word_qgram_set('John Smith', 3) = tokenset(ARRAY['  j', ' jo', 'joh', 'ohn', 'hn ', '  s', ' sm', 'smi', 'mit', 'ith', 'th ']) AS set,
       word_qgram_tokens('Smith, JOHN', 3) = word_qgram_tokens('john smith', 3) AS any_order,
       word_qgram_tokens('aa aa', 2) = element_tokens(ARRAY[' a', 'aa', 'a ', ' a', 'aa', 'a ']) AS tokens,
       word_qgram_set('don''t a_b', 3) = word_qgram_set('don t a b', 3) AS separators,
       word_qgram_set('né', 4) = tokenset(ARRAY['   n', '  né', ' né ']) AS accents,
       word_qgram_set('Ду 5', 2) = tokenset(ARRAY[' д', 'ду', 'у ', ' 5', '5 ']) AS cyrillic;
WITH texts AS (
    SELECT string_agg(left(repeat(CASE WHEN i % 7 = 0 THEN 'né' WHEN i % 5 = 0 THEN 'к' ELSE chr(97 + i % 26) || i END, 9), 1 + i % 13), ' ' ORDER BY i) AS text
    FROM generate_series(1, 3000) AS i
    UNION ALL SELECT string_agg(left(md5(i::text), 1 + i % 33), ' ' ORDER BY i) FROM generate_series(1, 1000) AS i
    UNION ALL SELECT repeat('long', 500))
SELECT q, count(*) FILTER (WHERE word_qgram_tokens(text, q) <> expected) AS differ
FROM texts, unnest(ARRAY[1, 2, 3, 4, 5, 12, 100]) AS q,
     LATERAL (SELECT element_tokens(array_agg(substr(padded, i, q))) AS expected
              FROM string_to_table(text, ' ') AS word, LATERAL (SELECT repeat(' ', q - 1) || word || left(' ', q - 1) AS padded) AS p,
                   LATERAL generate_series(1, length(padded) - q + 1) AS i) AS e
GROUP BY q ORDER BY q;

-- Runs of scripts without spaces give pairs of characters, a blank before the first one and behind the last one, for any q from 2 on.
SELECT text, q, word_qgram_set(text, q) = tokenset(grams) AS as_expected FROM (VALUES
    ('王明', 3, ARRAY[' 王', '王明', '明 ']),
    ('王小明', 2, ARRAY[' 王', '王小', '小明', '明 ']),
    ('王', 100, ARRAY[' 王', '王 ']),
    ('王明', 1, ARRAY['王', '明']),
    ('第3版', 3, ARRAY[' 第', '第 ', '  3', ' 3 ', ' 版', '版 ']),
    ('Tanaka 田中、ミナ', 3, ARRAY['  t', ' ta', 'tan', 'ana', 'nak', 'aka', 'ka ', ' 田', '田中', '中 ', ' ミ', 'ミナ', 'ナ ']),
    ('김철수', 3, ARRAY['  김', ' 김철', '김철수', '철수 ']),
    ('สวัสดี', 3, ARRAY[' ส', 'สวั', 'วัส', 'สดี', 'ดี ']),
    (U&'\6F22\0301\5B57', 2, ARRAY[U&' \6F22\0301', U&'\6F22\0301\5B57', '字 '])) AS v(text, q, grams);
SELECT jaccard(word_qgram_set('王小明', 3), word_qgram_set('王小民', 3))::numeric(3, 2) AS of_three, jaccard(word_qgram_set('王明', 3), word_qgram_set('李明', 3)) AS of_two;

-- Widths below 1.
SELECT shingle_tokens('a b', 0);
\echo :LAST_ERROR_SQLSTATE
SELECT shingle_set('', -1);
\echo :LAST_ERROR_SQLSTATE
SELECT qgram_tokens('a b', 0);
\echo :LAST_ERROR_SQLSTATE
SELECT qgram_set('', -1);
\echo :LAST_ERROR_SQLSTATE
SELECT word_qgram_tokens('a b', 0);
\echo :LAST_ERROR_SQLSTATE
SELECT word_qgram_set('', -1);
\echo :LAST_ERROR_SQLSTATE
SELECT word_qgram_tokens('', 101);
\echo :LAST_ERROR_SQLSTATE
SELECT shingle_set(''::tsvector, 0);
\echo :LAST_ERROR_SQLSTATE

-- Arrays: texts as they are, integers as themselves, all dimensions as one.
SELECT tokenset('{3,1,3,-2}'::int4[]) AS int4, tokenset('{9223372036854775807,-1,-1}'::int8[]) AS int8,
       tokenset('{{1,2},{2,3}}'::int4[]) AS two_dimensions, tokenset('{}'::int4[]) AS none, tokenset('{}'::text[]) AS no_text;
SELECT tokenset(ARRAY['as', 'as']) = word_set('as') AS text, tokenset(ARRAY['As']) = word_set('As') AS not_normalized,
       tokenset(ARRAY['']::text[])::int8[] = ARRAY[fingerprint('')] AS empty_string,
       tokenset(ARRAY['as']::varchar[]) = word_set('as') AS "varchar",
       element_tokens('{1,1}'::int4[]) = element_tokens('{1,1}'::int8[]) AS integers,
       cardinality(element_tokens('{1,1,1}'::int4[])) AS numbered;
SELECT '{1,2}'::int4[]::tokenset, '{1,2}'::int8[]::tokenset, '{as}'::text[]::tokenset, 'as'::tsvector::tokenset;
SELECT tokenset(array_remove(ARRAY[1, NULL, 2], NULL)) AS nulls_removed,
       tokenset((ARRAY[1, NULL, 2])[3:3]) AS null_cut_off;
SELECT tokenset(ARRAY['a', NULL]);
\echo :LAST_ERROR_SQLSTATE
SELECT tokenset(ARRAY[1, NULL]);
\echo :LAST_ERROR_SQLSTATE
SELECT element_tokens(ARRAY[1, NULL]::int8[]);
\echo :LAST_ERROR_SQLSTATE

-- Words of code, as they stand: identifiers, numbers, single marks. White space, control and format characters are
-- between them; letters of scripts without spaces are words.
\pset format unaligned
SELECT code_words(text) FROM (VALUES
    ('if (a<b) return a-b;'), ('C++, C#, -5 °C'), ('0x1F 3.14e-10 1_000.5E+3 1.2.3 v2.0'), ('12abe-1 0xe-1 1e- 1..2 .5 5.'), ('/usr/lib/x.so $HOME a_b __c'),
    (E'a\tb\r\nc' || U&'\00A0\200D\FEFF' || 'd'), ('"it''s" // a'), ('Ünïcode naïve ' || U&'e\0301 +\0301'), ('変数=1'), ('ไทย'), ('한국어'), ('x² m³'), ('😀❤️'), (' '), ('')) AS v(text);
\pset format aligned
SELECT array_dims(code_words('a+b')) AS dimensions, pg_typeof(code_words('a')) AS type, code_words('a b') = ARRAY['a', 'b'] AS equal;
-- The rule as a regular expression, on random texts.
SELECT count(*) AS texts, count(*) FILTER (WHERE code_words(text) <> expected) AS differ, sum(cardinality(expected)) AS words
FROM (SELECT string_agg(substr(E'abex_019..-+<= \t;', 1 + (hashint4(i * 50 + k) & 65535) % 17, 1), '' ORDER BY k) AS text
      FROM generate_series(1, 5000) AS i, generate_series(1, 40) AS k WHERE k <= 1 + i % 40 GROUP BY i) AS t,
     LATERAL (SELECT array(SELECT word[1] FROM regexp_matches(text, '((?:\d(?:[\d_]|\.(?=\d))*e[-+](?=\d)|\d)(?:\w|\.(?=\d))*|[a-z_]\w*|[^\s\w])', 'g') WITH ORDINALITY AS w (word, n) ORDER BY n) AS expected) AS e;

-- Shingles of elements, as they stand.
SELECT shingle_tokens(code_words('a+b a+b'), 2) = element_tokens(ARRAY['a +', '+ b', 'b a', 'a +', '+ b']) AS tokens,
       shingle_set(ARRAY['a', 'b', 'a', 'b'], 2) = tokenset(ARRAY['a b', 'b a']) AS set,
       shingle_set(ARRAY['A'], 2) = tokenset(ARRAY['A']) AS shorter, shingle_set('{}'::text[], 2) AS none,
       shingle_set(ARRAY[['a', 'b'], ['c', 'd']], 3) = shingle_set('a b c d', 3) AS two_dimensions,
       shingle_tokens(string_to_array('one two three', ' '), 2) = shingle_tokens('one two three', 2) AS as_of_text;
SELECT count(*) AS differences
FROM (SELECT array_agg('w' || i % 1117 ORDER BY i) AS words FROM generate_series(1, 4000) AS i) AS t, unnest(ARRAY[1, 2, 511, 1024, 4000, 2147483647]) AS width
WHERE shingle_tokens(words, width) <> shingle_tokens(array_to_string(words, ' '), width) OR shingle_set(words, width) <> shingle_set(array_to_string(words, ' '), width);
SELECT jaccard(shingle_set('if (a<b) return a-b;', 2), shingle_set('if (a>b) return a+b;', 2)) AS by_words,
       round(jaccard(shingle_set(code_words('if (a<b) return a-b;'), 2), shingle_set(code_words('if (a>b) return a+b;'), 2))::numeric, 2) AS by_words_of_code,
       tokenset(code_words('C++')) = tokenset(code_words('C#')) AS same_language;
SELECT shingle_tokens(ARRAY['a', NULL], 2);
\echo :LAST_ERROR_SQLSTATE
SELECT shingle_set(ARRAY[NULL], 2);
\echo :LAST_ERROR_SQLSTATE
SELECT shingle_tokens(ARRAY['a'], 0);
\echo :LAST_ERROR_SQLSTATE
SELECT shingle_set('{}'::text[], -1);
\echo :LAST_ERROR_SQLSTATE

-- Lexemes; in a multiset each counts as often as it has positions.
SELECT tokenset('b:2 a:1,3'::tsvector) = tokenset(ARRAY['a', 'b']) AS set,
       element_tokens('b:2 a:1,3'::tsvector) = element_tokens(ARRAY['a', 'b', 'a']) AS counted,
       element_tokens('b a'::tsvector) = tokenset(ARRAY['a', 'b']) AS stripped,
       tokenset(''::tsvector) AS none;
SELECT shingle_set('rose:2,5,8 is:3,6 a:1,4,7'::tsvector, 4) = shingle_set('a rose is a rose is a rose', 4) AS in_order,
       shingle_tokens('rose:2,5,8 is:3,6 a:1,4,7'::tsvector, 2) = shingle_tokens('a rose is a rose is a rose', 2) AS numbered,
       shingle_set('b:1 a:1 c:2'::tsvector, 2) = tokenset(ARRAY['a b', 'b c']) AS ties,
       shingle_set('b:2A a:1'::tsvector, 5) = tokenset(ARRAY['a b']) AS shorter,
       shingle_set(''::tsvector, 2) AS none,
       shingle_set(to_tsvector('english', 'The cats, <b>dogs</b> and birds'), 2) = tokenset(ARRAY['cat dog', 'dog bird']) AS english;
SELECT shingle_set('a b'::tsvector, 2);
\echo :LAST_ERROR_SQLSTATE
SELECT shingle_set('a b:1'::tsvector, 2);
\echo :LAST_ERROR_SQLSTATE

-- Literals of no type: one meaning each, but where elements may be texts or numbers.
SELECT cardinality(word_tokens('a b')), cardinality(word_set('a b')), cardinality(shingle_tokens('a b', 2)),
       cardinality(shingle_set('a b', 2)), cardinality(qgram_tokens('a b', 2)), cardinality(qgram_set('a b', 2)),
       cardinality(word_qgram_tokens('a b', 2)), cardinality(word_qgram_set('a b', 2)), code_words('a b'),
       cardinality(shingle_set('a:1 b:2'::tsvector, 1)), tokenset('{2,1}');
\set VERBOSITY sqlstate
SELECT element_tokens('{a}');
\set VERBOSITY default

SELECT word_set(NULL) IS NULL AND word_tokens(NULL) IS NULL AND shingle_set('a', NULL) IS NULL
   AND qgram_set(NULL, 1) IS NULL AND word_qgram_tokens(NULL, 1) IS NULL AND word_qgram_set('a', NULL) IS NULL AND tokenset(NULL::text[]) IS NULL AND code_words(NULL) IS NULL
   AND shingle_tokens(NULL::text[], 1) IS NULL AND shingle_set('{a}'::text[], NULL) IS NULL AND shingle_set('a:1'::tsvector, NULL) IS NULL AS strict;
