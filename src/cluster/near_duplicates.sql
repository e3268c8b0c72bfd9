--
-- cluster: the near-duplicate rows of a table
--

CREATE FUNCTION near_duplicates(
    rel regclass, key name, text name, threshold float8,
    tokens text DEFAULT NULL, keep text DEFAULT NULL, mode text DEFAULT 'star',
    measure text DEFAULT 'jaccard', within text DEFAULT NULL, except_pairs text DEFAULT NULL,
    OUT id bigint, OUT duplicate_of bigint, OUT similarity float8, OUT kind text, OUT cluster bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'near_duplicates'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION near_duplicates(regclass, name, name, float8, text, text, text, text, text, text) IS
'returns the rows of a table that are copies or near-duplicates of a row that is kept; a threshold of NULL is chosen, tokens: an SQL expression, keep: an ORDER BY list, mode: star, complete or connected, measure: one from 0 to 1, with containment a row is contained in one that is kept, within: a list of SQL expressions that are equal for duplicates, except_pairs: a query of pairs of keys that are no duplicates';

CREATE FUNCTION near_duplicates_keyed(
    key_type anyelement, rel regclass, key name, text name, threshold float8,
    tokens text DEFAULT NULL, keep text DEFAULT NULL, mode text DEFAULT 'star',
    measure text DEFAULT 'jaccard', within text DEFAULT NULL, except_pairs text DEFAULT NULL,
    OUT id anyelement, OUT duplicate_of anyelement, OUT similarity float8, OUT kind text, OUT cluster anyelement)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'near_duplicates'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION near_duplicates_keyed(anyelement, regclass, name, name, float8, text, text, text, text, text, text) IS
'returns what near_duplicates does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
