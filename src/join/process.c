/*
 * process.c
 *		PostgreSQL as the kernel's host.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "join/process.h"
#include "join/progress/progress.h"
#include "join/memory/pages.h"
#include "palloc_host.h"

/* Arrays from this part of the memory on, between these bounds in bytes, have their own pages. */
#define LEAST_ON_PAGES ((Size) 8 * 1024)
#define MOST_OFF_PAGES ((Size) 128 * 1024)
#define PART_OFF_PAGES 256

static void
process_check_size(const JoinProcess *process, Size size)
{
	if (!AllocHugeSizeIsValid(size))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("%s is too large", process->name)));
}

static void
process_release(void *context, void *memory, Size size)
{
	JoinProcess *process = context;

	if (size < process->least_on_pages)
		pfree(memory);
	else
		JoinPagesRelease(process->pages, memory);
}

static void *
process_allocate(void *context, Size size)
{
	JoinProcess *process = context;

	process_check_size(process, size);
	if (size < process->least_on_pages)
		return MemoryContextAlloc(process->context, size);
	return JoinPagesAllocate(process->pages, size);
}

static void *
process_enlarge(void *context, void *memory, Size old_size, Size size)
{
	JoinProcess *process = context;
	void *enlarged;

	process_check_size(process, size);
	if (old_size < process->least_on_pages && size < process->least_on_pages)
		return repalloc(memory, size);
	if (old_size >= process->least_on_pages && size >= process->least_on_pages)
		return JoinPagesResize(process->pages, memory, size);
	enlarged = process_allocate(context, size);
	memcpy(enlarged, memory, Min(old_size, size));
	process_release(context, memory, old_size);
	return enlarged;
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
JoinProcessInit(JoinProcess *process, MemoryContext context, Size memory)
{
	JoinHost *host = &process->host;

	memset(process, 0, sizeof(*process));
	process->context = context;
	process->name = "similarity join";
	process->pages = JoinPagesBegin(context);
	process->least_on_pages = Min(Max(memory / PART_OFF_PAGES, LEAST_ON_PAGES), MOST_OFF_PAGES);
	host->allocate = process_allocate;
	host->enlarge = process_enlarge;
	host->release = process_release;
	host->context = process;
	host->files = TemporaryFiles(context);
	host->check_interrupts = process_check_interrupts;
	host->participants = 1;
}
