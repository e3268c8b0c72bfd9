# Weighted joins = brute force in plain SQL and numeric arithmetic: self-joins and joins of two
# queries, both measures, in memory, from files and with workers, on random sets with pairs exactly
# on the threshold. The scalar functions agree to the bit. NEARDUP_SEEDS="17 23" runs only these.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;

my $SEEDS = 40;
my $node = NeardupTest::new_node('weights');
my $force = NeardupTest::force_workers($node) =~ /SET (\w+)/ ? $1 : die;

$node->safe_psql('postgres', 'CREATE EXTENSION neardup');
$node->safe_psql('postgres', <<"SQL");
CREATE TABLE rows (side int, id int, t int[]);
CREATE TABLE term (side int, place int, id int, token int, w numeric);
CREATE TABLE expected (a int, b int, j float8, c float8);
CREATE TABLE outcome (seed int, kind text, measure text, path text, threshold float8, differences bigint,
    pairs bigint, on_threshold bigint, temp_bytes bigint, workers int);

-- Skewed sets over a small or large universe, some of them nearly alike; NULLs, empty sets, a token
-- that nearly all have, repeated keys.
CREATE PROCEDURE fill(seed int, side int, size int) LANGUAGE plpgsql AS \$\$
DECLARE
    universe int := (ARRAY[8, 30, 200, 5000])[1 + seed % 4];
    tokens int := (ARRAY[4, 12, 25])[1 + seed % 3];
BEGIN
    INSERT INTO rows SELECT side, i, ARRAY(SELECT DISTINCT floor(power(random(), 2) * universe)::int + 0 * i
        FROM generate_series(1, floor(random() * (tokens + 1))::int + 0 * i)) FROM generate_series(1, size) i;
    INSERT INTO rows SELECT side, size + i, ARRAY(SELECT x FROM unnest(t) x WHERE random() > 0.15)
        FROM generate_series(1, size / 2) i, LATERAL (SELECT t FROM rows r WHERE r.id = 1 + (i * 7) % size LIMIT 1) r;
    UPDATE rows SET t = t || -1 WHERE random() < 0.9 AND t IS NOT NULL AND NOT -1 = ANY (t);
    INSERT INTO rows VALUES (side, -1, NULL), (side, NULL, '{1,2}'), (side, -2, '{}'), (side, 1, '{-1,1,2,3}'), (side, -3, '{-1}');
END \$\$;

-- The rows of a kind of join, as places, with the weights of their tokens; then all pairs.
CREATE PROCEDURE expect(join_kind text) LANGUAGE sql AS \$\$
    TRUNCATE term, expected;
    INSERT INTO term
    WITH read AS (SELECT side, id, t, row_number() OVER () AS place FROM rows
                  WHERE id IS NOT NULL AND t IS NOT NULL AND (side = 0 OR join_kind = 'rs')),
         tokens AS (SELECT side, place, id, token FROM read, unnest(t) token),
         weights AS (SELECT token, round(ln((SELECT count(*) FROM read)::numeric / count(*)) * 65536) AS w FROM tokens GROUP BY token)
    SELECT side, place, id, token, w FROM tokens JOIN weights USING (token);
    ANALYZE term;
    INSERT INTO expected
    WITH total AS (SELECT place, sum(w) AS w, sum(w * w) AS w2 FROM term GROUP BY place),
         overlap AS (SELECT x.place AS x, y.place AS y, x.id AS a, y.id AS b, sum(x.w) AS w, sum(x.w * x.w) AS w2
                     FROM term x JOIN term y ON x.token = y.token AND (CASE join_kind WHEN 'rs' THEN x.side = 0 AND y.side = 1 ELSE x.id < y.id END)
                     GROUP BY x.place, y.place, x.id, y.id)
    SELECT a, b, o.w::float8 / (x.w + y.w - o.w)::float8, o.w2::float8 / sqrt(x.w2::float8 * y.w2::float8)
    FROM overlap o JOIN total x ON x.place = o.x JOIN total y ON y.place = o.y WHERE o.w > 0;
    ANALYZE expected;
\$\$;

-- The arguments of a join.
CREATE FUNCTION arguments(join_kind text, others text) RETURNS text LANGUAGE sql AS \$\$
    SELECT '\$q\$SELECT id, t FROM rows WHERE side = 0\$q\$, ' || others
        || CASE join_kind WHEN 'rs' THEN ', against => \$q\$SELECT id, t FROM rows WHERE side = 1\$q\$' ELSE '' END
\$\$;

CREATE PROCEDURE compare(seed int, kind text, measure text, path text, threshold float8) LANGUAGE plpgsql AS \$\$
DECLARE
    value text := CASE measure WHEN 'idf_jaccard' THEN 'j' ELSE 'c' END;
BEGIN
    EXECUTE format('WITH found AS (SELECT a, b, similarity AS v FROM ppjoin(%s)),
                         wanted AS (SELECT a, b, %4\$I AS v FROM expected WHERE %4\$I >= %2\$L::float8)
        INSERT INTO outcome SELECT \$1, \$2, %3\$L, \$3, %2\$L,
            (SELECT count(*) FROM ((SELECT * FROM found EXCEPT ALL SELECT * FROM wanted) UNION ALL (SELECT * FROM wanted EXCEPT ALL SELECT * FROM found)) d),
            (SELECT count(*) FROM wanted), (SELECT count(*) FROM wanted WHERE v = %2\$L::float8), temp_bytes, workers
        FROM ppjoin_stats(%1\$s)', arguments(kind, format('%L::float8, %L', threshold, measure)), threshold, measure, value) USING seed, kind, path;
END \$\$;

-- In memory, and in turn from files, with workers, and with both.
CREATE PROCEDURE compare_paths(seed int, kind text, measure text, threshold float8, turn int) LANGUAGE plpgsql AS \$\$
BEGIN
    PERFORM set_config('max_parallel_workers_per_gather', '0', false), set_config('neardup.join_memory', '4MB', false);
    CALL compare(seed, kind, measure, 'memory', threshold);
    PERFORM set_config('hash_mem_multiplier', '1', false),
            set_config('neardup.join_memory', CASE turn % 3 WHEN 1 THEN '4MB' ELSE '64kB' END, false),
            set_config('max_parallel_workers_per_gather', CASE turn % 3 WHEN 0 THEN '0' ELSE '2' END, false),
            set_config('$force', CASE turn % 3 WHEN 0 THEN 'off' ELSE 'on' END, false);
    CALL compare(seed, kind, measure, (ARRAY['files', 'workers', 'files and workers'])[1 + turn % 3], threshold);
    PERFORM set_config('$force', 'off', false);
END \$\$;

-- The k best, of rows whose keys are unique; and the scalar functions on all pairs of rows.
CREATE PROCEDURE compare_others(seed int, kind text) LANGUAGE plpgsql AS \$\$
DECLARE
    m text;
BEGIN
    UPDATE rows SET id = -4 WHERE id = 1 AND t = '{-1,1,2,3}';
    CALL expect(kind);
    FOREACH m IN ARRAY ARRAY['idf_jaccard', 'idf_cosine'] LOOP
        EXECUTE format('INSERT INTO outcome (seed, kind, measure, path, differences, pairs) SELECT \$1, \$2, %2\$L, ''topk_join'',
            count(*) FILTER (WHERE f IS DISTINCT FROM e), count(e)
            FROM (SELECT row_number() OVER () AS n, ROW(a, b, similarity) AS f FROM topk_join(%1\$s)) found
            FULL JOIN (WITH firsts AS (SELECT side, id, min(id) OVER (PARTITION BY side, ARRAY(SELECT unnest(t) ORDER BY 1)) AS first
                                       FROM rows WHERE id IS NOT NULL AND t IS NOT NULL)
                       SELECT row_number() OVER (ORDER BY %3\$I DESC, CASE WHEN flips THEN g.first ELSE f.first END, CASE WHEN flips THEN f.first ELSE g.first END,
                                                 CASE WHEN flips THEN b ELSE a END, CASE WHEN flips THEN a ELSE b END) AS n, ROW(a::bigint, b::bigint, %3\$I) AS e
                       FROM expected JOIN firsts f ON f.side = 0 AND f.id = a JOIN firsts g ON g.side = %4\$s AND g.id = b,
                           LATERAL (SELECT %4\$s = 0 AND f.first > g.first AS flips) o
                       ORDER BY n LIMIT 7) wanted USING (n)',
            arguments(kind, format('7, %L', m)), m, CASE m WHEN 'idf_jaccard' THEN 'j' ELSE 'c' END,
            CASE kind WHEN 'rs' THEN 1 ELSE 0 END) USING seed, kind;
    END LOOP;
    INSERT INTO outcome (seed, kind, measure, path, differences, pairs)
    SELECT seed, compare_others.kind, 'both', 'scalar', count(*) FILTER (WHERE f IS DISTINCT FROM e), count(e)
    FROM (SELECT x.id AS a, y.id AS b, idf_jaccard(x.t::tokenset, y.t::tokenset, w) AS j, idf_cosine(x.t::tokenset, y.t::tokenset, w) AS c,
                 row_number() OVER (PARTITION BY x.id, y.id ORDER BY 1, 2) AS n
          FROM (SELECT token_weights(t::tokenset) AS w FROM rows WHERE id IS NOT NULL AND (side = 0 OR compare_others.kind = 'rs')) weights,
               rows x JOIN rows y ON CASE compare_others.kind WHEN 'rs' THEN x.side = 0 AND y.side = 1 AND x.id + y.id IS NOT NULL ELSE x.side + y.side = 0 AND x.id < y.id END) s
        CROSS JOIN LATERAL (SELECT s.a, s.b, s.j, s.c) f FULL JOIN expected e ON (e.a, e.b, e.j, e.c) = (f.a, f.b, f.j, f.c)
    WHERE f.j <> 0 OR e.j IS NOT NULL;
    UPDATE rows SET id = 1 WHERE id = -4;
END \$\$;

CREATE PROCEDURE check_seed(seed int) LANGUAGE plpgsql AS \$\$
DECLARE
    k text;
    exact record;
    t float8;
BEGIN
    PERFORM setseed(seed / 1000.0);
    TRUNCATE rows;
    CALL fill(seed, 0, 80 + seed % 40);
    CALL fill(seed, 1, 40);
    FOREACH k IN ARRAY ARRAY['self', 'rs'] LOOP
        CALL expect(k);
        SELECT * INTO exact FROM expected WHERE j > 0.2 ORDER BY random() LIMIT 1;
        t := (ARRAY[0.3, 0.5, 0.6, 0.8])[1 + seed % 4];
        CALL compare_paths(seed, k, 'idf_jaccard', t, seed);
        CALL compare_paths(seed, k, 'idf_cosine', t, seed + 1);
        CALL compare_paths(seed, k, 'idf_jaccard', least(coalesce(exact.j, 0.9), 1), seed + 1);
        CALL compare_paths(seed, k, 'idf_cosine', least(coalesce(exact.c, 0.9), 1), seed + 2);
        CALL compare_others(seed, k);
    END LOOP;
END \$\$;
SQL

my $seeds = NeardupTest::run_seeds($node, $SEEDS, 10, sub { "CALL check_seed($_[0]);" });

sub report
{
    my ($rule, $condition) = @_;
    my ($checks, $rows, $pairs) = split /\|/, $node->safe_psql('postgres',
        "SELECT count(*), coalesce(sum(differences), -1), coalesce(sum(pairs), 0) FROM outcome WHERE $condition");

    ok($rows == 0 && $pairs > 0, "$rule: $checks comparisons, $pairs pairs, differing rows: $rows")
      or diag($node->safe_psql('postgres', "SELECT * FROM outcome WHERE $condition AND differences <> 0 LIMIT 5"));
    return;
}

for my $measure (qw(idf_jaccard idf_cosine))
{
    for my $kind (qw(self rs))
    {
        report("$measure, $kind, $_ = brute force", "measure = '$measure' AND kind = '$kind' AND path = '$_'")
          for 'memory', 'files', 'workers', 'files and workers', 'topk_join';
    }
}
report("scalar functions, $_ = brute force", "path = 'scalar' AND kind = '$_'") for qw(self rs);
is($node->safe_psql('postgres', 'SELECT count(DISTINCT seed) FROM outcome'), $seeds, 'all seeds were checked');
cmp_ok($node->safe_psql('postgres', "SELECT count(*) FROM outcome WHERE path = 'memory' AND on_threshold > 0"),
    '>', $seeds, 'pairs were on the threshold');
is($node->safe_psql('postgres', "SELECT count(*) FROM outcome WHERE path ~ 'files' AND temp_bytes = 0"), '0', 'files were written');
cmp_ok($node->safe_psql('postgres', "SELECT count(*) FROM outcome WHERE path ~ 'workers' AND workers > 0"),
    '>', $seeds, 'workers joined');

$node->stop;
done_testing();
