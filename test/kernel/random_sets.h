/*
 * random_sets.h
 *		Random sets, some nearly alike, and what brute force says of two of them.
 */
#ifndef NEARDUP_RANDOM_SETS_H
#define NEARDUP_RANDOM_SETS_H

#include "measure/measure.h"

#define MAX_SET_SIZE 120

typedef struct Set
{
	uint32 size;
	int64 tokens[MAX_SET_SIZE];
} Set;

/*
 * Makes sets of up to size tokens. Half of them are copies of earlier ones with a few edits; skewed
 * ones have the small numbers of the universe most often.
 */
extern void make_sets(Set *sets, uint32 count, uint32 universe, bool skewed, uint32 size);

extern uint32 overlap_of(const Set *x, const Set *y);

/* A threshold of the measure, most of them fractions that a set can reach exactly. */
extern Predicate random_predicate(Measure measure);

/* The token that has this hash. */
extern int64 token_of_hash(uint64 hash);

#endif
