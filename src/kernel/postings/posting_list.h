/*
 * posting_list.h
 *		The postings of one token, and the pairs of them that may be similar.
 *
 * Sets that reach a threshold share a token of their prefixes (prefix_filter.h). Where a table is
 * distributed over servers by token, each server finds the candidates of its tokens by itself. A
 * posting has the set's key, size, position and signature, so that only few pairs need the sets.
 */
#ifndef NEARDUP_KERNEL_POSTING_LIST_H
#define NEARDUP_KERNEL_POSTING_LIST_H

#include "kernel/host.h"
#include "measure/measure.h"

/*
 * Postings of the left side are paired with postings of the right; postings of POSTING_BOTH with
 * all.
 */
typedef enum PostingSide
{
	POSTING_BOTH, /* of a self-join */
	POSTING_LEFT,
	POSTING_RIGHT
} PostingSide;

/*
 * A long list may be cut into parts, so that several servers join it: each two parts make a list,
 * where only pairs of part 1 and part 2 are found. Postings of a whole list are paired with all.
 */
#define POSTING_WHOLE 0
#define POSTING_MAX_PART 2

typedef struct Posting
{
	int64 key;
	uint32 size;
	uint32 position; /* place of the token in its set, from 1; 0 if no token is needed */
	uint32 number;	 /* number of its signature among those that arrived */
	uint8 side;
	uint8 part;
} Posting;

typedef struct PostingList
{
	Posting *postings;
	uint32 count;
	uint32 words;		   /* how many words a signature has */
	const uint64 *arrived; /* the signatures as they came */
	uint64 *signatures;	   /* room for all of them, in the order of the sorted postings */
} PostingList;

typedef struct PostingBound
{
	Predicate predicate;
	bool of_values; /* signatures are simhashes: pairs within the threshold's distance are found */
} PostingBound;

/*
 * Receives the keys of a pair, and the distance of their signatures. Under a directed measure, or if
 * the postings are of two sides, a is the left one; otherwise a is less than b.
 */
typedef void (*PostingEmit)(void *context, int64 a, int64 b, uint32 distance);

/*
 * Sorts the list, and emits each pair that passes the filters once. A similar pair passes in the
 * list of its first common token, and may pass in lists of later ones.
 */
extern void PostingListPairs(JoinHost *host, PostingList *list, PostingBound bound,
							 PostingEmit emit, void *emit_context);

#endif
