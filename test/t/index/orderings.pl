# Orders by a measure, descending: the first statement of a session has an index serve them by the server's own
# settings, and the rows come as sorting them has them: with conditions, in a scope, for each row of another table, with
# parameters, of partitions and of inheriting tables, beside rows that a user must not see.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use Test::More;

my $node = new_node('orderings');
my $has_pg_trgm = $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm'});

$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;
CREATE FUNCTION set_of(n int) RETURNS tokenset IMMUTABLE LANGUAGE sql AS $$
    SELECT coalesce(array_agg((3000 * (abs(hashint8extended(n, k)) % 100000 / 100000.0) ^ 2)::int), '{}')::tokenset FROM generate_series(1, n % 25) k $$;
CREATE TABLE docs (id int PRIMARY KEY, owner int NOT NULL, t tokenset NOT NULL, u tokenset, body text NOT NULL);
-- Every eleventh row is like the one before it, so that families have equal values.
INSERT INTO docs SELECT n, n % 50, t, CASE WHEN n % 9 > 0 THEN t END, coalesce('w' || array_to_string(t::bigint[], ' w'), '')
FROM (SELECT n, set_of(n - (n % 11 = 10)::int) AS t FROM generate_series(1, 100000) n) s;
CREATE INDEX docs_t ON docs USING neardup (t);
CREATE INDEX docs_u ON docs USING neardup (u);
CREATE INDEX docs_scope ON docs USING neardup (owner, t);
CREATE INDEX docs_body ON docs USING neardup (word_tokens(body));
CREATE TABLE parts (LIKE docs) PARTITION BY RANGE (id);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (20000);
CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (20000) TO (40000);
CREATE TABLE parts3 PARTITION OF parts DEFAULT;
INSERT INTO parts SELECT * FROM docs WHERE id < 60000;
CREATE INDEX ON parts USING neardup (t);
CREATE INDEX ON parts USING neardup (owner, t);
CREATE TABLE family (LIKE docs);
CREATE TABLE heir () INHERITS (family);
INSERT INTO family SELECT * FROM docs WHERE id < 30000;
INSERT INTO heir SELECT * FROM docs WHERE id BETWEEN 30000 AND 50000;
CREATE INDEX ON family USING neardup (t);
CREATE INDEX ON heir USING neardup (t);
VACUUM ANALYZE docs, parts, family, heir;
SQL

# Of a query that returns values, in a session of its own: whether an index gives their order, and whether they are those
# that sorting gives. Rows of the same value may come in any order.
sub is_served
{
    my ($query, $name, $setup) = @_;
    my $plan = $node->safe_psql('postgres', ($setup // '') . "EXPLAIN (COSTS OFF) $query");
    my $found = $node->safe_psql('postgres', ($setup // '') . $query);
    my $sorted = $node->safe_psql('postgres', ($setup // '') . "SET enable_indexscan = off; SET enable_bitmapscan = off; $query");

    like($plan, qr/Order By/, "$name: the order is an index's");
    ok($found eq $sorted && $found ne '', "$name: as sorted") or diag("$found\n--\n$sorted");
    return $plan;
}

# ---------------------------------------------------------------------------
# The first statement of a session
# ---------------------------------------------------------------------------

my $VALUE = "set_of(23)";
for my $call ("jaccard(t, $VALUE)", "jaccard($VALUE, t)", "cosine(t, $VALUE)", "dice(t, $VALUE)", "overlap(t, $VALUE)", "containment(t, $VALUE)", "containment($VALUE, t)",
    "jaccard(word_tokens(body), word_tokens('w1 w2 w5 w77 w1000'))")
{
    is_served("SELECT $call FROM docs ORDER BY $call DESC LIMIT 10", $call);
}
for my $call ("jaccard_distance(t, $VALUE)", "1 - jaccard(t, $VALUE)", "1 - dice(u, $VALUE)", "contained_distance($VALUE, t)")
{
    is_served("SELECT $call FROM docs ORDER BY $call LIMIT 10", $call);
}
is_served("SELECT jaccard(u, $VALUE) FROM docs ORDER BY 1 DESC NULLS LAST LIMIT 10", 'NULLS LAST');
is_served("SELECT jaccard(u, $VALUE) FROM docs WHERE u IS NOT NULL ORDER BY 1 DESC LIMIT 10", 'IS NOT NULL');
is_served("SELECT max(jaccard(u, $VALUE)) FROM docs", 'max');
is_served("SELECT jaccard(t, $VALUE), id FROM docs ORDER BY 1 DESC, 2 LIMIT 10", 'a further key');
is_served("SELECT jaccard(t, $VALUE) FROM docs ORDER BY 1 DESC OFFSET 30 ROWS FETCH FIRST 5 ROWS WITH TIES", 'ties');
unlike($node->safe_psql('postgres', "EXPLAIN SELECT id FROM docs ORDER BY jaccard(u, $VALUE) DESC LIMIT 10"), qr/Order By/, 'NULL first: sorted');
is($node->safe_psql('postgres', "SELECT count(u) FROM (SELECT u FROM docs ORDER BY jaccard(u, $VALUE) DESC LIMIT 10) x"), '0', 'NULL is first');

# ---------------------------------------------------------------------------
# Conditions and scopes
# ---------------------------------------------------------------------------

for my $condition ('owner = 23', "owner = 23 AND jaccard_ge(t, $VALUE, 0.1)", "jaccard_ge(t, $VALUE, 0.05)", "jaccard_ge(t, $VALUE, 0.3)", "jaccard(t, $VALUE) > 0.1", "owner = 23 AND 1 - cosine(t, $VALUE) < 0.9", "t && '{7,8}'", "owner = 23 AND t && '{7,8}'", "id % 3 = 0")
{
    is_served("SELECT jaccard(t, $VALUE) FROM docs WHERE $condition ORDER BY 1 DESC LIMIT 8", $condition, 'SET enable_sort = off; SET enable_bitmapscan = off; ');
    is_served("SELECT overlap(t, $VALUE) FROM docs WHERE $condition ORDER BY 1 DESC", "$condition, all rows", 'SET enable_sort = off; SET enable_bitmapscan = off; ');
}

# ---------------------------------------------------------------------------
# For each row of another table; parameters
# ---------------------------------------------------------------------------

for my $condition ('true', 'b.owner = a.owner', 'jaccard_ge(b.t, a.t, 0.1)', 'b.owner = a.owner AND jaccard_ge(b.t, a.t, 0.1)')
{
    my $order = 'ORDER BY jaccard(b.t, a.u) DESC LIMIT 3';
    is_served("SELECT a.id, b.value FROM (SELECT * FROM docs WHERE id % 4999 = 0) a, LATERAL (SELECT jaccard(b.t, a.u) AS value FROM docs b WHERE $condition $order) b ORDER BY 1, 2", "LATERAL, $condition",
        'SET enable_sort = off; SET enable_bitmapscan = off; ');
}
my $prepare = 'PREPARE ranking (tokenset, int) AS SELECT containment($1, t) FROM docs WHERE owner = $2 ORDER BY 1 DESC LIMIT 30; SET plan_cache_mode = force_generic_plan; ';
is_served("EXECUTE ranking ($VALUE, 3)", 'parameters', $prepare);
is_served("EXECUTE ranking ('{}', 3)", 'an empty set as parameter', $prepare);
is($node->safe_psql('postgres', "$prepare SELECT 1; EXECUTE ranking (NULL, 3)"), join("\n", 1, ('') x 30), 'NULL as parameter: rows without a value');

# ---------------------------------------------------------------------------
# Partitions, inheritance, and rows that are hidden
# ---------------------------------------------------------------------------

my $plan = is_served("SELECT cosine(t, $VALUE) FROM parts ORDER BY 1 DESC LIMIT 20", 'partitions');
like($plan, qr/Merge Append/, 'partitions: merged');
is_served("SELECT cosine(t, $VALUE), id FROM parts WHERE owner = 4 AND id < 30000 ORDER BY 1 DESC, 2 LIMIT 20", 'some partitions, in a scope');
like(is_served("SELECT dice(t, $VALUE) FROM family ORDER BY 1 DESC LIMIT 20", 'inheritance'), qr/Merge Append/, 'inheritance: merged');

$node->safe_psql('postgres', <<'SQL');
CREATE ROLE reader LOGIN;
CREATE FUNCTION leaks(body text) RETURNS bool COST 0.0001 LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'saw %', body; RETURN true; END $$;
CREATE TABLE secrets (id int, t tokenset NOT NULL, body text);
INSERT INTO secrets SELECT n, set_of(n), CASE WHEN n % 2 = 0 THEN 'open' ELSE 'secret' END FROM generate_series(1, 2000) n;
CREATE INDEX ON secrets USING neardup (t);
ALTER TABLE secrets ENABLE ROW LEVEL SECURITY;
CREATE POLICY open ON secrets FOR SELECT TO reader USING (body = 'open');
GRANT SELECT ON secrets TO reader;
ANALYZE secrets;
SQL
my (undef, $rows, $notices) = $node->psql('postgres', "SET ROLE reader; SET enable_seqscan = off; EXPLAIN SELECT id FROM secrets WHERE leaks(body) ORDER BY jaccard(t, $VALUE) DESC LIMIT 9;"
    . " SELECT DISTINCT body FROM (SELECT body FROM secrets WHERE leaks(body) ORDER BY jaccard(t, $VALUE) DESC LIMIT 9) x");
like($rows, qr/Order By.*\nopen$/s, 'a policy: rows in order, and only those');
ok($notices =~ /saw open/ && $notices !~ /saw secret/, 'a policy: a function sees no hidden row');

# ---------------------------------------------------------------------------
# Cursors
# ---------------------------------------------------------------------------

is($node->safe_psql('postgres', "BEGIN; DECLARE c SCROLL CURSOR FOR SELECT jaccard(t, $VALUE) FROM docs ORDER BY 1 DESC LIMIT 40; MOVE 20 FROM c; CREATE TEMP TABLE last AS SELECT 0;"
        . " FETCH BACKWARD 1 FROM c; MOVE ABSOLUTE 18 IN c; FETCH 1 FROM c;") =~ s/\n.*//sr,
    $node->safe_psql('postgres', "SET enable_indexscan = off; SELECT jaccard(t, $VALUE) FROM docs ORDER BY 1 DESC OFFSET 18 LIMIT 1"), 'a cursor goes back');

# ---------------------------------------------------------------------------
# Similarities of pg_trgm
# ---------------------------------------------------------------------------

SKIP:
{
    skip 'this PostgreSQL has no pg_trgm', 1 if !$has_pg_trgm;
    $node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pg_trgm;
CREATE EXTENSION neardup_trgm;
CREATE TABLE names (id int PRIMARY KEY, owner int NOT NULL, name text NOT NULL, nick text);
INSERT INTO names SELECT n, n % 20, name, CASE WHEN n % 9 > 0 THEN upper(name) END
FROM (SELECT n, (ARRAY['John', 'Jon', 'Johnny', 'Mary', 'Maria', 'José'])[1 + n % 6] || ' ' || left(md5((n / 3)::text), 1 + n % 12) AS name FROM generate_series(1, 100000) n) s;
CREATE INDEX names_name ON names USING neardup (name trgm_ops);
CREATE INDEX names_lower ON names USING neardup (owner, lower(name) trgm_ops);
CREATE INDEX names_nick ON names USING neardup (nick trgm_ops);
ANALYZE names;
SQL
    is_served("SELECT similarity(name, 'johny 4a8') FROM names ORDER BY 1 DESC LIMIT 10", 'similarity');
    is_served("SELECT 'johny 4a8' <-> name, id FROM names ORDER BY 1, 2 LIMIT 10", 'distance and a further key');
    is_served("SELECT similarity(nick, 'johny 4a8') FROM names ORDER BY 1 DESC NULLS LAST LIMIT 10", 'similarity, NULLS LAST');
    is_served("SELECT similarity(nick, 'johny 4a8') FROM names WHERE nick % 'johny 4a8' ORDER BY 1 DESC LIMIT 10", 'similarity beside a strict condition');
    is_served("SELECT 1 - similarity(nick, 'johny 4a8') FROM names ORDER BY 1 LIMIT 10", '1 - similarity');
    is_served("SELECT similarity(lower(name), lower('MARY 0f')) FROM names WHERE owner = 3 ORDER BY 1 DESC LIMIT 200", 'similarity in a scope');
    is_served("SELECT similarity(lower(name), lower('MARY 0f')) FROM names WHERE owner = 3 AND lower(name) % lower('MARY 0f') ORDER BY 1 DESC LIMIT 200", 'similarity in a scope, with a condition',
        'SET enable_sort = off; SET enable_bitmapscan = off; ');
    is_served("SELECT similarity(nick, 'johny 4a8') FROM names WHERE similarity(nick, 'johny 4a8') >= 0.4 ORDER BY 1 DESC LIMIT 10", 'similarity beside a comparison of it',
        'SET enable_sort = off; SET enable_bitmapscan = off; ');
    is_served("SELECT a.id, b.value FROM (SELECT * FROM names WHERE id % 9999 = 0) a, LATERAL (SELECT similarity(b.name, a.nick) AS value FROM names b ORDER BY 1 DESC LIMIT 3) b ORDER BY 1, 2", 'similarity, LATERAL');
    is_served(q{EXECUTE likest ('jon 9'::text, 7)}, 'similarity, parameters',
        'PREPARE likest (text, int) AS SELECT similarity(lower(name), lower($1)) FROM names WHERE owner = $2 ORDER BY 1 DESC LIMIT 30; SET plan_cache_mode = force_generic_plan; ');
}

$node->stop;
done_testing();
