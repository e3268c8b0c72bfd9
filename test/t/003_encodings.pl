# The same text has the same tokens whatever the encoding of the database.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('encodings', extra => [ '--encoding=UTF8', '--locale=C' ]);

foreach my $encoding (qw(UTF8 LATIN1 EUC_JP SQL_ASCII))
{
    my $database = lc $encoding;
    $node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0 ENCODING '$encoding' LOCALE 'C'");
    $node->safe_psql($database, 'CREATE EXTENSION neardup');
}

# The client speaks UTF-8; the server converts to the database's encoding.
sub tokens_in
{
    my ($database, $expression) = @_;
    return $node->safe_psql($database, "SET client_encoding = 'UTF8'; SELECT ($expression)::text");
}

my $french = "Cr\xc3\xa8me br\xc3\xbbl\xc3\xa9e, CR\xc3\x88ME";
my $japanese = "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe6\x96\x87\xe7\xab\xa0 PostgreSQL";
my $ascii = 'The quick brown fox, the lazy dog';

foreach my $call ("word_set('%s')", "word_tokens('%s')", "shingle_tokens('%s', 2)", "qgram_tokens('%s', 3)")
{
    my ($of_french, $of_japanese, $of_ascii) = map { sprintf $call, $_ } $french, $japanese, $ascii;
    (my $name = $call) =~ s/'%s'/text/;

    is(tokens_in('latin1', $of_french), tokens_in('utf8', $of_french), "$name: LATIN1 as UTF8");
    is(tokens_in('euc_jp', $of_japanese), tokens_in('utf8', $of_japanese), "$name: EUC_JP as UTF8");
    is(tokens_in($_, $of_ascii), tokens_in('utf8', $of_ascii), "$name: ASCII in $_ as in UTF8") foreach qw(latin1 euc_jp sql_ascii);
}

foreach my $call ("edit_distance('$french', 'Creme')", "damerau_levenshtein('$french', 'Creme')", "jaro_winkler_similarity('$french', 'Creme')")
{
    (my $name = $call) =~ s/\(.*//;
    is(tokens_in('latin1', $call), tokens_in('utf8', $call), "$name: LATIN1 as UTF8");
}
is(tokens_in('euc_jp', "edit_distance('$japanese', 'PostgreSQL')"), '7', 'edit_distance: characters of EUC_JP');

is(tokens_in('utf8', "cardinality(word_set('$french'))"), '2', 'accents are part of words, case is not');
is(tokens_in('sql_ascii', "word_set('$french')"), tokens_in('utf8', "word_set('$french')"),
    'SQL_ASCII: bytes that are UTF-8 are read as UTF-8');

my $server = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
my %invalid = (
    'a byte that starts nothing' => '\xff',
    'a lone continuation byte' => 'abc \x80',
    'a sequence cut short' => 'abc \xe6\x97',
    'an overlong form' => '\xc0\xaf',
    'a surrogate' => '\xed\xa0\x80',
    'a code point above U+10FFFF' => '\xf4\x90\x80\x80');

foreach my $what (sort keys %invalid)
{
    foreach my $call ("word_set(%s)", "word_tokens(%s)", "shingle_set(%s, 2)", "qgram_set(%s, 3)", "normalize_text(%s)", "edit_distance(%s, 'a')")
    {
        my $sql = 'SELECT ' . sprintf($call, "E'$invalid{$what}'::text");
        (my $name = $call) =~ s/%s/text/;
        is(sqlstate_of($node, 'sql_ascii', $sql), '22021', "SQL_ASCII, $what: $name");
    }
}
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $server, 'the server is the same one');
unlike(slurp_file($node->logfile), qr/PANIC|terminated by signal|TRAP:/, 'and none of its processes crashed');

$node->stop;
done_testing();
