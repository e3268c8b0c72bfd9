/*
 * pair_sort.h
 *		Sorts pairs, in memory as far as it goes, then in temporary files.
 */
#ifndef NEARDUP_JOIN_PAIR_SORT_H
#define NEARDUP_JOIN_PAIR_SORT_H

typedef struct RankedPair
{
	double distance; /* least for the most similar */
	uint32 a;
	uint32 b;
} RankedPair;

typedef enum PairOrder
{
	PAIRS_BY_DISTANCE, /* distance, a, b */
	PAIRS_BY_ROW	   /* a, distance, b */
} PairOrder;

/*
 * Moves those of sorted pairs that are still needed to the front, and returns their number. Called
 * when memory is full.
 */
typedef uint32 (*ReducePairs)(void *context, RankedPair *pairs, uint32 count);

typedef struct PairSort PairSort;

/* In the current memory context; `reduce` may be NULL. */
extern PairSort *PairSortBegin(PairOrder order, ReducePairs reduce, void *reduce_context);

extern void PairSortPut(PairSort *sort, const RankedPair *pair);

/* After the last pair. */
extern void PairSortPerform(PairSort *sort);

/* False at the end. Can be cancelled. */
extern bool PairSortNext(PairSort *sort, RankedPair *pair);

extern void PairSortEnd(PairSort *sort);

#endif
