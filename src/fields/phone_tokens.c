/*
 * phone_tokens.c
 *		The SQL function phone_tokens: telephone numbers by their last digits.
 *
 * One telephone number is written with or without the country, with 00 or +, with or without the 0
 * of the area, and with blanks anywhere. What all these have in common are the last digits. A number
 * has a token for its last seven digits, one for its last eight and one for its last nine, as far as
 * it has so many, without the zeros in front. So the Jaccard similarity is 1 if the last nine digits
 * are the same, at least 0.5 if the last eight are, and less if only seven are, which may be the
 * numbers of two areas. No table of countries is needed, which would have to be kept up to date.
 *
 * A number is a run of digits, of any script, and of other characters between them. It ends at a
 * letter, a comma, a semicolon, a plus and the like: what follows is an extension or another number.
 * Runs of fewer than seven digits are none.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "fields/field_token.h"
#include "text/decompose.h"
#include "text/encoding.h"
#include "text/unicode.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(phone_tokens);

#define FEWEST_DIGITS 7
#define MOST_DIGITS 9

/* The last digits of a number, without the zeros in front. */
typedef struct PhoneNumber
{
	char digits[MOST_DIGITS];
	int count;
} PhoneNumber;

/* Returns the value of a decimal digit as an ASCII digit, or 0 for other characters. */
static char
digit_of_character(int32 codepoint)
{
	int32 decomposed[LONGEST_DECOMPOSITION];

	if (codepoint < 0x80)
		return codepoint >= '0' && codepoint <= '9' ? (char) codepoint : 0;
	if (!UnicodeIsDecimalDigit(codepoint) || DecomposeFolded(codepoint, decomposed) != 1)
		return 0;
	return (char) decomposed[0];
}

static void
add_digit(PhoneNumber *number, char digit)
{
	if (number->count == 0 && digit == '0')
		return;
	if (number->count == MOST_DIGITS)
	{
		memmove(number->digits, number->digits + 1, MOST_DIGITS - 1);
		number->count--;
	}
	number->digits[number->count++] = digit;
}

/* Adds the tokens of a number that ends, and begins the next one. */
static void
end_number(PhoneNumber *number, TokenList *list)
{
	for (int count = FEWEST_DIGITS; count <= number->count; count++)
		TokenListAppend(list,
						FieldToken("phone %.*s", count, number->digits + number->count - count));
	number->count = 0;
}

static bool
ends_number(int32 codepoint)
{
	if (UnicodeIsWord(codepoint))
		return true;
	return codepoint > 0 && codepoint < 0x80 && strchr("\n\r+,;|#&", codepoint) != NULL;
}

/* Returns the end of "(0)" at p, which is a zero that callers from abroad leave out; else p. */
static const uint8 *
skip_national_zero(const uint8 *p, const uint8 *end)
{
	return end - p >= 3 && memcmp(p, "(0)", 3) == 0 ? p + 3 : p;
}

static void
phone_tokens_of_utf8(ByteSpan utf8, TokenList *list)
{
	const uint8 *p = (const uint8 *) utf8.data;
	const uint8 *end = p + utf8.length;
	PhoneNumber number = {.count = 0};

	while (p < end)
	{
		const uint8 *behind_zero = skip_national_zero(p, end);
		int32 codepoint;
		char digit;

		CHECK_FOR_INTERRUPTS();
		if (behind_zero > p)
		{
			p = behind_zero;
			continue;
		}
		p += Utf8Decode(p, end, &codepoint);
		digit = digit_of_character(codepoint);
		if (digit != 0)
			add_digit(&number, digit);
		else if (ends_number(codepoint))
			end_number(&number, list);
	}
	end_number(&number, list);
}

Datum
phone_tokens(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	ByteSpan utf8 = ServerToUtf8(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	TokenList list;

	TokenListInit(&list, MOST_DIGITS - FEWEST_DIGITS + 1);
	phone_tokens_of_utf8(utf8, &list);
	Utf8Release(utf8, VARDATA_ANY(value));
	PG_RETURN_TOKENSET(TokensetFromList(&list, false));
}
