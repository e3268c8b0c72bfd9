--
-- clean: many rows at once, each inserted or found
--

-- As if one row after another were given to insert_or_find, but by joins. Which of the new rows stand for themselves is what
-- near_duplicates says in the mode star: a row does unless it is similar to an earlier one that does. A row that does not
-- count among others is none that others are similar to.

-- The rows are those of a temporary table: place, new_row, tokens, s1 and so on for the scope, counts; then what becomes of them.
CREATE FUNCTION clean_rows_table() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number int := 1;
BEGIN
    -- A trigger of the table may itself insert rows in this way, and whoever began the session may have tables of such names.
    WHILE num_nulls(to_regclass(format('pg_temp.neardup_rows_%s', number)), to_regclass(format('pg_temp.neardup_rows_%s_left', number))) < 2 LOOP
        number := number + 1;
    END LOOP;
    RETURN format('pg_temp.neardup_rows_%s', number);
END $$;
COMMENT ON FUNCTION clean_rows_table() IS
'internal: a name for a temporary table of new rows';

-- Marks the rows to be inserted of those that were not found in the table: inserted is true for these, and false for others.
CREATE FUNCTION clean_mark(search clean_search, batch text, threshold float8) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    columns text := (SELECT string_agg(format('s%s', s), ', ' ORDER BY s) FROM generate_series(1, cardinality(search.scope)) AS s);
    in_scope text := (SELECT coalesce(string_agg(format(' AND n.s%s IS NOT NULL', s), ''), '') FROM generate_series(1, cardinality(search.scope)) AS s);
BEGIN
    EXECUTE format('CREATE TEMP VIEW %s_left AS SELECT n.* FROM %s AS n WHERE n.key IS NULL AND n.counts AND @extschema@.cardinality(n.tokens) > 0%s',
                   substr(batch, length('pg_temp.') + 1), batch, in_scope);
    EXECUTE format('UPDATE %s AS n SET inserted = d.id IS NULL
                    FROM %1$s AS u LEFT JOIN @extschema@.near_duplicates(''%1$s_left''::regclass, ''place''::name, ''place''::name, $1, ''tokens''::text, ''place''::text, ''star''::text, $2, $3, $4) AS d ON d.id = u.place
                    WHERE u.place = n.place AND n.key IS NULL', batch)
    USING threshold, search.measure, columns,
          format('SELECT a.place, b.place FROM @extschema@.neardup_decided AS d JOIN %1$s AS a ON a.own OPERATOR(pg_catalog.=) d.key_a JOIN %1$s AS b ON b.own OPERATOR(pg_catalog.=) d.key_b
                  WHERE d.rel::pg_catalog.oid OPERATOR(pg_catalog.=) %2$s::pg_catalog.oid AND d.other::pg_catalog.oid OPERATOR(pg_catalog.=) %2$s::pg_catalog.oid', batch, search.rel::oid);
    EXECUTE format('DROP VIEW %s_left', batch);
    EXECUTE format('UPDATE %s AS n SET inserted = false
                    WHERE n.inserted AND n.counts IS NOT TRUE AND EXISTS (
                        SELECT FROM %1$s AS t WHERE t.inserted AND t.counts AND t.place < n.place AND %s%s AND %s)', batch,
                   @extschema@.clean_is_similar(search, 't.tokens'::text, '$2'::text), @extschema@.clean_same_scope(search, false), @extschema@.clean_undecided(search.rel, 't.own'::text)) USING NULL::jsonb, threshold;
END $$;
COMMENT ON FUNCTION clean_mark(clean_search, text, float8) IS
'internal: marks which rows of a temporary table are to be inserted';

-- Inserts the rows that are marked. A row that the constraint refuses keeps no key; the next turn finds what it met.
CREATE FUNCTION clean_insert_marked(search clean_search, batch text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
    new pg_catalog.record;
    key pg_catalog.text;
    names pg_catalog.text[];
    columns pg_catalog.text[];
    statement pg_catalog.text;
    places pg_catalog.int4[] := '{}';
    keys pg_catalog.text[] := '{}';
BEGIN
    FOR new IN EXECUTE pg_catalog.format('SELECT n.place, n.new_row FROM %s AS n WHERE n.key IS NULL AND n.inserted ORDER BY n.place', batch) LOOP
        names := ARRAY(SELECT k.name FROM pg_catalog.jsonb_object_keys(new.new_row) AS k (name));
        IF statement IS NULL OR names OPERATOR(pg_catalog.<>) columns THEN
            columns := names;
            statement := @extschema@.clean_insert(search, new.new_row);
        END IF;
        EXECUTE statement INTO key USING new.new_row;
        IF key IS NOT NULL THEN
            places := pg_catalog.array_append(places, new.place);
            keys := pg_catalog.array_append(keys, key);
        END IF;
    END LOOP;
    EXECUTE pg_catalog.format('UPDATE %s AS n SET key = k.key FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS k (place, key) WHERE n.place OPERATOR(pg_catalog.=) k.place', batch)
        USING places, keys;
    EXECUTE pg_catalog.format('UPDATE %s AS n SET inserted = NULL WHERE n.key IS NULL', batch);
END $$;
COMMENT ON FUNCTION clean_insert_marked(clean_search, text) IS
'internal: inserts the marked rows of a temporary table';

-- The most similar row of the table, or of the earlier new ones that were inserted, for the rows that are not.
CREATE FUNCTION clean_find_rows(search clean_search, batch text, in_table boolean) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tokens text := CASE WHEN in_table THEN search.tokens ELSE 't.tokens' END;
BEGIN
    RETURN format('UPDATE %1$s AS b SET key = f.key, similarity = f.similarity, inserted = false
                   FROM (SELECT DISTINCT ON (n.place) n.place, %2$s::pg_catalog.text AS key, %3$s AS similarity
                         FROM %1$s AS n JOIN %4$s AS t ON %5$s%6$s WHERE %7$s ORDER BY n.place, %3$s DESC, %8$s) AS f
                   WHERE f.place OPERATOR(pg_catalog.=) b.place AND (b.key IS NULL OR f.similarity OPERATOR(pg_catalog.>) b.similarity)',
                  batch, CASE WHEN in_table THEN search.key ELSE 't.key' END, @extschema@.clean_similarity(search, tokens),
                  CASE WHEN in_table THEN search.relation ELSE batch END, @extschema@.clean_is_similar(search, tokens, '$2'::text), @extschema@.clean_same_scope(search, in_table),
                  CASE WHEN in_table THEN format('n.key IS NULL AND (%s)', search.counts)
                       ELSE 'n.inserted IS NOT TRUE AND t.inserted AND t.counts AND t.place OPERATOR(pg_catalog.<) n.place AND ' || @extschema@.clean_undecided(search.rel, 't.own'::text) END,
                  CASE WHEN in_table THEN search.key ELSE 't.place' END);
END $$;
COMMENT ON FUNCTION clean_find_rows(clean_search, text, boolean) IS
'internal: a statement that finds the most similar row for those of a temporary table';

-- The function of neardup_track.
CREATE FUNCTION clean_tokens_within(tokens tokenset, scope record) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokens_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION clean_tokens_within(tokens tokenset, scope record) IS
'internal: the set with its tokens hashed together with a row of values, so that sets of other values have none in common';

-- The similarity of a row that was inserted is that to the nearest other one, from the threshold $2 on. One join finds the
-- nearest rows of many; it reads the whole table, and few rows are looked up in less time if there is an index. The row itself is
-- one of its nearest, and so may be those that somebody has found to be different.
CREATE FUNCTION clean_similarity_rows(search clean_search, batch text, inserted_rows int8) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tokens text := '%s';
    key_type text := (SELECT @extschema@.clean_type(@extschema@.clean_base(a.atttypid), -1) FROM pg_attribute AS a
                      WHERE a.attrelid = search.rel AND format('t.%I', a.attname) = search.key AND a.attnum > 0 AND NOT a.attisdropped);
BEGIN
    IF search.has_index AND inserted_rows * 1000 < (SELECT c.reltuples FROM pg_class AS c WHERE c.oid = search.rel) THEN
        RETURN format('UPDATE %s AS n SET similarity = (SELECT f.similarity FROM (%s) AS f) WHERE n.inserted', batch,
                      @extschema@.clean_nearest(search, format('%s AND %s::pg_catalog.text OPERATOR(pg_catalog.<>) n.key',
                                                               @extschema@.clean_is_similar(search, search.tokens, '$2'::text), search.key), search.counts, false));
    END IF;
    -- Hashes of scopes are equal where both have the same NULL, which is equal to nothing.
    IF cardinality(search.scope) > 0 THEN
        tokens := 'CASE WHEN pg_catalog.num_nulls(%2$s) OPERATOR(pg_catalog.=) 0 THEN @extschema@.clean_tokens_within(%1$s, ROW(%2$s)) END';
    END IF;
    RETURN format('UPDATE %1$s AS b SET similarity = f.similarity
                   FROM (SELECT n.place, pg_catalog.max(j.similarity) AS similarity
                         FROM @extschema@.knn_join_keyed(NULL::%2$s, %3$L::pg_catalog.text, (
                                  SELECT 2 OPERATOR(pg_catalog.+) COALESCE(pg_catalog.max(c.decisions), 0)::pg_catalog.int4
                                  FROM (SELECT pg_catalog.count(*) AS decisions
                                        FROM @extschema@.neardup_decided AS d, LATERAL (VALUES (d.key_a), (d.key_b)) AS k (own) JOIN %1$s AS n ON n.own OPERATOR(pg_catalog.=) k.own
                                        WHERE n.inserted AND d.rel::pg_catalog.oid OPERATOR(pg_catalog.=) %6$s::pg_catalog.oid AND d.other::pg_catalog.oid OPERATOR(pg_catalog.=) %6$s::pg_catalog.oid
                                        GROUP BY n.place) AS c), $2, %4$L::pg_catalog.text, %5$L::pg_catalog.text) AS j
                         JOIN %1$s AS n ON n.inserted AND n.key OPERATOR(pg_catalog.=) j.a::pg_catalog.text
                         WHERE j.b::pg_catalog.text OPERATOR(pg_catalog.<>) n.key AND %7$s GROUP BY n.place) AS f
                   WHERE b.place OPERATOR(pg_catalog.=) f.place',
                  batch, key_type,
                  format('SELECT n.key::%s, %s FROM %s AS n WHERE n.inserted', key_type,
                         format(tokens, 'n.tokens', (SELECT string_agg(format('n.s%s', s), ', ' ORDER BY s) FROM generate_series(1, cardinality(search.scope)) AS s)), batch),
                  search.measure,
                  format('SELECT CAST(%s AS %s), %s FROM %s AS t WHERE (%s)', search.key, key_type, format(tokens, search.tokens, array_to_string(search.scope, ', ')), search.relation, search.among),
                  search.rel::oid, @extschema@.clean_undecided(search.rel, 'j.b'::text));
END $$;
COMMENT ON FUNCTION clean_similarity_rows(clean_search, text, int8) IS
'internal: a statement that finds how similar the rows that were inserted are to others';

-- Where the rows that count depend on the new row, no join of all rows finds which are similar, and they are taken one by one.
-- After a deadlock they are taken again.
CREATE FUNCTION clean_rows_by_one(
    rel regclass, new_rows jsonb, key_column name, tokens text, threshold float8, measure text, within text, among text,
    OUT place integer, OUT key text, OUT inserted boolean, OUT similarity float8)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1000 AS $$
DECLARE
    new_row pg_catalog.jsonb;
    one pg_catalog.record;
    keys pg_catalog.text[];
    flags pg_catalog.bool[];
    similarities pg_catalog.float8[];
BEGIN
    FOR attempt IN 0 .. 20 LOOP
        BEGIN
            keys := '{}';
            flags := '{}';
            similarities := '{}';
            FOR new_row IN SELECT r.new_row FROM pg_catalog.jsonb_array_elements(new_rows) WITH ORDINALITY AS r (new_row, place) ORDER BY r.place LOOP
                SELECT f.key, f.inserted, f.similarity INTO one FROM @extschema@.insert_or_find(rel, new_row, key_column, tokens, threshold, measure, within, among) AS f;
                keys := pg_catalog.array_append(keys, one.key);
                flags := pg_catalog.array_append(flags, one.inserted);
                similarities := pg_catalog.array_append(similarities, one.similarity);
            END LOOP;
            EXIT;
        EXCEPTION WHEN deadlock_detected THEN
            IF attempt OPERATOR(pg_catalog.>=) 20 THEN
                RAISE;
            END IF;
        END;
    END LOOP;
    RETURN QUERY SELECT o.place::pg_catalog.int4, o.key, o.inserted, o.similarity
        FROM ROWS FROM (pg_catalog.unnest(keys), pg_catalog.unnest(flags), pg_catalog.unnest(similarities)) WITH ORDINALITY AS o (key, inserted, similarity, place) ORDER BY o.place;
END $$;
COMMENT ON FUNCTION clean_rows_by_one(regclass, jsonb, name, text, float8, text, text, text) IS
'internal: what insert_or_find_rows does where the condition among names the new row';

CREATE FUNCTION clean_insert_or_find_rows(
    rel regclass, new_rows jsonb, key_column name, tokens text, threshold float8, measure text, within text, among text,
    OUT place integer, OUT key text, OUT inserted boolean, OUT similarity float8)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1000 AS $$
DECLARE
    search @extschema@.clean_search;
    source pg_catalog.text;
    batch pg_catalog.text;
    slots pg_catalog.int8[];
    refused pg_catalog.record;
    is_left boolean;
    was_refused boolean := false;
    inserted_rows pg_catalog.int8;
    least_told pg_catalog.float8;
    path pg_catalog.text := pg_catalog.current_setting('search_path');
    run_path pg_catalog.text := @extschema@.clean_run_path();
BEGIN
    IF COALESCE(pg_catalog.jsonb_typeof(new_rows), '') OPERATOR(pg_catalog.<>) 'array'
       OR EXISTS (SELECT FROM pg_catalog.jsonb_array_elements(new_rows) AS e (new_row) WHERE pg_catalog.jsonb_typeof(e.new_row) OPERATOR(pg_catalog.<>) 'object') THEN
        RAISE EXCEPTION 'new_rows must be a jsonb array of objects' USING ERRCODE = 'invalid_parameter_value', HINT = 'Name their columns, as in [{"body": "a text"}, {"body": "another"}].';
    END IF;
    search := @extschema@.clean_search_of(rel, key_column, tokens, threshold, measure, within, among, true, run_path);
    source := @extschema@.clean_source(search, 'SELECT r.place::pg_catalog.int4 AS place, r.new_row FROM pg_catalog.jsonb_array_elements($1) WITH ORDINALITY AS r (new_row, place)'::pg_catalog.text);
    PERFORM @extschema@.clean_tell(search, threshold, false);
    PERFORM @extschema@.clean_use_path(run_path);
    IF search.names_new THEN
        IF search.exclusion IS NULL THEN
            EXECUTE pg_catalog.format('SELECT pg_catalog.array_agg(DISTINCT %s) FROM (%s) AS n', @extschema@.clean_slot(search), source) INTO slots USING new_rows;
            PERFORM @extschema@.clean_lock(rel, slots);
        END IF;
        PERFORM @extschema@.clean_use_path(path);
        RETURN QUERY SELECT r.* FROM @extschema@.clean_rows_by_one(rel, new_rows, key_column, tokens, threshold, measure, within, among) AS r;
        RETURN;
    END IF;
    batch := @extschema@.clean_rows_table();
    EXECUTE pg_catalog.format('CREATE TEMP TABLE %s ON COMMIT DROP AS SELECT n.*, NULL::pg_catalog.text AS key, NULL::pg_catalog.bool AS inserted, NULL::pg_catalog.float8 AS similarity FROM (%s) AS n',
                              batch, source) USING new_rows;
    EXECUTE pg_catalog.format('ANALYZE %s', batch);
    source := pg_catalog.format('SELECT n.* FROM %s AS n WHERE n.key IS NULL', batch);
    IF search.exclusion IS NULL THEN
        EXECUTE pg_catalog.format('SELECT pg_catalog.array_agg(DISTINCT %s) FROM (%s) AS n', @extschema@.clean_slot(search), source) INTO slots;
        PERFORM @extschema@.clean_lock(rel, slots);
    END IF;
    FOR attempt IN 0 .. 20 LOOP
        EXECUTE @extschema@.clean_find_rows(search, batch, true) USING new_rows, threshold;
        FOR refused IN EXECUTE pg_catalog.format('SELECT n.new_row FROM %s AS n WHERE n.key IS NULL AND $1', batch) USING was_refused LOOP
            PERFORM @extschema@.clean_refuse_conflict(search, refused.new_row, threshold, attempt);
        END LOOP;
        PERFORM @extschema@.clean_mark(search, batch, threshold);
        was_refused := true;
        BEGIN
            PERFORM @extschema@.clean_use_path(path);
            PERFORM @extschema@.clean_insert_marked(search, batch);
        EXCEPTION WHEN deadlock_detected THEN
            IF attempt OPERATOR(pg_catalog.>=) 20 THEN
                RAISE;
            END IF;
            -- The rows that were inserted are gone again, and the other transaction goes on.
            was_refused := false;
            EXECUTE pg_catalog.format('UPDATE %s AS n SET inserted = NULL WHERE n.key IS NULL', batch);
        END;
        PERFORM @extschema@.clean_use_path(run_path);
        EXECUTE pg_catalog.format('ANALYZE %s', batch);
        EXECUTE @extschema@.clean_find_rows(search, batch, false) USING new_rows, threshold;
        EXECUTE pg_catalog.format('SELECT EXISTS (SELECT FROM %s AS n WHERE n.key IS NULL)', batch) INTO is_left;
        EXIT WHEN NOT is_left;
    END LOOP;
    EXECUTE pg_catalog.format('SELECT pg_catalog.count(*) FROM %s AS n WHERE n.inserted', batch) INTO inserted_rows;
    least_told := @extschema@.clean_least_told(search, threshold);
    IF least_told OPERATOR(pg_catalog.<) threshold THEN
        EXECUTE @extschema@.clean_similarity_rows(search, batch, inserted_rows) USING new_rows, least_told;
    END IF;
    RETURN QUERY EXECUTE pg_catalog.format('SELECT n.place, n.key, n.inserted, n.similarity FROM %s AS n ORDER BY n.place', batch);
    EXECUTE pg_catalog.format('DROP TABLE %s', batch);
    PERFORM @extschema@.clean_use_path(path);
END $$;
COMMENT ON FUNCTION clean_insert_or_find_rows(regclass, jsonb, name, text, float8, text, text, text) IS
'internal: what insert_or_find_rows does';

CREATE FUNCTION insert_or_find_rows(
    rel regclass, new_rows jsonb, key name, tokens text, threshold float8,
    measure text DEFAULT 'jaccard', within text DEFAULT NULL, among text DEFAULT NULL,
    OUT place integer, OUT key text, OUT inserted boolean, OUT similarity float8)
RETURNS SETOF record
LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 1000
BEGIN ATOMIC
    SELECT f.place, f.key, f.inserted, f.similarity FROM @extschema@.clean_insert_or_find_rows($1, $2, $3, $4, $5, $6, $7, $8) AS f;
END;
COMMENT ON FUNCTION insert_or_find_rows(regclass, jsonb, name, text, float8, text, text, text) IS
'inserts those rows of a jsonb array of which neither the table nor an earlier one of the array is as similar as the threshold; returns for each, by its place, what insert_or_find does';

CREATE FUNCTION clean_insert_or_find_rows_keyed(
    key_type anyelement, rel regclass, new_rows jsonb, key_column name, tokens text, threshold float8, measure text, within text, among text,
    OUT place integer, OUT key anyelement, OUT inserted boolean, OUT similarity float8)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1000 AS $$
BEGIN
    FOR place, key, inserted, similarity IN
        SELECT f.place, f.key, f.inserted, f.similarity
        FROM @extschema@.clean_insert_or_find_rows(rel, new_rows, key_column, tokens, threshold, measure, within, among) AS f
    LOOP
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_insert_or_find_rows_keyed(anyelement, regclass, jsonb, name, text, float8, text, text, text) IS
'internal: what insert_or_find_rows_keyed does';

CREATE FUNCTION insert_or_find_rows_keyed(
    key_type anyelement, rel regclass, new_rows jsonb, key name, tokens text, threshold float8,
    measure text DEFAULT 'jaccard', within text DEFAULT NULL, among text DEFAULT NULL,
    OUT place integer, OUT key anyelement, OUT inserted boolean, OUT similarity float8)
RETURNS SETOF record
LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 1000 AS $$
    SELECT f.place, f.key, f.inserted, f.similarity FROM @extschema@.clean_insert_or_find_rows_keyed($1, $2, $3, $4, $5, $6, $7, $8, $9) AS f
$$;
COMMENT ON FUNCTION insert_or_find_rows_keyed(anyelement, regclass, jsonb, name, text, float8, text, text, text) IS
'returns what insert_or_find_rows does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
