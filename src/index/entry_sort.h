/*
 * entry_sort.h
 *		Putting the entries of dictionaries into the order of frequency, or back into the order of
 *		the hash.
 */
#ifndef NEARDUP_INDEX_ENTRY_SORT_H
#define NEARDUP_INDEX_ENTRY_SORT_H

#include "executor/tuptable.h"
#include "utils/tuplesort.h"

#include "index/entry_tape.h"
#include "text/tokens.h"

/* Elements with counts up to this one are not sorted. */
#define ENTRY_SORT_FEW 15

typedef enum EntryOrder
{
	ENTRIES_BY_COUNT, /* then by IndexTokenHash */
	ENTRIES_BY_HASH	  /* IndexTokenHash alone */
} EntryOrder;

/* A sequence of elements in the order of the hash, of which the first one has been read. */
typedef struct EntryRun
{
	EntryTape *tape; /* NULL for the sort */
	const void *bytes;
	Size size;
	uint64 hash;
} EntryRun;

typedef struct EntrySort
{
	EntryOrder order;
	EntryTapeSet set;
	EntryTape tapes[ENTRY_SORT_FEW + 1]; /* by count; the first one is not used */
	Tuplesortstate *sort;				 /* elements with greater counts */
	TupleDesc columns;					 /* count, hash, bytes */
	TupleTableSlot *slot;

	/* While elements are read by count: the count; by hash: the runs that have elements left. */
	uint32 count;
	EntryRun runs[ENTRY_SORT_FEW + 1];
	uint32 run_count;
	uint32 last_run; /* the one that the last element is of; run_count if there is none */
} EntrySort;

/* `memory` is in kilobytes. All memory is in the current context and in the sort's own context. */
extern void EntrySortBegin(EntrySort *sort, EntryOrder order, int memory);

/*
 * Adds an element, whose bytes begin with its token; they are copied. Elements of the same count
 * must come in the order of IndexTokenHash.
 */
extern void EntrySortPut(EntrySort *sort, uint64 count, const void *bytes, Size size);

/* Sorts. To be called once, after the last EntrySortPut. */
extern void EntrySortPerform(EntrySort *sort);

/*
 * Returns the bytes of the next element, and their number, or NULL after the last one. They are
 * valid until the next call, and may be unaligned.
 */
extern const void *EntrySortGet(EntrySort *sort, Size *size);

extern void EntrySortEnd(EntrySort *sort);

#endif
