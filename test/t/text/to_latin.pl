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
# ICU takes a text in pieces of 512 bytes. What is shorter is whole, and becomes the same behind any number of Latin letters.
$node->safe_psql('postgres', q{CREATE FUNCTION changes(body text) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM (SELECT to_latin('a' || body) AS whole) AS once, generate_series(1, 511) AS k
    WHERE to_latin(repeat('a', k) || 'a' || body) <> repeat('a', k) || whole $$});

sub utf8_of
{
    my $characters = join '', map { chr } @_;
    utf8::encode($characters);
    return $characters;
}
my %where = (
    'Chinese' => [ (0x6771, 0x4EAC) x 80 ],
    'Korean' => [ (0xC11C, 0xC6B8, 0xAC00, 0x20, 0xD55C) x 35 ],
    'a long vowel' => [ 0x30AB, (0x30FC) x 150, 0x30A2 ],
    'a mark that repeats a letter' => [ (0x30AB, 0x30FD, 0x309D) x 50 ],
    'a mark that repeats a blank' => [ (0x30AB, 0x20, 0x30FD) x 70 ],
    'signs of Japanese before Latin letters' => [ (0x30AB, 0x20, 0x30FC, 0x3001, 0x62) x 40 ],
    'signs of Arabic behind letters of another script' => [ (0xA081, 0x64C, 0x20, 0x627, 0x20) x 45 ],
    'many marks on a letter' => [ 0x65, map { 0x300 + $_ % 47 } 1 .. 240 ],
    'Thai' => [ (0xE20, 0xE32, 0xE29, 0xE32, 0xE44, 0xE17, 0xE22, 0xE07, 0xE48, 0xE32, 0xE22, 0xE21, 0xE32, 0xE01) x 11 ],
    'Lao' => [ (0xE9E, 0xEB2, 0xEAA, 0xEB2, 0xEA5, 0xEB2, 0xEA7) x 22 ],
    'Hindi' => [ (0x938, 0x930, 0x926, 0x93E, 0x930, 0x964) x 26 ],
    'Greek' => [ (0x398, 0x391, 0x398, 0x3B1, 0x1F51, 0x20, 0x393, 0x3B3) x 30 ],
    'characters of two code units' => [ (0x1F600, 0x20000, 0x10330, 0x30FD) x 30 ]);
is(value_of("changes('" . utf8_of(@{ $where{$_} }) . "')"), '0', "the same wherever a piece ends: $_") foreach sort keys %where;

# Letters and signs of up to three blocks of characters, in runs, some of them repeated.
my @blocks = (
    [ 0x21, 0x26 ], [ 0x30, 0x7A ], [ 0xC0, 0x17F ], [ 0x300, 0x345 ], [ 0x391, 0x3C9 ], [ 0x410, 0x44F ], [ 0x531, 0x586 ], [ 0x5B0, 0x5EA ], [ 0x60C, 0x669 ], [ 0x700, 0x74A ],
    [ 0x780, 0x7B0 ], [ 0x905, 0x96F ], [ 0x981, 0x9CD ], [ 0xB82, 0xBCD ], [ 0xD00, 0xD4D ], [ 0xE01, 0xE4E ], [ 0xE80, 0xEC4 ], [ 0x1000, 0x1040 ], [ 0x10D0, 0x10F0 ], [ 0x1100, 0x11FF ],
    [ 0x1200, 0x1240 ], [ 0x1780, 0x17D2 ], [ 0x1F00, 0x1FFE ], [ 0x2010, 0x2026 ], [ 0x3001, 0x3011 ], [ 0x3041, 0x309F ], [ 0x30A0, 0x30FF ], [ 0x3105, 0x312D ], [ 0x4E00, 0x9FA0 ], [ 0xA000, 0xA100 ],
    [ 0xAC00, 0xD7A3 ], [ 0xFB00, 0xFB4F ], [ 0xFE70, 0xFEFC ], [ 0xFF01, 0xFF9F ], [ 0x10330, 0x1034A ], [ 0x1F600, 0x1F640 ], [ 0x20000, 0x20100 ]);

sub random_body
{
    my @of = map { $blocks[ rand @blocks ] } 1 .. 1 + rand 3;
    my $blanks = rand() < 0.5 ? 0 : 0.3 * rand;
    my @body;

    while (@body < 120)
    {
        my ($first, $last) = @{ $of[ rand @of ] };
        my $letter = $first + int rand($last - $first + 1);

        push @body, ($letter) x (rand() < 0.02 ? rand 20 : 1);
        push @body, 0x20 if rand() < $blanks;
    }
    return utf8_of(@body[ 0 .. 119 ]);
}
foreach my $seed (seeds(40))
{
    srand $seed;
    my $body = random_body();
    is(value_of("changes('$body')"), '0', "the same wherever a piece ends: seed $seed") or diag($body);
}
# Where nothing is independent of what is before it, a piece is longer than usual, but not without end.
is(value_of("to_latin(chr(12459) || repeat(chr(12540), 1000) || 'b') = to_latin(chr(12459) || repeat(chr(12540), 100) || 'b')"), 't', 'a vowel that is very long');
is(value_of("to_latin('a' || repeat(chr(769), 100000)) LIKE 'a%'"), 't', 'a hundred thousand marks on a letter');
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
