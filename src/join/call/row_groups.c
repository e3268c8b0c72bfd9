/*
 * row_groups.c
 *		Grouping rows by a hash of their sets.
 */
#include "postgres.h"

#include "allocate.h"
#include "join/call/row_groups.h"

void
RowGroupsInit(RowGroups *groups, MemoryContext context)
{
	memset(groups, 0, sizeof(*groups));
	groups->context = context;
	groups->reading_context =
		AllocSetContextCreate(context, "neardup row groups", ALLOCSET_DEFAULT_SIZES);
}

void
RowGroupsBeginQuery(RowGroups *groups)
{
	if (groups->copies != NULL)
		CopiesFree(groups->copies);
	groups->copies = CopiesCreate(groups->reading_context);
	groups->left_count = groups->count;
	groups->empty = NO_GROUP;
}

bool
RowGroupsAdd(RowGroups *groups, const JoinRow *row)
{
	MemoryContext previous = MemoryContextSwitchTo(groups->reading_context);
	uint32 group =
		CopiesFirst(groups->copies, row->data, row->count * sizeof(int64), groups->count);
	bool is_first = group == groups->count;

	ARRAY_MAKE_ROOM(groups->of_rows, groups->row_count, groups->row_capacity);
	groups->of_rows[groups->row_count++] = group;
	if (row->count == 0)
		groups->empty = group;
	if (is_first)
	{
		ARRAY_MAKE_ROOM(groups->sizes, groups->count, groups->size_capacity);
		groups->sizes[groups->count++] = (uint32) row->count;
	}
	MemoryContextSwitchTo(previous);
	return is_first;
}

/* Ranks the groups, and makes starts[rank + 1] the first index of the members of each. */
static void
rank_groups(RowGroups *groups, const KeyOrder *order)
{
	uint32 next = 0;

	memset(groups->ranks, 0xFF, groups->count * sizeof(uint32));
	memset(groups->starts, 0, ((Size) groups->count + 2) * sizeof(uint32));
	for (uint32 place = 0; place < groups->row_count; place++)
	{
		uint32 number = groups->of_rows[order->by_rank[place]];

		if (groups->ranks[number] == NO_GROUP)
		{
			groups->ranks[number] = next;
			groups->numbers[next++] = number;
		}
		groups->starts[groups->ranks[number] + 2]++;
	}
	for (uint32 group = 0; group < groups->count; group++)
	{
		groups->starts[group + 2] += groups->starts[group + 1];
	}
}

void
RowGroupsOrder(RowGroups *groups, const KeyOrder *order)
{
	MemoryContext previous = MemoryContextSwitchTo(groups->context);

	groups->ranks = AllocateArray(groups->count, sizeof(uint32));
	groups->numbers = AllocateArray(groups->count, sizeof(uint32));
	groups->starts = AllocateArray((Size) groups->count + 2, sizeof(uint32));
	groups->members = AllocateArray(groups->row_count, sizeof(uint32));
	rank_groups(groups, order);
	for (uint32 place = 0; place < groups->row_count; place++)
	{
		uint32 group = groups->ranks[groups->of_rows[order->by_rank[place]]];

		groups->members[groups->starts[group + 1]++] = place;
	}
	if (RowGroupsHaveCopies(groups))
	{
		groups->measured = AllocateArray(groups->count, sizeof(int64));
		for (uint32 group = 0; group < groups->count; group++)
			groups->measured[group] = groups->sizes[groups->numbers[group]];
	}
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(groups->reading_context);
	groups->copies = NULL;
	groups->of_rows = groups->sizes = NULL;
}

void
RowGroupsWeigh(RowGroups *groups, const JoinRecords *records, const int64 *keys)
{
	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *record = &records->records[i];

		groups->measured[groups->ranks[keys[record->row]]] = JoinRecordMeasured(records, record);
	}
}
