/*
 * key_numbers.h
 *		Numbers for keys: 0, 1, 2, ... in the order in which they are first met.
 */
#ifndef NEARDUP_CLUSTER_KEY_NUMBERS_H
#define NEARDUP_CLUSTER_KEY_NUMBERS_H

#include "join/keys.h"

/* Keys have at most so many different values. */
#define KEY_NUMBERS_MAX ((uint32) PG_INT32_MAX)

typedef struct KeyNumbers KeyNumbers;

/*
 * An empty table over keys that were just initialized; it lives in their memory
 * context. undefined_function where the type of the keys cannot be hashed.
 */
extern KeyNumbers *KeyNumbersCreate(JoinKeys *keys);

/*
 * The number of a key, of the present type of the keys; one that is new is
 * appended to them. Where equal keys are written differently, as 1.0 and 1.00, the
 * one with the least text is kept, whichever came first. Allocates in the current
 * memory context what comparing needs. program_limit_exceeded beyond
 * KEY_NUMBERS_MAX keys.
 */
extern uint32 KeyNumbersOf(KeyNumbers *numbers, Datum key, bool *is_new);

/* Numbers no more keys, which stay. */
extern void KeyNumbersFree(KeyNumbers *numbers);

#endif
