/*
 * neardup.c
 *		Module entry: the magic block, the settings, and what preloading adds.
 *
 * Nothing else lives here. Each folder of src/ holds one idea; dependencies
 * point one way: measure and text at the bottom, tokenset on them, join on
 * tokenset.
 */
#include "postgres.h"

#include <limits.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "join/join_node.h"
#include "join/pair_scan.h"
#include "join/progress_view.h"
#include "measure/measure.h"
#include "neardup.h"
#include "tokenset/index_cost.h"

PG_MODULE_MAGIC;

double neardup_similarity_threshold = 0.6;
bool neardup_progress_is_on = false;
int neardup_progress_interval = 5000;
bool neardup_enable_similarity_join = true;

void _PG_init(void);

/* The range of a similarity excludes 0, which the bounds of a GUC cannot say. */
static bool
check_similarity_threshold(double *newval, void **extra, GucSource source)
{
	if (SimilarityThresholdIsValid(MEASURE_JACCARD, *newval))
		return true;
	GUC_check_errdetail("The threshold must be greater than 0 and at most 1.");
	return false;
}

void
_PG_init(void)
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
	MarkGUCPrefixReserved("neardup");
	IndexCostInit();
	JoinNodeInit();
	PairScanInit();
	if (process_shared_preload_libraries_in_progress)
		ProgressViewInit();
}
