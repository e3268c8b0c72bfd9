# The access method neardup: lookups and orders give what a sequential scan
# gives, on random tables; beside writers and VACUUM; after a crash; on a
# standby. NEARDUP_SEEDS="17 23" runs only these seeds, NEARDUP_KILLS=100 kills
# the server so often.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use IndexOracle;
use NeardupTest;

my $node = new_node('index', allows_streaming => 1,
    conf => "wal_consistency_checking = 'generic'\nfull_page_writes = on\nwal_keep_size = 1GB\nautovacuum = off\n");
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');
$node->safe_psql('postgres', IndexOracle::schema('neardup'));

sub count_of
{
    my ($sql) = @_;
    return $node->safe_psql('postgres', $sql);
}

# ---------------------------------------------------------------------------
# Random tables
# ---------------------------------------------------------------------------

IndexOracle::use_folder(PostgreSQL::Test::Utils::tempdir());
IndexOracle::check_seeds($node, run_seeds($node, 60, 15, \&IndexOracle::script_of_seed), 0.2);

# ---------------------------------------------------------------------------
# Many rows, one by one: flushes and merges; sets that go over pages
# ---------------------------------------------------------------------------

my $GROWN = $ENV{NEARDUP_ALL} ? 30_000 : 12_000;
$node->safe_psql('postgres', <<'SQL', extra_params => [ '-v', "rows=$GROWN" ]);
CREATE FUNCTION set_of(seed int, size int, universe int) RETURNS tokenset LANGUAGE sql AS $$
    SELECT coalesce(array_agg((universe * (abs(hashint8extended(seed, x)) % 100000 / 100000.0) ^ 2)::int), '{}')::tokenset
    FROM generate_series(1, size) x $$;
CREATE TABLE grown (id serial, t tokenset);
CREATE INDEX grown_t ON grown USING neardup (t);
INSERT INTO grown (t) SELECT set_of(n, n % 60, 4000) FROM generate_series(1, :rows) n;
INSERT INTO grown (t) SELECT set_of(n, 40 * n, 1000000) FROM generate_series(1, 100) n;
SQL

# The index's figures; it is in order, or this fails.
sub check_index
{
    my ($server, $index) = @_;
    return split /\|/, $server->safe_psql('postgres', "SELECT segments, rows, pending, dead FROM neardup_index_check('$index')");
}

# Ids by the index and by a sequential scan, for sets of the table.
sub compare_lookups
{
    my ($server, $table, $rule) = @_;
    my $query = "SELECT md5(string_agg(a.id || '-' || b.id, ',' ORDER BY a.id, b.id)) FROM $table a, LATERAL
        (SELECT id FROM $table b WHERE jaccard_ge(b.t, a.t, 0.3) OFFSET 0) b WHERE a.id % 997 = 1";
    is($server->safe_psql('postgres', "SET enable_seqscan = off; $query"),
        $server->safe_psql('postgres', "SET enable_indexscan = off; SET enable_bitmapscan = off; $query"), $rule);
    return;
}

my ($segments, $rows, $pending, $dead) = check_index($node, 'grown_t');
is($rows, $GROWN + 100, 'inserted rows are in the index');
cmp_ok($segments, '>', 1, "they make segments ($segments)");
cmp_ok($segments, '<', 12, 'segments are merged');
cmp_ok($pending, '<', 5000, "few rows are pending ($pending)");
compare_lookups($node, 'grown', 'the index finds rows of all segments');
$node->safe_psql('postgres', 'DELETE FROM grown WHERE id % 3 = 0; VACUUM grown');
($segments, $rows, $pending, $dead) = check_index($node, 'grown_t');
is("$rows $pending $dead", count_of('SELECT count(*) FROM grown') . ' 0 0', 'VACUUM removes dead rows, and writes the segments anew');
compare_lookups($node, 'grown', 'the index finds the remaining rows');
my $pages = count_of("SELECT pg_relation_size('grown_t')");
$node->safe_psql('postgres', 'UPDATE grown SET t = t; VACUUM grown') for 1 .. 4;
cmp_ok(count_of("SELECT pg_relation_size('grown_t')"), '<', 4 * $pages, 'blocks are used again');
check_index($node, 'grown_t');

# Tokens of neighbouring hashes share a bucket of the dictionary, which then has many pages.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION token_of_hash(h bigint) RETURNS bigint LANGUAGE sql AS $$
    SELECT low # (low >> 32 & 4294967295)
    FROM (SELECT mod(h * 17428512612931826493::numeric, 18446744073709551616) AS u) u,
        LATERAL (SELECT (u - CASE WHEN u >= 9223372036854775808 THEN 18446744073709551616 ELSE 0 END)::bigint AS low) l $$;
CREATE TABLE chained AS SELECT n AS id, ARRAY(SELECT token_of_hash(x * 4096) FROM generate_series(7 * n, 7 * n + 30) x)::tokenset AS t
    FROM generate_series(1, 3000) n;
INSERT INTO chained SELECT 10000, tokenset_union_agg(t) FROM chained;
CREATE INDEX chained_t ON chained USING neardup (t);
SQL
check_index($node, 'chained_t');
compare_lookups($node, 'chained', 'the index finds tokens of a bucket of many pages');
is(count_of("SET enable_seqscan = off; SELECT count(*) FROM chained WHERE t <@ (SELECT t FROM chained WHERE id = 10000)"),
    3001, 'and all of them by one value');

# A value of many tokens reads each page of a dictionary once.
my ($hit, $read) = count_of(<<'SQL') =~ /"Shared Hit Blocks": (\d+).*?"Shared Read Blocks": (\d+)/s;
SET enable_seqscan = off;
EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
SELECT FROM grown WHERE t && (SELECT array_agg(x::bigint)::tokenset FROM generate_series(2000000, 2200000) x);
SQL
cmp_ok($hit + $read, '<', count_of("SELECT pg_relation_size('grown_t') / current_setting('block_size')::int"),
    "a lookup of 200,000 unknown tokens reads no page twice ($hit and $read)");

# A cursor goes on while its segments are merged away.
my $fetched = $node->safe_psql('postgres', <<"SQL");
CREATE TABLE before AS SELECT count(*) FROM grown;
BEGIN;
SET enable_seqscan = off; SET enable_sort = off;
DECLARE c CURSOR FOR SELECT id FROM grown ORDER BY t <%> '{1,2,3,4,5,6,7,8}';
MOVE 5 IN c;
INSERT INTO grown (t) SELECT set_of(n, 50, 4000) FROM generate_series(1, $GROWN * 2 / 3) n;
DELETE FROM grown WHERE id % 4 = 1;
CREATE FUNCTION fetch_rest() RETURNS bigint LANGUAGE plpgsql AS \$\$
DECLARE c refcursor := 'c'; n bigint := 0; id int;
BEGIN
    LOOP
        FETCH c INTO id;
        EXIT WHEN NOT FOUND;
        n := n + 1;
    END LOOP;
    RETURN n;
END \$\$;
SELECT fetch_rest() + 5 = (SELECT count FROM before);
COMMIT;
SQL
is($fetched, 't', 'a cursor sees all rows of its snapshot, while segments are merged');
check_index($node, 'grown_t');

# A flush makes as many segments as maintenance_work_mem asks for.
for my $memory (qw(1MB 64MB))
{
    $node->safe_psql('postgres', <<"SQL");
SET maintenance_work_mem = '$memory';
CREATE TABLE flushed_$memory (id serial, t tokenset);
CREATE INDEX ON flushed_$memory USING neardup (t);
INSERT INTO flushed_$memory (t) SELECT set_of(n, 22, 4000) FROM generate_series(1, 3000) n;
SQL
    my ($parts, $all) = check_index($node, "flushed_${memory}_t_idx");
    $memory eq '1MB' ? cmp_ok($parts, '>', 1, "$memory: a flush makes several segments ($parts)") : is($parts, 1, "$memory: one");
    is($all, 3000, "$memory: of all rows");
    compare_lookups($node, "flushed_$memory", "$memory: the index finds them");
}

# Cursors hold all parts that the metapage can name: rows stay pending meanwhile.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE held (id serial, t tokenset);
CREATE INDEX held_t ON held USING neardup (t);
INSERT INTO held (t) SELECT set_of(n, 22, 4000) FROM generate_series(1, 5000) n;
CREATE TABLE while_held (rows int8, pending int8);
BEGIN;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_sort = off;
DO $$
DECLARE c refcursor; v int;
BEGIN
    FOR n IN 1 .. 24 LOOP
        c := 'c' || n;
        OPEN c FOR SELECT id FROM held ORDER BY t <%> '{1,2,3,4,5,6,7,8}';
        FETCH c INTO v;
        INSERT INTO held (t) SELECT set_of(10000 * n + k, 22, 4000) FROM generate_series(1, 2700) k;
    END LOOP;
END $$;
INSERT INTO while_held SELECT rows, pending FROM neardup_index_check('held_t');
COMMIT;
INSERT INTO held (t) SELECT set_of(-n, 22, 4000) FROM generate_series(1, 2700) n;
SQL
is(count_of('SELECT rows, pending > 10000 FROM while_held'), '69800|t', 'inserts go on while cursors hold all that can be held');
($segments, $rows, $pending) = check_index($node, 'held_t');
is($rows, '72500', 'all rows are in the index');
cmp_ok($pending, '<', 5000, "few are pending once nothing is held ($pending)");
compare_lookups($node, 'held', 'the index finds rows that were pending for long');

# With little memory, what was held needs more segments than the metapage can name.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE drained (id serial, t tokenset);
CREATE INDEX drained_t ON drained USING neardup (t);
INSERT INTO drained (t) SELECT set_of(n, 22, 4000) FROM generate_series(1, 5000) n;
BEGIN;
SET LOCAL maintenance_work_mem = '1MB';
SET LOCAL enable_seqscan = off;
SET LOCAL enable_sort = off;
DO $$
DECLARE c refcursor; v int;
BEGIN
    FOR n IN 1 .. 24 LOOP
        c := 'c' || n;
        OPEN c FOR SELECT id FROM drained ORDER BY t <%> '{1,2,3,4,5,6,7,8}';
        FETCH c INTO v;
        INSERT INTO drained (t) SELECT set_of(10000 * n + k, 22, 4000) FROM generate_series(1, 1300) k;
    END LOOP;
END $$;
INSERT INTO drained (t) SELECT set_of(-n, 22, 4000) FROM generate_series(1, 60000) n;
COMMIT;
SQL
(undef, $rows, $pending) = check_index($node, 'drained_t');
cmp_ok($pending, '>', 10000, "rows stay pending while cursors hold all that can be held ($pending)");
$node->safe_psql('postgres', "SET maintenance_work_mem = '1MB'; VACUUM drained");
is(join('|', (check_index($node, 'drained_t'))[ 1 .. 2 ]), "$rows|0", 'one VACUUM makes all of them segments, with little memory');

# ---------------------------------------------------------------------------
# What others ask of an index
# ---------------------------------------------------------------------------

is(count_of("SELECT pg_stat_force_next_flush(); SELECT idx_scan > 0 FROM pg_stat_user_indexes WHERE indexrelname = 'grown_t'"),
    "\nt", 'scans are counted');

# A row that VACUUM removes after the scan has read the index, on a page that is all visible then.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE counted AS SELECT n AS id, set_of(n, 5, 100) AS t FROM generate_series(1, 500) n;
CREATE INDEX ON counted USING neardup (t);
VACUUM ANALYZE counted;
DELETE FROM counted WHERE id = 400;
SQL
my $counting = $node->background_psql('postgres');
$counting->query_safe('SET enable_seqscan = off; SET enable_bitmapscan = off; BEGIN; DECLARE c CURSOR FOR SELECT 1 FROM counted; FETCH c');
$node->safe_psql('postgres', 'VACUUM counted');
like($counting->query_safe('\set QUIET off' . "\nMOVE ALL IN c"), qr/MOVE 498/, 'a scan returns no row that VACUUM removed meanwhile');
$counting->quit;

# Functions of an index run with the rights of the table's owner.
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE mallory;
CREATE SCHEMA of_mallory AUTHORIZATION mallory;
SET ROLE mallory;
CREATE TABLE of_mallory.users (name text);
CREATE FUNCTION of_mallory.spy(body text) RETURNS tokenset IMMUTABLE LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
    RAISE WARNING 'I am %', current_user;
    RETURN word_tokens(body);
END $$;
CREATE TABLE of_mallory.bait AS SELECT 'some words' AS body;
CREATE INDEX bait_words ON of_mallory.bait USING neardup (of_mallory.spy(body));
SQL
my ($code, $out, $err) = $node->psql('postgres', "SELECT rows FROM neardup_index_check('of_mallory.bait_words')");
is($out, '1', 'an index of another role is checked');
like($err, qr/I am mallory/, 'with the rights of its owner');
unlike($err, qr/I am postgres/, 'and no others');

# ---------------------------------------------------------------------------
# Forms of an index
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE docs (id int, kind int, body text);
INSERT INTO docs SELECT n, n % 2, 'word' || n % 50 || ' word' || n % 70 || ' word' || n % 90 || ' same words' FROM generate_series(1, 3000) n;
CREATE INDEX docs_words ON docs USING neardup (word_tokens(body)) WHERE kind = 1;
CREATE INDEX CONCURRENTLY docs_all ON docs USING neardup (word_tokens(body));
CREATE UNLOGGED TABLE quick AS SELECT id, word_tokens(body) t FROM docs;
CREATE INDEX ON quick USING neardup (t);
CREATE TABLE parts (id int, t tokenset) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (1000);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (1000) TO (4000);
CREATE INDEX parts_t ON parts USING neardup (t);
INSERT INTO parts SELECT id, word_tokens(body) FROM docs;
SQL
for my $query (
    q{SELECT array_agg(id ORDER BY id) FROM docs WHERE jaccard_ge(word_tokens(body), word_tokens('word7 word17 word27 same words'), 0.6)},
    q{SELECT array_agg(id ORDER BY id) FROM docs WHERE kind = 1 AND word_tokens(body) @> word_tokens('word7 same')},
    q{SELECT array_agg(id ORDER BY id) FROM quick WHERE t % word_tokens('word7 word17 word27 same words')},
    q{SELECT array_agg(d) FROM (SELECT t <=> word_tokens('word7 word17 word27 same words') AS d FROM parts ORDER BY 1 LIMIT 40) x},
    q{SELECT count(*) FROM docs WHERE kind = 1})
{
    is(count_of("SET enable_seqscan = off; SET enable_sort = off; $query"),
        count_of("SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; $query"), $query);
}
for my $index (qw(docs_words docs_all quick_t_idx parts_1_t_idx parts_2_t_idx))
{
    check_index($node, $index);
}
$node->safe_psql('postgres', 'REINDEX INDEX CONCURRENTLY docs_all');
check_index($node, 'docs_all');
is(sqlstate_of($node, 'postgres', "SELECT neardup_index_check('docs')"), '42809', 'a table is no index');

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE by_id (id int, t tokenset) PARTITION BY RANGE (id);
CREATE TABLE by_id_low PARTITION OF by_id FOR VALUES FROM (0) TO (10);
CREATE TABLE by_id_high PARTITION OF by_id FOR VALUES FROM (10) TO (30) PARTITION BY RANGE (id);
CREATE TABLE by_id_higher PARTITION OF by_id_high FOR VALUES FROM (20) TO (30);
INSERT INTO by_id SELECT n, ARRAY[n]::tokenset FROM generate_series(1, 5) n;
CREATE INDEX by_id_t ON by_id USING neardup (t);
CREATE INDEX by_id_id ON by_id (id);
INSERT INTO by_id SELECT n, ARRAY[n]::tokenset FROM generate_series(23, 29) n;
SQL
is($node->safe_psql('postgres', "SELECT segments, rows, pending, dead, postings FROM neardup_index_check('by_id_t')"), '1|12|7|0|5',
    'the partitions of a partitioned index are checked');
is(sqlstate_of($node, 'postgres', "SELECT neardup_index_check('by_id_id')"), '42809', 'a partitioned B-tree is no such index');
is(sqlstate_of($node, 'postgres', 'CREATE UNIQUE INDEX ON quick USING neardup (t)'), '0A000', 'there are no unique indexes');
is(sqlstate_of($node, 'postgres', 'CREATE INDEX ON quick USING neardup (t, t)'), '0A000', 'nor of two columns of sets');
is(sqlstate_of($node, 'postgres', 'CREATE INDEX ON quick USING neardup (id)'), '0A000', 'nor of none');
is(sqlstate_of($node, 'postgres', 'CREATE INDEX ON quick USING neardup ((NULL::point))'), '42704', 'nor of other types');

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE distinct_sets (id int, t tokenset, EXCLUDE USING neardup (t WITH %));
INSERT INTO distinct_sets VALUES (1, '{1,2,3,4,5}'), (2, '{11,12,13}'), (3, NULL), (4, NULL), (5, '{}'), (6, '{}');
INSERT INTO distinct_sets VALUES (7, '{1,2,3,4}'), (8, '{1,2,3,8,9}') ON CONFLICT DO NOTHING;
SQL
is(sqlstate_of($node, 'postgres', "INSERT INTO distinct_sets VALUES (9, '{1,2,3,4,6}')"), '23P01', 'a constraint refuses a similar set');
is(count_of('SELECT array_agg(id ORDER BY id) FROM distinct_sets'), '{1,2,3,4,5,6,8}', 'and takes the others');

# Two sessions, the second before the first has ended.
my $first = $node->background_psql('postgres');
$first->query_safe("BEGIN; INSERT INTO distinct_sets VALUES (20, '{21,22,23,24}')");
my $second = $node->background_psql('postgres', on_error_stop => 0);
$second->query_until(qr/waits/, "\\echo waits\nINSERT INTO distinct_sets VALUES (21, '{21,22,23,24,25}');\n");
$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'VALUES .21'")
  or die 'the second session does not wait';
$first->query_safe('COMMIT');
$first->quit;
$second->quit;
is(count_of('SELECT array_agg(id) FROM distinct_sets WHERE id >= 20'), '{20}', 'a constraint holds between two sessions');

# ---------------------------------------------------------------------------
# A constraint with a threshold of its own
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', <<'SQL');
CREATE DATABASE protected;
ALTER DATABASE protected SET neardup.similarity_threshold = 0.9;
CREATE DATABASE restored;
SQL
$node->safe_psql('protected', <<'SQL');
CREATE EXTENSION neardup;
CREATE TABLE docs (id int, body text, t tokenset, CONSTRAINT apart EXCLUDE USING neardup (jaccard_ball(t, 0.7) WITH &&));
INSERT INTO docs SELECT n, 'a', ARRAY(SELECT 10 * n + k FROM generate_series(1, 10) k)::tokenset FROM generate_series(1, 300) n;
CREATE TABLE balls (b tokenset_ball);
INSERT INTO balls SELECT jaccard_ball(t, id / 300.0) FROM docs;
INSERT INTO balls SELECT jaccard_ball(array_agg(n)::tokenset, 1e-300) FROM generate_series(1, 20000) n;
CREATE INDEX balls_b ON balls USING neardup (b);
SQL
my $directory = PostgreSQL::Test::Utils::tempdir();
my $dump = "$directory/protected.sql";
$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('protected') ], 'pg_dump of a database with such a constraint');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d', $node->connstr('restored') ], 'the dump restores');
my $definition = q{SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'apart'};
is($node->safe_psql('restored', $definition), $node->safe_psql('protected', $definition), 'the restored constraint has the same threshold');
my $all_balls = q{SELECT count(*), md5(string_agg(b::text, ' ' ORDER BY b::text COLLATE "C")) FROM balls};
is($node->safe_psql('restored', $all_balls), $node->safe_psql('protected', $all_balls), 'restored balls are the same');
is($node->safe_psql('restored', q{SELECT neardup_index_check('balls_b') IS NOT NULL AND neardup_index_check('apart') IS NOT NULL}), 't', 'and their indexes in order');

# Sets of ten tokens share nine with a row at 0.82, eight at 0.67.
my ($near, $far) = map { "INSERT INTO docs VALUES (1000, 'b', '{$_}')" } '1001,1002,1003,1004,1005,1006,1007,1008,1009,5', '1001,1002,1003,1004,1005,1006,1007,1008,5,6';
is(sqlstate_of($node, 'restored', $near), '23P01', 'it refuses a near-duplicate');
is(sqlstate_of($node, 'restored', "BEGIN; $far; ROLLBACK"), '00000', 'and takes what is further apart');

# Whatever a session sets, the row is refused.
my @settings = split /\n/, $node->safe_psql('restored', <<'SQL');
LOAD 'neardup';
SELECT format('SET %I = %L', s.name, v.value) FROM pg_settings s,
    LATERAL unnest(CASE s.vartype WHEN 'bool' THEN '{on,off}' WHEN 'enum' THEN s.enumvals ELSE ARRAY[s.min_val, s.max_val] END) v (value)
WHERE s.name LIKE 'neardup.%' AND v.value IS NOT NULL AND s.context = 'user' ORDER BY 1
SQL
push @settings, 'SET neardup.similarity_threshold = 1', 'SET enable_indexscan = off; SET enable_bitmapscan = off', 'SET enable_seqscan = off',
  'SET extra_float_digits = -15', 'SET search_path = pg_catalog';
@settings = grep { sqlstate_of($node, 'restored', "LOAD 'neardup'; $_") eq '00000' } @settings;
cmp_ok(scalar(grep { /neardup/ } @settings), '>', 3, 'there are settings');
is(join("\n", grep { sqlstate_of($node, 'restored', "LOAD 'neardup'; $_; " . ($near =~ s/docs/public.docs/r =~ s/'(\{.*\})'/public.tokenset('$1')/r)) ne '23P01' } @settings),
    '', 'no setting lets a near-duplicate in');
is( $node->safe_psql('restored', ($near =~ s/\)$/), (1001, 'c', '{7,8,9}')/r) . ' ON CONFLICT DO NOTHING; SELECT array_agg(id) FROM docs WHERE id > 300'),
    '{1001}', 'ON CONFLICT DO NOTHING leaves it out, and takes the others');

# The binary form.
$node->safe_psql('protected', qq{
    COPY balls TO '$directory/balls.bin' (FORMAT binary);
    CREATE TABLE copied (b tokenset_ball);
    COPY copied FROM '$directory/balls.bin' (FORMAT binary);
    CREATE TABLE one (b tokenset_ball)});
is($node->safe_psql('protected', $all_balls =~ s/balls$/copied/r), $node->safe_psql('protected', $all_balls), 'binary COPY of balls');

# The SQLSTATE of a binary COPY of one value.
sub copy_of
{
    my ($value) = @_;
    open my $file, '>:raw', "$directory/one.bin" or die;
    print $file "PGCOPY\n\377\r\n\0", pack('NN', 0, 0), pack('nN', 1, length $value), $value, pack('n', 0xffff);
    close $file;
    return sqlstate_of($node, 'protected', "COPY one FROM '$directory/one.bin' (FORMAT binary)");
}
my $set = pack 'CNq>q>', 1, 2, -7, 9;
is(copy_of(pack('Cd>', 1, 0.5) . $set), '00000', 'a ball');
is(copy_of(pack('Cd>', 2, 0.5) . $set), '22P03', 'of an unknown version');
is(copy_of(pack('Cd>', 1, $_) . $set), '22P03', "of the threshold $_") for 0, -0.5, 1.5, 'NaN', 'Inf';
is(copy_of(pack('Cd>', 1, 0.5) . pack('CNq>q>', 1, 2, 9, -7)), '22P03', 'of a set that does not ascend');
is(copy_of(pack('Cd>', 1, 0.5) . substr $set, 0, -1), '22P03', 'of a set that is cut');
is(copy_of(pack('Cd>', 1, 0.5) . "$set\0"), '22P03', 'with more behind it');
is(copy_of(pack('C', 1)), '08P01', 'of nothing');

# ---------------------------------------------------------------------------
# Writers, readers and VACUUM together; kills; a standby
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE busy (id bigserial PRIMARY KEY, t tokenset);
CREATE INDEX busy_t ON busy USING neardup (t);
CREATE PROCEDURE work(seed int, rounds int) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM setseed(seed / 1000.0);
    FOR n IN 1 .. rounds LOOP
        BEGIN
            INSERT INTO busy (t) SELECT set_of((random() * 1e9)::int, n % 50, 3000) FROM generate_series(1, 20);
            DELETE FROM busy WHERE id = ANY (ARRAY(SELECT id FROM busy ORDER BY id LIMIT 18 FOR UPDATE SKIP LOCKED));
            IF random() < 0.2 THEN RAISE division_by_zero; END IF;
        EXCEPTION WHEN division_by_zero THEN NULL;
        END;
        COMMIT;
    END LOOP;
END $$;
SQL
$node->backup('index');
my $standby = PostgreSQL::Test::Cluster->new('index_standby');
$standby->init_from_backup($node, 'index', has_streaming => 1);
$standby->start;

# Four writers, VACUUM, and who builds indexes: sessions that run until the server or the work ends.
sub start_sessions
{
    my ($rounds, $times) = @_;
    my @sessions;
    for my $sql ((map { "CALL work($_, $rounds)" } 1 .. 4), 'VACUUM busy; SELECT pg_sleep(0.05);' x $times,
        'CREATE INDEX busy_b ON busy USING neardup (t); REINDEX INDEX busy_t; REINDEX INDEX CONCURRENTLY busy_b; DROP INDEX busy_b;' x ($times / 5))
    {
        my ($in, $out, $err) = ('', '', '');
        my @statements = map { ('-c', $_) } split /;/, $sql;
        push @sessions, IPC::Run::start([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), @statements ],
            '<', \$in, '>', \$out, '2>', \$err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
    }
    return @sessions;
}

# A lookup on the standby while it replays, beside a sequential scan with the same snapshot.
my %replayed;

sub look_up_while_replaying
{
    my ($by_index, $by_scan) = map { "SET LOCAL $_; SELECT md5(string_agg(id::text, ',' ORDER BY id)) FROM busy WHERE t && set_of(5, 30, 3000)" }
      'enable_seqscan = off', 'enable_seqscan = on; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_indexscan = off';
    my ($status, $found, $error) = $standby->psql('postgres', "\\set VERBOSITY sqlstate\nBEGIN ISOLATION LEVEL REPEATABLE READ; $by_index; $by_scan; COMMIT",
        on_error_stop => 1);
    my ($x, $y) = split /\n/, $found // '';

    $replayed{ $status ? ($error =~ /40001/ ? 'conflict' : "error $error") : ($x // '') eq ($y // '') ? 'equal' : 'different' }++;
    return;
}

my @writing = start_sessions($ENV{NEARDUP_ALL} ? 60 : 30, 10);
for (1 .. ($ENV{NEARDUP_ALL} ? 20 : 10))
{
    look_up_while_replaying();
    check_index($node, 'busy_t');
}
$_->finish for @writing;
note('while replaying: ', join ', ', map { "$_ $replayed{$_}" } sort keys %replayed);
is(join(' ', grep { !/^(equal|conflict)$/ } keys %replayed), '', 'while it replays, lookups on a standby are right, or conflict');
cmp_ok($replayed{equal} // 0, '>', 0, 'some do not conflict');
check_index($node, 'busy_t');
compare_lookups($node, 'busy', 'after four writers and VACUUM, the index finds what is there');
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
check_index($standby, 'busy_t');
compare_lookups($standby, 'busy', 'so it does on the standby');
$standby->stop;

my $kills = $ENV{NEARDUP_KILLS} // ($ENV{NEARDUP_ALL} ? 5 : 2);
for my $kill (1 .. $kills)
{
    my @sessions = start_sessions(100000, 1000);
    select undef, undef, undef, 0.2 + rand 1;
    $node->stop('immediate');
    $_->finish for @sessions;
    $node->start;
    check_index($node, $_)
      for split /\n/, count_of("SELECT indexrelid::regclass FROM pg_index WHERE indexrelid::regclass::text ~ '^busy_[tb]\$' AND indisvalid");
    $node->safe_psql('postgres', "SELECT format('DROP INDEX %s', indexrelid::regclass) FROM pg_index WHERE indexrelid::regclass::text ~ '^busy_[bt]_?.+' OR indexrelid = to_regclass('busy_b') \\gexec");
}
compare_lookups($node, 'busy', "after $kills crashes, the index finds what is there");

$node->stop;
done_testing();
