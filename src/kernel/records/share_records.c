/*
 * share_records.c
 *		Canonical records in the arena, for several processes.
 */
#include "c.h"

#include "kernel/records/share_records.h"

void
JoinShareRecords(JoinRecords *records)
{
	JoinHost *host = records->host;

	records->tokens = JoinShare(host, records->tokens, records->token_count, sizeof(uint32));
	records->records = JoinShare(host, records->records, records->record_count, sizeof(JoinRecord));
	records->repeats =
		JoinShare(host, records->repeats, JoinRecordsBitmapWords(records), sizeof(uint64));
	records->class_sizes =
		JoinShare(host, records->class_sizes, records->class_count, sizeof(uint32));
	records->class_starts =
		JoinShare(host, records->class_starts, records->class_count + 1, sizeof(uint32));
	records->class_origins =
		JoinShare(host, records->class_origins, records->class_count, sizeof(int64));
	if (records->buckets != NULL)
		records->values =
			JoinShare(host, records->values, records->distinct_tokens, sizeof(uint64));
}

void
JoinAdoptRecords(JoinRecords *records, JoinHost *host, const char *leader_base)
{
	JoinAdoption adoption = {.leader_base = leader_base, .base = host->arena.base};

	records->host = host;
	JoinAdopt(adoption, &records->tokens);
	JoinAdopt(adoption, &records->records);
	JoinAdopt(adoption, &records->repeats);
	JoinAdopt(adoption, &records->class_sizes);
	JoinAdopt(adoption, &records->class_starts);
	JoinAdopt(adoption, &records->class_origins);
	JoinAdopt(adoption, &records->values);
}
