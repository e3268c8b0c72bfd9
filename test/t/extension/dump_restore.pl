# A tokenset and a minhash survive dump and restore and binary COPY; malformed binary input is refused.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('dump');
my $directory = PostgreSQL::Test::Utils::tempdir();

$node->safe_psql('postgres', q{CREATE DATABASE source; CREATE DATABASE target});
$node->safe_psql('source', q{
    CREATE EXTENSION neardup;
    CREATE TABLE docs (id int PRIMARY KEY, tokens tokenset);
    INSERT INTO docs
        SELECT i, tokenset(ARRAY(SELECT (i * 7919 + j * j)::int8 - 1000 FROM generate_series(1, i % 40) j))
        FROM generate_series(1, 500) i;
    INSERT INTO docs VALUES (0, NULL), (-1, '{}'), (-2, '{-9223372036854775808,9223372036854775807}');
    INSERT INTO docs SELECT -3, tokenset(array_agg(i::int8)) FROM generate_series(1, 100000) i;
    CREATE INDEX docs_hash ON docs USING hash (tokens);
    CREATE INDEX docs_btree ON docs (tokens) WHERE id > 0;
    CREATE INDEX docs_gin ON docs USING gin (tokens);
    CREATE INDEX docs_neardup ON docs USING neardup ((id % 3), tokens);
    CREATE TABLE names (id int, name varchar(9));
    INSERT INTO names SELECT i, left(md5((i / 2)::text), i % 9) FROM generate_series(1, 300) i;
    CREATE INDEX names_edit ON names USING neardup (name edit_ops);
    CREATE INDEX names_scope ON names USING neardup (id, lower(name) edit_ops) WHERE id > 5;
    CREATE TABLE sketches AS SELECT id, kind, sketch FROM docs, LATERAL (VALUES
        (1, minhash(tokens, 16)), (2, minhash(tokens, 33, 5, -7)), (3, minhash_datasketch(ARRAY[id::text], 4)), (4, minhash_datasketch(ARRAY[id::text], 4, 1, 'legacy'))) AS s (kind, sketch);
    CREATE INDEX sketches_hash ON sketches USING hash (sketch);
    CREATE INDEX sketches_bands ON sketches USING gin (lsh_bands(sketch, 4, 4)) WHERE kind = 1;
    CREATE MATERIALIZED VIEW pairs AS SELECT * FROM ppjoin('SELECT id, tokens FROM public.docs', 0.6);
    CREATE MATERIALIZED VIEW clusters AS
        SELECT * FROM cluster_pairs('SELECT a, b FROM public.ppjoin(''SELECT id, tokens FROM public.docs'', 0.6)');
    CREATE MATERIALIZED VIEW duplicates AS SELECT * FROM near_duplicates('docs', 'id', 'tokens', 0.6, 'public.word_tokens(tokens::text)');
    CREATE TABLE people AS SELECT i AS id, left(md5((i % 250)::text), 9 - i / 250) AS name, date '2000-01-01' + i % 250 AS born FROM generate_series(1, 499) i;
    CREATE INDEX people_records ON people USING neardup (record_tokens(ROW(name, born)));
    CREATE TABLE models AS SELECT learn_records('people', 'id') AS model;
    CREATE TABLE queries (query tokenset_query);
    INSERT INTO queries VALUES ('containment({1,2}, x) >= 0.1'), ('hamming(x, {}) <= 3'), (NULL);
});

my $all_rows = 'SELECT count(*), md5(string_agg(id || tokens::text, E\'\n\' ORDER BY id)) FROM docs';
my $rows = $node->safe_psql('source', $all_rows);

# dump and restore
$node->command_ok([ 'pg_dump', '-f', "$directory/dump.sql", '-d', $node->connstr('source') ], 'pg_dump');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$directory/dump.sql", '-d', $node->connstr('target') ],
    'the dump restores');
is($node->safe_psql('target', $all_rows), $rows, 'the restored rows are the same');
is( $node->safe_psql('target', q{
        SET enable_seqscan = off;
        SELECT count(*) FROM docs x JOIN docs y ON x.tokens = y.tokens WHERE x.id = 77 AND y.id > 0}),
    $node->safe_psql('source', q{SELECT count(*) FROM docs x JOIN docs y ON x.tokens = y.tokens WHERE x.id = 77 AND y.id > 0}),
    'the restored indexes find what the table holds');

my $matches = q{SELECT query, (SELECT count(*) FROM docs WHERE tokens @~ query) FROM queries ORDER BY query::text};
is($node->safe_psql('target', "SET enable_seqscan = off; $matches"), $node->safe_psql('source', $matches),
    'so do restored queries by a restored GIN index');

my $lookups = q{SELECT count(*) FROM names x, LATERAL (SELECT FROM names y WHERE edit_within(y.name, x.name, 1) OFFSET 0) y;
    SELECT count(*) FROM names x, LATERAL (SELECT FROM names y WHERE y.id > 5 AND y.id = x.id AND edit_distance(lower(y.name), upper(x.name)) <= 2 OFFSET 0) y;
    SELECT array_agg(distance) FROM (SELECT tokens <@>> '{-1000,6920,14840}' AS distance FROM docs WHERE id % 3 = 1 ORDER BY 1 LIMIT 50) n};
is($node->safe_psql('target', "SET enable_seqscan = off; SET enable_sort = off; $lookups"), $node->safe_psql('source', "SET enable_indexscan = off; SET enable_bitmapscan = off; $lookups"),
    'so do restored indexes of texts and scopes');
is( $node->safe_psql('target', q{SELECT count(*) FROM (VALUES ('docs_neardup', 504), ('names_edit', 300), ('names_scope', 295)) v (index, rows) WHERE (neardup_index_check(index)).rows = rows}),
    '3', 'which have all rows');

my $model = q{SELECT md5(model::text), model = learn_records('people', 'id'), (SELECT count(*) FROM duplicate_records('people', 'id', model => model)) FROM models};
is($node->safe_psql('target', $model), $node->safe_psql('source', $model), 'so is a model of records');
is( $node->safe_psql('target', q{SET enable_seqscan = off; SELECT count(*) FROM people WHERE record_tokens(ROW(name, born)) @> record_tokens(ROW(date '2000-01-08'))}),
    '2', 'and an index on the tokens of records');

my $all_sketches = 'SELECT count(sketch), md5(string_agg(id || sketch::text, E\'\n\' ORDER BY id, kind)) FROM sketches';
is($node->safe_psql('target', $all_sketches), $node->safe_psql('source', $all_sketches), 'so are restored sketches the same');
my $candidates = q{SET enable_seqscan = off; SELECT count(*), count(DISTINCT s.id) FROM sketches s JOIN docs d ON lsh_candidate(s.sketch, minhash(d.tokens, 16), 4, 4) WHERE s.kind = 1 AND d.id BETWEEN 1 AND 100};
is($node->safe_psql('target', $candidates), $node->safe_psql('source', $candidates), 'and found by a restored index on their bands');

# Of a query's text, a restore finds only what is qualified
foreach my $view ('pairs', 'clusters', 'duplicates')
{
    my $all = "SELECT count(*) > 0, md5(string_agg(v::text, ' ' ORDER BY v::text)) FROM $view v";

    is($node->safe_psql('target', "$all; REFRESH MATERIALIZED VIEW $view; $all"), $node->safe_psql('source', "$all; $all"),
        "a materialized view over qualified names is restored, and refreshed: $view");
}
is(sqlstate_of($node, 'target', q{SET search_path = ''; SELECT public.ppjoin('SELECT id, tokens FROM docs', 0.6)}),
    '42P01', 'other names are not found so');

# binary COPY
$node->safe_psql('source', qq{
    COPY (SELECT id, tokens FROM docs ORDER BY id) TO '$directory/first.bin' (FORMAT binary);
    CREATE TABLE copied (id int, tokens tokenset);
    COPY copied FROM '$directory/first.bin' (FORMAT binary);
    COPY (SELECT id, tokens FROM copied ORDER BY id) TO '$directory/second.bin' (FORMAT binary);
});
is( $node->safe_psql('source', 'SELECT count(*) FROM docs x FULL JOIN copied y USING (id) WHERE x.tokens IS DISTINCT FROM y.tokens'),
    '0', 'binary COPY out and in gives the same rows');
ok(slurp_file("$directory/first.bin") eq slurp_file("$directory/second.bin"), 'and the same bytes');

$node->safe_psql('source', qq{
    COPY sketches TO '$directory/sketches.bin' (FORMAT binary);
    CREATE TABLE copied_sketches (LIKE sketches);
    COPY copied_sketches FROM '$directory/sketches.bin' (FORMAT binary);
});
is( $node->safe_psql('source', 'SELECT count(*) FROM sketches x FULL JOIN copied_sketches y USING (id, kind) WHERE x.sketch IS DISTINCT FROM y.sketch'),
    '0', 'and the same sketches');

# A file of binary COPY that holds one row of one column with this content.
sub write_copy_file
{
    my ($name, $content) = @_;
    my $path = "$directory/$name.bin";

    open my $file, '>:raw', $path or die "$path: $!";
    print $file "PGCOPY\n\377\r\n\0", pack('NN', 0, 0), pack('nN', 1, length $content), $content, pack('n', 0xffff);
    close $file;
    return $path;
}

sub binary_form
{
    my ($version, $count, @tokens) = @_;
    return pack('CN', $version, $count & 0xffffffff) . join '', map { pack 'q>', $_ } @tokens;
}

$node->safe_psql('source', 'CREATE TABLE input (tokens tokenset)');

my $well_formed = write_copy_file('well_formed', binary_form(1, 3, -5, 0, 9));
is(sqlstate_of($node, 'source', "COPY input FROM '$well_formed' (FORMAT binary)"), '00000', 'the documented binary form is accepted');
is($node->safe_psql('source', 'SELECT tokens FROM input'), '{-5,0,9}', 'and read as it is meant');

my %malformed = (
    'no byte at all' => '',
    'only a version' => pack('C', 1),
    'version 0' => binary_form(0, 1, 1),
    'version 2' => binary_form(2, 1, 1),
    'half a count' => pack('Cn', 1, 0),
    'a count above the tokens' => binary_form(1, 3, 1, 2),
    'a count below the tokens' => binary_form(1, 1, 1, 2),
    'a negative count' => binary_form(1, -1),
    'the greatest count' => binary_form(1, 0x7fffffff, 1),
    'the last token cut' => substr(binary_form(1, 2, 1, 2), 0, -1),
    'a byte behind the last token' => binary_form(1, 1, 1) . "\0",
    'tokens that descend' => binary_form(1, 2, 2, 1),
    'a repeated token' => binary_form(1, 2, 1, 1),
    'tokens ordered as if unsigned' => binary_form(1, 2, 1, -1));

my $server = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
my $number = 0;
foreach my $what (sort keys %malformed)
{
    my $path = write_copy_file('malformed' . $number++, $malformed{$what});
    my $sqlstate = sqlstate_of($node, 'source', "COPY input FROM '$path' (FORMAT binary)") // 'no SQLSTATE';

    # Where the message ends inside a field of the header, the server's own reader of messages may speak first.
    my $expected = length $malformed{$what} < 5 ? qr/^(22P03|08P01)$/ : qr/^22P03$/;
    like($sqlstate, $expected, "refused: $what");
}
is($node->safe_psql('source', 'SELECT count(*) FROM input'), '1', 'no malformed value came in');

# The same of sketches: version, profile, bits, mark of the empty set, k, seed, words.
sub sketch_form
{
    my ($version, $profile, $bits, $is_empty, $k, $seed, @words) = @_;
    return pack('CCCCN', $version, $profile, $bits, $is_empty, $k & 0xffffffff) . pack('q>', $seed) . pack('N*', @words);
}

$node->safe_psql('source', 'CREATE TABLE input_sketches (sketch minhash)');
my $number_of_sketch = 0;
foreach my $form (sketch_form(1, 0, 32, 0, 2, -1, 7, 4294967295), sketch_form(1, 1, 32, 1, 3, 1), sketch_form(1, 2, 5, 0, 7, 0, 0xffffffff, 7))
{
    my $path = write_copy_file('sketch' . $number_of_sketch++, $form);
    is(sqlstate_of($node, 'source', "COPY input_sketches FROM '$path' (FORMAT binary)"), '00000', "well-formed sketch $number_of_sketch is accepted");
}
is( $node->safe_psql('source', q{SELECT string_agg(sketch::text, '; ' ORDER BY sketch::text) FROM input_sketches}),
    'datasketch-legacy k=3 bits=32 seed=1 {}; external k=7 bits=5 seed=0 {31,31,31,31,31,31,31}; neardup k=2 bits=32 seed=-1 {7,4294967295}',
    'and read as it is meant');
my %malformed_sketches = (
    'no byte at all' => '',
    'only a version' => pack('C', 1),
    'version 2' => sketch_form(2, 0, 32, 0, 1, 1, 1),
    'an unknown profile' => sketch_form(1, 4, 32, 0, 1, 1, 1),
    'no bits' => sketch_form(1, 0, 0, 0, 1, 1, 1),
    '33 bits' => sketch_form(1, 0, 33, 0, 1, 1, 1, 1),
    'a mark of 2' => sketch_form(1, 0, 32, 2, 1, 1),
    'no component' => sketch_form(1, 0, 32, 0, 0, 1),
    'a negative number of components' => sketch_form(1, 0, 32, 0, -1, 1),
    'too many components' => sketch_form(1, 0, 1, 0, 16385, 1, (0) x 513),
    'the greatest number of components' => sketch_form(1, 0, 32, 0, 0x7fffffff, 1, 1),
    'a word too few' => sketch_form(1, 0, 32, 0, 2, 1, 1),
    'a word too many' => sketch_form(1, 0, 32, 0, 1, 1, 1, 1),
    'words of the empty set' => sketch_form(1, 0, 32, 1, 1, 1, 1),
    'half a word' => substr(sketch_form(1, 0, 32, 0, 1, 1, 1), 0, -2),
    'bits beyond the last component' => sketch_form(1, 0, 5, 0, 6, 1, 1 << 30));
foreach my $what (sort keys %malformed_sketches)
{
    my $path = write_copy_file('sketch' . $number_of_sketch++, $malformed_sketches{$what});
    my $sqlstate = sqlstate_of($node, 'source', "COPY input_sketches FROM '$path' (FORMAT binary)") // 'no SQLSTATE';
    my $expected = length $malformed_sketches{$what} < 16 ? qr/^(22P03|08P01)$/ : qr/^22P03$/;

    like($sqlstate, $expected, "refused of a sketch: $what");
}
is($node->safe_psql('source', 'SELECT count(*) FROM input_sketches'), '3', 'no malformed sketch came in');
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $server, 'the server is the same one');
unlike(slurp_file($node->logfile), qr/PANIC|terminated by signal|TRAP:/, 'and none of its processes crashed');

$node->stop;
done_testing();
