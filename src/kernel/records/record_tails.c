/*
 * record_tails.c
 *		Cutting the frequent tokens off records.
 */
#include "c.h"

#include "kernel/records/record_tails.h"
#include "measure/token_weight.h"

/*
 * Cuts the tail of a record off, between tokens of different weights. `least` is the least weight of a
 * token that is not frequent, `single` the weight of a token of one record.
 */
static void
cut_tail(JoinRecords *records, uint32 number, uint32 least, uint32 single)
{
	const JoinRecord *record = &records->records[number];
	const uint32 *tokens = JoinRecordTokens(records, record);
	int64 total = records->totals[number];
	int64 kept = 0;
	int64 own = 0; /* of what no other record has */
	uint32 last = 0;
	uint32 size = 0;

	for (; size < record->size; size++)
	{
		uint32 weight = records->weights[tokens[size]];

		if (weight < least && weight < last && kept - own >= total - kept)
			break;
		kept += TokenWeightTerm(weight, records->weighing.squares);
		if (weight == single)
			own = kept;
		last = weight;
	}
	records->tails[number] = (RecordTail){.total = total, .size = record->size - size};
	records->totals[number] = kept;
}

void
RecordTailsCut(JoinRecords *records)
{
	JoinWeighing weighing = records->weighing;
	uint32 least = TokenWeight(weighing.record_count, weighing.most_rows);
	uint32 single = TokenWeight(weighing.record_count, 1);

	if (weighing.most_rows == 0)
		return;
	records->tails = JoinAllocateShared(records->host, records->record_count, sizeof(RecordTail));
	for (uint32 i = 0; i < records->record_count; i++)
	{
		JoinTick(records->host, records->records[i].size);
		cut_tail(records, i, least, single);
	}
}
