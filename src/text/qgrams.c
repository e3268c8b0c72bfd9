/*
 * qgrams.c
 *		Q-grams of a normalized text.
 *
 * Where every character is one byte, the q-grams are the spans of q bytes, and hashing them is all
 * the work. The usual lengths are constants there, for which XXH3 inlines to a few instructions.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "text/qgrams.h"
#include "text/token_of_bytes.h"
#include "text/unicode.h"

static inline const char *
next_character(const char *p, const char *end)
{
	int32 codepoint;

	return p + Utf8Decode((const uint8 *) p, (const uint8 *) end, &codepoint);
}

/* Appends the q-grams of a text of one-byte characters, at least q. Inlined for constant q. */
static pg_attribute_always_inline void
add_grams_of_bytes(ByteSpan text, Size q, TokenList *list)
{
	Size count = text.length - q + 1;
	Token *tokens = TokenListExtend(list, count);

	for (Size i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tokens[i] = TokenOfBytes(text.data + i, q);
	}
}

static void
add_grams_of_ascii(ByteSpan text, Size q, TokenList *list)
{
	switch (q)
	{
		case 2:
			add_grams_of_bytes(text, 2, list);
			break;
		case 3:
			add_grams_of_bytes(text, 3, list);
			break;
		case 4:
			add_grams_of_bytes(text, 4, list);
			break;
		default:
			add_grams_of_bytes(text, q, list);
	}
}

/* Appends the q-grams of any text, by a window both of whose ends move by characters. */
static void
add_grams(ByteSpan text, int32 q, TokenList *list)
{
	const char *first = text.data;
	const char *last = text.data;
	const char *end = text.data + text.length;

	for (int32 i = 0; i < q && last < end; i++)
	{
		CHECK_FOR_INTERRUPTS();
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

void
TokensOfQgrams(ByteSpan normalized, int32 q, TokenList *list)
{
	if (q < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("q-gram length must be at least 1"), errdetail("The length is %d.", q)));
	if (normalized.length == 0)
		return;
	if ((Size) q < normalized.length && Utf8IsAscii(normalized))
		add_grams_of_ascii(normalized, q, list);
	else
		add_grams(normalized, q, list);
}
