# near_duplicates = an oracle in Perl: random rows with copies, empty and NULL texts, every order of
# keeping, mode and threshold; then texts that are short, of other scripts, or many megabytes
# of one word; and a cancel. NEARDUP_SEEDS="17 23" runs only these seeds.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use NeardupTest;
use SeededRandom;
use Test::More;

my @seeds = seeds(60);
my @MODES = qw(star complete connected);
my @WORDS = qw(alpha beta gamma delta epsilon zeta eta theta);

# Orders of keeping: SQL, and the same in Perl.
my @KEEPS = (
    [ undef, sub { $_[0]{id} <=> $_[1]{id} } ],
    [ 'rating DESC', sub { $_[1]{rating} <=> $_[0]{rating} || $_[0]{id} <=> $_[1]{id} } ],
    [ 'rating % 3 NULLS FIRST, id DESC -- the last', sub { $_[0]{rating} % 3 <=> $_[1]{rating} % 3 || $_[1]{id} <=> $_[0]{id} } ]);

my $node = new_node('near_duplicates');
my $WORKERS = force_workers($node) . '; SET max_parallel_workers_per_gather = 2;';
$node->safe_psql('postgres', 'CREATE EXTENSION neardup;
    CREATE TABLE docs (seed int, id int, body text, rating int, site text, PRIMARY KEY (seed, id))');

sub random_rows
{
    my ($seed) = @_;
    my $random = SeededRandom->new($seed);
    my (@rows, %used);
    for (1 .. 4 + $random->below($seed % 7 == 0 ? 60 : 18))
    {
        my $id = $random->below(2000) - 1000;
        next if $used{$id}++;
        my $kind = $random->below(12);
        my $body;
        if ($kind == 0) { $body = undef }
        elsif ($kind == 1) { $body = ('', '...', '?!')[ $random->below(3) ] }
        elsif ($kind < 4 && @rows) { $body = $rows[ $random->below(scalar @rows) ]{body} }
        else { $body = join ' ', map { $WORDS[ $random->below(4 + $seed % 5) ] } 1 .. 1 + $random->below(6) }
        $body = uc $body if defined $body && $random->below(9) == 0;
        push @rows, { id => $id, body => $body, rating => $random->below(5), site => (undef, '', 'a', 'b')[ $random->below(4) ] };
    }
    return @rows;
}

# Overlap and union of the multisets of words.
my %overlap_and_union;

sub overlap_and_union
{
    my ($x, $y) = @_;

    return @{ $overlap_and_union{$x}{$y} //= [ count_overlap_and_union($x, $y) ] };
}

sub count_overlap_and_union
{
    my ($x, $y) = @_;
    my %count;
    my $overlap = 0;
    my @x = lc($x) =~ /\w+/g;
    my @y = lc($y) =~ /\w+/g;
    $count{$_}++ for @x;
    for my $word (@y)
    {
        next if !$count{$word};
        $count{$word}--;
        $overlap++;
    }
    return ($overlap, @x + @y - $overlap);
}

# "id duplicate_of similarity kind cluster" of each row that goes; the threshold in tenths. Rows may be
# similar where $may_be says so. If $is_contained, a row is similar to one that contains it.
sub oracle
{
    my ($rows, $tenths, $keep, $mode, $may_be, $is_contained) = @_;
    my @rows = sort { $keep->($a, $b) } grep { defined $_->{body} } @$rows;
    my (@similar, @survivor, @value);
    for my $i (0 .. $#rows)
    {
        for my $j (0 .. $#rows)
        {
            next if $may_be && !$may_be->($rows[$i], $rows[$j]);
            my ($overlap, $union) = overlap_and_union($rows[$i]{body}, $rows[$j]{body});
            my $is_copy = $rows[$i]{body} eq $rows[$j]{body};
            $union = words_in($rows[$j]) if $is_contained;
            next if !$is_copy && ($overlap == 0 || $overlap * 10 < $tenths * $union);
            $similar[$i][$j] = 1;
            $value[$j][$i] = $is_copy ? 1 : $overlap / $union;
        }
    }
    for my $i (0 .. $#rows)
    {
        next if defined $survivor[$i] && $mode ne 'complete';
        if ($mode eq 'star')
        {
            $survivor[$_] //= $i for grep { $similar[$i][$_] } $i .. $#rows;
        }
        elsif ($mode eq 'complete')
        {
            ($survivor[$i]) = grep {
                my $centre = $_;
                $survivor[$centre] == $centre
                  && !grep { $survivor[$_] == $centre && !$similar[$i][$_] } 0 .. $i - 1
            } 0 .. $i - 1;
            $survivor[$i] //= $i;
        }
        else
        {
            my @queue = ($i);
            while (defined(my $next = shift @queue))
            {
                next if defined $survivor[$next];
                $survivor[$next] = $i;
                push @queue, grep { $similar[$next][$_] } 0 .. $#rows;
            }
        }
    }
    my %least;
    for my $i (0 .. $#rows)
    {
        my $least = \$least{ $survivor[$i] };
        $$least = $rows[$i]{id} if !defined $$least || $rows[$i]{id} < $$least;
    }
    return join "\n", sort map {
        my ($row, $kept, $value) = ($rows[$_], $rows[ $survivor[$_] ], $value[$_][ $survivor[$_] ]);
        join ' ', $row->{id}, $kept->{id}, defined $value ? sprintf('%.6f', $value) : '-',
          $row->{body} eq $kept->{body} ? 'exact' : 'near', $least{ $survivor[$_] };
    } grep { $survivor[$_] != $_ } 0 .. $#rows;
}

sub quoted
{
    my ($text) = @_;

    return defined $text ? "'$text'" : 'NULL';
}

my %rows = map { $_ => [ random_rows($_) ] } @seeds;
$node->safe_psql('postgres', join "\n", map {
    my $seed = $_;
    map { sprintf "INSERT INTO docs VALUES (%d, %d, %s, %d, %s);", $seed, $_->{id}, quoted($_->{body}), $_->{rating}, quoted($_->{site}) } @{ $rows{$seed} };
} @seeds);
$node->safe_psql('postgres', join "\n", map { "CREATE VIEW docs_$_ AS SELECT id, id + 0.25 AS numeric_id, body, rating, site FROM docs WHERE seed = $_;" } @seeds);

# The rows of a call for each seed, as the oracle has them; the arguments in SQL behind the threshold.
sub calls_as_oracle
{
    my ($arguments, $oracle, @tenths) = @_;
    my ($differ, $found_rows, $calls, $example) = (0, 0, 0);

    for my $tenths (@tenths)
    {
        my $found = join "\n", map {
            "SELECT string_agg(concat_ws(' ', id, duplicate_of, coalesce(to_char(similarity, 'FM0.000000'), '-'), kind, cluster), E'\\n' ORDER BY
                concat_ws(' ', id, duplicate_of) COLLATE \"C\") FROM near_duplicates('docs_$_', 'id', 'body', $tenths / 10.0, 'word_tokens(body)', $arguments);
             SELECT '--';"
        } @seeds;
        my @found = split /^--\n?/m, $node->safe_psql('postgres', $found), -1;
        for my $i (0 .. $#seeds)
        {
            my $got = join "\n", sort grep { length } split /\n/, $found[$i];
            my $expected = $oracle->($rows{ $seeds[$i] }, $tenths);
            $calls++;
            $found_rows += () = $expected =~ /^./mg;
            next if $got eq $expected;
            $differ++;
            $example //= "seed $seeds[$i], threshold $tenths/10\ngot\n$got\nexpected\n$expected";
        }
    }
    is($differ, 0, "$arguments: $calls calls, $found_rows rows, as the oracle") or diag($example);
    return $found_rows;
}

$node->safe_psql('postgres', 'CREATE TABLE excepted AS
    SELECT DISTINCT a.id AS a, b.id::int8 AS b FROM docs a JOIN docs b USING (seed) WHERE (a.id + b.id) % 3 = 0 AND a.id <= b.id UNION ALL VALUES (NULL, 1), (5000, 6000)');

for my $mode (@MODES)
{
    for my $keep (@KEEPS)
    {
        my $order = defined $keep->[0] ? "'$keep->[0]'" : 'NULL';
        cmp_ok(calls_as_oracle("$order, '$mode'", sub { oracle(@_, $keep->[1], $mode) }, 3, 5, 6, 8, 10), '>', 8 * @seeds, 'and there is something to find');

        # The pairs of keys whose sum is a multiple of 3 are different, exact copies as well.
        cmp_ok(calls_as_oracle("$order, '$mode', except_pairs => 'TABLE excepted'", sub { oracle(@_, $keep->[1], $mode, \&are_not_excepted) }, 3, 6, 10),
            '>', @seeds, 'and there is something to find');
        cmp_ok(calls_as_oracle("$order, '$mode', within => 'site', except_pairs => 'TABLE excepted'",
                sub { oracle(@_, $keep->[1], $mode, sub { ($_[0]{site} // 'NULL') eq ($_[1]{site} // 'NULL') && are_not_excepted(@_) }) }, 3, 10),
            '>', @seeds, 'and there is something to find');

        # Rows are compared within scopes; NULL equals NULL.
        cmp_ok(calls_as_oracle("$order, '$mode', within => 'site, rating > 2 -- both'", sub { oracle(@_, $keep->[1], $mode, \&are_within) }, 3, 6, 10),
            '>', @seeds, 'and there is something to find');
    }
}

# A row goes if it is contained in one that stays; the largest are taken first, unless there is an order.
for my $keep ([ undef, sub { words_in($_[1]) <=> words_in($_[0]) || $_[0]{id} <=> $_[1]{id} } ], @KEEPS[ 1, 2 ])
{
    my $arguments = (defined $keep->[0] ? "'$keep->[0]'" : 'NULL') . ", 'star', 'containment'";

    cmp_ok(calls_as_oracle($arguments, sub { oracle(@_, $keep->[1], 'star', undef, 1) }, 3, 5, 8, 10), '>', 4 * @seeds, 'and there is something to find');
    calls_as_oracle("$arguments, within => 'site', except_pairs => 'TABLE excepted'",
        sub { oracle(@_, $keep->[1], 'star', sub { ($_[0]{site} // 'NULL') eq ($_[1]{site} // 'NULL') && are_not_excepted(@_) }, 1) }, 3, 8);
}

sub words_in
{
    my ($row) = @_;

    return scalar(() = $row->{body} =~ /\w+/g);
}

sub are_not_excepted
{
    my ($x, $y) = @_;

    return $x->{id} == $y->{id} || ($x->{id} + $y->{id}) % 3 != 0;
}

sub are_within
{
    my ($x, $y) = @_;

    return ($x->{site} // 'NULL') eq ($y->{site} // 'NULL') && ($x->{rating} > 2) == ($y->{rating} > 2);
}

# The form for keys of any type is the same, and the memory that is given does not matter.
is($node->safe_psql('postgres', join ' UNION ALL ', map { my $seed = $_; map { "(SELECT * FROM (
        SELECT id, duplicate_of, similarity, kind, cluster FROM near_duplicates('docs_$seed', 'id', 'body', 0.5, 'word_tokens(body)', 'rating', '$_')
        EXCEPT SELECT (id - 0.25)::int, (duplicate_of - 0.25)::int, similarity, kind, (cluster - 0.25)::int
        FROM near_duplicates_keyed(NULL::numeric, 'docs_$seed', 'numeric_id', 'body', 0.5, 'word_tokens(body)', 'rating', '$_')) AS x)" } @MODES } @seeds), '',
    'keys of type numeric give the same rows');
$node->safe_psql('postgres', q{CREATE TABLE big AS
    SELECT i AS id, md5((i % 6000)::text) || ' ' || md5((i % 6000 + 1)::text) || CASE WHEN i % 7 = 0 THEN ' more' ELSE '' END AS body FROM generate_series(1, 20000) AS i});
my @digests = map { $node->safe_psql('postgres', "$_ SELECT md5(string_agg(d::text, ' ' ORDER BY id)), count(*) > 1000 FROM near_duplicates('big', 'id', 'body', 0.8) AS d") }
  q{SET neardup.join_memory = '64MB';}, q{SET neardup.join_memory = '1MB';},
  q{SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;};
is($digests[1], $digests[0], 'little memory gives the same rows');
is($digests[2], $digests[0], 'so do workers');
like($digests[0], qr/\|t$/, 'of which there are many');

# Clusters are found in passes over parts of the rows. The oracle is cluster_pairs of all pairs. Ids are places.
my $NUMBERS = $ENV{NEARDUP_ALL} ? 3000 : 2000;
$node->safe_psql('postgres', "CREATE VIEW numbers AS SELECT i, (hashint4(i) & 2147483647) AS h FROM generate_series(1, $NUMBERS) AS i;" . q{
    CREATE TABLE one_family AS SELECT i AS id, 'one two three four five six seven eight nine word' || i AS body FROM numbers WHERE i <= 1000;
    CREATE TABLE shuffled AS SELECT i AS id, format('a%1$s b%1$s c%1$s d%1$s e%1$s f%2$s g%3$s %4$s', h % 40, h / 40 % 4, h / 160 % 4, CASE WHEN i % 5 = 0 THEN 'h' || i END) AS body FROM numbers;
    CREATE TABLE in_turn AS SELECT i AS id, format('a%1$s b%1$s c%1$s d%1$s e%1$s f%2$s g%3$s', i / 60, h % 5, h / 5 % 5) AS body FROM numbers;
    CREATE TABLE loose AS SELECT i AS id, format('a b c d e f g h i j k%1$s l%2$s m%3$s n%4$s', h % 4, h / 4 % 4, h / 16 % 4, h / 64 % 4) AS body FROM numbers;
    CREATE TABLE copied AS SELECT i AS id, format('%4$s%1$s b%1$s c%1$s f%2$s g%3$s', h % 30, h / 30 % 6, h / 180 % 3, CASE WHEN h / 1000 % 2 = 0 THEN 'a' ELSE 'A' END) AS body FROM numbers;
    -- rows of their own, and behind them a large family whose rows are similar to some of the others
    CREATE TABLE late AS SELECT i AS id, CASE WHEN i <= 1000 THEN (SELECT string_agg('x' || i || 'y' || j, ' ') FROM generate_series(1, 20) AS j)
        ELSE (SELECT string_agg('w' || j, ' ') FROM generate_series(1, 10 + h % 3) AS j)
            || (SELECT string_agg(format(' v%sz%s', j, h / (5 ^ j)::int % 5), '') FROM generate_series(1, 5) AS j) END AS body
        FROM (SELECT i, abs(hashint4(i)) AS h FROM generate_series(1, 2200) AS i) AS n;
    CREATE TABLE chains AS SELECT i AS id, (SELECT string_agg('w' || j, ' ') FROM generate_series(h % 2500, h % 2500 + 8) AS j WHERE j / 120 = (h % 2500) / 120) AS body FROM numbers});
for ([qw(one_family jaccard)], [qw(shuffled jaccard)], [qw(shuffled idf_cosine)], [qw(in_turn jaccard)], [qw(in_turn idf_cosine)], [qw(loose jaccard)],
    [qw(copied idf_cosine)], [qw(chains jaccard)], [qw(chains idf_jaccard)], [qw(late jaccard)], [qw(late idf_cosine)])
{
    my ($table, $measure) = @$_;
    my $query = $measure =~ /^idf/ ? "SELECT min(id) AS id, word_set(min(body)) FROM $table GROUP BY body" : "SELECT min(id) AS id, word_set(body) FROM $table GROUP BY 2";

    $node->safe_psql('postgres', "CREATE TABLE pairs AS SELECT * FROM ppjoin('$query', 0.7, '$measure'); ANALYZE pairs");
    for my $mode (@MODES)
    {
        $node->safe_psql('postgres', "
            CREATE TABLE expected AS SELECT c.id, c.cluster AS duplicate_of, p.similarity FROM cluster_pairs('SELECT a, b FROM pairs', '$mode') AS c
                LEFT JOIN pairs AS p ON (p.a, p.b) = (c.cluster, c.id) WHERE c.id <> c.cluster;
            ANALYZE expected");
        for my $settings ('', q{SET neardup.join_memory = '64kB';}, $WORKERS)
        {
            is($node->safe_psql('postgres', "$settings
                CREATE TEMP TABLE found AS SELECT id, duplicate_of, similarity FROM near_duplicates('$table', 'id', 'body', 0.7, 'word_set(body)', mode => '$mode', measure => '$measure')
                    WHERE id IN (SELECT id FROM ($query) AS firsts);
                ANALYZE found;
                SELECT (SELECT count(*) FROM (TABLE expected EXCEPT TABLE found) AS x), (SELECT count(*) FROM (TABLE found EXCEPT TABLE expected) AS x),
                    (SELECT count(*) > 100 FROM expected)"),
                '0|0|t', "$mode clusters of $table by $measure" . ($settings =~ /join_memory/ ? ', with little memory' : $settings ? ', with workers' : ''));
        }
        $node->safe_psql('postgres', 'DROP TABLE expected');
    }
    $node->safe_psql('postgres', 'DROP TABLE pairs');
}

# Within many scopes, in memory, in files and with workers: each scope by itself is the oracle.
$node->safe_psql('postgres', join '', map { "CREATE VIEW part_$_ AS SELECT * FROM shuffled WHERE id % 5 = $_;" } 0 .. 4);
for my $mode (@MODES)
{
    $node->safe_psql('postgres', 'CREATE TABLE expected AS ' . join ' UNION ALL ',
        map { "SELECT * FROM near_duplicates('part_$_', 'id', 'body', 0.7, 'word_set(body)', 'id DESC', '$mode')" } 0 .. 4);
    for my $settings ('', q{SET neardup.join_memory = '64kB';}, $WORKERS)
    {
        is($node->safe_psql('postgres', "$settings
            CREATE TEMP TABLE found AS SELECT * FROM near_duplicates('shuffled', 'id', 'body', 0.7, 'word_set(body)', 'id DESC', '$mode', within => 'id % 5');
            SELECT (SELECT count(*) FROM (TABLE expected EXCEPT TABLE found) AS x), (SELECT count(*) FROM (TABLE found EXCEPT TABLE expected) AS x),
                (SELECT count(*) > 100 FROM expected)"),
            '0|0|t', "$mode clusters of scopes" . ($settings =~ /join_memory/ ? ', with little memory' : $settings ? ', with workers' : ''));
    }
    $node->safe_psql('postgres', 'DROP TABLE expected');
}

# Each row of many is in the first one that contains it and stays, in memory, in files and with workers; also in another order,
# within scopes and without some pairs.
my $LITTLE = q{SET neardup.join_memory = '64kB';};
my $LARGEST = 'cardinality(word_set(body)) DESC, id';
for ((map { [ $_, '', $LARGEST, 'true', '', $LITTLE, $WORKERS ] } qw(one_family loose copied chains late)),
    map { my $table = $_; map { [ $table, @$_, '', $LITTLE ] } [ q{, keep => 'id DESC'}, 'id DESC', 'true' ], [ q{, within => 'id % 3'}, $LARGEST, 'is_within' ],
        [ q{, except_pairs => 'TABLE excepted_of'}, $LARGEST, 'NOT is_excepted' ] } qw(shuffled late))
{
    my ($table, $arguments, $order, $condition, @settings) = @$_;

    $node->safe_psql('postgres', "CREATE TABLE placed AS SELECT row_number() OVER (ORDER BY $order) AS place, id, word_set(body) AS words FROM $table;
        CREATE TABLE contained AS SELECT k.place AS a, r.place AS b, k.id AS kept, r.id, similarity, k.id % 3 = r.id % 3 AS is_within, (k.id + r.id) % 5 = 0 AS is_excepted
            FROM ppjoin('SELECT id, words FROM placed', 0.8, 'containment') AS p JOIN placed AS r ON r.id = p.a JOIN placed AS k ON k.id = p.b WHERE k.place < r.place;
        CREATE TABLE excepted_of AS SELECT id, kept FROM contained WHERE is_excepted;
        CREATE TABLE expected AS SELECT p.id, p.kept AS duplicate_of, p.similarity
            FROM cluster_pairs('SELECT a, b FROM contained WHERE $condition', 'star') AS c JOIN contained AS p ON (p.a, p.b) = (c.cluster, c.id);
        ANALYZE expected");
    for my $settings (@settings)
    {
        is($node->safe_psql('postgres', "$settings
            CREATE TEMP TABLE found AS SELECT id, duplicate_of, similarity FROM near_duplicates('$table', 'id', 'body', 0.8, 'word_set(body)', measure => 'containment'$arguments);
            ANALYZE found;
            SELECT (SELECT count(*) FROM (TABLE expected EXCEPT TABLE found) AS x), (SELECT count(*) FROM (TABLE found EXCEPT TABLE expected) AS x),
                (SELECT count(*) > 100 FROM expected)"),
            '0|0|t', "what is contained in a row of $table that stays$arguments" . ($settings =~ /join_memory/ ? ', with little memory' : $settings ? ', with workers' : ''));
    }
    $node->safe_psql('postgres', 'DROP TABLE placed, contained, excepted_of, expected');
}

# With pairs that are none, many of equal rows, in memory, in files and with workers. The oracle is cluster_pairs. By weights, a row
# that occurs in such a pair is a text of its own, and other texts count once.
$node->safe_psql('postgres', q{
    CREATE TABLE different AS SELECT b, a FROM ppjoin('SELECT id, word_set(body) FROM copied', 0.7) WHERE a % 7 = 0 AND b % 3 = 0;
    ANALYZE different});
for my $measure (qw(jaccard idf_cosine))
{
    my $documents = $measure eq 'jaccard' ? 'SELECT id, word_set(body) FROM copied' :
      'WITH own AS MATERIALIZED (SELECT a FROM different UNION SELECT b FROM different)
       SELECT min(id), word_set(body) FROM copied GROUP BY body, CASE WHEN id IN (TABLE own) THEN id END';

    $node->safe_psql('postgres', "CREATE TABLE documents AS SELECT * FROM ($documents) AS d (id, words);
        CREATE TABLE left_over AS SELECT a, b, similarity FROM ppjoin('TABLE documents', 0.7, '$measure') WHERE (b, a) NOT IN (TABLE different); ANALYZE left_over");
    for my $mode (@MODES)
    {
        $node->safe_psql('postgres', "
            CREATE TABLE expected AS SELECT c.id, c.cluster AS duplicate_of, p.similarity FROM cluster_pairs('SELECT a, b FROM left_over', '$mode') AS c
                LEFT JOIN left_over AS p ON (p.a, p.b) = (c.cluster, c.id) WHERE c.id <> c.cluster");
        for my $settings ('', q{SET neardup.join_memory = '64kB';}, $WORKERS)
        {
            is($node->safe_psql('postgres', "$settings
                CREATE TEMP TABLE found AS SELECT id, duplicate_of, similarity
                    FROM near_duplicates('copied', 'id', 'body', 0.7, 'word_set(body)', mode => '$mode', measure => '$measure', except_pairs => 'TABLE different')
                    WHERE id IN (SELECT id FROM documents);
                SELECT (SELECT count(*) FROM (TABLE expected EXCEPT TABLE found) AS x), (SELECT count(*) FROM (TABLE found EXCEPT TABLE expected) AS x),
                    (SELECT count(*) > 100 FROM expected), (SELECT count(*) > 100 FROM different)"),
                '0|0|t|t', "$mode clusters by $measure without pairs that are different" . ($settings =~ /join_memory/ ? ', with little memory' : $settings ? ', with workers' : ''));
        }
        $node->safe_psql('postgres', 'DROP TABLE expected');
    }
    $node->safe_psql('postgres', 'DROP TABLE documents, left_over');
}

# Short and odd texts: the policy of doc/cluster.md.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE odd (id int PRIMARY KEY, body text);
INSERT INTO odd VALUES
    (1, 'hello'), (2, 'Hello!'), (3, 'hellos'), (4, 'world'),
    (11, '東京都に住んでいます'), (12, '東京都に住んでいました'), (13, '大阪府に行きました'),
    (21, '我们在北京大学学习中文'), (22, '我们在北京大学学习英文'), (23, '今天天气很好'),
    (31, 'ภาษาไทยเป็นภาษาที่สวยงาม'), (32, 'ภาษาไทยเป็นภาษาที่สวยงามมาก'),
    (41, '😀'), (42, '😀'), (43, '😀😀'), (44, '👍'),
    (51, ''), (52, ''), (53, ' '), (61, 'a'), (62, 'A'), (63, 'b');
SQL
sub duplicates_of_odd
{
    my ($threshold, $tokens) = @_;
    return $node->safe_psql('postgres', "SELECT string_agg(id || '=' || duplicate_of || left(kind, 1), ' ' ORDER BY id) FROM near_duplicates('odd', 'id', 'body', $threshold$tokens)");
}
is(duplicates_of_odd(0.9, ''), '2=1n 42=41e 52=51e 62=61n', 'one-word rows: the same word; no word: exact copies only');
is(duplicates_of_odd(0.6, ''), '2=1n 3=1n 12=11n 22=21n 32=31n 42=41e 52=51e 62=61n', 'by 3-grams, words and phrases a few characters apart');
is(duplicates_of_odd(0.5, ", 'word_tokens(body)'"), '2=1n 12=11n 22=21n 32=31n 42=41e 52=51e 62=61n', 'by words, scripts without spaces by pairs of characters');
is(duplicates_of_odd(0.5, ", 'shingle_tokens(body, 3)'"), '2=1n 12=11n 22=21n 32=31n 42=41e 52=51e 62=61n', 'a text of fewer words than a shingle is one shingle');

my $words = $ENV{NEARDUP_ALL} ? 20_000_000 : 400_000;
$node->safe_psql('postgres', <<"SQL");
CREATE TABLE huge (id int PRIMARY KEY, body text);
INSERT INTO huge VALUES (1, repeat('word ', $words)), (2, repeat('word ', $words)), (3, repeat('word ', $words + 1)), (4, repeat('word ', $words / 4)), (5, 'word');
SQL
is($node->safe_psql('postgres', "SELECT id, duplicate_of, kind, similarity > 0.99 FROM near_duplicates('huge', 'id', 'body', 0.9) ORDER BY id"),
    "2|1|exact|t\n3|1|near|t", "$words times the same word");
is($node->safe_psql('postgres', "SELECT id, duplicate_of, kind FROM near_duplicates('huge', 'id', 'body', 0.9, 'word_set(body)') ORDER BY id"),
    "2|1|exact\n3|1|near\n4|1|near\n5|1|near", 'as plain sets they are all the same');

# A cancel, in whatever phase.
for my $mode (@MODES)
{
    my %state;
    my $call = "SELECT count(*) FROM near_duplicates('big', 'id', 'body', 0.3, mode => '$mode')";
    $node->safe_psql('postgres', "CREATE TABLE IF NOT EXISTS took (ms float8); TRUNCATE took; SET neardup.join_memory = '128MB'; DO \$\$ DECLARE s timestamptz = clock_timestamp(); BEGIN
        PERFORM * FROM ($call) AS x; INSERT INTO took SELECT extract(epoch FROM clock_timestamp() - s) * 1000; END \$\$");
    my $milliseconds = $node->safe_psql('postgres', 'SELECT ms FROM took');
    $state{ sqlstate_of($node, 'postgres', "SET neardup.join_memory = '128MB'; SET statement_timeout = " . (1 + int($_ * $milliseconds)) . "; $call") // 'lost' }++ for 0.1, 0.4, 0.7;
    ok($state{'57014'}, "$mode can be cancelled") or diag(join ' ', %state);
    is($state{lost}, undef, "$mode: the server lives");
}

$node->stop;
done_testing();
