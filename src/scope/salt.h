/*
 * salt.h
 *		Scopes as salts: what keeps apart the tokens of rows that must not meet.
 *
 * A scope is the values of some columns: the owner and the language of a document, say. They make a
 * salt of 64 bits, column by column. A token hashed with the salt stands for the token in the scope:
 * rows of one scope share what they shared before, and rows of two scopes share nothing, but for
 * accidents. An index and a tracked table have such tokens; a join combines its tokens with the salt
 * by XOR, which lets simhashes keep their distances. near_duplicates begins with a secret salt.
 *
 * An index on disk depends on these functions. Other functions are another format, and need another
 * INDEX_VERSION.
 */
#ifndef NEARDUP_SCOPE_SALT_H
#define NEARDUP_SCOPE_SALT_H

#include "text/tokens.h"

/* Returns 64 well mixed bits: the finalizer of splitmix64. It is one-to-one. */
static inline uint64
ScopeMix(uint64 h)
{
	h = (h ^ h >> 30) * UINT64CONST(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 27) * UINT64CONST(0x94d049bb133111eb);
	return h ^ h >> 31;
}

/*
 * Returns the salt of a scope with one more column, of which `hash` is the value's hash; `salt` is
 * the salt of the columns before, 0 for the first. The order of the columns counts. Different
 * hashes make different salts.
 */
static inline uint64
ScopeSalt(uint64 salt, uint64 hash)
{
	return ScopeMix(ScopeMix(salt + UINT64CONST(0x9e3779b97f4a7c15)) ^ hash);
}

/* The same for a column that is NULL, where NULL is a value like others: mixed once more. */
static inline uint64
ScopeSaltNull(uint64 salt)
{
	return ScopeMix(ScopeSalt(salt, UINT64CONST(0x6e756c6c)));
}

/*
 * Returns the token that stands for `token` in the scope of this salt. Within a scope no two tokens
 * become the same one. Mixing before and after keeps scopes apart whose salts, or tokens, differ in
 * few bits.
 */
static inline Token
ScopeToken(uint64 salt, Token token)
{
	return (Token) ScopeMix(ScopeMix((uint64) token) ^ salt);
}

/* The token that each row of an index with scopes has in addition to its own, salted like them. */
#define SCOPE_ROW_TOKEN INT64CONST(0x6e65617264757073)

#endif
