/*
 * trgm_ops.c
 *		Functions of the operator class trgm_ops: an index of texts by their trigrams.
 *
 * The index keeps the set of trigrams of each text, which the function trgm_set returns. The
 * operators % and <-> have a text as their operand, whose trigrams are made when a scan begins. A
 * comparison of similarity() or <-> with a threshold becomes a condition
 *
 *		name @~ trgm_query(value, comparison, threshold)
 *
 * and the comparison itself rechecks the rows (similarity_hint.c).
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "compat.h"
#include "kinds/kind.h"
#include "kinds/sets/set_operand.h"
#include "kinds/trigrams/pg_trgm.h"
#include "measure/single_precision.h"
#include "kinds/trigrams/trgm_ops.h"
#include "kinds/trigrams/trigram_sample.h"
#include "measure/threshold.h"
#include "tokenset/tokenset_query.h"

PG_FUNCTION_INFO_V1(trgm_set);
PG_FUNCTION_INFO_V1(trgm_query);
PG_FUNCTION_INFO_V1(trgm_matches);
PG_FUNCTION_INFO_V1(trgm_negative_similarity);

/* pg_trgm makes the trigrams of both texts again for each pair. */
#define RECHECK_POSTINGS 2048

Datum
trgm_set(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TrigramsOfText(PG_GETARG_TEXT_PP(0)));
}

/* Returns the predicate of an operator whose threshold a setting has. */
static Predicate
predicate_by_setting(Measure measure, TrgmSetting setting)
{
	return (Predicate){.measure = measure,
					   .threshold =
						   SingleComparisonThreshold(SINGLE_SIMILARITY_GE, TrgmThreshold(setting))};
}

/* The right side of @~ is a query, that of all other operators a text. */
void
TrigramOperand(int strategy, Datum argument, IndexOperand *operand)
{
	operand->has_no_row_token = true;
	operand->recheck_postings = RECHECK_POSTINGS;
	if (strategy == INDEX_MATCHES)
	{
		SetOperand(strategy, argument, operand);
		return;
	}
	operand->set = TrigramsOfText(DatumGetTextPP(argument));
	operand->is_exact = strategy == INDEX_SIMILAR || strategy == INDEX_JACCARD_DISTANCE ||
						strategy == INDEX_NEGATIVE_JACCARD;
	if (strategy == INDEX_SIMILAR)
		operand->predicate = predicate_by_setting(MEASURE_JACCARD, TRGM_SIMILARITY_THRESHOLD);
	else if (strategy == INDEX_WORD_SIMILAR)
		operand->predicate =
			predicate_by_setting(MEASURE_CONTAINMENT, TRGM_WORD_SIMILARITY_THRESHOLD);
	else if (strategy == INDEX_STRICT_WORD_SIMILAR)
		operand->predicate =
			predicate_by_setting(MEASURE_CONTAINMENT, TRGM_STRICT_WORD_SIMILARITY_THRESHOLD);
	operand->value_first = operand->predicate.measure == MEASURE_CONTAINMENT;
}

/*
 * trgm_query(value, comparison, threshold, value_first), where the comparison is a text as of
 * tokenset_query. NULL if no text satisfies it. Raises invalid_parameter_value for what is no
 * comparison of a measure that sets of trigrams have.
 */
Datum
trgm_query(PG_FUNCTION_ARGS)
{
	Predicate predicate;

	if (QueryConditionOrError(text_to_cstring(PG_GETARG_TEXT_PP(1)), PG_GETARG_FLOAT8(2), false,
							  &predicate) == REACHED_BY_NONE)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(TokensetQueryMake(predicate, TrigramsOfText(PG_GETARG_TEXT_PP(0)),
										PG_GETARG_BOOL(3), NULL, 0));
}

/*
 * The operator text <-%> text: pg_trgm's similarity, negative. Both numbers of trigrams are exact in
 * single precision, since there are no more than 2^24 different ones.
 */
Datum
trgm_negative_similarity(PG_FUNCTION_ARGS)
{
	Tokenset *x = TrigramsOfText(PG_GETARG_TEXT_PP(0));
	Tokenset *y = TrigramsOfText(PG_GETARG_TEXT_PP(1));
	double similarity =
		MeasureValue(MEASURE_JACCARD, TokensetOverlap(x, y), TokensetCount(x), TokensetCount(y));

	pfree(x);
	pfree(y);
	PG_RETURN_FLOAT4((float4) (0 - similarity));
}

/* The operator text @~ tokenset_query. */
Datum
trgm_matches(PG_FUNCTION_ARGS)
{
	TokensetQuery *query = PG_GETARG_TOKENSET_QUERY(1);

	PG_RETURN_BOOL(
		TokensetQueryHolds(query, PointerGetDatum(TrigramsOfText(PG_GETARG_TEXT_PP(0)))));
}
