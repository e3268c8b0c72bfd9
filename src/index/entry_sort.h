/*
 * entry_sort.h
 *		Sorting the entries of dictionaries, in temporary files if they are many.
 */
#ifndef NEARDUP_INDEX_ENTRY_SORT_H
#define NEARDUP_INDEX_ENTRY_SORT_H

#include "executor/tuptable.h"
#include "utils/tuplesort.h"

#include "text/tokens.h"

typedef struct EntrySort
{
	Tuplesortstate *sort;
	TupleDesc columns; /* count, hash, bytes */
	TupleTableSlot *slot;
} EntrySort;

/* `memory` is in kilobytes. All memory is in the current context and that of the sort. */
extern void EntrySortBegin(EntrySort *sort, int memory);

/* Adds an element: sorted by count, then by IndexTokenHash of the token. Copies the bytes. */
extern void EntrySortPut(EntrySort *sort, uint64 count, Token token, const void *bytes, Size size);

/* Sorts. To be called once, after the last EntrySortPut. */
extern void EntrySortPerform(EntrySort *sort);

/*
 * Returns the bytes of the next element, and their number, or NULL after the last one. They are
 * valid until the next call, and may be unaligned.
 */
extern const void *EntrySortGet(EntrySort *sort, Size *size);

extern void EntrySortEnd(EntrySort *sort);

#endif
