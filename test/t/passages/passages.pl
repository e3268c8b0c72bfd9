# Passages = brute force: common runs, repeated words, whole sentences and boilerplate, of random texts of
# several scripts, in memory and in files; and planted passages.
# NEARDUP_SEEDS="17 23" runs only these seeds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use Encode;
use Test::More;

use NeardupTest;
use PassageOracle;
use PlaceOracle;
use SeededRandom;

my $node = new_node('passages');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup; CREATE TABLE texts (seed int, id int, key int, body text)');

# The functions that are compared: what the server returns, and what is expected.
my @CHECKS = (
    self => q{passage_join('SELECT key, body FROM texts WHERE seed = %1$s ORDER BY id', %2$s)},
    against => q{passage_join('SELECT key, body FROM texts WHERE seed = %1$s AND id < %3$s ORDER BY id', %2$s, against => 'SELECT key, body FROM texts WHERE seed = %1$s AND id >= %3$s ORDER BY id')},
    most_rows => q{passage_join('SELECT key, body FROM texts WHERE seed = %1$s ORDER BY id', %2$s, max_rows => %4$s)},
    repeated => q{(SELECT id, repeated, words, first_id, first_range FROM repeated_passages('SELECT key, body FROM texts WHERE seed = %1$s ORDER BY id', %2$s)) AS r},
    sentences => q{(SELECT id, repeated, words, first_id, first_range FROM repeated_passages('SELECT key, body FROM texts WHERE seed = %1$s ORDER BY id', %2$s, whole_sentences => true)) AS r},
    old => q{(SELECT id, repeated, words, first_id, first_range FROM repeated_passages('SELECT key, body FROM texts WHERE seed = %1$s AND id >= %3$s ORDER BY id', %2$s, against => 'SELECT key, body FROM texts WHERE seed = %1$s AND id < %3$s ORDER BY id')) AS r},
    boilerplate => q{(SELECT encode(convert_to(passage, 'UTF8'), 'hex'), words, rows FROM boilerplate_passages('SELECT key, body FROM texts WHERE seed = %1$s ORDER BY id', %2$s, %4$s)) AS r},
    # What passage_tokens must not lose.
    tokens => q{(SELECT count(*) FROM passage_join('SELECT key, body FROM texts WHERE seed = %1$s ORDER BY id', %2$s) AS p
        WHERE NOT EXISTS (SELECT FROM texts AS x, texts AS y WHERE x.seed = %1$s AND y.seed = %1$s AND x.key = p.a AND y.key = p.b
            AND passage_tokens(x.body, %2$s) && passage_tokens(y.body, %2$s))) AS r});

sub expected_of
{
    my ($rows, $min_words, $middle, $few) = @_;
    PassageOracle::mark_sentences($_) for @$rows;
    my $grams = PassageOracle::grams_of($rows, $min_words);
    my $runs = PassageOracle::runs($rows, $grams, $min_words, 1000);
    my $differ = sub { $rows->[ $_[0] ]{key} != $rows->[ $_[1] ]{key} };
    return {
        self => PassageOracle::run_lines($rows, $runs, $differ, 1),
        against => PassageOracle::run_lines($rows, $runs, sub { $_[0] < $middle && $_[1] >= $middle }, 0),
        most_rows => PassageOracle::run_lines($rows, PassageOracle::runs($rows, $grams, $min_words, $few), $differ, 1),
        repeated => PassageOracle::repeated_lines($rows, $grams, $min_words, 0, 0),
        sentences => PassageOracle::repeated_lines($rows, $grams, $min_words, 0, 1),
        old => PassageOracle::repeated_lines($rows, $grams, $min_words, $middle, 0),
        boilerplate => PassageOracle::boilerplate_lines($rows, $grams, $min_words, $few),
        tokens => '0',
    };
}

sub literal
{
    my ($text) = @_;
    $text =~ s/'/''/g;
    return "'$text'";
}

# Compares one seed's rows under some settings; returns the checks that differ.
sub differences
{
    my ($seed, $rows, $min_words, $middle, $few, $settings) = @_;
    my $expected = expected_of($rows, $min_words, $middle, $few);
    my $sql = "SET client_min_messages = error; $settings\n" . join '', map {
        sprintf "INSERT INTO texts VALUES (%d, %d, %d, %s);\n", $seed, $_, $rows->[$_]{key}, literal($rows->[$_]{text})
    } 0 .. $#$rows;
    my @names;
    for (my $i = 0; $i < @CHECKS; $i += 2)
    {
        push @names, $CHECKS[$i];
        $sql .= "\\echo -- $CHECKS[$i]\nSELECT * FROM " . sprintf($CHECKS[ $i + 1 ], $seed, $min_words, $middle, $few) . ";\n";
    }
    my ($status, $out, $err) = $node->psql('postgres', Encode::encode('UTF-8', $sql), on_error_stop => 1);
    return "fails: $err" if $status != 0;
    my %got = map { /^(\w+)\n?(.*)\z/s } split /^-- /m, $out;
    my @wrong;
    for my $name (@names)
    {
        my $lines = join "\n", sort split /\n/, $got{$name} // 'none';
        next if $lines eq $expected->{$name};
        push @wrong, $name;
        my %counts;
        $counts{$_}++ for split /\n/, $lines;
        $counts{$_}-- for split /\n/, $expected->{$name};
        diag("seed $seed, min_words $min_words, $name: " . join '  ', map { "$_ ($counts{$_})" } grep { $counts{$_} } sort keys %counts);
    }
    return "@wrong";
}

my @seeds = seeds(300);
my @wrong;
for my $seed (@seeds)
{
    my $random = SeededRandom->new($seed);
    my $min_words = $seed % 10 == 0 ? $random->between(1, 50) : $random->between(1, 10);
    my $rows = PassageOracle::random_rows($random, rows => $random->between(1, 12), words => $random->below(90), stretch => $min_words > 10 ? 80 : 20,
        alphabet => $random->between(1, 16), copies => $random->below(70), distinct => $random->chance(30) ? 40 : 0);
    my $wrong = differences($seed, $rows, $min_words, int(@$rows / 2), $random->between(2, 4), '');
    push @wrong, "$seed: $wrong" if $wrong ne '';
}
is("@wrong", '', scalar(@seeds) . ' seeds: what is found is what brute force finds');

my $places = PlaceOracle->new($node);
@wrong = ();
for my $seed (map { 2000 + $_ } 1 .. share_of(160))
{
    my $random = SeededRandom->new($seed);
    my $min_words = $random->between(1, 5);
    my $rows = PassageOracle::random_rows($random, rows => $random->between(1, 12), words => $random->below(90), stretch => 20,
        alphabet => 1000, copies => 20 + $random->below(50), places => $places);
    my $wrong = differences($seed, $rows, $min_words, int(@$rows / 2), $random->between(2, 4), '');
    push @wrong, "$seed: $wrong" if $wrong ne '';
}
is("@wrong", '', 'the same in texts of characters that become several');

@wrong = ();
for my $min_words (1, 2, 5, 8, 20)
{
    my $random = SeededRandom->new(1000 + $min_words);
    my $rows = PassageOracle::random_rows($random, rows => 70, words => 200, stretch => 40, alphabet => 16, copies => 20, distinct => $min_words < 5 ? 20000 : 300);
    my $wrong = differences(1000 + $min_words, $rows, $min_words, 30, 3, "SET neardup.join_memory = '128kB';");
    push @wrong, "$min_words: $wrong" if $wrong ne '';
}
is("@wrong", '', 'the same through files');
is($node->safe_psql('postgres', q{SELECT count(*) > 0 FROM pg_stat_database WHERE temp_files > 40}), 't', 'which were written');

# Passages of 30 words in texts of other words, each in two rows; in every third the words around are what
# many rows have. All are found, to the character, and one copy of each is kept.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE planted AS
SELECT i, (1 + i * 7) % 3000 AS a, (4 + i * 11) % 3000 AS b, i % 3 = 0 AS in_boilerplate,
       (SELECT string_agg(CASE k % 5 WHEN 0 THEN upper(md5(i || '.' || k)) ELSE md5(i || '.' || k) END, CASE k % 7 WHEN 0 THEN E'\n' ELSE ' ' END ORDER BY k)
        FROM generate_series(1, 30) AS k) AS passage
FROM generate_series(1, 300) AS i;
CREATE TABLE corpus AS
SELECT id, (SELECT string_agg(substr(md5(id || ' ' || k), 1, 5), ' ') FROM generate_series(1, 40) AS k)
           || coalesce((SELECT string_agg(CASE WHEN in_boilerplate THEN ' all rights reserved, no part of this may be copied without permission of the owner: ' ELSE ' é' || id || ' ' END || passage
                                          || CASE WHEN in_boilerplate THEN ', and this notice must stay with every copy that is made of it by anybody ' ELSE ' ß' || id || ' ' END, '. ')
                        FROM planted WHERE a = id OR b = id), '')
           || (SELECT string_agg(substr(md5(id || '-' || k), 1, 5), ' ') FROM generate_series(1, 20) AS k)
           || ' all rights reserved, no part of this may be copied without permission of the owner: ask' || id AS body
FROM generate_series(0, 2999) AS id;
CREATE TABLE found AS SELECT * FROM passage_join('SELECT id, body FROM corpus', 20);
SQL
is($node->safe_psql('postgres', <<'SQL'), '300|300|300', 'planted passages are found, to the character');
SELECT count(*), count(*) FILTER (WHERE EXISTS (
           SELECT FROM found AS f JOIN corpus AS c ON c.id = f.a JOIN corpus AS d ON d.id = f.b
           WHERE least(p.a, p.b) = f.a AND greatest(p.a, p.b) = f.b AND f.words >= 30
             AND position(p.passage IN substr(c.body, lower(in_a), upper(in_a) - lower(in_a))) > 0
             AND position(p.passage IN substr(d.body, lower(in_b), upper(in_b) - lower(in_b))) > 0)),
       count(*) FILTER (WHERE in_boilerplate OR EXISTS (
           SELECT FROM found AS f JOIN corpus AS c ON c.id = f.a JOIN corpus AS d ON d.id = f.b
           WHERE least(p.a, p.b) = f.a AND greatest(p.a, p.b) = f.b AND f.words = 30
             AND substr(c.body, lower(in_a), upper(in_a) - lower(in_a)) = p.passage
             AND substr(d.body, lower(in_b), upper(in_b) - lower(in_b)) = p.passage))
FROM planted AS p
SQL
is($node->safe_psql('postgres', <<'SQL'), '300|300', 'and one copy of each is kept');
WITH kept AS (
    SELECT c.id, coalesce(remove_ranges(c.body, r.repeated), c.body) AS body
    FROM corpus AS c LEFT JOIN repeated_passages('SELECT id, body FROM corpus ORDER BY id', 20) AS r USING (id))
SELECT count(*), count(*) FILTER (WHERE (SELECT count(*) FROM kept AS k WHERE k.id IN (p.a, p.b) AND position(p.passage IN k.body) > 0) = 1)
FROM planted AS p
SQL

# A run that all rows have is not quadratic, and a join can be cancelled.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE licensed AS SELECT id, string_agg(md5(k::text), ' ' ORDER BY k) || ' ' || id AS body FROM generate_series(1, 20000) AS id, generate_series(1, 25) AS k GROUP BY id;
SQL
my ($status, $out, $err) = $node->psql('postgres', "SELECT count(*) FROM passage_join('SELECT id, body FROM licensed', 20)");
is("$status $out", '0 0', 'what all rows have makes no pairs');
like($err, qr/WARNING:  1 passage of more than max_rows rows was left out\nDETAIL:  Characters \[1,825\) of row \d+ are in 20000 rows\./, 'but a warning that names the passage');
times_out($node, 'a join of passages', q{passage_join('SELECT id, body FROM licensed', 5, max_rows => 1000000)}, 1500);
times_out($node, 'two texts that repeat a word after others', q{common_passages(repeat('a b a c ', 15000), repeat('a c a b ', 15000), 1)}, 1500);

$node->stop;
done_testing();
