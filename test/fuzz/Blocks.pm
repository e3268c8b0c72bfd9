# Blocks of statements, run by several sessions at a time.
#
# A statement is SQL, or { sql => …, copy => what COPY reads, no_row => true where it must return none }.
# A block is a list of statements after which no transaction is open; a round, a list of blocks for
# each session.
package Blocks;

use strict;
use warnings;

use Exporter 'import';
use Fuzz;
use IO::Select;

our @EXPORT = qw(run_blocks shrink_rounds script_of_rounds);

# What concurrency and keys may do to a statement: a key taken, a row excluded, a row written twice by
# one statement, a lost race, and what follows in the transaction; a row too large for a B-tree, and the
# index that was not made for it.
my %ALLOWED = map { $_ => 1 } qw(23505 23P01 21000 40001 40P01 25P02 3B001 42704 54000 42P01);

# PostgreSQL's bug 18351: what rewrites a table, or indexes it, may miss a value of a dead row whose
# chunks VACUUM has removed already, while a transaction is open in another database.
sub is_lost_value
{
    my ($result, $sql) = @_;

    return $result->{message} =~ /^missing chunk number / && $sql =~ /^(?:VACUUM FULL|REINDEX|CREATE INDEX)/;
}

# Runs a list of blocks in each session. Returns (number of statements, what failed first).
sub run_blocks
{
    my ($sessions, @lists) = @_;
    my @waiting = map { [ map { @$_ } @$_ ] } @lists;
    my $select = IO::Select->new;
    my ($count, $failure, %place, @running) = (0);
    my $start = sub {
        my ($i) = @_;
        my $statement = shift @{ $waiting[$i] } // return $select->remove($sessions->[$i]{socket});
        $running[$i] = ref $statement ? $statement : { sql => $statement };
        $count++;
        return $sessions->[$i]->send($running[$i]{sql}, copy => $running[$i]{copy});
    };

    for my $i (0 .. $#lists)
    {
        $select->add($sessions->[$i]{socket});
        $place{ $sessions->[$i]{socket} } = $i;
        $start->($i);
    }
    while ($select->count)
    {
        my @ready = $select->can_read(300) or difference('sessions wait for each other without end', script_of_rounds(\@lists));
        for my $i (map { $place{$_} } @ready)
        {
            my $result = $sessions->[$i]->receive;
            my $state = $result->{state} // '';
            my @rows = @{ $result->{rows} };

            if ($state && !$ALLOWED{$state} && !is_lost_value($result, $running[$i]{sql})) { $failure //= "$state $result->{message}: $running[$i]{sql}" }
            elsif ($running[$i]{no_row} && @rows) { $failure //= 'rows where there should be none: ' . join ' ', map { $_ // 'NULL' } @{ $rows[0] } }
            if (is_fault($state) && $state !~ /^XX/)
            {
                # Until the server has taken notice of a crash, it accepts connections.
                sleep 1;
                $_->connect for @$sessions;
                return ($count, $failure);
            }
            $start->($i);
        }
    }
    return ($count, $failure);
}

# The fewest blocks with which the rounds, of which $fails tells, still fail: one after the other if that
# is enough, else as they are, which may need several attempts.
sub shrink_rounds
{
    my ($fails, @rounds) = @_;
    my @all = map {
        my $r = $_;
        map { my $s = $_; map { [ $r, $s, $_ ] } @{ $rounds[$r][$s] } } 0 .. $#{ $rounds[$r] }
    } 0 .. $#rounds;
    my $in_turn = sub { return [ [ map { $_->[2] } @_ ] ] };
    my $as_they_are = sub {
        my @made;
        push @{ $made[ $_->[0] ][ $_->[1] ] }, $_->[2] for @_;
        return map { [ grep { defined } @$_ ] } grep { defined } @made;
    };

    return $in_turn->(shrink(sub { $fails->($in_turn->(@_)) }, @all)) if $fails->($in_turn->(@all));
    return $as_they_are->(shrink(
            sub { for (1 .. 3) { return 1 if $fails->($as_they_are->(@_)) } return 0 },
            @all));
}

sub script_of_rounds
{
    my @script;

    for my $round (@_)
    {
        for my $i (0 .. $#$round)
        {
            my @statements = map { ref $_ ? $_->{sql} . ($_->{copy} ? ";\n$_->{copy}\\." : '') : $_ } map { @$_ } @{ $round->[$i] };
            $statements[0] = '-- session ' . ($i + 1) . ", at the same time as the others\n$statements[0]" if @statements && @$round > 1;
            push @script, @statements;
        }
    }
    return @script;
}

1;
