# Two ways to the same rows, compared many in one round trip.
#
# A check is { got_by => statements, got => query, want_by => statements, want => query }: each query
# runs after its statements, in a subtransaction that is rolled back, and both must return the same
# rows, in any order.
package Comparison;

use strict;
use warnings;

use Exporter 'import';
use Fuzz;

our @EXPORT = qw(comparison_session comparison_of differing report_check random_chain chained);

# What may stand between a measure and a comparison, or an order: complements, which turn the order round, and casts, both of
# which round the value; and what hides the measure.
my @COMPLEMENTS = ('(1 - @)', '(1 - @)', '(1 - @)', '(1.0 - @)', '(1::real - (@)::real)', '(1.0 - (@)::numeric)', 'complement(@)');
my @CASTS = ('(@)::real', '(@)::numeric', '(@)::float8', '(@)::real::numeric');
my @HIDING = ('(@)::share', '(@)::checked_share', '(@ + 0)', '(@ * 1)', '(@ + 0.0::real)', 'round((@)::numeric, 2)', 'round((@)::numeric, 6)');

# A session with the functions of comparisons and settings, which later sessions have too. What is
# committed outlives a crash. An EXECUTE of a prepared statement cannot stand in a sub-select.
sub comparison_session
{
    my $setup = Fuzz::Session->new;

    # A statement is canceled before its session is taken for lost.
    my $timeout = 'statement_timeout = ' . 800 * Fuzz::Session::PATIENCE();

    $setup->rows("ALTER DATABASE $ENV{PGDATABASE} SET $_")
      for $timeout, 'synchronous_commit = on', 'jit = off', 'client_min_messages = error', @_;
    $setup->rows(<<'SQL');
CREATE DOMAIN share AS float8;
CREATE DOMAIN checked_share AS real CHECK (VALUE > -1e9);
CREATE FUNCTION complement(float8) RETURNS float8 IMMUTABLE LANGUAGE sql RETURN 1 - $1;
CREATE FUNCTION rows_of(statements text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text; line record; lines text[] := '{}';
BEGIN
    EXECUTE statements;
    IF query LIKE 'EXECUTE %' THEN
        FOR line IN EXECUTE query LOOP
            lines := lines || line::text;
        END LOOP;
        SELECT string_agg(l, E'\n' ORDER BY l COLLATE "C") INTO result FROM unnest(lines) l;
    ELSE
        EXECUTE format('SELECT string_agg(q::text, E''\n'' ORDER BY q::text COLLATE "C") FROM (%s) q', query) INTO result;
    END IF;
    RAISE EXCEPTION SQLSTATE 'FUZZ0';
EXCEPTION
    WHEN SQLSTATE 'FUZZ0' THEN RETURN coalesce(result, 'no row');
    WHEN OTHERS THEN RETURN format('ERROR %s: %s', SQLSTATE, SQLERRM);
END $$;

CREATE FUNCTION surplus(found text, expected text) RETURNS text LANGUAGE sql AS $$
    SELECT left(string_agg(l, ' ' ORDER BY l COLLATE "C"), 400)
    FROM (SELECT string_to_table(found, E'\n') EXCEPT ALL SELECT string_to_table(expected, E'\n')) s (l) $$;
SQL
    $setup->close;
    return Fuzz::Session->new;
}

# Up to four steps from a value to what is compared.
sub random_chain
{
    my ($random) = @_;
    my $hidden = $random->chance(20) ? 30 : 0;
    return [ map { $random->pick($random->chance($hidden) ? @HIDING : $random->chance(50) ? @COMPLEMENTS : @CASTS) } 1 .. $random->between(1, 4) ];
}

# An expression with a chain around it, and whether that turns the order round.
sub chained
{
    my ($chain, $expression) = @_;
    my $is_turned = 0;

    for my $step (@$chain)
    {
        $expression = $step =~ s/\@/$expression/r;
        $is_turned ^= 1 if grep { $_ eq $step } @COMPLEMENTS;
    }
    return ($expression, $is_turned);
}

# Statement that returns a row (place, surplus, missing) for each check that fails. An error is no
# agreement, unless it is one that both queries may have: a full join that PostgreSQL cannot do, a row
# that MERGE would change twice.
sub comparison_of
{
    my (@checks) = @_;
    my $place = 0;
    my $values = join ",\n", map {
        my $check = $_;
        '(' . join(', ', $place++, map { literal($check->{$_} // '') } qw(got_by got want_by want)) . ')'
    } @checks;

    return <<"SQL";
SELECT n, CASE WHEN f = e THEN f ELSE surplus(f, e) END, surplus(e, f)
FROM (SELECT n, rows_of(got_by, got) AS f, rows_of(want_by, want) AS e
      FROM (VALUES $values) AS c (n, got_by, got, want_by, want) OFFSET 0) AS r
WHERE f <> e OR e LIKE 'ERROR%' AND e !~ '^ERROR (0A000|21000)'
SQL
}

# The checks that fail: { place, surplus, missing }. One that ends the session or takes too long is the
# only one told.
sub differing
{
    my ($session, @checks) = @_;
    my $result = $session->run(comparison_of(@checks));

    return map { my %failed; @failed{qw(place surplus missing)} = @$_; \%failed } @{ $result->{rows} } if !$result->{state};
    # Until the server has taken notice of a crash, it accepts connections.
    sleep 1;
    $session->connect;
    return { place => 0, surplus => "ERROR $result->{state}: $result->{message}" } if @checks == 1;
    for my $place (0 .. $#checks)
    {
        my ($failed) = differing($session, $checks[$place]) or next;
        return { %$failed, place => $place };
    }
    return difference("$result->{state} $result->{message}", comparison_of(@checks));
}

# The end: what makes the tables, and both queries.
sub report_check
{
    my ($failed, $check, @setup) = @_;
    my $leg = sub { my ($by, $query) = @_; return ($by || (), $query, 'ROLLBACK') };

    return difference(
        "surplus: " . ($failed->{surplus} // 'none') . "; missing: " . ($failed->{missing} // 'none'),
        @setup, "-- found\nBEGIN", $leg->(@$check{qw(got_by got)}), "-- expected\nBEGIN", $leg->(@$check{qw(want_by want)}));
}

1;
