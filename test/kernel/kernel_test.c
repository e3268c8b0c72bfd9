/*
 * kernel_test.c
 *		TAP and random numbers for tests without a server.
 */
#include "c.h"

#include "kernel_test.h"

uint64 random_state = UINT64CONST(0x9E3779B97F4A7C15);

static int tests;
static int failures;

uint64
random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * UINT64CONST(0x2545F4914F6CDD1D);
}

uint32
random_below(uint32 n)
{
	return (uint32) ((random_bits() >> 32) * n >> 32);
}

bool
tries_all(void)
{
	const char *all = getenv("NEARDUP_ALL");

	return all && *all;
}

int
share_of(int number)
{
	return tries_all() ? number : (number + 7) / 8;
}

int
compare_tokens(const void *a, const void *b)
{
	int64 x = *(const int64 *) a;
	int64 y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}

void
ok(bool success, const char *rule)
{
	tests++;
	failures += !success;
	printf("%sok %d - %s\n", success ? "" : "not ", tests, rule);
}

int
done_testing(void)
{
	printf("1..%d\n", tests);
	return failures > 0;
}
