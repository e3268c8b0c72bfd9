# Joins are cancelled in each phase that the view of progress shows, in memory and from files, alone and with workers; all
# other long statements after some parts of their time. They end at once and leave nothing, and the session works on.
# NEARDUP_CANCELS=10 cancels each so often, and all joins in all ways, not a third of them; NEARDUP_ROWS=100000 makes the
# statements longer.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use Faults;
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes 'time';

use constant {
    CANCELS => $ENV{NEARDUP_CANCELS} // 1,
    ROWS => $ENV{NEARDUP_ROWS} // 6000,
    TRIES => 5,
};

my $node = new_node('cancel_phases', conf => fault_conf() . "shared_preload_libraries = 'neardup'\n");
load_rows($node, ROWS);
my %STATEMENTS = long_statements();
my $WORKERS = force_workers($node) . '; SET max_parallel_workers_per_gather = 2';
# Waits until the view shows the phase of a process, and cancels it: when. NULL if its join ends before, or if none is seen
# for two seconds: it ended before this began.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION cancel_in(target int, wanted text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE shown text; is_seen bool := false;
BEGIN
    FOR n IN 1 .. 1000000 LOOP
        SELECT phase INTO shown FROM neardup_progress WHERE pid = target;
        IF shown = wanted THEN
            PERFORM pg_cancel_backend(target);
            RETURN extract(epoch FROM clock_timestamp());
        END IF;
        EXIT WHEN shown IS NULL AND (is_seen OR n > 2000);
        PERFORM pg_sleep(0.001);
        is_seen := is_seen OR shown IS NOT NULL;
    END LOOP;
    RETURN NULL;
END $$;
SQL
my ($observer) = session_of($node);
my ($session, $pid) = session_of($node);
my (@wrong, @missed, %cancels);
my ($latest, $slowest) = (0, '');

sub check_lateness
{
    my ($name, $late) = @_;

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

# Cancels the statement in this phase. Returns how many seconds later it ended, or undef where it has ended before.
sub lateness_in
{
    my ($name, $sql, $phase) = @_;

    $observer->{stdin} .= "SELECT cancel_in($pid, '$phase');\n\\echo ended\n";
    $observer->{run}->pump_nb;
    my $state = outcome_of($session, $sql);
    my $ready = time;
    $observer->{run}->pump until $observer->{stdout} =~ /^ended$/m || $observer->{timeout}->is_expired;
    my ($since) = $observer->{stdout} =~ /^([\d.]+)$/m;
    $observer->{stdout} = '';
    push @wrong, "$name, $phase: $state" if $state !~ /^(00000|57014)$/;
    return defined $since && $state eq '57014' ? $ready - $since : undef;
}

# Cancels the statement in this phase. Returns whether it was.
sub cancel_in
{
    my ($name, $sql, $phase) = @_;
    my $late = least_lateness(sub { lateness_in($name, $sql, $phase) });

    check_lateness("$name, $phase", $late) if defined $late;
    return defined $late ? 1 : 0;
}

my $number = 0;
my %PHASES = (memory => [ 'reading', 'canonicalizing', 'indexing', 'probing' ], files => [ 'reading', 'sorting', 'joining blocks' ]);
my @JOINS = ('ppjoin', 'ppjoin by the paper', 'ppjoin of two queries', 'ppjoin by weights', 'ppjoin_keyed', 'topk_join', 'knn_join', 'match_join',
    'edit_join', 'simhash_join', 'lsh_join', 'sketch_overlap_join', 'supershingle_join');

for my $place (sort keys %PHASES)
{
    for my $with (0, 2)
    {
        my $met = $cancels{"$place, $with workers"} = {};
        $session->query_safe('RESET ALL; SET neardup.join_memory = ' . ($place eq 'files' ? "'2MB'" : "'256MB'"));
        $session->query_safe($with ? $WORKERS : 'SET max_parallel_workers_per_gather = 0');
        for my $name (@JOINS)
        {
            next if !$ENV{NEARDUP_CANCELS} && $number++ % 3 != 0;
            # More rows make it longer, and a cancel come no later.
            my $sql = $STATEMENTS{$name} =~ s/SELECT id, (.*?) FROM docs/SELECT id + 1000000 * i, $1 FROM generate_series(0, 5) i, docs/gr;
            for my $phase (@{ $PHASES{$place} })
            {
                my $cancels = 0;
                # Some joins hardly have a phase, which another one was cancelled in.
                for (1 .. $met->{$phase} && !$ENV{NEARDUP_CANCELS} ? 2 : TRIES + CANCELS)
                {
                    last if $cancels == CANCELS;
                    $cancels += cancel_in("$name, $place, $with workers", $sql, $phase);
                }
                $met->{$phase} += $cancels;
                push @missed, "$name, $place, $with workers, $phase" if $cancels == 0;
            }
            check_leftovers("$name, $place, $with workers");
        }
    }
}
for my $key (sort keys %cancels)
{
    note("$key: ", join ', ', map { "$_ $cancels{$key}{$_}" } sort keys %{ $cancels{$key} });
}
note(sprintf 'the latest was %.3f s late: %s', $latest, $slowest);
note("not met: $_") for @missed;
for my $place (sort keys %PHASES)
{
    for my $phase (@{ $PHASES{$place} })
    {
        cmp_ok($cancels{"$place, $_ workers"}{$phase} // 0, '>', 0, "$place, $_ workers: cancelled while $phase") for 0, 2;
    }
}
is(join("\n", @wrong), '', 'joins that are cancelled end soon and leave nothing');
$_->quit for $session, $observer;

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
$others{'sketches'} = 'SELECT count(minhash(tokens)), count(minhash(tokens, 256, 4)), count(simhash(tokens)) FROM docs, generate_series(1, 3)';
my ($cancelled, $ended) = (0, 0);
for my $name (sort keys %others)
{
    my $prepare = $name eq 'VACUUM' ? 'UPDATE docs SET word = word || \'x\'' : 'SELECT';
    $session->query_safe($prepare);
    my $start = time;
    $session->query_safe("$others{$name}; ROLLBACK") unless $name =~ /VACUUM|REINDEX/;
    $session->query_safe($others{$name}) if $name =~ /VACUUM|REINDEX/;
    my $seconds = time - $start;

    for my $part (map { ($_ - 0.5) / (1 + CANCELS) } 1 .. 1 + CANCELS)
    {
        my $timeout = 1 + int(1000 * $part * $seconds);
        my $late = least_lateness(
            sub {
                $session->query_safe($prepare);
                $session->query_safe("SET statement_timeout = $timeout");
                $start = time;
                my $state = outcome_of($session, $others{$name});
                my $ready = time;
                # A short timeout may end even these.
                for (1 .. 100)
                {
                    last if outcome_of($session, "ROLLBACK;\nSET statement_timeout = 0") eq '00000';
                }
                push @wrong, "$name: $state" if $state !~ /^(00000|57014)$/;
                $state eq '57014' ? $cancelled++ : $ended++;
                $session->query_safe('DROP INDEX IF EXISTS docs_tokens_ccnew') if $name eq 'REINDEX';
                return $state eq '57014' ? $ready - $start - $timeout / 1000 : undef;
            });
        check_lateness($name, $late) if defined $late;
    }
    check_leftovers($name);
}
note("$cancelled cancelled, $ended ended before; ", sprintf 'the latest was %.3f s late: %s', $latest, $slowest);
is(join("\n", @wrong), '', 'others end soon and leave nothing');
cmp_ok($cancelled, '>', keys(%others) / 2, "many were cancelled ($cancelled)");
is(sqlstate_of($node, 'postgres', q{SELECT neardup_index_check('docs_tokens')}), '00000', 'the index is right');
is($node->safe_psql('postgres', q{SELECT count(*) FROM neardup_refresh('tracked')}), '0', 'the clusters are right');

# ---------------------------------------------------------------------------
# Other timeouts
# ---------------------------------------------------------------------------

my ($locking) = session_of($node, 'BEGIN', 'LOCK TABLE docs');
is(outcome_of($session, "SET lock_timeout = 100; $STATEMENTS{ppjoin}"), '55P03', 'lock_timeout ends a join that waits for its table');
$locking->quit;
leaves_nothing($node, 'and it leaves nothing');
$session->query("$WORKERS; SET neardup.join_memory = '128kB'; SET idle_in_transaction_session_timeout = 200");
$session->{stdin} .= "BEGIN;\nDECLARE c CURSOR FOR SELECT * FROM ppjoin('SELECT id, tokens FROM docs WHERE id <= 1500', 0.2);\nFETCH 10 FROM c;\n";
$session->{run}->pump_nb for 1 .. 10;
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid"),
    'idle_in_transaction_session_timeout ends a session that has taken some pairs of a join');
leaves_nothing($node, 'and it leaves nothing');

$node->stop;
done_testing();
