/*
 * index_cost.h
 *		Cost of an index look-up of an unknown set.
 */
#ifndef NEARDUP_INDEX_COST_H
#define NEARDUP_INDEX_COST_H

#include "nodes/pathnodes.h"

extern Cost LookupCost(PlannerInfo *root, Node *argument);

/* Installs a planner hook that charges index scans. */
extern void IndexCostInit(void);

#endif
