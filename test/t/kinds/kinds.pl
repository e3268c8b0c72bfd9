# Rows of each kind, in files: sets, weighted sets, simhashes, texts, sketches. The joins of one query and of
# two, by integer and by text keys, find the same with little memory as with much; so does the join node, with
# and without equalities, which also finds what the functions find.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;

my $node = new_node('kinds', conf => "autovacuum = off\n");
my $ROWS = 1000;

$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION neardup;

-- Three rows of four are one or two characters away from each other; some are empty.
CREATE TABLE docs AS
SELECT id, id % 3 = 0 AS is_left, id / 20 % 3 AS part, body, qgram_set(body, 3) AS tokens,
       simhash(qgram_set(body, 3)) AS hash, minhash(qgram_set(body, 3), 64) AS sketch
FROM generate_series(1, $ROWS) id, LATERAL (
  SELECT CASE WHEN id % 97 = 0 THEN ''
              WHEN id % 4 = 0 THEN md5(id::text)
              ELSE overlay(md5((id / 4)::text) PLACING 'é' FROM 1 + id % 30) END AS body) b;
ANALYZE docs;
SQL

# A call's pairs as one line.
sub digest
{
    my ($memory, $pairs) = @_;
    return $node->safe_psql('postgres', <<"SQL");
SET work_mem = '$memory'; SET hash_mem_multiplier = 1; SET neardup.join_memory = '$memory'; SET enable_nestloop = off;
SET max_parallel_workers_per_gather = 0;
SELECT count(*) || ' ' || md5(string_agg(a || ' ' || b, ',' ORDER BY a::text, b::text)) FROM ($pairs) p;
SQL
}

sub writes_files
{
    my ($memory, $pairs) = @_;
    my ($code) = $node->psql('postgres', <<"SQL", on_error_stop => 1);
SET work_mem = '$memory'; SET hash_mem_multiplier = 1; SET neardup.join_memory = '$memory'; SET enable_nestloop = off;
SET max_parallel_workers_per_gather = 0; SET temp_file_limit = 0;
SELECT count(*) FROM ($pairs) p;
SQL
    return $code != 0;
}

sub is_the_same_in_files
{
    my ($name, $pairs, $little) = @_;
    my $in_memory = digest('1GB', $pairs);

    $little //= '64kB';
    unlike($in_memory, qr/^0 /, "$name: there are pairs");
    is(digest($little, $pairs), $in_memory, "$name: the same with $little");
    ok(writes_files($little, $pairs), "$name: $little takes files");
    ok(!writes_files('1GB', $pairs), "$name: 1GB takes none");
    return $in_memory;
}

# ---------------------------------------------------------------------------
# Functions
# ---------------------------------------------------------------------------

# By kind: the column, the function, what follows the queries, and memory that does not suffice.
my %kinds = (
    'sets' => [ 'tokens', 'ppjoin', '0.6' ],
    'sets by algorithm ppjoin+' => [ 'tokens', 'ppjoin', "0.6, 'cosine', 'ppjoin+'" ],
    'sets by buckets' => [ 'tokens', 'lsh_join', '0.7', '256kB' ],
    'elements' => [ 'tokens::bigint[]', 'ppjoin', '0.6' ],
    'weighted sets' => [ 'tokens', 'ppjoin', "0.6, 'idf_jaccard'", '128kB' ],
    'weighted sets by squares' => [ 'tokens', 'ppjoin', "0.6, 'idf_cosine'", '128kB' ],
    'simhashes' => [ 'hash', 'simhash_join', '12' ],
    'texts' => [ 'body', 'edit_join', '2' ],
    'sketches' => [ 'sketch', 'sketch_overlap_join', '40', '256kB' ],
    'sketches by super-shingles' => [ 'sketch', 'supershingle_join', '3, 40', '512kB' ]);

for my $name (sort keys %kinds)
{
    my ($column, $function, $arguments, $little) = @{ $kinds{$name} };
    my $all = "\$q\$SELECT id, $column FROM docs\$q\$";
    my $texts = "\$q\$SELECT 'k' || id, $column FROM docs\$q\$";
    my $left = "\$q\$SELECT id, $column FROM docs WHERE is_left\$q\$";
    my $right = "\$q\$SELECT id, $column FROM docs WHERE NOT is_left\$q\$";

    is_the_same_in_files("$name, of one query", "SELECT a, b FROM $function($all, $arguments)", $little);
    is_the_same_in_files("$name, by text keys", "SELECT a, b FROM ${function}_keyed(NULL::text, $texts, $arguments)",
        $little);
    is_the_same_in_files("$name, of two queries", "SELECT a, b FROM $function($left, $arguments, against => $right)", $little);
}

# ---------------------------------------------------------------------------
# The join node
# ---------------------------------------------------------------------------

my %predicates = (
    'sets' => 'jaccard_ge(x.tokens, y.tokens, 0.6)',
    'simhashes' => 'simhash_within(x.hash, y.hash, 12)',
    'texts' => 'edit_within(x.body, y.body, 2)');

for my $name (sort keys %predicates)
{
    my ($column, $function, $arguments) = @{ $kinds{$name} };
    my $called = "SELECT a, b FROM $function(\$q\$SELECT id, $column FROM docs\$q\$, $arguments)";
    my $same_part = "JOIN docs x ON x.id = a JOIN docs y ON y.id = b WHERE x.part = y.part";
    my $self = "SELECT x.id AS a, y.id AS b FROM docs x JOIN docs y ON $predicates{$name}";
    my $plan = $node->safe_psql('postgres', "SET enable_nestloop = off; EXPLAIN $self AND x.id < y.id AND x.part = y.part");

    like($plan, qr/Similarity Join.*Group Cond/s, "$name: the node joins them, by groups");
    is(is_the_same_in_files("$name, self-join of the node", "$self AND x.id < y.id"), digest('1GB', $called),
        "$name: the node finds what the function finds");
    is( is_the_same_in_files("$name, by groups", "$self AND x.id < y.id AND x.part = y.part"),
        digest('1GB', "SELECT a, b FROM ($called) p $same_part"),
        "$name: the node finds these of one group");
    is_the_same_in_files("$name, each also with itself", "$self AND x.part = y.part");
    is( digest('64kB', "$self AND x.part = y.part AND x.id = y.id"),
        digest('1GB', "SELECT x.id AS a, x.id AS b FROM docs x, docs y WHERE y.id = x.id AND $predicates{$name}"),
        "$name: each row is a pair with itself");
    is_the_same_in_files("$name, of two sides", "$self AND x.is_left AND NOT y.is_left AND x.part = y.part");
}

$node->stop;
done_testing();
