# RecordOracle: what duplicate_records finds, in plain Perl, step by step as src/link/record_*.h say it. Sums are taken
# in the order of the candidates, so that scores agree to the last digit that is kept.
#
# It is for ASCII values, and for so few candidates that all of them are examples.
package RecordOracle;

use strict;
use warnings;

use List::Util qw(max min sum0);

use PostgresRandom;

use constant {
    BINS => 40,
    FIRST_BIN => 10,
    ZONE_BINS => 8,
    LEAST_FITTED_BINS => 3,
    GREATEST_SLOPE => -5,
    MOST_UNITS_OF_ALL_PAIRS => 50,
    MOST_ROWS_OF_VALUE => 30,
    MOST_ROWS_OF_LONE_VALUE => 2,
    NEARLY_ALL => 0.995,
    SLIPPED => 0.9,
    SWAPPED => 0.9,
    LEAST_NOT_SWAPPED => 0.5,
    LEAST_FILLED => 0.5,
    LEAST_REPEATED => 0.01,
    MOST_EQUAL => 0.04,
    CHANCE_PAIRS => 5000,
    CHANCE_PART => 0.95,
    CLOSE => 0.5,
    MOST_CLASS_STEPS => 100,
    LEAST_FAR_COLUMNS => 2,
    LIKELY => 0.98,
    UNLIKELY => 0.02,
    PSEUDOCOUNT => 0.5,
    LEAST_SHARE => 0.000001,
    LEAST_RELATIVES => 0.1,
    LEAST_FAR => 0.8,
    MOST_FAR_OTHERS => 0.5,
    MOST_AGAINST => 0.6,
    EQUAL => 0,
    SIMILAR => 1,
    FAR => 2,
    NONE => 3,
    MOST_SIMILAR => 0.9999,
    TOKEN_WEIGHT_ONE => 65536,
    MOST_EXAMPLES => 30000,
    RIDGE => 1,
    MOST_STEPS => 12,
    LEAST_MOVE => 0.0001,
    MOST_SCORE => 30,
    SCORE_UNIT => 2**-20,
    LEAST_MERGED => -2,
    MISSING => -5,
    MOST_ROUNDS => 12,
    MOST_CHANGED => 0.01,
    LEAST_CONSISTENT => 0.9,
    DOUBT => 2,
    MOST_DOUBTFUL => 0.5,
};

my $TOO_FEW = 'cannot tell: there are too few pairs, or none that differ, to learn from';
my $APART = 'cannot tell: rows that are alike otherwise are far apart in ';
my $COPIES = 'copies alone: no rows that differ are more similar than chance gives';
my $FAMILIES = 'cannot tell: rows that differ are as similar as copies are';

# The words of a value, with a blank between.
sub normalized
{
    my ($value) = @_;

    return join ' ', lc($value // '') =~ /[a-z0-9]+/g;
}

# Rounds to a float of 4 bytes.
sub float4
{
    my ($number) = @_;

    return unpack 'f', pack('f', $number);
}

# Rounds to the nearest integer, a half to the even one.
sub rounded
{
    my ($number) = @_;

    return sprintf '%.0f', $number;
}

sub token_weight
{
    my ($records, $frequency) = @_;

    return rounded(log($records / $frequency) * TOKEN_WEIGHT_ONE);
}

# ---------------------------------------------------------------------------
# Rows and candidates
# ---------------------------------------------------------------------------

# Rows are { id, values, differ, scope, entity }, in the order of their ids; values, and those of `differ`, are texts or
# undef, and so is the entity to which a row is known to belong. Pairs of ids that are excepted are [ a, b ].
sub new
{
    my ($class, $names, $rows, $excepted) = @_;
    my $self = bless {
        names => $names, # of the columns
        rows => $rows,
        column_count => scalar @{ $rows->[0]{values} // [] },
        units => [], # { values, scope, size, first: the least id }
    }, $class;
    my (%is_excepted, %number);

    $is_excepted{$_} = 1 for map { @$_ } @$excepted;
    for my $row (@$rows)
    {
        my @values = map { normalized($_) } @{ $row->{values} };
        my $scope = $row->{scope} // '';
        my @differ = map { normalized($_) } @{ $row->{differ} // [] };
        my $content = join '|', $is_excepted{ $row->{id} } ? $row->{id} : '', $scope, @values, @differ, $row->{entity} // '';

        $number{$content} //= push(@{ $self->{units} }, { values => \@values, differ => \@differ, scope => $scope, first => $row->{id}, entity => $row->{entity} }) - 1;
        $row->{unit} = $number{$content};
        $self->{units}[ $row->{unit} ]{size}++;
    }
    my %unit_of = map { $_->{id} => $_->{unit} } @$rows;
    for my $pair (grep { exists $unit_of{ $_->[0] } && exists $unit_of{ $_->[1] } } @$excepted)
    {
        my ($a, $b) = map { $unit_of{$_} } @$pair;

        $self->{excepted}{"$a $b"} = $self->{excepted}{"$b $a"} = 1 if $a != $b;
    }
    return $self;
}

# All values of each unit as one text.
sub texts
{
    my ($self) = @_;

    return map { join ' ', grep { $_ ne '' } @{ $_->{values} } } @{ $self->{units} };
}

# Whether two units both have a value, and other ones, in a column of `differ`.
sub are_parted
{
    my ($self, $a, $b) = @_;
    my ($x, $y) = map { $self->{units}[$_]{differ} } $a, $b;

    return grep { $x->[$_] ne '' && $y->[$_] ne '' && $x->[$_] ne $y->[$_] } 0 .. $#$x;
}

# Whether both units belong to entities, so that they are not compared.
sub are_known
{
    my ($self, $a, $b) = @_;

    return defined $self->{units}[$a]{entity} && defined $self->{units}[$b]{entity};
}

sub are_comparable
{
    my ($self, $a, $b) = @_;

    return 0 if $self->are_known($a, $b);
    return $self->{units}[$a]{scope} eq $self->{units}[$b]{scope} && !$self->{excepted}{"$a $b"};
}

# Takes the similarity of all values, of pairs of units "a b" from a quarter on.
sub find_candidates
{
    my ($self, $similarities) = @_;
    my %found = map { $_ => $similarities->{$_} } grep { $self->are_comparable(split / /) } keys %$similarities;
    my @counts = (0) x BINS;

    for my $similarity (values %found)
    {
        my $bin = min(int($similarity * BINS), BINS - 1);

        $bin++ if $bin + 1 < BINS && $similarity >= ($bin + 1) / BINS;
        $counts[$bin]++;
    }
    $self->{threshold} = threshold(@counts);
    for my $column (0 .. $self->{column_count} - 1)
    {
        my (%units, %rows);

        for my $unit (0 .. $#{ $self->{units} })
        {
            my $value = $self->{units}[$unit]{values}[$column];

            next if $value eq '';
            push @{ $units{$value} }, $unit;
            $rows{$value} += $self->{units}[$unit]{size};
        }
        next if keys(%units) < 2;
        for my $value (grep { $rows{$_} <= MOST_ROWS_OF_VALUE } keys %units)
        {
            my @same = @{ $units{$value} };

            for my $i (0 .. $#same)
            {
                for my $j (grep { $self->are_comparable($same[$i], $same[$_]) } $i + 1 .. $#same)
                {
                    $found{"$same[$i] $same[$j]"} //= 0;
                }
            }
        }
    }
    # By a model, all pairs of few units are compared.
    if ($self->{has_presence} && !$self->{is_narrowed} && @{ $self->{units} } <= MOST_UNITS_OF_ALL_PAIRS)
    {
        for my $a (0 .. $#{ $self->{units} })
        {
            $found{"$a $_"} //= 0 for grep { $self->are_comparable($a, $_) } $a + 1 .. $#{ $self->{units} };
        }
    }
    $self->{is_copied}[$_] = $found{"$_ $_"} = 1 for grep { $self->{units}[$_]{size} > 1 && $self->tells_copies($_) } 0 .. $#{ $self->{units} };
    $self->{candidates} = [
        map { { a => $_->[0], b => $_->[1], of_all => $self->are_parted(@$_) ? -1 : $found{"$_->[0] $_->[1]"} } }
        sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } map { [ split / / ] } keys %found
    ];
    return;
}

# Whether the equal rows of a unit are copies, and not rows of one common value and nothing else.
sub tells_copies
{
    my ($self, $unit) = @_;
    my @values = @{ $self->{units}[$unit]{values} };
    my @differing = grep { $self->differs($_) } 0 .. $#values;
    my @filled = grep { $values[$_] ne '' } @differing;

    return grep({ $_ ne '' } @values) > 0 if @filled == @differing;
    return @filled > 1 || (@filled == 1 && sum0(map { $_->{size} } grep { $_->{values}[ $filled[0] ] eq $values[ $filled[0] ] } @{ $self->{units} }) <= MOST_ROWS_OF_LONE_VALUE);
}

# Whether rows differ in a column.
sub differs
{
    my ($self, $column) = @_;
    my %contents = map { $_->{values}[$column] => 1 } @{ $self->{units} };

    return keys(%contents) > 1;
}

# The threshold of above_chance.c for numbers of pairs by bin.
sub threshold
{
    my (@pairs) = @_;
    my @background = background(@pairs);
    my $all_above = sum0(map { $pairs[$_] - $background[$_] } FIRST_BIN .. BINS - 1);
    my ($taken, $above, $best, $best_quality) = (0, 0, 1, 0);

    for my $bin (reverse FIRST_BIN .. BINS - 1)
    {
        $taken += $pairs[$bin];
        $above += $pairs[$bin] - $background[$bin];
        my $quality = 2 * $above / max($taken + $all_above, 1);
        ($best, $best_quality) = ($bin / BINS, $quality) if $quality > $best_quality;
    }
    return $best;
}

# The pairs that chance gives, by bin.
sub background
{
    my (@pairs) = @_;
    my @zone = FIRST_BIN .. FIRST_BIN + ZONE_BINS - 1;
    my ($start) = sort { $pairs[$b] <=> $pairs[$a] || $a <=> $b } @zone;
    my @background = (0) x BINS;

    $start = FIRST_BIN if (grep { $_ >= $start && $pairs[$_] > 0 } @zone) < LEAST_FITTED_BINS;
    my @filled = grep { $_ >= $start && $pairs[$_] > 0 } @zone;
    if (@filled < LEAST_FITTED_BINS)
    {
        $background[$_] = $pairs[$_] for grep { defined } @filled[ 0, 1 ];
        return @background;
    }
    my $middle = sub { $_[0] / BINS + 0.5 / BINS };
    my ($weight, $center, $height, $variance, $covariance) = (0) x 5;
    for my $bin (@filled)
    {
        $weight += $pairs[$bin];
        $center += $pairs[$bin] * $middle->($bin);
        $height += $pairs[$bin] * log $pairs[$bin];
    }
    $center /= $weight;
    $height /= $weight;
    for my $bin (@filled)
    {
        my $distance = $middle->($bin) - $center;

        $variance += $pairs[$bin] * $distance * $distance;
        $covariance += $pairs[$bin] * $distance * (log($pairs[$bin]) - $height);
    }
    my $slope = min($covariance / $variance, GREATEST_SLOPE);
    my $least = 'inf';
    for my $bin (FIRST_BIN .. BINS - 1)
    {
        my $expected = exp($height + $slope * ($middle->($bin) - $center));

        $least = min($least, $pairs[$bin], $expected) if $bin > $start && $pairs[$bin] > 0;
        $background[$bin] = $bin <= $start ? $pairs[$bin] : min($least, $pairs[$bin]);
    }
    return @background;
}

# ---------------------------------------------------------------------------
# Features
# ---------------------------------------------------------------------------

# What pg_trgm takes: of each word, with two blanks before it and one behind.
sub trigrams
{
    my ($value) = @_;
    my %grams;

    for my $word (map { "  $_ " } split / /, $value)
    {
        $grams{ substr $word, $_, 3 } = 1 for 0 .. length($word) - 3;
    }
    return [ keys %grams ];
}

# Whether some digits are those of a date.
sub is_date
{
    my ($digits) = @_;
    my @forms = map { $digits =~ /\A$_\z/ ? [ $+{century}, $+{month}, $+{day} ] : () } map { s/C/(?<century>..)../r =~ s/M/(?<month>..)/r =~ s/D/(?<day>..)/r } qw(CMD DMC MDC);

    return grep { $_->[0] >= 10 && $_->[0] <= 20 && $_->[1] >= 1 && $_->[1] <= 12 && $_->[2] >= 1 && $_->[2] <= 31 } @forms;
}

# Whether two values are one date, but for one digit that is wrong, lacking or too many, or two that are exchanged.
sub is_slip
{
    my ($x, $y) = map { join '', map { length == 1 ? "0$_" : $_ } split / / } @_;

    return 0 if grep { !/\A\d{7,9}\z/ } $x, $y;
    return 0 unless is_date($x) || is_date($y);
    while ($x ne '' && $y ne '' && substr($x, 0, 1) eq substr($y, 0, 1)) { substr($_, 0, 1) = '' for $x, $y; }
    while ($x ne '' && $y ne '' && substr($x, -1) eq substr($y, -1)) { substr($_, -1) = '' for $x, $y; }
    return length $x <= 1 && length $y <= 1 || length $x == 2 && $x eq reverse $y;
}

# Compares the candidates in each column.
sub find_features
{
    my ($self) = @_;
    my $candidates = $self->{candidates};

    $self->{feature_count} = 0;
    for my $column (0 .. $self->{column_count} - 1)
    {
        my (%rows, %grams, %sets, %frequency, %square, %weight);
        my $both = 0;

        $rows{ $_->{values}[$column] } += $_->{size} for grep { $_->{values}[$column] ne '' } @{ $self->{units} };
        next if keys(%rows) < 2;
        my $row_count = sum0(values %rows);
        for my $value (keys %rows)
        {
            $grams{$value} = trigrams($value);
            $sets{$value} = { map { $_ => 1 } @{ $grams{$value} } };
            $frequency{$_} += $rows{$value} for @{ $grams{$value} };
        }
        $square{$_} = token_weight($row_count, $frequency{$_})**2 for keys %frequency;
        $weight{$_} = sum0(@square{ @{ $grams{$_} } }) for keys %rows;
        my $compare = sub {
            my ($x, $y) = @_;
            my $of_x = $sets{$x};
            my $common = sum0(map { $square{$_} } grep { $of_x->{$_} } @{ $grams{$y} });
            my $norm = sqrt($weight{$x} * $weight{$y});
            my $cosine = $norm == 0 ? 0 : min($common / $norm, MOST_SIMILAR);

            return $x eq $y ? 1 : float4(max($cosine, is_slip($x, $y) ? SLIPPED : 0));
        };
        for my $candidate (@$candidates)
        {
            my ($x, $y) = map { $self->{units}[$_]{values}[$column] } @$candidate{ 'a', 'b' };
            my ($similarity, $rarity) = (0, 0);

            $candidate->{similarities}[$column] = undef;
            push @{ $candidate->{both} }, $x ne '' && $y ne '';
            if ($x ne '' && $y ne '')
            {
                $similarity = $compare->($x, $y);
                $similarity = float4(SWAPPED) if $similarity < LEAST_NOT_SWAPPED && $self->is_swapped(@$candidate{ 'a', 'b' }, $column);
                $rarity = max(map { float4(token_weight($row_count, $rows{$_}) / TOKEN_WEIGHT_ONE) } $x, $y);
                $candidate->{similarities}[$column] = $similarity;
                $both++;
            }
            push @{ $candidate->{features} }, $similarity, $similarity * $rarity;
        }
        my $tells = $self->{has_presence} ? $self->{has_presence}[$column] : $both < NEARLY_ALL * @$candidates;
        for my $candidate (@$candidates)
        {
            my $is_both = pop @{ $candidate->{both} };

            splice @{ $candidate->{features} }, -1, 0, $is_both ? 1 : 0 if $tells;
        }
        $self->{feature_count} += $tells ? 3 : 2;
        $self->find_agreements($column, \%rows, $compare);
    }
    $_->{features} //= [] for @$candidates;
    return;
}

# Whether the values that two units have in a column both stand in another column of the other one.
sub is_swapped
{
    my ($self, $a, $b, $column) = @_;
    my ($x, $y) = map { $self->{units}[$_]{values} } $a, $b;

    my @others = grep { $_ != $column && $self->varies($_) } 0 .. $self->{column_count} - 1;

    return (grep { $y->[$_] eq $x->[$column] } @others) && (grep { $x->[$_] eq $y->[$column] } @others);
}

# Whether a column has several values.
sub varies
{
    my ($self, $column) = @_;
    my %values = map { $_->{values}[$column] => 1 } @{ $self->{units} };

    delete $values{''};
    return $self->{varies}[$column] //= keys(%values) > 1 ? 1 : 0;
}

# Sets how the candidates agree in a column, if it counts, and whether it tells what a row is.
sub find_agreements
{
    my ($self, $column, $rows, $compare) = @_;
    my $count = sum0(values %$rows);
    my $repeated = sum0(grep { $_ > 1 } values %$rows);

    return if $count < LEAST_FILLED * @{ $self->{rows} } || $repeated < max(LEAST_REPEATED * $count, 2);
    my @values = grep { $_ ne '' } map { $self->{units}[ $_->{unit} ]{values}[$column] } @{ $self->{rows} };
    my $random = PostgresRandom->new(0);
    my @similarities = map { $compare->($values[ $random->below($count) ], $values[ $random->below($count) ]) } 1 .. CHANCE_PAIRS;
    my $chance = min((sort { $a <=> $b } @similarities)[ CHANCE_PAIRS * CHANCE_PART ], float4(MOST_SIMILAR));

    push @{ $self->{counting} }, $column;
    $self->{tells}[$column] = sum0(map { ($_ / $count)**2 } values %$rows) <= MOST_EQUAL;
    for my $candidate (@{ $self->{candidates} })
    {
        my $similarity = $candidate->{similarities}[$column];

        $candidate->{agreements}[$column] = !defined $similarity ? NONE : $similarity >= 1 ? EQUAL : $similarity > $chance ? SIMILAR : FAR;
    }
    return;
}

# ---------------------------------------------------------------------------
# Relatives
# ---------------------------------------------------------------------------

# Looks for relatives among these candidates; returns whether there are any, which {evidence} then tells.
sub find_relatives
{
    my ($self, @pairs) = @_;
    my @columns = @{ $self->{counting} // [] };
    my %class = (columns => \@columns);

    @pairs = grep { $_->{a} != $_->{b} } @pairs;
    my $has_far = sub { my $pair = shift; LEAST_FAR_COLUMNS <= grep { $pair->{agreements}[$_] == FAR } @columns };
    my @probabilities = map { $has_far->($_) ? LIKELY : UNLIKELY } @pairs;
    return 0 if !grep { $_ == LIKELY } @probabilities;
    for (1 .. MOST_CLASS_STEPS)
    {
        my $moved = 0;

        learn_classes(\%class, \@pairs, \@probabilities);
        for my $i (0 .. $#pairs)
        {
            my $probability = 1 / (1 + exp(-odds_of(\%class, $pairs[$i])));

            $moved = max($moved, abs($probability - $probabilities[$i]));
            $probabilities[$i] = $probability;
        }
        last if $moved < LEAST_MOVE;
    }
    my $far = grep { $class{shares}[$_][0][FAR] >= LEAST_FAR && $class{shares}[$_][1][FAR] <= MOST_FAR_OTHERS } @columns;
    return 0 if $far < LEAST_FAR_COLUMNS || grep({ $_ > 0.5 } @probabilities) < LEAST_RELATIVES * @pairs;
    $self->{class} = \%class;
    return 1;
}

sub learn_classes
{
    my ($class, $pairs, $probabilities) = @_;
    my $share = min(max(sum0(@$probabilities) / @$probabilities, LEAST_SHARE), 1 - LEAST_SHARE);

    $class->{odds} = log($share / (1 - $share));
    for my $column (@{ $class->{columns} })
    {
        my @shares = map { [ (PSEUDOCOUNT) x 3 ] } 0, 1;

        for my $i (0 .. $#$pairs)
        {
            my $agreement = $pairs->[$i]{agreements}[$column];

            next if $agreement == NONE;
            $shares[0][$agreement] += $probabilities->[$i];
            $shares[1][$agreement] += 1 - $probabilities->[$i];
        }
        for my $of_class (@shares)
        {
            my $sum = sum0(@$of_class);

            $_ /= $sum for @$of_class;
        }
        $class->{shares}[$column] = \@shares;
        $class->{evidence}[$column] = [ map { log($shares[0][$_]) - log($shares[1][$_]) } EQUAL, SIMILAR, FAR ];
    }
    return;
}

# The logarithm of the odds that a pair is of relatives.
sub odds_of
{
    my ($class, $pair) = @_;
    my $odds = $class->{odds};

    $odds += $class->{evidence}[$_][ $pair->{agreements}[$_] ] for grep { $pair->{agreements}[$_] != NONE } @{ $class->{columns} };
    return $odds;
}

# Marks relatives, which are no matches; takes for matches the others that are now or were at first.
sub part_relatives
{
    my ($self) = @_;

    for my $candidate (@{ $self->{candidates} })
    {
        $candidate->{related} = $candidate->{a} != $candidate->{b} && odds_of($self->{class}, $candidate) > 0;
        $candidate->{matches} = ($candidate->{matches} || $candidate->{similar}) && !$candidate->{related} ? 1 : 0;
    }
    return;
}

# ---------------------------------------------------------------------------
# The model
# ---------------------------------------------------------------------------

# Solves a system of linear equations that is symmetric and positive definite, of which the lower half is given.
sub solve
{
    my ($matrix, $vector) = @_;
    my @rows = map { [@$_] } @$matrix;
    my @x = @$vector;

    for my $j (0 .. $#x)
    {
        for my $k (0 .. $j)
        {
            my $sum = $rows[$j][$k];

            $sum -= $rows[$j][$_] * $rows[$k][$_] for 0 .. $k - 1;
            return if $k == $j && $sum <= 0;
            $rows[$j][$k] = $k == $j ? sqrt $sum : $sum / $rows[$k][$k];
        }
    }
    for my $j (0 .. $#x)
    {
        $x[$j] -= $rows[$j][$_] * $x[$_] for 0 .. $j - 1;
        $x[$j] /= $rows[$j][$j];
    }
    for my $j (reverse 0 .. $#x)
    {
        $x[$j] -= $rows[$_][$j] * $x[$_] for $j + 1 .. $#x;
        $x[$j] /= $rows[$j][$j];
    }
    return \@x;
}

# Whether a candidate is an example of a match: 1 or 0.
sub is_taught
{
    my ($candidate) = @_;

    return $candidate->{matches} && !$candidate->{related} ? 1 : 0;
}

# Fits the model to all candidates; returns the constant and the weights.
sub fit
{
    my ($self) = @_;
    my $width = $self->{feature_count};
    my @examples = sort { is_taught($b) <=> is_taught($a) } @{ $self->{candidates} };
    my @means = (0) x $width;
    my @deviations = (0) x $width;
    my @values = map { [ map { float4($_) } @{ $_->{features} } ] } @examples;

    die 'too many candidates for all to be examples' if @examples > MOST_EXAMPLES;
    for my $j (0 .. $width - 1)
    {
        $means[$j] += $_->[$j] for @values;
        $means[$j] /= @values;
        $deviations[$j] += ($_->[$j] - $means[$j])**2 for @values;
        $deviations[$j] = sqrt($deviations[$j] / @values) || 1;
    }
    my @standard = map { my $v = $_; [ 1, map { ($v->[$_] - $means[$_]) / $deviations[$_] } 0 .. $width - 1 ] } @values;
    my @coefficients = (0) x ($width + 1);
    for (1 .. MOST_STEPS)
    {
        my @gradient = (0) x ($width + 1);
        my @hessian = map { [ (0) x ($_ + 1) ] } 0 .. $width;

        for my $i (0 .. $#examples)
        {
            my $example = $standard[$i];
            my $score = $coefficients[0];
            $score += $example->[$_] * $coefficients[$_] for 1 .. $width;
            my $probability = 1 / (1 + exp(-min(max($score, -MOST_SCORE), MOST_SCORE)));
            my $curvature = $probability * (1 - $probability);

            for my $j (0 .. $width)
            {
                my $scaled = $curvature * $example->[$j];
                my $row = $hessian[$j];

                $gradient[$j] += (is_taught($examples[$i]) - $probability) * $example->[$j];
                $row->[$_] += $scaled * $example->[$_] for 0 .. $j;
            }
        }
        $gradient[$_] -= RIDGE * $coefficients[$_] for 1 .. $width;
        $hessian[$_][$_] += RIDGE for 1 .. $width;
        my $step = solve(\@hessian, \@gradient) or last;
        $coefficients[$_] += $step->[$_] for 0 .. $width;
        last if max(map { abs } @$step) < LEAST_MOVE;
    }
    my ($constant, @weights) = @coefficients;
    for my $j (0 .. $width - 1)
    {
        $weights[$j] /= $deviations[$j];
        $constant -= $weights[$j] * $means[$j];
    }
    return ($constant, @weights);
}

# Scores the candidates by these weights, or by those that are learned from them.
sub score_candidates
{
    my ($self, @model) = @_;
    my ($constant, @weights) = @model ? @model : $self->fit;

    for my $candidate (@{ $self->{candidates} })
    {
        my $score = $constant;

        $score += $weights[$_] * $candidate->{features}[$_] for 0 .. $#weights;
        $candidate->{score} = rounded($score / SCORE_UNIT) * SCORE_UNIT;
    }
    return;
}

# ---------------------------------------------------------------------------
# Clusters
# ---------------------------------------------------------------------------

# Whether two clusters become one at the turn of a candidate of this score.
sub may_merge
{
    my ($self, $x, $y, $score, $scores) = @_;
    my ($sum, $pairs) = (0, 0);

    for my $a (@{ $x->{units} })
    {
        for my $b (@{ $y->{units} })
        {
            my $of_pair = $scores->{ $a < $b ? "$a $b" : "$b $a" };
            my $rows = $self->{units}[$a]{size} * $self->{units}[$b]{size};

            return 0 if $self->{excepted}{"$a $b"} || $self->are_parted($a, $b) || $self->are_known($a, $b);
            $sum += $rows * (defined $of_pair && $of_pair > MISSING ? $of_pair : MISSING);
            $pairs += $rows;
        }
    }
    return ($score // $sum) > 0 if !$x->{is_one} && !$y->{is_one};
    # The mean is above -2 (1 - 1/t).
    return $sum > LEAST_MERGED * ($pairs - 1);
}

# Makes the clusters: { units, is_one }. A single row is none, nor are equal rows that are not taken for one thing.
sub find_clusters
{
    my ($self) = @_;
    my @cluster_of = map { { units => [$_] } } 0 .. $#{ $self->{units} };
    my %scores = map { ("$_->{a} $_->{b}" => $_->{score}) } @{ $self->{candidates} };

    for my $candidate (sort { $b->{score} <=> $a->{score} || $a->{a} <=> $b->{a} || $a->{b} <=> $b->{b} } @{ $self->{candidates} })
    {
        my $score = $candidate->{score};
        my ($x, $y) = @cluster_of[ @$candidate{ 'a', 'b' } ];

        last if $score <= LEAST_MERGED;
        if ($candidate->{a} == $candidate->{b})
        {
            $x->{is_one} ||= $score > 0;
        }
        elsif ($x != $y && $self->may_merge($x, $y, $score, \%scores))
        {
            my $both = { units => [ @{ $x->{units} }, @{ $y->{units} } ], is_one => 1 };

            $cluster_of[$_] = $both for @{ $both->{units} };
        }
    }
    $self->{cluster_of} = \@cluster_of;
    return;
}

# Whether the rows of a candidate are in one cluster.
sub is_within
{
    my ($self, $candidate) = @_;
    my ($x, $y) = @{ $self->{cluster_of} }[ @$candidate{ 'a', 'b' } ];

    return $x == $y && $x->{is_one} ? 1 : 0;
}

# Whether nearly all candidates within clusters have a score above 0, and few of different units one near it.
sub is_consistent
{
    my ($self) = @_;
    my @matches = grep { $_->{matches} } @{ $self->{candidates} };
    my @differing = grep { $_->{a} != $_->{b} && !$self->are_parted(@$_{ 'a', 'b' }) } @{ $self->{candidates} };
    my $right = grep { $_->{score} > 0 } @matches;
    my $positive = grep { $_->{score} > 0 } @differing;
    my $doubtful = grep { abs($_->{score}) < DOUBT } @differing;

    return $right >= LEAST_CONSISTENT * @matches && $doubtful <= MOST_DOUBTFUL * $positive;
}

# Sets {verdict}, {rounds}, and the clusters.
sub learn
{
    my ($self) = @_;
    my @candidates = @{ $self->{candidates} };
    my $threshold = $self->{threshold};

    $threshold = CLOSE if $threshold > CLOSE && $self->find_relatives(grep { $_->{of_all} >= CLOSE } @candidates);
    $_->{matches} = $_->{similar} = $_->{of_all} >= $threshold ? 1 : 0 for @candidates;
    ($self->{verdict}, $self->{rounds}) = ($COPIES, 0);
    return if !grep { $_->{matches} && $_->{a} != $_->{b} } @candidates;
    my ($is_settled, $has_relatives) = $self->run_rounds;
    my $are_left = grep { $_->{matches} } @candidates;
    my @differing = $are_left ? $self->differing_columns : $has_relatives ? $self->parting_columns : ();

    if (!$are_left)
    {
        $_->{matches} = $_->{similar} for @candidates;
    }
    if (@differing)
    {
        $self->{verdict} = $APART . join ', ', map { qq("$self->{names}[$_]") } @differing;
        return;
    }
    $self->{verdict} = !$are_left || $self->{rounds} == 0 ? $TOO_FEW : $is_settled && $self->is_consistent ? 'settled' : $FAMILIES;
    return;
}

# Runs rounds until one hardly changes a match; returns whether that came, and whether there are relatives.
sub run_rounds
{
    my ($self) = @_;
    my @candidates = @{ $self->{candidates} };
    my $are_found = $self->find_relatives(grep { $_->{matches} } @candidates);
    my ($is_settled, $first) = (0, 0);

    $self->part_relatives if $are_found;
    while (!$is_settled && $self->{rounds} - $first < MOST_ROUNDS)
    {
        my $taught = grep { is_taught($_) } @candidates;
        my $changed = 0;

        return (0, $are_found) if $taught == 0 || $taught == @candidates;
        $self->{rounds}++;
        $self->score_candidates;
        $self->find_clusters;
        for my $candidate (@candidates)
        {
            my $before = $candidate->{matches};

            $candidate->{matches} = $self->is_within($candidate);
            $changed += $before != $candidate->{matches};
        }
        if (!$are_found && $self->find_relatives(grep { $_->{matches} } @candidates))
        {
            ($are_found, $first) = (1, $self->{rounds});
            $self->part_relatives;
            next;
        }
        $is_settled = $changed < MOST_CHANGED * max(1, scalar grep { $_->{matches} } @candidates);
    }
    return ($is_settled, $are_found);
}

# The columns that tell what a row is in which nearly all matches are far.
sub differing_columns
{
    my ($self) = @_;
    my @matches = grep { $_->{matches} && $_->{a} != $_->{b} } @{ $self->{candidates} };

    return grep {
        my $column = $_;
        my @both = grep { $_->{agreements}[$column] != NONE } @matches;

        $self->{tells}[$column] && grep({ $_->{agreements}[$column] == FAR } @both) > MOST_AGAINST * @both;
    } @{ $self->{counting} // [] };
}

# The columns in which relatives are far.
sub parting_columns
{
    my ($self) = @_;

    return grep { $self->{class}{shares}[$_][0][FAR] > MOST_AGAINST } @{ $self->{class}{columns} };
}

# ---------------------------------------------------------------------------
# Entities that are known
# ---------------------------------------------------------------------------

# The known entity of a cluster, or undef.
sub entity_of
{
    my ($self, $cluster) = @_;
    my ($entity) = grep { defined } map { $self->{units}[$_]{entity} } @{ $cluster->{units} };

    return $entity;
}

# The mean score of the pairs of two clusters.
sub mean_score
{
    my ($self, $x, $y, $scores) = @_;
    my ($sum, $pairs) = (0, 0);

    for my $a (@{ $x->{units} })
    {
        for my $b (@{ $y->{units} })
        {
            my $rows = $self->{units}[$a]{size} * $self->{units}[$b]{size};

            $sum += $rows * max(MISSING, $scores->{ $a < $b ? "$a $b" : "$b $a" } // MISSING);
            $pairs += $rows;
        }
    }
    return $sum / $pairs;
}

# Makes clusters as find_clusters does, from entities that are known and never become one.
sub place
{
    my ($self) = @_;
    my (%known, @cluster_of);
    my %scores = map { ("$_->{a} $_->{b}" => $_->{score}) } @{ $self->{candidates} };

    for my $unit (0 .. $#{ $self->{units} })
    {
        my $entity = $self->{units}[$unit]{entity};
        my $cluster = defined $entity ? ($known{$entity} //= { units => [] }) : { units => [] };

        push @{ $cluster->{units} }, $unit;
        $cluster_of[$unit] = $cluster;
    }
    for my $cluster (values %known)
    {
        $cluster->{is_one} = sum0(map { $self->{units}[$_]{size} } @{ $cluster->{units} }) > 1;
    }
    for my $candidate (sort { $b->{score} <=> $a->{score} || $a->{a} <=> $b->{a} || $a->{b} <=> $b->{b} } @{ $self->{candidates} })
    {
        my ($x, $y) = @cluster_of[ @$candidate{ 'a', 'b' } ];

        last if $candidate->{score} <= LEAST_MERGED;
        if ($candidate->{a} == $candidate->{b})
        {
            $x->{is_one} ||= $candidate->{score} > 0;
        }
        elsif ($x != $y && $self->may_merge($x, $y, $candidate->{score}, \%scores))
        {
            my ($entity_x, $entity_y) = map { $self->entity_of($_) } $x, $y;

            if (defined $entity_x || defined $entity_y)
            {
                my ($new, $joined) = defined $entity_x ? ($y, $x) : ($x, $y);
                my @others = grep { $_ != $joined && $self->may_merge($new, $_, undef, \%scores) } map { $known{$_} } keys %known;
                my ($other) = sort { $self->mean_score($new, $b, \%scores) <=> $self->mean_score($new, $a, \%scores) || min(@{ $a->{units} }) <=> min(@{ $b->{units} }) } @others;

                for my $unit (@{ $new->{units} })
                {
                    $self->{units}[$unit]{other} = $other ? $self->entity_of($other) : undef;
                    $self->{units}[$unit]{part} = min(@{ $new->{units} });
                }
            }
            my $both = { units => [ @{ $x->{units} }, @{ $y->{units} } ], is_one => 1 };

            $known{ $entity_x // $entity_y } = $both if defined $entity_x || defined $entity_y;
            $cluster_of[$_] = $both for @{ $both->{units} };
        }
    }
    $self->{cluster_of} = \@cluster_of;
    return;
}

# The new unit that stands for those of one place with this one.
sub first_of_place
{
    my ($self, $unit) = @_;

    return $self->{units}[$unit]{part} if defined $self->{units}[$unit]{other};
    return min(grep { !defined $self->{units}[$_]{entity} && !defined $self->{units}[$_]{other} } @{ $self->{cluster_of}[$unit]{units} });
}

# The lines that place_records returns: id, entity, other_entity, duplicate_of, score, kind, grp.
sub places
{
    my ($self) = @_;
    my %scores = map { ("$_->{a} $_->{b}" => $_->{score}) } @{ $self->{candidates} };
    my $score_of = sub { my ($x, $y) = sort { $a <=> $b } @_; $scores{"$x $y"} };
    my %entities = map { defined $_->{entity} ? ($_->{entity} => 0) : () } @{ $self->{rows} };
    my @lines;

    for my $row (grep { defined $_->{entity} } @{ $self->{rows} })
    {
        $entities{ $row->{entity} } = 1 if $row->{entity} == $row->{id};
    }
    my $are_named_by_keys = sum0(values %entities) * 2 >= keys %entities;
    for my $row (grep { !defined $_->{entity} } @{ $self->{rows} })
    {
        my $unit = $row->{unit};
        my $cluster = $self->{cluster_of}[$unit];
        my $entity = $self->entity_of($cluster);
        my $other = $self->{units}[$unit]{other};
        my $first_unit = $self->first_of_place($unit);
        my $first = $cluster->{is_one} ? $self->{units}[$first_unit]{first} : $row->{id};
        my ($nearest, $score);

        if (defined $entity)
        {
            my @known = grep { defined $self->{units}[$_]{entity} && defined $score_of->($unit, $_) } @{ $cluster->{units} };

            ($nearest) = map { $self->{units}[$_]{first} } sort { $score_of->($unit, $b) <=> $score_of->($unit, $a) || $a <=> $b } @known;
            $score = max(map { $score_of->($unit, $_) } @known);
        }
        elsif ($row->{id} != $first)
        {
            ($nearest, $score) = ($first, $score_of->($unit, $first_unit));
        }
        push @lines, join ' ', $row->{id}, $entity // ($are_named_by_keys ? $first : '-'), $other // '-', $nearest // '-', defined $score ? sprintf('%.4f', $score) : '-',
          defined $other ? 'between' : defined $entity ? 'joins' : 'new', $first;
    }
    return sort @lines;
}

# ---------------------------------------------------------------------------
# Results
# ---------------------------------------------------------------------------

# All values of a row as they are written.
sub written
{
    my ($row) = @_;

    return join '|', map { $_ // '|' } @{ $row->{values} };
}

# What the copies of a row have in common.
sub copied
{
    my ($row) = @_;

    return "$row->{unit} " . written($row);
}

# The lines that duplicate_records returns: id, duplicate_of, score, kind, cluster. The row of the least `place`, or
# else of the least id, is kept.
sub duplicates
{
    my ($self) = @_;
    my %scores = map { ("$_->{a} $_->{b}" => $_->{score}) } @{ $self->{candidates} };
    my (%rows_of, @lines);

    return if $self->{verdict} =~ /^cannot tell/;
    for my $row (@{ $self->{rows} })
    {
        my $cluster = $self->{verdict} eq $COPIES ? { is_one => $self->{is_copied}[ $row->{unit} ] } : $self->{cluster_of}[ $row->{unit} ];
        my $name = $self->{verdict} eq $COPIES ? copied($row) : $cluster;

        push @{ $rows_of{$name} }, $row if $cluster->{is_one};
    }
    for my $rows (values %rows_of)
    {
        my ($kept, @others) = sort { ($a->{place} // $a->{id}) <=> ($b->{place} // $b->{id}) } @$rows;
        my $least = min(map { $_->{id} } @$rows);

        for my $row (@others)
        {
            my ($x, $y) = sort { $a <=> $b } $row->{unit}, $kept->{unit};
            my $is_exact = written($row) eq written($kept);
            my $score = $scores{"$x $y"};

            push @lines, join ' ', $row->{id}, $kept->{id}, defined $score ? sprintf('%.4f', $score) : '-',
              $is_exact ? 'exact' : 'near', $least;
        }
    }
    return sort @lines;
}

# The lines that record_pairs returns: a, b, score, similarities by column; where it cannot tell, those of the last round.
sub pairs
{
    my ($self) = @_;
    my (@lines, %first_copy);

    $first_copy{ copied($_) } //= $_->{id} for @{ $self->{rows} };

    for my $candidate (grep { $_->{matches} } @{ $self->{candidates} })
    {
        my $first = $self->{units}[ $candidate->{a} ]{first};
        my @similarities = map { defined $_ ? sprintf('%.4g', $_) : '-' } @{ $candidate->{similarities} }[ 0 .. $self->{column_count} - 1 ];
        my @pairs = [ $first, $self->{units}[ $candidate->{b} ]{first} ];

        if ($candidate->{a} == $candidate->{b})
        {
            @pairs = map { [ $self->{verdict} eq $COPIES ? $first_copy{ copied($_) } : $first, $_->{id} ] } grep { $_->{unit} == $candidate->{a} } @{ $self->{rows} };
        }
        push @lines, map { join ' ', @$_, defined $candidate->{score} ? sprintf('%.4f', $candidate->{score}) : '-', @similarities } grep { $_->[0] != $_->[1] } @pairs;
    }
    return sort @lines;
}

1;
