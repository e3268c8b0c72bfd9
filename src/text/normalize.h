/*
 * normalize.h
 *		The normalized form of a text, from which words and q-grams are made.
 *
 * The normalized form is NFKC_Casefold of Unicode's section 3.13, with decimal digits of every script
 * as ASCII digits, each run of characters other than letters, marks and numbers replaced by one
 * blank, and none at the ends. Thus "  Ｃafé, ٢nd FLOOR!" becomes "café 2nd floor". Words are then
 * what stands between blanks.
 */
#ifndef NEARDUP_NORMALIZE_H
#define NEARDUP_NORMALIZE_H

#include "text/bytes.h"

/*
 * Returns the normalized form of UTF-8, as a buffer in the current memory context, which the caller
 * frees. Takes linear time, and can be cancelled. Malformed bytes count as U+FFFD, which is no part
 * of a word.
 */
extern ByteBuffer NormalizeUtf8(ByteSpan utf8);

/* Where a character of the normalized text comes from. */
typedef struct SourceSpan
{
	Size normalized; /* its first byte, in the normalized text */
	Size start;		 /* its source: bytes of the text, from here */
	Size end;		 /* up to here, exclusive */
} SourceSpan;

/*
 * The sources of all characters, in the order of the normalized text; none begins or ends earlier
 * than the one before it.
 */
typedef struct SourceMap
{
	SourceSpan *spans;
	Size count;
	Size capacity;
} SourceMap;

/*
 * The same, and initializes `map` with the source of each character. A character that is composed
 * of several has all of them as its source, and those into which one is decomposed all have it. A
 * character and the marks on it, which may change places, have one source; but marks on a character
 * that is no part of a word have a source of their own. A blank has all that it replaces. What is
 * ignored, such as a soft hyphen, belongs to a source only if that goes on after it. The caller frees
 * map->spans.
 */
extern ByteBuffer NormalizeUtf8Mapped(ByteSpan utf8, SourceMap *map);

#endif
