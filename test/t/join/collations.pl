# Keys and texts under collations of ICU: texts that are equal but not the same bytes are one key, as in SQL; tokens
# and copies are told by bytes. A database whose locale is ICU's orders keys by it.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use Test::More;

my $node = new_node('collations');

# pg_collation tells nothing: without ICU too it has "unicode".
if (sqlstate_of($node, 'postgres', q{CREATE COLLATION german (PROVIDER = icu, LOCALE = 'de')}) eq '0A000')
{
    $node->stop;
    plan skip_all => 'this PostgreSQL was built without ICU';
}

# Keys that differ in case only are one, and so are their order and hashes. The oracle has them in lower case.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;
CREATE EXTENSION neardup_track;
CREATE COLLATION ci (PROVIDER = icu, LOCALE = 'und-u-ks-level2', DETERMINISTIC = false);
SELECT setseed(0.5);
CREATE TABLE docs (k text COLLATE ci, body text);
INSERT INTO docs
SELECT (ARRAY['k', 'K'])[1 + n % 2] || lpad((n % 37)::text, 3, '0'),
       format('v%s w%s x%s y%s z%s', n / 10, floor(random() * 4), floor(random() * 4), floor(random() * 4), floor(random() * 4))
FROM generate_series(1, 148) AS n;
-- The same rows, one for each key.
CREATE TABLE pages (k text COLLATE ci PRIMARY KEY, body text);
INSERT INTO pages SELECT * FROM docs ORDER BY body ON CONFLICT DO NOTHING;
CREATE VIEW plain_docs AS SELECT lower(k) COLLATE "C" AS k, body FROM docs;
CREATE VIEW plain_pages AS SELECT lower(k) COLLATE "C" AS k, body FROM pages;
SQL

# Two queries return the same rows, and some.
sub same
{
    my ($rule, $here, $there, $before) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    is( $node->safe_psql('postgres', ($before // '') . qq{
            WITH l AS MATERIALIZED ($here), r AS MATERIALIZED ($there)
            SELECT (SELECT count(*) > 0 FROM r), (SELECT count(*) FROM ((TABLE l EXCEPT ALL TABLE r) UNION ALL (TABLE r EXCEPT ALL TABLE l)) d)}),
        't|0', $rule);
    return;
}

my %joins = (
    ppjoin_keyed => [ 'lower(a), lower(b), similarity', q{ppjoin_keyed(NULL::text, 'SELECT k, word_tokens(body) FROM %sdocs', 0.5)} ],
    topk_join_keyed => [ 'lower(a), lower(b), similarity', q{topk_join_keyed(NULL::text, 'SELECT k, word_tokens(body) FROM %spages', 50)} ],
    knn_join_keyed => [ 'lower(a), lower(b), similarity, rank', q{knn_join_keyed(NULL::text, 'SELECT k, word_tokens(body) FROM %spages', 3, 0.3)} ],
    match_join_keyed => [ 'lower(a), lower(b), similarity', q{match_join_keyed(NULL::text, 'SELECT k, word_tokens(body) FROM %spages', 0.3)} ],
    edit_join_keyed => [ 'lower(a), lower(b), distance', q{edit_join_keyed(NULL::text, 'SELECT k, body FROM %sdocs', 1)} ],
    match_pairs_keyed => [ 'lower(a), lower(b), score',
        q{match_pairs_keyed(NULL::text, 'SELECT x.k, y.k, jaccard(word_tokens(x.body), word_tokens(y.body)) FROM %1$sdocs x, %1$sdocs y WHERE x.k < y.k')} ],
    cluster_pairs_keyed => [ 'lower(id), lower(cluster)',
        q{cluster_pairs_keyed(NULL::text, 'SELECT x.k, y.k FROM %1$sdocs x JOIN %1$sdocs y ON x.k < y.k AND jaccard_ge(word_tokens(x.body), word_tokens(y.body), 0.8)', 'star')} ],
    near_duplicates_keyed => [ 'lower(id), lower(duplicate_of), similarity, kind, lower(cluster)',
        q{near_duplicates_keyed(NULL::text, '%spages', 'k', 'body', 0.5, 'word_tokens(body)')} ]);
foreach my $name (sort keys %joins)
{
    my ($columns, $call) = @{ $joins{$name} };
    same("$name: equal keys are one", map { "SELECT $columns FROM " . sprintf($call, $_) } '', 'plain_');
}
is(sqlstate_of($node, 'postgres', q{SELECT near_duplicates_keyed(NULL::text, 'docs', 'k', 'body', 0.5)}), '23505',
    'near_duplicates_keyed: equal keys are a key twice');
is(sqlstate_of($node, 'postgres', "SELECT count(*) FROM $_"), '23505', "$_: so they are")
  for map { s/%spages/docs/r } map { $joins{$_}[1] } qw(topk_join_keyed knn_join_keyed match_join_keyed);

# Pairs of keys that are different are compared as the table compares its keys, whatever the collation of the query.
$node->safe_psql('postgres', q{CREATE TABLE cards (k text COLLATE ci PRIMARY KEY, body text); INSERT INTO cards VALUES ('A', 'one two'), ('b', 'one two'), ('c', 'one two');
    CREATE TABLE plain_cards (k text COLLATE "C" PRIMARY KEY, body text); INSERT INTO plain_cards VALUES ('A', 'one two'), ('a', 'one two'), ('b', 'one two')});
foreach my $case ([ 'cards', q{VALUES ('a', 'B')}, 'c' ], [ 'cards', q{VALUES ('a' COLLATE "C", 'B' COLLATE "C")}, 'c' ],
    [ 'plain_cards', q{VALUES ('a' COLLATE ci, 'B' COLLATE ci), ('a', 'A')}, 'b' ], [ 'plain_cards', q{VALUES ('a' COLLATE ci, 'b' COLLATE ci), ('A', 'b')}, 'a' ])
{
    my ($table, $pairs, $gone) = @$case;
    is($node->safe_psql('postgres', qq{SELECT string_agg(id, ' ' ORDER BY id COLLATE "C") FROM near_duplicates_keyed(NULL::text, '$table', 'k', 'body', 0.5, except_pairs => \$\$$pairs\$\$)}),
        $gone, "near_duplicates_keyed: except_pairs $pairs of $table");
}

# The planner's join, partitioned by an equality.
$node->safe_psql('postgres', q{CREATE TABLE places AS
    SELECT n AS id, (ARRAY['rome', 'Rome', 'ROME', 'Oslo', 'oslo'])[1 + n % 5] COLLATE ci AS city, ARRAY[n / 10, n / 5, 3, 4, 5, n % 3]::tokenset AS t
    FROM generate_series(1, 300) AS n; ANALYZE places});
foreach my $collation ('ci', '"C"')
{
    my $join = qq{SELECT a.id AS a, b.id AS b FROM places a JOIN places b ON a.city COLLATE $collation = b.city COLLATE $collation AND a.id < b.id AND jaccard_ge(a.t, b.t, 0.8)};
    my $force = 'SET enable_nestloop = off; SET enable_hashjoin = off; SET enable_mergejoin = off;';

    like($node->safe_psql('postgres', "$force EXPLAIN $join"), qr/Similarity Join.*Group Cond: \(.*city.* = .*city/s, "$collation: an equality partitions the join node");
    $node->safe_psql('postgres', "SET neardup.enable_similarity_join = off; DROP TABLE IF EXISTS expected; CREATE TABLE expected AS $join");
    same("$collation: with the pairs of other joins", $join, 'TABLE expected', $force);
}

# Scope columns of an index: what is equal under the collation is one scope.
foreach my $collation ('ci', '"C"')
{
    $node->safe_psql('postgres', qq{DROP INDEX IF EXISTS places_scope; CREATE INDEX places_scope ON places USING neardup (city COLLATE $collation, t)});
    my $lookup = qq{SELECT p.id AS a, q.id AS b FROM places p, LATERAL (SELECT id FROM places q WHERE q.city COLLATE $collation = p.city AND q.t % p.t OFFSET 0) q};

    like($node->safe_psql('postgres', "SET enable_seqscan = off; EXPLAIN $lookup"), qr/Index Scan (using|on) places_scope/, "$collation: a scope column serves it");
    $node->safe_psql('postgres', "SET enable_indexscan = off; SET enable_bitmapscan = off; DROP TABLE expected; CREATE TABLE expected AS $lookup");
    same("$collation: with the rows of a sequential scan", $lookup, 'TABLE expected', 'SET enable_seqscan = off;');
}
is(sqlstate_of($node, 'postgres', q{CREATE TABLE named (name text COLLATE ci, t tokenset, EXCLUDE USING neardup (name WITH =, jaccard_ball(t, 0.5) WITH &&));
    INSERT INTO named VALUES ('Rome', '{1,2,3}'), ('ROME', '{1,2,3,4}')}), '23P01', 'a constraint compares a scope column by its collation');

# Texts and tokens are compared by bytes, after folding: doc/cluster.md.
$node->safe_psql('postgres', q{CREATE TABLE texts (id int PRIMARY KEY, body text COLLATE ci);
    INSERT INTO texts VALUES (1, 'Hello World again'), (2, 'hello world AGAIN'), (3, 'Hello World again')});
is($node->safe_psql('postgres', q{SELECT id, duplicate_of, kind FROM near_duplicates('texts', 'id', 'body', 0.9) ORDER BY id}),
    "2|1|near\n3|1|exact", 'a copy has the same bytes, whatever the collation');
is($node->safe_psql('postgres', q{SELECT edit_distance('ABC' COLLATE ci, 'abc'), edit_within('ABC' COLLATE ci, 'abc', 2),
    cardinality(tokenset(ARRAY['A' COLLATE ci, 'a']))}), '3|f|2', 'so have characters and elements');

# Tracked tables.
$node->safe_psql('postgres', q{SELECT neardup_track('pages', 'k', 'word_tokens(body)', 0.5)});
my $clusters = q{SELECT lower(p.k), min(lower(p.k)) OVER (PARTITION BY n.cluster) FROM pages p JOIN pages_neardup n ON n.key = p.k};
my $fresh = q{SELECT lower(p.k), coalesce(lower(c.cluster), lower(p.k)) FROM pages p LEFT JOIN cluster_pairs_keyed(NULL::text,
    'SELECT x.k, y.k FROM pages x JOIN pages y ON x.k < y.k AND jaccard_ge(word_tokens(x.body), word_tokens(y.body), 0.5)') c ON c.id = p.k};
my @changes = (
    'a key that is spelled anew' => q{UPDATE pages SET k = upper(k) WHERE k = 'k003'},
    'a key that is taken' => q{INSERT INTO pages VALUES ('k003', 'nothing') ON CONFLICT DO NOTHING},
    'a key spelled anew with another text' => q{UPDATE pages SET k = lower(k), body = (SELECT body FROM pages WHERE k = 'k005') WHERE k = 'K003'},
    'a row replaced by one of an equal key' => q{BEGIN; DELETE FROM pages WHERE k = 'k007'; INSERT INTO pages VALUES ('K007', 'v1 w1 x1 y1 z1'); COMMIT},
    'many rows' => q{INSERT INTO pages SELECT 'M' || n, 'v1 w1 x1 y1 ' || n FROM generate_series(1, 150) n; UPDATE pages SET k = lower(k) WHERE k LIKE 'M%' COLLATE "C"},
    'rows that go' => q{DELETE FROM pages WHERE k IN ('K001', 'k002', 'M17')});
$node->safe_psql('postgres', 'UPDATE pages SET k = k');
while (my ($what, $sql) = splice @changes, 0, 2)
{
    $node->safe_psql('postgres', $sql);
    same("tracked table: $what", $clusters, $fresh);
    is($node->safe_psql('postgres', q{SELECT count(*) FROM neardup_refresh('pages')}), '0', "tracked table: $what: neardup_refresh finds no difference");
}

# A database of an ICU locale: the default collation orders keys.
my $of_icu = $node->pg_version < 17 ? q{LOCALE_PROVIDER icu ICU_LOCALE 'sv-SE'} : q{LOCALE_PROVIDER icu ICU_LOCALE 'sv-SE' LOCALE 'C.UTF-8'};
$node->safe_psql('postgres', "CREATE DATABASE swedish TEMPLATE template0 ENCODING 'UTF8' $of_icu");
$node->safe_psql('swedish', <<"SQL");
CREATE EXTENSION neardup;
CREATE EXTENSION neardup_track;
CREATE TABLE words (k text PRIMARY KEY, t tokenset);
INSERT INTO words SELECT k, '{1,2,3}' FROM unnest(ARRAY['z', '\xc3\xa5', '\xc3\xa4', '\xc3\xb6', 'B', 'a', 'A']) k;
SQL
is( $node->safe_psql('swedish', q{
        WITH f AS (SELECT a, b FROM ppjoin_keyed(NULL::text, 'SELECT k, t FROM words', 1)), e AS (SELECT x.k, y.k FROM words x JOIN words y ON x.k < y.k)
        SELECT (SELECT count(*) FROM f), (SELECT count(*) FROM ((TABLE f EXCEPT ALL TABLE e) UNION ALL (TABLE e EXCEPT ALL TABLE f)) d)}),
    '21|0', 'a database of an ICU locale: keys are in the order of SQL');
is( $node->safe_psql('swedish', q{SELECT count(*), min(cluster) FROM cluster_pairs_keyed(NULL::text, 'SELECT a, b FROM ppjoin_keyed(NULL::text, ''SELECT k, t FROM words WHERE k > ''''z'''''', 1)')}),
    "3|\xc3\xa5", 'and a cluster is named by the first of them');

$node->stop;
done_testing();
