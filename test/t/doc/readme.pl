# Every SQL statement of the README, of the reference, of the recipes and of other pages whose examples are whole runs,
# in order, in one database for each page, and prints what the page says that it prints. The reference names every
# object that a user can call or set.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use PostgreSQL::Test::Utils;
use Test::More;
use NeardupTest;

my $node = new_node('readme');

# The SQL blocks of a page, each with the output that follows it.
sub examples_of
{
    my ($page) = @_;
    my @examples;
    while ($page =~ /^```sql\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms)
    {
        push @examples, { sql => $1, output => $2 };
    }
    return @examples;
}

sub run_examples
{
    my ($name, $database, @examples) = @_;
    foreach my $example (@examples)
    {
        my ($first_line) = $example->{sql} =~ /^(.*)$/m;
        my ($output, $errors);
        next if $first_line =~ /^-- PostgreSQL (\d+) and later$/ && $node->pg_version < $1;
        my $status = $node->psql(
            $database, $example->{sql},
            stdout => \$output,
            stderr => \$errors,
            extra_params => [ '-P', 'format=aligned', '-P', 'tuples_only=off' ],
            on_error_stop => 1);
        is($status, 0, "$name runs: $first_line") or diag($errors);
        next unless defined $example->{output};
        my ($got, $expected) = ($output, $example->{output});
        s/[ \t]+$//mg, s/\s+\z// for $got, $expected;
        is($got, $expected, "$name prints what it says: $first_line");
    }
}

# Bytes, as psql prints them: whatever a test says is printed as it is.
my $readme = slurp_file(project_file('README.md'));
my $reference = slurp_file(project_file('doc/reference.md'));

# The first block shows the calls; its tables are the reader's.
my ($teaser, @tour) = examples_of($readme);
cmp_ok(scalar @tour, '>=', 5, 'the README has examples');
$node->safe_psql('postgres', 'CREATE DATABASE readme');
chdir PostgreSQL::Test::Utils::tempdir();
symlink project_file('doc'), 'doc' or die "symlink: $!";
append_to_file('mine.csv', qq{name,body\nfirst,"Lost: black cat, white paws"\nsecond,"LOST black cat, white paws!"\n});
run_examples('README', 'readme', @tour);
$node->safe_psql('readme', q{
    CREATE TABLE customers AS SELECT id, first_name || ' ' || surname AS name, born, street, town, email FROM persons;
    CREATE TABLE contacts AS TABLE customers;
    ALTER TABLE customers ADD PRIMARY KEY (id);
});
run_examples('README', 'readme', $teaser);
is($node->safe_psql('readme', q{SELECT count(*) > 100 FROM same}), 't', 'persons are found');

my @examples = examples_of($reference);
cmp_ok(scalar @examples, '>=', 20, 'the reference has examples');
$node->safe_psql('postgres', 'CREATE DATABASE reference');
run_examples('reference', 'reference', @examples);

# The pages whose examples bring their own data, and how many examples each has at least.
my %pages = (agents => 22, clean => 11, coming_from => 12, faq => 9, fields => 8, formats => 3, images => 8, install => 3, passages => 6, pg_trgm => 6, recipes => 55, splink => 5, tour => 14, tuning => 3);
foreach my $page (sort keys %pages)
{
    my @of_page = examples_of(slurp_file(project_file("doc/$page.md")));
    cmp_ok(scalar @of_page, '>=', $pages{$page}, "doc/$page.md has examples");
    $node->safe_psql('postgres', "CREATE DATABASE $page");
    if ($page eq 'recipes')
    {
        $node->safe_psql($page, slurp_file($_)) foreach glob project_file('doc/examples/words/*.sql');
    }
    run_examples($page, $page, @of_page);
}

# The first look at the tables of the recipes: the kind of rows that it takes each for, and a call that runs. A few rows do
# not show that a column has few values, so that the table corpus is taken for one of records here.
my %looks = (
    records => 'applicants billing contacts corpus customers hospital insured kin leads listed:entry map_a map_b patients segments shop',
    names => 'addresses authors branches captions companies facts firms guests listings manual members mentions offers:code parts:code persons places products stock:code subtitles:at test_questions tracks works',
    texts => 'books chunks mails regulations sentences', pages => 'pages', sources => 'files:path homework:student', traces => 'bins reports', sequences => 'reads', sets => 'baskets',
    'bit strings' => 'molecules:name', hashes => 'images', codes => 'sightings', lines => 'log');
my %kind_of = map { my $kind = $_; map { ($_ => $kind) } split / /, $looks{$kind} } keys %looks;
my $all_looks = join '', map { my ($table, $key) = split /:/; sprintf "\\set table %s\n\\set key %s\n\\echo == %s\n\\i doc/examples/first_look.sql\n", $table, $key // 'id', $_ } sort keys %kind_of;
my %calls = map { /\A(\S+)\n.*^the call to begin with\n-- ([\w ]+).*?\n((?!-- )[^\n]*)$/ms ? ($1 => [ $2, $3 ]) : () } split /^== /m, $node->safe_psql('recipes', $all_looks);
is(join(', ', map { $calls{$_}[0] =~ s/ that differ.*//r . " $_" } sort keys %calls), join(', ', map { "$kind_of{$_} $_" } sort keys %kind_of), 'first_look knows the kinds of rows of the recipes');
is(join("\n", grep { /number_words/ } map { $calls{$_}[1] } sort keys %calls) =~ s/^.*keyed\(NULL::text, '|^.*duplicates\('|', .*$//gmr, "addresses\nbranches\noffers\nproducts\nstock", 'names with numbers are kept apart by them');
$node->safe_psql('recipes', $_) foreach map { $_->[1] } grep { $_->[0] !~ /^(?:records|lines)/ } values %calls;

# The short form of the page for programs runs on the tables of that page.
$node->safe_psql('postgres', 'CREATE DATABASE skill');
$node->safe_psql('skill', slurp_file(project_file('doc/agents.md')) =~ /^## The tables of the examples\n\n```sql\n(.*?)^```$/ms);
my @of_skill = map { { sql => s/^   //mgr } } slurp_file(project_file('SKILL.md')) =~ /^   ```sql\n(.*?)^   ```\n/msg;
is(scalar @of_skill, 5, 'SKILL.md has five tasks');
run_examples('SKILL', 'skill', @of_skill);
is($node->safe_psql('agents', 'SELECT (SELECT array_agg(id ORDER BY id) FROM docs), (SELECT array_agg(id ORDER BY id) FROM docs_archive)'),
    '{2,4,6}|{1,3,5}', 'what the page for programs deletes, it archives');

# Pages whose examples take the tables of a reader, and how many examples each has at least. Figures and plans that such a
# page prints are of other tables, so only that the statements run is tested. An ellipsis stands for any words, or numbers.
my $tables = q{
    CREATE EXTENSION neardup;
    CREATE TABLE docs (id int PRIMARY KEY, body text,
        tokens tokenset GENERATED ALWAYS AS (word_tokens(body)) STORED,
        sketch minhash GENERATED ALWAYS AS (minhash(word_tokens(body))) STORED);
    INSERT INTO docs SELECT i, repeat(i || ' and ' || i * i || ' or ', 5) FROM generate_series(1, 50) AS i;
    CREATE TABLE new_docs AS SELECT id, tokens FROM docs WHERE id <= 3;
    CREATE TABLE articles AS SELECT id, body FROM docs;
    CREATE TABLE facts (id int, owner int, lang text, tokens tokenset);
    CREATE TABLE shops (id int, city text, name_tokens tokenset);
    CREATE TABLE people (id int, name text);
    CREATE TABLE debdesc (id int, letter text, tokens tokenset);
    CREATE TABLE pages (id int PRIMARY KEY, fp simhash);
    CREATE TABLE pairs (a int, b int, PRIMARY KEY (a, b));
    CREATE TABLE parts AS SELECT '{{1,2},{3,4}}'::bigint[] AS forest;
};
my %of_readers = (cluster => 2, index => 7, 'internals/token' => 1, measure => 1, minhash => 3, node => 3, simhash => 4, track => 3);
foreach my $page (sort keys %of_readers)
{
    my @of_page = examples_of(slurp_file(project_file("doc/$page.md")));
    cmp_ok(scalar @of_page, '>=', $of_readers{$page}, "doc/$page.md has examples");
    my $database = $page =~ s/\W/_/r;
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    $node->safe_psql($database, $tables);
    $node->safe_psql($database, "CREATE EXTENSION neardup_track; SELECT neardup_track('docs', 'id', 'word_tokens(body)', 0.8)") if $page eq 'track';
    foreach my $example (@of_page)
    {
        delete $example->{output};
        my $numbers = join ',', 1 .. 128;
        $example->{sql} =~ s/\{\xe2\x80\xa6\}/{$numbers}/g;
        # That page says how a table is tracked again which was dropped and made anew.
        $node->safe_psql($database, 'DROP TABLE docs CASCADE; CREATE TABLE docs AS TABLE articles; ALTER TABLE docs ADD PRIMARY KEY (id)')
          if $example->{sql} =~ /^DROP TABLE docs_neardup/;
        run_examples($page, $database, $example);
    }
}

# No other page has examples that no test runs.
my %run = map { $_ => 1 } keys %pages, keys %of_readers, qw(linking reference resolve);
my @left = grep { !$run{$_} && slurp_file(project_file("doc/$_.md")) =~ /^```sql$/m }
  map { m{doc/(.*)\.md$} } map { glob project_file($_) } qw(doc/*.md doc/internals/*.md doc/bench/*.md);
is(join(' ', @left), '', 'every page with examples is run');

# The page about a register that stays resolved has the table of persons.
$node->safe_psql('postgres', 'CREATE DATABASE resolve');
$node->safe_psql('resolve', 'CREATE EXTENSION neardup;' . slurp_file(project_file('doc/examples/persons.sql')));
run_examples('resolve', 'resolve', examples_of(slurp_file(project_file('doc/resolve.md'))));

# The page about linking has the labelled sets as tables.
SKIP:
{
    skip '../shared/data is not there', 1 if grep { !shared_data($_) } qw(dblp_acm febrl20k);
    my $load = 'CREATE EXTENSION neardup;';
    for my $set (qw(dblp_acm febrl20k))
    {
        $load .= "CREATE TABLE $set (id text, body text); CREATE TABLE ${set}_pairs (a text, b text);\n"
          . "COPY $set FROM STDIN;\n" . rows_of($set) . "\\.\nCOPY ${set}_pairs FROM STDIN;\n" . rows_of("$set.pairs") . "\\.\n";
    }
    $node->safe_psql('postgres', 'CREATE DATABASE linking');
    $node->safe_psql('linking', "$load ANALYZE;");
    $node->safe_psql('linking', slurp_file(project_file('doc/examples/persons.sql')));
    run_examples('linking', 'linking', examples_of(slurp_file(project_file('doc/linking.md'))));
}

sub rows_of
{
    my ($set) = @_;
    my $file = shared_data($set);
    return scalar `xz -dc '$file'`;
}

# The list at the end of the reference has every name that a user can call or set, once, in alphabetical order, with a
# link to the section where the name is explained. What the catalogs alone call may be left out, and the steps of tracking and cleaning.
my @names = split /\n/, $node->safe_psql('reference', q{
    LOAD 'neardup';
    WITH called (oid) AS (
        SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend, typanalyze]::oid[]) FROM pg_type
        UNION ALL SELECT unnest(ARRAY[oprrest, oprjoin]::oid[]) FROM pg_operator
        UNION ALL SELECT oprcode FROM pg_operator
                  WHERE obj_description(oprcode, 'pg_proc') LIKE 'implementation of %'
        UNION ALL SELECT amhandler FROM pg_am
        UNION ALL SELECT amproc FROM pg_amproc
        UNION ALL SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn]::oid[]) FROM pg_aggregate
        UNION ALL SELECT prosupport FROM pg_proc
        UNION ALL SELECT castfunc FROM pg_cast
                  WHERE obj_description(castfunc, 'pg_proc') LIKE '%; the function of the cast %'),
    member (class, oid) AS (
        SELECT d.classid, d.objid FROM pg_depend d
        JOIN pg_extension e ON e.oid = d.refobjid AND e.extname IN ('neardup', 'neardup_clean', 'neardup_track', 'neardup_trgm')
        WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e')
    SELECT '`' || p.proname || '`',
           bool_or(p.oid NOT IN (SELECT oid FROM called) AND p.prorettype <> 'trigger'::regtype
                   AND obj_description(p.oid, 'pg_proc') !~ '^(tracking|internal): ')
    FROM pg_proc p JOIN member m ON m.class = 'pg_proc'::regclass AND m.oid = p.oid
    GROUP BY p.proname
    UNION ALL
    SELECT coalesce('`' || o.oprname || '` of `' || o.oprleft::regtype || '`', '`' || c.opcname || '` (operator class)',
                    '`' || a.amname || '` (access method)', '`' || t.typname || '` (type)',
                    '`' || r.relname || CASE r.relkind WHEN 'v' THEN '` (view)' ELSE '` (table)' END), true
    FROM member m
    LEFT JOIN pg_operator o ON m.class = 'pg_operator'::regclass AND o.oid = m.oid
    LEFT JOIN pg_opclass c ON m.class = 'pg_opclass'::regclass AND c.oid = m.oid
    LEFT JOIN pg_am a ON m.class = 'pg_am'::regclass AND a.oid = m.oid
    LEFT JOIN pg_type t ON m.class = 'pg_type'::regclass AND t.oid = m.oid
    LEFT JOIN pg_class r ON m.class = 'pg_class'::regclass AND r.oid = m.oid
    WHERE num_nonnulls(o.oid, c.oid, a.oid, t.oid, r.oid) > 0
      AND t.typtype IS DISTINCT FROM 'c' AND t.typcategory IS DISTINCT FROM 'A'
    UNION ALL
    SELECT '`' || name || '` (setting)', true FROM pg_settings WHERE name LIKE 'neardup.%'});
my %required = map { /^(.*)\|([tf])$/ ? ($1 => $2 eq 't') : () } @names;
cmp_ok(scalar(grep { $_ } values %required), '>=', 200, 'the extension has names');

my ($pages_sections, $list) = split /^## All names\n/m, $reference;
my %sections = map { /^#+ (.*)\n/ ? (anchor_of($1) => $_) : () } split /^(?=##+ )/m, $pages_sections;
my @entries = $list =~ /^\[(`.*)\]\(#/mg;
my %links = $list =~ /^\[(`.*)\]\(#(.*?)\)/mg;
is(join(' ', grep { $required{$_} && !$links{$_} } sort keys %required), '', 'the list has every name');
is(join(' ', grep { !exists $required{$_} } @entries), '', 'and none that does not exist');
is_deeply(\@entries, [ sort { is_word($a) <=> is_word($b) || $a =~ s/`//gr cmp $b =~ s/`//gr } keys %links ], 'in alphabetical order, each once');
is(join(' ', grep { !/^(?:\[`.*\]\(#.*\)(?: ·)?|\*\*\w+\*\*|What is not marked is a function\.)$/ } grep { length } split /\n/, $list), '', 'and nothing else');
is(join(' ', grep { !explains($sections{$links{$_}}, $_) } @entries), '', 'the section that an entry leads to explains the name');

# What links to a heading call it, as GitHub makes it.
sub anchor_of
{
    my ($heading) = @_;
    return lc($heading) =~ s/[^\w\- ]//gr =~ s/ /-/gr;
}

sub name_of
{
    my ($entry) = @_;
    return $entry =~ /^`(.+?)`/ ? $1 : die $entry;
}

sub is_word
{
    my ($entry) = @_;
    return name_of($entry) =~ /^\w/ ? 1 : 0;
}

# Whether a section has a function with its arguments, or as what an operator calls; has any other name as code or heading.
sub explains
{
    my ($section, $entry) = @_;
    my $name = name_of($entry);
    return !!0 if !defined $section;
    return $section =~ /^$name\(|\| `$name` \||\(function `$name`\)/m if $entry =~ /^`\w+`$/;
    return is_word($entry) && $section =~ /\A#+ $name\n/ || code_names($section, $name);
}

# Whether the text has the name as code, by itself or within an expression.
sub code_names
{
    my ($text, $name) = @_;
    my $pattern = $name =~ /^\w/ ? qr/\b\Q$name\E\b/ : qr/(?:^|[ ,])\\?\Q$name\E(?:[ ,]|$)/;
    return grep { $_ =~ $pattern } $text =~ /`([^`\n]+)`/g;
}

$node->stop;
done_testing();
