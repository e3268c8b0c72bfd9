/*
 * key_sort.h
 *		Sorting by 64-bit keys, in memory.
 */
#ifndef NEARDUP_KERNEL_KEY_SORT_H
#define NEARDUP_KERNEL_KEY_SORT_H

#include "kernel/host.h"

typedef struct KeyedItem
{
	uint64 key;
	uint64 item; /* what the caller sorts, such as the number of a record */
} KeyedItem;

/* Compares two items that have the same key. Returns a negative number, 0 or a positive one. */
typedef int (*CompareItems)(uint64 a, uint64 b, void *context);

/*
 * Sorts items by key, ascending, then as `compare` says, or by item if it is NULL. Allocates
 * nothing. The order of items that compare equal is not defined.
 */
extern void KeySort(KeyedItem *items, uint64 count, CompareItems compare, void *context,
					JoinHost *host);

/* Returns how many bits the numbers up to `greatest` need, at least 1. */
extern int KeyBits(uint64 greatest);

#endif
