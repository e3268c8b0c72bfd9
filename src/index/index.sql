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
