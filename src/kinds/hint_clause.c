/*
 * hint_clause.c
 *		The function similarity_hint, and what its calls say.
 *
 * similarity_hint.c puts the calls into queries. The arguments of a call are those of a comparison, or
 * the whole condition.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "function_behind.h"
#include "kinds/hint_clause.h"
#include "kinds/kinds.h"
#include "kinds/predicate_clause.h"

PG_FUNCTION_INFO_V1(similarity_hint);

Datum
similarity_hint(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(true);
}

bool
IsSimilarityHint(Node *expression)
{
	return ArgumentsOfCall(expression, similarity_hint, HINT_ARGUMENTS) != NIL ||
		   ArgumentsOfCall(expression, similarity_hint, HINT_CONDITION_ARGUMENTS) != NIL ||
		   ArgumentsOfCall(expression, similarity_hint, HINT_WEIGHTED_ARGUMENTS) != NIL;
}

Oid
HintCast(Oid type)
{
	switch (type)
	{
		case FLOAT4OID:
			return F_FLOAT8_FLOAT4;
		case INT2OID:
			return F_FLOAT8_INT2;
		case INT4OID:
			return F_FLOAT8_INT4;
		case INT8OID:
			return F_FLOAT8_INT8;
		default:
			return InvalidOid;
	}
}

Node *
HintThreshold(Node *threshold)
{
	const Const *constant = (const Const *) threshold;
	Oid cast = HintCast(exprType(threshold));

	if (IsA(threshold, Const) && !constant->constisnull)
		return (Node *) makeConst(
			FLOAT8OID, -1, InvalidOid, sizeof(float8),
			Float8GetDatum(PredicateNumber(constant->consttype, constant->constvalue)), false,
			FLOAT8PASSBYVAL);
	if (exprType(threshold) == FLOAT8OID)
		return threshold;
	if (!OidIsValid(cast))
		return NULL;
	return (Node *) makeFuncExpr(cast, FLOAT8OID, list_make1(threshold), InvalidOid, InvalidOid,
								 COERCE_IMPLICIT_CAST);
}

/* Finds the kind whose values a hint compares. */
static const Kind *
kind_of_hint(Oid function, List *args, Measure measure)
{
	Oid type = getBaseType(exprType(linitial(args)));
	Oid schema = get_func_namespace(function);

	for (int i = 0; kinds[i] != NULL; i++)
	{
		if (type == TEXTOID ? (kinds[i]->text_measures >> measure & 1) != 0
							: type == RowKindType(kinds[i]->rows, schema))
			return kinds[i];
	}
	return NULL;
}

bool
HintClauseRead(Oid function, List *args, PredicateClause *clause)
{
	const Const *comparison;

	if (list_length(args) == HINT_CONDITION_ARGUMENTS)
		return PredicateClauseOf(linitial(args), clause) &&
			   clause->rule.source == THRESHOLD_OF_SETTING;
	comparison = lthird(args);
	*clause = (PredicateClause){.x = linitial(args),
								.y = lsecond(args),
								.function = function,
								.threshold = lfourth(args),
								.rule = {.source = THRESHOLD_COMPARED}};
	if (list_length(args) == HINT_WEIGHTED_ARGUMENTS)
		clause->weights = list_nth(args, HINT_ARGUMENTS);
	if (!IsA(comparison, Const) || comparison->constisnull ||
		!ComparisonRead(TextDatumGetCString(comparison->constvalue), &clause->measure,
						&clause->rule.comparison) ||
		MeasureIsWeighted(clause->measure) != (clause->weights != NULL))
		return false;
	clause->kind = kind_of_hint(function, args, clause->measure);
	return clause->kind != NULL;
}

bool
HintIsOf(const PredicateClause *hint, const PredicateClause *condition)
{
	return hint->rule.source == condition->rule.source &&
		   hint->rule.comparison.order == condition->rule.comparison.order &&
		   hint->rule.comparison.of_complement == condition->rule.comparison.of_complement &&
		   PredicateClausesAgree(hint, condition) &&
		   equal(hint->threshold, HintThreshold(condition->threshold));
}
