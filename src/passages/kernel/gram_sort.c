/*
 * gram_sort.c
 *		Sorting pairs of numbers in memory and in a file.
 *
 * In memory the entries are distributed over buckets by the leading bits in which their keys differ,
 * then each bucket is sorted by comparison. Hashes make buckets of about the same size.
 *
 * When memory is full, its sorted entries become a run of level 0. In the end all runs are merged
 * through a heap. Each has a page in memory then, so when the pages of the runs of a level would take
 * as much memory as the entries may, these runs are merged into one of the next level. So an entry is
 * written once for each level, whose number is logarithmic. A level has a file of its own, which is
 * closed when its runs have been merged.
 */
#include "c.h"

#include "port/pg_bitutils.h"
#include "passages/kernel/gram_sort.h"

#define LEAST_ENTRIES ((uint64) 4 * PASSAGE_PAGE)

/* A bucket has about this many entries, unless that would take more buckets than fit the cache. */
#define BUCKET_ENTRIES 64
#define MOST_BUCKET_BITS 14

static inline int
compare_entries(const GramEntry *a, const GramEntry *b)
{
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

static inline int
compare_and_tick(const GramEntry *a, const GramEntry *b, JoinHost *host)
{
	JoinTick(host, 1);
	return compare_entries(a, b);
}

#define ST_SORT sort_bucket
#define ST_ELEMENT_TYPE GramEntry
#define ST_COMPARE(a, b, host) compare_and_tick(a, b, host)
#define ST_COMPARE_ARG_TYPE JoinHost
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

void
GramSortInit(GramSort *sort, JoinHost *host, const PassageFiles *files, Size most_bytes)
{
	uint64 most = most_bytes / GramSortBytes(1);

	*sort = (GramSort){
		.host = host, .files = files, .most = Max(most - most % PASSAGE_PAGE, LEAST_ENTRIES)};
}

/* Copies entries to the scratch array, bucket by bucket; ends[i] becomes the end of bucket i. */
static void
distribute_entries(const GramSort *sort, GramEntry *scratch, uint64 least, int shift, uint64 *ends,
				   uint32 buckets)
{
	const GramEntry *entries = sort->entries;
	uint64 so_far = 0;

	for (uint64 i = 0; i < sort->used; i++)
	{
		JoinStrideTick(sort->host, i);
		ends[(entries[i].key - least) >> shift]++;
	}
	for (uint32 i = 0; i < buckets; i++)
	{
		uint64 here = ends[i];

		ends[i] = so_far;
		so_far += here;
	}
	for (uint64 i = 0; i < sort->used; i++)
	{
		JoinStrideTick(sort->host, i);
		scratch[ends[(entries[i].key - least) >> shift]++] = entries[i];
	}
}

static int
bits_of(uint64 number)
{
	return pg_leftmost_one_pos64(number | 1) + 1;
}

/* Returns the bits of the difference between the least key, which it sets, and the greatest. */
static int
range_of_keys(const GramSort *sort, uint64 *least)
{
	uint64 greatest = 0;

	*least = PG_UINT64_MAX;
	for (uint64 i = 0; i < sort->used; i++)
	{
		JoinStrideTick(sort->host, i);
		*least = Min(*least, sort->entries[i].key);
		greatest = Max(greatest, sort->entries[i].key);
	}
	return *least <= greatest ? bits_of(greatest - *least) : 1;
}

/* Sorts the entries in memory. */
static void
sort_gram_memory(GramSort *sort)
{
	uint64 least;
	int range_bits = range_of_keys(sort, &least);
	int bits = Min(Min(bits_of(sort->used / BUCKET_ENTRIES), MOST_BUCKET_BITS), range_bits);
	uint32 buckets = (uint32) 1 << bits;
	uint64 *ends;
	GramEntry *scratch;

	if (sort->used == 0)
		return;
	ends = JoinAllocateZero(sort->host, buckets, sizeof(uint64));
	scratch = JoinAllocate(sort->host, sort->capacity, sizeof(GramEntry));
	distribute_entries(sort, scratch, least, range_bits - bits, ends, buckets);
	for (uint32 i = 0; i < buckets; i++)
	{
		uint64 first = i > 0 ? ends[i - 1] : 0;

		sort_bucket(scratch + first, ends[i] - first, sort->host);
	}
	JoinRelease(sort->host, sort->entries, sort->capacity, sizeof(GramEntry));
	sort->entries = scratch;
	JoinRelease(sort->host, ends, buckets, sizeof(uint64));
}

/*
 * Begins a run at the end of the file of a level. Entries are written a page at a time; the last page
 * of a run may end in others.
 */
static GramRun *
begin_gram_run(GramSort *sort, uint32 level)
{
	GramLevel *of_level = &sort->levels[level];

	if (sort->run_count == sort->run_capacity)
	{
		uint32 capacity = Max(sort->run_capacity * 2, 16);

		sort->runs =
			JoinEnlarge(sort->host, sort->runs, sort->run_capacity, capacity, sizeof(GramRun));
		sort->run_capacity = capacity;
	}
	of_level->run_count++;
	sort->runs[sort->run_count] = (GramRun){.level = level, .first_page = of_level->page_count};
	return &sort->runs[sort->run_count++];
}

static void
write_entries(GramSort *sort, uint32 level, const GramEntry *page)
{
	GramLevel *of_level = &sort->levels[level];

	JoinTick(sort->host, PASSAGE_PAGE);
	if (of_level->file == NULL)
		of_level->file = sort->files->create(sort->files->context);
	sort->files->write(sort->files->context, of_level->file, page);
	of_level->page_count++;
}

static void
close_level(GramSort *sort, uint32 level)
{
	if (sort->levels[level].file != NULL)
		sort->files->close(sort->files->context, sort->levels[level].file);
	sort->levels[level] = (GramLevel){0};
}

/* Reads the page of the entry of a run that comes next. */
static void
read_entries(GramSort *sort, GramRun *run)
{
	JoinTick(sort->host, PASSAGE_PAGE);
	sort->files->read(sort->files->context, sort->levels[run->level].file,
					  run->first_page + run->next / PASSAGE_PAGE, run->page);
}

static const GramEntry *
run_entry(const GramRun *run)
{
	return &run->page[run->next % PASSAGE_PAGE];
}

/* Moves the run at a place of the heap down to where it belongs. */
static void
sift_down(GramSort *sort, uint32 place)
{
	uint32 *heap = sort->heap;
	uint32 run = heap[place];
	const GramEntry *entry = run_entry(&sort->runs[run]);

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
begin_merge(GramSort *sort, uint32 first)
{
	if (sort->heap == NULL)
		sort->heap = JoinAllocate(sort->host, sort->run_count, sizeof(uint32));
	sort->heap_count = 0;
	for (uint32 i = first; i < sort->run_count; i++)
	{
		GramRun *run = &sort->runs[i];

		run->next = 0;
		if (run->page == NULL)
			run->page = JoinAllocate(sort->host, PASSAGE_PAGE, sizeof(GramEntry));
		read_entries(sort, run);
		sort->heap[sort->heap_count++] = i;
	}
	for (uint32 i = sort->heap_count / 2; i > 0; i--)
		sift_down(sort, i - 1);
}

/* Leaves out the runs from number `first` on. */
static void
end_merge(GramSort *sort, uint32 first)
{
	for (uint32 i = first; i < sort->run_count; i++)
		JoinRelease(sort->host, sort->runs[i].page, PASSAGE_PAGE, sizeof(GramEntry));
	JoinRelease(sort->host, sort->heap, sort->run_count, sizeof(uint32));
	sort->heap = NULL;
	sort->run_count = first;
}

bool
GramSortMergeNext(GramSort *sort, GramEntry *entry)
{
	GramRun *run;

	if (sort->heap_count == 0)
		return false;
	run = &sort->runs[sort->heap[0]];
	*entry = *run_entry(run);
	run->next++;
	if (run->next == run->count)
		sort->heap[0] = sort->heap[--sort->heap_count];
	else if (run->next % PASSAGE_PAGE == 0)
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
merge_level(GramSort *sort, uint32 level)
{
	uint32 first = sort->run_count - sort->levels[level].run_count;
	uint64 first_page = sort->levels[level + 1].page_count;
	uint64 count = 0;
	GramEntry entry;
	GramRun *run;

	begin_merge(sort, first);
	while (GramSortMergeNext(sort, &entry))
	{
		sort->entries[count++ % PASSAGE_PAGE] = entry;
		if (count % PASSAGE_PAGE == 0)
			write_entries(sort, level + 1, sort->entries);
	}
	if (count % PASSAGE_PAGE != 0)
		write_entries(sort, level + 1, sort->entries);
	end_merge(sort, first);
	close_level(sort, level);
	run = begin_gram_run(sort, level + 1);
	run->first_page = first_page;
	run->count = count;
}

/* Writes the entries in memory to the file of level 0, as a sorted run. */
static void
write_run(GramSort *sort)
{
	sort_gram_memory(sort);
	begin_gram_run(sort, 0)->count = sort->used;
	for (uint64 i = 0; i < sort->used; i += PASSAGE_PAGE)
		write_entries(sort, 0, sort->entries + i);
	sort->used = 0;
	for (uint32 level = 0; sort->levels[level].run_count >= sort->most / PASSAGE_PAGE; level++)
		merge_level(sort, level);
}

void
GramSortMakeRoom(GramSort *sort)
{
	uint64 capacity = Max(sort->capacity * 2, LEAST_ENTRIES);

	if (sort->files != NULL)
	{
		if (sort->capacity == sort->most)
		{
			write_run(sort);
			return;
		}
		capacity = Min(capacity, sort->most);
	}
	sort->entries =
		JoinEnlarge(sort->host, sort->entries, sort->capacity, capacity, sizeof(GramEntry));
	sort->capacity = capacity;
}

static void
free_entries(GramSort *sort)
{
	JoinRelease(sort->host, sort->entries, sort->capacity, sizeof(GramEntry));
	sort->entries = NULL;
	sort->used = sort->capacity = 0;
}

void
GramSortPerform(GramSort *sort)
{
	if (sort->run_count == 0)
	{
		sort_gram_memory(sort);
		return;
	}
	if (sort->used > 0)
		write_run(sort);
	free_entries(sort);
	begin_merge(sort, 0);
}

void
GramSortRewind(GramSort *sort)
{
	sort->next = 0;
	if (sort->run_count > 0)
		begin_merge(sort, 0);
}

void
GramSortFree(GramSort *sort)
{
	free_entries(sort);
	end_merge(sort, 0);
	JoinRelease(sort->host, sort->runs, sort->run_capacity, sizeof(GramRun));
	sort->runs = NULL;
	sort->run_capacity = 0;
	for (uint32 level = 0; level < GRAM_LEVELS; level++)
		close_level(sort, level);
}
