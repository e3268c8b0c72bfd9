# The access method neardup on damaged files: neardup_index_check notices damage
# of each page, and no statement that uses the index crashes the server or runs
# on for ever. NEARDUP_DAMAGE=50 damages each page in so many ways.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";

use PostgreSQL::Test::Utils;
use Test::More;

use NeardupTest;

my $ways = $ENV{NEARDUP_DAMAGE} // 4;
my $block_size = 8192;
# Checksums, which initdb enables from 18 on, would find the damage before the access method could.
my $node = new_node('index_damage', conf => "autovacuum = off\nfsync = off\nignore_checksum_failure = on\n");

# Tables whose indexes are the same, byte by byte: a segment, and pending rows.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;
CREATE FUNCTION set_of(seed int, size int) RETURNS tokenset LANGUAGE sql AS $$
    SELECT array_agg(abs(hashint8extended(seed, x)) % 200)::tokenset FROM generate_series(1, size) x $$;
CREATE TABLE source AS SELECT n AS id, set_of(n, 4 + n % 20) AS t FROM generate_series(1, 600) n;
CREATE PROCEDURE make_copy(number int) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE copy_%1$s (id int, t tokenset);
                    INSERT INTO copy_%1$s SELECT * FROM source WHERE id <= 400;
                    CREATE INDEX copy_%1$s_t ON copy_%1$s USING neardup (t);
                    INSERT INTO copy_%1$s SELECT * FROM source WHERE id > 400 AND id <= 500', number);
END $$;
-- What one does with an index; returns the errors.
CREATE FUNCTION use_index(number int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE query text; state text; states text := '';
BEGIN
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_sort = off;
    FOREACH query IN ARRAY ARRAY[
        'SELECT count(*) FROM source s, LATERAL (SELECT FROM copy c WHERE jaccard_ge(c.t, s.t, 0.6) OFFSET 0) c WHERE id % 10 = 0',
        'SELECT count(*) FROM source s, LATERAL (SELECT FROM copy c WHERE c.t && s.t OFFSET 0) c WHERE id % 20 = 0',
        'SELECT count(*) FROM copy c WHERE hamming_le(c.t, ''{1,2,3,4,5,6,7}'', 12) OR c.t <@ ''{1,2,3}''',
        'SELECT count(*) FROM (SELECT t FROM copy ORDER BY t <%> ''{1,2,3,4,5,6,7,8,9}'' LIMIT 1000) c',
        'SELECT count(*) FROM (SELECT t FROM copy WHERE overlap_ge(t, ''{1,2,3,4,5,6,7,8,9}'', 2) ORDER BY t <=> ''{1,2,3}'' LIMIT 5) c',
        'DELETE FROM copy WHERE id % 3 = 0',
        'INSERT INTO copy SELECT * FROM source WHERE id > 500']
    LOOP
        BEGIN
            EXECUTE replace(query, 'copy', 'copy_' || number);
        EXCEPTION WHEN query_canceled OR others THEN
            GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE;
            states := states || state || ' ';
        END;
    END LOOP;
    RETURN states;
END $$;
CALL make_copy(0);
CHECKPOINT;
SQL
my $whole = slurp_file($node->data_dir . '/' . $node->safe_psql('postgres', q{SELECT pg_relation_filepath('copy_0_t')}));
my @blocks = grep { substr($whole, $_ * $block_size, $block_size) =~ /[^\0]/ } 0 .. length($whole) / $block_size - 1;
cmp_ok(scalar @blocks, '>', 8, 'each part of an index has pages (' . @blocks . ')');

# A byte of a block, and what it is changed by: some of the head, the payload and the special space. The metapage's
# unused room says nothing: there, the counts, the streams and the first segment are damaged.
sub damage_of
{
    my ($block, $way) = @_;
    my $lower = unpack 'v', substr($whole, $block * $block_size + 12, 2);

    # A page whose end is too early, and one of another owner.
    return $lower >> 8 ? (13, $lower >> 8) : (12, $lower) if $block > 0 && $way == 0;
    return ($block_size - 16 + int(rand(8)), 1 + int(rand(255))) if $block > 0 && $way == 1;
    return (24 + int(rand($block == 0 ? 800 : $lower - 24)), 1 + int(rand(255)));
}

srand(7);
my @damage;
for my $block (@blocks)
{
    my $most = $block == 0 ? 10 * $ways : $ways;
    for my $way (0 .. $most - 1)
    {
        my ($at, $by) = damage_of($block, $way);
        push @damage, { block => $block, at => $at, by => $by };
    }
}
$node->safe_psql('postgres', "SELECT format('CALL make_copy(%s)', n) FROM generate_series(1, " . @damage . ") n \\gexec");
my @files = split /\n/, $node->safe_psql('postgres',
    "SELECT pg_relation_filepath(format('copy_%s_t', n)::regclass) FROM generate_series(1, " . @damage . ') n');
$node->stop;
for my $n (0 .. $#damage)
{
    my ($damage, $path) = ($damage[$n], $node->data_dir . "/$files[$n]");
    my $bytes = slurp_file($path);

    # Tables differ in nothing that the index has.
    $damage->{same} = length($bytes) == length($whole);
    my $at = $damage->{block} * $block_size + $damage->{at};
    substr($bytes, $at, 1) = chr(ord(substr($bytes, $at, 1)) ^ $damage->{by});
    open my $to, '>:raw', $path or die $!;
    print $to $bytes;
    close $to;
}
$node->start;
is(scalar(grep { !$_->{same} } @damage), 0, 'all indexes are of the same size');

my (%states, %uses);
my ($unnoticed, $crashes, $endless) = (0, 0, 0);
for my $n (1 .. @damage)
{
    my $damage = $damage[ $n - 1 ];
    my $place = "copy $n, block $damage->{block}, byte $damage->{at} ^ $damage->{by}";
    my $state = sqlstate_of($node, 'postgres', "SELECT neardup_index_check('copy_${n}_t')") // 'lost';

    $states{$state}++;
    if ($damage->{block} > 0 && $state !~ /^(XX00[012]|58P01)$/)
    {
        $unnoticed++;
        diag("$place: $state");
    }
    my ($status, $uses) = $node->psql('postgres', "SET statement_timeout = '20s'; SELECT use_index($n)");
    my $vacuum = sqlstate_of($node, 'postgres', "SET statement_timeout = '20s'; VACUUM copy_$n") // 'lost';
    if ($status != 0 || $vacuum eq 'lost')
    {
        $crashes++;
        diag("$place: lost");
        $node->poll_query_until('postgres', 'SELECT true');
    }
    $endless++ if "$uses $vacuum" =~ /57014/;
    $uses{$_}++ for split(/ /, $uses // ''), $vacuum;
}
note('check: ', join ', ', map { "$_: $states{$_}" } sort keys %states);
note('use: ', join ', ', map { "$_: $uses{$_}" } sort keys %uses);
is($unnoticed, 0, 'neardup_index_check notices damage of each page');
cmp_ok($states{XX002} // 0, '>', 0.9 * (@blocks - 1) * $ways, 'most of it as a damaged index');
is($crashes, 0, 'no statement crashes the server');
is($endless, 0, 'none runs on for ever');
# 58P01 and XX000 are the server's own: for blocks and TIDs that cannot be, and rows out of order.
is(join(' ', grep { !/^(00000|XX00[012]|58P01)$/ } sort keys %uses), '', 'each ends well, or tells of damage');
is(sqlstate_of($node, 'postgres', "SELECT neardup_index_check('copy_0_t')"), '00000', 'an undamaged index passes');

# The pending rows have as many extents as the metapage has room for, and cannot grow where they end: others, here of
# a segment that was being built, are behind them. The next insert makes them a segment.
my $path = $node->data_dir . '/' . $node->safe_psql('postgres', q{SELECT pg_relation_filepath('copy_0_t')});
$node->stop;
my $bytes = slurp_file($path);
my ($extents, $pages, $first, $blocks) = unpack 'V4', substr($bytes, 24 + 64, 16);
is("$extents $pages $blocks", '1 8 8', 'pending rows begin with one extent of eight pages');
substr($bytes, 24 + 64, 72) = pack 'V*', 8, 8, map { ($first + $_, 1) } 0 .. 7;
substr($bytes, 24 + 240, 16) = pack 'V*', 1, 1, 1000, 1;
open my $to, '>:raw', $path or die $!;
print $to $bytes;
close $to;
$node->start;
is(sqlstate_of($node, 'postgres', 'INSERT INTO copy_0 SELECT n, set_of(n, 20) FROM generate_series(501, 1000) n'),
    '00000', 'rows are inserted where the pending ones cannot grow');
is($node->safe_psql('postgres', "SELECT segments, rows, rows > pending + 400 FROM neardup_index_check('copy_0_t')"), '2|1000|t',
    'those that were pending are a segment');
$node->stop;
done_testing();
