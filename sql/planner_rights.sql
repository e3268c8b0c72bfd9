--
-- Rights on the functions that the planner puts into queries: who may not call one is served without it.
--

CREATE TABLE shut (id int, t tokenset NOT NULL, name text NOT NULL, fp simhash NOT NULL);
INSERT INTO shut SELECT i, ARRAY[i % 50, i % 70, i % 11]::tokenset, 'name ' || i % 50, i::bigint::simhash FROM generate_series(1, 100) i;
CREATE INDEX ON shut USING neardup (t);
CREATE INDEX ON shut USING gin (t);
CREATE INDEX ON shut USING neardup (name edit_ops);
CREATE INDEX ON shut USING spgist (fp);
ANALYZE shut;
BEGIN;
CREATE ROLE regress_ranker;
GRANT SELECT ON shut TO regress_ranker;
SET LOCAL enable_seqscan = off;
DO $$
DECLARE
    function regprocedure; query text; named text; wrong int := 0; tried int := 0;
BEGIN
    FOR function IN SELECT p.oid FROM pg_proc p, pg_depend d, pg_extension e WHERE p.oid = d.objid AND d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass
            AND d.refobjid = e.oid AND e.extname = 'neardup'
            AND (p.proname ~ 'query|ball|hint|bound|threshold|_ge|_le|within' OR EXISTS (SELECT FROM pg_operator o WHERE o.oprcode = p.oid)) ORDER BY p.oid LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', function);
        SET LOCAL ROLE regress_ranker;
        FOR query, named IN SELECT * FROM (VALUES
            ('SELECT id FROM shut ORDER BY jaccard(t, ''{1,2,3}'') DESC LIMIT 1', '^jaccard\('), ('SELECT id FROM shut ORDER BY 1 - dice(''{1,2,3}'', t) LIMIT 1', '^dice\('),
            ('SELECT id FROM shut ORDER BY t <%> ''{1,2,3}'' LIMIT 1', '^jaccard_distance\('), ('SELECT id FROM shut WHERE jaccard(t, ''{1,2,3}'') > 0.5', '^jaccard\('),
            ('SELECT id FROM shut WHERE jaccard_ge(t, ''{1,2,3}'', 0.5)', '^jaccard_ge\('), ('SELECT id FROM shut WHERE t % ''{1,2,3}''', '^tokenset_similar\('),
            ('SELECT id FROM shut WHERE idf_jaccard_ge(t, ''{1,2,3}'', ''{*:1,1:2}'', 0.5)', '^idf_jaccard_ge\('), ('SELECT id FROM shut WHERE hamming(t, ''{1,2,3}'') < 2', '^hamming\('),
            ('SELECT id FROM shut WHERE edit_within(name, ''name 7'', 1)', '^edit_within\('), ('SELECT id FROM shut WHERE edit_distance(name, ''name 7'') < 2', '^edit_distance\(text,text\)'),
            ('SELECT id FROM shut WHERE simhash_within(fp, ''00000000000000ff'', 3)', '^simhash_within\('), ('SELECT id FROM shut WHERE fp <~> ''00000000000000ff'' < 3', '^simhash_distance')) v LOOP
            tried := tried + 1;
            BEGIN
                EXECUTE query;
            EXCEPTION WHEN insufficient_privilege THEN
                IF function::text !~ named THEN
                    RAISE NOTICE '%: % (%)', SQLERRM, query, function;
                    wrong := wrong + 1;
                END IF;
            END;
        END LOOP;
        RESET ROLE;
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO PUBLIC', function);
    END LOOP;
    RAISE NOTICE 'errors of functions that the query does not name: %, among many statements: %', wrong, tried > 500;
END $$;
ROLLBACK;
DROP TABLE shut;
