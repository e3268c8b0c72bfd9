/*
 * lsh_plan.c
 *		Choice of bands and rows.
 *
 * Each number of rows has a least number of bands that reaches the recall at the threshold. It grows
 * steeply with the rows, so few numbers of rows are possible. With more rows the probability below
 * the threshold is lower.
 */
#include "c.h"

#include <math.h>

#include "sketch/lsh_plan.h"

/* Intervals of Simpson's rule; even. */
#define STEPS 64

double
LshProbability(double s, LshPlan plan)
{
	double band = pow(s, plan.rows);

	if (band >= 1)
		return 1;
	return -expm1(plan.bands * log1p(-band));
}

/* The least number of bands that reaches the recall; 0 if above `most`. */
static uint32
least_bands(double threshold, double recall, uint32 rows, uint32 most)
{
	double band = pow(threshold, rows);
	double wanted = band >= 1 ? 1 : ceil(log1p(-recall) / log1p(-band));
	LshPlan plan = {.rows = rows};

	if (!(wanted <= most))
		return 0;
	/* The formula may be off by one: the probability itself decides. */
	for (plan.bands = Max((uint32) wanted, 2) - 1; plan.bands <= most; plan.bands++)
	{
		if (LshProbability(threshold, plan) >= recall)
			return plan.bands;
	}
	return 0;
}

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
