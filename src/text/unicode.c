/*
 * unicode.c
 *		Ranges of the characters of scripts that are written without spaces.
 *
 * These are the classes ID, CJ and SA of Unicode's line breaking rules (UAX #14), taken as whole
 * blocks, which later versions of Unicode rarely change. The decimal digits of such scripts are
 * left out: numbers are words as in any other script.
 */
#include "postgres.h"

#include "bisect.h"
#include "text/unicode.h"

static const CodePointRange unspaced[] = {
	{0x0E00, 0x0E4F},	/* Thai */
	{0x0E5A, 0x0ECF},	/* Thai, Lao */
	{0x0EDA, 0x0EFF},	/* Lao */
	{0x1000, 0x103F},	/* Myanmar */
	{0x104A, 0x108F},	/* Myanmar */
	{0x109A, 0x109F},	/* Myanmar */
	{0x1780, 0x17DF},	/* Khmer */
	{0x1950, 0x19CF},	/* Tai Le, New Tai Lue */
	{0x1A20, 0x1A7F},	/* Tai Tham */
	{0x1A9A, 0x1AAF},	/* Tai Tham */
	{0x3005, 0x3007},	/* ideographic marks */
	{0x3021, 0x302F},	/* Hangzhou numerals */
	{0x3031, 0x303C},	/* kana marks */
	{0x3041, 0x312F},	/* Hiragana, Katakana, Bopomofo */
	{0x31A0, 0x31FF},	/* Bopomofo, Katakana */
	{0x3400, 0x4DBF},	/* Han */
	{0x4E00, 0xA4CF},	/* Han, Yi */
	{0xA9E0, 0xA9EF},	/* Myanmar */
	{0xA9FA, 0xA9FF},	/* Myanmar */
	{0xAA60, 0xAADF},	/* Myanmar, Tai Viet */
	{0xF900, 0xFAFF},	/* Han */
	{0x11700, 0x1172F}, /* Ahom */
	{0x11740, 0x1174F}, /* Ahom */
	{0x16FE0, 0x18DFF}, /* Tangut, Khitan */
	{0x1AFF0, 0x1B2FF}, /* Katakana, Hiragana, Nushu */
	{0x20000, 0x3FFFD}, /* Han */
};

bool
CodePointInRanges(int32 codepoint, const CodePointRange *ranges, int count)
{
	int place = 0;

	BISECT(int, place, count, at, ranges[at].last < codepoint);
	return place < count && ranges[place].first <= codepoint;
}

bool
UnicodeIsInUnspacedBlock(int32 codepoint)
{
	return CodePointInRanges(codepoint, unspaced, lengthof(unspaced));
}
