# What the fuzzers share: sessions, random values, the loop over cases, the report.
#
# test/fuzz/run.sh names the server, the database and the seed in the environment. Sessions speak the
# server's protocol themselves, so that Perl's core modules are enough.
package Fuzz;

use strict;
use warnings;
use utf8;

use Exporter 'import';
use File::Basename 'basename', 'dirname';
use lib dirname(__FILE__) . '/../perl';
use SeededRandom;
use Time::HiRes 'time';

our @EXPORT = qw(fuzz difference is_fault shrink literal array_literal random_text random_set);

my $name = basename($0, '.pl');
my $case_seed;

# Runs the case, a function of a SeededRandom that returns how many things it tried, until the time is
# over; or once, of the seed that FUZZ_CASE names.
sub fuzz
{
    my ($things, $case) = @_;
    my $seeds = SeededRandom->new($ENV{FUZZ_SEED});
    my $end = time + $ENV{FUZZ_SECONDS};
    my $tried = 0;

    $| = 1;
    do
    {
        $case_seed = $ENV{FUZZ_CASE} // $seeds->next_number;
        $tried += eval { $case->(SeededRandom->new($case_seed)) } // difference("the fuzzer failed: $@");
    } until defined $ENV{FUZZ_CASE} || time >= $end;
    1 while $tried =~ s/^(\d+)(\d{3})/$1,$2/;
    print "$name: $tried $things, seed $ENV{FUZZ_SEED}\n";
    return;
}

# Reports what should not be, with statements for psql that show it, and ends.
sub difference
{
    my ($what, @statements) = @_;

    chomp $what;
    binmode STDOUT, ':encoding(UTF-8)';
    print "$name: $what\n", (map { s/;?\s*$/;\n/r } @statements),
      defined $case_seed ? "-- again: make fuzz FUZZERS=$name CASE=$case_seed\n" : ();
    exit 1;
}

# Whether no call may end in this SQLSTATE: an internal error, one of ICU, damage, or the session lost.
sub is_fault
{
    my ($state) = @_;

    return defined $state && $state =~ /^(?:LOST|XX|38000|57P0[1-4])/;
}

# The parts of the list without which the test, a function of a list, would no longer hold.
sub shrink
{
    my ($holds, @list) = @_;
    my $size = @list;

    while ($size >= 1)
    {
        my $shorter = 0;
        for (my $start = 0; $start < @list;)
        {
            my @rest = @list;
            splice @rest, $start, $size;
            if ($holds->(@rest)) { @list = @rest; $shorter = 1 }
            else { $start += $size }
        }
        $size = $size > 1 ? int(($size + 1) / 2) : $shorter ? 1 : 0;
    }
    return @list;
}

sub literal
{
    my ($value) = @_;

    return 'NULL' unless defined $value;
    $value =~ s/'/''/g;
    return $value =~ s/\\/\\\\/g ? "E'$value'" : "'$value'";
}

# '{…}' of numbers or NULLs.
sub array_literal
{
    return "'{" . join(',', map { $_ // 'NULL' } @_) . "}'";
}

my @PIECES = (
    (qw(the of and quick brown fox near duplicate rows data base words text Straße ÉCOLE naïve İstanbul 東京都 京都 ไทย 한국어 안녕
        x y z 1 22 3.14 2026-11-25 don't e-mail a_b <b> </p> &amp; <a href="x">)),
    (qw(ß ½ ㍿ ㎏ ﷺ ⑴ … ≠ 각)), "\x{301}", "\x{345}", "\x{1161}", "\x{AD}", "\x{1F468}\x{200D}\x{1F469}",
    "e\x{301}", "\x{1F600}", "\x{200D}", "\x{FB01}", "\x{10FFFF}", "'", '"', '\\', '%', "\t", "\n", '{', '}', ',', ' ');

# Words, tags, numbers, scripts without spaces, marks and quotes; often none or few of them.
sub random_text
{
    my ($random, $most) = @_;
    my $count = $random->below(1 + $random->below($most // 20));

    return join($random->chance(80) ? ' ' : '', map { $random->pick(@PIECES) } 1 .. $count);
}

# Distinct int8 numbers below $universe, or scattered over all of int8.
sub random_set
{
    my ($random, $most, $universe) = @_;
    my @ranks = $random->subset($random->below($most + 1), $universe, $random->pick('zipf', 'uniform'));
    use integer;

    return @ranks if $random->chance(80);
    return map { ($_ + 1) * 2177342782468422677 } @ranks;
}

# A connection to the server that PGHOST, PGPORT, PGUSER and PGDATABASE name.
#
# run(SQL) sends statements as psql -c does and returns { rows, state, message, notices }: the rows of
# all of them, undef for NULL; the SQLSTATE of the error, undef where there is none, and 'LOST' where
# the session ended or gave no sign for minutes; notices as [SQLSTATE, text]. send and receive are its
# halves, for several sessions at once.
package Fuzz::Session;

use IO::Socket::UNIX;
use Time::HiRes 'sleep';

use constant PATIENCE => 300;

sub new
{
    my ($class) = @_;
    my $self = bless {}, $class;

    $self->connect or Fuzz::difference("no connection: $self->{error}");
    return $self;
}

# Waits for a server that recovers from a crash.
sub connect
{
    my ($self) = @_;
    my $startup = join("\0", user => $ENV{PGUSER}, database => $ENV{PGDATABASE}, client_encoding => 'UTF8', '', '');

    for my $try (1 .. 300)
    {
        $self->{buffer} = '';
        $self->{socket} = IO::Socket::UNIX->new("$ENV{PGHOST}/.s.PGSQL.$ENV{PGPORT}");
        if ($self->{socket})
        {
            syswrite $self->{socket}, pack('NN', 8 + length $startup, 196608) . $startup;
            my $greeting = $self->receive;
            return 1 unless $greeting->{state};
            $self->{error} = $greeting->{message};
        }
        else { $self->{error} = $! }
        sleep 0.1;
    }
    return 0;
}

sub close
{
    my ($self) = @_;

    close $self->{socket};
    return;
}

sub run
{
    my ($self, $sql, %options) = @_;

    $self->send($sql, %options);
    return $self->receive;
}

# The rows of what must not fail.
sub rows
{
    my ($self, $sql, %options) = @_;
    my $result = $self->run($sql, %options);

    Fuzz::difference("$result->{state} $result->{message}", $sql) if $result->{state};
    return @{ $result->{rows} };
}

sub value
{
    my ($self, $sql) = @_;

    return ($self->rows($sql))[0][0];
}

# copy => what COPY FROM STDIN is to read.
sub send
{
    my ($self, $sql, %options) = @_;

    $self->{copy} = $options{copy};
    utf8::encode($sql);
    return $self->put('Q', "$sql\0");
}

sub put
{
    my ($self, $type, $body) = @_;
    my $message = $type . pack('N', 4 + length $body) . $body;
    local $SIG{PIPE} = 'IGNORE';

    while (length $message)
    {
        my $written = syswrite $self->{socket}, $message;
        return 0 unless $written;
        substr($message, 0, $written) = '';
    }
    return 1;
}

sub receive
{
    my ($self) = @_;
    my %result = (rows => [], notices => []);

    while (my ($type, $body) = $self->next_message)
    {
        if ($type eq 'D') { push @{ $result{rows} }, row($body) }
        elsif ($type eq 'E') { @result{qw(state message)} = report($body) }
        elsif ($type eq 'N') { push @{ $result{notices} }, [ report($body) ] }
        elsif ($type eq 'G') { $self->give_copy }
        elsif ($type eq 'Z') { return \%result }
    }
    # An error before the end tells more: FATAL, or the crash of another session.
    $result{state} = 'LOST' unless is_shutdown($result{state});
    $result{message} = join(': ', 'connection lost', $result{message} // ());
    return \%result;
}

sub is_shutdown
{
    return defined $_[0] && $_[0] =~ /^57P0/;
}

sub give_copy
{
    my ($self) = @_;
    my $data = $self->{copy};

    return $self->put('f', "no data\0") unless defined $data;
    utf8::encode($data);
    $self->put('d', $data);
    return $self->put('c', '');
}

# (type, body), or nothing at the connection's end.
sub next_message
{
    my ($self) = @_;

    $self->fill(5) or return;
    my ($type, $length) = unpack 'aN', $self->{buffer};
    $self->fill(1 + $length) or return;
    my $body = substr $self->{buffer}, 5, $length - 4;
    substr($self->{buffer}, 0, 1 + $length) = '';
    return ($type, $body);
}

sub fill
{
    my ($self, $wanted) = @_;

    while (length $self->{buffer} < $wanted)
    {
        my $ready = '';
        vec($ready, fileno $self->{socket}, 1) = 1;
        select($ready, undef, undef, PATIENCE) > 0 or return 0;
        sysread($self->{socket}, $self->{buffer}, 65536, length $self->{buffer}) or return 0;
    }
    return 1;
}

sub row
{
    my ($body) = @_;
    my $count = unpack 'n', $body;
    my $at = 2;
    my @row;

    for (1 .. $count)
    {
        my $length = unpack 'l>', substr $body, $at, 4;
        $at += 4;
        push @row, $length < 0 ? undef : substr $body, $at, $length;
        next if $length < 0;
        utf8::decode($row[-1]);
        $at += $length;
    }
    return \@row;
}

# (SQLSTATE, message) of an error or a notice.
sub report
{
    my ($body) = @_;
    my %field = map { (substr($_, 0, 1) => substr $_, 1) } grep { length } split /\0/, $body;

    utf8::decode($field{M});
    return @field{qw(C M)};
}

1;
