/*
 * selectivity.h
 *		Estimates of the number of near simhashes.
 */
#ifndef NEARDUP_SIMHASH_SELECTIVITY_H
#define NEARDUP_SIMHASH_SELECTIVITY_H

#include "nodes/pathnodes.h"

/* The distance of two values is at most distance. */
typedef struct DistanceClause
{
	Oid function; /* that evaluates it */
	List *args;	  /* the two values */
	bool distance_is_known;
	int32 distance;
} DistanceClause;

/* Fraction of rows, or of pairs if is_join, that satisfy the clause. */
extern Selectivity DistanceSelectivity(PlannerInfo *root, const DistanceClause *clause,
									   bool is_join, int relation, SpecialJoinInfo *join);

/* Distance to assume when unknown. */
#define TYPICAL_DISTANCE 3

/* Probability of at most k ones among n random bits. */
extern double BinomialCdf(double n, int k);

#endif
