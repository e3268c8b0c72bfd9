/*
 * lsh_plan.c
 *		Choice of bands and rows.
 *
 * For each number of rows there is a least number of bands that reaches the recall at the
 * threshold. More rows need more bands, steeply, so that only a few numbers of rows are possible
 * with k components. They have about the same probability at the threshold, and differ below it:
 * the best one has the least mean probability between 0 and the threshold, an integral that
 * Simpson's rule computes.
 */
#include "c.h"

#include <math.h>

#include "sketch/lsh_plan.h"

/* The number of intervals of Simpson's rule, which must be even. */
#define STEPS 64

/* s^rows. */
static double
band_probability(double s, uint32 rows)
{
	double band = 1;

	for (uint32 n = rows; n > 0; n >>= 1)
	{
		if (n & 1)
			band *= s;
		s *= s;
	}
	return band;
}

/*
 * 1 - (1 - band)^bands, by doubling: of two sets of bands with probabilities p and q, some band of
 * either agrees with p + q (1 - p). So it stays exact where band is small, and is the same on every
 * platform, as functions of the C library are not.
 */
double
LshProbability(double s, LshPlan plan)
{
	double probability = 0;
	double some = band_probability(s, plan.rows);

	for (uint32 n = plan.bands; n > 0; n >>= 1)
	{
		if (n & 1)
			probability += some * (1 - probability);
		some += some * (1 - some);
	}
	return probability;
}

/* Returns the least number of bands that reaches the recall; 0 if that is more than `most`. */
static uint32
least_bands(double threshold, double recall, uint32 rows, uint32 most)
{
	double band = band_probability(threshold, rows);
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

/* Returns the mean probability of similarities from 0 to the threshold. */
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
