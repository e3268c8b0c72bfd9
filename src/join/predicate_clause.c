/*
 * predicate_clause.c
 *		Recognizing the predicates.
 *
 * A function is known by the C function behind it, so that it does not matter
 * in which schema it is or what it is called, and no other function of the
 * same name is taken for it.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "join/predicate_clause.h"
#include "tokenset/tokenset.h"

typedef struct KnownFunction
{
	PGFunction function;
	Measure measure;
} KnownFunction;

static const KnownFunction predicates[] = {
	{tokenset_jaccard_ge, MEASURE_JACCARD}, {tokenset_cosine_ge, MEASURE_COSINE},
	{tokenset_dice_ge, MEASURE_DICE},		{tokenset_containment_ge, MEASURE_CONTAINMENT},
	{tokenset_overlap_ge, MEASURE_OVERLAP}, {tokenset_hamming_le, MEASURE_HAMMING},
};

static const KnownFunction values[] = {
	{tokenset_jaccard, MEASURE_JACCARD}, {tokenset_cosine, MEASURE_COSINE},
	{tokenset_dice, MEASURE_DICE},		 {tokenset_containment, MEASURE_CONTAINMENT},
	{tokenset_overlap, MEASURE_OVERLAP},
};

/* The C function, where it can be one of ours. */
static PGFunction
function_behind(Oid function, int arguments)
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
take_sets(PredicateClause *clause, List *args)
{
	clause->x = linitial(args);
	clause->y = lsecond(args);
}

static bool
is_predicate(Node *expression, PredicateClause *clause)
{
	FuncExpr *call = (FuncExpr *) expression;

	if (!IsA(expression, FuncExpr) || call->funcresulttype != BOOLOID)
		return false;
	take_sets(clause, call->args);
	clause->function = call->funcid;
	if (list_length(call->args) == 2)
	{
		clause->measure = MEASURE_JACCARD;
		return function_behind(call->funcid, 2) == tokenset_similar;
	}
	if (list_length(call->args) != 3)
		return false;
	clause->threshold = lthird(call->args);
	return look_up(function_behind(call->funcid, 3), predicates, lengthof(predicates),
				   &clause->measure);
}

/* value >= threshold, or threshold <= value. */
static bool
is_comparison(Node *expression, PredicateClause *clause)
{
	OpExpr *comparison = (OpExpr *) expression;
	FuncExpr *call;
	Oid function;

	if (!IsA(expression, OpExpr) || list_length(comparison->args) != 2)
		return false;
	function = get_opcode(comparison->opno);
	if (function == F_FLOAT8GE || function == F_INT4GE)
	{
		call = linitial(comparison->args);
		clause->threshold = lsecond(comparison->args);
	}
	else if (function == F_FLOAT8LE || function == F_INT4LE)
	{
		clause->threshold = linitial(comparison->args);
		call = lsecond(comparison->args);
	}
	else
		return false;
	if (!IsA(call, FuncExpr) || list_length(call->args) != 2 || !IsA(clause->threshold, Const))
		return false;
	take_sets(clause, call->args);
	clause->function = call->funcid;
	return look_up(function_behind(call->funcid, 2), values, lengthof(values), &clause->measure);
}

static bool
is_operator(Node *expression, PredicateClause *clause)
{
	OpExpr *op = (OpExpr *) expression;

	if (!IsA(expression, OpExpr) || op->opresulttype != BOOLOID || list_length(op->args) != 2)
		return false;
	take_sets(clause, op->args);
	clause->function = get_opcode(op->opno);
	clause->measure = MEASURE_JACCARD;
	return function_behind(clause->function, 2) == tokenset_similar;
}

static bool
is_out_of_range(const PredicateClause *clause)
{
	Const *constant = (Const *) clause->threshold;

	if (constant == NULL || !IsA(constant, Const))
		return false;
	if (constant->constisnull)
		return true;
	return !SimilarityThresholdIsValid(clause->measure, constant->consttype == INT4OID
															? DatumGetInt32(constant->constvalue)
															: DatumGetFloat8(constant->constvalue));
}

bool
PredicateClauseOf(Node *expression, PredicateClause *clause)
{
	memset(clause, 0, sizeof(*clause));
	if (!is_predicate(expression, clause))
	{
		clause->threshold = NULL;
		if (!is_comparison(expression, clause))
		{
			clause->threshold = NULL;
			if (!is_operator(expression, clause))
				return false;
		}
	}
	return !is_out_of_range(clause);
}
