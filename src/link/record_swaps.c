/*
 * record_swaps.c
 *		Finding the values of two rows that changed places.
 *
 * Each of the two values has to stand in another column of the other row. One that does so alone is often of
 * another kind: the surname Weaver, where the other row is a weaver of another name.
 *
 * Columns are compared one after the other, and only the values of one of them are in memory then. So each
 * value of a group has a hash of 32 bits beside them. Two values of one hash are taken for equal: by chance,
 * that is once in billions.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "allocate.h"
#include "link/record_swaps.h"
#include "memory/join_memory.h"
#include "text/token_of_bytes.h"

/* The part of the memory of a join that the hashes take before they go to a file. */
#define PART_OF_HASHES 4

static uint32
hash_of_value(ByteSpan value)
{
	uint32 hash;

	if (value.length == 0)
		return 0;
	hash = (uint32) TokenOfBytes(value.data, value.length);
	return hash == 0 ? 1 : hash;
}

void
RecordSwapsBegin(RecordSwaps *swaps, RecordRows *rows)
{
	int count = rows->request->column_count;
	const LearnedModel *model = rows->request->model;
	uint32 *seen = AllocateArray(count, sizeof(uint32)); /* by column: a hash of a value, or 0 */
	uint32 group;

	*swaps = (RecordSwaps){.rows = rows, .column_count = count, .left_group = NO_ROW};
	swaps->varies = palloc0(count * sizeof(bool));
	swaps->left = AllocateArray(count, sizeof(uint32));
	memset(seen, 0, count * sizeof(uint32));
	RecordFileInit(&swaps->hashes, CurrentMemoryContext, count * sizeof(uint32),
				   JoinMemory() / PART_OF_HASHES);
	RecordRowsRewind(rows);
	while (RecordRowsNext(rows, &group))
	{
		uint32 *hashes = RecordFilePut(&swaps->hashes);

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < count; i++)
		{
			hashes[i] = hash_of_value(RecordRowsValue(rows, i));
			swaps->varies[i] |= hashes[i] != 0 && seen[i] != 0 && hashes[i] != seen[i];
			if (hashes[i] != 0)
				seen[i] = hashes[i];
		}
	}
	for (int i = 0; i < count && model != NULL; i++)
		swaps->varies[i] = !isnan(model->columns[i].weights[FEATURE_SIMILARITY]);
	pfree(seen);
}

static const uint32 *
hashes_of_group(RecordSwaps *swaps, uint32 group)
{
	return RecordFileAt(&swaps->hashes, RecordRowsPosition(swaps->rows, group));
}

/* Whether a value stands in a column of a group that is not this one. */
static bool
stands_elsewhere(const RecordSwaps *swaps, uint32 value, const uint32 *hashes, int column)
{
	for (int i = 0; i < swaps->column_count; i++)
	{
		if (hashes[i] == value && i != column && swaps->varies[i])
			return true;
	}
	return false;
}

bool
RecordSwapsHas(RecordSwaps *swaps, uint32 a, uint32 b, int column)
{
	const uint32 *right;

	if (a != swaps->left_group)
	{
		memcpy(swaps->left, hashes_of_group(swaps, a), swaps->column_count * sizeof(uint32));
		swaps->left_group = a;
	}
	right = hashes_of_group(swaps, b);
	return stands_elsewhere(swaps, swaps->left[column], right, column) &&
		   stands_elsewhere(swaps, right[column], swaps->left, column);
}

void
RecordSwapsEnd(RecordSwaps *swaps)
{
	RecordFileEnd(&swaps->hashes);
	pfree(swaps->varies);
	pfree(swaps->left);
}
