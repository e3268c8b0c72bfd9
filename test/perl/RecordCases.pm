# RecordCases: random tables of persons, for tests that hold the functions of records against RecordOracle.
package RecordCases;

use strict;
use warnings;

use Exporter 'import';
use Test::More;

use RecordOracle;
use SeededRandom;

our @EXPORT_OK = qw(make_case load_case similarities same_lines);

# ---------------------------------------------------------------------------
# Random persons
# ---------------------------------------------------------------------------

my @FIRST = qw(Anna Bernd Carla Dieter Emma Felix Greta Hans Ida Jonas Karla Lars Maria Nils Olga Paul Rosa Stefan Tina Ulrich);
my @SYLLABLES = qw(ber man stein hof wald bach rich hard now ski ler ner berg hau sen kamp);
my @STREETS = qw(Main Oak Hill Park Mill Church Station Garden High);
my %MAKERS = (
    first => sub { $_[0]->pick(@FIRST) },
    last => sub { my $random = shift; ucfirst join '', map { $random->pick(@SYLLABLES) } 1 .. 2 + $random->below(2) },
    born => sub { sprintf '%d-%02d-%02d', $_[0]->between(1930, 1999), $_[0]->between(1, 12), $_[0]->between(1, 28) },
    street => sub { $_[0]->between(1, 60) . ' ' . $_[0]->pick(@STREETS) . ' Street' },
    town => sub { $_[0]->pick(qw(Berlin Bern Wien Graz Linz)) },
    phone => sub { '0' . $_[0]->between(100_000, 999_999) },
);
my @COLUMNS = qw(last born street first phone town);

# A value with a typing error: a sign too much, too few, another one, or one before its neighbour; or another case, which
# is none. Digits are taken for digits, and letters for others.
sub mistyped
{
    my ($random, $value) = @_;
    my $place = $random->below(length($value) || 1);
    my $error = $random->below(5);
    my $sign = substr($value, $place, 1) =~ /\d/ ? $random->below(10) : chr(97 + $random->below(26));

    return uc $value if $error == 4;
    return $value =~ s/\A(.{$place})(.)(.)/$1$3$2/r if $error == 3;
    substr($value, $place, $error == 0 ? 0 : 1) = $error == 1 ? '' : $sign;
    return $value;
}

# Of each three rows about one repeats an earlier one, with errors or without; some are of one family; values are missing.
sub persons
{
    my ($random, $count, @columns) = @_;
    my $missing = $random->pick(0, 1, 5, 15, 30);
    my @rows;

    for my $id (1 .. $count)
    {
        my %value = map { $_ => $MAKERS{$_}->($random) } @columns;
        my $earlier = @rows ? $random->pick(@rows)->{value} : {};

        if (@rows && $random->chance(30))
        {
            %value = map { $_ => $random->chance(20) ? mistyped($random, $earlier->{$_} // 'none') : $earlier->{$_} } @columns;
            %value = %$earlier if $random->chance(20);
        }
        elsif (@rows && $random->chance(15))
        {
            $value{$_} = $earlier->{$_} for grep { /last|street|phone/ } @columns;
        }
        for my $column (@columns)
        {
            $value{$column} = $random->pick(undef, '', ' - ') if $random->chance($missing);
        }
        push @rows, { id => $id, value => \%value };
    }
    return @rows;
}

sub quoted
{
    my ($value) = @_;

    return defined $value ? q(') . ($value =~ s/'/''/gr) . q(') : 'NULL';
}

# Makes the table of a seed: of 2 to 6 columns, with the first ones more often.
sub make_case
{
    my ($seed) = @_;
    my $random = SeededRandom->new($seed);
    my @columns = @COLUMNS[ 0 .. 1 + $seed % 5 ];
    my @rows = persons($random, $random->between(60, 160), @columns);
    my %case = (columns => \@columns, excepted => [], arguments => '');

    for my $row (@rows)
    {
        $row->{values} = [ @{ $row->{value} }{@columns} ];
        $row->{scope} = $random->below(3) if $seed % 4 == 1;
        $row->{codes} = [ map { $random->chance(80) ? undef : $random->pick('A-1', 'a 1', 'B', '.') } 1, 2 ] if $seed % 5 == 3;
        $row->{differ} = [ @{ $row->{codes} }, $seed % 10 == 3 ? $row->{values}[0] : () ] if $seed % 5 == 3;
        $row->{place} = $random->below(1_000_000) * 1000 + $row->{id} if $seed % 3 == 1;
    }
    $case{rows} = \@rows;
    $case{keeps} = $seed % 3 == 1;
    $case{arguments} .= ', within => \'scope\'' if $seed % 4 == 1;
    $case{arguments} .= q(, differ => '{code,other) . ($seed % 10 == 3 ? ",$columns[0]" : '') . q(}') if $seed % 5 == 3;
    if ($seed % 4 == 2)
    {
        # Rows that might be near, and equal ones.
        $case{excepted} = [ map { [ sort { $a <=> $b } $random->between(1, scalar @rows), $random->between(1, scalar @rows) ] } 1 .. 20 ];
        push @{ $case{excepted} }, grep { $random->chance(30) } likely_pairs(@rows);
        $case{arguments} .= ', except_pairs => $e$VALUES '
          . join(', ', map { $random->chance(50) ? "($_->[0], $_->[1])" : "($_->[1], $_->[0])" } @{ $case{excepted} }) . '$e$';
    }
    return \%case;
}

# Pairs of rows with the same first value.
sub likely_pairs
{
    my (@rows) = @_;
    my (%first, @pairs);

    for my $row (@rows)
    {
        my $value = RecordOracle::normalized($row->{values}[0]);

        next if $value eq '';
        push @pairs, [ $first{$value}, $row->{id} ] if $first{$value};
        $first{$value} //= $row->{id};
    }
    return @pairs;
}

sub load_case
{
    my ($case) = @_;
    my @columns = @{ $case->{columns} };
    my @values = map { my $row = $_; '(' . join(', ', map { quoted($_) } $row->{id}, $row->{scope}, $row->{place}, @{ $row->{codes} // [ undef, undef ] }, @{ $row->{values} }) . ')' } @{ $case->{rows} };

    return 'DROP TABLE IF EXISTS persons; CREATE TABLE persons (id int, scope int, place bigint, code text, other text'
      . join('', map { ", $_ text" } @columns) . '); INSERT INTO persons VALUES ' . join(', ', @values) . ';';
}

# The similarities of the texts of all units, from a quarter on. Of a narrowed search, the weights are those of a model,
# which counts rows.
sub similarities
{
    my ($node, $oracle) = @_;
    my @texts = $oracle->texts;
    my $values = join ', ', map { "($_, " . quoted($texts[$_]) . ', ' . ($oracle->{is_narrowed} ? $oracle->{units}[$_]{size} : 1) . ')' } 0 .. $#texts;

    return map { my ($pair, $similarity) = split /\|/; ($pair => $similarity) } split /\n/, $node->safe_psql('postgres', <<"SQL");
WITH units AS MATERIALIZED (SELECT n, rows, word_set(body) | qgram_set(body, 4) AS t FROM (VALUES $values) v(n, body, rows)),
     weights AS MATERIALIZED (SELECT token_weights(t) AS w FROM units, generate_series(1, rows))
SELECT x.n || ' ' || y.n, similarity
FROM weights, units x JOIN units y ON x.n < y.n, LATERAL (SELECT idf_cosine(x.t, y.t, w) AS similarity OFFSET 0) s
WHERE similarity >= 0.25
SQL
}

# Tests that lines are the same, and shows those that only one side has.
sub same_lines
{
    my ($got, $wanted, $rule) = @_;
    my %count;
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    $count{$_}++ for @$got;
    $count{$_}-- for @$wanted;
    my @differing = map { ($count{$_} > 0 ? 'surplus: ' : 'missing: ') . $_ } grep { $count{$_} != 0 } sort keys %count;
    is(@differing, 0, $rule . ': ' . @$wanted) or diag(join "\n", splice @differing, 0, 8);
    return;
}

1;
