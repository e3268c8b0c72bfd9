/*
 * pair_rule.h
 *		From two similar records to a pair of the join.
 *
 * A self-join returns pairs of rows with different keys only, the lesser key first unless the
 * measure is directed. The process
 * that finds two similar records applies this rule and computes the measure's value, so that the
 * leader has nothing to do with the pairs of workers but to store them.
 */
#ifndef NEARDUP_JOIN_PAIR_RULE_H
#define NEARDUP_JOIN_PAIR_RULE_H

#include "kernel/engine.h"
#include "measure/measure.h"

typedef struct PairRule
{
	Predicate predicate;
	bool has_value;	   /* the engine emits distances in place of overlaps */
	bool lesser_first; /* the row of the lesser key comes first, else the left one */
	/*
	 * By row, the rank of its key. NULL if no two rows have the same key, and keys ascend as rows
	 * do.
	 */
	const int64 *key_order;
	bool counts_only;			/* workers count pairs instead of sending them */
	const JoinRecords *records; /* the records as this process sees them */
} PairRule;

/* A pair of rows and the value of the measure. */
typedef struct FoundPair
{
	uint32 a;
	uint32 b;
	double value;
} FoundPair;

/* Whether two similar records are a pair of the join. */
static inline bool
PairRuleHolds(const PairRule *rule, const JoinRecord *x, const JoinRecord *y)
{
	return rule->key_order == NULL || rule->key_order[x->row] != rule->key_order[y->row];
}

/* Returns the pair of two records for which PairRuleHolds. */
static inline FoundPair
pair_of_records(const PairRule *rule, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	const JoinRecords *records = rule->records;
	const int64 *order = rule->key_order;
	bool is_greater = order == NULL ? x->row > y->row : order[x->row] > order[y->row];
	bool swap = is_greater && rule->lesser_first;

	return (FoundPair){.a = swap ? y->row : x->row,
					   .b = swap ? x->row : y->row,
					   .value = rule->has_value
									? overlap
									: MeasureValue(rule->predicate.measure, (int64) overlap,
												   JoinRecordMeasuredWhole(records, x),
												   JoinRecordMeasuredWhole(records, y))};
}

/*
 * Sets the pair of two records that are similar without their tails; false if they are no pair of the
 * join.
 */
static inline bool
PairRuleFind(const PairRule *rule, const JoinRecord *x, const JoinRecord *y, uint64 overlap,
			 FoundPair *pair)
{
	const JoinRecords *records = rule->records;

	if (!PairRuleHolds(rule, x, y))
		return false;
	if (records->tails != NULL && !JoinIsSimilarWhole(records, rule->predicate, x, y, &overlap))
		return false;
	*pair = pair_of_records(rule, x, y, overlap);
	return true;
}

#endif
