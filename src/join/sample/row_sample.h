/*
 * row_sample.h
 *		A random sample of the sets of a query, read within a time limit.
 */
#ifndef NEARDUP_JOIN_ROW_SAMPLE_H
#define NEARDUP_JOIN_ROW_SAMPLE_H

#include "portability/instr_time.h"

#include "rows/reader.h"
#include "text/tokens.h"

typedef struct SampledRow
{
	Token *tokens;
	uint32 count; /* number of tokens, at least 1 */
	uint32 block; /* block of the query's table that has the row */
	double draw;  /* random, from 0 to 1: rows below a limit are a smaller sample */
} SampledRow;

typedef struct RowSample
{
	MemoryContext context;
	SampledRow *rows;
	uint64 row_count;
	uint64 capacity;
	uint64 token_count;
	double draws;		 /* the limit: a row was taken if its draw was below */
	double share;		 /* share of the query's rows, or its table's blocks, that was read */
	double query_rows;	 /* rows of the whole query, empty sets included; an estimate */
	double read_seconds; /* seconds for reading all; an estimate unless the share is 1 */

	/* While it is read. */
	QuerySample of_query;
	uint64 rows_seen;
	uint64 sets_seen; /* rows whose set is not empty */
	uint64 blocks_seen;
	uint32 last_block;
	instr_time begun;
	double limit; /* seconds after which reading ends */
	bool is_cut;  /* the time was over before the last row */
} RowSample;

/*
 * Reads all rows if the time allows. Otherwise it reads a sample of the rows of the query's table,
 * or of its blocks if it is large; of a query that is not of one table, it reads the first rows.
 * Errors are those of JoinReadQuery.
 */
extern void RowSampleRead(RowSample *sample, const ReaderSpec *reader, const char *query);

extern void RowSampleFree(RowSample *sample);

/* Returns the seconds since a time. */
extern double SecondsSince(instr_time begun);

#endif
