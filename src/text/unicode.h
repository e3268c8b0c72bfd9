/*
 * unicode.h
 *		Code points: decoding from UTF-8, and properties.
 */
#ifndef NEARDUP_UNICODE_H
#define NEARDUP_UNICODE_H

#include <utf8proc.h>

#define UNICODE_REPLACEMENT 0xFFFD

/*
 * Decodes the code point at p < end, without full validation; returns its length. U+FFFD stands for
 * malformed bytes.
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

/* Letters, marks and numbers: a range of utf8proc's enum. */
static inline bool
UnicodeIsWord(int32 codepoint)
{
	utf8proc_category_t category = utf8proc_category(codepoint);

	return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

static inline bool
UnicodeIsMark(int32 codepoint)
{
	utf8proc_category_t category = utf8proc_category(codepoint);

	return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

static inline bool
UnicodeIsNumber(int32 codepoint)
{
	utf8proc_category_t category = utf8proc_category(codepoint);

	return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

/* Canonical combining class: 0 of a starter, above 0 of a mark. */
static inline int
UnicodeCombiningClass(int32 codepoint)
{
	return utf8proc_get_property(codepoint)->combining_class;
}

/* Below this none is of a script written without spaces. */
#define UNICODE_FIRST_UNSPACED 0x0E00

extern bool UnicodeIsInUnspacedBlock(int32 codepoint);

/* Letters and marks of scripts written without spaces; Han and kana are the most frequent. */
static inline bool
UnicodeIsUnspaced(int32 codepoint)
{
	if ((codepoint >= 0x4E00 && codepoint <= 0x9FFF) ||
		(codepoint >= 0x3041 && codepoint <= 0x312F))
		return true;
	return codepoint >= UNICODE_FIRST_UNSPACED && UnicodeIsInUnspacedBlock(codepoint);
}

#endif
