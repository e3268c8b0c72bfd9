/*
 * size_filter.c
 *		Computes the ends of the size filter.
 */
#include "c.h"

#include "kernel/filters/prefix_filter.h"
#include "kernel/filters/size_filter.h"

/*
 * Writes the ends for the positions of a size class beyond its indexing prefix, unless `ends` is
 * NULL, and returns their number. They descend, so that the search goes on from the last one.
 */
static uint32
find_size_ends(const JoinRecords *records, const LeastOverlaps *overlaps, uint32 size_class,
			   uint32 *ends)
{
	uint32 size = records->class_sizes[size_class];
	uint32 first = PrefixFilterIndexing(overlaps->predicate, size);
	uint32 probing = PrefixFilterProbing(overlaps->predicate, size);
	uint32 end = size_class + 1;

	for (uint32 i = first; ends != NULL && i < probing; i++)
	{
		while (end > 0 && LeastOverlap(overlaps, size, records->class_sizes[end - 1]) > size - i)
		{
			JoinTick(records->host, 1);
			end--;
		}
		JoinTick(records->host, 1);
		ends[i - first] = records->class_starts[end];
	}
	return probing - Min(first, probing);
}

void
SizeFilterEndsInit(SizeFilterEnds *ends, const JoinRecords *records, const LeastOverlaps *overlaps)
{
	ends->origins = JoinAllocateShared(records->host, records->class_count, sizeof(int64));
	ends->count = 0;
	for (uint32 c = 0; c < records->class_count; c++)
	{
		uint32 size = records->class_sizes[c];

		JoinTick(records->host, 1);
		ends->origins[c] = (int64) ends->count - PrefixFilterIndexing(overlaps->predicate, size);
		ends->count += find_size_ends(records, overlaps, c, NULL);
	}
	ends->ends = JoinAllocateShared(records->host, ends->count, sizeof(uint32));
	ends->count = 0;
	for (uint32 c = 0; c < records->class_count; c++)
		ends->count += find_size_ends(records, overlaps, c, ends->ends + ends->count);
}

void
SizeFilterEndsFree(SizeFilterEnds *ends, const JoinRecords *records)
{
	JoinRelease(records->host, ends->ends, ends->count, sizeof(uint32));
	JoinRelease(records->host, ends->origins, records->class_count, sizeof(int64));
}
