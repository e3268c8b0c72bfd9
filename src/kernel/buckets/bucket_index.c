/*
 * bucket_index.c
 *		Makes the keys and signatures of groups of equal records.
 *
 * A key is a hash, of which 32 bits are kept: where two keys collide, there is a candidate more,
 * which verification drops. Equal records have equal keys. As a group they are hashed once, however
 * many they are, and found once.
 */
#include "c.h"

#include "utils/palloc.h"

#include "kernel/buckets/bucket_index.h"
#include "kernel/engine.h"
#include "kernel/filters/bitmap_filter.h"
#include "sketch/band.h"
#include "sketch/family.h"

/* Tokens that are hashed by all functions of a sketch at once. */
#define HASH_BLOCK 512

/* Groups are neighbours, since canonical records of a size are in the order of their content. */
static void
bucket_find_groups(BucketIndex *index)
{
	const JoinRecords *records = index->spec->records;
	uint32 *first_records =
		JoinAllocateShared(records->host, (Size) records->record_count + 1, sizeof(uint32));
	uint32 count = 0;

	index->sizes = JoinAllocateShared(records->host, records->record_count, sizeof(uint32));
	for (uint32 i = 0; i < records->record_count; i++)
	{
		JoinTick(records->host, 1);
		if (!JoinRecordRepeats(records, i))
		{
			index->sizes[count] = records->records[i].size;
			first_records[count++] = i;
		}
	}
	first_records[count] = records->record_count;
	index->first_records = first_records;
	index->group_count = count;
}

static void
find_size_filter_starts(BucketIndex *index)
{
	const JoinSpec *spec = index->spec;
	JoinHost *host = spec->records->host;
	uint32 start = 0;

	index->size_filter_starts = JoinAllocateShared(host, index->group_count, sizeof(uint32));
	for (uint32 group = 0; group < index->group_count; group++)
	{
		uint32 size_class = BucketGroupRecord(index, group)->size_class;

		JoinTick(host, 1);
		while (index->first_records[start] < spec->classes[size_class].size_filter_start)
			start++;
		index->size_filter_starts[group] = start;
	}
}

void
BucketIndexBegin(BucketIndex *index, const JoinSpec *spec)
{
	const JoinRecords *records = spec->records;
	JoinHost *host = records->host;

	memset(index, 0, sizeof(*index));
	index->spec = spec;
	index->buckets = *records->buckets;
	LeastOverlapsInit(&index->least_overlaps, host, spec->predicate, records->largest);
	bucket_find_groups(index);
	find_size_filter_starts(index);
	index->signature_words =
		BUCKET_SIGNATURE_FACTOR * BitmapFilterWords(spec->predicate, JoinSpecMeanSize(spec));
	index->keys = JoinAllocateShared(
		host, (Size) index->group_count * BucketRowLength(&index->buckets), sizeof(uint32));
	index->signatures = JoinAllocateShared(host, (Size) index->group_count * index->signature_words,
										   sizeof(uint64));
	index->candidates = JoinAllocateSharedZero(host, index->buckets.bands, sizeof(uint64));
}

void
BucketIndexFree(BucketIndex *index)
{
	const JoinRecords *records = index->spec->records;
	JoinHost *host = records->host;

	JoinRelease(host, index->candidates, index->buckets.bands, sizeof(uint64));
	JoinRelease(host, index->signatures, (Size) index->group_count * index->signature_words,
				sizeof(uint64));
	JoinRelease(host, index->keys, (Size) index->group_count * BucketRowLength(&index->buckets),
				sizeof(uint32));
	JoinRelease(host, index->size_filter_starts, index->group_count, sizeof(uint32));
	JoinRelease(host, index->sizes, records->record_count, sizeof(uint32));
	JoinRelease(host, index->first_records, (Size) records->record_count + 1, sizeof(uint32));
	LeastOverlapsFree(&index->least_overlaps);
}

/* Holds what one process needs to make keys. */
typedef struct KeyMaker
{
	JoinHost *host;
	const JoinRecords *records;
	BucketSpec buckets;
	MinhashScan scan;
	MinhashFamily *family;
	Size family_size;
	uint64 *minima; /* for each hash function the least hash of a token */
	uint32 *values; /* values of one band */
	uint64 *hashes; /* hashes of a block of tokens */
} KeyMaker;

static void
key_maker_init(KeyMaker *maker, const BucketIndex *index)
{
	BucketSpec buckets = index->buckets;
	const JoinRecords *records = index->spec->records;
	JoinHost *host = records->host;

	*maker = (KeyMaker){.host = host,
						.records = records,
						.buckets = buckets,
						.scan = MinhashScanBest(),
						.family_size = MinhashFamilySize(buckets.bands * buckets.rows)};
	maker->values = JoinAllocate(host, buckets.rows, sizeof(uint32));
	maker->hashes = JoinAllocate(host, HASH_BLOCK, sizeof(uint64));
	maker->family = JoinAllocate(host, maker->family_size, 1);
	MinhashFamilyInit(maker->family, buckets.bands * buckets.rows, buckets.seed);
	maker->minima = JoinAllocate(host, maker->family->lanes, sizeof(uint64));
}

static void
key_maker_free(KeyMaker *maker)
{
	JoinRelease(maker->host, maker->minima, maker->family->lanes, sizeof(uint64));
	JoinRelease(maker->host, maker->family, maker->family_size, 1);
	JoinRelease(maker->host, maker->hashes, HASH_BLOCK, sizeof(uint64));
	JoinRelease(maker->host, maker->values, maker->buckets.rows, sizeof(uint32));
}

/* Makes a minhash sketch of the record, and the keys of its bands. */
static void
make_band_keys(KeyMaker *maker, const JoinRecord *record, uint32 *keys)
{
	const uint32 *tokens = JoinRecordTokens(maker->records, record);
	uint32 rows = maker->buckets.rows;

	memset(maker->minima, 0xff, maker->family->lanes * sizeof(uint64));
	for (uint32 done = 0; done < record->size; done += HASH_BLOCK)
	{
		uint32 count = Min(record->size - done, HASH_BLOCK);

		for (uint32 i = 0; i < count; i++)
			maker->hashes[i] = maker->records->values[tokens[done + i]];
		maker->scan(maker->family, maker->hashes, count, maker->minima);
		JoinTick(maker->host, (uint64) count * maker->family->lanes / 16);
	}
	for (uint32 band = 0; band < maker->buckets.bands; band++)
	{
		for (uint32 row = 0; row < rows; row++)
			maker->values[row] = MinhashComponent(maker->minima[band * rows + row]);
		keys[band] = (uint32) BandKey(maker->values, rows, band);
	}
}

/* Toggles the tokens' bits. The functions of signature_scan.h only make narrower signatures. */
static void
add_to_signature(uint64 *signature, uint32 words, const uint32 *tokens, uint32 count)
{
	for (uint32 k = 0; k < count; k++)
		SignatureToggle(signature, SignatureBit(tokens[k], words));
}

void
BucketIndexMake(BucketIndex *index, uint32 unit, uint32 units)
{
	const JoinRecords *records = index->spec->records;
	uint32 end = JoinUnitStart(index->group_count, unit + 1, units);
	uint32 words = index->signature_words;
	KeyMaker maker;

	key_maker_init(&maker, index);
	for (uint32 group = JoinUnitStart(index->group_count, unit, units); group < end; group++)
	{
		const JoinRecord *record = BucketGroupRecord(index, group);
		uint64 *signature = index->signatures + (Size) group * words;

		make_band_keys(&maker, record, BucketGroupKeys(index, group));
		memset(signature, 0, words * sizeof(uint64));
		add_to_signature(signature, words, JoinRecordTokens(records, record), record->size);
		JoinTick(records->host, record->size);
	}
	key_maker_free(&maker);
}
