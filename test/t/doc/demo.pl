# What a newcomer sees: the demo is short and cuts texts between words, and who is told to install is told how.
use strict;
use warnings;

use Cwd 'getcwd';
use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('demo');
my $home = getcwd();
my $data = project_file('test/data/debian_descriptions.tsv.xz');
chdir PostgreSQL::Test::Utils::tempdir();
is(system("xz -dc '$data' > docs.tsv"), 0, 'the data set of the demo is unpacked');
my @bodies = map { (split /\t/)[2] } split /\n/, slurp_file('docs.tsv');

foreach my $width (80, 100, 150)
{
    my $database = "demo$width";
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    my ($out, $err) = run_command([ 'psql', '-X', '-f', project_file('test/demo.sql'), '-v', "width=$width", '-v', 'examples=' . project_file('doc/examples'), '-d', $node->connstr($database) ]);
    is($err, '', "the demo runs in $width columns");

    my ($table) = $out =~ /^ similar +\|[^\n]*\n-+\+.*?\n(.*?)\n\n/ms;
    my @rows = map { [ map { s/^ +| +$//gr } split / \| /, $_, 3 ] } split /\n/, $table;
    is(scalar(@rows), 6, 'with three pairs');
    my @cut = grep {
        my $text = $_->[2] =~ s/^… | …$//gr;
        !grep { /(?<!\S)\Q$text\E(?!\S)/ } @bodies
    } @rows;
    is(join("\n", map { $_->[2] } @cut), '', 'of which no text begins or ends within a word');
    is(scalar(grep { /^.{\Q$width\E}./ } map { utf8::decode(my $line = $_); $line } split /\n/, $out), 0, 'and no line is too long');
    cmp_ok(scalar(split /\n/, $out), '<', 60, 'it prints fewer than 60 lines');
    like($out, qr/^ +99 \| +201 \| +32 \| +28 \| +29$/m, 'links of two tables');
    like($out, qr/^ cvise +\| creduce +\| +0\.50 \| +27 \| program that has the same/m, 'and passages');
    like($out, qr/^ +2404 \| +1500 \| +8\d\d \| +8\d\d \| \d+ ms$/m, 'and persons');
}

$node->safe_psql('postgres', q{
    CREATE EXTENSION neardup;
    CREATE TABLE long (id int PRIMARY KEY, body text);
    INSERT INTO long SELECT i, 'the words of this text are so many that they do not have room, wherever it ends' FROM generate_series(1, 2) i});
my $look = project_file('doc/examples/first_look.sql');
my $output = $node->safe_psql('postgres', "\\i $look", extra_params => [ '-v', 'table=long', '-v', 'key=id', '-v', 'text=body', '-v', 'threshold=0.8' ]);
like($output, qr/^1\|1\|the words of this text are so many that they do not have …$/m, 'first_look: nor does its');
chdir $home;

foreach my $file (map { project_file($_) } 'README.md', 'CHANGELOG.md', 'test/demo.sh')
{
    unlike(slurp_file($file), qr/(?<!sudo )make install\b/, "only root can install: $file");
}

$node->stop;
done_testing();
