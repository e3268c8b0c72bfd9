/*
 * kernel_test.c
 *		TAP, random numbers and random cases for tests without a server.
 */
#include "c.h"

#include <stdarg.h>

#include "kernel_test.h"

uint64 random_state = UINT64CONST(0x9E3779B97F4A7C15);

static int tests;
static int failures;

/* What was said of the case in progress. */
static char description[600];

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

static uint32
chosen_seed(void)
{
	const char *seed = getenv("SEED");

	return seed ? (uint32) strtoul(seed, NULL, 10) : 0;
}

static void
begin_case(uint32 seed)
{
	random_state = seed * UINT64CONST(0x9E3779B97F4A7C15);
	description[0] = '\0';
}

bool
next_case(uint32 *seed, uint32 number, uint64 wrong, const char *file)
{
	static uint64 wrong_at_start;
	static bool is_known; /* a wrong case of this loop */

	if (*seed == 0)
	{
		wrong_at_start = wrong;
		is_known = false;
	}
	else if (wrong != wrong_at_start && !is_known)
	{
		fprintf(stderr, "# first wrong case: make check KERNEL_TESTS=%s SEED=%u\n#   %s\n", file,
				*seed, description);
		is_known = true;
	}
	if (*seed != 0 && *seed == chosen_seed())
		return false;
	*seed = chosen_seed() != 0 ? chosen_seed() : *seed + 1;
	begin_case(*seed);
	return chosen_seed() != 0 || *seed <= number;
}

void
case_has(const char *format, ...)
{
	size_t length = strlen(description);
	va_list arguments;

	if (length > 0)
		length += snprintf(description + length, sizeof(description) - length, "; ");
	if (length >= sizeof(description))
		return;
	va_start(arguments, format);
	vsnprintf(description + length, sizeof(description) - length, format, arguments);
	va_end(arguments);
}

bool
enough(bool condition)
{
	return condition || chosen_seed() != 0;
}

void
ok(bool success, const char *rule, ...)
{
	char text[300];
	va_list arguments;

	va_start(arguments, rule);
	vsnprintf(text, sizeof(text), rule, arguments);
	va_end(arguments);
	tests++;
	failures += !success;
	printf("%sok %d - %s\n", success ? "" : "not ", tests, text);
	if (!success)
		fprintf(stderr, "# failed: %s\n", text);
}

int
done_testing(void)
{
	printf("1..%d\n", tests);
	return failures > 0;
}
