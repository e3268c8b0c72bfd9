# place_records = the oracle's clusters that begin with the entities that are known, row by row, on random tables of
# persons: with scopes, pairs that are excepted, and columns that differ; entities that are parts of one thing, so that
# new rows stand between them, and some rows that are wrong.
# NEARDUP_SEEDS="17 23" runs only these seeds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use JSON::PP;
use Test::More;

use NeardupTest;
use RecordCases qw(make_case load_case similarities same_lines);
use RecordOracle;
use SeededRandom;

my $node = new_node('place');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');

# Gives some rows the entity to which they belong: one of two parts of their cluster, or now and then any other one.
# Entities are named by their least rows, or by numbers of their own.
sub take_entities
{
    my ($random, $seed, $case, $cluster) = @_;
    my %rows_of;

    for my $row (@{ $case->{rows} })
    {
        my $name = $cluster->{ $row->{id} } // $row->{id};

        push @{ $rows_of{ $random->chance(5) ? $random->between(1, scalar @{ $case->{rows} }) . ' a' : "$name " . $random->pick('a', 'a', 'b') } }, $row if $random->chance(60);
    }
    for my $part (sort keys %rows_of)
    {
        my ($least) = sort { $a <=> $b } map { $_->{id} } @{ $rows_of{$part} };

        $_->{entity} = $seed % 3 == 1 ? 1000 + $least * 7 % 997 : $least for @{ $rows_of{$part} };
    }
    return;
}

# The weights of a model, the constant first, and whether each column has a feature of presence.
sub model_of
{
    my ($json) = @_;
    my $model = decode_json($json);
    my @columns = @{ $model->{columns} };

    return ([ $model->{constant}, grep { defined } map { @$_{ 'similarity', 'presence', 'rarity' } } @columns ], [ map { defined $_->{presence} } @columns ]);
}

my $tried = 0;
my %placed;

# The clusters of the rows by duplicate_records: the least row of each row's, or nothing if it cannot tell.
sub clusters_of
{
    my ($case) = @_;
    my $columns = join ',', @{ $case->{columns} };
    my ($status, $out) = $node->psql('postgres', "SELECT id, cluster FROM duplicate_records('persons', 'id', '{$columns}'$case->{arguments})");

    return $status == 0 ? map { split /\|/ } split /\n/, $out : ();
}

# The lines of place_records by a model that is learned from all rows of the table, if it can be.
sub check_seed
{
    my ($seed) = @_;
    my $case = make_case($seed);
    my $columns = join ',', @{ $case->{columns} };

    $node->safe_psql('postgres', load_case($case));
    my %cluster = clusters_of($case) or return;
    $tried++;
    take_entities(SeededRandom->new($seed), $seed, $case, \%cluster);
    my $known = join ', ', map { defined $_->{entity} ? "($_->{id}, $_->{entity})" : () } @{ $case->{rows} };
    $node->safe_psql('postgres', "ALTER TABLE persons ADD entity bigint; UPDATE persons SET entity = v.entity FROM (VALUES $known) AS v(id, entity) WHERE v.id = persons.id");
    my $json = $node->safe_psql('postgres', "DROP TABLE IF EXISTS model; CREATE TABLE model AS SELECT learn_records('persons', 'id', '{$columns}'$case->{arguments}) AS model; TABLE model");
    my ($weights, $has_presence) = model_of($json);
    my $oracle = RecordOracle->new($case->{columns}, $case->{rows}, $case->{excepted});

    $oracle->{has_presence} = $has_presence;
    $oracle->find_candidates({ similarities($node, $oracle->texts) });
    $oracle->find_features;
    $oracle->score_candidates(@$weights);
    $oracle->place;
    my @lines = split /\n/, $node->safe_psql('postgres', <<"SQL");
SELECT concat_ws(' ', id, coalesce(entity::text, '-'), coalesce(other_entity::text, '-'), coalesce(duplicate_of::text, '-'), coalesce(round(score::numeric, 4)::text, '-'), kind, grp)
FROM place_records('persons', 'id', 'entity', (SELECT model FROM model)$case->{arguments})
SQL
    same_lines([ sort @lines ], [ $oracle->places ], "seed $seed: places");
    $placed{$_}++ for map { (split / /)[5] } @lines;
    return;
}

check_seed($_) for seeds(300);
note("$tried tables of which something was learned; " . join(', ', map { "$placed{$_} $_" } sort keys %placed));
is(join(' ', sort keys %placed), 'between joins new', 'rows have places of all kinds') if !$ENV{NEARDUP_SEEDS};
$node->stop;
done_testing();
