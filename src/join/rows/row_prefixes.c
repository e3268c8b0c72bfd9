/*
 * row_prefixes.c
 *		An index of the rarest tokens of rows in files.
 *
 * Tokens whose hashes begin with the same bits are in one bucket. The rows of a bucket are a list:
 * one that is met by accident is told apart by its signature, as the others are. Entries are put
 * into lists when all have come, so that the rows of a list are neighbours in memory.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "join/rows/row_prefixes.h"
#include "kernel/records/dictionary.h"

/* How many tokens are looked up at a time, so that the processor waits for all of them at once. */
#define LOOKED_UP 64

#define LEAST_BUCKETS 64

/* The rarest tokens of a row are found by insertion if these are no more. */
#define FEW_TOKENS 16

/* How many rows of a list ahead are prefetched. */
#define ROWS_AHEAD 4

#define ST_SORT sort_ranked_places
#define ST_ELEMENT_TYPE uint64
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

void
RowPrefixesBegin(RowPrefixes *prefixes, const LeastOverlaps *least_overlaps,
				 const uint32 *known_ranks, double mean_size, uint64 rows, Size bytes)
{
	JoinHost *host = least_overlaps->host;
	Predicate predicate = least_overlaps->predicate;
	int64 least = PredicateLeastOverlap(predicate, (int64) mean_size, (int64) mean_size);
	double entries = Max(mean_size - (double) least + 1, 1);
	uint32 words = BitmapFilterWords(predicate, mean_size);
	/* A bucket for each entry, or for each second one. */
	double bytes_per_row =
		entries * (sizeof(PrefixEntry) + 2 * sizeof(uint32)) + (words + 1) * sizeof(uint64);
	uint64 capacity = (uint64) Min((double) bytes / bytes_per_row, (double) rows) + 1;

	memset(prefixes, 0, sizeof(*prefixes));
	prefixes->host = host;
	prefixes->known_ranks = known_ranks;
	prefixes->least_overlaps = least_overlaps;
	prefixes->scan = SignatureScanBest();
	prefixes->words = words;
	prefixes->row_capacity = (uint32) Min(capacity, PG_INT32_MAX);
	prefixes->entry_capacity = (uint64) (entries * prefixes->row_capacity) + 1;
	prefixes->bucket_count = Max(pg_nextpower2_64(prefixes->entry_capacity / 2 + 1), LEAST_BUCKETS);
	prefixes->shift = 64 - pg_leftmost_one_pos64(prefixes->bucket_count);
	prefixes->starts = JoinAllocateZero(host, prefixes->bucket_count + 1, sizeof(uint32));
	prefixes->entries = JoinAllocate(host, prefixes->entry_capacity, sizeof(PrefixEntry));
	prefixes->lists = JoinAllocate(host, prefixes->entry_capacity, sizeof(uint32));
	prefixes->rows =
		JoinAllocate(host, (Size) prefixes->row_capacity * (words + 1), sizeof(uint64));
}

/* Returns the size and the signature of a row. */
static inline uint64 *
indexed_row(const RowPrefixes *prefixes, uint32 number)
{
	return prefixes->rows + (Size) number * (prefixes->words + 1);
}

/* An id may share a bucket with another token, which then only tells less. */
static inline uint32
bucket_of(const RowPrefixes *prefixes, const SpillRow *row, uint32 place)
{
	return (uint32) (DictionaryHash(SpillRowToken(row, place)) >> prefixes->shift);
}

static void
sign_row(const RowPrefixes *prefixes, const SpillRow *row, uint64 *signature)
{
	memset(signature, 0, prefixes->words * sizeof(uint64));
	prefixes->scan.add(signature, prefixes->words, row->ids, row->id_count);
	for (uint32 place = row->id_count; place < row->size; place++)
	{
		uint32 folded = (uint32) (DictionaryHash(SpillRowToken(row, place)) >> 32);

		prefixes->scan.add(signature, prefixes->words, &folded, 1);
	}
}

/* Returns the place of a token below its rank: tokens that are no ids are in few rows. */
static inline uint64
ranked_place(const RowPrefixes *prefixes, const SpillRow *row, uint32 place)
{
	uint64 rank = place < row->id_count ? (uint64) prefixes->known_ranks[row->ids[place]] + 1 : 0;

	return rank << 32 | place;
}

/* Writes the places of the rarest tokens, at most FEW_TOKENS of them. */
static void
find_few_rarest(const RowPrefixes *prefixes, const SpillRow *row, uint32 count, uint64 *places)
{
	uint32 found = 0;

	for (uint32 place = 0; place < row->size; place++)
	{
		uint64 ranked = ranked_place(prefixes, row, place);
		uint32 i;

		if (found == count && ranked >= places[count - 1])
			continue;
		found = Min(found + 1, count);
		for (i = found - 1; i > 0 && places[i - 1] > ranked; i--)
			places[i] = places[i - 1];
		places[i] = ranked;
	}
}

/* Puts the places of the rarest tokens first. */
static void
sort_by_rank(const RowPrefixes *prefixes, const SpillRow *row, uint64 *places)
{
	for (uint32 place = 0; place < row->size; place++)
		places[place] = ranked_place(prefixes, row, place);
	sort_ranked_places(places, row->size);
}

bool
RowPrefixesAdd(RowPrefixes *prefixes, const SpillRow *row, int64 least)
{
	uint32 number = prefixes->row_count;
	uint64 count = least > row->size ? 0 : row->size - (uint64) least + 1;
	uint64 few[FEW_TOKENS];
	uint64 *places = few;

	if (number == prefixes->row_capacity ||
		count > prefixes->entry_capacity - prefixes->entry_count)
		return false;
	prefixes->row_count++;
	indexed_row(prefixes, number)[0] = row->size;
	sign_row(prefixes, row, indexed_row(prefixes, number) + 1);
	if (count > FEW_TOKENS)
	{
		places = JoinAllocate(prefixes->host, row->size, sizeof(uint64));
		sort_by_rank(prefixes, row, places);
	}
	else if (count > 0)
		find_few_rarest(prefixes, row, (uint32) count, places);
	for (uint64 i = 0; i < count; i++)
	{
		uint32 bucket = bucket_of(prefixes, row, (uint32) places[i]);

		prefixes->entries[prefixes->entry_count++] = (PrefixEntry){.bucket = bucket, .row = number};
	}
	if (places != few)
		JoinRelease(prefixes->host, places, row->size, sizeof(uint64));
	JoinTick(prefixes->host, row->size);
	return true;
}

void
RowPrefixesFinish(RowPrefixes *prefixes)
{
	uint32 *starts = prefixes->starts;
	uint32 so_far = 0;

	for (uint64 i = 0; i < prefixes->entry_count; i++)
		starts[prefixes->entries[i].bucket]++;
	/*
	 * First where each bucket ends; each entry, from the last one on, moves that down, to where the
	 * bucket starts. So lists are in the order of rows.
	 */
	for (uint64 bucket = 0; bucket <= prefixes->bucket_count; bucket++)
	{
		so_far += starts[bucket];
		starts[bucket] = so_far;
	}
	for (uint64 i = prefixes->entry_count; i-- > 0;)
		prefixes->lists[--starts[prefixes->entries[i].bucket]] = prefixes->entries[i].row;
}

void
RowPrefixesReset(RowPrefixes *prefixes)
{
	memset(prefixes->starts, 0, (prefixes->bucket_count + 1) * sizeof(uint32));
	prefixes->row_count = 0;
	prefixes->entry_count = 0;
}

static inline bool
is_near(const RowPrefixes *prefixes, const SpillRow *row, const uint64 *signature, uint32 other)
{
	const uint64 *indexed = indexed_row(prefixes, other);
	int64 size = (int64) indexed[0];
	int64 least = LeastOverlap(prefixes->least_overlaps, row->size, size);

	return least <= Min((int64) row->size, size) &&
		   prefixes->scan.are_near(signature, indexed + 1, prefixes->words,
								   BitmapFilterDistance(row->size, size, least));
}

/* Compares a row with the rows of a bucket, and returns how many these are. */
static uint32
compare_list(const RowPrefixes *prefixes, const SpillRow *row, const uint64 *signature,
			 uint32 count, uint32 bucket, void (*take)(void *context, uint32 number), void *context)
{
	uint32 start = prefixes->starts[bucket];
	uint32 end = prefixes->starts[bucket + 1];
	uint32 k = start;

	for (; k < end && prefixes->lists[k] < count; k++)
	{
		if (k + ROWS_AHEAD < end)
			__builtin_prefetch(indexed_row(prefixes, prefixes->lists[k + ROWS_AHEAD]));
		if (is_near(prefixes, row, signature, prefixes->lists[k]))
			take(context, prefixes->lists[k]);
	}
	JoinTick(prefixes->host, 1 + k - start);
	return k - start;
}

uint64
RowPrefixesMeet(const RowPrefixes *prefixes, const SpillRow *row, uint32 count,
				void (*take)(void *context, uint32 number), void *context)
{
	uint64 signature[SIGNATURE_MAX_WORDS];
	uint32 buckets[LOOKED_UP];
	uint64 compared = 0;

	sign_row(prefixes, row, signature);
	for (uint32 first = 0; first < row->size; first += LOOKED_UP)
	{
		uint32 tokens = Min(row->size - first, LOOKED_UP);

		for (uint32 i = 0; i < tokens; i++)
		{
			buckets[i] = bucket_of(prefixes, row, first + i);
			__builtin_prefetch(&prefixes->starts[buckets[i]]);
		}
		for (uint32 i = 0; i < tokens; i++)
			__builtin_prefetch(&prefixes->lists[prefixes->starts[buckets[i]]]);
		for (uint32 i = 0; i < tokens; i++)
			compared += compare_list(prefixes, row, signature, count, buckets[i], take, context);
	}
	return compared;
}

void
RowPrefixesFree(RowPrefixes *prefixes)
{
	JoinHost *host = prefixes->host;

	JoinRelease(host, prefixes->starts, prefixes->bucket_count + 1, sizeof(uint32));
	JoinRelease(host, prefixes->entries, prefixes->entry_capacity, sizeof(PrefixEntry));
	JoinRelease(host, prefixes->lists, prefixes->entry_capacity, sizeof(uint32));
	JoinRelease(host, prefixes->rows, (Size) prefixes->row_capacity * (prefixes->words + 1),
				sizeof(uint64));
}
