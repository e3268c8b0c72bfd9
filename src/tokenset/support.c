/*
 * support.c
 *		Planner support of the predicates: index conditions, selectivity, cost.
 *
 * jaccard_ge(column, value, t) becomes the index condition
 *
 *		column @~ tokenset_query('jaccard', value, t, false [, 'table.column'])
 *
 * and the clause rechecks the rows. A threshold known to be out of range makes no index condition,
 * so that evaluation of the predicate raises the error. a % b becomes
 *
 *		jaccard_ge(a, b, similarity_threshold())
 *
 * For GIN it names the column but holds nothing of its statistics: they are read when a scan begins
 * (gin.c), be the value a constant, a parameter or a column of another table.
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

#include "tokenset/gin.h"
#include "tokenset/tokenset_query.h"
#include "tokenset/selectivity.h"

PG_FUNCTION_INFO_V1(tokenset_similar_support);
PG_FUNCTION_INFO_V1(tokenset_measure_support);
PG_FUNCTION_INFO_V1(tokenset_query_support);

/* Cost of a predicate, in operators. */
#define BASE_OPERATORS 4
#define TOKENS_PER_OPERATOR 8

/* Cost of one token's look-up, in operators. */
#define OPERATORS_PER_LOOKUP 4000

/* A function in the schema of another one; InvalidOid if there is none. */
static Oid
function_beside(Oid other, const char *name, const Oid *types, int count)
{
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
						   PointerGetDatum(buildoidvector(types, count)),
						   ObjectIdGetDatum(get_func_namespace(other)));
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

/* The statistics of an expression are those of its index. */
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

/* The right operand of @~, for GIN with the column; NULL where the predicate makes no condition. */
static Node *
query_operand(SupportRequestIndexCondition *request, Measure measure, Node *value)
{
	PlannerInfo *root = request->root;
	List *args = ((FuncExpr *) request->node)->args;
	Node *threshold = eval_const_expressions(root, threshold_expression(args));
	bool value_first = request->indexarg == 1 && MeasureIsAsymmetric(measure);
	Oid column_type =
		GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("tokenset_column"),
						ObjectIdGetDatum(get_func_namespace(request->funcid)));
	Oid types[] = {TEXTOID, exprType(value), FLOAT8OID, BOOLOID, column_type};
	bool is_gin = request->index->relam == GIN_AM_OID;
	Oid function = function_beside(request->funcid, "tokenset_query", types, is_gin ? 5 : 4);
	double threshold_now;

	if (!OidIsValid(function) || !is_pseudo_constant_for_index(root, threshold, request->index) ||
		(threshold_value(root, args, &threshold_now) &&
		 !MeasureThresholdIsValid(measure, threshold_now)))
		return NULL;
	args = list_make4(makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
								CStringGetTextDatum(MeasureName(measure)), false, false),
					  value, threshold, makeBoolConst(value_first, false));
	if (is_gin)
		args = lappend(args, indexed_column(request, column_type));
	return eval_const_expressions(
		root, (Node *) makeFuncExpr(function, get_func_rettype(function), args, InvalidOid,
									DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL));
}

static List *
index_condition(SupportRequestIndexCondition *request, Measure measure)
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
	operand = query_operand(request, measure, value);
	if (operand == NULL)
		return NIL;
	op = get_opfamily_member(request->opfamily, exprType(value), exprType(operand),
							 GIN_TOKENSET_MATCHES);
	if (!OidIsValid(op))
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
estimate_selectivity(SupportRequestSelectivity *request, Measure measure)
{
	SimilarityClause clause = {.predicate = {.measure = measure},
							   .function = request->funcid,
							   .args = list_make2(linitial(request->args), lsecond(request->args))};

	clause.threshold_is_known =
		threshold_value(request->root, request->args, &clause.predicate.threshold);
	request->selectivity = SimilaritySelectivity(request->root, &clause, request->is_join,
												 request->varRelid, request->sjinfo);
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
		estimate_selectivity((SupportRequestSelectivity *) request, measure);
		answer = request;
	}
	else if (IsA(request, SupportRequestCost) && estimate_cost((SupportRequestCost *) request))
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

/* The operator % and its function. */
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
		function_beside(request->fcall->funcid, "jaccard_ge",
						(Oid[]){exprType(linitial(args)), exprType(lsecond(args)), FLOAT8OID}, 3);
	setting = function_beside(request->fcall->funcid, "similarity_threshold", NULL, 0);
	if (!OidIsValid(predicate) || !OidIsValid(setting))
		PG_RETURN_POINTER(NULL);
	threshold = (Expr *) makeFuncExpr(setting, FLOAT8OID, NIL, InvalidOid, InvalidOid,
									  COERCE_EXPLICIT_CALL);
	PG_RETURN_POINTER(makeFuncExpr(predicate, BOOLOID,
								   list_make3(linitial(args), lsecond(args), threshold), InvalidOid,
								   InvalidOid, COERCE_EXPLICIT_CALL));
}

/* The call also loads the library, and with it the join node. */
Datum
tokenset_measure_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestCost) && estimate_cost((SupportRequestCost *) request))
		PG_RETURN_POINTER(request);
	PG_RETURN_POINTER(NULL);
}

/* Charges the look-ups. GIN counts those of a constant only, and any other operand as one key. */
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
