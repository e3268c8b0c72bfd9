/*
 * support.h
 *		Index conditions of predicates, as planner support functions make them.
 */
#ifndef NEARDUP_TOKENSET_SUPPORT_H
#define NEARDUP_TOKENSET_SUPPORT_H

#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"

#include "measure/measure.h"

/*
 * Returns the right operand of an index condition: the call of a function that makes a query, or
 * the constant that the call gives, which EXPLAIN shows by its first tokens.
 */
extern Node *QueryOfIndexCondition(PlannerInfo *root, Oid function, List *args, Oid collation);

/*
 * Returns what @~ compares the indexed column with, given the other operand of a predicate that is
 * over this measure; NULL where the predicate gives no condition.
 */
typedef Node *(*QueryOfPredicate)(SupportRequestIndexCondition *request, Measure measure,
								  Node *value);

/*
 * Returns the index condition column @~ operand that a predicate(x, y, ...) implies, which is lossy;
 * NIL if there is none.
 */
extern List *IndexConditionOfPredicate(SupportRequestIndexCondition *request, Measure measure,
									   QueryOfPredicate operand_of);

#endif
