/*
 * number_sort_test.c
 *		Sorting pairs of numbers in memory and through files.
 */
#include "c.h"

#include "kernel/number_sort.h"
#include "kernel_test.h"
#include "test_host.h"

static void
test_sort(void)
{
	enum
	{
		COUNT = 400000
	};
	JoinHost host = test_host();
	uint32 wrong = 0;
	bool is_linear = true;

	for_each_case (seed, 6, wrong + !is_linear)
	{
		uint32 round = seed % 6;
		Size limit = round % 2 == 0 ? SIZE_MAX : 0;
		uint32 keys = round < 2 ? 3 : PG_UINT32_MAX;
		uint64 before = pages_written;
		uint64 sum = 0;
		uint32 count = 0;
		KeyedItem entry = {0};
		KeyedItem previous = {0};
		uint32 first_part = round % 3 == 0 ? COUNT : random_below(COUNT);
		NumberSort sort;

		case_has("%d numbers of %u keys, %s", COUNT, keys, limit == 0 ? "in files" : "in memory");
		NumberSortInit(&sort, &host, limit);
		for (uint32 i = 0; i < COUNT; i++)
		{
			uint64 key = round < 4 ? random_bits() % keys : random_below(keys);

			/* What is sorted and read takes further numbers. */
			if (i == first_part)
			{
				NumberSortPerform(&sort);
				wrong += !NumberSortNext(&sort, &entry) && i > 0;
			}
			NumberSortPut(&sort, key, COUNT - i);
			sum += key ^ (COUNT - i);
		}
		NumberSortPerform(&sort);
		for (int pass = 0; pass < 2; pass++)
		{
			for (count = 0; NumberSortNext(&sort, &entry); count++)
			{
				wrong += count > 0 && (previous.key > entry.key ||
									   (previous.key == entry.key && previous.item >= entry.item));
				sum -= pass == 0 ? entry.key ^ entry.item : 0;
				previous = entry;
			}
			wrong += count != COUNT || sum != 0;
			NumberSortRewind(&sort);
		}
		NumberSortFree(&sort);
		is_linear &= pages_written - before <= 6 * COUNT / NUMBERS_PER_PAGE;
	}
	ok(wrong == 0 && host.bytes == 0 && open_files == 0,
	   "numbers are sorted, in memory and by merging many runs of a file, and come again");
	ok(is_linear, "and no number is written many times");
}

enum
{
	KEPT = 1000
};

static uint64
keep_first(void *context, KeyedItem *entries, uint64 count)
{
	uint32 *unsorted = context;

	for (uint64 i = 1; i < count; i++)
		*unsorted += entries[i - 1].key > entries[i].key;
	return Min(count, KEPT);
}

/* Where only the least are wanted, all others are dropped when memory is full, and none is written. */
static void
test_reduce(void)
{
	JoinHost host = test_host();
	uint64 before = pages_written;
	uint32 unsorted = 0;
	uint32 wrong = 0;
	KeyedItem entry;
	NumberSort sort;

	NumberSortInit(&sort, &host, 0);
	sort.reduce = keep_first;
	sort.reduce_context = &unsorted;
	/* Each number below 2^20 once, in a mixed order. */
	for (uint64 i = 0; i < 1 << 20; i++)
		NumberSortPut(&sort, i * 0x9e3779b1 % (1 << 20), i);
	NumberSortPerform(&sort);
	for (uint64 i = 0; i < KEPT; i++)
		wrong += !NumberSortNext(&sort, &entry) || entry.key != i;
	NumberSortFree(&sort);
	ok(wrong == 0 && unsorted == 0 && pages_written == before && host.bytes == 0,
	   "what is dropped when memory is full is not written, and the least entries stay");
}

int
main(void)
{
	test_sort();
	test_reduce();
	return done_testing();
}
