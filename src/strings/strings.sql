--
-- strings: metrics of two texts
--

CREATE FUNCTION edit_distance_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'edit_distance_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION edit_distance_support(internal) IS 'planner support of edit_distance';

CREATE FUNCTION edit_within_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'edit_within_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION edit_within_support(internal) IS 'planner support of edit_within';

CREATE FUNCTION edit_distance(a text, b text) RETURNS int4
AS 'MODULE_PATHNAME', 'edit_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50
    SUPPORT edit_distance_support;
COMMENT ON FUNCTION edit_distance(a text, b text) IS 'Levenshtein distance: insertions, deletions and substitutions of characters';

CREATE FUNCTION edit_distance(a text, b text, max_distance int4) RETURNS int4
AS 'MODULE_PATHNAME', 'edit_distance_at_most' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION edit_distance(a text, b text, max_distance int4) IS 'Levenshtein distance, or max_distance + 1 if it is greater than max_distance';

CREATE FUNCTION edit_within(a text, b text, max_distance int4) RETURNS boolean
AS 'MODULE_PATHNAME', 'edit_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50
    SUPPORT edit_within_support;
COMMENT ON FUNCTION edit_within(a text, b text, max_distance int4) IS 'whether edit_distance(a, b) <= max_distance';

CREATE FUNCTION damerau_levenshtein(a text, b text) RETURNS int4
AS 'MODULE_PATHNAME', 'damerau_levenshtein' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION damerau_levenshtein(a text, b text) IS 'Damerau-Levenshtein distance, unrestricted: also transpositions of adjacent characters';

CREATE FUNCTION jaro_similarity(a text, b text) RETURNS float8
AS 'MODULE_PATHNAME', 'jaro_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION jaro_similarity(a text, b text) IS 'Jaro similarity of short texts, from 0 to 1';

CREATE FUNCTION jaro_winkler_similarity(a text, b text) RETURNS float8
AS 'MODULE_PATHNAME', 'jaro_winkler_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION jaro_winkler_similarity(a text, b text) IS 'Jaro similarity, raised by a common prefix of up to four characters where it is above 0.7';
