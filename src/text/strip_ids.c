/*
 * strip_ids.c
 *		Removal of identifiers, times and other words with a digit from a text.
 *
 * In a log line or a template these are what changes from one text to the next.
 */
#include "postgres.h"

#include "text/interrupts.h"
#include "text/strip_ids.h"
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
	*is_decimal = utf8proc_category(codepoint) == UTF8PROC_CATEGORY_ND;
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
	if (*p == '-' || *p == '.')
		return true;
	if (*p != ':' && *p != ',' && *p != '/' && *p != '+')
		return false;
	if (is_ascii_digit(p[-1]) && is_ascii_digit(p[1]))
		return true;
	return *p == ':' && hex_group(part, p) == p - part && hex_group(p + 1, end) > 0;
}

/* Returns the end of the word at p, and whether it has a digit. */
static const uint8 *
end_of_word(const uint8 *p, const uint8 *end, bool *has_digit)
{
	const uint8 *part = p;
	int length;
	bool is_decimal;

	*has_digit = false;
	for (Size i = 1;; i++)
	{
		CHECK_NOW_AND_THEN(i);
		if (at_part(p, end, &length, &is_decimal))
		{
			*has_digit |= is_decimal;
			p += length;
		}
		else if (p < end && joins(part, p, end))
			part = ++p;
		else
			return p;
	}
}

Size
StripIds(ByteSpan utf8, char *out)
{
	const uint8 *p = (const uint8 *) utf8.data;
	const uint8 *end = p + utf8.length;
	Size used = 0;

	for (Size i = 0; p < end; i++)
	{
		int length;
		bool has_digit;
		bool is_word = at_part(p, end, &length, &has_digit);
		const uint8 *next = is_word ? end_of_word(p, end, &has_digit) : p + length;

		CHECK_NOW_AND_THEN(i);
		if (is_word && has_digit)
			out[used++] = ' ';
		else
		{
			memcpy(out + used, p, next - p);
			used += next - p;
		}
		p = next;
	}
	return used;
}
