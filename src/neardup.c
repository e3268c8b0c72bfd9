/*
 * neardup.c
 *		Module entry: the magic block and the settings.
 *
 * Nothing else lives here. Each folder of src/ holds one idea; dependencies
 * point one way: measure and text at the bottom, tokenset on them, join on
 * tokenset.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/guc.h"

#include "measure/measure.h"
#include "neardup.h"

PG_MODULE_MAGIC;

double neardup_similarity_threshold = 0.6;

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
	MarkGUCPrefixReserved("neardup");
}
