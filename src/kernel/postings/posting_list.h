/*
 * posting_list.h
 *		The postings of one token, and the pairs of them that may be similar.
 *
 * Sets that reach a threshold have a token of their prefixes in common. Where each token's postings
 * are in one place, each place finds the pairs of its tokens by itself: size, position and signature
 * stand beside the key, so that few pairs need their sets.
 */
#ifndef NEARDUP_KERNEL_POSTING_LIST_H
#define NEARDUP_KERNEL_POSTING_LIST_H

#include "kernel/host.h"
#include "measure/measure.h"

/* Postings of one side do not meet; those of POSTING_BOTH meet all. */
typedef enum PostingSide
{
	POSTING_BOTH, /* of a self-join */
	POSTING_LEFT,
	POSTING_RIGHT
} PostingSide;

/* A long list is cut into parts, and each two parts are a list: then parts 1 and 2 meet only. */
#define POSTING_WHOLE 0
#define POSTING_MAX_PART 2

typedef struct Posting
{
	int64 key;
	uint32 size;
	uint32 position; /* from 1, or 0: the list is of sets that may be similar without a token */
	uint32 number;	 /* of its signature, on arrival */
	uint8 side;
	uint8 part;
} Posting;

typedef struct PostingList
{
	Posting *postings;
	uint32 count;
	uint32 words; /* of a signature */
	const uint64 *arrived;
	uint64 *signatures; /* in the order of the postings, once sorted */
} PostingList;

typedef struct PostingBound
{
	Predicate predicate;
	bool of_values; /* signatures are all there is: pairs within the threshold's distance */
} PostingBound;

/* Under an asymmetric measure, and of two sides, a is the left one; else a is less than b. */
typedef void (*PostingEmit)(void *context, int64 a, int64 b, uint32 distance);

/* Sorts the list. Each pair is emitted once, and each similar one by its first common token. */
extern void PostingListPairs(JoinHost *host, PostingList *list, PostingBound bound,
							 PostingEmit emit, void *emit_context);

#endif
