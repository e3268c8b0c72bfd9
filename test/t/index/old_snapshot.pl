# Scans of the access method neardup under old_snapshot_threshold: where rows may have been removed that the
# snapshot shows, a scan raises snapshot_too_old, as scans of the other access methods do.
#
# With the threshold of 0, which is for tests, a snapshot is too old after five seconds, yet VACUUM removes no more
# than without it. So it removes rows of an aborted transaction here, from the same pages of the index, but from other
# pages of the table than those of the rows that are looked up: the error must come from the index.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;

my $node = new_node('old_snapshot', conf => "autovacuum = off\n");
if ($node->pg_version >= 17)
{
    $node->stop;
    plan skip_all => '17 dropped old_snapshot_threshold';
}
$node->append_conf('postgresql.conf', "old_snapshot_threshold = 0\n");
$node->restart;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;
CREATE TABLE merged (id int, t tokenset);
CREATE TABLE pending (LIKE merged);
CREATE INDEX ON merged USING neardup (t);
CREATE INDEX ON pending USING neardup (t);
INSERT INTO merged SELECT n, ARRAY[n, n + 1, n + 2]::tokenset FROM generate_series(1, 500) n;
INSERT INTO pending SELECT * FROM merged;
SQL
my $aborted = $node->background_psql('postgres');
$aborted->query_safe('BEGIN');
$aborted->query_safe("INSERT INTO $_ SELECT n, ARRAY[n, n + 1, n + 2]::tokenset FROM generate_series(501, 600) n")
  for qw(merged pending);
# The rows of one table move to a segment, those of the other remain pending; the pages of both are all-visible.
$node->safe_psql('postgres', 'VACUUM merged');
$node->safe_psql('postgres', 'VACUUM (INDEX_CLEANUP off) pending');
$aborted->query_safe('ABORT');
$aborted->quit;

my %queries = (
    lookup => q{SELECT count(*) FROM %s WHERE jaccard_ge(t, '{7,8,9}', 0.9)},
    bitmap => q{SET LOCAL enable_indexscan = off; SELECT count(*) FROM %s WHERE jaccard_ge(t, '{7,8,9}', 0.9)},
    nearest => q{SELECT count(*) FROM (SELECT FROM %s ORDER BY t <%%> '{7,8,9}' LIMIT 1) AS r});
my %sessions;
for my $table (qw(merged pending))
{
    for my $kind (sort keys %queries)
    {
        my $session = $node->background_psql('postgres', on_error_stop => 0);
        my $query = sprintf $queries{$kind}, $table;
        $session->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off');
        is(printed($session->query_safe($query)), '1', "$kind of $table rows: the row is found");
        $sessions{"$kind of $table rows"} = [ $session, $query ];
    }
}

# A cursor has looked at the metapage before; the page of TIDs has changed since.
my $cursor = $node->background_psql('postgres', on_error_stop => 0);
$cursor->query_safe(q{BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off;
    DECLARE nearest CURSOR FOR SELECT id FROM merged ORDER BY t <%> '{7,8,9}'});
is(printed($cursor->query_safe('FETCH FROM nearest')), '7', 'a cursor gives out its first row');

sleep 6;
$node->safe_psql('postgres', 'VACUUM merged, pending');

for my $what (sort keys %sessions)
{
    my ($session, $query) = @{ $sessions{$what} };
    $session->{stderr} = '';
    is(printed($session->query($query)), '', "$what: nothing is returned");
    like($session->{stderr}, qr/snapshot too old/, "$what: the snapshot is too old");
    $session->quit;
}
$cursor->{stderr} = '';
$cursor->query('FETCH 4 FROM nearest');
like($cursor->{stderr}, qr/snapshot too old/, 'the snapshot of the cursor is too old');
$cursor->quit;

$node->stop;
done_testing();
