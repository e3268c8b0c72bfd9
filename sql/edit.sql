-- The interface of the join by edit distance. What it finds is held against
-- brute force in test/t/kinds/edit_join.pl.
CREATE TABLE names (id int, name text);
INSERT INTO names VALUES
    (1, 'Jon Smith'), (2, 'John Smith'), (3, 'Jon Smyth'), (4, 'Müller'), (5, 'Muller'), (6, 'Mueller'),
    (7, ''), (8, 'x'), (9, NULL), (NULL, 'Jon Smith');

-- a self-join: the lesser key first; the empty text is a text as any other
SELECT * FROM edit_join('SELECT id, name FROM names', 0) ORDER BY a, b;
SELECT * FROM edit_join('SELECT id, name FROM names', 1) ORDER BY a, b;
SELECT * FROM edit_join('SELECT id, name FROM names', 2) ORDER BY a, b;
SELECT count(*) FROM edit_join('SELECT id, name FROM names', 2147483647);

-- characters, not bytes, of two to four bytes
SELECT * FROM edit_join($$VALUES (1, 'naïve'), (2, 'naive'), (3, '日本語'), (4, '日本'), (5, '😀!'), (6, '😁!')$$, 1) ORDER BY a, b;

-- texts as they stand: neither case nor blanks nor normal forms are equal
SELECT * FROM edit_join($$VALUES (1, 'a'), (2, 'A'), (3, 'a '), (4, U&'\00E9'), (5, U&'e\0301')$$, 0);

-- two queries: a from the first, whatever the keys
SELECT * FROM edit_join('SELECT id, name FROM names WHERE id > 1', 1, against => 'SELECT id, name FROM names WHERE id < 3') ORDER BY a, b;

-- equal keys are not compared, repeated ones give repeated rows
SELECT a, b, distance, count(*) FROM edit_join($$SELECT id / 2, 'same' FROM names WHERE id < 6$$, 1) GROUP BY a, b, distance ORDER BY a, b;

-- keys of other types
SELECT * FROM edit_join('SELECT id::smallint, name FROM names', 0, against => 'SELECT id::bigint, name FROM names') ORDER BY a, b;
SELECT * FROM edit_join_keyed(NULL::text, 'SELECT chr(70 - id), name FROM names', 1) ORDER BY a, b;
SELECT * FROM edit_join_keyed(NULL::numeric, 'SELECT -id::numeric, name FROM names', 0, against => 'SELECT id / 2.0, name FROM names') ORDER BY a, b;

-- every type of text; a character(n) loses its blanks as in a cast to text
CREATE DOMAIN label AS varchar(20) CHECK (VALUE <> 'none');
SELECT * FROM edit_join($$SELECT id, name::varchar(5) FROM names$$, 0) ORDER BY a, b;
SELECT * FROM edit_join($$SELECT id, name::label FROM names$$, 1) ORDER BY a, b;
SELECT * FROM edit_join($$SELECT id, name::name FROM names$$, 1) ORDER BY a, b;
SELECT * FROM edit_join($$VALUES (1, 'ab '::char(9)), (2, 'ab'::char(9)), (3, 'b'::char(9))$$, 1) ORDER BY a, b;

-- long texts, toasted and not
CREATE TABLE long_texts (id int, body text);
INSERT INTO long_texts SELECT k, repeat('all work and no play ', 500) || repeat('!', k) FROM generate_series(1, 4) AS k;
SELECT * FROM edit_join('SELECT id, body FROM long_texts', 2) ORDER BY a, b;
SELECT * FROM edit_join('SELECT id, body FROM long_texts', 9999, against => 'SELECT id, reverse(body) FROM long_texts WHERE id = 1');

-- no rows
SELECT * FROM edit_join('SELECT id, name FROM names WHERE false', 2);

-- arguments by name
SELECT * FROM edit_join(query => 'SELECT id, name FROM names', max_distance => 1) ORDER BY a, b LIMIT 1;

-- errors; the hints
SELECT * FROM edit_join('SELECT id, name FROM names', -1);
SELECT * FROM edit_join('SELECT id, name FROM names', NULL);
SELECT * FROM edit_join(NULL, 1);
SELECT * FROM edit_join('SELECT id FROM names', 1);
SELECT * FROM edit_join('SELECT id, id FROM names', 1);
SELECT * FROM edit_join('SELECT name, name FROM names', 1);
SELECT * FROM edit_join_keyed(NULL::uuid, 'SELECT id, name FROM names', 1);
SELECT * FROM edit_join('DELETE FROM names RETURNING id, name', 1);

DROP TABLE names, long_texts;
DROP DOMAIN label;
