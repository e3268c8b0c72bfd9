/*
 * key_sort.h
 *		Sorting many items by 64-bit keys.
 */
#ifndef NEARDUP_JOIN_KEY_SORT_H
#define NEARDUP_JOIN_KEY_SORT_H

#include "join/kernel/host.h"

typedef struct KeyedItem
{
	uint64 key;
	uint32 item;
} KeyedItem;

/* Decides between items of equal keys: negative, 0 or positive. */
typedef int (*CompareItems)(uint32 a, uint32 b, void *context);

/*
 * Ascending by key, items of equal keys as compare says. Takes, while it runs,
 * KeySortBytes beside the items.
 */
extern void KeySort(KeyedItem *items, uint32 count, CompareItems compare, void *context,
					JoinHost *host);

extern Size KeySortBytes(uint32 count);

/* Bits that a number takes, at least 1. */
extern int KeyBits(uint64 greatest);

#endif
