/*
 * entry_sort.h
 *		Sorting entries of dictionaries, in files where they are many.
 */
#ifndef NEARDUP_INDEX_ENTRY_SORT_H
#define NEARDUP_INDEX_ENTRY_SORT_H

#include "executor/tuptable.h"
#include "utils/tuplesort.h"

#include "text/tokens.h"

typedef struct EntrySort
{
	Tuplesortstate *sort;
	TupleDesc columns;
	TupleTableSlot *slot;
} EntrySort;

/* `memory` is in kilobytes. */
extern void EntrySortBegin(EntrySort *sort, int memory);

/* By count, then by IndexTokenHash of the token; keeps a copy of the bytes. */
extern void EntrySortPut(EntrySort *sort, uint64 count, Token token, const void *bytes, Size size);

extern void EntrySortPerform(EntrySort *sort);

/* In order; NULL after the last one. The bytes are aligned, valid until the next call. */
extern const void *EntrySortGet(EntrySort *sort, Size *size);

extern void EntrySortEnd(EntrySort *sort);

#endif
