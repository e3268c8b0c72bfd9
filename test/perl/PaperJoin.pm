# PaperJoin: the algorithms of "Efficient Similarity Joins for Near Duplicate
# Detection" (Xiao, Wang, Lin, Yu, WWW 2008), line by line, for the tests.
#
# This is a second, independent reading of the paper: slow, plain, in integer
# arithmetic, interleaved as in the paper (the index grows while the records
# probe it). The C engines must return the same pairs and the same counts.
#
#   Algorithm 1   ppjoin             join_records(algorithm => 'ppjoin')
#   Algorithm 2   Verify             verify()
#   Algorithm 3   SuffixFilter       suffix_filter()
#   Algorithm 4   Partition          partition()
#   Algorithm 5   line 12 replaced   join_records(algorithm => 'ppjoin+')
#   All Pairs     Algorithm 1 without the positional filter, indexing the
#                 whole probing prefix: join_records(algorithm => 'allpairs')
#
# Positions count from 1, as in the paper: token i of x is $x->[$i - 1].
#
# Where the paper is silent or cannot be meant literally:
#
#  (i)   Hmax is line 2 of Algorithm 5, |x| + |y| - 2 alpha - (i + j - 2). It
#        holds only at the first common token of the pair, so the suffix
#        filter runs once, where A[y] = 0, after the positional test of that
#        token has passed. Where A[y] > 0 the overlap grows by one.
#  (ii)  A pair once pruned stays pruned. Line 14 writes A[y] <- 0, with
#        which a later common token would admit the pair again with too small
#        an overlap; here it is -infinity, which the same line cannot lift.
#  (iii) Partition compares s[l] and s[r] although l may lie below 1 and r
#        above |s|: the first is then -infinity and the second +infinity.
#        Clamping l and r into the record prunes true pairs. Where a side of
#        SuffixFilter is empty there is no middle token: the bound is the
#        difference of the sizes.
#  (iv)  Algorithm 2 speaks of "the prefix" of both records. A[y] has counted
#        tokens of the probing prefix of x and of the indexing prefix of y,
#        and these are the p_x and p_y for which its argument is right.
#  (v)   The size filter |y| >= t|x| is applied to the posting lists.
#  (vi)  Empty records have no prefix and match nothing.
#
# Order: tokens by (document frequency, token as a signed integer); records
# by (size, content as a sequence of token ranks, input row).
#
# The tests also ask for transcriptions that are wrong in one point
# (mutation => NAME), to show that they would notice. See %MUTATIONS.
package PaperJoin;

use strict;
use warnings;

use constant MINUS_INFINITY => -1_000_000_000;

our $MAXDEPTH = 2;

our %MUTATIONS = (
    'clamped positions' =>
      'Partition moves l and r into the record instead of reading infinities',
    'empty side prunes' => 'SuffixFilter gives up where a side is empty',
    'filter at every token' =>
      'the suffix filter runs at each common token, not only at the first',
    'verify by probing prefix' => 'Algorithm 2 takes the probing prefix of y',
    'indexing prefix less one' => 'one token fewer than Lemma 3 asks for',
    'short prefix on one side' =>
      'an R-S join that indexes R by the Lemma 3 prefix and probes with S',
    'order of each side' => 'document frequencies counted for R and S apart',
    'ties left open' => 'tokens of equal frequency in no fixed order');

# ---------------------------------------------------------------------------
# Measures: thresholds are fractions n/d, all arithmetic is in integers
# ---------------------------------------------------------------------------

sub ceil_div
{
    my ($numerator, $denominator) = @_;
    return int(($numerator + $denominator - 1) / $denominator);
}

# Least integer whose square is at least $n.
sub ceil_sqrt
{
    my ($n) = @_;
    my $root = int(sqrt($n));
    $root-- while $root > 0 && $root * $root >= $n;
    $root++ while $root * $root < $n;
    return $root;
}

# alpha(a, b), least size of y, and both prefix lengths, of one measure.
sub bounds
{
    my ($measure, $n, $d) = @_;

    # Equations 1 and 3, section 3 and Lemma 3.
    return {
        alpha => sub { ceil_div($n * ($_[0] + $_[1]), $d + $n) },
        least_size => sub { ceil_div($n * $_[0], $d) },
        probing => sub { $_[0] - ceil_div($n * $_[0], $d) + 1 },
        indexing => sub { $_[0] - ceil_div(2 * $n * $_[0], $d + $n) + 1 },
      }
      if $measure eq 'jaccard';

    # Section 6. O >= t sqrt(ab) is (d O)^2 >= n^2 a b.
    return {
        alpha => sub { ceil_div(ceil_sqrt($n * $n * $_[0] * $_[1]), $d) },
        least_size => sub { ceil_div($n * $n * $_[0], $d * $d) },
        probing => sub { $_[0] - ceil_div($n * $n * $_[0], $d * $d) + 1 },
        indexing => sub { $_[0] - ceil_div($n * $_[0], $d) + 1 },
      }
      if $measure eq 'cosine';

    die "no bounds for measure \"$measure\"";
}

# The predicate itself, for brute force.
sub satisfies
{
    my ($measure, $n, $d, $a, $b, $overlap) = @_;
    return 0 if $a == 0 || $b == 0;
    return $d * $overlap >= $n * ($a + $b - $overlap)
      if $measure eq 'jaccard';
    return $d * $d * $overlap * $overlap >= $n * $n * $a * $b
      if $measure eq 'cosine';
    die "no predicate for measure \"$measure\"";
}

# ---------------------------------------------------------------------------
# Canonical records
# ---------------------------------------------------------------------------

# The hash that the extension orders tokens of one frequency by (dictionary.h), as text that
# sorts like it.
sub hash_of
{
    my ($token) = @_;
    my $hash = $token ^ ($token >> 32);
    {
        use integer;
        $hash *= 0x9e3779b9 << 32 | 0x7f4a7c15;
    }
    return sprintf '%016x', $hash;
}

# Tokens are numbered by (document frequency, hash); each record becomes the
# ascending list of its tokens' numbers.
sub token_ranks
{
    my ($sets) = @_;
    my %frequency;
    $frequency{$_}++ for map { @$_ } @$sets;
    my %hash = map { $_ => hash_of($_) } keys %frequency;
    my $rank = 0;
    return {
        map { $_ => $rank++ }
        sort { $frequency{$a} <=> $frequency{$b} || $hash{$a} cmp $hash{$b} }
        keys %frequency
    };
}

sub compare_content
{
    my ($x, $y) = @_;
    for my $i (0 .. $#$x)
    {
        my $order = $x->[$i] <=> $y->[$i];
        return $order if $order;
    }
    return 0;
}

# Sets in, records out: { row, side, tokens }, sorted by (size, content, row).
sub canonicalize
{
    my ($sets, $sides, $mutation) = @_;
    my @distinct = map {
        my %seen;
        [ grep { !$seen{$_}++ } @$_ ]
    } @$sets;
    my $ranks = token_ranks(\@distinct);
    my %ranks_of_side;

    if ($mutation eq 'order of each side')
    {
        for my $side (0, 1)
        {
            my $own =
              token_ranks([ map { $distinct[$_] }
                  grep { $sides->[$_] == $side } 0 .. $#distinct ]);
            $ranks_of_side{$side} = { %$ranks, %$own };
        }
    }

    my @records;
    for my $row (0 .. $#distinct)
    {
        my $side = $sides ? $sides->[$row] : 0;
        my @tokens = sort { $a <=> $b } map { $ranks->{$_} } @{ $distinct[$row] };
        @tokens = in_order_of($ranks_of_side{$side}, $ranks, $distinct[$row])
          if $ranks_of_side{$side};
        push @records, { row => $row, side => $side, tokens => \@tokens };
    }
    leave_ties_open(\@distinct, \@records) if $mutation eq 'ties left open';

    return sort {
             @{ $a->{tokens} } <=> @{ $b->{tokens} }
          || compare_content($a->{tokens}, $b->{tokens})
          || $a->{row} <=> $b->{row}
    } @records;
}

# The mutation: the order of one side, in the numbering of all.
sub in_order_of
{
    my ($own, $ranks, $set) = @_;
    return map { $ranks->{$_} } sort { $own->{$a} <=> $own->{$b} } @$set;
}

# The mutation: every second record has its tokens of equal frequency in
# descending order, as an order that compares frequencies only may leave them.
sub leave_ties_open
{
    my ($sets, $records) = @_;
    my %frequency;
    $frequency{$_}++ for map { @$_ } @$sets;
    my $ranks = token_ranks($sets);
    my %frequency_of_rank = map { $ranks->{$_} => $frequency{$_} } keys %$ranks;

    for my $record (grep { $_->{row} % 2 } @$records)
    {
        @{ $record->{tokens} } = sort {
                 $frequency_of_rank{$a} <=> $frequency_of_rank{$b}
              || $b <=> $a
        } @{ $record->{tokens} };
    }
    return;
}

# ---------------------------------------------------------------------------
# Algorithms 3 and 4
# ---------------------------------------------------------------------------

# Partition(s, w, l, r): (left, right, f, diff).
sub partition
{
    my ($s, $w, $l, $r, $mutation) = @_;
    my $size = @$s;

    if (($mutation // '') eq 'clamped positions')
    {
        $l = 1 if $l < 1;
        $l = $size if $l > $size;
        $r = $size if $r > $size;
        $r = 1 if $r < 1;
    }

    # Line 2: outside of the record stand -infinity and +infinity.
    my $token_at = sub {
        my ($position) = @_;
        return $position < 1     ? -9e15
          :    $position > $size ? 9e15
          :                        $s->[ $position - 1 ];
    };
    return ([], [], 0, 1) if $token_at->($l) > $w || $token_at->($r) < $w;

    # Line 3: the first position whose token is not less than w.
    my ($low, $high) = ($l < 1 ? 1 : $l, $r > $size ? $size + 1 : $r);
    while ($low < $high)
    {
        my $middle = int(($low + $high) / 2);
        if ($s->[ $middle - 1 ] < $w) { $low = $middle + 1; }
        else { $high = $middle; }
    }
    my $p = $low;

    my @left = @$s[ 0 .. $p - 2 ];
    return (\@left, [ @$s[ $p .. $size - 1 ] ], 1, 0)
      if $p <= $size && $s->[ $p - 1 ] == $w;
    return (\@left, [ @$s[ $p - 1 .. $size - 1 ] ], 1, 1);
}

# SuffixFilter(x, y, Hmax, d): a lower bound of the Hamming distance of x and
# y, or more than Hmax where that is proved to be greater. With $trace, an
# array, every partition is recorded for the tests of the paper's examples.
sub suffix_filter
{
    my ($x, $y, $hmax, $depth, $mutation, $trace) = @_;
    my $difference = abs(@$x - @$y);

    if (($mutation // '') eq 'empty side prunes')
    {
        return $hmax + 1 if !@$x || !@$y;
    }
    return $difference if $depth > $MAXDEPTH || !@$x || !@$y;    # line 1

    my $mid = int((@$y + 1) / 2);                                # line 2
    my $w = $y->[ $mid - 1 ];
    my $o = ($hmax - $difference) >> 1;                          # line 3
    my ($ol, $or) = @$x < @$y ? (1, 0) : (0, 1);                 # line 4
    my ($l, $r) =
      ($mid - $o - $difference * $ol, $mid + $o + $difference * $or);
    my ($yl, $yr) = partition($y, $w, $mid, $mid, $mutation);    # line 5
    my ($xl, $xr, $f, $diff) = partition($x, $w, $l, $r, $mutation);
    push @$trace,
      {
        depth => $depth,
        w => $w,
        l => $l,
        r => $r,
        x => [ scalar @$xl, scalar @$xr ],
        y => [ scalar @$yl, scalar @$yr ]
      }
      if $trace;
    return $hmax + 1 if $f == 0;                                 # line 7

    my $left = abs(@$xl - @$yl);
    my $right = abs(@$xr - @$yr);
    my $h = $left + $right + $diff;                              # line 9
    return $h if $h > $hmax;

    my $hl = suffix_filter($xl, $yl, $hmax - $right - $diff,
        $depth + 1, $mutation, $trace);
    $h = $hl + $right + $diff;
    return $h if $h > $hmax;

    my $hr = suffix_filter($xr, $yr, $hmax - $hl - $diff,
        $depth + 1, $mutation, $trace);
    return $hl + $hr + $diff;
}

# ---------------------------------------------------------------------------
# Algorithm 2
# ---------------------------------------------------------------------------

# The number of common tokens of x[from_x ..] and y[from_y ..].
sub intersection_size
{
    my ($x, $y, $from_x, $from_y) = @_;
    my ($i, $j, $count) = ($from_x - 1, $from_y - 1, 0);
    while ($i < @$x && $j < @$y)
    {
        my $order = $x->[$i] <=> $y->[$j];
        $count++ if $order == 0;
        $i++ if $order <= 0;
        $j++ if $order >= 0;
    }
    return $count;
}

# The overlap of x and y, or less than alpha where it cannot reach that.
sub verify
{
    my ($x, $y, $a, $alpha, $px, $py) = @_;
    my $wx = $x->[ $px - 1 ];
    my $wy = $y->[ $py - 1 ];

    if ($wx < $wy)
    {
        return $a if $a + @$x - $px < $alpha;
        return $a + intersection_size($x, $y, $px + 1, $a + 1);
    }
    return $a if $a + @$y - $py < $alpha;
    return $a + intersection_size($x, $y, $a + 1, $py + 1);
}

# ---------------------------------------------------------------------------
# Algorithm 1, with Algorithm 5 in its line 12
# ---------------------------------------------------------------------------

# join_records(records => [[token ...] ...], n => 4, d => 5,
#              measure => 'jaccard', algorithm => 'ppjoin+',
#              sides => [0 or 1 of each record, for an R-S join],
#              whole_prefix => 1 for Algorithm 1 as printed, before Lemma 3,
#              mutation => NAME)
# returns { pairs => [[row, row, overlap] ...], records, tokens,
#           distinct_tokens, postings, candidates, pruned_by_position,
#           pruned_by_suffix }. Rows count from 0; the lower row comes first.
sub join_records
{
    my (%arg) = @_;
    my $sets = $arg{records};
    my $sides = $arg{sides};
    my $algorithm = $arg{algorithm};
    my $mutation = $arg{mutation} // '';
    die "unknown mutation \"$mutation\""
      if $mutation && !$MUTATIONS{$mutation};
    my $bounds = bounds($arg{measure} // 'jaccard', $arg{n}, $arg{d});
    my @records = canonicalize($sets, $sides, $mutation);

    my $positional = $algorithm ne 'allpairs';
    my $suffix = $algorithm eq 'ppjoin+';

    my %count = (
        records => scalar @records,
        tokens => 0,
        postings => 0,
        candidates => 0,
        pruned_by_position => 0,
        pruned_by_suffix => 0);
    my %token_seen;
    my %index;    # token -> [[y, j] ...], in the order of the records
    my (@indexed_prefix, @verify_prefix, @pairs);

    my $add_to_index = sub {
        my ($number, $i) = @_;
        push @{ $index{ $records[$number]{tokens}[ $i - 1 ] } },
          [ $number, $i ];
        $count{postings}++;
    };

    # Both prefix lengths of every record.
    my (@probing, @indexing);
    for my $number (0 .. $#records)
    {
        my $size = @{ $records[$number]{tokens} };
        my $probing = $bounds->{probing}->($size);
        my $indexing =
            $positional && !$arg{whole_prefix}
          ? $bounds->{indexing}->($size)
          : $probing;
        $indexing-- if $mutation eq 'indexing prefix less one';
        push @probing, $probing;
        push @indexing, $indexing;
        push @verify_prefix,
          $mutation eq 'verify by probing prefix' ? $probing : $indexing;
        $count{tokens} += $size;
        $token_seen{$_} = 1 for @{ $records[$number]{tokens} };
    }
    $count{distinct_tokens} = keys %token_seen;

    my $one_sided = $mutation eq 'short prefix on one side';
    if ($one_sided)
    {
        for my $number (grep { @{ $records[$_]{tokens} } } 0 .. $#records)
        {
            next if $records[$number]{side} == 1;
            $add_to_index->($number, $_) for 1 .. $indexing[$number];
        }
    }

    for my $number (0 .. $#records)
    {
        my $x = $records[$number]{tokens};
        my $size_x = @$x;
        next if $size_x == 0;
        next if $one_sided && $records[$number]{side} == 0;
        my %a;
        my $p = $probing[$number];
        my $least_size = $bounds->{least_size}->($size_x);
        my $indexing = $indexing[$number];

        for my $i (1 .. $p)
        {
            my $w = $x->[ $i - 1 ];
            for my $posting (@{ $index{$w} // [] })
            {
                my ($number_y, $j) = @$posting;
                my $y = $records[$number_y]{tokens};
                my $size_y = @$y;
                next if $size_y < $least_size;
                next
                  if $sides
                  && $records[$number_y]{side} == $records[$number]{side};
                my $overlap = $a{$number_y} // 0;
                next if $overlap < 0;

                my $alpha = $bounds->{alpha}->($size_x, $size_y);
                my $rest_x = $size_x - $i;
                my $rest_y = $size_y - $j;
                if ($positional)
                {
                    my $ubound =
                      1 + ($rest_x < $rest_y ? $rest_x : $rest_y);
                    if ($overlap + $ubound < $alpha)
                    {
                        $a{$number_y} = MINUS_INFINITY;
                        $count{pruned_by_position}++;
                        next;
                    }
                }
                if ($suffix
                    && ($overlap == 0
                        || $mutation eq 'filter at every token'))
                {
                    my $hmax =
                      $size_x + $size_y - 2 * $alpha - ($i + $j - 2);
                    my $h = suffix_filter(
                        [ @$x[ $i .. $size_x - 1 ] ],
                        [ @$y[ $j .. $size_y - 1 ] ],
                        $hmax, 1, $mutation);
                    if ($h > $hmax)
                    {
                        $a{$number_y} = MINUS_INFINITY;
                        $count{pruned_by_suffix}++;
                        next;
                    }
                }
                $a{$number_y} = $overlap + 1;
            }
            $add_to_index->($number, $i) if $i <= $indexing && !$one_sided;
        }

        for my $number_y (keys %a)
        {
            my $overlap = $a{$number_y};
            next if $overlap <= 0;
            $count{candidates}++;
            my $y = $records[$number_y]{tokens};
            my $alpha = $bounds->{alpha}->($size_x, scalar @$y);
            my $total = verify($x, $y, $overlap, $alpha, $p,
                $verify_prefix[$number_y]);
            next if $total < $alpha;
            my ($row_x, $row_y) =
              ($records[$number]{row}, $records[$number_y]{row});
            push @pairs,
              $row_x < $row_y
              ? [ $row_x, $row_y, $total ]
              : [ $row_y, $row_x, $total ];
        }
    }
    return { %count, pairs => \@pairs };
}

# ---------------------------------------------------------------------------
# Brute force
# ---------------------------------------------------------------------------

sub overlap
{
    my ($x, $y) = @_;
    my %in_x = map { $_ => 1 } @$x;
    my %common = map { $_ => 1 } grep { $in_x{$_} } @$y;
    return scalar keys %common;
}

sub hamming
{
    my ($x, $y) = @_;
    return @$x + @$y - 2 * overlap($x, $y);
}

# All pairs [row, row, overlap] that satisfy the predicate, by comparing all.
sub brute_force
{
    my (%arg) = @_;
    my $measure = $arg{measure} // 'jaccard';
    my $sides = $arg{sides};
    my @hashes = map {
        +{ map { $_ => 1 } @$_ }
    } @{ $arg{records} };
    my @pairs;
    for my $x (0 .. $#hashes)
    {
        for my $y ($x + 1 .. $#hashes)
        {
            next if $sides && $sides->[$x] == $sides->[$y];
            my ($size_x, $size_y) =
              (scalar keys %{ $hashes[$x] }, scalar keys %{ $hashes[$y] });
            my $overlap = grep { $hashes[$y]{$_} } keys %{ $hashes[$x] };
            push @pairs, [ $x, $y, $overlap ]
              if satisfies($measure, $arg{n}, $arg{d}, $size_x, $size_y,
                $overlap);
        }
    }
    return \@pairs;
}

# One line for each pair, sorted: what is() and the tests compare.
sub pairs_as_text
{
    my ($pairs) = @_;
    return join "\n", sort map { join ' ', @$_ } @$pairs;
}

1;
