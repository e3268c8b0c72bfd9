/*
 * predicate_clause.c
 *		Recognizes the conditions that two values are similar.
 *
 * These are the predicates, jaccard_ge(x, y, t), and comparisons of a measure with any other
 * expression, such as
 *
 *		jaccard(x, y) > t		t <= cosine(x, y)		1 - dice(x, y) < t
 *		x <%> y <= t			hamming(x, y) = t		similarity(x, y)::float8 > t
 *
 * as far as they bound it from the side of similar values. A function is recognized by the C
 * function behind it, whatever its name and schema are.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "function_behind.h"
#include "kinds/kinds.h"
#include "kinds/predicate_clause.h"
#include "tokenset/selectivity.h"

static const KindFunction *
find_in_table(const KindFunction *functions, PGFunction function)
{
	for (; functions != NULL && functions->function != NULL; functions++)
	{
		if (functions->function == function)
			return functions;
	}
	return NULL;
}

const KindFunction *
KindFunctionOf(Oid function, int arguments, const Kind **kind)
{
	PGFunction behind = FunctionBehind(function, arguments);

	for (int i = 0; kinds[i] != NULL; i++)
	{
		const KindFunction *found = NULL;

		if (behind != NULL)
			found = find_in_table(kinds[i]->functions, behind);
		if (found == NULL && kinds[i]->find != NULL && arguments == 2)
			found = kinds[i]->find(function);
		if (found != NULL)
		{
			*kind = kinds[i];
			return found;
		}
	}
	return NULL;
}

/* Returns whether an expression calls a function or operator, which one, and with what. */
static bool
is_call(Node *expression, Oid *function, List **args)
{
	if (IsA(expression, FuncExpr))
	{
		*function = ((FuncExpr *) expression)->funcid;
		*args = ((FuncExpr *) expression)->args;
		return true;
	}
	if (IsA(expression, OpExpr))
	{
		*function = get_opcode(((OpExpr *) expression)->opno);
		*args = ((OpExpr *) expression)->args;
		return true;
	}
	return false;
}

/* Takes a call of a function of some kind: what it compares, and what is told of the function. */
static const KindFunction *
take_call(Node *expression, PredicateClause *clause)
{
	const KindFunction *known;
	List *args;

	if (!is_call(expression, &clause->function, &args) || list_length(args) < 2 ||
		list_length(args) > 4)
		return NULL;
	known = KindFunctionOf(clause->function, list_length(args), &clause->kind);
	if (known == NULL)
		return NULL;
	clause->measure = known->measure;
	clause->x = known->is_exchanged ? lsecond(args) : linitial(args);
	clause->y = known->is_exchanged ? linitial(args) : lsecond(args);
	clause->weights = MeasureIsWeighted(known->measure) ? lthird(args) : NULL;
	clause->rule.setting = known->setting;
	clause->rule.comparison.number = known->number;
	if (known->form == KIND_PREDICATE)
		clause->threshold = llast(args);
	return known;
}

/* Returns the order in which an operator of PostgreSQL compares numbers, 0 if it does not. */
static ComparisonOrder
order_of(Oid operator)
{
	ListCell *cell;

	if (operator>= FirstNormalObjectId)
		return 0;
	foreach(cell, nd_op_interpretations(operator))
	{
		int order = nd_op_order((nd_OpInterpretation *) lfirst(cell));

		if (order >= COMPARED_BELOW && order <= COMPARED_ABOVE)
			return (ComparisonOrder) order;
	}
	return 0;
}

static bool
is_number(Oid type)
{
	return type == FLOAT8OID || type == FLOAT4OID || type == INT4OID || type == INT8OID ||
		   type == INT2OID || type == NUMERICOID;
}

/* What is around the call of a measure in a comparison. */
typedef struct Wrapping
{
	int steps;			/* casts and complements that may change a number by rounding it */
	bool is_complement; /* of an odd number of complements */
	bool is_in_double;	/* the innermost complement is computed in double precision */
} Wrapping;

/* Returns the argument of a cast between numbers; NULL if the expression is none. */
static Node *
argument_of_cast(Node *expression, Wrapping *wrapping)
{
	const FuncExpr *cast = (const FuncExpr *) expression;

	if (!IsA(expression, FuncExpr))
		return NULL;
	switch (cast->funcid)
	{
		case F_FLOAT8_FLOAT4:
		case F_FLOAT8_INT4:
		case F_INT8_INT4:
		case F_NUMERIC_INT4:
			return linitial(cast->args);
		case F_FLOAT4_FLOAT8:
		case F_FLOAT4_INT4:
		case F_FLOAT4_NUMERIC:
		case F_FLOAT8_NUMERIC:
		case F_NUMERIC_FLOAT4:
		case F_NUMERIC_FLOAT8:
			wrapping->steps++;
			return linitial(cast->args);
		default:
			return NULL;
	}
}

static bool
is_one(const Node *expression)
{
	const Const *number = (const Const *) expression;

	if (!IsA(expression, Const) || number->constisnull)
		return false;
	if (number->consttype == FLOAT8OID)
		return DatumGetFloat8(number->constvalue) == 1;
	if (number->consttype == FLOAT4OID)
		return DatumGetFloat4(number->constvalue) == 1;
	return number->consttype == NUMERICOID &&
		   DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, number->constvalue)) == 1;
}

/* Returns what an expression subtracts from the number 1; NULL if it does not. */
static Node *
argument_of_complement(Node *expression, Wrapping *wrapping)
{
	const OpExpr *minus = (const OpExpr *) expression;
	Oid function;

	if (!IsA(expression, OpExpr) || list_length(minus->args) != 2 || !is_one(linitial(minus->args)))
		return NULL;
	function = get_opcode(minus->opno);
	if (function != F_FLOAT8MI && function != F_FLOAT84MI && function != F_FLOAT4MI &&
		function != F_NUMERIC_SUB)
		return NULL;
	wrapping->steps++;
	wrapping->is_complement = !wrapping->is_complement;
	wrapping->is_in_double = function == F_FLOAT8MI;
	return lsecond(minus->args);
}

/* Returns an expression without the casts and complements around it. */
static Node *
unwrap(Node *expression, Wrapping *wrapping)
{
	Node *inner = expression;

	while (inner != NULL)
	{
		expression = inner;
		inner = argument_of_cast(expression, wrapping);
		if (inner == NULL)
			inner = argument_of_complement(expression, wrapping);
	}
	return expression;
}

/*
 * Returns what is compared where this is around a function's value: what the function returns, if
 * nothing is around it, or one complement of it in double precision. All else is rounded.
 */
static ComparedNumber
number_in(const Wrapping *wrapping, const KindFunction *function)
{
	bool is_value = wrapping->steps == 0;
	bool is_one_complement = wrapping->steps == 1 && wrapping->is_in_double &&
							 function->form == KIND_VALUE && function->number == COMPARED_AS_DOUBLE;

	return is_value || is_one_complement ? function->number : COMPARED_ROUNDED;
}

bool
MeasuredValueOf(Node *expression, PredicateClause *clause)
{
	Wrapping wrapping = {0};
	const KindFunction *known;

	memset(clause, 0, sizeof(*clause));
	known = take_call(unwrap(expression, &wrapping), clause);
	if (known == NULL || (known->form != KIND_VALUE && known->form != KIND_COMPLEMENT) ||
		wrapping.steps > COMPARED_STEPS)
		return false;
	clause->rule.comparison.number = number_in(&wrapping, known);
	clause->rule.comparison.of_complement =
		wrapping.is_complement != (known->form == KIND_COMPLEMENT);
	return true;
}

/* Takes the comparison of a measure, `left`, with a threshold. */
static bool
take_comparison(Node *left, ComparisonOrder order, Node *right, PredicateClause *clause)
{
	Comparison *comparison = &clause->rule.comparison;

	if (!MeasuredValueOf(left, clause))
		return false;
	comparison->order = order;
	if (exprType(right) == NUMERICOID)
		comparison->number = COMPARED_ROUNDED;
	clause->rule.source = THRESHOLD_COMPARED;
	clause->threshold = right;
	return ComparisonIsOfSimilar(clause->measure, *comparison);
}

static bool
may_be_value(const Node *expression)
{
	return IsA(expression, FuncExpr) || IsA(expression, OpExpr);
}

static bool
is_comparison(Node *expression, PredicateClause *clause)
{
	const OpExpr *comparison = (const OpExpr *) expression;
	ComparisonOrder order;
	Node *left;
	Node *right;

	if (!IsA(expression, OpExpr) || list_length(comparison->args) != 2)
		return false;
	left = linitial(comparison->args);
	right = lsecond(comparison->args);
	/* Most comparisons of a query are of columns and constants, and told from ours at no cost. */
	if ((!may_be_value(left) && !may_be_value(right)) || !is_number(exprType(left)) ||
		!is_number(exprType(right)))
		return false;
	order = order_of(comparison->opno);
	return order != 0 && (take_comparison(left, order, right, clause) ||
						  take_comparison(right, ComparisonOrderExchanged(order), left, clause));
}

/* Returns whether the threshold of a predicate is a constant that makes the call an error. */
static bool
is_out_of_range(const PredicateClause *clause)
{
	Const *constant = (Const *) clause->threshold;
	double threshold;

	if (!IsA(constant, Const))
		return false;
	if (constant->constisnull)
		return true;
	PredicateThreshold(clause->kind, clause->measure, clause->rule, constant->consttype,
					   constant->constvalue, &threshold);
	return !MeasureThresholdIsValid(clause->measure, threshold);
}

/* Recognizes predicates, operators of set algebra, and those whose threshold a setting has. */
static bool
is_predicate(Node *expression, PredicateClause *clause)
{
	const KindFunction *known;

	memset(clause, 0, sizeof(*clause));
	known = take_call(expression, clause);
	if (known == NULL)
		return false;
	if (known->form == KIND_BY_SETTING)
	{
		clause->rule.source = THRESHOLD_OF_SETTING;
		clause->rule.comparison.order = COMPARED_AT_LEAST;
		clause->threshold = (Node *) makeNullConst(FLOAT8OID, -1, InvalidOid);
		return true;
	}
	if (known->form == KIND_OF_ALGEBRA)
	{
		clause->rule.source = THRESHOLD_OF_OPERATOR;
		clause->threshold = (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
											   Int32GetDatum(1), false, true);
		return true;
	}
	return known->form == KIND_PREDICATE && !is_out_of_range(clause);
}

bool
PredicateClauseOf(Node *expression, PredicateClause *clause)
{
	return is_predicate(expression, clause) || is_comparison(expression, clause);
}

bool
PredicateClauseOfNegation(Node *expression, PredicateClause *clause)
{
	const OpExpr *comparison = (const OpExpr *) expression;
	OpExpr negation;

	if (!IsA(expression, OpExpr) || list_length(comparison->args) != 2)
		return false;
	negation = *comparison;
	negation.opno = get_negator(comparison->opno);
	negation.opfuncid = InvalidOid;
	return OidIsValid(negation.opno) && is_comparison((Node *) &negation, clause);
}

bool
PredicateClausesAgree(const PredicateClause *a, const PredicateClause *b)
{
	if (a->kind != b->kind || a->measure != b->measure || !equal(a->weights, b->weights))
		return false;
	return (equal(a->x, b->x) && equal(a->y, b->y)) ||
		   (!MeasureIsDirected(a->measure) && equal(a->x, b->y) && equal(a->y, b->x));
}

double
PredicateNumber(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case NUMERICOID:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
		default:
			return DatumGetFloat8(value);
	}
}

ComparisonReach
PredicateThreshold(const Kind *kind, Measure measure, ThresholdRule rule, Oid type, Datum value,
				   double *threshold)
{
	double number = rule.source == THRESHOLD_OF_SETTING ? kind->setting(rule.setting)
														: PredicateNumber(type, value);

	if (!ThresholdIsOfMeasure(rule))
		return ComparisonBound(measure, rule.comparison, number, threshold);
	*threshold = number;
	return REACHED_BY_SOME;
}

static double
typical_threshold(const PredicateClause *clause)
{
	double typical = clause->kind->typical_threshold;

	return typical > 0 ? typical : TypicalThreshold(clause->measure);
}

ComparisonReach
PredicateThresholdEstimate(PlannerInfo *root, const PredicateClause *clause, double *threshold)
{
	const Const *constant = (Const *) estimate_expression_value(root, clause->threshold);
	ComparisonReach reach;

	*threshold = typical_threshold(clause);
	if (clause->rule.source != THRESHOLD_OF_SETTING)
	{
		if (!IsA(constant, Const))
			return REACHED_BY_SOME;
		if (constant->constisnull)
			return REACHED_BY_NONE;
	}
	reach = PredicateThreshold(clause->kind, clause->measure, clause->rule, constant->consttype,
							   constant->constvalue, threshold);
	if (!MeasureThresholdIsValid(MeasureUnweighted(clause->measure), *threshold))
		*threshold = typical_threshold(clause);
	return reach;
}

double
PredicateSelectivity(PlannerInfo *root, const PredicateClause *clause, const ClausePlace *place)
{
	double threshold;

	switch (PredicateThresholdEstimate(root, clause, &threshold))
	{
		case REACHED_BY_NONE:
			return 0;
		case REACHED_BY_ALL:
			return 1;
		default:
			return clause->kind->selectivity(root, clause, threshold, place);
	}
}

Node *
DistanceBoundOf(Oid hint, Node *comparison, Node *threshold)
{
	Oid function = FunctionBeside(hint, "distance_bound", (Oid[]){TEXTOID, FLOAT8OID}, 2);

	if (!OidIsValid(function))
		return NULL;
	return eval_const_expressions(
		NULL, (Node *) makeFuncExpr(function, INT4OID, list_make2(comparison, threshold),
									InvalidOid, DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL));
}
