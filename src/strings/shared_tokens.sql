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
