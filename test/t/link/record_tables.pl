# duplicate_records gives one result for one table: whatever the order of its rows, memory, and workers. It keeps to
# scopes, exceptions, rights and policies, takes keys of many types, views and partitions, and leaves nothing when it is
# cancelled.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes 'time';

use NeardupTest;

my $ROWS = $ENV{NEARDUP_ALL} ? 3000 : 1200;
my $ORDERS = $ENV{NEARDUP_ALL} ? 20 : 4;
my $node = new_node('record_tables', conf => "shared_preload_libraries = 'neardup'\n");
$node->safe_psql('postgres', <<'SQL', extra_params => [ '-v', "rows=$ROWS" ]);
CREATE EXTENSION neardup;
SET client_min_messages = warning;

-- A number from 0 on below `most` that the seed decides.
CREATE FUNCTION drawn(seed text, most int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(seed), 1, 7))::bit(28)::int % most) $$;
-- Names of two or three syllables, few of them frequent.
CREATE FUNCTION name_of(seed text, most int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT initcap(string_agg(('{ba,ko,ri,ten,sal,mu,ger,lan,vi,do,pe,han,or,sti,ne,wil}'::text[])[1 + drawn(n || ' ' || i, 16)], ''))
  FROM (SELECT drawn(seed, most) * drawn('x' || seed, most) / most AS n) number, generate_series(1, 2 + n % 2) i $$;
CREATE FUNCTION mistyped(value text, seed text, percent int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN drawn(seed, 100) >= percent THEN value
              WHEN drawn('?' || seed, 5) = 0 THEN NULL
              ELSE overlay(value PLACING chr(97 + drawn('a' || seed, 26)) FROM 1 + drawn('b' || seed, length(value)) FOR drawn('c' || seed, 2)) END $$;
-- Of three rows one repeats an earlier one, with errors; households have a street and a last name in common.
CREATE TABLE persons AS
WITH person AS (SELECT i AS id, CASE WHEN drawn('p' || i, 3) = 0 THEN drawn('q' || i, i) + 1 ELSE i END AS p FROM generate_series(1, :rows) i),
     household AS (SELECT *, p - CASE WHEN drawn('h' || p, 5) = 0 THEN p % 2 ELSE 0 END AS h, CASE WHEN id = p THEN 0 ELSE 20 END AS errors FROM person)
SELECT id, mistyped(name_of('f' || p, 60), 'f' || id, errors) AS first_name, mistyped(name_of('l' || h, 900), 'l' || id, errors) AS last_name,
       CASE WHEN drawn('d' || p, 6) > 0 THEN mistyped((date '1930-01-01' + drawn('b' || p, 25000))::text, 'd' || id, errors) END AS born,
       mistyped(name_of('s' || h, 200) || ' street ' || drawn('n' || h, 90), 's' || id, errors) AS street, name_of('t' || h, 30) AS town
FROM household;

CREATE FUNCTION duplicates(rel regclass, arguments text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
  EXECUTE format($q$SELECT count(*) || ' ' || md5(string_agg(d::text, '/' ORDER BY id)) FROM duplicate_records(%L, 'id'%s) d$q$, rel, arguments) INTO result;
  RETURN result;
END $$;
CREATE FUNCTION pairs(rel regclass, arguments text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
  EXECUTE format($q$SELECT count(*) || ' ' || md5(string_agg(p::text, '/' ORDER BY a, b)) FROM record_pairs(%L, 'id'%s) p$q$, rel, arguments) INTO result;
  RETURN result;
END $$;
SQL

sub yields
{
    my ($rule, $query, $expected) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    my ($code, $out, $err) = $node->psql('postgres', "SET client_min_messages = warning; $query", on_error_stop => 1);

    is($code == 0 ? $out : $err, $expected, $rule);
    return;
}

my $duplicates = $node->safe_psql('postgres', q{SELECT duplicates('persons')});
my $pairs = $node->safe_psql('postgres', q{SELECT pairs('persons')});
my ($count) = $duplicates =~ /^(\d+)/;
note("duplicates: $duplicates, pairs: $pairs");
cmp_ok($count, '>', $ROWS / 6, 'persons have duplicates');
yields('the report can tell', q{SELECT verdict FROM duplicate_records_report('persons', 'id')}, 'settled');

# ---------------------------------------------------------------------------
# One result
# ---------------------------------------------------------------------------

for my $order (1 .. $ORDERS)
{
    yields("rows in order $order", "CREATE TABLE shuffled AS SELECT * FROM persons ORDER BY md5(id || '$order');
        SELECT duplicates('shuffled'), pairs('shuffled'); DROP TABLE shuffled", "$duplicates|$pairs");
}
my $WORKERS = force_workers($node) . '; SET max_parallel_workers_per_gather';
for my $memory ('64kB', '1MB', '64MB')
{
    # Fewer rows where memory holds few.
    my $table = $memory eq '64kB' ? 'fewer' : 'persons';
    my $expected = $memory eq '64kB' ? $node->safe_psql('postgres', q{CREATE TABLE fewer AS SELECT * FROM persons WHERE id <= 300; SELECT duplicates('fewer')}) : $duplicates;

    for my $workers (0, 2)
    {
        yields("within $memory, $workers workers", "SET neardup.join_memory = '$memory'; $WORKERS = $workers; SELECT duplicates('$table')", $expected);
    }
}
yields('in a column of another name and type', 'CREATE TABLE "Ta ble" AS SELECT id AS "Co""l", first_name, last_name, born AS "date of ""birth""", street, town FROM persons;
    SELECT count(*) > 0, count(*) FILTER (WHERE similarities ? \'date of "birth"\') > 0 FROM record_pairs(\'"Ta ble"\', \'Co"l\')', 't|t');
yields('a column with one value only says nothing', q{CREATE VIEW with_constant AS SELECT *, 'x' AS constant, NULL::int AS empty FROM persons;
    SELECT "column", similarity IS NULL, presence IS NULL, rarity IS NULL, empty FROM record_column_weights('with_constant', 'id') WHERE "column" IN ('constant', 'empty')},
    "constant|t|t|t|0\nempty|t|t|t|1");

# The least similar of very many pairs are left out, but no pair with an equal value.
if ($ENV{NEARDUP_ALL})
{
    $node->safe_psql('postgres', <<'SQL');
CREATE TABLE templates AS
SELECT i AS id, (SELECT string_agg('g' || i % 3 || 'w' || w, ' ') FROM generate_series(1, 16) w WHERE drawn(i || ' ' || w, 3) > 0) AS body,
       (SELECT string_agg(chr(97 + (i % 899 / (10 ^ w)::int) % 10), ' ') FROM generate_series(0, 2) w) AS code
FROM generate_series(1, 4000) i;
SQL
    my $expected = $node->safe_psql('postgres', <<'SQL');
WITH found AS MATERIALIZED (SELECT a, b, similarity FROM ppjoin('SELECT id, word_set(body || '' '' || code) | qgram_set(body || '' '' || code, 4) FROM templates', 0.25, 'idf_cosine')),
     bins AS (SELECT least(floor(similarity * 40), 39) AS bin, count(*) AS pairs FROM found GROUP BY 1),
     least_bin AS (SELECT min(bin) AS bin FROM (SELECT bin, sum(pairs) OVER (ORDER BY bin DESC) AS taken FROM bins) s WHERE taken <= 1000000)
SELECT count(*), (SELECT bin > 10 FROM least_bin)
FROM (SELECT a, b FROM found, least_bin WHERE similarity >= bin / 40
      UNION SELECT x.id, y.id FROM templates x JOIN templates y ON x.id < y.id WHERE x.code = y.code OR x.body = y.body) c
SQL
    for my $memory ('1MB', '64MB')
    {
        yields("candidates among very many pairs within $memory", "SET neardup.join_memory = '$memory'; SELECT candidates, true FROM duplicate_records_report('templates', 'id')", $expected);
    }
}

# ---------------------------------------------------------------------------
# Keys, views, partitions
# ---------------------------------------------------------------------------

my %KEYS = (uuid => q{lpad(to_hex(id), 32, '0')::uuid}, text => q{lpad(id::text, 9, '0') COLLATE "C"}, smallint => 'id::smallint', numeric => 'id / 10.0');
for my $type (sort keys %KEYS)
{
    yields("keys of type $type", "CREATE TABLE keyed AS SELECT $KEYS{$type} AS key, persons.* FROM persons ORDER BY md5(id::text); CREATE UNIQUE INDEX ON keyed (key);
        SELECT count(*) || ' ' || md5(string_agg(ROW(x.id, y.id, d.score, d.kind, z.id)::text, '/' ORDER BY x.id))
        FROM duplicate_records_keyed(NULL::$type, 'keyed', 'key', '{first_name,last_name,born,street,town}') d
             JOIN keyed x ON x.key = d.id JOIN keyed y ON y.key = d.duplicate_of JOIN keyed z ON z.key = d.cluster;
        DROP TABLE keyed", $duplicates);
}
# Of more than 20,000 rows, words and 4-grams of more than 2,000 bring no rows together, unless all of a row's are frequent.
$node->safe_psql('postgres', q{
CREATE TABLE clinics AS
SELECT id, thing, mistyped[1] AS name, mistyped[2] AS street, mistyped[3] AS town, mistyped[4] AS phone
FROM (SELECT i AS id, t AS thing, array_agg(CASE WHEN drawn(i || 'e' || n, 4) = 0 THEN overlay(value PLACING substr(md5(i || 'c' || n), 1, 1) FROM 1 + drawn(i || 'p' || n, length(value)) FOR 1) ELSE value END ORDER BY n) AS mistyped
      FROM (SELECT i, CASE WHEN i <= 2200 THEN 0 ELSE i / 3 END AS t FROM generate_series(1, 21000) AS i) AS m,
      LATERAL (VALUES (1, 'Clinic ' || md5(t::text)), (2, left(md5(t || 's'), 9) || ' Street ' || t % 50), (3, 'Town ' || t % 40), (4, '0' || left(translate(md5(t || 'p'), 'abcdef', '123456'), 8))) AS v (n, value)
      GROUP BY i, t) AS m});
yields('more rows of one thing than may have a token that brings rows together are one cluster',
    q{CREATE TABLE clinics_found AS SELECT * FROM duplicate_records('clinics', 'id', '{name,street,town,phone}');
      SELECT count(*) FILTER (WHERE f.id <= 2200), count(DISTINCT f.cluster) FILTER (WHERE f.id <= 2200), count(*) FILTER (WHERE x.thing <> y.thing)
      FROM clinics_found AS f JOIN clinics AS x USING (id) JOIN clinics AS y ON y.id = f.duplicate_of}, '2199|1|0');
yields('from files too', q{SET neardup.join_memory = '4MB';
      SELECT count(*), (SELECT count(*) > 10000 FROM clinics_found) FROM (SELECT * FROM duplicate_records('clinics', 'id', '{name,street,town,phone}') EXCEPT TABLE clinics_found) AS d}, '0|t');

yields('a view', q{CREATE VIEW viewed AS SELECT * FROM persons WHERE id > 0; SELECT duplicates('viewed')}, $duplicates);
yields('a materialized view', q{CREATE MATERIALIZED VIEW stored AS TABLE persons; SELECT duplicates('stored')}, $duplicates);
yields('partitions', q{CREATE TABLE divided (LIKE persons) PARTITION BY HASH (id);
    CREATE TABLE d0 PARTITION OF divided FOR VALUES WITH (MODULUS 2, REMAINDER 0); CREATE TABLE d1 PARTITION OF divided FOR VALUES WITH (MODULUS 2, REMAINDER 1);
    INSERT INTO divided TABLE persons; SELECT duplicates('divided')}, $duplicates);
yields('a temporary table', q{CREATE TEMP TABLE persons_here AS TABLE persons; SELECT duplicates('persons_here')}, $duplicates);
yields('dropped columns are none', q{CREATE TABLE dropping AS SELECT *, md5(id::text) AS noise FROM persons; ALTER TABLE dropping DROP noise; SELECT duplicates('dropping')}, $duplicates);

# ---------------------------------------------------------------------------
# What the columns of the result say
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', q{CREATE TABLE found AS SELECT * FROM duplicate_records('persons', 'id');
    CREATE TABLE compared AS SELECT * FROM record_pairs('persons', 'id')});
yields('a row is a duplicate once, and what is kept is none', q{SELECT count(*) - count(DISTINCT id), (SELECT count(*) FROM found f JOIN found g ON f.duplicate_of = g.id) FROM found}, '0|0');
yields('a cluster has the name of its least key, which is kept', q{SELECT count(*) FROM found WHERE cluster <> duplicate_of OR cluster >= id}, '0');
yields('a duplicate is exact if all texts are equal', q{SELECT count(*) FROM found f JOIN persons x USING (id) JOIN persons y ON y.id = duplicate_of
    WHERE (kind = 'exact') <> ((x.first_name, x.last_name, x.born, x.street, x.town) IS NOT DISTINCT FROM (y.first_name, y.last_name, y.born, y.street, y.town))}, '0');
yields('a score is that of the pair that was compared, or NULL', q{SELECT count(*), count(*) FILTER (WHERE f.score IS NULL AND kind = 'exact')
    FROM found f LEFT JOIN compared ON a = least(id, duplicate_of) AND b = greatest(id, duplicate_of)
    WHERE f.score IS DISTINCT FROM compared.score AND NOT EXISTS (SELECT FROM compared c WHERE c.b = f.id AND c.a <> f.duplicate_of AND c.similarities @> '{"street": 1, "last_name": 1, "first_name": 1}')}, '0|0');
yields('pairs are within clusters', q{SELECT count(*) FROM compared LEFT JOIN found x ON x.id = a LEFT JOIN found y ON y.id = b WHERE coalesce(x.cluster, a) <> coalesce(y.cluster, b)}, '0');
yields('the row to keep is the first by "keep"', q{SELECT count(*), count(DISTINCT cluster) = (SELECT count(DISTINCT cluster) FROM found) FROM
    (SELECT duplicate_of, cluster, max(id) OVER (PARTITION BY cluster) AS greatest FROM duplicate_records('persons', 'id', keep => 'id DESC')) d WHERE greatest > duplicate_of}, '0|f');
yields('"keep" changes no cluster', q{SELECT count(*) FROM (SELECT cluster, count(*) FROM duplicate_records('persons', 'id', keep => 'length(street) DESC NULLS LAST, id DESC') GROUP BY 1
    EXCEPT SELECT cluster, count(*) FROM found GROUP BY 1) d}, '0');

# ---------------------------------------------------------------------------
# Scopes and exceptions
# ---------------------------------------------------------------------------

yields('no cluster has rows of two scopes', q{SELECT count(*) FILTER (WHERE x.town IS DISTINCT FROM y.town), count(*) > 0
    FROM duplicate_records('persons', 'id', within => 'town') d JOIN persons x USING (id) JOIN persons y ON y.id = duplicate_of}, '0|t');
yields('nor have equal rows', q{CREATE TABLE twice AS SELECT id * 2 + i AS id, i AS part, first_name, last_name, born, street FROM persons, generate_series(0, 1) i;
    SELECT count(*) FILTER (WHERE (id - duplicate_of) % 2 <> 0), count(*) > 0
    FROM duplicate_records('twice', 'id', '{first_name,last_name,born,street}', within => 'part')}, '0|t');
yields('a scope may be of several expressions', q{SELECT count(*) FILTER (WHERE (x.town, length(x.street) % 2) IS DISTINCT FROM (y.town, length(y.street) % 2)), count(*) > 0
    FROM duplicate_records('persons', 'id', within => 'town, length(street) % 2 -- end') d JOIN persons x USING (id) JOIN persons y ON y.id = duplicate_of}, '0|t');
# A few of the pairs that were found, and of equal rows.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE except_these AS
SELECT id AS a, duplicate_of AS b FROM (SELECT id, duplicate_of, row_number() OVER (PARTITION BY kind ORDER BY md5(id::text)) AS n FROM found) f WHERE n % 50 = 0;
CREATE FUNCTION clusters(arguments text) RETURNS TABLE (id bigint, cluster bigint) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format('WITH d AS MATERIALIZED (SELECT * FROM duplicate_records(''persons'', ''id''%s)) SELECT d.id, d.cluster FROM d UNION SELECT d.duplicate_of, d.cluster FROM d', arguments);
END $$;
SQL
yields('rows that are excepted share no cluster, not through others either',
    q{CREATE TABLE without AS SELECT * FROM clusters(', except_pairs => ''SELECT a, b FROM except_these''');
      SELECT count(*), (SELECT count(*) FROM without) > 0 FROM except_these e JOIN without x ON x.id = a JOIN without y ON y.id = b WHERE x.cluster = y.cluster}, '0|t');
yields('the same of their order and repetitions', q{SELECT count(*) FROM (TABLE without EXCEPT
    SELECT * FROM clusters(', except_pairs => ''SELECT b, a FROM except_these UNION ALL SELECT a, b FROM except_these ORDER BY 1, 2''')) d}, '0');
yields('pairs of other keys change nothing', q{SELECT count(*) FROM ((SELECT * FROM clusters(', except_pairs => ''SELECT -1, -2 UNION SELECT 0, -7''') EXCEPT SELECT * FROM clusters(''))
    UNION ALL (SELECT * FROM clusters('') EXCEPT SELECT * FROM clusters(', except_pairs => ''SELECT -1, -2 UNION SELECT 0, -7'''))) d}, '0');
yields('most of the other duplicates are still found', q{SELECT count(*) > 0.8 * (SELECT count(*) FROM found WHERE id NOT IN (SELECT a FROM except_these UNION SELECT b FROM except_these))
    FROM found WHERE id NOT IN (SELECT a FROM except_these UNION SELECT b FROM except_these) AND id IN (SELECT id FROM without)}, 't');

# ---------------------------------------------------------------------------
# Rights
# ---------------------------------------------------------------------------

$node->safe_psql('postgres', <<'SQL');
CREATE ROLE reader;
CREATE TABLE guarded AS TABLE persons;
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY odd ON guarded FOR SELECT USING (id % 3 > 0);
GRANT SELECT ON guarded TO reader;
GRANT SELECT (id, first_name, last_name) ON persons TO reader;
CREATE TABLE allowed AS SELECT * FROM persons WHERE id % 3 > 0;
SQL
yields('a policy hides rows, which count for nothing', q{SET ROLE reader; SELECT duplicates('guarded')}, $node->safe_psql('postgres', q{SELECT duplicates('allowed')}));
for my $call (q{duplicate_records('persons', 'id')}, q{record_pairs('persons', 'id')}, q{duplicate_records_report('persons', 'id')},
    q{record_column_weights('persons', 'id')}, q{duplicate_records('found', 'id')})
{
    is(sqlstate_of($node, 'postgres', "SET ROLE reader; SELECT * FROM $call"), '42501', "without the right to read: $call");
}
yields('columns that may be read are compared', q{SET ROLE reader; SELECT rows FROM duplicate_records_report('persons', 'id', '{first_name,last_name}')}, $ROWS);

# ---------------------------------------------------------------------------
# Cancelled
# ---------------------------------------------------------------------------

my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe(q{SET client_min_messages = error; SET neardup.join_memory = '1MB'; CREATE TABLE many AS SELECT id + i * 100000 AS id, first_name, last_name, born, street || i % 3 AS street, town FROM persons, generate_series(0, 1) i});
my $contexts = q{SELECT count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'neardup%' AND name NOT LIKE 'neardup cache%'};
my $start = time;
$session->query_safe(q{SELECT duplicates('many')});
my $shortest = time - $start;
my $before = printed($session->query_safe($contexts));
my $CANCELS = $ENV{NEARDUP_ALL} ? 60 : 10;
my ($cancelled, $ended, $latest, @wrong) = (0, 0, 0);
for my $part (map { $_ / $CANCELS } 1 .. $CANCELS)
{
    my $timeout = 1 + int(1000 * $part * $shortest);
    my ($seconds, $error);
    my $late = least_lateness(
        sub {
            $start = time;
            $session->query("SET statement_timeout = $timeout;\nSELECT duplicates('many');\n");
            $seconds = time - $start;
            $error = $session->{stderr};
            $session->{stderr} = '';
            $session->query_safe('SET statement_timeout = 0');
            return $error =~ /statement timeout/ ? $seconds - $timeout / 1000 : undef;
        });
    $error =~ /statement timeout/ ? $cancelled++ : $ended++;
    $shortest = $seconds if $seconds < $shortest && $error !~ /ERROR/;
    push @wrong, "$timeout ms: $error" if $error =~ /ERROR/ && $error !~ /statement timeout/;
    $latest = $late if defined $late && $late > $latest;
    my $left = printed($session->query_safe("SELECT (SELECT count(*) FROM pg_ls_tmpdir()), ($contexts), (SELECT count(*) FROM neardup_progress)"));
    push @wrong, "$timeout ms leaves $left" if $left ne "0|$before|0";
}
note(sprintf '%d cancelled, %d ended before, of %.1f s; the latest was %.3f s late', $cancelled, $ended, $shortest, $latest);
is(join("\n", @wrong), '', 'a search that is cancelled leaves no file, no memory and no progress');
cmp_ok($cancelled, '>', $ended, "many were cancelled ($cancelled)");
cmp_ok($latest, '<', LATEST, 'and soon');
is(printed($session->query_safe(q{SELECT duplicates('persons')})), $duplicates, 'and the next search is right');
$session->quit;

$node->stop;
done_testing();
