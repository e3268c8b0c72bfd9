--
-- passages: tokens by which an index finds them
--

CREATE FUNCTION passage_tokens(text, min_words integer) RETURNS tokenset
    AS 'MODULE_PATHNAME', 'passage_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION passage_tokens(text, min_words integer) IS
    'a few sequences of words of the text, such that two texts which share a run of min_words words have one in common';
