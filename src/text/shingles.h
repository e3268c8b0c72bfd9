/*
 * shingles.h
 *		Shingles: each so many consecutive words, as one token.
 */
#ifndef NEARDUP_SHINGLES_H
#define NEARDUP_SHINGLES_H

#include "text/bytes.h"
#include "text/tokens.h"

/*
 * Makes shingles of words as they come. The token of a shingle is that of its
 * words joined by one blank. Holds the words of one shingle, and up to as much
 * again, in the memory context that was current at ShinglerInit.
 */
typedef struct Shingler
{
	TokenList *list;
	Size width;
	ByteBuffer words; /* joined by blanks */
	Size *starts;	  /* offsets in words */
	Size first;		  /* the first word of the next shingle */
	Size count;
	Size capacity;
	bool any;
} Shingler;

/* Raises invalid_parameter_value if the width is less than 1. */
extern void ShinglerInit(Shingler *shingler, int32 width, TokenList *list);

/* Can be cancelled. */
extern void ShinglerAdd(Shingler *shingler, ByteSpan word);

/* Fewer words than the width, but at least one, are one shingle. Frees the words. */
extern void ShinglerFinish(Shingler *shingler);

/* Appends the token of each shingle of a normalized text. Can be cancelled. */
extern void TokensOfShingles(ByteSpan normalized, int32 width, TokenList *list);

#endif
