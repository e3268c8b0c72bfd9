# SeededRandom: the same numbers on every platform and in every release of
# Perl, so that a failing seed can be named and run again.
#
# A 32-bit xorshift (Marsaglia) is enough: the tests need variety, not
# statistics.
package SeededRandom;

use strict;
use warnings;

sub new
{
    my ($class, $seed) = @_;

    # Spread neighbouring seeds; the state must not be 0.
    my $state = ($seed * 2654435761 + 97) & 0xffffffff;
    my $self = bless { state => $state || 1 }, $class;
    $self->next_number for 1 .. 8;
    return $self;
}

# An integer in 1 .. 2^32 - 1.
sub next_number
{
    my ($self) = @_;
    my $s = $self->{state};
    $s ^= ($s << 13) & 0xffffffff;
    $s ^= $s >> 17;
    $s ^= ($s << 5) & 0xffffffff;
    return $self->{state} = $s;
}

# An integer in 0 .. $n - 1.
sub below
{
    my ($self, $n) = @_;
    return $self->next_number % $n;
}

# An integer in $low .. $high.
sub between
{
    my ($self, $low, $high) = @_;
    return $low + $self->below($high - $low + 1);
}

# True in $percent of 100 cases.
sub chance
{
    my ($self, $percent) = @_;
    return $self->below(100) < $percent;
}

# A rank in 0 .. $n - 1 whose frequency falls as 1/rank (Zipf's law).
sub zipf
{
    my ($self, $n) = @_;
    my $u = $self->next_number / 4294967296;
    my $rank = int(exp($u * log($n + 1))) - 1;
    return $rank < 0 ? 0 : $rank >= $n ? $n - 1 : $rank;
}

sub pick
{
    my ($self, @list) = @_;
    return $list[ $self->below(scalar @list) ];
}

sub shuffle
{
    my ($self, @list) = @_;
    for my $i (reverse 1 .. $#list)
    {
        my $j = $self->below($i + 1);
        @list[ $i, $j ] = @list[ $j, $i ];
    }
    return @list;
}

# $size distinct ranks of $universe; $law is 'uniform' or 'zipf'.
sub subset
{
    my ($self, $size, $universe, $law) = @_;
    $size = $universe if $size > $universe;
    my %chosen;
    my $tries = 0;
    while (keys(%chosen) < $size)
    {
        # Zipf draws repeat themselves: fill up uniformly after a while.
        my $zipf = $law eq 'zipf' && $tries++ < 4 * $size;
        $chosen{ $zipf ? $self->zipf($universe) : $self->below($universe) } = 1;
    }
    return sort { $a <=> $b } keys %chosen;
}

1;
