/*
 * test_host.c
 *		Hosts for the kernel: memory from malloc, files in memory, counted interrupts, workers.
 */
#include "c.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test_host.h"

#define TEST_ARENA_SIZE ((Size) 1 << 26)

uint64 interrupt_checks;
uint32 worker_units[TEST_WORKERS];

static char *arena_bases[TEST_WORKERS + 1];

static void *
test_allocate(void *context, Size size)
{
	void *memory = malloc(size);

	if (memory == NULL)
		abort();
	return memory;
}

static void *
test_enlarge(void *context, void *memory, Size old_size, Size size)
{
	memory = realloc(memory, size);
	if (memory == NULL)
		abort();
	return memory;
}

static void
test_release(void *context, void *memory, Size size)
{
	free(memory);
}

static void
count_check(void *context)
{
	interrupt_checks++;
}

/* Pages of a file, in memory. */
typedef struct TestFile
{
	char *pages;
	uint64 count;
	uint64 capacity;
} TestFile;

int open_files;
uint64 pages_written;

static void *
create_file(void *context)
{
	open_files++;
	return calloc(1, sizeof(TestFile));
}

static void
write_file(void *opaque, uint64 number, const void *page)
{
	TestFile *file = opaque;

	if (number != file->count)
		abort();
	if (file->count == file->capacity)
	{
		file->capacity = file->capacity * 2 + 1;
		file->pages = realloc(file->pages, file->capacity * JOIN_FILE_PAGE);
	}
	memcpy(file->pages + file->count++ * JOIN_FILE_PAGE, page, JOIN_FILE_PAGE);
	pages_written++;
}

static void
read_file(void *opaque, uint64 number, void *page)
{
	TestFile *file = opaque;

	if (number >= file->count)
		abort();
	memcpy(page, file->pages + number * JOIN_FILE_PAGE, JOIN_FILE_PAGE);
}

static void
close_file(void *opaque)
{
	TestFile *file = opaque;

	free(file->pages);
	free(file);
	open_files--;
}

JoinHost
test_host(void)
{
	JoinHost host = {.allocate = test_allocate,
					 .enlarge = test_enlarge,
					 .release = test_release,
					 .files = {.create = create_file,
							   .write = write_file,
							   .read = read_file,
							   .close = close_file},
					 .check_interrupts = count_check};

	return host;
}

uint64
checks_since_last(void)
{
	uint64 checks = interrupt_checks;

	interrupt_checks = 0;
	return checks;
}

static void
test_share_step(void *context, JoinParticipant *self, int step, uint32 units)
{
	const JoinEngine *engine = self->engine;
	JoinHost *host = engine->records->host;
	JoinHost hosts[TEST_WORKERS];
	JoinRecords records[TEST_WORKERS];
	JoinEngine engines[TEST_WORKERS];
	JoinCounters counters[TEST_WORKERS] = {{0}};
	JoinParticipant workers[TEST_WORKERS];

	for (int i = 0; i < TEST_WORKERS; i++)
	{
		hosts[i] = *host;
		hosts[i].bytes = hosts[i].done = 0;
		hosts[i].participants = 1;
		hosts[i].arena.base = arena_bases[i + 1];
		records[i] = *engine->records;
		JoinRecordsAdopt(&records[i], &hosts[i], host->arena.base);
		workers[i] = *self;
		engines[i] = *engine;
		JoinEngineAdopt(&engines[i], &records[i], host->arena.base);
		workers[i].engine = &engines[i];
		workers[i].counters = &counters[i];
	}
	for (uint32 unit = 0; unit < units; unit++)
	{
		uint32 turn = unit % (TEST_WORKERS + 1);

		JoinStepUnit(turn == 0 ? self : &workers[turn - 1], step, unit, units);
		if (turn > 0)
			worker_units[turn - 1]++;
	}
	JoinStepEnd(self);
	for (int i = 0; i < TEST_WORKERS; i++)
	{
		JoinStepEnd(&workers[i]);
		JoinEngineForget(&engines[i]);
		host->bytes += hosts[i].bytes;
		host->done += hosts[i].done;
		if (self->counters != NULL)
			JoinCountersAdd(self->counters, &counters[i]);
	}
}

JoinHost
test_host_with_workers(void)
{
	JoinHost host = test_host();

	if (arena_bases[0] == NULL)
	{
		FILE *stream = tmpfile();
		int file = stream == NULL ? -1 : fileno(stream);

		if (file < 0 || ftruncate(file, TEST_ARENA_SIZE) != 0)
			abort();
		for (int i = 0; i <= TEST_WORKERS; i++)
		{
			arena_bases[i] =
				mmap(NULL, TEST_ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
			if (arena_bases[i] == MAP_FAILED)
				abort();
		}
		fclose(stream);
	}
	host.share_step = test_share_step;
	host.participants = TEST_WORKERS + 1;
	host.least_unit = 1;
	host.arena.base = arena_bases[0];
	host.arena.size = TEST_ARENA_SIZE;
	return host;
}
