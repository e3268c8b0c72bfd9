/*
 * descending_join.c
 *		Choosing thresholds.
 */
#include "postgres.h"

#include "join/descending_join.h"
#include "join/progress/progress.h"

/* Of similarities that are fractions. */
#define FIRST_THRESHOLD 0.8
#define THRESHOLD_STEP 0.2

/* A pass whose threshold is no more than this above the least one saves less than it takes. */
#define LEAST_STEP 0.1

/* Join by the least threshold at once when a smaller share of rows has left. */
#define LEAST_SHARE 10

/* Whether thresholds descend; measures that count tokens are joined by the least one at once. */
static bool
is_fraction(Measure measure)
{
	return MeasureThresholdIsValid(measure, FIRST_THRESHOLD);
}

static double
threshold_not_near(double threshold, double least)
{
	return threshold < least + LEAST_STEP ? least : threshold;
}

void
JoinDescending(SimilarityJoin *join, uint32 seekers, const PassMethods *methods, void *context)
{
	Predicate predicate = join->task->predicate;
	double least = predicate.threshold;
	int32 pass = 1;

	if (is_fraction(predicate.measure))
		predicate.threshold = threshold_not_near(FIRST_THRESHOLD, least);
	for (;;)
	{
		bool is_last = predicate.threshold == least;
		uint32 leaving;

		JoinProgressPass(pass++, is_last);
		join->pair_count = 0;
		methods->begin(context);
		QueryJoinPairs(join, predicate, methods->take, context);
		leaving = methods->end(context, is_last);
		if (is_last || leaving == seekers)
			break;
		predicate.threshold = leaving < seekers / LEAST_SHARE
								  ? least
								  : threshold_not_near(predicate.threshold - THRESHOLD_STEP, least);
		seekers -= leaving;
	}
}
