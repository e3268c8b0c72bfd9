--
-- tokenset: measures and predicates
--

-- An empty set is similar to nothing: the similarities are 0 and the
-- predicates false, wherever one of the sets is empty.

CREATE FUNCTION jaccard(a tokenset, b tokenset) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION jaccard(a tokenset, b tokenset) IS '|a & b| / |a | b|';

CREATE FUNCTION cosine(a tokenset, b tokenset) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_cosine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION cosine(a tokenset, b tokenset) IS '|a & b| / sqrt(|a| |b|)';

CREATE FUNCTION dice(a tokenset, b tokenset) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_dice' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION dice(a tokenset, b tokenset) IS '2 |a & b| / (|a| + |b|)';

CREATE FUNCTION containment(a tokenset, b tokenset) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION containment(a tokenset, b tokenset) IS '|a & b| / |a|: how much of a is in b';

CREATE FUNCTION overlap(a tokenset, b tokenset) RETURNS int4
AS 'MODULE_PATHNAME', 'tokenset_overlap' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION overlap(a tokenset, b tokenset) IS '|a & b|: tokens in common';

CREATE FUNCTION hamming(a tokenset, b tokenset) RETURNS int4
AS 'MODULE_PATHNAME', 'tokenset_hamming' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION hamming(a tokenset, b tokenset) IS '|a| + |b| - 2 |a & b|: tokens in one of the sets only';

CREATE FUNCTION jaccard_distance(a tokenset, b tokenset) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_jaccard_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION jaccard_distance(a tokenset, b tokenset) IS '1 - jaccard(a, b)';

CREATE FUNCTION cosine_distance(a tokenset, b tokenset) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_cosine_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION cosine_distance(a tokenset, b tokenset) IS '1 - cosine(a, b)';

CREATE FUNCTION contains_distance(a tokenset, b tokenset) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_contains_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION contains_distance(a tokenset, b tokenset) IS '1 - containment(b, a): which part of b is not in a';

CREATE FUNCTION contained_distance(a tokenset, b tokenset) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_contained_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION contained_distance(a tokenset, b tokenset) IS '1 - containment(a, b): which part of a is not in b';

-- Negative measures, to order by: an index serves no order but an ascending one.

CREATE FUNCTION negative_jaccard(a tokenset, b tokenset) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_negative_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION negative_jaccard(a tokenset, b tokenset) IS '-jaccard(a, b)';

CREATE FUNCTION negative_cosine(a tokenset, b tokenset) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_negative_cosine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION negative_cosine(a tokenset, b tokenset) IS '-cosine(a, b)';

CREATE FUNCTION negative_dice(a tokenset, b tokenset) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_negative_dice' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION negative_dice(a tokenset, b tokenset) IS '-dice(a, b)';

CREATE FUNCTION negative_overlap(a tokenset, b tokenset) RETURNS int4
AS 'MODULE_PATHNAME', 'tokenset_negative_overlap' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION negative_overlap(a tokenset, b tokenset) IS '-overlap(a, b)';

CREATE FUNCTION negative_contains(a tokenset, b tokenset) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_negative_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION negative_contains(a tokenset, b tokenset) IS '-containment(b, a)';

CREATE FUNCTION negative_contained(a tokenset, b tokenset) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_negative_contained' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION negative_contained(a tokenset, b tokenset) IS '-containment(a, b)';

-- Planner support: a predicate becomes an index condition, and is estimated.

CREATE FUNCTION jaccard_ge_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'jaccard_ge_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION jaccard_ge_support(internal) IS 'planner support of jaccard_ge';

CREATE FUNCTION cosine_ge_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'cosine_ge_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cosine_ge_support(internal) IS 'planner support of cosine_ge';

CREATE FUNCTION dice_ge_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'dice_ge_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dice_ge_support(internal) IS 'planner support of dice_ge';

CREATE FUNCTION containment_ge_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'containment_ge_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION containment_ge_support(internal) IS 'planner support of containment_ge';

CREATE FUNCTION overlap_ge_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'overlap_ge_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION overlap_ge_support(internal) IS 'planner support of overlap_ge';

CREATE FUNCTION hamming_le_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'hamming_le_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hamming_le_support(internal) IS 'planner support of hamming_le';

CREATE FUNCTION tokenset_similar_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'tokenset_similar_support' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_similar_support(internal) IS 'planner support of tokenset_similar';

CREATE FUNCTION jaccard_ge(a tokenset, b tokenset, threshold float8) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_jaccard_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT jaccard_ge_support;
COMMENT ON FUNCTION jaccard_ge(a tokenset, b tokenset, threshold float8) IS 'whether jaccard(a, b) >= threshold, false where a set is empty';

CREATE FUNCTION cosine_ge(a tokenset, b tokenset, threshold float8) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_cosine_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT cosine_ge_support;
COMMENT ON FUNCTION cosine_ge(a tokenset, b tokenset, threshold float8) IS 'whether cosine(a, b) >= threshold, false where a set is empty';

CREATE FUNCTION dice_ge(a tokenset, b tokenset, threshold float8) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_dice_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT dice_ge_support;
COMMENT ON FUNCTION dice_ge(a tokenset, b tokenset, threshold float8) IS 'whether dice(a, b) >= threshold, false where a set is empty';

CREATE FUNCTION containment_ge(a tokenset, b tokenset, threshold float8) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_containment_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT containment_ge_support;
COMMENT ON FUNCTION containment_ge(a tokenset, b tokenset, threshold float8) IS 'whether containment(a, b) >= threshold, false where a set is empty';

CREATE FUNCTION overlap_ge(a tokenset, b tokenset, threshold int4) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_overlap_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT overlap_ge_support;
COMMENT ON FUNCTION overlap_ge(a tokenset, b tokenset, threshold int4) IS 'whether overlap(a, b) >= threshold, false where a set is empty';

CREATE FUNCTION hamming_le(a tokenset, b tokenset, threshold int4) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_hamming_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT hamming_le_support;
COMMENT ON FUNCTION hamming_le(a tokenset, b tokenset, threshold int4) IS 'whether hamming(a, b) <= threshold, false where a set is empty';

CREATE FUNCTION similarity_threshold() RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_similarity_threshold' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION similarity_threshold() IS 'neardup.similarity_threshold, as the operator % reads it';

CREATE FUNCTION tokenset_similar(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_similar' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_similar_support;
COMMENT ON FUNCTION tokenset_similar(a tokenset, b tokenset) IS 'whether jaccard(a, b) >= neardup.similarity_threshold';

CREATE OPERATOR <%> (
    FUNCTION = jaccard_distance,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <%>
);
COMMENT ON OPERATOR <%> (tokenset, tokenset) IS 'Jaccard distance';

CREATE OPERATOR <=> (
    FUNCTION = cosine_distance,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <=>
);
COMMENT ON OPERATOR <=> (tokenset, tokenset) IS 'cosine distance';

CREATE OPERATOR <@>> (
    FUNCTION = contains_distance,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <<@>
);
COMMENT ON OPERATOR <@>> (tokenset, tokenset) IS 'distance of @>: which part of the right set is not in the left one';

CREATE OPERATOR <<@> (
    FUNCTION = contained_distance,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <@>>
);
COMMENT ON OPERATOR <<@> (tokenset, tokenset) IS 'distance of <@: which part of the left set is not in the right one';

CREATE OPERATOR <-%> (
    FUNCTION = negative_jaccard,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <-%>
);
COMMENT ON OPERATOR <-%> (tokenset, tokenset) IS 'the negative Jaccard similarity';

CREATE OPERATOR <-=> (
    FUNCTION = negative_cosine,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <-=>
);
COMMENT ON OPERATOR <-=> (tokenset, tokenset) IS 'the negative cosine similarity';

CREATE OPERATOR <-+> (
    FUNCTION = negative_dice,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <-+>
);
COMMENT ON OPERATOR <-+> (tokenset, tokenset) IS 'the negative Dice similarity';

CREATE OPERATOR <-&> (
    FUNCTION = negative_overlap,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <-&>
);
COMMENT ON OPERATOR <-&> (tokenset, tokenset) IS 'the negative number of common tokens';

CREATE OPERATOR <-@>> (
    FUNCTION = negative_contains,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <<-@>
);
COMMENT ON OPERATOR <-@>> (tokenset, tokenset) IS 'the negative containment of the right set in the left one';

CREATE OPERATOR <<-@> (
    FUNCTION = negative_contained,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <-@>>
);
COMMENT ON OPERATOR <<-@> (tokenset, tokenset) IS 'the negative containment of the left set in the right one';

CREATE OPERATOR % (
    FUNCTION = tokenset_similar,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = %,
    RESTRICT = tokenset_similar_sel,
    JOIN = tokenset_similar_joinsel
);
COMMENT ON OPERATOR % (tokenset, tokenset) IS 'similar: Jaccard similarity at least neardup.similarity_threshold';
