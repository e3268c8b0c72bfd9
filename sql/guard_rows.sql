--
-- guard_near_duplicates: rows that come to the trigger by INSERT and are not new.
--
SET client_min_messages = warning;
CREATE EXTENSION neardup_clean;
\set SHOW_CONTEXT never

-- A row whose key is there is what the statement makes of it: an error, nothing, or an update.
CREATE TABLE up (id int PRIMARY KEY, body text, seen int DEFAULT 1);
SELECT guard_near_duplicates('up', 'id', 'word_tokens(body)', 0.5, action => 'count', counter => 'seen');
INSERT INTO up VALUES (1, 'the quick brown fox');
INSERT INTO up VALUES (1, 'the quick brown fox jumps') ON CONFLICT (id) DO UPDATE SET body = excluded.body;
INSERT INTO up VALUES (1, 'the quick brown fox') ON CONFLICT DO NOTHING;
INSERT INTO up VALUES (1, 'the quick brown fox');
INSERT INTO up VALUES (2, 'the quick brown fox') ON CONFLICT (id) DO UPDATE SET body = excluded.body;
INSERT INTO up VALUES (3, 'another one'), (1, 'the quick fox'), (4, 'another one!') ON CONFLICT (id) DO UPDATE SET body = excluded.body;
SELECT * FROM up ORDER BY id;
MERGE INTO up USING (VALUES (1, 'one of its own'), (5, 'one of its own!'), (6, 'a sixth of these')) AS v (id, body) ON up.id = v.id
WHEN MATCHED THEN UPDATE SET body = v.body WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.body);
SELECT * FROM up ORDER BY id;

-- Any unique index: of another column, an expression, some rows, generated columns; NULL is no key unless the index says so. A constraint that is
-- deferred is none that ON CONFLICT takes.
CREATE TABLE keys (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, url text, code text, body text NOT NULL, lower_code text GENERATED ALWAYS AS (lower(code)) STORED UNIQUE, late int UNIQUE DEFERRABLE INITIALLY DEFERRED);
CREATE UNIQUE INDEX ON keys (url) WHERE url <> 'none';
CREATE UNIQUE INDEX ON keys ((url || ' ' || code)) WHERE url = 'none';
SELECT guard_near_duplicates('keys', 'id', 'word_tokens(body)', 0.5);
INSERT INTO keys (url, code, body, late) VALUES ('a', 'X', 'one two three', 1);
INSERT INTO keys (url, code, body) VALUES ('a', NULL, 'one two three four') ON CONFLICT (url) WHERE url <> 'none' DO UPDATE SET body = excluded.body;
INSERT INTO keys (url, code, body) VALUES ('b', 'x', 'one two three five') ON CONFLICT (lower_code) DO UPDATE SET url = excluded.url, body = excluded.body;
INSERT INTO keys (url, code, body) VALUES ('c', NULL, 'one two three six') ON CONFLICT DO NOTHING;
INSERT INTO keys (url, code, body) VALUES (NULL, NULL, 'one two three six');
INSERT INTO keys (late, body) VALUES (1, 'one two three six');
SELECT url, code, lower_code, body FROM keys ORDER BY id;
INSERT INTO keys (url, code, body) VALUES ('none', 'y', 'ten eleven');
INSERT INTO keys (url, code, body) VALUES ('none', 'y', 'ten eleven twelve');

-- A row that an UPDATE moves to another partition, also one of a partition, and its key with it.
CREATE TABLE moves (id int NOT NULL, body text, day int, part int) PARTITION BY RANGE (day);
CREATE TABLE moves_1 PARTITION OF moves FOR VALUES FROM (1) TO (10);
CREATE TABLE moves_2 (part int, day int, body text, id int NOT NULL) PARTITION BY LIST (part);
ALTER TABLE moves ATTACH PARTITION moves_2 FOR VALUES FROM (10) TO (20);
CREATE TABLE moves_2a PARTITION OF moves_2 FOR VALUES IN (1);
CREATE TABLE moves_2b PARTITION OF moves_2 DEFAULT;
INSERT INTO moves VALUES (1, 'a b c d', 1, 1), (2, 'a b c d e', 2, 1), (3, 'a b c d', 3, 2), (4, 'v w x', 4, 1);
SELECT guard_near_duplicates('moves', 'id', 'word_tokens(body)', 0.5);
UPDATE moves SET day = 11 WHERE id = 2;
UPDATE moves_2 SET part = 2 WHERE id = 2;
UPDATE moves SET day = day + 9, id = id + 100 WHERE id <> 2 RETURNING tableoid::regclass, id;
WITH gone AS (UPDATE moves SET day = 1 WHERE id = 101 RETURNING *) INSERT INTO moves SELECT 7, body, day, part FROM gone;
MERGE INTO moves USING (VALUES (103, 'v w x', 5), (8, 'v w x', 5), (104, 'v w x', 5), (9, 'v w x', 5)) AS v (id, body, day) ON moves.id = v.id
WHEN MATCHED THEN UPDATE SET day = v.day WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.body, v.day, 1);
SELECT tableoid::regclass, * FROM moves ORDER BY id;
-- By a function, in a subtransaction, after an error.
CREATE FUNCTION move(at int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    BEGIN
        UPDATE moves SET day = at, part = 100 / (part - 1) WHERE id IN (2, 101);
    EXCEPTION WHEN division_by_zero THEN NULL;
    END;
    INSERT INTO moves VALUES (10, 'a b c d', at, 1);
    UPDATE moves SET day = at WHERE id IN (2, 101);
END $$;
SELECT move(4);
SELECT move(14);
SELECT tableoid::regclass, * FROM moves ORDER BY id;
-- What triggers of the statement insert is new, also the key that it moves.
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO moves VALUES (OLD.id, OLD.body, 1, 1); RETURN OLD; END $$;
CREATE TRIGGER note BEFORE DELETE ON moves FOR EACH ROW EXECUTE FUNCTION note();
UPDATE moves SET day = 5 WHERE id = 2;
SELECT count(*), count(DISTINCT id) FROM moves;
-- Triggers may change the row that moves, its key may be generated or have another name now, and another table may be written meanwhile.
DROP TRIGGER note ON moves;
CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.id := NEW.id + 1000; RETURN NEW; END $$;
CREATE TRIGGER a_change BEFORE INSERT ON moves FOR EACH ROW EXECUTE FUNCTION change();
CREATE TRIGGER z_change BEFORE UPDATE ON moves FOR EACH ROW EXECUTE FUNCTION change();
UPDATE moves SET day = 11 WHERE id = 2;
DROP TRIGGER a_change ON moves;
DROP TRIGGER z_change ON moves;
ALTER TABLE moves RENAME id TO number;
CREATE TABLE texts (id text NOT NULL, body text, k int) PARTITION BY LIST (k);
CREATE TABLE texts_1 PARTITION OF texts DEFAULT;
SELECT guard_near_duplicates('texts', 'id', 'word_tokens(body)', 0.5);
INSERT INTO texts VALUES ('x', 'a b c', 1);
WITH a AS (UPDATE moves SET part = part WHERE number = 103 RETURNING 1), b AS (UPDATE texts SET body = 'd e f' WHERE (SELECT count(*) FROM a) >= 0 RETURNING 1) SELECT FROM a, b;
CREATE TABLE made (a int, k int, id int GENERATED ALWAYS AS (a * 10 + k) STORED NOT NULL, body text) PARTITION BY LIST (k);
CREATE TABLE made_1 PARTITION OF made FOR VALUES IN (1);
CREATE TABLE made_2 PARTITION OF made DEFAULT;
INSERT INTO made (a, k, body) VALUES (1, 1, 'a b c'), (2, 1, 'a b c');
SELECT guard_near_duplicates('made', 'id', 'word_tokens(body)', 0.5);
UPDATE made SET k = 2 WHERE a = 1;
SELECT * FROM made ORDER BY id;
SELECT tableoid::regclass, number FROM moves ORDER BY 2;
ALTER TABLE moves RENAME number TO id;
-- The expression of a generated column may be of another type than the column.
CREATE TABLE cast_to (id int PRIMARY KEY, cents int, euros numeric(8, 2) GENERATED ALWAYS AS (cents) STORED, body varchar(30) GENERATED ALWAYS AS ('a b c d' || cents) STORED);
SELECT guard_near_duplicates('cast_to', 'id', 'word_tokens(body)', 0.5, within => 'euros');
INSERT INTO cast_to VALUES (1, 100), (2, 100), (3, 200);
SELECT * FROM cast_to ORDER BY id;
DROP TABLE cast_to;
-- A partition alone cannot be guarded: it does not see from where a row comes. A guarded table that becomes one refuses what it would leave out.
SELECT guard_near_duplicates('moves_1', 'id', 'word_tokens(body)', 0.5);
CREATE TABLE part (id int NOT NULL, body text, day int);
SELECT guard_near_duplicates('part', 'id', 'word_tokens(body)', 0.5);
CREATE TABLE whole (id int NOT NULL, body text, day int) PARTITION BY RANGE (day);
CREATE TABLE whole_1 PARTITION OF whole FOR VALUES FROM (1) TO (10);
ALTER TABLE whole ATTACH PARTITION part FOR VALUES FROM (10) TO (20);
INSERT INTO whole VALUES (1, 'a b c', 10), (2, 'a b c', 1);
UPDATE whole SET day = 11 WHERE id = 2;
SELECT * FROM whole ORDER BY id;

-- Names in the arguments mean what they meant when the guard was made, also those of pg_catalog.
CREATE SCHEMA other;
CREATE FUNCTION other.lower(text) RETURNS text LANGUAGE sql AS 'SELECT random()::text';
CREATE FUNCTION other.concat_ws(text, text) RETURNS text LANGUAGE sql AS 'SELECT random()::text';
CREATE TABLE named (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, b text);
SELECT guard_near_duplicates('named', 'id', 'word_tokens(lower(b))', 0.5, action => 'raise');
INSERT INTO named (b) VALUES ('x y z');
SET search_path = other, pg_catalog, public;
INSERT INTO public.named (b) VALUES ('x y z');
SHOW search_path;
SELECT * FROM insert_or_find('public.named', '{"b": "X y z"}', 'id', 'word_tokens(pg_catalog.lower(b))', 0.5);
SELECT * FROM insert_or_find_rows('public.named', '[{"b": "X y z"}]', 'id', 'word_tokens(pg_catalog.lower(b))', 0.5);
SHOW search_path;
-- No order of schemas helps where a function fits better than one of pg_catalog that takes anything.
SELECT * FROM insert_or_find('public.named', '{"b": "X y z"}', 'id', 'word_tokens(pg_catalog.concat_ws('' ''::text, b))', 0.5);
RESET search_path;
DROP SCHEMA other CASCADE;
DROP TABLE up, keys, moves, whole, named, texts, made;
DROP FUNCTION move(int), note(), change();
DROP EXTENSION neardup_clean;
