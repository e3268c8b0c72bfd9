/*
 * list_entries.c
 *		Allocates the entries of a partition's lists.
 *
 * Spare entries are behind those of the partition, in the same arrays, so that a number tells any of
 * them.
 */
#include "c.h"

#include "kernel/lists/list_entries.h"

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
	uint64 size = list->count + list->spare_count;

	for (uint32 w = 0; w < list->signatures.words; w++)
		JoinRelease(host, list->signatures.planes[w], size, sizeof(uint64));
	JoinRelease(host, list->weights, list->count, sizeof(ListEntryWeight));
	JoinRelease(host, list->entries, size, sizeof(ListEntry));
}

uint32
ListEntriesSpare(ListEntries *list, uint32 count)
{
	JoinHost *host = list->index->spec->records->host;
	uint64 old_size = list->count + list->spare_count;

	if (count > list->spare_count)
	{
		/* Lists come in the order of their lengths: each might need a little more than the last. */
		list->spare_count = Max(count, list->spare_count + list->spare_count / 2);
		list->entries = JoinEnlarge(host, list->entries, old_size, list->count + list->spare_count,
									sizeof(ListEntry));
		for (uint32 w = 0; w < list->signatures.words; w++)
			list->signatures.planes[w] =
				JoinEnlarge(host, list->signatures.planes[w], old_size,
							list->count + list->spare_count, sizeof(uint64));
	}
	return list->count;
}
