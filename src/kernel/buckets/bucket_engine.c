/*
 * bucket_engine.c
 *		The engine of joins by buckets: records that share a key.
 *
 * All participants make keys, each of a range of groups. Then each band is a
 * unit, or each range of super-shingles; last come the pairs of equal records.
 */
#include "c.h"

#include "kernel/buckets/bucket_engine.h"
#include "kernel/buckets/bucket_join.h"
#include "kernel/records/key_sort.h"

#define MAKE_KEYS 1

static void
build(JoinEngine *engine)
{
	const JoinRecords *records = engine->records;
	BucketIndex *index = engine->index;
	JoinParticipant self = {.engine = engine};

	BucketIndexBegin(index, &engine->spec);
	JoinStepRun(&self, MAKE_KEYS,
				Min(JoinStepUnits(records->host, records->token_count),
					index->group_count / BUCKET_UNIT_GROUPS + 1));
	engine->posting_count = (uint64) index->group_count * index->buckets.keys;
}

static void
build_unit(JoinEngine *engine, int step, uint32 unit, uint32 units)
{
	BucketIndexMake(engine->index, unit, units);
}

static void
free_index(JoinEngine *engine)
{
	BucketIndexFree(engine->index);
}

static uint32
find_units(const JoinEngine *engine)
{
	return BucketJoinUnits(engine->index) + JoinRecordUnits(engine, engine->records->record_count);
}

static uint64
work(const JoinEngine *engine)
{
	return engine->posting_count + engine->records->record_count;
}

static void
find(JoinParticipant *self, uint32 unit, uint32 units)
{
	BucketIndex *index = self->engine->index;
	uint32 count = self->engine->records->record_count;
	uint32 bucket_units = BucketJoinUnits(index);

	if (unit < bucket_units)
		BucketJoinUnit(index, unit, self->emit, self->emit_context, self->counters);
	else
		BucketJoinRepeats(index, JoinUnitStart(count, unit - bucket_units, units - bucket_units),
						  JoinUnitStart(count, unit - bucket_units + 1, units - bucket_units),
						  self->emit, self->emit_context);
}

static void
adopt(JoinEngine *engine, JoinAdoption adoption)
{
	BucketIndex *index = engine->index;

	index->spec = &engine->spec;
	JoinAdopt(adoption, &index->least_overlaps.by_sum);
	JoinAdopt(adoption, &index->first_records);
	JoinAdopt(adoption, &index->sizes);
	JoinAdopt(adoption, &index->size_filter_starts);
	JoinAdopt(adoption, &index->keys);
	JoinAdopt(adoption, &index->signatures);
	JoinAdopt(adoption, &index->candidates);
}

/* While pairs are found: a super-shingle may be in all records, beside the share of its unit. */
#define SORTED_BYTES (4 * (sizeof(KeyedItem) + sizeof(uint32)))

/* By record, which may be a group: keys and signature; its first record, size, and size filter's start. */
static Size
bytes(const MemoryEstimate *estimate)
{
	uint32 words = BUCKET_SIGNATURE_FACTOR * MemoryEstimateWords(estimate);

	return estimate->record_count *
			   (BucketGroupBytes(estimate->buckets, words) + 3 * sizeof(uint32) + SORTED_BYTES) +
		   estimate->distinct_tokens * sizeof(uint64) + BUCKET_TILE_BYTES;
}

static uint64
expected_keys(const MemoryEstimate *estimate)
{
	return estimate->record_count * estimate->buckets->keys;
}

const JoinEngineMethods bucket_engine = {.index_size = sizeof(BucketIndex),
										 .bytes = bytes,
										 .expected_postings = expected_keys,
										 .build = build,
										 .build_unit = build_unit,
										 .free = free_index,
										 .find_units = find_units,
										 .work = work,
										 .find = find,
										 .adopt = adopt};
