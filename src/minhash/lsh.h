/*
 * lsh.h
 *		Checks of the arguments of bands and super-shingles.
 */
#ifndef NEARDUP_MINHASH_LSH_H
#define NEARDUP_MINHASH_LSH_H

#include "sketch/lsh_plan.h"

/*
 * Returns the plan of LshPlanFind. Raises invalid_parameter_value for an argument that is out of
 * range, and where no plan of k components reaches the recall at the threshold.
 */
extern LshPlan LshPlanOrError(double threshold, double recall, int32 k);

/* Raises invalid_parameter_value unless the size of super-shingles is from 1 to k. */
extern void SupershingleCheckSize(int32 size, int32 k);

#endif
