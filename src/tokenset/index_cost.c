/*
 * index_cost.c
 *		What it costs to look up a set that is not known when the query is planned.
 *
 * GIN's own estimate extracts the keys of a constant; any other operand it
 * takes for a single key, so that a join by the operator % would look up a set
 * of fifty tokens for the price of one. The predicates are charged for it
 * through the function that makes their query (support.c). The operator has no
 * such function; the paths that use it are charged here, when all of a table's paths
 * are there and none has been chosen.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_am.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "utils/lsyscache.h"

#include "tokenset/gin.h"
#include "tokenset/index_cost.h"
#include "tokenset/selectivity.h"

/*
 * Operators' worth of time to look up a token in an index of some 100,000 sets: 20 to 50
 * microseconds.
 */
#define OPERATORS_PER_LOOKUP 4000

static set_rel_pathlist_hook_type previous_hook = NULL;

Cost
LookupCost(PlannerInfo *root, Node *argument)
{
	return cpu_operator_cost * OPERATORS_PER_LOOKUP * ArgumentSize(root, argument);
}

/* Whether it is the operator % of an index of ours. */
static bool
is_similar_operator(const OpExpr *clause, Oid opfamily)
{
	FmgrInfo function;

	if (!IsA(clause, OpExpr) || clause->opno < FirstNormalObjectId ||
		get_op_opfamily_strategy(clause->opno, opfamily) != GIN_TOKENSET_SIMILAR)
		return false;
	fmgr_info(get_opcode(clause->opno), &function);
	return function.fn_addr == tokenset_similar;
}

static Cost
index_path_charge(PlannerInfo *root, const IndexPath *path)
{
	Cost charge = 0;
	ListCell *cell;
	ListCell *qual;

	if (path->indexinfo->relam != GIN_AM_OID)
		return 0;
	foreach (cell, path->indexclauses)
	{
		const IndexClause *clause = lfirst_node(IndexClause, cell);

		foreach (qual, clause->indexquals)
		{
			OpExpr *op = (OpExpr *) lfirst_node(RestrictInfo, qual)->clause;

			if (is_similar_operator(op, path->indexinfo->opfamily[clause->indexcol]) &&
				!IsA(lsecond(op->args), Const))
				charge += LookupCost(root, lsecond(op->args));
		}
	}
	return charge;
}

/* Charges the index scans in the tree of a bitmap, and returns what it now costs more. */
static Cost
charge_bitmap(PlannerInfo *root, Path *path)
{
	List *parts = NIL;
	Cost charge = 0;
	ListCell *cell;

	if (IsA(path, IndexPath))
	{
		charge = index_path_charge(root, (IndexPath *) path);
		((IndexPath *) path)->indextotalcost += charge;
		return charge;
	}
	if (IsA(path, BitmapAndPath))
		parts = ((BitmapAndPath *) path)->bitmapquals;
	else if (IsA(path, BitmapOrPath))
		parts = ((BitmapOrPath *) path)->bitmapquals;
	foreach (cell, parts)
		charge += charge_bitmap(root, lfirst(cell));
	path->startup_cost += parts != NIL ? charge : 0;
	path->total_cost += parts != NIL ? charge : 0;
	return charge;
}

static void
charge_lookups(PlannerInfo *root, RelOptInfo *relation, Index number, RangeTblEntry *entry)
{
	ListCell *cell;

	if (previous_hook != NULL)
		previous_hook(root, relation, number, entry);
	foreach (cell, relation->pathlist)
	{
		Path *path = lfirst(cell);
		Cost charge;

		if (!IsA(path, BitmapHeapPath))
			continue;
		charge = charge_bitmap(root, ((BitmapHeapPath *) path)->bitmapqual);
		path->startup_cost += charge;
		path->total_cost += charge;
	}
}

void
IndexCostInit(void)
{
	previous_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = charge_lookups;
}
