--
-- tokenset: from arrays and tsvector
--

CREATE FUNCTION tokenset(text[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'tokenset_from_text_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION tokenset(text[]) IS
    'the set of the hashes of the elements, which are not normalized; repetitions count once';

CREATE FUNCTION tokenset(integer[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'tokenset_from_int4_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION tokenset(integer[]) IS
    'the set of the elements themselves; repetitions count once';

CREATE FUNCTION tokenset(bigint[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'tokenset_from_int8_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION tokenset(bigint[]) IS
    'the set of the elements themselves; repetitions count once';

CREATE FUNCTION tokenset(tsvector) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'tokenset_from_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION tokenset(tsvector) IS
    'the set of the hashes of the lexemes';

CREATE FUNCTION element_tokens(text[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'element_tokens_text_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION element_tokens(text[]) IS
    'the hashes of the elements, which are not normalized; repetitions are numbered, so that they count';

CREATE FUNCTION element_tokens(integer[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'element_tokens_int4_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION element_tokens(integer[]) IS
    'the elements themselves; repetitions are numbered, so that they count';

CREATE FUNCTION element_tokens(bigint[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'element_tokens_int8_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION element_tokens(bigint[]) IS
    'the elements themselves; repetitions are numbered, so that they count';

CREATE FUNCTION element_tokens(tsvector) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'element_tokens_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION element_tokens(tsvector) IS
    'the hashes of the lexemes, each as often as it has positions; repetitions are numbered, so that they count';

CREATE FUNCTION shingle_tokens(tsvector, width integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'shingle_tokens_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION shingle_tokens(tsvector, width integer) IS
    'each sequence of width lexemes that are consecutive by their positions; repetitions are numbered, so that they count';

CREATE FUNCTION shingle_set(tsvector, width integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'shingle_set_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION shingle_set(tsvector, width integer) IS
    'each distinct sequence of width lexemes that are consecutive by their positions';

CREATE FUNCTION shingle_tokens(text[], width integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'shingle_tokens_text_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION shingle_tokens(text[], width integer) IS
    'each sequence of width consecutive elements, which are not normalized; repetitions are numbered, so that they count';

CREATE FUNCTION shingle_set(text[], width integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'shingle_set_text_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION shingle_set(text[], width integer) IS
    'each distinct sequence of width consecutive elements, which are not normalized';

-- The casts are explicit because they lose the elements, their order and their number.
CREATE CAST (text[] AS tokenset) WITH FUNCTION tokenset(text[]);
CREATE CAST (integer[] AS tokenset) WITH FUNCTION tokenset(integer[]);
CREATE CAST (bigint[] AS tokenset) WITH FUNCTION tokenset(bigint[]);
CREATE CAST (tsvector AS tokenset) WITH FUNCTION tokenset(tsvector);
COMMENT ON CAST (text[] AS tokenset) IS 'the set of the hashes of the elements, which are not normalized; repetitions count once';
COMMENT ON CAST (integer[] AS tokenset) IS 'the set of the elements themselves; repetitions count once';
COMMENT ON CAST (bigint[] AS tokenset) IS 'the set of the elements themselves; repetitions count once';
COMMENT ON CAST (tsvector AS tokenset) IS 'the set of the hashes of the lexemes';
