/*
 * near_numbers.c
 *		The SQL function near_tokens(number, width): numbers that are near share a token.
 *
 * Cells of twice the width begin at each multiple of the width, so that each number lies in two of
 * them, whose beginnings are its tokens:
 *
 *		    |---------|---------|---------|---------|
 *		              [    cell -1        )
 *		                        [    cell 0         )
 *
 * Two numbers of which one is the greater by at most the width lie in the same step or in two that
 * are neighbours, and so in one cell at least. Numbers that lie in one cell differ by less than
 * twice the width. The arithmetic is exact.
 *
 * A token is the hash of the cell and the width, so that cells of other widths are other tokens.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "fields/field_token.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(near_tokens_numeric);

static bool
is_finite(Numeric number)
{
	return !numeric_is_nan(number) && !numeric_is_inf(number);
}

static bool
is_below(Datum number, Datum limit)
{
	return DatumGetBool(DirectFunctionCall2(numeric_lt, number, limit));
}

static char *
text_of_number(Datum number)
{
	return DatumGetCString(DirectFunctionCall1(numeric_out, number));
}

/* Raises invalid_parameter_value unless the width is above 0 and finite. */
static void
check_width_of_cell(Numeric width)
{
	if (!is_finite(width) ||
		!is_below(NumericGetDatum(int64_to_numeric(0)), NumericGetDatum(width)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("width must be greater than 0 and finite"),
						errdetail("The width is %s.", text_of_number(NumericGetDatum(width)))));
}

/* Returns the greatest integer that is not above number / width. */
static Datum
step_of_number(Datum number, Datum width)
{
	Datum step = DirectFunctionCall2(numeric_div_trunc, number, width);
	Datum rest = DirectFunctionCall2(numeric_mod, number, width);

	if (is_below(rest, NumericGetDatum(int64_to_numeric(0))))
		step = DirectFunctionCall2(numeric_sub, step, NumericGetDatum(int64_to_numeric(1)));
	return step;
}

static Token
token_of_cell(Datum first_step, const char *width)
{
	return FieldToken("near %s %s", width, text_of_number(first_step));
}

/* near_tokens(number, width): the empty set of a number that is not finite. */
Datum
near_tokens_numeric(PG_FUNCTION_ARGS)
{
	Numeric number = PG_GETARG_NUMERIC(0);
	Numeric width = PG_GETARG_NUMERIC(1);
	TokenList list;

	check_width_of_cell(width);
	TokenListInit(&list, 2);
	if (is_finite(number))
	{
		char *width_text = numeric_normalize(width);
		Datum step = step_of_number(NumericGetDatum(number), NumericGetDatum(width));
		Datum before = DirectFunctionCall2(numeric_sub, step, NumericGetDatum(int64_to_numeric(1)));

		TokenListAppend(&list, token_of_cell(before, width_text));
		TokenListAppend(&list, token_of_cell(step, width_text));
	}
	PG_RETURN_TOKENSET(TokensetFromList(&list, false));
}
