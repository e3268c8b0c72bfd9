--
-- Comparisons of measures: what is planned, and that each keeps its own meaning at every number.
--

-- The first statement of a session, by default settings.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS neardup_trgm;
RESET client_min_messages;
CREATE TABLE compared (id int PRIMARY KEY, owner int NOT NULL, t tokenset, name text, fp simhash) WITH (autovacuum_enabled = off);
INSERT INTO compared
    SELECT i, i % 3, CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN '{}' ELSE word_tokens(s) END, CASE WHEN i % 83 > 0 THEN left(s, 24) END,
           CASE WHEN i % 79 > 0 THEN simhash(word_tokens(s)) END
    FROM (SELECT i, (SELECT string_agg('w' || abs(hashint4(i / 3 * 100 + j + CASE WHEN j = i % 3 THEN i ELSE 0 END)) % 300, ' ') FROM generate_series(1, 3 + i % 7) j)
          FROM generate_series(1, 3000) i) g (i, s);
CREATE INDEX compared_t ON compared USING neardup (t);
CREATE INDEX compared_name ON compared USING neardup (name trgm_ops);
CREATE INDEX compared_edit ON compared USING neardup (name edit_ops);
CREATE INDEX compared_fp ON compared USING spgist (fp);
ANALYZE compared;

-- Whether a statement is a lookup or a join, and how many rows the planner expects: a third of the table is none.
CREATE FUNCTION plan_of(query text, most float8, OUT plan text, OUT rows text) LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
        rows := coalesce(rows, CASE WHEN substring(line, 'rows=(\d+)')::float8 <= most THEN 'few' ELSE 'many' END);
        plan := coalesce(plan, substring(line, 'Similarity Join'), substring(line, 'Index Scan (?:using|on) (\w+)'));
    END LOOP;
END $$;
\c -
EXPLAIN (COSTS off) SELECT a.id, b.id FROM compared a JOIN compared b ON jaccard(a.t, b.t) > 0.8 AND a.id < b.id;
\c -
EXPLAIN (COSTS off) SELECT id FROM compared WHERE jaccard(t, '{1,2}') > 0.8;
\c -
EXPLAIN (COSTS off) SELECT id FROM compared WHERE 1 - cosine('{1,2}', t) <= 0.2;
\c -
EXPLAIN (COSTS off) SELECT id FROM compared WHERE idf_jaccard(t, '{1,2}', '{*:1,1:2}') > 0.8;
\c -
EXPLAIN (COSTS off) SELECT id FROM compared WHERE similarity(name, 'w123 w45') > 0.8;
\c -
EXPLAIN (COSTS off) SELECT id FROM compared WHERE 2 > edit_distance(name, 'w123 w45 w67');
\c -
EXPLAIN (COSTS off) SELECT id FROM compared WHERE fp <~> '00000000000000ff' < 4;

CREATE TEMP TABLE form (n serial, condition text, column_name text);
INSERT INTO form (condition, column_name)
    SELECT replace(c, 'M', m), 't'
    FROM unnest('{jaccard,cosine,dice,containment}'::text[]) m,
         string_to_table('M(X, Y) > #;M(X, Y) >= #;# < M(Y, X);# <= M(Y, X);M(X, Y) = #;M(X, Y) BETWEEN # AND 2 * #;1 - M(X, Y) < 1 - #;1 - # >= 1 - M(X, Y);M(X, Y)::real >= #;M(X, Y)::numeric > #::numeric', ';') c;
INSERT INTO form (condition, column_name)
    SELECT c, 't' FROM string_to_table('overlap(X, Y) > #;overlap(X, Y) >= #;#::int4 = overlap(X, Y);overlap(X, Y) >= #::int8;hamming(X, Y) < #;hamming(X, Y) <= #;# > hamming(Y, X);hamming(X, Y) = #::int2;X <%> Y < #;X <=> Y <= #;X <@>> Y < #;X <<@> Y <= #;# > jaccard_distance(Y, X);1 - (1 - jaccard(X, Y)) >= #;jaccard(X, Y)::real::numeric >= #;1 - (X <%> Y)::real > #', ';') c;
INSERT INTO form (condition, column_name)
    SELECT c, 'name' FROM string_to_table('similarity(X, Y) > #;similarity(X, Y) >= #;#::real <= similarity(Y, X);similarity(X, Y) = #::real;1 - similarity(X, Y) < 1 - #;X <-> Y < #;#::real >= X <-> Y;edit_distance(X, Y) < #::int;edit_distance(X, Y) <= #::int;#::int8 > edit_distance(Y, X);edit_distance(X, Y) = #::int', ';') c;
INSERT INTO form (condition, column_name)
    SELECT c, 'fp' FROM string_to_table('simhash_distance(X, Y) < #;simhash_distance(X, Y) <= #;X <~> Y < #;# >= Y <~> X', ';') c;
ALTER TABLE form ADD typical text;
UPDATE form SET typical = CASE WHEN condition ~ '1 - \(' THEN '0.8' WHEN condition ~ 'overlap' THEN '6' WHEN condition ~ 'hamming|simhash|<~>|edit' THEN '2' WHEN condition ~ 'distance|<->|<%>|<=>|<@>>|<<@>' THEN '0.2' ELSE '0.8' END;

-- What is not planned so: joins with an equality, of which most pairs are none; BETWEEN is few by itself.
SELECT condition, lookup.plan AS lookup, lookup.rows, joined.plan AS joined, joined.rows
FROM form,
     LATERAL plan_of(format('SELECT id FROM compared WHERE %s', replace(replace(replace(condition, '#', typical), 'X', column_name), 'Y',
         CASE column_name WHEN 't' THEN '''{11,12,13,14}''::tokenset' WHEN 'fp' THEN '''00000000000000ff''::simhash' ELSE '''w123 w45 w67''::text' END)), 100) lookup,
     LATERAL plan_of(format('SELECT a.id, b.id FROM compared a JOIN compared b ON %s',
         replace(replace(replace(condition, '#', typical), 'X', 'a.' || column_name), 'Y', 'b.' || column_name)), 100000) joined
ORDER BY n;

-- Each form at many numbers: by the index and by the join node, with constants, parameters and the outer rows of a nested loop, as by neither.
SET jit = off;
CREATE TABLE small AS SELECT id, owner, CASE WHEN id = 5 THEN '{}' ELSE t END AS t, CASE WHEN id = 5 THEN '' ELSE name END AS name, fp FROM compared WHERE id <= 60;
INSERT INTO small SELECT id + 1000, owner, CASE WHEN id % 2 = 0 THEN '{}'::tokenset END, CASE WHEN id % 2 = 0 THEN '' END, NULL FROM small WHERE id < 5;
CREATE INDEX small_t ON small USING neardup (t);
CREATE INDEX small_gin ON small USING gin (t);
CREATE INDEX small_owner ON small USING neardup (owner, t);
CREATE INDEX small_name ON small USING neardup (name trgm_ops);
CREATE INDEX small_edit ON small USING neardup (name edit_ops);
CREATE INDEX small_fp ON small USING spgist (fp);
ANALYZE small;
-- Runs a statement by index or node, and by neither: what it returns, and how many rows differ.
CREATE FUNCTION try_comparison(kind text, condition text, column_name text, number text, OUT rows bigint, OUT differences bigint) LANGUAGE plpgsql AS $$
DECLARE
    number_cast text := CASE WHEN condition ~ '#::' THEN '(' || number || ')::float8' ELSE number || CASE WHEN number ~ '[''N]' THEN '::float8' ELSE '' END END;
    value text := CASE column_name WHEN 't' THEN '(SELECT t FROM small WHERE id = 7)' WHEN 'fp' THEN '(SELECT fp FROM small WHERE id = 7)' ELSE '(SELECT name FROM small WHERE id = 7)' END;
    query text; got record; want record;
BEGIN
    query := replace(replace(condition, 'X', 'a.' || column_name), 'Y', CASE WHEN kind IN ('lookup', 'scope') THEN value WHEN kind = 'param' THEN '$1' ELSE 'b.' || column_name END);
    query := replace(query, '#', CASE WHEN kind = 'param' THEN '$2' ELSE '(' || number_cast || ')' END);
    query := format(CASE kind WHEN 'lookup' THEN 'SELECT a.id::text FROM small a WHERE %s' WHEN 'param' THEN 'SELECT a.id::text FROM small a WHERE %s' WHEN 'scope' THEN 'SELECT a.id::text FROM small a WHERE owner = 1 AND %s'
        WHEN 'inner' THEN 'SELECT a.id || '' '' || b.id FROM small a JOIN small b ON %s' WHEN 'semi' THEN 'SELECT a.id::text FROM small a WHERE EXISTS (SELECT FROM small b WHERE a.id < b.id AND %s)'
        WHEN 'left' THEN 'SELECT concat(a.id, '' '', b.id) FROM small a LEFT JOIN small b ON a.owner = b.owner AND %s' WHEN 'anti' THEN 'SELECT a.id::text FROM small a WHERE NOT EXISTS (SELECT FROM small b WHERE a.id < b.id AND %s)' END, query);
    query := format('SELECT count(*), md5(string_agg(q::text, '' '' ORDER BY q::text)) FROM (%s) q', query);
    IF kind = 'param' THEN
        EXECUTE format('PREPARE compared_by (%s, float8) AS %s', CASE column_name WHEN 't' THEN 'tokenset' WHEN 'fp' THEN 'simhash' ELSE 'text' END, query);
        EXECUTE 'SELECT quote_nullable(' || value || ')' INTO value;
        query := format('EXECUTE compared_by (%s, %s)', value, number_cast);
        SET LOCAL plan_cache_mode = force_generic_plan;
    END IF;
    SET LOCAL enable_seqscan = off;
    SET LOCAL neardup.enable_similarity_join = on;
    EXECUTE query INTO got;
    SET LOCAL enable_seqscan = on;
    SET LOCAL enable_indexscan = off;
    SET LOCAL enable_bitmapscan = off;
    SET LOCAL neardup.enable_similarity_join = off;
    EXECUTE query INTO want;
    SET LOCAL enable_indexscan = on;
    SET LOCAL enable_bitmapscan = on;
    SET LOCAL neardup.enable_similarity_join = on;
    IF kind = 'param' THEN
        DEALLOCATE compared_by;
    END IF;
    rows := want.count;
    differences := (got IS DISTINCT FROM want)::int;
    IF differences > 0 THEN
        RAISE NOTICE '% rows, not %: %', got.count, rows, query;
    END IF;
END $$;
SELECT number, count(*) AS statements, sum(rows) AS rows, sum(differences) AS differences
FROM (VALUES (1, '-1'), (2, '0'), (3, '0.25'), (4, '2/3.0'), (5, '0.8'), (6, '1'), (7, '2'), (8, '30'), (9, '''NaN'''), (10, '''Infinity'''), (11, 'NULL')) v (n, number),
     form, unnest('{lookup,param,scope,inner,semi,left,anti}'::text[]) kind, LATERAL try_comparison(kind, condition, column_name, number) t
WHERE (form.n + v.n) % 4 = 0 AND NOT (condition ~ '::int' AND (number ~ '[.N]' OR number ~ 'Inf')) GROUP BY v.n, number ORDER BY v.n;

-- Up to four casts and complements between a measure and its comparison round the value: at the values themselves, by index and node, as by neither.
CREATE TABLE chained (id int PRIMARY KEY, t tokenset, name text);
INSERT INTO chained SELECT 10 * n + k, ARRAY(SELECT generate_series(n, n + 2 * k))::tokenset, left('abcdefghijklmno', n) || left('xyz', k) FROM generate_series(1, 9) n, generate_series(0, 3) k;
CREATE INDEX ON chained USING neardup (t);
CREATE INDEX ON chained USING neardup (name trgm_ops);
ANALYZE chained;
CREATE TEMP TABLE chain AS
    WITH RECURSIVE step (form) AS (VALUES ('1 - (@)'), ('(@)::real'), ('(@)::numeric'), ('1.0 - (@)::numeric'), ('1::real - (@)::real')),
         chain (form, steps) AS (SELECT form, 1 FROM step UNION ALL SELECT replace(step.form, '@', chain.form), steps + 1 FROM chain, step WHERE steps < 4)
    SELECT n, form, array_length(string_to_array(form, ' - '), 1) % 2 = 0 AS is_complement
    FROM (SELECT *, row_number() OVER (ORDER BY form COLLATE "C") AS n FROM chain) c WHERE steps < 3 OR n % 16 = 0;
CREATE FUNCTION count_by(settings text, query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE result bigint;
BEGIN
    PERFORM set_config(s, 'off', true) FROM string_to_table(settings, ' ') s;
    EXECUTE query INTO result;
    PERFORM set_config(s, 'on', true) FROM string_to_table(settings, ' ') s;
    RETURN result;
END $$;
CREATE FUNCTION try_chain(form text, operator text, measure text, OUT rows bigint, OUT differences bigint) LANGUAGE plpgsql AS $$
DECLARE
    value text := replace(form, '@', format(measure, 'a', 'b'));
    found bigint; number text; query text;
BEGIN
    SELECT 0, 0 INTO rows, differences;
    FOR number IN EXECUTE format('SELECT DISTINCT quote_literal(%s) FROM chained a, chained b WHERE a.id IN (52, 73, 92) AND b.id = 62', value) LOOP
        FOREACH query IN ARRAY ARRAY[format('SELECT count(*) FROM chained a WHERE %s %s %s', replace(value, 'b.', '(SELECT b FROM chained b WHERE id = 62).'), operator, number),
                                     format('SELECT count(*) FROM chained a JOIN chained b ON %s %s %s AND a.id < b.id', value, operator, number)] LOOP
            found := count_by('enable_indexscan enable_bitmapscan neardup.enable_similarity_join', query);
            rows := rows + found;
            differences := differences + (found IS DISTINCT FROM count_by('enable_seqscan enable_nestloop', query))::int;
        END LOOP;
    END LOOP;
END $$;
SELECT measure, operator, count(*) AS chains, sum(rows) AS rows, sum(differences) AS differences
FROM chain, unnest('{"jaccard(%s.t, %s.t)","cosine(%s.t, %s.t)","similarity(%s.name, %s.name)"}'::text[]) measure,
     LATERAL (SELECT CASE n % 3 WHEN 0 THEN '=' WHEN 1 THEN CASE WHEN is_complement THEN '<' ELSE '>' END ELSE CASE WHEN is_complement THEN '<=' ELSE '>=' END END) o (operator),
     LATERAL try_chain(form, operator, measure) t
GROUP BY measure, operator ORDER BY measure, operator;

-- What a hint would have to compute is computed by the comparison first, and again only for rows of which that is true: a threshold, also by a sub-select, weights, a set of many tokens; but not a cast.
CREATE TABLE guarded AS SELECT i AS id, i % 5 AS z, (i % 7)::real / 7 AS r, ARRAY[i % 50, i % 70, i % 11]::tokenset AS t, repeat('a' || i || ' ', 3) AS body FROM generate_series(1, 2000) i;
ANALYZE guarded;
CREATE FUNCTION threshold_of(int) RETURNS float8 LANGUAGE plpgsql STABLE AS 'BEGIN RETURN 0.5; END';
CREATE FUNCTION weights_of(int) RETURNS token_weights LANGUAGE plpgsql STABLE AS $$BEGIN RETURN '{*:1,1:2}'; END$$;
EXPLAIN (COSTS OFF) SELECT FROM guarded WHERE jaccard(t, '{1,2,3}') > threshold_of(z);
EXPLAIN (COSTS OFF) SELECT FROM guarded WHERE idf_jaccard(t, '{1,2,3}', weights_of(z)) > 0.5;
EXPLAIN (COSTS OFF) SELECT FROM guarded WHERE jaccard(t, '{1,2,3}') > r;
DO $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT FROM guarded WHERE jaccard(word_tokens(body), %L) > 0.5', ARRAY(SELECT generate_series(1, 9000))::tokenset) LOOP
        RAISE NOTICE '%', regexp_replace(line, '\{[\d,]*\}', '{1,...}', 'g');
    END LOOP;
END $$;
SELECT count(*) FROM guarded WHERE id < 0 AND jaccard(t, '{1,2,3}') > (SELECT 1.0::float8 / (z - z) FROM guarded LIMIT 1);
SELECT count(*) FROM guarded WHERE id < 0 AND jaccard(t, (SELECT tokenset(ARRAY[1 / (z - z)]) FROM guarded LIMIT 1)) > 0.5;
SELECT count(*) FROM guarded WHERE abs(z) + abs(z) + abs(z) > 0 AND jaccard(t, '{1,2,3}') > 1.0::float8 / z;
SELECT count(*) FROM guarded WHERE z > 0 AND idf_jaccard(t, '{1,2,3}', ('{*:1,1:' || 1 / z || '}')::token_weights) > 0.4;

SET client_min_messages = warning;
DROP TABLE compared, small, chained, guarded;
DROP EXTENSION neardup_trgm;
DROP EXTENSION pg_trgm;
