/*
 * list_engine.c
 *		The engine of the default algorithm: list by list.
 *
 * All participants write the lists: a first step counts the postings of each
 * unit and partition, so that each unit then has its own places. Partitions are
 * joined next; last come the pairs in no list: repeats, and pairs that need no
 * overlap.
 */
#include "c.h"

#include "port/pg_bitutils.h"

#include "kernel/lists/list_cost.h"
#include "kernel/lists/list_engine.h"
#include "kernel/lists/list_join.h"
#include "kernel/size_join.h"

#define COUNT_POSTINGS 1
#define WRITE_POSTINGS 2

static uint32
count_repeats(const JoinRecords *records)
{
	uint32 count = 0;

	for (Size word = 0; word < JoinRecordsBitmapWords(records); word++)
	{
		JoinStrideTick(records->host, word);
		count += pg_popcount64(records->repeats[word]);
	}
	return count;
}

bool
ListEngineIsSlower(const JoinSpec *spec)
{
	const JoinRecords *records = spec->records;
	double mean_size = JoinSpecMeanSize(spec);
	double unique_share;

	if (!ListsAreSlower(spec->predicate, mean_size, 1))
		return false;
	unique_share = 1 - (double) count_repeats(records) / records->record_count;
	return ListsAreSlower(spec->predicate, mean_size, unique_share);
}

static void
build(JoinEngine *engine)
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
build_unit(JoinEngine *engine, int step, uint32 unit, uint32 units)
{
	if (step == COUNT_POSTINGS)
		ListIndexCount(engine->index, unit, units);
	else
		ListIndexWrite(engine->index, unit, units);
}

static void
free_index(JoinEngine *engine)
{
	ListIndexFree(engine->index);
}

static uint32
find_units(const JoinEngine *engine)
{
	return ListJoinUnits(engine->index) + JoinRecordUnits(engine, engine->records->record_count);
}

static uint64
work(const JoinEngine *engine)
{
	return engine->posting_count + SizeJoinUnits(&engine->spec);
}

static void
find(JoinParticipant *self, uint32 unit, uint32 units)
{
	const JoinEngine *engine = self->engine;
	uint32 count = engine->records->record_count;
	uint32 list_units = ListJoinUnits(engine->index);
	uint32 first;
	uint32 end;

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
	ListJoinRepeats(engine->index, first, end, self->emit, self->emit_context);
	SizeJoin(&engine->spec, first, end, self->emit, self->emit_context, self->counters);
}

static void
end(JoinParticipant *self)
{
	ListJoinerEnd(self->state);
}

static void
adopt(JoinEngine *engine, JoinAdoption adoption)
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

/* An entry of a sorted list, without its signature, and where its slices end. */
#define BYTES_PER_SORTED_POSTING 32

/* Partitions are sorted one by one; they end with a list, which may be a long one. */
static Size
bytes(const MemoryEstimate *estimate)
{
	uint64 postings = estimate->posting_count;
	Size signature = MemoryEstimateWords(estimate) * sizeof(uint64);
	bool asymmetric = MeasureIsAsymmetric(estimate->predicate.measure);
	uint64 long_list = asymmetric ? estimate->record_count * 2 : estimate->record_count / 4;
	uint64 sorted = Min(postings, 2 * ListPartitionPostings(postings) + long_list);

	return postings * sizeof(ListPosting) + estimate->record_count * signature +
		   sorted * (BYTES_PER_SORTED_POSTING + signature) +
		   Min(estimate->distinct_tokens, LIST_MAX_CELLS) * (sizeof(uint16) + sizeof(uint32));
}

const JoinEngineMethods list_engine = {.index_size = sizeof(ListIndex),
									   .bytes = bytes,
									   .build = build,
									   .build_unit = build_unit,
									   .free = free_index,
									   .find_units = find_units,
									   .work = work,
									   .find = find,
									   .end = end,
									   .adopt = adopt};
