/*
 * join_memory.c
 *		The only place that decides what neardup.join_memory stands for.
 *
 * To join whole tables is maintenance, as to index them is. So a session that has set nothing gives
 * a join what CREATE INDEX would have; one that has raised work_mem for large queries gives it that.
 */
#include "postgres.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <limits.h>

#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "join/memory/join_memory.h"
#include "settings.h"

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

void
JoinHeapGiveBack(void)
{
#ifdef __GLIBC__
	(void) malloc_trim(0);
#endif
}
