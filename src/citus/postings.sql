--
-- shards: pairs of the sets that meet where a token's postings are
--

CREATE FUNCTION tokenset_signature(tokens tokenset, bits int4) RETURNS bytea
AS 'MODULE_PATHNAME', 'tokenset_signature' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tokenset_signature(tokenset, int4) IS
'returns 64, 128, 256 or 512 bits, of which each token toggles one: the signatures of two sets differ in no more bits than the sets in tokens';

CREATE FUNCTION tokenset_signature_bits(threshold float8, measure text, mean_size float8) RETURNS int4
AS 'MODULE_PATHNAME', 'tokenset_signature_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_signature_bits(float8, text, float8) IS
'returns the number of bits with which the signatures of sets of this mean size exclude most pairs below the threshold';

CREATE FUNCTION posting_list_transition(internal, bigint, int4, int4, bytea, int4, int4) RETURNS internal
AS 'MODULE_PATHNAME', 'posting_list_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION posting_list_transition(internal, bigint, int4, int4, bytea, int4, int4) IS 'transition function of posting_list_agg';

CREATE FUNCTION posting_list_final(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'posting_list_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION posting_list_final(internal) IS 'final function of posting_list_agg';

CREATE AGGREGATE posting_list_agg(key bigint, size int4, "position" int4, signature bytea, side int4, part int4) (
    SFUNC = posting_list_transition,
    STYPE = internal,
    SSPACE = 256,
    FINALFUNC = posting_list_final,
    FINALFUNC_MODIFY = READ_WRITE,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE posting_list_agg(bigint, int4, int4, bytea, int4, int4) IS
'returns the postings of a token, for posting_pairs; side: 0 in a self-join, else 1 (left) or 2 (right); part: 0, or 1 and 2 if only pairs across the two are wanted';

CREATE FUNCTION posting_pairs(list bytea, threshold float8, measure text DEFAULT 'jaccard', OUT a bigint, OUT b bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'posting_pairs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION posting_pairs(bytea, float8, text) IS
'returns candidates: the pairs of a token''s postings that may reach the threshold, by sizes, positions and signatures';

CREATE FUNCTION simhash_posting_pairs(list bytea, max_distance int4, OUT a bigint, OUT b bigint, OUT distance int4)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'simhash_posting_pairs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION simhash_posting_pairs(bytea, int4) IS
'returns the pairs of a block key''s postings whose signatures, simhashes, differ in at most max_distance bits';
