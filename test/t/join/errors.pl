# What the joins refuse, with SQLSTATE and message; that a session works on
# after an error or a cancel, and that nothing is left behind.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use NeardupTest;

my $node = NeardupTest::new_node('errors');
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;
CREATE TABLE docs AS
SELECT id, ARRAY[id / 2, id / 2 + 1, id / 2 + 2] AS tokens FROM generate_series(1, 1000) id;
CREATE TABLE counter (n int);
INSERT INTO counter VALUES (1);
CREATE SEQUENCE drawn;
SQL

my $DOCS = "'SELECT id, tokens FROM docs'";
my $DOCS_JSON = "'SELECT to_json(id), tokens FROM docs'";

# The statement fails with this SQLSTATE and the session goes on working.
sub fails
{
    my ($rule, $sql, $sqlstate, $pattern) = @_;
    my ($code, $stdout, $stderr) = $node->psql('postgres',
        "\\set VERBOSITY verbose\n$sql;\nSELECT 'alive';",
        on_error_stop => 0);
    my ($state, $message) = $stderr =~ /ERROR:\s+(\w{5}): (.*)/;
    my $right = $stdout =~ /alive$/
      && ($state // '') =~ /^(?:$sqlstate)$/
      && (!$pattern || $stderr =~ $pattern);
    ok($right, "$rule: " . ($state // 'no error') . ' ' . ($message // ''))
      or diag("wanted $sqlstate"
          . ($pattern ? " and $pattern" : '')
          . "\n$sql\n$stdout\n$stderr");
    return;
}

sub yields
{
    my ($rule, $sql, $expected) = @_;
    my ($code, $stdout, $stderr) = $node->psql('postgres', $sql);
    is($code == 0 ? $stdout : $stderr, $expected, $rule);
    return;
}

# The same of all forms of the join: one query each, or two.
sub every_form_fails
{
    my ($rule, $query, $sqlstate, $pattern) = @_;
    fails("$rule, self-join", "SELECT * FROM ppjoin($query, 0.5)",
        $sqlstate, $pattern);
    fails("$rule, as R", "SELECT * FROM ppjoin($query, 0.5, against => $DOCS)",
        $sqlstate, $pattern);
    fails("$rule, as S", "SELECT * FROM ppjoin($DOCS, 0.5, against => $query)",
        $sqlstate, $pattern);
    fails("$rule, keyed", "SELECT * FROM ppjoin_keyed(NULL::int4, $query, 0.5)",
        $sqlstate, $pattern);
    fails("$rule, stats", "SELECT * FROM ppjoin_stats($query, 0.5)",
        $sqlstate, $pattern);
    return;
}

# ---------------------------------------------------------------------------
# Arguments
# ---------------------------------------------------------------------------

fails("NULL query, $_", "SELECT * FROM $_", '22004', qr/query of ppjoin\w* must not be null/)
  for 'ppjoin(NULL, 0.5)', "ppjoin(NULL, 0.5, against => $DOCS)", 'ppjoin_keyed(NULL::int4, NULL, 0.5)', 'ppjoin_stats(NULL, 0.5)';
yields('against NULL, a self-join', "SELECT count(*) FROM ppjoin($DOCS, 0.9, against => NULL)", '499');
for my $function ('ppjoin', 'ppjoin_stats')
{
    fails("$function: NULL threshold",
        "SELECT * FROM $function($DOCS, NULL)", '22004', qr/null/i);
    fails("$function: NULL measure",
        "SELECT * FROM $function($DOCS, 0.5, NULL)", '22004', qr/null/i);
    fails("$function: NULL algorithm",
        "SELECT * FROM $function($DOCS, 0.5, 'jaccard', NULL)",
        '22004', qr/null/i);
    fails("$function: unknown measure",
        "SELECT * FROM $function($DOCS, 0.5, 'euclid')", '22023', qr/euclid/);
    fails("$function: unknown algorithm",
        "SELECT * FROM $function($DOCS, 0.5, 'jaccard', 'quantum')",
        '22023', qr/quantum/);
}
fails('R-S: NULL threshold',
    "SELECT * FROM ppjoin($DOCS, NULL::float8, against => $DOCS)", '22004', qr/null/i);
fails('keyed: NULL threshold',
    "SELECT * FROM ppjoin_keyed(NULL::int4, $DOCS, NULL::float8)",
    '22004', qr/null/i);
fails('keyed: NULL measure',
    "SELECT * FROM ppjoin_keyed(NULL::int4, $DOCS, 0.5, NULL)",
    '22004', qr/null/i);

my %range_of = (
    jaccard => qr/greater than 0 and at most 1/,
    cosine => qr/greater than 0 and at most 1/,
    dice => qr/greater than 0 and at most 1/,
    containment => qr/greater than 0 and at most 1/,
    overlap => qr/whole number from 1/,
    hamming => qr/whole number from 0/);
for my $measure (sort keys %range_of)
{
    my @wrong =
        $measure eq 'overlap' ? ('0', '-1', '1.5', "'NaN'::float8", "'Infinity'::float8", "'-Infinity'::float8")
      : $measure eq 'hamming' ? ('-1', '2.5', "'NaN'::float8", "'Infinity'::float8", "'-Infinity'::float8")
      : ('0', '-1', '1.0000001', "'NaN'::float8", "'Infinity'::float8", "'-Infinity'::float8");
    for my $threshold (@wrong)
    {
        fails("$measure: threshold $threshold names the range",
            "SELECT * FROM ppjoin($DOCS, $threshold, '$measure')",
            '22023', $range_of{$measure});
    }
}
fails('a wrong threshold is found before the query is run',
    "SELECT * FROM ppjoin('SELECT 1/0, NULL::int4[]', 2)", '22023');

yields("$_ is a threshold for jaccard",
    "SELECT count(*) >= 0 FROM ppjoin($DOCS, $_)", 't')
  for '1', '1e-9', "'4.9406564584124654e-324'";
yields('0 is a threshold for hamming',
    "SELECT count(*) FROM ppjoin($DOCS, 0, 'hamming')", '499');

# ---------------------------------------------------------------------------
# Queries
# ---------------------------------------------------------------------------

every_form_fails('syntax error', "'SELEC 1'", '42601');
every_form_fails('unknown table', "'SELECT id, tokens FROM nowhere'",
    '42P01', qr/nowhere/);
every_form_fails('two statements',
    "'SELECT id, tokens FROM docs; SELECT id, tokens FROM docs'",
    '42601', qr/one/);
every_form_fails('empty query', "''", '42601');
every_form_fails('only a comment', "'-- nothing'", '42601');

# Whatever writes or locks is refused; SELECT INTO, a function that is not a
# query at all, and cursors too.
for my $writing (
    [ 'INSERT', 'INSERT INTO counter VALUES (2) RETURNING n, ARRAY[n]' ],
    [ 'UPDATE', 'UPDATE counter SET n = 2 RETURNING n, ARRAY[n]' ],
    [ 'DELETE', 'DELETE FROM counter RETURNING n, ARRAY[n]' ],
    [
        'data-modifying WITH',
        'WITH w AS (DELETE FROM counter RETURNING n) SELECT n, ARRAY[n] FROM w'
    ],
    [ 'INSERT without RETURNING', 'INSERT INTO counter VALUES (3)' ],
    [ 'SELECT FOR UPDATE', 'SELECT id, tokens FROM docs FOR UPDATE' ],
    [ 'SELECT FOR KEY SHARE', 'SELECT id, tokens FROM docs FOR KEY SHARE' ],
    [
        'FOR UPDATE in a subquery',
        'SELECT * FROM (SELECT id, tokens FROM docs FOR UPDATE) d'
    ],
    [ 'SELECT INTO', 'SELECT id, tokens INTO copied FROM docs' ],
    [ 'CREATE TABLE', 'CREATE TABLE written (id int)' ],
    [ 'SHOW', 'SHOW work_mem' ],
    [ 'EXPLAIN', 'EXPLAIN SELECT id, tokens FROM docs' ],
    [ 'TRUNCATE', 'TRUNCATE counter' ],
    [ 'VACUUM', 'VACUUM counter' ],
    [ 'COMMIT', 'COMMIT' ],
    [ 'COPY', 'COPY docs TO STDOUT' ])
{
    my ($what, $query) = @$writing;
    fails("$what is refused", "SELECT * FROM ppjoin('$query', 0.5)",
        '0A000');
    fails("$what is refused as S",
        "SELECT * FROM ppjoin($DOCS, 0.5, against => '$query')",
        '0A000');
}
fails('a data-modifying WITH is named',
    "SELECT * FROM ppjoin('WITH w AS (DELETE FROM counter RETURNING n) SELECT n, ARRAY[n] FROM w', 0.5)",
    '0A000', qr/must only read.*data-modifying statement in WITH/s);
fails('a row lock is named, also in a subquery',
    "SELECT * FROM ppjoin('SELECT id, (SELECT tokens FROM docs LIMIT 1 FOR SHARE) FROM docs', 0.5)",
    '0A000', qr/must only read.*locks rows by FOR SHARE/s);
yields('no refused statement has written anything',
    "SELECT count(*), min(n), to_regclass('copied'), to_regclass('written') FROM counter",
    '1|1||');

every_form_fails('no column', "'SELECT FROM docs'", '42804', qr/column/);
every_form_fails('one column', "'SELECT id FROM docs'", '42804', qr/column/);
every_form_fails('three columns', "'SELECT id, tokens, 1 FROM docs'",
    '42804', qr/column/);
for my $type ('float8[]', 'text', 'int4', 'jsonb', 'int2[]', 'numeric[]', 'bytea')
{
    every_form_fails("sets of type $type",
        "'SELECT id, NULL::$type FROM docs'", '42804');
}
fails("keys of type $_ in ppjoin",
    "SELECT * FROM ppjoin('SELECT id::$_, tokens FROM docs', 0.5)", '42804')
  for qw(text numeric float8);
fails('the key type differs from that of ppjoin_keyed',
    "SELECT * FROM ppjoin_keyed(NULL::text, $DOCS, 0.5)", '42804');
fails('the key types of R and S differ in ppjoin_keyed',
    "SELECT * FROM ppjoin_keyed(NULL::int4, $DOCS, 0.5, against => 'SELECT id::int8, tokens FROM docs')",
    '42804');
fails('a key type without an order',
    "SELECT * FROM ppjoin_keyed(NULL::json, 'SELECT to_json(id), tokens FROM docs', 0.5)",
    '42883', qr/json/);
fails('a key type without an order is found before the query is run',
    "SELECT * FROM ppjoin_keyed(NULL::json, 'SELECT to_json(1 / (id - 500)), tokens FROM docs', 0.5)",
    '42883', qr/json/);
yields('a join of two queries needs no order of keys',
    "SELECT count(*) FROM ppjoin_keyed(NULL::json, 'SELECT to_json(id), tokens FROM docs', 1, against => $DOCS_JSON)",
    '1998');

every_form_fails('a NULL element of an int4[]',
    "'SELECT 1, ARRAY[1, NULL]'", '22004', qr/null/i);
for my $type ('int8[]', 'text[]')
{
    fails("a NULL element of an $type",
        "SELECT * FROM ppjoin('SELECT 1, ARRAY[NULL, NULL]::$type', 0.5)",
        '22004', qr/null/i);
}

# An error in the middle of the query, and in a function that it calls.
every_form_fails('the query fails at its 500th row',
    "'SELECT id, CASE WHEN id = 500 THEN ARRAY[1 / (id - 500)] ELSE tokens END FROM docs'",
    '22012');
yields('the same join works after the errors',
    "SELECT count(*) FROM ppjoin($DOCS, 0.9)", '499');

yields("no row, $_", "SELECT count(*) FROM $_", '0')
  for "ppjoin('SELECT id, tokens FROM docs WHERE false', 0.5)",
  "ppjoin('SELECT id, tokens FROM docs WHERE false', 0.5, against => 'SELECT id, tokens FROM docs')",
  "ppjoin($DOCS, 0.5, against => 'SELECT id, tokens FROM docs WHERE false')",
  "ppjoin_keyed(NULL::int4, 'SELECT id, tokens FROM docs WHERE false', 0.5)",
  "ppjoin('SELECT id, tokens FROM docs WHERE false', 3, 'hamming')",
  "ppjoin('SELECT id, tokens FROM docs WHERE false', 0.5, 'containment')";
yields('no row has statistics too',
    "SELECT records, tokens, candidates, pairs FROM ppjoin_stats('SELECT id, tokens FROM docs WHERE false', 0.5)",
    '0|0|0|0');
yields('VALUES, WITH, TABLE and a trailing semicolon are queries',
    "SELECT (SELECT count(*) FROM ppjoin('VALUES (1, ARRAY[1]), (2, ARRAY[1])', 1)),
            (SELECT count(*) FROM ppjoin('WITH d AS (SELECT * FROM docs) SELECT id, tokens FROM d', 1)),
            (SELECT count(*) FROM ppjoin('TABLE docs', 1)),
            (SELECT count(*) FROM ppjoin('SELECT id, tokens FROM docs;', 1))",
    '1|499|499|499');
yields('the query is run once',
    "SELECT count(*) FROM ppjoin('SELECT nextval(''drawn''), ARRAY[1] FROM docs WHERE id <= 7', 1); SELECT last_value FROM drawn",
    "21\n7");

# ---------------------------------------------------------------------------
# Keys
# ---------------------------------------------------------------------------

yields('NULL keys and NULL sets match nothing',
    "SELECT count(*) FROM ppjoin('VALUES (NULL, ARRAY[1]), (1, NULL), (2, ARRAY[1]), (NULL, ARRAY[1])', 0.5)",
    '0');
yields('NULL keys and NULL sets of an R-S join match nothing',
    "SELECT * FROM ppjoin('VALUES (NULL, ARRAY[1]), (1, ARRAY[1])', 0.5, against => 'VALUES (2, ARRAY[1]), (3, NULL), (NULL, ARRAY[1])')",
    '1|2|1');
yields('repeated keys give repeated rows, and are not compared with each other',
    "SELECT * FROM ppjoin('VALUES (5, ARRAY[1]), (5, ARRAY[1]), (9, ARRAY[1]), (9, ARRAY[1])', 0.5)",
    join("\n", ('5|9|1') x 4));
yields('a is the smaller key, whatever the order of rows and sizes',
    "SELECT * FROM ppjoin('VALUES (7, ARRAY[1,2,3]), (-3, ARRAY[1,2,3,4]), (-9, ARRAY[1,2])', 0.7) ORDER BY 1, 2",
    '-3|7|0.75');
yields('containment has both directions, and no row of equal key',
    "SELECT * FROM ppjoin('VALUES (7, ARRAY[1,2]), (-3, ARRAY[1,2,3]), (7, ARRAY[2])', 0.9, 'containment') ORDER BY 1, 2",
    "7|-3|1\n7|-3|1");
yields('rows of an R-S join match whatever their keys',
    "SELECT * FROM ppjoin('VALUES (3, ARRAY[1])', 1, against => 'VALUES (3, ARRAY[1]), (1, ARRAY[1])') ORDER BY 1, 2",
    "3|1|1\n3|3|1");
for my $type (qw(int2 int4 int8))
{
    yields("keys of type $type",
        "SELECT * FROM ppjoin('SELECT id::$type, ARRAY[1] FROM unnest(ARRAY[-32768, 32767, 0]) id', 1) ORDER BY 1, 2",
        "-32768|0|1\n-32768|32767|1\n0|32767|1");
}
yields('keys at both ends of int8',
    "SELECT * FROM ppjoin('VALUES (9223372036854775807, ARRAY[1]), ((-9223372036854775807) - 1, ARRAY[1])', 1)",
    '-9223372036854775808|9223372036854775807|1');
yields('R and S may have different integer keys and kinds of sets of integers',
    "SELECT * FROM ppjoin('SELECT 1::int2, ARRAY[5]::int4[]', 1, against => 'SELECT 2::int8, ARRAY[5]::int8[]')",
    '1|2|1');
yields('empty sets match nothing',
    "SELECT count(*) FROM ppjoin('VALUES (1, ARRAY[]::int4[]), (2, ARRAY[]::int4[]), (3, ARRAY[1])', $_->[0], '$_->[1]')",
    '0')
  for [ 0.5, 'jaccard' ], [ 0.5, 'cosine' ], [ 0.5, 'dice' ],
  [ 1, 'overlap' ], [ 5, 'hamming' ], [ 0.5, 'containment' ];

# ---------------------------------------------------------------------------
# Cancel
# ---------------------------------------------------------------------------

# 60,000 records of 30 tokens out of 400, hardly two of them similar: a probe
# of many seconds for the paper's algorithms.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE big AS
SELECT id, array_agg(abs(hashint8extended(id, i)) % 400)::int4[] AS tokens
FROM generate_series(1, 60000) id, generate_series(1, 30) i GROUP BY id;
VACUUM ANALYZE big;
SQL
my $BIG = "'SELECT id, tokens FROM big'";

times_out($node, 'while reading', "ppjoin('SELECT id, tokens FROM docs, pg_sleep(10)', 0.5)", 300);
times_out($node, 'while reading S',
    "ppjoin($DOCS, 0.5, against => 'SELECT id, tokens FROM docs, pg_sleep(10)')", 300);
times_out($node, "while probing by $_", "ppjoin($BIG, 0.3, 'jaccard', '$_')", 1500)
  for 'allpairs', 'ppjoin', 'ppjoin+';
times_out($node, 'while probing for containment',
    "ppjoin($BIG, 0.3, 'containment', 'allpairs')", 1500);
times_out($node, 'while joining R and S',
    "ppjoin('SELECT id, tokens FROM big WHERE id % 2 = 0', 0.3, 'jaccard', 'allpairs', against => 'SELECT id, tokens FROM big WHERE id % 2 = 1')",
    1500);
times_out($node, 'while many pairs are emitted',
    "ppjoin('SELECT id, ARRAY[id % 2] FROM generate_series(1, 100000) id', 1)",
    1500);

# pg_cancel_backend, at several moments of the fastest algorithm.
for my $delay (50, 150, 300, 600)
{
    my $session = $node->background_psql('postgres', on_error_stop => 0);
    my $pid = $session->query_safe('SELECT pg_backend_pid()');
    $session->query_until(qr/sent/,
        "\\set VERBOSITY verbose\n\\echo sent\nSELECT count(*) FROM ppjoin($BIG, 1, 'overlap');\n");
    usleep($delay * 1000);
    my $start = time;
    $node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
    $node->poll_query_until('postgres',
        "SELECT state <> 'active' FROM pg_stat_activity WHERE pid = $pid");
    # Starting psql and asking for the state take part of it.
    cmp_ok(time - $start, '<', 5,
        "pg_cancel_backend after $delay ms ends the join promptly");
    like($session->query('SELECT 40 + 2'), qr/42/,
        "the canceled backend works on ($delay ms)");
    like($session->{stderr}, qr/57014/, "it reports a canceled query ($delay ms)");
    $session->quit;
    is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'),
        '0', "no temporary file is left ($delay ms)");
}

# A result that is not read to its end.
yields('LIMIT over a join of many pairs',
    "SELECT count(*) FROM (SELECT * FROM ppjoin('SELECT id, ARRAY[1] FROM generate_series(1, 1000) id', 1) LIMIT 10) p",
    '10');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'),
    '0', 'LIMIT leaves no temporary file');

# ---------------------------------------------------------------------------
# Memory
# ---------------------------------------------------------------------------

# 200 failing calls of several kinds, each rolled back to a savepoint.
my $loop = <<'SQL';
CREATE PROCEDURE pg_temp.fail_often(times int) LANGUAGE plpgsql AS $$
DECLARE failing text;
BEGIN
  FOR i IN 1 .. times LOOP
    FOREACH failing IN ARRAY ARRAY[
      'SELECT id, CASE WHEN id = 900 THEN ARRAY[1 / (id - 900)] ELSE tokens END FROM docs',
      'SELECT id, CASE WHEN id = 900 THEN ARRAY[NULL::int4] ELSE tokens END FROM docs',
      'SELECT id FROM docs', 'SELEC 1', 'DELETE FROM docs RETURNING id, tokens'] LOOP
      BEGIN
        PERFORM count(*) FROM ppjoin(failing, 0.5);
        RAISE EXCEPTION 'no error: %', failing USING ERRCODE = 'assert_failure';
      EXCEPTION WHEN division_by_zero OR null_value_not_allowed OR datatype_mismatch
                  OR syntax_error OR feature_not_supported OR invalid_parameter_value THEN NULL;
      END;
    END LOOP;
  END LOOP;
END $$;
CALL pg_temp.fail_often(10);
SELECT sum(total_bytes) FROM pg_backend_memory_contexts;
CALL pg_temp.fail_often(40);
SELECT sum(total_bytes) FROM pg_backend_memory_contexts;
SELECT count(*) FROM pg_cursors WHERE NOT is_holdable AND statement LIKE '%docs%' AND statement NOT LIKE '%pg_cursors%';
SQL
my ($code, $stdout, $stderr) = $node->psql('postgres', $loop);
my ($before, $after, $cursors) = split /\n/, $stdout;
is($code, 0, '250 failing calls are caught') or diag($stderr);
cmp_ok(($after // 1e12) - ($before // 0), '<', 65536,
    '200 failing calls leave no memory behind');
is($cursors, '0', 'and no open cursor');

$node->stop;
done_testing();
