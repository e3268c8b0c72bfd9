--
-- what the planner is told of comparisons
--

CREATE FUNCTION similarity_hint_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'similarity_hint_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION similarity_hint_support(internal) IS 'planner support of similarity_hint';

CREATE FUNCTION similarity_hint(a anyelement, b anyelement, comparison text, threshold float8) RETURNS boolean
AS 'MODULE_PATHNAME', 'similarity_hint' LANGUAGE C IMMUTABLE PARALLEL SAFE
    SUPPORT similarity_hint_support;
COMMENT ON FUNCTION similarity_hint(a anyelement, b anyelement, comparison text, threshold float8) IS
'true; the planner puts it beside a comparison of a measure, such as jaccard(a, b) > threshold, to know its index and its rows';

CREATE FUNCTION similarity_hint(a tokenset, b tokenset, comparison text, threshold float8, weights token_weights) RETURNS boolean
AS 'MODULE_PATHNAME', 'similarity_hint' LANGUAGE C IMMUTABLE PARALLEL SAFE
    SUPPORT similarity_hint_support;
COMMENT ON FUNCTION similarity_hint(a tokenset, b tokenset, comparison text, threshold float8, weights token_weights) IS
'true; the planner puts it beside a comparison of a weighted measure, such as idf_jaccard(a, b, weights) > threshold';

CREATE FUNCTION similarity_hint(condition boolean) RETURNS boolean
AS 'MODULE_PATHNAME', 'similarity_hint' LANGUAGE C IMMUTABLE PARALLEL SAFE
    SUPPORT similarity_hint_support;
COMMENT ON FUNCTION similarity_hint(condition boolean) IS
'true; the planner puts it beside an operator whose threshold is a setting, such as name % value, to know its rows and its cost';

CREATE FUNCTION distance_bound(comparison text, threshold float8) RETURNS int4
AS 'MODULE_PATHNAME', 'distance_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION distance_bound(comparison text, threshold float8) IS
'the greatest distance that satisfies a comparison, such as ''hamming <'' with 3; NULL if none does';
