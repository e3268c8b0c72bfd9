--
-- Lookups by a GIN index: what the planner makes of each predicate and operator.
--

CREATE TABLE sets (id int, t tokenset);
INSERT INTO sets
SELECT id, coalesce(array_agg(abs(hashint8extended(id * 100 + x, 2) % 40)) FILTER (WHERE x > 0), '{}')::tokenset
FROM generate_series(1, 3000) id, generate_series(0, id % 13) x GROUP BY id;
INSERT INTO sets VALUES (3001, NULL), (3002, NULL), (3003, '{1,2,3,4,5}'), (3004, '{1,2,3,4}');
CREATE INDEX sets_t ON sets USING gin (t);
VACUUM ANALYZE sets;

-- With default settings, in both argument orders.
EXPLAIN (COSTS off) SELECT id FROM sets WHERE jaccard_ge(t, '{1,2,3,4,5}', 0.8);
EXPLAIN (COSTS off) SELECT id FROM sets WHERE jaccard_ge('{1,2,3,4,5}', t, 0.8);
EXPLAIN (COSTS off) SELECT id FROM sets WHERE t % '{1,2,3,4,5}';
EXPLAIN (COSTS off) SELECT id FROM sets WHERE '{1,2,3,4,5}' % t;
EXPLAIN (COSTS off) SELECT id FROM sets WHERE t @~ 'jaccard(x, {1,2,3,4,5}) >= 0.8';
SELECT id FROM sets WHERE jaccard_ge(t, '{1,2,3,4,5}', 0.8) AND id > 3000 ORDER BY id;

-- The index by itself, as if a table were large.
SET enable_seqscan = off;
-- A plan as PostgreSQL 15 shows it.
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        CONTINUE WHEN line ~ '^ *Disabled: true$';
        RETURN NEXT line;
    END LOOP;
END $$;
CREATE FUNCTION condition(clause text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) SELECT FROM sets WHERE ' || clause LOOP
        IF line ~ 'Index Cond' THEN RETURN substring(line FROM 'Index Cond: (.*)'); END IF;
    END LOOP;
    RETURN line;
END $$;
-- EXPLAIN shows the first tokens of a condition. What a user writes, and may store, is whole.
CREATE FUNCTION tokens_to(n int) RETURNS text LANGUAGE sql AS
    $$ SELECT '{' || string_agg(i::text, ',') || '}' FROM generate_series(1, n) AS i $$;
SELECT condition(format('jaccard_ge(t, %L, 0.8)', tokens_to(20)));
SELECT condition(format('jaccard_ge(t, %L, 0.8)', tokens_to(5000)));
SELECT condition(format('containment_ge(%L, t, 0.8)', tokens_to(5000)));
SELECT length(condition(format('t @~ tokenset_query(''jaccard'', %L, 0.8)', tokens_to(5000))));
DO $$ BEGIN EXECUTE format('CREATE VIEW stored AS SELECT %L::tokenset_query AS q', format('jaccard(x, %s) >= 0.8', tokens_to(5000))); END $$;
SELECT position(tokens_to(5000) IN q::text) AS whole, position(tokens_to(5000) IN pg_get_viewdef('stored')) > 0 AS whole_in_the_view FROM stored;
DROP VIEW stored;
DROP FUNCTION tokens_to;
CREATE FUNCTION found(clause text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE by_index int; by_scan int;
BEGIN
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_bitmapscan = on;
    EXECUTE 'SELECT count(*) FROM sets WHERE ' || clause INTO by_index;
    SET LOCAL enable_seqscan = on;
    SET LOCAL enable_bitmapscan = off;
    EXECUTE 'SELECT count(*) FROM sets WHERE ' || clause INTO by_scan;
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_bitmapscan = on;
    RETURN CASE WHEN by_index = by_scan THEN by_index::text ELSE by_index || ', not ' || by_scan END;
END $$;
SELECT clause, condition(clause), found(clause) FROM (VALUES
    ('jaccard_ge(t, ''{1,2,3,4,5}'', 0.6)'), ('jaccard_ge(''{1,2,3,4,5}'', t, 0.6)'),
    ('cosine_ge(t, ''{1,2,3,4,5}'', 0.6)'), ('cosine_ge(''{1,2,3,4,5}'', t, 0.6)'),
    ('dice_ge(t, ''{1,2,3,4,5}'', 0.6)'), ('dice_ge(''{1,2,3,4,5}'', t, 0.6)'),
    ('containment_ge(t, ''{1,2,3,4,5}'', 0.6)'), ('containment_ge(''{1,2,3,4,5}'', t, 0.6)'),
    ('overlap_ge(t, ''{1,2,3,4,5}'', 3)'), ('overlap_ge(''{1,2,3,4,5}'', t, 3)'),
    ('overlap_ge(t, ''{1,2,3,4,5}'', 6)'),
    ('hamming_le(t, ''{1,2,3,4,5}'', 3)'), ('hamming_le(''{1,2,3,4,5}'', t, 3)'),
    ('hamming_le(t, ''{1,2,3,4,5}'', 5)'), ('hamming_le(t, ''{1,2,3,4,5}'', 9)'),
    ('jaccard_ge(t, ''{}'', 0.6)'), ('t % ''{}'''),
    ('tokenset_similar(t, ''{1,2,3,4,5}'')'), ('tokenset_similar(''{1,2,3,4,5}'', t)'),
    ('t && ''{1,2}'''), ('t && ''{}'''), ('''{1,2}'' && t'),
    ('t @> ''{1,2}'''), ('t @> ''{}'''), ('''{1,2}'' <@ t'),
    ('t <@ ''{1,2,3,4,5}'''), ('t <@ ''{}'''), ('''{1,2,3,4,5}'' @> t'),
    ('t = ''{1,2,3,4,5}'''), ('t = ''{}'''),
    ('t @~ tokenset_query(''containment'', ''{1,2,3,4,5}'', 0.6, true)'),
    ('jaccard_ge(t, ''{1,2,3,4,5}'', 0.6) AND t @> ''{1,2}'''),
    ('t % ANY (''{"{1,2,3,4,5}","{6,7}"}'')'),
    ('t && ''{1}'' AND t && ''{2}''')) v (clause);

-- Combined by bitmaps.
SELECT plan($$SELECT id FROM sets WHERE jaccard_ge(t, '{1,2,3,4,5}', 0.6) OR t = '{}' OR t @> '{7,8,9}'$$);
SELECT found('jaccard_ge(t, ''{1,2,3,4,5}'', 0.6) OR t = ''{}'' OR t @> ''{7,8,9}''');

-- A NULL finds nothing; a threshold out of its range is the predicate's error, whether it is known when the query is planned or not.
PREPARE by_jaccard(tokenset, float8) AS SELECT count(*) FROM sets WHERE jaccard_ge(t, $1, $2);
PREPARE by_overlap(tokenset, int) AS SELECT count(*) FROM sets WHERE overlap_ge($1, t, $2);
PREPARE by_hamming(tokenset, int) AS SELECT count(*) FROM sets WHERE hamming_le($1, t, $2);
SET plan_cache_mode = force_generic_plan;
SELECT plan($$EXECUTE by_jaccard('{1,2,3}', 0.5)$$);
SELECT plan($$EXECUTE by_overlap('{1,2,3}', 2)$$);
EXECUTE by_jaccard('{1,2,3,4,5}', 0.8);
EXECUTE by_jaccard(NULL, 0.5);
EXECUTE by_jaccard('{1,2,3}', NULL);
EXECUTE by_jaccard('{1,2,3}', 1.5);
EXECUTE by_jaccard('{1,2,3}', 'NaN');
EXECUTE by_overlap('{1,2,3}', 0);
EXECUTE by_hamming('{1,2,3}', -1);
SET plan_cache_mode = force_custom_plan;
EXECUTE by_jaccard('{1,2,3,4,5}', 0.8);
EXECUTE by_jaccard(NULL, 0.5);
EXECUTE by_jaccard('{1,2,3}', NULL);
EXECUTE by_jaccard('{1,2,3}', 1.5);
EXECUTE by_hamming('{1,2,3}', -1);
RESET plan_cache_mode;

-- A threshold that is read at execution is part of the index condition; one that changes from row to row is not.
SET neardup.similarity_threshold = 0.8;
SELECT plan($$SELECT id FROM sets
WHERE jaccard_ge(t, '{1,2,3,4,5}', current_setting('neardup.similarity_threshold')::float8)$$);
SELECT count(*) FROM sets WHERE jaccard_ge(t, '{1,2,3,4,5}', current_setting('neardup.similarity_threshold')::float8);
SELECT count(*) FROM sets WHERE t % '{1,2,3,4,5}';
SET neardup.similarity_threshold = 0.5;
SELECT found('t % ''{1,2,3,4,5}''');
RESET neardup.similarity_threshold;
SELECT plan($$SELECT id FROM sets WHERE jaccard_ge(t, '{1,2,3,4,5}', 1 - random() / 2)$$);
SELECT plan($$SELECT id FROM sets WHERE jaccard_ge(t, '{1,2,3,4,5}', 1.0 / id)$$);

-- The other set may come from another table.
SELECT plan($$SELECT a.id, b.id FROM sets a JOIN sets b ON jaccard_ge(a.t, b.t, 0.8) WHERE a.id = 3003$$);
SELECT a.id, b.id FROM sets a JOIN sets b ON jaccard_ge(a.t, b.t, 0.8) WHERE a.id = 3003 AND b.id > 3000 ORDER BY b.id;
SELECT plan($$SELECT a.id, b.id FROM sets a JOIN sets b ON containment_ge(a.t, b.t, 0.8) WHERE a.id = 3003$$);
SELECT plan($$SELECT a.id, b.id FROM sets a JOIN sets b ON b.t % a.t WHERE a.id = 3003$$);

-- An index on an expression serves as well.
CREATE TABLE texts (id int, body text);
INSERT INTO texts SELECT id, 'the number ' || id || ' of ' || id % 7 || ' and of others' FROM generate_series(1, 500) id;
CREATE INDEX ON texts USING gin (word_tokens(body));
ANALYZE texts;
SELECT plan($$SELECT id FROM texts WHERE jaccard_ge(word_tokens(body), word_tokens('the number 17 of 3 and of others'), 1)$$);
SELECT id FROM texts WHERE jaccard_ge(word_tokens(body), word_tokens('the number 17 of 3 and of others'), 1);

-- Core's own checks of the operator class find nothing missing.
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'gin_tokenset_ops';

DROP TABLE sets, texts;
DROP FUNCTION condition, found, plan;
