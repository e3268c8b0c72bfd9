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
