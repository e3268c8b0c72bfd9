/*
 * palloc_host.c
 *		A memory context as the kernel's host, and its temporary files.
 *
 * temp_file_limit and temp_tablespaces apply to the files.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/buffile.h"
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

static void *
create_file(void *context)
{
	MemoryContext previous = MemoryContextSwitchTo(context);
	BufFile *file = BufFileCreateTemp(false);

	MemoryContextSwitchTo(previous);
	return file;
}

static void
seek_page(BufFile *file, uint64 number)
{
	if (BufFileSeekBlock(file, (long) (number * (JOIN_FILE_PAGE / BLCKSZ))) != 0)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not seek in temporary file")));
}

static void
write_file(void *file, uint64 number, const void *page)
{
	seek_page(file, number);
	/* Older versions do not declare what is written as constant. */
	BufFileWrite(file, unconstify(void *, page), JOIN_FILE_PAGE);
}

static void
read_file(void *file, uint64 number, void *page)
{
	seek_page(file, number);
	if (BufFileRead(file, page, JOIN_FILE_PAGE) != JOIN_FILE_PAGE)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not read from temporary file")));
}

static void
close_file(void *file)
{
	BufFileClose(file);
}

JoinFiles
TemporaryFiles(MemoryContext context)
{
	return (JoinFiles){.create = create_file,
					   .write = write_file,
					   .read = read_file,
					   .close = close_file,
					   .context = context};
}

JoinHost
PallocHost(MemoryContext context)
{
	return (JoinHost){.allocate = palloc_allocate,
					  .enlarge = palloc_enlarge,
					  .release = palloc_release,
					  .context = context,
					  .files = TemporaryFiles(context),
					  .check_interrupts = palloc_check_interrupts,
					  .participants = 1};
}
