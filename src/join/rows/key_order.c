/*
 * key_order.c
 *		Ranks of different keys.
 *
 * JoinKeysRank ranks keys by the operators of their type; integers are sorted here.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "join/rows/key_order.h"
#include "text/interrupts.h"

#define ST_SORT sort_numbers
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b, keys) JoinKeysCompare(keys, *(a), *(b))
#define ST_COMPARE_ARG_TYPE const JoinKeys
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

void
KeyOrderInit(KeyOrder *order, JoinKeys *keys)
{
	uint32 count = keys->count;

	order->count = count;
	order->by_rank = AllocateArray(count, sizeof(uint32));
	order->ranks = AllocateArray(count, sizeof(uint32));
	JoinKeysRank(keys, work_mem);
	if (keys->is_integer)
	{
		for (uint32 number = 0; number < count; number++)
			order->by_rank[number] = number;
		sort_numbers(order->by_rank, count, keys);
		for (uint32 rank = 0; rank < count; rank++)
		{
			CHECK_NOW_AND_THEN(rank);
			order->ranks[order->by_rank[rank]] = rank;
		}
		return;
	}
	for (uint32 number = 0; number < count; number++)
	{
		CHECK_NOW_AND_THEN(number);
		order->ranks[number] = (uint32) keys->order[number];
		order->by_rank[order->ranks[number]] = number;
	}
}

bool
KeyOrderRepeated(const KeyOrder *order, const JoinKeys *keys, uint32 *number)
{
	for (uint32 i = 0; i < order->count; i++)
	{
		CHECK_NOW_AND_THEN(i);
		*number = keys->is_integer ? order->by_rank[i] : i;
		if (keys->is_integer
				? i > 0 && JoinKeysCompare(keys, order->by_rank[i - 1], order->by_rank[i]) == 0
				: order->by_rank[order->ranks[i]] != i)
			return true;
	}
	return false;
}
