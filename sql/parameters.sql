-- Functions that take a query, called as a driver calls them that gives no types of parameters, by place and by name.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS neardup_track;
RESET client_min_messages;
CREATE TABLE prepared_docs AS
SELECT id, word_tokens(body) AS tokens, body, simhash(word_tokens(body)) AS fp, minhash(word_tokens(body), 16) AS sketch
FROM (VALUES (1, 'one two three four'), (2, 'one two three four five'), (3, 'six seven'), (4, 'seven six')) AS v (id, body);

-- Each function with its arguments in order; the names in capitals stand for queries.
CREATE TABLE prepared_calls (function text, value text[], named text[]);
INSERT INTO prepared_calls VALUES
    ('ppjoin', '{SETS,0.5,jaccard,auto,SETS}', '{query,threshold,measure,algorithm,against}'),
    ('ppjoin_stats', '{SETS,0.5,jaccard,auto,SETS}', '{query,threshold,measure,algorithm,against}'),
    ('topk_join', '{SETS,3,jaccard,SETS}', '{query,k,measure,against}'),
    ('knn_join', '{SETS,1,0.5,jaccard,SETS}', '{query,k,threshold,measure,against}'),
    ('match_join', '{SETS,0.5,jaccard,SETS}', '{query,threshold,measure,against}'),
    ('edit_join', '{TEXTS,5,TEXTS}', '{query,max_distance,against}'),
    ('simhash_join', '{SIMHASHES,5,SIMHASHES}', '{query,max_distance,against}'),
    ('lsh_join', '{SETS,0.5,0.9,SETS}', '{query,threshold,recall,against}'),
    ('lsh_join_stats', '{SETS,0.5,0.9,SETS}', '{query,threshold,recall,against}'),
    ('sketch_overlap_join', '{SKETCHES,4,NULL,SKETCHES}', '{query,min_shared,min_fraction,against}'),
    ('supershingle_join', '{SKETCHES,3,4,NULL,SKETCHES}', '{query,size,min_shared,min_fraction,against}'),
    ('passage_join', '{TEXTS,3,5,TEXTS}', '{query,min_words,max_rows,against}'),
    ('repeated_passages', '{TEXTS,3,t,TEXTS}', '{query,min_words,whole_sentences,against}'),
    ('boilerplate_passages', '{TEXTS,3,2}', '{query,min_words,min_rows}'),
    ('estimate_join', '{SETS,"{0.5}",jaccard}', '{query,thresholds,measure}'),
    ('cluster_pairs', '{PAIRS,star,3}', '{query,mode,max_size}'),
    ('neardup_components', '{SETS,0.5}', '{query,threshold}'),
    ('match_pairs', '{SCORES}', '{query}'),
    ('link_tables', '{TEXTS,OTHERS,t,PAIRS,NULL}', '{query_a,query_b,one_to_one,except_pairs,differ}'),
    ('link_tables_report', '{TEXTS,OTHERS,t,PAIRS,NULL}', '{query_a,query_b,one_to_one,except_pairs,differ}'),
    ('pairs_quality', '{PAIRS,PAIRS,f}', '{found_query,true_query,ordered}'),
    ('near_duplicates', '{prepared_docs,id,body,0.5,NULL,NULL,star,jaccard,id,PAIRS}', '{rel,key,text,threshold,tokens,keep,mode,measure,within,except_pairs}');
UPDATE prepared_calls SET value = ARRAY(
    SELECT coalesce(q.query, v.value) FROM unnest(value) WITH ORDINALITY AS v (value, place) LEFT JOIN (VALUES
        ('SETS', 'SELECT id, tokens FROM prepared_docs'), ('TEXTS', 'SELECT id, body FROM prepared_docs'),
        ('SIMHASHES', 'SELECT id, fp FROM prepared_docs'), ('SKETCHES', 'SELECT id, sketch FROM prepared_docs'),
        ('PAIRS', 'VALUES (1, 2), (2, 3)'), ('SCORES', 'VALUES (1, 2, 0.5), (2, 3, 0.7)'), ('OTHERS', 'SELECT id + 1, body FROM prepared_docs')) AS q (name, query) ON q.name = v.value
    ORDER BY v.place);

-- The number of rows of a call whose first parameters are given: by place and by name the same.
CREATE FUNCTION rows_of(function text, key_type text, value text[], named text[], given int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    by_place text; by_name text; parameters text; place_count bigint; name_count bigint;
BEGIN
    SELECT string_agg('$' || i, ', ' ORDER BY i), string_agg(named[i] || ' => $' || i, ', ' ORDER BY i), string_agg(quote_nullable(value[i]), ', ' ORDER BY i)
    INTO by_place, by_name, parameters FROM generate_series(1, given) AS i;
    EXECUTE format('PREPARE by_place AS SELECT count(*) FROM %s(%s%s)', function, key_type, by_place);
    EXECUTE format('PREPARE by_name AS SELECT count(*) FROM %s(%s%s)', function, key_type, by_name);
    EXECUTE format('EXECUTE by_place(%s)', parameters) INTO place_count;
    EXECUTE format('EXECUTE by_name(%s)', parameters) INTO name_count;
    DEALLOCATE by_place;
    DEALLOCATE by_name;
    RETURN CASE WHEN place_count = name_count THEN place_count::text ELSE place_count || ' by place, ' || name_count || ' by name' END;
END $$;

-- every number of parameters that a call may have; joins of sketches need a limit, too
SELECT c.function, string_agg(rows_of(c.function, '', c.value, c.named, given), ' ' ORDER BY given) AS rows
FROM prepared_calls AS c JOIN pg_proc AS p ON p.oid = c.function::regproc, generate_series(p.pronargs::int - p.pronargdefaults, p.pronargs) AS given
WHERE given > p.pronargs - p.pronargdefaults OR 'min_shared' <> ALL (c.named)
GROUP BY c.function ORDER BY c.function;
-- and the _keyed forms
SELECT p.proname, string_agg(rows_of(p.proname, 'NULL::int, ', c.value, c.named, given), ' ' ORDER BY given) AS rows
FROM prepared_calls AS c JOIN pg_proc AS p ON p.proname = c.function || '_keyed', generate_series(p.pronargs - 1 - p.pronargdefaults, p.pronargs - 1) AS given
WHERE given > p.pronargs - 1 - p.pronargdefaults OR 'min_shared' <> ALL (c.named)
GROUP BY p.proname ORDER BY p.proname;
-- no function that takes a query is left out, and none has a second form
SELECT p.oid::regprocedure AS left_out FROM pg_proc AS p JOIN pg_depend AS d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
WHERE p.proargnames && '{query,against,found_query}' AND regexp_replace(p.proname, '_keyed$', '') NOT IN (SELECT function FROM prepared_calls);
SELECT p.proname, count(*) FROM pg_proc AS p WHERE regexp_replace(p.proname, '_keyed$', '') IN (SELECT function FROM prepared_calls) GROUP BY p.proname HAVING count(*) > 1;

-- against NULL is a self-join
SELECT a, b FROM ppjoin('SELECT id, tokens FROM prepared_docs', 0.5, against => NULL) ORDER BY a, b;

-- The key type stands first. Behind other arguments it is not what PostgreSQL derives the columns from.
SELECT a, b FROM ppjoin_keyed(key_type => NULL::int, query => 'SELECT id, tokens FROM prepared_docs', threshold => 0.5) ORDER BY a, b;
SELECT a, b FROM ppjoin_keyed(query => 'SELECT id, tokens FROM prepared_docs', threshold => 0.5, key_type => NULL::int) ORDER BY a, b;
SELECT a, b FROM ppjoin_keyed(threshold => 0.5, key_type => NULL::int, query => 'SELECT id, tokens FROM prepared_docs') ORDER BY a, b;
SELECT a, b FROM ppjoin_keyed(query => 'SELECT id, tokens FROM prepared_docs', threshold => 0.5, key_type => NULL) ORDER BY a, b;
SELECT a, b FROM ppjoin_keyed(NULL, 'SELECT id, tokens FROM prepared_docs', 0.5) ORDER BY a, b;
SELECT ppjoin_keyed(query => 'SELECT id, tokens FROM prepared_docs', threshold => 0.5, key_type => NULL::int);

DROP FUNCTION rows_of;
DROP TABLE prepared_docs, prepared_calls;
