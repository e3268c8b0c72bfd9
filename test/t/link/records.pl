# duplicate_records = the procedure in plain Perl, row by row, on random tables of persons: with scopes, pairs that are
# excepted, columns that differ, and an order of preference; and on restaurants. So it is with a model that was learned
# from the same rows: all that it has seen twice is listed there.
# NEARDUP_SEEDS="17 23" runs only these seeds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use Test::More;

use NeardupTest;
use RecordCases qw(make_case load_case similarities same_lines);
use RecordOracle;

my $node = new_node('records');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');

# What the functions return, as the oracle's lines.
sub calls
{
    my ($case, $settings) = @_;
    my $columns = q('{) . join(',', @{ $case->{columns} }) . q(}');
    my $arguments = "'persons', 'id', $columns$case->{arguments}";
    my $keep = $case->{keeps} ? ', keep => \'place\'' : '';
    my $similarities = join ', ', map { "coalesce(similarities->>'$_', '-')" } @{ $case->{columns} };
    my $out = $node->safe_psql('postgres', <<"SQL");
SET client_min_messages = warning;
${\ ($settings // '') }
SELECT concat_ws('|', rounds, verdict) AS report, verdict NOT LIKE 'cannot tell%' AS can_tell FROM duplicate_records_report($arguments) \\gset
\\echo :report
\\if :can_tell
SELECT 'd', concat_ws(' ', id, duplicate_of, coalesce(round(score::numeric, 4)::text, '-'), kind, cluster) FROM duplicate_records($arguments$keep);
SELECT :'report' LIKE '%settled' AS has_model \\gset
\\if :has_model
SELECT 'm', concat_ws(' ', id, duplicate_of, coalesce(round(score::numeric, 4)::text, '-'), kind, cluster)
FROM duplicate_records($arguments$keep, model => (SELECT learn_records($arguments)));
\\endif
\\endif
SELECT 'p', concat_ws(' ', a, b, coalesce(round(score::numeric, 4)::text, '-'), $similarities) FROM record_pairs($arguments);
SQL
    my ($report, @lines) = split /\n/, $out;
    my @duplicates = map { /^d\|(.*)/ ? $1 : () } @lines;
    my @by_model = map { /^m\|(.*)/ ? $1 : () } @lines;
    my @pairs = map { my (undef, @fields) = split /[| ]/; join ' ', @fields[ 0 .. 2 ], map { $_ eq '-' ? $_ : sprintf '%.4g', $_ } @fields[ 3 .. $#fields ] } grep { /^p/ } @lines;

    return ($report, [ sort @duplicates ], [ sort @pairs ], [ sort @by_model ]);
}

my ($settled, $refused, $parted, $rows, $rounds) = (0) x 5;

sub check_case
{
    my ($name, $case) = @_;
    my $oracle = RecordOracle->new($case->{columns}, $case->{rows}, $case->{excepted});

    $node->safe_psql('postgres', load_case($case));
    $oracle->find_candidates({ similarities($node, $oracle) });
    $oracle->find_features;
    $oracle->learn;
    my ($report, $duplicates, $pairs, $by_model) = calls($case);
    my $can_tell = $oracle->{verdict} !~ /^cannot tell/;

    is($report, "$oracle->{rounds}|$oracle->{verdict}", "$name: rounds and verdict");
    same_lines($duplicates, [ $oracle->duplicates ], "$name: duplicates");
    same_lines($pairs, [ $oracle->pairs ], "$name: pairs");
    same_lines($by_model, [ $oracle->duplicates ], "$name: duplicates by a model")
      if $oracle->{verdict} eq 'settled' && @{ $oracle->{units} } > 50; # by a model, all pairs of few rows are compared
    $can_tell ? $settled++ : $refused++;
    $parted++ if $oracle->{class};
    $rounds += $oracle->{rounds};
    $rows += @$duplicates;
    return;
}

# Restaurants of two guides, some of which are in both.
sub restaurants
{
    my ($file) = @_;
    my ($head, @lines) = split /\n/, `xz -dc '$file'`;
    my (undef, @columns) = split /\t/, $head;
    my @rows = map { my ($id, @values) = split /\t/, $_, -1; { id => $id, values => \@values } } @lines;

    return { columns => \@columns, excepted => [], arguments => '', rows => \@rows };
}

check_case("seed $_", make_case($_)) for seeds(120);
SKIP:
{
    my $file = shared_data('records/restaurants') or skip('../shared/data/records/restaurants.tsv.xz is not there', 3);

    check_case('restaurants', restaurants($file));
}
note("$settled settled, $refused refused, $parted with relatives, $rows rows, $rounds rounds");
$node->stop;
done_testing();
