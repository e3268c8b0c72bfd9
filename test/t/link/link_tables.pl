# link_tables = the procedure written out in SQL over the scalar similarities: random tables of names with
# typing errors, one text or two, NULLs and texts without a word, tables of no row, of one, and alike; with pairs that are no
# links, and with values that part rows.
# NEARDUP_SEEDS="17 23" runs only these seeds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use Test::More;

use NeardupTest;

my $node = new_node('link_tables');
$node->safe_psql('postgres', 'CREATE EXTENSION neardup');
$node->safe_psql('postgres', <<'SQL');
CREATE UNLOGGED TABLE side_a (key text, first text, other text, code text, year int);
CREATE UNLOGGED TABLE side_b (key text, first text, other text, code text, year int);
CREATE UNLOGGED TABLE excepted (a text, b text);
CREATE UNLOGGED TABLE outcome (seed int, what text, differences int8, returned int8, example text);

-- A text of the seed's words, each of which may have lost a letter.
CREATE FUNCTION random_name(seed int8, many int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(CASE WHEN hashint8extended(seed * 31 + i, 5) % 5 = 0 THEN substr(w, 2) ELSE w END, ' ' ORDER BY i)
  FROM generate_series(1, 1 + abs(hashint8extended(seed, 7) % 4)) i,
       LATERAL (SELECT md5((abs(hashint8extended(seed / 4 * 31 + i, 11)) % many)::text)) AS m (h),
       LATERAL (SELECT translate(substr(h, 1, 3 + many % 5), '0123456789', 'ghijklmnop')) AS v (w) $$;

CREATE PROCEDURE fill(p_seed int) LANGUAGE plpgsql AS $$
DECLARE
  many int := 5 + p_seed * 13 % 60;
  rows_a int := CASE WHEN p_seed % 11 = 0 THEN p_seed / 11 % 2 ELSE 5 + p_seed * 29 % 40 END;
  rows_b int := CASE WHEN p_seed % 13 = 0 THEN p_seed / 13 % 2 ELSE 5 + p_seed * 17 % 50 END;
BEGIN
  -- The share of true pairs is looked at in parts of a longer list.
  IF p_seed % 5 = 2 THEN
    rows_a := 130 + p_seed % 40; rows_b := 150 - p_seed % 30; many := 400;
  END IF;
  TRUNCATE side_a, side_b;
  INSERT INTO side_a (key, first, other) SELECT 'a' || i, random_name(p_seed * 1000 + i, many), random_name(p_seed * 777 + i, 30) FROM generate_series(1, rows_a) i;
  IF p_seed % 17 = 0 THEN
    INSERT INTO side_b SELECT * FROM side_a;
  ELSE
    INSERT INTO side_b (key, first, other) SELECT 'b' || i, random_name(p_seed * 1000 + i * 3 / 2 + 1, many), random_name(p_seed * 777 + i * 3 / 2 + 1, 30) FROM generate_series(1, rows_b) i;
  END IF;
  UPDATE side_a SET first = NULL WHERE hashtext(key || p_seed) % 19 = 0;
  UPDATE side_b SET other = NULL WHERE hashtext(key || p_seed) % 7 = 0;
  UPDATE side_b SET first = '--' WHERE hashtext(key || p_seed) % 23 = 0;
  INSERT INTO side_a VALUES (NULL, 'without key', 'without key', 'without key', 1);
END $$;

-- Two thirds of the rows have one of some codes, written in several ways, and a third one of two years.
CREATE FUNCTION code_of(key text, seed int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT (ARRAY[NULL, ' - ', 'C-', 'c ', 'C/', 'c.'])[1 + abs(hashtext(key || seed)) % 6] || nullif(abs(hashtext(seed || key)) % 5, 4) $$;
CREATE FUNCTION year_of(key text, seed int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT (ARRAY[2001, 2002])[abs(hashtext(key || 'y' || seed)) % 6] $$;
CREATE FUNCTION are_parted(x text, y text) RETURNS bool LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(nullif(normalize_text(x), '') <> nullif(normalize_text(y), ''), false) $$;

CREATE FUNCTION tokens_of(body text, alone boolean) RETURNS tokenset LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN alone THEN word_set(body) ELSE word_set(body) | qgram_set(body, 4) END $$;
CREATE FUNCTION text_of(x side_a, all_texts boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN all_texts THEN concat_ws(' ', x.first, x.other) ELSE x.first END $$;
CREATE FUNCTION text_of(x side_b, all_texts boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN all_texts THEN concat_ws(' ', x.first, x.other) ELSE x.first END $$;

-- Similarities of at least 0.15 of the rows of two sides, and the three nearest of each row, in both directions: of the
-- thirty that are most similar, those that are not parted.
CREATE UNLOGGED TABLE alike (a text, b text, s float8);
CREATE UNLOGGED TABLE nearest (side int, key text, other text, s float8, rank int);
CREATE UNLOGGED TABLE own (side int, key text, s float8);
CREATE UNLOGGED TABLE listed (a text, b text, s float8, g float8);
CREATE UNLOGGED TABLE words_listed (LIKE listed);

CREATE PROCEDURE find_similar(all_texts boolean, alone boolean) LANGUAGE sql AS $$
  TRUNCATE alike, nearest;
  INSERT INTO alike
  WITH a AS MATERIALIZED (SELECT key, tokens_of(text_of(x, all_texts), alone) AS tokens FROM side_a x WHERE key IS NOT NULL),
       b AS MATERIALIZED (SELECT key, tokens_of(text_of(x, all_texts), alone) AS tokens FROM side_b x WHERE key IS NOT NULL),
       w AS MATERIALIZED (SELECT token_weights(tokens) AS weights FROM (TABLE a UNION ALL TABLE b) u)
  SELECT * FROM (SELECT a.key, b.key, CASE WHEN alone THEN idf_jaccard(a.tokens, b.tokens, weights) ELSE idf_cosine(a.tokens, b.tokens, weights) END AS s
                 FROM a, b, w) p (a, b, s) WHERE s >= 0.15 AND (a, b) NOT IN (SELECT * FROM excepted WHERE a IS NOT NULL);
  INSERT INTO nearest
  WITH ranked (side, key, other, s, rank) AS (
    SELECT 0, a, b, s, row_number() OVER (PARTITION BY a ORDER BY s DESC, b) FROM alike
    UNION ALL SELECT 1, b, a, s, row_number() OVER (PARTITION BY b ORDER BY s DESC, a) FROM alike)
  SELECT * FROM (SELECT r.side, r.key, r.other, s, row_number() OVER (PARTITION BY side, r.key ORDER BY rank) AS rank
                 FROM ranked r JOIN side_a x ON x.key = CASE side WHEN 0 THEN r.key ELSE r.other END JOIN side_b y ON y.key = CASE side WHEN 0 THEN r.other ELSE r.key END
                 WHERE rank <= 30 AND NOT are_parted(x.code, y.code) AND NOT are_parted(x.year::text, y.year::text)) n
  WHERE rank <= 3;
$$;

CREATE PROCEDURE find_own(all_texts boolean, one_to_one boolean) LANGUAGE sql AS $$
  TRUNCATE own;
  INSERT INTO own
  WITH a AS MATERIALIZED (SELECT 0 AS side, key, tokens_of(text_of(x, all_texts), false) AS tokens FROM side_a x WHERE key IS NOT NULL),
       b AS MATERIALIZED (SELECT 1 AS side, key, tokens_of(text_of(x, all_texts), false) AS tokens FROM side_b x WHERE key IS NOT NULL),
       w AS MATERIALIZED (SELECT 0 AS side, token_weights(tokens) AS weights FROM a UNION ALL SELECT 1, token_weights(tokens) FROM b),
       r AS MATERIALIZED (TABLE a UNION ALL TABLE b)
  SELECT x.side, x.key, coalesce(max(s) FILTER (WHERE s >= 0.15), 0)
  FROM r x JOIN w USING (side) LEFT JOIN r y ON x.side = y.side AND x.key <> y.key, LATERAL (SELECT idf_cosine(x.tokens, y.tokens, weights) AS s) v
  WHERE x.side = 0 OR one_to_one
  GROUP BY x.side, x.key;
$$;

-- One to one, the most similar first; or the nearest a of each b.
CREATE PROCEDURE make_list(one_to_one boolean) LANGUAGE plpgsql AS $$
DECLARE
  c record; taken text[] := '{}';
BEGIN
  TRUNCATE listed;
  IF NOT one_to_one THEN
    INSERT INTO listed SELECT n.other, n.key, n.s, n.s + (n.s - coalesce((SELECT max(m.s) FROM nearest m WHERE m.side = 1 AND m.key = n.key AND m.other <> n.other), 0)) / 2
    FROM nearest n WHERE side = 1 AND rank = 1;
    RETURN;
  END IF;
  FOR c IN SELECT DISTINCT a, b, s.s FROM alike s JOIN nearest n ON (side = 0 AND key = a AND other = b) OR (side = 1 AND key = b AND other = a)
           ORDER BY s.s DESC, a, b LOOP
    CONTINUE WHEN 'a' || c.a = ANY (taken) OR 'b' || c.b = ANY (taken);
    taken := taken || ('a' || c.a) || ('b' || c.b);
    INSERT INTO listed SELECT c.a, c.b, c.s, c.s + (c.s - coalesce((
        SELECT max(s) FROM nearest WHERE (side = 0 AND key = c.a AND other <> c.b) OR (side = 1 AND key = c.b AND other <> c.a)), 0)) / 2;
  END LOOP;
END $$;

CREATE FUNCTION without_second(c float8, p float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  f float8 := greatest(c, 1e-6);
BEGIN
  FOR i IN 1 .. 40 LOOP
    f := greatest(c, 1e-6) / (1 - p * ln(f));
  END LOOP;
  RETURN least(f, 1);
END $$;

-- The share of true pairs does not rise down the list, which has at most ten parts of at least thirty pairs.
CREATE FUNCTION without_rise(k float8[], t float8[]) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  n float8 := k[cardinality(k)]; parts int := greatest(least(10, floor(n / 30)), 1); got float8[] := '{}'; place int; before int := 0; share float8; factor float8; most float8 := 1; base float8 := 0;
BEGIN
  FOR part IN 1 .. parts LOOP
    place := (SELECT min(i) FROM generate_subscripts(k, 1) i WHERE k[i] * parts >= n * part);
    CONTINUE WHEN place = before;
    share := (t[place] - coalesce(t[before], 0)) / (k[place] - coalesce(k[before], 0));
    factor := CASE WHEN share > 0 THEN least(1, most / share) ELSE 1 END;
    got := got || ARRAY(SELECT base + (t[i] - coalesce(t[before], 0)) * factor FROM generate_series(before + 1, place) i ORDER BY i);
    most := least(most, share + 0.75 * sqrt(greatest((1 - share) * (k[place] - coalesce(k[before], 0)), 0) + 1) / (k[place] - coalesce(k[before], 0)));
    base := got[place]; before := place;
  END LOOP;
  RETURN got;
END $$;

-- With what a row would be listed without its partner: the next row, the next that is free, the same whose rival is free too.
CREATE FUNCTION cut_of(one_to_one boolean) RETURNS TABLE (partnerless float8, kept int8, cut float8, quality float8, true_pairs float8, spread float8) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  null_side int := CASE WHEN one_to_one AND (SELECT count(key) FROM side_a) < (SELECT count(key) FROM side_b) THEN 0 ELSE 1 END;
BEGIN
  RETURN QUERY
  WITH r AS MATERIALIZED (
    SELECT k.key, coalesce(max(s) FILTER (WHERE rank = 1), 0) AS s1, coalesce(max(s) FILTER (WHERE rank = 2), 0) AS s2, coalesce(max(s) FILTER (WHERE rank = 3), 0) AS s3,
           coalesce(bool_or(is_free) FILTER (WHERE rank = 2), false) AS free2, coalesce(bool_or(is_free) FILTER (WHERE rank = 3), false) AS free3
    FROM (SELECT 0 AS side, key FROM side_a UNION ALL SELECT 1, key FROM side_b) k LEFT JOIN nearest n ON n.side = k.side AND n.key = k.key,
         LATERAL (SELECT NOT EXISTS (SELECT 1 FROM listed l WHERE CASE null_side WHEN 0 THEN l.b ELSE l.a END = n.other AND l.s > n.s) AS is_free) x
    WHERE k.key IS NOT NULL AND k.side = null_side GROUP BY k.key),
  m AS MATERIALIZED (SELECT count(*) AS n, percentile_cont(0.5) WITHIN GROUP (ORDER BY s2) AS median FROM r),
  p AS MATERIALIZED (SELECT n, least(1, count(*) FILTER (WHERE s1 <= median)::float8 / greatest(count(*) FILTER (WHERE s2 <= median), 1)) AS p FROM m LEFT JOIN r ON true GROUP BY n),
  h AS MATERIALIZED (
    SELECT 1 AS way, s2 + (s2 - s3) / 2 AS h FROM r
    UNION ALL SELECT 2, CASE WHEN free2 THEN s2 + (s2 - s3) / 2 WHEN free3 THEN s3 + (s3 - s2) / 2 ELSE 0 END FROM r WHERE one_to_one
    UNION ALL SELECT 3, CASE WHEN free2 AND free3 THEN s2 + (s2 - s3) / 2 WHEN free2 THEN 1.5 * s2 WHEN free3 THEN 1.5 * s3 ELSE 0 END FROM r WHERE one_to_one),
  w AS MATERIALIZED (SELECT generate_series(1, CASE WHEN one_to_one THEN 3 ELSE 1 END) AS way),
  k AS MATERIALIZED (SELECT g, row_number() OVER (ORDER BY g DESC) AS place, (SELECT count(*) FROM listed x WHERE x.g >= y.g)::float8 AS k FROM (SELECT DISTINCT listed.g FROM listed) y),
  f AS MATERIALIZED (SELECT way, place, k, max(least(k, p * n * (1 - without_second((SELECT count(*) FROM h WHERE h.way = w.way AND h < g)::float8 / n, p)))) OVER (PARTITION BY way ORDER BY place) AS false_pairs
                     FROM k, p, w),
  t AS MATERIALIZED (SELECT way, place, k, max(k - false_pairs) OVER (PARTITION BY way ORDER BY place) AS t FROM f),
  u AS MATERIALIZED (SELECT way, array_agg(k ORDER BY place) AS k, array_agg(t ORDER BY place) AS t FROM t GROUP BY way),
  v AS MATERIALIZED (SELECT way, k, CASE WHEN way = 1 THEN t ELSE without_rise(k, t) END AS t FROM u),
  q AS MATERIALIZED (SELECT way, place, k[place], t[place], CASE WHEN t[place] > 0 THEN 2 * t[place] / (k[place] + t[cardinality(t)]) ELSE 0 END AS quality FROM v, generate_subscripts(v.k, 1) place),
  b AS MATERIALIZED (SELECT DISTINCT ON (way) way, place, k FROM q ORDER BY way, quality DESC, place),
  c AS (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY place) AS place, max(k) / min(k) AS spread FROM b),
  d AS (SELECT c.place, c.spread, percentile_disc(0.5) WITHIN GROUP (ORDER BY q.quality) AS quality, percentile_disc(0.5) WITHIN GROUP (ORDER BY t) AS t FROM c JOIN q USING (place) GROUP BY c.place, c.spread)
  SELECT p.p, coalesce(k.k, 0)::int8, k.g, coalesce(d.quality, 0), d.t, d.spread FROM p LEFT JOIN (d JOIN k USING (place)) ON d.quality > 0;
END $$;

CREATE FUNCTION precision_low_of(one_to_one boolean, kept int8, lowest float8) RETURNS float8 LANGUAGE sql AS $$
  WITH n AS (SELECT CASE WHEN one_to_one AND (SELECT count(key) FROM side_a) < (SELECT count(key) FROM side_b) THEN 0 ELSE 1 END AS side),
  r AS (SELECT coalesce(s, 0) AS s1 FROM n CROSS JOIN LATERAL (SELECT key FROM side_a WHERE side = 0 UNION ALL SELECT key FROM side_b WHERE side = 1) k
        LEFT JOIN nearest ON nearest.key = k.key AND nearest.side = n.side AND nearest.rank = 1 WHERE k.key IS NOT NULL),
  m AS (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s) AS median FROM own)
  SELECT greatest(0, 1 - least(1, (SELECT avg((s1 <= median)::int) FROM r) / (SELECT avg((s <= median)::int) FROM own))
                       * (SELECT count(*) FROM r) * (SELECT avg((s >= lowest)::int) FROM own) / kept) FROM m $$;

CREATE PROCEDURE compare(p_seed int, p_what text, call text, oracle text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($q$
    INSERT INTO outcome
    WITH got AS MATERIALIZED (%s), want AS MATERIALIZED (%s),
    difference AS (SELECT 'missing', l::text FROM (TABLE want EXCEPT ALL TABLE got) l UNION ALL SELECT 'surplus', s::text FROM (TABLE got EXCEPT ALL TABLE want) s)
    SELECT %L, %L, count(*), (SELECT count(*) FROM got), (SELECT string_agg(d::text, ' ') FROM (TABLE difference LIMIT 4) d) FROM difference $q$, call, oracle, p_seed, p_what);
END $$;

CREATE PROCEDURE check_seed(p_seed int, one_to_one boolean, two_texts boolean, part_excepted int, parts boolean) LANGUAGE plpgsql AS $$
DECLARE
  choice boolean := false; best record; other record; columns text := CASE WHEN two_texts THEN 'key, first, other' ELSE 'key, first' END;
  what text := CASE WHEN one_to_one THEN 'one to one, ' ELSE 'many to one, ' END || columns || CASE WHEN part_excepted > 0 THEN ', without some' ELSE '' END || CASE WHEN parts THEN ', parted' ELSE '' END; low float8; agreement float8;
  of_a text := CASE WHEN parts THEN replace(columns, 'key', 'key, code') || ', year' ELSE columns END;
  of_b text := CASE WHEN parts THEN columns || ', year, code' ELSE columns END;
  call text := format('(%L, %L, %L%s%s)', 'SELECT ' || of_a || ' FROM side_a ORDER BY hashtext(key)', 'SELECT ' || of_b || ' FROM side_b', one_to_one,
                      CASE WHEN part_excepted > 0 THEN ', except_pairs => ''TABLE excepted''' END, CASE WHEN parts THEN ', differ => ''{year,code}''' END);
BEGIN
  UPDATE side_a SET code = code_of(key, p_seed), year = year_of(key, p_seed) WHERE parts;
  UPDATE side_b SET code = code_of(key, p_seed), year = year_of(key, p_seed) WHERE parts;
  TRUNCATE excepted;
  INSERT INTO excepted SELECT x.key, y.key FROM side_a x, side_b y WHERE part_excepted > 0 AND hashtext(x.key || y.key) % part_excepted = 0;
  INSERT INTO excepted SELECT b, a FROM excepted UNION ALL SELECT a, b FROM excepted WHERE hashtext(a) % 2 = 0 UNION ALL VALUES (NULL, 'b1'), ('a1', 'none');
  CALL find_similar(false, false); CALL make_list(one_to_one);
  SELECT * INTO best FROM cut_of(one_to_one);
  IF two_texts THEN
    CALL find_similar(true, false); CALL make_list(one_to_one);
    SELECT * INTO other FROM cut_of(one_to_one);
    IF other.quality > best.quality THEN best := other; choice := true; END IF;
  END IF;
  CALL find_similar(choice, true); CALL make_list(one_to_one);
  TRUNCATE words_listed;
  INSERT INTO words_listed TABLE listed;
  CALL find_similar(choice, false); CALL make_list(one_to_one);
  CALL find_own(choice, one_to_one);
  low := precision_low_of(one_to_one, best.kept, (SELECT min(s) FROM listed WHERE g >= best.cut));
  SELECT avg((w.a IS NOT NULL)::int) INTO agreement FROM listed l LEFT JOIN words_listed w ON w.a = l.a AND w.b = l.b WHERE l.g >= best.cut;
  CALL compare(p_seed, what, 'SELECT a, b, s::numeric(20,12), g::numeric(20,12) FROM link_tables_keyed' || overlay(call PLACING '(NULL::text, ' FROM 1 FOR 1) || ' AS l (a, b, s, g)',
               format('SELECT a, b, s::numeric(20,12), g::numeric(20,12) FROM listed WHERE g >= %L', best.cut));
  CALL compare(p_seed, what || ', figures',
    'SELECT texts, pairs, cut::numeric(20,9), without_partner::numeric(20,9), agreement::numeric(20,9), precision_estimate::numeric(20,9) FROM link_tables_report' || call,
    format('SELECT %L, %L::int8, %L::numeric(20,9), %L::numeric(20,9), %L::numeric(20,9), %L::numeric(20,9)',
           CASE WHEN choice THEN 'all texts' ELSE 'first text' END, best.kept, best.cut, best.partnerless, CASE WHEN best.kept > 0 THEN agreement END,
           CASE WHEN best.kept > 0 AND low >= 0.5 AND best.spread <= 1.3 THEN best.true_pairs / best.kept * agreement END));
END $$;
SQL

my $seeds = run_seeds($node, 100, 10, sub {
    my ($seed) = @_;
    my $one_to_one = $seed % 3 ? 'true' : 'false';
    my $two = $seed % 2 ? 'true' : 'false';

    return join '', map { "CALL fill($seed); CALL check_seed($seed, $one_to_one, $two, $_);" } '0, false', 2 + $seed % 3 . ', false', $seed % 2 * 3 . ', true';
});
my ($compared, $wrong, $pairs) = split /\|/, $node->safe_psql('postgres',
    "SELECT count(*), count(*) FILTER (WHERE differences > 0), coalesce(sum(returned) FILTER (WHERE what !~ 'figures'), 0) FROM outcome");
is($compared, 6 * $seeds, 'every seed was compared, with pairs that are no links, with values that part rows, and without');
is($wrong, 0, 'link_tables = the procedure written out: pairs, scores, figures')
  or diag($node->safe_psql('postgres', 'SELECT * FROM outcome WHERE differences > 0 ORDER BY seed LIMIT 10'));
cmp_ok($pairs, '>', 3 * $seeds, 'there are pairs to be compared');
is($node->safe_psql('postgres', "SELECT count(DISTINCT left(what, 1) || (what ~ 'other')) FROM outcome WHERE returned > 0"), '4', 'in each form');

# The order of rows makes no difference, nor do memory and workers.
$node->safe_psql('postgres', "CREATE TABLE many AS SELECT i AS id, random_name(i * 2, 400) AS t FROM generate_series(1, 3000) i");
my $QUERY = "link_tables('SELECT id, t FROM many WHERE id % 4 < 3 ORDER BY %s', 'SELECT id, t FROM many WHERE id % 4 > 0 ORDER BY %s')";
my $digest = sub {
    my ($order, $settings) = @_;
    my $call = $QUERY =~ s/%s/$order/gr;

    return $node->safe_psql('postgres', "SET client_min_messages = warning; $settings SELECT count(*), md5(string_agg(l::text, ',')) FROM $call l");
};
my $expected = $digest->('id', '');
cmp_ok((split /\|/, $expected)[0], '>', 300, 'larger tables have links');
is($digest->('t, id DESC', ''), $expected, 'rows in another order: the same links in the same order');
is($digest->('id', "SET neardup.join_memory = '64kB';"), $expected, 'little memory: the same links');

# Families of nearly equal rows: many have three near neighbours at once, and the sides take turns. Each
# pair is one of the three nearest of a row, and no two rows are more similar to each other than to their partners.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE families AS SELECT i AS id, md5((i / 8)::text) || ' ' || random_name(i, 90) AS t FROM generate_series(1, 7000) i;
CREATE FUNCTION sets_of(which int) RETURNS text LANGUAGE sql RETURN format('SELECT id, word_set(t) | qgram_set(t, 4) FROM families WHERE id %% 2 = %s', which);
SQL
is($node->safe_psql('postgres', <<'SQL'), 't|0|0', 'in families, the links are the most similar pairs of the nearest rows');
SET client_min_messages = warning;
WITH found AS MATERIALIZED (SELECT * FROM link_tables('SELECT id, t FROM families WHERE id % 2 = 0', 'SELECT id, t FROM families WHERE id % 2 = 1')),
     near AS MATERIALIZED (SELECT a, b, similarity FROM knn_join(sets_of(0), 3, 0.15, 'idf_cosine', sets_of(1))
                           UNION SELECT b, a, similarity FROM knn_join(sets_of(1), 3, 0.15, 'idf_cosine', sets_of(0)))
SELECT (SELECT count(*) > 100 FROM found),
       (SELECT count(*) FROM found LEFT JOIN near USING (a, b) WHERE near.similarity IS DISTINCT FROM found.similarity),
       (SELECT count(*) FROM near AS n JOIN found AS x ON x.a = n.a JOIN found AS y ON y.b = n.b WHERE n.similarity > x.similarity AND n.similarity > y.similarity)
SQL

# Texts that go to a file are read again for each join.
my $FAMILIES = "link_tables('SELECT id, t FROM families WHERE id % 2 = 0', 'SELECT id, repeat(t || '' '', 2) FROM families WHERE id % 2 = 1')";
my @of_memory = map {
    $node->safe_psql('postgres', "SET client_min_messages = warning; SET neardup.join_memory = '$_'; SELECT count(*), md5(string_agg(l::text, ',')) FROM $FAMILIES AS l")
} '64MB', '2MB';
is($of_memory[1], $of_memory[0], 'texts in a file: the same links');
$node->stop;
done_testing();
