# Logical replication of the types, in binary and in text, with and without an initial copy, as keys of rows too; of
# the indexes of a subscriber; and of a tracked table, whose clusters travel with it or are the subscriber's own.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('replication', allows_streaming => 'logical', conf => "max_replication_slots = 10\nmax_logical_replication_workers = 10\n");

# Two databases of one server: a slot is made beforehand, where CREATE SUBSCRIPTION would wait for itself.
sub subscribe
{
    my ($name, $publisher, $subscriber, $options) = @_;
    (my $connection = $node->connstr($publisher)) =~ s/'/''/g;

    $node->safe_psql($publisher, "SELECT pg_create_logical_replication_slot('$name', 'pgoutput')");
    $node->safe_psql($subscriber, "CREATE SUBSCRIPTION $name CONNECTION '$connection' PUBLICATION p WITH (create_slot = false, $options)");
    return;
}

sub catch_up
{
    my ($name, $publisher, $subscriber) = @_;
    my $end = $node->safe_psql($publisher, 'SELECT pg_current_wal_lsn()');

    $node->poll_query_until($subscriber, q{SELECT count(*) = 0 FROM pg_subscription_rel WHERE srsubstate NOT IN ('r', 's')}) or die "$name: no copy";
    $node->poll_query_until($publisher, "SELECT confirmed_flush_lsn >= '$end' FROM pg_replication_slots WHERE slot_name = '$name'") or die "$name: no changes";
    return;
}

sub unsubscribe
{
    my ($name, $publisher, $subscriber) = @_;

    $node->safe_psql($subscriber, "ALTER SUBSCRIPTION $name DISABLE; ALTER SUBSCRIPTION $name SET (slot_name = NONE); DROP SUBSCRIPTION $name");
    $node->poll_query_until($publisher, "SELECT NOT active FROM pg_replication_slots WHERE slot_name = '$name'");
    $node->safe_psql($publisher, "SELECT pg_drop_replication_slot('$name')");
    return;
}

sub rows_of
{
    my ($database, $table) = @_;
    return $node->safe_psql($database, qq{SELECT count(*), md5(string_agg(t::text, ' ' ORDER BY t::text COLLATE "C")) FROM $table AS t});
}

# ---------------------------------------------------------------------------
# Types
# ---------------------------------------------------------------------------

# Each type as a column and as a key: by its primary key, and by all columns of the row.
my @types = qw(tokenset simhash minhash);
my %value = (tokenset => q{ARRAY[%1$s, %1$s + 1, %1$s + 2]::tokenset}, simhash => q{(%1$s * 7919)::bigint::simhash}, minhash => q{minhash(ARRAY[%1$s, %1$s + 1]::tokenset, 16)});
my $tables = join "\n", 'CREATE TABLE weights (id int PRIMARY KEY, w token_weights, q tokenset_query, b simhash_ball, t tokenset_ball);',
  map { "CREATE TABLE by_$_ (k $_ PRIMARY KEY, n int); CREATE TABLE whole_$_ (v $_, n int); ALTER TABLE whole_$_ REPLICA IDENTITY FULL;" } @types;
my @tables = ('weights', map { ("by_$_", "whole_$_") } @types);
# A B-tree has no entry for a set of hundreds of tokens; the rows of whole_ are found by equality.
my $fill = join "\n",
  q{INSERT INTO weights SELECT 1, token_weights(ARRAY[n % 3, n]::tokenset), tokenset_query('jaccard', '{1,2}', 0.5, false), simhash_ball(5::bigint::simhash, 3), jaccard_ball('{1,2}', 0.5) FROM generate_series(1, 9) n;},
  q{INSERT INTO whole_tokenset SELECT array_agg(i)::tokenset, -1 FROM generate_series(1, 5000) i; INSERT INTO whole_tokenset VALUES (NULL, -2), ('{}', -3);},
  map { my $v = sprintf $value{$_}, 'n'; "INSERT INTO by_$_ SELECT $v, n FROM generate_series(1, 50) n; INSERT INTO whole_$_ SELECT v, n FROM (SELECT $v AS v, n FROM generate_series(1, 50) n) s;" } @types;
my $change = join "\n",
  q{UPDATE whole_tokenset SET v = v | '{7777}' WHERE n = -1; DELETE FROM whole_tokenset WHERE n = -2; UPDATE whole_tokenset SET n = -4 WHERE n = -3;
    UPDATE weights SET w = (SELECT token_weights(ARRAY[n]::tokenset) FROM generate_series(1, 3) n);},
  map {
    my $moved = sprintf $value{$_}, 'n + 1000';
    "UPDATE by_$_ SET n = -n WHERE n % 3 = 0; UPDATE by_$_ SET k = $moved WHERE n % 3 = 1; DELETE FROM by_$_ WHERE n % 5 = 2; "
      . "UPDATE whole_$_ SET v = $moved WHERE n % 3 = 1 AND n > 0; DELETE FROM whole_$_ WHERE n % 5 = 2;"
  } @types;

$node->safe_psql('postgres', 'CREATE DATABASE publisher');
$node->safe_psql('publisher', "CREATE EXTENSION neardup; $tables $fill CREATE PUBLICATION p FOR TABLE " . join ', ', @tables);
foreach my $form ('in_text', 'in_binary')
{
    my $binary = $form eq 'in_binary' ? 'true' : 'false';

    $node->safe_psql('postgres', "CREATE DATABASE $form");
    $node->safe_psql($form, "CREATE EXTENSION neardup; $tables CREATE INDEX sets_idx ON whole_tokenset USING neardup (v); CREATE INDEX gin_idx ON whole_tokenset USING gin (v);
        CREATE INDEX ball_idx ON whole_simhash USING spgist (v)");
    subscribe("s_$form", 'publisher', $form, "binary = $binary");
    catch_up("s_$form", 'publisher', $form);
    is(rows_of($form, $_), rows_of('publisher', $_), "$form: $_ is copied") for @tables;
}
$node->safe_psql('publisher', $change);
foreach my $form ('in_text', 'in_binary')
{
    catch_up("s_$form", 'publisher', $form);
    is(rows_of($form, $_), rows_of('publisher', $_), "$form: changes of $_ are applied") for @tables;
    is($node->safe_psql($form, q{SELECT (neardup_index_check('sets_idx')).rows >= (SELECT count(*) FROM whole_tokenset WHERE v <> '{}')}), 't', "$form: the subscriber's index has the rows");
    foreach my $lookup (q{SELECT n FROM whole_tokenset WHERE jaccard_ge(v, '{1010,1011,1012,1013}', 0.6)}, q{SELECT n FROM whole_tokenset WHERE v && '{7777,20}'},
        q{SELECT n FROM whole_simhash WHERE simhash_within(v, 79190::bigint::simhash, 8)})
    {
        my ($by_index, $by_scan) = map { $node->safe_psql($form, "$_; SELECT string_agg(n::text, ' ' ORDER BY n) FROM ($lookup) r") }
          'SET enable_seqscan = off', 'SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off';

        is($by_index, $by_scan, "$form: $lookup");
        isnt($by_index, '', "$form: finds some");
    }
}
unsubscribe("s_$_", 'publisher', $_) for 'in_text', 'in_binary';

# ---------------------------------------------------------------------------
# Tracked tables, as doc/track.md has them
# ---------------------------------------------------------------------------

my $docs = 'CREATE TABLE docs (id int PRIMARY KEY, body text);';
my $sources = q{SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.6)};
my $partition = q{SELECT string_agg(m, ' ' ORDER BY m) FROM (SELECT string_agg(key::text, ',' ORDER BY key) AS m FROM docs_neardup GROUP BY cluster) c};
my $numbers = q{SELECT string_agg(key || ' ' || cluster || ' ' || member, ',' ORDER BY key) FROM docs_neardup};
my $changes = q{
    INSERT INTO docs VALUES (101, 'a b c d e'), (102, 'a b c d e f');
    UPDATE docs SET body = 'a b c d e g' WHERE id = 3;
    DELETE FROM docs WHERE id = 4;
    UPDATE docs SET id = 205 WHERE id = 5;
    INSERT INTO docs SELECT 300 + n, 'many ' || n / 2 || ' rows ' || n / 3 FROM generate_series(1, 150) n;};
my $few = q{SELECT n, format('w%1$s x%1$s y%1$s z%2$s', n / 3, n % 2) FROM generate_series(1, 30) n};

$node->safe_psql('postgres', "CREATE DATABASE $_") for 'tracked', 'follower', 'own';
$node->safe_psql('tracked', "CREATE EXTENSION neardup; CREATE EXTENSION neardup_track; $docs INSERT INTO docs $few; $sources");
$node->safe_psql('tracked', 'CREATE PUBLICATION p FOR TABLE docs, docs_neardup, docs_neardup_log');

# The clusters travel with the table; the subscriber's triggers are disabled.
$node->safe_psql('follower', "CREATE EXTENSION neardup; CREATE EXTENSION neardup_track; $docs $sources; ALTER TABLE docs DISABLE TRIGGER USER");
subscribe('s_follower', 'tracked', 'follower', 'binary = true');
catch_up('s_follower', 'tracked', 'follower');
$node->safe_psql('tracked', $changes);
catch_up('s_follower', 'tracked', 'follower');
is($node->safe_psql('follower', $numbers), $node->safe_psql('tracked', $numbers), 'clusters are replicated, numbers included');
is(rows_of('follower', 'docs_neardup_log'), rows_of('tracked', 'docs_neardup_log'), 'with their log');

# The subscriber takes over: its sequences have not followed, and neardup_refresh confirms the rest.
unsubscribe('s_follower', 'tracked', 'follower');
my ($statements) = slurp_file(project_file('doc/track.md')) =~ /^## Taking over\n.*?^```sql\n(.*?)^```/ms or die 'doc/track.md does not say how to take over';
$node->safe_psql('follower', $statements);
is($node->safe_psql('follower', q{SELECT count(*) FROM neardup_refresh('docs')}), '0', 'a subscriber that takes over finds its clusters right');
$node->safe_psql($_, q{INSERT INTO docs VALUES (900, 'a b c d e f'), (901, 'nothing like it'); DELETE FROM docs WHERE id = 101}) for 'follower', 'tracked';
is($node->safe_psql('follower', $partition), $node->safe_psql('tracked', $partition), 'and goes on as the publisher does');
is($node->safe_psql('follower', q{SELECT count(*) - count(DISTINCT member) FROM docs_neardup}), '0', 'with numbers of its own');

# A subscriber that tracks the table itself: statement triggers do not fire for applied changes, neardup_refresh repairs.
# Only the table itself is published here.
$node->safe_psql('tracked', 'ALTER PUBLICATION p SET TABLE docs');
$node->safe_psql('own', "CREATE EXTENSION neardup; CREATE EXTENSION neardup_track; $docs $sources");
subscribe('s_own', 'tracked', 'own', 'copy_data = true');
catch_up('s_own', 'tracked', 'own');
is(rows_of('own', 'docs'), rows_of('tracked', 'docs'), 'a tracked table is copied');
$node->safe_psql('tracked', q{UPDATE docs SET body = body || ' more' WHERE id BETWEEN 6 AND 9; DELETE FROM docs WHERE id = 10; INSERT INTO docs VALUES (950, 'one more row')});
catch_up('s_own', 'tracked', 'own');
is(rows_of('own', 'docs'), rows_of('tracked', 'docs'), 'changes are applied to it');
$node->safe_psql('own', q{SELECT neardup_refresh('docs')});
is($node->safe_psql('own', $partition), $node->safe_psql('tracked', $partition), 'after neardup_refresh it has the clusters of the publisher');
is($node->safe_psql('own', q{SELECT count(*) FROM neardup_refresh('docs')}), '0', 'and is right');
$node->safe_psql('tracked', 'TRUNCATE docs');
catch_up('s_own', 'tracked', 'own');
is($node->safe_psql('own', 'SELECT count(*) FROM docs'), '0', 'TRUNCATE is applied to it');
$node->safe_psql('own', q{SELECT neardup_refresh('docs')});
is($node->safe_psql('own', 'SELECT count(*) FROM docs_neardup'), '0', 'and to its clusters');
unsubscribe('s_own', 'tracked', 'own');

unlike(slurp_file($node->logfile), qr/ERROR:  (?!.*replication origin)|PANIC|terminated by signal|TRAP:/, 'no worker has failed');
$node->stop;
done_testing();
