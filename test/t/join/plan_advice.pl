# The join node under pg_plan_advice, a module of PostgreSQL 19: where a method or an order of a join is advised, the node does
# not win instead, and results stay the same. Advice on other things, and settings, leave it as it is.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;

my $node = new_node('plan_advice');
if ($node->psql('postgres', q{LOAD 'pg_plan_advice'}) != 0)
{
    $node->stop;
    plan skip_all => 'this PostgreSQL has no pg_plan_advice';
}
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;
CREATE TABLE x AS SELECT i AS id, word_tokens('a b c d ' || i % 300) AS t FROM generate_series(1, 1000) AS i;
CREATE TABLE y AS TABLE x;
CREATE TABLE z AS TABLE x;
ANALYZE x, y, z;
SQL

# The plan of a query under an advice, without what EXPLAIN says of the advice, and the query's result.
sub advised
{
    my ($advice, $query) = @_;
    my $set = qq{LOAD 'pg_plan_advice'; SET pg_plan_advice.advice = '$advice';};
    my ($plan) = split /^Supplied Plan Advice/m, $node->safe_psql('postgres', "$set EXPLAIN (COSTS OFF) $query");
    return ($plan, $node->safe_psql('postgres', "$set $query"));
}

my $pairs = 'SELECT count(*) FROM x JOIN y ON x.id < y.id AND jaccard_ge(x.t, y.t, 0.9)';
my $triples = "$pairs JOIN z ON jaccard_ge(y.t, z.t, 0.9)";
my (undef, $all_pairs) = advised('', $pairs);
my (undef, $all_triples) = advised('', $triples);
cmp_ok($all_pairs, '>', 0, 'there are pairs');
foreach my $case (
    [ '', $pairs, qr/Similarity Join/, $all_pairs ],
    [ 'SEQ_SCAN(x y)', $pairs, qr/Similarity Join/, $all_pairs ],
    [ 'NESTED_LOOP_PLAIN(y)', $pairs, qr/Nested Loop.*Seq Scan on x.*Seq Scan on y/s, $all_pairs ],
    [ 'NESTED_LOOP_MATERIALIZE(x)', $pairs, qr/Nested Loop.*Seq Scan on y.*Materialize.*Seq Scan on x/s, $all_pairs ],
    [ 'HASH_JOIN(y)', $pairs, qr/Nested Loop/, $all_pairs ],
    [ 'NESTED_LOOP_PLAIN(y)', $triples, qr/Similarity Join.*Nested Loop/s, $all_triples ],
    [ 'JOIN_ORDER(z y x)', $triples, qr/^(?!.*Seq Scan on x.*Seq Scan on z).*Similarity Join/s, $all_triples ])
{
    my ($advice, $query, $expected, $count) = @$case;
    my ($plan, $found) = advised($advice, $query);
    my $name = ($query eq $pairs ? 'two tables' : 'three tables') . ($advice ? ", $advice" : '');
    like($plan, $expected, "$name: the plan");
    unlike($plan, qr/Similarity Join/, "$name: and not the node's") if $advice =~ /^(?:NESTED|HASH)/ && $query eq $pairs;
    is($found, $count, "$name: the result");
}
like($node->safe_psql('postgres', "SET enable_nestloop = off; EXPLAIN (COSTS OFF) $pairs"), qr/Similarity Join/, 'a setting is no advice');
like($node->safe_psql('postgres', "LOAD 'pg_plan_advice'; EXPLAIN (COSTS OFF, PLAN_ADVICE) $pairs"), qr/Similarity Join.*SEQ_SCAN\(x y\)/s, 'a plan with the node gives advice');

$node->stop;
done_testing();
