--
-- tokenset: selectivity estimators, which the operators below name
--

CREATE FUNCTION tokenset_overlaps_sel(internal, oid, internal, int4) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_overlaps_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_overlaps_sel(internal, oid, internal, int4) IS 'restriction selectivity of &&';

CREATE FUNCTION tokenset_overlaps_joinsel(internal, oid, internal, int2, internal) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_overlaps_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_overlaps_joinsel(internal, oid, internal, int2, internal) IS 'join selectivity of &&';

CREATE FUNCTION tokenset_contains_sel(internal, oid, internal, int4) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_contains_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_contains_sel(internal, oid, internal, int4) IS 'restriction selectivity of @>';

CREATE FUNCTION tokenset_contains_joinsel(internal, oid, internal, int2, internal) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_contains_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_contains_joinsel(internal, oid, internal, int2, internal) IS 'join selectivity of @>';

CREATE FUNCTION tokenset_contained_sel(internal, oid, internal, int4) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_contained_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_contained_sel(internal, oid, internal, int4) IS 'restriction selectivity of <@';

CREATE FUNCTION tokenset_contained_joinsel(internal, oid, internal, int2, internal) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_contained_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_contained_joinsel(internal, oid, internal, int2, internal) IS 'join selectivity of <@';

CREATE FUNCTION tokenset_similar_sel(internal, oid, internal, int4) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_similar_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_similar_sel(internal, oid, internal, int4) IS 'restriction selectivity of %';

CREATE FUNCTION tokenset_similar_joinsel(internal, oid, internal, int2, internal) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_similar_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_similar_joinsel(internal, oid, internal, int2, internal) IS 'join selectivity of %';

CREATE FUNCTION tokenset_matches_sel(internal, oid, internal, int4) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_matches_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_matches_sel(internal, oid, internal, int4) IS 'restriction selectivity of @~';

CREATE FUNCTION tokenset_matches_joinsel(internal, oid, internal, int2, internal) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_matches_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_matches_joinsel(internal, oid, internal, int2, internal) IS 'join selectivity of @~';
