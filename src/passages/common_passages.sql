--
-- passages: those of two texts, and a text without some
--

CREATE FUNCTION common_passages(
    a text, b text, min_words integer,
    OUT in_a int4range, OUT in_b int4range, OUT words integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'common_passages' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;

COMMENT ON FUNCTION common_passages(text, text, integer) IS
'returns the runs of at least min_words words that two texts have in common and that can be extended to neither side, with their characters in both, counted from 1, upper bounds excluded';

CREATE FUNCTION remove_ranges(text, int4multirange) RETURNS text
AS 'MODULE_PATHNAME', 'remove_ranges' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION remove_ranges(text, int4multirange) IS
'the text without the characters of these ranges, counted from 1, upper bounds excluded';
