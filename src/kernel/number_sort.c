/*
 * number_sort.c
 *		Sorting pairs of numbers in memory and in a file.
 *
 * In memory the entries are distributed over buckets by the leading bits in which their keys differ,
 * in place, then each bucket is sorted by comparison. Hashes make buckets of about the same size.
 *
 * When memory is full, its sorted entries become a run of level 0. In the end all runs are merged
 * through a heap. Each has a page in memory then, so when the pages of the runs of a level would take
 * half as much memory as the entries may, these runs are merged into one of the next level. So an
 * entry is written once for each level, whose number is logarithmic. A level has a file of its own,
 * which is closed when its runs have been merged.
 */
#include "c.h"

#include "port/pg_bitutils.h"
#include "kernel/number_sort.h"

#define LEAST_ENTRIES ((uint64) 8 * NUMBERS_PER_PAGE)

/* Entries are distributed by as many bits at a time, while there are at least as many of them. */
#define BUCKET_BITS 8
#define BUCKETS (1 << BUCKET_BITS)
#define LEAST_DISTRIBUTED 1024

static inline int
compare_entries(const NumberEntry *a, const NumberEntry *b)
{
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

static inline int
compare_and_tick(const NumberEntry *a, const NumberEntry *b, JoinHost *host)
{
	JoinTick(host, 1);
	return compare_entries(a, b);
}

#define ST_SORT sort_bucket
#define ST_ELEMENT_TYPE NumberEntry
#define ST_COMPARE(a, b, host) compare_and_tick(a, b, host)
#define ST_COMPARE_ARG_TYPE JoinHost
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

void
NumberSortInit(NumberSort *sort, JoinHost *host, Size most_bytes)
{
	uint64 most = most_bytes / sizeof(NumberEntry);

	*sort = (NumberSort){.host = host, .most = Max(most - most % NUMBERS_PER_PAGE, LEAST_ENTRIES)};
}

static int
bits_of(uint64 number)
{
	return pg_leftmost_one_pos64(number | 1) + 1;
}

/* Returns the bits of the difference between the least key, which it sets, and the greatest. */
static int
range_of_keys(const NumberSort *sort, uint64 *least)
{
	uint64 greatest = 0;

	*least = PG_UINT64_MAX;
	for (uint64 i = 0; i < sort->used; i++)
	{
		*least = Min(*least, sort->entries[i].key);
		greatest = Max(greatest, sort->entries[i].key);
	}
	return *least <= greatest ? bits_of(greatest - *least) : 1;
}

/* How keys are cut into buckets: by bits of what they are above the least. */
typedef struct BucketRule
{
	uint64 least;
	int shift;
} BucketRule;

static inline uint32
bucket_of_entry(const NumberEntry *entry, const BucketRule *rule)
{
	return (entry->key - rule->least) >> rule->shift & (BUCKETS - 1);
}

/*
 * Moves entries to their buckets, in place: each entry of a bucket's room changes places with the one
 * that is where the next of its own bucket goes, again and again until the room is full of its own.
 * The entries of a round do not wait for each other, as they would if one entry were followed through
 * all its changes. ends[i] becomes the end of bucket i.
 */
static void
fill_buckets(NumberEntry *entries, uint64 count, BucketRule rule, uint64 *ends)
{
	uint64 next[BUCKETS];
	uint64 end = 0;

	memset(ends, 0, BUCKETS * sizeof(uint64));
	for (uint64 i = 0; i < count; i++)
		ends[bucket_of_entry(&entries[i], &rule)]++;
	for (uint32 i = 0; i < BUCKETS; i++)
	{
		next[i] = end;
		end += ends[i];
		ends[i] = end;
	}
	for (uint32 i = 0; i < BUCKETS; i++)
	{
		while (next[i] < ends[i])
		{
			for (uint64 place = next[i]; place < ends[i]; place++)
			{
				NumberEntry *to = &entries[next[bucket_of_entry(&entries[place], &rule)]++];
				NumberEntry moved = *to;

				*to = entries[place];
				entries[place] = moved;
			}
		}
	}
}

/* Sorts entries whose keys differ in no bit above the bits of the rule's buckets. */
static void
sort_entries(NumberEntry *entries, uint64 count, BucketRule rule, JoinHost *host)
{
	uint64 ends[BUCKETS];
	uint64 first = 0;

	if (count < LEAST_DISTRIBUTED || rule.shift < 0)
	{
		sort_bucket(entries, count, host);
		return;
	}
	JoinTick(host, count);
	fill_buckets(entries, count, rule, ends);
	rule.shift -= BUCKET_BITS;
	for (uint32 i = 0; i < BUCKETS; first = ends[i++])
		sort_entries(entries + first, ends[i] - first, rule, host);
}

/* Sorts the entries in memory. */
static void
sort_number_memory(NumberSort *sort)
{
	BucketRule rule;

	/* Without entries there is no array either. */
	if (sort->used == 0)
		return;
	rule.shift = Max(range_of_keys(sort, &rule.least) - BUCKET_BITS, 0);
	sort_entries(sort->entries, sort->used, rule, sort->host);
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
write_entries(NumberSort *sort, uint32 level, const NumberEntry *page)
{
	NumberLevel *of_level = &sort->levels[level];

	JoinTick(sort->host, NUMBERS_PER_PAGE);
	if (of_level->file == NULL)
		of_level->file = sort->host->files.create(sort->host->files.context);
	sort->host->files.write(of_level->file, page);
	of_level->page_count++;
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

static const NumberEntry *
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
	const NumberEntry *entry = run_entry(&sort->runs[run]);

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
			run->page = JoinAllocate(sort->host, NUMBERS_PER_PAGE, sizeof(NumberEntry));
		read_entries(sort, run);
		sort->heap[sort->heap_count++] = i;
	}
	for (uint32 i = sort->heap_count / 2; i > 0; i--)
		sift_down(sort, i - 1);
}

/* Leaves out the runs from number `first` on. */
static void
end_merge(NumberSort *sort, uint32 first)
{
	for (uint32 i = first; i < sort->run_count; i++)
		JoinRelease(sort->host, sort->runs[i].page, NUMBERS_PER_PAGE, sizeof(NumberEntry));
	JoinRelease(sort->host, sort->heap, sort->run_count, sizeof(uint32));
	sort->heap = NULL;
	sort->run_count = first;
}

bool
NumberSortMergeNext(NumberSort *sort, NumberEntry *entry)
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
	NumberEntry entry;
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
	close_level(sort, level);
	run = begin_number_run(sort, level + 1);
	run->first_page = first_page;
	run->count = count;
}

/* Writes the entries in memory to the file of level 0, as a sorted run. */
static void
write_run(NumberSort *sort)
{
	sort_number_memory(sort);
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
	uint64 capacity = Max(sort->capacity * 2, LEAST_ENTRIES);

	if (sort->reduce != NULL && sort->capacity > 0)
	{
		sort_number_memory(sort);
		sort->count -= sort->used;
		sort->used = sort->reduce(sort->reduce_context, sort->entries, sort->used);
		sort->count += sort->used;
		/* Most of the room is free then, so that reducing costs little for each entry. */
		if (sort->used <= sort->capacity / 4)
			return;
	}
	if (sort->capacity == sort->most)
	{
		write_run(sort);
		return;
	}
	capacity = Min(capacity, sort->most);
	sort->entries =
		JoinEnlarge(sort->host, sort->entries, sort->capacity, capacity, sizeof(NumberEntry));
	sort->capacity = capacity;
}

static void
free_entries(NumberSort *sort)
{
	JoinRelease(sort->host, sort->entries, sort->capacity, sizeof(NumberEntry));
	sort->entries = NULL;
	sort->used = sort->capacity = 0;
}

void
NumberSortPerform(NumberSort *sort)
{
	if (sort->run_count == 0)
	{
		sort_number_memory(sort);
		return;
	}
	if (sort->used > 0)
		write_run(sort);
	free_entries(sort);
	begin_merge(sort, 0);
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
	JoinRelease(sort->host, sort->runs, sort->run_capacity, sizeof(NumberRun));
	sort->runs = NULL;
	sort->run_capacity = 0;
	for (uint32 level = 0; level < NUMBER_LEVELS; level++)
		close_level(sort, level);
}
