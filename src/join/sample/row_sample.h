/*
 * row_sample.h
 *		A random sample of the sets of a query, read within a limit of time.
 */
#ifndef NEARDUP_JOIN_ROW_SAMPLE_H
#define NEARDUP_JOIN_ROW_SAMPLE_H

#include "portability/instr_time.h"

#include "join/rows/reader.h"
#include "text/tokens.h"

typedef struct SampledRow
{
	Token *tokens;
	uint32 count; /* at least 1 */
	uint32 block; /* of the table of the query */
	double draw;  /* from 0; rows below a limit are a smaller sample */
} SampledRow;

typedef struct RowSample
{
	MemoryContext context;
	SampledRow *rows;
	uint64 row_count;
	uint64 capacity;
	uint64 token_count;
	double draws;		 /* each row was taken if its draw was below */
	double share;		 /* of the rows of the query, or blocks of its table, that was read */
	double query_rows;	 /* of the whole query, empty sets included */
	double read_seconds; /* likewise; an estimate unless the share is 1 */

	/* While it is read. */
	QuerySample of_query;
	uint64 rows_seen;
	uint64 sets_seen; /* that are not empty */
	uint64 blocks_seen;
	uint32 last_block;
	instr_time begun;
	double limit; /* in seconds */
	bool is_cut;
} RowSample;

/*
 * Reads all rows if the time allows. Else reads a sample of the rows of the query's table, or of its
 * blocks if it is large; of a query that is not of one table, the first rows. Errors as of
 * JoinReadQuery.
 */
extern void RowSampleRead(RowSample *sample, const ReaderSpec *reader, const char *query);

extern void RowSampleFree(RowSample *sample);

/* Since a time, in seconds. */
extern double SecondsSince(instr_time begun);

#endif
