/*
 * kernel_test.h
 *		What the tests of the kernel have in common: TAP, random numbers, a host.
 */
#ifndef NEARDUP_KERNEL_TEST_H
#define NEARDUP_KERNEL_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "join/kernel/step.h"

static uint64 random_state;
static int tests;
static int failures;
static uint64 interrupt_checks;

static inline uint64
random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * UINT64CONST(0x2545F4914F6CDD1D);
}

static inline uint32
random_below(uint32 n)
{
	return (uint32) ((random_bits() >> 32) * n >> 32);
}

/* Of qsort. */
static inline int
compare_tokens(const void *a, const void *b)
{
	int64 x = *(const int64 *) a;
	int64 y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}

static inline void
ok(bool success, const char *rule)
{
	tests++;
	failures += !success;
	printf("%sok %d - %s\n", success ? "" : "not ", tests, rule);
}

static inline void *
test_allocate(void *context, Size size)
{
	void *memory = malloc(size);

	if (memory == NULL)
		abort();
	return memory;
}

static inline void *
test_enlarge(void *context, void *memory, Size old_size, Size size)
{
	memory = realloc(memory, size);
	if (memory == NULL)
		abort();
	return memory;
}

static inline void
test_release(void *context, void *memory, Size size)
{
	free(memory);
}

static inline void
count_check(void *context)
{
	interrupt_checks++;
}

/* Memory from malloc, and checks for interrupts that are counted. */
static inline JoinHost
test_host(void)
{
	JoinHost host = {.allocate = test_allocate,
					 .enlarge = test_enlarge,
					 .release = test_release,
					 .check_interrupts = count_check};

	return host;
}

static inline uint64
checks_since_last(void)
{
	uint64 checks = interrupt_checks;

	interrupt_checks = 0;
	return checks;
}

/*
 * A host with two helpers, who see its arena at addresses of their own, as
 * other processes would; the units of each step go round.
 */
#define TEST_HELPERS 2
#define TEST_ARENA_SIZE ((Size) 1 << 26)

static char *arena_bases[TEST_HELPERS + 1];
static uint32 helped_units[TEST_HELPERS];

static inline void
test_share_step(void *context, JoinWorker *self, int step, uint32 units)
{
	JoinHost *host = self->records->host;
	JoinHost hosts[TEST_HELPERS];
	JoinRecords records[TEST_HELPERS];
	JoinEngine engines[TEST_HELPERS];
	JoinCounters counters[TEST_HELPERS] = {{0}};
	JoinWorker helpers[TEST_HELPERS];

	for (int i = 0; i < TEST_HELPERS; i++)
	{
		hosts[i] = *host;
		hosts[i].bytes = hosts[i].done = 0;
		hosts[i].participants = 1;
		hosts[i].arena.base = arena_bases[i + 1];
		records[i] = *self->records;
		JoinAdoptRecords(&records[i], &hosts[i], host->arena.base);
		helpers[i] = *self;
		helpers[i].records = &records[i];
		if (self->engine != NULL)
		{
			engines[i] = *self->engine;
			JoinAdoptEngine(&engines[i], &records[i], host->arena.base);
			helpers[i].engine = &engines[i];
		}
		helpers[i].counters = &counters[i];
	}
	for (uint32 unit = 0; unit < units; unit++)
	{
		uint32 turn = unit % (TEST_HELPERS + 1);

		JoinStepUnit(turn == 0 ? self : &helpers[turn - 1], step, unit, units);
		if (turn > 0)
			helped_units[turn - 1]++;
	}
	JoinStepEnd(self);
	for (int i = 0; i < TEST_HELPERS; i++)
	{
		JoinStepEnd(&helpers[i]);
		host->bytes += hosts[i].bytes;
		host->done += hosts[i].done;
		if (self->counters != NULL)
			JoinCountersAdd(self->counters, &counters[i]);
	}
}

static inline JoinHost
test_host_with_helpers(void)
{
	JoinHost host = test_host();

	if (arena_bases[0] == NULL)
	{
		FILE *stream = tmpfile();
		int file = stream == NULL ? -1 : fileno(stream);

		if (file < 0 || ftruncate(file, TEST_ARENA_SIZE) != 0)
			abort();
		for (int i = 0; i <= TEST_HELPERS; i++)
		{
			arena_bases[i] =
				mmap(NULL, TEST_ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
			if (arena_bases[i] == MAP_FAILED)
				abort();
		}
		fclose(stream);
	}
	host.share_step = test_share_step;
	host.participants = TEST_HELPERS + 1;
	host.least_unit = 1;
	host.arena.base = arena_bases[0];
	host.arena.size = TEST_ARENA_SIZE;
	return host;
}

#endif
