/*
 * key_order.h
 *		Ranks of different keys.
 */
#ifndef NEARDUP_CLUSTER_KEY_ORDER_H
#define NEARDUP_CLUSTER_KEY_ORDER_H

#include "join/rows/keys.h"

typedef struct KeyOrder
{
	uint32 count;
	uint32 *by_rank; /* number of the key of each rank */
	uint32 *ranks;	 /* rank of the key of each number */
} KeyOrder;

/* No two keys are equal; the least has rank 0. Allocates 8 bytes a key. Can be cancelled. */
extern void KeyOrderInit(KeyOrder *order, JoinKeys *keys);

#endif
