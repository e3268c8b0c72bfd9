--
-- Scope columns of the access method neardup: (owner, lang, tokens).
--

-- A cost that means "never" would have most queries compiled.
SET jit = off;

-- What can be made.
CREATE TABLE refused (a int, b text, p point, t tokenset, u tokenset);
CREATE INDEX named ON refused USING neardup (t, a);
CREATE INDEX named ON refused USING neardup (a, t, b);
CREATE INDEX named ON refused USING neardup (t, u);
CREATE INDEX named ON refused USING neardup (a);
CREATE INDEX named ON refused USING neardup (p, t);
CREATE INDEX named ON refused USING neardup (a, t) INCLUDE (b);
CREATE UNIQUE INDEX named ON refused USING neardup (a, t);
CREATE INDEX named ON refused USING neardup (t, a) WHERE a > 1;
CREATE INDEX named ON refused USING neardup (a, lower(b), (t | u)) WHERE a > 1;
SELECT pg_get_indexdef('named'::regclass);
DROP TABLE refused;

-- Every type, by an index and by a sequential scan: rows found, and how many conditions find others.
CREATE FUNCTION try_type(type text, vals text[], operator_class text DEFAULT '', OUT rows int8, OUT differing int8, OUT by_index bool) LANGUAGE plpgsql AS $$
DECLARE value text; by_scan int8[]; clause text; line text; query text; got int8[];
BEGIN
    EXECUTE format('CREATE TABLE of_type (id int, k %s, t tokenset) WITH (autovacuum_enabled = off)', type);
    FOR n IN 1 .. 400 LOOP
        EXECUTE format('INSERT INTO of_type VALUES (%s, %L, ARRAY(SELECT abs(hashint8extended(%s, k)) %% 9 FROM generate_series(1, %s) k)::tokenset)',
                       n, CASE WHEN n % 19 > 0 THEN vals[1 + n % cardinality(vals)] END, n, n % 7);
        IF n = 300 THEN
            EXECUTE format('CREATE INDEX of_type_k ON of_type USING neardup (k %s, t)', operator_class);
        END IF;
    END LOOP;
    PERFORM neardup_index_check('of_type_k');
    rows := 0;
    differing := 0;
    by_index := true;
    FOREACH value IN ARRAY vals LOOP
        FOREACH clause IN ARRAY ARRAY['jaccard_ge(t, ''{1,2,4,5}'', 0.4)', 't <@ ''{0,1,2,3,4,6}''', 't && ''{3,8}''', 't = ''{}''', 'true', 'hamming_le(t, ''{2,3}'', 3)'] LOOP
            query := format('SELECT array_agg(id ORDER BY id) FROM of_type WHERE k = %L AND %s', value, clause);
            SET LOCAL enable_seqscan = off;
            FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
                by_index := by_index AND line !~ 'Seq Scan';
            END LOOP;
            EXECUTE query INTO got;
            SET LOCAL enable_seqscan = on;
            SET LOCAL enable_indexscan = off;
            SET LOCAL enable_bitmapscan = off;
            EXECUTE query INTO by_scan;
            SET LOCAL enable_indexscan = on;
            SET LOCAL enable_bitmapscan = on;
            rows := rows + coalesce(cardinality(by_scan), 0);
            differing := differing + (got IS DISTINCT FROM by_scan)::int;
        END LOOP;
    END LOOP;
    DROP TABLE of_type;
END $$;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN owner_id AS int8 CHECK (value > -9);
CREATE DOMAIN lang AS varchar(9);
-- Conditions on a bool are served since 16.
SELECT type, rows, differing, by_index OR type = 'bool' AS by_index FROM (VALUES
    ('int2', '{0,-1,32767}'), ('int4', '{0,-1,7}'), ('int8', '{0,-1,5000000000}'), ('float4', '{0,-0,1.5,NaN}'), ('float8', '{0,-0,1e300,Infinity}'),
    ('numeric', '{1,1.00,-7.5,NaN}'), ('money', '{1,2.5}'), ('text', '{a,"a ",A,""}'), ('varchar', '{a,"a ",A,""}'), ('bpchar', '{a,"a ",A}'), ('char(5)', '{a,"a ",A}'),
    ('"char"', '{a,b}'), ('name', '{a,b}'), ('bytea', '{"",a,"\\\\x00"}'), ('bit(3)', '{000,101}'), ('varbit', '{0,00,101,""}'), ('bool', '{t,f}'),
    ('mood', '{sad,happy,ok}'), ('oid', '{0,4294967295}'), ('uuid', '{00000000-0000-0000-0000-000000000000,00000000-0000-0000-0000-000000000001}'),
    ('date', '{2020-01-01,infinity}'), ('time', '{10:00,10:00:00.000001}'), ('timetz', '{10:00+00,11:00+01}'), ('timestamp', '{2020-01-01,-infinity}'),
    ('timestamptz', '{2020-01-01 00:00+00,2020-01-01 01:00+00}'), ('interval', '{1 day,1 month,30 days}'), ('macaddr', '{00:00:00:00:00:01,00:00:00:00:00:02}'),
    ('macaddr8', '{00:00:00:00:00:00:00:01,00:00:00:00:00:00:00:02}'), ('inet', '{10.0.0.1,10.0.0.1/8,::1}'), ('cidr', '{10.0.0.0/8,10.0.0.0/9}'),
    ('owner_id', '{0,12}'), ('lang', '{a,b}'))
    v (type, vals), LATERAL try_type(type, vals::text[]) r;

-- Of other types than the column's, as literals are.
CREATE TABLE facts (id int PRIMARY KEY, owner int8, small int2, real float4, lang text, t tokenset) WITH (autovacuum_enabled = off);
INSERT INTO facts
SELECT n, n % 50, n % 50, n % 50, CASE WHEN n % 3 > 0 THEN 'en' WHEN n % 15 > 0 THEN 'de' END,
       CASE WHEN n % 101 > 0 THEN ARRAY(SELECT k * 100 + abs(hashint8extended(n / 150, k)) % 3 FROM generate_series(1, n % 12) k)::tokenset END
FROM generate_series(1, 3000) n;
CREATE INDEX facts_t ON facts USING neardup (owner, lang, t);
CREATE INDEX facts_small ON facts USING neardup (small, t);
CREATE INDEX facts_real ON facts USING neardup (real, t);
INSERT INTO facts SELECT n, n % 50, n % 50, n % 50, 'en', ARRAY[101, 201, 301, 401, n]::tokenset FROM generate_series(10001, 10100) n;
ANALYZE facts;
CREATE FUNCTION scan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; found text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        IF line ~ '(Index|Seq) Scan|Sort$' THEN
            found := concat_ws(', ', found, regexp_replace(line, '^.*(Index Scan (?:using|on) (\w+)|(Seq Scan|Sort)).*$', '\2\3'));
        END IF;
    END LOOP;
    RETURN found;
END $$;
SELECT clause, scan('SELECT id FROM facts WHERE ' || clause || ' AND t % ''{101,201}''') FROM unnest(ARRAY[
    'owner = 7', 'small = 7', 'small = 7::int8', 'real = 7::float8', 'owner = 7 AND lang = ''en''', 'lang = ''en''', 'owner = 7 AND lang = ''en''::varchar', 'owner > 7 AND lang = ''en''',
    'owner = ANY(''{7,8}'') AND lang IN (''en'', ''de'')', 'owner IS NULL AND lang = ''en''', '(owner, lang) = (7, ''en'')']) clause;
SELECT scan('SELECT id FROM facts WHERE owner = 7 AND lang = ''en'' ORDER BY t <%> ''{101,201}'' LIMIT 3') AS nearest,
       scan('SELECT id FROM facts ORDER BY t <%> ''{101,201}'' LIMIT 3') AS without_scope,
       scan('SELECT id FROM facts WHERE owner = 7 AND lang = ''en''') AS scope_alone,
       scan('SELECT count(*) FROM facts') AS nothing;
-- Not even where the other ways are off.
SET enable_bitmapscan = off;
SET enable_seqscan = off;
SELECT clause, scan('SELECT id FROM facts WHERE ' || clause) FROM unnest(ARRAY['t % ''{101,201}''', 'lang = ''en''', 'owner = 7']) clause;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- Equal to sequential scans: all clauses, two scopes, values with and without tokens, constants and join columns, plain and bitmap scans.
CREATE FUNCTION differing(scan text, OUT queries int8, OUT rows numeric, OUT differing int8) LANGUAGE plpgsql AS $$
DECLARE clause text; form text; query text; by_scan text; by_index text;
BEGIN
    queries := 0;
    rows := 0;
    differing := 0;
    FOREACH form IN ARRAY ARRAY[
        'SELECT string_agg(id::text, '' '' ORDER BY id), count(*) FROM facts WHERE owner = %2$s AND lang = %3$L AND %1$s',
        'SELECT string_agg(a.id || ''-'' || b.id, '' '' ORDER BY a.id, b.id), count(*) FROM facts a, LATERAL (SELECT id FROM facts WHERE owner = a.owner AND lang = a.lang AND %1$s OFFSET 0) b WHERE a.id %% 501 = 1 + %2$s',
        'SELECT string_agg(round(d::numeric, 5)::text, '' '' ORDER BY d), count(*) FROM (SELECT t <%%> a.q AS d FROM (SELECT %4$L::tokenset) a (q), facts WHERE owner = %2$s AND lang = %3$L AND %1$s ORDER BY t <%%> a.q LIMIT 20) x',
        'SELECT string_agg(round(d::numeric, 5)::text, '' '' ORDER BY d), count(*) FROM (SELECT t <=> %4$L AS d FROM facts WHERE owner = %2$s AND lang = %3$L ORDER BY t <=> %4$L LIMIT 400) x'] LOOP
        FOREACH clause IN ARRAY ARRAY['jaccard_ge(t, %1$L, 0.5)', 'containment_ge(%1$L, t, 0.7)', 'containment_ge(t, %1$L, 0.7)', 'cosine_ge(t, %1$L, 0.6)', 'overlap_ge(t, %1$L, 2)', 'hamming_le(t, %1$L, 4)',
            't && %1$L', 't @> %1$L', 't <@ %1$L', 't = %1$L', 'jaccard_ge(t, %1$L, 0.3) AND t @> %1$L', 'true'] LOOP
            FOR query IN SELECT format(form, format(clause, v), o, l, v) FROM unnest('{7,49}'::int[]) o, unnest('{en,de}'::text[]) l,
                unnest(ARRAY['{101,201,302,400,502}', '{}', '{102}', '{101,201,301,401,10057}', '{101,7954871460759433331}']) v LOOP
                PERFORM set_config(s, 'off', true) FROM unnest(ARRAY['enable_seqscan', 'enable_sort', 'enable_' || scan]) s;
                EXECUTE query INTO by_index;
                PERFORM set_config(s, 'on', true) FROM unnest(ARRAY['enable_seqscan', 'enable_sort']) s;
                PERFORM set_config(s, 'off', true) FROM unnest('{enable_indexscan,enable_bitmapscan}'::text[]) s;
                EXECUTE query INTO by_scan;
                PERFORM set_config(s, 'on', true) FROM unnest('{enable_indexscan,enable_bitmapscan}'::text[]) s;
                queries := queries + 1;
                rows := rows + coalesce(length(by_scan), 0);
                differing := differing + (by_index IS DISTINCT FROM by_scan)::int;
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
-- Tokens that the index has of its own, in a row.
INSERT INTO facts SELECT 20000 + n, 7, 7, 7, 'en', (ARRAY[7954871460759433331] || ARRAY(SELECT 101 + 100 * k FROM generate_series(0, n) k)::int8[])::tokenset FROM generate_series(-1, 5) n;
SELECT queries, rows > 10000 AS many, differing FROM differing('bitmapscan');
SELECT queries, differing FROM differing('indexscan');
DELETE FROM facts WHERE id % 5 = 0;
UPDATE facts SET owner = owner - 1, t = t | '{77}' WHERE id % 11 = 0;
UPDATE facts SET lang = NULL WHERE id % 13 = 0;
VACUUM facts;
SELECT queries, differing FROM differing('bitmapscan');
SELECT rows = (SELECT count(*) FROM facts) AS all_rows, dead FROM neardup_index_check('facts_t');
REINDEX INDEX facts_t;
SELECT queries, differing FROM differing('indexscan');
SELECT rows = (SELECT count(*) FROM facts) AS all_rows, segments, pending, dead FROM neardup_index_check('facts_t');

-- Scopes whose hashes are equal.
CREATE FUNCTION same_hash(int8, int8) RETURNS int8 LANGUAGE sql IMMUTABLE AS 'SELECT 1::int8';
CREATE OPERATOR CLASS same_hash_ops FOR TYPE int8 USING neardup AS OPERATOR 10 =, FUNCTION 2 same_hash(int8, int8);
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'same_hash_ops';
DROP INDEX facts_t;
CREATE INDEX facts_t ON facts USING neardup (owner same_hash_ops, lang, t);
SELECT scan('SELECT id FROM facts WHERE owner = 7::int8 AND lang = ''en'' AND t % ''{101,201}''');
INSERT INTO facts SELECT 30000 + n, n, n, n, 'en', '{101,201,301}' FROM generate_series(1, 49) n;
CREATE TABLE colliding (owner int8, t tokenset, EXCLUDE USING neardup (owner same_hash_ops WITH =, jaccard_ball(t, 0.6) WITH &&));
INSERT INTO colliding SELECT n % 9, ARRAY[1, 2, 3, n / 18 * 10, n / 18 * 10 + 1, n / 9 * 10 + 2]::tokenset FROM generate_series(1, 200) n ON CONFLICT DO NOTHING;
SELECT count(*) FROM colliding;
SELECT type, r.* FROM (VALUES ('int8', '{0,-1,5000000000}')) v (type, vals), LATERAL try_type(type, vals::text[], 'same_hash_ops') r;
DROP TABLE colliding;
DROP INDEX facts_t;
DROP OPERATOR FAMILY same_hash_ops USING neardup;

-- What an operator class must be.
CREATE OPERATOR CLASS wrong_ops FOR TYPE int8 USING neardup AS OPERATOR 10 =;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'wrong_ops';
DROP OPERATOR FAMILY wrong_ops USING neardup;
CREATE OPERATOR CLASS wrong_ops FOR TYPE tokenset USING neardup AS OPERATOR 1 &&, FUNCTION 2 (tokenset, tokenset) same_hash(int8, int8);
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'wrong_ops';
DROP OPERATOR FAMILY wrong_ops USING neardup;
CREATE OPERATOR CLASS wrong_ops FOR TYPE int8 USING neardup AS OPERATOR 10 =, FUNCTION 2 hashint8(int8);
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'wrong_ops';
DROP OPERATOR FAMILY wrong_ops USING neardup;

-- Costs: few rows in a scope mean few rows. Owner 1 has half of the rows, the others have ten each.
CREATE TABLE skewed (id int PRIMARY KEY, owner int, t tokenset) WITH (autovacuum_enabled = off);
INSERT INTO skewed SELECT n, CASE WHEN n % 2 = 0 THEN 1 ELSE n % 2000 END, ARRAY[n % 10, n % 20 + 10, n % 30 + 100, n % 40 + 1000, n % 50 + 10000]::tokenset FROM generate_series(1, 20000) n;
CREATE INDEX skewed_owner ON skewed (owner);
CREATE INDEX skewed_all ON skewed USING neardup (t);
CREATE INDEX skewed_scope ON skewed USING neardup (owner, t);
VACUUM ANALYZE skewed;
CREATE FUNCTION plan(query text, OUT index text, OUT expected float8, OUT returned float8, OUT startup float8, OUT total float8) LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING off, FORMAT json) ' || query INTO plan;
    SELECT string_agg(DISTINCT coalesce(n ->> 'Index Name', n ->> 'Node Type'), ', ') INTO index
    FROM jsonb_path_query(plan, 'strict $.** ? (exists (@."Index Name") || @."Node Type" == "Seq Scan" || @."Node Type" == "Sort")') n;
    expected := plan -> 0 -> 'Plan' ->> 'Plan Rows';
    returned := plan -> 0 -> 'Plan' ->> 'Actual Rows';
    startup := plan -> 0 -> 'Plan' ->> 'Startup Cost';
    total := plan -> 0 -> 'Plan' ->> 'Total Cost';
END $$;
SELECT query, p.index, p.expected BETWEEN p.returned / 10 AND greatest(p.returned * 10, 2) AS good FROM unnest(ARRAY[
    'SELECT FROM skewed WHERE owner = 1 AND jaccard_ge(t, ''{2,12,102,1002,10002}'', 0.8)',
    'SELECT FROM skewed WHERE owner = 7 AND jaccard_ge(t, ''{7,17,107,1007,10007}'', 0.8)',
    'SELECT FROM skewed WHERE owner = 7 ORDER BY t <%> ''{7,17,107,1007,10007}'' LIMIT 3',
    'SELECT FROM skewed WHERE owner = 1 ORDER BY t <%> ''{2,12,102,1002,10002}'' LIMIT 3',
    'SELECT FROM skewed WHERE jaccard_ge(t, ''{7,17,107,1007,10007}'', 0.8)',
    'SELECT FROM skewed ORDER BY t <%> ''{7,17,107,1007,10007}'' LIMIT 3',
    'SELECT FROM skewed WHERE owner = 7',
    'SELECT FROM (SELECT * FROM skewed WHERE id IN (3, 5)) a JOIN skewed b ON a.owner = b.owner AND jaccard_ge(b.t, a.t, 0.8)',
    'SELECT FROM (SELECT * FROM skewed WHERE id < 5) a, LATERAL (SELECT FROM skewed b WHERE a.owner = b.owner ORDER BY b.t <%> a.t LIMIT 3) b']) query, LATERAL plan(query) p;
SELECT (SELECT total FROM plan('SELECT FROM skewed WHERE owner = 7 AND t @> ''{7,17}''')) < (SELECT total FROM plan('SELECT FROM skewed WHERE owner = 1 AND t @> ''{7,17}''')) / 10 AS lookup,
       (SELECT startup FROM plan('SELECT FROM skewed WHERE owner = 7 ORDER BY t <%> ''{7,17}'' LIMIT 1')) < (SELECT startup FROM plan('SELECT FROM skewed WHERE owner = 1 ORDER BY t <%> ''{7,17}'' LIMIT 1')) AS nearest;

-- A constraint within a scope. NULL is equal to nothing.
CREATE TABLE fact (owner int, lang text, t tokenset, CONSTRAINT apart EXCLUDE USING neardup (owner WITH =, lower(lang) WITH =, jaccard_ball(t, 0.6) WITH &&) WHERE (owner < 100));
INSERT INTO fact VALUES (1, 'en', '{1,2,3,4,5}'), (2, 'en', '{1,2,3,4,5}'), (1, 'de', '{1,2,3,4,5}'), (1, 'en', '{1,2,7,8,9}'), (NULL, 'en', '{1,2,3,4,5}'), (NULL, 'en', '{1,2,3,4,5}'),
    (1, NULL, '{1,2,3,4,5}'), (1, NULL, '{1,2,3,4,5}'), (1, 'en', NULL), (1, 'en', NULL), (1, 'en', '{}'), (1, 'en', '{}'), (100, 'en', '{1,2}'), (100, 'en', '{1,2}');
INSERT INTO fact VALUES (1, 'EN', '{1,2,3,4}');
INSERT INTO fact VALUES (1, 'EN', '{1,2,3,4}'), (3, 'EN', '{1,2,3,4}'), (3, 'en', '{1,2,3}') ON CONFLICT DO NOTHING;
UPDATE fact SET lang = 'En' WHERE owner = 1 AND lang = 'de';
UPDATE fact SET owner = 99 WHERE owner = 100;
SELECT owner, lang, count(*) FROM fact GROUP BY owner, lang ORDER BY owner, lang;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'apart';
SELECT rows FROM neardup_index_check('apart');

-- Scopes are compared by =, so that ranges are none.
CREATE TABLE stays (during tstzrange, days datemultirange, t tokenset);
CREATE INDEX ON stays USING neardup (during, t);
CREATE INDEX ON stays USING neardup (days, t);
CREATE INDEX ON stays USING neardup (during);
ALTER TABLE stays ADD EXCLUDE USING neardup (during WITH &&, jaccard_ball(t, 0.6) WITH &&);
ALTER TABLE stays ADD EXCLUDE USING neardup (during WITH =, jaccard_ball(t, 0.6) WITH &&);
ALTER TABLE stays ADD EXCLUDE USING neardup (lower(during) WITH =, jaccard_ball(t, 0.6) WITH &&);
SELECT opcname, amvalidate(oid) FROM pg_opclass WHERE opcname IN ('range_ops', 'multirange_ops') AND opcmethod = (SELECT oid FROM pg_am WHERE amname = 'neardup') ORDER BY opcname;

-- A partitioned table, and one whose rows change partition.
CREATE TABLE parts (owner int, t tokenset) PARTITION BY LIST (owner);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1, 2);
CREATE TABLE parts_2 PARTITION OF parts DEFAULT;
CREATE INDEX parts_t ON parts USING neardup (owner, t);
INSERT INTO parts SELECT n % 5, ARRAY[n % 3, n % 7 + 10, n % 4 + 20]::tokenset FROM generate_series(1, 500) n;
UPDATE parts SET owner = owner + 2 WHERE t @> '{1}';
SET enable_seqscan = off;
SELECT owner, count(*) FROM (SELECT 1 UNION SELECT 3) o (owner), LATERAL (SELECT owner AS of, t FROM parts p WHERE p.owner = o.owner AND p.t && '{11,21}') p GROUP BY owner ORDER BY owner;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SELECT owner, count(*) FROM (SELECT 1 UNION SELECT 3) o (owner), LATERAL (SELECT owner AS of, t FROM parts p WHERE p.owner = o.owner AND p.t && '{11,21}') p GROUP BY owner ORDER BY owner;
RESET enable_seqscan;
RESET enable_indexscan;
RESET enable_bitmapscan;
SELECT rows FROM neardup_index_check('parts_t');

DROP TABLE facts, skewed, fact, parts, stays;
DROP FUNCTION try_type, scan, differing, plan, same_hash;
DROP TYPE mood;
DROP DOMAIN owner_id, lang;

-- A scan without the scope costs more than any other plan, though never NaN, by which the planner could compare nothing.
CREATE TABLE apart (id int, g int, t tokenset) PARTITION BY LIST (g);
CREATE TABLE apart1 PARTITION OF apart FOR VALUES IN (1);
CREATE TABLE apart2 PARTITION OF apart DEFAULT;
CREATE INDEX ON apart USING neardup (g, t);
EXPLAIN (COSTS OFF) SELECT id FROM apart WHERE t <<@> '{1,2}' < 0.5 ORDER BY containment(t, '{1,2}') DESC, id LIMIT 2;
SET geqo_threshold = 2;
SELECT a.id, b.id FROM apart a, LATERAL (SELECT * FROM apart x WHERE x.t <<@> a.t < 0.5 ORDER BY containment(x.t, a.t) DESC, id LIMIT 2) b;
RESET geqo_threshold;
DROP TABLE apart;
