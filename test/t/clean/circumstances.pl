# The seams, as a test: every function that reads or writes a user's table, in every circumstance that such a table, its
# caller or a transaction may be in.
#
# The table of the test has a row for each circumstance and a column for each function, and each of its cells is a
# transaction that is rolled back. It makes a table in the circumstance, calls the function there, and reads what the
# function has returned and what it has left in the table and in those that refer to it. A cell is right if this is what
# plain SQL computes from the same rows in a plain table (plain.few), or if the call fails with the error that the
# circumstance names. Anything else is wrong: an error that is not named, and a success where an error is.
#
# A new circumstance is a line of @circumstances, a new function a line of @functions. CIRCUMSTANCE in the environment, a
# regular expression, chooses circumstances by their names. The log has the script of each cell that is wrong, for psql.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../perl";
use File::Find;
use NeardupTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('circumstances', conf => "wal_level = logical\nmax_locks_per_transaction = 1024\n");
my $MOST_COLUMNS = 120;

# A name as SQL has it, and a text as a literal.
sub ident { return '"' . $_[0] =~ s/"/""/gr . '"' }
sub literal { return ($_[0] =~ /\\/ ? 'E' : '') . "'" . $_[0] =~ s/(['\\])/$1$1/gr . "'" }
sub json { return '"' . $_[0] =~ s/(["\\])/\\$1/gr . '"' }

# The names of the schema, its tables and their columns, where a circumstance has no others. The table has the columns key,
# body, town and seen. Two tables refer to its key by their column ref: kid, which has a number of its own, and tags, where
# a key has each tag once. A third, marks, has texts of keys in two columns, where its body says so, and no foreign key.
my %NAMES = (
    schema => 's', table => 't', kid => 'kid', tags => 'tags', marks => 'marks', log => 'log', members => 't_neardup',
    key => 'id', body => 'body', town => 'town', seen => 'seen', no => 'n', ref => 'row_id', tag => 'tag');

# The rows, and what is right by plain SQL. Rows 2 and 5 of plain.few are near-duplicates of rows 1 and 4, which all tests
# of twelve rows know; plain.many is for what learns from the rows, and in plain.placed the column seen has their entity,
# where that is known.
my $PLAIN = <<'SQL';
CREATE EXTENSION neardup;
CREATE EXTENSION neardup_clean;
CREATE EXTENSION neardup_track;
CREATE EXTENSION btree_gist;
CREATE EXTENSION postgres_fdw;
CREATE ROLE keeper;
CREATE ROLE reader;
CREATE ROLE stranger;
CREATE SCHEMA plain;
GRANT USAGE ON SCHEMA plain TO PUBLIC;
CREATE FUNCTION plain.words(i int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT string_agg(left(md5(i || ' ' || w), 6), ' ' ORDER BY w) FROM generate_series(1, 8) AS w $$;
CREATE FUNCTION plain.jaccard(a text, b text) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT round(count(*) FILTER (WHERE n = 2)::numeric / count(*), 3)
    FROM (SELECT count(*) AS n FROM (SELECT DISTINCT 1, string_to_table(a, ' ') UNION ALL SELECT DISTINCT 2, string_to_table(b, ' ')) AS w (side, word) GROUP BY word) AS w $$;
CREATE TABLE plain.many AS
SELECT i AS id, CASE WHEN i % 3 = 2 THEN plain.words(i - 1) || ' more' ELSE plain.words(i) END AS body, left(md5('t' || (i - (i % 3 = 2)::int) % 40), 6) AS town, 1 AS seen FROM generate_series(1, 300) AS i;
CREATE TABLE plain.few AS
SELECT i AS id, CASE i WHEN 2 THEN plain.words(1) || ' more' WHEN 5 THEN regexp_replace(plain.words(4), ' \w+$', '') ELSE plain.words(i) END AS body,
       CASE WHEN i % 4 < 2 THEN 'north' ELSE 'south' END AS town, 1 AS seen FROM generate_series(1, 12) AS i;
CREATE TABLE plain.few_apart AS SELECT * FROM plain.few WHERE id NOT IN (2, 5);
CREATE TABLE plain.many_apart AS SELECT * FROM plain.many WHERE id % 3 <> 2;
CREATE TABLE plain.placed AS SELECT id, body, town, CASE WHEN id % 3 = 2 OR id % 30 = 0 THEN NULL ELSE id END AS seen FROM plain.many;
CREATE TABLE plain.placed_apart AS SELECT * FROM plain.placed WHERE id % 3 <> 2;
CREATE TABLE plain.others AS SELECT id + 1000 AS id, body || ' other' AS body FROM plain.few;
CREATE TABLE plain.kid AS SELECT n, 1 + n % 9 AS ref FROM generate_series(1, 18) AS n;
CREATE TABLE plain.marks AS SELECT * FROM (VALUES ('1', '2', 'key'), ('2', '3', 'key'), ('7', '5', 'key'), ('5', '2', 'no key')) AS v (ref, tag, body);
CREATE TABLE plain.tags AS SELECT * FROM (VALUES (1, 'a'), (2, 'a'), (2, 'b'), (5, 'c'), (7, 'a')) AS v (ref, tag);
GRANT SELECT ON ALL TABLES IN SCHEMA plain TO PUBLIC;
-- What a function of the role keeper does for other roles.
CREATE FUNCTION plain.as_keeper(statement text) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r record;
BEGIN
    IF statement !~ '^SELECT' THEN
        EXECUTE statement;
        RETURN;
    END IF;
    FOR r IN EXECUTE statement LOOP
        RETURN NEXT (SELECT string_agg(coalesce(v.value, ''), '|' ORDER BY v.place) FROM json_each_text(to_json(r)) WITH ORDINALITY AS v (key, value, place));
    END LOOP;
END $$;
ALTER FUNCTION plain.as_keeper(text) OWNER TO keeper;
CREATE FUNCTION plain.drop_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE FUNCTION plain.note_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note := TG_OP; RETURN NEW; END $$;
CREATE DOMAIN plain.key AS int CHECK (VALUE > 0);
CREATE DOMAIN plain.text_of_it AS text CHECK (VALUE <> '');
CREATE DOMAIN plain.body AS plain.text_of_it;
CREATE TYPE plain.pair AS (a int, b text);
CREATE DOMAIN plain.given AS int NOT NULL;
SQL


# What is right of the tables after a call, by what it did to the rows: lines "t", "k" and "g" for the rows of the table, of
# kid and of tags.
my $SAME = q{SELECT 't' AS line, r.id::text AS a, r.body AS b, r.seen::text AS c FROM {source} AS r};
my $REFERENCES = q{SELECT 'k', k.n::text, k.ref::text, NULL FROM plain.kid AS k WHERE k.ref IN (SELECT id FROM {source})
    UNION ALL SELECT 'g', g.ref::text, g.tag, NULL FROM plain.tags AS g WHERE g.ref IN (SELECT id FROM {source})};
my $UNCHANGED = "$SAME UNION ALL $REFERENCES";
# Of two rows that resemble each other the one of the lesser key stays, with the longer text.
my $SIMILAR = q{SELECT y.id AS gone, x.id AS kept, x.body AS kept_body, y.body AS gone_body, plain.jaccard(x.body, y.body) AS similarity
    FROM {source} AS x JOIN {source} AS y ON x.id < y.id AND plain.jaccard(x.body, y.body) >= 0.6};
my $MERGED = qq{WITH pair AS ($SIMILAR) SELECT 't', r.id::text, CASE WHEN length(p.gone_body) > length(r.body) THEN p.gone_body ELSE r.body END, r.seen::text
    FROM {source} AS r LEFT JOIN pair AS p ON p.kept = r.id WHERE r.id NOT IN (SELECT gone FROM pair)
    UNION ALL SELECT 'k', k.n::text, coalesce(p.kept, k.ref)::text, NULL FROM plain.kid AS k LEFT JOIN pair AS p ON p.gone = k.ref
    UNION ALL SELECT DISTINCT 'g', coalesce(p.kept, g.ref)::text, g.tag, NULL FROM plain.tags AS g LEFT JOIN pair AS p ON p.gone = g.ref};
# Edges between rows that become one are gone.
my $MARKS = q{SELECT 'm', m.ref, m.tag, m.body FROM plain.marks AS m WHERE m.ref IN (SELECT id::text FROM {source}) AND m.tag IN (SELECT id::text FROM {source})};
my $MARKED = qq{SELECT line, a, b, c FROM (WITH pair AS ($SIMILAR) SELECT m.line, CASE WHEN m.c = 'key' THEN coalesce(p.kept::text, m.a) ELSE m.a END, CASE WHEN m.c = 'key' THEN coalesce(q.kept::text, m.b) ELSE m.b END, m.c
    FROM ($MARKS) AS m (line, a, b, c) LEFT JOIN pair AS p ON p.gone::text = m.a LEFT JOIN pair AS q ON q.gone::text = m.b) AS m (line, a, b, c) WHERE a <> b};
my $RETIRED = qq{SELECT 't', r.id::text, r.body, '-1' FROM {source} AS r WHERE r.id IN (SELECT gone FROM ($SIMILAR) AS s)};
my $WITH_NEW = qq{$UNCHANGED UNION ALL SELECT 't', '21', plain.words(40), '1'};
my $UNRETIRED = q{SELECT '0|' || count(*) FROM {source} WHERE id IN (1, 2, 5) UNION ALL SELECT '0|' || count(*) FROM plain.kid WHERE ref IN (2, 5)
    UNION ALL SELECT count(*) FILTER (WHERE tag = 'a') || '|' || count(*) FILTER (WHERE tag <> 'a') FROM plain.tags WHERE ref IN (2, 5) UNION ALL SELECT '1|2'};
my $UNDONE = q{SELECT (count(*) FILTER (WHERE id IN (2, 5)))::text || '|1' FROM {source} UNION ALL SELECT '0|' || count(*) FROM plain.kid WHERE ref IN (2, 5)
    UNION ALL SELECT count(*) FILTER (WHERE tag = 'a') || '|' || count(*) FILTER (WHERE tag <> 'a') FROM plain.tags WHERE ref IN (2, 5)};

my $UNGUARDED = qq{$WITH_NEW UNION ALL SELECT 't', '20', plain.words(4) || ' new', '1' UNION ALL SELECT 't', '22', plain.words(40) || ' again', '1'};
# What is right of a tracked table and its clusters, which has those of its rows that fulfil a condition, and some of the new ones.
sub tracked
{
    my ($condition, @new) = @_;
    my %bodies = (20 => q{plain.words(4) || ' new'}, 21 => 'plain.words(40)', 22 => q{plain.words(40) || ' again'});
    my $rows = join ' UNION ALL ', "SELECT r.id, r.body, r.seen FROM {source} AS r WHERE $condition", map { "SELECT $_, $bodies{$_}, 1" } @new;

    return qq{WITH x AS ($rows) SELECT 't', id::text, body, seen::text FROM x UNION ALL SELECT * FROM ($REFERENCES) AS l
        UNION ALL SELECT 'c', x.id::text, (SELECT min(y.id) FROM x AS y WHERE plain.jaccard(x.body, y.body) >= 0.6)::text, NULL FROM x};
}

my $READ_MARKS = q{SELECT 'm', {REF}, {TAG}, {BODY} FROM {MARKS}};

# A row that policies hide from the caller is as it was.
my $HIDDEN = 'SELECT 999 EXCEPT SELECT {KEY} FROM {TABLE} WHERE {SEEN} = 1 AND {BODY} = plain.words(4)';

# The functions. Of each: whether it writes, whose rows it needs other than those of plain.few, what makes its tables ready
# after their rows are there, the statements of the call, what is right of what these return, and of what they leave in the
# tables; "also" reads more than the tables. With "entity", the column seen has the type of keys.
# Names in braces stand for names and arguments of a circumstance: in capitals names as SQL has them, else literals.
# The statements call nothing and compare nothing by names without a schema, since some circumstances have other functions
# and operators of such names.
my @functions = (
    { name => 'merge_duplicates', writes => 1, calls => [ 'SELECT gone, kept FROM public.merge_duplicates({rel}, {key}, {pairs}, {rules}, {log})' ],
      returns => "SELECT gone || '|' || kept FROM ($SIMILAR) AS s", leaves => $MERGED },
    { name => 'merge_duplicates, dry_run', writes => 1, calls => [ 'SELECT gone, kept FROM public.merge_duplicates({rel}, {key}, {pairs}, {rules}, dry_run => true)' ],
      returns => "SELECT gone || '|' || kept FROM ($SIMILAR) AS s" },
    { name => 'undo_merge', writes => 1,
      calls => [ q{SELECT 'merged' FROM public.merge_duplicates({rel}, {key}, {pairs}, {rules}, {log})}, 'SELECT returned, changed FROM public.undo_merge({log_rel}, 1)' ],
      returns => "SELECT 'merged' FROM ($SIMILAR) AS s UNION ALL $UNDONE" },
    { name => 'merge_duplicates, referring and loops', writes => 1, calls => [ 'SELECT gone, kept FROM public.merge_duplicates({rel}, {key}, {pairs}, {rules}, {log}, referring => {referring}, loops => {loops})' ],
      returns => "SELECT gone || '|' || kept FROM ($SIMILAR) AS s", also => $READ_MARKS, leaves => "$MERGED UNION ALL $MARKED" },
    { name => 'merge_duplicates, retire', writes => 1, calls => [ 'SELECT gone, kept FROM public.merge_duplicates({rel}, {key}, {pairs}, {rules}, {log}, retire => {retire})' ],
      returns => "SELECT gone || '|' || kept FROM ($SIMILAR) AS s", leaves => "$MERGED UNION ALL $RETIRED" },
    { name => 'undo_merge of these', writes => 1,
      calls => [ q{SELECT 'merged' FROM public.merge_duplicates({rel}, {key}, {pairs}, {rules}, {log}, referring => {referring}, loops => {loops}, retire => {retire})}, 'SELECT returned, changed FROM public.undo_merge({log_rel}, 1)' ],
      returns => "SELECT 'merged' FROM ($SIMILAR) AS s UNION ALL $UNRETIRED", also => $READ_MARKS, leaves => "$UNCHANGED UNION ALL $MARKS" },
    { name => 'insert_or_find', writes => 1,
      calls => [ map { "SELECT key, inserted::pg_catalog.text, similarity::pg_catalog.numeric(4, 3) FROM public.insert_or_find({rel}, $_, {key}, {tokens}, 0.6, within => {within}, among => {among})" } '{found}', '{new}' ],
      returns => q{SELECT '4|false|' || plain.jaccard(plain.words(4), plain.words(4) || ' new') UNION ALL SELECT '21|true|'}, leaves => $WITH_NEW },
    { name => 'insert_or_find_rows', writes => 1,
      calls => [ 'SELECT place, key, inserted::pg_catalog.text, similarity::pg_catalog.numeric(4, 3) FROM public.insert_or_find_rows({rel}, {rows}, {key}, {tokens}, 0.6, within => {within}, among => {among})' ],
      returns => q{SELECT '1|4|false|' || plain.jaccard(plain.words(4), plain.words(4) || ' new') UNION ALL SELECT '2|21|true|'
                   UNION ALL SELECT '3|21|false|' || plain.jaccard(plain.words(40), plain.words(40) || ' again')}, leaves => $WITH_NEW },
    { name => 'guard_near_duplicates', writes => 1, calls => [ q{SELECT 'guarded' FROM public.guard_near_duplicates({rel}, {key}, {tokens}, 0.6, within => {within}, among => {among})}, '{INSERT}' ],
      returns => q{SELECT 'guarded'}, leaves => $WITH_NEW },
    { name => 'guard_near_duplicates, count', writes => 1,
      calls => [ q{SELECT 'guarded' FROM public.guard_near_duplicates({rel}, {key}, {tokens}, 0.6, within => {within}, among => {among}, action => 'count', counter => {seen})}, '{INSERT}' ],
      returns => q{SELECT 'guarded'}, leaves => "SELECT line, a, b, CASE WHEN line = 't' AND a IN ('4', '21') THEN '2' ELSE c END FROM ($WITH_NEW) AS l" },
    { name => 'neardup_track', writes => 1,
      calls => [ q{SELECT 'tracked' FROM public.neardup_track({rel}, {key}, {tokens}, 0.6)}, '{INSERT}', 'DELETE FROM {TABLE} WHERE {KEY} OPERATOR(pg_catalog.=) \'10\'',
                 'SELECT key, difference FROM public.neardup_refresh({rel})' ],
      also => q{SELECT 'c', key, min(key::pg_catalog.text::int) OVER (PARTITION BY cluster), NULL FROM {MEMBERS}},
      returns => q{SELECT 'tracked'}, leaves => tracked('r.id <> 10', 20, 21, 22) },
    { name => 'near_duplicates', calls => [ 'SELECT id, duplicate_of, kind, similarity::pg_catalog.numeric(4, 3) FROM public.near_duplicates({rel}, {key}, {body}, 0.6, tokens => {tokens})' ],
      returns => "SELECT gone || '|' || kept || '|near|' || similarity FROM ($SIMILAR) AS s" },
    { name => 'neardup_decided', writes => 1,
      calls => [ q{INSERT INTO public.neardup_decided (rel, key_a, key_b) VALUES ({rel}, '2', '1')},
                 'SELECT id, duplicate_of FROM public.near_duplicates({rel}, {key}, {body}, 0.6, tokens => {tokens}, except_pairs => {decided})',
                 'DELETE FROM public.neardup_decided WHERE rel OPERATOR(pg_catalog.=) {rel}' ],
      returns => "SELECT gone || '|' || kept FROM ($SIMILAR) AS s WHERE gone <> 2",
      also => q{SELECT 'd', count(*), NULL, NULL FROM public.neardup_decided}, leaves => "$UNCHANGED UNION ALL SELECT 'd', '0', NULL, NULL" },
    { name => 'undecided_pairs', calls => [ 'SELECT a, b, similarity::pg_catalog.numeric(4, 3) FROM public.undecided_pairs({rel}, {key}, {tokens}, 0.5, 0.99)' ],
      returns => "SELECT kept || '|' || gone || '|' || similarity FROM ($SIMILAR) AS s WHERE similarity < 0.99" },
    { name => 'duplicate_records', rows => 'many', calls => [ 'SELECT id, duplicate_of FROM public.duplicate_records({rel}, {key}, {columns})' ],
      returns => q{SELECT r.id || '|' || r.id - 1 FROM {source} AS r WHERE r.id % 3 = 2} },
    { name => 'learn_records', rows => 'many', calls => [ q{SELECT public.learn_records({rel}, {key}, {columns}) OPERATOR(pg_catalog.->>) 'constant'} ],
      returns => q{SELECT learn_records('{source}', 'id', '{body, town}') ->> 'constant'} },
    { name => 'duplicate_records, model', rows => 'many', calls => [ 'SELECT id, duplicate_of FROM public.duplicate_records({rel}, {key}, model => {model})' ],
      returns => q{SELECT r.id || '|' || r.id - 1 FROM {source} AS r WHERE r.id % 3 = 2} },
    { name => 'place_records', rows => 'placed', entity => 1, calls => [ 'SELECT id, entity, other_entity, duplicate_of, kind, grp FROM public.place_records({rel}, {key}, {seen}, {model})' ],
      returns => q{SELECT CASE WHEN id % 3 = 2 THEN concat_ws('|', id, id - 1, '', id - 1, 'joins', id) ELSE concat_ws('|', id, id, '', '', 'new', id) END FROM {source} WHERE seen IS NULL} },
    { name => 'find_records', rows => 'many', ready => 'CREATE INDEX ON {TABLE} USING neardup (public.record_tokens(ROW({BODY}, {TOWN})));',
      calls => [ 'SELECT id FROM public.find_records({rel}, {key}, {record}, {model}) WHERE score OPERATOR(pg_catalog.>) 0' ],
      returns => q{SELECT id FROM {source} WHERE id IN (4, 5)} },
    { name => 'link_tables', calls => [ 'SELECT a, b FROM public.link_tables({query}, {others})' ], returns => q{SELECT id || '|' || id + 1000 FROM {source}} });

# The expected errors of functions by name, for circumstances where several fail alike.
sub fails
{
    my ($state, $message, @functions_that_fail) = @_;
    return map { $_ => [ $state, $message ] } @functions_that_fail;
}

my @ALL = map { $_->{name} } @functions;
my @WRITES = map { $_->{name} } grep { $_->{writes} } @functions;
my @MERGES = ('merge_duplicates', 'merge_duplicates, dry_run', 'undo_merge', 'merge_duplicates, referring and loops', 'merge_duplicates, retire', 'undo_merge of these');
# Those that turn columns without a foreign key, those that write, and those of the latter that delete, and update, rows of the table itself.
my @REFERRING = ('merge_duplicates, referring and loops', 'undo_merge of these');
my @WRITTEN = grep { !/dry_run/ } @MERGES;
my @DELETING = ('merge_duplicates', 'undo_merge', 'merge_duplicates, referring and loops');
my @INSERTS = ('insert_or_find', 'insert_or_find_rows');
my @GUARDS = ('guard_near_duplicates', 'guard_near_duplicates, count');

# 19 has no other strings than those of the standard.
my @STRINGS = $node->pg_version < '19devel' ? 'standard_conforming_strings = off' : ();
my %UNTRACKED = (errors => { fails('0A000', qr/cannot track/, 'neardup_track') });
my $no_table = qr/is not a table/;
my %UNINDEXED = fails('55000', qr/needs an index on the tokens of the records/, 'find_records');
my %NOTHING_LEARNED = fails('22000', qr/copies alone/, 'learn_records');
my $no_right = qr/permission denied|must be owner/;
my $INSERTS_NOTHING = { (map { $_ => { leaves => $UNCHANGED } } @GUARDS), neardup_track => { leaves => tracked('r.id <> 10') } };
# Expressions of which the names are those of pg_catalog.
my %EXPRESSIONS = (tokens => 'public.word_tokens(pg_catalog.lower({BODY}))', columns => q{, low text DEFAULT lower('X' || 'Y'), at timestamptz DEFAULT now(), up text GENERATED ALWAYS AS (upper({TOWN}) || 'x') STORED,
    made date DEFAULT current_date + 1, CHECK (length(low) < 3 AND upper(low) <> low)});
my $row_rules = 'CREATE TABLE {SCHEMA}.written (what text); CREATE RULE also AS ON %s TO {TABLE} DO ALSO INSERT INTO {SCHEMA}.written VALUES (\'%1$s\');';

# The circumstances. Of each: how its tables differ from plain ones, what is set for the call, and what is right there.
#   kind, key_type, body_type, seen_type, columns, suffix   of CREATE TABLE; key_constraint where it is not PRIMARY KEY
#   ref_type, reference  of the columns that refer to the table; ref_town: town is one of them
#   before, parts, after statements that run before the table is made, before it has rows, and when all is made
#   make                 a statement that makes the table in place of these; then no tables refer to it
#   names                other names of the tables and their columns
#   apart                1 where the rows are those of plain.few without near-duplicates
#   key_is               the type of keys, in place of int4, for which functions that return keys of a type are called
#   new_key              0 where the table makes the keys of new rows
#   tokens               the expression of tokens
#   begin, caller, set   how the transaction begins, the role that calls, what is set for the call
#   by, prepared         a sub that returns the statement in place of one of a call; how often a prepared one is run
#   errors               the errors that are right, by functions: SQLSTATE and message
#   right                what else is right, by functions: as "returns" and "leaves" of these
#   names_new            1 where the condition "among" names the new row
#   check                a query that returns nothing where all is well after the call
my @circumstances = (
    { name => 'plain' },
    { name => 'partitioned', suffix => 'PARTITION BY RANGE ({KEY})',
      parts => 'CREATE TABLE {SCHEMA}.p1 PARTITION OF {TABLE} FOR VALUES FROM (1) TO (5); CREATE TABLE {SCHEMA}.p2 PARTITION OF {TABLE} DEFAULT;',
      %UNTRACKED },
    { name => 'sub-partitioned', suffix => 'PARTITION BY RANGE ({KEY})',
      parts => 'CREATE TABLE {SCHEMA}.p1 PARTITION OF {TABLE} FOR VALUES FROM (1) TO (5) PARTITION BY HASH ({KEY}); CREATE TABLE {SCHEMA}.p2 PARTITION OF {TABLE} DEFAULT PARTITION BY HASH ({KEY});'
          . join('', map { my $p = $_; map { "CREATE TABLE {SCHEMA}.p$p$_ PARTITION OF {SCHEMA}.p$p FOR VALUES WITH (MODULUS 2, REMAINDER $_);" } 0, 1 } 1, 2),
      %UNTRACKED },
    { name => 'partitions with their columns in another order', suffix => 'PARTITION BY RANGE ({KEY})', columns => ', dropped int DEFAULT 3',
      parts => 'CREATE TABLE {SCHEMA}.p1 ({SEEN} int DEFAULT 1, gone int, {TOWN} text, dropped int, {KEY} int NOT NULL, {BODY} text NOT NULL);
          ALTER TABLE {SCHEMA}.p1 DROP COLUMN gone; ALTER TABLE {TABLE} ATTACH PARTITION {SCHEMA}.p1 FOR VALUES FROM (1) TO (5);
          CREATE TABLE {SCHEMA}.p2 ({BODY} text NOT NULL, dropped int, {SEEN} int DEFAULT 1, {KEY} int NOT NULL, {TOWN} text);
          ALTER TABLE {TABLE} ATTACH PARTITION {SCHEMA}.p2 DEFAULT; ALTER TABLE {TABLE} DROP COLUMN dropped;',
      %UNTRACKED },
    { name => 'partitioned by another column', suffix => 'PARTITION BY LIST ({TOWN})', key_constraint => 'NOT NULL', columns => ', PRIMARY KEY ({KEY}, {TOWN})',
      parts => q{CREATE TABLE {SCHEMA}.p1 PARTITION OF {TABLE} FOR VALUES IN ('south'); CREATE TABLE {SCHEMA}.p2 PARTITION OF {TABLE} DEFAULT;},
      reference => ', FOREIGN KEY ({REF}, {TOWN}) REFERENCES {TABLE}', ref_town => 1, %UNTRACKED },
    { name => 'what refers to the table is partitioned by the reference',
      after => 'ALTER TABLE {KID} RENAME TO kid_of_before; ALTER TABLE {TAGS} RENAME TO tags_of_before;
          CREATE TABLE {KID} ({NO} int, {REF} int REFERENCES {TABLE}, PRIMARY KEY ({NO}, {REF})) PARTITION BY LIST ({REF}); CREATE TABLE {TAGS} ({REF} int REFERENCES {TABLE}, {TAG} text, PRIMARY KEY ({REF}, {TAG})) PARTITION BY HASH ({REF});
          CREATE TABLE {SCHEMA}.k1 PARTITION OF {KID} FOR VALUES IN (1, 2, 3); CREATE TABLE {SCHEMA}.k2 PARTITION OF {KID} FOR VALUES IN (5); CREATE TABLE {SCHEMA}.k3 PARTITION OF {KID} DEFAULT;
          CREATE TABLE {SCHEMA}.g1 PARTITION OF {TAGS} FOR VALUES WITH (MODULUS 2, REMAINDER 0); CREATE TABLE {SCHEMA}.g2 PARTITION OF {TAGS} FOR VALUES WITH (MODULUS 2, REMAINDER 1);
          INSERT INTO {KID} TABLE {SCHEMA}.kid_of_before; INSERT INTO {TAGS} TABLE {SCHEMA}.tags_of_before; DROP TABLE {SCHEMA}.kid_of_before, {SCHEMA}.tags_of_before;' },
    { name => 'references to itself', columns => ', parent int REFERENCES {TABLE}', after => 'UPDATE {TABLE} SET parent = {KEY} - 1 WHERE {KEY} IN (2, 3, 6, 12); UPDATE {TABLE} SET parent = 5 WHERE {KEY} = 4;',
      right => { undo_merge => { returns => "SELECT 'merged' FROM ($SIMILAR) AS s UNION ALL VALUES ('2|4'), ('0|4'), ('1|2')" },
          'undo_merge of these' => { returns => "SELECT 'merged' FROM ($SIMILAR) AS s UNION ALL VALUES ('0|6'), ('0|4'), ('1|2'), ('1|2')" } },
      check => 'SELECT FROM {TABLE} AS x WHERE {KEY} IN (3, 6) AND NOT EXISTS (SELECT FROM {TABLE} AS y WHERE y.{KEY} = x.parent)' },
    { name => 'generated columns that refer to the table', after => 'CREATE TABLE {SCHEMA}.other (x int PRIMARY KEY, y int GENERATED ALWAYS AS (x) STORED REFERENCES {TABLE}); INSERT INTO {SCHEMA}.other SELECT id FROM {source};',
      errors => { fails('0A000', qr/foreign key "other_y_fkey" of .* cannot be turned/, @MERGES), fails('23503', qr/violates foreign key constraint "other_y_fkey"/, 'neardup_track') } },
    { name => 'a partition that is a foreign table', suffix => 'PARTITION BY RANGE ({KEY})', key_constraint => 'NOT NULL', reference => '',
      parts => q{CREATE TABLE {SCHEMA}.p1 PARTITION OF {TABLE} FOR VALUES FROM (1) TO (5); CREATE FOREIGN TABLE {SCHEMA}.p2 PARTITION OF {TABLE} DEFAULT SERVER loopback OPTIONS (schema_name 'far', table_name 'part');},
      right => { merge_duplicates => { leaves => "SELECT * FROM ($MERGED) AS l (line, a, b, c) WHERE line = 't' UNION ALL $REFERENCES" }, undo_merge => { returns => "SELECT 'merged' FROM ($SIMILAR) AS s UNION ALL SELECT '2|1'" },
          'merge_duplicates, referring and loops' => { leaves => "SELECT * FROM ($MERGED) AS l (line, a, b, c) WHERE line = 't' UNION ALL $REFERENCES UNION ALL $MARKED" },
          'merge_duplicates, retire' => { leaves => "SELECT * FROM ($MERGED) AS l (line, a, b, c) WHERE line = 't' UNION ALL $REFERENCES UNION ALL $RETIRED" },
          'undo_merge of these' => { returns => "SELECT 'merged' FROM ($SIMILAR) AS s UNION ALL SELECT '0|3' UNION ALL SELECT '1|2'" } },
      errors => { %{ $UNTRACKED{errors} }, %UNINDEXED } },
    { name => 'inherited children', after => 'CREATE TABLE {SCHEMA}.child (LIKE {TABLE} INCLUDING INDEXES, CHECK ({KEY} > 11)) INHERITS ({TABLE}); WITH moved AS (DELETE FROM ONLY {TABLE} WHERE {KEY} = 12 RETURNING *) INSERT INTO {SCHEMA}.child TABLE moved;',
      %UNTRACKED },
    { name => 'duplicates in inherited children', after => 'CREATE TABLE {SCHEMA}.child () INHERITS ({TABLE}); WITH moved AS (DELETE FROM ONLY {TABLE} WHERE {KEY} IN (2, 4) RETURNING *) INSERT INTO {SCHEMA}.child TABLE moved;',
      reference => '', errors => { %{ $UNTRACKED{errors} }, %UNINDEXED, fails('P0002', qr/not there/, @MERGES) } },
    { name => 'published', after => 'ALTER TABLE {MARKS} REPLICA IDENTITY FULL; RESET ROLE; CREATE PUBLICATION everything FOR ALL TABLES; SET LOCAL ROLE keeper;' },
    { name => 'published, without a replica identity', after => 'ALTER TABLE {KID} REPLICA IDENTITY NOTHING; RESET ROLE; CREATE PUBLICATION everything FOR ALL TABLES; SET LOCAL ROLE keeper;',
      errors => { fails('55000', qr/does not have a replica identity/, @WRITTEN) } },
    { name => 'applied by replication', caller => 'NONE', set => 'SET LOCAL session_replication_role = replica', errors => { fails('23502', qr/null value in column "other"/, 'neardup_decided') },
      right => { (map { $_ => { leaves => $UNGUARDED } } @GUARDS),
          neardup_track => { returns => q{VALUES ('tracked'), ('10|surplus'), ('20|missing'), ('21|missing'), ('22|missing')} } } },
    { name => 'guarded', after => q{SELECT guard_near_duplicates({rel}, {key}, {tokens}, 0.6); }, errors => { fails('42710', qr/trigger "neardup_guard" .* already exists/, @GUARDS) }, right => { neardup_track => { leaves => tracked('r.id <> 10', 21) } } },
    { name => 'tracked', after => q{SELECT neardup_track({rel}, {key}, {tokens}, 0.6); }, check => 'SELECT * FROM neardup_refresh({rel})', errors => { fails('42710', qr/already tracked/, 'neardup_track') } },
    { name => 'row-level security', caller => 'reader', check => $HIDDEN,
      after => 'INSERT INTO {TABLE} VALUES (999, plain.words(4), NULL, 1); ALTER TABLE {TABLE} ENABLE ROW LEVEL SECURITY; CREATE POLICY visible ON {TABLE} USING ({KEY} <> 999);',
      errors => { fails('42501', qr/must be owner/, 'neardup_track') } },
    { name => 'row-level security of what refers to the table', caller => 'reader',
      after => 'ALTER TABLE {KID} ENABLE ROW LEVEL SECURITY; CREATE POLICY visible ON {KID} USING (true);',
      errors => { fails('42501', qr/row-level security may hide/, @MERGES), fails('42501', qr/must be owner/, 'neardup_track') } },
    { name => 'forced row-level security', check => $HIDDEN,
      after => 'INSERT INTO {TABLE} VALUES (999, plain.words(4), NULL, 1); ALTER TABLE {TABLE} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY visible ON {TABLE} USING ({KEY} <> 999);',
      %UNTRACKED },
    { name => 'generated columns', tokens => 'tokens',
      columns => ', tokens public.tokenset GENERATED ALWAYS AS (public.word_tokens({BODY})) STORED, upper_town varchar(30) GENERATED ALWAYS AS (upper({TOWN})) STORED, halves numeric(9, 1) GENERATED ALWAYS AS ({KEY} * 2) STORED, twice int GENERATED ALWAYS AS ({KEY} * 2) STORED UNIQUE',
      check => 'SELECT FROM {TABLE} WHERE jaccard(tokens, word_tokens({BODY})) < 1 OR upper_town <> upper({TOWN}) OR halves <> twice OR twice <> {KEY} * 2' },
    { name => 'identity columns', key_type => 'int GENERATED ALWAYS AS IDENTITY (START 21)', ref_type => 'int', new_key => 0 },
    { name => 'identity columns by default', key_type => 'bigint GENERATED BY DEFAULT AS IDENTITY (START 21)', ref_type => 'bigint', new_key => 0,
      columns => ', other int GENERATED ALWAYS AS IDENTITY' },
    { name => 'domains', key_type => 'plain.key', body_type => 'plain.body', seen_type => 'plain.given DEFAULT 1' },
    { name => 'domains that are NOT NULL, with volatile defaults', before => 'CREATE SEQUENCE {SCHEMA}.numbers START 21;',
      key_type => q{plain.given DEFAULT nextval('s.numbers')}, ref_type => 'int', new_key => 0 },
    { name => 'volatile defaults', columns => ', x float8 DEFAULT random(), y uuid DEFAULT gen_random_uuid() NOT NULL UNIQUE' },
    (map { { name => "keys of type $_", key_type => $_, key_is => $_ } } 'text', 'varchar', 'numeric', 'int2', 'int8'),
    { name => 'deferred constraints', reference => 'REFERENCES {TABLE} DEFERRABLE INITIALLY DEFERRED', columns => ', UNIQUE ({BODY}) DEFERRABLE INITIALLY DEFERRED',
      errors => { fails('23505', qr/duplicate key value/, 'merge_duplicates, retire') } },
    { name => 'constraints that are NOT VALID', reference => '', after => 'INSERT INTO {KID} VALUES (99, 999); ALTER TABLE {KID} ADD FOREIGN KEY ({REF}) REFERENCES {TABLE} NOT VALID;
          ALTER TABLE {TAGS} ADD FOREIGN KEY ({REF}) REFERENCES {TABLE} NOT VALID; ALTER TABLE {TABLE} ADD CHECK ({KEY} <> 12) NOT VALID;' },
    { name => 'exclusion constraints', columns => ', EXCLUDE USING gist ({KEY} WITH =, {TOWN} WITH =)',
      after => 'ALTER TABLE {KID} ADD EXCLUDE USING gist ({NO} WITH =, {REF} WITH =); ALTER TABLE {TAGS} ADD EXCLUDE USING gist ({REF} WITH =, {TAG} WITH =);' },
    { name => 'a constraint against near-duplicates', apart => 1, columns => ', EXCLUDE USING neardup ({TOWN} WITH =, jaccard_ball(word_tokens({BODY}), 0.6) WITH &&)',
      errors => { %NOTHING_LEARNED, fails('P0002', qr/not there/, @MERGES), fails('23P01', qr/conflicting key value violates exclusion constraint/, 'neardup_track') } },
    (map { { name => "a rule on $_", after => sprintf($row_rules, $_),
            errors => { fails('0A000', qr/DO ALSO rules are not supported/, $_ eq 'INSERT' ? 'undo_merge' : $_ eq 'UPDATE' ? @WRITTEN : @DELETING) } } } 'INSERT', 'UPDATE', 'DELETE'),
    { name => 'a rule that inserts nothing', after => 'CREATE RULE none AS ON INSERT TO {TABLE} DO INSTEAD NOTHING;', right => $INSERTS_NOTHING,
      errors => { fails('0A000', qr/cannot perform INSERT RETURNING/, 'undo_merge', @INSERTS) } },
    { name => 'triggers that change rows', columns => ', note text', check => q{SELECT FROM {TABLE} WHERE note IS NULL},
      parts => 'CREATE TRIGGER a_note BEFORE INSERT OR UPDATE ON {TABLE} FOR EACH ROW EXECUTE FUNCTION plain.note_write();' },
    { name => 'a trigger that drops what is deleted', after => 'CREATE TRIGGER z BEFORE DELETE ON {TABLE} FOR EACH ROW EXECUTE FUNCTION plain.drop_row();',
      right => { neardup_track => { leaves => tracked('true', 20, 21, 22) } }, errors => { fails('09000', qr/rows of .* were not written as the merge asks for/, @DELETING) } },
    { name => 'a trigger that drops what is updated', after => 'CREATE TRIGGER z BEFORE UPDATE ON {TABLE} FOR EACH ROW EXECUTE FUNCTION plain.drop_row();',
      errors => { fails('09000', qr/rows of .* were not written as the merge asks for/, @WRITTEN), fails('09000', qr/count/, 'guard_near_duplicates, count') } },
    { name => 'a trigger that drops updates of what refers to the table', after => 'CREATE TRIGGER z BEFORE UPDATE ON {KID} FOR EACH ROW EXECUTE FUNCTION plain.drop_row();',
      errors => { fails('23503', qr/violates foreign key constraint/, @DELETING), fails('09000', qr/rows of .* were not written as the merge asks for/, 'merge_duplicates, retire', 'undo_merge of these') } },
    { name => 'row-level security against updates', caller => 'reader', after => 'ALTER TABLE {TABLE} ENABLE ROW LEVEL SECURITY; CREATE POLICY visible ON {TABLE} FOR SELECT USING (true);
          CREATE POLICY new ON {TABLE} FOR INSERT WITH CHECK (true); CREATE POLICY old ON {TABLE} FOR DELETE USING (true); CREATE POLICY changed ON {TABLE} FOR UPDATE USING ({KEY} NOT IN (1, 4));',
      errors => { fails('P0002', qr/not there/, @WRITTEN), fails('09000', qr/count/, 'guard_near_duplicates, count'), fails('42501', qr/must be owner/, 'neardup_track') } },
    { name => 'a trigger that drops what is inserted', after => 'CREATE TRIGGER z BEFORE INSERT ON {TABLE} FOR EACH ROW EXECUTE FUNCTION plain.drop_row();',
      right => { %$INSERTS_NOTHING, 'guard_near_duplicates, count' => { leaves => "SELECT line, a, b, CASE WHEN line = 't' AND a = '4' THEN '2' ELSE c END FROM ($UNCHANGED) AS l" } },
      errors => { fails('23503', qr/violates foreign key constraint/, 'undo_merge'), fails('55000', qr/neither inserted nor found/, @INSERTS) } },
    { name => "$MOST_COLUMNS columns", columns => join('', map { ", c$_ text DEFAULT 'x'" } 5 .. $MOST_COLUMNS) },
    { name => 'quoted names', set => join('; ', map { "SET LOCAL $_" } @STRINGS, 'quote_all_identifiers = on'),
      names => { schema => q{S 'ch%e"ma}, table => q{T"a'b l%1$sé}, kid => q{K"i'd %s}, tags => q{Tags \\ %I}, log => q{L"o'g %L.x}, members => q{T"a'b l%1$sé_neardup},
          key => q{K"e'y %s}, body => q{B"o'dy, %I\\n}, town => q{To"wn'ü}, seen => q{Se"en' $1}, no => q{N"o'}, ref => q{R"e'f %s, (}, tag => q{T"a'g :x} } },
    { name => 'the longest names', names => { map { my $n = $_; $n => $n eq 'members' ? 'table' . 'x' x 43 . '_neardup' : $n . 'x' x (63 - length $n) } keys %NAMES } },
    { name => 'called by a function for roles without rights', caller => 'stranger', by => sub { return 'SELECT * FROM plain.as_keeper(' . literal($_[0]) . ')' } },
    { name => 'called by a role without rights', caller => 'stranger', errors => { fails('42501', $no_right, @ALL) } },
    { name => 'called by a role that may write to the tables', caller => 'reader', errors => { fails('42501', qr/must be owner/, 'neardup_track') } },
    { name => 'an empty search path', set => q{SET LOCAL search_path = ''} },
    { name => 'a search path with other functions, operators and tables', set => 'SET LOCAL search_path = hostile, pg_catalog, public', %EXPRESSIONS },
    { name => 'a search path with other types', set => 'SET LOCAL search_path = hostile_types, pg_catalog, public', %EXPRESSIONS, key_type => 'text', key_is => 'text' },
    (map { { name => "temporary $_ with names of pg_catalog", set => "SELECT plain.make_$_('pg_temp')", %EXPRESSIONS } } 'tables', 'types'),
    (map { { name => "the setting $_", caller => 'NONE', set => "SET LOCAL $_; SET LOCAL ROLE keeper" } } 'quote_all_identifiers = on', @STRINGS, 'transform_null_equals = on',
        "datestyle = 'SQL, DMY'; SET LOCAL extra_float_digits = -3; SET LOCAL intervalstyle = iso_8601", 'array_nulls = off', 'plan_cache_mode = force_generic_plan', 'plan_cache_mode = force_custom_plan',
        'join_collapse_limit = 1; SET LOCAL enable_hashjoin = off; SET LOCAL enable_sort = off; SET LOCAL enable_material = off', 'plpgsql.variable_conflict = use_variable',
        'plpgsql.variable_conflict = use_column', "plpgsql.extra_errors = 'all'", 'default_table_access_method = heap; SET LOCAL default_tablespace = pg_default; SET LOCAL temp_tablespaces = pg_default', 'row_security = off', force_workers($node) =~ s/^SET //r),
    { name => 'a read-only transaction', set => 'SET TRANSACTION READ ONLY', errors => { fails('25006', qr/in a read-only transaction/, @WRITES) } },
    (map { { name => lc($_), begin => "BEGIN ISOLATION LEVEL $_", errors => { fails('25001', qr/at isolation level/, @INSERTS, @GUARDS, @REFERRING, 'neardup_track') } } } 'REPEATABLE READ', 'SERIALIZABLE'),
    { name => 'repeatable read, with a constraint', begin => 'BEGIN ISOLATION LEVEL REPEATABLE READ', apart => 1,
      columns => ', EXCLUDE USING neardup ({TOWN} WITH =, jaccard_ball(word_tokens({BODY}), 0.6) WITH &&)', errors => { %NOTHING_LEARNED, fails('P0002', qr/not there/, @MERGES), fails('25001', qr/at isolation level/, @REFERRING, 'neardup_track') } },
    { name => 'prepared statements', prepared => 7 },
    { name => 'planned before the table was changed', columns => ', before int DEFAULT 1',
      after => q{SAVEPOINT planned; SELECT FROM insert_or_find({rel}, '{"id": 998, "body": "none of these"}', {key}, {tokens}, 0.6, within => {within}, among => {among}); ROLLBACK TO planned;
          ALTER TABLE {TABLE} DROP before; ALTER TABLE {TABLE} ADD after date DEFAULT current_date; CREATE INDEX ON {TABLE} USING neardup ((word_tokens({BODY})));} },
    { name => 'a temporary table', kind => 'TEMP', names => { schema => 'pg_temp' }, %UNTRACKED },
    { name => 'an unlogged table', kind => 'UNLOGGED', %UNTRACKED },
    { name => 'a foreign table', make => 'CREATE FOREIGN TABLE {TABLE} ({KEY} int NOT NULL, {BODY} text, {TOWN} text, {SEEN} int DEFAULT 1) SERVER loopback OPTIONS (schema_name \'far\', table_name {source_name});',
      errors => { %UNINDEXED, fails('42809', $no_table, @MERGES, @INSERTS, @GUARDS, 'neardup_track', 'undecided_pairs') } },
    { name => 'a view', make => 'CREATE VIEW {TABLE} AS SELECT id AS {KEY}, body AS {BODY}, town AS {TOWN}, seen AS {SEEN} FROM {source};',
      errors => { %UNINDEXED, fails('42809', $no_table, @MERGES, @INSERTS, @GUARDS, 'neardup_track', 'undecided_pairs') } },
    { name => 'a materialized view', make => 'CREATE MATERIALIZED VIEW {TABLE} AS SELECT id AS {KEY}, body AS {BODY}, town AS {TOWN}, seen AS {SEEN} FROM {source};',
      errors => { fails('42809', $no_table, @MERGES, @INSERTS, @GUARDS, 'neardup_track', 'undecided_pairs') } });

# A condition that names the new row, in circumstances that have something to say to it.
push @circumstances, map { { %$_, name => "$_->{name}, among names the new row", names_new => 1 } }
    grep { $_->{name} =~ /^(?:plain|partitions with .*|duplicates in .*|row-level security|generated columns|domains|a constraint against.*|quoted names|called by a function.*|a search path with other functions.*|temporary types.*|an empty .*|the setting date.*|repeatable read.*|prepared .*|a temporary table)\z/ } @circumstances;

# All names in the SQL that is run, those of the folders that write to users' tables first: of the scripts, and of the
# texts in C that are SQL. Names that statements number, such as c1, are made of names of one letter.
sub all_names
{
    my (@files, %names);
    find({ no_chdir => 1, wanted => sub { push @files, $_ if /\.(?:sql|c)\z/ } }, project_file('src'));
    my %order = (clean => 1, track => 2, cluster => 3, link => 4, scope => 5);
    my %rank = map { $_ => $order{ m{/src/(\w+)/} ? $1 : '' } // 9 } @files;

    for my $file (sort { $rank{$a} <=> $rank{$b} || $a cmp $b } @files)
    {
        my $text = slurp_file($file);
        $text = $file =~ /sql\z/ ? $text =~ s/--.*//gr : join "\n", grep { /\b(?:SELECT|FROM|WHERE|INSERT|UPDATE|JOIN|CREATE|AS|ORDER BY|AND)\b/ } $text =~ /"((?:[^"\\\n]|\\.)*)"/g;
        for my $name ($text =~ /\b[a-z_][a-z0-9_]*\b/g)
        {
            $names{$_} //= keys %names for $name, length $name == 1 ? map { "$name$_" } 1 .. 3 : ();
        }
    }
    delete @names{qw(tableoid xmin xmax cmin cmax ctid)};
    return sort { $names{$a} <=> $names{$b} } keys %names;
}

# Circumstances in which columns have these names: so many of them in a table, with defaults of several types.
sub named_by
{
    my ($most, @names) = @_;
    my @types = ("text DEFAULT 'x'", "int[] DEFAULT '{1}'", "jsonb DEFAULT '{}'", 'date DEFAULT current_date', 'float8 DEFAULT 1.5', "plain.pair DEFAULT '(1,x)'");
    my @made;

    while (my @chunk = splice @names, 0, $most)
    {
        my @all = @chunk;
        my %own = map { $_ => @chunk ? shift @chunk : $NAMES{$_} } qw(key body town seen ref no tag);
        push @made, { name => "columns named $all[0] to $all[-1]", names => \%own, columns => join('', map { ', ' . ident($chunk[$_]) . " $types[$_ % @types]" } 0 .. $#chunk) };
    }
    return @made;
}

# Schemas that have functions, operators, tables and types of the names of those of pg_catalog and of the extensions that
# the SQL could mean. The functions fail, the tables have no rows, and the types no values.
sub hostile_schemas
{
    my $names = literal('{' . join(',', @_) . '}') . '::text[]';
    return <<"SQL" . <<'SQL';
CREATE SCHEMA hostile;
GRANT USAGE ON SCHEMA hostile TO PUBLIC;
CREATE TABLE plain.name AS SELECT unnest($names) AS name;
GRANT SELECT ON plain.name TO PUBLIC;
SQL
SET check_function_bodies = off;
DO $$
DECLARE
    f record;
BEGIN
    FOR f IN SELECT p.oid, p.proname, p.prorettype, p.proretset, pg_get_function_identity_arguments(p.oid) AS arguments, o.oprname, o.oprleft, o.oprright
             FROM pg_proc AS p LEFT JOIN pg_operator AS o ON o.oprcode = p.oid
             WHERE p.pronamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace) AND p.prorettype <> 'trigger'::regtype
                   AND (p.proname IN (SELECT name FROM plain.name) OR o.oid IS NOT NULL AND (o.oprleft = o.oprright OR p.pronamespace = 'public'::regnamespace))
    LOOP
        -- PL/pgSQL has no functions of some pseudo-types.
        BEGIN
            EXECUTE format('CREATE OR REPLACE FUNCTION hostile.%I(%s) RETURNS %s%s LANGUAGE plpgsql AS %L', f.proname,
                           (SELECT string_agg(format('%s%s', CASE WHEN p.provariadic <> 0 AND a.place = p.pronargs THEN 'VARIADIC ' ELSE '' END, a.type::regtype), ', ' ORDER BY a.place)
                            FROM pg_proc AS p, unnest(p.proargtypes) WITH ORDINALITY AS a (type, place) WHERE p.oid = f.oid),
                           CASE WHEN f.proretset THEN 'SETOF ' ELSE '' END, f.prorettype::regtype,
                           format('BEGIN RAISE EXCEPTION %L; END', 'a hostile function is called: ' || f.proname));
            IF f.oprname IS NOT NULL AND f.oprleft <> 0 THEN
                EXECUTE format('CREATE OPERATOR hostile.%s (FUNCTION = hostile.%I, LEFTARG = %s, RIGHTARG = %s)', f.oprname, f.proname, f.oprleft::regtype, f.oprright::regtype);
            END IF;
        EXCEPTION WHEN invalid_function_definition OR duplicate_function OR feature_not_supported THEN NULL;
        END;
    END LOOP;
END $$;
CREATE FUNCTION plain.make_tables(place text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT c.relname, string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum) AS columns
             FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND a.atttypid <> 'anyarray'::regtype
             WHERE c.relnamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace) AND c.relkind IN ('r', 'v') AND c.relname IN (SELECT name FROM plain.name) GROUP BY c.relname
    LOOP
        EXECUTE format('CREATE TABLE %I.%I (%s)', place, r.relname, r.columns);
    END LOOP;
END $$;
-- An enum has no values.
CREATE FUNCTION plain.make_types(place text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT t.typname FROM pg_type AS t
             WHERE t.typnamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace) AND t.typrelid = 0 AND t.typelem = 0 AND t.typname IN (SELECT name FROM plain.name)
    LOOP
        EXECUTE format('CREATE TYPE %I.%I AS ENUM ()', place, r.typname);
    END LOOP;
END $$;
CREATE SCHEMA hostile_types;
GRANT USAGE ON SCHEMA hostile_types TO PUBLIC;
SELECT plain.make_tables('hostile'), plain.make_types('hostile_types');
SQL
}

# The arguments of calls by their names in braces, with types.
sub arguments
{
    my ($c, $names, $words, $model) = @_;
    my $row = sub {
        my ($key, $text) = @_;
        return '{' . join(', ', ($c->{new_key} // 1) ? json($names->{key}) . ": $key" : (), json($names->{body}) . ": \"$text\"") . '}';
    };
    my $tokens = ($c->{tokens} // 'public.word_tokens({BODY})') =~ s/\{BODY\}/ident($names->{body})/er;
    my $type = 'pg_catalog.' . ($c->{key_is} // 'int4');
    my $table = ident($names->{schema}) . '.' . ident($names->{table});
    my ($log, $marks) = map { ident($names->{schema}) . '.' . ident($names->{$_}) } qw(log marks);

    return (
        rel => [ 'regclass', $table ], key => [ 'name', $names->{key} ], body => [ 'name', $names->{body} ], seen => [ 'name', $names->{seen} ], tokens => [ 'text', $tokens ],
        within => [ 'text', ident($names->{town}) ], among => [ 'text', ident($names->{seen}) . ' OPERATOR(pg_catalog.>) 0' . ($c->{names_new} ? ' AND ' . ident($names->{key}) . ' OPERATOR(pg_catalog.<) new.' . ident($names->{key}) : '') ],
        pairs => [ 'text', "VALUES ('2'::$type, '1'::$type), ('5'::$type, '4'::$type)" ], rules => [ 'jsonb', '{' . json($names->{body}) . ': "longest"}' ], log => [ 'text', $log ], log_rel => [ 'regclass', $log ],
        referring => [ 'jsonb', '{' . json($marks) . ': [' . join(', ', map { '{"column": ' . json($_) . ', "where": ' . json(ident($names->{body}) . q{ OPERATOR(pg_catalog.=) 'key'}) . '}' } @$names{qw(ref tag)}) . ']}' ],
        loops => [ 'jsonb', '{' . json($marks) . ': "delete"}' ], retire => [ 'text', ident($names->{seen}) . ' = -1 -- retired' ],
        found => [ 'jsonb', $row->(20, "$words->[0] new") ], new => [ 'jsonb', $row->(21, $words->[1]) ],
        rows => [ 'jsonb', '[' . join(', ', $row->(20, "$words->[0] new"), $row->(21, $words->[1]), $row->(22, "$words->[1] again")) . ']' ],
        columns => [ 'name[]', '{' . join(',', map { '"' . s/(["\\])/\\$1/gr . '"' } @$names{qw(body town)}) . '}' ],
        record => [ 'jsonb', '{' . json($names->{body}) . ": \"$words->[0] new\"}" ], model => [ 'jsonb', $model =~ s/"name": "(body|town)"/'"name": ' . json($names->{$1})/ger ],
        decided => [ 'text', "SELECT key_a::$type, key_b::$type FROM public.neardup_decided WHERE rel OPERATOR(pg_catalog.=) " . literal($table) . '::pg_catalog.regclass AND COALESCE(other, rel) OPERATOR(pg_catalog.=) rel' ],
        query => [ 'text', 'SELECT ' . ident($names->{key}) . ', ' . ident($names->{body}) . " FROM $table" ], others => [ 'text', "SELECT id::$type, body FROM plain.others" ]);
}

# The statement that calls, in place of one of a function: with arguments as literals, or as parameters of a prepared one,
# which is run until its plan is the one for all parameters.
sub call
{
    my ($c, $statement, %arguments) = @_;
    my (@types, @values);

    $statement =~ s/public\.(near_duplicates|(?:duplicate|place|find)_records|link_tables|insert_or_find(?:_rows)?)\(/public.$1_keyed(NULL::pg_catalog.$c->{key_is}, / if $c->{key_is};
    if (!$c->{prepared})
    {
        $statement =~ s/\{([a-z_]+)\}/literal($arguments{$1}[1]) . "::pg_catalog.$arguments{$1}[0]"/ge;
        return $c->{by} ? $c->{by}->($statement) : $statement;
    }
    $statement =~ s/\{([a-z_]+)\}/push @types, $arguments{$1}[0]; push @values, literal($arguments{$1}[1]); '$' . @types/ge;
    my $run = 'EXECUTE run' . (@values ? '(' . join(', ', @values) . ')' : '') . ';';
    return 'PREPARE run' . (@types ? '(' . join(', ', @types) . ')' : '') . " AS $statement;\n" . "SAVEPOINT before; $run ROLLBACK TO before;\n" x ($c->{prepared} - 1) . "$run DEALLOCATE run";
}

# The statements that make the tables of a circumstance, with their rows.
sub tables
{
    my ($c, $f) = @_;
    my %of = (kind => '', key_type => 'int', key_constraint => 'PRIMARY KEY', body_type => 'text', seen_type => 'int DEFAULT 1', reference => 'REFERENCES {TABLE}',
        (map { $_ => '' } qw(columns suffix before parts)), %$c);
    $of{seen_type} = $of{ref_type} // $of{key_type} if $f->{entity};
    my $ref = '{REF} ' . ($of{ref_type} // $of{key_type}) . ($of{ref_town} ? ', {TOWN} text ' : ' ') . $of{reference};
    my $values = 'ref' . ($of{ref_town} ? ', r.town' : '');

    return $c->{make} // <<"SQL";
$of{before}
CREATE $of{kind} TABLE {TABLE} ({KEY} $of{key_type} $of{key_constraint}, {BODY} $of{body_type} NOT NULL, {TOWN} text DEFAULT 'north', {SEEN} $of{seen_type}$of{columns}) $of{suffix};
$of{parts}
INSERT INTO {TABLE} ({KEY}, {BODY}, {TOWN}, {SEEN}) OVERRIDING SYSTEM VALUE SELECT id, body, town, seen FROM {source};
CREATE $of{kind} TABLE {KID} ({NO} int PRIMARY KEY, $ref);
CREATE $of{kind} TABLE {TAGS} ($ref, {TAG} text, PRIMARY KEY ({REF}, {TAG}));
INSERT INTO {KID} SELECT k.n, k.$values FROM plain.kid AS k JOIN {source} AS r ON r.id = k.ref;
INSERT INTO {TAGS} SELECT g.$values, g.tag FROM plain.tags AS g JOIN {source} AS r ON r.id = g.ref;
CREATE $of{kind} TABLE {MARKS} ({REF} text, {TAG} text, {BODY} text);
INSERT INTO {MARKS} SELECT m.ref, m.tag, m.body FROM plain.marks AS m JOIN {source} AS a ON a.id::text = m.ref JOIN {source} AS b ON b.id::text = m.tag;
SQL
}

# The script of a cell for psql. Marks divide what it prints, and its errors: those of making the tables, of the call, and
# of reading what it has left.
sub script
{
    my ($number, $c, $f, $source, @values) = @_;
    my %names = (%NAMES, %{ $c->{names} // {} });
    my %arguments = arguments($c, \%names, @values);
    my %places = (source => "plain.$source", source_name => literal($source), (map { uc $_ => ident($names{$_}) } keys %names),
        map { uc $_ => ident($names{schema}) . '.' . ident($names{$_}) } qw(table kid tags marks members));
    my $caller = $c->{caller} // 'keeper';
    my $words = $values[0];
    my $insert = 'INSERT INTO {TABLE} ({KEY}, {BODY}) OVERRIDING SYSTEM VALUE VALUES ' . join(', ', "(20, '$words->[0] new')", "(21, '$words->[1]')", "(22, '$words->[1] again')");
    my $mark = sub { return ("\\warn \@\@$number $_[0]", "\\echo \@\@$number $_[0]") };
    my @grants = $caller eq 'stranger' ? 'GRANT USAGE ON SCHEMA {SCHEMA} TO stranger;'
        : $caller eq 'reader' ? ('GRANT ALL ON SCHEMA {SCHEMA} TO reader;', map { "GRANT ALL ON $_ TO reader;" } '{TABLE}', '{KID}', '{TAGS}', '{MARKS}') : ();

    my $script = join "\n", $mark->('making'), ($c->{begin} // 'BEGIN') . ';', 'SET LOCAL ROLE keeper;', $names{schema} eq 'pg_temp' ? () : 'CREATE SCHEMA {SCHEMA};',
        tables($c, $f), $c->{make} && $c->{make} !~ /MATERIALIZED/ ? () : $f->{ready} // (), @grants, $c->{after} // '', "SET LOCAL ROLE $caller;", ($c->{set} // '') . ';',
        $mark->('calling'), (map { call($c, s/\{INSERT\}/$insert/r, %arguments) . ';' } @{ $f->{calls} }), 'SET CONSTRAINTS ALL IMMEDIATE;',
        $mark->('reading'), 'RESET ROLE; RESET search_path;', q{SELECT 't', {KEY}, {BODY}, {SEEN} FROM {TABLE} WHERE {KEY} <> '999';},
        $c->{make} ? () : q{SELECT 'k', {NO}, {REF}, NULL FROM {KID} WHERE {REF} <> '999'; SELECT 'g', {REF}, {TAG}, NULL FROM {TAGS};},
        map({ "$_;" } $f->{also} // (), $c->{check} ? "SELECT 'not right', c FROM ($c->{check}) AS c" : ()), 'ROLLBACK;';
    $script =~ s/\{([A-Z]+|source|source_name)\}/$places{$1}/g;
    $script =~ s/\{([a-z_]+)\}/exists $arguments{$1} ? literal($arguments{$1}[1]) . "::pg_catalog.$arguments{$1}[0]" : "{$1}"/ge;
    return $script;
}

# The lines that a query of plain SQL returns; it is run once.
my %lines;

sub lines
{
    my ($query, $source) = @_;
    $query =~ s/\{source\}/plain.$source/g;
    return @{ $lines{$query} //= [ split /\n/, $node->safe_psql('postgres', $query) ] };
}

# Says what is wrong with a cell, if anything, by what each of its parts printed and by its errors.
sub judge
{
    my ($c, $f, $source, $printed, $errors) = @_;
    my $right = $c->{errors}{ $f->{name} };
    my ($failure) = map { !defined $errors->{$_} ? "$_: the session was lost" : $errors->{$_} =~ /^(?:psql:\S+ )?(?:ERROR|FATAL|PANIC): +(.*)/m ? "$_: $1" : () } qw(making calling reading);

    if ($right)
    {
        return "succeeds, and should fail with $right->[0] $right->[1]" if !defined $failure;
        return $failure =~ /^calling: $right->[0]: .*$right->[1]/ ? undef : "$failure, and should fail with $right->[0] $right->[1]";
    }
    return $failure if defined $failure;

    my %of = (leaves => $UNCHANGED, %$f, %{ $c->{right}{ $f->{name} } // {} });
    my %surplus;
    $surplus{$_}++ for grep { $_ ne '' } map { split /\n/ } @$printed{qw(calling reading)};
    $surplus{$_}-- for (lines($of{returns}, $source)) x ($c->{prepared} // 1), grep { !$c->{make} || !/^[kg]/ } lines($of{leaves}, $source);
    my @wrong = map { ($surplus{$_} > 0 ? '+ ' : '- ') . $_ } grep { $surplus{$_} } sort keys %surplus;
    return @wrong ? join("\n    ", 'differs from plain SQL', @wrong > 10 ? (@wrong[0 .. 9], '...') : @wrong) : undef;
}

# Runs all functions in a circumstance, in a session. Returns a text for each cell that is wrong.
sub wrong_cells
{
    my ($c, @values) = @_;
    my @sources = map { ($_->{rows} // 'few') . ($c->{apart} ? '_apart' : '') } @functions;
    my @scripts = map { script($_, $c, $functions[$_], $sources[$_], @values) } 0 .. $#functions;
    my (undef, $out, $err) = $node->psql('postgres', join("\n", 'SET client_min_messages = error;', q{SET statement_timeout = '20s';}, '\set VERBOSITY verbose', '\set SHOW_CONTEXT never', @scripts), on_error_stop => 0);
    my (@parts, @wrong);

    for ([ 0, $out ], [ 1, $err ])
    {
        my ($which, $text) = @$_;
        my (undef, @marked) = split /^@@(\d+) (\w+)\n/m, "$text\n", -1;
        while (my ($number, $part, $content) = splice @marked, 0, 3) { $parts[$number][$which]{$part} = $content; }
    }
    for my $number (0 .. $#functions)
    {
        my $wrong = judge($c, $functions[$number], $sources[$number], $parts[$number][0] // {}, $parts[$number][1] // {});
        next if !defined $wrong;
        push @wrong, "$functions[$number]{name}: $wrong";
        note("$c->{name}, $functions[$number]{name}:\n$scripts[$number]");
    }
    return @wrong;
}

my @names = all_names();
$node->safe_psql('postgres', $PLAIN);
$node->safe_psql('postgres', hostile_schemas(@names));
$node->safe_psql('postgres', 'GRANT CREATE ON DATABASE postgres TO keeper; CREATE SCHEMA far; CREATE TABLE far.few AS TABLE plain.few; CREATE TABLE far.part (LIKE plain.few); CREATE TABLE far.many AS TABLE plain.many; CREATE TABLE far.placed AS TABLE plain.placed;
    CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host ' . literal($node->host) . ', port ' . literal($node->port) . ", dbname 'postgres'); GRANT USAGE ON FOREIGN SERVER loopback TO keeper;
    CREATE USER MAPPING FOR PUBLIC SERVER loopback OPTIONS (user " . literal($node->safe_psql('postgres', 'SELECT current_user')) . ", password_required 'false')");
my $words = [ split /\n/, $node->safe_psql('postgres', 'SELECT plain.words(4); SELECT plain.words(40)') ];
# A model of which the lists are empty, so that it is short: all values are rare.
my $model = $node->safe_psql('postgres', q<SELECT regexp_replace(learn_records('plain.many', 'id', '{body, town}')::text, '"listed": {[^}]*}', '"listed": {}', 'g')>);
is(sqlstate_of($node, 'postgres', "SET search_path = hostile, pg_catalog; SELECT $_"), 'P0001', "$_ is of the search path") for q{lower('X')}, '1 = 1', q{jaccard('{}', '{}')};
my @wide = named_by($MOST_COLUMNS, @names);
my @narrow = $ENV{NEARDUP_ALL} ? named_by(7, @names) : ();
my $cells = 0;

for my $c (grep { !$ENV{CIRCUMSTANCE} || $_->{name} =~ /$ENV{CIRCUMSTANCE}/ } @circumstances, @wide[0 .. share_of(scalar @wide) - 1], @narrow)
{
    my @wrong = wrong_cells($c, $words, $model);
    is(join("\n", @wrong), '', @functions . " functions, $c->{name}");
    $cells += @functions;
}
note("$cells cells");

$node->stop;
done_testing();
