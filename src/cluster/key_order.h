/*
 * key_order.h
 *		The order of different keys.
 */
#ifndef NEARDUP_CLUSTER_KEY_ORDER_H
#define NEARDUP_CLUSTER_KEY_ORDER_H

#include "join/keys.h"

typedef struct KeyOrder
{
	uint32 count;
	uint32 *by_rank; /* the number of the key of each rank */
	uint32 *ranks;	 /* the rank of the key of each number */
} KeyOrder;

/*
 * Ranks keys, no two of which are equal, from the least, 0, on. Eight bytes for
 * each key, in the current memory context. Can be cancelled.
 */
extern void KeyOrderInit(KeyOrder *order, JoinKeys *keys);

extern void KeyOrderFree(KeyOrder *order);

#endif
