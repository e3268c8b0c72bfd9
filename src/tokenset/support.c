/*
 * support.c
 *		Planner support of the predicates: index conditions, selectivity, cost.
 *
 * An index can only answer an operator of its class, and jaccard_ge(column, value, t) is a
 * function. But a function may have a support function, which the planner asks for an index
 * condition that the call implies. For the call above that is
 *
 *		column @~ tokenset_query('jaccard', value, t, false [, 'table.column'])
 *
 * where the right operand holds all of the predicate except the column. The condition is lossy: the
 * call itself rechecks the rows. A threshold that is known to be out of range gives no condition,
 * so that the predicate itself is evaluated, and raises its error.
 *
 * idf_jaccard_ge(column, value, weights, t) becomes
 *
 *		column @~ heaviest_tokens_query('idf_jaccard', value, t, weights)
 *
 * which asks for as many of the value's heaviest tokens as all similar sets have
 * (heaviest_tokens.c).
 *
 * The operator % reads a setting. Its support function turns a % b into
 *
 *		jaccard_ge(a, b, similarity_threshold())
 *
 * for which all of this holds as well. The function similarity_threshold() is STABLE, so that the
 * setting is read when the query runs.
 *
 * For GIN the condition names the column, whose statistics tell which tokens are rare, but has
 * nothing of the statistics in it. They are read when a scan begins (gin.c). So tokens are chosen
 * equally well for a constant, a parameter, and a column of another table, and a cached plan
 * follows a new ANALYZE.
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
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "function_behind.h"
#include "tokenset/gin.h"
#include "tokenset/tokenset_query.h"
#include "tokenset/selectivity.h"
#include "tokenset/support.h"

PG_FUNCTION_INFO_V1(tokenset_similar_support);
PG_FUNCTION_INFO_V1(tokenset_measure_support);
PG_FUNCTION_INFO_V1(tokenset_query_support);

/*
 * The cost of a predicate in units of cpu_operator_cost: a constant, and one for each few tokens.
 */
#define BASE_OPERATORS 10
#define TOKENS_PER_OPERATOR 8

/* The cost of looking up one token in an index, in units of cpu_operator_cost. */
#define OPERATORS_PER_LOOKUP 4000

/* Returns the one of these functions that takes the types of arguments, at most 5; else InvalidOid. */
static Oid
function_taking(Oid other, const char *name, const List *args)
{
	Oid types[5];

	for (int i = 0; i < list_length(args); i++)
		types[i] = exprType(list_nth(args, i));
	return FunctionBeside(other, name, types, list_length(args));
}

/* Returns the threshold, the last argument, as an expression of type float8. */
static Node *
threshold_expression(List *args)
{
	Node *threshold = llast(args);

	if (exprType(threshold) == FLOAT8OID)
		return threshold;
	return (Node *) makeFuncExpr(F_FLOAT8_INT4, FLOAT8OID, list_make1(threshold), InvalidOid,
								 InvalidOid, COERCE_IMPLICIT_CAST);
}

/* Estimates the threshold, as NaN for NULL; returns false if it is not known at planning. */
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

/*
 * Returns the indexed column as a constant of tokenset_column. The statistics of an expression are
 * kept with its index, as a column of that.
 */
static Const *
indexed_column(SupportRequestIndexCondition *request, Oid type)
{
	const IndexOptInfo *index = request->index;
	TokensetColumn *column = palloc(sizeof(TokensetColumn));

	column->relation = planner_rt_fetch(index->rel->relid, request->root)->relid;
	column->number = index->indexkeys[request->indexcol];
	if (column->number == 0)
	{
		column->relation = index->indexoid;
		column->number = request->indexcol + 1;
	}
	return makeConst(type, -1, InvalidOid, sizeof(TokensetColumn), PointerGetDatum(column), false,
					 false);
}

/*
 * Appends to the arguments (measure, value, threshold) what tokenset_query takes besides: which side
 * the value is on, and for GIN the column.
 */
static List *
append_of_set(SupportRequestIndexCondition *request, List *args)
{
	Oid column_type =
		GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("tokenset_column"),
						ObjectIdGetDatum(get_func_namespace(request->funcid)));

	args = lappend(args, makeBoolConst(request->indexarg == 1, false));
	if (request->index->relam == GIN_AM_OID && OidIsValid(column_type))
		args = lappend(args, indexed_column(request, column_type));
	return args;
}

Node *
QueryOfIndexCondition(PlannerInfo *root, Oid function, List *args, Oid collation)
{
	Node *operand = eval_const_expressions(
		root, (Node *) makeFuncExpr(function, get_func_rettype(function), args, InvalidOid,
									collation, COERCE_EXPLICIT_CALL));

	if (IsA(operand, Const) && !((Const *) operand)->constisnull)
		DatumGetTokensetQuery(((Const *) operand)->constvalue)->is_condition = 1;
	return operand;
}

List *
IndexConditionOf(SupportRequestIndexCondition *request, const ConditionParts *parts,
				 QueryOfCondition operand_of)
{
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
	operand = operand_of(request, parts, value);
	if (operand == NULL)
		return NIL;
	op = OperatorOfClass(request->opfamily, value, operand, GIN_TOKENSET_MATCHES);
	if (!OidIsValid(op))
		return NIL;
	request->lossy = true;
	return list_make1(make_opclause(op, BOOLOID, false, (Expr *) column, (Expr *) operand,
									InvalidOid, request->indexcollation));
}

Node *
TokensetQueryOfCondition(SupportRequestIndexCondition *request, const ConditionParts *parts,
						 Node *value)
{
	PlannerInfo *root = request->root;
	Node *threshold = eval_const_expressions(root, parts->threshold);
	List *args = list_make3(parts->name, value, threshold);
	Oid function;

	if (!is_pseudo_constant_for_index(root, threshold, request->index))
		return NULL;
	if (parts->weights == NULL)
		args = append_of_set(request, args);
	else if (is_pseudo_constant_for_index(root, parts->weights, request->index))
		args = lappend(args, parts->weights);
	else
		return NULL;
	function = function_taking(
		request->funcid, parts->weights != NULL ? "heaviest_tokens_query" : "tokenset_query", args);
	if (!OidIsValid(function))
		return NULL;
	return QueryOfIndexCondition(root, function, args, DEFAULT_COLLATION_OID);
}

/* Returns the index condition of a predicate; NIL where its threshold is known to be out of range. */
static List *
condition_of_predicate(SupportRequestIndexCondition *request, Measure measure)
{
	List *args = ((FuncExpr *) request->node)->args;
	ConditionParts parts = {.measure = measure};
	double threshold_now;

	if (!is_funcclause(request->node) || (threshold_value(request->root, args, &threshold_now) &&
										  !MeasureThresholdIsValid(measure, threshold_now)))
		return NIL;
	parts.name = (Node *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
									CStringGetTextDatum(MeasureName(measure)), false, false);
	parts.threshold = threshold_expression(args);
	parts.weights = MeasureIsWeighted(measure) ? lthird(args) : NULL;
	return IndexConditionOf(request, &parts, TokensetQueryOfCondition);
}

/* Nearly all of it is the merge of the sets. */
double
OperatorsOfSets(PlannerInfo *root, Node *x, Node *y)
{
	return BASE_OPERATORS + (ArgumentSize(root, x) + ArgumentSize(root, y)) / TOKENS_PER_OPERATOR;
}

/* Estimates the cost of a call; returns false if the arguments are not known. */
static bool
estimate_predicate_cost(SupportRequestCost *request)
{
	List *args;

	if (request->node != NULL && is_funcclause(request->node))
		args = ((FuncExpr *) request->node)->args;
	else if (request->node != NULL && is_opclause(request->node))
		args = ((OpExpr *) request->node)->args;
	else
		return false;
	request->startup = 0;
	request->per_tuple =
		cpu_operator_cost * OperatorsOfSets(request->root, linitial(args), lsecond(args));
	return true;
}

/* Estimates the selectivity of a call, under a weighted measure as if all weights were equal. */
static void
estimate_predicate_selectivity(SupportRequestSelectivity *request, Measure measure)
{
	SimilarityClause clause = {.predicate = {.measure = MeasureUnweighted(measure)},
							   .function = request->funcid,
							   .args = list_make2(linitial(request->args), lsecond(request->args))};

	clause.threshold_is_known =
		threshold_value(request->root, request->args, &clause.predicate.threshold);
	request->selectivity = SimilaritySelectivity(request->root, &clause, request->is_join,
												 request->varRelid, request->sjinfo);
}

/* Answers what the planner asks of a predicate over a measure; NULL for other questions. */
static Datum
predicate_support(FunctionCallInfo fcinfo, Measure measure)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	Node *answer = NULL;

	if (IsA(request, SupportRequestIndexCondition))
		answer = (Node *) condition_of_predicate((SupportRequestIndexCondition *) request, measure);
	else if (IsA(request, SupportRequestSelectivity))
	{
		estimate_predicate_selectivity((SupportRequestSelectivity *) request, measure);
		answer = request;
	}
	else if (IsA(request, SupportRequestCost) && !MeasureIsWeighted(measure) &&
			 estimate_predicate_cost((SupportRequestCost *) request))
		answer = request;
	PG_RETURN_POINTER(answer);
}

#define PREDICATE_SUPPORT(name, measure)                                                           \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		return predicate_support(fcinfo, measure);                                                 \
	}                                                                                              \
	extern int no_such_variable

PREDICATE_SUPPORT(jaccard_ge_support, MEASURE_JACCARD);
PREDICATE_SUPPORT(cosine_ge_support, MEASURE_COSINE);
PREDICATE_SUPPORT(dice_ge_support, MEASURE_DICE);
PREDICATE_SUPPORT(containment_ge_support, MEASURE_CONTAINMENT);
PREDICATE_SUPPORT(overlap_ge_support, MEASURE_OVERLAP);
PREDICATE_SUPPORT(hamming_le_support, MEASURE_HAMMING);
PREDICATE_SUPPORT(idf_jaccard_ge_support, MEASURE_IDF_JACCARD);
PREDICATE_SUPPORT(idf_cosine_ge_support, MEASURE_IDF_COSINE);

/* Replaces the function of the operator % by jaccard_ge. */
Datum
tokenset_similar_support(PG_FUNCTION_ARGS)
{
	SupportRequestSimplify *request = (SupportRequestSimplify *) PG_GETARG_POINTER(0);
	List *args;
	Oid predicate;
	Oid setting;
	Expr *threshold;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(NULL);
	args = request->fcall->args;
	predicate =
		FunctionBeside(request->fcall->funcid, "jaccard_ge",
					   (Oid[]){exprType(linitial(args)), exprType(lsecond(args)), FLOAT8OID}, 3);
	setting = FunctionBeside(request->fcall->funcid, "similarity_threshold", NULL, 0);
	if (!OidIsValid(predicate) || !OidIsValid(setting))
		PG_RETURN_POINTER(NULL);
	threshold = (Expr *) makeFuncExpr(setting, FLOAT8OID, NIL, InvalidOid, InvalidOid,
									  COERCE_EXPLICIT_CALL);
	PG_RETURN_POINTER(makeFuncExpr(predicate, BOOLOID,
								   list_make3(linitial(args), lsecond(args), threshold), InvalidOid,
								   InvalidOid, COERCE_EXPLICIT_CALL));
}

/*
 * Answers for the cost of a measure's value, if the measure has no weights. The call also loads the
 * library, and with it the join node, which plans a comparison of the value as a join, and the hook
 * that tells the planner of comparisons.
 */
Datum
tokenset_measure_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestCost *cost = (SupportRequestCost *) request;

	if (!IsA(request, SupportRequestCost) ||
		(cost->node != NULL && is_funcclause(cost->node) &&
		 list_length(((FuncExpr *) cost->node)->args) > 2) ||
		!estimate_predicate_cost(cost))
		PG_RETURN_POINTER(NULL);
	PG_RETURN_POINTER(request);
}

/*
 * Answers for the cost of a call of tokenset_query or heaviest_tokens_query, to which the lookups of
 * a scan are charged. GIN itself counts the keys of a constant only, and takes any other operand for
 * one key.
 */
Datum
tokenset_query_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestCost *cost = (SupportRequestCost *) request;

	if (!IsA(request, SupportRequestCost) || cost->node == NULL || !is_funcclause(cost->node))
		PG_RETURN_POINTER(NULL);
	cost->startup = 0;
	cost->per_tuple = cpu_operator_cost * OPERATORS_PER_LOOKUP *
					  QueryLookups(cost->root, (FuncExpr *) cost->node);
	PG_RETURN_POINTER(request);
}
