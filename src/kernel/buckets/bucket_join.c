/*
 * bucket_join.c
 *		Joins the groups of records that share a key.
 *
 * A unit takes the keys of one band, each with its group, and sorts them by (key, group). Groups
 * with the same key are then neighbours: a bucket. Groups are numbered in the order of sizes.
 *
 * Each two groups of a bucket meet, and take these steps:
 *
 * - the size filter: the groups that are not too small are a window of the bucket;
 * - in a join of two sides, whether the groups have records of different sides;
 * - the keys before. Groups may share several keys, but must be emitted once: at the first. Bands
 *	 of keys [7 3 5 1] and [9 3 5 4] meet in bands 1 and 2, counted from 0. In band 2, the bands
 *	 before are compared, and band 1 shows that the pair has met;
 * - the bitmap filter, and verification. So emitted pairs satisfy the predicate. What is missed are
 *	 similar pairs without a common key.
 *
 * Each of these steps reads two rows of keys or two signatures. Buckets of boilerplate are large,
 * and reading rows at random for each of their pairs would take longest. So a bucket is taken by
 * tiles: some groups, whose rows and signatures are copied next to each other, stay in the
 * first-level cache while all later groups of the bucket meet them.
 */
#include "c.h"

#include "bisect.h"
#include "kernel/buckets/bucket_join.h"
#include "kernel/filters/bitmap_filter.h"
#include "kernel/filters/signature_scan.h"
#include "kernel/filters/verify.h"
#include "kernel/records/key_sort.h"

/* Prefetch distance, in sorted keys. */
#define KEYS_AHEAD 16
#define CACHE_LINE 64

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

	/* The tile: copies of the rows and signatures of at most tile_groups groups. */
	uint32 tile_groups;
	uint32 *tile_keys;
	uint64 *tile_signatures;
	bool (*are_near)(const uint64 *x, const uint64 *y, uint32 words, int64 greatest_distance);
} BucketJoiner;

/* Returns the first place of ascending keys with a key of at least this value, or count. */
static uint32
lower_bound(const uint32 *keys, uint32 count, uint64 key)
{
	uint32 place = 0;

	BISECT(uint32, place, count, at, keys[at] < key);
	return place;
}

/* Writes the keys of the unit's band with their groups. */
static void
gather(const BucketJoiner *joiner, KeyedItem *items)
{
	const BucketIndex *index = joiner->index;

	for (uint32 group = 0; group < index->group_count; group++)
	{
		uint32 key = BucketGroupKeys(index, group)[joiner->unit];

		JoinTick(joiner->host, 1);
		items[group] = (KeyedItem){.key = (uint64) key << 32 | group, .item = group};
	}
}

/* Compares a block of keys; bit i of the result says whether the keys at place i are equal. */
static inline uint32
equal_places(const uint32 *x, const uint32 *y)
{
#ifdef __SSE2__
	__m128i equal =
		_mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *) x), _mm_loadu_si128((const __m128i *) y));

	return _mm_movemask_ps(_mm_castsi128_ps(equal));
#else
	uint32 places = 0;

	for (uint32 k = 0; k < BUCKET_KEY_BLOCK; k++)
		places |= (uint32) (x[k] == y[k]) << k;
	return places;
#endif
}

/* Returns whether two rows have the same key in a band before this one. */
static inline bool
met_in_band(const uint32 *x, const uint32 *y, uint32 before)
{
	uint32 i = 0;

	for (; i + BUCKET_KEY_BLOCK <= before; i += BUCKET_KEY_BLOCK)
	{
		if (equal_places(x + i, y + i) != 0)
			return true;
	}
	return (equal_places(x + i, y + i) & ((1u << (before - i)) - 1)) != 0;
}

static void
bucket_emit_within(const JoinRecords *records, RecordRange range, uint32 overlap, JoinEmit emit,
				   void *emit_context)
{
	for (uint32 i = range.first; i < range.end; i++)
	{
		JoinTick(records->host, 1);
		JoinEmitRanges(records, (RecordRange){i, i + 1}, (RecordRange){i + 1, range.end}, overlap,
					   emit, emit_context);
	}
}

static RecordRange
group_range(const BucketIndex *index, uint32 group)
{
	return (RecordRange){index->first_records[group], index->first_records[group + 1]};
}

/* Divides a group's records by their side; records of the left side come first. */
static void
group_sides(const BucketIndex *index, uint32 group, RecordRange *left, RecordRange *right)
{
	const JoinRecords *records = index->spec->records;
	RecordRange range = group_range(index, group);
	uint32 first = range.first;

	BISECT(uint32, first, range.end, at, JoinRecordIsLeft(records, &records->records[at]));
	*left = (RecordRange){range.first, first};
	*right = (RecordRange){first, range.end};
}

/* Emits the pairs of two groups' records, or of one group's records with each other. */
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
			bucket_emit_within(records, group_range(index, x_group), overlap, emit, emit_context);
		else
			JoinEmitRanges(records, group_range(index, x_group), group_range(index, y_group),
						   overlap, emit, emit_context);
		return;
	}
	group_sides(index, x_group, &x_sides[0], &x_sides[1]);
	group_sides(index, y_group, &y_sides[0], &y_sides[1]);
	JoinEmitRanges(records, x_sides[0], y_sides[1], overlap, emit, emit_context);
	if (x_group != y_group)
		JoinEmitRanges(records, y_sides[0], x_sides[1], overlap, emit, emit_context);
}

/* Returns whether one group has a record of the left side, and the other one of the right. */
static inline bool
sides_meet(const JoinRecords *records, const BucketIndex *index, uint32 x_group, uint32 y_group)
{
	const JoinRecord *x = BucketGroupRecord(index, x_group);
	const JoinRecord *y = BucketGroupRecord(index, y_group);
	const JoinRecord *x_last = &records->records[index->first_records[x_group + 1] - 1];
	const JoinRecord *y_last = &records->records[index->first_records[y_group + 1] - 1];

	/* The first record of a group is of the left side if any is, the last one of the right. */
	return (JoinRecordIsLeft(records, x) && !JoinRecordIsLeft(records, y_last)) ||
		   (JoinRecordIsLeft(records, y) && !JoinRecordIsLeft(records, x_last));
}

/* A group, with its keys and signature in the index or in the tile. */
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
						 .keys = BucketGroupKeys(index, group),
						 .signature = index->signatures + (Size) group * index->signature_words};
}

static inline BucketGroup
group_of_tile(const BucketJoiner *joiner, uint32 place, uint32 group)
{
	const BucketIndex *index = joiner->index;

	return (BucketGroup){
		.group = group,
		.keys = joiner->tile_keys + (Size) place * BucketRowLength(&index->buckets),
		.signature = joiner->tile_signatures + (Size) place * index->signature_words};
}

/* Takes a pair of groups that share a key; x is no smaller than y. */
static inline void
meet(BucketJoiner *joiner, BucketGroup x, BucketGroup y)
{
	BucketIndex *index = joiner->index;
	const JoinRecords *records = joiner->records;
	uint32 x_size = index->sizes[x.group];
	uint32 y_size = index->sizes[y.group];
	int64 least_overlap;
	int64 overlap;

	if (records->two_sided && !sides_meet(records, index, x.group, y.group))
		return;
	if (met_in_band(x.keys, y.keys, joiner->unit))
		return;
	joiner->candidates++;
	least_overlap = LeastOverlap(&index->least_overlaps, x_size, y_size);
	if (!joiner->are_near(x.signature, y.signature, index->signature_words,
						  BitmapFilterDistance(x_size, y_size, least_overlap)))
	{
		joiner->counters->pruned_by_bitmap++;
		return;
	}
	overlap = OverlapAtLeast(
		joiner->host, JoinRecordTokens(records, BucketGroupRecord(index, x.group)), x_size,
		JoinRecordTokens(records, BucketGroupRecord(index, y.group)), y_size, least_overlap);
	if (overlap >= least_overlap)
		emit_groups(index, x.group, y.group, (uint32) overlap, joiner->emit, joiner->emit_context);
}

/* Copies the groups of some items into the tile. */
static void
fill_tile(BucketJoiner *joiner, const KeyedItem *items, uint32 count)
{
	const BucketIndex *index = joiner->index;
	Size length = BucketRowLength(&index->buckets);
	Size words = index->signature_words;

	for (uint32 i = 0; i < count; i++)
	{
		BucketGroup group = group_of_index(index, items[i].item);

		memcpy(joiner->tile_keys + i * length, group.keys, length * sizeof(uint32));
		memcpy(joiner->tile_signatures + i * words, group.signature, words * sizeof(uint64));
	}
}

/*
 * Joins the items first .. end - 1 of a bucket, a tile, with all items after them. Size filter
 * starts ascend with the groups, so the first item of the tile that is not too small moves ahead;
 * at its end, the items that are left are too large for all of the tile.
 */
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
		uint32 start = index->size_filter_starts[x.group];
		uint32 stop = Min(i, end);

		while (low < end && items[low].item < start)
			low++;
		if (low == end)
			break;
		JoinTick(joiner->host, stop - low);
		for (uint32 j = low; j < stop; j++)
			meet(joiner, x, group_of_tile(joiner, j - first, items[j].item));
	}
}

static void
join_bucket(BucketJoiner *joiner, const KeyedItem *items, uint32 count)
{
	for (uint32 first = 0, end; first + 1 < count; first = end)
	{
		end = first + Min(joiner->tile_groups, count - first);
		join_tile(joiner, items, first, end, count);
	}
}

/* Prefetches what a group will be compared by, if a neighbour has the same key. */
static inline void
prefetch_group(const BucketIndex *index, const KeyedItem *item)
{
	BucketGroup group = group_of_index(index, item->item);

	if (item->key >> 32 != item[-1].key >> 32 && item->key >> 32 != item[1].key >> 32)
		return;
	__builtin_prefetch(&index->sizes[group.group]);
	__builtin_prefetch(&index->size_filter_starts[group.group]);
	for (Size line = 0; line < BucketRowLength(&index->buckets) * sizeof(uint32);
		 line += CACHE_LINE)
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
	Size row = BucketRowLength(&index->buckets);
	uint32 count = index->group_count;
	KeyedItem *items = JoinAllocate(joiner.host, count, sizeof(KeyedItem));
	uint32 end;

	gather(&joiner, items);
	KeySort(items, count, NULL, NULL, joiner.host);
	joiner.tile_groups =
		Max(BUCKET_TILE_BYTES / BucketGroupBytes(&index->buckets, index->signature_words), 1);
	joiner.tile_keys = JoinAllocate(joiner.host, joiner.tile_groups * row, sizeof(uint32));
	joiner.tile_signatures = JoinAllocate(
		joiner.host, (Size) joiner.tile_groups * index->signature_words, sizeof(uint64));
	for (uint32 first = 0; first < count; first = end)
	{
		for (end = first + 1; end < count && items[end].key >> 32 == items[first].key >> 32; end++)
		{
			if (end + KEYS_AHEAD + 1 < count)
				prefetch_group(index, &items[end + KEYS_AHEAD]);
		}
		if (first + KEYS_AHEAD + 1 < count)
			prefetch_group(index, &items[first + KEYS_AHEAD]);
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
		if (LeastOverlap(&index->least_overlaps, size, size) <= size)
			emit_groups(index, group, group, size, emit, emit_context);
	}
	records->host->done += end - first;
}
