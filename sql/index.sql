--
-- The access method neardup: when the planner takes it, and how many rows it expects.
--

-- Families of nine rows, similar the more the nearer their numbers are; two frequent tokens.
CREATE TABLE docs (id int PRIMARY KEY, t tokenset) WITH (autovacuum_enabled = off);
INSERT INTO docs
SELECT n, ARRAY[n / 3, n / 3 + 10000, n / 3 + 20000, n / 9 + 30000, n / 9 + 40000, n / 9 + 50000, n + 60000, n % 5 + 90000, n % 2 + 90010]::tokenset
FROM generate_series(1, 20000) n;
INSERT INTO docs VALUES (20001, NULL), (20002, '{}');
CREATE TABLE few AS SELECT id, t FROM docs WHERE id IN (10, 500, 20001);
CREATE INDEX docs_t ON docs USING neardup (t);
VACUUM ANALYZE docs;
VACUUM ANALYZE few;

-- What scans the larger table, and which rows it expects and returns.
CREATE FUNCTION plan(query text, OUT node text, OUT expected float8, OUT returned float8) LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) ' || query INTO plan;
    SELECT string_agg(DISTINCT coalesce(n ->> 'Custom Plan Provider', n ->> 'Node Type'), ', ') INTO node
    FROM jsonb_path_query(plan, 'strict $.** ? (@."Index Name" == "docs_t" || @."Custom Plan Provider" == "Similarity Join" || @."Relation Name" == "docs")') n
    WHERE n ->> 'Index Name' IS DISTINCT FROM 'docs_pkey' AND n ->> 'Node Type' <> 'Bitmap Heap Scan';
    expected := plan -> 0 -> 'Plan' ->> 'Plan Rows';
    returned := plan -> 0 -> 'Plan' ->> 'Actual Rows';
END $$;
PREPARE by_parameter(tokenset, float8) AS SELECT id FROM docs WHERE jaccard_ge(t, $1, $2);
PREPARE nearest(tokenset) AS SELECT id FROM docs ORDER BY t <%> $1 LIMIT 10;

-- A value, from wherever; few rows that meet many.
SELECT substr(query, 1, 90) AS query, node FROM (VALUES
    (1, 'SELECT id FROM docs WHERE jaccard_ge(t, ''{3,10003,20003,30001,40001,50001}'', 0.6)'),
    (2, 'SELECT id FROM docs WHERE t % (SELECT t FROM few WHERE id = 10)'),
    (3, 'EXECUTE by_parameter(''{3,10003,20003,30001,40001,50001}'', 0.6)'),
    (4, 'EXECUTE nearest(''{3,10003,20003,30001,40001,50001}'')'),
    (5, 'SELECT id FROM docs WHERE t && ''{3,5}'' ORDER BY t <=> ''{3,5}'' LIMIT 1'),
    (6, 'SELECT f.id, d.id FROM few f, LATERAL (SELECT id FROM docs d ORDER BY d.t <%> f.t LIMIT 3) d'),
    (7, 'SELECT f.id, d.id FROM few f JOIN docs d ON jaccard_ge(d.t, f.t, 0.5)'),
    (8, 'SELECT f.id, d.id FROM docs f JOIN docs d ON jaccard_ge(d.t, f.t, 0.5) WHERE f.id < 20'),
    (9, 'SELECT f.id, d.id FROM few f LEFT JOIN docs d ON d.t % f.t')
) v (n, query), LATERAL plan(query) ORDER BY n;

-- Many that meet many; nearly all rows; rows that no condition is about.
SELECT substr(query, 1, 90) AS query, node FROM (VALUES
    (1, 'SELECT a.id, b.id FROM docs a JOIN docs b ON a.id < b.id AND jaccard_ge(a.t, b.t, 0.8)'),
    (2, 'SELECT a.id FROM docs a WHERE EXISTS (SELECT FROM docs b WHERE b.id < a.id AND b.t % a.t)'),
    (3, 'SELECT id FROM docs ORDER BY t <%> ''{1,2}'''),
    (4, 'SELECT count(*) FROM docs')
) v (n, query), LATERAL plan(query) ORDER BY n;

-- What a search costs. The q-grams of numbers have long lists, so that many numbers are joined by the node. So are partitions,
-- each of which would be searched. Where a filter leaves few rows, these are found by it, and sorted by distance.
CREATE TABLE numbers AS SELECT n AS id, lpad((hashint8extended(n, 1) & 2147483647)::text, 10, '0') AS digits FROM generate_series(1, 20000) n;
CREATE INDEX ON numbers USING neardup (digits edit_ops);
CREATE TABLE parted (LIKE docs) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (1) TO (5000);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (5000) TO (15000);
CREATE TABLE parted_3 PARTITION OF parted FOR VALUES FROM (15000) TO (30000);
INSERT INTO parted TABLE docs;
CREATE INDEX ON parted USING neardup (t);
CREATE TABLE owned AS SELECT id, id % 200 AS owner, t FROM docs;
CREATE INDEX owned_t ON owned USING neardup (t);
CREATE INDEX owned_owner ON owned (owner);
VACUUM ANALYZE numbers, parted, owned;
CREATE FUNCTION planned_by(query text, node text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan::text ~ node;
END $$;
SELECT query, planned_by(query, node) AS taken, node FROM (VALUES
    (1, 'SELECT a.id, b.id FROM numbers a JOIN numbers b ON a.id < b.id AND edit_within(a.digits, b.digits, 1)', 'Similarity Join'),
    (2, 'SELECT b.id FROM numbers a JOIN numbers b ON edit_within(a.digits, b.digits, 1) WHERE a.id < 5', 'numbers_digits_idx'),
    (3, 'SELECT a.id, b.id FROM parted a JOIN parted b ON a.id < b.id AND jaccard_ge(a.t, b.t, 0.8)', 'Similarity Join'),
    (4, 'SELECT id FROM owned WHERE owner = 7 ORDER BY t <%> ''{3,10003,20003,30001,40001,50001}'' LIMIT 10', 'owned_owner'),
    (5, 'SELECT id FROM owned WHERE owner < 100 ORDER BY t <%> ''{3,10003,20003,30001,40001,50001}'' LIMIT 10', 'owned_t')
) v (n, query, node) ORDER BY n;
DROP TABLE numbers, parted, owned;
DROP FUNCTION planned_by;

-- A plan for all values is as cheap as one for each.
SET plan_cache_mode = auto;
SELECT n, node FROM generate_series(1, 8, 7) n, LATERAL (SELECT node FROM generate_series(1, n) k, LATERAL
    plan('EXECUTE by_parameter(''{3,10003,20003,30001,40001,50001}'', 0.6) -- ' || k) OFFSET n - 1) p;
SELECT name, generic_plans > 0 AS generic FROM pg_prepared_statements WHERE name = 'by_parameter';

-- Expected rows are within a factor of ten of those found, sums over some rows of the table.
CREATE VIEW of_thresholds AS
SELECT threshold, sum(expected) AS expected, sum(returned) AS returned
FROM unnest('{0.9,0.8,0.6,0.4,0.3}'::float8[]) threshold,
     LATERAL (SELECT t FROM docs WHERE id % 1000 = 1 AND id <= 20000) d,
     LATERAL plan(format('SELECT id FROM docs WHERE jaccard_ge(t, %L, %s)', t, threshold))
GROUP BY threshold;
SELECT threshold, returned, expected BETWEEN returned / 10 AND returned * 10 AS good FROM of_thresholds ORDER BY threshold DESC;
SELECT clause, returned, expected BETWEEN returned / 10 AND returned * 10 AS good FROM (VALUES
    (1, 'd.t % f.t'), (2, 'jaccard_ge(d.t, f.t, 0.4)'), (3, 'dice_ge(f.t, d.t, 0.7)')
) v (n, clause), LATERAL plan('SELECT FROM docs f JOIN docs d ON ' || clause || ' WHERE f.id < 200') ORDER BY n;

-- An operand may be a call of any function, whose arguments are not those of tokenset_query.
CREATE FUNCTION query_of(a int, t tokenset, b int, c int) RETURNS tokenset_query LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN RETURN tokenset_query('jaccard', t, 0.3); END $$;
CREATE FUNCTION set_of(a int, b int, c int, t tokenset) RETURNS tokenset LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN t; END $$;
SELECT count(*), sum(d.id) FROM docs f JOIN docs d ON d.t @~ query_of(5, f.t, 6, 7) WHERE f.id < 100;
SELECT count(*), sum(d.id) FROM docs f JOIN docs d ON d.t = set_of(5, 6, 7, f.t) WHERE f.id < 100;
DROP FUNCTION query_of, set_of;

-- Without the index, and again: the same.
SELECT count(*), sum(d.id) FROM docs f JOIN docs d ON jaccard_ge(d.t, f.t, 0.3) WHERE f.id < 100;
DROP INDEX docs_t;
SELECT count(*), sum(d.id) FROM docs f JOIN docs d ON jaccard_ge(d.t, f.t, 0.3) WHERE f.id < 100;

DROP VIEW of_thresholds;
DROP FUNCTION plan;
DROP TABLE docs, few;
DEALLOCATE ALL;
