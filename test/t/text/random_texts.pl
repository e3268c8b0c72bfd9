# Laws of the functions of texts on random characters of all planes, alone, in runs of one script, and among ASCII.
# NEARDUP_RANDOM_TEXTS says how many texts.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use Test::More;

my $node = new_node('random_texts');
my $texts = share_of($ENV{NEARDUP_RANDOM_TEXTS} // 40000);

# Every second character is from anywhere, from a block of 64 that the text keeps to, a mark, or ASCII.
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION neardup;
CREATE FUNCTION pick(n int, k int, choices int) RETURNS int IMMUTABLE LANGUAGE sql
    AS 'SELECT (hashint8extended(n, k) & 1073741823)::int % choices';
CREATE UNLOGGED TABLE texts AS
SELECT n, string_agg(chr(CASE WHEN c BETWEEN 55296 AND 57343 THEN c - 20000 ELSE c END), '' ORDER BY i) AS body
FROM generate_series(1, $texts) n, generate_series(1, 24) i,
     LATERAL (SELECT CASE pick(n, 100 + i, 6) WHEN 0 THEN 1 + pick(n, i, 1114111) WHEN 1 THEN x'300'::int + pick(n, i, 112)
                     WHEN 2 THEN 1 + pick(n, i, 127) WHEN 3 THEN 1 + pick(n, i, x'3400'::int) ELSE 1 + pick(n, 0, 2000) * 64 % 65472 + pick(n, i, 64) END AS c) AS chosen
WHERE i <= 1 + n % 24
GROUP BY n;
SQL

# What must hold of a text.
my %LAWS = (
    'word_qgram_tokens' => 'word_qgram_tokens(body, 3) = word_qgram_tokens(normalize_text(body), 3)
        AND cardinality(word_qgram_set(body, 3)) <= cardinality(word_qgram_tokens(body, 3))',
    'word_qgram_set' => "word_qgram_set(body, 1) <@ qgram_set(body, 1) OR body ~ '[^\\x01-\\u0dff]'",
    'normalize_text' => "normalize_text(normalize_text(body)) = normalize_text(body)",
    'strip_marks' => 'strip_marks(strip_marks(body)) = strip_marks(body)',
    'strip_marks of what is canonically equivalent' => 'normalize(body, NFD) IS NULL OR strip_marks(normalize(body, NFD)) = strip_marks(body)',
    # A mark on a symbol may compose with it, and U+0345 does not stay on one.
    'strip_marks and empty texts' => "normalize_text(strip_marks(body)) <> '' OR normalize_text(body) = '' OR body ~ '\\u0345'",
    'fold_letters' => "fold_letters(fold_letters(body)) = fold_letters(body) AND fold_letters(strip_marks(body)) = fold_letters(body)",
    'fold_letters of a language' => "(SELECT bool_and(fold_letters(fold_letters(body, language), language) = fold_letters(body, language)) FROM unnest('{da,de,nl,sv}'::text[]) AS language)",
    'fold_letters and empty texts' => "normalize_text(fold_letters(body)) <> '' OR normalize_text(body) = '' OR body ~ '\\u0345'",
    'replace_words' => "replace_words(body, '{}') = normalize_text(body) AND replace_words(body, jsonb_build_object('x' || body, 'y')) IN (normalize_text(body), 'y')
        AND (normalize_text(body) = '' OR replace_words('the ' || body, jsonb_build_object(body, NULL)) = 'the' OR normalize_text('the ' || body) NOT LIKE 'the %')",
    'strip_ids' => "strip_ids(body) !~ '[0-9]' AND strip_ids(strip_ids(body)) = strip_ids(body)",
    'strip_numbers' => "strip_numbers(strip_numbers(body)) = strip_numbers(body) AND (body ~ '[^\\x01-\\x7f]' OR normalize_text(strip_numbers(body)) !~ '(^| )[0-9]+( |\$)')",
    'number_words' => "number_words(body) = number_words(normalize_text(body)) AND number_words(number_words(body)) = number_words(body)
        AND word_tokens(number_words(body)) <@ word_tokens(body) AND (number_words(body) <> '' OR normalize_text(body) !~ '[0-9]')",
    'phone_tokens' => "phone_tokens(body || E'\\n' || body) = phone_tokens(body) AND phone_tokens(body || E'\\n030 1234567\\n' || body) @> phone_tokens('301234567')",
    'code_words' => "code_words(array_to_string(code_words(body), ' ')) = code_words(body)",
    'log_words' => "log_words(array_to_string(log_words(body), ' ')) = log_words(body) AND array_to_string(log_words(body), ' ') !~ '[0-9]'",
    'shingle_tokens of words of code' => 'shingle_tokens(code_words(body), 1) = element_tokens(code_words(body)) AND cardinality(shingle_set(code_words(body), 3)) <= cardinality(code_words(body))',
    'shared_tokens of q-grams of words' => "(SELECT bool_and(part <> 'only b') AND count(*) FILTER (WHERE part = 'shared') = cardinality(word_qgram_tokens(body, 3)) FROM shared_tokens(body, body, 'word_qgram_tokens(3)'))",
    'shared_tokens of code' => "(SELECT array_agg(item ORDER BY a_from, a_to) FILTER (WHERE part = 'shared') IS NOT DISTINCT FROM nullif(code_words(body), '{}') FROM shared_tokens(body, body, 'element_tokens(code_words(x))'))",
);
if ($node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'neardup_icu'"))
{
    $node->safe_psql('postgres', 'CREATE EXTENSION neardup_icu');
    $LAWS{'to_latin'} = "to_latin(body) IS NOT NULL AND to_latin(fold_letters(body)) IS NOT NULL AND (to_latin(body) = body OR body ~ '[^\\x01-\\x7f]')";
}
foreach my $name (sort keys %LAWS)
{
    is($node->safe_psql('postgres', "SELECT min(n) FROM texts WHERE ($LAWS{$name}) IS NOT TRUE"), '', "$name: no text of $texts breaks the law");
}

$node->stop;
done_testing();
