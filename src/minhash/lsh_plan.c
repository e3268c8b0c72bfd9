/*
 * lsh_plan.c
 *		Choosing bands and rows.
 *
 * For each number of rows the least number of bands that reaches the recall is
 * certain; it grows with the rows, steeply, so that few numbers of rows need be tried.
 * More rows make the curve of the probability steeper: it meets the recall at the threshold
 * in any case, and is lower below.
 */
#include "c.h"

#include <math.h>

#include "minhash/lsh_plan.h"

/* Points at which the probability below the threshold is taken; even. */
#define STEPS 64

double
LshProbability(double s, LshPlan plan)
{
	double band = pow(s, plan.rows);

	if (band >= 1)
		return 1;
	return -expm1(plan.bands * log1p(-band));
}

/* The least number of bands of so many rows that reaches the recall; 0 if there are none up to most. */
static uint32
least_bands(double threshold, double recall, uint32 rows, uint32 most)
{
	double band = pow(threshold, rows);
	double wanted = band >= 1 ? 1 : ceil(log1p(-recall) / log1p(-band));
	LshPlan plan = {.rows = rows};

	if (!(wanted <= most))
		return 0;
	/* What the formula rounds is decided by the probability itself. */
	for (plan.bands = Max((uint32) wanted, 2) - 1; plan.bands <= most; plan.bands++)
	{
		if (LshProbability(threshold, plan) >= recall)
			return plan.bands;
	}
	return 0;
}

/* Mean probability of similarities from 0 to the threshold, by Simpson's rule. */
static double
mean_below(double threshold, LshPlan plan)
{
	double sum = LshProbability(0, plan) + LshProbability(threshold, plan);

	for (int i = 1; i < STEPS; i++)
		sum += LshProbability(threshold * i / STEPS, plan) * (i % 2 == 1 ? 4 : 2);
	return sum / (3 * STEPS);
}

bool
LshPlanFind(double threshold, double recall, uint32 k, LshPlan *plan)
{
	double least = HUGE_VAL;

	for (uint32 rows = 1; rows <= k; rows++)
	{
		LshPlan other = {.bands = least_bands(threshold, recall, rows, k / rows), .rows = rows};
		double mean;

		if (other.bands == 0)
			break;
		mean = mean_below(threshold, other);
		if (mean < least)
		{
			least = mean;
			*plan = other;
		}
	}
	return least < HUGE_VAL;
}
