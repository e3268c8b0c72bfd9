/*
 * strip_ids.c
 *		Removal of identifiers, times and other words with a digit from a text.
 *
 * In a log line or a template these are what changes from one text to the next.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "text/id_words.h"
#include "text/strip_ids.h"
#include "text/unicode.h"

Size
StripIds(ByteSpan utf8, char *out)
{
	const uint8 *p = (const uint8 *) utf8.data;
	const uint8 *end = p + utf8.length;
	Size used = 0;

	while (p < end)
	{
		IdWord word;
		int32 codepoint;

		CHECK_FOR_INTERRUPTS();
		if (!IdWordRead(p, end, &word))
			word = (IdWord){.end = p + Utf8Decode(p, end, &codepoint)};
		if (word.has_digit)
			out[used++] = ' ';
		else
		{
			memcpy(out + used, p, word.end - p);
			used += word.end - p;
		}
		p = word.end;
	}
	return used;
}
