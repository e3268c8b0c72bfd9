# The page of doc/examples/review.sql: what it shows, whatever the texts hold; read as a file and, where
# there is Debian's chromium, as the browser has rendered it.
use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::RealBin/../perl";
use Encode;
use File::Temp;
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $script = project_file('doc/examples/review.sql');
my $node = new_node('review');
my $chromium = -x '/usr/bin/chromium' ? '/usr/bin/chromium' : undef;
my $common = 'one two three four five six seven eight nine ten eleven twelve';
my %rows = (
    1 => qq{<script>document.title = "owned"</script> $common & it's "quoted"},
    2 => qq{<script>document.title = 'owned'</script> $common & it's "quoted" more},
    3 => qq{</mark></div></td></section><script>document.title = "owned"</script> $common <!-- &amp; it's %s %1\$s quoted},
    4 => "red green blue \x{1}\x{b}\x{1b}[31m\x{7f}\x{85}\x{202e}txet \x{2066}yellow pink brown grey\n\tblack white",
    5 => "red green blue \x{1}\x{b}\x{1b}[31m\x{7f}\x{85}\x{202e}txet \x{2066}yellow pink brown grey\n\tblack white orange",
    6 => '東京都の天気は晴れです 今日は暖かい', 7 => '東京都の天気は晴れです 今日は寒い',
    8 => '???', 9 => '???', 10 => undef, 11 => 'Unlike all others', 12 => 'red green', 13 => "$common alike", 14 => "$common alike");
my %as_shown = map { my $text = $rows{$_}; $text =~ tr/\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f/\x{fffd}/ if defined $text;
    $text =~ tr/\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}/\x{21c4}/ if defined $text; ($_ => $text) } keys %rows;

$node->safe_psql('postgres', 'CREATE EXTENSION neardup; CREATE TABLE "<img src=x onerror=alert(1)>" (id int PRIMARY KEY, "the ""text" text)');
for my $id (sort { $a <=> $b } keys %rows)
{
    my $text = defined $rows{$id} ? encode_utf8($rows{$id}) : undef;
    $node->safe_psql('postgres', sprintf q{INSERT INTO "<img src=x onerror=alert(1)>" VALUES (%d, %s)}, $id,
        defined $text ? "convert_from('\\x" . unpack('H*', $text) . "', 'UTF8')" : 'NULL');
}

# The page of a table, as characters.
sub page_of
{
    my (%variables) = @_;
    my $file = File::Temp->new(SUFFIX => '.html');
    my ($out, $err);
    my $status = $node->psql('postgres', "\\o $file\n\\i $script", stdout => \$out, stderr => \$err, on_error_stop => 1,
        extra_params => [ '-q', map { ('-v', "$_=$variables{$_}") } sort keys %variables ]);
    is("$status|$err|$out", '0||', 'review.sql writes to the file alone');
    return ($file, decode_utf8(slurp_file($file)));
}

# What a browser makes of a file.
sub rendered
{
    my ($file) = @_;
    my $profile = PostgreSQL::Test::Utils::tempdir();
    my ($out, $err);
    local $ENV{HOME} = $profile;
    IPC::Run::run([ $chromium, '--headless', '--no-sandbox', '--disable-gpu', "--user-data-dir=$profile", '--dump-dom', "file://$file" ],
        '<', '/dev/null', '>', \$out, '2>', \$err, IPC::Run::timeout(120)) or diag($err);
    return decode_utf8($out);
}

sub text_of
{
    my ($html) = @_;
    $html =~ s/<[^>]*>//g;
    my %entities = (lt => '<', gt => '>', quot => '"', amp => '&', nbsp => "\x{a0}");
    $html =~ s/&(?:#(\d+)|(\w+));/defined $1 ? chr $1 : $entities{$2} \/\/ die "entity $2"/ge;
    return $html;
}

# Tests of a page, from the file or the browser.
sub shows_all
{
    my ($html, $what) = @_;
    my ($title) = $html =~ m{<title>(.*?)</title>}s;
    my @elements = $html =~ /<(\w+)/g;
    my %known = map { $_ => 1 } qw(html head meta title style body header h1 h2 p figure svg rect line text section table tbody tr th td div mark b);
    is(text_of($title), 'Near-duplicates of "<img src=x onerror=alert(1)>"', "$what: the title is ours");
    is(join(' ', grep { !$known{$_} } @elements), '', "$what: no element comes from a text");
    unlike($html, qr/<[^>]*\s(?:src|href|on\w+)=/, "$what: nothing is loaded or run");
    unlike($html, qr/[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\x{202a}-\x{202e}\x{2066}-\x{2069}]/, "$what: no control character is left");

    my @cells = map { text_of($_) } $html =~ m{<td><div dir="auto">(.*?)</div></td>}gs;
    my @ids = map { /^(\d+), / ? $1 : die $_ } map { text_of($_) } $html =~ m{<th>(.*?)</th>}gs;
    is(join(' ', @ids), '1 3 1 2 4 5 6 7 8 9 13 14', "$what: clusters from the largest, rows from the least similar");
    is_deeply([ map { $cells[$_] } 0 .. $#ids ], [ map { $as_shown{$_} } @ids ], "$what: each text is shown whole");
    my @marks = map { text_of($_) } $html =~ m{<mark>(.*?)</mark>}gs;
    is_deeply([ @marks ], [ 'mark></div></td></section', 'amp', 's %1$s', 'more', 'orange', 'は暖かい', 'は寒い' ], "$what: what differs is marked") or diag(encode_utf8(join '|', @marks));
    return;
}

my %variables = (table => '"<img src=x onerror=alert(1)>"', key => 'id', text => 'the "text', threshold => 0.6);
my ($file, $html) = page_of(%variables);
shows_all($html, 'file');
like($html, qr{6 of 14 rows resemble.*; 2 of them are exact copies\.\s+5 rows are kept}s, 'rows are counted');
is(eval { my @n = $html =~ m{<title>(\d+) rows from}g; my $sum = 0; $sum += $_ for @n; scalar(@n) . " $sum" }, '20 6', 'every duplicate is in one of twenty bars');

my (undef, $fewer) = page_of(%variables, clusters => 2, rows => 1);
is(join(' ', $fewer =~ m{<th>(\d+)}g), '1 3 4 5', 'fewer clusters, and rows of each');
(undef, my $exact) = page_of(%variables, threshold => 1);
is(join(' ', $exact =~ m{<th>(\d+)}g), '8 9 13 14', 'exact copies at threshold 1');
$node->safe_psql('postgres', 'CREATE TABLE nothing (id int, body text)');
(undef, my $empty) = page_of(table => 'nothing', key => 'id', text => 'body', threshold => 0.8);
like($empty, qr{0 of 0 rows.*</html>}s, 'an empty table has a page too');

SKIP:
{
    skip 'there is no chromium', 6 unless $chromium;
    shows_all(rendered($file), 'browser');
}

$node->stop;
done_testing();
