--
-- passages: passages that stand in earlier rows, and those that many rows have
--

CREATE FUNCTION repeated_passages(
    query text, min_words integer, whole_sentences boolean DEFAULT false, against text DEFAULT NULL,
    OUT id bigint, OUT repeated int4multirange, OUT words integer, OUT share float8,
    OUT first_id bigint, OUT first_range int4range)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'repeated_passages'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION repeated_passages(text, integer, boolean, text) IS
'returns what of each text of the query (key, text) is in a run of at least min_words words that an earlier row has, or the row itself before, in the order of the query: ranges of characters, words and their share, and where the longest such run stands first; whole_sentences: only of sentences that are in such runs as a whole; rows of against are earlier than all others';

CREATE FUNCTION repeated_passages_keyed(
    key_type anyelement, query text, min_words integer, whole_sentences boolean DEFAULT false,
    against text DEFAULT NULL,
    OUT id anyelement, OUT repeated int4multirange, OUT words integer, OUT share float8,
    OUT first_id anyelement, OUT first_range int4range)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'repeated_passages'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION repeated_passages_keyed(anyelement, text, integer, boolean, text) IS
'returns what repeated_passages does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION boilerplate_passages(
    query text, min_words integer, min_rows integer,
    OUT passage text, OUT words integer, OUT "rows" bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'boilerplate_passages'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 100;

COMMENT ON FUNCTION boilerplate_passages(text, integer, integer) IS
'returns the passages each min_words words of which are in at least min_rows rows of the query (key, text), once each, as they stand where they are first, with how many rows have their rarest min_words words';
