/*
 * sketch.c
 *		How fast tokens are added to a simhash: beside a loop over the bits, the formula as written.
 *
 * Prints, for documents of so many tokens, seconds for so many tokens in all: of the
 * plain loop, and of BitSumsAddTokens. The simhashes must be the same.
 */
#include "c.h"

#undef printf
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sketch/bit_sums.h"
#include "sketch/token_hash.h"

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static uint64
plain_simhash(const int64 *tokens, uint32 count)
{
	int64 sums[64] = {0};
	uint64 signs = 0;

	for (uint32 i = 0; i < count; i++)
	{
		uint64 hash = XXH3_64bits_withSeed(&tokens[i], sizeof(int64), 0);

		for (int bit = 0; bit < 64; bit++)
			sums[bit] += (hash >> bit) & 1 ? 1 : -1;
	}
	for (int bit = 0; bit < 64; bit++)
		signs |= (uint64) (sums[bit] > 0) << bit;
	return signs;
}

static uint64
simhash(const int64 *tokens, uint32 count)
{
	BitSums sums = {0};

	BitSumsAddTokens(&sums, tokens, count);
	return BitSumsSigns(&sums);
}

static double
seconds(uint64 (*sketch)(const int64 *, uint32), const int64 *tokens, uint32 count, uint32 total,
		uint64 *check)
{
	double start = now();

	*check = 0;
	for (uint32 done = 0; done < total; done += count)
		*check = *check * 31 + sketch(tokens + done % 1000, count);
	return now() - start;
}

int
main(int argc, char **argv)
{
	uint32 count = atoi(argv[1]);
	uint32 total = atoi(argv[2]);
	int64 *tokens = malloc((count + 1000) * sizeof(int64));
	uint64 checks[2];
	double plain;
	double ours;

	for (uint32 i = 0; i < count + 1000; i++)
		tokens[i] = (int64) i * 7919;
	plain = seconds(plain_simhash, tokens, count, total, &checks[0]);
	ours = seconds(simhash, tokens, count, total, &checks[1]);
	if (checks[0] != checks[1])
		return 1;
	printf("%g %g\n", plain, ours);
	return 0;
}
