/*
 * query_join.h
 *		The join of the rows of one query or two.
 */
#ifndef NEARDUP_JOIN_QUERY_JOIN_H
#define NEARDUP_JOIN_QUERY_JOIN_H

#include "rows/reader.h"
#include "join/similarity_join.h"

typedef struct JoinRequest
{
	JoinTask task;
	const char *queries[2]; /* [1] is NULL in a self-join */
	ReaderSpec reader;
} JoinRequest;

/* Begins the join and reads the queries. Raises the errors of JoinReadQuery. */
extern void QueryJoinBegin(SimilarityJoin *join, const JoinRequest *request);

/* The same by a sink that appends the rows to the join's input; sets its kind and input. */
extern void QueryJoinBeginBy(SimilarityJoin *join, const JoinRequest *request, RowSink *sink);

/* Finds all pairs that satisfy the predicate; only counts them if take is NULL. */
extern void QueryJoinPairs(SimilarityJoin *join, Predicate predicate, TakePair take,
						   void *take_context);

/* Returns the key of a row as a result has it. */
static inline Datum
QueryJoinKey(const SimilarityJoin *join, const JoinRequest *request, uint32 row)
{
	return JoinKeysResult(&join->part->keys, request->reader.key_policy, row);
}

#endif
