/*
 * record_swaps.h
 *		Which values of two rows changed places, as swapped names do.
 */
#ifndef NEARDUP_LINK_RECORD_SWAPS_H
#define NEARDUP_LINK_RECORD_SWAPS_H

#include "link/record_rows.h"
#include "rows/record_file.h"

typedef struct RecordSwaps
{
	const RecordRows *rows;
	int column_count;
	RecordFile hashes; /* by position of the group: a hash of each value, or 0 */
	bool *varies; /* by column: it has more than one value, or had when the model was learned */
	uint32 left_group; /* the group whose hashes were read last as the first of a pair, or NO_ROW */
	uint32 *left;
} RecordSwaps;

/* Reads the values of the groups. Allocates in the current memory context; hashes may go to a file. */
extern void RecordSwapsBegin(RecordSwaps *swaps, RecordRows *rows);

/*
 * Whether the values that two groups have in a column both stand in another column of the other group.
 * Columns of one value only do not count. Groups are best asked for in the order of the first one.
 */
extern bool RecordSwapsHas(RecordSwaps *swaps, uint32 a, uint32 b, int column);

extern void RecordSwapsEnd(RecordSwaps *swaps);

#endif
