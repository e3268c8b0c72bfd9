/*
 * token_table.h
 *		PostgreSQL's simplehash with tokens, or other numbers of 64 bits, as keys.
 *
 * A file that includes it defines SH_PREFIX, SH_ELEMENT_TYPE and SH_KEY, the element's member that is
 * the key, and has static functions of that prefix. It may be included several times.
 */
#include "sketch/token_hash.h"

#define SH_KEY_TYPE int64
#define SH_HASH_KEY(table, key) ((uint32) TokenHash(key, 0))
#define SH_EQUAL(table, a, b) ((int64) (a) == (int64) (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"
