/*
 * shingles.h
 *		Shingles: sequences of `width` consecutive words, as tokens.
 *
 * The token of a shingle is the token of its words, joined by single blanks. A text of fewer words
 * is one shingle of all of them; one without words has none.
 */
#ifndef NEARDUP_SHINGLES_H
#define NEARDUP_SHINGLES_H

#include "text/bytes.h"
#include "text/tokens.h"

/*
 * Makes shingles of words that come one by one. Holds the words of the next shingle, joined by
 * blanks, and some that have been dropped before them.
 */
typedef struct Shingler
{
	TokenList *list;
	Size width;
	ByteBuffer words;
	Size *starts;  /* where each word begins in `words` */
	Size first;	   /* the first word of the next shingle */
	Size count;	   /* of words */
	Size capacity; /* of `starts` */
	bool any;	   /* whether a shingle has been made */
} Shingler;

/*
 * Allocates the window in the current memory context; shingles go to the list. A width below 1
 * raises invalid_parameter_value.
 */
extern void ShinglerInit(Shingler *shingler, int32 width, TokenList *list);

/* Appends the shingle that ends in this word, once there are enough words. */
extern void ShinglerAdd(Shingler *shingler, ByteSpan word);

/* Appends the one shingle of a text of fewer words than the width, and frees the window. */
extern void ShinglerFinish(Shingler *shingler);

/* Appends the shingles of a normalized text. A width below 1 raises invalid_parameter_value. */
extern void TokensOfShingles(ByteSpan normalized, int32 width, TokenList *list);

#endif
