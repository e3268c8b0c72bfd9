/*
 * join_passes.c
 *		Running passes, and choosing their thresholds.
 */
#include "postgres.h"

#include "join/call/join_passes.h"
#include "progress/progress.h"

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

/*
 * A pass whose threshold is less than this above the least one saves less than it takes. Thresholds that
 * have descended by steps are rounded.
 */
#define LEAST_STEP (0.05 - 1e-9)

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
JoinPassesRun(JoinPasses *passes, Predicate predicate, TakePair take, void *take_context,
			  bool is_last)
{
	passes->count++;
	if (passes->task->name != NULL)
		JoinProgressPass(passes->count, is_last);
	passes->join->pair_count = 0;
	QueryJoinPairs(passes->join, predicate, take, take_context);
}

void
JoinPassesDescend(JoinPasses *passes, uint32 seekers, uint32 wanted, const DescentMethods *methods,
				  void *context)
{
	Predicate predicate = passes->task->predicate;
	double least = predicate.threshold;

	predicate.threshold = methods->threshold != NULL ? methods->threshold(context, 1, least)
													 : first_threshold_of_rows(predicate);
	for (;;)
	{
		bool is_last = predicate.threshold == least;
		uint32 leaving;

		methods->begin(context);
		JoinPassesRun(passes, predicate, methods->take, context, is_last);
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
				? methods->threshold(context, passes->count + 1, predicate.threshold)
				: next_threshold_of_rows(predicate.threshold, least,
										 (double) passes->join->pair_count,
										 (double) seekers * wanted);
		seekers -= leaving;
	}
}
