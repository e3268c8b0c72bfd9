/*
 * record_weights.c
 *		Weights and order of the records of a weighted join.
 *
 * A rare token weighs more than a frequent one. Ranks ascend by document frequency, so weights
 * descend within a record.
 *
 * The size filter of a weighted join compares total weights, so records are in the order of (total
 * weight, size, content, side, row). This is a second sort, of records that are canonical as in any
 * join. Hardly two records have the same total, so each is made a class of its own. Its origin says
 * where its tokens are, which stay where they were.
 */
#include "c.h"

#include "measure/token_weight.h"
#include "kernel/records/key_sort.h"
#include "kernel/records/record_tails.h"
#include "kernel/records/record_weights.h"

/* Weights of frequencies below this are computed once, not for each token. */
#define COMMON_FREQUENCIES 1024

void
JoinWeightsRank(JoinRecords *records)
{
	const DictionaryEntry *entries = records->dictionary.entries;
	uint64 count = records->weighing.record_count;
	uint32 weights[COMMON_FREQUENCIES];
	bool is_known[COMMON_FREQUENCIES] = {false};

	records->weights = JoinAllocateShared(records->host, records->distinct_tokens, sizeof(uint32));
	for (uint32 id = 1; id <= records->distinct_tokens; id++)
	{
		uint32 frequency = entries[id].document_frequency;
		uint32 *weight = &records->weights[records->rank_of_id[id]];

		JoinTick(records->host, 1);
		if (frequency >= COMMON_FREQUENCIES)
		{
			*weight = TokenWeight(count, frequency);
			continue;
		}
		if (!is_known[frequency])
		{
			weights[frequency] = TokenWeight(count, frequency);
			is_known[frequency] = true;
		}
		*weight = weights[frequency];
	}
}

/*
 * Returns the numbers of the records in the order of totals, and records of the same total as they
 * were.
 */
static KeyedItem *
sort_by_total(const JoinRecords *records)
{
	JoinHost *host = records->host;
	KeyedItem *order = JoinAllocate(host, records->record_count, sizeof(KeyedItem));

	for (uint32 i = 0; i < records->record_count; i++)
		order[i] = (KeyedItem){.key = (uint64) records->totals[i], .item = i};
	KeySort(order, records->record_count, NULL, NULL, host);
	return order;
}

/*
 * Puts record `from` of `records` at `number` of the new order. If it repeats the record before it,
 * it does so in the new order too, since equal records have the same total and keep their order.
 */
static void
put_record(JoinRecords *ordered, uint32 number, const JoinRecords *records, uint32 from)
{
	const JoinRecord *record = &records->records[from];
	const uint32 *tokens = JoinRecordTokens(records, record);
	uint32 size = record->size;

	if (records->tails != NULL)
	{
		ordered->tails[number] = records->tails[from];
		size -= records->tails[from].size;
	}
	ordered->records[number] = (JoinRecord){.row = record->row, .size = size, .size_class = number};
	ordered->totals[number] = records->totals[from];
	ordered->class_sizes[number] = size;
	ordered->class_starts[number] = number;
	ordered->class_origins[number] = (tokens - records->tokens) - (int64) number * (int64) size;
	if (JoinRecordRepeats(records, from))
		ordered->repeats[number / 32] |= (uint32) 1 << (number % 32);
}

void
JoinRecordsOrderByWeight(JoinRecords *records)
{
	JoinHost *host = records->host;
	uint32 count = records->record_count;
	KeyedItem *order;
	JoinRecords ordered;

	RecordTailsCut(records);
	order = sort_by_total(records);
	ordered = *records;

	ordered.class_count = count;
	ordered.records = JoinAllocateShared(host, count, sizeof(JoinRecord));
	ordered.totals = JoinAllocateShared(host, count, sizeof(int64));
	if (records->tails != NULL)
		ordered.tails = JoinAllocateShared(host, count, sizeof(RecordTail));
	ordered.class_sizes = JoinAllocateShared(host, count, sizeof(uint32));
	ordered.class_starts = JoinAllocateShared(host, (Size) count + 1, sizeof(uint32));
	ordered.class_origins = JoinAllocateShared(host, count, sizeof(int64));
	ordered.repeats = JoinAllocateSharedZero(host, JoinRecordsBitmapWords(records), sizeof(uint32));
	for (uint32 i = 0; i < count; i++)
	{
		JoinTick(host, 1);
		if (i + RECORDS_AHEAD < count)
			__builtin_prefetch(&records->records[order[i + RECORDS_AHEAD].item]);
		put_record(&ordered, i, records, order[i].item);
	}
	ordered.class_starts[count] = count;
	JoinRelease(host, order, count, sizeof(KeyedItem));
	JoinRecordsFreeClasses(records);
	*records = ordered;
}
