# The scripts of doc/examples do what they say.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
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

# Runs a script; its standard output, and that it had no error, whatever notices it gives.
sub run_example
{
    my ($name, %variables) = @_;
    my ($out, $err);
    my $status = $node->psql('postgres', "\\i $examples/$name.sql", stdout => \$out, stderr => \$err, on_error_stop => 1,
        extra_params => [ '-q', map { ('-v', "$_=$variables{$_}") } sort keys %variables ]);
    $err =~ s/^.*(?:NOTICE|HINT): .*\n?//mg;
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

# A script without its variables says which it needs, and does nothing else.
foreach my $script (grep { slurp_file($_) =~ /is_called/ } glob "$examples/*.sql")
{
    my ($out, $err);
    my $status = $node->psql('postgres', "\\i $script", stdout => \$out, stderr => \$err, extra_params => ['-q']);
    like("$status|$out|$err", qr/\A0\|\|(\w+\.sql) needs the variables? [\w, ]+, as its head says\s*\z/, "$script without variables");
}

# Which call a table asks for, told by its columns.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE people AS SELECT gen_random_uuid() AS id, translate((n * 7 % 97)::text, '0123456789', 'aeioubcdfg') AS name, 'Mc' || translate((n * n)::text, '0123456789', 'aeioubcdfg') AS surname, n AS number, date '1950-01-01' + n AS born,
    CASE n % 2 WHEN 0 THEN 'f' ELSE 'm' END AS sex, 'x' AS source FROM generate_series(1, 300) AS n;
CREATE TABLE web AS SELECT n AS id, '<p>' || (SELECT string_agg('word' || n * k, ' ') FROM generate_series(1, 40) AS k) || '</p>' AS body, 'Title ' || n AS title FROM generate_series(1, 200) AS n;
CREATE TABLE log AS SELECT n AS id, 'worker ' || n || ' has taken job ' || n * 7 || ' of queue mail after ' || n % 90 || ' seconds of waiting' AS line FROM generate_series(1, 200) AS n;
CREATE TABLE baskets AS SELECT n AS id, ARRAY[n, n + 1, n * 3] AS items FROM generate_series(1, 100) AS n;
CREATE TABLE "The companies" AS SELECT n AS "the key", 'Company Nr' || n || ' Ltd' AS name, 1 AS one FROM generate_series(1, 100) AS n;
CREATE TABLE switches AS SELECT n AS id, n % 2 = 0 AS is_on FROM generate_series(1, 100) AS n;
CREATE TABLE nobody (id int, name text);
SQL
my %calls = (people => q{SELECT * FROM duplicate_records_keyed(NULL::uuid, 'people', 'id', '{name,surname,number,born,sex}');},
    web => q{SELECT * FROM near_duplicates('web', 'id', 'body', 0.8, tokens => 'word_tokens(strip_tags(body))');},
    log => 'psql -v table=log -v key=id -v line=line -f log_templates.sql', docs => q{SELECT * FROM near_duplicates('docs', 'id', 'body', 0.8);},
    baskets => q{SELECT * FROM near_duplicates('baskets', 'id', 'items', 0.5, tokens => 'items');}, switches => '-- no column says what a row is', nobody => '-- no column says what a row is');
foreach my $table (sort keys %calls)
{
    my $told = run_example('first_look', table => $table, key => 'id');
    my ($call) = $told =~ /^the call to begin with\n(?:-- .*: .*\n)?(.*)$/m;
    is($call, $calls{$table}, "first_look of $table: the call to begin with");
    $node->safe_psql('postgres', $call) if $call =~ /near_duplicates/;
}
like(run_example('first_look', table => '"The companies"', key => 'the key'),
    qr/^SELECT \* FROM near_duplicates\('"The companies"', 'the key', 'name', 0\.5, tokens => 'word_qgram_set\(strip_marks\(name\), 3\)', within => 'number_words\(name\)'\);$/m, 'and of names, in a table with a quoted name');

# A large table from its rows to the merge and back, here a small one; and nothing is left of it.
my $million = run_example('million', rows => 2000);
$million =~ s/^Time: .*\n//mg;
like($million, qr/^all pairs, from the texts\n200\n.*^one row of several: .*?\n200\nand the way back\nnotes\|0\|200\ntexts\|200\|0$/ms, 'million: pairs, what is merged, and what comes back');
my ($found, $right) = $million =~ /^records of six columns\n(\d+)\|(\d+)$/m;
cmp_ok($right, '>', 500, 'and records');
cmp_ok($right, '>', 0.9 * $found, 'most of them rightly so');
is($node->safe_psql('postgres', q{SELECT to_regnamespace('million') IS NULL}), 't', 'nothing is left');

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
is(bodies('docs'), '1 2 3 4 5 6 11', 'new_rows: neither what is known, nor variants among the new rows, nor what has no words');
like(run_example('new_rows', threshold => 0.8), qr/^10\|f\|5\|1\.000\n11\|f\|11\|1\.000\n12\|f\|11\|1\.000$/m, 'and nothing the second time, but which row each is like');
is(bodies('docs'), '1 2 3 4 5 6 11', 'so that nothing changes');

$node->safe_psql('postgres', 'DELETE FROM docs WHERE id IN (2, 3, 4)');
run_example('reject_at_insert');
my $known = 'fresh bread needs flour, water, salt and time';
is(sqlstate_of($node, 'postgres', "INSERT INTO docs VALUES (20, '$known')"), '23P01', 'reject_at_insert: a near-duplicate');
is(sqlstate_of($node, 'postgres', "INSERT INTO docs VALUES (21, 'Stale bread is good for soup, with onions')"), '00000', 'another text is taken');
is(sqlstate_of($node, 'postgres', "UPDATE docs SET body = body || ' indeed' WHERE id = 21"), '00000', 'and may change');
is(sqlstate_of($node, 'postgres', "UPDATE docs SET body = (SELECT body FROM docs WHERE id = 5) WHERE id = 21"), '23P01', 'but not into one that is there');
$node->safe_psql('postgres', "INSERT INTO docs VALUES (22, '$known'), (23, 'Onions make a soup of what is left') ON CONFLICT DO NOTHING");
is(bodies('docs'), '1 5 6 11 21 23', 'near-duplicates may be left out');

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
is($node->safe_psql('postgres', q{SELECT count(*) FROM (VALUES ('Katy', 'Katherine'), ('Kit', 'Christopher'), ('Liza', 'Elizabeth'), ('Lisa', 'Elizabeth'), ('Jonny', 'John'), ('Robby', 'Robert'), ('Dickie', 'Richard'),
        ('Patti', 'Patricia'), ('Maggy', 'Margaret'), ('Jimmie', 'James'), ('Kit', 'Katherine')) AS n (a, b) WHERE NOT word_set(replace_words(a, nicknames('en'))) && word_set(replace_words(b, nicknames('en')))}),
    '0', 'nicknames that lists have are those of their names');
is($node->safe_psql('postgres', q{SELECT count(DISTINCT replace_words(a, street_types('en'))) FROM unnest('{"12 Main St #4","12 Main Street, Apt. 4","12 Main St Unit 4","12 main st, rm 4","12 Main St Suite 4"}'::text[]) AS a}),
    '1', 'units are the same, whatever stands before their numbers');

# A list of pairs as it is published: names of several nicknames, nicknames of several names, accents, several words.
$node->safe_psql('postgres', q{CREATE TABLE name_pairs (name text, nickname text);
    INSERT INTO name_pairs VALUES ('Alexander', 'Alex'), ('Alexandra', 'Alex'), ('Alexandra', 'Sandy'), ('Mary Ann', 'Molly'), ('José', 'Pepe'), ('William', 'Bill'), ('William', 'Will'), ('Bill', NULL), ('', 'x')});
is( $node->safe_psql('postgres', q{WITH l AS (SELECT nickname_list('SELECT name, nickname FROM name_pairs -- all') AS list)
        SELECT string_agg(a || '=' || b, ' ' ORDER BY a, b) FROM l, (VALUES ('Alex', 'ALEXANDRA'), ('Alex', 'Alexander'), ('Alexander', 'Alexandra'), ('Bill', 'Will'), ('Mary', 'Molly'), ('Mary Ann', 'Molly'), ('Jose', 'Pepe'), ('Zoe', 'zoe'), ('x', 'Bill')) AS v (a, b)
        WHERE word_set(replace_words(strip_marks(a), list)) && word_set(replace_words(strip_marks(b), list))}),
    'Alex=ALEXANDRA Alex=Alexander Bill=Will Jose=Pepe Mary Ann=Molly Zoe=zoe', 'nickname_list: two words match by any name that they have in common');

# One row after the other, as programs insert them
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE facts (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, owner int, fact text);
CREATE TABLE alerts (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, host text, message text, raised timestamptz DEFAULT now());
CREATE TABLE errors (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, app text, trace text, seen int DEFAULT 1);
CREATE TABLE articles (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, url text, title text, body text, posted timestamptz, times int DEFAULT 1);
CREATE TABLE fetched (url text, title text, body text, posted timestamptz);
SQL
my %fact = (owner => 7, known => 0.8, near => 0.4);
is(run_example('remember', %fact, fact => 'The user likes to travel by train.'), '1|new|', 'remember: a new fact');
is(run_example('remember', %fact, fact => 'By train, the user likes to travel!'), '1|known|1.000', 'which is known then');
is(run_example('remember', %fact, fact => 'The user does not like to travel by train.'), '2|new, but look|0.600', 'another one that may correct it');
is(run_example('remember', %fact, fact => 'The user likes to travel by train.', owner => 8), '3|new|', 'and one of another user');

my %alert = (host => 'web1', message => 'disk sda 91 % full', window => '15 minutes');
is(run_example('window', %alert), '1|t', 'window: an alert');
is(run_example('window', %alert, message => 'disk sda 92 % full'), '1|f', 'is the same some time later');
is(run_example('window', %alert, host => 'web2'), '2|t', 'not on another host');
$node->safe_psql('postgres', q{UPDATE alerts SET raised = raised - interval '1 hour'});
is(run_example('window', %alert), '3|t', 'and is a new one after an hour');

$node->safe_psql('postgres', q{INSERT INTO articles (body, posted) VALUES ('an old story of some words that was told a year ago', now() - interval '1 year')});
for (1, 2)
{
    $node->safe_psql('postgres', q{INSERT INTO fetched VALUES ('a', 'Rain', 'it rained all day in the north of the country', now() - interval '1 day'),
        ('b', 'Rain!', 'it rained all day in the north of the country again', now()), ('c', 'Old', 'an old story of some words that was told a year ago', now())});
    run_example('feed', days => 14);
}
is($node->safe_psql('postgres', 'SELECT url, times FROM articles ORDER BY id'), "|1\na|4\nc|2", 'feed: copies are counted, and old articles are not looked at');

run_example('error_counter');
$node->safe_psql('postgres', q{INSERT INTO errors (app, trace) VALUES ('a', 'SIGSEGV at 0x7f31 in list_append < parse_row < main'), ('a', 'SIGSEGV at 0x55d0 in list_append < parse_row < main'), ('b', 'SIGSEGV at 0x7f31 in list_append < parse_row < main')});
$node->safe_psql('postgres', q{INSERT INTO errors (app, trace) VALUES ('a', 'SIGSEGV at 0x1234 in list_append < parse_row < read_file < main'), ('a', 'timeout in connect < open_session < main')});
is($node->safe_psql('postgres', 'SELECT app, seen, left(trace, 7) FROM errors ORDER BY id'), "a|3|SIGSEGV\nb|1|SIGSEGV\na|1|timeout", 'error_counter: reports of one error of an app are counted');

# Lines of two programs: what is rare is counted for each, and a bracket that is empty or missing is no other event.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE "odd log" ("the key" text, program text, line text);
INSERT INTO "odd log"
SELECT 'a' || i, 'db', format('Fri Jun 17 user %s from 10.0.0.%s%s', CASE WHEN i % 50 = 0 THEN chr(64 + i / 50) ELSE 'root' END, i, ('{""," ()"," (x.example.net)"}'::text[])[1 + i % 3]) FROM generate_series(1, 300) AS i
UNION ALL SELECT 'b' || i, 'web', format('GET /page/%s served in %s ms', i, i) FROM generate_series(1, 30000) AS i
UNION ALL VALUES ('c1', 'web', NULL), ('c2', NULL, '(12)'), ('c3', NULL, 'started');
SQL
is(run_example('log_templates', table => '"odd log"', key => 'the key', line => "replace(line, 'GET ', '')", within => 'program'),
    "web|30000|* served in *\ndb|300|* user * from *\n|1|\n|1|started", 'log_templates: the templates of each program');
is($node->safe_psql('postgres', q{SELECT count(*), count(DISTINCT "the key") FROM log_templates}), '30302|30302', 'each line that is there has one');

# The page to review offers decisions, and leaves out what was decided.
$node->safe_psql('postgres', q{CREATE TABLE "odd docs" AS SELECT * FROM (VALUES (1, 'one two three four five'), (2, 'one two three four six'), (3, 'one two three four five')) AS v (id, body)});
my %odd = (%docs, table => '"odd docs"', threshold => 0.5);
my $decisions = run_example('review', %odd);
like($decisions, qr{<code>INSERT INTO neardup_decided \(rel, key_a, key_b\) VALUES \(&#39;&quot;odd docs&quot;&#39;, &#39;1&#39;, &#39;2&#39;\) ON CONFLICT DO NOTHING;</code>}, 'review: a decision to copy');
my ($decision) = $decisions =~ m{<code>(.*&#39;2&#39;.*?)</code>};
$node->safe_psql('postgres', $decision =~ s/&#39;/'/gr =~ s/&quot;/"/gr);
unlike(run_example('review', %odd), qr{&#39;2&#39;}, 'which is heeded the next time');

# Records: columns side by side, what differs marked, and the same decisions.
my @records = (table => '"odd persons"', key => 'the key', columns => '{first_name,surname,born,street,town,email}', pairs => 100000);
run_example('persons');
$node->safe_psql('postgres', q{CREATE TABLE "odd persons" AS SELECT id AS "the key", first_name, surname, born, street, town || '<b>' AS town, email FROM persons});
my $records = run_example('review_records', @records);
my ($sections, $all_pairs) = (scalar(() = $records =~ /<section>/g), $records =~ /<p>(\d+) of \1 pairs/);
is("$sections", $all_pairs, 'review_records: a section for each pair');
unlike($records, qr/<b>/, 'whose values are escaped');
my ($differs, $equal, $lacks) = map { scalar(() = $records =~ /$_/g) } qr{<tr class="differs"><th>\w+</th><td dir="auto">([^<]+)</td><td dir="auto">(?!\1<)[^<]+</td></tr>},
    qr{<tr><th>\w+</th><td dir="auto">([^<]+)</td><td dir="auto">\1</td></tr>}, qr{<tr class="lacks"><th>\w+</th><td dir="auto">(?:[^<]*</td><td dir="auto">|</td><td dir="auto">[^<]*)</td></tr>};
is($differs + $equal + $lacks, scalar(() = $records =~ /<td dir="auto">/g) / 2, 'of which the columns that differ are marked');
ok($differs > 100 && $equal > 100 && $lacks > 10, "$differs differ, $equal are equal, $lacks are there once");
($decision) = $records =~ m{<code>(.*?)</code>};
$node->safe_psql('postgres', $decision =~ s/&#39;/'/gr =~ s/&quot;/"/gr);
unlike(run_example('review_records', @records), qr/\Q$decision\E/, 'and a decision is heeded the next time');

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
