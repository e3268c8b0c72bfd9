/*
 * settings.c
 *		The settings of the extension.
 */
#include "postgres.h"

#include <limits.h>

#include "utils/guc.h"

#include "measure/measure.h"
#include "settings.h"

double neardup_similarity_threshold = 0.6;
bool neardup_progress_is_on = false;
int neardup_progress_interval = 5000;
bool neardup_enable_similarity_join = true;
int neardup_join_memory = JOIN_MEMORY_OF_SERVER;

/* Rejects 0: the least value of a setting is always in its range. */
static bool
check_similarity_threshold(double *newval, void **extra, GucSource source)
{
	if (MeasureThresholdIsValid(MEASURE_JACCARD, *newval))
		return true;
	GUC_check_errdetail("The threshold must be greater than 0 and at most 1.");
	return false;
}

/* The range of a setting cannot have a gap. */
static bool
check_join_memory(int *newval, void **extra, GucSource source)
{
	if (*newval == JOIN_MEMORY_OF_SERVER || *newval >= LEAST_JOIN_MEMORY)
		return true;
	GUC_check_errdetail("The memory must be %d or at least %dkB.", JOIN_MEMORY_OF_SERVER,
						LEAST_JOIN_MEMORY);
	return false;
}

void
SettingsDefine(void)
{
	DefineCustomRealVariable("neardup.similarity_threshold",
							 "Least Jaccard similarity of two token sets for the operator %.", NULL,
							 &neardup_similarity_threshold, 0.6, 0.0, 1.0, PGC_USERSET, 0,
							 check_similarity_threshold, NULL, NULL);
	DefineCustomBoolVariable("neardup.progress", "Reports the progress of joins by NOTICEs.", NULL,
							 &neardup_progress_is_on, false, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"neardup.progress_interval", "Time between two NOTICEs of the progress of a join.", NULL,
		&neardup_progress_interval, 5000, 1, INT_MAX, PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomBoolVariable(
		"neardup.enable_similarity_join", "Enables the planner's use of similarity join plans.",
		NULL, &neardup_enable_similarity_join, true, PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"neardup.join_memory", "Memory that a function takes for the rows of a join.",
		"-1 takes the greater of work_mem * hash_mem_multiplier and maintenance_work_mem.",
		&neardup_join_memory, JOIN_MEMORY_OF_SERVER, JOIN_MEMORY_OF_SERVER, MAX_KILOBYTES,
		PGC_USERSET, GUC_UNIT_KB, check_join_memory, NULL, NULL);
	MarkGUCPrefixReserved("neardup");
}
