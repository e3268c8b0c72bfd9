# simhash_join = brute force, and index searches = sequential scans: random values,
# near ones, equal ones, NULLs; every form of the join, every type of key, little
# memory; an index that rows were inserted into, updated and vacuumed in. Dump and
# restore, binary COPY, malformed input, cancellation, memory and temporary files.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use NeardupTest;

# Those that daily tests have are within 0, 3, 6 and 30.
my @SEEDS = $ENV{NEARDUP_ALL} ? 1 .. 12 : (1, 4, 7, 12);
my $ROWS = 600;
my $directory = PostgreSQL::Test::Utils::tempdir();
my $node = new_node('simhash', conf => "log_temp_files = 0\n");

sub value_of
{
    my ($sql) = @_;
    return $node->safe_psql('postgres', $sql);
}

$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;

-- Row i of a seed: random, near an earlier row, equal to one of five, or NULL.
CREATE FUNCTION value_of(seed int, i int) RETURNS simhash LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE hashint8extended(i, seed) & 15
    WHEN 0 THEN NULL
    WHEN 1 THEN hashint8extended(i % 5, seed + 1000)
    WHEN 2 THEN hashint8extended(i % 5, seed + 1000)
    WHEN 3 THEN hashint8extended(i, seed) & 65535
    WHEN 4 THEN hashint8extended(i, seed)
    ELSE hashint8extended(i / 9, seed + 2000)
         # (1::bigint << (hashint8extended(i, 1) & 63)::int) # (1::bigint << (hashint8extended(i, 2) & 63)::int)
         # ((hashint8extended(i, 3) & 1) << (hashint8extended(i, 4) & 63)::int)
         # ((hashint8extended(i, 5) & 7) << (hashint8extended(i, 6) & 31)::int)
  END::simhash
$$;
CREATE TABLE input (seed int, i int, side int, key int, fp simhash);

CREATE FUNCTION expected(form text, of_seed int, k int) RETURNS TABLE (a text, b text, distance int)
LANGUAGE sql AS $$
  SELECT x.key::text, y.key::text, simhash_distance(x.fp, y.fp)
  FROM input x, input y
  WHERE x.seed = of_seed AND y.seed = of_seed AND x.key IS NOT NULL AND y.key IS NOT NULL AND simhash_distance(x.fp, y.fp) <= k
    AND CASE form WHEN 'self' THEN x.key < y.key WHEN 'text' THEN x.key::text < y.key::text
                  WHEN 'uuid' THEN md5(x.key::text)::uuid < md5(y.key::text)::uuid
                  WHEN 'S-R' THEN x.side = 1 AND y.side = 0 ELSE x.side = 0 AND y.side = 1 END
$$;

CREATE FUNCTION joined(form text, of_seed int, k int) RETURNS TABLE (a text, b text, distance int)
LANGUAGE plpgsql AS $$
DECLARE rows_of text := format('SELECT key, fp FROM input WHERE seed = %s', of_seed);
        texts text := format('SELECT key::text, fp FROM input WHERE seed = %s', of_seed);
        uuids text := format('SELECT md5(key::text)::uuid, fp FROM input WHERE seed = %s', of_seed);
BEGIN
  CASE form
    WHEN 'self' THEN RETURN QUERY SELECT p.a::text, p.b::text, p.distance FROM simhash_join(rows_of, k) p;
    WHEN 'text' THEN RETURN QUERY SELECT * FROM simhash_join_keyed(NULL::text, texts, k) p;
    WHEN 'uuid' THEN RETURN QUERY
      SELECT x.key, y.key, p.distance FROM simhash_join_keyed(NULL::uuid, uuids, k) p
      JOIN (SELECT DISTINCT key::text, md5(key::text)::uuid AS id FROM input WHERE seed = of_seed) x ON x.id = p.a
      JOIN (SELECT DISTINCT key::text, md5(key::text)::uuid AS id FROM input WHERE seed = of_seed) y ON y.id = p.b;
    WHEN 'R-S' THEN RETURN QUERY SELECT p.a::text, p.b::text, p.distance
      FROM simhash_join(rows_of || ' AND side = 0', k, against => rows_of || ' AND side = 1') p;
    WHEN 'S-R' THEN RETURN QUERY SELECT p.a::text, p.b::text, p.distance
      FROM simhash_join(rows_of || ' AND side = 1', k, against => rows_of || ' AND side = 0') p;
    WHEN 'text R-S' THEN RETURN QUERY SELECT *
      FROM simhash_join_keyed(NULL::text, texts || ' AND side = 0', k, against => texts || ' AND side = 1') p;
  END CASE;
END $$;

CREATE FUNCTION differences(form text, seed int, k int) RETURNS bigint LANGUAGE sql AS $$
  WITH got AS MATERIALIZED (SELECT * FROM joined(form, seed, k)),
       wanted AS MATERIALIZED (SELECT * FROM expected(form, seed, k))
  SELECT count(*) FROM ((TABLE got EXCEPT ALL TABLE wanted) UNION ALL (TABLE wanted EXCEPT ALL TABLE got)) AS d
$$;
SQL

# ---------------------------------------------------------------------------
# The join
# ---------------------------------------------------------------------------

for my $seed (@SEEDS)
{
    # Keys repeat, and some are NULL.
    $node->safe_psql('postgres', qq{
        INSERT INTO input
        SELECT $seed, i, i % 3 % 2, nullif(i - i % 40 / 39, 17), value_of($seed, i) FROM generate_series(1, $ROWS) i});
    my $k = $seed - 1 > 10 ? 30 : $seed - 1;
    for my $memory ('4MB', '64kB')
    {
        my $failed = value_of(qq{
            SET neardup.join_memory = '$memory';
            SELECT form || ': ' || differences(form, $seed, $k)
            FROM unnest('{self,text,uuid,R-S,S-R,text R-S}'::text[]) form WHERE differences(form, $seed, $k) > 0});
        is($failed, '', "seed $seed: within $k, all forms of the join are exact with $memory");
    }
}
cmp_ok(value_of("SELECT count(*) FROM expected('self', 4, 3)"), '>', 500, 'there are pairs to find');

# Rows that do not fit into memory. 64 kB hold some 400 rows.
{
    my $offset = -s $node->logfile;
    is(value_of(q{
            SET neardup.join_memory = '64kB';
            INSERT INTO input SELECT 100, i, i % 2, i, value_of(100, i) FROM generate_series(1, 2000) i;
            SELECT string_agg(form || ' ' || differences(form, 100, 4), ', ') FROM unnest('{self,text,R-S}'::text[]) form}),
        'self 0, text 0, R-S 0', 'many blocks give what brute force gives');
    like(slurp_file($node->logfile, $offset), qr/temporary file: path/, 'and went through temporary files');
    unlike(slurp_file($node->logfile, $offset), qr/leak/, 'which are closed');
}

# Equal values: their pairs, each once, and no more.
is(value_of(q{
        SELECT count(*), count(DISTINCT (a, b)), sum(distance)
        FROM simhash_join('SELECT i, ''00000000000000ff''::simhash FROM generate_series(1, 1000) i
                           UNION ALL SELECT 1001, ''00000000000000fe''::simhash', 3)}),
    '500500|500500|1000', 'equal values and one near them are joined as a group');

# Cancellation, and nothing left afterwards.
{
    $node->safe_psql('postgres', q{
        CREATE TABLE many AS SELECT i AS id, (hashint8extended(i, 0) & 4398046511103)::simhash AS fp FROM generate_series(1, 150000) i});
    my $started = time;
    is(sqlstate_of($node, 'postgres', q{
            SET statement_timeout = '1500ms';
            SELECT count(*) FROM simhash_join('SELECT id, fp FROM many', 25)}), '57014', 'a join is cancelled');
    cmp_ok(time - $started, '<', 6, 'soon');
    is(value_of("SELECT count(*) FROM pg_ls_tmpdir()"), '0', 'no temporary file is left');
    is(sqlstate_of($node, 'postgres', q{
            SET neardup.join_memory = '128kB'; SET temp_file_limit = '1MB';
            SELECT count(*) FROM simhash_join('SELECT id, fp FROM many', 3)}), '53400', 'temp_file_limit holds');
}

# ---------------------------------------------------------------------------
# Index searches
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE indexed (id int PRIMARY KEY, fp simhash);
CREATE INDEX indexed_fp ON indexed USING spgist (fp);
CREATE TABLE balls (id int, ball simhash_ball);
CREATE INDEX balls_ball ON balls USING spgist (ball);

-- What an index search and a sequential scan find for each of so many values.
CREATE FUNCTION searched(clause text, by_index bool) RETURNS TABLE (q simhash, found text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('enable_seqscan', CASE WHEN by_index THEN 'off' ELSE 'on' END, true),
          set_config('enable_indexscan', CASE WHEN by_index THEN 'on' ELSE 'off' END, true),
          set_config('enable_indexonlyscan', CASE WHEN by_index THEN 'on' ELSE 'off' END, true),
          set_config('enable_bitmapscan', 'off', true);
  RETURN QUERY EXECUTE format('SELECT q, (%s) FROM (SELECT value_of(s, i) AS q FROM generate_series(1, 4) s, generate_series(1, 12) i
                               UNION ALL SELECT fp FROM (SELECT fp FROM indexed ORDER BY id LIMIT 20) t) v WHERE q IS NOT NULL', clause);
END $$;
CREATE FUNCTION search_differences(clause text) RETURNS bigint LANGUAGE sql AS $$
  WITH i AS MATERIALIZED (SELECT * FROM searched(clause, true)), s AS MATERIALIZED (SELECT * FROM searched(clause, false))
  SELECT count(*) FROM ((SELECT * FROM i EXCEPT ALL SELECT * FROM s) UNION ALL (SELECT * FROM s EXCEPT ALL SELECT * FROM i)) d
$$;
SQL

my %clauses = (
    'equal' => q{SELECT string_agg(id::text, ',' ORDER BY id) FROM indexed WHERE fp = q},
    'within 0' => q{SELECT string_agg(id::text, ',' ORDER BY id) FROM indexed WHERE simhash_within(fp, q, 0)},
    'within 3' => q{SELECT string_agg(id::text, ',' ORDER BY id) FROM indexed WHERE simhash_within(q, fp, 3)},
    'within 12' => q{SELECT string_agg(fp::text, ',' ORDER BY fp) FROM indexed WHERE fp <@ simhash_ball(q, 12)},
    'within 64' => q{SELECT count(*)::text FROM indexed WHERE simhash_within(fp, q, 64)},
    'two balls' => q{SELECT string_agg(id::text, ',' ORDER BY id) FROM indexed WHERE fp <@ simhash_ball(q, 20) AND fp <@ '<00000000000000ff,25>'},
    'nearest' => q{SELECT string_agg(d::text, ',' ORDER BY d) FROM (SELECT fp <~> q AS d FROM indexed WHERE fp IS NOT NULL ORDER BY fp <~> q LIMIT 30) n},
    'nearest in a ball' => q{SELECT string_agg(d::text, ',' ORDER BY d) FROM (SELECT fp <~> q AS d FROM indexed WHERE simhash_within(fp, q, 16) ORDER BY fp <~> q LIMIT 30) n},
    'balls' => q{SELECT string_agg(id::text, ',' ORDER BY id) FROM balls WHERE ball && simhash_ball(q, 2)},
    'wide balls' => q{SELECT string_agg(id::text, ',' ORDER BY id) FROM balls WHERE ball && simhash_ball(q, 15)});

sub searches_agree
{
    my ($state) = @_;
    for my $name (sort keys %clauses)
    {
        my $clause = $clauses{$name} =~ s/'/''/gr;
        is(value_of("SELECT search_differences('$clause')"), '0', "$state: $name, by index as without");
    }
    # The whole order, not only the set of distances.
    is(value_of(q{SET enable_seqscan = off; SET enable_sort = off;
            SELECT count(*) FROM (SELECT d, lag(d) OVER () AS before FROM (SELECT fp <~> '0123456789abcdef' AS d FROM indexed ORDER BY fp <~> '0123456789abcdef') o) l WHERE d < before}),
        '0', "$state: distances ascend");
}

my $plan = value_of(q{SET enable_seqscan = off; SET enable_bitmapscan = off; EXPLAIN SELECT 1 FROM balls WHERE ball && '<00000000000000ff,3>'});
like($plan, qr/Index.*Scan using balls_ball/, 'balls are searched by their index');

searches_agree('empty');
$node->safe_psql('postgres', q{
    INSERT INTO indexed SELECT i, value_of(i % 4 + 1, i) FROM generate_series(1, 3000) i;
    INSERT INTO balls SELECT id, simhash_ball(fp, CASE id % 5 WHEN 0 THEN 0 WHEN 1 THEN 64 WHEN 2 THEN 10 ELSE 3 END) FROM indexed});
searches_agree('filled');
$node->safe_psql('postgres', q{
    DELETE FROM indexed WHERE id % 7 = 3;
    UPDATE indexed SET fp = value_of(9, id) WHERE id % 5 = 1;
    DELETE FROM balls WHERE id % 3 = 1;
    INSERT INTO indexed SELECT i, '00000000000000ff' FROM generate_series(10001, 13000) i;
    INSERT INTO balls SELECT i, '<00000000000000ff,3>' FROM generate_series(10001, 13000) i;
    INSERT INTO balls SELECT i, '<00000000000000fe,3>' FROM generate_series(20001, 20010) i});
searches_agree('updated');
$node->safe_psql('postgres', 'DELETE FROM indexed WHERE id BETWEEN 11000 AND 12500');
$node->safe_psql('postgres', $_) for 'VACUUM indexed', 'VACUUM balls';
$node->safe_psql('postgres', q{
    INSERT INTO indexed SELECT i, value_of(i % 4 + 20, i) FROM generate_series(20001, 24000) i;
    INSERT INTO indexed SELECT i, '00000000000000fe' FROM generate_series(30001, 30400) i});
searches_agree('vacuumed and filled again');
$node->safe_psql('postgres', 'REINDEX TABLE indexed; REINDEX TABLE balls');
searches_agree('built at once');
$node->stop('immediate');
$node->start;
searches_agree('after a crash');

# ---------------------------------------------------------------------------
# Dump, restore, binary COPY, malformed input
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', 'CREATE DATABASE target');
$node->safe_psql('postgres', q{
    CREATE TABLE excluded (fp simhash, EXCLUDE USING spgist (simhash_ball(fp, 3) WITH &&));
    INSERT INTO excluded VALUES ('00000000000000ff'), (NULL);
    CREATE INDEX ON indexed (fp);
    CREATE INDEX ON indexed USING hash (fp);
    CREATE INDEX ON indexed USING gin (simhash_blocks(fp, 3))});
my $rows = q{SELECT count(*), md5(string_agg(id || fp::text, ',' ORDER BY id)) FROM indexed};
my $balls = q{SELECT count(*), md5(string_agg(id || ball::text, ',' ORDER BY id, ball::text)) FROM balls};
$node->command_ok([ 'pg_dump', '-f', "$directory/dump.sql", '-t', 'indexed', '-t', 'balls', '-t', 'excluded', '-d', $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('target', 'CREATE EXTENSION neardup');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$directory/dump.sql", '-d', $node->connstr('target') ], 'the dump restores');
is($node->safe_psql('target', $rows), value_of($rows), 'with the same values');
is($node->safe_psql('target', $balls), value_of($balls), 'and the same balls');
is(sqlstate_of($node, 'target', "INSERT INTO excluded VALUES ('00000000000000f0')"), '00000', 'the constraint admits what is far');
is(sqlstate_of($node, 'target', "INSERT INTO excluded VALUES ('00000000000000fe')"), '23P01', 'and refuses what is near');

$node->safe_psql('postgres', qq{
    COPY indexed TO '$directory/values.bin' (FORMAT binary);
    CREATE TABLE copied (LIKE indexed);
    COPY copied FROM '$directory/values.bin' (FORMAT binary);
    COPY balls TO '$directory/balls.bin' (FORMAT binary);
    CREATE TABLE copied_balls (LIKE balls);
    COPY copied_balls FROM '$directory/balls.bin' (FORMAT binary)});
is(value_of('SELECT count(*) FROM indexed x FULL JOIN copied y USING (id) WHERE x.fp IS DISTINCT FROM y.fp'), '0', 'binary COPY of values');
is(value_of($balls =~ s/balls$/copied_balls/r), value_of($balls), 'binary COPY of balls');

# A file of binary COPY with one row of one column.
sub copy_of
{
    my ($table, $content) = @_;
    open my $file, '>:raw', "$directory/one.bin" or die $!;
    print $file "PGCOPY\n\377\r\n\0", pack('NN', 0, 0), pack('nN', 1, length $content), $content, pack('n', 0xffff);
    close $file;
    return sqlstate_of($node, 'postgres', "COPY $table FROM '$directory/one.bin' (FORMAT binary)");
}
$node->safe_psql('postgres', 'CREATE TABLE one (fp simhash); CREATE TABLE one_ball (ball simhash_ball)');
is(copy_of('one', pack('Q>', 255)), '00000', 'eight bytes are a simhash');
is(value_of('SELECT fp FROM one'), '00000000000000ff', 'the most significant first');
is(copy_of('one', substr(pack('Q>', 255), 0, 7)), '08P01', 'seven are not');
is(copy_of('one', pack('Q>C', 255, 1)), '22P03', 'nor are nine');
is(copy_of('one_ball', pack('Q>N', 255, 3)), '00000', 'a ball');
is(copy_of('one_ball', pack('Q>N', 255, 65)), '22P03', 'of too large a radius');
is(copy_of('one_ball', pack('Q>N', 255, 0xffffffff)), '22P03', 'of a negative one');
is(copy_of('one_ball', pack('Q>', 255)), '08P01', 'of none');

# ---------------------------------------------------------------------------
# The aggregate, serially and in parallel, and through the text form of its state
# ---------------------------------------------------------------------------

is(value_of(q{
        WITH states AS (SELECT i % 5 AS part, simhash_agg_transition(NULL, 'w' || i, i * 0.3) AS state FROM generate_series(1, 5) i)
        SELECT simhash_agg_final(simhash_agg_combine(x.state::text::int8[], y.state::text::int8[]))
               = (SELECT simhash_agg('w' || i, i * 0.3) FROM generate_series(1, 2) i)
        FROM states x, states y WHERE x.part = 1 AND y.part = 2}), 't', 'states survive their text form');

done_testing();
