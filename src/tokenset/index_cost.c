/*
 * index_cost.c
 *		Cost of an index look-up of a set that is unknown to the planner.
 *
 * GIN's estimate counts any operand but a constant as one key, also a set of fifty tokens. The
 * function that makes a predicate's query bears the difference (support.c). The operator % has no
 * such function: a hook charges its paths before the planner chooses among them.
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
#include "tokenset/similarity.h"

/* Cost of one token's look-up, in operators. */
#define OPERATORS_PER_LOOKUP 4000

static set_rel_pathlist_hook_type previous_hook = NULL;

Cost
LookupCost(PlannerInfo *root, Node *argument)
{
	return cpu_operator_cost * OPERATORS_PER_LOOKUP * ArgumentSize(root, argument);
}

/* The operator % of gin_tokenset_ops. */
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

/* Returns the sum of the charges. */
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
