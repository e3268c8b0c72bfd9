-- New rows against old ones: inserts those rows of "incoming" that resemble no row of "docs",
-- and of those that resemble each other the first. Both tables: (id, body text); the id is
-- of any type with an order.
--   psql -v threshold=0.8 -f new_rows.sql
BEGIN;
CREATE TEMP TABLE known ON COMMIT DROP AS
SELECT DISTINCT a AS id
FROM ppjoin_keyed((SELECT id FROM docs LIMIT 0), 'SELECT id, word_tokens(body) FROM incoming', :threshold, against => 'SELECT id, word_tokens(body) FROM docs');
INSERT INTO known
SELECT i.id FROM incoming AS i JOIN docs AS d ON fingerprint(i.body) = fingerprint(d.body) AND i.body = d.body
EXCEPT SELECT id FROM known;

-- Rows that stand for themselves; among them, near_duplicates sees to the rest.
CREATE TEMP TABLE unknown ON COMMIT DROP AS
SELECT * FROM incoming WHERE id NOT IN (SELECT id FROM known);
INSERT INTO docs
SELECT * FROM unknown
WHERE id NOT IN (SELECT id FROM near_duplicates_keyed((SELECT id FROM docs LIMIT 0), 'unknown', 'id', 'body', :threshold, 'word_tokens(body)'));
COMMIT;
