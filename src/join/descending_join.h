/*
 * descending_join.h
 *		Joins with descending thresholds, until nobody needs less similar pairs.
 *
 * Those who seek pairs are rows, or the caller as a whole. Rows that have what they need leave the
 * join: its later, slower passes see only the rest.
 */
#ifndef NEARDUP_JOIN_DESCENDING_JOIN_H
#define NEARDUP_JOIN_DESCENDING_JOIN_H

#include "join/query_join.h"

typedef struct PassMethods
{
	/*
	 * Returns the threshold of a pass, counted from 1, after the previous one; the task's own is that
	 * of the last pass. NULL for steps that suit rows.
	 */
	double (*threshold)(void *context, int32 pass, double previous);
	void (*begin)(void *context);
	TakePair take;
	/* Sets the roles of rows that need no other pairs; returns how many no longer seek. */
	uint32 (*end)(void *context, bool is_last);
	/* Whether the pass that has ended must be repeated, by those who still seek; NULL for never. */
	bool (*again)(void *context);
} PassMethods;

/*
 * Joins until each of the `seekers` has what it needs, or all pairs that satisfy the task's predicate
 * are found. The join was read. `wanted` is how many pairs a seeker wants.
 */
extern void JoinDescending(SimilarityJoin *join, uint32 seekers, uint32 wanted,
						   const PassMethods *methods, void *context);

/* Returns what is less for more similar pairs: a distance itself, else the negative value. */
static inline double
JoinDistance(Measure measure, double value)
{
	return measure == MEASURE_HAMMING ? value : -value;
}

#endif
