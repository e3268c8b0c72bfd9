# What logical replication applies to a guarded table is taken as it comes, even by a trigger that fires for it, and what is
# merged on one server is merged on the other.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use Test::More;

my $node = new_node('replicated', conf => "wal_level = logical\nmax_wal_senders = 4\nmax_replication_slots = 4\n");
my $tables = q{
    SET client_min_messages = warning;
    CREATE EXTENSION neardup;
    CREATE EXTENSION neardup_clean;
    CREATE TABLE posts (id int NOT NULL, day int NOT NULL, body text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
    CREATE TABLE posts_1 PARTITION OF posts FOR VALUES FROM (1) TO (10);
    CREATE TABLE posts_2 PARTITION OF posts FOR VALUES FROM (10) TO (20);
    CREATE TABLE plain (id int PRIMARY KEY, body text);
    CREATE TABLE refs (id int PRIMARY KEY, plain int REFERENCES plain);
    SELECT guard_near_duplicates('posts', 'id', 'word_tokens(body)', 0.5);
    SELECT guard_near_duplicates('plain', 'id', 'word_tokens(body)', 0.5);};
my $content = q{SELECT string_agg(t::text, ' ' ORDER BY t::text) FROM (
    SELECT 'posts', p::text FROM posts AS p UNION ALL SELECT 'plain', p::text FROM plain AS p UNION ALL SELECT 'refs', r::text FROM refs AS r) AS t};
# Waits until the target has what the source has.
my $same = sub {
    my ($rule) = @_;
    my $right = $node->safe_psql('source', $content);
    ok($node->poll_query_until('target', $content, $right), $rule);
};

$node->safe_psql('postgres', 'CREATE DATABASE source; CREATE DATABASE target');
$node->safe_psql('source', $tables);
# Rows that were there before the guard are similar, and copied when the subscription begins.
$node->safe_psql('source', q{
    ALTER TABLE posts DISABLE TRIGGER ALL; ALTER TABLE plain DISABLE TRIGGER ALL;
    INSERT INTO posts VALUES (1, 1, 'a b c'), (2, 2, 'a b c'), (3, 11, 'a b c');
    INSERT INTO plain VALUES (1, 'a b c'), (2, 'a b c'), (3, 'x y z');
    INSERT INTO refs VALUES (1, 1), (2, 2);
    ALTER TABLE posts ENABLE TRIGGER ALL; ALTER TABLE plain ENABLE TRIGGER ALL;
    CREATE PUBLICATION everything FOR TABLE posts, plain, refs, neardup_decided WITH (publish_via_partition_root = true);
    SELECT pg_create_logical_replication_slot('changes', 'pgoutput')});
$node->safe_psql('target', $tables . q{
    ALTER TABLE posts_1 ENABLE ALWAYS TRIGGER neardup_guard; ALTER TABLE posts_2 ENABLE ALWAYS TRIGGER neardup_guard; ALTER TABLE plain ENABLE ALWAYS TRIGGER neardup_guard;});
my $source = $node->connstr('source') =~ s/'/''/gr;
$node->safe_psql('target', qq{CREATE SUBSCRIPTION changes CONNECTION '$source' PUBLICATION everything WITH (create_slot = false)});
$node->wait_for_subscription_sync($node, 'changes', 'target');
is($node->safe_psql('target', $content), $node->safe_psql('source', $content), 'tables are copied whole');

$node->safe_psql('source', q{UPDATE posts SET day = 12 WHERE id = 2; UPDATE posts SET day = 3, id = 30 WHERE id = 3; UPDATE plain SET body = 'a b c' WHERE id = 3});
$same->('rows are moved to other partitions');
$node->safe_psql('source', q{SELECT merge_duplicates('plain', 'id', 'VALUES (2, 1), (3, 1)', log => 'merges'); SELECT merge_duplicates('posts', 'id', 'VALUES (2, 1)', log => 'merges');
    INSERT INTO neardup_decided (rel, key_a, key_b) VALUES ('plain', 1, 2)});
$same->('rows are merged');
$node->safe_psql('source', q{SELECT undo_merge('merges', 1); SELECT undo_merge('merges', 2); DELETE FROM neardup_decided});
$same->('a merge is undone');
is($node->safe_psql('source', 'SELECT count(*) FROM posts'), '3', 'with all rows');
# The trigger guards against others as ever.
$node->safe_psql('target', q{INSERT INTO plain VALUES (9, 'a b c')});
is($node->safe_psql('target', 'SELECT count(*) FROM plain'), '3', 'what a session inserts there is guarded');

$node->safe_psql('target', 'ALTER SUBSCRIPTION changes DISABLE; ALTER SUBSCRIPTION changes SET (slot_name = NONE); DROP SUBSCRIPTION changes');
$node->stop;
done_testing();
