/*
 * key_order.h
 *		Keys by number, as they were read, and by rank, in ascending order.
 */
#ifndef NEARDUP_JOIN_KEY_ORDER_H
#define NEARDUP_JOIN_KEY_ORDER_H

#include "rows/keys.h"

typedef struct KeyOrder
{
	uint32 count;
	uint32 *by_rank; /* by rank: the number of the key */
	uint32 *ranks;	 /* by number: the rank of the key */
} KeyOrder;

/*
 * Orders the keys: the least has rank 0, and equal keys are in the order of their numbers. Allocates
 * 8 bytes a key in the current memory context. Sorts in JoinSortMemory(), then in files.
 */
extern void KeyOrderInit(KeyOrder *order, JoinKeys *keys);

/*
 * Finds the number of a key that equals another one of the same query; returns false if there is none.
 * The first `left_count` keys are those of the first query.
 */
extern bool KeyOrderRepeated(const KeyOrder *order, const JoinKeys *keys, uint32 left_count,
							 uint32 *number);

#endif
