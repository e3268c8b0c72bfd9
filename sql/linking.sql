-- knn_join, match_join and match_pairs; test/t/join/linking.pl compares them with brute force
CREATE TABLE old (id int, tokens int[]);
CREATE TABLE new (id int, tokens int[]);
INSERT INTO old VALUES (1, '{1,2,3,4}'), (2, '{1,2,3}'), (3, '{7,8}'), (4, '{}'), (5, '{3,4,5,6}'), (6, NULL), (NULL, '{1,2}');
INSERT INTO new VALUES (11, '{1,2,3,4}'), (12, '{1,2,3,4}'), (13, '{7,8,9}'), (14, '{5,6}');

-- the k most similar rows of each row; ties by b
SELECT * FROM knn_join('SELECT id, tokens FROM new', 1, 0.3, against => 'SELECT id, tokens FROM old') ORDER BY a, rank;
SELECT * FROM knn_join('SELECT id, tokens FROM old', 2, 0.3, against => 'SELECT id, tokens FROM new') ORDER BY a, rank;
SELECT * FROM knn_join('SELECT id, tokens FROM old', 3, 0.1) ORDER BY a, rank;
SELECT * FROM knn_join('SELECT id, tokens FROM old', 2147483647, 3, 'hamming') ORDER BY a, rank;
SELECT * FROM knn_join_keyed(NULL::text, 'SELECT chr(70 - id), tokens FROM old', 1, 0.3, measure => 'containment') ORDER BY a, rank;
SELECT * FROM knn_join_keyed(NULL::numeric, 'SELECT id / 2.0, tokens FROM new', 1, 2, 'overlap', against => 'SELECT id::numeric, tokens FROM old') ORDER BY a, rank;
SELECT count(*) FROM knn_join('SELECT id, tokens FROM old WHERE false', 3, 0.5);
SELECT count(*) FROM knn_join('SELECT id, tokens FROM old', 3, 0.5, against => 'SELECT id, tokens FROM old WHERE false');

-- of equally similar rows, equal ones come together, where the first of them comes
SELECT b, rank FROM knn_join('SELECT 1, ARRAY[1, 2]', 4, 0.1, against => $$VALUES (1, ARRAY[1, 3]), (2, ARRAY[1, 4]), (3, ARRAY[1, 3]), (4, ARRAY[1, 5])$$);
SELECT a, b FROM topk_join($$VALUES (1, ARRAY[1, 3]), (2, ARRAY[1, 4]), (3, ARRAY[1, 3]), (4, ARRAY[1, 5])$$, 6);
SELECT a, b FROM match_join($$VALUES (1, ARRAY[1, 2]), (2, ARRAY[1, 3]), (3, ARRAY[1, 2])$$, 0.1, against => $$VALUES (1, ARRAY[1, 4]), (2, ARRAY[1, 5]), (3, ARRAY[1, 4])$$);

-- one to one: the most similar first
SELECT * FROM match_join('SELECT id, tokens FROM new', 0.3, against => 'SELECT id, tokens FROM old');
SELECT * FROM match_join('SELECT id, tokens FROM new', 0.7, against => 'SELECT id, tokens FROM old');
SELECT * FROM match_join('SELECT id, tokens FROM old', 0.1);
SELECT * FROM match_join('SELECT id, tokens FROM old', 4, 'hamming');
SELECT * FROM match_join_keyed(NULL::text, 'SELECT chr(70 - id), tokens FROM old', 0.3, 'containment');
SELECT * FROM match_join_keyed(NULL::numeric, 'SELECT id / 2.0, tokens FROM new', 2, 'overlap', against => 'SELECT id::numeric, tokens FROM old');

-- a row whose best match is taken gets its next
SELECT * FROM match_join('VALUES (1, ''{1,2,3,4,5,6,7,8,9,10}''::int[]), (2, ''{1,2,3,4,5,6,7,8,9}'')', 0.3,
                         against => 'VALUES (1, ''{1,2,3,4,5,6,7,8,9}''::int[]), (2, ''{1,2,3,4,5}'')');

-- pairs of any source
SELECT * FROM match_pairs('VALUES (1, 2, 0.5), (1, 3, 0.9), (2, 3, 0.9), (2, 2, 0.5), (3, 2, NULL), (NULL, 4, 1), (4, NULL, 1)');
-- a and b are apart, and a pair may be repeated
SELECT * FROM match_pairs('VALUES (1, 1::bigint, -3), (2, 1, -1), (1, 2, -2), (1, 1, -1), (2, 2, -7)');
SELECT * FROM match_pairs('SELECT a, b, -similarity FROM ppjoin(''SELECT id, tokens FROM old'', 3, ''hamming'', against => ''SELECT id, tokens FROM new'')');
SELECT * FROM match_pairs_keyed(NULL::text, $$VALUES ('b', 'x', 1::real), ('a', 'x', 1), ('b', 'y', '-Infinity')$$);
SELECT count(*) FROM match_pairs('SELECT 1, 2, 0.5 WHERE false');

-- in memory and through files: the greedy order of all pairs, which is that of keys where no rows are equal
CREATE TABLE many AS
SELECT DISTINCT ON (tokens) id, tokens
FROM (SELECT id, ARRAY(SELECT DISTINCT (abs(hashint8extended(id, i) % 40) * abs(hashint8extended(i, id) % 40) / 40)::int
                 FROM generate_series(1, id * 7 % 23) i) AS tokens
      FROM generate_series(1, 1000) id) m
ORDER BY tokens, id;
CREATE TABLE results AS
SELECT a, b, similarity FROM match_join('SELECT id, tokens FROM many WHERE id % 2 = 0', 0.3, against => 'SELECT id, tokens FROM many WHERE id % 2 = 1');
\set VERBOSITY terse
SET neardup.join_memory = '128kB';
SELECT count(*) > 300 AS many, count(*) FILTER (WHERE r IS NULL OR m IS NULL) AS differences
FROM results r FULL JOIN match_join('SELECT id, tokens FROM many WHERE id % 2 = 0', 0.3, against => 'SELECT id, tokens FROM many WHERE id % 2 = 1') m
     USING (a, b, similarity);
SELECT count(*) > 300 AS many, count(*) FILTER (WHERE r IS NULL OR m IS NULL) AS differences
FROM results r FULL JOIN match_pairs($$
    SELECT a, b, similarity FROM ppjoin('SELECT id, tokens FROM many WHERE id % 2 = 0', 0.3, against => 'SELECT id, tokens FROM many WHERE id % 2 = 1')$$) m
     ON r.a = m.a AND r.b = m.b AND similarity = score;
-- Which of the joins is first to tell of its files is the planner's choice.
SET client_min_messages = warning;
SELECT count(*) > 3000 AS many, count(*) FILTER (WHERE x IS NULL OR n IS NULL) AS differences
FROM knn_join('SELECT id, tokens FROM many', 5, 0.3) n
     FULL JOIN (SELECT a, b, similarity, row_number() OVER (PARTITION BY a ORDER BY similarity DESC, b) AS rank
                FROM (SELECT a, b, similarity FROM ppjoin('SELECT id, tokens FROM many', 0.3)
                      UNION ALL
                      SELECT b, a, similarity FROM ppjoin('SELECT id, tokens FROM many', 0.3)) p) x
     USING (a, b, similarity, rank)
WHERE x.rank IS NULL OR x.rank <= 5;
RESET client_min_messages;
RESET neardup.join_memory;
\set VERBOSITY default

-- errors
SELECT * FROM knn_join('SELECT id, tokens FROM old', 0, 0.5);
SELECT * FROM knn_join('SELECT id, tokens FROM old', NULL::int, 0.5);
SELECT * FROM knn_join('SELECT id, tokens FROM old', 1, NULL);
SELECT * FROM knn_join('SELECT id, tokens FROM old', 1, 1.5);
SELECT * FROM knn_join('SELECT id, tokens FROM old', 1, 0.5, 'overlap');
SELECT * FROM knn_join('SELECT id, tokens FROM old', 1, 0.5, 'tanimoto');
SELECT * FROM knn_join(NULL, 1, 0.5);
SELECT * FROM knn_join('SELECT id::text, tokens FROM old', 1, 0.5);
SELECT * FROM knn_join_keyed(NULL::json, 'SELECT to_json(id), tokens FROM old', 1, 0.5);
SELECT * FROM knn_join('SELECT id FROM old', 1, 0.5);
SELECT * FROM knn_join('SELECT id % 2, tokens FROM old', 1, 0.5);
SELECT * FROM knn_join('SELECT id, tokens FROM new', 1, 0.5, against => 'SELECT id % 2, tokens FROM old');
SELECT * FROM knn_join_keyed(NULL::text, 'SELECT left(id::text, 1), tokens FROM new', 1, 0.5, against => 'SELECT id::text, tokens FROM old');
SELECT * FROM match_join('SELECT id % 2, tokens FROM new', 0.3, against => 'SELECT id, tokens FROM old');
SELECT * FROM match_join('SELECT id, tokens FROM old', 0);
SELECT * FROM match_join('SELECT id, tokens FROM old', 'NaN'::float8);
SELECT * FROM match_join('SELECT id, tokens FROM old', NULL);
SELECT * FROM match_join_keyed(NULL::text, 'SELECT id, tokens FROM old', 0.5);
SELECT * FROM match_pairs(NULL);
SELECT * FROM match_pairs('SELECT 1, 2');
SELECT * FROM match_pairs('SELECT 1, 2, ''high''::text');
SELECT * FROM match_pairs('SELECT 1, ''x''::text, 0.5');
SELECT * FROM match_pairs('SELECT 1, 2, ''NaN''::numeric');
SELECT * FROM match_pairs('DELETE FROM old RETURNING id, id, 0.5');

DROP TABLE old, new, many, results;

-- link_tables: nothing to choose; test/t/link/link_tables.pl compares it with the procedure written out
CREATE TABLE shop_a (id int, name text, other text);
CREATE TABLE shop_b (id int, name text, other text);
INSERT INTO shop_a VALUES (1, 'Cafe Florian', '12 Main Street'), (2, 'Golden Dragon Restaurant', '7 Harbour Road'), (3, 'Blue Moon Diner', '99 Hill Lane'),
    (4, 'Trattoria da Enzo', '3 River Walk'), (5, NULL, NULL), (NULL, 'Blue Moon', '99 Hill Lane');
INSERT INTO shop_b VALUES (21, 'Caffe Florian', '12 Main St'), (22, 'Golden Dragon', '7 Harbour Rd.'), (23, 'The Blue Moon Diner', 'Hill Lane 99'), (24, 'Sushi Corner', '41 Park Avenue'), (25, '--', '');
SELECT a, b, round(similarity::numeric, 3) AS similarity, round(score::numeric, 3) AS score FROM link_tables('SELECT id, name, other FROM shop_a', 'SELECT id, name, other FROM shop_b');
SELECT a, b, round(similarity::numeric, 3) AS similarity FROM link_tables('SELECT id, name FROM shop_a', 'SELECT id, name FROM shop_b', false);
SELECT a, b FROM link_tables_keyed(NULL::text, 'SELECT ''a'' || id, name, other FROM shop_a', 'SELECT ''b'' || id, name, other FROM shop_b -- a comment');
SELECT texts, round(cut::numeric, 3) AS cut, pairs, round(precision_estimate::numeric, 3) AS precision_estimate,
       agreement, without_partner, verdict FROM link_tables_report('SELECT id::text, name, other FROM shop_a', 'SELECT id, name, other FROM shop_b');
-- each query is run once
CREATE SEQUENCE runs;
SELECT count(*) FROM link_tables('SELECT id, name, other FROM shop_a WHERE (SELECT nextval(''runs'')) > 0', 'SELECT id, name, other FROM shop_b WHERE (SELECT nextval(''runs'')) > 0');
SELECT last_value AS runs FROM runs;
-- texts of any type are compared as ::text has them
SELECT a, b FROM link_tables('VALUES (1, ''Cafe Florian''::char(20)), (2, ''Golden Dragon''), (3, ''Blue Moon'')', 'VALUES (1, ''cafe florian''::name), (2, ''golden dragon''), (3, ''blue moon'')');
SELECT a, b FROM link_tables('SELECT i, (''2020-01-01''::date + i)::date, i % 2 = 0 FROM generate_series(1, 4) AS i', 'SELECT i, (''2020-01-01''::date + i)::text, (i % 2 = 0)::text FROM generate_series(1, 4) AS i');
CREATE TYPE shop_name AS (name text);
CREATE FUNCTION shop_name_text(shop_name, integer, boolean) RETURNS text LANGUAGE sql IMMUTABLE RETURN CASE WHEN $3 AND $2 = -1 THEN $1.name END;
CREATE CAST (shop_name AS text) WITH FUNCTION shop_name_text(shop_name, integer, boolean);
SELECT count(*) > 0 AND count(*) = count(*) FILTER (WHERE same) AS cast_with_three_arguments
FROM (SELECT (x.a, x.b) = (y.a, y.b) AS same
      FROM link_tables('SELECT id, name FROM shop_a', 'SELECT id, name FROM shop_b') AS x
           FULL JOIN link_tables('SELECT id, ROW(name)::shop_name FROM shop_a', 'SELECT id, ROW(name)::shop_name FROM shop_b') AS y ON (x.a, x.b) = (y.a, y.b)) AS z;
DROP TYPE shop_name CASCADE;
-- nothing in common, no rows, one row
-- pairs that are no links, of keys of two tables: another row takes the place
SELECT a, b, round(similarity::numeric, 3) AS similarity, round(score::numeric, 3) AS score
FROM link_tables('VALUES (1, ''Cafe Florian''), (2, ''Golden Dragon Restaurant''), (3, ''Trattoria'')',
                 'VALUES (1, ''cafe florian''), (3, ''cafe florian venezia''), (2, ''golden dragon'')', except_pairs => 'VALUES (1, 1::bigint), (NULL, 2), (7, 8), (2, 1), (1, 1), (3, 1)');
SELECT pairs, verdict FROM link_tables_report('VALUES (1, ''Cafe Florian''), (2, ''Golden Dragon'')', 'VALUES (''x'', ''cafe florian''), (''y'', ''golden dragon'')', except_pairs => 'VALUES (1, ''x'')');
SELECT a, b FROM link_tables_keyed(NULL::text, 'VALUES (''p'', ''Cafe Florian''), (''q'', ''Golden Dragon'')', 'VALUES (''q'', ''golden dragon''), (''p'', ''cafe florian'')', false, 'VALUES (''p'', ''q''), (''q'', ''q'')');
-- values that part rows, compared by their words, of columns in any place: no value parts nothing
CREATE TABLE parts_a (id int, title text, doi text, author text);
INSERT INTO parts_a VALUES (1, 'On numbers, Part I', '10.1/A', 'Gauss'), (2, 'On numbers, Part II', '10.1/b', 'Gauss'), (3, 'On towers', NULL, 'Eiffel'), (4, 'On bridges', ' - ', 'Brunel');
CREATE TABLE parts_b AS SELECT id + 10 AS id, CASE id WHEN 1 THEN 'On numbers, Part II' WHEN 2 THEN 'On numbers, Part I' ELSE title END AS title, author, CASE id WHEN 2 THEN '10.1/B' WHEN 3 THEN '10.1/c' ELSE lower(doi) END AS doi FROM parts_a;
SELECT a, b FROM link_tables('SELECT id, title, author FROM parts_a', 'SELECT id, title, author FROM parts_b') ORDER BY a;
SELECT a, b FROM link_tables('TABLE parts_a', 'TABLE parts_b', differ => '{doi}') ORDER BY a;
SELECT a, b FROM link_tables('TABLE parts_a', 'SELECT id, doi, title, author FROM parts_b', false, except_pairs => 'VALUES (3, 13)', differ => '{doi}') ORDER BY a;
SELECT pairs, verdict FROM link_tables_report('TABLE parts_a', 'TABLE parts_b', differ => '{doi,author}');
SELECT count(*) FROM link_tables_keyed(NULL::text, 'SELECT id::text, title, doi FROM parts_a', 'SELECT id::text, title, doi FROM parts_b', differ => '{doi}');
SELECT count(*) FROM link_tables('SELECT id, title FROM parts_a', 'SELECT id, title FROM parts_b', differ => '{}');
SELECT * FROM link_tables('TABLE parts_a', 'SELECT id, title, author FROM parts_b', differ => '{doi}');
SELECT * FROM link_tables('TABLE parts_a', 'TABLE parts_b', differ => '{id}');
SELECT * FROM link_tables('TABLE parts_a', 'TABLE parts_b', differ => '{doi,doi}');
SELECT * FROM link_tables('TABLE parts_a', 'TABLE parts_b', differ => '{doi,NULL}');
SELECT * FROM link_tables('TABLE parts_a', 'TABLE parts_b', differ => '{title,author,doi}');
SELECT * FROM link_tables('TABLE parts_a', 'TABLE parts_b');
-- the thirty most similar rows of a row are looked at, one to one of either
SET client_min_messages = warning;
SELECT copies, (SELECT count(*) FROM link_tables(
    format($$TABLE parts_a UNION ALL SELECT 100 + i, 'Collected works in many volumes', '2' || i, 'Euler' FROM generate_series(1, %s) AS i
           UNION ALL VALUES (999, 'The collected works in many volumes', '1', 'L Euler')$$, copies),
    $$SELECT id, title, doi, author FROM parts_b UNION ALL VALUES (9, 'Collected works in many volumes', '1', 'Euler')$$, one_to_one, differ => '{doi}') WHERE b = 9) AS links, one_to_one
FROM generate_series(29, 30) AS copies, unnest('{t,f}'::bool[]) AS one_to_one;
RESET client_min_messages;
DROP TABLE parts_a, parts_b;
SELECT * FROM link_tables('SELECT 1, ''abc''', 'SELECT 2, ''xyz''', except_pairs => 'SELECT 1');
SELECT * FROM link_tables('SELECT 1, ''abc''', 'SELECT 2, ''xyz''', except_pairs => 'SELECT 1, ''x''');
SELECT * FROM link_tables('SELECT 1, ''abc''', 'SELECT 2, ''xyz''', except_pairs => 'DELETE FROM shop_a RETURNING id, id');
SELECT * FROM link_tables_report('SELECT 1, ''abc''', 'SELECT 2, ''xyz''', except_pairs => 'SELECT 1, ''2''');
SELECT * FROM link_tables('SELECT 1, ''abc''', 'SELECT 2, ''xyz''');
SELECT * FROM link_tables('SELECT 1, ''abc'' WHERE false', 'SELECT id, name FROM shop_b');
SELECT * FROM link_tables_report('SELECT 1, ''abc'' WHERE false', 'SELECT 1, ''abc'' WHERE false -- b');
SELECT a, b, similarity, score FROM link_tables('SELECT 1, ''abc def''', 'SELECT 2, ''abc def''');
-- rows of one table are as similar to each other as the pairs are
CREATE TABLE alike AS SELECT i AS id, 'product of the same family, model ' || i % 10 AS name FROM generate_series(1, 40) AS i;
SELECT count(*) FROM link_tables('SELECT id, name FROM alike WHERE id <= 20', 'SELECT id, name FROM alike WHERE id > 20');
SELECT precision_estimate IS NULL AS unknown, verdict FROM link_tables_report('SELECT id, name FROM alike WHERE id <= 20', 'SELECT id, name FROM alike WHERE id > 20');
-- errors
SELECT * FROM link_tables('SELECT id, name FROM alike', 'SELECT id, name FROM alike');
SELECT * FROM link_tables('SELECT id FROM alike', 'SELECT id, name FROM shop_a');
SELECT * FROM link_tables('SELECT id, name FROM alike', 'SELECT id, name, other FROM shop_a');
SELECT * FROM link_tables('SELECT id % 7, name FROM alike', 'SELECT id, name FROM shop_a');
SELECT * FROM link_tables('SELECT name, name FROM alike', 'SELECT id, name FROM shop_a');
SELECT * FROM link_tables('SELECT id, name FROM alike', NULL);
SELECT * FROM link_tables('SELECT id, name FROM alike', 'SELECT id, name FROM shop_a', NULL);
SELECT * FROM link_tables('SELECT id, name FROM alike', 'SELECT id, name FROM shop_a; SELECT 1');
SELECT * FROM link_tables('SELECT id, name FROM alike', 'DELETE FROM shop_a RETURNING id, name');
SELECT * FROM link_tables_keyed(NULL, 'SELECT id, name FROM alike', 'SELECT id, name FROM shop_a');
