/*
 * predicate_clause.c
 *		Recognizes the conditions that a similarity join can be driven by.
 *
 * A function is recognized by the C function behind it, whatever its name and schema are.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "function_behind.h"
#include "kinds/kinds.h"
#include "kinds/predicate_clause.h"
#include "tokenset/selectivity.h"

/*
 * Finds a function among the functions of all kinds, and its measure; returns false if no kind has
 * it.
 */
static bool
look_up(PGFunction function, KindFunctionForm form, PredicateClause *clause)
{
	for (int i = 0; function != NULL && kinds[i] != NULL; i++)
	{
		for (const KindFunction *known = kinds[i]->functions;
			 known != NULL && known->function != NULL; known++)
		{
			if (known->function == function && known->form == form)
			{
				clause->measure = known->measure;
				clause->kind = kinds[i];
				return true;
			}
		}
	}
	return false;
}

static void
take_operands(PredicateClause *clause, List *args)
{
	clause->x = linitial(args);
	clause->y = lsecond(args);
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

static bool
is_predicate(Node *expression, PredicateClause *clause)
{
	List *args;

	if (!is_call(expression, &clause->function, &args) || list_length(args) != 3)
		return false;
	take_operands(clause, args);
	clause->threshold = lthird(args);
	return look_up(FunctionBehind(clause->function, 3), KIND_PREDICATE, clause);
}

/*
 * Returns whether a function belongs to an operator >= or <=, and to which. Drivers send whole
 * numbers as integers of any width.
 */
static bool
is_inequality(Oid function, bool *is_at_least)
{
	switch (function)
	{
		case F_FLOAT8GE:
		case F_INT4GE:
		case F_INT24GE:
		case F_INT42GE:
		case F_INT48GE:
		case F_INT84GE:
			*is_at_least = true;
			return true;
		case F_FLOAT8LE:
		case F_INT4LE:
		case F_INT24LE:
		case F_INT42LE:
		case F_INT48LE:
		case F_INT84LE:
			*is_at_least = false;
			return true;
		default:
			return false;
	}
}

/* Recognizes similarity >= constant and distance <= constant, and both with the sides exchanged. */
static bool
is_comparison(Node *expression, PredicateClause *clause)
{
	OpExpr *comparison = (OpExpr *) expression;
	Node *value;
	List *args;
	bool is_at_least;

	if (!IsA(expression, OpExpr) || list_length(comparison->args) != 2 ||
		!is_inequality(get_opcode(comparison->opno), &is_at_least))
		return false;
	value = linitial(comparison->args);
	clause->threshold = lsecond(comparison->args);
	if (IsA(value, Const))
	{
		value = lsecond(comparison->args);
		clause->threshold = linitial(comparison->args);
		is_at_least = !is_at_least;
	}
	if (!IsA(clause->threshold, Const) || !is_call(value, &clause->function, &args) ||
		list_length(args) != 2)
		return false;
	take_operands(clause, args);
	return look_up(FunctionBehind(clause->function, 2),
				   is_at_least ? KIND_SIMILARITY : KIND_DISTANCE, clause);
}

double
PredicateThresholdOf(const Kind *kind, int comparison, Oid type, Datum value)
{
	double threshold;

	if (comparison == COMPARED_BY_SETTING)
		return kind->threshold(comparison, kind->setting());
	switch (type)
	{
		case INT2OID:
			threshold = DatumGetInt16(value);
			break;
		case INT4OID:
			threshold = DatumGetInt32(value);
			break;
		case INT8OID:
			threshold = (double) DatumGetInt64(value);
			break;
		case FLOAT4OID:
			threshold = DatumGetFloat4(value);
			break;
		default:
			threshold = DatumGetFloat8(value);
	}
	return kind->threshold == NULL ? threshold : kind->threshold(comparison, threshold);
}

double
PredicateTypicalThreshold(const PredicateClause *clause)
{
	double typical = clause->kind->typical_threshold;

	return typical > 0 ? typical : TypicalThreshold(clause->measure);
}

/* What a setting says is known when the query runs. */
static bool
is_out_of_range(const PredicateClause *clause)
{
	Const *constant = (Const *) clause->threshold;

	if (!IsA(constant, Const) || clause->comparison == COMPARED_BY_SETTING)
		return false;
	if (constant->constisnull)
		return true;
	return !MeasureThresholdIsValid(
		clause->measure, PredicateThresholdOf(clause->kind, clause->comparison, constant->consttype,
											  constant->constvalue));
}

bool
PredicateClauseOf(Node *expression, PredicateClause *clause)
{
	memset(clause, 0, sizeof(*clause));
	if (is_predicate(expression, clause))
		return !is_out_of_range(clause);
	memset(clause, 0, sizeof(*clause));
	if (is_comparison(expression, clause))
		return !is_out_of_range(clause);
	for (int i = 0; kinds[i] != NULL; i++)
	{
		if (kinds[i]->clause != NULL && kinds[i]->clause(expression, clause))
			return !is_out_of_range(clause);
	}
	return false;
}
