/*
 * list_window.h
 *		The entries of a partition's lists, and the window that a long slice is compared through.
 *
 * Entry x is compared with the entries of earlier records. Most of these cannot be similar to x if
 * the list's token is the first common one, as their own positions tell, since in long lists most
 * tokens stand near the end of their prefixes. At Jaccard 0.8, let y have 90 tokens. If the token is
 * the first of y, records of up to 112 tokens may be similar to y. If it is the tenth, the nine before
 * it are lost, and only records of up to 92 tokens may be. So each entry has a reach, beyond which
 * no record looks for it.
 *
 * The window has copies of the entries before x that reach x, in the order of records. Entries are
 * added as x moves ahead. From time to time the window is swept: those that no longer reach x, and
 * so none of the entries to come, are removed.
 */
#ifndef NEARDUP_KERNEL_LIST_WINDOW_H
#define NEARDUP_KERNEL_LIST_WINDOW_H

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
	uint64 count;		 /* room for entries of the largest partition */
	uint64 window_count; /* behind them, room for the longest window so far */

	double *reaches; /* of the window's entries */
	uint32 *kept;	 /* which of them a sweep keeps */
} ListEntries;

/*
 * The most entries of a partition. Entries are numbered by 32 bits, together with the entries of a
 * window behind them. A window is at most as long as a list, and a list has at most an entry for
 * each record.
 */
#define LIST_MOST_ENTRIES ((uint64) PG_INT32_MAX)

/*
 * Makes room for `count` entries, which the caller writes. If there are too many, the host is asked
 * for SIZE_MAX bytes.
 */
extern void ListEntriesInit(ListEntries *list, const ListIndex *index, uint64 count);
extern void ListEntriesFree(ListEntries *list);

/* Returns an empty window for at most `count` entries. It may move the arrays. */
extern EntryRange ListWindowBegin(ListEntries *list, uint32 count);

/* Appends a copy of entry y to the window, if it reaches this place. */
extern void ListWindowAdd(ListEntries *list, EntryRange *window, uint32 y, double place);

/* Removes the entries that do not reach this place. */
extern void ListWindowSweep(ListEntries *list, EntryRange *window, double place);

/* Returns what records are in the order of: the extent in a weighted join, else their number. */
static inline double
ListEntryPlace(const ListEntries *list, uint32 x)
{
	return list->weights != NULL ? list->weights[x].extent : list->entries[x].record;
}

#endif
