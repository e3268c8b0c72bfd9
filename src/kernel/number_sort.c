/*
 * number_sort.c
 *		Sorting pairs of numbers in memory and in a file.
 *
 * When memory is full, its sorted entries become a run of level 0. In the end all runs are merged
 * through a heap. Each has a page in memory then, so when the pages of the runs of a level would take
 * half as much memory as the entries may, these runs are merged into one of the next level. So an
 * entry is written once for each level, whose number is logarithmic. A level has a file of its own,
 * which is closed when its runs have been merged.
 */
#include "c.h"

#include "kernel/number_sort.h"

#define LEAST_ENTRIES ((uint64) 8 * NUMBERS_PER_PAGE)

/* Room for that many entries is allocated first, unless there are runs, which are written by the page. */
#define FIRST_ENTRIES 64

static inline int
compare_entries(const KeyedItem *a, const KeyedItem *b)
{
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
}

void
NumberSortInit(NumberSort *sort, JoinHost *host, Size most_bytes)
{
	uint64 most = most_bytes / sizeof(KeyedItem);

	*sort = (NumberSort){.host = host, .most = Max(most - most % NUMBERS_PER_PAGE, LEAST_ENTRIES)};
}

/* Sorts the entries in memory. */
static void
sort_number_memory(NumberSort *sort)
{
	KeySort(sort->entries, sort->used, NULL, NULL, sort->host);
}

/*
 * Begins a run at the end of the file of a level. Entries are written a page at a time; the last page
 * of a run may end in others.
 */
static NumberRun *
begin_number_run(NumberSort *sort, uint32 level)
{
	NumberLevel *of_level = &sort->levels[level];

	JOIN_MAKE_ROOM(sort->host, sort->runs, sort->run_count, sort->run_capacity);
	of_level->run_count++;
	sort->runs[sort->run_count] = (NumberRun){.level = level, .first_page = of_level->page_count};
	return &sort->runs[sort->run_count++];
}

static void
write_entries(NumberSort *sort, uint32 level, const KeyedItem *page)
{
	NumberLevel *of_level = &sort->levels[level];

	JoinTick(sort->host, NUMBERS_PER_PAGE);
	if (of_level->file == NULL)
		of_level->file = sort->host->files.create(sort->host->files.context);
	sort->host->files.write(of_level->file, of_level->page_count++, page);
}

static void
close_level(NumberSort *sort, uint32 level)
{
	if (sort->levels[level].file != NULL)
		sort->host->files.close(sort->levels[level].file);
	sort->levels[level] = (NumberLevel){0};
}

/* Reads the page of the entry of a run that comes next. */
static void
read_entries(NumberSort *sort, NumberRun *run)
{
	JoinTick(sort->host, NUMBERS_PER_PAGE);
	sort->host->files.read(sort->levels[run->level].file,
						   run->first_page + run->next / NUMBERS_PER_PAGE, run->page);
}

static const KeyedItem *
run_entry(const NumberRun *run)
{
	return &run->page[run->next % NUMBERS_PER_PAGE];
}

/* Moves the run at a place of the heap down to where it belongs. */
static void
sift_down(NumberSort *sort, uint32 place)
{
	uint32 *heap = sort->heap;
	uint32 run = heap[place];
	const KeyedItem *entry = run_entry(&sort->runs[run]);

	for (uint32 child; (child = 2 * place + 1) < sort->heap_count; place = child)
	{
		if (child + 1 < sort->heap_count &&
			compare_entries(run_entry(&sort->runs[heap[child + 1]]),
							run_entry(&sort->runs[heap[child]])) < 0)
			child++;
		if (compare_entries(entry, run_entry(&sort->runs[heap[child]])) <= 0)
			break;
		heap[place] = heap[child];
	}
	heap[place] = run;
}

/* Begins to read the runs from number `first` on, from their first entries on. */
static void
begin_merge(NumberSort *sort, uint32 first)
{
	if (sort->heap == NULL)
		sort->heap = JoinAllocate(sort->host, sort->run_count, sizeof(uint32));
	sort->heap_count = 0;
	for (uint32 i = first; i < sort->run_count; i++)
	{
		NumberRun *run = &sort->runs[i];

		run->next = 0;
		if (run->page == NULL)
			run->page = JoinAllocate(sort->host, NUMBERS_PER_PAGE, sizeof(KeyedItem));
		read_entries(sort, run);
		sort->heap[sort->heap_count++] = i;
	}
	for (uint32 i = sort->heap_count / 2; i > 0; i--)
		sift_down(sort, i - 1);
}

/* Frees what reading the runs from number `first` on has taken. */
static void
end_merge(NumberSort *sort, uint32 first)
{
	for (uint32 i = first; i < sort->run_count; i++)
	{
		JoinRelease(sort->host, sort->runs[i].page, NUMBERS_PER_PAGE, sizeof(KeyedItem));
		sort->runs[i].page = NULL;
	}
	JoinRelease(sort->host, sort->heap, sort->run_count, sizeof(uint32));
	sort->heap = NULL;
}

bool
NumberSortMergeNext(NumberSort *sort, KeyedItem *entry)
{
	NumberRun *run;

	if (sort->heap_count == 0)
		return false;
	run = &sort->runs[sort->heap[0]];
	*entry = *run_entry(run);
	run->next++;
	if (run->next == run->count)
		sort->heap[0] = sort->heap[--sort->heap_count];
	else if (run->next % NUMBERS_PER_PAGE == 0)
		read_entries(sort, run);
	if (sort->heap_count > 0)
		sift_down(sort, 0);
	return true;
}

/*
 * Merges the runs of a level, which are the last ones, into one of the next level. The entries in
 * memory serve as the page to write.
 */
static void
merge_level(NumberSort *sort, uint32 level)
{
	uint32 first = sort->run_count - sort->levels[level].run_count;
	uint64 first_page = sort->levels[level + 1].page_count;
	uint64 count = 0;
	KeyedItem entry;
	NumberRun *run;

	begin_merge(sort, first);
	while (NumberSortMergeNext(sort, &entry))
	{
		sort->entries[count++ % NUMBERS_PER_PAGE] = entry;
		if (count % NUMBERS_PER_PAGE == 0)
			write_entries(sort, level + 1, sort->entries);
	}
	if (count % NUMBERS_PER_PAGE != 0)
		write_entries(sort, level + 1, sort->entries);
	end_merge(sort, first);
	sort->run_count = first;
	close_level(sort, level);
	run = begin_number_run(sort, level + 1);
	run->first_page = first_page;
	run->count = count;
}

/* Writes the entries in memory, which are sorted, to the file of level 0, as a run. */
static void
write_run(NumberSort *sort)
{
	/* All runs may have been read before. */
	end_merge(sort, 0);
	begin_number_run(sort, 0)->count = sort->used;
	for (uint64 i = 0; i < sort->used; i += NUMBERS_PER_PAGE)
		write_entries(sort, 0, sort->entries + i);
	sort->used = 0;
	for (uint32 level = 0; sort->levels[level].run_count >= sort->most / NUMBERS_PER_PAGE / 2;
		 level++)
		merge_level(sort, level);
}

void
NumberSortMakeRoom(NumberSort *sort)
{
	uint64 capacity = Max(sort->capacity * 2, sort->run_count > 0 ? LEAST_ENTRIES : FIRST_ENTRIES);
	bool is_full = sort->capacity == sort->most;

	if (is_full || (sort->reduce != NULL && sort->capacity > 0))
		sort_number_memory(sort);
	if (sort->reduce != NULL && sort->capacity > 0)
	{
		sort->count -= sort->used;
		sort->used = sort->reduce(sort->reduce_context, sort->entries, sort->used);
		sort->count += sort->used;
		/* Most of the room is free then, so that reducing costs little for each entry. */
		if (sort->used <= sort->capacity / 4)
			return;
	}
	if (is_full)
	{
		write_run(sort);
		return;
	}
	capacity = Min(capacity, sort->most);
	sort->entries =
		JoinEnlarge(sort->host, sort->entries, sort->capacity, capacity, sizeof(KeyedItem));
	sort->capacity = capacity;
}

static void
free_entries(NumberSort *sort)
{
	JoinRelease(sort->host, sort->entries, sort->capacity, sizeof(KeyedItem));
	sort->entries = NULL;
	sort->used = sort->capacity = 0;
}

void
NumberSortPerform(NumberSort *sort)
{
	sort_number_memory(sort);
	if (sort->run_count > 0)
	{
		if (sort->used > 0)
			write_run(sort);
		free_entries(sort);
	}
	NumberSortRewind(sort);
}

void
NumberSortRewind(NumberSort *sort)
{
	sort->next = 0;
	if (sort->run_count > 0)
		begin_merge(sort, 0);
}

void
NumberSortFree(NumberSort *sort)
{
	free_entries(sort);
	end_merge(sort, 0);
	sort->run_count = 0;
	JoinRelease(sort->host, sort->runs, sort->run_capacity, sizeof(NumberRun));
	sort->runs = NULL;
	sort->run_capacity = 0;
	for (uint32 level = 0; level < NUMBER_LEVELS; level++)
		close_level(sort, level);
}
