# Joins are cancelled in each phase that they report, in memory and from files, alone and with workers; all other long
# statements after some parts of their time. They end at once and leave nothing, and the session works on.
# NEARDUP_CANCELS=10 cancels each so often, NEARDUP_ROWS=100000 makes the statements longer.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";

use Faults;
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes 'time';

use constant {
    CANCELS => $ENV{NEARDUP_CANCELS} // 1,
    ROWS => $ENV{NEARDUP_ROWS} // 6000,
    LATEST => 5,
    MISSES => 50,
};

my $node = new_node('cancel_phases', conf => fault_conf());
load_rows($node, ROWS);
my %STATEMENTS = long_statements();
my $WORKERS = force_workers($node) . '; SET max_parallel_workers_per_gather = 2';
my ($session, $pid) = session_of($node, 'SET neardup.progress = on', "SET neardup.progress_interval = '1ms'");
my (@wrong, %cancels);
my ($latest, $slowest) = (0, '');

sub check_lateness
{
    my ($name, $since, $ready) = @_;
    my $late = $ready - $since;

    ($latest, $slowest) = ($late, $name) if $late > $latest;
    push @wrong, sprintf '%s: %.1f s late', $name, $late if $late > LATEST;
    return;
}

sub check_leftovers
{
    my ($name) = @_;
    my $left = '';

    for (1 .. 50)
    {
        $left = leftovers($node);
        last if $left eq '';
    }
    push @wrong, "$name leaves $left" if $left ne '';
    return;
}

# Cancels the statement when it reports the phase. Returns the phase that it was in, or undef if it ended before.
sub cancel_in
{
    my ($name, $settings, $sql, $phase) = @_;

    $session->query($settings);
    $session->{stderr} = '';
    $session->{stdin} .= "BEGIN;\n$sql;\n\\echo ended\n";
    $session->{run}->pump until $session->{stderr} =~ /NOTICE: .*: \Q$phase\E/ || $session->{stdout} =~ /^ended$/m || $session->{timeout}->is_expired;
    my $since = time;
    kill 'INT', $pid;
    $session->{run}->pump until $session->{stdout} =~ /^ended$/m || $session->{timeout}->is_expired;
    my $ready = time;
    my $said = $session->{stderr};
    $session->{stdout} = $session->{stderr} = '';
    # A cancel that came after the end meets this.
    $session->query('ROLLBACK');
    $session->query('ROLLBACK');
    $session->{stderr} = '';
    return undef if $said !~ /ERROR: +(57014|canceling statement due to user request)/;
    my @phases = $said =~ /NOTICE:  \w+(?:, pass \d+)?: ([a-z ]+),? /g;
    check_lateness("$name, $phase", $since, $ready);
    return $phases[-1];
}

my %PHASES = (memory => [ 'reading', 'canonicalizing', 'indexing', 'probing' ], files => [ 'reading', 'sorting', 'joining blocks' ]);
my @JOINS = ('ppjoin', 'ppjoin by the paper', 'ppjoin of two queries', 'ppjoin by weights', 'ppjoin_keyed', 'topk_join', 'knn_join', 'match_join',
    'edit_join', 'simhash_join', 'lsh_join', 'sketch_overlap_join', 'supershingle_join');

for my $place (sort keys %PHASES)
{
    for my $with (0, 2)
    {
        my $met_in = $cancels{"$place, $with workers"} = {};
        my $settings = 'SET work_mem = ' . ($place eq 'files' ? "'512kB'" : "'256MB'") . ($with ? "; $WORKERS" : '; SET max_parallel_workers_per_gather = 0');
        for my $name (@JOINS)
        {
            for my $phase (@{ $PHASES{$place} })
            {
                for my $try (1 .. CANCELS)
                {
                    my $met = cancel_in("$name, $place, $with workers", $settings, $STATEMENTS{$name}, $phase);
                    $met_in->{$met}++ if defined $met;
                }
            }
            check_leftovers("$name, $place, $with workers");
        }
        # Where a phase is short, cancels tend to come after it.
        for my $phase (@{ $PHASES{$place} })
        {
            for (1 .. MISSES)
            {
                last if $met_in->{$phase};
                my $met = cancel_in("again, $place, $with workers", $settings, $STATEMENTS{'ppjoin'}, $phase);
                $met_in->{$met}++ if defined $met;
            }
        }
    }
}
for my $key (sort keys %cancels)
{
    note("$key: ", join ', ', map { "$_ $cancels{$key}{$_}" } sort keys %{ $cancels{$key} });
}
note(sprintf 'the latest was %.3f s late: %s', $latest, $slowest);
for my $place (sort keys %PHASES)
{
    for my $phase (@{ $PHASES{$place} })
    {
        cmp_ok($cancels{"$place, $_ workers"}{$phase} // 0, '>', 0, "$place, $_ workers: cancelled while $phase") for 0, 2;
    }
}
is(join("\n", @wrong), '', 'joins that are cancelled end soon and leave nothing');
$session->quit;

# ---------------------------------------------------------------------------
# Others, after parts of their time
# ---------------------------------------------------------------------------

@wrong = ();
($latest, $slowest) = (0, '');
($session, $pid) = session_of($node, "SET maintenance_work_mem = '1MB'", 'SET client_min_messages = error');
my %is_join = map { $_ => 1 } @JOINS;
my %others = map { $_ => "BEGIN; $STATEMENTS{$_}" } grep { !$is_join{$_} } keys %STATEMENTS;
$others{'VACUUM'} = 'VACUUM (FREEZE) docs';
$others{'REINDEX'} = 'REINDEX INDEX CONCURRENTLY docs_tokens';
$others{'sketches'} = 'SELECT count(minhash(tokens)), count(minhash_b(tokens, 256, 4)), count(simhash(tokens)) FROM docs, generate_series(1, 3)';
my ($cancelled, $ended) = (0, 0);
for my $name (sort keys %others)
{
    my $prepare = $name eq 'VACUUM' ? 'UPDATE docs SET word = word || \'x\'' : 'SELECT';
    $session->query_safe($prepare);
    my $start = time;
    $session->query_safe("$others{$name}; ROLLBACK") unless $name =~ /VACUUM|REINDEX/;
    $session->query_safe($others{$name}) if $name =~ /VACUUM|REINDEX/;
    my $seconds = time - $start;

    for my $part (map { ($_ - 0.5) / (2 + CANCELS) } 1 .. 2 + CANCELS)
    {
        my $timeout = 1 + int(1000 * $part * $seconds);
        $session->query_safe($prepare);
        $session->query_safe("SET statement_timeout = $timeout");
        $start = time;
        my $state = outcome_of($session, $others{$name});
        my $ready = time;
        # Outside of a transaction that failed.
        $session->query_safe("ROLLBACK;\nSET statement_timeout = 0");
        push @wrong, "$name: $state" if $state !~ /^(00000|57014)$/;
        $state eq '57014' ? $cancelled++ : $ended++;
        check_lateness($name, $start + $timeout / 1000, $ready) if $state eq '57014';
        $session->query_safe('DROP INDEX IF EXISTS docs_tokens_ccnew') if $name eq 'REINDEX';
    }
    check_leftovers($name);
}
note("$cancelled cancelled, $ended ended before; ", sprintf 'the latest was %.3f s late: %s', $latest, $slowest);
is(join("\n", @wrong), '', 'others end soon and leave nothing');
cmp_ok($cancelled, '>', keys %others, "many were cancelled ($cancelled)");
is(sqlstate_of($node, 'postgres', q{SELECT neardup_index_check('docs_tokens')}), '00000', 'the index is right');
is($node->safe_psql('postgres', q{SELECT count(*) FROM neardup_refresh('tracked')}), '0', 'the clusters are right');

# ---------------------------------------------------------------------------
# Other timeouts
# ---------------------------------------------------------------------------

my ($locking) = session_of($node, 'BEGIN', 'LOCK TABLE docs');
is(outcome_of($session, "SET lock_timeout = 100; $STATEMENTS{ppjoin}"), '55P03', 'lock_timeout ends a join that waits for its table');
$locking->quit;
leaves_nothing($node, 'and it leaves nothing');
$session->query("$WORKERS; SET work_mem = '512kB'; SET idle_in_transaction_session_timeout = 200");
$session->{stdin} .= "BEGIN;\nDECLARE c CURSOR FOR SELECT * FROM ppjoin('SELECT id, tokens FROM docs', 0.2);\nFETCH 10 FROM c;\n";
$session->{run}->pump_nb for 1 .. 10;
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid"),
    'idle_in_transaction_session_timeout ends a session that has taken some pairs of a join');
leaves_nothing($node, 'and it leaves nothing');

$node->stop;
done_testing();
