--
-- tokenset: from text
--

CREATE FUNCTION word_tokens(text) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'word_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION word_tokens(text) IS
    'the words of the normalized text; repetitions are numbered, so that they count';

CREATE FUNCTION word_set(text) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'word_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION word_set(text) IS
    'the distinct words of the normalized text';

CREATE FUNCTION shingle_tokens(text, width integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'shingle_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION shingle_tokens(text, width integer) IS
    'each sequence of width consecutive words of the normalized text; repetitions are numbered, so that they count';

CREATE FUNCTION shingle_set(text, width integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'shingle_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION shingle_set(text, width integer) IS
    'each distinct sequence of width consecutive words of the normalized text';

CREATE FUNCTION qgram_tokens(text, q integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'qgram_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION qgram_tokens(text, q integer) IS
    'each sequence of q consecutive characters of the normalized text; repetitions are numbered, so that they count';

CREATE FUNCTION qgram_set(text, q integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'qgram_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION qgram_set(text, q integer) IS
    'each distinct sequence of q consecutive characters of the normalized text';

CREATE FUNCTION word_qgram_tokens(text, q integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'word_qgram_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION word_qgram_tokens(text, q integer) IS
    'each sequence of q consecutive characters of the words of the normalized text, which are padded with q - 1 blanks before and one behind; repetitions are numbered, so that they count';

CREATE FUNCTION word_qgram_set(text, q integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'word_qgram_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION word_qgram_set(text, q integer) IS
    'each distinct sequence of q consecutive characters of the words of the normalized text, which are padded with q - 1 blanks before and one behind';
