/*
 * prefix_index.c
 *		Builds the inverted index in two passes: one counts postings, one writes them.
 *
 * In the paper the index grows while records probe it, so that a record meets only earlier ones
 * (Algorithm 1, line 15). Here it is complete before the first probe, so that workers can share it;
 * a probe stops in each list when it comes to its own record.
 */
#include "c.h"

#include "kernel/ppjoin/prefix_index.h"
#include "measure/token_weight.h"
#include "measure/weight_bounds.h"

typedef enum IndexedSide
{
	SIDE_BOTH,
	SIDE_LEFT,
	SIDE_RIGHT
} IndexedSide;

static bool
is_indexed(const JoinSpec *spec, const JoinRecord *record, IndexedSide side)
{
	const JoinRecords *records = spec->records;
	uint32 number = (uint32) (record - records->records);

	if ((JoinSpecRole(spec, number) & JOIN_IS_MET) == 0 ||
		(records->weighing.is_weighted && JoinRecordRepeatsSide(records, number)))
		return false;
	return side == SIDE_BOTH || JoinRecordIsLeft(records, record) == (side == SIDE_LEFT);
}

/* Counts the postings and sets starts[w + 1] to where the first one of list w goes. */
static uint64
prefix_count_postings(PrefixIndex *index, const JoinSpec *spec, IndexedSide side)
{
	const JoinRecords *records = spec->records;
	uint64 total = 0;

	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *record = &records->records[i];
		const uint32 *tokens = JoinRecordTokens(records, record);
		uint32 prefix = spec->classes[record->size_class].indexing_prefix;

		JoinTick(records->host, prefix);
		if (!is_indexed(spec, record, side))
			continue;
		for (uint32 j = 0; j < prefix; j++)
			index->starts[tokens[j] + 2]++;
		total += prefix;
	}
	for (uint64 w = 2; w < (uint64) records->distinct_tokens + 2; w++)
		index->starts[w] += index->starts[w - 1];
	return total;
}

/* Writes the postings, after which starts[w] is the first one of list w. */
static void
fill_postings(PrefixIndex *index, const JoinSpec *spec, IndexedSide side)
{
	const JoinRecords *records = spec->records;

	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *record = &records->records[i];
		const uint32 *tokens = JoinRecordTokens(records, record);
		uint32 prefix = spec->classes[record->size_class].indexing_prefix;

		JoinTick(records->host, prefix);
		if (!is_indexed(spec, record, side))
			continue;
		for (uint32 j = 0; j < prefix; j++)
		{
			Posting *posting = &index->postings[index->starts[tokens[j] + 1]++];

			posting->record = i;
			posting->position = j;
			posting->size_class = record->size_class;
		}
	}
}

/* Writes the postings of a weighted join, and what it needs of the indexed records. */
static void
fill_weighted_postings(PrefixIndex *index, IndexedWeights *weights, const JoinSpec *spec,
					   IndexedSide side)
{
	const JoinRecords *records = spec->records;
	WeightBounds bounds = WeightBoundsOf(spec->predicate);

	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *record = &records->records[i];
		const uint32 *tokens = JoinRecordTokens(records, record);
		uint32 prefix = spec->classes[i].indexing_prefix;
		double extent = WeightExtent(&bounds, records->totals[i]);
		int64 rest = records->totals[i];

		JoinTick(records->host, prefix);
		if (!is_indexed(spec, record, side))
			continue;
		for (uint32 j = 0; j < prefix; j++)
		{
			Posting *posting = &index->postings[index->starts[tokens[j] + 1]++];

			posting->record = i;
			posting->reach = WeightRoundedUp(WeightGreatestExtent(&bounds, extent, (double) rest));
			posting->size_class = i;
			rest -= TokenWeightTerm(records->weights[tokens[j]], records->weighing.squares);
		}
		weights[i] = (IndexedWeights){.extent = extent,
									  .first_token = tokens - records->tokens,
									  .size = record->size,
									  .prefix = prefix,
									  .last = prefix > 0 ? tokens[prefix - 1] : 0,
									  .rest = WeightRoundedUp((double) rest)};
	}
}

static uint64
build_side(PrefixIndex *index, IndexedWeights *weights, const JoinSpec *spec, IndexedSide side)
{
	JoinHost *host = spec->records->host;
	uint64 count;

	index->starts =
		JoinAllocateSharedZero(host, (Size) spec->records->distinct_tokens + 2, sizeof(uint64));
	count = prefix_count_postings(index, spec, side);
	index->postings = JoinAllocateShared(host, count, sizeof(Posting));
	if (weights != NULL)
		fill_weighted_postings(index, weights, spec, side);
	else
		fill_postings(index, spec, side);
	return count;
}

void
PrefixIndexBuild(PrefixIndexes *indexes, const JoinSpec *spec)
{
	memset(indexes, 0, sizeof(*indexes));
	if (spec->records->weighing.is_weighted)
		indexes->weights = JoinAllocateShared(spec->records->host, spec->records->record_count,
											  sizeof(IndexedWeights));
	if (!spec->records->two_sided)
	{
		indexes->posting_count = build_side(&indexes->sides[0], indexes->weights, spec, SIDE_BOTH);
		indexes->sides[1] = indexes->sides[0];
		return;
	}
	for (IndexedSide side = SIDE_LEFT; side <= SIDE_RIGHT; side++)
		indexes->posting_count +=
			build_side(&indexes->sides[side - SIDE_LEFT], indexes->weights, spec, side);
}

static void
free_side(PrefixIndex *index, const JoinRecords *records)
{
	JoinRelease(records->host, index->postings, index->starts[records->distinct_tokens],
				sizeof(Posting));
	JoinRelease(records->host, index->starts, (Size) records->distinct_tokens + 2, sizeof(uint64));
}

void
PrefixIndexFree(PrefixIndexes *indexes, const JoinSpec *spec)
{
	JoinRelease(spec->records->host, indexes->weights, spec->records->record_count,
				sizeof(IndexedWeights));
	if (spec->records->two_sided)
		free_side(&indexes->sides[0], spec->records);
	free_side(&indexes->sides[1], spec->records);
}
