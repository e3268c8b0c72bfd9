# The exact numbers of pairs of every data set in ../shared/data, as counted
# there by a full inverted index in integer arithmetic; and result memory that
# does not grow with the number of pairs.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;
use RealSample;

# The table of ../shared/data/README.md: pairs with Jaccard similarity of at
# least 0.95, 0.90, 0.80, 0.70, 0.60 and 0.50.
my @THRESHOLDS = ('0.95', '0.9', '0.8', '0.7', '0.6', '0.5');
my @TRIED = $ENV{NEARDUP_ALL} ? 0 .. $#THRESHOLDS : (0, 2, 5);
my @KNOWN = (
    [ 'affil', 'words', 335, 374, 1_313, 2_488, 5_229, 13_072 ],
    [ 'dblp_acm', 'words', 135, 333, 831, 1_893, 2_527, 3_156 ],
    [ 'febrl20k', 'words', 7, 20, 162, 321, 589, 832 ],
    [ 'papers_ta', 'words', 1_567, 1_595, 1_733, 1_951, 2_661, 4_962 ],
    [ 'debdesc', 'words',
        53_188, 122_489, 244_645, 386_430, 847_331, 1_686_633 ],
    [ 'retail', 'int4',
        563_005, 563_005, 568_171, 609_104, 1_276_096, 5_081_632 ],
    [ 'kosarak36k', 'int4',
        2_212_849, 2_212_855, 2_224_956, 2_528_540, 5_451_982, 18_890_001 ],
    [ 'debdeps', 'atoms',
        2_325_005, 2_325_515, 2_342_625, 2_664_341, 3_429_909, 9_379_038 ],
    [ 'debtags', 'atoms',
        36_999_802, 37_000_013, 37_124_266, 38_524_011, 41_229_129, 45_855_368 ]);

if (!grep { NeardupTest::shared_data($_->[0]) } @KNOWN)
{
    plan skip_all => '../shared/data is not there';
}

# Kilobytes, shared buffers that were touched included.
my $PEAK = "SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\\s+(\\d+) kB'))[1]";

my $node = NeardupTest::new_node('known_counts');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');

for my $known (@KNOWN)
{
    my ($name, $tokens, @pairs) = @$known;
    my $file = NeardupTest::shared_data($name);
  SKIP:
    {
        skip "../shared/data/$name.tsv.xz is not there", scalar @TRIED
          if !$file;
        RealSample::load($node, $name, $file);
        RealSample::tokenize($node, $name, $tokens);
        my $set = $tokens eq 'int4' ? 'words::int4[]' : 'words';
        for my $i (@TRIED)
        {
            my ($code, $stdout, $stderr) = $node->psql('postgres',
                "SELECT count(*) FROM ppjoin('SELECT n, $set FROM words_$name', $THRESHOLDS[$i])");
            is($code == 0 ? $stdout : $stderr,
                $pairs[$i], "$name: all pairs at $THRESHOLDS[$i]");
        }
    }
}

# In a tenth of the memory that it would take, in files and alone, the same.
SKIP:
{
    skip '../shared/data/debdesc.tsv.xz is not there', 2 if !NeardupTest::shared_data('debdesc');
    my $join = "ppjoin_stats('SELECT n, words FROM words_debdesc', 0.8)";
    is($node->safe_psql('postgres', "SET neardup.join_memory = '2MB'; SELECT pairs, temp_bytes > 0 FROM $join"),
        '244645|t', 'debdesc within 2MB: all pairs at 0.8');

    # What is said of memory is what the process takes.
    my $why = NeardupTest::no_process_size();
    skip $why, 1 if $why;
    my ($code, $stdout) = $node->psql('postgres', <<"SQL");
SET neardup.join_memory = '2GB';
SET max_parallel_workers_per_gather = 0;
SELECT count(words) FROM words_debdesc;
SELECT pairs > 0 FROM ppjoin_stats('SELECT n, words FROM words_debdesc LIMIT 100', 0.8);
$PEAK;
SELECT memory_bytes / 1024 FROM $join;
$PEAK;
SQL
    my (undef, undef, $before, $said, $after) = split /\n/, $stdout;
    my $share = $said / ($after - $before);
    ok($share > 0.75 && $share < 1.1, sprintf 'memory_bytes is %.3f of what the process grew by', $share);
}

# The peak of a backend's memory, before and after 37 million pairs. Shared
# buffers that it has touched count too: the input is read once before.
SKIP:
{
    my $file = NeardupTest::shared_data('debtags');
    skip '../shared/data/debtags.tsv.xz is not there', 3 if !$file;
    my ($code, $stdout, $stderr) = $node->psql('postgres', <<"SQL");
SET neardup.join_memory = '32MB';
SELECT count(words) FROM words_debtags;
SELECT count(*) FROM ppjoin('SELECT n, words FROM words_debtags LIMIT 1000', 1);
$PEAK;
SELECT count(*) FROM ppjoin('SELECT n, words FROM words_debtags', 0.95);
$PEAK;
SQL
    my @line = split /\n/, $stdout;
    is($line[3], 36_999_802, 'debtags within 32MB: all pairs at 0.95')
      or diag($stderr);
    my $growth = ($line[4] // 1e9) - ($line[2] // 0);
    is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'),
        '0', 'no temporary file is left');
    my $why = NeardupTest::no_process_size();
    skip $why, 1 if $why;
    cmp_ok($growth, '<', 100 * 1024,
        "37 million pairs do not stay in memory: the peak grew by $growth kB");
}

$node->stop;
done_testing();
