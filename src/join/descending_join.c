/*
 * descending_join.c
 *		Choosing thresholds.
 */
#include "postgres.h"

#include "join/descending_join.h"
#include "join/progress/progress.h"

/*
 * The thresholds of the passes descend by steps, where similarities are fractions. A pass that comes
 * too early costs something. But a step down finds several times as many pairs, and a row that is
 * still in a pass far below the threshold that it needs costs much. So the step is the smaller, the
 * more there are of the pairs that rows seek.
 */
#define FIRST_THRESHOLD 0.8
#define SMALL_STEP 0.1
#define STEP 0.2
#define LARGE_STEP 0.3
#define FREQUENT 0.25
#define RARE 0.025

/* A pass whose threshold is less than this above the least one saves less than it takes. */
#define LEAST_STEP 0.05

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

/* Takes how many pairs the pass has found, and how many were sought. */
static double
next_threshold_of_rows(double threshold, double least, double found, double sought)
{
	double step = STEP;

	if (found >= FREQUENT * sought)
		step = SMALL_STEP;
	else if (found < RARE * sought)
		step = LARGE_STEP;
	return threshold_not_near(threshold - step, least);
}

void
JoinDescending(SimilarityJoin *join, uint32 seekers, uint32 wanted, const PassMethods *methods,
			   void *context)
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
				: next_threshold_of_rows(predicate.threshold, least, (double) join->pair_count,
										 (double) seekers * wanted);
		seekers -= leaving;
	}
}
