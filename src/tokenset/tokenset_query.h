/*
 * tokenset_query.h
 *		The type tokenset_query: a similarity predicate without one of its sets, x.
 *
 * An operator has two operands, and a predicate has a measure, two sets and a threshold. So that an
 * index on a column can answer it, the planner puts everything except the column into one value,
 * the right operand of @~ (support.c).
 */
#ifndef NEARDUP_TOKENSET_TOKENSET_QUERY_H
#define NEARDUP_TOKENSET_TOKENSET_QUERY_H

#include "measure/measure_comparison.h"
#include "tokenset/column.h"
#include "tokenset/tokenset.h"

/*
 * In memory and on disk, so the numbers of the measures must not change. `value` is a tokenset.
 * Behind it, a condition for GIN has the TokensetColumn whose index answers it, and a query of
 * MEASURE_EDIT the text whose q-grams the set has.
 */
typedef struct TokensetQuery
{
	int32 vl_len_; /* varlena header (do not touch directly) */
	uint8 version;
	uint8 measure;
	uint8 value_first;	/* 1 if the measure is directed and x is its right operand */
	uint8 is_condition; /* 1 in a constant that the planner made and whose text nothing reads */
	uint8 with_empty;	/* 1 if the predicate is with_empty */
	double threshold;
	char value[FLEXIBLE_ARRAY_MEMBER];
} TokensetQuery;

#define TOKENSET_QUERY_VERSION 1
#define TOKENSET_QUERY_HEADER_SIZE offsetof(TokensetQuery, value)

#define DatumGetTokensetQuery(d) TokensetQueryCheck((TokensetQuery *) PG_DETOAST_DATUM(d))
#define PG_GETARG_TOKENSET_QUERY(n) DatumGetTokensetQuery(PG_GETARG_DATUM(n))

/* Returns the query. Raises data_corrupted if its version is unknown. */
extern TokensetQuery *TokensetQueryCheck(TokensetQuery *query);

/*
 * Returns a new query, with these bytes behind the set. Raises program_limit_exceeded where a set as
 * large as the query would be too large.
 */
extern TokensetQuery *TokensetQueryMake(Predicate predicate, const Tokenset *value,
										bool value_first, const void *rest, Size rest_size);

/* Returns the set that is given, within the query. */
static inline const Tokenset *
TokensetQueryValue(const TokensetQuery *query)
{
	return (const Tokenset *) query->value;
}

/* Returns what is behind the set, within the query; NULL if nothing is. */
extern const void *TokensetQueryRest(const TokensetQuery *query);

/*
 * Finds a measure by the name that it has in a query, and sets measure and with_empty of the
 * predicate; returns false if there is none. Beside the measures without weights, these are edit, for
 * sets of a text's q-grams, and difference, which is hamming with empty sets.
 */
extern bool TokensetQueryMeasureByName(const char *name, Predicate *predicate);

/* Whether a query may have this threshold: a valid one, or -Infinity or Infinity for all sets. */
extern bool TokensetQueryThresholdIsValid(Predicate predicate);

/* Returns the predicate. */
static inline Predicate
TokensetQueryPredicate(const TokensetQuery *query)
{
	return (Predicate){.measure = (Measure) query->measure,
					   .threshold = query->threshold,
					   .gram_length = EDIT_INDEX_GRAM_LENGTH,
					   .with_empty = query->with_empty != 0};
}

/* Returns whether the predicate holds for a set as x. */
extern bool TokensetQueryHolds(const TokensetQuery *query, Datum set);

/*
 * Reads the first and the third argument of tokenset_query: a measure's name, weighted or not, or the
 * text of a comparison, and a number. Returns false for any other text. The threshold of a comparison
 * that all sets satisfy, the empty one too, is infinite. It is not checked otherwise.
 */
extern bool QueryConditionRead(const char *name, double number, Predicate *predicate,
							   ComparisonReach *reach);

/*
 * The same, but raises invalid_parameter_value for what is not valid; weighted measures are not where
 * there are no weights.
 */
extern ComparisonReach QueryConditionOrError(const char *name, double number, bool has_weights,
											 Predicate *predicate);

/* An SQL function, declared for the planner's estimates, which recognize its calls by the address. */
extern Datum tokenset_query(PG_FUNCTION_ARGS);

#endif
