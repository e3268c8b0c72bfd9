/*
 * normalize.h
 *		The normalized form of a text, from which words and q-grams are made.
 */
#ifndef NEARDUP_NORMALIZE_H
#define NEARDUP_NORMALIZE_H

#include "text/bytes.h"

/*
 * NFKC_Casefold of UTF-8, with one blank between runs of letters, marks and numbers. In the current
 * memory context; linear time.
 */
extern ByteBuffer NormalizeUtf8(ByteSpan utf8);

typedef struct SourceSpan
{
	Size normalized; /* byte in the normalized text */
	Size start;		 /* bytes in the source */
	Size end;
} SourceSpan;

/* Of all characters but blanks, in order. */
typedef struct SourceMap
{
	SourceSpan *spans;
	Size count;
	Size capacity;
} SourceMap;

/* The same with the source of each character, or of the parts that compose it. */
extern ByteBuffer NormalizeUtf8Mapped(ByteSpan utf8, SourceMap *map);

#endif
