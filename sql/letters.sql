-- Letters, digits and marks that people write for each other: normalize_text, strip_marks.
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
