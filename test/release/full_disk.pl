# Statements of every kind on a full disk, within a temp_file_limit, and with a full /dev/shm: they fail with the
# SQLSTATE of that, or do without; nothing is left, the session works on, and so does the statement when there is room.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";

use Faults;
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'no file system can be mounted in a namespace' unless can_have_small_disks();

my $node = new_node('full_disk', conf => fault_conf() . "dynamic_shared_memory_type = posix\n");
my $disk = PostgreSQL::Test::Utils::tempdir();
$Faults::SEGMENTS = '/dev/shm';
$node->stop;
start_with_small_disks($node, $disk => 96, '/dev/shm' => 32);
$node->safe_psql('postgres', "CREATE TABLESPACE small LOCATION '$disk'");
$node->append_conf('postgresql.conf', "default_tablespace = small\ntemp_tablespaces = small\n");
$node->reload;
load_rows($node, 1500);
my $WORKERS = force_workers($node) . '; SET max_parallel_workers_per_gather = 2';
my @NAMES = do { my $n = 0; grep { $n++ % 2 == 0 } long_statements() };
my %STATEMENTS = long_statements();

# Leaves so many kilobytes free in a folder, or all.
sub leave_free
{
    my ($folder, $kilobytes) = @_;
    my $fill = defined $kilobytes
      ? "&& free=\$(df --output=avail -B1 $folder | tail -1) && head -c \$((free - 1024 * $kilobytes)) /dev/zero >$folder/filler" : '';

    $node->safe_psql('postgres', "COPY (SELECT) TO PROGRAM 'cat >/dev/null; rm -f $folder/filler $fill'");
    return;
}

my %expected;
my ($session) = session_of($node, "SET neardup.join_memory = '512kB'", 'SET maintenance_work_mem = \'1MB\'');

# Runs all statements; returns how many ended with each of the SQLSTATEs, and tests that there are no others.
sub run_all
{
    my ($rule, $allowed, @names) = @_;
    my %names_of;
    my @wrong;

    for my $name (@names)
    {
        my $state = outcome_of($session, "BEGIN; $STATEMENTS{$name}");

        push @{ $names_of{$state} }, $name;
        push @wrong, "$name: $state" if $state !~ /^($allowed)$/;
        $session->query('ROLLBACK');
        my $left = leftovers($node);
        push @wrong, "$name leaves $left" if $left ne '';
    }
    is(join("\n", @wrong), '', "$rule: all end with $allowed, and nothing is left");
    return \%names_of;
}

run_all('with room', '00000', @NAMES);
for my $kilobytes (0, 400)
{
    leave_free($disk, $kilobytes);
    my $failed = run_all("$kilobytes kB free", '00000|53100', @NAMES)->{53100};
    note("$kilobytes kB free: ", scalar @$failed, ' fail: ', join ', ', @$failed);
    cmp_ok(scalar @$failed, '>', 10, "$kilobytes kB free: many fail");
    leave_free($disk);
}
for my $kilobytes (0, 200)
{
    $session->query_safe("SET temp_file_limit = '${kilobytes}kB'");
    my $failed = run_all("temp_file_limit = ${kilobytes}kB", '00000|53400', @NAMES)->{53400};
    note("temp_file_limit = ${kilobytes}kB: ", scalar @$failed, ' fail: ', join ', ', @$failed);
    cmp_ok(scalar @$failed, '>', 10, "temp_file_limit = ${kilobytes}kB: many fail");
}
$session->query_safe('RESET temp_file_limit');
run_all('with room again', '00000', @NAMES);
is(sqlstate_of($node, 'postgres', q{SELECT neardup_index_check('docs_tokens')}), '00000', 'the index is right');
is($node->safe_psql('postgres', q{SELECT count(*) FROM neardup_refresh('tracked')}), '0', 'the clusters are right');

# Joins of a temporary table, for which there is no parallel plan: only the join itself asks for shared memory.
$session->query_safe("$WORKERS; SET neardup.join_memory = '8MB'; CREATE TEMP TABLE mine AS SELECT id, tokens FROM docs WHERE id <= 1500");
my $JOIN = "SELECT pairs, workers FROM ppjoin_stats('SELECT id, tokens FROM mine', 0.3)";
my ($pairs, $workers) = split /\|/, printed($session->query_safe($JOIN));
is($workers, 2, 'with shared memory there are workers');
my (@wrong, %joins);
for my $kilobytes (map { 250 * $_ } 0 .. 20)
{
    leave_free('/dev/shm', $kilobytes);
    $session->{stderr} = '';
    my ($found, $had) = split /\|/, printed($session->query($JOIN));
    push @wrong, "$kilobytes kB: $session->{stderr}" if ($found // '') ne $pairs;
    $joins{ $had // 'failed' }++;
    my $left = leftovers($node);
    push @wrong, "$kilobytes kB: leaves $left" if $left ne '';
}
note('joins by workers: ', join ', ', map { "$_: $joins{$_}" } sort keys %joins);
is(join("\n", @wrong), '', 'with any room in /dev/shm a join finds the same pairs, and leaves nothing');
cmp_ok($joins{$_} // 0, '>', 3, "it has $_ workers") for 0, 2;
leave_free('/dev/shm');

$session->quit;
$node->stop;
done_testing();
