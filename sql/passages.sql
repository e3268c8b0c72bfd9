-- Passages: common runs of words of two texts, of rows, and what rows repeat.
\set VERBOSITY terse

-- two texts: characters from 1, upper bounds excluded
SELECT * FROM common_passages('The quick brown fox jumps over a dog.', 'A QUICK brown fox -- jumps, over it', 3);
SELECT * FROM common_passages('a b c x a b c', 'c a b c a', 2) ORDER BY in_a, in_b;
SELECT * FROM common_passages('x x x', 'x x', 1) ORDER BY in_a, in_b;
SELECT count(*) FROM (SELECT common_passages('a b', 'a b', 3) UNION ALL SELECT common_passages('', '', 1)) AS c;
-- marks, ligatures, fractions, soft hyphens; scripts without spaces: each character is a word
-- (psql gives a soft hyphen no width since 18, so it is shown as another sign)
SELECT t.a, replace(t.b, U&'\00AD', '~') AS b, c.*, substr(t.a, lower(in_a), upper(in_a) - lower(in_a)) AS "text of a",
       replace(substr(t.b, lower(in_b), upper(in_b) - lower(in_b)), U&'\00AD', '~') AS "text of b"
FROM (VALUES ('Crème brûlée — the ½ best, of all', U&'x cre\0300me bru\0302lée the 1/2 BEST y'),
             ('the ﬁne print', U&'The f\00ADine-PRINT'), ('東京都に住む', '京都に住む人'), ('ภาษาไทย', 'ไทย'), ('a≠b c', 'A b C'),
             ('第3版 ＡＢ', '第 3 版ab')) AS t (a, b), LATERAL common_passages(t.a, t.b, 3) AS c
ORDER BY t.a;
-- a character that becomes several does not take the place of what is before it
SELECT t.n, c.in_a, remove_ranges(t.a, int4multirange(in_a)) AS rest
FROM (VALUES (1, 'a ß…', 'ss'), (2, E'㍿\n½👨', '社 1'), (3, '"㎏…', 'kg'), (4, U&' \00A8\0301x', U&'\0308\0301x'), (5, U&'a\00AD-b', 'a b'), (6, U&'=\0338\0301', U&'\0301')) AS t (n, a, b),
     LATERAL common_passages(t.a, t.b, 1) AS c
ORDER BY n, in_a;
SELECT in_a, in_b, words FROM (SELECT repeat('é. ', 40000) || repeat('字', 50000) || ' the end' AS a) AS t, common_passages(t.a, t.a, 90000);
SELECT common_passages('a', 'b', 0);
SELECT common_passages('a', 'b', 1000001);
-- the words are those of word_tokens where scripts have spaces, and its places those of shared_tokens
CREATE TABLE passage_texts AS
SELECT i AS id, (SELECT string_agg((ARRAY['a', 'B', 'ß', 'ﬁ', U&'e\0301', U&'\0301', 'x', 'Ж', ' ', ' ', '-', '𝐀', U&'\1100', U&'\1161', U&'\11A8', U&'\00AD', 'ᾳ', '٣', '😀', U&'\FDFA', '=', '.', U&'\0338', 'ab cd'])
                         [1 + (hashint4(i * 100 + k) & 65535) % 24], '') FROM generate_series(1, 3 + i % 40) AS k) AS body
FROM generate_series(1, 300) AS i;
SELECT count(*) AS texts, sum(e.words) AS words, count(*) FILTER (WHERE (e.words, e.first, e.last) IS DISTINCT FROM (p.words, lower(p.in_a), upper(p.in_a) - 1) AND e.words > 0) AS differ
FROM passage_texts AS t
CROSS JOIN LATERAL (SELECT count(*) AS words, min(a_from) AS first, max(a_to) AS last FROM shared_tokens(t.body, '', 'word_tokens') WHERE part = 'only a') AS e
LEFT JOIN LATERAL (SELECT * FROM common_passages(t.body, t.body, 1) WHERE in_a = in_b ORDER BY words DESC LIMIT 1) AS p ON true;

-- without some ranges
SELECT remove_ranges('héllo wörld', '{[1,3),[7,8)}'), remove_ranges('abc', '{(,)}'), remove_ranges('abc', '{}'), remove_ranges('abcdef', '{(,2],[5,)}'),
       remove_ranges('abc', '{[-5,0],[3,9]}'), remove_ranges('', '{[1,2)}'), remove_ranges('日本語', '{[2,3)}');

-- tokens for an index: of two texts that share a run, at least one in common
SELECT passage_tokens('One two three, four five', 3), passage_tokens('ONE two', 3) AS short, cardinality(passage_tokens(repeat('x y z ', 100), 20)) AS periodic;
SELECT passage_tokens('a b', 0);
SELECT count(*) AS texts, count(*) FILTER (WHERE NOT passage_tokens(a, 20) && passage_tokens(b, 20)) AS lost
FROM (SELECT x.words || ' ' || r.words || ' ' || y.words AS a, y.words || ' ' || r.words || ' ' || x.words AS b
      FROM generate_series(1, 300) AS i
      CROSS JOIN LATERAL (SELECT string_agg(md5(i || 'r' || k), ' ') AS words FROM generate_series(1, 20) AS k) AS r
      CROSS JOIN LATERAL (SELECT string_agg(md5(i || 'x' || k), ' ') AS words FROM generate_series(1, i) AS k) AS x
      CROSS JOIN LATERAL (SELECT string_agg(md5(i || 'y' || k), ' ') AS words FROM generate_series(1, 301 - i) AS k) AS y) AS t;

-- rows
CREATE TABLE mails (id int, body text);
INSERT INTO mails VALUES
    (1, E'Dear all,\nthe meeting is on Monday at ten in the large room. Please bring the figures of last year.\nBest regards\nAda'),
    (2, E'Thank you, I will come.\n> the meeting is on Monday at ten in the large room. Please bring\n> the figures of last year.\nBest regards\nBob'),
    (3, E'Me too!\n> Thank you, I will come.\n> > the meeting is on Monday at ten in the large room. Please bring\n> > the figures of last year.\nBest regards\nCyd'),
    (4, 'Nothing in common.'), (5, NULL), (6, ''), (NULL, 'Nothing in common.');
SELECT p.*, substr(m.body, lower(in_a), upper(in_a) - lower(in_a)) AS passage
FROM passage_join('SELECT id, body FROM mails', 5) AS p JOIN mails AS m ON m.id = p.a ORDER BY a, b, in_a;
SELECT p.* FROM passage_join('SELECT id, body FROM mails WHERE id = 3', 5, against => 'SELECT id, body FROM mails WHERE id < 3') AS p ORDER BY a, b, in_a;
SELECT p.* FROM passage_join('SELECT -id, body FROM mails', 5) AS p ORDER BY a, b, in_a;
SELECT p.* FROM passage_join_keyed(NULL::text, 'SELECT ''mail '' || id, body FROM mails', 5, against => 'SELECT ''x'', ''at ten, in the large room''') AS p ORDER BY a, b, in_a;
-- rows of equal key are not compared
SELECT count(*) FROM passage_join('SELECT 1, body FROM mails', 5);
SELECT count(*) FROM passage_join_keyed(NULL::text, 'SELECT ''a'', body FROM mails', 5);

-- what is in more than max_rows rows is named, and left out where it is all of a run
\set VERBOSITY default
SELECT * FROM passage_join('SELECT id, body FROM mails', 5, max_rows => 2) ORDER BY a, b, in_a;
SELECT count(*) FROM passage_join('VALUES (7000000001, ''a b c'')', 3, max_rows => 1, against => 'VALUES (10, ''x y z''), (11, ''x y z a b c'')');
\set VERBOSITY terse
-- a join that fits into memory writes no file, neither of its words nor of the texts
SET temp_file_limit = 0;
SELECT count(*) FROM passage_join('SELECT id, body FROM mails', 5, max_rows => 2);
RESET temp_file_limit;
SELECT * FROM boilerplate_passages('SELECT id, body FROM mails ORDER BY id', 5, 3);
SELECT * FROM boilerplate_passages('SELECT id, body FROM mails ORDER BY id', 2, 3);
SELECT * FROM boilerplate_passages('SELECT body, body FROM mails ORDER BY id', 5, 4);

-- the order in which rows are read does not count
SELECT count(*) FROM (SELECT * FROM passage_join('SELECT id, body FROM mails ORDER BY id', 2) EXCEPT SELECT * FROM passage_join('SELECT id, body FROM mails ORDER BY id DESC', 2)) AS d;

-- words that repeat in periods: each way to lay one row upon the other is a run, of any length
SELECT t.n, count(*) AS runs, min(p.words) AS least, max(p.words) AS most, sum(p.words::bigint) AS words
FROM (VALUES (50), (100000)) AS t (n), LATERAL passage_join(format('SELECT 1, repeat(''ab '', %s) UNION ALL SELECT 2, repeat(''ab '', %s)', t.n, t.n + 7), 20) AS p GROUP BY t.n ORDER BY t.n;
SELECT count(*) AS runs, min(p.words) AS least, max(p.words) AS most
FROM (SELECT string_agg('w' || i, ' ') AS block FROM generate_series(1, 50) AS i) AS b,
     LATERAL common_passages(repeat(block || ' ', 4000), 'x ' || repeat(block || ' ', 5000) || 'y', 20) AS p;

-- what of each row is in an earlier one
SELECT r.id, repeated, words, round(share::numeric, 2) AS share, first_id, first_range, remove_ranges(m.body, repeated) AS rest
FROM repeated_passages('SELECT id, body FROM mails ORDER BY id', 5) AS r JOIN mails AS m USING (id) ORDER BY id;
-- whole sentences and lines
SELECT r.id, repeated, words, first_id, first_range, remove_ranges(m.body, repeated) AS rest
FROM repeated_passages('SELECT id, body FROM mails ORDER BY id', 5, true) AS r JOIN mails AS m USING (id) ORDER BY id;
SELECT t.body, remove_ranges(t.body, repeated) AS rest
FROM (VALUES ('A b c d e. F g! "H i j k." L m n (o p?) Q r s t', 'A b c d. E f g? H i j k; m n o p, q r s. T'), ('甲乙丙丁。戊己庚辛！壬癸', '乙丙丁戊己庚辛壬癸'),
             (E'x y z.\n\nu v w\n\nt s r', 'u v w t s'), ('Pi is 3.14 or so. Yes... no', 'is 3 14 or so yes no'), ('one two. three', 'three')) AS t (body, earlier),
     repeated_passages(format('SELECT 1, %L', t.body), 1, whole_sentences => true, against => format('SELECT 0, %L', t.earlier)) ORDER BY 1;
-- repeated within a row, and from it
SELECT * FROM repeated_passages('VALUES (7, ''a b c d a b c x''), (3, ''b c d'')', 3);
SELECT * FROM repeated_passages('VALUES (7, ''a b c d a b c x''), (3, ''b c d'')', 3, against => 'VALUES (1, ''c d a'')');
SELECT * FROM repeated_passages_keyed(NULL::text, 'VALUES (''p'', ''a b c''), (''q'', ''x a b c'')', 3);

-- errors
SELECT * FROM passage_join(NULL, 5);
SELECT * FROM passage_join('SELECT id, body FROM mails', NULL);
SELECT * FROM passage_join('SELECT id, body FROM mails', 0);
SELECT * FROM passage_join('SELECT id, body FROM mails', 5, max_rows => 0);
SELECT * FROM passage_join('SELECT id, id FROM mails', 5);
SELECT * FROM passage_join('SELECT body, body FROM mails', 5);
SELECT * FROM repeated_passages('SELECT id, body FROM mails', 5, NULL);
SELECT * FROM boilerplate_passages('SELECT id, body FROM mails', 5, 1);
SELECT * FROM boilerplate_passages('DELETE FROM mails', 5, 3);

DROP TABLE mails, passage_texts;
