/*
 * prefix_filter.c
 *		Computes the lengths of prefixes.
 */
#include "c.h"

#include "kernel/filters/prefix_filter.h"
#include "measure/token_weight.h"

/* Returns the prefix of Lemma 1; 0 if the set is smaller than the overlap. */
static int64
prefix_for_overlap(int64 size, int64 least_overlap)
{
	if (least_overlap > size)
		return 0;
	return Min(size, size - least_overlap + 1);
}

/*
 * The prefix must serve each similar set that is found by a common token. The prefix is the longest
 * for the least α, and α is the least for the smallest such set.
 */
int64
PrefixFilterOfSide(Predicate predicate, int64 a, bool is_right)
{
	int64 b =
		Max(PredicateLeastSize(predicate, a, is_right), PredicateNoOverlapSize(predicate, a) + 1);

	return prefix_for_overlap(a, PredicateLeastOverlapBySide(predicate, a, b, is_right));
}

int64
PrefixFilterIndexing(Predicate predicate, int64 b)
{
	return prefix_for_overlap(b, PredicateLeastOverlap(predicate, b, b));
}

void
WeightedPrefixes(const JoinRecords *records, uint32 number, double probing_overlap,
				 double indexing_overlap, uint32 *probing, uint32 *indexing)
{
	const JoinRecord *record = &records->records[number];
	const uint32 *tokens = JoinRecordTokens(records, record);
	int64 rest = records->totals[number];
	uint32 k = 0;

	*indexing = 0;
	while (k < record->size && rest > 0 && (double) rest >= probing_overlap)
	{
		if ((double) rest >= indexing_overlap)
			*indexing = k + 1;
		rest -= TokenWeightTerm(records->weights[tokens[k++]], records->weighing.squares);
	}
	JoinTick(records->host, k + 1);
	*probing = k;
}
