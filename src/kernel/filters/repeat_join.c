/*
 * repeat_join.c
 *		Finds equal records, and joins them.
 */
#include "c.h"

#include "port/pg_bitutils.h"

#include "kernel/filters/repeat_join.h"

RecordRange
RepeatsOf(const JoinRecords *records, uint32 record)
{
	RecordRange range = {record, record + 1};

	while (range.end < records->record_count && JoinRecordRepeatsSide(records, range.end))
	{
		JoinTick(records->host, 1);
		range.end++;
	}
	return range;
}

/* Returns the first record of first .. end - 1 that equals the one before it, or end. */
static uint32
next_repeat(const JoinRecords *records, uint32 first, uint32 end)
{
	while (first < end)
	{
		uint32 from_first = records->repeats[first / 32] >> (first % 32);

		if (from_first != 0)
			return Min(first + pg_rightmost_one_pos32(from_first), end);
		first = (first / 32 + 1) * 32;
	}
	return end;
}

/* Returns whether two equal records of a size, or total weight, are similar and need overlap. */
static bool
repeats_are_similar(const JoinSpec *spec, int64 size)
{
	int64 least_overlap;

	if (spec->records->weighing.is_weighted)
		return PredicateHolds(spec->predicate, size, size, size);
	/* SizeJoin finds the pairs that need no overlap. */
	least_overlap = PredicateLeastOverlap(spec->predicate, size, size);
	return least_overlap > 0 && least_overlap <= size;
}

void
RepeatJoin(const JoinSpec *spec, uint32 first, uint32 end, bool one_suffices, JoinEmit emit,
		   void *emit_context)
{
	const JoinRecords *records = spec->records;

	/* Equal records of two sides both have postings, and meet by these. */
	if (records->two_sided)
		return;
	for (uint32 i = next_repeat(records, first, end); i < end; i = next_repeat(records, i + 1, end))
	{
		const JoinRecord *x = &records->records[i];
		int64 overlap = JoinRecordMeasured(records, x);

		JoinTick(records->host, 1);
		if (records->host->is_stopped)
			return;
		if (JoinRecordRole(records, i) != JOIN_SEEKS || !repeats_are_similar(spec, overlap))
			continue;
		for (uint32 j = i; JoinRecordRepeatsSide(records, j); j--)
		{
			const JoinRecord *y = &records->records[j - 1];

			JoinTick(records->host, 1);
			emit(emit_context, x, y, overlap);
			if (spec->is_directed)
				emit(emit_context, y, x, overlap);
			/* The record before is paired with one before it. */
			if (one_suffices)
				break;
		}
	}
}
