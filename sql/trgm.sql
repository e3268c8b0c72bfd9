-- The operators of pg_trgm, joined by the extension's node and by nested loops.
-- Some packages of PostgreSQL leave pg_trgm out.
SELECT count(*) = 0 AS is_absent FROM pg_available_extensions WHERE name = 'pg_trgm' \gset
\if :is_absent
\quit
\endif
SET client_min_messages = warning;
CREATE EXTENSION pg_trgm;
SELECT similarity('a', 'a');
CREATE TABLE names (id int, g int, name text, v varchar(40));
INSERT INTO names SELECT i, i % 4, format('%s %s %s', (ARRAY['John', 'Jon', 'Johnny', 'Mary', 'Maria'])[1 + i % 5], (ARRAY['Smith', 'Smyth', 'Schmidt', 'Straße'])[1 + i / 5 % 4], i / 30), 'v' || i % 9 FROM generate_series(1, 60) AS i;
INSERT INTO names VALUES (0, 0, NULL, NULL), (-1, 1, '', ''), (-2, 1, '', '--'), (-3, 2, '?!', 'İstanbul'), (-4, 2, 'a b c', 'A B C'), (-5, 3, 'ÄÖÜ äöü', 'äöü');
ANALYZE names;
-- Without neardup_trgm, pg_trgm's operators are nobody's business.
EXPLAIN (COSTS OFF) SELECT * FROM names a JOIN names b ON a.name % b.name;
SET enable_nestloop = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
CREATE EXTENSION neardup_trgm;

-- Its trigrams are those of show_trgm: three bytes each, which show_trgm shows in hexadecimal where they are not ASCII.
SELECT trgm_set('Cat'), (SELECT array_agg(to_hex(t)) FROM unnest(trgm_set('Cat')) AS t), show_trgm('Cat'), trgm_set('?!');
CREATE FUNCTION shown(text) RETURNS tokenset LANGUAGE sql AS $$
    SELECT coalesce(array_agg(('x' || lpad(CASE WHEN length(t) = 3 THEN encode(convert_to(t, 'UTF8'), 'hex') ELSE substr(t, 3) END, 16, '0'))::bit(64)::bigint), '{}')::tokenset
    FROM unnest(show_trgm($1)) AS t $$;
SELECT count(*) AS texts, count(*) FILTER (WHERE trgm_set(name) <> shown(name) OR trgm_set(v) <> shown(v)) AS differences FROM names;
SELECT count(*) AS differences FROM (SELECT string_agg(chr(c), '') AS t FROM generate_series(1, 200000) AS c WHERE c NOT BETWEEN 55296 AND 57343 GROUP BY c / 7) AS texts WHERE trgm_set(t) <> shown(t);

-- Each form of the condition drives the join node.
CREATE FUNCTION uses_node(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; found text := 'no';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) SELECT 1 FROM names a JOIN names b ON ' || condition LOOP
        IF line LIKE '%Similarity Cond:%' THEN found := regexp_replace(trim(line), '\$0|\(InitPlan \w+\)\.col1', 'InitPlan'); END IF;
    END LOOP;
    RETURN found;
END $$;
CREATE FUNCTION same_rows(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE pairs text := format('SELECT a.id AS a, b.id AS b FROM names a JOIN names b ON %s', condition);
        matched text := format('SELECT a.id, NULL::int FROM names a WHERE EXISTS (SELECT FROM names b WHERE %s)', condition);
        all_rows text := format('SELECT a.id, b.id FROM names a LEFT JOIN names b ON %s', condition);
        result text;
BEGIN
    PERFORM set_config('neardup.enable_similarity_join', 'on', true);
    EXECUTE format('CREATE TEMP TABLE got AS %s UNION ALL %s UNION ALL %s', pairs, matched, all_rows);
    PERFORM set_config('neardup.enable_similarity_join', 'off', true);
    EXECUTE format('CREATE TEMP TABLE want AS %s UNION ALL %s UNION ALL %s', pairs, matched, all_rows);
    PERFORM set_config('neardup.enable_similarity_join', 'on', true);
    SELECT format('%s rows, %s differences', (SELECT count(*) FROM want),
        (SELECT count(*) FROM ((TABLE got EXCEPT ALL TABLE want) UNION ALL (TABLE want EXCEPT ALL TABLE got)) AS d)) INTO result;
    DROP TABLE got, want;
    RETURN result;
END $$;
CREATE TABLE conditions (n serial, condition text);
INSERT INTO conditions (condition) VALUES
    ('a.name % b.name'), ('a.v % b.v'), ('similarity(a.name, b.name) >= 0.5'), ('similarity(a.name, b.name) > 0.5'),
    ('0.5 <= similarity(a.name, b.name)'), ('0.5 < similarity(a.name, b.name)'), ('(a.name <-> b.name) < 0.5'), ('(a.name <-> b.name) <= 0.5'),
    ('0.5 > (a.name <-> b.name)'), ('0.5 >= (a.name <-> b.name)'), ('similarity(a.name, b.name) >= 0.7::real'), ('similarity(a.name, b.name)::float8 >= 0.7'),
    ('similarity(a.name, b.name) >= 1'), ('similarity(b.name, a.name) >= (SELECT 0.4::float8)'), ('similarity(a.name, b.name) > 0'),
    ('a.name <-> b.v < 0.9'), ('a.name % b.name AND a.g = b.g AND a.id < b.id'), ('upper(a.name) % lower(b.name) AND a.id <> b.id'),
    ('similarity(a.name, b.name) >= 0.4 AND a.name <-> b.name < 0.3'),
    -- Of a text with a part of the other one.
    ('a.name <% b.name'), ('a.name %> b.name'), ('a.name <<% b.v'), ('a.v %>> b.name AND a.id <> b.id'), ('word_similarity(a.name, b.name) >= 0.8'),
    ('0.8 < word_similarity(b.name, a.name)'), ('strict_word_similarity(a.name, b.v) > 0.3'), ('(a.name <<-> b.name) < 0.4'), ('0.4 >= (a.name <->> b.name)'),
    ('(a.v <<<-> b.name) <= 0.7'), ('(a.name <->>> b.v) <= 0.7'), ('word_similarity(a.name, b.name) = 1'), ('word_similarity(a.name, b.name) > 0'),
    ('word_similarity(upper(a.name), b.name) >= (SELECT 0.5::float8) AND a.g = b.g'), ('1 - strict_word_similarity(a.name, b.name) < 0.5::numeric');
SELECT condition, uses_node(condition), same_rows(condition) FROM conditions ORDER BY n;

-- These are pg_trgm's own: other functions, a threshold that a row gives. The constants are reached by all pairs or by none.
SELECT condition, uses_node(condition), same_rows(condition) FROM unnest(ARRAY['word_similarity(a.name, b.name) < 0.2', 'similarity(a.name, b.name) < 0.2', 'similarity(a.name, b.name) > b.id / 100.0',
    'similarity(a.name, b.name) >= 0', 'similarity(a.name, b.name) > 1', 'a.name <-> b.name <= 1', 'similarity(a.name, b.name) >= NULL']) AS condition;

-- The setting is read when the query runs, in full precision. 7/10 in single precision is below 0.7.
CREATE TABLE tenths (id int, name text);
INSERT INTO tenths VALUES (1, 'abcdef'), (2, 'abcdef gh');
SELECT similarity(a.name, b.name) FROM tenths a JOIN tenths b ON a.id < b.id;
PREPARE pairs AS SELECT count(*) FROM tenths a JOIN tenths b ON a.id < b.id AND a.name % b.name;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE pairs;
SET pg_trgm.similarity_threshold = 0.7; EXECUTE pairs;
SET pg_trgm.similarity_threshold = 0.69999999; EXECUTE pairs;
SET pg_trgm.similarity_threshold = 0.69999998; EXECUTE pairs;
SET pg_trgm.similarity_threshold = 1; EXECUTE pairs;
SET pg_trgm.similarity_threshold = 0; EXECUTE pairs;
-- At 0 all pairs are similar, also of empty texts, but none with NULL.
SELECT uses_node('a.name % b.name'), same_rows('a.name % b.name'), same_rows('a.name % b.name AND a.g = b.g AND a.id < b.id');
RESET pg_trgm.similarity_threshold;
-- Words have settings of their own, read when the query runs, too.
PREPARE words AS SELECT count(*), count(*) FILTER (WHERE a.name %>> b.name) FROM names a JOIN names b ON a.id < b.id AND a.name <% b.name;
EXECUTE words;
SET pg_trgm.word_similarity_threshold = 1; EXECUTE words;
SET pg_trgm.word_similarity_threshold = 0; EXECUTE words; SELECT same_rows('a.name <% b.name'), same_rows('a.name <<% b.name');
SET pg_trgm.strict_word_similarity_threshold = 0; SELECT same_rows('a.name <% b.name'), same_rows('a.name <<% b.name');
SET pg_trgm.strict_word_similarity_threshold = 0.9; SELECT same_rows('a.name %> b.name'), same_rows('a.name %>> b.name');
RESET pg_trgm.word_similarity_threshold; RESET pg_trgm.strict_word_similarity_threshold;
PREPARE at_least(float8) AS SELECT count(*) FROM names a JOIN names b ON a.id < b.id AND similarity(a.name, b.name) >= $1;
EXPLAIN (COSTS OFF) EXECUTE at_least(0.5);
EXECUTE at_least(0.5); EXECUTE at_least(1.5); EXECUTE at_least('NaN'); EXECUTE at_least(NULL); EXECUTE at_least(0); EXECUTE at_least(-1);
SET neardup.enable_similarity_join = off;
EXECUTE at_least(0.5); EXECUTE at_least(1.5); EXECUTE at_least('NaN'); EXECUTE at_least(NULL); EXECUTE at_least(0); EXECUTE at_least(-1);
RESET neardup.enable_similarity_join;

-- Without the extension, joins are pg_trgm's again.
DROP EXTENSION neardup_trgm;
SELECT uses_node('a.name % b.name');
DROP TABLE names, conditions, tenths;
DROP FUNCTION uses_node, same_rows, shown;
DROP EXTENSION pg_trgm;
