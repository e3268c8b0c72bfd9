/*
 * bucket_join.c
 *		Joining records that share a key.
 *
 * Keys are hashes, of which 32 bits are kept: two different ones that agree in
 * these make a candidate more, which the predicate rejects. They
 * stand in a matrix, one row for each group of equal records, so that
 * boilerplate is hashed and compared once, and expanded when it is emitted.
 *
 * The rows of bands have band b at place b, and one band after the other is
 * sorted by (key, group): what is equal there meets. Super-shingles have no
 * place; a row has them ascending, and they are taken by ranges of keys, so
 * that no more of them are sorted at a time than of a band.
 *
 * A pair that meets passes, in this order:
 * - the size filter, as a window of the bucket, which is in the order of sizes;
 * - a look at the keys before: a pair counts where it meets first, as a
 *   candidate;
 * - the bitmap filter;
 * - verification, which stops as soon as too many tokens are without a match.
 */
#include "c.h"

#include "utils/palloc.h"

#include "join/kernel/bucket_join.h"
#include "join/kernel/key_runs.h"
#include "join/kernel/list_index.h"
#include "join/kernel/step.h"
#include "join/kernel/verify.h"
#include "minhash/band.h"
#include "minhash/family.h"
#include "minhash/supershingles.h"
#include "tokenset/token_hash.h"

/*
 * How many times as many words signatures have as where lists are joined: there many pairs of
 * signatures are compared for each that is near, here what passes costs more.
 */
#define SIGNATURE_FACTOR 2

/* Hashes that are taken through the functions of a sketch at once. */
#define HASH_BLOCK 512

/* Bytes of the groups that the first-level cache holds while others meet them. */
#define TILE_BYTES 32768

/* Keys of a unit between the one that is looked at and the one whose group is asked for. */
#define LOOKAHEAD 16
#define CACHE_LINE 64

/* Keys that are compared at once; rows are as long as a multiple of it. */
#define KEY_BLOCK 4

#ifdef __SSE2__
#include <emmintrin.h>
#endif

uint64
BucketTokenValue(const BucketSpec *buckets, int64 token)
{
	if (buckets->kind == BUCKETS_OF_BANDS)
		return TokenHash(token, buckets->seed);
	return (uint32) token;
}

/* Places of a row; blocks that begin within the keys end within the row. */
static Size
row_length(const BucketSpec *buckets)
{
	return TYPEALIGN(KEY_BLOCK, buckets->keys);
}

Size
BucketRecordBytes(const BucketSpec *buckets)
{
	/* A super-shingle may be in all records, beside the share of its unit. */
	return row_length(buckets) * sizeof(uint32) + 2 * (sizeof(KeyedItem) + sizeof(uint32)) * 2 +
		   3 * sizeof(uint32) + SIGNATURE_FACTOR * SIGNATURE_MAX_WORDS * sizeof(uint64);
}

static uint64
sketching_bytes(const BucketSpec *buckets)
{
	uint64 values = (uint64) buckets->keys + buckets->rows;

	if (buckets->kind == BUCKETS_OF_BANDS)
		values = (uint64) buckets->keys * buckets->rows + MINHASH_LANES;
	return values * 4 * sizeof(uint64) + HASH_BLOCK * sizeof(uint64);
}

/* Of a group: its keys and its signature. */
static Size
group_bytes(const BucketSpec *buckets, uint32 signature_words)
{
	return row_length(buckets) * sizeof(uint32) + signature_words * sizeof(uint64);
}

/* Groups of a tile. */
static uint32
tile_groups(const BucketSpec *buckets, uint32 signature_words)
{
	return Max(TILE_BYTES / group_bytes(buckets, signature_words), 1);
}

uint64
BucketJoinBytes(const JoinRecords *records, uint32 largest, uint32 words)
{
	const BucketSpec *buckets = records->buckets;
	uint64 row = BucketRecordBytes(buckets) -
				 SIGNATURE_FACTOR * (SIGNATURE_MAX_WORDS - words) * sizeof(uint64);

	return records->record_count * row + sketching_bytes(buckets) +
		   Max(TILE_BYTES, group_bytes(buckets, SIGNATURE_FACTOR * words)) +
		   (uint64) buckets->keys * sizeof(uint64) +
		   (uint64) records->dictionary.token_count * sizeof(uint64) +
		   Min(records->record_count, largest) * sizeof(SizeClass) +
		   Min((uint64) largest * 2 + 1, 65536) * sizeof(int32);
}

static inline const JoinRecord *
group_record(const BucketIndex *index, uint32 group)
{
	return &index->spec->records->records[index->first_records[group]];
}

static void
find_groups(BucketIndex *index)
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

/* By the size filter: of each group, the first one whose records are not too small for it. */
static void
find_outgrown(BucketIndex *index)
{
	const JoinSpec *spec = index->spec;
	JoinHost *host = spec->records->host;
	uint32 outgrown = 0;

	index->outgrown = JoinAllocateShared(host, index->group_count, sizeof(uint32));
	for (uint32 group = 0; group < index->group_count; group++)
	{
		uint32 size_class = group_record(index, group)->size_class;

		JoinStrideTick(host, group);
		while (index->first_records[outgrown] < spec->classes[size_class].outgrown)
			outgrown++;
		index->outgrown[group] = outgrown;
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
	PairBoundsInit(&index->bounds, host, spec->predicate, records->largest);
	find_groups(index);
	find_outgrown(index);
	index->signature_words =
		SIGNATURE_FACTOR *
		ListSignatureWords(spec->predicate,
						   Max((double) records->token_count / Max(records->record_count, 1), 1));
	index->keys = JoinAllocateShared(host, (Size) index->group_count * row_length(&index->buckets),
									 sizeof(uint32));
	index->signatures = JoinAllocateShared(host, (Size) index->group_count * index->signature_words,
										   sizeof(uint64));
	index->candidates = JoinAllocateSharedZero(host, BucketJoinUnits(index), sizeof(uint64));
}

void
BucketIndexFree(BucketIndex *index)
{
	const JoinRecords *records = index->spec->records;
	JoinHost *host = records->host;

	JoinRelease(host, index->candidates, BucketJoinUnits(index), sizeof(uint64));
	JoinRelease(host, index->signatures, (Size) index->group_count * index->signature_words,
				sizeof(uint64));
	JoinRelease(host, index->keys, (Size) index->group_count * row_length(&index->buckets),
				sizeof(uint32));
	JoinRelease(host, index->outgrown, index->group_count, sizeof(uint32));
	JoinRelease(host, index->sizes, records->record_count, sizeof(uint32));
	JoinRelease(host, index->first_records, (Size) records->record_count + 1, sizeof(uint32));
	PairBoundsFree(&index->bounds);
}

static inline uint32 *
group_keys(const BucketIndex *index, uint32 group)
{
	return index->keys + (Size) group * row_length(&index->buckets);
}

/* What one process needs to make keys. */
typedef struct KeyMaker
{
	JoinHost *host;
	const JoinRecords *records;
	BucketSpec buckets;
	MinhashScan scan;
	MinhashFamily *family;
	uint64 *minima;
	uint32 *values;
	uint64 *hashes; /* of a block of tokens, or of super-shingles */
	Size family_size;
	Size value_count;
	Size hash_count;
} KeyMaker;

static void
key_maker_init(KeyMaker *maker, const BucketIndex *index)
{
	const BucketSpec *buckets = &index->buckets;
	bool is_sketched = buckets->kind == BUCKETS_OF_BANDS;

	memset(maker, 0, sizeof(*maker));
	maker->records = index->spec->records;
	maker->host = maker->records->host;
	maker->buckets = *buckets;
	maker->value_count = is_sketched ? buckets->rows : (Size) buckets->keys + buckets->rows - 1;
	maker->hash_count = is_sketched ? HASH_BLOCK : buckets->keys;
	maker->values = JoinAllocate(maker->host, maker->value_count, sizeof(uint32));
	maker->hashes = JoinAllocate(maker->host, maker->hash_count, sizeof(uint64));
	if (!is_sketched)
		return;
	maker->scan = MinhashScanBest();
	maker->family_size = MinhashFamilySize(buckets->keys * buckets->rows);
	maker->family = JoinAllocate(maker->host, maker->family_size, 1);
	MinhashFamilyInit(maker->family, buckets->keys * buckets->rows, buckets->seed);
	maker->minima = JoinAllocate(maker->host, maker->family->lanes, sizeof(uint64));
}

static void
key_maker_free(KeyMaker *maker)
{
	if (maker->family != NULL)
	{
		JoinRelease(maker->host, maker->minima, maker->family->lanes, sizeof(uint64));
		JoinRelease(maker->host, maker->family, maker->family_size, 1);
	}
	JoinRelease(maker->host, maker->hashes, maker->hash_count, sizeof(uint64));
	JoinRelease(maker->host, maker->values, maker->value_count, sizeof(uint32));
}

/* The keys of the bands of the record's sketch. */
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
	for (uint32 band = 0; band < maker->buckets.keys; band++)
	{
		for (uint32 row = 0; row < rows; row++)
			maker->values[row] = MinhashComponent(maker->minima[band * rows + row]);
		keys[band] = (uint32) BandKey(maker->values, rows, band);
	}
}

#define ST_SORT sort_keys
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* The keys of the super-shingles of the record, a sketch, ascending. */
static void
make_supershingle_keys(KeyMaker *maker, const JoinRecord *record, uint32 *keys)
{
	const uint32 *tokens = JoinRecordTokens(maker->records, record);

	Assert(record->size == maker->value_count);
	for (uint32 i = 0; i < record->size; i++)
		maker->values[i] = (uint32) maker->records->values[tokens[i]];
	SupershingleKeys(maker->values, record->size, maker->buckets.rows, maker->hashes);
	for (uint32 i = 0; i < maker->buckets.keys; i++)
		keys[i] = (uint32) maker->hashes[i];
	sort_keys(keys, maker->buckets.keys);
	JoinTick(maker->host, (uint64) record->size * (maker->buckets.rows + 8));
}

/* As SignatureAdd, which is for fewer words. */
static void
add_to_signature(JoinHost *host, uint64 *signature, uint32 words, const uint32 *tokens,
				 uint32 count)
{
	uint32 end;

	for (uint32 i = 0; i < count; i = end)
	{
		end = JoinStrideEnd(host, i, count);
		for (uint32 k = i; k < end; k++)
			SignatureToggle(signature, SignatureBit(tokens[k], words));
	}
}

/* Units divide the groups evenly. */
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
		const JoinRecord *record = group_record(index, group);
		uint64 *signature = index->signatures + (Size) group * words;

		if (index->buckets.kind == BUCKETS_OF_BANDS)
			make_band_keys(&maker, record, group_keys(index, group));
		else
			make_supershingle_keys(&maker, record, group_keys(index, group));
		memset(signature, 0, words * sizeof(uint64));
		add_to_signature(records->host, signature, words, JoinRecordTokens(records, record),
						 record->size);
		JoinTick(records->host, record->size % JOIN_STRIDE);
	}
	key_maker_free(&maker);
}

/* Each band is a unit; super-shingles are divided as if they were bands. */
uint32
BucketJoinUnits(const BucketIndex *index)
{
	return index->buckets.keys;
}

/* A process at work on a unit. */
typedef struct BucketJoiner
{
	BucketIndex *index;
	const JoinRecords *records;
	JoinHost *host;
	uint32 unit;
	JoinEmit emit;
	void *emit_context;
	JoinCounters *counters;
	uint64 candidates;
	uint32 tile_groups; /* of which copies are kept, so that they are neighbours */
	uint32 *tile_keys;
	uint64 *tile_signatures;
	bool (*are_near)(const uint64 *x, const uint64 *y, uint32 words, int64 greatest_distance);
} BucketJoiner;

/* The first place of an ascending sequence whose number is not below. */
static uint32
lower_bound(const uint32 *keys, uint32 count, uint64 key)
{
	uint32 low = 0;
	uint32 high = count;

	while (low < high)
	{
		uint32 middle = low + (high - low) / 2;

		if (keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Writes the keys of the unit to items, if there are any, with their groups, a
 * key that a group has twice once; returns how many there are.
 */
static uint64
gather(const BucketJoiner *joiner, KeyedItem *items)
{
	const BucketIndex *index = joiner->index;
	uint32 width = index->buckets.keys;
	uint64 from = ((uint64) joiner->unit << 32) / width;
	uint64 to = ((uint64) (joiner->unit + 1) << 32) / width;
	uint64 count = 0;

	for (uint32 group = 0; group < index->group_count; group++)
	{
		const uint32 *keys = group_keys(index, group);
		uint32 first = joiner->unit;
		uint32 end = first + 1;

		JoinTick(joiner->host, 1);
		if (index->buckets.kind == BUCKETS_OF_SUPERSHINGLES)
		{
			first = lower_bound(keys, width, from);
			end = lower_bound(keys, width, to);
		}
		for (uint32 i = first; i < end; i++)
		{
			if (i > first && keys[i] == keys[i - 1])
				continue;
			if (items != NULL)
				items[count] = (KeyedItem){.key = (uint64) keys[i] << 32 | group, .item = group};
			count++;
		}
	}
	return count;
}

/* Keys and groups are in the sorting key: no two are equal. */
static int
compare_nothing(uint32 a, uint32 b, void *context)
{
	return 0;
}

/* In which of KEY_BLOCK places two rows are equal, the lowest bit being the first. */
static inline uint32
equal_places(const uint32 *x, const uint32 *y)
{
#ifdef __SSE2__
	__m128i equal =
		_mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *) x), _mm_loadu_si128((const __m128i *) y));

	return _mm_movemask_ps(_mm_castsi128_ps(equal));
#else
	uint32 places = 0;

	for (uint32 k = 0; k < KEY_BLOCK; k++)
		places |= (uint32) (x[k] == y[k]) << k;
	return places;
#endif
}

/* Whether two rows are equal at a place before. */
static inline bool
met_in_band(const uint32 *x, const uint32 *y, uint32 before)
{
	uint32 i = 0;

	for (; i + KEY_BLOCK <= before; i += KEY_BLOCK)
	{
		if (equal_places(x + i, y + i) != 0)
			return true;
	}
	return (equal_places(x + i, y + i) & ((1u << (before - i)) - 1)) != 0;
}

/* Whether two ascending rows have a key in common below this one, which both have. */
static inline bool
met_below(const uint32 *x, const uint32 *y, uint32 key)
{
	while (*x != key || *y != key)
	{
		if (*x == *y)
			return true;
		if (*x < *y)
			x++;
		else
			y++;
	}
	return false;
}

/* The pairs of records of two ranges. */
static void
emit_all(const JoinRecords *records, RecordRange x_range, RecordRange y_range, uint32 overlap,
		 JoinEmit emit, void *emit_context)
{
	for (uint32 i = x_range.first; i < x_range.end; i++)
	{
		for (uint32 j = y_range.first; j < y_range.end; j++)
		{
			JoinTick(records->host, 1);
			emit(emit_context, &records->records[i], &records->records[j], overlap);
		}
	}
}

/* The pairs of a record of one range and a record of another, but those of one key. */
static void
emit_between(const JoinRecords *records, RecordRange x_rest, RecordRange y_range, uint32 overlap,
			 JoinEmit emit, void *emit_context)
{
	while (x_rest.first < x_rest.end && y_range.first < y_range.end)
	{
		RecordRange run = JoinFirstKeyRun(records, x_rest);
		RecordRange same = JoinFindKeyRun(records, y_range, records->records[run.first].key_run);

		JoinTick(records->host, 1);
		emit_all(records, run, (RecordRange){y_range.first, same.first}, overlap, emit,
				 emit_context);
		emit_all(records, run, (RecordRange){same.end, y_range.end}, overlap, emit, emit_context);
		x_rest.first = run.end;
	}
}

/* The pairs of two records of one range, but those of one key. */
static void
emit_within(const JoinRecords *records, RecordRange rest, uint32 overlap, JoinEmit emit,
			void *emit_context)
{
	while (rest.first < rest.end)
	{
		RecordRange run = JoinFirstKeyRun(records, rest);

		JoinTick(records->host, 1);
		rest.first = run.end;
		emit_all(records, run, rest, overlap, emit, emit_context);
	}
}

static RecordRange
group_range(const BucketIndex *index, uint32 group)
{
	return (RecordRange){index->first_records[group], index->first_records[group + 1]};
}

/* Of a group, the records on the left, which come first, and those on the right. */
static void
group_sides(const BucketIndex *index, uint32 group, RecordRange *left, RecordRange *right)
{
	const JoinRecords *records = index->spec->records;
	RecordRange range = group_range(index, group);
	uint32 first = range.first;
	uint32 end = range.end;

	while (first < end)
	{
		uint32 middle = first + (end - first) / 2;

		if (JoinRecordIsLeft(records, &records->records[middle]))
			first = middle + 1;
		else
			end = middle;
	}
	*left = (RecordRange){range.first, first};
	*right = (RecordRange){first, range.end};
}

/* The pairs of a record of one group and a record of another, or of the same one, but those of one key. */
static void
emit_groups(const BucketIndex *index, uint32 x_group, uint32 y_group, uint32 overlap, JoinEmit emit,
			void *emit_context)
{
	const JoinRecords *records = index->spec->records;
	RecordRange x_sides[2];
	RecordRange y_sides[2];

	if (!records->two_sided)
	{
		if (x_group == y_group)
			emit_within(records, group_range(index, x_group), overlap, emit, emit_context);
		else
			emit_between(records, group_range(index, x_group), group_range(index, y_group), overlap,
						 emit, emit_context);
		return;
	}
	group_sides(index, x_group, &x_sides[0], &x_sides[1]);
	group_sides(index, y_group, &y_sides[0], &y_sides[1]);
	emit_between(records, x_sides[0], y_sides[1], overlap, emit, emit_context);
	if (x_group != y_group)
		emit_between(records, y_sides[0], x_sides[1], overlap, emit, emit_context);
}

/* Whether a record of one group can be paired with one of the other. */
static inline bool
sides_meet(const JoinRecords *records, const BucketIndex *index, uint32 x_group, uint32 y_group)
{
	const JoinRecord *x = group_record(index, x_group);
	const JoinRecord *y = group_record(index, y_group);
	const JoinRecord *x_last = &records->records[index->first_records[x_group + 1] - 1];
	const JoinRecord *y_last = &records->records[index->first_records[y_group + 1] - 1];

	/* In a group the left side comes first. */
	return (JoinRecordIsLeft(records, x) && !JoinRecordIsLeft(records, y_last)) ||
		   (JoinRecordIsLeft(records, y) && !JoinRecordIsLeft(records, x_last));
}

/* A group, with its row of keys and its signature in the index or in a tile. */
typedef struct BucketGroup
{
	uint32 group;
	const uint32 *keys;
	const uint64 *signature;
} BucketGroup;

static inline BucketGroup
group_of_index(const BucketIndex *index, uint32 group)
{
	return (BucketGroup){.group = group,
						 .keys = group_keys(index, group),
						 .signature = index->signatures + (Size) group * index->signature_words};
}

static inline BucketGroup
group_of_tile(const BucketJoiner *joiner, uint32 place, uint32 group)
{
	const BucketIndex *index = joiner->index;

	return (BucketGroup){.group = group,
						 .keys = joiner->tile_keys + (Size) place * row_length(&index->buckets),
						 .signature =
							 joiner->tile_signatures + (Size) place * index->signature_words};
}

/* A pair that met in a bucket, x being no smaller than y. */
static inline void
meet(BucketJoiner *joiner, BucketGroup x, BucketGroup y, uint32 key)
{
	BucketIndex *index = joiner->index;
	const JoinRecords *records = joiner->records;
	uint32 x_size = index->sizes[x.group];
	uint32 y_size = index->sizes[y.group];
	int64 least_overlap;
	int64 overlap;

	if (records->two_sided && !sides_meet(records, index, x.group, y.group))
		return;
	if (index->buckets.kind == BUCKETS_OF_BANDS ? met_in_band(x.keys, y.keys, joiner->unit)
												: met_below(x.keys, y.keys, key))
		return;
	joiner->candidates++;
	least_overlap = PairLeastOverlap(&index->bounds, x_size, y_size);
	if (!joiner->are_near(x.signature, y.signature, index->signature_words,
						  (int64) x_size + y_size - 2 * least_overlap))
	{
		joiner->counters->pruned_by_bitmap++;
		return;
	}
	overlap = OverlapAtLeast(joiner->host, JoinRecordTokens(records, group_record(index, x.group)),
							 x_size, JoinRecordTokens(records, group_record(index, y.group)),
							 y_size, least_overlap);
	if (overlap >= least_overlap)
		emit_groups(index, x.group, y.group, (uint32) overlap, joiner->emit, joiner->emit_context);
}

static void
fill_tile(BucketJoiner *joiner, const KeyedItem *items, uint32 count)
{
	const BucketIndex *index = joiner->index;
	Size length = row_length(&index->buckets);
	Size words = index->signature_words;

	for (uint32 i = 0; i < count; i++)
	{
		BucketGroup group = group_of_index(index, items[i].item);

		memcpy(joiner->tile_keys + i * length, group.keys, length * sizeof(uint32));
		memcpy(joiner->tile_signatures + i * words, group.signature, words * sizeof(uint64));
	}
}

/* The groups first .. end - 1 of a bucket, a tile, with those that come after each of them. */
static void
join_tile(BucketJoiner *joiner, const KeyedItem *items, uint32 first, uint32 end, uint32 count)
{
	const BucketIndex *index = joiner->index;
	uint32 low = first;

	fill_tile(joiner, items + first, end - first);
	for (uint32 i = first + 1; i < count; i++)
	{
		BucketGroup x = i < end ? group_of_tile(joiner, i - first, items[i].item)
								: group_of_index(index, items[i].item);
		uint32 outgrown = index->outgrown[x.group];
		uint32 stop = Min(i, end);

		while (low < end && items[low].item < outgrown)
			low++;
		if (low == end)
			break;
		JoinTick(joiner->host, stop - low);
		for (uint32 j = low; j < stop; j++)
			meet(joiner, x, group_of_tile(joiner, j - first, items[j].item),
				 (uint32) (items[i].key >> 32));
	}
}

/* Groups of one key, which are in the order of sizes. */
static void
join_bucket(BucketJoiner *joiner, const KeyedItem *items, uint32 count)
{
	for (uint32 first = 0, end; first + 1 < count; first = end)
	{
		end = first + Min(joiner->tile_groups, count - first);
		join_tile(joiner, items, first, end, count);
	}
}

/* Asks for what will be looked at of a group, if its key is one of several groups. */
static inline void
prefetch_group(const BucketIndex *index, const KeyedItem *item)
{
	BucketGroup group = group_of_index(index, item->item);

	if (item->key >> 32 != item[-1].key >> 32 && item->key >> 32 != item[1].key >> 32)
		return;
	__builtin_prefetch(&index->sizes[group.group]);
	__builtin_prefetch(&index->outgrown[group.group]);
	for (Size line = 0; line < row_length(&index->buckets) * sizeof(uint32); line += CACHE_LINE)
		__builtin_prefetch((const char *) group.keys + line);
	for (Size line = 0; line < index->signature_words * sizeof(uint64); line += CACHE_LINE)
		__builtin_prefetch((const char *) group.signature + line);
}

void
BucketJoinUnit(BucketIndex *index, uint32 unit, JoinEmit emit, void *emit_context,
			   JoinCounters *counters)
{
	BucketJoiner joiner = {.index = index,
						   .records = index->spec->records,
						   .host = index->spec->records->host,
						   .unit = unit,
						   .emit = emit,
						   .emit_context = emit_context,
						   .counters = counters,
						   .are_near = SignatureScanBest().are_near};
	Size row = row_length(&index->buckets);
	uint64 gathered = gather(&joiner, NULL);
	uint32 count = (uint32) Min(gathered, PG_UINT32_MAX);
	/* More than can be numbered is more than any host has memory for. */
	KeyedItem *items =
		JoinAllocate(joiner.host, gathered > count ? SIZE_MAX : count, sizeof(KeyedItem));
	uint32 end;

	(void) gather(&joiner, items);
	KeySort(items, count, compare_nothing, NULL, joiner.host);
	joiner.tile_groups = tile_groups(&index->buckets, index->signature_words);
	joiner.tile_keys = JoinAllocate(joiner.host, joiner.tile_groups * row, sizeof(uint32));
	joiner.tile_signatures = JoinAllocate(
		joiner.host, (Size) joiner.tile_groups * index->signature_words, sizeof(uint64));
	for (uint32 first = 0; first < count; first = end)
	{
		for (end = first + 1; end < count && items[end].key >> 32 == items[first].key >> 32; end++)
		{
			if (end + LOOKAHEAD + 1 < count)
				prefetch_group(index, &items[end + LOOKAHEAD]);
		}
		if (first + LOOKAHEAD + 1 < count)
			prefetch_group(index, &items[first + LOOKAHEAD]);
		JoinTick(joiner.host, end - first);
		if (end - first > 1)
			join_bucket(&joiner, items + first, end - first);
	}
	JoinRelease(joiner.host, joiner.tile_signatures,
				(Size) joiner.tile_groups * index->signature_words, sizeof(uint64));
	JoinRelease(joiner.host, joiner.tile_keys, joiner.tile_groups * row, sizeof(uint32));
	JoinRelease(joiner.host, items, count, sizeof(KeyedItem));
	index->candidates[unit] += joiner.candidates;
	counters->candidates += joiner.candidates;
	joiner.host->done += index->group_count;
}

void
BucketJoinRepeats(const BucketIndex *index, uint32 first, uint32 end, JoinEmit emit,
				  void *emit_context)
{
	const JoinRecords *records = index->spec->records;

	for (uint32 group = lower_bound(index->first_records, index->group_count, first);
		 group < index->group_count && index->first_records[group] < end; group++)
	{
		uint32 record = index->first_records[group];
		uint32 size = records->records[record].size;

		JoinTick(records->host, 1);
		if (index->first_records[group + 1] - record < 2)
			continue;
		if (PairLeastOverlap(&index->bounds, size, size) <= size)
			emit_groups(index, group, group, size, emit, emit_context);
	}
	records->host->done += end - first;
}
