/*
 * join_memory.c
 *		The only place that decides what neardup.join_memory stands for, and how malloc's heap is used.
 *
 * To join whole tables is maintenance, as to index them is. So a session that has set nothing gives
 * a join what CREATE INDEX would have; one that has raised work_mem for large queries gives it that.
 *
 * The arrays of a join lie in memory contexts, which have them from malloc. That of glibc has two
 * thresholds. An array that is larger than the first is mapped on new pages (mmap), which are given back
 * when it is released; others are taken from the heap. The heap can shrink only at its end, and does so
 * when more bytes than the second threshold are free there.
 *
 * New pages are expensive: the operating system clears each and enters it into tables, which takes longer
 * than to fill it. In the heap an array gets the pages of earlier ones. But a hole between two arrays is
 * of no use to an array that is larger, so the heap grows where arrays of ever other sizes come and go.
 * A join in memory takes few arrays, which grow: they come from the heap, and it keeps their pages for the
 * next join. A join from files takes and releases all arrays for each part, and its memory is bounded:
 * those that are large in relation to the bound are mapped.
 *
 * To set a threshold ends glibc's own adaptation of both, which only raises them.
 */
#include "postgres.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <limits.h>

#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "memory/join_memory.h"
#include "settings.h"

/* The two thresholds of a join in memory. glibc takes no larger one for the first. */
#define MEMORY_MAPPED_FROM (32 * 1024 * 1024)
#define MEMORY_KEPT (48 * 1024 * 1024)

/* A join from files: the first is a part of its memory, between two bounds; the second is a multiple of the first. */
#define FILES_MAPPED_PART 64
#define FILES_LEAST_MAPPED (64 * 1024)
#define FILES_MOST_UNMAPPED (1024 * 1024)
#define FILES_KEPT_TIMES 4

Size
JoinMemory(void)
{
	if (neardup_join_memory != JOIN_MEMORY_OF_SERVER)
		return (Size) neardup_join_memory * 1024;
	return Max(get_hash_memory_limit(), (Size) maintenance_work_mem * 1024);
}

int
JoinSortMemory(void)
{
	return (int) Min(JoinMemory() / 2 / 1024, MAX_KILOBYTES);
}

/* glibc refuses the first threshold of a join in memory where pointers have four bytes. */
static void
set_thresholds(int mapped_from, int most_kept)
{
#ifdef __GLIBC__
	if (mallopt(M_MMAP_THRESHOLD, mapped_from) != 0)
		(void) mallopt(M_TRIM_THRESHOLD, most_kept);
#endif
}

void
JoinHeapForMemory(void)
{
	set_thresholds(MEMORY_MAPPED_FROM, MEMORY_KEPT);
}

void
JoinHeapForFiles(Size memory)
{
	Size part = memory / FILES_MAPPED_PART;
	int mapped_from = (int) Min(Max(part, FILES_LEAST_MAPPED), FILES_MOST_UNMAPPED);

	set_thresholds(mapped_from, mapped_from * FILES_KEPT_TIMES);
#ifdef __GLIBC__
	(void) malloc_trim(0);
#endif
}
