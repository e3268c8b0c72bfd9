# What a join says of its progress, in NOTICEs and in the view, and that it
# says nothing once it is over. No test depends on how long anything takes, but that the
# joins of many pairs take more than some milliseconds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use List::Util 'uniq';
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $SETUP = <<'SQL';
CREATE EXTENSION neardup;
SELECT setseed(0.5);
CREATE TABLE docs AS
  SELECT id, ARRAY(SELECT (random() * random() * 400)::int FROM generate_series(0, 20 + id % 20)) AS tokens
  FROM generate_series(1, 8000) id;
CREATE TABLE words AS SELECT id, substr(md5(id::text), 1, 8) AS word FROM generate_series(1, 8000) id;
SQL

my @ORDER = ('reading', 'sorting', 'canonicalizing', 'indexing', 'probing', 'joining blocks');
my %PLACE = map { $ORDER[$_] => $_ } 0 .. $#ORDER;

my $node = new_node('progress');
my $SUPERUSER = $node->safe_psql('postgres', 'SELECT current_user');
$node->safe_psql('postgres', $SETUP);

# The NOTICEs of one statement that returns a count, and the count.
sub notices_of
{
    my ($settings, $statement) = @_;
    my ($status, $count, $messages) = $node->psql('postgres', "$settings; $statement", on_error_stop => 1);
    my @notices;

    is($status, 0, "runs: $statement") or diag($messages);
    foreach my $line (split /\n/, $messages)
    {
        next if $line =~ /uses temporary files$|^DETAIL: |^HINT: /;
        my ($function, $pass, $phase, $share, $number, $unit) = $line =~
          /NOTICE:  (\w+)(?:, pass (\d+))?: ([a-z ]+?)(?:, ([\d.]+)% done)?, (\d+) (rows|pairs)(?:, (?:\d+ (?:h|min|s) )+left)?$/;

        push @notices,
          { line => $line, function => $function, pass => $pass // 1, phase => $phase, share => $share, number => $number, unit => $unit };
    }
    return ($count, @notices);
}

# Whether what they say can be true of one course of the join.
sub is_a_course
{
    my ($name, $function, $pairs, @notices) = @_;
    my @wrong;
    my $last;

    foreach my $notice (@notices)
    {
        my $is_reading = ($notice->{phase} // '') eq 'reading';

        push @wrong, "not understood: $notice->{line}" unless defined $notice->{phase} && exists $PLACE{ $notice->{phase} };
        last if @wrong;
        push @wrong, "another function: $notice->{line}" if $notice->{function} ne $function;
        push @wrong, "wrong unit: $notice->{line}" if $is_reading != ($notice->{unit} eq 'rows');
        push @wrong, "share: $notice->{line}" if ($notice->{share} // 0) > 100;
        push @wrong, "more pairs than $pairs: $notice->{line}" if !$is_reading && $notice->{number} > $pairs;
        if ($last && $last->{pass} == $notice->{pass})
        {
            my $is_same = $last->{phase} eq $notice->{phase};

            push @wrong, "phase goes back: $notice->{line}" if $PLACE{ $notice->{phase} } < $PLACE{ $last->{phase} };
            push @wrong, "number falls: $notice->{line}"
              if $last->{unit} eq $notice->{unit} && $notice->{number} < $last->{number};
            push @wrong, "share falls: $notice->{line}" if $is_same && ($notice->{share} // 0) < ($last->{share} // 0);
        }
        push @wrong, "pass goes back: $notice->{line}" if $last && $notice->{pass} < $last->{pass};
        $last = $notice;
    }
    is(join("\n", @wrong), '', "$name: phases in order, shares and pairs never fall");
    return;
}

sub phases_of
{
    return join ' ', uniq map { $_->{phase} =~ s/ /-/r } @_;
}

my $DOCS = "'SELECT id, tokens FROM docs'";
my ($EVEN, $ODD) = map { "'SELECT id, tokens FROM docs WHERE id % 2 = $_'" } 0, 1;
# For joins in short memory, which compare each block with all others.
my ($FEW, $FEW_EVEN, $FEW_ODD) = map { "'SELECT id, tokens FROM docs WHERE id <= 3000 AND $_'" } 'true', 'id % 2 = 0', 'id % 2 = 1';
my $ON = "SET neardup.progress = on; SET neardup.progress_interval = '1ms'; SET neardup.join_memory = '256MB'";

# --- settings

# Before the library is loaded any value can be set, but not shown.
my $LOAD = "SELECT FROM fingerprint('')";
is($node->safe_psql('postgres', "$LOAD; SHOW neardup.progress; SHOW neardup.progress_interval") =~ s/^\n//r,
    "off\n5s", 'off unless set; every 5 seconds');
is(sqlstate_of($node, 'postgres', "$LOAD; SET neardup.progress_interval = 0"), '22023', 'an interval of 0 is refused');
$node->safe_psql('postgres', 'CREATE ROLE anyone LOGIN');
is(sqlstate_of($node, 'postgres', "SET ROLE anyone; $LOAD; SET neardup.progress = on; SET neardup.progress_interval = '1min'"),
    '00000', 'anyone may set both');

# --- NOTICEs

foreach my $algorithm ('auto', 'ppjoin')
{
    my ($pairs, @notices) = notices_of($ON, "SELECT count(*) FROM ppjoin($DOCS, 0.3, 'jaccard', '$algorithm')");
    is_a_course($algorithm, 'ppjoin', $pairs, @notices);
    like(phases_of(@notices), qr/^reading .*probing$/, "$algorithm: it reads first and probes last");
    ok((grep { $_->{line} =~ / left$/ } @notices), "$algorithm: the time left is said");
}
foreach ([ '256MB', $DOCS ], [ '128kB', $FEW ])
{
    my ($memory, $rows) = @$_;
    my ($pairs, @notices) = notices_of(
        "$ON; SET neardup.join_memory = '$memory'; " . force_workers($node) . "; SET max_parallel_workers_per_gather = 2",
        "SELECT count(*) FROM ppjoin($rows, 0.3)");
    is_a_course("workers, $memory", 'ppjoin', $pairs, @notices);
}
{
    my ($pairs, @notices) = notices_of("$ON; SET neardup.join_memory = '192kB'", "SELECT count(*) FROM ppjoin($FEW, 0.4)");
    is_a_course('in short memory', 'ppjoin', $pairs, @notices);
    like(phases_of(@notices), qr/^reading .*joining-blocks$/, 'in short memory: blocks are one phase');
}
{
    my ($pairs, @notices) =
      notices_of("$ON; SET neardup.join_memory = '192kB'", "SELECT pairs FROM ppjoin_stats($FEW_EVEN, 0.8, 'containment', against => $FEW_ODD)");
    is_a_course('R and S in short memory', 'ppjoin_stats', $pairs, @notices);
    like(phases_of(@notices), qr/^reading .*joining-blocks$/, 'R and S in short memory: blocks are one phase');
}
{
    my ($pairs, @notices) =
      notices_of($ON, "SELECT count(*) FROM edit_join('SELECT id, word FROM words', 4)");
    is_a_course('edit_join', 'edit_join', $pairs, @notices);
    like(phases_of(@notices), qr/probing$/, 'edit_join: it probes');
}
{
    my (undef, @notices) = notices_of($ON, "SELECT count(*) FROM topk_join($DOCS, 1000)");
    is_a_course('topk_join', 'topk_join', '1e18', @notices);
    cmp_ok($notices[-1]->{pass}, '>', 1, 'topk_join: passes are told apart');
}
foreach my $call ("knn_join($DOCS, 3, 0.3)", "match_join($EVEN, 0.3, against => $ODD)")
{
    my ($function) = $call =~ /^(\w+)/;
    my (undef, @notices) = notices_of($ON, "SELECT count(*) FROM $call");
    is_a_course($function, $function, '1e18', @notices);
    cmp_ok($notices[-1]->{pass}, '>', 1, "$function: passes are told apart");
}
{
    # Half of the rows find what they seek in the first pass, and are only met from then on.
    my $TWINS = "'SELECT id, tokens FROM docs UNION ALL SELECT id + 8000, tokens || 500 FROM docs WHERE id % 2 = 0'";
    my (undef, @notices) = notices_of("$ON; SET neardup.join_memory = '1MB'", "SELECT count(*) FROM knn_join($TWINS, 1, 0.3)");
    is_a_course('knn_join in short memory', 'knn_join', '1e18', @notices);
    cmp_ok($notices[-1]->{pass}, '>', 1, 'knn_join in short memory: passes are told apart');
}
foreach my $settings ('SET neardup.progress = off', 'RESET neardup.progress', "SET neardup.progress = on; SET neardup.progress_interval = '1d'")
{
    my (undef, @notices) =
      notices_of("SET neardup.progress_interval = '1ms'; $settings", "SELECT count(*) FROM ppjoin($DOCS, 0.3)");
    is(scalar @notices, 0, "no NOTICE after $settings");
}

# --- without preloading

my ($status, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\nTABLE neardup_progress");
like($err, qr/ERROR:  55000: neardup must be loaded via "shared_preload_libraries".*HINT:  /s,
    'unless preloaded, the view says so');
$node->stop;

# --- the view

$node = new_node('progress_view', conf => "shared_preload_libraries = 'neardup'\n");
$node->safe_psql('postgres', $SETUP);
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE runner LOGIN;
CREATE ROLE stranger LOGIN;
CREATE ROLE member LOGIN IN ROLE runner;
CREATE ROLE monitor LOGIN IN ROLE pg_read_all_stats;
GRANT SELECT ON docs TO runner;
SQL
is($node->safe_psql('postgres', 'TABLE neardup_progress'), '', 'no join, no row');

my $gate = $node->background_psql('postgres');
my $session = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'runner' ]);
my $pid = $session->query_safe('SELECT pg_backend_pid()');

# Sends a statement to the session, and waits until the view says this of it.
sub start_until
{
    my ($statement, $condition) = @_;

    $session->query_until(qr/sent/, "\\echo sent\n$statement;\n");
    ok($node->poll_query_until('postgres', "SELECT $condition FROM neardup_progress WHERE pid = $pid"), "seen: $condition");
    return;
}

# Waits until the session is in this state; then its join must have gone.
sub gone_when
{
    my ($name, $state) = @_;

    $node->poll_query_until('postgres', "SELECT state = '$state' FROM pg_stat_activity WHERE pid = $pid");
    is($node->safe_psql('postgres', 'SELECT count(*) FROM neardup_progress'), '0', "gone $name");
    return;
}

# What of the row this role sees.
sub seen_by
{
    my ($role) = @_;

    return $node->safe_psql('postgres', "SET ROLE $role; SELECT pid = $pid, datname, function, phase, pass, total, started < now() FROM neardup_progress");
}

# A join that reads docs, and then waits until the gate opens.
my $WAITING = "'SELECT id, tokens FROM docs UNION ALL SELECT 0, ARRAY[1] FROM pg_advisory_xact_lock(1)'";

$gate->query_safe('SELECT pg_advisory_lock(1)');
start_until("SELECT count(*) FROM ppjoin($WAITING, 0.9)", "phase = 'reading' AND pairs = 0 AND total IS NULL");
is(seen_by($_), 't|postgres|ppjoin|reading|1||t', "$_ sees all of it") foreach 'runner', 'member', 'monitor', $SUPERUSER;
is(seen_by('stranger'), 't|postgres|||||', 'a stranger sees that there is one');
$gate->query_safe('SELECT pg_advisory_unlock(1)');
gone_when('at its end', 'idle');

# A join in a join's query: the outer one is reported again when it goes on.
$gate->query_safe('SELECT pg_advisory_lock(1)');
my $INNER = "SELECT a, ARRAY[b] FROM topk_join(''SELECT id, tokens FROM docs LIMIT 500'', 5)";
start_until("SELECT count(*) FROM ppjoin('$INNER UNION ALL SELECT 0, ARRAY[1] FROM pg_advisory_xact_lock(1)', 0.9)",
    "function = 'ppjoin' AND phase = 'reading'
     AND EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)");
$gate->query_safe('SELECT pg_advisory_unlock(1)');
gone_when('at the end of both', 'idle');

# A join that would take long, when it is far enough.
my $LONG = "SELECT count(*) FROM ppjoin('SELECT id + k * 8000, tokens FROM docs, generate_series(1, 6) k', 1, 'overlap')";
start_until("SET neardup.join_memory = '1GB'; $LONG", "phase = 'probing' AND done BETWEEN 1 AND total AND rows = 48000 AND pairs > 0 AND time_left > '0'");
$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
gone_when('after a cancel', 'idle');

start_until("SET neardup.join_memory = '2MB'; $LONG", "phase = 'joining blocks' AND done BETWEEN 0 AND total");
$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
gone_when('after a cancel in short memory', 'idle');

my $FAILING = "ppjoin('SELECT 1 / (8000 - id), tokens FROM docs', 0.9)";
$session->query("SELECT count(*) FROM $FAILING");
like($session->{stderr}, qr/division by zero/, 'a join fails');
gone_when('after an error', 'idle');
$session->query("BEGIN;\nDO \$\$ BEGIN PERFORM count(*) FROM $FAILING; END \$\$;");
gone_when('after an error in a transaction that is not yet rolled back', 'idle in transaction (aborted)');
$session->query('ROLLBACK');
$session->query("BEGIN;\nDO \$\$ BEGIN PERFORM count(*) FROM $FAILING; EXCEPTION WHEN division_by_zero THEN NULL; END \$\$;");
gone_when('after an error that was caught', 'idle in transaction');
$session->query('ROLLBACK');
$session->query("BEGIN;\nDECLARE c CURSOR FOR SELECT * FROM $FAILING;\nSAVEPOINT s;\nFETCH c;\nROLLBACK TO s;");
gone_when('after an error in a savepoint, of a cursor from before it', 'idle in transaction');
$session->query('ROLLBACK');

start_until("SET neardup.join_memory = '1GB'; $LONG", "phase = 'probing'");
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid"), 'a session ends');
is($node->safe_psql('postgres', 'SELECT count(*) FROM neardup_progress'), '0', 'and its join has gone');

$gate->quit;
$node->stop;
done_testing();
