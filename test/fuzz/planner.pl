# Queries with similarity clauses, planned with the node, with indexes, with workers or with little
# memory, against the same queries by nested loops over sequential scans.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Fuzz;
use Comparison;

my $QUERIES_OF_A_CASE = 40;

# The tables: r, s, p with partitions, e without rows; and views of them.
my @TABLES = qw(r s p e);
my @RELATIONS = (
    qw(r r r s s p v barrier e), '(SELECT * FROM r UNION ALL SELECT id + 100, g, h, t, fp, name FROM s)', '(SELECT * FROM s OFFSET 0)',
    '(SELECT DISTINCT ON (t) * FROM s ORDER BY t, id)', '(SELECT r.* FROM r LEFT JOIN s ON r.id = s.id)',
    '(SELECT min(id) AS id, g, min(h) AS h, tokenset_union_agg(t) AS t, (array_agg(fp ORDER BY id))[1] AS fp, min(name) AS name FROM s GROUP BY g)');
my @INDEXES = (
    'gin (t)', 'gin (t)', 'neardup (t)', 'neardup (t)', 'spgist (fp)', 'btree (id)', 'btree (g)', 'hash (t)', 'btree (t)', 'btree (fp)', 'hash (fp)',
    'neardup (word_tokens(name))', 'gin (word_tokens(name))', 'gin (simhash_blocks(fp, 3))', 'spgist (simhash(t))',
    'neardup (t) WHERE g > 1', 'gin (t) WHERE id % 2 = 0', 'neardup (g, t)', 'neardup (h, g, t)', 'neardup (name edit_ops)', 'neardup (g, name edit_ops)');
my $COLUMNS = 'id int NOT NULL, g int, h text, t tokenset, fp simhash, name text';

# What a query does besides must not be planned by chance in the same way.
my $PLAIN = join '; ', (map { "SET LOCAL $_ = off" } qw(neardup.enable_similarity_join enable_indexscan enable_bitmapscan enable_indexonlyscan)),
  'SET LOCAL max_parallel_workers_per_gather = 0';

my $session = comparison_session();

# The measures of pg_trgm are compared, too, where that is installed.
my $HAS_TRIGRAMS = $session->value("SELECT count(*) FROM pg_available_extensions WHERE name IN ('pg_trgm', 'neardup_trgm')") == 2;
if ($HAS_TRIGRAMS)
{
    $session->rows('CREATE EXTENSION neardup_trgm CASCADE');
    push @INDEXES, 'neardup (name trgm_ops)', 'neardup (g, name trgm_ops)', 'gin (name gin_trgm_ops)';
}
my $FORCE = $session->value('SHOW server_version_num') < 160000 ? 'force_parallel_mode' : 'debug_parallel_query';
my $WORKERS = 'SET LOCAL max_parallel_workers_per_gather = 2; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0;'
  . ' SET LOCAL min_parallel_table_scan_size = 0; SET LOCAL min_parallel_index_scan_size = 0';

# ---------------------------------------------------------------------------
# Tables
# ---------------------------------------------------------------------------

sub random_rows
{
    my ($random, $count, @others) = @_;
    my (@rows, @known);

    push @known, grep { $_->[2] ne 'NULL' } @others;
    for my $id (1 .. $count)
    {
        my $like = @known && $random->chance(60) ? $random->pick(@known) : undef;
        my @set = $like ? @{ $like->[6] } : $random->subset($random->below(9), $random->pick(6, 30), 'zipf');
        if ($like && $random->chance(60))
        {
            splice @set, $random->below(scalar @set), 1 if @set;
            push @set, $random->below(30);
        }
        my $print = $like && $random->chance(80) ? $like->[7] ^ (1 << $random->below(63)) ^ (1 << $random->below(63)) : ($random->next_number << 20) ^ $random->next_number;
        my $name = $like && $random->chance(70) ? $like->[8] : join '', map { $random->pick('a', 'b', 'c', ' ') } 1 .. $random->below(12);
        substr($name, $random->below(1 + length $name), $random->below(2)) = $random->pick('', 'a', 'd') if $random->chance(60);

        push @rows, [
            $id, $random->chance(8) ? 'NULL' : $random->below(5),
            literal($random->chance(8) ? undef : $random->pick(qw(x y z))),
            $random->chance(6) ? 'NULL' : array_literal(@set), $random->chance(6) ? 'NULL' : sprintf("'%016x'", $print),
            literal($random->chance(6) ? undef : $name), \@set, $print, $name ];
        push @known, $rows[-1];
    }
    return @rows;
}

sub random_tables
{
    my ($random) = @_;
    my @r = random_rows($random, $random->pick(3, 25, 40, 60));
    my %rows = (r => \@r, s => [ random_rows($random, $random->pick(1, 25, 40), @r) ], p => [ random_rows($random, $random->pick(10, 40), @r) ], e => []);
    my $by = $random->pick(
        [ 'LIST (g)', 'FOR VALUES IN (0, 1)', 'FOR VALUES IN (2)', 'DEFAULT' ],
        [ 'HASH (t)', map { "FOR VALUES WITH (MODULUS 3, REMAINDER $_)" } 0 .. 2 ],
        [ 'RANGE (id)', 'FOR VALUES FROM (0) TO (10)', 'FOR VALUES FROM (10) TO (30)', 'DEFAULT' ]);
    my @made = map { "CREATE TABLE $_ ($COLUMNS)" } qw(r s e);

    push @made, "CREATE TABLE p ($COLUMNS) PARTITION BY $by->[0]", map { "CREATE TABLE p$_ PARTITION OF p $by->[$_]" } 1 .. 3;
    push @made, 'CREATE VIEW v AS SELECT id, g, h, t, fp, name FROM r WHERE g IS DISTINCT FROM 3';
    push @made, 'CREATE VIEW far AS SELECT *, ' . (chained(random_chain($random), 'jaccard(t, ' . random_value($random) . ')'))[0] . ' AS distance FROM r';
    push @made, 'CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM s WHERE id % 4 <> 1';
    my @indexes = map { 'CREATE INDEX ON ' . $random->pick(qw(r r r s s p e)) . ' USING ' . $random->pick(@INDEXES) } 1 .. $random->pick(0, 3, 8, 14);
    my $late = $random->chance(40);
    my $analyzed = $random->chance(60);

    # Rows may come after the indexes, so that pending lists have them.
    return {
        rows => \%rows,
        script => sub {
            my (%some) = @_;
            my @inserts = map {
                my @listed = map { '(' . join(', ', @$_[ 0 .. 5 ]) . ')' } @{ $some{$_} };
                @listed ? "INSERT INTO $_ VALUES " . join(', ', @listed) : ()
            } @TABLES;
            return (@made, $late ? (@indexes, @inserts) : (@inserts, @indexes), $analyzed ? 'ANALYZE r, s, p, e' : ());
        } };
}

# ---------------------------------------------------------------------------
# Queries: what stands between < and > of these may be left out of a query that fails
# ---------------------------------------------------------------------------

my ($OPEN, $CLOSE) = ("\x01", "\x02");

sub optional
{
    return join '', map { "$OPEN$_$CLOSE" } @_;
}

sub random_value
{
    my ($random) = @_;
    return array_literal($random->subset($random->between(1, 7), 12, 'zipf')) . '::tokenset';
}

# A number to compare with; the row, if any, has columns.
sub threshold
{
    my ($random, $is_whole, $row) = @_;
    my $number = $random->pick(0, 1, -1, 1.5, 'NaN', 'NULL', $is_whole
        ? ((map { $random->below(6) } 1 .. 9), 20, 2.5, 3_000_000_000, 'Infinity')
        : (0.2, 0.3, 0.5, 0.6, 0.75, 0.8, 1.0 / 3, 2.0 / 3, '-Infinity', map { my $d = $random->between(1, 9); $random->between(0, $d) / $d } 1 .. 6));
    my $is_integer = $is_whole && $number =~ /^-?\d{1,4}\z/;
    my $type = $random->pick('float8', 'float8', $number =~ /Inf/ ? 'float8' : qw(numeric real), $is_integer ? qw(int4 int4 int8 int2) : 'float8');
    my $constant = $number eq 'NULL' ? "NULL::$type" : "'$number'::$type";

    return $random->pick(
        ($constant) x 6, $number =~ /^-?[\d.]+\z/ ? $number : $constant, "(SELECT $constant)", "$constant * length(left(current_user, 1))",
        "(SELECT avg(g) / 4 FROM s)", $row ? "($row.g" . ($is_whole ? ')' : ' / 4.0)') : $constant);
}

# The value of a measure, of two sets, simhashes or texts, compared with a number.
sub comparison
{
    my ($random, $row, $t, $fp, $name) = @_;
    my ($value, $is_whole) = @{ $random->pick(
        (map { [ $random->pick(qw(jaccard cosine dice containment)) . "($t->[0], $t->[1])", 0 ] } 1 .. 5),
        (map { [ "$_($t->[0], $t->[1])", 1 ] } qw(overlap hamming hamming)),
        (map { [ "($t->[0] $_ $t->[1])", 0 ] } '<%>', '<=>', '<@>>', '<<@>'),
        (map { [ "$_($t->[0], $t->[1], '{*:1,1:2,2:3,7:0.5}')", 0 ] } qw(idf_jaccard idf_cosine)),
        [ "simhash_distance($fp->[0], $fp->[1])", 1 ], [ "($fp->[0] <~> $fp->[1])", 1 ], (map { [ "edit_distance($name->[0], $name->[1])", 1 ] } 1 .. 2),
        $HAS_TRIGRAMS ? ([ "similarity($name->[0], $name->[1])", 0 ], [ "($name->[0] <-> $name->[1])", 0 ]) : ()) };
    my ($operator, $exchanged) = @{ $random->pick([ '>', '<' ], [ '>=', '<=' ], [ '<', '>' ], [ '<=', '>=' ], [ '=', '=' ]) };

    my $chain = $random->chance(50) ? random_chain($random) : [];
    my $is_distance = $value =~ /<%>|<=>|<\@>>|<<\@>|<->|hamming|distance|<~>/ ? 1 : 0;
    ($value, my $is_turned) = chained($chain, $value);
    # A distance from similar rows is small.
    if ($random->chance($is_whole ? 40 : 70) && $operator ne '=')
    {
        ($operator, $exchanged) = $random->pick(0, 1) ? ('>', '<') : ('>=', '<=');
        ($operator, $exchanged) = ($exchanged, $operator) if $is_distance ^ $is_turned;
    }
    # One of two values.
    $value = $random->pick('greatest', 'least') . "($value, " . $random->pick(qw(jaccard cosine)) . "($t->[0], $t->[1]))" if $random->chance(8);
    # One of two thresholds.
    my $least = $random->pick('greatest', 'least') . '(' . join(', ', map { threshold($random, $is_whole, $row) } 1, 2) . ')';
    return $random->chance(25) ? "$least $exchanged $value" : "$value $operator $least" if $random->chance(8);
    # What the chain makes of a value that some pairs have.
    if (@$chain && $random->chance(60))
    {
        my $all = $random->between(1, 9);
        my ($number) = chained($chain, $is_whole ? $random->below(7) : '(' . $random->between(0, $all) . "::float8 / $all)");
        return "$value $operator $number";
    }
    return "$value BETWEEN " . threshold($random, $is_whole, $row) . ' AND ' . threshold($random, $is_whole, $row) if $random->chance(10);
    return threshold($random, $is_whole, $row) . " $exchanged $value" if $random->chance(25);
    return "$value $operator " . threshold($random, $is_whole, $row);
}

# Of two rows, or of one and a value.
sub similarity
{
    my ($random, $x, $y) = @_;
    my $t = $random->pick(0.2, 0.3, 0.5, 0.6, 2.0 / 3, 0.75, 0.8, 1);
    my $n = $random->between(1, 4);
    my $k = $random->pick(0, 1, 2, 3, 6, 20);
    my ($p, $q) = map { my $alias = $_; sub { $alias ? "$alias.$_[0]" : $_[1] } } $x, $y;
    my $value = random_value($random);
    my $text = literal(join '', map { $random->pick('a', 'b', 'c', ' ') } 1 .. $random->below(9));
    my $print = sprintf "'%016x'::simhash", ($random->next_number << 20) ^ $random->next_number;
    my @t = map { $random->chance(90) ? $_->('t', $value) : 'word_tokens(' . $_->('name', $text) . ')' } $p, $q;
    my @fp = map { $random->chance(85) ? $_->('fp', $print) : 'simhash(' . $_->('t', $value) . ')' } $p, $q;
    my @name = map { $_->('name', $text) } $p, $q;
    my $measure = $random->pick(qw(jaccard cosine dice containment));

    $t = "(SELECT $t\::float8)" if $random->chance(10);
    if ($random->chance(50)) { @$_ = reverse @$_ for \@t, \@fp, \@name }
    return comparison($random, $random->chance(5) ? $x || $y : undef, \@t, \@fp, \@name) if $random->chance(50);
    return $random->pick(
        ("${measure}_ge($t[0], $t[1], $t)") x 6, ("$name[0] % $name[1]") x ($HAS_TRIGRAMS ? 2 : 0),
        "overlap_ge($t[0], $t[1], $n)", "hamming_le($t[0], $t[1], $k)", "$t[0] % $t[1]", "$t[0] % $t[1]",
        "$measure($t[0], $t[1]) >= $t", "$t <= $measure($t[0], $t[1])", "overlap($t[0], $t[1]) >= $n", "$measure($t[0], $t[1]) > $t",
        (map { "$t[0] $_ $t[1]" } '&&', '&&', '@>', '@>', '<@', '<@', '='),
        "$t[0] \@~ tokenset_query('$measure', $t[1], $t, " . $random->pick('true', 'false') . ')',
        "$t[0] <%> $t[1] <= $t", "$t[0] <=> $t[1] < $t",
        ("simhash_within($fp[0], $fp[1], $k)") x 3, "$fp[0] <~> $fp[1] <= $k", "simhash_distance($fp[0], $fp[1]) <= $k",
        "$fp[0] <\@ simhash_ball($fp[1], $k)", "$fp[0] = $fp[1]", "simhash_blocks_within($fp[0], $fp[1], 3)",
        ("edit_within($name[0], $name[1], " . $k % 4 . ')') x 3, 'edit_distance(' . "$name[0], $name[1]) <= " . $k % 4);
}

# What rows are ordered by, and how: by a distance, or by a measure, of a row and a value.
sub ordering
{
    my ($random, $x, $value, $print) = @_;
    my @pair = ($random->chance(80) ? "$x.t" : "word_tokens($x.name)", $value);
    my $measure = $random->pick(qw(jaccard cosine dice overlap containment));

    @pair = reverse @pair if $random->chance(40);
    return ("$x.fp <~> $print", '') if $random->chance(10);
    return ("$pair[0] " . $random->pick('<%>', '<=>', '<@>>', '<<@>', '<-%>', '<-&>') . " $pair[1]", '') if $random->chance(25);
    return ($random->pick(qw(jaccard_distance cosine_distance contains_distance contained_distance)) . "($pair[0], $pair[1])", $random->pick('', '', ' DESC')) if $random->chance(20);
    if ($random->chance(40))
    {
        my ($key, $is_turned) = chained(random_chain($random), "$measure($pair[0], $pair[1])");
        return ($key, $random->chance(80) && !$is_turned ? $random->pick(' DESC', ' DESC NULLS LAST') : '');
    }
    return ("$measure($pair[0], $pair[1])", $random->pick('', ' DESC', ' DESC', ' DESC NULLS LAST', ' DESC NULLS LAST'));
}

sub equality
{
    my ($random, $x, $y) = @_;
    return $random->pick("$x.g = $y.g", "$x.g = $y.g", "$x.h = $y.h", "$x.g = $y.g + 0", "$x.id = $y.id", "$x.g IS NOT DISTINCT FROM $y.g", "$x.h = $y.h AND $x.g = $y.g");
}

sub range
{
    my ($random, $x, $y) = @_;
    return $random->pick("$x.id < $y.id", "$x.id < $y.id", "$x.id <> $y.id", "$x.id + $y.id > 30", "$x.g <= $y.g", "length($x.name) <= length($y.name) + 1", "($x.g = 1 OR $y.g = 2)");
}

sub restriction
{
    my ($random, $x) = @_;
    return $random->pick(
        "$x.g > 1", "$x.t IS NOT NULL", "$x.id % 3 = 0", "$x.g IN (0, 2)", "$x.id = ANY ('{1,5,9,13,17}')", "$x.g = (SELECT max(g) - 1 FROM s)", "$x.h = 'x'",
        "cardinality($x.t) > 2", "EXISTS (SELECT 1 FROM s WHERE s.id = $x.id)", similarity($random, $x), similarity($random, $x),
        '(' . similarity($random, $x) . ' OR ' . similarity($random, $x) . ')', 'NOT ' . similarity($random, $x),
        "$x.id NOT IN (SELECT id FROM s)");
}

# The condition of a join.
sub condition
{
    my ($random, $x, $y) = @_;
    my @more;

    push @more, ' AND ' . equality($random, $x, $y) if $random->chance(35);
    push @more, ' AND ' . range($random, $x, $y) if $random->chance(50);
    push @more, ' AND ' . similarity($random, $x, $y) if $random->chance(15);
    push @more, ' AND ' . restriction($random, $random->pick($x, $y)) if $random->chance(20);
    return similarity($random, $x, $y) . optional(@more);
}

sub relation
{
    my ($random) = @_;
    return $random->pick(@RELATIONS);
}

# FROM and WHERE, and the aliases that the rest may use.
sub source
{
    my ($random) = @_;
    my $a = relation($random);
    my $b = $random->chance(50) ? $a : relation($random);
    my $from = "$a a";
    my @aliases = ('a');
    my @where;
    my $kind = $random->below(12);

    if ($kind < 4)
    {
        my $type = $random->pick('JOIN', 'JOIN', 'JOIN', 'LEFT JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN');
        my $condition = condition($random, 'a', 'b');
        $from .= " $type $b b ON " . ($type eq 'FULL JOIN' ? equality($random, 'a', 'b') . ' AND ' : '') . $condition;
        push @aliases, 'b';
    }
    elsif ($kind < 6)
    {
        push @where, $random->pick('EXISTS', 'NOT EXISTS') . " (SELECT 1 FROM $b b WHERE " . condition($random, 'a', 'b') . ')';
    }
    elsif ($kind == 6)
    {
        push @where, 'a.id ' . $random->pick('IN', 'NOT IN', '<> ALL', '= ANY') . " (SELECT b.id FROM $b b WHERE " . condition($random, 'a', 'b') . ')';
    }
    elsif ($kind == 7)
    {
        my $type = $random->pick('JOIN', 'LEFT JOIN');
        my $order = '';
        if ($random->chance(50))
        {
            my ($key, $direction) = $random->chance(90) ? ordering($random, 'x', 'a.t', 'a.fp') : ('x.g', '');
            $order = optional($random->pick(' AND x.t IS NOT NULL', '')) . " ORDER BY $key$direction" . $random->pick(', x.id', '', '') . ' FETCH FIRST 2 ROWS WITH TIES';
        }
        $from .= " $type LATERAL (SELECT * FROM $b x WHERE " . condition($random, 'a', 'x') . "$order) b ON " . $random->pick('true', range($random, 'a', 'b'));
        push @aliases, 'b';
    }
    elsif ($kind < 10)
    {
        my $c = $random->chance(50) ? 's' : relation($random);
        my @types = map { $random->pick('JOIN', 'JOIN', 'LEFT JOIN', 'RIGHT JOIN') } 1 .. 2;
        my $second = $random->chance(50) ? condition($random, $random->pick('a', 'b'), 'c') : equality($random, 'b', 'c') . optional(' AND ' . range($random, 'a', 'c'));
        $from .= " $types[0] $b b ON " . condition($random, 'a', 'b') . " $types[1] $c c ON $second";
        push @aliases, 'b', 'c';
    }
    push @where, restriction($random, $random->pick(@aliases)) for 1 .. $random->below(3);
    push @where, restriction($random, 'a') if $kind > 9 && !@where;
    return ($from, ($random->chance(10) ? "($where[0] OR a.id = 3)" : $where[0]) . optional(map { " AND $_" } @where[ 1 .. $#where ]), @aliases)
      if @where;
    return ($from, 'true', @aliases);
}

sub query
{
    my ($random) = @_;
    my ($from, $where, @aliases) = source($random);
    my $ids = join ', ', map { "$_.id" } @aliases;
    my @columns = ($ids, map { optional(", $_") } map { my $x = $_; map { "$x.$_" } grep { $random->chance(25) } qw(g h t fp name) } @aliases);
    my $kind = $random->below(14);

    push @columns, optional(', a') if $random->chance(5);
    push @columns, optional(", (SELECT count(*) FROM s q WHERE " . condition($random, 'a', 'q') . ')') if $random->chance(10);
    push @columns, optional(", row_number() OVER (PARTITION BY a.g ORDER BY $ids)") if $random->chance(5);
    return "SELECT a.g, count(*), sum(a.id), min($aliases[-1].id) FROM $from WHERE $where GROUP BY a.g" . optional(' HAVING count(*) > 1') if $kind == 0;
    return "SELECT count(*), count(DISTINCT a.t) FROM $from WHERE $where" if $kind == 1;
    return "SELECT DISTINCT a.t, a.g FROM $from WHERE $where" if $kind == 2;
    return "SELECT " . join('', @columns) . " FROM $from WHERE $where ORDER BY $ids LIMIT " . $random->between(1, 9) if $kind == 3;
    if ($kind == 4)
    {
        my ($other, $condition) = source($random);
        return "SELECT a.id FROM $from WHERE $where " . $random->pick('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT') . " SELECT a.id FROM $other WHERE $condition";
    }
    if ($kind == 5)
    {
        my $is_kept = $random->pick('', 'MATERIALIZED ', 'NOT MATERIALIZED ');
        return "WITH c1 AS $is_kept(SELECT DISTINCT a.* FROM $from WHERE $where) SELECT x.id, y.id FROM c1 x JOIN c1 y ON " . condition($random, 'x', 'y');
    }
    if ($kind == 6)
    {
        my $table = $random->chance(70) ? $random->pick(qw(r s)) : relation($random);
        my ($key, $direction) = ordering($random, 'x', random_value($random), "'0000000000000000'");
        my @conditions = map { optional(" AND $_") } (map { restriction($random, 'x') } 1 .. $random->below(3)), $random->chance(40) ? 'x.t IS NOT NULL' : (), $random->chance(30) ? 'x.g = 1' : ();
        return "SELECT x.id, $key FROM $table x WHERE true@conditions ORDER BY $key$direction" . $random->pick(', x.id', '', '') . ' FETCH FIRST ' . $random->between(1, 12) . ' ROWS WITH TIES';
    }
    if ($kind == 9)
    {
        # What a chain makes of a measure and of a value that it often has.
        my $chain = random_chain($random);
        my ($measure, $y) = ($random->pick(qw(jaccard jaccard dice containment)), $random->chance(50) ? 'y.t' : "(SELECT t FROM s WHERE id = " . $random->between(1, 9) . ')');
        my ($value) = chained($chain, "$measure(x.t, $y)");
        my ($number) = chained($chain, $random->pick('1::float8 / 2', '1::float8 / 3', '2::float8 / 3', '3::float8 / 4', map { my $all = $random->between(4, 9); $random->between(1, $all) . "::float8 / $all" } 1 .. 4));
        my $restriction = "$value " . $random->pick('<=', '=', '>=', '<', '>') . " ($number)";
        return $y eq 'y.t' ? "SELECT x.id, y.id FROM r x JOIN s y ON $restriction" : "SELECT x.id FROM r x WHERE $restriction";
    }
    if ($kind == 8)
    {
        my $chain = random_chain($random);
        my ($value) = chained($chain, 'x.distance');
        my $all = $random->between(1, 9);
        my $number = $random->chance(50) ? "(SELECT max($value) FROM far x WHERE x.id % " . $random->between(2, 9) . ' = 1)' : $random->between(0, $all) . "::float8 / $all";
        my $restriction = "$value " . $random->pick('<', '<=', '=', '>=', '>') . " $number";
        return "SELECT x.id FROM far x WHERE $restriction" if $random->chance(50);
        return "SELECT x.id, $value FROM far x ORDER BY $value" . $random->pick('', ' DESC', ' DESC NULLS LAST') . ' FETCH FIRST ' . $random->between(1, 12) . ' ROWS WITH TIES';
    }
    if ($kind == 7)
    {
        my $self = $random->chance(50);
        my $table = $random->pick(qw(r s v p));
        my $call = $self ? "ppjoin('SELECT id, t FROM $table', 0.5)" : "ppjoin('SELECT id, t FROM r', 0.4, 'cosine', against => 'SELECT id, t FROM $table')";
        return 'SELECT ' . $random->pick('f.a', 'f.a, f.similarity', 'f.*, x.g', 'x.id, f.b') . " FROM $call f JOIN r x ON x.id = f."
          . $random->pick('a', 'b') . optional(' AND ' . restriction($random, 'x')) . optional(' AND f.similarity > 0.6');
    }
    return 'SELECT ' . join('', @columns) . " FROM $from WHERE $where";
}

# A statement that writes, and what it leaves.
sub writing
{
    my ($random) = @_;
    my $table = $random->pick(qw(r s p));
    my $b = relation($random);
    my $condition = condition($random, 'a', 'b');
    my $statement = $random->pick(
        "DELETE FROM $table a WHERE EXISTS (SELECT 1 FROM $b b WHERE $condition)",
        "DELETE FROM $table a USING $b b WHERE $condition",
        "UPDATE $table a SET name = 'new' FROM $b b WHERE $condition",
        "UPDATE $table a SET h = 'w', t = a.t | '{1}' WHERE NOT EXISTS (SELECT 1 FROM $b b WHERE $condition)",
        "INSERT INTO r SELECT a.id + 100, b.g, a.h, b.t, a.fp, b.name FROM $table a JOIN $b b ON $condition",
        "MERGE INTO $table a USING (SELECT * FROM $b x WHERE x.id = 3) b ON $condition WHEN MATCHED AND a.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET name = b.name");

    return ($statement, "SELECT * FROM " . ($statement =~ /INTO r SELECT/ ? 'r' : $table));
}

# How the query is planned where it is not plain.
sub legs
{
    my ($random) = @_;
    my @set;

    push @set, map { "enable_$_ = off" } $random->chance(70) ? qw(nestloop hashjoin mergejoin) : qw(hashjoin mergejoin material) if $random->chance(60);
    push @set, 'enable_seqscan = off' if $random->chance(50);
    push @set, 'enable_material = off' if $random->chance(20);
    push @set, 'enable_sort = off' if $random->chance(20);
    push @set, 'enable_bitmapscan = off' if $random->chance(20);
    push @set, 'enable_indexscan = off' if $random->chance(20);
    push @set, "work_mem = '64kB'", 'hash_mem_multiplier = 1' if $random->chance(20);
    push @set, 'join_collapse_limit = 1' if $random->chance(10);
    push @set, 'geqo_threshold = 2' if $random->chance(10);
    push @set, 'enable_partitionwise_join = on' if $random->chance(20);
    push @set, 'neardup.enable_similarity_join = off' if $random->chance(15);
    return join '; ', map { "SET LOCAL $_" } @set if !$random->chance(10);
    # A Gather within a nested loop would start its workers anew for each row.
    @set = grep { $_ ne 'enable_material = off' } @set;
    return join '; ', (map { "SET LOCAL $_" } @set), $WORKERS, $random->chance(30) ? "SET LOCAL $FORCE = on" : ();
}

# The query with a NULL, which counts for nothing, among the values of each greatest and least: these stay what they are.
sub unplanned
{
    my ($query) = @_;
    return $query =~ s/\b(greatest|least)\(/$1(NULL, /gr;
}

# { got_by, got, want_by, want } of a template that has optional parts.
sub check_of
{
    my ($made) = @_;
    my ($write, $query, @by) = @$made{qw(write query)};
    my $shared = "SET LOCAL neardup.similarity_threshold = $made->{threshold}; SET LOCAL pg_trgm.similarity_threshold = $made->{threshold}";

    tr/\x01\x02//d for grep { defined } $write, $query;
    my @legs = map { join '; ', grep { length } $shared, $_, $write // () } $made->{legs}, $PLAIN;
    if ($made->{prepared})
    {
        # The first constants of each kind are parameters.
        my @parameters;
        my $body = $query;
        for my $kind (
            [ 'tokenset', qr/('\{[\d,]*\}')::tokenset/ ], [ 'float8', qr/(?<=, )(0\.\d+)(?=\))/ ], [ 'simhash', qr/('[0-9a-f]{16}')::simhash/ ],
            map { [ $_, qr/(NULL|'[^']*')::$_/ ] } qw(float8 float8 numeric real int4 int8 int2))
        {
            my ($type, $pattern) = @$kind;
            my $number = @parameters + 1;
            push @parameters, [ $type, $1 ] if $body =~ s/$pattern/\$$number/;
        }
        my $types = join ', ', map { $_->[0] } @parameters;
        my $values = join ', ', map { $_->[1] } @parameters;
        my $prepare = 'DEALLOCATE ALL; PREPARE q' . ($types ? " ($types)" : '') . " AS $body";
        return {
            got_by => "$legs[0]; SET LOCAL plan_cache_mode = $made->{prepared}; $prepare", got => 'EXECUTE q' . ($values ? "($values)" : ''),
            want_by => $legs[1], want => unplanned($query) };
    }
    return { got_by => $legs[0], got => $query, want_by => $legs[1], want => unplanned($query) };
}

sub random_query
{
    my ($random) = @_;
    my %made = (legs => legs($random), threshold => $random->pick(0.3, 0.5, 0.6, 0.8));

    if ($random->chance(8)) { @made{qw(write query)} = writing($random) }
    else { $made{query} = query($random) }
    $made{prepared} = $random->pick('force_generic_plan', 'force_custom_plan') if !$made{write} && $random->chance(15);
    return \%made;
}

# ---------------------------------------------------------------------------
# Cases
# ---------------------------------------------------------------------------

sub load
{
    my ($tables, %rows) = @_;

    $session->rows(join ";\n", 'DROP VIEW IF EXISTS v, far, barrier', 'DROP TABLE IF EXISTS r, s, p, e', $tables->{script}->(%rows));
    return;
}

# Leaves out settings, then optional parts, the outermost first.
sub shrink_query
{
    my ($fails, $made) = @_;

    $made->{legs} = join '; ', shrink(sub { $fails->({ %$made, legs => join '; ', @_ }) }, split /; /, $made->{legs});
    for my $part (grep { defined $made->{$_} } qw(write query))
    {
        for (my $from = 0; ($from = index $made->{$part}, $OPEN, $from) >= 0;)
        {
            my ($depth, $end) = (0, $from);
            do
            {
                my $character = substr $made->{$part}, $end++, 1;
                $depth += $character eq $OPEN ? 1 : $character eq $CLOSE ? -1 : 0;
            } while $depth > 0;
            my $shorter = $made->{$part};
            substr($shorter, $from, $end - $from) = '';
            if ($fails->({ %$made, $part => $shorter })) { $made->{$part} = $shorter }
            else { $from++ }
        }
    }
    return;
}

fuzz(
    'queries',
    sub {
        my ($random) = @_;
        my $tables = random_tables($random);
        my %rows = %{ $tables->{rows} };
        my @made = map { random_query($random) } 1 .. $QUERIES_OF_A_CASE;

        load($tables, %rows);
        my ($failed) = differing($session, map { check_of($_) } @made);
        return scalar @made if !$failed;

        my $made = $made[ $failed->{place} ];
        my $is_mistake = ($failed->{surplus} // '') =~ /ERROR 42/;
        my $fails = sub { my ($f) = differing($session, check_of(@_)); return $f && ($is_mistake || ($f->{surplus} // '') !~ /ERROR 42/) };
        load($tables, %rows);
        if ($fails->($made))
        {
            shrink_query($fails, $made);
            for my $table (@TABLES)
            {
                $rows{$table} = [ shrink(sub { load($tables, %rows, $table => [@_]); return $fails->($made) }, @{ $rows{$table} }) ];
            }
        }
        load($tables, %rows);
        my ($least) = differing($session, check_of($made));
        return report_check($least // $failed, check_of($made), $tables->{script}->(%rows));
    });
