# Lookups by an index against sequential scans, on tables that several sessions write, empty, vacuum and
# reindex at the same time, with transactions that end in every way; while they do so, and afterwards.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Blocks;
use Comparison;
use Fuzz;

my @INDEXES = (
    ('neardup (t)') x 4, ('gin (t)') x 2, 'gin (t) WITH (fastupdate = off)', 'gin (t) WITH (gin_pending_list_limit = 64)', ('spgist (fp)') x 3, 'btree (fp)', 'hash (t)', 'hash (fp)', 'btree (t)',
    ('neardup (left(t::text, 9) edit_ops)') x 3, 'neardup (g, left(t::text, 9) edit_ops)', ('neardup (g, t)') x 3, 'neardup (g, (id % 2), t)', 'neardup (g, jaccard_ball(t, 0.6))', 'neardup (t) WHERE g > 1', 'gin (simhash_blocks(fp, 3))', 'neardup ((t | \'{1}\'))', 'neardup (jaccard_ball(t, 0.6))', 'spgist (simhash_ball(fp, 3))');
my $PLAIN = join '; ', map { "SET LOCAL enable_$_ = off" } qw(indexscan bitmapscan indexonlyscan);
my $UNIVERSE = 24;

my $session = comparison_session("deadlock_timeout = '20ms'", 'maintenance_work_mem = 1024');
my @sessions = ($session, map { Fuzz::Session->new } 2 .. 4);

sub random_literal
{
    my ($random) = @_;
    return array_literal($random->subset($random->below(9), $UNIVERSE, 'zipf'));
}

# Bits of few values, some of them near each other.
sub random_print
{
    my ($random) = @_;
    return sprintf "'%016x'::simhash", ($random->below(4) * 2177342782468422677) ^ ($random->chance(50) ? 1 << $random->below(63) : 0) ^ ($random->chance(30) ? 1 << $random->below(63) : 0);
}

# ---------------------------------------------------------------------------
# Statements
# ---------------------------------------------------------------------------

sub some_ids
{
    my ($random) = @_;
    my $first = $random->between(1, 90);
    return $random->pick("id = $first", "id BETWEEN $first AND $first + " . $random->below(12), "id % 7 = " . $random->below(7));
}

sub write_statement
{
    my ($random) = @_;
    my $row = sub {
        return '(' . join(', ', $random->between(1, 100), $random->chance(5) ? 'NULL' : $random->below(4), $random->chance(5) ? 'NULL' : random_literal($random), $random->chance(5) ? 'NULL' : random_print($random)) . ')';
    };
    my $ids = some_ids($random);

    return $random->pick(
        ('INSERT INTO d VALUES ' . join(', ', map { $row->() } 1 .. $random->between(1, 8)) . ' ON CONFLICT DO NOTHING') x 4,
        'INSERT INTO d VALUES ' . $row->() . ' ON CONFLICT (id) DO UPDATE SET t = excluded.t, g = excluded.g',
        "INSERT INTO d SELECT id + 100, g, t, fp FROM d WHERE id <= 100 AND $ids ON CONFLICT DO NOTHING",
        "UPDATE d SET t = t | " . random_literal($random) . " WHERE $ids AND cardinality(t) < 100",
        "UPDATE d SET t = " . random_literal($random) . ", fp = " . random_print($random) . " WHERE $ids",
        "UPDATE d SET g = g + 1 WHERE $ids",
        "DELETE FROM d WHERE $ids",
        "DELETE FROM d WHERE id > 90",
        # A row that fills the pending list of an index.
        "INSERT INTO d SELECT 300 + " . $random->below(3) . ", 2, array_agg(x)::tokenset, NULL FROM generate_series(1, " . $random->pick(2000, 70000) . ') x ON CONFLICT DO NOTHING',
        'DELETE FROM d WHERE id >= 300');
}

my $transactions = 0;

sub random_block
{
    my ($random, $indexes) = @_;
    my $kind = $random->below(20);

    return [ write_statement($random) ] if $kind < 9;
    if ($kind < 14)
    {
        my @block = ('BEGIN ISOLATION LEVEL ' . $random->pick('READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'));
        for (1 .. $random->between(1, 3))
        {
            push @block, write_statement($random);
            push @block, 'SAVEPOINT s', write_statement($random), $random->pick('ROLLBACK TO s', 'ROLLBACK TO s', 'RELEASE s') if $random->chance(30);
        }
        return [ @block, $random->pick('COMMIT', 'COMMIT', 'ROLLBACK') ] if $random->chance(85);
        my $name = "'fuzz_" . ++$transactions . "'";
        return [ @block, "PREPARE TRANSACTION $name", 'CHECKPOINT', $random->pick('COMMIT', 'ROLLBACK') . " PREPARED $name" ];
    }
    if ($kind < 17)
    {
        # A deadlock is no difference: REINDEX TABLE locks the index of the TOAST table first, a query last.
        my $differences = 'SELECT * FROM (' . comparison_of(map { random_probe($random) } 1 .. 3) . ") c (n, surplus, missing) WHERE concat(surplus, missing) !~ 'ERROR 40P01'";

        # TRUNCATE, which snapshots do not see through, is not to come between a probe and its scan.
        return [ 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'LOCK TABLE d IN ACCESS SHARE MODE', { sql => $differences, no_row => 1 }, 'COMMIT' ];
    }
    my $place = 1 + $random->below(scalar @$indexes);
    my $clean = join '; ', map { "SELECT gin_clean_pending_list('d$_')" } grep { $indexes->[ $_ - 1 ] =~ /^gin/ } 1 .. @$indexes;
    return [ $random->pick(
            ('VACUUM d') x 4, 'VACUUM ANALYZE d', 'ANALYZE d', 'VACUUM FULL d', 'VACUUM (INDEX_CLEANUP off) d', 'VACUUM FREEZE d', "REINDEX INDEX d$place", 'REINDEX TABLE d',
            "REINDEX INDEX CONCURRENTLY d$place", 'REINDEX TABLE CONCURRENTLY d', ($clean || 'VACUUM d') x 3, $random->chance(30) ? 'TRUNCATE d' : 'VACUUM d',
            'CHECKPOINT') ];
}

# ---------------------------------------------------------------------------
# Lookups
# ---------------------------------------------------------------------------

sub random_probe
{
    my ($random) = @_;
    my $value = random_literal($random) . '::tokenset';
    my $print = random_print($random);
    my $t = $random->pick(0.2, 0.5, 0.6, 0.75, 0.8, 1);
    my $k = $random->pick(0, 1, 2, 3, 8);
    my $measure = $random->pick(qw(jaccard cosine dice containment));
    my $column = $random->chance(90) ? 't' : q{(t | '{1}')};
    my @sets = $random->chance(50) ? ($column, $value) : ($value, $column);
    my $weights = $random->pick('(SELECT token_weights(t) FROM d WHERE id < 300)', map { "'{$_}'::token_weights" } '*:1', '*:3,0:0,1:0.5,2:1', '*:0.5,0:9,1:8', '*:0', '*:0.00002,3:32');
    my $by_weight = $random->pick(qw(jaccard cosine));
    my @prints = $random->chance(50) ? ('fp', $print) : ($print, 'fp');
    my $of_sets = $random->pick(
        ("${measure}_ge($sets[0], $sets[1], $t)") x 4, "overlap_ge($sets[0], $sets[1], " . ($k + 1) . ')', "hamming_le($sets[0], $sets[1], $k)", "$sets[0] % $sets[1]", "$sets[0] && $sets[1]",
        ("idf_${by_weight}_ge($sets[0], $sets[1], $weights, $t)") x 3, "$column \@~ heaviest_tokens_query('idf_$by_weight', $value, $t, $weights)",
        "$sets[0] \@> $sets[1]", "$sets[0] <\@ $sets[1]", "$column = $value", "jaccard_ball(t, 0.6) && jaccard_ball($value, $t)", "$column \@~ tokenset_query('$measure', $value, $t, " . $random->pick('true', 'false') . ')');
    my $of_prints = $random->pick("simhash_within($prints[0], $prints[1], $k)", "fp <\@ simhash_ball($print, $k)", "fp = $print", "simhash_blocks_within(fp, $print, 3)", "simhash_ball(fp, 3) && simhash_ball($print, $k)");
    my @texts = ('left(t::text, 9)', 'left(' . random_literal($random) . ', ' . $random->pick(0, 3, 5, 9, 9, 9, 9) . ')');
    @texts = reverse @texts if $random->chance(50);
    $of_sets = $random->pick("edit_within($texts[0], $texts[1], $k)", "edit_distance($texts[0], $texts[1]) <= $k") if $random->chance(20);
    my $limit = $random->pick(1, 3, 10, 1000);
    my $scope = $random->pick('g = ' . $random->below(4), 'g = ' . $random->below(4), 'g = ' . $random->below(4) . '::int8', "g = 1 AND id % 2 = " . $random->below(2), 'g = ANY(\'{0,2,2}\')');
    my $in_scope = $random->chance(30) ? "$scope AND " : '';
    my $where = $random->chance(40) ? " WHERE $in_scope$of_sets" : $in_scope ? " WHERE $scope" : '';
    my $distance = $random->pick("$column <%> $value", "$column <=> $value", "$column <\@>> $value", "$column <<\@> $value", "$value <<\@> $column", "1 - $measure($column, $value)", "1 - $measure($value, $column)", "$column <-&> $value");
    my $near = $random->chance(40) ? " WHERE simhash_within(fp, $print, $k)" : '';
    my $more = $random->pick('', '', ' AND g > 1', ' AND g > 1', " OR $of_prints", " AND $of_prints", " OR id = 5");
    my $query = $random->pick(
        ("SELECT id, g, cardinality(t) FROM d WHERE $in_scope$of_sets$more") x 4,
        "SELECT id FROM d WHERE $scope",
        "SELECT a.id, b.id FROM d a JOIN LATERAL (SELECT * FROM d b WHERE b.g = a.g AND ${measure}_ge(b.t, a.t, $t) OFFSET 0) b ON true WHERE a.id % 9 = 1 AND cardinality(a.t) < 100",
        "SELECT id FROM d WHERE $of_prints",
        "SELECT fp FROM d WHERE $of_prints",
        "SELECT count(*) FROM d WHERE $of_prints",
        "SELECT id, $distance FROM d$where ORDER BY $distance FETCH FIRST $limit ROWS WITH TIES",
        "SELECT $distance FROM d$where ORDER BY $distance LIMIT $limit",
        "SELECT fp <~> $print FROM d$near ORDER BY fp <~> $print LIMIT $limit",
        "SELECT id, fp <~> $print FROM d$near ORDER BY fp <~> $print FETCH FIRST $limit ROWS WITH TIES",
        "SELECT a.id, b.id FROM d a JOIN LATERAL (SELECT * FROM d b WHERE ${measure}_ge(b.t, a.t, $t) OFFSET 0) b ON true WHERE a.id % 9 = 1 AND cardinality(a.t) < 100",
        "SELECT a.id, b.id FROM (SELECT $weights AS w OFFSET 0) w CROSS JOIN d a JOIN LATERAL (SELECT * FROM d b WHERE idf_${by_weight}_ge(b.t, a.t, w.w, $t) OFFSET 0) b ON true WHERE a.id % 9 = 1 AND cardinality(a.t) < 100",
        "SELECT a.id, b.id FROM d a JOIN d b ON edit_within(left(b.t::text, 9), left(a.t::text, 7), $k) WHERE a.id % 9 = 1 AND a.id < 300 AND b.id < 300",
        "SELECT id FROM d WHERE ${measure}_ge(t, (SELECT t FROM d WHERE id < 300 AND g = 1 ORDER BY id LIMIT 1), $t)");

    return {
        got_by => join('; ', 'SET LOCAL enable_seqscan = off', 'SET LOCAL neardup.enable_similarity_join = off',
            $random->chance(50) ? 'SET LOCAL enable_bitmapscan = off' : 'SET LOCAL enable_indexscan = off',
            $random->chance(60) ? 'SET LOCAL enable_sort = off' : (), $random->chance(20) ? "SET LOCAL work_mem = '64kB'" : ()),
        got => $query,
        want_by => "$PLAIN; SET LOCAL neardup.enable_similarity_join = off",
        want => $query };
}

# ---------------------------------------------------------------------------
# Cases
# ---------------------------------------------------------------------------

sub table_of
{
    my ($random) = @_;
    my @indexes = map { $random->pick(@INDEXES) } 1 .. $random->between(1, 4);
    my @constraint = $random->chance(90) ? () : $random->pick('EXCLUDE USING neardup (t WITH %)', 'EXCLUDE USING neardup (jaccard_ball(t, 0.6) WITH &&)', 'EXCLUDE USING neardup (g WITH =, jaccard_ball(t, 0.6) WITH &&)', 'EXCLUDE USING spgist (simhash_ball(fp, 3) WITH &&)');
    my $table = 'CREATE ' . $random->pick('', '', 'UNLOGGED ') . 'TABLE d (' . join(', ', 'id int PRIMARY KEY, g int, t tokenset, fp simhash', @constraint) . ')';
    my @create = map { [ "CREATE INDEX d$_ ON d USING $indexes[$_ - 1]" ] } 1 .. @indexes;
    my @fill = map { [ write_statement($random) ] } 1 .. $random->below(15);

    return (\@indexes, $table, $random->chance(50) ? (@create, @fill) : (@fill, @create));
}

# After all sessions are done: every index is sound, and finds what a sequential scan finds.
sub final_failure
{
    my ($indexes, @probes) = @_;

    for my $row ($session->rows(q{SELECT i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
        WHERE i.indrelid = 'd'::regclass AND a.amname = 'neardup' AND i.indisvalid}))
    {
        my $result = $session->run("SELECT * FROM neardup_index_check('$row->[0]')");
        return { check => "SELECT * FROM neardup_index_check('$row->[0]')", what => "$result->{state} $result->{message}" } if $result->{state};
    }
    my ($failed) = differing($session, @probes);
    return { what => 'lookup', check => $probes[ $failed->{place} ], %$failed } if $failed;
    return;
}

fuzz(
    'statements and lookups',
    sub {
        my ($random) = @_;
        my ($indexes, $table, @first) = table_of($random);
        my @rounds = ([ \@first ], [ map { [ map { random_block($random, $indexes) } 1 .. $random->between(3, 14) ] } 1 .. $random->between(1, scalar @sessions) ]);
        my @probes = map { random_probe($random) } 1 .. 25;

        # What fails first, if anything: { what }, of a lookup { check } besides.
        my $count;
        my $failure_of = sub {
            $count = 0;
            # A crash leaves transactions that were prepared.
            $session->rows("ROLLBACK PREPARED '$_->[0]'") for $session->rows('SELECT gid FROM pg_prepared_xacts WHERE database = current_database()');
            $session->rows("DROP TABLE IF EXISTS d; $table");
            for my $round (@_)
            {
                my ($done, $failed) = run_blocks(\@sessions, @$round);
                $count += $done;
                return { what => $failed } if $failed;
            }
            return final_failure($indexes, @probes);
        };
        my $failure = $failure_of->(@rounds);
        return $count + @probes if !$failure;

        # Not because an index was left out that another statement names.
        my $fails = sub { my $f = $failure_of->(@_); return $f && $f->{what} !~ /^42/ };
        my @least = shrink_rounds($fails, @rounds);
        $failure = $failure_of->(@least) // $failure;
        my @script = ($table, script_of_rounds(@least));
        return report_check($failure, $failure->{check}, @script) if ref $failure->{check};
        return difference($failure->{what}, @script, $failure->{check} // ());
    });
