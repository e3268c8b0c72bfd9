/*
 * meetings.c
 *		How much a join will have to do, as far as its lists tell.
 *
 * A join of few tokens takes long where many records share them: 36 thousand records of 8 tokens
 * can have 19 million similar pairs. Each entry of a list that probes is compared with those that
 * are indexed, so the lengths of the lists tell, before any is made. Records that repeat
 * others are not in the lists, but pairs are made of them, and so they are counted.
 */
#include "c.h"

#include "join/kernel/meetings.h"

typedef struct ListLength
{
	uint32 probing;
	uint32 indexed;
} ListLength;

static void
count_entries(ListLength *lists, const JoinSpec *spec)
{
	const JoinRecords *records = spec->records;

	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *record = &records->records[i];
		const SizeClass *class = &spec->classes[record->size_class];
		const uint32 *tokens = JoinRecordTokens(records, record);

		JoinTick(records->host, class->probing_prefix + class->indexing_prefix);
		for (uint32 j = 0; j < class->probing_prefix; j++)
			lists[tokens[j]].probing++;
		for (uint32 j = 0; j < class->indexing_prefix; j++)
			lists[tokens[j]].indexed++;
	}
}

double
JoinMeetings(const JoinRecords *records, Predicate predicate, JoinAlgorithm algorithm)
{
	JoinHost *host = records->host;
	ListLength *lists = JoinAllocateZero(host, records->distinct_tokens, sizeof(ListLength));
	double meetings = 0;
	JoinSpec spec;

	JoinSpecInit(&spec, records, predicate, algorithm);
	count_entries(lists, &spec);
	JoinSpecFree(&spec);
	for (uint32 w = 0; w < records->distinct_tokens; w++)
	{
		JoinStrideTick(host, w);
		meetings += (double) lists[w].probing * lists[w].indexed;
	}
	JoinRelease(host, lists, records->distinct_tokens, sizeof(ListLength));
	/* Of two records, the one before is met by the other. */
	return MeasureIsAsymmetric(predicate.measure) ? meetings : meetings / 2;
}
