/*
 * lsh_plan_test.c
 *		Plans of bands and rows against all that there could be.
 */
#include "c.h"

#include <math.h>

#include "kernel_test.h"
#include "sketch/lsh_plan.h"

/* The mean probability below the threshold, by many midpoints. */
static double
mean_below(double threshold, LshPlan plan)
{
	const int points = 2000;
	double sum = 0;

	for (int i = 0; i < points; i++)
		sum += 1 - pow(1 - pow(threshold * (i + 0.5) / points, plan.rows), plan.bands);
	return sum / points;
}

static void
test_plans(void)
{
	const double recalls[] = {0.5, 0.9, 0.95, 0.99, 0.9999};
	const uint32 ks[] = {1, 8, 64, 128, 200};
	bool reached = true;
	bool fewest = true;
	bool none_missed = true;
	int found = 0;

	for (int t = 2; t <= 20; t++)
	{
		double threshold = t / 20.0;

		for (uint32 r = 0; r < lengthof(recalls); r++)
		{
			for (uint32 n = 0; n < lengthof(ks); n++)
			{
				LshPlan plan;
				bool has_plan = LshPlanFind(threshold, recalls[r], ks[n], &plan);
				double mean = has_plan ? mean_below(threshold, plan) : HUGE_VAL;

				found += has_plan;
				reached = reached && (!has_plan || (plan.bands * plan.rows <= ks[n] &&
													LshProbability(threshold, plan) >= recalls[r]));
				for (uint32 rows = 1; rows <= ks[n]; rows++)
				{
					for (uint32 bands = 1; bands * rows <= ks[n]; bands++)
					{
						LshPlan other = {.bands = bands, .rows = rows};

						if (LshProbability(threshold, other) < recalls[r])
							continue;
						none_missed = none_missed && has_plan;
						/* Numerical integration has its limits. */
						fewest = fewest && mean_below(threshold, other) >= mean * (1 - 1e-3);
						break;
					}
				}
			}
		}
	}
	ok(found > 100, "there are plans");
	ok(reached, "a plan reaches the recall at the threshold, within k components");
	ok(fewest, "no other bands and rows that do have fewer candidates");
	ok(none_missed, "where no plan is found, there is none");
}

int
main(void)
{
	test_plans();
	return done_testing();
}
