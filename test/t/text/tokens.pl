# Tokens of texts stay what they are: of the real sets, and of generated texts in many scripts, whose code points have
# been assigned since Unicode 9, so that no version of utf8proc changes them. Whoever changes a sum below changes what
# users have stored.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use RealSample;
use Test::More;

my $node = new_node('tokens');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');

# Sums of hashes, by the function.
my @CALLS = (
    'word_tokens(body)', 'word_set(body)', 'shingle_tokens(body, 3)', 'shingle_set(body, 2)',
    'qgram_tokens(body, 3)', 'qgram_set(body, 2)', 'qgram_tokens(body, 5)', 'word_qgram_tokens(body, 3)');
my $SUMS = join ",\n", map { "sum(tokenset_hash_extended($_, 0))" } @CALLS;

sub has_tokens
{
    my ($relation, $expected) = @_;
    my @found = split /\|/, $node->safe_psql('postgres', "SELECT count(*), sum(hashtextextended(normalize_text(body), 0)), $SUMS FROM $relation");
    my @expected = @$expected;
    is(shift @found, shift @expected, "$relation: so many texts");
    is(shift @found, shift @expected, "$relation: their normalized forms");
    is($found[$_], $expected[$_], "$relation: $CALLS[$_]") for 0 .. $#CALLS;
    return;
}

# Text n has 1 to 60 characters. Blocks of one script follow each other, or all scripts are mixed.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE scripts (number int PRIMARY KEY, first int, last int);
INSERT INTO scripts VALUES
    (0, x'20'::int, x'7E'::int), (1, x'61'::int, x'7A'::int), (2, x'20'::int, x'20'::int), (3, x'A0'::int, x'24F'::int),
    (4, x'300'::int, x'36F'::int), (5, x'3A3'::int, x'3CE'::int), (6, x'400'::int, x'4FF'::int), (7, x'5D0'::int, x'5EA'::int),
    (8, x'621'::int, x'655'::int), (9, x'904'::int, x'94D'::int), (10, x'E01'::int, x'E3A'::int), (11, x'1100'::int, x'11FF'::int),
    (12, x'AC00'::int, x'D7A3'::int), (13, x'3041'::int, x'3096'::int), (14, x'3099'::int, x'309A'::int), (15, x'4E00'::int, x'9FD5'::int),
    (16, x'1F00'::int, x'1F15'::int), (17, x'1FB2'::int, x'1FB4'::int), (18, x'FB00'::int, x'FB06'::int), (19, x'FF01'::int, x'FF9F'::int),
    (20, x'200B'::int, x'200D'::int), (21, x'2070'::int, x'2071'::int), (22, x'20000'::int, x'20100'::int), (23, x'1D400'::int, x'1D454'::int),
    (24, x'BBE'::int, x'BC8'::int), (25, x'345'::int, x'345'::int), (26, x'AD'::int, x'AD'::int), (27, x'212A'::int, x'212B'::int);
CREATE FUNCTION pick(n int, k int, choices int) RETURNS int IMMUTABLE LANGUAGE sql
    AS 'SELECT (hashint8extended(n, k) & 1073741823)::int % choices';
CREATE TABLE generated AS
SELECT n, string_agg(chr(first + pick(n, 2 * i + 1, last - first + 1)), '' ORDER BY i) AS body
FROM generate_series(1, 40000) n, generate_series(1, 60) i,
     LATERAL (SELECT pick(n, CASE WHEN n % 2 = 0 THEN 2 * i ELSE 1000 + 2 * (i / 8) END, 28) AS script) AS chosen
     JOIN scripts ON number = script
WHERE i <= 1 + pick(n, 0, 60)
GROUP BY n;
CREATE TABLE long_generated AS
SELECT n % 40 AS n, string_agg(body, CASE WHEN n % 3 = 0 THEN ' ' ELSE '' END ORDER BY n) AS body FROM generated GROUP BY n % 40;
SQL
has_tokens('generated', [qw(40000 -3776645987212872849268 872745313429497739816 495732396630390263148 902715819633937978687 1202156769597387594411 1960172201651098487192 -809025772344531710820 1190957911298659050840 2464755319228172476278)]);
has_tokens('long_generated', [qw(40 8261791884586628636 23762954332883352357 -47523798956160191920 6350650532976509415 -42092352546391469319 7247422121394891328 35560925610809663343 -53017011946957988185 5193468610220645379)]);

# The trigrams of the words of an ASCII text are those of pg_trgm: real texts, and random ones of all ASCII characters, each
# with the one before it.
SKIP:
{
    skip 'pg_trgm is not there', 1
        if $node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm'") eq '0';
    my $texts = share_of($ENV{NEARDUP_TRIGRAM_TEXTS} // 80000);
    $node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION pg_trgm;
CREATE TABLE ascii AS
SELECT n, string_agg(chr(CASE WHEN n % 4 = 0 THEN 1 + pick(n, i, 127) WHEN n % 4 = 1 THEN 97 + pick(n, i, 3) ELSE ascii(substr(letters, 1 + pick(n, i, length(letters)), 1)) END), '' ORDER BY i) AS body
FROM (VALUES ('  --abcdEFGHij01289_''.')) AS l (letters), generate_series(1, $texts / 2) n, generate_series(1, 50) i
WHERE i <= 1 + pick(n, 0, 50) GROUP BY n;
SQL
    my $file = shared_data('papers_ta');
    if ($file)
    {
        RealSample::load($node, 'papers_ta', $file);
        $node->safe_psql('postgres', <<"SQL");
INSERT INTO ascii
SELECT 1000000 + row_number() OVER (), substr(body, start, 60) FROM raw_papers_ta, generate_series(1, 600, 60) AS start
WHERE substr(body, start, 60) ~ '^[\x01-\x7f]+\$' LIMIT $texts / 2;
SQL
    }
    is($node->safe_psql('postgres', <<'SQL'), '0', 'word_qgram_set(text, 3) of ASCII: no text or pair differs from pg_trgm');
SELECT count(*) FROM (SELECT body, lag(body) OVER (ORDER BY n) AS other FROM ascii) AS pairs
WHERE cardinality(word_qgram_set(body, 3)) <> cardinality(show_trgm(body))
   OR jaccard(word_qgram_set(body, 3), word_qgram_set(other, 3))::float4 <> similarity(body, other);
SQL
    note($node->safe_psql('postgres', 'SELECT count(*) FROM ascii') . ' texts');
}

my %REAL = (
    papers_abs => [qw(87338 1442857618289515066325 -2151520560609104099859 1167294973135913674632 -985062317007047699345 2587579673536316460354 1066691947054228484147 -180995631974721090596 607534476688307877647 -2223073887256961076015)],
    papers_ta => [qw(95562 -286902747352535522094 -68884543846270126301 -819949444359090443450 -808772300869230061004 -784042054001788833858 353110189836180993687 -1355314807811201462538 1381607570936937262083 1031255132898538681485)],
    debdesc => [qw(63666 440444515314049100561 312138868318461992396 -844188838616836577468 -1130296020390262548108 -1022976849396949130485 -821302001894043572173 3637248808148016984494 51748670042262475493 -1650389028967506380135)],
    dblp_acm => [qw(4910 -411133077236967816058 -173864065074027863594 -367456749131162997937 -338772418329512132106 315598696882814746045 448515996219405839891 134316644693056531357 481911814808667847190 390488134547137717572)],
    affil => [qw(2260 274897483511608849686 187687919533382150870 30879271156262274564 -382345189633684706781 -22276760288440280927 -149492215233449348530 95828734097630524304 32741662994554516678 124433462679609402826)],
    febrl20k => [qw(20000 -544425488837390194408 1045142449069779108142 999642924920493143339 -1033464036235131107904 -460719235373608133928 140351885709683003527 -484784071527237930081 613638899380419083993 -529955025972869859805)],
    retail => [qw(88162 5131834148332786269172 6206667210869840785496 6206667210869840785496 8780799565845617019538 9397288517264716152758 7827610662174931297718 3583855853099493253405 9683411991977123020346 -2292562205245725357857)],
    kosarak36k => [qw(36683 7180466307852228353449 -5095202911864300649739 -5088189945888696921542 -12093633324711828421147 -7883253500191899764526 -4613547798530236328317 -11717786617326254046509 -13162847636784966919917 -2458826433614101536355)],
);
# The longest texts are for ALL=1.
delete @REAL{ 'papers_abs', 'papers_ta', 'debdesc' } if !$ENV{NEARDUP_ALL};
for my $name (sort keys %REAL)
{
    my $file = shared_data($name);
  SKIP:
    {
        skip "../shared/data/$name.tsv.xz is not there", 1 if !$file;
        RealSample::load($node, $name, $file);
        has_tokens("raw_$name", $REAL{$name});
        $node->safe_psql('postgres', "DROP TABLE raw_$name");
    }
}

$node->stop;
done_testing();
