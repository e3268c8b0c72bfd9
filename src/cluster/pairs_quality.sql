--
-- cluster: found pairs against true ones
--

-- No search path of its own: that of the caller is for the queries. Keys are compared by their
-- images, since the type's own operator may be anywhere.
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
    IF found_query OPERATOR(pg_catalog.~) '^\s*[\w."]+\s*$' OR true_query OPERATOR(pg_catalog.~) '^\s*[\w."]+\s*$' THEN
        RAISE EXCEPTION 'query of pairs_quality must be the text of a query, not a name'
            USING ERRCODE = 'syntax_error', HINT = 'Give the text of a SELECT with its columns, such as SELECT a, b FROM pairs.';
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
'returns precision, recall and F1 of the pairs of a query against the true pairs; the first two columns of each query are a pair; ordered: whether (a, b) and (b, a) differ, as between two tables';
