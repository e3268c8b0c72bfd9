/*
 * list_partitions.c
 *		Cuts the tokens into partitions of about equally many postings.
 *
 * Document frequencies do not tell how many postings a token has, since a token counts only in
 * prefixes. So the postings of a sample of the records are counted by cell, a range of tokens of
 * equal length. A partition is a number of cells.
 */
#include "c.h"

#include "kernel/engine.h"
#include "kernel/lists/list_partitions.h"
#include "kernel/lists/list_slices.h"

/* The sample is one of this many records, within bounds. */
#define RECORDS_PER_SAMPLED 32
#define LEAST_SAMPLED 2000
#define MOST_SAMPLED 10000

/* Adds a record's postings to the counts of their cells, and returns their number. */
static uint32
partition_count_postings(const ListPartitions *partitions, const JoinSpec *spec,
						 const JoinRecord *record, uint32 *cells)
{
	const JoinRecords *records = spec->records;
	const uint32 *tokens = JoinRecordTokens(records, record);
	uint32 ends[LIST_SLICES];
	uint32 prefix;
	uint32 count = 0;

	ListSliceEnds(spec, record, ends);
	prefix = Max(ends[LEFT_PROBING], ends[RIGHT_PROBING]);
	JoinTick(records->host, prefix);
	for (uint32 k = 0; k < prefix; k++)
	{
		if (tokens[k] < records->first_shared_token)
			continue;
		cells[tokens[k] >> partitions->cell_shift]++;
		count++;
	}
	return count;
}

/* Begins a partition where the postings before it are at least its share of them. */
static void
partition_cut(ListPartitions *partitions, const uint32 *cells, uint64 sampled, uint64 wanted)
{
	uint64 so_far = 0;

	partitions->count = 1;
	for (uint32 cell = 0; cell < partitions->cell_count; cell++)
	{
		if (so_far * wanted >= sampled * partitions->count && so_far > 0 &&
			partitions->count < LIST_MAX_PARTITIONS)
			partitions->tokens[partitions->count++] = cell << partitions->cell_shift;
		partitions->of_cell[cell] = partitions->count - 1;
		so_far += cells[cell];
	}
}

void
ListPartitionsInit(ListPartitions *partitions, const JoinSpec *spec)
{
	const JoinRecords *records = spec->records;
	JoinHost *host = records->host;
	uint32 sample_size =
		Min(Max(records->record_count / RECORDS_PER_SAMPLED, LEAST_SAMPLED), MOST_SAMPLED);
	uint32 step = Max(records->record_count / sample_size, 1);
	uint32 *cells;
	uint64 sampled = 0;
	uint64 wanted;

	partitions->cell_shift = 0;
	while ((records->distinct_tokens >> partitions->cell_shift) >= LIST_MAX_CELLS)
		partitions->cell_shift++;
	partitions->cell_count = (records->distinct_tokens >> partitions->cell_shift) + 1;
	cells = JoinAllocateZero(host, partitions->cell_count, sizeof(uint32));
	for (uint32 i = 0; i < records->record_count; i += step)
		sampled += partition_count_postings(partitions, spec, &records->records[i], cells);

	wanted = Max(ListPartitionCount(sampled * step), JoinStepUnits(host, sampled * step));
	partitions->of_cell = JoinAllocateShared(host, partitions->cell_count, sizeof(uint16));
	partitions->tokens = JoinAllocateShared(host, LIST_MAX_PARTITIONS + 1, sizeof(uint32));
	partitions->tokens[0] = records->first_shared_token;
	partition_cut(partitions, cells, sampled, Min(wanted, LIST_MAX_PARTITIONS));
	partitions->tokens[partitions->count] = records->distinct_tokens;
	JoinRelease(host, cells, partitions->cell_count, sizeof(uint32));
}

void
ListPartitionsFinish(ListPartitions *partitions, JoinHost *host)
{
	JoinRelease(host, partitions->of_cell, partitions->cell_count, sizeof(uint16));
	partitions->of_cell = NULL;
}

void
ListPartitionsFree(ListPartitions *partitions, JoinHost *host)
{
	JoinRelease(host, partitions->tokens, LIST_MAX_PARTITIONS + 1, sizeof(uint32));
}
