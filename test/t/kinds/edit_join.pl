# edit_join = brute force: every form of the join returns precisely the pairs
# that levenshtein() of contrib's fuzzystrmatch accepts, on random texts of several scripts
# and on real names and titles, in memory and through files; so does the planner's join by
# edit_within. What it refuses, and that it can be cancelled.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;
use RealSample;
use SeededRandom;

my $SEEDS = $ENV{NEARDUP_ALL} ? 36 : 9;
my $ROWS = 110;
my $GREATEST_DISTANCE = 4;

my $node = new_node('edit_join', extra => [ '--encoding=UTF8', '--locale=C' ]);

plan skip_all => 'the extension fuzzystrmatch is not there'
  if $node->safe_psql('postgres',
    "SELECT count(*) FROM pg_available_extensions WHERE name = 'fuzzystrmatch'") eq '0';

$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;
CREATE EXTENSION fuzzystrmatch;
CREATE TABLE input (seed int, side int, key int, t text);
CREATE TABLE expected (seed int, form text, a text, b text, distance int, length int);
CREATE TABLE outcome (seed int, form text, k int, differences int);

-- All pairs of an input up to a distance, as each form of the join should return them.
CREATE PROCEDURE expect(of_seed int, most int) LANGUAGE sql AS $$
  WITH rec AS MATERIALIZED (
    SELECT side, key, t FROM input WHERE seed = of_seed AND key IS NOT NULL AND t IS NOT NULL),
  pairs AS MATERIALIZED (
    SELECT x.side AS x_side, y.side AS y_side, x.key AS x, y.key AS y,
           levenshtein_less_equal(x.t, y.t, most) AS distance,
           greatest(char_length(x.t), char_length(y.t)) AS length
    FROM rec x, rec y)
  INSERT INTO expected
  SELECT of_seed, form, a, b, distance, length
  FROM (SELECT f, x::text, y::text, distance, length FROM pairs, unnest('{self,node}'::text[]) AS f WHERE x < y
        UNION ALL
        SELECT 'keyed', 'k' || x, 'k' || y, distance, length FROM pairs
        WHERE 'k' || x < 'k' || y
        UNION ALL
        SELECT 'R-S', x::text, y::text, distance, length FROM pairs WHERE x_side = 0 AND y_side = 1
        UNION ALL
        SELECT 'S-R', x::text, y::text, distance, length FROM pairs WHERE x_side = 1 AND y_side = 0
        UNION ALL
        SELECT 'keyed R-S', 'k' || x, 'k' || y, distance, length FROM pairs
        WHERE x_side = 0 AND y_side = 1) AS p (form, a, b, distance, length)
  WHERE distance <= most;
$$;

CREATE FUNCTION join_by(form text, of_seed int, k int) RETURNS TABLE (a text, b text, distance int)
LANGUAGE plpgsql AS $$
DECLARE rows_of text := format('SELECT key, t FROM input WHERE seed = %s', of_seed);
        keyed text := format('SELECT ''k'' || key, t FROM input WHERE seed = %s', of_seed);
BEGIN
  CASE form
    WHEN 'self' THEN RETURN QUERY SELECT p.a::text, p.b::text, p.distance FROM edit_join(rows_of, k) p;
    WHEN 'node' THEN RETURN QUERY EXECUTE format(
      'SELECT x.key::text, y.key::text, edit_distance(x.t, y.t) FROM (%1$s) x JOIN (%1$s) y ON x.key < y.key AND edit_within(y.t, x.t, %2$s)',
      rows_of, k);
    WHEN 'keyed' THEN RETURN QUERY SELECT * FROM edit_join_keyed(NULL::text, keyed, k) p;
    WHEN 'R-S' THEN RETURN QUERY SELECT p.a::text, p.b::text, p.distance
      FROM edit_join(rows_of || ' AND side = 0', k, against => rows_of || ' AND side = 1') p;
    WHEN 'S-R' THEN RETURN QUERY SELECT p.a::text, p.b::text, p.distance
      FROM edit_join(rows_of || ' AND side = 1', k, against => rows_of || ' AND side = 0') p;
    WHEN 'keyed R-S' THEN RETURN QUERY SELECT *
      FROM edit_join_keyed(NULL::text, keyed || ' AND side = 0', k, against => keyed || ' AND side = 1') p;
  END CASE;
END $$;

CREATE PROCEDURE compare(of_seed int, most int) LANGUAGE plpgsql AS $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY '{self,keyed,R-S,S-R,keyed R-S,node}'::text[] LOOP
    FOR k IN 0 .. most LOOP
      INSERT INTO outcome
      WITH got AS MATERIALIZED (SELECT * FROM join_by(name, of_seed, k)),
      wanted AS MATERIALIZED (
        SELECT a, b, distance FROM expected WHERE seed = of_seed AND form = name AND distance <= k)
      SELECT of_seed, name, k, count(*) FROM (
        (TABLE got EXCEPT ALL TABLE wanted) UNION ALL (TABLE wanted EXCEPT ALL TABLE got)) AS d;
    END LOOP;
  END LOOP;
END $$;
SQL

# One line for each form: how many joins, and how many differing rows.
sub report
{
    my ($what, $condition) = @_;
    for my $form ('self', 'keyed', 'R-S', 'S-R', 'keyed R-S', 'node')
    {
        my ($joins, $rows) = split /\|/, $node->safe_psql('postgres',
            "SELECT count(*), sum(differences) FROM outcome WHERE form = '$form' AND $condition");
        ok($joins > 0 && $rows eq '0',
            "$what, $form, k = 0 to $GREATEST_DISTANCE: $joins joins, differing rows: $rows");
    }
    return;
}

# ---------------------------------------------------------------------------
# Random texts
# ---------------------------------------------------------------------------

# Letters of one to four bytes in UTF-8.
my @ALPHABETS = (
    [ 'a', 'b' ],
    [ 'a', 'b', 'c' ],
    [ 'a', 'b', 'c', ' ' ],
    [ "\xc3\xa4", "\xc3\xb6", 'o' ],
    [ "\xd0\xb6", "\xd0\xb7" ],
    [ "\xe6\x97\xa5", "\xe6\x9c\xac", "\xe8\xaa\x9e" ],
    [ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x81" ],
    [ 'a', "\xc3\xa9", "\xe6\x97\xa5", "\xf0\x9f\x98\x80" ]);

# Shortest and longest of the texts that are no copies.
my @LENGTHS = ([ 0, 5 ], [ 0, 12 ], [ 0, 40 ], [ 14, 40 ], [ 30, 40 ], [ 1, 8 ]);

sub edit
{
    my ($random, $letters, $alphabet) = @_;
    my $kind = @$letters ? $random->below(3) : 0;
    my $place = $random->below(@$letters + ($kind == 0));
    my @new = $kind == 1 ? () : ($random->pick(@$alphabet));
    splice @$letters, $place, $kind == 0 ? 0 : 1, @new if $kind || @$letters < 40;
    return;
}

# Rows [side, key, text] of a seed: random texts, edited copies, repeated keys, NULLs.
sub random_rows
{
    my ($seed) = @_;
    my $random = SeededRandom->new($seed);
    my $alphabet = $ALPHABETS[ $seed % @ALPHABETS ];
    my ($shortest, $longest) = @{ $LENGTHS[ $seed % @LENGTHS ] };
    my (@rows, @texts);

    for my $number (1 .. $ROWS)
    {
        my @letters;
        if (@texts && $random->chance(70))
        {
            @letters = @{ $random->pick(@texts) };
            edit($random, \@letters, $alphabet) for 1 .. $random->below(6);
        }
        else
        {
            @letters = map { $random->pick(@$alphabet) } 1 .. $random->between($shortest, $longest);
        }
        push @texts, [@letters];
        push @rows,
          [
            $random->below(2),
            $random->chance(2) ? '\N' : $random->between(1, 2 * $ROWS),
            $random->chance(2) ? '\N' : join('', @letters) ];
    }
    return @rows;
}

my $copy = "COPY input FROM STDIN;\n";
for my $seed (1 .. $SEEDS)
{
    $copy .= join("\t", $seed, @$_) . "\n" for random_rows($seed);
}
$node->safe_psql('postgres', "$copy\\.\nANALYZE input;");
$node->safe_psql('postgres',
    'SET enable_nestloop = off;' . join '', map { "CALL expect($_, $GREATEST_DISTANCE); CALL compare($_, $GREATEST_DISTANCE);\n" } 1 .. $SEEDS);

report('random texts', "seed <= $SEEDS");

# Through files: the least memory.
my $FILES = "SET enable_nestloop = off; SET work_mem = '64kB'; SET hash_mem_multiplier = 1; SET neardup.join_memory = '64kB';";
$node->safe_psql('postgres',
    "TRUNCATE outcome; $FILES" . join '', map { "CALL compare($_, $GREATEST_DISTANCE);\n" } 1 .. $SEEDS);
report('random texts through files', "seed <= $SEEDS");
like(
    $node->safe_psql('postgres',
        "$FILES EXPLAIN (ANALYZE) SELECT 1 FROM input x JOIN input y ON x.seed = y.seed AND x.key < y.key AND edit_within(x.t, y.t, 1)"),
    qr/Similarity Join.*Parts: \d\d.*Temp Files: [1-9]/s, 'the planner joins by edit_within, through files');
for my $distance (0 .. $GREATEST_DISTANCE)
{
    my $pairs = $node->safe_psql('postgres',
        "SELECT count(*) FROM expected WHERE form = 'self' AND distance = $distance");
    cmp_ok($pairs, '>=', 28 * $SEEDS, "there were pairs at the distance $distance to find ($pairs)");
}

# Where the longer of two texts has fewer than 2k characters, k edits can leave no common 2-gram,
# and no common 3-gram either.
for my $distance (1 .. $GREATEST_DISTANCE)
{
    my $pairs = $node->safe_psql('postgres',
        "SELECT count(*) FROM expected WHERE form = 'self' AND distance = $distance AND length < 2 * $distance");
    cmp_ok($pairs, '>=', 3 * $SEEDS, "and pairs that no q-gram tells, at k = $distance ($pairs)");
}
cmp_ok(
    $node->safe_psql('postgres',
        "SELECT count(DISTINCT seed) FROM input WHERE octet_length(t) > 2 * char_length(t) AND t <> ''"),
    '>=', $SEEDS / 4, 'and texts of several bytes a character');

# ---------------------------------------------------------------------------
# Real texts
# ---------------------------------------------------------------------------

# Name, number of the records as sorted by content, and what is taken of each.
for my $sample (
    [ 'affil', 1600, 'body' ],
    [ 'dblp_acm', 1500, 'body' ],
    [ 'febrl20k', 1500, q{split_part(body, ' ', 1) || ' ' || split_part(body, ' ', 2)} ])
{
    my ($name, $rows, $expression) = @$sample;
    $rows /= 2 if !$ENV{NEARDUP_ALL};
    my $file = shared_data($name);
  SKIP:
    {
        skip "../shared/data/$name.tsv.xz is not there", 7 if !$file;
        RealSample::load($node, $name, $file);
        $node->safe_psql('postgres', <<"SQL");
TRUNCATE input, expected, outcome;
INSERT INTO input
SELECT 0, n % 2, n, $expression FROM raw_$name WHERE octet_length(body) <= 255 ORDER BY body COLLATE "C" LIMIT $rows;
SET enable_nestloop = off;
CALL expect(0, $GREATEST_DISTANCE);
CALL compare(0, $GREATEST_DISTANCE);
$FILES
CALL compare(0, $GREATEST_DISTANCE);
SQL
        report($name, 'seed = 0');
        my $pairs = $node->safe_psql('postgres', "SELECT count(*) FROM expected WHERE form = 'self'");
        cmp_ok($pairs, '>', $rows / 16, "$name: there were pairs to find ($pairs)");
    }
}

# ---------------------------------------------------------------------------
# Texts longer than fuzzystrmatch takes, and other encodings
# ---------------------------------------------------------------------------

# By construction: copies with one more character each, of which the last is far away.
is( $node->safe_psql('postgres', <<'SQL'), '1|2|1 1|3|2 2|3|1', 'texts of 300,000 characters');
SELECT string_agg(a || '|' || b || '|' || distance, ' ' ORDER BY a, b)
FROM edit_join($$SELECT k, repeat('lorem ipsum ', 25000 * (1 + k / 4)) || repeat('x', k) FROM generate_series(1, 4) k$$, 2)
SQL

foreach my $encoding (qw(LATIN1 EUC_JP SQL_ASCII))
{
    my $database = lc $encoding;
    $node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0 ENCODING '$encoding' LOCALE 'C'");
    $node->safe_psql($database, 'CREATE EXTENSION neardup');
}

sub pairs_in
{
    my ($database, $texts, $k) = @_;
    return $node->safe_psql($database,
        "SET client_encoding = 'UTF8'; SELECT * FROM edit_join(\$\$$texts\$\$, $k) ORDER BY 1, 2");
}

is(pairs_in('latin1', "VALUES (1, '\xc3\xa9t\xc3\xa9'), (2, 'ete'), (3, '\xc3\xa9te')", 1),
    "1|3|1\n2|3|1", 'LATIN1: characters are compared');
is(pairs_in('euc_jp', "VALUES (1, '\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e'), (2, '\xe6\x97\xa5\xe8\xaa\x9e')", 1),
    '1|2|1', 'EUC_JP: characters are compared');
is(pairs_in('sql_ascii', "VALUES (1, '\xc3\xa9'), (2, '\xc3\xa8'), (3, '')", 1),
    "1|2|1\n1|3|1\n2|3|1", 'SQL_ASCII: bytes that are UTF-8 are read as UTF-8');
is(sqlstate_of($node, 'sql_ascii', q{SELECT * FROM edit_join($$SELECT 1, E'\xff'$$, 1)}),
    '22021', 'SQL_ASCII: and others are refused');

# ---------------------------------------------------------------------------
# Errors
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE docs AS SELECT id, 'document ' || id / 2 AS body FROM generate_series(1, 1000) id;
SQL
my $DOCS = "'SELECT id, body FROM docs'";

sub fails
{
    my ($rule, $call, $sqlstate) = @_;
    is(sqlstate_of($node, 'postgres', "SELECT * FROM $call"), $sqlstate, $rule);
    return;
}

# The same of all forms of the join.
sub every_form_fails
{
    my ($rule, $query, $sqlstate) = @_;
    fails("$rule, self-join", "edit_join($query, 1)", $sqlstate);
    fails("$rule, as R", "edit_join($query, 1, against => $DOCS)", $sqlstate);
    fails("$rule, as S", "edit_join($DOCS, 1, against => $query)", $sqlstate);
    fails("$rule, keyed", "edit_join_keyed(NULL::int4, $query, 1)", $sqlstate);
    fails("$rule, keyed as S", "edit_join_keyed(NULL::int4, $DOCS, 1, against => $query)", $sqlstate);
    return;
}

# As S it is none: a self-join.
fails('NULL query, self-join', 'edit_join(NULL::text, 1)', '22004');
fails('NULL query, as R', "edit_join(NULL::text, 1, against => $DOCS)", '22004');
fails('NULL query, keyed', 'edit_join_keyed(NULL::int4, NULL::text, 1)', '22004');
every_form_fails('one column', "'SELECT id FROM docs'", '42804');
every_form_fails('three columns', "'SELECT id, body, 1 FROM docs'", '42804');
every_form_fails("texts of type $_", "'SELECT id, NULL::$_ FROM docs'", '42804')
  for qw(int4 text[] bytea json tokenset);
every_form_fails('two statements', "'SELECT 1, ''a''; SELECT 2, ''b'''", '42601');
every_form_fails('a statement that writes', "'DELETE FROM docs RETURNING id, body'", '0A000');
every_form_fails('the query fails at its 500th row', "'SELECT id, (1 / (id - 500))::text FROM docs'", '22012');
foreach my $distance ('-1', '-2147483648')
{
    fails("max_distance $distance", "edit_join($DOCS, $distance)", '22023');
    fails("max_distance $distance, R-S", "edit_join($DOCS, $distance, against => $DOCS)", '22023');
    fails("max_distance $distance, keyed", "edit_join_keyed(NULL::int4, $DOCS, $distance)", '22023');
}
fails('a wrong distance is found before the query is run', "edit_join('SELECT 1 / 0, ''a''', -1)", '22023');
fails('NULL max_distance', "edit_join($DOCS, NULL)", '22004');
fails('NULL max_distance, R-S', "edit_join($DOCS, NULL::int4, against => $DOCS)", '22004');
fails('NULL max_distance, keyed', "edit_join_keyed(NULL::int4, $DOCS, NULL::int4)", '22004');
fails('keys of type text in edit_join', "edit_join('SELECT id::text, body FROM docs', 1)", '42804');
fails('a key type without an order', "edit_join_keyed(NULL::json, 'SELECT to_json(id), body FROM docs', 1)", '42883');
is($node->safe_psql('postgres', "SELECT count(*) FROM edit_join($DOCS, 0)"),
    '499', 'the join works after the errors');

# ---------------------------------------------------------------------------
# Cancel
# ---------------------------------------------------------------------------

times_out($node, 'while reading', "edit_join('SELECT id, body FROM docs, pg_sleep(10)', 1)", 300);
times_out($node, 'while short texts are joined by length',
    "edit_join('SELECT id, substr(md5(id::text), 1, 6) FROM generate_series(1, 200000) id', 3)", 1500);
times_out($node, 'while q-grams are looked up',
    "edit_join('SELECT id, substr(translate(md5(id::text), ''456789abcdef'', ''012301230123''), 1, 30) FROM generate_series(1, 100000) id', 4)", 1500);
# One pair: 2,000,000 characters, of which each second one differs.
times_out($node, 'while one pair of long texts is verified',
    q{edit_join($$SELECT k, repeat(chr(64 + k) || 'b', 1000000) FROM generate_series(1, 2) k$$, 1100000)}, 3000);
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), '0', 'no temporary file is left');

$node->stop;
done_testing();
