# Joins and clusters against the definitions of doc/reference.md, in plain SQL: every set-returning
# function of pairs, on random tables with NULLs, empty and repeated sets and keys, at thresholds that
# pairs of the table just reach or just miss; in memory, through files and with workers.
use strict;
use warnings;
use utf8;

use FindBin;
use lib $FindBin::RealBin;
use POSIX ();

use Fuzz;
use Comparison;

my @MEASURES = qw(jaccard cosine dice containment overlap hamming);
my @WEIGHTED = qw(idf_jaccard idf_cosine);

# Keys of the plain functions, and of those named _keyed: type and expression.
my @KEYS = ([ 'int', 'key' ], [ 'bigint', 'key::bigint * 1000000007' ], [ 'smallint', 'key::smallint' ]);
my @OTHER_KEYS = (
    [ 'text', 'key::text' ],
    [ 'uuid', 'md5(key::text)::uuid' ],
    [ 'numeric', 'key / 3.0' ],
    [ 'text', q{chr(65 + abs(key) % 26) || repeat('x', abs(key) % 7)} ],
    [ 'timestamptz', q{'epoch'::timestamptz + key * '1 hour'::interval} ],
    [ 'int[]', 'CASE WHEN key IS NOT NULL THEN ARRAY[key % 3, key] END' ],
    [ 'bigint', 'key::bigint' ]);

# Sets in each type that a join reads.
my @SETS = ('t', 't', 't', 't::bigint[]', 't::bigint[]::text[]', 'array_to_tsvector(t::bigint[]::text[])');

my $FILES = "SET LOCAL neardup.join_memory = '64kB'";
my $WANT_BY = 'SET LOCAL neardup.enable_similarity_join = off';

# Takes pairs in the order given, unless a row of theirs is taken.
my $GREEDY = <<'SQL';
CREATE FUNCTION greedy(query text, is_self bool) RETURNS TABLE (a text, b text, value text) LANGUAGE plpgsql AS $$
DECLARE left_taken text[] := '{}'; right_taken text[] := '{}'; p record;
BEGIN
    FOR p IN EXECUTE query LOOP
        CONTINUE WHEN p.x = ANY (left_taken) OR p.y = ANY (right_taken);
        CONTINUE WHEN is_self AND (p.y = ANY (left_taken) OR p.x = ANY (right_taken));
        left_taken := left_taken || p.x;
        right_taken := right_taken || p.y;
        a := p.a; b := p.b; value := p.v;
        RETURN NEXT;
    END LOOP;
END $$
SQL
my $TABLE = 'CREATE TABLE r (n int PRIMARY KEY, side int, key int, t tokenset, name text, body text, grade int)';

my $session = comparison_session();
$session->rows($_) for $GREEDY, $TABLE;
my $workers = $session->value('SHOW server_version_num') < 160000 ? 'force_parallel_mode' : 'debug_parallel_query';
my $WORKERS = "SET LOCAL $workers = on; SET LOCAL max_parallel_workers_per_gather = 2";

# ---------------------------------------------------------------------------
# Tables
# ---------------------------------------------------------------------------

# Another set, a few tokens changed or left out, perhaps none.
sub neighbour
{
    my ($random, $universe, @set) = @_;

    for (1 .. $random->below(4))
    {
        splice @set, $random->below(scalar @set), 1 if @set && $random->chance(60);
        push @set, $random->below($universe) if $random->chance(60);
    }
    my %seen;
    return grep { !$seen{$_}++ } @set;
}

sub misspelled
{
    my ($random, $text) = @_;

    for (1 .. $random->below(4))
    {
        substr($text, $random->below(1 + length $text), $random->below(2)) = $random->pick('', 'a', 'b', 'é', 'ab');
    }
    return $text;
}

# { n, side, key, set, name, body, grade }; undef is NULL.
sub random_rows
{
    my ($random) = @_;
    my $count = $random->chance(1) ? 500 : $random->chance(10) ? $random->below(4) : $random->between(4, 60);
    my $universe = $random->pick(3, 8, 20, 60, 400, 3000);
    my $largest = $random->pick(1, 4, 12, 12, 40, $count < 20 ? 3000 : $count < 100 ? 300 : 12);
    my $law = $random->pick('zipf', 'uniform');
    my $keys = $random->pick(5, 1000, 1000, 30000);
    my $spread = $random->chance(20) ? 2177342782468422677 : 1;
    my (@sets, @names, @bodies, @rows);

    for my $n (1 .. $count)
    {
        my $set =
            $random->chance(4)             ? []
          : @sets && $random->chance(15)   ? $random->pick(@sets)
          : @sets && $random->chance(40)   ? [ neighbour($random, $universe, @{ $random->pick(@sets) }) ]
          : @sets && $random->chance(10)   ? [ grep { $random->chance(70) } @{ $random->pick(@sets) } ]
          :                                  [ $random->subset($random->below(1 + $largest), $universe, $law) ];
        my $name = @names && $random->chance(60) ? misspelled($random, $random->pick(@names))
          : join '', map { $random->pick(qw(a b c é 東)) } 1 .. $random->below($random->pick(4, 12, $count < 100 ? 90 : 12));
        my $body = @bodies && $random->chance(15) ? $random->pick(@bodies)
          : $random->chance(5) ? $random->pick('', '...')
          : join ' ', map { $random->pick(qw(alpha beta gamma delta epsilon zeta eta)) } 1 .. $random->between(1, 7);

        push @sets, $set;
        push @names, $name;
        push @bodies, $body;
        use integer;
        push @rows, {
            n => $n,
            side => $random->below(2),
            key => $random->chance(4) ? undef : $random->below($keys) - $keys / 2,
            set => $random->chance(4) ? undef : [ map { $_ * $spread - 3 } @$set ],
            name => $random->chance(4) ? undef : $name,
            body => $random->chance(4) ? undef : $random->chance(10) ? uc $body : $body,
            grade => $random->below(4) };
    }
    return @rows;
}

sub insert_of
{
    my (@rows) = @_;

    return () if !@rows;
    return 'INSERT INTO r VALUES ' . join(",\n", map {
        my $row = $_;
        '(' . join(', ', $row->{n}, $row->{side}, $row->{key} // 'NULL', $row->{set} ? array_literal(@{ $row->{set} }) : 'NULL',
            literal($row->{name}), literal($row->{body}), $row->{grade}) . ')'
    } @rows);
}

# ---------------------------------------------------------------------------
# Thresholds
# ---------------------------------------------------------------------------

sub overlap_of
{
    my ($x, $y) = @_;
    my %in = map { $_ => 1 } @$x;

    return scalar grep { $in{$_} } @$y;
}

sub value_of
{
    my ($measure, $a, $b, $o) = @_;

    return $o / ($a + $b - $o) if $measure =~ /jaccard/;
    return $o / sqrt($a * $b) if $measure =~ /cosine/;
    return 2 * $o / ($a + $b) if $measure eq 'dice';
    return $o / $a if $measure eq 'containment';
    return $measure eq 'overlap' ? $o : $a + $b - 2 * $o;
}

# Mostly one that two sets of the table reach exactly, or miss by a rounding.
sub random_threshold
{
    my ($random, $measure, @rows) = @_;
    my @sets = grep { $_ && @$_ } map { $_->{set} } @rows;
    my $value = 0;

    for my $try (1 .. 5)
    {
        last if !@sets || $value > 0;
        my ($x, $y) = ($random->pick(@sets), $random->pick(@sets));
        $value = value_of($measure, scalar @$x, scalar @$y, overlap_of($x, $y));
    }
    if ($measure eq 'overlap' || $measure eq 'hamming')
    {
        $value = $random->chance(60) ? $value + $random->between(-1, 1) : $random->between(0, 8);
        return $measure eq 'overlap' && $value < 1 ? 1 : $value < 0 ? 0 : $value;
    }
    return $random->pick(0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1) if $value == 0 || $random->chance(30);
    $value *= $random->pick(1, 1, 1 + 2.5e-16, 1 - 2.5e-16, 1 + 1e-9, 1 - 1e-9);
    return sprintf '%.17g', $value > 1 ? 1 : $value;
}

# ---------------------------------------------------------------------------
# Checks
# ---------------------------------------------------------------------------

# A form of a join: one query or two, the type of key, the column. { arguments =>
# what the call begins with, suffix => of the function, from => the FROM clause of the pairs to be
# compared, both ways round where wanted, with m, an expression that is computed once a row }. A form of
# the best pairs has unique keys, and as f the least key of the rows with an equal set.
sub random_form
{
    my ($random, $column, $both_ways, $kept) = @_;
    my $keyed = $random->chance(30);
    my ($type, $key) = @{ $random->pick($keyed ? @OTHER_KEYS : @KEYS) };
    return form_of($random, $keyed, $type, $key, $column, $both_ways, $kept);
}

sub form_of_best
{
    my ($random, $measure, $both_ways) = @_;
    my $keyed = $random->chance(30);
    my ($type, $key) = @{ $random->pick($keyed ? @OTHER_KEYS : @KEYS) };

    $key = "chr(65 + key % 26) || 'x' || key" if $key =~ /chr/;
    $key =~ s/\bkey\b/(n * 7919 % 10007)/g;
    my $form = form_of($random, $keyed, $type, "CASE WHEN key IS NOT NULL THEN $key END", $random->pick(@SETS), $both_ways);
    $form->{is_once} = $form->{is_self} && $measure ne 'containment';
    return $form;
}

# Equally similar pairs come in this order (doc/reference.md).
sub order_of_ties
{
    my ($form) = @_;

    return 'x.f, y.f, x.k, y.k' if !$form->{is_once};
    return 'least(x.f, y.f), greatest(x.f, y.f), CASE WHEN x.f <= y.f THEN x.k ELSE y.k END, CASE WHEN x.f <= y.f THEN y.k ELSE x.k END';
}

sub form_of
{
    my ($random, $keyed, $type, $key, $column, $both_ways, $kept) = @_;
    my $is_self = $random->chance(60);
    my $query = sub { literal("SELECT $key, $column FROM r" . ($_[0] ? " WHERE $_[0]" : '') . ' ORDER BY n') };
    my $equal = $is_self ? 't' : 'side, t';
    my $rows = "(SELECT *, $key AS k, first_value($key) OVER (PARTITION BY $equal ORDER BY $key) AS f"
      . ($kept ? ", $kept AS m" : '') . ' FROM r OFFSET 0)';
    my $join = $is_self ? ($both_ways ? 'x.k <> y.k' : 'x.k < y.k') : 'x.side = 0 AND y.side = 1 AND x.k IS NOT NULL AND y.k IS NOT NULL';

    return {
        is_self => $is_self,
        suffix => $keyed ? '_keyed' : '',
        arguments => ($keyed ? "NULL::$type, " : '') . $query->($is_self ? () : 'side = 0'),
        against => $is_self ? '' : ', against => ' . $query->('side = 1'),
        from => "$rows x JOIN $rows y ON $join" };
}

sub predicate_of
{
    my ($measure, $threshold) = @_;

    return "$measure(x.t, y.t, w) >= $threshold AND ${measure}_ge(x.t, y.t, w, $threshold)" if $measure =~ /idf/;
    return "hamming_le(x.t, y.t, $threshold)" if $measure eq 'hamming';
    return "${measure}_ge(x.t, y.t, $threshold)";
}

# The weights of all rows that the join reads.
sub weights_of
{
    my ($measure, $form) = @_;

    return $measure =~ /idf/ ? ', (SELECT token_weights(t) AS w FROM r WHERE key IS NOT NULL) weights' : '';
}

sub value_sql
{
    my ($measure) = @_;

    return $measure =~ /idf/ ? "$measure(x.t, y.t, w)" : "$measure(x.t, y.t)::float8";
}

my %CHECKS = (
    ppjoin => sub {
        my ($random, @rows) = @_;
        my $measure = $random->pick(@MEASURES, @WEIGHTED);
        my $form = random_form($random, $random->pick(@SETS), $measure eq 'containment');
        my $threshold = random_threshold($random, $measure, @rows);
        my $algorithm = $measure =~ /idf/ ? 'auto' : $random->pick(qw(auto auto auto allpairs ppjoin ppjoin+));

        return {
            got => "SELECT * FROM ppjoin$form->{suffix}($form->{arguments}, $threshold, '$measure', '$algorithm'$form->{against})",
            want => "SELECT x.k, y.k, " . value_sql($measure) . " FROM $form->{from} AND x.t IS NOT NULL AND y.t IS NOT NULL"
              . weights_of($measure, $form) . ' WHERE ' . predicate_of($measure, $threshold) };
    },
    topk_join => sub {
        my ($random, @rows) = @_;
        my $measure = $random->pick(@MEASURES, @WEIGHTED);
        my $form = form_of_best($random, $measure, $measure eq 'containment');
        my $k = $random->pick(1, 2, 5, 20, 1000);
        my $value = value_sql($measure);
        my $order = $measure eq 'hamming' ? '' : 'DESC';
        my $counts = $measure eq 'hamming' ? 'cardinality(x.t) > 0 AND cardinality(y.t) > 0' : "$value > 0";

        return {
            got => "SELECT * FROM topk_join$form->{suffix}($form->{arguments}, $k, '$measure'$form->{against})",
            want => "SELECT x.k, y.k, $value FROM $form->{from}" . weights_of($measure, $form)
              . " WHERE $counts ORDER BY $value $order, " . order_of_ties($form) . " LIMIT $k" };
    },
    knn_join => sub {
        my ($random, @rows) = @_;
        my $measure = $random->pick(@MEASURES, @WEIGHTED);
        my $form = form_of_best($random, $measure, 1);
        my $threshold = random_threshold($random, $measure, @rows);
        my $k = $random->pick(1, 2, 3, 10);
        my $value = value_sql($measure);
        my $order = $measure eq 'hamming' ? '' : 'DESC';

        return {
            got => "SELECT a, b, similarity, rank FROM knn_join$form->{suffix}($form->{arguments}, $k, $threshold, '$measure'$form->{against})",
            want => "SELECT * FROM (SELECT x.k, y.k, $value, row_number() OVER (PARTITION BY x.n ORDER BY $value $order, y.f, y.k) FROM $form->{from}"
              . weights_of($measure, $form) . ' WHERE ' . predicate_of($measure, $threshold) . ") p (a, b, v, rank) WHERE rank <= $k" };
    },
    match_join => sub {
        my ($random, @rows) = @_;
        my $measure = $random->pick(@MEASURES, @WEIGHTED);
        my $form = form_of_best($random, $measure, $measure eq 'containment');
        my $threshold = random_threshold($random, $measure, @rows);
        my $order = $measure eq 'hamming' ? '' : 'DESC';
        my $pairs = "SELECT x.n::text AS x, y.n::text AS y, x.k::text AS a, y.k::text AS b, " . value_sql($measure) . "::text AS v FROM $form->{from}"
          . weights_of($measure, $form) . ' WHERE ' . predicate_of($measure, $threshold)
          . ' ORDER BY ' . value_sql($measure) . " $order, " . order_of_ties($form);

        return {
            got => "SELECT a::text, b::text, similarity::text FROM match_join$form->{suffix}($form->{arguments}, $threshold, '$measure'$form->{against})",
            want => 'SELECT * FROM greedy(' . literal($pairs) . ', ' . ($form->{is_self} ? 'true' : 'false') . ')' };
    },
    match_pairs => sub {
        my ($random, @rows) = @_;
        my ($type, $key) = @{ $random->pick(@KEYS, @OTHER_KEYS) };
        my $from = "FROM (SELECT *, $key AS k FROM r) x JOIN (SELECT *, $key AS k FROM r) y ON x.n % 7 = y.n % 7 AND x.k IS NOT NULL AND y.k IS NOT NULL";
        my $score = $random->pick('((x.grade - y.grade) % 3)', '(x.grade / 3.0 + y.n)', 'nullif(-(x.n + y.n) % 5, 0)');

        return {
            got => "SELECT a::text, b::text, score::text FROM match_pairs_keyed(NULL::$type, " . literal("SELECT x.k, y.k, $score $from") . ')',
            want => 'SELECT * FROM greedy(' . literal("SELECT x.k::text AS x, y.k::text AS y, x.k::text AS a, y.k::text AS b, $score\::float8::text AS v $from"
                  . " WHERE $score IS NOT NULL ORDER BY $score\::float8 DESC, x.k, y.k") . ', false)' };
    },
    edit_join => sub {
        my ($random, @rows) = @_;
        my $form = random_form($random, $random->pick('name', 'name', 'name::varchar'), 0);
        my $k = $random->pick(0, 1, 1, 2, 2, 3, 5, 20);

        return {
            got => "SELECT * FROM edit_join$form->{suffix}($form->{arguments}, $k$form->{against})",
            want => "SELECT x.k, y.k, edit_distance(x.name, y.name) FROM $form->{from} WHERE edit_distance(x.name, y.name) <= $k" };
    },
    passage_join => sub {
        my ($random, @rows) = @_;
        my $text = $random->pick('name', 'body', "name || '. ' || body");
        my $form = random_form($random, $text, 0);
        my $words = $random->pick(1, 1, 2, 3, 5);
        my ($x, $y) = map { my $side = $_; $text =~ s/name|body/$side.$&/gr } 'x', 'y';

        return {
            got => "SELECT * FROM passage_join$form->{suffix}($form->{arguments}, $words, max_rows => 1000000$form->{against})",
            want => "SELECT x.k, y.k, p.in_a, p.in_b, p.words FROM $form->{from}, common_passages($x, $y, $words) p" };
    },
    simhash_join => sub {
        my ($random, @rows) = @_;
        my $form = random_form($random, 'simhash(t)', 0, 'simhash(t)::bit(64)');
        my $k = $random->pick(0, 1, 3, 6, 14, 20, 28, 40, 64);
        my $distance = 'bit_count(x.m # y.m)';

        return {
            got => "SELECT * FROM simhash_join$form->{suffix}($form->{arguments}, $k$form->{against})",
            want => "SELECT x.k, y.k, $distance FROM $form->{from} WHERE $distance <= $k" };
    },
    lsh_join => sub {
        my ($random, @rows) = @_;
        my $form = random_form($random, $random->pick('t', 't', 't::bigint[]'), 0);
        my $threshold = random_threshold($random, 'jaccard', @rows);
        $threshold = 0.5 if $threshold < 0.4;
        my $recall = $random->pick(0.5, 0.9, 0.95, 0.99);
        my $query = $form->{arguments} =~ s/^NULL::\S+ //r;

        return {
            got => "SELECT * FROM lsh_join$form->{suffix}($form->{arguments}, $threshold, $recall$form->{against})",
            want => "SELECT x.k, y.k, jaccard(x.t, y.t) FROM $form->{from}, lsh_join_stats($query, $threshold, $recall$form->{against}) s"
              . " WHERE jaccard_ge(x.t, y.t, $threshold) AND lsh_candidate(minhash(x.t), minhash(y.t), s.bands, s.rows)" };
    },
    sketch_join => sub {
        my ($random, @rows) = @_;
        my $size = $random->pick(1, 8, 20, 64);
        my $form = random_form($random, "minhash(t, $size)", 0, "minhash(t, $size)::bigint[]");
        my $least = $random->chance(50) ? $random->between(1, $size) : $random->pick('0.25', '0.5', '0.8', '1.0');
        my $count = $least =~ /\./ ? POSIX::ceil($least * $size) : $least;
        $least = "min_fraction => $least" if $least =~ /\./;
        my $width = $random->between(1, $size);
        my $is_super = $random->chance(50);
        my $shared = "(SELECT count(*) FROM unnest(x.m, y.m) c (p, q) WHERE p = q)";

        return {
            got => $is_super
            ? "SELECT * FROM supershingle_join$form->{suffix}($form->{arguments}, $width, $least$form->{against})"
            : "SELECT * FROM sketch_overlap_join$form->{suffix}($form->{arguments}, $least$form->{against})",
            want => "SELECT x.k, y.k, $shared FROM $form->{from} AND cardinality(x.t) > 0 AND cardinality(y.t) > 0 WHERE $shared >= $count"
              . ($is_super ? " AND supershingles(minhash(x.t, $size), $width) && supershingles(minhash(y.t, $size), $width)" : '') };
    },
    prefixes => sub {
        my ($random, @rows) = @_;
        my $measure = $random->pick(qw(jaccard cosine dice containment overlap));
        my $threshold = random_threshold($random, $measure, @rows);
        my $frequent = $random->pick("'{}'", "(SELECT coalesce(array_agg(u ORDER BY c, u), '{}') FROM (SELECT u, count(*) AS c FROM r, unnest(t) u GROUP BY u) f)");
        my $prefix = "SELECT r.n, p.token FROM r, prefix_tokens(r.t, $threshold, '$measure', $frequent) p";

        return {
            got => "WITH p AS MATERIALIZED ($prefix), c AS MATERIALIZED (SELECT DISTINCT x.n AS a, y.n AS b FROM p x JOIN p y USING (token) WHERE x.n <> y.n)"
              . ' SELECT a, b FROM c JOIN r x ON x.n = a JOIN r y ON y.n = b WHERE ' . predicate_of($measure, $threshold),
            want => 'SELECT x.n, y.n FROM r x JOIN r y ON x.n <> y.n AND ' . predicate_of($measure, $threshold) };
    },
    postings => sub {
        my ($random, @rows) = @_;
        my $measure = $random->pick(qw(jaccard cosine dice containment overlap));
        my $threshold = random_threshold($random, $measure, @rows);
        my $bits = $random->pick(64, 128, 256, 512);
        my $is_self = $random->chance(50);
        my $side = $is_self ? '0' : 'side + 1';

        return {
            got => "SELECT DISTINCT x.n, y.n FROM (SELECT posting_list_agg(n, cardinality(t), p.\"position\", tokenset_signature(t, $bits), $side, 0) AS list"
              . " FROM r, prefix_tokens(t, $threshold, '$measure') p GROUP BY p.token) l, posting_pairs(list, $threshold, '$measure') c"
              . ' JOIN r x ON x.n = c.a JOIN r y ON y.n = c.b WHERE ' . predicate_of($measure, $threshold),
            want => 'SELECT x.n, y.n FROM r x JOIN r y ON ' . ($is_self ? $measure eq 'containment' ? 'x.n <> y.n' : 'x.n < y.n' : 'x.side = 0 AND y.side = 1')
              . ' WHERE ' . predicate_of($measure, $threshold) };
    },
    blocks => sub {
        my ($random, @rows) = @_;
        my $k = $random->pick(0, 1, 3, 6);
        my $blocks = $random->chance(50) ? '' : ', ' . ($k + $random->between(1, 3));
        my $is_listed = $random->chance(50);
        my $distance = 'simhash_distance(simhash(x.t), simhash(y.t))';

        return {
            got => $is_listed
            ? "SELECT DISTINCT p.a, p.b, p.distance FROM (SELECT posting_list_agg(n, 1, 1, simhash_send(simhash(t)), 0, 0) AS list"
              . " FROM r, unnest(simhash_blocks(simhash(t), $k$blocks)) block GROUP BY block) l, simhash_posting_pairs(list, $k) p"
            : "SELECT x.n, y.n, $distance FROM r x JOIN r y ON x.n < y.n AND simhash_blocks(simhash(x.t), $k$blocks) && simhash_blocks(simhash(y.t), $k$blocks)"
              . " WHERE simhash_within(simhash(x.t), simhash(y.t), $k)",
            want => "SELECT x.n, y.n, $distance FROM r x JOIN r y ON x.n < y.n WHERE $distance <= $k" };
    },
    counts => sub {
        my ($random, @rows) = @_;
        my $measure = $random->pick(@MEASURES);
        my $threshold = random_threshold($random, $measure, @rows);
        my $form = random_form($random, 't', $measure eq 'containment');
        my $query = $form->{arguments} =~ s/^NULL::\S+ //r;

        return {
            got => "SELECT pairs FROM ppjoin_stats($query, $threshold, '$measure'$form->{against})",
            want => "SELECT count(*) FROM $form->{from} WHERE " . predicate_of($measure, $threshold) };
    },
    estimate => sub {
        my ($random, @rows) = @_;
        my $measure = $random->pick(qw(jaccard cosine dice));
        my $threshold = random_threshold($random, $measure, @rows);

        return {
            got => "SELECT pairs, pairs_low, pairs_high FROM estimate_join('SELECT n, t FROM r', ARRAY[$threshold], '$measure')",
            want => "SELECT count(*), count(*), count(*) FROM r x JOIN r y ON x.n < y.n WHERE " . predicate_of($measure, $threshold) };
    },
    # The scalar functions themselves, from the arrays.
    scalars => sub {
        my ($random, @rows) = @_;
        my @sets = map { $_->{n} } grep { $_->{set} } @rows;
        my $some = join ', ', -1, map { @sets ? $random->pick(@sets) : () } 1 .. 12;
        my $from = "FROM r x JOIN r y ON x.n IN ($some) AND y.n IN ($some)";
        my $o = '(SELECT count(*) FROM (SELECT unnest(x.t::bigint[]) INTERSECT SELECT unnest(y.t::bigint[])) i)';
        my ($a, $b) = ('cardinality(x.t::bigint[])', 'cardinality(y.t::bigint[])');
        my @thresholds = map { random_threshold($random, $_, @rows) } @MEASURES;

        return {
            got => 'SELECT x.n, y.n, ' . join(', ', (map { "$_(x.t, y.t)" } @MEASURES), map { predicate_of($MEASURES[$_], $thresholds[$_]) } 0 .. 5) . " $from",
            want => "SELECT n, m, v0, v1, v2, v3, v4, v5, " . join(', ', map { "o > 0 AND v$_ >= $thresholds[$_]" } 0 .. 4) . ", a * b > 0 AND v5 <= $thresholds[5]"
              . ' FROM (SELECT *, coalesce(o / nullif(a + b - o, 0)::float8, 0) AS v0, coalesce(o / nullif(sqrt((a * b)::float8), 0), 0) AS v1,'
              . ' coalesce(2 * o / nullif(a + b, 0)::float8, 0) AS v2, coalesce(o / nullif(a, 0)::float8, 0) AS v3, o AS v4, a + b - 2 * o AS v5'
              . " FROM (SELECT x.n, y.n AS m, $a AS a, $b AS b, $o AS o $from) s) v" };
    },
    cluster_pairs => sub {
        my ($random, @rows) = @_;
        my $keys = $random->pick(3, 12, 12, 60);
        my @pairs = map { [ 1 + $random->below($keys), 1 + $random->below($keys) ] } 1 .. $random->below(2 + $keys * $random->pick(1, 1, 3));
        my $mode = $random->pick(qw(connected star complete));
        my $most = $random->chance(30) ? $random->between(1, 8) : undef;
        my ($type, $key) = @{ $random->pick(@OTHER_KEYS[ 1, 2 ], [ 'text', q{lpad(key::text, 3, '0')} ]) };
        $key = "lpad(key::text, 32, '0')::uuid" if $type eq 'uuid';
        my $spell = sub { $key =~ s/key/$_[0]/r };
        my $is_keyed = $random->chance(30);
        my @listed = map { "($_->[0], $_->[1])" } @pairs && $random->chance(70) ? () : [ 'NULL::int', 1 ], @pairs;
        my $ends = join ', ', map { $is_keyed ? $spell->($_) : $_ } 'a', 'b';
        my $query = "SELECT $ends FROM (VALUES " . join(', ', @listed) . ') p (a, b)';
        my %cluster = partition($mode, $most, { map { ($_ => 1) } map { @$_ } @pairs }, @pairs);
        my @expected = map { "($_, $cluster{$_})" } sort { $a <=> $b } keys %cluster;

        return {
            got => $is_keyed
            ? "SELECT * FROM cluster_pairs_keyed(NULL::$type, " . literal($query) . ", '$mode', " . ($most // 'NULL') . ')'
            : $mode eq 'connected' && !defined $most && $random->chance(40)
            ? "SELECT c.* FROM (SELECT cluster_agg(a, b) AS forest FROM ($query) p (a, b)) f, forest_clusters(forest) c"
            : 'SELECT * FROM cluster_pairs(' . literal($query) . ", '$mode', " . ($most // 'NULL') . ')',
            want => !@expected ? 'SELECT 1 WHERE false' : "SELECT $ends FROM (VALUES " . join(', ', @expected) . ') p (a, b)' };
    },
    near_duplicates => sub {
        my ($random, @rows) = @_;
        my $mode = $random->pick(qw(star complete connected));
        my $measure = $random->pick(qw(jaccard cosine dice), $mode eq 'star' ? 'containment' : ());
        my $threshold = $random->pick(0.2, 0.5, 0.6, 0.75, 0.8, 0.9, 1);
        my ($modulus, $remainder) = (1 + $random->below(4), $random->below(3));
        my ($within, $except) = map { $random->chance(30) } 1 .. 2;
        my $may_be = sub {
            my ($x, $y) = map { $_->{n} } @_;
            return !($within && ($x - $y) % $modulus != 0 || $except && ($x + $y) % 3 == $remainder);
        };
        my ($keep, $order) = @{ $random->pick(
                [ 'NULL', sub { ($measure eq 'containment' && words_of($_[1]) <=> words_of($_[0])) || $_[0]{n} <=> $_[1]{n} } ],
                [ q{'n DESC'}, sub { $_[1]{n} <=> $_[0]{n} } ],
                [ q{'grade DESC'}, sub { $_[1]{grade} <=> $_[0]{grade} || $_[0]{n} <=> $_[1]{n} } ]) };
        my @expected = duplicates($may_be, $mode, $measure, $threshold, sort { $order->($a, $b) } grep { defined $_->{body} } @rows);

        return {
            got => "SELECT * FROM near_duplicates('r', 'n', 'body', $threshold, 'word_tokens(body)', $keep, '$mode', '$measure'"
              . ($within ? ", within => '((n % $modulus) + $modulus) % $modulus'" : '')
              . ($except ? ", except_pairs => 'SELECT x.n, y.n FROM r x, r y WHERE (((x.n + y.n) % 3) + 3) % 3 = $remainder'" : '') . ')',
            want => @expected ? 'VALUES ' . join(', ', @expected) : 'SELECT 1 WHERE false' };
    });

# The clusters of numbers, by the rules of doc/cluster.md: number => the least of its cluster.
sub partition
{
    my ($mode, $most, $numbers, @pairs) = @_;
    my (%near, %cluster, %size);

    $most //= 1e9;
    $near{ $_->[0] }{ $_->[1] } = $near{ $_->[1] }{ $_->[0] } = 1 for grep { $_->[0] != $_->[1] } @pairs;
    for my $v (sort { $a <=> $b } keys %$numbers)
    {
        @cluster{$v} = $v;
        $size{$v} = 1;
        next if $mode ne 'complete';
        my ($first) = grep { my $c = $_; $size{$c} < $most && !grep { $cluster{$_} == $c && !$near{$v}{$_} } grep { $_ != $v } keys %cluster }
          sort { $a <=> $b } grep { $cluster{$_} == $_ && $_ != $v } keys %cluster;
        next if !defined $first;
        $cluster{$v} = $first;
        $size{$first}++;
    }
    return %cluster if $mode eq 'complete';
    for my $x (sort { $a <=> $b } keys %near)
    {
        for my $y (sort { $a <=> $b } grep { $_ > $x } keys %{ $near{$x} })
        {
            my ($to, $from) = sort { $a <=> $b } @cluster{ $x, $y };
            next if $to == $from || $size{$to} + $size{$from} > $most;
            next if $mode eq 'star' && ($cluster{$x} != $x || $cluster{$y} != $y);
            $_ == $from and $_ = $to for values %cluster;
            $size{$to} += $size{$from};
        }
    }
    return %cluster;
}

sub words_of
{
    my ($row) = @_;

    return scalar(() = $row->{body} =~ /\w+/g);
}

# The rows of near_duplicates, of rows in the order of keeping.
sub duplicates
{
    my ($may_be, $mode, $measure, $threshold, @rows) = @_;
    my @words = map { my %count; [ map { $_ . $count{$_}++ } lc($_->{body}) =~ /\w+/g ] } @rows;
    my (@pairs, %value, %least);

    for my $i (0 .. $#rows)
    {
        for my $j (0 .. $i - 1)
        {
            next if !$may_be->(@rows[ $i, $j ]);
            my $overlap = overlap_of($words[$i], $words[$j]);
            my $value = $rows[$i]{body} eq $rows[$j]{body} ? 1 : $overlap ? value_of($measure, scalar @{ $words[$i] }, scalar @{ $words[$j] }, $overlap) : 0;
            next if $value < $threshold;
            push @pairs, [ $j, $i ];
            $value{"$j $i"} = $value;
        }
    }
    my %kept = partition($mode, undef, { map { $_ => 1 } 0 .. $#rows }, @pairs);
    for my $i (0 .. $#rows)
    {
        my $least = \$least{ $kept{$i} };
        $$least = $rows[$i]{n} if !defined $$least || $rows[$i]{n} < $$least;
    }
    return map {
        my ($row, $kept) = @rows[ $_, $kept{$_} ];
        my $value = $value{"$kept{$_} $_"};
        sprintf "(%d, %d, %s, '%s', %d)", $row->{n}, $kept->{n}, defined $value ? sprintf("'%.17g'::float8", $value) : 'NULL',
          $row->{body} eq $kept->{body} ? 'exact' : 'near', $least{ $kept{$_} };
    } grep { $kept{$_} != $_ } 0 .. $#rows;
}

# ---------------------------------------------------------------------------
# Cases
# ---------------------------------------------------------------------------

sub load
{
    my (@rows) = @_;

    $session->rows(join ";\n", 'TRUNCATE r', insert_of(@rows));
    return;
}

# A check is made of the rows by a number of its own, so that it can be made again of fewer rows.
sub check_of
{
    my ($name, $seed, $all, @rows) = @_;
    my $random = SeededRandom->new($seed);
    my $check = $CHECKS{$name}->($random, @{ $name eq 'near_duplicates' ? \@rows : $all });
    my @by = $random->chance($all > 100 ? 50 : 15) ? $FILES : ();

    push @by, $WORKERS if $random->chance(3);
    $check->{got_by} = join '; ', @by;
    $check->{want_by} = $WANT_BY;
    return $check;
}

my @NAMES = ((qw(ppjoin) x 10), (qw(topk_join knn_join match_join edit_join passage_join simhash_join lsh_join sketch_join) x 4),
    (qw(cluster_pairs near_duplicates prefixes postings blocks counts match_pairs) x 2), 'scalars', 'estimate');
my $CHECKS_OF_A_TABLE = 40;

fuzz(
    'joins',
    sub {
        my ($random) = @_;
        my @rows = random_rows($random);
        my @made = map { [ $random->pick(@NAMES), $random->next_number ] } 1 .. $CHECKS_OF_A_TABLE;
        my $check = sub { my ($made, @some) = @_; return check_of(@$made, \@rows, @some) };

        load(@rows);
        my ($failed) = differing($session, map { $check->($_, @rows) } @made);
        return scalar @made if !$failed;

        my $made = $made[ $failed->{place} ];
        my $fails = sub { my (@some) = @_; load(@some); return differing($session, $check->($made, @some)) };
        my @least = $fails->(@rows) ? shrink($fails, @rows) : @rows;
        for my $row (@least)
        {
            next if !$row->{set};
            my $holds = sub { local $row->{set} = [@_]; return $fails->(@least) };
            my @set = shrink($holds, @{ $row->{set} });
            $row->{set} = \@set if $holds->(@set);
        }
        ($failed) = $fails->(@least);
        return report_check($failed // {}, $check->($made, @least), $TABLE, insert_of(@least), $GREEDY);
    });
