/*
 * sample_join.h
 *		The join of a sample, in memory, ended when its time is over.
 */
#ifndef NEARDUP_JOIN_SAMPLE_JOIN_H
#define NEARDUP_JOIN_SAMPLE_JOIN_H

#include "join/sample/row_sample.h"
#include "join/similarity_join.h"

typedef struct SampleJoin
{
	const RowSample *sample;
	double draws; /* of the rows joined: those below */
	double drawn; /* share of the rows read that are joined */
	uint32 row_count;
	uint64 token_count;

	/* Of the last threshold. */
	double pairs;	 /* of the whole query */
	double variance; /* of this estimate */
	double index_seconds;
	double probe_seconds;
	double postings;
	double pairs_met; /* in lists of the index */
	double pairs_found;

	/* By joined row. */
	uint32 *rows;  /* number in the sample */
	uint32 *units; /* those that were sampled: rows, or blocks */

	/* By unit: pairs that its own stand for; and of rows, the sum of squares of each one's. */
	uint32 unit_count;
	double *weights;
	double *squares;
	double weight; /* of a pair */
	double weight_in_block;

	JoinTask task;
	SimilarityJoin join;
	MemoryContext context;
	instr_time begun;
	double limit; /* in seconds */
	bool is_over;
} SampleJoin;

/* `weakest` of the predicates to come. */
extern SampleJoin *SampleJoinBegin(const RowSample *sample, double draws, Predicate weakest);

/* False if it would take longer than `limit` seconds; then only SampleJoinEnd follows. */
extern bool SampleJoinFind(SampleJoin *join, Predicate predicate, double limit);

extern void SampleJoinEnd(SampleJoin *join);

#endif
