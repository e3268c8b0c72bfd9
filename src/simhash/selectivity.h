/*
 * selectivity.h
 *		How many simhashes are near: estimates for the planner.
 */
#ifndef NEARDUP_SIMHASH_SELECTIVITY_H
#define NEARDUP_SIMHASH_SELECTIVITY_H

#include "nodes/pathnodes.h"

/* The distance of two values is at most so much. */
typedef struct DistanceClause
{
	Oid function; /* that evaluates it */
	List *args;	  /* the two values */
	bool distance_is_known;
	int32 distance;
} DistanceClause;

/* Fraction of the rows, or with `is_join` of the pairs, for which the clause is true. */
extern Selectivity DistanceSelectivity(PlannerInfo *root, const DistanceClause *clause,
									   bool is_join, int relation, SpecialJoinInfo *join);

/* A distance to reckon with where it is not known. */
#define TYPICAL_DISTANCE 3

/* The probability of at most k ones in n random bits. */
extern double BinomialShare(double n, int k);

#endif
