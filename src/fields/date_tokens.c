/*
 * date_tokens.c
 *		SQL functions from a date to a tokenset, for dates with a slip of the pen.
 *
 * A date is a multiset of 20 tokens, so that dates that differ by one slip have most of them in
 * common, and others few:
 *
 *		year			twice, its century once, and each of its last two digits twice		7
 *		month, day		each by itself, once for either and once as what it is, and each of
 *						its two digits twice												   12
 *		the date		once, if all parts are there										1
 *
 * Month and day have the same tokens but for one each, and so have their digits: where the two are
 * exchanged, only these and the date differ. That one token puts a date of which the month alone is
 * known nearer to the days of its month than to a day of that number. The order of digits does not
 * count. A part that is missing has no tokens. A wrong digit takes the number with it, but leaves the
 * number's other digit, and that is what tells a slip from another month, day or year.
 *
 * The tokens are numbers as text, behind a word that tells them from the tokens of other fields. Any
 * integer can be a part: what was entered may be no date.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/date.h"
#include "utils/datetime.h"

#include "fields/field_token.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(date_tokens_parts);
PG_FUNCTION_INFO_V1(date_tokens_date);

#define DATE_TOKENS 20

typedef struct DateParts
{
	int32 year;
	int32 month;
	int32 day;
	bool has_year;
	bool has_month;
	bool has_day;
} DateParts;

static void
add_number(TokenList *list, const char *what, int32 number, int times)
{
	Token token = FieldToken("date %s %d", what, number);

	for (int i = 0; i < times; i++)
		TokenListAppend(list, token);
}

/* Adds the last two digits of a number, each twice. */
static void
add_digits(TokenList *list, const char *what, int32 number)
{
	int32 last = abs(number % 100);

	add_number(list, what, last / 10, 2);
	add_number(list, what, last % 10, 2);
}

static void
add_month_or_day(TokenList *list, const char *what, int32 number)
{
	add_number(list, "part", number, 1);
	add_number(list, what, number, 1);
	add_digits(list, "digit", number);
}

static Tokenset *
tokens_of_parts(const DateParts *parts)
{
	TokenList list;

	TokenListInit(&list, DATE_TOKENS);
	if (parts->has_year)
	{
		add_number(&list, "year", parts->year, 2);
		add_number(&list, "century", parts->year / 100, 1);
		add_digits(&list, "year digit", parts->year);
	}
	if (parts->has_month)
		add_month_or_day(&list, "month", parts->month);
	if (parts->has_day)
		add_month_or_day(&list, "day", parts->day);
	if (parts->has_year && parts->has_month && parts->has_day)
		TokenListAppend(&list, FieldToken("date %d %d %d", parts->year, parts->month, parts->day));
	return TokensetFromList(&list, true);
}

/* date_tokens(year, month, day): NULL if all of them are. */
Datum
date_tokens_parts(PG_FUNCTION_ARGS)
{
	DateParts parts = {
		.has_year = !PG_ARGISNULL(0), .has_month = !PG_ARGISNULL(1), .has_day = !PG_ARGISNULL(2)};

	if (!parts.has_year && !parts.has_month && !parts.has_day)
		PG_RETURN_NULL();
	if (parts.has_year)
		parts.year = PG_GETARG_INT32(0);
	if (parts.has_month)
		parts.month = PG_GETARG_INT32(1);
	if (parts.has_day)
		parts.day = PG_GETARG_INT32(2);
	PG_RETURN_TOKENSET(tokens_of_parts(&parts));
}

/* date_tokens(date): those of what extract() returns, NULL of an infinite date. */
Datum
date_tokens_date(PG_FUNCTION_ARGS)
{
	DateADT date = PG_GETARG_DATEADT(0);
	DateParts parts = {.has_year = true, .has_month = true, .has_day = true};

	if (DATE_NOT_FINITE(date))
		PG_RETURN_NULL();
	j2date(date + POSTGRES_EPOCH_JDATE, &parts.year, &parts.month, &parts.day);

	/* There is no year 0: the one before year 1 is -1. */
	if (parts.year <= 0)
		parts.year--;
	PG_RETURN_TOKENSET(tokens_of_parts(&parts));
}
