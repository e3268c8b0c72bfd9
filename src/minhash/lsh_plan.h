/*
 * lsh_plan.h
 *		Locality-sensitive hashing by bands: how likely a pair becomes a
 *		candidate, and how many bands of how many rows to take.
 *
 * A sketch is cut into bands of consecutive components, the rows of a band. A
 * pair is a candidate if all rows of some band agree: with probability
 * 1 - (1 - s^rows)^bands at Jaccard similarity s.
 *
 * This header needs nothing of PostgreSQL but c.h.
 */
#ifndef NEARDUP_LSH_PLAN_H
#define NEARDUP_LSH_PLAN_H

typedef struct LshPlan
{
	uint32 bands;
	uint32 rows;
} LshPlan;

/* The probability; s from 0 to 1. */
extern double LshProbability(double s, LshPlan plan);

/*
 * The bands and rows, of at most k components in all, whose probability at the
 * threshold is at least the recall, and which have the fewest candidates: the
 * least mean probability below the threshold. False where there are none; the
 * threshold is above 0 and at most 1, the recall between 0 and 1.
 */
extern bool LshPlanFind(double threshold, double recall, uint32 k, LshPlan *plan);

#endif
