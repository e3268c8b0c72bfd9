# A coordinator and two workers with the extensions citus, neardup and neardup_citus.
package CitusCluster;

use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Utils;

use NeardupTest;

our @EXPORT = qw(new_cluster load_texts differences);

my @CONF = (
    "shared_preload_libraries = 'citus'", 'max_prepared_transactions = 400',
    'max_connections = 200', "citus.node_conninfo = 'sslmode=prefer'", 'citus.enable_statistics_collection = off',
    'citus.shard_count = 8');

# (coordinator, worker, worker)
sub new_cluster
{
    my @nodes = map { new_node($_, conf => join("\n", @CONF, '')) } 'coordinator', 'worker_1', 'worker_2';
    my ($coordinator, @workers) = @nodes;

    $_->safe_psql('postgres', 'CREATE EXTENSION citus') for @nodes;
    $coordinator->safe_psql('postgres', sprintf "SELECT citus_set_coordinator_host('%s', %d)", $coordinator->host, $coordinator->port);
    $coordinator->safe_psql('postgres', sprintf "SELECT citus_add_node('%s', %d)", $_->host, $_->port) for @workers;
    $coordinator->safe_psql('postgres', 'CREATE EXTENSION neardup; CREATE EXTENSION neardup_citus');
    return @nodes;
}

# A distributed table (id, body) of a shared data set, numbered by line, or of its first lines; false where there is none.
sub load_texts
{
    my ($coordinator, $name, $most) = @_;
    my $path = shared_data($name) // return 0;
    my $lines = $most ? "| head -n $most" : '';

    $coordinator->safe_psql('postgres', <<"SQL");
CREATE TABLE $name (id bigint, body text);
SELECT create_distributed_table('$name', 'id');
COPY $name FROM PROGRAM \$\$xz -dc '$path' $lines | awk -F '\\t' '{ print NR "\\t" \$2 }'\$\$;
SQL
    return 1;
}

# Rows of one query that the other has not, and the other way round.
sub differences
{
    my ($coordinator, $left, $right) = @_;

    return $coordinator->safe_psql('postgres', <<"SQL");
SET client_min_messages = warning;
CREATE TEMP TABLE l AS $left;
CREATE TEMP TABLE r AS $right;
SELECT (SELECT count(*) FROM (TABLE l EXCEPT ALL TABLE r) x) || ' ' || (SELECT count(*) FROM (TABLE r EXCEPT ALL TABLE l) y);
SQL
}

1;
