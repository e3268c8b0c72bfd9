# choose_threshold = the procedure written out in SQL over the scalar similarities; near_duplicates without a
# threshold = with what is chosen, or an error where that cannot be told. NEARDUP_SEEDS="17 23" runs only these seeds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use Test::More;

use NeardupTest;

my $node = NeardupTest::new_node('above_chance');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');
$node->safe_psql('postgres', <<'SQL');
CREATE UNLOGGED TABLE docs (id int, body text);
CREATE UNLOGGED TABLE outcome (seed int, chosen text, can_tell bool, differences int8, returned int8);

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

-- Bins of 0.025 of the different sets of a view, and the number of all their pairs.
CREATE FUNCTION bins_of(tokens text, measure text, OUT n float8[], OUT all_pairs float8) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($q$
    WITH d AS MATERIALIZED (SELECT row_number() OVER () AS id, t FROM (SELECT DISTINCT (%s) AS t FROM docs) s WHERE cardinality(t) > 0),
    w AS MATERIALIZED (SELECT token_weights(t) AS weights FROM d),
    p AS MATERIALIZED (SELECT %s AS s FROM d x JOIN d y ON x.id < y.id, w)
    SELECT array_agg(n ORDER BY i), (SELECT count(*) * (count(*) - 1) / 2 FROM d) FROM
      (SELECT i, (SELECT count(*) FROM p WHERE s >= i::float8 / 40 AND (i = 39 OR s < (1 + i)::float8 / 40))::float8 AS n FROM generate_series(0, 39) i) b $q$,
    tokens, CASE measure WHEN 'jaccard' THEN 'jaccard(x.t, y.t)' ELSE measure || '(x.t, y.t, weights)' END) INTO n, all_pairs;
END $$;

-- The zone has the bins z + 1 to z + 8; the line begins at the fullest of them.
CREATE FUNCTION best_of(tokens text, measure text, OUT threshold float8, OUT quality float8, OUT pairs float8, OUT above float8, OUT can_tell bool) LANGUAGE plpgsql AS $$
DECLARE
  bins record := bins_of(tokens, measure); n float8[] := bins.n; z int := 10;
  b float8[] := array_fill(0::float8, '{40}'); start int; slope float8; center float8; height float8; w float8; fitted int; taken int := 0; least_b float8 := 'Infinity';
  p float8 := 0; a float8 := 0; all_above float8 := 0; q float8; below float8;
BEGIN
  IF (SELECT sum(n[i]) FROM generate_series(11, 18) i) < 50 THEN z := 2; END IF;
  SELECT i INTO start FROM generate_series(z + 1, z + 8) i ORDER BY n[i] DESC, i LIMIT 1;
  IF (SELECT count(*) FROM generate_series(start, z + 8) i WHERE n[i] > 0) < 3 THEN start := z + 1; END IF;
  SELECT count(*), sum(n[i]), sum(n[i] * (i - 0.5) / 40), sum(n[i] * ln(n[i])) INTO fitted, w, center, height FROM generate_series(start, z + 8) i WHERE n[i] > 0;
  IF fitted >= 3 THEN
    center := center / w; height := height / w;
    SELECT least(sum(n[i] * ((i - 0.5) / 40 - center) * (ln(n[i]) - height)) / sum(n[i] * ((i - 0.5) / 40 - center) ^ 2), -5) INTO slope
    FROM generate_series(start, z + 8) i WHERE n[i] > 0;
    FOR i IN z + 1 .. start LOOP b[i] := n[i]; END LOOP;
    FOR i IN start + 1 .. 40 LOOP
      IF n[i] > 0 THEN least_b := least(least_b, n[i], exp(height + slope * ((i - 0.5) / 40 - center))); b[i] := least_b; END IF;
    END LOOP;
  ELSE
    FOR i IN z + 1 .. z + 8 LOOP
      IF n[i] > 0 AND taken < 2 THEN b[i] := n[i]; taken := taken + 1; END IF;
    END LOOP;
  END IF;
  FOR i IN 11 .. 40 LOOP all_above := all_above + n[i] - b[i]; END LOOP;
  quality := 0; threshold := 1; pairs := 0; above := 0;
  FOR i IN REVERSE 40 .. 11 LOOP
    p := p + n[i]; a := a + n[i] - b[i];
    q := 2 * a / greatest(p + all_above, 1);
    IF q > quality THEN quality := q; threshold := (i - 1)::float8 / 40; pairs := p; above := a; END IF;
  END LOOP;
  SELECT coalesce(sum(b[i]), 0) INTO below FROM generate_series(z + 1, 40) i WHERE (i - 1)::float8 / 40 < threshold;
  can_tell := pairs > 0 AND below >= 200 AND above >= 0.33 * pairs AND pairs <= 0.04 * bins.all_pairs;
END $$;

CREATE PROCEDURE check_seed(p_seed int, given text) LANGUAGE plpgsql AS $$
DECLARE
  v record; this record; best record; chosen record; q float8 := -1; tells bool := false; t text; m text; got int8; differences int8;
  call text := 'near_duplicates(''docs'', ''id'', ''body'', ';
BEGIN
  FOR v IN SELECT * FROM (VALUES ('word_set(body) | qgram_set(body, 4)', 'idf_cosine'), ('qgram_set(body, 3)', 'idf_cosine'), ('qgram_set(body, 3)', 'jaccard')) AS v (tokens, measure)
           WHERE given IS NULL UNION ALL SELECT given, 'jaccard' WHERE given IS NOT NULL LOOP
    CONTINUE WHEN tells AND q >= 0.99;
    this := best_of(v.tokens, v.measure);
    IF this.can_tell > tells OR (this.can_tell = tells AND this.quality > q) THEN best := this; q := this.quality; tells := this.can_tell; t := v.tokens; m := v.measure; END IF;
  END LOOP;
  SELECT * INTO chosen FROM choose_threshold('docs', 'body', given);
  differences := ((chosen.chosen_measure, chosen.threshold, chosen.pairs, chosen.above_chance, chosen.can_tell)
    IS DISTINCT FROM (m, best.threshold, round(best.pairs::numeric)::int8, round(best.above::numeric)::int8, best.can_tell))::int;
  BEGIN
    EXECUTE format('WITH got AS MATERIALIZED (SELECT * FROM %sNULL, tokens => %L)), want AS MATERIALIZED (SELECT * FROM %s%L, %L, measure => %L))
                    SELECT count(*) FILTER (WHERE n), count(*) FILTER (WHERE NOT n) FROM (SELECT false AS n FROM got UNION ALL (SELECT true FROM (TABLE got EXCEPT ALL TABLE want) x)
                    UNION ALL (SELECT true FROM (TABLE want EXCEPT ALL TABLE got) x)) d', call, given, call, best.threshold, t, m) INTO this;
    differences := differences + this.count + (NOT tells)::int;
    got := (SELECT x[2] FROM (SELECT string_to_array(trim(this::text, '()'), ',')::int8[] AS x) y);
  EXCEPTION WHEN data_exception THEN
    differences := differences + tells::int;
  END;
  INSERT INTO outcome VALUES (p_seed, t || ' ' || m, tells, differences, got);
END $$;
SQL

my $seeds = run_seeds($node, 120, 15, sub {
    my ($seed) = @_;

    return "CALL fill($seed); CALL check_seed($seed, " . ($seed % 4 ? 'NULL' : "'word_set(body)'") . ');';
});
is($node->safe_psql('postgres', 'SELECT count(*) FROM outcome'), $seeds, 'every seed was compared');
is($node->safe_psql('postgres', 'SELECT count(*) FROM outcome WHERE differences > 0'), 0, 'what is chosen = the procedure written out')
  or diag($node->safe_psql('postgres', 'SELECT * FROM outcome WHERE differences > 0 ORDER BY seed LIMIT 10'));
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM outcome WHERE can_tell'), '>', $seeds / 10, 'some could be told');
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM outcome WHERE NOT can_tell'), '>', $seeds / 10, 'some could not');

# A table of which only a part of the rows seeks: what is chosen does not depend on the order of the rows, and
# very similar pairs are counted, not estimated.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE ads AS SELECT i AS id, (SELECT string_agg('company' || i % 20 || 'word' || g, ' ') FROM generate_series(1, 60) g)
  || ' ' || (SELECT string_agg(substr(md5((i * 1000 + g)::text), 1, 5), ' ') FROM generate_series(1, 20) g) AS body FROM generate_series(1, 2000) i;
INSERT INTO ads SELECT 10000 + id, body || ' apply now' FROM ads WHERE id <= 100;
CREATE TABLE reversed AS SELECT * FROM ads ORDER BY id DESC;
SQL
my $of_ads = $node->safe_psql('postgres', q{SELECT chosen_measure, threshold, pairs, above_chance, can_tell, message FROM choose_threshold('ads', 'body')});
like($of_ads, qr/^idf_cosine\|0\.9\d*\|100\|100\|t\|/, 'the copies among 2,100 rows of twenty templates');
is($node->safe_psql('postgres', q{SELECT chosen_measure, threshold, pairs, above_chance, can_tell, message FROM choose_threshold('reversed', 'body')}), $of_ads, 'in any order of the rows');
# Where memory does not hold the sets, a part of them is counted.
$node->safe_psql('postgres', q{CREATE TABLE copied AS SELECT id, body FROM ads WHERE id <= 2000; INSERT INTO copied SELECT id + 10000, body || ' apply now' FROM copied});
my ($stdout, $stderr);
$node->psql('postgres', q{SET neardup.join_memory = '8MB'; SELECT chosen_measure, threshold, can_tell, pairs BETWEEN 1000 AND 4000 FROM choose_threshold('copied', 'body')}, stdout => \$stdout, stderr => \$stderr);
is($stdout, 'idf_cosine|0.975|t|t', 'the choice by a part of the sets is that by all');
unlike($stderr, qr/temporary files/, 'which no files hold');
is($node->safe_psql('postgres', q{SELECT count(*), count(*) FILTER (WHERE id = duplicate_of + 10000) FROM near_duplicates('ads', 'id', 'body', NULL)}), '100|100', 'they go, and nothing else');
$node->stop;
done_testing();
