# RealSample: the data sets of ../shared/data as token sets, tokenized as
# their README says: words are maximal runs of ASCII letters and digits or
# bytes above 127, ASCII lower-cased; atoms stand between blanks.
package RealSample;

use strict;
use warnings;

# A SQL expression: the text's words (or atoms) as text[], with repetitions.
sub words_expression
{
    my ($column, $tokens) = @_;
    return "array_remove(string_to_array($column, ' '), '')"
      if $tokens ne 'words';

    # All of ASCII but letters and digits becomes a blank.
    return "array_remove(string_to_array(regexp_replace(lower($column COLLATE \"C\"), "
      . "'[\\x01-\\x2f\\x3a-\\x60\\x7b-\\x7f]+', ' ', 'g'), ' '), '')";
}

# The same in Perl, on bytes.
sub words_of
{
    my ($text) = @_;
    $text =~ tr/A-Z/a-z/;
    return $text =~ /[a-z0-9\x80-\xff]+/g;
}

# Loads a file into the table raw_NAME(n, id, body), n in the file's order.
sub load
{
    my ($node, $name, $file) = @_;
    $node->safe_psql('postgres',
            "DROP TABLE IF EXISTS raw_$name;\n"
          . "CREATE UNLOGGED TABLE raw_$name (n serial, id text, body text);\n"
          . "\\copy raw_$name (id, body) from program 'xz -dc $file'\n"
          . "VACUUM ANALYZE raw_$name;\n");
    return;
}

# Makes words_NAME(n, words) of all records of a loaded file.
sub tokenize
{
    my ($node, $name, $tokens) = @_;
    my $words = words_expression('body', $tokens);
    $node->safe_psql('postgres',
            "DROP TABLE IF EXISTS words_$name;\n"
          . "CREATE UNLOGGED TABLE words_$name AS SELECT n, $words AS words FROM raw_$name;\n"
          . "VACUUM ANALYZE words_$name;\n");
    return;
}

# Makes NAME(id, t), the word sets of all records of a file, with a GIN index and statistics.
sub load_word_sets
{
    my ($node, $name, $file) = @_;
    load($node, $name, $file);
    tokenize($node, $name, 'words');
    $node->safe_psql('postgres', <<"SQL");
CREATE UNLOGGED TABLE $name AS SELECT n AS id, words::tokenset AS t FROM words_$name;
CREATE INDEX ${name}_t ON $name USING gin (t);
VACUUM ANALYZE $name;
SQL
    return;
}

# Fills rec with $size records that are neighbours when sorted by content
# (near-duplicates stand together there), from a place given in percent of all;
# their words are numbered for the oracle.
sub take
{
    my ($node, $name, $tokens, $size, $percent) = @_;
    my $words = words_expression('body', $tokens);
    $node->safe_psql('postgres', <<"SQL");
CREATE OR REPLACE FUNCTION check_sample(name text, sets text, least_overlap int, most_hamming int)
RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE p record; algo text; kind text;
BEGIN
  TRUNCATE plan;
  INSERT INTO plan
  SELECT 0, m, n, 10 FROM unnest('{jaccard,cosine,dice,containment}'::text[]) m, unnest('{5,7,8,9}'::int[]) n
  UNION ALL SELECT 0, 'overlap', n, 1 FROM unnest(ARRAY[least_overlap, 2 * least_overlap]) n
  UNION ALL SELECT 0, 'hamming', n, 1 FROM unnest(ARRAY[1, most_hamming]) n;
  CALL count_overlaps(true);
  FOR p IN SELECT DISTINCT measure, n, d FROM plan LOOP
    CALL expect(name, p.measure, p.n, p.d);
    FOREACH algo IN ARRAY '{allpairs,ppjoin,ppjoin+,auto}'::text[] LOOP
      CALL compare(name, p.measure, p.n, p.d, 'self', algo, sets);
      CALL compare(name, p.measure, p.n, p.d, 'rs', algo, sets);
    END LOOP;
  END LOOP;
END \$\$;

TRUNCATE rec;
WITH ordered AS (
  SELECT row_number() OVER (ORDER BY body COLLATE "C", n) AS place, count(*) OVER () AS total, *
  FROM raw_$name),
chosen AS MATERIALIZED (
  SELECT place, n, body FROM ordered WHERE place > (total - $size) * $percent / 100
  ORDER BY place LIMIT $size),
sample AS MATERIALIZED (SELECT place, n, $words AS words FROM chosen),
vocabulary AS MATERIALIZED (
  SELECT word, row_number() OVER (ORDER BY word COLLATE "C") * 3 - 500 AS token
  FROM (SELECT DISTINCT unnest(words) AS word FROM sample) w)
INSERT INTO rec
SELECT s.place, s.place % 2, s.n,
       coalesce((SELECT array_agg(v.token) FROM unnest(s.words) u JOIN vocabulary v ON v.word = u),
                '{}'),
       s.words
FROM sample s;
ANALYZE rec;
SQL
    return;
}

1;
