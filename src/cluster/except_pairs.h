/*
 * except_pairs.h
 *		Pairs of keys that somebody has decided are different.
 */
#ifndef NEARDUP_CLUSTER_EXCEPT_PAIRS_H
#define NEARDUP_CLUSTER_EXCEPT_PAIRS_H

#include "join/rows/key_numbers.h"

typedef struct ExceptPairs ExceptPairs;

/* A key that is in no pair. */
#define EXCEPT_PAIRS_NONE KEY_NUMBERS_NONE

/*
 * Reads the pairs that a query returns, whose order and repetitions do not matter; those with a NULL
 * or of equal keys are left out. Keys are compared by the collation, that of the keys which are to be
 * looked up. Allocates in the current memory context, in which all pairs are held. Raises the errors
 * of KeyPairsRead.
 */
extern ExceptPairs *ExceptPairsRead(const char *query, KeyPolicy policy, Oid key_type,
									Oid collation);

/*
 * Returns the number of a key, which is of this type, in the pairs, or EXCEPT_PAIRS_NONE. Leaves
 * garbage in the current memory context.
 */
extern uint32 ExceptPairsNumber(ExceptPairs *pairs, Oid type, Datum key);

/* Returns whether the keys of these numbers, either of which may be EXCEPT_PAIRS_NONE, are a pair. */
extern bool ExceptPairsHas(const ExceptPairs *pairs, uint32 a, uint32 b);

#endif
