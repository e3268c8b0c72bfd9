# ppjoin = brute force: every measure, algorithm and form of the join returns
# precisely the rows that integer arithmetic in plain SQL returns, on random
# inputs full of pairs that lie exactly on the threshold and on samples of
# real data. NEARDUP_SEEDS="17 23" runs only these seeds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;
use RealSample;
use SetOracle;

my $SEEDS_PER_SESSION = 12;

my $node = NeardupTest::new_node('brute_force');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');
$node->safe_psql('postgres', SetOracle::schema());

# One line for each rule: how many joins, and how many differing rows.
sub report_differences
{
    my ($rule, $condition) = @_;
    my ($joins, $rows, $failed) = split /\|/, $node->safe_psql('postgres',
        "SELECT count(*), coalesce(sum(differences) FILTER (WHERE differences > 0), 0),
                count(*) FILTER (WHERE differences <> 0) FROM outcome WHERE $condition");
    ok($joins > 0 && $failed == 0,
        "$rule: $joins comparisons, differing rows: $rows");
    return if $failed == 0;
    diag("$failed of $joins comparisons differ (-1: an error), such as\n"
          . $node->safe_psql('postgres',
            "SELECT format('  %s: %s %s/%s %s %s %s: %s: %s', origin, measure, n, d,
                           join_kind, algorithm, sets, differences, left(example, 300))
             FROM outcome WHERE $condition AND differences <> 0
             ORDER BY differences < 0, origin, algorithm LIMIT 5"));
    return;
}

sub report_all
{
    my ($what, $origin) = @_;
    my %name_of_kind = (
        self => 'self-join',
        rs => 'join of R and S',
        sr => 'join of S and R');
    for my $measure (@SetOracle::MEASURES)
    {
        for my $algorithm (@SetOracle::ALGORITHMS)
        {
            for my $kind (qw(self rs sr))
            {
                next if $kind eq 'sr' && $what ne 'random inputs';
                report_differences(
                    "$what, $measure by $algorithm: $name_of_kind{$kind} is brute force",
                    "$origin AND measure = '$measure' AND algorithm = '$algorithm'
                     AND join_kind = '$kind' AND sets IN ('tokens', 'words', 'tokens::int4[]')");
            }
        }
    }
    return;
}

sub run_calls
{
    my ($what, $calls) = @_;
    my ($code, $stdout, $stderr) =
      $node->psql('postgres', "SET client_min_messages = warning;\n$calls",
        on_error_stop => 0);
    my @errors = grep { /ERROR|FATAL|PANIC|connection/ } split /\n/, $stderr;
    is($code, 0, "$what: the session lives to its end") if $code;
    is("@errors", '', "$what: no error") if @errors;
    return $code == 0;
}

# ---------------------------------------------------------------------------
# Random inputs
# ---------------------------------------------------------------------------

my @seeds = seeds(204);
$node->safe_psql('postgres',
    SetOracle::load_script(map { SetOracle::random_input($_) } @seeds));

for (my $first = 0; $first < @seeds; $first += $SEEDS_PER_SESSION)
{
    my $last = $first + $SEEDS_PER_SESSION - 1;
    $last = $#seeds if $last > $#seeds;
    my @chunk = @seeds[ $first .. $last ];
    $node->start
      if !run_calls("seeds $chunk[0] to $chunk[-1]",
        join("\n", map { "CALL check_seed($_);" } @chunk))
      && $node->psql('postgres', 'SELECT 1') != 0;
}

for my $measure (@SetOracle::MEASURES)
{
    is( $node->safe_psql('postgres',
            "SELECT count(*) FROM tally WHERE measure = '$measure' AND (pairs < 20 OR exact < 3)"),
        '0',
        "every seed and join has 20 pairs by $measure, 3 of them on the threshold");
    report_differences(
        "predicate and value of $measure on all pairs of rows, empty sets included",
        "measure = '$measure' AND join_kind = 'scalar'");
}
is($node->safe_psql('postgres', 'SELECT count(DISTINCT origin) FROM tally'),
    scalar @seeds, 'all seeds were checked');
note($node->safe_psql('postgres',
    "SELECT measure || ': ' || sum(pairs) || ' pairs, ' || sum(exact) || ' on the threshold'
     FROM tally GROUP BY measure ORDER BY measure"));

report_all('random inputs', "origin ~ '^[0-9]+\$'");
if (!$ENV{NEARDUP_SEEDS})
{
    report_differences("sets given as $_ join as those given as int8[]",
        "sets = 'tokens::$_' AND origin ~ '^[0-9]+\$'")
      for 'tokenset', 'text[]', 'int4[]';
    report_differences("keys of type $_ join in the order of their type",
        "sets = 'key $_'")
      for qw(text uuid numeric);
}

# ---------------------------------------------------------------------------
# Real samples
# ---------------------------------------------------------------------------

SKIP:
{
    skip 'only the given seeds are run', 1 if $ENV{NEARDUP_SEEDS};

    # Name, kind of tokens, number of records, where they begin (percent of the
    # file sorted by content), least overlap and greatest Hamming distance.
    for my $sample (
        [ 'debdesc', 'words', 1000, 50, 12, 8 ],
        $ENV{NEARDUP_ALL} ? [ 'papers_ta', 'words', 1200, 20, 8, 4 ] : (),
        [ 'retail', 'int4', 1200, 50, 8, 3 ],
        [ 'kosarak36k', 'int4', 1000, 50, 10, 3 ],
        [ 'debtags', 'atoms', 1000, 50, 6, 2 ],
        [ 'debdeps', 'atoms', 1000, 20, 6, 3 ],
        [ 'dblp_acm', 'words', 1500, 20, 8, 4 ],
        [ 'affil', 'words', 1200, 20, 4, 3 ],
        [ 'febrl20k', 'words', 1500, 20, 6, 4 ])
    {
        my ($name, $tokens, $size, $percent, $overlap, $hamming) = @$sample;
        my $file = NeardupTest::shared_data($name);
      SKIP:
        {
            skip "../shared/data/$name.tsv.xz is not there", 1 if !$file;
            RealSample::load($node, $name, $file);
            # All pairs of a third as many are a ninth of them.
            $size = int($size / 3) if !$ENV{NEARDUP_ALL};
            RealSample::take($node, $name, $tokens, $size, $percent);
            my $sets =
              $tokens eq 'int4' ? 'tokens::int4[]' : 'words';
            my $calls = "SELECT check_sample('$name', '$sets', $overlap, $hamming);";
            run_calls($name, $calls);
            my $pairs = $node->safe_psql('postgres',
                "SELECT sum(pairs) FROM tally WHERE origin = '$name' AND join_kind = 'self'");
            cmp_ok($pairs, '>', 200, "the sample of $name has pairs to find ($pairs)");
            report_differences(
                "$size records of $name: all measures, algorithms and thresholds",
                "origin = '$name'");
        }
    }
}

$node->stop;
done_testing();
