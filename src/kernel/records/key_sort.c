/*
 * key_sort.c
 *		Radix sort by 64-bit keys, from the top.
 *
 * Items are distributed over about as many buckets as there are items, by the leading bits in which
 * their keys differ. If all buckets are small, one insertion sort over all of them follows, in
 * which no item leaves its bucket. Otherwise each bucket is sorted in the same way.
 */
#include "c.h"

#include "port/pg_bitutils.h"
#include "kernel/records/key_sort.h"

/* The second-level cache holds the places of that many buckets. */
#define MOST_BUCKET_BITS 13

/* A small bucket has at most so many items. */
#define FEW_ITEMS 32

typedef struct KeySorter
{
	CompareItems compare;
	void *context;
	JoinHost *host;
	KeyedItem *scratch;
	uint32 *places; /* for each bucket the place of its next item */
} KeySorter;

static inline int
compare_items(const KeyedItem *a, const KeyedItem *b, KeySorter *sorter)
{
	JoinTick(sorter->host, 1);
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (sorter->compare == NULL)
		return a->item < b->item ? -1 : a->item > b->item;
	return sorter->compare(a->item, b->item, sorter->context);
}

#define ST_SORT sort_few
#define ST_ELEMENT_TYPE KeyedItem
#define ST_COMPARE(a, b, sorter) compare_items(a, b, sorter)
#define ST_COMPARE_ARG_TYPE KeySorter
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

int
KeyBits(uint64 greatest)
{
	return pg_leftmost_one_pos64(greatest | 1) + 1;
}

static int
key_bucket_bits(uint32 count)
{
	int bits = KeyBits(count) - 1;

	return Min(Max(bits, 1), MOST_BUCKET_BITS);
}

/*
 * Writes the items to the scratch array, bucket by bucket. Returns the size of the largest bucket.
 */
static uint32
key_distribute(KeySorter *sorter, KeyedItem *items, uint32 count, uint64 least, int shift,
			   uint32 buckets)
{
	KeyedItem *restrict to = sorter->scratch;
	uint32 *restrict places = sorter->places;
	uint32 so_far = 0;
	uint32 largest = 0;

	memset(places, 0, buckets * sizeof(uint32));
	for (uint32 i = 0; i < count; i++)
		places[(items[i].key - least) >> shift]++;
	for (uint32 i = 0; i < buckets; i++)
	{
		uint32 here = places[i];

		places[i] = so_far;
		so_far += here;
		largest = Max(largest, here);
	}
	for (uint32 i = 0; i < count; i++)
		to[places[(items[i].key - least) >> shift]++] = items[i];
	return largest;
}

/*
 * Sorts the scratch array into `items` by insertion, where each item moves within its bucket only.
 */
static void
sort_scratch(KeySorter *sorter, KeyedItem *items, uint32 count)
{
	for (uint32 i = 0; i < count; i++)
	{
		KeyedItem item = sorter->scratch[i];
		uint32 place = i;

		for (; place > 0 && compare_items(&items[place - 1], &item, sorter) > 0; place--)
			items[place] = items[place - 1];
		items[place] = item;
	}
}

static void
sort_range(KeySorter *sorter, KeyedItem *items, uint32 count)
{
	uint64 least = PG_UINT64_MAX;
	uint64 greatest = 0;
	int bits = key_bucket_bits(count);
	int shift;

	JoinTick(sorter->host, count);
	if (count > FEW_ITEMS)
	{
		for (uint32 i = 0; i < count; i++)
		{
			least = Min(least, items[i].key);
			greatest = Max(greatest, items[i].key);
		}
	}
	if (least >= greatest)
	{
		sort_few(items, count, sorter);
		return;
	}
	shift = Max(KeyBits(greatest - least) - bits, 0);
	if (key_distribute(sorter, items, count, least, shift, (uint32) 1 << bits) <= FEW_ITEMS)
	{
		sort_scratch(sorter, items, count);
		return;
	}
	memcpy(items, sorter->scratch, count * sizeof(KeyedItem));
	for (uint32 first = 0, end; first < count; first = end)
	{
		uint64 bucket = (items[first].key - least) >> shift;

		for (end = first + 1; end < count && (items[end].key - least) >> shift == bucket;)
			end++;
		if (end - first > 1)
			sort_range(sorter, items + first, end - first);
	}
}

void
KeySort(KeyedItem *items, uint32 count, CompareItems compare, void *context, JoinHost *host)
{
	KeySorter sorter = {.compare = compare, .context = context, .host = host};
	uint32 buckets = (uint32) 1 << key_bucket_bits(count);

	sorter.scratch = JoinAllocate(host, count, sizeof(KeyedItem));
	sorter.places = JoinAllocate(host, buckets, sizeof(uint32));
	sort_range(&sorter, items, count);
	JoinRelease(host, sorter.places, buckets, sizeof(uint32));
	JoinRelease(host, sorter.scratch, count, sizeof(KeyedItem));
}
