/*
 * predicate_clause.h
 *		The conditions of a query that two sets, simhashes or texts are similar.
 */
#ifndef NEARDUP_JOIN_PREDICATE_CLAUSE_H
#define NEARDUP_JOIN_PREDICATE_CLAUSE_H

#include "kinds/kind.h"

/*
 * Returns whether the expression is a predicate, or a comparison that bounds a measure from the side
 * of similar values, and fills in the clause. A predicate is refused whose threshold is a constant
 * out of range, so that it raises its error when it is called.
 */
extern bool PredicateClauseOf(Node *expression, PredicateClause *clause);

/* The same of a comparison that is true where the expression is false, such as of jaccard(x, y) < t. */
extern bool PredicateClauseOfNegation(Node *expression, PredicateClause *clause);

/* Returns whether two clauses are about the same measure of the same values. */
extern bool PredicateClausesAgree(const PredicateClause *a, const PredicateClause *b);

/*
 * Returns whether the expression is a measure of two values, or what up to COMPARED_STEPS casts and
 * subtractions from 1 make of it, and fills in what is measured: `of_complement` of the comparison tells
 * 1 minus the measure. Casts and subtractions may round, but keep the order.
 */
extern bool MeasuredValueOf(Node *expression, PredicateClause *clause);

/* Returns the measure's value as a function returns it, or NULL if the function is no measure's. */
extern const KindFunction *KindFunctionOf(Oid function, int arguments, const Kind **kind);

/* Returns a number of any type that thresholds have, rounded to double precision. */
extern double PredicateNumber(Oid type, Datum value);

/*
 * Sets the threshold of a kind's measure, given the value of a clause's threshold, which is not NULL.
 * Returns which pairs reach it. The threshold of a predicate may be out of its range.
 */
extern ComparisonReach PredicateThreshold(const Kind *kind, Measure measure, ThresholdRule rule,
										  Oid type, Datum value, double *threshold);

/*
 * Returns the same as far as the planner knows it. If it does not, the threshold is a typical one.
 */
extern ComparisonReach PredicateThresholdEstimate(PlannerInfo *root, const PredicateClause *clause,
												  double *threshold);

/* Returns the fraction of rows, or of pairs of rows, that satisfy a clause. */
extern double PredicateSelectivity(PlannerInfo *root, const PredicateClause *clause,
								   const ClausePlace *place);

/*
 * Returns an expression of type int4: the greatest distance that satisfies a comparison with a
 * threshold. The function is a hint's; NULL if the user may not call what the expression calls.
 */
extern Node *DistanceBoundOf(Oid hint, Node *comparison, Node *threshold);

#endif
