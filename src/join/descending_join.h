/*
 * descending_join.h
 *		Joins with descending thresholds, until no row needs less similar pairs.
 *
 * Rows that have what they need leave the join: its later, slower passes see only the rest.
 */
#ifndef NEARDUP_JOIN_DESCENDING_JOIN_H
#define NEARDUP_JOIN_DESCENDING_JOIN_H

#include "join/row_places.h"

typedef struct PassMethods
{
	void (*begin)(void *context);
	TakePair take;
	/* Sets the roles of rows that need no other pairs; returns their number. */
	uint32 (*end)(void *context, bool is_last);
} PassMethods;

/* Finds the pairs that satisfy the task's predicate, for `seekers` rows. */
extern void JoinDescending(SimilarityJoin *join, uint32 seekers, const PassMethods *methods,
						   void *context);

/* Returns what is less for more similar pairs: a distance itself, else the negative value. */
static inline double
JoinDistance(Measure measure, double value)
{
	return measure == MEASURE_HAMMING ? value : -value;
}

#endif
