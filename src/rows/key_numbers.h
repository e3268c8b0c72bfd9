/*
 * key_numbers.h
 *		Numbers of keys: 0, 1, 2, ... in the order of their first occurrence.
 */
#ifndef NEARDUP_JOIN_KEY_NUMBERS_H
#define NEARDUP_JOIN_KEY_NUMBERS_H

#include "rows/keys.h"

#define KEY_NUMBERS_MAX ((uint32) PG_INT32_MAX)

typedef struct KeyNumbers KeyNumbers;

/*
 * Allocates in the memory context of the keys. Raises undefined_function where their type cannot be
 * hashed.
 */
extern KeyNumbers *KeyNumbersCreate(JoinKeys *keys);

/*
 * Returns the number of a key of type keys->type, which is appended to the keys if it is new. Of
 * equal keys such as 1.0 and 1.00, the one whose text is least is kept. Leaves garbage in the
 * current memory context. Raises program_limit_exceeded beyond KEY_NUMBERS_MAX keys.
 */
extern uint32 KeyNumbersOf(KeyNumbers *numbers, Datum key, bool *is_new);

/*
 * Returns the number of a key of type keys->type, or NO_ROW if it has none. Leaves garbage
 * in the current memory context.
 */
extern uint32 KeyNumbersFind(KeyNumbers *numbers, Datum key);

/* Frees the table; the keys remain. */
extern void KeyNumbersFree(KeyNumbers *numbers);

#endif
