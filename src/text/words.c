/*
 * words.c
 *		Division of a normalized text into words.
 *
 * A mark never changes the kind of script.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "port/pg_bswap.h"

#include "text/interrupts.h"
#include "text/simple_fold.h"
#include "text/token_of_bytes.h"
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
	return SimpleFold(codepoint) == 0 && UnicodeIsMark(codepoint);
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

/*
 * The first blank, or character that may be of a script without spaces; eight bytes at a time. In
 * the upper bit of each byte: blanks is that of a byte that is ' ', leads of one from E0 on. Only the
 * lowest bit of blanks is certain.
 */
static inline const uint8 *
end_of_plain_word(const uint8 *p, const uint8 *end)
{
	for (; end - p >= 8; p += 8)
	{
		uint64 eight;
		uint64 rest;
		uint64 blanks;
		uint64 leads;

		memcpy(&eight, p, 8);
#ifdef WORDS_BIGENDIAN
		eight = pg_bswap64(eight);
#endif
		rest = eight ^ UINT64CONST(0x2020202020202020);
		blanks = (rest - UINT64CONST(0x0101010101010101)) & ~rest;
		leads = eight & eight << 1 & eight << 2;
		rest = (blanks | leads) & UINT64CONST(0x8080808080808080);
		if (rest != 0)
			return p + pg_rightmost_one_pos64(rest) / 8;
	}
	while (p < end && *p != ' ' && *p < FIRST_UNSPACED_LEAD)
		p++;
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
			p = end_of_ordinary_word(end_of_plain_word(p, end), end);
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

bool
WordsMayOverlap(ByteSpan normalized)
{
	for (Size i = 0; i < normalized.length; i++)
	{
		CHECK_NOW_AND_THEN(i);
		if ((uint8) normalized.data[i] >= FIRST_UNSPACED_LEAD)
			return true;
	}
	return false;
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
