/*
 * list_window.c
 *		Fills and sweeps the window of a long slice.
 *
 * The window is behind the entries of the partition, in the same arrays, so that signatures of both
 * are compared in the same way.
 */
#include "c.h"

#include "kernel/lists/list_window.h"

void
ListEntriesInit(ListEntries *list, const ListIndex *index, uint64 count)
{
	JoinHost *host = index->spec->records->host;

	/* The host raises its error, as for any array that is too large. */
	if (count > LIST_MOST_ENTRIES)
		count = SIZE_MAX;
	memset(list, 0, sizeof(*list));
	list->index = index;
	list->count = count;
	list->entries = JoinAllocate(host, count, sizeof(ListEntry));
	if (index->is_weighted)
		list->weights = JoinAllocate(host, count, sizeof(ListEntryWeight));
	list->signatures.words = index->signature_words;
	for (uint32 w = 0; w < index->signature_words; w++)
		list->signatures.planes[w] = JoinAllocate(host, count, sizeof(uint64));
}

void
ListEntriesFree(ListEntries *list)
{
	JoinHost *host = list->index->spec->records->host;
	uint64 size = list->count + list->window_count;

	for (uint32 w = 0; w < list->signatures.words; w++)
		JoinRelease(host, list->signatures.planes[w], size, sizeof(uint64));
	JoinRelease(host, list->kept, list->window_count, sizeof(uint32));
	JoinRelease(host, list->reaches, list->window_count, sizeof(double));
	JoinRelease(host, list->weights, size, sizeof(ListEntryWeight));
	JoinRelease(host, list->entries, size, sizeof(ListEntry));
}

static void
enlarge_window(ListEntries *list, uint64 count)
{
	JoinHost *host = list->index->spec->records->host;
	uint64 old_size = list->count + list->window_count;
	uint64 size = list->count + count;

	list->entries = JoinEnlarge(host, list->entries, old_size, size, sizeof(ListEntry));
	if (list->weights != NULL)
		list->weights = JoinEnlarge(host, list->weights, old_size, size, sizeof(ListEntryWeight));
	for (uint32 w = 0; w < list->signatures.words; w++)
		list->signatures.planes[w] =
			JoinEnlarge(host, list->signatures.planes[w], old_size, size, sizeof(uint64));
	list->reaches = JoinEnlarge(host, list->reaches, list->window_count, count, sizeof(double));
	list->kept = JoinEnlarge(host, list->kept, list->window_count, count, sizeof(uint32));
	list->window_count = count;
}

EntryRange
ListWindowBegin(ListEntries *list, uint32 count)
{
	/* Lists come in the order of their lengths, so that each might need a little more than the last. */
	if (count > list->window_count)
		enlarge_window(list, Max(count, list->window_count + list->window_count / 2));
	return (EntryRange){list->count, list->count};
}

/*
 * Returns the greatest place of a record that may be similar to the record of entry y, if this
 * token is their first common one: the rest of y from the token on must reach the overlap.
 */
static inline double
reach_of(const ListEntries *list, uint32 y)
{
	const ListIndex *index = list->index;
	const ListEntry *entry = &list->entries[y];

	if (index->is_weighted)
		return WeightGreatestExtent(&index->bounds, list->weights[y].extent, list->weights[y].rest);
	return (double) SizeFilterEnd(&index->size_filter_ends, entry->size_class, entry->position) - 1;
}

void
ListWindowAdd(ListEntries *list, EntryRange *window, uint32 y, double place)
{
	uint32 to = window->end;
	double reach = reach_of(list, y);

	if (reach < place)
		return;
	list->reaches[to - list->count] = reach;
	list->entries[to] = list->entries[y];
	if (list->weights != NULL)
		list->weights[to] = list->weights[y];
	for (uint32 w = 0; w < list->signatures.words; w++)
		list->signatures.planes[w][to] = list->signatures.planes[w][y];
	window->end++;
}

/* Writes which entries of the window reach this place, and returns their number. */
static uint32
find_kept(ListEntries *list, EntryRange window, double place)
{
	const double *reaches = list->reaches;
	const uint64 before = list->count; /* entries of the partition, which reach no record */
	uint32 count = 0;

	for (uint32 y = window.first; y < window.end; y++)
	{
		list->kept[count] = y;
		count += reaches[y - before] >= place;
	}
	return count;
}

void
ListWindowSweep(ListEntries *list, EntryRange *window, double place)
{
	uint32 first = window->first;
	uint32 count = find_kept(list, *window, place);
	const uint32 *kept = list->kept;

	JoinTick(list->index->spec->records->host, window->end - first);
	if (count == window->end - first)
		return;
	for (uint32 i = 0; i < count; i++)
	{
		list->reaches[first + i - list->count] = list->reaches[kept[i] - list->count];
		list->entries[first + i] = list->entries[kept[i]];
	}
	for (uint32 i = 0; i < count && list->weights != NULL; i++)
		list->weights[first + i] = list->weights[kept[i]];
	for (uint32 w = 0; w < list->signatures.words; w++)
	{
		uint64 *plane = list->signatures.planes[w];

		for (uint32 i = 0; i < count; i++)
			plane[first + i] = plane[kept[i]];
	}
	window->end = first + count;
}
