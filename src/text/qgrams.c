/*
 * qgrams.c
 *		Q-grams of a normalized text.
 */
#include "postgres.h"

#include "text/interrupts.h"
#include "text/qgrams.h"
#include "text/unicode.h"

static inline const char *
next_character(const char *p, const char *end)
{
	int32 codepoint;

	return p + Utf8Decode((const uint8 *) p, (const uint8 *) end, &codepoint);
}

void
TokensOfQgrams(ByteSpan normalized, int32 q, TokenList *list)
{
	const char *first = normalized.data;
	const char *last = normalized.data;
	const char *end = normalized.data + normalized.length;

	if (q < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("q-gram length must be at least 1"), errdetail("The length is %d.", q)));
	if (normalized.length == 0)
		return;
	for (int32 i = 0; i < q && last < end; i++)
	{
		CHECK_NOW_AND_THEN(i);
		last = next_character(last, end);
	}
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		TokenListAppend(list, TokenOfBytes(first, last - first));
		if (last == end)
			break;
		first = next_character(first, end);
		last = next_character(last, end);
	}
}
