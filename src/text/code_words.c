/*
 * code_words.c
 *		Division of source code, formulas and paths into words.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "text/code_words.h"
#include "text/unicode.h"
#include "text/words.h"

void
CodeReaderInit(CodeReader *reader, ByteSpan utf8)
{
	reader->next = (const uint8 *) utf8.data;
	reader->end = reader->next + utf8.length;
}

/* Returns whether a character stands between words: white space, control, format. */
static inline bool
separates_words(int32 codepoint)
{
	utf8proc_category_t category = utf8proc_category(codepoint);

	return category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_CF;
}

static inline bool
at_digit(const uint8 *p, const uint8 *end)
{
	return p < end && *p >= '0' && *p <= '9';
}

/* Returns whether a character of an identifier or number is at p, and its length. */
static inline bool
at_identifier(const uint8 *p, const uint8 *end, int *length)
{
	int32 codepoint;

	if (p == end)
		return false;
	*length = Utf8Decode(p, end, &codepoint);
	return codepoint == '_' || UnicodeIsMark(codepoint) ||
		   (UnicodeIsWord(codepoint) && !UnicodeIsUnspaced(codepoint));
}

/*
 * Returns the end of the identifier or number that begins at p. A number may have a sign behind an
 * "e" that follows digits, full stops and underscores only: "1e-1" is one number, but "0xe-1" and
 * "12abe-1" end before the sign.
 */
static const uint8 *
end_of_identifier(const uint8 *p, const uint8 *end)
{
	const uint8 *exponent = NULL; /* behind the "e" */
	bool is_number = at_digit(p, end);
	bool is_decimal = is_number; /* so far */
	int length;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (at_identifier(p, end, &length))
		{
			if (is_decimal && (*p | 0x20) == 'e')
				exponent = p + 1;
			is_decimal &= at_digit(p, end) || *p == '_';
			p += length;
		}
		else if (is_number && p < end && *p == '.' && at_digit(p + 1, end))
			p++;
		else if (p == exponent && p < end && (*p == '-' || *p == '+') && at_digit(p + 1, end))
			p++;
		else
			return p;
	}
}

bool
CodeReaderNext(CodeReader *reader, ByteSpan *word)
{
	const uint8 *p = reader->next;
	int32 codepoint;
	int length;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (p == reader->end)
			return false;
		length = Utf8Decode(p, reader->end, &codepoint);
		if (!separates_words(codepoint))
			break;
		p += length;
	}
	word->data = (const char *) p;
	if (at_identifier(p, reader->end, &length))
		p = end_of_identifier(p, reader->end);
	else
		p = EndOfCharacter(p, reader->end);
	word->length = p - (const uint8 *) word->data;
	reader->next = p;
	return true;
}
