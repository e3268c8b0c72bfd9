/*
 * join_plan.h
 *		The plan of a similarity join that the planner has chosen.
 */
#ifndef NEARDUP_JOIN_JOIN_PLAN_H
#define NEARDUP_JOIN_JOIN_PLAN_H

#include "nodes/extensible.h"

#include "kinds/kind.h"

/*
 * The plan of a join. Its expressions are over the scan tuple: the columns of the outer input, then
 * the columns of the inner input.
 */
typedef struct JoinNodePlan
{
	JoinType type; /* inner, left, semi or anti */
	const Kind *kind;
	Measure measure;
	ThresholdRule rule;
	bool outer_is_y;   /* the predicate's second operand is the outer one */
	bool is_self;	   /* equal inputs: only the outer one is read */
	bool skips_itself; /* in a self-join: the filters reject each row with itself */
	int outer_columns;
	List *clause;	 /* the driver, one expression */
	List *operands;	 /* what is compared, of the outer input and of the inner one */
	List *threshold; /* one expression */
	List *equalities;
	List *keys[2]; /* the keys of each input */
	List *hash_functions[2];
	List *collations;
	List *filters;
	List *after;		 /* filters of an outer join's rows, matched or not */
	List *inner_sources; /* in a self-join, the outer column of each inner one, from 0 */
} JoinNodePlan;

/* Store a plan in a CustomScan, and fetch it from there. */
extern void JoinNodePlanStore(const JoinNodePlan *plan, CustomScan *scan);
extern void JoinNodePlanFetch(JoinNodePlan *plan, const CustomScan *scan);

#endif
