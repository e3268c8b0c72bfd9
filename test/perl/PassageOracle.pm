# PassageOracle: random texts whose words and places are known, and by brute force what passages they
# have in common.
#
# A row is a hash of its text, key, words, and the first and last character of each word (from 1).
package PassageOracle;

use strict;
use warnings;
use utf8;

use Encode;

use SeededRandom;

# What stands in a text, and the word that it is. Characters of scripts without spaces need no blank
# around.
my @SPACED = (
    (map { [ $_, lc $_ ] } 'a', 'B', 'cd', 'Ef', 'g2', 'x', 'YZ', '9'),
    [ "Cre\x{300}me", "cr\x{e8}me" ], [ "Cr\x{e8}me", "cr\x{e8}me" ], [ "\x{fb01}n", 'fin' ], [ "\x{ff21}\x{ff22}", 'ab' ],
    [ "so\x{ad}ft", 'soft' ], [ "Stra\x{df}e", 'strasse' ], [ "\x{416}\x{443}\x{43a}", "\x{436}\x{443}\x{43a}" ], [ "\x{1d400}", 'a' ]);
my @UNSPACED = map { [ $_, $_ ] } "\x{6771}", "\x{4eac}", "\x{90fd}", "\x{3042}", "\x{306e}", "\x{0e01}";
my @GAPS = (' ', ' ', ' ', ' ', '  ', ', ', '. ', "\n", " \x{2014} ", '! ', '?" ', ".\n", '-', '... ', '.) ', "\n\n", "\n> ", "\x{3002}", '/', " \x{1f600} ");

my $NARROW = '.!?';
my $WIDE = "\x{3002}\x{ff01}\x{ff0e}\x{ff1f}\x{ff61}";

# Appends a unit and what follows it.
sub append_unit
{
    my ($row, $random, $unit) = @_;
    my ($source, $word) = @$unit;
    # What is named later may stand next to anything.
    my $is_spaced = defined $word && !grep { $_ == $unit } @UNSPACED;

    # Two words of spaced scripts need something between.
    $row->{text} .= ' ' if $is_spaced && $row->{text} =~ /[\w\x{300}-\x{36f}]\z/ && !$row->{last_unspaced};
    push @{ $row->{words} }, $word;
    push @{ $row->{from} }, length($row->{text}) + 1;
    $row->{text} .= $source;
    push @{ $row->{to} }, length $row->{text};
    $row->{last_unspaced} = !$is_spaced;
    if ($random->chance($is_spaced ? 100 : 30))
    {
        $row->{text} .= $GAPS[ $random->below(scalar @GAPS) ];
        $row->{last_unspaced} = 0;
    }
    return;
}

# Rows of random words, with copies of passages of earlier rows and of the same. With places, an oracle of them, words
# are made of characters that become several, and of what may be beside them.
sub random_rows
{
    my ($random, %options) = @_;
    my (@rows, @stock);

    for my $number (1 .. $options{rows})
    {
        my $row = { text => $random->chance(10) ? '... ' : '', words => [], from => [], to => [],
            key => $random->chance(5) && @rows ? $rows[-1]{key} : ($random->below(2) ? $number : 1000 - $number) };
        my $length = $random->below($options{words} + 1);
        while (@{ $row->{words} } < $length)
        {
            my @units;
            if (@stock && $random->chance($options{copies}))
            {
                my $copied = $stock[ $random->below(scalar @stock) ];
                my $first = $random->below(scalar @$copied);
                @units = @$copied[ $first .. $#$copied ];
            }
            else
            {
                my @from = $options{places} ? map { [$_] } @PlaceOracle::SEVERAL, @PlaceOracle::BESIDE : $random->chance(25) ? @UNSPACED : @SPACED;
                @units = map {
                    $options{distinct}
                      ? do { my $w = 'w' . $random->below($options{distinct}); [ $random->chance(50) ? uc $w : $w, $w ] }
                      : $from[ $random->below($options{alphabet} < @from ? $options{alphabet} : scalar @from) ]
                } 1 .. 1 + $random->below($options{stretch});
                push @stock, [@units];
            }
            append_unit($row, $random, $_) for @units;
        }
        name_words($row, $options{places}) if $options{places};
        push @rows, $row;
    }
    return \@rows;
}

# Takes the words of a row from an oracle of places.
sub name_words
{
    my ($row, $places) = @_;

    my @words = $places->words($row->{text});
    @$row{qw(words from to)} = ([ map { $_->[0] } @words ], [ map { $_->[1] } @words ], [ map { $_->[2] } @words ]);
    return;
}

# Marks what sentences a row has: begins and ends, and the characters of those words.
sub mark_sentences
{
    my ($row) = @_;
    my $count = @{ $row->{words} };
    my $start = 1;
    my $begins = 1;

    for my $i (0 .. $count - 1)
    {
        my $is_last = $i == $count - 1;
        my $gap_start = $row->{to}[$i];
        my $gap_end = $is_last ? length $row->{text} : $row->{from}[ $i + 1 ] - 1;
        my $gap = $gap_end > $gap_start ? substr $row->{text}, $gap_start, $gap_end - $gap_start : '';
        my $end;
        pos($gap) = 0;
        while (!defined $end && $gap =~ /[\n$NARROW$WIDE]/g)
        {
            if ($& eq "\n") { $end = pos $gap; last }
            my $run = $&;
            $run .= $1 if $gap =~ /\G((?:[$NARROW$WIDE"'*_]|\p{Pe}|\p{Pf})*)/gc;
            my $after = pos $gap;
            $gap =~ /\G[ \t\r\p{Zs}]*\n?/gc;
            $end = pos $gap if $run =~ /[$WIDE]/ || pos $gap > $after || ($is_last && $after == length $gap);
            pos($gap) = $after;
        }
        $end = length $gap if $is_last && !defined $end;
        $row->{begins}[$i] = $begins;
        $row->{sentence_from}[$i] = $begins ? $start : $row->{from}[$i];
        $row->{sentence_to}[$i] = defined $end ? $gap_start + $end : $row->{to}[$i];
        $row->{ends}[$i] = defined $end ? 1 : 0;
        $begins = defined $end ? 1 : 0;
        $start = $gap_start + $end + 1 if $begins;
    }
    return;
}

# The grams of all rows: by their words, [row, place] of each in order.
sub grams_of
{
    my ($rows, $min_words) = @_;
    my %places;

    for my $r (0 .. $#$rows)
    {
        my $words = $rows->[$r]{words};
        for my $i (0 .. @$words - $min_words)
        {
            my $gram = join ' ', @$words[ $i .. $i + $min_words - 1 ];
            push @{ $places{$gram} }, [ $r, $i ];
            $rows->[$r]{gram}[$i] = $gram;
        }
    }
    return \%places;
}

sub rows_with
{
    my ($places) = @_;
    my %rows = map { $_->[0] => 1 } @$places;
    return scalar keys %rows;
}

# All maximal runs, each [row, row, place, place, words], the rows in their order.
sub runs
{
    my ($rows, $grams, $min_words, $max_rows) = @_;
    my (@runs, %known);

    for my $places (values %$grams)
    {
        for my $x (@$places)
        {
            for my $y (@$places)
            {
                next if $x->[0] >= $y->[0];
                my ($v, $w) = map { $rows->[ $_->[0] ]{words} } $x, $y;
                my ($i, $j) = ($x->[1], $y->[1]);
                ($i, $j) = ($i - 1, $j - 1) while $i > 0 && $j > 0 && $v->[ $i - 1 ] eq $w->[ $j - 1 ];
                next if $known{"$x->[0] $y->[0] $i $j"}++;
                my $words = 0;
                $words++ while $i + $words < @$v && $j + $words < @$w && $v->[ $i + $words ] eq $w->[ $j + $words ];
                next if !grep { rows_with($grams->{ $rows->[ $x->[0] ]{gram}[$_] }) <= $max_rows } $i .. $i + $words - $min_words;
                push @runs, [ $x->[0], $y->[0], $i, $j, $words ];
            }
        }
    }
    return \@runs;
}

# Runs as passage_join returns them; `compared` tells which rows are.
sub run_lines
{
    my ($rows, $runs, $compared, $is_self_join) = @_;
    my @lines;

    for my $run (@$runs)
    {
        my ($a, $b, $i, $j, $words) = @$run;
        next if !$compared->($a, $b);
        my $in_a = range($rows->[$a], $i, $i + $words);
        my $in_b = range($rows->[$b], $j, $j + $words);
        my ($key_a, $key_b) = map { $rows->[$_]{key} } $a, $b;
        push @lines, $is_self_join && $key_a > $key_b ? "$key_b|$key_a|$in_b|$in_a|$words" : "$key_a|$key_b|$in_a|$in_b|$words";
    }
    return join "\n", sort @lines;
}

sub range
{
    my ($row, $first, $end) = @_;
    return "[$row->{from}[$first]," . ($row->{to}[ $end - 1 ] + 1) . ')';
}

# What repeated_passages returns of the rows from number $first_row on.
sub repeated_lines
{
    my ($rows, $grams, $min_words, $first_row, $sentences) = @_;
    my @lines;

    for my $r ($first_row .. $#$rows)
    {
        my $row = $rows->[$r];
        my $count = @{ $row->{words} };
        my (@first, @repeated);
        for my $i (0 .. $count - $min_words)
        {
            my $place = $grams->{ $row->{gram}[$i] }[0];
            next if $place->[0] == $r && $place->[1] == $i;
            $first[$i] = $place;
            $repeated[$_] = 1 for $i .. $i + $min_words - 1;
        }
        my ($longest, $source) = (0);
        for (my $i = 0; $i + $min_words <= $count; $i++)
        {
            next if !$first[$i];
            my $run = 1;
            $run++ while $first[ $i + $run ] && $first[ $i + $run ][0] == $first[$i][0] && $first[ $i + $run ][1] == $first[$i][1] + $run;
            ($longest, $source) = ($run, $first[$i]) if $run > $longest;
            $i += $run - 1;
        }
        my ($words, @ranges) = (0);
        for (my $i = 0; $i < $count; $i++)
        {
            next if !$repeated[$i];
            my $end = $i;
            $end++ while $end < $count && $repeated[$end];
            my ($from, $to) = ($i, $end);
            $i = $end - 1;
            if ($sentences)
            {
                $from++ while $from < $to && !$row->{begins}[$from];
                $to-- while $from < $to && !$row->{ends}[ $to - 1 ];
            }
            next if $from == $to;
            $words += $to - $from;
            push @ranges, $sentences ? "[$row->{sentence_from}[$from]," . ($row->{sentence_to}[ $to - 1 ] + 1) . ')' : range($row, $from, $to);
        }
        next if !@ranges;
        my $origin = $rows->[ $source->[0] ];
        my ($from, $last) = ($source->[1], $source->[1] + $longest + $min_words - 2);
        my $first_range = $sentences ? "[$origin->{sentence_from}[$from]," . ($origin->{sentence_to}[$last] + 1) . ')' : range($origin, $from, $last + 1);
        # A multirange merges ranges that touch.
        1 while join(' ', @ranges) =~ /(\d+)\) \[\1,/ && merge(\@ranges);
        push @lines, "$row->{key}|{" . join(',', @ranges) . "}|$words|$origin->{key}|$first_range";
    }
    return join "\n", sort @lines;
}

sub merge
{
    my ($ranges) = @_;
    for my $i (1 .. $#$ranges)
    {
        my ($from, $to) = $ranges->[ $i - 1 ] =~ /\d+/g;
        my ($next_from, $next_to) = $ranges->[$i] =~ /\d+/g;
        next if $to < $next_from;
        splice @$ranges, $i - 1, 2, "[$from,$next_to)";
        return 1;
    }
    return 0;
}

# What boilerplate_passages returns.
sub boilerplate_lines
{
    my ($rows, $grams, $min_words, $min_rows) = @_;
    my @lines;

    for my $r (0 .. $#$rows)
    {
        my $row = $rows->[$r];
        my $is_named = sub {
            my ($i) = @_;
            return if $i + $min_words > @{ $row->{words} };
            my $places = $grams->{ $row->{gram}[$i] };
            return rows_with($places) >= $min_rows && $places->[0][0] == $r && $places->[0][1] == $i;
        };
        for (my $i = 0; $i < @{ $row->{words} }; $i++)
        {
            next if !$is_named->($i);
            my $last = $i;
            $last++ while $is_named->($last + 1);
            my ($least) = sort { $a <=> $b } map { rows_with($grams->{ $row->{gram}[$_] }) } $i .. $last;
            my $end = $last + $min_words;
            my ($from, $to) = ($row->{from}[$i], $row->{to}[ $end - 1 ]);
            push @lines, join '|', unpack('H*', Encode::encode('UTF-8', substr $row->{text}, $from - 1, $to - $from + 1)), $end - $i, $least;
            $i = $last;
        }
    }
    return join "\n", sort @lines;
}

1;
