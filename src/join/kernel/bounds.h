/*
 * bounds.h
 *		α of a pair of sizes, fast.
 *
 * The fast path asks for the least overlap of millions of pairs of sizes. For
 * most measures it follows from |x| + |y| alone, and stands in a table.
 */
#ifndef NEARDUP_JOIN_BOUNDS_H
#define NEARDUP_JOIN_BOUNDS_H

#include "measure/measure.h"
#include "join/kernel/host.h"

typedef struct PairBounds
{
	JoinHost *host;
	Predicate predicate;
	int32 *by_sum;	  /* α by |x| + |y| */
	uint32 sum_count; /* sums below this one stand in the table */
} PairBounds;

/* For sizes up to greatest_size. */
extern void PairBoundsInit(PairBounds *bounds, JoinHost *host, Predicate predicate,
						   uint32 greatest_size);
extern void PairBoundsFree(PairBounds *bounds);

/* PredicateLeastOverlap of the sizes a and b. */
static inline int64
PairLeastOverlap(const PairBounds *bounds, int64 a, int64 b)
{
	if (likely(a + b < bounds->sum_count))
		return bounds->by_sum[a + b];
	return PredicateLeastOverlap(bounds->predicate, a, b);
}

/*
 * At least the greatest Hamming distance |x ⊕ y| at which sets of size a and
 * of any size up to b, that the size filter lets meet, are similar.
 *
 * a + b - 2α would be it, if it did not fall by one now and then as b grows:
 * α is f(a, b), rounded up to a whole number, and a + b - 2f does not fall
 * (which holds for every measure where b is not below the least size). So α
 * differs from f by less than one, and the distance by less than two.
 */
static inline int64
PairGreatestDistance(const PairBounds *bounds, int64 a, int64 b)
{
	return a + b - 2 * PairLeastOverlap(bounds, a, b) + 2;
}

#endif
