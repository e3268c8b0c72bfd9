/*
 * sentences.c
 *		Finding the end of a sentence between two words.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "text/sentences.h"
#include "text/unicode.h"

/* Returns whether a character ends a sentence; *is_wide if nothing need follow it. */
static bool
is_terminator(int32 codepoint, bool *is_wide)
{
	switch (codepoint)
	{
		case '.':
		case '!':
		case '?':
			*is_wide = false;
			return true;
		case 0x3002: /* ideographic full stop */
		case 0xFF01: /* fullwidth exclamation mark */
		case 0xFF0E: /* fullwidth full stop */
		case 0xFF1F: /* fullwidth question mark */
		case 0xFF61: /* halfwidth ideographic full stop */
			*is_wide = true;
			return true;
		default:
			return false;
	}
}

/* Returns whether a character closes a quotation or brackets. */
static bool
is_closing(int32 codepoint)
{
	if (codepoint == '"' || codepoint == '\'' || codepoint == '*' || codepoint == '_')
		return true;
	switch (utf8proc_category(codepoint))
	{
		case UTF8PROC_CATEGORY_PE:
		case UTF8PROC_CATEGORY_PF:
			return true;
		default:
			return false;
	}
}

static bool
is_line_blank(int32 codepoint)
{
	return codepoint == ' ' || codepoint == '\t' || codepoint == '\r' ||
		   utf8proc_category(codepoint) == UTF8PROC_CATEGORY_ZS;
}

/* Returns the end of the blanks from a place on, and of the line if that ends there. */
static const uint8 *
skip_blanks(const uint8 *p, const uint8 *end)
{
	while (p < end)
	{
		int32 codepoint;
		int length = Utf8Decode(p, end, &codepoint);

		CHECK_FOR_INTERRUPTS();
		if (codepoint == '\n')
			return p + length;
		if (!is_line_blank(codepoint))
			break;
		p += length;
	}
	return p;
}

/* Returns what follows a terminator, further ones and closing marks; *is_wide if one of them is. */
static const uint8 *
skip_terminators(const uint8 *p, const uint8 *end, bool *is_wide)
{
	while (p < end)
	{
		int32 codepoint;
		int length = Utf8Decode(p, end, &codepoint);
		bool further_is_wide = false;

		CHECK_FOR_INTERRUPTS();
		if (!is_terminator(codepoint, &further_is_wide) && !is_closing(codepoint))
			break;
		*is_wide |= further_is_wide;
		p += length;
	}
	return p;
}

const uint8 *
SentenceEnd(const uint8 *gap, const uint8 *gap_end, bool is_last)
{
	const uint8 *p = gap;

	while (p < gap_end)
	{
		int32 codepoint;
		int length = Utf8Decode(p, gap_end, &codepoint);
		bool is_wide;

		CHECK_FOR_INTERRUPTS();
		p += length;
		if (codepoint == '\n')
			return p;
		if (is_terminator(codepoint, &is_wide))
		{
			const uint8 *end;

			p = skip_terminators(p, gap_end, &is_wide);
			end = skip_blanks(p, gap_end);
			if (is_wide || end > p || (is_last && p == gap_end))
				return end;
		}
	}
	return is_last ? gap_end : NULL;
}
