/*
 * lsh.h
 *		Arguments of the functions of bands and super-shingles.
 */
#ifndef NEARDUP_MINHASH_LSH_H
#define NEARDUP_MINHASH_LSH_H

#include "sketch/lsh_plan.h"

/* LshPlanFind; invalid_parameter_value where an argument is out of range or no plan exists. */
extern LshPlan LshPlanOrError(double threshold, double recall, int32 k);

/* invalid_parameter_value unless the size is from 1 to k. */
extern void SupershingleCheckSize(int32 size, int32 k);

#endif
