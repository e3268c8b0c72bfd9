/*
 * words.c
 *		The words of a normalized text.
 *
 * Normalized text has only letters, marks, numbers and single blanks, so a
 * word ends at a blank or where the kind of script changes. A mark never
 * changes it: most marks belong to no script.
 */
#include "postgres.h"

#include "text/interrupts.h"
#include "text/unicode.h"
#include "text/words.h"

/* The lead byte from which on a character may be of a script without spaces. */
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
AtUnspaced(const uint8 *p, const uint8 *end)
{
	int32 codepoint;

	if (p == end || *p < FIRST_UNSPACED_LEAD)
		return false;
	Utf8Decode(p, end, &codepoint);
	return UnicodeIsUnspaced(codepoint);
}

static inline bool
AtMark(const uint8 *p, const uint8 *end, int *length)
{
	int32 codepoint;

	if (p == end || *p < 0x80)
		return false;
	*length = Utf8Decode(p, end, &codepoint);
	return UnicodeIsMark(codepoint);
}

/* The end of the character at p with the marks on it. */
static const uint8 *
EndOfCharacter(const uint8 *p, const uint8 *end)
{
	int32 codepoint;
	int length = Utf8Decode(p, end, &codepoint);

	for (Size i = 1; i == 1 || AtMark(p, end, &length); i++)
	{
		CHECK_NOW_AND_THEN(i);
		p += length;
	}
	return p;
}

/* The end of a word of ordinary characters. */
static const uint8 *
EndOfOrdinary(const uint8 *p, const uint8 *end)
{
	int length;

	for (Size i = 1; p < end && *p != ' '; i++)
	{
		CHECK_NOW_AND_THEN(i);
		if (*p < FIRST_UNSPACED_LEAD)
			p++;
		else if (!AtUnspaced(p, end) || AtMark(p, end, &length))
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

	if (start == NULL || !AtUnspaced(p, end))
	{
		while (p < end && *p == ' ')
			p++;
		start = p;
		if (p == end)
			return false;
		if (!AtUnspaced(p, end))
			p = EndOfOrdinary(p, end);
		else
			p = EndOfCharacter(p, end);
		reader->previous = NULL;
	}
	/* What is at start is an ordinary word, or a character of a run; a run goes on with its next. */
	if (AtUnspaced(start, end) && AtUnspaced(p, end))
	{
		reader->previous = p;
		p = EndOfCharacter(p, end);
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
