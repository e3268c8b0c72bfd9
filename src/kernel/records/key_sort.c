/*
 * key_sort.c
 *		Radix sort by 64-bit keys, from the top and in place.
 *
 * Items are distributed over buckets by the leading bits in which their keys differ, then each
 * bucket is sorted in the same way, or by comparison if it has few items. Hashes make buckets of
 * about the same size.
 */
#include "c.h"

#include "port/pg_bitutils.h"
#include "kernel/records/key_sort.h"

/* Keys are distributed by this many bits at a time. */
#define BUCKET_BITS 8
#define BUCKETS (1 << BUCKET_BITS)

/* Fewer items are sorted by comparison. */
#define LEAST_DISTRIBUTED 64

typedef struct KeySorter
{
	CompareItems compare;
	void *context;
	JoinHost *host;
} KeySorter;

static inline int
compare_items(const KeyedItem *a, const KeyedItem *b, const KeySorter *sorter)
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
#define ST_COMPARE_ARG_TYPE const KeySorter
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

int
KeyBits(uint64 greatest)
{
	return pg_leftmost_one_pos64(greatest | 1) + 1;
}

/* How keys are cut into buckets: by the leading bits of what they are above the least. */
typedef struct BucketRule
{
	uint64 least;
	int shift;
} BucketRule;

/* Makes the rule for items, and returns whether their keys differ. */
static bool
make_rule(const KeyedItem *items, uint64 count, BucketRule *rule)
{
	uint64 least = PG_UINT64_MAX;
	uint64 greatest = 0;

	for (uint64 i = 0; i < count; i++)
	{
		least = Min(least, items[i].key);
		greatest = Max(greatest, items[i].key);
	}
	*rule = (BucketRule){.least = least};
	if (least >= greatest)
		return false;
	rule->shift = Max(KeyBits(greatest - least) - BUCKET_BITS, 0);
	return true;
}

static inline uint32
bucket_of_item(const KeyedItem *item, const BucketRule *rule)
{
	return (item->key - rule->least) >> rule->shift;
}

/*
 * Moves items to their buckets, in place: each item of a bucket's room changes places with the one
 * that is where the next of its own bucket goes, again and again until the room is full of its own.
 * The items of a round do not wait for each other, as they would if one item were followed through
 * all its changes. ends[i] becomes the end of bucket i.
 */
static void
fill_buckets(KeyedItem *items, uint64 count, BucketRule rule, uint64 *ends)
{
	uint64 next[BUCKETS];
	uint64 end = 0;

	memset(ends, 0, BUCKETS * sizeof(uint64));
	for (uint64 i = 0; i < count; i++)
		ends[bucket_of_item(&items[i], &rule)]++;
	for (uint32 i = 0; i < BUCKETS; i++)
	{
		next[i] = end;
		end += ends[i];
		ends[i] = end;
	}
	for (uint32 i = 0; i < BUCKETS; i++)
	{
		while (next[i] < ends[i])
		{
			for (uint64 place = next[i]; place < ends[i]; place++)
			{
				KeyedItem *to = &items[next[bucket_of_item(&items[place], &rule)]++];
				KeyedItem moved = *to;

				*to = items[place];
				items[place] = moved;
			}
		}
	}
}

static void
sort_items(KeyedItem *items, uint64 count, const KeySorter *sorter)
{
	uint64 ends[BUCKETS];
	uint64 first = 0;
	BucketRule rule;

	JoinTick(sorter->host, count);
	if (count < LEAST_DISTRIBUTED || !make_rule(items, count, &rule))
	{
		sort_few(items, count, sorter);
		return;
	}
	fill_buckets(items, count, rule, ends);
	for (uint32 i = 0; i < BUCKETS; first = ends[i++])
	{
		if (ends[i] - first > 1)
			sort_items(items + first, ends[i] - first, sorter);
	}
}

void
KeySort(KeyedItem *items, uint64 count, CompareItems compare, void *context, JoinHost *host)
{
	KeySorter sorter = {.compare = compare, .context = context, .host = host};

	if (count > 1)
		sort_items(items, count, &sorter);
}
