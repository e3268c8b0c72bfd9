/*
 * strip_numbers.c
 *		Removal of numbers from a text.
 *
 * A word of numbers only, such as a date's or a price's, says little of what a text is about, and
 * changes from one copy of a page to the next. A word that also has letters, such as "b2b", stays.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "text/strip_numbers.h"
#include "text/unicode.h"

/* Copies characters as they come, and takes a word back when it ends and was a number. */
Size
StripNumbers(ByteSpan utf8, char *out)
{
	const uint8 *p = (const uint8 *) utf8.data;
	const uint8 *end = p + utf8.length;
	const uint8 *word = NULL;
	bool number = false; /* the word has only numbers so far */
	Size used = 0;

	while (p < end)
	{
		int32 codepoint;
		int length = Utf8Decode(p, end, &codepoint);

		CHECK_FOR_INTERRUPTS();
		if (UnicodeIsWord(codepoint))
		{
			number = (word == NULL || number) && UnicodeIsNumber(codepoint);
			if (word == NULL)
				word = p;
		}
		else if (word != NULL)
		{
			if (number)
			{
				used -= p - word;
				out[used++] = ' ';
			}
			word = NULL;
		}
		memcpy(out + used, p, length);
		used += length;
		p += length;
	}
	if (word != NULL && number)
	{
		used -= p - word;
		out[used++] = ' ';
	}
	return used;
}
