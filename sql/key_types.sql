-- Keys of any type, of 2 to 16 bytes, by value or by reference: the rows are those of integer keys, in memory and in files.
CREATE TABLE numbered AS
SELECT id, ARRAY(SELECT (hashint4(id / 4) % 1000 + g * 7 + CASE WHEN g = id % 4 THEN 3000 + id ELSE 0 END)
                 FROM generate_series(1, 12) AS g) AS tokens
FROM generate_series(0, 399) AS id;
-- Each type with an expression that has the order of id.
CREATE TABLE key_types (type regtype, expression text, is_integer boolean DEFAULT false);
INSERT INTO key_types VALUES
    ('int4', 'id', true), ('int2', 'id', true), ('int8', 'id::int8 << 33', true);
INSERT INTO key_types VALUES
    ('float4', 'id / 4.0'), ('float8', 'id / 3.0'), ('timestamptz', 'timestamptz ''2000-01-01'' + id * interval ''1 hour'''),
    ('macaddr8', 'lpad(id::text, 16, ''0'')'), ('uuid', 'lpad(id::text, 32, ''0'')'), ('text', 'lpad(id::text, 5, ''0'')');
-- Each call, the columns that are keys, and the others.
CREATE TABLE key_calls (number serial, name text, keys text[], columns text, arguments text);
INSERT INTO key_calls (name, keys, columns, arguments) VALUES
    ('ppjoin', '{a,b}', 'similarity', $$'SELECT key, tokens FROM typed', 0.6$$),
    ('ppjoin', '{a,b}', 'similarity', $$'SELECT key, tokens FROM typed WHERE id % 2 = 0', 0.6, against => 'SELECT key, tokens FROM typed'$$),
    ('lsh_join', '{a,b}', 'similarity', $$'SELECT key, tokens FROM typed', 0.6$$),
    ('topk_join', '{a,b}', 'similarity', $$'SELECT key, tokens FROM typed', 150$$),
    ('knn_join', '{a,b}', 'similarity, rank', $$'SELECT key, tokens FROM typed', 2, 0.3$$),
    ('match_join', '{a,b}', 'similarity', $$'SELECT key, tokens FROM typed', 0.3$$),
    ('simhash_join', '{a,b}', 'distance', $$'SELECT key, (id % 50 * 7919)::int8::simhash FROM typed', 3$$),
    ('edit_join', '{a,b}', 'distance', $$'SELECT key, tokens::text FROM typed', 8$$),
    ('sketch_overlap_join', '{a,b}', 'shared', $$'SELECT key, minhash(tokens::int8[]::tokenset, 16) FROM typed', 8$$),
    ('passage_join', '{a,b}', 'in_a, in_b, words', $$'SELECT key, body FROM typed', 4$$),
    ('repeated_passages', '{id,first_id}', 'repeated, words, share, first_range', $$'SELECT key, body FROM typed ORDER BY id', 4$$),
    ('cluster_pairs', '{id,cluster}', '1', $$'SELECT x.key, y.key FROM typed x JOIN typed y ON y.id = x.id + 20 OR y.id = x.id * 2'$$),
    ('cluster_pairs', '{id,cluster}', '1', $$'SELECT x.key, y.key FROM typed x JOIN typed y ON y.id = x.id + 20 OR y.id = x.id * 2', 'star'$$),
    ('match_pairs', '{a,b}', 'score', $$'SELECT x.key, y.key, x.id * y.id % 17 / 2.0 FROM typed x JOIN typed y ON y.id = x.id + 20 OR y.id = x.id * 2'$$),
    ('near_duplicates', '{id,duplicate_of,cluster}', 'similarity, kind', $$'typed', 'key', 'body', 0.6$$);
CREATE TABLE key_results (call int, settings text, kind text, rows bigint, digest text);
-- Runs all calls with keys of a type, by the function that takes integers or by the keyed one, and notes the rows, with ids in place of keys.
CREATE PROCEDURE run_calls(of_type key_types, suffix text, settings text) LANGUAGE plpgsql AS $$
DECLARE
    call key_calls;
BEGIN
    EXECUTE format('CREATE TEMP TABLE typed AS SELECT (%s)::%s AS key, id, tokens, array_to_string(tokens, '' '') AS body FROM numbered', of_type.expression, of_type.type);
    ANALYZE typed;
    FOR call IN TABLE key_calls LOOP
        EXECUTE format('INSERT INTO key_results SELECT %s, %L, %L, count(*), md5(string_agg(row, chr(10) ORDER BY row)) FROM (SELECT ROW(%s, %s)::text AS row FROM %s%s(%s%s) AS f %s) AS r',
            call.number, settings, of_type.type || suffix,
            (SELECT string_agg(format('typed_%s.id', k), ', ') FROM unnest(call.keys) AS k), call.columns,
            call.name, suffix, CASE suffix WHEN '' THEN '' ELSE format('NULL::%s, ', of_type.type) END, call.arguments,
            (SELECT string_agg(format('JOIN typed AS typed_%1$s ON typed_%1$s.key = f.%1$s', k), ' ') FROM unnest(call.keys) AS k));
    END LOOP;
    DROP TABLE typed;
END $$;
CREATE PROCEDURE run_types(settings text) LANGUAGE plpgsql AS $$
DECLARE
    of_type key_types;
BEGIN
    FOR of_type IN TABLE key_types LOOP
        CALL run_calls(of_type, '_keyed', settings);
        IF of_type.is_integer THEN
            CALL run_calls(of_type, '', settings);
        END IF;
    END LOOP;
END $$;
SET client_min_messages = warning;
CALL run_types('in memory');
SET work_mem = '64kB';
SET neardup.join_memory = '64kB';
CALL run_types('in files');
CREATE TEMP TABLE typed AS SELECT id::int8 AS key, tokens FROM numbered;
SELECT temp_bytes > 0 AS in_files FROM ppjoin_stats('SELECT key, tokens FROM typed', 0.6);
RESET work_mem;
RESET neardup.join_memory;
RESET client_min_messages;
-- By brute force:
INSERT INTO key_results
SELECT 1, 'in SQL', 'brute force', count(*), md5(string_agg(row, chr(10) ORDER BY row))
FROM (SELECT ROW(x.id, y.id, jaccard(x.tokens::int8[]::tokenset, y.tokens::int8[]::tokenset))::text AS row
      FROM numbered AS x JOIN numbered AS y ON x.id < y.id AND jaccard_ge(x.tokens::int8[]::tokenset, y.tokens::int8[]::tokenset, 0.6)) AS r;
SELECT name, count(*) AS runs, min(rows) > 100 AS many, count(DISTINCT digest) AS results
FROM key_results JOIN key_calls ON number = call GROUP BY number, name ORDER BY number;
SELECT call, settings, kind, rows FROM key_results AS r
WHERE digest <> (SELECT digest FROM key_results AS i WHERE i.call = r.call AND i.settings = 'in memory' AND i.kind = 'int4') ORDER BY 1, 2, 3;

-- The planner's node, which stores rows with values of 8 bytes.
SET enable_hashjoin = off;
CREATE TABLE key_rows AS SELECT id, id::int8 << 33 AS large, id / 3.0::float8 AS share, tokens::int8[]::tokenset AS tokens FROM numbered;
ANALYZE key_rows;
SET work_mem = '64kB';
SELECT count(*), sum((x.large >> 33) * round(y.share * 3)::int8) AS joined
FROM key_rows AS x JOIN key_rows AS y ON x.large < y.large AND jaccard_ge(x.tokens, y.tokens, 0.6);
SET neardup.enable_similarity_join = off;
SELECT count(*), sum((x.large >> 33) * round(y.share * 3)::int8) AS joined
FROM key_rows AS x JOIN key_rows AS y ON x.large < y.large AND jaccard_ge(x.tokens, y.tokens, 0.6);
RESET neardup.enable_similarity_join;
RESET work_mem;
RESET enable_hashjoin;
DROP PROCEDURE run_types, run_calls;
DROP TABLE typed, key_rows, key_results, key_calls, key_types, numbered;
