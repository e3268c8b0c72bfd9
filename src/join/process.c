/*
 * process.c
 *		PostgreSQL as the kernel's host.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "join/process.h"
#include "memory/join_memory.h"
#include "progress/progress.h"
#include "memory/palloc_host.h"

/* A join in memory whose arrays take no more bytes leaves malloc's thresholds as they are. */
#define MOST_OF_SMALL_JOIN ((Size) 1024 * 1024)

/* Called before an array of `old_size` bytes, or of none yet, gets `size` bytes. */
static void
process_prepare(JoinProcess *process, Size old_size, Size size)
{
	if (!AllocHugeSizeIsValid(size))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("%s is too large", process->name)));
	if (!process->has_heap && process->host.bytes - old_size + size > MOST_OF_SMALL_JOIN)
	{
		process->has_heap = true;
		JoinHeapForMemory();
	}
}

static void *
process_allocate(void *context, Size size)
{
	JoinProcess *process = context;

	process_prepare(process, 0, size);
	return MemoryContextAllocHuge(process->context, size);
}

static void *
process_enlarge(void *context, void *memory, Size old_size, Size size)
{
	process_prepare(context, old_size, size);
	return repalloc_huge(memory, size);
}

static void
process_check_interrupts(void *context)
{
	JoinProcess *process = context;

	CHECK_FOR_INTERRUPTS();
	if (process->receive != NULL)
		process->receive(process->receive_context);
	JoinProgressCheck();
}

void
JoinProcessInit(JoinProcess *process, MemoryContext context)
{
	JoinHost *host = &process->host;

	memset(process, 0, sizeof(*process));
	process->context = context;
	process->name = "similarity join";
	*host = PallocHost(context);
	host->allocate = process_allocate;
	host->enlarge = process_enlarge;
	host->check_interrupts = process_check_interrupts;
	host->context = process;
}

void
JoinProcessFromFiles(JoinProcess *process, Size memory)
{
	process->has_heap = true;
	JoinHeapForFiles(memory);
}
