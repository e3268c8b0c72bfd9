/*
 * tokenset_query.h
 *		The type tokenset_query: a similarity predicate without one of its sets, x.
 *
 * The planner makes it from a predicate's arguments, so that an index on x can answer it.
 */
#ifndef NEARDUP_TOKENSET_TOKENSET_QUERY_H
#define NEARDUP_TOKENSET_TOKENSET_QUERY_H

#include "tokenset/column.h"
#include "tokenset/tokenset.h"

/*
 * In memory and on disk: the numbers of the measures must not change. Behind the value of an index
 * condition stands the TokensetColumn whose index answers it.
 */
typedef struct TokensetQuery
{
	int32 vl_len_; /* varlena header (do not touch directly) */
	uint8 version;
	uint8 measure;
	uint8 value_first; /* asymmetric measure whose right side is x */
	uint8 unused;
	double threshold;
	char value[FLEXIBLE_ARRAY_MEMBER];
} TokensetQuery;

#define TOKENSET_QUERY_VERSION 1
#define TOKENSET_QUERY_HEADER_SIZE offsetof(TokensetQuery, value)

#define DatumGetTokensetQuery(d) TokensetQueryCheck((TokensetQuery *) PG_DETOAST_DATUM(d))
#define PG_GETARG_TOKENSET_QUERY(n) DatumGetTokensetQuery(PG_GETARG_DATUM(n))

/* Returns the query; data_corrupted where its version is unknown. */
extern TokensetQuery *TokensetQueryCheck(TokensetQuery *query);

static inline const Tokenset *
TokensetQueryValue(const TokensetQuery *query)
{
	return (const Tokenset *) query->value;
}

/* NULL where the query was not made by the planner. */
extern const TokensetColumn *TokensetQueryColumn(const TokensetQuery *query);

static inline Predicate
TokensetQueryPredicate(const TokensetQuery *query)
{
	Predicate predicate = {.measure = (Measure) query->measure, .threshold = query->threshold};

	return predicate;
}

#endif
