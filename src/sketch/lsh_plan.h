/*
 * lsh_plan.h
 *		Locality-sensitive hashing by bands: probability of a candidate, choice of bands and rows.
 *
 * A band of a sketch is `rows` consecutive components. Two sketches are candidates if they agree in
 * all components of some band. At Jaccard similarity s a component agrees with probability s, a
 * band with s^rows, and some band with 1 - (1 - s^rows)^bands. This probability rises steeply at
 * one similarity, which bands and rows move.
 *
 * This header needs c.h only.
 */
#ifndef NEARDUP_SKETCH_LSH_PLAN_H
#define NEARDUP_SKETCH_LSH_PLAN_H

typedef struct LshPlan
{
	uint32 bands;
	uint32 rows;
} LshPlan;

/* Returns the probability that a pair of Jaccard similarity s, from 0 to 1, is a candidate. */
extern double LshProbability(double s, LshPlan plan);

/*
 * Finds the plan of at most k components with which a pair at the threshold is a candidate with a
 * probability of at least `recall`; of several, the one that makes the fewest candidates of pairs
 * below the threshold. The threshold is in (0, 1], the recall in (0, 1). Returns false if there is
 * none.
 */
extern bool LshPlanFind(double threshold, double recall, uint32 k, LshPlan *plan);

#endif
