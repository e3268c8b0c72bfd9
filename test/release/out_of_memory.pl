# Statements of every kind in a process that gets no more memory: they fail with 53200 or need none, leave nothing, and
# the session works on. NEARDUP_KILOBYTES="100 200 300" names what a statement may take.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";

use Faults;
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'the sanitizers need more addresses than a process has memory' if $ENV{SANITIZE};
plan skip_all => 'prlimit limits no process here' unless -r '/proc/self/status' && system("prlimit --pid $$ --as >/dev/null 2>&1") == 0;

my @KILOBYTES = split ' ', $ENV{NEARDUP_KILOBYTES} // '200 1000 4000';
my $node = new_node('out_of_memory', conf => fault_conf());
load_rows($node, 4000);
my @statements = long_statements();

# The stack grows before memory is limited, or it could not later.
$node->safe_psql('postgres', 'CREATE FUNCTION descend(n int) RETURNS int LANGUAGE plpgsql AS $$
    BEGIN RETURN CASE WHEN n = 0 THEN 0 ELSE descend(n - 1) END; END $$');
my @SETTINGS = ("SET work_mem = '64MB'", "SET maintenance_work_mem = '64MB'");
# Tracking remembers its table.
my $CONTEXTS = q{SELECT count(*) FROM pg_backend_memory_contexts WHERE name ~ '^(neardup|query of a sim)' AND name !~ 'tracked'};

# Lets the session take so many kilobytes more, or any.
sub allow
{
    my ($pid, $kilobytes) = @_;
    my $limit = 'unlimited';

    if (defined $kilobytes)
    {
        my ($used) = slurp_file("/proc/$pid/status") =~ /^VmSize:\s+(\d+) kB/m or die 'the session is gone';
        $limit = 1024 * ($used + $kilobytes);
    }
    system_or_bail('prlimit', "--pid=$pid", "--as=$limit:unlimited");
    return;
}

my (@wrong, %count, %failing);
while (my ($name, $sql) = splice @statements, 0, 2)
{
    # Ends with a row, without which BackgroundPsql of 16.4 returns its separator.
    my $whole = "BEGIN; $sql; ROLLBACK; SELECT 'end'";
    my $rows = $node->safe_psql('postgres', join ';', @SETTINGS, $whole);
    # A session of its own, which has no memory from other statements.
    my ($session, $pid) = session_of($node, @SETTINGS, 'SELECT descend(300)');

    for my $kilobytes (@KILOBYTES)
    {
        $session->query_safe('BEGIN');
        allow($pid, $kilobytes);
        my $state = outcome_of($session, $sql);
        allow($pid);
        $session->query_safe('ROLLBACK');
        $count{$state}++;
        $failing{$name} = 1 if $state eq '53200';
        push @wrong, "$name within $kilobytes kB: $state" if $state !~ /^(00000|53200)$/;
    }
    my $again = printed($session->query_safe($whole));
    push @wrong, "$name: $again, not $rows" if $again ne $rows;
    my $left = leftovers($node);
    push @wrong, "$name leaves $left" if $left ne '';
    my $contexts = printed($session->query_safe($CONTEXTS));
    push @wrong, "$name: $contexts memory contexts stay" if $contexts ne '0';
    $session->quit;
}
note('outcomes: ', join ', ', map { "$_: $count{$_}" } sort keys %count);
note('out of memory: ', join ', ', sort keys %failing);
is(join("\n", @wrong), '', 'statements fail with 53200 or need no more memory, leave nothing, and work again with memory');
cmp_ok(scalar keys %failing, '>', 12, 'many kinds fail');
is(sqlstate_of($node, 'postgres', q{SELECT neardup_index_check('docs_tokens')}), '00000', 'the index is right');
is($node->safe_psql('postgres', q{SELECT count(*) FROM neardup_refresh('tracked')}), '0', 'the clusters are right');

$node->stop;
done_testing();
