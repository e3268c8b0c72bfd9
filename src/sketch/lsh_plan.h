/*
 * lsh_plan.h
 *		Locality-sensitive hashing by bands: probability of a candidate, choice of bands and rows.
 *
 * A band of a sketch is `rows` consecutive components. A pair is a candidate if some band agrees:
 * with probability 1 - (1 - s^rows)^bands at Jaccard similarity s.
 */
#ifndef NEARDUP_SKETCH_LSH_PLAN_H
#define NEARDUP_SKETCH_LSH_PLAN_H

typedef struct LshPlan
{
	uint32 bands;
	uint32 rows;
} LshPlan;

/* Probability that a pair of similarity s, 0 to 1, is a candidate. */
extern double LshProbability(double s, LshPlan plan);

/*
 * The plan of at most k components that reaches the recall, in (0, 1), at the threshold, in (0, 1],
 * with the least mean probability below it. False where there is none.
 */
extern bool LshPlanFind(double threshold, double recall, uint32 k, LshPlan *plan);

#endif
