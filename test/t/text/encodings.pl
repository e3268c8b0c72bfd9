# The same texts have the same tokens, pairs, distances and places whatever the encoding of the database. Bytes
# of an SQL_ASCII database that are no UTF-8 are refused, or hashed as they are.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('encodings', extra => [ '--encoding=UTF8', '--locale=C' ]);

foreach my $encoding (qw(UTF8 LATIN1 EUC_JP WIN1251 EUC_KR WIN1256 WIN874 SQL_ASCII))
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

foreach my $call ("word_set('%s')", "word_tokens('%s')", "shingle_tokens('%s', 2)", "qgram_tokens('%s', 3)", "word_qgram_tokens('%s', 3)")
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

# Texts, and what is found in them: as a UTF8 database finds it.
my %texts = (
    latin1 => [ $french, "cr\xc3\xa8me br\xc3\xbbl\xc3\xa9e", "Cr\xc3\xa8me br\xc3\xbbl\xc3\xa9e au caf\xc3\xa9", "stra\xc3\x9fe", 'STRASSE' ],
    euc_jp => [
        $japanese, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe6\x96\x87\xe7\xab\xa0",
        "\xef\xbd\xb6\xef\xbe\x80\xef\xbd\xb6\xef\xbe\x85 \xef\xbc\xa1\xef\xbc\xa2", "\xe3\x82\xab\xe3\x82\xbf\xe3\x82\xab\xe3\x83\x8a ab" ],
    win1251 => [
        "\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82, \xd0\xbc\xd0\xb8\xd1\x80", "\xd0\xbc\xd0\xb8\xd1\x80 \xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82",
        "\xd0\xbc\xd0\xb8\xd1\x80 \xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82\xd0\xb0" ],
    euc_kr => [
        "\xec\x95\x88\xeb\x85\x95\xed\x95\x98\xec\x84\xb8\xec\x9a\x94 \xec\x84\xb8\xea\xb3\x84", "\xec\x84\xb8\xea\xb3\x84 \xec\x95\x88\xeb\x85\x95\xed\x95\x98\xec\x84\xb8\xec\x9a\x94",
        "\xec\x95\x88\xeb\x85\x95 \xec\x84\xb8\xea\xb3\x84" ]);
$texts{win1256} = [ "\xd9\x85\xd9\x8f\xd8\xad\xd9\x8e\xd9\x85\xd9\x8e\xd9\x91\xd8\xaf \xd8\xb9\xd9\x84\xd9\x8a", "\xd9\x85\xd8\xad\xd9\x85\xd8\xaf \xd8\xb9\xd9\x84\xd9\x89", "\xd8\xb9\xd9\x84\xd9\x89 \xda\xa9\xd8\xaa\xd8\xa7\xd8\xa8 \xd9\x85\xd8\xad\xd9\x85\xd8\xaf", "\xd9\x85\xd8\xad\xd9\x85\xd8\xaf \xda\xa9\xd8\xaa\xd8\xa7\xd8\xa8 \xd8\xa7\xd9\x84\xd9\x85\xd8\xaf\xd8\xb1\xd8\xb3\xd8\xa9" ];
$texts{win874} = [ "\xe0\xb8\x99\xe0\xb9\x89\xe0\xb8\xb3 \xe0\xb8\x84\xe0\xb8\xb3", "\xe0\xb8\x99\xe0\xb8\xb3\xe0\xb9\x89 \xe0\xb8\x84\xe0\xb8\xb3", "\xe0\xb8\x99\xe0\xb9\x8d\xe0\xb9\x89\xe0\xb8\xb2" ];
$texts{sql_ascii} = [ map { @{ $texts{$_} } } sort keys %texts ];
my %queries = (
    'ppjoin' => q{SELECT a, b, similarity FROM ppjoin('SELECT id, word_tokens(body) FROM docs', 0.3) ORDER BY a, b},
    'ppjoin of q-grams' => q{SELECT a, b, similarity FROM ppjoin('SELECT id, qgram_tokens(body, 2) FROM docs', 0.2) ORDER BY a, b},
    'a planned join' => q{SELECT a.id, b.id FROM docs a JOIN docs b ON a.id < b.id AND jaccard_ge(word_tokens(a.body), word_tokens(b.body), 0.3) ORDER BY 1, 2},
    'edit_join' => q{SELECT a, b, distance FROM edit_join('SELECT id, body FROM docs', 7) ORDER BY a, b},
    'a planned join by edit_within' => q{SELECT a.id, b.id FROM docs a JOIN docs b ON a.id < b.id AND edit_within(a.body, b.body, 7) ORDER BY 1, 2},
    'near_duplicates' => q{SELECT * FROM near_duplicates('docs', 'id', 'body', 0.2) ORDER BY id},
    'metrics' => q{SELECT a.id, b.id, edit_distance(a.body, b.body), edit_distance(a.body, b.body, 3), damerau_levenshtein(a.body, b.body),
        jaro_similarity(a.body, b.body), jaro_winkler_similarity(a.body, b.body) FROM docs a, docs b ORDER BY 1, 2},
    'side_by_side' => q{SELECT a.id, b.id, s.* FROM docs a, docs b, side_by_side(a.body, b.body, 'qgram_tokens(2)') s ORDER BY 1, 2, convert_to(s::text, 'UTF8')},
    'normalization' => q{SELECT id, normalize_text(body), strip_tags('<b>' || body || '</b>'), strip_numbers('1 ' || body || ' 2'), strip_marks(body), fold_letters(body), fold_letters(body, 'de'), replace_words(body, '{"creme": "x"}'), strip_ids('a1 ' || body), number_words('a1' || body), code_words('a+b ' || body), log_words('a1 ' || body), phone_tokens('030 12345' || body || '67890'), shingle_set(code_words(body), 2) FROM docs ORDER BY id},
    'passages' => q{SELECT a, b, words, substr(x.body, lower(in_a), upper(in_a) - lower(in_a)), substr(y.body, lower(in_b), upper(in_b) - lower(in_b))
        FROM passage_join('SELECT id, body FROM docs', 1) p JOIN docs x ON x.id = a JOIN docs y ON y.id = b ORDER BY a, b, in_a, in_b},
    'what is left of texts' => q{SELECT id, words, share, first_id, remove_ranges(body, repeated), passage_tokens(body, 1)
        FROM repeated_passages('SELECT id, body FROM docs ORDER BY id', 1) JOIN docs USING (id) ORDER BY id},
    'boilerplate' => q{SELECT * FROM boilerplate_passages('SELECT id, body FROM docs ORDER BY id', 1, 2) ORDER BY passage_tokens(passage, 1)::text},
    'fingerprints' => q{SELECT id, fingerprint(body), fingerprint128(body) FROM docs ORDER BY id},
    'sketches' => q{SELECT simhash_agg(body, id), minhash_datasketch(array_agg(body ORDER BY id), 4), tokenset(array_agg(body)) FROM docs WHERE body IS NOT NULL});

foreach my $encoding (sort keys %texts)
{
    my $values = join ', ', map { "(" . ($_ + 1) . ", '$texts{$encoding}[$_]')" } 0 .. $#{ $texts{$encoding} };
    # A client of SQL_ASCII gets the bytes as they are.
    my $client = sub { $_[0] eq 'sql_ascii' ? '' : "SET client_encoding = 'UTF8';" };

    $node->safe_psql('postgres', qq{CREATE DATABASE "utf8_$encoding" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'});
    $node->safe_psql("utf8_$encoding", 'CREATE EXTENSION neardup');
    $node->safe_psql($_, $client->($_) . "CREATE TABLE docs (id int, body text); INSERT INTO docs VALUES $values, (100, ''), (101, NULL)") for $encoding, "utf8_$encoding";
    foreach my $what (sort keys %queries)
    {
        my ($here, $there) = map { $node->safe_psql($_, $client->($_) . $queries{$what}) } $encoding, "utf8_$encoding";
        is($here, $there, "$encoding: $what as in UTF8");
        isnt($here, '', "$encoding: $what finds something");
    }
}
is( $node->safe_psql('win1251', "SET client_encoding = 'KOI8R'; SELECT word_tokens('\xcd\xc9\xd2')::text"),
    tokens_in('utf8', "word_tokens('\xd0\xbc\xd0\xb8\xd1\x80')"), 'a client that speaks a third encoding');

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
    foreach my $call ("word_set(%s)", "word_tokens(%s)", "shingle_set(%s, 2)", "qgram_set(%s, 3)", "word_qgram_set(%s, 3)", "normalize_text(%s)", "strip_marks(%s)", "fold_letters(%s)", "fold_letters(%s, 'nl')", "replace_words(%s, '{}')", "strip_ids(%s)", "number_words(%s)", "code_words(%s)", "log_words(%s)", "phone_tokens(%s)", "edit_distance(%s, 'a')", "passage_tokens(%s, 1)", "common_passages(%s, 'a', 1)")
    {
        my $sql = 'SELECT ' . sprintf($call, "E'$invalid{$what}'::text");
        (my $name = $call) =~ s/%s/text/;
        is(sqlstate_of($node, 'sql_ascii', $sql), '22021', "SQL_ASCII, $what: $name");
    }
}
my $body = "E'abc \\xff'::text";
my %joins = (
    ppjoin => "ppjoin('SELECT 1, word_tokens(body) FROM invalid', 0.5)",
    edit_join => "edit_join('SELECT 1, body FROM invalid', 1)",
    passage_join => "passage_join('SELECT 1, body FROM invalid', 1)",
    near_duplicates => "near_duplicates('invalid', 'id', 'body', 0.5)",
    'a planned join' => 'invalid a JOIN invalid b ON edit_within(a.body, b.body, 1)',
    shared_tokens => 'invalid, shared_tokens(body, body)');
$node->safe_psql('sql_ascii', "CREATE TABLE invalid AS SELECT 1 AS id, $body AS body UNION ALL SELECT 2, $body");
is(sqlstate_of($node, 'sql_ascii', "SELECT count(*) FROM $joins{$_}"), '22021', "SQL_ASCII, bytes that are no UTF-8: $_") foreach sort keys %joins;
is( $node->safe_psql('sql_ascii', qq{
        SELECT fingerprint($body) = fingerprint('\\x616263 20 ff'::bytea), cardinality(tokenset(ARRAY[$body, 'abc '])), simhash_agg(body, 1) = simhash(ARRAY[$body], ARRAY[1.0]),
               minhash_datasketch(ARRAY[$body], 2) IS NOT NULL FROM invalid}),
    't|2|t|t', 'what is hashed as it is takes them');
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $server, 'the server is the same one');
unlike(slurp_file($node->logfile), qr/PANIC|terminated by signal|TRAP:/, 'and none of its processes crashed');

$node->stop;
done_testing();
