# cluster_pairs = brute force: the three modes on random graphs, for keys of many types, in any
# order of the pairs; the aggregate with workers is the aggregate without; memory is bounded by the
# keys, not by the pairs; a cancel is heard. NEARDUP_SEEDS="17 23" runs only these seeds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use SeededRandom;
use Test::More;

my @seeds = seeds(150);
my %TYPES = (
    # type => expression of a number x from 1 on, in the same order
    smallint => 'x::smallint', integer => 'x::integer', bigint => '(x - 4000000000)::bigint',
    text => q{lpad(x::text, 8, '0')}, uuid => q{lpad(x::text, 32, '0')::uuid}, numeric => '(x / 7.0)::numeric',
    timestamptz => q{'2000-01-01Z'::timestamptz + x * interval '1 hour'}, bytea => q{decode(lpad(x::text, 8, '0'), 'hex')},
    'bigint[]' => 'ARRAY[1, x]::bigint[]', float8 => '(x - 5.5)::float8', 'character(9)' => q{lpad(x::text, 9, '0')::character(9)});

my $node = new_node('clusters');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup; CREATE TABLE edges (seed int, a bigint, b bigint)');

# Sparse, chained, dense, or of several parts; some keys only with themselves.
sub random_graph
{
    my ($seed) = @_;
    my $random = SeededRandom->new($seed);
    my $keys = 1 + $random->below($seed % 10 == 0 ? 120 : 14);
    my @edges;
    for (1 .. $random->below(1 + $keys * (1 + $seed % 4)))
    {
        my $a = 1 + $random->below($keys);
        my $b = $random->below(3) ? 1 + $random->below($keys) : 1 + $a % $keys;
        push @edges, [ $a, $b ];
        push @edges, [ $b, $a ] if $random->below(5) == 0;
    }
    return @edges;
}

# The rules of the documentation, one by one: key => cluster.
sub oracle
{
    my ($mode, @edges) = @_;
    my (%is_pair, %cluster, %members);
    $is_pair{ $_->[0] }{ $_->[1] } = $is_pair{ $_->[1] }{ $_->[0] } = 1 for @edges;
    for my $key (sort { $a <=> $b } keys %is_pair)
    {
        next if exists $cluster{$key};
        if ($mode eq 'connected')
        {
            my @queue = ($key);
            while (defined(my $next = shift @queue))
            {
                next if exists $cluster{$next};
                $cluster{$next} = $key;
                push @queue, keys %{ $is_pair{$next} };
            }
        }
        elsif ($mode eq 'star')
        {
            $cluster{$_} //= $key for $key, keys %{ $is_pair{$key} };
        }
        else
        {
            my ($first) = grep { my $name = $_; !grep { !$is_pair{$key}{$_} } @{ $members{$name} } }
              sort { $a <=> $b } keys %members;
            $cluster{$key} = $first // $key;
            push @{ $members{ $cluster{$key} } }, $key;
        }
    }
    return join ' ', map { "$_:$cluster{$_}" } sort { $a <=> $b } keys %cluster;
}

my %graphs = map { $_ => [ random_graph($_) ] } @seeds;
$node->safe_psql('postgres', join "\n", map {
    my $seed = $_;
    @{ $graphs{$seed} } ? 'INSERT INTO edges VALUES ' . join(',', map { "($seed, $_->[0], $_->[1])" } @{ $graphs{$seed} }) . ';' : ();
} @seeds);

# One line for each seed: its number and its clusters.
sub clusters_of_all
{
    my ($call) = @_;
    return { map { my ($seed, $clusters) = split /\|/, $_, 2; $seed => $clusters // '' } split /\n/,
        $node->safe_psql('postgres', "SELECT seed, (SELECT string_agg(c.id || ':' || c.cluster, ' ' ORDER BY c.id) FROM $call)
            FROM unnest(ARRAY[" . join(',', @seeds) . "]) AS seeds (seed)") };
}

for my $mode (qw(connected star complete))
{
    my %expected = map { $_ => oracle($mode, @{ $graphs{$_} }) } @seeds;
    my %orders = (
        'as they were written' => 'SELECT a, b FROM edges WHERE seed = %s',
        'backwards, ends exchanged' => 'SELECT b, a FROM edges WHERE seed = %s ORDER BY ctid DESC',
        'shuffled, and twice' => 'SELECT e.a, e.b FROM edges AS e, generate_series(1, 2) WHERE seed = %s ORDER BY random()');
    for my $order (sort keys %orders)
    {
        my $found = clusters_of_all("cluster_pairs(format('$orders{$order}', seed), '$mode') AS c");
        is_deeply($found, \%expected, "$mode clusters of " . @seeds . " graphs are those of the oracle, pairs $order");
    }
    # A limit of size that no cluster reaches takes another way to the same result.
    my $found = clusters_of_all("cluster_pairs(format('SELECT a, b FROM edges WHERE seed = %s', seed), '$mode', 1000) AS c");
    is_deeply($found, \%expected, "$mode clusters with a limit of size that is not reached");
}
my %expected = map { $_ => oracle('connected', @{ $graphs{$_} }) } @seeds;
is_deeply(clusters_of_all('forest_clusters((SELECT cluster_agg(a, b) FROM edges WHERE edges.seed = seeds.seed)) AS c'),
    \%expected, 'the aggregate finds the connected clusters');
my ($most) = split /\n/, $node->safe_psql('postgres', q{
    SELECT max(array_length(state, 1) - keys) FROM (
        SELECT cluster_agg(a, b) AS state, (SELECT count(DISTINCT k) FROM unnest(array_agg(a) || array_agg(b)) AS k) AS keys
        FROM edges WHERE a <> b GROUP BY seed) AS s});
is($most, -1, 'a forest of n keys has at most n - 1 pairs');

# With a limit: no cluster is larger, clusters are parts of those without, and star and complete keep their promise.
for my $mode (qw(connected star complete))
{
    is($node->safe_psql('postgres', qq{
        SET client_min_messages = error;
        WITH limited AS MATERIALIZED (
            SELECT seed, c.* FROM unnest(ARRAY[${\ join ',', @seeds}]) AS seed, cluster_pairs(format('SELECT a, b FROM edges WHERE seed = %s', seed), '$mode', 3) AS c
        ), whole AS MATERIALIZED (
            SELECT seed, c.* FROM unnest(ARRAY[${\ join ',', @seeds}]) AS seed, cluster_pairs(format('SELECT a, b FROM edges WHERE seed = %s', seed)) AS c
        ), ties AS (SELECT seed, a, b FROM edges UNION SELECT seed, b, a FROM edges)
        SELECT (SELECT count(*) FROM (SELECT 1 FROM limited GROUP BY seed, cluster HAVING count(*) > 3 OR min(id) <> cluster) AS x),
               (SELECT count(*) FROM limited AS l JOIN whole AS w USING (seed, id) JOIN whole AS v ON v.seed = l.seed AND v.id = l.cluster WHERE w.cluster <> v.cluster),
               (SELECT count(*) FROM whole) - (SELECT count(*) FROM limited),
               (SELECT count(*) FROM limited AS x JOIN limited AS y USING (seed, cluster)
                WHERE x.id < y.id AND ('$mode' = 'complete' OR '$mode' = 'star' AND x.id = x.cluster)
                  AND NOT EXISTS (SELECT 1 FROM ties AS t WHERE t.seed = x.seed AND t.a = x.id AND t.b = y.id))}),
        '0|0|0|0', "$mode clusters of at most 3 members: size and names, within the connected ones, all keys, pairs that must be there");
}

for my $type (sort keys %TYPES)
{
    (my $a = $TYPES{$type}) =~ s/\bx\b/a/g;
    (my $b = $TYPES{$type}) =~ s/\bx\b/b/g;
    my @counts = map {
        $node->safe_psql('postgres', qq{SELECT count(*) FROM (SELECT DISTINCT seed FROM edges WHERE seed % 3 = 0) AS s, LATERAL (
            SELECT array_agg((($a), ($b)) ORDER BY a) AS expected
            FROM cluster_pairs(format('SELECT a, b FROM edges WHERE seed = %s', seed), '$_') AS c (a, b)) AS e, LATERAL (
            SELECT array_agg((c.id, c.cluster) ORDER BY c.id) AS found
            FROM cluster_pairs_keyed(NULL::$type, format(\$q\$SELECT $a, $b FROM edges WHERE seed = %s ORDER BY random()\$q\$, seed), '$_') AS c) AS f
            WHERE e.expected::text IS DISTINCT FROM f.found::text})
    } qw(connected star complete);
    is("@counts", '0 0 0', "keys of type $type: differing graphs in the three modes");
}

# Equal keys that are written differently: the result has one spelling of each, the same in any order.
{
    my %orders = (up => 'ORDER BY a, b, n', down => 'ORDER BY a DESC, b DESC, n DESC', random => 'ORDER BY random()');
    my %types = (numeric => q{(%s || '.' || repeat('0', 1 + n %% 4))::numeric}, interval => q{CASE WHEN n %% 2 = 0 THEN make_interval(days => %1$s) ELSE make_interval(hours => 24 * %1$s) END},
        'character(9)[]' => q{ARRAY[rpad(%s::text, 2 + n %% 5)::bpchar]});
    for my $type (sort keys %types)
    {
        my $spell = sub { sprintf $types{$type}, $_[0] };
        my %found;
        for my $order (sort keys %orders)
        {
            my $pairs = 'SELECT ' . $spell->('(a::int)') . ', ' . $spell->('(b::int)')
              . " FROM edges, generate_series(1, 5) AS n WHERE a <> b $orders{$order}";
            $found{$order} = $node->safe_psql('postgres', qq{SELECT count(*), md5(string_agg(id::text || '>' || cluster::text, ' ' ORDER BY id))
                FROM cluster_pairs_keyed(NULL::${\ $type =~ s/character\(9\)/bpchar/r}, \$q\$$pairs\$q\$)});
        }
        like($found{up}, qr/^[1-9]\d+\|/, "keys of type $type in several spellings");
        is($found{$_}, $found{up}, "and order $_: the same spellings") for qw(down random);
    }
}

# Workers, and memory.
$node->safe_psql('postgres', q{
    CREATE TABLE many AS SELECT i % 100000 * 7 AS a, (i * 7919::bigint % 150000) * 7 AS b FROM generate_series(1, 400000) AS i WHERE i % 3 > 0;
    ANALYZE many});
my $parallel = q{SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
    SET max_parallel_workers_per_gather = 2;};
like($node->safe_psql('postgres', "$parallel EXPLAIN (COSTS off) SELECT cluster_agg(a, b) FROM many"),
    qr/Finalize Aggregate.*Partial Aggregate/s, 'the aggregate is planned with workers');
my @digests = map { $node->safe_psql('postgres', "$_ SELECT md5(cluster_agg(a, b)::text), cardinality(cluster_agg(a, b)) > 1000 FROM many") }
  $parallel, 'SET max_parallel_workers_per_gather = 0;';
is($digests[0], $digests[1], 'with workers the aggregate is the same as without');
like($digests[0], qr/\|t$/, 'and not empty');
is($node->safe_psql('postgres', q{SELECT count(*) FROM forest_clusters((SELECT cluster_agg(a, b) FROM many)) AS f
    FULL JOIN cluster_pairs('SELECT a, b FROM many') AS c USING (id, cluster) WHERE f.id IS NULL OR c.id IS NULL}), '0',
    'and has the clusters of cluster_pairs');

my $PEAK = "SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\\s+(\\d+) kB'))[1]";
SKIP:
{
    my $why = no_process_size();
    skip $why, 3 if $why;
    for my $mode (qw(connected star complete))
    {
        my ($few, $before, $after) = map { /^(\d+)$/ ? $1 : () } split /\n/, $node->safe_psql('postgres', qq{
            SET neardup.join_memory = '2MB'; SET max_parallel_workers_per_gather = 0;
            SELECT count(*) FROM cluster_pairs('SELECT i % 1000, i % 997 FROM generate_series(1, 10000) AS i', '$mode');
            $PEAK;
            SELECT count(*) FROM cluster_pairs('SELECT i % 1000, i % 997 FROM generate_series(1, 2000000) AS i', '$mode') HAVING count(*) > 1000000;
            $PEAK;});
        cmp_ok($after - $before, '<', 12000, "two million pairs of a thousand keys, $mode: kilobytes more than ten thousand");
    }
}

# A cancel is heard long before the end, whatever phase it falls into.
for my $mode (qw(connected star complete))
{
    my %state;
    for my $part (0.2, 0.5, 0.8)
    {
        my $call = "SELECT count(*) FROM cluster_pairs('SELECT i, i / 2 FROM generate_series(1, 400000) AS i', '$mode')";
        my $milliseconds = $node->safe_psql('postgres', "DO \$\$ DECLARE s timestamptz = clock_timestamp(); BEGIN PERFORM * FROM ($call) AS x;
            CREATE TABLE IF NOT EXISTS took (ms float8); TRUNCATE took; INSERT INTO took SELECT extract(epoch FROM clock_timestamp() - s) * 1000; END \$\$; SELECT ms FROM took");
        $state{ sqlstate_of($node, 'postgres', 'SET statement_timeout = ' . (1 + int($part * $milliseconds)) . "; $call") // 'lost' }++;
    }
    ok($state{'57014'}, "$mode clusters can be cancelled") or diag(join ' ', %state);
    is($state{lost}, undef, "$mode: the server lives");
}

$node->stop;
done_testing();
