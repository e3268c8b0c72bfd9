# Estimates from sketches are unbiased, and spread as the theory says: no wider and no narrower.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use Test::More;

my $node = new_node('minhash');

# Pairs of 200 tokens together, of which they have 20, 40 ... 180 in common. Tokens are consecutive
# integers, whose bits have the least variety, or distinct hashes.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION neardup;
CREATE TABLE pairs AS
SELECT kind, shared / 200.0::float8 AS j, n,
       CASE kind WHEN 'integers' THEN tokenset(ARRAY(SELECT n * 1000 + i FROM generate_series(1, 100 + shared / 2) i))
                 ELSE tokenset(ARRAY(SELECT hashint8extended(n * 1000 + i, shared) FROM generate_series(1, 100 + shared / 2) i)) END AS x,
       CASE kind WHEN 'integers' THEN tokenset(ARRAY(SELECT n * 1000 + i FROM generate_series(101 - shared / 2, 200) i))
                 ELSE tokenset(ARRAY(SELECT hashint8extended(n * 1000 + i, shared) FROM generate_series(101 - shared / 2, 200) i)) END AS y
FROM generate_series(20, 180, 20) shared, generate_series(1::bigint, 2000) n, unnest('{integers,hashes}'::text[]) kind;
SQL
is($node->safe_psql('postgres', 'SELECT count(*), count(*) FILTER (WHERE jaccard(x, y) <> j) FROM pairs'), '36000|0', 'the pairs are as similar as is said');

# What holds for b bits of k components, full width being so many that chance does not matter.
sub estimates
{
    my ($name, $sketch, $k, $bits, $condition) = @_;
    my $rows = $node->safe_psql('postgres', <<"SQL");
WITH estimated AS (
    SELECT kind, j, jaccard_estimate(${\ sprintf $sketch, 'x'}, ${\ sprintf $sketch, 'y'}) AS estimate
    FROM pairs WHERE $condition),
expected AS (
    SELECT kind, j, count(*) AS n, avg(estimate) AS mean, stddev_samp(estimate) AS spread,
           CASE WHEN $bits = 32 THEN sqrt(j * (1 - j) / $k)
                ELSE sqrt((c + (1 - c) * j) * (1 - c - (1 - c) * j) / $k) / (1 - c) END AS theory
    FROM estimated, LATERAL (SELECT 2.0::float8 ^ -$bits AS c) AS chance GROUP BY kind, j, c)
SELECT count(*), min(n),
       coalesce(string_agg(format('%s %s: mean %s', kind, j, mean), ', ') FILTER (WHERE abs(mean - j) > 3 * theory / sqrt(n)), 'unbiased'),
       coalesce(string_agg(format('%s %s: spread %s, not %s', kind, j, spread, theory), ', ') FILTER (WHERE abs(spread / theory - 1) > 0.1), 'as wide as it must be')
FROM expected
SQL
    my ($groups, $least, $mean, $spread) = split /\|/, $rows;

    cmp_ok($least, '>=', 1000, "$name: over a thousand pairs of each of $groups kinds and similarities");
    is($mean, 'unbiased', "$name: the mean is within three standard errors of the similarity");
    is($spread, 'as wide as it must be', "$name: the spread is within a tenth of the standard error");
    return;
}

estimates('minhash, k = 128', 'minhash(%s)', 128, 32, 'true');
estimates('minhash, k = 64 and another seed', 'minhash(%s, 64, seed => 77)', 64, 32, 'true');
estimates("minhash, k = 128, $_ bits", "minhash(%s, 128, $_)", 128, $_, 'true') for 1, 2, 4, 8;
estimates("minhash_datasketch, k = 64, $_", "minhash_datasketch(%s::int8[]::text[], 64, 1, '$_')", 64, 32, 'n <= 1100')
  for 'affine32', 'legacy';

# Different seeds give independent estimates of one pair.
is( $node->safe_psql('postgres', <<'SQL'), 't|t', 'over seeds, the estimates of one pair are unbiased and as wide as they must be');
SELECT abs(avg(e) - 0.5) < 3 * sqrt(0.25 / 128 / 2000), abs(stddev_samp(e) / sqrt(0.25 / 128) - 1) < 0.1
FROM pairs, generate_series(1, 2000) seed, LATERAL (SELECT jaccard_estimate(minhash(x, 128, seed => seed), minhash(y, 128, seed => seed)) AS e) AS estimated
WHERE n = 5 AND j = 0.5 AND kind = 'integers'
SQL

# The sketch does not depend on how large blocks of tokens are.
is( $node->safe_psql('postgres', <<'SQL'), '0', 'the sketch of many tokens is the union of the sketches of few');
WITH tokens AS (SELECT i, tokenset(ARRAY[i * i]) AS t FROM generate_series(1::bigint, 3000) i)
SELECT count(*) FROM generate_series(1, 3000, 97) n
WHERE (SELECT minhash(tokenset_union_agg(t), 200) <> minhash_union_agg(minhash(t, 200)) FROM tokens WHERE i <= n)
SQL

# Each seed of a query has permutations of its own.
is($node->safe_psql('postgres', q{SELECT count(DISTINCT minhash_datasketch('{a,b}', 8, seed)::int8[]) FROM generate_series(1, 5) seed}),
    '5', 'permutations are those of the seed');

# The SQLSTATE with which a sketch of these bytes is received; the words follow version, profile, bits, emptiness, k, seed.
sub receive
{
    my ($bits, $k, @words) = @_;
    my $sketch = pack('C4 N q> N*', 1, 0, $bits, 0, $k, 1, @words);
    my $file = $node->basedir . '/sketch.bin';

    open(my $out, '>:raw', $file) or die "could not open $file: $!";
    print $out "PGCOPY\n\xff\r\n\0", pack('N N n N', 0, 0, 1, length $sketch), $sketch, pack('n', 0xffff);
    close $out;
    return sqlstate_of($node, 'postgres', "CREATE TEMP TABLE received (sketch minhash); COPY received FROM '$file' (FORMAT binary)");
}

is(receive(32, 2, 7, 8), '00000', 'a sketch is received');
is(receive(32, 2, 7), '22P03', 'one with too few words is not');
is(receive(3, 1, 8), '22P03', 'nor one with bits beyond its last component');
is(receive(32, 2, (0xffffffff) x 2), '22P03', 'nor one that lists the components of the empty set');
is(receive(32, 16385, (7) x 16385), '22P03', 'nor one with too many components');

$node->stop;
done_testing();
