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

/* Returns the cost of a measure or predicate of two sets, in operators. `root` may be NULL. */
extern double OperatorsOfSets(PlannerInfo *root, Node *x, Node *y);

/* What a condition tells of a query: its arguments but for the indexed column. */
typedef struct ConditionParts
{
	Measure measure;
	Node *name; /* of the measure, or the text of a comparison */
	Node *threshold;
	Node *weights; /* of a weighted measure; else NULL */
} ConditionParts;

/*
 * Returns what @~ compares the indexed column with, given the other operand of a condition; NULL where
 * the condition is none for the index.
 */
typedef Node *(*QueryOfCondition)(SupportRequestIndexCondition *request,
								  const ConditionParts *parts, Node *value);

/*
 * Returns the index condition column @~ operand that a function(x, y, ...) implies, which is lossy;
 * NIL if there is none.
 */
extern List *IndexConditionOf(SupportRequestIndexCondition *request, const ConditionParts *parts,
							  QueryOfCondition operand_of);

/* A QueryOfCondition for sets: a call of tokenset_query or heaviest_tokens_query, or its value. */
extern Node *TokensetQueryOfCondition(SupportRequestIndexCondition *request,
									  const ConditionParts *parts, Node *value);

#endif
