/*
 * edit_support.c
 *		Planner support of the edit distance: index conditions and selectivity.
 *
 * For edit_within(column, value, k) the planner asks for a condition that an index can answer. With
 * the operator class edit_ops it is
 *
 *		column @~~ edit_query(value, k)
 *
 * where the right operand holds all except the column. The condition is lossy, so that the executor
 * tests the call itself. A distance that is known to be negative gives no condition: the call then
 * raises its error.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"

#include "function_behind.h"
#include "kinds/edit/edit_ops.h"
#include "kinds/edit/edit_selectivity.h"
#include "kinds/edit/edit_support.h"
#include "kinds/index_class.h"

PG_FUNCTION_INFO_V1(edit_distance_support);
PG_FUNCTION_INFO_V1(edit_within_support);

/* Whether the distance is known to be NULL or negative. */
static bool
is_no_distance(PlannerInfo *root, Node *distance)
{
	Const *constant = (Const *) estimate_expression_value(root, distance);

	return IsA(constant, Const) &&
		   (constant->constisnull || DatumGetInt32(constant->constvalue) < 0);
}

Node *
EditQueryOfCondition(SupportRequestIndexCondition *request, const ConditionParts *parts,
					 Node *value)
{
	PlannerInfo *root = request->root;
	Node *distance = parts->threshold;
	Oid function;

	/* Other classes of texts take queries, too. */
	if (IndexClassSetOfText(request->opfamily) != edit_tokens)
		return NULL;
	function = FunctionBeside(request->funcid, "edit_query", (Oid[]){TEXTOID, INT4OID}, 2);
	if (!OidIsValid(function) || !is_pseudo_constant_for_index(root, distance, request->index))
		return NULL;
	return QueryOfIndexCondition(root, function, list_make2(value, distance), InvalidOid);
}

static List *
condition_of_within(SupportRequestIndexCondition *request)
{
	ConditionParts parts = {.measure = MEASURE_EDIT};

	if (!is_funcclause(request->node))
		return NIL;
	parts.threshold = lthird(((FuncExpr *) request->node)->args);
	if (is_no_distance(request->root, parts.threshold))
		return NIL;
	return IndexConditionOf(request, &parts, EditQueryOfCondition);
}

/* Answers what the planner asks of edit_within(x, y, distance); NULL for other questions. */
Datum
edit_within_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestIndexCondition))
		PG_RETURN_POINTER(condition_of_within((SupportRequestIndexCondition *) request));
	if (IsA(request, SupportRequestSelectivity))
	{
		SupportRequestSelectivity *call = (SupportRequestSelectivity *) request;

		call->selectivity = EditSelectivity(call->root, linitial(call->args), lsecond(call->args),
											EditDistanceEstimate(call->root, lthird(call->args)),
											call->is_join ? 0 : call->varRelid,
											call->is_join ? call->sjinfo : NULL);
		PG_RETURN_POINTER(request);
	}
	PG_RETURN_POINTER(NULL);
}

/*
 * Answers nothing. But the planner's call loads the library, and with it the join node, which plans
 * edit_distance(x, y) <= k as a join, and the hook that tells the planner of comparisons.
 */
Datum
edit_distance_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(NULL);
}
