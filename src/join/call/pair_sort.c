/*
 * pair_sort.c
 *		Pairs as two numbers of 64 bits, which sort as the pairs do (kernel/number_sort.h).
 *
 * Both ends are one number, and a distance is one, too. By row the distance is between the ends, half
 * of it in each number.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "join/call/pair_sort.h"
#include "memory/join_memory.h"
#include "kernel/number_sort.h"
#include "memory/palloc_host.h"

struct PairSort
{
	PairOrder order;
	ReducePairs reduce;
	void *reduce_context;
	JoinHost host;
	NumberSort numbers;

	/* The pair that PairSortNext returned last, if PAIRS_BY_ENDS. */
	bool has_previous;
	RankedPair previous;
};

StaticAssertDecl(sizeof(RankedPair) == sizeof(KeyedItem),
				 "pairs are reduced where their numbers are");

#define SIGN_BIT ((uint64) 1 << 63)

/* Returns a number that orders as the distance does. */
static inline uint64
number_of_distance(double distance)
{
	uint64 bits;

	memcpy(&bits, &distance, sizeof(bits));
	return bits & SIGN_BIT ? ~bits : bits | SIGN_BIT;
}

static inline double
distance_of_number(uint64 number)
{
	uint64 bits = number & SIGN_BIT ? number & ~SIGN_BIT : ~number;
	double distance;

	memcpy(&distance, &bits, sizeof(distance));
	return distance;
}

static inline KeyedItem
numbers_of_pair(PairOrder order, const RankedPair *pair)
{
	uint64 ends = (uint64) pair->a << 32 | pair->b;
	uint64 distance = number_of_distance(pair->distance);

	switch (order)
	{
		case PAIRS_BY_DISTANCE:
			return (KeyedItem){.key = distance, .item = ends};
		case PAIRS_BY_ROW:
			return (KeyedItem){.key = (uint64) pair->a << 32 | distance >> 32,
							   .item = distance << 32 | pair->b};
		default:
			return (KeyedItem){.key = ends, .item = distance};
	}
}

static inline RankedPair
pair_of_numbers(PairOrder order, KeyedItem entry)
{
	uint64 ends = order == PAIRS_BY_DISTANCE ? entry.item : entry.key;
	uint64 distance = order == PAIRS_BY_DISTANCE ? entry.key : entry.item;

	if (order == PAIRS_BY_ROW)
	{
		distance = entry.key << 32 | entry.item >> 32;
		ends = (entry.key & ~(uint64) PG_UINT32_MAX) | (uint32) entry.item;
	}
	return (RankedPair){
		.distance = distance_of_number(distance), .a = (uint32) (ends >> 32), .b = (uint32) ends};
}

static uint64
reduce_numbers(void *context, KeyedItem *entries, uint64 count)
{
	PairSort *sort = context;
	RankedPair *pairs = (RankedPair *) entries;

	for (uint64 i = 0; i < count; i++)
		pairs[i] = pair_of_numbers(sort->order, entries[i]);
	count = sort->reduce(sort->reduce_context, pairs, (uint32) count);
	for (uint64 i = 0; i < count; i++)
		entries[i] = numbers_of_pair(sort->order, &pairs[i]);
	return count;
}

PairSort *
PairSortBegin(PairOrder order, ReducePairs reduce, void *reduce_context)
{
	PairSort *sort = palloc0(sizeof(PairSort));
	Size most = Min((Size) JoinSortMemory() * 1024, PG_UINT32_MAX * sizeof(KeyedItem));

	sort->order = order;
	sort->reduce = reduce;
	sort->reduce_context = reduce_context;
	sort->host = PallocHost(CurrentMemoryContext);
	NumberSortInit(&sort->numbers, &sort->host, most);
	if (reduce != NULL)
		sort->numbers.reduce = reduce_numbers;
	sort->numbers.reduce_context = sort;
	return sort;
}

void
PairSortPut(PairSort *sort, const RankedPair *pair)
{
	KeyedItem entry = numbers_of_pair(sort->order, pair);

	NumberSortPut(&sort->numbers, entry.key, entry.item);
}

void
PairSortPerform(PairSort *sort)
{
	NumberSortPerform(&sort->numbers);
}

void
PairSortRewind(PairSort *sort)
{
	sort->has_previous = false;
	NumberSortRewind(&sort->numbers);
}

static bool
is_repeated(const PairSort *sort, const RankedPair *pair)
{
	return sort->has_previous && sort->previous.a == pair->a && sort->previous.b == pair->b;
}

bool
PairSortNext(PairSort *sort, RankedPair *pair)
{
	KeyedItem entry;

	do
	{
		CHECK_FOR_INTERRUPTS();
		if (!NumberSortNext(&sort->numbers, &entry))
			return false;
		*pair = pair_of_numbers(sort->order, entry);
	} while (sort->order == PAIRS_BY_ENDS && is_repeated(sort, pair));
	sort->previous = *pair;
	sort->has_previous = true;
	return true;
}

void
PairSortEnd(PairSort *sort)
{
	NumberSortFree(&sort->numbers);
	pfree(sort);
}
