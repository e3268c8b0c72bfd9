-- Normalization, stripping and fingerprints. The expected values are those of
-- PostgreSQL's own functions, or are written out.
SET client_encoding = 'UTF8';

-- Normal form: compatibility characters, case, punctuation, blanks at the ends.
-- How wide psql takes a character to be depends on its version.
\pset format unaligned
SELECT text, '[' || normalize_text(text) || ']' AS normalized FROM (VALUES
    ('Héllo,  WÖRLD!'), ('ﬁne print'), ('ẞ and ß'), ('İstanbul'), ('ΟΔΟΣ'), ('ｆｕｌｌ　width'),
    ('don''t'), ('a_b-c'), ('①②'), ('5½'), ('soft' || U&'\00AD' || 'hyphen'), ('한국어'),
    ('ﾊﾟﾋﾟ'), ('x' || U&'\00B4' || 'y'), (U&'\FDFA'), ('family: 👨‍👩‍👧'), ('=' || U&'\0338'),
    ('  '), (''), ('?!'), (U&'\0301' || 'a')) AS v(text);
\pset format aligned

-- A mark composes across whatever Unicode ignores between them.
SELECT normalize_text(U&'e\034F\0301') = U&'\00E9' AS joiner,
       normalize_text(U&'e\200D\0301') = U&'\00E9' AS zero_width_joiner;

-- Lower-case words are normalized as PostgreSQL does it.
SELECT count(*) AS differences FROM unnest(ARRAY[
    'plain', U&'e\0301', U&'a\0323\0302', U&'a\0302\0323', U&'q\0307\0323', U&'\1100\1161\11A8',
    U&'\AC00\11A8', U&'\304B\3099', U&'\FF76\FF9E', U&'\0958', U&'\0DD9\0DCF\0DCA', U&'\09C7\09BE',
    U&'\0CC6\0CC2\0CD5', U&'\FB01\FB03', U&'\1EA5\0323', U&'\0E33', U&'\0344', U&'\F900', U&'o\031B\0323',
    U&'\03B1\0301', 'naïve café', U&'\1100\1161\1161\11A8']) AS word
WHERE normalize_text(word) <> normalize(word, NFKC);

-- Every code point: normalizing twice is normalizing once, and its canonical
-- decomposition has the same normal form. Two letters of Unicode 16 decompose, which
-- an older utf8proc does not know.
CREATE TEMP TABLE code_points AS
    SELECT chr(c) AS c FROM generate_series(1, 1114111) AS c
    WHERE c NOT BETWEEN 55296 AND 57343 AND c NOT IN (x'105C9'::int, x'105E4'::int);
SELECT count(*) FILTER (WHERE normalize_text(once) <> once) AS not_idempotent,
       count(*) FILTER (WHERE normalize_text(decomposed) <> once) AS not_equivalent
FROM (SELECT normalize_text('a' || c || 'b') AS once, normalize('a' || c || 'b', NFD) AS decomposed
      FROM code_points) AS n;

-- So have texts that differ in the order of marks: U+0345 is put in order before
-- case folding makes it a letter.
SELECT count(*) AS texts, count(*) FILTER (WHERE normalize_text(text) <> normalize_text(normalize(text, NFD))) AS not_equivalent
FROM (SELECT c || first || second AS text
      FROM code_points, unnest(ARRAY[U&'\0345', U&'\0301', U&'\0313']) AS first, unnest(ARRAY[U&'\0345', U&'\0316', U&'\0342']) AS second
      WHERE ascii(c) BETWEEN x'0300'::int AND x'03FF'::int OR ascii(c) BETWEEN x'1F00'::int AND x'1FFF'::int) AS t;
SELECT normalize_text(U&'\03B1\0345\0301') = U&'\03AC\03B9' AS iota_after_accent,
       normalize_text('a' || repeat(U&'\0345\0301', 100000)) = U&'\00E1' || repeat(U&'\0301', 99999) || repeat(U&'\03B9', 100000) AS many;

-- Long stretches are normalized in pieces, which cannot be seen: all Hangul
-- syllables in one text, decomposed, at each offset.
SELECT count(*) AS differences
FROM (SELECT string_agg(chr(c), '' ORDER BY c) AS syllables FROM generate_series(44032, 55203) AS c) AS s,
     generate_series(0, 9) AS shift
WHERE normalize_text(repeat('é', shift) || normalize(syllables, NFD)) <> repeat('é', shift) || syllables;

-- So are many marks on one letter, sorted by class: the first of a class composes.
SELECT normalize_text('a' || repeat(U&'\0301\0316', 100000))
     = U&'\00E1' || repeat(U&'\0316', 100000) || repeat(U&'\0301', 99999) AS many_marks,
       normalize_text('u' || U&'\0308' || repeat(U&'\0301', 100000)) = U&'\01D8' || repeat(U&'\0301', 99999) AS two_compose;

-- Tags.
SELECT text, '[' || strip_tags(text) || ']' AS stripped FROM (VALUES
    ('<p>one</p><p>two</p>'), ('a<br/>b'), ('<a title="x > y">link</a>'), ('<a title=''x > y''>link</a>'),
    ('<a title = "x > y" href=z>link</a>'), ('<p don''t>it''s</p>'), ('1 < 2 and 3 > 2'), ('<3'), ('a <- b'), ('<'), ('<>'),
    ('x<!-- no <b> here -->y'), ('x<!-->y'), ('<!-- never closed <b>bold</b>'), ('x<!--->y-->z'),
    ('a<script type="x">if (a<b) { "</p>" }</script>b'), ('a<STYLE>p > q</Style >b'),
    ('<script>never closed'), ('<scripting>kept</scripting>'), ('<script>a</scripts>b</script>c'),
    ('<?xml version="1.0"?><r/>'), ('<!DOCTYPE html>text'), ('a<![CDATA[x < y]]>b'), ('<![CDATA[ open'),
    ('<a href="never closed>text</a>'), ('<a <b <c'), ('<a <b>c'), ('</>'), ('</p'), ('<é>'),
    ('<a x="1><b>bold</b>'), ('')) AS v(text);

-- Text that never closes a tag is read once, not once for each tag: seconds, not hours.
SET statement_timeout = '180s';
SELECT text, strip_tags(repeat(text, 1000000)) = repeat(text, 1000000) AS unchanged FROM (VALUES
    ('<<<<<<<<<<'), ('<!-- '), ('<a "'), ('<a x="'), ('<![CDATA['), ('<a b='''), ('<a x="<b y=''')) AS v(text);
SELECT length(strip_tags(repeat('<script>', 1000000))) AS blanks,
       length(strip_tags(repeat('<a x=">" ', 1000000) || 'end')) AS unchanged,
       length(strip_tags(repeat('<style>a', 1000000))) AS blanks_and_letters;
RESET statement_timeout;

-- Numbers are words of number characters only.
SELECT text, '[' || strip_numbers(text) || ']' AS stripped FROM (VALUES
    ('call 555 1234 now'), ('abc123 123abc'), ('3.14'), ('½ cup'), ('Ⅷ. ٣٤'), ('v2.0'), ('42'), ('No Numbers'),
    ('第3章'), ('')) AS v(text);
SELECT normalize_text(strip_numbers(strip_tags('<p>Call <b>555</b>-1234 <i>now</i></p>')));

-- Words with a digit, as wholes; strip_numbers takes numbers only.
SELECT text, '[' || strip_ids(text) || ']' AS stripped, '[' || strip_numbers(text) || ']' AS without_numbers FROM (VALUES
    ('id a3f2 of 7'), ('550e8400-e29b-41d4-a716-abcdefabcdef!'), ('at 12:30:05, or 12:30:05,123.'), ('2026-05-21T10:00:00.123Z'), ('21T10:30:05+02:00'), ('24/05/2026'),
    ('10.0.0.1:8080 up'), ('ip-10-2-3.eu-west.example.com:'), ('blk_-1608999687919862906'), ('12ms 5µs 0x7fFF'), ('aa:bb:cc:dd:ee:01 fe80::1'), ('user:42 code:7'),
    ('/var/log/app-12/x.log'), ('2.0~rc1 a~b ~1'), ('wait...5 of 6. Then'), ('b2b, covid-19 and v1.2.3-rc'), ('deadbeef stays'), ('-5 +6 #7'), ('x_1_y __2__'), ('end1.'), ('1'), (''),
    ('第3章2024年'), ('ราคา๕๐บาท'), ('제3장'), ('Ⅷ ½ ٣٤ x²'), ('José1 é' || U&'\0301' || '2')) AS v(text);
-- The rule as a regular expression, on random texts.
SELECT count(*) AS texts, count(*) FILTER (WHERE stripped <> expected) AS differ, count(*) FILTER (WHERE stripped <> strip_numbers(text)) AS not_numbers
FROM (SELECT string_agg(substr('aab01g_-.~:,/+ ', 1 + (hashint4(i * 50 + k) & 65535) % 15, 1), '' ORDER BY k) AS text
      FROM generate_series(1, 5000) AS i, generate_series(1, 40) AS k WHERE k <= 1 + i % 40 GROUP BY i) AS t,
     LATERAL (SELECT strip_ids(text) AS stripped, string_agg(CASE WHEN word[1] ~ '\d' THEN ' ' ELSE word[1] END, '' ORDER BY n) AS expected
              FROM regexp_matches(text, '((?:[\da-f]{1,4}:(?=[\da-f]{1,4}(?!\w))|\w+(?:[-.~](?=\w)|(?<=\d)[:,/+](?=\d)))*\w+|\W)', 'g') WITH ORDINALITY AS w (word, n)) AS e;

-- Words of a line of a log: * for values, one for several in a row.
SELECT text, log_words(text) AS words FROM (VALUES
    ('id a3f2 of 7'), ('1.08 KB sent, 12ms, 5 % of 3 kB'), ('5 Kb 7 sec. 3 s 9  s 4 seconds'), ('<1 sec'), ('proxy.example.com:5070 close'), ('from 10.0.0.1 () or 10.0.0.2 (a.example.com)'),
    ('Fri Jun 17 07:07:00 2005 up'), ('Sunday, May 1'), ('May be, Mon Jun Tue 3, March, Friday 13'), ('/ a/b ./c //d /e-f,/g (/h/i)x'), ('C:\a\b.log C: \\host\c ab:\d'),
    ('http://example.com/?a=b&c#d x://'), ('***done*** "x"=y; z'), ('[a[0]={b}]'), ('done. Next e.g. this...that'), ('第3版 の本1'), ('José é' || U&'\0301' || ' ½ x²'), ('a|b_c'), ('18846 bytes (18.4 KB) in [ () {}] f(x), (1 [2] a) (3'), (''), (' ., ')) AS v(text);
-- By how it is written, a word is a value or none: so twice is as once.
SELECT count(*) AS texts, count(*) FILTER (WHERE log_words(array_to_string(words, ' ')) <> words) AS differ,
       count(*) FILTER (WHERE array_to_string(words, ' ') ~ '\d|\* \*') AS with_values
FROM (SELECT string_agg(substr('aab01g_-.~:,/+\*()[]{}% ', 1 + (hashint4(i * 50 + k) & 65535) % 24, 1), '' ORDER BY k) AS text
      FROM generate_series(1, 5000) AS i, generate_series(1, 40) AS k WHERE k <= 1 + i % 40 GROUP BY i) AS t,
     LATERAL (SELECT log_words(text) AS words) AS w;

-- Marks: what goes, and what stays. Only marks of scripts that are read without them go, and not from symbols.
\pset format unaligned
SELECT text, '[' || strip_marks(text) || ']' AS stripped FROM (VALUES
    ('José Núñez'), ('JOSE' || U&'\0301'), (U&'\0301' || 'a'), ('Łódź Ørsted đħŧ ı æŒ þð ß ẞ'), ('Đặng Việt, ǽ ǿ'), ('Ёлка, йод, ї ў'), ('Ελλάδα ΐ ᾳ'),
    ('مُحَمَّدٌ مـــحمد'), ('أحمد إبراهيم آمن ٱلله'), ('שָׁלוֹם'), (U&'\FB2A'), ('がパ' || U&'\304B\3099'), (normalize('한국어', NFD)),
    ('हिन्दी क़'), ('ภาษาไทย ລາວ'), ('မြန်မာ ខ្មែរ'), ('a ≠ b ∉ C'), ('=' || U&'\0338\0301'), ('plain ASCII'), ('😀 👨‍👩‍👧 ❤️'), ('')) AS v(text);
\pset format aligned
-- Every code point: stripping twice is stripping once; canonically equivalent texts give the same; the result is in NFC.
-- Letters of three more scripts of Unicode 16 decompose by PostgreSQL 19, and not by an older utf8proc.
SELECT count(*) FILTER (WHERE strip_marks(once) <> once) AS not_idempotent,
       count(*) FILTER (WHERE strip_marks(decomposed) <> once AND c NOT BETWEEN chr(x'11380'::int) AND chr(x'113FF'::int)
                        AND c NOT BETWEEN chr(x'16100'::int) AND chr(x'1613F'::int) AND c NOT BETWEEN chr(x'16D40'::int) AND chr(x'16D7F'::int)) AS not_equivalent,
       count(*) FILTER (WHERE once IS NOT NFC NORMALIZED) AS not_composed
FROM (SELECT c COLLATE "C" AS c, strip_marks('a' || c || 'b') AS once, normalize('a' || c || 'b', NFD) AS decomposed
      FROM code_points) AS n;
-- The rule: without the marks of NFD in Latin, Greek, Cyrillic, Arabic and Hebrew, but from symbols, and with letters of the table;
-- in other scripts, unless a mark of the former is on a letter of theirs, the text in NFC.
SELECT CASE WHEN ascii(c) BETWEEN x'900'::int AND x'1AAF'::int OR ascii(c) BETWEEN x'3000'::int AND x'A66E'::int OR ascii(c) > x'FE2F'::int THEN 'others' ELSE 'Latin to Arabic' END AS scripts,
       count(*) AS code_points, count(*) FILTER (WHERE stripped <> without) AS differ, count(*) FILTER (WHERE without <> c) AS changed,
       left(string_agg(c || stripped, ' ') FILTER (WHERE stripped <> without AND ascii(c) < 600), 100) AS by_the_table,
       string_agg(c || stripped, ' ') FILTER (WHERE stripped <> without AND ascii(c) BETWEEN x'600'::int AND x'6FF'::int) AS arabic
FROM (SELECT c, substr(strip_marks('a' || c), 2) AS stripped, normalize(CASE WHEN ascii(c) BETWEEN x'900'::int AND x'1AAF'::int OR ascii(c) BETWEEN x'3000'::int AND x'A66E'::int OR ascii(c) > x'FE2F'::int THEN c
                               ELSE regexp_replace(normalize(c, NFD), '[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670]', '', 'g') END, NFC) AS without
      FROM code_points WHERE ascii(c) BETWEEN 128 AND x'6D5'::int OR ascii(c) BETWEEN x'900'::int AND x'1AAF'::int OR ascii(c) BETWEEN x'1E00'::int AND x'1FFF'::int OR ascii(c) BETWEEN x'3000'::int AND x'D7A3'::int) AS p
GROUP BY 1 ORDER BY 1;
-- Long stretches are stripped in pieces, which cannot be seen: all letters with marks in one text, at each offset.
SELECT count(*) AS differences
FROM (SELECT string_agg(c, '' ORDER BY ascii(c)) AS letters, string_agg(strip_marks(c), '' ORDER BY ascii(c)) AS stripped
      FROM code_points WHERE ascii(c) BETWEEN x'C0'::int AND x'2FF'::int OR ascii(c) BETWEEN x'1E00'::int AND x'1FFF'::int OR ascii(c) BETWEEN x'AC00'::int AND x'D7A3'::int) AS l,
     generate_series(0, 9) AS shift
WHERE strip_marks(repeat('é', shift) || normalize(letters, NFD)) <> repeat('e', shift) || stripped;
-- The iota below a vowel goes from symbols too: composed, it would be a letter.
SELECT strip_marks('~' || U&'\0345\031E\20DD') = '~' || U&'\031E\20DD' AS no_iota;
SELECT strip_marks('a' || repeat(U&'\0301\0316', 100000)) = 'a' AS many_marks, jaccard(word_set(strip_marks('José Núñez')), word_set('JOSE NUNEZ')) AS same_words,
       jaccard(word_qgram_set(strip_marks('Łukasz'), 3), word_qgram_set('lukasz', 3)) AS same_grams;

-- Fingerprints: known answers of XXH3 (xxhsum -H3, -H2).
SELECT fingerprint(''), fingerprint('abc'), to_hex(fingerprint('schön')) AS fingerprint_hex;
SELECT fingerprint128('') AS empty, fingerprint128('abc') AS abc, fingerprint128('schön') AS schoen;
SELECT fingerprint('abc'::bytea) = fingerprint('abc') AS same,
       fingerprint128('abc'::bytea) = fingerprint128('abc') AS same_128,
       fingerprint('Abc') = fingerprint('abc') AS not_normalized;

-- NULL in, NULL out.
SELECT normalize_text(NULL) IS NULL AND strip_tags(NULL) IS NULL AND strip_numbers(NULL) IS NULL AND strip_marks(NULL) IS NULL AND replace_words(NULL, '{}') IS NULL AND strip_ids(NULL) IS NULL AND number_words(NULL) IS NULL AND log_words(NULL) IS NULL
   AND fingerprint(NULL) IS NULL AND fingerprint128(NULL) IS NULL AS strict;

SELECT neardup_unicode_version() ~ '^\d+\.\d+\.\d+$' AS unicode_version;
