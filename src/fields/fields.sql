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
