/*
 * selectivity.h
 *		Estimates of the number of near simhashes.
 */
#ifndef NEARDUP_SIMHASH_SELECTIVITY_H
#define NEARDUP_SIMHASH_SELECTIVITY_H

#include "nodes/pathnodes.h"

/* The clause that the distance of two values is at most `distance`. */
typedef struct DistanceClause
{
	Oid function; /* the one that evaluates it, whose leakproofness counts */
	List *args;	  /* the two values */
	bool distance_is_known;
	int32 distance;
} DistanceClause;

/*
 * Returns the estimated fraction of rows that satisfy the clause; for a join, of the pairs of rows.
 * `relation` is the relation of the restriction, as get_restriction_variable takes it; `join` may
 * be NULL.
 */
extern Selectivity DistanceSelectivity(PlannerInfo *root, const DistanceClause *clause,
									   bool is_join, int relation, SpecialJoinInfo *join);

/* The distance that is assumed where it is not known at planning. */
#define TYPICAL_DISTANCE 3

/* Returns the probability of at most k ones among n random bits; n need not be a whole number. */
extern double BinomialCdf(double n, int k);

#endif
