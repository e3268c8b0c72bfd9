/*
 * normalize.h
 *		The normalized form of a text, of which words and q-grams are made.
 */
#ifndef NEARDUP_NORMALIZE_H
#define NEARDUP_NORMALIZE_H

#include "text/bytes.h"

/*
 * Unicode's NFKC_Casefold, then each run of characters other than letters,
 * marks and numbers becomes one blank, with none at either end. The input is
 * UTF-8 (see Utf8Decode for what is not), and so is the result, in a buffer of
 * the current memory context that the caller may free. Canonically equivalent
 * texts have the same result. Time and memory are linear in the input; can be cancelled.
 */
extern ByteBuffer NormalizeUtf8(ByteSpan utf8);

/* Where a character of a normalized text comes from, in bytes. */
typedef struct SourceSpan
{
	Size normalized; /* where it begins in the normalized text */
	Size start;		 /* in the source: from here */
	Size end;		 /* to before here */
} SourceSpan;

/* The characters other than blanks of a normalized text, in order. */
typedef struct SourceMap
{
	SourceSpan *spans;
	Size count;
	Size capacity;
} SourceMap;

/*
 * The same, with the source of each character, in the current memory context.
 * A character that was composed comes from all of its parts; those that
 * one was decomposed into come from that one. Slower.
 */
extern ByteBuffer NormalizeUtf8Mapped(ByteSpan utf8, SourceMap *map);

#endif
