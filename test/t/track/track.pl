# Tracked clusters under load: whatever sessions insert, update and delete at a time, at any isolation level,
# the clusters are those of a fresh join, and statements that are transactions by themselves do not deadlock.
# Clusters survive a dump and restore, numbers included, and are replicated with their table.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use IPC::Run;
use NeardupTest;
use PostgreSQL::Test::Utils;
use SeededRandom;
use Test::More;

my $LOCK_LEVELS = [ 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE' ];
# Each day, sessions run half as many statements.
my $LESS = $ENV{NEARDUP_ALL} ? 1 : 2;

my $node = new_node('track', conf => "wal_level = logical\n", allows_streaming => 'logical');
my $directory = PostgreSQL::Test::Utils::tempdir();

# The partition of keys that an SQL query of (key, group) gives: each group by its sorted keys.
sub partition
{
    my ($groups) = @_;
    return join "\n", sort map { join ' ', sort { $a <=> $b } @$_ } values %$groups;
}

sub tracked_partition
{
    my ($database, $members) = @_;
    my %groups;

    for (split /\n/, $node->safe_psql($database, "SELECT key, cluster FROM $members"))
    {
        my ($key, $cluster) = split /\|/;
        push @{ $groups{$cluster} }, $key;
    }
    return partition(\%groups);
}

# The same of the table itself: the pairs of a join, put together here.
sub fresh_partition
{
    my ($database, $table, $threshold) = @_;
    my %parent = map { $_ => $_ } split /\n/, $node->safe_psql($database, "SELECT id FROM $table");
    my %groups;
    my $root = sub {
        my ($key) = @_;
        $key = $parent{$key} = $parent{ $parent{$key} } while $parent{$key} != $key;
        return $key;
    };

    for (split /\n/,
        $node->safe_psql($database, "SELECT a, b FROM ppjoin('SELECT id, word_tokens(body) FROM $table', $threshold)"))
    {
        my ($x, $y) = map { $root->($_) } split /\|/;
        $parent{$x} = $y;
    }
    push @{ $groups{ $root->($_) } }, $_ for keys %parent;
    return partition(\%groups);
}

# Statements of one session: texts are rows of the table pool, keys few enough to be met by others too. Single
# ones lock rows of the table itself in one order, so that all waiting is for tracking.
sub statements
{
    my ($random, $count, $table, $texts, $keys, $is_single) = @_;
    my $text = sub { '(SELECT body FROM pool WHERE n = ' . $random->between(1, $texts) . ')' };
    my $key = sub { $random->between(1, $keys) };
    my @kinds = (
        sub { "INSERT INTO $table VALUES (" . $key->() . ', ' . $text->() . ') ON CONFLICT DO NOTHING' },
        sub { "INSERT INTO $table VALUES (" . $key->() . ', ' . $text->() . ') ON CONFLICT (id) DO UPDATE SET body = excluded.body' },
        sub { "UPDATE $table SET body = " . $text->() . ' WHERE id = ' . $key->() },
        sub { "DELETE FROM $table WHERE id = " . $key->() },
        sub { "UPDATE $table SET id = " . $key->() . ' WHERE id = ' . $key->() },
        sub { "DELETE FROM $table WHERE id IN (" . join(', ', map { $key->() } 1 .. 5) . ')' },
        sub {
            my $first = $random->between(1, $texts);
            my $rows = $random->pick(3, 20, 150);
            "INSERT INTO $table SELECT n % $keys + 1, body FROM pool WHERE n BETWEEN $first AND $first + $rows ON CONFLICT DO NOTHING";
        },
        sub { my $k = $key->(); "UPDATE $table SET body = body || ' and more' WHERE id BETWEEN $k AND $k + " . $random->pick(3, 120) },
        sub { my $k = $key->(); "DELETE FROM $table WHERE id BETWEEN $k AND $k + " . $random->pick(3, 150) });
    my @script;

    for (my $made = 0; $made < $count;)
    {
        my $length = $is_single || $random->chance(70) ? 1 : $random->between(2, 4);
        my $kind = sub { $is_single ? $random->pick(0 .. 3, 5) : $random->chance(90) ? $random->below(6) : $random->below(9) };
        my @block = map { $kinds[ $kind->() ]->() . ';' } 1 .. $length;
        @block = ("BEGIN ISOLATION LEVEL " . $random->pick(@$LOCK_LEVELS) . ';', @block, $random->chance(85) ? 'COMMIT;' : 'ROLLBACK;')
          if $length > 1;
        push @script, @block;
        $made += $length;
    }
    return join "\n", @script;
}

# Runs the sessions at the same time; the errors that may happen are those of concurrency and of keys.
sub run_sessions
{
    my ($name, $database, $table, $total, $texts, $keys, $sessions, $is_single) = @_;
    my (@runs, @errors);

    for my $session (1 .. $sessions)
    {
        my $file = "$directory/$name.$session.sql";
        append_to_file($file, statements(SeededRandom->new(70 + $session), $total / $sessions, $table, $texts, $keys, $is_single));
        push @runs, { error => '' };
        $runs[-1]{run} = IPC::Run::start(
            [ 'psql', '-XAtq', '-v', 'VERBOSITY=sqlstate', '-d', $node->connstr($database), '-f', $file ],
            '<', \undef, '>', \my $output, '2>', \$runs[-1]{error});
    }
    $_->{run}->finish for @runs;
    # 23505: a key is taken; 40001, 40P01: serialization, deadlock; 25P02: what follows them in a transaction
    for my $run (@runs)
    {
        push @errors, grep { /(ERROR|FATAL|PANIC|server closed)/ && !/ERROR: +(23505|40001|40P01|25P02)/ } split /\n/, $run->{error};
    }
    is(join("\n", @errors), '', "$name: $total statements of $sessions sessions, and no error but of keys and concurrency");
    my @lost = map { scalar(() = $_->{error} =~ /ERROR: +40P01/g) } @runs;
    note("$name: deadlocks per session @lost");
    is("@lost", join(' ', (0) x $sessions), "$name: no deadlock") if $is_single;
    return;
}

sub compare
{
    my ($name, $database, $table, $threshold) = @_;
    my $tracked = tracked_partition($database, "${table}_neardup");

    cmp_ok(scalar(grep { / / } split /\n/, $tracked), '>', 3, "$name: there are clusters");
    ok($tracked eq fresh_partition($database, $table, $threshold), "$name: the clusters are those of a fresh join");
    is($node->safe_psql($database, "SELECT count(*) FROM neardup_refresh('$table')"), '0', "$name: neardup_refresh finds no difference");
    cmp_ok($node->safe_psql($database, "SELECT count(DISTINCT event) FROM ${table}_neardup_log"), '==', 2, "$name: clusters merged and split");
    return;
}

# Random texts, in a database whose owner is no superuser
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE DATABASE source OWNER owner; CREATE DATABASE target OWNER owner');
$node->safe_psql('source', <<'SQL', extra_params => [ '-U', 'owner' ]);
CREATE EXTENSION neardup;
CREATE EXTENSION neardup_track;
CREATE TABLE pool (n int PRIMARY KEY, body text);
-- 60 themes of 12 words; a text has 8 to 12 words of a theme or two
INSERT INTO pool
SELECT n, (SELECT string_agg('w' || ((n * 37 + w * 11) % 9 > 6)::int * (n % 7) * 100 + (n % 60) * 12 + w, ' ') FROM generate_series(1, 8 + n % 5) w)
FROM generate_series(1, 1500) n;
CREATE TABLE docs (id int PRIMARY KEY, body text);
INSERT INTO docs SELECT n, body FROM pool WHERE n <= 200;
SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.7);
SQL
run_sessions('random', 'source', 'docs', 2000 / $LESS, 1500, 700, 4, 0);
compare('random', 'source', 'docs', 0.7);
run_sessions('single', 'source', 'docs', 4000 / $LESS, 1500, 300, 8, 1);
compare('single', 'source', 'docs', 0.7);

# Statements of more rows than are looked up one by one: copies arrive, and rows become copies of others
$node->safe_psql('source', <<'SQL');
CREATE TABLE bulk (id int PRIMARY KEY, body text);
INSERT INTO bulk SELECT n, body FROM pool WHERE n <= 300;
SELECT neardup_track('bulk', 'id', 'word_tokens(body)', 0.7);
SQL
my $random = SeededRandom->new(80);
my $wrong = 0;
my $rounds = share_of(60);
for my $round (1 .. $rounds)
{
    my ($x, $y, $z) = map { $random->between(1, 1500) } 1 .. 3;
    my $statement = $random->pick(
        "INSERT INTO bulk SELECT n + 2000 * $round, body FROM pool WHERE (n + $x) % 1500 < 120",
        "UPDATE bulk d SET body = (SELECT s.body FROM bulk s ORDER BY (s.id * 7919::bigint + d.id % 5 * $x) % 1009, s.id LIMIT 1) WHERE d.id % 3 <> $x % 3",
        "UPDATE bulk SET body = CASE id % 50 WHEN $x % 50 THEN (SELECT s.body FROM bulk s WHERE s.id > 300 ORDER BY (s.id + $y) % 997, s.id LIMIT 1) "
          . "ELSE 'g' || id || ' h' || id * $y END WHERE id <= 200",
        "UPDATE bulk d SET body = p.body FROM pool p WHERE p.n = (d.id * 31::bigint + $z) % 1500 + 1",
        "INSERT INTO bulk SELECT i, p.body FROM generate_series(1, 150) i, pool p WHERE p.n = ($y + i % 9) % 1500 + 1 ON CONFLICT (id) DO UPDATE SET body = excluded.body",
        "DELETE FROM bulk WHERE id > 300 AND (id + $x) % 4 <> 0");

    $node->safe_psql('source', $statement);
    next if tracked_partition('source', 'bulk_neardup') eq fresh_partition('source', 'bulk', 0.7);
    diag("round $round: $statement");
    $wrong++;
}
is($wrong, 0, "after each of $rounds bulk statements the clusters are those of a fresh join");
compare('bulk', 'source', 'bulk', 0.7);
$node->safe_psql('source', q{SELECT neardup_untrack('bulk'); DROP TABLE bulk});

# Dump and restore, by the owner of the database
my $state = q{SELECT (SELECT string_agg(key || ' ' || member || ' ' || cluster || ' ' || tokens::text, ',' ORDER BY key) FROM docs_neardup),
    (SELECT string_agg(l::text, ',' ORDER BY id) FROM docs_neardup_log l),
    (SELECT string_agg(t::text, ',') FROM neardup_tracked t)};
$node->command_ok([ 'pg_dump', '-U', 'owner', '-f', "$directory/dump.sql", '-d', $node->connstr('source') ], 'the owner dumps a tracked table');
$node->command_ok(
    [ 'psql', '-X', '-q', '-U', 'owner', '-v', 'ON_ERROR_STOP=1', '-f', "$directory/dump.sql", '-d', $node->connstr('target') ],
    'and restores it');
ok($node->safe_psql('target', $state) eq $node->safe_psql('source', $state), 'members, clusters, log and registry are the same');
is($node->safe_psql($_, q{SELECT count(*) FROM neardup_refresh('docs')}), '0', "which neardup_refresh confirms of the $_") for 'source', 'target';
my $both = q{INSERT INTO docs VALUES (-1, 'a text like no other'), (-2, 'a text like no other one'); DELETE FROM docs WHERE id BETWEEN 10 AND 60;
    UPDATE docs SET body = 'a text like no other' WHERE id BETWEEN 61 AND 70;};
$node->safe_psql($_, $both, extra_params => [ '-U', 'owner' ]) for 'source', 'target';
ok($node->safe_psql('target', 'SELECT string_agg(key || \' \' || cluster, \',\' ORDER BY key) FROM docs_neardup') eq
      $node->safe_psql('source', 'SELECT string_agg(key || \' \' || cluster, \',\' ORDER BY key) FROM docs_neardup'),
    'and the restored clusters go on as the others do');
compare('restored', 'target', 'docs', 0.7);
$node->safe_psql('target', q{SELECT neardup_untrack('docs')}, extra_params => [ '-U', 'owner' ]);
is( $node->safe_psql('target', q{SELECT count(*) FROM pg_class WHERE relname LIKE 'docs\_neardup%'}),
    '0', 'a restored table can be untracked by its owner');

# The numbers of relations that were dropped would mean others where the dump is restored
$node->safe_psql('source', q{CREATE TABLE stale (id int PRIMARY KEY, body text); SELECT neardup_track('stale', 'id', 'word_tokens(body)', 1);
    DROP TABLE stale CASCADE});
$node->command_ok([ 'pg_dump', '-f', "$directory/stale.sql", '-d', $node->connstr('source') ], 'a dump with what is left of a dropped table');
my $entries = slurp_file("$directory/stale.sql");
like($entries, qr/\tpublic\.docs_neardup_state\t/, 'has the entries of tables that are');
unlike($entries, qr/\tpublic\.stale_neardup_state\t/, 'and not of those that are no more');
$node->safe_psql('source', q{DELETE FROM neardup_tracked WHERE members = 'stale_neardup'::regclass;
    DROP TABLE stale_neardup, stale_neardup_log, stale_neardup_state});

# Logical replication: statement triggers do not fire where changes are applied, so the clusters travel as tables do
$node->safe_psql('postgres', 'CREATE DATABASE subscriber');
$node->safe_psql('source', 'CREATE PUBLICATION p FOR TABLE docs, docs_neardup, docs_neardup_log, docs_neardup_state');
$node->command_ok([ 'pg_dump', '-f', "$directory/schema.sql", '-s', '-d', $node->connstr('source') ], 'the schema is dumped');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$directory/schema.sql", '-d', $node->connstr('subscriber') ], 'and restored');
$node->safe_psql('subscriber', q{ALTER TABLE docs DISABLE TRIGGER USER});
$node->safe_psql('source', q{SELECT pg_create_logical_replication_slot('s', 'pgoutput')});
(my $publisher = $node->connstr('source')) =~ s/'/''/g;
$node->safe_psql('subscriber', "CREATE SUBSCRIPTION s CONNECTION '$publisher' PUBLICATION p WITH (create_slot = false)");
$node->safe_psql('source', q{INSERT INTO docs SELECT n + 5000, body FROM pool WHERE n <= 150; DELETE FROM docs WHERE id = 5001;
    UPDATE docs SET body = 'replicated' WHERE id IN (5002, 5003)});
ok($node->poll_query_until('subscriber', q{SELECT count(*) = 0 FROM pg_subscription_rel WHERE srsubstate <> 'r'}), 'the tables are synchronized');
$node->safe_psql('source', q{INSERT INTO docs VALUES (9999, 'the last')});
ok($node->poll_query_until('subscriber', q{SELECT count(*) = 1 FROM docs_neardup WHERE key = 9999}), 'changes are applied');
my $clusters = q{SELECT string_agg(key || ' ' || cluster, ',' ORDER BY key) FROM docs_neardup};
ok($node->safe_psql('subscriber', $clusters) eq $node->safe_psql('source', $clusters), 'the subscriber has the clusters of the publisher');
ok(tracked_partition('subscriber', 'docs_neardup') eq fresh_partition('subscriber', 'docs', 0.7), 'which are those of its table');
$node->safe_psql('subscriber', 'ALTER SUBSCRIPTION s DISABLE; ALTER SUBSCRIPTION s SET (slot_name = NONE); DROP SUBSCRIPTION s');
$node->safe_psql('source', q{SELECT pg_drop_replication_slot('s') FROM pg_replication_slots WHERE NOT active});

# Real texts
SKIP:
{
    my $file = shared_data('debdesc');
    skip("../shared/data/debdesc.tsv.xz is not there", 5) unless defined $file;
    $node->safe_psql('postgres',
            "CREATE DATABASE real; \\c real\n"
          . "CREATE EXTENSION neardup; CREATE EXTENSION neardup_track; CREATE TABLE raw (name text, body text);\n"
          . "\\copy raw from program 'xz -dc $file'\n"
          . q{CREATE TABLE pool AS SELECT row_number() OVER (ORDER BY body COLLATE "C", name)::int AS n, body FROM raw;
              DELETE FROM pool WHERE n % 12 <> 0 AND n > 4000;
              UPDATE pool SET n = p.rank FROM (SELECT n AS was, row_number() OVER (ORDER BY n) AS rank FROM pool) p WHERE n = p.was;
              ALTER TABLE pool ADD PRIMARY KEY (n);
              CREATE TABLE docs (id int PRIMARY KEY, body text);
              INSERT INTO docs SELECT n, body FROM pool WHERE n <= 2000;
              SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.8);});
    my $texts = $node->safe_psql('real', 'SELECT count(*) FROM pool');
    run_sessions('real', 'real', 'docs', 10000 / $LESS, $texts, 4000, 4, 0);
    compare('real', 'real', 'docs', 0.8);
}

$node->stop;
done_testing();
