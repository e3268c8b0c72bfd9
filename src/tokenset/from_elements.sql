--
-- tokenset: from arrays and tsvector
--

CREATE FUNCTION tokenset(text[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'tokenset_from_text_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION tokenset(text[]) IS
    'plain set: the hashes of the elements, as they are';

CREATE FUNCTION tokenset(integer[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'tokenset_from_int4_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION tokenset(integer[]) IS
    'plain set: the elements themselves';

CREATE FUNCTION tokenset(bigint[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'tokenset_from_int8_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION tokenset(bigint[]) IS
    'plain set: the elements themselves';

CREATE FUNCTION tokenset(tsvector) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'tokenset_from_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION tokenset(tsvector) IS
    'plain set: the hashes of the lexemes';

CREATE FUNCTION element_tokens(text[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'element_tokens_text_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION element_tokens(text[]) IS
    'occurrences numbered: the hashes of the elements, as they are';

CREATE FUNCTION element_tokens(integer[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'element_tokens_int4_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION element_tokens(integer[]) IS
    'occurrences numbered: the elements themselves';

CREATE FUNCTION element_tokens(bigint[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'element_tokens_int8_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION element_tokens(bigint[]) IS
    'occurrences numbered: the elements themselves';

CREATE FUNCTION element_tokens(tsvector) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'element_tokens_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION element_tokens(tsvector) IS
    'occurrences numbered: the hashes of the lexemes, each as often as it has positions';

CREATE FUNCTION lexeme_shingles(tsvector, width integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'lexeme_shingles' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION lexeme_shingles(tsvector, width integer) IS
    'each distinct sequence of width consecutive lexemes, in order of position';

-- Explicit, because they lose the elements, their order and their number.
CREATE CAST (text[] AS tokenset) WITH FUNCTION tokenset(text[]);
CREATE CAST (integer[] AS tokenset) WITH FUNCTION tokenset(integer[]);
CREATE CAST (bigint[] AS tokenset) WITH FUNCTION tokenset(bigint[]);
CREATE CAST (tsvector AS tokenset) WITH FUNCTION tokenset(tsvector);
COMMENT ON CAST (text[] AS tokenset) IS 'plain set: the hashes of the elements, as they are';
COMMENT ON CAST (integer[] AS tokenset) IS 'plain set: the elements themselves';
COMMENT ON CAST (bigint[] AS tokenset) IS 'plain set: the elements themselves';
COMMENT ON CAST (tsvector AS tokenset) IS 'plain set: the hashes of the lexemes';
