\echo Use "CREATE EXTENSION neardup" to load this file. \quit

--
-- text: normalization
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

CREATE FUNCTION strip_ids(text) RETURNS text
    AS 'MODULE_PATHNAME', 'strip_ids' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION strip_ids(text) IS
    'the text with a blank for each word that has a digit: UUIDs, hashes, times, hosts, 12ms';

CREATE FUNCTION number_words(text) RETURNS text
    AS 'MODULE_PATHNAME', 'number_words' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION number_words(text) IS
    'the words that hold a digit, as word_tokens makes them, in their order: what tells variants of one thing apart';

CREATE FUNCTION strip_marks(text) RETURNS text
    AS 'MODULE_PATHNAME', 'strip_marks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION strip_marks(text) IS
    'the text without accents, Arabic and Hebrew vowel points and tatweel; Latin letters with strokes become plain ones, and Arabic yeh, kaf and heh are one letter each';

CREATE FUNCTION fold_letters(text, language text DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'fold_letters' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION fold_letters(text, text) IS
    'for matching: strip_marks, and letters that are written for each other as one: kana, look-alikes in Latin words, ae oe ue of a language';

CREATE FUNCTION replace_words(text, words jsonb) RETURNS text
    AS 'MODULE_PATHNAME', 'replace_words' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION replace_words(text, jsonb) IS
    'the normalized text with words replaced by a list of words to words, or to null to leave them out';

CREATE FUNCTION code_words(text) RETURNS text[]
    AS 'MODULE_PATHNAME', 'code_words' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION code_words(text) IS
    'identifiers, numbers and single marks of punctuation, as they stand: words of source code, formulas and paths';

CREATE FUNCTION log_words(text) RETURNS text[]
    AS 'MODULE_PATHNAME', 'log_words' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION log_words(text) IS
    'words of a line of a log, as they stand, with * for values: ids, times, hosts, paths, 1.08 KB';

CREATE FUNCTION neardup_unicode_version() RETURNS text
    AS 'MODULE_PATHNAME', 'neardup_unicode_version' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION neardup_unicode_version() IS
    'version of the Unicode tables that normalize_text and the token functions use';

--
-- text: fingerprints
--

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

CREATE TYPE tokenset;
COMMENT ON TYPE tokenset IS 'set of 64-bit tokens; near-duplicate detection compares such sets';

CREATE FUNCTION tokenset_in(cstring) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_in(cstring) IS 'I/O';

CREATE FUNCTION tokenset_out(tokenset) RETURNS cstring
AS 'MODULE_PATHNAME', 'tokenset_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_out(tokenset) IS 'I/O';

CREATE FUNCTION tokenset_recv(internal) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_recv(internal) IS 'I/O';

CREATE FUNCTION tokenset_send(tokenset) RETURNS bytea
AS 'MODULE_PATHNAME', 'tokenset_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_send(tokenset) IS 'I/O';

CREATE FUNCTION tokenset_typanalyze(internal) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_typanalyze(internal) IS 'ANALYZE support: most common tokens and sizes';

-- Hashes do not compress, so that the storage is external and not extended.
CREATE TYPE tokenset (
    INPUT = tokenset_in,
    OUTPUT = tokenset_out,
    RECEIVE = tokenset_recv,
    SEND = tokenset_send,
    ANALYZE = tokenset_typanalyze,
    ALIGNMENT = double,
    STORAGE = external
);

CREATE FUNCTION tokenset_to_array(tokenset) RETURNS int8[]
AS 'MODULE_PATHNAME', 'tokenset_to_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_to_array(tokenset) IS 'the tokens, ascending; the function of the cast to int8[]';

CREATE CAST (tokenset AS int8[]) WITH FUNCTION tokenset_to_array(tokenset) AS ASSIGNMENT;
COMMENT ON CAST (tokenset AS int8[]) IS 'the tokens, ascending';

CREATE FUNCTION unnest(tokenset) RETURNS SETOF int8
AS 'MODULE_PATHNAME', 'tokenset_unnest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 50;
COMMENT ON FUNCTION unnest(tokenset) IS 'the tokens, ascending, one a row; a literal needs its type: unnest(tokenset ''{1}'')';

CREATE FUNCTION cardinality(tokenset) RETURNS int4
AS 'MODULE_PATHNAME', 'tokenset_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cardinality(tokenset) IS 'number of tokens; a literal needs its type: cardinality(tokenset ''{1}'')';

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

--
-- tokenset: from bit strings
--

CREATE FUNCTION bit_tokens(bit varying) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'bit_tokens_varbit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bit_tokens(bit varying) IS
    'the numbers of the bits that are 1, counted from 1 from the left, and 0: for the measure hamming, which is the number of bits that differ';

CREATE FUNCTION bit_tokens(bytea) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'bit_tokens_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bit_tokens(bytea) IS
    'the same of the bits of bytes, of each byte the most significant bit first';

CREATE FUNCTION bit_set(bit varying) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'bit_set_varbit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bit_set(bit varying) IS
    'the numbers of the bits that are 1, counted from 1 from the left: for the measure jaccard, which is the Tanimoto coefficient, and the others but hamming';

CREATE FUNCTION bit_set(bytea) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'bit_set_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION bit_set(bytea) IS
    'the same of the bits of bytes, of each byte the most significant bit first';

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

--
-- tokenset: set algebra
--

CREATE FUNCTION tokenset_union(a tokenset, b tokenset) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tokenset_union(a tokenset, b tokenset) IS 'tokens that are in either set';

CREATE FUNCTION tokenset_intersection(a tokenset, b tokenset) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_intersection' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tokenset_intersection(a tokenset, b tokenset) IS 'tokens that are in both sets';

CREATE FUNCTION tokenset_difference(a tokenset, b tokenset) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tokenset_difference(a tokenset, b tokenset) IS 'tokens of a that are not in b';

CREATE FUNCTION tokenset_measure_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'tokenset_measure_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_measure_support(internal) IS 'planner support of set operators and similarity measures';

CREATE FUNCTION tokenset_overlaps(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_overlaps' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION tokenset_overlaps(a tokenset, b tokenset) IS 'whether the sets share a token';

CREATE FUNCTION tokenset_contains(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION tokenset_contains(a tokenset, b tokenset) IS 'whether a has every token of b';

CREATE FUNCTION tokenset_contained(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_contained' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION tokenset_contained(a tokenset, b tokenset) IS 'whether b has every token of a';

CREATE OPERATOR | (
    FUNCTION = tokenset_union,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = |
);
COMMENT ON OPERATOR | (tokenset, tokenset) IS 'union';

CREATE OPERATOR & (
    FUNCTION = tokenset_intersection,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = &
);
COMMENT ON OPERATOR & (tokenset, tokenset) IS 'intersection';

CREATE OPERATOR - (
    FUNCTION = tokenset_difference,
    LEFTARG = tokenset,
    RIGHTARG = tokenset
);
COMMENT ON OPERATOR - (tokenset, tokenset) IS 'difference';

CREATE OPERATOR && (
    FUNCTION = tokenset_overlaps,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = &&,
    RESTRICT = tokenset_overlaps_sel,
    JOIN = tokenset_overlaps_joinsel
);
COMMENT ON OPERATOR && (tokenset, tokenset) IS 'overlaps: shares a token';

CREATE OPERATOR @> (
    FUNCTION = tokenset_contains,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <@,
    RESTRICT = tokenset_contains_sel,
    JOIN = tokenset_contains_joinsel
);
COMMENT ON OPERATOR @> (tokenset, tokenset) IS 'contains';

CREATE OPERATOR <@ (
    FUNCTION = tokenset_contained,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = @>,
    RESTRICT = tokenset_contained_sel,
    JOIN = tokenset_contained_joinsel
);
COMMENT ON OPERATOR <@ (tokenset, tokenset) IS 'is contained by';

--
-- tokenset: order and hash
--

-- The order of int8 arrays: by the first token that differs, then by size.

CREATE FUNCTION tokenset_eq(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_eq(a tokenset, b tokenset) IS 'implementation of an operator: equal';

CREATE FUNCTION tokenset_ne(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ne(a tokenset, b tokenset) IS 'implementation of an operator: not equal';

CREATE FUNCTION tokenset_lt(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_lt(a tokenset, b tokenset) IS 'implementation of an operator: less than';

CREATE FUNCTION tokenset_le(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_le(a tokenset, b tokenset) IS 'implementation of an operator: less than or equal';

CREATE FUNCTION tokenset_gt(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_gt(a tokenset, b tokenset) IS 'implementation of an operator: greater than';

CREATE FUNCTION tokenset_ge(a tokenset, b tokenset) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ge(a tokenset, b tokenset) IS 'implementation of an operator: greater than or equal';

CREATE FUNCTION tokenset_cmp(a tokenset, b tokenset) RETURNS int4
AS 'MODULE_PATHNAME', 'tokenset_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_cmp(a tokenset, b tokenset) IS 'order of two sets: less than, equal to, greater than 0';

CREATE FUNCTION tokenset_hash(tokenset) RETURNS int4
AS 'MODULE_PATHNAME', 'tokenset_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_hash(tokenset) IS 'hash';

CREATE FUNCTION tokenset_hash_extended(tokenset, int8) RETURNS int8
AS 'MODULE_PATHNAME', 'tokenset_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_hash_extended(tokenset, int8) IS 'hash with a seed';

CREATE OPERATOR = (
    FUNCTION = tokenset_eq,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES,
    MERGES
);
COMMENT ON OPERATOR = (tokenset, tokenset) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = tokenset_ne,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (tokenset, tokenset) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = tokenset_lt,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (tokenset, tokenset) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = tokenset_le,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (tokenset, tokenset) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = tokenset_gt,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (tokenset, tokenset) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = tokenset_ge,
    LEFTARG = tokenset,
    RIGHTARG = tokenset,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (tokenset, tokenset) IS 'greater than or equal';

CREATE OPERATOR CLASS btree_tokenset_ops
DEFAULT FOR TYPE tokenset USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 tokenset_cmp(tokenset, tokenset),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR FAMILY btree_tokenset_ops USING btree IS 'order of token sets';
COMMENT ON OPERATOR CLASS btree_tokenset_ops USING btree IS
'order of token sets; an index row holds some 330 tokens, beyond them use hash';

CREATE OPERATOR CLASS hash_tokenset_ops
DEFAULT FOR TYPE tokenset USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 tokenset_hash(tokenset),
    FUNCTION 2 tokenset_hash_extended(tokenset, int8);
COMMENT ON OPERATOR FAMILY hash_tokenset_ops USING hash IS 'equality of token sets';
COMMENT ON OPERATOR CLASS hash_tokenset_ops USING hash IS 'equality of token sets';

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

--
-- tokenset: queries
--

-- A query is a predicate with one of its sets: what remains is the indexed
-- column. Predicates become such queries when the planner finds an index.

CREATE TYPE tokenset_query;
COMMENT ON TYPE tokenset_query IS 'similarity predicate with one of its sets, such as jaccard(x, {1,2,3}) >= 0.8';

CREATE FUNCTION tokenset_query_in(cstring) RETURNS tokenset_query
AS 'MODULE_PATHNAME', 'tokenset_query_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_query_in(cstring) IS 'I/O';

CREATE FUNCTION tokenset_query_out(tokenset_query) RETURNS cstring
AS 'MODULE_PATHNAME', 'tokenset_query_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_query_out(tokenset_query) IS 'I/O';

CREATE FUNCTION tokenset_query_recv(internal) RETURNS tokenset_query
AS 'MODULE_PATHNAME', 'tokenset_query_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_query_recv(internal) IS 'I/O';

CREATE FUNCTION tokenset_query_send(tokenset_query) RETURNS bytea
AS 'MODULE_PATHNAME', 'tokenset_query_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_query_send(tokenset_query) IS 'I/O';

CREATE TYPE tokenset_query (
    INPUT = tokenset_query_in,
    OUTPUT = tokenset_query_out,
    RECEIVE = tokenset_query_recv,
    SEND = tokenset_query_send,
    ALIGNMENT = double,
    STORAGE = external
);

-- The planner names the indexed column too: its statistics tell an index scan which tokens are rare.

CREATE TYPE tokenset_column;
COMMENT ON TYPE tokenset_column IS 'an indexed column of token sets, within an index condition; only the planner makes values of it';

CREATE FUNCTION tokenset_column_in(cstring) RETURNS tokenset_column
AS 'MODULE_PATHNAME', 'tokenset_column_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_column_in(cstring) IS 'input function, which accepts no text';

CREATE FUNCTION tokenset_column_out(tokenset_column) RETURNS cstring
AS 'MODULE_PATHNAME', 'tokenset_column_out' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_column_out(tokenset_column) IS 'I/O';

CREATE TYPE tokenset_column (
    INPUT = tokenset_column_in,
    OUTPUT = tokenset_column_out,
    INTERNALLENGTH = 8,
    ALIGNMENT = int4
);

CREATE FUNCTION tokenset_query_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'tokenset_query_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_query_support(internal) IS 'planner support of tokenset_query';

CREATE FUNCTION tokenset_query(measure text, value tokenset, threshold float8, value_first boolean DEFAULT false)
RETURNS tokenset_query
AS 'MODULE_PATHNAME', 'tokenset_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT tokenset_query_support;
COMMENT ON FUNCTION tokenset_query(measure text, value tokenset, threshold float8, value_first boolean) IS
'the predicate that a set has at least this similarity to the value, or for hamming at most this distance; with value_first, containment means how much of the value is in the set';

CREATE FUNCTION tokenset_query(measure text, value tokenset, threshold float8, value_first boolean, indexed tokenset_column)
RETURNS tokenset_query
AS 'MODULE_PATHNAME', 'tokenset_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT tokenset_query_support;
COMMENT ON FUNCTION tokenset_query(measure text, value tokenset, threshold float8, value_first boolean, indexed tokenset_column) IS
'the predicate of this measure as the planner makes it for an index: frequent tokens of the column are not looked up';

CREATE FUNCTION tokenset_matches(x tokenset, predicate tokenset_query) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_matches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tokenset_matches(x tokenset, predicate tokenset_query) IS 'whether the predicate holds for x';

CREATE OPERATOR @~ (
    FUNCTION = tokenset_matches,
    LEFTARG = tokenset,
    RIGHTARG = tokenset_query,
    RESTRICT = tokenset_matches_sel,
    JOIN = tokenset_matches_joinsel
);
COMMENT ON OPERATOR @~ (tokenset, tokenset_query) IS 'matches: the query''s predicate holds for the set';

--
-- tokenset: balls
--

-- A ball is a set with a threshold. So a constraint on balls carries its threshold, whatever a session sets.

CREATE TYPE tokenset_ball;
COMMENT ON TYPE tokenset_ball IS 'set with a threshold of the Jaccard similarity, such as <{1,2,3},0.85>';

CREATE FUNCTION tokenset_ball_in(cstring) RETURNS tokenset_ball
AS 'MODULE_PATHNAME', 'tokenset_ball_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_in(cstring) IS 'I/O';

CREATE FUNCTION tokenset_ball_out(tokenset_ball) RETURNS cstring
AS 'MODULE_PATHNAME', 'tokenset_ball_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_out(tokenset_ball) IS 'I/O';

CREATE FUNCTION tokenset_ball_recv(internal) RETURNS tokenset_ball
AS 'MODULE_PATHNAME', 'tokenset_ball_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_recv(internal) IS 'I/O';

CREATE FUNCTION tokenset_ball_send(tokenset_ball) RETURNS bytea
AS 'MODULE_PATHNAME', 'tokenset_ball_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_send(tokenset_ball) IS 'I/O';

CREATE TYPE tokenset_ball (
    INPUT = tokenset_ball_in,
    OUTPUT = tokenset_ball_out,
    RECEIVE = tokenset_ball_recv,
    SEND = tokenset_ball_send,
    ALIGNMENT = double,
    STORAGE = external
);

CREATE FUNCTION jaccard_ball(tokens tokenset, threshold float8) RETURNS tokenset_ball
AS 'MODULE_PATHNAME', 'jaccard_ball' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION jaccard_ball(tokens tokenset, threshold float8) IS 'the set with this threshold, for a constraint or an index';

CREATE FUNCTION ball_tokens(ball tokenset_ball) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_ball_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ball_tokens(ball tokenset_ball) IS 'the set of the ball';

CREATE FUNCTION ball_threshold(ball tokenset_ball) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_ball_threshold' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ball_threshold(ball tokenset_ball) IS 'the threshold of the ball';

CREATE FUNCTION tokenset_ball_overlaps_sel(internal, oid, internal, int4) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_ball_overlaps_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_overlaps_sel(internal, oid, internal, int4) IS 'restriction selectivity of && of balls';

CREATE FUNCTION tokenset_ball_overlaps_joinsel(internal, oid, internal, int2, internal) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_ball_overlaps_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_overlaps_joinsel(internal, oid, internal, int2, internal) IS 'join selectivity of && of balls';

CREATE FUNCTION tokenset_ball_overlaps(a tokenset_ball, b tokenset_ball) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_ball_overlaps' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tokenset_ball_overlaps(a tokenset_ball, b tokenset_ball) IS 'whether the Jaccard similarity of the sets reaches both thresholds, false where a set is empty';

CREATE FUNCTION tokenset_ball_eq(a tokenset_ball, b tokenset_ball) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_ball_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_eq(a tokenset_ball, b tokenset_ball) IS 'implementation of an operator: equal';

CREATE FUNCTION tokenset_ball_ne(a tokenset_ball, b tokenset_ball) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_ball_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tokenset_ball_ne(a tokenset_ball, b tokenset_ball) IS 'implementation of an operator: not equal';

CREATE OPERATOR && (
    FUNCTION = tokenset_ball_overlaps,
    LEFTARG = tokenset_ball,
    RIGHTARG = tokenset_ball,
    COMMUTATOR = &&,
    RESTRICT = tokenset_ball_overlaps_sel,
    JOIN = tokenset_ball_overlaps_joinsel
);
COMMENT ON OPERATOR && (tokenset_ball, tokenset_ball) IS 'the Jaccard similarity of the sets reaches both thresholds';

CREATE OPERATOR = (
    FUNCTION = tokenset_ball_eq,
    LEFTARG = tokenset_ball,
    RIGHTARG = tokenset_ball,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel
);
COMMENT ON OPERATOR = (tokenset_ball, tokenset_ball) IS 'equal: the same set and threshold';

CREATE OPERATOR <> (
    FUNCTION = tokenset_ball_ne,
    LEFTARG = tokenset_ball,
    RIGHTARG = tokenset_ball,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (tokenset_ball, tokenset_ball) IS 'not equal';

--
-- tokenset: the GIN operator class
--

CREATE FUNCTION gin_tokenset_extract_value(tokenset, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gin_tokenset_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_tokenset_extract_value(tokenset, internal) IS 'GIN support: keys of a set';

CREATE FUNCTION gin_tokenset_extract_query(tokenset, internal, int2, internal, internal, internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gin_tokenset_extract_query' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_tokenset_extract_query(tokenset, internal, int2, internal, internal, internal, internal) IS
'GIN support: keys of a query';

CREATE FUNCTION gin_tokenset_triconsistent(internal, int2, tokenset, int4, internal, internal, internal) RETURNS "char"
AS 'MODULE_PATHNAME', 'gin_tokenset_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_tokenset_triconsistent(internal, int2, tokenset, int4, internal, internal, internal) IS
'GIN support: whether a row with the keys that were found matches, or may match';

CREATE OPERATOR CLASS gin_tokenset_ops
DEFAULT FOR TYPE tokenset USING gin AS
    OPERATOR 1 &&,
    OPERATOR 2 @>,
    OPERATOR 3 <@,
    OPERATOR 4 =,
    OPERATOR 5 %,
    OPERATOR 6 @~ (tokenset, tokenset_query),
    FUNCTION 1 btint8cmp(int8, int8),
    FUNCTION 2 gin_tokenset_extract_value(tokenset, internal),
    FUNCTION 3 gin_tokenset_extract_query(tokenset, internal, int2, internal, internal, internal, internal),
    FUNCTION 6 gin_tokenset_triconsistent(internal, int2, tokenset, int4, internal, internal, internal),
    STORAGE int8;
COMMENT ON OPERATOR FAMILY gin_tokenset_ops USING gin IS 'similarity and containment of token sets';
COMMENT ON OPERATOR CLASS gin_tokenset_ops USING gin IS 'similarity and containment of token sets';

--
-- tokenset: the access method neardup
--

CREATE FUNCTION neardup_handler(internal) RETURNS index_am_handler
AS 'MODULE_PATHNAME' LANGUAGE C STRICT PARALLEL SAFE;
COMMENT ON FUNCTION neardup_handler(internal) IS 'the access method neardup';

CREATE FUNCTION neardup_index_check(index regclass, OUT segments int4, OUT rows int8, OUT pending int8, OUT dead int8,
    OUT postings int8, OUT pages int8, OUT free_pages int8) RETURNS record
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION neardup_index_check(regclass) IS
'reads a neardup index and its table, raises index_corrupted if they disagree, and tells what the index holds';

CREATE ACCESS METHOD neardup TYPE INDEX HANDLER neardup_handler;
COMMENT ON ACCESS METHOD neardup IS 'similarity index of token sets';

CREATE OPERATOR CLASS tokenset_ops
DEFAULT FOR TYPE tokenset USING neardup AS
    OPERATOR 1 &&,
    OPERATOR 2 @>,
    OPERATOR 3 <@,
    OPERATOR 4 =,
    OPERATOR 5 %,
    OPERATOR 6 @~ (tokenset, tokenset_query),
    OPERATOR 7 <%> (tokenset, tokenset) FOR ORDER BY pg_catalog.float_ops,
    OPERATOR 8 <=> (tokenset, tokenset) FOR ORDER BY pg_catalog.float_ops,
    OPERATOR 11 <@>> (tokenset, tokenset) FOR ORDER BY pg_catalog.float_ops,
    OPERATOR 12 <<@> (tokenset, tokenset) FOR ORDER BY pg_catalog.float_ops,
    OPERATOR 13 <-%> (tokenset, tokenset) FOR ORDER BY pg_catalog.float_ops,
    OPERATOR 14 <-=> (tokenset, tokenset) FOR ORDER BY pg_catalog.float_ops,
    OPERATOR 15 <-+> (tokenset, tokenset) FOR ORDER BY pg_catalog.float_ops,
    OPERATOR 16 <-&> (tokenset, tokenset) FOR ORDER BY pg_catalog.integer_ops,
    OPERATOR 17 <-@>> (tokenset, tokenset) FOR ORDER BY pg_catalog.float_ops,
    OPERATOR 18 <<-@> (tokenset, tokenset) FOR ORDER BY pg_catalog.float_ops;
COMMENT ON OPERATOR FAMILY tokenset_ops USING neardup IS 'similarity, containment and distance of token sets';
COMMENT ON OPERATOR CLASS tokenset_ops USING neardup IS 'similarity, containment and distance of token sets';

-- Its support function makes the set that the index keeps of a value of the column.
CREATE OPERATOR CLASS tokenset_ball_ops
DEFAULT FOR TYPE tokenset_ball USING neardup AS
    OPERATOR 9 &&,
    FUNCTION 1 ball_tokens(tokenset_ball);
COMMENT ON OPERATOR FAMILY tokenset_ball_ops USING neardup IS 'overlap of balls, for constraints that exclude similar sets';
COMMENT ON OPERATOR CLASS tokenset_ball_ops USING neardup IS 'overlap of balls, for constraints that exclude similar sets';

--
-- tokenset: scope columns of the access method neardup, which come before that of the sets.
--
-- Each class has = and a hash function of its type. Types that are stored alike share a function.
--

CREATE OPERATOR FAMILY integer_ops USING neardup;
COMMENT ON OPERATOR FAMILY integer_ops USING neardup IS 'scope columns of integers';

CREATE OPERATOR CLASS int2_ops
DEFAULT FOR TYPE int2 USING neardup FAMILY integer_ops AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashint2extended(int2, int8);
COMMENT ON OPERATOR CLASS int2_ops USING neardup IS 'scope columns of type int2';

CREATE OPERATOR CLASS int4_ops
DEFAULT FOR TYPE int4 USING neardup FAMILY integer_ops AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashint4extended(int4, int8);
COMMENT ON OPERATOR CLASS int4_ops USING neardup IS 'scope columns of type int4';

CREATE OPERATOR CLASS int8_ops
DEFAULT FOR TYPE int8 USING neardup FAMILY integer_ops AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashint8extended(int8, int8);
COMMENT ON OPERATOR CLASS int8_ops USING neardup IS 'scope columns of type int8';

ALTER OPERATOR FAMILY integer_ops USING neardup ADD
    OPERATOR 10 pg_catalog.= (int2, int4),
    OPERATOR 10 pg_catalog.= (int2, int8),
    OPERATOR 10 pg_catalog.= (int4, int2),
    OPERATOR 10 pg_catalog.= (int4, int8),
    OPERATOR 10 pg_catalog.= (int8, int2),
    OPERATOR 10 pg_catalog.= (int8, int4);

CREATE OPERATOR FAMILY float_ops USING neardup;
COMMENT ON OPERATOR FAMILY float_ops USING neardup IS 'scope columns of floating-point numbers';

CREATE OPERATOR CLASS float4_ops
DEFAULT FOR TYPE float4 USING neardup FAMILY float_ops AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashfloat4extended(float4, int8);
COMMENT ON OPERATOR CLASS float4_ops USING neardup IS 'scope columns of type float4';

CREATE OPERATOR CLASS float8_ops
DEFAULT FOR TYPE float8 USING neardup FAMILY float_ops AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashfloat8extended(float8, int8);
COMMENT ON OPERATOR CLASS float8_ops USING neardup IS 'scope columns of type float8';

ALTER OPERATOR FAMILY float_ops USING neardup ADD
    OPERATOR 10 pg_catalog.= (float4, float8),
    OPERATOR 10 pg_catalog.= (float8, float4);

CREATE OPERATOR CLASS numeric_ops
DEFAULT FOR TYPE numeric USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hash_numeric_extended(numeric, int8);
COMMENT ON OPERATOR CLASS numeric_ops USING neardup IS 'scope columns of type numeric';
COMMENT ON OPERATOR FAMILY numeric_ops USING neardup IS 'scope columns of type numeric';

CREATE OPERATOR CLASS money_ops
DEFAULT FOR TYPE money USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashint8extended(int8, int8);
COMMENT ON OPERATOR CLASS money_ops USING neardup IS 'scope columns of type money';
COMMENT ON OPERATOR FAMILY money_ops USING neardup IS 'scope columns of type money';

CREATE OPERATOR CLASS text_ops
DEFAULT FOR TYPE text USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashtextextended(text, int8);
COMMENT ON OPERATOR CLASS text_ops USING neardup IS 'scope columns of type text';
COMMENT ON OPERATOR FAMILY text_ops USING neardup IS 'scope columns of type text';

CREATE OPERATOR CLASS bpchar_ops
DEFAULT FOR TYPE bpchar USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashbpcharextended(bpchar, int8);
COMMENT ON OPERATOR CLASS bpchar_ops USING neardup IS 'scope columns of type bpchar';
COMMENT ON OPERATOR FAMILY bpchar_ops USING neardup IS 'scope columns of type bpchar';

CREATE OPERATOR CLASS char_ops
DEFAULT FOR TYPE "char" USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashcharextended("char", int8);
COMMENT ON OPERATOR CLASS char_ops USING neardup IS 'scope columns of type "char"';
COMMENT ON OPERATOR FAMILY char_ops USING neardup IS 'scope columns of type "char"';

CREATE OPERATOR CLASS name_ops
DEFAULT FOR TYPE name USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashnameextended(name, int8);
COMMENT ON OPERATOR CLASS name_ops USING neardup IS 'scope columns of type name';
COMMENT ON OPERATOR FAMILY name_ops USING neardup IS 'scope columns of type name';

CREATE OPERATOR CLASS bytea_ops
DEFAULT FOR TYPE bytea USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashvarlenaextended(internal, int8);
COMMENT ON OPERATOR CLASS bytea_ops USING neardup IS 'scope columns of type bytea';
COMMENT ON OPERATOR FAMILY bytea_ops USING neardup IS 'scope columns of type bytea';

CREATE OPERATOR CLASS bit_ops
DEFAULT FOR TYPE bit USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashvarlenaextended(internal, int8);
COMMENT ON OPERATOR CLASS bit_ops USING neardup IS 'scope columns of type bit';
COMMENT ON OPERATOR FAMILY bit_ops USING neardup IS 'scope columns of type bit';

CREATE OPERATOR CLASS varbit_ops
DEFAULT FOR TYPE varbit USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashvarlenaextended(internal, int8);
COMMENT ON OPERATOR CLASS varbit_ops USING neardup IS 'scope columns of type varbit';
COMMENT ON OPERATOR FAMILY varbit_ops USING neardup IS 'scope columns of type varbit';

CREATE OPERATOR CLASS bool_ops
DEFAULT FOR TYPE bool USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashcharextended("char", int8);
COMMENT ON OPERATOR CLASS bool_ops USING neardup IS 'scope columns of type bool';
COMMENT ON OPERATOR FAMILY bool_ops USING neardup IS 'scope columns of type bool';

CREATE OPERATOR CLASS enum_ops
DEFAULT FOR TYPE anyenum USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashenumextended(anyenum, int8);
COMMENT ON OPERATOR CLASS enum_ops USING neardup IS 'scope columns of type anyenum';
COMMENT ON OPERATOR FAMILY enum_ops USING neardup IS 'scope columns of type anyenum';

CREATE OPERATOR CLASS oid_ops
DEFAULT FOR TYPE oid USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashoidextended(oid, int8);
COMMENT ON OPERATOR CLASS oid_ops USING neardup IS 'scope columns of type oid';
COMMENT ON OPERATOR FAMILY oid_ops USING neardup IS 'scope columns of type oid';

CREATE OPERATOR CLASS uuid_ops
DEFAULT FOR TYPE uuid USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.uuid_hash_extended(uuid, int8);
COMMENT ON OPERATOR CLASS uuid_ops USING neardup IS 'scope columns of type uuid';
COMMENT ON OPERATOR FAMILY uuid_ops USING neardup IS 'scope columns of type uuid';

CREATE OPERATOR CLASS date_ops
DEFAULT FOR TYPE date USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashint4extended(int4, int8);
COMMENT ON OPERATOR CLASS date_ops USING neardup IS 'scope columns of type date';
COMMENT ON OPERATOR FAMILY date_ops USING neardup IS 'scope columns of type date';

CREATE OPERATOR CLASS time_ops
DEFAULT FOR TYPE time USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.time_hash_extended(time, int8);
COMMENT ON OPERATOR CLASS time_ops USING neardup IS 'scope columns of type time';
COMMENT ON OPERATOR FAMILY time_ops USING neardup IS 'scope columns of type time';

CREATE OPERATOR CLASS timetz_ops
DEFAULT FOR TYPE timetz USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.timetz_hash_extended(timetz, int8);
COMMENT ON OPERATOR CLASS timetz_ops USING neardup IS 'scope columns of type timetz';
COMMENT ON OPERATOR FAMILY timetz_ops USING neardup IS 'scope columns of type timetz';

CREATE OPERATOR CLASS timestamp_ops
DEFAULT FOR TYPE timestamp USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.timestamp_hash_extended(timestamp, int8);
COMMENT ON OPERATOR CLASS timestamp_ops USING neardup IS 'scope columns of type timestamp';
COMMENT ON OPERATOR FAMILY timestamp_ops USING neardup IS 'scope columns of type timestamp';

CREATE OPERATOR CLASS timestamptz_ops
DEFAULT FOR TYPE timestamptz USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.timestamp_hash_extended(timestamp, int8);
COMMENT ON OPERATOR CLASS timestamptz_ops USING neardup IS 'scope columns of type timestamptz';
COMMENT ON OPERATOR FAMILY timestamptz_ops USING neardup IS 'scope columns of type timestamptz';

CREATE OPERATOR CLASS interval_ops
DEFAULT FOR TYPE interval USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.interval_hash_extended(interval, int8);
COMMENT ON OPERATOR CLASS interval_ops USING neardup IS 'scope columns of type interval';
COMMENT ON OPERATOR FAMILY interval_ops USING neardup IS 'scope columns of type interval';

CREATE OPERATOR CLASS macaddr_ops
DEFAULT FOR TYPE macaddr USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashmacaddrextended(macaddr, int8);
COMMENT ON OPERATOR CLASS macaddr_ops USING neardup IS 'scope columns of type macaddr';
COMMENT ON OPERATOR FAMILY macaddr_ops USING neardup IS 'scope columns of type macaddr';

CREATE OPERATOR CLASS macaddr8_ops
DEFAULT FOR TYPE macaddr8 USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashmacaddr8extended(macaddr8, int8);
COMMENT ON OPERATOR CLASS macaddr8_ops USING neardup IS 'scope columns of type macaddr8';
COMMENT ON OPERATOR FAMILY macaddr8_ops USING neardup IS 'scope columns of type macaddr8';

CREATE OPERATOR CLASS inet_ops
DEFAULT FOR TYPE inet USING neardup AS
    OPERATOR 10 pg_catalog.=,
    FUNCTION 2 pg_catalog.hashinetextended(inet, int8);
COMMENT ON OPERATOR CLASS inet_ops USING neardup IS 'scope columns of type inet';
COMMENT ON OPERATOR FAMILY inet_ops USING neardup IS 'scope columns of type inet';

-- Ranges are no scopes. Of these classes no index is built: the error says by what scopes are compared.
CREATE OPERATOR CLASS range_ops
DEFAULT FOR TYPE anyrange USING neardup AS
    OPERATOR 1 pg_catalog.&&,
    OPERATOR 4 pg_catalog.=;
COMMENT ON OPERATOR CLASS range_ops USING neardup IS 'refuses ranges as scope columns';
COMMENT ON OPERATOR FAMILY range_ops USING neardup IS 'refuses ranges as scope columns';

CREATE OPERATOR CLASS multirange_ops
DEFAULT FOR TYPE anymultirange USING neardup AS
    OPERATOR 1 pg_catalog.&& (anymultirange, anymultirange),
    OPERATOR 4 pg_catalog.=;
COMMENT ON OPERATOR CLASS multirange_ops USING neardup IS 'refuses multiranges as scope columns';
COMMENT ON OPERATOR FAMILY multirange_ops USING neardup IS 'refuses multiranges as scope columns';

--
-- tokenset: prefixes, for joins by equality of tokens
--

CREATE FUNCTION prefix_tokens(tokens tokenset, threshold float8, measure text DEFAULT 'jaccard', frequent bigint[] DEFAULT '{}',
    OUT token bigint, OUT "position" int4)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'prefix_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20 ROWS 10;
COMMENT ON FUNCTION prefix_tokens(tokenset, float8, text, bigint[]) IS
'returns the first tokens of a set and their positions, in an order in which the frequent ones come last, in the order of the array: two sets that reach the threshold share one of them';

--
-- tokenset: aggregate of unions
--

-- States are values of ordinary types, so that partial aggregates travel
-- between parallel workers and between nodes.

CREATE FUNCTION tokenset_union_agg_transition(tokenset, tokenset) RETURNS tokenset
AS 'MODULE_PATHNAME', 'tokenset_union_agg_transition' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tokenset_union_agg_transition(tokenset, tokenset) IS 'transition and combine function of tokenset_union_agg';

CREATE AGGREGATE tokenset_union_agg(tokenset) (
    SFUNC = tokenset_union_agg_transition,
    STYPE = tokenset,
    SSPACE = 4096,
    COMBINEFUNC = tokenset_union_agg_transition,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE tokenset_union_agg(tokenset) IS
'the union of the sets; NULL if there is no set';

--
-- tokenset: tokens that many sets have
--

CREATE FUNCTION common_tokens_transition(bytea, tokenset, float8) RETURNS bytea
AS 'MODULE_PATHNAME', 'common_tokens_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION common_tokens_transition(bytea, tokenset, float8) IS 'transition function of common_tokens';

CREATE FUNCTION common_tokens_combine(bytea, bytea) RETURNS bytea
AS 'MODULE_PATHNAME', 'common_tokens_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION common_tokens_combine(bytea, bytea) IS 'combine function of common_tokens';

CREATE FUNCTION common_tokens_final(bytea) RETURNS tokenset
AS 'MODULE_PATHNAME', 'common_tokens_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION common_tokens_final(bytea) IS 'final function of common_tokens';

CREATE AGGREGATE common_tokens(tokens tokenset, fraction float8) (
    SFUNC = common_tokens_transition,
    STYPE = bytea,
    SSPACE = 8192,
    FINALFUNC = common_tokens_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = common_tokens_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE common_tokens(tokenset, float8) IS
'the tokens that occur in more than the given fraction, at least 0 and below 1, of the sets, with all their numbered occurrences; NULL if there is no set';

--
-- tokenset: weights of tokens, and measures by them
--

CREATE TYPE token_weights;
COMMENT ON TYPE token_weights IS 'weights of tokens by their rarity, for idf_jaccard and idf_cosine';

CREATE FUNCTION token_weights_in(cstring) RETURNS token_weights
AS 'MODULE_PATHNAME', 'token_weights_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION token_weights_in(cstring) IS 'I/O';

CREATE FUNCTION token_weights_out(token_weights) RETURNS cstring
AS 'MODULE_PATHNAME', 'token_weights_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION token_weights_out(token_weights) IS 'I/O';

CREATE FUNCTION token_weights_recv(internal) RETURNS token_weights
AS 'MODULE_PATHNAME', 'token_weights_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION token_weights_recv(internal) IS 'I/O';

CREATE FUNCTION token_weights_send(token_weights) RETURNS bytea
AS 'MODULE_PATHNAME', 'token_weights_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION token_weights_send(token_weights) IS 'I/O';

CREATE TYPE token_weights (
    INPUT = token_weights_in,
    OUTPUT = token_weights_out,
    RECEIVE = token_weights_recv,
    SEND = token_weights_send,
    ALIGNMENT = double,
    STORAGE = external
);

CREATE FUNCTION token_weights_transition(bytea, tokenset) RETURNS bytea
AS 'MODULE_PATHNAME', 'token_weights_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION token_weights_transition(bytea, tokenset) IS 'transition function of token_weights';

CREATE FUNCTION token_weights_combine(bytea, bytea) RETURNS bytea
AS 'MODULE_PATHNAME', 'token_weights_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION token_weights_combine(bytea, bytea) IS 'combine function of token_weights';

CREATE FUNCTION token_weights_final(bytea) RETURNS token_weights
AS 'MODULE_PATHNAME', 'token_weights_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION token_weights_final(bytea) IS 'final function of token_weights';

CREATE AGGREGATE token_weights(tokens tokenset) (
    SFUNC = token_weights_transition,
    STYPE = bytea,
    SSPACE = 8192,
    FINALFUNC = token_weights_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = token_weights_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE token_weights(tokenset) IS
'the weights of tokens by their rarity: ln(N / df) for a token that df of the N sets have; NULL if there is no set';

CREATE FUNCTION idf_jaccard(a tokenset, b tokenset, weights token_weights) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_idf_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION idf_jaccard(a tokenset, b tokenset, weights token_weights) IS
'sum of the weights of a & b / sum of the weights of a | b; 0 where a sum is 0';

CREATE FUNCTION idf_cosine(a tokenset, b tokenset, weights token_weights) RETURNS float8
AS 'MODULE_PATHNAME', 'tokenset_idf_cosine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200
    SUPPORT tokenset_measure_support;
COMMENT ON FUNCTION idf_cosine(a tokenset, b tokenset, weights token_weights) IS
'sum of the squared weights of a & b / sqrt(that of a * that of b); 0 where a sum is 0';

-- What an index is asked for: as many of the heaviest tokens as all sets have that are similar.

CREATE FUNCTION heaviest_tokens_query(measure text, value tokenset, threshold float8, weights token_weights)
RETURNS tokenset_query
AS 'MODULE_PATHNAME', 'heaviest_tokens_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT tokenset_query_support;
COMMENT ON FUNCTION heaviest_tokens_query(measure text, value tokenset, threshold float8, weights token_weights) IS
'the predicate of sharing some of the heaviest tokens of the value, as each set does whose idf_jaccard or idf_cosine with it is at least the threshold';

CREATE FUNCTION idf_jaccard_ge_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'idf_jaccard_ge_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idf_jaccard_ge_support(internal) IS 'planner support of idf_jaccard_ge';

CREATE FUNCTION idf_cosine_ge_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'idf_cosine_ge_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION idf_cosine_ge_support(internal) IS 'planner support of idf_cosine_ge';

CREATE FUNCTION idf_jaccard_ge(a tokenset, b tokenset, weights token_weights, threshold float8) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_idf_jaccard_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200
    SUPPORT idf_jaccard_ge_support;
COMMENT ON FUNCTION idf_jaccard_ge(a tokenset, b tokenset, weights token_weights, threshold float8) IS
'whether idf_jaccard(a, b, weights) >= threshold';

CREATE FUNCTION idf_cosine_ge(a tokenset, b tokenset, weights token_weights, threshold float8) RETURNS boolean
AS 'MODULE_PATHNAME', 'tokenset_idf_cosine_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200
    SUPPORT idf_cosine_ge_support;
COMMENT ON FUNCTION idf_cosine_ge(a tokenset, b tokenset, weights token_weights, threshold float8) IS
'whether idf_cosine(a, b, weights) >= threshold';

--
-- fields: tokens of dates, numbers, places and telephone numbers
--

CREATE FUNCTION date_tokens(date) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'date_tokens_date' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION date_tokens(date) IS
    'tokens of which most are the same for two dates that differ by one slip: day and month exchanged, a wrong digit, digits transposed, a part missing';

CREATE FUNCTION date_tokens(year integer, month integer, day integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'date_tokens_parts' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION date_tokens(integer, integer, integer) IS
    'the same of the parts of a date, of which some may be NULL: the tokens of the others, contained in those of each date that has these parts';

CREATE FUNCTION near_tokens(number numeric, width numeric) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'near_tokens_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION near_tokens(numeric, numeric) IS
    'two tokens, one of which is the same for two numbers that differ by at most the width; none is from twice the width on';

CREATE FUNCTION near_tokens(lat float8, lon float8, metres float8) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'near_tokens_places' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION near_tokens(float8, float8, float8) IS
    'tokens of which one at least is the same for two places that are at most so many metres apart; none is beyond three times the distance';

CREATE FUNCTION phone_tokens(text) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'phone_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION phone_tokens(text) IS
    'the last seven, eight and nine digits of each telephone number of a text, whatever the writing';

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

--
-- simhash: type, input and output
--

CREATE TYPE simhash;
COMMENT ON TYPE simhash IS '64 bits, of which similar sets have most in common';

CREATE FUNCTION simhash_in(cstring) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_in(cstring) IS 'I/O';

CREATE FUNCTION simhash_out(simhash) RETURNS cstring
AS 'MODULE_PATHNAME', 'simhash_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_out(simhash) IS 'I/O';

CREATE FUNCTION simhash_recv(internal) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_recv(internal) IS 'I/O';

CREATE FUNCTION simhash_send(simhash) RETURNS bytea
AS 'MODULE_PATHNAME', 'simhash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_send(simhash) IS 'I/O';

CREATE TYPE simhash (
    INPUT = simhash_in,
    OUTPUT = simhash_out,
    RECEIVE = simhash_recv,
    SEND = simhash_send,
    LIKE = int8
);

CREATE CAST (simhash AS bigint) WITHOUT FUNCTION;
COMMENT ON CAST (simhash AS bigint) IS 'the same 64 bits';
CREATE CAST (bigint AS simhash) WITHOUT FUNCTION;
COMMENT ON CAST (bigint AS simhash) IS 'the same 64 bits';

CREATE FUNCTION simhash_to_numeric(simhash) RETURNS numeric
AS 'MODULE_PATHNAME', 'simhash_to_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_to_numeric(simhash) IS 'the bits as an unsigned number; the function of the cast to numeric';

CREATE FUNCTION simhash_from_numeric(numeric) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_from_numeric(numeric) IS 'from an unsigned number of 64 bits; the function of the cast from numeric';

CREATE CAST (simhash AS numeric) WITH FUNCTION simhash_to_numeric(simhash);
COMMENT ON CAST (simhash AS numeric) IS 'the 64 bits as an unsigned number';
CREATE CAST (numeric AS simhash) WITH FUNCTION simhash_from_numeric(numeric);
COMMENT ON CAST (numeric AS simhash) IS 'from an unsigned number of 64 bits';

CREATE FUNCTION simhash_to_bytes(simhash) RETURNS bytea
AS 'MODULE_PATHNAME', 'simhash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_to_bytes(simhash) IS 'the 8 bytes, the most significant first; the function of the cast to bytea';

CREATE FUNCTION simhash_from_bytes(bytea) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_from_bytes(bytea) IS 'from 8 bytes, the most significant first; the function of the cast from bytea';

CREATE CAST (simhash AS bytea) WITH FUNCTION simhash_to_bytes(simhash);
COMMENT ON CAST (simhash AS bytea) IS 'the 8 bytes, the most significant first';
CREATE CAST (bytea AS simhash) WITH FUNCTION simhash_from_bytes(bytea);
COMMENT ON CAST (bytea AS simhash) IS 'from 8 bytes, the most significant first';

CREATE FUNCTION simhash_from_hex(text) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_hex' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_from_hex(text) IS 'from 1 to 16 hexadecimal digits, as programs print numbers without leading zeros, with or without 0x before them';

CREATE FUNCTION simhash_to_bits(simhash) RETURNS bit
AS 'MODULE_PATHNAME', 'simhash_to_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_to_bits(simhash) IS 'the bits, the most significant first; the function of the cast to bit(64)';

CREATE FUNCTION simhash_from_bits(bit) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_from_bits(bit) IS 'from 64 bits, the most significant first; the function of the cast from bit(64)';

CREATE CAST (simhash AS bit) WITH FUNCTION simhash_to_bits(simhash);
COMMENT ON CAST (simhash AS bit) IS 'the 64 bits, the most significant first';
CREATE CAST (bit AS simhash) WITH FUNCTION simhash_from_bits(bit);
COMMENT ON CAST (bit AS simhash) IS 'from 64 bits, the most significant first';

--
-- simhash: from token sets and weighted tokens
--

CREATE FUNCTION simhash(tokenset) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_tokenset' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION simhash(tokenset) IS 'the simhash of the tokens: a bit is 1 if more than half of their hashes have it; NULL for the empty set';

CREATE FUNCTION simhash(tokens text[], weights float8[]) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_weights' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION simhash(tokens text[], weights float8[]) IS 'the simhash of weighted tokens; weights are rounded to multiples of 2^-20; NULL if there are no tokens';

CREATE FUNCTION simhash(tsvector) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_from_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION simhash(tsvector) IS 'the simhash of the lexemes, each weighted by the number of its positions, or by 1 if it has none; NULL if there are no lexemes';

--
-- simhash: from weighted tokens in rows
--

-- The state is an array of integers, so that partial aggregates travel between parallel
-- workers and between nodes.

CREATE FUNCTION simhash_agg_transition(int8[], text, float8) RETURNS int8[]
AS 'MODULE_PATHNAME', 'simhash_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
COMMENT ON FUNCTION simhash_agg_transition(int8[], text, float8) IS 'transition function of simhash_agg';

CREATE FUNCTION simhash_agg_combine(int8[], int8[]) RETURNS int8[]
AS 'MODULE_PATHNAME', 'simhash_agg_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION simhash_agg_combine(int8[], int8[]) IS 'combine function of simhash_agg';

CREATE FUNCTION simhash_agg_final(int8[]) RETURNS simhash
AS 'MODULE_PATHNAME', 'simhash_agg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION simhash_agg_final(int8[]) IS 'final function of simhash_agg';

CREATE AGGREGATE simhash_agg(token text, weight float8) (
    SFUNC = simhash_agg_transition,
    STYPE = int8[],
    SSPACE = 600,
    FINALFUNC = simhash_agg_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = simhash_agg_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_agg(text, float8) IS
'the simhash of weighted tokens, of the rows in which neither is NULL; NULL if there is no such row';

--
-- simhash: order and hash
--

-- The order is that of unsigned numbers, and of the text forms.

CREATE FUNCTION simhash_eq(a simhash, b simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_eq(a simhash, b simhash) IS 'implementation of an operator: equal';

CREATE FUNCTION simhash_ne(a simhash, b simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ne(a simhash, b simhash) IS 'implementation of an operator: not equal';

CREATE FUNCTION simhash_lt(a simhash, b simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_lt(a simhash, b simhash) IS 'implementation of an operator: less than';

CREATE FUNCTION simhash_le(a simhash, b simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_le(a simhash, b simhash) IS 'implementation of an operator: less than or equal';

CREATE FUNCTION simhash_gt(a simhash, b simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_gt(a simhash, b simhash) IS 'implementation of an operator: greater than';

CREATE FUNCTION simhash_ge(a simhash, b simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ge(a simhash, b simhash) IS 'implementation of an operator: greater than or equal';

CREATE FUNCTION simhash_cmp(a simhash, b simhash) RETURNS int4
AS 'MODULE_PATHNAME', 'simhash_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_cmp(a simhash, b simhash) IS 'order of two values: less than, equal to, greater than 0';

CREATE FUNCTION simhash_sortsupport(internal) RETURNS void
AS 'MODULE_PATHNAME', 'simhash_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_sortsupport(internal) IS 'sort support';

CREATE FUNCTION simhash_hash(simhash) RETURNS int4
AS 'MODULE_PATHNAME', 'simhash_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_hash(simhash) IS 'hash';

CREATE FUNCTION simhash_hash_extended(simhash, int8) RETURNS int8
AS 'MODULE_PATHNAME', 'simhash_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_hash_extended(simhash, int8) IS 'hash with a seed';

CREATE OPERATOR = (
    FUNCTION = simhash_eq,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES,
    MERGES
);
COMMENT ON OPERATOR = (simhash, simhash) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = simhash_ne,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (simhash, simhash) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = simhash_lt,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (simhash, simhash) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = simhash_le,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (simhash, simhash) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = simhash_gt,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (simhash, simhash) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = simhash_ge,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (simhash, simhash) IS 'greater than or equal';

CREATE OPERATOR CLASS btree_simhash_ops
DEFAULT FOR TYPE simhash USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 simhash_cmp(simhash, simhash),
    FUNCTION 2 simhash_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR FAMILY btree_simhash_ops USING btree IS 'order of simhashes, as unsigned numbers';
COMMENT ON OPERATOR CLASS btree_simhash_ops USING btree IS
'order of simhashes, as unsigned numbers';

CREATE OPERATOR CLASS hash_simhash_ops
DEFAULT FOR TYPE simhash USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 simhash_hash(simhash),
    FUNCTION 2 simhash_hash_extended(simhash, int8);
COMMENT ON OPERATOR FAMILY hash_simhash_ops USING hash IS 'equality of simhashes';
COMMENT ON OPERATOR CLASS hash_simhash_ops USING hash IS 'equality of simhashes';

--
-- simhash: Hamming distance
--

CREATE FUNCTION simhash_distance_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'simhash_distance_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_distance_support(internal) IS 'planner support of simhash_distance and <~>';

CREATE FUNCTION simhash_distance(a simhash, b simhash) RETURNS int4
AS 'MODULE_PATHNAME', 'simhash_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_distance_support;
COMMENT ON FUNCTION simhash_distance(a simhash, b simhash) IS 'Hamming distance: the number of bits in which the values differ';

CREATE FUNCTION simhash_distance_float8(a simhash, b simhash) RETURNS float8
AS 'MODULE_PATHNAME', 'simhash_distance_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_distance_support;
COMMENT ON FUNCTION simhash_distance_float8(a simhash, b simhash) IS 'implementation of the operator <~>';

CREATE OPERATOR <~> (
    FUNCTION = simhash_distance_float8,
    LEFTARG = simhash,
    RIGHTARG = simhash,
    COMMUTATOR = <~>
);
COMMENT ON OPERATOR <~> (simhash, simhash) IS 'Hamming distance';

CREATE FUNCTION simhash_within_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'simhash_within_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_within_support(internal) IS 'planner support of simhash_within';

CREATE FUNCTION simhash_within(a simhash, b simhash, max_distance integer) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_within_support;
COMMENT ON FUNCTION simhash_within(a simhash, b simhash, max_distance integer) IS 'whether the values differ in at most max_distance bits';

--
-- simhash: balls
--

CREATE TYPE simhash_ball;
COMMENT ON TYPE simhash_ball IS 'the values within a Hamming distance of a center, such as <00000000000000ff,3>';

CREATE FUNCTION simhash_ball_in(cstring) RETURNS simhash_ball
AS 'MODULE_PATHNAME', 'simhash_ball_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_in(cstring) IS 'I/O';

CREATE FUNCTION simhash_ball_out(simhash_ball) RETURNS cstring
AS 'MODULE_PATHNAME', 'simhash_ball_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_out(simhash_ball) IS 'I/O';

CREATE FUNCTION simhash_ball_recv(internal) RETURNS simhash_ball
AS 'MODULE_PATHNAME', 'simhash_ball_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_recv(internal) IS 'I/O';

CREATE FUNCTION simhash_ball_send(simhash_ball) RETURNS bytea
AS 'MODULE_PATHNAME', 'simhash_ball_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_send(simhash_ball) IS 'I/O';

CREATE TYPE simhash_ball (
    INPUT = simhash_ball_in,
    OUTPUT = simhash_ball_out,
    RECEIVE = simhash_ball_recv,
    SEND = simhash_ball_send,
    INTERNALLENGTH = 16,
    ALIGNMENT = double
);

CREATE FUNCTION simhash_ball_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'simhash_ball_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_support(internal) IS 'planner support of simhash_ball';

CREATE FUNCTION simhash_ball(center simhash, radius integer) RETURNS simhash_ball
AS 'MODULE_PATHNAME', 'simhash_ball' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_ball_support;
COMMENT ON FUNCTION simhash_ball(center simhash, radius integer) IS 'the values that differ from the center in at most radius bits; a radius above 64 is 64';

CREATE FUNCTION simhash_contained_sel(internal, oid, internal, int4) RETURNS float8
AS 'MODULE_PATHNAME', 'simhash_contained_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_contained_sel(internal, oid, internal, int4) IS 'restriction selectivity of <@ and @>';

CREATE FUNCTION simhash_contained_joinsel(internal, oid, internal, int2, internal) RETURNS float8
AS 'MODULE_PATHNAME', 'simhash_contained_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_contained_joinsel(internal, oid, internal, int2, internal) IS 'join selectivity of <@ and @>';

CREATE FUNCTION simhash_contained(value simhash, ball simhash_ball) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_contained' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_contained(value simhash, ball simhash_ball) IS 'whether the value is in the ball';

CREATE FUNCTION simhash_ball_contains(ball simhash_ball, value simhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_ball_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_contains(ball simhash_ball, value simhash) IS 'whether the value is in the ball';

CREATE FUNCTION simhash_ball_overlaps(a simhash_ball, b simhash_ball) RETURNS boolean
AS 'MODULE_PATHNAME', 'simhash_ball_overlaps' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_overlaps(a simhash_ball, b simhash_ball) IS 'whether the centers are no further apart than the greater radius';

CREATE OPERATOR <@ (
    FUNCTION = simhash_contained,
    LEFTARG = simhash,
    RIGHTARG = simhash_ball,
    COMMUTATOR = @>,
    RESTRICT = simhash_contained_sel,
    JOIN = simhash_contained_joinsel
);
COMMENT ON OPERATOR <@ (simhash, simhash_ball) IS 'is in the ball';

CREATE OPERATOR @> (
    FUNCTION = simhash_ball_contains,
    LEFTARG = simhash_ball,
    RIGHTARG = simhash,
    COMMUTATOR = <@,
    RESTRICT = simhash_contained_sel,
    JOIN = simhash_contained_joinsel
);
COMMENT ON OPERATOR @> (simhash_ball, simhash) IS 'contains';

CREATE OPERATOR && (
    FUNCTION = simhash_ball_overlaps,
    LEFTARG = simhash_ball,
    RIGHTARG = simhash_ball,
    COMMUTATOR = &&,
    RESTRICT = contsel,
    JOIN = contjoinsel
);
COMMENT ON OPERATOR && (simhash_ball, simhash_ball) IS 'the centers are no further apart than the greater radius';

--
-- simhash: the SP-GiST operator classes
--

CREATE FUNCTION spgist_simhash_config(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_config(internal, internal) IS 'SP-GiST support of simhashes';

CREATE FUNCTION spgist_simhash_choose(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_choose' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_choose(internal, internal) IS 'SP-GiST support of simhashes';

CREATE FUNCTION spgist_simhash_picksplit(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_picksplit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_picksplit(internal, internal) IS 'SP-GiST support of simhashes';

CREATE FUNCTION spgist_simhash_inner_consistent(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_inner_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_inner_consistent(internal, internal) IS 'SP-GiST support of simhashes';

CREATE FUNCTION spgist_simhash_leaf_consistent(internal, internal) RETURNS boolean
AS 'MODULE_PATHNAME', 'spgist_simhash_leaf_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_leaf_consistent(internal, internal) IS 'SP-GiST support of simhashes';

CREATE FUNCTION spgist_simhash_ball_config(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_ball_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_ball_config(internal, internal) IS 'SP-GiST support of balls';

CREATE FUNCTION spgist_simhash_ball_choose(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_ball_choose' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_ball_choose(internal, internal) IS 'SP-GiST support of balls';

CREATE FUNCTION spgist_simhash_ball_picksplit(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_ball_picksplit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_ball_picksplit(internal, internal) IS 'SP-GiST support of balls';

CREATE FUNCTION spgist_simhash_ball_inner_consistent(internal, internal) RETURNS void
AS 'MODULE_PATHNAME', 'spgist_simhash_ball_inner_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_ball_inner_consistent(internal, internal) IS 'SP-GiST support of balls';

CREATE FUNCTION spgist_simhash_ball_leaf_consistent(internal, internal) RETURNS boolean
AS 'MODULE_PATHNAME', 'spgist_simhash_ball_leaf_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION spgist_simhash_ball_leaf_consistent(internal, internal) IS 'SP-GiST support of balls';

CREATE OPERATOR CLASS spgist_simhash_ops
DEFAULT FOR TYPE simhash USING spgist AS
    OPERATOR 1 <@ (simhash, simhash_ball),
    OPERATOR 2 =,
    OPERATOR 3 <~> FOR ORDER BY pg_catalog.float_ops,
    FUNCTION 1 spgist_simhash_config(internal, internal),
    FUNCTION 2 spgist_simhash_choose(internal, internal),
    FUNCTION 3 spgist_simhash_picksplit(internal, internal),
    FUNCTION 4 spgist_simhash_inner_consistent(internal, internal),
    FUNCTION 5 spgist_simhash_leaf_consistent(internal, internal);
COMMENT ON OPERATOR FAMILY spgist_simhash_ops USING spgist IS 'near simhashes, nearest ones, and equality';
COMMENT ON OPERATOR CLASS spgist_simhash_ops USING spgist IS 'near simhashes, nearest ones, and equality';

CREATE OPERATOR CLASS spgist_simhash_ball_ops
DEFAULT FOR TYPE simhash_ball USING spgist AS
    OPERATOR 1 &&,
    FUNCTION 1 spgist_simhash_ball_config(internal, internal),
    FUNCTION 2 spgist_simhash_ball_choose(internal, internal),
    FUNCTION 3 spgist_simhash_ball_picksplit(internal, internal),
    FUNCTION 4 spgist_simhash_ball_inner_consistent(internal, internal),
    FUNCTION 5 spgist_simhash_ball_leaf_consistent(internal, internal);
COMMENT ON OPERATOR FAMILY spgist_simhash_ball_ops USING spgist IS 'constraints that exclude near simhashes';
COMMENT ON OPERATOR CLASS spgist_simhash_ball_ops USING spgist IS 'constraints that exclude near simhashes';

--
-- simhash: block keys
--

CREATE FUNCTION simhash_blocks(value simhash, max_distance integer) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'simhash_blocks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION simhash_blocks(value simhash, max_distance integer) IS 'max_distance + 1 keys, of which two values that differ in at most max_distance bits have one in common';

CREATE FUNCTION simhash_blocks(value simhash, max_distance integer, blocks integer) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'simhash_blocks_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION simhash_blocks(value simhash, max_distance integer, blocks integer) IS 'keys of more bits: one for each choice of blocks - max_distance out of the blocks; two values that differ in at most max_distance bits have one in common';

-- Not STRICT, so that it is inlined.
CREATE FUNCTION simhash_blocks_within(a simhash, b simhash, max_distance integer) RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN simhash_blocks(a, max_distance) OPERATOR(pg_catalog.&&) simhash_blocks(b, max_distance) AND simhash_within(a, b, max_distance);
COMMENT ON FUNCTION simhash_blocks_within(a simhash, b simhash, max_distance integer) IS
'simhash_within by a GIN index on simhash_blocks(a, max_distance), with the same constant max_distance';

--
-- minhash: type, input and output
--

CREATE TYPE minhash;
COMMENT ON TYPE minhash IS 'sketch of a token set: k minima of hash functions, from which Jaccard similarity is estimated';

CREATE FUNCTION minhash_in(cstring) RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_in(cstring) IS 'I/O';

CREATE FUNCTION minhash_out(minhash) RETURNS cstring
AS 'MODULE_PATHNAME', 'minhash_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_out(minhash) IS 'I/O';

CREATE FUNCTION minhash_recv(internal) RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_recv(internal) IS 'I/O';

CREATE FUNCTION minhash_send(minhash) RETURNS bytea
AS 'MODULE_PATHNAME', 'minhash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_send(minhash) IS 'I/O';

-- Hashes do not compress, so that the storage is external and not extended.
CREATE TYPE minhash (
    INPUT = minhash_in,
    OUTPUT = minhash_out,
    RECEIVE = minhash_recv,
    SEND = minhash_send,
    ALIGNMENT = double,
    STORAGE = external
);

--
-- minhash: from token sets and arrays
--

CREATE FUNCTION minhash(tokens tokenset, k integer DEFAULT 128, bits integer DEFAULT 32, seed bigint DEFAULT 1) RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_from_tokenset' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION minhash(tokenset, integer, integer, bigint) IS
'the sketch of a set: k components, of each of which the lowest bits, 1 to 32, are stored; with a smaller k it has the first components of one with a larger k';

CREATE FUNCTION minhash_datasketch(tokens text[], k integer DEFAULT 128, seed bigint DEFAULT 1, scheme text DEFAULT 'affine32') RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_datasketch' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION minhash_datasketch(text[], integer, bigint, text) IS
'sketch with the values that MinHash(num_perm=k, seed=seed, scheme=scheme) of the Python package datasketch has for these tokens; schemes are affine32, its default since version 2.0, and legacy, that of earlier versions';

CREATE FUNCTION minhash_from_array(components bigint[]) RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION minhash_from_array(bigint[]) IS
'sketch of these components of 32 bits, of the profile external and seed 0; the function of the cast from int8[]';

CREATE FUNCTION minhash_from_array(components bigint[], bits integer, seed bigint, profile text) RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_from_array_of_kind' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION minhash_from_array(bigint[], integer, bigint, text) IS
'sketch of these components, with these bits and seed, of the profile neardup, datasketch-affine32, datasketch-legacy or external';

CREATE FUNCTION minhash_to_array(minhash) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'minhash_to_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION minhash_to_array(minhash) IS 'the components; the function of the cast to int8[]';

-- Explicit in both directions: an array does not say what its components were made by.
CREATE CAST (bigint[] AS minhash) WITH FUNCTION minhash_from_array(bigint[]);
CREATE CAST (minhash AS bigint[]) WITH FUNCTION minhash_to_array(minhash);
COMMENT ON CAST (bigint[] AS minhash) IS 'sketch of these components, of the profile external';
COMMENT ON CAST (minhash AS bigint[]) IS 'the components';

CREATE FUNCTION minhash_k(minhash) RETURNS integer
AS 'MODULE_PATHNAME', 'minhash_k' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_k(minhash) IS 'number of components';

CREATE FUNCTION minhash_bits(minhash) RETURNS integer
AS 'MODULE_PATHNAME', 'minhash_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_bits(minhash) IS 'bits of each component';

CREATE FUNCTION minhash_seed(minhash) RETURNS bigint
AS 'MODULE_PATHNAME', 'minhash_seed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_seed(minhash) IS 'seed of the hash functions';

CREATE FUNCTION minhash_profile(minhash) RETURNS text
AS 'MODULE_PATHNAME', 'minhash_profile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_profile(minhash) IS 'where the components come from: neardup, datasketch-affine32, datasketch-legacy or external';

--
-- minhash: estimates and unions
--

CREATE FUNCTION jaccard_estimate(a minhash, b minhash) RETURNS float8
AS 'MODULE_PATHNAME', 'minhash_jaccard_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION jaccard_estimate(minhash, minhash) IS
'estimate of the Jaccard similarity: the share p of equal components, or (p - C) / (1 - C) with C = 2^-bits where not all bits are stored';

CREATE FUNCTION minhash_distance(a minhash, b minhash) RETURNS float8
AS 'MODULE_PATHNAME', 'minhash_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION minhash_distance(minhash, minhash) IS '1 - jaccard_estimate(a, b)';

CREATE FUNCTION minhash_union(a minhash, b minhash) RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION minhash_union(minhash, minhash) IS 'sketch of the union of the two sets; needs components of full width';

CREATE OPERATOR <%> (
    FUNCTION = minhash_distance,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = <%>
);
COMMENT ON OPERATOR <%> (minhash, minhash) IS 'estimated Jaccard distance';

CREATE OPERATOR | (
    FUNCTION = minhash_union,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = |
);
COMMENT ON OPERATOR | (minhash, minhash) IS 'sketch of the union';

CREATE FUNCTION minhash_union_agg_transition(minhash, minhash) RETURNS minhash
AS 'MODULE_PATHNAME', 'minhash_union_agg_transition' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION minhash_union_agg_transition(minhash, minhash) IS 'transition and combine function of minhash_union_agg';

CREATE AGGREGATE minhash_union_agg(minhash) (
    SFUNC = minhash_union_agg_transition,
    STYPE = minhash,
    SSPACE = 1024,
    COMBINEFUNC = minhash_union_agg_transition,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_union_agg(minhash) IS 'the sketch of the union of all sets; NULL if there is no sketch';

--
-- minhash: order and hash
--

CREATE FUNCTION minhash_eq(a minhash, b minhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'minhash_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_eq(a minhash, b minhash) IS 'implementation of an operator: equal';

CREATE FUNCTION minhash_ne(a minhash, b minhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'minhash_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_ne(a minhash, b minhash) IS 'implementation of an operator: not equal';

CREATE FUNCTION minhash_lt(a minhash, b minhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'minhash_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_lt(a minhash, b minhash) IS 'implementation of an operator: less than';

CREATE FUNCTION minhash_le(a minhash, b minhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'minhash_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_le(a minhash, b minhash) IS 'implementation of an operator: less than or equal';

CREATE FUNCTION minhash_gt(a minhash, b minhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'minhash_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_gt(a minhash, b minhash) IS 'implementation of an operator: greater than';

CREATE FUNCTION minhash_ge(a minhash, b minhash) RETURNS boolean
AS 'MODULE_PATHNAME', 'minhash_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_ge(a minhash, b minhash) IS 'implementation of an operator: greater than or equal';

CREATE FUNCTION minhash_cmp(a minhash, b minhash) RETURNS int4
AS 'MODULE_PATHNAME', 'minhash_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_cmp(a minhash, b minhash) IS 'B-tree comparison';

CREATE FUNCTION minhash_hash(minhash) RETURNS int4
AS 'MODULE_PATHNAME', 'minhash_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_hash(minhash) IS 'hash';

CREATE FUNCTION minhash_hash_extended(minhash, int8) RETURNS int8
AS 'MODULE_PATHNAME', 'minhash_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_hash_extended(minhash, int8) IS 'seeded 64-bit hash';

CREATE OPERATOR = (
    FUNCTION = minhash_eq,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES,
    MERGES
);
COMMENT ON OPERATOR = (minhash, minhash) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = minhash_ne,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (minhash, minhash) IS 'not equal';

CREATE OPERATOR < (
    FUNCTION = minhash_lt,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (minhash, minhash) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = minhash_le,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (minhash, minhash) IS 'less than or equal';

CREATE OPERATOR > (
    FUNCTION = minhash_gt,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (minhash, minhash) IS 'greater than';

CREATE OPERATOR >= (
    FUNCTION = minhash_ge,
    LEFTARG = minhash,
    RIGHTARG = minhash,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (minhash, minhash) IS 'greater than or equal';

CREATE OPERATOR CLASS btree_minhash_ops
DEFAULT FOR TYPE minhash USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 minhash_cmp(minhash, minhash),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR FAMILY btree_minhash_ops USING btree IS 'order of sketches';
COMMENT ON OPERATOR CLASS btree_minhash_ops USING btree IS
'order of sketches; an index row holds some 660 components of 32 bits, beyond them use hash';

CREATE OPERATOR CLASS hash_minhash_ops
DEFAULT FOR TYPE minhash USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 minhash_hash(minhash),
    FUNCTION 2 minhash_hash_extended(minhash, int8);
COMMENT ON OPERATOR FAMILY hash_minhash_ops USING hash IS 'equality of sketches';
COMMENT ON OPERATOR CLASS hash_minhash_ops USING hash IS 'equality of sketches';

--
-- minhash: locality-sensitive hashing by bands
--

CREATE FUNCTION lsh_plan(
    threshold float8, recall float8 DEFAULT 0.95, k integer DEFAULT 128,
    OUT bands integer, OUT rows integer, OUT probability float8)
AS 'MODULE_PATHNAME', 'lsh_plan' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION lsh_plan(float8, float8, integer) IS
'numbers of bands and rows, of at most k components in all, with which a pair at the threshold is a candidate with at least the probability recall, and as few pairs below it as possible are';

CREATE FUNCTION lsh_probability(s float8, bands integer, rows integer) RETURNS float8
AS 'MODULE_PATHNAME', 'lsh_probability' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_probability(float8, integer, integer) IS
'1 - (1 - s^rows)^bands: how likely a pair of Jaccard similarity s is a candidate';

CREATE FUNCTION lsh_bands(sketch minhash, bands integer, rows integer) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'lsh_bands' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION lsh_bands(minhash, integer, integer) IS
'a key for each band, the hash of its number and its components; sketches that have a key in common are candidates; the empty set has none';

CREATE FUNCTION lsh_candidate(sketch minhash, other minhash, bands integer, rows integer) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 100
RETURN lsh_bands(sketch, bands, rows) OPERATOR(pg_catalog.&&) lsh_bands(other, bands, rows);
COMMENT ON FUNCTION lsh_candidate(minhash, minhash, integer, integer) IS
'whether two sketches of one kind agree in a band; a GIN index on lsh_bands(sketch, bands, rows) serves it';

--
-- minhash: super-shingles
--

CREATE FUNCTION supershingles(sketch minhash, size integer) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'supershingles' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION supershingles(minhash, integer) IS
'the hashes of every size consecutive values of the sorted sketch; the empty set has none';

--
-- join: exact set-similarity joins
--

CREATE FUNCTION ppjoin(
    query text, threshold float8, measure text DEFAULT 'jaccard', algorithm text DEFAULT 'auto',
    against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'ppjoin'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION ppjoin(text, float8, text, text, text) IS
'returns the pairs of rows a.key < b.key of the query (key, set) whose sets are similar; with against, of a row a of the query and a row b of against';

CREATE FUNCTION ppjoin_keyed(
    key_type anyelement, query text, threshold float8, measure text DEFAULT 'jaccard',
    algorithm text DEFAULT 'auto', against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'ppjoin'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION ppjoin_keyed(anyelement, text, float8, text, text, text) IS
'returns what ppjoin does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION ppjoin_stats(
    query text, threshold float8, measure text DEFAULT 'jaccard', algorithm text DEFAULT 'auto',
    against text DEFAULT NULL,
    OUT records bigint, OUT tokens bigint, OUT distinct_tokens bigint, OUT postings bigint,
    OUT candidates bigint, OUT pruned_by_position bigint, OUT pruned_by_suffix bigint,
    OUT pruned_by_bitmap bigint, OUT pairs bigint, OUT workers integer, OUT parts bigint,
    OUT memory_bytes bigint, OUT temp_bytes bigint, OUT read_seconds float8,
    OUT canonicalize_seconds float8, OUT index_seconds float8, OUT probe_seconds float8,
    OUT total_seconds float8)
AS 'MODULE_PATHNAME', 'ppjoin_stats'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000;

COMMENT ON FUNCTION ppjoin_stats(text, float8, text, text, text) IS
'runs ppjoin, with keys of any type, and returns what it took instead of its pairs: counters, workers, parts, bytes and seconds';

--
-- join: the most similar pairs
--

CREATE FUNCTION topk_join(
    query text, k integer, measure text DEFAULT 'jaccard', against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'topk_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 100;

COMMENT ON FUNCTION topk_join(text, integer, text, text) IS
'returns the k most similar pairs of rows a.key < b.key of the query (key, set), the best first, ties by a, b; with against, of a row a of the query and a row b of against';

CREATE FUNCTION topk_join_keyed(
    key_type anyelement, query text, k integer, measure text DEFAULT 'jaccard',
    against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'topk_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 100;

COMMENT ON FUNCTION topk_join_keyed(anyelement, text, integer, text, text) IS
'returns what topk_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

--
-- join: the most similar rows of each row
--

CREATE FUNCTION knn_join(
    query text, k integer, threshold float8, measure text DEFAULT 'jaccard',
    against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT similarity float8, OUT rank integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'knn_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION knn_join(text, integer, float8, text, text) IS
'returns for each row of the query (key, set) the k most similar others, or, with against, rows of against; at least as similar as threshold';

CREATE FUNCTION knn_join_keyed(
    key_type anyelement, query text, k integer, threshold float8,
    measure text DEFAULT 'jaccard', against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT similarity float8, OUT rank integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'knn_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION knn_join_keyed(anyelement, text, integer, float8, text, text) IS
'returns what knn_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

--
-- join: one to one
--

CREATE FUNCTION match_join(
    query text, threshold float8, measure text DEFAULT 'jaccard', against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_join(text, float8, text, text) IS
'returns pairs of rows of the query (key, set) one to one, from the most similar down to threshold, ties by a, b, each row in at most one; with against, of a row a of the query and a row b of against';

CREATE FUNCTION match_join_keyed(
    key_type anyelement, query text, threshold float8, measure text DEFAULT 'jaccard',
    against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_join_keyed(anyelement, text, float8, text, text) IS
'returns what match_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

--
-- join: texts within an edit distance
--

CREATE FUNCTION edit_join(
    query text, max_distance integer, against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT distance integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'edit_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION edit_join(text, integer, text) IS
'returns the pairs of rows a.key < b.key of the query (key, text) whose texts have at most this Levenshtein distance, in characters; with against, of a row a of the query and a row b of against';

CREATE FUNCTION edit_join_keyed(
    key_type anyelement, query text, max_distance integer, against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT distance integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'edit_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION edit_join_keyed(anyelement, text, integer, text) IS
'returns what edit_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

--
-- join: simhashes within a Hamming distance
--

CREATE FUNCTION simhash_join(
    query text, max_distance integer, against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT distance integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'simhash_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION simhash_join(text, integer, text) IS
'returns the pairs of rows a.key < b.key of the query (key, simhash) whose simhashes differ in at most max_distance bits; with against, of a row a of the query and a row b of against';

CREATE FUNCTION simhash_join_keyed(
    key_type anyelement, query text, max_distance integer, against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT distance integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'simhash_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION simhash_join_keyed(anyelement, text, integer, text) IS
'returns what simhash_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

--
-- join: approximate, by locality-sensitive hashing
--

CREATE FUNCTION lsh_join(
    query text, threshold float8, recall float8 DEFAULT 0.95, against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'lsh_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION lsh_join(text, float8, float8, text) IS
'returns each pair that ppjoin finds by the same query, threshold and against with at least the probability recall, and no other pair';

CREATE FUNCTION lsh_join_keyed(
    key_type anyelement, query text, threshold float8, recall float8 DEFAULT 0.95,
    against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT similarity float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'lsh_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION lsh_join_keyed(anyelement, text, float8, float8, text) IS
'returns what lsh_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION lsh_join_stats(
    query text, threshold float8, recall float8 DEFAULT 0.95, against text DEFAULT NULL,
    OUT records bigint, OUT tokens bigint, OUT distinct_tokens bigint, OUT bands integer,
    OUT rows integer, OUT probability float8, OUT candidates bigint,
    OUT candidates_by_band bigint[], OUT pruned_by_bitmap bigint, OUT pairs bigint,
    OUT workers integer, OUT parts bigint, OUT memory_bytes bigint, OUT temp_bytes bigint,
    OUT read_seconds float8, OUT canonicalize_seconds float8, OUT index_seconds float8,
    OUT probe_seconds float8, OUT total_seconds float8)
AS 'MODULE_PATHNAME', 'lsh_join_stats'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000;

COMMENT ON FUNCTION lsh_join_stats(text, float8, float8, text) IS
'runs lsh_join, with keys of any type, and returns what it took instead of its pairs: the plan, counters, workers, parts, bytes and seconds';

--
-- join: sketches that share components (Introduction to Information Retrieval, section 19.6)
--

CREATE FUNCTION sketch_overlap_join(
    query text, min_shared integer DEFAULT NULL, min_fraction float8 DEFAULT NULL,
    against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'sketch_overlap_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION sketch_overlap_join(text, integer, float8, text) IS
'returns the pairs of rows a.key < b.key of the query (key, minhash) that share at least min_shared components, or this fraction of all; with against, of a row a of the query and a row b of against';

CREATE FUNCTION sketch_overlap_join_keyed(
    key_type anyelement, query text, min_shared integer DEFAULT NULL,
    min_fraction float8 DEFAULT NULL, against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'sketch_overlap_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION sketch_overlap_join_keyed(anyelement, text, integer, float8, text) IS
'returns what sketch_overlap_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION supershingle_join(
    query text, size integer, min_shared integer DEFAULT NULL, min_fraction float8 DEFAULT NULL,
    against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'supershingle_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION supershingle_join(text, integer, integer, float8, text) IS
'returns the pairs of rows a.key < b.key of the query (key, minhash) that share at least min_shared components, or this fraction of all, and that share a super-shingle of this size; with against, of a row a of the query and a row b of against';

CREATE FUNCTION supershingle_join_keyed(
    key_type anyelement, query text, size integer, min_shared integer DEFAULT NULL,
    min_fraction float8 DEFAULT NULL, against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT shared integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'supershingle_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION supershingle_join_keyed(anyelement, text, integer, integer, float8, text) IS
'returns what supershingle_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

--
-- join: an estimate before a join
--

CREATE FUNCTION estimate_join(
    query text, thresholds float8[], measure text DEFAULT 'jaccard',
    OUT threshold float8, OUT pairs bigint, OUT pairs_low bigint, OUT pairs_high bigint,
    OUT seconds float8, OUT memory_bytes bigint, OUT temp_bytes bigint,
    OUT query_rows bigint, OUT sampled_rows bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'estimate_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 10;

COMMENT ON FUNCTION estimate_join(text, float8[], text) IS
'what the self-join of a query would find and take at each threshold: pairs with an interval, seconds of one process, bytes of memory and of temporary files, from a sample that takes a second or two';

--
-- passages: tokens by which an index finds them
--

CREATE FUNCTION passage_tokens(text, min_words integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'passage_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION passage_tokens(text, min_words integer) IS
    'a few sequences of words of the text, such that two texts which share a run of min_words words have one in common';

--
-- passages: those of two texts, and a text without some
--

CREATE FUNCTION common_passages(
    a text, b text, min_words integer,
    OUT in_a int4range, OUT in_b int4range, OUT words integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'common_passages' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;

COMMENT ON FUNCTION common_passages(text, text, integer) IS
'returns the runs of at least min_words words that two texts have in common and that can be extended to neither side, with their characters in both, counted from 1, upper bounds excluded';

CREATE FUNCTION remove_ranges(text, int4multirange) RETURNS text
AS 'MODULE_PATHNAME', 'remove_ranges' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION remove_ranges(text, int4multirange) IS
'the text without the characters of these ranges, counted from 1, upper bounds excluded';

--
-- passages: texts with common passages
--

CREATE FUNCTION passage_join(
    query text, min_words integer, max_rows integer DEFAULT 1000,
    against text DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT in_a int4range, OUT in_b int4range, OUT words integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'passage_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION passage_join(text, integer, integer, text) IS
'returns the runs of at least min_words words that two rows a.key < b.key of the query (key, text) have in common and that can be extended to neither side, with their characters in both texts; with against, of a row a of the query and a row b of against; runs that more than max_rows rows have are left out';

CREATE FUNCTION passage_join_keyed(
    key_type anyelement, query text, min_words integer, max_rows integer DEFAULT 1000,
    against text DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT in_a int4range, OUT in_b int4range, OUT words integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'passage_join'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION passage_join_keyed(anyelement, text, integer, integer, text) IS
'returns what passage_join does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

--
-- passages: passages that stand in earlier rows, and those that many rows have
--

CREATE FUNCTION repeated_passages(
    query text, min_words integer, whole_sentences boolean DEFAULT false, against text DEFAULT NULL,
    OUT id bigint, OUT repeated int4multirange, OUT words integer, OUT share float8,
    OUT first_id bigint, OUT first_range int4range)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'repeated_passages'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION repeated_passages(text, integer, boolean, text) IS
'returns what of each text of the query (key, text) is in a run of at least min_words words that an earlier row has, or the row itself before, in the order of the query: ranges of characters, words and their share, and where the longest such run stands first; whole_sentences: only of sentences that are in such runs as a whole; rows of against are earlier than all others';

CREATE FUNCTION repeated_passages_keyed(
    key_type anyelement, query text, min_words integer, whole_sentences boolean DEFAULT false,
    against text DEFAULT NULL,
    OUT id anyelement, OUT repeated int4multirange, OUT words integer, OUT share float8,
    OUT first_id anyelement, OUT first_range int4range)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'repeated_passages'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION repeated_passages_keyed(anyelement, text, integer, boolean, text) IS
'returns what repeated_passages does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION boilerplate_passages(
    query text, min_words integer, min_rows integer,
    OUT passage text, OUT words integer, OUT "rows" bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'boilerplate_passages'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 100;

COMMENT ON FUNCTION boilerplate_passages(text, integer, integer) IS
'returns the passages each min_words words of which are in at least min_rows rows of the query (key, text), once each, as they stand where they are first, with how many rows have their rarest min_words words';

--
-- join: progress
--

CREATE FUNCTION neardup_progress(
    OUT pid integer, OUT datid oid, OUT function name, OUT phase text, OUT pass integer,
    OUT done bigint, OUT total bigint, OUT rows bigint, OUT pairs bigint,
    OUT started timestamptz, OUT time_left interval)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'neardup_progress'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 10 ROWS 10;

COMMENT ON FUNCTION neardup_progress() IS
'the joins that are under way in all sessions; behind the view neardup_progress';

CREATE VIEW neardup_progress AS
SELECT p.pid, p.datid, d.datname, p.function, p.phase, p.pass, p.done, p.total, p.rows, p.pairs, p.started, p.time_left
FROM @extschema@.neardup_progress() AS p
LEFT JOIN pg_catalog.pg_database AS d ON d.oid = p.datid;

COMMENT ON VIEW neardup_progress IS
'the joins that are under way in all sessions, and how far they are; needs neardup in shared_preload_libraries';

GRANT SELECT ON neardup_progress TO PUBLIC;

--
-- cluster: groups of near-duplicates
--

CREATE FUNCTION cluster_pairs(
    query text, mode text DEFAULT 'connected', max_size integer DEFAULT NULL,
    OUT id bigint, OUT cluster bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'cluster_pairs'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION cluster_pairs(text, text, integer) IS
'returns the clusters of the pairs (key, key) that the query returns: each key, and the smallest member of its cluster; mode: connected, star or complete; max_size: the most members of a cluster, NULL for no limit';

CREATE FUNCTION cluster_pairs_keyed(
    key_type anyelement, query text, mode text DEFAULT 'connected', max_size integer DEFAULT NULL,
    OUT id anyelement, OUT cluster anyelement)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'cluster_pairs'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION cluster_pairs_keyed(anyelement, text, text, integer) IS
'returns what cluster_pairs does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

--
-- cluster: groups of near-duplicates, as an aggregate
--

-- The state is an ordinary array, so that partial aggregates travel between
-- parallel workers and between nodes.

CREATE FUNCTION cluster_agg_transition(bigint[], bigint, bigint) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'cluster_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION cluster_agg_transition(bigint[], bigint, bigint) IS 'transition function of cluster_agg';

CREATE FUNCTION cluster_agg_combine(bigint[], bigint[]) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'cluster_agg_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cluster_agg_combine(bigint[], bigint[]) IS 'combine function of cluster_agg';

CREATE FUNCTION cluster_agg_final(bigint[]) RETURNS bigint[]
AS 'MODULE_PATHNAME', 'cluster_agg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION cluster_agg_final(bigint[]) IS 'final function of cluster_agg';

CREATE AGGREGATE cluster_agg(a bigint, b bigint) (
    SFUNC = cluster_agg_transition,
    STYPE = bigint[],
    SSPACE = 4096,
    FINALFUNC = cluster_agg_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = cluster_agg_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE cluster_agg(bigint, bigint) IS
'returns a spanning forest of the pairs as {{cluster, member}, ...}; a cluster is a connected component, named by its smallest member';

CREATE FUNCTION forest_clusters(pairs bigint[], OUT id bigint, OUT cluster bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'forest_clusters' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 1000;
COMMENT ON FUNCTION forest_clusters(bigint[]) IS
'returns the clusters of an array of pairs, such as the result of cluster_agg, as rows of cluster_pairs';

--
-- cluster: one to one, over scored pairs
--

CREATE FUNCTION match_pairs(
    query text,
    OUT a bigint, OUT b bigint, OUT score float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_pairs'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_pairs(text) IS
'returns pairs (a, b, score) of the query one to one: from the highest score down, ties by a, b, each a and each b in at most one';

CREATE FUNCTION match_pairs_keyed(
    key_type anyelement, query text,
    OUT a anyelement, OUT b anyelement, OUT score float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'match_pairs'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION match_pairs_keyed(anyelement, text) IS
'returns what match_pairs does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

--
-- cluster: the near-duplicate rows of a table
--

CREATE FUNCTION near_duplicates(
    rel regclass, key name, text name, threshold float8,
    tokens text DEFAULT NULL, keep text DEFAULT NULL, mode text DEFAULT 'star',
    measure text DEFAULT 'jaccard', within text DEFAULT NULL, except_pairs text DEFAULT NULL,
    OUT id bigint, OUT duplicate_of bigint, OUT similarity float8, OUT kind text, OUT cluster bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'near_duplicates'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION near_duplicates(regclass, name, name, float8, text, text, text, text, text, text) IS
'returns the rows of a table that are copies or near-duplicates of a row that is kept; a threshold of NULL is chosen, tokens: an SQL expression, keep: an ORDER BY list, mode: star, complete or connected, measure: one from 0 to 1, with containment a row is contained in one that is kept, within: a list of SQL expressions that are equal for duplicates, except_pairs: a query of pairs of keys that are no duplicates';

CREATE FUNCTION near_duplicates_keyed(
    key_type anyelement, rel regclass, key name, text name, threshold float8,
    tokens text DEFAULT NULL, keep text DEFAULT NULL, mode text DEFAULT 'star',
    measure text DEFAULT 'jaccard', within text DEFAULT NULL, except_pairs text DEFAULT NULL,
    OUT id anyelement, OUT duplicate_of anyelement, OUT similarity float8, OUT kind text, OUT cluster anyelement)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'near_duplicates'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION near_duplicates_keyed(anyelement, regclass, name, name, float8, text, text, text, text, text, text) IS
'returns what near_duplicates does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

--
-- cluster: found pairs against true ones
--

-- No search path of its own: that of the caller is for the queries. Keys are compared by their
-- images, since the type's own operator may be anywhere.
CREATE FUNCTION pairs_quality(
    found_query text, true_query text, ordered boolean DEFAULT false,
    OUT found_pairs bigint, OUT true_pairs bigint, OUT common_pairs bigint,
    OUT "precision" float8, OUT recall float8, OUT f1 float8)
RETURNS record
LANGUAGE plpgsql STABLE PARALLEL UNSAFE COST 100000 AS $$
DECLARE
    both_ways pg_catalog.text := 'SELECT q.a, q.b';
BEGIN
    IF found_query IS NULL OR true_query IS NULL OR ordered IS NULL THEN
        RAISE EXCEPTION 'arguments of pairs_quality must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF found_query OPERATOR(pg_catalog.~) '^\s*[\w."]+\s*$' OR true_query OPERATOR(pg_catalog.~) '^\s*[\w."]+\s*$' THEN
        RAISE EXCEPTION 'query of pairs_quality must be the text of a query, not a name'
            USING ERRCODE = 'syntax_error', HINT = 'Give the text of a SELECT with its columns, such as SELECT a, b FROM pairs.';
    END IF;
    IF NOT ordered THEN
        both_ways := 'SELECT LEAST(q.a, q.b) AS a, GREATEST(q.a, q.b) AS b';
    END IF;
    EXECUTE pg_catalog.format($q$
        WITH pairs AS (
            SELECT p.a, p.b, pg_catalog.bool_or(p.is_found) AS is_found, pg_catalog.bool_or(NOT p.is_found) AS is_true
            FROM (SELECT f.a, f.b, true AS is_found FROM (%1$s FROM (%2$s
                  ) AS q (a, b) WHERE q.a IS NOT NULL AND q.b IS NOT NULL) AS f
                  UNION ALL
                  SELECT t.a, t.b, false FROM (%1$s FROM (%3$s
                  ) AS q (a, b) WHERE q.a IS NOT NULL AND q.b IS NOT NULL) AS t) AS p
            GROUP BY p.a, p.b)
        SELECT pg_catalog.count(*) FILTER (WHERE p.is_found), pg_catalog.count(*) FILTER (WHERE p.is_true),
               pg_catalog.count(*) FILTER (WHERE p.is_found AND p.is_true)
        FROM pairs AS p WHERE $1 OR ROW(p.a)::pg_catalog.record OPERATOR(pg_catalog.*<>) ROW(p.b)::pg_catalog.record
        $q$, both_ways, pg_catalog.rtrim(found_query, E'; \t\r\n'), pg_catalog.rtrim(true_query, E'; \t\r\n'))
    INTO found_pairs, true_pairs, common_pairs USING ordered;
    IF found_pairs OPERATOR(pg_catalog.>) 0 THEN
        "precision" := common_pairs::pg_catalog.float8 OPERATOR(pg_catalog./) found_pairs::pg_catalog.float8;
    END IF;
    IF true_pairs OPERATOR(pg_catalog.>) 0 THEN
        recall := common_pairs::pg_catalog.float8 OPERATOR(pg_catalog./) true_pairs::pg_catalog.float8;
    END IF;
    IF (found_pairs OPERATOR(pg_catalog.+) true_pairs) OPERATOR(pg_catalog.>) 0 THEN
        f1 := (common_pairs OPERATOR(pg_catalog.+) common_pairs)::pg_catalog.float8
              OPERATOR(pg_catalog./) (found_pairs OPERATOR(pg_catalog.+) true_pairs)::pg_catalog.float8;
    END IF;
END $$;
COMMENT ON FUNCTION pairs_quality(text, text, boolean) IS
'returns precision, recall and F1 of the pairs of a query against the true pairs; the first two columns of each query are a pair; ordered: whether (a, b) and (b, a) differ, as between two tables';

--
-- link: from which similarity on rows are near-duplicates
--

CREATE FUNCTION choose_threshold(
    rel regclass, text name, tokens text DEFAULT NULL, measure text DEFAULT 'jaccard',
    OUT chosen_tokens text, OUT chosen_measure text, OUT threshold float8,
    OUT pairs bigint, OUT above_chance bigint, OUT can_tell boolean, OUT message text)
RETURNS record
AS 'MODULE_PATHNAME', 'choose_threshold'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000;

COMMENT ON FUNCTION choose_threshold(regclass, name, text, text) IS
'returns what near_duplicates without a threshold would compare the rows of a table by, and from which similarity on, the pairs of different sets from there on, how many of them are above chance, and whether that can be told; tokens: an SQL expression, NULL for a choice of tokens and measure; measure: that of the tokens that are given';

--
-- link: the links of two tables
--

CREATE FUNCTION link_tables(
    query_a text, query_b text, one_to_one boolean DEFAULT true, except_pairs text DEFAULT NULL,
    differ name[] DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT similarity float8, OUT score float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'link_tables'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION link_tables(text, text, boolean, text, name[]) IS
'returns which rows a of one query and b of another, each (key, text) or (key, first text, other text), are the same thing, the surest first; one to one, or else many b to one a; except_pairs: a query of pairs (a, b) that are no links; differ: further columns of both queries, rows with other values in which are never linked';

CREATE FUNCTION link_tables_keyed(
    key_type anyelement, query_a text, query_b text, one_to_one boolean DEFAULT true, except_pairs text DEFAULT NULL,
    differ name[] DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT similarity float8, OUT score float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'link_tables'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION link_tables_keyed(anyelement, text, text, boolean, text, name[]) IS
'returns what link_tables does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION link_tables_report(
    query_a text, query_b text, one_to_one boolean DEFAULT true, except_pairs text DEFAULT NULL,
    differ name[] DEFAULT NULL,
    OUT texts text, OUT cut float8, OUT pairs bigint, OUT precision_estimate float8,
    OUT agreement float8, OUT without_partner float8, OUT verdict text)
RETURNS record
AS 'MODULE_PATHNAME', 'link_tables_report'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000;

COMMENT ON FUNCTION link_tables_report(text, text, boolean, text, name[]) IS
'returns how link_tables would link the same queries, of keys of any type: texts that are compared, least score, pairs, about what share of them are links (NULL where that cannot be told), agreement with another list, share of rows without a partner, and what that means';

--
-- link: records of several columns that are the same thing
--

CREATE FUNCTION duplicate_records(
    rel regclass, key name, columns name[] DEFAULT NULL, keep text DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    model jsonb DEFAULT NULL,
    OUT id bigint, OUT duplicate_of bigint, OUT score float8, OUT kind text, OUT cluster bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'duplicate_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION duplicate_records(regclass, name, name[], text, text, text, name[], jsonb) IS
'returns the rows of a table that are the same thing as a row that is kept, found by several columns (all but the key if none are given) with nothing to choose; score: logarithm of the odds, NULL where the two rows were not compared, keep: an ORDER BY list, within: a list of SQL expressions that are equal for duplicates, except_pairs: a query of pairs of keys that are no duplicates, differ: columns, such as of a DOI, by two values of which rows are no duplicates, model: what learn_records returned, to learn nothing';

CREATE FUNCTION duplicate_records_keyed(
    key_type anyelement, rel regclass, key name, columns name[] DEFAULT NULL, keep text DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    model jsonb DEFAULT NULL,
    OUT id anyelement, OUT duplicate_of anyelement, OUT score float8, OUT kind text, OUT cluster anyelement)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'duplicate_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION duplicate_records_keyed(anyelement, regclass, name, name[], text, text, text, name[], jsonb) IS
'returns what duplicate_records does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION record_pairs(
    rel regclass, key name, columns name[] DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    model jsonb DEFAULT NULL,
    OUT a bigint, OUT b bigint, OUT score float8, OUT similarities jsonb)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'record_pairs'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION record_pairs(regclass, name, name[], text, text, name[], jsonb) IS
'returns the pairs of rows that duplicate_records compared and has in one cluster, with the score and the similarity of each column that has two values; of equal rows the first one stands for the others, and makes a pair with each';

CREATE FUNCTION record_pairs_keyed(
    key_type anyelement, rel regclass, key name, columns name[] DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    model jsonb DEFAULT NULL,
    OUT a anyelement, OUT b anyelement, OUT score float8, OUT similarities jsonb)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'record_pairs'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION record_pairs_keyed(anyelement, regclass, name, name[], text, text, name[], jsonb) IS
'returns what record_pairs does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

CREATE FUNCTION duplicate_records_report(
    rel regclass, key name, columns name[] DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    OUT rows bigint, OUT candidates bigint, OUT rounds integer, OUT verdict text,
    OUT read_seconds float8, OUT join_seconds float8, OUT compare_seconds float8,
    OUT learn_seconds float8)
RETURNS record
AS 'MODULE_PATHNAME', 'duplicate_records_report'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000;

COMMENT ON FUNCTION duplicate_records_report(regclass, name, name[], text, text, name[]) IS
'returns how duplicate_records would find duplicates, with keys of any type: rows, pairs that are compared, rounds of learning, whether it can tell, and the seconds of each step';

CREATE FUNCTION record_column_weights(
    rel regclass, key name, columns name[] DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    OUT "column" text, OUT similarity float8, OUT presence float8, OUT rarity float8,
    OUT empty float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'record_column_weights'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 10;

COMMENT ON FUNCTION record_column_weights(regclass, name, name[], text, text, name[]) IS
'returns what each column says in duplicate_records, with keys of any type: by how much the score grows with the similarity of the values, with both rows having one, and with a similar rare value, each by its standard deviation, NULL where the column does not tell; and the share of rows without a value';

CREATE FUNCTION learn_records(
    rel regclass, key name, columns name[] DEFAULT NULL,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL)
RETURNS jsonb
AS 'MODULE_PATHNAME', 'learn_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000;

COMMENT ON FUNCTION learn_records(regclass, name, name[], text, text, name[]) IS
'returns what duplicate_records would learn of the columns of a table, with keys of any type: a model, by which rows are compared later, also those of another table with these columns';

CREATE FUNCTION record_tokens(record) RETURNS tokenset
AS 'MODULE_PATHNAME', 'record_tokens'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;

COMMENT ON FUNCTION record_tokens(record) IS
'the words and groups of four characters of all values of a row, by which duplicate_records finds rows to compare; the same under all settings, so that an index can have them';

--
-- link: new records among entities that are known
--

CREATE FUNCTION place_records(
    rel regclass, key name, entity name, model jsonb,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    OUT id bigint, OUT entity bigint, OUT other_entity bigint, OUT duplicate_of bigint,
    OUT score float8, OUT kind text, OUT grp bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'place_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION place_records(regclass, name, name, jsonb, text, text, name[]) IS
'returns for the rows of a table whose entity is NULL which entity they join, which new one they make, or between which two they stand, by a model of learn_records; grp: the least key of the new rows of one place, within, except_pairs, differ: as of duplicate_records; nothing is written';

CREATE FUNCTION place_records_keyed(
    key_type anyelement, rel regclass, key name, entity name, model jsonb,
    within text DEFAULT NULL, except_pairs text DEFAULT NULL, differ name[] DEFAULT NULL,
    OUT id anyelement, OUT entity anyelement, OUT other_entity anyelement, OUT duplicate_of anyelement,
    OUT score float8, OUT kind text, OUT grp anyelement)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'place_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;

COMMENT ON FUNCTION place_records_keyed(anyelement, regclass, name, name, jsonb, text, text, name[]) IS
'returns what place_records does, with keys and entities of the type of the first argument, whose value (such as NULL::uuid) does not matter';

--
-- link: one record in a table
--

CREATE FUNCTION find_records(
    rel regclass, key name, record jsonb, model jsonb, most integer DEFAULT 5,
    OUT id bigint, OUT score float8, OUT similarities jsonb)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'find_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 10000 ROWS 5;

COMMENT ON FUNCTION find_records(regclass, name, jsonb, jsonb, integer) IS
'returns the rows of a table that are most likely the same thing as one record, an object of values by column, by a model of learn_records, with the score and the similarity of each column; it needs an index on record_tokens of the columns';

CREATE FUNCTION find_records_keyed(
    key_type anyelement, rel regclass, key name, record jsonb, model jsonb, most integer DEFAULT 5,
    OUT id anyelement, OUT score float8, OUT similarities jsonb)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'find_records'
LANGUAGE C STABLE PARALLEL UNSAFE COST 10000 ROWS 5;

COMMENT ON FUNCTION find_records_keyed(anyelement, regclass, name, jsonb, jsonb, integer) IS
'returns what find_records does, with keys of the type of the first argument, whose value (such as NULL::uuid) does not matter';

--
-- what the planner is told of comparisons
--

CREATE FUNCTION similarity_hint_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'similarity_hint_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION similarity_hint_support(internal) IS 'planner support of similarity_hint';

CREATE FUNCTION similarity_hint(a anyelement, b anyelement, comparison text, threshold float8) RETURNS boolean
AS 'MODULE_PATHNAME', 'similarity_hint' LANGUAGE C IMMUTABLE PARALLEL SAFE
    SUPPORT similarity_hint_support;
COMMENT ON FUNCTION similarity_hint(a anyelement, b anyelement, comparison text, threshold float8) IS
'true; the planner puts it beside a comparison of a measure, such as jaccard(a, b) > threshold, to know its index and its rows';

CREATE FUNCTION similarity_hint(a tokenset, b tokenset, comparison text, threshold float8, weights token_weights) RETURNS boolean
AS 'MODULE_PATHNAME', 'similarity_hint' LANGUAGE C IMMUTABLE PARALLEL SAFE
    SUPPORT similarity_hint_support;
COMMENT ON FUNCTION similarity_hint(a tokenset, b tokenset, comparison text, threshold float8, weights token_weights) IS
'true; the planner puts it beside a comparison of a weighted measure, such as idf_jaccard(a, b, weights) > threshold';

CREATE FUNCTION similarity_hint(condition boolean) RETURNS boolean
AS 'MODULE_PATHNAME', 'similarity_hint' LANGUAGE C IMMUTABLE PARALLEL SAFE
    SUPPORT similarity_hint_support;
COMMENT ON FUNCTION similarity_hint(condition boolean) IS
'true; the planner puts it beside an operator whose threshold is a setting, such as name % value, to know its rows and its cost';

CREATE FUNCTION distance_bound(comparison text, threshold float8) RETURNS int4
AS 'MODULE_PATHNAME', 'distance_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION distance_bound(comparison text, threshold float8) IS
'the greatest distance that satisfies a comparison, such as ''hamming <'' with 3; NULL if none does';

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

--
-- strings: what two texts have in common
--

CREATE FUNCTION shared_tokens(
    a text, b text, tokens text DEFAULT 'word_tokens',
    OUT part text, OUT item text, OUT value float8,
    OUT a_from integer, OUT a_to integer, OUT b_from integer, OUT b_to integer)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'shared_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;

COMMENT ON FUNCTION shared_tokens(text, text, text) IS
'returns what two texts have in common: each measure, and each token, shared or in one only, with its first and last character in the texts, counted from 1; tokens: word_tokens, shingle_tokens(3), qgram_tokens(3), word_qgram_tokens(3), one of the sets, or shingle_tokens(code_words(x), 3)';

--
-- strings: two texts side by side
--

CREATE FUNCTION side_by_side(
    a text, b text, tokens text DEFAULT 'word_tokens',
    OUT in_a text, OUT sign text, OUT in_b text)
RETURNS SETOF record
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 20
BEGIN ATOMIC
    -- Tokens by their numbers in the texts, then runs of neighbours of the same kind. Several tokens may have one place:
    -- they are numbered in the same order in both.
    WITH numbered AS (
        SELECT t.part, t.a_from, t.a_to, t.b_from, t.b_to,
               row_number() OVER (ORDER BY t.a_from, t.a_to, t.b_from, t.b_to, t.ordinality) AS a_number,
               row_number() OVER (ORDER BY t.b_from, t.b_to, t.a_from, t.a_to, t.ordinality) AS b_number
        FROM @extschema@.shared_tokens(a, b, tokens) WITH ORDINALITY AS t
        WHERE t.part <> 'measure'
    ), runs AS (
        SELECT n.part, CASE n.part WHEN 'shared' THEN n.a_number - n.b_number END AS shift,
               CASE n.part WHEN 'only b' THEN n.b_number ELSE n.a_number END AS number, n.a_from, n.a_to, n.b_from, n.b_to
        FROM numbered AS n
    ), islands AS (
        SELECT r.*, r.number - row_number() OVER (PARTITION BY r.part, r.shift ORDER BY r.number) AS island
        FROM runs AS r
    ), stretches AS (
        SELECT i.part, min(i.a_from) AS a_from, max(i.a_to) AS a_to, min(i.b_from) AS b_from, max(i.b_to) AS b_to
        FROM islands AS i
        GROUP BY i.part, i.shift, i.island
    )
    SELECT substr(a, s.a_from, s.a_to - s.a_from + 1),
           CASE s.part WHEN 'shared' THEN '=' WHEN 'only a' THEN '<' ELSE '>' END,
           substr(b, s.b_from, s.b_to - s.b_from + 1)
    FROM stretches AS s
    ORDER BY coalesce(s.a_from, (SELECT p.a_from FROM stretches AS p
                                 WHERE p.part = 'shared' AND p.b_from <= s.b_from
                                 ORDER BY p.b_from DESC LIMIT 1), 0),
             s.part = 'only b', s.b_from;
END;

COMMENT ON FUNCTION side_by_side(text, text, text) IS
'returns two texts in stretches, as diff -y shows files: = in both, < in a only, > in b only; tokens: as in shared_tokens';
