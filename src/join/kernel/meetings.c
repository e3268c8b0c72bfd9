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

#include "join/kernel/engine.h"
#include "join/kernel/meetings.h"
#include "join/kernel/size_join.h"
#include "tokenset/token_hash.h"

/* Of an eighth of the records no fewer are looked at, if there are as many, and no more. */
#define LEAST_SAMPLED 1024
#define MOST_SAMPLED 2048

/* Of a pair, on average: those that are compared sixteen at a time (verify.c), and next to none. */
#define FEW_TOKENS 48
#define LEAST_TOKENS 1

/* What is known of the lists from the records of the sample. */
typedef struct Sample
{
	const JoinSpec *spec;
	bool is_asymmetric;
	uint32 sides;	 /* that lists are counted by */
	uint32 *lengths; /* of lists, by token and side: the indexed tokens */
	uint64 records;
	double share; /* of all records */
	uint64 postings;
} Sample;

/* One of as many records as there are for each of the sample, in their order; any of them. */
static const JoinRecord *
sampled_record(const Sample *sample, uint64 i)
{
	const JoinRecords *records = sample->spec->records;
	uint64 first = records->record_count * i / sample->records;
	uint64 end = records->record_count * (i + 1) / sample->records;

	return &records->records[first + TokenHash(i, 0) % (end - first)];
}

static uint32
side_of(const Sample *sample, const JoinRecord *record)
{
	return sample->sides == 2 && !JoinRecordIsLeft(sample->spec->records, record) ? 1 : 0;
}

static uint32 *
length_of_list(const Sample *sample, uint32 token, uint32 side)
{
	return &sample->lengths[(uint64) token * sample->sides + side];
}

/* The first tokens of a record that look up the other side's lists, and those that are in them. */
static uint32
probing_tokens(const Sample *sample, const SizeClass *class, uint32 side)
{
	return sample->is_asymmetric && side == 1 ? 0 : class->probing_prefix;
}

static uint32
indexed_tokens(const Sample *sample, const SizeClass *class, uint32 side)
{
	return sample->is_asymmetric && sample->sides == 2 && side == 0 ? 0 : class->indexing_prefix;
}

/* Those of the first tokens that are not of this record alone. */
static uint64
count_shared(const Sample *sample, const uint32 *tokens, uint32 count)
{
	const JoinRecords *records = sample->spec->records;
	uint32 first = 0;

	/* Tokens of one record come first. */
	for (; first < count && tokens[first] < records->first_shared_token; first++)
		JoinStrideTick(records->host, first);
	return count - first;
}

static void
count_entries(Sample *sample, const JoinRecord *record)
{
	const JoinRecords *records = sample->spec->records;
	const SizeClass *class = &sample->spec->classes[record->size_class];
	const uint32 *tokens = JoinRecordTokens(records, record);
	uint32 side = side_of(sample, record);
	uint32 indexed = indexed_tokens(sample, class, side);

	JoinTick(records->host, 1);
	sample->postings += count_shared(sample, tokens, probing_tokens(sample, class, side));
	/* Elsewhere what is indexed is what is probed, or the beginning of it. */
	if (sample->is_asymmetric)
		sample->postings += count_shared(sample, tokens, indexed);
	for (uint32 j = 0; j < indexed; j++)
	{
		JoinStrideTick(records->host, j);
		(*length_of_list(sample, tokens[j], side))++;
	}
}

static void
take_sample(Sample *sample, const JoinSpec *spec)
{
	const JoinRecords *records = spec->records;
	uint64 count = records->record_count;

	*sample = (Sample){.spec = spec,
					   .is_asymmetric = MeasureIsAsymmetric(spec->predicate.measure),
					   .sides = records->two_sided ? 2 : 1,
					   .records = Min(count, Min(Max(count / 8, LEAST_SAMPLED), MOST_SAMPLED))};
	sample->share = (double) sample->records / count;
	sample->lengths = JoinAllocateZero(
		records->host, (Size) records->distinct_tokens * sample->sides, sizeof(uint32));
	for (uint64 i = 0; i < sample->records; i++)
		count_entries(sample, sampled_record(sample, i));
}

static void
drop_sample(Sample *sample)
{
	const JoinRecords *records = sample->spec->records;

	JoinRelease(records->host, sample->lengths, (Size) records->distinct_tokens * sample->sides,
				sizeof(uint32));
}

/* Of a sampled record and all others; those of two that are both sampled tell. */
static double
meetings_of(const Sample *sample, const JoinRecord *record)
{
	const JoinRecords *records = sample->spec->records;
	const SizeClass *class = &sample->spec->classes[record->size_class];
	const uint32 *tokens = JoinRecordTokens(records, record);
	uint32 side = side_of(sample, record);
	uint32 probing = probing_tokens(sample, class, side);
	uint64 met = 0;
	uint32 itself = 0;

	JoinTick(records->host, 1);
	for (uint32 j = 0; j < probing; j++)
	{
		JoinStrideTick(records->host, j);
		met += *length_of_list(sample, tokens[j], side ^ (sample->sides - 1));
	}
	if (sample->sides == 1)
		itself = Min(probing, indexed_tokens(sample, class, side));
	return itself + (met - itself) / sample->share;
}

/*
 * How many tokens of two unrelated records of this size are looked at before it is certain that they
 * are not similar, times the share of such pairs that is looked at.
 */
static double
tokens_of_pair(const JoinSpec *spec, uint32 size, uint32 words)
{
	double allowed = 2 * ((double) size - PredicateLeastOverlap(spec->predicate, size, size));

	return allowed < FEW_TOKENS ? 0 : allowed * ListSignaturesPass(spec->predicate, size, words);
}

/* Signatures of large records are full, and let many of those pass that meet. */
static void
add_meetings(const Sample *sample, ListWork *work)
{
	const JoinSpec *spec = sample->spec;
	uint32 words = ListChooseSignatureWords(spec);
	uint32 size = 0;
	double of_pair = 0;

	for (uint64 i = 0; i < sample->records; i++)
	{
		const JoinRecord *record = sampled_record(sample, i);
		double meetings = meetings_of(sample, record);

		if (record->size != size)
			of_pair = tokens_of_pair(spec, record->size, words);
		size = record->size;
		work->meetings += meetings;
		if (of_pair > LEAST_TOKENS)
			work->compared += of_pair * Min(meetings, spec->records->record_count);
	}
}

ListWork
JoinListWork(const JoinRecords *records, Predicate predicate, JoinAlgorithm algorithm)
{
	ListWork work = {0};
	Sample sample;
	JoinSpec spec;
	double pairs;

	JoinSpecInit(&spec, records, predicate, algorithm);
	work.algorithm = JoinEngineChoose(&spec);
	take_sample(&sample, &spec);
	add_meetings(&sample, &work);
	/* Of two records, the one before is met by the other. */
	pairs = sample.is_asymmetric ? sample.share : 2 * sample.share;
	work.meetings /= pairs;
	work.compared /= pairs;
	work.postings = sample.postings / sample.share;
	work.free_pairs = SizeJoinUnits(&spec);
	drop_sample(&sample);
	JoinSpecFree(&spec);
	return work;
}
