/*
 * key_order.c
 *		The order of keys.
 *
 * JoinKeysRank ranks keys by the operators of their type, equal keys alike; a counting sort by these
 * ranks gives each key a rank of its own. Integers are sorted by themselves.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "memory/join_memory.h"
#include "rows/key_order.h"

static inline int
compare_key_numbers(uint32 a, uint32 b, const JoinKeys *keys)
{
	int order = JoinKeysCompare(keys, a, b);

	return order != 0 ? order : (a > b) - (a < b);
}

#define ST_SORT sort_key_numbers
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b, keys) compare_key_numbers(*(a), *(b), keys)
#define ST_COMPARE_ARG_TYPE const JoinKeys
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

static void
order_integers(KeyOrder *order, const JoinKeys *keys)
{
	for (uint32 number = 0; number < order->count; number++)
		order->by_rank[number] = number;
	sort_key_numbers(order->by_rank, order->count, keys);
}

static void
order_ranked(KeyOrder *order, const JoinKeys *keys)
{
	uint32 *starts = AllocateArray((Size) order->count + 1, sizeof(uint32));

	memset(starts, 0, ((Size) order->count + 1) * sizeof(uint32));
	for (uint32 number = 0; number < order->count; number++)
		starts[keys->ranks[number] + 1]++;
	for (uint32 i = 0; i < order->count; i++)
		starts[i + 1] += starts[i];
	for (uint32 number = 0; number < order->count; number++)
		order->by_rank[starts[keys->ranks[number]]++] = number;
	pfree(starts);
}

void
KeyOrderInit(KeyOrder *order, JoinKeys *keys)
{
	order->count = keys->count;
	order->by_rank = AllocateArray(order->count, sizeof(uint32));
	order->ranks = AllocateArray(order->count, sizeof(uint32));
	JoinKeysRank(keys, JoinSortMemory());
	if (keys->is_integer)
		order_integers(order, keys);
	else
		order_ranked(order, keys);
	for (uint32 rank = 0; rank < order->count; rank++)
		order->ranks[order->by_rank[rank]] = rank;
}

bool
KeyOrderRepeated(const KeyOrder *order, const JoinKeys *keys, uint32 left_count, uint32 *number)
{
	for (uint32 rank = 1; rank < order->count; rank++)
	{
		uint32 previous = order->by_rank[rank - 1];

		CHECK_FOR_INTERRUPTS();
		*number = order->by_rank[rank];
		if (JoinKeysCompare(keys, previous, *number) == 0 &&
			(previous < left_count) == (*number < left_count))
			return true;
	}
	return false;
}
