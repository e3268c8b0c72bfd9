/*
 * id_words.c
 *		Words that identifiers, times and versions are one word for.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "text/id_words.h"
#include "text/unicode.h"

/* The longest group of hexadecimal digits that a colon joins: one of an IPv6 address. */
#define HEX_GROUP 4

static inline bool
is_ascii_digit(uint8 c)
{
	return c >= '0' && c <= '9';
}

static inline bool
is_hex(uint8 c)
{
	return is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Returns whether a part of a word is at p, its length, and whether it is a digit. */
static inline bool
at_part(const uint8 *p, const uint8 *end, int *length, bool *is_decimal)
{
	int32 codepoint;

	if (p == end)
		return false;
	*length = Utf8Decode(p, end, &codepoint);
	*is_decimal = UnicodeIsDecimalDigit(codepoint);
	return codepoint == '_' || (UnicodeIsWord(codepoint) && !UnicodeIsUnspaced(codepoint));
}

/* Returns the length of the group of hexadecimal digits at p, 0 if it is no part by itself. */
static int
hex_group(const uint8 *p, const uint8 *end)
{
	int length = 0;
	int unused_length;
	bool unused_digit;

	while (length < HEX_GROUP && p + length < end && is_hex(p[length]))
		length++;
	return at_part(p + length, end, &unused_length, &unused_digit) ? 0 : length;
}

/*
 * Returns whether the character at p, behind the part of a word that begins at `part`, joins it to
 * what follows.
 */
static bool
joins(const uint8 *part, const uint8 *p, const uint8 *end)
{
	int unused_length;
	bool unused_digit;

	if (!at_part(p + 1, end, &unused_length, &unused_digit))
		return false;
	if (*p == '-' || *p == '.' || *p == '~')
		return true;
	if (*p != ':' && *p != ',' && *p != '/' && *p != '+')
		return false;
	if (is_ascii_digit(p[-1]) && is_ascii_digit(p[1]))
		return true;
	return *p == ':' && hex_group(part, p) == p - part && hex_group(p + 1, end) > 0;
}

bool
IdWordRead(const uint8 *p, const uint8 *end, IdWord *word)
{
	const uint8 *part = p;
	int length;
	bool is_decimal;

	if (!at_part(p, end, &length, &is_decimal))
		return false;
	*word = (IdWord){0};
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (at_part(p, end, &length, &is_decimal))
		{
			word->has_digit |= is_decimal;
			p += length;
		}
		else if (p < end && joins(part, p, end))
		{
			word->has_dot |= *p == '.';
			part = ++p;
		}
		else
			break;
	}
	word->end = p;
	return true;
}
