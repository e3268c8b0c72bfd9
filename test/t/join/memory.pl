# A join finds the same pairs whatever memory and workers it is given, and takes no more.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;

my $node = NeardupTest::new_node('memory');
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;
CREATE TABLE r (id int, tokens int[]);
CREATE TABLE s (id int, tokens int[]);

-- Sets of 0 to 60 tokens, rare and frequent ones; every third is a copy of an
-- earlier one, changed a little; keys repeat now and then.
CREATE PROCEDURE fill(target regclass, seed int, row_count int, universe int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM setseed(seed / 10000.0);
  EXECUTE format('TRUNCATE %s', target);
  EXECUTE format($f$
    INSERT INTO %s
    SELECT CASE WHEN id %% 37 = 0 THEN id - 1 ELSE id END,
           ARRAY(SELECT floor(%s * random() * random())::int FROM generate_series(1, (id * 7 + %s) %% 61))
    FROM generate_series(1, %s) id$f$, target, universe, seed, row_count);
  EXECUTE format($f$
    UPDATE %1$s t SET tokens = c.tokens || CASE WHEN t.id %% 2 = 0 THEN -1 ELSE NULL END
    FROM %1$s c WHERE t.id %% 3 = 0 AND c.id = t.id / 3$f$, target);
  EXECUTE format('UPDATE %s SET tokens = array_remove(tokens, NULL)', target);
END $$;

-- A digest of all rows of a join, and how many there are.
CREATE FUNCTION digest(memory text, call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
  PERFORM set_config('neardup.join_memory', memory, true);
  EXECUTE 'SELECT count(*) || '' '' || coalesce(md5(string_agg(a || '' '' || b || '' '' || similarity,
             '','' ORDER BY a, b, similarity)), '''') FROM ' || call INTO result;
  RETURN result;
END $$;
CREATE TABLE outcomes (seed int, memory text, workers int, digest text, probed int, temp bigint);

-- The join in all combinations of memory and workers, with the workers and
-- temporary files that it had.
CREATE PROCEDURE run(seed int, arguments text, keyed bool) LANGUAGE plpgsql AS $$
DECLARE
  call text := CASE WHEN keyed THEN 'ppjoin_keyed(NULL::text, ' ELSE 'ppjoin(' END || arguments || ')';
  memory text;
  workers int;
  result text;
  probed int;
  temp bigint;
BEGIN
  FOREACH memory IN ARRAY '{64kB,1MB,1GB}'::text[] LOOP
    FOREACH workers IN ARRAY '{0,1,3}'::int[] LOOP
      PERFORM set_config('max_parallel_workers_per_gather', workers::text, false);
      result := digest(memory, call);
      EXECUTE format('SELECT workers, temp_bytes FROM ppjoin_stats(%s)', arguments) INTO probed, temp;
      INSERT INTO outcomes VALUES (seed, memory, workers, result, probed, temp);
    END LOOP;
  END LOOP;
END $$;
SQL

my @measures = (
    "0.5, 'jaccard'", "0.8, 'jaccard'", "2 / 3.0, 'cosine'", "0.75, 'dice'",
    "12, 'overlap'", "6, 'hamming'", "0.9, 'containment'");
my $R = "'SELECT id, tokens FROM r'";
my $S = "'SELECT id, tokens FROM s'";
my $TEXT_R = "'SELECT ''k'' || id, tokens FROM r'";
# Workers even where they do not pay: for the joins, not to read temporary tables.
my $FORCE = force_workers($node);
# Each measure with each form of the join.
my $joins = share_of(84);
my $sql = "$FORCE;\nCREATE TEMP TABLE r (LIKE r);\nCREATE TEMP TABLE s (LIKE s);\n";
for my $seed (1 .. $joins)
{
    my $measure = $measures[$seed % @measures];
    my $universe = (40, 400, 4000)[$seed % 3];
    $sql .= "CALL fill('r', $seed, 200, $universe);\n";
    if ($seed % 3 == 0)
    {
        $sql .= "CALL fill('s', $seed + 1000, 140, $universe);\n";
        my ($query, $against) = $seed % 2 ? ($R, $S) : ($S, $R);
        $sql .= "CALL run($seed, \$a\$$query, $measure, against => $against\$a\$, false);\n";
    }
    elsif ($seed % 3 == 1)
    {
        $sql .= "CALL run($seed, \$a\$$TEXT_R, $measure\$a\$, true);\n";
    }
    else
    {
        $sql .= "CALL run($seed, \$a\$$R, $measure\$a\$, false);\n";
    }
}
$node->safe_psql('postgres', $sql);

sub yields
{
    my ($rule, $query, $expected) = @_;
    is($node->safe_psql('postgres', $query), $expected, $rule);
    return;
}

yields("$joins joins with 64kB, 1MB and 1GB, and with 0, 1 and 3 workers, find the same",
    "SELECT count(*), count(*) FILTER (WHERE digests <> 1 OR runs <> 9)
     FROM (SELECT seed, count(DISTINCT digest) AS digests, count(*) AS runs FROM outcomes GROUP BY seed) s",
    "$joins|0");
yields('all of them find pairs',
    "SELECT count(*) FROM outcomes WHERE digest LIKE '0 %'", '0');
yields('all workers probe records',
    "SELECT count(*) FROM outcomes WHERE probed <> workers", '0');
yields('with 64kB all of them use temporary files, with 1GB none',
    "SELECT count(*) FROM outcomes WHERE (memory = '64kB' AND temp = 0) OR (memory = '1GB' AND temp > 0)", '0');

# Larger than the memory, by each algorithm.
my ($size, $memory) = $ENV{NEARDUP_ALL} ? (6000, '1MB') : (3000, '512kB');
$node->safe_psql('postgres', "CALL fill('r', 4711, $size, $size * 8); CALL fill('s', 815, $size * 5 / 6, $size * 8)");
for my $algorithm ('auto', 'ppjoin', 'allpairs')
{
    yields("$algorithm with $memory finds what it finds with 1GB",
        "SELECT digest('$memory', call) = digest('1GB', call)
         FROM (VALUES (\$a\$ppjoin($R, 0.6, 'jaccard', '$algorithm')\$a\$),
                      (\$a\$ppjoin($R, 0.6, 'cosine', '$algorithm', against => $S)\$a\$),
                      (\$a\$ppjoin($R, 0.8, 'containment', '$algorithm')\$a\$)) AS c (call)",
        "t\nt\nt");
}
# Small sets within large ones, by each side, and the nearest of each row.
for my $call ("ppjoin($R, 2 / 3.0, 'containment')", "ppjoin($R, 0.5, 'containment', against => $S)", "ppjoin($S, 0.5, 'containment', against => $R)",
    "knn_join('SELECT DISTINCT ON (id) id, tokens FROM r', 2, 0.5, 'containment')")
{
    yields("$call with 64kB finds what it finds with 1GB",
        "SELECT digest('64kB', call) = digest('1GB', call), digest('1GB', call) LIKE '0 %' FROM (VALUES (\$a\$$call\$a\$)) AS c (call)", 't|f');
}
# The vocabulary of the files is full when the frequent tokens come.
my $LATE = "SELECT id, ARRAY(SELECT (CASE WHEN id <= 3000 THEN id * 100 + k ELSE -(id * k * k) % 997 END)::int
    FROM generate_series(1, 5 + id % 20) k) || ARRAY[-id / 3] AS tokens FROM generate_series(1, 6000) id";
$node->safe_psql('postgres', "CREATE TABLE late AS SELECT id, tokens FROM ($LATE) l");
for my $algorithm ('auto', 'ppjoin')
{
    yields("$algorithm finds the same where few tokens have ids in files",
        "SELECT digest('256kB', call) = digest('1GB', call), digest('1GB', call) LIKE '0 %'
         FROM (VALUES (\$a\$ppjoin('SELECT id, tokens FROM late', 0.6, 'jaccard', '$algorithm')\$a\$),
                      (\$a\$ppjoin('SELECT id, tokens FROM late', 3, 'overlap', '$algorithm', against => $R)\$a\$)) AS c (call)",
        "t|f\nt|f");
}
yields('tokens of many sets are written in four bytes, twice',
    "SET neardup.join_memory = '2MB'; SET max_parallel_workers_per_gather = 0;
     SELECT temp_bytes BETWEEN 1 AND 10 * tokens + 64 * records FROM ppjoin_stats(
       'SELECT i, ARRAY(SELECT (i * k) % 4001 FROM generate_series(1, 40) k) FROM generate_series(1, 10000) i', 0.9)",
    't');

# Shingles, most of them of one set alone: the dictionary takes most of the memory, and grows in large steps.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE shingled AS
  SELECT i AS id, shingle_set((SELECT string_agg('w' || (((h & 1023) * ((h >> 10) & 1023) * ((h >> 20) & 255)) >> 19)::text, ' ' ORDER BY j)
    FROM generate_series(1, 60 + i % 120) j, LATERAL (SELECT hashint8extended(i * 1000::bigint + j, 0) h) x), 3) AS tokens
  FROM generate_series(1, 6000) i;
INSERT INTO shingled SELECT id + 100000, tokens | '{1}'::tokenset FROM shingled WHERE id % 20 = 0;
ANALYZE shingled;
CREATE FUNCTION node_parts(memory text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  PERFORM set_config('work_mem', memory, true), set_config('hash_mem_multiplier', '1', true),
    set_config('enable_nestloop', 'off', true), set_config('max_parallel_workers_per_gather', '0', true);
  EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) SELECT 1 FROM shingled a JOIN shingled b ON a.id < b.id AND jaccard_ge(a.tokens, b.tokens, 0.3)' INTO plan;
  RETURN plan #>> '{0,Plan,Parts}';
END $$;
CREATE PROCEDURE count_parts(call text, memories text[], most int) LANGUAGE plpgsql AS $$
DECLARE memory text; found int; temp bigint;
BEGIN
  FOREACH memory IN ARRAY memories LOOP
    PERFORM set_config('neardup.join_memory', memory, true);
    EXECUTE format('SELECT parts, temp_bytes FROM ppjoin_stats(%s)', call) INTO found, temp;
    IF temp = 0 OR found > most THEN RAISE WARNING '% has % parts in %', call, found, memory; END IF;
  END LOOP;
END $$;
SQL
my ($SHINGLED, @SHINGLED_HALVES) = map { "'SELECT id, tokens FROM shingled $_'" } '', 'WHERE id % 4 < 2', 'WHERE id % 4 > 1';
for (["$SHINGLED, 0.3", '{14MB,12MB,9MB,5MB}', 30], ["$SHINGLED_HALVES[0], 0.3, against => $SHINGLED_HALVES[1]", '{14MB,12MB,9MB,5MB}', 30],
    ["$SHINGLED, 0.3, 'containment'", '{21MB,14MB}', 100],
    # Each token of the vocabulary costs a part nothing, and each block has a map of its tokens.
    ["$SHINGLED, 0.3", '{5MB}', 13], ["$SHINGLED, 0.7, 'containment', against => $SHINGLED", '{12MB,8MB,6MB}', 15])
{
    my ($join, $memories, $most) = @$_;
    my (undef, undef, $warnings) = $node->psql('postgres', "SET client_min_messages = warning; SET max_parallel_workers_per_gather = 0;
        CALL count_parts(\$a\$$join\$a\$, '$memories', $most)");
    is($warnings, '', "no part of a join from files has hardly any rows ($join)");
    yields('and the pairs are the same',
        "SELECT DISTINCT digest(memory, call) = digest('1GB', call) FROM unnest('$memories'::text[]) memory, (SELECT \$a\$ppjoin($join)\$a\$ AS call) c", 't');
}
yields('a join of the planner has few parts, too',
    "SELECT memory, node_parts(memory) BETWEEN 2 AND 30 FROM unnest('{14MB,12MB,9MB,5MB}'::text[]) memory",
    "14MB|t\n12MB|t\n9MB|t\n5MB|t");
yields('a join in memory is one part',
    "SET neardup.join_memory = '1GB'; SELECT parts FROM ppjoin_stats($SHINGLED, 0.3); SELECT node_parts('1GB')", "1\n1");

# Large sets, each similar to one other: parts for each pair of blocks would be hundreds.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE large AS
  SELECT i AS id, ARRAY(SELECT generate_series((i + i % 2) * 1000, (i + i % 2) * 1000 + 1500 + i))::tokenset AS tokens
  FROM generate_series(1, 300) i;
ANALYZE large;
CREATE FUNCTION parts(memory text, type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  PERFORM set_config('work_mem', memory, true), set_config('hash_mem_multiplier', '1', true),
    set_config('enable_nestloop', 'off', true), set_config('max_parallel_workers_per_gather', '0', true);
  EXECUTE format('EXPLAIN (ANALYZE, FORMAT json)
    SELECT a.id FROM large a %s JOIN large b ON jaccard_ge(a.tokens, b.tokens, 0.9)', type) INTO plan;
  plan := plan #> '{0,Plan}';
  RETURN CASE WHEN (plan ->> 'Parts')::int = 1 THEN 'one part' WHEN (plan ->> 'Parts')::int < 200 THEN 'few parts'
    ELSE 'many parts' END || ', ' || (plan ->> 'Actual Rows')::float8 || ' rows';
END $$;
SQL
for my $type ('INNER', 'LEFT')
{
    yields("rows that share too few tokens with a block are not joined with it ($type)",
        "SELECT parts('1MB', '$type'); SELECT parts('1GB', '$type')", "few parts, 600 rows\none part, 600 rows");
}

yields('memory_bytes stays within neardup.join_memory, of which parts take most; files take the rest',
    "SET neardup.join_memory = '1536kB'; SET max_parallel_workers_per_gather = 0;
     SELECT memory_bytes <= 1.5 * 1024 * 1024 * 1.25, memory_bytes > 0.5 * 1.5 * 1024 * 1024, temp_bytes > 0
     FROM ppjoin_stats($R, 0.6)",
    't|t|t');
yields('with workers, too',
    "SET neardup.join_memory = '1536kB'; SET max_parallel_workers_per_gather = 2; $FORCE;
     SELECT memory_bytes <= 1.5 * 1024 * 1024 * 1.25, workers, temp_bytes > 0
     FROM ppjoin_stats($R, 0.6)",
    't|2|t');
yields('long keys are part of it, though the sets be small',
    "SET neardup.join_memory = '1536kB'; SET max_parallel_workers_per_gather = 0;
     SELECT memory_bytes <= 1.5 * 1024 * 1024 * 1.25, temp_bytes > 0, pairs
     FROM ppjoin_stats('SELECT repeat(''k'', 10000) || i, ARRAY[i % 100, 100 + i / 100] FROM generate_series(1, 1000) i', 1)",
    't|t|0');
# Many small sets, and a few large ones, which widen the signatures of all.
my $UNEQUAL = "SELECT repeat('x', 100) || i, ARRAY(SELECT (i * k) % 503 FROM generate_series(1, 1 + i % 17) k) FROM generate_series(1, 20000) i
    UNION ALL SELECT i::text, ARRAY(SELECT generate_series(i, i + 1000)) FROM generate_series(1, 5) i";
yields('so are large sets among small ones',
    "SET neardup.join_memory = '2MB'; SET max_parallel_workers_per_gather = 0;
     SELECT memory_bytes <= 2 * 1024 * 1024 * 1.25, temp_bytes > 0
     FROM ppjoin_stats(\$q\$$UNEQUAL\$q\$, 5, 'hamming', against => \$q\$$UNEQUAL\$q\$)",
    't|t');

# What the process itself grows by.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE many AS
  SELECT i AS id, ARRAY(SELECT DISTINCT ((i % 40000) * 7919::int8 * k * k) % (2000 * k * k) FROM generate_series(1, 8 + i % 13) k) AS tokens
  FROM generate_series(1, 120000) i;
VACUUM ANALYZE many;
SQL
my $MANY_ROWS = 'SELECT id, tokens FROM many';
my $MANY = "'$MANY_ROWS'";
my @HALVES = map { "'SELECT id, tokens FROM many WHERE id % 2 = $_'" } 0, 1;

# Bytes that a backend had at most, without shared memory, when it has run this, and memory_bytes of a join.
sub process_bytes
{
    my ($sql) = @_;
    return split /[|\n]/, $node->safe_psql('postgres',
        "LOAD 'neardup'; SET max_parallel_workers_per_gather = 0; $sql;
         SELECT 1024 * (substring(status FROM 'VmHWM:\\s*(\\d+)')::int8 - substring(status FROM 'RssShmem:\\s*(\\d+)')::int8)
         FROM pg_read_file('/proc/self/status') AS status");
}

# Over what it takes to run the queries alone.
sub grows_by_memory_bytes
{
    my ($megabytes, @queries) = @_;
    my $counts = join '; ', map { s/^'|'$//gr =~ s/.*/SELECT count(*) FROM ($&) q/r } @queries;
    my ($before) = (process_bytes($counts))[-1];
    my ($said, $temp, $after) = (process_bytes("SET neardup.join_memory = '${megabytes}MB';
        SELECT memory_bytes, temp_bytes FROM ppjoin_stats($queries[0], 0.8, against => " . ($queries[1] // 'NULL') . ')'))[-3 .. -1];
    my $grown = $after - $before;
    my $name = "from files within ${megabytes}MB, " . @queries . ' queries';
    ok($temp > 0 && $grown < 1.25 * $megabytes * 1024 * 1024, "$name: the process grows by little more")
        or diag("grown by $grown, temp_bytes $temp");
    ok($said > 0.7 * $grown && $said < 1.4 * $grown, "$name: memory_bytes is about what it grows by")
        or diag("memory_bytes $said, grown by $grown");
    return;
}

# Twice in a session, each time the new pages that the process took and the bytes that it has in its own memory.
sub pages_and_bytes
{
    my ($query) = @_;
    my $figures = "SELECT split_part(pg_read_file('/proc/self/stat'), ' ', 10),
        1024 * substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\\s*(\\d+)')::int8";
    my $join = "SELECT pairs > 0, memory_bytes FROM ppjoin_stats($query, 0.8)";
    my @rows = map { [split /\|/] } split /\n/, $node->safe_psql('postgres',
        "LOAD 'neardup'; SET neardup.join_memory = '1GB'; SET max_parallel_workers_per_gather = 0;
         SELECT count(*) FROM ($MANY_ROWS) q; $figures; $join; $figures; $join; $figures");
    my ($before, $first, $between, $second, $after) = @rows[1 .. 5];
    return {first_pages => $between->[0] - $before->[0], second_pages => $after->[0] - $between->[0],
        kept => $after->[1] - $before->[1], memory => $first->[1]};
}

SKIP:
{
    my $why = no_process_size();
    skip $why, 13 if $why;
    grows_by_memory_bytes(4, $MANY);
    grows_by_memory_bytes(8, $MANY);
    grows_by_memory_bytes(16, @HALVES);

    # Thousands of parts, whose arrays have ever other sizes, leave no holes in the heap.
    $node->safe_psql('postgres', <<'SQL');
SELECT setseed(0.3);
CREATE TABLE uneven AS
  SELECT i AS id, ARRAY(SELECT floor(20000 * random() * random())::int
    FROM generate_series(1, (4 + exp(3.2 + 1.1 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())))::int + 0 * i)) AS tokens
  FROM generate_series(1, 8000) i;
VACUUM ANALYZE uneven;
SQL
    my ($counted) = (process_bytes('SELECT count(*) FROM (SELECT id, tokens FROM uneven) q'))[-1];
    my ($joined) = (process_bytes("SET neardup.join_memory = '128kB'; SELECT pairs FROM ppjoin_stats('SELECT id, tokens FROM uneven', 0.8)"))[-1];
    cmp_ok($joined - $counted, '<', 8 * 1024 * 1024, 'a join of thousands of parts does not grow with them');

    # A million tokens, each in two sets.
    for my $aggregate ('common_tokens(t, 0.5)', 'token_weights(t) IS NULL')
    {
        my $sets = 'FROM (SELECT ARRAY(SELECT generate_series(i * 50, i * 50 + 99))::tokenset AS t FROM generate_series(1, 20000) i) s';
        my ($read) = (process_bytes("SELECT sum(cardinality(t)) $sets"))[-1];
        my ($aggregated) = (process_bytes("SET work_mem = '1MB'; SET hash_mem_multiplier = 1; SELECT $aggregate $sets"))[-1];
        my $results = $aggregate =~ /weights/ ? 36 * 1024 * 1024 : 0;
        cmp_ok($aggregated - $read - $results, '<', 5 * 1024 * 1024, "$aggregate takes little more than work_mem and its result");
    }

    my $few = pages_and_bytes($MANY);
    my $more = pages_and_bytes("'$MANY_ROWS UNION ALL $MANY_ROWS UNION ALL $MANY_ROWS'");
    cmp_ok($few->{second_pages}, '<', $few->{first_pages} * 0.7, 'the next join of a session has pages of the last one');
    cmp_ok($few->{kept}, '<', $few->{memory} * 1.5, 'which are no more than it took');
    cmp_ok($more->{memory}, '>', 36 * 1024 * 1024, 'of a join that takes more than is kept');
    cmp_ok($more->{kept}, '<', 36 * 1024 * 1024, 'most is given back');
}

# What a NOTICE names is enough, for rows of each kind, whatever the first of them told.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE steady AS SELECT i AS id, ARRAY(SELECT (i::bigint * k * 7919) % 50021 FROM generate_series(1, 5 + i % 40) k)::tokenset AS t FROM generate_series(1, 12000) i;
CREATE TABLE distinct_late AS SELECT i AS id, ARRAY(SELECT CASE WHEN i < 2000 THEN k ELSE i * 100 + k END FROM generate_series(1, 20) k)::tokenset AS t FROM generate_series(1, 10000) i;
CREATE TABLE long_keys AS SELECT repeat('k', i % 300) || i AS id, ARRAY(SELECT (i * k) % 503 FROM generate_series(1, 3 + i % 10) k) AS t FROM generate_series(1, 10000) i;
CREATE TABLE words AS SELECT i AS id, md5(i::text) || ' ' || md5((i % 5000)::text) AS t FROM generate_series(1, 10000) i;
CREATE TABLE fingerprints AS SELECT id, simhash(t) AS t, minhash(t, 32) AS sketch FROM steady;
SQL
my @NOTICED = (
    "ppjoin('SELECT id, t FROM steady', 0.8)", "ppjoin('SELECT id, t FROM steady', 0.8, 'idf_cosine')", "ppjoin('SELECT id, t FROM steady', 0.7, 'jaccard', 'ppjoin')",
    "ppjoin('SELECT id, t FROM steady ORDER BY cardinality(t) DESC', 0.9, against => 'SELECT id, t FROM distinct_late')",
    "ppjoin('SELECT id, t FROM distinct_late', 0.9)", "ppjoin_keyed(NULL::text, 'SELECT id, t FROM long_keys', 0.95)",
    "lsh_join('SELECT id, t FROM steady', 0.8)", "sketch_overlap_join('SELECT id, sketch FROM fingerprints', 30)", "simhash_join('SELECT id, t FROM fingerprints', 1)",
    "edit_join('SELECT id, t FROM words', 1)", "passage_join('SELECT id, t FROM words', 2)", "repeated_passages('SELECT id, t FROM words', 2)",
    "topk_join('SELECT id, t FROM steady', 20)", "knn_join('SELECT id, t FROM steady', 2, 0.8)", "match_join('SELECT id, t FROM steady', 0.8)",
    "near_duplicates('steady', 'id', 't', 0.8, 't')", "near_duplicates('steady', 'id', 't', 0.8, 't', mode => 'connected')");
for my $call (@NOTICED)
{
    my $run = sub {
        my ($memory) = @_;
        my (undef, $out, $err) = $node->psql('postgres',
            "SET max_parallel_workers_per_gather = 0; SET neardup.join_memory = '$memory'; SELECT count(*) FROM $call");
        return ($out, $err);
    };
    my ($found, $said) = $run->('512kB');
    my @named = $said =~ /uses temporary files.*?SET neardup\.join_memory = '(\d+MB)'/sg;
    my ($kept, $said_then) = $run->($named[-1] // '1GB');
    ok(@named == 1 && $kept eq $found && $said_then eq '', "$call: one NOTICE, and what it names keeps the rows") or diag("$said\n$said_then\n$kept, $found");
}

yields('a set that alone is larger than the memory is joined all the same',
    "SET neardup.join_memory = '64kB';
     SELECT a, b, similarity FROM ppjoin('SELECT k, ARRAY(SELECT generate_series(k, 20000 + k)) FROM generate_series(1, 3) k', 0.9999) ORDER BY a, b",
    "1|2|0.9999000099990001\n2|3|0.9999000099990001");

my ($code, $stdout, $stderr) = $node->psql('postgres',
    "\\set VERBOSITY verbose\nSET neardup.join_memory = '64kB'; SET temp_file_limit = '64kB'; SELECT count(*) FROM ppjoin($R, 0.6);");
like($stderr, qr/ERROR:\s+53400/, 'temp_file_limit holds');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'),
    '0', 'no temporary file is left');

$node->psql('postgres',
    "SET neardup.join_memory = '64kB'; SET statement_timeout = 300; SELECT count(*) FROM ppjoin($R, 0.1);");
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'),
    '0', 'a canceled join leaves no temporary file');

$node->stop;
done_testing();
