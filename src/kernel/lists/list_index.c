/*
 * list_index.c
 *		Writes postings and signatures, unit by unit.
 *
 * A unit is a range of records. It reads them in their order, and writes each posting where the
 * next one of its partition goes: as many places at once as there are partitions, few enough for
 * the caches. To write each posting into the list of its token would be a cache miss for each.
 *
 * Left out are tokens of a single record, which have no pairs and come first in the order of
 * document frequency, and repeats of the record before, whose pairs are the same (repeat_join.h).
 */
#include "c.h"

#include "kernel/engine.h"
#include "kernel/filters/signature_scan.h"
#include "kernel/lists/list_index.h"
#include "measure/token_weight.h"
#include "measure/weight_bounds.h"

/* Prefetch distance, in tokens. Processors by themselves do not look as far ahead. */
#define TOKENS_AHEAD 1024

/* Prefetch distance, in postings of a partition. */
#define POSTINGS_AHEAD 8

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
		class->size_filter_start = spec->classes[c].size_filter_start;
		class->first_record = records->class_starts[c];
		class->origin = records->class_origins[c];
		class->extent =
			index->is_weighted ? WeightExtent(&index->bounds, records->totals[c]) : class->size;
	}
}

/* A walk over the records of a unit that are neither repeats nor absent. */
typedef struct UnitWalk
{
	uint32 next;
	uint32 end;

	/* The present record. */
	uint32 number;
	const JoinRecord *record;
	const uint32 *tokens;
	uint32 ends[LIST_SLICES];
} UnitWalk;

static inline UnitWalk
begin_walk(const ListIndex *index, uint32 unit, uint32 units)
{
	const JoinRecords *records = index->spec->records;
	UnitWalk walk = {.next = JoinUnitStart(records->record_count, unit, units),
					 .end = JoinUnitStart(records->record_count, unit + 1, units)};

	return walk;
}

/* Goes to the next record; returns false after the last. */
static pg_attribute_always_inline bool
walk_on(UnitWalk *walk, const ListIndex *index)
{
	const JoinRecords *records = index->spec->records;

	while (walk->next < walk->end)
	{
		walk->number = walk->next++;
		walk->record = &records->records[walk->number];
		walk->tokens = JoinRecordTokens(records, walk->record);
		if (walk->next + RECORDS_AHEAD < records->record_count)
			JoinPrefetchTokens(JoinRecordTokens(records, walk->record + RECORDS_AHEAD));
		JoinTick(records->host, walk->record->size);
		if (!ListIndexIsRepeat(index, walk->number) &&
			JoinRecordRole(records, walk->number) != JOIN_ABSENT)
		{
			ListSliceEnds(index->spec, walk->record, walk->ends);
			return true;
		}
	}
	return false;
}

void
ListIndexCount(ListIndex *index, uint32 unit, uint32 units)
{
	const JoinRecords *records = index->spec->records;
	uint64 *counts = index->next_postings + (uint64) unit * index->partitions.count;
	UnitWalk walk = begin_walk(index, unit, units);

	while (walk_on(&walk, index))
	{
		const uint32 *tokens = walk.tokens;

		for (int side = LEFT_PROBING; side <= RIGHT_PROBING; side += 2)
		{
			for (uint32 k = 0; k < walk.ends[side]; k++)
			{
				if (tokens[k] >= records->first_shared_token)
					counts[ListPartitionOf(&index->partitions, tokens[k])]++;
			}
		}
	}
}

/* Turns the counts into places: postings are ordered by partition, then by unit. */
void
ListIndexPlace(ListIndex *index)
{
	JoinHost *host = index->spec->records->host;
	uint64 so_far = 0;

	index->partition_starts = JoinAllocateShared(host, index->partitions.count + 1, sizeof(uint64));
	for (uint32 p = 0; p < index->partitions.count; p++)
	{
		index->partition_starts[p] = so_far;
		for (uint32 unit = 0; unit < index->unit_count; unit++)
		{
			uint64 *next = &index->next_postings[(uint64) unit * index->partitions.count + p];
			uint64 count = *next;

			*next = so_far;
			so_far += count;
		}
	}
	index->partition_starts[index->partitions.count] = so_far;
	index->posting_count = so_far;
	index->postings = JoinAllocateShared(host, so_far, sizeof(ListPosting));
	if (index->is_weighted)
		index->rests = JoinAllocateShared(host, so_far, sizeof(float));
}

static void
make_signature(ListIndex *index, const SignatureScan *scan, uint32 number, const uint32 *tokens,
			   uint32 size)
{
	uint32 words = index->signature_words;
	uint64 *signature = index->signatures + (uint64) number * words;

	memset(signature, 0, words * sizeof(uint64));
	if (index->is_weighted)
	{
		WeightedBitmapAdd(&index->bitmap, scan, index->spec->records, tokens, size, signature);
		return;
	}
	for (uint32 k = 0; k < size; k += TOKENS_PER_LINE)
		__builtin_prefetch(tokens + k + TOKENS_AHEAD);
	scan->add(signature, words, tokens, size);
}

static int64
list_term(const JoinRecords *records, uint32 token)
{
	return TokenWeightTerm(records->weights[token], records->weighing.squares);
}

/* Returns the weight of a record's tokens from the one at `from` on. */
static int64
rest_from(const JoinRecords *records, uint32 record, const uint32 *tokens, uint32 from)
{
	int64 rest = records->totals[record];

	JoinTick(records->host, from);
	for (uint32 k = 0; k < from; k++)
		rest -= list_term(records, tokens[k]);
	return rest;
}

/* Writes the postings of a record's tokens from .. end - 1, which are in one slice. */
static void
write_slice(ListIndex *index, uint64 *next, uint32 record, const uint32 *tokens, ListSlice slice,
			uint32 from, uint32 end)
{
	const JoinRecords *records = index->spec->records;
	int64 rest = 0; /* weight from the next token on */

	if (index->is_weighted && from < end)
		rest = rest_from(records, record, tokens, from);
	for (; from < end; from++)
	{
		ListPosting *posting;
		int64 rest_here = rest;
		uint64 place;

		if (index->is_weighted)
			rest -= list_term(records, tokens[from]);
		if (tokens[from] < records->first_shared_token)
			continue;
		place = next[ListPartitionOf(&index->partitions, tokens[from])]++;
		posting = &index->postings[place];
		if (index->is_weighted)
			index->rests[place] = WeightRoundedUp((double) rest_here);
		__builtin_prefetch(posting + POSTINGS_AHEAD, 1);
		posting->token = tokens[from];
		posting->record = record;
		posting->previous = from > 0 ? tokens[from - 1] : LIST_NO_TOKEN;
		posting->place = from | (uint32) slice << 30;
	}
}

void
ListIndexWrite(ListIndex *index, uint32 unit, uint32 units)
{
	uint64 *next = index->next_postings + (uint64) unit * index->partitions.count;
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

static void
list_bound_sizes(ListIndex *index)
{
	const JoinSpec *spec = index->spec;
	const JoinRecords *records = spec->records;

	LeastOverlapsInit(&index->least_overlaps, records->host, spec->predicate, records->largest);
	if (!spec->is_directed)
		SizeFilterEndsInit(&index->size_filter_ends, records, &index->least_overlaps);
	index->signature_words = BitmapFilterWords(spec->predicate, JoinSpecMeanSize(spec));
}

static void
list_bound_weights(ListIndex *index)
{
	index->bounds = WeightBoundsOf(index->spec->predicate);
	index->bitmap = WeightedBitmapOf(index->spec->records, &index->bounds);
	index->signature_words = index->bitmap.words;
}

void
ListIndexBegin(ListIndex *index, const JoinSpec *spec, uint32 units)
{
	const JoinRecords *records = spec->records;
	JoinHost *host = records->host;

	memset(index, 0, sizeof(*index));
	index->spec = spec;
	index->participants = Max(host->participants, 1);
	index->slice_count = ListSlices(spec);
	index->is_weighted = records->weighing.is_weighted;
	if (index->is_weighted)
		list_bound_weights(index);
	else
		list_bound_sizes(index);
	init_classes(index);
	index->signatures = JoinAllocateShared(
		host, (Size) records->record_count * index->signature_words, sizeof(uint64));
	ListPartitionsInit(&index->partitions, spec);
	index->unit_count = units;
	index->next_postings =
		JoinAllocateSharedZero(host, (Size) units * index->partitions.count, sizeof(uint64));
}

void
ListIndexFinish(ListIndex *index)
{
	JoinHost *host = index->spec->records->host;

	ListPartitionsFinish(&index->partitions, host);
	JoinRelease(host, index->next_postings, (Size) index->unit_count * index->partitions.count,
				sizeof(uint64));
	index->next_postings = NULL;
}

void
ListIndexFree(ListIndex *index)
{
	const JoinRecords *records = index->spec->records;
	JoinHost *host = records->host;

	if (!index->is_weighted)
	{
		LeastOverlapsFree(&index->least_overlaps);
		SizeFilterEndsFree(&index->size_filter_ends, records);
	}
	JoinRelease(host, index->classes, records->class_count, sizeof(ListClass));
	JoinRelease(host, index->rests, index->posting_count, sizeof(float));
	JoinRelease(host, index->signatures, (Size) records->record_count * index->signature_words,
				sizeof(uint64));
	ListPartitionsFree(&index->partitions, host);
	JoinRelease(host, index->partition_starts, index->partitions.count + 1, sizeof(uint64));
	JoinRelease(host, index->postings, index->posting_count, sizeof(ListPosting));
}
