/*
 * support.c
 *		Planner support of simhash_within, the distance and simhash_ball.
 *
 * simhash_within(column, value, k) is a function, which no index can answer. Its support function
 * gives the planner the equivalent index condition
 *
 *		column <@ simhash_ball(value, k)
 *
 * unless k is known to be negative, for which the predicate raises an error.
 *
 * The planner assumes that an SP-GiST search visits only the rows that it returns. But a search
 * within a distance visits many more, and with greater distances most of the index. Their cost is
 * charged to the call of simhash_ball(), which is evaluated once for each search. For that it has
 * to stay a call, so the condition is returned without folding it into a constant.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "function_behind.h"
#include "simhash/selectivity.h"
#include "simhash/simhash.h"
#include "simhash/spgist.h"
#include "simhash/support.h"

PG_FUNCTION_INFO_V1(simhash_distance_support);
PG_FUNCTION_INFO_V1(simhash_within_support);
PG_FUNCTION_INFO_V1(simhash_ball_support);

/* The assumed number of leaves in the chain below an inner tuple. */
#define ROWS_PER_CHAIN 100

/* The cost of visiting a leaf, and a chain of them, in units of cpu_operator_cost. */
#define OPERATORS_PER_ROW 4
#define OPERATORS_PER_CHAIN 80

/* Estimates the distance of a call, as -1 for NULL; returns false if it is unknown. */
static bool
distance_value(PlannerInfo *root, Node *distance, int32 *value)
{
	Node *estimate = estimate_expression_value(root, distance);

	if (!IsA(estimate, Const))
		return false;
	*value =
		((Const *) estimate)->constisnull ? -1 : DatumGetInt32(((Const *) estimate)->constvalue);
	return true;
}

List *
SimhashIndexCondition(SupportRequestIndexCondition *request, Node *distance)
{
	List *args;
	Node *column;
	Node *value;
	Node *ball;
	int32 distance_now;
	Oid function;
	Oid op;

	if (request->indexarg > 1 || request->index->relam != SPGIST_AM_OID)
		return NIL;
	args = ((FuncExpr *) request->node)->args;
	column = list_nth(args, request->indexarg);
	value = list_nth(args, 1 - request->indexarg);
	if (!is_pseudo_constant_for_index(request->root, value, request->index) ||
		!is_pseudo_constant_for_index(request->root, distance, request->index))
		return NIL;
	if (distance_value(request->root, distance, &distance_now) && distance_now < 0)
		return NIL;

	function =
		FunctionBeside(request->funcid, "simhash_ball", (Oid[]){exprType(value), INT4OID}, 2);
	if (!OidIsValid(function))
		return NIL;
	ball = (Node *) makeFuncExpr(function, get_func_rettype(function), list_make2(value, distance),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	op = OperatorOfClass(request->opfamily, value, ball, SPGIST_SIMHASH_CONTAINED);
	if (!OidIsValid(op))
		return NIL;
	request->lossy = false;
	return list_make1(make_opclause(op, BOOLOID, false, (Expr *) column, (Expr *) ball, InvalidOid,
									request->indexcollation));
}

static void
estimate_distance_selectivity(SupportRequestSelectivity *request)
{
	DistanceClause clause = {.function = request->funcid};

	clause.args = list_make2(linitial(request->args), lsecond(request->args));
	clause.distance_is_known =
		distance_value(request->root, lthird(request->args), &clause.distance);
	request->selectivity = DistanceSelectivity(request->root, &clause, request->is_join,
											   request->varRelid, request->sjinfo);
}

/* Answers for an index condition and for the selectivity. */
Datum
simhash_within_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestIndexCondition))
	{
		SupportRequestIndexCondition *condition = (SupportRequestIndexCondition *) request;

		PG_RETURN_POINTER(
			is_funcclause(condition->node)
				? SimhashIndexCondition(condition, lthird(((FuncExpr *) condition->node)->args))
				: NIL);
	}
	if (IsA(request, SupportRequestSelectivity))
	{
		estimate_distance_selectivity((SupportRequestSelectivity *) request);
		PG_RETURN_POINTER(request);
	}
	PG_RETURN_POINTER(NULL);
}

/*
 * Answers nothing. But the planner's call loads the library, and with it the join node, which plans
 * a comparison of the distance as a join.
 */
Datum
simhash_distance_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(NULL);
}

/*
 * Returns the rows of the index that a ball is likely to search: of the largest SP-GiST index over
 * the center's type on a relation that the center does not come from. 0 if there is none.
 */
static double
rows_to_search(PlannerInfo *root, Node *center)
{
	Oid value_type = exprType(center);
	Relids own = pull_varnos(root, center);
	double rows = 0;

	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		RelOptInfo *relation = root->simple_rel_array[i];
		ListCell *cell;

		if (relation == NULL || bms_is_member(i, own))
			continue;
		foreach(cell, relation->indexlist)
		{
			IndexOptInfo *index = lfirst_node(IndexOptInfo, cell);

			if (index->relam == SPGIST_AM_OID && index->opcintype[0] == value_type)
				rows = Max(rows, index->tuples);
		}
	}
	bms_free(own);
	return rows;
}

/*
 * Answers for the cost of a call. With n chains, the path to each has log2(n) known bits. The
 * search visits those whose bits differ from the center's in at most the radius; random bits are
 * assumed.
 */
Datum
simhash_ball_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestCost *cost = (SupportRequestCost *) request;
	List *args;
	int32 distance;
	double rows;
	double chains;
	double visited;

	if (!IsA(request, SupportRequestCost) || cost->root == NULL || cost->node == NULL ||
		!is_funcclause(cost->node))
		PG_RETURN_POINTER(NULL);
	args = ((FuncExpr *) cost->node)->args;
	rows = rows_to_search(cost->root, linitial(args));
	if (rows <= 0)
		PG_RETURN_POINTER(NULL);
	if (!distance_value(cost->root, lsecond(args), &distance))
		distance = TYPICAL_DISTANCE;
	chains = Max(rows / ROWS_PER_CHAIN, 1);
	visited = chains * BinomialCdf(log2(chains), distance);
	cost->startup = 0;
	cost->per_tuple =
		cpu_operator_cost * visited * (OPERATORS_PER_CHAIN + rows / chains * OPERATORS_PER_ROW);
	PG_RETURN_POINTER(request);
}
