/*
 * unicode.h
 *		Code points: reading them from UTF-8, and what kind they are.
 *
 * Categories come from utf8proc. What kind of script a character belongs to
 * does not (utf8proc has no script property); see UnicodeIsUnspaced.
 */
#ifndef NEARDUP_UNICODE_H
#define NEARDUP_UNICODE_H

#include <utf8proc.h>

#define UNICODE_REPLACEMENT 0xFFFD

/*
 * Reads the code point at p < end, and says how many bytes it took. The bytes
 * should be UTF-8, which the callers' text is, and are not checked to be: an
 * overlong form or a surrogate reads as the number that it spells. But never
 * does it read at or beyond end. A sequence that is cut short or begins with
 * no lead byte counts as one byte and reads as U+FFFD, which is no word
 * character; so does, as four bytes, what lies above U+10FFFF.
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

/* Letters, marks and numbers: utf8proc numbers these categories in this order. */
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

/* Below this none is of a script written without spaces. */
#define UNICODE_FIRST_UNSPACED 0x0E00

/* Letters and marks of scripts that are written without spaces between words. */
extern bool UnicodeIsUnspaced(int32 codepoint);

#endif
