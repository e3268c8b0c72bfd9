/*
 * key_sort_test.c
 *		Sorting by a key of 64 bits and then as compared, or by item.
 */
#include "c.h"

#include "kernel/records/key_sort.h"
#include "kernel_test.h"
#include "test_host.h"

static int
compare_descending(uint64 a, uint64 b, void *context)
{
	return a > b ? -1 : a < b;
}

/* Keys of several shapes: hashes, few values, small numbers with both extremes, clusters. */
static uint64
random_key(int shape)
{
	switch (shape)
	{
		case 0:
			return random_bits();
		case 1:
			return random_below(3);
		case 2:
			return random_below(50) == 0 ? PG_UINT64_MAX : random_below(1000);
		default:
			return ((uint64) random_below(4) << (16 * random_below(4))) + random_below(100);
	}
}

/* Whether two neighbours of a result are in order. */
static bool
are_ordered(const KeyedItem *a, const KeyedItem *b, CompareItems compare)
{
	if (a->key != b->key)
		return a->key < b->key;
	return compare == NULL ? a->item < b->item : compare(a->item, b->item, NULL) < 0;
}

static void
test_key_sort(CompareItems compare, const char *rule)
{
	static KeyedItem items[50000];
	static uint64 keys[50000];
	static bool seen[50000];
	const uint32 counts[] = {1, 2, 40, 1000, 50000};
	uint32 wrong = 0;

	for_each_case (seed, 4 * lengthof(counts), wrong)
	{
		JoinHost host = test_host();
		uint32 count = counts[seed % lengthof(counts)];
		int shape = seed % 4;

		for (uint32 i = 0; i < count; i++)
			items[i] = (KeyedItem){.key = keys[i] = random_key(shape), .item = i};
		case_has("%u keys of shape %d", count, shape);
		memset(seen, 0, sizeof(seen));
		KeySort(items, count, compare, NULL, &host);
		for (uint32 i = 0; i < count; i++)
		{
			wrong += seen[items[i].item] || items[i].key != keys[items[i].item];
			seen[items[i].item] = true;
			wrong += i > 0 && !are_ordered(&items[i - 1], &items[i], compare);
		}
		wrong += host.bytes != 0;
	}
	ok(wrong == 0, "%s", rule);
}

int
main(void)
{
	test_key_sort(compare_descending, "key sort: by key and then as compared");
	test_key_sort(NULL, "key sort: by key and then by item");
	return done_testing();
}
