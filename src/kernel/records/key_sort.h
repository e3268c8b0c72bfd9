/*
 * key_sort.h
 *		Sorting by 64-bit keys.
 */
#ifndef NEARDUP_KERNEL_KEY_SORT_H
#define NEARDUP_KERNEL_KEY_SORT_H

#include "kernel/host.h"

typedef struct KeyedItem
{
	uint64 key;
	uint32 item;
} KeyedItem;

/* For equal keys: negative, 0 or positive. */
typedef int (*CompareItems)(uint32 a, uint32 b, void *context);

/* Ascending by key, then compare. Takes as much memory again as the items. */
extern void KeySort(KeyedItem *items, uint32 count, CompareItems compare, void *context,
					JoinHost *host);

/* Bits of a number, at least 1. */
extern int KeyBits(uint64 greatest);

#endif
