/*
 * size_join.c
 *		Joining small records by their sizes alone.
 */
#include "c.h"

#include "kernel/filters/verify.h"
#include "kernel/filters/size_join.h"

/* Numbers of records, ascending. */
typedef struct RecordList
{
	uint32 *numbers;
	uint32 count;
} RecordList;

/* Returns the records below `end` of a side; in a self-join, of both sides. */
static RecordList
list_side(const JoinRecords *records, uint32 end, bool left)
{
	RecordList list = {JoinAllocate(records->host, end, sizeof(uint32)), 0};

	for (uint32 i = 0; i < end; i++)
	{
		JoinTick(records->host, 1);
		if (!records->two_sided || JoinRecordIsLeft(records, &records->records[i]) == left)
			list.numbers[list.count++] = i;
	}
	return list;
}

/* Returns how many earlier records pass the size filter. */
static uint64
units_of_record(const JoinSpec *spec, uint32 number)
{
	const JoinRecord *record = &spec->records->records[number];
	uint32 start = spec->classes[record->size_class].size_filter_start;

	return number > start ? number - start : 0;
}

uint64
SizeJoinUnits(const JoinSpec *spec)
{
	uint64 units = 0;

	for (uint32 i = 0; i < spec->no_overlap_end; i++)
	{
		JoinTick(spec->records->host, 1);
		units += units_of_record(spec, i);
	}
	return units;
}

void
SizeJoin(const JoinSpec *spec, uint32 first, uint32 end, JoinEmit emit, void *emit_context,
		 JoinCounters *counters)
{
	const JoinRecords *records = spec->records;
	JoinHost *host = records->host;
	uint32 small = spec->no_overlap_end;
	RecordList sides[2];
	uint32 heads[2] = {0, 0}; /* for each side the first record that passes the size filter */

	if (small == 0)
		return;
	sides[0] = list_side(records, small, true);
	sides[1] = list_side(records, small, false);
	for (uint32 i = first; i < Min(end, small) && !host->is_stopped; i++)
	{
		const JoinRecord *x = &records->records[i];
		int64 greatest = PredicateNoOverlapSize(spec->predicate, x->size);
		bool left = records->two_sided && JoinRecordIsLeft(records, x);
		const RecordList *others = &sides[left ? 1 : 0];
		uint32 *head = &heads[left ? 1 : 0];

		while (*head < others->count &&
			   others->numbers[*head] < spec->classes[x->size_class].size_filter_start)
		{
			(*head)++;
		}
		for (uint32 k = *head; k < others->count && others->numbers[k] < i; k++)
		{
			const JoinRecord *y = &records->records[others->numbers[k]];
			uint32 overlap = 0;

			if (y->size > greatest)
				break;
			JoinTick(host, x->size + y->size);
			counters->candidates++;
			if (MeasureHasValue(spec->predicate.measure))
				overlap = OverlapAtLeast(host, JoinRecordTokens(records, x), x->size,
										 JoinRecordTokens(records, y), y->size, 0);
			if (records->two_sided && !left)
				emit(emit_context, y, x, overlap);
			else
				emit(emit_context, x, y, overlap);
		}
		JoinTick(host, 1);
		host->done += units_of_record(spec, i);
	}
	JoinRelease(host, sides[0].numbers, small, sizeof(uint32));
	JoinRelease(host, sides[1].numbers, small, sizeof(uint32));
}
