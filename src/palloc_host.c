/*
 * palloc_host.c
 *		A memory context as the kernel's host.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "palloc_host.h"

static void *
palloc_allocate(void *context, Size size)
{
	return MemoryContextAllocHuge(context, size);
}

static void *
palloc_enlarge(void *context, void *memory, Size old_size, Size size)
{
	return repalloc_huge(memory, size);
}

static void
palloc_release(void *context, void *memory, Size size)
{
	pfree(memory);
}

static void
palloc_check_interrupts(void *context)
{
	CHECK_FOR_INTERRUPTS();
}

JoinHost
PallocHost(MemoryContext context)
{
	return (JoinHost){.allocate = palloc_allocate,
					  .enlarge = palloc_enlarge,
					  .release = palloc_release,
					  .context = context,
					  .check_interrupts = palloc_check_interrupts,
					  .participants = 1};
}
