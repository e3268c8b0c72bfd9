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
