/*
 * spec.c
 *		What the predicate implies for each size of record.
 */
#include "c.h"

#include "join/kernel/join.h"

/* allpairs indexes what it probes; the others index the shorter prefix of Lemma 3. */
static int64
indexing_prefix(Predicate predicate, JoinAlgorithm algorithm, uint32 size)
{
	if (algorithm == JOIN_ALLPAIRS && !MeasureIsAsymmetric(predicate.measure))
		return PredicateProbingPrefix(predicate, size);
	return PredicateIndexingPrefix(predicate, size);
}

void
JoinSpecInit(JoinSpec *spec, const JoinRecords *records, Predicate predicate,
			 JoinAlgorithm algorithm)
{
	JoinHost *host = records->host;

	spec->records = records;
	spec->predicate = predicate;
	spec->algorithm = algorithm;
	spec->free_limit = 0;
	spec->classes = JoinAllocateShared(host, records->class_count, sizeof(SizeClass));
	for (uint32 i = 0; i < records->class_count; i++)
	{
		SizeClass *class = &spec->classes[i];
		uint32 size = records->class_sizes[i];
		uint32 first_not_free =
			JoinRecordsLowerBound(records, PredicateGreatestFreeSize(predicate, size) + 1);

		class->size = size;
		class->probing_prefix = PredicateProbingPrefix(predicate, size);
		class->indexing_prefix = indexing_prefix(predicate, algorithm, size);
		class->outgrown = JoinRecordsLowerBound(records, PredicateLeastSize(predicate, size));
		/* Pairs that need no common token are joined by size (size_join.c). */
		class->first_record = Max(class->outgrown, first_not_free);
		spec->free_limit = Max(spec->free_limit, first_not_free);
		JoinTick(host, 1);
	}
}

void
JoinSpecFree(JoinSpec *spec)
{
	JoinRelease(spec->records->host, spec->classes, spec->records->class_count, sizeof(SizeClass));
}
