/*
 * pair_sort.h
 *		Sorts pairs of rows by distance or by row, in JoinSortMemory(), then in temporary files.
 */
#ifndef NEARDUP_JOIN_PAIR_SORT_H
#define NEARDUP_JOIN_PAIR_SORT_H

/* Two rows by their places in an order of keys, below 2^31. */
typedef struct RankedPair
{
	double distance; /* least for the most similar */
	uint32 a;
	uint32 b;
} RankedPair;

typedef enum PairOrder
{
	PAIRS_BY_DISTANCE, /* distance, a, b */
	PAIRS_BY_ROW,	   /* a, distance, b */
	PAIRS_BY_ENDS,	   /* a, b; a repeated pair comes once, with its least distance */
	ALL_PAIRS_BY_ENDS  /* a, b, distance */
} PairOrder;

/*
 * Moves the pairs that are still needed to the front of the sorted ones, and returns their number.
 * Called when memory is full.
 */
typedef uint32 (*ReducePairs)(void *context, RankedPair *pairs, uint32 count);

typedef struct PairSort PairSort;

/* Begins a sort in the current memory context; `reduce` may be NULL. */
extern PairSort *PairSortBegin(PairOrder order, ReducePairs reduce, void *reduce_context);

extern void PairSortPut(PairSort *sort, const RankedPair *pair);

/* Sorts, after the last pair was put. */
extern void PairSortPerform(PairSort *sort);

/* Has PairSortNext begin again. */
extern void PairSortRewind(PairSort *sort);

/* Returns the next pair in *pair; false after the last. Can be cancelled. */
extern bool PairSortNext(PairSort *sort, RankedPair *pair);

extern void PairSortEnd(PairSort *sort);

#endif
