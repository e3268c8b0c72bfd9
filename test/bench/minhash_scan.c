/*
 * minhash_scan.c
 *		Million tokens per second that each scan of src/sketch/family.c takes
 *		through 128 hash functions, hashing of the tokens included. The first one is
 *		the scalar loop.
 *
 * Prints a line for each scan of this processor, the plainest first.
 */
#include "c.h"

#include <stdio.h>
#include <time.h>

#include "utils/palloc.h"

#include "sketch/family.h"
#include "sketch/token_hash.h"

#undef printf

#define K 128
#define BLOCK 512
#define TOKENS 2000000

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

int
main(void)
{
	static union
	{
		MinhashFamily family;
		char space[64 * 1024];
	} functions;
	MinhashScan scans[MINHASH_SCANS];
	int count = MinhashScansAvailable(scans);

	MinhashFamilyInit(&functions.family, K, 1);
	for (int s = 0; s < count; s++)
	{
		uint64 minima[K];
		uint64 hashes[BLOCK];
		uint64 sum = 0;
		double start = now();

		for (int64 token = 0; token < TOKENS; token += BLOCK)
		{
			memset(minima, 0xff, sizeof(minima));
			for (int i = 0; i < BLOCK; i++)
				hashes[i] = TokenHash(token + i, 1);
			scans[s](&functions.family, hashes, BLOCK, minima);
			sum += minima[K - 1];
		}
		/* The sum is printed, so that it must be computed. */
		printf("%.3f %llu\n", TOKENS / (now() - start) / 1e6, (unsigned long long) sum);
	}
	return 0;
}
