--
-- link: new records among entities that are known
--

CREATE FUNCTION place_records(
    rel regclass, key name, entity name, model jsonb,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    OUT id bigint, OUT entity bigint, OUT other_entity bigint, OUT duplicate_of bigint,
    OUT score float8, OUT kind text, OUT grp bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'place_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION place_records(regclass, name, name, jsonb, text, text, name[]) IS
'returns for the rows of a table whose entity is NULL which entity they join, which new one they make, or between which two they stand, by a model of learn_records; grp: the least key of the new rows of one place, within, except_pairs, differ: as of duplicate_records; nothing is written';

CREATE FUNCTION place_records_keyed(
    key_type anyelement, rel regclass, key name, entity name, model jsonb,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    OUT id anyelement, OUT entity anyelement, OUT other_entity anyelement, OUT duplicate_of anyelement,
    OUT score float8, OUT kind text, OUT grp anyelement)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'place_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION place_records_keyed(anyelement, regclass, name, name, jsonb, text, text, name[]) IS
'returns what place_records does, with keys and entities of the type of the first argument, whose value (such as NULL::uuid) does not matter';
