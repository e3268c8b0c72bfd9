/*
 * predicate_clause.c
 *		Recognizing predicates.
 *
 * A function is recognized by the C function behind it, whatever its name and schema.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "join/node/predicate_clause.h"
#include "simhash/simhash.h"
#include "strings/strings.h"
#include "tokenset/similarity.h"

typedef struct KnownFunction
{
	PGFunction function;
	Measure measure;
} KnownFunction;

static const KnownFunction predicates[] = {
	{tokenset_jaccard_ge, MEASURE_JACCARD}, {tokenset_cosine_ge, MEASURE_COSINE},
	{tokenset_dice_ge, MEASURE_DICE},		{tokenset_containment_ge, MEASURE_CONTAINMENT},
	{tokenset_overlap_ge, MEASURE_OVERLAP}, {tokenset_hamming_le, MEASURE_HAMMING},
	{simhash_within, MEASURE_HAMMING},		{edit_within, MEASURE_EDIT},
};

static const KnownFunction similarities[] = {
	{tokenset_jaccard, MEASURE_JACCARD}, {tokenset_cosine, MEASURE_COSINE},
	{tokenset_dice, MEASURE_DICE},		 {tokenset_containment, MEASURE_CONTAINMENT},
	{tokenset_overlap, MEASURE_OVERLAP},
};

static const KnownFunction distances[] = {
	{simhash_distance, MEASURE_HAMMING},
	{simhash_distance_float8, MEASURE_HAMMING},
	{edit_distance, MEASURE_EDIT},
};

PGFunction
FunctionBehind(Oid function, int arguments)
{
	FmgrInfo info;

	if (function < FirstNormalObjectId || get_func_nargs(function) != arguments)
		return NULL;
	fmgr_info(function, &info);
	return info.fn_addr;
}

static bool
look_up(PGFunction function, const KnownFunction *known, int count, Measure *measure)
{
	for (int i = 0; i < count; i++)
	{
		if (known[i].function == function)
		{
			*measure = known[i].measure;
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
	clause->of_simhashes = function == simhash_within;
	return look_up(function, predicates, lengthof(predicates), &clause->measure);
}

/* similarity >= constant, distance <= constant, or the same turned round. */
static bool
is_comparison(Node *expression, PredicateClause *clause)
{
	OpExpr *comparison = (OpExpr *) expression;
	Node *value;
	List *args;
	PGFunction function;
	Oid operation;
	bool is_at_least;

	if (!IsA(expression, OpExpr) || list_length(comparison->args) != 2)
		return false;
	operation = get_opcode(comparison->opno);
	is_at_least = operation == F_FLOAT8GE || operation == F_INT4GE;
	if (!is_at_least && operation != F_FLOAT8LE && operation != F_INT4LE)
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
		return look_up(function, similarities, lengthof(similarities), &clause->measure);
	if (!look_up(function, distances, lengthof(distances), &clause->measure))
		return false;
	clause->of_simhashes = clause->measure != MEASURE_EDIT;
	return true;
}

static bool
is_out_of_range(const PredicateClause *clause)
{
	Const *constant = (Const *) clause->threshold;

	if (!IsA(constant, Const))
		return false;
	if (constant->constisnull)
		return true;
	return !MeasureThresholdIsValid(clause->measure, constant->consttype == INT4OID
														 ? DatumGetInt32(constant->constvalue)
														 : DatumGetFloat8(constant->constvalue));
}

bool
PredicateClauseOf(Node *expression, PredicateClause *clause)
{
	memset(clause, 0, sizeof(*clause));
	if (!is_predicate(expression, clause))
	{
		memset(clause, 0, sizeof(*clause));
		if (!is_comparison(expression, clause))
			return false;
	}
	return !is_out_of_range(clause);
}
