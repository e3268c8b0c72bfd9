/*
 * list_cost.c
 *		What lists cost where signatures tell little.
 */
#include "c.h"

#include "kernel/filters/bitmap_filter.h"
#include "kernel/lists/list_cost.h"

/*
 * Nanoseconds of a pair that meets: comparing signatures; merging what
 * precedes; or counting it record by record, with half as much again for doubt.
 */
#define TIME_TO_COMPARE 2
#define TIME_TO_MERGE 100
#define TIME_TO_COUNT 18

bool
ListsAreSlower(Predicate predicate, double mean_size, double unique_share)
{
	uint32 words;
	double passing;

	if (mean_size == 0)
		return false;
	words = BitmapFilterWords(predicate, mean_size);
	passing = BitmapFilterPassing(predicate, mean_size, words);
	return (TIME_TO_COMPARE + passing * TIME_TO_MERGE) * unique_share * unique_share >
		   TIME_TO_COUNT;
}
