/*
 * key_runs.c
 *		Numbering the runs of records of equal key and content.
 */
#include "c.h"

#include "join/kernel/key_runs.h"

/* Whether a record has the content and the key of the one before. */
static bool
continues_run(const JoinRecords *records, uint32 i)
{
	const JoinRecord *record = &records->records[i];

	JoinTick(records->host, 1);
	return JoinRecordRepeats(records, i) &&
		   records->key_order[record->row] == records->key_order[record[-1].row];
}

/* Writes the first records of runs to items, if there are any, by key; returns how many there are. */
static uint32
gather_runs(const JoinRecords *records, KeyedItem *items)
{
	uint32 count = 0;
	bool continued = false;

	for (uint32 i = records->record_count; i > 0; i--)
	{
		bool continues = continues_run(records, i - 1);

		if (continued && !continues)
		{
			if (items != NULL)
				items[count] = (KeyedItem){
					.key = (uint64) records->key_order[records->records[i - 1].row], .item = i - 1};
			count++;
		}
		continued = continues;
	}
	return count;
}

/* In the order of records, which is nothing but a total one. */
static int
compare_records(uint32 a, uint32 b, void *context)
{
	return a < b ? -1 : a > b;
}

void
JoinNumberKeyRuns(JoinRecords *records)
{
	uint32 count = records->key_order == NULL ? 0 : gather_runs(records, NULL);
	uint32 key_run = 0;
	KeyedItem *items;

	if (count == 0)
		return;
	records->key_runs = JoinAllocateZero(records->host, records->record_count, sizeof(uint32));
	items = JoinAllocate(records->host, count, sizeof(KeyedItem));
	(void) gather_runs(records, items);
	KeySort(items, count, compare_records, NULL, records->host);
	for (uint32 i = 0; i < count; i++)
	{
		uint32 record = items[i].item;

		key_run += i == 0 || items[i].key != items[i - 1].key;
		do
			records->key_runs[record++] = key_run;
		while (record < records->record_count && continues_run(records, record));
	}
	JoinRelease(records->host, items, count, sizeof(KeyedItem));
}

void
JoinEmitAll(const JoinRecords *records, RecordRange x_range, RecordRange y_range, uint32 overlap,
			JoinEmit emit, void *emit_context)
{
	for (uint32 i = x_range.first; i < x_range.end; i++)
	{
		for (uint32 j = y_range.first; j < y_range.end; j++)
		{
			JoinTick(records->host, 1);
			emit(emit_context, &records->records[i], &records->records[j], overlap);
		}
	}
}

void
JoinEmitBetween(const JoinRecords *records, RecordRange x_rest, RecordRange y_range, uint32 overlap,
				JoinEmit emit, void *emit_context)
{
	if (records->key_runs == NULL)
	{
		JoinEmitAll(records, x_rest, y_range, overlap, emit, emit_context);
		return;
	}
	while (x_rest.first < x_rest.end && y_range.first < y_range.end)
	{
		RecordRange run = JoinFirstKeyRun(records, x_rest);
		RecordRange same = JoinFindKeyRun(records, y_range, JoinKeyRun(records, run.first));

		JoinTick(records->host, 1);
		JoinEmitAll(records, run, (RecordRange){y_range.first, same.first}, overlap, emit,
					emit_context);
		JoinEmitAll(records, run, (RecordRange){same.end, y_range.end}, overlap, emit,
					emit_context);
		x_rest.first = run.end;
	}
}
