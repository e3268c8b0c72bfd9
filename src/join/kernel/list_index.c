/*
 * list_index.c
 *		Building the partitioned prefix lists of the fast path.
 *
 * Three passes over the records, each in their order and so sequential in
 * memory: one over a sample, to cut the tokens into partitions of about equal
 * work; one that counts the postings of each partition; and one that computes
 * signatures and writes
 * postings. Writing goes to as many places at once as there are partitions,
 * few enough for the caches, where an index by token would be written at
 * random. The latter two are done unit by unit, where a unit is a range of
 * records, and writes where its counts have made room.
 *
 * Left out: tokens of a single record, which meet nothing (they are the first
 * in the document-frequency order), and all postings of a record that equals
 * the one before it: what is similar to the one is similar to the other.
 */
#include "c.h"

#include <float.h>
#include <math.h>

#include "join/kernel/step.h"

#define MAX_CELLS 65536

/* The records of a sample: a part of them, within bounds. */
#define PART_OF_SAMPLE 32
#define LEAST_SAMPLED 2000
#define MOST_SAMPLED 10000

/*
 * How far ahead of their use tokens are asked for, where all are read. Processors do that
 * by themselves, but not far enough.
 */
#define TOKENS_AHEAD 1024

/* How far behind the posting that is written the place for others of its partition is asked for. */
#define POSTINGS_AHEAD 8

/*
 * The share of a normal distribution that lies beyond so many halves of its standard deviation.
 * Between them it is about a line. erfc() would say more than is needed, and a join that calls libm,
 * be it for pow() or ceil() alone, has its process take up to 270 kB of code and tables.
 */
#define STEPS_PER_DEVIATION 2

static const double normal_beyond[] = {0.5,	   0.3085, 0.1587, 0.0668, 0.0228,
									   0.0062, 0.0013, 0.0002, 0};

/* Standard deviations between the distance of unrelated signatures and the allowed one. */
#define SIGNATURE_MARGIN 4

/*
 * Nanoseconds of two records that meet in a list, on a core with AVX-512: to compare their
 * signatures, and to see whether they met before, at least; and to count that they meet, one by
 * one, and half as much again, since either is known only about.
 */
#define TIME_TO_COMPARE 2
#define TIME_TO_MERGE 100
#define TIME_TO_COUNT 18

/* Whether a record has postings as a member of the left side, and of the right. */
static bool
has_side(const ListIndex *index, const JoinRecord *record, bool right)
{
	const JoinRecords *records = index->spec->records;

	if (!records->two_sided)
		return !right || MeasureIsAsymmetric(index->spec->predicate.measure);
	return JoinRecordIsLeft(records, record) != right;
}

/*
 * How many first tokens of a record of this class are in the slice and those
 * before it on the same side, that is, where the slice ends.
 */
static pg_attribute_always_inline void
slice_ends(const ListIndex *index, const JoinRecord *record, uint32 *ends)
{
	const SizeClass *class = &index->spec->classes[record->size_class];
	bool asymmetric = MeasureIsAsymmetric(index->spec->predicate.measure);
	bool left = has_side(index, record, false);
	bool right = has_side(index, record, true);

	ends[LEFT_INDEXED] = left && !asymmetric ? class->indexing_prefix : 0;
	ends[LEFT_PROBING] = left ? class->probing_prefix : 0;
	ends[RIGHT_INDEXED] = right ? class->indexing_prefix : 0;
	ends[RIGHT_PROBING] = right && !asymmetric ? class->probing_prefix : ends[RIGHT_INDEXED];
}

static void
init_classes(ListIndex *index)
{
	const JoinSpec *spec = index->spec;
	const JoinRecords *records = spec->records;
	JoinHost *host = records->host;

	index->classes = JoinAllocateShared(host, records->class_count, sizeof(ListClass));
	for (uint32 c = 0; c < records->class_count; c++)
	{
		ListClass *class = &index->classes[c];

		JoinTick(host, 1);
		class->size = records->class_sizes[c];
		class->indexing_prefix = spec->classes[c].indexing_prefix;
		class->outgrown = spec->classes[c].outgrown;
		class->first_record = records->class_starts[c];
		class->origin = records->class_origins[c];
	}
}

/*
 * A record of size b whose token at position i is its first in common with y
 * has b - i tokens left for the overlap. So beyond its indexing prefix it meets
 * only those y for which α is at most that: not the largest ones.
 */
static void
init_too_big(ListIndex *index)
{
	const JoinSpec *spec = index->spec;
	uint32 class_count = spec->records->class_count;
	JoinHost *host = spec->records->host;
	uint64 count = 0;

	if (MeasureIsAsymmetric(spec->predicate.measure))
		return;
	for (uint32 c = 0; c < class_count; c++)
	{
		const SizeClass *class = &spec->classes[c];

		index->classes[c].first_too_big = count;
		count += class->probing_prefix - Min(class->indexing_prefix, class->probing_prefix);
	}
	index->too_big_count = count;
	index->too_big = JoinAllocateShared(host, count, sizeof(uint32));
	for (uint32 c = 0; c < class_count; c++)
	{
		const SizeClass *class = &spec->classes[c];
		uint32 *too_big = index->too_big + index->classes[c].first_too_big;
		uint32 end = c + 1; /* the classes of sizes that are met, while positions grow */

		for (uint32 i = class->indexing_prefix; i < class->probing_prefix; i++)
		{
			int64 left = (int64) class->size - i;

			while (end > 0 && PairLeastOverlap(&index->bounds, class->size,
											   index->classes[end - 1].size) > left)
			{
				JoinTick(host, 1);
				end--;
			}
			JoinTick(host, 1);
			*too_big++ =
				end == class_count ? spec->records->record_count : index->classes[end].first_record;
		}
	}
}

/*
 * By how many standard deviations the signatures of unrelated records of this size are usually
 * farther from each other than those of similar ones may be.
 */
static double
excess_of_unrelated(Predicate predicate, double usual_size, uint32 words)
{
	int size = (int) usual_size;
	double allowed = 2.0 * (size - PredicateLeastOverlap(predicate, size, size));

	/* A bit that 2 size tokens toggle is even by the mean of ±1; two bits are alike by that of
	 * both. */
	double bits = SIGNATURE_BITS_PER_WORD * words;
	double one = __builtin_powi((1 - 2 / bits) * (1 - 2 / bits), size);
	double both = __builtin_powi((1 - 4 / bits) * (1 - 4 / bits), size);
	double mean = bits * (1 - one) / 2;
	double variance = (bits * (1 - one * one) + bits * (bits - 1) * (both - one * one)) / 4;

	return (mean - allowed) / sqrt(Max(variance, DBL_MIN));
}

uint32
ListSignatureWords(Predicate predicate, double usual_size)
{
	uint32 words = 1;

	while (words < SIGNATURE_MAX_WORDS &&
		   !(excess_of_unrelated(predicate, usual_size, words) > SIGNATURE_MARGIN))
		words *= 2;
	return words;
}

double
ListSignaturesPass(Predicate predicate, double usual_size, uint32 words)
{
	double excess = excess_of_unrelated(predicate, usual_size, words);
	double steps = fabs(excess) * STEPS_PER_DEVIATION;
	double share = 0;

	if (steps < lengthof(normal_beyond) - 1)
	{
		const double *beyond = normal_beyond + (int) steps;

		share = beyond[0] + (steps - (int) steps) * (beyond[1] - beyond[0]);
	}
	return excess < 0 ? 1 - share : share;
}

/* Of a record of this class, at most. */
static uint32
postings_of_class(const JoinSpec *spec, const SizeClass *class)
{
	if (MeasureIsAsymmetric(spec->predicate.measure))
		return class->probing_prefix + class->indexing_prefix;
	return class->probing_prefix;
}

double
ListUsualSize(const JoinSpec *spec)
{
	double postings = 0;
	double sizes = 0;

	for (uint32 c = 0; c < spec->records->class_count; c++)
	{
		double of_class = (double) postings_of_class(spec, &spec->classes[c]) *
						  (spec->records->class_starts[c + 1] - spec->records->class_starts[c]);

		postings += of_class;
		sizes += of_class * spec->classes[c].size;
	}
	return postings == 0 ? 0 : sizes / postings;
}

uint32
ListChooseSignatureWords(const JoinSpec *spec)
{
	double usual_size = ListUsualSize(spec);

	return usual_size == 0 ? 1 : ListSignatureWords(spec->predicate, usual_size);
}

bool
ListsAreSlower(Predicate predicate, double usual_size, double unique_share)
{
	uint32 words;
	double passing;

	if (usual_size == 0)
		return false;
	words = ListSignatureWords(predicate, usual_size);
	passing = ListSignaturesPass(predicate, usual_size, words);
	return (TIME_TO_COMPARE + passing * TIME_TO_MERGE) * unique_share * unique_share >
		   TIME_TO_COUNT;
}

static uint32
cell_count(const ListIndex *index)
{
	return (index->spec->records->distinct_tokens >> index->cell_shift) + 1;
}

/* Cuts the tokens into ranges that have about equally many postings in a sample of the records. */
static void
plan_partitions(ListIndex *index)
{
	const JoinRecords *records = index->spec->records;
	JoinHost *host = records->host;
	uint32 sample_size =
		Min(Max(records->record_count / PART_OF_SAMPLE, LEAST_SAMPLED), MOST_SAMPLED);
	uint32 step = Max(records->record_count / sample_size, 1);
	uint32 cells;
	uint32 *sample;
	uint64 sampled = 0;
	uint64 partitions;
	uint64 so_far = 0;

	while ((records->distinct_tokens >> index->cell_shift) >= MAX_CELLS)
		index->cell_shift++;
	cells = cell_count(index);
	sample = JoinAllocateZero(host, cells, sizeof(uint32));
	for (uint32 i = 0; i < records->record_count; i += step)
	{
		const uint32 *tokens = JoinRecordTokens(records, &records->records[i]);
		uint32 ends[LIST_SLICES];
		uint32 prefix;

		slice_ends(index, &records->records[i], ends);
		prefix = Max(ends[LEFT_PROBING], ends[RIGHT_PROBING]);
		for (uint32 k = 0; k < prefix; k++)
		{
			JoinTick(host, 1);
			if (tokens[k] < records->first_shared_token)
				continue;
			sample[tokens[k] >> index->cell_shift]++;
			sampled++;
		}
	}

	partitions = Max(ListPartitions(sampled * step), JoinStepUnits(host, sampled * step));
	partitions = Min(partitions, LIST_MAX_PARTITIONS);
	index->partition_of_cell = JoinAllocateShared(host, cells, sizeof(uint16));
	index->partition_tokens = JoinAllocateShared(host, LIST_MAX_PARTITIONS + 1, sizeof(uint32));
	index->partition_tokens[0] = records->first_shared_token;
	index->partition_count = 1;
	for (uint32 cell = 0; cell < cells; cell++)
	{
		if (so_far * partitions >= sampled * index->partition_count && so_far > 0 &&
			index->partition_count < LIST_MAX_PARTITIONS)
			index->partition_tokens[index->partition_count++] = cell << index->cell_shift;
		index->partition_of_cell[cell] = index->partition_count - 1;
		so_far += sample[cell];
	}
	index->partition_tokens[index->partition_count] = records->distinct_tokens;
	JoinRelease(host, sample, cells, sizeof(uint32));
}

static inline uint32
partition_of(const ListIndex *index, uint32 token)
{
	return index->partition_of_cell[token >> index->cell_shift];
}

/* The records of a unit that have postings, one after the other, as their tokens lie in memory. */
typedef struct UnitWalk
{
	uint32 next;
	uint32 end;
	const uint32 *next_tokens;

	/* The present one. */
	uint32 number;
	const JoinRecord *record;
	const uint32 *tokens;
	uint32 ends[LIST_SLICES]; /* slice_ends */
} UnitWalk;

static inline UnitWalk
begin_walk(const ListIndex *index, uint32 unit, uint32 units)
{
	const JoinRecords *records = index->spec->records;
	UnitWalk walk = {.next = JoinUnitStart(records->record_count, unit, units),
					 .end = JoinUnitStart(records->record_count, unit + 1, units)};

	if (walk.next < walk.end)
		walk.next_tokens = JoinRecordTokens(records, &records->records[walk.next]);
	return walk;
}

/* Goes to the next record; false if there is none. */
static pg_attribute_always_inline bool
walk_on(UnitWalk *walk, const ListIndex *index)
{
	const JoinRecords *records = index->spec->records;

	while (walk->next < walk->end)
	{
		walk->number = walk->next++;
		walk->record = &records->records[walk->number];
		walk->tokens = walk->next_tokens;
		walk->next_tokens += walk->record->size;
		JoinTick(records->host, walk->record->size);
		if (!ListIndexIsRepeat(index, walk->number))
		{
			slice_ends(index, walk->record, walk->ends);
			return true;
		}
	}
	return false;
}

/* Counts the postings of a unit in each partition. */
void
ListIndexCount(ListIndex *index, uint32 unit, uint32 units)
{
	const JoinRecords *records = index->spec->records;
	uint64 *counts = index->next_postings + (uint64) unit * index->partition_count;
	UnitWalk walk = begin_walk(index, unit, units);

	while (walk_on(&walk, index))
	{
		const uint32 *tokens = walk.tokens;

		JoinAskForTokens(tokens + (uint64) RECORDS_AHEAD * walk.record->size);
		for (int side = LEFT_PROBING; side <= RIGHT_PROBING; side += 2)
		{
			for (uint32 from = 0; from < walk.ends[side]; from += JOIN_STRIDE)
			{
				uint32 to = JoinStrideEnd(records->host, from, walk.ends[side]);

				for (uint32 k = from; k < to; k++)
				{
					if (tokens[k] >= records->first_shared_token)
						counts[partition_of(index, tokens[k])]++;
				}
			}
		}
	}
}

/* Counts become places: partition by partition, and in it unit by unit. */
void
ListIndexPlace(ListIndex *index)
{
	JoinHost *host = index->spec->records->host;
	uint64 so_far = 0;

	index->partition_starts = JoinAllocateShared(host, index->partition_count + 1, sizeof(uint64));
	for (uint32 p = 0; p < index->partition_count; p++)
	{
		index->partition_starts[p] = so_far;
		for (uint32 unit = 0; unit < index->unit_count; unit++)
		{
			uint64 *next = &index->next_postings[(uint64) unit * index->partition_count + p];
			uint64 count = *next;

			*next = so_far;
			so_far += count;
		}
	}
	index->partition_starts[index->partition_count] = so_far;
	index->posting_count = so_far;
	index->postings = JoinAllocateShared(host, so_far, sizeof(ListPosting));
}

static void
make_signature(ListIndex *index, const SignatureScan *scan, uint32 number, const uint32 *tokens,
			   uint32 size)
{
	uint32 words = index->signature_words;
	uint64 *signature = index->signatures + (uint64) number * words;

	memset(signature, 0, words * sizeof(uint64));
	for (uint32 from = 0; from < size; from += JOIN_STRIDE)
	{
		uint32 to = JoinStrideEnd(index->spec->records->host, from, size);

		for (uint32 k = from; k < to; k += TOKENS_PER_LINE)
			__builtin_prefetch(tokens + k + TOKENS_AHEAD);
		scan->add(signature, words, tokens + from, to - from);
	}
}

/* Postings for the tokens from .. end - 1 of a record, in the slice. */
static void
write_slice(ListIndex *index, uint64 *next, uint32 record, const uint32 *tokens, ListSlice slice,
			uint32 from, uint32 end)
{
	const JoinRecords *records = index->spec->records;

	while (from < end)
	{
		uint32 to = JoinStrideEnd(records->host, from, end);

		for (; from < to; from++)
		{
			ListPosting *posting;

			if (tokens[from] < records->first_shared_token)
				continue;
			posting = &index->postings[next[partition_of(index, tokens[from])]++];
			__builtin_prefetch(posting + POSTINGS_AHEAD, 1);
			posting->token = tokens[from];
			posting->record = record;
			posting->previous = from > 0 ? tokens[from - 1] : LIST_NO_TOKEN;
			posting->place = from | (uint32) slice << 30;
		}
	}
}

/* The signatures and the postings of a unit. */
void
ListIndexWrite(ListIndex *index, uint32 unit, uint32 units)
{
	uint64 *next = index->next_postings + (uint64) unit * index->partition_count;
	SignatureScan scan = SignatureScanBest();
	UnitWalk walk = begin_walk(index, unit, units);

	while (walk_on(&walk, index))
	{
		uint32 i = walk.number;
		const uint32 *tokens = walk.tokens;
		const uint32 *ends = walk.ends;

		make_signature(index, &scan, i, tokens, walk.record->size);
		write_slice(index, next, i, tokens, LEFT_INDEXED, 0, ends[LEFT_INDEXED]);
		write_slice(index, next, i, tokens, LEFT_PROBING, ends[LEFT_INDEXED], ends[LEFT_PROBING]);
		write_slice(index, next, i, tokens, RIGHT_INDEXED, 0, ends[RIGHT_INDEXED]);
		write_slice(index, next, i, tokens, RIGHT_PROBING, ends[RIGHT_INDEXED],
					ends[RIGHT_PROBING]);
	}
}

void
ListIndexBegin(ListIndex *index, const JoinSpec *spec, uint32 units)
{
	const JoinRecords *records = spec->records;
	JoinHost *host = records->host;

	memset(index, 0, sizeof(*index));
	index->spec = spec;
	index->participants = Max(host->participants, 1);
	index->slice_count = ListSlices(spec->predicate.measure, records->two_sided);
	PairBoundsInit(&index->bounds, host, spec->predicate,
				   records->class_count > 0 ? records->class_sizes[records->class_count - 1] : 0);
	init_classes(index);
	init_too_big(index);
	index->signature_words = ListChooseSignatureWords(spec);
	index->signatures = JoinAllocateShared(
		host, (Size) records->record_count * index->signature_words, sizeof(uint64));
	plan_partitions(index);
	index->unit_count = units;
	index->next_postings =
		JoinAllocateSharedZero(host, (Size) units * index->partition_count, sizeof(uint64));
}

void
ListIndexFinish(ListIndex *index)
{
	JoinHost *host = index->spec->records->host;

	JoinRelease(host, index->partition_of_cell, cell_count(index), sizeof(uint16));
	JoinRelease(host, index->next_postings, (Size) index->unit_count * index->partition_count,
				sizeof(uint64));
	index->partition_of_cell = NULL;
	index->next_postings = NULL;
}

void
ListIndexFree(ListIndex *index)
{
	const JoinRecords *records = index->spec->records;
	JoinHost *host = records->host;

	PairBoundsFree(&index->bounds);
	JoinRelease(host, index->classes, records->class_count, sizeof(ListClass));
	JoinRelease(host, index->too_big, index->too_big_count, sizeof(uint32));
	JoinRelease(host, index->signatures, (Size) records->record_count * index->signature_words,
				sizeof(uint64));
	JoinRelease(host, index->partition_tokens, LIST_MAX_PARTITIONS + 1, sizeof(uint32));
	JoinRelease(host, index->partition_starts, index->partition_count + 1, sizeof(uint64));
	JoinRelease(host, index->postings, index->posting_count, sizeof(ListPosting));
}
