/*
 * pair_rule.h
 *		From two similar records to a pair of the join.
 *
 * A self-join pairs rows of different keys only, the lesser key first. Workers apply this rule
 * and compute the measure's value, so that the leader only stores their pairs.
 */
#ifndef NEARDUP_JOIN_PAIR_RULE_H
#define NEARDUP_JOIN_PAIR_RULE_H

#include "kernel/join.h"
#include "measure/measure.h"

typedef struct PairRule
{
	Measure measure;
	bool has_value;	   /* the engine emits the value, not the overlap */
	bool lesser_first; /* by key, unless the measure is asymmetric */
	/* By row, the rank of its key; NULL if keys strictly ascend by row. */
	const int64 *key_order;
	bool counts_only;			/* pairs are counted, not emitted */
	const JoinRecords *records; /* of this process */
} PairRule;

typedef struct FoundPair
{
	uint32 a;
	uint32 b;
	double value;
} FoundPair;

static inline bool
PairRuleHolds(const PairRule *rule, const JoinRecord *x, const JoinRecord *y)
{
	return rule->key_order == NULL || rule->key_order[x->row] != rule->key_order[y->row];
}

static inline FoundPair
PairRuleApply(const PairRule *rule, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	const int64 *order = rule->key_order;
	bool is_greater = order == NULL ? x->row > y->row : order[x->row] > order[y->row];
	bool swap = is_greater && rule->lesser_first && !MeasureIsAsymmetric(rule->measure);

	return (FoundPair){.a = swap ? y->row : x->row,
					   .b = swap ? x->row : y->row,
					   .value = rule->has_value
									? overlap
									: MeasureValue(rule->measure, (int64) overlap,
												   JoinRecordMeasured(rule->records, x),
												   JoinRecordMeasured(rule->records, y))};
}

#endif
