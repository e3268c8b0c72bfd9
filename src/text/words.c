/*
 * words.c
 *		Division of a normalized text into words.
 *
 * A mark never changes the kind of script.
 */
#include "postgres.h"

#include "text/interrupts.h"
#include "text/unicode.h"
#include "text/words.h"

/* First lead byte of scripts written without spaces. */
#define FIRST_UNSPACED_LEAD 0xE0

StaticAssertDecl(UNICODE_FIRST_UNSPACED >= 0x0800,
				 "characters of two bytes must not be of a script without spaces");

void
WordReaderInit(WordReader *reader, ByteSpan normalized)
{
	reader->next = (const uint8 *) normalized.data;
	reader->end = reader->next + normalized.length;
	reader->previous = NULL;
}

static inline bool
at_unspaced(const uint8 *p, const uint8 *end)
{
	int32 codepoint;

	if (p == end || *p < FIRST_UNSPACED_LEAD)
		return false;
	Utf8Decode(p, end, &codepoint);
	return UnicodeIsUnspaced(codepoint);
}

static inline bool
at_mark(const uint8 *p, const uint8 *end, int *length)
{
	int32 codepoint;

	if (p == end || *p < 0x80)
		return false;
	*length = Utf8Decode(p, end, &codepoint);
	return UnicodeIsMark(codepoint);
}

/* End of the character at p with its marks. */
static const uint8 *
end_of_character(const uint8 *p, const uint8 *end)
{
	int32 codepoint;
	int length = Utf8Decode(p, end, &codepoint);

	for (Size i = 1; i == 1 || at_mark(p, end, &length); i++)
	{
		CHECK_NOW_AND_THEN(i);
		p += length;
	}
	return p;
}

static const uint8 *
end_of_ordinary_word(const uint8 *p, const uint8 *end)
{
	int length;

	for (Size i = 1; p < end && *p != ' '; i++)
	{
		CHECK_NOW_AND_THEN(i);
		if (*p < FIRST_UNSPACED_LEAD)
			p++;
		else if (!at_unspaced(p, end) || at_mark(p, end, &length))
		{
			int32 codepoint;

			p += Utf8Decode(p, end, &codepoint);
		}
		else
			break;
	}
	return p;
}

bool
WordReaderNext(WordReader *reader, ByteSpan *word)
{
	const uint8 *end = reader->end;
	const uint8 *start = reader->previous;
	const uint8 *p = reader->next;

	if (start == NULL || !at_unspaced(p, end))
	{
		while (p < end && *p == ' ')
			p++;
		start = p;
		if (p == end)
			return false;
		if (!at_unspaced(p, end))
			p = end_of_ordinary_word(p, end);
		else
			p = end_of_character(p, end);
		reader->previous = NULL;
	}
	/* Without spaces a word is a pair of characters. */
	if (at_unspaced(start, end) && at_unspaced(p, end))
	{
		reader->previous = p;
		p = end_of_character(p, end);
	}
	reader->next = p;
	word->data = (const char *) start;
	word->length = p - start;
	return true;
}

void
TokensOfWords(ByteSpan normalized, TokenList *list)
{
	WordReader reader;
	ByteSpan word;

	WordReaderInit(&reader, normalized);
	while (WordReaderNext(&reader, &word))
	{
		CHECK_NOW_AND_THEN(list->count);
		TokenListAppend(list, TokenOfBytes(word.data, word.length));
	}
}
