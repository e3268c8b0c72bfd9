--
-- link: one record in a table
--

CREATE FUNCTION find_records(
    rel regclass, key name, record jsonb, model jsonb, most integer DEFAULT 5,
    OUT id bigint, OUT score float8, OUT similarities jsonb)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'find_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 10000 ROWS 5;

COMMENT ON FUNCTION find_records(regclass, name, jsonb, jsonb, integer) IS
'returns the rows of a table that are most likely the same thing as one record, an object of values by column, by a model of learn_records, with the score and the similarity of each column; it needs an index on record_tokens of the columns';

CREATE FUNCTION find_records_keyed(
    key_type anyelement, rel regclass, key name, record jsonb, model jsonb, most integer DEFAULT 5,
    OUT id anyelement, OUT score float8, OUT similarities jsonb)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'find_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 10000 ROWS 5;

COMMENT ON FUNCTION find_records_keyed(anyelement, regclass, name, jsonb, jsonb, integer) IS
'returns what find_records does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';
