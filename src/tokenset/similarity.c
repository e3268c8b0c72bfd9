/*
 * similarity.c
 *		Measures and predicates of token sets, as SQL functions.
 *
 * A predicate checks its threshold before it looks at the sets, so that an invalid one is always an
 * error. Then the sizes, which a datum tells without being fetched, may decide already. Only then
 * are the sets fetched and merged, and the merge ends when α cannot be reached any more.
 */
#include "postgres.h"

#include "fmgr.h"

#include "measure/threshold.h"
#include "settings.h"
#include "tokenset/similarity.h"

PG_FUNCTION_INFO_V1(tokenset_jaccard);
PG_FUNCTION_INFO_V1(tokenset_jaccard_distance);
PG_FUNCTION_INFO_V1(tokenset_cosine_distance);
PG_FUNCTION_INFO_V1(tokenset_contains_distance);
PG_FUNCTION_INFO_V1(tokenset_contained_distance);
PG_FUNCTION_INFO_V1(tokenset_cosine);
PG_FUNCTION_INFO_V1(tokenset_dice);
PG_FUNCTION_INFO_V1(tokenset_containment);
PG_FUNCTION_INFO_V1(tokenset_overlap);
PG_FUNCTION_INFO_V1(tokenset_hamming);
PG_FUNCTION_INFO_V1(tokenset_negative_jaccard);
PG_FUNCTION_INFO_V1(tokenset_negative_cosine);
PG_FUNCTION_INFO_V1(tokenset_negative_dice);
PG_FUNCTION_INFO_V1(tokenset_negative_overlap);
PG_FUNCTION_INFO_V1(tokenset_negative_contains);
PG_FUNCTION_INFO_V1(tokenset_negative_contained);
PG_FUNCTION_INFO_V1(tokenset_similar);
PG_FUNCTION_INFO_V1(tokenset_similarity_threshold);

/* Returns the value of a measure for two arguments, by their numbers. */
static double
measure_of(Measure measure, FunctionCallInfo fcinfo, int x, int y)
{
	Tokenset *a = PG_GETARG_TOKENSET(x);
	Tokenset *b = PG_GETARG_TOKENSET(y);
	double result =
		MeasureValue(measure, TokensetOverlap(a, b), TokensetCount(a), TokensetCount(b));

	PG_FREE_IF_COPY(a, x);
	PG_FREE_IF_COPY(b, y);
	return result;
}

/* Returns the value of a measure for the arguments. */
static double
measure_arguments(Measure measure, FunctionCallInfo fcinfo)
{
	return measure_of(measure, fcinfo, 0, 1);
}

bool
TokensetDatumsSimilar(Predicate predicate, Datum left, Datum right)
{
	int32 a_count = TokensetDatumCount(left);
	int32 b_count = TokensetDatumCount(right);
	int64 least;
	Tokenset *a;
	Tokenset *b;
	bool result;

	if (a_count == 0 || b_count == 0)
		return PredicateHolds(predicate, 0, a_count, b_count);
	least = PredicateLeastOverlap(predicate, a_count, b_count);
	if (least > Min(a_count, b_count))
		return false;

	a = DatumGetTokenset(left);
	b = DatumGetTokenset(right);
	result = PredicateHolds(predicate, TokensetOverlapIfAtLeast(a, b, least), a_count, b_count);
	TokensetFreeIfCopy(a, left);
	TokensetFreeIfCopy(b, right);
	return result;
}

/* Returns whether the first two arguments satisfy a predicate. */
static bool
arguments_similar(Predicate predicate, FunctionCallInfo fcinfo)
{
	return TokensetDatumsSimilar(predicate, PG_GETARG_DATUM(0), PG_GETARG_DATUM(1));
}

Datum
tokenset_jaccard(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(measure_arguments(MEASURE_JACCARD, fcinfo));
}

Datum
tokenset_jaccard_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(1 - measure_arguments(MEASURE_JACCARD, fcinfo));
}

Datum
tokenset_cosine(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(measure_arguments(MEASURE_COSINE, fcinfo));
}

Datum
tokenset_cosine_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(1 - measure_arguments(MEASURE_COSINE, fcinfo));
}

Datum
tokenset_dice(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(measure_arguments(MEASURE_DICE, fcinfo));
}

Datum
tokenset_containment(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(measure_arguments(MEASURE_CONTAINMENT, fcinfo));
}

/* 1 - containment(b, a): 0 where a contains b. */
Datum
tokenset_contains_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(1 - measure_of(MEASURE_CONTAINMENT, fcinfo, 1, 0));
}

/* 1 - containment(a, b): 0 where a is contained in b. */
Datum
tokenset_contained_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(1 - measure_of(MEASURE_CONTAINMENT, fcinfo, 0, 1));
}

Datum
tokenset_overlap(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32((int32) measure_arguments(MEASURE_OVERLAP, fcinfo));
}

Datum
tokenset_hamming(PG_FUNCTION_ARGS)
{
	StaticAssertStmt(2 * TOKENSET_MAX_TOKENS <= PG_INT32_MAX, "hamming distance must fit int4");
	PG_RETURN_INT32((int32) measure_arguments(MEASURE_HAMMING, fcinfo));
}

/* Negative measures. Subtracting from 0 makes no negative zero. */
Datum
tokenset_negative_jaccard(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(0 - measure_arguments(MEASURE_JACCARD, fcinfo));
}

Datum
tokenset_negative_cosine(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(0 - measure_arguments(MEASURE_COSINE, fcinfo));
}

Datum
tokenset_negative_dice(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(0 - measure_arguments(MEASURE_DICE, fcinfo));
}

Datum
tokenset_negative_overlap(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(-(int32) measure_arguments(MEASURE_OVERLAP, fcinfo));
}

Datum
tokenset_negative_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(0 - measure_of(MEASURE_CONTAINMENT, fcinfo, 1, 0));
}

Datum
tokenset_negative_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(0 - measure_of(MEASURE_CONTAINMENT, fcinfo, 0, 1));
}

#define PREDICATE_FUNCTION(name, measure, threshold)                                               \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		PG_RETURN_BOOL(arguments_similar(PredicateOrError(measure, threshold), fcinfo));           \
	}                                                                                              \
	extern int no_such_variable

PREDICATE_FUNCTION(tokenset_jaccard_ge, MEASURE_JACCARD, PG_GETARG_FLOAT8(2));
PREDICATE_FUNCTION(tokenset_cosine_ge, MEASURE_COSINE, PG_GETARG_FLOAT8(2));
PREDICATE_FUNCTION(tokenset_dice_ge, MEASURE_DICE, PG_GETARG_FLOAT8(2));
PREDICATE_FUNCTION(tokenset_containment_ge, MEASURE_CONTAINMENT, PG_GETARG_FLOAT8(2));
PREDICATE_FUNCTION(tokenset_overlap_ge, MEASURE_OVERLAP, PG_GETARG_INT32(2));
PREDICATE_FUNCTION(tokenset_hamming_le, MEASURE_HAMMING, PG_GETARG_INT32(2));

/*
 * similarity_threshold(): the setting to the last bit, which its text may lack. The symbol has
 * another name because pg_trgm has a variable similarity_threshold, which the dynamic linker could
 * take for it.
 */
Datum
tokenset_similarity_threshold(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(neardup_similarity_threshold);
}

/*
 * The operator %, where the planner has not replaced it (support.c). The check hook of the setting
 * has ensured that the threshold is valid.
 */
Datum
tokenset_similar(PG_FUNCTION_ARGS)
{
	Predicate predicate = {.measure = MEASURE_JACCARD, .threshold = neardup_similarity_threshold};

	PG_RETURN_BOOL(arguments_similar(predicate, fcinfo));
}
