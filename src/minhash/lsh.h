/*
 * lsh.h
 *		Plans for bands as a user asks for them.
 */
#ifndef NEARDUP_MINHASH_LSH_H
#define NEARDUP_MINHASH_LSH_H

#include "minhash/lsh_plan.h"

/*
 * LshPlanFind; invalid_parameter_value where an argument is out of its range, or
 * no bands of k components reach the recall.
 */
extern LshPlan LshPlanOrError(double threshold, double recall, int32 k);

#endif
