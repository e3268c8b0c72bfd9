/*
 * token_weight_test.c
 *		The weight of a token against the logarithm of long double.
 */
#include "c.h"

#include <math.h>

#include "kernel_test.h"
#include "measure/token_weight.h"

static uint32
by_logarithm(uint64 records, uint64 frequency)
{
	long double weight = logl((long double) records / (long double) frequency);

	return (uint32) llroundl(weight * TOKEN_WEIGHT_ONE);
}

static void
test_small_counts(void)
{
	uint64 wrong = 0;

	for (uint64 records = 1; records <= 600; records++)
	{
		for (uint64 frequency = 1; frequency <= records; frequency++)
			wrong += TokenWeight(records, frequency) != by_logarithm(records, frequency);
	}
	ok(wrong == 0, "all frequencies of up to 600 records");
}

static void
test_large_counts(void)
{
	uint64 wrong = 0;

	for_each_case (seed, 200000, wrong)
	{
		uint64 records = random_bits() >> 18;
		uint64 frequency = random_bits() >> 18;

		records = records >> random_below(40) | 1;
		frequency = frequency >> random_below(46) | 1;
		frequency = Min(frequency, records);
		case_has(UINT64_FORMAT " of " UINT64_FORMAT " records", frequency, records);
		wrong += TokenWeight(records, frequency) != by_logarithm(records, frequency);
	}
	ok(wrong == 0, "random frequencies of up to 2^46 records");
}

static void
test_limits(void)
{
	ok(TokenWeight(1, 1) == 0 && TokenWeight(7, 7) == 0, "a token of all records weighs nothing");
	ok(TokenWeight(7, 9) == 0, "nor does one of more records than there are");
	ok(TokenWeight(9, 0) == TokenWeight(9, 1), "a frequency of 0 counts as 1");
	ok(TokenWeight(PG_UINT64_MAX, 1) == TOKEN_WEIGHT_MAX, "weights have an end");
	ok((int64) TOKEN_WEIGHT_MAX_SET * TokenWeightTerm(TOKEN_WEIGHT_MAX, true) <= INT64CONST(1)
																					 << 62,
	   "squares of the largest set fit");
}

int
main(void)
{
	test_small_counts();
	test_large_counts();
	test_limits();
	return done_testing();
}
