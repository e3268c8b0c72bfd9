/*
 * rank_sort_test.c
 *		Sorting the ranks of a set in registers.
 */
#include "c.h"

#include "kernel/records/rank_sort.h"
#include "kernel_test.h"

static int
compare_uint32(const void *a, const void *b)
{
	uint32 x = *(const uint32 *) a;
	uint32 y = *(const uint32 *) b;

	return x < y ? -1 : x > y;
}

/* Sets of every size that is sorted in registers; what stands behind the last is left alone. */
#define RANK_SORT_MOST_SETS 5

static void
test_rank_sort(void)
{
	static uint32 rank_of_id[1000];
	RankSort sort = RankSortBest();
	uint32 wrong = 0;

	if (sort == NULL)
	{
		ok(true, "rank sort: # SKIP not on this processor");
		return;
	}
	for_each_case (round, 20 * RANK_SORT_MOST, wrong)
	{
		uint32 size = 1 + round % RANK_SORT_MOST;
		uint32 set_count = 1 + random_below(RANK_SORT_MOST_SETS);
		uint32 count = set_count * size;
		uint32 content[RANK_SORT_MOST_SETS * RANK_SORT_MOST + 1];
		uint32 expected[RANK_SORT_MOST_SETS * RANK_SORT_MOST + 1] = {0};

		case_has("%u sets of %u tokens", set_count, size);
		for (uint32 id = 0; id < lengthof(rank_of_id); id++)
			rank_of_id[id] = round % 3 == 0	  ? id
							 : round % 3 == 1 ? PG_UINT32_MAX - id
											  : (uint32) random_bits();
		/* Behind the last set, a number that stays as it is. */
		for (uint32 i = 0; i <= count; i++)
		{
			content[i] = random_below(lengthof(rank_of_id));
			expected[i] = i < count ? rank_of_id[content[i]] : content[i];
		}
		for (uint32 set = 0; set < set_count; set++)
			qsort(expected + set * size, size, sizeof(uint32), compare_uint32);
		sort(rank_of_id, content, set_count, size);
		wrong += memcmp(content, expected, (count + 1) * sizeof(uint32)) != 0;
	}
	ok(wrong == 0, "rank sort: the ranks of each set, in order");
}

int
main(void)
{
	test_rank_sort();
	return done_testing();
}
