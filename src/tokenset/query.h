/*
 * query.h
 *		The type tokenset_query: a similarity predicate with one of its sets.
 *
 * `jaccard(x, {1,2,3}) >= 0.8`: what remains to be given is x. The planner
 * makes a query of a predicate's other arguments, so that an index on x can
 * answer it.
 */
#ifndef NEARDUP_QUERY_H
#define NEARDUP_QUERY_H

#include "tokenset/tokenset.h"

/*
 * In memory and on disk. The measure is the number of its enum, hence these
 * numbers must stay. The set stands behind as a value of its own; it is
 * aligned as the query is. After it may stand a second set, the part of its
 * tokens that an index is to look up: a hint by the planner, which the text and
 * the binary form leave out.
 */
typedef struct TokensetQuery
{
	int32 vl_len_; /* varlena header (do not touch directly) */
	uint8 version;
	uint8 measure;
	uint8 value_first; /* of an asymmetric measure: x is the right side */
	uint8 unused;
	double threshold;
	char value[FLEXIBLE_ARRAY_MEMBER];
} TokensetQuery;

#define TOKENSET_QUERY_VERSION 1
#define TOKENSET_QUERY_HEADER_SIZE offsetof(TokensetQuery, value)

#define DatumGetTokensetQuery(d) TokensetQueryCheck((TokensetQuery *) PG_DETOAST_DATUM(d))
#define PG_GETARG_TOKENSET_QUERY(n) DatumGetTokensetQuery(PG_GETARG_DATUM(n))

/* Raises data_corrupted where the value's version is not known; returns the query. */
extern TokensetQuery *TokensetQueryCheck(TokensetQuery *query);

static inline const Tokenset *
TokensetQueryValue(const TokensetQuery *query)
{
	return (const Tokenset *) query->value;
}

/* The tokens to look up, or NULL for all. */
extern const Tokenset *TokensetQueryLookups(const TokensetQuery *query);

/* The query with the tokens to look up, which must be among the value's. */
extern TokensetQuery *TokensetQueryWithLookups(const TokensetQuery *query, const Tokenset *lookups);

static inline Predicate
TokensetQueryPredicate(const TokensetQuery *query)
{
	Predicate predicate = {.measure = (Measure) query->measure, .threshold = query->threshold};

	return predicate;
}

#endif
