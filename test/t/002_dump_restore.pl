# A tokenset survives dump and restore and binary COPY; malformed binary input is refused.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";
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
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $server, 'the server is the same one');
unlike(slurp_file($node->logfile), qr/PANIC|terminated by signal|TRAP:/, 'and none of its processes crashed');

$node->stop;
done_testing();
