# distributed_near_duplicates returns what near_duplicates does in the mode star.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use CitusCluster;
use NeardupTest;

my ($coordinator) = new_cluster();

sub run
{
    my ($sql) = @_;
    return $coordinator->safe_psql('postgres', $sql);
}

my $columns = 'id, duplicate_of, similarity, kind, cluster';

# Copies, chains, NULL and empty texts, texts without tokens; tokens that read another column.
run(<<'SQL');
CREATE TABLE texts (id bigint, body text, grade int);
SELECT create_distributed_table('texts', 'id');
INSERT INTO texts
SELECT id, CASE id % 11 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN '...' || id % 5
                        ELSE (SELECT string_agg('word' || (id / 40 * 13 + i + CASE WHEN i < id % 4 THEN id % 7 ELSE 0 END), ' ') FROM generate_series(1, 8) i) END, id * 7919 % 101
FROM generate_series(-500, 1500) id;
SQL
for my $case (
    [ 0.8, 'NULL', 'NULL' ],
    [ 0.5, q{'grade DESC'}, 'NULL' ],
    [ 0.5, q{'length(body), grade -- shortest first'}, q{'word_set(body)'} ],
    [ 0.7, 'NULL', q{'CASE WHEN grade % 2 = 0 THEN word_set(body) ELSE qgram_set(body, 2) END'} ])
{
    my ($threshold, $keep, $tokens) = @$case;

    run("DROP TABLE IF EXISTS found; CALL distributed_near_duplicates('texts', 'id', 'body', $threshold, $keep, 'found', $tokens)");
    cmp_ok(run('SELECT count(*) FROM found'), '>', 100, "$threshold, $keep, $tokens: there are duplicates");
    is(differences($coordinator, "SELECT $columns FROM found", "SELECT $columns FROM near_duplicates('texts', 'id', 'body', $threshold, $tokens, $keep)"),
        '0 0', "$threshold, $keep, $tokens: those of near_duplicates");
}
is(run(q{SELECT count(*) FROM pg_class WHERE relname ~ '^neardup_[0-9]'}), '0', 'no staged table is left');
is(sqlstate_of($coordinator, 'postgres', q{CALL distributed_near_duplicates('texts', 'id', 'body', 2, NULL, 'wrong')}), '22023', 'wrong threshold');
is(sqlstate_of($coordinator, 'postgres', q{CALL distributed_near_duplicates('texts', 'id', 'nobody', 0.5, NULL, 'wrong')}), '42703', 'wrong column');
is(sqlstate_of($coordinator, 'postgres', q{CALL distributed_near_duplicates('texts', 'grade', 'body', 0.5, NULL, 'wrong')}), '23505', 'a key that is not unique');

SKIP:
{
    skip 'the shared data sets are not here', 1 unless load_texts($coordinator, 'debdesc');
    run("CALL distributed_near_duplicates('debdesc', 'id', 'body', 0.8, 'length(body) DESC', 'cleaned')");
    is(differences($coordinator, "SELECT $columns FROM cleaned", "SELECT $columns FROM near_duplicates('debdesc', 'id', 'body', 0.8, keep => 'length(body) DESC')"),
        '0 0', 'debdesc: the duplicates of near_duplicates');
}

done_testing();
