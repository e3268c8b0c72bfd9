\echo Use "CREATE EXTENSION neardup" to load this file. \quit

--
-- text: normalization and fingerprints
--

CREATE FUNCTION normalize_text(text) RETURNS text
    AS 'MODULE_PATHNAME', 'normalize_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION normalize_text(text) IS
    'NFKC, case-folded; each run of characters other than letters, marks and numbers is one blank';

CREATE FUNCTION strip_tags(text) RETURNS text
    AS 'MODULE_PATHNAME', 'strip_tags' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION strip_tags(text) IS
    'the text with a blank for each HTML or XML tag, comment, script and style sheet';

CREATE FUNCTION strip_numbers(text) RETURNS text
    AS 'MODULE_PATHNAME', 'strip_numbers' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION strip_numbers(text) IS
    'the text with a blank for each word that consists of number characters only';

CREATE FUNCTION neardup_unicode_version() RETURNS text
    AS 'MODULE_PATHNAME', 'neardup_unicode_version' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION neardup_unicode_version() IS
    'version of the Unicode tables that normalize_text and the token functions use';

CREATE FUNCTION fingerprint(text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'fingerprint_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION fingerprint(text) IS
    'XXH3-64 of the text in UTF-8';

CREATE FUNCTION fingerprint(bytea) RETURNS bigint
    AS 'MODULE_PATHNAME', 'fingerprint_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION fingerprint(bytea) IS
    'XXH3-64 of the bytes';

CREATE FUNCTION fingerprint128(text) RETURNS uuid
    AS 'MODULE_PATHNAME', 'fingerprint128_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION fingerprint128(text) IS
    'XXH3-128 of the text in UTF-8, in its canonical (big-endian) form';

CREATE FUNCTION fingerprint128(bytea) RETURNS uuid
    AS 'MODULE_PATHNAME', 'fingerprint128_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION fingerprint128(bytea) IS
    'XXH3-128 of the bytes, in its canonical (big-endian) form';

--
-- tokenset: type, input and output
--

--
-- tokenset: from text, arrays and tsvector
--

CREATE FUNCTION word_tokens(text) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'word_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION word_tokens(text) IS
    'the words of the normalized text, occurrences numbered';

CREATE FUNCTION word_set(text) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'word_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION word_set(text) IS
    'the distinct words of the normalized text';

CREATE FUNCTION shingle_tokens(text, width integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'shingle_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION shingle_tokens(text, width integer) IS
    'each so many consecutive words of the normalized text, occurrences numbered';

CREATE FUNCTION shingle_set(text, width integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'shingle_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION shingle_set(text, width integer) IS
    'each distinct sequence of so many words of the normalized text';

CREATE FUNCTION qgram_tokens(text, q integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'qgram_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION qgram_tokens(text, q integer) IS
    'each q consecutive characters of the normalized text, occurrences numbered';

CREATE FUNCTION qgram_set(text, q integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'qgram_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION qgram_set(text, q integer) IS
    'each distinct sequence of q characters of the normalized text';

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

CREATE FUNCTION multiset_tokens(text[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'multiset_tokens_text_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION multiset_tokens(text[]) IS
    'occurrences numbered: the hashes of the elements, as they are';

CREATE FUNCTION multiset_tokens(integer[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'multiset_tokens_int4_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION multiset_tokens(integer[]) IS
    'occurrences numbered: the elements themselves';

CREATE FUNCTION multiset_tokens(bigint[]) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'multiset_tokens_int8_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION multiset_tokens(bigint[]) IS
    'occurrences numbered: the elements themselves';

CREATE FUNCTION multiset_tokens(tsvector) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'multiset_tokens_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION multiset_tokens(tsvector) IS
    'occurrences numbered: the hashes of the lexemes, each as often as it has positions';

CREATE FUNCTION tsvector_shingles(tsvector, width integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'tsvector_shingles' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tsvector_shingles(tsvector, width integer) IS
    'each distinct sequence of so many lexemes in order of position';

-- Explicit, because they lose the elements, their order and their number.
CREATE CAST (text[] AS tokenset) WITH FUNCTION tokenset(text[]);
CREATE CAST (integer[] AS tokenset) WITH FUNCTION tokenset(integer[]);
CREATE CAST (bigint[] AS tokenset) WITH FUNCTION tokenset(bigint[]);
CREATE CAST (tsvector AS tokenset) WITH FUNCTION tokenset(tsvector);

--
-- tokenset: set algebra, order and hash
--

--
-- tokenset: measures and predicates
--

--
-- tokenset: aggregates
--

--
-- join: exact set-similarity joins
--
