# The paper's examples and lemmas, and the conditions under which they hold:
# for each condition a transcription that leaves it out loses pairs on some
# input, and ppjoin on the same input does not.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;
use PaperJoin;
use SeededRandom;

my @ALGORITHMS = ('allpairs', 'ppjoin', 'ppjoin+', 'auto');

my $node = NeardupTest::new_node('paper_examples');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');

sub value_of_sql
{
    my ($sql) = @_;
    my ($code, $stdout, $stderr) = $node->psql('postgres', $sql);
    return $code == 0 ? $stdout : $stderr;
}

# Letters as tokens: A is 1.
sub letters
{
    return map { ord($_) - 64 } split //, $_[0];
}

# Loads records and gives the query that reads them.
sub table_of
{
    my ($name, $records, $sides) = @_;
    my $script = "DROP TABLE IF EXISTS $name;\n"
      . "CREATE TABLE $name (id int, side int, tokens int8[]);\nCOPY $name FROM STDIN;\n";
    for my $row (0 .. $#$records)
    {
        $script .= join("\t", $row, $sides ? $sides->[$row] : 0,
            '{' . join(',', @{ $records->[$row] }) . '}') . "\n";
    }
    $node->safe_psql('postgres', "$script\\.\n");
    return "SELECT id, tokens FROM $name";
}

# ---------------------------------------------------------------------------
# Example 1: multisets become sets
# ---------------------------------------------------------------------------

my $yes = 'yes as soon as possible';
my $please = 'as soon as possible please';
my $both = "word_tokens('$yes'), word_tokens('$please')";

is(value_of_sql("SELECT cardinality(word_tokens('$yes'))"),
    '5', 'Example 1: the second "as" is a token of its own');
is(value_of_sql("SELECT cardinality(word_set('$yes'))"),
    '4', 'Example 1: the plain set has "as" once');
is( value_of_sql(
        "SELECT word_tokens('as') <@ word_tokens('$yes') AND cardinality(word_tokens('as as') & word_tokens('$yes')) = 2"),
    't', 'Example 1: occurrence 1 is the plain token, occurrence 2 the same in every text');
is(value_of_sql("SELECT overlap($both)"), '4', 'Example 1: overlap 4');
is(value_of_sql("SELECT jaccard($both) = 4::float8 / 6"),
    't', 'Example 1: Jaccard 4/6');
is(value_of_sql("SELECT cosine($both) = 0.8::float8"),
    't', 'Example 1: cosine 0.80, exactly');
is(value_of_sql("SELECT hamming($both)"), '2', 'Example 1: Hamming distance 2');
for my $algorithm (@ALGORITHMS)
{
    my $query = "VALUES (1, word_tokens(''$yes'')), (2, word_tokens(''$please''))";
    is(value_of_sql("SELECT * FROM ppjoin('$query', 0.8, 'cosine', '$algorithm')"),
        '1|2|0.8', "Example 1: joined at cosine 0.8 by $algorithm");
    is(value_of_sql("SELECT count(*) FROM ppjoin('$query', 0.67, 'jaccard', '$algorithm')"),
        '0', "Example 1: 4/6 is below Jaccard 0.67 by $algorithm");
}

# ---------------------------------------------------------------------------
# Examples 2 and 3: prefixes, size filter, positional filter
# ---------------------------------------------------------------------------

# The paper orders by letter, with G first. Records of one token give the
# letters frequencies in that order; they are too short to meet w, z, y and x.
my %example = (
    w => [ letters('CDF') ],
    z => [ letters('GABEF') ],
    y => [ letters('ABCDE') ],
    x => [ letters('BCDEF') ]);
my @names = qw(w z y x);
my @example = map { $example{$_} } @names;
my %wanted_frequency =
  (G => 1, A => 3, B => 4, C => 5, D => 6, E => 7, F => 8);
for my $letter (sort keys %wanted_frequency)
{
    my ($token) = letters($letter);
    my $have = grep { $_ == $token } map { @$_ } @example;
    push @example, ([$token]) x ($wanted_frequency{$letter} - $have);
}

my $ranks = PaperJoin::token_ranks(\@example);
is( join('', sort { $ranks->{ ord($a) - 64 } <=> $ranks->{ ord($b) - 64 } } 'A' .. 'G'),
    'GABCDEF', 'Example 2: the frequencies give the order of the paper');

my $jaccard = PaperJoin::bounds('jaccard', 4, 5);
is(join(' ', map { $jaccard->{probing}->(scalar @{ $example{$_} }) } @names),
    '1 2 2 2', 'Example 2: prefix lengths of w, z, y and x at 0.8');
cmp_ok(3, '<', $jaccard->{least_size}->(5),
    'Example 2: w is too short for x by the size filter');

my @four = @example[ 0 .. 3 ];
my %four = (records => \@example, n => 4, d => 5);
my %candidates = map {
    $_ => PaperJoin::join_records(%four, algorithm => $_)
} qw(allpairs ppjoin ppjoin+);

# Pairs of the records of one token are the same for each algorithm.
my $fillers = $candidates{'ppjoin+'}{candidates};
is($candidates{allpairs}{candidates} - $fillers,
    2, 'Example 2: All Pairs has the candidates <x, y> and <y, z>');
is($candidates{ppjoin}{candidates} - $fillers,
    0, 'Example 3: positional filtering leaves none of them');
is($jaccard->{alpha}->(5, 5), 5, 'Example 3: the overlap must be 5');
is(1 + (3 < 4 ? 3 : 4),
    4, 'Example 3: token B at 1 of x and 2 of y allows for 4');
my $as_printed =
  PaperJoin::join_records(%four, algorithm => 'ppjoin', whole_prefix => 1);
is($as_printed->{pruned_by_position},
    2, 'Example 3: Algorithm 1 as printed drops both by position');
is($candidates{ppjoin}{pruned_by_position},
    0, 'Example 3: with Lemma 3 they do not even meet');
is(scalar(grep { $_->[0] < 4 && $_->[1] < 4 } @{ $candidates{ppjoin}{pairs} }),
    0, 'Example 3: no pair is a result');

my $example_query = table_of('example', \@example) . ' ORDER BY id';
for my $algorithm (qw(allpairs ppjoin ppjoin+))
{
    my $paper = $candidates{$algorithm};
    is( value_of_sql(
            "SELECT candidates, pruned_by_position, pruned_by_suffix, postings
             FROM ppjoin_stats('$example_query', 0.8, 'jaccard', '$algorithm')"),
        join('|', @$paper{qw(candidates pruned_by_position pruned_by_suffix postings)}),
        "Examples 2 and 3: the counts by $algorithm");
}

# ---------------------------------------------------------------------------
# Examples 4 and 5: the suffix filter
# ---------------------------------------------------------------------------

# Six tokens each, D = 40 and F = 60 where the example shows them:
#   xs = ? D ? ? F ?      ys = ? ? D F ? ?
my @xs = (10, 40, 45, 50, 60, 90);
my @ys = (20, 30, 40, 60, 70, 80);
is(PaperJoin::hamming(\@xs, \@ys),
    8, 'Example 4: the suffixes differ by more than 2');

# By the criterion of section 5.2, which keeps the token in the right part.
is(abs(3 - 4) + abs(3 - 2), 2, 'Example 4: F alone gives the bound 2');
my ($xl, $xr) = PaperJoin::partition(\@xs, 60, 3, 5);
is("@$xl | @$xr", '10 40 45 50 | 90',
    'Example 5: F is found in xs[3..5]; Algorithm 4 skips it');
my ($yl, $yr) = PaperJoin::partition(\@ys, 60, 4, 4);
is("@$yl | @$yr", '20 30 40 | 70 80', 'Example 4: F parts ys at 4');
my ($xll, $xlr) = PaperJoin::partition($xl, 40, 1, 4);
my ($yll, $ylr) = PaperJoin::partition($yl, 40, 3, 3);
is( abs(@$xll - @$yll) + abs(@$xlr - @$ylr) + abs(@$xr - @$yr),
    4, 'Example 4: D in the left parts raises it to 4 > Hmax 2');

# Algorithm 3 takes the third token, D, first.
my @trace;
cmp_ok(PaperJoin::suffix_filter(\@xs, \@ys, 2, 1, '', \@trace),
    '>', 2, 'Example 4: the suffix filter prunes at Hmax 2');
is("$trace[0]{l}..$trace[0]{r}", '2..4',
    'Example 5: one place to either side of the middle is searched');

# The search range of Example 5 itself: F stands at 4 of ys.
my ($mid, $o) = (4, (2 - abs(@xs - @ys)) / 2);
is(($mid - $o) . '..' . ($mid + $o), '3..5', 'Example 5: F is sought in xs[3..5]');
my @outside = PaperJoin::partition([ 10, 60, 65, 70, 80, 90 ], 60, 3, 5);
is($outside[2], 0, 'Example 5: outside of it the Hamming distance exceeds 2');

# ---------------------------------------------------------------------------
# Lemma 2: the positional bound never falls below the overlap
# ---------------------------------------------------------------------------

{
    my $random = SeededRandom->new(2);
    my ($wrong, $tokens) = (0, 0);
    for (1 .. 2000)
    {
        my @x = $random->subset($random->between(1, 15), 25, 'uniform');
        my @y = $random->subset($random->between(1, 15), 25, 'uniform');
        my $overlap = PaperJoin::overlap(\@x, \@y);
        my $before = 0;
        for my $i (1 .. @x)
        {
            my ($j) = grep { $y[ $_ - 1 ] == $x[ $i - 1 ] } 1 .. @y;
            next if !$j;
            my $rest = @x - $i < @y - $j ? @x - $i : @y - $j;
            $wrong++ if $before + 1 + $rest < $overlap;
            $before++;
            $tokens++;
        }
    }
    is($wrong, 0, "Lemma 2: an upper bound at each of $tokens common tokens");
}

# ---------------------------------------------------------------------------
# Lemma 3: how long the indexing prefix must be
# ---------------------------------------------------------------------------

is($jaccard->{probing}->(10), 3, 'Lemma 3: ten tokens probe with 3 at 0.8');
is($jaccard->{indexing}->(10), 2, 'Lemma 3: and are indexed by 2');

# y precedes x in every instance (same size, lesser content). All tokens are
# as frequent as their numbers: fillers of one token see to that.
sub with_frequencies
{
    my @records = @_;
    my %have;
    $have{$_}++ for map { @$_ } @records;
    my @all = @records;
    for my $token (sort { $a <=> $b } keys %have)
    {
        push @all, ([$token]) x (10 + $token - $have{$token});
    }
    return \@all;
}

sub found_pair
{
    my ($records, $mutation) = @_;
    my $result = PaperJoin::join_records(
        records => $records,
        n => 4,
        d => 5,
        algorithm => 'ppjoin',
        mutation => $mutation);
    return scalar grep { $_->[0] == 0 && $_->[1] == 1 } @{ $result->{pairs} };
}

# y has the first token for itself, x a later one; the nine others are
# common: 9/11 >= 0.8. The second token of y must be indexed.
my $enough = with_frequencies([ 1, 3 .. 11 ], [ 3 .. 11, 12 ]);
ok(found_pair($enough, ''),
    'Lemma 3: two indexed tokens are enough for 9 of 11');
ok(!found_pair($enough, 'indexing prefix less one'),
    'Lemma 3: with one indexed token that pair is lost');
my $enough_query = table_of('lemma_3', $enough) . ' ORDER BY id';
for my $algorithm (@ALGORITHMS)
{
    is(value_of_sql("SELECT count(*) FROM ppjoin('$enough_query', 0.8, 'jaccard', '$algorithm') WHERE a = 0 AND b = 1"),
        '1', "Lemma 3: $algorithm returns that pair");
}

# ---------------------------------------------------------------------------
# The bounds of Algorithms 3 and 4 and of the bitmaps
# ---------------------------------------------------------------------------

# Bit signatures: each token toggles one bit of 64.
sub differing_bits
{
    my ($x, $y) = @_;
    my %bit;
    for my $token (@$x, @$y)
    {
        $bit{ ($token * 2654435761 >> 7) % 64 } ^= 1;
    }
    return scalar grep { $_ } values %bit;
}

{
    my $random = SeededRandom->new(3);
    my ($calls, $above, $bits_above, $pruned) = (0, 0, 0, 0);
    my %mutation_above = ('clamped positions' => 0, 'empty side prunes' => 0);
    for (1 .. 6000)
    {
        my $universe = $random->pick(6, 15, 40, 200);
        my @x = $random->subset($random->between(0, 30), $universe, 'uniform');
        my %y = map { $_ => 1 } @x;
        for (1 .. $random->below(8))
        {
            my $token = $random->below($universe);
            if ($random->chance(50)) { $y{$token} = 1; }
            else { delete $y{$token}; }
        }
        my @y = sort { $a <=> $b } keys %y;
        my $distance = PaperJoin::hamming(\@x, \@y);
        $bits_above++ if differing_bits(\@x, \@y) > $distance;
        for my $slack (0 .. 3)
        {
            my $h = $distance + $slack;
            $calls++;
            $above++ if PaperJoin::suffix_filter(\@x, \@y, $h, 1) > $h;
            for my $mutation (keys %mutation_above)
            {
                $mutation_above{$mutation}++
                  if PaperJoin::suffix_filter(\@x, \@y, $h, 1, $mutation) > $h;
            }
        }
        # Where Hmax is too small for the distance, it may prune.
        $pruned++
          if $distance > abs(@x - @y)
          && PaperJoin::suffix_filter(\@x, \@y, $distance - 2, 1) >
          $distance - 2;
    }
    is($above, 0,
        "SuffixFilter(x, y, H) <= H wherever the Hamming distance is <= H: $calls calls");
    cmp_ok($pruned, '>', 500, "and it prunes where the distance is greater ($pruned times)");
    cmp_ok($mutation_above{$_}, '>', 0, "mutation \"$_\" breaks that bound ($mutation_above{$_} times)")
      for sort keys %mutation_above;
    is($bits_above, 0, 'toggled bits differ in no more places than the records');
}

# ---------------------------------------------------------------------------
# What must hold: each condition left out loses pairs; ppjoin has them
# ---------------------------------------------------------------------------

# Variants of a few records in a small universe, half of them in R.
sub random_records
{
    my ($random) = @_;
    my $universe = $random->pick(12, 30, 80);
    my @base = map {
        [ $random->subset($random->between(6, 25), $universe, 'zipf') ]
    } 1 .. 6;
    my @records;
    for (1 .. 50)
    {
        my @set = @{ $random->pick(@base) };
        for (1 .. $random->below(5))
        {
            if ($random->chance(50)) { push @set, $random->below($universe); }
            elsif (@set > 1) { splice @set, $random->below(scalar @set), 1; }
        }
        my %seen;
        push @records, [ grep { !$seen{$_}++ } @set ];
    }
    my @sides = map { $random->below(2) } @records;
    return (\@records, \@sides);
}

# Rows that SQL returned too much or too little, of "x y" lines.
sub difference_of
{
    my ($expected, $got) = @_;
    my %count;
    $count{$_}++ for @$expected;
    $count{$_}-- for @$got;
    my $difference = 0;
    $difference += abs for values %count;
    return $difference;
}

# Runs ppjoin by each algorithm and compares with the expected "x y" lines.
sub sql_is_right
{
    my ($rule, $query, $against, $t, $measure, @expected) = @_;
    my $differences = 0;
    for my $algorithm (@ALGORITHMS)
    {
        my ($code, $stdout, $stderr) = $node->psql('postgres',
            "SELECT a || ' ' || b FROM ppjoin($query, $t, '$measure', '$algorithm', against => $against)");
        diag($stderr) if $code;
        $differences += $code ? 1 : difference_of(\@expected, [ split /\n/, $stdout ]);
    }
    is($differences, 0,
        "$rule: ppjoin returns all " . @expected . ' pairs by every algorithm');
    return;
}

for my $mutation (sort keys %PaperJoin::MUTATIONS)
{
    my $is_rs = $mutation =~ /one side|each side/;
    my ($lost, $records, $sides, $expected);
    for my $seed (1 .. 60)
    {
        ($records, $sides) = random_records(SeededRandom->new($seed));
        my %arg = (
            records => $records,
            sides => $is_rs ? $sides : undef,
            n => 7,
            d => 10);
        $expected = PaperJoin::brute_force(%arg);
        my $mutant = PaperJoin::join_records(
            %arg,
            algorithm => 'ppjoin+',
            mutation => $mutation);
        my $sound = PaperJoin::join_records(%arg, algorithm => 'ppjoin+');
        if (@{ $sound->{pairs} } != @$expected)
        {
            fail("the transcription is right for seed $seed");
            last;
        }
        $lost = @$expected - @{ $mutant->{pairs} };
        last if $lost > 0;
    }
    cmp_ok($lost // 0, '>', 0,
        "mutation \"$mutation\" ($PaperJoin::MUTATIONS{$mutation}) loses pairs ($lost of "
          . @$expected . ')');

    my $query = table_of('mutated', $records, $sides);
    if ($is_rs)
    {
        # The oracle names the lower row first, the join the row of R.
        my @lines = map {
            my ($x, $y) = @$_;
            $sides->[$x] == 0 ? "$x $y" : "$y $x"
        } @$expected;
        sql_is_right("where \"$mutation\" loses pairs",
            "'$query WHERE side = 0'", "'$query WHERE side = 1'",
            0.7, 'jaccard', @lines);
        sql_is_right("where \"$mutation\" loses pairs, R and S exchanged",
            "'$query WHERE side = 1'", "'$query WHERE side = 0'",
            0.7, 'jaccard', map { join ' ', reverse split / / } @lines);
    }
    else
    {
        sql_is_right("where \"$mutation\" loses pairs",
            "'$query'", 'NULL', 0.7, 'jaccard', map { "$_->[0] $_->[1]" } @$expected);
    }
}

# Containment of x in y: x probes with |x| - ceil(t|x|) + 1 tokens, y must be
# indexed as a whole. The pairs found where y is indexed by a given length:
sub contained_pairs
{
    my ($records, $n, $d, $indexed_length) = @_;
    my @ordered = PaperJoin::canonicalize($records, undef, '');
    my %index;
    for my $y (@ordered)
    {
        my $length = $indexed_length->(scalar @{ $y->{tokens} });
        push @{ $index{$_} }, $y for @{ $y->{tokens} }[ 0 .. $length - 1 ];
    }
    my %pair;
    for my $x (@ordered)
    {
        my $size = @{ $x->{tokens} };
        my $alpha = PaperJoin::ceil_div($n * $size, $d);
        for my $w (@{ $x->{tokens} }[ 0 .. $size - $alpha ])
        {
            for my $y (@{ $index{$w} // [] })
            {
                next if $y->{row} == $x->{row};
                $pair{"$x->{row} $y->{row}"} = 1
                  if PaperJoin::overlap($x->{tokens}, $y->{tokens}) >= $alpha;
            }
        }
    }
    return sort keys %pair;
}

{
    my ($records) = random_records(SeededRandom->new(1));
    my @expected;
    for my $x (0 .. $#$records)
    {
        for my $y (grep { $_ != $x } 0 .. $#$records)
        {
            push @expected, "$x $y"
              if 5 * PaperJoin::overlap($records->[$x], $records->[$y]) >=
              4 * @{ $records->[$x] };
        }
    }
    my @whole = contained_pairs($records, 4, 5, sub { $_[0] });
    my @short = contained_pairs($records, 4, 5, $jaccard->{indexing});
    is(difference_of(\@expected, \@whole), 0,
        'containment: with all of y indexed every pair is found');
    cmp_ok(scalar @short, '<', scalar @expected,
        'containment: the prefix of Lemma 3 loses pairs ('
          . (@expected - @short) . ' of ' . @expected . ')');
    my $query = table_of('contained', $records);
    sql_is_right('containment in both directions',
        "'$query'", 'NULL', 0.8, 'containment', @expected);
}

# Hamming: records so short that they need share no token.
{
    my @records = ([1], [2], [ 3, 4 ], [ 5, 6 ], [ 1, 7 ], [ 1 .. 9 ], []);
    my (@expected, $disjoint);
    for my $x (0 .. $#records)
    {
        for my $y ($x + 1 .. $#records)
        {
            next if !@{ $records[$x] } || !@{ $records[$y] };
            next if PaperJoin::hamming($records[$x], $records[$y]) > 3;
            push @expected, "$x $y";
            $disjoint++ if !PaperJoin::overlap($records[$x], $records[$y]);
        }
    }
    cmp_ok($disjoint, '>', 3,
        "Hamming distance 3: $disjoint pairs share no token, so no prefix finds them");
    my $query = table_of('disjoint', \@records);
    sql_is_right('Hamming distance 3, disjoint records joined by size',
        "'$query'", 'NULL', 3, 'hamming', @expected);
}

$node->stop;
done_testing();
