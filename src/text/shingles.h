/*
 * shingles.h
 *		Shingles: sequences of width consecutive words, as tokens.
 */
#ifndef NEARDUP_SHINGLES_H
#define NEARDUP_SHINGLES_H

#include "text/bytes.h"
#include "text/tokens.h"

/* Makes shingles of words as they come, each the token of its words joined by blanks. */
typedef struct Shingler
{
	TokenList *list;
	Size width;
	ByteBuffer words;
	Size *starts; /* offsets in words */
	Size first;	  /* first word of the next shingle */
	Size count;
	Size capacity;
	bool any;
} Shingler;

/* A width below 1 raises invalid_parameter_value. */
extern void ShinglerInit(Shingler *shingler, int32 width, TokenList *list);

extern void ShinglerAdd(Shingler *shingler, ByteSpan word);

/* Makes a shingle of fewer words than the width, and frees the window. */
extern void ShinglerFinish(Shingler *shingler);

extern void TokensOfShingles(ByteSpan normalized, int32 width, TokenList *list);

#endif
