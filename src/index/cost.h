/*
 * cost.h
 *		The planner's estimate of a scan.
 */
#ifndef NEARDUP_INDEX_COST_H
#define NEARDUP_INDEX_COST_H

#include "access/amapi.h"

/* Fills in the estimates of a path. Reads the metapage of the index, unless it is hypothetical. */
extern void IndexCostEstimate(struct PlannerInfo *root, struct IndexPath *path, double loop_count,
							  Cost *startup, Cost *total, Selectivity *selectivity,
							  double *correlation, double *pages);

#endif
