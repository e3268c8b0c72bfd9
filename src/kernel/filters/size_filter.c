/*
 * size_filter.c
 *		Computes the ends of the size filter.
 */
#include "c.h"

#include "bisect.h"
#include "kernel/filters/prefix_filter.h"
#include "kernel/filters/size_filter.h"

/* Returns the first class after this one whose sets are too large for any overlap. */
static uint32
class_above(const JoinRecords *records, Predicate predicate, uint32 size_class)
{
	int64 greatest = PredicateGreatestSize(predicate, records->class_sizes[size_class], false);
	uint32 above = size_class + 1;

	BISECT(uint32, above, records->class_count, at, records->class_sizes[at] <= greatest);
	return above;
}

/*
 * Writes the ends for the positions of a size class. They descend, so that the search goes on from
 * the last one.
 */
static void
find_size_ends(const JoinRecords *records, const LeastOverlaps *overlaps, uint32 size_class,
			   uint32 *ends, uint32 count)
{
	uint32 size = records->class_sizes[size_class];
	uint32 end = class_above(records, overlaps->predicate, size_class);

	for (uint32 i = 0; i < count; i++)
	{
		while (end > 0 && LeastOverlap(overlaps, size, records->class_sizes[end - 1]) > size - i)
		{
			JoinTick(records->host, 1);
			end--;
		}
		JoinTick(records->host, 1);
		ends[i] = records->class_starts[end];
	}
}

void
SizeFilterEndsInit(SizeFilterEnds *ends, const JoinRecords *records, const LeastOverlaps *overlaps)
{
	ends->origins = JoinAllocateShared(records->host, records->class_count + 1, sizeof(uint64));
	ends->origins[0] = 0;
	for (uint32 c = 0; c < records->class_count; c++)
	{
		JoinTick(records->host, 1);
		ends->origins[c + 1] =
			ends->origins[c] +
			PrefixFilterOfSide(overlaps->predicate, records->class_sizes[c], false);
	}
	ends->count = ends->origins[records->class_count];
	ends->ends = JoinAllocateShared(records->host, ends->count, sizeof(uint32));
	for (uint32 c = 0; c < records->class_count; c++)
		find_size_ends(records, overlaps, c, ends->ends + ends->origins[c],
					   (uint32) (ends->origins[c + 1] - ends->origins[c]));
}

void
SizeFilterEndsFree(SizeFilterEnds *ends, const JoinRecords *records)
{
	JoinRelease(records->host, ends->ends, ends->count, sizeof(uint32));
	JoinRelease(records->host, ends->origins, records->class_count + 1, sizeof(uint64));
}
