-- Errors that a first call meets, each with what its hint says to write instead.

-- A text is no set; nor is a literal of an array.
SELECT tokenset('KLN'::text);
SELECT tokenset('KLN'::varchar);
SELECT tokenset(ARRAY['KLN'::text]) = tokenset(ARRAY['KLN'::varchar]) AS same, tokenset(ARRAY['KLN'::char(3)]) = tokenset(ARRAY['KLN']) AS same_too, word_tokens('KLN'::varchar) = word_tokens('kln') AS words;
SELECT jaccard('red bus', 'red car');
SELECT jaccard(word_tokens('red bus'), word_tokens('red car')) = 1.0 / 3 AS of_words;
SELECT tokenset('{red,bus}');
SELECT tokenset('{red,bus}'::text[]) = tokenset(ARRAY['red', 'bus']) AS of_array;

-- The name of a table is no query, whatever takes one.
CREATE TABLE docs (id int PRIMARY KEY, body text);
INSERT INTO docs VALUES (1, 'one red bus'), (2, 'one red car'), (3, 'a red bus');
SELECT * FROM ppjoin('docs', 0.5);
SELECT * FROM ppjoin(' public."docs"', 0.5);
SELECT * FROM ppjoin('COMMIT', 0.5);
CREATE VIEW data AS TABLE docs;
SELECT * FROM ppjoin('data', 0.5);
DROP VIEW data;
SELECT * FROM ppjoin('SELECT id, body FROM docs', 0.5);
SELECT * FROM ppjoin('SELECT id, word_tokens(body) FROM docs', 0.5) ORDER BY a, b;
DO $$
DECLARE
    call text;
    message text;
    hint text;
BEGIN
    FOREACH call IN ARRAY ARRAY['ppjoin_keyed(NULL::text, ''docs'', 0.5)', 'ppjoin(''SELECT id, word_tokens(body) FROM docs'', 0.5, against => ''docs'')',
        'ppjoin_stats(''docs'', 0.5)', 'topk_join(''docs'', 5)', 'knn_join(''docs'', 5, 0.5)', 'match_join(''docs'', 0.5, against => ''SELECT id, word_tokens(body) FROM docs'')', 'edit_join(''docs'', 1)', 'simhash_join(''docs'', 1)', 'lsh_join(''docs'', 0.5)',
        'sketch_overlap_join(''docs'', 1)', 'supershingle_join(''docs'', 2, 1)', 'passage_join(''docs'', 5)', 'repeated_passages(''docs'', 5)', 'boilerplate_passages(''docs'', 2, 2)', 'estimate_join(''docs'', ''{0.5}'')',
        'cluster_pairs(''docs'')', 'match_pairs(''docs'')', 'pairs_quality(''docs'', ''SELECT 1, 2'')', 'link_tables_report(''SELECT id, body FROM docs'', ''docs'')', 'link_tables(''docs'', ''SELECT id, body FROM docs'')',
        'near_duplicates(''docs'', ''id'', ''body'', 0.5, except_pairs => ''docs'')'] LOOP
        BEGIN
            EXECUTE 'SELECT count(*) FROM ' || call;
            RAISE NOTICE '%: no error', call;
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
            RAISE NOTICE '%: % %', substring(call, '\w+'), message, hint;
        END;
    END LOOP;
END $$;

-- What is no simhash can be made one.
CREATE TABLE hashes AS
    SELECT n AS id, n, n::bigint AS big, n::numeric AS number, decode(lpad(to_hex(n), 16, '0'), 'hex') AS bytes, n::bigint::bit(64) AS bits, n::bigint::bit(64)::bit varying AS bits_varying,
           lpad(to_hex(n), 16, '0') AS digits, n::bigint::bit(64)::text AS zeros_and_ones, 'number ' || n AS body
    FROM generate_series(1, 4) AS n;
SELECT * FROM simhash_join('SELECT id, zeros_and_ones FROM hashes', 1);
SELECT * FROM simhash_join('SELECT id, (zeros_and_ones)::bit(64)::simhash FROM hashes', 1) ORDER BY a, b;
SELECT count(*) FROM simhash_join('SELECT id, simhash_from_hex(digits) FROM hashes', 1);
SELECT count(*) FROM simhash_join('SELECT id, simhash(word_tokens(body)) FROM hashes', 64);
SELECT * FROM simhash_join('SELECT id, n FROM hashes', 1);
SELECT count(*) FROM simhash_join('SELECT id, (n)::bigint::simhash FROM hashes', 1);
SELECT * FROM simhash_join('SELECT id, bytes FROM hashes', 1);
SELECT hash, count(*) FROM unnest('{big,number,bytes,bits}'::text[]) AS hash, simhash_join(format('SELECT id, (%s)::simhash FROM hashes', hash), 1) GROUP BY hash ORDER BY hash;
SELECT * FROM simhash_join('SELECT id, bits_varying FROM hashes', 1);
SELECT count(*) FROM simhash_join('SELECT id, (bits_varying)::bit(64)::simhash FROM hashes', 1);

-- Limits and measures. A mode that makes smaller clusters is one that the call does not have already.
SELECT * FROM cluster_pairs('SELECT * FROM (VALUES (1, 2)) p', max_size => 0);
SELECT count(*) FROM cluster_pairs('SELECT * FROM (VALUES (1, 2)) p', max_size => NULL);
SELECT mode, (SELECT max(size) FROM (SELECT count(*) AS size FROM cluster_pairs('VALUES (1, 2), (2, 3), (3, 4), (2, 4)', mode) GROUP BY cluster) AS c) AS without_limit,
       (SELECT max(size) FROM (SELECT count(*) AS size FROM cluster_pairs('VALUES (1, 2), (2, 3), (3, 4), (2, 4)', mode, 2) GROUP BY cluster) AS c) AS with_limit
FROM unnest('{connected,star,complete}'::text[]) AS mode;
SELECT count(*) FROM near_duplicates('docs', 'id', 'body', 0.5, measure => 'idf_cosine', within => 'id % 2');
SELECT measure, (SELECT count(*) FROM near_duplicates('docs', 'id', 'body', 0.5, 'word_set(body)', measure => measure, within => 'id % 2')) AS within,
       (SELECT count(*) FROM near_duplicates('docs', 'id', 'body', 0.5, 'word_set(body)', measure => measure, except_pairs => 'VALUES (1, 2)')) AS except_pairs
FROM unnest('{jaccard,cosine,dice,containment}'::text[]) AS measure;

-- Two queries of one text are two queries: each row is compared with itself, too.
SELECT (SELECT count(*) FROM ppjoin(query, 0.9, against => query)) AS ppjoin, (SELECT count(*) FROM topk_join(query, 3, against => query)) AS topk_join,
       (SELECT count(*) FROM knn_join(query, 1, 0.9, against => query)) AS knn_join, (SELECT count(*) FROM match_join(query, 0.9, against => query)) AS match_join
FROM (VALUES ('SELECT id, word_tokens(body) FROM docs')) AS q (query);
CREATE TABLE towns AS SELECT i AS id, md5(i::text) || ' ' || md5((i + 1000)::text) AS name FROM generate_series(1, 40) AS i;
SELECT count(*) AS links, count(*) FILTER (WHERE a = b) AS with_itself FROM link_tables('SELECT id, name FROM towns', 'SELECT id, name FROM towns');
DROP TABLE docs, hashes, towns;
