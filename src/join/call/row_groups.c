/*
 * row_groups.c
 *		Grouping rows by a hash of their sets.
 */
#include "postgres.h"

#include "allocate.h"
#include "join/call/row_groups.h"
#include "text/interrupts.h"

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

	ARRAY_MAKE_ROOM(groups->of_rows, groups->row_count, groups->row_capacity);
	groups->of_rows[groups->row_count++] = group;
	if (row->count == 0)
		groups->empty = group;
	MemoryContextSwitchTo(previous);
	if (group < groups->count)
		return false;
	groups->count++;
	return true;
}

/* Counts the members of each group, and makes starts[group + 1] the first place of its members. */
static void
place_groups(RowGroups *groups)
{
	memset(groups->starts, 0, ((Size) groups->count + 2) * sizeof(uint32));
	for (uint32 number = 0; number < groups->row_count; number++)
	{
		CHECK_NOW_AND_THEN(number);
		groups->starts[groups->of_rows[number] + 2]++;
	}
	for (uint32 group = 0; group < groups->count; group++)
	{
		CHECK_NOW_AND_THEN(group);
		groups->starts[group + 2] += groups->starts[group + 1];
	}
}

void
RowGroupsOrder(RowGroups *groups, const KeyOrder *order)
{
	MemoryContext previous = MemoryContextSwitchTo(groups->context);

	groups->starts = AllocateArray((Size) groups->count + 2, sizeof(uint32));
	groups->members = AllocateArray(groups->row_count, sizeof(uint32));
	place_groups(groups);
	for (uint32 place = 0; place < groups->row_count; place++)
	{
		CHECK_NOW_AND_THEN(place);
		groups->members[groups->starts[groups->of_rows[order->by_rank[place]] + 1]++] = place;
	}
	if (RowGroupsHaveCopies(groups))
	{
		groups->measured = AllocateArray(groups->count, sizeof(int64));
		memset(groups->measured, 0, groups->count * sizeof(int64));
	}
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(groups->reading_context);
	groups->copies = NULL;
	groups->of_rows = NULL;
}

void
RowGroupsMeasure(RowGroups *groups, const JoinRecords *records, const int64 *keys)
{
	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *record = &records->records[i];

		CHECK_NOW_AND_THEN(i);
		groups->measured[keys[record->row]] = JoinRecordMeasured(records, record);
	}
}
