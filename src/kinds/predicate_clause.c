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
#include "kinds/sets/planned_sets.h"
#include "kinds/simhash/planned_simhashes.h"
#include "kinds/edit/planned_texts.h"
#include "kinds/trigrams/planned_trigrams.h"
#include "kinds/predicate_clause.h"
#include "simhash/distance.h"
#include "strings/strings.h"
#include "tokenset/similarity.h"
#include "kinds/trigrams/trigram_condition.h"

typedef struct KnownFunction
{
	PGFunction function;
	Measure measure;
	const PlannedKind *kind;
} KnownFunction;

static const PlannedKind *const planned_kinds[] = {&planned_sets, &planned_simhashes,
												   &planned_texts, &planned_trigrams};

static const KnownFunction predicates[] = {
	{tokenset_jaccard_ge, MEASURE_JACCARD, &planned_sets},
	{tokenset_cosine_ge, MEASURE_COSINE, &planned_sets},
	{tokenset_dice_ge, MEASURE_DICE, &planned_sets},
	{tokenset_containment_ge, MEASURE_CONTAINMENT, &planned_sets},
	{tokenset_overlap_ge, MEASURE_OVERLAP, &planned_sets},
	{tokenset_hamming_le, MEASURE_HAMMING, &planned_sets},
	{simhash_within, MEASURE_HAMMING, &planned_simhashes},
	{edit_within, MEASURE_EDIT, &planned_texts},
};

static const KnownFunction similarities[] = {
	{tokenset_jaccard, MEASURE_JACCARD, &planned_sets},
	{tokenset_cosine, MEASURE_COSINE, &planned_sets},
	{tokenset_dice, MEASURE_DICE, &planned_sets},
	{tokenset_containment, MEASURE_CONTAINMENT, &planned_sets},
	{tokenset_overlap, MEASURE_OVERLAP, &planned_sets},
};

static const KnownFunction distances[] = {
	{simhash_distance, MEASURE_HAMMING, &planned_simhashes},
	{simhash_distance_float8, MEASURE_HAMMING, &planned_simhashes},
	{edit_distance, MEASURE_EDIT, &planned_texts},
};

int
PlannedKindNumber(const PlannedKind *kind)
{
	int number = 0;

	while (planned_kinds[number] != kind)
		number++;
	return number;
}

const PlannedKind *
PlannedKindOf(int number)
{
	return planned_kinds[number];
}

/* Finds a function among the known ones, and its measure; returns false if it is none of them. */
static bool
look_up(PGFunction function, const KnownFunction *known, int count, PredicateClause *clause)
{
	for (int i = 0; i < count; i++)
	{
		if (known[i].function == function)
		{
			clause->measure = known[i].measure;
			clause->kind = known[i].kind;
			return true;
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
	PGFunction function;

	if (!is_call(expression, &clause->function, &args))
		return false;
	function = FunctionBehind(clause->function, list_length(args));
	if (function == NULL || list_length(args) != 3)
		return false;
	take_operands(clause, args);
	clause->threshold = lthird(args);
	return look_up(function, predicates, lengthof(predicates), clause);
}

/*
 * Returns whether a function is that of an operator >= or <=, and which. Drivers send whole numbers
 * as integers of any width.
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
	PGFunction function;
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
	function = FunctionBehind(clause->function, 2);
	if (is_at_least)
		return look_up(function, similarities, lengthof(similarities), clause);
	return look_up(function, distances, lengthof(distances), clause);
}

double
PredicateThresholdOf(const PlannedKind *kind, int comparison, Oid type, Datum value)
{
	double threshold;

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

/* What a setting says is known when the query runs. */
static bool
is_out_of_range(const PredicateClause *clause)
{
	Const *constant = (Const *) clause->threshold;

	if (!IsA(constant, Const) || clause->comparison == TRIGRAM_BY_SETTING)
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
	return TrigramClauseOf(expression, clause) && !is_out_of_range(clause);
}
