# Indexes neardup of more rows than maintenance_work_mem holds: they are built of segments in temporary files, are one
# segment without free pages, and find what a sequential scan finds; errors and cancels leave nothing; VACUUM VERBOSE
# tells the free pages.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use Test::More;
use Time::HiRes 'time';

use NeardupTest;

my $node = new_node('build', conf => "autovacuum = off\nmaintenance_work_mem = '1MB'\nsynchronous_commit = on\nfull_page_writes = on\n");

sub value
{
    return $node->safe_psql('postgres', $_[0]);
}

# Families of rows that are equal or differ in a token, in owners of one row, a pair, a dozen and a thousand.
value(<<'SQL');
CREATE EXTENSION neardup;
CREATE FUNCTION owner_of(n int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE n % 4 WHEN 0 THEN -n WHEN 1 THEN n / 8 WHEN 2 THEN 100000 + n / 48 ELSE 200000 + n / 4000 END $$;
CREATE FUNCTION tokens_of(n int) RETURNS tokenset LANGUAGE sql IMMUTABLE AS $$
    SELECT array_agg((9000 * (abs(hashint8extended(n / 8, k)) % 10000 / 10000.0) ^ 3)::int + CASE WHEN k = n % 9 THEN 9001 ELSE 0 END)::tokenset
    FROM generate_series(1, 10 + n / 8 % 9) k $$;
CREATE TABLE sets AS SELECT n AS id, owner_of(n) AS owner, tokens_of(n) AS t FROM generate_series(1, 40000) n;
INSERT INTO sets SELECT -n, n, CASE WHEN n % 2 = 0 THEN '{}'::tokenset END FROM generate_series(1, 20) n;
CREATE TABLE texts AS SELECT n AS id,
    (SELECT string_agg(CASE WHEN k = 7 * n % 300 THEN 'another' ELSE md5((abs(hashint8extended(n / 4, k)) % 2000)::text) END, ' ')
     FROM generate_series(1, 300) k) AS body FROM generate_series(1, 150) n;
CREATE TABLE names AS SELECT n AS id, (SELECT string_agg(substr(md5((n / 4)::text || k), 1, 8) || CASE WHEN k = n % 4 THEN 'x' ELSE '' END, ' ')
     FROM generate_series(1, 5) k) AS name FROM generate_series(1, 12000) n;

-- How many rows of a query find something, and how many differ between index and sequential scan, which the plans are. What
-- the sequential scan found is kept.
CREATE FUNCTION compare(query text, OUT finding int8, OUT differing int8, OUT by_index bool) LANGUAGE plpgsql AS $$
DECLARE line text; by_scan text := 'scan_' || md5(query);
BEGIN
    SET LOCAL enable_indexscan = off;
    SET LOCAL enable_bitmapscan = off;
    IF to_regclass(by_scan) IS NULL THEN
        EXECUTE format('CREATE TABLE %I AS %s', by_scan, query);
    END IF;
    SET LOCAL enable_indexscan = on;
    SET LOCAL enable_bitmapscan = on;
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_sort = off;
    by_index := true;
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        by_index := by_index AND line !~ 'Seq Scan on \w+ b';
    END LOOP;
    EXECUTE 'CREATE TEMP TABLE by_index AS ' || query;
    EXECUTE format('SELECT count(*) FILTER (WHERE cardinality(s.r) > 1), count(*) FILTER (WHERE s.r IS DISTINCT FROM i.r)
                    FROM %I s FULL JOIN by_index i USING (id)', by_scan) INTO finding, differing;
    DROP TABLE by_index;
END $$;
SQL

my $has_trgm = value("SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm'");
value('CREATE EXTENSION pg_trgm; CREATE EXTENSION neardup_trgm') if $has_trgm;

# What is indexed, and lookups: rows b for each of some rows a.
my %INDEXES = (
    sets => {
        columns => 't',
        rows => 'b.t % a.t', nearest => 'b.t <%> a.t', every => 1009
    },
    scopes => {
        table => 'sets',
        columns => 'owner, t',
        rows => 'b.owner = a.owner AND b.t % a.t', within => 'b.owner = a.owner', nearest => 'b.t <%> a.t', every => 401
    },
    texts => {
        columns => 'body edit_ops',
        rows => 'edit_within(b.body, a.body, 70)', every => 17,
        files => 70 # of which 64 are merged at once
    },
    $has_trgm ? (names => {
        columns => 'name trgm_ops',
        rows => 'b.name % a.name', nearest => 'b.name <-> a.name', every => 1009
    }) : ());

# The index is in order, holds all rows in one segment, and next to nothing of its file is free.
sub is_compact
{
    my ($index, $table, $rule) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    is(value("SELECT segments, c.rows = (SELECT count(*) FROM $table), pending, dead, pages > 50, free_pages <= pages / 20 FROM neardup_index_check('$index') c"),
        '1|t|0|0|t|t', "$rule: one segment of all rows, no free pages")
      or diag(value("SELECT * FROM neardup_index_check('$index')"));
    return;
}

# Lookups find what a sequential scan finds.
sub same_lookups
{
    my ($index, $rule) = @_;
    my $table = $INDEXES{$index}{table} // $index;
    my $where = "FROM $table a WHERE a.id % $INDEXES{$index}{every} = 1";
    my $within = $INDEXES{$index}{within} // 'true';
    my $nearest = $INDEXES{$index}{nearest};
    my @queries = "SELECT a.id, ARRAY(SELECT b.id FROM $table b WHERE $INDEXES{$index}{rows} ORDER BY b.id) AS r $where";
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    push @queries, "SELECT a.id, ARRAY(SELECT $nearest FROM $table b WHERE $within ORDER BY $nearest LIMIT 9) AS r $where" if $nearest;
    is(value("SELECT finding > 5, differing, by_index FROM compare(\$\$$_\$\$)"), 't|0|t', "$rule: the same rows as by a sequential scan")
      for @queries;
    return;
}

for my $name (sort keys %INDEXES)
{
    my $table = $INDEXES{$name}{table} // $name;
    my $on = "ON $table USING neardup ($INDEXES{$name}{columns})";
    my $files = value('SELECT temp_files FROM pg_stat_database WHERE datname = current_database()');

    value("CREATE INDEX i_$name $on");
    # A session reports its files when it has ended.
    my $least = $INDEXES{$name}{files} // 10;
    $node->poll_query_until('postgres', "SELECT temp_files - $files > $least FROM pg_stat_database WHERE datname = current_database()");
    my $more = value('SELECT temp_files FROM pg_stat_database WHERE datname = current_database()') - $files;
    cmp_ok($more, '>', $least, "$name: segments go to files ($more)");
    is_compact("i_$name", $table, "$name, CREATE INDEX");
    same_lookups($name, "$name, CREATE INDEX");
    for my $statement ("REINDEX INDEX i_$name", "REINDEX INDEX CONCURRENTLY i_$name", "DROP INDEX i_$name", "CREATE INDEX CONCURRENTLY i_$name $on")
    {
        value($statement);
        next if $statement =~ /DROP/;
        is_compact("i_$name", $table, $statement);
        same_lookups($name, $statement) if $statement =~ /CREATE/;
    }
    value("DROP INDEX i_$name") unless $name eq 'sets';
}

# Merging keeps the order of equal sizes, which makes lists a little larger, and no more.
value("SET maintenance_work_mem = '256MB'; CREATE INDEX at_once ON sets USING neardup (t)");
my ($size, $at_once) = split /\|/, value("SELECT pg_relation_size('i_sets'), pg_relation_size('at_once')");
cmp_ok($size, '<', 1.2 * $at_once, "the file is hardly larger than that of an index made at once ($size, $at_once)");
value('DROP INDEX at_once');

# ---------------------------------------------------------------------------
# Errors, cancels, crashes
# ---------------------------------------------------------------------------

# The states of statements of one session, whether temporary files are left, and whether the index is.
sub outcome
{
    my (@statements) = @_;
    my ($code, $out, $err) = $node->psql('postgres', join(";\n", @statements) . <<'SQL', on_error_stop => 0, extra_params => [ '-v', 'VERBOSITY=sqlstate' ]);
;
SET statement_timeout = 0;
SELECT count(*) FROM pg_ls_tmpdir();
SELECT count(*) FROM pg_class WHERE relname = 'failing';
SQL
    return join ' ', $err =~ /ERROR: +(\w+)/g, $out =~ /(\d+)/g;
}

my $failing = 'CREATE INDEX failing ON sets USING neardup';
is(outcome("SET temp_file_limit = '2MB'", "$failing (t)"), '53400 0 0', 'temp_file_limit holds, and leaves nothing');
value(<<'SQL');
CREATE FUNCTION cancelled_at(last int, id int, t tokenset) RETURNS tokenset LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF id = last THEN PERFORM pg_cancel_backend(pg_backend_pid()); PERFORM pg_sleep(60); END IF;
    RETURN t;
END $$;
CREATE FUNCTION failing_at(last int, id int, t tokenset) RETURNS tokenset LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF id = last THEN RAISE division_by_zero; END IF;
    RETURN t;
END $$;
SQL
is(outcome("$failing (cancelled_at(39000, id, t))"), '57014 0 0', 'a cancel while rows come leaves nothing');
is(outcome("$failing (failing_at(39000, id, t))"), '22012 0 0', 'an error while rows come leaves nothing');
my $start = time;
value('REINDEX INDEX i_sets');
my $milliseconds = 1000 * (time - $start);
for my $part (1, 3, 5, 7, 9)
{
    my $timeout = 1 + int($milliseconds * $part / 10);
    like(outcome("SET statement_timeout = $timeout", 'REINDEX INDEX i_sets'), qr/^(57014 )?0 0$/, "cancelled after $part tenths: nothing is left");
}
is_compact('i_sets', 'sets', 'the index is as before');
same_lookups('sets', 'the index is as before');

value('CREATE UNLOGGED TABLE unlogged AS SELECT * FROM sets; CREATE INDEX i_unlogged ON unlogged USING neardup (t)');
is_compact('i_unlogged', 'unlogged', 'an unlogged table');
value('CREATE INDEX i_scopes ON sets USING neardup (owner, t)');
$node->stop('immediate');
$node->start;
is_compact('i_scopes', 'sets', 'after a crash');
same_lookups('scopes', 'after a crash');
is(value("SELECT rows, free_pages FROM neardup_index_check('i_unlogged')"), '0|0', 'after a crash an unlogged index is empty');

# ---------------------------------------------------------------------------
# VACUUM VERBOSE
# ---------------------------------------------------------------------------

# The pages that VACUUM VERBOSE tells of an index: in total, no longer used, free.
sub told_pages
{
    my ($index) = @_;
    my ($code, $out, $err) = $node->psql('postgres', 'VACUUM (VERBOSE) sets');

    return join '|', $err =~ /index "$index": pages: (\d+) in total, 0 newly deleted, (\d+) currently deleted, (\d+) reusable/;
}

like(told_pages('i_sets'), qr/^[1-9]\d*\|0\|0$/, 'VACUUM VERBOSE: no page of a new index is free');
value('DELETE FROM sets WHERE id % 2 = 0');
value(q{DO $$ DECLARE t name; BEGIN FOR t IN SELECT relname FROM pg_class WHERE relname ~ '^scan_' LOOP EXECUTE format('DROP TABLE %I', t); END LOOP; END $$});
my ($pages, $deleted, $free) = split /\|/, told_pages('i_sets');
is("$pages|$free", value("SELECT pages, free_pages FROM neardup_index_check('i_sets')"), 'VACUUM VERBOSE: as neardup_index_check says');
cmp_ok($free, '>', $pages / 4, "when the segment is written again, its pages are free ($free of $pages)");
is($deleted, $free, 'where no scan reads them');
same_lookups('sets', 'after VACUUM');

done_testing();
