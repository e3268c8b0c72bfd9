/*
 * kernel_test.h
 *		What the tests of the kernel have in common: TAP, random numbers, a host.
 */
#ifndef NEARDUP_KERNEL_TEST_H
#define NEARDUP_KERNEL_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include "join/kernel/engine.h"
#include "join/kernel/list_join.h"
#include "join/kernel/size_join.h"

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
test_enlarge(void *context, void *memory, Size size)
{
	memory = realloc(memory, size);
	if (memory == NULL)
		abort();
	return memory;
}

static inline void
test_release(void *context, void *memory)
{
	free(memory);
}

static inline void
count_check(void)
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

/* The join in small ranges of records or partitions, in an order of their own. */
static inline void
probe_in_ranges(const JoinEngine *engine, JoinEmit emit, void *context, JoinCounters *counters)
{
	uint32 count = engine->spec.records->record_count;
	uint32 partitions = engine->lists.partition_count;

	for (uint32 i = 0; i < partitions; i++)
		ListJoinPartitions(&engine->lists, partitions - i - 1, partitions - i, emit, context,
						   counters);
	for (uint32 i = 0; i < count; i += 7)
	{
		uint32 end = Min(i + 7, count);

		if (engine->spec.algorithm == JOIN_AUTO)
			ListJoinRepeats(&engine->lists, i, end, emit, context);
		else
			JoinProbe(&engine->spec, &engine->prefixes, i, end, emit, context, counters);
		SizeJoin(&engine->spec, i, end, emit, context, counters);
	}
}

#endif
