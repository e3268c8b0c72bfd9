/*
 * random_sets.c
 *		Random sets, some nearly alike, and what brute force says of two of them.
 */
#include "c.h"

#include "kernel/records/dictionary.h"
#include "kernel_test.h"
#include "random_sets.h"

static void
make_distinct(Set *set)
{
	uint32 kept = 0;

	qsort(set->tokens, set->size, sizeof(int64), compare_tokens);
	for (uint32 i = 0; i < set->size; i++)
		if (kept == 0 || set->tokens[kept - 1] != set->tokens[i])
			set->tokens[kept++] = set->tokens[i];
	set->size = kept;
}

/* Skewed: the product of two uniform draws favours small numbers. */
static int64
random_token(uint32 universe, bool skewed)
{
	uint32 place = random_below(universe);

	if (skewed)
		place = random_below(place + 1);
	if (place == 0)
		return PG_INT64_MIN;
	if (place == 1)
		return PG_INT64_MAX;
	return ((int64) place - universe / 2) * 1000003;
}

void
make_sets(Set *sets, uint32 count, uint32 universe, bool skewed, uint32 size)
{
	case_has("%u sets of up to %u of %u tokens%s", count, size, universe, skewed ? ", skewed" : "");
	for (uint32 i = 0; i < count; i++)
	{
		Set *set = &sets[i];

		if (i > 0 && random_below(2) == 0)
		{
			*set = sets[random_below(i)];
			for (uint32 edits = random_below(4); edits > 0 && set->size > 0; edits--)
				set->tokens[random_below(set->size)] = random_token(universe, skewed);
			if (random_below(3) == 0 && set->size < MAX_SET_SIZE)
				set->tokens[set->size++] = random_token(universe, skewed);
		}
		else
		{
			set->size = random_below(Min(size, MAX_SET_SIZE) + 1);
			for (uint32 k = 0; k < set->size; k++)
				set->tokens[k] = random_token(universe, skewed);
		}
		make_distinct(set);
	}
}

uint32
overlap_of(const Set *x, const Set *y)
{
	uint32 overlap = 0;

	for (uint32 i = 0; i < x->size; i++)
		for (uint32 j = 0; j < y->size; j++)
			overlap += x->tokens[i] == y->tokens[j];
	return overlap;
}

static const double thresholds[] = {1.0 / 2, 2.0 / 3, 3.0 / 4, 4.0 / 5, 7.0 / 10, 9.0 / 10, 1};

Predicate
random_predicate(Measure measure)
{
	Predicate predicate = {.measure = measure,
						   .threshold = thresholds[random_below(lengthof(thresholds))]};

	if (measure == MEASURE_OVERLAP)
		predicate.threshold = 1 + random_below(8);
	if (measure == MEASURE_HAMMING)
		predicate.threshold = random_below(12);
	case_has("%s %g", MeasureName(measure), predicate.threshold);
	return predicate;
}

int64
token_of_hash(uint64 hash)
{
	uint64 factor = DictionaryHash(1);
	uint64 inverse = factor;

	/* Each step doubles the lowest bits that are right. */
	for (int i = 0; i < 6; i++)
		inverse *= 2 - factor * inverse;
	hash *= inverse;
	return (int64) (hash ^ hash >> 32);
}
