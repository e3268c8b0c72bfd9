/*
 * edit_tokens.h
 *		The sets that an index of the class edit_ops keeps of texts.
 */
#ifndef NEARDUP_STRINGS_EDIT_TOKENS_H
#define NEARDUP_STRINGS_EDIT_TOKENS_H

#include "fmgr.h"

#include "measure/measure.h"

/* The length of the q-grams, on which indexes on disk depend. */
#define EDIT_INDEX_GRAM_LENGTH 2

/* Returns the predicate of the sets of all texts within a distance. */
static inline Predicate
EditIndexPredicate(double max_distance)
{
	return (Predicate){
		.measure = MEASURE_EDIT, .threshold = max_distance, .gram_length = EDIT_INDEX_GRAM_LENGTH};
}

/* An SQL function, declared for edit_comparison.c, which recognizes an index by it. */
extern Datum edit_tokens(PG_FUNCTION_ARGS);

#endif
