/*
 * words.c
 *		Division of a normalized text into words.
 *
 * Most words have no character from U+0E00 on, where scripts without spaces begin. In UTF-8 such
 * characters begin with a byte of at least 0xE0. So the fast path looks, in eight bytes at a time,
 * only for blanks and for such bytes, and decodes nothing.
 *
 * A mark belongs to the character before it, whatever the script of either: it never divides a
 * word.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "port/pg_bswap.h"

#include "text/simple_fold.h"
#include "text/token_of_bytes.h"
#include "text/unicode.h"
#include "text/words.h"

/* The least byte that begins a character of a script without spaces. */
#define FIRST_UNSPACED_LEAD 0xE0

StaticAssertDecl(UNICODE_FIRST_UNSPACED >= 0x0800,
				 "characters of two bytes must not be of a script without spaces");

void
WordReaderInit(WordReader *reader, ByteSpan normalized)
{
	reader->next = (const uint8 *) normalized.data;
	reader->end = reader->next + normalized.length;
	reader->previous = NULL;
	reader->is_single = false;
}

/* Returns whether a character of a script without spaces is at p. */
static inline bool
at_unspaced(const uint8 *p, const uint8 *end)
{
	int32 codepoint;

	if (p == end || *p < FIRST_UNSPACED_LEAD)
		return false;
	Utf8Decode(p, end, &codepoint);
	return UnicodeIsUnspaced(codepoint);
}

/* Returns whether a mark is at p, and its length. */
static inline bool
at_mark(const uint8 *p, const uint8 *end, int *length)
{
	int32 codepoint;

	if (p == end || *p < 0x80)
		return false;
	*length = Utf8Decode(p, end, &codepoint);
	return SimpleFold(codepoint) == 0 && UnicodeIsMark(codepoint);
}

const uint8 *
EndOfCharacter(const uint8 *p, const uint8 *end)
{
	int32 codepoint;
	int length = Utf8Decode(p, end, &codepoint);

	do
	{
		CHECK_FOR_INTERRUPTS();
		p += length;
	} while (at_mark(p, end, &length));
	return p;
}

/* Returns the first blank, or character of a script without spaces that is no mark, from p on. */
static const uint8 *
end_of_ordinary_word(const uint8 *p, const uint8 *end)
{
	int length;

	while (p < end && *p != ' ')
	{
		CHECK_FOR_INTERRUPTS();
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
 * Returns the first blank from p on, or the first character that may be of a script without spaces.
 *
 * Eight bytes are tested at a time, with the result in the upper bit of each. In `leads` it is set
 * where the upper three bits of a byte are: from 0xE0 on. In `blanks` it is set where a byte of
 * `rest`, the text with blanks turned into zeros, is 0: to subtract 1 from it borrows. A borrow may
 * also set the bit of the byte above a blank, so only the lowest bit is certain, and no other is
 * used.
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
			p = EndOfCharacter(p, end);
		reader->previous = NULL;
	}
	/* Here the word is a pair of characters, of which the second one begins the next. */
	if (!reader->is_single && at_unspaced(start, end) && at_unspaced(p, end))
	{
		reader->previous = p;
		p = EndOfCharacter(p, end);
	}
	reader->next = p;
	word->data = (const char *) start;
	word->length = p - start;
	return true;
}

bool
WordReaderNextRun(WordReader *reader, ByteSpan *run, bool *is_unspaced)
{
	const uint8 *end = reader->end;
	const uint8 *p = reader->next;
	const uint8 *start;

	while (p < end && *p == ' ')
		p++;
	start = p;
	if (p == end)
		return false;
	*is_unspaced = at_unspaced(p, end);
	if (!*is_unspaced)
		p = end_of_ordinary_word(end_of_plain_word(p, end), end);
	else
		while (at_unspaced(p, end))
		{
			CHECK_FOR_INTERRUPTS();
			p = EndOfCharacter(p, end);
		}
	reader->next = p;
	run->data = (const char *) start;
	run->length = p - start;
	return true;
}

bool
WordsMayOverlap(ByteSpan normalized)
{
	for (Size i = 0; i < normalized.length; i++)
	{
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
		CHECK_FOR_INTERRUPTS();
		TokenListAppend(list, TokenOfBytes(word.data, word.length));
	}
}
