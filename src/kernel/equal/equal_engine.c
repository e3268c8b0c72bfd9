/*
 * equal_engine.c
 *		The engine of joins whose pairs are all pairs of equal records.
 *
 * Where a threshold lets all rows be similar, each row is the record of its group alone, and a group
 * may be all rows of the join. There are too many pairs for other engines, which find all pairs of a
 * record, or of a list, in one unit.
 *
 * The pairs are numbered, record by record. In a self-join of 4 equal records:
 *
 *		x		1	2	2	3	3	3
 *		y		0	0	1	0	1	2
 *		number	0	1	2	3	4	5
 *
 * A unit is a range of numbers. The index tells the first number of each record, from which the unit
 * finds the record where it begins. In an R-S join, where equal records of the left side come before
 * those of the right, only records of the left side have pairs of their own. The pairs of a record are
 * passed over from where the taker of pairs wants no more of them.
 */
#include "c.h"

#include "kernel/equal/equal_engine.h"

/* Pairs of a unit, which the taker of pairs keeps in memory. */
#define PAIRS_PER_UNIT 16384

#define MOST_UNITS ((uint64) PG_INT32_MAX)

typedef struct EqualIndex
{
	uint64 *starts; /* by record, the number of its first pair; all pairs come last */
	uint32 *firsts; /* by record, the y of its first pair */
} EqualIndex;

static uint64
equal_pairs(const JoinEngine *engine)
{
	return ((const EqualIndex *) engine->index)->starts[engine->records->record_count];
}

/* Returns the end of the records that equal the first one. */
static uint32
end_of_group(const JoinRecords *records, uint32 first)
{
	uint32 end = first + 1;

	for (; end < records->record_count && JoinRecordRepeats(records, end); end++)
		JoinTick(records->host, 1);
	return end;
}

/* Returns the first record of the right side among equal records, or their end. */
static uint32
first_of_right(const JoinRecords *records, uint32 first, uint32 end)
{
	while (first < end && JoinRecordIsLeft(records, &records->records[first]))
		first++;
	JoinTick(records->host, end - first);
	return first;
}

static void
equal_build(JoinEngine *engine)
{
	const JoinRecords *records = engine->records;
	EqualIndex *index = engine->index;
	uint32 count = records->record_count;
	uint64 so_far = 0;
	uint32 end;

	index->starts = JoinAllocate(records->host, (Size) count + 1, sizeof(uint64));
	index->firsts = JoinAllocate(records->host, count, sizeof(uint32));
	for (uint32 first = 0; first < count; first = end)
	{
		uint32 right;

		end = end_of_group(records, first);
		right = records->two_sided ? first_of_right(records, first, end) : first;
		for (uint32 i = first; i < end; i++)
		{
			index->starts[i] = so_far;
			index->firsts[i] = right;
			if (!records->two_sided)
				so_far += i - first;
			else if (i < right)
				so_far += end - right;
			JoinTick(records->host, 1);
		}
	}
	index->starts[count] = so_far;
}

static void
equal_free(JoinEngine *engine)
{
	EqualIndex *index = engine->index;
	uint32 count = engine->records->record_count;

	JoinRelease(engine->records->host, index->starts, (Size) count + 1, sizeof(uint64));
	JoinRelease(engine->records->host, index->firsts, count, sizeof(uint32));
}

static uint32
equal_find_units(const JoinEngine *engine)
{
	return (uint32) Min(equal_pairs(engine) / PAIRS_PER_UNIT + 1, MOST_UNITS);
}

/* Returns the record that has the pair of this number. */
static uint32
record_of_pair(const JoinEngine *engine, uint64 number)
{
	const EqualIndex *index = engine->index;
	uint32 low = 0;
	uint32 high = engine->records->record_count;

	/* The last record that begins no later: those before it that begin there have no pairs. */
	while (low < high)
	{
		uint32 middle = low + (high - low) / 2;

		if (index->starts[middle] <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

static inline bool
equal_wants(const JoinParticipant *self, const JoinRecord *x)
{
	return self->wants == NULL || self->wants(self->emit_context, x);
}

static void
equal_find(JoinParticipant *self, uint32 unit, uint32 units)
{
	const JoinEngine *engine = self->engine;
	const JoinRecords *records = engine->records;
	const EqualIndex *index = engine->index;
	uint64 pairs = equal_pairs(engine);
	uint64 share = pairs / units + 1;
	uint64 number = Min(unit * share, pairs);
	uint64 end = Min(number + share, pairs);

	records->host->done += end - number;
	for (uint32 i = number < end ? record_of_pair(engine, number) : 0; number < end; i++)
	{
		const JoinRecord *x = &records->records[i];
		uint64 stop = Min(index->starts[i + 1], end);

		JoinTick(records->host, 1);
		for (; number < stop && equal_wants(self, x); number++)
		{
			uint64 y = index->firsts[i] + (number - index->starts[i]);

			JoinTick(records->host, 1);
			self->emit(self->emit_context, x, &records->records[y], x->size);
		}
		number = stop;
	}
}

static Size
equal_index_bytes(const MemoryEstimate *estimate)
{
	return estimate->record_count * (sizeof(uint64) + sizeof(uint32));
}

const JoinEngineMethods equal_engine = {.index_size = sizeof(EqualIndex),
										.bytes = equal_index_bytes,
										.build = equal_build,
										.free = equal_free,
										.find_units = equal_find_units,
										.work = equal_pairs,
										.find = equal_find};
