# Queries with conditions of pg_trgm, planned with the node and with indexes of the extension, against the same queries
# by pg_trgm alone. Databases of several locales, as far as the system has them.
use strict;
use warnings;
use utf8;

use FindBin;
use lib $FindBin::RealBin;

use Fuzz;
use Comparison;

my $QUERIES_OF_A_CASE = 50;

my @TABLES = qw(r s e);
my @RELATIONS = (qw(r r r s s v e), '(SELECT * FROM r UNION ALL SELECT id + 100, g, h, t, v, c FROM s)', '(SELECT * FROM s OFFSET 0)',
    '(SELECT DISTINCT ON (t) * FROM s ORDER BY t, id)', '(SELECT r.* FROM r LEFT JOIN s ON r.id = s.id)');
my @INDEXES = ('t trgm_ops', 't trgm_ops', 'v trgm_ops', 'g, t trgm_ops', 'lower(t) trgm_ops', 't trgm_ops) WHERE (g > 1', 'trgm_set(t)');
my $COLUMNS = 'id int NOT NULL, g int, h text, t text, v varchar(60), c citext';

my @PIECES = (
    qw(john jon smith smyth Smith SMITH mary marie a b ab abc abcd bcd aa aaa 1 22 333 x1 Straße STRASSE ÉCOLE école İstanbul istanbul
        ISTANBUL ırmak Irmak ΣΊΣΥΦΟΣ σίσυφος ǅ Å Å Kelvin Kelvin 東京 東京都 Привет ПРИВЕТ naïve naïve i̇ ß ẞ Ⅷ ٣٤ ½ ª),
    "\x{1F600}", "\x{200D}", "e\x{301}", '-', '_', "'", '%', "\t", '');

my %LOCALES = (
    'C' => q{LOCALE 'C'},
    'C.UTF-8' => q{LOCALE 'C.UTF-8'},
    'en_US' => q{LOCALE 'en_US.UTF-8'},
    'tr_TR' => q{LOCALE 'tr_TR.UTF-8'},
    'de_DE of ICU' => q{LOCALE_PROVIDER icu ICU_LOCALE 'de-DE' LOCALE 'C.UTF-8'},
    'tr_TR of ICU' => q{LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR' LOCALE 'C.UTF-8'});

# The extension's library is loaded in either session: what turns it off is a setting.
my $PLAIN = join '; ', (map { "SET LOCAL $_ = off" } qw(neardup.enable_similarity_join enable_indexscan enable_bitmapscan enable_indexonlyscan)),
  'SET LOCAL max_parallel_workers_per_gather = 0';
my $WORKERS = 'SET LOCAL max_parallel_workers_per_gather = 2; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0;'
  . ' SET LOCAL min_parallel_table_scan_size = 0';

sub session_of
{
    my ($locale) = @_;
    my $name = 'fuzz_' . lc($locale =~ s/\W+/_/gr);
    my $maker = Fuzz::Session->new;

    my $made = $maker->run(qq{CREATE DATABASE "$name" TEMPLATE template0 ENCODING 'UTF8' $LOCALES{$locale}});

    $maker->close;
    if ($made->{state})
    {
        print "# no database of the locale $locale: $made->{message}\n";
        return;
    }
    local $ENV{PGDATABASE} = $name;
    my $setup = Fuzz::Session->new;
    $setup->rows('SET client_min_messages = warning; CREATE EXTENSION neardup; CREATE EXTENSION pg_trgm; CREATE EXTENSION neardup_trgm; CREATE EXTENSION citext');
    $setup->close;
    return { locale => $locale, database => $name, session => comparison_session("session_preload_libraries = 'neardup'") };
}

my @sessions = map { session_of($_) } sort keys %LOCALES;

# ---------------------------------------------------------------------------
# Tables
# ---------------------------------------------------------------------------

sub some_text
{
    my ($random) = @_;
    return join $random->pick(' ', ' ', ' ', '', '-'), map { $random->pick(@PIECES) } 1 .. $random->below(5);
}

sub changed
{
    my ($random, $text) = @_;

    return $text if $random->chance(20);
    substr($text, $random->below(1 + length $text), $random->below(3)) = $random->pick('', 'a', 'b', ' ', 'İ', 'ß', 'x');
    return $random->chance(20) ? uc $text : $text;
}

sub random_rows
{
    my ($random, $count, @others) = @_;
    my @known = @others;

    return map {
        my @texts = map { @known && $random->chance(60) ? changed($random, $random->pick(@known)) : some_text($random) } 1 .. 3;
        push @known, $texts[0];
        [ $_, $random->chance(8) ? 'NULL' : $random->below(4), literal($random->chance(8) ? undef : $random->pick(qw(x y z))),
            literal($random->chance(6) ? undef : $texts[0]), literal($random->chance(6) ? undef : substr($texts[1], 0, 60)),
            literal($random->chance(6) ? undef : $texts[2]), $texts[0] ]
    } 1 .. $count;
}

sub random_tables
{
    my ($random) = @_;
    my @r = random_rows($random, $random->pick(3, 20, 40));
    my %rows = (r => \@r, s => [ random_rows($random, $random->pick(1, 20, 30), map { $_->[6] } @r) ], e => []);
    my @indexes = map { 'CREATE INDEX ON ' . $random->pick(qw(r r s e)) . ' USING neardup (' . $random->pick(@INDEXES) . ')' } 1 .. $random->pick(0, 2, 5);
    my $late = $random->chance(40);
    my $analyzed = $random->chance(60);

    return {
        rows => \%rows,
        script => sub {
            my (%some) = @_;
            my @inserts = map {
                my @listed = map { '(' . join(', ', @$_[ 0 .. 5 ]) . ')' } @{ $some{$_} };
                @listed ? "INSERT INTO $_ VALUES " . join(', ', @listed) : ()
            } @TABLES;
            return ((map { "CREATE TABLE $_ ($COLUMNS)" } @TABLES), 'CREATE VIEW v AS SELECT * FROM r WHERE g IS DISTINCT FROM 2',
                $late ? (@indexes, @inserts) : (@inserts, @indexes),
                $analyzed ? 'ANALYZE r, s, e' : ());
        } };
}

# ---------------------------------------------------------------------------
# Queries
# ---------------------------------------------------------------------------

# A fraction at which pairs lie, or something near it, in a type of its own.
sub threshold
{
    my ($random, $is_distance) = @_;
    my $all = $random->between(1, 14);
    my $t = $random->chance(70) ? $is_distance ? "1 - " . $random->between(0, $all) . ".0 / $all" : $random->between(0, $all) . ".0 / $all"
      : $random->pick(0, 1, 0.3, 0.5, 0.7, 0.1, -1, 1.5, 0.29999999, 0.30000002, "'NaN'::float8");

    $t = "($t)";
    $t .= $random->pick('', '', '', '::real', '::real', '::float8', '::numeric') if $t !~ /NaN/;
    return $random->chance(15) ? "(SELECT $t\::float8)" : $random->chance(5) ? 'NULL::real' : $t;
}

sub operand
{
    my ($random, $alias) = @_;
    my $column = "$alias." . $random->pick('t', 't', 't', 'v', 'c');

    return $random->chance(85) ? $column : $random->pick("lower($column)", "($column || 'a')", "coalesce($column, '')", "$column\::text", "$alias.h");
}

# Comparisons of pg_trgm: the operator by a setting, the function, and its distance. A text of a pair may be compared with a
# part of the other one.
my @MEASURES = (
    [ '%', 'similarity', '<->' ], [ '%', 'similarity', '<->' ],
    [ '<%', 'word_similarity', '<<->' ], [ '%>', 'word_similarity', '<->>' ],
    [ '<<%', 'strict_word_similarity', '<<<->' ], [ '%>>', 'strict_word_similarity', '<->>>' ]);

# A condition that the node may join by.
sub similar
{
    my ($random, $x, $y) = @_;
    my @pair = map { operand($random, $_) } $random->chance(50) ? ($x, $y) : ($y, $x);
    my $form = $random->below(10);
    my $t = threshold($random, $form >= 7);
    my ($operator, $function, $distance) = $random->pick(@MEASURES)->@*;

    return "$pair[0] $operator $pair[1]" if $form < 3;
    my $value = $form < 7 ? "$function($pair[0], $pair[1])" : "($pair[0] $distance $pair[1])";
    my $chain = $random->chance(40) ? random_chain($random) : [];
    ($value, my $is_turned) = chained($chain, $value);
    if (@$chain && $random->chance(70))
    {
        # What the chain makes of a value that some pairs have.
        my $all = $random->between(1, 14);
        ($t) = chained($chain, '(' . $random->between(1, $all) . "::real / $all)");
    }
    my ($less, $greater) = $random->pick([ '<', '>' ], [ '<=', '>=' ]) ->@*;
    ($less, $greater) = ($greater, $less) if ($form < 7) ^ $is_turned;
    ($less, $greater) = ($greater, $less) if $random->chance(8);
    return $random->chance(70) ? "$value $less $t" : "$t $greater $value";
}

sub condition
{
    my ($random, $x, $y) = @_;
    my @all = similar($random, $x, $y);

    push @all, $random->pick("$x.g = $y.g", "$x.h = $y.h", "$x.id = $y.id", "$x.h = $y.h AND $x.g = $y.g") if $random->chance(30);
    push @all, $random->pick("$x.id < $y.id", "$x.id <> $y.id", "$x.g <= $y.g", "length($x.t) <= length($y.t) + 1", "($x.g = 1 OR $y.g = 2)") if $random->chance(50);
    push @all, similar($random, $x, $y) if $random->chance(20);
    push @all, restriction($random, $random->pick($x, $y)) if $random->chance(20);
    return join ' AND ', @all;
}

sub restriction
{
    my ($random, $x) = @_;
    my $value = literal(some_text($random));
    my $t = threshold($random);

    return $random->pick("$x.g > 1", "$x.id % 3 = 0", "$x.h = 'x'", "$x.t <> ''", "$x.t % $value", "similarity($x.t, $value) >= $t", "$x.g = (SELECT max(g) - 1 FROM s)",
        "$x.t <-> $value < 0.7", "($x.t % $value OR $x.g = 2)", "NOT $x.t % $value", "$t < similarity($value, $x.t)",
        "$x.t %> $value", "$value <<% $x.t", "$t <= word_similarity($value, $x.t)", "strict_word_similarity($x.t, $value) > $t", "$x.t <->> $value <= $t",
        "$x.t % ANY (ARRAY[$value, " . literal(some_text($random)) . ", NULL])");
}

sub query
{
    my ($random) = @_;
    my $a = $random->pick(@RELATIONS);
    my $b = $random->chance(50) ? $a : $random->pick(@RELATIONS);
    my $kind = $random->below(13);
    my ($from, $where, @aliases) = ("$a a", 'true', 'a', 'b');

    if ($kind < 4) { $from .= ' ' . $random->pick('JOIN', 'JOIN', 'LEFT JOIN', 'RIGHT JOIN') . " $b b ON " . condition($random, 'a', 'b') }
    elsif ($kind == 4) { $from .= " FULL JOIN $b b ON a.g = b.g AND " . condition($random, 'a', 'b') }
    elsif ($kind < 7) { $where = $random->pick('EXISTS', 'NOT EXISTS') . " (SELECT 1 FROM $b b WHERE " . condition($random, 'a', 'b') . ')'; pop @aliases }
    elsif ($kind == 7) { $where = 'a.id ' . $random->pick('IN', 'NOT IN') . " (SELECT b.id FROM $b b WHERE " . condition($random, 'a', 'b') . ')'; pop @aliases }
    elsif ($kind == 8) { $from .= ' ' . $random->pick('JOIN', 'LEFT JOIN') . " LATERAL (SELECT * FROM $b x WHERE " . condition($random, 'a', 'x') . ') b ON true' }
    elsif ($kind < 11)
    {
        $from .= ' ' . $random->pick('JOIN', 'LEFT JOIN') . " $b b ON " . condition($random, 'a', 'b') . ' ' . $random->pick('JOIN', 'LEFT JOIN') . ' s c ON '
          . ($random->chance(50) ? condition($random, $random->pick('a', 'b'), 'c') : 'b.g = c.g AND a.id < c.id');
        push @aliases, 'c';
    }
    else { $where = restriction($random, 'a'); pop @aliases }
    $where .= ' AND ' . restriction($random, $random->pick(@aliases)) if $random->chance(25);
    my $ids = join ', ', map { "$_.id" } @aliases;

    # Which of the rows at the same distance come is open: only distances are compared.
    if ($random->chance(10))
    {
        my ($table, $value) = ($random->pick(qw(r r s v e)), literal(some_text($random)));
        my $limit = $random->chance(80) ? 'LIMIT ' . $random->between(1, 12) : '';
        my $filter = $random->chance(50) ? 'true' : restriction($random, 'x');
        $value = "(SELECT $value\::text)" if $random->chance(20);
        my ($key, $direction) = @{ $random->pick([ "x.t <-> $value", '' ], [ 'x.t ' . $random->pick('<->>', '<->>>') . " $value", '' ], [ "similarity(x.t, $value)", 'DESC' ], [ "similarity($value, x.t)", 'DESC NULLS LAST' ], [ "1 - similarity(x.t, $value)", '' ]) };
        if ($random->chance(40))
        {
            ($key, my $is_turned) = chained(random_chain($random), "similarity(x.t, $value)");
            $direction = $is_turned ? '' : $random->pick('DESC', 'DESC NULLS LAST');
        }
        return "SELECT $key FROM $table x WHERE $filter ORDER BY $key $direction $limit";
    }
    my $form = $random->below(10);
    return "SELECT a.g, count(*), sum(a.id), min($aliases[-1].id) FROM $from WHERE $where GROUP BY a.g" if $form == 0;
    return "SELECT count(*) FROM (SELECT 1 FROM $from WHERE $where LIMIT " . $random->between(1, 9) . ') l' if $form == 1;
    return "SELECT $ids FROM $from WHERE $where ORDER BY $ids LIMIT " . $random->between(1, 9) if $form == 2;
    return "SELECT $ids, (SELECT count(*) FROM s q WHERE " . condition($random, 'a', 'q') . ") FROM $from WHERE $where" if $form == 3;
    return "WITH c1 AS MATERIALIZED (SELECT DISTINCT a.* FROM $from WHERE $where) SELECT x.id, y.id FROM c1 x JOIN c1 y ON " . condition($random, 'x', 'y') if $form == 4;
    return "SELECT $ids, a.t, $aliases[-1].v FROM $from WHERE $where" if $form == 5;
    return "SELECT $ids FROM $from WHERE $where";
}

# How the query is planned where it is not plain.
sub legs
{
    my ($random) = @_;
    my @set;

    push @set, map { "enable_$_ = off" } qw(nestloop hashjoin mergejoin) if $random->chance(85);
    push @set, 'enable_seqscan = off' if $random->chance(50);
    push @set, 'enable_material = off' if $random->chance(20);
    push @set, 'enable_bitmapscan = off' if $random->chance(20);
    push @set, "work_mem = '64kB'", 'hash_mem_multiplier = 1' if $random->chance(20);
    return join '; ', (map { "SET LOCAL $_" } @set), $random->chance(8) ? $WORKERS : ();
}

sub random_check
{
    my ($random) = @_;
    my $all = $random->between(1, 12);
    my $t = $random->chance(50) ? $random->pick(0.3, 0.5, 0.7, 0, 1, 0.2) : $random->between(0, $all) / $all;
    my $setting = $random->chance(30) ? '' : "SET LOCAL pg_trgm.similarity_threshold = $t";
    my ($query, $legs) = (query($random), legs($random));

    return { got_by => join('; ', grep { length } $setting, $legs), got => $query, want_by => join('; ', grep { length } $setting, $PLAIN), want => $query };
}

sub load
{
    my ($session, $tables, %rows) = @_;

    $session->rows(join ";\n", 'DROP TABLE IF EXISTS r, s, e CASCADE', $tables->{script}->(%rows));
    return;
}

fuzz(
    'queries',
    sub {
        my ($random) = @_;
        my $place = $random->pick(@sessions);
        my $session = $place->{session};
        local $ENV{PGDATABASE} = $place->{database};
        my $tables = random_tables($random);
        my %rows = %{ $tables->{rows} };
        my @checks = map { random_check($random) } 1 .. $QUERIES_OF_A_CASE;

        load($session, $tables, %rows);
        my ($failed) = differing($session, @checks);
        return scalar @checks if !$failed;

        my $check = $checks[ $failed->{place} ];
        my $fails = sub { my ($f) = differing($session, $check); return $f };
        for my $table (@TABLES)
        {
            $rows{$table} = [ shrink(sub { load($session, $tables, %rows, $table => [@_]); return $fails->() }, @{ $rows{$table} }) ] if $fails->();
        }
        load($session, $tables, %rows);
        my ($least) = $fails->();
        return report_check($least // $failed, $check, "-- locale $place->{locale}", $tables->{script}->(%rows));
    });
