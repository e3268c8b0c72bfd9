/*
 * set_query.h
 *		What a scan asks of a set: an operator and its right operand.
 *
 * A query is either a condition or an order. Inside the index, the distance of an order is the
 * negative of a measure that is at most 1, and the operators' values are made of that.
 */
#ifndef NEARDUP_INDEX_SET_QUERY_H
#define NEARDUP_INDEX_SET_QUERY_H

#include "access/skey.h"
#include "utils/rel.h"

#include "index/format.h"
#include "measure/measure.h"

typedef struct SetQuery
{
	int strategy;			 /* INDEX_OVERLAPS and so on */
	Predicate predicate;	 /* of a condition of similarity; an order uses its measure only */
	bool value_first;		 /* the operand is the left side of the predicate, or of the measure */
	bool is_exact;			 /* the set that the index has of a row tells what the operator says */
	uint32 recheck_postings; /* that can be counted in the time of a recheck */
	uint32 scope; /* 1 in an index with scope columns, else 0: tokens that sets have there only */
	const Token *tokens; /* of the operand as the index has it, ascending */
	uint32 size;
	uint64 signature[INDEX_MAX_SIGNATURE_WORDS];
	uint64 short_signature; /* of one word, as pending rows have it */
} SetQuery;

/* A least overlap that no set has. */
#define SET_QUERY_NEVER ((int64) 1 << 40)

/*
 * Makes a query of a scan key, whose operand is not NULL. The tokens are in the operand, or in a
 * copy in the current memory context. In an index with scope columns, `salt` is the salt of the
 * scope, else NULL. The query may turn out to be of the strategy INDEX_SCOPE_EQUALS, which has no
 * distance.
 */
extern void SetQueryInit(SetQuery *query, Relation index, ScanKey key, const uint64 *salt,
						 uint32 signature_words);

/* Makes a query that asks for all rows of a scope. */
extern void SetQueryInitScope(SetQuery *query, uint64 salt, uint32 signature_words);

/*
 * Sizes and overlaps count the tokens that sets have in the index. The function returns the least
 * number of common tokens with which a set of this size, at least 1, satisfies the condition. It is
 * 0 or less where no common token is needed, and SET_QUERY_NEVER where no set of this size can
 * match.
 */
extern int64 SetQueryLeastOverlap(const SetQuery *query, uint32 size);

/* Whether a row that the index has without tokens may satisfy the condition. */
extern bool SetQueryTakesEmpty(const SetQuery *query);

/* Returns the number of tokens that the operand shares with a set. */
extern uint32 SetQueryOverlap(const SetQuery *query, const Token *tokens, uint32 size);

/*
 * Returns the distance of a set of this size that shares `overlap` tokens with the operand: the
 * negative measure, or where an order is by overlap, by the part of the operand that it is. A smaller
 * overlap has no smaller distance.
 */
extern double SetQueryDistance(const SetQuery *query, int64 overlap, int64 size);

/*
 * Returns the value of the order's operator at a distance, as a number of double precision. The
 * operator's type is given, since the measure is rounded to it first.
 */
extern double SetQueryOperatorValue(const SetQuery *query, double distance, Oid type);

#endif
