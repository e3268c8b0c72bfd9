/*
 * sample_join.h
 *		Joins the rows of a sample, or some of them, and estimates the pairs of the whole query.
 */
#ifndef NEARDUP_JOIN_SAMPLE_JOIN_H
#define NEARDUP_JOIN_SAMPLE_JOIN_H

#include "join/sample/pair_counts.h"
#include "join/sample/row_sample.h"

/* One pass over the rows of a sample. */
typedef struct SampleJoin
{
	RowSample *sample;
	Predicate predicate; /* no weaker than that of the sample's task */
	double part;		 /* of the sample's rows that are joined; the same ones each time */
	double seconds;		 /* after which the pass ends */
	bool counts_only;	 /* whether it does not matter in which bins pairs are counted */

	/* What the pass has found. */
	uint32 joined; /* rows of the sample */
	PairCounts counts;

	/* While it is run. */
	double weight;		 /* the pairs of the query that a pair stands for */
	double block_weight; /* the same if both rows are of one block of the table */
	double squares;
#define SUBSAMPLES 64
	double subsamples[SUBSAMPLES];
	instr_time begun;
} SampleJoin;

/* Runs the pass; returns false if the time was over before its end. */
extern bool SampleJoinRun(SampleJoin *join);

/* Returns how many pairs of the query could be expected at most if one pair more were found. */
extern double SampleJoinWeight(const SampleJoin *join);

#endif
