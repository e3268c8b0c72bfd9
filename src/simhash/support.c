/*
 * support.c
 *		Planner support of simhash_within, the distance and simhash_ball.
 *
 * simhash_within(column, value, k) becomes the equivalent index condition column <@
 * simhash_ball(value, k), unless k is negative: the predicate raises that error.
 *
 * The planner takes SP-GiST to visit only the rows that it returns. The others are charged to the
 * call of simhash_ball(), once for each search, which is therefore not folded.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_am.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "simhash/selectivity.h"
#include "simhash/simhash.h"
#include "simhash/spgist.h"

PG_FUNCTION_INFO_V1(simhash_distance_support);
PG_FUNCTION_INFO_V1(simhash_within_support);
PG_FUNCTION_INFO_V1(simhash_ball_support);

/* Index rows below an inner tuple. */
#define ROWS_PER_CHAIN 100

/* Cost of a row and of a chain of them, in operators. */
#define OPERATORS_PER_ROW 4
#define OPERATORS_PER_CHAIN 80

/* simhash_ball in the predicate's schema, or InvalidOid. */
static Oid
ball_function(Oid predicate_function, Oid value_type)
{
	Oid types[2] = {value_type, INT4OID};

	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("simhash_ball"),
						   PointerGetDatum(buildoidvector(types, lengthof(types))),
						   ObjectIdGetDatum(get_func_namespace(predicate_function)));
}

/* Estimate of the distance, -1 for NULL; false if unknown. */
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

static List *
index_condition(SupportRequestIndexCondition *request)
{
	List *args;
	Node *column;
	Node *value;
	Node *distance;
	int32 distance_now;
	Oid function;
	Oid op;

	if (!is_funcclause(request->node) || request->indexarg > 1 ||
		request->index->relam != SPGIST_AM_OID)
		return NIL;
	args = ((FuncExpr *) request->node)->args;
	column = list_nth(args, request->indexarg);
	value = list_nth(args, 1 - request->indexarg);
	distance = lthird(args);
	if (!is_pseudo_constant_for_index(request->root, value, request->index) ||
		!is_pseudo_constant_for_index(request->root, distance, request->index))
		return NIL;
	if (distance_value(request->root, distance, &distance_now) && distance_now < 0)
		return NIL;

	function = ball_function(request->funcid, exprType(value));
	if (!OidIsValid(function))
		return NIL;
	op = get_opfamily_member(request->opfamily, exprType(value), get_func_rettype(function),
							 SPGIST_SIMHASH_CONTAINED);
	if (!OidIsValid(op))
		return NIL;
	request->lossy = false;
	return list_make1(make_opclause(op, BOOLOID, false, (Expr *) column,
									(Expr *) makeFuncExpr(function, get_func_rettype(function),
														  list_make2(value, distance), InvalidOid,
														  InvalidOid, COERCE_EXPLICIT_CALL),
									InvalidOid, request->indexcollation));
}

static void
estimate_selectivity(SupportRequestSelectivity *request)
{
	DistanceClause clause = {.function = request->funcid};

	clause.args = list_make2(linitial(request->args), lsecond(request->args));
	clause.distance_is_known =
		distance_value(request->root, lthird(request->args), &clause.distance);
	request->selectivity = DistanceSelectivity(request->root, &clause, request->is_join,
											   request->varRelid, request->sjinfo);
}

Datum
simhash_within_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestIndexCondition))
		PG_RETURN_POINTER(index_condition((SupportRequestIndexCondition *) request));
	if (IsA(request, SupportRequestSelectivity))
	{
		estimate_selectivity((SupportRequestSelectivity *) request);
		PG_RETURN_POINTER(request);
	}
	PG_RETURN_POINTER(NULL);
}

/* Asking for support loads the library, and with it the join node. */
Datum
simhash_distance_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(NULL);
}

/* Rows of the largest SP-GiST index of the center's type over another relation. */
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
		foreach (cell, relation->indexlist)
		{
			IndexOptInfo *index = lfirst_node(IndexOptInfo, cell);

			if (index->relam == SPGIST_AM_OID && index->opcintype[0] == value_type)
				rows = Max(rows, index->tuples);
		}
	}
	bms_free(own);
	return rows;
}

/* A search visits the chains whose paths, taken as random bits, are within the radius. */
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
