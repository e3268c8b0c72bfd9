#!/usr/bin/env perl
# Every function and aggregate of the extension with odd arguments: any result and any error will do,
# but none that is internal, loses the session, or leaves locks, cursors, files or memory behind.
#
# A case is a transaction of calls, each in a savepoint, rolled back in the end.
use strict;
use warnings;
use utf8;

use FindBin;
use lib $FindBin::RealBin;
use Fuzz;

use constant CALLS => 100;
use constant MOST_BYTES => 32 * 1024 * 1024;

my @SETUP = split /\n/, <<'SQL';
CREATE EXTENSION IF NOT EXISTS neardup
CREATE EXTENSION IF NOT EXISTS neardup_clean
CREATE EXTENSION IF NOT EXISTS neardup_track
DROP SCHEMA IF EXISTS odd CASCADE
DROP FOREIGN DATA WRAPPER IF EXISTS nowhere CASCADE
CREATE SCHEMA odd
SET client_min_messages = warning
SET search_path = odd, public
CREATE TABLE docs (id int PRIMARY KEY, body text, key8 bigint, tokens tokenset, sketch minhash, hash simhash, tags text[], nums int[])
INSERT INTO docs SELECT i, CASE WHEN i % 7 > 0 THEN repeat('near duplicate ', i % 3) || i % 5 END, i, word_tokens('a b c ' || i % 4), minhash(word_set('a b ' || i % 4), 16), simhash(word_set('a b ' || i % 4)), ARRAY['a', (i % 3)::text], ARRAY[i % 3, i % 5] FROM generate_series(1, 40) i
CREATE INDEX docs_tokens ON docs USING neardup (tokens)
CREATE TABLE "Odd ""Names" ("Key, 1" int, "Text" text, PRIMARY KEY ("Key, 1"))
INSERT INTO "Odd ""Names" SELECT i, 'word ' || i % 2 FROM generate_series(1, 10) i
CREATE TABLE parted (id int, body text, tokens tokenset) PARTITION BY RANGE (id)
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (20)
CREATE TABLE parted_2 PARTITION OF parted DEFAULT
INSERT INTO parted SELECT id, body, tokens FROM docs
CREATE TABLE empty (id int, body text, tokens tokenset)
CREATE TABLE child () INHERITS (empty)
CREATE UNLOGGED TABLE unlogged (id uuid PRIMARY KEY, body text)
CREATE VIEW seen AS SELECT id, body, tokens FROM docs
CREATE MATERIALIZED VIEW kept AS TABLE seen
CREATE SEQUENCE counter
CREATE TYPE pair AS (a int, b int)
CREATE DOMAIN small AS int CHECK (VALUE < 10)
CREATE FOREIGN DATA WRAPPER nowhere
CREATE SERVER nowhere FOREIGN DATA WRAPPER nowhere
CREATE FOREIGN TABLE far (id int, body text) SERVER nowhere
CREATE TABLE followed AS SELECT id, body FROM docs
ALTER TABLE followed ADD PRIMARY KEY (id)
SELECT neardup_track('followed', 'id', 'word_tokens(body)', 0.5)
CREATE TEMPORARY TABLE passing AS SELECT id, body, tokens FROM docs
SET statement_timeout = '2s'
SQL

my @RELATIONS = ('docs', 'followed', '"Odd ""Names"', 'parted', 'parted_1', 'empty', 'child', 'unlogged', 'seen', 'kept', 'counter',
    'far', 'passing', 'docs_tokens', 'docs_pkey', 'pg_class', 'pg_proc', 'pg_authid', 'pg_toast.pg_toast_1255',
    'information_schema.tables', 'neardup_tracked', 'public.neardup_tracked', 'pair');
my @COLUMNS = ('id', 'body', 'key8', 'tokens', 'Key, 1', 'Text', '"Key, 1"', '', 'none', 'ctid', 'oid', 'relname', 'a' x 70, 'id; DROP', 'é');
my @WORDS = ('jaccard', 'cosine', 'dice', 'overlap', 'hamming', 'containment', 'idf_jaccard', 'idf_cosine', 'Jaccard', 'edit',
    'allpairs', 'ppjoin', 'ppjoin+', 'auto', 'connected', 'star', 'complete', 'datasketch', 'datasketch-legacy', 'affine32', 'legacy', 'neardup', 'none', '');
my @KEYS = ('id', 'key8', 'id::int2', 'id::text', 'NULL', 'id % 3', 'NULLIF(id, 3)', 'id::float8', 'body', 'id::numeric', 'md5(body)::uuid',
    "ARRAY[id]", 'ROW(id, 1)', 'point(id, 1)', 'hash', '1');
my @SETS = ('tokens', 'word_tokens(body)', 'word_set(body)', 'nums', 'tags', "to_tsvector('simple', body)", 'body', 'sketch', 'hash', 'id',
    'NULL', 'NULL::tokenset', "'{}'::tokenset", 'nums::int8[]', 'ARRAY[nums, nums]', 'ARRAY[NULL::int]', 'body::varchar(9)', 'ROW(1)',
    "(SELECT tokens FROM docs d WHERE d.id > docs.id LIMIT 1)", 'simhash(tokens)', 'minhash(tokens, 1 + id % 2)', 'qgram_tokens(body, 2)', 'word_qgram_tokens(body, 3)',
    'shingle_set(code_words(body), 2)', 'repeat(body, 300)', '1 / (id - 7)', 'body::bytea', 'id::float8');
my @QUERIES = ('', ' ', ';', '--', 'SELECT', 'SELECT 1', 'SELECT 1, 2, 3, 4', "SELECT 1, tokenset '{1}';", "SELECT 1, tokenset '{1}'; SELECT 2, tokenset '{2}'",
    'TABLE docs', 'TABLE passing', "VALUES (1, '{1,2}'::tokenset), (2, '{1,2}')", 'SELECT * FROM nowhere', 'SELECT id, tokens FROM docs FOR UPDATE',
    'INSERT INTO empty SELECT id, body, tokens FROM docs', 'DELETE FROM docs RETURNING id, tokens', 'WITH x AS (DELETE FROM docs RETURNING id, tokens) TABLE x',
    "SELECT nextval('counter'), tokens FROM docs", 'UPDATE docs SET id = id + 100', 'COMMIT', 'ROLLBACK', 'SAVEPOINT t', 'ROLLBACK TO s', 'BEGIN',
    'CREATE TABLE made AS TABLE docs', 'SELECT id, tokens INTO made FROM docs', 'DROP TABLE docs', 'TRUNCATE docs', 'LOCK docs', 'COPY docs TO STDOUT',
    'EXPLAIN SELECT 1', 'SHOW work_mem', 'SET work_mem = 64', 'DO $$BEGIN END$$', 'VACUUM', 'PREPARE q AS SELECT 1', 'EXECUTE q', 'DECLARE c CURSOR FOR SELECT 1',
    'FETCH ALL FROM c', 'SELECT $1, $2', 'SELECT id, pg_sleep(0.001) FROM docs', "SELECT id, repeat(body, 30000) FROM docs", "SELECT id, word_tokens(body) FROM far",
    'SELECT a, b FROM match_join(\'SELECT id, tokens FROM docs\', \'SELECT id, tokens FROM docs\', 0.5)',
    "SELECT a, b FROM ppjoin('SELECT id, tokens FROM docs', 0.5)", "SELECT a, b, similarity FROM ppjoin('SELECT id, tokens FROM docs', 0.5)",
    "SELECT id, (SELECT tokenset_union_agg(tokens) FROM docs) FROM docs", "SELECT count(*), near_duplicates('docs', 'id', 'body', 0.5)::text FROM docs",
    "SELECT id, set_config('neardup.similarity_threshold', '0.1', true) FROM docs", 'SELECT i, tokenset(ARRAY[i]) FROM generate_series(1, 3000) i',
    "SELECT i, (SELECT 'x') FROM generate_series(1, 2000) i", 'SELECT id, id + 1 FROM docs', 'SELECT id, id FROM docs', 'SELECT id, NULL::int FROM docs',
    'SELECT id % 5, id % 7 FROM docs', 'SELECT NULL, NULL', 'SELECT id AS a, id + 1 AS b, 0.5 AS similarity FROM docs', "SELECT 'x', 'y'", 'SELECT', 'SELECT FROM docs',
    "SELECT id, 'NaN'::float8 FROM docs", 'SELECT neardup_track(\'docs\', \'id\', \'tokens\', 0.5)', "SELECT 'a' COLLATE \"C\", tokenset '{1}'",
    'WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM r WHERE n < 500) SELECT n, n + 1 FROM r', 'WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM r) SELECT n, n FROM r');
# Between the calls.
my @CHANGES = ("UPDATE followed SET body = 'near duplicate 1' WHERE id % 5 = 1", 'DELETE FROM followed WHERE id < 9', 'TRUNCATE followed',
    "INSERT INTO followed SELECT i, 'near ' || i % 9 FROM generate_series(100, 130) i ON CONFLICT DO NOTHING", 'DROP TABLE followed',
    'INSERT INTO docs SELECT id + 1000, body, key8, tokens FROM docs', 'DROP INDEX docs_tokens', 'ALTER TABLE followed RENAME body TO text',
    'ALTER TABLE docs DROP COLUMN tags', "SET LOCAL neardup.join_memory = '64kB'", 'SET LOCAL enable_seqscan = off',
    "SET LOCAL neardup.similarity_threshold = 0.1", 'SET LOCAL neardup.progress = on', 'ANALYZE docs', 'CREATE INDEX ON followed USING gin (word_tokens(body))');
my @INTEGERS = (0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 63, 64, 65, 127, 128, 129, 256, 512, 1000, 65535, 65536, 1000000, 2147483646, 2147483647,
    -1, -2, -128, -2147483647, '-2147483648');
my @FLOATS = ("'NaN'", "'Infinity'", "'-Infinity'", 0, "'-0'", 1, 0.5, 0.8, 0.05, 2, -1, '1e-300', '1e308', '5e-324', '1.0000000000000002',
    '0.9999999999999999', '0.6666666666666666', 1000000, 9007199254740993);

my %VALUE = (
    bool => sub { $_[0]->pick('true', 'false') },
    int2 => sub { $_[0]->pick(0, 1, -1, 32767, '-32768') },
    int4 => sub { $_[0]->chance(70) ? $_[0]->pick(@INTEGERS) : $_[0]->below(300) },
    int8 => sub { $_[0]->chance(70) ? $_[0]->pick(@INTEGERS, '9223372036854775807', "'-9223372036854775808'", 4294967296, -4294967297) : $_[0]->next_number },
    float8 => sub { $_[0]->chance(90) ? $_[0]->pick(@FLOATS) : $_[0]->below(1000) / 1000 },
    numeric => sub { $_[0]->pick(@FLOATS[0 .. 4], "'1e131071'", "'1e-16383'", '1e100', 0.05, 3, -1, $_[0]->below(100000) / 100) },
    date => sub { $_[0]->pick("'infinity'", "'-infinity'", "'4713-01-01 BC'", "'0001-12-31 BC'", "'1980-02-29'", "'5874897-12-31'") },
    jsonb => sub { $_[0]->chance(30) ? $_[0]->pick("'{}'", "'[]'", "'1'", "'{\"a\": 1}'", "'{\"-\": \"x\"}'", "'{\"a\": \"b\", \"A\": \"c\"}'")
        : 'jsonb_build_object(' . join(', ', map { literal(random_text($_[0], 4) . 'x'), $_[0]->chance(30) ? 'NULL' : literal(random_text($_[0], 4)) } 1 .. 1 + $_[0]->below(4)) . ')' },
    text => \&any_text,
    cstring => sub { literal($_[0]->chance(50) ? array_literal(random_set($_[0], 5, 9)) =~ tr/'//dr : random_text($_[0], 5)) },
    name => sub { literal($_[0]->pick(@COLUMNS)) },
    regclass => sub { $_[0]->chance(90) ? literal($_[0]->pick(@RELATIONS)) : $_[0]->pick(0, 1, 1259, 4294967295) },
    bytea => \&bytes,
    uuid => sub { "md5('" . $_[0]->below(9) . "')" },
    bit => sub { "B'" . $_[0]->pick('', '1', '10' x 32, '0' x 64, '1' x 63, '1' x 65, '01' x 500) . "'" },
    tsvector => sub { $_[0]->pick("''", "to_tsvector('simple', " . literal(random_text($_[0])) . ')', "'a:1A,2,16383 b:3'", "'x'", "array_to_tsvector('{a,b,c}')",
        "(SELECT string_agg('w' || i || ':' || i, ' ')::tsvector FROM generate_series(1, 5000) i)") },
    tokenset => sub { $_[0]->chance(80) ? array_literal(random_set($_[0], 30, 40))
        : $_[0]->pick("word_tokens(" . literal(random_text($_[0])) . ')', '(SELECT tokenset(array_agg(i)) FROM generate_series(1, 20000) i)') },
    simhash => sub { $_[0]->pick("'0000000000000000'", "'ffffffffffffffff'", sprintf("'%016x'", $_[0]->next_number), 'simhash(word_tokens(' . literal(random_text($_[0])) . '))') },
    simhash_ball => sub { "simhash_ball(" . value($_[0], 'simhash') . ', ' . $_[0]->pick(0, 1, 3, 63, 64, 65, -1) . ')' },
    tokenset_ball => sub { 'jaccard_ball(' . value($_[0], 'tokenset') . ', ' . $_[0]->pick(1, 0.5, 0.8, 2, 0.01) . ')' },
    minhash => sub { "minhash" . $_[0]->pick('', '', '_b') . "(tokenset " . array_literal(random_set($_[0], 9, 20)) . ', ' . $_[0]->pick(1, 4, 4, 4, 16, 128, 129)
        . ', ' . $_[0]->pick(1, 1, 1, 2, 8, 7) . ')' },
    token_weights => sub { $_[0]->pick('(SELECT token_weights(tokens) FROM docs)', '(SELECT token_weights(tokenset(ARRAY[i, i / 2])) FROM generate_series(1, 50) i)',
        '(SELECT token_weights(NULL))') },
    tokenset_query => sub { 'tokenset_query(' . join(', ', literal($_[0]->pick(@WORDS[0 .. 7])), value($_[0], 'tokenset'), $_[0]->pick(1, 0.5, 0.8, 2, 0.01)) . ')' },
    tokenset_column => sub { literal($_[0]->pick('', 'docs.tokens', 'odd.docs.tokens', 'none', '0 0', '1 1', random_text($_[0], 3))) },
    int4multirange => sub { literal('{' . join(',', map { my ($from, $to) = sort { $a <=> $b } $_[0]->below(20), $_[0]->below(40); "[$from,$to)" } 1 .. $_[0]->below(5)) . '}') },
    record => sub { 'ROW(' . join(', ', map { $_[0]->pick(@INTEGERS) } 1 .. $_[0]->below(4)) . ')' },
);

my @SANE_QUERIES = (
    [ qr/edit|link_tables|passage/ => 'SELECT id, body FROM docs' ], [ qr/simhash/ => 'SELECT id, hash FROM docs' ], [ qr/sketch|supershingle/ => 'SELECT id, sketch FROM docs' ],
    [ qr/match_pairs/ => 'SELECT id, id % 7, id / 50.0::float8 FROM docs' ], [ qr/quality/ => 'SELECT id, id + 1 FROM docs' ],
    [ qr/clusters/ => 'SELECT id, id % 7 FROM docs' ], [ qr/near_dup|track|explain/ => 'TABLE docs' ], [ qr// => 'SELECT id, tokens FROM docs' ]);
my %SANE = (
    int4 => sub { 1 + $_[0]->below(4) }, int8 => sub { $_[0]->below(9) }, float8 => sub { $_[0]->pick(0.3, 0.5, 0.8, 1) }, regclass => sub { $_[0]->pick("'docs'", "'followed'") },
    name => sub { $_[1] eq 'text' ? "'body'" : "'id'" });

# An argument with which the call will do something.
sub sane_value
{
    my ($random, $function, $type, $name) = @_;

    return 'NULL::int4' if $name eq 'key_type';
    return "'SELECT id, body FROM docs WHERE id % 3 > 0'" if $name eq 'query_b';
    return literal((grep { $function->{name} =~ $_->[0] } @SANE_QUERIES)[0][1]) if $name =~ /query/;
    return "'docs_tokens'" if $name eq 'index';
    return $function->{name} =~ /explain|side_by_side/ ? "'word_tokens'" : "'word_tokens(body)'" if $name eq 'tokens' && $type eq 'text';
    return "'id DESC'" if $name eq 'keep';
    return $function->{name} eq 'heaviest_tokens_query' ? "'idf_cosine'" : "'jaccard'" if $name eq 'measure';
    return $random->pick("'connected'", "'star'") if $name eq 'mode';
    return $SANE{$type} ? $SANE{$type}->($random, $name) : value($random, $type, $name);
}

# What a name of an argument asks for, mostly.
sub any_text
{
    my ($random, $name) = @_;
    my $text = random_text($random);

    if ($random->chance(85))
    {
        return literal(query($random)) if $name =~ /query|pairs|truth|found|expected/;
        return literal($random->pick(@WORDS)) if $name =~ /measure|algorithm|mode|profile/;
        return literal($random->pick(@SETS, @COLUMNS)) if $name eq 'tokens';
        return literal($random->pick('id', 'id DESC', 'body, id', 'length(body) DESC NULLS LAST', '', '1', 'none', 'id;', 'random()', '(SELECT 1)')) if $name eq 'keep';
    }
    return $random->pick(literal($text), literal($text), literal($text), "repeat(" . literal($text) . ", " . $random->pick(100, 3000) . ')', "''",
        literal($random->pick(@WORDS)), literal($random->pick(@COLUMNS)), literal(query($random)));
}

sub query
{
    my ($random) = @_;

    return $random->pick(@QUERIES) if $random->chance(30);
    return sprintf 'SELECT %s, %s FROM docs', $random->chance(60) ? 'id' : $random->pick(@KEYS), $random->chance(50) ? $random->pick(@SETS[0 .. 8]) : $random->pick(@SETS);
}

sub bytes
{
    my ($random) = @_;
    my $list = sub {
        my $bits = $random->pick(64, 128);
        return "(SELECT posting_list_agg(i, i % 5 + 1, i % 3, tokenset_signature(tokenset(ARRAY[i % 4, 7]), $bits), 0, 0) FROM generate_series(1, 9) i)" };

    return $random->pick("''", sprintf("'\\x%s'", join '', map { sprintf '%02x', $random->below(256) } 1 .. $random->below(40)),
        "tokenset_signature(tokenset '{1,2}', 64)", $list->(), $list->(), 'set_byte(' . $list->() . ', ' . $random->below(40) . ', ' . $random->below(256) . ')',
        'substr(' . $list->() . ', ' . $random->pick('1, ', '2, ') . $random->below(90) . ')', 'tokenset_send(' . value($random, 'tokenset') . ')');
}

my @ANY_TYPES = ('int4', 'int8', 'text', 'uuid', 'numeric', 'float8', 'point', 'json', 'int4[]', 'pair', 'small', 'record', 'bool', 'tokenset', 'simhash', 'minhash',
    'name', 'varchar', 'date', 'bytea', 'docs', 'void', 'anyelement', 'interval', 'xid');

# An SQL expression of the type, or a bare literal that the call's resolution takes for one.
sub value
{
    my ($random, $type, $name) = @_;

    $name //= '';
    return $random->chance(50) ? 'NULL' : "NULL::$type" =~ s/::any\w+/::int4/r if $random->chance(7);
    return 'NULL::' . $random->pick(@ANY_TYPES) if $type =~ /^any/ && $random->chance(80);
    $type = $random->pick('int4', 'text', 'tokenset', 'record') if $type =~ /^any/;
    return array($random, $1, $name) if $type =~ /^_(.*)/;
    my $value = $VALUE{$type} ? $VALUE{$type}->($random, $name) : literal(random_text($random, 3));
    return $random->chance(10) || $type eq 'record' ? $value : "$value\::$type" =~ s/^(-[\d.]+)/($1)/r;
}

sub array
{
    my ($random, $type, $name) = @_;
    my $shape = $random->below(10);
    my @elements = map { $type eq 'text' ? literal(random_text($random, 3)) : value($random, $type, $name) } 1 .. $random->below(6);

    return "'{}'::$type\[]" if $shape == 0 || !@elements;
    return "ARRAY[ARRAY[$elements[0]], ARRAY[$elements[-1]]]::$type\[]" if $shape == 1;
    return "ARRAY[NULL, $elements[0]]::$type\[]" if $shape == 2;
    return "'[-2:0]={1,2,3}'::$type\[]" if $shape == 3;
    return "(SELECT array_agg(i)::$type\[] FROM generate_series(1, 5000) i)" if $shape == 4;
    return 'ARRAY[' . join(', ', @elements) . "]::$type\[]";
}

sub call
{
    my ($random, $function) = @_;
    my @types = @{ $function->{types} };
    my $given = @types - ($random->chance(50) ? $random->below($function->{defaults} + 1) : 0);
    my $sane = $random->pick(0, 80, 100);
    my @arguments = map { ($random->chance($sane) ? sane_value($random, $function, $types[$_], $function->{names}[$_] // '') : value($random, $types[$_], $function->{names}[$_])) } 0 .. $given - 1;

    return aggregate($random, $function, @arguments) if $function->{kind} eq 'a';
    my $call = sprintf '%s(%s)', $function->{name}, join ', ', @arguments;
    my $cursor = 'k' . $random->next_number;
    return "CALL $call" if $function->{kind} eq 'p';
    return $random->pick("SELECT $call", "SELECT count(*) FROM $call", "SELECT * FROM $call f LIMIT 2", "SELECT count(f::text) FROM $call f",
        "SELECT count(x::text) FROM (SELECT $call AS x FROM generate_series(1, 3)) s", "SELECT EXISTS (SELECT FROM $call)",
        "SELECT count(*) FROM docs, LATERAL $call f WHERE id < 4", "DECLARE $cursor CURSOR FOR SELECT * FROM $call f; FETCH 1 FROM $cursor" . $random->pick('', "; CLOSE $cursor"),
        "DEALLOCATE ALL; PREPARE r AS SELECT $call; EXECUTE r; EXECUTE r",
        "DO \$do\$BEGIN PERFORM $call; EXCEPTION WHEN division_by_zero OR data_exception THEN END\$do\$",
        "SELECT count(*) FROM (SELECT $call AS x OFFSET 0) s WHERE x IS NOT NULL GROUP BY x::text");
}

sub aggregate
{
    my ($random, $function, @arguments) = @_;
    my @varied = map { $function->{types}[$_] eq 'tokenset' ? $random->pick('tokens', $arguments[$_])
          : $function->{types}[$_] eq 'minhash' ? $random->pick('sketch', $arguments[$_])
          : $function->{types}[$_] =~ /int|float/ ? $random->pick("id::$function->{types}[$_]", "(id % 3)::$function->{types}[$_]", $arguments[$_]) : $arguments[$_] } 0 .. $#arguments;
    my $list = join ', ', @varied;
    my $from = 'FROM docs' . $random->pick('', '', ' WHERE false', ' WHERE id < 3', ' GROUP BY id % 3', ' GROUP BY ROLLUP (id % 2, body)');
    my $call = $random->pick("$function->{name}($list)", "$function->{name}(DISTINCT $list)", "$function->{name}($list ORDER BY id DESC)",
        "$function->{name}($list) FILTER (WHERE id % 2 = 0)", "$function->{name}($list) FILTER (WHERE NULL)");

    return "SELECT count(x::text) FROM (SELECT $call AS x $from) s" if $random->chance(60);
    return sprintf 'SELECT count(x::text) FROM (SELECT %s(%s) OVER (%s) AS x FROM docs) s', $function->{name}, $list,
      $random->pick('', 'ORDER BY id', 'PARTITION BY id % 3 ORDER BY id', 'ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING',
        'ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING EXCLUDE CURRENT ROW', 'ORDER BY id % 4 RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW');
}

my $session = Fuzz::Session->new;

# What is wrong after the calls in a transaction; undef where nothing is.
sub fault_of
{
    my (@calls) = @_;

    $session->run('BEGIN');
    for my $call (@calls)
    {
        my $result = $session->run("SAVEPOINT s; $call");
        return "$result->{state} $result->{message}" if is_fault($result->{state});
        my ($warning) = map { $_->[1] } grep { $_->[1] =~ /leak|still referenced|not closed|unexpected|problem/ } @{ $result->{notices} };
        return "WARNING $warning" if $warning;
        my $after = $session->run($result->{state} ? 'ROLLBACK TO s' : 'RELEASE s');
        return "after the call: $after->{state} $after->{message}" if is_fault($after->{state});
        # A call may end the transaction, or drop the savepoint.
        $session->run('ROLLBACK; BEGIN') if $after->{state};
    }
    my $end = $session->run('ROLLBACK');
    my ($warning) = map { $_->[1] } grep { $_->[1] !~ /no transaction/ } @{ $end->{notices} };
    return "at the end: $end->{message}" if $end->{state};
    return "WARNING at the end: $warning" if $warning;
    return left_behind();
}

sub left_behind
{
    my $result = $session->run(<<'SQL');
SELECT concat_ws(', ',
    (SELECT 'locks: ' || string_agg(concat_ws(' ', locktype, mode, relation::regclass::text), '; ') FROM pg_locks
     WHERE pid = pg_backend_pid() AND NOT (locktype = 'virtualxid' OR relation IN ('pg_locks'::regclass))
     AND NOT (locktype = 'relation' AND mode = 'AccessShareLock')),
    (SELECT 'cursors: ' || string_agg(name, ' ') FROM pg_cursors WHERE name <> ''),
    (SELECT 'files: ' || string_agg(name, ' ') FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '%')),
    (SELECT sum(total_bytes) FROM pg_backend_memory_contexts)
SQL

    return "$result->{state} $result->{message}" if $result->{state};
    my ($left, $bytes) = @{ $result->{rows}[0] };
    return "left behind: $left" if $left ne '';
    return $bytes > MOST_BYTES ? "the session holds $bytes bytes" : undef;
}

# The server may be about to notice a crash, and end the session once more.
sub fresh_session
{
    for (1 .. 10)
    {
        $session->close;
        next unless $session->connect;
        return 1 unless grep { is_fault($session->run($_)->{state}) } @SETUP;
    }
    return 0;
}

# The calls without which the same fault would not come, in fresh sessions.
sub smallest
{
    my (@calls) = @_;
    my $holds = sub { return fresh_session() && defined fault_of(@_) };
    my ($alone) = grep { $holds->($_) } reverse @calls;
    return defined $alone ? $alone : $holds->(@calls) ? shrink($holds, @calls) : @calls;
}

$session->rows($_) for @SETUP;
my @functions = map { { name => $_->[0], kind => $_->[1], types => [ split ' ', $_->[2] ], names => [ split /,/, $_->[3] // '' ], defaults => $_->[4] } } $session->rows(<<'SQL');
SELECT p.oid::regproc, p.prokind,
       (SELECT coalesce(string_agg(t.typname, ' ' ORDER BY n), '') FROM unnest(p.proargtypes) WITH ORDINALITY a(oid, n) JOIN pg_type t ON t.oid = a.oid),
       (SELECT string_agg(coalesce(p.proargnames[n], ''), ',' ORDER BY n) FROM generate_series(1, p.pronargs) n),
       p.pronargdefaults
FROM pg_proc p LEFT JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
LEFT JOIN pg_extension e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass
WHERE (p.probin = '$libdir/neardup' OR e.extname IN ('neardup', 'neardup_clean', 'neardup_track')) AND p.prorettype NOT IN ('internal'::regtype, 'trigger'::regtype, 'index_am_handler'::regtype)
AND NOT 'internal'::regtype = ANY (p.proargtypes)
ORDER BY p.oid::regprocedure::text
SQL

fuzz('calls', sub {
    my ($random) = @_;
    my @calls = map { $random->chance(5) ? $random->pick(@CHANGES) : call($random, $random->pick(@functions)) } 1 .. CALLS;

    my $fault = fault_of(@calls) // return CALLS;
    difference($fault, @SETUP, 'BEGIN', (map { ('SAVEPOINT s', $_) } smallest(@calls)), 'ROLLBACK');
});
