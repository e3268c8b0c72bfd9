/*
 * key_order.h
 *		Ranks of different keys.
 */
#ifndef NEARDUP_JOIN_KEY_ORDER_H
#define NEARDUP_JOIN_KEY_ORDER_H

#include "join/rows/keys.h"

typedef struct KeyOrder
{
	uint32 count;
	uint32 *by_rank; /* number of the key of each rank */
	uint32 *ranks;	 /* rank of the key of each number */
} KeyOrder;

/*
 * Ranks the keys, the least from 0; allocates 8 bytes for each. The order is of no use if a key is
 * repeated.
 */
extern void KeyOrderInit(KeyOrder *order, JoinKeys *keys);

/* Finds the number of a key that is equal to another one; false if there is none. */
extern bool KeyOrderRepeated(const KeyOrder *order, const JoinKeys *keys, uint32 *number);

#endif
