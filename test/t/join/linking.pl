# knn_join and match_join = brute force: every measure and form, in memory, through files and with
# workers, on random inputs with ties, groups of equal rows and pairs just on the threshold.
# NEARDUP_SEEDS="17 23" runs only these seeds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use Test::More;

use NeardupTest;
use SetOracle;

my @seeds = seeds(60);
my $SEEDS_PER_SESSION = 20;

my $node = new_node('linking');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');
$node->safe_psql('postgres', SetOracle::schema());
$node->safe_psql('postgres', <<'SQL');
CREATE UNLOGGED TABLE linked (seed int, measure text, kind text, what text, differences int8, returned int8,
                              example text);
-- The oracle's pairs, for the present measure and threshold; of a symmetric self-join in both directions.
-- The keys are numbers of rows, in an order of their own; with the least key of the rows of equal sets.
CREATE UNLOGGED TABLE candidate (kind text, xkey int8, ykey int8, xfirst int8, yfirst int8, value float8, distance float8);
CREATE FUNCTION key_of(number int) RETURNS int8 LANGUAGE sql IMMUTABLE AS 'SELECT number * 7919::int8 % 10007';
CREATE UNLOGGED TABLE firsts (kind text, row int, first int8);
CREATE PROCEDURE find_firsts() LANGUAGE sql AS $$
  TRUNCATE firsts;
  INSERT INTO firsts
  SELECT kind, row, min(key_of(row)) OVER (PARTITION BY kind, CASE kind WHEN 'rs' THEN side END, content)
  FROM (VALUES ('self'), ('rs')) k(kind),
       LATERAL (SELECT row, side, ARRAY(SELECT DISTINCT token FROM unnest(tokens) token ORDER BY token) AS content
                FROM rec WHERE key IS NOT NULL AND tokens IS NOT NULL) r;
  ANALYZE firsts;
$$;

CREATE PROCEDURE find_candidates(m text, n int, d int) LANGUAGE sql AS $$
  TRUNCATE candidate;
  INSERT INTO candidate
  SELECT kind, key_of(x), key_of(y), f.first, g.first, value_of(m, a, b, o),
         CASE m WHEN 'hamming' THEN 1 ELSE -1 END * value_of(m, a, b, o)
  FROM pair JOIN firsts f ON f.row = x JOIN firsts g USING (kind)
  WHERE g.row = y AND holds(m, n, d, a, b, o) AND (kind = 'self' OR xside = 0 AND yside = 1);
$$;

CREATE FUNCTION nearest(of_kind text, k int)
RETURNS TABLE (a int8, b int8, similarity float8, rank int8) LANGUAGE sql AS $$
  SELECT xkey, ykey, value, place
  FROM (SELECT *, row_number() OVER (PARTITION BY xkey ORDER BY distance, yfirst, ykey) AS place
        FROM candidate WHERE kind = of_kind) c
  WHERE place <= k $$;

CREATE FUNCTION matched(of_kind text, is_symmetric bool)
RETURNS TABLE (a int8, b int8, similarity float8) LANGUAGE plpgsql AS $$
DECLARE
  xtaken int8[] := '{}'; ytaken int8[] := '{}'; c candidate; is_once bool := of_kind = 'self' AND is_symmetric;
BEGIN
  -- Of a pair that comes both ways, the one from the group whose first row is the lesser one.
  FOR c IN SELECT * FROM candidate
           WHERE kind = of_kind AND (NOT is_once OR xfirst < yfirst OR (xfirst = yfirst AND xkey < ykey))
           ORDER BY distance, xfirst, yfirst, xkey, ykey LOOP
    CONTINUE WHEN c.xkey = ANY (xtaken) OR c.ykey = ANY (ytaken);
    xtaken := xtaken || c.xkey || CASE of_kind WHEN 'self' THEN ARRAY[c.ykey] END;
    ytaken := ytaken || c.ykey || CASE of_kind WHEN 'self' THEN ARRAY[c.xkey] END;
    a := CASE WHEN is_once THEN least(c.xkey, c.ykey) ELSE c.xkey END;
    b := CASE WHEN is_once THEN greatest(c.xkey, c.ykey) ELSE c.ykey END;
    similarity := c.value;
    RETURN NEXT;
  END LOOP;
END $$;

-- Rows that a call returns too much or too little, values compared to the bit.
CREATE PROCEDURE compare_links(p_seed int, m text, kind text, what text, call text, oracle text)
LANGUAGE plpgsql AS $$
DECLARE
  wrong int8; returned int8; sample text;
BEGIN
  EXECUTE format($q$
    WITH got AS MATERIALIZED (%s), want AS MATERIALIZED (%s),
    difference AS (
      SELECT 'missing' AS what, * FROM (TABLE want EXCEPT ALL TABLE got) l
      UNION ALL
      SELECT 'surplus', * FROM (TABLE got EXCEPT ALL TABLE want) s)
    SELECT count(*), (SELECT count(*) FROM got), (SELECT string_agg(f::text, ' ') FROM (TABLE difference LIMIT 4) f)
    FROM difference $q$, call, oracle) INTO wrong, returned, sample;
  INSERT INTO linked VALUES (p_seed, m, kind, what, wrong, returned, sample);
EXCEPTION WHEN OTHERS THEN
  INSERT INTO linked VALUES (p_seed, m, kind, what, -1, 0, SQLERRM);
END $$;

-- Text keys order as the numbers do.
CREATE FUNCTION text_key(key int8) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT lpad((key::numeric + 9223372036854775808)::text, 20, '0') COLLATE "C" $$;

CREATE PROCEDURE check_links(p_seed int, m text, n int, d int) LANGUAGE plpgsql AS $$
DECLARE
  kind text; k int; query text; against text; keyed bool := p_seed % 3 = 1; key text := 'key_of(row)';
  function text := CASE WHEN keyed THEN '_keyed(NULL::text, ' ELSE '(' END;
  a_b text := CASE WHEN keyed THEN 'text_key(a), text_key(b)' ELSE 'a, b' END;
BEGIN
  CALL find_candidates(m, n, d);
  key := CASE WHEN keyed THEN 'text_key(key_of(row))' ELSE 'key_of(row)' END;
  FOREACH kind IN ARRAY '{self,rs}'::text[] LOOP
    query := format('SELECT %s, tokens FROM rec WHERE key IS NOT NULL%s ORDER BY row', key, CASE kind WHEN 'rs' THEN ' AND side = 0' END);
    against := CASE kind WHEN 'rs' THEN format('SELECT %s, tokens FROM rec WHERE key IS NOT NULL AND side = 1 ORDER BY row', key) END;
    FOREACH k IN ARRAY '{1,5}'::int[] LOOP
      CALL compare_links(p_seed, m, kind, 'knn_join, k = ' || k,
        format('SELECT a, b, float8send(similarity), rank::int8 FROM knn_join%s%L, %s, %L, %L, %L)',
               function, query, k, threshold(n, d), m, against),
        format('SELECT %s, float8send(similarity), rank FROM nearest(%L, %s)', a_b, kind, k));
    END LOOP;
    CALL compare_links(p_seed, m, kind, 'match_join',
      format('SELECT a, b, float8send(similarity) FROM match_join%s%L, %s, %L, %L)', function, query, threshold(n, d), m, against),
      format('SELECT %s, float8send(similarity) FROM matched(%L, %L)', a_b, kind, m <> 'containment'));
  END LOOP;
END $$;

-- Of weighted measures, whose pairs join/weights.pl compares with brute force, ppjoin finds the candidates.
CREATE PROCEDURE check_weighted_links(p_seed int, m text, n int, d int) LANGUAGE plpgsql AS $$
DECLARE
  kind text; k int; query text; against text;
BEGIN
  FOREACH kind IN ARRAY '{self,rs}'::text[] LOOP
    query := 'SELECT key_of(row), tokens FROM rec WHERE key IS NOT NULL' || CASE kind WHEN 'rs' THEN ' AND side = 0' ELSE '' END;
    against := CASE kind WHEN 'rs' THEN 'SELECT key_of(row), tokens FROM rec WHERE key IS NOT NULL AND side = 1' END;
    TRUNCATE candidate;
    EXECUTE format('INSERT INTO candidate SELECT f.kind, a, b, f.first, g.first, similarity, -similarity
                    FROM ppjoin(%L, %s, %L, against => %L) JOIN firsts f ON key_of(f.row) = a JOIN firsts g ON key_of(g.row) = b AND g.kind = f.kind
                    WHERE f.kind = %L', query, threshold(n, d), m, against, kind);
    INSERT INTO candidate SELECT c.kind, ykey, xkey, yfirst, xfirst, value, distance FROM candidate c WHERE c.kind = 'self';
    FOREACH k IN ARRAY '{1,5}'::int[] LOOP
      CALL compare_links(p_seed, m, kind, 'knn_join, k = ' || k,
        format('SELECT a, b, float8send(similarity), rank::int8 FROM knn_join(%L, %s, %s, %L, %L)', query, k, threshold(n, d), m, against),
        format('SELECT a, b, float8send(similarity), rank FROM nearest(%L, %s)', kind, k));
    END LOOP;
    CALL compare_links(p_seed, m, kind, 'match_join',
      format('SELECT a, b, float8send(similarity) FROM match_join(%L, %s, %L, %L)', query, threshold(n, d), m, against),
      format('SELECT a, b, float8send(similarity) FROM matched(%L, true)', kind));
  END LOOP;
END $$;

CREATE PROCEDURE check_links_of_seed(p_seed int) LANGUAGE plpgsql AS $$
DECLARE
  p record;
BEGIN
  TRUNCATE rec;
  INSERT INTO rec SELECT row, side, key, tokens FROM input WHERE seed = p_seed;
  CALL count_overlaps(false);
  CALL find_firsts();
  FOR p IN SELECT measure, n, d FROM plan WHERE seed = p_seed
           UNION
           SELECT measure, f.n, f.d FROM plan, (VALUES (1, 2), (3, 10)) f(n, d)
           WHERE seed = p_seed AND measure NOT IN ('overlap', 'hamming') LOOP
    CALL check_links(p_seed, p.measure, p.n, p.d);
  END LOOP;
  CALL check_weighted_links(p_seed, 'idf_jaccard', 3, 10);
  CALL check_weighted_links(p_seed, 'idf_cosine', 1, 2);
END $$;
SQL

sub report
{
    my ($rule, $condition) = @_;
    my ($calls, $rows, $differences, $failed) = split /\|/, $node->safe_psql('postgres',
        "SELECT count(*), sum(returned), coalesce(sum(differences), 0), count(*) FILTER (WHERE differences <> 0)
         FROM linked WHERE $condition");
    ok($rows > 0 && $failed == 0, "$rule: $calls calls, $rows rows, differing rows: $differences");
    return if $failed == 0;
    diag($node->safe_psql('postgres',
            "SELECT format('  %s: %s %s %s: %s: %s', seed, measure, kind, what, differences, left(example, 300))
             FROM linked WHERE $condition AND differences <> 0 ORDER BY differences < 0, seed LIMIT 5"));
    return;
}

# One seed in five through files, one with workers.
sub settings
{
    my ($seed) = @_;
    return 'SET neardup.join_memory = \'64kB\';' if $seed % 5 == 3;
    return force_workers($node) . '; SET max_parallel_workers_per_gather = 2;' if $seed % 5 == 4;
    return '';
}

$node->safe_psql('postgres', SetOracle::load_script(map { SetOracle::random_input($_) } @seeds));
for my $rest (0 .. 4)
{
    my @of_rest = grep { $_ % 5 == $rest } @seeds;
    while (my @chunk = splice @of_rest, 0, $SEEDS_PER_SESSION)
    {
        $node->safe_psql('postgres', settings($rest) . join("\n", map { "CALL check_links_of_seed($_);" } @chunk));
    }
}
for my $measure (@SetOracle::MEASURES, 'idf_jaccard', 'idf_cosine')
{
    for my $kind ('self', 'rs')
    {
        report("$_ by $measure, $kind, is brute force", "measure = '$measure' AND kind = '$kind' AND what = '$_'")
          for 'knn_join, k = 1', 'knn_join, k = 5', 'match_join';
    }
}

$node->stop;
done_testing();
