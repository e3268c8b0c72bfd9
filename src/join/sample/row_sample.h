/*
 * row_sample.h
 *		A random sample of the sets of a query, ready to be joined.
 */
#ifndef NEARDUP_JOIN_ROW_SAMPLE_H
#define NEARDUP_JOIN_ROW_SAMPLE_H

#include "portability/instr_time.h"

#include "join/call/call_rows.h"
#include "join/call/join_passes.h"

typedef struct RowSample
{
	/*
	 * Set by the caller. The request's query is read; its task has the kind, the weakest predicate that
	 * the sample will be joined by, and the memory that the sample and its join may take.
	 */
	JoinRequest request;
	bool
		is_distinct; /* rows of equal sets are one row, and whether it is taken depends on the set alone */
	bool is_timed; /* the query is read for a second at the most, if need be a part of it only */

	/* What was read. */
	double share;		 /* share of the query's rows, or of its table's blocks, that was read */
	double drawn;		 /* share of these rows, or of their different sets, that is in the join */
	double query_rows;	 /* rows of the whole query, empty sets included; an estimate */
	double read_seconds; /* seconds for reading all; an estimate unless the share is 1 */
	SimilarityJoin join; /* its keys are numbers of groups */
	JoinPasses passes;
	CallRows rows;
	QuerySample of_query;
	uint32 *draws;	/* random, by number of the group */
	uint32 *blocks; /* of the query's table, if it is sampled by blocks; by number of the group */

	/* While it is read. */
	MemoryContext context;
	double limit; /* a row is taken if its draw is below this part of the greatest one */
	uint64 rows_seen;
	uint64 sets_seen; /* rows whose set is not empty */
	uint64 blocks_seen;
	uint32 last_block;
	instr_time begun;
	double seconds; /* after which reading ends */
} RowSample;

/*
 * Reads the query in a memory context of its own within the current one. Without a time limit, all rows
 * are read. With one, if it is too short for all of them: a sample of the rows of the query's table, or
 * of its blocks if it is large; of a query that is not of one table, the rows that come first. If the
 * rows are too many for the memory, a random part of them is kept. Errors are those of JoinReadQuery.
 */
extern void RowSampleRead(RowSample *sample);

/* Drops the rows whose draws are not below this part of the limit. */
extern void RowSampleShrink(RowSample *sample, double part);

extern void RowSampleEnd(RowSample *sample);

/* Whether a draw is below a part of the greatest one. */
static inline bool
RowSampleDraws(uint32 draw, double part)
{
	return draw < part * ((double) PG_UINT32_MAX + 1);
}

/* Whether all rows of the query, or all its different sets, are in the join. */
static inline bool
RowSampleIsComplete(const RowSample *sample)
{
	return sample->share >= 1 && sample->limit >= 1;
}

/* Returns the number of rows that are in the join. */
static inline uint32
RowSampleCount(const RowSample *sample)
{
	return sample->join.input.keys.count;
}

/* Returns the seconds since a time. */
extern double SecondsSince(instr_time begun);

#endif
