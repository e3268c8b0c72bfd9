-- Merges by the caller's rights, with row-level security, triggers and search paths.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION neardup_clean;
RESET client_min_messages;
CREATE ROLE regress_clean_owner;
CREATE ROLE regress_clean_user;
CREATE SCHEMA clean AUTHORIZATION regress_clean_owner;
GRANT USAGE, CREATE ON SCHEMA clean TO regress_clean_user;
SET ROLE regress_clean_owner;
SET search_path = clean, public;
CREATE TABLE p (id int PRIMARY KEY, name text);
CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE, owner name DEFAULT current_user);
INSERT INTO p VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
INSERT INTO c (id, p) SELECT i, 1 + i % 4 FROM generate_series(1, 8) i;
-- The rights that the statements need.
SET ROLE regress_clean_user;
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
RESET ROLE;
GRANT SELECT, UPDATE, DELETE ON clean.p TO regress_clean_user;
SET ROLE regress_clean_user;
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
RESET ROLE;
GRANT SELECT ON clean.c TO regress_clean_user;
SET ROLE regress_clean_user;
SELECT gone, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', dry_run => true);
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
RESET ROLE;
GRANT UPDATE (p) ON clean.c TO regress_clean_user;
SET ROLE regress_clean_user;
SELECT merge, gone, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', log => 'merges');
-- The log is the user's; who undoes needs rights, too.
SELECT * FROM undo_merge('merges', 1);
SET ROLE regress_clean_owner;
SELECT * FROM undo_merge('merges', 1);
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (3, 1)', log => 'merges');
RESET ROLE;
GRANT INSERT ON clean.p TO regress_clean_user;
SET ROLE regress_clean_user;
SELECT * FROM undo_merge('merges', 1);
-- Rows that a policy hides are not lost: where one may hide rows that refer to the table, nothing is merged.
SET ROLE regress_clean_owner;
ALTER TABLE c ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON c USING (owner = current_user);
SET ROLE regress_clean_user;
SELECT count(*) FROM c;
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
SET ROLE regress_clean_owner;
BEGIN;
SELECT gone, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
ROLLBACK;
ALTER TABLE c FORCE ROW LEVEL SECURITY;
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
ALTER TABLE c NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;
-- Of the table itself, a row that a policy hides is not there, and one that it keeps is an error.
ALTER TABLE p ENABLE ROW LEVEL SECURITY;
CREATE POLICY visible ON p USING (id <> 4);
CREATE POLICY kept ON p AS RESTRICTIVE FOR DELETE USING (id <> 3);
SET ROLE regress_clean_user;
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (4, 1)');
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (3, 1)');
SET ROLE regress_clean_owner;
ALTER TABLE p DISABLE ROW LEVEL SECURITY;
-- Triggers fire with the caller's search path, once for each row; one that keeps a row is an error.
RESET ROLE;
CREATE SCHEMA regress_clean AUTHORIZATION regress_clean_owner;
SET ROLE regress_clean_owner;
SET search_path = regress_clean, clean, public;
CREATE TABLE seen (what text);
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen VALUES (concat_ws(' ', tg_table_name, tg_op, tg_level, to_jsonb(OLD) ->> 'id')); RETURN NULL; END $$;
CREATE TRIGGER see AFTER UPDATE OR DELETE ON clean.p FOR EACH ROW EXECUTE FUNCTION see();
CREATE TRIGGER see AFTER INSERT OR UPDATE OR DELETE ON clean.c FOR EACH ROW EXECUTE FUNCTION see();
CREATE FUNCTION louder(text) RETURNS text LANGUAGE sql AS $$ SELECT upper($1) $$;
SELECT merge, gone, changed, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"name": "louder(kept.name || gone.name)"}', log => 'own_merges');
SELECT * FROM seen ORDER BY what;
SELECT * FROM undo_merge('own_merges', 1);
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER keep BEFORE DELETE ON clean.p FOR EACH ROW EXECUTE FUNCTION keep();
SELECT gone FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
DROP TRIGGER keep ON clean.p;
-- What a trigger writes to the row itself is not in the log, and columns that it changes are no obstacle.
ALTER TABLE clean.p ADD touched int DEFAULT 0;
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.touched := NEW.touched + 1; NEW.name := lower(NEW.name); RETURN NEW; END $$;
CREATE TRIGGER touch BEFORE UPDATE ON clean.p FOR EACH ROW EXECUTE FUNCTION touch();
SELECT merge FROM merge_duplicates('p', 'id', 'VALUES (2, 1)', rules => '{"name": "''AB''"}', log => 'own_merges');
SELECT after FROM own_merges WHERE merge = 2 AND action = 'merged';
SELECT * FROM undo_merge('own_merges', 2);
SELECT * FROM p ORDER BY id;
DROP TRIGGER touch ON clean.p;
-- A trigger may merge rows.
CREATE TABLE q (id int PRIMARY KEY);
INSERT INTO q SELECT generate_series(1, 3);
CREATE FUNCTION merge_more() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM merge_duplicates('q', 'id', 'VALUES (2, 1), (3, 1)'); PERFORM merge_duplicates('p', 'id', 'VALUES (4, 3)') WHERE OLD.id = 2; RETURN NULL; END $$;
CREATE TRIGGER merge_more AFTER DELETE ON clean.p FOR EACH ROW WHEN (OLD.id = 2) EXECUTE FUNCTION merge_more();
SELECT gone, moved FROM merge_duplicates('p', 'id', 'VALUES (2, 1)');
SELECT (SELECT string_agg(id::text, ' ' ORDER BY id) FROM p) AS p, (SELECT string_agg(id::text, ' ') FROM q) AS q, (SELECT string_agg(p::text, ' ' ORDER BY id) FROM c) AS c;
-- Many merges in one transaction.
INSERT INTO p SELECT i, 'more' FROM generate_series(10, 200) i;
DROP TRIGGER merge_more ON clean.p;
DO $$ BEGIN FOR i IN 10 .. 60 LOOP PERFORM merge_duplicates('p', 'id', format('VALUES (%s, 1)', i), log => 'own_merges'); END LOOP; END $$;
SELECT count(DISTINCT merge), count(*) FROM own_merges WHERE merge > 2;
-- A function with its owner's rights does not take what its caller has made: a temporary table of the same name, whose trigger would run
-- with these rights, or a log.
RESET ROLE;
SET search_path = clean, public;
CREATE TABLE d (id int PRIMARY KEY, body text);
CREATE TABLE of_d (d int REFERENCES d, kind varchar CHECK (kind::text <> 'q'));
INSERT INTO d SELECT i, 'd' FROM generate_series(1, 9) i;
INSERT INTO of_d VALUES (9, 'k');
CREATE TABLE secret (what text);
CREATE FUNCTION clean_up(pairs text, log text) RETURNS SETOF text LANGUAGE sql SECURITY DEFINER SET search_path = clean, public, pg_temp
AS 'SELECT gone FROM merge_duplicates(''d'', ''id'', $1, log => $2)';
CREATE FUNCTION bring(new_rows jsonb) RETURNS SETOF text LANGUAGE sql SECURITY DEFINER SET search_path = clean, public, pg_temp SET client_min_messages = warning
AS 'SELECT key FROM insert_or_find_rows(''d'', $1, ''id'', ''word_tokens(body)'', 0.5)';
CREATE TABLE scratch AS SELECT NULL::text AS name, NULL::text AS columns LIMIT 0;
CREATE FUNCTION spy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO clean.scratch SELECT c.relname, string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum)
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 WHERE c.relnamespace = pg_my_temp_schema() AND c.relkind = 'r' GROUP BY c.relname;
    RETURN NULL;
END $$;
CREATE TRIGGER spy AFTER DELETE ON d EXECUTE FUNCTION spy();
SELECT clean_up('VALUES (2, 1)', 'd_log');
DROP TRIGGER spy ON d;
SELECT count(*) > 2 AS are_known FROM scratch;
GRANT SELECT ON scratch TO regress_clean_user;
SET SESSION AUTHORIZATION regress_clean_user;
SET search_path = clean, public;
CREATE FUNCTION pg_temp.write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO clean.secret VALUES (current_user); RETURN NEW; END $$;
DO $$
DECLARE
    made record;
BEGIN
    FOR made IN TABLE scratch UNION ALL SELECT format('neardup_rows_%s', i), 'place int, new_row jsonb, tokens tokenset, counts bool, key text, inserted bool, similarity float8' FROM generate_series(1, 2) i LOOP
        EXECUTE format('CREATE TEMP TABLE %I (%s)', made.name, made.columns);
        EXECUTE format('CREATE TRIGGER write BEFORE INSERT ON pg_temp.%I FOR EACH ROW EXECUTE FUNCTION pg_temp.write()', made.name);
    END LOOP;
END $$;
CREATE TEMP VIEW neardup_rows_3_left AS SELECT 1 AS place;
CREATE TEMP TABLE other_log (merge int8 GENERATED ALWAYS AS IDENTITY, entry int8, at timestamptz, who text, action text, gone text, kept text, rel regclass, key jsonb, before jsonb, after jsonb, columns jsonb, undone timestamptz);
CREATE TRIGGER write BEFORE INSERT ON other_log FOR EACH ROW EXECUTE FUNCTION pg_temp.write();
GRANT ALL ON other_log TO PUBLIC;
SELECT clean_up('VALUES (3, 1), (4, 1)', 'd_log');
SELECT clean_up('VALUES (5, 1)', 'other_log');
SELECT bring('[{"id": 20, "body": "a b c"}, {"id": 21, "body": "a b c"}]');
RESET SESSION AUTHORIZATION;
DISCARD TEMP;
SET search_path = clean, public;
TABLE secret;
SELECT id FROM d ORDER BY id;
-- Types of the session's temporary schema take no place of others either, nor do functions of ours tell what others have.
SET SESSION AUTHORIZATION regress_clean_user;
CREATE FUNCTION pg_temp.note(pg_catalog.text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO clean.secret VALUES (current_user); RETURN true; END $$;
CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (pg_temp.note(value));
SELECT clean_up('VALUES (9, 1)', 'd_log');
SELECT clean_row(NULL::d, NULL), clean_row(NULL::d, ROW(1, 'a'::pg_catalog.text));
SELECT clean_row(NULL::d, ROW(1)), clean_row(NULL::d, ROW(1, 2));
RESET SESSION AUTHORIZATION;
DISCARD TEMP;
TABLE secret;
-- Who may write to a log has it undone with the rights of who undoes it.
GRANT SELECT ON d_log TO regress_clean_user;
SELECT * FROM undo_merge('d_log', 2);
GRANT INSERT ON d_log TO regress_clean_user;
\set VERBOSITY terse
SELECT * FROM undo_merge('d_log', 1);
SELECT * FROM undo_merge('d_log', 1, trust => NULL);
SELECT * FROM undo_merge('d_log', 1, trust => true);
REVOKE INSERT ON d_log FROM regress_clean_user;
GRANT UPDATE (before) ON d_log TO PUBLIC;
SELECT merge FROM merge_duplicates('d', 'id', 'VALUES (7, 8)', log => 'd_log');
\set VERBOSITY sqlstate
SELECT * FROM undo_merge('d_log', 3);
\set VERBOSITY terse
REVOKE UPDATE (before) ON d_log FROM PUBLIC;
CREATE TABLE logs (LIKE d_log);
ALTER TABLE d_log INHERIT logs;
GRANT UPDATE (before) ON logs TO regress_clean_user;
SELECT * FROM undo_merge('d_log', 3);
ALTER TABLE d_log NO INHERIT logs;
GRANT pg_write_all_data TO regress_clean_user;
SELECT * FROM undo_merge('d_log', 3);
REVOKE pg_write_all_data FROM regress_clean_user;
INSERT INTO d_log (merge, entry, at, who, action, gone, kept, rel, key, before, after) VALUES (9, 1, now(), 'x', 'merged', '2', '1', 'pg_authid', '{"oid": 10}', '{"rolsuper": true}', '{"rolsuper": false}');
SELECT * FROM undo_merge('d_log', 9);
ALTER TABLE d_log OWNER TO regress_clean_owner;
SELECT * FROM undo_merge('d_log', 3);
ALTER TABLE d OWNER TO regress_clean_owner;
ALTER TABLE of_d OWNER TO regress_clean_owner;
SET ROLE regress_clean_owner;
SELECT * FROM undo_merge('d_log', 3);
RESET ALL;
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA clean, regress_clean CASCADE;
DROP EXTENSION neardup_clean;
DROP ROLE regress_clean_owner, regress_clean_user;
