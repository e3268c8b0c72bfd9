/*
 * trigram_selectivity.h
 *		Estimates of the number of texts whose trigrams are similar.
 */
#ifndef NEARDUP_KINDS_TRIGRAM_SELECTIVITY_H
#define NEARDUP_KINDS_TRIGRAM_SELECTIVITY_H

#include "kinds/kind.h"

/* Returns the fraction of rows, or of pairs of rows, that satisfy a clause at a threshold. */
extern double TrigramSelectivity(PlannerInfo *root, const PredicateClause *clause, double threshold,
								 const ClausePlace *place);

/*
 * Returns the fraction of rows that an index returns for an operator of trgm_ops, whose operand is a
 * text, or a tokenset_query.
 */
extern double TrigramSearchShare(PlannerInfo *root, const OpExpr *clause, Predicate predicate,
								 bool is_query);

#endif
