/*
 * list_entries.h
 *		The entries of a partition's lists, with their signatures.
 */
#ifndef NEARDUP_KERNEL_LIST_ENTRIES_H
#define NEARDUP_KERNEL_LIST_ENTRIES_H

#include "kernel/filters/signature_scan.h"
#include "kernel/lists/list_candidates.h"

/* Entries first .. end - 1, in the order of records. */
typedef struct EntryRange
{
	uint32 first;
	uint32 end;
} EntryRange;

typedef struct ListEntries
{
	const ListIndex *index;
	ListEntry *entries;
	ListEntryWeight *weights; /* NULL if unweighted */
	SignaturePlanes signatures;
	uint64 count;		/* room for entries of the largest partition */
	uint64 spare_count; /* behind them, room for entries that change places */
} ListEntries;

/*
 * The most entries of a partition. Entries are numbered by 32 bits, together with the spare ones
 * behind them. These are at most as many as a list has, and a list has at most an entry for each
 * record.
 */
#define LIST_MOST_ENTRIES ((uint64) PG_INT32_MAX)

/*
 * Makes room for `count` entries, which the caller writes. If there are too many, the host is asked
 * for SIZE_MAX bytes.
 */
extern void ListEntriesInit(ListEntries *list, const ListIndex *index, uint64 count);
extern void ListEntriesFree(ListEntries *list);

/*
 * Makes room for `count` spare entries, without weights, and returns the first of them. The arrays
 * may move.
 */
extern uint32 ListEntriesSpare(ListEntries *list, uint32 count);

#endif
