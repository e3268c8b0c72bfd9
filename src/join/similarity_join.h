/*
 * similarity_join.h
 *		One run of a join, from its queries to its pairs.
 */
#ifndef NEARDUP_SIMILARITY_JOIN_H
#define NEARDUP_SIMILARITY_JOIN_H

#include "join/call.h"
#include "join/crew.h"
#include "join/reader.h"

/* What the user asked for. */
typedef struct JoinRequest
{
	const char *function;	/* by whose name progress is reported */
	const char *queries[2]; /* the second is NULL in a self-join */
	Predicate predicate;	/* the weakest, if pairs are to be found for several */
	JoinAlgorithm algorithm;
	BucketSpec buckets; /* of JOIN_BUCKETS */
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

/* Receives a pair: the keys, which it must copy if it keeps them, and the measure's value. */
typedef void (*TakePair)(void *context, Datum a, Datum b, double value);

/* A join under way, and its figures so far. */
typedef struct SimilarityJoin
{
	const JoinRequest *request;
	Predicate predicate; /* the present one */
	MemoryContext context;
	Size limit; /* of memory, in bytes; what is sorted takes the rest */
	JoinProcess process;
	int most_workers;
	double time_to_start; /* them, as of JoinCrewWorth */
	bool crew_was_begun;  /* also where there were no workers to be had */
	JoinInput input;
	bool is_canonical; /* the input, in memory */
	bool is_shared;	   /* what is joined, with the crew */
	Size arena_bytes;  /* that sharing it takes */
	JoinInput *joined; /* what pairs are found in: the input, or a part of what it spilled */

	PairRule rule;

	JoinCounters counters;
	JoinSeconds seconds;
	uint64 row_count;
	uint64 token_count;
	uint64 distinct_tokens; /* of the largest part, where rows were spilled */
	uint64 posting_count;	/* of all parts */
	uint64 pair_count;
	uint64 *key_candidates; /* of JOIN_BUCKETS, by band; in the caller's context */
	CrewFigures crew;		/* of the workers, when it has ended */
	Size memory_bytes;		/* at most at a time: the kernel's, the keys', files and sorts */
	int64 temp_bytes;

	TakePair take; /* NULL if pairs are only counted */
	void *take_context;
} SimilarityJoin;

/*
 * Reads the queries, in a memory context of the join's own. Takes no more
 * memory than work_mem times hash_mem_multiplier, as far as the request's predicate
 * is concerned; what does not fit is joined from temporary files, block by block.
 */
extern void SimilarityJoinBegin(SimilarityJoin *join, const JoinRequest *request);

/* Finds all pairs for which the predicate holds. Can be called again, with another one. */
extern void SimilarityJoinPairs(SimilarityJoin *join, Predicate predicate, TakePair take,
								void *take_context);

/* Ends the workers, frees the memory and closes the files; the figures remain. */
extern void SimilarityJoinEnd(SimilarityJoin *join);

#endif
