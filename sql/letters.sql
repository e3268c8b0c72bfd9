-- Letters, digits and marks that people write for each other: normalize_text, strip_marks, fold_letters.
\getenv source PG_ABS_SRCDIR
SET client_encoding = 'UTF8';

-- Digits: those of each script that Unicode 14 has, by where its zero is, are ASCII digits in words and numbers.
CREATE TABLE digits AS
SELECT script, value, chr(zero + value) AS digit
FROM (VALUES
    ('Arabic', x'660'::int), ('Persian', x'6F0'::int), ('NKo', x'7C0'::int), ('Devanagari', x'966'::int), ('Bengali', x'9E6'::int), ('Gurmukhi', x'A66'::int), ('Gujarati', x'AE6'::int),
    ('Oriya', x'B66'::int), ('Tamil', x'BE6'::int), ('Telugu', x'C66'::int), ('Kannada', x'CE6'::int), ('Malayalam', x'D66'::int), ('Sinhala', x'DE6'::int), ('Thai', x'E50'::int),
    ('Lao', x'ED0'::int), ('Tibetan', x'F20'::int), ('Myanmar', x'1040'::int), ('Shan', x'1090'::int), ('Khmer', x'17E0'::int), ('Mongolian', x'1810'::int), ('Limbu', x'1946'::int),
    ('New Tai Lue', x'19D0'::int), ('Tai Tham Hora', x'1A80'::int), ('Tai Tham Tham', x'1A90'::int), ('Balinese', x'1B50'::int), ('Sundanese', x'1BB0'::int), ('Lepcha', x'1C40'::int),
    ('Ol Chiki', x'1C50'::int), ('Vai', x'A620'::int), ('Saurashtra', x'A8D0'::int), ('Kayah Li', x'A900'::int), ('Javanese', x'A9D0'::int), ('Tai Laing', x'A9F0'::int), ('Cham', x'AA50'::int),
    ('Meetei Mayek', x'ABF0'::int), ('full width', x'FF10'::int), ('Osmanya', x'104A0'::int), ('Hanifi Rohingya', x'10D30'::int), ('Brahmi', x'11066'::int), ('Sora Sompeng', x'110F0'::int),
    ('Chakma', x'11136'::int), ('Sharada', x'111D0'::int), ('Khudawadi', x'112F0'::int), ('Newa', x'11450'::int), ('Tirhuta', x'114D0'::int), ('Modi', x'11650'::int), ('Takri', x'116C0'::int),
    ('Ahom', x'11730'::int), ('Warang Citi', x'118E0'::int), ('Dives Akuru', x'11950'::int), ('Bhaiksuki', x'11C50'::int), ('Masaram Gondi', x'11D50'::int), ('Gunjala Gondi', x'11DA0'::int),
    ('Mro', x'16A60'::int), ('Tangsa', x'16AC0'::int), ('Pahawh Hmong', x'16B50'::int), ('mathematical bold', x'1D7CE'::int), ('double-struck', x'1D7D8'::int), ('sans-serif', x'1D7E2'::int),
    ('bold sans-serif', x'1D7EC'::int), ('monospace', x'1D7F6'::int), ('Nyiakeng Puachue Hmong', x'1E140'::int), ('Wancho', x'1E2F0'::int), ('Adlam', x'1E950'::int), ('segmented', x'1FBF0'::int)) AS z (script, zero),
     generate_series(0, 9) AS value;
SELECT count(*) AS digits, count(*) FILTER (WHERE normalize_text(digit) <> value::text) AS not_normalized,
       count(*) FILTER (WHERE word_tokens('a' || digit || '7') <> word_tokens('a' || value || '7')) AS other_words,
       count(*) FILTER (WHERE qgram_tokens('a' || digit || '7', 2) <> qgram_tokens('a' || value || '7', 2)) AS other_grams,
       count(*) FILTER (WHERE number_words('no ' || digit || 'b') <> value || 'b') AS other_numbers,
       count(*) FILTER (WHERE strip_numbers('a ' || digit || ' b') <> strip_numbers('a ' || value || ' b')) AS not_stripped
FROM digits;
-- Other numbers stay what they are.
SELECT text, normalize_text(text) AS normalized, number_words(text) AS number_words
FROM (VALUES ('٢٠٢٤'), ('২০২৪ সাল'), ('ราคา๕๐บาท'), ('一二三'), ('〇'), ('፲፪'), ('Ⅷ'), ('²')) AS v (text);
-- Where a word with such digits is, in the text as it stands.
SELECT a, b, words, substr('النص ٢٠٢٤ كتاب', lower(in_a), upper(in_a) - lower(in_a)) AS passage FROM common_passages('النص ٢٠٢٤ كتاب', 'النص 2024 كتاب', 3), (VALUES (1, 2)) AS v (a, b);

-- strip_marks: letters of Arabic and Persian, Turkish and Azeri i, Hebrew words, Thai and Lao vowels.
\pset format unaligned
SELECT text, strip_marks(text) AS stripped, word_set(strip_marks(text)) = word_set(strip_marks(other)) AS same FROM (VALUES
    ('مدرسة', 'مدرسه'), ('على', 'علي'), ('علی', 'علي'), ('کتاب', 'كتاب'), ('ٱلله', 'الله'), ('أإآا', 'اااا'), ('خانۀ', 'خانه'), ('ہم', 'هم'), ('سے', 'سي'),
    ('ISPARTA', 'ısparta'), ('İstanbul', 'ISTANBUL'), ('i' || U&'\0307zmir', 'IZMIR'), ('Əli', 'Eli'),
    ('צה"ל', 'צהל'), ('צה״ל', 'צהל'), ('צַהַ”ל', 'צהל'), ('ג''ון', 'ג׳ון'), ('ג’ון', 'גון'), ('"שלום"', 'שלום'), ('רח'' הרצל', 'רח הרצל'), ('ה""ל', 'הל'), ('a"ל', 'aל'),
    ('น้ำ', 'น' || U&'\0E33\0E49'), ('น้ำ', 'น' || U&'\0E4D\0E49\0E32'), ('น้ำ', 'น' || U&'\0E49\0E4D\0E32'), ('คำ', 'ค' || U&'\0E4D\0E32'),
    ('ນ້ຳ', 'ນ' || U&'\0EB3\0EC9'), ('ນ້ຳ', 'ນ' || U&'\0ECD\0EC9\0EB2'), ('ນ' || U&'\0EB3\0E49', 'ນ້ຳ')) AS v (text, other);
-- A word of marks alone stays; with anything else in it, they go.
SELECT '[' || strip_marks(text) || ']' AS stripped FROM (VALUES
    (U&'\0640'), (U&'\0640\064E'), (U&'a \0640 b'), (U&'\0640\0645'), (U&'\0301'), (U&'.\0301.'), (U&'\0301\200Da'), (U&'\0301\0301\00E9'), (U&'\0345'), (U&'\0301\0345'), (U&'a\0345')) AS v (text);
\pset format aligned
SELECT strip_marks(repeat(U&'\0E19\0E33\0E49', 100000)) = repeat(U&'\0E19\0E49\0E33', 100000) AS many_vowels,
       strip_marks(repeat(U&'\05D0"', 100000)) = repeat(U&'\05D0', 100000) || '"' AS many_quotes,
       strip_marks(repeat(U&'\05D0\05F4', 100000)) = repeat(U&'\05D0', 100000) || U&'\05F4' AS many_gershayim,
       strip_marks(repeat(U&'\0640', 100000)) = repeat(U&'\0640', 100000) AS many_tatweels,
       strip_marks(repeat(U&'\0640', 100000) || 'a') = 'a' AS and_a_letter;

-- fold_letters: kana and their long vowels, look-alikes in Latin words, languages.
\pset format unaligned
SELECT text, fold_letters(text) AS folded, fold_letters(text) = fold_letters(other) AS same FROM (VALUES
    ('ひらがな', 'ヒラガナ'), ('ｶﾞｲﾄﾞ', 'がいど'), ('ｺﾝﾋﾟｭｰﾀｰ', 'コンピュータ'), ('とうきょう', 'トーキョー'), ('おおさか', 'オーサカ'), ('せんせい', 'センセー'), ('ラーーメン', 'らーめん'),
    ('スウェーデン', 'すうぇーでん'), ('ゔぃおら', 'ヴィオラ'), ('東京タワー', '東京たわー'), ('コピー', 'コピ'), ('ビール', 'ビル'), ('おばあさん', 'おばさん'), ('ゆうき', 'ゆき'), ('思う', '思ウ'), ('わ' || U&'\3099', 'ヷ'),
    (U&'p\0430ypal', 'paypal'), (U&'\0421lara', 'Clara'), (U&'\041C\0410X', 'MAX'), (U&'\03A4om', 'Tom'), (U&'J\0585hn', 'John'), (U&'\0430\0435', 'ae'), (U&'x\0436', 'x'), (U&'\0456phone 5', 'iphone 5'),
    (U&'\0410-bc', 'A-bc'), ('José Łukasz', 'Jose Lukasz'), ('plain ASCII', 'plain ASCII'), ('', '')) AS v (text, other);
SELECT text, fold_letters(text, language) AS folded, fold_letters(text, language) = fold_letters(other, language) AS same FROM (VALUES
    ('Müller', 'Mueller', 'de'), (U&'u\0308ber Gr\00F6\00DFe', 'ueber Groesse', 'de'), ('Ärger', 'AErger', 'de'), ('Müller', 'Muller', 'de'), ('naïve', 'naive', 'de'), ('Århus', 'AArhus', 'da'), ('Søren Kjær', 'Soeren Kjaer', 'da'), ('Øst', 'OEst', 'da'), ('Ålesund', 'AAlesund', 'no'), ('Tromsø', 'Tromsoe', 'nn'),
    ('Malmö', 'Malmoe', 'sv'), ('Ångström', 'AAngstroem', 'sv'), ('IJsselmeer', 'Ysselmeer', 'nl'), ('van Dĳk', 'van Dijk', 'nl'), ('Dijk', 'Dyk', 'nl'), ('één', 'een', 'nl'), ('Müller', 'Muller', NULL)) AS v (text, other, language);
\pset format aligned
SELECT fold_letters(NULL, 'de') IS NULL AND fold_letters(NULL) IS NULL AS null_of_null;
SELECT fold_letters('a', 'fr');
SELECT fold_letters(repeat('ー', 100000) || repeat('あ', 100000)) = 'ーアー' AS many_kana, fold_letters(repeat(U&'\0430', 100000) || 'b') = repeat('a', 100000) || 'b' AS a_long_word,
       fold_letters(repeat('ij', 100000), 'nl') = repeat('y', 100000) AS many_ij;
-- Every code point, in a Latin word, a Japanese one and alone: folded twice is folded once, what strip_marks unites fold_letters does,
-- and a word stays a word, but for U+0345, whose normal form is a letter. Each language adds to that for Latin letters.
CREATE TEMP TABLE code_points AS
    SELECT chr(c) AS c FROM generate_series(1, 1114111) AS c WHERE c NOT BETWEEN 55296 AND 57343;
SELECT count(*) FILTER (WHERE fold_letters(latin) <> latin OR fold_letters(kana) <> kana OR fold_letters(alone) <> alone) AS not_idempotent,
       count(*) FILTER (WHERE fold_letters(stripped) <> latin) AS not_of_stripped,
       count(*) FILTER (WHERE c <> U&'\0345' AND normalize_text(c) <> '' AND (normalize_text(alone) = '' OR normalize_text(stripped_alone) = '')) AS emptied
FROM (SELECT c, fold_letters('a' || c || 'b') AS latin, strip_marks('a' || c || 'b') AS stripped, fold_letters('かう' || c || 'うー') AS kana,
             fold_letters(c) AS alone, strip_marks(c) AS stripped_alone
      FROM code_points) AS f;
SELECT language, count(*) FILTER (WHERE fold_letters(latin, language) <> latin) AS not_idempotent, count(*) FILTER (WHERE latin <> fold_letters('a' || c || 'b')) AS others
FROM (SELECT language, c, fold_letters('a' || c || 'b', language) AS latin FROM code_points, unnest('{da,de,nl,sv}'::text[]) AS language WHERE ascii(c) < x'2000'::int) AS f
GROUP BY 1 ORDER BY 1;
-- So it is with random texts of the letters and marks that depend on their neighbours, and canonically equivalent ones are one.
CREATE TABLE neighbours AS
SELECT i, string_agg(substr(alphabet, 1 + (hashint4(i * 50 + k) & 65535) % length(alphabet), 1), '' ORDER BY k) AS body
FROM generate_series(1, 20000) AS i, generate_series(1, 12) AS k,
     LATERAL (SELECT (ARRAY[U&'\0E19\0E32\0E33\0E48\0E49\0E4D\0E38\0EB3\0EB2\0ECD\0EC9', U&'\05D4\05DC"''\05F3\2019\05B8\0640\200Da =.', U&'aouAU\0308\030A\0331\0301\00F8\0640\0430\0436 .=ijJ\0133',
                             U&'\30A2\3046\3044\30FC\FF70\30A7\30F3\3088\30BB\3099\FF76\FF9E\FF9F\25DB\031D\6F22 ', U&'\0301\0640\064E\0627\06CC\0649\FE0F\200C a.=\2260'])[1 + i % 5] AS alphabet) AS of_kind
WHERE k <= 1 + i % 12 GROUP BY i;
SELECT count(*) AS texts, count(*) FILTER (WHERE strip_marks(stripped) <> stripped) AS not_idempotent, count(*) FILTER (WHERE strip_marks(normalize(body, NFD)) <> stripped) AS not_equivalent,
       count(*) FILTER (WHERE stripped IS NOT NFC NORMALIZED) AS not_composed, count(*) FILTER (WHERE normalize_text(body) <> '' AND normalize_text(stripped) = '') AS emptied,
       count(*) FILTER (WHERE strip_marks(repeat('ж', 4090 + i % 8) || body) <> repeat('ж', 4089 + i % 8) || strip_marks('ж' || body)) AS seen_in_pieces
FROM neighbours, strip_marks(body) AS stripped;
SELECT coalesce(language, 'none') AS language, count(*) FILTER (WHERE fold_letters(folded, language) <> folded) AS not_idempotent, count(*) FILTER (WHERE fold_letters(normalize(body, NFD), language) <> folded) AS not_equivalent,
       count(*) FILTER (WHERE folded IS NOT NFC NORMALIZED) AS not_composed, count(*) FILTER (WHERE normalize_text(body) <> '' AND normalize_text(folded) = '') AS emptied,
       count(*) FILTER (WHERE language IS NULL AND fold_letters(strip_marks(body)) <> folded) AS not_of_stripped
FROM neighbours, unnest('{da,de,nl,NULL}'::text[]) AS language, fold_letters(body, language) AS folded GROUP BY language ORDER BY 1;

-- Each letter that looks like a Latin one, by Unicode, and no other letter of these scripts.
SELECT string_agg(c || folded, ' ' ORDER BY c COLLATE "C") FILTER (WHERE folded <> c) AS look_alikes, count(*) FILTER (WHERE folded <> c) AS number
FROM (SELECT c, left(fold_letters(c || 'Z'), -1) AS folded FROM code_points WHERE ascii(c) BETWEEN x'370'::int AND x'58F'::int AND strip_marks(c || 'Z') = c || 'Z') AS f;

-- Pairs that a person has judged: how many each folding gets right.
\i :source/sql/include/pairs_of_words.sql
CREATE TABLE judged AS
SELECT language, a, b, same, (word_set(a) = word_set(b)) = same AS by_words, (word_set(strip_marks(a)) = word_set(strip_marks(b))) = same AS by_strip_marks,
       (word_set(fold_letters(a, code)) = word_set(fold_letters(b, code))) = same AS by_fold_letters
FROM pairs_of_words;
SELECT coalesce(language, 'all') AS language, count(*) AS pairs, count(*) FILTER (WHERE same) AS same, count(*) FILTER (WHERE by_words) AS words,
       count(*) FILTER (WHERE by_strip_marks) AS strip_marks, count(*) FILTER (WHERE by_fold_letters) AS fold_letters
FROM judged GROUP BY ROLLUP (language) ORDER BY judged.language COLLATE "C" NULLS LAST;
SELECT same, count(*) AS pairs, count(*) FILTER (WHERE by_words) AS words, count(*) FILTER (WHERE by_strip_marks) AS strip_marks, count(*) FILTER (WHERE by_fold_letters) AS fold_letters
FROM judged GROUP BY same ORDER BY same DESC;
\pset format unaligned
SELECT language, a, b, same FROM judged WHERE NOT by_fold_letters ORDER BY language COLLATE "C", a COLLATE "C";
\pset format aligned
