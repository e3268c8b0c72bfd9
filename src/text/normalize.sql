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
