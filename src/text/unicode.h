/*
 * unicode.h
 *		Code points: decoding from UTF-8, and properties.
 *
 * Properties come from utf8proc's tables. neardup_unicode_version() reports their version, since
 * other tables may give other tokens.
 */
#ifndef NEARDUP_UNICODE_H
#define NEARDUP_UNICODE_H

#include <utf8proc.h>

#include "text/bytes.h"

/* The replacement character, which stands for malformed bytes. It is no part of a word. */
#define UNICODE_REPLACEMENT 0xFFFD

/*
 * Decodes the code point at p, before `end`, and returns its length in bytes, at least 1 and never
 * beyond `end`. A malformed byte gives U+FFFD. Overlong forms of three and four bytes and
 * surrogates are not rejected: text in the database is valid.
 */
static inline int
Utf8Decode(const uint8 *p, const uint8 *end, int32 *codepoint)
{
	uint8 lead = *p;
	int length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
	int32 c = length <= 1 ? lead : lead & (0xFF >> (length + 1));

	*codepoint = UNICODE_REPLACEMENT;
	if (length == 0 || lead > 0xF4 || end - p < length)
		return 1;
	for (int i = 1; i < length; i++)
	{
		if ((p[i] & 0xC0) != 0x80)
			return 1;
		c = c << 6 | (p[i] & 0x3F);
	}
	if (c <= 0x10FFFF)
		*codepoint = c;
	return length;
}

/*
 * Writes a code point in UTF-8, for which there must be room of four bytes; returns the end.
 */
static inline char *
Utf8Encode(char *out, int32 codepoint)
{
	if (codepoint < 0x80)
		*out++ = (char) codepoint;
	else if (codepoint < 0x800)
	{
		*out++ = (char) (0xC0 | codepoint >> 6);
		*out++ = (char) (0x80 | (codepoint & 0x3F));
	}
	else if (codepoint < 0x10000)
	{
		*out++ = (char) (0xE0 | codepoint >> 12);
		*out++ = (char) (0x80 | (codepoint >> 6 & 0x3F));
		*out++ = (char) (0x80 | (codepoint & 0x3F));
	}
	else
	{
		*out++ = (char) (0xF0 | codepoint >> 18);
		*out++ = (char) (0x80 | (codepoint >> 12 & 0x3F));
		*out++ = (char) (0x80 | (codepoint >> 6 & 0x3F));
		*out++ = (char) (0x80 | (codepoint & 0x3F));
	}
	return out;
}

/* Returns the end of the ASCII characters at p. Tests eight at a time. */
static inline const uint8 *
Utf8EndOfAscii(const uint8 *p, const uint8 *end)
{
	uint64 eight;

	for (; end - p >= 8; p += 8)
	{
		memcpy(&eight, p, 8);
		if (eight & UINT64CONST(0x8080808080808080))
			break;
	}
	while (p < end && *p < 0x80)
		p++;
	return p;
}

static inline bool
Utf8IsAscii(ByteSpan text)
{
	const uint8 *end = (const uint8 *) text.data + text.length;

	return Utf8EndOfAscii((const uint8 *) text.data, end) == end;
}

/*
 * Returns whether a character is part of a word: a letter, mark or number. utf8proc numbers these
 * categories in a row.
 */
static inline bool
UnicodeIsWord(int32 codepoint)
{
	utf8proc_category_t category = utf8proc_category(codepoint);

	return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

/* Returns whether a character is a mark (nonspacing, spacing or enclosing). */
static inline bool
UnicodeIsMark(int32 codepoint)
{
	utf8proc_category_t category = utf8proc_category(codepoint);

	return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

/* Returns whether a character is a number, of which decimal digits are one kind. */
static inline bool
UnicodeIsNumber(int32 codepoint)
{
	utf8proc_category_t category = utf8proc_category(codepoint);

	return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

/* Returns whether a character is a decimal digit of any script. */
static inline bool
UnicodeIsDecimalDigit(int32 codepoint)
{
	return utf8proc_category(codepoint) == UTF8PROC_CATEGORY_ND;
}

/* Returns whether normalization ignores a character: soft hyphens, joiners, variation selectors. */
static inline bool
UnicodeIsIgnorable(int32 codepoint)
{
	return utf8proc_get_property(codepoint)->ignorable;
}

/*
 * Returns the canonical combining class: 0 for a starter, above 0 for marks that can be reordered.
 */
static inline int
UnicodeCombiningClass(int32 codepoint)
{
	return utf8proc_get_property(codepoint)->combining_class;
}

typedef struct CodePointRange
{
	int32 first;
	int32 last;
} CodePointRange;

/* Returns whether a character is in one of `count` ranges, which are in ascending order. */
extern bool CodePointInRanges(int32 codepoint, const CodePointRange *ranges, int count);

/* All characters of scripts written without spaces come from here on. */
#define UNICODE_FIRST_UNSPACED 0x0E00

/*
 * Returns whether a character is in a block of such a script: UnicodeIsUnspaced, without shortcuts.
 */
extern bool UnicodeIsInUnspacedBlock(int32 codepoint);

/*
 * Returns whether a character is a letter or mark of a script that is written without spaces. Han
 * and kana, the most frequent ones, are tested first.
 */
static inline bool
UnicodeIsUnspaced(int32 codepoint)
{
	if ((codepoint >= 0x4E00 && codepoint <= 0x9FFF) ||
		(codepoint >= 0x3041 && codepoint <= 0x312F))
		return true;
	return codepoint >= UNICODE_FIRST_UNSPACED && UnicodeIsInUnspacedBlock(codepoint);
}

#endif
