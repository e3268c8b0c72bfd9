--
-- strings: indexes of texts by edit distance
--

CREATE FUNCTION edit_tokens(text) RETURNS tokenset
AS 'MODULE_PATHNAME', 'edit_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION edit_tokens(text) IS 'the padded q-grams of a text, repeated ones numbered, as an index of the class edit_ops keeps them';

CREATE FUNCTION edit_query(value text, max_distance int4) RETURNS tokenset_query
AS 'MODULE_PATHNAME', 'edit_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION edit_query(value text, max_distance int4) IS
'the operand of @~~ that the planner makes of edit_within: the q-grams of all texts within this edit distance satisfy it';

CREATE FUNCTION edit_matches_sel(internal, oid, internal, int4) RETURNS float8
AS 'MODULE_PATHNAME', 'edit_matches_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION edit_matches_sel(internal, oid, internal, int4) IS 'restriction selectivity of @~~';

CREATE FUNCTION edit_matches(text, tokenset_query) RETURNS boolean
AS 'MODULE_PATHNAME', 'edit_matches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION edit_matches(text, tokenset_query) IS 'implementation of an operator: index condition on q-grams';

CREATE OPERATOR @~~ (
    FUNCTION = edit_matches,
    LEFTARG = text,
    RIGHTARG = tokenset_query,
    RESTRICT = edit_matches_sel,
    JOIN = tokenset_matches_joinsel
);
COMMENT ON OPERATOR @~~ (text, tokenset_query) IS 'the q-grams of the text satisfy the predicate';

CREATE OPERATOR CLASS edit_ops
FOR TYPE text USING neardup AS
    OPERATOR 6 @~~ (text, tokenset_query),
    FUNCTION 1 edit_tokens(text);
COMMENT ON OPERATOR FAMILY edit_ops USING neardup IS 'edit distance of texts';
COMMENT ON OPERATOR CLASS edit_ops USING neardup IS 'edit distance of texts';
