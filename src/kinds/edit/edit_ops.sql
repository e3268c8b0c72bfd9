--
-- strings: indexes of texts by edit distance
--

-- A query is edit_within(x, value, max_distance) without x, which is the indexed column.

CREATE TYPE edit_query;
COMMENT ON TYPE edit_query IS 'the condition that a text is within an edit distance of another one, within an index condition';

CREATE FUNCTION edit_query_in(cstring) RETURNS edit_query
AS 'MODULE_PATHNAME', 'edit_query_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION edit_query_in(cstring) IS 'input function, which accepts no text';

CREATE FUNCTION edit_query_out(edit_query) RETURNS cstring
AS 'MODULE_PATHNAME', 'edit_query_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION edit_query_out(edit_query) IS 'I/O';

CREATE TYPE edit_query (
    INPUT = edit_query_in,
    OUTPUT = edit_query_out,
    ALIGNMENT = int4,
    STORAGE = extended
);

CREATE FUNCTION edit_query(value text, max_distance int4) RETURNS edit_query
AS 'MODULE_PATHNAME', 'edit_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION edit_query(value text, max_distance int4) IS 'the condition that a text is within this edit distance of the value';

CREATE FUNCTION edit_matches_sel(internal, oid, internal, int4) RETURNS float8
AS 'MODULE_PATHNAME', 'edit_matches_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION edit_matches_sel(internal, oid, internal, int4) IS 'restriction selectivity of @~';

CREATE FUNCTION edit_matches(x text, condition edit_query) RETURNS boolean
AS 'MODULE_PATHNAME', 'edit_matches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION edit_matches(x text, condition edit_query) IS 'whether x is within the edit distance of the condition''s text';

CREATE OPERATOR @~ (
    FUNCTION = edit_matches,
    LEFTARG = text,
    RIGHTARG = edit_query,
    RESTRICT = edit_matches_sel,
    JOIN = tokenset_matches_joinsel
);
COMMENT ON OPERATOR @~ (text, edit_query) IS 'matches: the text is within the edit distance of the condition';

CREATE FUNCTION edit_tokens(text) RETURNS tokenset
AS 'MODULE_PATHNAME', 'edit_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION edit_tokens(text) IS 'the padded q-grams of a text, repeated ones numbered, as an index of the class edit_ops keeps them';

CREATE FUNCTION edit_query_operand(edit_query, internal) RETURNS void
AS 'MODULE_PATHNAME', 'edit_query_operand' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION edit_query_operand(edit_query, internal) IS 'operand of the operator class edit_ops';

CREATE OPERATOR CLASS edit_ops
FOR TYPE text USING neardup AS
    OPERATOR 6 @~ (text, edit_query),
    FUNCTION 1 edit_tokens(text),
    FUNCTION 3 (edit_query, edit_query) edit_query_operand(edit_query, internal);
COMMENT ON OPERATOR FAMILY edit_ops USING neardup IS 'edit distance of texts';
COMMENT ON OPERATOR CLASS edit_ops USING neardup IS 'edit distance of texts';
