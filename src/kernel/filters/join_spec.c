/*
 * join_spec.c
 *		Computes the filters' bounds for each size class.
 *
 * All records of a size have the same bounds, so that they are computed once for each size. Records
 * of a weighted join hardly ever have the same total weight, and each is a class of its own. Both
 * are in ascending order of what is measured: the size filter drops the records before a start.
 */
#include "c.h"

#include "kernel/filters/join_spec.h"
#include "kernel/filters/prefix_filter.h"
#include "kernel/filters/size_filter.h"
#include "measure/weight_bounds.h"

/* Few records look up if fewer than one in so many do. */
#define FEW_LOOK_UP_PART 6

bool
JoinSpecFewLookUp(const JoinRecords *records)
{
	uint64 looking_up = 0;
	uint64 taking_part = 0;

	if (records->demand.roles == NULL)
		return false;
	for (uint32 i = 0; i < records->record_count; i++)
	{
		looking_up += (records->demand.roles[i] & JOIN_LOOKS_UP) != 0;
		taking_part += records->demand.roles[i] != JOIN_ABSENT;
	}
	return looking_up * FEW_LOOK_UP_PART < taking_part;
}

/*
 * Returns the prefix of Lemma 3, except where smaller records look up larger ones, and in All-Pairs,
 * which does without it.
 */
static int64
indexing_prefix(const JoinSpec *spec, uint32 size)
{
	return spec->is_directed || spec->algorithm == JOIN_ALLPAIRS
			   ? PrefixFilterOfSide(spec->predicate, size, true)
			   : PrefixFilterIndexing(spec->predicate, size);
}

static void
spec_bound_sizes(JoinSpec *spec)
{
	const JoinRecords *records = spec->records;
	Predicate predicate = spec->predicate;

	for (uint32 i = 0; i < records->class_count; i++)
	{
		SizeClass *class = &spec->classes[i];
		uint32 size = records->class_sizes[i];
		uint32 no_overlap_end =
			JoinRecordsLowerBound(records, PredicateNoOverlapSize(predicate, size) + 1);

		class->size = size;
		class->probing_prefix = PrefixFilterOfSide(predicate, size, false);
		class->indexing_prefix = indexing_prefix(spec, size);
		class->size_filter_start = SizeFilterStart(records, predicate, size);
		class->first_record = Max(class->size_filter_start, no_overlap_end);
		spec->no_overlap_end = Max(spec->no_overlap_end, no_overlap_end);
		JoinTick(records->host, 1);
	}
}

/*
 * For JOIN_PPJOIN, a weighted record is indexed until the rest weighs less than this share of the
 * least overlap of two records of its extent. The prefix filter needs no more than a share of 1; with
 * the longer prefix, the weight that prefixes share decides about most pairs that meet. Where few look
 * up, records are indexed as far as smaller ones that look them up need.
 */
#define INDEXED_SHARE 0.75

/* Each record is a class. A pair without overlap is never similar. */
static void
spec_bound_weights(JoinSpec *spec)
{
	const JoinRecords *records = spec->records;
	WeightBounds bounds = WeightBoundsOf(spec->predicate);
	double share = spec->few_look_up ? 0 : spec->algorithm == JOIN_PPJOIN ? INDEXED_SHARE : 1;
	uint32 start = 0;

	for (uint32 i = 0; i < records->record_count; i++)
	{
		SizeClass *class = &spec->classes[i];
		double extent = WeightExtent(&bounds, records->totals[i]);
		double least = WeightLeastExtent(&bounds, extent);
		double probing_overlap = WeightLeastOverlap(&bounds, extent, least);
		double indexing_overlap = share * WeightLeastOverlap(&bounds, extent, extent);

		if (i + RECORDS_AHEAD < records->record_count)
			JoinPrefetchTokens(JoinRecordTokens(records, &records->records[i + RECORDS_AHEAD]));
		while (start < i && WeightExtent(&bounds, records->totals[start]) < least)
			start++;
		class->size = records->class_sizes[i];
		class->size_filter_start = class->first_record = start;
		WeightedPrefixes(records, i, probing_overlap, Max(probing_overlap, indexing_overlap),
						 &class->probing_prefix, &class->indexing_prefix);
	}
}

void
JoinSpecInit(JoinSpec *spec, const JoinRecords *records, Predicate predicate,
			 JoinAlgorithm algorithm)
{
	spec->records = records;
	spec->predicate = predicate;
	spec->algorithm = algorithm;
	spec->is_directed = MeasureIsDirected(predicate.measure);
	spec->few_look_up =
		records->weighing.is_weighted && algorithm == JOIN_PPJOIN && JoinSpecFewLookUp(records);
	spec->no_overlap_end = 0;
	spec->classes = JoinAllocateShared(records->host, records->class_count, sizeof(SizeClass));
	if (records->weighing.is_weighted)
		spec_bound_weights(spec);
	else
		spec_bound_sizes(spec);
}

void
JoinSpecFree(JoinSpec *spec)
{
	JoinRelease(spec->records->host, spec->classes, spec->records->class_count, sizeof(SizeClass));
}

/* Returns how many postings a record of the class has at most: tokens of one record have none. */
static uint32
postings_of_class(const JoinSpec *spec, const SizeClass *class)
{
	return class->probing_prefix + (spec->is_directed ? class->indexing_prefix : 0);
}

double
JoinSpecMeanSize(const JoinSpec *spec)
{
	double postings = 0;
	double sizes = 0;

	for (uint32 c = 0; c < spec->records->class_count; c++)
	{
		double of_class = (double) postings_of_class(spec, &spec->classes[c]) *
						  (spec->records->class_starts[c + 1] - spec->records->class_starts[c]);

		postings += of_class;
		sizes += of_class * spec->classes[c].size;
	}
	return postings == 0 ? 0 : sizes / postings;
}
