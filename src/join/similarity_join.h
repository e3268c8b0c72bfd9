/*
 * similarity_join.h
 *		One run of a join, from its queries to its pairs.
 */
#ifndef NEARDUP_SIMILARITY_JOIN_H
#define NEARDUP_SIMILARITY_JOIN_H

#include "utils/tuplestore.h"

#include "join/kernel/engine.h"
#include "join/reader.h"

/* What the user asked for. */
typedef struct JoinRequest
{
	const char *queries[2]; /* the second is NULL in a self-join */
	Predicate predicate;
	JoinAlgorithm algorithm;
	ReaderSpec reader;
} JoinRequest;

typedef struct JoinSeconds
{
	double read;
	double canonicalize;
	double index;
	double probe;
	double total;
} JoinSeconds;

/* A join under way, and in the end its figures. */
typedef struct SimilarityJoin
{
	const JoinRequest *request;
	MemoryContext context;
	JoinHost host;
	JoinInput input;
	JoinInput *joined; /* what pairs are found in: the input, or a part of what it spilled */

	JoinCounters counters;
	JoinSeconds seconds;
	uint64 row_count;
	uint64 token_count;
	uint64 distinct_tokens; /* of the largest part, where rows were spilled */
	uint64 posting_count;	/* of all parts */
	uint64 pair_count;
	Size key_bytes; /* at most, beside the host's bytes */
	int64 temp_bytes;

	/* Where pairs go; NULL if they are only counted. */
	Tuplestorestate *tuplestore;
	TupleDesc tuple_descriptor;
} SimilarityJoin;

/*
 * Runs the join in a memory context of its own, which is gone afterwards.
 * Takes no more than work_mem times hash_mem_multiplier; what does not fit is
 * joined from temporary files, block by block.
 */
extern void SimilarityJoinRun(SimilarityJoin *join, const JoinRequest *request);

#endif
