# The scripts of doc/examples do what they say.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use Test::More;

my $examples = project_file('doc/examples');
my $node = new_node('examples');
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;
CREATE EXTENSION neardup_clean;
CREATE TABLE docs (id int PRIMARY KEY, body text);
INSERT INTO docs VALUES
    (1, 'The library reads and writes PNG images; this package contains the shared library.'),
    (2, 'The library reads and writes PNG images; this package contains the development files.'),
    (3, 'This library reads and writes JPEG images; the package contains the shared library.'),
    (4, 'The library reads and writes PNG images; this package contains the shared library.'),
    (5, 'Fresh bread needs flour, water, salt and time.'), (6, NULL);
SQL

# Runs a script; its standard output, and that it had no error.
sub run_example
{
    my ($name, %variables) = @_;
    my ($out, $err);
    my $status = $node->psql('postgres', "\\i $examples/$name.sql", stdout => \$out, stderr => \$err, on_error_stop => 1,
        extra_params => [ '-q', map { ('-v', "$_=$variables{$_}") } sort keys %variables ]);
    is("$status $err", '0 ', "$name.sql runs");
    return $out;
}

sub bodies
{
    return $node->safe_psql('postgres', "SELECT string_agg(id::text, ' ' ORDER BY id) FROM $_[0]");
}

my %docs = (table => 'docs', key => 'id', text => 'body', threshold => 0.7);
my $look = run_example('first_look', %docs);
like($look, qr/^exact\|1\|1\|1\.000$/m, 'first_look: one exact copy');
like($look, qr/^near\|1\|1\|0\.\d+$/m, 'and one near-duplicate');
like($look, qr/^1\|2\|The library reads/m, 'of the first row');
like($look, qr/^3\|1\|0\.\d+\|PNG\|<\|$/m, 'which lacks a word');
is(bodies('docs'), '1 2 3 4 5 6', 'nothing is changed');

my $passages = run_example('passages', %docs, min_words => 5);
like($passages, qr{<p>5 pairs of rows have at least 5 words in a row in common}, 'passages: pairs are counted');
like($passages, qr{<div dir="auto">(.+)</div></td><td><div dir="auto">\1</div>}, 'and shown side by side, the most alike first');
like($passages, qr{<mark>The library reads and writes PNG images; this package contains the</mark> development}, 'with their passages marked');

$node->safe_psql('postgres', 'CREATE TABLE notes (doc int REFERENCES docs, note text); INSERT INTO notes SELECT id, id::text FROM docs');
my $clean = run_example('clean', %docs, keep => 'id DESC');
like($clean, qr/^exact\|1\nnear\|1\n.*^2\|1\|2\n.*^4$/ms, 'clean: counted, two rows go, and four are left');
is(bodies('docs'), '2 4 5 6', 'the last of the copies is kept');
is($node->safe_psql('postgres', 'SELECT string_agg(note, \' \' ORDER BY note) FROM notes WHERE doc = 4'), '1 3 4', 'and what referred to the others refers to it');
is($node->safe_psql('postgres', q{SELECT string_agg(gone, ' ' ORDER BY gone) FROM duplicates_log WHERE action = 'gone'}), '1 3', 'these are in the log');
like(run_example('undo'), qr/^docs\|2\|0\nnotes\|0\|2$/m, 'undo: they are back');
is(bodies('docs'), '1 2 3 4 5 6', 'with their keys');
is($node->safe_psql('postgres', 'SELECT count(*) FROM notes WHERE doc <> note::int'), '0', 'and with what referred to them');
is($node->safe_psql('postgres', "SELECT to_regclass('duplicates_review') IS NULL"), 't', 'the table to review is gone');
$node->safe_psql('postgres', 'DROP TABLE notes');

my $chart = run_example('threshold', table => 'docs', key => 'id', text => 'body', tokens => 'word_tokens(body)');
like($chart, qr/^ 1\.00\|1\|#+\|1 ~ 4$/m, 'threshold: one pair of equal rows');
like($chart, qr/^ 0\.85\|2\|#{50}\|1 ~ 3$/m, 'two at 0.85, the longest bar');
like($chart, qr/^ 0\.95\|0\|\|$/m, 'none at 0.95');

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE incoming (id int, body text);
INSERT INTO incoming VALUES (10, 'Fresh bread needs flour, salt, water and time!'), (11, 'A new text of some words'),
    (12, 'A new text, of some words'), (13, '???'), (14, '???');
SQL
run_example('new_rows', threshold => 0.8);
is(bodies('docs'), '1 2 3 4 5 6 11 13', 'new_rows: neither what is known, nor the same twice');
run_example('new_rows', threshold => 0.8);
is(bodies('docs'), '1 2 3 4 5 6 11 13', 'and nothing the second time');

$node->safe_psql('postgres', 'DELETE FROM docs WHERE id IN (2, 3, 4)');
run_example('reject_at_insert');
my $known = 'fresh bread needs flour, water, salt and time';
is(sqlstate_of($node, 'postgres', "INSERT INTO docs VALUES (20, '$known')"), '23P01', 'reject_at_insert: a near-duplicate');
is(sqlstate_of($node, 'postgres', "INSERT INTO docs VALUES (21, 'Stale bread is good for soup, with onions')"), '00000', 'another text is taken');
is(sqlstate_of($node, 'postgres', "UPDATE docs SET body = body || ' indeed' WHERE id = 21"), '00000', 'and may change');
is(sqlstate_of($node, 'postgres', "UPDATE docs SET body = (SELECT body FROM docs WHERE id = 5) WHERE id = 21"), '23P01', 'but not into one that is there');
$node->safe_psql('postgres', "INSERT INTO docs VALUES (22, '$known'), (23, 'Onions make a soup of what is left') ON CONFLICT DO NOTHING");
is(bodies('docs'), '1 5 6 11 13 21 23', 'near-duplicates may be left out');

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE customers (id int PRIMARY KEY, name text, street text, city text, changed date);
INSERT INTO customers VALUES (1, 'Margaret Atkinson', '12 Station Road', 'Winchester', '2020-01-01'), (2, 'Margret Atkinson', '12 Station Rd', NULL, '2023-01-01'),
    (3, 'Martin Attenborough', '7 Mill Lane', 'Leeds', '2021-01-01'), (4, 'Martin Attenborough', '7 Mil Lane', 'Leeds', '2019-01-01');
CREATE TABLE orders (id int PRIMARY KEY, customer int REFERENCES customers ON DELETE CASCADE);
INSERT INTO orders SELECT 10 * id, id FROM customers;
SQL
run_example('customers');
is($node->safe_psql('postgres', 'SELECT * FROM customers ORDER BY id'),
    "2|Margret Atkinson|12 Station Rd|Winchester|2023-01-01\n3|Martin Attenborough|7 Mill Lane|Leeds|2021-01-01",
    'customers: the last changed are kept, and completed');
is($node->safe_psql('postgres', 'SELECT * FROM orders ORDER BY id'), "10|2\n20|2\n30|3\n40|3", 'with the orders of all');

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE shop_a (id int, name text, street text);
CREATE TABLE shop_b (LIKE shop_a);
INSERT INTO shop_a VALUES (1, 'Cafe Florian', '12 Main Street'), (2, 'Golden Dragon Restaurant', '7 Harbour Road'), (3, 'Trattoria da Enzo', '3 River Walk');
INSERT INTO shop_b VALUES (7, 'Golden Dragon', '7 Harbour Rd'), (8, 'Caffe Florian', NULL), (9, 'Sushi Corner', '41 Park Avenue');
SQL
my $links = run_example('review_links', a => 'shop_a', b => 'shop_b', key => 'id', text => 'name', other => 'street', pairs => 1);
like($links, qr/first text\|2\|.*\|links$/m, 'review_links: the figures');
like($links, qr/^\d\.\d+  1 = 8\n  Cafe Florian \| 12 Main Street\n  Caffe Florian$/m, 'and the least sure pair');
like(run_example('review_links', a => 'shop_a', b => 'shop_b', key => 'id', text => 'name'), qr/  2 = 7\n  Golden Dragon Restaurant\n  Golden Dragon\s*\z/, 'of one text');

# The lists of words: each is valid, in the form in which keys are found, and what replaces a word is not itself replaced.
my @lists = map { m{([^/]+)\.sql$} } glob "$examples/words/*.sql";
is("@lists", 'legal_forms nicknames street_types titles', 'lists of words');
for my $list (@lists)
{
    run_example("words/$list");
    for my $language (qw(de en es fr))
    {
        my $keys = "jsonb_each_text($list('$language'))";
        is( $node->safe_psql('postgres', "SELECT count(*) > 20, count(*) FILTER (WHERE normalize_text(strip_marks(key)) <> key), count(*) FILTER (WHERE normalize_text(value) <> value),
                count(*) FILTER (WHERE replace_words(value, $list('$language')) <> value), count(*) FILTER (WHERE replace_words('x ' || key, $list('$language')) <> concat_ws(' ', 'x', value)) FROM $keys"),
            't|0|0|0|0', "$list: $language");
    }
    is($node->safe_psql('postgres', "SELECT $list('xx') IS NULL"), 't', "$list of no known language");
}

# Keys of other types. Tables of the same name precede those of the schema public.
my %keys = (
    uuid => sub { sprintf '00000000-0000-0000-0000-%012d', $_[0] },
    text => sub { sprintf '<key %03d>', $_[0] });
for my $type (sort keys %keys)
{
    my $key = $keys{$type};
    $node->safe_psql('postgres', "CREATE SCHEMA of_$type; ALTER DATABASE postgres SET search_path = of_$type, public");
    $node->safe_psql('postgres', "CREATE TABLE docs (id $type PRIMARY KEY, body text); CREATE TABLE incoming (LIKE docs);
        CREATE TABLE customers (id $type PRIMARY KEY, name text, street text, city text, changed date)");
    my $some = 'The library reads and writes PNG images; this package contains the';
    $node->safe_psql('postgres', sprintf "INSERT INTO docs VALUES ('%s', '$some shared library.'), ('%s', '$some development files.'), ('%s', '$some shared library.')",
        map { $key->($_) } 1 .. 3);
    $node->safe_psql('postgres', sprintf "INSERT INTO customers VALUES ('%s', 'Margaret Atkinson', '12 Station Road', 'Winchester', '2020-01-01'),
        ('%s', 'Margret Atkinson', '12 Station Rd', NULL, '2023-01-01')", map { $key->($_) } 1 .. 2);
    $node->safe_psql('postgres', sprintf "INSERT INTO incoming VALUES ('%s', '$some shared library.'), ('%s', 'A new text of some words'), ('%s', 'A new text, of some words')",
        map { $key->($_) } 10 .. 12);

    my ($first, $second, $third) = map { $key->($_) } 1 .. 3;
    like(run_example('first_look', %docs), qr/^\Q$first\E\|1\|The library reads/m, "first_look: keys of type $type");
    like(run_example('threshold', table => 'docs', key => 'id', text => 'body', tokens => 'word_tokens(body)'),
        qr/^ 1\.00\|1\|#+\|\Q$first ~ $third\E$/m, "threshold: keys of type $type");
    my $page = run_example('review', %docs);
    (my $shown = $third) =~ s/<(.*)>/&lt;$1&gt;/;
    like($page, qr/<th>\Q$shown\E, an exact copy</, "review: keys of type $type");
    run_example('new_rows', threshold => 0.8);
    is(bodies('docs'), join(' ', map { $key->($_) } 1, 2, 3, 11), "new_rows: keys of type $type");
    run_example('clean', %docs, keep => 'id');
    is(bodies('docs'), join(' ', map { $key->($_) } 1, 2, 11), "clean: keys of type $type");
    run_example('undo');
    is(bodies('docs'), join(' ', map { $key->($_) } 1, 2, 3, 11), "undo: keys of type $type");
    run_example('customers');
    is($node->safe_psql('postgres', 'SELECT id, city FROM customers'), "$second|Winchester", "customers: keys of type $type");
}

$node->stop;
done_testing();
