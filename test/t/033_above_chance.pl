# near_duplicates without a threshold = with the tokens, measure and threshold that the procedure chooses,
# written out in SQL over the scalar similarities. NEARDUP_SEEDS="17 23" runs only these seeds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../perl";

use Test::More;

use NeardupTest;

my $node = NeardupTest::new_node('above_chance');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');
$node->safe_psql('postgres', <<'SQL');
CREATE UNLOGGED TABLE docs (id int, body text);
CREATE UNLOGGED TABLE outcome (seed int, chosen text, differences int8, returned int8);

-- Words of a skewed vocabulary; some rows are another one with a word or a letter changed.
CREATE PROCEDURE fill(p_seed int) LANGUAGE plpgsql AS $$
DECLARE
  rows int := 5 + p_seed * 37 % 90; vocabulary int := 4 + p_seed * 13 % 80; words int := 2 + p_seed % 9;
BEGIN
  TRUNCATE docs;
  INSERT INTO docs
  SELECT i, (SELECT string_agg(substr(md5((abs(hashint8extended(p_seed * 1000 + i, w)) % (1 + abs(hashint8extended(i, w + 7)) % vocabulary))::text), 1, 3 + p_seed % 4), ' ' ORDER BY w)
             FROM generate_series(1, words) w)
  FROM generate_series(1, rows) i;
  INSERT INTO docs SELECT 1000 + id, CASE id % 3 WHEN 0 THEN body || ' more' WHEN 1 THEN replace(body, 'a', 'b') ELSE body END FROM docs WHERE id % (2 + p_seed % 4) = 0;
  INSERT INTO docs VALUES (2000, NULL), (2001, '...');
END $$;

-- Bins of 0.025 from 0.25 on, of the different sets of a view.
CREATE FUNCTION bins_of(tokens text, measure text) RETURNS TABLE (bin int, n float8) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$
    WITH d AS MATERIALIZED (SELECT row_number() OVER () AS id, t FROM (SELECT DISTINCT (%s) AS t FROM docs) s WHERE t IS NOT NULL),
    w AS MATERIALIZED (SELECT token_weights(t) AS weights FROM d),
    p AS MATERIALIZED (SELECT %s AS s FROM d x JOIN d y ON x.id < y.id, w)
    SELECT i, (SELECT count(*) FROM p WHERE s >= (10 + i)::float8 / 40 AND (i = 29 OR s < (11 + i)::float8 / 40))::float8 FROM generate_series(0, 29) i $q$,
    tokens, CASE measure WHEN 'jaccard' THEN 'jaccard(x.t, y.t)' ELSE measure || '(x.t, y.t, weights)' END);
END $$;

CREATE FUNCTION best_of(tokens text, measure text, OUT threshold float8, OUT quality float8) LANGUAGE plpgsql AS $$
DECLARE
  n float8[] := ARRAY(SELECT b.n FROM bins_of(tokens, measure) b ORDER BY bin);
  b float8[] := array_fill(0::float8, '{30}'); slope float8; center float8; height float8; w float8; fitted int; taken int := 0; least_b float8 := 'Infinity';
  above float8 := 0; pairs float8 := 0; all_above float8 := 0; q float8;
BEGIN
  SELECT count(*), sum(n[i]), sum(n[i] * (0.2375 + i * 0.025)), sum(n[i] * ln(n[i])) INTO fitted, w, center, height FROM generate_series(1, 8) i WHERE n[i] > 0;
  IF fitted >= 3 THEN
    center := center / w; height := height / w;
    SELECT least(sum(n[i] * (0.2375 + i * 0.025 - center) * (ln(n[i]) - height)) / sum(n[i] * (0.2375 + i * 0.025 - center) ^ 2), -5) INTO slope
    FROM generate_series(1, 8) i WHERE n[i] > 0;
    FOR i IN 1 .. 30 LOOP
      least_b := least(least_b, n[i], exp(height + slope * (0.2375 + i * 0.025 - center)));
      b[i] := least_b;
    END LOOP;
  ELSE
    FOR i IN 1 .. 30 LOOP
      IF n[i] > 0 AND taken < 2 THEN b[i] := n[i]; taken := taken + 1; END IF;
    END LOOP;
  END IF;
  FOR i IN 1 .. 30 LOOP all_above := all_above + n[i] - b[i]; END LOOP;
  quality := 0; threshold := 1;
  FOR i IN REVERSE 30 .. 1 LOOP
    pairs := pairs + n[i]; above := above + n[i] - b[i];
    q := 2 * above / greatest(pairs + all_above, 1);
    IF q > quality THEN quality := q; threshold := (9 + i)::float8 / 40; END IF;
  END LOOP;
END $$;

CREATE PROCEDURE check_seed(p_seed int, given text) LANGUAGE plpgsql AS $$
DECLARE
  v record; best record; q float8 := 0; t text := coalesce(given, 'word_set(body) | qgram_set(body, 4)'); m text := CASE WHEN given IS NULL THEN 'idf_cosine' ELSE 'jaccard' END; threshold float8 := 1;
  chosen text; base text := 'near_duplicates(''docs'', ''id'', ''body'', ';
BEGIN
  FOR v IN SELECT * FROM (VALUES ('word_set(body) | qgram_set(body, 4)', 'idf_cosine'), ('qgram_set(body, 3)', 'idf_cosine'), ('qgram_set(body, 3)', 'jaccard')) AS v (tokens, measure)
           WHERE given IS NULL UNION ALL SELECT given, 'jaccard' WHERE given IS NOT NULL LOOP
    SELECT * INTO best FROM best_of(v.tokens, v.measure);
    IF best.quality > q + 1e-12 THEN q := best.quality; t := v.tokens; m := v.measure; threshold := best.threshold; END IF;
  END LOOP;
  chosen := format('%s%L, %L, measure => %L)', base, threshold, t, m);
  EXECUTE format('INSERT INTO outcome WITH got AS MATERIALIZED (SELECT * FROM %sNULL, tokens => %L)), want AS MATERIALIZED (SELECT * FROM %s)
                  SELECT %s, %L, (SELECT count(*) FROM (TABLE got EXCEPT ALL TABLE want) x) + (SELECT count(*) FROM (TABLE want EXCEPT ALL TABLE got) x), (SELECT count(*) FROM got)',
                 base, given, chosen, p_seed, t || ' ' || m);
END $$;
SQL

my $seeds = run_seeds($node, 120, 15, sub {
    my ($seed) = @_;

    return "CALL fill($seed); CALL check_seed($seed, " . ($seed % 4 ? 'NULL' : "'word_set(body)'") . ');';
});
is($node->safe_psql('postgres', 'SELECT count(*) FROM outcome'), $seeds, 'every seed was compared');
is($node->safe_psql('postgres', 'SELECT count(*) FROM outcome WHERE differences > 0'), 0, 'what is chosen = the procedure written out')
  or diag($node->safe_psql('postgres', 'SELECT * FROM outcome WHERE differences > 0 ORDER BY seed LIMIT 10'));
cmp_ok($node->safe_psql('postgres', 'SELECT count(DISTINCT chosen) FROM outcome WHERE returned > 0'), '>', 2, 'more than two views were chosen');

# So many pairs that no low threshold is tried: rows of one to four words of their own among twenty.
$node->safe_psql('postgres', "TRUNCATE docs; INSERT INTO docs SELECT i, (SELECT string_agg('w' || w || CASE WHEN w <= 1 + i % 4 THEN 'x' || i ELSE '' END, ' ') FROM generate_series(1, 20) w) FROM generate_series(1, 1500) i");
my ($status, $out, $err) = $node->psql('postgres', "SELECT count(*) > 300 FROM near_duplicates('docs', 'id', 'body', NULL, tokens => 'word_set(body)')");
is("$status $out", '0 t', 'a large family is found');
like($err, qr/NOTICE:  near_duplicates compares word_set\(body\) by jaccard, from 0\.[789]\d* on\s+DETAIL:  Of \d{5,} such pairs of different sets, \d{5,} are above chance/, 'by a high threshold');
$node->stop;
done_testing();
