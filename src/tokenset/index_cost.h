/*
 * index_cost.h
 *		What it costs to look up a set that is not known when the query is planned.
 */
#ifndef NEARDUP_INDEX_COST_H
#define NEARDUP_INDEX_COST_H

#include "nodes/pathnodes.h"

/* Of looking up the tokens of this argument in an index. */
extern Cost LookupCost(PlannerInfo *root, Node *argument);

/* In _PG_init: has the planner charge index scans for it. */
extern void IndexCostInit(void);

#endif
