--
-- link: the links of two tables
--

CREATE FUNCTION link_tables(
    query_a text, query_b text, one_to_one boolean DEFAULT true, except_pairs text DEFAULT NULL,
    differ name[] DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT similarity float8, OUT score float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'link_tables'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION link_tables(text, text, boolean, text, name[]) IS
'returns which rows a of one query and b of another, each (key, text) or (key, first text, other text), are the same thing, the surest first; one to one, or else many b to one a; except_pairs: a query of pairs (a, b) that are no links; differ: further columns of both queries, rows with other values in which are never linked';

CREATE FUNCTION link_tables_keyed(
    key_type anyelement, query_a text, query_b text, one_to_one boolean DEFAULT true, except_pairs text DEFAULT NULL,
    differ name[] DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT similarity float8, OUT score float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'link_tables'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION link_tables_keyed(anyelement, text, text, boolean, text, name[]) IS
'returns what link_tables does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION link_tables_report(
    query_a text, query_b text, one_to_one boolean DEFAULT true, except_pairs text DEFAULT NULL,
    differ name[] DEFAULT NULL,
    OUT texts text, OUT cut float8, OUT pairs bigint, OUT precision_estimate float8,
    OUT agreement float8, OUT without_partner float8, OUT verdict text)
RETURNS record
AS 'MODULE_PATHNAME', 'link_tables_report'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000;

COMMENT ON FUNCTION link_tables_report(text, text, boolean, text, name[]) IS
'returns how link_tables would link the same queries, of keys of any type: texts that are compared, least score, pairs, about what share of them are links (NULL where that cannot be told), agreement with another list, share of rows without a partner, and what that means';
