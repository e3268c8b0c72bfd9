/*
 * descending_join.c
 *		Choosing thresholds.
 */
#include "postgres.h"

#include "join/descending_join.h"
#include "join/progress/progress.h"

/* The thresholds of the passes descend by steps, where similarities are fractions. */
#define FIRST_THRESHOLD 0.8
#define THRESHOLD_STEP 0.2

/* A pass whose threshold is no more than this above the least one saves less than it takes. */
#define LEAST_STEP 0.1

/* The next pass is the last one if a smaller share of the rows has left. */
#define LEAST_SHARE 10

static double
threshold_not_near(double threshold, double least)
{
	return threshold < least + LEAST_STEP ? least : threshold;
}

/* Counts have no steps: rows that seek them are joined at once. */
static double
first_threshold_of_rows(Predicate last)
{
	if (!MeasureThresholdIsValid(last.measure, FIRST_THRESHOLD))
		return last.threshold;
	return threshold_not_near(FIRST_THRESHOLD, last.threshold);
}

static double
next_threshold_of_rows(double threshold, double least, uint32 leaving, uint32 seekers)
{
	if (leaving < seekers / LEAST_SHARE)
		return least;
	return threshold_not_near(threshold - THRESHOLD_STEP, least);
}

void
JoinDescending(SimilarityJoin *join, uint32 seekers, const PassMethods *methods, void *context)
{
	Predicate predicate = join->task->predicate;
	double least = predicate.threshold;
	int32 pass = 1;

	predicate.threshold = methods->threshold != NULL ? methods->threshold(context, pass, least)
													 : first_threshold_of_rows(predicate);
	for (;;)
	{
		bool is_last = predicate.threshold == least;
		uint32 leaving;

		JoinProgressPass(pass++, is_last);
		join->pair_count = 0;
		methods->begin(context);
		QueryJoinPairs(join, predicate, methods->take, context);
		leaving = methods->end(context, is_last);
		if (leaving == seekers)
			break;
		if (methods->again != NULL && methods->again(context))
		{
			seekers -= leaving;
			continue;
		}
		if (is_last)
			break;
		predicate.threshold =
			methods->threshold != NULL
				? methods->threshold(context, pass, predicate.threshold)
				: next_threshold_of_rows(predicate.threshold, least, leaving, seekers);
		seekers -= leaving;
	}
}
