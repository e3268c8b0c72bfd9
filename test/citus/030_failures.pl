# A worker that is killed in any stage: an error, no result, nothing left, and the next call succeeds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";

use IPC::Run ();
use PostgreSQL::Test::Utils;
use Test::More;

use CitusCluster;
use NeardupTest;

my ($coordinator, $worker, $killed) = new_cluster();
my $call = "CALL distributed_join('sets', 'id', 'tokens', 0.6, 'jaccard', 'found')";
my $tables = q{SELECT count(*) FROM pg_class WHERE relname ~ '^(found|neardup_[0-9])'};

# Enough for each stage to last while a worker is stopped.
$coordinator->safe_psql('postgres', <<'SQL');
CREATE TABLE sets (id bigint, tokens tokenset);
SELECT create_distributed_table('sets', 'id');
INSERT INTO sets SELECT id, ARRAY(SELECT (id / 4 * 31 + i * i) % 5003 + 20000 * (i % 3) + CASE WHEN i = id % 9 THEN id ELSE 0 END FROM generate_series(1, 24) i)::int8[]::tokenset
FROM generate_series(1, 60000) id;
SQL

for my $stage (undef, 'sets', 'frequent tokens', 'postings', 'candidates', 'sets of candidates')
{
    my ($out, $err) = ('', '');
    my $name = defined $stage ? "after the stage $stage" : 'at the beginning';
    my $run = IPC::Run::start([ 'psql', '-XAtq', '-d', $coordinator->connstr('postgres'), '-c', $call ], '<', \undef, '>', \$out, '2>', \$err);

    $run->pump while defined $stage && $err !~ /NOTICE:  \Q$stage\E:/ && $run->pumpable;
    $killed->stop('immediate');
    $run->finish;
    isnt($run->result, 0, "a worker is killed $name: the call fails");
    like($err, qr/ERROR:.*(connect|server|terminat)/s, "$name: the error is about the connection") or diag($err);
    $killed->start;
    is($coordinator->safe_psql('postgres', $tables), '0', "$name: no table is left");
    is($worker->safe_psql('postgres', $tables), '0', "$name: nor on the other worker");
    is($killed->safe_psql('postgres', $tables), '0', "$name: nor on the killed one");
}

$coordinator->safe_psql('postgres', $call);
is(differences($coordinator, 'SELECT a, b, similarity FROM found', "SELECT * FROM ppjoin('SELECT id, tokens FROM sets', 0.6)"), '0 0', 'the next call gives the pairs of ppjoin');
cmp_ok($coordinator->safe_psql('postgres', 'SELECT count(*) FROM found'), '>', 1000, 'which are many');

# What the user cancels leaves nothing either.
is(sqlstate_of($coordinator, 'postgres', "SET statement_timeout = 700; " . $call =~ s/found/other/r), '57014', 'a call is cancelled');
is($coordinator->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname ~ '^(other|neardup_[0-9])'}), '0', 'and leaves no table');

done_testing();
