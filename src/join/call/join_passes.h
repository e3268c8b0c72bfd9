/*
 * join_passes.h
 *		Passes of a join over the same rows, which were read once.
 *
 * A pass has a demand of its own (kernel/demand/pair_demand.h), and perhaps another predicate. The
 * taker of its pairs says by these what the next pass is to find. Either the caller runs pass after
 * pass, or passes with descending thresholds follow until nobody needs less similar pairs.
 */
#ifndef NEARDUP_JOIN_JOIN_PASSES_H
#define NEARDUP_JOIN_JOIN_PASSES_H

#include "join/query_join.h"

typedef struct JoinPasses
{
	SimilarityJoin *join;
	JoinTask *task; /* the task of the join; the caller sets its demand before each pass */
	int32 count;	/* passes so far */
} JoinPasses;

/* Finds the pairs of the next pass; then join->pair_count is their number. */
extern void JoinPassesRun(JoinPasses *passes, Predicate predicate, TakePair take,
						  void *take_context, bool is_last);

/*
 * What is done in passes with descending thresholds. Seekers of pairs are rows, or the caller as a
 * whole. Rows that have what they need leave the join: its later, slower passes see only the rest.
 */
typedef struct DescentMethods
{
	/*
	 * Returns the threshold of a pass, given the previous pass's threshold; passes count from 1,
	 * and the last one has the task's own threshold. NULL chooses steps that suit rows.
	 */
	double (*threshold)(void *context, int32 pass, double previous);
	void (*begin)(void *context);
	TakePair take;
	/* Sets the roles of rows that need no other pairs; returns how many no longer seek. */
	uint32 (*end)(void *context, bool is_last);
	/*
	 * Returns whether the pass that has ended must be repeated, by the seekers that remain; NULL
	 * for never.
	 */
	bool (*again)(void *context);
} DescentMethods;

/*
 * Runs passes until each of the `seekers` has what it needs, or all pairs that satisfy the task's
 * predicate are found. `wanted` is how many pairs a seeker wants.
 */
extern void JoinPassesDescend(JoinPasses *passes, uint32 seekers, uint32 wanted,
							  const DescentMethods *methods, void *context);

#endif
