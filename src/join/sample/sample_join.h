/*
 * sample_join.h
 *		Joins a sample in memory, and ends the join when its time is over.
 */
#ifndef NEARDUP_JOIN_SAMPLE_JOIN_H
#define NEARDUP_JOIN_SAMPLE_JOIN_H

#include "join/sample/row_sample.h"
#include "join/similarity_join.h"

typedef struct SampleJoin
{
	const RowSample *sample;
	double draws; /* the rows whose draw is below are joined */
	double drawn; /* their share of the rows that were read */
	uint32 row_count;
	uint64 token_count;

	/* What the join by the last predicate found and took. */
	double pairs;	 /* estimate of the pairs of the whole query */
	double variance; /* variance of this estimate */
	double index_seconds;
	double probe_seconds;
	double postings;
	double pairs_met; /* pairs that met in lists of the index, as JoinCounters counts them */
	double pairs_found;

	/* Arrays with an element for each joined row. */
	uint32 *rows;  /* its number in the sample */
	uint32 *units; /* the number of its unit: units are what was sampled, rows or blocks */

	/*
	 * A pair that was found stands for `weight` pairs of the query, or for `weight_in_block` if both
	 * rows are of one block. By unit: the sum of these weights over the pairs that have a row of the
	 * unit, and the sum of their squares.
	 */
	uint32 unit_count;
	double *weights;
	double *squares;
	double weight;
	double weight_in_block;

	JoinTask task;
	SimilarityJoin join;
	MemoryContext context;
	instr_time begun;
	double limit; /* seconds after which the join ends */
} SampleJoin;

/*
 * Begins a join of the rows whose draw is below `draws`. `weakest` accepts the most pairs of all
 * predicates that the join will be run with. All memory is in a context of its own within the
 * current one.
 */
extern SampleJoin *SampleJoinBegin(const RowSample *sample, double draws, Predicate weakest);

/*
 * Finds the pairs, and sets the estimates and figures. Returns false if the join takes longer than
 * `limit` seconds; then only SampleJoinEnd may follow.
 */
extern bool SampleJoinFind(SampleJoin *join, Predicate predicate, double limit);

extern void SampleJoinEnd(SampleJoin *join);

#endif
