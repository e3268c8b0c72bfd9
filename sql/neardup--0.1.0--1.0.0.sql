\echo Use "ALTER EXTENSION neardup UPDATE" to load this file. \quit

CREATE FUNCTION prefix_tokens(tokens tokenset, threshold float8, measure text DEFAULT 'jaccard', frequent bigint[] DEFAULT '{}',
    OUT token bigint, OUT "position" int4)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'prefix_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20 ROWS 10;

COMMENT ON FUNCTION prefix_tokens(tokenset, float8, text, bigint[]) IS
'the first tokens of a set, with their position, in an order that has the frequent ones last, as they stand: sets that reach the threshold share one of them';

CREATE TYPE token_weights;

COMMENT ON TYPE token_weights IS 'weights of tokens by their rarity, for idf_jaccard and idf_cosine';

CREATE FUNCTION token_weights_in(cstring) RETURNS token_weights
AS 'MODULE_PATHNAME', 'token_weights_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION token_weights_in(cstring) IS 'I/O';

CREATE FUNCTION token_weights_out(token_weights) RETURNS cstring
AS 'MODULE_PATHNAME', 'token_weights_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION token_weights_out(token_weights) IS 'I/O';

CREATE FUNCTION token_weights_recv(internal) RETURNS token_weights
AS 'MODULE_PATHNAME', 'token_weights_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION token_weights_recv(internal) IS 'I/O';

CREATE FUNCTION token_weights_send(token_weights) RETURNS bytea
AS 'MODULE_PATHNAME', 'token_weights_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION token_weights_send(token_weights) IS 'I/O';

CREATE TYPE token_weights (
    INPUT = token_weights_in,
    OUTPUT = token_weights_out,
    RECEIVE = token_weights_recv,
    SEND = token_weights_send,
    ALIGNMENT = double,
    STORAGE = external
);

CREATE FUNCTION token_weights_transition(bytea, tokenset) RETURNS bytea
AS 'MODULE_PATHNAME', 'token_weights_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;

COMMENT ON FUNCTION token_weights_transition(bytea, tokenset) IS 'transition function of token_weights';

CREATE FUNCTION token_weights_combine(bytea, bytea) RETURNS bytea
AS 'MODULE_PATHNAME', 'token_weights_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

COMMENT ON FUNCTION token_weights_combine(bytea, bytea) IS 'combine function of token_weights';

CREATE FUNCTION token_weights_final(bytea) RETURNS token_weights
AS 'MODULE_PATHNAME', 'token_weights_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;

COMMENT ON FUNCTION token_weights_final(bytea) IS 'final function of token_weights';

CREATE AGGREGATE token_weights(tokens tokenset) (
    SFUNC = token_weights_transition,
    STYPE = bytea,
    SSPACE = 8192,
    FINALFUNC = token_weights_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = token_weights_combine,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE token_weights(tokenset) IS
'weights ln(N / df) of the tokens of N sets, of which df have the token; NULL where there is no set';

CREATE FUNCTION idf_jaccard(a tokenset, b tokenset, weights token_weights) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_idf_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION idf_jaccard(a tokenset, b tokenset, weights token_weights) IS
'sum of the weights of a & b / sum of the weights of a | b; 0 where a sum is 0';

CREATE FUNCTION idf_cosine(a tokenset, b tokenset, weights token_weights) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_idf_cosine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION idf_cosine(a tokenset, b tokenset, weights token_weights) IS
'sum of the squared weights of a & b / sqrt(that of a * that of b); 0 where a sum is 0';

CREATE FUNCTION idf_jaccard_ge(a tokenset, b tokenset, weights token_weights, threshold float8) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_idf_jaccard_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION idf_jaccard_ge(a tokenset, b tokenset, weights token_weights, threshold float8) IS
'whether idf_jaccard(a, b, weights) >= threshold';

CREATE FUNCTION idf_cosine_ge(a tokenset, b tokenset, weights token_weights, threshold float8) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_idf_cosine_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION idf_cosine_ge(a tokenset, b tokenset, weights token_weights, threshold float8) IS
'whether idf_cosine(a, b, weights) >= threshold';

CREATE FUNCTION edit_distance_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'edit_distance_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION edit_distance_support(internal) IS 'planner support of edit_distance';

CREATE FUNCTION edit_within_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'edit_within_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION edit_within_support(internal) IS 'planner support of edit_within';

CREATE FUNCTION edit_distance(a text, b text) RETURNS int4
AS 'MODULE_PATHNAME', 'edit_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50
    SUPPORT edit_distance_support;

COMMENT ON FUNCTION edit_distance(a text, b text) IS 'Levenshtein distance: insertions, deletions and substitutions of characters';

CREATE FUNCTION edit_distance(a text, b text, max_distance int4) RETURNS int4
AS 'MODULE_PATHNAME', 'edit_distance_at_most' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;

COMMENT ON FUNCTION edit_distance(a text, b text, max_distance int4) IS 'Levenshtein distance, or max_distance + 1 if it is greater than max_distance';

CREATE FUNCTION edit_within(a text, b text, max_distance int4) RETURNS boolean
AS 'MODULE_PATHNAME', 'edit_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50
    SUPPORT edit_within_support;

COMMENT ON FUNCTION edit_within(a text, b text, max_distance int4) IS 'whether edit_distance(a, b) <= max_distance';

CREATE FUNCTION damerau_levenshtein(a text, b text) RETURNS int4
AS 'MODULE_PATHNAME', 'damerau_levenshtein' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;

COMMENT ON FUNCTION damerau_levenshtein(a text, b text) IS 'Damerau-Levenshtein distance, unrestricted: also transpositions of adjacent characters';

CREATE FUNCTION jaro_similarity(a text, b text) RETURNS float8
AS 'MODULE_PATHNAME', 'jaro_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;

COMMENT ON FUNCTION jaro_similarity(a text, b text) IS 'Jaro similarity of short texts, from 0 to 1';

CREATE FUNCTION jaro_winkler_similarity(a text, b text) RETURNS float8
AS 'MODULE_PATHNAME', 'jaro_winkler_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;

COMMENT ON FUNCTION jaro_winkler_similarity(a text, b text) IS 'Jaro similarity, raised by a common prefix of up to four characters where it is above 0.7';

CREATE FUNCTION knn_join(
    query text, k integer, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a bigint, OUT b bigint, OUT similarity float8, OUT rank integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'knn_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION knn_join(text, integer, float8, text) IS
'self-join: for each row of the query (key, set) the k most similar rows of another key, at least as similar as the threshold, ties by b';

CREATE FUNCTION knn_join(
    query_a text, query_b text, k integer, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a bigint, OUT b bigint, OUT similarity float8, OUT rank integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'knn_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION knn_join(text, text, integer, float8, text) IS
'R-S join: for each row of the first query the k most similar rows of the second, at least as similar as the threshold, ties by b';

CREATE FUNCTION knn_join_keyed(
    key_type anyelement, query text, k integer, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a anyelement, OUT b anyelement, OUT similarity float8, OUT rank integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'knn_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION knn_join_keyed(anyelement, text, integer, float8, text) IS
'knn_join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION knn_join_keyed(
    key_type anyelement, query_a text, query_b text, k integer, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a anyelement, OUT b anyelement, OUT similarity float8, OUT rank integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'knn_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION knn_join_keyed(anyelement, text, text, integer, float8, text) IS
'R-S knn_join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION match_join(
    query text, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_join(text, float8, text) IS
'self-join one to one: pairs of rows of the query (key, set) from the most similar down, ties by a, b, each row in at most one';

CREATE FUNCTION match_join(
    query_a text, query_b text, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_join(text, text, float8, text) IS
'R-S join one to one: pairs of a row of the first and a row of the second query from the most similar down, ties by a, b, each row in at most one';

CREATE FUNCTION match_join_keyed(
    key_type anyelement, query text, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_join_keyed(anyelement, text, float8, text) IS
'match_join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION match_join_keyed(
    key_type anyelement, query_a text, query_b text, min_similarity float8, measure text DEFAULT 'jaccard',
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_join_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_join_keyed(anyelement, text, text, float8, text) IS
'R-S match_join with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION neardup_estimate(
    query text, thresholds float8[], measure text DEFAULT 'jaccard',
    OUT threshold float8, OUT pairs bigint, OUT pairs_low bigint, OUT pairs_high bigint,
    OUT seconds float8, OUT memory_bytes bigint, OUT temp_bytes bigint,
    OUT query_rows bigint, OUT sampled_rows bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'neardup_estimate'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 10;

COMMENT ON FUNCTION neardup_estimate(text, float8[], text) IS
'what the self-join of a query would find and take at each threshold: pairs with an interval, seconds of one process, bytes of memory and of temporary files, from a sample that takes a second or two';

CREATE FUNCTION tokenset_signature(tokens tokenset, bits int4) RETURNS bytea
AS 'MODULE_PATHNAME', 'tokenset_signature' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

COMMENT ON FUNCTION tokenset_signature(tokenset, int4) IS
'64, 128, 256 or 512 bits, one toggled by each token: those of two sets differ in at most as many as their tokens';

CREATE FUNCTION tokenset_signature_bits(threshold float8, measure text, mean_size float8) RETURNS int4
AS 'MODULE_PATHNAME', 'tokenset_signature_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION tokenset_signature_bits(float8, text, float8) IS
'how many bits of signature tell most sets of this mean size from those that reach the threshold';

CREATE FUNCTION posting_list_transition(internal, bigint, int4, int4, bytea, int4, int4) RETURNS internal
AS 'MODULE_PATHNAME', 'posting_list_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION posting_list_transition(internal, bigint, int4, int4, bytea, int4, int4) IS 'transition function of posting_list_agg';

CREATE FUNCTION posting_list_final(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'posting_list_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION posting_list_final(internal) IS 'final function of posting_list_agg';

CREATE AGGREGATE posting_list_agg(key bigint, size int4, "position" int4, signature bytea, side int4, part int4) (
    SFUNC = posting_list_transition,
    STYPE = internal,
    SSPACE = 256,
    FINALFUNC = posting_list_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE posting_list_agg(bigint, int4, int4, bytea, int4, int4) IS
'the sets that have a token, for posting_pairs; side: 0 of a self-join, else 1 (left) and 2 (right); part: 0, or 1 and 2 of which only pairs across are wanted';

CREATE FUNCTION posting_pairs(list bytea, threshold float8, measure text DEFAULT 'jaccard', OUT a bigint, OUT b bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'posting_pairs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;

COMMENT ON FUNCTION posting_pairs(bytea, float8, text) IS
'candidates: the pairs of a token''s postings that may reach the threshold, by sizes, positions and signatures';

CREATE FUNCTION simhash_posting_pairs(list bytea, k int4, OUT a bigint, OUT b bigint, OUT distance int4)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'simhash_posting_pairs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;

COMMENT ON FUNCTION simhash_posting_pairs(bytea, int4) IS
'the pairs of a block key''s postings whose signatures, simhashes, differ in at most k bits';

CREATE FUNCTION match_pairs(
    query text,
    OUT a bigint, OUT b bigint, OUT score float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_pairs'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_pairs(text) IS
'one to one: pairs (a, b, score) of the query from the highest score down, ties by a, b, each a and each b in at most one';

CREATE FUNCTION match_pairs_keyed(
    key_type anyelement, query text,
    OUT a anyelement, OUT b anyelement, OUT score float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_pairs_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_pairs_keyed(anyelement, text) IS
'match_pairs with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION near_duplicates(
    rel regclass, key name, text name, threshold float8,
    tokens text DEFAULT NULL, keep text DEFAULT NULL, mode text DEFAULT 'star',
    measure text DEFAULT 'jaccard',
    OUT id bigint, OUT duplicate_of bigint, OUT similarity float8, OUT kind text, OUT cluster bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'near_duplicates'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION near_duplicates(regclass, name, name, float8, text, text, text, text) IS
'the rows of a table that are copies or near-duplicates of a row that is kept; tokens: an SQL expression, keep: an ORDER BY list, mode: star, complete or connected, measure: of similarity';

CREATE FUNCTION near_duplicates_keyed(
    key_type anyelement, rel regclass, key name, text name, threshold float8,
    tokens text DEFAULT NULL, keep text DEFAULT NULL, mode text DEFAULT 'star',
    measure text DEFAULT 'jaccard',
    OUT id anyelement, OUT duplicate_of anyelement, OUT similarity float8, OUT kind text, OUT cluster anyelement)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'near_duplicates_keyed'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION near_duplicates_keyed(anyelement, regclass, name, name, float8, text, text, text, text) IS
'near_duplicates with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION pairs_quality(
    found_query text, true_query text, ordered boolean DEFAULT false,
    OUT found_pairs bigint, OUT true_pairs bigint, OUT common_pairs bigint,
    OUT "precision" float8, OUT recall float8, OUT f1 float8)
RETURNS record
LANGUAGE plpgsql STABLE PARALLEL UNSAFE COST 100000 AS $$
DECLARE
    both_ways pg_catalog.text := 'SELECT q.a, q.b';
BEGIN
    IF found_query IS NULL OR true_query IS NULL OR ordered IS NULL THEN
        RAISE EXCEPTION 'arguments of pairs_quality must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF NOT ordered THEN
        both_ways := 'SELECT LEAST(q.a, q.b) AS a, GREATEST(q.a, q.b) AS b';
    END IF;
    EXECUTE pg_catalog.format($q$
        WITH pairs AS (
            SELECT p.a, p.b, pg_catalog.bool_or(p.is_found) AS is_found, pg_catalog.bool_or(NOT p.is_found) AS is_true
            FROM (SELECT f.a, f.b, true AS is_found FROM (%1$s FROM (%2$s
                  ) AS q (a, b) WHERE q.a IS NOT NULL AND q.b IS NOT NULL) AS f
                  UNION ALL
                  SELECT t.a, t.b, false FROM (%1$s FROM (%3$s
                  ) AS q (a, b) WHERE q.a IS NOT NULL AND q.b IS NOT NULL) AS t) AS p
            GROUP BY p.a, p.b)
        SELECT pg_catalog.count(*) FILTER (WHERE p.is_found), pg_catalog.count(*) FILTER (WHERE p.is_true),
               pg_catalog.count(*) FILTER (WHERE p.is_found AND p.is_true)
        FROM pairs AS p WHERE $1 OR ROW(p.a)::pg_catalog.record OPERATOR(pg_catalog.*<>) ROW(p.b)::pg_catalog.record
        $q$, both_ways, pg_catalog.rtrim(found_query, E'; \t\r\n'), pg_catalog.rtrim(true_query, E'; \t\r\n'))
    INTO found_pairs, true_pairs, common_pairs USING ordered;
    IF found_pairs OPERATOR(pg_catalog.>) 0 THEN
        "precision" := common_pairs::pg_catalog.float8 OPERATOR(pg_catalog./) found_pairs::pg_catalog.float8;
    END IF;
    IF true_pairs OPERATOR(pg_catalog.>) 0 THEN
        recall := common_pairs::pg_catalog.float8 OPERATOR(pg_catalog./) true_pairs::pg_catalog.float8;
    END IF;
    IF (found_pairs OPERATOR(pg_catalog.+) true_pairs) OPERATOR(pg_catalog.>) 0 THEN
        f1 := (common_pairs OPERATOR(pg_catalog.+) common_pairs)::pg_catalog.float8
              OPERATOR(pg_catalog./) (found_pairs OPERATOR(pg_catalog.+) true_pairs)::pg_catalog.float8;
    END IF;
END $$;

COMMENT ON FUNCTION pairs_quality(text, text, boolean) IS
'precision, recall and F1 of the pairs that a query finds against those that are true; the first two columns of each query are the pair; ordered: (a, b) and (b, a) differ, as between two tables';

CREATE FUNCTION neardup_track_entry(rel regclass) RETURNS neardup_tracked
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry @extschema@.neardup_tracked;
BEGIN
    IF NOT pg_has_role((SELECT c.relowner FROM pg_class AS c WHERE c.oid = rel), 'USAGE') THEN
        RAISE EXCEPTION 'must be owner of table %', rel USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT * INTO entry FROM @extschema@.neardup_tracked AS t WHERE t.rel = neardup_track_entry.rel;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not tracked', rel
            USING ERRCODE = 'undefined_object', HINT = 'Call neardup_track first.';
    END IF;
    RETURN entry;
END $$;

COMMENT ON FUNCTION neardup_track_entry(regclass) IS
'tracking: the entry of a table, for its owner';

CREATE FUNCTION neardup_track_write() RETURNS trigger
AS 'MODULE_PATHNAME', 'neardup_track_write'
LANGUAGE C VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET row_security = off SET enable_seqscan = off SET jit = off;

COMMENT ON FUNCTION neardup_track_write() IS
'trigger of tracked tables: records with the rights of the table''s owner what a statement has written';

CREATE OR REPLACE FUNCTION neardup_track_create(
    rel regclass, key name, probe regclass, threshold float8, mode text)
RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    class pg_class;
    schema name;
    base text;
    expression text := pg_get_indexdef(probe, 1, false);
    members text;
    state text;
    log text;
    source text;
    object text;
    present text;
    drops text;
    other regclass;
BEGIN
    SELECT c.* INTO class FROM pg_class AS c WHERE c.oid = rel;
    SELECT n.nspname INTO schema FROM pg_namespace AS n WHERE n.oid = class.relnamespace;
    base := class.relname;
    WHILE octet_length(base) > 48 LOOP
        base := left(base, -1);
    END LOOP;
    members := format('%I.%I', schema, base || '_neardup');
    state := format('%I.%I', schema, base || '_neardup_state');
    log := format('%I.%I', schema, base || '_neardup_log');
    source := format('%I.%I', schema, base || '_neardup_source');

    -- The extension or an earlier table of the name may have been dropped with CASCADE, which leaves its tables.
    SELECT string_agg(format('%s %s', o.type, o.identity), ', ' ORDER BY e.place),
           string_agg(format('DROP %s %s;', upper(o.type), o.identity), ' ' ORDER BY e.place)
    INTO present, drops
    FROM (
        SELECT 1 AS place, 'pg_trigger'::regclass AS class, g.oid AS object FROM pg_trigger AS g
        WHERE g.tgrelid = rel AND g.tgname IN ('neardup_insert', 'neardup_update', 'neardup_delete', 'neardup_truncate')
        UNION ALL
        SELECT 1 + n.place, 'pg_class'::regclass, to_regclass(n.relation)
        FROM unnest(ARRAY[source, members, state, log]) WITH ORDINALITY AS n (relation, place)
    ) AS e, pg_identify_object(e.class, e.object, 0) AS o
    WHERE e.object IS NOT NULL;
    IF present IS NOT NULL THEN
        -- A tracked table may have been renamed, and another have its name now.
        SELECT t.rel INTO other
        FROM @extschema@.neardup_tracked AS t JOIN pg_class AS c ON c.oid = t.rel
        WHERE t.members = to_regclass(format('%I.%I', schema, base || '_neardup'));
        RAISE EXCEPTION 'cannot track table %', rel
            USING ERRCODE = 'duplicate_object', DETAIL = format('There already are: %s.', present),
                  HINT = CASE WHEN other IS NULL THEN format('If an earlier tracking has left them, drop them: %s', drops)
                              ELSE format('Table %s is tracked with them. Rename the table that is not tracked.', other) END;
    END IF;

    EXECUTE format('DROP INDEX %s', probe);

    EXECUTE format('CREATE VIEW %s AS SELECT %I AS key, coalesce(%s, ''{}''::@extschema@.tokenset) AS tokens FROM ONLY %s',
                   source, key, expression, rel);
    EXECUTE format('CREATE TABLE %s AS SELECT key, 0::bigint AS member, 0::bigint AS cluster, tokens FROM %s WITH NO DATA', members, source);
    EXECUTE format('ALTER TABLE %s ADD PRIMARY KEY (key), ALTER member SET NOT NULL, ALTER cluster SET NOT NULL,
                    ALTER tokens SET NOT NULL, ALTER member ADD GENERATED BY DEFAULT AS IDENTITY', members);
    EXECUTE format('CREATE TABLE %s (single boolean PRIMARY KEY DEFAULT true CHECK (single), frequent bigint[] NOT NULL DEFAULT ''{}'',
                    frozen bigint NOT NULL DEFAULT 0)', state);
    EXECUTE format('INSERT INTO %s DEFAULT VALUES', state);
    EXECUTE format('CREATE TABLE %s (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp(),
                    event text NOT NULL CHECK (event IN (''merge'', ''split'')), cluster bigint NOT NULL, other bigint NOT NULL,
                    members bigint NOT NULL)', log);
    EXECUTE format('COMMENT ON TABLE %s IS %L', members, format('near-duplicates of %s: the set of each row, and its cluster', rel));
    EXECUTE format('COMMENT ON TABLE %s IS %L', state, format('near-duplicates of %s: the tokens that come last in the order of locks', rel));
    EXECUTE format('COMMENT ON TABLE %s IS %L', log, format('near-duplicates of %s: merges and splits of clusters', rel));
    EXECUTE format('COMMENT ON VIEW %s IS %L', source, format('near-duplicates of %s: key and set of each row', rel));

    EXECUTE format('CREATE TRIGGER neardup_insert AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.neardup_track_write()', rel);
    EXECUTE format('CREATE TRIGGER neardup_update AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.neardup_track_write()', rel);
    EXECUTE format('CREATE TRIGGER neardup_delete AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows
                    FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.neardup_track_write()', rel);
    EXECUTE format('CREATE TRIGGER neardup_truncate AFTER TRUNCATE ON %s
                    FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.neardup_track_write()', rel);

    IF pg_get_userbyid(class.relowner) <> current_user THEN
        FOREACH object IN ARRAY ARRAY['TABLE ' || members, 'TABLE ' || state, 'TABLE ' || log, 'VIEW ' || source] LOOP
            EXECUTE format('ALTER %s OWNER TO %I', object, pg_get_userbyid(class.relowner));
        END LOOP;
    END IF;
    -- Entries of tables that are no more.
    DELETE FROM @extschema@.neardup_tracked AS t WHERE NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = t.rel);
    INSERT INTO @extschema@.neardup_tracked
    VALUES (rel, threshold, mode, members::regclass, state::regclass, log::regclass, source::regclass);

    PERFORM @extschema@.neardup_refresh(rel);
    EXECUTE format('CREATE INDEX ON %s (cluster, member)', members);
    EXECUTE format('CREATE INDEX ON %s USING neardup (tokens @extschema@.tokenset_ops)', members);
    EXECUTE format('ANALYZE %s', members);
    RETURN members::regclass;
END $$;

CREATE OR REPLACE FUNCTION neardup_refresh(
    rel regclass,
    OUT key text, OUT difference text, OUT recorded bigint, OUT computed bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'neardup_refresh'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off;

CREATE OR REPLACE FUNCTION neardup_untrack(rel regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry @extschema@.neardup_tracked := @extschema@.neardup_track_entry(rel);
    object text;
BEGIN
    FOR object IN
        SELECT format('TRIGGER %I ON %s', g.tgname, rel) FROM pg_trigger AS g
        WHERE g.tgrelid = rel AND g.tgfoid = '@extschema@.neardup_track_write()'::regprocedure
        UNION ALL
        SELECT format('%s %s', CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, c.oid::regclass) FROM pg_class AS c
        WHERE c.oid = ANY (ARRAY[entry.members, entry.state, entry.log, entry.source]::oid[])
    LOOP
        EXECUTE 'DROP ' || object;
    END LOOP;
    DELETE FROM @extschema@.neardup_tracked AS t WHERE t.rel = neardup_untrack.rel;
END $$;

DROP FUNCTION near_duplicates(rel regclass, key name, text name, threshold float8, tokens text, keep text, mode text);

DROP FUNCTION near_duplicates_keyed(key_type anyelement, rel regclass, key name, text name, threshold float8, tokens text, keep text, mode text);

DROP FUNCTION neardup_track_entry(rel regclass, acting boolean);

DROP FUNCTION neardup_track_lock(rel regclass);

DROP FUNCTION neardup_track_begin(entry neardup_tracked);

DROP FUNCTION neardup_track_equality(entry neardup_tracked);

DROP FUNCTION neardup_track_change(rel regclass, operation text);

DROP FUNCTION neardup_track_merge(entry neardup_tracked, edges_query text, newest bigint);

DROP FUNCTION neardup_track_relabel(entry neardup_tracked, clusters bigint[], newest bigint);

DROP FUNCTION neardup_track_connected(entry neardup_tracked, part bigint, former tokenset[], newest bigint);

DROP FUNCTION neardup_track_sync(rel regclass, keys anyarray);

DROP FUNCTION neardup_track_written(rel regclass, keys record);

DROP FUNCTION neardup_track_rebuild(rel regclass);

-- Tables that 0.1.0 tracks keep their clusters; what writes to them is made anew.
DO $$
DECLARE
    entry pg_catalog.record;
    object pg_catalog.text;
BEGIN
    FOR entry IN
        SELECT t.rel, t.members, t.state, g.tgfoid::pg_catalog.regprocedure AS function
        FROM @extschema@.neardup_tracked AS t
        JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) t.members::pg_catalog.oid
        JOIN pg_catalog.pg_trigger AS g
            ON g.tgrelid OPERATOR(pg_catalog.=) t.rel::pg_catalog.oid AND g.tgname OPERATOR(pg_catalog.=) 'neardup_lock'::pg_catalog.name
        -- A trigger of this name could be made with any function.
        JOIN pg_catalog.pg_proc AS p ON p.oid OPERATOR(pg_catalog.=) g.tgfoid AND p.prosecdef AND p.proowner OPERATOR(pg_catalog.=) c.relowner
    LOOP
        FOREACH object IN ARRAY ARRAY['neardup_lock', 'neardup_insert', 'neardup_update', 'neardup_delete', 'neardup_truncate'] LOOP
            EXECUTE pg_catalog.format('DROP TRIGGER IF EXISTS %I ON %s', object, entry.rel);
        END LOOP;
        EXECUTE pg_catalog.format('DROP FUNCTION %s', entry.function);
        EXECUTE pg_catalog.format('ALTER TABLE %s DROP COLUMN changes, ADD COLUMN frequent pg_catalog.int8[] NOT NULL DEFAULT ''{}'',
                                   ADD COLUMN frozen pg_catalog.int8 NOT NULL DEFAULT 0', entry.state);
        EXECUTE pg_catalog.format('COMMENT ON TABLE %s IS %L', entry.state,
                                  pg_catalog.replace(pg_catalog.obj_description(entry.state, 'pg_class'),
                                                     'the row that writers lock', 'the tokens that come last in the order of locks'));
        FOR object IN
            SELECT i.indexrelid::pg_catalog.regclass FROM pg_catalog.pg_index AS i
            JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) i.indexrelid
            JOIN pg_catalog.pg_am AS a ON a.oid OPERATOR(pg_catalog.=) c.relam
            WHERE i.indrelid OPERATOR(pg_catalog.=) entry.members::pg_catalog.oid AND a.amname OPERATOR(pg_catalog.=) ANY ('{gin,hash}'::pg_catalog.name[])
        LOOP
            EXECUTE pg_catalog.format('DROP INDEX %s', object);
        END LOOP;
        EXECUTE pg_catalog.format('CREATE INDEX ON %s USING neardup (tokens @extschema@.tokenset_ops)', entry.members);
        FOR object IN
            SELECT pg_catalog.format('neardup_%s AFTER %1$s ON %s %s', e.event, entry.rel, e.tables)
            FROM (VALUES ('insert', 'REFERENCING NEW TABLE AS new_rows'),
                         ('update', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows'),
                         ('delete', 'REFERENCING OLD TABLE AS old_rows'), ('truncate', '')) AS e (event, tables)
        LOOP
            EXECUTE pg_catalog.format('CREATE TRIGGER %s FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.neardup_track_write()', object);
        END LOOP;
        PERFORM @extschema@.neardup_refresh(entry.rel);
    END LOOP;
END $$;
