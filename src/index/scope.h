/*
 * scope.h
 *		Scopes: the columns of an index before the column of the sets, and the sets of a scope.
 */
#ifndef NEARDUP_INDEX_SCOPE_H
#define NEARDUP_INDEX_SCOPE_H

#include "access/skey.h"
#include "utils/rel.h"

#include "tokenset/tokenset.h"

/* Returns how many scope columns an index has. Its last key column holds the sets. */
static inline int
IndexScopeColumns(Relation index)
{
	return IndexRelationGetNumberOfKeyAttributes(index) - 1;
}

/*
 * Raises feature_not_supported unless an index has scope columns, if any, and then one of sets; none
 * is a range.
 */
extern void IndexScopeCheckColumns(Relation index);

/*
 * Computes the salt of a row's scope from the values of the index's columns. Returns false if one of
 * them is NULL: the row is in no scope.
 */
extern bool IndexScopeOfRow(Relation index, const Datum *values, const bool *isnull, uint64 *salt);

/*
 * Computes the salt of the scope that the keys of a scan give. Returns false if they do not give a
 * value for each scope column. No key is NULL.
 */
extern bool IndexScopeOfKeys(Relation index, const ScanKeyData *keys, int count, uint64 *salt);

/*
 * Returns the set by which the index keeps a set of some scope: each token is salted, and one more
 * token stands for the scope. The result is new, in the current memory context. The given tokens
 * ascend, and may be unaligned.
 */
extern Tokenset *IndexScopeSet(uint64 salt, const void *tokens, Size count);

#endif
