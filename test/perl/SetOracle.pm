# SetOracle: what a set-similarity join must return, in plain SQL.
#
# The oracle uses no function of the extension: the distinct tokens of every
# record are unnested, joined on the token and counted; the overlaps of all
# pairs of rows stand in the table "pair". Thresholds are fractions n/d and
# the predicates are integer comparisons, so there is no rounding to doubt.
#
#   rec(row, side, key, tokens, words)   the records under test
#   pair(x, y, xside, yside, xkey, ykey, a, b, o)
#       all ordered pairs of different rows with a key and a set, the empty
#       ones included: sizes a and b, overlap o
#   expected(join_kind, a, b, similarity, exact)
#       the rows that a join must return; exact: just on the threshold
#   outcome(...)   one row for each join that was compared
package SetOracle;

use strict;
use warnings;

use SeededRandom;

our @MEASURES = qw(jaccard cosine dice overlap hamming containment);
our @ALGORITHMS = ('allpairs', 'ppjoin', 'ppjoin+', 'auto');

# The tables and functions of the oracle; they are created once in a database.
sub schema
{
    return <<'SQL';
CREATE UNLOGGED TABLE input (seed int, row int, side int, key int8, tokens int8[]);
CREATE UNLOGGED TABLE plan (seed int, measure text, n int, d int);
CREATE UNLOGGED TABLE rec (row int, side int, key int8, tokens int8[], words text[]);
CREATE UNLOGGED TABLE atom (row int, token int8);
CREATE UNLOGGED TABLE common (x int, y int, o int8);
CREATE UNLOGGED TABLE sized (row int, side int, key int8, size int8);
CREATE UNLOGGED TABLE pair (x int, y int, xside int, yside int, xkey int8, ykey int8,
                            a int8, b int8, o int8);
CREATE UNLOGGED TABLE expected (join_kind text, a int8, b int8, similarity float8, exact bool);
CREATE UNLOGGED TABLE outcome (origin text, measure text, n int, d int, join_kind text,
                               algorithm text, sets text, differences int8, example text);
CREATE UNLOGGED TABLE tally (origin text, measure text, n int, d int, join_kind text,
                             pairs int8, exact int8);

-- Jaccard o/(a+b-o) >= n/d is d*o >= n*(a+b-o), and so on. A set that is
-- empty matches nothing under any measure.
CREATE FUNCTION holds(measure text, n int8, d int8, a int8, b int8, o int8)
RETURNS bool LANGUAGE sql IMMUTABLE AS $$
  SELECT a > 0 AND b > 0 AND CASE measure
    WHEN 'jaccard'     THEN d * o >= n * (a + b - o)
    WHEN 'cosine'      THEN d * d * o * o >= n * n * a * b
    WHEN 'dice'        THEN d * 2 * o >= n * (a + b)
    WHEN 'containment' THEN d * o >= n * a
    WHEN 'overlap'     THEN o >= n
    WHEN 'hamming'     THEN a + b - 2 * o <= n END $$;

CREATE FUNCTION holds_exactly(measure text, n int8, d int8, a int8, b int8, o int8)
RETURNS bool LANGUAGE sql IMMUTABLE AS $$
  SELECT a > 0 AND b > 0 AND CASE measure
    WHEN 'jaccard'     THEN d * o = n * (a + b - o)
    WHEN 'cosine'      THEN d * d * o * o = n * n * a * b
    WHEN 'dice'        THEN d * 2 * o = n * (a + b)
    WHEN 'containment' THEN d * o = n * a
    WHEN 'overlap'     THEN o = n
    WHEN 'hamming'     THEN a + b - 2 * o = n END $$;

-- The value of the measure; an empty set is similar to nothing.
CREATE FUNCTION value_of(measure text, a int8, b int8, o int8)
RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN measure = 'hamming' THEN (a + b - 2 * o)::float8
    WHEN a = 0 OR b = 0      THEN 0::float8
    WHEN measure = 'jaccard' THEN o::float8 / (a + b - o)::float8
    WHEN measure = 'cosine'  THEN o::float8 / sqrt((a * b)::float8)
    WHEN measure = 'dice'    THEN (2 * o)::float8 / (a + b)::float8
    WHEN measure = 'containment' THEN o::float8 / a::float8
    WHEN measure = 'overlap' THEN o::float8 END $$;

CREATE FUNCTION threshold(n int, d int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
  $$ SELECT n::float8 / d::float8 $$;

-- Overlaps of all pairs of rec. With few, pairs that can be in no result are
-- left out, or the real samples would give millions with one common word.
CREATE PROCEDURE count_overlaps(few bool) LANGUAGE plpgsql AS $$
DECLARE
  least_overlap int8 := (SELECT min(n) FROM plan WHERE measure = 'overlap');
  most_hamming int8 := (SELECT max(n) FROM plan WHERE measure = 'hamming');
BEGIN
  TRUNCATE atom, common, sized, pair;
  INSERT INTO atom SELECT DISTINCT row, token FROM rec, unnest(tokens) token WHERE key IS NOT NULL;
  ANALYZE rec; ANALYZE atom;
  INSERT INTO common
  SELECT p.row, q.row, count(*) FROM atom p JOIN atom q ON p.token = q.token AND p.row <> q.row
  GROUP BY 1, 2;
  INSERT INTO sized
  SELECT r.row, r.side, r.key, count(t.token) FROM rec r LEFT JOIN atom t ON t.row = r.row
  WHERE r.key IS NOT NULL AND r.tokens IS NOT NULL GROUP BY 1, 2, 3;
  ANALYZE common; ANALYZE sized;
  IF NOT few THEN
    INSERT INTO pair
    SELECT x.row, y.row, x.side, y.side, x.key, y.key, x.size, y.size, coalesce(c.o, 0)
    FROM sized x JOIN sized y ON x.row <> y.row LEFT JOIN common c ON c.x = x.row AND c.y = y.row;
  ELSE
    INSERT INTO pair
    SELECT x.row, y.row, x.side, y.side, x.key, y.key, x.size, y.size, c.o
    FROM common c JOIN sized x ON x.row = c.x JOIN sized y ON y.row = c.y
    WHERE holds('containment', 1, 2, x.size, y.size, c.o)
       OR holds('containment', 1, 2, y.size, x.size, c.o)
       OR holds('overlap', least_overlap, 1, x.size, y.size, c.o)
       OR holds('hamming', most_hamming, 1, x.size, y.size, c.o);
    INSERT INTO pair
    SELECT x.row, y.row, x.side, y.side, x.key, y.key, x.size, y.size, 0
    FROM sized x JOIN sized y ON x.row <> y.row
    WHERE x.size + y.size <= most_hamming
      AND NOT EXISTS (SELECT FROM common c WHERE c.x = x.row AND c.y = y.row);
  END IF;
END $$;

-- self: x.key < y.key, containment x.key <> y.key. rs and sr: one side each.
CREATE PROCEDURE expect(p_origin text, m text, p_n int, p_d int) LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE expected;
  INSERT INTO expected
  SELECT k.kind, xkey, ykey, value_of(m, a, b, o), holds_exactly(m, p_n, p_d, a, b, o)
  FROM pair, (VALUES ('self'), ('rs'), ('sr')) k(kind)
  WHERE holds(m, p_n, p_d, a, b, o)
    AND CASE k.kind
          WHEN 'self' THEN xkey < ykey OR (m = 'containment' AND xkey <> ykey)
          WHEN 'rs'   THEN xside = 0 AND yside = 1
          WHEN 'sr'   THEN xside = 1 AND yside = 0 END;
  INSERT INTO tally SELECT p_origin, m, p_n, p_d, k.kind, count(e), count(e) FILTER (WHERE e.exact)
  FROM (VALUES ('self'), ('rs'), ('sr')) k(kind) LEFT JOIN expected e ON e.join_kind = k.kind
  GROUP BY k.kind;
END $$;

-- Runs one join over rec and notes the number of rows that it returned too
-- much or too little, repeated rows counted, values compared to the bit.
CREATE PROCEDURE compare(p_origin text, m text, p_n int, p_d int, kind text, algo text,
                         set_expression text) LANGUAGE plpgsql AS $$
DECLARE
  wrong int8; sample text;
  query text := format('SELECT key, %s FROM rec', set_expression);
  query_r text := query || ' WHERE side = 0';
  query_s text := query || ' WHERE side = 1';
BEGIN
  WITH got AS MATERIALIZED (
    SELECT a, b, float8send(similarity) AS s
    FROM ppjoin(query, threshold(p_n, p_d), m, algo) WHERE kind = 'self'
    UNION ALL
    SELECT a, b, float8send(similarity)
    FROM ppjoin(query_r, threshold(p_n, p_d), m, algo, against => query_s) WHERE kind = 'rs'
    UNION ALL
    SELECT a, b, float8send(similarity)
    FROM ppjoin(query_s, threshold(p_n, p_d), m, algo, against => query_r) WHERE kind = 'sr'),
  want AS MATERIALIZED (
    SELECT a, b, float8send(similarity) AS s FROM expected WHERE join_kind = kind),
  difference AS (
    SELECT 'missing' AS what, * FROM (TABLE want EXCEPT ALL TABLE got) l
    UNION ALL
    SELECT 'surplus', * FROM (TABLE got EXCEPT ALL TABLE want) s)
  SELECT count(*), (SELECT string_agg(f::text, ' ')
                    FROM (SELECT * FROM difference ORDER BY 1, 2, 3 LIMIT 4) f)
  INTO wrong, sample FROM difference;
  INSERT INTO outcome VALUES (p_origin, m, p_n, p_d, kind, algo, set_expression, wrong, sample);
EXCEPTION WHEN OTHERS THEN
  INSERT INTO outcome VALUES (p_origin, m, p_n, p_d, kind, algo, set_expression, -1, SQLERRM);
END $$;

-- The same for ppjoin_keyed, with keys of another type made from the numbers.
CREATE PROCEDURE compare_keyed(p_origin text, m text, p_n int, p_d int, kind text, algo text,
                               key_type text, key_expression text) LANGUAGE plpgsql AS $$
DECLARE
  wrong int8; sample text; against text;
  query text := format('SELECT %s, tokens FROM rec', key_expression);
BEGIN
  IF kind <> 'self' THEN
    against := query || ' WHERE side = 1';
    query := query || ' WHERE side = 0';
  END IF;
  EXECUTE format($q$
    WITH got AS MATERIALIZED (
      SELECT a::text, b::text, float8send(similarity) AS s
      FROM ppjoin_keyed(NULL::%1$s, %2$L, %3$L::float8, %4$L, %5$L, against => %10$L)),
    keyed AS (
      SELECT p.*, k.key AS ka, l.key AS kb
      FROM pair p JOIN (SELECT row, %6$s AS key FROM rec) k ON k.row = p.x
                  JOIN (SELECT row, %6$s AS key FROM rec) l ON l.row = p.y),
    want AS MATERIALIZED (
      SELECT ka::text, kb::text, float8send(value_of(%4$L, a, b, o)) AS s FROM keyed
      WHERE holds(%4$L, %7$s, %8$s, a, b, o)
        AND CASE WHEN %9$L = 'rs' THEN xside = 0 AND yside = 1
                 ELSE ka < kb OR (%4$L = 'containment' AND ka <> kb) END),
    difference AS (
      SELECT 'missing' AS what, * FROM (TABLE want EXCEPT ALL TABLE got) l
      UNION ALL
      SELECT 'surplus', * FROM (TABLE got EXCEPT ALL TABLE want) s)
    SELECT count(*), (SELECT string_agg(f::text, ' ')
                      FROM (SELECT * FROM difference ORDER BY 1, 2, 3 LIMIT 4) f)
    FROM difference $q$,
    key_type, query, threshold(p_n, p_d), m, algo, key_expression, p_n, p_d, kind, against)
  INTO wrong, sample;
  INSERT INTO outcome VALUES (p_origin, m, p_n, p_d, kind, algo, 'key ' || key_type, wrong, sample);
EXCEPTION WHEN OTHERS THEN
  INSERT INTO outcome VALUES (p_origin, m, p_n, p_d, kind, algo, 'key ' || key_type, -1, SQLERRM);
END $$;

-- The scalar predicate and value of every pair, empty sets included.
CREATE PROCEDURE compare_scalars(p_origin text, m text, p_n int, p_d int) LANGUAGE plpgsql AS $$
DECLARE
  wrong int8; sample text; predicate text; value text;
BEGIN
  predicate := m || CASE m WHEN 'hamming' THEN '_le' ELSE '_ge' END;
  value := m;
  EXECUTE format($q$
    WITH set AS MATERIALIZED (
      SELECT row, tokens::tokenset AS t FROM rec WHERE tokens IS NOT NULL),
    difference AS (
      SELECT p.* FROM pair p JOIN set x ON x.row = p.x JOIN set y ON y.row = p.y
      WHERE %1$I(x.t, y.t, %2$s) IS DISTINCT FROM holds(%3$L, %4$s, %5$s, a, b, o)
         OR float8send(%6$I(x.t, y.t)::float8) IS DISTINCT FROM float8send(value_of(%3$L, a, b, o)))
    SELECT count(*), (SELECT string_agg(f::text, ' ') FROM (SELECT * FROM difference LIMIT 3) f)
    FROM difference $q$,
    predicate, CASE WHEN m IN ('overlap', 'hamming') THEN p_n::text
                    ELSE format('%L::float8', threshold(p_n, p_d)) END,
    m, p_n, p_d, value)
  INTO wrong, sample;
  INSERT INTO outcome VALUES (p_origin, m, p_n, p_d, 'scalar', '-', '-', wrong, sample);
EXCEPTION WHEN OTHERS THEN
  INSERT INTO outcome VALUES (p_origin, m, p_n, p_d, 'scalar', '-', '-', -1, SQLERRM);
END $$;

-- Everything about one seed.
CREATE PROCEDURE check_seed(p_seed int) LANGUAGE plpgsql AS $$
DECLARE
  p record; k record; algo text; kind text; expression text;
  fits_int4 bool;
BEGIN
  TRUNCATE rec;
  INSERT INTO rec SELECT row, side, key, tokens FROM input WHERE seed = p_seed;
  CALL count_overlaps(false);
  SELECT bool_and(t BETWEEN -2147483648 AND 2147483647) INTO fits_int4
  FROM rec, unnest(tokens) t;
  FOR p IN SELECT * FROM plan WHERE seed = p_seed LOOP
    CALL expect(p_seed::text, p.measure, p.n, p.d);
    CALL compare_scalars(p_seed::text, p.measure, p.n, p.d);
    FOREACH kind IN ARRAY '{self,rs,sr}'::text[] LOOP
      FOREACH algo IN ARRAY '{allpairs,ppjoin,ppjoin+,auto}'::text[] LOOP
        CALL compare(p_seed::text, p.measure, p.n, p.d, kind, algo, 'tokens');
      END LOOP;
    END LOOP;
    IF p_seed % 4 = 0 THEN
      FOREACH expression IN ARRAY '{tokens::tokenset,tokens::text[],tokens::int4[]}'::text[] LOOP
        CONTINUE WHEN expression = 'tokens::int4[]' AND NOT fits_int4;
        CALL compare(p_seed::text, p.measure, p.n, p.d, 'self', 'auto', expression);
        CALL compare(p_seed::text, p.measure, p.n, p.d, 'rs', 'ppjoin+', expression);
      END LOOP;
    ELSIF p_seed % 4 = 1 THEN
      FOR k IN SELECT * FROM (VALUES
          ('text', 'key::text'), ('uuid', 'md5(key::text)::uuid'), ('numeric', 'key::numeric / 3')
        ) v(type, expression) LOOP
        CALL compare_keyed(p_seed::text, p.measure, p.n, p.d, 'self', 'auto', k.type, k.expression);
        CALL compare_keyed(p_seed::text, p.measure, p.n, p.d, 'rs', 'ppjoin', k.type, k.expression);
      END LOOP;
    END IF;
  END LOOP;
END $$;
SQL
}

# ---------------------------------------------------------------------------
# Random inputs
# ---------------------------------------------------------------------------

my @FRACTIONS =
  ([ 1, 2 ], [ 2, 3 ], [ 3, 4 ], [ 4, 5 ], [ 7, 10 ], [ 9, 10 ], [ 1, 1 ]);

sub gcd
{
    my ($x, $y) = @_;
    ($x, $y) = ($y, $x % $y) while $y;
    return $x;
}

# Shapes (a, b, o) of pairs that lie exactly on the threshold, for the
# smallest factor: what all of them are multiples of.
sub shapes_on_threshold
{
    my ($measure, $n, $d) = @_;
    return ([ $n, $d, $n ]) if $measure eq 'jaccard';
    return ([ $d, $d, $n ], [ $n * $n, $d * $d, $n * $n ])
      if $measure eq 'cosine';
    return ([ $d, $n, $n ]) if $measure eq 'containment';
    if ($measure eq 'dice')
    {
        my $g = gcd($n, 2 * $d);
        my $o = $n / $g;
        return ([ $o, 2 * $d / $g - $o, $o ]);
    }
    return ([ $n, $n, $n ]) if $measure eq 'overlap';
    return ([ 1, $n + 1, 1 ]) if $measure eq 'hamming';
    die "unknown measure \"$measure\"";
}

sub union_size
{
    my ($shape) = @_;
    return $shape->[0] + $shape->[1] - $shape->[2];
}

# A threshold for the measure with which a universe can have a pair just on
# it, and the shapes of such pairs that fit.
sub choose_threshold
{
    my ($random, $measure, $universe, $largest) = @_;
    my @thresholds = @FRACTIONS;
    @thresholds = map { [ $_, 1 ] } 1 .. 6 if $measure eq 'overlap';
    @thresholds = map { [ $_, 1 ] } 0 .. 6 if $measure eq 'hamming';
    my @choices;
    for my $threshold (@thresholds)
    {
        my @shapes =
          grep {
                 union_size($_) <= $universe
              && $_->[0] <= $largest
              && $_->[1] <= $largest
          } shapes_on_threshold($measure, @$threshold);
        push @choices, [ $threshold, \@shapes ] if @shapes;
    }
    return @{ $random->pick(@choices) };
}

# Two sets of the given shape, scaled and turned so that they stay on the
# threshold.
sub planted_pair
{
    my ($random, $measure, $shape, $universe, $largest, $law) = @_;
    my ($a, $b, $o) = @$shape;
    my $room = $universe - union_size($shape);
    if ($measure eq 'overlap')
    {
        # More tokens on either side do not change the overlap.
        my $more = $random->between(0, int($room / 2) > 20 ? 20 : int($room / 2));
        $a += $more;
        $b += $random->between(0, $more);
    }
    elsif ($measure eq 'hamming')
    {
        # More common tokens do not change the distance.
        my $more = $random->between(0, $room > 40 ? 40 : $room);
        $_ += $more for $a, $b, $o;
    }
    else
    {
        my $scale = int($universe / union_size($shape));
        for my $size ($a, $b)
        {
            my $most = int($largest / $size);
            $scale = $most if $scale > $most;
        }
        $scale = $random->between(1, $scale > 12 ? 12 : $scale < 1 ? 1 : $scale);
        $_ *= $scale for $a, $b, $o;
        $room = $universe - ($a + $b - $o);
        $b += $random->between(0, $room > 15 ? 15 : $room)
          if $measure eq 'containment';
    }
    if ($measure ne 'containment' && $measure ne 'cosine')
    {
        # Only the sum of the sizes counts: move tokens between the sides.
        my $movable = $b - $o;
        my $moved = $measure eq 'overlap' ? 0 : $random->between(0, $movable);
        $a += $moved;
        $b -= $moved;
    }
    my @tokens = $random->shuffle(
        $random->subset($a + $b - $o, $universe, $law));
    my @x = @tokens[ 0 .. $a - 1 ];
    my @y = (@tokens[ 0 .. $o - 1 ], @tokens[ $a .. $#tokens ]);
    return (\@x, \@y);
}

# The int8 value of a rank: small, around 0, at both ends of the range, or
# scattered over all of it.
sub token_value
{
    my ($style, $rank, $universe) = @_;
    use integer;
    return $rank + 1 if $style == 0;
    return $rank - $universe / 2 if $style == 1;
    if ($style == 2)
    {
        return -9223372036854775807 - 1 + $rank / 2 if $rank % 2;
        return 9223372036854775807 - $rank / 2;
    }
    return ($rank + 1) * 2177342782468422677;
}

# The records and thresholds of one seed:
# { seed, universe, law, mode, plan => { measure => [n, d] },
#   rows => [[side, key, set] ...] }; undef is NULL.
sub random_input
{
    my ($seed) = @_;
    my $random = SeededRandom->new($seed);
    my $universe = (5, 8, 20, 60, 150, 400, 1000, 2500, 5000)[ $seed % 9 ];
    my $law = int($seed / 9) % 2 ? 'zipf' : 'uniform';
    my $mode = $seed % 2 ? 'R shorter' : 'mixed sizes';
    my $style = int($seed / 2) % 4;
    my $largest = (6, 30, 120, 500)[ int($seed / 3) % 4 ];
    $largest = $universe if $largest > $universe;

    # Pairs on the threshold of each measure, the shorter one in R.
    my (%plan, @rows);
    for my $measure (@MEASURES)
    {
        my $planted_largest = $largest > 100 ? 100 : $largest;
        my ($threshold, $shapes) =
          choose_threshold($random, $measure, $universe, $planted_largest);
        $plan{$measure} = $threshold;

        # Containment is asymmetric: three pairs in either direction.
        my @directions =
          $measure eq 'containment' ? (0, 0, 0, 1, 1, 1) : (0, 0, 0);
        for my $direction (@directions)
        {
            my ($x, $y) =
              planted_pair($random, $measure, $random->pick(@$shapes),
                $universe, $planted_largest, $law);
            my $turn =
                $measure eq 'containment' ? $direction
              : $mode eq 'R shorter'      ? @$x > @$y
              :                             $random->chance(50);
            ($x, $y) = ($y, $x) if $turn;
            push @rows, [ 0, undef, $x ], [ 1, undef, $y ];
        }
    }

    # Nine copies of one record: 20 pairs of R and S under every measure.
    my $least = $plan{overlap}[0];
    my $copied = [
        $random->subset(
            $random->between($least, $largest > $least ? $largest : $least),
            $universe, $law)
    ];
    push @rows, [ $_ <= 5 ? 0 : 1, undef, $copied ] for 1 .. 9;

    # These rows have keys of their own; the later ones may repeat them.
    my @keys = $random->shuffle(-40 .. 80);
    $_->[1] = shift @keys for @rows;
    $rows[0][1] = '9223372036854775807';
    $rows[1][1] = '-9223372036854775808';
    my @used = map { $_->[1] } @rows;

    for my $number (1 .. $random->between(18, 30))
    {
        my @set;
        my $kind = $random->below(10);
        if ($kind < 5)
        {
            @set = $random->subset($random->between(0, $largest),
                $universe, $law);
        }
        elsif ($kind < 8)
        {
            # Another record, a few tokens changed; perhaps none.
            @set = @{ $random->pick(@rows)->[2] // [] };
            for (1 .. $random->below(4))
            {
                splice @set, $random->below(scalar @set), 1 if @set > 1;
                push @set, $random->below($universe) if $random->chance(60);
            }
        }
        elsif ($kind == 8)
        {
            @set = ($random->below($universe));
        }
        my $set = $random->chance(8) ? undef : \@set;
        my $key =
            $random->chance(8)  ? undef
          : $random->chance(35) ? $random->pick(@used)
          :                       shift @keys;
        my $small = $set && @$set < $largest / 3;
        my $side =
          $mode eq 'R shorter' && $random->chance(85)
          ? ($small ? 0 : 1)
          : $random->below(2);
        push @rows, [ $side, $key, $set ];
    }
    push @rows, [ $_, shift @keys, [] ] for 0, 1, 0;

    for my $row (grep { $_->[2] } @rows)
    {
        my @tokens =
          map { token_value($style, $_, $universe) } @{ $row->[2] };

        # Elements of an array may repeat themselves and come in any order.
        push @tokens, $random->pick(@tokens)
          if @tokens && $random->chance(20);
        $row->[2] = [ $random->shuffle(@tokens) ];
    }
    return {
        seed => $seed,
        universe => $universe,
        law => $law,
        mode => $mode,
        plan => \%plan,
        rows => [ $random->shuffle(@rows) ]
    };
}

# COPY commands with data that fill "input" and "plan".
sub load_script
{
    my (@inputs) = @_;
    my $script = "COPY input FROM STDIN;\n";
    for my $input (@inputs)
    {
        my $number = 0;
        for my $row (@{ $input->{rows} })
        {
            my ($side, $key, $set) = @$row;
            $script .= join("\t",
                $input->{seed}, ++$number, $side, $key // '\N',
                $set ? '{' . join(',', @$set) . '}' : '\N')
              . "\n";
        }
    }
    $script .= "\\.\nCOPY plan FROM STDIN;\n";
    for my $input (@inputs)
    {
        $script .= join("\t",
            $input->{seed}, $_, @{ $input->{plan}{$_} }) . "\n"
          for @MEASURES;
    }
    return $script . "\\.\nANALYZE input;\n";
}

1;
