# The engines count what the paper's algorithms count: candidates, pairs
# dropped by the positional and by the suffix filter, index entries and
# results agree to the unit with the transcription in PaperJoin.pm, on real
# records. The transcription itself is held against brute force.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;
use PaperJoin;
use RealSample;
use SeededRandom;

my @ALGORITHMS = ('allpairs', 'ppjoin', 'ppjoin+');
my @COUNTERS = qw(records tokens distinct_tokens postings candidates
  pruned_by_position pruned_by_suffix pruned_by_bitmap pairs);
my $RECORDS = $ENV{NEARDUP_ALL} ? 2500 : 600;

# ---------------------------------------------------------------------------
# The transcription against brute force
# ---------------------------------------------------------------------------

# Records that are variants of a few others, so that there is much to find.
sub random_records
{
    my ($random, $number) = @_;
    my $universe = $random->pick(5, 12, 30, 80, 200);
    my $largest = $random->pick(6, 12, 25);
    my @base = map {
        [
            $random->subset($random->between(1, $largest),
                $universe, $random->pick('zipf', 'uniform'))
        ]
    } 1 .. 10;
    my @records;
    for (1 .. $number)
    {
        my @set = @{ $random->pick(@base) };
        for (1 .. $random->below(4))
        {
            if ($random->chance(50)) { push @set, $random->below($universe); }
            elsif (@set > 1) { splice @set, $random->below(scalar @set), 1; }
        }
        push @records, \@set;
    }
    return [ @records, [] ];
}

for my $measure ('jaccard', 'cosine')
{
    for my $algorithm (@ALGORITHMS)
    {
        my ($wrong, $pairs) = (0, 0);
        for my $seed (1 .. share_of(16))
        {
            my $random = SeededRandom->new($seed);
            my $records = random_records($random, 40);
            my $sides = [ map { $random->below(2) } @$records ];
            for my $t ([ 1, 2 ], [ 2, 3 ], [ 7, 10 ], [ 80, 100 ], [ 95, 100 ])
            {
                for my $sides_or_none (undef, $sides)
                {
                    my %arg = (
                        records => $records,
                        sides => $sides_or_none,
                        measure => $measure,
                        n => $t->[0],
                        d => $t->[1]);
                    my $expected = PaperJoin::brute_force(%arg);
                    my $got =
                      PaperJoin::join_records(%arg, algorithm => $algorithm);
                    $wrong++
                      if PaperJoin::pairs_as_text($got->{pairs}) ne
                      PaperJoin::pairs_as_text($expected);
                    $pairs += @$expected;
                }
            }
        }
        is($wrong, 0,
            "the transcription of $algorithm by $measure returns brute force's $pairs pairs");
    }
}

# ---------------------------------------------------------------------------
# The engines against the transcription
# ---------------------------------------------------------------------------

my $node = NeardupTest::new_node('paper_algorithms');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');

# The lines of a file, compressed or not, as bytes.
sub lines_of
{
    my ($file) = @_;
    my $command =
        $file =~ /\.xz$/ ? "xz -dc '$file' |"
      : $file =~ /\.gz$/ ? "gzip -dc '$file' |"
      :                    "< $file";
    open(my $handle, $command) or die "could not read $file: $!";
    my @lines = <$handle>;
    close $handle;
    chomp @lines;
    return @lines;
}

# The samples: neighbours by content, where the near-duplicates are. Words
# are numbered in the order of their first occurrence.
sub sample_of
{
    my ($file) = @_;
    my @texts = sort map { (split /\t/, $_, 2)[1] } lines_of($file);
    my $first = @texts > $RECORDS ? int((@texts - $RECORDS) / 2) : 0;
    my %number;
    my @records;
    for my $text (grep { defined } @texts[ $first .. $first + $RECORDS - 1 ])
    {
        my %seen;
        push @records,
          [
            map { $number{$_} //= 1 + keys %number }
            grep { !$seen{$_}++ } RealSample::words_of($text)
          ];
    }
    return \@records;
}

sub counters_as_text
{
    my (%value) = @_;
    return join ', ', map { "$_ $value{$_}" } @COUNTERS;
}

sub load_records
{
    my ($table, $records) = @_;
    my $row = 0;
    my $script = "CREATE TABLE $table (id int8, tokens int8[]);\nCOPY $table FROM STDIN;\n";
    $script .= $row++ . "\t{" . join(',', @$_) . "}\n" for @$records;
    $node->safe_psql('postgres', $script . "\\.\nANALYZE $table;\n");
    return;
}

sub check_sample
{
    my ($name, $records) = @_;
    load_records($name, $records);
    my $query = "SELECT id, tokens FROM $name ORDER BY id";
    my @cases = map { [ 'jaccard', $_ ] } 95, 90, 80, 70, 50;
    push @cases, [ 'cosine', 90 ], [ 'cosine', 80 ];

    for my $case (@cases)
    {
        my ($measure, $percent) = @$case;
        my $t = sprintf '%.2f', $percent / 100;
        my %candidates;
        for my $algorithm (@ALGORITHMS)
        {
            my $paper = PaperJoin::join_records(
                records => $records,
                measure => $measure,
                n => $percent,
                d => 100,
                algorithm => $algorithm);
            $candidates{$algorithm} = $paper->{candidates};
            my $pairs = $paper->{pairs};

            my $columns = join ', ', @COUNTERS;
            my @values = split /\|/, $node->safe_psql('postgres',
                "SELECT $columns FROM ppjoin_stats('$query', $t, '$measure', '$algorithm')");
            my %got;
            @got{@COUNTERS} = @values;
            is( counters_as_text(%got),
                counters_as_text(%$paper, pruned_by_bitmap => 0, pairs => scalar @$pairs),
                "$name, $measure at $t by $algorithm: counts of the paper's algorithm");

            next if $algorithm ne 'ppjoin+';
            my %row = map { $_ => 1 } split /\n/, $node->safe_psql('postgres',
                "SELECT a || ' ' || b FROM ppjoin('$query', $t, '$measure', '$algorithm')");
            my $missing =
              grep { !delete $row{"$_->[0] $_->[1]"} } @$pairs;
            is($missing + keys %row, 0,
                "$name, $measure at $t: the same " . @$pairs . ' pairs');
        }
        my ($allpairs, $ppjoin, $ppjoin_plus) = @candidates{@ALGORITHMS};
        my $falls = "candidates fall from $allpairs to $ppjoin to $ppjoin_plus";
        ok($allpairs >= $ppjoin && $ppjoin >= $ppjoin_plus,
            "$name, $measure at $t: $falls");
        ok($allpairs > $ppjoin && $ppjoin > $ppjoin_plus,
            "$name, $measure at $t: each filter drops some")
          if $measure eq 'jaccard' && $percent == 80;
    }
    return;
}

my %sample = map { $_ => NeardupTest::shared_data($_) } qw(debdesc dblp_acm);
if (!grep { defined } values %sample)
{
    my ($own) = glob "$FindBin::RealBin/../../data/debian_descriptions.tsv*";
    %sample = (debian_descriptions => $own);
}
for my $name (sort keys %sample)
{
  SKIP:
    {
        skip "../shared/data/$name.tsv.xz is not there", 1 if !$sample{$name};
        check_sample($name, sample_of($sample{$name}));
    }
}

$node->stop;
done_testing();
