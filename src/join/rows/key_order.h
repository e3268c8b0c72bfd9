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

/* The least has rank 0. Allocates 8 bytes a key. Of no use if a key is repeated. */
extern void KeyOrderInit(KeyOrder *order, JoinKeys *keys);

/* The number of a key that another one is equal to; false if there is none. */
extern bool KeyOrderRepeated(const KeyOrder *order, const JoinKeys *keys, uint32 *number);

#endif
