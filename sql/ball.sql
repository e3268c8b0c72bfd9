--
-- The type tokenset_ball, a set with a threshold, and constraints on it.
--

-- Forms.
SELECT jaccard_ball('{3,1,2}', 0.85), ' < { 2 , 1 } , .50 > '::tokenset_ball AS blanks, '<{},1>'::tokenset_ball AS empty,
       jaccard_ball(NULL, 0.5) IS NULL AND jaccard_ball('{1}', NULL) IS NULL AS "null";
SELECT ball_tokens(b), ball_threshold(b) FROM (VALUES ('<{3,1},0.25>'::tokenset_ball)) v (b);
SELECT jaccard_ball('{1}', 0);
SELECT jaccard_ball('{1}', 1.01);
SELECT jaccard_ball('{1}', 'NaN');
SELECT ''::tokenset_ball;
SELECT '{1,2},0.85'::tokenset_ball;
SELECT '<{1,2}>'::tokenset_ball;
SELECT '<{1,2,0.85>'::tokenset_ball;
SELECT '<{1,x},0.85>'::tokenset_ball;
SELECT '<{1,2},>'::tokenset_ball;
SELECT '<{1,2},0.85'::tokenset_ball;
SELECT '<{1,2},0.85> and more'::tokenset_ball;
SELECT '<{1,2},0>'::tokenset_ball;
SELECT tokenset_ball_send('<{1},0.5>');

CREATE TEMP TABLE balls (id int, b tokenset_ball);
INSERT INTO balls SELECT n, jaccard_ball(ARRAY(SELECT abs(hashint8extended(k, n)) % 9 FROM generate_series(1, n % 7) k)::tokenset, (1 + n % 11) / 11.0)
FROM generate_series(0, 150) n;
INSERT INTO balls VALUES (151, NULL), (152, jaccard_ball(ARRAY(SELECT generate_series(1, 5000))::tokenset, 0.7));
SELECT count(*) AS differing FROM balls WHERE b::text::tokenset_ball <> b OR b <> jaccard_ball(ball_tokens(b), ball_threshold(b));

-- The operators, against their definitions.
SELECT count(*) AS pairs, count(*) FILTER (WHERE x.b && y.b) > 500 AS some_overlap,
       count(*) FILTER (WHERE (x.b && y.b) <> jaccard_ge(ball_tokens(x.b), ball_tokens(y.b), greatest(ball_threshold(x.b), ball_threshold(y.b)))) AS overlap_differs,
       count(*) FILTER (WHERE (x.b && y.b) <> (y.b && x.b)) AS asymmetric,
       count(*) FILTER (WHERE (x.b = y.b) <> (ball_tokens(x.b) = ball_tokens(y.b) AND ball_threshold(x.b) = ball_threshold(y.b))) AS equal_differs,
       count(*) FILTER (WHERE (x.b = y.b) = (x.b <> y.b)) AS unequal_differs
FROM balls x, balls y WHERE x.b IS NOT NULL AND y.b IS NOT NULL;
SELECT '<{},0.1>'::tokenset_ball && '<{},0.1>' AS empty, NULL && '<{1},1>'::tokenset_ball AS "null";

-- An index: built, with pending rows, after VACUUM and REINDEX, by a scan and by a bitmap.
CREATE TABLE docs (id int PRIMARY KEY, t tokenset, s float8) WITH (autovacuum_enabled = off);
INSERT INTO docs SELECT n, ARRAY[n / 3, n / 3 + 10000, n / 3 + 20000, n / 9 + 30000, n / 9 + 40000, n % 4 + 50000]::tokenset, 0.1 + n % 9 / 10.0
FROM generate_series(1, 5000) n;
CREATE INDEX docs_ball ON docs USING neardup (jaccard_ball(t, 0.6));
CREATE INDEX docs_own ON docs USING neardup (jaccard_ball(t, s));
INSERT INTO docs SELECT n, ARRAY[n / 3, n / 3 + 10000, n / 3 + 20000, n / 9 + 30000, n / 9 + 40000, n % 4 + 50000]::tokenset, 0.1 + n % 9 / 10.0
FROM generate_series(5001, 6000) n;
INSERT INTO docs VALUES (7001, NULL, 0.5), (7002, '{}', 0.5), (7003, '{1}', NULL);
ANALYZE docs;

CREATE FUNCTION scan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; found text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        found := coalesce(found, substring(line FROM '.*(?:Scan|Sort).*'));
    END LOOP;
    RETURN trim(found);
END $$;
SET enable_bitmapscan = off;
SELECT scan('SELECT id FROM docs WHERE jaccard_ball(t, 0.6) && jaccard_ball(''{3,10003,20003}'', 0.9)') AS constant,
       scan('SELECT jaccard_ball(t, 0.6) FROM docs WHERE jaccard_ball(''{3,10003,20003}'', 0.9) && jaccard_ball(t, 0.6)') AS commuted;
PREPARE by_parameter(tokenset, float8) AS SELECT id FROM docs WHERE jaccard_ball(t, 0.6) && jaccard_ball($1, $2);
SET plan_cache_mode = force_generic_plan;
SELECT scan('EXECUTE by_parameter(''{3,10003,20003}'', 0.9)') AS parameter;
RESET plan_cache_mode;
RESET enable_bitmapscan;

-- The planner expects what it expects of the predicate: for a constant, a join, and thresholds of which the greater counts.
CREATE FUNCTION expected(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
SET neardup.enable_similarity_join = off;
SELECT clause, expected('SELECT FROM docs a, docs b WHERE a.id = 7 AND ' || clause) = expected('SELECT FROM docs a, docs b WHERE a.id = 7 AND ' || predicate) AS same
FROM (VALUES ('jaccard_ball(b.t, 0.6) && ''<{3,10003,20003,30000},0.3>''', 'jaccard_ge(b.t, ''{3,10003,20003,30000}'', 0.6)'),
             ('''<{3,10003,20003,30000},0.9>'' && jaccard_ball(b.t, 0.6)', 'jaccard_ge(b.t, ''{3,10003,20003,30000}'', 0.9)'),
             ('jaccard_ball(b.t, 0.6) && jaccard_ball(a.t, 0.2)', 'jaccard_ge(b.t, a.t, 0.6)'),
             ('jaccard_ball(b.t, 0.6) && NULL', 'NULL::bool')) v (clause, predicate);
RESET neardup.enable_similarity_join;

-- How many pairs an index finds that brute force does not, or the other way round.
CREATE FUNCTION differing(settings text[]) RETURNS TABLE (pairs int8, differing int8, pairs_of_own int8, differing_of_own int8) LANGUAGE plpgsql AS $$
DECLARE setting text;
BEGIN
    FOREACH setting IN ARRAY settings LOOP
        PERFORM set_config(setting, 'off', true);
    END LOOP;
    RETURN QUERY SELECT sum(i.n)::int8, count(*) FILTER (WHERE i.ids IS DISTINCT FROM q.ids), sum(o.n)::int8, count(*) FILTER (WHERE o.ids IS DISTINCT FROM w.ids)
    FROM (SELECT id, t, 0.3 + id % 7 / 10.0 AS s FROM docs WHERE id % 97 = 1) a,
         LATERAL (SELECT count(*) AS n, array_agg(id ORDER BY id) AS ids FROM docs b WHERE jaccard_ball(b.t, 0.6) && jaccard_ball(a.t, a.s)) i,
         LATERAL (SELECT array_agg(id ORDER BY id) AS ids FROM docs b WHERE jaccard(b.t, a.t) >= greatest(0.6, a.s)) q,
         LATERAL (SELECT count(*) AS n, array_agg(id ORDER BY id) AS ids FROM docs b WHERE jaccard_ball(b.t, b.s) && jaccard_ball(a.t, a.s)) o,
         LATERAL (SELECT array_agg(id ORDER BY id) AS ids FROM docs b WHERE jaccard(b.t, a.t) >= greatest(b.s, a.s)) w;
END $$;
SELECT * FROM differing('{enable_bitmapscan}');
SELECT * FROM differing('{enable_indexscan}');
SELECT segments, rows, pending FROM neardup_index_check('docs_ball');
SELECT segments, rows, pending FROM neardup_index_check('docs_own');
DELETE FROM docs WHERE id % 5 = 0;
UPDATE docs SET t = t | '{77}' WHERE id % 11 = 0;
VACUUM docs;
SELECT * FROM differing('{enable_bitmapscan}');
SELECT rows, dead FROM neardup_index_check('docs_ball');
REINDEX TABLE docs;
SELECT * FROM differing('{enable_bitmapscan}');
SELECT rows, pending, dead FROM neardup_index_check('docs_own');
DROP TABLE docs;

-- A constraint, which no setting weakens.
CREATE TABLE docs (id int, t tokenset, CONSTRAINT apart EXCLUDE USING neardup (jaccard_ball(t, 0.6) WITH &&));
INSERT INTO docs VALUES (1, '{1,2,3,4,5}'), (2, '{11,12,13}'), (3, NULL), (4, NULL), (5, '{}'), (6, '{}');
INSERT INTO docs VALUES (7, '{1,2,3,4}');
SET neardup.similarity_threshold = 1;
INSERT INTO docs VALUES (7, '{1,2,3,4}');
INSERT INTO docs VALUES (7, '{1,2,3,4}'), (8, '{1,2,3,8,9}'), (9, '{1,2,3,8}') ON CONFLICT DO NOTHING;
INSERT INTO docs VALUES (10, '{11,12,14}') ON CONFLICT ON CONSTRAINT apart DO NOTHING;
UPDATE docs SET t = '{11,12,13,14}' WHERE id = 10;
UPDATE docs SET t = '{1,2,3,4,5,6}' WHERE id = 1;
RESET neardup.similarity_threshold;
SELECT id, t FROM docs ORDER BY id;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'apart';
SELECT rows >= 8 AS rows FROM neardup_index_check('apart');
-- Since 17 the messages qualify names.
\set VERBOSITY sqlstate
ALTER TABLE docs ADD EXCLUDE USING neardup (jaccard_ball(t, 0.3) WITH &&);
\set VERBOSITY default

-- A ball may come from any function, whose arguments are not those of jaccard_ball.
CREATE FUNCTION ball_of(a int, t tokenset) RETURNS tokenset_ball LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN jaccard_ball(t, 0.6); END $$;
SELECT count(*), count(*) = (SELECT count(*) FROM docs x, docs y WHERE jaccard(x.t, y.t) >= 0.6 AND y.id < 100) AS all_found
FROM docs x JOIN docs y ON jaccard_ball(x.t, 0.6) && ball_of(5, y.t) WHERE y.id < 100;
DROP FUNCTION ball_of;

-- With a threshold of each row: both must be reached. A column of balls.
CREATE TABLE own (id int, t tokenset, s float8, EXCLUDE USING neardup (jaccard_ball(t, s) WITH &&));
INSERT INTO own VALUES (1, '{1,2,3,4}', 0.5), (2, '{1,2,3,5}', 0.9), (3, '{1,2,3,4}', 0.9) ON CONFLICT DO NOTHING;
INSERT INTO own VALUES (4, '{1,2,3,6}', 0.5), (5, '{1,2,3,7}', NULL) ON CONFLICT DO NOTHING;
SELECT id FROM own ORDER BY id;
CREATE TABLE stored (b tokenset_ball, EXCLUDE USING neardup (b WITH &&));
INSERT INTO stored VALUES ('<{1,2,3},0.5>'), ('<{1,2},0.9>');
INSERT INTO stored VALUES ('<{1,2},0.6>');
SELECT count(*) FROM stored;

-- What an operator class of the access method must be.
SELECT opcname, amvalidate(oid) FROM pg_opclass WHERE opcmethod = (SELECT oid FROM pg_am WHERE amname = 'neardup') ORDER BY 1;
CREATE OPERATOR CLASS wrong_ops FOR TYPE tokenset_ball USING neardup AS OPERATOR 9 &&, FUNCTION 1 (tokenset_ball) cardinality(tokenset);
SELECT opcname, amvalidate(oid) FROM pg_opclass WHERE opcname = 'wrong_ops';
DROP OPERATOR FAMILY wrong_ops USING neardup;
\set VERBOSITY sqlstate
ALTER TABLE docs ADD EXCLUDE USING neardup (jaccard_ball(t, 0.3) WITH =);
\set VERBOSITY default
DROP TABLE docs, own, stored;
DROP FUNCTION scan, differing, expected;
