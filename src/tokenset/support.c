/*
 * support.c
 *		Planner support of the predicates: index conditions, selectivity, cost.
 *
 * jaccard_ge(column, value, t) becomes the index condition
 *
 *		column @~ tokenset_query('jaccard', value, t, false)
 *
 * and the clause rechecks the rows. A threshold known to be out of range makes no index condition,
 * so that evaluation of the predicate raises the error.
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

#include "settings.h"
#include "tokenset/gin.h"
#include "tokenset/index_cost.h"
#include "tokenset/query.h"
#include "tokenset/selectivity.h"

PG_FUNCTION_INFO_V1(tokenset_measure_support);
PG_FUNCTION_INFO_V1(tokenset_query_support);

/* Cost of a predicate, in operators. */
#define BASE_OPERATORS 4
#define TOKENS_PER_OPERATOR 8

/* tokenset_query() in the schema of the predicate, or InvalidOid. */
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

/* An estimate of the threshold; NaN for NULL; false if unknown. */
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

/* The right operand of @~; NULL where the predicate makes no index condition. */
static Node *
query_operand(SupportRequestIndexCondition *request, Measure measure, Node *column, Node *value)
{
	List *args = ((FuncExpr *) request->node)->args;
	Node *threshold = eval_const_expressions(request->root, threshold_expression(args));
	double threshold_now;
	Oid function;

	if (!is_pseudo_constant_for_index(request->root, threshold, request->index) ||
		(threshold_value(request->root, args, &threshold_now) &&
		 !MeasureThresholdIsValid(measure, threshold_now)))
		return NULL;
	function = query_function(request->funcid, exprType(value));
	if (!OidIsValid(function))
		return NULL;
	return query_expression(request->root, column, function, measure, value, threshold,
							request->indexarg == 1 && MeasureIsAsymmetric(measure));
}

static List *
index_condition(SupportRequestIndexCondition *request, Measure measure, bool is_operator)
{
	StrategyNumber strategy = is_operator ? GIN_TOKENSET_SIMILAR : GIN_TOKENSET_MATCHES;
	List *args;
	Node *column;
	Node *value;
	Node *operand;
	Oid op;

	if (!is_funcclause(request->node) || request->indexarg > 1)
		return NIL;
	args = ((FuncExpr *) request->node)->args;
	column = list_nth(args, request->indexarg);
	value = list_nth(args, 1 - request->indexarg);
	if (!is_pseudo_constant_for_index(request->root, value, request->index))
		return NIL;
	operand = is_operator ? value : query_operand(request, measure, column, value);
	if (operand == NULL)
		return NIL;
	op = get_opfamily_member(request->opfamily, exprType(value), exprType(operand), strategy);
	if (!OidIsValid(op) || (is_operator && get_opcode(op) != request->funcid))
		return NIL;
	request->lossy = true;
	return list_make1(make_opclause(op, BOOLOID, false, (Expr *) column, (Expr *) operand,
									InvalidOid, request->indexcollation));
}

/* False where the arguments are unknown. */
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

static void
estimate_selectivity(SupportRequestSelectivity *request, Measure measure, bool is_operator)
{
	SimilarityClause clause = {
		.predicate = {.measure = measure, .threshold = neardup_similarity_threshold},
		.threshold_is_known = true,
		.function = request->funcid,
		.args = list_make2(linitial(request->args), lsecond(request->args))};

	if (!is_operator)
		clause.threshold_is_known =
			threshold_value(request->root, request->args, &clause.predicate.threshold);
	request->selectivity = SimilaritySelectivity(request->root, &clause, request->is_join,
												 request->varRelid, request->sjinfo);
}

static Datum
predicate_support(FunctionCallInfo fcinfo, Measure measure, bool is_operator)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	Node *answer = NULL;

	if (IsA(request, SupportRequestIndexCondition))
		answer = (Node *) index_condition((SupportRequestIndexCondition *) request, measure,
										  is_operator);
	else if (IsA(request, SupportRequestSelectivity))
	{
		estimate_selectivity((SupportRequestSelectivity *) request, measure, is_operator);
		answer = request;
	}
	else if (IsA(request, SupportRequestCost) && estimate_cost((SupportRequestCost *) request))
		answer = request;
	PG_RETURN_POINTER(answer);
}

#define PREDICATE_SUPPORT(name, measure, is_operator)                                              \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		return predicate_support(fcinfo, measure, is_operator);                                    \
	}                                                                                              \
	extern int no_such_variable

PREDICATE_SUPPORT(jaccard_ge_support, MEASURE_JACCARD, false);
PREDICATE_SUPPORT(cosine_ge_support, MEASURE_COSINE, false);
PREDICATE_SUPPORT(dice_ge_support, MEASURE_DICE, false);
PREDICATE_SUPPORT(containment_ge_support, MEASURE_CONTAINMENT, false);
PREDICATE_SUPPORT(overlap_ge_support, MEASURE_OVERLAP, false);
PREDICATE_SUPPORT(hamming_le_support, MEASURE_HAMMING, false);
PREDICATE_SUPPORT(tokenset_similar_support, MEASURE_JACCARD, true);

/* The call also loads the library, and with it the join node. */
Datum
tokenset_measure_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestCost) && estimate_cost((SupportRequestCost *) request))
		PG_RETURN_POINTER(request);
	PG_RETURN_POINTER(NULL);
}

/* Charges the look-ups, which GIN's estimate does not. */
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
