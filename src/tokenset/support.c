/*
 * support.c
 *		Planner support of the predicates: index conditions, selectivity, cost.
 *
 * jaccard_ge(column, value, t) becomes the index condition
 *
 *		column @~ tokenset_query('jaccard', value, t, false)
 *
 * and the original clause rechecks what the index returns. Value and threshold
 * may be anything that does not change during the scan: a constant, a
 * parameter, a column of another relation. Where all is constant, so is the
 * query.
 *
 * A threshold that is known to be out of range makes no index condition, so
 * that the predicate itself raises the error, if it is evaluated at all; any
 * other is checked when the query is made, by the same function.
 *
 * The operator % is a member of the operator class and needs none of this.
 */
#include "postgres.h"

#include "catalog/pg_am.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "neardup.h"
#include "tokenset/gin.h"
#include "tokenset/index_cost.h"
#include "tokenset/query.h"
#include "tokenset/selectivity.h"

PG_FUNCTION_INFO_V1(jaccard_ge_support);
PG_FUNCTION_INFO_V1(cosine_ge_support);
PG_FUNCTION_INFO_V1(dice_ge_support);
PG_FUNCTION_INFO_V1(containment_ge_support);
PG_FUNCTION_INFO_V1(overlap_ge_support);
PG_FUNCTION_INFO_V1(hamming_le_support);
PG_FUNCTION_INFO_V1(tokenset_similar_support);
PG_FUNCTION_INFO_V1(tokenset_measure_support);
PG_FUNCTION_INFO_V1(tokenset_query_support);

/* Operators' worth of time that a predicate takes, and tokens that it passes in another. */
#define BASE_OPERATORS 4
#define TOKENS_PER_OPERATOR 8

/* The function tokenset_query of the schema in which the predicate is; InvalidOid if there is none. */
static Oid
query_function(Oid predicate_function, Oid set_type)
{
	Oid types[4] = {TEXTOID, set_type, FLOAT8OID, BOOLOID};

	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("tokenset_query"),
						   PointerGetDatum(buildoidvector(types, lengthof(types))),
						   ObjectIdGetDatum(get_func_namespace(predicate_function)));
}

/* The threshold as a float8 expression. */
static Node *
threshold_expression(List *args)
{
	Node *threshold = lthird(args);

	if (exprType(threshold) == FLOAT8OID)
		return threshold;
	return (Node *) makeFuncExpr(F_FLOAT8_INT4, FLOAT8OID, list_make1(threshold), InvalidOid,
								 InvalidOid, COERCE_IMPLICIT_CAST);
}

/*
 * Whether the threshold can be told now, as an estimate: it need not be what
 * it is at execution. A NULL is out of any range.
 */
static bool
threshold_value(PlannerInfo *root, List *args, double *value)
{
	Node *threshold = estimate_expression_value(root, threshold_expression(args));

	if (!IsA(threshold, Const))
		return false;
	*value = ((Const *) threshold)->constisnull ? get_float8_nan()
												: DatumGetFloat8(((Const *) threshold)->constvalue);
	return true;
}

static bool
is_constant(Node *node)
{
	return IsA(node, Const);
}

/* Gives a constant query the tokens that an index on the column had better look up. */
static void
choose_lookups(PlannerInfo *root, Node *column, Const *constant)
{
	TokensetQuery *query;
	Tokenset *lookups;

	if (constant->constisnull)
		return;
	query = DatumGetTokensetQuery(constant->constvalue);
	lookups = TokensToLookUp(root, column, TokensetQueryPredicate(query), TokensetQueryValue(query),
							 !query->value_first);
	if (lookups != NULL)
		constant->constvalue = PointerGetDatum(TokensetQueryWithLookups(query, lookups));
}

static Node *
query_expression(PlannerInfo *root, Node *column, Oid function, Measure measure, Node *value,
				 Node *threshold, bool value_first)
{
	Const *name = makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
							CStringGetTextDatum(MeasureName(measure)), false, false);
	List *args = list_make4(name, value, threshold, makeBoolConst(value_first, false));
	FuncExpr *call = makeFuncExpr(function, get_func_rettype(function), args, InvalidOid,
								  DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);
	Node *query;

	if (!is_constant(value) || !is_constant(threshold))
		return (Node *) call;
	query = eval_const_expressions(root, (Node *) call);
	if (is_constant(query))
		choose_lookups(root, column, (Const *) query);
	return query;
}

static List *
index_condition(SupportRequestIndexCondition *request, Measure measure)
{
	List *args;
	Node *column;
	Node *value;
	Node *threshold;
	double threshold_now;
	Oid set_type;
	Oid function;
	Oid op;

	if (!is_funcclause(request->node) || request->indexarg > 1 ||
		request->index->relam != GIN_AM_OID)
		return NIL;
	args = ((FuncExpr *) request->node)->args;
	column = list_nth(args, request->indexarg);
	value = list_nth(args, 1 - request->indexarg);
	threshold = eval_const_expressions(request->root, threshold_expression(args));
	if (!is_pseudo_constant_for_index(request->root, value, request->index) ||
		!is_pseudo_constant_for_index(request->root, threshold, request->index))
		return NIL;
	if (threshold_value(request->root, args, &threshold_now) &&
		!SimilarityThresholdIsValid(measure, threshold_now))
		return NIL;

	set_type = exprType(value);
	function = query_function(request->funcid, set_type);
	if (!OidIsValid(function))
		return NIL;
	op = get_opfamily_member(request->opfamily, set_type, get_func_rettype(function),
							 GIN_TOKENSET_MATCHES);
	if (!OidIsValid(op))
		return NIL;
	request->lossy = true;
	return list_make1(make_opclause(
		op, BOOLOID, false, (Expr *) column,
		(Expr *) query_expression(request->root, column, function, measure, value, threshold,
								  request->indexarg == 1 && MeasureIsAsymmetric(measure)),
		InvalidOid, request->indexcollation));
}

/* tokenset_similar(column, value) is column % value. */
static List *
similar_index_condition(SupportRequestIndexCondition *request)
{
	List *args;
	Node *column;
	Node *value;
	Oid op;

	if (!is_funcclause(request->node) || request->index->relam != GIN_AM_OID)
		return NIL;
	args = ((FuncExpr *) request->node)->args;
	column = list_nth(args, request->indexarg);
	value = list_nth(args, 1 - request->indexarg);
	if (!is_pseudo_constant_for_index(request->root, value, request->index))
		return NIL;
	op = get_opfamily_member(request->opfamily, exprType(value), exprType(value),
							 GIN_TOKENSET_SIMILAR);
	if (!OidIsValid(op) || get_opcode(op) != request->funcid)
		return NIL;
	return list_make1(make_opclause(op, BOOLOID, false, (Expr *) column, (Expr *) value, InvalidOid,
									request->indexcollation));
}

static void
estimate_selectivity(SupportRequestSelectivity *request, SimilarityClause *clause)
{
	clause->function = request->funcid;
	clause->args = list_make2(linitial(request->args), lsecond(request->args));
	request->selectivity = SimilaritySelectivity(request->root, clause, request->is_join,
												 request->varRelid, request->sjinfo);
}

/* False where the node does not show the sets. */
static bool
estimate_cost(SupportRequestCost *request)
{
	List *args;
	double tokens;

	if (request->node != NULL && is_funcclause(request->node))
		args = ((FuncExpr *) request->node)->args;
	else if (request->node != NULL && is_opclause(request->node))
		args = ((OpExpr *) request->node)->args;
	else
		return false;
	tokens =
		ArgumentSize(request->root, linitial(args)) + ArgumentSize(request->root, lsecond(args));
	request->startup = 0;
	request->per_tuple = cpu_operator_cost * (BASE_OPERATORS + tokens / TOKENS_PER_OPERATOR);
	return true;
}

static Datum
predicate_support(FunctionCallInfo fcinfo, Measure measure)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	Node *answer = NULL;

	if (IsA(request, SupportRequestIndexCondition))
		answer = (Node *) index_condition((SupportRequestIndexCondition *) request, measure);
	else if (IsA(request, SupportRequestSelectivity))
	{
		SupportRequestSelectivity *selectivity = (SupportRequestSelectivity *) request;
		SimilarityClause clause = {.predicate = {.measure = measure}};

		clause.threshold_is_known =
			threshold_value(selectivity->root, selectivity->args, &clause.predicate.threshold);
		estimate_selectivity(selectivity, &clause);
		answer = request;
	}
	else if (IsA(request, SupportRequestCost) && estimate_cost((SupportRequestCost *) request))
		answer = request;
	PG_RETURN_POINTER(answer);
}

Datum
jaccard_ge_support(PG_FUNCTION_ARGS)
{
	return predicate_support(fcinfo, MEASURE_JACCARD);
}

Datum
cosine_ge_support(PG_FUNCTION_ARGS)
{
	return predicate_support(fcinfo, MEASURE_COSINE);
}

Datum
dice_ge_support(PG_FUNCTION_ARGS)
{
	return predicate_support(fcinfo, MEASURE_DICE);
}

Datum
containment_ge_support(PG_FUNCTION_ARGS)
{
	return predicate_support(fcinfo, MEASURE_CONTAINMENT);
}

Datum
overlap_ge_support(PG_FUNCTION_ARGS)
{
	return predicate_support(fcinfo, MEASURE_OVERLAP);
}

Datum
hamming_le_support(PG_FUNCTION_ARGS)
{
	return predicate_support(fcinfo, MEASURE_HAMMING);
}

Datum
tokenset_similar_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	Node *answer = NULL;

	if (IsA(request, SupportRequestIndexCondition))
		answer = (Node *) similar_index_condition((SupportRequestIndexCondition *) request);
	else if (IsA(request, SupportRequestSelectivity))
	{
		SimilarityClause clause = {
			.predicate = {.measure = MEASURE_JACCARD, .threshold = neardup_similarity_threshold},
			.threshold_is_known = true};

		estimate_selectivity((SupportRequestSelectivity *) request, &clause);
		answer = request;
	}
	else if (IsA(request, SupportRequestCost) && estimate_cost((SupportRequestCost *) request))
		answer = request;
	PG_RETURN_POINTER(answer);
}

/* Of the values. That it is asked at all loads the library, and with it the join node. */
Datum
tokenset_measure_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestCost) && estimate_cost((SupportRequestCost *) request))
		PG_RETURN_POINTER(request);
	PG_RETURN_POINTER(NULL);
}

/*
 * The cost of a query that is made at execution includes that of looking up
 * its tokens: GIN's own estimate takes a query that it does not know for a
 * single key.
 */
Datum
tokenset_query_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestCost *cost = (SupportRequestCost *) request;

	if (!IsA(request, SupportRequestCost) || cost->node == NULL || !is_funcclause(cost->node))
		PG_RETURN_POINTER(NULL);
	cost->startup = 0;
	cost->per_tuple = LookupCost(cost->root, lsecond(((FuncExpr *) cost->node)->args));
	PG_RETURN_POINTER(request);
}
