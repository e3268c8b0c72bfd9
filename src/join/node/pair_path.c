/*
 * pair_path.c
 *		Offers the planner the Similarity Function Scan (pair_scan.h), and makes its plan.
 *
 * A function that returns pairs is recognized by its support function. The planner calls that
 * before it makes paths, which loads this library, and its hook, in time. The hook replaces the
 * function scan of such a call.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"

#include "function_behind.h"
#include "join/call/pair_rows.h"
#include "join/node/pair_path.h"
#include "join/node/pair_scan.h"
#include "settings.h"

PG_FUNCTION_INFO_V1(neardup_pairs_support);

static set_rel_pathlist_hook_type previous_hook = NULL;

static Plan *pair_plan_path(PlannerInfo *root, RelOptInfo *relation, CustomPath *path,
							List *targets, List *clauses, List *children);

static const CustomPathMethods path_methods = {
	.CustomName = "Similarity Function Scan",
	.PlanCustomPath = pair_plan_path,
};

/* The support function of functions that return pairs. It marks them, and supports no request. */
Datum
neardup_pairs_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(NULL);
}

static bool
returns_pairs(const FuncExpr *call)
{
	Oid support = get_func_support(call->funcid);

	return call->funcretset && OidIsValid(support) &&
		   FunctionBehind(support, 1) == neardup_pairs_support;
}

/* Whether the node can store a column, from 0, as a word: a value, or a range of characters. */
static bool
is_stored(TupleDesc columns, int column)
{
	Form_pg_attribute attribute = TupleDescAttr(columns, column);
	bool is_key = column < 2;

	return attribute->attbyval || (!FLOAT8PASSBYVAL && attribute->attlen == sizeof(int64)) ||
		   (!is_key && attribute->atttypid == INT4RANGEOID);
}

/* Returns the columns of a call's result, or NULL unless the node can store all of them. */
static TupleDesc
columns_of_call(FuncExpr *call)
{
	TupleDesc columns;

	if (get_expr_result_type((Node *) call, NULL, &columns) != TYPEFUNC_COMPOSITE ||
		columns->natts > PAIR_MOST_COLUMNS)
		return NULL;
	for (int i = 0; i < columns->natts; i++)
	{
		if (!is_stored(columns, i))
			return NULL;
	}
	return columns;
}

/* Returns the columns of the relation that the query uses, numbered as by pull_varattnos. */
static Bitmapset *
used_attributes(const RelOptInfo *relation)
{
	Bitmapset *attributes = NULL;
	ListCell *cell;

	pull_varattnos((Node *) relation->reltarget->exprs, relation->relid, &attributes);
	foreach(cell, relation->baserestrictinfo) pull_varattnos(
		(Node *) lfirst_node(RestrictInfo, cell)->clause, relation->relid, &attributes);
	return attributes;
}

/*
 * Returns the call that a relation is, or NULL if the node cannot scan it: the node returns neither
 * ordinality nor whole rows.
 */
static FuncExpr *
call_of_relation(const RelOptInfo *relation, const RangeTblEntry *entry)
{
	Node *expression;

	if (entry->rtekind != RTE_FUNCTION || entry->funcordinality ||
		list_length(entry->functions) != 1)
		return NULL;
	expression = linitial_node(RangeTblFunction, entry->functions)->funcexpr;
	if (!IsA(expression, FuncExpr) || !returns_pairs((FuncExpr *) expression) ||
		columns_of_call((FuncExpr *) expression) == NULL)
		return NULL;
	if (bms_is_member(InvalidAttrNumber - FirstLowInvalidHeapAttributeNumber,
					  used_attributes(relation)))
		return NULL;
	return (FuncExpr *) expression;
}

/* Replaces a function scan. Apart from the function, the node costs half as much. */
static void
replace_path(ListCell *cell, FuncExpr *call)
{
	const Path *replaced = lfirst(cell);
	CustomPath *path = makeNode(CustomPath);

	path->path = *replaced;
	path->path.type = T_CustomPath;
	path->path.pathtype = T_CustomScan;
	path->path.total_cost -= (replaced->total_cost - replaced->startup_cost) / 2;
	path->flags = CUSTOMPATH_SUPPORT_BACKWARD_SCAN | CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = list_make1(call);
	path->methods = &path_methods;
	lfirst(cell) = path;
}

static void
replace_function_scans(PlannerInfo *root, RelOptInfo *relation, Index index, RangeTblEntry *entry)
{
	FuncExpr *call;
	ListCell *cell;

	if (previous_hook != NULL)
		previous_hook(root, relation, index, entry);
	call = neardup_enable_similarity_join ? call_of_relation(relation, entry) : NULL;
	if (call == NULL)
		return;
	foreach(cell, relation->pathlist)
	{
		if (((Path *) lfirst(cell))->pathtype == T_FunctionScan)
			replace_path(cell, call);
	}
}

void
PairPathInit(void)
{
	previous_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = replace_function_scans;
}

static List *
pair_scan_targets(Bitmapset *attributes, Index relation, TupleDesc columns)
{
	List *targets = NIL;

	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);
		Var *var = makeVar(relation, column->attnum, column->atttypid, column->atttypmod,
						   column->attcollation, 0);

		if (bms_is_member(column->attnum - FirstLowInvalidHeapAttributeNumber, attributes))
			targets = lappend(targets,
							  makeTargetEntry((Expr *) var, list_length(targets) + 1, NULL, false));
	}
	return targets;
}

/* The scan tuple consists of the columns in use, so that most scans need no projection. */
static Plan *
pair_plan_path(PlannerInfo *root, RelOptInfo *relation, CustomPath *path, List *targets,
			   List *clauses, List *children)
{
	FuncExpr *call = linitial_node(FuncExpr, path->custom_private);
	CustomScan *scan = makeNode(CustomScan);
	List *quals = extract_actual_clauses(clauses, false);
	Bitmapset *attributes = used_attributes(relation);

	pull_varattnos((Node *) list_make2(path->path.pathtarget->exprs, quals), relation->relid,
				   &attributes);
	scan->flags = path->flags;
	scan->methods = &pair_scan_methods;
	scan->custom_exprs = list_make1(call);
	scan->custom_scan_tlist = pair_scan_targets(attributes, relation->relid, columns_of_call(call));
	scan->scan.plan.targetlist = targets;
	scan->scan.plan.qual = quals;
	return &scan->scan.plan;
}
