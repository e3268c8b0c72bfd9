/*
 * set_query.h
 *		What a scan asks of a set: an operator and its right operand.
 */
#ifndef NEARDUP_INDEX_SET_QUERY_H
#define NEARDUP_INDEX_SET_QUERY_H

#include "access/skey.h"

#include "index/format.h"
#include "measure/measure.h"

typedef struct SetQuery
{
	int strategy;
	Predicate predicate; /* of INDEX_MATCHES and INDEX_SIMILAR; its measure, of a distance */
	bool value_first;	 /* the operand is the predicate's left side */
	const Token *tokens; /* of the operand, ascending */
	uint32 size;
	uint64 signature[INDEX_MAX_SIGNATURE_WORDS];
	uint64 short_signature; /* of one word */
} SetQuery;

#define SET_QUERY_NEVER ((int64) 1 << 40)

/* False for a NULL operand. Memory is the current context's, or the operand's own. */
extern bool SetQueryInit(SetQuery *query, ScanKey key, uint32 signature_words);

/* Least overlap with a set of this size, maybe 0 or less; SET_QUERY_NEVER where none suffices. */
extern int64 SetQueryLeastOverlap(const SetQuery *query, uint32 size);

/* Whether an empty set may match. */
extern bool SetQueryTakesEmpty(const SetQuery *query);

extern uint32 SetQueryOverlap(const SetQuery *query, const Token *tokens, uint32 size);

/* Distance of a set of this size, by the overlap. */
extern double SetQueryDistance(const SetQuery *query, int64 overlap, int64 size);

#endif
