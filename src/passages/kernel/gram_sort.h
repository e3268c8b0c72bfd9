/*
 * gram_sort.h
 *		Sorts pairs of 64-bit numbers: in memory up to a limit, then in runs of files.
 *
 * Most often the key is the hash of a gram and the value the place of a word.
 */
#ifndef NEARDUP_PASSAGES_GRAM_SORT_H
#define NEARDUP_PASSAGES_GRAM_SORT_H

#include "kernel/host.h"
#include "passages/kernel/passage_files.h"

typedef struct GramEntry
{
	uint64 key;
	uint64 value;
} GramEntry;

StaticAssertDecl(sizeof(GramEntry) == 16, "entries fill pages");

/* A level has at least four runs before they are merged, so there are never more levels. */
#define GRAM_LEVELS 32

/* The runs of a level, in a file. */
typedef struct GramLevel
{
	void *file; /* NULL if there is none */
	uint64 page_count;
	uint32 run_count;
} GramLevel;

/* A sorted part of the file of a level, and how far it has been read. */
typedef struct GramRun
{
	uint32 level;
	uint64 first_page;
	uint64 count;
	uint64 next;	 /* the number of the entry that comes next */
	GramEntry *page; /* the page of that entry; NULL while runs are not merged */
} GramRun;

typedef struct GramSort
{
	JoinHost *host;
	const PassageFiles *files; /* NULL if all stays in memory */
	uint64 most;			   /* entries in memory */
	uint64 count;

	GramEntry *entries;
	uint64 used;
	uint64 capacity;
	uint64 next; /* which of the entries in memory is returned next */

	GramLevel levels[GRAM_LEVELS];
	GramRun *runs; /* none while all are in memory; those of a higher level come first */
	uint32 run_count;
	uint32 run_capacity;
	uint32 *heap; /* runs that are not at their end, the least entry first */
	uint32 heap_count;
} GramSort;

/* Returns the bytes of this many entries in memory: half of them are for sorting. */
static inline Size
GramSortBytes(uint64 entries)
{
	return entries * 2 * sizeof(GramEntry);
}

/* Nothing is allocated yet. */
extern void GramSortInit(GramSort *sort, JoinHost *host, const PassageFiles *files,
						 Size most_bytes);

/* Ensures room for one more entry; what GramSortPut calls. */
extern void GramSortMakeRoom(GramSort *sort);

static inline void
GramSortPut(GramSort *sort, uint64 key, uint64 value)
{
	if (sort->used == sort->capacity)
		GramSortMakeRoom(sort);
	sort->entries[sort->used++] = (GramEntry){.key = key, .value = value};
	sort->count++;
}

/* Sorts by key, then by value. Called once, after the last entry. */
extern void GramSortPerform(GramSort *sort);

/* Sets *entry to the next one of the file; what GramSortNext calls. */
extern bool GramSortMergeNext(GramSort *sort, GramEntry *entry);

/* Sets *entry to the next one in order; false after the last. */
static inline bool
GramSortNext(GramSort *sort, GramEntry *entry)
{
	if (unlikely(sort->run_count > 0))
		return GramSortMergeNext(sort, entry);
	if (sort->next == sort->used)
		return false;
	*entry = sort->entries[sort->next++];
	return true;
}

/* Lets GramSortNext begin again. */
extern void GramSortRewind(GramSort *sort);

extern void GramSortFree(GramSort *sort);

#endif
