/*
 * except_pairs.h
 *		Pairs of keys that somebody has decided are different.
 */
#ifndef NEARDUP_JOIN_EXCEPT_PAIRS_H
#define NEARDUP_JOIN_EXCEPT_PAIRS_H

#include "rows/key_numbers.h"

typedef struct ExceptPairs ExceptPairs;

/*
 * Reads the pairs that a query returns, whose order and repetitions do not matter; those with a NULL
 * are left out. If they are two_sided, the first column has keys of one table, the second keys of
 * another; else the order of the two does not matter, and pairs of equal keys are left out. Keys
 * are compared by the given collation, which is the one of the keys that are looked up later; if it
 * is invalid, by the collation of each column. Allocates in the current memory context, in which
 * all pairs are held. Raises the errors of KeyPairsRead.
 */
extern ExceptPairs *ExceptPairsRead(const char *query, KeyPolicy policy, Oid key_type,
									Oid collation, bool two_sided);

/*
 * Raises datatype_mismatch if keys of this type cannot be compared with the keys of a column, or with
 * those of both unless they are two_sided.
 */
extern void ExceptPairsCheckType(const ExceptPairs *pairs, int column, Oid type);

/*
 * Returns the number of a key, which is of this type, in the pairs, or NO_ROW. The column,
 * 0 or 1, does not matter unless they are two_sided. Leaves garbage in the current memory context.
 */
extern uint32 ExceptPairsNumber(ExceptPairs *pairs, int column, Oid type, Datum key);

/*
 * Returns whether the keys of these numbers, either of which may be NO_ROW, are a pair. If
 * they are two_sided, a is of the first column.
 */
extern bool ExceptPairsHas(const ExceptPairs *pairs, uint32 a, uint32 b);

/* Returns how many keys the pairs have, which must not be two_sided; their numbers are less. */
extern uint32 ExceptPairsKeys(const ExceptPairs *pairs);

/* Calls a function with the numbers of each pair. */
extern void ExceptPairsEach(const ExceptPairs *pairs,
							void (*take)(void *context, uint32 a, uint32 b), void *context);

/* Returns how many pairs, which must be two_sided, the key of a column has that has the most. */
extern uint32 ExceptPairsMost(const ExceptPairs *pairs, int column);

#endif
