# PostgresRandom: the numbers that PostgreSQL's pg_prng draws, xoroshiro128** from a seed.
package PostgresRandom;

use strict;
use warnings;
use integer;
no warnings 'portable'; # numbers of 64 bits

sub new
{
    my ($class, $seed) = @_;
    my $self = bless { s0 => 0, s1 => 0 }, $class;

    for my $part (qw(s0 s1))
    {
        $seed += 0x9E3779B97F4A7C15;
        my $value = ($seed ^ shifted($seed, 30)) * 0xBF58476D1CE4E5B9;
        $value = ($value ^ shifted($value, 27)) * 0x94D049BB133111EB;
        $self->{$part} = $value ^ shifted($value, 31);
    }
    return $self;
}

# Shifts to the right, without the sign.
sub shifted
{
    my ($value, $bits) = @_;
    no integer;

    return $value >> $bits;
}

sub rotated
{
    my ($value, $bits) = @_;

    return ($value << $bits) | shifted($value, 64 - $bits);
}

sub next_number
{
    my ($self) = @_;
    my ($s0, $x) = ($self->{s0}, $self->{s1} ^ $self->{s0});
    my $value = rotated($s0 * 5, 7) * 9;

    $self->{s0} = rotated($s0, 24) ^ $x ^ ($x << 16);
    $self->{s1} = rotated($x, 37);
    return $value;
}

# Returns a number from 0 on, below $count, which is at most 2^31.
sub below
{
    my ($self, $count) = @_;
    my $bits = 0;
    my $value = 0;

    return 0 if $count <= 1;
    $bits++ while ($count - 1) >> $bits;
    do { $value = shifted($self->next_number, 64 - $bits) } while $value >= $count;
    return $value;
}

1;
