\echo Use "CREATE EXTENSION neardup_clean" to load this file. \quit

--
-- What a guest checks first whose functions are PL/pgSQL: it is in neardup's schema
--

-- Functions of the guest name those of neardup by the schema of the guest.
DO $$
DECLARE
    schema pg_catalog.regnamespace := (SELECT e.extnamespace FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup');
BEGIN
    IF schema::pg_catalog.oid OPERATOR(pg_catalog.<>) '@extschema@'::pg_catalog.regnamespace::pg_catalog.oid THEN
        RAISE EXCEPTION 'extension neardup_clean must be in the schema of neardup'
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = pg_catalog.format('Call CREATE EXTENSION neardup_clean SCHEMA %s.', schema);
    END IF;
END $$;

--
-- clean: the tables that a merge reaches, and what refers to rows between them
--

-- How rows are merged
--
-- A merge is computed in scratch tables, one for each table that it reaches, and then written by one
-- statement. A row of a scratch table stands for a row of the table:
--
--   tab, tid        where the row is: its table or partition, and its place there
--   goes            whether the row is deleted, or retires; to_tab, to_tid: the row that stays for it, else itself;
--                   NULL of a row that goes because it has become a loop
--   pair            the number of the pair that reached the row first
--   moved           whether a reference of the row was turned
--   cut             the columns of references that are NULL now because the row had become a loop
--   settled         whether a pair says that the row stays
--   stamp           the step that changed the row last
--   o1, n1, o2 ...  the old and the new values of the columns that can change or are referred to
--
-- What is turned stands in one array of clean_reference: the foreign keys of the database, the columns
-- that the caller says refer to rows (named.sql), both of which a merge treats alike, and the loops
-- that these can make (loops.sql).
--
-- The tables and columns that can be reached follow from these and the catalogs (clean_tables): what
-- refers to a table that loses rows is turned; what has a unique or exclusion constraint on a column
-- that is turned may lose rows itself. Tables are worked through in an order in which those that
-- are referred to come first, as far as there is one, each reference by one UPDATE of the rows that
-- the scratch table has and one INSERT of those that it has not.
--
-- The last statement deletes and updates in all tables at once. PostgreSQL checks foreign keys and
-- runs their actions at its end, when nothing refers to the rows that go, so it does not matter
-- whether a foreign key cascades, restricts or can be deferred, or whether tables refer to each other
-- in a circle. Unique constraints are checked at each row; so the deletions come first.
--
-- Queries of the catalogs are planned once a session: planning takes longer than they do.
--
-- All functions but those that a user calls have a search path of their own. These hand the caller's
-- path on, which clean_execute sets for what the caller wrote and for what fires triggers; the
-- statements that it runs qualify all names of ours.

CREATE TYPE clean_table AS (
    rel oid,
    name text,
    source text,
    work text,
    live name[],
    columns name[],
    types text[],
    turned name[],
    may_go boolean,
    retires boolean
);
COMMENT ON TYPE clean_table IS
'internal: a table that a merge reaches; source: how a query names it, work: its scratch table, live: its columns, columns: those that the scratch table has, turned: those of references, may_go: whether it may lose rows, retires: whether rows that go stay in it';

CREATE TYPE clean_reference AS (
    shown text,
    child oid,
    parent oid,
    source text,
    child_columns name[],
    parent_columns name[],
    operators text[],
    parent_operators text[],
    acts boolean,
    child_parts oid[],
    parent_parts oid[],
    condition text,
    rule text
);
COMMENT ON TYPE clean_reference IS
'internal: a foreign key, a column that refers to rows without one, or a loop, of which the other columns are in the same row; shown: what messages call it, operators: what stands between a column of the other table and its own where they are compared, parent_operators: between two of the other table, acts: whether it does more than check in the end, parts: the partitions that it is of, NULL for all, condition: of its rows as they were, as "t", or NULL, rule: that of a loop, NULL for a reference';

CREATE FUNCTION clean_named(name text, path text) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('search_path', path, true);
    RETURN pg_catalog.to_regclass(name);
END $$;
COMMENT ON FUNCTION clean_named(text, text) IS 'internal: the table that a name means in a search path, or NULL';

CREATE FUNCTION clean_shown(rel regclass, path text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('search_path', path, true);
    RETURN rel::pg_catalog.text;
END $$;
COMMENT ON FUNCTION clean_shown(regclass, text) IS 'internal: the name of a table in a search path';

CREATE FUNCTION clean_root(rel oid) RETURNS oid
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN coalesce(pg_partition_root(rel)::oid, rel);
END $$;
COMMENT ON FUNCTION clean_root(oid) IS 'internal: the partitioned table that a partition is of, or the table itself';

CREATE FUNCTION clean_operator(operator oid) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
    SELECT format('OPERATOR(%I.%s)', n.nspname, o.oprname)
    FROM pg_operator AS o JOIN pg_namespace AS n ON n.oid = o.oprnamespace
    WHERE o.oid = operator);
END $$;
COMMENT ON FUNCTION clean_operator(oid) IS 'internal: an operator as a query names it whatever the search path';

CREATE FUNCTION clean_base(type oid) RETURNS oid
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE base (type) AS (
        SELECT clean_base.type
        UNION ALL
        SELECT t.typbasetype FROM base AS b JOIN pg_type AS t ON t.oid = b.type AND t.typtype = 'd'
    )
    SELECT b.type FROM base AS b JOIN pg_type AS t ON t.oid = b.type AND t.typtype <> 'd'
$$;
COMMENT ON FUNCTION clean_base(oid) IS 'internal: the type that a domain is of, or the type itself';

-- Types that the grammar knows, such as integer, are those of pg_catalog whatever the search path; others are found by it.
CREATE FUNCTION clean_type(type oid, modifier int4) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
    SELECT CASE WHEN e.typnamespace = 'pg_catalog'::regnamespace AND quote_ident(e.typname) = substring(format_type(type, modifier) FROM '^[^([]+') THEN 'pg_catalog.' ELSE '' END
           || format_type(type, modifier)
    FROM pg_type AS t JOIN pg_type AS e ON e.oid = CASE WHEN t.typcategory = 'A' AND t.typelem <> 0 THEN t.typelem ELSE t.oid END
    WHERE t.oid = type);
END $$;
COMMENT ON FUNCTION clean_type(oid, int4) IS 'internal: a type as a query names it whatever the search path';

CREATE FUNCTION clean_parts(rel oid) RETURNS oid[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
    SELECT CASE WHEN @extschema@.clean_root(rel) <> rel THEN ARRAY(SELECT t.relid::oid FROM pg_partition_tree(rel::regclass) AS t) END);
END $$;
COMMENT ON FUNCTION clean_parts(oid) IS 'internal: a partition and its own partitions, NULL for a table that is none';

-- A foreign key that partitions have from the partitioned table is that one's.
CREATE FUNCTION clean_references() RETURNS SETOF clean_reference
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    SELECT format('foreign key "%s"', c.conname), @extschema@.clean_root(c.conrelid), @extschema@.clean_root(c.confrelid),
           format('%s%I.%I', CASE r.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END, n.nspname, r.relname),
           array_agg(a.attname ORDER BY k.place), array_agg(f.attname ORDER BY k.place),
           array_agg(@extschema@.clean_operator(k.operator) ORDER BY k.place), array_agg(@extschema@.clean_operator(k.among) ORDER BY k.place),
           c.confupdtype <> 'a' OR c.confdeltype <> 'a', @extschema@.clean_parts(c.conrelid), @extschema@.clean_parts(c.confrelid), NULL::text, NULL::text
    FROM pg_constraint AS c
    JOIN pg_class AS r ON r.oid = c.conrelid JOIN pg_namespace AS n ON n.oid = r.relnamespace,
         unnest(c.conkey, c.confkey, c.conpfeqop, c.conppeqop) WITH ORDINALITY AS k (child, parent, operator, among, place),
         pg_attribute AS a, pg_attribute AS f
    WHERE c.contype = 'f' AND c.conparentid = 0 AND a.attrelid = c.conrelid AND a.attnum = k.child
          AND f.attrelid = c.confrelid AND f.attnum = k.parent
    GROUP BY c.oid, c.conname, c.conrelid, c.confrelid, c.confupdtype, c.confdeltype, r.relkind, r.relname, n.nspname;
END $$;
COMMENT ON FUNCTION clean_references() IS 'internal: the foreign keys of the database';

-- The columns of a key, of an expression, or of a condition.
CREATE FUNCTION clean_constraint_columns(index oid) RETURNS name[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (
    SELECT array_agg(a.attname)
    FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid
    WHERE i.indexrelid = index AND a.attnum > 0
          AND (EXISTS (SELECT FROM generate_series(0, i.indnkeyatts - 1) AS p (place) WHERE i.indkey[p.place] = a.attnum)
               OR EXISTS (SELECT FROM pg_depend AS d
                          WHERE d.classid = 'pg_class'::regclass AND d.objid = index AND d.refclassid = 'pg_class'::regclass
                                AND d.refobjid = i.indrelid AND d.refobjsubid = a.attnum
                                AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL))));
END $$;
COMMENT ON FUNCTION clean_constraint_columns(oid) IS 'internal: the columns that a unique index, or that of an exclusion constraint, depends on';

-- An index that partitions have from the partitioned table is that one's.
CREATE FUNCTION clean_constraints(rel oid) RETURNS SETOF oid
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    SELECT i.indexrelid
    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
    WHERE (i.indisunique OR i.indisexclusion) AND NOT c.relispartition
          AND (i.indrelid = rel OR i.indrelid IN (SELECT t.relid FROM pg_partition_tree(rel::regclass) AS t))
    ORDER BY i.indisprimary DESC, i.indexrelid;
END $$;
COMMENT ON FUNCTION clean_constraints(oid) IS 'internal: the indexes of the unique and exclusion constraints of a table';

CREATE FUNCTION clean_generated(rel oid, OUT col name, OUT expression text, OUT bases name[]) RETURNS SETOF record
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    SELECT a.attname, pg_get_expr(d.adbin, d.adrelid),
           ARRAY(SELECT b.attname FROM regexp_matches(d.adbin::text, ':varattno (\d+)', 'g') AS m (number)
                 JOIN pg_attribute AS b ON b.attrelid = rel AND b.attnum = m.number[1]::int2)
    FROM pg_attribute AS a JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = rel AND a.attgenerated = 's' AND NOT a.attisdropped;
END $$;
COMMENT ON FUNCTION clean_generated(oid) IS 'internal: the stored generated columns of a table, their expressions, and the columns that these read';

-- A node is a table and a column that can change, a generated one with those that it reads, or a table and '' if it can lose rows.
CREATE FUNCTION clean_tables(rel oid, key name, rules jsonb, links clean_reference[], loops jsonb, path text) RETURNS SETOF clean_table
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    WITH RECURSIVE reference AS MATERIALIZED (
        SELECT r.child, r.parent, k.child_column, k.parent_column
        FROM unnest(links) AS r, unnest(r.child_columns, r.parent_columns) AS k (child_column, parent_column)
    ), ruled AS (
        SELECT t.key::oid AS tab, c.key::name AS col FROM jsonb_each(rules) AS t, jsonb_object_keys(t.value) AS c (key)
    ), constrained AS MATERIALIZED (
        SELECT c.tab, i.col
        FROM (SELECT DISTINCT r.child AS tab FROM reference AS r) AS c, @extschema@.clean_constraints(c.tab) AS x (index),
             unnest(@extschema@.clean_constraint_columns(x.index)) AS i (col)
    ), node (tab, col) AS (
        SELECT clean_tables.rel, ''::name
        UNION
        SELECT e.tab, e.col
        FROM node AS n, LATERAL (
            SELECT r.child, r.child_column FROM reference AS r WHERE r.parent = n.tab AND n.col IN ('', r.parent_column)
            UNION ALL
            SELECT c.tab, '' FROM constrained AS c WHERE c.tab = n.tab AND c.col = n.col
            UNION ALL
            SELECT n.tab, '' WHERE n.col <> '' AND loops ->> n.tab::text = 'delete'
            UNION ALL
            SELECT n.tab, g.col FROM @extschema@.clean_generated(n.tab) AS g
            WHERE n.col = ANY (g.bases)
                  AND (EXISTS (SELECT FROM reference AS r WHERE (r.parent, r.parent_column) = (n.tab, g.col) OR (r.child, r.child_column) = (n.tab, g.col))
                       OR EXISTS (SELECT FROM constrained AS c WHERE (c.tab, c.col) = (n.tab, g.col)))
            UNION ALL
            SELECT r.tab, r.col FROM ruled AS r WHERE r.tab = n.tab AND n.col = '') AS e (tab, col)
    ), turned AS (
        SELECT DISTINCT r.child AS tab, r.child_column AS col
        FROM reference AS r JOIN node AS n ON n.tab = r.parent AND n.col IN ('', r.parent_column)
    ), needed AS (
        SELECT n.tab, n.col FROM node AS n WHERE n.col <> ''
        UNION
        SELECT r.parent, r.parent_column FROM reference AS r WHERE r.parent IN (SELECT n.tab FROM node AS n)
        UNION
        SELECT n.tab, NULL FROM node AS n
        UNION
        SELECT clean_tables.rel, clean_tables.key
    )
    SELECT d.tab, @extschema@.clean_shown(d.tab::regclass, path), format('%s%s', CASE c.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END, d.tab::regclass), NULL::text,
           ARRAY(SELECT a.attname FROM pg_attribute AS a WHERE a.attrelid = d.tab AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum),
           array_agg(a.attname ORDER BY a.attnum) FILTER (WHERE a.attname IS NOT NULL),
           array_agg(@extschema@.clean_type(a.atttypid, -1) ORDER BY a.attnum) FILTER (WHERE a.attname IS NOT NULL),
           ARRAY(SELECT t.col FROM turned AS t WHERE t.tab = d.tab),
           EXISTS (SELECT FROM node AS n WHERE n.tab = d.tab AND n.col = ''), false
    FROM needed AS d JOIN pg_class AS c ON c.oid = d.tab LEFT JOIN pg_attribute AS a ON a.attrelid = d.tab AND a.attname = d.col
    GROUP BY d.tab, c.relkind;
END $$;
COMMENT ON FUNCTION clean_tables(oid, name, jsonb, clean_reference[], jsonb, text) IS
'internal: the tables that a merge of rows of a table reaches; rules: for the number of each table, an object whose keys are columns, links: what may refer to rows, loops: the rules of loops; path: the search path that names are shown in';

-- Tables that are referred to first, after the very first, whose rows the pairs are of. Where tables refer to each other
-- in a circle, one that has least of its own ahead.
CREATE FUNCTION clean_order(tables clean_table[], links clean_reference[]) RETURNS clean_table[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    done @extschema@.clean_table[] := tables[1:1];
    next @extschema@.clean_table;
BEGIN
    WHILE cardinality(done) < cardinality(tables) LOOP
        SELECT t.rel, t.name, t.source, t.work, t.live, t.columns, t.types, t.turned, t.may_go, t.retires INTO next
        FROM unnest(tables) WITH ORDINALITY AS t (rel, name, source, work, live, columns, types, turned, may_go, retires, place)
        WHERE t.rel NOT IN (SELECT d.rel FROM unnest(done) AS d)
        ORDER BY (SELECT count(DISTINCT r.parent) FROM unnest(links) AS r
                  WHERE r.child = t.rel AND r.parent <> t.rel AND r.parent NOT IN (SELECT d.rel FROM unnest(done) AS d)), t.place
        LIMIT 1;
        done := done || next;
    END LOOP;
    RETURN done;
END $$;
COMMENT ON FUNCTION clean_order(clean_table[], clean_reference[]) IS 'internal: tables in an order in which those that others refer to come first';

--
-- clean: columns that refer to rows without a foreign key, as the caller names them
--

-- What stands between a value of one type and a value of another where they are compared: an operator of the types, as a
-- foreign key has it. A text refers by the text of the key.
CREATE FUNCTION clean_comparison(type oid, other oid) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    base oid := @extschema@.clean_base(type);
    base_of_other oid := @extschema@.clean_base(other);
    found oid;
BEGIN
    IF base = base_of_other THEN
        RETURN @extschema@.clean_equality(type);
    END IF;
    SELECT m.amopopr INTO found
    FROM pg_opclass AS c JOIN pg_am AS h ON h.oid = c.opcmethod AND h.amname = 'btree'
    JOIN pg_amop AS m ON m.amopfamily = c.opcfamily AND m.amoplefttype = base AND m.amoprighttype = base_of_other AND m.amopstrategy = 3
    WHERE c.opcdefault AND c.opcintype = base LIMIT 1;
    IF found IS NULL AND (SELECT t.typcategory FROM pg_type AS t WHERE t.oid = base_of_other) = 'S' THEN
        RETURN '::pg_catalog.text OPERATOR(pg_catalog.=)';
    END IF;
    RETURN @extschema@.clean_operator(found);
END $$;
COMMENT ON FUNCTION clean_comparison(oid, oid) IS 'internal: what stands between values of two types that are compared, or NULL if they cannot be';

CREATE FUNCTION clean_condition(rel oid, condition text, path text, run_path text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    fragment record;
BEGIN
    PERFORM set_config('search_path', path, true);
    SELECT f.expression, f.type INTO fragment FROM @extschema@.clean_fragments(rel::pg_catalog.regclass, condition, 'where'::pg_catalog.text, false, run_path) AS f;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    IF fragment.type <> 'bool'::regtype THEN
        RAISE EXCEPTION 'where must be of type boolean, not %', fragment.type
            USING ERRCODE = 'datatype_mismatch', HINT = 'Give a condition, such as subject_type = ''Tag''.';
    END IF;
    RETURN fragment.expression;
END $$;
COMMENT ON FUNCTION clean_condition(oid, text, text, text) IS
'internal: a condition over the columns of a table as one of "t" with all names qualified; path: the search path it is read with, run_path: the one it will run with';

-- Returns a column of a table that may refer to rows, or be referred to.
CREATE FUNCTION clean_column(rel oid, name text, path text) RETURNS pg_attribute
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    a pg_attribute;
BEGIN
    SELECT x.* INTO a FROM pg_attribute AS x WHERE x.attrelid = rel AND x.attname = name AND x.attnum > 0 AND NOT x.attisdropped;
    IF a.attname IS NULL THEN
        RAISE EXCEPTION 'column "%" of % does not exist', name, @extschema@.clean_shown(rel::regclass, path) USING ERRCODE = 'undefined_column';
    ELSIF EXISTS (SELECT FROM pg_type AS t WHERE t.oid = @extschema@.clean_base(a.atttypid) AND t.typcategory = 'A') THEN
        RAISE EXCEPTION 'column "%" of % is an array', name, @extschema@.clean_shown(rel::regclass, path)
            USING ERRCODE = 'feature_not_supported', DETAIL = 'A reference is a column of one value.';
    END IF;
    RETURN a;
END $$;
COMMENT ON FUNCTION clean_column(oid, text, text) IS 'internal: a column that may be a reference, or an error';

-- The columns that the caller says refer to rows, as references of the kind that foreign keys are.
CREATE FUNCTION clean_named_references(rel oid, key name, referring jsonb, path text, run_path text) RETURNS SETOF clean_reference
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry record;
    child regclass;
    parent regclass;
    own pg_attribute;
    target pg_attribute;
    name text;
    operator text;
BEGIN
    IF jsonb_typeof(referring) <> 'object' THEN
        RAISE EXCEPTION 'referring must be an object'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Such as {"taggings": "tag_id", "notes": {"column": "subject_id", "where": "subject_type = ''Tag''"}}.';
    END IF;
    FOR entry IN
        SELECT t.key AS tab, CASE jsonb_typeof(x.given) WHEN 'string' THEN jsonb_build_object('column', x.given) ELSE x.given END AS given
        FROM jsonb_each(referring) AS t, jsonb_array_elements(CASE jsonb_typeof(t.value) WHEN 'array' THEN t.value ELSE jsonb_build_array(t.value) END) AS x (given)
    LOOP
        child := @extschema@.clean_named(entry.tab, path);
        IF child IS NULL THEN
            RAISE EXCEPTION 'referring names a table "%" that does not exist', entry.tab USING ERRCODE = 'undefined_table';
        ELSIF (SELECT c.relkind FROM pg_class AS c WHERE c.oid = child) NOT IN ('r', 'p') THEN
            RAISE EXCEPTION '% is not a table', @extschema@.clean_shown(child, path) USING ERRCODE = 'wrong_object_type';
        ELSIF jsonb_typeof(entry.given) <> 'object' THEN
            RAISE EXCEPTION 'referring must name columns of table "%"', entry.tab
                USING ERRCODE = 'invalid_parameter_value', HINT = 'Give the name of a column, an object such as {"column": "subject_id", "where": "subject_type = ''Tag''"}, or an array of these.';
        ELSIF jsonb_typeof(entry.given -> 'column') = 'array' THEN
            RAISE EXCEPTION 'a reference of table "%" has several columns', entry.tab
                USING ERRCODE = 'feature_not_supported', DETAIL = 'Only a foreign key refers by several columns; an array beside the name of the table has several references.';
        END IF;
        name := (SELECT e.key FROM jsonb_each(entry.given) AS e WHERE e.key NOT IN ('column', 'where', 'of', 'to') OR jsonb_typeof(e.value) <> 'string' LIMIT 1);
        IF name IS NOT NULL OR NOT entry.given ? 'column' THEN
            RAISE EXCEPTION 'a reference of table "%" %', entry.tab, CASE WHEN name IS NULL THEN 'lacks "column"' ELSE format('has "%s"', name) END
                USING ERRCODE = 'invalid_parameter_value', HINT = 'It has "column", and may have "where", a condition, "of", the table that it refers to, and "to", the column there; all are strings.';
        END IF;
        own := @extschema@.clean_column(child::oid, entry.given ->> 'column', path);
        IF own.attgenerated <> '' THEN
            RAISE EXCEPTION 'column "%" of % cannot be turned', own.attname, @extschema@.clean_shown(child, path)
                USING ERRCODE = 'feature_not_supported', DETAIL = 'It is generated.';
        END IF;
        parent := CASE WHEN entry.given ? 'of' THEN @extschema@.clean_named(entry.given ->> 'of', path) ELSE rel::regclass END;
        IF parent IS NULL THEN
            RAISE EXCEPTION 'referring names a table "%" that does not exist', entry.given ->> 'of' USING ERRCODE = 'undefined_table';
        END IF;
        name := coalesce(entry.given ->> 'to', CASE WHEN parent = rel THEN key::text ELSE (SELECT k.names[1] FROM @extschema@.clean_key(parent::oid) AS k (names) WHERE cardinality(k.names) = 1) END);
        IF name IS NULL THEN
            RAISE EXCEPTION '% has no key of one column', @extschema@.clean_shown(parent, path)
                USING ERRCODE = 'feature_not_supported', HINT = 'Name the column that column "' || own.attname || '" refers to, by "to".';
        END IF;
        target := @extschema@.clean_column(parent::oid, name, path);
        IF NOT (parent = rel AND name = key)
           AND NOT EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = parent AND i.indisunique AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = target.attnum) THEN
            RAISE EXCEPTION 'column "%" of % is not unique', name, @extschema@.clean_shown(parent, path)
                USING ERRCODE = 'invalid_foreign_key', DETAIL = format('So column "%s" of %s may refer to several rows.', own.attname, @extschema@.clean_shown(child, path));
        END IF;
        operator := @extschema@.clean_comparison(target.atttypid, own.atttypid);
        IF operator IS NULL THEN
            RAISE EXCEPTION 'column "%" of % does not refer to column "%" of %', own.attname, @extschema@.clean_shown(child, path), name, @extschema@.clean_shown(parent, path)
                USING ERRCODE = 'datatype_mismatch', DETAIL = format('They are of types %s and %s.', format_type(own.atttypid, own.atttypmod), format_type(target.atttypid, target.atttypmod));
        END IF;
        RETURN QUERY
        SELECT format('column "%s"', own.attname), @extschema@.clean_root(child::oid), @extschema@.clean_root(parent::oid),
               format('%s%I.%I', CASE c.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END, n.nspname, c.relname),
               ARRAY[own.attname], ARRAY[target.attname], ARRAY[operator], ARRAY[@extschema@.clean_equality(target.atttypid)],
               false, @extschema@.clean_parts(child::oid), @extschema@.clean_parts(parent::oid),
               CASE WHEN entry.given ? 'where' THEN @extschema@.clean_condition(child::oid, entry.given ->> 'where', path, run_path) END, NULL::text
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = child;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_named_references(oid, name, jsonb, text, text) IS 'internal: the references that the argument referring names';

-- Nothing in the database keeps such a column from referring to a row that goes meanwhile. So nobody else writes to its
-- table until the transaction ends. A snapshot that was taken before the lock would not show what others have written.
CREATE FUNCTION clean_lock(links clean_reference[]) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    source text;
BEGIN
    IF links <> '{}' AND current_setting('transaction_isolation') NOT LIKE 'read %' THEN
        RAISE EXCEPTION 'merge_duplicates cannot turn references without a foreign key at isolation level %', upper(current_setting('transaction_isolation'))
            USING ERRCODE = 'active_sql_transaction', DETAIL = 'It would not see rows that others have written since the transaction began.', HINT = 'Begin a transaction at READ COMMITTED.';
    END IF;
    FOR source IN SELECT r.source FROM unnest(links) AS r GROUP BY r.source, r.child ORDER BY r.child, r.source LOOP
        EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', source);
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_lock(clean_reference[]) IS 'internal: keeps others from writing to the tables of references';

-- Columns of other tables that bear the name of a table to which no foreign key refers: tag_id or tagId for tags or blog_tag, and
-- pairs such as subject_type and subject_id, or content_type_id and object_id, which may refer to any table.
CREATE FUNCTION clean_notice(rel regclass, key name, path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    type pg_type := (SELECT t FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = @extschema@.clean_base(a.atttypid) WHERE a.attrelid = rel AND a.attname = key);
    plural text := replace(lower((SELECT c.relname FROM pg_class AS c WHERE c.oid = rel)), '_', '');
    short text := lower((SELECT substring(c.relname FROM '[^_]*$') FROM pg_class AS c WHERE c.oid = rel));
    names text[];
    found text;
    example text;
BEGIN
    names := ARRAY(SELECT DISTINCT v.name || s.suffix
                   FROM unnest(ARRAY[plural, short]) AS p (name),
                        LATERAL (VALUES (p.name), (regexp_replace(p.name, 's$', '')), (regexp_replace(p.name, 'es$', '')), (regexp_replace(p.name, 'ies$', 'y')),
                                        (regexp_replace(p.name, 'people$', 'person')), (regexp_replace(p.name, 'children$', 'child'))) AS v (name),
                        unnest(ARRAY['id', replace(lower(key), '_', '')]) AS s (suffix)
                   WHERE v.name <> '')
             || CASE WHEN lower(key) ~ '^.*[^_].*id$' AND lower(key) NOT IN ('uuid', 'guid', 'oid', 'rowid') THEN ARRAY[replace(lower(key), '_', '')] ELSE '{}' END;
    -- Few columns have such names, and the rest is asked of these alone.
    WITH named AS MATERIALIZED (
        SELECT c.oid, c.relnamespace, a.attnum, a.attname, a.atttypid, p.attname AS of_type
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        LEFT JOIN pg_attribute AS p ON p.attrelid = c.oid AND p.attnum <> a.attnum AND NOT p.attisdropped AND lower(a.attname) ~ '.id$'
                  AND lower(p.attname) IN (regexp_replace(lower(a.attname), 'id$', 'type'), regexp_replace(lower(a.attname), 'object_id$', 'content_type_id'))
        WHERE c.oid <> rel AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.oid >= 16384 AND c.relpersistence <> 't'
              AND (replace(lower(a.attname), '_', '') = ANY (names) OR p.attname IS NOT NULL)
    ), likely AS (
        SELECT @extschema@.clean_shown(n.oid::regclass, path) AS tab, n.attname, n.of_type
        FROM named AS n JOIN pg_type AS t ON t.oid = @extschema@.clean_base(n.atttypid)
        WHERE (t.oid = type.oid OR t.typcategory = type.typcategory OR t.typcategory = 'S')
              AND has_column_privilege(n.oid, n.attnum, 'SELECT') AND has_schema_privilege(n.relnamespace, 'USAGE')
              AND NOT EXISTS (SELECT FROM pg_constraint AS f WHERE f.conrelid = n.oid AND f.contype = 'f' AND n.attnum = ANY (f.conkey))
              AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = n.oid AND d.deptype = 'e')
        ORDER BY n.of_type IS NOT NULL, 1, n.attnum LIMIT 10)
    SELECT string_agg(format('%s.%I%s', l.tab, l.attname, CASE WHEN l.of_type IS NOT NULL THEN format(' (by %I)', l.of_type) ELSE '' END), ', '),
           (array_agg(jsonb_build_object(l.tab, CASE WHEN l.of_type IS NULL THEN to_jsonb(l.attname) ELSE jsonb_build_object('column', l.attname, 'where', format('%I = ...', l.of_type)) END)))[1]
    INTO found, example FROM likely AS l;
    IF found IS NOT NULL THEN
        RAISE NOTICE 'no foreign key refers to %, but columns may: %', @extschema@.clean_shown(rel, path), found
            USING HINT = format('What refers to a row that goes is left as it is. Name such columns, as in referring => %L, or say that there are none by ''{}''.', example);
    END IF;
END $$;
COMMENT ON FUNCTION clean_notice(regclass, name, text) IS 'internal: a NOTICE of columns that seem to refer to a table';

--
-- clean: scratch tables, references turned in them, rows that would become the same
--

-- A trigger may merge rows while rows are merged. Each of the nested calls has scratch tables of its own, by its level.
CREATE FUNCTION clean_level(step int4) RETURNS int4
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    level int := coalesce(nullif(current_setting('neardup_clean.level', true), ''), '0')::int + step;
BEGIN
    PERFORM set_config('neardup_clean.level', level::text, true);
    RETURN level;
END $$;
COMMENT ON FUNCTION clean_level(int4) IS 'internal: raises or lowers the level of nested merges, until the end of the transaction, and returns it';

-- A scratch table is kept until the end of the transaction, for later merges of the same shape: each table that is made
-- holds a lock until then. Whoever began the session may make temporary tables, too, also of this name, and give them
-- triggers, which would run with the rights of a function that merges. So a table of another owner is passed over.
CREATE FUNCTION clean_scratch(purpose text, definition text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shape text := md5(concat_ws(' ', @extschema@.clean_level(0), purpose, definition));
    number int := 0;
    name text;
    is_own boolean;
BEGIN
    LOOP
        name := format('neardup_clean_%s_%s', shape, number);
        SELECT c.relowner = (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user) INTO is_own
        FROM pg_class AS c WHERE c.relnamespace = pg_my_temp_schema() AND c.relname = name;
        IF is_own IS NULL THEN
            EXECUTE format('CREATE TEMP TABLE pg_temp.%s (%s) ON COMMIT DROP', name, definition);
        ELSIF is_own THEN
            EXECUTE format('TRUNCATE pg_temp.%s', name);
        END IF;
        EXIT WHEN is_own IS NOT FALSE;
        number := number + 1;
    END LOOP;
    RETURN 'pg_temp.' || name;
END $$;
COMMENT ON FUNCTION clean_scratch(text, text) IS 'internal: returns the name of an empty temporary table of these columns, which the current role owns';

-- Where many rows of a scratch table are new or have changed, its statistics are made, so that it is joined as it should be.
CREATE FUNCTION clean_analyze(scratch text, rows bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF rows > 1000 THEN
        EXECUTE format('ANALYZE %s', scratch);
    END IF;
END $$;
COMMENT ON FUNCTION clean_analyze(text, bigint) IS 'internal: makes the statistics of a scratch table of which the number of rows has changed';

CREATE FUNCTION clean_work(reached clean_table) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN @extschema@.clean_scratch(reached.rel::text,
        'tab oid, tid tid, to_tab oid, to_tid tid, pair bigint, goes boolean, moved boolean, settled boolean, stamp int, cut name[] DEFAULT ''{}'''
        || (SELECT coalesce(string_agg(format(', %s%s %s%s', v.version, c.place, format_type(a.atttypid, a.atttypmod),
                                              CASE WHEN a.attcollation <> 0 THEN ' COLLATE ' || (SELECT format('%I.%I', n.nspname, l.collname)
                                                   FROM pg_collation AS l JOIN pg_namespace AS n ON n.oid = l.collnamespace
                                                   WHERE l.oid = a.attcollation) ELSE '' END), '' ORDER BY c.place, v.version DESC), '')
            FROM unnest(reached.columns) WITH ORDINALITY AS c (name, place)
            JOIN pg_attribute AS a ON a.attrelid = reached.rel AND a.attname = c.name,
                 unnest(ARRAY['o', 'n']) AS v (version)));
END $$;
COMMENT ON FUNCTION clean_work(clean_table) IS 'internal: makes the scratch table of a table';

CREATE FUNCTION clean_values(reached clean_table, columns name[], prefix text, template text DEFAULT '%1$s%2$s', separator text DEFAULT ', ') RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(format(template, prefix, array_position(reached.columns, c.name), c.name), separator ORDER BY c.place)
    FROM unnest(columns) WITH ORDINALITY AS c (name, place)
$$;
COMMENT ON FUNCTION clean_values(clean_table, name[], text, text, text) IS
'internal: a list of columns; in the template, %1$s is the prefix, %2$s the number in the scratch table, %3$I the name';

-- The columns of a row as it will be, named as in the table: t is the row, w its entry in the scratch table.
CREATE FUNCTION clean_image(reached clean_table, t text, w text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
    SELECT string_agg(CASE WHEN p.place IS NULL THEN format('%s.%I AS %2$I', t, c.name) ELSE format('%s.n%s AS %I', w, p.place, c.name) END,
                      ', ' ORDER BY c.place)
    FROM unnest(reached.live) WITH ORDINALITY AS c (name, place), array_position(reached.columns, c.name) AS p (place));
END $$;
COMMENT ON FUNCTION clean_image(clean_table, text, text) IS 'internal: the columns of a row as it will be';

CREATE FUNCTION clean_moving(reached clean_table) RETURNS name[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT reached.turned || ARRAY(SELECT g.col FROM @extschema@.clean_generated(reached.rel) AS g
                                   WHERE g.col = ANY (reached.columns) AND g.bases && reached.turned)
$$;
COMMENT ON FUNCTION clean_moving(clean_table) IS 'internal: the columns of references, and those that are generated from them';

-- A statement that computes generated columns again for rows that stay and were changed at the step $1, or NULL for a table that
-- has none in its scratch table.
CREATE FUNCTION clean_generate(reached clean_table) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('UPDATE %1$s AS w SET %2$s
                   FROM (SELECT w.tab, w.tid, g.* FROM %1$s AS w JOIN %3$s AS t ON t.tableoid = w.tab AND t.ctid = w.tid,
                         LATERAL (SELECT %4$s FROM (SELECT %5$s) AS i) AS g
                         WHERE w.stamp = $1 AND NOT w.goes) AS x
                   WHERE x.tab = w.tab AND x.tid = w.tid',
                  reached.work, string_agg(format('n%s = x.g%1$s', c.place), ', '), reached.source,
                  string_agg(format('(%s) AS g%s', g.expression, c.place), ', '), @extschema@.clean_image(reached, 't'::text, 'w'::text))
    FROM @extschema@.clean_generated(reached.rel) AS g, array_position(reached.columns, g.col) AS c (place)
    WHERE c.place IS NOT NULL
    HAVING count(*) > 0
$$;
COMMENT ON FUNCTION clean_generate(clean_table) IS 'internal: a statement that computes generated columns again for rows that were changed at step $1';

-- Turns what refers by one reference to rows that go or whose keys change, and have changed since a step. The first
-- statement does so for rows that the scratch table of the referring table has, the second for the others. Both run with
-- the caller's search path, for the condition of a reference.
CREATE FUNCTION clean_turn(child clean_table, parent clean_table, link clean_reference, since int4, locks boolean) RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    differs text := 'ROW(%s)::pg_catalog.record OPERATOR(pg_catalog.*<>) ROW(%s)::pg_catalog.record';
    changed text := format('k.stamp OPERATOR(pg_catalog.>) %s AND (k.goes OR ' || differs || ')', since,
                           @extschema@.clean_values(parent, link.parent_columns, 'k.o'::text, '%s%s'::text, ', '::text),
                           @extschema@.clean_values(parent, link.parent_columns, 'k.n'::text, '%s%s'::text, ', '::text))
                    || CASE WHEN link.parent_parts IS NULL THEN '' ELSE format(' AND k.tab OPERATOR(pg_catalog.=) ANY (%L::pg_catalog.oid[])', link.parent_parts) END;
    targets text := format('%1$s AS k JOIN %1$s AS g ON g.tab OPERATOR(pg_catalog.=) k.to_tab AND g.tid OPERATOR(pg_catalog.=) k.to_tid', parent.work);
    is_row text := 't.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid';
    known text;
    found text;
    turned text;
    assigned text;
    old text;
BEGIN
    SELECT string_agg(format('k.o%s %s w.n%s', p.place, k.operator, c.place), ' AND '),
           string_agg(format('k.o%s %s t.%I', p.place, k.operator, k.child), ' AND '),
           string_agg(format('CAST(g.n%s AS %s)', p.place, child.types[c.place]), ', ' ORDER BY k.place),
           string_agg(format('n%s = CAST(g.n%s AS %s)', c.place, p.place, child.types[c.place]), ', '),
           string_agg(format('t.%I', k.child), ', ' ORDER BY k.place)
    INTO known, found, turned, assigned, old
    FROM unnest(link.child_columns, link.parent_columns, link.operators) WITH ORDINALITY AS k (child, parent, operator, place),
         array_position(child.columns, k.child) AS c (place), array_position(parent.columns, k.parent) AS p (place);
    RETURN ARRAY[
        format('UPDATE %s AS w SET %s, moved = true, stamp = $1, pair = COALESCE(w.pair, k.pair) FROM %s
                WHERE %s AND %s AND %s AND ' || differs || '%s%s',
               child.work, assigned, targets, changed, known, CASE WHEN child.retires AND parent.rel <> child.rel THEN 'true' ELSE 'NOT w.goes' END,
               @extschema@.clean_values(child, link.child_columns, 'w.n'::text, '%s%s'::text, ', '::text), turned,
               CASE WHEN link.child_parts IS NULL THEN '' ELSE format(' AND w.tab OPERATOR(pg_catalog.=) ANY (%L::pg_catalog.oid[])', link.child_parts) END,
               CASE WHEN link.condition IS NULL THEN '' ELSE format(' AND EXISTS (SELECT FROM %s AS t WHERE %s AND (%s))', link.source, is_row, link.condition) END),
        format('INSERT INTO %s (tab, tid, to_tab, to_tid, pair, goes, moved, settled, stamp%s)
                SELECT t.tableoid, t.ctid, t.tableoid, t.ctid, k.pair, false, ' || differs || ', false, $1%s
                FROM %s AS t CROSS JOIN %s
                WHERE %s AND %s AND NOT EXISTS (SELECT FROM %s AS w WHERE %s)%s%s',
               child.work,
               @extschema@.clean_values(child, child.columns, ''::text, ', o%2$s, n%2$s'::text, ''::text), old, turned,
               (SELECT string_agg(format(', t.%I, %s', c.name, coalesce((
                            SELECT format('CAST(g.n%s AS %s)', array_position(parent.columns, k.parent), child.types[c.place])
                            FROM unnest(link.child_columns, link.parent_columns) AS k (child, parent) WHERE k.child = c.name),
                            format('t.%I', c.name))), '' ORDER BY c.place)
                FROM unnest(child.columns) WITH ORDINALITY AS c (name, place)),
               link.source, targets, changed, found, child.work, is_row,
               CASE WHEN link.condition IS NULL THEN '' ELSE format(' AND (%s)', link.condition) END,
               CASE WHEN NOT locks THEN '' WHEN child.may_go THEN ' FOR UPDATE OF t' ELSE ' FOR NO KEY UPDATE OF t' END)];
END $$;
COMMENT ON FUNCTION clean_turn(clean_table, clean_table, clean_reference, int4, boolean) IS
'internal: two statements that turn what refers to rows that go or whose keys change; since: the step up to which changes are known';

-- The key columns and the operators by which an index finds two rows to conflict, as conditions on x.e1, y.e1 and so on;
-- the condition of a partial index; whether the index is unique; and the columns that are equal where rows conflict.
CREATE FUNCTION clean_conflict(
    index oid, OUT "unique" boolean, OUT keys text, OUT condition text, OUT "names" text, OUT hits text, OUT present text, OUT equals name[], OUT part oid)
RETURNS record
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH key AS (
        SELECT p.place + 1 AS place, a.attname AS name, q.oprname AS operator, @extschema@.clean_operator(q.oid) AS qualified,
               pg_get_indexdef(i.indexrelid, p.place + 1, false)
               || coalesce((SELECT format(' COLLATE %I.%I', n.nspname, l.collname)
                            FROM pg_collation AS l JOIN pg_namespace AS n ON n.oid = l.collnamespace WHERE l.oid = i.indcollation[p.place]), '') AS expression
        FROM pg_index AS i CROSS JOIN LATERAL generate_series(0, i.indnkeyatts - 1) AS p (place)
        JOIN pg_opclass AS s ON s.oid = i.indclass[p.place]
        LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[p.place]
        LEFT JOIN pg_constraint AS c ON c.conindid = i.indexrelid AND c.contype = 'x'
        LEFT JOIN pg_amop AS m ON m.amopfamily = s.opcfamily AND m.amopstrategy = 3 AND m.amoppurpose = 's'
             AND m.amoplefttype = s.opcintype AND m.amoprighttype = s.opcintype
        LEFT JOIN pg_operator AS q ON q.oid = coalesce(c.conexclop[p.place + 1], m.amopopr)
        WHERE i.indexrelid = index
    )
    SELECT i.indisunique,
           (SELECT string_agg(k.expression, ', ' ORDER BY k.place) FROM key AS k),
           coalesce(pg_get_expr(i.indpred, i.indrelid), 'true'),
           (SELECT string_agg(format('e%s', k.place), ', ' ORDER BY k.place) FROM key AS k),
           (SELECT string_agg(format(CASE WHEN i.indnullsnotdistinct THEN '(x.e%1$s %2$s y.e%1$s OR num_nulls(x.e%1$s, y.e%1$s) = 2)'
                                          ELSE 'x.e%1$s %2$s y.e%1$s' END, k.place, k.qualified), ' AND ') FROM key AS k),
           (SELECT CASE WHEN i.indnullsnotdistinct THEN 'true' ELSE string_agg(format('e.e%s IS NOT NULL', k.place), ' AND ') END FROM key AS k),
           ARRAY(SELECT k.name FROM key AS k WHERE k.name IS NOT NULL AND (i.indisunique OR k.operator = '=')),
           i.indrelid
    INTO "unique", keys, condition, "names", hits, present, equals, part
    FROM pg_index AS i WHERE i.indexrelid = index;
END $$;
COMMENT ON FUNCTION clean_conflict(oid) IS 'internal: how a unique index, or that of an exclusion constraint, finds rows to conflict';

-- Lets rows go that a unique or exclusion constraint would find to conflict, now that references have been turned. The
-- row that stays is one that a pair says to stay, else one whose key was so, else that of the first pair.
CREATE FUNCTION clean_collide(reached clean_table, index oid, step int4, since int4, locks boolean, has_rules boolean) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c record;
    of_part text;
    head text;
    tail text;
    entry text;
    gone bigint;
    others name[];
    constraint_name name := (SELECT r.relname FROM pg_class AS r WHERE r.oid = index);
    of_key name[] := ARRAY(SELECT k.name FROM unnest(@extschema@.clean_constraint_columns(index)) AS k (name) WHERE k.name = ANY (@extschema@.clean_moving(reached)));
    is_moved text := format('ROW(%s)::record *<> ROW(%s)::record', @extschema@.clean_values(reached, of_key, 'w.o'::text, '%s%s'::text, ', '::text),
                            @extschema@.clean_values(reached, of_key, 'w.n'::text, '%s%s'::text, ', '::text));
    shown record;
BEGIN
    SELECT x.* INTO c FROM @extschema@.clean_conflict(index) AS x;
    of_part := CASE WHEN c.part = reached.rel THEN '' ELSE format(' AND t.tableoid = ANY (%L::oid[])', @extschema@.clean_parts(c.part)) END;
    head := format('CROSS JOIN LATERAL (SELECT %s FROM (SELECT ', c.keys);
    tail := format(') AS i WHERE %s) AS e (%s)', c.condition, c."names");
    entry := format('%s AS w JOIN %s AS t ON t.tableoid = w.tab AND t.ctid = w.tid%s %s',
                    reached.work, reached.source, of_part, head || @extschema@.clean_image(reached, 't'::text, 'w'::text) || tail);

    -- Rows that were there, and that rows which have been turned meet.
    EXECUTE format('INSERT INTO %s (tab, tid, to_tab, to_tid, pair, goes, moved, settled, stamp%s)
                    SELECT t.tableoid, t.ctid, t.tableoid, t.ctid, NULL, false, false, false, $1%s
                    FROM (SELECT DISTINCT y.tab, y.tid
                          FROM (SELECT e.* FROM %s WHERE NOT w.goes AND %s AND w.stamp > $2 AND %s) AS x
                          JOIN (SELECT t.tableoid AS tab, t.ctid AS tid, e.* FROM %s AS t %s WHERE true%s) AS y ON %s) AS d
                    JOIN %s AS t ON t.tableoid = d.tab AND t.ctid = d.tid
                    WHERE NOT EXISTS (SELECT FROM %s AS w WHERE w.tab = d.tab AND w.tid = d.tid)%s',
                   reached.work,
                   @extschema@.clean_values(reached, reached.columns, ''::text, ', o%2$s, n%2$s'::text, ''::text),
                   @extschema@.clean_values(reached, reached.columns, ''::text, ', t.%3$I, t.%3$I'::text, ''::text),
                   entry, is_moved, c.present, reached.source,
                   head || (SELECT string_agg(format('t.%1$I AS %1$I', l.name), ', ') FROM unnest(reached.live) AS l (name)) || tail,
                   of_part, c.hits, reached.source, reached.work, CASE WHEN locks THEN ' FOR UPDATE OF t' ELSE '' END)
    USING step, since;
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM @extschema@.clean_analyze(reached.work, gone);

    IF c."unique" THEN
        EXECUTE format('UPDATE %s AS w SET goes = true, to_tab = x.to_tab, to_tid = x.to_tid, stamp = $1, pair = coalesce(w.pair, x.pair)
                        FROM (SELECT w.tab, w.tid, first_value(w.tab) OVER o AS to_tab, first_value(w.tid) OVER o AS to_tid,
                                     min(w.pair) OVER (PARTITION BY %2$s) AS pair, bool_or(w.stamp > $2) OVER (PARTITION BY %2$s) AS is_new
                              FROM %3$s WHERE NOT w.goes AND %4$s
                              WINDOW o AS (PARTITION BY %2$s ORDER BY NOT w.settled, %5$s, w.pair, w.tab, w.tid)) AS x
                        WHERE x.is_new AND w.tab = x.tab AND w.tid = x.tid AND (x.tab <> x.to_tab OR x.tid <> x.to_tid)',
                       reached.work, (SELECT string_agg('e.' || n.name, ', ') FROM string_to_table(c."names", ', ') AS n (name)), entry, c.present, is_moved)
        USING step, since;
    ELSE
        EXECUTE format('WITH x AS MATERIALIZED (
                            SELECT w.tab, w.tid, w.pair, w.stamp, NOT w.settled AS settled, %5$s AS moved, coalesce(w.pair, 0) AS place, e.*
                            FROM %2$s WHERE NOT w.goes AND %3$s),
                        hit AS MATERIALIZED (
                            SELECT DISTINCT ON (x.tab, x.tid) x.tab, x.tid, y.tab AS to_tab, y.tid AS to_tid, y.pair
                            FROM x JOIN x AS y ON %4$s AND (y.settled, y.moved, y.place, y.tab, y.tid) < (x.settled, x.moved, x.place, x.tab, x.tid)
                            WHERE (x.moved OR y.moved) AND (x.stamp > $2 OR y.stamp > $2)
                            ORDER BY x.tab, x.tid, y.settled, y.moved, y.place, y.tab, y.tid)
                        UPDATE %1$s AS w SET goes = true, to_tab = h.to_tab, to_tid = h.to_tid, stamp = $1, pair = coalesce(w.pair, h.pair)
                        FROM hit AS h
                        WHERE w.tab = h.tab AND w.tid = h.tid
                              AND NOT EXISTS (SELECT FROM hit AS y WHERE y.tab = h.to_tab AND y.tid = h.to_tid)',
                       reached.work, entry, c.present, c.hits, is_moved)
        USING step, since;
    END IF;
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone = 0 THEN
        RETURN 0;
    END IF;
    PERFORM @extschema@.clean_analyze(reached.work, gone);

    -- A key that the table itself makes, and what it generates, need not be equal.
    others := ARRAY(
        SELECT a.attname FROM pg_attribute AS a
        WHERE a.attrelid = reached.rel AND a.attnum > 0 AND NOT a.attisdropped AND a.attidentity = '' AND a.attgenerated = ''
              AND a.attname <> ALL (c.equals)
              AND NOT (a.atthasdef AND EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)))
        ORDER BY a.attnum);
    EXECUTE format('SELECT to_jsonb(t.*) AS goes, to_jsonb(s.*) AS stays, w.settled
                    FROM %1$s AS w JOIN %2$s AS t ON t.tableoid = w.tab AND t.ctid = w.tid
                    JOIN %1$s AS v ON v.tab = w.to_tab AND v.tid = w.to_tid JOIN %2$s AS s ON s.tableoid = v.tab AND s.ctid = v.tid,
                         LATERAL (SELECT ROW(%3$s)::record FROM (SELECT %4$s) AS i) AS a (image), LATERAL (SELECT ROW(%3$s)::record FROM (SELECT %5$s) AS i) AS b (image)
                    WHERE w.goes AND w.stamp = $1 AND (w.settled OR NOT $2 AND a.image *<> b.image)
                    ORDER BY w.pair, w.tab, w.tid LIMIT 1',
                   reached.work, reached.source, (SELECT string_agg(format('i.%I', n.name), ', ') FROM unnest(others) AS n (name)),
                   @extschema@.clean_image(reached, 't'::text, 'w'::text), @extschema@.clean_image(reached, 's'::text, 'v'::text))
    INTO shown USING step, has_rules;
    IF shown.settled THEN
        RAISE EXCEPTION 'two rows of % that should stay would break constraint "%"', reached.name, constraint_name
            USING ERRCODE = 'unique_violation', DETAIL = format('Row %s and row %s would become the same.', shown.goes, shown.stays),
                  HINT = 'Merge these rows first.';
    ELSIF shown.goes IS NOT NULL THEN
        RAISE EXCEPTION 'two rows of % would break constraint "%", and differ otherwise', reached.name, constraint_name
            USING ERRCODE = 'unique_violation', DETAIL = format('Row %s would go, and row %s would stay.', shown.goes, shown.stays),
                  HINT = format('Say what becomes of their columns, such as rules => %L; an empty object keeps those of the row that stays.',
                                jsonb_build_object(reached.name, jsonb_build_object(coalesce((SELECT o.name::text FROM unnest(others) AS o (name) WHERE shown.goes -> o.name::text IS DISTINCT FROM shown.stays -> o.name::text LIMIT 1), others[1]::text), 'first')));
    END IF;

    -- Rows that had gone for one that goes now.
    EXECUTE format('UPDATE %1$s AS w SET to_tab = v.to_tab, to_tid = v.to_tid
                    FROM %1$s AS v WHERE w.goes AND v.goes AND v.stamp = $1 AND v.tab = w.to_tab AND v.tid = w.to_tid', reached.work)
    USING step;
    EXECUTE format('UPDATE %1$s AS v SET pair = x.pair
                    FROM (SELECT w.to_tab, w.to_tid, min(w.pair) AS pair FROM %1$s AS w WHERE w.goes AND w.stamp = $1 GROUP BY w.to_tab, w.to_tid) AS x
                    WHERE v.pair IS NULL AND v.tab = x.to_tab AND v.tid = x.to_tid', reached.work)
    USING step;
    RETURN gone;
END $$;
COMMENT ON FUNCTION clean_collide(clean_table, oid, int4, int4, boolean, boolean) IS
'internal: lets rows go that a constraint finds to conflict, and returns their number; an error if they differ otherwise and no rules are given';

--
-- clean: rows that a merge makes refer to themselves, or twice to one row
--

-- A loop is an element of the array of references, too: two lists of columns of one row that a merge makes equal. A reply that
-- becomes its own parent has one in its reference and its key, an edge whose ends become one row in its two references. It
-- stays one, whatever is turned later, since both ends refer to the same row.
CREATE FUNCTION clean_loops(links clean_reference[], rules jsonb) RETURNS SETOF clean_reference
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    WITH link AS (
        SELECT l.*, ARRAY(SELECT p.name FROM unnest(l.parent_columns) AS p (name) ORDER BY p.name) AS sorted,
               ARRAY(SELECT a.attnum FROM pg_attribute AS a WHERE a.attrelid = l.child AND a.attname = ANY (l.child_columns) ORDER BY a.attnum DESC) AS place
        FROM unnest(links) AS l
    ), pair AS (
        SELECT format('%s refers to the row itself', array_to_string(l.child_columns, ', ')) AS shown, l.child, l.source, l.child_columns, l.parent_columns AS others, l.child_parts, l.condition, 0 AS place
        FROM link AS l WHERE l.child = l.parent
        UNION ALL
        SELECT format('%s and %s refer to the same row', array_to_string(a.child_columns, ', '), array_to_string(b.child_columns, ', ')), b.child, b.source, b.child_columns,
               ARRAY(SELECT a.child_columns[array_position(a.parent_columns, p.name)] FROM unnest(b.parent_columns) WITH ORDINALITY AS p (name, place) ORDER BY p.place),
               b.child_parts, nullif(concat_ws(') AND (', a.condition, b.condition), ''), 1
        FROM link AS a JOIN link AS b ON a.child = b.child AND a.parent = b.parent AND a.sorted = b.sorted AND a.place < b.place
             AND a.child_parts IS NOT DISTINCT FROM b.child_parts AND a.parent_parts IS NOT DISTINCT FROM b.parent_parts
        WHERE NOT a.child_columns @> b.child_columns
    )
    SELECT DISTINCT ON (p.place, p.child, p.child_columns, p.others, p.condition)
           p.shown, p.child, p.child, p.source, p.child_columns, p.others, c.operators, NULL::text[], false, p.child_parts, NULL::oid[], p.condition, coalesce(rules ->> p.child::text, 'ask')
    FROM pair AS p,
         LATERAL (SELECT array_agg(@extschema@.clean_comparison(o.atttypid, a.atttypid) ORDER BY k.place) AS operators
                  FROM unnest(p.child_columns, p.others) WITH ORDINALITY AS k (own, other, place)
                  JOIN pg_attribute AS a ON a.attrelid = p.child AND a.attname = k.own JOIN pg_attribute AS o ON o.attrelid = p.child AND o.attname = k.other) AS c
    WHERE array_position(c.operators, NULL) IS NULL
    ORDER BY p.place, p.child, p.child_columns, p.others, p.condition;
END $$;
COMMENT ON FUNCTION clean_loops(clean_reference[], jsonb) IS 'internal: the loops that references can make, with their rules, by the numbers of tables, or "ask"';

-- What the caller says of loops, by the numbers of tables.
CREATE FUNCTION clean_loop_rules(loops jsonb, path text) RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry record;
    rel regclass;
    rules jsonb := '{}';
BEGIN
    IF jsonb_typeof(loops) <> 'object' THEN
        RAISE EXCEPTION 'loops must be an object' USING ERRCODE = 'invalid_parameter_value', HINT = 'Such as {"edges": "delete", "replies": "null"}.';
    END IF;
    FOR entry IN SELECT e.key, e.value FROM jsonb_each(loops) AS e LOOP
        rel := @extschema@.clean_named(entry.key, path);
        IF rel IS NULL THEN
            RAISE EXCEPTION 'loops name a table "%" that does not exist', entry.key USING ERRCODE = 'undefined_table';
        ELSIF entry.value NOT IN ('"delete"', '"null"', '"keep"') THEN
            RAISE EXCEPTION 'there is no rule % for loops', entry.value USING ERRCODE = 'invalid_parameter_value', HINT = 'The rules are delete, null and keep.';
        END IF;
        rules := rules || jsonb_build_object(@extschema@.clean_root(rel::oid), entry.value);
    END LOOP;
    RETURN rules;
END $$;
COMMENT ON FUNCTION clean_loop_rules(jsonb, text) IS 'internal: the rules of loops by the numbers of tables';

-- A row of a scratch table, "w", that stays, and that the merge has made a loop.
CREATE FUNCTION clean_is_loop(reached clean_table, link clean_reference) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('NOT w.goes AND %s AND (%s) IS NOT TRUE%s%s',
                  string_agg(format('w.n%s %s w.n%s', o.place, k.operator, c.place), ' AND '), string_agg(format('w.o%s %s w.o%s', o.place, k.operator, c.place), ' AND '),
                  CASE WHEN link.child_parts IS NULL THEN '' ELSE format(' AND w.tab OPERATOR(pg_catalog.=) ANY (%L::pg_catalog.oid[])', link.child_parts) END,
                  CASE WHEN link.condition IS NULL THEN ''
                       ELSE format(' AND EXISTS (SELECT FROM %s AS t WHERE t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid AND (%s))', link.source, link.condition) END)
    FROM unnest(link.child_columns, link.parent_columns, link.operators) AS k (own, other, operator),
         array_position(reached.columns, k.own) AS c (place), array_position(reached.columns, k.other) AS o (place)
$$;
COMMENT ON FUNCTION clean_is_loop(clean_table, clean_reference) IS 'internal: a condition for rows of a scratch table that have become loops';

-- A statement that lets loops go, or has the later end refer to nothing. Where none of its columns can be NULL, there is none.
CREATE FUNCTION clean_break(reached clean_table, link clean_reference, since int4) RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    cut name[] := ARRAY(SELECT a.attname FROM pg_attribute AS a
                        WHERE a.attrelid = reached.rel AND a.attname = ANY (link.child_columns) AND a.attname <> ALL (link.parent_columns) AND NOT a.attnotnull);
BEGIN
    IF link.rule = 'null' AND cut = '{}' THEN
        RETURN '{}';
    END IF;
    RETURN ARRAY[format('UPDATE %s AS w SET stamp = $1, %s WHERE w.stamp OPERATOR(pg_catalog.>) %s AND %s', reached.work,
        CASE WHEN link.rule = 'null' THEN format('moved = true, cut = w.cut OPERATOR(pg_catalog.||) %L::pg_catalog.name[]%s', cut, @extschema@.clean_values(reached, cut, ''::text, ', n%2$s = NULL'::text, ''::text))
             ELSE 'goes = true, to_tab = NULL, to_tid = NULL' END,
        since, @extschema@.clean_is_loop(reached, link))];
END $$;
COMMENT ON FUNCTION clean_break(clean_table, clean_reference, int4) IS 'internal: a statement that breaks loops by their rule; since: the step up to which changes are known';

CREATE FUNCTION clean_fetch(statement text, path text) RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found pg_catalog.jsonb;
BEGIN
    PERFORM set_config('search_path', path, true);
    EXECUTE statement INTO found;
    RETURN found;
END $$;
COMMENT ON FUNCTION clean_fetch(text, text) IS 'internal: runs a query with a search path, and returns its first value';

-- Tells loops without a rule. A row that goes because it is a loop has none that stays for it: so nothing may refer to it,
-- and no pair may say that it stays.
CREATE FUNCTION clean_check_loops(tables clean_table[], links clean_reference[], run_path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    link @extschema@.clean_reference;
    parent @extschema@.clean_table;
    child @extschema@.clean_table;
    is_row text := 't.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid';
    shown jsonb;
    rows bigint;
BEGIN
    FOR link IN SELECT l.* FROM unnest(links) AS l ORDER BY l.rule IS NULL LOOP
        SELECT t.* INTO parent FROM unnest(tables) AS t WHERE t.rel = link.parent;
        SELECT t.* INTO child FROM unnest(tables) AS t WHERE t.rel = link.child;
        IF link.rule IS NOT NULL THEN
            shown := @extschema@.clean_fetch(format('SELECT pg_catalog.jsonb_build_array(pg_catalog.count(*), (pg_catalog.array_agg(pg_catalog.to_jsonb(t.*) ORDER BY pg_catalog.to_jsonb(t.*)))[1]) FROM %s AS w JOIN %s AS t ON %s WHERE %s', child.work, child.source, is_row,
                                                    CASE WHEN link.rule = 'delete' THEN 'w.settled AND w.goes AND w.to_tab IS NULL' ELSE @extschema@.clean_is_loop(child, link) END), run_path);
            rows := (shown -> 0)::bigint;
            CONTINUE WHEN rows = 0;
            IF link.rule = 'ask' THEN
                RAISE NOTICE 'the merge makes loops in %: % (% %)', child.name, link.shown, rows, CASE WHEN rows = 1 THEN 'row' ELSE 'rows' END
                    USING DETAIL = format('One of them is %s.', shown -> 1),
                          HINT = format('Say what becomes of them, such as loops => %L; the rules are delete, null and keep.', jsonb_build_object(child.name, 'keep'));
            ELSIF link.rule = 'null' THEN
                RAISE EXCEPTION 'loops in % cannot be broken by null: %', child.name, link.shown
                    USING ERRCODE = 'not_null_violation', DETAIL = format('A column that cannot be null refers in row %s.', shown -> 1);
            ELSE
                RAISE EXCEPTION 'a row of % that should stay is a loop, which would be deleted', child.name
                    USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', shown -> 1), HINT = 'The rules null and keep have it stay.';
            END IF;
        ELSIF EXISTS (SELECT FROM unnest(links) AS l WHERE l.child = parent.rel AND l.rule = 'delete') THEN
            shown := @extschema@.clean_fetch(format('
                SELECT pg_catalog.to_jsonb(t.*) FROM %1$s AS t JOIN (
                    SELECT w.tab, w.tid FROM %2$s AS w JOIN %3$s AS k ON %4$s WHERE NOT w.goes AND k.goes AND k.to_tab IS NULL
                    UNION ALL
                    SELECT t.tableoid, t.ctid FROM %1$s AS t JOIN %3$s AS k ON %5$s
                    WHERE k.goes AND k.to_tab IS NULL AND NOT EXISTS (SELECT FROM %2$s AS w WHERE %6$s)) AS w ON %6$s%7$s LIMIT 1',
                link.source, child.work, parent.work,
                (SELECT string_agg(format('k.o%s %s w.n%s', array_position(parent.columns, c.parent), c.operator, array_position(child.columns, c.child)), ' AND ') FROM unnest(link.parent_columns, link.operators, link.child_columns) AS c (parent, operator, child)),
                (SELECT string_agg(format('k.o%s %s t.%I', array_position(parent.columns, c.parent), c.operator, c.child), ' AND ') FROM unnest(link.parent_columns, link.operators, link.child_columns) AS c (parent, operator, child)),
                is_row, CASE WHEN link.condition IS NULL THEN '' ELSE format(' WHERE (%s)', link.condition) END), run_path);
            IF shown IS NOT NULL THEN
                RAISE EXCEPTION 'a row of % refers to a loop of %, which would be deleted', child.name, parent.name
                    USING ERRCODE = 'foreign_key_violation', DETAIL = format('Row %s refers to it by %s.', shown, link.shown), HINT = 'The rules null and keep have the loop stay.';
            END IF;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_check_loops(clean_table[], clean_reference[], text) IS
'internal: a notice of loops without a rule, and an error if a rule cannot be followed';

--
-- clean: rows that go stay, retired
--

CREATE FUNCTION clean_assignments(assignments text, OUT col text, OUT expression text) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'clean_assignments' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 2;
COMMENT ON FUNCTION clean_assignments(text) IS 'internal: the columns and expressions of a list of assignments, as UPDATE has it behind SET';

-- What becomes of rows that go, as rules: an object of columns and expressions over kept and gone.
CREATE FUNCTION clean_retirement(rel regclass, retire text, path text) RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    a record;
    rules jsonb := '{}';
BEGIN
    FOR a IN SELECT x.col, x.expression FROM @extschema@.clean_assignments(retire) AS x LOOP
        IF rules ? a.col THEN
            RAISE EXCEPTION 'retire assigns to column "%" twice', a.col USING ERRCODE = 'syntax_error';
        ELSIF EXISTS (SELECT FROM pg_attribute AS x WHERE x.attrelid = rel AND x.attname = a.col AND x.attnum > 0 AND (x.attgenerated <> '' OR x.attidentity = 'a')) THEN
            RAISE EXCEPTION 'retire cannot assign to column "%" of %', a.col, @extschema@.clean_shown(rel, path)
                USING ERRCODE = 'generated_always', DETAIL = 'The table itself gives its values.';
        END IF;
        IF NOT EXISTS (SELECT FROM pg_attribute AS x WHERE x.attrelid = rel AND x.attname = a.col AND x.attnum > 0 AND NOT x.attisdropped) THEN
            RAISE EXCEPTION 'column "%" of % does not exist', a.col, @extschema@.clean_shown(rel, path) USING ERRCODE = 'undefined_column';
        END IF;
        rules := rules || jsonb_build_object(a.col, format(E'CAST((%s\n) AS %s)', a.expression, (SELECT @extschema@.clean_type(x.atttypid, -1) FROM pg_attribute AS x WHERE x.attrelid = rel AND x.attname = a.col)));
    END LOOP;
    RETURN rules;
END $$;
COMMENT ON FUNCTION clean_retirement(regclass, text, text) IS 'internal: the columns that are assigned to in rows that go, with expressions of their types';

-- A row that retires is as it was, but for what is assigned to it. What it refers to in its own table stays, too; so its
-- references there are not turned. Rows of other tables may go, so references to these are.
CREATE FUNCTION clean_retire(reached clean_table, links clean_reference[], rules jsonb) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('UPDATE %1$s AS w SET stamp = $1, %2$s
                   FROM (SELECT w.tab, w.tid%3$s
                         FROM %1$s AS w JOIN %4$s AS t ON t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid
                         LEFT JOIN (%1$s AS k JOIN %4$s AS s ON s.tableoid OPERATOR(pg_catalog.=) k.tab AND s.ctid OPERATOR(pg_catalog.=) k.tid)
                              ON k.tab OPERATOR(pg_catalog.=) w.to_tab AND k.tid OPERATOR(pg_catalog.=) w.to_tid
                         CROSS JOIN LATERAL (SELECT %5$s) AS gone CROSS JOIN LATERAL (SELECT %6$s) AS kept
                         WHERE w.goes) AS x
                   WHERE x.tab OPERATOR(pg_catalog.=) w.tab AND x.tid OPERATOR(pg_catalog.=) w.tid',
                  reached.work,
                  string_agg(CASE WHEN rules ? c.name THEN format('n%1$s = x.v%1$s', c.place)
                                  WHEN EXISTS (SELECT FROM unnest(links) AS l WHERE l.child = reached.rel AND l.parent <> reached.rel AND c.name = ANY (l.child_columns)) THEN format('n%1$s = w.n%1$s', c.place)
                                  ELSE format('n%1$s = w.o%1$s', c.place) END, ', '),
                  string_agg(CASE WHEN rules ? c.name THEN format(', %s AS v%s', rules ->> c.name, c.place) END, ''),
                  reached.source, (SELECT string_agg(format('t.%1$I AS %1$I', l.name), ', ' ORDER BY l.place) FROM unnest(reached.live) WITH ORDINALITY AS l (name, place)),
                  @extschema@.clean_image(reached, 's'::text, 'k'::text))
    FROM unnest(reached.columns) WITH ORDINALITY AS c (name, place)
$$;
COMMENT ON FUNCTION clean_retire(clean_table, clean_reference[], jsonb) IS 'internal: a statement that assigns to columns of rows that go; it runs with the caller''s search path';

--
-- clean: what becomes of the columns of rows that are merged
--

-- Each rule is an expression over two rows, kept and gone, and several rows go into one by one, in
-- the order of the pairs.

CREATE FUNCTION clean_union(kept jsonb, gone jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN kept IS NULL THEN gone WHEN gone IS NULL THEN kept
           WHEN jsonb_typeof(kept) = 'object' AND jsonb_typeof(gone) = 'object' THEN gone || kept
           ELSE (SELECT jsonb_agg(d.element ORDER BY d.place)
                 FROM (SELECT DISTINCT ON (e.element) e.element, e.place
                       FROM jsonb_array_elements(CASE jsonb_typeof(kept) WHEN 'array' THEN kept ELSE jsonb_build_array(kept) END
                                                 || CASE jsonb_typeof(gone) WHEN 'array' THEN gone ELSE jsonb_build_array(gone) END)
                            WITH ORDINALITY AS e (element, place) ORDER BY e.element, e.place) AS d) END
$$;
COMMENT ON FUNCTION clean_union(jsonb, jsonb) IS 'internal: the rule union of jsonb: keys of objects, of which the row that stays has its own, or elements';

CREATE FUNCTION clean_concat(kept text, gone text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN coalesce(gone, '') = '' OR strpos(E'\n' || kept || E'\n', E'\n' || gone || E'\n') > 0 THEN kept
           WHEN coalesce(kept, '') = '' THEN gone ELSE kept || E'\n' || gone END
$$;
COMMENT ON FUNCTION clean_concat(text, text) IS 'internal: the rule concat: the lines of both, without a text that is there already';

-- Rules by the number of a table. A rule of the table itself is a string, those of another table are an object.
CREATE FUNCTION clean_rules(rules jsonb, path text, OUT own jsonb, OUT others jsonb)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry record;
    other regclass;
BEGIN
    own := '{}';
    others := '{}';
    IF jsonb_typeof(rules) <> 'object' THEN
        RAISE EXCEPTION 'rules must be an object'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Such as {"email": "first", "tags": {"added": "least"}}.';
    END IF;
    FOR entry IN SELECT e.key, e.value, jsonb_typeof(e.value) AS kind FROM jsonb_each(rules) AS e LOOP
        IF entry.kind = 'string' THEN
            own := own || jsonb_build_object(entry.key, entry.value);
        ELSIF entry.kind = 'object' THEN
            other := @extschema@.clean_named(entry.key, path);
            IF other IS NULL THEN
                RAISE EXCEPTION 'rules name a table "%" that does not exist', entry.key
                    USING ERRCODE = 'undefined_table', HINT = 'The rule of a column is a string; an object has the rules of another table.';
            END IF;
            IF EXISTS (SELECT FROM jsonb_each(entry.value) AS c WHERE jsonb_typeof(c.value) <> 'string') THEN
                RAISE EXCEPTION 'the rules of table "%" must be strings', entry.key USING ERRCODE = 'invalid_parameter_value';
            END IF;
            others := others || jsonb_build_object(@extschema@.clean_root(other::oid), entry.value);
        ELSE
            RAISE EXCEPTION 'the rule of "%" must be a string, or an object with the rules of a table', entry.key
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_rules(jsonb, text) IS 'internal: rules of the columns of the table, own, and by the numbers of other tables, others';

CREATE FUNCTION clean_expression(rel oid, shown text, name name, rule text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    present text := (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute AS a
                     WHERE a.attrelid = rel AND a.attnum > 0 AND NOT a.attisdropped);
    a pg_attribute;
    category "char";
    kept text := format('kept.%I', name);
    gone text := format('gone.%I', name);
    newest name;
BEGIN
    SELECT x.* INTO a FROM pg_attribute AS x WHERE x.attrelid = rel AND x.attname = name AND x.attnum > 0 AND NOT x.attisdropped;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'rules name a column "%" that % does not have', name, shown
            USING ERRCODE = 'undefined_column', HINT = format('The columns are: %s.', present);
    END IF;
    IF rule IS NULL THEN
        RAISE EXCEPTION 'the rule of column "%" must be a string', name USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF a.attgenerated <> '' OR a.attidentity <> '' THEN
        RAISE EXCEPTION 'column "%" of % cannot have a rule', name, shown
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Generated and identity columns stay as they are in the row that stays.';
    END IF;
    SELECT t.typcategory INTO category FROM pg_type AS t WHERE t.oid = a.atttypid;
    CASE
    WHEN rule = 'keep' THEN
        RETURN kept;
    WHEN rule = 'first' THEN
        RETURN format('COALESCE(%s, %s)', kept, gone);
    WHEN rule IN ('least', 'greatest') THEN
        RETURN format('%s(%s, %s)', upper(rule), kept, gone);
    WHEN rule = 'longest' THEN
        RETURN format('CASE WHEN pg_catalog.num_nulls(%1$s) OPERATOR(pg_catalog.=) 1 OR pg_catalog.length(pg_catalog.format(''%%s''::pg_catalog.text, %2$s))
                       OPERATOR(pg_catalog.>) pg_catalog.length(pg_catalog.format(''%%s''::pg_catalog.text, %1$s)) THEN %2$s ELSE %1$s END', kept, gone);
    WHEN rule = 'sum' THEN
        RETURN format('COALESCE(%1$s OPERATOR(pg_catalog.+) %2$s, %1$s, %2$s)', kept, gone);
    WHEN rule = 'concat' AND category = 'S' THEN
        RETURN format('@extschema@.clean_concat(%s::pg_catalog.text, %s::pg_catalog.text)', kept, gone);
    WHEN rule = 'union' AND category = 'A' THEN
        -- The elements of both, each once, in their order.
        RETURN format('CASE WHEN %1$s IS NULL THEN %2$s WHEN %2$s IS NULL THEN %1$s ELSE COALESCE((
                           SELECT pg_catalog.array_agg(d.element ORDER BY d.place)
                           FROM (SELECT DISTINCT ON (e.element) e.element, e.place
                                 FROM pg_catalog.unnest(%1$s OPERATOR(pg_catalog.||) %2$s) WITH ORDINALITY AS e (element, place)
                                 ORDER BY e.element, e.place) AS d), ''{}'') END', kept, gone);
    WHEN rule = 'union' AND a.atttypid = 'jsonb'::regtype THEN
        RETURN format('@extschema@.clean_union(%s, %s)', kept, gone);
    WHEN rule IN ('concat', 'union') THEN
        RAISE EXCEPTION 'rule "%" does not fit column "%" of type %', rule, name, format_type(a.atttypid, a.atttypmod)
            USING ERRCODE = 'datatype_mismatch', HINT = 'The rule concat is for texts, union for arrays and jsonb. Otherwise give an expression over kept and gone.';
    WHEN rule ~ '^newest by .' THEN
        SELECT x.attname INTO newest FROM pg_attribute AS x
        WHERE x.attrelid = rel AND x.attnum > 0 AND NOT x.attisdropped AND btrim(substr(rule, 11)) IN (x.attname, quote_ident(x.attname));
        IF newest IS NULL THEN
            RAISE EXCEPTION 'rule "%" names a column that % does not have', rule, shown
                USING ERRCODE = 'undefined_column', HINT = format('The columns are: %s.', present);
        END IF;
        RETURN format('CASE WHEN g.is_newest[%s] THEN %s ELSE %s END', a.attnum, gone, kept);
    WHEN rule ~ '^\s*[[:alpha:]]+\s*$' AND lower(btrim(rule)) NOT IN ('null', 'true', 'false') THEN
        RAISE EXCEPTION 'there is no rule "%"', rule
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Rules are keep, first, longest, least, greatest, sum, concat, union, newest by COLUMN, or an SQL expression over kept and gone; put parentheses around an expression that is one word.';
    ELSE
        RETURN format(E'(%s\n)', rule);
    END CASE;
END $$;
COMMENT ON FUNCTION clean_expression(oid, text, name, text) IS 'internal: a rule as an expression over the rows kept and gone; shown: what messages call the table';

-- A statement that merges the columns of rows which went at the step $1 into the rows that stay. It runs with the
-- caller's search path, for the expressions that he wrote.
CREATE FUNCTION clean_fold(reached clean_table, rules jsonb) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    equal text := 'OPERATOR(pg_catalog.=)';
    source text;
    gone text;
    first text;
    next text;
    kept text;
    assigned text;
    flags text;
BEGIN
    SELECT string_agg(format('c%s', l.place), ', ' ORDER BY l.place), string_agg(format('g.c%s AS %I', l.place, l.name), ', ' ORDER BY l.place),
           string_agg(CASE WHEN rules ? l.name THEN format('f.v%s AS %I', array_position(reached.columns, l.name), l.name)
                           ELSE format('k.c%s AS %I', l.place, l.name) END, ', ' ORDER BY l.place)
    INTO source, gone, kept
    FROM unnest(reached.live) WITH ORDINALITY AS l (name, place);
    SELECT string_agg(format('p.c%s::%s%s', array_position(reached.live, r.name), t.type, t.collation), ', ' ORDER BY r.place),
           string_agg(format('CAST(%s AS %s)%s', @extschema@.clean_expression(reached.rel, reached.name, r.name, rules ->> r.name), t.type, t.collation), ', ' ORDER BY r.place),
           string_agg(format('n%1$s = f.v%1$s', r.place), ', ')
    INTO first, next, assigned
    FROM unnest(reached.columns) WITH ORDINALITY AS r (name, place)
    JOIN pg_attribute AS a ON a.attrelid = reached.rel AND a.attname = r.name,
         LATERAL (SELECT reached.types[r.place] AS type, coalesce((SELECT format(' COLLATE %I.%I', n.nspname, l.collname)
                  FROM pg_collation AS l JOIN pg_namespace AS n ON n.oid = l.collnamespace WHERE l.oid = a.attcollation), '') AS collation) AS t
    WHERE rules ? r.name;
    -- For the number of each column, whether the row has the newest value there of its group.
    SELECT format('ARRAY[%s]', string_agg(coalesce((
               SELECT format('pg_catalog.row_number() OVER (PARTITION BY i.to_tab, i.to_tid
                              ORDER BY pg_catalog.num_nulls(i.c%s), i.c%s DESC NULLS LAST, i.goes, i.pair, i.tab, i.tid) %s 1',
                             array_position(reached.live, a.attname), l.place, equal)
               FROM unnest(reached.live) WITH ORDINALITY AS l (name, place)
               WHERE rules ->> a.attname ~ '^newest by .' AND btrim(substr(rules ->> a.attname, 11)) IN (l.name, quote_ident(l.name)) LIMIT 1), 'false'), ', ' ORDER BY a.attnum))
    INTO flags
    FROM pg_attribute AS a WHERE a.attrelid = reached.rel AND a.attnum > 0;

    RETURN format($q$
        WITH RECURSIVE image (tab, tid, to_tab, to_tid, goes, pair, %2$s) AS MATERIALIZED (
            SELECT w.tab, w.tid, w.to_tab, w.to_tid, w.goes, w.pair, i.*
            FROM (SELECT g.tab, g.tid FROM %1$s AS g WHERE g.goes AND g.stamp %3$s $1
                  UNION SELECT g.to_tab, g.to_tid FROM %1$s AS g WHERE g.goes AND g.stamp %3$s $1) AS q
            JOIN %1$s AS w ON w.tab %3$s q.tab AND w.tid %3$s q.tid
            JOIN %4$s AS t ON t.tableoid %3$s w.tab AND t.ctid %3$s w.tid CROSS JOIN LATERAL (SELECT %5$s) AS i
        ), row_of_group AS MATERIALIZED (
            SELECT i.*, pg_catalog.row_number() OVER (PARTITION BY i.to_tab, i.to_tid ORDER BY i.goes, i.pair, i.tab, i.tid) AS place, %6$s AS is_newest
            FROM image AS i
        ), fold (tab, tid, place, %7$s) AS (
            SELECT p.tab, p.tid, p.place, %8$s FROM row_of_group AS p WHERE NOT p.goes
            UNION ALL
            SELECT f.tab, f.tid, g.place, x.*
            FROM fold AS f JOIN row_of_group AS k ON k.tab %3$s f.tab AND k.tid %3$s f.tid
            JOIN row_of_group AS g ON g.to_tab %3$s f.tab AND g.to_tid %3$s f.tid AND g.place %3$s (f.place OPERATOR(pg_catalog.+) 1)
            CROSS JOIN LATERAL (SELECT %9$s FROM (SELECT %10$s) AS kept, (SELECT %11$s) AS gone) AS x
        )
        UPDATE %1$s AS w SET stamp = $1, %12$s
        FROM (SELECT DISTINCT ON (f.tab, f.tid) f.* FROM fold AS f ORDER BY f.tab, f.tid, f.place DESC) AS f
        WHERE w.tab %3$s f.tab AND w.tid %3$s f.tid
        $q$, reached.work, source, equal, reached.source, @extschema@.clean_image(reached, 't'::text, 'w'::text), flags,
        (SELECT string_agg(format('v%s', r.place), ', ' ORDER BY r.place) FROM unnest(reached.columns) WITH ORDINALITY AS r (name, place) WHERE rules ? r.name),
        first, next, kept, gone, assigned);
END $$;
COMMENT ON FUNCTION clean_fold(clean_table, jsonb) IS 'internal: a statement that merges columns of rows that went at step $1';

--
-- clean: the pairs of a merge, and their rows
--

-- The operator by which keys of a type are equal: that of its default class.
CREATE FUNCTION clean_equality(type oid) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    base oid := @extschema@.clean_base(type);
    found oid;
BEGIN
    SELECT m.amopopr INTO found
    FROM pg_opclass AS c JOIN pg_am AS h ON h.oid = c.opcmethod AND h.amname IN ('btree', 'hash')
    JOIN pg_amop AS m ON m.amopfamily = c.opcfamily AND m.amoplefttype = c.opcintype AND m.amoprighttype = c.opcintype
         AND m.amopstrategy = CASE h.amname WHEN 'btree' THEN 3 ELSE 1 END
    JOIN pg_type AS t ON t.oid = base
    WHERE c.opcdefault
          AND (c.opcintype = base
               OR EXISTS (SELECT FROM pg_cast AS b WHERE b.castsource = base AND b.casttarget = c.opcintype AND b.castmethod = 'b' AND b.castcontext = 'i')
               OR c.opcintype = CASE WHEN t.typcategory = 'A' THEN 'anyarray'::regtype WHEN t.typtype = 'e' THEN 'anyenum'::regtype
                                     WHEN t.typtype = 'r' THEN 'anyrange'::regtype WHEN t.typtype = 'm' THEN 'anymultirange'::regtype
                                     WHEN t.typtype = 'c' THEN 'record'::regtype END)
    ORDER BY c.opcintype <> base, h.amname, (SELECT p.typispreferred FROM pg_type AS p WHERE p.oid = c.opcintype) DESC LIMIT 1;
    IF found IS NULL THEN
        RAISE EXCEPTION 'values of type % cannot be compared', format_type(type, -1) USING ERRCODE = 'undefined_function';
    END IF;
    RETURN @extschema@.clean_operator(found);
END $$;
COMMENT ON FUNCTION clean_equality(oid) IS 'internal: the operator by which values of a type are equal';

-- A key of another type is cast to the type of the column, which may round it: 1.4 is no row 1. So the cast must lead back. A text is
-- read as the type's input reads it, but may be longer than a column of texts holds.
CREATE FUNCTION clean_lost(reached clean_table, key name, pairs text, path text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own pg_type := (SELECT t FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = @extschema@.clean_base(a.atttypid) WHERE a.attrelid = reached.rel AND a.attname = key);
    types oid[];
    given record;
    expressions text[] := '{}';
BEGIN
    PERFORM set_config('search_path', path, true);
    -- The row of NULLs tells the types.
    EXECUTE pg_catalog.format('SELECT ARRAY[pg_catalog.pg_typeof(q.gone)::pg_catalog.oid, pg_catalog.pg_typeof(q.kept)::pg_catalog.oid]
                               FROM (SELECT) AS o LEFT JOIN (SELECT * FROM (%s) AS q (gone, kept) LIMIT 0) AS q ON true', pairs) INTO types;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    FOR given IN
        SELECT c.name, t.oid AS type, EXISTS (SELECT FROM pg_cast AS p WHERE p.castsource = own.oid AND p.casttarget = t.oid) AS leads_back,
               t.typcategory = 'S' AND own.typcategory <> 'S' AS is_read, own.typcategory = 'S' AS is_written
        FROM unnest('{gone,kept}'::text[], types) WITH ORDINALITY AS c (name, type, place) JOIN pg_type AS t ON t.oid = @extschema@.clean_base(c.type)
        WHERE t.oid <> own.oid AND t.typtype <> 'p' ORDER BY c.place
    LOOP
        IF given.leads_back AND NOT given.is_read THEN
            expressions := expressions || format('CASE WHEN NOT (q.%1$s %2$s CAST(CAST(q.%1$s AS %3$s) AS %4$s)) THEN pg_catalog.format(''%%s'', q.%1$s) END',
                given.name, @extschema@.clean_equality(given.type), @extschema@.clean_type(own.oid, -1), @extschema@.clean_type(given.type, -1));
        ELSIF NOT given.leads_back AND NOT given.is_read AND NOT given.is_written THEN
            RAISE EXCEPTION 'keys of the pairs are of type %, and column "%" is of type %', format_type(given.type, -1), key, format_type(own.oid, -1)
                USING ERRCODE = 'datatype_mismatch';
        END IF;
    END LOOP;
    RETURN coalesce(nullif(array_to_string(expressions, ', '), ''), 'NULL');
END $$;
COMMENT ON FUNCTION clean_lost(clean_table, name, text, text) IS 'internal: expressions for keys of pairs that are not those of the column, as text, NULL for others';

-- Reads the pairs, and follows chains to the row that stays.
CREATE FUNCTION clean_pairs(reached clean_table, key name, statement text, type text, equal text, path text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    pairs text := @extschema@.clean_scratch('pairs'::text, format('place bigint, gone %1$s, target %1$s, kept %1$s, gone_tab oid, gone_tid tid, kept_tab oid, kept_tid tid, lost text', type));
    rows bigint;
    shown record;
    round int := 0;
BEGIN
    IF statement ~ '^\s*[\w."]+\s*$' THEN
        RAISE EXCEPTION 'pairs must be the text of a query, not a name'
            USING ERRCODE = 'syntax_error', HINT = 'Give the text of a SELECT with two columns, the row that goes and the row that stays.';
    END IF;
    statement := rtrim(statement, E'; \t\r\n') || E'\n';
    rows := @extschema@.clean_execute(format($q$
        INSERT INTO %1$s (place, gone, target, kept, lost)
        SELECT pg_catalog.min(n.place), n.gone, n.kept, n.kept, pg_catalog.min(n.lost)
        FROM (SELECT pg_catalog.row_number() OVER () AS place, q.gone::%2$s AS gone, q.kept::%2$s AS kept, COALESCE(%5$s) AS lost
              FROM (%4$s) AS q (gone, kept)) AS n
        WHERE NOT (n.gone %3$s n.kept) OR n.lost IS NOT NULL GROUP BY n.gone, n.kept
        $q$, pairs, type, equal, statement, @extschema@.clean_lost(reached, key, statement, path)), path, NULL::int4);
    EXECUTE format('SELECT p.lost FROM %s AS p WHERE p.lost IS NOT NULL ORDER BY p.place LIMIT 1', pairs) INTO shown;
    IF shown.lost IS NOT NULL THEN
        RAISE EXCEPTION 'pairs name a row of % that is not there', reached.name
            USING ERRCODE = 'no_data_found', DETAIL = format('No row has %I = %s.', key, shown.lost);
    END IF;
    PERFORM @extschema@.clean_analyze(pairs, rows);
    EXECUTE format('SELECT p.gone, min(p.place) AS place, (array_agg(format(''%%s'', p.kept) ORDER BY p.place))[1:2] AS kept
                    FROM %s AS p GROUP BY p.gone HAVING count(*) > 1 ORDER BY 2 LIMIT 1', pairs)
    INTO shown;
    IF shown.place IS NOT NULL THEN
        RAISE EXCEPTION 'row % would go into two rows, % and %', shown.gone, shown.kept[1], shown.kept[2]
            USING ERRCODE = 'cardinality_violation',
                  HINT = 'Each row that goes must have one row that stays, as near_duplicates and cluster_pairs return them.';
    END IF;
    WHILE rows > 0 LOOP
        EXECUTE format('UPDATE %1$s AS p SET kept = n.kept FROM %1$s AS n WHERE n.gone %2$s p.kept', pairs, equal);
        GET DIAGNOSTICS rows = ROW_COUNT;
        round := round + 1;
        -- Each round doubles the part of a chain that is followed.
        IF round > 60 THEN
            EXECUTE format('WITH RECURSIVE circle (key, path, place) AS (
                                (SELECT p.kept, ARRAY[format(''%%s'', p.kept)], 1 FROM %1$s AS p JOIN %1$s AS n ON n.gone %2$s p.kept ORDER BY p.place LIMIT 1)
                                UNION ALL
                                SELECT p.target, c.path || format(''%%s'', p.target), c.place + 1 FROM circle AS c JOIN %1$s AS p ON p.gone %2$s c.key
                                WHERE c.place = 1 OR c.place < 20 AND c.path[1] <> c.path[c.place])
                            SELECT c.path[1] AS first, array_to_string(c.path, '' into '') AS path FROM circle AS c ORDER BY c.place DESC LIMIT 1', pairs, equal)
            INTO shown;
            RAISE EXCEPTION 'pairs make a circle: % ...', shown.path
                USING ERRCODE = 'invalid_recursion', HINT = 'Of rows that go into each other, one must stay.';
        END IF;
    END LOOP;
    RETURN pairs;
END $$;
COMMENT ON FUNCTION clean_pairs(clean_table, name, text, text, text, text) IS 'internal: reads pairs into a scratch table, each with the row that stays in the end';

-- Takes the rows of the pairs into the scratch table of their table.
CREATE FUNCTION clean_locate(reached clean_table, key name, pairs text, equal text, path text, locks boolean) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place int := array_position(reached.columns, key);
    rows bigint;
    shown record;
BEGIN
    rows := @extschema@.clean_execute(format('
        INSERT INTO %1$s (tab, tid, to_tab, to_tid, goes, moved, settled, stamp%2$s)
        SELECT t.tableoid, t.ctid, t.tableoid, t.ctid, false, false, false, 1%3$s
        FROM %4$s AS t JOIN (SELECT p.gone AS key FROM %5$s AS p UNION SELECT p.kept FROM %5$s AS p) AS q ON q.key %6$s t.%7$I
        ORDER BY t.%7$I%8$s',
        reached.work,
        @extschema@.clean_values(reached, reached.columns, ''::text, ', o%2$s, n%2$s'::text, ''::text),
        @extschema@.clean_values(reached, reached.columns, ''::text, ', t.%3$I, t.%3$I'::text, ''::text),
        reached.source, pairs, equal, key, CASE WHEN locks THEN ' FOR UPDATE OF t' ELSE '' END), path, NULL::int4);
    PERFORM @extschema@.clean_analyze(reached.work, rows);
    EXECUTE format('UPDATE %1$s AS p SET gone_tab = g.tab, gone_tid = g.tid, kept_tab = k.tab, kept_tid = k.tid
                    FROM %2$s AS g, %2$s AS k WHERE g.o%3$s %4$s p.gone AND k.o%3$s %4$s p.kept', pairs, reached.work, place, equal);
    PERFORM @extschema@.clean_analyze(pairs, rows);
    EXECUTE format('SELECT format(''%%s'', q.key) AS key FROM (SELECT p.gone AS key, p.place FROM %1$s AS p UNION ALL SELECT p.kept, p.place FROM %1$s AS p) AS q
                    WHERE NOT EXISTS (SELECT FROM %2$s AS w WHERE w.o%3$s %4$s q.key) ORDER BY q.place LIMIT 1', pairs, reached.work, place, equal)
    INTO shown;
    IF shown.key IS NOT NULL THEN
        RAISE EXCEPTION 'pairs name a row of % that is not there', reached.name
            USING ERRCODE = 'no_data_found', DETAIL = format('No row has %I = %s.', key, shown.key),
                  HINT = 'If rows of the pairs may have gone meanwhile, leave such pairs out in the query.';
    END IF;
    EXECUTE format('SELECT format(''%%s'', w.o%1$s) AS key FROM %2$s AS w GROUP BY w.o%1$s HAVING count(*) > 1 LIMIT 1', place, reached.work) INTO shown;
    IF shown.key IS NOT NULL THEN
        RAISE EXCEPTION 'column "%" of % is no key', key, reached.name
            USING ERRCODE = 'cardinality_violation', DETAIL = format('Several rows have %I = %s.', key, shown.key);
    END IF;
    EXECUTE format('UPDATE %1$s AS w SET goes = true, to_tab = p.kept_tab, to_tid = p.kept_tid, pair = p.place
                    FROM %2$s AS p WHERE p.gone_tab = w.tab AND p.gone_tid = w.tid', reached.work, pairs);
    EXECUTE format('UPDATE %1$s AS w SET settled = true, pair = p.place
                    FROM (SELECT p.kept_tab, p.kept_tid, min(p.place) AS place FROM %2$s AS p GROUP BY p.kept_tab, p.kept_tid) AS p
                    WHERE p.kept_tab = w.tab AND p.kept_tid = w.tid', reached.work, pairs);
    PERFORM @extschema@.clean_analyze(reached.work, rows);
END $$;
COMMENT ON FUNCTION clean_locate(clean_table, name, text, text, text, boolean) IS 'internal: takes the rows of pairs into a scratch table';

--
-- clean: the log of merges
--

-- A value as the log has it: what JSON has of a type where it loses nothing, else the text form. JSON's null is no
-- value of the type jsonb here: it is NULL. JSON's numbers have no negative zero, which float4 and float8 have.
CREATE FUNCTION clean_logged(value text, type oid) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN type IN ('float4'::regtype, 'float8'::regtype)
                THEN format('CASE WHEN format(''%%s'', %1$s) = ''-0'' THEN ''"-0"'' ELSE to_jsonb(%1$s) END', value)
                WHEN type IN ('bool'::regtype, 'int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype, 'text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'uuid'::regtype, 'date'::regtype,
                              'timestamp'::regtype, 'timestamptz'::regtype)
                THEN format('to_jsonb(%s)', value)
                ELSE format('CASE WHEN num_nulls(%1$s) = 0 THEN to_jsonb(format(''%%s'', %1$s)) END', value) END
$$;
COMMENT ON FUNCTION clean_logged(text, oid) IS 'internal: an expression for a value as the log has it';

-- A function takes a hundred arguments, and a table may have more columns than half of that.
CREATE FUNCTION clean_object(rel oid, columns name[], "values" text[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(string_agg(p.part, ' || '), '''{}''::jsonb')
    FROM (SELECT format('jsonb_build_object(%s)', string_agg(format('%L, %s', c.name, @extschema@.clean_logged(c.value, a.atttypid)), ', ' ORDER BY c.place)) AS part
          FROM unnest(columns, "values") WITH ORDINALITY AS c (name, value, place)
          JOIN pg_attribute AS a ON a.attrelid = rel AND a.attname = c.name
          GROUP BY (c.place - 1) / 40) AS p
$$;
COMMENT ON FUNCTION clean_object(oid, name[], text[]) IS 'internal: an expression for an object of columns as the log has them, of expressions for their values';

-- An object of those columns alone that differ.
CREATE FUNCTION clean_difference(rel oid, columns name[], "values" text[], others text[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(string_agg(format('CASE WHEN ROW(%1$s)::record *= ROW(%2$s)::record THEN ''{}''::jsonb ELSE %3$s END', c.value, c.other,
                                      @extschema@.clean_object(rel, ARRAY[c.name]::name[], ARRAY[c.value]::text[])), ' || '), '''{}''::jsonb')
    FROM unnest(columns, "values", others) AS c (name, value, other)
$$;
COMMENT ON FUNCTION clean_difference(oid, name[], text[], text[]) IS 'internal: as clean_object, of the columns whose values differ from others';

-- The columns of the primary key, else of a unique key that is never NULL.
CREATE FUNCTION clean_key(rel oid) RETURNS name[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.names
    FROM pg_index AS i,
         LATERAL (SELECT array_agg(a.attname ORDER BY p.place) AS names, bool_and(coalesce(a.attnotnull, false)) AS are_given
                  FROM generate_series(0, i.indnkeyatts - 1) AS p (place)
                  LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[p.place] AND a.attnum > 0) AS k
    WHERE i.indrelid = rel AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL AND k.are_given
    ORDER BY i.indisprimary DESC, i.indnkeyatts, i.indexrelid LIMIT 1
$$;
COMMENT ON FUNCTION clean_key(oid) IS 'internal: the columns of a key of a table, or NULL';

-- The columns by which a row is found again: those of a key, else all.
CREATE FUNCTION clean_identity(rel oid) RETURNS name[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(@extschema@.clean_key(rel),
                    ARRAY(SELECT a.attname FROM pg_attribute AS a WHERE a.attrelid = rel AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum))
$$;
COMMENT ON FUNCTION clean_identity(oid) IS 'internal: the columns by which the log finds a row again';

-- Makes the log if it is not there, and returns it with its columns checked.
CREATE FUNCTION clean_log(log text, path text) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text := (SELECT string_agg(quote_ident(p.part), '.') FROM unnest(parse_ident(log)) AS p (part));
    found regclass := @extschema@.clean_named(log, path);
    class pg_class;
    lacks text;
BEGIN
    IF found IS NULL THEN
        PERFORM set_config('search_path', path, true);
        EXECUTE pg_catalog.format($q$
            CREATE TABLE %1$s (
                merge pg_catalog.int8 GENERATED BY DEFAULT AS IDENTITY,
                entry pg_catalog.int8,
                at pg_catalog.timestamptz NOT NULL,
                who pg_catalog.text NOT NULL,
                action pg_catalog.text NOT NULL CHECK (action OPERATOR(pg_catalog.=) ANY (ARRAY['gone', 'retired', 'moved', 'merged'])),
                gone pg_catalog.text NOT NULL,
                kept pg_catalog.text NOT NULL,
                rel pg_catalog.regclass NOT NULL,
                key pg_catalog.jsonb NOT NULL,
                before pg_catalog.jsonb NOT NULL,
                after pg_catalog.jsonb,
                columns pg_catalog.jsonb,
                undone pg_catalog.timestamptz,
                PRIMARY KEY (merge, entry));
            COMMENT ON TABLE %1$s IS 'rows that merge_duplicates has changed or deleted, as they were before';
            $q$, name);
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
        found := @extschema@.clean_named(log, path);
    END IF;
    SELECT c.* INTO class FROM pg_class AS c WHERE c.oid = found;
    SELECT string_agg(c.name, ', ' ORDER BY c.place) INTO lacks
    FROM unnest('{merge,entry,at,who,action,gone,kept,rel,key,before,after,columns,undone}'::name[]) WITH ORDINALITY AS c (name, place)
    WHERE NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = found AND a.attname = c.name AND a.attnum > 0 AND NOT a.attisdropped);
    IF lacks IS NOT NULL OR class.relkind NOT IN ('r', 'p') THEN
        RAISE EXCEPTION '% is not a log of merges', @extschema@.clean_shown(found, path)
            USING ERRCODE = 'wrong_object_type', DETAIL = CASE WHEN lacks IS NULL THEN 'It is not a table.' ELSE format('It lacks the columns: %s.', lacks) END,
                  HINT = 'Name a table that does not exist: merge_duplicates makes it.';
    ELSIF class.relnamespace = pg_my_temp_schema() AND pg_get_userbyid(class.relowner) <> current_user THEN
        -- Whoever began the session may have made it, for a function that merges with its owner's rights.
        RAISE EXCEPTION 'log % is a temporary table of another role', @extschema@.clean_shown(found, path)
            USING ERRCODE = 'insufficient_privilege', HINT = 'Name the log with its schema.';
    END IF;
    RETURN found;
END $$;
COMMENT ON FUNCTION clean_log(text, text) IS 'internal: the log of that name, which is made if it is not there';

CREATE FUNCTION clean_number(log regclass, path text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    numbers text := pg_get_serial_sequence(log::text, 'merge');
BEGIN
    IF numbers IS NULL THEN
        RAISE EXCEPTION 'log % does not number merges', @extschema@.clean_shown(log, path)
            USING ERRCODE = 'wrong_object_type', DETAIL = 'Its column "merge" is no identity column, as in a copy of a log.',
                  HINT = 'Name a table that does not exist, which merge_duplicates makes, or have ALTER TABLE add the identity.';
    END IF;
    RETURN nextval(numbers);
END $$;
COMMENT ON FUNCTION clean_number(regclass, text) IS 'internal: the next number of a merge in a log';

-- Who writes an entry has it written back by the hand of the role that undoes it, also by way of a table that the log is a part of.
-- Roles that are members of that role, or superusers, could do so themselves; predefined roles are none that anybody is.
CREATE FUNCTION clean_check_writers(log regclass, path text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    writer name;
BEGIN
    WITH RECURSIVE beneath (rel) AS (
        SELECT log::oid UNION SELECT i.inhrelid FROM beneath AS b JOIN pg_inherits AS i ON i.inhparent = b.rel
    ), above (rel) AS (
        SELECT log::oid UNION SELECT i.inhparent FROM above AS a JOIN pg_inherits AS i ON i.inhrelid = a.rel
    )
    SELECT r.rolname INTO writer
    FROM (TABLE beneath UNION TABLE above) AS t, pg_roles AS r
    WHERE NOT r.rolsuper AND r.rolname !~ '^pg_' AND NOT pg_has_role(r.oid, current_user, 'USAGE')
          AND (has_any_column_privilege(r.oid, t.rel, 'INSERT, UPDATE') OR pg_has_role(r.oid, (SELECT c.relowner FROM pg_class AS c WHERE c.oid = t.rel), 'USAGE'))
    ORDER BY r.rolname LIMIT 1;
    IF writer IS NOT NULL THEN
        RAISE EXCEPTION 'role "%" may write to log %', writer, @extschema@.clean_shown(log, path)
            USING ERRCODE = 'insufficient_privilege', DETAIL = format('What the log says is written with the rights of role "%s", whoever has written it there.', current_user),
                  HINT = 'Undo as the only role that may write to the log, or with trust => true where you trust all who may.';
    END IF;
END $$;
COMMENT ON FUNCTION clean_check_writers(regclass, text) IS 'internal: an error if roles may write to a log that could not write by the current role''s rights';

-- The table in which the last statement of a merge notes the rows of a table that it deletes, or those that it changes.
CREATE FUNCTION clean_notes(purpose text, rel oid, shown name[], changed name[]) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN @extschema@.clean_scratch('notes of '::text || purpose, 'pair bigint, action text' || (
        SELECT coalesce(string_agg(format(', %s%s %s', v.version, c.place, format_type(a.atttypid, -1)), '' ORDER BY v.version, c.place), '')
        FROM (SELECT 'c', shown UNION ALL SELECT 'o', changed UNION ALL SELECT 'n', changed) AS v (version, columns),
             unnest(v.columns) WITH ORDINALITY AS c (name, place) JOIN pg_attribute AS a ON a.attrelid = rel AND a.attname = c.name) || ', is_turned boolean');
END $$;
COMMENT ON FUNCTION clean_notes(text, oid, name[], name[]) IS 'internal: a scratch table with the columns c1, c2 and so on of rows as they are, o1, n1 and so on as they were and are';

-- Writes notes to the log, but of rows that a trigger has left as they were. The settings are those of pg_dump, so that values are read as they were written.
CREATE FUNCTION clean_log_rows(log regclass, merge bigint, entries bigint, decided timestamptz, rel oid, pairs text, notes text, shown name[], changed name[]) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET intervalstyle = 'postgres' SET extra_float_digits = 3 SET lc_monetary = 'C' SET xmloption = 'content' AS $$
DECLARE
    identity name[] := @extschema@.clean_identity(rel);
    old text[] := ARRAY(SELECT 'l.o' || c FROM generate_series(1, cardinality(changed)) AS c);
    new text[] := ARRAY(SELECT 'l.n' || c FROM generate_series(1, cardinality(changed)) AS c);
    rows bigint;
BEGIN
    EXECUTE format('INSERT INTO %s (merge, entry, at, who, action, gone, kept, rel, key, before, after, columns)
                    SELECT $1, $3 + row_number() OVER (ORDER BY l.pair), now(), current_user, l.action, format(''%%s'', p.gone), format(''%%s'', p.kept), $2::regclass, %s, %s, %s,
                           CASE WHEN row_number() OVER (ORDER BY l.pair) = 1 THEN $4 END
                    FROM %s AS l JOIN %s AS p ON p.place = l.pair WHERE %s ORDER BY l.pair', log,
                   @extschema@.clean_object(rel, identity, ARRAY(SELECT 'l.c' || array_position(shown, i.name) FROM unnest(identity) AS i (name))),
                   CASE WHEN changed = '{}' THEN @extschema@.clean_object(rel, shown, ARRAY(SELECT 'l.c' || c FROM generate_series(1, cardinality(shown)) AS c))
                        ELSE @extschema@.clean_difference(rel, changed, old, new) END,
                   CASE WHEN changed = '{}' THEN 'NULL' ELSE @extschema@.clean_difference(rel, changed, new, old) END,
                   notes, pairs,
                   CASE WHEN changed = '{}' THEN 'true' ELSE format('ROW(%s)::record *<> ROW(%s)::record', array_to_string(old, ', '), array_to_string(new, ', ')) END)
    USING merge, rel, entries, (SELECT jsonb_build_object('rel', rel::int8, 'name', rel::regclass, 'decided', decided, 'columns', jsonb_object_agg(a.attname, jsonb_build_array(a.attnum, format_type(a.atttypid, a.atttypmod), a.atttypid::int8, a.atttypmod)))
                                FROM pg_attribute AS a WHERE a.attrelid = rel AND a.attnum > 0 AND NOT a.attisdropped);
    GET DIAGNOSTICS rows = ROW_COUNT;
    RETURN entries + rows;
END $$;
COMMENT ON FUNCTION clean_log_rows(regclass, bigint, bigint, timestamptz, oid, text, text, name[], name[]) IS
'internal: writes notes of a table to the log, and returns how many entries the merge has then; entries: how many it had, decided: the time of the decisions that the merge makes, shown: the columns of the notes, changed: those that have an old and a new value, none of rows that are deleted';

--
-- clean: the one statement that writes a merge
--

-- What the last statement will do with rows of a table, those that go or those that stay: how many it deletes or changes, and the
-- columns that some of them change. Generated columns follow.
CREATE FUNCTION clean_changes(reached clean_table, are_gone boolean, OUT rows bigint, OUT columns name[])
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    flags boolean[];
BEGIN
    EXECUTE format('SELECT count(*) FILTER (WHERE %s OR ROW(%s)::record *<> ROW(%s)::record), ARRAY[%s]::boolean[] FROM %s AS w WHERE w.goes = $1',
                   CASE WHEN are_gone AND NOT reached.retires THEN 'true' ELSE 'false' END,
                   @extschema@.clean_values(reached, reached.columns, 'w.o'::text, '%s%s'::text, ', '::text),
                   @extschema@.clean_values(reached, reached.columns, 'w.n'::text, '%s%s'::text, ', '::text),
                   @extschema@.clean_values(reached, reached.columns, ''::text, 'coalesce(bool_or(ROW(w.o%2$s)::record *<> ROW(w.n%2$s)::record), false)'::text, ', '::text), reached.work)
    INTO rows, flags USING are_gone;
    columns := ARRAY(SELECT c.name FROM unnest(reached.columns, flags) WITH ORDINALITY AS c (name, is_changed, place)
                     JOIN pg_attribute AS a ON a.attrelid = reached.rel AND a.attname = c.name
                     WHERE c.is_changed AND a.attgenerated = '' AND NOT (are_gone AND NOT reached.retires) ORDER BY c.place);
END $$;
COMMENT ON FUNCTION clean_changes(clean_table, boolean) IS 'internal: how many rows of a table are deleted or changed, of those that go or of those that stay, and which columns change';

-- The parts of the last statement that delete rows of a table, and that change them. With a table for notes, each has a
-- second part that writes what it returns there.
CREATE FUNCTION clean_deletion(reached clean_table, number int4, notes text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('d%s AS (DELETE FROM %s AS t USING %s AS w
                   WHERE w.goes AND t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid RETURNING w.pair%s)%s',
                  number, reached.source, reached.work,
                  CASE WHEN notes IS NOT NULL THEN ', ''gone''' || (SELECT string_agg(format(', t.%I AS c%s', l.name, l.place), '' ORDER BY l.place)
                                                                 FROM unnest(reached.live) WITH ORDINALITY AS l (name, place)) ELSE '' END,
                  CASE WHEN notes IS NOT NULL THEN format(', e%s AS (INSERT INTO %s SELECT d.* FROM d%1$s AS d)', number, notes) ELSE '' END)
$$;
COMMENT ON FUNCTION clean_deletion(clean_table, int4, text) IS 'internal: the part of a statement that deletes the rows of a table that go';

-- Rows that retire are as assigned in all columns that change, or the call fails; others in those of references.
CREATE FUNCTION clean_change(reached clean_table, number int4, are_gone boolean, columns name[], notes text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('%1$s AS (UPDATE %2$s AS t SET %3$s FROM %4$s AS w
                   WHERE %5$s AND ROW(%6$s)::pg_catalog.record OPERATOR(pg_catalog.*<>) ROW(%7$s)::pg_catalog.record
                         AND t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid
                   RETURNING w.pair%8$s, ROW(%9$s)::pg_catalog.record OPERATOR(pg_catalog.*=) ROW(%10$s)::pg_catalog.record AS is_turned)%11$s',
                  p.part, reached.source, @extschema@.clean_values(reached, columns, ''::text, '%3$I = w.n%2$s'::text, ', '::text), reached.work,
                  CASE WHEN are_gone THEN 'w.goes' ELSE '(SELECT d.rows FROM deleted AS d) OPERATOR(pg_catalog.>=) 0 AND NOT w.goes' END,
                  @extschema@.clean_values(reached, columns, 'w.o'::text, '%s%s'::text, ', '::text),
                  @extschema@.clean_values(reached, columns, 'w.n'::text, '%s%s'::text, ', '::text),
                  CASE WHEN notes IS NOT NULL THEN
                      (SELECT CASE WHEN are_gone THEN ', ''retired'''
                                   ELSE format(', CASE WHEN w.settled OR ROW(%s)::pg_catalog.record OPERATOR(pg_catalog.*<>) ROW(%s)::pg_catalog.record THEN ''merged'' ELSE ''moved'' END',
                                               @extschema@.clean_values(reached, r.columns, 'w.o'::text, '%s%s'::text, ', '::text),
                                               @extschema@.clean_values(reached, r.columns, 'w.n'::text, '%s%s'::text, ', '::text)) END
                       FROM (SELECT ARRAY(SELECT c.name FROM unnest(columns) AS c (name) WHERE c.name <> ALL (reached.turned)) AS columns) AS r)
                      || (SELECT string_agg(format(', t.%I AS c%s', c.name, c.place), '' ORDER BY c.place)
                          FROM unnest(@extschema@.clean_identity(reached.rel)) WITH ORDINALITY AS c (name, place))
                      || (SELECT string_agg(format(', t.%I AS n%s', c.name, c.place), '' ORDER BY c.place) FROM unnest(columns) WITH ORDINALITY AS c (name, place))
                      || (SELECT string_agg(format(', w.o%s AS o%s', array_position(reached.columns, c.name), c.place), '' ORDER BY c.place)
                          FROM unnest(columns) WITH ORDINALITY AS c (name, place)) ELSE '' END,
                  (SELECT string_agg(format('t.%I', c.name), ', ' ORDER BY c.place)
                   FROM unnest(columns) WITH ORDINALITY AS c (name, place) WHERE are_gone OR c.name = ANY (reached.turned)),
                  (SELECT string_agg(format('w.n%s', array_position(reached.columns, c.name)), ', ' ORDER BY c.place)
                   FROM unnest(columns) WITH ORDINALITY AS c (name, place) WHERE are_gone OR c.name = ANY (reached.turned)),
                  CASE WHEN notes IS NOT NULL THEN format(', %1$s_noted AS (INSERT INTO %2$s SELECT u.* FROM %1$s AS u)', p.part, notes) ELSE '' END)
    FROM (SELECT CASE WHEN are_gone THEN 'd' ELSE 'u' END || number AS part) AS p
$$;
COMMENT ON FUNCTION clean_change(clean_table, int4, boolean, name[], text) IS 'internal: the part of a statement that changes columns of a table''s rows, those that go or those that stay';

-- Deletes and updates the rows of all tables by one statement, and writes the log. Rows are deleted, or retire, before others get
-- what was unique to them. A trigger that turns a row back is an error: ON DELETE CASCADE would have deleted the row.
CREATE FUNCTION clean_write(tables clean_table[], pairs text, log regclass, merge bigint, decided timestamptz, path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t @extschema@.clean_table;
    c record;
    are_gone boolean;
    is_deletion boolean;
    shown name[];
    deletions text[] := '{}';
    changes text[] := '{}';
    counts text[] := '{}';
    expected bigint[] := '{}';
    written bigint[];
    names text[] := '{}';
    notes text;
    logging text[] := '{}';
    entries bigint := 0;
    statement text;
BEGIN
    FOR number IN 1 .. cardinality(tables) LOOP
        t := tables[number];
        FOREACH are_gone IN ARRAY '{true,false}'::boolean[] LOOP
            SELECT x.* INTO c FROM @extschema@.clean_changes(t, are_gone) AS x;
            is_deletion := are_gone AND NOT t.retires;
            CONTINUE WHEN c.rows = 0 OR c.columns = '{}' AND NOT is_deletion;
            shown := CASE WHEN is_deletion THEN t.live ELSE @extschema@.clean_identity(t.rel) END;
            IF log IS NOT NULL THEN
                notes := @extschema@.clean_notes(t.rel || ' ' || are_gone, t.rel, shown, c.columns);
                logging := logging || format('%s::oid, %L::text, %L::text, %L::name[], %L::name[]', t.rel, pairs, notes, shown, c.columns);
            END IF;
            IF is_deletion THEN
                deletions := deletions || @extschema@.clean_deletion(t, number, notes);
            ELSIF are_gone THEN
                deletions := deletions || @extschema@.clean_change(t, number, true, c.columns, notes);
            ELSE
                changes := changes || @extschema@.clean_change(t, number, false, c.columns, notes);
            END IF;
            counts := counts || format(CASE WHEN is_deletion THEN '(SELECT pg_catalog.count(*) FROM %s%s AS d)' ELSE '(SELECT pg_catalog.count(*) FILTER (WHERE d.is_turned) FROM %s%s AS d)' END,
                                       CASE WHEN are_gone THEN 'd' ELSE 'u' END, number);
            expected := expected || c.rows;
            names := names || t.name;
        END LOOP;
    END LOOP;
    IF expected = '{}' THEN
        RETURN;
    END IF;
    statement := format('WITH %s SELECT ARRAY[%s]',
        array_to_string(deletions
            || format('deleted (rows) AS (SELECT %s)', coalesce((SELECT string_agg(d.count, ' OPERATOR(pg_catalog.+) ') FROM unnest(counts) AS d (count)
                                                                 WHERE d.count LIKE '%FROM d%'), '0'))
            || changes, ', '),
        array_to_string(counts, ', '));
    PERFORM set_config('search_path', path, true);
    EXECUTE statement INTO written;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    FOR number IN 1 .. cardinality(expected) LOOP
        IF written[number] <> expected[number] THEN
            RAISE EXCEPTION 'rows of % were not written as the merge asks for', names[number]
                USING ERRCODE = 'triggered_action_exception', DETAIL = format('%s of %s rows were.', written[number], expected[number]),
                      HINT = 'A trigger, a rule or a policy has kept rows from being deleted or changed.';
        END IF;
    END LOOP;
    FOREACH statement IN ARRAY logging LOOP
        EXECUTE format('SELECT @extschema@.clean_log_rows($1, $2, $3, $4, %s)', statement) INTO entries USING log, merge, entries, decided;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_write(clean_table[], text, regclass, bigint, timestamptz, text) IS 'internal: writes what the scratch tables say, and the log';

--
-- clean: several rows become one
--

-- Runs a statement with the caller's search path: what he wrote, and what fires triggers.
CREATE FUNCTION clean_execute(statement text, path text, step int4 DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rows bigint;
BEGIN
    PERFORM set_config('search_path', path, true);
    EXECUTE statement USING step;
    GET DIAGNOSTICS rows = ROW_COUNT;
    RETURN rows;
END $$;
COMMENT ON FUNCTION clean_execute(text, text, int4) IS 'internal: runs a statement with a search path, and returns the number of rows';

-- A reference whose own column is generated points where the column's expression says.
CREATE FUNCTION clean_refuse_generated(child clean_table, link clean_reference, step int4) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    fixed name := (SELECT g.col FROM @extschema@.clean_generated(child.rel) AS g WHERE g.col = ANY (link.child_columns) LIMIT 1);
    is_turned boolean;
BEGIN
    IF fixed IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %s AS w WHERE w.stamp = $1 AND NOT w.goes AND ROW(w.o%s)::record *<> ROW(w.n%2$s)::record)',
                   child.work, array_position(child.columns, fixed)) INTO is_turned USING step;
    IF is_turned THEN
        RAISE EXCEPTION '% of % cannot be turned', link.shown, child.name
            USING ERRCODE = 'feature_not_supported', DETAIL = format('Column "%s" is generated.', fixed);
    END IF;
END $$;
COMMENT ON FUNCTION clean_refuse_generated(clean_table, clean_reference, int4) IS 'internal: an error if a step has turned a reference of a generated column';

-- Expressions of generated columns name all schemas but pg_catalog, and run with no other.
CREATE FUNCTION clean_regenerate(reached clean_table, step int4) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    statement text := @extschema@.clean_generate(reached);
BEGIN
    IF statement IS NOT NULL THEN
        EXECUTE statement USING step;
    END IF;
END $$;
COMMENT ON FUNCTION clean_regenerate(clean_table, int4) IS 'internal: computes generated columns again for rows that were changed at a step';

-- Turns references, lets rows go that have become the same, and goes on with what refers to these.
CREATE FUNCTION clean_spread(tables clean_table[], links clean_reference[], rules jsonb, path text, run_path text, locks boolean) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    numbers oid[] := ARRAY(SELECT t.rel FROM unnest(tables) AS t);
    latest int[] := array_fill(0, ARRAY[cardinality(tables)]);
    met int[] := latest;
    seen int[] := array_fill(0, ARRAY[cardinality(links)]);
    step int := 1;
    child @extschema@.clean_table;
    own jsonb;
    parent int;
    before int;
    found bigint;
    statement text;
    index oid;
    is_stable boolean;
BEGIN
    latest[1] := 1;
    LOOP
        is_stable := true;
        FOR c IN 1 .. cardinality(tables) LOOP
            child := tables[c];
            own := rules -> child.rel::text;
            before := latest[c];
            FOR l IN 1 .. cardinality(links) LOOP
                parent := array_position(numbers, links[l].parent);
                CONTINUE WHEN links[l].child <> child.rel OR latest[parent] <= seen[l] OR links[l].rule = 'ask';
                step := step + 1;
                FOREACH statement IN ARRAY CASE WHEN links[l].rule IS NULL THEN @extschema@.clean_turn(child, tables[parent], links[l], seen[l], locks)
                                                ELSE @extschema@.clean_break(child, links[l], seen[l]) END LOOP
                    found := @extschema@.clean_execute(statement, run_path, step);
                    PERFORM @extschema@.clean_analyze(child.work, found);
                    IF found > 0 THEN
                        latest[c] := step;
                    END IF;
                END LOOP;
                seen[l] := step - 1;
                IF latest[c] = step THEN
                    PERFORM @extschema@.clean_refuse_generated(child, links[l], step);
                    PERFORM @extschema@.clean_regenerate(child, step);
                END IF;
            END LOOP;
            IF child.may_go AND latest[c] > met[c] AND child.turned <> '{}' THEN
                FOR index IN SELECT x.index FROM @extschema@.clean_constraints(child.rel) AS x (index)
                             WHERE @extschema@.clean_constraint_columns(x.index) && @extschema@.clean_moving(child) LOOP
                    LOOP
                        step := step + 1;
                        EXIT WHEN @extschema@.clean_collide(child, index, step, met[c], locks, own IS NOT NULL) = 0;
                        latest[c] := step;
                        IF own <> '{}' THEN
                            PERFORM @extschema@.clean_execute(@extschema@.clean_fold(child, own), path, step);
                            PERFORM @extschema@.clean_regenerate(child, step);
                        END IF;
                    END LOOP;
                END LOOP;
                met[c] := step;
            END IF;
            is_stable := is_stable AND latest[c] = before;
        END LOOP;
        EXIT WHEN is_stable;
        IF step > 10000 THEN
            RAISE EXCEPTION 'references of % cannot be turned', tables[1].name
                USING ERRCODE = 'statement_too_complex', DETAIL = 'Each turn of a reference changes the key of another row.';
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_spread(clean_table[], clean_reference[], jsonb, text, text, boolean) IS
'internal: turns references to rows that go in the scratch tables, the first of which has the pairs'' rows; path: the search path for rules, run_path: for conditions';

-- A key that a row gives up and another takes keeps those who refer to it, but an action of their foreign key would reach
-- them: ON DELETE CASCADE deletes them, and RESTRICT refuses. A key of which the row that stays has no value is no key to turn to.
CREATE FUNCTION clean_check_links(tables clean_table[], links clean_reference[]) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    link @extschema@.clean_reference;
    parent @extschema@.clean_table;
    child @extschema@.clean_table;
    is_taken boolean;
    shown jsonb;
    rule jsonb;
BEGIN
    FOREACH link IN ARRAY links LOOP
        CONTINUE WHEN link.rule IS NOT NULL;
        SELECT t.* INTO parent FROM unnest(tables) AS t WHERE t.rel = link.parent;
        SELECT t.* INTO child FROM unnest(tables) AS t WHERE t.rel = link.child;
        EXECUTE format('SELECT to_jsonb(t.*) FROM %s AS w JOIN %s AS t ON t.tableoid = w.tab AND t.ctid = w.tid
                        WHERE w.moved AND NOT w.goes AND NOT w.cut && %L AND num_nulls(%s) = 0 AND num_nulls(%s) > 0 ORDER BY w.pair, w.tab, w.tid LIMIT 1', child.work, child.source, link.child_columns,
                       @extschema@.clean_values(child, link.child_columns, 'w.o'::text, '%s%s'::text, ', '::text),
                       @extschema@.clean_values(child, link.child_columns, 'w.n'::text, '%s%s'::text, ', '::text))
        INTO shown;
        IF shown IS NOT NULL THEN
            rule := (SELECT jsonb_object_agg(c.name, 'first') FROM unnest(link.parent_columns) AS c (name)
                     JOIN pg_attribute AS a ON a.attrelid = link.parent AND a.attname = c.name WHERE NOT a.attnotnull AND a.attgenerated = '');
            RAISE EXCEPTION 'a row of % would refer to nothing by %', child.name, link.shown
                USING ERRCODE = 'not_null_violation', DETAIL = format('Row %s refers to %s of %s, of which the row that stays has no value.', shown, array_to_string(link.parent_columns, ', '), parent.name),
                      HINT = CASE WHEN rule IS NULL THEN 'Say by rules what becomes of the columns that it is generated from.'
                                  ELSE format('Say what becomes of it, such as rules => %L.', CASE WHEN parent.rel = tables[1].rel THEN rule ELSE jsonb_build_object(parent.name, rule) END) END;
        END IF;
        CONTINUE WHEN NOT link.acts;
        EXECUTE format('SELECT EXISTS (SELECT FROM %1$s AS k JOIN %1$s AS g ON %2$s
                        WHERE NOT g.goes AND ROW(%3$s)::record *<> ROW(%4$s)::record AND (g.tab <> k.tab OR g.tid <> k.tid)
                              AND (k.goes OR ROW(%5$s)::record *<> ROW(%6$s)::record)
                              AND (EXISTS (SELECT FROM %8$s AS w WHERE %9$s AND NOT w.goes)
                                   OR EXISTS (SELECT FROM %7$s AS t WHERE %10$s AND NOT EXISTS (SELECT FROM %8$s AS w WHERE w.tab = t.tableoid AND w.tid = t.ctid))))', parent.work,
                       (SELECT string_agg(format('k.o%1$s %2$s g.n%1$s', array_position(parent.columns, c.name), c.operator), ' AND ')
                        FROM unnest(link.parent_columns, link.parent_operators) AS c (name, operator)),
                       @extschema@.clean_values(parent, link.parent_columns, 'g.o'::text, '%s%s'::text, ', '::text),
                       @extschema@.clean_values(parent, link.parent_columns, 'g.n'::text, '%s%s'::text, ', '::text),
                       @extschema@.clean_values(parent, link.parent_columns, 'k.o'::text, '%s%s'::text, ', '::text),
                       @extschema@.clean_values(parent, link.parent_columns, 'k.n'::text, '%s%s'::text, ', '::text),
                       link.source, child.work,
                       (SELECT string_agg(format('k.o%s %s w.n%s', array_position(parent.columns, c.parent), c.operator, array_position(child.columns, c.child)), ' AND ')
                        FROM unnest(link.parent_columns, link.operators, link.child_columns) AS c (parent, operator, child)),
                       (SELECT string_agg(format('k.o%s %s t.%I', array_position(parent.columns, c.parent), c.operator, c.child), ' AND ')
                        FROM unnest(link.parent_columns, link.operators, link.child_columns) AS c (parent, operator, child)))
        INTO is_taken;
        IF is_taken THEN
            RAISE EXCEPTION 'a row of % would take the key of another, to which % refers', parent.name, link.shown
                USING ERRCODE = 'feature_not_supported', DETAIL = 'The action of the foreign key would reach the rows that refer to the key.',
                      HINT = format('Keep %s as the row that stays has it, or have the foreign key without an action (NO ACTION).', array_to_string(link.parent_columns, ', '));
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_check_links(clean_table[], clean_reference[]) IS
'internal: an error if the action of a foreign key would reach rows that it should not, or a row would no longer refer to anything';

CREATE FUNCTION clean_check_image(rel oid, image record) RETURNS boolean
AS 'MODULE_PATHNAME', 'clean_check_image' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION clean_check_image(oid, record) IS 'internal: true if a row of a table obeys its checks and has what must not be null, else an error';

-- A row may break a check when its references are turned: somebody would follow himself. PostgreSQL finds out when rows are written, and
-- a dry run by this.
CREATE FUNCTION clean_check_rows(tables clean_table[], path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t @extschema@.clean_table;
BEGIN
    FOREACH t IN ARRAY tables LOOP
        PERFORM @extschema@.clean_execute(format('
            SELECT @extschema@.clean_check_image(%s::pg_catalog.oid, ROW(%s)::pg_catalog.record)
            FROM %s AS w JOIN %s AS t ON t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid CROSS JOIN LATERAL (SELECT %s) AS i
            WHERE %s AND ROW(%s)::pg_catalog.record OPERATOR(pg_catalog.*<>) ROW(%s)::pg_catalog.record', t.rel,
            (SELECT string_agg(format('i.%I', l.name), ', ' ORDER BY l.place) FROM unnest(t.live) WITH ORDINALITY AS l (name, place)),
            t.work, t.source, @extschema@.clean_image(t, 't'::text, 'w'::text), CASE WHEN t.retires THEN 'true' ELSE 'NOT w.goes' END,
            @extschema@.clean_values(t, t.columns, 'w.o'::text, '%s%s'::text, ', '::text), @extschema@.clean_values(t, t.columns, 'w.n'::text, '%s%s'::text, ', '::text)), path, NULL::int4);
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_check_rows(clean_table[], text) IS 'internal: an error if a row that changes would break a check';

-- What was done for each pair.
CREATE FUNCTION clean_report(tables clean_table[], pairs text, number bigint)
RETURNS TABLE (merge bigint, gone text, kept text, changed jsonb, moved jsonb, went jsonb)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own @extschema@.clean_table := tables[1];
BEGIN
    RETURN QUERY EXECUTE format($q$
        WITH part (pair, name, moved, went) AS (%1$s),
        total AS (SELECT p.pair, jsonb_object_agg(p.name, p.moved) FILTER (WHERE p.moved > 0) AS moved,
                         jsonb_object_agg(p.name, p.went) FILTER (WHERE p.went > 0) AS went
                  FROM part AS p GROUP BY p.pair)
        SELECT $1, format('%%s', p.gone), format('%%s', p.kept), %2$s, coalesce(t.moved, '{}'), coalesce(t.went, '{}')
        FROM %3$s AS p JOIN %4$s AS k ON k.tab = p.kept_tab AND k.tid = p.kept_tid LEFT JOIN total AS t ON t.pair = p.place
        ORDER BY p.place
        $q$,
        (SELECT string_agg(format('SELECT w.pair, %L, count(*) FILTER (WHERE NOT w.goes AND w.moved AND ROW(%s)::record *<> ROW(%s)::record),
                                          count(*) FILTER (WHERE w.goes%s) FROM %s AS w WHERE w.pair IS NOT NULL GROUP BY w.pair', t.name,
                                  @extschema@.clean_values(t, t.turned, 'w.o'::text, '%s%s'::text, ', '::text),
                                  @extschema@.clean_values(t, t.turned, 'w.n'::text, '%s%s'::text, ', '::text),
                                  CASE WHEN t.rel = own.rel
                                       THEN format(' AND NOT EXISTS (SELECT FROM %s AS p WHERE p.gone_tab = w.tab AND p.gone_tid = w.tid)', pairs) ELSE '' END,
                                  t.work), ' UNION ALL ')
         FROM unnest(tables) AS t),
        @extschema@.clean_difference(own.rel, own.columns,
            ARRAY(SELECT 'k.n' || c FROM generate_series(1, cardinality(own.columns)) AS c), ARRAY(SELECT 'k.o' || c FROM generate_series(1, cardinality(own.columns)) AS c)),
        pairs, own.work)
    USING number;
END $$;
COMMENT ON FUNCTION clean_report(clean_table[], text, bigint) IS 'internal: what merge_duplicates returns';

-- Scratch tables have no statistics at first, and what is guessed of them would have small statements compiled.
CREATE FUNCTION clean_merge(rel regclass, key name, pairs text, rules jsonb, log text, dry_run boolean, referring jsonb, retire text, loops jsonb, path text)
RETURNS TABLE (merge bigint, gone text, kept text, changed jsonb, moved jsonb, went jsonb)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    class pg_class;
    key_type text;
    key_equal text;
    own jsonb;
    others jsonb;
    logged regclass;
    number bigint;
    tables @extschema@.clean_table[];
    named @extschema@.clean_reference[] := '{}';
    links @extschema@.clean_reference[] := ARRAY(SELECT r FROM @extschema@.clean_references() AS r);
    loop_rules jsonb;
    retirement jsonb;
    run_path text;
    read_pairs text;
    refused text;
    decided timestamptz := clock_timestamp();
BEGIN
    IF rel IS NULL OR key IS NULL OR pairs IS NULL OR rules IS NULL OR dry_run IS NULL OR loops IS NULL THEN
        RAISE EXCEPTION 'arguments of merge_duplicates must not be null, but for log, referring and retire' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    SELECT c.* INTO class FROM pg_class AS c WHERE c.oid = rel;
    IF class.relkind IS NULL OR class.relkind NOT IN ('r', 'p') THEN
        RAISE EXCEPTION '% is not a table', @extschema@.clean_shown(rel, path) USING ERRCODE = 'wrong_object_type';
    ELSIF class.relispartition THEN
        RAISE EXCEPTION '% is a partition', @extschema@.clean_shown(rel, path)
            USING ERRCODE = 'wrong_object_type', HINT = format('Merge rows of the partitioned table, %s.', @extschema@.clean_shown(pg_partition_root(rel), path));
    END IF;
    SELECT coalesce(x.others -> rel::oid::text, '{}') || x.own, x.others INTO own, others FROM @extschema@.clean_rules(rules, path) AS x;
    SELECT format('%s%s', @extschema@.clean_type(a.atttypid, -1), coalesce((SELECT format(' COLLATE %I.%I', n.nspname, l.collname)
               FROM pg_collation AS l JOIN pg_namespace AS n ON n.oid = l.collnamespace WHERE l.oid = a.attcollation), '')),
           @extschema@.clean_equality(a.atttypid)
    INTO key_type, key_equal
    FROM pg_attribute AS a WHERE a.attrelid = rel AND a.attname = key AND a.attnum > 0 AND NOT a.attisdropped;
    IF key_type IS NULL THEN
        RAISE EXCEPTION 'column "%" of % does not exist', key, @extschema@.clean_shown(rel, path) USING ERRCODE = 'undefined_column';
    END IF;
    retirement := @extschema@.clean_retirement(rel, retire, path);
    -- A rule that is wrong is told by a query of the rule alone.
    PERFORM @extschema@.clean_execute(format('SELECT %s FROM %s AS kept, %2$s AS gone, (SELECT ''{}''::pg_catalog.bool[] AS is_newest) AS g LIMIT 0',
                                             @extschema@.clean_expression(t.key::oid, @extschema@.clean_shown(t.key::oid::regclass, path), c.key::name, c.value), t.key::oid::regclass), path, NULL::int4)
    FROM (SELECT rel::oid::text, own UNION ALL SELECT rel::oid::text, retirement UNION ALL SELECT o.key, o.value FROM jsonb_each(others) AS o) AS t (key, value), jsonb_each_text(t.value) AS c;

    PERFORM set_config('search_path', path, true);
    run_path := @extschema@.clean_run_path();
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    IF referring IS NOT NULL THEN
        named := ARRAY(SELECT r FROM @extschema@.clean_named_references(rel::oid, key, referring, path, run_path) AS r);
        links := links || named;
    ELSIF NOT EXISTS (SELECT FROM unnest(links) AS r WHERE r.parent = rel) THEN
        PERFORM @extschema@.clean_notice(rel, key, path);
    END IF;
    loop_rules := @extschema@.clean_loop_rules(loops, path);
    tables := ARRAY(SELECT t FROM @extschema@.clean_tables(rel::oid, key, others || jsonb_build_object(rel::oid, own || retirement), links, loop_rules, path) AS t);
    links := ARRAY(SELECT r FROM unnest(links) AS r
                   WHERE EXISTS (SELECT FROM unnest(tables) AS t WHERE t.rel = r.child AND t.turned @> r.child_columns)
                         AND EXISTS (SELECT FROM unnest(tables) AS t WHERE t.rel = r.parent));
    links := links || ARRAY(SELECT r FROM @extschema@.clean_loops(links, loop_rules) AS r);
    SELECT @extschema@.clean_shown(o.key::oid::regclass, path) INTO refused FROM jsonb_each(loop_rules) AS o
    WHERE o.key::oid NOT IN (SELECT r.child FROM unnest(links) AS r WHERE r.rule IS NOT NULL);
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION 'a merge of % makes no loops in %', @extschema@.clean_shown(rel, path), refused
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Loops are in tables that refer to themselves, or twice to one table.';
    END IF;
    links := ARRAY(SELECT r FROM unnest(links) AS r WHERE r.rule IS DISTINCT FROM 'keep');
    SELECT @extschema@.clean_shown(r.parent::regclass, path) INTO refused FROM unnest(named) AS r WHERE r.parent NOT IN (SELECT t.rel FROM unnest(tables) AS t);
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION 'referring names table %, of which a merge of % lets no rows go', refused, @extschema@.clean_shown(rel, path)
            USING ERRCODE = 'invalid_parameter_value', HINT = format('It reaches: %s.', (SELECT string_agg(t.name, ', ') FROM unnest(tables) AS t));
    END IF;
    SELECT @extschema@.clean_shown(o.key::oid::regclass, path) INTO refused FROM jsonb_each(others) AS o WHERE o.key::oid NOT IN (SELECT t.rel FROM unnest(tables) AS t);
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION 'rules name table %, which a merge of % does not reach', refused, @extschema@.clean_shown(rel, path)
            USING ERRCODE = 'invalid_parameter_value', HINT = format('It reaches: %s.', (SELECT string_agg(t.name, ', ') FROM unnest(tables) AS t));
    END IF;
    SELECT @extschema@.clean_shown(r.child::regclass, path) INTO refused FROM unnest(links) AS r
    WHERE row_security_active(r.child) OR row_security_active(r.child_parts[1]) LIMIT 1;
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION 'row-level security may hide rows of %, which refers to rows that go', refused
            USING ERRCODE = 'insufficient_privilege', HINT = 'Merge as a role that sees all of its rows.';
    END IF;

    PERFORM @extschema@.clean_level(1);
    IF NOT dry_run THEN
        PERFORM @extschema@.clean_lock(named);
    END IF;
    -- The table itself is the first.
    tables := @extschema@.clean_order(ARRAY(SELECT t FROM unnest(tables) AS t ORDER BY t.rel <> clean_merge.rel, t.name), links);
    tables[1].retires := retire IS NOT NULL;
    FOR i IN 1 .. cardinality(tables) LOOP
        tables[i].work := @extschema@.clean_work(tables[i]);
    END LOOP;
    read_pairs := @extschema@.clean_pairs(tables[1], key, pairs, key_type, key_equal, path);
    PERFORM @extschema@.clean_locate(tables[1], key, read_pairs, key_equal, path, NOT dry_run);
    IF own <> '{}' THEN
        PERFORM @extschema@.clean_execute(@extschema@.clean_fold(tables[1], own), path, 1);
        PERFORM @extschema@.clean_regenerate(tables[1], 1);
    END IF;
    PERFORM @extschema@.clean_spread(tables, links, others, path, run_path, NOT dry_run);
    IF retire IS NOT NULL THEN
        PERFORM @extschema@.clean_execute(@extschema@.clean_retire(tables[1], links, retirement), path, 1);
    END IF;
    PERFORM @extschema@.clean_check_loops(tables, links, run_path);
    PERFORM @extschema@.clean_check_links(tables, links);
    IF dry_run THEN
        PERFORM @extschema@.clean_check_rows(tables, path);
    ELSE
        IF log IS NOT NULL THEN
            logged := @extschema@.clean_log(log, path);
            number := @extschema@.clean_number(logged, path);
        END IF;
        PERFORM @extschema@.clean_write(tables, read_pairs, logged, number, decided, path);
        PERFORM @extschema@.clean_keep_decisions(rel, read_pairs, decided);
    END IF;
    RETURN QUERY SELECT r.* FROM @extschema@.clean_report(tables, read_pairs, number) AS r;
    PERFORM @extschema@.clean_level(-1);
END $$;
COMMENT ON FUNCTION clean_merge(regclass, name, text, jsonb, text, boolean, jsonb, text, jsonb, text) IS 'internal: merge_duplicates, with the caller''s search path';

CREATE FUNCTION merge_duplicates(
    rel regclass, key name, pairs text, rules jsonb DEFAULT '{}', log text DEFAULT NULL, dry_run boolean DEFAULT false,
    referring jsonb DEFAULT NULL, retire text DEFAULT NULL, loops jsonb DEFAULT '{}')
RETURNS TABLE (merge bigint, gone text, kept text, changed jsonb, moved jsonb, went jsonb)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    RETURN QUERY SELECT m.* FROM @extschema@.clean_merge(rel, key, pairs, rules, log, dry_run, referring, retire, loops, pg_catalog.current_setting('search_path')) AS m;
END $$;
COMMENT ON FUNCTION merge_duplicates(regclass, name, text, jsonb, text, boolean, jsonb, text, jsonb) IS
'merges rows: pairs, a query, returns the row that goes and the row that stays; what refers to the first is turned to the second, whose columns follow rules; returns what was done for each pair; log: a table for the rows as they were, by which undo_merge puts them back; referring: the columns of tables that refer to rows without a foreign key, retire: assignments to rows that go, which then stay, loops: for tables, what becomes of rows both ends of which become one row: delete, null or keep';

--
-- clean: a merge is taken back
--

-- What became of the columns that the log has values of. The first entry of a table in a call has the numbers and types of
-- its columns; a dump keeps no numbers, but gives the table another one. Without such an entry, or in another table, a
-- column is the one of its name, and a type too. A type is as good as another if PostgreSQL casts to it without being asked, or if it is
-- the same with more room.
CREATE FUNCTION clean_columns_now(rel oid, names name[], shape jsonb, OUT name name, OUT col name, OUT was text, OUT is_now text, OUT fits boolean) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT n.name, a.attname, t.was, t.is_now,
           a.attname IS NULL OR t.was IS NULL OR t.was = t.is_now
           OR CASE WHEN t.old = a.atttypid
                   THEN a.atttypmod = -1 OR t.room_was <> '{}' AND cardinality(t.room_was) = cardinality(t.room)
                        AND t.room[1] - coalesce(t.room[2], 0) >= t.room_was[1] - coalesce(t.room_was[2], 0) AND coalesce(t.room[2] >= t.room_was[2], true)
                   ELSE EXISTS (SELECT FROM pg_cast AS c WHERE c.castsource = t.old AND c.casttarget = a.atttypid AND c.castcontext = 'i') AND a.atttypmod = -1 END
    FROM unnest(names) WITH ORDINALITY AS n (name, place)
    LEFT JOIN LATERAL (
        SELECT x.* FROM pg_attribute AS x
        WHERE x.attrelid = rel AND x.attnum > 0 AND NOT x.attisdropped
              AND (x.attname = n.name OR (shape ->> 'rel')::oid = rel AND x.attnum = (shape -> 'columns' -> n.name::text ->> 0)::int2)
        ORDER BY ((shape ->> 'rel')::oid = rel AND x.attnum = (shape -> 'columns' -> n.name::text ->> 0)::int2) DESC NULLS LAST LIMIT 1) AS a ON true,
    LATERAL (SELECT coalesce((SELECT format_type(y.oid, (shape -> 'columns' -> n.name::text ->> 3)::int4) FROM pg_type AS y
                              WHERE (shape ->> 'rel')::oid = rel AND y.oid = (shape -> 'columns' -> n.name::text ->> 2)::oid),
                             shape -> 'columns' -> n.name::text ->> 1) AS was) AS w,
    LATERAL (SELECT w.was, format_type(a.atttypid, a.atttypmod) AS is_now, to_regtype(w.was)::oid AS old,
                    ARRAY(SELECT m[1]::int FROM regexp_matches(substring(w.was FROM '\([0-9,]+\)'), '\d+', 'g') AS m) AS room_was,
                    ARRAY(SELECT m[1]::int FROM regexp_matches(substring(format_type(a.atttypid, a.atttypmod) FROM '\([0-9,]+\)'), '\d+', 'g') AS m) AS room) AS t
    ORDER BY n.place
$$;
COMMENT ON FUNCTION clean_columns_now(oid, name[], jsonb) IS
'internal: for names of columns in the log, the columns that these are now, their types then and now, and whether what was of the one is of the other';

-- Values of json and jsonb are texts in the log. A value of a type that has changed is cast as ALTER TABLE casts it. A domain is checked when the value is written, since an object need not
-- have all columns.
CREATE FUNCTION clean_record(rel oid, names name[], columns name[], types text[], object text, alias text, OUT item text, OUT "values" text, OUT definition text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(format('jsonb_to_record(%s) AS %I (%s)', object, alias, string_agg(format('%I %s', c.name, t.read), ', ' ORDER BY c.place)), format('(SELECT) AS %I', alias)),
           string_agg(format('CAST(%I.%I AS %s)', alias, c.name, t.name), ', ' ORDER BY c.place),
           string_agg(format('%s%s %s', alias, c.place, t.name), ', ' ORDER BY c.place)
    FROM unnest(names, columns, types) WITH ORDINALITY AS c (name, col, type, place)
    JOIN pg_attribute AS a ON a.attrelid = rel AND a.attname = c.col AND a.attnum > 0 AND NOT a.attisdropped,
         @extschema@.clean_base(a.atttypid) AS b (type), to_regtype(c.type) AS old (type),
         LATERAL (SELECT format_type(b.type, -1) AS name,
                         CASE WHEN EXISTS (SELECT FROM pg_cast AS p WHERE p.castsource = old.type AND p.casttarget = b.type) THEN format_type(old.type, -1)
                              WHEN b.type IN ('json'::regtype, 'jsonb'::regtype) OR old.type <> b.type THEN 'text' ELSE format_type(b.type, -1) END AS read) AS t
$$;
COMMENT ON FUNCTION clean_record(oid, name[], name[], text[], text, text) IS
'internal: how columns are read from an object of the log, names and types: as they were: an item of FROM, expressions, and the definition of columns for them, alias1, alias2 and so on';

-- Entries of a table in a merge that are put back in one way: rows that were deleted, that retired, or that were changed.
CREATE TYPE clean_entries AS (
    rel oid,
    kind text,
    rows bigint,
    names name[],
    columns name[],
    types text[],
    key_names name[],
    keys name[],
    key_types text[],
    had_key boolean,
    source text,
    scratch text
);
COMMENT ON TYPE clean_entries IS
'internal: entries of the log that are put back in one way; names: columns as the log calls them, columns: as they are called now, types: those that they had, had_key: whether the keys are less than the whole row';

-- Reads the entries of a kind. The settings are those with which the entries were written.
CREATE FUNCTION clean_read_log(log regclass, merge bigint, e clean_entries, path text) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET intervalstyle = 'postgres' SET extra_float_digits = 3 SET lc_monetary = 'C' SET xmloption = 'content' AS $$
DECLARE
    b record;
    a record;
    k record;
    scratch text;
    rows bigint;
BEGIN
    SELECT x.* INTO b FROM @extschema@.clean_record(e.rel, e.names, e.columns, e.types, 'l.before'::text, 'b'::text) AS x;
    SELECT x.* INTO a FROM @extschema@.clean_record(e.rel, e.names, e.columns, e.types, 'coalesce(l.after, ''{}'')'::text, 'a'::text) AS x;
    SELECT x.* INTO k FROM @extschema@.clean_record(e.rel, e.key_names, e.keys, e.key_types, 'l.key'::text, 'k'::text) AS x;
    scratch := @extschema@.clean_scratch(e.rel || ' ' || e.kind,
        concat_ws(', ', 'place bigint, merged boolean, key jsonb, before jsonb, after jsonb, tab oid, tid tid', k.definition, b.definition, a.definition));
    EXECUTE format('INSERT INTO %s SELECT %s
                    FROM %s AS l, %s WHERE l.merge = $1 AND l.rel = $2::regclass AND CASE WHEN l.action IN (''gone'', ''retired'') THEN l.action ELSE ''changed'' END = $3',
                   scratch, concat_ws(', ', 'row_number() OVER (), l.action <> ''moved'', l.key, l.before, l.after, NULL, NULL', k."values", b."values", a."values"),
                   log, concat_ws(', ', k.item, b.item, a.item))
    USING merge, e.rel, e.kind;
    GET DIAGNOSTICS rows = ROW_COUNT;
    PERFORM @extschema@.clean_analyze(scratch, rows);
    RETURN scratch;
EXCEPTION
WHEN data_exception OR cannot_coerce THEN
    RAISE EXCEPTION 'the log has values that columns of % cannot have now', @extschema@.clean_shown(e.rel::regclass, path)
        USING ERRCODE = SQLSTATE, DETAIL = format('%s.', upper(left(SQLERRM, 1)) || substr(SQLERRM, 2)), HINT = 'A type of a column has changed since the merge.';
END $$;
COMMENT ON FUNCTION clean_read_log(regclass, bigint, clean_entries, text) IS 'internal: reads entries of the log into a scratch table';

-- The entries of a merge by table and kind, those of rows that stayed first, and what of them cannot be put back, as sentences;
-- is_lost: also with force.
CREATE FUNCTION clean_entries_of(log regclass, number bigint, path text, OUT entries clean_entries[], OUT lacks text[], OUT is_lost boolean)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    entry record;
    shown text;
    lost text[] := '{}';
    e @extschema@.clean_entries;
BEGIN
    entries := '{}';
    lacks := '{}';
    FOR entry IN EXECUTE format('
        WITH entry AS (SELECT l.rel, CASE WHEN l.action IN (''gone'', ''retired'') THEN l.action ELSE ''changed'' END AS kind, l.key, l.before, l.columns FROM %1$s AS l WHERE l.merge = $1)
        SELECT e.rel, e.kind, e.rows, (SELECT x.columns FROM entry AS x WHERE x.rel = e.rel AND x.columns IS NOT NULL LIMIT 1) AS shape,
               ARRAY(SELECT DISTINCT k.key::name FROM entry AS x, jsonb_object_keys(x.before) AS k (key) WHERE x.rel = e.rel AND x.kind = e.kind) AS names,
               ARRAY(SELECT k.key::name FROM jsonb_object_keys(e.key) AS k (key)) AS keys
        FROM (SELECT e.rel, e.kind, count(*) AS rows, (array_agg(e.key))[1] AS key FROM entry AS e GROUP BY e.rel, e.kind) AS e
        ORDER BY e.kind <> ''changed'', e.rel, e.kind DESC', log) USING number
    LOOP
        -- The tables that initdb has made have lesser numbers than all others.
        IF entry.rel::oid < 16384 THEN
            RAISE EXCEPTION 'log % names a table of the system', @extschema@.clean_shown(log, path) USING ERRCODE = 'insufficient_privilege';
        ELSIF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = entry.rel) THEN
            lacks := lacks || format('Table %s is no longer there.', coalesce(entry.shape ->> 'name', entry.rel::text));
            CONTINUE;
        END IF;
        shown := @extschema@.clean_shown(entry.rel, path);
        e := NULL;
        e.rel := entry.rel;
        e.kind := entry.kind;
        e.rows := entry.rows;
        lacks := lacks || ARRAY(SELECT CASE WHEN n.col IS NULL THEN format('Column "%s" of %s is no longer there.', n.name, shown)
                                            ELSE format('Column "%s" of %s was of type %s, and is of type %s.', n.col, shown, n.was, n.is_now) END
                                FROM @extschema@.clean_columns_now(e.rel, entry.names || CASE WHEN e.kind = 'gone' THEN '{}' ELSE entry.keys END, entry.shape) AS n
                                LEFT JOIN pg_attribute AS a ON a.attrelid = e.rel AND a.attname = n.col
                                WHERE (n.col IS NULL OR NOT n.fits) AND (n.col IS NULL OR a.attgenerated = '') GROUP BY n.name, n.col, n.was, n.is_now);
        SELECT array_agg(n.name ORDER BY a.attnum), array_agg(n.col ORDER BY a.attnum), array_agg(n.was ORDER BY a.attnum) INTO e.names, e.columns, e.types
        FROM @extschema@.clean_columns_now(e.rel, entry.names, entry.shape) AS n
        JOIN pg_attribute AS a ON a.attrelid = e.rel AND a.attname = n.col WHERE a.attgenerated = '';
        SELECT array_agg(n.name), array_agg(n.col), array_agg(n.was) INTO e.key_names, e.keys, e.key_types FROM @extschema@.clean_columns_now(e.rel, entry.keys, entry.shape) AS n WHERE n.col IS NOT NULL;
        e.had_key := (SELECT count(*) FROM jsonb_object_keys(entry.shape -> 'columns')) > cardinality(entry.keys);
        e.source := (SELECT format('%s%I.%I', CASE c.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END, s.nspname, c.relname) FROM pg_class AS c JOIN pg_namespace AS s ON s.oid = c.relnamespace WHERE c.oid = e.rel);
        IF e.kind = 'gone' AND NOT @extschema@.clean_fills(e.rel, true) THEN
            lost := lost || ARRAY(SELECT format('Column "%s" of %s must not be null, has no default, and has no value in the log.', a.attname, shown)
                                  FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
                                  WHERE a.attrelid = e.rel AND a.attnum > 0 AND NOT a.attisdropped AND (a.attnotnull OR t.typnotnull) AND NOT a.atthasdef AND t.typdefault IS NULL
                                        AND a.attidentity = '' AND a.attname <> ALL (coalesce(e.columns, '{}')) ORDER BY a.attnum);
        ELSIF e.kind <> 'gone' AND cardinality(e.keys) IS DISTINCT FROM cardinality(entry.keys) AND (coalesce(e.had_key, true) OR e.keys IS NULL) THEN
            lost := lost || format('Rows of %s cannot be found again without %s.', shown, array_to_string(entry.keys, ', '));
        END IF;
        CONTINUE WHEN e.columns IS NULL;
        entries := entries || e;
    END LOOP;
    is_lost := lost <> '{}';
    lacks := ARRAY(SELECT l.sentence FROM unnest(lacks || lost) WITH ORDINALITY AS l (sentence, place) GROUP BY l.sentence ORDER BY min(l.place));
END $$;
COMMENT ON FUNCTION clean_entries_of(regclass, bigint, text) IS 'internal: the entries of a merge by table and kind, and what of them cannot be put back';

-- Finds the rows that a merge has changed, and checks that they are as it left them.
CREATE FUNCTION clean_find(e clean_entries, force boolean, path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shown record;
    name text := @extschema@.clean_shown(e.rel::regclass, path);
    found text;
BEGIN
    IF EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = e.rel AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indnkeyatts = cardinality(e.keys)
                     AND NOT EXISTS (SELECT FROM generate_series(0, i.indnkeyatts - 1) AS p (place) LEFT JOIN pg_attribute AS a ON a.attrelid = e.rel AND a.attnum = i.indkey[p.place]
                                     WHERE (a.attname = ANY (e.keys) AND a.attnotnull) IS NOT TRUE)) THEN
        found := format('SELECT t.tableoid AS tab, t.ctid AS tid, w.place FROM %s AS t JOIN %s AS w ON %s FOR UPDATE OF t', e.source, e.scratch,
                        (SELECT string_agg(format('t.%I %s w.k%s', k.name, @extschema@.clean_equality(a.atttypid), k.place), ' AND ')
                         FROM unnest(e.keys) WITH ORDINALITY AS k (name, place) JOIN pg_attribute AS a ON a.attrelid = e.rel AND a.attname = k.name));
    ELSE
        IF e.had_key THEN
            EXECUTE format('SELECT w.key FROM %s AS w JOIN %s AS t ON ROW(%s)::text = ROW(%s)::text GROUP BY w.place, w.key HAVING count(*) > 1 ORDER BY w.place LIMIT 1', e.scratch, e.source,
                           (SELECT string_agg(format('t.%I', k.name), ', ' ORDER BY k.place) FROM unnest(e.keys) WITH ORDINALITY AS k (name, place)),
                           (SELECT string_agg(format('w.k%s', k.place), ', ' ORDER BY k.place) FROM unnest(e.keys) WITH ORDINALITY AS k (name, place))) INTO shown;
            IF shown.key IS NOT NULL THEN
                RAISE EXCEPTION 'several rows of % have the key of one that the merge has changed', name
                    USING ERRCODE = 'cardinality_violation', DETAIL = format('They have %s, which was a key then.', shown.key);
            END IF;
        END IF;
        -- Rows without a key that are the same in all columns stand for each other.
        found := format('SELECT x.tab, x.tid, y.place
                         FROM (SELECT t.tableoid AS tab, t.ctid AS tid, ROW(%1$s)::text AS image, row_number() OVER (PARTITION BY ROW(%1$s)::text) AS number FROM %2$s AS t) AS x
                         JOIN (SELECT w.place, ROW(%3$s)::text AS image, row_number() OVER (PARTITION BY ROW(%3$s)::text) AS number FROM %4$s AS w) AS y
                              ON x.image = y.image AND x.number = y.number',
                        (SELECT string_agg(format('t.%I', k.name), ', ' ORDER BY k.place) FROM unnest(e.keys) WITH ORDINALITY AS k (name, place)), e.source,
                        (SELECT string_agg(format('w.k%s', k.place), ', ' ORDER BY k.place) FROM unnest(e.keys) WITH ORDINALITY AS k (name, place)), e.scratch);
    END IF;
    EXECUTE format('UPDATE %s AS w SET tab = x.tab, tid = x.tid FROM (%s) AS x WHERE w.place = x.place', e.scratch, found);
    EXECUTE format('SELECT w.key, w.before FROM %s AS w WHERE w.tid IS NULL ORDER BY w.place LIMIT 1', e.scratch) INTO shown;
    IF shown.key IS NOT NULL THEN
        RAISE EXCEPTION 'a row of % that the merge has changed is no longer there', name
            USING ERRCODE = 'no_data_found', DETAIL = format('Row %s would get %s.', shown.key, shown.before),
                  HINT = 'Undo later merges first, if any has changed the row.';
    END IF;
    EXECUTE format('SELECT w.key, w.after, to_jsonb(t.*) AS now FROM %s AS w JOIN %s AS t ON t.tableoid = w.tab AND t.ctid = w.tid
                    WHERE NOT ($1 AND w.merged) AND (%s) ORDER BY w.place LIMIT 1', e.scratch, e.source,
                   (SELECT string_agg(format('w.before ? %L AND ROW(CAST(t.%I AS %s))::record *<> ROW(w.a%s)::record', c.name, c.col,
                                             format_type(@extschema@.clean_base(a.atttypid), -1), c.place)
                                      -- 3.25 is the same as 3.250 where the type has changed.
                                      || CASE WHEN c.type <> format_type(a.atttypid, a.atttypmod) THEN format(' AND (t.%I %s w.a%s) IS NOT TRUE', c.col, @extschema@.clean_equality(a.atttypid), c.place) ELSE '' END, ' OR ')
                    FROM unnest(e.names, e.columns, e.types) WITH ORDINALITY AS c (name, col, type, place) JOIN pg_attribute AS a ON a.attrelid = e.rel AND a.attname = c.col))
    INTO shown USING force;
    IF shown.key IS NOT NULL THEN
        RAISE EXCEPTION 'a row of % has changed since the merge', name
            USING ERRCODE = 'triggered_data_change_violation', DETAIL = format('Row %s is %s, and the merge left %s.', shown.key, shown.now, shown.after),
                  HINT = 'Undo later merges first, if any has changed the row; force => true overrides columns of rows that stayed.';
    END IF;
END $$;
COMMENT ON FUNCTION clean_find(clean_entries, boolean, text) IS 'internal: finds the rows that a merge has changed';

-- A trigger may give a row what it lacks before it is written.
CREATE FUNCTION clean_fills(rel oid, is_insert boolean) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_trigger AS t
                   WHERE t.tgrelid IN (SELECT p.relid FROM pg_partition_tree(rel) AS p UNION SELECT rel) AND NOT t.tgisinternal AND t.tgenabled <> 'D'
                         AND t.tgtype & 3 = 3 AND t.tgtype & CASE WHEN is_insert THEN 4 ELSE 16 END <> 0)
$$;
COMMENT ON FUNCTION clean_fills(oid, boolean) IS 'internal: whether a table has triggers before each row that is inserted, or updated';

-- A check or NOT NULL that has come since is told before anything is written. A default that is volatile is not computed
-- for that; then PostgreSQL tells when it writes.
CREATE FUNCTION clean_check_back(e clean_entries, path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    image text;
    generated text;
    is_told boolean;
    has_text boolean;
    back record;
BEGIN
    SELECT string_agg(format('%s AS %I', CASE WHEN c.place IS NULL AND e.kind <> 'gone' THEN format('t.%I', a.attname)
                                              WHEN c.place IS NULL THEN CASE WHEN a.atthasdef AND a.attgenerated = '' THEN format('CAST((%s) AS %s)', pg_get_expr(d.adbin, d.adrelid), @extschema@.clean_type(a.atttypid, a.atttypmod))
                                                                             ELSE format('CAST(NULL AS %s)', @extschema@.clean_type(@extschema@.clean_base(a.atttypid), -1)) END
                                              WHEN e.kind = 'gone' THEN format('w.b%s', c.place)
                                              ELSE format('CASE WHEN w.before OPERATOR(pg_catalog.?) %L::pg_catalog.text THEN w.b%s ELSE CAST(t.%I AS %s) END', e.names[c.place], c.place, a.attname, @extschema@.clean_type(@extschema@.clean_base(a.atttypid), -1)) END, a.attname), ', ' ORDER BY a.attnum),
           string_agg(CASE WHEN g.expression IS NOT NULL THEN format('CAST((%s) AS %s)', g.expression, @extschema@.clean_type(@extschema@.clean_base(a.atttypid), -1)) ELSE format('i.%I', a.attname) END, ', ' ORDER BY a.attnum),
           bool_or(e.kind = 'gone' AND c.place IS NULL AND a.attgenerated = ''
                   AND (a.attidentity <> '' OR a.atthasdef AND EXISTS (SELECT FROM regexp_matches(d.adbin::text, ':(?:funcid|opfuncid) (\d+)', 'g') AS m (ids) JOIN pg_proc AS p ON p.oid = m.ids[1]::oid AND p.provolatile = 'v'))),
           bool_or(g.expression IS NOT NULL OR e.kind = 'gone' AND c.place IS NULL AND a.atthasdef)
    INTO image, generated, is_told, has_text
    FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum LEFT JOIN @extschema@.clean_generated(e.rel) AS g ON g.col = a.attname,
         array_position(e.columns, a.attname) AS c (place)
    WHERE a.attrelid = e.rel AND a.attnum > 0 AND NOT a.attisdropped;
    IF is_told OR @extschema@.clean_fills(e.rel, e.kind = 'gone') THEN
        RETURN;
    END IF;
    IF NOT has_text THEN
        PERFORM @extschema@.clean_execute(format('SELECT @extschema@.clean_check_image(%s::pg_catalog.oid, ROW(%s)::pg_catalog.record) FROM (SELECT %s FROM %s AS w%s) AS i', e.rel, generated, image, e.scratch,
            CASE WHEN e.kind = 'gone' THEN '' ELSE format(' JOIN %s AS t ON t.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid', e.source) END), path, NULL::int4);
        RETURN;
    END IF;
    -- Expressions of the table name all schemas but pg_catalog; functions that checks call may rely on the caller's path.
    FOR back IN EXECUTE format('SELECT (SELECT ROW(%s)::record FROM (SELECT %s) AS i) AS image FROM %s AS w%s', generated, image, e.scratch,
                               CASE WHEN e.kind = 'gone' THEN '' ELSE format(' JOIN %s AS t ON t.tableoid = w.tab AND t.ctid = w.tid', e.source) END) LOOP
        PERFORM set_config('search_path', path, true);
        PERFORM @extschema@.clean_check_image(e.rel, back.image);
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    END LOOP;
END $$;
COMMENT ON FUNCTION clean_check_back(clean_entries, text) IS 'internal: an error if a row that is put back would break a check';

CREATE FUNCTION clean_puts_back() RETURNS boolean
AS 'MODULE_PATHNAME', 'clean_puts_back' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION clean_puts_back() IS
'internal: has guards let pass what the statement that calls it inserts; returns true';

-- Scratch tables have no statistics at first, and what is guessed of them would have small statements compiled.
CREATE FUNCTION clean_undo(log regclass, number bigint, force boolean, trust boolean, path text) RETURNS TABLE (rel regclass, returned bigint, changed bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    back record;
    e @extschema@.clean_entries;
    first text[] := '{}';
    next text[] := '{}';
    counts text[] := '{}';
    written bigint[];
    statement text;
    rows bigint;
BEGIN
    IF log IS NULL OR number IS NULL OR force IS NULL OR trust IS NULL THEN
        RAISE EXCEPTION 'arguments of undo_merge must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM @extschema@.clean_log(log::text, path);
    EXECUTE format('UPDATE %s AS l SET undone = now() WHERE l.merge = $1 AND l.undone IS NULL', log) USING number;
    GET DIAGNOSTICS rows = ROW_COUNT;
    IF rows = 0 THEN
        RAISE EXCEPTION 'log % has no merge % to undo', @extschema@.clean_shown(log, path), number
            USING ERRCODE = 'no_data_found', HINT = 'Its entries are not there, or the merge has been undone, as their column undone says.';
    END IF;
    IF NOT trust THEN
        PERFORM @extschema@.clean_check_writers(log, path);
    END IF;
    PERFORM @extschema@.clean_level(1);
    SELECT x.* INTO back FROM @extschema@.clean_entries_of(log, number, path) AS x;
    IF back.is_lost OR back.lacks <> '{}' AND NOT force THEN
        RAISE EXCEPTION 'tables have changed since merge %, which cannot be undone', number
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = array_to_string(back.lacks, E'\n'),
                  HINT = CASE WHEN back.is_lost THEN 'Give columns a default, or have the columns again that rows are found by.' ELSE 'With force => true the rest is put back, values as the types are now.' END;
    ELSIF back.lacks <> '{}' THEN
        RAISE NOTICE 'merge % is not undone as a whole', number USING DETAIL = array_to_string(back.lacks, E'\n');
    END IF;
    FOR place IN 1 .. cardinality(back.entries) LOOP
        e := back.entries[place];
        e.scratch := @extschema@.clean_read_log(log, number, e, path);
        IF e.kind <> 'gone' THEN
            PERFORM @extschema@.clean_find(e, force, path);
        END IF;
        PERFORM @extschema@.clean_check_back(e, path);
        -- Rows return and no longer are retired when what was theirs alone has been taken from others.
        statement := format(CASE WHEN e.kind = 'changed' THEN '' ELSE '(SELECT u.rows FROM updated AS u) OPERATOR(pg_catalog.>=) 0 AND ' END);
        IF e.kind = 'gone' THEN
            statement := format('p%s AS (INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s AS w WHERE %s@extschema@.clean_puts_back() RETURNING 1)', place, regexp_replace(e.source, '^ONLY ', ''),
                (SELECT string_agg(quote_ident(c.name), ', ' ORDER BY c.place) FROM unnest(e.columns) WITH ORDINALITY AS c (name, place)),
                (SELECT string_agg(format('w.b%s', c.place), ', ' ORDER BY c.place) FROM unnest(e.columns) WITH ORDINALITY AS c (name, place)), e.scratch, statement);
        ELSE
            statement := format('p%s AS (UPDATE %s AS t SET %s FROM %s AS w
                                 WHERE %st.tableoid OPERATOR(pg_catalog.=) w.tab AND t.ctid OPERATOR(pg_catalog.=) w.tid RETURNING 1)', place, e.source,
                (SELECT string_agg(format('%1$I = CASE WHEN w.before OPERATOR(pg_catalog.?) %3$L::pg_catalog.text THEN w.b%2$s ELSE t.%1$I END', c.name, c.place, c.logged), ', ')
                 FROM unnest(e.columns, e.names) WITH ORDINALITY AS c (name, logged, place)), e.scratch, statement);
        END IF;
        IF e.kind = 'changed' THEN
            first := first || statement;
        ELSE
            next := next || statement;
        END IF;
        counts := counts || format('(SELECT pg_catalog.count(*) FROM p%s AS p)', place);
    END LOOP;
    IF counts <> '{}' THEN
        statement := format('WITH %s SELECT ARRAY[%s]',
            array_to_string(first || format('updated (rows) AS (SELECT %s)', coalesce(nullif(array_to_string(counts[1:cardinality(first)], ' OPERATOR(pg_catalog.+) '), ''), '0')) || next, ', '),
            array_to_string(counts, ', '));
        PERFORM set_config('search_path', path, true);
        EXECUTE statement INTO written;
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    END IF;
    FOR place IN 1 .. cardinality(counts) LOOP
        e := back.entries[place];
        IF written[place] <> e.rows THEN
            RAISE EXCEPTION 'rows of % were not put back', @extschema@.clean_shown(e.rel::regclass, path)
                USING ERRCODE = 'triggered_action_exception', DETAIL = format('%s of %s rows were.', written[place], e.rows),
                      HINT = 'A trigger, a rule or a policy has kept rows from being inserted or changed.';
        END IF;
    END LOOP;
    PERFORM @extschema@.clean_return_decisions(log, number);
    PERFORM @extschema@.clean_level(-1);
    RETURN QUERY SELECT t.rel::regclass, coalesce(sum(w.rows) FILTER (WHERE t.kind = 'gone'), 0)::bigint, coalesce(sum(w.rows) FILTER (WHERE t.kind <> 'gone'), 0)::bigint
                 FROM unnest(back.entries) WITH ORDINALITY AS t (rel, kind, rows, names, columns, types, key_names, keys, key_types, had_key, source, scratch, place), LATERAL (SELECT written[t.place] AS rows) AS w
                 GROUP BY t.rel ORDER BY t.rel::regclass::text;
END $$;
COMMENT ON FUNCTION clean_undo(regclass, bigint, boolean, boolean, text) IS 'internal: undo_merge, with the caller''s search path';

CREATE FUNCTION undo_merge(log regclass, number bigint, force boolean DEFAULT false, trust boolean DEFAULT false)
RETURNS TABLE (rel regclass, returned bigint, changed bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    RETURN QUERY SELECT u.* FROM @extschema@.clean_undo(log, number, force, trust, pg_catalog.current_setting('search_path')) AS u;
END $$;
COMMENT ON FUNCTION undo_merge(regclass, bigint, boolean, boolean) IS
'takes back a merge, by its log and its number: rows that went return, and what was turned or merged gets its values again; returns the rows of each table that returned and changed; force: also where columns of a row that stayed have changed since, or tables have no longer room for what the log has; trust: also if roles may write to the log that could not write by the caller''s rights';

--
-- clean: searches for the row of a table that is most similar to a new one
--

-- Texts of the caller are read with the caller's search path, and become expressions in which all names have their schemas,
-- but for those of pg_catalog. Statements that have them run with the caller's search path too, since functions of the table may
-- rely on it, but with pg_catalog first. What they mean with that path is compared with what they mean alone.

CREATE FUNCTION clean_run_path() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    path pg_catalog.text := pg_catalog.current_setting('search_path');
    schemas pg_catalog.name[] := pg_catalog.current_schemas(true);
BEGIN
    -- The schema of temporary tables, which may have types, comes first unless the path names it.
    IF schemas[1] OPERATOR(pg_catalog.=) 'pg_catalog' THEN
        RETURN path;
    END IF;
    RETURN pg_catalog.concat_ws(', ', 'pg_catalog', CASE WHEN path OPERATOR(pg_catalog.<>) '' THEN path END, 'pg_temp');
END $$;
COMMENT ON FUNCTION clean_run_path() IS
'internal: the search path, with pg_catalog before the schemas that it names, and temporary tables behind them';

CREATE FUNCTION clean_use_path(path text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) path THEN
        PERFORM pg_catalog.set_config('search_path', path, true);
    END IF;
END $$;
COMMENT ON FUNCTION clean_use_path(text) IS
'internal: sets the search path';

CREATE FUNCTION clean_fragments(
    rel regclass, fragment text, argument text, is_list boolean, path text,
    OUT expression text, OUT plain text, OUT type regtype, OUT equality text, OUT names_new boolean, OUT is_immutable boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'clean_fragments' LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION clean_fragments(regclass, text, text, boolean, text) IS
'internal: the expressions of a text over the columns of a table, with all names qualified, of the alias t and without an alias; their types and operators =; whether one of the argument among names the new row, new, and whether a constraint may have it; an error if they would mean something else with another search path';

CREATE FUNCTION clean_indexes(rel regclass, tokens text, within text, among text, OUT index regclass, OUT exclusion text, OUT threshold float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'clean_indexes' LANGUAGE C STABLE PARALLEL SAFE ROWS 1;
COMMENT ON FUNCTION clean_indexes(regclass, text, text, text) IS
'internal: the indexes neardup of a table that have these tokens, or balls of them, within this scope, and all rows of this condition; of balls the threshold, and the constraint that all rows obey';

-- A search, as parts of statements: $1 has the new rows and $2 the threshold, "n" is a new row and "t" a row of the table.
CREATE TYPE clean_search AS (
    rel regclass,
    relation text,       -- the table's name as SQL
    key text,            -- the key of a row
    new_row text,        -- a new row with its defaults and generated columns, from n.new_row
    tokens text,
    scope text[],        -- the expressions that are equal in a scope
    equality text[],     -- their operators =
    among text,
    names_new boolean,   -- whether among names the new row, "new"
    is_immutable boolean, -- whether a constraint may have among
    counts text,         -- among, without the rows that somebody has found to be different from the new one
    plain text[],        -- tokens, among and the expressions of the scope, without an alias
    measure text,
    has_index boolean,   -- of the sets
    exclusion text,      -- the constraint that keeps such rows apart, or NULL
    least float8         -- its threshold
);
COMMENT ON TYPE clean_search IS 'internal: a search for similar rows, as parts of statements';

CREATE FUNCTION clean_row("row" anyelement, fields record) RETURNS anyelement
AS 'MODULE_PATHNAME', 'clean_row' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION clean_row(anyelement, record) IS
'internal: a row of a table, of the values of its columns, which are checked unless they are NULL';

CREATE FUNCTION clean_stored(rel regclass, name name, tree pg_node_tree, path text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT f.plain FROM @extschema@.clean_fragments(rel, pg_get_expr(tree, rel), name::text, false, path) AS f
$$;
COMMENT ON FUNCTION clean_stored(regclass, name, pg_node_tree, text) IS
'internal: the expression of a default or a generated column as SQL that means the same with a search path; an error if it would not';

-- A new row has NULL for a column with a volatile default, such as the next value of a sequence: that is taken when the row
-- is inserted, and not before. A domain may have the default, and is checked where a value is given.
CREATE FUNCTION clean_new_row(rel regclass, is_json boolean, path text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    columns text;
    given text;
    "values" text;
BEGIN
    SELECT string_agg(CASE WHEN a.attgenerated <> '' THEN format('CAST((%s) AS %s)', @extschema@.clean_stored(rel, a.attname, d.adbin, path), @extschema@.clean_type(@extschema@.clean_base(a.atttypid), -1)) ELSE format('base.%I', a.attname) END, ', ' ORDER BY a.attnum) INTO columns
    FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = rel AND a.attnum > 0 AND NOT a.attisdropped;
    IF is_json THEN
        SELECT string_agg(format('%I %s', a.attname, t.base), ', '),
               string_agg(format('CASE WHEN n.new_row OPERATOR(pg_catalog.?) %L::pg_catalog.text THEN %s ELSE %s END AS %I', a.attname,
                                 CASE WHEN t.is_domain THEN format('CAST(CAST(j.%I AS %s) AS %s)', a.attname, format_type(a.atttypid, -1), t.base) ELSE format('j.%I', a.attname) END,
                                 CASE WHEN t.given IS NULL OR a.attgenerated <> '' OR EXISTS (
                                     SELECT FROM regexp_matches(t.given::text, ':(?:funcid|opfuncid) (\d+)', 'g') AS m (ids)
                                     JOIN pg_proc AS p ON p.oid = m.ids[1]::oid AND p.provolatile = 'v') THEN 'NULL'
                                      ELSE format('CAST((%s) AS %s)', @extschema@.clean_stored(rel, a.attname, t.given, path), t.base) END,
                                 a.attname), ', ')
        INTO given, "values"
        FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum,
             LATERAL (SELECT y.typtype = 'd' AS is_domain, coalesce(d.adbin, y.typdefaultbin) AS given,
                             CASE WHEN y.typtype = 'd' THEN @extschema@.clean_type(@extschema@.clean_base(y.oid), -1) ELSE @extschema@.clean_type(y.oid, a.atttypmod) END AS base
                      FROM pg_type AS y WHERE y.oid = a.atttypid OFFSET 0) AS t
        WHERE a.attrelid = rel AND a.attnum > 0 AND NOT a.attisdropped;
    END IF;
    RETURN format('@extschema@.clean_row(NULL::%s, (SELECT ROW(%s)::pg_catalog.record FROM %s AS base))', rel, columns,
                  CASE WHEN is_json THEN format('(SELECT %s FROM pg_catalog.jsonb_to_record(n.new_row) AS j (%s))', "values", given)
                       ELSE '(SELECT (n.new_row).*)' END);
END $$;
COMMENT ON FUNCTION clean_new_row(regclass, boolean, text) IS
'internal: SQL that makes a row of a table, generated columns included, of jsonb without some columns or of a record of a trigger; path: the search path with which it will run';

CREATE FUNCTION clean_check(rel regclass, key_column name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind "char" := (SELECT c.relkind FROM pg_class AS c WHERE c.oid = rel);
    attribute pg_attribute;
BEGIN
    IF kind IS NULL THEN
        RAISE EXCEPTION 'relation with OID % does not exist', rel::oid USING ERRCODE = 'undefined_table';
    ELSIF kind NOT IN ('r', 'p') THEN
        RAISE EXCEPTION '% is not a table', rel USING ERRCODE = 'wrong_object_type';
    END IF;
    SELECT * INTO attribute FROM pg_attribute AS a
    WHERE a.attrelid = rel AND a.attname = key_column AND a.attnum > 0 AND NOT a.attisdropped;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', key_column, rel USING ERRCODE = 'undefined_column';
    ELSIF NOT attribute.attnotnull THEN
        RAISE EXCEPTION 'column "%" of table % is not a key', key_column, rel
            USING ERRCODE = 'invalid_table_definition', DETAIL = 'A key is NOT NULL.';
    END IF;
END $$;
COMMENT ON FUNCTION clean_check(regclass, name) IS
'internal: refuses what is no table, and a key that is no column or may be NULL';

CREATE FUNCTION clean_search_of(
    rel regclass, key_column name, tokens text, threshold float8, measure text, within text, among text, is_json boolean, path text)
RETURNS clean_search
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    search @extschema@.clean_search;
    fragment pg_catalog.record;
    index pg_catalog.record;
BEGIN
    IF rel IS NULL OR key_column IS NULL OR tokens IS NULL OR threshold IS NULL OR measure IS NULL THEN
        RAISE EXCEPTION 'rel, key, tokens, threshold and measure must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM @extschema@.clean_check(rel, key_column);
    PERFORM @extschema@.jaccard_ge('{}'::@extschema@.tokenset, '{}'::@extschema@.tokenset, threshold);
    IF measure OPERATOR(pg_catalog.<>) ALL ('{jaccard,cosine,dice,containment}'::pg_catalog.text[]) THEN
        RAISE EXCEPTION 'measure "%" cannot be used here', measure
            USING ERRCODE = 'invalid_parameter_value', HINT = 'The measures are jaccard, cosine, dice and containment.';
    END IF;

    SELECT f.expression, f.plain, f.type INTO fragment FROM @extschema@.clean_fragments(rel, tokens, 'tokens'::pg_catalog.text, false, path) AS f;
    IF fragment.type OPERATOR(pg_catalog.<>) '@extschema@.tokenset'::pg_catalog.regtype THEN
        RAISE EXCEPTION 'tokens must be of type tokenset, not %', fragment.type
            USING ERRCODE = 'datatype_mismatch', HINT = 'Give an expression such as word_tokens(body), or tags::tokenset.';
    END IF;
    search.tokens := fragment.expression;
    search.plain := ARRAY[fragment.plain, NULL];
    search.among := 'true';
    search.names_new := false;
    search.is_immutable := true;
    IF among IS NOT NULL THEN
        SELECT f.expression, f.plain, f.type, f.names_new, f.is_immutable INTO fragment FROM @extschema@.clean_fragments(rel, among, 'among'::pg_catalog.text, false, path) AS f;
        IF fragment.type OPERATOR(pg_catalog.<>) 'pg_catalog.bool'::pg_catalog.regtype THEN
            RAISE EXCEPTION 'among must be of type boolean, not %', fragment.type
                USING ERRCODE = 'datatype_mismatch', HINT = 'Give a condition, such as posted > now() - interval ''14 days''.';
        END IF;
        search.among := fragment.expression;
        search.names_new := fragment.names_new;
        search.is_immutable := fragment.is_immutable;
        search.plain[2] := fragment.plain;
    END IF;
    search.scope := '{}';
    search.equality := '{}';
    FOR fragment IN SELECT f.expression, f.plain, f.type, f.equality FROM @extschema@.clean_fragments(rel, within, 'within'::pg_catalog.text, true, path) AS f LOOP
        IF fragment.equality IS NULL THEN
            RAISE EXCEPTION 'type % has no operator =', fragment.type USING ERRCODE = 'undefined_function', DETAIL = 'It is the type of an expression of within.';
        END IF;
        search.scope := pg_catalog.array_append(search.scope, fragment.expression);
        search.equality := pg_catalog.array_append(search.equality, fragment.equality);
        search.plain := pg_catalog.array_append(search.plain, fragment.plain);
    END LOOP;

    search.rel := rel;
    search.relation := (SELECT pg_catalog.format('%I.%I', s.nspname, c.relname)
                        FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS s ON s.oid OPERATOR(pg_catalog.=) c.relnamespace
                        WHERE c.oid OPERATOR(pg_catalog.=) rel::pg_catalog.oid);
    search.key := pg_catalog.format('t.%I', key_column);
    search.counts := pg_catalog.format('(%s) AND %s', search.among, @extschema@.clean_undecided(rel, search.key));
    search.new_row := @extschema@.clean_new_row(rel, is_json, path);
    search.measure := measure;

    -- Of several constraints the one that refuses least.
    search.has_index := false;
    FOR index IN SELECT i.exclusion, i.threshold FROM @extschema@.clean_indexes(rel, tokens, within, among) AS i ORDER BY i.threshold, i.exclusion LOOP
        search.has_index := search.has_index OR index.threshold IS NULL;
        IF index.exclusion IS NOT NULL AND measure OPERATOR(pg_catalog.=) 'jaccard' AND index.threshold OPERATOR(pg_catalog.<=) threshold THEN
            search.exclusion := index.exclusion;
            search.least := index.threshold;
        END IF;
    END LOOP;
    RETURN search;
END $$;
COMMENT ON FUNCTION clean_search_of(regclass, name, text, float8, text, text, text, boolean, text) IS
'internal: the parts of a search; its rows are jsonb, or the record of a trigger; path: the search path with which it will run';

-- A new row that brings its key may have been there before, and decisions on it hold.
CREATE FUNCTION clean_undecided(rel regclass, key text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    decided text := 'EXISTS (SELECT FROM @extschema@.neardup_decided AS d WHERE d.rel::pg_catalog.oid OPERATOR(pg_catalog.=) %1$s::pg_catalog.oid AND d.other::pg_catalog.oid OPERATOR(pg_catalog.=) %1$s::pg_catalog.oid
                             AND d.key_a OPERATOR(pg_catalog.=) %2$s AND d.key_b OPERATOR(pg_catalog.=) %3$s)';
    key_text text := format('(%s)::pg_catalog.text', key);
BEGIN
    RETURN format('(n.own IS NULL OR NOT (%s OR %s))', format(decided, rel::oid, key_text, 'n.own'), format(decided, rel::oid, 'n.own', key_text));
END $$;
COMMENT ON FUNCTION clean_undecided(regclass, text) IS
'internal: whether nobody has found a new row, n, and another one to be different; key: that of the other one, as SQL';

-- Where the condition among names the new row, that row is part of the result, and counts for itself.
CREATE FUNCTION clean_source(search clean_search, rows text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN format('SELECT n.place, n.new_row, %s AS tokens%s, (%s)::pg_catalog.text AS own, %s FROM (%s) AS n CROSS JOIN LATERAL %s AS t OFFSET 0',
                  search.tokens,
                  (SELECT string_agg(format(', %s AS s%s', e.expression, e.place), '' ORDER BY e.place) FROM unnest(search.scope) WITH ORDINALITY AS e (expression, place)),
                  search.key, CASE WHEN search.names_new THEN format('true AS counts, CAST(t.* AS %s) AS whole', search.relation) ELSE format('(%s) AS counts', search.among) END,
                  rows, search.new_row);
END $$;
COMMENT ON FUNCTION clean_source(clean_search, text) IS
'internal: a query of the tokens, the scope and the key of new rows, and whether they count among the others; rows: a query of their places and rows';

CREATE FUNCTION clean_measure(search clean_search, suffix text, tokens text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN search.measure = 'containment' THEN format('@extschema@.%s%s(n.tokens, %s', search.measure, suffix, tokens)
                ELSE format('@extschema@.%s%s(%s, n.tokens', search.measure, suffix, tokens) END;
END $$;
COMMENT ON FUNCTION clean_measure(clean_search, text, text) IS
'internal: a call of a measure, or with the suffix _ge of its predicate, of a new row and other tokens, without its end';

CREATE FUNCTION clean_similarity(search clean_search, tokens text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN @extschema@.clean_measure(search, '', tokens) || ')';
END $$;
COMMENT ON FUNCTION clean_similarity(clean_search, text) IS
'internal: the similarity of a new row and other tokens';

CREATE FUNCTION clean_is_similar(search clean_search, tokens text, threshold text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN format('%s, %s)', @extschema@.clean_measure(search, '_ge', tokens), threshold);
END $$;
COMMENT ON FUNCTION clean_is_similar(clean_search, text, text) IS
'internal: whether the similarity of a new row and other tokens reaches a threshold, which is SQL';

CREATE FUNCTION clean_same_scope(search clean_search, of_table boolean) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT coalesce(string_agg(format(' AND (%s) %s n.s%s', CASE WHEN of_table THEN e.expression ELSE format('t.s%s', e.place) END, e.equality, e.place), '' ORDER BY e.place), '')
        FROM unnest(search.scope, search.equality) WITH ORDINALITY AS e (expression, equality, place));
END $$;
COMMENT ON FUNCTION clean_same_scope(clean_search, boolean) IS
'internal: whether a new row is in the scope of a row of the table, or of another new one; each condition after AND';

-- Two equal rows without tokens are not similar. Where only the similarity is asked for, any of the nearest rows will do.
CREATE FUNCTION clean_nearest(search clean_search, condition text, among text, is_by_key boolean) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN format('SELECT %1$s::pg_catalog.text AS key, %2$s AS similarity, (%3$s) AS counts FROM %4$s AS t%9$s
                   WHERE @extschema@.cardinality(n.tokens) OPERATOR(pg_catalog.>) 0 AND %5$s%6$s AND (%7$s) ORDER BY %2$s DESC NULLS LAST%8$s LIMIT 1',
                  search.key, @extschema@.clean_similarity(search, search.tokens), CASE WHEN among = search.counts THEN 'true' ELSE search.counts END, search.relation,
                  condition, @extschema@.clean_same_scope(search, true), among, CASE WHEN is_by_key THEN ', ' || search.key ELSE '' END,
                  CASE WHEN search.names_new THEN ', LATERAL (SELECT (n.whole).*) AS new' ELSE '' END);
END $$;
COMMENT ON FUNCTION clean_nearest(clean_search, text, text, boolean) IS
'internal: a query of the row of the table that is most similar to a new row; condition: which rows are similar enough, among: which count; is_by_key: of equally similar ones that of the least key';

CREATE FUNCTION clean_lookup(source text, nearest text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN format('SELECT f.key, f.similarity, f.counts FROM (%s) AS n CROSS JOIN LATERAL (%s) AS f', source, nearest);
END $$;
COMMENT ON FUNCTION clean_lookup(text, text) IS
'internal: a query of the row of the table that is most similar to the new row of a query';

-- The index of a constraint finds what is similar, and nothing else. It serves where there is no other.
CREATE FUNCTION clean_found(search clean_search, source text, among text, threshold text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT @extschema@.clean_lookup(source, @extschema@.clean_nearest(search,
            CASE WHEN search.has_index OR search.exclusion IS NULL THEN @extschema@.clean_is_similar(search, search.tokens, threshold)
                 ELSE format('@extschema@.jaccard_ball(%s, %L::pg_catalog.float8) OPERATOR(@extschema@.&&) @extschema@.jaccard_ball(n.tokens, %s)', search.tokens, search.least, threshold) END,
            among, true)));
END $$;
COMMENT ON FUNCTION clean_found(clean_search, text, text, text) IS
'internal: a query of the most similar row that reaches the threshold, for each new row';

-- Which of 64 locks of a table is that of the scope of a new row.
CREATE FUNCTION clean_slot(search clean_search) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT coalesce(format('pg_catalog.hash_record_extended(ROW(%s), 0::pg_catalog.int8) OPERATOR(pg_catalog.&) 63::pg_catalog.int8', string_agg(format('n.s%s', s), ', ' ORDER BY s)),
                        '0::pg_catalog.int8')
        FROM generate_series(1, cardinality(search.scope)) AS s);
END $$;
COMMENT ON FUNCTION clean_slot(clean_search) IS
'internal: the number of the lock of the scope of a new row';

-- The statements of a search for one row, which clean_search.c keeps for a session. The first reads the new row, $1, and
-- returns its tokens, the number of its lock, its scope, its key, and the whole row if it is named; these are the parameters of the
-- others, but for the lock. They have the threshold as a constant, by which the planner estimates.
CREATE FUNCTION clean_statements(search clean_search, threshold float8, OUT reads text, OUT finds text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
DECLARE
    names text[] := ARRAY(SELECT format('s%s', s) FROM generate_series(1, cardinality(search.scope)) AS s) || CASE WHEN search.names_new THEN '{own,whole}'::text[] ELSE '{own}' END;
    scope text := (SELECT coalesce(string_agg(format(', n.%s', n.name), '' ORDER BY n.place), '') FROM unnest(names) WITH ORDINALITY AS n (name, place));
    given text := (SELECT 'SELECT $1 AS tokens' || coalesce(string_agg(format(', $%s AS %s', n.place + 1, n.name), '' ORDER BY n.place), '') FROM unnest(names) WITH ORDINALITY AS n (name, place));
BEGIN
    reads := format('SELECT n.tokens, %s%s FROM (%s) AS n',
                    CASE WHEN search.exclusion IS NULL THEN @extschema@.clean_slot(search) ELSE 'NULL::pg_catalog.int8' END, scope,
                    @extschema@.clean_source(search, 'SELECT 1 AS place, $1 AS new_row'::text));
    finds := @extschema@.clean_found(search, given, search.counts, format('%L::pg_catalog.float8', threshold));
END $$;
COMMENT ON FUNCTION clean_statements(clean_search, float8) IS
'internal: the statements of a search: one that reads a new row, and one that finds the most similar row that reaches the threshold';

--
-- clean: inserting a row, or finding the one that is there
--

-- What keeps callers apart who come at the same time with similar rows: a constraint of the table, for which the second
-- one waits, and then looks again; or else locks of scopes by their hashes, taken before the search and held until the
-- transaction ends. A search after the lock sees what the holder before has committed, if it has a snapshot of its own.

CREATE FUNCTION clean_lock(rel regclass, slots int8[]) RETURNS void
AS 'MODULE_PATHNAME', 'clean_lock' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION clean_lock(regclass, int8[]) IS
'internal: takes locks of scopes of a table in their order, until the transaction ends';

-- Says once in a session, for each table, what keeps its rows apart, and that an index would help.
CREATE FUNCTION clean_tell(search clean_search, threshold float8, is_guard boolean) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    told text := coalesce(current_setting('neardup_clean.told', true), '');
    mark text := format(' %s%s%s', search.rel::oid, CASE WHEN search.exclusion IS NULL THEN 'l' ELSE 'c' END, CASE WHEN search.has_index THEN 'i' ELSE '' END);
    columns text[];
    constraint_hint text := 'No constraint can have the condition "among" of the call, and one without it would refuse rows that are similar to rows which do not count. A guard binds those who only know INSERT.';
BEGIN
    IF strpos(told || ' ', mark || ' ') > 0 THEN
        RETURN;
    END IF;
    -- A session that writes to very many tables may be told again.
    PERFORM set_config('neardup_clean.told', right(told || mark, 4000), false);
    columns := ARRAY(SELECT CASE WHEN p.name ~ '^\w+$' THEN p.name ELSE format('(%s)', p.name) END
                     FROM unnest(search.plain[3:] || search.plain[1]) WITH ORDINALITY AS p (name, place) ORDER BY p.place);
    IF search.exclusion IS NOT NULL THEN
        RAISE NOTICE 'rows of table % are kept apart by constraint "%"', search.rel, search.exclusion;
    ELSIF search.measure = 'jaccard' THEN
        IF search.is_immutable THEN
            constraint_hint := format('A constraint binds all writers: ALTER TABLE %s ADD EXCLUDE USING neardup (%sjaccard_ball(%s, %s) WITH &&)%s;', search.rel,
                                      (SELECT string_agg(c.name || ' WITH =, ', '' ORDER BY c.place) FROM unnest(trim_array(columns, 1)) WITH ORDINALITY AS c (name, place)), search.plain[1], threshold,
                                      CASE WHEN search.plain[2] ~ '^\(.*\)$' THEN ' WHERE ' || search.plain[2] WHEN search.plain[2] IS NOT NULL THEN format(' WHERE (%s)', search.plain[2]) ELSE '' END);
        ELSIF is_guard THEN
            constraint_hint := 'No constraint can have the condition "among" of the guard.';
        END IF;
        RAISE NOTICE 'rows of table % are kept apart by locks, which other writers do not take', search.rel USING HINT = constraint_hint;
    ELSE
        RAISE NOTICE 'rows of table % are kept apart by locks, which other writers do not take', search.rel;
    END IF;
    IF NOT search.has_index AND search.exclusion IS NULL THEN
        RAISE NOTICE 'no index of table % finds the most similar row', search.rel
            USING HINT = format('CREATE INDEX ON %s USING neardup (%s);', search.rel, array_to_string(columns, ', '));
    END IF;
END $$;
COMMENT ON FUNCTION clean_tell(clean_search, float8, boolean) IS
'internal: says once in a session what keeps the rows of a table apart, and which index it lacks';

-- An INSERT of the columns that a jsonb has, $1; it returns the key, or no row where the constraint of the search refuses it.
CREATE FUNCTION clean_insert(search clean_search, new_row jsonb) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    names text[] := ARRAY(SELECT k.name FROM jsonb_object_keys(new_row) AS k (name));
    unknown text;
BEGIN
    SELECT n.name INTO unknown FROM unnest(names) AS n (name)
    WHERE NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = search.rel AND a.attname = n.name AND a.attnum > 0 AND NOT a.attisdropped);
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', unknown, search.rel
            USING ERRCODE = 'undefined_column', HINT = 'The names in a new row are columns of the table.';
    END IF;
    RETURN format('INSERT INTO %s AS t %s %s RETURNING %s::pg_catalog.text', search.relation,
                  CASE WHEN cardinality(names) = 0 THEN 'DEFAULT VALUES'
                       ELSE (SELECT format('(%s) SELECT %s FROM pg_catalog.jsonb_to_record($1) AS n (%s)', string_agg(quote_ident(a.attname), ', '),
                                           string_agg(format('n.%I', a.attname), ', '), string_agg(format('%I %s', a.attname, @extschema@.clean_type(a.atttypid, a.atttypmod)), ', '))
                             FROM pg_attribute AS a WHERE a.attrelid = search.rel AND a.attname = ANY (names) AND a.attnum > 0) END,
                  CASE WHEN search.exclusion IS NULL THEN '' ELSE format('ON CONFLICT ON CONSTRAINT %I DO NOTHING', search.exclusion) END,
                  search.key);
END $$;
COMMENT ON FUNCTION clean_insert(clean_search, jsonb) IS
'internal: the INSERT of a row with the columns that a jsonb object has';

-- A row that the constraint refused was not found afterwards. What it conflicts with does not count, or is less similar than
-- the call asks for; or it has gone, or the caller may not see it.
CREATE FUNCTION clean_refuse_conflict(search clean_search, new_row jsonb, threshold float8, attempt integer) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
    other pg_catalog.record;
BEGIN
    IF search.exclusion IS NOT NULL THEN
        EXECUTE @extschema@.clean_found(search, @extschema@.clean_source(search, 'SELECT 1 AS place, $1 AS new_row'::pg_catalog.text), 'true'::pg_catalog.text, '$2'::pg_catalog.text)
            INTO other USING new_row, search.least;
        IF other.key IS NOT NULL AND (other.counts IS NOT TRUE OR other.similarity OPERATOR(pg_catalog.<) threshold) THEN
            RAISE EXCEPTION 'row conflicts with row % of table %', other.key, search.relation
                USING ERRCODE = 'exclusion_violation', CONSTRAINT = search.exclusion,
                      DETAIL = pg_catalog.format('Constraint "%s" refuses rows of a similarity of %s or more; these have %s.', search.exclusion, search.least, other.similarity),
                      HINT = CASE WHEN other.counts THEN 'The threshold of the call is greater than that of the constraint.'
                                  ELSE 'The row that is there does not count, by the condition "among" of the call or by a decision, but the constraint knows neither.' END;
        END IF;
    END IF;
    IF search.exclusion IS NULL OR attempt OPERATOR(pg_catalog.>=) 20 THEN
        RAISE EXCEPTION 'a row of table % was neither inserted nor found', search.relation
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = CASE WHEN search.exclusion IS NULL THEN 'A trigger or rule has left the row out.'
                                ELSE 'A trigger or rule has left the row out, or it conflicts with a row that the caller does not see.' END;
    END IF;
END $$;
COMMENT ON FUNCTION clean_refuse_conflict(clean_search, jsonb, float8, integer) IS
'internal: raises an error if the row that a constraint refused will be refused again';

-- A row below the threshold, down to half of it, tells how near a new one comes to others. The index of a constraint finds none.
CREATE FUNCTION clean_least_told(search clean_search, threshold float8) RETURNS float8
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN search.has_index OR search.exclusion IS NULL THEN threshold / 2 ELSE threshold END;
END $$;
COMMENT ON FUNCTION clean_least_told(clean_search, float8) IS
'internal: from which similarity on that of the nearest row is told of a row that is inserted';

CREATE FUNCTION clean_call_statements(
    rel regclass, key_column name, tokens text, threshold float8, measure text, within text, among text,
    OUT path text, OUT search clean_search, OUT reads text, OUT finds text, OUT counts_up text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
BEGIN
    path := @extschema@.clean_run_path();
    search := @extschema@.clean_search_of(rel, key_column, tokens, threshold, measure, within, among, true, path);
    PERFORM @extschema@.clean_tell(search, threshold, false);
    SELECT s.reads, s.finds INTO reads, finds FROM @extschema@.clean_statements(search, @extschema@.clean_least_told(search, threshold)) AS s;
END $$;
COMMENT ON FUNCTION clean_call_statements(regclass, name, text, float8, text, text, text) IS
'internal: the search and the statements of calls of insert_or_find with these arguments, and the search path with which those that read and find run';

CREATE FUNCTION insert_or_find(
    rel regclass, new_row jsonb, key name, tokens text, threshold float8,
    measure text DEFAULT 'jaccard', within text DEFAULT NULL, among text DEFAULT NULL,
    OUT key text, OUT inserted boolean, OUT similarity float8)
RETURNS record
AS 'MODULE_PATHNAME', 'insert_or_find' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION insert_or_find(regclass, jsonb, name, text, float8, text, text, text) IS
'inserts a row unless one of the table is as similar as the threshold; returns the key of the row that was inserted or the most similar one that was found, which of the two, and the greatest similarity, NULL for a row that was inserted where no row comes near it; within: a list of SQL expressions that are equal for similar rows, among: a condition on the rows that count';

CREATE FUNCTION insert_or_find_keyed(
    key_type anyelement, rel regclass, new_row jsonb, key name, tokens text, threshold float8,
    measure text DEFAULT 'jaccard', within text DEFAULT NULL, among text DEFAULT NULL,
    OUT key anyelement, OUT inserted boolean, OUT similarity float8)
RETURNS record
AS 'MODULE_PATHNAME', 'insert_or_find_keyed' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION insert_or_find_keyed(anyelement, regclass, jsonb, name, text, float8, text, text, text) IS
'returns what insert_or_find does, with the key of the type of the first argument, whose value (such as NULL::uuid) does not matter';

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

--
-- clean: a trigger that finds near-duplicates for those who only know INSERT
--

-- Its arguments, all of which a dump has as they are: key, tokens, threshold, measure, action, the column that counts or '',
-- the condition among or '', and the expressions of the scope. Names in the expressions have their schemas.
CREATE FUNCTION clean_guard() RETURNS trigger
AS 'MODULE_PATHNAME', 'clean_guard' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION clean_guard() IS
'trigger of tables that guard_near_duplicates guards';

-- The arguments are read with the path with which they were written.
CREATE FUNCTION clean_guard_arguments(rel regclass, arguments text[], path text) RETURNS clean_search
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN @extschema@.clean_search_of(rel, arguments[1]::name, arguments[2], arguments[3]::float8, arguments[4],
        CASE WHEN cardinality(arguments) > 7 THEN array_to_string(arguments[8:], ', ') END, nullif(arguments[7], ''), false, path);
END $$;
COMMENT ON FUNCTION clean_guard_arguments(regclass, text[], text) IS
'internal: the search that the arguments of a trigger say; path: the search path with which it will run';

CREATE FUNCTION clean_count(search clean_search, counter name) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT format('UPDATE %s AS t SET %I = coalesce(t.%2$I, 0) OPERATOR(pg_catalog.+) 1 WHERE %s %s $1::%s', search.relation, counter, search.key, k.equality, @extschema@.clean_type(k.type::oid, -1))
        FROM @extschema@.clean_fragments(search.rel, substr(search.key, 3), 'key'::text, false, 'pg_catalog, pg_temp'::text) AS k);
END $$;
COMMENT ON FUNCTION clean_count(clean_search, name) IS
'internal: a statement that counts up a column of a row';

CREATE FUNCTION clean_guard_statements(
    rel regclass, arguments text[], OUT path text, OUT search clean_search, OUT reads text, OUT finds text, OUT counts_up text)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    path := @extschema@.clean_run_path();
    search := @extschema@.clean_guard_arguments(rel, arguments, path);
    SELECT s.reads, s.finds INTO reads, finds FROM @extschema@.clean_statements(search, arguments[3]::pg_catalog.float8) AS s;
    IF arguments[6] OPERATOR(pg_catalog.<>) '' THEN
        counts_up := @extschema@.clean_count(search, arguments[6]::pg_catalog.name);
    END IF;
END $$;
COMMENT ON FUNCTION clean_guard_statements(regclass, text[]) IS
'internal: the search and the statements of a trigger with these arguments, and the search path with which those that read and find run';

CREATE FUNCTION guard_near_duplicates(
    rel regclass, key name, tokens text, threshold float8,
    measure text DEFAULT 'jaccard', within text DEFAULT NULL, among text DEFAULT NULL,
    action text DEFAULT 'skip', counter name DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $$
DECLARE
    search @extschema@.clean_search := @extschema@.clean_search_of(rel, key, tokens, threshold, measure, within, among, false, @extschema@.clean_run_path());
    arguments pg_catalog.text[];
    class pg_catalog.pg_class := (SELECT c FROM pg_catalog.pg_class AS c WHERE c.oid OPERATOR(pg_catalog.=) rel::pg_catalog.oid);
BEGIN
    IF class.relispartition THEN
        RAISE EXCEPTION '% is a partition', search.relation
            USING ERRCODE = 'wrong_object_type', HINT = pg_catalog.format('Guard the partitioned table, %s.', pg_catalog.pg_partition_root(rel));
    END IF;
    IF action IS NULL OR action OPERATOR(pg_catalog.<>) ALL ('{skip,raise,count}'::pg_catalog.text[]) THEN
        RAISE EXCEPTION 'action "%" does not exist', action USING ERRCODE = 'invalid_parameter_value', HINT = 'The actions are skip, raise and count.';
    ELSIF (action OPERATOR(pg_catalog.=) 'count') OPERATOR(pg_catalog.=) (counter IS NULL) THEN
        RAISE EXCEPTION 'action count, and no other, needs a counter' USING ERRCODE = 'invalid_parameter_value', HINT = 'Name the column that is counted up, as in counter => ''times_seen''.';
    ELSIF counter IS NOT NULL AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid OPERATOR(pg_catalog.=) rel::pg_catalog.oid AND a.attname OPERATOR(pg_catalog.=) counter AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped)
    THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', counter, search.relation USING ERRCODE = 'undefined_column';
    END IF;
    PERFORM @extschema@.clean_tell(search, threshold, true);
    arguments := ARRAY[key::pg_catalog.text, search.plain[1], threshold::pg_catalog.text, measure, action, COALESCE(counter::pg_catalog.text, ''), COALESCE(search.plain[2], '')]
                 OPERATOR(pg_catalog.||) search.plain[3:];
    -- They will be read without the caller's path, which may be what finds an operator of NULLIF or CASE.
    PERFORM @extschema@.clean_guard_arguments(rel, arguments, @extschema@.clean_run_path());
    -- What an UPDATE moves to another partition is deleted and inserted.
    EXECUTE pg_catalog.format('CREATE TRIGGER neardup_guard BEFORE INSERT%s ON %s FOR EACH ROW EXECUTE FUNCTION @extschema@.clean_guard(%s)',
        CASE WHEN class.relkind OPERATOR(pg_catalog.=) 'p' THEN ' OR UPDATE OR DELETE' ELSE '' END, search.relation,
        (SELECT pg_catalog.string_agg(pg_catalog.quote_literal(a.argument), ', ' ORDER BY a.place) FROM pg_catalog.unnest(arguments) WITH ORDINALITY AS a (argument, place)));
END $$;
COMMENT ON FUNCTION guard_near_duplicates(regclass, name, text, float8, text, text, text, text, name) IS
'makes a trigger that finds near-duplicates of rows that are inserted; action: skip leaves such a row out, raise raises an error, count counts up a column, counter, of the row that is there';

--
-- clean: pairs that somebody has looked at and found to be different
--

CREATE TABLE neardup_decided (
    rel regclass NOT NULL,
    key_a text NOT NULL,
    key_b text NOT NULL,
    who name NOT NULL DEFAULT current_user,
    at timestamptz NOT NULL DEFAULT now(),
    other regclass NOT NULL,
    PRIMARY KEY (rel, key_a, key_b, other)
);
COMMENT ON TABLE neardup_decided IS
'pairs of rows that somebody has found to be different, for except_pairs; rel: the table of key_a, other: that of key_b, by default the same';

-- Decisions on dropped tables are not dumped: their numbers may mean other tables where the dump is restored.
SELECT pg_catalog.pg_extension_config_dump('neardup_decided',
    'WHERE (SELECT count(*) FROM pg_catalog.pg_class AS c WHERE c.oid IN (rel, other)) = CASE WHEN other <> rel THEN 2 ELSE 1 END');

-- A trigger guards the table, since row-level security would be in the way of both pg_dump and COPY.
CREATE FUNCTION neardup_decided_guard() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner oid;
    table_of_key regclass;
BEGIN
    IF TG_OP = 'DELETE' THEN
        owner := (SELECT c.relowner FROM pg_class AS c WHERE c.oid = OLD.rel);
        IF OLD.who <> current_user AND NOT pg_has_role(owner, 'USAGE') THEN
            RAISE EXCEPTION 'must be owner of table %', OLD.rel
                USING ERRCODE = 'insufficient_privilege', DETAIL = format('The decision is one of role "%s".', OLD.who);
        END IF;
        RETURN OLD;
    END IF;
    NEW.other := coalesce(NEW.other, NEW.rel);
    owner := (SELECT c.relowner FROM pg_class AS c WHERE c.oid = NEW.rel);
    IF owner IS NULL THEN
        RAISE EXCEPTION 'relation with OID % does not exist', NEW.rel::oid USING ERRCODE = 'undefined_table';
    END IF;
    FOREACH table_of_key IN ARRAY ARRAY[NEW.rel, NEW.other] LOOP
        IF NOT has_any_column_privilege(table_of_key::oid, 'SELECT') THEN
            RAISE EXCEPTION 'permission denied for table %', table_of_key
                USING ERRCODE = 'insufficient_privilege', DETAIL = 'Who may read a table may decide on its rows.';
        END IF;
    END LOOP;
    IF NEW.who <> current_user AND NOT pg_has_role(owner, 'USAGE') THEN
        RAISE EXCEPTION 'decision of role "%" cannot be made by role "%"', NEW.who, current_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION neardup_decided_guard() IS
'trigger of neardup_decided: lets readers of a table decide, and take back their decisions';

CREATE TRIGGER neardup_decided_guard BEFORE INSERT OR DELETE ON neardup_decided
    FOR EACH ROW EXECUTE FUNCTION neardup_decided_guard();

GRANT SELECT, INSERT, DELETE ON neardup_decided TO PUBLIC;

-- A merge leaves decisions on rows that go as they are, so that they hold again when the rows return, and makes them for the
-- rows that stay. Those are known by their time, which the log has and is no other merge's or that of its transaction, and by who merged.
CREATE FUNCTION clean_keep_decisions(rel regclass, pairs text, decided timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('
        WITH pair AS (SELECT format(''%%s'', p.gone) AS gone, format(''%%s'', p.kept) AS kept FROM %s AS p),
        made AS (
            SELECT DISTINCT d.rel, coalesce(a.kept, d.key_a) AS key_a, coalesce(b.kept, d.key_b) AS key_b, d.other
            FROM @extschema@.neardup_decided AS d
            LEFT JOIN pair AS a ON d.rel = $1 AND a.gone = d.key_a LEFT JOIN pair AS b ON d.other = $1 AND b.gone = d.key_b
            WHERE a.gone IS NOT NULL OR b.gone IS NOT NULL)
        INSERT INTO @extschema@.neardup_decided (rel, key_a, key_b, other, at)
        SELECT m.rel, m.key_a, m.key_b, m.other, $2 FROM made AS m
        WHERE (m.rel <> m.other OR m.key_a <> m.key_b)
              AND NOT EXISTS (SELECT FROM @extschema@.neardup_decided AS d
                              WHERE m.rel = m.other AND d.rel = m.rel AND d.other = m.rel AND d.key_a = m.key_b AND d.key_b = m.key_a)
              AND has_any_column_privilege(m.rel::oid, ''SELECT'') AND has_any_column_privilege(m.other::oid, ''SELECT'')
        ON CONFLICT DO NOTHING', pairs)
    USING rel, decided;
END $$;
COMMENT ON FUNCTION clean_keep_decisions(regclass, text, timestamptz) IS
'internal: makes decisions on rows that go into decisions on the rows that stay for them; pairs: a table of both, decided: the time of these decisions';

CREATE FUNCTION clean_return_decisions(log regclass, merge bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('
        WITH entry AS (SELECT l.rel, l.gone, l.kept, l.who, l.columns FROM %s AS l WHERE l.merge = $1),
             pair AS (SELECT DISTINCT e.rel, e.gone, e.kept, e.who FROM entry AS e)
        DELETE FROM @extschema@.neardup_decided AS d
        USING @extschema@.neardup_decided AS o LEFT JOIN pair AS a ON a.rel = o.rel AND a.gone = o.key_a LEFT JOIN pair AS b ON b.rel = o.other AND b.gone = o.key_b
        WHERE d.rel = o.rel AND d.other = o.other AND (a.gone IS NOT NULL OR b.gone IS NOT NULL)
              AND d.key_a = coalesce(a.kept, o.key_a) AND d.key_b = coalesce(b.kept, o.key_b)
              AND d.at IN (SELECT (e.columns ->> ''decided'')::timestamptz FROM entry AS e) AND d.who = coalesce(a.who, b.who)
              AND (d.who = current_user OR pg_has_role((SELECT c.relowner FROM pg_class AS c WHERE c.oid = d.rel), ''USAGE''))', log)
    USING merge;
END $$;
COMMENT ON FUNCTION clean_return_decisions(regclass, bigint) IS
'internal: takes back the decisions that a merge has made';

CREATE FUNCTION clean_undecided_pairs(search clean_search, low float8, high float8) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
DECLARE
    key_type text := (SELECT @extschema@.clean_type(@extschema@.clean_base(a.atttypid), -1) FROM pg_attribute AS a
                      WHERE a.attrelid = search.rel AND format('t.%I', a.attname) = search.key AND a.attnum > 0 AND NOT a.attisdropped);
    scope text := array_to_string(search.scope, ', ');
    tokens text := search.tokens;
BEGIN
    IF scope <> '' THEN
        tokens := format('CASE WHEN pg_catalog.num_nulls(%2$s) OPERATOR(pg_catalog.=) 0 THEN @extschema@.clean_tokens_within(%1$s, ROW(%2$s)) END', tokens, scope);
    END IF;
    RETURN format('SELECT j.a::pg_catalog.text, j.b::pg_catalog.text, j.similarity,
                          1 OPERATOR(pg_catalog.-) (pg_catalog.abs((2 OPERATOR(pg_catalog.*) j.similarity) OPERATOR(pg_catalog.-) %7$L::pg_catalog.float8) OPERATOR(pg_catalog./) %8$L::pg_catalog.float8) AS doubt
                   FROM @extschema@.ppjoin_keyed(NULL::%1$s, %2$L::pg_catalog.text, %5$L::pg_catalog.float8, %3$L::pg_catalog.text) AS j (a, b, similarity),
                        LATERAL (SELECT j.b::pg_catalog.text AS own) AS n
                   WHERE j.similarity OPERATOR(pg_catalog.<) %6$L::pg_catalog.float8 AND %4$s ORDER BY doubt DESC, j.a, j.b',
                  key_type, format('SELECT CAST(%s AS %s), %s FROM %s AS t WHERE (%s)', search.key, key_type, tokens, search.relation, search.among), search.measure,
                  @extschema@.clean_undecided(search.rel, 'j.a'::text), low, high, low + high, high - low);
END $$;
COMMENT ON FUNCTION clean_undecided_pairs(clean_search, float8, float8) IS
'internal: a query of the pairs of a table that are similar to some degree, and on which nobody has decided';

CREATE FUNCTION undecided_pairs(
    rel regclass, key name, tokens text, low float8, high float8, measure text DEFAULT 'jaccard', within text DEFAULT NULL, among text DEFAULT NULL,
    OUT a text, OUT b text, OUT similarity float8, OUT doubt float8)
RETURNS SETOF record
LANGUAGE plpgsql STABLE PARALLEL UNSAFE COST 100000 ROWS 1000 AS $$
DECLARE
    path pg_catalog.text := pg_catalog.current_setting('search_path');
    run_path pg_catalog.text := @extschema@.clean_run_path();
    search @extschema@.clean_search;
    statement pg_catalog.text;
BEGIN
    IF (low OPERATOR(pg_catalog.<) high) IS NOT TRUE THEN
        RAISE EXCEPTION 'low must be less than high' USING ERRCODE = 'invalid_parameter_value', DETAIL = pg_catalog.format('They are %s and %s.', low, high);
    END IF;
    search := @extschema@.clean_search_of(rel, key, tokens, low, measure, within, among, false, run_path);
    IF search.names_new THEN
        RAISE EXCEPTION 'among must not name the new row' USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Both rows of a pair are in the table.';
    END IF;
    statement := @extschema@.clean_undecided_pairs(search, low, high);
    PERFORM @extschema@.clean_use_path(run_path);
    RETURN QUERY EXECUTE statement;
    PERFORM @extschema@.clean_use_path(path);
END $$;
COMMENT ON FUNCTION undecided_pairs(regclass, name, text, float8, float8, text, text, text) IS
'returns the pairs of rows of a table whose similarity is at least the one and less than the other threshold, and on which there is no decision in neardup_decided, the most doubtful first: doubt is 1 in the middle and 0 at the thresholds; within, among: as in insert_or_find';

--
-- What each guest checks last: it is of neardup's version, and uses what is neardup's
--

-- One library serves neardup and its guests, whose declarations must be those of one version.
DO $$
DECLARE
    present pg_catalog.text := (SELECT e.extversion FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup');
BEGIN
    IF present OPERATOR(pg_catalog.<>) '1.0.0' THEN
        RAISE EXCEPTION 'extension neardup_clean of version 1.0.0 needs neardup of the same version'
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = pg_catalog.format('Version %s of neardup is there.', present),
                  HINT = 'Call ALTER EXTENSION neardup UPDATE first.';
    END IF;
END $$;

-- Types, functions and operators of other extensions were found by the search path, in which the schema of this extension
-- comes first; whoever may create objects there must not have given it others of the same names.
DO $$
DECLARE
    foreigner pg_catalog.text;
BEGIN
    WITH needed AS (
        SELECT e.oid, e.extname FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'neardup_clean'
        UNION ALL
        SELECT r.oid, r.extname
        FROM pg_catalog.pg_extension AS e
        JOIN pg_catalog.pg_depend AS d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid
             AND d.objid OPERATOR(pg_catalog.=) e.oid
        JOIN pg_catalog.pg_extension AS r ON d.refclassid OPERATOR(pg_catalog.=) d.classid AND d.refobjid OPERATOR(pg_catalog.=) r.oid
        WHERE e.extname OPERATOR(pg_catalog.=) 'neardup_clean'
    ), member AS (
        SELECT d.classid, d.objid, n.extname
        FROM pg_catalog.pg_depend AS d JOIN needed AS n ON n.oid OPERATOR(pg_catalog.=) d.refobjid
        WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'
    ), own AS (
        SELECT m.classid, m.objid FROM member AS m WHERE m.extname OPERATOR(pg_catalog.=) 'neardup_clean'
    ), used AS (
        SELECT d.refclassid AS class, d.refobjid AS object
        FROM pg_catalog.pg_depend AS d JOIN own ON own.classid OPERATOR(pg_catalog.=) d.classid AND own.objid OPERATOR(pg_catalog.=) d.objid
        UNION ALL
        SELECT 'pg_catalog.pg_operator'::pg_catalog.regclass::pg_catalog.oid, a.amopopr
        FROM pg_catalog.pg_amop AS a JOIN own ON own.objid OPERATOR(pg_catalog.=) a.amopfamily
        WHERE own.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_opfamily'::pg_catalog.regclass::pg_catalog.oid
    )
    SELECT pg_catalog.format('%s %s', o.type, o.identity) INTO foreigner
    FROM used AS u, pg_catalog.pg_identify_object(u.class, u.object, 0) AS o
    WHERE u.class OPERATOR(pg_catalog.=) ANY (ARRAY['pg_catalog.pg_type', 'pg_catalog.pg_proc', 'pg_catalog.pg_operator']::pg_catalog.regclass[]::pg_catalog.oid[])
          AND NOT EXISTS (SELECT FROM member AS m WHERE m.classid OPERATOR(pg_catalog.=) u.class AND m.objid OPERATOR(pg_catalog.=) u.object)
          -- What stands upon a table or type of the guest is not a member of its own.
          AND NOT EXISTS (
              SELECT FROM pg_catalog.pg_depend AS i JOIN own ON own.classid OPERATOR(pg_catalog.=) i.refclassid AND own.objid OPERATOR(pg_catalog.=) i.refobjid
              WHERE i.classid OPERATOR(pg_catalog.=) u.class AND i.objid OPERATOR(pg_catalog.=) u.object AND i.deptype OPERATOR(pg_catalog.=) 'i')
    LIMIT 1;
    IF foreigner IS NOT NULL THEN
        RAISE EXCEPTION 'extension neardup_clean would use what is not of an extension that it needs: %', foreigner
            USING ERRCODE = 'duplicate_object', HINT = 'Create the extension in another schema.';
    END IF;
END $$;
