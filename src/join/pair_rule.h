/*
 * pair_rule.h
 *		Which similar records are a pair of the join, and what its row says.
 *
 * The kernel pairs records; a self-join pairs rows of different keys only, the lesser key
 * first. To find that out and to compute the measure's value takes as long as to
 * find most pairs. So whoever finds a pair does it, and the leader has nothing left to do
 * for the pairs of its workers but to keep them.
 */
#ifndef NEARDUP_JOIN_PAIR_RULE_H
#define NEARDUP_JOIN_PAIR_RULE_H

#include "join/kernel/join.h"

typedef struct PairRule
{
	Measure measure;
	bool is_self_join;
	/* Of a self-join, by row, the place of its key; NULL where all keys differ, and ascend by row. */
	const int64 *key_order;
	bool counts_only; /* what the rows are, is not asked */
} PairRule;

/* Two rows, a before b, and the measure's value. */
typedef struct FoundPair
{
	uint32 a;
	uint32 b;
	double value;
} FoundPair;

/* Whether the records are a pair. */
static inline bool
PairRuleHolds(const PairRule *rule, const JoinRecord *x, const JoinRecord *y)
{
	return rule->key_order == NULL || rule->key_order[x->row] != rule->key_order[y->row];
}

/* Of a pair; under an asymmetric measure the order is the measure's. */
static inline FoundPair
PairRuleApply(const PairRule *rule, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	const int64 *order = rule->key_order;
	bool is_greater = order == NULL ? x->row > y->row : order[x->row] > order[y->row];
	bool swap = is_greater && rule->is_self_join && !MeasureIsAsymmetric(rule->measure);

	return (FoundPair){.a = swap ? y->row : x->row,
					   .b = swap ? x->row : y->row,
					   .value = MeasureValue(rule->measure, overlap, x->size, y->size)};
}

#endif
