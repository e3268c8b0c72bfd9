# The extensions are created, and work, in databases of every kind of encoding.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use Test::More;

my $node = new_node('encodings');
my @extensions = split /\n/, $node->safe_psql('postgres', q{SELECT name FROM pg_available_extensions
    WHERE name ~ '^neardup(_clean|_track|_trgm|_icu)?$' ORDER BY name});
# Two words that the encoding has beside ASCII, for SQL_ASCII as UTF-8.
my %words = (EUC_JP => [ "\xe6\x9d\xb1\xe4\xba\xac", "\xe5\xa4\xa7\xe9\x98\xaa" ], EUC_KR => [ "\xec\x84\x9c\xec\x9a\xb8", "\xeb\xb6\x80\xec\x82\xb0" ], LATIN1 => [ "caf\xc3\xa9", "\xc3\xa9t\xc3\xa9" ],
    WIN1251 => [ "\xd0\x9c\xd0\xbe\xd1\x81\xd0\xba\xd0\xb2\xd0\xb0", "\xd0\xbc\xd0\xb8\xd1\x80" ], SQL_ASCII => [ "caf\xc3\xa9", "\xc3\xa9t\xc3\xa9" ], UTF8 => [ "\xf0\x9f\x98\x80\xe6\x9d\xb1", "caf\xc3\xa9" ]);

foreach my $encoding (sort keys %words)
{
    my $database = lc $encoding;
    my $client = $encoding eq 'SQL_ASCII' ? '' : "SET client_encoding = 'UTF8';";
    my $value = sub { return $node->safe_psql($database, "$client SET client_min_messages = warning; $_[0]") };
    my ($one, $other) = @{ $words{$encoding} };

    $node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0 ENCODING '$encoding' LOCALE 'C'");
    foreach my $extension (@extensions)
    {
        my ($status, $out, $err) = $node->psql($database, "SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS $extension CASCADE");
        is($err, '', "$encoding: $extension is created");
    }
    $value->(qq{CREATE TABLE docs (id int PRIMARY KEY, "$one" text, n int);
        CREATE TABLE refs (doc int REFERENCES docs);
        INSERT INTO docs VALUES (1, 'a b c $one', 1), (2, 'a b c $one $other', 2), (3, 'x y $other', 3);
        INSERT INTO refs VALUES (2), (3); CREATE INDEX ON docs USING neardup (word_tokens("$one"))});
    is($value->(qq{SET enable_seqscan = off; SELECT string_agg(id::text, ' ' ORDER BY id) FROM docs WHERE jaccard(word_tokens("$one"), word_tokens('c b a $one')) > 0.6}), '1 2', "$encoding: the index finds");
    is($value->(qq{SELECT id, duplicate_of FROM near_duplicates('docs', 'id', '$one', 0.6, tokens => 'word_tokens("$one")')}), '2|1', "$encoding: near_duplicates");
    is($value->(qq{SELECT gone, moved FROM merge_duplicates('docs', 'id', 'VALUES (2, 1)', rules => '{"$one": "concat"}', log => '"$other"')}), '2|{"refs": 1}', "$encoding: a merge");
    is($value->(qq{SELECT "$one" FROM docs WHERE id = 1}), "a b c $one\na b c $one $other", 'with its texts');
    is($value->(qq{SELECT rel, returned, changed FROM undo_merge('"$other"', 1)}), "docs|1|1\nrefs|0|1", "$encoding: is undone");
    is($value->(qq{SELECT string_agg("$one", ', ' ORDER BY id) FROM docs}), "a b c $one, a b c $one $other, x y $other", 'with its texts');
    is($value->(qq{SELECT key, inserted FROM insert_or_find('docs', '{"id": 4, "$one": "x $other y"}', 'id', 'word_tokens("$one")', 0.8)}), '3|f', "$encoding: a row is found");
    $value->(qq{SELECT guard_near_duplicates('docs', 'id', 'word_tokens("$one")', 0.8); INSERT INTO docs VALUES (5, 'y x $other', 5), (6, '$one $other', 6)});
    is($value->('SELECT string_agg(id::text, \' \' ORDER BY id) FROM docs'), '1 2 3 6', "$encoding: a row is guarded");
    is($value->(qq{SELECT neardup_track('docs', 'id', 'word_tokens("$one")', 0.6); DELETE FROM docs WHERE id = 6; SELECT count(*) FROM neardup_refresh('docs')}), "docs_neardup\n0", "$encoding: a table is tracked");
}

$node->stop;
done_testing();
