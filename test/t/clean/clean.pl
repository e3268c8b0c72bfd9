# A log of merges is dumped and restored, as the tables are, and undoes there what was merged elsewhere. What a session
# merged at the defaults of a fresh server is so.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('clean');
my $directory = PostgreSQL::Test::Utils::tempdir();

$node->safe_psql('postgres', 'CREATE DATABASE source; CREATE DATABASE target');
$node->safe_psql('source', q{
    CREATE EXTENSION neardup;
    CREATE EXTENSION neardup_clean;
    CREATE SCHEMA shop;
    CREATE TABLE shop.customers (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, changed timestamptz);
    CREATE TABLE shop.orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES shop.customers ON DELETE CASCADE);
    CREATE TABLE shop.tags (customer int REFERENCES shop.customers, tag text, PRIMARY KEY (customer, tag));
    INSERT INTO shop.customers (name, changed) SELECT 'customer ' || i, '2024-01-01'::timestamptz + i * '1 hour'::interval FROM generate_series(1, 3000) i;
    INSERT INTO shop.orders SELECT i, 1 + i % 3000 FROM generate_series(1, 9000) i;
    INSERT INTO shop.tags SELECT i, 'tag ' || i % 2 FROM generate_series(1, 3000) i;
});
my $content = q{SELECT md5(string_agg(t::text, '' ORDER BY t::text COLLATE "C")) FROM (
    SELECT 'c', c::text FROM shop.customers c UNION ALL SELECT 'o', o::text FROM shop.orders o UNION ALL SELECT 't', t::text FROM shop.tags t) AS t};
my $before = $node->safe_psql('source', $content);
is($node->safe_psql('source', q{SELECT count(*), sum((moved ->> 'shop.orders')::int), sum((went ->> 'shop.tags')::int)
        FROM merge_duplicates('shop.customers', 'id', 'SELECT id, id - 2 FROM shop.customers WHERE id % 4 IN (3, 0)', rules => '{"changed": "greatest"}', log => 'shop.log')}),
    '1500|4500|1500', 'rows are merged');
my $merged = $node->safe_psql('source', $content);
isnt($merged, $before, 'which changes tables');

$node->command_ok([ 'pg_dump', '-f', "$directory/dump.sql", '-d', $node->connstr('source') ], 'pg_dump');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$directory/dump.sql", '-d', $node->connstr('target') ], 'the dump restores');
is($node->safe_psql('target', $content), $merged, 'with what was merged');
is($node->safe_psql('target', q{SELECT * FROM undo_merge('shop.log', 1) ORDER BY rel::text}), "shop.customers|1500|1500\nshop.orders|0|4500\nshop.tags|1500|0",
    'the restored log undoes it');
is($node->safe_psql('target', $content), $before, 'and all is as before');
is($node->safe_psql('target', q{SELECT merge FROM merge_duplicates('shop.customers', 'id', 'VALUES (2, 1)', rules => '{"shop.tags": {}}', log => 'shop.log')}), '2', 'later merges have later numbers');

# The log and what was merged are the user's: they stay when the extension goes.
$node->safe_psql('target', 'DROP EXTENSION neardup CASCADE');
is($node->safe_psql('target', 'SELECT count(DISTINCT merge) FROM shop.log'), '2', 'without the extension the log is there');
is($node->safe_psql('target', q{SELECT count(*) FROM pg_type WHERE typname LIKE 'clean\_%'}), '0', 'and nothing else');
$node->safe_psql('target', 'CREATE EXTENSION neardup; CREATE EXTENSION neardup_clean');
is($node->safe_psql('target', q{SELECT count(*) FROM undo_merge('shop.log', 2)}), '3', 'which undoes, when the extension is back');

$node->stop;
done_testing();
