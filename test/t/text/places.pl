# Places = an oracle that goes from character to character: of each character that is not what it becomes, and of
# many together, beside blanks, quotes, letters, digits, marks, emoji, and scripts of other kinds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use Encode;
use Test::More;

use NeardupTest;
use PlaceOracle;
use SeededRandom;

my $node = new_node('places');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');
my $oracle = PlaceOracle->new($node);
my $random = SeededRandom->new(34);

my @several = @PlaceOracle::SEVERAL;
my @beside = @PlaceOracle::BESIDE;

# Up to three of them.
sub few
{
    return map { $random->chance(80) ? $random->pick(@beside) : $random->pick(@several) } 1 .. $random->below(4);
}

my @changing = $oracle->changing;
cmp_ok(scalar @changing, '>', 15000, 'many characters are not what they become');

# Each of them between a few, some between all pairs of neighbours, and many together.
my @texts;
for my $character (grep { !/[\x{ac00}-\x{d7a3}]/ || $random->chance(5) } @changing)
{
    push @texts, join '', few(), $character, few() for 1 .. share_of(8);
}
for my $character (@several)
{
    for my $before (@beside)
    {
        push @texts, map { $before . $character . $_ } grep { $random->chance(share_of(100)) } @beside;
    }
}
push @texts, join '', map { (few(), $changing[ $random->below(scalar @changing) ]) } 1 .. $random->between(2, 20) for 1 .. share_of(8000);
push @texts, join '', map { (few(), $changing[ $random->below(scalar @changing) ]) } 1 .. 20000;

sub copy_of
{
    my ($table, @rows) = @_;

    return "COPY $table FROM STDIN;\n" . join('', map { join("\t", map { s/\\/\\\\/gr =~ s/\n/\\n/gr } @$_) . "\n" } @rows) . "\\.\n";
}

my (@rows, @normalized, @characters, @tokens, @words, @rest);
for my $id (1 .. @texts)
{
    my $text = $texts[ $id - 1 ];
    my $rest = $text;
    my @words_of = $oracle->words($text);

    push @rows, [ $id, $text ];
    push @normalized, [ $id, join '', map { $_->[0] } $oracle->characters($text) ];
    push @characters, map { [ $id, @$_[ 1, 2 ] ] } $oracle->characters($text);
    push @tokens, map { [ $id, @$_ ] } $oracle->tokens($text);
    push @words, map { [ $id, @$_[ 0 .. 2 ] ] } @words_of;
    substr($rest, $_->[1] - 1, $_->[2] - $_->[1] + 1) = "\0" x ($_->[2] - $_->[1] + 1) for @words_of;
    push @rest, [ $id, $rest =~ tr/\0//dr ];
}
note(scalar(@texts) . ' texts of ' . scalar(@words) . ' words');
$node->safe_psql('postgres', Encode::encode('UTF-8', join '', <<'SQL',
CREATE UNLOGGED TABLE texts (id int, body text);
CREATE UNLOGGED TABLE normalized (id int, body text);
CREATE UNLOGGED TABLE characters (id int, first int, last int);
CREATE UNLOGGED TABLE tokens (id int, first int, last int);
CREATE UNLOGGED TABLE words (id int, word text, first int, last int);
CREATE UNLOGGED TABLE rest (id int, body text);
SQL
    copy_of('texts', @rows), copy_of('normalized', @normalized), copy_of('characters', @characters), copy_of('tokens', @tokens), copy_of('words', @words), copy_of('rest', @rest),
    <<'SQL'));
CREATE UNLOGGED TABLE vocabulary AS SELECT -row_number() OVER () AS id, word FROM (SELECT DISTINCT word COLLATE "C" AS word FROM words) AS w;
CREATE UNLOGGED TABLE found AS
SELECT p.a::int AS id, p.in_a, p.in_b, p.words, v.word
FROM passage_join('SELECT id, body FROM texts', 1, max_rows => 100000000, against => 'SELECT id, word FROM vocabulary') AS p JOIN vocabulary AS v ON v.id = p.b;
SQL

# The texts of which two queries differ in their rows (id, ...): how many, and the first three.
sub none_differ
{
    my ($rule, $found, $expected) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    is($node->safe_psql('postgres', <<"SQL"), '0|', $rule);
WITH found AS ($found), expected AS ($expected), differ AS (
    SELECT DISTINCT id FROM ((TABLE found EXCEPT ALL TABLE expected) UNION ALL (TABLE expected EXCEPT ALL TABLE found)) AS d)
SELECT count(*), (SELECT string_agg(id || ': ' || left(body, 60), '; ') FROM (SELECT * FROM differ JOIN texts USING (id) ORDER BY length(body), id LIMIT 3) AS t) FROM differ
SQL
    return;
}

none_differ('what the oracle joins is the normalized text', 'SELECT id, normalize_text(body) FROM texts', 'TABLE normalized');
none_differ('characters of q-grams', q{SELECT id, a_from, a_to FROM texts, shared_tokens(body, '', 'qgram_tokens(1)') WHERE part = 'only a'}, 'TABLE characters');
none_differ('words of shared_tokens', q{SELECT id, a_from, a_to FROM texts, shared_tokens(body, '', 'word_tokens') WHERE part = 'only a'}, 'TABLE tokens');
none_differ('texts side by side', q{SELECT id, in_a FROM texts, side_by_side(body, '') WHERE length(body) < 1000},
    q{SELECT id, substr(body, min(first), max(last) - min(first) + 1) FROM texts JOIN tokens USING (id) WHERE length(body) < 1000 GROUP BY id, body});
none_differ('words of passages', 'SELECT id, word, lower(in_a), upper(in_a) - 1 FROM found', 'TABLE words');
none_differ('where a passage of words begins and ends', 'SELECT id, in_a FROM (SELECT id, count(*) FROM words GROUP BY id) AS w JOIN texts USING (id), common_passages(body, body, 1) WHERE length(body) < 200 AND in_a = in_b AND words = w.count',
    q{SELECT id, int4range(min(first), max(last) + 1) FROM texts JOIN words USING (id) WHERE length(body) < 200 GROUP BY id});
none_differ('what is left without the words', 'SELECT id, remove_ranges(body, range_agg(in_a)) FROM texts JOIN found USING (id) GROUP BY id, body',
    'SELECT id, body FROM rest WHERE EXISTS (SELECT FROM words AS w WHERE w.id = rest.id)');

$node->stop;
done_testing();
