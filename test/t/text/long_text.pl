# A long text through every function of texts: the result is right, or it is refused with 54000; the process takes no more
# than a multiple of the text, and the function can be cancelled. NEARDUP_MEGABYTES=100 makes the text so long.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use Faults;
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes 'time';

use constant MEGABYTES => $ENV{NEARDUP_MEGABYTES} // 5;

my $node = new_node('long_text', conf => fault_conf());
# Words of nine characters and a space, each once but the last, which stands twice. PostgreSQL's own functions of long
# texts cannot be cancelled, so what they give is made now.
my $WORDS = MEGABYTES * 100_000;
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION neardup;
CREATE TABLE long (words tokenset, body text, lowered text, other text);
ALTER TABLE long ALTER body SET STORAGE external, ALTER lowered SET STORAGE external, ALTER other SET STORAGE external;
INSERT INTO long SELECT tokenset(words), upper(array_to_string(words, ' ')), array_to_string(words, ' '), 'x' || upper(array_to_string(words, ' '))
FROM (SELECT array_agg('w' || (10000000 + least(n, $WORDS - 1)) ORDER BY n) AS words FROM generate_series(1, $WORDS) n) w;
SQL
my $distinct = $WORDS - 1;
my $length = 10 * $WORDS - 1;

# Each with its result.
my @CALLS = (
    'length(normalize_text(body))' => $length,
    'normalize_text(body) = lowered' => 't',
    'strip_tags(body) = body' => 't',
    q{length(strip_tags('<b>' || body || '</b>'))} => $length + 2,
    'length(strip_numbers(body)) > 0' => 't',
    'cardinality(code_words(body))' => $WORDS,
    'cardinality(shingle_set(code_words(body), 3))' => $distinct - 1,
    'log_words(body)' => '{*}',
    q{(log_words(repeat('Mon ', 1000000) || '/' || left(body, 1000)))[1000001]} => '*',
    'length(strip_ids(body))' => 2 * $WORDS - 1,
    q{length(strip_ids(replace(body, ' ', '-')))} => 1,
    'length(number_words(body))' => $length,
    q{length(strip_marks(body || 'é')) > 0} => 't',
    q{length(strip_marks(replace(left(body, 2000000), 'W', 'é'))) > 0} => 't',
    q{length(strip_marks(replace(left(body, 2000000), 'W', 'ـ'))) > 0} => 't',
    q{length(fold_letters(body || 'é')) > 0} => 't',
    q{length(fold_letters(replace(left(body, 2000000), 'W', 'а'))) > 0} => 't',
    q{length(fold_letters(replace(left(body, 2000000), 'W', 'かう'), 'nl')) > 0} => 't',
    q{length(replace_words(body, '{"w10000001": null, "w10000002 w10000003": "x"}'))} => $length - 28,
    'word_set(body) = words' => 't',
    'cardinality(word_tokens(body))' => $WORDS,
    'cardinality(shingle_set(body, 3))' => $distinct - 1,
    'cardinality(shingle_tokens(body, 1))' => $WORDS,
    'cardinality(qgram_tokens(body, 3)) > 1000' => 't',
    'cardinality(qgram_set(body, 12)) > 1000' => 't',
    'cardinality(word_qgram_tokens(body, 3))' => 10 * $WORDS,
    'cardinality(word_qgram_set(body, 100)) > 1000' => 't',
    'fingerprint(body) = fingerprint(body::bytea)' => 't',
    'fingerprint128(body) <> fingerprint128(other)' => 't',
    'simhash_distance(simhash(word_tokens(body)), simhash(word_tokens(other))) <= 1' => 't',
    'jaccard_estimate(minhash(word_tokens(body)), minhash(word_tokens(other))) > 0.95' => 't',
    'edit_distance(body, other)' => 1,
    'edit_within(body, other, 0)' => 'f',
    'damerau_levenshtein(body, other)' => 1,
    'jaro_similarity(body, other) > 0.9' => 't',
    'jaro_winkler_similarity(body, other) > 0.9' => 't',
    q{(SELECT count(*) FROM shared_tokens(body, other)) > 0} => 't',
    q{(SELECT string_agg(kind, '' ORDER BY id) FROM near_duplicates('pair', 'id', 'body', 0.9))} => 'near',
    'cardinality(passage_tokens(body, 20)) > 1000' => 't',
    q{length(remove_ranges(body, '{[3,5),[9,)}'))} => 6,
    q{(SELECT string_agg(words::text, ' ') FROM common_passages(body, other, 20))} => $WORDS - 1,
    q{(SELECT string_agg(words::text, ' ') FROM passage_join('SELECT * FROM pair', 20))} => $WORDS - 1,
    q{(SELECT string_agg(words::text, ' ') FROM repeated_passages('SELECT * FROM pair ORDER BY id', 20))} => $WORDS - 1,
    q{(SELECT count(*) FROM edit_join('SELECT id, left(body, 500000) FROM pair', 2))} => 1,
);
$node->safe_psql('postgres', 'CREATE TABLE pair AS SELECT 1 AS id, body FROM long UNION ALL SELECT 2, other FROM long');

# Runs a call in a session of its own; returns what it gives or its SQLSTATE, how many kilobytes it took at most beyond
# its two texts, and how long.
sub run
{
    my ($call, $timeout) = @_;
    my $peak = q{SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*(\d+)')::int8 - substring(pg_read_file('/proc/self/status') FROM 'RssShmem:\s*(\d+)')::int8};
    my $start = time;
    my ($status, $out, $err) = $node->psql('postgres',
        "\\set VERBOSITY sqlstate\nSET neardup.join_memory = '128MB'; SET statement_timeout = $timeout;\nSELECT $call FROM long;\nSET statement_timeout = 0; $peak");
    my $seconds = time - $start;
    my @lines = split /\n/, $out;
    my $state = $err =~ /ERROR: +([0-9A-Z]{5})/ ? $1 : $lines[0] // '';

    return ($state, $lines[-1], $seconds);
}

my ($cancelled, $latest, $slowest) = (0, 0, '');
while (my ($call, $expected) = splice @CALLS, 0, 2)
{
    my ($result, $kilobytes, $seconds) = run($call, 0);

    like($result, qr/^(\Q$expected\E|54000)$/, "$call: $result");
    note(sprintf '%s: %s, %.1f s, %d times the text', $call, $result, $seconds, $kilobytes / MEGABYTES / 1000);
    cmp_ok($kilobytes / MEGABYTES / 1000, '<', 60, "$call: bounded memory") unless no_process_size();
    my $timeout = 1 + int(500 * $seconds);
    my $late = least_lateness(
        sub {
            my ($state, undef, $until) = run($call, $timeout);
            return $state eq '57014' ? $until - $timeout / 1000 : undef;
        });
    if (defined $late)
    {
        $cancelled++;
        ($latest, $slowest) = ($late, $call) if $late > $latest;
    }
}
note(sprintf '%d cancelled, the latest after %.2f s: %s', $cancelled, $latest, $slowest);
cmp_ok($cancelled, '>', 10, "calls are cancelled ($cancelled)");
cmp_ok($latest, '<', LATEST, sprintf 'and end soon (%s: %.2f s)', $slowest, $latest);

$node->stop;
done_testing();
