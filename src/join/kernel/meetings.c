/*
 * meetings.c
 *		How much a join will have to do, as far as its lists tell.
 *
 * A join of few tokens takes long where many records share them: 36 thousand records of 8 tokens
 * can have 19 million similar pairs. Each entry of a list that probes is compared with those that
 * are indexed, so the lengths of the lists tell, before any is made. A sample of the records
 * tells them well enough. Records that repeat others are not in the lists, but pairs are made of
 * them, and so they are counted.
 */
#include "c.h"

#include "join/kernel/meetings.h"
#include "tokenset/token_hash.h"

typedef struct ListLength
{
	uint32 probing;
	uint32 indexed;
} ListLength;

/* Of an eighth of the records no fewer are looked at, if there are as many, and no more. */
#define LEAST_SAMPLED 1024
#define MOST_SAMPLED 8192

/* What is known of the lists from the records of the sample. */
typedef struct Sample
{
	ListLength *lists; /* by token */
	uint64 records;
	uint64 postings;
	uint64 with_themselves; /* meetings of a record and itself */
} Sample;

static void
count_entries(Sample *sample, const JoinSpec *spec, const JoinRecord *record)
{
	const SizeClass *class = &spec->classes[record->size_class];
	const uint32 *tokens = JoinRecordTokens(spec->records, record);

	JoinTick(spec->records->host, class->probing_prefix + class->indexing_prefix);
	for (uint32 j = 0; j < class->probing_prefix; j++)
	{
		sample->lists[tokens[j]].probing++;
		sample->postings += tokens[j] >= spec->records->first_shared_token;
	}
	for (uint32 j = 0; j < class->indexing_prefix; j++)
		sample->lists[tokens[j]].indexed++;
	sample->with_themselves += Min(class->probing_prefix, class->indexing_prefix);
}

/* One of as many records as there are for each of the sample, in their order; any of them. */
static void
take_sample(Sample *sample, const JoinSpec *spec)
{
	const JoinRecords *records = spec->records;
	uint64 count = records->record_count;
	uint64 sampled = Min(count, Min(Max(count / 8, LEAST_SAMPLED), MOST_SAMPLED));

	for (uint64 i = 0; i < sampled; i++)
	{
		uint64 first = count * i / sampled;
		uint64 end = count * (i + 1) / sampled;

		count_entries(sample, spec, &records->records[first + TokenHash(i, 0) % (end - first)]);
	}
	sample->records = sampled;
}

ListWork
JoinListWork(const JoinRecords *records, Predicate predicate, JoinAlgorithm algorithm)
{
	JoinHost *host = records->host;
	Sample sample = {.lists = JoinAllocateZero(host, records->distinct_tokens, sizeof(ListLength))};
	double meetings = 0;
	double share;
	JoinSpec spec;

	JoinSpecInit(&spec, records, predicate, algorithm);
	take_sample(&sample, &spec);
	JoinSpecFree(&spec);
	for (uint32 w = 0; w < records->distinct_tokens; w++)
	{
		JoinStrideTick(host, w);
		meetings += (double) sample.lists[w].probing * sample.lists[w].indexed;
	}
	JoinRelease(host, sample.lists, records->distinct_tokens, sizeof(ListLength));

	/* By the square of the share, two records are both in the sample. */
	share = (double) sample.records / records->record_count;
	meetings =
		(meetings - sample.with_themselves) / (share * share) + sample.with_themselves / share;
	/* Of two records, the one before is met by the other. */
	return (ListWork){.postings = sample.postings / share,
					  .meetings = MeasureIsAsymmetric(predicate.measure) ? meetings : meetings / 2};
}
