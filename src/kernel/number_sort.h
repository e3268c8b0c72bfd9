/*
 * number_sort.h
 *		Sorts pairs of 64-bit numbers: in memory up to a limit, then in runs of files.
 *
 * What is sorted is made into such numbers: the hash of a gram and the place of a word, or two rows
 * and their distance.
 */
#ifndef NEARDUP_KERNEL_NUMBER_SORT_H
#define NEARDUP_KERNEL_NUMBER_SORT_H

#include "kernel/host.h"
#include "kernel/records/key_sort.h"

/* Entries of a page of a file. */
#define NUMBERS_PER_PAGE (JOIN_FILE_PAGE / sizeof(KeyedItem))

/* A level has at least four runs before they are merged, so there are never more levels. */
#define NUMBER_LEVELS 32

/* The runs of a level, in a file. */
typedef struct NumberLevel
{
	void *file; /* NULL if there is none */
	uint64 page_count;
	uint32 run_count;
} NumberLevel;

/* A sorted part of the file of a level, and how far it has been read. */
typedef struct NumberRun
{
	uint32 level;
	uint64 first_page;
	uint64 count;
	uint64 next;	 /* the number of the entry that comes next */
	KeyedItem *page; /* the page of that entry; NULL while runs are not merged */
} NumberRun;

/*
 * Moves the entries that are still needed to the front of the sorted ones, and returns their
 * number. Called when memory is full.
 */
typedef uint64 (*ReduceNumbers)(void *context, KeyedItem *entries, uint64 count);

typedef struct NumberSort
{
	JoinHost *host;
	ReduceNumbers reduce; /* NULL unless the caller sets it */
	void *reduce_context;
	uint64 most; /* entries in memory */
	uint64 count;

	KeyedItem *entries;
	uint64 used;
	uint64 capacity;
	uint64 next; /* which of the entries in memory is returned next */

	NumberLevel levels[NUMBER_LEVELS];
	NumberRun *runs; /* none while all are in memory; runs of a higher level come first */
	uint32 run_count;
	uint32 run_capacity;
	uint32 *heap; /* runs that are not at their end, the least entry first */
	uint32 heap_count;
} NumberSort;

/* Nothing is allocated yet. */
extern void NumberSortInit(NumberSort *sort, JoinHost *host, Size most_bytes);

/* Ensures room for one more entry; what NumberSortPut calls. */
extern void NumberSortMakeRoom(NumberSort *sort);

static inline void
NumberSortPut(NumberSort *sort, uint64 key, uint64 item)
{
	if (sort->used == sort->capacity)
		NumberSortMakeRoom(sort);
	sort->entries[sort->used++] = (KeyedItem){.key = key, .item = item};
	sort->count++;
}

/*
 * Sorts by key, then by item, and begins to read. Further entries may be put, and all sorted again.
 */
extern void NumberSortPerform(NumberSort *sort);

/* Sets *entry to the next one of the file; what NumberSortNext calls. */
extern bool NumberSortMergeNext(NumberSort *sort, KeyedItem *entry);

/* Sets *entry to the next one in order; false after the last. */
static inline bool
NumberSortNext(NumberSort *sort, KeyedItem *entry)
{
	if (unlikely(sort->run_count > 0))
		return NumberSortMergeNext(sort, entry);
	if (sort->next == sort->used)
		return false;
	*entry = sort->entries[sort->next++];
	return true;
}

/* Lets NumberSortNext begin again. */
extern void NumberSortRewind(NumberSort *sort);

extern void NumberSortFree(NumberSort *sort);

#endif
