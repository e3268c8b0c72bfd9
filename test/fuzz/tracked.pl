# Tracked clusters against a fresh computation in plain SQL, after statements of every kind by several
# sessions at the same time, in transactions that end in every way.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Blocks;
use Comparison;
use Fuzz;

my $session = comparison_session("deadlock_timeout = '20ms'");
my @sessions = ($session, map { Fuzz::Session->new } 2 .. 3);
my $ROUNDS = 6;    # comparisons of one table

# Types of keys, and the key of a number.
my %KEYS = (
    int => sub { $_[0] }, bigint => sub { "($_[0] * 10000000000)" }, text => sub { "('k' || ($_[0])::text)" }, uuid => sub { "md5(($_[0])::text)::uuid" },
    numeric => sub { "($_[0] / 3.0)" }, timestamptz => sub { "('epoch'::timestamptz + ($_[0]) * '1 day'::interval)" });
my @TOKENS = ('word_tokens(body)', 'word_tokens(body)', 'word_set(body)', 'qgram_tokens(body, 3)', 'shingle_set(body, 2)', "string_to_array(body, ' ')::tokenset", 'CASE WHEN note IS NULL THEN word_tokens(body) END');

# Scopes that few or many rows have, that change with the body or the key, and that may be NULL.
my @WITHIN = ((undef) x 4, 'note', 'length(body) % 2', 'left(note, 1), left(body, 2)', 'hash_record_extended(ROW(id), 0) % 3');

# ---------------------------------------------------------------------------
# Statements
# ---------------------------------------------------------------------------

# Texts of a few themes, so that rows hang together in clusters and chains.
sub random_body
{
    my ($random) = @_;
    my $theme = $random->below(6);
    my $length = $random->between(2, 7);
    my $first = $random->below(4);

    return undef if $random->chance(3);
    return $random->pick('', '...') if $random->chance(4);
    return join ' ', map { $random->chance(8) ? 'w' . $random->below(90) : 'w' . ($theme * 15 + $first + $_) } 1 .. $length;
}

# A body made in SQL from a number, for statements of many rows.
sub body_of
{
    my ($random, $number) = @_;
    my ($factor, $themes, $length) = ($random->pick(1, 7, 31), $random->between(2, 9), $random->between(2, 6));

    return "(SELECT string_agg('w' || (($number) * $factor % $themes * 15 + ($number) % 3 + w), ' ') FROM generate_series(1, $length) w)";
}

sub write_statement
{
    my ($random, $key) = @_;
    my $number = sub { $random->between(1, $random->pick(10, 60, 60)) };
    my $one = sub { $key->($number->()) };
    my $row = sub { '(' . join(', ', $one->(), literal(random_body($random)), literal($random->chance(10) ? random_body($random) : undef)) . ')' };
    my $rows = sub { join ', ', map { $row->() } 1 .. $random->pick(1, 1, 1, 2, 5, 12) };
    my $first = $number->();
    my $keys = sub { 'id IN (' . join(', ', map { $key->($_) } $first .. $first + $random->below(8)) . ')' };
    my $many = $random->pick(20, 20, 40, 130);
    my $body = literal(random_body($random));

    return $random->pick(
        ('INSERT INTO d VALUES ' . $rows->() . ' ON CONFLICT DO NOTHING') x 6,
        ('INSERT INTO d VALUES ' . $rows->() . ' ON CONFLICT (id) DO UPDATE SET body = excluded.body') x 2,
        'INSERT INTO d VALUES ' . $row->(),
        ("UPDATE d SET body = $body WHERE id = " . $one->()) x 4,
        "UPDATE d SET body = $body WHERE " . $keys->(),
        "UPDATE d SET body = body || ' w" . $random->below(90) . "' WHERE " . $keys->(),
        "UPDATE d SET body = (SELECT body FROM d o WHERE o.id = " . $one->() . ') WHERE ' . $keys->(),
        "UPDATE d SET note = $body WHERE " . $keys->(),
        'UPDATE d SET id = ' . $one->() . ' WHERE id = ' . $one->(),
        'UPDATE d SET id = ' . $one->() . ", body = $body WHERE id = " . $one->(),
        ('DELETE FROM d WHERE id = ' . $one->()) x 4,
        'DELETE FROM d WHERE ' . $keys->(),
        'DELETE FROM d WHERE body = ' . ($body eq 'NULL' ? "''" : $body),
        'WITH gone AS (DELETE FROM d WHERE ' . $keys->() . ' RETURNING body) INSERT INTO d SELECT ' . $one->() . ', body FROM gone LIMIT 1 ON CONFLICT DO NOTHING',
        'MERGE INTO d USING (VALUES ' . $rows->() . ') s (id, body, note) ON d.id = s.id WHEN MATCHED AND s.note IS NULL THEN UPDATE SET body = s.body'
          . ' WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.body, s.note)',
        $random->pick(
            'INSERT INTO d SELECT ' . $key->("i + $first") . ', ' . body_of($random, 'i') . " FROM generate_series(1, $many) i ON CONFLICT " . $random->pick('DO NOTHING', '(id) DO UPDATE SET body = excluded.body'),
            'UPDATE d SET body = ' . body_of($random, 'abs(hashtext(id::text)) % 1000'),
            "DELETE FROM d WHERE hashtext(id::text) % 3 = " . $random->below(3),
            $random->chance(30) ? 'TRUNCATE d' : "DELETE FROM d WHERE hashtext(id::text) % 2 = 0",
            'DELETE FROM d'));
}

# COPY reads keys as they are written, so they are literals there.
sub copy_statement
{
    my ($random, $values) = @_;
    my @numbers = $random->subset($random->between(1, 5), 100, 'uniform');

    return { sql => 'COPY d (id, body) FROM STDIN', copy => join '', map { "$values->[$_]\t" . (random_body($random) // '\N') . "\n" } @numbers };
}

sub random_block
{
    my ($random, $key, $values) = @_;
    my $write = sub { $values && $random->chance(10) ? copy_statement($random, $values) : write_statement($random, $key) };

    return [ $write->() ] if $random->chance(75);
    my @block = ('BEGIN ISOLATION LEVEL ' . $random->pick('READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'));
    for (1 .. $random->between(1, 4))
    {
        push @block, $write->();
        push @block, 'SAVEPOINT s', $write->(), $random->pick('ROLLBACK TO s', 'ROLLBACK TO s', 'RELEASE s') if $random->chance(40);
    }
    return [ @block, $random->pick('COMMIT', 'COMMIT', 'COMMIT', 'ROLLBACK') ];
}

# ---------------------------------------------------------------------------
# Clusters
# ---------------------------------------------------------------------------

# Keys by the least of their cluster; what is recorded of each row; and what neardup_refresh repairs.
sub checks_of
{
    my ($tokens, $threshold, $within) = @_;
    my $recorded = defined $within ? "tokens_within($tokens, ROW($within))" : $tokens;
    my $sets = "SELECT id::text COLLATE \"C\" AS k, coalesce($recorded, '{}') AS t FROM d";
    my $rows = "SELECT id::text COLLATE \"C\" AS k, coalesce($tokens, '{}') AS t, ROW(" . ($within // '') . ') AS s FROM d';

    return (
        {   got => 'SELECT key::text, min(key::text COLLATE "C") OVER (PARTITION BY cluster) FROM d_neardup',
            want_by => join('; ', map { "SET LOCAL $_ = off" } qw(neardup.enable_similarity_join enable_indexscan enable_bitmapscan)),
            want => "WITH RECURSIVE s AS MATERIALIZED ($rows), pair AS MATERIALIZED (SELECT x.k AS a, y.k AS b FROM s x JOIN s y ON x.s IS NOT DISTINCT FROM y.s AND jaccard_ge(x.t, y.t, $threshold)),"
              . ' reached AS (SELECT k, k AS other FROM s UNION SELECT r.k, p.b FROM reached r JOIN pair p ON p.a = r.other)'
              . ' SELECT k, min(other) FROM reached GROUP BY k' },
        { got => 'SELECT key::text, tokens FROM d_neardup', want => $sets },
        { got => q{SELECT * FROM neardup_refresh('d')}, want => 'SELECT 1 WHERE false' });
}

sub first_failure
{
    my (@checks) = @_;

    # Each sees the table as the statements left it: what neardup_refresh repairs is rolled back.
    my ($failed) = differing($session, @checks) or return;
    return { what => 'clusters', check => $checks[ $failed->{place} ], %$failed };
}

fuzz(
    'statements',
    sub {
        my ($random) = @_;
        my $type = $random->pick('int', 'int', sort keys %KEYS);
        my $key = $KEYS{$type};
        my $tokens = $random->pick(@TOKENS);
        my $threshold = $random->pick(0.2, 0.34, 0.5, 0.5, 0.6, 2.0 / 3, 0.75, 0.8, 1);
        my $within = $random->pick(@WITHIN);
        my @values = map { $_->[0] } $session->rows('SELECT ' . $key->('i') . ' FROM generate_series(1, 100) i');
        my @make = ('DROP TABLE IF EXISTS d', "CREATE TABLE d (id $type PRIMARY KEY, body text, note text)");
        my @before = map { [ write_statement($random, $key) ] } 1 .. $random->below(4);
        my $track = [ 'SELECT neardup_track(\'d\', \'id\', ' . literal($tokens) . ", $threshold" . (defined $within ? ', within => ' . literal($within) : '') . ')' ];
        my @checks = checks_of($tokens, $threshold, $within);
        # A session that waits for the data of COPY keeps the others waiting.
        my @rounds = map {
            my $together = $random->between(1, scalar @sessions);
            [ map { [ map { random_block($random, $key, $together == 1 ? \@values : undef) } 1 .. $random->between(3, 20) ] } 1 .. $together ]
        } 1 .. $ROUNDS;

        unshift @rounds, [ [ @before, $track ] ];

        # What fails first, if anything, and the rounds until then.
        my ($count, $until);
        my $failure_of = sub {
            ($count, $until) = (0, 0);
            $session->run(q{SELECT neardup_untrack('d')});
            run_blocks([$session], [ map { [$_] } @make ]);
            for my $round (@_)
            {
                my ($done, $failed) = run_blocks(\@sessions, @$round);
                $count += $done;
                $until++;
                return { what => $failed } if $failed;
                my $wrong = first_failure(@checks);
                return $wrong if $wrong;
            }
            return;
        };
        my $failure = $failure_of->(@rounds);
        return $count if !$failure;

        # Not because the table is tracked no more.
        my $fails = sub { my $f = $failure_of->(@_); return $f && join(' ', $f->{what}, $f->{surplus} // '') !~ /^42|ERROR 42/ };
        my @least = shrink_rounds($fails, @rounds[ 0 .. $until - 1 ]);
        $failure = $failure_of->(@least) // $failure;
        my @script = (@make, script_of_rounds(@least));
        return $failure->{check} ? report_check($failure, $failure->{check}, @script) : difference($failure->{what}, @script);
    });
