--
-- link: records of several columns that are the same thing
--

CREATE FUNCTION duplicate_records(
    rel regclass, key name, columns name[] DEFAULT NULL, keep text DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    model jsonb DEFAULT NULL,
    OUT id bigint, OUT duplicate_of bigint, OUT score float8, OUT kind text, OUT cluster bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'duplicate_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION duplicate_records(regclass, name, name[], text, text, text, name[], jsonb) IS
'returns the rows of a table that are the same thing as a row that is kept, found by several columns (all but the key if none are given) with nothing to choose; score: logarithm of the odds, NULL where the two rows were not compared, keep: an ORDER BY list, within: a list of SQL expressions that are equal for duplicates, except_pairs: a query of pairs of keys that are no duplicates, differ: columns, such as of a DOI, by two values of which rows are no duplicates, model: what learn_records returned, to learn nothing';

CREATE FUNCTION duplicate_records_keyed(
    key_type anyelement, rel regclass, key name, columns name[] DEFAULT NULL, keep text DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    model jsonb DEFAULT NULL,
    OUT id anyelement, OUT duplicate_of anyelement, OUT score float8, OUT kind text, OUT cluster anyelement)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'duplicate_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION duplicate_records_keyed(anyelement, regclass, name, name[], text, text, text, name[], jsonb) IS
'returns what duplicate_records does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION record_pairs(
    rel regclass, key name, columns name[] DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    model jsonb DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT score float8, OUT similarities jsonb)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'record_pairs'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION record_pairs(regclass, name, name[], text, text, name[], jsonb) IS
'returns the pairs of rows that duplicate_records compared and has in one cluster, with the score and the similarity of each column that has two values; of equal rows the first one stands for the others, and makes a pair with each';

CREATE FUNCTION record_pairs_keyed(
    key_type anyelement, rel regclass, key name, columns name[] DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    model jsonb DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT score float8, OUT similarities jsonb)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'record_pairs'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION record_pairs_keyed(anyelement, regclass, name, name[], text, text, name[], jsonb) IS
'returns what record_pairs does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION duplicate_records_report(
    rel regclass, key name, columns name[] DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    OUT rows bigint, OUT candidates bigint, OUT rounds integer, OUT verdict text,
    OUT read_seconds float8, OUT join_seconds float8, OUT compare_seconds float8,
    OUT learn_seconds float8)
RETURNS record
AS 'MODULE_PATHNAME', 'duplicate_records_report'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000;

COMMENT ON FUNCTION duplicate_records_report(regclass, name, name[], text, text, name[]) IS
'returns how duplicate_records would find duplicates, with keys of any type: rows, pairs that are compared, rounds of learning, whether it can tell, and the seconds of each step';

CREATE FUNCTION record_column_weights(
    rel regclass, key name, columns name[] DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    OUT "column" text, OUT similarity float8, OUT presence float8, OUT rarity float8,
    OUT empty float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'record_column_weights'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 10;

COMMENT ON FUNCTION record_column_weights(regclass, name, name[], text, text, name[]) IS
'returns what each column says in duplicate_records, with keys of any type: by how much the score grows with the similarity of the values, with both rows having one, and with a similar rare value, each by its standard deviation, NULL where the column does not tell; and the share of rows without a value';

CREATE FUNCTION learn_records(
    rel regclass, key name, columns name[] DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL)
RETURNS jsonb
AS 'MODULE_PATHNAME', 'learn_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000;

COMMENT ON FUNCTION learn_records(regclass, name, name[], text, text, name[]) IS
'returns what duplicate_records would learn of the columns of a table, with keys of any type: a model, by which rows are compared later, also those of another table with these columns';

CREATE FUNCTION record_tokens(record) RETURNS tokenset
AS 'MODULE_PATHNAME', 'record_tokens'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;

COMMENT ON FUNCTION record_tokens(record) IS
'the words and groups of four characters of all values of a row, by which duplicate_records finds rows to compare; the same under all settings, so that an index can have them';
