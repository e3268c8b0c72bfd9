/*
 * strip_numbers.c
 *		Removal of numbers from a text.
 */
#include "postgres.h"

#include "text/interrupts.h"
#include "text/strip.h"
#include "text/unicode.h"

Size
StripNumbers(ByteSpan utf8, char *out)
{
	const uint8 *p = (const uint8 *) utf8.data;
	const uint8 *end = p + utf8.length;
	const uint8 *word = NULL;
	bool number = false; /* only numbers so far */
	Size used = 0;

	for (Size i = 0; p < end; i++)
	{
		int32 codepoint;
		int length = Utf8Decode(p, end, &codepoint);

		CHECK_NOW_AND_THEN(i);
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
