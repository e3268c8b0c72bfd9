# Every SQL statement of the README runs, in order, in one session's database, and prints
# what the README says that it prints.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";
use PostgreSQL::Test::Utils;
use Test::More;
use NeardupTest;

my $readme = "$FindBin::RealBin/../../README.md";
# Bytes, as psql prints them: whatever a test says is printed as it is.
my $text = slurp_file($readme);

my @examples;
while ($text =~ /^```sql\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms)
{
    push @examples, { sql => $1, output => $2 };
}
cmp_ok(scalar @examples, '>=', 20, 'the README has examples');

my $node = new_node('readme');
$node->safe_psql('postgres', 'CREATE DATABASE readme');

# The first block shows the call that the tutorial explains; its table comes later.
my $teaser = shift @examples;
foreach my $example (@examples, $teaser)
{
    my ($first_line) = $example->{sql} =~ /^(.*)$/m;
    my ($output, $errors);
    my $status = $node->psql(
        'readme', $example->{sql},
        stdout => \$output,
        stderr => \$errors,
        extra_params => [ '-P', 'format=aligned', '-P', 'tuples_only=off' ],
        on_error_stop => 1);
    is($status, 0, "runs: $first_line") or diag($errors);
    next unless defined $example->{output};
    my ($got, $expected) = ($output, $example->{output});
    s/[ \t]+$//mg, s/\s+\z// for $got, $expected;
    is($got, $expected, "prints what the README says: $first_line");
}

$node->stop;
done_testing();
