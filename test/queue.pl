# Runs the jobs of "make check" from one queue, several at a time, and counts their tests.
#
#	perl test/queue.pl WORKERS JOBS COUNTS REASONS FAILURES
#
# A line of the file JOBS has a suite, a name and the words of a command that prints TAP, with tabs between. What
# failed is printed when its job ends, and again at the end. The file COUNTS gets a line for each suite: its name, the
# seconds that its jobs took in sum, and how many of its tests passed, failed and were skipped. The file REASONS gets a
# line for each reason to skip tests: how many, and the reason, in which sets of ../shared/data have no names. The file
# FAILURES gets a line for each failed test, and for each job that ended badly without one.
use strict;
use warnings;

use TAP::Harness;
use TAP::Parser::Aggregator;

my ($workers, $jobs, $counts, $reasons, $failures) = @ARGV;
my (%suite, %command, @names, @suites, %count, %skipped, %wrong);

open my $in, '<', $jobs or die "$jobs: $!";
while (my $line = <$in>)
{
    chomp $line;
    my ($suite, $name, @command) = split /\t/, $line;
    push @suites, $suite if !grep { $_ eq $suite } @suites;
    push @names, $name;
    $suite{$name} = $suite;
    $command{$name} = \@command;
}

my $queue = TAP::Harness->new({ jobs => $workers, timer => 1, exec => sub { $command{ $_[1] } } });
my $results = TAP::Parser::Aggregator->new;
$queue->callback(
    made_parser => sub {
        my ($job, $name) = ($_[0], $_[1][0]);
        $job->callback(
            test => sub {
                note_skipped($_[0]->explanation) if $_[0]->has_skip;
                push @{ $wrong{$name} }, $_[0]->number . ' ' . $_[0]->description if !$_[0]->is_ok;
            });
    });
$results->start;
$queue->aggregate_tests($results, @names);
$results->stop;
$queue->summary($results);

# A test that was skipped has passed to TAP; a job that ends badly without a failed test counts as one.
for my $name (@names)
{
    my ($job) = $results->parsers($name);
    my $of_suite = $count{ $suite{$name} } //= { map { $_ => 0 } qw(seconds passed failed skipped) };
    my $skipped = () = $job->skipped;
    my $passed = () = $job->passed;
    my $failed = () = $job->failed;

    $of_suite->{seconds} += $job->end_time - $job->start_time;
    $of_suite->{skipped} += $job->skip_all ? 1 : $skipped;
    note_skipped($job->skip_all) if $job->skip_all;
    $of_suite->{passed} += $passed - $skipped;
    $of_suite->{failed} += $failed || ($job->has_problems ? 1 : 0);
    $wrong{$name} //= [ how_it_ended($job) ] if $job->has_problems;
}
write_lines($counts, map { sprintf "%s\t%.1f\t%d\t%d\t%d", $_, @{ $count{$_} }{qw(seconds passed failed skipped)} } @suites);
write_lines($failures, map { my $name = $_; map { "$name: $_" } @{ $wrong{$name} // [] } } @names);
write_lines($reasons, map { "$skipped{$_}\t$_" } sort { $skipped{$b} <=> $skipped{$a} || $a cmp $b } keys %skipped);

# Of a job that ended badly without a failed test.
sub how_it_ended
{
    my ($job) = @_;
    my $signal = $job->wait & 127;

    return "ended by signal $signal" if $signal;
    return 'ended with status ' . $job->exit if $job->exit;
    return join ' ', $job->parse_errors;
}

sub note_skipped
{
    my ($reason) = @_;
    $skipped{ $reason =~ s{\.\./shared/data\S*}{../shared/data}r }++;
}

sub write_lines
{
    my ($file, @lines) = @_;
    open my $out, '>', $file or die "$file: $!";
    print $out "$_\n" for @lines;
    close $out or die "$file: $!";
}
