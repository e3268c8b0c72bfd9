# to_latin of neardup_icu: letters of every script in Latin ones, in every encoding, whatever the length.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('to_latin', extra => [ '--encoding=UTF8', '--locale=C' ]);
if ($node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'neardup_icu'") eq '0')
{
    $node->stop;
    plan skip_all => 'neardup was built without ICU';
}
foreach my $encoding (qw(LATIN1 WIN1251 EUC_JP SQL_ASCII))
{
    $node->safe_psql('postgres', "CREATE DATABASE \L$encoding\E TEMPLATE template0 ENCODING '$encoding' LOCALE 'C'");
}
foreach my $database (qw(postgres latin1 win1251 euc_jp sql_ascii))
{
    $node->safe_psql($database, 'CREATE EXTENSION neardup_icu CASCADE');
}

sub value_of
{
    my ($expression, $database) = @_;
    return $node->safe_psql($database // 'postgres', "SET client_encoding = 'UTF8'; SELECT $expression");
}

my $version = value_of('neardup_icu_version()');
like($version, qr/^\d+(\.\d+)+$/, "the version of ICU: $version");

# What no version of ICU writes otherwise.
my %latin = (
    "\xd0\x9c\xd0\xbe\xd1\x81\xd0\xba\xd0\xb2\xd0\xb0" => 'Moskva',
    "\xd0\x9e\xd0\xbb\xd1\x8c\xd0\xb3\xd0\xb0" => 'Olga',
    "\xce\x9a\xcf\x8e\xcf\x83\xcf\x84\xce\xb1\xcf\x82" => 'Kostas',
    "\xe6\x9d\xb1\xe4\xba\xac" => 'dong jing',
    "\xec\x84\x9c\xec\x9a\xb8" => 'seoul',
    "Jos\xc3\xa9 \xc5\x81\xc3\xb3d\xc5\xba" => 'Jose Lodz',
    'plain ASCII, 12' => 'plain ASCII, 12',
    '' => '');
is(value_of("to_latin('$_')"), $latin{$_}, "in Latin letters: '$latin{$_}'") foreach sort keys %latin;
is(value_of('to_latin(NULL) IS NULL'), 't', 'NULL');
my ($moscow) = grep { $latin{$_} eq 'Moskva' } keys %latin;
is(value_of("to_latin('$moscow')", 'win1251'), 'Moskva', 'WIN1251');
is(value_of("to_latin('Jos\xc3\xa9')", 'latin1'), 'Jose', 'LATIN1');
is(value_of("to_latin('\xe6\x9d\xb1\xe4\xba\xac')", 'euc_jp'), 'dong jing', 'EUC_JP');
is($node->safe_psql('sql_ascii', "SELECT to_latin('$moscow')"), 'Moskva', 'SQL_ASCII');
is(sqlstate_of($node, 'sql_ascii', "SELECT to_latin(E'\\xff'::text)"), '22021', 'SQL_ASCII, bytes that are no UTF-8');

# ICU repeats half of a character of two code units for a mark of Japanese that repeats what precedes it.
is(value_of("to_latin('\xf0\x9f\x98\x80\xe3\x83\xbd(\xe3\x83\x8e)') = '\xf0\x9f\x98\x80 (no)'"), 't', 'an iteration mark behind an emoji');

# Long texts, with blanks and without.
is(value_of("to_latin(repeat('$moscow ', 20000)) = repeat('Moskva ', 20000)"), 't', 'a long text');
is(value_of("to_latin(repeat('$moscow', 20000)) = repeat('Moskva', 20000)"), 't', 'a long word');
# A long text without blanks is cut somewhere; where, makes no difference: whatever number of letters comes before it, its
# end is the same. Letters of one script, of several, marks behind letters, a mark that repeats what precedes it.
my %ranges = (
    Han => [ 0x4E00, 0x9FA0 ], Hangul => [ 0xAC00, 0xD7A3 ], Hiragana => [ 0x3041, 0x3096 ], Katakana => [ 0x30A1, 0x30FE ], Thai => [ 0xE01, 0xE2E ], Devanagari => [ 0x905, 0x94D ],
    Arabic => [ 0x620, 0x652 ], Hebrew => [ 0x5B0, 0x5EA ], Cyrillic => [ 0x410, 0x44F ], Greek => [ 0x391, 0x3C9 ], Georgian => [ 0x10D0, 0x10F0 ], beyond => [ 0x20000, 0x20100 ]);
my $draw = sub { my ($range, $number, $i) = @_; "chr($range->[0] + (hashint4extended($i * 1000 + i, 7) & 2147483647)::int % ($range->[1] - $range->[0] + 1))" };
$node->safe_psql('postgres', 'CREATE FUNCTION ends(body text, before text) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(DISTINCT right(to_latin(repeat(before, k) || body), 400)) FROM generate_series(0, 190, 3) AS k $$');
for my $script (sort keys %ranges)
{
    my $letter = $draw->($ranges{$script}, 0, 1);
    is(value_of("ends((SELECT string_agg($letter, '' ORDER BY i) FROM generate_series(1, 700) AS i), chr($ranges{$script}[0] + 3))"), '1', "a long word may be cut anywhere: $script");
}
my @scripts = map { $ranges{$_} } sort keys %ranges;
my $mixed = 'CASE i % ' . @scripts . join('', map { " WHEN $_ THEN " . $draw->($scripts[$_], 0, 2) } 0 .. $#scripts) . ' END';
is(value_of("ends((SELECT string_agg(repeat($mixed, 1 + i % 3), '' ORDER BY i) FROM generate_series(1, 500) AS i), chr(26481))"), '1', 'and so may one of several scripts');
is(value_of("(SELECT count(DISTINCT w) FROM string_to_table(to_latin(repeat(chr(26481) || chr(20140), 3000)), ' ') AS w)"), '2', 'words between which ICU writes blanks');

is(value_of("to_latin(repeat(chr(64762), 2000)) = repeat(to_latin(chr(64762)), 2000)"), 't', 'the letter that becomes the most letters');
is(sqlstate_of($node, 'postgres', "SET statement_timeout = 100; SELECT to_latin(repeat('$moscow ', 10000000))"), '57014', 'cancelled');

# Characters of all scripts behind a letter: twice is as once.
is( value_of(q{concat_ws(' ', count(*) FILTER (WHERE to_latin(latin) <> latin), count(*) FILTER (WHERE latin = ''))
        FROM generate_series(161, 55295, 7) AS c, to_latin('a' || chr(c)) AS latin}), '0 0', 'twice is as once');

# The pairs that a person has judged. What is right by it depends on the version of ICU.
$node->safe_psql('postgres', slurp_file(project_file('sql/include/pairs_of_words.sql')));
my ($alone, $folded, $all) = split /\|/, value_of(q{
    count(*) FILTER (WHERE (word_set(to_latin(a)) = word_set(to_latin(b))) = same),
    count(*) FILTER (WHERE (word_set(to_latin(fold_letters(a, code))) = word_set(to_latin(fold_letters(b, code)))) = same), count(*) FROM pairs_of_words});
note("of $all pairs, $alone are right by to_latin, $folded by to_latin of fold_letters");
is($all, 120, 'there are 120 pairs');
cmp_ok($alone, '>=', 70, "by to_latin $alone are right");
cmp_ok($folded, '>=', 90, "by to_latin of fold_letters $folded");
is(value_of("string_agg(b, ' ' ORDER BY b) FROM pairs_of_words WHERE same AND b ~ '^[ -~]+\$' AND a !~ '[ -~]' AND word_set(to_latin(a)) = word_set(b) AND word_set(fold_letters(a)) <> word_set(b)"),
    'Kostas Moskva', 'words in two scripts are found');

$node->stop;
done_testing();
