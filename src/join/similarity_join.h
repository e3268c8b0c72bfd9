/*
 * similarity_join.h
 *		The course of every join.
 *
 * The caller, an SQL function or the planner's node, supplies rows and takes pairs; an engine
 * (kernel/engines.h) finds them. What a row is, its kind tells (rows/row_kind.h). Order of calls:
 * SimilarityJoinBegin; JoinInputAppend for each row, JoinInputBeginRight before a right side;
 * SimilarityJoinRead; SimilarityJoinFind, and SimilarityJoinNext until false, for each predicate;
 * SimilarityJoinEnd.
 */
#ifndef NEARDUP_JOIN_SIMILARITY_JOIN_H
#define NEARDUP_JOIN_SIMILARITY_JOIN_H

#include "portability/instr_time.h"

#include "kernel/demand/demands.h"
#include "kernel/engine.h"
#include "join/process.h"
#include "rows/parts.h"
#include "join/workers/leader.h"

typedef struct JoinTask
{
	const char *name; /* name that progress reports; NULL reports none */
	const RowKind *kind;
	Predicate predicate;	 /* the weakest that a pass may have */
	JoinAlgorithm algorithm; /* one that serves the kind */
	BucketSpec *buckets;	 /* set for JOIN_BUCKETS, else NULL */
	bool distinct_keys; /* only rows of different keys pair, the lesser first unless directed */
	bool may_share;		/* whether workers may take part */
	uint64 most_rows;	/* tokens that more rows have find no pairs; 0 for no limit (input.h) */
	Size memory;		/* in bytes; 0 takes JoinMemory() */
	PairDemand demand;	/* which pairs are wanted, by key */

	Size consumer_bytes; /* reserved for the taker of pairs, beside a spilled part */

	/* Called after each part; may be NULL. */
	void (*part_ends)(void *context, const JoinEngine *engine);
	void *part_context;
} JoinTask;

typedef struct JoinSeconds
{
	double read;
	double canonicalize;
	double index;
	double probe;
	double total;
} JoinSeconds;

/*
 * Takes a pair of rows of join->part; returns the number of pairs of the result. Under a directed
 * measure a is the left side.
 */
typedef uint64 (*TakePair)(void *context, const FoundPair *pair);

typedef struct SimilarityJoin
{
	const JoinTask *task;
	Predicate predicate;
	MemoryContext context;
	instr_time begun;
	Size limit; /* of reading, in bytes */
	JoinProcess process;
	JoinInput input;
	TakePair take; /* NULL to count only */
	void *take_context;
	Size taker_bytes; /* memory that the taker of pairs holds now, as the taker says */

	/* The input, or the present part of spilled rows; NULL between parts. */
	JoinInput *part;
	JoinParts parts;
	bool is_canonical; /* whether the input has been canonicalized */
	bool is_done;	   /* whether the input has been joined */
	JoinEngine engine;
	JoinArena before_index;
	PairRule rule;
	JoinParticipant self;
	uint32 unit;
	uint32 unit_count;

	JoinWorkers *workers;
	int most_workers;
	bool workers_were_begun; /* they were asked for, even if none came */
	bool is_shared;			 /* whether workers share the part */
	Size arena_bytes;		 /* bytes of the arena by which the part is shared */
	double unshared;		 /* postings joined without workers */

	JoinCounters counters;
	JoinSeconds seconds;
	uint64 row_count;
	uint64 token_count;
	uint64 distinct_tokens; /* distinct tokens of the largest part */
	uint64 posting_count;
	uint64 part_count;
	uint64 pair_count;
	WorkerFigures workers_did;
	Size memory_bytes; /* peak of the whole join */
	Size shared_bytes; /* peak while there are workers, without what each of them has of its own */
	int64 temp_bytes;
} SimilarityJoin;

/*
 * Begins a join whose memory, in a child of `parent`, is limited by the task; rows beyond that go to
 * temporary files.
 */
extern void SimilarityJoinBegin(SimilarityJoin *join, const JoinTask *task, MemoryContext parent);

/* Ends the reading of rows; the caller has appended the last one. */
extern void SimilarityJoinRead(SimilarityJoin *join);

/* Does the same for rows that the input has instead of those it had, when no part is being joined. */
extern void SimilarityJoinReadAgain(SimilarityJoin *join);

/* Sets the predicate and the taker of pairs; a NULL taker counts only. */
extern void SimilarityJoinFind(SimilarityJoin *join, Predicate predicate, TakePair take,
							   void *take_context);

/* Wants no more pairs of this predicate. The taker calls it, which may be given some more. */
static inline void
SimilarityJoinStop(SimilarityJoin *join)
{
	join->process.host.is_stopped = true;
}

/* Begins a part, or does a unit of it; false at the end, or when the join has been stopped. */
extern bool SimilarityJoinNext(SimilarityJoin *join);

/* Raises memory_bytes to the present peak. */
extern void SimilarityJoinNoteMemory(SimilarityJoin *join);

/* Ends the workers, frees the memory, closes the files; the figures remain. */
extern void SimilarityJoinEnd(SimilarityJoin *join);

#endif
