--
-- The tokens that an index scan looks up: the rarest, by the statistics of the indexed column, wherever the value comes from.
--

-- Tokens 1 to 10 are frequent. At 0.75 the value has 12 tokens in common with what is similar. Row 2 has its rare tokens
-- alone: it is a candidate where frequent tokens are not looked up, and never a result.
\set value '{1,2,3,4,5,6,7,8,9,10,101,102,103,104,105,106}'
CREATE TABLE sets (id int PRIMARY KEY, u tokenset, t tokenset) WITH (autovacuum_enabled = off);
INSERT INTO sets
SELECT id, '{}', ARRAY(SELECT x FROM generate_series(1, 10) x WHERE (id + x) % 5 <> 0)::tokenset | ARRAY[1000 + id, 5000 + id]::tokenset
FROM generate_series(101, 700) id;
INSERT INTO sets VALUES (1, '{}', :'value'), (2, '{}', '{101,102,103,104,105,106,201,202,203,204}'), (3, '{}', NULL), (4, '{}', '{}');
CREATE INDEX sets_t ON sets USING gin (t);
CREATE TABLE lookup (id int, v tokenset);
INSERT INTO lookup VALUES (1, :'value'), (2, '{}'), (3, NULL);

-- Candidates and results.
CREATE FUNCTION looked_up(query text, OUT candidates int, OUT results int) LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) ' || query INTO plan;
    candidates := sum((node ->> 'Actual Rows')::numeric)
    FROM jsonb_path_query(plan, 'strict $.** ? (@."Node Type" == "Bitmap Index Scan")') node;
    results := trunc((plan -> 0 -> 'Plan' ->> 'Actual Rows')::numeric);
END $$;
CREATE FUNCTION conditions(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        IF line ~ 'Index Cond' THEN RETURN NEXT substring(line FROM 'Index Cond: (.*)'); END IF;
    END LOOP;
END $$;
SET enable_seqscan = off;
SET plan_cache_mode = force_generic_plan;
SET neardup.similarity_threshold = 0.75;
SELECT format('PREPARE by_constant AS SELECT id FROM sets WHERE jaccard_ge(t, %L, 0.75)', :'value') \gexec
SELECT format('PREPARE by_operator_constant AS SELECT id FROM sets WHERE t %% %L', :'value') \gexec
PREPARE by_parameter(tokenset, float8) AS SELECT id FROM sets WHERE jaccard_ge($1, t, $2);
PREPARE by_operator(tokenset) AS SELECT id FROM sets WHERE t % $1;
PREPARE by_overlap(tokenset, int) AS SELECT id FROM sets WHERE overlap_ge(t, $1, $2);
PREPARE by_sub_select(int) AS SELECT id FROM sets WHERE jaccard_ge(t, (SELECT v FROM lookup WHERE id = $1), 0.75);
PREPARE by_lateral(int) AS SELECT s.id FROM lookup l, LATERAL (SELECT id FROM sets WHERE jaccard_ge(t, l.v, 0.75)) s WHERE l.id = $1;
PREPARE by_hand(tokenset) AS SELECT id FROM sets WHERE t @~ tokenset_query('jaccard', $1, 0.75);
PREPARE by_any(tokenset) AS SELECT id FROM sets WHERE t % ANY (ARRAY[$1]);
CREATE VIEW looked_up_by_each AS
SELECT format(form, '{1,2,3,4,5,6,7,8,9,10,101,102,103,104,105,106}') AS form, l.* FROM (VALUES
    (1, 'EXECUTE by_constant'), (2, 'EXECUTE by_operator_constant'), (3, 'EXECUTE by_parameter(%L, 0.75)'), (4, 'EXECUTE by_operator(%L)'),
    (5, 'EXECUTE by_overlap(%L, 12)'), (6, 'EXECUTE by_sub_select(1)'), (7, 'EXECUTE by_lateral(1)'), (8, 'EXECUTE by_hand(%L)'),
    (9, 'EXECUTE by_any(%L)')) v (n, form), LATERAL looked_up(format(form, '{1,2,3,4,5,6,7,8,9,10,101,102,103,104,105,106}')) l ORDER BY n;

-- Without statistics, all tokens. With them, all tokens only by the operators of the class that know no column.
SELECT candidates, results, count(*) FROM looked_up_by_each GROUP BY 1, 2;
ANALYZE sets;
SELECT split_part(form, '(', 1) AS form, candidates, results FROM looked_up_by_each;

-- Plans hold no statistics: the same plan looks up all tokens when these are gone.
DELETE FROM pg_statistic WHERE starelid = 'sets'::regclass;
SELECT candidates, results, count(*) FROM looked_up_by_each GROUP BY 1, 2;
BEGIN;
ANALYZE sets;
SELECT * FROM looked_up('EXECUTE by_sub_select(1)');
ROLLBACK;
SELECT * FROM looked_up('EXECUTE by_sub_select(1)');
ANALYZE sets;
SELECT * FROM looked_up('EXECUTE by_sub_select(1)');

-- One plan, and a threshold that changes.
PREPARE by_setting(tokenset) AS SELECT array_agg(id ORDER BY id) FROM sets WHERE t % $1 AND id < 10;
EXECUTE by_setting(:'value');
SET neardup.similarity_threshold = 0.3;
EXECUTE by_setting(:'value');
SET neardup.similarity_threshold = 1;
EXECUTE by_setting('{101,102,103,104,105,106,201,202,203,204}');
RESET neardup.similarity_threshold;

-- A set without tokens, a NULL, and a threshold out of range.
SELECT * FROM looked_up('EXECUTE by_lateral(2)'), looked_up('EXECUTE by_lateral(3)') "null", looked_up('EXECUTE by_sub_select(4)') AS none;
EXECUTE by_parameter(:'value', 2);

-- A column in place of one that was dropped has no statistics yet.
ALTER TABLE sets DROP COLUMN t;
ALTER TABLE sets ADD COLUMN t tokenset;
UPDATE sets SET t = CASE WHEN id IN (1, 2) THEN ARRAY[101, 102, 103, 104, 105, 106]::tokenset END;
UPDATE sets SET t = t | '{1,2,3,4,5,6,7,8,9,10}' WHERE id = 1;
UPDATE sets SET t = ARRAY(SELECT x FROM generate_series(1, 10) x WHERE (id + x) % 5 <> 0)::tokenset | ARRAY[1000 + id, 5000 + id]::tokenset
WHERE id > 100;
CREATE INDEX sets_t ON sets USING gin (t);
SELECT * FROM looked_up('EXECUTE by_sub_select(1)');
ANALYZE sets;
SELECT * FROM looked_up('EXECUTE by_sub_select(1)');

-- An index on an expression, also on some rows only, has statistics of its own; the second column of an index has those of its column.
DROP INDEX sets_t;
CREATE INDEX sets_e ON sets USING gin ((t - '{5000}')) WHERE u = '{}';
PREPARE by_expression(tokenset) AS SELECT id FROM sets WHERE u = '{}' AND jaccard_ge(t - '{5000}', $1, 0.75);
SELECT conditions('EXECUTE by_expression(NULL)');
SELECT * FROM looked_up(format('EXECUTE by_expression(%L)', :'value'));
ANALYZE sets;
SELECT * FROM looked_up(format('EXECUTE by_expression(%L)', :'value'));
CREATE INDEX sets_u_t ON sets USING gin (u, t);
SELECT * FROM looked_up('EXECUTE by_sub_select(1)');

-- Each partition has statistics of its own.
CREATE TABLE parts (id int, t tokenset) PARTITION BY RANGE (id);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES FROM (0) TO (300) WITH (autovacuum_enabled = off);
CREATE TABLE part_2 (t tokenset, id int) WITH (autovacuum_enabled = off);
ALTER TABLE parts ATTACH PARTITION part_2 FOR VALUES FROM (300) TO (5000);
CREATE INDEX ON parts USING gin (t);
INSERT INTO parts SELECT id, t FROM sets UNION ALL SELECT id + 1000, t FROM sets;
PREPARE by_parts(tokenset) AS SELECT id FROM parts WHERE t % $1;
SELECT conditions('EXECUTE by_parts(NULL)');
SET neardup.similarity_threshold = 0.75;
SELECT * FROM looked_up(format('EXECUTE by_parts(%L)', :'value'));
ANALYZE part_2;
SELECT * FROM looked_up(format('EXECUTE by_parts(%L)', :'value'));
ANALYZE part_1;
SELECT * FROM looked_up(format('EXECUTE by_parts(%L)', :'value'));

-- Through a view, for one who may read no table below it; and in a schema that is not on the path.
CREATE SCHEMA apart;
CREATE ROLE regress_reader;
CREATE VIEW apart.seen AS SELECT id, t FROM sets;
GRANT USAGE ON SCHEMA apart TO regress_reader;
GRANT SELECT ON apart.seen TO regress_reader;
SET ROLE regress_reader;
SELECT * FROM looked_up($$SELECT id FROM apart.seen WHERE jaccard_ge(t, '{1,2,3,4,5,6,7,8,9,10,101,102,103,104,105,106}', 0.75)$$);
RESET ROLE;
ALTER TABLE sets SET SCHEMA apart;
SELECT conditions('SELECT l.id FROM lookup l, apart.sets WHERE t % l.v');

-- The planner alone makes values of the type tokenset_column: nobody has an index scan use the statistics of what he may not read.
SELECT tokenset_query('jaccard', '{1}', 0.5, false, 'sets.t');
SELECT tokenset_query('jaccard', '{1}', 0.5, false, NULL) IS NULL AS "null";
COPY (SELECT NULL::tokenset_column) TO STDOUT;

-- A view keeps the predicate as it was written.
CREATE VIEW apart.similar AS SELECT a.id FROM lookup a, apart.sets b WHERE b.t % a.v AND jaccard_ge(b.t, a.v, 0.75);
SELECT pg_get_viewdef('apart.similar'::regclass);

SET client_min_messages = warning;
DROP SCHEMA apart CASCADE;
DROP VIEW looked_up_by_each;
DROP TABLE parts, lookup;
DROP FUNCTION looked_up, conditions;
DROP ROLE regress_reader;
DEALLOCATE ALL;
