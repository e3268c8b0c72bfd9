# The macros of doc/examples/dbt write the SQL that stands in its folder compiled, and this SQL runs as dbt runs it: as
# the query of a table or a view, and as one whose rows are failures.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $dbt = project_file('doc/examples/dbt');
my ($python) = grep { system("$_ -c 'import jinja2' 2>/dev/null") == 0 } qw(python3 /usr/bin/python3);
SKIP:
{
    skip 'python3-jinja2 is not installed', 1 unless $python;
    my ($differing, $errors) = run_command([ $python, '-B', project_file('test/render_dbt.py'), $dbt ]);
    is("$differing$errors", '', 'the macros write what stands in compiled');
}

is(join('', slurp_file("$dbt/README.md") =~ /^```sql\n(.*?)^```\n/gms), join('', map { slurp_file("$dbt/$_/notices_duplicates.sql") } qw(examples compiled)),
    'the page has the model and what dbt makes of it');

my $node = new_node('dbt');
$node->safe_psql('postgres', 'CREATE DATABASE shop');
$node->safe_psql('shop', <<'SQL');
CREATE EXTENSION neardup;
CREATE TABLE notices (id int PRIMARY KEY, body text, rating int);
INSERT INTO notices VALUES
    (1, 'Lost: black cat with white paws, answers to the name of Felix', 2),
    (2, 'LOST - black cat with white paws, answers to the name of Felix!', 5),
    (3, 'For sale: red bicycle, hardly used, size 52', 1), (4, 'For sale: red bicycle, hardly used, size 54', 3),
    (5, 'Piano lessons for children and adults', 4), (6, NULL, 0);
CREATE TABLE odd_notices AS SELECT 'no. ' || id AS "Notice No.", body AS "Writer's text" FROM notices WHERE body IS NOT NULL;
CREATE TABLE news (code text, title text);
INSERT INTO news VALUES ('a', 'Piano lessons for children, for adults'), ('b', 'A new theatre');
CREATE TABLE shops_a (id int, name text, street text, city text);
CREATE TABLE shops_b (LIKE shops_a);
INSERT INTO shops_a VALUES (1, 'Cafe Florian', '12 Main Street', 'Leeds'), (2, 'Golden Dragon Restaurant', '7 Harbour Road', NULL);
INSERT INTO shops_b VALUES (7, 'Golden Dragon', '7 Harbour Rd', 'York'), (8, 'Caffe Florian', '12 Main St', 'Leeds'), (9, 'Cafe Florian', '12 Main Street', 'Leeds');
SQL

# What a model returns, by the table that dbt makes of it; as a view it returns the same.
sub rows_of
{
    my ($model, $columns, $order) = @_;
    my $sql = slurp_file("$dbt/compiled/$model.sql");
    my @lists;
    for my $kind (qw(TABLE VIEW))
    {
        my $relation = qq("shop"."public"."${model}_\L$kind\E");
        push @lists, $node->safe_psql('shop', "SET client_min_messages = warning; CREATE $kind $relation AS (\n$sql\n); SELECT $columns FROM $relation ORDER BY $order");
    }
    is($lists[1], $lists[0], "$model: a view has the rows of the table");
    return $lists[0];
}

is(rows_of('notices_duplicates', 'id, duplicate_of, kind', 'id'), "1|2|near\n3|4|near", 'near_duplicates keeps the best rated');
is(rows_of('odd_notices_duplicates', 'id, duplicate_of', 'id'), 'no. 1|no. 2', 'of names that need quotes, and keys of type text, within other sizes');
is( rows_of('notices_pairs', 'a, b, similarity', 'a, b'),
    $node->safe_psql('shop', q{SELECT x.id, y.id, cosine(word_qgram_set(x.body, 3), word_qgram_set(y.body, 3)) FROM notices x JOIN notices y
        ON x.id < y.id AND cosine(word_qgram_set(x.body, 3), word_qgram_set(y.body, 3)) >= 0.5 ORDER BY 1, 2}),
    'similarity_join has the pairs that the measure has');
is(rows_of('news_known', 'code, known_as', 'code'), "a|no. 5\nb|", 'against another relation, too');
is(rows_of('shops_links', 'a, b', 'a, b'), "1|8\n1|9\n2|7", 'link_tables, many to one');

my $test = slurp_file("$dbt/compiled/no_near_duplicates_notices_body.sql");
my $failures = "SELECT count(*), count(*) <> 0 FROM (\n$test\n) AS dbt_internal_test";
is($node->safe_psql('shop', $failures), '1|t', 'no_near_duplicates fails where there is one');
$node->safe_psql('shop', 'DELETE FROM notices WHERE id = 1');
is($node->safe_psql('shop', $failures), '0|f', 'and passes where there is none');

# Each of these files is run above.
is(join(' ', sort map { m{([^/]+)\.sql$} } glob "$dbt/compiled/*.sql"),
    'news_known no_near_duplicates_notices_body notices_duplicates notices_pairs odd_notices_duplicates shops_links', 'the compiled files');

$node->stop;
done_testing();
