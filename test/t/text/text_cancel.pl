# A long text can be cancelled while it is normalized, whatever it is made of, and a join while it
# returns its pairs.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use Test::More;
use Time::HiRes 'time';

use constant TRIES => 5;

my $node = new_node('cancel');
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;
CREATE SEQUENCE ended;
CREATE TABLE pieces AS
SELECT repeat(U&'\00AD', 10000) AS ignored, repeat(U&'\0301', 10000) AS marks, repeat(U&'\4E00', 10000) AS letters;
SQL

# Runs the expression on a row of the pieces. Nothing looks for interrupts
# between the end of the function and nextval: a sequence that advanced although
# the statement was cancelled says that the function did not look either.
sub run
{
    my ($expression, $milliseconds) = @_;
    my $before = $node->safe_psql('postgres', 'SELECT last_value FROM ended');
    my $started = time;
    my $state = sqlstate_of($node, 'postgres',
        "SET statement_timeout = $milliseconds; SELECT $expression IS NULL OR nextval('ended') > 0 FROM pieces");
    my $seconds = time - $started;
    my $after = $node->safe_psql('postgres', 'SELECT last_value FROM ended');

    return ($state, $before != $after, $seconds);
}

# Cancelled after each of these parts of the time that it takes, the function does not go on. The time is
# taken once, and again after each failure.
sub is_cancelled
{
    my ($name, $expression, @parts) = @_;
    my (undef, undef, $seconds) = run($expression, 0);

    for my $part (@parts)
    {
        my $outcome;

        for my $try (1 .. TRIES)
        {
            (undef, undef, $seconds) = run($expression, 0) if $try > 1;
            my ($state, $ended) = run($expression, 1 + int(1000 * $part * $seconds));

            $outcome = $state eq '00000' ? 'was too fast' : $ended ? "$state, but went on to its end" : $state;
            last if $outcome eq '57014';
        }
        is($outcome, '57014', "$name, after $part of its time");
    }
}

# Cancelled after a fifth of the time that it takes, the query ends long before.
sub ends_early
{
    my ($name, $query) = @_;
    my $outcome;

    for (1 .. TRIES)
    {
        my $started = time;
        sqlstate_of($node, 'postgres', $query);
        my $seconds = time - $started;
        $started = time;
        my $state = sqlstate_of($node, 'postgres',
            'SET statement_timeout = ' . (1 + int(200 * $seconds)) . "; $query");
        $outcome = $state eq '57014' && time - $started > 0.5 * $seconds ? "$state, but late" : $state;
        last if $outcome eq '57014';
    }
    is($outcome, '57014', $name);
}

$node->safe_psql('postgres', "SELECT nextval('ended')");
is_cancelled('characters that are ignored', 'normalize_text(repeat(ignored, 1000))', 0.3, 0.5, 0.7);
is_cancelled('marks on one letter', 'normalize_text(repeat(marks, 200))', 0.3, 0.5, 0.7);
is_cancelled('words of letters', 'word_set(repeat(letters, 200))', 0.3, 0.5, 0.7);
is_cancelled('edit distance', "edit_distance(repeat(letters, 12) || 'a', repeat(marks || letters, 6) || 'b')", 0.5);
is_cancelled('Damerau-Levenshtein distance', "damerau_levenshtein('a' || left(letters, 5000) || 'b', 'c' || marks || letters || 'd')", 0.5);
is_cancelled('Jaro similarity', "jaro_similarity(repeat(letters || marks, 2), repeat(marks || marks || letters, 2))", 0.5);
is_cancelled('letters', 'normalize_text(repeat(letters, 800))', 0.4);

ends_early("pairs of long keys, fewer than the kernel takes between two looks",
    "SELECT 1 FROM ppjoin_keyed(NULL::text, \$\$SELECT repeat('k', 2000) || i, ARRAY[1] FROM generate_series(1, 500) i\$\$, 1) LIMIT 1");
ends_early("pairs of texts with long keys",
    "SELECT 1 FROM edit_join_keyed(NULL::text, \$\$SELECT repeat('k', 2000) || i, 'text' FROM generate_series(1, 500) i\$\$, 0) LIMIT 1");
# All sets differ, since rows of equal sets are joined once.
my $NEAR = '$$SELECT i, ARRAY(SELECT generate_series(1 + i % 7, 30 + i % 5)) || 1000 + i FROM generate_series(1, 2000) i$$';
ends_early('nearest rows of near sets', "SELECT 1 FROM knn_join($NEAR, 3, 0.5, 'containment') LIMIT 1");
ends_early('near sets one to one', "SELECT 1 FROM match_join($NEAR, 0.5, 'containment') LIMIT 1");
ends_early('pairs one to one', q{SELECT 1 FROM match_pairs('SELECT i / 1000, i % 1000, hashint4(i) FROM generate_series(1, 400000) i') LIMIT 1});

# Most of the time goes into finding the end of the word, character by character.
SKIP:
{
    skip('this PostgreSQL has no pg_trgm', 1) if $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm'}) eq '0';
    $node->safe_psql('postgres', 'CREATE EXTENSION neardup_trgm CASCADE');
    ends_early('trigrams of a single word', 'SELECT trgm_set(repeat(letters, 150)) FROM pieces');
}

$node->stop;
done_testing();
