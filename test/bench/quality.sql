-- Precision, recall and F1 of the pairs that the joins find in the labelled sets, by text, tokens, measure and
-- threshold. Variable data: the folder with the sets. Run by quality.sh.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
SET neardup.join_memory = '512MB';
-- Times are those of one process.
SET max_parallel_workers_per_gather = 0;
CREATE EXTENSION neardup;

-- Sets of two tables have the first letter of the keys of one of them here.
CREATE TABLE sets (place int, name text, file text, first_letter text, what text);
INSERT INTO sets VALUES
    (1, 'dblp_acm', 'dblp_acm', 'D', 'title, authors, venue and year of papers in two catalogues (Leipzig)'),
    (2, 'fodors_zagats', 'labelled/fodors_zagats', 'A', 'name, address, telephone and kitchen of restaurants in two guides'),
    (3, 'febrl4_half', 'labelled/febrl4_half', 'A', 'persons made by the FEBRL generator, half of whom have a partner'),
    (4, 'imdb_tmdb', 'labelled/imdb_tmdb', 'A', 'title or name, and a word or two more, in two catalogues of films'),
    (5, 'affil', 'affil', NULL, 'affiliations of authors (Leipzig): abbreviations, missing and added parts'),
    (6, 'febrl20k', 'febrl20k', NULL, 'persons made by the FEBRL generator: typing errors, fields missing or exchanged'),
    (7, 'febrl3', 'labelled/febrl3', NULL, 'the same, with up to six of each person'),
    (8, 'restaurants', 'labelled/restaurants', NULL, 'the rows of `fodors_zagats` in one table'),
    (9, 'cora', 'labelled/cora', NULL, 'title, authors and place of citations, a few papers many times');

-- Rows have numbers from 1 on in each table. Without a second text, the first is all there is.
CREATE TABLE rows (set_name text, is_second bool, number int, id text, first text, other text);
CREATE TABLE truth (set_name text, a int, b int);
CREATE TEMP TABLE lines (id text, first text, other text);
CREATE TEMP TABLE pairs (a text, b text);
CREATE PROCEDURE load_set(name text, file text, first_letter text) LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE lines, pairs;
    EXECUTE format('COPY lines (id, first%s) FROM PROGRAM %L', CASE WHEN file ~ '/' THEN ', other' ELSE '' END,
                   format('xz -dc ''%s/%s.tsv.xz''', current_setting('quality.data'), file));
    EXECUTE format('COPY pairs FROM PROGRAM %L', format('xz -dc ''%s/%s.pairs.tsv.xz''', current_setting('quality.data'), file));
    INSERT INTO rows
    SELECT load_set.name, is_second, row_number() OVER (PARTITION BY is_second ORDER BY id), id, first, other
    FROM (SELECT *, coalesce(NOT starts_with(id, first_letter), false) AS is_second FROM lines) AS l;
    INSERT INTO truth
    SELECT DISTINCT load_set.name, CASE WHEN first_letter IS NULL THEN least(x.number, y.number) ELSE x.number END,
                    CASE WHEN first_letter IS NULL THEN greatest(x.number, y.number) ELSE y.number END
    FROM pairs JOIN rows AS x ON x.set_name = load_set.name AND x.id = pairs.a
    JOIN rows AS y ON y.set_name = load_set.name AND y.id = pairs.b
    WHERE first_letter IS NULL OR (NOT x.is_second AND y.is_second);
END $$;
SELECT set_config('quality.data', :'data', false) \g /dev/null
DO $$
DECLARE
    s record;
BEGIN
    FOR s IN SELECT * FROM sets ORDER BY place LOOP
        CALL load_set(s.name, s.file, s.first_letter);
    END LOOP;
END $$;
CREATE INDEX ON rows (set_name, is_second);
ANALYZE;

-- Pairs and true pairs of each configuration, by the greatest threshold that they reach.
CREATE TABLE texts (place int, name text, expression text);
INSERT INTO texts VALUES (1, 'all', 'concat_ws('' '', first, other)'), (2, 'first', 'first');
CREATE TABLE tokens (place int, expression text);
INSERT INTO tokens VALUES (1, 'word_tokens(x)'), (2, 'word_set(x) | qgram_set(x, 4)'), (3, 'qgram_tokens(x, 3)'), (4, 'qgram_tokens(x, 4)'),
    (5, 'word_qgram_tokens(x, 3)'), (6, 'word_qgram_set(x, 3)'), (7, 'shingle_tokens(x, 2)');
CREATE TABLE measures (place int, name text);
INSERT INTO measures VALUES (1, 'jaccard'), (2, 'idf_jaccard'), (3, 'idf_cosine');
CREATE TABLE thresholds AS SELECT bin, trim_scale((bin + 11) / 40.0) AS threshold FROM generate_series(1, 27) AS bin;
CREATE TABLE counts (set_name text, text_name text, is_one_to_one bool, tokens text, measure text, bin int, found_pairs int8, true_pairs int8);

CREATE FUNCTION rows_of(name text, is_second bool, tokens text, of_text text) RETURNS text LANGUAGE sql
RETURN format('SELECT number, %s FROM rows, LATERAL (SELECT %s AS x) AS t WHERE set_name = %L AND is_second = %L', tokens, of_text, name, is_second);
DO $$
DECLARE
    c record;
BEGIN
    FOR c IN SELECT s.name AS set_name, t.name AS text_name, one_to_one, k.expression AS tokens, m.name AS measure,
                    rows_of(s.name, false, k.expression, t.expression) AS rows,
                    CASE WHEN first_letter IS NOT NULL THEN rows_of(s.name, true, k.expression, t.expression) END AS others
             FROM sets AS s, texts AS t, tokens AS k, measures AS m, (VALUES (false), (true)) AS o (one_to_one)
             WHERE (t.name = 'all' OR s.file ~ '/') AND (NOT one_to_one OR first_letter IS NOT NULL)
             ORDER BY s.place DESC LOOP
        EXECUTE format($sql$
            INSERT INTO counts
            SELECT %L, %L, %L, %L, %L, width_bucket(similarity::numeric, (SELECT array_agg(threshold ORDER BY bin) FROM thresholds)) AS bin, count(*), count(t.a)
            FROM %s(%L, 0.3, %L, against => %L) AS p LEFT JOIN truth AS t ON t.set_name = %L AND t.a = p.a AND t.b = p.b
            GROUP BY bin $sql$, c.set_name, c.text_name, c.one_to_one, c.tokens, c.measure,
            CASE WHEN c.one_to_one THEN 'match_join' ELSE 'ppjoin' END, c.rows, c.measure, c.others, c.set_name);
    END LOOP;
END $$;

CREATE VIEW configurations AS SELECT DISTINCT set_name, text_name, is_one_to_one, tokens, measure FROM counts;
CREATE TABLE quality AS
SELECT c.*, round(true_pairs / greatest(found_pairs, 1), 3) AS precision, round(true_pairs / all_true, 3) AS recall,
       round(2 * true_pairs / (found_pairs + all_true), 3) AS f1
FROM (SELECT c.*, threshold, sum(coalesce(n.found_pairs, 0)) OVER w AS found_pairs, sum(coalesce(n.true_pairs, 0)) OVER w AS true_pairs
      FROM configurations AS c CROSS JOIN thresholds AS t LEFT JOIN counts AS n USING (set_name, text_name, is_one_to_one, tokens, measure, bin)
      WINDOW w AS (PARTITION BY set_name, text_name, is_one_to_one, tokens, measure ORDER BY bin DESC)) AS c
JOIN (SELECT set_name, count(*)::numeric AS all_true FROM truth GROUP BY set_name) AS t USING (set_name);

-- What near_duplicates does without tokens: for each set and text.
CREATE VIEW default_tokens AS
SELECT set_name, t.name AS text_name,
       CASE WHEN avg(char_length(CASE t.name WHEN 'all' THEN concat_ws(' ', first, other) ELSE first END)) < 100 THEN 'qgram_tokens(x, 3)' ELSE 'word_tokens(x)' END AS tokens
FROM rows, texts AS t GROUP BY set_name, t.name;

-- What follows are the tables of the page, line by line.
CREATE FUNCTION label(tokens text) RETURNS text LANGUAGE sql RETURN '`' || replace(replace(replace(replace(tokens, '(x)', ''), 'x, ', ''), 'x', ''), '|', '\|') || '`';
CREATE FUNCTION name_of(set_name text, text_name text, is_one_to_one bool) RETURNS text LANGUAGE sql
RETURN format('`%s`%s%s', set_name, CASE text_name WHEN 'first' THEN ', first text' END, CASE WHEN is_one_to_one THEN ', one to one' END);
-- The processor's time that this session takes to count the rows of a query: the least of three.
CREATE FUNCTION time_of(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    least_time float8 := 'infinity';
    started float8;
BEGIN
    FOR i IN 1 .. 3 LOOP
        started := split_part(pg_read_file('/proc/self/schedstat'), ' ', 1);
        EXECUTE format('SELECT count(*) FROM (%s) AS q', query);
        least_time := least(least_time, split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 - started);
    END LOOP;
    RETURN least_time / 1e9;
END $$;
CREATE FUNCTION shown_time(seconds float8) RETURNS text LANGUAGE sql RETURN round(seconds::numeric, CASE WHEN seconds < 1 THEN 2 ELSE 1 END) || ' s';
\pset format unaligned
\pset tuples_only on

\echo '| set | tables | rows | true pairs | bytes of the first text | bytes of all texts | what |'
\echo '|---|---|---|---|---|---|---|'
SELECT format('| `%s` | %s | %s | %s | %s | %s | %s |', name, CASE WHEN first_letter IS NULL THEN 1 ELSE 2 END, to_char(r.rows, 'FM999,999'),
              to_char(t.pairs, 'FM999,999'), CASE WHEN file ~ '/' THEN bytes_of_first::text END, bytes, what)
FROM sets JOIN (SELECT set_name, count(*) AS rows, round(avg(octet_length(first))) AS bytes_of_first,
                       round(avg(octet_length(concat_ws(' ', first, other)))) AS bytes
                FROM rows GROUP BY set_name) AS r ON r.set_name = name
JOIN (SELECT set_name, count(*) AS pairs FROM truth GROUP BY set_name) AS t ON t.set_name = name
ORDER BY place;

-- The best F1 of each configuration; bold in its line, and the best of all lines of the set.
CREATE TABLE best AS
SELECT DISTINCT ON (set_name, text_name, is_one_to_one, tokens, measure) * FROM quality
ORDER BY set_name, text_name, is_one_to_one, tokens, measure, f1 DESC, threshold;
CREATE FUNCTION best_of(of_measure text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format('| %s | %s |', name_of(set_name, text_name, is_one_to_one),
                  string_agg(format(CASE WHEN f1 = greatest_f1 THEN '**%s** %s' ELSE '%s %s' END, f1, threshold), ' | ' ORDER BY k.place))
    FROM (SELECT *, max(f1) OVER (PARTITION BY set_name, text_name, is_one_to_one) AS greatest_f1 FROM best) AS b
    JOIN sets AS s ON s.name = set_name JOIN tokens AS k ON k.expression = tokens
    WHERE measure = of_measure
    GROUP BY s.place, set_name, text_name, is_one_to_one
    ORDER BY is_one_to_one, s.place, text_name $$;
SELECT format(E'\n| `jaccard` | %s |\n|%s', string_agg(label(expression), ' | ' ORDER BY place), repeat('---|', 1 + count(*)::int)) FROM tokens;
SELECT best_of('jaccard');
SELECT format(E'\n| `idf_jaccard` | %s |\n|%s', string_agg(label(expression), ' | ' ORDER BY place), repeat('---|', 1 + count(*)::int)) FROM tokens;
SELECT best_of('idf_jaccard');
SELECT format(E'\n| `idf_cosine` | %s |\n|%s', string_agg(label(expression), ' | ' ORDER BY place), repeat('---|', 1 + count(*)::int)) FROM tokens;
SELECT best_of('idf_cosine');

-- Means of F1 over the sets, at the same threshold for all.
CREATE VIEW choices AS
SELECT k.place, m.place AS measure_place, label(tokens) AS tokens, measure, set_name, text_name, threshold, precision, recall, f1
FROM quality JOIN tokens AS k ON k.expression = tokens JOIN measures AS m ON m.name = measure WHERE NOT is_one_to_one
UNION ALL
SELECT 0, 1, 'the default', measure, set_name, text_name, threshold, precision, recall, f1
FROM quality JOIN default_tokens USING (set_name, text_name, tokens) WHERE NOT is_one_to_one AND measure = 'jaccard';
CREATE FUNCTION means_of(of_text text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format('| %s | `%s` | %s |', tokens, measure,
                  string_agg(format(CASE WHEN mean = greatest_mean THEN '**%s**' ELSE '%s' END, mean), ' | ' ORDER BY threshold))
    FROM (SELECT *, max(mean) OVER (PARTITION BY place, measure) AS greatest_mean
          FROM (SELECT place, measure_place, tokens, measure, threshold, round(avg(f1), 3) AS mean
                FROM choices WHERE text_name = of_text AND threshold IN (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
                GROUP BY place, measure_place, tokens, measure, threshold) AS m) AS n
    GROUP BY place, measure_place, tokens, measure ORDER BY place, measure_place $$;
\echo
\echo '| all texts: tokens | measure | 0.3 | 0.4 | 0.5 | 0.6 | 0.7 | 0.8 | 0.9 |'
\echo '|---|---|---|---|---|---|---|---|---|'
SELECT means_of('all');
\echo
\echo '| first text: tokens | measure | 0.3 | 0.4 | 0.5 | 0.6 | 0.7 | 0.8 | 0.9 |'
\echo '|---|---|---|---|---|---|---|---|---|'
SELECT means_of('first');

-- The same choice for all sets.
CREATE TABLE shown (row int, tokens text, measure text, threshold numeric);
INSERT INTO shown
SELECT row_number() OVER (), tokens, measure, threshold
FROM (VALUES ('the default', 'jaccard'), ('`word_tokens`', 'jaccard'), ('`qgram_tokens(3)`', 'jaccard'), ('`word_qgram_tokens(3)`', 'jaccard'),
             ('`qgram_tokens(3)`', 'idf_cosine'), ('`word_set \| qgram_set(4)`', 'idf_cosine')) AS c (tokens, measure),
     (VALUES (0.4), (0.5)) AS t (threshold);
SELECT format(E'\n| one choice for all sets | %s | mean | time |\n|%s', string_agg(format('`%s`', name), ' | ' ORDER BY place), repeat('---|', 3 + count(*)::int)) FROM sets;
SELECT format('| %s, `%s` %s | %s | %s | %s |', shown.tokens, measure, threshold, string_agg(f1::text, ' | ' ORDER BY s.place), round(avg(f1), 3),
              shown_time(sum(time_of(format('SELECT a FROM ppjoin(%L, %s, %L, against => %L)', rows_of(s.name, false, k.expression, 'concat_ws('' '', first, other)'), threshold, measure,
                                            CASE WHEN first_letter IS NOT NULL THEN rows_of(s.name, true, k.expression, 'concat_ws('' '', first, other)') END)))))
FROM shown JOIN choices USING (tokens, measure, threshold) JOIN sets AS s ON s.name = set_name
JOIN default_tokens AS d USING (set_name, text_name)
JOIN tokens AS k ON CASE shown.tokens WHEN 'the default' THEN k.expression = d.tokens ELSE label(k.expression) = shown.tokens END
WHERE text_name = 'all' GROUP BY row, shown.tokens, measure, threshold ORDER BY row;
SELECT format('| the best of each set | %s | %s | |', string_agg(f1::text, ' | ' ORDER BY place), round(avg(f1), 3))
FROM (SELECT place, max(f1) AS f1 FROM best JOIN sets ON name = set_name WHERE text_name = 'all' AND NOT is_one_to_one GROUP BY place) AS b;

\echo
\echo '| the default | | 0.3 | 0.4 | 0.5 | 0.6 | 0.7 | 0.8 | 0.9 |'
\echo '|---|---|---|---|---|---|---|---|---|'
SELECT format('| %s | %s | %s |', CASE line WHEN 1 THEN format('`%s`', set_name) END, CASE line WHEN 1 THEN 'precision' ELSE 'recall' END,
              string_agg((CASE line WHEN 1 THEN precision ELSE recall END)::text, ' | ' ORDER BY threshold))
FROM choices JOIN sets AS s ON s.name = set_name, generate_series(1, 2) AS line
WHERE choices.place = 0 AND text_name = 'all' AND threshold IN (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
GROUP BY s.place, set_name, line ORDER BY s.place, line;

-- Nothing to choose: two tables.
CREATE FUNCTION texts_of(name text, is_second bool) RETURNS text LANGUAGE sql
RETURN format('SELECT number, first%s FROM rows WHERE set_name = %L AND is_second = %L',
              CASE WHEN (SELECT file ~ '/' FROM sets AS s WHERE s.name = texts_of.name) THEN ', coalesce(other, '''')' END, name, is_second);
\echo
\echo '| `link_tables` | texts | pairs | F1 | precision | estimated | verdict | time |'
\echo '|---|---|---|---|---|---|---|---|'
SELECT format('| `%s` | %s | %s | %s | %s | %s | %s | %s |', name, i.texts, to_char(q.found_pairs, 'FM999,999'), round(q.f1::numeric, 3), round(q.precision::numeric, 3),
              coalesce(round(i.precision_estimate::numeric, 3)::text, 'none'), i.verdict,
              shown_time(time_of(format('SELECT a FROM link_tables(%L, %L)', texts_of(name, false), texts_of(name, true)))))
FROM sets, LATERAL link_tables_report(texts_of(name, false), texts_of(name, true)) AS i,
     pairs_quality(format('SELECT a, b FROM link_tables(%L, %L)', texts_of(name, false), texts_of(name, true)),
                   format('SELECT a, b FROM truth WHERE set_name = %L', name), true) AS q
WHERE first_letter IS NOT NULL ORDER BY place;

-- Nothing to choose: one table.
CREATE TABLE chosen (set_name text, tokens text, measure text, threshold float8);
DO $$
DECLARE
    s record;
BEGIN
    FOR s IN SELECT name FROM sets WHERE first_letter IS NULL LOOP
        EXECUTE format($sql$CREATE VIEW one_%s AS SELECT number AS id, concat_ws(' ', first, other) AS body FROM rows WHERE set_name = %L$sql$, s.name, s.name);
        INSERT INTO chosen SELECT s.name, chosen_tokens, chosen_measure, threshold FROM choose_threshold(format('one_%s', s.name)::regclass, 'body') WHERE can_tell;
    END LOOP;
END $$;
\echo
\echo '| `near_duplicates`, no threshold | tokens | measure | threshold | precision | recall | F1 | the default at 0.5 | the best | time |'
\echo '|---|---|---|---|---|---|---|---|---|---|'
SELECT format('| `%s` | %s | `%s` | %s | %s | %s | %s | %s | %s | %s |', set_name,
              '`' || replace(regexp_replace(regexp_replace(c.tokens, 'body::pg_catalog.text(, )?|public\.|\(\)', '', 'g'), ' OPERATOR\(\|\) ', ' \| '), '()', '') || '`',
              c.measure, c.threshold, round(q.precision::numeric, 3), round(q.recall::numeric, 3), round(q.f1::numeric, 3), d.f1, b.f1,
              shown_time(time_of(format('SELECT id FROM near_duplicates(%L, ''id'', ''body'', NULL)', 'one_' || set_name))))
FROM chosen AS c JOIN sets AS s ON s.name = set_name
JOIN choices AS d USING (set_name)
JOIN (SELECT set_name, max(f1) AS f1 FROM best WHERE text_name = 'all' GROUP BY set_name) AS b USING (set_name),
     pairs_quality(format('SELECT a, b FROM ppjoin(%L, %s, %L)', format('SELECT id, %s FROM one_%s', c.tokens, set_name), c.threshold, c.measure),
                   format('SELECT a, b FROM truth WHERE set_name = %L', set_name)) AS q
WHERE d.place = 0 AND d.text_name = 'all' AND d.threshold = 0.5 ORDER BY s.place;

-- Records of several columns: a table for each set, whose keys are numbers, and the pairs of keys that are true.
CREATE TABLE record_sets (place int, name text, path text, ending text, format text);
INSERT INTO record_sets
SELECT place, format('`%s`', name), 'records/' || name, 'tsv', $$FORMAT CSV, DELIMITER E'\t', QUOTE E'\b'$$
FROM unnest('{historical_half,restaurants,cora,sites,febrl3,dblp_acm_as_one}'::text[]) WITH ORDINALITY AS s (name, place)
UNION ALL VALUES (7, 'dqbench T1', 'dqbench/T1', 'csv', 'FORMAT CSV'), (8, 'dqbench T3', 'dqbench/T3', 'csv', 'FORMAT CSV');
CREATE TABLE record_truth (place int, a int, b int);
CREATE TABLE record_results (place int, columns name[], rows int8, verdict text, one_text numeric, best_threshold numeric, seconds float8);
CREATE TABLE record_members (place int, cluster int8, number int8);
CREATE PROCEDURE load_records(s record_sets) LANGUAGE plpgsql AS $$
DECLARE
    rel text := 'records_' || s.place;
    data text := format('xz -dc ''%s/%s.%s.xz''', current_setting('quality.data'), s.path, s.ending);
    head name[];
BEGIN
    TRUNCATE lines, pairs;
    EXECUTE format('COPY lines (id) FROM PROGRAM %L', data || ' | head -n 1 | tr -d ''\r'' | tr ''\t'' ,');
    SELECT string_to_array(id, ',') INTO head FROM lines;
    EXECUTE format('CREATE TABLE %I (number int GENERATED ALWAYS AS IDENTITY, %s text)', rel, array_to_string(head, ' text, '));
    EXECUTE format('COPY %I (%s) FROM PROGRAM %L (%s, HEADER)', rel, array_to_string(head, ', '), data, s.format);
    EXECUTE format('COPY pairs FROM PROGRAM %L (%s)', replace(data, '.' || s.ending, '.pairs.' || s.ending), s.format);
    EXECUTE format('INSERT INTO record_truth SELECT DISTINCT %s, least(x.number, y.number), greatest(x.number, y.number) FROM pairs JOIN %I AS x ON x.key = a JOIN %I AS y ON y.key = b',
                   s.place, rel, rel);
    EXECUTE format('ALTER TABLE %I DROP COLUMN key', rel);
    EXECUTE format('INSERT INTO record_results SELECT %s, %L, (SELECT count(*) FROM %I), verdict FROM duplicate_records_report(%L, ''number'')', s.place, head[2:], rel, rel);
END $$;
-- F1 of the pairs of a join of a set's rows, each as one text.
CREATE FUNCTION f1_of_texts(place int, tokens text, measure text, threshold float8) RETURNS numeric LANGUAGE sql
RETURN (SELECT round(f1::numeric, 3) FROM pairs_quality(format('SELECT a, b FROM ppjoin(%L, %s, %L)', format('SELECT id, %s FROM record_texts_%s', tokens, place), threshold, measure),
                                                        format('SELECT a, b FROM record_truth WHERE place = %s', place)));
DO $$
DECLARE
    s record;
BEGIN
    FOR s IN SELECT r FROM record_sets AS r ORDER BY r.place LOOP
        CALL load_records(s.r);
    END LOOP;
    FOR s IN SELECT * FROM record_results ORDER BY place LOOP
        EXECUTE format('CREATE VIEW record_texts_%s AS SELECT number AS id, concat_ws('' '', %s) AS body FROM records_%s', s.place, array_to_string(s.columns, ', '), s.place);
        UPDATE record_results AS r
        SET one_text = (SELECT f1_of_texts(s.place, chosen_tokens, chosen_measure, c.threshold) FROM choose_threshold(format('record_texts_%s', s.place)::regclass, 'body') AS c),
            best_threshold = (SELECT max(f1_of_texts(s.place, 'word_set(body) | qgram_set(body, 4)', 'idf_cosine', t.threshold)) FROM thresholds AS t)
        WHERE r.place = s.place;
        CONTINUE WHEN s.verdict <> 'settled';
        EXECUTE format('INSERT INTO record_members SELECT DISTINCT %s, cluster, member FROM duplicate_records(''records_%s'', ''number''), unnest(ARRAY[id, duplicate_of]) AS member', s.place, s.place);
        UPDATE record_results AS r SET seconds = time_of(format('SELECT id FROM duplicate_records(''records_%s'', ''number'')', s.place)) WHERE r.place = s.place;
    END LOOP;
END $$;
-- Rows that no pair has are a cluster of their own, in truth and among what is found.
CREATE VIEW record_clusters AS
SELECT place, number, coalesce(m.cluster, number) AS found, coalesce(t.cluster, number) AS meant
FROM (SELECT place, generate_series(1, rows) AS number FROM record_results WHERE verdict = 'settled') AS r
LEFT JOIN record_members AS m USING (place, number)
LEFT JOIN (SELECT s.place, c.* FROM record_sets AS s, LATERAL cluster_pairs(format('SELECT a, b FROM record_truth WHERE place = %s', s.place)) AS c (number, cluster)) AS t USING (place, number);
CREATE VIEW b_cubed AS
SELECT place, 2 / (1 / avg(same / found) + 1 / avg(same / meant)) AS b_cubed
FROM (SELECT place, count(*) OVER (PARTITION BY place, found, meant)::float8 AS same, count(*) OVER (PARTITION BY place, found) AS found, count(*) OVER (PARTITION BY place, meant) AS meant
      FROM record_clusters) AS c GROUP BY place;
\echo
\echo '| `duplicate_records` | rows, columns | precision | recall | F1 | B³ | one text | the best threshold | time |'
\echo '|---|---|---|---|---|---|---|---|---|'
SELECT format('| %s | %s, %s | %s | %s | %s |', name, to_char(rows, 'FM999,999'), cardinality(columns),
              CASE WHEN verdict = 'settled' THEN format('%s | %s | %s | %s', round(q.precision::numeric, 3), round(q.recall::numeric, 3), round(q.f1::numeric, 3), round(b_cubed::numeric, 3)) ELSE '| | |' END,
              concat(one_text, ' | ', best_threshold), coalesce(shown_time(seconds), 'an error: it cannot tell'))
FROM record_results JOIN record_sets USING (place) LEFT JOIN b_cubed USING (place),
     pairs_quality(format('SELECT x.number, y.number FROM record_members AS x JOIN record_members AS y USING (place, cluster) WHERE x.number < y.number AND place = %s', place),
                   format('SELECT a, b FROM record_truth WHERE place = %s', place)) AS q
ORDER BY place;
