/*
 * bucket_engine.c
 *		The engine of joins by buckets: joins records that share a key.
 *
 * Its steps are:
 *
 * - Make keys: each unit, a range of groups of equal records, makes their keys and signatures.
 * - Find: each of the first units joins a band (bucket_join.c). The last ones are ranges of records,
 *   for the pairs of equal ones.
 *
 * Workers share the units and the index. They write to it their own ranges of keys and signatures,
 * and their own units' numbers of candidates.
 */
#include "c.h"

#include "kernel/buckets/bucket_engine.h"
#include "kernel/buckets/bucket_join.h"
#include "kernel/records/key_sort.h"

#define MAKE_KEYS 1

static void
bucket_build(JoinEngine *engine)
{
	const JoinRecords *records = engine->records;
	BucketIndex *index = engine->index;
	JoinParticipant self = {.engine = engine};

	BucketIndexBegin(index, &engine->spec);
	JoinStepRun(&self, MAKE_KEYS,
				Min(JoinStepUnits(records->host, records->token_count),
					index->group_count / BUCKET_UNIT_GROUPS + 1));
	engine->posting_count = (uint64) index->group_count * index->buckets.bands;
}

static void
bucket_build_unit(JoinEngine *engine, int step, uint32 unit, uint32 units)
{
	BucketIndexMake(engine->index, unit, units);
}

static void
bucket_free(JoinEngine *engine)
{
	BucketIndexFree(engine->index);
}

static uint32
bucket_find_units(const JoinEngine *engine)
{
	const BucketIndex *index = engine->index;

	return index->buckets.bands + JoinRecordUnits(engine, engine->records->record_count);
}

static uint64
bucket_work(const JoinEngine *engine)
{
	return engine->posting_count + engine->records->record_count;
}

static void
bucket_find(JoinParticipant *self, uint32 unit, uint32 units)
{
	BucketIndex *index = self->engine->index;
	uint32 count = self->engine->records->record_count;
	uint32 bands = index->buckets.bands;

	if (unit < bands)
		BucketJoinUnit(index, unit, self->emit, self->emit_context, self->counters);
	else
		BucketJoinRepeats(index, JoinUnitStart(count, unit - bands, units - bands),
						  JoinUnitStart(count, unit - bands + 1, units - bands), self->emit,
						  self->emit_context);
}

static void
bucket_adopt(JoinEngine *engine, JoinAdoption adoption)
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

/* A unit sorts a key of each record. */
#define SORTED_BYTES sizeof(KeyedItem)

/*
 * Each record may be a group, which has keys and a signature; a first record, a size and a start of
 * the size filter.
 */
static Size
bucket_bytes(const MemoryEstimate *estimate)
{
	uint32 words = BUCKET_SIGNATURE_FACTOR * MemoryEstimateWords(estimate);

	return estimate->record_count *
			   (BucketGroupBytes(estimate->buckets, words) + 3 * sizeof(uint32) + SORTED_BYTES) +
		   estimate->distinct_tokens * sizeof(uint64) + BUCKET_TILE_BYTES;
}

static uint64
bucket_expected_postings(const MemoryEstimate *estimate)
{
	return estimate->record_count * estimate->buckets->bands;
}

const JoinEngineMethods bucket_engine = {.index_size = sizeof(BucketIndex),
										 .bytes = bucket_bytes,
										 .expected_postings = bucket_expected_postings,
										 .build = bucket_build,
										 .build_unit = bucket_build_unit,
										 .free = bucket_free,
										 .find_units = bucket_find_units,
										 .work = bucket_work,
										 .find = bucket_find,
										 .adopt = bucket_adopt};
