--
-- An index with more scopes than memory holds the lists of: its segments are merged from files.
--

-- A cost that means "never" would have most queries compiled.
SET jit = off;

-- Owners of one row, of a pair of near-duplicates, of a dozen rows and of a thousand.
CREATE FUNCTION owner_of(n int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE n % 4 WHEN 0 THEN -n WHEN 1 THEN n / 8 WHEN 2 THEN 100000 + n / 48 ELSE 200000 + n / 4000 END $$;
CREATE FUNCTION tokens_of(n int) RETURNS tokenset LANGUAGE sql IMMUTABLE AS $$
    SELECT array_agg((500 * (abs(hashint8extended(n / 8, k)) % 10000 / 10000.0) ^ 3)::int + CASE WHEN k = n % 9 THEN 501 ELSE 0 END)::tokenset
    FROM generate_series(1, 3 + n / 8 % 9) k $$;
CREATE TABLE owned (id int PRIMARY KEY, owner int, t tokenset) WITH (autovacuum_enabled = off);
INSERT INTO owned SELECT n, owner_of(n), tokens_of(n) FROM generate_series(1, 40000) n;

-- How many of some lookups find a row or more, and how many differ from sequential scans; whether the index is in order.
CREATE FUNCTION try_owners(OUT finding int8, OUT differing int8, OUT by_index bool, OUT segments int, OUT rows int8, OUT dead int8)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    near text := 'SELECT a.id, (SELECT array_agg(b.id ORDER BY b.id) FROM owned b WHERE b.owner = a.owner AND b.t % a.t AND b.id <> a.id) AS r FROM owned a WHERE a.id % 401 = 1';
    nearest text := 'SELECT a.id, (SELECT array_agg(d) FROM (SELECT b.t <%> a.t AS d FROM owned b WHERE b.owner = a.owner ORDER BY b.t <%> a.t LIMIT 9) b) AS r FROM owned a WHERE a.id % 401 = 2';
    query text; line text; differs int8;
BEGIN
    finding := 0;
    differing := 0;
    by_index := true;
    SET LOCAL neardup.similarity_threshold = 0.6;
    FOREACH query IN ARRAY ARRAY[near, nearest] LOOP
        SET LOCAL enable_indexscan = off;
        SET LOCAL enable_bitmapscan = off;
        EXECUTE 'CREATE TEMP TABLE by_scan AS ' || query;
        SET LOCAL enable_indexscan = on;
        SET LOCAL enable_bitmapscan = on;
        SET LOCAL enable_seqscan = off;
        SET LOCAL enable_sort = off;
        FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
            by_index := by_index AND line !~ 'Seq Scan on owned b|Sort';
        END LOOP;
        EXECUTE 'CREATE TEMP TABLE by_index AS ' || query;
        SET LOCAL enable_seqscan = on;
        SET LOCAL enable_sort = on;
        SELECT finding + count(s.r), differing + count(*) FILTER (WHERE s.r IS DISTINCT FROM i.r) INTO finding, differing FROM by_scan s FULL JOIN by_index i USING (id);
        DROP TABLE by_scan, by_index;
    END LOOP;
    SELECT c.segments, c.rows, c.dead INTO segments, rows, dead FROM neardup_index_check('owned_t') c;
END $$;

-- The least memory that the version allows.
SELECT set_config('maintenance_work_mem', min_val, false) IS NOT NULL AS least FROM pg_settings WHERE name = 'maintenance_work_mem';
CREATE INDEX owned_t ON owned USING neardup (owner, t);
SELECT * FROM try_owners();

-- Rows come one by one, and some go: each flush and merge sees many scopes.
INSERT INTO owned SELECT n, owner_of(n), tokens_of(n) FROM generate_series(40001, 60000) n;
SELECT finding > 0 AS finding, differing, by_index, segments > 1 AS segments, dead FROM try_owners();
DELETE FROM owned WHERE id % 3 = 0;
UPDATE owned SET owner = owner_of(id + 8) WHERE id % 50 = 1;
SELECT finding > 0 AS finding, differing, by_index, dead FROM try_owners();
VACUUM owned;
SELECT finding, differing, by_index, dead FROM try_owners();

-- Another one, of the rows that are left.
REINDEX INDEX owned_t;
SELECT * FROM try_owners();
DROP TABLE owned;
DROP FUNCTION try_owners, owner_of, tokens_of;
