/*
 * list_engine.c
 *		The engine of `auto`: joins list by list.
 *
 * Its steps are:
 *
 * - Count: each unit, a range of records, counts its postings by partition. So each unit has places
 *	 of its own in each partition.
 * - Write: each unit writes its postings and signatures there.
 * - Find: the first units join partitions (list_join.c). The last ones are ranges of records, for
 *	 the pairs in no list: pairs of equal records (repeat_join.h), and pairs that need no overlap
 *	 (size_join.h).
 *
 * Workers share the units of each step, and the index: classes, signatures, partitions, postings.
 * Each has a ListJoiner of its own.
 *
 * Where signatures tell little, the engine of ppjoin is faster: see lists_are_slower and
 * ListEngineIsSlowerByWeights.
 */
#include "c.h"

#include "port/pg_bitutils.h"

#include "kernel/demand/connecting_pairs.h"
#include "kernel/demand/demands.h"
#include "kernel/filters/bitmap_filter.h"
#include "kernel/filters/repeat_join.h"
#include "kernel/lists/list_engine.h"
#include "kernel/lists/list_join.h"
#include "kernel/filters/size_join.h"

#define COUNT_POSTINGS 1
#define WRITE_POSTINGS 2

/*
 * Nanoseconds for a pair that meets in a list: to compare its signatures; if they are near, to
 * search its records for a common token before the list's; and to count it in ppjoin, with half as
 * much again, so that lists are given up only where they are clearly slower.
 */
#define TIME_TO_COMPARE 2
#define TIME_TO_MERGE 100
#define TIME_TO_COUNT 18

/*
 * Signatures of weighted joins drop enough pairs if unrelated ones exceed the bound by so many
 * standard deviations.
 */
#define LEAST_EXCESS 2

/*
 * Estimates whether lists take longer than counting record by record. A pair is compared in each
 * list, and where its signatures are near, its records are too; ppjoin only counts. Lists have only
 * the records that do not repeat the one before; unique_share is their share.
 */
static bool
lists_are_slower(Predicate predicate, double mean_size, double unique_share)
{
	uint32 words;
	double passing;

	if (mean_size == 0)
		return false;
	words = BitmapFilterWords(predicate, mean_size);
	passing = BitmapFilterPassing(predicate, mean_size, words);
	return (TIME_TO_COMPARE + passing * TIME_TO_MERGE) * unique_share * unique_share >
		   TIME_TO_COUNT;
}

static uint32
count_repeats(const JoinRecords *records)
{
	uint32 count = 0;

	for (Size word = 0; word < JoinRecordsBitmapWords(records); word++)
	{
		JoinTick(records->host, 1);
		count += pg_popcount32(records->repeats[word]);
	}
	return count;
}

bool
ListEngineIsSlower(const JoinSpec *spec)
{
	const JoinRecords *records = spec->records;
	double mean_size = JoinSpecMeanSize(spec);
	double unique_share;

	/* Repeats only make lists faster, and to count them takes time. */
	if (!lists_are_slower(spec->predicate, mean_size, 1))
		return false;
	unique_share = 1 - (double) count_repeats(records) / records->record_count;
	return lists_are_slower(spec->predicate, mean_size, unique_share);
}

bool
ListEngineIsSlowerByWeights(const JoinRecords *records, Predicate predicate)
{
	WeightBounds bounds = WeightBoundsOf(predicate);

	/* Lists drop pairs within groups before their tokens are read, which the other engine cannot. */
	return RecordDemandKind(records) != &connecting_pairs &&
		   WeightedBitmapOf(records, &bounds).excess < LEAST_EXCESS;
}

static void
list_build(JoinEngine *engine)
{
	JoinRecords *records = engine->records;
	ListIndex *index = engine->index;
	JoinParticipant self = {.engine = engine};
	uint32 units = Min(JoinStepUnits(records->host, records->token_count),
					   records->record_count / LIST_UNIT_RECORDS + 1);

	ListIndexBegin(index, &engine->spec, units);
	JoinStepRun(&self, COUNT_POSTINGS, units);
	ListIndexPlace(index);
	JoinStepRun(&self, WRITE_POSTINGS, units);
	ListIndexFinish(index);
	engine->posting_count = index->posting_count;
}

static void
list_build_unit(JoinEngine *engine, int step, uint32 unit, uint32 units)
{
	if (step == COUNT_POSTINGS)
		ListIndexCount(engine->index, unit, units);
	else
		ListIndexWrite(engine->index, unit, units);
}

static void
list_free(JoinEngine *engine)
{
	ListIndexFree(engine->index);
}

static uint32
list_find_units(const JoinEngine *engine)
{
	return ListJoinUnits(engine->index) + JoinRecordUnits(engine, engine->records->record_count);
}

static uint64
list_work(const JoinEngine *engine)
{
	return engine->posting_count + SizeJoinUnits(&engine->spec);
}

static void
list_find(JoinParticipant *self, uint32 unit, uint32 units)
{
	const JoinEngine *engine = self->engine;
	uint32 count = engine->records->record_count;
	uint32 list_units = ListJoinUnits(engine->index);
	uint32 first;
	uint32 end;
	const PairDemandKind *demand = RecordDemandKind(engine->records);

	if (unit < list_units)
	{
		if (self->state == NULL)
			self->state =
				ListJoinerBegin(engine->index, self->emit, self->emit_context, self->counters);
		ListJoinUnit(self->state, unit);
		return;
	}
	first = JoinUnitStart(count, unit - list_units, units - list_units);
	end = JoinUnitStart(count, unit - list_units + 1, units - list_units);
	RepeatJoin(&engine->spec, first, end, demand != NULL && demand->one_of_equals, self->emit,
			   self->emit_context);
	SizeJoin(&engine->spec, first, end, self->emit, self->emit_context, self->counters);
}

static void
list_end(JoinParticipant *self)
{
	ListJoinerEnd(self->state);
}

static void
list_adopt(JoinEngine *engine, JoinAdoption adoption)
{
	ListIndex *index = engine->index;

	index->spec = &engine->spec;
	JoinAdopt(adoption, &index->least_overlaps.by_sum);
	JoinAdopt(adoption, &index->classes);
	JoinAdopt(adoption, &index->size_filter_ends.ends);
	JoinAdopt(adoption, &index->size_filter_ends.origins);
	JoinAdopt(adoption, &index->signatures);
	JoinAdopt(adoption, &index->partitions.of_cell);
	JoinAdopt(adoption, &index->partitions.tokens);
	JoinAdopt(adoption, &index->partition_starts);
	JoinAdopt(adoption, &index->next_postings);
	JoinAdopt(adoption, &index->postings);
	JoinAdopt(adoption, &index->rests);
}

/*
 * For an entry of a list, without its signature: the entry itself, and where its token's slices
 * end.
 */
#define BYTES_PER_SORTED_POSTING 32

/*
 * One partition at a time is sorted. It is about as large as planned, but ends with a whole list,
 * which may be a long one. Where there are more postings than tokens, all tokens are indexed, and
 * the list of a token may have each record twice: as it looks up, and as it is met.
 */
static Size
list_bytes(const MemoryEstimate *estimate)
{
	uint64 postings = estimate->posting_count;
	Size signature = MemoryEstimateWords(estimate) * sizeof(uint64);
	uint64 long_list =
		postings > estimate->token_count ? estimate->record_count * 2 : estimate->record_count / 4;
	uint64 sorted = Min(postings, 2 * ListPartitionPostings(postings) + long_list);

	return postings * sizeof(ListPosting) + estimate->record_count * signature +
		   sorted * (BYTES_PER_SORTED_POSTING + signature) +
		   Min(estimate->distinct_tokens, LIST_MAX_CELLS) * (sizeof(uint16) + sizeof(uint32));
}

const JoinEngineMethods list_engine = {.index_size = sizeof(ListIndex),
									   .bytes = list_bytes,
									   .build = list_build,
									   .build_unit = list_build_unit,
									   .free = list_free,
									   .find_units = list_find_units,
									   .work = list_work,
									   .find = list_find,
									   .end = list_end,
									   .adopt = list_adopt};
