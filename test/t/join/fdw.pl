# With the option extensions of postgres_fdw, predicates and joins of co-located foreign partitions
# are evaluated where the rows are.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;

my @shards = ('shard_0', 'shard_1');
my $node = new_node('fdw');
my $host = $node->host;
my $port = $node->port;

for my $database (@shards, 'postgres')
{
    $node->safe_psql('postgres', "CREATE DATABASE $database") unless $database eq 'postgres';
    $node->safe_psql($database, 'CREATE EXTENSION neardup');
}
$node->safe_psql('postgres', 'CREATE EXTENSION postgres_fdw');

# Rows of two kinds, a few of the second with a token of the first changed; the site is the shard.
sub rows_of
{
    my ($table) = @_;
    my $shift = $table eq 'fresh' ? 100000 : 0;
    my $changed = $table eq 'fresh' ? 'id % 5' : '0';

    return "SELECT id % 2 AS site, $shift + id AS id, ('{' || (SELECT string_agg(((id * 7919 + i * 104729) % 3001 + ($changed) * (i % 7))::text, ',')
            FROM generate_series(1, 12) i) || '}')::tokenset AS tokens FROM generate_series(1, 3000) id";
}

for my $table ('docs', 'fresh')
{
    $node->safe_psql('postgres', <<"SQL");
CREATE TABLE $table (site int, id bigint, tokens tokenset) PARTITION BY LIST (site);
CREATE TABLE local_$table AS @{[rows_of($table)]};
SQL
    for my $site (0, 1)
    {
        $node->safe_psql($shards[$site], "CREATE TABLE $table AS SELECT * FROM (@{[rows_of($table)]}) r WHERE site = $site; ANALYZE $table");
    }
}
for my $site (0, 1)
{
    $node->safe_psql('postgres', <<"SQL");
CREATE SERVER site_$site FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host '$host', port '$port', dbname '$shards[$site]', extensions 'neardup', use_remote_estimate 'true');
CREATE USER MAPPING FOR CURRENT_USER SERVER site_$site;
CREATE FOREIGN TABLE docs_$site PARTITION OF docs FOR VALUES IN ($site) SERVER site_$site OPTIONS (table_name 'docs');
CREATE FOREIGN TABLE fresh_$site PARTITION OF fresh FOR VALUES IN ($site) SERVER site_$site OPTIONS (table_name 'fresh');
SQL
}
$node->safe_psql('postgres', 'ANALYZE docs, fresh');

sub plan_of
{
    my ($query) = @_;
    return $node->safe_psql('postgres', "SET enable_partitionwise_join = on; EXPLAIN (VERBOSE, COSTS off) $query");
}

sub result_of
{
    my ($query) = @_;
    return $node->safe_psql('postgres', "SET enable_partitionwise_join = on; $query");
}

# A query of foreign tables gives what it gives of local ones.
sub same_result
{
    my ($query, $rule) = @_;
    my $local = $query =~ s/\b(docs|fresh)\b/local_$1/gr;
    my $found = result_of($query);
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    is($found, result_of($local), "$rule: the result is that of local tables");
    cmp_ok($found, 'ne', '0', "$rule: there is a result");
    return;
}

# ---------------------------------------------------------------------------
# Predicates
# ---------------------------------------------------------------------------

my $set = $node->safe_psql('postgres', 'SELECT tokens FROM local_docs WHERE id = 17');
my %condition_of = (
    jaccard_ge => "jaccard_ge(tokens, '$set', 0.5)",
    cosine_ge => "cosine_ge(tokens, '$set', 0.5)",
    dice_ge => "dice_ge(tokens, '$set', 0.5)",
    containment_ge => "containment_ge(tokens, '$set', 0.5)",
    overlap_ge => "overlap_ge(tokens, '$set', 3)",
    hamming_le => "hamming_le(tokens, '$set', 10)",
    'OPERATOR(public.@>)' => "tokens @> '$set'",
    'simhash_within' => "simhash_within(simhash(tokens), simhash('$set'::tokenset), 8)");

for my $shipped (sort keys %condition_of)
{
    my $query = "SELECT count(*) FROM docs WHERE $condition_of{$shipped}";
    my @remote = plan_of($query) =~ /Remote SQL: .* WHERE .*\Q$shipped\E/g;

    is(scalar @remote, 2, "$shipped is evaluated by both shards") or diag(plan_of($query));
    same_result($query, $shipped);
}

# % reads a setting of this session, which the shards do not have.
unlike(plan_of("SELECT count(*) FROM docs WHERE tokens % '$set'"), qr/Remote SQL: .*%/, 'the operator % is evaluated here');
same_result("SELECT count(*) FROM docs WHERE tokens % '$set'", '%');

# ---------------------------------------------------------------------------
# Joins
# ---------------------------------------------------------------------------

my $join = 'FROM docs d JOIN fresh f ON d.site = f.site AND jaccard_ge(d.tokens, f.tokens, 0.7)';
my $plan = plan_of("SELECT d.id, f.id $join");
my @remote = $plan =~ /Remote SQL: (.*INNER JOIN.*jaccard_ge.*)/g;

is(scalar @remote, 2, 'each pair of co-located partitions is joined by its shard') or diag($plan);
unlike($plan, qr/Custom Scan|Nested Loop|Hash Join/, 'nothing is joined here');
for my $site (0, 1)
{
    like(
        $node->safe_psql($shards[$site], "EXPLAIN (COSTS off) $remote[$site]"),
        qr/Custom Scan \(Similarity Join\)/,
        "$shards[$site] joins by the node");
}
same_result("SELECT count(*), sum(d.id), sum(f.id) $join", 'join');

# The sites differ: nothing ties a shard of the one table to a shard of the other.
my $across = 'FROM docs d JOIN fresh f ON jaccard_ge(d.tokens, f.tokens, 0.7)';
unlike(plan_of("SELECT d.id, f.id $across"), qr/Remote SQL: .*JOIN/, 'partitions that are not co-located are joined here');
same_result("SELECT count(*), sum(d.id), sum(f.id) $across", 'join across shards');

# ---------------------------------------------------------------------------
# Without the option
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', "ALTER SERVER site_$_ OPTIONS (DROP extensions)") for 0, 1;
my $alone = "SELECT count(*) FROM docs WHERE $condition_of{jaccard_ge}";
unlike(plan_of($alone), qr/Remote SQL: .*jaccard_ge/, 'without the option, predicates are evaluated here');
same_result($alone, 'without the option');
unlike(plan_of("SELECT d.id, f.id $join"), qr/Remote SQL: .*jaccard_ge/, 'without the option, joins are made here');

done_testing();
